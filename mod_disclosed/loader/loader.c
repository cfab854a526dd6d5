/* A file's life in the loader: begin, records and rejects, commit or abandon. */
#include "loader/loader_internal.h"

#include "engine/interrupt.h"

#include <apr_strings.h>
#include <assert.h>
#include <stdlib.h>

typedef struct {
    const char *sql;
    int count;
    const char *const *parameters;
} dsc_after_t;

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
    loader->connection = connection;
    loader->options = *options;
    while (dsc_datasets[loader->stage_count] != NULL) {
        loader->stage_count++;
    }
    loader->stages = apr_pcalloc(pool, sizeof(*loader->stages) * (size_t)loader->stage_count);
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
    rv = dsc_loader_query(loader, "SELECT provider FROM disclosed.source_provider", 0, NULL,
                          &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    loader->providers = apr_hash_make(loader->pool);
    for (row = 0; row < PQntuples(result); row++) {
        const char *provider = apr_pstrdup(loader->pool, PQgetvalue(result, row, 0));
        apr_hash_set(loader->providers, provider, APR_HASH_KEY_STRING, provider);
    }
    PQclear(result);
    return APR_SUCCESS;
}

static void clear_file(dsc_loader_t *loader)
{
    int i;

    apr_pool_clear(loader->file_pool);
    apr_pool_create(&loader->symbol_pool, loader->file_pool);
    loader->symbols = apr_hash_make(loader->symbol_pool);
    loader->kept = apr_array_make(loader->file_pool, 8, sizeof(dsc_load_reject_t));
    loader->before = apr_array_make(loader->file_pool, 2, sizeof(dsc_after_t));
    loader->after = apr_array_make(loader->file_pool, 2, sizeof(dsc_after_t));
    loader->notes_after = apr_array_make(loader->file_pool, 2, sizeof(dsc_after_t));
    memset(&loader->count, 0, sizeof(loader->count));
    loader->rejects->length = 0;
    loader->source_block->length = 0;
    apr_pool_create(&loader->source_pool, loader->file_pool);
    loader->sources = apr_hash_make(loader->source_pool);
    loader->has_sources = loader->restates = 0;
    loader->order = 0;
    loader->error = "";
    loader->note = NULL;
    loader->holds_listings = 0;
    loader->name_mismatches = 0;
    loader->mismatches_listed = NULL;
    loader->content_hash = NULL;
    for (i = 0; i < loader->stage_count; i++) {
        dsc_stage_t *stage = loader->stages[i];
        if (stage != NULL) {
            stage->rows = 0;
            stage->changed = 0;
        }
        if (stage != NULL && stage->block != NULL) {
            stage->block->length = 0;
        }
    }
}

static apr_status_t add_run(dsc_loader_t *loader)
{
    const char *parameters[2] = {loader->source, loader->file};
    PGresult *result;
    apr_status_t rv;

    rv = dsc_loader_query(loader,
                          "INSERT INTO disclosed.import_run (source, file) VALUES ($1, $2)"
                          " RETURNING import_run_id",
                          2, parameters, &result);
    if (rv == APR_SUCCESS) {
        loader->run = apr_pstrdup(loader->file_pool, PQgetvalue(result, 0, 0));
        PQclear(result);
    }
    return rv;
}

apr_status_t dsc_loader_begin(dsc_loader_t *loader, const char *source, const char *file)
{
    apr_status_t rv;

    clear_file(loader);
    if (dsc_interrupt_is_due()) {
        return dsc_loader_failed(loader, dsc_interrupt_text());
    }
    loader->source = dsc_loader_text(loader->file_pool, source, DSC_SAMPLE_LENGTH);
    loader->file = dsc_loader_text(loader->file_pool, file, 4096);
    if ((rv = dsc_loader_query(loader, "BEGIN", 0, NULL, NULL)) != APR_SUCCESS) {
        return rv;
    }
    loader->open = 1;
    dsc_loader_progress(loader, "reading");
    if ((rv = read_providers(loader)) != APR_SUCCESS) {
        return rv;
    }
    return add_run(loader);
}

void dsc_loader_content_hash(dsc_loader_t *loader, const char *content_hash)
{
    loader->content_hash = apr_pstrdup(loader->file_pool, content_hash);
}

/* -------------------------------------------------- what an importer runs itself */

const char dsc_loader_hash_of_file[] = DSC_HASH_OF_FILE;

static apr_status_t keep_statement(dsc_loader_t *loader, apr_array_header_t *list, const char *sql,
                                   int count, const char *const *parameters)
{
    const char **kept = apr_palloc(loader->file_pool, sizeof(*kept) * ((size_t)count + 1));
    dsc_after_t after;
    int i;

    for (i = 0; i < count; i++) {
        kept[i] = parameters[i] == dsc_loader_hash_of_file
                      ? parameters[i]
                      : apr_pstrdup(loader->file_pool, parameters[i]);
    }
    after.sql = apr_pstrdup(loader->file_pool, sql);
    after.count = count;
    after.parameters = kept;
    APR_ARRAY_PUSH(list, dsc_after_t) = after;
    return APR_SUCCESS;
}

apr_status_t dsc_loader_before_merge(dsc_loader_t *loader, const char *sql, int count,
                                     const char *const *parameters)
{
    return keep_statement(loader, loader->before, sql, count, parameters);
}

apr_status_t dsc_loader_after_merge(dsc_loader_t *loader, const char *sql, int count,
                                    const char *const *parameters)
{
    return keep_statement(loader, loader->after, sql, count, parameters);
}

apr_status_t dsc_loader_note_after(dsc_loader_t *loader, const char *sql, int count,
                                   const char *const *parameters)
{
    return keep_statement(loader, loader->notes_after, sql, count, parameters);
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
    }
}

static apr_status_t flush_all(dsc_loader_t *loader)
{
    apr_status_t rv = dsc_loader_flush_rejects(loader);
    int i;

    if (rv == APR_SUCCESS) {
        rv = dsc_source_send(loader);
    }

    for (i = 0; rv == APR_SUCCESS && i < loader->stage_count; i++) {
        dsc_stage_t *stage = loader->stages[i];
        if (stage != NULL && stage->rows > 0) {
            rv = dsc_loader_copy(loader, stage->copy.sql, stage->block);
        }
    }
    return rv;
}

static apr_status_t merge_all(dsc_loader_t *loader)
{
    apr_status_t rv = APR_SUCCESS;
    int i;

    for (i = 0; rv == APR_SUCCESS && i < loader->stage_count; i++) {
        if (loader->stages[i] != NULL && loader->stages[i]->rows > 0) {
            rv = dsc_merge_run(loader, loader->stages[i]);
        }
    }
    return rv;
}

/* A dataset that an importer's statement says has changed. */
static apr_status_t note_change(dsc_loader_t *loader, const char *name, dsc_stage_t **stage)
{
    const dsc_dataset_t *dataset = dsc_dataset_find(name);
    apr_status_t rv;

    assert(dataset != NULL);
    rv = dsc_stage_of(loader, dataset, stage);
    if (rv == APR_SUCCESS) {
        (*stage)->changed = 1;
    }
    return rv;
}

/* Marks what an importer's statement says that it changed: ten thousand issuers as well as one. */
static apr_status_t touch_returned(dsc_loader_t *loader, PGresult *result)
{
    dsc_buffer_t *block = dsc_buffer_create(loader->file_pool, 1024);
    const char *name = NULL;
    apr_status_t rv = APR_SUCCESS;
    dsc_stage_t *stage = NULL;
    int row;

    for (row = 0; rv == APR_SUCCESS && row < PQntuples(result); row++) {
        assert(PQnfields(result) == 2);
        if (name == NULL || strcmp(name, PQgetvalue(result, row, 0)) != 0) {
            name = PQgetvalue(result, row, 0);
            rv = note_change(loader, name, &stage);
        }
        if (rv == APR_SUCCESS) {
            dsc_buffer_printf(block, "%d\t%s\n", stage->slot, PQgetvalue(result, row, 1));
        }
    }
    return rv == APR_SUCCESS ? dsc_loader_copy(loader, "COPY pg_temp.touched FROM STDIN", block)
                             : rv;
}

/* The parameters, with the file's hash in its place, which is known by now. */
static const char *const *with_hash(const dsc_loader_t *loader, const dsc_after_t *statement)
{
    const char **values =
        apr_palloc(loader->file_pool, sizeof(*values) * ((size_t)statement->count + 1));
    int i;

    for (i = 0; i < statement->count; i++) {
        values[i] = statement->parameters[i] == dsc_loader_hash_of_file ? loader->content_hash
                                                                        : statement->parameters[i];
    }
    return values;
}

static apr_status_t run_statements(dsc_loader_t *loader, const apr_array_header_t *list)
{
    apr_status_t rv = APR_SUCCESS;
    int i;

    for (i = 0; rv == APR_SUCCESS && i < list->nelts; i++) {
        const dsc_after_t *after = &APR_ARRAY_IDX(list, i, dsc_after_t);
        PGresult *result;

        rv = dsc_loader_query(loader, after->sql, after->count, with_hash(loader, after), &result);
        if (rv == APR_SUCCESS) {
            rv = touch_returned(loader, result);
            PQclear(result);
        }
    }
    return rv;
}

/* Datasets whose versions follow from all that was stated. */
static apr_status_t derive_all(dsc_loader_t *loader)
{
    const char *parameters[] = {loader->run, loader->content_hash};
    apr_status_t rv = APR_SUCCESS;
    int i;

    for (i = 0; rv == APR_SUCCESS && i < loader->stage_count; i++) {
        const dsc_stage_t *stage = loader->stages[i];
        PGresult *result;

        if (stage == NULL || stage->rows == 0 || stage->dataset->derive == NULL) {
            continue;
        }
        rv = dsc_loader_query(
            loader,
            apr_psprintf(loader->file_pool,
                         "SELECT dataset, changed_issuer FROM disclosed.%s($1, $2)",
                         stage->dataset->derive),
            DSC_COUNT(parameters), parameters, &result);
        if (rv == APR_SUCCESS) {
            rv = touch_returned(loader, result);
            PQclear(result);
        }
    }
    return rv;
}

static apr_status_t note_settled(dsc_loader_t *loader)
{
    apr_status_t rv = APR_SUCCESS;
    int i, row;

    for (i = 0; rv == APR_SUCCESS && i < loader->notes_after->nelts; i++) {
        const dsc_after_t *after = &APR_ARRAY_IDX(loader->notes_after, i, dsc_after_t);
        PGresult *result;

        rv = dsc_loader_query(loader, after->sql, after->count, with_hash(loader, after), &result);
        for (row = 0; rv == APR_SUCCESS && row < PQntuples(result); row++) {
            if (!PQgetisnull(result, row, 0)) {
                dsc_loader_note(loader, PQgetvalue(result, row, 0));
            }
        }
        if (rv == APR_SUCCESS) {
            PQclear(result);
        }
    }
    return rv;
}

static const char *number_text(apr_pool_t *pool, long long number)
{
    return apr_psprintf(pool, "%" APR_INT64_T_FMT, (apr_int64_t)number);
}

static apr_status_t finish_run(dsc_loader_t *loader, const char *status, const char *message)
{
    const dsc_load_count_t *count = &loader->count;
    apr_pool_t *pool = loader->file_pool;
    const char *parameters[] = {loader->run,
                                status,
                                message,
                                number_text(pool, count->read),
                                number_text(pool, count->stored),
                                number_text(pool, count->unchanged),
                                number_text(pool, count->superseded),
                                number_text(pool, count->rejected)};

    return dsc_loader_query(
        loader,
        "UPDATE disclosed.import_run SET finished_at = clock_timestamp(),"
        " status = $2, message = nullif(concat_ws(E'\\n', message, $3::text), ''), rows_read = $4, stored = $5,"
        " unchanged = $6, superseded = $7, rejected = $8"
        " WHERE import_run_id = $1",
        DSC_COUNT(parameters), parameters, NULL);
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

static apr_status_t merge_and_commit(dsc_loader_t *loader)
{
    apr_status_t rv;

    dsc_loader_progress(loader, "waiting for other loads");
    if ((rv = dsc_lock_written(loader)) != APR_SUCCESS) {
        return rv;
    }
    dsc_loader_progress(loader, "merging");
    if ((rv = dsc_source_keep(loader)) != APR_SUCCESS ||
        (rv = run_statements(loader, loader->before)) != APR_SUCCESS ||
        (rv = merge_all(loader)) != APR_SUCCESS ||
        (rv = dsc_count_analyze(loader)) != APR_SUCCESS) {
        return rv;
    }
    dsc_loader_progress(loader, "deriving");
    if ((rv = derive_all(loader)) != APR_SUCCESS ||
        (rv = run_statements(loader, loader->after)) != APR_SUCCESS ||
        (rv = dsc_settle_run(loader)) != APR_SUCCESS ||
        (rv = dsc_announce_run(loader)) != APR_SUCCESS ||
        (rv = dsc_count_run(loader)) != APR_SUCCESS || (rv = note_settled(loader)) != APR_SUCCESS ||
        (rv = dsc_source_drop_unused(loader)) != APR_SUCCESS ||
        (rv = dsc_loader_flush_rejects(loader)) != APR_SUCCESS) {
        return rv;
    }
    if (loader->options.strict && loader->count.rejected > 0) {
        loader->error =
            apr_psprintf(loader->file_pool,
                         "%" APR_INT64_T_FMT " rows are rejected, and --strict is given",
                         (apr_int64_t)loader->count.rejected);
        return APR_EGENERAL;
    }
    rv = finish_run(loader, "done", loader->note);
    return rv == APR_SUCCESS ? commit(loader) : rv;
}

apr_status_t dsc_loader_commit(dsc_loader_t *loader, dsc_load_count_t *count)
{
    apr_status_t rv = flush_all(loader);
    const char *why;

    dsc_report_name_mismatches(loader);
    if (rv == APR_SUCCESS) {
        rv = merge_and_commit(loader);
    }
    loader->unanalyzed += loader->count.read; /* plans made for empty tables do not do for these */
    if (rv != APR_SUCCESS) {
        why = loader->error;
        (void)dsc_loader_abandon(loader, why, count); /* the first error is the one that counts */
        loader->error = why;
    }
    *count = loader->count;
    return rv;
}

/* The rejects went with the transaction: the kept ones are written again. */
static apr_status_t record_failure(dsc_loader_t *loader, const char *reason)
{
    apr_status_t rv;
    int i;

    if ((rv = dsc_loader_query(loader, "BEGIN", 0, NULL, NULL)) != APR_SUCCESS) {
        return rv;
    }
    loader->open = 1;
    if ((rv = add_run(loader)) != APR_SUCCESS) {
        return rv;
    }
    loader->rejects->length = 0;
    for (i = 0; i < loader->kept->nelts; i++) {
        dsc_loader_append_reject(loader, &APR_ARRAY_IDX(loader->kept, i, dsc_load_reject_t));
    }
    if ((rv = dsc_loader_flush_rejects(loader)) != APR_SUCCESS ||
        (rv = finish_run(loader, "failed", reason)) != APR_SUCCESS) {
        return rv;
    }
    return commit(loader);
}

static void roll_back(dsc_loader_t *loader)
{
    if (loader->open) { /* a lost connection has rolled back by itself */
        dsc_interrupt_hold();
        (void)dsc_run_command(loader->connection, "ROLLBACK");
        dsc_interrupt_release();
        note_end(loader, 0);
    }
}

apr_status_t dsc_loader_abandon(dsc_loader_t *loader, const char *reason, dsc_load_count_t *count)
{
    apr_status_t rv;

    roll_back(loader);
    loader->count.stored = loader->count.unchanged = loader->count.superseded = 0;
    *count = loader->count;
    if (!dsc_connection_is_open(loader->connection)) {
        return DSC_LOADER_DATABASE;
    }
    dsc_interrupt_hold();
    rv = record_failure(loader, dsc_loader_text(loader->file_pool, reason, 4096));
    dsc_interrupt_release();
    if (rv != APR_SUCCESS) {
        roll_back(loader);
    }
    return rv;
}

void dsc_loader_leave(dsc_loader_t *loader)
{
    roll_back(loader);
}
