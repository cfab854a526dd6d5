#include "module/handler.h"

#include "access/verify.h"
#include "engine/problem.h"
#include "mod_disclosed.h"
#include "module/config.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>
#include <stdatomic.h>
#include <stdlib.h>

APLOG_USE_MODULE(disclosed);

static dsc_shared_state_t *shared;
static uint64_t id_seed;
static _Atomic uint64_t id_counter;

/* Prefixes of the API's URL space. */
static const char *const owned[] = {"/v1", "/api/disclosed/v1"};

void dsc_handler_init(dsc_shared_state_t *state)
{
    shared = state;
    if (apr_generate_random_bytes((unsigned char *)&id_seed, sizeof(id_seed)) != APR_SUCCESS) {
        id_seed = (uint64_t)apr_time_now() ^ (uint64_t)getpid() << 32;
    }
}

int dsc_owns_path(const char *path)
{
    size_t i;
    for (i = 0; i < sizeof(owned) / sizeof(owned[0]); i++) {
        size_t length = strlen(owned[i]);
        if (strncmp(path, owned[i], length) == 0 && (path[length] == '/' || path[length] == '\0')) {
            return 1;
        }
    }
    return 0;
}

/* SplitMix64: spreads a counter over 64 bits; ids need to be distinct, not secret. */
static uint64_t spread(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

const char *dsc_request_id(request_rec *r)
{
    static const char hex[] = "0123456789abcdef";
    const char *id = apr_table_get(r->notes, MOD_DISCLOSED_NOTE_REQUEST_ID);
    char *made;
    uint64_t count, bits;
    int i;
    if (id) {
        return id;
    }
    count = atomic_fetch_add(&id_counter, 1);
    bits = spread(id_seed + count);
    made = apr_palloc(r->pool, 4 + 24 + 1);
    memcpy(made, "req_", 4);
    for (i = 0; i < 16; i++, bits >>= 4) {
        made[4 + i] = hex[bits & 15];
    }
    bits = id_seed ^ count;
    for (i = 16; i < 24; i++, bits >>= 4) {
        made[4 + i] = hex[bits & 15];
    }
    made[28] = '\0';
    apr_table_setn(r->notes, MOD_DISCLOSED_NOTE_REQUEST_ID, made);
    return made;
}

const char *disclosed_request_id(request_rec *r)
{
    int is_ours = dsc_server_config(r->server)->service && r->uri && dsc_owns_path(r->uri);
    return is_ours ? dsc_request_id(r) : NULL;
}

void dsc_set_common_headers(request_rec *r, apr_table_t *headers)
{
    apr_table_setn(headers, "X-Request-Id", dsc_request_id(r));
    apr_table_setn(headers, "Cache-Control", "private, no-cache");
    apr_table_mergen(headers, "Vary", "Authorization, Accept, Accept-Encoding");
}

/* ------------------------------------------------------------------------- out */

static void free_body(void *bytes)
{
    free(bytes);
}

/* Hands the built body to httpd as one bucket, without copying it. */
static apr_status_t pass_body(request_rec *r, dsc_buffer_t *body)
{
    apr_bucket_alloc_t *allocator = r->connection->bucket_alloc;
    apr_bucket_brigade *brigade = apr_brigade_create(r->pool, allocator);
    if (body && body->length) {
        size_t length;
        char *bytes = dsc_buffer_take(body, &length);
        ap_set_content_length(r, (apr_off_t)length);
        APR_BRIGADE_INSERT_TAIL(brigade,
                                apr_bucket_heap_create(bytes, length, free_body, allocator));
    }
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_eos_create(allocator));
    return ap_pass_brigade(r->output_filters, brigade);
}

static int send_answer(request_rec *r, dsc_call_t *call)
{
    apr_status_t rv;
    if (!apr_is_empty_table(call->headers)) {
        r->headers_out = apr_table_overlay(r->pool, call->headers, r->headers_out);
    }
    r->status = call->status;
    if (call->content_type) {
        ap_set_content_type(r, call->content_type);
    }
    /* An outage (503) is logged where it is found, and not for each request. */
    if (call->status >= 500 && call->status != HTTP_SERVICE_UNAVAILABLE) {
        ap_log_rerror(APLOG_MARK, APLOG_ERR, 0, r, "DSC0010: %s answered with %d", call->request_id,
                      call->status);
    }
    rv = pass_body(r, call->body);
    if (rv != APR_SUCCESS && !r->connection->aborted) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, rv, r, "the answer could not be written");
    }
    return OK;
}

/* -------------------------------------------------------------------- the road */

/* A 307 to the path without its slash, the query kept. */
static int send_without_slash(request_rec *r, dsc_call_t *call)
{
    const char *path = apr_pescape_path(r->pool, r->uri, 0);
    char *location = apr_pstrmemdup(r->pool, path, strlen(path) - 1);
    if (r->args) {
        location = apr_pstrcat(r->pool, location, "?", r->args, NULL);
    }
    apr_table_setn(call->headers, "Location", location);
    call->status = HTTP_TEMPORARY_REDIRECT;
    return send_answer(r, call);
}

/* 404, 405 and OPTIONS: answered from the route alone. Returns 1 when the call goes on. */
static int route(request_rec *r, dsc_call_t *call)
{
    const dsc_service_t *service = call->service;
    dsc_route_result_t result = dsc_route(r->pool, service->registry, r->method, r->uri,
                                          service->enabled, service->enabled_baton, &call->route);
    switch (result) {
    case DSC_ROUTE_FOUND:
        apr_table_setn(r->notes, MOD_DISCLOSED_NOTE_ENDPOINT,
                       call->route.operation->endpoint->name);
        return 1;
    case DSC_ROUTE_TRAILING_SLASH:
        send_without_slash(r, call);
        return 0;
    case DSC_ROUTE_METHOD:
        apr_table_setn(call->headers, "Allow", call->route.allow);
        if (r->method_number == M_OPTIONS) {
            call->status = HTTP_NO_CONTENT;
        } else {
            dsc_call_problem(call, HTTP_METHOD_NOT_ALLOWED, NULL);
        }
        send_answer(r, call);
        return 0;
    default:
        dsc_call_problem(call, HTTP_NOT_FOUND, NULL);
        send_answer(r, call);
        return 0;
    }
}

/* Who calls; 401 or 503 otherwise. Returns 1 when the call goes on. */
static int authenticate(request_rec *r, dsc_call_t *call, const dsc_server_config_t *config)
{
    dsc_verified_key_t *key = apr_palloc(r->pool, sizeof(*key));
    dsc_verify_t verdict = dsc_verify(r->pool, config->key_database, shared, (uint32_t)config->area,
                                      apr_table_get(r->headers_in, "Authorization"), key);
    if (verdict == DSC_VERIFY_GOOD) {
        call->caller.key_id = apr_pstrmemdup(r->pool, key->key_id, sizeof(key->key_id));
        call->caller.plan = key->plan;
        call->caller.page_cap = dsc_plan_page_cap(key->plan, (int)key->live);
        apr_table_setn(r->notes, MOD_DISCLOSED_NOTE_KEY, call->caller.key_id);
        r->user = (char *)call->caller.key_id;
        return 1;
    }
    if (verdict == DSC_VERIFY_BAD) {
        dsc_call_problem(call, HTTP_UNAUTHORIZED, NULL);
        apr_table_setn(call->headers, "WWW-Authenticate", "Bearer");
    } else {
        dsc_call_problem(call,
                         verdict == DSC_VERIFY_UNAVAILABLE ? HTTP_SERVICE_UNAVAILABLE
                                                           : HTTP_INTERNAL_SERVER_ERROR,
                         NULL);
    }
    send_answer(r, call);
    return 0;
}

static dsc_call_t *make_call(request_rec *r, const dsc_server_config_t *config)
{
    dsc_call_t *call = apr_pcalloc(r->pool, sizeof(*call));
    call->pool = r->pool;
    call->service = config->service;
    call->request_id = dsc_request_id(r);
    call->method = r->method;
    call->path = r->uri;
    call->query = r->args;
    call->if_none_match = apr_table_get(r->headers_in, "If-None-Match");
    call->headers = apr_table_make(r->pool, 8);
    dsc_set_common_headers(r, r->headers_out);
    return call;
}

int dsc_handle(request_rec *r)
{
    const dsc_server_config_t *config;
    dsc_call_t *call;
    int status;

    if (strcmp(r->handler, DSC_HANDLER_NAME) != 0) {
        return DECLINED;
    }
    config = dsc_server_config(r->server);
    if (!config->service) {
        return DECLINED;
    }
    status = ap_discard_request_body(r);
    if (status != OK) {
        return status;
    }
    call = make_call(r, config);
    if (route(r, call) && authenticate(r, call, config)) {
        dsc_call_answer(call);
        send_answer(r, call);
    }
    return OK;
}
