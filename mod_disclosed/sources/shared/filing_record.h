/* One filing as a record, whichever source states it: the same facts give the same record. */
#ifndef DSC_FILING_RECORD_H
#define DSC_FILING_RECORD_H

#include "loader/loader.h"

#include <apr_tables.h>

/* What a source says of a filing of one filer; NULL or "" if it says nothing. */
typedef struct {
    const char *location; /* where in the file */
    const char *cik;      /* of the filer, digits */
    const char *issuer_name;
    const char *accession;
    const char *form;
    const char *filed_on;    /* YYYY-MM-DD */
    const char *accepted_at; /* ISO, UTC */
    const char *period_of_report;
    const char *title;
    const apr_array_header_t *items; /* of const char *; NULL: none given */
    const char *primary_document;    /* a leading folder of EDGAR's rendering is taken off */
    const char *file_number;
    const char *size_bytes;
} dsc_filing_facts_t;

/* Stages the filing; an error in the facts rejects it. `pool` may be cleared afterwards. */
apr_status_t dsc_add_filing(dsc_loader_t *loader, apr_pool_t *pool,
                            const dsc_filing_facts_t *facts);

/* Since when the public has a filing with all its documents: ISO, UTC. */
const char *dsc_filing_known_at(apr_pool_t *pool, const char *accepted_at, const char *filed_on);

/* Days from one YYYY-MM-DD to another, 0 if one of them is no date or missing. */
int dsc_days_between(const char *from, const char *to);

/* Why a header's dates, either of which may be missing, cannot both be; NULL: they can. */
const char *dsc_dates_error(const char *accepted_at, const char *filed_on);

/* Behind a file's filings and their texts: has what is stored of them dated as they are, before
 * they are merged. Whether they are of headers of full submissions, which overrule EDGAR's
 * submissions files. */
apr_status_t dsc_date_filings(dsc_loader_t *loader, int are_headers);

/* Whether the text is an accession number, 0000000000-00-000000. */
int dsc_is_accession(const char *text);

/* Where somebody whose folders are like EDGAR's, and begin with `head`, keeps a document of the
 * filing. */
const char *dsc_filing_address(apr_pool_t *pool, const char *head, const char *cik,
                               const char *accession, const char *document);

/* Where EDGAR keeps a document of the filing; without a document, its index page. */
const char *dsc_filing_url(apr_pool_t *pool, const char *cik, const char *accession,
                           const char *document);

/* Whether an item's number is here, up to a comma or the end: 2.02, 12, or of Form D 06b, 3C.7. */
int dsc_is_item(const char *at, size_t length);

/* Orders item numbers as the lists of EDGAR's submissions files have them, as text: 12 before 7.
 * The header of a submission has the same items in the filer's order. */
void dsc_sort_items(apr_array_header_t *items);

#endif
