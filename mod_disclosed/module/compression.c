#include "module/compression.h"

#include <apr_strings.h>
#include <string.h>
#include <util_filter.h>

/* As in Content-Encoding. */
static const char *const codings[] = {NULL, "gzip", "br", NULL};

/* Filters that compress, by themselves or by AddOutputFilterByType, and those that leave bodies
 * alone. */
static const char *const compressing[] = {"deflate", "brotli_compress", "bytype:deflate",
                                          "bytype:brotli_compress", NULL};
static const char *const harmless[] = {"fixup_headers_out", "mod_expires", NULL};

/* Variables that make filters not compress, or compress all the same. */
static const char *const variables[] = {"no-gzip", "no-brotli", "gzip-only-text/html", "force-gzip",
                                        NULL};

static int is_among(const char *const *names, const char *name)
{
    while (*names && ap_cstr_casecmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

/* Names of the filters that compress, in their order; NULL: none, or one that may change a body
 * otherwise. */
static const char *filters_of(const request_rec *r)
{
    const ap_filter_t *filter;
    const char *names = NULL;
    for (filter = r->output_filters; filter && filter->frec->ftype < AP_FTYPE_PROTOCOL;
         filter = filter->next) {
        const char *name = filter->frec->name;
        if (is_among(compressing, name)) {
            names = apr_pstrcat(r->pool, names ? names : "", name, " ", NULL);
        } else if (!is_among(harmless, name)) {
            return NULL;
        }
    }
    return names;
}

/* What Accept-Encoding says of the codings, word for word and in its order: of "gzip, deflate,
 * br;q=1" "gzip,br;q=1,". NULL: nothing, or strings in quotes, in which commas mean something
 * else. */
static const char *accepted(request_rec *r)
{
    const char *accepts = apr_table_get(r->headers_in, "Accept-Encoding");
    const char *found = NULL;
    if (accepts && strchr(accepts, '"')) {
        return NULL;
    }
    while (accepts && *accepts) {
        size_t length;
        accepts += strspn(accepts, ", \t");
        length = strcspn(accepts, ",");
        if (is_among(codings + 1, apr_pstrmemdup(r->pool, accepts, strcspn(accepts, ",; \t")))) {
            found = apr_pstrcat(r->pool, found ? found : "",
                                apr_pstrmemdup(r->pool, accepts, length), ",", NULL);
        }
        accepts += length;
    }
    return found;
}

static const char *variables_of(const request_rec *r)
{
    const char *text = "", *value;
    int i;
    for (i = 0; variables[i]; i++) {
        value = apr_table_get(r->subprocess_env, variables[i]);
        text = value ? apr_pstrcat(r->pool, text, variables[i], "=", value, ";", NULL) : text;
    }
    return text;
}

const char *dsc_compression_variant(request_rec *r)
{
    const char *accepts = r->header_only ? NULL : accepted(r);
    const char *filters = accepts ? filters_of(r) : NULL;
    /* How ETags are altered is said for each server. */
    return filters ? apr_psprintf(r->pool, "%s:%u %s%s %s",
                                  r->server->server_hostname ? r->server->server_hostname : "",
                                  r->server->port, filters, variables_of(r), accepts)
                   : NULL;
}

static const char *tag_of(apr_pool_t *pool, const char *etag, const dsc_compression_t *compression)
{
    return compression->suffixed ? apr_pstrcat(pool, apr_pstrmemdup(pool, etag, strlen(etag) - 1),
                                               "-", codings[compression->coding], "\"", NULL)
                                 : etag;
}

int dsc_compression_read(const request_rec *r, const char *etag, dsc_compression_t *compression)
{
    const char *coding = apr_table_get(r->headers_out, "Content-Encoding");
    const char *tag = apr_table_get(r->headers_out, "ETag");
    compression->coding = compression->suffixed = 0;
    if (coding) {
        do {
            compression->coding++;
        } while (codings[compression->coding] && strcmp(codings[compression->coding], coding) != 0);
        if (!codings[compression->coding]) {
            return 0;
        }
        compression->suffixed = tag && strcmp(tag, etag) != 0;
    }
    return tag && strcmp(tag, tag_of(r->pool, etag, compression)) == 0;
}

int dsc_compression_write(request_rec *r, const char *etag, const dsc_compression_t *compression)
{
    if (compression->coding == 0 ||
        compression->coding + 1 >= sizeof(codings) / sizeof(codings[0])) {
        return 0;
    }
    apr_table_setn(r->headers_out, "Content-Encoding", codings[compression->coding]);
    apr_table_setn(r->headers_out, "ETag", tag_of(r->pool, etag, compression));
    return 1;
}
