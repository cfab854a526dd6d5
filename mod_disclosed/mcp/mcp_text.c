#include "mcp/mcp_text.h"

#include "engine/json_scan.h"
#include "engine/member.h"

#include <apr_strings.h>

enum {
    MOST_COLUMNS = 120
};

/* Members that the text does without: they repeat what stands beside them. */
static const char *const lesser[] = {"raw",           "original_unit", "conversion_factor",
                                     "content_hash",  "extracted_at",  "source_provider",
                                     "record_digest", "doc_group",     NULL};

static int is_lesser(dsc_slice_t name)
{
    int i;
    for (i = 0; lesser[i]; i++) {
        if (strlen(lesser[i]) == name.length && memcmp(lesser[i], name.data, name.length) == 0) {
            return 1;
        }
    }
    return 0;
}

static int is_null(dsc_slice_t value)
{
    return value.length == 4 && memcmp(value.data, "null", 4) == 0;
}

static const char *path_of(apr_pool_t *pool, const char *prefix, dsc_slice_t name)
{
    const char *text = apr_pstrmemdup(pool, name.data, name.length);
    return *prefix ? apr_pstrcat(pool, prefix, ".", text, NULL) : text;
}

static void append_value(dsc_buffer_t *out, dsc_slice_t value)
{
    if (*value.data == '"') {
        dsc_json_unquote(out, value);
    } else {
        dsc_buffer_append(out, value.data, value.length);
    }
}

/* ------------------------------------------------------------------------- tables */

/* The leaves of a row by path. */
typedef struct {
    apr_pool_t *pool;
    const char *names[MOST_COLUMNS];
    dsc_slice_t values[MOST_COLUMNS]; /* of one row; data NULL: none */
    int count;
} table_t;

static int column_of(table_t *table, const char *path)
{
    int i = 0;
    while (i < table->count && strcmp(table->names[i], path) != 0) {
        i++;
    }
    if (i == table->count && i < MOST_COLUMNS) {
        table->names[table->count++] = path;
    }
    return i;
}

static void read_row(table_t *table, const char *prefix, const char *object)
{
    const char *at = object + 1;
    dsc_slice_t name, value;
    while (dsc_json_member(&at, &name, &value)) {
        const char *path;
        int column;
        if (is_null(value) || is_lesser(name) || (value.length == 2 && *value.data == '[')) {
            continue;
        }
        path = path_of(table->pool, prefix, name);
        if (*value.data == '{') {
            read_row(table, path, value.data);
            continue;
        }
        column = column_of(table, path);
        if (column < MOST_COLUMNS) {
            table->values[column] = value;
        }
    }
}

static void write_row(dsc_buffer_t *out, const table_t *table, dsc_buffer_t *text)
{
    int i;
    for (i = 0; i < table->count; i++) {
        text->length = 0;
        if (table->values[i].data) {
            append_value(text, table->values[i]);
        }
        if (text->length) {
            dsc_csv_append(out, text->data, text->length);
        }
        dsc_buffer_append_char(out, i + 1 < table->count ? ',' : '\n');
    }
}

/* The rows twice: for the columns that any has, and for their values. */
static void write_table(dsc_buffer_t *out, const char *array)
{
    table_t *table = apr_pcalloc(out->pool, sizeof(*table));
    dsc_buffer_t *text = dsc_buffer_create(out->pool, 256);
    const char *at;
    dsc_slice_t row;
    int i;
    table->pool = out->pool;
    for (at = array + 1; dsc_json_element(&at, &row);) {
        read_row(table, "", row.data);
    }
    for (i = 0; i < table->count; i++) {
        dsc_buffer_append_text(out, table->names[i]);
        dsc_buffer_append_char(out, i + 1 < table->count ? ',' : '\n');
    }
    for (at = array + 1; dsc_json_element(&at, &row);) {
        memset(table->values, 0, sizeof(table->values));
        read_row(table, "", row.data);
        write_row(out, table, text);
    }
}

/* ------------------------------------------------------------------------- objects */

static void write_array(dsc_buffer_t *out, const char *path, const char *array)
{
    const char *at = array + 1;
    const char *between = "";
    dsc_slice_t element;
    dsc_buffer_append_text(out, path);
    if (array[1] == '{') {
        dsc_buffer_append_text(out, ":\n");
        write_table(out, array);
        return;
    }
    dsc_buffer_append_text(out, array[1] == ']' ? ": none" : ": ");
    while (dsc_json_element(&at, &element)) {
        dsc_buffer_append_text(out, between);
        append_value(out, element);
        between = "; ";
    }
    dsc_buffer_append_char(out, '\n');
}

static void write_object(dsc_buffer_t *out, const char *prefix, const char *object)
{
    const char *at = object + 1;
    dsc_slice_t name, value;
    while (dsc_json_member(&at, &name, &value)) {
        const char *path = path_of(out->pool, prefix, name);
        if (is_null(value) || is_lesser(name)) {
            continue;
        }
        if (*value.data == '{') {
            write_object(out, path, value.data);
        } else if (*value.data == '[') {
            write_array(out, path, value.data);
        } else {
            dsc_buffer_append_text(out, path);
            dsc_buffer_append_text(out, ": ");
            append_value(out, value);
            dsc_buffer_append_char(out, '\n');
        }
    }
}

void dsc_mcp_text(dsc_buffer_t *out, const char *object)
{
    write_object(out, "", object);
}
