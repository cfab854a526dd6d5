/* Which records the trades of a file are. */
#include "sources/congress/congress_identity.h"

#include "engine/json_writer.h"
#include "loader/loader_value.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBER,
    PARTY,
    OWNER,
    TICKER,
    ASSET_NAME,
    ASSET_TYPE,
    RECORD_KEY,
    KNOWN_AT,
    DATED_AS
};

static const char sql[] =
    "SELECT n, party, owner, ticker, asset_name, asset_type, record_key,"
    " to_char(known_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), dated_as"
    " FROM disclosed.identify_congress_trades($1::text, $2::jsonb)";

/* ----------------------------------------------------------------------- asking */

void dsc_congress_add_text(dsc_buffer_t *object, const char *name, const char *text)
{
    if (text != NULL && dsc_text_is_utf8(text)) {
        dsc_buffer_append_char(object, ',');
        dsc_json_name(object, name);
        dsc_json_text(object, text);
    }
}

static void add_trade(dsc_buffer_t *row, const dsc_congress_report_t *report,
                      const dsc_congress_trade_t *trade)
{
    dsc_congress_add_text(row, "report_id", report->id);
    dsc_congress_add_text(row, "party", trade->party);
    dsc_congress_add_text(row, "transaction_type", trade->type);
    dsc_congress_add_text(row, "transaction_date", trade->transacted_on);
    dsc_congress_add_text(row, "owner", trade->owner);
    dsc_congress_add_text(row, "ticker", trade->ticker);
    dsc_congress_add_text(row, "asset_name", trade->asset_name);
    dsc_congress_add_text(row, "asset_type", trade->asset_type);
    dsc_congress_add_text(row, "amount_range", trade->amount);
    dsc_congress_add_text(row, "comment", trade->comment);
    dsc_congress_add_text(row, "first_name", *trade->name->first ? trade->name->first : NULL);
    dsc_congress_add_text(row, "last_name", trade->name->last);
    dsc_congress_add_text(row, "political_party", trade->political_party);
    dsc_congress_add_text(row, "state_district", trade->state_district);
    dsc_congress_add_text(row, "day", trade->filed_on);
}

const char *dsc_congress_rows_json(apr_pool_t *pool, const apr_array_header_t *reports,
                                   const char *read_from, dsc_congress_tell_t tell,
                                   apr_array_header_t *trades)
{
    dsc_buffer_t *rows = dsc_buffer_create(pool, 65536);
    int i, place, number = 0;

    for (i = 0; i < reports->nelts; i++) {
        const dsc_congress_report_t *report =
            APR_ARRAY_IDX(reports, i, const dsc_congress_report_t *);
        for (place = 0; place < report->trades->nelts; place++) {
            dsc_congress_trade_t *trade =
                APR_ARRAY_IDX(report->trades, place, dsc_congress_trade_t *);
            if (trade->error != NULL || (tell != NULL && trade->record_key == NULL)) {
                continue;
            }
            dsc_buffer_printf(rows, "%c{\"n\":%d", number == 0 ? '[' : ',', number);
            dsc_congress_add_text(rows, "read_from", read_from);
            add_trade(rows, report, trade);
            if (tell != NULL) {
                tell(rows, trade);
            }
            dsc_buffer_append_char(rows, '}');
            number++;
            if (trades != NULL) {
                APR_ARRAY_PUSH(trades, dsc_congress_trade_t *) = trade;
            }
        }
    }
    dsc_buffer_append_text(rows, number == 0 ? "[]" : "]");
    return dsc_buffer_text(rows);
}

/* ----------------------------------------------------------------------- answers */

static const char *value_at(apr_pool_t *pool, const PGresult *result, int row, int column)
{
    return PQgetisnull(result, row, column) ? NULL
                                            : apr_pstrdup(pool, PQgetvalue(result, row, column));
}

static int differ(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one != other : strcmp(one, other) != 0;
}

/* What is stored in other words than the file has is quoted in the file's; of a report itself the
 * code of an asset's type verbatim. */
static void quote_difference(apr_pool_t *pool, dsc_congress_trade_t *trade, int is_copy,
                             const char *name, const char *type)
{
    const char *quote = trade->quote == NULL ? "" : trade->quote;
    const char *filed = trade->asset_as_filed == NULL ? trade->asset_name : trade->asset_as_filed;

    if (trade->asset_type != NULL && differ(trade->asset_type, type)) {
        quote = is_copy ? apr_pstrcat(pool, quote, *quote ? "; " : "",
                                      "asset_type: ", trade->asset_type, NULL)
                        : apr_pstrcat(pool, "[", trade->asset_type, "]", *quote ? "; " : "", quote,
                                      NULL);
    }
    if (filed != NULL && differ(filed, name)) {
        quote = apr_pstrcat(pool, quote, *quote ? "; " : "", "asset_description: ", filed, NULL);
    }
    trade->quote = *quote ? quote : NULL;
}

static void take_answer(const dsc_loader_t *loader, apr_pool_t *pool, const PGresult *result,
                        int row, int is_copy, dsc_congress_trade_t *trade)
{
    const char *known_at = value_at(pool, result, row, KNOWN_AT);

    quote_difference(pool, trade, is_copy, value_at(pool, result, row, ASSET_NAME),
                     value_at(pool, result, row, ASSET_TYPE));
    trade->party = value_at(pool, result, row, PARTY);
    trade->owner = value_at(pool, result, row, OWNER);
    trade->ticker = value_at(pool, result, row, TICKER);
    trade->asset_name = value_at(pool, result, row, ASSET_NAME);
    trade->asset_type = value_at(pool, result, row, ASSET_TYPE);
    trade->record_key = value_at(pool, result, row, RECORD_KEY);
    trade->dated_as = value_at(pool, result, row, DATED_AS);
    if (known_at != NULL && dsc_loader_options(loader)->known_at == NULL) {
        trade->said_at = known_at;
        trade->date.known_at = trade->date.known_at == NULL ? NULL : known_at;
    }
}

apr_status_t dsc_congress_identify(dsc_loader_t *loader, int is_house, const char *read_from,
                                   const apr_array_header_t *reports)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    apr_array_header_t *trades = apr_array_make(pool, 256, sizeof(dsc_congress_trade_t *));
    const char *parameters[2];
    PGresult *result;
    apr_status_t rv;
    int i;

    parameters[0] = is_house ? "house" : "senate";
    parameters[1] = dsc_congress_rows_json(pool, reports, read_from, NULL, trades);
    rv = dsc_loader_query(loader, sql, 2, parameters, &result);
    for (i = 0; rv == APR_SUCCESS && i < PQntuples(result); i++) {
        int number = atoi(PQgetvalue(result, i, NUMBER));
        take_answer(loader, pool, result, i, strcmp(read_from, "copy") == 0,
                    APR_ARRAY_IDX(trades, number, dsc_congress_trade_t *));
    }
    if (rv == APR_SUCCESS) {
        PQclear(result);
    }
    return rv;
}
