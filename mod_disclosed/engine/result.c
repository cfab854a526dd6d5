#include "engine/result.h"

#include "engine/buffer.h"

#include <apr_strings.h>

/* The types of a binary result's columns; NULL, with the reason, if one is none of those that it
 * may have. */
static const unsigned char *read_types(apr_pool_t *pool, const PGresult *rows,
                                       const dsc_columns_t *columns, const char **reason)
{
    int i, count = PQnfields(rows);
    unsigned char *types = apr_palloc(pool, (apr_size_t)count + 1);

    for (i = 0; i < count; i++) {
        dsc_wire_t type = dsc_wire_type(PQftype(rows, i));

        if (i < columns->count && !(columns->types[i] & DSC_WIRE_BIT(type))) {
            *reason = apr_psprintf(pool, "%s is of type %u, which its field does not take",
                                   PQfname(rows, i), PQftype(rows, i));
            return NULL;
        }
        types[i] = (unsigned char)type;
    }
    return types;
}

dsc_result_t *dsc_result_create(apr_pool_t *pool, PGresult *rows, const dsc_columns_t *columns,
                                const char **reason)
{
    dsc_result_t *result = apr_pcalloc(pool, sizeof(*result));

    result->rows = rows;
    result->row = -1;
    result->count = PQntuples(rows);
    return columns && !(result->types = read_types(pool, rows, columns, reason)) ? NULL : result;
}

static size_t row_size(const PGresult *rows, int row)
{
    size_t size = 0;
    int column;
    for (column = 0; column < PQnfields(rows); column++) {
        size += (size_t)PQgetlength(rows, row, column);
    }
    return size;
}

int dsc_has_row_over(const PGresult *rows, size_t most)
{
    int row, may = PQresultMemorySize(rows) > most; /* small ones are not gone through */
    for (row = 0; may && row < PQntuples(rows); row++) {
        if (row_size(rows, row) > most) {
            return 1;
        }
    }
    return 0;
}

void dsc_result_name_sources(const dsc_result_t *result, int column,
                             const dsc_source_cache_t *cache, dsc_source_set_t *set)
{
    int row;
    for (row = 0; row < result->count; row++) {
        if (!PQgetisnull(result->rows, row, column)) {
            const dsc_slice_t number = {PQgetvalue(result->rows, row, column),
                                        (size_t)PQgetlength(result->rows, row, column)};
            dsc_source_set_add(set, cache, (int)dsc_wire_integer(number));
        }
    }
}

int dsc_result_next(dsc_result_t *result)
{
    return ++result->row < result->count;
}

int dsc_result_rows(const dsc_result_t *result)
{
    return result->count;
}

dsc_slice_t dsc_result_value(const dsc_result_t *result, int column)
{
    dsc_slice_t value = {NULL, (size_t)PQgetlength(result->rows, result->row, column)};
    /* Of no length are SQL NULL and the empty text. */
    if (value.length > 0 || !PQgetisnull(result->rows, result->row, column)) {
        value.data = PQgetvalue(result->rows, result->row, column);
    }
    return value;
}

dsc_wire_t dsc_result_type(const dsc_result_t *result, int column)
{
    return (dsc_wire_t)result->types[column];
}

const dsc_stored_source_t *dsc_result_source(const dsc_result_t *result, int column)
{
    dsc_slice_t number = dsc_result_value(result, column);
    return number.data && result->sources
               ? dsc_source_set_find(result->sources, (int)dsc_wire_integer(number))
               : NULL;
}

const char *dsc_result_text(const dsc_result_t *result, int column)
{
    const char *text = PQgetvalue(result->rows, result->row, column);
    return *text || !PQgetisnull(result->rows, result->row, column) ? text : NULL;
}

const char *dsc_result_printed(apr_pool_t *pool, const dsc_result_t *result, int column)
{
    dsc_slice_t value = dsc_result_value(result, column);
    dsc_buffer_t *text;

    if (!value.data || !result->types || result->types[column] == DSC_WIRE_TEXT) {
        return value.data;
    }
    text = dsc_buffer_create(pool, 64);
    dsc_wire_text(text, dsc_result_type(result, column), value);
    return dsc_buffer_text(text);
}
