#include "module/lookouts.h"

#include "engine/conninfo.h"
#include "module/count_flushes.h"
#include "module/follow_lookout.h"
#include "module/key_lookout.h"
#include "module/log.h"
#include "module/replica_lookouts.h"
#include "module/role_check.h"
#include "module/wake.h"
#include "module/watched.h"

#include <apr_strings.h>
#include <apr_thread_proc.h>
#include <httpd.h>
#include <ap_mpm.h>
#include <http_main.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

APLOG_USE_MODULE(disclosed);

enum {
    TICK_MILLISECONDS = 500, /* between two looks at a closed connection */
    LATE_SECONDS = 30,
    STATEMENT_SECONDS = 2
};

/* What is read beside versions, in the place of a dataset's name, of which none begins like
 * this. */
#define KEYS "=generation of keys"
#define MADE "=last key" /* its number; a schema of before has none */
#define WAL  "=position of WAL"
/* On Citus a commit reaches the workers a moment after the coordinator's tables, and holds the lock
 * of sending until then (sql/0068_distributed.sql): taken after the snapshot, it says that shards
 * have what versions tell of, unless a worker was lost in that moment
 * (sql/0091_sent_everywhere.sql). */
#define SENT "=sent to shards"
#define SENT_SQL                                                                                   \
    "CASE WHEN to_regnamespace('disclosed_shards') IS NULL THEN 2"                                 \
    " WHEN pg_try_advisory_xact_lock_shared(hashtextextended('disclosed send', 0)) THEN 1"         \
    " ELSE 0 END"
#define BEHIND_SQL "SELECT disclosed.workers_are_behind()"

/* What SENT_SQL says. */
typedef enum {
    NOT_SENT,
    SENT_TO_WORKERS,
    NO_SHARDS
} sent_t;

/* A database and the thread's connection to it. */
typedef struct {
    apr_pool_t *pool; /* the thread's own: pools are no meeting place of threads */
    const dsc_watched_t *watched;
    dsc_shared_state_t *state;
    dsc_database_slot_t *database_slot;
    dsc_stopping_t *stopping;
    dsc_connection_t *connection;
    dsc_outage_t outage;
    dsc_key_lookout_t keys;
    uint64_t keys_made;
    apr_time_t listed_at, next_list;
    apr_time_t next_look, next_schema_log, next_follow;
    int is_called; /* PostgreSQL, or a request, wants what is watched looked at */
    int compared;  /* max_connections and the role were looked at */
} lookout_t;

static void log_lookout(void *baton, int number, const char *text)
{
    (void)baton;
    (void)number;
    ap_log_error(DSC_MESSAGE(WATCHER_OUTAGE, 0, ap_server_conf), text);
}

/* The cap of all processes together should fit into what PostgreSQL takes. */
static void compare_connections(lookout_t *lookout)
{
    PGresult *result = dsc_run(lookout->connection, "SHOW max_connections", 0, NULL);
    int processes = 1;
    lookout->compared = 1;
    ap_mpm_query(AP_MPMQ_MAX_DAEMONS, &processes);
    if (result && processes * lookout->watched->pool_size > atoi(PQgetvalue(result, 0, 0))) {
        ap_log_error(DSC_MESSAGE(MANY_CONNECTIONS, 0, ap_server_conf), lookout->watched->pool_size,
                     processes, PQgetvalue(result, 0, 0));
    }
    PQclear(result);
}

/* Says so when the database's last migration is older than the module. */
static void log_schema(lookout_t *lookout, int schema)
{
    atomic_store(&lookout->database_slot->schema, schema > 0 ? (uint64_t)schema : 0);
    if (schema < dsc_needed_schema() && dsc_monotonic_now() >= lookout->next_schema_log) {
        lookout->next_schema_log = dsc_monotonic_now() + apr_time_from_sec(60);
        ap_log_error(DSC_MESSAGE(OLD_SCHEMA, 0, ap_server_conf), schema, dsc_needed_schema());
    }
}

/* Why PostgreSQL has refused the statement that failed. */
static dsc_refused_t refusal_of(const lookout_t *lookout)
{
    const dsc_failure_t *failure = dsc_connection_failure(lookout->connection);
    const char *state = PQresultErrorField(failure->result, PG_DIAG_SQLSTATE);
    if (!state) {
        return DSC_NOT_REFUSED;
    }
    return strcmp(state, "42P01") == 0   ? DSC_NO_TABLES
           : strcmp(state, "42501") == 0 ? DSC_NO_RIGHTS
                                         : DSC_NOT_REFUSED;
}

/* Logs what the failure requires from an administrator: migrations, or another look at the
 * database. */
static void log_failure(lookout_t *lookout)
{
    dsc_refused_t refused = refusal_of(lookout);
    atomic_store(&lookout->database_slot->refused, refused);
    if (refused == DSC_NO_TABLES) {
        log_schema(lookout, 0);
    } else {
        dsc_connection_log(lookout->connection);
    }
}

/* Looks which migration is the database's last. */
static void check_schema(lookout_t *lookout)
{
    PGresult *result = dsc_run(lookout->connection, dsc_schema_sql(), 0, NULL);
    if (result) {
        atomic_store(&lookout->database_slot->refused, DSC_NOT_REFUSED);
        log_schema(lookout, atoi(PQgetvalue(result, 0, 0)));
    } else {
        log_failure(lookout);
    }
    PQclear(result);
}

static int connect_lookout(lookout_t *lookout)
{
    if (!dsc_connection_ready(lookout->connection)) {
        return 0;
    }
    lookout->keys.is_begun = 0; /* it may be another database, or an earlier state of it */
    lookout->listed_at = dsc_monotonic_now();
    /* Notifications without a connection are lost. */
    atomic_fetch_add(&lookout->database_slot->webhooks.news, 1);
    if (!lookout->compared) {
        compare_connections(lookout);
        dsc_role_check(lookout->connection, "DisclosedDatabase");
    }
    return 1;
}

static void read_versions(const PGresult *rows, uint64_t versions[DSC_SHARED_DATASETS])
{
    int i;
    /* A dataset without a row has never been loaded: that is a version too. */
    for (i = 0; i < DSC_SHARED_DATASETS; i++) {
        versions[i] = 1;
    }
    for (i = 0; i < PQntuples(rows); i++) {
        int dataset = dsc_dataset_index(PQgetvalue(rows, i, 0));
        if (dataset >= 0 && dataset < DSC_SHARED_DATASETS) {
            versions[dataset] = 1 + strtoull(PQgetvalue(rows, i, 1), NULL, 10);
        }
    }
}

static int are_known(const dsc_database_slot_t *database_slot, const uint64_t *versions)
{
    int i;
    for (i = 0; i < DSC_SHARED_DATASETS; i++) {
        if (atomic_load(&database_slot->versions[i]) != versions[i]) {
            return 0;
        }
    }
    return 1;
}

static sent_t sent_of(const PGresult *rows)
{
    int i;
    for (i = 0; i < PQntuples(rows); i++) {
        if (strcmp(PQgetvalue(rows, i, 0), SENT) == 0) {
            return (sent_t)atoi(PQgetvalue(rows, i, 1));
        }
    }
    return NOT_SENT;
}

/* Whether each worker has what was committed; one that does not say may not. */
static int workers_have_all(const lookout_t *lookout)
{
    PGresult *result = dsc_run(lookout->connection, BEHIND_SQL, 0, NULL);
    int has_all = result && *PQgetvalue(result, 0, 0) == 'f';
    PQclear(result);
    return has_all;
}

/* Stores versions when the shards have the data of these versions. */
static void take_versions(lookout_t *lookout, const PGresult *rows)
{
    dsc_database_slot_t *database_slot = lookout->database_slot;
    uint64_t versions[DSC_SHARED_DATASETS];
    sent_t sent = sent_of(rows);
    int i;

    if (sent == NOT_SENT) {
        lookout->is_called = 1; /* looks again with the next tick */
        return;
    }
    read_versions(rows, versions);
    if (sent == SENT_TO_WORKERS && !are_known(database_slot, versions) &&
        !workers_have_all(lookout)) {
        return; /* looks again when it is time */
    }
    for (i = 0; i < DSC_SHARED_DATASETS; i++) {
        atomic_store(&database_slot->versions[i], versions[i]);
    }
}

/* Reads what is watched; the time that it was true at is before the query. */
static int read_database(lookout_t *lookout)
{
    apr_time_t asked_at = dsc_monotonic_now();
    PGresult *rows =
        dsc_run(lookout->connection,
                "SELECT dataset, version FROM disclosed.dataset_stat UNION ALL "
                "SELECT '" KEYS "', generation FROM disclosed.key_generation UNION ALL "
                "SELECT '" MADE
                "', (to_jsonb(k) ->> 'made')::bigint FROM disclosed.key_generation k"
                " UNION ALL "
                "SELECT '" WAL "', " DSC_WAL_POSITION " UNION ALL "
                "SELECT '" SENT "', " SENT_SQL,
                0, NULL);
    int i, good = rows != NULL;
    if (rows) {
        take_versions(lookout, rows);
        for (i = 0; i < PQntuples(rows); i++) {
            const char *what = PQgetvalue(rows, i, 0);
            uint64_t number = strtoull(PQgetvalue(rows, i, 1), NULL, 10);
            if (strcmp(what, KEYS) == 0) {
                atomic_store(&lookout->database_slot->key_generation, number);
            } else if (strcmp(what, MADE) == 0) {
                lookout->keys_made = number;
            } else if (strcmp(what, WAL) == 0) {
                dsc_wal_note(&lookout->database_slot->wal, (uint64_t)asked_at, number);
            }
        }
        atomic_store(&lookout->database_slot->seen_at, (uint64_t)asked_at);
    }
    PQclear(rows);
    return good;
}

/* An obstacle to listing keys, such as a lock that is held for a while, must not delay what else
 * is watched: it is tried again a little later, and logged if it lasts. */
static int list_later(lookout_t *lookout, apr_time_t now)
{
    if (!dsc_connection_is_open(lookout->connection)) {
        return 0;
    }
    lookout->next_list = now + apr_time_from_sec(STATEMENT_SECONDS);
    if (now - lookout->listed_at > apr_time_from_sec(LATE_SECONDS)) {
        lookout->listed_at = now;
        dsc_connection_log(lookout->connection);
    }
    return 1;
}

/* Whether the connection is good. */
static int list_keys(lookout_t *lookout)
{
    apr_time_t now = dsc_monotonic_now();
    int is_behind = 0;
    if (now < lookout->next_list) {
        return 1;
    }
    if (!dsc_key_lookout_read(&lookout->keys, lookout->connection,
                              &lookout->database_slot->key_list, dsc_key_list_seed(lookout->state),
                              lookout->keys_made, &is_behind)) {
        return list_later(lookout, now);
    }
    lookout->listed_at = now;
    lookout->is_called |= is_behind;
    return 1;
}

/* Whether it was read. */
static int look(lookout_t *lookout)
{
    if (!dsc_connection_is_open(lookout->connection) && !connect_lookout(lookout)) {
        return 0;
    }
    if (!read_database(lookout) || !list_keys(lookout)) {
        log_failure(lookout);
        dsc_connection_close(lookout->connection);
        return 0;
    }
    return 1;
}

/* The lag of a replica follows from a comparison with its primary. */
static apr_interval_time_t look_interval(const lookout_t *lookout)
{
    return apr_time_from_sec(lookout->watched->replicas->nelts ? 1 : DSC_LOOK_SECONDS);
}

/* Looks when somebody wants it; when nobody does, from time to time all the same. */
static void watch(lookout_t *lookout)
{
    apr_time_t now = dsc_monotonic_now();
    if (dsc_connection_is_open(lookout->connection) && !lookout->is_called &&
        now < lookout->next_look) {
        return;
    }
    lookout->is_called = 0;
    lookout->next_look = now + look_interval(lookout);
    if (!look(lookout)) {
        atomic_store(&lookout->database_slot->out_of_reach, 1);
        return;
    }
    atomic_store(&lookout->database_slot->out_of_reach, 0);
    if (atomic_load(&lookout->database_slot->schema) < (uint64_t)dsc_needed_schema()) {
        check_schema(lookout);
    } else {
        atomic_store(&lookout->database_slot->refused, DSC_NOT_REFUSED);
    }
}

/* What is followed is there for metrics alone: if it cannot be read, its figures grow old, and say
 * so. */
static void look_at_followed(lookout_t *lookout)
{
    apr_time_t now = dsc_monotonic_now();
    if (!dsc_connection_is_open(lookout->connection) || now < lookout->next_follow ||
        atomic_load(&lookout->database_slot->schema) < (uint64_t)dsc_needed_schema()) {
        return;
    }
    lookout->next_follow = now + apr_time_from_sec(DSC_FOLLOW_LOOK_SECONDS);
    if (!dsc_follow_lookout_read(lookout->connection, lookout->database_slot)) {
        dsc_connection_log(lookout->connection);
    }
}

/* Sleeps until a notification, a request's call, the order to stop, or the next tick. Notifications
 * say no more than that: all is read each time. */
static void wait_for_news(lookout_t *lookout)
{
    int database_slot = lookout->watched->database_slot;
    struct pollfd stop = {lookout->stopping->descriptor, POLLIN, 0};
    const int descriptors[] = {stop.fd, dsc_wake_descriptor(database_slot)};
    if (!dsc_connection_is_open(lookout->connection)) {
        poll(&stop, 1, TICK_MILLISECONDS);
        return;
    }
    switch (dsc_connection_listen(lookout->connection, descriptors, TICK_MILLISECONDS)) {
    case DSC_LISTEN_BROKEN:
        dsc_connection_log(lookout->connection);
        break;
    case DSC_LISTEN_NOTIFIED:
        lookout->is_called = 1;
        atomic_fetch_add(&lookout->database_slot->webhooks.news, 1);
        break;
    default:
        break;
    }
    lookout->is_called |= dsc_wake_take(database_slot);
}

static void *APR_THREAD_FUNC work(apr_thread_t *thread, void *data)
{
    lookout_t *lookout = data;
    (void)thread;
    while (!atomic_load(lookout->stopping->flag)) {
        atomic_store(&lookout->database_slot->looked_at, (uint64_t)dsc_monotonic_now());
        watch(lookout);
        look_at_followed(lookout);
        wait_for_news(lookout);
    }
    dsc_connection_close(lookout->connection);
    dsc_stopping_end(lookout->stopping);
    return NULL;
}

static dsc_connection_t *create_connection(lookout_t *lookout)
{
    dsc_connection_config_t config = {0};
    config.conninfo =
        dsc_conninfo_complete(lookout->pool, lookout->watched->conninfo, dsc_conninfo_server);
    config.settings = apr_psprintf(lookout->pool,
                                   "SET statement_timeout = %d; SET lock_timeout = 500;"
                                   "SET application_name = 'mod_disclosed watcher';"
                                   "LISTEN disclosed",
                                   STATEMENT_SECONDS * 1000);
    config.limit = apr_time_from_sec(STATEMENT_SECONDS + 1);
    config.outage = &lookout->outage;
    config.outage_number = DSC_MESSAGE_WATCHER_OUTAGE;
    config.log = log_lookout;
    config.waiting = &lookout->stopping->waiting;
    return dsc_connection_create(lookout->pool, &config);
}

static apr_status_t start_one(const dsc_watched_t *watched, dsc_shared_state_t *state,
                              dsc_stopping_t *stopping)
{
    apr_pool_t *pool;
    lookout_t *lookout;
    apr_status_t rv = apr_pool_create(&pool, NULL);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    lookout = apr_pcalloc(pool, sizeof(*lookout));
    lookout->pool = pool;
    lookout->watched = watched;
    lookout->state = state;
    lookout->database_slot = &state->database_slots[watched->database_slot];
    lookout->stopping = stopping;
    lookout->connection = create_connection(lookout);
    rv = dsc_stopping_start(stopping, work, lookout, pool);
    return rv != APR_SUCCESS ? rv
                             : dsc_count_flush_start(watched, state, stopping, &lookout->outage);
}

void dsc_lookouts_start(const apr_array_header_t *watched, dsc_shared_state_t *state,
                        dsc_stopping_t *stopping)
{
    int i;
    for (i = 0; i < watched->nelts; i++) {
        apr_status_t rv = start_one(&APR_ARRAY_IDX(watched, i, dsc_watched_t), state, stopping);
        if (rv != APR_SUCCESS) {
            ap_log_error(DSC_MESSAGE(NOT_WATCHED, rv, ap_server_conf));
        }
        dsc_replica_lookouts_start(&APR_ARRAY_IDX(watched, i, dsc_watched_t), state, stopping);
    }
}
