/* The downloading process: reads the publishers' pages, fetches one archive after the other, each
 * when there is room for it, checks it and passes it on. */
#include "follow/bootstrap_run.h"

#include "engine/digest.h"
#include "engine/interrupt.h"
#include "follow/body.h"
#include "follow/listing.h"
#include "follow/partial.h"
#include "follow/report.h"

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE = 1 << 16,
    LOOK = 200,           /* milliseconds between two looks at the room that there is */
    LONGEST_SLEEP = 1000, /* between two looks at what is due */
    MOVED = 1000 /* a request that brings less than such a part of it, or a PIECE, does not count */
};

typedef struct {
    const dsc_bootstrap_t *run;
    dsc_follower_t follow;
    dsc_follow_count_t count;
    dsc_archive_scope_t scope;
    apr_pool_t *each;         /* of an archive */
    apr_hash_t *damaged;      /* id of an archive -> hash of what came of it, and was none */
    apr_array_header_t *come; /* const char *: ids of archives that have been handed over */
} download_t;

/* ------------------------------------------------------------------------------ messages */

static void say(const download_t *download, const dsc_archive_t *archive, int is_here)
{
    dsc_bootstrap_message_t message = {.is_here = is_here};

    apr_cpystrn(message.id, archive->document.id, sizeof(message.id));
    apr_cpystrn(message.name,
                apr_pstrcat(download->each, archive->source->name, ": ", archive->document.identity,
                            NULL),
                sizeof(message.name));
    if (write(download->run->pipe[1], &message, sizeof(message)) != (ssize_t)sizeof(message)) {
        _exit(1); /* the first process is gone */
    }
}

static void hand_over(download_t *download, const dsc_archive_t *archive)
{
    APR_ARRAY_PUSH(download->come, const char *) =
        apr_pstrdup(download->follow.pool, archive->document.id);
    download->scope.come =
        apr_pstrcat(download->follow.pool, "{",
                    apr_array_pstrcat(download->follow.pool, download->come, ','), "}", NULL);
    atomic_fetch_add(&download->run->shared->fetched, 1);
    say(download, archive, 1);
}

static void fail(download_t *download, const dsc_archive_t *archive, dsc_fetch_error_t error,
                 const char *reason, dsc_archive_when_t when)
{
    if (error == DSC_ERROR_INTERRUPTED) {
        return; /* it is due as before */
    }
    dsc_archive_fail(&download->follow, archive, error, reason, when);
    if (dsc_archive_is_awaited(archive, error)) {
        dsc_follow_report(&download->follow, 0, "%s: %s is not there yet", archive->source->name,
                          archive->document.identity);
        return;
    }
    dsc_follow_report_failure(&download->follow, archive->source->name, archive->document.identity,
                              archive->document.url, error, reason);
    if (error != DSC_ERROR_PAUSED) {
        atomic_fetch_add(&download->run->shared->failed, 1);
    }
}

/* ---------------------------------------------------------------------------------- room */

/* Bytes that the archive may have by now, with those that are here of it. */
static apr_int64_t room_for(const download_t *download, const dsc_archive_t *archive)
{
    return download->run->options->disk_budget -
           dsc_archive_bytes(download->each, download->run->folder, archive->partial);
}

static int is_any_waiting(const download_t *download)
{
    const dsc_bootstrap_shared_t *shared = download->run->shared;

    return atomic_load(&shared->fetched) > atomic_load(&shared->dealt);
}

/* Until the archive has room, of which imports make more. When none is waiting for one, what else
 * is here gives way, in part or not wanted by this run: two that are too large for each other would
 * wait for ever. 0: a signal has come. */
static int wait_for_room(const download_t *download, const dsc_archive_t *archive,
                         apr_int64_t total)
{
    while (!dsc_interrupted()) {
        int waiting = is_any_waiting(download);

        if (total >= 0 && room_for(download, archive) >= total) {
            return 1;
        }
        if (!waiting) {
            dsc_archive_remove_others(download->each, download->run->folder, archive->partial);
            return 1;
        }
        dsc_follow_sleep(LOOK);
    }
    return 0;
}

/* --------------------------------------------------------------------------- what is here */

/* Of an earlier run: whole, and noted as fetched. What is not the noted content is removed. */
static int is_here(download_t *download, const dsc_archive_t *archive)
{
    const char *hash;

    if (access(archive->path, R_OK) != 0) {
        return 0;
    }
    hash = archive->document.content_hash != NULL
               ? dsc_content_hash_of_file(download->each, archive->path)
               : NULL;
    if (hash != NULL && strcmp(hash, archive->document.content_hash) == 0) {
        dsc_archive_is_here(&download->follow, archive);
        return 1;
    }
    (void)apr_file_remove(archive->path, download->each);
    return 0;
}

/* What is as wrong as it was the last time has not been spoilt on its way. */
static int is_damaged_again(download_t *download, const dsc_archive_t *archive, const char *hash)
{
    apr_pool_t *pool = download->follow.pool;
    const char *before = apr_hash_get(download->damaged, archive->document.id, APR_HASH_KEY_STRING);

    if (hash == NULL) {
        return 0;
    }
    if (before != NULL && strcmp(before, hash) == 0) {
        return 1;
    }
    apr_hash_set(download->damaged, apr_pstrdup(pool, archive->document.id), APR_HASH_KEY_STRING,
                 apr_pstrdup(pool, hash));
    return 0;
}

/* The body is whole: looks at it, notes it and gives it its name. Killed between these, the next
 * run finds it whole again. */
static void receive(download_t *download, const dsc_archive_t *archive, const dsc_fetch_t *fetch)
{
    const char *reason = NULL, *done;
    const char *parts = apr_psprintf(download->each, "{%s}", archive->kind->importers[0]);
    dsc_fetch_error_t error =
        dsc_body_error(download->each, archive->partial, archive->kind->body, NULL, &reason);

    if (error != DSC_ERROR_NONE) {
        dsc_partial_forget(download->each, archive->partial);
        fail(download, archive, error, reason,
             is_damaged_again(download, archive, fetch->content_hash) ? DSC_ARCHIVE_NEXT
                                                                      : DSC_ARCHIVE_LATER);
        return;
    }
    if (!dsc_follow_note_fetched(&download->follow, download->each, &archive->document, fetch,
                                 parts, &done)) {
        return;
    }
    dsc_archive_has_come(&download->follow, archive);

    if (rename(archive->partial, archive->path) != 0) {
        fail(download, archive, DSC_ERROR_DISK,
             apr_pstrcat(download->each, archive->path, " cannot be written", NULL),
             DSC_ARCHIVE_LATER);
        return;
    }
    dsc_partial_forget(download->each, archive->partial);
    hand_over(download, archive);
}

/* All had come when an earlier run was killed. */
static int receive_what_is_whole(download_t *download, const dsc_archive_t *archive)
{
    dsc_partial_t partial;
    dsc_fetch_t fetch;

    dsc_partial_read(download->each, archive->partial, archive->document.url, &partial);
    if (!dsc_partial_is_whole(&partial)) {
        return 0;
    }
    memset(&fetch, 0, sizeof(fetch));
    fetch.size = partial.size;
    fetch.got_etag = partial.etag;
    fetch.got_last_modified = partial.last_modified;
    fetch.content_hash = dsc_content_hash_of_file(download->each, archive->partial);
    if (fetch.content_hash == NULL) {
        return 0;
    }
    receive(download, archive, &fetch);
    return 1;
}

/* ---------------------------------------------------------------------------- one archive */

static void on_progress(void *baton, apr_int64_t size, apr_int64_t total)
{
    const download_t *download = baton;

    atomic_store(&download->run->shared->size, size);
    atomic_store(&download->run->shared->total, total);
}

/* The size of a partial file is known, so no request is needed to find that there is no room. 0: a
 * signal has come. */
static int wait_for_rest(const download_t *download, const dsc_archive_t *archive)
{
    dsc_partial_t partial;

    dsc_partial_read(download->each, archive->partial, archive->document.url, &partial);
    return partial.size == 0 || partial.total > download->run->options->disk_budget ||
           partial.total <= room_for(download, archive) ||
           wait_for_room(download, archive, partial.total);
}

/* Asks for it, or for the rest of it, when there is room; 0: a signal has come. */
static int ask(download_t *download, const dsc_archive_t *archive, dsc_fetch_t *fetch,
               dsc_fetch_goes_t *goes)
{
    apr_int64_t budget = download->run->options->disk_budget;

    for (;;) {
        memset(fetch, 0, sizeof(*fetch));
        fetch->url = archive->document.url;
        fetch->etag = archive->document.etag;
        fetch->last_modified = archive->document.last_modified;
        fetch->path = archive->partial;
        fetch->most = budget < archive->kind->most ? budget : archive->kind->most;
        fetch->goes = goes;
        goes->room = room_for(download, archive);
        goes->progress = on_progress;
        goes->progress_baton = download;
        dsc_fetch_all(download->follow.fetcher, download->each, archive->source->request_limit,
                      fetch, 1);
        atomic_fetch_add(&download->run->shared->bytes, goes->come);
        if (fetch->error != DSC_ERROR_NO_ROOM) {
            return 1;
        }
        dsc_follow_report(&download->follow, 0, "%s: %s waits for room on the disk",
                          archive->source->name, archive->document.identity);
        if (!wait_for_room(download, archive, goes->total)) {
            return 0;
        }
    }
}

static const char *reason_of(const download_t *download, const dsc_fetch_t *fetch)
{
    apr_int64_t budget = download->run->options->disk_budget;

    return fetch->error == DSC_ERROR_TOO_LARGE && fetch->goes->total > budget
               ? apr_psprintf(download->each,
                              "it has %" APR_INT64_T_FMT
                              " bytes, and --disk-budget allows %" APR_INT64_T_FMT,
                              fetch->goes->total, budget)
               : fetch->reason;
}

/* Bytes that are here of it, to be gone on with. */
static apr_int64_t kept_of(const download_t *download, const dsc_archive_t *archive)
{
    dsc_partial_t partial;

    dsc_partial_read(download->each, archive->partial, archive->document.url, &partial);
    return partial.size;
}

/* Whether it is worth asking for the rest at once: a server that sends a byte each time would be
 * asked for ever. */
static dsc_archive_when_t when_again(const download_t *download, const dsc_archive_t *archive,
                                     apr_int64_t before)
{
    dsc_partial_t partial;
    apr_int64_t come;

    dsc_partial_read(download->each, archive->partial, archive->document.url, &partial);
    come = partial.size - before;
    return come >= PIECE || (come > 0 && partial.total >= 0 && come >= partial.total / MOVED)
               ? DSC_ARCHIVE_SOON
               : DSC_ARCHIVE_LATER;
}

static void fetch_archive(download_t *download, const dsc_archive_t *archive)
{
    const char *folder = apr_pstrmemdup(download->each, archive->path,
                                        (apr_size_t)(strrchr(archive->path, '/') - archive->path));
    dsc_fetch_goes_t goes = {0};
    apr_int64_t kept;
    dsc_fetch_t fetch;

    say(download, archive, 0);
    (void)apr_dir_make(folder, APR_FPROT_UREAD | APR_FPROT_UWRITE | APR_FPROT_UEXECUTE,
                       download->each);
    if (is_here(download, archive)) {
        hand_over(download, archive);
        return;
    }
    if (receive_what_is_whole(download, archive)) {
        return;
    }
    kept = kept_of(download, archive);
    if (!wait_for_rest(download, archive) || !ask(download, archive, &fetch, &goes)) {
        return;
    }
    if (fetch.error == DSC_ERROR_TOO_LARGE) {
        dsc_partial_forget(download->each, archive->partial);
    }
    if (fetch.error != DSC_ERROR_NONE) {
        fail(download, archive, fetch.error, reason_of(download, &fetch),
             when_again(download, archive, kept));
    } else if (fetch.status == 304) {
        dsc_archive_same(&download->follow, archive);
    } else {
        receive(download, archive, &fetch);
    }
}

/* -------------------------------------------------------------------------------- a run */

/* The pages of those sources that have one; the first time of all. */
static void read_pages(download_t *download, int is_first)
{
    const apr_array_header_t *sources = download->run->leased;
    int i;

    for (i = 0; i < sources->nelts; i++) {
        const dsc_follow_source_t *source = APR_ARRAY_IDX(sources, i, const dsc_follow_source_t *);

        if (dsc_interrupted() || download->follow.reason != NULL) {
            return;
        }
        if (is_first ? dsc_follow_plan(&download->follow, source) && source->listings != NULL
                     : dsc_archive_page_is_due(&download->follow, source)) {
            dsc_follow_listings(&download->follow, download->each, source);
        }
        apr_pool_clear(download->each);
    }
}

static void work(download_t *download)
{
    int is_first = 1, wait = 0;

    dsc_archive_sweep(&download->follow, download->each, download->run->folder);
    while (wait >= 0 && !dsc_interrupted() && download->follow.reason == NULL) {
        const dsc_archive_t *archive;
        int waiting = is_any_waiting(download); /* one that is damaged may have to come again */

        dsc_follow_look_at_clock(&download->follow);
        read_pages(download, is_first);
        is_first = 0;
        archive = dsc_archive_next(&download->follow, download->each, &download->scope);
        if (archive != NULL) {
            fetch_archive(download, archive);
            atomic_store(&download->run->shared->requests,
                         dsc_fetcher_requests(download->follow.fetcher));
        } else if ((wait = dsc_archive_wait(&download->follow, &download->scope)) > 0) {
            dsc_follow_sleep(wait < LONGEST_SLEEP ? wait : LONGEST_SLEEP);
        } else if (wait < 0 && waiting) {
            dsc_follow_sleep(LOOK);
            wait = 0;
        }
        apr_pool_clear(download->each);
        apr_pool_clear(download->follow.pass);
    }
}

static int begin(download_t *download)
{
    dsc_follower_t *follow = &download->follow;

    if (!dsc_follow_connect_database(follow)) {
        return 0;
    }
    return dsc_archive_begin(follow, &download->scope);
}

/* One that is left over from a run that was killed ends within moments. */
static int wait_for_folder(const download_t *download)
{
    while (!dsc_archive_lock(download->follow.pool, download->run->folder, "downloading")) {
        if (dsc_interrupted()) {
            return 0;
        }
        dsc_follow_sleep(LOOK);
    }
    return 1;
}

int dsc_download(const dsc_bootstrap_t *run)
{
    download_t download = {.run = run};

    apr_pool_create(&download.follow.pool, NULL);
    apr_pool_create(&download.follow.pass, download.follow.pool);
    apr_pool_create(&download.each, download.follow.pool);
    download.damaged = apr_hash_make(download.follow.pool);
    download.come = apr_array_make(download.follow.pool, 64, sizeof(const char *));
    download.scope.come = "{}";
    download.follow.options = &run->options->follow;
    download.follow.scratch = run->folder;
    download.follow.count = &download.count;
    download.scope.folder = run->folder;
    download.scope.sources = run->sources;
    download.scope.since = run->options->follow.since;
    if (wait_for_folder(&download) && begin(&download)) {
        work(&download);
    }
    if (download.follow.reason != NULL && !dsc_interrupted()) {
        apr_cpystrn(run->shared->reason, download.follow.reason, sizeof(run->shared->reason));
        atomic_store(&run->shared->no_database, 1);
    }
    atomic_store(&run->shared->has_ended, 1);
    apr_pool_destroy(download.follow.pool);
    return 0;
}
