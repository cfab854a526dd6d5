#include "follow/watch_import.h"

#include "engine/interrupt.h"
#include "follow/scratch.h"
#include "follow/service.h"
#include "follow/report.h"
#include "sources/import_run.h"
#include "sources/importers.h"

#include <apr_file_io.h>
#include <apr_strings.h>
#include <string.h>

enum {
    BATCH = 16 /* files that are copied, and may share a transaction */
};

/* A file under way. */
typedef struct {
    const dsc_folder_file_t *file;
    const char *folder, *path; /* of its copy */
    const char *id, *hash;
    const char *stored_at;  /* when its content was, which is loaded again; NULL: it is not */
    dsc_load_count_t count; /* of all that is in it */
    int is_archive, is_loaded, has_failed;
    int is_others; /* another process, or another file of the batch, has stored its content */
} item_t;

typedef struct {
    dsc_follower_t *follow;
    apr_pool_t *pool;
    const dsc_follow_watch_t *watch;
    item_t items[BATCH];
    int count, changed;
} batch_t;

static const char *identity_of(apr_pool_t *pool, const dsc_follow_watch_t *watch,
                               const dsc_folder_file_t *file)
{
    return apr_pstrcat(pool, watch->importer, ":", watch->folder, "/", file->shown, NULL);
}

static const char *address_of(apr_pool_t *pool, const dsc_follow_watch_t *watch,
                              const dsc_folder_file_t *file)
{
    return apr_pstrcat(pool, "file://", watch->folder, "/", file->shown, NULL);
}

void dsc_watch_fail(dsc_follower_t *follow, const dsc_follow_watch_t *watch,
                    const dsc_folder_file_t *file, dsc_fetch_error_t error, const char *reason)
{
    const char *address = address_of(follow->pass, watch, file);
    const char *parameters[] = {identity_of(follow->pass, watch, file),
                                watch->importer,
                                address,
                                file->mark,
                                dsc_fetch_error_name(error),
                                reason};

    (void)dsc_follow_command(follow, "SELECT disclosed.fail_watched($1, $2, $3, $4, $5, $6)", 6,
                             parameters);
    follow->count->failed++;
    dsc_follow_report_failure(follow, DSC_WATCH_SOURCE, file->shown, address, error, reason);
}

static void fail(batch_t *batch, item_t *item, dsc_fetch_error_t error, const char *reason)
{
    item->has_failed = 1;
    dsc_watch_fail(batch->follow, batch->watch, item->file, error, reason);
}

/* ----------------------------------------------------------------------------- copies */

/* Content that is stored is loaded again from a file that had another one when it was loaded last
 * (`last_modified`): a good file is put back after a bad one. What is there under another name than
 * before is not. */
static const char arrived_sql[] =
    "SELECT w.document, w.known, c.stored_at"
    " FROM disclosed.watch_file($1, $2, $3, $4, $5, $6) w"
    " LEFT JOIN (disclosed.followed_document d JOIN disclosed.watched_content c"
    " ON c.importer = $2 AND c.content_hash = $4 AND d.last_modified <> $4)"
    " ON d.source = 'watch' AND d.identity = $1";

/* Notes what is at hand; 0: the database is lost. */
static int note_arrived(batch_t *batch, item_t *item, apr_int64_t size, int *is_known)
{
    const char *parameters[] = {identity_of(batch->pool, batch->watch, item->file),
                                batch->watch->importer,
                                address_of(batch->pool, batch->watch, item->file),
                                item->hash,
                                apr_psprintf(batch->pool, "%" APR_INT64_T_FMT, size),
                                item->file->mark};
    PGresult *result = dsc_follow_query(batch->follow, arrived_sql, 6, parameters);

    if (result == NULL) {
        return 0;
    }
    item->id = apr_pstrdup(batch->pool, PQgetvalue(result, 0, 0));
    if (!PQgetisnull(result, 0, 2)) {
        item->stored_at = apr_pstrdup(batch->pool, PQgetvalue(result, 0, 2));
    }
    *is_known = PQgetvalue(result, 0, 1)[0] == 't' && item->stored_at == NULL;
    PQclear(result);
    return 1;
}

/* Its content is stored, from another file. */
static void note_known(batch_t *batch, const item_t *item)
{
    const char *parameters[] = {item->id, batch->watch->importer, item->hash};

    (void)dsc_follow_command(batch->follow, "SELECT disclosed.know_watched($1, $2, $3)", 3,
                             parameters);
    dsc_follow_report(batch->follow, 0, DSC_WATCH_SOURCE ": %s: its content is stored already",
                      item->file->shown);
}

static const char *name_error(const dsc_folder_file_t *file)
{
    return strcmp(file->name, file->shown) == 0
               ? NULL
               : "its name has control characters, or is not UTF-8: rename it";
}

/* Takes a copy; 0: there is nothing to import. */
static int take(batch_t *batch, item_t *item, int folder)
{
    const char *reason = name_error(item->file);
    dsc_fetch_error_t error = reason ? DSC_ERROR_OTHER : DSC_ERROR_NONE;
    apr_int64_t size = 0;
    int is_known = 0;

    (void)apr_dir_make(item->folder, APR_FPROT_OS_DEFAULT, batch->pool);
    if (error == DSC_ERROR_NONE) {
        error = dsc_folder_copy(batch->pool, folder, item->file, item->path, &item->hash, &size,
                                &reason);
    }
    if (error == DSC_ERROR_TRUNCATED && !batch->follow->options->once) {
        batch->changed++;
        return 0;
    }
    if (error != DSC_ERROR_NONE) {
        fail(batch, item, error, reason);
        return 0;
    }
    if (!note_arrived(batch, item, size, &is_known)) {
        return 0;
    }
    if (is_known) {
        note_known(batch, item);
    }
    return !is_known;
}

/* -------------------------------------------------------------------------- importing */

/* The file of an event; members of an archive have its name and a colon before theirs. */
static item_t *item_of(batch_t *batch, const char *name)
{
    int i;

    for (i = 0; name != NULL && i < batch->count; i++) {
        size_t length = strlen(batch->items[i].path);

        if (strncmp(name, batch->items[i].path, length) == 0 &&
            (name[length] == '\0' || name[length] == ':')) {
            return &batch->items[i];
        }
    }
    return NULL;
}

/* Before the content is noted as stored. One that is loaded again ($4: when it was stored before)
 * is as if it were not: if another process has stored it again meanwhile, nothing is deleted, and
 * noting fails. */
static const char before_sql[] =
    "WITH again AS (DELETE FROM disclosed.watched_content"
    " WHERE importer = $2 AND content_hash = $3 AND stored_at = $4::timestamptz)"
    " UPDATE disclosed.followed_document SET last_modified = $3 WHERE document_id = $1::bigint";

/* In the file's transaction. An archive's members have one each: see finish(). */
static apr_status_t note_stored(void *baton, dsc_loader_t *loader, const char *name)
{
    batch_t *batch = baton;
    item_t *item = item_of(batch, name);
    const char *parameters[4];
    apr_status_t rv;

    if (item == NULL || strcmp(name, item->path) != 0 ||
        dsc_follow_rejected(batch->pool, dsc_loader_count(loader)) != NULL) {
        return APR_SUCCESS;
    }
    parameters[0] = item->id;
    parameters[1] = batch->watch->importer;
    parameters[2] = item->hash;
    parameters[3] = item->stored_at;
    rv = dsc_loader_after_merge(loader, before_sql, 4, parameters);
    parameters[3] = dsc_loader_run_of_file;
    return rv == APR_SUCCESS
               ? dsc_loader_after_merge(loader,
                                        "SELECT * FROM disclosed.note_watched($1, $2, $3, $4)", 4,
                                        parameters)
               : rv;
}

static void on_failed(batch_t *batch, item_t *item, const char *reason)
{
    if (dsc_interrupted()) {
        item->has_failed = 1; /* it is due as before */
    } else if (strstr(reason, "has been stored by another process") != NULL) {
        item->is_others = 1;
    } else {
        fail(batch, item, dsc_follow_import_error(reason), reason);
    }
}

static void on_loaded(batch_t *batch, item_t *item, const dsc_import_event_t *event)
{
    dsc_load_count_add(&item->count, &event->count);
    item->is_loaded = 1;
    item->is_archive = strcmp(event->name, item->path) != 0;
    dsc_follow_report(batch->follow, 0,
                      DSC_WATCH_SOURCE ": %s%s: %s: %lld stored, %lld unchanged, %lld rejected",
                      item->file->shown, event->name + strlen(item->path), batch->watch->importer,
                      event->count.stored, event->count.unchanged, event->count.rejected);
}

static void on_event(void *baton, const dsc_import_event_t *event)
{
    batch_t *batch = baton;
    item_t *item = item_of(batch, event->name);

    if (event->kind == DSC_IMPORT_DATABASE) {
        batch->follow->reason = apr_pstrdup(batch->follow->pool, event->reason);
    } else if (event->kind == DSC_IMPORT_PROGRESS) {
        dsc_service_notify("WATCHDOG=1");
    } else if (item == NULL || item->has_failed) {
        return;
    } else if (event->kind == DSC_IMPORT_FAILED) {
        on_failed(batch, item, event->reason);
    } else if (event->kind == DSC_IMPORT_PART && strcmp(event->name, item->path) == 0) {
        fail(batch, item, DSC_ERROR_IMPORT,
             apr_pstrcat(batch->pool, "it ", event->reason, ": put them into one archive", NULL));
    } else if (event->kind == DSC_IMPORT_FILE) {
        on_loaded(batch, item, event);
    }
}

/* The session may have loaded what is no news before. */
static int announce_all(void *baton, dsc_connection_t *connection, apr_pool_t *pool,
                        const char **reason)
{
    (void)baton;
    return dsc_follow_silence(connection, pool, NULL, reason);
}

static void import_all(batch_t *batch, const char *const *paths, int count)
{
    const dsc_follow_options_t *options = batch->follow->options;
    const dsc_import_run_t run = {.importer = dsc_importer_find(batch->watch->importer),
                                  .session = batch->follow->session,
                                  .jobs = 1,
                                  .connect = options->connect,
                                  .connect_baton = options->connect_baton,
                                  .prepare = announce_all,
                                  .complete = note_stored,
                                  .complete_baton = batch,
                                  .event = on_event,
                                  .event_baton = batch};

    (void)dsc_import_paths(&run, batch->pool, count, paths);
}

/* All members of an archive are stored, each in a transaction of its own: who is killed before it
 * is noted reads them again, and stores nothing. */
static void note_archive(batch_t *batch, const item_t *item)
{
    const char *parameters[] = {item->id, batch->watch->importer, item->hash, item->stored_at};
    PGresult *result;

    if (!dsc_follow_command(batch->follow, before_sql, 4, parameters)) {
        return;
    }
    result =
        dsc_run(batch->follow->connection,
                "SELECT count(*) FROM disclosed.note_watched($1, $2, $3, NULL)", 3, parameters);
    if (result == NULL) {
        note_known(batch, item); /* meanwhile by another process */
    }
    PQclear(result);
}

static void finish(batch_t *batch, item_t *item)
{
    const char *rejected = dsc_follow_rejected(batch->pool, &item->count);

    if (item->id == NULL || item->has_failed || batch->follow->reason != NULL) {
        return;
    }
    if (item->is_others) {
        note_known(batch, item);
    } else if (rejected != NULL) {
        fail(batch, item, DSC_ERROR_IMPORT, rejected);
    } else if (item->is_loaded) {
        batch->follow->count->stored++;
        if (item->is_archive && !dsc_interrupted()) {
            note_archive(batch, item);
        }
    } else if (!dsc_interrupted()) {
        fail(batch, item, DSC_ERROR_IMPORT, "it holds no file of this kind");
    }
}

/* Imports the files from `at` on, a batch of them. */
static int import_batch(batch_t *batch, int folder, const apr_array_header_t *files, int at)
{
    const char *paths[BATCH];
    int i, count = 0;

    for (; batch->count < BATCH && at + batch->count < files->nelts; batch->count++) {
        item_t *item = &batch->items[batch->count];

        memset(item, 0, sizeof(*item));
        item->file = &APR_ARRAY_IDX(files, at + batch->count, dsc_folder_file_t);
        item->folder =
            apr_psprintf(batch->pool, "%s/watch-%d", batch->follow->scratch, batch->count);
        item->path = apr_pstrcat(batch->pool, item->folder, "/", item->file->shown, NULL);
        if (batch->follow->reason == NULL && !dsc_interrupted() && take(batch, item, folder)) {
            paths[count++] = item->path;
        } else {
            item->id = NULL;
        }
    }
    if (count > 0 && batch->follow->reason == NULL) {
        import_all(batch, paths, count);
    }
    for (i = 0; i < batch->count; i++) {
        finish(batch, &batch->items[i]);
        dsc_scratch_remove(batch->pool, batch->items[i].folder);
    }
    return batch->count;
}

int dsc_watch_import(dsc_follower_t *follow, const dsc_follow_watch_t *watch, int folder,
                     const apr_array_header_t *files)
{
    batch_t batch = {.follow = follow, .watch = watch};
    int at = 0;

    apr_pool_create(&batch.pool, follow->pass);
    while (at < files->nelts && follow->reason == NULL && !dsc_interrupted()) {
        dsc_service_notify("WATCHDOG=1");
        batch.count = 0;
        at += import_batch(&batch, folder, files, at);
        apr_pool_clear(batch.pool);
    }
    apr_pool_destroy(batch.pool);
    return batch.changed;
}
