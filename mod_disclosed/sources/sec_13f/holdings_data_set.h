/* The SEC's Form 13F data sets: tab-delimited tables, a folder or archive for each quarter. */
#ifndef DSC_HOLDINGS_DATA_SET_H
#define DSC_HOLDINGS_DATA_SET_H

#include "loader/loader.h"
#include "sources/sec_13f/holdings_scale.h"

#include "loader/importer.h"

#include <apr_hash.h>

/* One report of a data set, and what its rows have shown so far. */
typedef struct {
    dsc_holdings_report_t report;
    dsc_buffer_t *managers; /* the text of report.other_managers; NULL: none */
    apr_hash_t *numbers;    /* of those managers */
    dsc_scale_evidence_t evidence;
    dsc_scale_t scale;
    long rows;                /* met in the present pass */
    apr_array_header_t *keys; /* long long: INFOTABLE_SK of its rows, sorted after the first pass */
    int is_damaged;           /* a line of it has not the fields of its table, or is there twice */
    int has_cover, has_summary;
    int has_rejects; /* a row of it is rejected */
} dsc_data_set_report_t;

typedef struct {
    apr_pool_t *pool;
    dsc_loader_t *loader;
    const dsc_import_file_t *file; /* the table whose companions the others are */
    const apr_array_header_t *companions;
    apr_array_header_t *reports; /* dsc_data_set_report_t *, in the order of SUBMISSION.tsv */
    apr_hash_t *by_accession;
    const char *rows_hash;       /* content hash of INFOTABLE.tsv, once it has been read */
    int has_keys;                /* the first pass is over: the reports' keys are sorted */
    dsc_data_set_report_t *last; /* the report of the last row of INFOTABLE.tsv */
} dsc_data_set_t;

/* Whether a file of that name, without suffixes of compression, is a table of a data set. */
int dsc_data_set_has(const char *name);

/* Whether it is the table that stands for all of them, SUBMISSION.tsv. */
int dsc_data_set_leads(const char *name);

/* Reads all tables but INFOTABLE.tsv, which is the only large one. Lines that are no good are
 * rejected. APR_EGENERAL and *reason if a table is missing, or lacks a column that is needed. */
apr_status_t dsc_data_set_open(dsc_data_set_t *set, dsc_loader_t *loader,
                               const dsc_import_file_t *file, const char **reason);

/* After INFOTABLE.tsv has been read: a report is refused of which the set has a part alone, because
 * the manager would seem to have sold the rest. That is so if a line is damaged, a page is missing,
 * or the table has fewer rows than the summary page states. */
void dsc_data_set_refuse_parts(dsc_data_set_t *set);

/* Reads INFOTABLE.tsv once: visit() has each row with the report that it belongs to (NULL: none of
 * SUBMISSION.tsv). Rows are numbered within their report, in the order of their keys, else of the
 * file. */
typedef apr_status_t dsc_data_set_visit_t(void *baton, dsc_data_set_report_t *report,
                                          const dsc_holding_t *row);
apr_status_t dsc_data_set_rows(dsc_data_set_t *set, dsc_data_set_visit_t *visit, void *baton,
                               const char **reason);

#endif
