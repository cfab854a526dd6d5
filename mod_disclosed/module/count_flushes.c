#include "module/count_flushes.h"

#include "access/day_flush.h"
#include "access/usage_flush.h"
#include "engine/conninfo.h"
#include "engine/endpoint.h"
#include "module/log.h"

#include <apr_strings.h>
#include <httpd.h>
#include <http_main.h>
#include <poll.h>

APLOG_USE_MODULE(disclosed);

enum {
    FLUSH_MILLISECONDS = 2000, /* what a crash of the whole host may lose of the day's counts */
    RETRY_MILLISECONDS = 200,  /* while the database is not seen */
    LATE_SECONDS = 30,
    RELEASE_SECONDS = 60,
    STATEMENT_SECONDS = 2
};

/* A database, and the thread's connection to it. */
typedef struct {
    apr_pool_t *pool; /* the thread's own */
    dsc_shared_state_t *state;
    int database_slot;
    dsc_stopping_t *stopping;
    dsc_connection_t *connection;
    apr_time_t flushed_at, next_release;
} flusher_t;

static void log_outage(void *baton, int number, const char *text)
{
    (void)baton;
    (void)number;
    ap_log_error(DSC_MESSAGE(WATCHER_OUTAGE, 0, ap_server_conf), text);
}

static const char *operation_name(int operation)
{
    int count = 0;
    while (dsc_endpoints[count]) {
        count++;
    }
    return operation < count ? dsc_endpoints[operation]->name : "none";
}

/* The counts stay where they are and come again. A lock that somebody holds for a while is no
 * outage. */
static void put_off(flusher_t *flusher, apr_time_t now)
{
    if (!dsc_connection_is_open(flusher->connection)) {
        dsc_connection_log(flusher->connection);
    } else if (now - flusher->flushed_at > apr_time_from_sec(LATE_SECONDS)) {
        flusher->flushed_at = now;
        ap_log_error(DSC_MESSAGE(COUNTS_NOT_STORED, 0, ap_server_conf), LATE_SECONDS,
                     dsc_connection_failure(flusher->connection)->message);
    }
}

static void flush(flusher_t *flusher, apr_pool_t *pool)
{
    dsc_shared_state_t *state = flusher->state;
    uint32_t database_slot = (uint32_t)flusher->database_slot;
    apr_time_t now = dsc_monotonic_now();
    if (dsc_day_flush(pool, flusher->connection, &state->limits, database_slot,
                      (uint64_t)apr_time_now(), (uint64_t)now) &&
        dsc_usage_flush(pool, flusher->connection, &state->counters, database_slot,
                        operation_name)) {
        flusher->flushed_at = now;
    } else {
        put_off(flusher, now);
    }
}

/* Releases credits that a process held when it died. */
static void release_credits(flusher_t *flusher)
{
    static const char sql[] = "SELECT disclosed.release_stale_credits('10 minutes')";
    apr_time_t now = dsc_monotonic_now();
    PGresult *result;
    if (!dsc_connection_is_open(flusher->connection) || now < flusher->next_release) {
        return;
    }
    flusher->next_release = now + apr_time_from_sec(RELEASE_SECONDS);
    result = dsc_run(flusher->connection, sql, 0, NULL);
    if (!result) {
        dsc_connection_log(flusher->connection);
        dsc_connection_close(flusher->connection);
    }
    PQclear(result);
}

/* Whether there is a connection. The lookout finds out whether the database can be reached. */
static int connect_flusher(flusher_t *flusher)
{
    const dsc_database_slot_t *slot = &flusher->state->database_slots[flusher->database_slot];
    if (dsc_connection_is_open(flusher->connection)) {
        return 1;
    }
    if (atomic_load(&slot->seen_at) == 0 || atomic_load(&slot->out_of_reach) ||
        !dsc_connection_ready(flusher->connection)) {
        return 0;
    }
    flusher->flushed_at = dsc_monotonic_now();
    return 1;
}

static void flush_once(flusher_t *flusher)
{
    apr_pool_t *iteration;
    if (connect_flusher(flusher)) {
        apr_pool_create(&iteration, flusher->pool);
        flush(flusher, iteration);
        release_credits(flusher);
        apr_pool_destroy(iteration);
    }
}

/* Sleeps until it is time, or the order to stop; a connection that breaks meanwhile is closed at
 * once. */
static void wait_for_next(flusher_t *flusher)
{
    struct pollfd stop = {flusher->stopping->descriptor, POLLIN, 0};
    const int descriptors[] = {stop.fd, -1};
    apr_time_t end = dsc_monotonic_now() + apr_time_from_msec(FLUSH_MILLISECONDS);
    while (!atomic_load(flusher->stopping->flag) && dsc_monotonic_now() < end) {
        if (!dsc_connection_is_open(flusher->connection)) {
            poll(&stop, 1, RETRY_MILLISECONDS);
            return;
        }
        (void)dsc_connection_listen(flusher->connection, descriptors,
                                    (int)apr_time_as_msec(end - dsc_monotonic_now()) + 1);
    }
}

static void *APR_THREAD_FUNC work(apr_thread_t *thread, void *data)
{
    flusher_t *flusher = data;
    (void)thread;
    while (!atomic_load(flusher->stopping->flag)) {
        flush_once(flusher);
        wait_for_next(flusher);
    }
    flush_once(flusher);
    dsc_connection_close(flusher->connection);
    dsc_stopping_end(flusher->stopping);
    return NULL;
}

static dsc_connection_t *create_connection(flusher_t *flusher, const char *conninfo,
                                           dsc_outage_t *outage)
{
    dsc_connection_config_t config = {0};
    config.conninfo = dsc_conninfo_complete(flusher->pool, conninfo, dsc_conninfo_server);
    config.settings = apr_psprintf(flusher->pool,
                                   "SET statement_timeout = %d; SET lock_timeout = 500;"
                                   "SET application_name = 'mod_disclosed counts'",
                                   STATEMENT_SECONDS * 1000);
    config.limit = apr_time_from_sec(STATEMENT_SECONDS + 1);
    config.outage = outage;
    config.outage_number = DSC_MESSAGE_WATCHER_OUTAGE;
    config.log = log_outage;
    config.waiting = &flusher->stopping->waiting;
    return dsc_connection_create(flusher->pool, &config);
}

apr_status_t dsc_count_flush_start(const dsc_watched_t *watched, dsc_shared_state_t *state,
                                   dsc_stopping_t *stopping, dsc_outage_t *outage)
{
    apr_pool_t *pool;
    flusher_t *flusher;
    apr_status_t rv = apr_pool_create(&pool, NULL);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    flusher = apr_pcalloc(pool, sizeof(*flusher));
    flusher->pool = pool;
    flusher->state = state;
    flusher->database_slot = watched->database_slot;
    flusher->stopping = stopping;
    flusher->connection = create_connection(flusher, watched->conninfo, outage);
    return dsc_stopping_start(stopping, work, flusher, pool);
}
