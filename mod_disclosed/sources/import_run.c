/* Runs an importer over paths, in one process or several. Each process walks over the same paths,
 * in folders as they were when the run began, and therefore numbers the files in the same way; a
 * counter in shared memory assigns the numbers. The members of one archive are thereby spread over
 * the processes, too, without being unpacked. Events go to the first process through a pipe for
 * each process. Small files share a transaction, and are reported when it is committed. If one of
 * them makes it fail, nothing is stored of the others either: another walk loads them one by one,
 * so that only the one that the database refuses fails. */
#include "sources/import_run.h"

#include "engine/interrupt.h"
#include "loader/loader_internal.h"
#include "formats/import_location.h"
#include "sources/import_folders.h"
#include "sources/import_pipe.h"
#include "sources/import_session.h"
#include "sources/import_walk.h"

#include <apr_strings.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MOST_USUAL_JOBS = 16
};

/* What the processes of a run share. */
typedef struct {
    atomic_llong next;      /* the number to assign */
    _Atomic uint64_t files; /* the digest of what the first whole walk has met; 0: none so far */
} dsc_shared_walk_t;

/* One process of a run. */
typedef struct {
    const dsc_import_run_t *run;
    apr_pool_t *pool, *each; /* each: cleared after every file */
    dsc_import_session_t *session;
    dsc_loader_t *loader;         /* the session's */
    dsc_connection_t *connection; /* the same */
    dsc_shared_walk_t *shared;    /* NULL: this process takes all */
    long long mine;               /* the number that this process has to do next */
    int first;                    /* reports what all processes meet */
    int pipe;                     /* where events go; -1: straight to the caller */
    const char *file;             /* being read */
    int path_count;
    const char *const *paths;
    apr_hash_t *folders;
    int joins;                   /* files may share transactions */
    apr_pool_t *waiting_pool;    /* of what is to be reported when the transaction is committed */
    apr_array_header_t *waiting; /* dsc_waiting_file_t */
    int told;                    /* how many of them have been reported, or need not be */
} dsc_worker_t;

/* What is to be reported of a file, or of one that the walk has met. */
typedef struct {
    dsc_import_kind_t kind;
    long long number; /* -1: the walk's own */
    const char *name, *reason;
    const dsc_loaded_file_t *loaded; /* NULL: nothing was read of it */
} dsc_waiting_file_t;

/* -------------------------------------------------------------------------- events */

static void pass(const dsc_worker_t *worker, const dsc_import_event_t *event)
{
    if (event->kind == DSC_IMPORT_FAILED || event->kind == DSC_IMPORT_DATABASE) {
        worker->session->has_failed = 1;
    }
    if (worker->pipe >= 0) {
        dsc_import_send(worker->pipe, event);
    } else {
        worker->run->event(worker->run->event_baton, event);
    }
}

static void report_file(const dsc_worker_t *worker, dsc_import_kind_t kind, long long number,
                        const char *name, const char *location, const char *reason)
{
    dsc_import_event_t event;

    memset(&event, 0, sizeof(event));
    event.kind = kind;
    event.number = number;
    event.name = name;
    event.location = location;
    event.reason = reason;
    pass(worker, &event);
}

static void tell(const dsc_worker_t *worker, dsc_import_kind_t kind, const char *name,
                 const char *location, const char *reason)
{
    report_file(worker, kind, -1, name, location, reason);
}

static void report_rejects(const dsc_worker_t *worker, const char *name,
                           const apr_array_header_t *rejects)
{
    int i;

    for (i = 0; i < rejects->nelts && i < worker->run->reject_limit; i++) {
        const dsc_load_reject_t *reject = &APR_ARRAY_IDX(rejects, i, dsc_load_reject_t);

        tell(worker, DSC_IMPORT_REJECT, name, reject->location,
             reject->sample == NULL
                 ? reject->reason
                 : apr_pstrcat(worker->each, reject->reason, " (", reject->sample, ")", NULL));
    }
}

static void on_progress(void *baton, const dsc_load_count_t *count, const char *phase)
{
    const dsc_worker_t *worker = baton;
    dsc_import_event_t event = {.kind = DSC_IMPORT_PROGRESS, .count = *count, .number = -1};
    int i;

    for (i = worker->told; i < worker->waiting->nelts; i++) {
        const dsc_waiting_file_t *file = &APR_ARRAY_IDX(worker->waiting, i, dsc_waiting_file_t);

        if (file->loaded != NULL && &file->loaded->count != count) {
            event.count.read += file->loaded->count.read;
            event.waiting++;
        }
    }
    event.name = worker->file;
    event.location = phase;
    pass(worker, &event);
}

/* ------------------------------------------------------- reports after a commit */

static void forget_waiting(dsc_worker_t *worker)
{
    apr_pool_clear(worker->waiting_pool);
    worker->waiting = apr_array_make(worker->waiting_pool, 64, sizeof(dsc_waiting_file_t));
    worker->told = 0;
}

static void wait_with(dsc_worker_t *worker, dsc_import_kind_t kind, long long number,
                      const char *name, const char *reason, const dsc_loaded_file_t *loaded)
{
    dsc_waiting_file_t file = {kind, number, apr_pstrdup(worker->waiting_pool, name),
                               apr_pstrdup(worker->waiting_pool, reason), loaded};

    APR_ARRAY_PUSH(worker->waiting, dsc_waiting_file_t) = file;
}

static void report_loaded(const dsc_worker_t *worker, long long number, const char *name,
                          const dsc_loaded_file_t *loaded, const char *failure)
{
    const dsc_import_event_t event = {.kind = failure == NULL ? DSC_IMPORT_FILE : DSC_IMPORT_FAILED,
                                      .count = loaded->count,
                                      .number = number,
                                      .name = name,
                                      .reason = failure == NULL ? loaded->note : failure,
                                      .is_damaged = failure != NULL && loaded->is_damaged};

    report_rejects(worker, name, loaded->kept);
    pass(worker, &event);
}

/* The number by which a file is reported as failed: none if the failure has nothing to do with it,
 * so that it is still to be loaded. */
static long long number_of_failed(const dsc_worker_t *worker, long long number)
{
    return worker->loader->is_passing || !dsc_connection_is_open(worker->connection) ||
                   dsc_interrupted()
               ? -1
               : number;
}

static void report_waiting_file(const dsc_worker_t *worker, const dsc_waiting_file_t *file)
{
    if (file->loaded == NULL) {
        report_file(worker, file->kind, file->number, file->name, NULL, file->reason);
    } else {
        report_loaded(worker, file->number, file->name, file->loaded, file->loaded->failure);
    }
}

/* All that is committed, and what the walk has met meanwhile. */
static void report_waiting(dsc_worker_t *worker)
{
    for (; worker->told < worker->waiting->nelts; worker->told++) {
        report_waiting_file(worker,
                            &APR_ARRAY_IDX(worker->waiting, worker->told, dsc_waiting_file_t));
    }
    forget_waiting(worker);
}

/* What was met before this file, if the transaction of those that were read is lost. They are
 * reported as failed for the reason; NULL: nothing is reported of them. */
static void report_walked(dsc_worker_t *worker, long long number, const char *reason)
{
    for (; worker->told < worker->waiting->nelts; worker->told++) {
        const dsc_waiting_file_t *file =
            &APR_ARRAY_IDX(worker->waiting, worker->told, dsc_waiting_file_t);

        if (file->number >= number) {
            return;
        }
        if (file->loaded == NULL) {
            report_waiting_file(worker, file);
        } else if (reason != NULL) {
            report_file(worker, DSC_IMPORT_FAILED, file->number, file->name, NULL, reason);
        }
    }
}

/* --------------------------------------------------------------------------- files */

static int open_loader(dsc_worker_t *worker)
{
    const dsc_import_run_t *run = worker->run;
    const char *reason = NULL;

    worker->session = run->session != NULL ? run->session : dsc_import_session_create(worker->pool);
    if (!dsc_import_session_open(worker->session, run, &reason)) {
        tell(worker, DSC_IMPORT_DATABASE, NULL, NULL, reason);
        return 0;
    }
    worker->connection = worker->session->connection;
    worker->loader = worker->session->loader;
    dsc_loader_on_progress(worker->loader, on_progress, worker);
    dsc_loader_on_complete(worker->loader, run->complete, run->complete_baton);
    return 1;
}

/* The rows of a file get its content hash when all of it has been read. */
static apr_status_t set_content_hash(dsc_loader_t *loader, dsc_import_file_t *file,
                                     const char **reason)
{
    const char *hash = dsc_import_content_hash(file, reason);

    if (hash == NULL) {
        return APR_EGENERAL;
    }
    dsc_loader_content_hash(loader, hash);
    return APR_SUCCESS;
}

/* Whatever made of a file nothing at all was given one of another kind, or one that holds nothing
 * if nothing cannot be. */
static apr_status_t require_rows(dsc_loader_t *loader, const dsc_importer_t *importer,
                                 const char **reason)
{
    if (dsc_loader_count(loader)->read > 0 || loader->at->may_be_empty) {
        return APR_SUCCESS;
    }
    *reason = apr_pstrcat(dsc_loader_file_pool(loader), "there is no row of ", importer->name,
                          " in it, which reads ", importer->description, NULL);
    return APR_EGENERAL;
}

static apr_status_t read_file(dsc_loader_t *loader, const dsc_importer_t *importer,
                              dsc_import_file_t *file, int joins, const char **reason)
{
    apr_status_t rv = dsc_loader_begin(loader, importer->name, file->name, joins);

    *reason = NULL;
    if (rv == APR_SUCCESS) {
        rv = importer->load(loader, file, reason);
    }
    if (rv == APR_SUCCESS) {
        rv = require_rows(loader, importer, reason);
    }
    if (rv == APR_SUCCESS && !importer->rows_state_hash) {
        rv = set_content_hash(loader, file, reason);
    }
    if (rv == APR_SUCCESS) {
        rv = dsc_loader_end(loader);
    }
    if (rv != DSC_IMPORT_AS_COMPANION && (rv != APR_EGENERAL || *reason == NULL)) {
        *reason = dsc_loader_error(loader);
    }
    if (file->is_damaged) {
        loader->at->is_damaged = 1;
    }
    return rv;
}

/* Gives the transaction up, for which the file at hand answers. */
static apr_status_t give_up(dsc_loader_t *loader, apr_status_t rv, apr_pool_t *pool,
                            const char **reason)
{
    *reason = apr_pstrdup(pool, *reason);
    if (dsc_loader_abandon(loader, *reason) != APR_SUCCESS && rv == APR_EGENERAL) {
        rv = DSC_LOADER_DATABASE; /* the failure itself could not be recorded */
        *reason =
            apr_pstrcat(pool, *reason, "; recording it failed: ", dsc_loader_error(loader), NULL);
    }
    return rv;
}

apr_status_t dsc_import_load(dsc_loader_t *loader, const dsc_importer_t *importer,
                             dsc_import_file_t *file, apr_pool_t *pool, dsc_load_count_t *count,
                             const char **reason)
{
    apr_status_t rv = read_file(loader, importer, file, 0, reason);

    if (rv == DSC_IMPORT_AS_COMPANION) {
        *reason = apr_pstrdup(pool, *reason);
        (void)dsc_loader_leave(loader); /* the only file of its transaction */
        return rv;
    }
    if (rv == APR_SUCCESS) {
        rv = dsc_loader_commit(loader);
        *reason = rv == APR_SUCCESS ? loader->at->note : dsc_loader_error(loader);
    }
    if (rv != APR_SUCCESS) {
        rv = give_up(loader, rv, pool, reason);
    }
    *count = loader->at->count;
    return rv;
}

/* ------------------------------------------------------------------------ one by one */

/* Of the file that was read last. */
static long long last_number(const dsc_worker_t *worker)
{
    int i = worker->waiting->nelts - 1;

    while (i >= 0 && APR_ARRAY_IDX(worker->waiting, i, dsc_waiting_file_t).loaded == NULL) {
        i--;
    }
    return i < 0 ? -1 : APR_ARRAY_IDX(worker->waiting, i, dsc_waiting_file_t).number;
}

static const char gone[] =
    "it was read, but was not there any more when it had to be read again, since the transaction that "
    "it shared was lost";

/* The file of that number that was read, and is to be read again; NULL: none. */
static const dsc_waiting_file_t *waiting_file(const dsc_worker_t *worker, long long number)
{
    for (int i = worker->told; i < worker->waiting->nelts; i++) {
        const dsc_waiting_file_t *file = &APR_ARRAY_IDX(worker->waiting, i, dsc_waiting_file_t);

        if (file->number == number) {
            return file->loaded == NULL ? NULL : file;
        }
    }
    return NULL;
}

static int was_read(void *baton, long long number)
{
    return waiting_file(baton, number) != NULL;
}

static void load_alone(dsc_worker_t *worker, long long number, dsc_import_file_t *file)
{
    dsc_load_count_t count;
    const char *reason;
    apr_status_t rv;

    worker->file = file->name;
    memset(&count, 0, sizeof(count));
    rv =
        dsc_import_load(worker->loader, worker->run->importer, file, worker->each, &count, &reason);
    if (rv == DSC_IMPORT_AS_COMPANION) {
        report_file(worker, DSC_IMPORT_PART, number, file->name, NULL, reason);
    } else {
        report_loaded(worker, rv == APR_SUCCESS ? number : number_of_failed(worker, number),
                      file->name, worker->loader->at, rv == APR_SUCCESS ? NULL : reason);
    }
    apr_pool_clear(worker->each);
}

static int import_alone(void *baton, long long number, dsc_import_file_t *file)
{
    dsc_worker_t *worker = baton;
    const dsc_waiting_file_t *waiting = waiting_file(worker, number);

    if (dsc_interrupted()) {
        return 0;
    }
    report_walked(worker, number, gone);
    if (strcmp(waiting->name, file->name) == 0) {
        load_alone(worker, number, file);
        worker->told++;
    }
    return dsc_connection_is_open(worker->connection) && number < last_number(worker);
}

static void skip_silently(void *baton, const char *name)
{
    (void)baton, (void)name;
}

static void fail_silently(void *baton, int everywhere, const char *name, const char *reason)
{
    (void)baton, (void)everywhere, (void)name, (void)reason;
}

/* Loads the files of a transaction that is gone each in one of its own. */
static void load_one_by_one(dsc_worker_t *worker)
{
    dsc_walk_t walk = {.importer = worker->run->importer,
                       .folders = worker->folders,
                       .baton = worker,
                       .is_again = 1,
                       .file = import_alone,
                       .wants = was_read,
                       .skipped = skip_silently,
                       .failed = fail_silently};

    dsc_loader_roll_back(worker->loader);
    (void)dsc_walk_paths(&walk, worker->waiting_pool, worker->path_count, worker->paths);
    report_walked(worker, INT64_MAX,
                  dsc_interrupted() || !dsc_connection_is_open(worker->connection) ? NULL : gone);
    forget_waiting(worker);
}

/* ---------------------------------------------------------------------- transactions */

/* The database has stored nothing of the transaction. Its last file is reported as failed if it
 * was the only one, or if nothing more can be loaded. */
static void lose(dsc_worker_t *worker, const char *name, const char *reason)
{
    long long number;

    if (dsc_loader_files(worker->loader) > 1 && dsc_connection_is_open(worker->connection) &&
        !dsc_interrupt_is_due()) {
        load_one_by_one(worker);
        return;
    }
    (void)give_up(worker->loader, DSC_LOADER_DATABASE, worker->each, &reason);
    number = number_of_failed(worker, last_number(worker));
    report_walked(worker, INT64_MAX, NULL);
    report_loaded(worker, number, name, worker->loader->at, reason);
    forget_waiting(worker);
}

static void finish(dsc_worker_t *worker)
{
    const dsc_loader_t *loader = worker->loader;

    if (!loader->open) {
        report_waiting(worker);
    } else if (dsc_loader_commit(worker->loader) == APR_SUCCESS) {
        report_waiting(worker);
    } else {
        lose(worker, loader->at->file, dsc_loader_error(loader));
    }
}

/* A file that is none, or is not to be loaded, leaves those before it as they are. */
static apr_status_t leave_out(dsc_worker_t *worker, dsc_import_file_t *file, long long number,
                              apr_status_t rv, const char *reason)
{
    dsc_loader_t *loader = worker->loader;

    if (rv == DSC_IMPORT_AS_COMPANION) {
        wait_with(worker, DSC_IMPORT_PART, number, file->name, reason, NULL);
        return dsc_loader_leave(loader);
    }
    wait_with(worker, DSC_IMPORT_FAILED, number, file->name, NULL, loader->at);
    return dsc_loader_fail(loader, reason);
}

static void import_in_turn(dsc_worker_t *worker, long long number, dsc_import_file_t *file,
                           int joins)
{
    dsc_loader_t *loader = worker->loader;
    const char *reason;
    apr_status_t rv = read_file(loader, worker->run->importer, file, joins, &reason);

    if (rv == APR_EGENERAL && dsc_loader_files(loader) == 1) {
        (void)give_up(loader, rv, worker->each, &reason);
        report_walked(worker, number, NULL);
        report_loaded(worker, number_of_failed(worker, number), file->name, loader->at, reason);
        forget_waiting(worker);
        return;
    }
    if (rv == APR_SUCCESS) {
        wait_with(worker, DSC_IMPORT_FILE, number, file->name, NULL, loader->at);
    } else if (rv == APR_EGENERAL || rv == DSC_IMPORT_AS_COMPANION) {
        rv = leave_out(worker, file, number, rv, reason);
        reason = dsc_loader_error(loader);
    } else {
        wait_with(worker, DSC_IMPORT_FAILED, number, file->name, NULL, loader->at);
    }
    if (rv != APR_SUCCESS) {
        lose(worker, file->name, reason);
    } else if (!joins || dsc_loader_is_full(loader)) {
        finish(worker);
    }
}

/* Whether the file may share a transaction. Under --strict, what is rejected in the database makes
 * a file fail. */
static int may_join(const dsc_worker_t *worker, const dsc_import_file_t *file)
{
    const char *name = dsc_import_base_name(file->inside);
    size_t length = strlen(name) - dsc_import_compression(name);

    return worker->joins && !worker->run->load.strict &&
           worker->run->importer->joins(apr_pstrmemdup(worker->each, name, length));
}

static void take_number(dsc_worker_t *worker)
{
    if (worker->shared != NULL) {
        worker->mine = atomic_fetch_add(&worker->shared->next, 1);
    }
}

static int import_file(void *baton, long long number, dsc_import_file_t *file)
{
    dsc_worker_t *worker = baton;
    int joins = may_join(worker, file);

    if (dsc_interrupted()) {
        return 0;
    }
    if (!joins) {
        finish(worker);
    }
    worker->file = file->name;
    if (dsc_connection_is_open(worker->connection) && !dsc_interrupted()) {
        import_in_turn(worker, number, file, joins);
    }
    take_number(worker);
    apr_pool_clear(worker->each);
    if (dsc_connection_is_open(worker->connection)) {
        return 1;
    }
    tell(worker, DSC_IMPORT_DATABASE, NULL, NULL, "the connection to the database is lost");
    return 0;
}

static int wants_file(void *baton, long long number)
{
    const dsc_worker_t *worker = baton;

    return number >= worker->run->skip && (worker->shared == NULL || worker->mine == number);
}

/* What the walk meets is reported in its order. */
static void report_idle(dsc_worker_t *worker)
{
    if (!worker->loader->open) {
        report_waiting(worker);
    }
}

static void report_skipped(void *baton, const char *name)
{
    dsc_worker_t *worker = baton;

    if (worker->first) {
        wait_with(worker, DSC_IMPORT_SKIPPED, -1, name, NULL, NULL);
        report_idle(worker);
    }
}

static void report_failed(void *baton, int everywhere, const char *name, const char *reason)
{
    dsc_worker_t *worker = baton;

    if (worker->first || !everywhere) {
        wait_with(worker, DSC_IMPORT_FAILED, -1, name, reason, NULL);
        report_idle(worker);
    }
    if (!everywhere) { /* the file was this process's share */
        take_number(worker);
    }
}

static int reads_standard_input(int count, const char *const *paths)
{
    int i;

    for (i = 0; i < count; i++) {
        if (strcmp(paths[i], "-") == 0) {
            return 1;
        }
    }
    return 0;
}

/* Numbers are shared out by whole walks: if two of them met other files, some are nobody's, or have
 * been loaded twice. */
static void compare_walks(const dsc_worker_t *worker, uint64_t files)
{
    uint64_t others = 0;

    if (worker->shared != NULL && files != 0 &&
        !atomic_compare_exchange_strong(&worker->shared->files, &others, files) &&
        others != files) {
        tell(worker, DSC_IMPORT_CHANGED, worker->paths[0], NULL,
             "an archive or a file was replaced or removed meanwhile: files that no other line "
             "names may be missing, load all again");
    }
}

static void work(dsc_worker_t *worker, int count, const char *const *paths)
{
    dsc_walk_t walk = {.importer = worker->run->importer,
                       .folders = worker->folders,
                       .baton = worker,
                       .file = import_file,
                       .wants = wants_file,
                       .skipped = report_skipped,
                       .failed = report_failed};
    uint64_t files;

    apr_pool_create(&worker->each, worker->pool);
    apr_pool_create(&worker->waiting_pool, worker->pool);
    forget_waiting(worker);
    worker->path_count = count;
    worker->paths = paths;
    worker->joins = !reads_standard_input(count, paths); /* which can be read but once */
    if (!open_loader(worker)) {
        return;
    }
    take_number(worker);
    files = dsc_walk_paths(&walk, worker->pool, count, paths);
    if (!dsc_interrupted()) {
        finish(worker);
        compare_walks(worker, files);
    }
    dsc_loader_roll_back(worker->loader);
    /* The run's batons end here, the session may go on. */
    dsc_loader_on_progress(worker->loader, NULL, NULL);
    dsc_loader_on_complete(worker->loader, NULL, NULL);
}

/* ----------------------------------------------------------------------- processes */

/* Starts one process, after `earlier` others; returns the end of its pipe to read from, or -1. */
static int start_worker(dsc_worker_t *worker, int count, const char *const *paths,
                        const struct pollfd *pipes, int earlier, pid_t *child)
{
    int ends[2], i;

    if (pipe(ends) != 0) {
        return -1;
    }
    *child = dsc_interrupt_fork();
    if (*child == 0) {
        close(ends[0]);
        for (i = 0; i < earlier; i++) { /* or those would not notice that the reader is gone */
            close(pipes[i].fd);
        }
        worker->pipe = ends[1];
        apr_pool_create(&worker->pool, NULL);
        work(worker, count, paths);
        apr_pool_destroy(worker->pool);
        _exit(0); /* what the first process registered is its own to clean up */
    }
    close(ends[1]);
    if (*child < 0) {
        close(ends[0]);
        return -1;
    }
    return ends[0];
}

/* Passes one event on; 0 at the end. */
static int pass_on(const dsc_import_run_t *run, apr_pool_t *pool, int pipe)
{
    dsc_import_event_t event;

    if (!dsc_import_receive(pool, pipe, &event)) {
        return 0;
    }
    run->event(run->event_baton, &event);
    return 1;
}

/* Passes events on until all pipes are closed, and a signal to the processes behind them. The last
 * of `pipes` has room for what a signal wakes. */
static void receive_all(const dsc_import_run_t *run, apr_pool_t *pool, struct pollfd *pipes,
                        int count)
{
    int open = count, i;
    apr_pool_t *each;

    apr_pool_create(&each, pool);
    pipes[count].events = POLLIN;
    while (open > 0) {
        dsc_interrupt_pass_on();
        pipes[count].fd = dsc_interrupted() ? -1 : dsc_interrupt_descriptor();
        if (poll(pipes, (nfds_t)count + 1, -1) < 0) {
            if (errno == EINTR) {
                continue; /* and no descriptor has been looked at */
            }
            break;
        }
        for (i = 0; i < count; i++) {
            if (pipes[i].fd >= 0 && pipes[i].revents != 0 && !pass_on(run, each, pipes[i].fd)) {
                close(pipes[i].fd);
                pipes[i].fd = -1; /* poll(2) leaves it alone */
                open--;
            }
        }
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
}

static apr_status_t wait_for(const pid_t *children, int count)
{
    apr_status_t rv = APR_SUCCESS;
    int i;

    for (i = 0; i < count; i++) {
        if (!dsc_interrupt_reap(children[i])) {
            rv = APR_EGENERAL;
        }
    }
    return rv;
}

static apr_status_t import_in_parallel(const dsc_import_run_t *run, apr_pool_t *pool,
                                       apr_hash_t *folders, int count, const char *const *paths)
{
    struct pollfd *pipes = apr_pcalloc(pool, sizeof(*pipes) * ((size_t)run->jobs + 1));
    pid_t *children = apr_pcalloc(pool, sizeof(*children) * (size_t)run->jobs);
    dsc_shared_walk_t *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    apr_status_t rv;
    int started;

    if (shared == MAP_FAILED) {
        return APR_EGENERAL;
    }
    atomic_init(&shared->next, run->skip);
    atomic_init(&shared->files, 0);
    for (started = 0; started < run->jobs; started++) {
        dsc_worker_t worker = {
            .run = run, .shared = shared, .first = started == 0, .pipe = -1, .folders = folders};
        pipes[started].fd = start_worker(&worker, count, paths, pipes, started, &children[started]);
        pipes[started].events = POLLIN;
        if (pipes[started].fd < 0) {
            break;
        }
    }
    receive_all(run, pool, pipes, started);
    rv = wait_for(children, started);
    munmap(shared, sizeof(*shared));
    return started < run->jobs ? APR_EGENERAL : rv;
}

int dsc_import_usual_jobs(const dsc_importer_t *importer, long long files)
{
    long long jobs = sysconf(_SC_NPROCESSORS_ONLN);

    if (!importer->by_company || jobs <= 1) {
        return 1;
    }
    jobs = jobs > MOST_USUAL_JOBS ? MOST_USUAL_JOBS : jobs;
    return (int)(files < 0 || files > jobs ? jobs : files > 0 ? files : 1);
}

apr_status_t dsc_import_paths(const dsc_import_run_t *run, apr_pool_t *pool, int count,
                              const char *const *paths)
{
    apr_hash_t *folders =
        run->folders != NULL ? run->folders : dsc_folders_list(pool, count, paths);
    dsc_worker_t worker = {.run = run, .pool = pool, .first = 1, .pipe = -1, .folders = folders};

    if (run->jobs > 1 && !reads_standard_input(count, paths)) { /* which can be read but once */
        return import_in_parallel(run, pool, folders, count, paths);
    }
    work(&worker, count, paths);
    return APR_SUCCESS;
}
