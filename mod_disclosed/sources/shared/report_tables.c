#include "sources/shared/report_tables.h"

#include "engine/buffer.h"
#include "formats/delimited.h"
#include "formats/import_location.h"
#include "formats/spool.h"
#include "sources/shared/filing_record.h"

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ACCESSION_LENGTH = 20,
    REPORT_BITS = 24, /* of a key: the rest, 40, are for the number */
    FIRST_KEYS = 1 << 16,
    FIRST_READ = 4096 /* of a line that is fetched: most are shorter */
};

/* In which order the lines of a table stand, from one to the next. */
typedef struct {
    int last;          /* the report of the last line, its index and 1; 0: there is no line */
    int runs, reports; /* how often the report changes, and how many have lines */
    int up, down; /* whether a report follows that stands behind, or before, in the first table */
    int later, earlier; /* whether one of a later, or an earlier, day does */
    int is_without_day; /* one has none */
} order_t;

struct dsc_report_tables_t {
    apr_pool_t *pool;
    dsc_loader_t *loader;
    const dsc_import_file_t *file;
    const apr_array_header_t *companions;
    const dsc_report_table_t *tables;
    const char **files;  /* of the tables, in their folder */
    const char **hashes; /* of the tables that have been read */
    order_t *orders;     /* of the tables */
    dsc_spool_t *spool;
    apr_uint64_t length;         /* of the spool */
    apr_array_header_t *reports; /* dsc_tables_report_t */
    apr_hash_t *by_accession;    /* index in them and 1, as a pointer */
    /* Keys of lines, sorted once their table has been read: the number, and in the last bits the
     * index of its report. */
    uint64_t *keys;
    size_t key_count, key_room;
    int has_strays; /* lines that may be of any report */
};

/* What is before each line in the temporary file; behind it the fields, each ended by a NUL. */
typedef struct {
    apr_uint64_t previous; /* as dsc_tables_report_t.last: the report's line before */
    apr_int64_t line;
    apr_uint32_t table, length;
} line_head_t;

/* A table while it is read. */
typedef struct {
    int index;
    apr_pool_t *pool, *each; /* each: cleared after a line */
    dsc_import_file_t *file;
    dsc_delimited_t rows;
    int accession; /* column */
    int day;       /* column of the first table; -1: none */
    int *columns;  /* of its fields; -1: the file lacks it */
    dsc_buffer_t *buffer;
} reading_t;

int dsc_is_table_file(const char *file, const char *table)
{
    size_t length = strlen(file) - dsc_import_compression(file), name = strlen(table);

    return strncasecmp(file, table, name) == 0 && length == name + strlen(".tsv") &&
           (strncasecmp(file + name, ".tsv", strlen(".tsv")) == 0 ||
            (apr_islower(*table) && strncasecmp(file + name, ".txt", strlen(".txt")) == 0));
}

const char *dsc_table_file(const apr_array_header_t *companions, const char *table)
{
    for (int i = 0; i < companions->nelts; i++) {
        const char *name = APR_ARRAY_IDX(companions, i, const char *);

        if (dsc_is_table_file(name, table)) {
            return name;
        }
    }
    return NULL;
}

int dsc_table_find(apr_pool_t *pool, const apr_array_header_t *companions, const char *table,
                   const char **name, const char **reason)
{
    *name = dsc_table_file(companions, table);
    for (int i = 0; i < companions->nelts; i++) {
        const char *other = APR_ARRAY_IDX(companions, i, const char *);

        if (dsc_is_table_file(other, table) && other != *name) {
            *reason = apr_pstrcat(pool, "two files are one table of the data set: ", *name, " and ",
                                  other, NULL);
            return 0;
        }
    }
    return 1;
}

apr_status_t dsc_load_with_table(dsc_loader_t *loader, const dsc_import_file_t *file,
                                 const char *leading, const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const apr_array_header_t *companions = dsc_import_companions(file, reason);
    const char *first;

    if (!companions) {
        return APR_EGENERAL;
    }
    first = dsc_table_file(companions, leading);
    if (first) {
        *reason = apr_pstrcat(pool, "is read with ", first, NULL);
        return DSC_IMPORT_AS_COMPANION;
    }
    *reason = apr_psprintf(pool, "a table of a data set, without %s.tsv in its folder%s", leading,
                           apr_islower(*leading) ? ", or .txt" : "");
    return APR_EGENERAL;
}

/* ------------------------------------------------------------------- lock */

apr_status_t dsc_data_set_lock(dsc_loader_t *loader, const char *kind, int is_set)
{
    return dsc_loader_query(loader,
                            is_set ? "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"
                                   : "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))",
                            1, &kind, NULL);
}

/* ------------------------------------------------------------------- values */

/* 31-JUL-2024 as 2024-07-31; what has another form as it is. */
static const char *plain_date(apr_pool_t *pool, const char *text)
{
    static const char months[] = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";

    if (strlen(text) == strlen("31-JUL-2024") && text[2] == '-' && text[6] == '-') {
        for (int month = 0; month < 12; month++) {
            if (strncasecmp(text + 3, months + 3 * month, 3) == 0) {
                return apr_psprintf(pool, "%s-%02d-%.2s", text + 7, month + 1, text);
            }
        }
    }
    return text;
}

/* 250000.0 as 250000: every number has a fraction there. */
static const char *plain_number(apr_pool_t *pool, const char *text)
{
    const char *point = strchr(text, '.');

    return point && point > text && point[1] && !point[1 + strspn(point + 1, "0")]
               ? apr_pstrmemdup(pool, text, (size_t)(point - text))
               : text;
}

const char *dsc_table_value(apr_pool_t *pool, const char *name, const char *field,
                            dsc_owned_type_t type, const char **error)
{
    const char *text = field ? dsc_owned_squeeze(apr_pstrdup(pool, field)) : "";

    if (!*text) {
        return NULL;
    }
    text = type == DSC_OWNED_DATE     ? plain_date(pool, text)
           : type == DSC_OWNED_NUMBER ? plain_number(pool, text)
                                      : text;
    return dsc_owned_value(pool, name, text, type, error);
}

/* ------------------------------------------------------------------- a table */

/* What the column with the accession number is called. */
static const char *accession_name(const dsc_report_table_t *table)
{
    return table->accession ? table->accession : "ACCESSION_NUMBER";
}

/* Finds the columns in the header; 0 and *reason if one is missing. */
static int find_columns(const dsc_report_tables_t *set, reading_t *reading, const char **reason)
{
    const dsc_report_table_t *table = &set->tables[reading->index];
    int last = reading->rows.column_count - 1;

    reading->accession = dsc_delimited_column(
        &reading->rows,
        (const char *const[]){dsc_delimited_name(reading->pool, accession_name(table)), NULL});
    reading->day =
        table->day ? dsc_delimited_column(&reading->rows, (const char *const[]){table->day, NULL})
                   : -1;
    reading->rows.last_is_ignored = reading->accession != last;
    reading->columns = apr_palloc(reading->pool, sizeof(int) * (size_t)table->column_count);
    for (int i = 0; i < table->column_count; i++) {
        const dsc_table_column_t *column = &table->columns[i];

        reading->columns[i] = dsc_delimited_column(&reading->rows, column->names);
        reading->rows.last_is_ignored &= reading->columns[i] != last;
        if (reading->columns[i] < 0 && column->is_needed) {
            *reason = apr_psprintf(set->pool, "%s: the header has no column that is called %s",
                                   set->files[reading->index], column->names[0]);
            return 0;
        }
    }
    if (reading->accession < 0 && !table->by_key) {
        *reason = apr_psprintf(set->pool, "%s: the header has no column %s",
                               set->files[reading->index], accession_name(table));
        return 0;
    }
    return 1;
}

static int open_table(dsc_report_tables_t *set, reading_t *reading, const char **reason)
{
    const char *name = set->tables[reading->index].name;
    const char *file;

    if (!dsc_table_find(set->pool, set->companions, name, &file, reason)) {
        return 0;
    }
    if (!file) {
        *reason = apr_psprintf(set->pool,
                               "%s.tsv is missing: a data set is an archive, or a folder, with "
                               "all of its tables",
                               name);
        return 0;
    }
    set->files[reading->index] = file;
    reading->file = dsc_import_open_companion(set->file, reading->pool, file, reason);
    if (!reading->file ||
        !dsc_delimited_open_file(&reading->rows, reading->pool, reading->file, reason)) {
        *reason = apr_pstrcat(set->pool, file, ": ", *reason, NULL);
        return 0;
    }
    return find_columns(set, reading, reason);
}

/* A text that holds quotes is in quotes, with two for one. Appends it without them; one that does
 * not stand so is as it is. */
static void append_plain(dsc_buffer_t *buffer, const char *text)
{
    size_t length = strlen(text), start = buffer->length;
    const char *end = text + length - 1;

    if (length < 2 || *text != '"' || *end != '"') {
        dsc_buffer_append(buffer, text, length);
        return;
    }
    for (const char *at = text + 1; at < end; at++) {
        if (*at == '"' && (at + 1 == end || *++at != '"')) {
            buffer->length = start;
            dsc_buffer_append(buffer, text, length);
            return;
        }
        dsc_buffer_append_char(buffer, *at);
    }
}

/* Sets the line aside. */
static int keep_line(dsc_report_tables_t *set, reading_t *reading, dsc_tables_report_t *report,
                     const char **reason)
{
    int count = set->tables[reading->index].column_count;
    dsc_buffer_t *buffer = reading->buffer;
    line_head_t head = {.previous = report->last,
                        .line = reading->rows.line,
                        .table = (apr_uint32_t)reading->index};

    buffer->length = 0;
    dsc_buffer_append(buffer, (const char *)&head, sizeof head);
    for (int i = 0; i < count; i++) {
        const char *text = dsc_delimited_field(&reading->rows, reading->columns[i]);

        if (text) {
            append_plain(buffer, text);
        }
        dsc_buffer_append_char(buffer, '\0');
    }
    head.length = (apr_uint32_t)(buffer->length - sizeof head);
    memcpy(buffer->data, &head, sizeof head);
    report->last = set->length + 1;
    report->length += head.length;
    set->length += buffer->length;
    return dsc_spool_add(set->spool, set->pool, buffer->data, buffer->length, reason);
}

/* ------------------------------------------------------------------- keys */

static apr_status_t free_keys(void *set)
{
    free(((dsc_report_tables_t *)set)->keys);
    return APR_SUCCESS;
}

/* The number that a line's key is; 0 if it is none, or too large. */
static uint64_t key_of(const char *text)
{
    size_t length = text ? strlen(text) : 0;
    uint64_t key = length > 0 && length <= 13 && strspn(text, "0123456789") == length
                       ? strtoull(text, NULL, 10)
                       : 0;

    return (key >> (64 - REPORT_BITS)) == 0 ? key : 0;
}

static int keep_key(dsc_report_tables_t *set, uint64_t key, const dsc_tables_report_t *report)
{
    uint64_t index = (uint64_t)(report - (const dsc_tables_report_t *)(void *)set->reports->elts);

    if (set->key_count == set->key_room) {
        size_t room = set->key_room ? 2 * set->key_room : FIRST_KEYS;
        uint64_t *grown = realloc(set->keys, room * sizeof *grown);

        if (!grown) {
            return 0;
        }
        set->keys = grown;
        set->key_room = room;
    }
    set->keys[set->key_count++] = key << REPORT_BITS | index;
    return 1;
}

static int compare_keys(const void *one, const void *two)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)two;

    return (a > b) - (a < b);
}

static dsc_tables_report_t *report_at(const dsc_report_tables_t *set, uint64_t key)
{
    return &APR_ARRAY_IDX(set->reports, (int)(key & ((1 << REPORT_BITS) - 1)), dsc_tables_report_t);
}

/* Sorts the keys; one that is there twice damages its reports. */
static void sort_keys(dsc_report_tables_t *set)
{
    if (set->key_count > 1) {
        qsort(set->keys, set->key_count, sizeof *set->keys, compare_keys);
    }
    for (size_t i = 1; i < set->key_count; i++) {
        uint64_t key = set->keys[i] >> REPORT_BITS;

        if (key == set->keys[i - 1] >> REPORT_BITS) {
            report_at(set, set->keys[i])->twin = key;
            report_at(set, set->keys[i - 1])->twin = key;
        }
    }
}

/* The report of the line with that key, or NULL. */
static dsc_tables_report_t *find_key(const dsc_report_tables_t *set, uint64_t key)
{
    size_t from = 0, to = set->key_count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (set->keys[middle] >> REPORT_BITS < key) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < set->key_count && set->keys[from] >> REPORT_BITS == key
               ? report_at(set, set->keys[from])
               : NULL;
}

/* ------------------------------------------------------------------- lines */

static dsc_tables_report_t *find_report(const dsc_report_tables_t *set, const char *accession)
{
    const void *found =
        accession ? apr_hash_get(set->by_accession, accession, APR_HASH_KEY_STRING) : NULL;

    return found ? &APR_ARRAY_IDX(set->reports, (int)(apr_uintptr_t)found - 1, dsc_tables_report_t)
                 : NULL;
}

static dsc_tables_report_t *add_report(dsc_report_tables_t *set, const char *accession)
{
    dsc_tables_report_t *report = apr_array_push(set->reports);

    report->accession = apr_pstrdup(set->pool, accession);
    apr_hash_set(set->by_accession, report->accession, APR_HASH_KEY_STRING,
                 (const void *)(apr_uintptr_t)set->reports->nelts);
    return report;
}

static uint64_t key_at(const reading_t *reading)
{
    return key_of(dsc_delimited_field(&reading->rows, reading->columns[0]));
}

/* What is wrong with the line, or NULL. */
static const char *line_error(const dsc_report_tables_t *set, const reading_t *reading,
                              const char *accession, const dsc_tables_report_t *report)
{
    const dsc_report_table_t *table = &set->tables[reading->index];

    if (reading->rows.error) {
        return reading->rows.error;
    }
    if ((table->has_keys || table->by_key) && key_at(reading) == 0) {
        return apr_psprintf(reading->each, "%s is no number", table->columns[0].names[0]);
    }
    if (table->by_key) {
        return report
                   ? NULL
                   : apr_psprintf(reading->each, "%s.tsv does not have this key", table[-1].name);
    }
    if (!accession || !dsc_is_accession(accession)) {
        return apr_pstrcat(reading->each, accession_name(table),
                           accession ? " is no accession number" : " is missing", NULL);
    }
    if (reading->index == 0) {
        return report ? "the accession number is there twice" : NULL;
    }
    return report ? NULL
                  : apr_psprintf(reading->each, "%s does not have this accession number",
                                 set->files[0]);
}

static const char *location_of(apr_pool_t *pool, const dsc_report_tables_t *set, int table,
                               apr_int64_t line)
{
    return apr_psprintf(pool, "%s line %" APR_INT64_T_FMT, set->files[table], line);
}

/* The report of a line whose separators are damaged: by what it begins with. */
static dsc_tables_report_t *find_damaged(const dsc_report_tables_t *set, const reading_t *reading)
{
    const char *text = reading->accession == 0 ? dsc_delimited_field(&reading->rows, 0) : NULL;

    return text ? find_report(set, apr_pstrndup(reading->each, text, ACCESSION_LENGTH)) : NULL;
}

/* The day of a report, as a number by which days are in order; 0: it is no date. */
static int day_of(const reading_t *reading)
{
    const char *field = reading->day < 0 ? NULL : dsc_delimited_field(&reading->rows, reading->day);
    const char *date = field ? plain_date(reading->each, field) : "";
    int year, month, day;

    return sscanf(date, "%4d-%2d-%2d", &year, &month, &day) == 3 ? year * 10000 + month * 100 + day
                                                                 : 0;
}

/* Notes whose line follows in the table. */
static void note_order(dsc_report_tables_t *set, int table, dsc_tables_report_t *report)
{
    order_t *order = &set->orders[table];
    int place = 1 + (int)(report - (const dsc_tables_report_t *)(void *)set->reports->elts);
    int before = order->last ? APR_ARRAY_IDX(set->reports, order->last - 1, dsc_tables_report_t).day
                             : report->day;

    order->reports += !(report->tables & 1U << table);
    order->runs += order->last != place;
    order->up |= order->last != 0 && order->last < place;
    order->down |= order->last > place;
    order->later |= before < report->day;
    order->earlier |= before > report->day;
    order->is_without_day |= report->day == 0;
    order->last = place;
    report->tables |= 1U << table;
}

static apr_status_t take_line(dsc_report_tables_t *set, reading_t *reading, const char **reason)
{
    const dsc_report_table_t *table = &set->tables[reading->index];
    const char *accession = dsc_delimited_field(&reading->rows, reading->accession);
    dsc_tables_report_t *report =
        table->by_key ? find_key(set, key_at(reading)) : find_report(set, accession);
    const char *error = line_error(set, reading, accession, report);

    if (error) {
        report = report ? report : find_damaged(set, reading);
        if (report) {
            report->is_damaged = 1;
        }
        set->has_strays |= !report && reading->index > 0;
        return dsc_loader_reject(set->loader,
                                 location_of(reading->each, set, reading->index,
                                             reading->rows.line),
                                 error, accession);
    }
    if (!report && set->reports->nelts >= 1 << REPORT_BITS) {
        *reason = apr_psprintf(set->pool, "it has more than %d reports", 1 << REPORT_BITS);
        return APR_EGENERAL;
    }
    if (!report) {
        report = add_report(set, accession);
        report->day = day_of(reading);
    }
    note_order(set, reading->index, report);
    if (table->has_keys && !keep_key(set, key_at(reading), report)) {
        *reason = "there is not enough memory for the keys";
        return APR_EGENERAL;
    }
    return keep_line(set, reading, report, reason) ? APR_SUCCESS : APR_EGENERAL;
}

static apr_status_t read_table(dsc_report_tables_t *set, int index, const char **reason)
{
    reading_t reading = {.index = index};
    apr_status_t status = APR_EGENERAL;
    int found = 0;

    apr_pool_create(&reading.pool, set->pool);
    apr_pool_create(&reading.each, reading.pool);
    reading.buffer = dsc_buffer_create(reading.pool, FIRST_READ);
    if (open_table(set, &reading, reason)) {
        status = APR_SUCCESS;
    }
    while (status == APR_SUCCESS && (found = dsc_delimited_next(&reading.rows, reason)) == 1) {
        status = take_line(set, &reading, reason);
        apr_pool_clear(reading.each);
    }
    if (found < 0) {
        *reason = apr_pstrcat(set->pool, set->files[index], ": ", *reason, NULL);
        status = APR_EGENERAL;
    }
    if (status == APR_SUCCESS && set->tables[index].needs_rows && set->orders[index].last == 0) {
        *reason = apr_pstrcat(set->pool, set->files[index],
                              ": there is no row: it is cut, or is no part of this set", NULL);
        status = APR_EGENERAL;
    }
    if (status == APR_SUCCESS && set->tables[index].has_keys) {
        sort_keys(set);
    }
    if (status == APR_SUCCESS) {
        set->hashes[index] = apr_pstrdup(set->pool, dsc_import_content_hash(reading.file, reason));
        status = set->hashes[index] ? APR_SUCCESS : APR_EGENERAL;
    }
    *reason = *reason ? apr_pstrdup(set->pool, *reason) : NULL;
    apr_pool_destroy(reading.pool);
    return status;
}

dsc_report_tables_t *dsc_report_tables_read(dsc_loader_t *loader, const dsc_import_file_t *file,
                                            const dsc_report_table_t *tables, int count,
                                            apr_status_t *status, const char **reason)
{
    dsc_report_tables_t *set = apr_pcalloc(dsc_loader_file_pool(loader), sizeof *set);

    set->pool = dsc_loader_file_pool(loader);
    set->loader = loader;
    set->file = file;
    set->tables = tables;
    set->files = apr_pcalloc(set->pool, sizeof(const char *) * (size_t)count);
    set->hashes = apr_pcalloc(set->pool, sizeof(const char *) * (size_t)count);
    set->orders = apr_pcalloc(set->pool, sizeof(order_t) * (size_t)count);
    set->reports = apr_array_make(set->pool, 1024, sizeof(dsc_tables_report_t));
    set->by_accession = apr_hash_make(set->pool);
    apr_pool_cleanup_register(set->pool, set, free_keys, apr_pool_cleanup_null);
    *status = APR_EGENERAL;
    *reason = NULL;
    set->companions = dsc_import_companions(file, reason);
    set->spool = set->companions ? dsc_spool_create(set->pool, reason) : NULL;
    if (!set->spool) {
        return NULL;
    }
    *status = APR_SUCCESS;
    for (int i = 0; i < count && *status == APR_SUCCESS; i++) {
        *status = read_table(set, i, reason);
    }
    return *status == APR_SUCCESS ? set : NULL;
}

/* ------------------------------------------------------------------- reports */

const apr_array_header_t *dsc_report_tables_list(const dsc_report_tables_t *set)
{
    return set->reports;
}

/* Fetches the line that begins at a place; 0 if the temporary file cannot be read. */
static int fetch_line(const dsc_report_tables_t *set, apr_pool_t *pool, apr_uint64_t place,
                      line_head_t *head, dsc_table_line_t *line)
{
    dsc_piece_t spool = dsc_spool_piece(set->spool);
    char first[FIRST_READ];
    long got = dsc_piece_read(&spool, place, first, sizeof first);
    const char **fields;
    size_t there;
    char *text;

    if (got < (long)sizeof *head) {
        return 0;
    }
    memcpy(head, first, sizeof *head);
    text = apr_palloc(pool, head->length + 1);
    there = (size_t)got - sizeof *head;
    there = there < head->length ? there : head->length;
    memcpy(text, first + sizeof *head, there);
    if (there < head->length &&
        dsc_piece_read(&spool, place + sizeof *head + there, text + there, head->length - there) !=
            (long)(head->length - there)) {
        return 0;
    }
    fields = apr_palloc(pool, sizeof(const char *) * (size_t)set->tables[head->table].column_count);
    for (int i = 0; i < set->tables[head->table].column_count; i++) {
        fields[i] = *text ? text : NULL;
        text += strlen(text) + 1;
    }
    line->table = (int)head->table;
    line->location = location_of(pool, set, line->table, head->line);
    line->fields = fields;
    return 1;
}

apr_array_header_t *dsc_report_tables_lines(const dsc_report_tables_t *set, apr_pool_t *pool,
                                            const dsc_tables_report_t *report, const char **reason)
{
    apr_array_header_t *backwards = apr_array_make(pool, 16, sizeof(dsc_table_line_t));
    apr_array_header_t *lines = apr_array_make(pool, 16, sizeof(dsc_table_line_t));
    apr_uint64_t place = report->last;
    line_head_t head;

    while (place > 0) {
        if (!fetch_line(set, pool, place - 1, &head, apr_array_push(backwards))) {
            *reason = "the temporary file cannot be read";
            return NULL;
        }
        place = head.previous;
    }
    while (backwards->nelts > 0) {
        APR_ARRAY_PUSH(lines, dsc_table_line_t) = *(dsc_table_line_t *)apr_array_pop(backwards);
    }
    return lines;
}

const char *dsc_report_tables_damage(const dsc_report_tables_t *set, apr_pool_t *pool,
                                     const dsc_tables_report_t *report,
                                     const apr_array_header_t *lines)
{
    const dsc_table_line_t *twin = NULL;

    for (int i = 0; report->twin > 0 && i < lines->nelts; i++) {
        const dsc_table_line_t *line = &APR_ARRAY_IDX(lines, i, dsc_table_line_t);

        if (set->tables[line->table].has_keys && key_of(line->fields[0]) == report->twin) {
            twin = line;
        }
    }
    return twin                 ? apr_psprintf(pool, "%s: %s %s is there twice", twin->location,
                                               set->tables[twin->table].columns[0].names[0], twin->fields[0])
           : report->is_damaged ? "a line of it is damaged, so that it is not whole"
                                : NULL;
}

apr_status_t dsc_report_tables_reject(dsc_loader_t *loader, const apr_array_header_t *lines,
                                      const char *accession, const char *reason)
{
    apr_status_t status = APR_SUCCESS;

    for (int i = 0; i < lines->nelts && status == APR_SUCCESS; i++) {
        status = dsc_loader_reject(loader, APR_ARRAY_IDX(lines, i, dsc_table_line_t).location,
                                   i == 0 ? reason : "its report is rejected", accession);
    }
    return status;
}

int dsc_report_tables_are_whole(const dsc_report_tables_t *set)
{
    return !set->has_strays;
}

int dsc_report_tables_goes_on(const dsc_report_tables_t *set, int table,
                              const dsc_tables_report_t *report)
{
    const order_t *order = &set->orders[table];
    const dsc_tables_report_t *last;

    if (order->last == 0) {
        return 0;
    }
    last = &APR_ARRAY_IDX(set->reports, order->last - 1, dsc_tables_report_t);
    if (last == report) {
        return 0;
    }
    if (order->runs == order->reports && (report->tables & 1U << table)) {
        return 1;
    }
    if (!set->orders[0].later && !set->orders[0].earlier) { /* all are of one day */
        return (order->up && !order->down && report < last) ||
               (order->down && !order->up && report > last);
    }
    return report->day > 0 && !order->is_without_day &&
           ((order->earlier && !order->later && report->day > last->day) ||
            (order->later && !order->earlier && report->day < last->day));
}

const char *dsc_report_tables_hash(const dsc_report_tables_t *set, int table)
{
    return set->hashes[table];
}
