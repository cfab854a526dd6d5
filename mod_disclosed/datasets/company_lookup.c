#include "datasets/datasets.h"
#include "engine/problem.h"

#include <apr_strings.h>
#include <stdlib.h>

int dsc_find_company(dsc_call_t *call, const char *symbol)
{
    static const char sql[] =
        "SELECT t.issuer_id, t.symbol, t.ticker, t.market, coalesce(p.name, t.name),"
        " lpad(i.cik::text, 10, '0'), t.isin, t.figi"
        " FROM listing t JOIN issuer i ON i.issuer_id = t.issuer_id"
        " LEFT JOIN issuer_profile p ON p.issuer_id = t.issuer_id AND p.superseded_at IS NULL"
        " WHERE t.record_key = listing_of_symbol(%s::text) AND t.superseded_at IS NULL";
    dsc_company_t *company = &call->company;
    dsc_result_t *result;

    if (!dsc_call_select(call, sql, 0, 1, &symbol, &result)) {
        return 0;
    }
    if (!dsc_result_next(result)) {
        dsc_call_problem(call, 404,
                         apr_psprintf(call->pool, dsc_endpoint_company.not_found, symbol));
        return 0;
    }
    company->issuer_id = strtoll(dsc_result_text(result, 0), NULL, 10);
    company->symbol = dsc_result_text(result, 1);
    company->ticker = dsc_result_text(result, 2);
    company->market = dsc_result_text(result, 3);
    company->name = dsc_result_text(result, 4);
    company->cik = dsc_result_text(result, 5);
    company->isin = dsc_result_text(result, 6);
    company->figi = dsc_result_text(result, 7);
    return 1;
}
