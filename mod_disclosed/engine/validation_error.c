#include "engine/json_writer.h"
#include "engine/value.h"

#include <apr_strings.h>

/* What a response lists: who sends thousands of mistakes is not to get many times as many bytes
 * back. */
enum {
    MOST_ERRORS = 100,
    MOST_TEXT = 256 * 1024 /* after so many bytes no further one begins */
};

int dsc_refuse(dsc_refusal_t *refusal, const char *type, const char *message, const char *context)
{
    refusal->type = type;
    refusal->message = message;
    refusal->context = context;
    return 0;
}

void dsc_validation_error_add(apr_array_header_t *errors, const char *location, const char *name,
                              const char *text, dsc_slice_t input)
{
    dsc_validation_error_t *error = apr_array_push(errors);

    memset(error, 0, sizeof(*error));
    error->type = "value_error";
    error->location = location;
    error->name = name;
    error->index = -1;
    error->message = apr_pstrcat(errors->pool, "Value error, ", text, NULL);
    error->input = input.data;
    error->input_length = input.length;
    error->context = "{\"error\":{}}";
}

static void write_location(dsc_buffer_t *buffer, const dsc_validation_error_t *error)
{
    dsc_buffer_append_char(buffer, '[');
    dsc_json_text(buffer, error->location);
    if (error->name) {
        dsc_buffer_append_char(buffer, ',');
        dsc_json_text(buffer, error->name);
    }
    if (error->index >= 0) {
        dsc_buffer_append_char(buffer, ',');
        dsc_json_integer(buffer, error->index);
    }
    dsc_buffer_append_char(buffer, ']');
}

static void write_input(dsc_buffer_t *buffer, const dsc_validation_error_t *error)
{
    const apr_array_header_t *list = error->input_list;
    int i;

    if (list) {
        dsc_buffer_append_char(buffer, '[');
        for (i = 0; i < list->nelts; i++) {
            const dsc_slice_t *element = &APR_ARRAY_IDX(list, i, dsc_slice_t);

            dsc_buffer_append_text(buffer, i > 0 ? "," : "");
            dsc_json_string(buffer, element->data, element->length);
        }
        dsc_buffer_append_char(buffer, ']');
    } else if (error->input_json) {
        dsc_json_compact(buffer, error->input_json);
    } else if (error->input) {
        dsc_json_string(buffer, error->input, error->input_length);
    } else {
        dsc_json_text(buffer, NULL);
    }
}

static void write_error(dsc_buffer_t *buffer, const dsc_validation_error_t *error)
{
    dsc_buffer_append_text(buffer, "{\"type\":");
    dsc_json_text(buffer, error->type);
    dsc_buffer_append_text(buffer, ",\"loc\":");
    write_location(buffer, error);
    dsc_buffer_append_text(buffer, ",\"msg\":");
    dsc_json_text(buffer, error->message);
    dsc_buffer_append_text(buffer, ",\"input\":");
    write_input(buffer, error);
    if (error->context) {
        dsc_buffer_append_text(buffer, ",\"ctx\":");
        dsc_buffer_append_text(buffer, error->context);
    }
    dsc_buffer_append_char(buffer, '}');
}

void dsc_validation_errors_write(dsc_buffer_t *buffer, const apr_array_header_t *errors)
{
    size_t most = buffer->length + MOST_TEXT;
    int i;

    dsc_buffer_append_text(buffer, "{\"detail\":[");
    for (i = 0; i < errors->nelts && i < MOST_ERRORS && buffer->length < most; i++) {
        dsc_buffer_append_text(buffer, i > 0 ? "," : "");
        write_error(buffer, &APR_ARRAY_IDX(errors, i, dsc_validation_error_t));
    }
    dsc_buffer_append_text(buffer, "]}");
}
