#include "follow/go.h"

#include <apr_date.h>
#include <apr_strings.h>
#include <errno.h>
#include <string.h>

enum {
    PIECE = 1 << 16,
    STRONG_AFTER = 60 /* seconds: a file may change twice in the second that Last-Modified states */
};

struct curl_slist *dsc_go_headers(apr_pool_t *pool, const dsc_go_t *go, struct curl_slist *headers)
{
    if (go->partial.size == 0) {
        return headers;
    }
    headers = curl_slist_append(headers, apr_psprintf(pool, "Range: bytes=%" APR_INT64_T_FMT "-",
                                                      go->partial.size));
    return curl_slist_append(headers, apr_pstrcat(pool, "If-Range: ",
                                                  dsc_partial_validator(&go->partial), NULL));
}

/* ---------------------------------------------------------------------- the response */

static FILE *refuse(dsc_fetch_t *fetch, dsc_fetch_error_t error, const char *reason)
{
    fetch->error = error;
    fetch->reason = reason;
    return NULL;
}

static FILE *refuse_to_write(apr_pool_t *pool, dsc_fetch_t *fetch, const char *path, int error)
{
    char text[120];

    return refuse(fetch, DSC_ERROR_DISK,
                  apr_pstrcat(pool, path, " cannot be written: ",
                              apr_strerror(error, text, sizeof(text)), NULL));
}

const char *dsc_go_header(apr_pool_t *pool, CURL *handle, const char *name)
{
    struct curl_header *header;

    return curl_easy_header(handle, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK
               ? apr_pstrdup(pool, header->value)
               : NULL;
}

static int is_page(apr_pool_t *pool, CURL *handle)
{
    const char *type = dsc_go_header(pool, handle, "content-type");

    return type != NULL && strncasecmp(type, "text/html", 9) == 0;
}

/* The time of the file, if it is older than the response by enough to stand for it. */
static const char *strong_date(apr_pool_t *pool, CURL *handle)
{
    const char *modified = dsc_go_header(pool, handle, "last-modified"),
               *date = dsc_go_header(pool, handle, "date");

    return modified != NULL && date != NULL &&
                   apr_date_parse_http(modified) + apr_time_from_sec(STRONG_AFTER) <=
                       apr_date_parse_http(date)
               ? modified
               : NULL;
}

/* ------------------------------------------------------------------------------ room */

static int has_room(apr_pool_t *pool, dsc_fetch_t *fetch, apr_int64_t total)
{
    if (total > fetch->most) {
        (void)refuse(fetch, DSC_ERROR_TOO_LARGE,
                     apr_psprintf(pool,
                                  "it has %" APR_INT64_T_FMT " bytes, %" APR_INT64_T_FMT
                                  " are allowed",
                                  total, fetch->most));
        return 0;
    }
    if (total > fetch->goes->room) {
        (void)refuse(fetch, DSC_ERROR_NO_ROOM, "it waits for room on the disk");
        return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------- the body itself */

/* From its beginning: what was here is of another file, or of one that is not given in parts. */
static FILE *open_anew(apr_pool_t *pool, CURL *handle, dsc_fetch_t *fetch)
{
    dsc_partial_t partial = {.path = fetch->path,
                             .url = fetch->url,
                             .etag = dsc_go_header(pool, handle, "etag"),
                             .last_modified = strong_date(pool, handle),
                             .total = -1};
    curl_off_t length = -1;
    FILE *file;

    if (curl_easy_getinfo(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length) == CURLE_OK &&
        dsc_go_header(pool, handle, "content-encoding") == NULL) {
        partial.total = length;
    }
    fetch->goes->total = partial.total;
    dsc_partial_forget(pool, fetch->path);
    if (!has_room(pool, fetch, partial.total)) {
        return NULL;
    }
    file = fopen(fetch->path, "w");
    if (file == NULL || !dsc_partial_begin(pool, &partial)) {
        int error = errno;

        if (file != NULL) {
            fclose(file);
        }
        return refuse_to_write(pool, fetch, fetch->path, error);
    }
    return file;
}

/* What is here counts for the hash as well. */
static int digest_partial(const char *path, apr_int64_t size, EVP_MD_CTX *digest)
{
    FILE *file = fopen(path, "r");
    char bytes[PIECE];
    size_t got = 0;

    while (file != NULL && size > 0 && (got = fread(bytes, 1, sizeof(bytes), file)) > 0) {
        EVP_DigestUpdate(digest, bytes, got);
        size -= (apr_int64_t)got;
    }
    if (file != NULL) {
        fclose(file);
    }
    return size == 0;
}

/* Whether the part is the one that was asked for, of the file that it was asked of. */
static const char *part_error(apr_pool_t *pool, CURL *handle, const dsc_partial_t *partial)
{
    const char *text = dsc_go_header(pool, handle, "content-range"),
               *etag = dsc_go_header(pool, handle, "etag");
    apr_int64_t first, last, total;

    if (partial->size == 0) {
        return "a part was sent that nobody asked for";
    }
    if (!dsc_content_range(text, &first, &last, &total) || first != partial->size ||
        (total >= 0 && partial->total >= 0 && total != partial->total)) {
        return apr_psprintf(pool,
                            "of bytes %" APR_INT64_T_FMT "- of %" APR_INT64_T_FMT
                            " another part was sent: Content-Range: %s",
                            partial->size, partial->total, text != NULL ? text : "none");
    }
    return etag != NULL && partial->etag != NULL && strcmp(etag, partial->etag) != 0
               ? "a part of a changed file was sent"
               : NULL;
}

static FILE *open_on(apr_pool_t *pool, CURL *handle, dsc_fetch_t *fetch,
                     const dsc_partial_t *partial, EVP_MD_CTX *digest)
{
    const char *error = part_error(pool, handle, partial);
    FILE *file;

    if (error != NULL) {
        dsc_partial_forget(pool, fetch->path);
        return refuse(fetch, DSC_ERROR_RESPONSE, error);
    }
    fetch->goes->total = partial->total;
    if (!has_room(pool, fetch, partial->total)) {
        return NULL;
    }
    file = fopen(fetch->path, "a");
    if (file == NULL || !digest_partial(fetch->path, partial->size, digest)) {
        if (file != NULL) {
            fclose(file);
        }
        return refuse(fetch, DSC_ERROR_DISK,
                      apr_pstrcat(pool, fetch->path, " cannot be read and written", NULL));
    }
    fetch->size = partial->size;
    return file;
}

FILE *dsc_go_open(apr_pool_t *pool, CURL *handle, dsc_fetch_t *fetch, dsc_go_t *go,
                  EVP_MD_CTX *digest)
{
    long status = 0;
    FILE *file;

    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    if (status == 206) {
        return open_on(pool, handle, fetch, &go->partial, digest);
    }
    if (status == 200 && !is_page(pool, handle)) {
        return open_anew(pool, handle, fetch);
    }
    go->page = apr_pstrcat(pool, fetch->path, ".page", NULL); /* what is here stays */
    file = fopen(go->page, "w");
    if (file == NULL) {
        return refuse_to_write(pool, fetch, go->page, errno);
    }
    return file;
}
