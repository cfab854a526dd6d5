#include "module/mcp_handler.h"

#include "engine/json_writer.h"
#include "engine/page.h"
#include "engine/problem.h"
#include "engine/surface.h"
#include "mcp/mcp.h"
#include "module/cors.h"
#include "module/lifecycle.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <http_protocol.h>
#include <http_request.h>
#include <jansson.h>
#include <string.h>

#define MCP_HANDLER   "disclosed-mcp"
#define OAUTH_HANDLER "disclosed-oauth"
#define LLMS_HANDLER  "disclosed-llms"
#define WELL_KNOWN    "/.well-known/oauth-protected-resource"
#define USUAL_PATH    "/mcp"

/* What the protocol's requests of the API need: the first is paid by the request itself. */
typedef struct {
    const dsc_request_t *request;
    uint64_t paid;
} performer_t;

static dsc_call_t *perform(void *baton, const dsc_mcp_request_t *asked)
{
    performer_t *performer = baton;
    uint64_t paid = performer->paid;
    performer->paid = 0;
    return dsc_request_perform(performer->request, asked->method, asked->target, asked->body, paid);
}

static int may_use(void *baton, const dsc_operation_t *operation)
{
    const dsc_request_t *request = ((performer_t *)baton)->request;
    return dsc_key_allows_endpoint(request->r->pool, &request->client->key,
                                   operation->endpoint->name);
}

/* -------------------------------------------------------------------------- steps */

/* A decoded path as it is in a URI. */
static const char *escaped(apr_pool_t *pool, const char *path)
{
    return dsc_link_target(pool, apr_pescape_path(pool, path, 0));
}

/* A 401 names the address of the resource's metadata (RFC 9728, section 5.1). */
static int require_key(dsc_request_t *request)
{
    int result = dsc_request_require_key(request);
    if (request->call->status == HTTP_UNAUTHORIZED) {
        apr_table_setn(request->call->headers, "WWW-Authenticate",
                       apr_pstrcat(request->r->pool, "Bearer resource_metadata=\"",
                                   request->call->service->base_url, WELL_KNOWN,
                                   escaped(request->r->pool, request->r->uri), "\"", NULL));
    }
    return result;
}

/* A page of another site must not use what the browser's network reaches. */
static int check_origin(dsc_request_t *request)
{
    const char *origin = apr_table_get(request->r->headers_in, "Origin");
    if (!origin || dsc_cors_allows(request->config, origin)) {
        return OK;
    }
    dsc_call_problem_of(request->call, "forbidden",
                        "Pages of this origin may not call; DisclosedCORS names those that may.",
                        NULL);
    return DONE;
}

static int require_post(dsc_request_t *request)
{
    if (request->r->method_number == M_POST) {
        return OK;
    }
    apr_table_setn(request->call->headers, "Allow", "POST");
    return dsc_request_problem(request, HTTP_METHOD_NOT_ALLOWED,
                               "MCP is spoken by POST; there is no stream to GET and no session to "
                               "DELETE.");
}

static int require_json(dsc_request_t *request)
{
    const char *type = apr_table_get(request->r->headers_in, "Content-Type");
    size_t length = type ? strcspn(type, "; \t") : 0;
    if (length != strlen(DSC_JSON) || strncasecmp(type, DSC_JSON, length) != 0) {
        return dsc_request_problem(request, HTTP_UNSUPPORTED_MEDIA_TYPE, NULL);
    }
    return dsc_media_choose(request->call->accept, 1) == DSC_MEDIA_JSON
               ? OK
               : dsc_request_problem(request, HTTP_NOT_ACCEPTABLE, NULL);
}

static int read_body(dsc_request_t *request)
{
    return dsc_request_take_body(request, 1);
}

static int respond(dsc_request_t *request)
{
    dsc_call_t *call = request->call;
    apr_table_t *headers = request->r->headers_in;
    performer_t performer = {request, 1};
    dsc_mcp_t mcp = {
        .pool = request->r->pool,
        .service = call->service,
        .server_version = DISCLOSED_VERSION,
        .protocol_version = apr_table_get(headers, "MCP-Protocol-Version"),
        .method = apr_table_get(headers, "Mcp-Method"),
        .name = apr_table_get(headers, "Mcp-Name"),
        .body = call->request_body.bytes,
        .perform = perform,
        .may_use = may_use,
        .baton = &performer,
    };
    dsc_mcp_respond(&mcp);
    call->status = mcp.status;
    call->body = mcp.response;
    call->content_type = mcp.response ? DSC_JSON : NULL;
    return DONE;
}

/* ----------------------------------------------------------------------- metadata */

/* Whether MCP is served at the path. */
static int serves_mcp(request_rec *r, const char *path)
{
    request_rec *sub = ap_sub_req_method_uri("POST", path, r, NULL);
    int serves = sub->handler && strcmp(sub->handler, MCP_HANDLER) == 0;
    ap_destroy_sub_req(sub);
    return serves;
}

/* The metadata of the resource whose path stands behind the well-known one; of the usual path if
 * none does. */
static int respond_metadata(dsc_request_t *request)
{
    request_rec *r = request->r;
    dsc_call_t *call = request->call;
    const char *path =
        strncmp(r->uri, WELL_KNOWN, strlen(WELL_KNOWN)) == 0 ? r->uri + strlen(WELL_KNOWN) : "";
    json_t *json;
    path = *path && strcmp(path, "/") != 0 ? path : USUAL_PATH;
    if (!serves_mcp(r, path)) {
        return dsc_request_problem(request, HTTP_NOT_FOUND, NULL);
    }
    json = json_pack("{s:s+,s:[s],s:s,s:s}", "resource", call->service->base_url,
                     escaped(r->pool, path), "bearer_methods_supported", "header", "resource_name",
                     "Company disclosures", "resource_documentation", call->service->docs_url);
    call->body = dsc_buffer_create(r->pool, 512);
    dsc_json_value(call->body, json);
    json_decref(json);
    call->status = HTTP_OK;
    call->content_type = DSC_JSON;
    return DONE;
}

static int require_get(dsc_request_t *request)
{
    if (request->r->method_number == M_GET) {
        return OK;
    }
    apr_table_setn(request->call->headers, "Allow", "GET, HEAD");
    return dsc_request_problem(request, HTTP_METHOD_NOT_ALLOWED, NULL);
}

/* ------------------------------------------------------------------------ handler */

static dsc_step_t *const mcp_steps[] = {dsc_request_preflight,
                                        dsc_request_identify,
                                        require_key,
                                        dsc_request_check_limit,
                                        dsc_request_check_share,
                                        check_origin,
                                        require_post,
                                        require_json,
                                        read_body,
                                        respond,
                                        NULL};

static dsc_step_t *const metadata_steps[] = {dsc_request_preflight, require_get, respond_metadata,
                                             NULL};

int dsc_mcp_handles(const char *handler)
{
    return strcmp(handler, MCP_HANDLER) == 0 || strcmp(handler, OAUTH_HANDLER) == 0;
}

int dsc_mcp_handle(request_rec *r)
{
    dsc_request_t request;
    int is_mcp = strcmp(r->handler, MCP_HANDLER) == 0;
    if (!dsc_server_config(r->server)->service) {
        return DECLINED;
    }
    if (strcmp(r->handler, LLMS_HANDLER) == 0) {
        ap_internal_redirect(DSC_PUBLIC "/llms.txt", r);
        return OK;
    }
    if (!is_mcp && strcmp(r->handler, OAUTH_HANDLER) != 0) {
        return DECLINED;
    }
    dsc_request_begin(&request, r);
    return dsc_request_run(&request, is_mcp ? mcp_steps : metadata_steps);
}
