/* The lifecycle of a request: steps in order, a row each. A step lets the request go on or makes the response,
 * which is sent in one place. */
#include "module/lifecycle.h"

#include "engine/problem.h"
#include "mod_disclosed.h"
#include "module/client.h"
#include "module/config.h"
#include "module/handler.h"
#include "module/log.h"
#include "module/request_body.h"
#include "module/response_cache.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_protocol.h>
#include <http_request.h>
#include <stdlib.h>

APLOG_USE_MODULE(disclosed);

/* A request on its way. */
typedef struct {
    request_rec *r;
    const dsc_server_config_t *config;
    dsc_call_t *call;
    const dsc_client_t *client; /* from step "client" on */
    dsc_route_result_t routed;  /* from step "route" on */
} request_t;

/* ------------------------------------------------------------------------- out */

static void free_body(void *bytes)
{
    free(bytes);
}

/* The body as a bucket, without copying it; NULL: there is none. */
static apr_bucket *body_bucket(request_rec *r, dsc_call_t *call)
{
    apr_bucket_alloc_t *allocator = r->connection->bucket_alloc;
    size_t length;
    char *bytes;
    if (!call->body || !call->body->length) {
        return dsc_response_cache_body(call, allocator);
    }
    bytes = dsc_buffer_take(call->body, &length);
    return apr_bucket_heap_create(bytes, length, free_body, allocator);
}

/* Hands the body to httpd; the rest of it where it was begun before. One that fails on its way is cut off: httpd
 * leaves out what would end it, so that the client sees that it is not whole. */
static apr_status_t pass_body(request_rec *r, dsc_call_t *call)
{
    apr_bucket_alloc_t *allocator = r->connection->bucket_alloc;
    apr_bucket_brigade *brigade = apr_brigade_create(r->pool, allocator);
    int is_cut = call->is_started && call->status != HTTP_OK;
    apr_bucket *body = is_cut ? NULL : body_bucket(r, call);
    if (body && !call->is_started) {
        ap_set_content_length(r, (apr_off_t)body->length);
    }
    if (body) {
        APR_BRIGADE_INSERT_TAIL(brigade, body);
    }
    if (is_cut) {
        APR_BRIGADE_INSERT_TAIL(brigade,
                                ap_bucket_error_create(HTTP_BAD_GATEWAY, NULL, r->pool, allocator));
        r->connection->keepalive = AP_CONN_CLOSE;
    }
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_eos_create(allocator));
    return ap_pass_brigade(r->output_filters, brigade);
}

static void set_headers(request_rec *r, dsc_call_t *call)
{
    if (!apr_is_empty_table(call->headers)) {
        r->headers_out = apr_table_overlay(r->pool, call->headers, r->headers_out);
    }
    r->status = call->status;
    if (call->content_type) {
        ap_set_content_type(r, call->content_type);
    }
}

/* Passes on what there is of a long body. */
static int flush(dsc_call_t *call)
{
    request_rec *r = call->flush_baton;
    apr_bucket_alloc_t *allocator = r->connection->bucket_alloc;
    apr_bucket_brigade *brigade = apr_brigade_create(r->pool, allocator);
    size_t length;
    char *bytes;
    if (!call->is_started) {
        dsc_call_finish(call);
        set_headers(r, call);
        call->is_started = 1;
    }
    bytes = dsc_buffer_take(call->body, &length);
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_heap_create(bytes, length, free_body, allocator));
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_flush_create(allocator));
    return !r->header_only && ap_pass_brigade(r->output_filters, brigade) == APR_SUCCESS &&
           !r->connection->aborted;
}

static int send_response(request_rec *r, dsc_call_t *call)
{
    apr_status_t rv;
    if (!call->is_started) {
        set_headers(r, call);
    }
    /* An outage (503) is logged where it is found, and not for each request. */
    if (call->status >= 500 && call->status != HTTP_SERVICE_UNAVAILABLE) {
        ap_log_rerror(DSC_MESSAGE(REQUEST_FAILED, 0, r), call->request_id, call->status);
    }
    dsc_response_cache_send(call);
    rv = pass_body(r, call);
    if (rv != APR_SUCCESS && !r->connection->aborted) {
        ap_log_rerror(APLOG_MARK, APLOG_DEBUG, rv, r, "the response could not be written");
    }
    return OK;
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

/* Whether the client prefers to be told of what is not understood (RFC 7240, section 4.4). */
static int is_strict(request_rec *r)
{
    const char *prefer = apr_table_get(r->headers_in, "Prefer");
    const char *at = prefer ? ap_strcasestr(prefer, "handling") : NULL;
    if (!at) {
        return 0;
    }
    at += strlen("handling");
    at += strspn(at, " \t=\"");
    return strncasecmp(at, "strict", 6) == 0;
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
    call->accept = apr_table_get(r->headers_in, "Accept");
    call->is_strict = is_strict(r);
    call->flush = flush;
    call->flush_baton = r;
    call->caching = dsc_response_cache_begin(r, config);
    dsc_set_common_headers(r, r->headers_out);
    if (call->is_strict) {
        apr_table_setn(r->headers_out, "Preference-Applied", "handling=strict");
    }
    return call;
}

/* ------------------------------------------------------------------------ steps */

/* A step returns OK, and the next one follows; DONE when the call has its response; or a status that httpd is left to
 * response, AP_FILTER_ERROR where a filter has already sent a response. */

/* The problem of that status as the response. */
static int problem(request_t *request, int status, const char *detail)
{
    dsc_call_problem(request->call, status, detail);
    return DONE;
}

static int find_operation(request_t *request)
{
    dsc_call_t *call = request->call;
    const dsc_service_t *service = call->service;
    request->routed = dsc_route(call->pool, service->registry, call->method, call->path,
                                service->enabled, service->enabled_baton, &call->route);
    if (request->routed == DSC_ROUTE_FOUND) {
        apr_table_setn(request->r->notes, MOD_DISCLOSED_NOTE_ENDPOINT,
                       call->route.operation->endpoint->name);
    } else {
        call->route.operation = NULL;
    }
    return OK;
}

static int discard_body(request_t *request)
{
    const dsc_operation_t *operation = request->call->route.operation;
    return operation && operation->takes_body ? OK : ap_discard_request_body(request->r);
}

static int identify_client(request_t *request)
{
    request->client = dsc_client(request->r, request->call->route.operation);
    request->call->caller = &request->client->caller;
    return OK;
}

static int check_limit(request_t *request)
{
    const dsc_limit_verdict_t *limit = &request->client->limit;
    return limit->allowed ? OK
                          : problem(request, HTTP_TOO_MANY_REQUESTS,
                                    dsc_limit_detail(request->r->pool, limit));
}

/* An address that sends bad keys too often is told so before it learns which paths there are. */
static int check_address(request_t *request)
{
    return request->client->verdict == DSC_VERIFY_BAD ? check_limit(request) : OK;
}

/* A 307 to the path without its slash, the query kept. */
static int redirect_without_slash(request_t *request)
{
    request_rec *r = request->r;
    const char *path = apr_pescape_path(r->pool, r->uri, 0);
    char *location = apr_pstrmemdup(r->pool, path, strlen(path) - 1);
    if (r->args) {
        location = apr_pstrcat(r->pool, location, "?", r->args, NULL);
    }
    apr_table_setn(request->call->headers, "Location", location);
    request->call->status = HTTP_TEMPORARY_REDIRECT;
    return DONE;
}

/* 307, 404, 405 and OPTIONS. */
static int require_operation(request_t *request)
{
    dsc_call_t *call = request->call;
    switch (request->routed) {
    case DSC_ROUTE_FOUND:
        return OK;
    case DSC_ROUTE_TRAILING_SLASH:
        return redirect_without_slash(request);
    case DSC_ROUTE_METHOD:
        apr_table_setn(call->headers, "Allow", call->route.allow);
        call->status = HTTP_NO_CONTENT;
        return request->r->method_number == M_OPTIONS
                   ? DONE
                   : problem(request, HTTP_METHOD_NOT_ALLOWED, NULL);
    default:
        return problem(request, HTTP_NOT_FOUND, NULL);
    }
}

/* Whether the operation is read without a key: nobody has put it behind a plan, and no key is sent. */
static int is_keyless(const request_t *request)
{
    const dsc_operation_t *operation = request->call->route.operation;
    return (operation->endpoint->flags & DSC_KEYLESS) &&
           !request->config->access->gates[operation->index] &&
           !apr_table_get(request->r->headers_in, "Authorization");
}

/* 401; 503 and 500 while it cannot be told whether the key is good. */
static int require_key(request_t *request)
{
    apr_table_t *headers = request->call->headers;
    const char *portal = request->call->service->portal_url;
    switch (request->client->verdict) {
    case DSC_VERIFY_GOOD:
        return OK;
    case DSC_VERIFY_UNAVAILABLE:
        return problem(request, HTTP_SERVICE_UNAVAILABLE, NULL);
    case DSC_VERIFY_BAD:
        if (is_keyless(request)) {
            return OK;
        }
        if (portal) {
            apr_table_addn(headers, "Link",
                           apr_pstrcat(request->r->pool, "<", portal, ">; rel=\"help\"", NULL));
        }
        apr_table_setn(headers, "WWW-Authenticate", "Bearer");
        return problem(request, HTTP_UNAUTHORIZED, NULL);
    default:
        return problem(request, HTTP_INTERNAL_SERVER_ERROR, NULL);
    }
}

static int require_scope(request_t *request)
{
    const char *name = request->call->route.operation->endpoint->name;
    if (!request->client->plan ||
        dsc_key_allows_endpoint(request->r->pool, &request->client->key, name)) {
        return OK;
    }
    dsc_call_problem_of(request->call, "out-of-scope",
                        apr_psprintf(request->r->pool, "This key may not use the endpoint %s.",
                                     name),
                        NULL);
    return DONE;
}

/* The plan that the operation needs and the client's does not reach; NULL where it does. */
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

static int require_plan(request_t *request)
{
    const dsc_plan_t *plan = request->client->plan;
    const char *lacking =
        plan ? lacking_plan(request->call->route.operation, plan, request->config->access) : NULL;
    if (!lacking) {
        return OK;
    }
    dsc_call_problem_of(request->call, "tier-required",
                        apr_psprintf(request->r->pool,
                                     "This endpoint needs the plan %s or a higher one.", lacking),
                        lacking);
    return DONE;
}

/* Announces that the endpoint will change or go (RFC 9745, RFC 8594). */
static int announce(request_t *request)
{
    apr_table_t *headers = request->call->headers;
    const dsc_deprecation_t *deprecation =
        request->config->access->deprecations[request->call->route.operation->index];
    if (deprecation) {
        apr_table_setn(headers, "Deprecation", deprecation->deprecation);
        apr_table_setn(headers, "Sunset", deprecation->sunset);
        if (deprecation->link) {
            apr_table_addn(headers, "Link", deprecation->link);
        }
    }
    return OK;
}

static int read_body(request_t *request)
{
    int status = request->call->route.operation->takes_body
                     ? dsc_request_body_read(request->r, &request->call->request_body)
                     : OK;
    return status == OK || status == AP_FILTER_ERROR ? status : problem(request, status, NULL);
}

/* The engine responds; what fails on our side is not charged. */
static int response(request_t *request)
{
    dsc_call_respond(request->call);
    if (request->call->status >= 500) {
        dsc_limit_refund(&request->client->limit);
    }
    return DONE;
}

static int (*const steps[])(request_t *request) = {
    find_operation, discard_body,  identify_client, check_address, require_operation, require_key,
    check_limit,    require_scope, require_plan,    announce,      read_body,         response,
};

int dsc_handle(request_rec *r)
{
    request_t request = {.r = r, .config = dsc_server_config(r->server)};
    int status = OK;
    size_t i;

    if (strcmp(r->handler, DSC_HANDLER_NAME) != 0 || !request.config->service) {
        return DECLINED;
    }
    request.call = make_call(r, request.config);
    for (i = 0; status == OK && i < sizeof(steps) / sizeof(steps[0]); i++) {
        status = steps[i](&request);
    }
    if (status == DONE) {
        return send_response(r, request.call);
    }
    return status == AP_FILTER_ERROR ? OK : status;
}
