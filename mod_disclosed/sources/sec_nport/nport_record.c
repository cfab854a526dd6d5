#include "sources/sec_nport/nport_record.h"

#include "datasets/datasets.h"
#include "engine/shape.h"
#include "loader/loader_value.h"
#include "sources/shared/filing_record.h"

#include <apr_strings.h>
#include <string.h>

apr_status_t dsc_nport_add(const dsc_nport_load_t *load, apr_pool_t *pool,
                           const dsc_dataset_t *dataset, const char *location, const char *key,
                           const char *content_hash, const dsc_nport_value_t *list, int count)
{
    const char **values = dsc_load_values(pool, dataset);
    dsc_load_record_t record;

    if (load->is_rejected) {
        return dsc_loader_reject(load->loader, location, "its report is rejected", NULL);
    }
    for (int i = 0; i < count; i++) {
        dsc_load_set(dataset, values, list[i].column, list[i].text);
    }
    memset(&record, 0, sizeof record);
    record.location = location;
    record.cik = load->report->cik;
    record.issuer_name = load->report->registrant_name;
    record.record_key = key;
    record.known_at = load->known_at;
    record.provenance.provider = "sec";
    record.provenance.accession = load->accession;
    record.provenance.content_hash = content_hash;
    if (load->accession) {
        record.provenance.url = dsc_filing_url(pool, load->report->cik, load->accession, NULL);
    }
    record.values = values;
    return dsc_loader_add(load->loader, dataset, &record);
}

static int is_series_id(const char *text)
{
    return *text == 'S' && strlen(text) == 10 && strspn(text + 1, "0123456789") == 9;
}

apr_status_t dsc_nport_add_report(dsc_nport_load_t *load, const char *location)
{
    long long rejected = dsc_loader_rejected(load->loader);
    const dsc_nport_report_t *report = load->report;
    const dsc_nport_value_t list[] = {
        {"fund_key", report->series_id ? report->series_id : "registrant"},
        {"name", report->series_name ? report->series_name : report->registrant_name},
        {"registrant_name", report->registrant_name},
        {"series_id", report->series_id},
        {"class_ids", dsc_text_array(load->pool, report->class_ids)},
        {"file_number", report->file_number},
        {"registrant_lei", report->registrant_lei},
        {"series_lei", report->series_lei},
        {"form", report->form},
        {"fiscal_year_end", report->fiscal_year_end},
        {"report_date", report->report_date},
        {"is_final", report->is_final},
        {"signed_on", report->signed_on},
        {"net_assets", report->net_assets},
        {"total_assets", report->total_assets},
        {"total_liabilities", report->total_liabilities},
        {"filed_on", load->filed_on},
        {"accepted_at", load->accepted_at},
    };
    apr_status_t status =
        report->series_id && !is_series_id(report->series_id)
            ? dsc_loader_reject(load->loader, location, "series_id: not S and nine digits",
                                report->series_id)
            : dsc_nport_add(load, load->pool, &dsc_dataset_fund, location, load->record_key, NULL,
                            list, DSC_COUNT(list));

    load->is_rejected = dsc_loader_rejected(load->loader) > rejected;
    return status;
}

/* What the table would refuse is rejected before the merge, where data sets' holdings have not yet
 * given way. */
static int is_level(const char *text)
{
    return !text || (strlen(text) == 1 && strchr("123", *text));
}

apr_status_t dsc_nport_add_holding(const dsc_nport_load_t *load, apr_pool_t *pool,
                                   const dsc_nport_holding_t *holding)
{
    const dsc_nport_value_t list[] = {
        {"report_key", load->record_key},
        {"row_number", apr_ltoa(pool, holding->number)},
        {"name", holding->name},
        {"title", holding->title},
        {"lei", holding->lei},
        {"cusip", holding->cusip},
        {"isin", holding->isin},
        {"ticker", holding->ticker},
        {"other_identifiers", holding->other_identifiers},
        {"balance", holding->balance},
        {"unit", holding->unit},
        {"unit_description", holding->unit_description},
        {"currency", holding->currency},
        {"exchange_rate", holding->exchange_rate},
        {"value", holding->value},
        {"weight_pct", holding->weight_pct},
        {"payoff_profile", holding->payoff_profile},
        {"asset_category", holding->asset_category},
        {"asset_description", holding->asset_description},
        {"issuer_category", holding->issuer_category},
        {"issuer_description", holding->issuer_description},
        {"country", holding->country},
        {"is_restricted", holding->is_restricted},
        {"fair_value_level", holding->fair_value_level},
        {"derivative_category", holding->derivative_category},
    };

    if (holding->error) {
        return dsc_loader_reject(load->loader, holding->location, holding->error, holding->sample);
    }
    if (!is_level(holding->fair_value_level)) {
        return dsc_loader_reject(load->loader, holding->location,
                                 "fair_value_level: not one of 1, 2, 3", holding->fair_value_level);
    }
    return dsc_nport_add(load, pool, &dsc_dataset_fund_holding, holding->location,
                         apr_psprintf(pool, "%s/%ld", load->record_key, holding->number),
                         load->rows_hash, list, DSC_COUNT(list));
}
