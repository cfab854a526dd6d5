/* Parsers on a request's way as targets, and the whole way up to the database, which is empty
 * here. */
#include "fuzz/target.h"

#include "access/key.h"
#include "access/verify.h"
#include "datasets/datasets.h"
#include "engine/call.h"
#include "engine/cursor.h"
#include "engine/decimal.h"
#include "engine/json_syntax.h"
#include "engine/utf8.h"
#include "engine/value.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    abort();
}

static const char *text_of(apr_pool_t *pool, const char *data, size_t size)
{
    return apr_pstrmemdup(pool, data, size); /* up to a NUL, as httpd hands texts over */
}

/* -------------------------------------------------------------------------- values */

static const char *const choices[] = {"asc", "desc", "as_reported", NULL};

/* A value that is taken is taken again in its canonical form, and that stays as it is. */
static void read_value(apr_pool_t *pool, dsc_parameter_type_t type, dsc_slice_t input)
{
    const dsc_parameter_t parameter = {.name = "v", .type = type, .choices = choices};
    dsc_scalar_t value = {0}, again = {0};
    dsc_refusal_t refusal = {0};

    input = dsc_utf8_clean(pool, input);
    if (!dsc_value_read(pool, &parameter, input, &value, &refusal)) {
        if (refusal.type == NULL || refusal.message == NULL) {
            fail("a refusal without a reason", input.data);
        }
        return;
    }
    if (!dsc_value_read(pool, &parameter, (dsc_slice_t){value.text, strlen(value.text)}, &again,
                        &refusal) ||
        strcmp(value.text, again.text) != 0) {
        fail("a canonical value is read differently", value.text);
    }
}

static void parse_values(apr_pool_t *pool, const char *data, size_t size)
{
    int type;

    for (type = DSC_INTEGER; type <= DSC_URL; type++) {
        read_value(pool, (dsc_parameter_type_t)type, (dsc_slice_t){data, size});
    }
}

static void parse_decimal(apr_pool_t *pool, const char *data, size_t size)
{
    dsc_buffer_t *once = dsc_buffer_create(pool, 64), *again = dsc_buffer_create(pool, 64);
    dsc_decimal_t decimal;

    if (!dsc_decimal_parse(data, size, &decimal) || labs(decimal.exponent) > 1000) {
        return;
    }
    dsc_decimal_write(once, &decimal, -3);
    if (!dsc_decimal_parse(once->data, once->length, &decimal)) {
        fail("a number that was written cannot be read", dsc_buffer_text(once));
    }
    dsc_decimal_write(again, &decimal, 0);
    if (strcmp(dsc_buffer_text(once), dsc_buffer_text(again)) != 0) {
        fail("a number changes", dsc_buffer_text(once));
    }
}

/* ---------------------------------------------------------------------- whole queries */

static void parse_query(apr_pool_t *pool, const char *data, size_t size)
{
    apr_array_header_t *pairs = dsc_query_parse(pool, text_of(pool, data, size));
    int endpoint, i;

    for (endpoint = 0; dsc_endpoints[endpoint] != NULL; endpoint++) {
        const dsc_endpoint_t *one = dsc_endpoints[endpoint];
        apr_array_header_t *path = apr_array_make(pool, 4, sizeof(dsc_slice_t));
        apr_array_header_t *errors = apr_array_make(pool, 4, sizeof(dsc_validation_error_t));
        dsc_buffer_t *text = dsc_buffer_create(pool, 1024);

        for (i = 0; i < one->parameter_count; i++) {
            if (one->parameters[i].location == DSC_IN_PATH) {
                APR_ARRAY_PUSH(path, dsc_slice_t) = (dsc_slice_t){data, size > 40 ? 40 : size};
            }
        }
        if (!dsc_parameters_read(pool, one->parameters, one->parameter_count, path, pairs,
                                 apr_pcalloc(pool, sizeof(dsc_value_t) *
                                                       ((size_t)one->parameter_count + 1)),
                                 errors)) {
            dsc_validation_errors_write(text, errors);
        }
    }
}

static void parse_cursor(apr_pool_t *pool, const char *data, size_t size)
{
    static const unsigned char key[DSC_CURSOR_KEY_SIZE] = "0123456789abcdef0123456789abcdef";
    const char *text = text_of(pool, data, size);
    unsigned char binding[DSC_CURSOR_BINDING_SIZE];
    dsc_cursor_t cursor;

    dsc_cursor_binding("list", 4, binding);
    if (dsc_cursor_decode(pool, key, NULL, binding, text, &cursor) &&
        strcmp(dsc_cursor_encode(pool, key, binding, &cursor), text) != 0) {
        fail("a cursor has two texts", text);
    }
}

/* -------------------------------------------------------------------------- bodies */

static void parse_json(apr_pool_t *pool, const char *data, size_t size)
{
    dsc_slice_t text = dsc_utf8_clean(pool, (dsc_slice_t){data, size});
    dsc_json_error_t error = dsc_json_syntax(text);
    json_t *json = memchr(text.data, '\0', text.length) != NULL
                       ? NULL /* jansson takes a NUL for the end */
                       : json_loadb(text.data, text.length, JSON_DECODE_ANY, NULL);

    if (json != NULL && error.message != NULL && error.message != DSC_JSON_TOO_DEEP) {
        fail("JSON that parses is said to be wrong", error.message);
    }
    json_decref(json);
}

static void parse_body(apr_pool_t *pool, const char *data, size_t size)
{
    const dsc_body_t body = {"application/json", {data, size}};
    int endpoint;

    for (endpoint = 0; dsc_endpoints[endpoint] != NULL; endpoint++) {
        const dsc_endpoint_t *one = dsc_endpoints[endpoint];
        apr_array_header_t *errors = apr_array_make(pool, 4, sizeof(dsc_validation_error_t));
        dsc_buffer_t *text = dsc_buffer_create(pool, 1024);
        dsc_value_t *values =
            apr_pcalloc(pool, sizeof(*values) * ((size_t)one->parameter_count + 1));
        json_t *json;

        if (dsc_body_is_taken(one->parameters, one->parameter_count) &&
            dsc_body_parse(pool, &body, &json, errors) == DSC_BODY_READ) {
            if (memchr(data, '\0', size) != NULL) {
                fail("a body with a NUL is taken", "");
            }
            (void)dsc_body_read(pool, one->parameters, one->parameter_count, json, values, errors);
        }
        dsc_validation_errors_write(text, errors);
    }
}

/* ------------------------------------------------------------------- the whole way */

static void log_nothing(void *baton, int number, const char *text)
{
    (void)baton, (void)number, (void)text;
}

/* Made once, for the life of the program. */
static dsc_database_t *database(void)
{
    static const dsc_database_config_t config = {.conninfo = "host=/nonexistent",
                                                 .maximum = 1,
                                                 .acquire_timeout = 1000000,
                                                 .statement_timeout = 1000000,
                                                 .application_name = "fuzz",
                                                 .log = log_nothing};
    static dsc_database_t *made;

    if (made == NULL && dsc_database_create(dsc_fuzz_pool, &config, &made) != APR_SUCCESS) {
        fail("no database", "");
    }
    return made;
}

static void parse_key(apr_pool_t *pool, const char *data, size_t size)
{
    static dsc_shared_state_t *state;
    const char *header = text_of(pool, data, size);
    dsc_verified_key_t key;
    dsc_verify_t verdict;
    dsc_key_t parts;
    dsc_standing_t standing;

    if (state == NULL) {
        state = apr_pcalloc(dsc_fuzz_pool, sizeof(*state));
        dsc_shared_state_init(state);
    }
    (void)dsc_key_parse(data, size, &parts);
    if (strchr(header, '*') != NULL) { /* stands for a key whose checksum is right */
        char *text = apr_pcalloc(pool, DSC_KEY_LENGTH + 1);
        (void)dsc_key_generate(1, text);
        header = apr_pstrcat(pool, apr_pstrmemdup(pool, header, strcspn(header, "*")), text,
                             strchr(header, '*') + 1, NULL);
    }
    verdict = dsc_verify_cached(state, 0, header, &key, &standing);
    if (verdict == DSC_VERIFY_UNKNOWN) {
        verdict = dsc_verify_ask(pool, database(), state, 0, header,
                                 dsc_database_deadline(database()), &key);
    }
    if (verdict == DSC_VERIFY_GOOD) {
        fail("a key that nobody has is good", header);
    }
}

static unsigned long long version(int dataset, void *baton)
{
    (void)baton;
    return (unsigned long long)dataset + 1;
}

static int find_company(dsc_call_t *call, const char *symbol)
{
    call->company = (dsc_company_t){.issuer_id = 7,
                                    .symbol = symbol,
                                    .ticker = symbol,
                                    .market = "US",
                                    .name = "Example",
                                    .cik = "0000000007"};
    return 1;
}

/* Nothing costs credits here. */
static const dsc_caller_t caller;

static int reserve(dsc_call_t *call)
{
    (void)call;
    return 1;
}

static const dsc_service_t *service(void)
{
    static const unsigned char key[DSC_CURSOR_KEY_SIZE] = "0123456789abcdef0123456789abcdef";
    static dsc_service_t made;

    if (made.registry == NULL) {
        made = (dsc_service_t){.registry = dsc_registry_create(dsc_fuzz_pool, dsc_endpoints),
                               .database = database(),
                               .cursor_key = key,
                               .base_url = "https://api.example",
                               .docs_url = "https://docs.example",
                               .version = version,
                               .find_company = find_company,
                               .reserve = reserve};
    }
    return &made;
}

/* Takes a line off; NULL at the end. */
static char *next_line(char **rest)
{
    char *line = *rest;

    if (line == NULL || *line == '\0') {
        return NULL;
    }
    *rest = strchr(line, '\n');
    if (*rest != NULL) {
        *(*rest)++ = '\0';
    }
    return line;
}

/* "METHOD TARGET", lines of headers, an empty line, the body: as much of HTTP as reaches the
 * engine. */
static void parse_request(apr_pool_t *pool, const char *data, size_t size)
{
    dsc_call_t *call = apr_pcalloc(pool, sizeof(*call));
    char *rest = apr_pstrmemdup(pool, data, size), *line = next_line(&rest), *target, *query;

    if (line == NULL || (target = strchr(line, ' ')) == NULL) {
        return;
    }
    *target++ = '\0';
    call->pool = pool;
    call->service = service();
    call->caller = &caller;
    call->method = line;
    query = strchr(target, '?');
    if (query != NULL) {
        *query++ = '\0';
    }
    call->query = query;
    call->path = apr_punescape_url(pool, target, NULL, NULL, 0);
    call->headers = apr_table_make(pool, 8);
    call->request_id = "req_0";
    while ((line = next_line(&rest)) != NULL && *line != '\0') {
        if (strncmp(line, "If-None-Match: ", 15) == 0) {
            call->if_none_match = line + 15;
        } else if (strncmp(line, "Content-Type: ", 14) == 0) {
            call->request_body.content_type = line + 14;
        }
    }
    call->request_body.bytes =
        (dsc_slice_t){rest == NULL ? "" : rest, rest == NULL ? 0 : strlen(rest)};
    if (call->path != NULL && dsc_route(pool, call->service->registry, call->method, call->path,
                                        NULL, NULL, &call->route) == DSC_ROUTE_FOUND) {
        dsc_call_respond(call);
        if (call->status == 0 || (call->status == 500)) {
            fail("no response", target);
        }
    }
}

const dsc_target_t dsc_request_targets[] = {
    {"request", parse_request, NULL, NULL, {0}},
    {"query", parse_query, NULL, NULL, {0}},
    {"values", parse_values, NULL, NULL, {0}},
    {"decimal", parse_decimal, NULL, NULL, {0}},
    {"cursor", parse_cursor, NULL, NULL, {0}},
    {"json", parse_json, NULL, NULL, {0}},
    {"body", parse_body, NULL, NULL, {0}},
    {"key", parse_key, NULL, NULL, {0}},
    {NULL, NULL, NULL, NULL, {0}},
};
