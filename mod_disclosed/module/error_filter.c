/* Errors that httpd itself sends (a malformed request line, a path that cannot be decoded, a
 * request that is too long) become problem documents too. */
#include "engine/problem.h"
#include "module/config.h"
#include "module/cors.h"
#include "module/handler.h"
#include "module/client.h"
#include "module/mcp_handler.h"
#include "module/request_body.h"

#include <apr_buckets.h>
#include <http_core.h>
#include <http_protocol.h>
#include <stdlib.h>
#include <string.h>

static ap_filter_rec_t *filter_handle;

/* httpd says 400 if a header field is too large; it leaves a note why. */
static int problem_status(const request_rec *r)
{
    const char *why = apr_table_get(r->notes, "error-notes");
    if (r->status == HTTP_BAD_REQUEST && why && strstr(why, "header field") &&
        strstr(why, "exceeds server limit")) {
        return 431;
    }
    return r->status;
}

static apr_bucket *problem_bucket(ap_filter_t *f)
{
    request_rec *r = f->r;
    const dsc_server_config_t *config = dsc_server_config(r->server);
    dsc_buffer_t *body = dsc_buffer_create(r->pool, 512);
    /* httpd knows of no plans: it forbids by Require, rewriting and the like. */
    dsc_problem_t problem = *(r->status == HTTP_FORBIDDEN ? dsc_problem_named("forbidden")
                                                          : dsc_problem_find(r->status));
    char *bytes;
    size_t length;
    problem.status = r->status;
    dsc_problem_write(body, &problem, config->service->docs_url, NULL, dsc_request_id(r), r->uri,
                      NULL);
    bytes = dsc_buffer_take(body, &length);
    ap_set_content_length(r, (apr_off_t)length);
    return apr_bucket_heap_create(bytes, length, free, f->c->bucket_alloc);
}

/* Passes the problem on instead of httpd's page, and nothing after it. A redirection is not an
 * error. */
static apr_status_t replace_page(ap_filter_t *f, apr_bucket_brigade *page)
{
    request_rec *r = f->r;
    apr_bucket_brigade *brigade;
    if (!f->ctx && r->status < HTTP_BAD_REQUEST) {
        ap_remove_output_filter(f);
        return ap_pass_brigade(f->next, page);
    }
    apr_brigade_cleanup(page);
    if (f->ctx) {
        return APR_SUCCESS;
    }
    f->ctx = f;
    dsc_request_body_leave(r);
    r->status = problem_status(r);
    ap_set_content_type(r, "application/problem+json");
    dsc_set_common_headers(r, r->headers_out);
    dsc_cors_set_headers(r, dsc_server_config(r->server));
    dsc_client_headers(r, dsc_client(r, NULL)); /* httpd may have cleared those of before */
    brigade = apr_brigade_create(r->pool, f->c->bucket_alloc);
    APR_BRIGADE_INSERT_TAIL(brigade, problem_bucket(f));
    APR_BRIGADE_INSERT_TAIL(brigade, apr_bucket_eos_create(f->c->bucket_alloc));
    return ap_pass_brigade(f->next, brigade);
}

void dsc_error_filter_register(void)
{
    filter_handle =
        ap_register_output_filter("DISCLOSED_ERROR", replace_page, NULL, AP_FTYPE_RESOURCE);
}

/* Whether it is for us, by its path or, as MCP, by the handler of its location, which httpd takes
 * over later than it refuses most. */
static int is_ours(const request_rec *r)
{
    const core_dir_config *core =
        r->per_dir_config ? ap_get_core_module_config(r->per_dir_config) : NULL;
    const char *handler = r->handler ? r->handler : core ? core->handler : NULL;
    return !r->uri || !*r->uri || dsc_owns_path(r->uri) || (handler && dsc_mcp_handles(handler));
}

void dsc_error_filter_insert(request_rec *r)
{
    const dsc_server_config_t *config = dsc_server_config(r->server);
    if (config->service && is_ours(r)) {
        ap_add_output_filter_handle(filter_handle, NULL, r, r->connection);
    }
}
