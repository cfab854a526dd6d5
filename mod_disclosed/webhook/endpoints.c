/* The endpoints by which an account says where it wants to be told of what is new. */
#include "datasets/datasets.h"
#include "engine/json_writer.h"
#include "engine/problem.h"
#include "engine/query.h"
#include "engine/shape_walk.h"
#include "webhook/sealed_secret.h"
#include "webhook/service.h"
#include "webhook/signature.h"

#include <apr_escape.h>
#include <apr_general.h>
#include <apr_strings.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    MOST_ENDPOINTS = 50, /* of an account */
    MOST_TESTS = 8,      /* at a time in a process: each holds a thread while the receiver thinks */
    HINT_LENGTH = 12
};

/* ---------------------------------------------------------------------- shapes */

#define WEBHOOK_FIELDS                                                                             \
    {"id",                                                                                         \
     DSC_FIELD_INTEGER,                                                                            \
     0,                                                                                            \
     "t.endpoint_id",                                                                              \
     NULL,                                                                                         \
     NULL,                                                                                         \
     NULL,                                                                                         \
     NULL,                                                                                         \
     "Number of the webhook endpoint."},                                                           \
        {"url", DSC_FIELD_TEXT, 0, "t.url", NULL, NULL, NULL, NULL, "Where deliveries go."},       \
        {"topics", DSC_FIELD_JSON, DSC_ARRAY, DSC_JSON_ARRAY("t.topics"),  NULL,                   \
         NULL,     NULL,           NULL,      "Topics that it is told of."},                       \
    {                                                                                              \
        "created_at", DSC_FIELD_DATETIME, 0, "t.created_at", NULL, NULL, NULL, NULL,               \
            "When it was made, UTC."                                                               \
    }

static const dsc_field_t webhook_fields[] = {
    WEBHOOK_FIELDS,
    {"secret_hint", DSC_FIELD_TEXT, 0, "t.secret_hint", NULL, NULL, NULL, NULL,
     "The beginning of its signing secret."},
    {"disabled_at", DSC_FIELD_DATETIME, DSC_NULLABLE, "t.disabled_at", NULL, NULL, NULL, NULL,
     "Since when nothing is sent to it any more; null: it is in use."},
    {"disabled_reason", DSC_FIELD_TEXT, DSC_NULLABLE, "t.disabled_reason", NULL, NULL, NULL, NULL,
     "unwanted (it answered 410), failing (nothing arrived for five days) or administrator."},
};

static const dsc_shape_t webhook_shape = {"WebhookEndpoint", "Where an account is told of news.",
                                          webhook_fields, DSC_COUNT(webhook_fields)};

/* What the database says of a new one, and what its maker is told. */
static const dsc_field_t stored_fields[] = {WEBHOOK_FIELDS};

static const dsc_shape_t stored_shape = {"StoredWebhookEndpoint", "", stored_fields,
                                         DSC_COUNT(stored_fields)};

static const dsc_field_t created_fields[] = {
    WEBHOOK_FIELDS,
    {"signing_secret", DSC_FIELD_TEXT, 0, NULL, NULL, NULL, NULL, NULL,
     "Signs deliveries (Standard Webhooks). It is shown this once."},
};

static const dsc_shape_t created_shape = {"CreatedWebhookEndpoint",
                                          "A new webhook endpoint with its signing secret.",
                                          created_fields, DSC_COUNT(created_fields)};

static const dsc_field_t deleted_fields[] = {
    {"ok", DSC_FIELD_BOOLEAN, 0, NULL, NULL, NULL, NULL, NULL, "Always true."},
};

static const dsc_shape_t deleted_shape = {"WebhookEndpointDeleted", "It is gone.", deleted_fields,
                                          DSC_COUNT(deleted_fields)};

static const dsc_field_t result_fields[] = {
    {"delivered", DSC_FIELD_BOOLEAN, 0, NULL, NULL, NULL, NULL, NULL,
     "Whether the receiver answered with a status from 200 to 299."},
    {"status", DSC_FIELD_INTEGER, 0, NULL, NULL, NULL, NULL, NULL,
     "HTTP status of the receiver; 0: it did not answer."},
    {"error", DSC_FIELD_TEXT, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "Why there was no answer, or null."},
};

static const dsc_shape_t result_shape = {"WebhookTestResult", "How a test delivery went.",
                                         result_fields, DSC_COUNT(result_fields)};

static const dsc_field_t test_fields[] = {
    {"result", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &result_shape, "How it went."},
};

static const dsc_shape_t test_shape = {"WebhookTest", "A test delivery.", test_fields,
                                       DSC_COUNT(test_fields)};

static const dsc_field_t topic_fields[] = {
    {"topic", DSC_FIELD_TEXT, 0, NULL, NULL, NULL, NULL, NULL, "Name of the topic."},
    {"description", DSC_FIELD_TEXT, 0, NULL, NULL, NULL, NULL, NULL, "What it tells of."},
};

static const dsc_shape_t topic_shape = {"WebhookTopic", "What can be told.", topic_fields,
                                        DSC_COUNT(topic_fields)};

static const dsc_field_t topics_fields[] = {
    {"data", DSC_FIELD_JSON, DSC_ARRAY, NULL, NULL, NULL, NULL, &topic_shape, "All topics."},
};

static const dsc_shape_t topics_shape = {"WebhookTopics", "The topics.", topics_fields,
                                         DSC_COUNT(topics_fields)};

/* ------------------------------------------------------------------------ tools */

static const char *account_of(const dsc_call_t *call)
{
    return apr_psprintf(call->pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)call->caller.account);
}

/* Runs a statement that writes; 0 with the answer set where that fails. */
static int change(dsc_call_t *call, const char *sql, int count, const char *const *values,
                  dsc_result_t **rows)
{
    dsc_database_status_t status = dsc_call_change(call, sql, count, values, rows);
    if (status != DSC_DATABASE_OK) {
        dsc_call_database_problem(call, status);
    }
    return status == DSC_DATABASE_OK;
}

/* The path's id as SQL takes it; NULL with the answer set where it is beyond any. */
static const char *id_of(dsc_call_t *call)
{
    const dsc_value_t *id = dsc_call_value(call, "id");
    if (id->out_of_range) {
        dsc_call_problem(call, 404, apr_psprintf(call->pool, call->endpoint->not_found, id->text));
        return NULL;
    }
    return id->text;
}

/* The row, or a 404 where there is none. */
static int found(dsc_call_t *call, dsc_result_t *rows, const char *id)
{
    if (dsc_result_next(rows)) {
        return 1;
    }
    dsc_call_problem(call, 404, apr_psprintf(call->pool, call->endpoint->not_found, id));
    return 0;
}

/* --------------------------------------------------------------------- creating */

static int refuse_body(dsc_call_t *call, const char *name, const char *text, const char *input)
{
    apr_array_header_t *faults = apr_array_make(call->pool, 1, sizeof(dsc_fault_t));
    dsc_slice_t echoed = {input, input ? strlen(input) : 0};
    dsc_fault_value_error(faults, "body", name, text, echoed);
    dsc_call_faults(call, faults);
    return call->status;
}

/* Stores it; `rows` is empty where the account has as many as it may have. */
static int insert(dsc_call_t *call, const char *url, const char *sealed, const char *hint,
                  dsc_result_t **rows)
{
    const char *topics = dsc_array_literal(call->pool, dsc_call_value(call, "topics")->list);
    const char *values[] = {account_of(call),
                            url,
                            topics,
                            call->service->base_url,
                            sealed,
                            hint,
                            call->caller.key_id,
                            apr_itoa(call->pool, MOST_ENDPOINTS)};
    int columns;
    const char *sql = apr_pstrcat(
        call->pool,
        "INSERT INTO webhook_endpoint AS t"
        " (account_id, url, topics, base_url, sealed_secret, secret_hint, created_by)"
        " SELECT g.* FROM (SELECT %s::bigint AS account_id, %s::text, %s::text[], %s::text,"
        " %s::text, %s::text, %s::text) g WHERE (SELECT count(*) FROM live_webhook_endpoint o"
        " WHERE o.account_id = g.account_id) < %s::bigint RETURNING ",
        dsc_shape_select(call->pool, &stored_shape, &columns), NULL);
    return change(call, sql, DSC_COUNT(values), values, rows);
}

static const char *seal(const dsc_call_t *call, const char *secret)
{
    return secret ? dsc_secret_seal(call->pool, call->service->webhooks->keys[0],
                                    dsc_webhook_seal_context(call->pool, account_of(call)), secret)
                  : NULL;
}

static int create_webhook(dsc_call_t *call)
{
    const char *url = dsc_call_value(call, "url")->text;
    const char *fault = dsc_http_refusal(call->pool, &call->service->webhooks->http, url);
    const char *secret = dsc_webhook_secret_create(call->pool);
    const char *sealed = seal(call, secret);
    dsc_result_t *rows;
    int column = 0;

    if (fault) {
        return refuse_body(call, "url", fault, url);
    }
    if (!sealed) {
        return dsc_call_problem(call, 500, NULL);
    }
    if (!insert(call, url, sealed, apr_pstrmemdup(call->pool, secret, HINT_LENGTH), &rows)) {
        return call->status;
    }
    if (!dsc_result_next(rows)) {
        return refuse_body(call, NULL,
                           apr_psprintf(call->pool, "an account has at most %d webhook endpoints",
                                        MOST_ENDPOINTS),
                           NULL);
    }
    dsc_row_write(call->body, dsc_layout_create(call->pool, &stored_shape), rows, &column, 0);
    call->body->data[call->body->length - 1] = ','; /* the object goes on */
    dsc_json_name(call->body, "signing_secret");
    dsc_json_text(call->body, secret);
    dsc_buffer_append_char(call->body, '}');
    return call->status;
}

/* --------------------------------------------------------------------- deleting */

static int delete_webhook(dsc_call_t *call)
{
    static const char sql[] =
        "SELECT 1 FROM delete_webhook(%s::bigint, %s::bigint) AS was_there WHERE was_there";
    const char *values[] = {id_of(call), account_of(call)};
    dsc_result_t *rows;
    if (!values[0] || !change(call, sql, DSC_COUNT(values), values, &rows)) {
        return call->status;
    }
    if (found(call, rows, values[0])) {
        dsc_buffer_append_text(call->body, "{\"ok\":true}");
    }
    return call->status;
}

/* ---------------------------------------------------------------------- testing */

static _Atomic int tests_running;

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
    if (apr_generate_random_bytes(bytes, sizeof(bytes)) != APR_SUCCESS) {
        return NULL;
    }
    return apr_pstrcat(pool, "msg_", apr_pescape_hex(pool, bytes, sizeof(bytes), 0), NULL);
}

/* The W3C trace context of the request goes on with the delivery, where it is well-formed. */
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

static void write_result(dsc_call_t *call, const dsc_http_answer_t *answer)
{
    dsc_buffer_append_text(call->body, "{\"result\":{\"delivered\":");
    dsc_json_boolean(call->body, answer->status >= 200 && answer->status < 300);
    dsc_buffer_append_text(call->body, ",\"status\":");
    dsc_json_integer(call->body, answer->status);
    dsc_buffer_append_text(call->body, ",\"error\":");
    dsc_json_text(call->body, answer->error);
    dsc_buffer_append_text(call->body, "}}");
}

/* Sends a signed test; no connection to the database is held meanwhile. */
static int send_test(dsc_call_t *call, const char *id, const char *url, const char *const *secrets,
                     int count)
{
    dsc_http_post_t post;
    dsc_http_answer_t answer;
    const char *message_id = test_id(call->pool);

    post.url = url;
    post.body = test_body(call->pool, id);
    post.length = strlen(post.body);
    post.headers = message_id ? dsc_webhook_headers(call->pool, secrets, count, message_id,
                                                    post.body, post.length)
                              : NULL;
    if (!post.headers) {
        return dsc_call_problem(call, 500, NULL);
    }
    pass_trace_on(call, (apr_array_header_t *)post.headers);
    if (atomic_fetch_add(&tests_running, 1) >= MOST_TESTS) {
        dsc_call_problem(call, 503, "Too many webhook tests are running; try again.");
    } else {
        dsc_http_post(call->pool, &call->service->webhooks->http, &post, &answer);
        write_result(call, &answer);
    }
    atomic_fetch_sub(&tests_running, 1);
    return call->status;
}

/* Answers that nothing was sent. */
static int tell_obstacle(dsc_call_t *call, const char *obstacle)
{
    dsc_http_answer_t answer = {.error = obstacle};
    write_result(call, &answer);
    return call->status;
}

static int test_webhook(dsc_call_t *call)
{
    static const dsc_field_t fields[] = {
        {"url", DSC_FIELD_TEXT, 0, "t.url"},
        {"present", DSC_FIELD_TEXT, 0, "t.sealed_secret"},
        {"previous", DSC_FIELD_TEXT, 0,
         "CASE WHEN t.previous_until > now() THEN t.previous_sealed_secret END"},
    };
    static const dsc_shape_t shape = {"", "", fields, DSC_COUNT(fields)};
    const char *id = id_of(call);
    const char *secrets[2];
    dsc_result_t *rows;
    int count;

    if (!id ||
        !dsc_call_select_shape(call, &shape,
                               "live_webhook_endpoint t WHERE t.account_id = {account}"
                               " AND t.endpoint_id = ?",
                               "bigint", id, &rows) ||
        !found(call, rows, id)) {
        return call->status;
    }
    dsc_call_release(call);
    if (!call->service->webhooks->sends) {
        return tell_obstacle(call, "this server sends no webhooks");
    }
    count = dsc_webhook_open_both(call->pool, call->service->webhooks, account_of(call),
                                  dsc_result_text(rows, 1), dsc_result_text(rows, 2), secrets);
    return count ? send_test(call, id, dsc_result_text(rows, 0), secrets, count)
                 : tell_obstacle(call, "the signing secret cannot be opened");
}

/* ----------------------------------------------------------------------- topics */

static int list_topics(dsc_call_t *call)
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
    return call->status;
}

/* -------------------------------------------------------------------- endpoints */

enum {
    FLAGS = DSC_FROM_PRIMARY | DSC_FOR_WEBHOOKS
};

static const dsc_source_t webhook_source = {"live_webhook_endpoint t", "t.account_id = {account}",
                                            "t.endpoint_id",           "bigint",
                                            "t.endpoint_id",           1};

const dsc_endpoint_t dsc_endpoint_webhooks = {.name = "list_webhook_endpoints",
                                              .method = "GET",
                                              .path = "/v1/webhook-endpoints",
                                              .tag = "Webhooks",
                                              .summary = "The account's webhook endpoints.",
                                              .answer = DSC_ANSWER_ALL,
                                              .flags = FLAGS,
                                              .source = &webhook_source,
                                              .shape = &webhook_shape};

static const char *const topic_choices[] = {DSC_TOPIC_FILING, DSC_TOPIC_TRANSCRIPT, NULL};

static const dsc_parameter_t create_parameters[] = {
    {.name = "url",
     .place = DSC_IN_BODY,
     .type = DSC_URL,
     .flags = DSC_REQUIRED,
     .description = "Where deliveries are POSTed: https only, on a public address."},
    {.name = "topics",
     .place = DSC_IN_BODY,
     .type = DSC_LITERAL,
     .flags = DSC_REQUIRED | DSC_REPEATABLE | DSC_NOT_EMPTY,
     .choices = topic_choices,
     .description = "What to be told of."},
};

const dsc_endpoint_t dsc_endpoint_create_webhook = {
    .name = "create_webhook_endpoint",
    .method = "POST",
    .path = "/v1/webhook-endpoints",
    .tag = "Webhooks",
    .summary = "Makes a webhook endpoint; the answer shows its signing secret, this once.",
    .answer = DSC_ANSWER_HANDLER,
    .flags = FLAGS,
    .parameters = create_parameters,
    .parameter_count = DSC_COUNT(create_parameters),
    .shape = &created_shape,
    .handler = create_webhook};

static const dsc_parameter_t id_parameters[] = {
    {.name = "id",
     .place = DSC_IN_PATH,
     .type = DSC_INTEGER,
     .flags = DSC_REQUIRED,
     .description = "The webhook endpoint's id."},
};

static const char no_endpoint[] = "There is no webhook endpoint with the id \"%s\".";

const dsc_endpoint_t dsc_endpoint_delete_webhook = {
    .name = "delete_webhook_endpoint",
    .method = "DELETE",
    .path = "/v1/webhook-endpoints/{id}",
    .tag = "Webhooks",
    .summary = "Removes a webhook endpoint and what waits for it.",
    .answer = DSC_ANSWER_HANDLER,
    .flags = FLAGS,
    .parameters = id_parameters,
    .parameter_count = DSC_COUNT(id_parameters),
    .shape = &deleted_shape,
    .not_found = no_endpoint,
    .handler = delete_webhook};

const dsc_endpoint_t dsc_endpoint_test_webhook = {.name = "test_webhook_endpoint",
                                                  .method = "POST",
                                                  .path = "/v1/webhook-endpoints/{id}/test",
                                                  .tag = "Webhooks",
                                                  .summary =
                                                      "Sends a test delivery and says how it went.",
                                                  .answer = DSC_ANSWER_HANDLER,
                                                  .flags = FLAGS,
                                                  .parameters = id_parameters,
                                                  .parameter_count = DSC_COUNT(id_parameters),
                                                  .shape = &test_shape,
                                                  .not_found = no_endpoint,
                                                  .handler = test_webhook};

const dsc_endpoint_t dsc_endpoint_webhook_topics = {.name = "list_webhook_topics",
                                                    .method = "GET",
                                                    .path = "/v1/webhook-topics",
                                                    .tag = "Webhooks",
                                                    .summary = "What webhooks can tell of.",
                                                    .answer = DSC_ANSWER_HANDLER,
                                                    .flags = DSC_FOR_WEBHOOKS,
                                                    .shape = &topics_shape,
                                                    .handler = list_topics};
