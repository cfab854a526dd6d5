/* The ordered log of events, for clients that pull or catch up: each position is seen before any
 * later one. */
#include "webhook/endpoint_tools.h"

#include "engine/constructors.h"
#include "engine/json_writer.h"
#include "engine/problem.h"
#include "engine/query.h"
#include "webhook/delivery.h"

#include <apr_strings.h>
#include <string.h>

static const dsc_shape_t change_shape =
    SHAPE("Change", "An event of the log.",
          MEMBER(TEXT, "id", "ID of the event: the webhook-id of its deliveries."),
          MEMBER(INTEGER, "position", "Position of the event in the log."),
          MEMBER(TEXT, "type", "Topic of the event."),
          MEMBER(DATETIME, "timestamp", "Time at which it was indexed, UTC."),
          MEMBER(JSON, "data", "The new record, as in deliveries; null if it no longer exists.",
                 NULLABLE));

static const dsc_shape_t changes_shape =
    SHAPE("Changes", "Events, in the order in which they became visible.",
          MEMBER(JSON, "data", "The events.", .flags = DSC_ARRAY, .shape = &change_shape),
          MEMBER(INTEGER, "next", "Position to continue from: `after` of the next request."),
          MEMBER(BOOLEAN, "has_more",
                 "Whether there were more events at the time of the response."));

/* Columns of read_changes(). */
enum {
    POSITION,
    EVENT,
    TOPIC,
    MESSAGE,
    OCCURRED,
    BODY_TEXT
};

/* An event of the page. */
typedef struct {
    const char *position, *message, *topic, *occurred;
    dsc_event_body_t body;
} change_t;

static apr_array_header_t *take_changes(dsc_call_t *call, dsc_result_t *rows, const char **next)
{
    apr_array_header_t *changes = apr_array_make(call->pool, 32, sizeof(change_t));
    while (dsc_result_next(rows)) {
        change_t *one;
        *next = dsc_result_text(rows, POSITION);
        if (!dsc_result_text(rows, EVENT)) {
            break;
        }
        one = apr_array_push(changes);
        memset(one, 0, sizeof(*one));
        one->position = *next;
        one->message = dsc_result_text(rows, MESSAGE);
        one->topic = one->body.topic = dsc_result_text(rows, TOPIC);
        one->occurred = dsc_result_text(rows, OCCURRED);
        one->body.event = dsc_result_text(rows, EVENT);
        one->body.base_url = call->service->base_url;
        one->body.body = dsc_result_text(rows, BODY_TEXT);
        one->body.is_asked = one->body.body != NULL;
    }
    return changes;
}

/* Makes the bodies that no delivery has made. */
static int make_bodies(dsc_call_t *call, apr_array_header_t *changes)
{
    apr_array_header_t *bodies =
        apr_array_make(call->pool, changes->nelts, sizeof(dsc_event_body_t *));
    int i;
    for (i = 0; i < changes->nelts; i++) {
        APR_ARRAY_PUSH(bodies, dsc_event_body_t *) = &APR_ARRAY_IDX(changes, i, change_t).body;
    }
    if (dsc_event_bodies_make(call->pool, call->service, call->service->database, bodies)) {
        return 1;
    }
    dsc_call_problem(call, 503, NULL);
    return 0;
}

static void write_change(dsc_buffer_t *out, const change_t *change)
{
    dsc_buffer_append_text(out, "{\"id\":");
    dsc_json_text(out, change->message);
    dsc_buffer_printf(out, ",\"position\":%s,", change->position);
    if (change->body.body) {
        dsc_buffer_append_text(out, change->body.body + 1); /* behind its brace */
        return;
    }
    dsc_buffer_append_text(out, "\"type\":");
    dsc_json_text(out, change->topic);
    dsc_buffer_printf(out, ",\"timestamp\":\"%s\",\"data\":null}", change->occurred);
}

static void list_changes(dsc_call_t *call)
{
    static const char sql[] =
        "SELECT place, event_id, topic, message_id,"
        " to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), body"
        " FROM read_changes(%s::bigint, least(%s::numeric, 9223372036854775807)::bigint,"
        " %s::text[], %s::integer, %s::text)";
    const dsc_value_t *topics = dsc_call_value(call, "topics");
    const dsc_value_t *after = dsc_call_value(call, "after");
    const dsc_value_t *limit = dsc_call_value(call, "limit");
    const char *values[] = {dsc_webhook_account(call), after->text,
                            topics->list && topics->list->nelts
                                ? dsc_array_literal(call->pool, topics->list)
                                : "{" DSC_TOPIC_FILING "," DSC_TOPIC_TRANSCRIPT "}",
                            limit->text, call->service->base_url};
    const dsc_statement_t statement = {sql, (int)DSC_COUNT(values), values, 0, NULL, NULL};
    const char *next = after->text;
    apr_array_header_t *changes;
    dsc_result_t *rows;
    int has_more, i;

    if (!dsc_webhook_change(call, &statement, &rows)) {
        return;
    }
    dsc_call_release(call); /* bodies are made on another connection */
    changes = take_changes(call, rows, &next);
    if (!make_bodies(call, changes)) {
        return;
    }
    dsc_buffer_append_text(call->body, "{\"data\":[");
    for (i = 0; i < changes->nelts; i++) {
        dsc_buffer_append_text(call->body, i ? "," : "");
        write_change(call->body, &APR_ARRAY_IDX(changes, i, change_t));
    }
    has_more = changes->nelts >= (int)limit->integer;
    dsc_buffer_printf(call->body, "],\"next\":%s,\"has_more\":%s}", next,
                      has_more ? "true" : "false");
    call->next_cursor = has_more ? next : NULL;
}

const dsc_endpoint_t dsc_endpoint_changes = {
    GET("list_changes", "/v1/changes"),
    ABOUT(
        "Webhooks",
        "The log of events, in order: for catching up, and for polling instead of webhooks. "
        "Recording of a topic begins with the first request for it, and events are kept for 30 days."),
    HANDLER(list_changes, changes_shape),
    .rows = "data",
    PARAMETERS(QUERY(INTEGER, "after",
                     "Position after which to begin: `next` of the previous response.", AT_LEAST(0),
                     .default_text = "0"),
               QUERY(LITERAL, "topics",
                     "Topics to read; absent: " DSC_TOPIC_FILING " and " DSC_TOPIC_TRANSCRIPT ".",
                     .flags = DSC_REPEATABLE, .choices = dsc_webhook_topic_choices),
               QUERY(INTEGER, "limit", "Maximum number of events in a response.", BETWEEN(1, 500),
                     .default_text = "100")),
    DSC_WEBHOOK_OF_ACCOUNT,
};
