/* Staging: temporary tables that mirror the datasets', filled by COPY in blocks. */
#include "engine/interrupt.h"
#include "loader/loader_internal.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <stdlib.h>

static const char *const sql_types[] = {
    [DSC_COLUMN_INTEGER] = "bigint", [DSC_COLUMN_DECIMAL] = "numeric",
    [DSC_COLUMN_TEXT] = "text",      [DSC_COLUMN_BOOLEAN] = "boolean",
    [DSC_COLUMN_DATE] = "date",      [DSC_COLUMN_DATETIME] = "timestamptz",
    [DSC_COLUMN_TEXTS] = "text[]",   [DSC_COLUMN_JSON] = "jsonb",
};

/* The columns of the dataset's table with what the loader must know about them. A date that must
 * be there and is in no source is the day on which the record became known. */
static const char columns_sql[] =
    "SELECT a.attname, a.attnotnull,"
    " CASE WHEN d.adbin IS NOT NULL THEN pg_get_expr(d.adbin, d.adrelid)"
    "      WHEN a.attnotnull AND a.atttypid = 'date'::regtype"
    "      THEN '(s.known_at AT TIME ZONE ''America/New_York'')::date' END,"
    " EXISTS (SELECT 1 FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid"
    "         JOIN pg_am m ON m.oid = c.relam"
    "         WHERE x.indrelid = a.attrelid AND m.amname = 'btree'"
    "           AND a.attnum = ANY (x.indkey::int2[])),"
    " CASE a.attcompression WHEN 'l' THEN ' COMPRESSION lz4' WHEN 'p' THEN ' COMPRESSION pglz'"
    " ELSE '' END"
    " FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum"
    " AND a.attidentity = '' AND a.attgenerated = ''"
    " WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped";

static const char checks_sql[] =
    "SELECT pg_get_expr(c.conbin, c.conrelid), array_to_string(ARRAY("
    "   SELECT a.attname FROM pg_attribute a"
    "   WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)), ', ')"
    " FROM pg_constraint c WHERE c.conrelid = $1::regclass AND c.contype = 'c'"
    " ORDER BY c.conname";

static int column_index(const dsc_dataset_t *dataset, const char *name)
{
    int i;

    for (i = 0; i < dataset->column_count; i++) {
        if (strcmp(dataset->columns[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* --------------------------------------------------- what the database's table says */

static apr_status_t read_columns(dsc_loader_t *loader, dsc_stage_t *stage, const char *table)
{
    const dsc_dataset_t *dataset = stage->dataset;
    dsc_stage_column_t *columns =
        apr_pcalloc(loader->pool, sizeof(*columns) * (size_t)dataset->column_count);
    PGresult *result;
    apr_status_t rv = dsc_loader_repeat(loader, columns_sql, 1, &table, &result);
    int row, index;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (row = 0; row < PQntuples(result); row++) {
        int not_null = *PQgetvalue(result, row, 1) == 't';
        const char *absent = PQgetisnull(result, row, 2) ? NULL : PQgetvalue(result, row, 2);

        index = column_index(dataset, PQgetvalue(result, row, 0));
        if (index >= 0) {
            columns[index].absent = apr_pstrdup(loader->pool, absent);
            columns[index].required = not_null && absent == NULL;
            columns[index].indexed = *PQgetvalue(result, row, 3) == 't';
            columns[index].compression = apr_pstrdup(loader->pool, PQgetvalue(result, row, 4));
        } else if (strcmp(PQgetvalue(result, row, 0), "accession") == 0) {
            stage->accession_required = not_null;
        }
    }
    PQclear(result);
    stage->columns = columns;
    stage->document = dataset->document == NULL ? -1 : column_index(dataset, dataset->document);
    return APR_SUCCESS;
}

/* A CHECK over one column with choices says again what was checked before staging. */
static int is_checked_before(const dsc_dataset_t *dataset, const char *column)
{
    int index = column_index(dataset, column);

    return index >= 0 && dataset->columns[index].choices != NULL;
}

static int has_lists(const dsc_dataset_t *dataset)
{
    int i = 0;

    while (i < dataset->column_count && dataset->columns[i].type != DSC_COLUMN_TEXTS) {
        i++;
    }
    return i < dataset->column_count;
}

/* SQL that yields why a check refuses a row. A function "..._fault" of a check returns the reason
 * itself. */
static const char *check_reason(dsc_loader_t *loader, const char *check, const char *columns)
{
    static const char tail[] = " IS NULL)";
    size_t length = strlen(check);
    const char *function = strstr(check, "_fault(");
    const char *reason;

    if (*check == '(' && function != NULL &&
        strcspn(check + 1, "(") + 1 == strcspn(function, "(") + (size_t)(function - check) &&
        length > sizeof(tail) && strcmp(check + length - sizeof(tail) + 1, tail) == 0) {
        return apr_pstrmemdup(loader->pool, check + 1, length - sizeof(tail));
    }
    reason =
        apr_pstrcat(loader->pool, columns, ": not in the form that the dataset asks for", NULL);
    return dsc_quote_literal(loader->pool, loader->connection, reason);
}

static apr_status_t read_checks(dsc_loader_t *loader, dsc_stage_t *stage, const char *table)
{
    dsc_buffer_t *any = dsc_buffer_create(loader->pool, 256);
    dsc_buffer_t *reason = dsc_buffer_create(loader->pool, 256);
    PGresult *result;
    apr_status_t rv = dsc_loader_repeat(loader, checks_sql, 1, &table, &result);
    int row;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (row = 0; row < PQntuples(result); row++) {
        const char *check = PQgetvalue(result, row, 0), *column = PQgetvalue(result, row, 1);

        if (is_checked_before(stage->dataset, column)) {
            continue;
        }
        stage->slow_checks |= strstr(check, "_fault(") != NULL && has_lists(stage->dataset);
        dsc_buffer_printf(any, "%sNOT coalesce(%s, true)", any->length > 0 ? " OR " : "", check);
        dsc_buffer_printf(reason, " WHEN NOT coalesce(%s, true) THEN %s", check,
                          check_reason(loader, check, column));
    }
    PQclear(result);
    stage->checks = any->length == 0 ? NULL : apr_pstrdup(loader->pool, dsc_buffer_text(any));
    stage->check_reason = apr_pstrcat(loader->pool, "CASE", dsc_buffer_text(reason), " END", NULL);
    return APR_SUCCESS;
}

/* ------------------------------------------------------------------ temporary tables */

#define STAGED_COLUMN(name_, type_) ", " #name_ " " #type_

static const char *copy_sql(apr_pool_t *pool, const dsc_dataset_t *dataset)
{
    return apr_psprintf(pool, "COPY pg_temp.stage_%s FROM STDIN", dataset->name);
}

static apr_status_t make_tables(dsc_loader_t *loader, dsc_stage_t *stage)
{
    const dsc_dataset_t *dataset = stage->dataset;
    dsc_buffer_t *sql = dsc_buffer_create(loader->file_pool, 2048);
    const char *name = dataset->name;
    int i;

    dsc_buffer_printf(sql, "CREATE TEMP TABLE stage_%s (", name);
    dsc_buffer_append_text(sql, DSC_STAGED_COLUMNS(STAGED_COLUMN) + 2);
    for (i = 0; i < dataset->column_count; i++) {
        const char *compression = stage->columns[i].compression;

        dsc_buffer_printf(sql, ", %s %s%s", dataset->columns[i].name,
                          sql_types[dataset->columns[i].type],
                          compression == NULL ? "" : compression);
    }
    dsc_buffer_append_text(sql, ") ON COMMIT DELETE ROWS;");
    if (dataset->expect != NULL) {
        dsc_buffer_printf(sql,
                          "CREATE TEMP TABLE expected_%s ON COMMIT DELETE ROWS AS"
                          " SELECT * FROM disclosed.%s LIMIT 0;",
                          name, dataset->expect);
    }
    return dsc_loader_script(loader, dsc_buffer_text(sql));
}

/* Most loads need none: PostgreSQL empties each of them at each commit. */
apr_status_t dsc_stage_passes(dsc_loader_t *loader, dsc_stage_t *stage)
{
    const char *name = stage->dataset->name;
    apr_status_t rv;

    if (stage->passes_ready) {
        return APR_SUCCESS;
    }
    rv = dsc_loader_script(
        loader, apr_psprintf(loader->file_pool,
                             "CREATE TEMP TABLE pass_%s (row_order bigint, issuer_id bigint,"
                             " pass bigint, is_last boolean) ON COMMIT DELETE ROWS;"
                             "CREATE TEMP TABLE act_%s (row_order bigint, issuer_id bigint,"
                             " kind \"char\", id bigint, known_at timestamptz,"
                             " superseded_at timestamptz, previous_row bigint, next_row bigint,"
                             " holder_issuer bigint, holder_row bigint) ON COMMIT DELETE ROWS;",
                             name, name));
    stage->passes_ready = stage->passes_made_here = rv == APR_SUCCESS;
    return rv;
}

/* Tables that all datasets share, and those of what is noted: functions that follow read them
 * whichever dataset is loaded. */
static apr_status_t make_common(dsc_loader_t *loader)
{
    dsc_buffer_t *sql;
    apr_status_t rv;
    int i;

    if (loader->common_ready) {
        return APR_SUCCESS;
    }
    sql = dsc_buffer_create(loader->file_pool, 256);
    dsc_buffer_append_text(
        sql, "CREATE TEMP TABLE touched (slot integer, issuer_id bigint) ON COMMIT DELETE ROWS;");
    for (i = 0; dsc_datasets[i] != NULL; i++) {
        if (dsc_datasets[i]->noted != NULL) {
            dsc_buffer_printf(sql,
                              "CREATE TEMP TABLE written_%s (issuer_id bigint, record_key text,"
                              " %s text) ON COMMIT DELETE ROWS;",
                              dsc_datasets[i]->name, dsc_datasets[i]->noted);
        }
    }
    rv = dsc_loader_script(loader, dsc_buffer_text(sql));
    if (rv == APR_SUCCESS) {
        rv = dsc_source_make_table(loader);
    }
    loader->common_ready = loader->common_made_here = rv == APR_SUCCESS;
    return rv;
}

static apr_status_t describe(dsc_loader_t *loader, dsc_stage_t *stage)
{
    const char *table = apr_pstrcat(loader->file_pool, "disclosed.", stage->dataset->table, NULL);
    apr_status_t rv;

    if ((rv = read_columns(loader, stage, table)) != APR_SUCCESS ||
        (rv = read_checks(loader, stage, table)) != APR_SUCCESS) {
        return rv;
    }
    stage->copy.sql = copy_sql(loader->pool, stage->dataset);
    stage->blocks[0] = dsc_buffer_create(loader->pool, DSC_BLOCK_SIZE / 8);
    return APR_SUCCESS;
}

/* DSC_LAST_COUNTS: of a file, and of copies of a document. */
static const char *unless_replaced_sql(apr_pool_t *pool, const dsc_dataset_t *dataset)
{
    const char *ordered = dataset->ordered != NULL ? dataset->ordered : "false";
    const char *same_address =
        dataset->flags & DSC_ADDRESS_FOLLOWS ? "" : " AND o.url IS NOT DISTINCT FROM k.url";

    return dataset->flags & DSC_LAST_COUNTS
               ? apr_pstrcat(
                     pool, " AND (q.is_last AND NOT (", ordered,
                     ") AND (SELECT o.import_run_id = k.import_run_id OR (o.provider = k.provider",
                     same_address,
                     " AND p.accession IS NOT DISTINCT FROM s.accession)"
                     " FROM disclosed.source o, disclosed.source k"
                     " WHERE o.source_id = p.source_id AND k.source_id = s.source_id)) IS NOT TRUE",
                     NULL)
               : "";
}

apr_status_t dsc_stage_of(dsc_loader_t *loader, const dsc_dataset_t *dataset, dsc_stage_t **stage)
{
    dsc_stage_t **made = &loader->stages[dsc_dataset_index(dataset->name)];

    if (*made == NULL) {
        *made = apr_pcalloc(loader->pool, sizeof(**made));
        (*made)->dataset = dataset;
        (*made)->slot = dsc_slot_of(dataset);
        (*made)->global_key = (dataset->flags & DSC_KEY_GLOBAL) != 0;
        (*made)->snapshots = (dataset->flags & DSC_SNAPSHOTS) != 0;
        (*made)->unless_replaced = unless_replaced_sql(loader->pool, dataset);
        (*made)->sha256 = loader->sha256;
    }
    *stage = *made;
    return make_common(loader);
}

apr_status_t dsc_stage_open(dsc_loader_t *loader, const dsc_dataset_t *dataset, dsc_stage_t **stage)
{
    apr_status_t rv = dsc_stage_of(loader, dataset, stage);

    if (rv == APR_SUCCESS && (*stage)->blocks[0] == NULL) {
        rv = describe(loader, *stage);
    }
    if (rv == APR_SUCCESS && !(*stage)->ready) {
        rv = make_tables(loader, *stage);
        (*stage)->ready = (*stage)->made_here = rv == APR_SUCCESS;
    }
    return rv;
}

/* --------------------------------------------------------------------------- rows */

/* The first 128 bits of SHA-256 over the texts with a line feed between them, as a uuid. The
 * context is kept: looking the algorithm up costs more than a short digest. */
static void append_digest(dsc_buffer_t *block, EVP_MD_CTX *context, const char *const *texts)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    char hex[2 * 16 + 1];
    int i, good;

    good = EVP_DigestInit_ex(context, NULL, NULL) == 1;
    for (i = 0; good && texts[i] != NULL; i++) {
        good = (i == 0 || EVP_DigestUpdate(context, "\n", 1) == 1) &&
               EVP_DigestUpdate(context, texts[i], strlen(texts[i])) == 1;
    }
    if (!good || EVP_DigestFinal_ex(context, digest, NULL) != 1) {
        abort(); /* SHA-256 fails for lack of memory alone */
    }
    apr_escape_hex(hex, digest, 16, 0, NULL);
    dsc_buffer_append(block, hex, sizeof(hex) - 1);
}

/* Two rows of a file belong to one timeline when this is the same. */
static void append_key_digest(dsc_buffer_t *block, const dsc_stage_t *stage,
                              const dsc_load_record_t *record, const char *identity)
{
    const char *const texts[] = {record->record_key, stage->global_key ? NULL : identity, NULL};

    append_digest(block, stage->sha256, texts);
}

static void append_source_digest(dsc_buffer_t *block, const dsc_stage_t *stage,
                                 const dsc_load_record_t *record, const char *identity)
{
    const char *const texts[] = {stage->dataset->name, record->provenance.provider, identity,
                                 record->record_key, NULL};

    append_digest(block, stage->sha256, texts);
}

static void append_known(dsc_buffer_t *block, const dsc_load_record_t *record)
{
    if (record->known_at != NULL) {
        dsc_copy_field(block, record->known_at);
    } else { /* what disclosed.end_of_day() yields */
        dsc_buffer_append_text(block, record->known_on);
        dsc_buffer_append_text(block, " 23:59:59.999999 America/New_York");
    }
}

static void append_field(dsc_buffer_t *block, const char *text)
{
    dsc_buffer_append_char(block, '\t');
    dsc_copy_field(block, text);
}

static void append_row(dsc_buffer_t *block, const dsc_stage_t *stage, long long order,
                       const dsc_load_record_t *record, const dsc_issuer_t *issuer,
                       const char *source_id)
{
    int i;

    dsc_buffer_printf(block, "%" APR_INT64_T_FMT, (apr_int64_t)order);
    append_field(block, issuer->issuer_id);
    append_field(block, issuer->cik);
    append_field(block, issuer->party);
    append_field(block, record->issuer_name);
    append_field(block, record->location);
    append_field(block, record->record_key);
    dsc_buffer_append_char(block, '\t');
    append_key_digest(block, stage, record, issuer->identity);
    dsc_buffer_append_char(block, '\t');
    append_known(block, record);
    dsc_buffer_append_char(block, '\t');
    append_source_digest(block, stage, record, issuer->source_identity);
    append_field(block, source_id);
    append_field(block, record->provenance.accession);
    append_field(block, record->provenance.quote);
    for (i = 0; i < stage->dataset->column_count; i++) {
        append_field(block, record->values[i]);
    }
    dsc_buffer_append_char(block, '\n');
}

dsc_buffer_t *dsc_stage_block(dsc_loader_t *loader, dsc_stage_t *stage, int level)
{
    if (stage->blocks[level] == NULL) {
        stage->blocks[level] = dsc_buffer_create(loader->pool, 1024);
    }
    return stage->blocks[level];
}

void dsc_stage_begin_file(dsc_stage_t *stage, int number)
{
    int level;

    stage->level_of[number] = 0;
    for (level = 0; level < DSC_MOST_LEVELS; level++) {
        stage->kept[level] = stage->blocks[level] == NULL ? 0 : stage->blocks[level]->length;
    }
}

/* Takes away what has been merged. */
static apr_status_t clean(dsc_loader_t *loader, dsc_stage_t *stage)
{
    const char *name = stage->dataset->name;
    dsc_buffer_t *sql = dsc_buffer_create(loader->file_pool, 256);

    dsc_buffer_printf(sql, "DELETE FROM pg_temp.stage_%s;", name);
    if (stage->passes_ready) {
        dsc_buffer_printf(sql, "DELETE FROM pg_temp.pass_%s;", name);
    }
    if (stage->dataset->expect != NULL) {
        dsc_buffer_printf(sql, "DELETE FROM pg_temp.expected_%s;", name);
    }
    stage->unclean = 0;
    return dsc_loader_script(loader, dsc_buffer_text(sql));
}

apr_status_t dsc_stage_send(dsc_loader_t *loader, dsc_stage_t *stage, int level)
{
    apr_status_t rv = stage->unclean ? clean(loader, stage) : APR_SUCCESS;

    return rv == APR_SUCCESS ? dsc_loader_copy(loader, stage->copy.sql, stage->blocks[level]) : rv;
}

apr_status_t dsc_stage_append(dsc_loader_t *loader, dsc_stage_t *stage,
                              const dsc_load_record_t *record, const dsc_issuer_t *issuer)
{
    dsc_loaded_file_t *file = loader->at;
    dsc_buffer_t *block;
    const char *source_id;
    apr_status_t rv = dsc_source_of(loader, stage, record, issuer->cik, &source_id);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    dsc_lock_note_company(loader, issuer->cik);
    block = dsc_stage_block(loader, stage, stage->level_of[file->number]);
    append_row(block, stage, ((long long)file->number << DSC_ORDER_BITS) + ++file->order, record,
               issuer, source_id);
    stage->rows++;
    stage->of_file[file->number]++;
    stage->staged = 1;
    file->rows++;
    if (block->length < DSC_BLOCK_SIZE || !file->is_alone) {
        return APR_SUCCESS;
    }
    dsc_loader_progress(loader, NULL);
    rv = dsc_source_send(loader);
    return rv == APR_SUCCESS ? dsc_stage_send(loader, stage, stage->level_of[file->number]) : rv;
}
