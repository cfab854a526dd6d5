#include "datasets/datasets.h"
#include "engine/problem.h"
#include "engine/query.h"

#include <apr_strings.h>
#include <stdlib.h>

/* Columns of the company reference's select list. */
enum {
    SYMBOL,
    TICKER,
    MARKET,
    NAME,
    CIK,
    ISIN,
    FIGI,
    ISSUER_ID
};

static const char *padded_cik(apr_pool_t *pool, const char *digits)
{
    return digits ? apr_psprintf(pool, "%010" APR_INT64_T_FMT, (apr_int64_t)atoll(digits)) : NULL;
}

void dsc_refuse_company(dsc_call_t *call, const char *symbol)
{
    dsc_call_problem(call, 404, apr_psprintf(call->pool, dsc_endpoint_company.not_found, symbol));
}

int dsc_find_company(dsc_call_t *call, const char *symbol)
{
    static const char tail[] =
        "listing t JOIN issuer i ON i.issuer_id = t.issuer_id"
        " LEFT JOIN issuer_profile p ON p.issuer_id = t.issuer_id AND {now:p}{source:p}"
        " WHERE t.record_key = " DSC_SYMBOL_LISTING " AND {now:t}";
    dsc_company_t *company = &call->company;
    dsc_result_t *row;

    if (!dsc_call_select_shape(call, &dsc_shape_company, tail, "text", symbol, &row)) {
        return 0;
    }
    if (!dsc_result_next(row)) {
        dsc_refuse_company(call, symbol);
        return 0;
    }
    company->symbol = dsc_result_text(row, SYMBOL);
    company->ticker = dsc_result_text(row, TICKER);
    company->market = dsc_result_text(row, MARKET);
    company->name = dsc_result_text(row, NAME);
    company->cik = padded_cik(call->pool, dsc_result_printed(call->pool, row, CIK));
    company->isin = dsc_result_text(row, ISIN);
    company->figi = dsc_result_text(row, FIGI);
    company->issuer_id = atoll(dsc_result_printed(call->pool, row, ISSUER_ID));
    return 1;
}

/* What symbols mean; "?" are all of them. */
static const dsc_shape_t meant_shape =
    SHAPE("MeantIssuers", "",
          TEXT("issuers",
               "coalesce(array_agg(DISTINCT l.issuer_id) FILTER (WHERE l.issuer_id IS NOT NULL),"
               " '{}')::text",
               ""),
          TEXT("unknown",
               "(array_agg(s.symbol ORDER BY s.place) FILTER (WHERE l.issuer_id IS NULL))[1]", "",
               NULLABLE));

int dsc_find_issuers(dsc_call_t *call, const apr_array_header_t *symbols, const char **issuers,
                     const char **unknown)
{
    static const char tail[] =
        "unnest(?) WITH ORDINALITY s(symbol, place) LEFT JOIN LATERAL ("
        "SELECT k.issuer_id FROM listing k WHERE {now:k} AND k.ticker = s.symbol"
        " UNION ALL SELECT k.issuer_id FROM listing k WHERE {now:k} AND k.record_key = s.symbol)"
        " l ON true";
    dsc_result_t *row;
    if (!dsc_call_select_shape(call, &meant_shape, tail, "text[]",
                               dsc_array_literal(call->pool, symbols), &row)) {
        return 0;
    }
    if (!dsc_result_next(row)) {
        dsc_call_problem(call, 500, NULL);
        return 0;
    }
    *issuers = dsc_result_text(row, 0);
    *unknown = dsc_result_text(row, 1);
    return 1;
}
