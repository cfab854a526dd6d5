/* What a file says of when reports were filed, and what all files say of it together: see
 * congress_date_lines() in sql/0019_congress_dates.sql. */
#include "sources/congress/congress_statement.h"

#include "loader/loader_value.h"
#include "sources/congress/congress_identity.h"
#include "sources/congress/congress_report.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER,
    FILING_DATE,
    BASIS,
    KNOWN_AT
};

static const char date_sql[] =
    "SELECT n, filing_date, basis,"
    " to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"
    " FROM disclosed.date_congress_rows($1::text, $2::timestamptz, $3::jsonb, $4::jsonb)";
static const char file_sql[] =
    "SELECT dataset, politician"
    " FROM disclosed.note_congress_copy($1::timestamptz, $2::text, $3::boolean)";
static const char take_sql[] =
    "SELECT dataset, politician, ended, resumed"
    " FROM disclosed.take_congress_copies($1::text, $2::timestamptz, $3::jsonb, $4::jsonb,"
    " $5::text, $6::boolean, $7::text[])";
static const char note_sql[] =
    "SELECT disclosed.congress_date_contradictions($1::text, ARRAY(SELECT DISTINCT s ->> 'report_id'"
    " FROM jsonb_array_elements($2::jsonb) AS s))";

/* ----------------------------------------------------------------- what the file says */

/* `kind` is one of congress_date's. */
static void add_statement(dsc_buffer_t *said, const dsc_congress_report_t *report,
                          const char *dated_as, const char *kind, const char *day)
{
    dsc_buffer_printf(said, "%c{\"kind\":\"%s\"", said->length == 0 ? '[' : ',', kind);
    dsc_congress_add_text(said, "report_id", report->id);
    dsc_congress_add_text(said, "dated_as", dated_as);
    dsc_congress_add_text(said, "filing_date", day);
    dsc_buffer_append_char(said, '}');
}

/* A report's signature is for the whole; a copy has a date with each row. If a row has none, the
 * other statements of the report's date are passed as well. */
static void add_report(dsc_buffer_t *said, const dsc_congress_report_t *report, int is_copy,
                       const char *snapshot)
{
    int i, lacks = 0;

    for (i = 0; i < report->trades->nelts; i++) {
        const dsc_congress_trade_t *trade =
            APR_ARRAY_IDX(report->trades, i, const dsc_congress_trade_t *);
        if (trade->error != NULL) {
            continue;
        }
        lacks |= trade->filed_on == NULL;
        if (trade->filed_on != NULL) {
            add_statement(said, report, is_copy ? trade->dated_as : "",
                          !is_copy                          ? "report"
                          : report->dates_are_notifications ? "notified"
                                                            : "copy",
                          trade->filed_on);
        }
    }
    if (lacks && report->bound != NULL) {
        add_statement(said, report, "", "bound", report->bound);
    }
    if (lacks && report->latest != NULL) {
        add_statement(said, report, "", "named", report->latest);
    } else if (lacks && report->bound == NULL) {
        add_statement(said, report, "", "seen", snapshot);
    }
}

static const char *statements_of(apr_pool_t *pool, const apr_array_header_t *reports, int is_copy,
                                 const char *snapshot)
{
    const char *day = apr_pstrmemdup(pool, snapshot, 10);
    dsc_buffer_t *said = dsc_buffer_create(pool, 4096);
    int i;

    for (i = 0; i < reports->nelts; i++) {
        add_report(said, APR_ARRAY_IDX(reports, i, const dsc_congress_report_t *), is_copy, day);
    }
    dsc_buffer_append_text(said, said->length == 0 ? "[]" : "]");
    return dsc_buffer_text(said);
}

/* What is known of a trade's dates, and where it is. */
static void write_date(dsc_buffer_t *row, const dsc_congress_trade_t *trade)
{
    dsc_buffer_printf(row, ",\"row_number\":%d,\"is_of_index\":%s", trade->row_number,
                      trade->is_of_index ? "true" : "false");
    dsc_congress_add_text(row, "record_key", trade->record_key);
    dsc_congress_add_text(row, "named", trade->named);
    dsc_congress_add_text(row, "dated_as", trade->dated_as);
    dsc_congress_add_text(row, "filing_date", trade->date.day);
    dsc_congress_add_text(row, "basis", trade->date.basis);
    dsc_congress_add_text(row, "known_at", trade->date.known_at);
    dsc_congress_add_text(row, "said_at", trade->said_at);
    dsc_congress_add_text(row, "known_on", trade->date.known_on);
    dsc_congress_add_text(row, "source_url", trade->address);
    dsc_congress_add_text(row, "quote", trade->quote);
}

/* ------------------------------------------------------------------------ dating */

static void take_answer(apr_pool_t *pool, const PGresult *result, int row,
                        dsc_congress_trade_t *trade)
{
    trade->date.day = apr_pstrdup(pool, PQgetvalue(result, row, FILING_DATE));
    trade->date.basis = apr_pstrdup(pool, PQgetvalue(result, row, BASIS));
    trade->date.known_at = apr_pstrdup(pool, PQgetvalue(result, row, KNOWN_AT));
    trade->date.known_on = NULL;
}

static apr_status_t ask(dsc_loader_t *loader, const apr_array_header_t *trades,
                        const char *const *parameters)
{
    PGresult *result;
    apr_status_t rv = dsc_loader_query(loader, date_sql, 4, parameters, &result);
    int i;

    for (i = 0; rv == APR_SUCCESS && i < PQntuples(result); i++) {
        take_answer(dsc_loader_file_pool(loader), result, i,
                    APR_ARRAY_IDX(trades, atoi(PQgetvalue(result, i, NUMBER)),
                                  dsc_congress_trade_t *));
    }
    if (rv == APR_SUCCESS) {
        PQclear(result);
    }
    return rv;
}

apr_status_t dsc_congress_date_by_all(dsc_loader_t *loader, int is_house, const char *read_from,
                                      const apr_array_header_t *reports,
                                      const apr_array_header_t *wholes)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    apr_array_header_t *trades = apr_array_make(pool, 256, sizeof(dsc_congress_trade_t *));
    const char *parameters[7], *file[3], *note[2];
    apr_status_t rv;

    parameters[0] = is_house ? "house" : "senate";
    parameters[1] = dsc_congress_snapshot_time(loader);
    parameters[2] = statements_of(pool, reports, strcmp(read_from, "copy") == 0, parameters[1]);
    parameters[3] = dsc_congress_rows_json(pool, reports, read_from, write_date, trades);
    if (trades->nelts == 0) {
        return APR_SUCCESS;
    }
    rv = ask(loader, trades, parameters);
    parameters[3] = dsc_congress_rows_json(pool, reports, read_from, write_date, NULL);
    parameters[4] = dsc_loader_hash_of_file;
    parameters[5] = wholes != NULL ? "t" : "f";
    parameters[6] = wholes == NULL
                        ? "{}"
                        : dsc_texts_literal(pool, wholes->nelts, (const char *const *)wholes->elts);
    file[0] = parameters[1];
    file[1] = dsc_loader_hash_of_file;
    file[2] = parameters[5];
    note[0] = parameters[0];
    note[1] = parameters[2];
    if (rv == APR_SUCCESS) {
        rv = dsc_loader_before_merge(loader, file_sql, 3, file);
    }
    if (rv == APR_SUCCESS) {
        rv = dsc_loader_after_merge(loader, take_sql, 7, parameters);
    }
    return rv == APR_SUCCESS ? dsc_loader_note_after(loader, note_sql, 2, note) : rv;
}
