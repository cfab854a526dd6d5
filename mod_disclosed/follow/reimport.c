/* Imports kept files again: if an importer has changed, only what differs is superseded. */
#include "follow/follow.h"

#include "engine/digest.h"
#include "engine/interrupt.h"
#include "follow/document.h"
#include "follow/keep.h"
#include "follow/scratch.h"
#include "follow/state.h"
#include "follow/report.h"
#include "sources/import_run.h"
#include "sources/importers.h"

#include <apr_file_io.h>
#include <apr_general.h>
#include <apr_strings.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH 64

enum {
    MOST_PARTS = 4
};

typedef struct {
    dsc_follower_t follow;
    apr_pool_t *each; /* of a batch */
    const dsc_follow_source_t *source;
    dsc_reimport_count_t *count;
    const char *keep; /* the folder, from the root: links to its files are made in other folders */
    const char *paths[BATCH];
    const dsc_follow_kind_t *kinds[BATCH];
    int path_count;
} again_t;

static dsc_connection_t *connect_loader(void *baton, apr_pool_t *pool, const char **reason)
{
    const again_t *again = baton;

    return again->follow.options->connect(again->follow.options->connect_baton, pool, reason);
}

static void on_event(void *baton, const dsc_import_event_t *event)
{
    again_t *again = baton;

    if (event->kind == DSC_IMPORT_FILE) {
        dsc_load_count_add(&again->count->rows, &event->count);
    } else if (event->kind == DSC_IMPORT_FAILED) {
        again->count->failed++;
        dsc_follow_report(&again->follow, 1, "%s: %s", strrchr(event->name, '/') + 1,
                          event->reason);
    } else if (event->kind == DSC_IMPORT_DATABASE) {
        again->follow.reason = apr_pstrdup(again->follow.pool, event->reason);
    }
}

static void import_with(again_t *again, const dsc_importer_t *importer, int place)
{
    const dsc_import_run_t run = {.importer = importer,
                                  .jobs = 1,
                                  .connect = connect_loader,
                                  .connect_baton = again,
                                  .event = on_event,
                                  .event_baton = again};
    const char *paths[BATCH];
    int i, count = 0;

    for (i = 0; i < again->path_count; i++) {
        const char *wanted = again->kinds[i]->importers[place];

        if (wanted != NULL && strcmp(wanted, importer->name) == 0) {
            paths[count++] = again->paths[i];
        }
    }
    if (count > 0 && again->follow.reason == NULL && !dsc_interrupted()) {
        (void)dsc_import_paths(&run, again->each, count, paths);
    }
}

/* Each as in a first import: by the name that the file had, because importers
 * look at names. */
static void import_batch(again_t *again)
{
    const dsc_importer_t *importer;
    int place, i;

    for (place = 0; place < MOST_PARTS; place++) {
        for (importer = dsc_importers; importer->name != NULL; importer++) {
            import_with(again, importer, place);
        }
    }
    for (i = 0; i < again->path_count; i++) {
        dsc_scratch_remove(again->each, apr_pstrmemdup(again->each, again->paths[i],
                                                       (apr_size_t)(strrchr(again->paths[i], '/') -
                                                                    again->paths[i])));
    }
    again->path_count = 0;
    apr_pool_clear(again->each);
}

static void fail(again_t *again, const char *name, const char *kept, const char *why)
{
    again->count->failed++;
    dsc_follow_report(&again->follow, 1, "%s: %s: %s", name, kept, why);
}

static void add_document(again_t *again, PGresult *documents, int row)
{
    const char *name = dsc_follow_name(again->each, PQgetvalue(documents, row, 2));
    const char *wanted = PQgetvalue(documents, row, 3);
    const char *folder =
        apr_pstrcat(again->each, again->follow.scratch, "/", PQgetvalue(documents, row, 0), NULL);
    const char *kept = dsc_keep_path(again->each, again->keep, wanted);
    const char *path = apr_pstrcat(again->each, folder, "/", name, NULL), *is;
    const dsc_follow_kind_t *kind =
        dsc_follow_find_kind(again->source, PQgetvalue(documents, row, 1));

    if (kind == NULL || access(kept, F_OK) != 0) {
        again->count->absent++;
        return;
    }
    is = dsc_content_hash_of_file(again->each, kept);
    if (is == NULL || strcmp(is, wanted) != 0) {
        fail(again, name, kept,
             is == NULL ? "it cannot be read"
                        : "it is damaged, as its content is not that by which it is named");
        return;
    }
    if (apr_dir_make(folder, APR_FPROT_OS_DEFAULT, again->each) != APR_SUCCESS ||
        symlink(kept, path) != 0) {
        fail(again, name, path, strerror(errno));
        return;
    }
    again->count->files++;
    again->kinds[again->path_count] = kind;
    again->paths[again->path_count++] = path;
}

static void import_documents(again_t *again, const char *since)
{
    char last[24] = "0";
    const char *parameters[] = {again->source->name, since, last};
    int row, rows;

    do {
        PGresult *documents = dsc_follow_query(
            &again->follow,
            "SELECT document_id, kind, url, content_hash FROM disclosed.followed_document"
            " WHERE source = $1 AND state = 'stored' AND content_hash IS NOT NULL"
            " AND coalesce(published_at, seen_at) >= $2::date AND document_id > $3"
            " ORDER BY document_id LIMIT " APR_STRINGIFY(BATCH),
            3, parameters);

        rows = documents != NULL ? PQntuples(documents) : 0;
        for (row = 0; row < rows && !dsc_interrupted(); row++) {
            (void)apr_cpystrn(last, PQgetvalue(documents, row, 0), sizeof(last));
            add_document(again, documents, row);
        }
        PQclear(documents);
        import_batch(again);
    } while (rows == BATCH && again->follow.reason == NULL && !dsc_interrupted());
}

apr_status_t dsc_follow_reimport(const dsc_follow_options_t *options, apr_pool_t *pool,
                                 const char *source, const char *since, dsc_reimport_count_t *count,
                                 const char **reason)
{
    again_t again = {.follow = {.options = options, .pool = pool, .pass = pool}, .count = count};
    const dsc_follow_source_t *row;
    char *keep = realpath(options->keep, NULL);

    again.keep = apr_pstrdup(pool, keep != NULL ? keep : options->keep);
    free(keep);
    memset(count, 0, sizeof(*count));
    for (row = dsc_follow_sources; row->name != NULL; row++) {
        again.source = strcmp(row->name, source) == 0 ? row : again.source;
    }
    apr_pool_create(&again.each, pool);
    again.follow.scratch = dsc_scratch_make(pool, reason);
    again.follow.connection =
        again.follow.scratch ? options->connect(options->connect_baton, pool, reason) : NULL;
    if (again.follow.connection == NULL) {
        return APR_EGENERAL;
    }
    import_documents(&again, since);
    *reason = again.follow.reason;
    return again.follow.reason == NULL ? APR_SUCCESS : APR_EGENERAL;
}
