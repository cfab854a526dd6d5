/* The endpoints by which an account manages its webhook endpoints. */
#include "webhook/endpoint_tools.h"

#include "datasets/datasets.h"
#include "engine/json_writer.h"
#include "engine/outage.h"
#include "engine/work_slots.h"
#include "engine/problem.h"
#include "engine/random.h"
#include "engine/shape_walk.h"

#include <apr_escape.h>
#include <apr_general.h>
#include <apr_strings.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------- shapes */

static const dsc_shape_t deleted_shape =
    SHAPE("WebhookEndpointDeleted", "The webhook endpoint is deleted.",
          MEMBER(BOOLEAN, "ok", "Always true."));

static const dsc_shape_t result_shape =
    SHAPE("WebhookTestResult", "Result of a test delivery.",
          MEMBER(BOOLEAN, "delivered",
                 "Whether the receiver responded with a status from 200 to 299."),
          MEMBER(INTEGER, "status",
                 "HTTP status of the receiver's response; 0 if there was no response."),
          MEMBER(TEXT, "error", "Why there was no response; null if there was one.", NULLABLE));

static const dsc_shape_t test_shape =
    SHAPE("WebhookTest", "A test delivery.",
          OBJECT("result", result_shape, "Result of the delivery."));

static const dsc_shape_t topic_shape =
    SHAPE("WebhookTopic", "A topic of webhooks.", MEMBER(TEXT, "topic", "Name of the topic."),
          MEMBER(TEXT, "description", "Description of the topic."));

static const dsc_shape_t topics_shape =
    SHAPE("WebhookTopics", "The topics.",
          MEMBER(JSON, "data", "All topics.", .flags = DSC_ARRAY, .shape = &topic_shape));

/* --------------------------------------------------------------------- deleting */

static void delete_webhook(dsc_call_t *call)
{
    static const char sql[] =
        "SELECT 1 FROM delete_webhook(%s::bigint, %s::bigint) AS was_there WHERE was_there";
    const char *values[] = {dsc_webhook_id(call), dsc_webhook_account(call)};
    const dsc_statement_t statement = {sql, DSC_COUNT(values), values, 0, NULL, NULL};
    dsc_result_t *rows;
    if (!values[0] || !dsc_webhook_change(call, &statement, &rows)) {
        return;
    }
    if (dsc_webhook_found(call, rows, values[0])) {
        dsc_buffer_append_text(call->body, "{\"ok\":true}");
    }
}

/* ---------------------------------------------------------------------- testing */

static const char *test_body(apr_pool_t *pool, const char *id)
{
    apr_time_exp_t now;
    apr_time_exp_gmt(&now, apr_time_now());
    return apr_psprintf(pool,
                        "{\"type\":\"webhook.test\",\"timestamp\":\"%04d-%02d-%02dT%02d:%02d:%02d."
                        "%06dZ\",\"data\":{\"endpoint_id\":%s,\"message\":\"This is a test of "
                        "your webhook endpoint.\"}}",
                        now.tm_year + 1900, now.tm_mon + 1, now.tm_mday, now.tm_hour, now.tm_min,
                        now.tm_sec, now.tm_usec, id);
}

static const char *test_id(apr_pool_t *pool)
{
    unsigned char bytes[16];
    if (!dsc_random_bytes(bytes, sizeof(bytes))) {
        return NULL;
    }
    return apr_pstrcat(pool, "msg_", apr_pescape_hex(pool, bytes, sizeof(bytes), 0), NULL);
}

/* The W3C trace context of the request goes on with the delivery, if it is well-formed. */
static void pass_trace_on(const dsc_call_t *call, apr_array_header_t *headers)
{
    const char *parent = call->trace_parent;
    if (!parent || strlen(parent) > 128 || strspn(parent, "0123456789abcdef-") != strlen(parent)) {
        return;
    }
    APR_ARRAY_PUSH(headers, const char *) = apr_pstrcat(call->pool, "traceparent: ", parent, NULL);
    if (call->trace_state && strlen(call->trace_state) <= 512) {
        APR_ARRAY_PUSH(headers, const char *) =
            apr_pstrcat(call->pool, "tracestate: ", call->trace_state, NULL);
    }
}

static void write_result(dsc_call_t *call, const dsc_http_response_t *response)
{
    dsc_buffer_append_text(call->body, "{\"result\":{\"delivered\":");
    dsc_json_boolean(call->body, response->status >= 200 && response->status < 300);
    dsc_buffer_append_text(call->body, ",\"status\":");
    dsc_json_integer(call->body, response->status);
    dsc_buffer_append_text(call->body, ",\"error\":");
    dsc_json_text(call->body, response->error);
    dsc_buffer_append_text(call->body, "}}");
}

/* Those that run: each holds a thread while its receiver thinks. */
static dsc_work_slots_t tests = DSC_WORK_SLOTS(8);

/* Responds that there is no place for the test. A request that ends at its time limit may end a
 * moment late, so that is added. */
static void refuse_test(dsc_call_t *call, dsc_work_slot_t verdict, apr_interval_time_t wait)
{
    apr_int64_t seconds = apr_time_sec(wait + apr_time_from_msec(250)) + 1;
    if (verdict == DSC_WORK_SLOT_ACCOUNT_FULL) {
        dsc_call_problem(call, 429,
                         "Too many webhook tests of the account are running; see the Retry-After "
                         "header.");
    } else {
        dsc_call_problem(call, 503, "Too many webhook tests are running; try again.");
    }
    apr_table_setn(call->headers, "Retry-After",
                   apr_psprintf(call->pool, "%" APR_INT64_T_FMT, seconds));
}

/* Sends a test if there is a place for it. */
static void post_test(dsc_call_t *call, const dsc_http_post_t *post)
{
    const dsc_http_settings_t *http = &dsc_webhooks_of(call->service)->http;
    apr_time_t now = dsc_monotonic_now();
    apr_interval_time_t wait;
    dsc_http_response_t response;
    int place;
    dsc_work_slot_t verdict = dsc_work_slot_take(&tests, dsc_call_process_account(call), now,
                                                 now + http->total_timeout, &place, &wait);
    if (verdict != DSC_WORK_SLOT_TAKEN) {
        refuse_test(call, verdict, wait);
        return;
    }
    dsc_http_post(call->pool, http, post, &response);
    dsc_work_slot_release(&tests, place);
    write_result(call, &response);
}

/* Sends a signed test; no connection to the database is held meanwhile. */
static void send_test(dsc_call_t *call, const char *id, const char *url, const char *const *secrets,
                      int count)
{
    dsc_http_post_t post;
    const char *message_id = test_id(call->pool);

    post.url = url;
    post.body = test_body(call->pool, id);
    post.length = strlen(post.body);
    post.headers = message_id ? dsc_webhook_headers(call->pool, secrets, count, message_id,
                                                    post.body, post.length)
                              : NULL;
    if (!post.headers) {
        dsc_call_problem(call, 500, NULL);
        return;
    }
    pass_trace_on(call, (apr_array_header_t *)post.headers);
    post_test(call, &post);
}

/* Responds that nothing was sent. */
static void write_obstacle(dsc_call_t *call, const char *obstacle)
{
    dsc_http_response_t response = {.error = obstacle};
    write_result(call, &response);
}

static const dsc_shape_t receiver_shape =
    SHAPE("Receiver", "", TEXT("url", "t.url", ""), TEXT("present", "t.sealed_secret", ""),
          TEXT("previous", "CASE WHEN t.previous_until > now() THEN t.previous_sealed_secret END",
               ""));

static void test_webhook(dsc_call_t *call)
{
    const char *id = dsc_webhook_id(call);
    const char *secrets[2];
    dsc_result_t *rows;
    int count;

    if (!id ||
        !dsc_call_select_shape(call, &receiver_shape,
                               "live_webhook_endpoint t WHERE t.account_id = {account}"
                               " AND t.endpoint_id = ?",
                               "bigint", id, &rows) ||
        !dsc_webhook_found(call, rows, id)) {
        return;
    }
    dsc_call_release(call);
    if (!dsc_webhooks_of(call->service)->sends) {
        write_obstacle(call, "this server sends no webhooks");
        return;
    }
    count =
        dsc_webhook_open_both(call->pool, dsc_webhooks_of(call->service), dsc_webhook_account(call),
                              dsc_result_text(rows, 1), dsc_result_text(rows, 2), secrets);
    if (count) {
        send_test(call, id, dsc_result_text(rows, 0), secrets, count);
    } else {
        write_obstacle(call, "the signing secret cannot be opened");
    }
}

/* ----------------------------------------------------------------------- topics */

static void list_topics(dsc_call_t *call)
{
    const dsc_topic_t *const *topic;
    dsc_buffer_append_text(call->body, "{\"data\":[");
    for (topic = dsc_topics; *topic; topic++) {
        dsc_buffer_append_text(call->body, topic == dsc_topics ? "{" : ",{");
        dsc_json_name(call->body, "topic");
        dsc_json_text(call->body, (*topic)->name);
        dsc_buffer_append_char(call->body, ',');
        dsc_json_name(call->body, "description");
        dsc_json_text(call->body, (*topic)->description);
        dsc_buffer_append_char(call->body, '}');
    }
    dsc_buffer_append_text(call->body, "]}");
}

/* -------------------------------------------------------------------- endpoints */

static const dsc_source_t webhook_source = {
    .from = "live_webhook_endpoint t",
    .where = "t.account_id = {account}",
    .order = "t.endpoint_id",
    .order_type = "bigint",
    .tie = "t.endpoint_id",
    .unversioned = 1,
};

const dsc_endpoint_t dsc_endpoint_webhooks = {
    GET("list_webhook_endpoints", "/v1/webhook-endpoints"),
    ABOUT("Webhooks", "The account's webhook endpoints."),
    ALL(webhook_source, dsc_shape_webhook),
    DSC_WEBHOOK_OF_ACCOUNT,
};

const dsc_endpoint_t dsc_endpoint_webhook = {
    GET("get_webhook_endpoint", "/v1/webhook-endpoints/{id}"),
    ABOUT("Webhooks", "One webhook endpoint of the account."),
    ITEM(webhook_source, dsc_shape_webhook),
    PARAMETERS(PATH(INTEGER, "id", "Webhook endpoint ID.", .predicate = "t.endpoint_id = ?")),
    DSC_WEBHOOK_OF_ACCOUNT,
    .not_found = dsc_webhook_not_found,
};

const dsc_endpoint_t dsc_endpoint_delete_webhook = {
    DELETE("delete_webhook_endpoint", "/v1/webhook-endpoints/{id}"),
    ABOUT("Webhooks", "Removes a webhook endpoint and its pending deliveries."),
    HANDLER(delete_webhook, deleted_shape),
    PARAMETERS(DSC_WEBHOOK_ID),
    DSC_WEBHOOK_OF_ACCOUNT,
    .not_found = dsc_webhook_not_found,
};

const dsc_endpoint_t dsc_endpoint_test_webhook = {
    POST("test_webhook_endpoint", "/v1/webhook-endpoints/{id}/test"),
    ABOUT("Webhooks", "Sends a test delivery and returns its result."),
    HANDLER(test_webhook, test_shape),
    PARAMETERS(DSC_WEBHOOK_ID),
    DSC_WEBHOOK_OF_ACCOUNT,
    .not_found = dsc_webhook_not_found,
};

const dsc_endpoint_t dsc_endpoint_webhook_topics = {
    GET("list_webhook_topics", "/v1/webhook-topics"),
    ABOUT("Webhooks", "Topics that webhooks can subscribe to."),
    HANDLER(list_topics, topics_shape),
    .rows = "data",
    .feature = DSC_FEATURE_WEBHOOKS,
};
