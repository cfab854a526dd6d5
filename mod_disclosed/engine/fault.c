#include "engine/json_writer.h"
#include "engine/value.h"

#include <apr_strings.h>

int dsc_refuse(dsc_refusal_t *refusal, const char *type, const char *message, const char *context)
{
    refusal->type = type;
    refusal->message = message;
    refusal->context = context;
    return 0;
}

void dsc_fault_value_error(apr_array_header_t *faults, const char *place, const char *name,
                           const char *text, dsc_slice_t input)
{
    dsc_fault_t *fault = apr_array_push(faults);

    memset(fault, 0, sizeof(*fault));
    fault->type = "value_error";
    fault->place = place;
    fault->name = name;
    fault->index = -1;
    fault->message = apr_pstrcat(faults->pool, "Value error, ", text, NULL);
    fault->input = input.data;
    fault->input_length = input.length;
    fault->context = "{\"error\":{}}";
}

static void write_location(dsc_buffer_t *buffer, const dsc_fault_t *fault)
{
    dsc_buffer_append_char(buffer, '[');
    dsc_json_text(buffer, fault->place);
    if (fault->name) {
        dsc_buffer_append_char(buffer, ',');
        dsc_json_text(buffer, fault->name);
    }
    if (fault->index >= 0) {
        dsc_buffer_append_char(buffer, ',');
        dsc_json_integer(buffer, fault->index);
    }
    dsc_buffer_append_char(buffer, ']');
}

static void write_input(dsc_buffer_t *buffer, const dsc_fault_t *fault)
{
    const apr_array_header_t *list = fault->input_list;
    int i;

    if (list) {
        dsc_buffer_append_char(buffer, '[');
        for (i = 0; i < list->nelts; i++) {
            const dsc_slice_t *element = &APR_ARRAY_IDX(list, i, dsc_slice_t);

            dsc_buffer_append_text(buffer, i > 0 ? "," : "");
            dsc_json_string(buffer, element->data, element->length);
        }
        dsc_buffer_append_char(buffer, ']');
    } else if (fault->input_json) {
        dsc_json_compact(buffer, fault->input_json);
    } else if (fault->input) {
        dsc_json_string(buffer, fault->input, fault->input_length);
    } else {
        dsc_json_text(buffer, NULL);
    }
}

static void write_fault(dsc_buffer_t *buffer, const dsc_fault_t *fault)
{
    dsc_buffer_append_text(buffer, "{\"type\":");
    dsc_json_text(buffer, fault->type);
    dsc_buffer_append_text(buffer, ",\"loc\":");
    write_location(buffer, fault);
    dsc_buffer_append_text(buffer, ",\"msg\":");
    dsc_json_text(buffer, fault->message);
    dsc_buffer_append_text(buffer, ",\"input\":");
    write_input(buffer, fault);
    if (fault->context) {
        dsc_buffer_append_text(buffer, ",\"ctx\":");
        dsc_buffer_append_text(buffer, fault->context);
    }
    dsc_buffer_append_char(buffer, '}');
}

void dsc_faults_write(dsc_buffer_t *buffer, const apr_array_header_t *faults)
{
    int i;

    dsc_buffer_append_text(buffer, "{\"detail\":[");
    for (i = 0; i < faults->nelts; i++) {
        dsc_buffer_append_text(buffer, i > 0 ? "," : "");
        write_fault(buffer, &APR_ARRAY_IDX(faults, i, dsc_fault_t));
    }
    dsc_buffer_append_text(buffer, "]}");
}
