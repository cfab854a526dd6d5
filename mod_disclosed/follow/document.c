/* A batch of documents: fetched together, checked, and imported importer by importer. Each is
 * noted in the transaction of its import. */
#include "follow/document.h"

#include "engine/interrupt.h"
#include "follow/body.h"
#include "follow/keep.h"
#include "follow/scratch.h"
#include "follow/service.h"
#include "follow/report.h"
#include "loader/loader_value.h"
#include "sources/import_run.h"
#include "sources/importers.h"

#include <apr_file_io.h>
#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

enum {
    BATCH = 16,
    NEWS_BATCH = 4, /* half a second of requests: what has come waits no longer for the rest */
    MOST_PARTS = 4
};

/* A document under way. */
typedef struct {
    const dsc_follow_document_t *document;
    const dsc_follow_kind_t *kind;
    const char *folder, *name; /* where it is on this machine */
    const char *path;
    int part_count;   /* the first so many of the kind's importers; 0: there is
                       nothing to import */
    const char *done; /* array literal of those that are stored */
    const char *hash;
    int at;                /* the part that is being imported */
    dsc_load_count_t rows; /* of it */
    int failed, others;    /* others: another process has stored it */
} item_t;

typedef struct {
    dsc_follower_t *follow;
    apr_pool_t *pool;
    const dsc_follow_source_t *source;
    item_t *items;
    dsc_fetch_t *fetches;
    int count;
    apr_hash_t *by_path; /* of what is being imported -> item_t */
    int is_history;      /* what is being imported lists a company's past as well */
} batch_t;

/* ---------------------------------------------------------------------------- failures */

static void fail(batch_t *batch, item_t *item, dsc_fetch_error_t error, const char *reason)
{
    item->failed = 1;
    if (dsc_follow_fail_document(batch->follow, batch->source, item->document, error, reason) ||
        error != DSC_ERROR_MISSING) {
        dsc_follow_report_failure(batch->follow, batch->source->name, item->document->identity,
                                  item->document->url, error, reason);
    }
}

/* ---------------------------------------------------------------------------- fetching */

const char *dsc_follow_name(apr_pool_t *pool, const char *url)
{
    const char *name = strrchr(url, '/') + 1;

    return apr_pstrmemdup(pool, name, strcspn(name, "?#"));
}

static void prepare(batch_t *batch, const apr_array_header_t *documents)
{
    int i;

    for (i = 0; i < documents->nelts; i++) {
        const dsc_follow_document_t *document = &APR_ARRAY_IDX(documents, i, dsc_follow_document_t);
        item_t *item = &batch->items[batch->count];
        dsc_fetch_t *fetch = &batch->fetches[batch->count];

        item->document = document;
        item->kind = dsc_follow_find_kind(batch->source, document->kind);
        if (item->kind == NULL) {
            continue; /* of another version's table */
        }
        item->folder = apr_pstrcat(batch->pool, batch->follow->scratch, "/", document->id, NULL);
        item->name = dsc_follow_name(batch->pool, document->url);
        (void)apr_dir_make(item->folder, APR_FPROT_OS_DEFAULT, batch->pool);
        fetch->url = document->url;
        fetch->etag = document->etag;
        fetch->last_modified = document->last_modified;
        fetch->path = apr_pstrcat(batch->pool, item->folder, "/", item->name, NULL);
        fetch->most = item->kind->most;
        batch->count++;
    }
}

static const char *expected_identity(const item_t *item)
{
    return item->kind->body == DSC_BODY_SUBMISSION ? item->document->identity : NULL;
}

/* Before it is imported: who is killed in between must not forget them. */
static void note_companies(batch_t *batch, const item_t *item)
{
    const char *const *kind = item->kind->follows;

    for (; item->document->cik != NULL && *kind != NULL; kind++) {
        dsc_follow_note_company(batch->follow, batch->pool, batch->source, *kind,
                                item->document->cik);
    }
}

/* What cannot be kept is stored all the same. */
static void keep(batch_t *batch, const dsc_fetch_t *fetch)
{
    dsc_keep_t *folder = &batch->follow->keep;
    const char *error = folder->folder
                            ? dsc_keep_file(batch->pool, folder, fetch->content_hash, fetch->path)
                            : NULL;

    if (error != NULL) {
        dsc_follow_report(batch->follow, 1, "not kept: %s", error);
    }
}

/* Looks at what came; 0: there is nothing to import. */
static int receive(batch_t *batch, item_t *item, const dsc_fetch_t *fetch)
{
    const char *reason = NULL;
    dsc_fetch_error_t error = fetch->error;

    if (error == DSC_ERROR_NONE && fetch->status == 304) {
        dsc_follow_same_document(batch->follow, batch->source, item->document,
                                 item->document->content_hash);
        return 0;
    }
    if (error == DSC_ERROR_NONE) {
        error = dsc_body_error(batch->pool, fetch->path, item->kind->body, expected_identity(item),
                               &reason);
        if (dsc_body_is_refusal(error, reason)) {
            dsc_fetcher_refused(batch->follow->fetcher, batch->source->request_limit, reason);
        }
    } else {
        reason = fetch->reason;
    }
    if (error != DSC_ERROR_NONE) {
        fail(batch, item, error, reason);
        return 0;
    }
    item->hash = fetch->content_hash;
    item->path = fetch->path;
    while (item->kind->importers[item->part_count] != NULL) {
        item->part_count++;
    }
    note_companies(batch, item);
    keep(batch, fetch);
    return dsc_follow_note_fetched(batch->follow, batch->pool, item->document, fetch,
                                   dsc_texts_literal(batch->pool, item->part_count,
                                                     item->kind->importers),
                                   &item->done);
}

/* --------------------------------------------------------------------------- importing */

/* Whether the array literal {a,"b c"} has the text. */
static int is_done(const item_t *item, const char *part)
{
    const char *found = strstr(item->done, part);
    size_t length = strlen(part);

    return found != NULL && strchr("{,\"", found[-1]) != NULL &&
           strchr("},\"", found[length]) != NULL;
}

/* The document that a file is of; members of an archive have its name and a
 * colon before theirs. */
static item_t *item_of(const batch_t *batch, const char *name)
{
    item_t *item = name ? apr_hash_get(batch->by_path, name, APR_HASH_KEY_STRING) : NULL;
    const char *colon = name && item == NULL ? strrchr(name, ':') : NULL;

    return colon ? apr_hash_get(batch->by_path, name, colon - name) : item;
}

/* What a company's file lists from before the first day that is followed is no news. */
static int silence_history(void *baton, dsc_connection_t *connection, apr_pool_t *pool,
                           const char **reason)
{
    const batch_t *batch = baton;

    return dsc_follow_silence(connection, pool, batch->is_history ? batch->source->name : NULL,
                              reason);
}

/* In the file's transaction. */
static apr_status_t note_stored(void *baton, dsc_loader_t *loader, const char *name)
{
    const batch_t *batch = baton;
    const item_t *item = item_of(batch, name);
    const char *parameters[5];

    if (item == NULL || item->kind->body == DSC_BODY_ZIP ||
        dsc_follow_rejected(batch->pool, dsc_loader_count(loader)) != NULL) {
        return APR_SUCCESS; /* an archive's members are several files: see
                           note_archives() */
    }
    parameters[0] = item->document->id;
    parameters[1] = item->kind->importers[item->at];
    parameters[2] = item->hash;
    parameters[3] = dsc_loader_run_of_file;
    parameters[4] = item->kind->again > 0 ? apr_itoa(batch->pool, item->kind->again) : NULL;
    return dsc_loader_after_merge(loader,
                                  "SELECT * FROM disclosed.note_followed($1, $2, $3, $4, $5)", 5,
                                  parameters);
}

static void fail_import(batch_t *batch, item_t *item, dsc_fetch_error_t error, const char *reason)
{
    fail(batch, item, error,
         apr_pstrcat(batch->pool, item->kind->importers[item->at], ": ", reason, NULL));
}

static void on_failed(batch_t *batch, item_t *item, const char *reason)
{
    if (dsc_interrupted()) {
        item->failed = 1; /* it is due as before */
    } else if (strstr(reason, "has been stored by another process") != NULL) {
        item->others = item->failed = 1;
    } else {
        fail_import(batch, item, dsc_follow_import_error(reason), reason);
    }
}

static void on_event(void *baton, const dsc_import_event_t *event)
{
    batch_t *batch = baton;
    item_t *item = item_of(batch, event->name);

    if (event->kind == DSC_IMPORT_DATABASE) {
        batch->follow->reason = apr_pstrdup(batch->follow->pool, event->reason);
    } else if (event->kind == DSC_IMPORT_PROGRESS) {
        dsc_service_notify("WATCHDOG=1");
        (void)dsc_follow_lease(batch->follow, batch->source);
    } else if (item == NULL) {
        return;
    } else if (event->kind == DSC_IMPORT_FAILED) {
        on_failed(batch, item, event->reason);
    } else if (item->kind->body != DSC_BODY_ZIP &&
               (event->kind == DSC_IMPORT_PART || event->kind == DSC_IMPORT_SKIPPED)) {
        dsc_follow_note_part(batch->follow, batch->source, item->document,
                             item->kind->importers[item->at], item->hash);
    } else if (event->kind == DSC_IMPORT_FILE) {
        dsc_load_count_add(&item->rows, &event->count);
        dsc_follow_report(batch->follow, 0,
                          "%s: %s: %s: %lld stored, %lld unchanged, %lld rejected",
                          batch->source->name, item->document->identity,
                          item->kind->importers[item->at], event->count.stored,
                          event->count.unchanged, event->count.rejected);
    }
}

static void import_with(batch_t *batch, const dsc_importer_t *importer,
                        const apr_array_header_t *paths)
{
    const dsc_follow_options_t *options = batch->follow->options;
    const dsc_import_run_t run = {.importer = importer,
                                  .session = batch->follow->session,
                                  .jobs = 1,
                                  .connect = options->connect,
                                  .connect_baton = options->connect_baton,
                                  .prepare = silence_history,
                                  .prepare_baton = batch,
                                  .complete = note_stored,
                                  .complete_baton = batch,
                                  .event = on_event,
                                  .event_baton = batch};

    (void)dsc_import_paths(&run, batch->pool, paths->nelts,
                           (const char *const *)(const void *)paths->elts);
}

/* Those of which no row was taken. */
static void fail_rejected(batch_t *batch)
{
    int i;

    for (i = 0; i < batch->count; i++) {
        item_t *item = &batch->items[i];
        const char *reason = dsc_follow_rejected(batch->pool, &item->rows);

        if (reason != NULL && !item->failed) {
            fail_import(batch, item, DSC_ERROR_IMPORT, reason);
        }
    }
}

/* All members are stored, each in a transaction of its own: who is killed
 * before it is noted reads them again, and stores nothing. */
static void note_archives(batch_t *batch)
{
    int i;

    for (i = 0; i < batch->count; i++) {
        const item_t *item = &batch->items[i];

        if (item->part_count > 0 && item->kind->body == DSC_BODY_ZIP && !item->failed &&
            !dsc_interrupted() && batch->follow->reason == NULL &&
            !is_done(item, item->kind->importers[item->at])) {
            dsc_follow_note_part(batch->follow, batch->source, item->document,
                                 item->kind->importers[item->at], item->hash);
        }
    }
}

/* Imports the parts of one importer that stand at that place, of all documents
 * that have come so far. */
static void import_part(batch_t *batch, const char *importer, int place)
{
    apr_array_header_t *paths = apr_array_make(batch->pool, batch->count, sizeof(const char *));
    int i;

    apr_hash_clear(batch->by_path);
    for (i = 0; i < batch->count; i++) {
        item_t *item = &batch->items[i];

        if (!item->failed && place < item->part_count &&
            strcmp(item->kind->importers[place], importer) == 0 && !is_done(item, importer)) {
            item->at = place;
            memset(&item->rows, 0, sizeof(item->rows));
            batch->is_history = item->kind->url != NULL;
            apr_hash_set(batch->by_path, item->path, APR_HASH_KEY_STRING, item);
            APR_ARRAY_PUSH(paths, const char *) = item->path;
        }
    }
    if (paths->nelts > 0) {
        import_with(batch, dsc_importer_find(importer), paths);
        fail_rejected(batch);
        note_archives(batch);
    }
}

static void import_all(batch_t *batch)
{
    const dsc_importer_t *importer;
    int place;

    for (place = 0; place < MOST_PARTS; place++) {
        for (importer = dsc_importers; importer->name != NULL; importer++) {
            if (batch->follow->reason != NULL || dsc_interrupted()) {
                return;
            }
            import_part(batch, importer->name, place);
        }
    }
}

/* -------------------------------------------------------------------------- afterwards */

/* Those whose parts were all stored before: the content is what it was. */
static void finish(batch_t *batch)
{
    int i, k;

    for (i = 0; i < batch->count; i++) {
        item_t *item = &batch->items[i];
        int was_done = item->part_count > 0;

        for (k = 0; k < item->part_count; k++) {
            was_done &= is_done(item, item->kind->importers[k]);
        }
        if (was_done) {
            dsc_follow_same_document(batch->follow, batch->source, item->document, item->hash);
        } else if (!item->failed && item->part_count > 0 && batch->follow->reason == NULL &&
                   !dsc_interrupted()) {
            batch->follow->count->stored++;
        }
        dsc_scratch_remove(batch->pool, item->folder);
    }
}

static int is_about_company(const dsc_follow_source_t *source,
                            const dsc_follow_document_t *document)
{
    const dsc_follow_kind_t *kind = dsc_follow_find_kind(source, document->kind);

    return kind != NULL && kind->url != NULL;
}

/* Files about companies take long, and are no news: they are not loaded along with filings, and one
 * at a time, just after the listings have been read, so that what is new waits for one of them at
 * most. A round has no news to look for. */
static const apr_array_header_t *apart(const dsc_follower_t *follow, apr_pool_t *pool,
                                       const dsc_follow_source_t *source,
                                       const apr_array_header_t *documents, int is_first)
{
    apr_array_header_t *chosen = apr_array_make(pool, BATCH, sizeof(dsc_follow_document_t));
    int i, is_about = 0;

    if (documents == NULL || follow->options->once) {
        return documents;
    }
    for (i = 0; i < documents->nelts && !is_about; i++) {
        const dsc_follow_document_t *document = &APR_ARRAY_IDX(documents, i, dsc_follow_document_t);

        is_about = is_about_company(source, document);
        if (!is_about || (i == 0 && is_first)) {
            APR_ARRAY_PUSH(chosen, dsc_follow_document_t) = *document;
        }
    }
    return chosen;
}

int dsc_follow_documents(dsc_follower_t *follow, apr_pool_t *pool,
                         const dsc_follow_source_t *source, int is_first, int *is_slow)
{
    batch_t batch = {.follow = follow, .pool = pool, .source = source};
    int most = follow->options->once ? BATCH : NEWS_BATCH;
    const apr_array_header_t *due = dsc_follow_due_documents(follow, pool, source, most);
    const apr_array_header_t *documents = apart(follow, pool, source, due, is_first);
    int i;

    if (documents == NULL || due->nelts == 0) {
        return 0;
    }
    *is_slow = is_about_company(source, &APR_ARRAY_IDX(due, 0, dsc_follow_document_t));
    batch.items = apr_pcalloc(pool, sizeof(item_t) * (size_t)documents->nelts);
    batch.fetches = apr_pcalloc(pool, sizeof(dsc_fetch_t) * (size_t)documents->nelts);
    batch.by_path = apr_hash_make(pool);
    prepare(&batch, documents);
    dsc_fetch_all(follow->fetcher, pool, source->request_limit, batch.fetches, batch.count);
    for (i = 0; i < batch.count && follow->reason == NULL; i++) {
        if (!receive(&batch, &batch.items[i], &batch.fetches[i])) {
            batch.items[i].part_count = 0;
        }
    }
    import_all(&batch);
    finish(&batch);
    return due->nelts;
}
