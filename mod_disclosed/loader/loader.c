/* The life of files in the loader, begun, read, complete or given up, and of the transaction that
 * holds them. */
#include "loader/loader_internal.h"

#include "engine/interrupt.h"
#include "engine/outage.h"
#include "loader/loader_value.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* A transaction ends after so many rows or so much time; DSC_MOST_FILES bounds its files. */
    MOST_ROWS = 20000,
    MOST_SECONDS = 2
};

/* ------------------------------------------------------------------------- making */

static apr_status_t free_digest(void *context)
{
    EVP_MD_CTX_free(context);
    return APR_SUCCESS;
}

dsc_loader_t *dsc_loader_create(apr_pool_t *pool, dsc_connection_t *connection,
                                const dsc_load_options_t *options)
{
    dsc_loader_t *loader = apr_pcalloc(pool, sizeof(*loader));

    loader->pool = pool;
    apr_pool_create(&loader->file_pool, pool);
    apr_pool_create(&loader->batch_pool, pool);
    loader->connection = connection;
    loader->options = *options;
    while (dsc_datasets[loader->stage_count] != NULL) {
        loader->stage_count++;
    }
    loader->stages = apr_pcalloc(pool, sizeof(*loader->stages) * (size_t)loader->stage_count);
    loader->repeated = apr_hash_make(pool);
    loader->rejects = dsc_buffer_create(pool, 1024);
    loader->source_block = dsc_buffer_create(pool, 1024);
    loader->source_text = dsc_buffer_create(pool, 256);
    loader->sha256 = EVP_MD_CTX_new();
    if (loader->sha256 == NULL || EVP_DigestInit_ex(loader->sha256, EVP_sha256(), NULL) != 1) {
        abort(); /* no memory */
    }
    apr_pool_cleanup_register(pool, loader->sha256, free_digest, apr_pool_cleanup_null);
    loader->error = "";
    return loader;
}

const dsc_load_options_t *dsc_loader_options(const dsc_loader_t *loader)
{
    return &loader->options;
}

apr_pool_t *dsc_loader_file_pool(dsc_loader_t *loader)
{
    return loader->file_pool;
}

const char *dsc_loader_error(const dsc_loader_t *loader)
{
    return loader->error;
}

const char **dsc_load_values(apr_pool_t *pool, const dsc_dataset_t *dataset)
{
    return apr_pcalloc(pool, sizeof(const char *) * (size_t)dataset->column_count);
}

void dsc_load_set(const dsc_dataset_t *dataset, const char **values, const char *column,
                  const char *text)
{
    int i;

    for (i = 0; i < dataset->column_count; i++) {
        if (strcmp(dataset->columns[i].name, column) == 0) {
            values[i] = text;
            return;
        }
    }
    fprintf(stderr, "disclosedctl: dataset %s has no column %s\n", dataset->name, column);
    abort();
}

/* ---------------------------------------------------------------------- beginning */

static apr_status_t read_providers(dsc_loader_t *loader)
{
    PGresult *result;
    apr_status_t rv;
    int row;

    if (loader->providers != NULL) {
        return APR_SUCCESS;
    }
    rv = dsc_loader_repeat(loader, "SELECT provider FROM disclosed.source_provider", 0, NULL,
                           &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    loader->providers = apr_hash_make(loader->batch_pool);
    for (row = 0; row < PQntuples(result); row++) {
        const char *provider = apr_pstrdup(loader->batch_pool, PQgetvalue(result, row, 0));
        apr_hash_set(loader->providers, provider, APR_HASH_KEY_STRING, provider);
    }
    PQclear(result);
    return APR_SUCCESS;
}

static void clear_batch(dsc_loader_t *loader)
{
    int i, level;

    apr_pool_clear(loader->batch_pool);
    loader->files = apr_array_make(loader->batch_pool, 8, sizeof(dsc_loaded_file_t *));
    loader->at = NULL;
    loader->merged = loader->reading = 0;
    loader->providers = NULL;
    loader->met = apr_hash_make(loader->batch_pool);
    loader->began = dsc_monotonic_now();
    loader->rejects->length = 0;
    loader->source_block->length = 0;
    loader->unclean_sources = 0;
    loader->holds_listings = loader->locked_listings = 0;
    loader->issuers = DSC_NOT_HELD;
    loader->locked = loader->shared = 0;
    loader->known_companies = apr_hash_make(loader->batch_pool);
    loader->companies = apr_array_make(loader->batch_pool, 8, sizeof(const char *));
    loader->companies_locked = loader->of_others = 0;
    for (i = 0; i < loader->stage_count; i++) {
        dsc_stage_t *stage = loader->stages[i];

        if (stage != NULL) {
            stage->rows = 0;
            stage->staged = stage->unclean = stage->changed = 0;
            memset(stage->of_file, 0, sizeof(stage->of_file));
        }
        for (level = 0; stage != NULL && level < DSC_MOST_LEVELS; level++) {
            if (stage->blocks[level] != NULL) {
                stage->blocks[level]->length = 0;
            }
        }
    }
}

static void clear_file(dsc_loader_t *loader)
{
    int i;

    apr_pool_clear(loader->file_pool);
    apr_pool_create(&loader->symbol_pool, loader->file_pool);
    loader->symbols = apr_hash_make(loader->symbol_pool);
    apr_pool_create(&loader->source_pool, loader->file_pool);
    loader->sources = apr_hash_make(loader->source_pool);
    loader->kept_sources = loader->source_block->length;
    loader->kept_rejects = loader->rejects->length;
    loader->error = "";
    loader->is_passing = 0;
    for (i = 0; i < loader->stage_count; i++) {
        if (loader->stages[i] != NULL) {
            dsc_stage_begin_file(loader->stages[i], loader->files->nelts);
        }
    }
}

static void add_file(dsc_loader_t *loader, const char *source, const char *name, int joins)
{
    apr_pool_t *pool = loader->batch_pool;
    dsc_loaded_file_t *file = apr_pcalloc(pool, sizeof(*file));

    file->number = loader->files->nelts;
    file->source = dsc_loader_text(pool, source, DSC_SAMPLE_LENGTH);
    file->file = dsc_loader_text(pool, name, 4096);
    file->kept = apr_array_make(pool, 2, sizeof(dsc_load_reject_t));
    file->before = apr_array_make(pool, 2, sizeof(dsc_after_t));
    file->after = apr_array_make(pool, 2, sizeof(dsc_after_t));
    file->together = apr_array_make(pool, 1, sizeof(dsc_after_t));
    file->wholes = apr_array_make(pool, 2, sizeof(dsc_whole_t));
    file->notes_after = apr_array_make(pool, 2, sizeof(dsc_after_t));
    file->words = apr_array_make(pool, joins ? 16 : 1, sizeof(const char *));
    file->is_alone = !joins;
    APR_ARRAY_PUSH(loader->files, dsc_loaded_file_t *) = file;
    loader->at = file;
    loader->reading = 1;
}

static apr_status_t add_run(dsc_loader_t *loader)
{
    const char *parameters[2] = {loader->at->source, loader->at->file};
    PGresult *result;
    apr_status_t rv;

    rv = dsc_loader_repeat(loader,
                           "INSERT INTO disclosed.import_run (source, file) VALUES ($1, $2)"
                           " RETURNING import_run_id",
                           2, parameters, &result);
    if (rv == APR_SUCCESS) {
        loader->at->run = apr_pstrdup(loader->batch_pool, PQgetvalue(result, 0, 0));
        PQclear(result);
    }
    return rv;
}

static apr_status_t open_transaction(dsc_loader_t *loader)
{
    apr_status_t rv = APR_SUCCESS;

    if (!loader->open) {
        rv = dsc_loader_query(loader, "BEGIN", 0, NULL, NULL);
        loader->open = rv == APR_SUCCESS;
    }
    return rv;
}

apr_status_t dsc_loader_begin(dsc_loader_t *loader, const char *source, const char *file, int joins)
{
    apr_status_t rv;

    if (!loader->open) {
        clear_batch(loader);
    }
    clear_file(loader);
    add_file(loader, source, file, joins);
    if (dsc_interrupt_is_due()) {
        return dsc_loader_failed(loader, dsc_interrupt_text());
    }
    if ((rv = open_transaction(loader)) != APR_SUCCESS) {
        return rv;
    }
    dsc_loader_progress(loader, "reading");
    if ((rv = read_providers(loader)) != APR_SUCCESS) {
        return rv;
    }
    return add_run(loader);
}

void dsc_loader_content_hash(dsc_loader_t *loader, const char *content_hash)
{
    loader->at->content_hash = apr_pstrdup(loader->batch_pool, content_hash);
}

apr_status_t dsc_loader_meets(dsc_loader_t *loader, const char *word)
{
    return word == NULL ? APR_SUCCESS : dsc_round_meet(loader, word);
}

apr_status_t dsc_loader_alone(dsc_loader_t *loader)
{
    return dsc_round_alone(loader);
}

/* ------------------------------------------------------------------------- ending */

/* Temporary tables made in a transaction that is rolled back are gone with it. */
static void note_end(dsc_loader_t *loader, int committed)
{
    int i;

    loader->open = 0;
    if (loader->common_made_here) {
        loader->common_ready = committed;
        loader->common_made_here = 0;
    }
    for (i = 0; i < loader->stage_count; i++) {
        dsc_stage_t *stage = loader->stages[i];
        if (stage != NULL && stage->made_here) {
            stage->ready = committed;
            stage->made_here = 0;
        }
        if (stage != NULL && stage->passes_made_here) {
            stage->passes_ready = committed;
            stage->passes_made_here = 0;
        }
    }
}

void dsc_loader_on_complete(dsc_loader_t *loader, dsc_loader_complete_t complete, void *baton)
{
    loader->complete = complete;
    loader->complete_baton = baton;
}

apr_status_t dsc_loader_end(dsc_loader_t *loader)
{
    apr_status_t rv;
    long long rows = 0;
    int i;

    if (loader->complete != NULL &&
        (rv = loader->complete(loader->complete_baton, loader, loader->at->file)) != APR_SUCCESS) {
        return rv;
    }
    dsc_report_name_mismatches(loader);
    loader->reading = 0;
    for (i = loader->merged; i < loader->files->nelts; i++) {
        rows += APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *)->rows;
    }
    return loader->at->is_alone || rows >= LARGE_LOAD ? dsc_round_end(loader) : APR_SUCCESS;
}

int dsc_loader_is_full(const dsc_loader_t *loader)
{
    long long rows = 0;
    int i;

    for (i = 0; i < loader->files->nelts; i++) {
        rows += APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *)->count.read;
    }
    return rows >= MOST_ROWS || loader->files->nelts == DSC_MOST_FILES ||
           dsc_lock_is_full(loader) ||
           dsc_monotonic_now() - loader->began >= apr_time_from_sec(MOST_SECONDS);
}

static apr_status_t note_reconciled(dsc_loader_t *loader, dsc_loaded_file_t *file)
{
    apr_status_t rv = APR_SUCCESS;
    int i, row;

    for (i = 0; rv == APR_SUCCESS && i < file->notes_after->nelts; i++) {
        const dsc_after_t *after = &APR_ARRAY_IDX(file->notes_after, i, dsc_after_t);
        PGresult *result;

        rv = dsc_loader_repeat(loader, after->sql, after->count,
                               dsc_statement_parameters(loader, file, after), &result);
        for (row = 0; rv == APR_SUCCESS && row < PQntuples(result); row++) {
            if (!PQgetisnull(result, row, 0)) {
                dsc_loader_note_of(loader, file, PQgetvalue(result, row, 0));
            }
        }
        if (rv == APR_SUCCESS) {
            PQclear(result);
        }
    }
    return rv;
}

/* Array literals of what became of the files. */
static void describe_runs(dsc_loader_t *loader, const char *parameters[8])
{
    apr_pool_t *pool = loader->batch_pool;
    const char *texts[8][DSC_MOST_FILES];
    int i, column, count = loader->files->nelts;

    for (i = 0; i < count; i++) {
        const dsc_loaded_file_t *file = APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *);
        const long long numbers[] = {file->count.read, file->count.stored, file->count.unchanged,
                                     file->count.superseded, file->count.rejected};

        texts[0][i] = file->run;
        texts[1][i] = file->failure != NULL ? "failed" : "done";
        texts[2][i] = file->failure != NULL ? file->failure : file->note != NULL ? file->note : "";
        for (column = 0; column < DSC_COUNT(numbers); column++) {
            texts[3 + column][i] =
                apr_psprintf(pool, "%" APR_INT64_T_FMT, (apr_int64_t)numbers[column]);
        }
    }
    for (column = 0; column < 8; column++) {
        parameters[column] = dsc_texts_literal(pool, count, texts[column]);
    }
}

static apr_status_t finish_runs(dsc_loader_t *loader)
{
    const char *parameters[8];
    long long rows = 0;

    describe_runs(loader, parameters);
    loader->finish_runs.sql =
        "UPDATE disclosed.import_run r SET finished_at = clock_timestamp(), status = f.status,"
        " message = nullif(concat_ws(E'\\n', r.message, nullif(f.message, '')), ''),"
        " rows_read = f.read, stored = f.stored, unchanged = f.unchanged,"
        " superseded = f.superseded, rejected = f.rejected"
        " FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[],"
        " $6::bigint[], $7::bigint[], $8::bigint[])"
        " AS f(run, status, message, read, stored, unchanged, superseded, rejected)"
        " WHERE r.import_run_id = f.run";
    return dsc_loader_write(loader, &loader->finish_runs, 0, DSC_COUNT(parameters), parameters,
                            &rows);
}

/* A COMMIT of a transaction that has failed succeeds as a ROLLBACK. */
static apr_status_t commit(dsc_loader_t *loader)
{
    PGresult *result;
    apr_status_t rv = dsc_loader_query(loader, "COMMIT", 0, NULL, &result);
    int committed;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    committed = strcmp(PQcmdStatus(result), "COMMIT") == 0;
    PQclear(result);
    note_end(loader, committed);
    return committed ? APR_SUCCESS : dsc_loader_failed(loader, "the transaction was rolled back");
}

static apr_status_t reconcile(dsc_loader_t *loader)
{
    apr_status_t rv;
    int i;

    if ((rv = dsc_reconcile_run(loader)) != APR_SUCCESS ||
        (rv = dsc_lock_end(loader)) != APR_SUCCESS ||
        (rv = dsc_announce_run(loader)) != APR_SUCCESS ||
        (rv = dsc_count_run(loader)) != APR_SUCCESS) {
        return rv;
    }
    for (i = 0; rv == APR_SUCCESS && i < loader->files->nelts; i++) {
        dsc_loaded_file_t *file = APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *);

        rv = file->failure == NULL ? note_reconciled(loader, file) : APR_SUCCESS;
    }
    return rv;
}

/* Only of a file that is alone in its transaction: see dsc_loader_begin(). */
static apr_status_t refuse_rejects(dsc_loader_t *loader)
{
    long long rejected = loader->at->count.rejected;

    if (!loader->options.strict || rejected == 0) {
        return APR_SUCCESS;
    }
    loader->error = apr_psprintf(loader->file_pool,
                                 "%" APR_INT64_T_FMT " rows are rejected, and --strict is given",
                                 (apr_int64_t)rejected);
    return APR_EGENERAL;
}

apr_status_t dsc_loader_commit(dsc_loader_t *loader)
{
    apr_status_t rv;
    int i;

    if ((rv = dsc_round_end(loader)) == APR_SUCCESS && (rv = reconcile(loader)) == APR_SUCCESS &&
        (rv = dsc_loader_flush_rejects(loader)) == APR_SUCCESS &&
        (rv = refuse_rejects(loader)) == APR_SUCCESS && (rv = finish_runs(loader)) == APR_SUCCESS) {
        rv = commit(loader);
    }
    for (i = 0; i < loader->files->nelts; i++) { /* plans made for empty tables do not do */
        loader->unanalyzed += APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *)->count.read;
    }
    return rv;
}

/* -------------------------------------------------------------------------- giving up */

/* Writes the kept rejects of the file at hand again. */
static void append_kept(dsc_loader_t *loader)
{
    const dsc_loaded_file_t *file = loader->at;
    int i;

    for (i = 0; i < file->kept->nelts; i++) {
        dsc_loader_append_reject(loader, file, &APR_ARRAY_IDX(file->kept, i, dsc_load_reject_t));
    }
}

static void note_failure(dsc_loader_t *loader, const char *reason)
{
    dsc_load_count_t *count = &loader->at->count;

    loader->at->failure = dsc_loader_text(loader->batch_pool, reason, 4096);
    count->stored = count->unchanged = count->superseded = 0;
    loader->reading = 0;
}

apr_status_t dsc_loader_fail(dsc_loader_t *loader, const char *reason)
{
    apr_status_t rv = dsc_round_forget(loader);

    if (rv == APR_SUCCESS) {
        append_kept(loader);
        note_failure(loader, reason);
    }
    return rv;
}

void dsc_loader_roll_back(dsc_loader_t *loader)
{
    if (loader->open) { /* a lost connection has rolled back by itself */
        dsc_interrupt_hold();
        (void)dsc_run_command(loader->connection, "ROLLBACK");
        dsc_interrupt_release();
        note_end(loader, 0);
    }
}

/* The file's run and its rejects went with the transaction. */
static apr_status_t record_failure(dsc_loader_t *loader)
{
    apr_status_t rv;

    if ((rv = open_transaction(loader)) != APR_SUCCESS || (rv = add_run(loader)) != APR_SUCCESS) {
        return rv;
    }
    loader->rejects->length = 0;
    append_kept(loader);
    loader->files->nelts = 0;
    APR_ARRAY_PUSH(loader->files, dsc_loaded_file_t *) = loader->at;
    if ((rv = dsc_loader_flush_rejects(loader)) != APR_SUCCESS ||
        (rv = finish_runs(loader)) != APR_SUCCESS) {
        return rv;
    }
    return commit(loader);
}

apr_status_t dsc_loader_abandon(dsc_loader_t *loader, const char *reason)
{
    apr_status_t rv;

    dsc_loader_roll_back(loader);
    note_failure(loader, reason);
    if (!dsc_connection_is_open(loader->connection)) {
        return DSC_LOADER_DATABASE;
    }
    dsc_interrupt_hold();
    rv = record_failure(loader);
    dsc_interrupt_release();
    if (rv != APR_SUCCESS) {
        dsc_loader_roll_back(loader);
    }
    return rv;
}

apr_status_t dsc_loader_leave(dsc_loader_t *loader)
{
    apr_status_t rv;

    loader->reading = 0;
    if (loader->files->nelts == 1) {
        dsc_loader_roll_back(loader);
        return APR_SUCCESS;
    }
    rv = dsc_round_forget(loader);
    if (rv == APR_SUCCESS) {
        rv = dsc_loader_query(loader, "DELETE FROM disclosed.import_run WHERE import_run_id = $1",
                              1, &loader->at->run, NULL);
    }
    apr_array_pop(loader->files);
    loader->at = APR_ARRAY_IDX(loader->files, loader->files->nelts - 1, dsc_loaded_file_t *);
    return rv;
}

const dsc_load_count_t *dsc_loader_count(const dsc_loader_t *loader)
{
    return &loader->at->count;
}

int dsc_loader_files(const dsc_loader_t *loader)
{
    return loader->files == NULL ? 0 : loader->files->nelts;
}
