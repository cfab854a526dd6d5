/* Importer sec-financial-statements: the SEC's "Financial Statement Data Sets" and "Financial
 * Statement and Notes" data sets. The lines of a filing lie anywhere in num; they are set aside,
 * and put together filing by filing. */
#include "sources/importers.h"
#include "sources/sec_financial_statements/statement_set.h"

#include "datasets/datasets.h"
#include "formats/delimited.h"
#include "formats/import_location.h"

#include <apr_strings.h>
#include <string.h>

typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool, *each; /* each: cleared after a row of tag */
    const dsc_report_tables_t *tables;
    dsc_statement_meaning_t meaning;
    long facts, nil, without_facts;
} set_t;

int dsc_accept_sec_financial_statements(const char *name)
{
    return dsc_statement_set_has(dsc_import_base_name(name));
}

/* ------------------------------------------------------------------- further tables */

enum {
    MOST_FIELDS = 3
};

/* A table that says what something in num means, and what is done with its fields. */
typedef struct {
    const char *table;
    const char
        *columns[MOST_FIELDS + 1]; /* NULL-terminated; the last may be empty, and is then NULL */
    void (*take)(set_t *set, const char *const *fields);
} meaning_t;

/* The hash of no dimension has no segments. */
static void take_hash(set_t *set, const char *const *fields)
{
    apr_hash_set(set->meaning.dimensions, apr_pstrdup(set->pool, fields[0]), APR_HASH_KEY_STRING,
                 apr_pstrdup(set->pool, fields[1] ? fields[1] : ""));
}

/* Abstract elements have no type: they are not of a number. */
static void take_tag(set_t *set, const char *const *fields)
{
    const char *tag = dsc_statement_tag(set->each, fields[0], fields[1]);

    dsc_name_set_add(set->meaning.tags, tag);
    if (fields[2] && strcmp(fields[2], "perShare") == 0) {
        apr_hash_set(set->meaning.per_share, apr_pstrdup(set->pool, tag), APR_HASH_KEY_STRING, "");
    }
    apr_pool_clear(set->each);
}

static const meaning_t hashes = {"dim", {"dimhash", "segments", NULL}, take_hash};
static const meaning_t tags = {"tag", {"tag", "version", "datatype", NULL}, take_tag};

/* Finds the table's columns. 0 and *reason if one is missing. */
static int find_columns(dsc_delimited_t *rows, const meaning_t *table, int *columns,
                        const char **reason)
{
    for (int i = 0; table->columns[i]; i++) {
        columns[i] = dsc_delimited_column(rows, (const char *const[]){table->columns[i], NULL});
        if (columns[i] < 0) {
            *reason = apr_psprintf(rows->pool, "the header has no column that is called %s",
                                   table->columns[i]);
            return 0;
        }
    }
    return 1;
}

/* Takes the fields of a row; returns what is wrong with it, or NULL. */
static const char *take_row(set_t *set, const dsc_delimited_t *rows, const meaning_t *table,
                            const int *columns)
{
    const char *fields[MOST_FIELDS];

    for (int i = 0; table->columns[i] && !rows->error; i++) {
        fields[i] = dsc_delimited_field(rows, columns[i]);
        if (!fields[i] && table->columns[i + 1]) {
            return apr_pstrcat(set->pool, table->columns[i], " is missing", NULL);
        }
    }
    if (!rows->error) {
        table->take(set, fields);
    }
    return rows->error;
}

static int read_rows(set_t *set, dsc_import_file_t *file, const meaning_t *table,
                     const char **reason)
{
    const char *error = NULL;
    int columns[MOST_FIELDS], found = 0;
    dsc_delimited_t rows;

    if (!dsc_delimited_open_file(&rows, set->pool, file, reason) ||
        !find_columns(&rows, table, columns, reason)) {
        return 0;
    }
    while (!error && (found = dsc_delimited_next(&rows, reason)) == 1) {
        error = take_row(set, &rows, table, columns);
    }
    if (error) {
        *reason = apr_psprintf(set->pool, "line %" APR_INT64_T_FMT ": %s", rows.line, error);
    }
    return !error && found == 0;
}

/* Takes such a table, if the set has it: *there says whether it has. 0 and *reason if it is
 * damaged. */
static int read_meaning(set_t *set, const dsc_import_file_t *file, const meaning_t *table,
                        int *there, const char **reason)
{
    const apr_array_header_t *companions = dsc_import_companions(file, reason);
    const char *name;
    dsc_import_file_t *opened;

    if (!companions || !dsc_table_find(set->pool, companions, table->table, &name, reason)) {
        return 0;
    }
    *there = name != NULL;
    if (!name) {
        return 1;
    }
    opened = dsc_import_open_companion(file, set->pool, name, reason);
    if (opened && read_rows(set, opened, table, reason)) {
        return 1;
    }
    *reason = apr_pstrcat(set->pool, name, ": ", *reason, NULL);
    return 0;
}

static int read_meanings(set_t *set, const dsc_import_file_t *file, const char **reason)
{
    int there;

    set->meaning.per_share = apr_hash_make(set->pool);
    set->meaning.tags = dsc_name_set_create(set->pool);
    apr_pool_create(&set->each, set->pool);
    set->meaning.dimensions = apr_hash_make(set->pool);
    if (!read_meaning(set, file, &hashes, &there, reason) ||
        !read_meaning(set, file, &tags, &there, reason)) {
        return 0;
    }
    if (!there) {
        *reason = "tag.txt is missing: it tells which numbers are amounts per share";
    } else if (dsc_name_set_count(set->meaning.tags) == 0) {
        *reason = "tag.txt has no row: it is cut, or is no part of this set";
        return 0;
    }
    return there;
}

/* -------------------------------------------------------------------------- reports */

/* Adds the facts of the lines of num. */
static apr_status_t add_facts(set_t *set, apr_pool_t *pool, const apr_array_header_t *lines,
                              dsc_xbrl_report_t *report)
{
    const char *prefix = dsc_statement_prefix(pool, &APR_ARRAY_IDX(lines, 0, dsc_table_line_t));
    apr_status_t status = APR_SUCCESS;
    dsc_statement_line_t read;

    report->facts = apr_array_make(pool, lines->nelts, sizeof(dsc_xbrl_fact_t));
    for (int i = 1; i < lines->nelts && status == APR_SUCCESS; i++) {
        const dsc_table_line_t *line = &APR_ARRAY_IDX(lines, i, dsc_table_line_t);

        dsc_statement_fact(pool, line, prefix, &set->meaning, &read);
        set->facts += !read.error && !read.is_nil;
        set->nil += read.is_nil;
        if (read.error) {
            status = dsc_loader_reject(set->loader, line->location, read.error, read.sample);
        } else if (!read.is_nil) {
            APR_ARRAY_PUSH(report->facts, dsc_xbrl_fact_t) = read.fact;
        }
    }
    return status;
}

/* How many facts a report states, of which it may give more than one number. */
static int count_stated(apr_pool_t *pool, const apr_array_header_t *facts)
{
    apr_hash_t *stated = apr_hash_make(pool);

    for (int i = 0; i < facts->nelts; i++) {
        const dsc_xbrl_fact_t *fact = &APR_ARRAY_IDX(facts, i, dsc_xbrl_fact_t);
        const char *key =
            apr_pstrcat(pool, fact->concept, "\t", fact->unit, "\t",
                        fact->start_date ? fact->start_date : "", "\t", fact->end_date, "\t",
                        fact->dimensions ? fact->dimensions : "", NULL);

        apr_hash_set(stated, key, APR_HASH_KEY_STRING, fact);
    }
    return (int)apr_hash_count(stated);
}

/* Whether a copy of the set has stored more facts of the report. A table num that is cut at a line
 * end looks whole, and it is not sorted by filings. */
static apr_status_t has_more(const set_t *set, apr_pool_t *pool, const dsc_xbrl_report_t *report,
                             int *more)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM disclosed.xbrl_report x WHERE x.accession = $1"
        " AND x.told_by = 'data_set' AND x.superseded_at IS NULL AND x.left_out IS NOT TRUE"
        " AND cardinality(x.concepts) > $2 AND (SELECT count(*) FROM (SELECT DISTINCT e.*"
        " FROM unnest(x.concepts, x.units, x.start_dates, x.end_dates, coalesce(x.dimensions,"
        " array_fill(''::text, ARRAY[cardinality(x.concepts)]))) e) d) > $2)";
    const char *parameters[] = {report->accession,
                                apr_itoa(pool, count_stated(pool, report->facts))};
    PGresult *result;
    apr_status_t status =
        dsc_loader_repeat(set->loader, sql, DSC_COUNT(parameters), parameters, &result);

    if (status == APR_SUCCESS) {
        *more = *PQgetvalue(result, 0, 0) == 't';
        PQclear(result);
    }
    return status;
}

static apr_status_t load_report(set_t *set, apr_pool_t *pool, const dsc_tables_report_t *entry,
                                const char **reason)
{
    apr_array_header_t *lines = dsc_report_tables_lines(set->tables, pool, entry, reason);
    const char *error = "a line of it is damaged, so that it is not whole";
    long long rejected = dsc_loader_rejected(set->loader);
    int is_whole = dsc_report_tables_are_whole(set->tables), more = 0;
    dsc_xbrl_report_t *report = NULL;
    apr_status_t status;

    if (!lines) {
        return APR_EGENERAL;
    }
    if (!entry->is_damaged) {
        report = dsc_statement_report(pool, &APR_ARRAY_IDX(lines, 0, dsc_table_line_t), &error);
    }
    if (!report) {
        return dsc_report_tables_reject(set->loader, lines, entry->accession, error);
    }
    report->accession = entry->accession;
    report->content_hash = dsc_report_tables_hash(set->tables, DSC_STATEMENT_TABLE_FACTS);
    status = add_facts(set, pool, lines, report);
    is_whole = is_whole && dsc_loader_rejected(set->loader) == rejected;
    if (status == APR_SUCCESS) {
        status = has_more(set, pool, report, &more);
    }
    if (status == APR_SUCCESS && more) {
        return dsc_loader_reject(set->loader, APR_ARRAY_IDX(lines, 0, dsc_table_line_t).location,
                                 is_whole ? "it has fewer facts than are stored: num may be cut"
                                          : "it has fewer facts than are stored, and a line was "
                                            "rejected that may be one of them",
                                 entry->accession);
    }
    set->without_facts += report->facts->nelts == 0;
    if (status == APR_SUCCESS && report->facts->nelts > 0) {
        status = dsc_xbrl_report_add(set->loader, pool, report);
    }
    return status == APR_SUCCESS && is_whole && dsc_loader_rejected(set->loader) == rejected
               ? dsc_loader_whole_of_set(set->loader, &dsc_dataset_xbrl_report, report->cik,
                                         report->accession)
               : status;
}

static apr_status_t load_reports(set_t *set, const char **reason)
{
    static const char dates_sql[] =
        "SELECT dataset, changed_issuer FROM disclosed.date_staged_reports()";
    const apr_array_header_t *reports = dsc_report_tables_list(set->tables);
    apr_status_t status = APR_SUCCESS;
    apr_pool_t *each;

    apr_pool_create(&each, set->pool);
    for (int i = 0; i < reports->nelts && status == APR_SUCCESS; i++) {
        status = load_report(set, each, &APR_ARRAY_IDX(reports, i, dsc_tables_report_t), reason);
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
    if (reports->nelts > 0) {
        dsc_loader_may_be_empty(set->loader); /* filings may have no facts */
    }
    if (status == APR_SUCCESS && dsc_loader_staged(set->loader) > 0) {
        status = dsc_loader_before_merge_of_companies(set->loader, dates_sql);
    }
    if (status == APR_SUCCESS) {
        dsc_loader_note(set->loader,
                        apr_psprintf(set->pool,
                                     "%ld facts of %d filings; %ld lines of num have no number "
                                     "(nil), %ld filings have no facts",
                                     set->facts, reports->nelts, set->nil, set->without_facts));
    }
    return status;
}

static apr_status_t load_set(dsc_loader_t *loader, const dsc_import_file_t *file,
                             const char **reason)
{
    set_t set = {.loader = loader, .pool = dsc_loader_file_pool(loader)};
    apr_status_t status = APR_EGENERAL;

    if (!read_meanings(&set, file, reason)) {
        return APR_EGENERAL;
    }
    set.tables = dsc_report_tables_read(loader, file, dsc_statement_tables, DSC_STATEMENT_TABLES,
                                        &status, reason);
    return set.tables ? load_reports(&set, reason) : status;
}

apr_status_t dsc_load_sec_financial_statements(dsc_loader_t *loader, dsc_import_file_t *file,
                                               const char **reason)
{
    const char *leading = dsc_statement_tables[0].name;

    return dsc_is_table_file(dsc_import_base_name(file->inside), leading)
               ? load_set(loader, file, reason)
               : dsc_load_with_table(loader, file, leading, reason);
}
