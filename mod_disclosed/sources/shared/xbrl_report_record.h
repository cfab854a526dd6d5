/* What a filing reports in XBRL as a record, whichever of the SEC's files has it. */
#ifndef DSC_XBRL_REPORT_RECORD_H
#define DSC_XBRL_REPORT_RECORD_H

#include "loader/loader.h"

#include <apr_tables.h>

/* Texts that many facts share are written down with each: a small document must not become a large
 * record. */
enum {
    DSC_LONGEST_ELEMENT = 256, /* each of its two names */
    DSC_LONGEST_UNIT = 256,
    DSC_LONGEST_DIMENSIONS = 4096
};

/* A fact, as texts that live as long as the report. */
typedef struct {
    const char *concept; /* us-gaap:Assets */
    const char *unit;
    const char *start_date; /* YYYY-MM-DD; "": an instant */
    const char *end_date;
    const char *amount;
    const char *dimensions; /* axis=member, by axis, with semicolons between; NULL: none */
    const char *decimals;   /* -6, INF; NULL: not stated */
    const char *where;      /* where it is in the file */
    long place;             /* its number there, from 0; -1: `where` says it all */
} dsc_xbrl_fact_t;

typedef struct {
    const char *told_by; /* as the dataset's column */
    const char *location;
    const char *document;          /* the name of an instance's; NULL: of others */
    const char *cik, *issuer_name; /* of the filer */
    const char *accession, *form, *filed_on;
    const char *known_at; /* when the filing was accepted; NULL: at the end of the day of filing */
    const char *fiscal_year, *fiscal_period; /* NULL: not stated */
    const char *content_hash;  /* of the file with its facts; NULL: the one being loaded */
    apr_array_header_t *facts; /* dsc_xbrl_fact_t */
    long *repeats; /* facts that are there more than once, or rounded as well, are counted here;
                      NULL: they are rejected, and roundings kept */
} dsc_xbrl_report_t;

/* Whether a text is a name of XML, without a colon (NCName): an element's, or a prefix. */
int dsc_is_xml_name(const char *text);

/* What is wrong with the name of an element, apart into its taxonomy and its name; NULL:
 * nothing. */
const char *dsc_xbrl_name_error(const char *taxonomy, const char *name);

/* The rule that a value breaks; NULL: none. */
const char *dsc_xbrl_amount_error(const char *amount);

/* Whether the table takes a fiscal year. */
int dsc_xbrl_is_year(const char *text);

/* Where the fact is: "facts.us-gaap.Assets.units.USD[12]". */
const char *dsc_xbrl_fact_location(apr_pool_t *pool, const dsc_xbrl_fact_t *fact);

/* Adds the report with its facts in order, each once, with the most exact of its `decimals`. The
 * array is changed; `pool` may be cleared afterwards. */
apr_status_t dsc_xbrl_report_add(dsc_loader_t *loader, apr_pool_t *pool, dsc_xbrl_report_t *report);

#endif
