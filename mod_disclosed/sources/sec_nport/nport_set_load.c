/* Loading a data set of Form N-PORT. */
#include "sources/sec_nport/nport_set.h"

#include "datasets/datasets.h"
#include "engine/shape.h"
#include "loader/loader_value.h"
#include "sources/sec_nport/nport_precedence.h"
#include "sources/sec_nport/nport_record.h"

#include <apr_strings.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const dsc_report_tables_t *tables;
    apr_array_header_t *accessions, *filed; /* of the reports so far: const char * */
    dsc_nport_wholes_t wholes;
    long documented, passed_over; /* reports of which the document is loaded, their lines */
} set_t;

/* When the report was public, whether its document is loaded, whether it is, or holdings of it, and
 * how many identifiers those have at whose places the set has holdings. */
static apr_status_t date_report(dsc_nport_load_t *load, int *has_document, int *identifiers)
{
    static const char sql[] =
        "SELECT to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'),"
        " EXISTS (SELECT 1 FROM disclosed.named_document n WHERE n.accession = $2),"
        " EXISTS (SELECT 1 FROM disclosed.fund f WHERE f.accession = $2)"
        " OR EXISTS (SELECT 1 FROM disclosed.issuer i JOIN disclosed.fund_holding h USING (issuer_id)"
        " WHERE i.cik = $1 AND h.report_key = $2),"
        " (SELECT coalesce(sum(one.identifiers), 0) FROM (SELECT max(num_nonnulls(h.isin, h.ticker)"
        " + coalesce(jsonb_array_length(h.other_identifiers), 0)) AS identifiers"
        " FROM disclosed.issuer i JOIN disclosed.fund_holding h USING (issuer_id)"
        " WHERE i.cik = $1 AND h.report_key = $2 AND h.left_out IS NOT TRUE"
        " AND h.superseded_at IS DISTINCT FROM h.known_at AND h.row_number <= $5"
        " GROUP BY h.record_key) one)"
        " FROM disclosed.date_of_fund_report($1, $2, NULL, NULL, $3, $4, NULL)";
    const char *parameters[] = {load->report->cik, load->accession, load->filed_on,
                                load->report->report_date,
                                apr_psprintf(load->pool, "%ld", load->report->holding_count)};
    PGresult *result;
    apr_status_t status =
        dsc_loader_repeat(load->loader, sql, DSC_COUNT(parameters), parameters, &result);

    if (status == APR_SUCCESS) {
        load->known_at = apr_pstrdup(load->pool, PQgetvalue(result, 0, 0));
        *has_document = *PQgetvalue(result, 0, 1) == 't';
        load->is_stored = *PQgetvalue(result, 0, 2) == 't';
        *identifiers = atoi(PQgetvalue(result, 0, 3));
        PQclear(result);
    }
    return status;
}

static int count_list(const char *text)
{
    json_t *list = text ? json_loads(text, 0, NULL) : NULL;
    int count = (int)json_array_size(list);

    json_decref(list);
    return count;
}

/* How many identifiers the holdings of the report have. */
static int count_identifiers(apr_pool_t *pool, const dsc_nport_set_report_t *report)
{
    int next = 0, count = 0;
    apr_pool_t *each;

    apr_pool_create(&each, pool);
    for (int i = 0; i < report->holdings->nelts; i++) {
        dsc_nport_holding_t holding;

        dsc_nport_set_holding(each, report, i, &next, &holding);
        count += (holding.isin != NULL) + (holding.ticker != NULL) +
                 count_list(holding.other_identifiers);
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
    return count;
}

/* Why a report is no good whose holdings have fewer identifiers than are stored: IDENTIFIERS may be
 * cut there. NULL: it is. */
static const char *cut_error(const set_t *set, apr_pool_t *pool, const dsc_tables_report_t *entry,
                             const dsc_nport_set_report_t *report, int stored)
{
    int count;

    if (stored == 0 || dsc_report_tables_goes_on(set->tables, DSC_NPORT_TABLE_IDENTIFIERS, entry) ||
        (count = count_identifiers(pool, report)) >= stored) {
        return NULL;
    }
    return apr_psprintf(
        pool,
        "IDENTIFIERS.tsv is cut or ends there: it has %d identifiers of its holdings, "
        "and %d are stored",
        count, stored);
}

static apr_status_t add_holdings(const dsc_nport_load_t *load, const dsc_nport_set_report_t *report)
{
    apr_status_t status = APR_SUCCESS;
    apr_pool_t *each;
    int next = 0;

    apr_pool_create(&each, load->pool);
    for (int i = 0; i < report->holdings->nelts && status == APR_SUCCESS; i++) {
        dsc_nport_holding_t holding;

        dsc_nport_set_holding(each, report, i, &next, &holding);
        status = dsc_nport_add_holding(load, each, &holding);
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
    return status;
}

/* Adds a report with its holdings. */
static apr_status_t add_report(set_t *set, dsc_nport_load_t *load,
                               const dsc_nport_set_report_t *report, const char *location)
{
    long long rejected = dsc_loader_rejected(load->loader), before;
    apr_status_t status = dsc_nport_add_report(load, location);
    int is_whole;

    before = dsc_loader_staged(load->loader);

    status = status == APR_SUCCESS ? add_holdings(load, report) : status;
    if (status != APR_SUCCESS || load->is_rejected) {
        return status;
    }
    rejected = dsc_loader_rejected(load->loader) - rejected;
    is_whole = rejected == 0 && dsc_report_tables_are_whole(set->tables);
    dsc_nport_wholes_add(&set->wholes, load, dsc_loader_staged(load->loader) > before,
                         is_whole || rejected > 0 ? rejected : 1);
    return is_whole && load->is_stored ? dsc_loader_whole_of_set(load->loader, &dsc_dataset_fund,
                                                                 load->report->cik, load->accession)
                                       : APR_SUCCESS;
}

static apr_status_t load_report(set_t *set, apr_pool_t *pool, const dsc_tables_report_t *report,
                                const char **reason)
{
    apr_array_header_t *lines = dsc_report_tables_lines(set->tables, pool, report, reason);
    dsc_nport_load_t load = {.loader = set->loader, .pool = pool};
    dsc_nport_set_report_t *read;
    const char *error = NULL;
    apr_status_t status;
    int has_document, identifiers;

    if (!lines) {
        return APR_EGENERAL;
    }
    error = dsc_report_tables_damage(set->tables, pool, report, lines);
    read = error ? NULL : dsc_nport_set_read(pool, lines, &error);
    if (!read) {
        return dsc_report_tables_reject(set->loader, lines, report->accession, error);
    }
    load.report = &read->report;
    load.accession = load.record_key = report->accession;
    load.filed_on = read->filed_on;
    load.rows_hash = dsc_report_tables_hash(set->tables, DSC_NPORT_TABLE_HOLDINGS);
    if ((status = date_report(&load, &has_document, &identifiers)) != APR_SUCCESS) {
        return status;
    }
    error = has_document ? NULL : cut_error(set, pool, report, read, identifiers);
    if (error) {
        return dsc_report_tables_reject(set->loader, lines, report->accession, error);
    }
    APR_ARRAY_PUSH(set->accessions, const char *) = report->accession;
    APR_ARRAY_PUSH(set->filed, const char *) = apr_pstrdup(set->pool, read->filed_on);
    if (has_document) {
        set->documented++;
        set->passed_over += lines->nelts;
        return APR_SUCCESS;
    }
    return add_report(set, &load, read, APR_ARRAY_IDX(lines, 0, dsc_table_line_t).location);
}

/* The days of filing go to what is stored of the reports without. */
static apr_status_t store_dates(const set_t *set)
{
    static const char sql[] =
        "SELECT d.dataset, d.changed_issuer FROM unnest($1::text[], $2::date[])"
        " AS r(accession, filed_on) CROSS JOIN LATERAL"
        " disclosed.tell_fund_report_dates(r.accession, r.filed_on, NULL) d";
    const char *parameters[] = {dsc_text_array(set->pool, set->accessions),
                                dsc_text_array(set->pool, set->filed)};

    return set->accessions->nelts > 0
               ? dsc_loader_before_merge(set->loader, sql, DSC_COUNT(parameters), parameters)
               : APR_SUCCESS;
}

apr_status_t dsc_load_nport_set(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason)
{
    set_t set = {.loader = loader, .pool = dsc_loader_file_pool(loader)};
    apr_status_t status = dsc_data_set_lock(loader, DSC_NPORT_LOCK, 1);
    const apr_array_header_t *reports;
    apr_pool_t *each;

    if (status != APR_SUCCESS) {
        return status;
    }
    set.tables =
        dsc_report_tables_read(loader, file, dsc_nport_tables, DSC_NPORT_TABLES, &status, reason);
    if (!set.tables) {
        return status;
    }
    reports = dsc_report_tables_list(set.tables);
    set.accessions = apr_array_make(set.pool, 1024, sizeof(const char *));
    set.filed = apr_array_make(set.pool, 1024, sizeof(const char *));
    dsc_nport_wholes_init(&set.wholes, set.pool);
    apr_pool_create(&each, set.pool);
    for (int i = 0; i < reports->nelts && status == APR_SUCCESS; i++) {
        status = load_report(&set, each, &APR_ARRAY_IDX(reports, i, dsc_tables_report_t), reason);
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
    if (set.documented > 0) {
        dsc_loader_may_be_empty(loader);
        dsc_loader_note(loader,
                        apr_psprintf(set.pool,
                                     "%ld reports are loaded from their documents, which stand: "
                                     "their %ld lines are passed over",
                                     set.documented, set.passed_over));
    }
    status = status == APR_SUCCESS ? store_dates(&set) : status;
    return status == APR_SUCCESS ? dsc_nport_end_left_out(loader, &set.wholes) : status;
}
