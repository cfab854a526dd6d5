#include "module/delivery_workers.h"

#include "module/log.h"
#include "module/watched.h"
#include "webhook/delivery_worker.h"

#include <apr_strings.h>
#include <apr_thread_proc.h>
#include <httpd.h>
#include <http_config.h>
#include <http_main.h>

APLOG_USE_MODULE(disclosed);

enum {
    RUN_MILLISECONDS = 200,
    /* Less than the second after which statements are cancelled (stopping.h), so that what is still
     * under way then can be let go of. */
    FINISH_MILLISECONDS = 700
};

/* A thread and what it works with. */
typedef struct {
    dsc_stopping_t *stopping;
    dsc_database_slot_t *database_slot;
    dsc_delivery_worker_t *worker;
} worker_t;

static void tell(void *baton, const dsc_delivery_worker_figures_t *figures)
{
    dsc_webhook_counter_t *counter = baton;
    atomic_store(&counter->waiting, figures->waiting);
    atomic_store(&counter->queued_since, figures->queued_since);
    atomic_store(&counter->due_since, figures->due_since);
    atomic_fetch_add(&counter->delivered, figures->delivered);
    atomic_fetch_add(&counter->failed, figures->failed);
    atomic_fetch_add(&counter->put_back, figures->put_back);
    atomic_store(&counter->obstructed_since, figures->obstructed_since);
    atomic_store(&counter->obstructed_endpoints, figures->obstructed_endpoints);
}

/* What is queued comes with a load, or a request, of which PostgreSQL notifies. */
static uint64_t count_news(void *baton)
{
    const dsc_database_slot_t *database_slot = baton;
    return atomic_load(&database_slot->webhooks.news);
}

static void *APR_THREAD_FUNC work(apr_thread_t *thread, void *data)
{
    worker_t *worker = data;
    (void)thread;
    /* Until then there is nothing to look at, and every look would be an error in the log. */
    while (!atomic_load(worker->stopping->flag)) {
        if (atomic_load(&worker->database_slot->schema) < (uint64_t)dsc_needed_schema()) {
            apr_sleep(apr_time_from_msec(100));
        } else {
            dsc_delivery_worker_run(worker->worker, worker->stopping->descriptor, RUN_MILLISECONDS);
        }
    }
    dsc_delivery_worker_finish(worker->worker, FINISH_MILLISECONDS);
    dsc_stopping_end(worker->stopping);
    return NULL;
}

static void start_one(const dsc_watched_t *watched, dsc_database_slot_t *database_slot,
                      dsc_stopping_t *stopping)
{
    dsc_delivery_worker_config_t config = {0};
    apr_pool_t *own;
    worker_t *worker = NULL;
    config.service = watched->service;
    config.conninfo = watched->conninfo;
    config.plans = watched->plans;
    config.log = dsc_log;
    config.tell = tell;
    config.tell_baton = &database_slot->webhooks;
    config.news = count_news;
    config.news_baton = database_slot;
    config.waiting = &stopping->waiting;
    /* A pool that no other thread uses: pools are no meeting place of threads. */
    if (apr_pool_create(&own, NULL) == APR_SUCCESS) {
        worker = apr_pcalloc(own, sizeof(*worker));
        worker->stopping = stopping;
        worker->database_slot = database_slot;
        worker->worker = dsc_delivery_worker_create(own, &config);
    }
    if (!worker || !worker->worker ||
        dsc_stopping_start(stopping, work, worker, own) != APR_SUCCESS) {
        ap_log_error(DSC_MESSAGE(NO_DELIVERY_WORKER, 0, ap_server_conf));
    }
}

void dsc_delivery_workers_start(const apr_array_header_t *watched, dsc_shared_state_t *state,
                                dsc_stopping_t *stopping)
{
    int i;
    for (i = 0; i < watched->nelts; i++) {
        const dsc_watched_t *one = &APR_ARRAY_IDX(watched, i, dsc_watched_t);
        start_one(one, &state->database_slots[one->database_slot], stopping);
    }
}
