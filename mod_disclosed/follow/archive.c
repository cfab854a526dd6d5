#include "follow/archive.h"

#include "follow/report.h"

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ATTEMPTS                                                                              \
    "6" /* that bring nothing that can be continued: then it is given up in this run */
#define PARTIAL ".part"

/* Of an archive d; a period that ends before the day is not wanted. */
#define IN_SCOPE                                                                                   \
    "d.source = ANY ($1) AND ($2::date IS NULL OR d.published_at IS NULL OR"                       \
    " d.published_at >= $2::date)"
/* Not by a clock: it may be put back while the run goes on. */
#define HAS_NOT_COME "(d.fetched_at IS NULL OR d.document_id <> ALL ($3::bigint[]))"
#define IS_OPEN      "(d.state <> 'stored' OR d.files_failed > 0)"

/* ------------------------------------------------------------------------------ archives */

static const char *text_at(apr_pool_t *pool, PGresult *result, int column)
{
    return PQgetisnull(result, 0, column) ? NULL : apr_pstrdup(pool, PQgetvalue(result, 0, column));
}

#define COLUMNS                                                                                    \
    "d.source, d.document_id, d.identity, d.kind, d.url, CASE WHEN d.done @> d.parts THEN d.etag"  \
    " END, CASE WHEN d.done @> d.parts THEN d.last_modified END, d.content_hash, d.done,"          \
    " d.files_done, d.files_failed, CASE WHEN d.failure_kind = 'damaged' THEN d.failure END,"      \
    " d.fetched_at"

/* Of the one row of COLUMNS; NULL: it is of another version's table. */
static dsc_archive_t *read_archive(apr_pool_t *pool, const char *folder, PGresult *result)
{
    dsc_archive_t *archive = apr_pcalloc(pool, sizeof(*archive));
    dsc_follow_document_t *document = &archive->document;

    archive->source = dsc_follow_find_source(dsc_bootstrap_sources, PQgetvalue(result, 0, 0));
    document->id = text_at(pool, result, 1);
    document->identity = text_at(pool, result, 2);
    document->kind = text_at(pool, result, 3);
    document->url = text_at(pool, result, 4);
    document->etag = text_at(pool, result, 5);
    document->last_modified = text_at(pool, result, 6);
    document->content_hash = text_at(pool, result, 7);
    document->done = text_at(pool, result, 8);
    archive->files_done = atoll(PQgetvalue(result, 0, 9));
    archive->files_failed = atoll(PQgetvalue(result, 0, 10));
    archive->damage = text_at(pool, result, 11);
    document->fetched_at = text_at(pool, result, 12);
    archive->kind = archive->source ? dsc_follow_find_kind(archive->source, document->kind) : NULL;
    if (archive->kind == NULL || strchr(document->url, '/') == NULL) {
        return NULL;
    }
    archive->path =
        apr_pstrcat(pool, folder, "/", archive->source->name, strrchr(document->url, '/'), NULL);
    archive->partial = apr_pstrcat(pool, archive->path, PARTIAL, NULL);
    return archive;
}

static dsc_archive_t *take_archive(apr_pool_t *pool, const char *folder, PGresult *result)
{
    dsc_archive_t *archive =
        result != NULL && PQntuples(result) == 1 ? read_archive(pool, folder, result) : NULL;

    PQclear(result);
    return archive;
}

int dsc_archive_begin(dsc_follower_t *follow, const dsc_archive_scope_t *scope)
{
    return dsc_follow_command(follow,
                              "UPDATE disclosed.followed_document d SET attempts = 0, next_at ="
                              " clock_timestamp() WHERE d.source = ANY ($1) AND " IS_OPEN,
                              1, &scope->sources) &&
           dsc_follow_command(follow,
                              "UPDATE disclosed.followed_listing SET attempts = 0, next_at ="
                              " clock_timestamp() WHERE source = ANY ($1)",
                              1, &scope->sources);
}

dsc_archive_t *dsc_archive_next(dsc_follower_t *follow, apr_pool_t *pool,
                                const dsc_archive_scope_t *scope)
{
    const char *parameters[] = {scope->sources, scope->since, scope->come};

    return take_archive(
        pool, scope->folder,
        dsc_follow_query(follow,
                         "SELECT " COLUMNS " FROM disclosed.followed_document d WHERE " IN_SCOPE
                         " AND d.next_at <= clock_timestamp()"
                         " AND " HAS_NOT_COME
                         " ORDER BY d.state = 'wanted' AND d.fetched_at IS NOT NULL DESC,"
                         " array_position($1::text[], d.source), d.published_at,"
                         " d.document_id LIMIT 1",
                         3, parameters));
}

dsc_archive_t *dsc_archive_find(dsc_follower_t *follow, apr_pool_t *pool, const char *folder,
                                const char *id)
{
    return take_archive(pool, folder,
                        dsc_follow_query(follow,
                                         "SELECT " COLUMNS " FROM disclosed.followed_document d"
                                         " WHERE d.document_id = $1",
                                         1, &id));
}

int dsc_archive_wait(dsc_follower_t *follow, const dsc_archive_scope_t *scope)
{
    const char *parameters[] = {scope->sources, scope->since, scope->come};
    PGresult *result = dsc_follow_query(
        follow,
        "SELECT CASE WHEN w.at IS NOT NULL THEN least(60000, greatest(0, ceil(extract(epoch FROM"
        " w.at - clock_timestamp()) * 1000))) END FROM (SELECT least("
        "(SELECT min(d.next_at) FROM disclosed.followed_document d WHERE " IN_SCOPE
        " AND d.next_at IS NOT NULL AND " HAS_NOT_COME "),"
        " (SELECT min(l.next_at) FROM disclosed.followed_listing l WHERE l.source = ANY ($1)"
        " AND l.failure IS NOT NULL AND NOT l.completed AND l.attempts < " MOST_ATTEMPTS
        ")) AS at) w",
        3, parameters);
    int milliseconds =
        result != NULL && !PQgetisnull(result, 0, 0) ? atoi(PQgetvalue(result, 0, 0)) : -1;

    PQclear(result);
    return milliseconds;
}

int dsc_archive_page_is_due(dsc_follower_t *follow, const dsc_follow_source_t *source)
{
    PGresult *result =
        dsc_follow_query(follow,
                         "SELECT 1 FROM disclosed.followed_listing WHERE source = $1 AND next_at <="
                         " clock_timestamp() AND failure IS NOT NULL AND attempts < " MOST_ATTEMPTS,
                         1, &source->name);
    int is_due = result != NULL && PQntuples(result) > 0;

    PQclear(result);
    return is_due;
}

/* ---------------------------------------------------------------------- what becomes of it */

int dsc_archive_is_awaited(const dsc_archive_t *archive, dsc_fetch_error_t error)
{
    return error == DSC_ERROR_MISSING && archive->source->listings != NULL;
}

void dsc_archive_fail(dsc_follower_t *follow, const dsc_archive_t *archive, dsc_fetch_error_t error,
                      const char *reason, dsc_archive_when_t when)
{
    int is_absent = dsc_archive_is_awaited(archive, error);
    int is_final =
        error == DSC_ERROR_MISSING || error == DSC_ERROR_TOO_LARGE || when == DSC_ARCHIVE_NEXT;
    const char *parameters[] = {archive->document.id,
                                dsc_fetch_error_name(error),
                                reason,
                                is_absent ? "t" : "f",
                                is_final ? "t" : "f",
                                when == DSC_ARCHIVE_SOON ? "t" : "f",
                                error == DSC_ERROR_PAUSED ? "0" : "1",
                                archive->source->request_limit->name};

    (void)dsc_follow_command(
        follow,
        "UPDATE disclosed.followed_document d SET attempts = n.attempts, failure_kind = $2,"
        " failure = $3, state = CASE WHEN $4 THEN 'absent' ELSE d.state END,"
        " next_at = CASE WHEN NOT $5 AND n.attempts < " MOST_ATTEMPTS
        " THEN greatest(clock_timestamp() + CASE WHEN $6 THEN interval '1 s'"
        " ELSE disclosed.followed_pause(n.attempts) * $7::integer END,"
        " (SELECT l.paused_until FROM disclosed.followed_limit l WHERE l.name = $8)) END"
        " FROM (SELECT CASE WHEN $6 THEN 0 ELSE attempts + $7::integer END AS attempts"
        " FROM disclosed.followed_document WHERE document_id = $1) n WHERE d.document_id = $1",
        8, parameters);
    if (error != DSC_ERROR_PAUSED && !is_absent) {
        dsc_follow_count_failure(follow, archive->source, error);
    }
}

void dsc_archive_damaged(dsc_follower_t *follow, dsc_archive_t *archive, const char *damage)
{
    const char *parameters[] = {archive->document.id, dsc_fetch_error_name(DSC_ERROR_DAMAGED),
                                damage};

    archive->damage = damage;
    (void)dsc_follow_command(follow,
                             "UPDATE disclosed.followed_document SET failure_kind = $2,"
                             " failure = $3 WHERE document_id = $1",
                             3, parameters);
    dsc_follow_count_failure(follow, archive->source, DSC_ERROR_DAMAGED);
}

void dsc_archive_again(dsc_follower_t *follow, const dsc_archive_t *archive)
{
    (void)dsc_follow_command(follow,
                             "UPDATE disclosed.followed_document SET fetched_at = NULL, next_at ="
                             " clock_timestamp() WHERE document_id = $1",
                             1, &archive->document.id);
}

void dsc_archive_has_come(dsc_follower_t *follow, const dsc_archive_t *archive)
{
    (void)dsc_follow_command(follow,
                             "UPDATE disclosed.followed_document SET failure_kind = NULL,"
                             " failure = NULL WHERE document_id = $1",
                             1, &archive->document.id);
}

void dsc_archive_same(dsc_follower_t *follow, const dsc_archive_t *archive)
{
    (void)dsc_follow_command(follow,
                             "UPDATE disclosed.followed_document SET next_at = NULL, checked_at ="
                             " clock_timestamp() WHERE document_id = $1",
                             1, &archive->document.id);
    dsc_follow_report(follow, 1,
                      "%s: %s has not changed since %lld of %lld files failed: see disclosedctl "
                      "bootstrap --status",
                      archive->source->name, archive->document.identity, archive->files_failed,
                      archive->files_done);
}

void dsc_archive_is_here(dsc_follower_t *follow, const dsc_archive_t *archive)
{
    (void)dsc_follow_command(follow,
                             "UPDATE disclosed.followed_document SET fetched_at ="
                             " clock_timestamp() WHERE document_id = $1",
                             1, &archive->document.id);
}

void dsc_archive_mark(dsc_follower_t *follow, const dsc_archive_t *archive)
{
    const char *parameters[] = {archive->document.id, apr_ltoa(follow->pass, archive->files_done),
                                apr_ltoa(follow->pass, archive->files_failed),
                                archive->document.content_hash};

    (void)dsc_follow_command(follow,
                             "UPDATE disclosed.followed_document SET files_done = $2,"
                             " files_failed = $3 WHERE document_id = $1 AND content_hash = $4",
                             4, parameters);
}

int dsc_archive_count(dsc_follower_t *follow, const dsc_archive_scope_t *scope, long long *wanted,
                      long long *absent, long long *failed)
{
    const char *parameters[] = {scope->sources, scope->since};
    PGresult *result = dsc_follow_query(
        follow,
        "SELECT count(*) FILTER (WHERE d.state = 'wanted') + (SELECT count(*) FROM"
        " disclosed.followed_listing l WHERE l.source = ANY ($1) AND l.failure IS NOT NULL"
        " AND NOT l.completed), count(*) FILTER (WHERE d.state = 'absent'),"
        " count(*) FILTER (WHERE d.state = 'stored' AND d.files_failed > 0)"
        " FROM disclosed.followed_document d WHERE " IN_SCOPE,
        2, parameters);
    int good = result != NULL;

    if (good) {
        *wanted = atoll(PQgetvalue(result, 0, 0));
        *absent = atoll(PQgetvalue(result, 0, 1));
        *failed = atoll(PQgetvalue(result, 0, 2));
    }
    PQclear(result);
    return good;
}

/* -------------------------------------------------------------------------- the folder */

apr_file_t *dsc_archive_lock(apr_pool_t *pool, const char *folder, const char *name)
{
    apr_file_t *file;

    if (apr_file_open(&file, apr_pstrcat(pool, folder, "/", name, ".lock", NULL),
                      APR_FOPEN_READ | APR_FOPEN_WRITE | APR_FOPEN_CREATE,
                      APR_FPROT_UREAD | APR_FPROT_UWRITE, pool) != APR_SUCCESS) {
        return NULL;
    }
    if (apr_file_lock(file, APR_FLOCK_EXCLUSIVE | APR_FLOCK_NONBLOCK) != APR_SUCCESS) {
        (void)apr_file_close(file);
        return NULL;
    }
    return file;
}

/* Calls a function for each file of the archives. Other folders, and links, are somebody's. */
static void each_file(apr_pool_t *parent, const char *folder,
                      void (*take)(void *baton, apr_pool_t *pool, const dsc_follow_source_t *source,
                                   const char *path, const apr_finfo_t *info),
                      void *baton)
{
    const dsc_follow_source_t *source;
    apr_pool_t *pool;

    apr_pool_create(&pool, parent);
    for (source = dsc_bootstrap_sources; source->name != NULL; source++) {
        const char *inside = apr_pstrcat(pool, folder, "/", source->name, NULL);
        apr_finfo_t info;
        apr_dir_t *dir;

        if (apr_dir_open(&dir, inside, pool) != APR_SUCCESS) {
            continue;
        }
        while (apr_dir_read(&info, APR_FINFO_NAME | APR_FINFO_TYPE | APR_FINFO_SIZE, dir) ==
               APR_SUCCESS) {
            if (info.filetype == APR_REG) {
                take(baton, pool, source, apr_pstrcat(pool, inside, "/", info.name, NULL), &info);
            }
        }
        apr_dir_close(dir);
    }
    apr_pool_destroy(pool);
}

typedef struct {
    const char *path;
    apr_int64_t bytes;
} folder_sum_t;

static void add_size(void *baton, apr_pool_t *pool, const dsc_follow_source_t *source,
                     const char *path, const apr_finfo_t *info)
{
    folder_sum_t *sum = baton;

    (void)pool, (void)source;
    if (sum->path == NULL || strcmp(path, sum->path) != 0) {
        sum->bytes += info->size;
    }
}

apr_int64_t dsc_archive_bytes(apr_pool_t *pool, const char *folder, const char *path)
{
    folder_sum_t sum = {path, 0};

    each_file(pool, folder, add_size, &sum);
    return sum.bytes;
}

static void remove_other(void *baton, apr_pool_t *pool, const dsc_follow_source_t *source,
                         const char *path, const apr_finfo_t *info)
{
    const char *const *but_for = baton;

    (void)source, (void)info;
    if (strncmp(path, *but_for, strlen(*but_for)) != 0) {
        (void)apr_file_remove(path, pool);
    }
}

void dsc_archive_remove_others(apr_pool_t *pool, const char *folder, const char *path)
{
    each_file(pool, folder, remove_other, &path);
}

static void remove_unwanted(void *baton, apr_pool_t *pool, const dsc_follow_source_t *source,
                            const char *path, const apr_finfo_t *info)
{
    const char *end = strstr(info->name, ".zip");
    const char *name =
        end ? apr_pstrmemdup(pool, info->name, (apr_size_t)(end - info->name) + 4) : info->name;
    const char *parameters[] = {source->name, name};
    PGresult *result =
        dsc_follow_query(baton,
                         "SELECT 1 FROM disclosed.followed_document d WHERE d.source = $1 AND"
                         " regexp_replace(d.url, '^.*/', '') = $2 AND " IS_OPEN,
                         2, parameters);

    if (result != NULL && PQntuples(result) == 0) {
        (void)apr_file_remove(path, pool);
    }
    PQclear(result);
}

void dsc_archive_sweep(dsc_follower_t *follow, apr_pool_t *pool, const char *folder)
{
    each_file(pool, folder, remove_unwanted, follow);
}

/* ------------------------------------------------------------------------------ dry run */

void dsc_archive_preview(dsc_follower_t *follow, const dsc_archive_scope_t *scope,
                         void (*print)(dsc_follower_t *follow, const char *url))
{
    const char *parameters[] = {scope->sources, scope->since};
    const dsc_follow_source_t *source;
    PGresult *result;
    int row;

    for (source = dsc_bootstrap_sources; source->name != NULL; source++) {
        const char *url = source->listings != NULL ? source->listings->url : source->files->url;
        const char *about[] = {source->name, url};

        if (!dsc_follow_is_wanted(follow->options, source)) {
            continue;
        }
        result = dsc_follow_query(follow,
                                  "SELECT 1 FROM disclosed.followed_document WHERE source = $1"
                                  " AND url = $2",
                                  2, about);
        if (result != NULL && PQntuples(result) == 0) {
            print(follow, url);
        }
        PQclear(result);
    }
    result = dsc_follow_query(follow,
                              "SELECT d.url FROM disclosed.followed_document d WHERE " IN_SCOPE
                              " AND " IS_OPEN " ORDER BY array_position($1::text[], d.source),"
                              " d.published_at, d.document_id",
                              2, parameters);
    for (row = 0; result != NULL && row < PQntuples(result); row++) {
        print(follow, PQgetvalue(result, row, 0));
    }
    PQclear(result);
}
