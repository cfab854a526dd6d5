#include "module/watcher.h"

#include "engine/outage.h"

#include "module/delivery_workers.h"
#include "module/log.h"
#include "module/lookouts.h"

#include <apr_signal.h>
#include <apr_strings.h>
#include <apr_thread_proc.h>
#include <ap_listen.h>
#include <ap_mpm.h>
#include <errno.h>
#include <http_core.h>
#include <http_main.h>
#include <mpm_common.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

APLOG_USE_MODULE(disclosed);

enum {
    POLL_MILLISECONDS = 500,
    STOP_MILLISECONDS = 2500, /* httpd kills after three seconds */
    EXIT_LACKING = 254        /* the child lacks what it needs to begin: it is started later */
};

/* What the parent keeps about the child, in pconf. */
typedef struct {
    server_rec *server;
    dsc_shared_state_t *state;
    const apr_array_header_t *watched;
    apr_pool_t *pconf;
    apr_time_t started_at;
    pid_t parent; /* httpd's; in a container it may be 1 */
    int delay;    /* seconds that a successor of one that died young waits */
} watcher_t;

static atomic_int stop_requested; /* lock-free, so that a signal handler may set it */
static int wake_pipe[2];
static watcher_t *late; /* in the parent: what could not be started yet; NULL: nothing */

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

/* A table that gives slots of the living to others forgets bursts: its admin should know. */
static void log_evictions(dsc_shared_state_t *state)
{
    static uint64_t told = UINT64_MAX; /* those from before a restart were logged before it */
    static apr_time_t next;
    uint64_t evictions = atomic_load(&state->limits.evictions);
    apr_time_t now = dsc_monotonic_now();
    if (told == UINT64_MAX) {
        told = evictions;
    }
    if (evictions > told && now >= next) {
        ap_log_error(DSC_MESSAGE(LIMITS_EVICTED, 0, ap_server_conf),
                     (apr_uint64_t)(evictions - told));
        told = evictions;
        next = now + apr_time_from_sec(60);
    }
}

/* How many requests each slot has allowed since the last sample. Frees what killed processes
 * held. */
static void go_through_slots(dsc_shared_state_t *state)
{
    static uint64_t before[DSC_LIMIT_SLOTS];
    static dsc_stuck_t stuck;
    static apr_time_t next;
    apr_time_t now = dsc_monotonic_now();
    int i, is_first = next == 0;
    if (now < next) {
        return;
    }
    next = now + apr_time_from_sec(DSC_RATE_SECONDS);
    dsc_shared_state_free_stuck(state, &stuck);
    for (i = 0; i < DSC_LIMIT_SLOTS; i++) {
        uint64_t allowed = atomic_load(&state->limits.slots[i].allowed);
        uint64_t more = !is_first && allowed > before[i] ? allowed - before[i] : 0;
        atomic_store(&state->rates[i], (uint32_t)more);
        before[i] = allowed;
    }
}

/* Has the threads end. One that PostgreSQL holds up, connecting or cancelling, is not waited for:
 * it ends with the process, and leaves nothing behind that would not be taken up again. Returns
 * whether all ended. */
static int stop_threads(dsc_stopping_t *stopping)
{
    apr_time_t end = dsc_monotonic_now() + apr_time_from_msec(STOP_MILLISECONDS);
    on_stop(SIGTERM);
    while (atomic_load(&stopping->running) > 0 && dsc_monotonic_now() < end) {
        poll(NULL, 0, 10);
    }
    return atomic_load(&stopping->running) == 0;
}

static int run_child(watcher_t *watcher, apr_pool_t *pool)
{
    struct pollfd wake = {wake_pipe[0], POLLIN, 0};
    dsc_stopping_t *stopping = apr_palloc(pool, sizeof(*stopping));
    dsc_stopping_init(stopping, &stop_requested, wake_pipe[0]);
    if (watcher->delay) {
        poll(&wake, 1, watcher->delay * 1000);
    }
    dsc_lookouts_start(watcher->watched, watcher->state, stopping);
    dsc_delivery_workers_start(watcher->watched, watcher->state, stopping);
    while (!atomic_load(&stop_requested)) {
        go_through_slots(watcher->state);
        log_evictions(watcher->state);
        poll(&wake, 1, POLL_MILLISECONDS);
        if (getppid() != watcher->parent) {
            break; /* httpd was killed: nobody is left to serve */
        }
    }
    return stop_threads(stopping);
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
        ap_log_error(DSC_MESSAGE(NO_WATCHER, APR_FROM_OS_ERROR(errno), watcher->server));
        _exit(EXIT_LACKING);
    }
    set_name();
    ap_close_listeners();
    apr_pool_create(&pool, watcher->pconf);
    if (ap_run_drop_privileges(pool, ap_server_conf) != 0) { /* which has said why */
        _exit(EXIT_LACKING);
    }
    if (run_child(watcher, pool)) {
        apr_pool_destroy(pool);
    }
    _exit(0);
}

/* -------------------------------------------------------------- in the parent */

static int httpd_goes_on(void)
{
    int state;
    return ap_mpm_query(AP_MPMQ_MPM_STATE, &state) == APR_SUCCESS && state != AP_MPMQ_STOPPING;
}

/* Whether the child ended with that code: httpd passes the code, APR itself what waitpid() says. */
static int has_ended_with(apr_wait_t status, int code)
{
    return status == code || (WIFEXITED(status) && WEXITSTATUS(status) == code);
}

/* Starts the child in the place of one that has died. */
static void replace(watcher_t *watcher, apr_wait_t status)
{
    watcher->delay = dsc_monotonic_now() - watcher->started_at < apr_time_from_sec(2) ? 1 : 0;
    if (has_ended_with(status, EXIT_LACKING) || start(watcher) != APR_SUCCESS) {
        late = watcher;
    }
}

static void maintain(int reason, void *data, apr_wait_t status)
{
    switch (reason) {
    case APR_OC_REASON_DEATH:
    case APR_OC_REASON_LOST:
        apr_proc_other_child_unregister(data);
        if (httpd_goes_on()) {
            replace(data, status);
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
    watcher->started_at = dsc_monotonic_now();
    watcher->parent = getpid();
    rv = apr_proc_fork(process, watcher->pconf);
    if (rv == APR_INCHILD) {
        child_main(watcher);
    }
    if (rv != APR_INPARENT) {
        ap_log_error(DSC_MESSAGE(NO_WATCHER, rv, watcher->server));
        return rv;
    }
    apr_pool_note_subprocess(watcher->pconf, process, APR_KILL_AFTER_TIMEOUT);
    apr_proc_other_child_register(process, maintain, watcher, NULL, watcher->pconf);
    return APR_SUCCESS;
}

int dsc_watcher_monitor(apr_pool_t *pool, server_rec *server)
{
    watcher_t *watcher = late;
    (void)pool;
    (void)server;
    late = NULL;
    if (watcher && httpd_goes_on() && start(watcher) != APR_SUCCESS) {
        late = watcher;
    }
    return OK;
}

static apr_status_t forget_late(void *data)
{
    (void)data;
    late = NULL;
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
    apr_pool_cleanup_register(pconf, NULL, forget_late, apr_pool_cleanup_null);
    return start(watcher);
}
