#include "module/request_body.h"

#include "module/share.h"

#include <apr_buckets.h>
#include <apr_strings.h>
#include <http_core.h>
#include <http_protocol.h>
#include <string.h>
#include <strings.h>
#include <util_filter.h>

/* A note of requests whose body has been read to its end. */
#define READ_NOTE "disclosed-body-read"

/* Appends a brigade's data; 0 when that is more than a body may have. */
static apr_status_t append(apr_bucket_brigade *brigade, dsc_buffer_t *bytes, int *is_last)
{
    apr_bucket *bucket;
    for (bucket = APR_BRIGADE_FIRST(brigade); bucket != APR_BRIGADE_SENTINEL(brigade);
         bucket = APR_BUCKET_NEXT(bucket)) {
        const char *data;
        apr_size_t length;
        apr_status_t rv;
        if (APR_BUCKET_IS_EOS(bucket)) {
            *is_last = 1;
            return APR_SUCCESS;
        }
        if (APR_BUCKET_IS_METADATA(bucket)) {
            continue;
        }
        rv = apr_bucket_read(bucket, &data, &length, APR_BLOCK_READ);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if (bytes->length + length > DSC_MOST_BODY) {
            return APR_ENOSPC;
        }
        dsc_buffer_append(bytes, data, length);
    }
    return APR_SUCCESS;
}

static int status_of(apr_status_t rv)
{
    return rv == APR_ENOSPC ? HTTP_REQUEST_ENTITY_TOO_LARGE
                            : ap_map_http_request_error(rv, HTTP_BAD_REQUEST);
}

/* What is left of the body is not waited for. */
static int close_with(request_rec *r, int status)
{
    r->connection->keepalive = AP_CONN_CLOSE;
    return status;
}

/* The length that the request declares; -1: none, or pieces of their own lengths. */
static apr_off_t declared_length(const request_rec *r)
{
    const char *length = apr_table_get(r->headers_in, "Content-Length");
    return length && !apr_table_get(r->headers_in, "Transfer-Encoding") ? apr_atoi64(length) : -1;
}

static int is_declared_too_long(const request_rec *r)
{
    apr_off_t length = declared_length(r), limit = ap_get_limit_req_body(r);
    return length > DSC_MOST_BODY || (limit > 0 && length > limit);
}

/* Reads a piece; APR_EAGAIN if none has arrived and it is not to be waited for. */
static apr_status_t read_piece(request_rec *r, apr_read_type_e block, apr_bucket_brigade *brigade,
                               dsc_buffer_t *bytes, int *is_last)
{
    apr_status_t rv =
        ap_get_brigade(r->input_filters, brigade, AP_MODE_READBYTES, block, HUGE_STRING_LEN);
    if (rv == APR_SUCCESS && block == APR_NONBLOCK_READ && APR_BRIGADE_EMPTY(brigade)) {
        rv = APR_EAGAIN;
    }
    rv = rv == APR_SUCCESS ? append(brigade, bytes, is_last) : rv;
    apr_brigade_cleanup(brigade);
    return rv;
}

/* Reads the rest of what the client is still sending, with a thread of its share. */
static apr_status_t await_rest(request_rec *r, const dsc_client_t *client,
                               apr_bucket_brigade *brigade, dsc_buffer_t *bytes)
{
    apr_status_t rv = APR_SUCCESS;
    int is_last = 0;
    if (!dsc_share_take_thread(client)) {
        return APR_EAGAIN;
    }
    while (!is_last && rv == APR_SUCCESS) {
        rv = read_piece(r, APR_BLOCK_READ, brigade, bytes, &is_last);
    }
    dsc_share_return_thread(client);
    return rv;
}

int dsc_request_body_read(request_rec *r, const dsc_client_t *client, dsc_body_t *body)
{
    apr_bucket_brigade *brigade = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    dsc_buffer_t *bytes = dsc_buffer_create(r->pool, 1024);
    apr_status_t rv = APR_SUCCESS;
    int is_last = 0;

    if (is_declared_too_long(r)) {
        return close_with(r, HTTP_REQUEST_ENTITY_TOO_LARGE);
    }
    while (!is_last && rv == APR_SUCCESS) {
        rv = read_piece(r, APR_NONBLOCK_READ, brigade, bytes, &is_last);
    }
    if (APR_STATUS_IS_EAGAIN(rv)) {
        rv = await_rest(r, client, brigade, bytes);
    }
    if (rv != APR_SUCCESS) {
        return close_with(r, APR_STATUS_IS_EAGAIN(rv) ? HTTP_TOO_MANY_REQUESTS : status_of(rv));
    }
    apr_table_setn(r->notes, READ_NOTE, "");
    body->content_type = apr_table_get(r->headers_in, "Content-Type");
    body->bytes.data = bytes->data;
    body->bytes.length = bytes->length;
    return OK;
}

int dsc_request_body_is_coded(const request_rec *r)
{
    const char *at = apr_table_get(r->headers_in, "Content-Encoding");
    static const char plain[] = "identity";
    while (at && *at) {
        size_t length = strcspn(at, ", \t");
        if (length && (length != strlen(plain) || strncasecmp(at, plain, length) != 0)) {
            return 1;
        }
        at += length;
        at += strspn(at, ", \t");
    }
    return 0;
}

/* Whether there is a body of which something may be left. */
static int is_left(const request_rec *r)
{
    return !r->main && r->connection->keepalive != AP_CONN_CLOSE &&
           !apr_table_get(r->notes, READ_NOTE) &&
           (apr_table_get(r->headers_in, "Content-Length") ||
            apr_table_get(r->headers_in, "Transfer-Encoding"));
}

/* Reads what has arrived, without waiting: OK if that is all. */
static int drop_arrived(request_rec *r)
{
    apr_bucket_brigade *brigade = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    dsc_buffer_t *dropped = dsc_buffer_create(r->pool, 1024);
    apr_status_t rv = APR_SUCCESS;
    int is_last = 0;

    while (!is_last && rv == APR_SUCCESS) {
        rv = read_piece(r, APR_NONBLOCK_READ, brigade, dropped, &is_last);
    }
    if (rv == APR_SUCCESS) {
        apr_table_setn(r->notes, READ_NOTE, "");
        return OK;
    }
    return close_with(r, APR_STATUS_IS_EAGAIN(rv) ? OK : status_of(rv));
}

int dsc_request_body_drop(request_rec *r)
{
    if (!is_left(r)) {
        return OK;
    }
    if (is_declared_too_long(r)) {
        return close_with(r, HTTP_REQUEST_ENTITY_TOO_LARGE);
    }
    /* To read what the client asks whether to send would be to ask for it. */
    return r->expecting_100 ? close_with(r, OK) : drop_arrived(r);
}

void dsc_request_body_leave(request_rec *r)
{
    /* An input filter that meets a bad chunk sends a response of its own. */
    if (is_left(r) && declared_length(r) < 0) {
        (void)close_with(r, OK);
    }
    (void)dsc_request_body_drop(r);
}
