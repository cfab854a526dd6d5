/* Imports a downloaded archive. A data set is one file, whose end is noted in its transaction. For
 * archives of many files, the number of files that are read is noted every other second, so that a
 * killed process reads few of them again, and stores nothing twice. */
#include "follow/bootstrap_run.h"

#include "engine/interrupt.h"
#include "engine/outage.h"
#include "follow/report.h"
#include "sources/import_run.h"
#include "sources/importers.h"

#include <apr_file_io.h>
#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

enum {
    MARK_SECONDS = 2
};

typedef struct {
    dsc_follower_t *follow;
    apr_pool_t *pool;
    dsc_archive_t *archive;
    dsc_bootstrap_count_t *count;
    void (*look)(void *baton, const char *phase, long long rows);
    void *look_baton;
    dsc_load_count_t rows; /* of this archive */
    long long files;       /* that have been stored */
    long long skipped;     /* that an earlier run has */
    const char *failure;   /* of its first file that cannot be */
    const char *broken;    /* why the archive itself cannot be read; NULL: it can */
    const char *left;      /* why files are left to the next run; NULL: none are */
    const char *lost;      /* why a process has no database; NULL: they have */
    apr_time_t marked;
    apr_array_header_t *ahead; /* dealt_t: after one that another process has not dealt with yet */
} importing_t;

/* A file that was dealt with. */
typedef struct {
    long long number;
    int failed;
} dealt_t;

static dsc_connection_t *connect_loader(void *baton, apr_pool_t *pool, const char **reason)
{
    const dsc_follow_options_t *options = ((const importing_t *)baton)->follow->options;

    return options->connect(options->connect_baton, pool, reason);
}

/* In the file's transaction. */
static apr_status_t note_stored(void *baton, dsc_loader_t *loader, const char *name)
{
    const importing_t *importing = baton;
    const dsc_archive_t *archive = importing->archive;
    const char *parameters[] = {archive->document.id, archive->kind->importers[0],
                                archive->document.content_hash, dsc_loader_run_of_file, NULL};

    (void)name;
    return archive->kind->is_one &&
                   dsc_follow_rejected(importing->pool, dsc_loader_count(loader)) == NULL
               ? dsc_loader_after_merge(loader,
                                        "SELECT * FROM disclosed.note_followed($1, $2, $3, $4, $5)",
                                        5, parameters)
               : APR_SUCCESS;
}

static void mark(importing_t *importing, int is_end)
{
    apr_time_t now = dsc_monotonic_now();

    if (!importing->archive->kind->is_one && importing->follow->reason == NULL &&
        (is_end || now > importing->marked + apr_time_from_sec(MARK_SECONDS))) {
        importing->marked = now;
        dsc_archive_mark(importing->follow, importing->archive);
    }
}

static void count_file(importing_t *importing, int failed)
{
    importing->archive->files_done++;
    importing->archive->files_failed += failed;
}

/* Counts what is dealt with from the beginning without a gap: processes beside each other come to
 * their ends in any order. */
static void deal_with(importing_t *importing, long long number, int failed)
{
    dealt_t *ahead;
    int i;

    if (number < 0) {
        return;
    }
    if (number != importing->archive->files_done) {
        APR_ARRAY_PUSH(importing->ahead, dealt_t) = (dealt_t){number, failed};
        return;
    }
    count_file(importing, failed);
    ahead = (dealt_t *)(void *)importing->ahead->elts;
    for (i = 0; i < importing->ahead->nelts; i++) {
        if (ahead[i].number == importing->archive->files_done) {
            count_file(importing, ahead[i].failed);
            ahead[i] = ahead[--importing->ahead->nelts];
            i = -1; /* the one after it may be before */
        }
    }
}

/* One of its files, whatever became of it; or the archive as a whole. */
static void on_file(importing_t *importing, const dsc_import_event_t *event)
{
    if (event->kind == DSC_IMPORT_FAILED && strcmp(event->name, importing->archive->path) == 0) {
        importing->broken = apr_pstrdup(importing->pool, event->reason);
        return;
    }
    if (event->kind == DSC_IMPORT_FAILED) {
        const char **first = event->number < 0 ? &importing->left : &importing->failure;

        if (*first == NULL) {
            *first = apr_pstrcat(importing->pool, strrchr(event->name, ':') + 1, ": ",
                                 event->reason, NULL);
        }
        if (event->is_damaged && event->number >= 0 && importing->archive->damage == NULL) {
            dsc_archive_damaged(importing->follow, importing->archive,
                                apr_pstrcat(importing->pool, strrchr(event->name, ':') + 1, ": ",
                                            event->reason, NULL));
        }
        dsc_follow_report(importing->follow, 1, "%s: failed, nothing of it is stored: %s",
                          event->name, event->reason);
    } else if (event->kind == DSC_IMPORT_FILE) {
        importing->files++;
        dsc_load_count_add(&importing->rows, &event->count);
    }
    deal_with(importing, event->number, event->kind == DSC_IMPORT_FAILED);
    mark(importing, 0);
}

static void on_event(void *baton, const dsc_import_event_t *event)
{
    importing_t *importing = baton;

    switch (event->kind) {
    case DSC_IMPORT_DATABASE:
        importing->lost = apr_pstrdup(importing->follow->pool, event->reason);
        break;
    case DSC_IMPORT_CHANGED:
        importing->broken = apr_pstrdup(importing->pool, event->reason);
        break;
    case DSC_IMPORT_FILE:
    case DSC_IMPORT_FAILED:
    case DSC_IMPORT_PART:
        on_file(importing, event);
        break;
    default:
        break;
    }
    importing->look(importing->look_baton,
                    event->kind == DSC_IMPORT_PROGRESS ? event->location : "reading",
                    importing->rows.read +
                        (event->kind == DSC_IMPORT_PROGRESS ? event->count.read : 0));
}

/* Why nothing can be made of it; NULL: it is stored, if not each of its files. */
static const char *error_of(const importing_t *importing)
{
    if (importing->broken != NULL) {
        return importing->broken;
    }
    if (importing->archive->kind->is_one && importing->archive->files_failed > 0) {
        return importing->failure;
    }
    if (importing->archive->kind->is_one && importing->files == 0) {
        return "it has not all the tables of a data set";
    }
    /* Of one that was begun by another run, these are the last files only. */
    return importing->skipped == 0 ? dsc_follow_rejected(importing->pool, &importing->rows) : NULL;
}

static void print_stored(const importing_t *importing)
{
    const dsc_archive_t *archive = importing->archive;
    const dsc_load_count_t *rows = &importing->rows;
    const dsc_follow_options_t *options = importing->follow->options;
    char line[512];

    snprintf(line, sizeof(line),
             "%s: %s: read %lld, stored %lld, unchanged %lld, superseded %lld, rejected %lld",
             archive->source->name, archive->document.identity, rows->read, rows->stored,
             rows->unchanged, rows->superseded, rows->rejected);
    options->print(options->print_baton, 0, line);
}

/* A line or a disk may have done it, or the publisher: when it is what it was, he has, and the rest
 * of it is what there is to be had. */
static int comes_again(const importing_t *importing)
{
    const dsc_archive_t *archive = importing->archive;

    if (archive->damage == NULL || archive->kind->is_one || archive->has_come_again) {
        return 0;
    }
    /* What is still there when it is due is taken for whole. */
    (void)apr_file_remove(archive->path, importing->pool);
    dsc_archive_again(importing->follow, archive);
    dsc_follow_report_failure(importing->follow, archive->source->name, archive->document.identity,
                              archive->document.url, DSC_ERROR_DAMAGED,
                              apr_pstrcat(importing->pool,
                                          "it is fetched once more: ", archive->damage, NULL));
    return 1;
}

/* The next run goes on with what is left, and fetches again what could not be read: it may have
 * been damaged. */
static void finish(importing_t *importing)
{
    const dsc_archive_t *archive = importing->archive;
    const char *error = importing->left != NULL ? importing->left : error_of(importing);
    const char *importer = archive->kind->importers[0];

    if (error != NULL) {
        dsc_fetch_error_t kind = dsc_follow_import_error(error);

        dsc_archive_fail(importing->follow, archive, kind,
                         apr_pstrcat(importing->pool, importer, ": ", error, NULL),
                         DSC_ARCHIVE_LATER);
        dsc_follow_report_failure(importing->follow, archive->source->name,
                                  archive->document.identity, archive->document.url, kind, error);
        importing->count->failed++;
    } else if (comes_again(importing)) {
        importing->archive->has_come_again = 1;
        importing->count->failed++;
        return;
    } else {
        if (!archive->kind->is_one) {
            dsc_follow_note_part(importing->follow, archive->source, &archive->document, importer,
                                 archive->document.content_hash);
        }
        importing->count->stored++;
        print_stored(importing);
    }
    if (importing->left == NULL) {
        (void)apr_file_remove(archive->path, importing->pool);
    }
}

void dsc_archive_import(dsc_follower_t *follow, apr_pool_t *pool, dsc_archive_t *archive,
                        dsc_bootstrap_count_t *count,
                        void (*look)(void *baton, const char *phase, long long rows),
                        void *look_baton)
{
    importing_t importing = {.follow = follow,
                             .pool = pool,
                             .archive = archive,
                             .count = count,
                             .look = look,
                             .look_baton = look_baton,
                             .skipped = archive->files_done,
                             .marked = dsc_monotonic_now(),
                             .ahead = apr_array_make(pool, 8, sizeof(dealt_t))};
    const dsc_importer_t *importer = dsc_importer_find(archive->kind->importers[0]);
    const dsc_import_run_t run = {.importer = importer,
                                  .jobs = dsc_import_usual_jobs(importer, -1),
                                  .skip = archive->files_done,
                                  .connect = connect_loader,
                                  .connect_baton = &importing,
                                  .complete = note_stored,
                                  .complete_baton = &importing,
                                  .event = on_event,
                                  .event_baton = &importing};

    if (archive->kind->is_one) {
        archive->files_failed = 0;
    }
    if (dsc_import_paths(&run, pool, 1, &archive->path) != APR_SUCCESS && importing.left == NULL) {
        importing.left = "a process that read it died";
    }
    dsc_interrupt_hold();
    mark(&importing, 1);
    if (importing.lost != NULL && follow->reason == NULL) {
        follow->reason = importing.lost;
    }
    if (follow->reason == NULL && !dsc_interrupted()) {
        finish(&importing);
    }
    dsc_interrupt_release();
    dsc_load_count_add(&count->rows, &importing.rows);
}
