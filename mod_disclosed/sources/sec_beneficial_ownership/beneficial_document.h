/* Schedules 13D and 13G as XML (SEC, "EDGAR Schedule 13D and 13G XML Technical Specification",
 * schemas up to X0202): who owns more than five percent of a class. Values are trimmed, numbers
 * plain decimals, dates YYYY-MM-DD, booleans "t" or "f"; what is absent, empty or N/A is NULL.
 * Pure: no database, no files. */
#ifndef DSC_BENEFICIAL_DOCUMENT_H
#define DSC_BENEFICIAL_DOCUMENT_H

#include <apr_pools.h>
#include <apr_tables.h>

/* A reporting person and the cover page about it. */
typedef struct {
    const char *location; /* "line 39: reportingPersonInfo[2]" */
    const char *error;    /* NULL, or what is wrong with it */
    const char *sample;   /* the faulty text */
    const char *cik, *name, *group, *citizenship;
    const char *sole_voting, *shared_voting, *sole_dispositive, *shared_dispositive;
    const char *aggregate, *excludes_shares, *percent;
    const char *comment;
    apr_array_header_t *types;        /* const char *: IN, CO, ... */
    apr_array_header_t *fund_sources; /* const char *: WC, PF, ...; of Schedule 13D */
} dsc_beneficial_person_t;

typedef struct {
    const char *form; /* "SCHEDULE 13D/A" */
    const char *amendment_number, *previous_accession;
    const char *event_date;
    const char *issuer_cik, *issuer_name, *security_title;
    const char *fund_description, *purpose; /* items 3 and 4 of Schedule 13D */
    const char *signed_on;                  /* the latest */
    apr_array_header_t *cusips;             /* const char *, each with its right check digit */
    apr_array_header_t *rules;              /* const char *: 13d-1(c); of Schedule 13G */
    apr_array_header_t *persons;            /* dsc_beneficial_person_t; at least one */
    const char *remark;                     /* what of it is left out, or NULL */
} dsc_beneficial_document_t;

/* Reads a document: `xml` from its declaration or root element on, in any namespace, its first line
 * being number `first_line` of the file. NULL, and *reason with the location, when it is not
 * well-formed, is no Schedule 13D or 13G, or lacks what EDGAR asks of each: issuer, class, date of
 * event, CUSIP, persons with names of their own and a signature of each, and of amendments which
 * schedule they amend. An error of a person's cover page is left in it. */
dsc_beneficial_document_t *dsc_beneficial_parse(apr_pool_t *pool, const char *xml, size_t length,
                                                long first_line, const char **reason);

#endif
