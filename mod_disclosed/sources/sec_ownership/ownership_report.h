/* The records of one Form 3, 4 or 5, whichever kind of file it comes from. */
#ifndef DSC_OWNERSHIP_REPORT_H
#define DSC_OWNERSHIP_REPORT_H

#include "loader/loader.h"
#include "sources/sec_ownership/ownership_document.h"

/* What is the same for all records of a form. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_ownership_document_t *document;
    const char *accession; /* NULL: none known */
    const char *known_at, *filing_date;
    int is_of_set;           /* what is stored of it was said by a data set */
    int by_signature;        /* nothing better says when it was filed */
    const char *digest_name; /* "sha256:<32 hex>", in place of an accession number */
} dsc_ownership_report_t;

/* The key of a row under the accession number, or what is in its place: "N/2", "D/1" behind it for
 * transactions, "NH/1", "DH/3" for holdings. */
const char *dsc_ownership_row_key(const dsc_ownership_report_t *report, const char *name,
                                  const dsc_ownership_row_t *row);

/* The keys of its owners in the executive dataset, as an array literal; NULL: it has none. */
const char *dsc_ownership_person_keys(const dsc_ownership_report_t *report);

/* Stages the rows and the owners; what is wrong is rejected. */
apr_status_t dsc_ownership_add(const dsc_ownership_report_t *report);

#endif
