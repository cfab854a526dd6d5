/* The endpoints that create and change webhook endpoints, and rotate their secrets. */
#include "webhook/endpoint_tools.h"

#include "engine/constructors.h"
#include "engine/json_writer.h"
#include "engine/problem.h"
#include "engine/query.h"
#include "engine/shape_walk.h"
#include "webhook/sealed_secret.h"
#include "webhook/signature.h"

#include <apr_cstr.h>
#include <apr_general.h>
#include <apr_strings.h>
#include <string.h>

enum {
    MOST_ENDPOINTS = 50, /* of an account */
    MOST_SYMBOLS = 100,  /* of an endpoint, */
    MOST_FORMS = 50,
    LONGEST_FORM = 20,
    HINT_LENGTH = 12
};

/* What the database says of one, and its owner is shown once; the secret is the last column. */
static const dsc_shape_t stored_shape =
    SHAPE("StoredWebhookEndpoint", "", DSC_WEBHOOK_FIELDS,
          TEXT("sealed_secret", "t.sealed_secret", "It is not shown."));
static const dsc_shape_t shown_shape = SHAPE("ShownWebhookEndpoint", "", DSC_WEBHOOK_FIELDS);

static const dsc_shape_t created_shape =
    SHAPE("CreatedWebhookEndpoint", "A webhook endpoint with its new signing secret.",
          DSC_WEBHOOK_FIELDS,
          MEMBER(TEXT, "signing_secret",
                 "Signs deliveries (Standard Webhooks). It is shown only once."));

/* ----------------------------------------------------------------------- filters */

/* Companies and forms that an endpoint is subscribed to, as SQL takes them; NULL: nothing is
 * said. */
typedef struct {
    const char *symbols, *issuers, *forms;
} filters_t;

static const char *list_of(const dsc_call_t *call, const char *name)
{
    const dsc_value_t *value = dsc_call_value(call, name);
    return value->given ? dsc_array_literal(call->pool, value->list) : NULL;
}

/* Where the client has sent the symbol. */
static int index_of(const dsc_call_t *call, const char *symbol)
{
    const json_t *sent = json_object_get(call->request_json, "symbols");
    int place = 0, count = (int)json_array_size(sent);
    while (place < count &&
           apr_cstr_casecmp(json_string_value(json_array_get(sent, (size_t)place)), symbol) != 0) {
        place++;
    }
    return place < count ? place : -1;
}

/* The companies that symbols mean now; 0 with a 422 for the first one that means none. */
static int resolve(dsc_call_t *call, filters_t *filters)
{
    const char *unknown;
    if (!dsc_find_issuers(call, dsc_call_value(call, "symbols")->list, &filters->issuers,
                          &unknown)) {
        return 0;
    }
    dsc_call_release(call);
    if (unknown) {
        dsc_webhook_refuse(call, "symbols", index_of(call, unknown),
                           "there is no company with that symbol");
    }
    return !unknown;
}

static int is_too_long(dsc_call_t *call, const char *name, int most)
{
    const dsc_value_t *value = dsc_call_value(call, name);
    if (!value->given || value->list->nelts <= most) {
        return 0;
    }
    dsc_webhook_refuse(call, name, -1,
                       apr_psprintf(call->pool, "a webhook endpoint has at most %d of them", most));
    return 1;
}

static int read_filters(dsc_call_t *call, filters_t *filters)
{
    if (is_too_long(call, "symbols", MOST_SYMBOLS) || is_too_long(call, "forms", MOST_FORMS)) {
        return 0;
    }
    filters->symbols = list_of(call, "symbols");
    filters->issuers = NULL;
    filters->forms = list_of(call, "forms");
    return !filters->symbols || resolve(call, filters);
}

/* Of a new one an empty list is as good as none. */
static const char *unless_empty(const char *list)
{
    return list && strcmp(list, "{}") != 0 ? list : NULL;
}

/* ----------------------------------------------------------------------- secrets */

static const char *seal(const dsc_call_t *call, const char *secret)
{
    return secret ? dsc_secret_seal(call->pool, dsc_webhooks_of(call->service)->keys[0],
                                    dsc_webhook_seal_context(call->pool, dsc_webhook_account(call)),
                                    secret)
                  : NULL;
}

/* Responds with the endpoint and its signing secret, as it is stored: the request may be a
 * repetition. */
static void show_secret(dsc_call_t *call, const char *id)
{
    dsc_result_t *rows;
    const char *secret;
    int column = 0;
    if (!dsc_call_select_shape(call, &stored_shape,
                               "live_webhook_endpoint t WHERE t.account_id = {account}"
                               " AND t.endpoint_id = ?",
                               "bigint", id, &rows) ||
        !dsc_webhook_found(call, rows, id)) {
        return;
    }
    dsc_call_release(call);
    secret = dsc_webhook_open(call->pool, dsc_webhooks_of(call->service), dsc_webhook_account(call),
                              dsc_result_text(rows, stored_shape.field_count - 1));
    if (!secret) {
        dsc_call_problem(call, 500, NULL);
        return;
    }
    dsc_row_write(call->body, dsc_layout_create(call->pool, &shown_shape), rows, &column, 0);
    call->body->data[call->body->length - 1] = ','; /* the object goes on */
    dsc_json_name(call->body, "signing_secret");
    dsc_json_text(call->body, secret);
    dsc_buffer_append_char(call->body, '}');
}

/* ---------------------------------------------------------------------- creating */

static int is_url_refused(dsc_call_t *call)
{
    const char *url = dsc_call_value(call, "url")->text;
    const char *error =
        url ? dsc_http_refusal(call->pool, &dsc_webhooks_of(call->service)->http, url) : NULL;
    if (error) {
        dsc_webhook_refuse(call, "url", -1, error);
    }
    return error != NULL;
}

/* Stores it; its id, or NULL with the response set. */
static const char *insert(dsc_call_t *call, const char *sealed, const char *hint,
                          const filters_t *filters)
{
    static const char sql[] =
        "SELECT outcome, result FROM create_webhook(%s::bigint, %s::text, %s::text[], %s::text,"
        " %s::text, %s::text, %s::text, %s::text[], %s::bigint[], %s::text[], %s::integer,"
        " %s::text, %s::text)";
    const char *values[] = {dsc_webhook_account(call),
                            dsc_call_value(call, "url")->text,
                            list_of(call, "topics"),
                            call->service->base_url,
                            sealed,
                            hint,
                            call->caller->key_id,
                            unless_empty(filters->symbols),
                            unless_empty(filters->symbols) ? filters->issuers : NULL,
                            unless_empty(filters->forms),
                            apr_itoa(call->pool, MOST_ENDPOINTS),
                            call->idempotency_key,
                            dsc_webhook_digest(call)};
    const dsc_statement_t statement = {sql, (int)DSC_COUNT(values), values, 0, NULL, NULL};
    dsc_result_t *rows;
    if (!dsc_webhook_key_is_good(call) || !dsc_webhook_change(call, &statement, &rows) ||
        !dsc_result_next(rows)) {
        return NULL;
    }
    if (strcmp(dsc_result_text(rows, 0), "full") == 0) {
        dsc_webhook_refuse(call, NULL, -1,
                           apr_psprintf(call->pool, "an account has at most %d webhook endpoints",
                                        MOST_ENDPOINTS));
        return NULL;
    }
    return dsc_webhook_outcome(call, dsc_result_text(rows, 0), "") ? dsc_result_text(rows, 1)
                                                                   : NULL;
}

static void create_webhook(dsc_call_t *call)
{
    filters_t filters;
    const char *secret, *sealed, *id;

    if (is_url_refused(call) || !read_filters(call, &filters)) {
        return;
    }
    secret = dsc_webhook_secret_create(call->pool);
    sealed = seal(call, secret);
    if (!sealed) {
        dsc_call_problem(call, 500, NULL);
        return;
    }
    id = insert(call, sealed, apr_pstrmemdup(call->pool, secret, HINT_LENGTH), &filters);
    if (id) {
        show_secret(call, id);
    }
}

/* ---------------------------------------------------------------------- changing */

static void show(dsc_call_t *call, const char *id)
{
    dsc_result_t *rows;
    int column = 0;
    if (dsc_call_select_shape(call, &dsc_shape_webhook,
                              "live_webhook_endpoint t WHERE t.account_id = {account}"
                              " AND t.endpoint_id = ?",
                              "bigint", id, &rows) &&
        dsc_webhook_found(call, rows, id)) {
        dsc_row_write(call->body, dsc_layout_create(call->pool, &dsc_shape_webhook), rows, &column,
                      0);
    }
}

static void change_webhook(dsc_call_t *call)
{
    const char *id = dsc_webhook_id(call), *result;
    filters_t filters;

    if (!id || is_url_refused(call) || !read_filters(call, &filters)) {
        return;
    }
    const char *values[] = {id,
                            dsc_webhook_account(call),
                            dsc_call_value(call, "url")->text,
                            list_of(call, "topics"),
                            dsc_call_value(call, "enabled")->text,
                            filters.symbols,
                            filters.issuers,
                            filters.forms};
    if (dsc_webhook_run(call,
                        "change_webhook(%s::bigint, %s::bigint, %s::text, %s::text[], %s::boolean,"
                        " %s::text[], %s::bigint[], %s::text[]) AS outcome, (SELECT NULL) AS"
                        " n(result)",
                        (int)DSC_COUNT(values), values, id, &result)) {
        show(call, id);
    }
}

static void rotate_webhook(dsc_call_t *call)
{
    const char *id = dsc_webhook_id(call), *result;
    const char *secret = dsc_webhook_secret_create(call->pool);
    const char *sealed = seal(call, secret);

    if (!id) {
        return;
    }
    if (!sealed) {
        dsc_call_problem(call, 500, NULL);
        return;
    }
    const char *values[] = {id,
                            dsc_webhook_account(call),
                            sealed,
                            apr_pstrmemdup(call->pool, secret, HINT_LENGTH),
                            dsc_call_value(call, "overlap_hours")->text,
                            call->idempotency_key,
                            dsc_webhook_digest(call)};
    if (dsc_webhook_run(call,
                        "rotate_webhook(%s::bigint, %s::bigint, %s::text, %s::text,"
                        " %s::integer * interval '1 hour', %s::text, %s::text)",
                        (int)DSC_COUNT(values), values, id, &result)) {
        show_secret(call, id);
    }
}

/* --------------------------------------------------------------------- endpoints */

#define URL_MEMBER(...)                                                                            \
    BODY(URL, "url", "URL that deliveries are POSTed to: https only, on a public address.",        \
         __VA_ARGS__)
#define TOPICS_MEMBER(flags_)                                                                      \
    BODY(LITERAL, "topics", "Topics to subscribe to.",                                             \
         .flags = DSC_REPEATABLE | DSC_NOT_EMPTY | (flags_), .choices = dsc_webhook_topic_choices)
#define FILTER_MEMBERS                                                                             \
    BODY(SYMBOL, "symbols",                                                                        \
         "Only events about these companies, TICKER:MARKET or TICKER; an empty list means all.",   \
         .flags = DSC_REPEATABLE),                                                                 \
        BODY(STRING, "forms",                                                                      \
             "Only filings with these form types, exactly as filed; an empty list means all.",     \
             .flags = DSC_REPEATABLE, BETWEEN(1, LONGEST_FORM))

const dsc_endpoint_t dsc_endpoint_create_webhook = {
    POST("create_webhook_endpoint", "/v1/webhook-endpoints"),
    ABOUT("Webhooks", "Creates a webhook endpoint. Only this response shows its signing secret."),
    HANDLER(create_webhook, created_shape),
    PARAMETERS(URL_MEMBER(.flags = DSC_REQUIRED), TOPICS_MEMBER(DSC_REQUIRED), FILTER_MEMBERS),
    STATUSES(409),
    DSC_WEBHOOK_ONCE,
};

const dsc_endpoint_t dsc_endpoint_change_webhook = {
    PATCH("change_webhook_endpoint", "/v1/webhook-endpoints/{id}"),
    ABOUT("Webhooks", "Changes a webhook endpoint; members that are left out keep their values."),
    HANDLER(change_webhook, dsc_shape_webhook),
    PARAMETERS(DSC_WEBHOOK_ID, URL_MEMBER(), TOPICS_MEMBER(0),
               BODY(BOOLEAN, "enabled",
                    "false: nothing is sent from now on, and pending deliveries are dropped; "
                    "true: new events are sent, and earlier failures no longer count."),
               FILTER_MEMBERS),
    STATUSES(409),
    DSC_WEBHOOK_OF_ACCOUNT,
    .not_found = dsc_webhook_not_found,
};

const dsc_endpoint_t dsc_endpoint_rotate_webhook = {
    POST("rotate_webhook_secret", "/v1/webhook-endpoints/{id}/rotate-secret"),
    ABOUT("Webhooks",
          "Replaces the signing secret. Only this response shows the new one. Until the "
          "overlap ends, deliveries are signed with both."),
    HANDLER(rotate_webhook, created_shape),
    PARAMETERS(DSC_WEBHOOK_ID, BODY(INTEGER, "overlap_hours",
                                    "Hours for which deliveries are also signed with the old "
                                    "secret; 0: it is not used any more.",
                                    BETWEEN(0, 168), .default_text = "24")),
    STATUSES(409),
    DSC_WEBHOOK_ONCE,
    .not_found = dsc_webhook_not_found,
};
