/* Importer of Form N-PORT: a fund's report and its holdings (Rule 30b1-9 under the Investment Company
 * Act).
 *
 * Which record a report is: its accession number, and for a document that comes without one the digest
 * of its content. When the same content has an accession number too, now or later, that one stands
 * (sql: fund_timeline). A holding is its report and its place in it. */
#include "sources/importers.h"
#include "sources/sec_nport/nport_document.h"
#include "sources/sec_nport/nport_submission.h"
#include "sources/shared/ownership_submission.h"

#include "datasets/datasets.h"
#include "loader/loader_value.h"
#include "loader/named_document.h"
#include "sources/shared/filing_record.h"
#include "sources/shared/xml_submission.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

static const apr_uint64_t largest_file = (apr_uint64_t)4 << 30;

enum {
    DIGEST_DIGITS = 32 /* of the content hash, in record keys */
};

/* What is the same for all records of a report. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_nport_submission_t *submission;
    const dsc_nport_report_t *report;
    const char *accession; /* NULL: none known */
    const char *known_at;
    const char *record_key;
} load_t;

int dsc_accept_sec_nport(const char *name)
{
    return dsc_is_xml_submission_name(name);
}

/* The accession number and when the report was public, as is best known. Taking what is known already
 * keeps a second import from changing anything. */
static apr_status_t identify(load_t *load, const char *file_name)
{
    static const char sql[] =
        "SELECT accession, to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
        " FROM disclosed.date_of_fund_report($1, $2, $3, $4, $5, $6, $7)";
    const dsc_xml_submission_t *submission = &load->submission->filed;
    const char *parameters[] = {load->report->cik,
                                submission->accession
                                    ? submission->accession
                                    : dsc_accession_of_name(load->pool, file_name),
                                submission->digest,
                                submission->accepted_at,
                                submission->filed_on,
                                load->report->report_date,
                                load->report->signed_on};
    PGresult *result;
    apr_status_t status =
        dsc_loader_query(load->loader, sql, DSC_COUNT(parameters), parameters, &result);

    if (status != APR_SUCCESS) {
        return status;
    }
    if (!PQgetisnull(result, 0, 0)) {
        load->accession = apr_pstrdup(load->pool, PQgetvalue(result, 0, 0));
    }
    load->known_at = apr_pstrdup(load->pool, PQgetvalue(result, 0, 1));
    PQclear(result);
    load->record_key = load->accession ? load->accession
                                       : apr_pstrmemdup(load->pool, submission->digest,
                                                        strlen("sha256:") + DIGEST_DIGITS);
    return APR_SUCCESS;
}

/* -------------------------------------------------------------------- records */

typedef struct {
    const char *column, *text;
} value_t;

/* Adds a record of the report's registrant; `pool` may be cleared afterwards. */
static apr_status_t add(const load_t *load, apr_pool_t *pool, const dsc_dataset_t *dataset,
                        const char *location, const char *key, const value_t *list, int count)
{
    const char **values = dsc_load_values(pool, dataset);
    dsc_load_record_t record;

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
    if (load->accession) {
        record.provenance.url = dsc_filing_url(pool, load->report->cik, load->accession, NULL);
    }
    record.values = values;
    return dsc_loader_add(load->loader, dataset, &record);
}

static apr_status_t add_report(const load_t *load)
{
    const dsc_nport_report_t *report = load->report;
    const value_t list[] = {
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
        {"net_assets", report->net_assets},
        {"total_assets", report->total_assets},
        {"total_liabilities", report->total_liabilities},
        {"filed_on", load->submission->filed.filed_on},
        {"accepted_at", load->submission->filed.accepted_at},
    };

    return add(load, load->pool, &dsc_dataset_fund, "genInfo", load->record_key, list,
               DSC_COUNT(list));
}

static apr_status_t add_holding(void *baton, apr_pool_t *pool, const dsc_nport_holding_t *holding)
{
    const load_t *load = baton;
    const value_t list[] = {
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
    return add(load, pool, &dsc_dataset_fund_holding, holding->location,
               apr_psprintf(pool, "%s/%ld", load->record_key, holding->number), list,
               DSC_COUNT(list));
}

static const char *upper(apr_pool_t *pool, const char *text)
{
    char *copy = apr_pstrdup(pool, text);

    for (char *at = copy; at && *at; at++) {
        *at = (char)apr_toupper(*at);
    }
    return copy;
}

/* The header names classes whose series may be others', in submissions for several series. */
static apr_status_t add_classes(const load_t *load)
{
    const apr_array_header_t *classes = load->submission->classes;
    apr_status_t status = APR_SUCCESS;

    for (int i = 0; i < classes->nelts && status == APR_SUCCESS; i++) {
        const dsc_nport_class_t *class = &APR_ARRAY_IDX(classes, i, dsc_nport_class_t);
        const value_t list[] = {
            {"class_id", class->class_id},
            {"series_id", class->series_id},
            {"name", class->name},
            {"ticker", upper(load->pool, class->ticker)},
        };

        status = add(load, load->pool, &dsc_dataset_fund_class,
                     apr_pstrcat(load->pool, "header: class ", class->class_id, NULL),
                     class->class_id, list, DSC_COUNT(list));
    }
    return status;
}

/* What the header tells of the time goes to what is stored of the report without. */
static apr_status_t tell_dates(const load_t *load)
{
    const char *parameters[] = {load->accession, load->submission->filed.filed_on,
                                load->submission->filed.accepted_at};

    return load->submission->filed.filed_on == NULL && load->submission->filed.accepted_at == NULL
               ? APR_SUCCESS
               : dsc_loader_before_merge(load->loader,
                                         "SELECT dataset, changed_issuer"
                                         " FROM disclosed.tell_fund_report_dates($1, $2, $3)",
                                         DSC_COUNT(parameters), parameters);
}

/* Tells the operator, in the run's message, what the holdings come to beside the stated assets; and at
 * the terminal as well, which of them are of nobody who is listed. */
static apr_status_t note_totals(const load_t *load)
{
    static const char sql[] =
        "UPDATE disclosed.import_run SET message = disclosed.totals_of_fund_report($1, $2)"
        " WHERE status = 'running'";
    const char *parameters[] = {load->report->cik, load->record_key};

    apr_status_t status =
        dsc_loader_after_merge(load->loader, sql, DSC_COUNT(parameters), parameters);

    return status == APR_SUCCESS
               ? dsc_loader_note_after(load->loader, "SELECT disclosed.unlisted_holdings($1, $2)",
                                       DSC_COUNT(parameters), parameters)
               : status;
}

apr_status_t dsc_load_sec_nport(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    load_t load = {loader, pool, NULL, NULL, NULL, NULL, NULL};
    dsc_nport_submission_t submission;
    const dsc_spool_t *spool = dsc_spool_file(pool, file, largest_file, reason);
    dsc_piece_t whole;
    apr_status_t status;

    if (!spool) {
        return APR_EGENERAL;
    }
    whole = dsc_spool_piece(spool);
    if (!dsc_nport_find(pool, &whole, &submission, reason)) {
        return APR_EGENERAL;
    }
    load.submission = &submission;
    load.report = dsc_nport_parse(pool, &submission.filed.xml, submission.filed.first_line, reason);
    if (!load.report) {
        return APR_EGENERAL;
    }
    if ((status = identify(&load, file->name)) != APR_SUCCESS ||
        (status = tell_dates(&load)) != APR_SUCCESS ||
        (status = add_report(&load)) != APR_SUCCESS ||
        (status = add_classes(&load)) != APR_SUCCESS ||
        (status = dsc_nport_walk(pool, &submission.filed.xml, submission.filed.first_line,
                                 add_holding, &load, reason)) != APR_SUCCESS) {
        return status;
    }
    status = dsc_name_document(loader, submission.filed.digest, load.accession);
    return status == APR_SUCCESS ? note_totals(&load) : status;
}
