#include "module/cors.h"

#include <apr_strings.h>
#include <apr_uri.h>
#include <http_protocol.h>
#include <string.h>

#define ANY "*"
#define OFF "off"

/* Headers that a page may read, and those that it may send. */
#define EXPOSED                                                                                              \
    "Deprecation, ETag, Link, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, "                \
    "Sunset, WWW-Authenticate, X-Next-Cursor, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, " \
    "X-Request-Id"
#define ACCEPTED                                                                                                 \
    "Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, MCP-Protocol-Version, " \
    "Mcp-Method, Mcp-Name, Mcp-Session-Id, Prefer, traceparent, tracestate"

/* What is said of all origins, or of none. */
static int is_of_all(const char *argument)
{
    return strcmp(argument, ANY) == 0 || ap_cstr_casecmp(argument, OFF) == 0;
}

/* Of two that are listed together, one is of all origins. */
static const char *refuse_pair(apr_pool_t *pool, const char *one, const char *other)
{
    return apr_psprintf(pool, "\"%s\" stands alone, not with \"%s\"", is_of_all(one) ? one : other,
                        is_of_all(one) ? other : one);
}

/* What a browser never sends, because it leaves out the port of the scheme; NULL if it may. */
static const char *refuse_port(apr_pool_t *pool, const char *origin)
{
    apr_uri_t uri;
    if (apr_uri_parse(pool, origin, &uri) != APR_SUCCESS || !uri.port_str ||
        uri.port != apr_uri_port_of_scheme(uri.scheme)) {
        return NULL;
    }
    return apr_psprintf(pool, "\"%s\" is never sent: browsers leave out the port %d of %s", origin,
                        (int)uri.port, uri.scheme);
}

const char *dsc_cors_read(cmd_parms *cmd, const char *argument, apr_array_header_t *origins)
{
    const char *host = strstr(argument, "://");
    const char *first = origins->nelts ? APR_ARRAY_IDX(origins, 0, const char *) : NULL;
    APR_ARRAY_PUSH(origins, const char *) = argument;
    if (first && (is_of_all(first) || is_of_all(argument))) {
        return refuse_pair(cmd->pool, first, argument);
    }
    if (is_of_all(argument)) {
        return NULL;
    }
    if (host && !strpbrk(host + 3, "/?#@ ") && argument[strlen(argument) - 1] != ':' &&
        !dsc_url_error(cmd->pool, argument)) {
        return refuse_port(cmd->pool, argument);
    }
    return apr_psprintf(cmd->pool,
                        "\"%s\" is no origin, e.g. https://app.example.com, nor * or off",
                        argument);
}

static int is_listed(const apr_array_header_t *origins, const char *origin)
{
    int i;
    for (i = 0; i < origins->nelts; i++) {
        const char *one = APR_ARRAY_IDX(origins, i, const char *);
        if (strcmp(one, ANY) == 0 || ap_cstr_casecmp(one, origin) == 0) {
            return 1;
        }
    }
    return 0;
}

int dsc_cors_allows(const dsc_server_config_t *config, const char *origin)
{
    const char *base = config->service->base_url;
    const char *path = strchr(strstr(base, "://") + 3, '/');
    size_t length = path ? (size_t)(path - base) : strlen(base);
    return (strlen(origin) == length && strncasecmp(origin, base, length) == 0) ||
           is_listed(config->cors, origin);
}

void dsc_cors_set_headers(request_rec *r, const dsc_server_config_t *config)
{
    const char *origin = apr_table_get(r->headers_in, "Origin");
    const char *vary = apr_table_get(r->err_headers_out, "Vary");
    if (config->cors->nelts == 0) {
        return;
    }
    /* It is there if an error comes after a response was begun. */
    if (!vary || !ap_find_token(r->pool, vary, "Origin")) {
        apr_table_mergen(r->err_headers_out, "Vary", "Origin");
    }
    if (origin && is_listed(config->cors, origin)) {
        apr_table_setn(r->err_headers_out, "Access-Control-Allow-Origin", origin);
        apr_table_setn(r->err_headers_out, "Access-Control-Expose-Headers", EXPOSED);
    }
}

int dsc_cors_preflight(request_rec *r)
{
    if (r->method_number != M_OPTIONS ||
        !apr_table_get(r->headers_in, "Access-Control-Request-Method") ||
        !apr_table_get(r->err_headers_out, "Access-Control-Allow-Origin")) {
        return 0;
    }
    apr_table_setn(r->err_headers_out, "Access-Control-Allow-Methods",
                   "GET, HEAD, POST, PATCH, DELETE");
    apr_table_setn(r->err_headers_out, "Access-Control-Allow-Headers", ACCEPTED);
    apr_table_setn(r->err_headers_out, "Access-Control-Max-Age", "7200");
    return 1;
}
