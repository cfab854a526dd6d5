/* A bootstrap run: leases, the import of complete archives, and the result. A downloading process
 * runs at the same time. */
#include "follow/bootstrap.h"

#include "engine/interrupt.h"
#include "engine/outage.h"
#include "engine/random.h"
#include "follow/bootstrap_run.h"
#include "loader/loader_value.h"

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_hash.h>
#include <apr_network_io.h>
#include <apr_strings.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LEASE_SECONDS = 15, /* between two renewals; one holds for a minute */
    LOOK = 200,         /* milliseconds between two looks at what goes on */
    SHOWN = 100,        /* milliseconds between two reports of progress */
    DIGITS = 8          /* of a holder */
};

/* The importing process. */
typedef struct {
    dsc_bootstrap_t run;
    dsc_follower_t follow;
    dsc_follow_count_t unused;
    dsc_bootstrap_count_t *count;
    apr_array_header_t *here; /* const char *: ids of archives that wait for their import */
    int taken;                /* of them */
    apr_hash_t *again;        /* ids of those that are fetched twice in this run */
    dsc_bootstrap_progress_t progress;
    char downloading[232];
    apr_time_t leased, shown;
    pid_t child;
    int ended; /* the pipe is at its end */
} bootstrap_t;

/* ---------------------------------------------------------------------------- the folder */

/* It may lie where everybody may write: it has to be our own. */
static const char *make_folder(apr_pool_t *pool, const char *folder)
{
    apr_status_t rv =
        apr_dir_make(folder, APR_FPROT_UREAD | APR_FPROT_UWRITE | APR_FPROT_UEXECUTE, pool);
    apr_finfo_t info;
    char text[120];

    if (rv != APR_SUCCESS && !APR_STATUS_IS_EEXIST(rv)) {
        return apr_pstrcat(pool, folder, ": ", apr_strerror(rv, text, sizeof(text)), NULL);
    }
    return apr_stat(&info, folder, APR_FINFO_TYPE | APR_FINFO_USER | APR_FINFO_LINK, pool) ==
                       APR_SUCCESS &&
                   info.filetype == APR_DIR && info.user == geteuid()
               ? NULL
               : apr_pstrcat(pool, folder, " is no folder of this user's", NULL);
}

/* ------------------------------------------------------------------------------- leases */

/* Random digits that the lock has from its first holder on: another container may have the same
 * name, and a folder of the same name. */
static const char *digits_of(apr_pool_t *pool, apr_file_t *lock)
{
    char text[DIGITS + 1] = "";
    apr_size_t length = 0;
    apr_off_t start = 0;
    unsigned int number;

    if (apr_file_read_full(lock, text, DIGITS, &length) != APR_SUCCESS || length < DIGITS) {
        if (!dsc_random_bytes(&number, sizeof(number))) {
            return NULL;
        }
        apr_snprintf(text, sizeof(text), "%08x", number);
        (void)apr_file_seek(lock, APR_SET, &start); /* unwritten, they are others the next time */
        (void)apr_file_write_full(lock, text, DIGITS, NULL);
    }
    return apr_pstrdup(pool, text);
}

/* The process with the folder's lock is the only one of this folder: a run that continues after a
 * kill need not wait for its own lease. */
static const char *holder_name(apr_pool_t *pool, const char *folder, apr_file_t *lock)
{
    char host[APRMAXHOSTLEN + 1] = "?";
    const char *digits = digits_of(pool, lock);

    (void)apr_gethostname(host, sizeof(host), pool);
    return digits != NULL ? apr_pstrcat(pool, host, ":", folder, ":", digits, NULL) : NULL;
}

static void print_failure(bootstrap_t *bootstrap, const char *line)
{
    const dsc_follow_options_t *options = bootstrap->follow.options;

    options->print(options->print_baton, 1, line);
}

static void take_leases(bootstrap_t *bootstrap)
{
    apr_pool_t *pool = bootstrap->follow.pool;
    apr_array_header_t *names = apr_array_make(pool, 8, sizeof(const char *));
    const dsc_follow_source_t *source;

    bootstrap->run.leased = apr_array_make(pool, 8, sizeof(source));
    for (source = dsc_bootstrap_sources; source->name != NULL; source++) {
        if (!dsc_follow_is_wanted(bootstrap->follow.options, source)) {
            continue;
        }
        if (dsc_follow_lease(&bootstrap->follow, source)) {
            APR_ARRAY_PUSH(bootstrap->run.leased, const dsc_follow_source_t *) = source;
            APR_ARRAY_PUSH(names, const char *) = source->name;
        } else if (bootstrap->follow.reason == NULL) {
            bootstrap->count->missing++;
            print_failure(bootstrap,
                          apr_pstrcat(pool, source->name,
                                      ": another process is at it, or was a minute ago", NULL));
        }
    }
    bootstrap->run.sources =
        dsc_texts_literal(pool, names->nelts, (const char *const *)(const void *)names->elts);
    bootstrap->leased = dsc_monotonic_now();
}

static void each_lease(bootstrap_t *bootstrap,
                       void (*act)(dsc_follower_t *follow, const dsc_follow_source_t *source))
{
    const apr_array_header_t *sources = bootstrap->run.leased;
    int i;

    for (i = 0; i < sources->nelts; i++) {
        act(&bootstrap->follow, APR_ARRAY_IDX(sources, i, const dsc_follow_source_t *));
    }
}

static void renew(dsc_follower_t *follow, const dsc_follow_source_t *source)
{
    (void)dsc_follow_lease(follow, source);
}

static void keep_leases(bootstrap_t *bootstrap)
{
    apr_time_t now = dsc_monotonic_now();

    if (now > bootstrap->leased + apr_time_from_sec(LEASE_SECONDS)) {
        bootstrap->leased = now;
        each_lease(bootstrap, renew);
    }
}

/* ------------------------------------------------------------- what the other one says */

static void take_message(bootstrap_t *bootstrap, const dsc_bootstrap_message_t *message)
{
    if (message->is_here) {
        bootstrap->progress.downloading = NULL;
        APR_ARRAY_PUSH(bootstrap->here, const char *) =
            apr_pstrdup(bootstrap->follow.pool, message->id);
    } else {
        apr_cpystrn(bootstrap->downloading, message->name, sizeof(bootstrap->downloading));
        bootstrap->progress.downloading = bootstrap->downloading;
        atomic_store(&bootstrap->run.shared->size, 0);
        atomic_store(&bootstrap->run.shared->total, -1);
    }
}

/* Messages come whole: they are shorter than what a pipe takes at once. */
static void listen_to(bootstrap_t *bootstrap)
{
    dsc_bootstrap_message_t message;
    ssize_t got;

    while (!bootstrap->ended &&
           (got = read(bootstrap->run.pipe[0], &message, sizeof(message))) != -1) {
        if (got != (ssize_t)sizeof(message)) {
            bootstrap->ended = 1;
        } else {
            take_message(bootstrap, &message);
        }
    }
}

static void show(bootstrap_t *bootstrap)
{
    const dsc_bootstrap_options_t *options = bootstrap->run.options;
    apr_time_t now = dsc_monotonic_now();

    if (options->progress != NULL && now > bootstrap->shown + apr_time_from_msec(SHOWN)) {
        bootstrap->shown = now;
        bootstrap->progress.size = atomic_load(&bootstrap->run.shared->size);
        bootstrap->progress.total = atomic_load(&bootstrap->run.shared->total);
        options->progress(options->progress_baton, &bootstrap->progress);
    }
}

/* While an archive is imported, too. */
static void look(void *baton, const char *phase, long long rows)
{
    bootstrap_t *bootstrap = baton;

    bootstrap->progress.phase = phase;
    bootstrap->progress.rows = rows;
    listen_to(bootstrap);
    keep_leases(bootstrap);
    show(bootstrap);
}

/* ------------------------------------------------------------------------------ imports */

static void import_next(bootstrap_t *bootstrap)
{
    const char *id = APR_ARRAY_IDX(bootstrap->here, bootstrap->taken++, const char *);
    dsc_archive_t *archive =
        dsc_archive_find(&bootstrap->follow, bootstrap->follow.pass, bootstrap->run.folder, id);

    if (archive != NULL) {
        bootstrap->progress.importing = archive->document.identity;
        archive->has_come_again = apr_hash_get(bootstrap->again, id, APR_HASH_KEY_STRING) != NULL;
        dsc_archive_import(&bootstrap->follow, bootstrap->follow.pass, archive, bootstrap->count,
                           look, bootstrap);
        bootstrap->progress.importing = NULL;
        if (archive->has_come_again) {
            apr_hash_set(bootstrap->again, id, APR_HASH_KEY_STRING, id);
        }
    }
    atomic_fetch_add(&bootstrap->run.shared->dealt, 1);
    apr_pool_clear(bootstrap->follow.pass);
}

/* Waits for a message, a signal, or a while. */
static void idle(bootstrap_t *bootstrap)
{
    struct pollfd wait[] = {{.fd = bootstrap->run.pipe[0], .events = POLLIN},
                            {.fd = dsc_interrupted() ? -1 : dsc_interrupt_descriptor(),
                             .events = POLLIN}};

    (void)poll(wait, 2, LOOK);
    listen_to(bootstrap);
    keep_leases(bootstrap);
    show(bootstrap);
}

static void import_all(bootstrap_t *bootstrap)
{
    while (bootstrap->follow.reason == NULL && !dsc_interrupted()) {
        if (bootstrap->taken < bootstrap->here->nelts) {
            import_next(bootstrap);
        } else if (bootstrap->ended) {
            return;
        } else {
            idle(bootstrap);
        }
    }
}

/* ------------------------------------------------------------------------ two processes */

static int start_downloads(bootstrap_t *bootstrap, const char **reason)
{
    dsc_bootstrap_t *run = &bootstrap->run;

    run->shared =
        mmap(NULL, sizeof(*run->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run->shared == MAP_FAILED || pipe(run->pipe) != 0) {
        *reason = "no memory or pipe for the downloading process";
        return 0;
    }
    bootstrap->child = dsc_interrupt_fork();
    if (bootstrap->child == 0) {
        close(run->pipe[0]);
        (void)apr_file_close(run->lock); /* it has one of its own, which outlives a killed run */
        _exit(dsc_download(run)); /* what the first process registered is its own to clean up */
    }
    close(run->pipe[1]);
    (void)fcntl(run->pipe[0], F_SETFL, O_NONBLOCK);
    if (bootstrap->child < 0) {
        *reason = "the downloading process cannot be started";
    }
    return bootstrap->child > 0;
}

/* Where this one cannot go on, that one does not either; the rest of what it says is of no use. */
static void end_downloads(bootstrap_t *bootstrap)
{
    dsc_interrupt_pass_on();
    if (!bootstrap->ended && !dsc_interrupted()) {
        (void)kill(bootstrap->child, SIGTERM);
    }
    close(bootstrap->run.pipe[0]);
    (void)dsc_interrupt_reap(bootstrap->child); /* what it has to say is in what is shared */
}

/* What keeps the run from being complete beside what is missing; NULL: nothing. */
static const char *failure_of(bootstrap_t *bootstrap)
{
    const dsc_bootstrap_shared_t *shared = bootstrap->run.shared;

    if (bootstrap->follow.reason != NULL) {
        bootstrap->count->no_database = 1;
        return bootstrap->follow.reason;
    }
    if (atomic_load(&shared->no_database)) {
        bootstrap->count->no_database = 1;
        return apr_pstrdup(bootstrap->follow.pool, shared->reason);
    }
    return atomic_load(&shared->has_ended) || dsc_interrupted() ? NULL
                                                                : "the downloading process died";
}

static void sum_up(bootstrap_t *bootstrap)
{
    const dsc_bootstrap_shared_t *shared = bootstrap->run.shared;
    const dsc_archive_scope_t scope = {bootstrap->run.folder, bootstrap->run.sources,
                                       bootstrap->follow.options->since, NULL};
    long long wanted = 0, failed = 0;

    bootstrap->count->requests = atomic_load(&shared->requests);
    bootstrap->count->bytes = atomic_load(&shared->bytes);
    bootstrap->count->failed += atomic_load(&shared->failed);
    if (bootstrap->follow.reason == NULL) {
        (void)dsc_archive_count(&bootstrap->follow, &scope, &wanted, &bootstrap->count->absent,
                                &failed);
        bootstrap->count->missing += wanted + failed;
        each_lease(bootstrap, dsc_follow_release);
    }
}

/* ------------------------------------------------------------------------------- a run */

static int begin(bootstrap_t *bootstrap, apr_pool_t *pool, const char **reason)
{
    const dsc_bootstrap_options_t *options = bootstrap->run.options;
    dsc_follower_t *follow = &bootstrap->follow;

    if ((*reason = make_folder(pool, options->folder)) != NULL) {
        return 0;
    }
    if ((bootstrap->run.lock = dsc_archive_lock(pool, options->folder, "importing")) == NULL) {
        *reason = apr_pstrcat(pool, options->folder, ": another process uses the folder", NULL);
        return 0;
    }
    follow->holder = holder_name(pool, options->folder, bootstrap->run.lock);
    if (follow->holder == NULL) {
        *reason = "the system has no random numbers";
        return 0;
    }
    follow->connection = options->follow.connect(options->follow.connect_baton, pool, reason);
    if (follow->connection == NULL) {
        bootstrap->count->no_database = 1;
        return 0;
    }
    dsc_follow_look_at_clock(follow);
    take_leases(bootstrap);
    if (follow->reason != NULL) {
        *reason = follow->reason;
        bootstrap->count->no_database = 1;
        return 0;
    }
    return start_downloads(bootstrap, reason);
}

apr_status_t dsc_bootstrap_run(const dsc_bootstrap_options_t *options, apr_pool_t *pool,
                               dsc_bootstrap_count_t *count, const char **reason)
{
    bootstrap_t bootstrap = {.run = {.options = options, .pool = pool, .folder = options->folder},
                             .follow = {.options = &options->follow, .pool = pool},
                             .count = count};

    memset(count, 0, sizeof(*count));
    bootstrap.follow.count = &bootstrap.unused;
    bootstrap.here = apr_array_make(pool, 64, sizeof(const char *));
    bootstrap.again = apr_hash_make(pool);
    apr_pool_create(&bootstrap.follow.pass, pool);
    if (!begin(&bootstrap, pool, reason)) {
        return APR_EGENERAL;
    }
    import_all(&bootstrap);
    end_downloads(&bootstrap);
    dsc_interrupt_hold();
    *reason = failure_of(&bootstrap);
    sum_up(&bootstrap);
    dsc_interrupt_release();
    return *reason == NULL ? APR_SUCCESS : APR_EGENERAL;
}
