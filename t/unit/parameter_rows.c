#include "unit/fixture.h"
#include "unit/parameter_rows.h"

#include "engine/json_writer.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

static void write_list(dsc_buffer_t *result, const apr_array_header_t *list)
{
    int i;

    dsc_buffer_append_char(result, '[');
    for (i = 0; i < list->nelts; i++) {
        dsc_buffer_append_text(result, i > 0 ? "," : "");
        dsc_json_text(result, APR_ARRAY_IDX(list, i, const char *));
    }
    dsc_buffer_append_char(result, ']');
}

const char *dsc_row_result(const dsc_parameter_t *parameter, const char *query)
{
    apr_array_header_t *errors = apr_array_make(dsc_pool, 1, sizeof(dsc_validation_error_t));
    apr_array_header_t *path_values = apr_array_make(dsc_pool, 1, sizeof(dsc_slice_t));
    dsc_buffer_t *result = dsc_buffer_create(dsc_pool, 0);
    dsc_value_t value;
    int good = dsc_parameters_read(dsc_pool, parameter, 1, path_values,
                                   dsc_query_parse(dsc_pool, query), &value, errors);

    CU_ASSERT_EQUAL(good, errors->nelts == 0);
    if (!good) {
        dsc_validation_errors_write(result, errors);
    } else if (!value.present) {
        dsc_buffer_append_text(result, "absent");
    } else if (value.list) {
        write_list(result, value.list);
    } else {
        dsc_buffer_append_text(result, value.text);
    }
    return dsc_buffer_text(result);
}

void dsc_rows_check(const dsc_parameter_t *parameter, const dsc_row_t *rows, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        const char *result = dsc_row_result(parameter, rows[i].query);

        CU_ASSERT_STRING_EQUAL(result, rows[i].expected);
        if (strcmp(result, rows[i].expected) != 0) {
            fprintf(stderr, "%s\n    gives    %s\n    expected %s\n", rows[i].query, result,
                    rows[i].expected);
        }
    }
}
