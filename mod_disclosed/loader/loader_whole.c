/* Files that are the whole of a filing. A damaged copy of a document may have rows that the good
 * one lacks. No row of the good copy replaces them, so they would stay for good. If an importer
 * declares that its file is the whole of a filing, rows that are stored of the filing and not
 * staged are marked as left out: they were in force at no time. A later file that has them again
 * removes the mark. The copy may have named another company or period, so a filing's rows are
 * found by its accession number alone. */
#include "loader/loader_internal.h"

#include "loader/loader_value.h"

#include <apr_strings.h>
#include <stdlib.h>

/* The filings $1 (CIKs) and $2 (accession numbers). */
#define WANTED                                                                                     \
    "(SELECT u.place, u.cik, i.issuer_id, u.accession"                                             \
    " FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS u(cik, accession, place)"           \
    " LEFT JOIN disclosed.issuer i USING (cik) OFFSET 0) w"

static apr_status_t note_whole(dsc_loader_t *loader, const dsc_dataset_t *dataset, const char *cik,
                               const char *accession, int is_of_set)
{
    dsc_whole_t *whole;
    dsc_stage_t *stage;
    apr_status_t rv;

    if (cik == NULL || accession == NULL) {
        return APR_SUCCESS;
    }
    whole = apr_array_push(loader->at->wholes);
    whole->dataset = dataset;
    whole->cik = apr_pstrdup(loader->batch_pool, cik);
    whole->accession = apr_pstrdup(loader->batch_pool, accession);
    whole->is_of_set = is_of_set;
    whole->is_stored = 0;
    if ((rv = dsc_stage_of(loader, dataset, &stage)) == APR_SUCCESS) {
        loader->at->whole_slots |= (uint64_t)1 << stage->slot;
    }
    if (rv == APR_SUCCESS && (dataset->flags & DSC_BY_COMPANY)) {
        dsc_lock_note_company(loader, cik);
    }
    return rv;
}

apr_status_t dsc_loader_whole(dsc_loader_t *loader, const dsc_dataset_t *dataset, const char *cik,
                              const char *accession)
{
    return note_whole(loader, dataset, cik, accession, 0);
}

apr_status_t dsc_loader_whole_of_set(dsc_loader_t *loader, const dsc_dataset_t *dataset,
                                     const char *cik, const char *accession)
{
    return note_whole(loader, dataset, cik, accession, 1);
}

apr_status_t dsc_loader_writes(dsc_loader_t *loader, const dsc_dataset_t *dataset)
{
    dsc_stage_t *stage;
    apr_status_t rv = dsc_stage_of(loader, dataset, &stage);

    if (rv == APR_SUCCESS) {
        loader->at->whole_slots |= (uint64_t)1 << stage->slot;
    }
    return rv;
}

/* Stored rows of the filings whose mark is to change: with which filing, and whether the mark is to
 * be set. Files of other importers are no copies of the document. What is staged is looked up in a
 * hash: joined, each row might be compared with each, as few rows are expected of filings. */
static const char *find_sql(apr_pool_t *pool, const dsc_dataset_t *dataset, const char *staged)
{
    return apr_psprintf(
        pool,
        "SELECT f.place, f.issuer_id, f.row_id, f.is_out FROM (SELECT w.place, t.issuer_id, t.row_id, t.left_out,"
        " ((t.issuer_id, t.record_key) IN (%s)) IS NOT TRUE AS is_out FROM " WANTED
        " CROSS JOIN LATERAL (SELECT t.issuer_id, t.row_id, t.record_key, t.source_id, t.left_out"
        " FROM disclosed.%s t WHERE %s OFFSET 0) t"
        " JOIN disclosed.source o ON o.source_id = t.source_id"
        " JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id AND r.source = $3"
        " OFFSET 0) f WHERE (f.left_out IS TRUE) <> f.is_out",
        staged, dataset->table, dataset->of_filing);
}

/* Which of the filings have rows. Of datasets that are written company by company also whose other
 * rows those of the importer are. */
static const char *look_sql(apr_pool_t *pool, const dsc_dataset_t *dataset)
{
    return dataset->flags & DSC_BY_COMPANY
               ? apr_psprintf(pool,
                              "SELECT w.place, nullif(h.cik, w.cik) FROM " WANTED
                              " CROSS JOIN LATERAL (SELECT DISTINCT i.cik FROM disclosed.%s t"
                              " JOIN disclosed.issuer i ON i.issuer_id = t.issuer_id"
                              " JOIN disclosed.source o ON o.source_id = t.source_id"
                              " JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id"
                              " WHERE r.source = $3 AND %s OFFSET 0) h",
                              dataset->table, dataset->of_filing)
               : apr_psprintf(pool,
                              "SELECT w.place, NULL FROM " WANTED
                              " CROSS JOIN LATERAL (SELECT t.row_id"
                              " FROM disclosed.%s t WHERE %s LIMIT 1) t",
                              dataset->table, dataset->of_filing);
}

static void prepare(apr_pool_t *pool, dsc_stage_t *stage)
{
    const dsc_dataset_t *dataset = stage->dataset;

    stage->look_stored.sql = look_sql(pool, dataset);
    stage->find_left_out.sql = find_sql(
        pool, dataset,
        apr_psprintf(pool, "SELECT " ISSUER_ID ", s.record_key FROM pg_temp.stage_%s s" ISSUER_JOIN,
                     dataset->name));
    stage->find_all_left_out.sql =
        find_sql(pool, dataset, "SELECT NULL::bigint AS issuer_id, NULL AS record_key WHERE false");
}

/* ------------------------------------------------------------------- the round's filings */

/* What files say of one dataset: element k of each list is of filing k. */
typedef struct {
    apr_array_header_t *ciks, *accessions; /* const char * */
    apr_array_header_t *files;             /* dsc_loaded_file_t * */
    apr_array_header_t *wholes;            /* dsc_whole_t * */
} filings_t;

/* Whether no row of the filing was rejected. */
static int is_unharmed(const dsc_loaded_file_t *file, const dsc_whole_t *whole)
{
    return file->count.rejected == (whole->is_of_set ? file->rejected_before : 0);
}

/* Those of a dataset; `stored`: of which rows were stored, and none was rejected. */
static filings_t filings_of(const dsc_loader_t *loader, const dsc_dataset_t *dataset, int stored,
                            int count, dsc_loaded_file_t *const *files)
{
    apr_pool_t *pool = loader->file_pool;
    filings_t found = {apr_array_make(pool, 8, sizeof(const char *)),
                       apr_array_make(pool, 8, sizeof(const char *)),
                       apr_array_make(pool, 8, sizeof(dsc_loaded_file_t *)),
                       apr_array_make(pool, 8, sizeof(dsc_whole_t *))};

    for (int i = 0; i < count; i++) {
        for (int k = 0; k < files[i]->wholes->nelts; k++) {
            dsc_whole_t *whole = &APR_ARRAY_IDX(files[i]->wholes, k, dsc_whole_t);

            if (whole->dataset == dataset &&
                (!stored || (whole->is_stored && is_unharmed(files[i], whole)))) {
                APR_ARRAY_PUSH(found.ciks, const char *) = whole->cik;
                APR_ARRAY_PUSH(found.accessions, const char *) = whole->accession;
                APR_ARRAY_PUSH(found.files, dsc_loaded_file_t *) = files[i];
                APR_ARRAY_PUSH(found.wholes, dsc_whole_t *) = whole;
            }
        }
    }
    return found;
}

static const char *texts_of(apr_pool_t *pool, const apr_array_header_t *texts)
{
    return dsc_texts_literal(pool, texts->nelts, (const char *const *)texts->elts);
}

static apr_status_t look(dsc_loader_t *loader, dsc_stage_t *stage, const filings_t *filings)
{
    const char *parameters[] = {texts_of(loader->file_pool, filings->ciks),
                                texts_of(loader->file_pool, filings->accessions),
                                APR_ARRAY_IDX(filings->files, 0, dsc_loaded_file_t *)->source};
    int count = stage->dataset->flags & DSC_BY_COMPANY ? 3 : 2;
    PGresult *result;
    apr_status_t rv;

    if (stage->look_stored.sql == NULL) {
        prepare(loader->pool, stage);
    }
    rv = dsc_loader_run(loader, &stage->look_stored, 0, count, parameters, &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (int row = 0; row < PQntuples(result); row++) {
        int place = atoi(PQgetvalue(result, row, 0)) - 1;

        APR_ARRAY_IDX(filings->wholes, place, dsc_whole_t *)->is_stored = 1;
        if (rv == APR_SUCCESS && !PQgetisnull(result, row, 1)) {
            rv = dsc_lock_other_company(loader, PQgetvalue(result, row, 1));
        }
    }
    PQclear(result);
    return rv;
}

apr_status_t dsc_whole_look(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < loader->stage_count && rv == APR_SUCCESS; i++) {
        dsc_stage_t *stage = loader->stages[i];

        if (stage != NULL && stage->dataset->of_filing != NULL) {
            filings_t filings = filings_of(loader, stage->dataset, 0, count, files);

            rv = filings.ciks->nelts > 0 ? look(loader, stage, &filings) : APR_SUCCESS;
        }
    }
    return rv;
}

/* ----------------------------------------------------------------- what they leave out */

/* Array literals of the found rows, with which filing each is of. */
static const char *column_of(apr_pool_t *pool, const PGresult *found, int column)
{
    const char **texts = apr_palloc(pool, sizeof(*texts) * (size_t)PQntuples(found));

    for (int row = 0; row < PQntuples(found); row++) {
        texts[row] = PQgetvalue(found, row, column);
    }
    return dsc_texts_literal(pool, PQntuples(found), texts);
}

/* Counts what has changed, and has it reconciled. */
static apr_status_t note_changes(dsc_loader_t *loader, dsc_stage_t *stage, const filings_t *filings,
                                 const PGresult *changes)
{
    dsc_buffer_t *touched = dsc_buffer_create(loader->file_pool, 256);

    for (int row = 0; row < PQntuples(changes); row++) {
        int place = atoi(PQgetvalue(changes, row, 0)) - 1;
        dsc_loaded_file_t *file = APR_ARRAY_IDX(filings->files, place, dsc_loaded_file_t *);
        long long resumed = atoll(PQgetvalue(changes, row, 3));

        file->count.superseded += atoll(PQgetvalue(changes, row, 2));
        file->count.stored += resumed;
        file->count.unchanged -= resumed;
        file->changed = 1;
        dsc_buffer_printf(touched, "%d\t%s\n", stage->slot, PQgetvalue(changes, row, 1));
    }
    stage->changed |= PQntuples(changes) > 0;
    return dsc_loader_copy(loader, "COPY pg_temp.touched FROM STDIN", touched);
}

static apr_status_t mark(dsc_loader_t *loader, dsc_stage_t *stage, const filings_t *filings,
                         const PGresult *found)
{
    static const char sql[] = "SELECT place, changed_issuer, ended, resumed"
                              " FROM disclosed.leave_out($1, $2, $3, $4, $5)";
    apr_pool_t *pool = loader->file_pool;
    const char *parameters[] = {stage->dataset->table, column_of(pool, found, 0),
                                column_of(pool, found, 1), column_of(pool, found, 2),
                                column_of(pool, found, 3)};
    const char *unreconciled[] = {parameters[2], NULL};
    const char **accessions = apr_palloc(pool, sizeof(*accessions) * (size_t)PQntuples(found));
    PGresult *changes;
    apr_status_t rv = dsc_loader_query(loader, sql, DSC_COUNT(parameters), parameters, &changes);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = note_changes(loader, stage, filings, changes);
    PQclear(changes);
    if (rv != APR_SUCCESS || stage->dataset->reconcile_anew == NULL) {
        return rv;
    }
    for (int row = 0; row < PQntuples(found); row++) {
        accessions[row] =
            APR_ARRAY_IDX(filings->accessions, atoi(PQgetvalue(found, row, 0)) - 1, const char *);
    }
    unreconciled[1] = dsc_texts_literal(pool, PQntuples(found), accessions);
    return dsc_loader_query(loader, stage->dataset->reconcile_anew, DSC_COUNT(unreconciled),
                            unreconciled, NULL);
}

static apr_status_t end(dsc_loader_t *loader, dsc_stage_t *stage, const filings_t *filings)
{
    dsc_statement_t *find = stage->rows > 0 ? &stage->find_left_out : &stage->find_all_left_out;
    const char *source = APR_ARRAY_IDX(filings->files, 0, dsc_loaded_file_t *)->source;
    const char *parameters[] = {texts_of(loader->file_pool, filings->ciks),
                                texts_of(loader->file_pool, filings->accessions), source};
    PGresult *found;
    apr_status_t rv = dsc_loader_run(loader, find, stage->rows >= LARGE_LOAD, DSC_COUNT(parameters),
                                     parameters, &found);

    if (rv == APR_SUCCESS) {
        rv = PQntuples(found) > 0 ? mark(loader, stage, filings, found) : APR_SUCCESS;
        PQclear(found);
    }
    return rv;
}

apr_status_t dsc_whole_end(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files)
{
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < loader->stage_count && rv == APR_SUCCESS; i++) {
        dsc_stage_t *stage = loader->stages[i];

        if (stage != NULL && stage->dataset->of_filing != NULL) {
            filings_t filings = filings_of(loader, stage->dataset, 1, count, files);

            rv = filings.ciks->nelts > 0 ? end(loader, stage, &filings) : APR_SUCCESS;
        }
    }
    return rv;
}
