/* The least that an httpd handler can do: a fixed JSON body with the same headers as the API's
 * answers. The bench measures what httpd itself costs by it. */
#include <httpd.h>

#include <http_config.h>
#include <http_protocol.h>
#include <string.h>

static const char body[] = "{\"data\":[],\"pagination\":{\"more\":false}}\n";

static const struct {
    const char *name, *value;
} headers[] = {
    {"X-Request-Id", "req_0123456789abcdef0123456789abcdef"},
    {"Cache-Control", "private, no-cache"},
    {"Vary", "Authorization, Accept, Accept-Encoding"},
    {"ETag", "W/\"0123456789abcdef0123456789abcdef\""},
    {"X-RateLimit-Limit", "1000"},
    {"X-RateLimit-Remaining", "999"},
    {"X-RateLimit-Reset", "1"},
};

static int answer(request_rec *r)
{
    size_t i;

    if (!r->handler || strcmp(r->handler, "bench-trivial") != 0) {
        return DECLINED;
    }
    for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        apr_table_setn(r->headers_out, headers[i].name, headers[i].value);
    }
    ap_set_content_type(r, "application/json");
    ap_set_content_length(r, sizeof(body) - 1);
    return ap_rwrite(body, sizeof(body) - 1, r) < 0 ? HTTP_INTERNAL_SERVER_ERROR : OK;
}

static void register_hooks(apr_pool_t *pool)
{
    (void)pool;
    ap_hook_handler(answer, NULL, NULL, APR_HOOK_MIDDLE);
}

AP_DECLARE_MODULE(bench_trivial) = {
    STANDARD20_MODULE_STUFF, NULL, NULL, NULL, NULL, NULL, register_hooks, AP_MODULE_FLAG_NONE};
