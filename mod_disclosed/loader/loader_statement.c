/* Statements of importers: handed over while a file is read, and run with the merge of its rows. */
#include "loader/loader_internal.h"

#include "loader/loader_value.h"

#include <apr_strings.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char dsc_loader_hash_of_file[] = DSC_HASH_OF_FILE;
const char dsc_loader_run_of_file[] = "run";
const char dsc_loader_all_merged[] = "all merged";

/* ----------------------------------------------------------------------- handed over */

static apr_status_t keep_statement(dsc_loader_t *loader, apr_array_header_t *list, const char *sql,
                                   int count, const char *const *parameters)
{
    const char **kept = apr_palloc(loader->batch_pool, sizeof(*kept) * ((size_t)count + 1));
    dsc_after_t after = {0};
    int i;

    for (i = 0; i < count; i++) {
        kept[i] = parameters[i] == dsc_loader_hash_of_file ||
                          parameters[i] == dsc_loader_run_of_file ||
                          parameters[i] == dsc_loader_all_merged
                      ? parameters[i]
                      : apr_pstrdup(loader->batch_pool, parameters[i]);
    }
    after.sql = apr_pstrdup(loader->batch_pool, sql);
    after.count = count;
    after.parameters = kept;
    APR_ARRAY_PUSH(list, dsc_after_t) = after;
    return APR_SUCCESS;
}

apr_status_t dsc_loader_before_merge(dsc_loader_t *loader, const char *sql, int count,
                                     const char *const *parameters)
{
    return keep_statement(loader, loader->at->before, sql, count, parameters);
}

apr_status_t dsc_loader_before_merge_once(dsc_loader_t *loader, const char *sql)
{
    apr_array_header_t *before = loader->at->before;
    apr_status_t rv = keep_statement(loader, before, sql, 0, NULL);

    APR_ARRAY_IDX(before, before->nelts - 1, dsc_after_t).once = 1;
    return rv;
}

apr_status_t dsc_loader_before_merge_of_companies(dsc_loader_t *loader, const char *sql)
{
    apr_array_header_t *before = loader->at->before;
    apr_status_t rv = dsc_loader_before_merge_once(loader, sql);

    APR_ARRAY_IDX(before, before->nelts - 1, dsc_after_t).of_companies = 1;
    return rv;
}

apr_status_t dsc_loader_after_merge(dsc_loader_t *loader, const char *sql, int count,
                                    const char *const *parameters)
{
    return keep_statement(loader, loader->at->after, sql, count, parameters);
}

apr_status_t dsc_loader_after_together(dsc_loader_t *loader, const char *sql, int count,
                                       const char *const *parameters)
{
    return keep_statement(loader, loader->at->together, sql, count, parameters);
}

apr_status_t dsc_loader_note_after(dsc_loader_t *loader, const char *sql, int count,
                                   const char *const *parameters)
{
    return keep_statement(loader, loader->at->notes_after, sql, count, parameters);
}

/* ------------------------------------------------------------------------------- run */

const char *const *dsc_statement_parameters(const dsc_loader_t *loader,
                                            const dsc_loaded_file_t *file,
                                            const dsc_after_t *statement)
{
    const char **values =
        apr_palloc(loader->file_pool, sizeof(*values) * ((size_t)statement->count + 1));
    int i;

    for (i = 0; i < statement->count; i++) {
        const char *given = statement->parameters[i];

        values[i] = given == dsc_loader_hash_of_file  ? file->content_hash
                    : given == dsc_loader_run_of_file ? file->run
                    : given == dsc_loader_all_merged
                        ? (file->count.rejected == file->rejected_before ? "t" : "f")
                        : given;
    }
    return values;
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
apr_status_t dsc_statement_touches(dsc_loader_t *loader, PGresult *result)
{
    dsc_buffer_t *block = dsc_buffer_create(loader->file_pool, 1024);
    const char *name = NULL;
    apr_status_t rv = APR_SUCCESS;
    dsc_stage_t *stage = NULL;
    int row;

    for (row = 0; rv == APR_SUCCESS && row < PQntuples(result); row++) {
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

/* Versions that a statement has ended, or that hold again because of it, as the file's rows say. */
static void count_changes(dsc_loaded_file_t *file, const PGresult *result)
{
    int row;

    for (row = 0; PQnfields(result) > 2 && row < PQntuples(result); row++) {
        long long resumed = atoll(PQgetvalue(result, row, 3));

        file->count.superseded += atoll(PQgetvalue(result, row, 2));
        file->count.stored += resumed;
        file->count.unchanged -= resumed;
    }
}

static apr_status_t run_statement(dsc_loader_t *loader, dsc_loaded_file_t *file,
                                  const dsc_after_t *statement)
{
    PGresult *result;
    apr_status_t rv = dsc_loader_repeat(loader, statement->sql, statement->count,
                                        dsc_statement_parameters(loader, file, statement), &result);

    if (rv == APR_SUCCESS) {
        file->changed |= PQntuples(result) > 0;
        count_changes(file, result);
        rv = dsc_statement_touches(loader, result);
        PQclear(result);
    }
    return rv;
}

static apr_status_t run_statements(dsc_loader_t *loader, dsc_loaded_file_t *file,
                                   const apr_array_header_t *list)
{
    apr_status_t rv = APR_SUCCESS;
    int i;

    for (i = 0; rv == APR_SUCCESS && i < list->nelts; i++) {
        rv = run_statement(loader, file, &APR_ARRAY_IDX(list, i, dsc_after_t));
    }
    return rv;
}

/* Whether one of the first files has handed over the same, to be run once. */
static int has_run(dsc_loaded_file_t *const *files, int count, const dsc_after_t *statement)
{
    int i, k;

    for (i = 0; statement->once && i < count; i++) {
        for (k = 0; k < files[i]->before->nelts; k++) {
            const dsc_after_t *before = &APR_ARRAY_IDX(files[i]->before, k, dsc_after_t);

            if (before->once && strcmp(before->sql, statement->sql) == 0) {
                return 1;
            }
        }
    }
    return 0;
}

apr_status_t dsc_statements_before(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files)
{
    apr_status_t rv = APR_SUCCESS;
    int i, k;

    for (i = 0; i < count; i++) {
        for (k = 0; rv == APR_SUCCESS && k < files[i]->before->nelts; k++) {
            const dsc_after_t *statement = &APR_ARRAY_IDX(files[i]->before, k, dsc_after_t);

            rv = has_run(files, i, statement) ? APR_SUCCESS
                                              : run_statement(loader, files[i], statement);
        }
    }
    return rv;
}

static const dsc_after_t *find_statement(const dsc_loaded_file_t *file, const char *sql)
{
    int i;

    for (i = 0; i < file->together->nelts; i++) {
        const dsc_after_t *statement = &APR_ARRAY_IDX(file->together, i, dsc_after_t);

        if (strcmp(statement->sql, sql) == 0) {
            return statement;
        }
    }
    return NULL;
}

/* Runs a statement for those of the files that have handed it over. */
static apr_status_t run_for_all(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files,
                                const dsc_after_t *statement)
{
    apr_pool_t *pool = loader->file_pool;
    const char **parameters =
        apr_palloc(pool, sizeof(*parameters) * ((size_t)statement->count + 1));
    const char *const *values[DSC_MOST_FILES];
    const char *texts[DSC_MOST_FILES];
    dsc_loaded_file_t *found[DSC_MOST_FILES];
    PGresult *result;
    apr_status_t rv;
    int i, column, many = 0;

    for (i = 0; i < count; i++) {
        const dsc_after_t *own = find_statement(files[i], statement->sql);

        if (own != NULL) {
            values[many] = dsc_statement_parameters(loader, files[i], own);
            found[many++] = files[i];
        }
    }
    for (column = 0; column < statement->count; column++) {
        for (i = 0; i < many; i++) {
            texts[i] = values[i][column];
        }
        parameters[column] = dsc_texts_literal(pool, many, texts);
    }
    if ((rv = dsc_loader_repeat(loader, statement->sql, statement->count, parameters, &result)) !=
        APR_SUCCESS) {
        return rv;
    }
    for (i = 0; i < PQntuples(result); i++) {
        found[atoi(PQgetvalue(result, i, 2)) - 1]->changed = 1;
    }
    rv = dsc_statement_touches(loader, result);
    PQclear(result);
    return rv;
}

/* Each of the statements that files of the round have in common, in the order in which they were
 * handed over first. */
static apr_status_t run_together(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files)
{
    apr_status_t rv = APR_SUCCESS;
    int i, k, before;

    for (i = 0; i < count; i++) {
        for (k = 0; rv == APR_SUCCESS && k < files[i]->together->nelts; k++) {
            const dsc_after_t *statement = &APR_ARRAY_IDX(files[i]->together, k, dsc_after_t);

            for (before = 0; before < i; before++) {
                if (find_statement(files[before], statement->sql) != NULL) {
                    break;
                }
            }
            rv = before == i ? run_for_all(loader, count, files, statement) : rv;
        }
    }
    return rv;
}

apr_status_t dsc_statements_after(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files)
{
    apr_status_t rv = APR_SUCCESS;
    int i;

    for (i = 0; rv == APR_SUCCESS && i < count; i++) {
        rv = run_statements(loader, files[i], files[i]->after);
    }
    return rv == APR_SUCCESS ? run_together(loader, count, files) : rv;
}
