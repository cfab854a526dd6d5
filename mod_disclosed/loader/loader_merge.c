/* Merging staged rows into the timelines of their records, set-wise.
 *
 * A record is (issuer, record_key); its versions are ordered by known_at. Against them a staged row
 * is one of three kinds: 'u' says nothing new; 'm' is what the next version says, but known
 * earlier, at an instant that has no version: that one's known_at moves; 'i' is a version to
 * insert, which closes the one before it. Of snapshots what repeats the version in force is kept
 * with its instant (disclosed.restated): a version that is inserted before it ends there, and the
 * one before it holds again. Rows of one key in one file go in passes, in the order of known_at and
 * then of the file, so that each meets the timeline that the one before has left. If no staged key
 * is stored and none repeats, a plain INSERT does the same several times as fast. */
#include "loader/loader_internal.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    MANY_PASSES = 8
};

/* The file that a result's column names. */
static dsc_loaded_file_t *file_at(const dsc_loader_t *loader, const PGresult *result, int row,
                                  int column)
{
    return APR_ARRAY_IDX(loader->files, atoi(PQgetvalue(result, row, column)), dsc_loaded_file_t *);
}

/* Rejects the rows that a CHECK of the table would refuse. */
static apr_status_t refuse_rows(dsc_loader_t *loader, dsc_stage_t *stage, int large)
{
    PGresult *result;
    apr_status_t rv;
    int row;

    if (stage->checks == NULL) {
        return APR_SUCCESS;
    }
    rv = dsc_loader_run(loader, &stage->refuse, large, 0, NULL, &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (row = 0; rv == APR_SUCCESS && row < PQntuples(result); row++) {
        dsc_loaded_file_t *file = file_at(loader, result, row, 2);

        rv = dsc_loader_reject_of(loader, file, PQgetvalue(result, row, 0),
                                  PQgetvalue(result, row, 1), NULL);
        file->count.read--; /* the row was counted when it was added */
        stage->of_file[file->number]--;
        stage->merging[file->number]--;
        stage->rows--;
    }
    PQclear(result);
    return rv;
}

static apr_status_t ask(dsc_loader_t *loader, dsc_statement_t *statement, int large,
                        const char **answer)
{
    PGresult *result;
    apr_status_t rv = dsc_loader_run(loader, statement, large, 0, NULL, &result);

    if (rv == APR_SUCCESS) {
        *answer = apr_pstrdup(loader->file_pool, PQgetvalue(result, 0, 0));
        PQclear(result);
    }
    return rv;
}

/* What follows from rows that have been inserted as they were staged. */
static apr_status_t note_plain(dsc_loader_t *loader, dsc_stage_t *stage, int large,
                               long long stored)
{
    long long touched = 0;
    apr_status_t rv = dsc_loader_write(loader, &stage->touch_plain, large, 0, NULL, &touched);
    int i;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (i = 0; i < loader->files->nelts; i++) {
        dsc_loaded_file_t *file = APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *);

        file->count.stored += stage->merging[i];
        file->changed |= stage->merging[i] > 0;
    }
    stage->changed |= stored > 0;
    return APR_SUCCESS;
}

static apr_status_t merge_plain(dsc_loader_t *loader, dsc_stage_t *stage, int large)
{
    long long stored = 0;
    apr_status_t rv = dsc_loader_write(loader, &stage->insert_plain, large, 0, NULL, &stored);

    return rv == APR_SUCCESS ? note_plain(loader, stage, large, stored) : rv;
}

/* Runs a statement that yields how many rows it has written of each file. */
static apr_status_t write_by_file(dsc_loader_t *loader, dsc_statement_t *statement, int large,
                                  long long of_file[DSC_MOST_FILES])
{
    PGresult *result;
    apr_status_t rv = dsc_loader_run(loader, statement, large, 0, NULL, &result);
    int row;

    memset(of_file, 0, sizeof(*of_file) * DSC_MOST_FILES);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (row = 0; row < PQntuples(result); row++) {
        of_file[file_at(loader, result, row, 0)->number] = atoll(PQgetvalue(result, row, 1));
    }
    PQclear(result);
    return APR_SUCCESS;
}

/* The same; *changed says whether there was any, and the files are changed by it. */
static apr_status_t change_by_file(dsc_loader_t *loader, dsc_statement_t *statement, int large,
                                   int *changed)
{
    long long rows[DSC_MOST_FILES];
    apr_status_t rv = write_by_file(loader, statement, large, rows);
    int i;

    for (i = 0; i < loader->files->nelts; i++) {
        APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *)->changed |= rows[i] > 0;
        *changed |= rows[i] > 0;
    }
    return rv;
}

/* Ends versions, which are counted. */
static apr_status_t close_by_file(dsc_loader_t *loader, dsc_statement_t *statement, int large)
{
    long long rows[DSC_MOST_FILES];
    apr_status_t rv = write_by_file(loader, statement, large, rows);
    int i;

    for (i = 0; i < loader->files->nelts; i++) {
        APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *)->count.superseded += rows[i];
    }
    return rv;
}

/* After TRUNCATE all statements on the table are planned anew: it is for many rows. */
static apr_status_t empty_act(dsc_loader_t *loader, dsc_stage_t *stage)
{
    long long rows = 0;

    return stage->rows >= LARGE_LOAD
               ? dsc_loader_query(loader,
                                  apr_pstrcat(loader->file_pool, "TRUNCATE pg_temp.act_",
                                              stage->dataset->name, NULL),
                                  0, NULL, NULL)
               : dsc_loader_write(loader, &stage->empty_act, 0, 0, NULL, &rows);
}

/* How many rows of a pass are of each kind. */
typedef struct {
    long long inserted, moved, unchanged;
} dsc_kinds_t;

static apr_status_t classify(dsc_loader_t *loader, dsc_stage_t *stage, int large, long long pass,
                             dsc_kinds_t *kinds)
{
    const char *number = apr_psprintf(loader->file_pool, "%" APR_INT64_T_FMT, (apr_int64_t)pass);
    PGresult *result;
    apr_status_t rv = dsc_loader_run(loader, &stage->classify, large, 1, &number, &result);
    int row;

    memset(kinds, 0, sizeof(*kinds));
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (row = 0; row < PQntuples(result); row++) {
        dsc_loaded_file_t *file = file_at(loader, result, row, 0);
        char kind = *PQgetvalue(result, row, 1);
        long long rows = atoll(PQgetvalue(result, row, 2));

        *(kind == 'i' ? &kinds->inserted : kind == 'm' ? &kinds->moved : &kinds->unchanged) += rows;
        *(kind == 'u' ? &file->count.unchanged : &file->count.stored) += rows;
        file->changed |= kind != 'u';
    }
    PQclear(result);
    return APR_SUCCESS;
}

/* What was there before a version that is inserted ends, and may hold again. */
static apr_status_t insert_versions(dsc_loader_t *loader, dsc_stage_t *stage, int large)
{
    long long stored = 0, resumed = 0;
    apr_status_t rv = dsc_loader_write(loader, &stage->insert, large, 0, NULL, &stored);

    return rv == APR_SUCCESS && stage->snapshots
               ? dsc_loader_write(loader, &stage->resume, large, 0, NULL, &resumed)
               : rv;
}

static int tells_hash(const dsc_loader_t *loader)
{
    int i, tells = 0;

    for (i = 0; i < loader->files->nelts; i++) {
        tells |= APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *)->content_hash != NULL;
    }
    return tells;
}

/* One pass: at most one row of each key. Statements on kinds of which there is none are left
 * out. */
static apr_status_t merge_pass(dsc_loader_t *loader, dsc_stage_t *stage, int large, long long pass)
{
    long long moved = 0, touched = 0;
    int repeated = 0;
    dsc_kinds_t kinds;
    apr_status_t rv;

    if ((rv = classify(loader, stage, large, pass, &kinds)) != APR_SUCCESS ||
        (stage->raise.sql != NULL &&
         (rv = change_by_file(loader, &stage->raise, large, &stage->changed)) != APR_SUCCESS) ||
        (stage->snapshots && kinds.unchanged + kinds.moved > 0 &&
         (rv = change_by_file(loader, &stage->restate, large, &repeated)) != APR_SUCCESS) ||
        (kinds.inserted > 0 &&
         (rv = close_by_file(loader, &stage->close_previous, large)) != APR_SUCCESS) ||
        (kinds.inserted > 0 && stage->global_key &&
         (rv = close_by_file(loader, &stage->close_holder, large)) != APR_SUCCESS) ||
        (kinds.moved > 0 &&
         (rv = dsc_loader_write(loader, &stage->move, large, 0, NULL, &moved)) != APR_SUCCESS) ||
        (kinds.unchanged > 0 && tells_hash(loader) &&
         (rv = change_by_file(loader, &stage->rehash, large, &stage->changed)) != APR_SUCCESS) ||
        (kinds.inserted > 0 && (rv = insert_versions(loader, stage, large)) != APR_SUCCESS)) {
        return rv;
    }
    if (kinds.inserted + kinds.moved > 0) {
        stage->changed = 1;
        rv = dsc_loader_write(loader, &stage->touch, large, 0, NULL, &touched);
    }
    return rv == APR_SUCCESS ? empty_act(loader, stage) : rv;
}

static apr_status_t merge_passes(dsc_loader_t *loader, dsc_stage_t *stage, int large)
{
    const char *answer = NULL;
    apr_status_t rv = ask(loader, &stage->passes, large, &answer);
    long long pass, last = rv == APR_SUCCESS ? atoll(answer) : 0;

    if (last > MANY_PASSES && (rv = dsc_index_staged(loader, stage)) != APR_SUCCESS) {
        return rv;
    }
    if (rv == APR_SUCCESS && large) {
        rv = dsc_analyze_staged(loader, stage, "pass_", 0);
    }
    for (pass = 1; rv == APR_SUCCESS && pass <= last; pass++) {
        if (large && pass > 1 && (rv = dsc_analyze_grown(loader)) != APR_SUCCESS) {
            break; /* plans for many versions of an issuer need to know that there are */
        }
        rv = merge_pass(loader, stage, large && pass <= MANY_PASSES, pass);
    }
    return rv;
}

static apr_status_t expect(dsc_loader_t *loader, dsc_stage_t *stage, int large)
{
    long long rows = 0;
    apr_status_t rv = dsc_loader_write(loader, &stage->expect, large, 0, NULL, &rows);

    return rv == APR_SUCCESS && large ? dsc_analyze_staged(loader, stage, "expected_", 0) : rv;
}

/* Prepares what is staged for the merge; *plain says whether none of it is stored or staged
 * twice. */
static apr_status_t look_at_staged(dsc_loader_t *loader, dsc_stage_t *stage, int large,
                                   const dsc_lacking_t *lacking, int *plain)
{
    const char *answer;
    apr_status_t rv = dsc_issuers_make(loader, stage, large, lacking);

    if (rv == APR_SUCCESS && stage->expect.sql != NULL) {
        rv = expect(loader, stage, large);
    }
    if (rv == APR_SUCCESS && (rv = ask(loader, &stage->is_plain, large, &answer)) == APR_SUCCESS) {
        *plain = *answer == 't';
    }
    return rv;
}

/* Whether the table has refused a row by one of its CHECKs. */
static int is_refused(const dsc_loader_t *loader)
{
    const char *state =
        PQresultErrorField(dsc_connection_failure(loader->connection)->result, PG_DIAG_SQLSTATE);

    return state != NULL && strcmp(state, "23514") == 0;
}

/* Checks that take long are left to the table, which asks them anyhow when a row is inserted: only
 * if it refuses one are they asked before, to say which rows are wrong. Nothing is left of what was
 * not inserted. */
static apr_status_t merge_trusting(dsc_loader_t *loader, dsc_stage_t *stage, int large, int *done)
{
    dsc_lacking_t lacking;
    long long stored = 0;
    int plain = 0;
    apr_status_t rv;

    if ((rv = dsc_issuers_find(loader, stage, large, &lacking)) != APR_SUCCESS ||
        (rv = dsc_loader_script(loader, "SAVEPOINT trusting")) != APR_SUCCESS ||
        (rv = look_at_staged(loader, stage, large, &lacking, &plain)) != APR_SUCCESS) {
        return rv;
    }
    if (plain) {
        rv = dsc_loader_write(loader, &stage->insert_plain, large, 0, NULL, &stored);
        if (rv != APR_SUCCESS && !is_refused(loader)) {
            return rv;
        }
    }
    *done = plain && rv == APR_SUCCESS;
    if (!*done) {
        loader->error = "";
        rv = dsc_loader_script(loader, "ROLLBACK TO trusting");
    }
    if (rv == APR_SUCCESS) {
        rv = dsc_loader_script(loader, "RELEASE trusting");
    }
    return rv == APR_SUCCESS && *done ? note_plain(loader, stage, large, stored) : rv;
}

apr_status_t dsc_merge_run(dsc_loader_t *loader, dsc_stage_t *stage)
{
    int large = stage->rows >= LARGE_LOAD, done = 0, plain;
    dsc_lacking_t lacking;
    apr_status_t rv;

    if (stage->insert.sql == NULL) {
        dsc_merge_prepare(loader->pool, stage);
    }
    if ((large && (rv = dsc_analyze_staged(loader, stage, "stage_", 1)) != APR_SUCCESS) ||
        (stage->slow_checks &&
         ((rv = merge_trusting(loader, stage, large, &done)) != APR_SUCCESS || done)) ||
        (rv = refuse_rows(loader, stage, large)) != APR_SUCCESS ||
        (rv = dsc_issuers_find(loader, stage, large, &lacking)) != APR_SUCCESS ||
        (rv = look_at_staged(loader, stage, large, &lacking, &plain)) != APR_SUCCESS ||
        (!plain && (rv = dsc_stage_passes(loader, stage)) != APR_SUCCESS)) {
        return rv;
    }
    return plain ? merge_plain(loader, stage, large) : merge_passes(loader, stage, large);
}
