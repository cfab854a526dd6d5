/* A Form 13F report as records: datasets institution_report and institution_position. */
#include "sources/sec_13f/holdings_record.h"

#include "datasets/datasets.h"
#include "engine/decimal_multiply.h"
#include "loader/loader_value.h"
#include "loader/named_document.h"
#include "sources/shared/filing_record.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *column, *text;
} value_t;

static void set_values(const dsc_dataset_t *dataset, const char **values, const value_t *list,
                       int count)
{
    int i;

    for (i = 0; i < count; i++) {
        dsc_load_set(dataset, values, list[i].column, list[i].text);
    }
}

static void fill_record(apr_pool_t *pool, const dsc_holdings_report_t *report,
                        dsc_load_record_t *record)
{
    memset(record, 0, sizeof(*record));
    record->cik = report->cik;
    /* Without a cover there is none (holdings_identity.c). */
    record->issuer_name =
        strncmp(report->manager_name, "CIK ", 4) == 0 ? NULL : report->manager_name;
    record->known_at = report->known_at;
    record->known_on = report->known_on;
    record->provenance.provider = "sec";
    record->provenance.accession = report->accession;
    record->provenance.url = dsc_filing_url(pool, report->cik, report->accession, NULL);
}

/* If nothing states it, the day on which the report counts as known. */
static const char *filing_date(const dsc_holdings_report_t *report)
{
    return report->filed_on != NULL ? report->filed_on : report->known_on;
}

/* Until the unit is confirmed: the securities whose prices in other reports would confirm it. */
static const char *unconfirmed_cusips(apr_pool_t *pool, const dsc_scale_evidence_t *evidence,
                                      const dsc_scale_t *scale)
{
    const char *cusips[DSC_SCALE_SAMPLES];
    int i;

    for (i = 0; i < evidence->securities; i++) {
        cusips[i] = evidence->cusips[i];
    }
    return scale->confirmed || evidence->securities == 0
               ? NULL
               : dsc_texts_literal(pool, evidence->securities, cusips);
}

apr_status_t dsc_add_holdings_report(dsc_loader_t *loader, apr_pool_t *pool,
                                     const dsc_holdings_report_t *report,
                                     const dsc_scale_evidence_t *evidence, const dsc_scale_t *scale)
{
    const dsc_dataset_t *dataset = &dsc_dataset_institution_report;
    const char **values = dsc_load_values(pool, dataset);
    const value_t list[] = {
        {"form", report->form},
        {"report_type", report->report_type},
        {"period_of_report", report->period},
        {"filing_date", filing_date(report)},
        {"amendment_type", report->amendment_type},
        {"amendment_number", report->amendment_number},
        {"manager_name", report->manager_name},
        {"file_number", report->file_number},
        {"confidential_omitted", report->confidential_omitted},
        {"other_managers", report->other_managers},
        {"table_entry_total", report->entry_total},
        {"table_value_total", report->value_total},
        {"value_factor", scale->row_factor},
        {"total_factor", scale->total_factor},
        {"value_scale", scale->name},
        {"value_scale_reason", scale->reason},
        {"scale_compared", scale->is_compared ? "t" : "f"},
        {"unconfirmed_cusips", unconfirmed_cusips(pool, evidence, scale)},
        {"dated_by", report->dated_by},
    };
    dsc_load_record_t record;
    apr_status_t rv;

    if (report->error != NULL) {
        return dsc_loader_reject(loader, report->location, report->error, report->sample);
    }
    fill_record(pool, report, &record);
    record.location = report->location;
    record.record_key = report->accession;
    record.provenance.content_hash = report->content_hash;
    set_values(dataset, values, list, DSC_COUNT(list));
    record.values = values;
    if ((rv = dsc_name_document(loader, report->digest, report->accession, 0)) != APR_SUCCESS) {
        return rv;
    }
    return dsc_loader_add(loader, dataset, &record);
}

/* The row's values; the value itself in dollars. */
static const char **holding_values(apr_pool_t *pool, const dsc_holdings_report_t *report,
                                   const dsc_scale_t *scale, const dsc_holding_t *row)
{
    const dsc_dataset_t *dataset = &dsc_dataset_institution_position;
    const char **values = dsc_load_values(pool, dataset);
    int is_as_filed = strcmp(scale->row_factor, "1") == 0;
    const char *value =
        is_as_filed ? row->value : dsc_decimal_multiply(pool, row->value, scale->row_factor);
    const value_t list[] = {
        {"period_of_report", report->period},
        {"filing_date", filing_date(report)},
        {"row_number", apr_ltoa(pool, row->number)},
        {"issuer_title", row->issuer_title},
        {"class_title", row->class_title},
        {"cusip", row->cusip},
        {"figi", row->figi},
        {"value", value},
        {"value_as_filed", row->value},
        {"value_scale", is_as_filed ? NULL : scale->name},
        {"shares_type", row->amount_type},
        {strcmp(row->amount_type, "PRN") == 0 ? "principal_amount" : "shares", row->amount},
        {"put_call", row->put_call},
        {"investment_discretion", row->discretion},
        {"other_managers", row->other_managers},
        {"voting_sole", row->voting_sole},
        {"voting_shared", row->voting_shared},
        {"voting_none", row->voting_none},
    };

    set_values(dataset, values, list, DSC_COUNT(list));
    return values;
}

apr_status_t dsc_add_holding(dsc_loader_t *loader, apr_pool_t *pool,
                             const dsc_holdings_report_t *report, const dsc_scale_t *scale,
                             const char *content_hash, const dsc_holding_t *row)
{
    dsc_load_record_t record;

    if (row->error != NULL || report->error != NULL) {
        return dsc_loader_reject(loader, row->location,
                                 row->error != NULL ? row->error : "its report is rejected",
                                 row->error != NULL ? row->sample : report->accession);
    }
    fill_record(pool, report, &record);
    record.location = row->location;
    record.record_key = apr_psprintf(pool, "%s/%ld", report->accession, row->number);
    record.provenance.content_hash = content_hash;
    record.values = holding_values(pool, report, scale, row);
    return dsc_loader_add(loader, &dsc_dataset_institution_position, &record);
}

apr_status_t dsc_compare_value_scales(dsc_loader_t *loader, const char *periods, const char *cusips)
{
    const char *parameters[] = {periods, cusips};

    return dsc_loader_after_together(loader,
                                     "SELECT dataset, changed_issuer, place"
                                     " FROM disclosed.compare_value_scales_of_files($1, $2)",
                                     2, parameters);
}

/* ------------------------------------------------------------------------- remarks */

/* The rows in dollars less the stated total in dollars; NULL if one of them is not known. */
static const char *difference(apr_pool_t *pool, const dsc_holdings_report_t *report,
                              const dsc_scale_evidence_t *evidence, const dsc_scale_t *scale)
{
    const char *sum = dsc_holdings_sum_text(pool, &evidence->sum);
    dsc_holdings_sum_t result = {0, 0, 0};

    if (sum == NULL || report->value_total == NULL) {
        return NULL;
    }
    dsc_holdings_add(&result, dsc_decimal_multiply(pool, sum, scale->row_factor));
    dsc_holdings_add(&result,
                     dsc_decimal_multiply(pool, apr_pstrcat(pool, "-", scale->total_factor, NULL),
                                          report->value_total));
    return dsc_holdings_sum_text(pool, &result);
}

static const char *add_remark(apr_pool_t *pool, const char *remarks, const char *remark)
{
    return remarks == NULL ? remark : apr_pstrcat(pool, remarks, "; ", remark, NULL);
}

const char *dsc_holdings_remark(apr_pool_t *pool, const dsc_holdings_report_t *report,
                                const dsc_scale_evidence_t *evidence, const dsc_scale_t *scale)
{
    const char *more = difference(pool, report, evidence, scale), *remarks = NULL;
    long stated = report->entry_total == NULL ? evidence->rows : atol(report->entry_total);

    if (scale->is_correction) {
        remarks = apr_psprintf(pool, "values are %s: %s", scale->name, scale->reason);
    } else if (!scale->confirmed && evidence->securities >= DSC_SCALE_SAMPLES) {
        remarks = apr_psprintf(pool, "values are taken as %s, not confirmed: %s", scale->name,
                               scale->reason);
    }
    if (more != NULL && strcmp(more, "0") != 0) {
        remarks = add_remark(
            pool, remarks,
            apr_psprintf(pool, "the rows amount to %s USD %s than the summary page states",
                         *more == '-' ? more + 1 : more, *more == '-' ? "less" : "more"));
    }
    if (stated != evidence->rows) {
        remarks = add_remark(pool, remarks,
                             apr_psprintf(pool, "the summary page states %ld rows, %ld are good",
                                          stated, evidence->rows));
    }
    if (evidence->bad_cusips > 0) {
        remarks =
            add_remark(pool, remarks,
                       apr_psprintf(pool,
                                    "%ld CUSIPs fail their check digit and are kept as filed: "
                                    "%s%s",
                                    evidence->bad_cusips, evidence->bad_cusip,
                                    evidence->bad_cusips > 1 ? ", ..." : ""));
    }
    return remarks == NULL ? NULL : apr_pstrcat(pool, report->accession, ": ", remarks, NULL);
}
