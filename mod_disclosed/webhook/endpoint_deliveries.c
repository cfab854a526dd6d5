/* The endpoints by which an account sees its deliveries, and has them sent again. */
#include "webhook/endpoint_tools.h"

#include "engine/constructors.h"
#include "engine/problem.h"

#include <apr_general.h>
#include <apr_strings.h>
#include <stdlib.h>

enum {
    MOST_RECOVERED = 1000, /* by a request */
    MOST_WAITING = 10000   /* for an endpoint, beyond which nothing is recovered */
};

/* ------------------------------------------------------------------------- list */

static const dsc_shape_t attempt_shape =
    SHAPE("WebhookAttempt", "An attempt to deliver a message.",
          MEMBER(INTEGER, "attempt", "Number of the attempt, from 1."),
          MEMBER(DATETIME, "at", "End of the attempt, UTC."),
          MEMBER(INTEGER, "status",
                 "HTTP status of the receiver's response; null if there was no response.",
                 NULLABLE),
          MEMBER(TEXT, "error", "Why there was no response; null if there was one.", NULLABLE),
          MEMBER(INTEGER, "duration_ms", "Duration in milliseconds."));

#define ATTEMPTS                                                                                   \
    "(SELECT coalesce(json_agg(json_build_object('attempt', a.attempt, 'at',"                      \
    " to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), 'status', a.status,"  \
    " 'error', a.error, 'duration_ms', a.duration_ms) ORDER BY a.attempt), '[]')::text"            \
    " FROM webhook_attempt a WHERE a.delivery_id = t.delivery_id)"

static const dsc_shape_t delivery_shape = SHAPE(
    "WebhookDelivery", "A delivery of an event to a webhook endpoint.",
    INTEGER("id", "t.delivery_id", "Delivery ID."),
    TEXT("message_id", "t.message_id",
         "The webhook-id of all attempts, and the ID of the event in the log."),
    TEXT("topic", "v.topic", "Topic of the event."),
    DATETIME("created_at", "t.created_at", "Time at which it was queued, UTC."),
    TEXT("state", "coalesce(t.outcome, 'pending')",
         "State: pending, delivered, failed (all attempts failed), aborted (by the receiver), "
         "unwanted (the receiver responded with 410) or dropped."),
    DATETIME("next_attempt_at", "t.next_attempt_at",
             "Time of the next attempt, UTC; null if there will be none.", NULLABLE),
    DATETIME("ended_at", "t.ended_at", "Time at which it ended, UTC; null if it is pending.",
             NULLABLE),
    JSON("attempts", ATTEMPTS, "All attempts, the first one first.", .flags = DSC_ARRAY,
         .shape = &attempt_shape));

static const dsc_source_t delivery_source = {
    .from = "webhook_delivery t JOIN webhook_event v ON v.event_id = t.event_id",
    .order = "t.delivery_id",
    .order_type = "bigint",
    .tie = "t.delivery_id",
    .unversioned = 1,
};

static const dsc_parent_t webhook_parent = {
    .parameter = "id",
    .from = "live_webhook_endpoint p WHERE p.account_id = {account} AND p.endpoint_id = ?",
};

CHOICES(state_choices, "pending", "delivered", "failed", "aborted", "unwanted", "dropped");

const dsc_endpoint_t dsc_endpoint_webhook_deliveries = {
    GET("list_webhook_deliveries", "/v1/webhook-endpoints/{id}/deliveries"),
    ABOUT("Webhooks", "Deliveries to a webhook endpoint in the last 30 days, with their attempts."),
    LIST(delivery_source, delivery_shape),
    PARAMETERS(PATH(INTEGER, "id", "Webhook endpoint ID.", .predicate = "t.endpoint_id = ?"),
               QUERY(LITERAL, "state", "Only deliveries in this state.", .choices = state_choices,
                     .flags = DSC_PLAN_EACH_TIME,
                     .predicate = "coalesce(t.outcome, 'pending') = ?"),
               DSC_PARAMETER_CURSOR, DSC_PARAMETERS_ROWS("50", 200), DSC_PARAMETER_DIRECTION("id")),
    .parent = &webhook_parent,
    DSC_WEBHOOK_OF_ACCOUNT,
    .not_found = dsc_webhook_not_found,
};

/* ------------------------------------------------------------------------ again */

static const dsc_shape_t replayed_shape =
    SHAPE("WebhookReplay", "A delivery that is sent again.", MEMBER(BOOLEAN, "ok", "Always true."),
          MEMBER(INTEGER, "id", "Delivery ID."));

static void replay_delivery(dsc_call_t *call)
{
    const dsc_value_t *delivery = dsc_call_value(call, "delivery_id");
    const char *id = dsc_webhook_id(call), *result;
    if (!id) {
        return;
    }
    if (delivery->out_of_range) {
        dsc_call_problem(call, 404,
                         apr_psprintf(call->pool, call->endpoint->not_found, delivery->text));
        return;
    }
    const char *values[] = {id, dsc_webhook_account(call), delivery->text, call->idempotency_key,
                            dsc_webhook_digest(call)};
    if (dsc_webhook_run(call,
                        "replay_webhook(%s::bigint, %s::bigint, %s::bigint, %s::text, %s::text)",
                        (int)DSC_COUNT(values), values, delivery->text, &result)) {
        dsc_buffer_printf(call->body, "{\"ok\":true,\"id\":%s}", result);
    }
}

static const dsc_shape_t recovered_shape =
    SHAPE("WebhookRecovery", "Deliveries that are sent again.",
          MEMBER(INTEGER, "recovered", "Number of deliveries that are sent."),
          MEMBER(BOOLEAN, "more",
                 "Whether more may be left: repeat the request with another Idempotency-Key."));

static void recover_webhook(dsc_call_t *call)
{
    const char *id = dsc_webhook_id(call), *result;
    if (!id) {
        return;
    }
    const char *values[] = {id,
                            dsc_webhook_account(call),
                            dsc_call_value(call, "since")->text,
                            apr_itoa(call->pool, MOST_RECOVERED),
                            apr_itoa(call->pool, MOST_WAITING),
                            call->idempotency_key,
                            dsc_webhook_digest(call)};
    if (dsc_webhook_run(call,
                        "recover_webhook(%s::bigint, %s::bigint, %s::timestamptz, %s::integer,"
                        " %s::integer, %s::text, %s::text)",
                        (int)DSC_COUNT(values), values, id, &result)) {
        dsc_buffer_printf(call->body, "{\"recovered\":%s,\"more\":%s}", result,
                          atoi(result) >= MOST_RECOVERED ? "true" : "false");
    }
}

const dsc_endpoint_t dsc_endpoint_replay_delivery = {
    POST("replay_webhook_delivery", "/v1/webhook-endpoints/{id}/deliveries/{delivery_id}/replay"),
    ABOUT("Webhooks",
          "Sends a delivery that has ended again, with the same message ID and bytes; the "
          "schedule of attempts begins anew."),
    HANDLER(replay_delivery, replayed_shape),
    PARAMETERS(DSC_WEBHOOK_ID, PATH(INTEGER, "delivery_id", "Delivery ID.")),
    STATUSES(409),
    DSC_WEBHOOK_ONCE,
    .not_found = "There is no delivery with the id \"%s\" to that webhook endpoint.",
};

const dsc_endpoint_t dsc_endpoint_recover_webhook = {
    POST("recover_webhook_endpoint", "/v1/webhook-endpoints/{id}/recover"),
    ABOUT("Webhooks",
          "Sends again what has not arrived since a time: deliveries that failed or were "
          "dropped, and events that were never queued for the webhook endpoint; at most 1,000 "
          "for each request."),
    HANDLER(recover_webhook, recovered_shape),
    PARAMETERS(DSC_WEBHOOK_ID,
               BODY(DATETIME, "since", "Only events since this time; events are kept for 30 days.",
                    .flags = DSC_REQUIRED)),
    STATUSES(409),
    DSC_WEBHOOK_ONCE,
    .not_found = dsc_webhook_not_found,
};
