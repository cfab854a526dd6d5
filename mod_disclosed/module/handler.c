#include "module/handler.h"

#include "access/credits.h"
#include "access/mix.h"
#include "engine/problem.h"
#include "mod_disclosed.h"
#include "module/config.h"
#include "module/request_body.h"
#include "module/visitor.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_log.h>
#include <http_protocol.h>
#include <http_request.h>
#include <stdatomic.h>
#include <stdlib.h>

APLOG_USE_MODULE(disclosed);

static uint64_t id_seed;
static _Atomic uint64_t id_counter;

/* Prefixes of the API's URL space. */
static const char *const owned[] = {"/v1", "/api/disclosed/v1"};

void dsc_handler_init(dsc_shared_state_t *state)
{
    dsc_visitor_init(state);
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
    return dsc_mix(x + UINT64_C(0x9e3779b97f4a7c15));
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

/* Where a request stands that the address's limit refuses: told before anything else. */
static int is_turned_away(const dsc_visitor_t *visitor)
{
    return visitor->verdict == DSC_VERIFY_BAD && !visitor->limit.allowed;
}

static void answer_refusal(request_rec *r, dsc_call_t *call, const dsc_visitor_t *visitor)
{
    const char *detail = visitor->limit.day_refused
                             ? apr_psprintf(r->pool,
                                            "The day's quota of %" APR_UINT64_T_FMT
                                            " requests is used up; see the Retry-After header.",
                                            (apr_uint64_t)visitor->limit.day.limit)
                             : NULL;
    dsc_call_problem(call, HTTP_TOO_MANY_REQUESTS, detail);
    send_answer(r, call);
}

/* 307, 404, 405 and OPTIONS: answered from the route alone. */
static void answer_route(request_rec *r, dsc_call_t *call, dsc_route_result_t result)
{
    if (result == DSC_ROUTE_TRAILING_SLASH) {
        send_without_slash(r, call);
        return;
    }
    if (result == DSC_ROUTE_METHOD) {
        apr_table_setn(call->headers, "Allow", call->route.allow);
    }
    if (result == DSC_ROUTE_METHOD && r->method_number == M_OPTIONS) {
        call->status = HTTP_NO_CONTENT;
    } else {
        dsc_call_problem(call,
                         result == DSC_ROUTE_METHOD ? HTTP_METHOD_NOT_ALLOWED : HTTP_NOT_FOUND,
                         NULL);
    }
    send_answer(r, call);
}

/* Without a key that is good: 401, or 503 and 500 while it cannot be told. */
static void answer_stranger(request_rec *r, dsc_call_t *call, dsc_verify_t verdict)
{
    if (verdict == DSC_VERIFY_BAD) {
        const char *portal = call->service->portal_url;
        dsc_call_problem(call, HTTP_UNAUTHORIZED, NULL);
        if (portal) {
            apr_table_addn(call->headers, "Link",
                           apr_pstrcat(r->pool, "<", portal, ">; rel=\"help\"", NULL));
        }
        apr_table_setn(call->headers, "WWW-Authenticate", "Bearer");
    } else {
        dsc_call_problem(call,
                         verdict == DSC_VERIFY_UNAVAILABLE ? HTTP_SERVICE_UNAVAILABLE
                                                           : HTTP_INTERNAL_SERVER_ERROR,
                         NULL);
    }
    send_answer(r, call);
}

/* The plan that the operation needs and the visitor's does not reach; NULL where it does. */
static const char *lacking_plan(const dsc_operation_t *operation, const dsc_plan_t *plan,
                                const dsc_access_t *access)
{
    const char *gate = access->gates[operation->index];
    if (gate && plan->rank < dsc_plan_find(access->plans, gate)->rank) {
        return gate;
    }
    if (!dsc_plan_has(plan, operation->endpoint->feature)) {
        const dsc_plan_t *least = dsc_plan_least(access->plans, operation->endpoint->feature);
        return least ? least->name : "none";
    }
    return NULL;
}

/* Whether the key's scopes and plan reach that far; answers with 403 where they do not. */
static int may_ask(request_rec *r, dsc_call_t *call, const dsc_visitor_t *visitor,
                   const dsc_access_t *access)
{
    const dsc_operation_t *operation = call->route.operation;
    const char *lacking = lacking_plan(operation, visitor->plan, access);
    if (!dsc_key_allows_endpoint(r->pool, &visitor->key, operation->endpoint->name)) {
        dsc_call_problem_of(call, "out-of-scope",
                            apr_psprintf(r->pool, "This key may not use the endpoint %s.",
                                         operation->endpoint->name),
                            NULL);
    } else if (lacking) {
        dsc_call_problem_of(call, "tier-required",
                            apr_psprintf(r->pool,
                                         "This endpoint needs the plan %s or a higher one.",
                                         lacking),
                            lacking);
    } else {
        return 1;
    }
    send_answer(r, call);
    return 0;
}

/* Announces that the endpoint will change or go (RFC 9745, RFC 8594). */
static void announce(dsc_call_t *call, const dsc_access_t *access)
{
    const dsc_deprecation_t *deprecation = access->deprecations[call->route.operation->index];
    if (deprecation) {
        apr_table_setn(call->headers, "Deprecation", deprecation->deprecation);
        apr_table_setn(call->headers, "Sunset", deprecation->sunset);
        if (deprecation->link) {
            apr_table_addn(call->headers, "Link", deprecation->link);
        }
    }
}

/* Reads the body of an operation that takes one; 0 with the answer sent where that fails. */
static int take_body(request_rec *r, dsc_call_t *call)
{
    int status = dsc_request_body_read(r, &call->request_body);
    if (status != OK && status != AP_FILTER_ERROR) { /* that one was answered by a filter */
        dsc_call_problem(call, status, NULL);
        send_answer(r, call);
    }
    return status == OK;
}

static void answer(request_rec *r, dsc_call_t *call, const dsc_visitor_t *visitor,
                   const dsc_access_t *access)
{
    if (call->route.operation->takes_body && !take_body(r, call)) {
        return;
    }
    call->caller.key_id = visitor->key_id;
    call->caller.plan = visitor->plan->name;
    call->caller.page_cap = visitor->plan->page_cap;
    call->caller.account = visitor->key.account_id;
    call->caller.credits = visitor->credits;
    call->caller.credit_cost = access->costs[call->route.operation->index];
    dsc_call_answer(call);
    dsc_credits_settle(call);
    if (call->status >= 500) {
        dsc_limit_refund(&visitor->limit);
    }
    send_answer(r, call);
}

/* ------------------------------------------------------------------------ calls */

/* The switches of the request's context. */
static int is_enabled(const dsc_operation_t *operation, void *baton)
{
    return dsc_directory_enabled(baton, operation);
}

/* The service as this request sees it: locations may switch endpoints of their own. */
static const dsc_service_t *service_of(request_rec *r, const dsc_server_config_t *config)
{
    dsc_directory_config_t *directory = ap_get_module_config(r->per_dir_config, &disclosed_module);
    dsc_service_t *service;
    if (directory->switches->nelts == 0) {
        return config->service;
    }
    service = apr_pmemdup(r->pool, config->service, sizeof(*service));
    service->enabled = is_enabled;
    service->enabled_baton = directory;
    return service;
}

static dsc_call_t *make_call(request_rec *r, const dsc_server_config_t *config)
{
    dsc_call_t *call = apr_pcalloc(r->pool, sizeof(*call));
    call->pool = r->pool;
    call->service = service_of(r, config);
    call->request_id = dsc_request_id(r);
    call->method = r->method;
    call->path = r->uri;
    call->query = r->args;
    call->if_none_match = apr_table_get(r->headers_in, "If-None-Match");
    call->trace_parent = apr_table_get(r->headers_in, "traceparent");
    call->trace_state = apr_table_get(r->headers_in, "tracestate");
    call->headers = apr_table_make(r->pool, 8);
    dsc_set_common_headers(r, r->headers_out);
    return call;
}

int dsc_handle(request_rec *r)
{
    const dsc_server_config_t *config;
    const dsc_visitor_t *visitor;
    dsc_route_result_t result;
    dsc_call_t *call;
    int status;

    if (strcmp(r->handler, DSC_HANDLER_NAME) != 0) {
        return DECLINED;
    }
    config = dsc_server_config(r->server);
    if (!config->service) {
        return DECLINED;
    }
    call = make_call(r, config);
    result = dsc_route(r->pool, call->service->registry, r->method, r->uri, call->service->enabled,
                       call->service->enabled_baton, &call->route);
    if (result != DSC_ROUTE_FOUND || !call->route.operation->takes_body) {
        status = ap_discard_request_body(r);
        if (status != OK) {
            return status;
        }
    }
    if (result == DSC_ROUTE_FOUND) {
        apr_table_setn(r->notes, MOD_DISCLOSED_NOTE_ENDPOINT,
                       call->route.operation->endpoint->name);
    }
    visitor = dsc_visitor(r, result == DSC_ROUTE_FOUND ? call->route.operation : NULL);
    if (is_turned_away(visitor)) {
        answer_refusal(r, call, visitor);
    } else if (result != DSC_ROUTE_FOUND) {
        answer_route(r, call, result);
    } else if (visitor->verdict != DSC_VERIFY_GOOD) {
        answer_stranger(r, call, visitor->verdict);
    } else if (!visitor->limit.allowed) {
        answer_refusal(r, call, visitor);
    } else if (may_ask(r, call, visitor, config->access)) {
        announce(call, config->access);
        answer(r, call, visitor, config->access);
    }
    return OK;
}
