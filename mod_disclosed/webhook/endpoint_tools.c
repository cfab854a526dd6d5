#include "webhook/endpoint_tools.h"

#include "engine/constructors.h"
#include "engine/digest.h"
#include "engine/problem.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <string.h>

const char *const dsc_webhook_topic_choices[] = {DSC_TOPIC_NAMES, NULL};

const char dsc_webhook_not_found[] = "There is no webhook endpoint with the id \"%s\".";

const dsc_shape_t dsc_shape_webhook = SHAPE(
    "WebhookEndpoint", "A webhook endpoint of an account.", DSC_WEBHOOK_FIELDS,
    TEXT("secret_hint", "t.secret_hint",
         "The beginning of its signing secret, to recognize it by."),
    DATETIME("previous_secret_until",
             "CASE WHEN t.previous_until > now() THEN t.previous_until END",
             "Time until which deliveries are also signed with the previous signing secret, "
             "UTC; null if they are not.",
             NULLABLE),
    DATETIME("disabled_at", "t.disabled_at",
             "Time since which it is disabled, and nothing is sent to it, UTC; null if it is "
             "enabled.",
             NULLABLE),
    TEXT("disabled_reason", "t.disabled_reason",
         "owner, unwanted (it responded with 410), failing (nothing arrived for five days) or "
         "administrator.",
         NULLABLE));

const char *dsc_webhook_account(const dsc_call_t *call)
{
    return apr_psprintf(call->pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)call->caller->account);
}

const char *dsc_webhook_id(dsc_call_t *call)
{
    const dsc_value_t *id = dsc_call_value(call, "id");
    if (id->out_of_range) {
        dsc_call_problem(call, 404, apr_psprintf(call->pool, call->endpoint->not_found, id->text));
        return NULL;
    }
    return id->text;
}

int dsc_webhook_change(dsc_call_t *call, const dsc_statement_t *statement, dsc_result_t **rows)
{
    dsc_database_status_t status = dsc_call_change(call, statement, rows);
    if (status != DSC_DATABASE_OK) {
        dsc_call_database_problem(call, status);
    }
    return status == DSC_DATABASE_OK;
}

int dsc_webhook_found(dsc_call_t *call, dsc_result_t *rows, const char *id)
{
    if (dsc_result_next(rows)) {
        return 1;
    }
    dsc_call_problem(call, 404, apr_psprintf(call->pool, call->endpoint->not_found, id));
    return 0;
}

void dsc_webhook_refuse(dsc_call_t *call, const char *name, int index, const char *text)
{
    apr_array_header_t *errors = apr_array_make(call->pool, 1, sizeof(dsc_validation_error_t));
    dsc_body_error_add(errors, call->request_json, name, index, text);
    dsc_call_validation_errors(call, errors);
}

int dsc_webhook_key_is_good(dsc_call_t *call)
{
    const char *key = call->idempotency_key, *p = key;
    size_t length = key ? strlen(key) : 1;
    while (p && *p > ' ' && *p <= '~') {
        p++;
    }
    if (length < 1 || length > 255 || (p && *p)) {
        dsc_call_problem(call, 400, "An Idempotency-Key has 1 to 255 visible characters of ASCII.");
        return 0;
    }
    return 1;
}

const char *dsc_webhook_digest(const dsc_call_t *call)
{
    unsigned char digest[DSC_SHA256_SIZE];
    dsc_buffer_t *all = dsc_buffer_create(call->pool, 256 + call->request_body.bytes.length);
    dsc_buffer_printf(all, "%s\n%s\n", call->endpoint->name, call->path);
    if (call->request_body.bytes.length) {
        dsc_buffer_append(all, call->request_body.bytes.data, call->request_body.bytes.length);
    }
    dsc_sha256(all->data, all->length, digest);
    return apr_pescape_hex(call->pool, digest, sizeof(digest), 0);
}

/* What is in the way of a request; the others are 'new' and 'again', which are done, and 'none'. */
static const struct {
    const char *outcome, *slug, *detail;
} obstacles[] = {
    {"conflict", "idempotency-conflict", "The Idempotency-Key was used for another request."},
    {"administrator", "conflict", "The administrator has disabled this webhook endpoint."},
    {"disabled", "conflict", "The webhook endpoint is disabled: enable it first."},
    {"waiting", "conflict", "The delivery has not ended: it waits for its next attempt."},
    {"often", "conflict", "The delivery has been attempted 100 times."},
    {"many", "conflict", "Too many deliveries wait for this webhook endpoint already."},
};

int dsc_webhook_outcome(dsc_call_t *call, const char *outcome, const char *id)
{
    size_t i;
    if (strcmp(outcome, "new") == 0 || strcmp(outcome, "again") == 0) {
        return 1;
    }
    for (i = 0; i < sizeof(obstacles) / sizeof(obstacles[0]); i++) {
        if (strcmp(obstacles[i].outcome, outcome) == 0) {
            dsc_call_problem_of(call, obstacles[i].slug, obstacles[i].detail, NULL);
            return 0;
        }
    }
    dsc_call_problem(call, 404, apr_psprintf(call->pool, call->endpoint->not_found, id));
    return 0;
}

int dsc_webhook_run(dsc_call_t *call, const char *function, int count, const char *const *values,
                    const char *id, const char **result)
{
    const dsc_statement_t statement = {apr_pstrcat(call->pool, "SELECT outcome, result FROM ",
                                                   function, NULL),
                                       count,
                                       values,
                                       0,
                                       NULL,
                                       NULL};
    dsc_result_t *rows;
    if (!dsc_webhook_key_is_good(call) || !dsc_webhook_change(call, &statement, &rows)) {
        return 0;
    }
    if (!dsc_result_next(rows)) {
        dsc_call_problem(call, 500, NULL);
        return 0;
    }
    *result = dsc_result_text(rows, 1);
    return dsc_webhook_outcome(call, dsc_result_text(rows, 0), id);
}
