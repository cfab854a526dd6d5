#include "module/replica_lookouts.h"

#include "engine/conninfo.h"
#include "module/log.h"
#include "module/role_check.h"

#include <apr_strings.h>
#include <apr_thread_proc.h>
#include <httpd.h>
#include <http_main.h>
#include <poll.h>
#include <stdlib.h>

APLOG_USE_MODULE(disclosed);

enum {
    LOOK_MILLISECONDS = 1000,
    FIRST_SECONDS = 5, /* until it has been compared with its primary */
    STATEMENT_MILLISECONDS = 1000
};

/* A replica and the thread's connection to it. */
typedef struct {
    apr_pool_t *pool;
    const dsc_watched_replica_t *replica;
    dsc_replica_slot_t *slot;
    const dsc_wal_history_t *wal; /* of its primary */
    dsc_stopping_t *stopping;
    dsc_connection_t *connection;
    int was_fit;
    int knows_role;
    apr_time_t began;
} lookout_t;

/* Copies the position that the replica has replayed to shared memory; 0 if it does not respond. */
static int look(lookout_t *lookout)
{
    PGresult *result;
    const char *position;

    if (!dsc_connection_ready(lookout->connection)) {
        return 0;
    }
    result = dsc_run(lookout->connection, "SELECT " DSC_WAL_POSITION, 0, NULL);
    if (!result) {
        dsc_connection_close(lookout->connection);
        return 0;
    }
    position = PQgetvalue(result, 0, 0);
    dsc_replica_note(lookout->slot, lookout->wal, (uint64_t)dsc_monotonic_now(),
                     strtoull(position, NULL, 10));
    PQclear(result);
    if (!lookout->knows_role) {
        lookout->knows_role = 1;
        dsc_role_check(lookout->connection, "DisclosedReadDatabase");
    }
    return 1;
}

/* Why it gets no reads. */
static const char *reason_of(lookout_t *lookout, apr_pool_t *pool, int responds)
{
    uint64_t lag = dsc_replica_lag(lookout->slot, (uint64_t)dsc_monotonic_now());

    if (!responds) {
        return dsc_connection_failure(lookout->connection)->message;
    }
    if (dsc_replica_is_avoided(lookout->slot, (uint64_t)dsc_monotonic_now())) {
        return "requests have waited for its rows until their time was over";
    }
    if (lag == UINT64_MAX) {
        return "it has not yet replayed what the primary had when it was looked at first";
    }
    return apr_psprintf(pool, "it is %.1f seconds, %" APR_UINT64_T_FMT " bytes behind",
                        (double)lag / APR_USEC_PER_SEC,
                        (apr_uint64_t)atomic_load(&lookout->slot->lag_bytes));
}

/* Logs when it gets no reads any more, and when it gets them again. */
static void tell(lookout_t *lookout, int responds)
{
    int is_fit = dsc_replica_is_fit(lookout->slot, (uint64_t)dsc_monotonic_now(),
                                    (uint64_t)lookout->replica->bound);
    apr_pool_t *pool;

    if (is_fit == lookout->was_fit ||
        (!is_fit && dsc_monotonic_now() - lookout->began < apr_time_from_sec(FIRST_SECONDS))) {
        return;
    }
    lookout->was_fit = is_fit;
    if (is_fit) {
        ap_log_error(DSC_MESSAGE(REPLICA_READ, 0, ap_server_conf), lookout->replica->name);
        return;
    }
    apr_pool_create(&pool, lookout->pool);
    ap_log_error(DSC_MESSAGE(REPLICA_NOT_READ, 0, ap_server_conf), lookout->replica->name,
                 reason_of(lookout, pool, responds));
    apr_pool_destroy(pool);
}

static void *APR_THREAD_FUNC work(apr_thread_t *thread, void *data)
{
    lookout_t *lookout = data;
    struct pollfd stop = {lookout->stopping->descriptor, POLLIN, 0};

    (void)thread;
    while (!atomic_load(lookout->stopping->flag)) {
        int responds = look(lookout);

        if (!responds) {
            dsc_replica_missed(lookout->slot, (uint64_t)dsc_monotonic_now());
        }
        tell(lookout, responds);
        poll(&stop, 1, LOOK_MILLISECONDS);
    }
    dsc_connection_close(lookout->connection);
    dsc_stopping_end(lookout->stopping);
    return NULL;
}

static dsc_connection_t *create_connection(lookout_t *lookout)
{
    dsc_connection_config_t config = {0};

    config.conninfo =
        dsc_conninfo_complete(lookout->pool, lookout->replica->conninfo, dsc_conninfo_server);
    config.settings = apr_psprintf(lookout->pool,
                                   "SET statement_timeout = %d;"
                                   "SET application_name = 'mod_disclosed watcher'",
                                   STATEMENT_MILLISECONDS);
    config.limit = apr_time_from_msec(STATEMENT_MILLISECONDS);
    config.waiting = &lookout->stopping->waiting;
    config.leaves_cancel = 1; /* requests wait for the word that the replica is silent */
    return dsc_connection_create(lookout->pool, &config);
}

static apr_status_t start_one(const dsc_watched_replica_t *replica, const dsc_wal_history_t *wal,
                              dsc_shared_state_t *state, dsc_stopping_t *stopping)
{
    apr_pool_t *pool;
    lookout_t *lookout;
    apr_status_t rv = apr_pool_create(&pool, NULL);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    lookout = apr_pcalloc(pool, sizeof(*lookout));
    lookout->pool = pool;
    lookout->replica = replica;
    lookout->slot = &state->replica_slots[replica->slot];
    lookout->wal = wal;
    lookout->stopping = stopping;
    lookout->was_fit = 1;
    lookout->began = dsc_monotonic_now();
    lookout->connection = create_connection(lookout);
    return dsc_stopping_start(stopping, work, lookout, pool);
}

void dsc_replica_lookouts_start(const dsc_watched_t *watched, dsc_shared_state_t *state,
                                dsc_stopping_t *stopping)
{
    const dsc_wal_history_t *wal = &state->database_slots[watched->database_slot].wal;
    int i;

    for (i = 0; i < watched->replicas->nelts; i++) {
        apr_status_t rv = start_one(&APR_ARRAY_IDX(watched->replicas, i, dsc_watched_replica_t),
                                    wal, state, stopping);
        if (rv != APR_SUCCESS) {
            ap_log_error(DSC_MESSAGE(NOT_WATCHED, rv, ap_server_conf));
        }
    }
}
