/* Loading a data set of Form 13F reports. */
#include "sources/sec_13f/holdings_load.h"

#include "datasets/datasets.h"
#include "loader/loader_value.h"
#include "sources/sec_13f/holdings_data_set.h"
#include "sources/sec_13f/holdings_identity.h"
#include "sources/sec_13f/holdings_record.h"

#include <apr_strings.h>
#include <string.h>

enum {
    REMARKS_TOLD = 20
};

static apr_status_t measure_line(void *baton, dsc_data_set_report_t *report,
                                 const dsc_holding_t *row)
{
    (void)baton;
    if (report != NULL && row->error == NULL) {
        dsc_scale_weigh(&report->evidence, row);
    }
    return APR_SUCCESS;
}

/* The set, and a pool that is cleared after each row. */
typedef struct {
    dsc_data_set_t *set;
    apr_pool_t *each;
} lines_t;

static apr_status_t store_line(void *baton, dsc_data_set_report_t *report, const dsc_holding_t *row)
{
    const lines_t *lines = baton;
    dsc_loader_t *loader = lines->set->loader;
    long long rejected = dsc_loader_rejected(loader);
    apr_status_t rv;

    if (report == NULL) {
        return dsc_loader_reject(loader, row->location,
                                 "SUBMISSION.tsv does not have this accession number",
                                 row->accession);
    }
    rv = dsc_add_holding(loader, lines->each, &report->report, &report->scale,
                         lines->set->rows_hash, row);
    report->has_rejects |= dsc_loader_rejected(loader) > rejected;
    apr_pool_clear(lines->each);
    return rv;
}

/* Reports the first remarks, and the number of others: the reports themselves have all of them. */
static void report_remarks(dsc_data_set_t *set, int told, const char *remark)
{
    if (remark != NULL && told <= REMARKS_TOLD) {
        dsc_loader_note(set->loader, remark);
    }
}

static apr_status_t store_reports(dsc_data_set_t *set)
{
    apr_status_t rv = APR_SUCCESS;
    int i, told = 0;

    for (i = 0; i < set->reports->nelts && rv == APR_SUCCESS; i++) {
        dsc_data_set_report_t *report = APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *);
        long long rejected = dsc_loader_rejected(set->loader);
        const char *remark;

        rv = dsc_add_holdings_report(set->loader, set->pool, &report->report, &report->evidence,
                                     &report->scale);
        report->has_rejects |= dsc_loader_rejected(set->loader) > rejected;
        remark = report->report.error != NULL
                     ? NULL
                     : dsc_holdings_remark(set->pool, &report->report, &report->evidence,
                                           &report->scale);
        told += remark != NULL;
        report_remarks(set, told, remark);
    }
    if (told > REMARKS_TOLD) {
        dsc_loader_note(set->loader, apr_psprintf(set->pool,
                                                  "and %d more reports of that kind: "
                                                  "institution_report has them",
                                                  told - REMARKS_TOLD));
    }
    return rv;
}

/* The distinct periods of the set as an array literal. */
static const char *periods_of(const dsc_data_set_t *set)
{
    apr_hash_t *seen = apr_hash_make(set->pool);
    apr_array_header_t *periods = apr_array_make(set->pool, 4, sizeof(const char *));
    int i;

    for (i = 0; i < set->reports->nelts; i++) {
        const char *period = APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *)->report.period;

        if (period != NULL && apr_hash_get(seen, period, APR_HASH_KEY_STRING) == NULL) {
            apr_hash_set(seen, period, APR_HASH_KEY_STRING, period);
            APR_ARRAY_PUSH(periods, const char *) = period;
        }
    }
    return dsc_texts_literal(set->pool, periods->nelts, (const char *const *)periods->elts);
}

/* A report is all that its filing has: rows that another copy of the set had besides, or of another
 * manager or quarter, end. */
static apr_status_t declare_whole(const dsc_data_set_t *set)
{
    static const dsc_dataset_t *const datasets[] = {&dsc_dataset_institution_report,
                                                    &dsc_dataset_institution_position};
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < set->reports->nelts; i++) {
        const dsc_data_set_report_t *report =
            APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *);

        for (int k = 0; k < DSC_COUNT(datasets) && rv == APR_SUCCESS && !report->has_rejects; k++) {
            rv = dsc_loader_whole_of_set(set->loader, datasets[k], report->report.cik,
                                         report->report.accession);
        }
    }
    return rv;
}

apr_status_t dsc_load_holdings_data_set(dsc_loader_t *loader, const dsc_import_file_t *file,
                                        const char **reason)
{
    dsc_data_set_t set;
    lines_t lines = {&set, NULL};
    apr_status_t rv;

    if ((rv = dsc_data_set_open(&set, loader, file, reason)) != APR_SUCCESS ||
        (rv = dsc_data_set_rows(&set, measure_line, NULL, reason)) != APR_SUCCESS) {
        return rv;
    }
    dsc_data_set_refuse_parts(&set);
    apr_pool_create(&lines.each, set.pool);
    if ((rv = dsc_data_set_identify(&set)) != APR_SUCCESS ||
        (rv = store_reports(&set)) != APR_SUCCESS ||
        (rv = dsc_data_set_rows(&set, store_line, &lines, reason)) != APR_SUCCESS ||
        (rv = declare_whole(&set)) != APR_SUCCESS) {
        return rv;
    }
    return dsc_compare_value_scales(loader, periods_of(&set), NULL);
}
