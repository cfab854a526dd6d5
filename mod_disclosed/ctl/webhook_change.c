/* disclosedctl webhook replay, disable, enable, remove. */
#include "ctl/webhook_request.h"

#include "access/key.h"
#include "engine/json_writer.h"

#include <string.h>

/* -------------------------------------------------------------------------- output */

static void print_json(const dsc_context_t *context, PGresult *result, const char *secret)
{
    dsc_buffer_t *json = dsc_buffer_create(context->pool, 512);

    dsc_buffer_append_char(json, '{');
    if (secret != NULL) {
        dsc_json_name(json, "signing_secret");
        dsc_json_text(json, secret);
        dsc_buffer_append_char(json, ',');
    }
    dsc_append_members(json, result, 0);
    dsc_buffer_append_char(json, '}');
    puts(dsc_buffer_text(json));
    dsc_key_forget(json->data, json->length);
}

/* A secret is in force before it is shown. */
static int is_shown(const dsc_context_t *context, const char *endpoint, const char *secret)
{
    if (secret != NULL && (fflush(stdout) != 0 || ferror(stdout))) {
        dsc_print_error(context,
                        "the signing secret of webhook endpoint %s was changed, but could not be "
                        "shown: rotate it again",
                        endpoint);
        return 0;
    }
    return 1;
}

int dsc_webhook_show(const dsc_context_t *context, dsc_connection_t *connection, const char *sql,
                     int count, const char *const *parameters, const char *secret)
{
    PGresult *result = dsc_query(context, connection, sql, count, parameters);
    int found = result != NULL && PQntuples(result) == 1;

    if (result != NULL && !found) {
        dsc_print_error(context, "no webhook endpoint has the id %s", parameters[0]);
    } else if (found && context->json) {
        print_json(context, result, secret);
    } else if (found) {
        dsc_webhook_print(result, 0);
        if (secret != NULL) {
            printf("%s\nThis is the only time that the signing secret is shown.\n", secret);
        }
    }
    PQclear(result);
    return found && is_shown(context, parameters[0], secret) ? DSC_EXIT_OK : DSC_EXIT_FAILED;
}

/* ----------------------------------------------------------------------- endpoints */

int dsc_webhook_disable(dsc_context_t *context, dsc_connection_t *connection,
                        const dsc_webhook_request_t *request)
{
    static const char disable_sql[] =
        "SELECT disclosed.disable_webhook($1::bigint, 'administrator')";
    static const char show_sql[] =
        "SELECT " DSC_WEBHOOK_COLUMNS " FROM disclosed.live_webhook_endpoint e"
        " JOIN disclosed.account a USING (account_id) WHERE e.endpoint_id = $1::bigint";
    PGresult *result = dsc_query(context, connection, disable_sql, 1, &request->id);

    if (result == NULL) {
        return DSC_EXIT_FAILED;
    }
    PQclear(result);
    return dsc_webhook_show(context, connection, show_sql, 1, &request->id, NULL);
}

int dsc_webhook_enable(dsc_context_t *context, dsc_connection_t *connection,
                       const dsc_webhook_request_t *request)
{
    static const char sql[] =
        "WITH e AS (UPDATE disclosed.live_webhook_endpoint SET disabled_at = NULL,"
        " disabled_reason = NULL, failing_since = NULL, concurrency = 4"
        " WHERE endpoint_id = $1::bigint RETURNING *)"
        " SELECT " DSC_WEBHOOK_COLUMNS " FROM e JOIN disclosed.account a USING (account_id)";

    return dsc_webhook_show(context, connection, sql, 1, &request->id, NULL);
}

int dsc_webhook_remove(dsc_context_t *context, dsc_connection_t *connection,
                       const dsc_webhook_request_t *request)
{
    static const char sql[] =
        "SELECT " DSC_WEBHOOK_COLUMNS " FROM disclosed.live_webhook_endpoint e"
        " JOIN disclosed.account a USING (account_id)"
        " WHERE e.endpoint_id = $1::bigint"
        " AND disclosed.delete_webhook(e.endpoint_id, e.account_id)";

    return dsc_webhook_show(context, connection, sql, 1, &request->id, NULL);
}

/* ---------------------------------------------------------------------- deliveries */

/* $1: the delivery, or NULL; $2: all of that endpoint's that ended since $3. The endpoint is
 * locked, so that it is not disabled meanwhile. */
static const char replay_sql[] =
    "WITH e AS MATERIALIZED (SELECT endpoint_id, disabled_reason FROM disclosed.live_webhook_endpoint"
    " WHERE endpoint_id = coalesce($2::bigint, (SELECT endpoint_id FROM disclosed.webhook_delivery"
    " WHERE delivery_id = $1::bigint)) FOR NO KEY UPDATE),"
    " again AS (UPDATE disclosed.webhook_delivery d SET next_attempt_at = clock_timestamp(),"
    " claimed_until = NULL, outcome = NULL, ended_at = NULL, replayed_after = d.attempts"
    " FROM e WHERE d.endpoint_id = e.endpoint_id AND e.disabled_reason IS NULL"
    " AND d.outcome IS NOT NULL AND ($1::bigint IS NULL OR d.delivery_id = $1::bigint)"
    " AND ($3::timestamptz IS NULL OR d.ended_at >= $3::timestamptz) RETURNING 1)"
    " SELECT e.endpoint_id, e.disabled_reason, (SELECT count(*) FROM again) AS replayed FROM e";

enum {
    ENDPOINT,
    DISABLED_REASON,
    REPLAYED
};

/* Prints why nothing was replayed. */
static int print_refusal(const dsc_context_t *context, const dsc_webhook_request_t *request,
                         PGresult *result)
{
    int exists = PQntuples(result) == 1;

    if (!exists && request->id != NULL) {
        dsc_print_error(context, "no delivery has the id %s", request->id);
    } else if (!exists) {
        dsc_print_error(context, "no webhook endpoint has the id %s", request->endpoint);
    } else if (!PQgetisnull(result, 0, DISABLED_REASON)) {
        dsc_print_error(context, "webhook endpoint %s is disabled (%s): enable it first",
                        PQgetvalue(result, 0, ENDPOINT), PQgetvalue(result, 0, DISABLED_REASON));
    } else if (request->id != NULL) {
        dsc_print_error(context, "delivery %s has not ended: it waits for its next attempt",
                        request->id);
    } else {
        dsc_print_error(context, "no delivery to webhook endpoint %s has ended since %s",
                        request->endpoint, request->since);
    }
    return DSC_EXIT_FAILED;
}

int dsc_webhook_replay(dsc_context_t *context, dsc_connection_t *connection,
                       const dsc_webhook_request_t *request)
{
    const char *parameters[] = {request->id, request->endpoint, request->since};
    PGresult *result = dsc_query(context, connection, replay_sql, 3, parameters);
    int exit_code = DSC_EXIT_OK;

    if (result == NULL) {
        return DSC_EXIT_FAILED;
    }
    if (PQntuples(result) == 0 || strcmp(PQgetvalue(result, 0, REPLAYED), "0") == 0) {
        exit_code = print_refusal(context, request, result);
    } else {
        printf(context->json ? "{\"endpoint_id\":%s,\"replayed\":%s}\n"
                             : "webhook endpoint %s: deliveries sent again: %s\n",
               PQgetvalue(result, 0, ENDPOINT), PQgetvalue(result, 0, REPLAYED));
    }
    PQclear(result);
    return exit_code;
}
