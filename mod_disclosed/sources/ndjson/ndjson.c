/* Source "ndjson": one JSON object a line, for any dataset; ndjson_schema.c describes the lines. */
#include "sources/ndjson/ndjson.h"

#include "engine/calendar.h"
#include "engine/utf8.h"
#include "formats/json_line.h"
#include "loader/loader_value.h"
#include "sources/importers.h"

#include <apr_strings.h>
#include <apr_tables.h>
#include <stddef.h>
#include <string.h>

#define LINE_LIMIT ((size_t)16 << 20)
#define READ_SIZE  ((size_t)1 << 16)

/* One line on its way to the loader. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool; /* cleared after every line */
    const dsc_dataset_t *dataset;
    dsc_load_record_t record;
    const char **values;
    unsigned char *given; /* per column: the line has it */
    unsigned said,
        sourced; /* members of every dataset that it has, and of its provenance: a bit for each */
    const char *error;
} dsc_line_t;

static const char *error_at(const dsc_line_t *line, const char *name, const char *error)
{
    return apr_pstrcat(line->pool, name, ": ", error, NULL);
}

/* ------------------------------------------------------------------------- columns */

static const char *texts_value(const dsc_line_t *line, const dsc_json_value_t *value,
                               const char **text)
{
    apr_array_header_t *texts = apr_array_make(line->pool, 4, sizeof(const char *));
    dsc_json_value_t element;
    dsc_json_walk_t walk;

    dsc_json_walk(&walk, line->pool, value->text, strlen(value->text), 1);
    while (dsc_json_next(&walk, NULL, &element)) {
        if (element.kind != DSC_JSON_STRING) {
            return "not an array of strings";
        }
        APR_ARRAY_PUSH(texts, const char *) = element.text;
    }
    *text = dsc_texts_literal(line->pool, texts->nelts, (const char *const *)texts->elts);
    return walk.error;
}

/* A string as the JSON text that it was. */
static const char *json_value(const dsc_line_t *line, const dsc_json_value_t *value,
                              const char **text)
{
    if (value->kind == DSC_JSON_STRING) {
        return "a string, where an object or array is expected";
    }
    *text = apr_pstrdup(line->pool, value->text);
    return NULL;
}

/* The value as text for the loader; what is wrong with its kind, or NULL. */
static const char *column_value(const dsc_line_t *line, dsc_column_type_t type,
                                const dsc_json_value_t *value, const char **text)
{
    int is_number = type == DSC_COLUMN_INTEGER || type == DSC_COLUMN_DECIMAL;

    if (type == DSC_COLUMN_JSON) {
        return json_value(line, value, text);
    }
    if (type == DSC_COLUMN_TEXTS) {
        return value->kind == DSC_JSON_ARRAY ? texts_value(line, value, text) : "not an array";
    }
    if (type == DSC_COLUMN_BOOLEAN) {
        *text = value->kind == DSC_JSON_TRUE ? "t" : "f";
        return value->kind == DSC_JSON_TRUE || value->kind == DSC_JSON_FALSE ? NULL
                                                                             : "not a boolean";
    }
    if (value->kind != DSC_JSON_STRING && !(is_number && value->kind == DSC_JSON_NUMBER)) {
        return is_number ? "not a number" : "not a string";
    }
    *text = value->text;
    return NULL;
}

static const char *take_column(dsc_line_t *line, const char *name, const dsc_json_value_t *value)
{
    const dsc_dataset_t *dataset = line->dataset;
    const char *error;
    int i;

    for (i = 0; i < dataset->column_count; i++) {
        if (strcmp(dataset->columns[i].name, name) == 0) {
            break;
        }
    }
    if (i == dataset->column_count) {
        return error_at(line, name, "no such member");
    }
    if (line->given[i]) {
        return error_at(line, name, "given twice");
    }
    line->given[i] = 1;
    if (value->kind == DSC_JSON_NULL) {
        return NULL;
    }
    error = column_value(line, dataset->columns[i].type, value, &line->values[i]);
    return error == NULL ? NULL : error_at(line, name, error);
}

/* --------------------------------------------------------- members of every dataset */

/* A member whose value is a string, and where it goes. */
typedef struct {
    const char *name;
    size_t offset;
    int number_too; /* digits may come as a number */
} dsc_text_member_t;

#define RECORD_MEMBER(name, field, number)                                                         \
    {                                                                                              \
        name, offsetof(dsc_load_record_t, field), number                                           \
    }
static const dsc_text_member_t record_members[] = {
    RECORD_MEMBER("cik", cik, 1),
    RECORD_MEMBER("symbol", symbol, 0),
    RECORD_MEMBER("party", party, 0),
    RECORD_MEMBER("issuer_name", issuer_name, 0),
    RECORD_MEMBER("record_key", record_key, 0),
    RECORD_MEMBER("known_at", known_at, 0),
    {NULL, 0, 0},
};

#define PROVENANCE_MEMBER(name, field)                                                             \
    {                                                                                              \
        name, offsetof(dsc_load_provenance_t, field), 0                                            \
    }
static const dsc_text_member_t provenance_members[] = {
    PROVENANCE_MEMBER("source_provider", provider),
    PROVENANCE_MEMBER("source_url", url),
    PROVENANCE_MEMBER("accession", accession),
    PROVENANCE_MEMBER("quote", quote),
    PROVENANCE_MEMBER("content_hash", content_hash),
    PROVENANCE_MEMBER("extracted_at", extracted_at),
    {NULL, 0, 0},
};

/* Members of every dataset that are no texts; those that are have the bits below. */
enum {
    SAID_DATASET = 1 << 29,
    SAID_PROVENANCE = 1 << 30
};

/* Notes that the line has the member, with null as well. */
static void say(dsc_line_t *line, unsigned *said, unsigned member, const char *name)
{
    if (*said & member) {
        line->error = error_at(line, name, "given twice");
    }
    *said |= member;
}

/* Puts a text member where it belongs; 0 if the table has no such member. */
static int take_text(dsc_line_t *line, const dsc_text_member_t *members, void *into, unsigned *said,
                     const char *name, const dsc_json_value_t *value)
{
    const char **location;
    unsigned member = 1;

    while (members->name != NULL && strcmp(members->name, name) != 0) {
        members++;
        member <<= 1;
    }
    if (members->name == NULL) {
        return 0;
    }
    say(line, said, member, name);
    location = (const char **)(void *)((char *)into + members->offset);
    if (value->kind == DSC_JSON_NULL) {
        return 1;
    }
    if (value->kind != DSC_JSON_STRING &&
        !(members->number_too && value->kind == DSC_JSON_NUMBER)) {
        line->error = error_at(line, name, "not a string");
    }
    *location = value->text;
    return 1;
}

static void take_provenance(dsc_line_t *line, const dsc_json_value_t *value)
{
    dsc_json_value_t member;
    dsc_json_walk_t walk;
    const char *name;

    if (value->kind != DSC_JSON_OBJECT) {
        line->error = "provenance: not an object";
        return;
    }
    dsc_json_walk(&walk, line->pool, value->text, strlen(value->text), 0);
    while (line->error == NULL && dsc_json_next(&walk, &name, &member)) {
        if (!take_text(line, provenance_members, &line->record.provenance, &line->sourced, name,
                       &member)) {
            line->error = error_at(line, apr_pstrcat(line->pool, "provenance.", name, NULL),
                                   "no such member");
        }
    }
    line->error = line->error == NULL ? walk.error : line->error;
}

static void take_member(dsc_line_t *line, const char *name, const dsc_json_value_t *value)
{
    if (strcmp(name, "dataset") == 0) {
        say(line, &line->said, SAID_DATASET, name); /* read before */
    } else if (strcmp(name, "provenance") == 0) {
        take_provenance(line, value);
        say(line, &line->said, SAID_PROVENANCE, name);
    } else if (!take_text(line, record_members, &line->record, &line->said, name, value)) {
        line->error = take_column(line, name, value);
    }
}

/* ------------------------------------------------------------------ what is derived */

static const char *column_text(const dsc_line_t *line, const char *name, size_t length)
{
    int i;

    if (length == 9 && strncmp(name, "accession", length) == 0) {
        return line->record.provenance.accession;
    }
    for (i = 0; i < line->dataset->column_count; i++) {
        const char *column = line->dataset->columns[i].name;
        if (strlen(column) == length && strncmp(column, name, length) == 0) {
            return line->values[i];
        }
    }
    return NULL;
}

/* Fills a key's form in; NULL if a part of it is missing. A part "{name?}" may be. */
static const char *derive_key(const dsc_line_t *line, const char *form)
{
    const char *key = "", *text, *close;
    int is_optional;

    while (*form != '\0') {
        if (*form != '{') {
            size_t plain = strcspn(form, "{");
            key = apr_pstrcat(line->pool, key, apr_pstrmemdup(line->pool, form, plain), NULL);
            form += plain;
            continue;
        }
        close = strchr(form, '}');
        is_optional = close[-1] == '?';
        text = column_text(line, form + 1, (size_t)(close - form) - 1 - (size_t)is_optional);
        if (text == NULL && !is_optional) {
            return NULL;
        }
        key = apr_pstrcat(line->pool, key, text == NULL ? "" : text, NULL);
        form = close + 1;
    }
    return key;
}

static void complete_key(dsc_line_t *line)
{
    int fixed;
    const char *form = dsc_ndjson_key_form(line->pool, line->dataset, &fixed);
    const char *key = form == NULL ? NULL : derive_key(line, form);

    if (line->record.record_key == NULL) {
        line->record.record_key = key;
        if (key == NULL) {
            line->error = form == NULL ? "record_key: is required"
                                       : apr_pstrcat(line->pool, "record_key: is made of ", form,
                                                     ", of which a part is missing", NULL);
        }
    } else if (fixed && key != NULL && strcmp(key, line->record.record_key) != 0) {
        line->error = apr_pstrcat(line->pool, "record_key: can only be ", key, NULL);
    }
}

/* Without a time of its own a line is known when its date is over, or its datetime. */
static void complete_known(dsc_line_t *line)
{
    const dsc_dataset_t *dataset = line->dataset;
    dsc_load_record_t *record = &line->record;
    const char *day;

    if (record->known_at != NULL) {
        if (dsc_value_error(DSC_COLUMN_DATE, record->known_at) == NULL) {
            record->known_on = record->known_at;
            record->known_at = NULL;
        }
        return;
    }
    day = dataset->date_column == NULL || strcmp(dataset->date_column, "known_at") == 0
              ? NULL
              : column_text(line, dataset->date_column, strlen(dataset->date_column));
    if (day != NULL && dsc_value_error(DSC_COLUMN_DATETIME, day) == NULL) {
        record->known_at = day;
        return;
    }
    record->known_on = day != NULL ? day : dsc_loader_options(line->loader)->known_at;
}

/* What is public is at most of today, whose end may lie ahead and be another day's elsewhere. */
static const char *known_error(const dsc_load_record_t *record)
{
    const char *known = record->known_at != NULL ? record->known_at : record->known_on;

    return known != NULL &&
                   (dsc_value_error(DSC_COLUMN_DATE, known) == NULL ||
                    dsc_value_error(DSC_COLUMN_DATETIME, known) == NULL) &&
                   !dsc_date_is_between(known, "0001-01-01", 1)
               ? "known_at: lies in the future"
               : NULL;
}

/* --------------------------------------------------------------------------- lines */

/* The dataset that the line names, or the one of the command line. */
static void find_dataset(dsc_line_t *line, const char *text, size_t length)
{
    const char *wanted = dsc_loader_options(line->loader)->dataset, *name, *own = NULL;
    dsc_json_value_t value;
    dsc_json_walk_t walk;

    dsc_json_walk(&walk, line->pool, text, length, 0);
    while (own == NULL && dsc_json_next(&walk, &name, &value)) {
        if (strcmp(name, "dataset") == 0) {
            own = value.kind == DSC_JSON_STRING ? value.text : "";
        }
    }
    line->error = own == NULL ? walk.error : NULL;
    if (line->error != NULL) {
        return;
    }
    if (own == NULL && wanted == NULL) {
        line->error = "dataset: is required, here or by --dataset";
    } else if (own != NULL && wanted != NULL && strcmp(own, wanted) != 0) {
        line->error = "dataset: another than --dataset names";
    } else if ((line->dataset = dsc_dataset_find(own != NULL ? own : wanted)) == NULL) {
        line->error = "dataset: no such dataset";
    } else if (line->dataset->flags & DSC_DERIVED) {
        line->error = "dataset: made of other datasets, never loaded";
    }
}

static void read_line(dsc_line_t *line, const char *text, size_t length)
{
    dsc_json_value_t value;
    dsc_json_walk_t walk;
    const char *name;

    find_dataset(line, text, length);
    if (line->error != NULL) {
        return;
    }
    line->values = dsc_load_values(line->pool, line->dataset);
    line->given = apr_pcalloc(line->pool, (size_t)line->dataset->column_count);
    dsc_json_walk(&walk, line->pool, text, length, 0);
    while (line->error == NULL && dsc_json_next(&walk, &name, &value)) {
        take_member(line, name, &value);
    }
    line->error = line->error == NULL ? walk.error : line->error;
    if (line->error == NULL) {
        complete_key(line);
    }
    if (line->error == NULL) {
        complete_known(line);
        line->error = known_error(&line->record);
    }
}

/* The file as a whole. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;  /* of a line */
    long long number;  /* of the line */
    int is_ndjson;     /* a line has been met that is of a dataset */
    const char *error; /* what is wrong with the first one that is not; NULL: there is none */
    const dsc_dataset_t *last;     /* dataset of the line before */
    apr_array_header_t *completed; /* const dsc_dataset_t *: those whose rows are to be completed */
} dsc_lines_t;

/* Of a file that is another kind of file no line names a dataset. */
static void judge_line(dsc_lines_t *lines, const dsc_line_t *line)
{
    lines->is_ndjson |= line->dataset != NULL;
    if (!lines->is_ndjson && lines->error == NULL) {
        lines->error = apr_psprintf(dsc_loader_file_pool(lines->loader), "%s: %s",
                                    line->record.location, line->error);
    }
}

/* Lines of a file are mostly of one dataset. */
static apr_status_t note_dataset(dsc_lines_t *lines, const dsc_dataset_t *dataset)
{
    int i;

    if (dataset == lines->last) {
        return APR_SUCCESS;
    }
    lines->last = dataset;
    for (i = 0; i < lines->completed->nelts; i++) {
        if (APR_ARRAY_IDX(lines->completed, i, const dsc_dataset_t *) == dataset) {
            return APR_SUCCESS;
        }
    }
    if (dataset->complete_lines == NULL) {
        return APR_SUCCESS;
    }
    APR_ARRAY_PUSH(lines->completed, const dsc_dataset_t *) = dataset;
    return dataset->flags & DSC_BY_COMPANY
               ? dsc_loader_before_merge_of_companies(lines->loader, dataset->complete_lines)
               : dsc_loader_before_merge(lines->loader, dataset->complete_lines, 0, NULL);
}

static apr_status_t load_line(dsc_lines_t *lines, const char *text, size_t length)
{
    dsc_loader_t *loader = lines->loader;
    apr_pool_t *pool = lines->pool;
    long long number = ++lines->number;
    const char *location = apr_psprintf(pool, "line %" APR_INT64_T_FMT, (apr_int64_t)number);
    dsc_line_t line;
    apr_status_t rv;

    if (number == 1) {
        size_t mark = dsc_utf8_mark(text, length);

        text += mark;
        length -= mark;
    }
    if (strspn(text, " \t\r") == length) {
        return APR_SUCCESS; /* an empty line is no row */
    }
    memset(&line, 0, sizeof(line));
    line.loader = loader;
    line.pool = pool;
    line.record.location = location;
    if (memchr(text, '\0', length) != NULL) {
        line.error = "the line holds a NUL byte";
    } else {
        read_line(&line, text, length);
    }
    judge_line(lines, &line);
    if (line.error != NULL) {
        return dsc_loader_reject(loader, location, line.error, text);
    }
    line.record.values = line.values;
    rv = note_dataset(lines, line.dataset);
    return rv != APR_SUCCESS ? rv : dsc_loader_add(loader, line.dataset, &line.record);
}

/* Loads the whole lines that the buffer holds and moves the rest to its front. */
static apr_status_t load_lines(dsc_lines_t *lines, dsc_buffer_t *buffer)
{
    char *from = buffer->data, *end = buffer->data + buffer->length, *feed;
    apr_status_t rv = APR_SUCCESS;

    while (rv == APR_SUCCESS && (feed = memchr(from, '\n', (size_t)(end - from))) != NULL) {
        *feed = '\0';
        rv = load_line(lines, from, (size_t)(feed - from));
        apr_pool_clear(lines->pool);
        from = feed + 1;
    }
    buffer->length = (size_t)(end - from);
    memmove(buffer->data, from, buffer->length);
    return rv;
}

static apr_status_t load_stream(dsc_lines_t *lines, dsc_import_file_t *file, const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(lines->loader);
    dsc_buffer_t *buffer = dsc_buffer_create(pool, 2 * READ_SIZE);
    apr_status_t rv = APR_SUCCESS;
    long got;

    for (;;) {
        dsc_buffer_grow(buffer, READ_SIZE);
        got = dsc_import_read(file, buffer->data + buffer->length, READ_SIZE, reason);
        if (got <= 0) {
            break;
        }
        buffer->length += (size_t)got;
        if ((rv = load_lines(lines, buffer)) != APR_SUCCESS) {
            return rv;
        }
        if (buffer->length > LINE_LIMIT) {
            *reason =
                apr_psprintf(pool,
                             "line %" APR_INT64_T_FMT " is longer than 16 MB: this is no NDJSON"
                             " file",
                             (apr_int64_t)lines->number + 1);
            return APR_EGENERAL;
        }
    }
    if (got < 0) {
        return APR_EGENERAL;
    }
    if (buffer->length > 0) { /* the last line has no line feed */
        (void)dsc_buffer_text(buffer);
        rv = load_line(lines, buffer->data, buffer->length);
    }
    return rv;
}

int dsc_accept_ndjson(const char *name)
{
    static const char *const suffixes[] = {".ndjson", ".jsonl", NULL};
    size_t length = strlen(name);
    int i;

    for (i = 0; suffixes[i] != NULL; i++) {
        size_t suffix = strlen(suffixes[i]);
        if (length > suffix && strcasecmp(name + length - suffix, suffixes[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

apr_status_t dsc_load_ndjson(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason)
{
    dsc_lines_t lines = {.loader = loader};
    apr_status_t rv;

    apr_pool_create(&lines.pool, dsc_loader_file_pool(loader));
    lines.completed =
        apr_array_make(dsc_loader_file_pool(loader), 2, sizeof(const dsc_dataset_t *));
    rv = load_stream(&lines, file, reason);
    apr_pool_destroy(lines.pool);
    if (rv == APR_SUCCESS && !lines.is_ndjson && lines.error != NULL) {
        *reason = apr_pstrcat(dsc_loader_file_pool(loader),
                              "no line is of a dataset: ", lines.error, NULL);
        rv = APR_EGENERAL;
    }
    return rv;
}
