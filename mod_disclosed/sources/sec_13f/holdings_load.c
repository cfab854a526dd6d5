/* Loading one Form 13F report, which comes as documents. */
#include "sources/sec_13f/holdings_load.h"

#include "datasets/datasets.h"
#include "loader/loader_value.h"
#include "sources/sec_13f/holdings_identity.h"
#include "sources/sec_13f/holdings_record.h"
#include "sources/sec_13f/holdings_stored.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* A report that comes as documents. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool, *each; /* each: cleared after a row */
    dsc_holdings_package_t package;
    dsc_scale_evidence_t evidence;
    dsc_scale_t scale;
    apr_array_header_t *cusips; /* each once */
    apr_hash_t *seen;           /* of them */
    long rows;                  /* of its table, good and bad */
    const char *first_error;    /* of a row */
    int has_stored;             /* the rows are those that are stored: the cover came alone */
    const char *rows_hash;      /* of the file that stored rows came from; NULL: of this one */
} report_t;

static apr_status_t measure_row(void *baton, const dsc_holding_t *row)
{
    report_t *one = baton;

    one->rows++;
    if (row->error != NULL && one->first_error == NULL) {
        one->first_error = apr_pstrcat(one->pool, row->location, ": ", row->error, NULL);
    }
    if (row->error == NULL) {
        dsc_scale_weigh(&one->evidence, row);
    }
    if (row->error == NULL && row->cusip != NULL &&
        apr_hash_get(one->seen, row->cusip, APR_HASH_KEY_STRING) == NULL) {
        const char *cusip = apr_pstrdup(one->pool, row->cusip);

        APR_ARRAY_PUSH(one->cusips, const char *) = cusip;
        apr_hash_set(one->seen, cusip, APR_HASH_KEY_STRING, cusip);
    }
    return APR_SUCCESS;
}

static apr_status_t store_row(void *baton, const dsc_holding_t *row)
{
    report_t *one = baton;
    apr_status_t rv = dsc_add_holding(one->loader, one->each, one->package.report, &one->scale,
                                      one->rows_hash, row);

    apr_pool_clear(one->each);
    return rv;
}

/* Stages the report and its rows; those of a report with an error are rejected with it. */
static apr_status_t stage_report(report_t *one, const char **reason)
{
    apr_status_t rv = dsc_add_holdings_report(one->loader, one->pool, one->package.report,
                                              &one->evidence, &one->scale);

    if (rv == APR_SUCCESS && dsc_piece_is_there(&one->package.table.piece)) {
        rv = dsc_holdings_table_read(one->pool, &one->package.table, store_row, one, reason);
        rv = rv == APR_SUCCESS
                 ? dsc_loader_whole(one->loader, &dsc_dataset_institution_report,
                                    one->package.report->cik, one->package.report->accession)
                 : rv;
        rv = rv == APR_SUCCESS
                 ? dsc_loader_whole(one->loader, &dsc_dataset_institution_position,
                                    one->package.report->cik, one->package.report->accession)
                 : rv;
    }
    if (rv == APR_SUCCESS && one->has_stored && one->package.report->stored_factor != NULL &&
        strcmp(one->package.report->stored_factor, one->scale.row_factor) != 0) {
        rv = dsc_holdings_stored_rows(one->loader, one->package.report, store_row, one,
                                      &one->rows_hash);
    }
    return rv;
}

/* Reports about the report, and has its unit compared with that of others. */
static apr_status_t follow_up(const report_t *one)
{
    const dsc_holdings_report_t *report = one->package.report;
    const char *cusips =
        dsc_texts_literal(one->pool, one->cusips->nelts, (const char *const *)one->cusips->elts);
    const char *periods = apr_pstrcat(one->pool, "{", report->period, "}", NULL);
    const char *remark = dsc_holdings_remark(one->pool, report, &one->evidence, &one->scale);

    if (dsc_piece_is_there(&one->package.table.piece) && remark != NULL) {
        dsc_loader_note(one->loader, remark);
    }
    return dsc_compare_value_scales(one->loader, periods, cusips);
}

static apr_status_t store_report(report_t *one, const char **reason)
{
    const dsc_holdings_report_t *report = one->package.report;
    apr_status_t rv;

    if (report->error != NULL) {
        return stage_report(one, reason);
    }
    one->scale = dsc_scale_decide(one->pool, &one->evidence, report);
    if ((rv = dsc_scale_known(one->loader, report->accession,
                              dsc_piece_is_there(&one->package.table.piece) || one->has_stored,
                              &one->scale)) != APR_SUCCESS ||
        (rv = stage_report(one, reason)) != APR_SUCCESS) {
        return rv;
    }
    return follow_up(one);
}

/* Whether a cover says that there are rows. */
static int states_rows(const dsc_holdings_report_t *report)
{
    return report->error == NULL && report->entry_total != NULL && atol(report->entry_total) > 0 &&
           strcmp(report->report_type, "notice") != 0 && strncmp(report->form, "13F-HR", 6) == 0;
}

/* A cover that speaks of rows is not loaded without them, and a table neither without good rows nor
 * in part: the manager would seem to have sold the rest. Those of a cover that comes alone may be
 * stored already. */
static apr_status_t check_rows(report_t *one, const char **reason)
{
    const dsc_holdings_report_t *report = one->package.report;
    apr_status_t rv = APR_SUCCESS;

    if (one->rows > 0 && one->evidence.rows == 0 && report->error == NULL) {
        *reason = apr_psprintf(one->pool, "none of the %ld rows is good: %s", one->rows,
                               one->first_error);
        return APR_EGENERAL;
    }
    if (!states_rows(report)) {
        return APR_SUCCESS;
    }
    if (!dsc_piece_is_there(&one->package.table.piece)) {
        one->has_stored = 1;
        rv = dsc_holdings_stored_rows(one->loader, report, measure_row, one, &one->rows_hash);
    }
    if (rv != APR_SUCCESS || one->rows >= atol(report->entry_total)) {
        return rv;
    }
    *reason = one->rows == 0 && one->has_stored
                  ? apr_psprintf(one->pool,
                                 "the cover states %s rows, and neither is an information table "
                                 "beside it nor are rows of %s loaded",
                                 report->entry_total, report->accession)
                  : apr_psprintf(one->pool,
                                 "the information table has %ld of the %s rows that the cover "
                                 "states: it may be cut",
                                 one->rows, report->entry_total);
    return APR_EGENERAL;
}

/* What other files of the transaction are distinguished by: reports of other managers, which
 * neither find nor change the rows of this one. A cover or a table alone is merged alone. */
static apr_status_t meet(dsc_loader_t *loader, const dsc_holdings_package_t *package)
{
    const dsc_holdings_report_t *report = package->report;
    apr_status_t rv;

    if (package->submission == NULL || report->cik == NULL) {
        return dsc_loader_alone(loader);
    }
    rv = dsc_loader_meets(loader,
                          apr_pstrcat(dsc_loader_file_pool(loader), "manager ", report->cik, NULL));
    if (rv == APR_SUCCESS) {
        rv = dsc_loader_meets(loader, report->digest);
    }
    return rv == APR_SUCCESS ? dsc_loader_meets(loader, report->accession) : rv;
}

/* The rows are read before anything is staged: a table that is cut off fails whole. */
apr_status_t dsc_load_holdings_report(dsc_loader_t *loader, const dsc_import_file_t *file,
                                      const dsc_holdings_package_t *package, const char **reason)
{
    report_t one = {.loader = loader, .pool = dsc_loader_file_pool(loader), .package = *package};
    apr_status_t rv = APR_SUCCESS;

    apr_pool_create(&one.each, one.pool);
    one.seen = apr_hash_make(one.pool);
    one.cusips = apr_array_make(one.pool, 64, sizeof(const char *));
    if (dsc_piece_is_there(&one.package.table.piece)) {
        rv = dsc_holdings_table_read(one.pool, &one.package.table, measure_row, &one, reason);
    }
    if (rv == APR_SUCCESS) {
        rv = meet(loader, package);
    }
    if (rv == APR_SUCCESS) {
        rv = dsc_holdings_identify(loader, file->name, &one.package.report, reason);
    }
    if (rv == APR_SUCCESS) {
        rv = check_rows(&one, reason);
    }
    return rv == APR_SUCCESS ? store_report(&one, reason) : rv;
}
