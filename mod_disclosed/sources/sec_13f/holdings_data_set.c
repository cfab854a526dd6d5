/* The SEC's Form 13F data sets: tab-delimited tables, a folder or archive for each quarter (SEC,
 * "Form 13F Data Sets" readme). Columns are found by their names in the header, in any order and
 * among others. */
#include "sources/sec_13f/holdings_data_set.h"

#include "engine/shape.h"
#include "formats/delimited.h"
#include "loader/loader_value.h"
#include "sources/shared/report_tables.h"

#include <apr_strings.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A column of a table and where its text goes. */
typedef struct {
    const char *name; /* lower case, letters and digits alone */
    int is_needed;
    size_t offset; /* of a const char * */
} field_t;

#define REPORT(name, is_needed, member)                                                            \
    {                                                                                              \
        name, is_needed, offsetof(dsc_holdings_report_t, member)                                   \
    }
#define ROW(name, is_needed, member)                                                               \
    {                                                                                              \
        name, is_needed, offsetof(dsc_holding_t, member)                                           \
    }

static const field_t submission_fields[] = {
    REPORT("filingdate", 1, filed_on),
    REPORT("submissiontype", 1, form),
    REPORT("cik", 1, cik),
    REPORT("periodofreport", 1, period),
};
static const field_t cover_fields[] = {
    REPORT("isamendment", 0, is_amendment),         REPORT("amendmentno", 0, amendment_number),
    REPORT("amendmenttype", 0, amendment_type),     REPORT("filingmanagername", 1, manager_name),
    REPORT("reporttype", 1, report_type),           REPORT("form13ffilenumber", 0, file_number),
    REPORT("reportcalendarorquarter", 0, calendar),
};
static const field_t summary_fields[] = {
    REPORT("tableentrytotal", 1, entry_total),
    REPORT("tablevaluetotal", 1, value_total),
    REPORT("isconfidentialomitted", 0, confidential_omitted),
};
static const field_t row_fields[] = {
    ROW("nameofissuer", 1, issuer_title),
    ROW("titleofclass", 1, class_title),
    ROW("cusip", 1, cusip),
    ROW("figi", 0, figi),
    ROW("value", 1, value),
    ROW("sshprnamt", 1, amount),
    ROW("sshprnamttype", 1, amount_type),
    ROW("putcall", 0, put_call),
    ROW("investmentdiscretion", 0, discretion),
    ROW("othermanager", 0, other_managers),
    ROW("votingauthsole", 0, voting_sole),
    ROW("votingauthshared", 0, voting_shared),
    ROW("votingauthnone", 0, voting_none),
};

/* A table while it is being read. */
typedef struct {
    const char *name; /* "COVERPAGE.tsv" */
    apr_pool_t *pool; /* lives as long as the table is read */
    dsc_import_file_t *file;
    dsc_delimited_t rows;
    int accession;        /* column */
    int columns[16];      /* of its fields; -1: the file lacks it */
    int key;              /* column of a row's key, INFOTABLE_SK; -1: the file lacks it */
    const char *location; /* of the present line */
} table_t;

/* --------------------------------------------------------------------------- names */

static const char *const table_names[] = {"SUBMISSION",    "COVERPAGE",
                                          "SUMMARYPAGE",   "OTHERMANAGER",
                                          "OTHERMANAGER2", "SIGNATURE",
                                          "INFOTABLE",     NULL};

int dsc_data_set_has(const char *name)
{
    int i;

    for (i = 0; table_names[i] != NULL; i++) {
        if (dsc_is_table_file(name, table_names[i])) {
            return 1;
        }
    }
    return 0;
}

int dsc_data_set_leads(const char *name)
{
    return dsc_is_table_file(name, table_names[0]);
}

/* -------------------------------------------------------------------------- tables */

/* Opens a table of the set and finds its columns. APR_ENOENT: the set has no such table. */
static apr_status_t open_table(const dsc_data_set_t *set, table_t *table, const char *name,
                               const field_t *fields, int count, const char **reason)
{
    const char *file;
    int i;

    apr_pool_create(&table->pool, set->pool);
    if (!dsc_table_find(set->pool, set->companions, name, &file, reason)) {
        return APR_EGENERAL;
    }
    *reason = apr_pstrcat(set->pool, name,
                          ".tsv is missing: a data set is a folder or archive with "
                          "SUBMISSION, COVERPAGE, SUMMARYPAGE and INFOTABLE",
                          NULL);
    if (file == NULL) {
        return APR_ENOENT;
    }
    table->name = file;
    table->file = dsc_import_open_companion(set->file, table->pool, file, reason);
    if (table->file == NULL ||
        !dsc_delimited_open_file(&table->rows, table->pool, table->file, reason)) {
        *reason = apr_pstrcat(set->pool, file, ": ", *reason, NULL);
        return APR_EGENERAL;
    }
    table->accession =
        dsc_delimited_column(&table->rows, (const char *const[]){"accessionnumber", NULL});
    table->rows.last_is_ignored =
        fields != NULL && table->accession != table->rows.column_count - 1;
    for (i = 0; i < count; i++) {
        table->columns[i] =
            dsc_delimited_column(&table->rows, (const char *const[]){fields[i].name, NULL});
        table->rows.last_is_ignored &= table->columns[i] != table->rows.column_count - 1;
        if (table->accession < 0 || (table->columns[i] < 0 && fields[i].is_needed)) {
            *reason = apr_psprintf(set->pool, "%s: the header has no column %s", file,
                                   table->accession < 0 ? "ACCESSION_NUMBER" : fields[i].name);
            return APR_EGENERAL;
        }
    }
    return APR_SUCCESS;
}

/* The next line: 1, with its place and accession number; 0 at the end, -1 and *reason. */
static int next_line(table_t *table, apr_pool_t *each, const char **accession, const char **reason)
{
    int found = dsc_delimited_next(&table->rows, reason);

    if (found == 1) {
        table->location =
            apr_psprintf(each, "%s line %" APR_INT64_T_FMT, table->name, table->rows.line);
        *accession = dsc_delimited_field(&table->rows, table->accession);
    }
    return found;
}

/* Takes the fields of the line into a struct, copied into the pool; without one they are valid
 * until the next line. Absent ones leave what is there. */
static void take_fields(const table_t *table, apr_pool_t *pool, const field_t *fields, int count,
                        void *into)
{
    int i;

    for (i = 0; i < count; i++) {
        const char *text = dsc_delimited_field(&table->rows, table->columns[i]);

        if (text != NULL) {
            *(const char **)(void *)((char *)into + fields[i].offset) =
                pool == NULL ? text : apr_pstrdup(pool, text);
        }
    }
}

/* ------------------------------------------------------------------- small tables */

/* What to do with a line of a small table, whose report is known unless it is SUBMISSION's. */
typedef apr_status_t line_t(dsc_data_set_t *set, table_t *table, const char *accession,
                            dsc_data_set_report_t *report);

typedef struct {
    const char *name;
    const field_t *fields;
    int count;
    int is_needed;
    line_t *take;
} small_table_t;

static const small_table_t small_tables[];

static apr_status_t reject_line(const dsc_data_set_t *set, const table_t *table, const char *reason,
                                const char *sample)
{
    return dsc_loader_reject(set->loader, table->location, reason, sample);
}

static apr_status_t take_submission(dsc_data_set_t *set, table_t *table, const char *accession,
                                    dsc_data_set_report_t *report)
{
    if (report != NULL) {
        report->is_damaged = 1; /* nobody knows which of two counts */
        return reject_line(set, table, "the accession number is there twice", accession);
    }
    report = apr_pcalloc(set->pool, sizeof(*report));
    report->report.accession = apr_pstrdup(set->pool, accession);
    report->report.location = apr_pstrdup(set->pool, table->location);
    take_fields(table, set->pool, submission_fields, DSC_COUNT(submission_fields), &report->report);
    APR_ARRAY_PUSH(set->reports, dsc_data_set_report_t *) = report;
    apr_hash_set(set->by_accession, report->report.accession, APR_HASH_KEY_STRING, report);
    return APR_SUCCESS;
}

/* The line of a page that a report has once; nobody knows which of two counts. */
static apr_status_t take_page(dsc_data_set_t *set, table_t *table, const field_t *fields, int count,
                              dsc_data_set_report_t *report, int *has_page)
{
    if (*has_page) {
        report->is_damaged = 1;
        return reject_line(set, table, "the accession number is there twice",
                           report->report.accession);
    }
    *has_page = 1;
    take_fields(table, set->pool, fields, count, &report->report);
    return APR_SUCCESS;
}

static apr_status_t take_cover(dsc_data_set_t *set, table_t *table, const char *accession,
                               dsc_data_set_report_t *report)
{
    (void)accession;
    return take_page(set, table, cover_fields, DSC_COUNT(cover_fields), report, &report->has_cover);
}

static apr_status_t take_summary(dsc_data_set_t *set, table_t *table, const char *accession,
                                 dsc_data_set_report_t *report)
{
    (void)accession;
    return take_page(set, table, summary_fields, DSC_COUNT(summary_fields), report,
                     &report->has_summary);
}

static const char *field_named(table_t *table, const char *name)
{
    return dsc_delimited_field(&table->rows,
                               dsc_delimited_column(&table->rows,
                                                    (const char *const[]){name, NULL}));
}

/* What is wrong with the line of a manager, or NULL. */
static const char *manager_error(const dsc_data_set_t *set, table_t *table,
                                 dsc_data_set_report_t *report)
{
    const char *number = field_named(table, "sequencenumber");
    int i;

    for (i = 0; i < table->rows.column_count; i++) {
        const char *text = dsc_delimited_field(&table->rows, i);

        if (text != NULL && !dsc_text_is_utf8(text)) {
            return "not valid UTF-8";
        }
    }
    if (report->numbers == NULL) {
        report->numbers = apr_hash_make(set->pool);
    }
    if (number != NULL && apr_hash_get(report->numbers, number, APR_HASH_KEY_STRING) != NULL) {
        return "the SEQUENCENUMBER is there twice";
    }
    if (number != NULL) {
        number = apr_pstrdup(set->pool, number);
        apr_hash_set(report->numbers, number, APR_HASH_KEY_STRING, number);
    }
    return NULL;
}

static apr_status_t take_manager(dsc_data_set_t *set, table_t *table, const char *accession,
                                 dsc_data_set_report_t *report)
{
    const char *error = manager_error(set, table, report);

    if (error != NULL) {
        report->is_damaged = 1;
        return reject_line(set, table, error, accession);
    }
    if (report->managers == NULL) {
        report->managers = dsc_buffer_create(set->pool, 256);
    }
    report->report.other_managers =
        dsc_holdings_add_manager(report->managers, field_named(table, "sequencenumber"),
                                 field_named(table, "cik"), field_named(table, "form13ffilenumber"),
                                 field_named(table, "name"));
    return APR_SUCCESS;
}

static const small_table_t small_tables[] = {
    {"SUBMISSION", submission_fields, DSC_COUNT(submission_fields), 1, take_submission},
    {"COVERPAGE", cover_fields, DSC_COUNT(cover_fields), 1, take_cover},
    {"SUMMARYPAGE", summary_fields, DSC_COUNT(summary_fields), 1, take_summary},
    {"OTHERMANAGER", NULL, 0, 0, take_manager},
    {"OTHERMANAGER2", NULL, 0, 0, take_manager},
};

static apr_status_t take_line(dsc_data_set_t *set, const small_table_t *small, table_t *table,
                              const char *accession)
{
    dsc_data_set_report_t *report =
        accession == NULL ? NULL : apr_hash_get(set->by_accession, accession, APR_HASH_KEY_STRING);

    if (table->rows.error != NULL || accession == NULL) {
        if (report != NULL) {
            report->is_damaged = 1;
        }
        return reject_line(set, table,
                           table->rows.error != NULL ? table->rows.error
                                                     : "ACCESSION_NUMBER is missing",
                           NULL);
    }
    if (report == NULL && small->take != take_submission) {
        return reject_line(set, table, "SUBMISSION.tsv does not have this accession number",
                           accession);
    }
    return small->take(set, table, accession, report);
}

static apr_status_t read_small(dsc_data_set_t *set, const small_table_t *small, const char **reason)
{
    const char *accession = NULL;
    apr_pool_t *each;
    table_t table = {NULL};
    apr_status_t rv;
    int found = 0;

    rv = open_table(set, &table, small->name, small->fields, small->count, reason);
    if (rv == APR_ENOENT) {
        return small->is_needed ? APR_EGENERAL : APR_SUCCESS;
    }
    apr_pool_create(&each, set->pool);
    while (rv == APR_SUCCESS && (found = next_line(&table, each, &accession, reason)) == 1) {
        rv = take_line(set, small, &table, accession);
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
    if (found < 0) {
        *reason = apr_pstrcat(set->pool, table.name, ": ", *reason, NULL);
        rv = APR_EGENERAL;
    }
    apr_pool_destroy(table.pool);
    return rv;
}

apr_status_t dsc_data_set_open(dsc_data_set_t *set, dsc_loader_t *loader,
                               const dsc_import_file_t *file, const char **reason)
{
    apr_status_t rv = APR_SUCCESS;
    int i;

    set->pool = dsc_loader_file_pool(loader);
    set->loader = loader;
    set->file = file;
    set->rows_hash = NULL;
    set->reports = apr_array_make(set->pool, 1024, sizeof(dsc_data_set_report_t *));
    set->by_accession = apr_hash_make(set->pool);
    set->last = NULL;
    set->has_keys = 0;
    set->companions = dsc_import_companions(file, reason);
    if (set->companions == NULL) {
        return APR_EGENERAL;
    }
    for (i = 0; i < DSC_COUNT(small_tables) && rv == APR_SUCCESS; i++) {
        rv = read_small(set, &small_tables[i], reason);
    }
    for (i = 0; i < set->reports->nelts && rv == APR_SUCCESS; i++) {
        dsc_holdings_report_normalise(
            set->pool, &APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *)->report);
    }
    return rv;
}

/* ------------------------------------------------------------------------ the rows */

static int compare_keys(const void *left, const void *right)
{
    long long a = *(const long long *)left, b = *(const long long *)right;

    return (a > b) - (a < b);
}

/* The row's number in its information table. The lines of a set are in no order that its readme
 * promises; their keys count up as the rows stood. The first pass gathers the keys of each
 * report. */
static long location_of_row(const dsc_data_set_t *set, const table_t *table,
                            dsc_data_set_report_t *report, const char **error)
{
    const char *text = dsc_delimited_field(&table->rows, table->key);
    char *end = NULL;
    long long key = text == NULL ? 0 : strtoll(text, &end, 10);
    const long long *found;

    report->rows++;
    if (table->key < 0) {
        return report->rows;
    }
    if (text == NULL || *end != '\0' || key < 0) {
        *error = "INFOTABLE_SK is no number";
        return report->rows;
    }
    if (!set->has_keys) {
        if (report->keys == NULL) {
            report->keys = apr_array_make(set->pool, 16, sizeof(key));
        }
        APR_ARRAY_PUSH(report->keys, long long) = key;
        return report->rows;
    }
    found = report->keys == NULL ? NULL
                                 : bsearch(&key, report->keys->elts, (size_t)report->keys->nelts,
                                           sizeof(key), compare_keys);
    if (found == NULL) {
        *error = "the file has changed while it was read";
        return report->rows;
    }
    return (long)(found - (const long long *)(const void *)report->keys->elts) + 1;
}

/* Sorts the keys of each report; one that is there twice damages it. */
static void sort_keys(dsc_data_set_t *set)
{
    int i, j;

    set->has_keys = 1;
    for (i = 0; i < set->reports->nelts; i++) {
        dsc_data_set_report_t *report = APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *);
        const long long *keys = report->keys == NULL ? NULL : (const void *)report->keys->elts;

        if (keys != NULL) {
            qsort(report->keys->elts, (size_t)report->keys->nelts, sizeof(*keys), compare_keys);
        }
        for (j = 1; keys != NULL && j < report->keys->nelts; j++) {
            report->is_damaged |= keys[j] == keys[j - 1];
        }
    }
}

static void read_row(const dsc_data_set_t *set, const table_t *table, apr_pool_t *each,
                     const char *accession, dsc_data_set_report_t *report, dsc_holding_t *row)
{
    memset(row, 0, sizeof(*row));
    row->location = table->location;
    row->accession = accession;
    row->error = table->rows.error;
    row->number = report == NULL ? 0 : location_of_row(set, table, report, &row->error);
    if (report != NULL && row->error != NULL) {
        report->is_damaged = 1;
    }
    take_fields(table, NULL, row_fields, DSC_COUNT(row_fields), row);
    if (row->error == NULL) {
        dsc_holding_normalise(each, row);
    }
}

apr_status_t dsc_data_set_rows(dsc_data_set_t *set, dsc_data_set_visit_t *visit, void *baton,
                               const char **reason)
{
    const char *accession = NULL;
    table_t table = {NULL};
    apr_pool_t *each;
    apr_status_t rv =
        open_table(set, &table, "INFOTABLE", row_fields, DSC_COUNT(row_fields), reason);
    int found = 0, i;

    if (rv != APR_SUCCESS) {
        return APR_EGENERAL;
    }
    table.key = dsc_delimited_column(&table.rows, (const char *const[]){"infotablesk", NULL});
    for (i = 0; i < set->reports->nelts; i++) {
        APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *)->rows = 0;
    }
    apr_pool_create(&each, set->pool);
    while (rv == APR_SUCCESS && (found = next_line(&table, each, &accession, reason)) == 1) {
        dsc_data_set_report_t *report =
            accession == NULL ? NULL
                              : apr_hash_get(set->by_accession, accession, APR_HASH_KEY_STRING);
        dsc_holding_t row;

        read_row(set, &table, each, accession, report, &row);
        set->last = report;
        rv = visit(baton, report, &row);
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
    if (found == 0 && rv == APR_SUCCESS && set->rows_hash == NULL) {
        set->rows_hash = apr_pstrdup(set->pool, dsc_import_content_hash(table.file, reason));
        rv = set->rows_hash == NULL ? APR_EGENERAL : APR_SUCCESS;
    }
    if (found < 0) {
        *reason = apr_pstrcat(set->pool, table.name, ": ", *reason, NULL);
        rv = APR_EGENERAL;
    }
    apr_pool_destroy(table.pool);
    return rv;
}

static const char *part_error(const dsc_data_set_t *set, const dsc_data_set_report_t *report)
{
    const dsc_holdings_report_t *cover = &report->report;

    if (report->is_damaged) {
        return "a line of it is damaged, so that it is not whole";
    }
    if (strncmp(cover->form, "13F-HR", 6) == 0 && cover->entry_total == NULL) {
        return "SUMMARYPAGE.tsv does not have it";
    }
    if (strcmp(cover->form, "13F-HR/A") == 0 && cover->amendment_type == NULL) {
        return "COVERPAGE.tsv has no AMENDMENTTYPE of it, which says whether it replaces the report or adds "
               "to it";
    }
    if (report->rows > 0 && report->evidence.rows == 0) {
        return "none of its rows is good";
    }
    if (cover->entry_total != NULL && report->rows < atol(cover->entry_total)) {
        return apr_psprintf(
            set->pool,
            report == set->last
                ? "INFOTABLE.tsv ends after %ld of its %s rows: the table may be cut"
                : "INFOTABLE.tsv has %ld of its %s rows",
            report->rows, cover->entry_total);
    }
    return NULL;
}

void dsc_data_set_refuse_parts(dsc_data_set_t *set)
{
    int i;

    sort_keys(set);
    for (i = 0; i < set->reports->nelts; i++) {
        dsc_data_set_report_t *report = APR_ARRAY_IDX(set->reports, i, dsc_data_set_report_t *);

        if (report->report.error == NULL) {
            report->report.error = part_error(set, report);
        }
    }
}
