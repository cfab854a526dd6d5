#include "engine/call.h"

#include "engine/json_writer.h"
#include "engine/problem.h"
#include "engine/replicas.h"

#include <stdlib.h>

/* HTTP's view of what the database said. */
static const int database_statuses[] = {
    [DSC_DATABASE_OK] = 200,
    [DSC_DATABASE_UNAVAILABLE] = 503,
    [DSC_DATABASE_TIMEOUT] = 504,
    [DSC_DATABASE_ERROR] = 500,
};

const dsc_value_t *dsc_call_value(const dsc_call_t *call, const char *name)
{
    int i;
    for (i = 0; i < call->endpoint->parameter_count; i++) {
        if (strcmp(call->endpoint->parameters[i].name, name) == 0) {
            return &call->values[i];
        }
    }
    abort();
}

int dsc_call_select(dsc_call_t *call, const dsc_statement_t *statement, dsc_result_t **result)
{
    dsc_database_status_t status;
    if (!call->session) {
        call->reading.deadline =
            call->deadline ? call->deadline : dsc_database_deadline(call->service->database);
        call->deadline = 0; /* what is read later, as pages of an export are, has time of its own */
    }
    do {
        status = call->session ? DSC_DATABASE_OK : dsc_reading_begin(call);
        if (status == DSC_DATABASE_OK) {
            status = dsc_select(call->session, statement, result);
        }
        if (status == DSC_DATABASE_OK) {
            return 1;
        }
        dsc_reading_failed(call);
    } while (status == DSC_DATABASE_UNAVAILABLE && dsc_reading_has_another(call));
    dsc_call_database_problem(call, status);
    return 0;
}

dsc_database_status_t dsc_call_change(dsc_call_t *call, const dsc_statement_t *statement,
                                      dsc_result_t **rows)
{
    dsc_session_t *session;
    int is_first = !call->session;
    /* A request with a connection need not wait until another one is released: both may wait for
     * each other. And reserved credits are settled, whatever else the account requests. */
    const dsc_session_user_t user = {
        .account = is_first && !call->reservation ? dsc_call_account(call) : 0};
    dsc_database_status_t status =
        dsc_session_acquire(call->service->database, call->pool, user,
                            dsc_database_deadline(call->service->database), &session);

    if (status != DSC_DATABASE_OK) {
        return status;
    }
    status = dsc_change(session, statement, rows);
    if (is_first && status == DSC_DATABASE_OK) {
        call->session = session;
        call->reading.replica = 0;
    } else {
        dsc_session_release(session);
    }
    return status;
}

void dsc_call_validation_errors(dsc_call_t *call, const apr_array_header_t *errors)
{
    call->status = 422;
    call->content_type = "application/json";
    call->body = dsc_buffer_create(call->pool, 1024);
    dsc_validation_errors_write(call->body, errors);
}

void dsc_call_database_problem(dsc_call_t *call, dsc_database_status_t status)
{
    if (status == DSC_DATABASE_SHARED) {
        dsc_call_problem(
            call, 429,
            "Too many requests of this account are being processed; see the Retry-After header.");
        apr_table_setn(call->headers, "Retry-After", "1");
    } else {
        dsc_call_problem(call, database_statuses[status], NULL);
    }
}

void dsc_call_release(dsc_call_t *call)
{
    if (call->session) {
        dsc_session_release(call->session);
        call->session = NULL;
    }
}

void dsc_company_write(dsc_buffer_t *body, const dsc_company_t *company)
{
    const struct {
        const char *name, *text;
    } members[] = {
        {"symbol", company->symbol}, {"ticker", company->ticker}, {"market", company->market},
        {"name", company->name},     {"cik", company->cik},       {"isin", company->isin},
        {"figi", company->figi},
    };
    int i;
    dsc_buffer_append_char(body, '{');
    for (i = 0; i < DSC_COUNT(members); i++) {
        dsc_json_name(body, members[i].name);
        dsc_json_text(body, members[i].text);
        dsc_buffer_append_char(body, ',');
    }
    dsc_json_name(body, "issuer_id");
    dsc_json_integer(body, company->issuer_id);
    dsc_buffer_append_char(body, '}');
}
