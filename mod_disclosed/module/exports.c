#include "module/exports.h"

#include "engine/outage.h"
#include "engine/problem.h"

#include <ap_mpm.h>
#include <apr_strings.h>
#include <http_core.h>
#include <pthread.h>
#include <util_filter.h>

enum {
    MOST = 512,            /* threads of a process that may be at exports, whatever httpd has */
    SLICE = 8192,          /* between two looks at how fast a client reads */
    PATIENCE = 10,         /* seconds that a client may lose */
    LEAST_A_SECOND = 4000, /* bytes, as conf/example-site.conf has it of what clients send */
    RETRY_AFTER = 5        /* seconds */
};

/* The accounts whose exports are under way in this process. */
static struct {
    pthread_mutex_t lock;
    int count;
    uint64_t accounts[MOST];
} under_way = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* A half of the threads is left for what is no export, and of the other a half for other
 * accounts. */
static int most_of_all(void)
{
    int threads = 1;
    ap_mpm_query(AP_MPMQ_MAX_THREADS, &threads);
    return threads < 2 ? 1 : threads / 2 < MOST ? threads / 2 : MOST;
}

static int enter(uint64_t account)
{
    int most = most_of_all(), of_account = 0, may, i;
    pthread_mutex_lock(&under_way.lock);
    for (i = 0; i < under_way.count; i++) {
        of_account += under_way.accounts[i] == account;
    }
    may = under_way.count < most && of_account < (most + 1) / 2;
    if (may) {
        under_way.accounts[under_way.count++] = account;
    }
    pthread_mutex_unlock(&under_way.lock);
    return may;
}

int dsc_exports_begin(dsc_call_t *call)
{
    if (call->is_export) { /* what a replica does not have is looked for on the primary */
        return 1;
    }
    if (enter(dsc_call_process_account(call))) {
        call->is_export = 1;
        return 1;
    }
    dsc_call_problem(call, HTTP_TOO_MANY_REQUESTS,
                     "Too many exports at once; see the Retry-After header.");
    apr_table_setn(call->headers, "Retry-After", apr_itoa(call->pool, RETRY_AFTER));
    return 0;
}

void dsc_exports_end(dsc_call_t *call)
{
    uint64_t account = dsc_call_process_account(call);
    int i;
    if (!call->is_export) {
        return;
    }
    call->is_export = 0;
    pthread_mutex_lock(&under_way.lock);
    for (i = 0; under_way.accounts[i] != account; i++) {
    }
    under_way.accounts[i] = under_way.accounts[--under_way.count];
    pthread_mutex_unlock(&under_way.lock);
}

/* What the client may still lose; what was read from the database meanwhile is not its time. */
static apr_interval_time_t patience_left(const dsc_call_t *call)
{
    return apr_time_from_sec(PATIENCE + call->sent / LEAST_A_SECOND) - call->sending;
}

/* Passes on a piece, waiting for the client as long as that at the most; httpd alone would wait as
 * long as Timeout, and anew whenever a byte has been taken. Streams of HTTP/2 share their socket:
 * H2StreamTimeout is theirs. */
static int pass_slice(request_rec *r, const dsc_call_t *call, apr_bucket_brigade *slice)
{
    apr_socket_t *socket = r->connection->master ? NULL : ap_get_conn_socket(r->connection);
    apr_interval_time_t left = patience_left(call), timeout = left;
    int good;
    if (socket) {
        (void)apr_socket_timeout_get(socket, &timeout);
        (void)apr_socket_timeout_set(socket, timeout > 0 && timeout < left ? timeout : left);
    }
    good = ap_pass_brigade(r->output_filters, slice) == APR_SUCCESS && !r->connection->aborted;
    if (socket) {
        (void)apr_socket_timeout_set(socket, timeout);
    }
    return good;
}

int dsc_exports_send(request_rec *r, dsc_call_t *call, apr_bucket *bucket)
{
    apr_bucket_alloc_t *allocator = r->connection->bucket_alloc;
    apr_bucket_brigade *whole = apr_brigade_create(r->pool, allocator);
    apr_bucket_brigade *slice = apr_brigade_create(r->pool, allocator);
    int good = 1;
    APR_BRIGADE_INSERT_TAIL(whole, bucket);
    while (good && !APR_BRIGADE_EMPTY(whole)) {
        apr_time_t begun = dsc_monotonic_now();
        bucket = APR_BRIGADE_FIRST(whole);
        if (bucket->length > SLICE) {
            apr_bucket_split(bucket, SLICE);
        }
        call->sent += (apr_int64_t)bucket->length;
        APR_BUCKET_REMOVE(bucket);
        APR_BRIGADE_INSERT_TAIL(slice, bucket);
        APR_BRIGADE_INSERT_TAIL(slice, apr_bucket_flush_create(allocator));
        good = pass_slice(r, call, slice);
        apr_brigade_cleanup(slice);
        call->sending += dsc_monotonic_now() - begun;
        if (good && patience_left(call) <= 0) {
            call->status = HTTP_REQUEST_TIME_OUT; /* too late to be sent: the response is cut */
            good = 0;
        }
    }
    apr_brigade_cleanup(whole);
    return good;
}
