#include "module/watcher.h"

#include "access/day_flush.h"
#include "access/usage_flush.h"
#include "engine/endpoint.h"
#include "module/couriers.h"
#include "module/watched.h"

#include <apr_signal.h>
#include <apr_strings.h>
#include <apr_thread_proc.h>
#include <ap_listen.h>
#include <ap_mpm.h>
#include <http_core.h>
#include <http_log.h>
#include <http_main.h>
#include <libpq-fe.h>
#include <mpm_common.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

APLOG_USE_MODULE(disclosed);

enum {
    POLL_MILLISECONDS = 500, /* a revocation is in force everywhere within two seconds */
    FLUSH_SECONDS = 2,       /* what a crash of the whole host may lose of the day's counts */
    LATE_SECONDS = 30,
    RELEASE_SECONDS = 60,
    LOG_SECONDS = 5,
    EXIT_HOPELESS = 254 /* the child cannot start at all: do not start it again */
};

/* What the parent keeps about the child, in pconf. */
typedef struct {
    server_rec *server;
    dsc_shared_state_t *state;
    const apr_array_header_t *watched;
    apr_pool_t *pconf;
    apr_time_t started_at;
    int delay; /* seconds that a successor of one that died young waits */
} watcher_t;

/* A database and the child's connection to it. */
typedef struct {
    const dsc_watched_t *watched;
    dsc_area_t *area;
    PGconn *connection;
    apr_time_t next_log, next_flush, next_release, next_schema_log;
    apr_time_t flushed_at;
    int compared; /* max_connections was looked at */
} target_t;

static atomic_int stop_requested; /* lock-free, so that a signal handler may set it */
static int wake_pipe[2];

static apr_status_t start(watcher_t *watcher);

/* --------------------------------------------------------------- in the child */

static void on_stop(int signal_number)
{
    (void)signal_number;
    atomic_store(&stop_requested, 1);
    if (write(wake_pipe[1], "", 1) < 0) {
        return; /* the loop looks at the flag twice a second anyway */
    }
}

/* The child inherits httpd's handlers when it is started again: set every one that matters. */
static int set_signals(void)
{
    static const int stopping[] = {SIGTERM, SIGINT};
    static const int ignored[] = {SIGHUP, SIGUSR1, SIGWINCH, SIGPIPE};
    size_t i;
    if (pipe(wake_pipe) != 0) {
        return 0;
    }
    for (i = 0; i < sizeof(stopping) / sizeof(stopping[0]); i++) {
        apr_signal(stopping[i], on_stop);
    }
    for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
        apr_signal(ignored[i], SIG_IGN);
    }
    return 1;
}

static void log_trouble(target_t *target, const char *text)
{
    apr_time_t now = apr_time_now();
    if (now >= target->next_log) {
        target->next_log = now + apr_time_from_sec(LOG_SECONDS);
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, ap_server_conf,
                     "DSC0020: the watcher cannot use the database: %s", text);
    }
}

static void disconnect(target_t *target)
{
    PQfinish(target->connection);
    target->connection = NULL;
}

/* The cap of all processes together should fit into what PostgreSQL takes. */
static void compare_connections(target_t *target)
{
    PGresult *result = PQexec(target->connection, "SHOW max_connections");
    int processes = 1;
    target->compared = 1;
    ap_mpm_query(AP_MPMQ_MAX_DAEMONS, &processes);
    if (PQresultStatus(result) == PGRES_TUPLES_OK &&
        processes * target->watched->pool_size > atoi(PQgetvalue(result, 0, 0))) {
        ap_log_error(APLOG_MARK, APLOG_NOTICE, 0, ap_server_conf,
                     "DSC0021: DisclosedDatabasePool %d times %d httpd processes may take "
                     "more connections than PostgreSQL's max_connections (%s)",
                     target->watched->pool_size, processes, PQgetvalue(result, 0, 0));
    }
    PQclear(result);
}

/* Looks which migration is the database's last, and says so when it is older than the module. */
static void check_schema(target_t *target)
{
    PGresult *result =
        PQexec(target->connection, "SELECT max(version) FROM public.disclosed_migration");
    int known = PQresultStatus(result) == PGRES_TUPLES_OK;
    int schema = known ? atoi(PQgetvalue(result, 0, 0)) : 0;
    PQclear(result);
    atomic_store(&target->area->schema, schema > 0 ? (uint64_t)schema : 0);
    if (schema < dsc_needed_schema() && apr_time_now() >= target->next_schema_log) {
        target->next_schema_log = apr_time_now() + apr_time_from_sec(60);
        ap_log_error(APLOG_MARK, APLOG_ERR, 0, ap_server_conf,
                     "DSC0023: the database has the tables of migration %d, this module needs "
                     "those of %d: run disclosedctl migrate",
                     schema, dsc_needed_schema());
    }
}

static int connect_target(target_t *target)
{
    PGresult *result;
    int listening;
    target->connection = PQconnectdb(target->watched->conninfo);
    target->flushed_at = apr_time_now();
    if (PQstatus(target->connection) != CONNECTION_OK) {
        log_trouble(target, PQerrorMessage(target->connection));
        disconnect(target);
        return 0;
    }
    result = PQexec(target->connection, "SET statement_timeout = 2000; SET lock_timeout = 500;"
                                        "SET application_name = 'mod_disclosed watcher';"
                                        "LISTEN disclosed");
    listening = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    if (!listening) {
        log_trouble(target, PQerrorMessage(target->connection));
        disconnect(target);
    } else if (!target->compared) {
        compare_connections(target);
    }
    return listening;
}

static void store_versions(dsc_area_t *area, const PGresult *rows)
{
    uint64_t versions[DSC_SHARED_DATASETS];
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
    for (i = 0; i < DSC_SHARED_DATASETS; i++) {
        atomic_store(&area->versions[i], versions[i]);
    }
}

/* Reads what is watched; the time that it was true at is before the query. */
static int read_target(target_t *target)
{
    apr_time_t asked_at = apr_time_now();
    PGresult *rows =
        PQexec(target->connection, "SELECT dataset, version FROM disclosed.dataset_stat UNION ALL "
                                   "SELECT '', generation FROM disclosed.key_generation");
    int good = PQresultStatus(rows) == PGRES_TUPLES_OK;
    int i;
    if (good) {
        store_versions(target->area, rows);
        for (i = 0; i < PQntuples(rows); i++) {
            if (!*PQgetvalue(rows, i, 0)) {
                atomic_store(&target->area->key_generation,
                             strtoull(PQgetvalue(rows, i, 1), NULL, 10));
            }
        }
        atomic_store(&target->area->seen_at, (uint64_t)asked_at);
    }
    PQclear(rows);
    return good;
}

static void watch(target_t *target)
{
    PGnotify *notice;
    if (!target->connection && !connect_target(target)) {
        return;
    }
    if (!PQconsumeInput(target->connection) || !read_target(target)) {
        log_trouble(target, PQerrorMessage(target->connection));
        disconnect(target);
        return;
    }
    if (atomic_load(&target->area->schema) < (uint64_t)dsc_needed_schema()) {
        check_schema(target);
    }
    while ((notice = PQnotifies(target->connection))) {
        PQfreemem(notice); /* it only wakes the loop: everything is read each time */
    }
}

static const char *operation_name(int operation)
{
    int count = 0;
    while (dsc_endpoints[count]) {
        count++;
    }
    return operation < count ? dsc_endpoints[operation]->name : "none";
}

/* The counts stay where they are and come again. A lock that somebody holds for a while is no outage:
 * what is watched must not grow old over it. */
static void put_off(target_t *target, apr_time_t now)
{
    if (PQstatus(target->connection) != CONNECTION_OK) {
        log_trouble(target, PQerrorMessage(target->connection));
        disconnect(target);
    } else if (now - target->flushed_at > apr_time_from_sec(LATE_SECONDS)) {
        target->flushed_at = now;
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, ap_server_conf,
                     "DSC0024: counts of requests could not be stored for %d seconds: %s",
                     LATE_SECONDS, PQerrorMessage(target->connection));
    }
}

/* Brings the day's counts and the usage of keys into the database. */
static void flush(target_t *target, dsc_shared_state_t *state, apr_pool_t *pool)
{
    uint32_t area = (uint32_t)target->watched->area;
    apr_time_t now = apr_time_now();
    target->next_flush = now + apr_time_from_sec(FLUSH_SECONDS);
    if (!target->connection) {
        return;
    }
    if (dsc_day_flush(pool, target->connection, &state->limits, area, (uint64_t)now) &&
        dsc_usage_flush(pool, target->connection, &state->counters, area, operation_name)) {
        target->flushed_at = now;
    } else {
        put_off(target, now);
    }
}

/* Gives back credits that a process held when it died. */
static void release_credits(target_t *target)
{
    static const char sql[] = "SELECT disclosed.release_stale_credits('10 minutes')";
    apr_time_t now = apr_time_now();
    PGresult *result;
    if (!target->connection || now < target->next_release) {
        return;
    }
    target->next_release = now + apr_time_from_sec(RELEASE_SECONDS);
    result = PQexec(target->connection, sql);
    if (PQresultStatus(result) != PGRES_TUPLES_OK) {
        log_trouble(target, PQerrorMessage(target->connection));
        disconnect(target);
    }
    PQclear(result);
}

static void flush_due(watcher_t *watcher, target_t *targets, apr_pool_t *pool, int at_once)
{
    apr_time_t now = apr_time_now();
    apr_pool_t *iteration;
    int i;
    apr_pool_create(&iteration, pool);
    for (i = 0; i < watcher->watched->nelts; i++) {
        if (at_once || now >= targets[i].next_flush) {
            flush(&targets[i], watcher->state, iteration);
            release_credits(&targets[i]);
        }
    }
    apr_pool_destroy(iteration);
}

/* A table that gives slots of the living to others forgets bursts: its admin should know. */
static void tell_evictions(dsc_shared_state_t *state)
{
    static uint64_t told = UINT64_MAX; /* those from before a restart were told before it */
    static apr_time_t next;
    uint64_t evictions = atomic_load(&state->limits.evictions);
    apr_time_t now = apr_time_now();
    if (told == UINT64_MAX) {
        told = evictions;
    }
    if (evictions > told && now >= next) {
        ap_log_error(APLOG_MARK, APLOG_WARNING, 0, ap_server_conf,
                     "DSC0041: the table of rate limits is full: %" APR_UINT64_T_FMT
                     " slots, those that were idle longest, went to others",
                     (apr_uint64_t)(evictions - told));
        told = evictions;
        next = now + apr_time_from_sec(60);
    }
}

/* How many requests each slot has allowed since the last sample. */
static void sample_rates(dsc_shared_state_t *state)
{
    static uint64_t before[DSC_LIMIT_SLOTS];
    static apr_time_t next;
    apr_time_t now = apr_time_now();
    int i, is_first = next == 0;
    if (now < next) {
        return;
    }
    next = now + apr_time_from_sec(DSC_RATE_SECONDS);
    for (i = 0; i < DSC_LIMIT_SLOTS; i++) {
        uint64_t allowed = atomic_load(&state->limits.slots[i].allowed);
        uint64_t more = !is_first && allowed > before[i] ? allowed - before[i] : 0;
        atomic_store(&state->rates[i], (uint32_t)more);
        before[i] = allowed;
    }
}

/* Sleeps until a notification, the order to stop, or the next poll. */
static void wait_for_news(const target_t *targets, int count)
{
    struct pollfd descriptors[DSC_SHARED_AREAS + 1];
    nfds_t used = 1;
    int i;
    descriptors[0].fd = wake_pipe[0];
    descriptors[0].events = POLLIN;
    for (i = 0; i < count; i++) {
        if (targets[i].connection) {
            descriptors[used].fd = PQsocket(targets[i].connection);
            descriptors[used++].events = POLLIN;
        }
    }
    poll(descriptors, used, POLL_MILLISECONDS);
}

static void run_child(watcher_t *watcher, apr_pool_t *pool)
{
    int count = watcher->watched->nelts;
    target_t *targets = apr_pcalloc(pool, (apr_size_t)count * sizeof(*targets));
    dsc_couriers_t *couriers;
    int i;
    for (i = 0; i < count; i++) {
        targets[i].watched = &APR_ARRAY_IDX(watcher->watched, i, dsc_watched_t);
        targets[i].area = &watcher->state->areas[targets[i].watched->area];
    }
    if (watcher->delay) {
        struct pollfd wake = {wake_pipe[0], POLLIN, 0};
        poll(&wake, 1, watcher->delay * 1000);
    }
    couriers =
        dsc_couriers_start(pool, watcher->watched, watcher->state, &stop_requested, wake_pipe[0]);
    while (!atomic_load(&stop_requested)) {
        for (i = 0; i < count; i++) {
            watch(&targets[i]);
        }
        flush_due(watcher, targets, pool, 0);
        sample_rates(watcher->state);
        tell_evictions(watcher->state);
        wait_for_news(targets, count);
        if (getppid() == 1) {
            break; /* httpd was killed: nobody is left to serve */
        }
    }
    atomic_store(&stop_requested, 1);
    flush_due(watcher, targets, pool, 1);
    dsc_couriers_join(couriers);
    for (i = 0; i < count; i++) {
        if (targets[i].connection) {
            disconnect(&targets[i]);
        }
    }
}

/* What ps and top show of it. */
static void set_name(void)
{
#ifdef __linux__
    pthread_setname_np(pthread_self(), "disclosed-watch");
#endif
}

static void child_main(watcher_t *watcher)
{
    apr_pool_t *pool;
    if (!set_signals()) {
        _exit(EXIT_HOPELESS);
    }
    set_name();
    ap_close_listeners();
    apr_pool_create(&pool, watcher->pconf);
    if (ap_run_drop_privileges(pool, ap_server_conf) != 0) {
        _exit(EXIT_HOPELESS);
    }
    run_child(watcher, pool);
    apr_pool_destroy(pool);
    _exit(0);
}

/* -------------------------------------------------------------- in the parent */

static int httpd_goes_on(void)
{
    int state;
    return ap_mpm_query(AP_MPMQ_MPM_STATE, &state) == APR_SUCCESS && state != AP_MPMQ_STOPPING;
}

static void maintain(int reason, void *data, apr_wait_t status)
{
    watcher_t *watcher = data;
    switch (reason) {
    case APR_OC_REASON_DEATH:
    case APR_OC_REASON_LOST:
        apr_proc_other_child_unregister(data);
        if (httpd_goes_on() && !(WIFEXITED(status) && WEXITSTATUS(status) == EXIT_HOPELESS)) {
            watcher->delay = apr_time_now() - watcher->started_at < apr_time_from_sec(2) ? 1 : 0;
            start(watcher);
        }
        break;
    case APR_OC_REASON_RESTART:
        apr_proc_other_child_unregister(data);
        break;
    default:
        break;
    }
}

static apr_status_t start(watcher_t *watcher)
{
    apr_proc_t *process = apr_pcalloc(watcher->pconf, sizeof(*process));
    apr_status_t rv;
    watcher->started_at = apr_time_now();
    rv = apr_proc_fork(process, watcher->pconf);
    if (rv == APR_INCHILD) {
        child_main(watcher);
    }
    if (rv != APR_INPARENT) {
        ap_log_error(APLOG_MARK, APLOG_ERR, rv, watcher->server,
                     "DSC0022: the watcher could not be started");
        return rv;
    }
    apr_pool_note_subprocess(watcher->pconf, process, APR_KILL_AFTER_TIMEOUT);
    apr_proc_other_child_register(process, maintain, watcher, NULL, watcher->pconf);
    return APR_SUCCESS;
}

apr_status_t dsc_watcher_start(apr_pool_t *pconf, server_rec *server, dsc_shared_state_t *state,
                               const apr_array_header_t *watched)
{
    watcher_t *watcher = apr_pcalloc(pconf, sizeof(*watcher));
    watcher->server = server;
    watcher->state = state;
    watcher->watched = watched;
    watcher->pconf = pconf;
    return start(watcher);
}
