/* EDGAR submissions files: what the parts of the importer share. */
#ifndef DSC_SEC_SUBMISSIONS_H
#define DSC_SEC_SUBMISSIONS_H

#include "loader/loader.h"
#include "sources/sec_submissions/acceptance_clock.h"

#include <apr_hash.h>
#include <jansson.h>

/* One file: the issuer's own with its recent filings, or a page of its older filings. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;      /* of the file */
    const char *cik;       /* ten digits */
    const char *name;      /* NULL in a page of older filings */
    const json_t *issuer;  /* NULL in a page of older filings */
    const json_t *filings; /* object of parallel arrays */
    apr_hash_t *rows;      /* by accession number: which row has it, for the survey's use */
    const char *location;  /* where the arrays are: "filings.recent", or "" at top level */
    dsc_clock_t clock;
    dsc_clock_evidence_t evidence;
    const char *first_known; /* date of the earliest filing that the file knows of; may be NULL */
    const char *snapshot;    /* the newest acceptance time in the file, UTC; may be NULL */
} dsc_submissions_t;

/* Reads the arrays: decides the clock and finds the earliest and newest filing. 0 and *reason if
 * they do not make rows: without its filings nothing in the file can be dated. */
int dsc_submissions_survey(dsc_submissions_t *file, const char **reason);

/* Stages all filings. */
apr_status_t dsc_submissions_add_filings(dsc_submissions_t *file);

/* Stages the issuer: its names, its facts and its listings. After the survey. */
apr_status_t dsc_submissions_add_issuer(dsc_submissions_t *file);

#endif
