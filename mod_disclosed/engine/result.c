#include "engine/result.h"

#include "engine/buffer.h"

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
