/* The endpoints by which an account says where it wants to be told of what is new. */
#include "datasets/datasets.h"
#include "engine/json_writer.h"
#include "engine/problem.h"
#include "engine/query.h"
#include "engine/random.h"
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
    INTEGER("id", "t.endpoint_id", "Number of the webhook endpoint."),                             \
        TEXT("url", "t.url", "Where deliveries go."),                                              \
        JSON("topics", "t.topics", "Topics that it is told of.", .flags = DSC_ARRAY),              \
        DATETIME("created_at", "t.created_at", "When it was made, UTC.")

static const dsc_shape_t webhook_shape = SHAPE(
    "WebhookEndpoint", "Where an account is told of news.", WEBHOOK_FIELDS,
    TEXT("secret_hint", "t.secret_hint", "The beginning of its signing secret."),
    DATETIME("disabled_at", "t.disabled_at",
             "Since when nothing is sent to it any more; null: it is in use.", NULLABLE),
    TEXT(
        "disabled_reason", "t.disabled_reason",
        "unwanted (it responded with 410), failing (nothing arrived for five days) or administrator.",
        NULLABLE));

/* What the database says of a new one, and what its maker is told. */
static const dsc_shape_t stored_shape = SHAPE("StoredWebhookEndpoint", "", WEBHOOK_FIELDS);

static const dsc_shape_t created_shape =
    SHAPE("CreatedWebhookEndpoint", "A new webhook endpoint with its signing secret.",
          WEBHOOK_FIELDS,
          MEMBER(TEXT, "signing_secret",
                 "Signs deliveries (Standard Webhooks). It is shown only once."));

static const dsc_shape_t deleted_shape =
    SHAPE("WebhookEndpointDeleted", "It is gone.", MEMBER(BOOLEAN, "ok", "Always true."));

static const dsc_shape_t result_shape =
    SHAPE("WebhookTestResult", "How a test delivery went.",
          MEMBER(BOOLEAN, "delivered",
                 "Whether the receiver responded with a status from 200 to 299."),
          MEMBER(INTEGER, "status", "HTTP status of the receiver; 0: it did not respond."),
          MEMBER(TEXT, "error", "Why there was no response, or null.", NULLABLE));

static const dsc_shape_t test_shape =
    SHAPE("WebhookTest", "A test delivery.", OBJECT("result", result_shape, "How it went."));

static const dsc_shape_t topic_shape =
    SHAPE("WebhookTopic", "What can be told.", MEMBER(TEXT, "topic", "Name of the topic."),
          MEMBER(TEXT, "description", "What it tells of."));

static const dsc_shape_t topics_shape =
    SHAPE("WebhookTopics", "The topics.",
          MEMBER(JSON, "data", "All topics.", .flags = DSC_ARRAY, .shape = &topic_shape));

/* ------------------------------------------------------------------------ tools */

static const char *account_of(const dsc_call_t *call)
{
    return apr_psprintf(call->pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)call->caller->account);
}

/* Runs a statement that writes; 0 with the response set where that fails. */
static int change(dsc_call_t *call, const dsc_statement_t *statement, dsc_result_t **rows)
{
    dsc_database_status_t status = dsc_call_change(call, statement, rows);
    if (status != DSC_DATABASE_OK) {
        dsc_call_database_problem(call, status);
    }
    return status == DSC_DATABASE_OK;
}

/* The path's id as SQL takes it; NULL with the response set where it is beyond any. */
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

static void refuse_body(dsc_call_t *call, const char *name, const char *text, const char *input)
{
    apr_array_header_t *errors = apr_array_make(call->pool, 1, sizeof(dsc_validation_error_t));
    dsc_slice_t echoed = {input, input ? strlen(input) : 0};
    dsc_validation_error_add(errors, "body", name, text, echoed);
    dsc_call_validation_errors(call, errors);
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
                            call->caller->key_id,
                            apr_itoa(call->pool, MOST_ENDPOINTS)};
    dsc_statement_t statement = {NULL, DSC_COUNT(values), values, 0,
                                 dsc_shape_takes(call->pool, &stored_shape)};
    int columns;
    statement.sql =
        apr_pstrcat(call->pool, "SELECT ", dsc_shape_select(call->pool, &stored_shape, &columns),
                    " FROM create_webhook(%s::bigint, %s::text, %s::text[], %s::text, %s::text,"
                    " %s::text, %s::text, %s::integer) t",
                    NULL);
    return change(call, &statement, rows);
}

static const char *seal(const dsc_call_t *call, const char *secret)
{
    return secret ? dsc_secret_seal(call->pool, dsc_webhooks_of(call->service)->keys[0],
                                    dsc_webhook_seal_context(call->pool, account_of(call)), secret)
                  : NULL;
}

static void create_webhook(dsc_call_t *call)
{
    const char *url = dsc_call_value(call, "url")->text;
    const char *error = dsc_http_refusal(call->pool, &dsc_webhooks_of(call->service)->http, url);
    const char *secret = dsc_webhook_secret_create(call->pool);
    const char *sealed = seal(call, secret);
    dsc_result_t *rows;
    int column = 0;

    if (error) {
        refuse_body(call, "url", error, url);
        return;
    }
    if (!sealed) {
        dsc_call_problem(call, 500, NULL);
        return;
    }
    if (!insert(call, url, sealed, apr_pstrmemdup(call->pool, secret, HINT_LENGTH), &rows)) {
        return;
    }
    if (!dsc_result_next(rows)) {
        refuse_body(call, NULL,
                    apr_psprintf(call->pool, "an account has at most %d webhook endpoints",
                                 MOST_ENDPOINTS),
                    NULL);
        return;
    }
    dsc_row_write(call->body, dsc_layout_create(call->pool, &stored_shape), rows, &column, 0);
    call->body->data[call->body->length - 1] = ','; /* the object goes on */
    dsc_json_name(call->body, "signing_secret");
    dsc_json_text(call->body, secret);
    dsc_buffer_append_char(call->body, '}');
}

/* --------------------------------------------------------------------- deleting */

static void delete_webhook(dsc_call_t *call)
{
    static const char sql[] =
        "SELECT 1 FROM delete_webhook(%s::bigint, %s::bigint) AS was_there WHERE was_there";
    const char *values[] = {id_of(call), account_of(call)};
    const dsc_statement_t statement = {sql, DSC_COUNT(values), values, 0, NULL};
    dsc_result_t *rows;
    if (!values[0] || !change(call, &statement, &rows)) {
        return;
    }
    if (found(call, rows, values[0])) {
        dsc_buffer_append_text(call->body, "{\"ok\":true}");
    }
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
    if (!dsc_random_bytes(bytes, sizeof(bytes))) {
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

/* Sends a signed test; no connection to the database is held meanwhile. */
static void send_test(dsc_call_t *call, const char *id, const char *url, const char *const *secrets,
                      int count)
{
    dsc_http_post_t post;
    dsc_http_response_t response;
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
    if (atomic_fetch_add(&tests_running, 1) >= MOST_TESTS) {
        dsc_call_problem(call, 503, "Too many webhook tests are running; try again.");
    } else {
        dsc_http_post(call->pool, &dsc_webhooks_of(call->service)->http, &post, &response);
        write_result(call, &response);
    }
    atomic_fetch_sub(&tests_running, 1);
}

/* Responds that nothing was sent. */
static void tell_obstacle(dsc_call_t *call, const char *obstacle)
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
    const char *id = id_of(call);
    const char *secrets[2];
    dsc_result_t *rows;
    int count;

    if (!id ||
        !dsc_call_select_shape(call, &receiver_shape,
                               "live_webhook_endpoint t WHERE t.account_id = {account}"
                               " AND t.endpoint_id = ?",
                               "bigint", id, &rows) ||
        !found(call, rows, id)) {
        return;
    }
    dsc_call_release(call);
    if (!dsc_webhooks_of(call->service)->sends) {
        tell_obstacle(call, "this server sends no webhooks");
        return;
    }
    count = dsc_webhook_open_both(call->pool, dsc_webhooks_of(call->service), account_of(call),
                                  dsc_result_text(rows, 1), dsc_result_text(rows, 2), secrets);
    if (count) {
        send_test(call, id, dsc_result_text(rows, 0), secrets, count);
    } else {
        tell_obstacle(call, "the signing secret cannot be opened");
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

#define OF_ACCOUNT .flags = DSC_FROM_PRIMARY, .feature = DSC_FEATURE_WEBHOOKS

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
    ALL(webhook_source, webhook_shape),
    OF_ACCOUNT,
};

CHOICES(topic_choices, DSC_TOPIC_FILING, DSC_TOPIC_TRANSCRIPT);

const dsc_endpoint_t dsc_endpoint_create_webhook = {
    POST("create_webhook_endpoint", "/v1/webhook-endpoints"),
    ABOUT("Webhooks",
          "Creates a webhook endpoint; the response shows its signing secret, only once."),
    HANDLER(create_webhook, created_shape),
    PARAMETERS(BODY(URL, "url", "Where deliveries are POSTed: https only, on a public address.",
                    .flags = DSC_REQUIRED),
               BODY(LITERAL, "topics", "What to be told of.",
                    .flags = DSC_REQUIRED | DSC_REPEATABLE | DSC_NOT_EMPTY,
                    .choices = topic_choices)),
    OF_ACCOUNT,
};

#define ID_PARAMETER PATH(INTEGER, "id", "The webhook endpoint's id.")

static const char no_endpoint[] = "There is no webhook endpoint with the id \"%s\".";

const dsc_endpoint_t dsc_endpoint_delete_webhook = {
    DELETE("delete_webhook_endpoint", "/v1/webhook-endpoints/{id}"),
    ABOUT("Webhooks", "Removes a webhook endpoint and its pending deliveries."),
    HANDLER(delete_webhook, deleted_shape),
    PARAMETERS(ID_PARAMETER),
    OF_ACCOUNT,
    .not_found = no_endpoint,
};

const dsc_endpoint_t dsc_endpoint_test_webhook = {
    POST("test_webhook_endpoint", "/v1/webhook-endpoints/{id}/test"),
    ABOUT("Webhooks", "Sends a test delivery and says how it went."),
    HANDLER(test_webhook, test_shape),
    PARAMETERS(ID_PARAMETER),
    OF_ACCOUNT,
    .not_found = no_endpoint,
};

const dsc_endpoint_t dsc_endpoint_webhook_topics = {
    GET("list_webhook_topics", "/v1/webhook-topics"),
    ABOUT("Webhooks", "What webhooks can tell of."),
    HANDLER(list_topics, topics_shape),
    .feature = DSC_FEATURE_WEBHOOKS,
};
