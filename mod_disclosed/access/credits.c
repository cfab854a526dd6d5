#include "access/credits.h"

#include "engine/problem.h"

#include <apr_strings.h>

static const char *number(const dsc_call_t *call, uint64_t value)
{
    return apr_psprintf(call->pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)value);
}

int dsc_credits_reserve(dsc_call_t *call)
{
    static const char sql[] = "SELECT reservation, remaining FROM reserve_credits(%s::bigint,"
                              " %s::bigint, %s::bigint, %s::text)";
    const dsc_caller_t *caller = call->caller;
    const char *cost = number(call, (uint64_t)caller->credit_cost);
    const char *values[] = {number(call, caller->account), cost, number(call, caller->credits),
                            caller->key_id};
    const dsc_statement_t statement = {sql, DSC_COUNT(values), values, 0, NULL, NULL};
    dsc_result_t *row;
    dsc_database_status_t status = dsc_call_change(call, &statement, &row);

    if (status != DSC_DATABASE_OK) {
        dsc_call_database_problem(call, status);
        return 0;
    }
    dsc_result_next(row);
    call->reservation = dsc_result_text(row, 0);
    call->credits_remaining = apr_atoi64(dsc_result_text(row, 1));
    dsc_call_release(call); /* what is read may come from a replica */
    if (!call->reservation) {
        dsc_call_problem(call, 402,
                         apr_psprintf(call->pool, "Credits requested: %s; remaining: %s.", cost,
                                      dsc_result_text(row, 1)));
        return 0;
    }
    return 1;
}

void dsc_credits_settle(dsc_call_t *call)
{
    static const char sql[] = "SELECT settle_credits(%s::bigint, %s::bigint)";
    int used = call->status >= 200 && call->status < 300 ? call->caller->credit_cost : 0;
    const char *values[] = {call->reservation, number(call, (uint64_t)used)};
    const dsc_statement_t statement = {sql, DSC_COUNT(values), values, 0, NULL, NULL};
    dsc_result_t *row;

    (void)dsc_call_change(call, &statement, &row); /* failures were logged */
    dsc_call_release(call);
    call->reservation = NULL;
}
