#include "module/stopping.h"

#include <string.h>

/* What is under way has so long to end by itself. */
#define GRACE apr_time_from_sec(1)

static int descriptor_of(void *baton)
{
    const dsc_stopping_t *stopping = baton;

    return atomic_load(stopping->flag) ? -1 : stopping->descriptor;
}

static int is_due(void *baton)
{
    dsc_stopping_t *stopping = baton;
    apr_time_t now, since = 0;

    if (!atomic_load(stopping->flag)) {
        return 0;
    }
    now = dsc_monotonic_now();
    return !atomic_compare_exchange_strong(&stopping->since, &since, now) && now >= since + GRACE;
}

void dsc_stopping_init(dsc_stopping_t *stopping, const atomic_int *flag, int descriptor)
{
    memset(stopping, 0, sizeof(*stopping));
    stopping->flag = flag;
    stopping->descriptor = descriptor;
    stopping->waiting.descriptor = descriptor_of;
    stopping->waiting.is_due = is_due;
    stopping->waiting.baton = stopping;
}

apr_status_t dsc_stopping_start(dsc_stopping_t *stopping, apr_thread_start_t work, void *baton,
                                apr_pool_t *pool)
{
    apr_thread_t *thread;
    apr_status_t rv;

    atomic_fetch_add(&stopping->running, 1);
    rv = apr_thread_create(&thread, NULL, work, baton, pool);
    if (rv != APR_SUCCESS) {
        dsc_stopping_end(stopping);
    }
    return rv;
}

void dsc_stopping_end(dsc_stopping_t *stopping)
{
    atomic_fetch_sub(&stopping->running, 1);
}
