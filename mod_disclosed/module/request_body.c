#include "module/request_body.h"

#include <apr_buckets.h>
#include <http_protocol.h>
#include <util_filter.h>

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

int dsc_request_body_read(request_rec *r, dsc_body_t *body)
{
    apr_bucket_brigade *brigade = apr_brigade_create(r->pool, r->connection->bucket_alloc);
    dsc_buffer_t *bytes = dsc_buffer_create(r->pool, 1024);
    apr_status_t rv = APR_SUCCESS;
    int is_last = 0;

    while (!is_last && rv == APR_SUCCESS) {
        rv = ap_get_brigade(r->input_filters, brigade, AP_MODE_READBYTES, APR_BLOCK_READ,
                            HUGE_STRING_LEN);
        if (rv == APR_SUCCESS) {
            rv = append(brigade, bytes, &is_last);
        }
        apr_brigade_cleanup(brigade);
    }
    if (rv != APR_SUCCESS) {
        r->connection->keepalive = AP_CONN_CLOSE; /* what is left of it is not waited for */
        return status_of(rv);
    }
    body->content_type = apr_table_get(r->headers_in, "Content-Type");
    body->bytes.data = bytes->data;
    body->bytes.length = bytes->length;
    return OK;
}
