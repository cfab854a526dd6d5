/* The lifecycle of a request: steps in order, a row each. A step lets the request go on or makes
 * the response, which is sent in one place. */
#include "module/lifecycle.h"

#include "engine/problem.h"
#include "mod_disclosed.h"
#include "module/client.h"
#include "module/config.h"
#include "module/cors.h"
#include "module/exports.h"
#include "module/handler.h"
#include "module/log.h"
#include "module/request_body.h"
#include "module/response_cache.h"
#include "module/share.h"

#include <apr_escape.h>
#include <apr_portable.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_protocol.h>
#include <http_request.h>
#include <stdlib.h>
#include <sys/socket.h>

APLOG_USE_MODULE(disclosed);

/* ------------------------------------------------------------------------- out */

static void free_body(void *bytes)
{
    free(bytes);
}

static void leave_body(void *bytes)
{
    (void)bytes;
}

/* The body as a bucket, without copying it; NULL: there is none. */
static apr_bucket *body_bucket(request_rec *r, dsc_call_t *call)
{
    apr_bucket_alloc_t *allocator = r->connection->bucket_alloc;
    size_t length;
    char *bytes;
    if (call->kept) {
        /* HTTP/2 copies a bucket of any other kind for each stream. */
        return apr_bucket_heap_create(call->kept->body.data, call->kept->body.length, leave_body,
                                      allocator);
    }
    if (!call->body || !call->body->length) {
        return dsc_response_cache_body(call, allocator);
    }
    bytes = dsc_buffer_take(call->body, &length);
    return apr_bucket_heap_create(bytes, length, free_body, allocator);
}

/* Resets the connection: of a response whose only end is that of the connection, the client sees
 * that it is not whole (RFC 9112, section 8). */
static void reset_connection(conn_rec *connection)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    apr_os_sock_t socket;
    if (apr_os_sock_get(&socket, ap_get_conn_socket(connection)) == APR_SUCCESS) {
        (void)setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    }
    connection->aborted = 1;
}

/* Hands the body to httpd; the rest of it if it was begun before. One that fails on its way is cut
 * off: httpd leaves out what would end it, so that the client sees that it is not whole. */
static apr_status_t pass_body(request_rec *r, dsc_call_t *call)
{
    apr_bucket_alloc_t *allocator = r->connection->bucket_alloc;
    apr_bucket_brigade *brigade = apr_brigade_create(r->pool, allocator);
    int is_cut = call->is_started && (call->status != HTTP_OK || r->connection->aborted);
    apr_bucket *body = is_cut ? NULL : body_bucket(r, call);
    if (is_cut && !r->chunked && !r->connection->master) {
        reset_connection(r->connection);
        return APR_ECONNABORTED;
    }
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
    dsc_request_body_leave(r);
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
    size_t length;
    char *bytes;
    if (!call->is_started) {
        dsc_call_finish(call);
        set_headers(r, call);
        call->is_started = 1;
    }
    bytes = dsc_buffer_take(call->body, &length);
    if (r->header_only) {
        free_body(bytes);
        return 0;
    }
    return dsc_exports_send(r, call,
                            apr_bucket_heap_create(bytes, length, free_body,
                                                   r->connection->bucket_alloc));
}

static size_t body_length(const dsc_call_t *call)
{
    if (call->kept) {
        return call->kept->body.length;
    }
    return call->body && call->body->length ? call->body->length : dsc_response_cache_length(call);
}

/* Counts the response as unread, once. A large one is refused if requests at the same time have
 * used up the client's share. */
static int count_unread(dsc_call_t *call)
{
    request_rec *r = call->flush_baton;
    const dsc_client_t *client = dsc_client_of(r);
    call->may_send = NULL;
    if (!client || dsc_share_take_response(r, client, body_length(call))) {
        return 1;
    }
    call->kept = NULL;
    apr_table_clear(call->headers);
    dsc_share_refuse(call);
    return 0;
}

static int send_response(request_rec *r, dsc_call_t *call)
{
    apr_status_t rv;
    if (!call->is_started) {
        if (call->may_send) {
            (void)call->may_send(call);
        }
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
    dsc_exports_end(call);
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

/* Whether the client prefers an error for parameters that are not known (RFC 7240, section 4.4). */
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
    call->idempotency_key = apr_table_get(r->headers_in, "Idempotency-Key");
    call->trace_parent = apr_table_get(r->headers_in, "traceparent");
    call->trace_state = apr_table_get(r->headers_in, "tracestate");
    call->headers = apr_table_make(r->pool, 8);
    call->accept = apr_table_get(r->headers_in, "Accept");
    call->is_strict = is_strict(r);
    call->flush = flush;
    call->flush_baton = r;
    call->begin_export = dsc_exports_begin;
    call->may_send = count_unread;
    call->caching = dsc_response_cache_begin(r, config);
    dsc_set_common_headers(r, r->headers_out);
    dsc_cors_set_headers(r, config);
    if (call->is_strict) {
        apr_table_setn(r->headers_out, "Preference-Applied", "handling=strict");
    }
    return call;
}

/* ------------------------------------------------------------------------ steps */

int dsc_request_problem(dsc_request_t *request, int status, const char *detail)
{
    dsc_call_problem(request->call, status, detail);
    return DONE;
}

/* A browser asks whether a page may call: without a key, and at no cost. */
int dsc_request_preflight(dsc_request_t *request)
{
    if (!dsc_cors_preflight(request->r)) {
        return OK;
    }
    request->call->status = HTTP_NO_CONTENT;
    return DONE;
}

static int find_operation(dsc_request_t *request)
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

int dsc_request_identify(dsc_request_t *request)
{
    request->client = dsc_client(request->r, request->call->route.operation);
    request->call->caller = &request->client->caller;
    request->call->deadline = request->client->deadline;
    return OK;
}

int dsc_request_check_limit(dsc_request_t *request)
{
    const dsc_limit_verdict_t *limit = &request->client->limit;
    return limit->allowed ? OK
                          : dsc_request_problem(request, HTTP_TOO_MANY_REQUESTS,
                                                dsc_limit_detail(request->r->pool, limit));
}

/* An address that sends bad keys too often is rejected before it learns which paths exist. */
static int check_address(dsc_request_t *request)
{
    return request->client->verdict == DSC_VERIFY_BAD ? dsc_request_check_limit(request) : OK;
}

/* A 307 to the path without its slash, the query kept. Clients reach it behind the path of the base
 * URL, if that has one. */
static int redirect_without_slash(dsc_request_t *request)
{
    request_rec *r = request->r;
    const char *before = strchr(strstr(request->call->service->base_url, "://") + 3, '/');
    const char *path =
        apr_pstrcat(r->pool, before ? before : "", apr_pescape_path(r->pool, r->uri, 0), NULL);
    char *location = apr_pstrmemdup(r->pool, path, strlen(path) - 1);
    if (r->args) {
        location = apr_pstrcat(r->pool, location, "?", r->args, NULL);
    }
    apr_table_setn(request->call->headers, "Location", location);
    request->call->status = HTTP_TEMPORARY_REDIRECT;
    return DONE;
}

/* 307, 404, 405 and OPTIONS. */
static int require_operation(dsc_request_t *request)
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
                   : dsc_request_problem(request, HTTP_METHOD_NOT_ALLOWED, NULL);
    default:
        return dsc_request_problem(request, HTTP_NOT_FOUND, NULL);
    }
}

/* Whether the operation is read without a key: nobody has put it behind a plan, and no key is
 * sent. */
static int is_keyless(const dsc_request_t *request)
{
    const dsc_operation_t *operation = request->call->route.operation;
    return operation && (operation->endpoint->flags & DSC_KEYLESS) &&
           !request->config->access->gates[operation->index] &&
           !apr_table_get(request->r->headers_in, "Authorization");
}

/* 401; 503 and 500 while it cannot be determined whether the key is good. */
int dsc_request_require_key(dsc_request_t *request)
{
    apr_table_t *headers = request->call->headers;
    const char *portal = request->call->service->portal_url;
    switch (request->client->verdict) {
    case DSC_VERIFY_GOOD:
        return OK;
    case DSC_VERIFY_UNAVAILABLE:
    case DSC_VERIFY_UNCERTAIN:
        return dsc_request_problem(request, HTTP_SERVICE_UNAVAILABLE, NULL);
    case DSC_VERIFY_BAD:
        if (is_keyless(request)) {
            return OK;
        }
        if (portal) {
            apr_table_addn(headers, "Link",
                           apr_pstrcat(request->r->pool, "<", portal, ">; rel=\"help\"", NULL));
        }
        apr_table_setn(headers, "WWW-Authenticate", "Bearer");
        return dsc_request_problem(request, HTTP_UNAUTHORIZED, NULL);
    default:
        return dsc_request_problem(request, HTTP_INTERNAL_SERVER_ERROR, NULL);
    }
}

/* A client that does not read what it has asked for, or does not send what it has begun, gets
 * nothing more that has to be kept for it. */
int dsc_request_check_share(dsc_request_t *request)
{
    if (dsc_share_has_room(request->client)) {
        return OK;
    }
    dsc_share_refuse(request->call);
    return DONE;
}

static int require_scope(dsc_request_t *request)
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

/* The plan that the operation needs and the client's does not reach; NULL if it does. */
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

static int require_plan(dsc_request_t *request)
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
static int announce(dsc_request_t *request)
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

/* A coding that no input filter has taken off (RFC 9110, section 15.5.16). */
static int refuse_coding(dsc_request_t *request)
{
    apr_table_setn(request->call->headers, "Accept-Encoding", "identity");
    return dsc_request_problem(request, HTTP_UNSUPPORTED_MEDIA_TYPE,
                               "The body has a Content-Encoding: send it as it is, without one.");
}

/* The problem of a body that could not be read or dropped. */
static int body_problem(dsc_request_t *request, int status)
{
    if (status == HTTP_TOO_MANY_REQUESTS) {
        dsc_share_refuse(request->call);
        return DONE;
    }
    return status == OK || status == AP_FILTER_ERROR ? status
                                                     : dsc_request_problem(request, status, NULL);
}

int dsc_request_take_body(dsc_request_t *request, int wanted)
{
    int status;

    if (!wanted) {
        return body_problem(request, dsc_request_body_drop(request->r));
    }
    status = dsc_request_body_read(request->r, request->client, &request->call->request_body);
    request->call->deadline = 0; /* a client that is slow has taken none of the database's time */
    if (status == OK && dsc_request_body_is_coded(request->r)) {
        return refuse_coding(request);
    }
    return body_problem(request, status);
}

static int take_body(dsc_request_t *request)
{
    return dsc_request_take_body(request, request->call->route.operation->takes_body);
}

/* The engine responds; what fails on our side is not charged. */
static int response(dsc_request_t *request)
{
    dsc_call_respond(request->call);
    if (request->call->status >= 500) {
        dsc_limit_refund(&request->client->limit);
    }
    return DONE;
}

static dsc_step_t *const all_steps[] = {dsc_request_preflight,
                                        find_operation,
                                        dsc_request_identify,
                                        check_address,
                                        require_operation,
                                        dsc_request_require_key,
                                        dsc_request_check_limit,
                                        dsc_request_check_share,
                                        require_scope,
                                        require_plan,
                                        announce,
                                        take_body,
                                        response,
                                        NULL};

void dsc_request_begin(dsc_request_t *request, request_rec *r)
{
    memset(request, 0, sizeof(*request));
    request->r = r;
    request->config = dsc_server_config(r->server);
    if (r->method_number != M_GET || r->header_only) { /* httpd takes HEAD for a GET */
        /* Ranges are of GET alone (RFC 9110, section 14.2), and httpd's filter cuts any
         * response. */
        apr_table_unset(r->headers_in, "Range");
    }
    request->call = make_call(r, request->config);
}

/* Takes the steps up to the first that does not let the request go on. Returns what that returned,
 * OK when all were taken. */
static int take_steps(dsc_request_t *request, dsc_step_t *const *steps)
{
    int status = OK;
    while (status == OK && *steps) {
        status = (*steps++)(request);
    }
    return status;
}

int dsc_request_run(dsc_request_t *request, dsc_step_t *const *steps)
{
    int status = take_steps(request, steps);
    if (status == DONE) {
        return send_response(request->r, request->call);
    }
    return status == AP_FILTER_ERROR ? OK : status;
}

int dsc_handle(request_rec *r)
{
    dsc_request_t request;
    if (strcmp(r->handler, DSC_HANDLER_NAME) != 0 || !dsc_server_config(r->server)->service) {
        return DECLINED;
    }
    dsc_request_begin(&request, r);
    return dsc_request_run(&request, all_steps);
}

/* -------------------------------------------------------------- requests of requests */

/* What httpd makes of a request on the path, its access control included; not run. */
static request_rec *look_up(const dsc_request_t *request, const char *method, const char *target)
{
    request_rec *sub = ap_sub_req_method_uri(method, target, request->r, NULL);
    apr_table_setn(sub->notes, MOD_DISCLOSED_NOTE_REQUEST_ID, request->call->request_id);
    return sub;
}

static int is_ours(dsc_request_t *request)
{
    request_rec *r = request->r;
    if (r->status == HTTP_OK && r->handler && strcmp(r->handler, DSC_HANDLER_NAME) == 0) {
        return OK;
    }
    if (r->status == HTTP_UNAUTHORIZED || r->status == HTTP_FORBIDDEN) {
        dsc_call_problem_of(request->call, "forbidden", NULL, NULL);
        return DONE;
    }
    return dsc_request_problem(request, HTTP_NOT_FOUND, NULL);
}

/* The limit says when to try again in the headers of the request itself; who else refused has said
 * it in the call. */
static void take_retry_after(dsc_request_t *another, const request_rec *r)
{
    const char *retry_after = apr_table_get(r->err_headers_out, "Retry-After");
    if (another->call->status == HTTP_TOO_MANY_REQUESTS && retry_after) {
        apr_table_setn(another->call->headers, "Retry-After", retry_after);
    }
}

dsc_call_t *dsc_request_perform(const dsc_request_t *request, const char *method,
                                const char *target, const char *body, uint64_t paid)
{
    static dsc_step_t *const uncharged[] = {is_ours, find_operation, require_operation, NULL};
    static dsc_step_t *const charged[] = {dsc_request_check_limit, require_scope, require_plan,
                                          response, NULL};
    dsc_request_t another;
    dsc_request_begin(&another, look_up(request, method, target));
    another.call->flush = NULL;
    another.call->begin_export = NULL;
    another.call->may_send = NULL;
    another.call->accept = NULL;
    another.call->if_none_match = NULL;
    another.call->is_strict = 1;
    if (body) {
        another.call->request_body.content_type = DSC_JSON;
        another.call->request_body.bytes = (dsc_slice_t){body, strlen(body)};
    }
    if (take_steps(&another, uncharged) != OK) {
        return another.call;
    }
    another.client =
        dsc_client_for(request->r, request->client, another.call->route.operation, paid);
    another.call->caller = &another.client->caller;
    apr_table_setn(request->r->notes, MOD_DISCLOSED_NOTE_ENDPOINT,
                   another.call->route.operation->endpoint->name);
    take_steps(&another, charged);
    take_retry_after(&another, request->r);
    return another.call;
}
