/* The sources of the file's records: each source is sent once and has a number, which its rows
 * name. */
#include "loader/loader_internal.h"

#include <apr_strings.h>
#include <string.h>

enum {
    MOST_REMEMBERED = 10000,
    FIRST_NUMBERS = 64,
    MOST_NUMBERS = DSC_COUNT(((dsc_source_numbers_t *)NULL)->texts)
};

static const char copy_sql[] = "COPY pg_temp.staged_source FROM STDIN";

apr_status_t dsc_source_make_table(dsc_loader_t *loader)
{
    loader->next_sources.sql =
        "SELECT nextval('disclosed.source_id') FROM generate_series(1, $1::integer)";
    loader->keep_sources.sql =
        "INSERT INTO disclosed.source (source_id, source_key, provider, by_filing, url, content_hash,"
        " extracted_at, import_run_id)"
        " SELECT s.source_id, disclosed.source_key(s.provider, s.by_filing, s.url, h.hash,"
        " h.extracted_at, f.run), s.provider, s.by_filing, s.url, h.hash, h.extracted_at,"
        " f.run FROM pg_temp.staged_source s"
        " JOIN unnest($1::integer[], $2::bigint[], $3::text[]) AS f(file, run, hash) USING (file)"
        " CROSS JOIN LATERAL (SELECT decode(substr("
        "CASE s.content_hash WHEN '" DSC_HASH_OF_FILE "' THEN f.hash ELSE s.content_hash END, 8),"
        " 'hex') AS hash, coalesce(s.extracted_at, now()) AS extracted_at) h";
    loader->drop_sources.sql = "DELETE FROM disclosed.source s USING pg_temp.staged_source f"
                               " WHERE s.source_id = f.source_id AND f.file = ANY ($1::integer[])";
    loader->empty_sources.sql = "DELETE FROM pg_temp.staged_source";
    return dsc_loader_query(loader,
                            "CREATE TEMP TABLE staged_source (source_id integer, file integer,"
                            " provider text, by_filing boolean, url text, content_hash text,"
                            " extracted_at timestamptz) ON COMMIT DELETE ROWS",
                            0, NULL, NULL);
}

/* ------------------------------------------------------------------------ numbers */

/* Numbers that a file does not need are the next one's. */
static apr_status_t take_numbers(dsc_loader_t *loader)
{
    dsc_source_numbers_t *numbers = &loader->source_numbers;
    int wanted = numbers->next == 0 ? FIRST_NUMBERS : numbers->next;
    const char *parameter = apr_itoa(loader->file_pool, wanted);
    PGresult *result;
    apr_status_t rv = dsc_loader_run(loader, &loader->next_sources, 0, 1, &parameter, &result);
    int row;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (row = PQntuples(result) - 1; row >= 0; row--) {
        apr_cpystrn(numbers->texts[numbers->left++], PQgetvalue(result, row, 0),
                    sizeof(numbers->texts[0]));
    }
    PQclear(result);
    numbers->next = wanted < MOST_NUMBERS ? 2 * wanted : wanted;
    return numbers->left > 0 ? APR_SUCCESS
                             : dsc_loader_failed(loader, "the database has no number for a source");
}

/* ----------------------------------------------------------------------- addresses */

/* How long the beginning of a filing's address is before "<CIK>/<folder>/<document>", as
 * disclosed.filing_address() puts it together; 0: it is another address. */
static size_t filing_head(const dsc_stage_t *stage, const dsc_load_record_t *record,
                          const char *cik)
{
    const dsc_load_provenance_t *from = &record->provenance;
    const char *document = stage->document < 0 ? NULL : record->values[stage->document];
    char tail[256];
    size_t length, whole;

    if (!(stage->dataset->flags & DSC_OF_FILINGS) || from->url == NULL || from->accession == NULL ||
        cik == NULL) {
        return 0;
    }
    length = (size_t)apr_snprintf(tail, sizeof(tail), "/%s/%.10s%.2s%.6s/%s%s", cik,
                                  from->accession, from->accession + 11, from->accession + 14,
                                  document != NULL ? document : from->accession,
                                  document != NULL ? "" : "-index.htm");
    whole = strlen(from->url);
    return length + 1 < sizeof(tail) && whole > length &&
                   strcmp(from->url + whole - length, tail) == 0
               ? whole - length + 1
               : 0;
}

/* ------------------------------------------------------------------------- sources */

static void append_source(dsc_loader_t *loader, const char *number,
                          const dsc_load_provenance_t *from, const char *url, int by_filing)
{
    dsc_buffer_t *block = loader->source_block;

    dsc_buffer_printf(block, "%s\t%d\t", number, loader->at->number);
    dsc_copy_field(block, from->provider);
    dsc_buffer_append_text(block, by_filing ? "\tt\t" : "\tf\t");
    dsc_copy_field(block, url);
    dsc_buffer_append_char(block, '\t');
    dsc_copy_field(block, from->content_hash == NULL ? DSC_HASH_OF_FILE : from->content_hash);
    dsc_buffer_append_char(block, '\t');
    dsc_copy_field(block, from->extracted_at);
    dsc_buffer_append_char(block, '\n');
}

apr_status_t dsc_source_send(dsc_loader_t *loader)
{
    apr_status_t rv = APR_SUCCESS;
    long long rows = 0;

    if (loader->unclean_sources) {
        rv = dsc_loader_write(loader, &loader->empty_sources, 0, 0, NULL, &rows);
        loader->unclean_sources = 0;
    }
    return rv == APR_SUCCESS ? dsc_loader_copy(loader, copy_sql, loader->source_block) : rv;
}

/* A number for a source that has none. What is remembered does not grow with the file. */
static apr_status_t number_source(dsc_loader_t *loader, const dsc_load_provenance_t *from,
                                  size_t head, const char *key, const char **source_id)
{
    dsc_source_numbers_t *numbers = &loader->source_numbers;
    apr_status_t rv;

    if (numbers->left == 0 && (rv = take_numbers(loader)) != APR_SUCCESS) {
        return rv;
    }
    if (apr_hash_count(loader->sources) >= MOST_REMEMBERED) {
        apr_pool_clear(loader->source_pool);
        loader->sources = apr_hash_make(loader->source_pool);
    }
    *source_id = apr_pstrdup(loader->source_pool, numbers->texts[--numbers->left]);
    apr_hash_set(loader->sources, apr_pstrdup(loader->source_pool, key), APR_HASH_KEY_STRING,
                 *source_id);
    append_source(loader, *source_id, from,
                  head > 0 ? apr_pstrmemdup(loader->source_pool, from->url, head) : from->url,
                  head > 0);
    loader->at->has_sources = 1;
    return loader->source_block->length < DSC_BLOCK_SIZE || !loader->at->is_alone
               ? APR_SUCCESS
               : dsc_source_send(loader);
}

apr_status_t dsc_source_of(dsc_loader_t *loader, const dsc_stage_t *stage,
                           const dsc_load_record_t *record, const char *cik, const char **source_id)
{
    const dsc_load_provenance_t *from = &record->provenance;
    size_t head = filing_head(stage, record, cik);
    dsc_buffer_t *key = loader->source_text;
    const char *url = from->url != NULL ? from->url : "";

    key->length = 0;
    dsc_buffer_append_text(key, from->provider);
    dsc_buffer_append_char(key, head > 0 ? '\1' : '\2');
    dsc_buffer_append_text(key, from->content_hash != NULL ? from->content_hash : "");
    dsc_buffer_append_char(key, '\1');
    dsc_buffer_append_text(key, from->extracted_at != NULL ? from->extracted_at : "");
    dsc_buffer_append_char(key, from->url != NULL ? '\1' : '\2');
    dsc_buffer_append(key, url, head > 0 ? head : strlen(url));
    *source_id = apr_hash_get(loader->sources, dsc_buffer_text(key), APR_HASH_KEY_STRING);
    return *source_id != NULL ? APR_SUCCESS
                              : number_source(loader, from, head, dsc_buffer_text(key), source_id);
}

/* An array literal: of the files' numbers, runs or content hashes. */
static const char *array_of(apr_pool_t *pool, int count, dsc_loaded_file_t *const *files,
                            const char *(*text)(apr_pool_t *pool, const dsc_loaded_file_t *file))
{
    dsc_buffer_t *array = dsc_buffer_create(pool, 64);
    int i;

    dsc_buffer_append_char(array, '{');
    for (i = 0; i < count; i++) {
        dsc_buffer_append_text(array, i == 0 ? "" : ",");
        dsc_buffer_append_text(array, text(pool, files[i]));
    }
    dsc_buffer_append_char(array, '}');
    return dsc_buffer_text(array);
}

static const char *number_of(apr_pool_t *pool, const dsc_loaded_file_t *file)
{
    return apr_itoa(pool, file->number);
}

static const char *run_of(apr_pool_t *pool, const dsc_loaded_file_t *file)
{
    (void)pool;
    return file->run;
}

static const char *hash_of(apr_pool_t *pool, const dsc_loaded_file_t *file)
{
    (void)pool;
    return file->content_hash == NULL ? "NULL" : file->content_hash;
}

apr_status_t dsc_source_keep(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files)
{
    apr_pool_t *pool = loader->file_pool;
    const char *parameters[3];
    long long rows = 0;
    apr_status_t rv;
    int i, has_sources = 0;

    for (i = 0; i < count; i++) {
        has_sources |= files[i]->has_sources;
    }
    if (!has_sources) {
        return APR_SUCCESS;
    }
    parameters[0] = array_of(pool, count, files, number_of);
    parameters[1] = array_of(pool, count, files, run_of);
    parameters[2] = array_of(pool, count, files, hash_of);
    if ((rv = dsc_source_send(loader)) == APR_SUCCESS) {
        rv = dsc_loader_write(loader, &loader->keep_sources, 0, DSC_COUNT(parameters), parameters,
                              &rows);
    }
    return rv;
}

apr_status_t dsc_source_drop_unused(dsc_loader_t *loader, int count,
                                    dsc_loaded_file_t *const *files)
{
    dsc_loaded_file_t *unused[DSC_MOST_FILES];
    const char *numbers;
    long long rows = 0;
    int i, found = 0;

    for (i = 0; i < count; i++) {
        if (files[i]->has_sources && !files[i]->changed) {
            unused[found++] = files[i];
        }
    }
    if (found == 0) {
        return APR_SUCCESS;
    }
    numbers = array_of(loader->file_pool, found, unused, number_of);
    return dsc_loader_write(loader, &loader->drop_sources, 0, 1, &numbers, &rows);
}
