/* A file is copied into the scratch folder, its content's hash is noted, and the copy is imported;
 * that it is stored is noted in the transaction of the import (sql/0065_watched_folders.sql). */
#include "follow/watch.h"

#include "engine/interrupt.h"
#include "follow/folder.h"
#include "follow/freshness.h"
#include "follow/notice.h"
#include "follow/watch_import.h"
#include "follow/report.h"
#include "loader/loader_value.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOOK_SECONDS = 60, /* between two listings of a whole folder: other hosts may share it, whose
                          changes the system does not report */
    YOUNG_LOOK_MILLISECONDS =
        250,    /* between two looks at a folder with files that may be written on */
    ASKED = 500 /* files that the database is asked about at once */
};

/* A folder, and how its files are loaded. */
typedef struct {
    const dsc_follow_watch_t *watch;
    int number;                  /* of dsc_notice_add(); -1: it gets no notices */
    int wants_look;              /* at all of it */
    apr_time_t looked_at;        /* 0: never */
    apr_array_header_t *arrived; /* const char *: names, of this pass */
} folder_t;

struct dsc_watch_t {
    dsc_notice_t *notice;
    folder_t *folders;
    int count;
};

/* ------------------------------------------------------------------------- beginning */

dsc_watch_t *dsc_watch_begin(dsc_follower_t *follow)
{
    const apr_array_header_t *watched = follow->options->watched;
    dsc_watch_t *watch;
    int i;

    if (watched == NULL || watched->nelts == 0) {
        return NULL;
    }
    watch = apr_pcalloc(follow->pool, sizeof(*watch));
    watch->notice = follow->options->once ? NULL : dsc_notice_create(follow->pool);
    watch->count = watched->nelts;
    watch->folders = apr_pcalloc(follow->pool, sizeof(folder_t) * (size_t)watch->count);
    for (i = 0; i < watch->count; i++) {
        watch->folders[i].watch = &APR_ARRAY_IDX(watched, i, dsc_follow_watch_t);
        watch->folders[i].number = -1;
        watch->folders[i].wants_look = 1;
    }
    if (watch->notice == NULL && !follow->options->once) {
        dsc_follow_report(
            follow, 0,
            "watch: the system tells nothing of files: folders are looked at every %d seconds",
            follow->options->poll);
    }
    return watch;
}

int dsc_watch_descriptor(const dsc_watch_t *watch)
{
    return watch != NULL ? dsc_notice_descriptor(watch->notice) : -1;
}

static const char *prefix_of(apr_pool_t *pool, const dsc_follow_watch_t *watch)
{
    return apr_pstrcat(pool, watch->importer, ":", watch->folder, "/", NULL);
}

const char *dsc_watch_prefixes(apr_pool_t *pool, const dsc_follow_options_t *options)
{
    apr_array_header_t *prefixes = apr_array_make(pool, 4, sizeof(const char *));
    int i;

    for (i = 0; options->watched != NULL && i < options->watched->nelts; i++) {
        APR_ARRAY_PUSH(prefixes, const char *) =
            prefix_of(pool, &APR_ARRAY_IDX(options->watched, i, dsc_follow_watch_t));
    }
    return dsc_texts_literal(pool, prefixes->nelts,
                             (const char *const *)(const void *)prefixes->elts);
}

/* -------------------------------------------------------------------- what has arrived */

static void note_arrival(void *baton, int number, const char *name)
{
    dsc_follower_t *follow = baton;
    int i;

    if (number == -1) {
        dsc_follow_report(follow, 0,
                          DSC_WATCH_SOURCE ": more has arrived than the system tells:"
                                           " folders are looked at again");
    }
    for (i = 0; i < follow->watch->count; i++) {
        folder_t *folder = &follow->watch->folders[i];

        if (number != -1 && folder->number != number) {
            continue;
        }
        if (name == NULL) {
            folder->wants_look = 1;
        } else if (!dsc_folder_is_passed_over(name)) {
            APR_ARRAY_PUSH(folder->arrived, const char *) = apr_pstrdup(follow->pass, name);
        }
    }
}

static void take_arrivals(dsc_follower_t *follow)
{
    dsc_watch_t *watch = follow->watch;
    int i;

    for (i = 0; i < watch->count; i++) {
        watch->folders[i].arrived = apr_array_make(follow->pass, 8, sizeof(const char *));
    }
    dsc_notice_read(watch->notice, note_arrival, follow);
}

/* Names of a folder may lead to another folder than before. */
static void watch_again(dsc_watch_t *watch, folder_t *folder)
{
    int number = dsc_notice_add(watch->notice, folder->watch->folder);

    if (folder->number >= 0 && number != folder->number) {
        dsc_notice_remove(watch->notice, folder->number);
    }
    folder->number = number;
}

/* When the folder is to be looked at whether or not it gets notices, by dsc_monotonic_now(). */
static apr_time_t due_at(const dsc_follower_t *follow, const folder_t *folder)
{
    return folder->looked_at == 0
               ? 0
               : folder->looked_at +
                     apr_time_from_sec(folder->number >= 0 ? LOOK_SECONDS : follow->options->poll);
}

static int is_due(const dsc_follower_t *follow, const folder_t *folder)
{
    return folder->wants_look || dsc_monotonic_now() >= due_at(follow, folder);
}

int dsc_watch_time_until_due(const dsc_follower_t *follow)
{
    apr_time_t now = dsc_monotonic_now(), first = now + apr_time_from_sec(LOOK_SECONDS);
    int i;

    for (i = 0; follow->watch != NULL && i < follow->watch->count; i++) {
        const folder_t *folder = &follow->watch->folders[i];
        apr_time_t at = folder->wants_look ? now + apr_time_from_msec(YOUNG_LOOK_MILLISECONDS)
                                           : due_at(follow, folder);
        first = at < first ? at : first;
    }
    return first > now ? (int)apr_time_as_msec(first - now) + 1 : 0;
}

/* ------------------------------------------------------------------------ which to load */

/* Of these files, those that are new, have changed, or failed a while ago, dsc_folder_file_t; NULL:
 * the database is lost. */
static apr_array_header_t *choose(dsc_follower_t *follow, apr_pool_t *pool,
                                  const dsc_follow_watch_t *watch, const dsc_folder_file_t *files,
                                  int count)
{
    const char **names = apr_palloc(pool, sizeof(char *) * (size_t)count);
    const char **marks = apr_palloc(pool, sizeof(char *) * (size_t)count);
    apr_array_header_t *chosen = apr_array_make(pool, 16, sizeof(dsc_folder_file_t));
    const char *parameters[4];
    PGresult *result;
    int i, rows;

    for (i = 0; i < count; i++) {
        names[i] = files[i].shown;
        marks[i] = files[i].mark;
    }
    parameters[0] = prefix_of(pool, watch);
    parameters[1] = dsc_texts_literal(pool, count, names);
    parameters[2] = dsc_texts_literal(pool, count, marks);
    parameters[3] = dsc_fetch_error_name(DSC_ERROR_TRUNCATED); /* written just then */
    result = dsc_follow_query(
        follow,
        "SELECT n.place FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS n(name, mark, place)"
        " LEFT JOIN disclosed.followed_document d ON d.source = 'watch' AND d.identity = $1 || n.name"
        " WHERE d.document_id IS NULL OR d.etag IS DISTINCT FROM n.mark OR (d.state = 'wanted'"
        " AND (d.failure IS NULL OR d.failure_kind = $4 OR (d.attempts < " DSC_WATCH_ATTEMPTS
        " AND d.checked_at + disclosed.followed_pause(d.attempts) <= clock_timestamp())))"
        " ORDER BY n.place",
        4, parameters);
    rows = result != NULL ? PQntuples(result) : -1;
    for (i = 0; i < rows; i++) {
        APR_ARRAY_PUSH(chosen, dsc_folder_file_t) = files[atoi(PQgetvalue(result, i, 0)) - 1];
    }
    PQclear(result);
    return rows >= 0 ? chosen : NULL;
}

/* What a look at names has found. */
typedef struct {
    apr_array_header_t *files; /* dsc_folder_file_t */
    int young;                 /* how many of them may still be written on */
} found_t;

/* What was written last is loaded last, and counts. */
static int by_age(const void *one, const void *other)
{
    const dsc_folder_file_t *a = one, *b = other;

    return a->written_at != b->written_at ? (a->written_at > b->written_at ? 1 : -1)
                                          : strcmp(a->name, b->name);
}

static void sort_by_age(found_t *found)
{
    qsort(found->files->elts, (size_t)found->files->nelts, sizeof(dsc_folder_file_t), by_age);
}

static found_t look_at(apr_pool_t *pool, int descriptor, const apr_array_header_t *names)
{
    found_t found = {apr_array_make(pool, names->nelts, sizeof(dsc_folder_file_t)), 0};
    int i;

    for (i = 0; i < names->nelts; i++) {
        dsc_folder_file_t file;

        if (dsc_folder_look(pool, descriptor, APR_ARRAY_IDX(names, i, const char *), &file)) {
            APR_ARRAY_PUSH(found.files, dsc_folder_file_t) = file;
            found.young += file.is_young;
        }
    }
    return found;
}

/* --------------------------------------------------------------------------- loading */

/* Loads those of the files that are to be; returns how many changed meanwhile. */
static int load_files(dsc_follower_t *follow, apr_pool_t *pool, const dsc_follow_watch_t *watch,
                      int descriptor, const apr_array_header_t *files)
{
    apr_pool_t *each;
    int at, changed = 0;

    apr_pool_create(&each, pool);
    for (at = 0; at < files->nelts && follow->reason == NULL && !dsc_interrupted(); at += ASKED) {
        int count = files->nelts - at < ASKED ? files->nelts - at : ASKED;
        const apr_array_header_t *chosen =
            choose(follow, each, watch, &APR_ARRAY_IDX(files, at, dsc_folder_file_t), count);

        if (chosen != NULL) {
            changed += dsc_watch_import(follow, watch, descriptor, chosen);
        }
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
    return changed;
}

static apr_hash_t *names_of(apr_pool_t *pool, const apr_array_header_t *files)
{
    apr_hash_t *names = apr_hash_make(pool);
    int i;

    for (i = 0; i < files->nelts; i++) {
        const char *shown = APR_ARRAY_IDX(files, i, dsc_folder_file_t).shown;

        apr_hash_set(names, shown, APR_HASH_KEY_STRING, shown);
    }
    return names;
}

/* Those that could not be loaded, and are not among the files any more; others may be loading what
 * has just arrived. */
static void forget_gone(dsc_follower_t *follow, apr_pool_t *pool, const dsc_follow_watch_t *watch,
                        const apr_array_header_t *files)
{
    const char *prefix = prefix_of(pool, watch);
    PGresult *result = dsc_follow_query(
        follow,
        "SELECT document_id, identity FROM disclosed.followed_document WHERE source = 'watch'"
        " AND state = 'wanted' AND starts_with(identity, $1)"
        " AND (failure IS NOT NULL OR checked_at < clock_timestamp() - interval '10 minutes')",
        1, &prefix);
    apr_hash_t *names = names_of(pool, files);
    int row;

    for (row = 0; result != NULL && row < PQntuples(result); row++) {
        const char *id = PQgetvalue(result, row, 0);

        if (apr_hash_get(names, PQgetvalue(result, row, 1) + strlen(prefix), APR_HASH_KEY_STRING) ==
            NULL) {
            (void)dsc_follow_command(follow,
                                     "DELETE FROM disclosed.followed_document"
                                     " WHERE document_id = $1 AND state = 'wanted'",
                                     1, &id);
        }
    }
    PQclear(result);
}

/* All of a folder, or why it cannot be read. */
static void note_folder(dsc_follower_t *follow, const dsc_follow_watch_t *watch, const char *reason)
{
    const char *parameters[] = {apr_pstrcat(follow->pass, watch->importer, ":", watch->folder,
                                            NULL),
                                reason ? dsc_fetch_error_name(DSC_ERROR_MISSING) : NULL, reason};

    (void)dsc_follow_command(follow, "SELECT disclosed.note_watched_folder($1, $2, $3)", 3,
                             parameters);
    if (reason != NULL) {
        dsc_follow_report_failure(follow, DSC_WATCH_SOURCE, watch->importer, watch->folder,
                                  DSC_ERROR_MISSING, reason);
    }
}

/* A file that may still be written is left for a later look: closing it is noticed, too. A round
 * has only one: it waits. */
static void leave_young(dsc_follower_t *follow, folder_t *folder, found_t *found)
{
    apr_array_header_t *files =
        apr_array_make(follow->pass, found->files->nelts, sizeof(dsc_folder_file_t));
    int i;

    for (i = 0; i < found->files->nelts; i++) {
        const dsc_folder_file_t *file = &APR_ARRAY_IDX(found->files, i, dsc_folder_file_t);

        if (!file->is_young) {
            APR_ARRAY_PUSH(files, dsc_folder_file_t) = *file;
        } else if (follow->options->once) {
            dsc_watch_fail(follow, folder->watch, file, DSC_ERROR_TRUNCATED, "it is being written");
        }
    }
    folder->wants_look |= files->nelts < found->files->nelts;
    found->files = files;
}

static void wait_for_young(void)
{
    struct pollfd wake = {.fd = dsc_interrupt_descriptor(), .events = POLLIN};

    (void)poll(&wake, 1, DSC_FOLDER_YOUNG_SECONDS * 1000 + 100);
}

static void look_at_all(dsc_follower_t *follow, folder_t *folder, int descriptor)
{
    const char *reason = NULL;
    const apr_array_header_t *names = dsc_folder_names(follow->pass, descriptor, &reason), *all;
    found_t found;

    if (names == NULL) {
        note_folder(follow, folder->watch, reason);
        return;
    }
    found = look_at(follow->pass, descriptor, names);
    if (found.young > 0 && follow->options->once) {
        wait_for_young();
        found = look_at(follow->pass, descriptor, names);
    }
    sort_by_age(&found);
    all = found.files;
    leave_young(follow, folder, &found);
    folder->wants_look |=
        load_files(follow, follow->pass, folder->watch, descriptor, found.files) > 0;
    forget_gone(follow, follow->pass, folder->watch, all);
    if (follow->reason == NULL && !dsc_interrupted()) {
        note_folder(follow, folder->watch, NULL);
    }
}

/* Before it is looked at it is watched, so that nothing is missed in between. */
static void look_at_folder(dsc_follower_t *follow, folder_t *folder)
{
    int whole = is_due(follow, folder), descriptor;
    const char *reason = NULL;
    apr_pool_t *pool;

    if (!whole && folder->arrived->nelts == 0) {
        return;
    }
    apr_pool_create(&pool, follow->pass);
    if (whole) {
        folder->wants_look = 0;
        folder->looked_at = dsc_monotonic_now();
        watch_again(follow->watch, folder);
    }
    descriptor = dsc_folder_open(pool, folder->watch->folder, &reason);
    if (descriptor < 0) {
        note_folder(follow, folder->watch, reason);
    } else if (whole) {
        look_at_all(follow, folder, descriptor);
    } else {
        folder->wants_look |= load_files(follow, pool, folder->watch, descriptor,
                                         look_at(pool, descriptor, folder->arrived).files) > 0;
    }
    apr_pool_destroy(pool);
}

/* ----------------------------------------------------------------------------- passes */

static const dsc_follow_source_t watch_source = {.name = DSC_WATCH_SOURCE};

/* What nobody has looked at for a week is no longer watched: nothing is missing there. */
static void forget_unwatched(dsc_follower_t *follow)
{
    (void)dsc_follow_command(
        follow,
        "DELETE FROM disclosed.followed_listing WHERE source = '" DSC_WATCH_SOURCE
        "' AND checked_at < clock_timestamp() - interval '7 days'",
        0, NULL);
    (void)dsc_follow_command(
        follow,
        "DELETE FROM disclosed.followed_document d WHERE source = '" DSC_WATCH_SOURCE
        "' AND state = 'wanted' AND NOT EXISTS (SELECT FROM disclosed.followed_listing l"
        " WHERE l.source = d.source AND starts_with(d.identity, l.listing || '/'))",
        0, NULL);
}

/* When all folders could be read. */
static void note_checked(dsc_follower_t *follow)
{
    (void)dsc_follow_command(
        follow,
        "INSERT INTO disclosed.followed_source AS s (source, checked_at)"
        " VALUES ('" DSC_WATCH_SOURCE "', (SELECT clock_timestamp() WHERE NOT EXISTS (SELECT FROM"
        " disclosed.followed_listing WHERE source = '" DSC_WATCH_SOURCE
        "' AND failure IS NOT NULL)))"
        " ON CONFLICT (source) DO UPDATE SET checked_at = coalesce(excluded.checked_at, s.checked_at)",
        0, NULL);
}

void dsc_watch_pass(dsc_follower_t *follow)
{
    dsc_watch_t *watch = follow->watch;
    int i;

    if (watch == NULL) {
        return;
    }
    take_arrivals(follow);
    for (i = 0; i < watch->count && follow->reason == NULL && !dsc_interrupted(); i++) {
        look_at_folder(follow, &watch->folders[i]);
    }
    if (follow->reason == NULL && !dsc_interrupted()) {
        forget_unwatched(follow);
        note_checked(follow);
        dsc_follow_refresh(follow, &watch_source);
    }
}

static void preview_folder(dsc_follower_t *follow, const dsc_follow_watch_t *watch,
                           void (*print)(dsc_follower_t *follow, const char *path))
{
    const char *reason = NULL;
    int descriptor = dsc_folder_open(follow->pass, watch->folder, &reason), i;
    const apr_array_header_t *names = descriptor >= 0
                                          ? dsc_folder_names(follow->pass, descriptor, &reason)
                                          : NULL,
                             *chosen;
    found_t found;

    if (names == NULL) {
        dsc_follow_report_failure(follow, DSC_WATCH_SOURCE, watch->importer, watch->folder,
                                  DSC_ERROR_MISSING, reason);
        return;
    }
    found = look_at(follow->pass, descriptor, names);
    sort_by_age(&found);
    chosen = choose(follow, follow->pass, watch,
                    (const dsc_folder_file_t *)(const void *)found.files->elts, found.files->nelts);
    for (i = 0; chosen != NULL && i < chosen->nelts; i++) {
        print(follow, apr_pstrcat(follow->pass, watch->folder, "/",
                                  APR_ARRAY_IDX(chosen, i, dsc_folder_file_t).shown, NULL));
    }
}

void dsc_watch_preview(dsc_follower_t *follow,
                       void (*print)(dsc_follower_t *follow, const char *path))
{
    const apr_array_header_t *watched = follow->options->watched;
    int i;

    for (i = 0; watched != NULL && i < watched->nelts && follow->reason == NULL; i++) {
        preview_folder(follow, &APR_ARRAY_IDX(watched, i, dsc_follow_watch_t), print);
    }
}
