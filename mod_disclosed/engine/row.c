#include "engine/json_writer.h"
#include "engine/shape_walk.h"

#include <apr_strings.h>

/* Scales of values: the parameter's word, the power of ten, and the factor as JSON. */
typedef struct {
    const char *name;
    int power;
    const char *factor;
} scale_t;

static const scale_t scales[] = {
    {"as_reported", 0, "1"},
    {"thousand", 3, "1e-3"},
    {"million", 6, "1e-6"},
    {"billion", 9, "1e-9"},
};

const char *const dsc_scale_choices[] = {"as_reported", "thousand", "million", "billion", NULL};

int dsc_scale_find(const char *unit)
{
    int i;
    for (i = 0; i < DSC_COUNT(scales); i++) {
        if (unit && strcmp(scales[i].name, unit) == 0) {
            return scales[i].power;
        }
    }
    return 0;
}

static const scale_t *scale_of_power(int power)
{
    const scale_t *scale = scales;
    while (scale->power != power) {
        scale++;
    }
    return scale;
}

/* Appends once more what has been appended since `start` up to `end`. */
static void repeat(dsc_buffer_t *body, size_t start, size_t end)
{
    dsc_buffer_grow(body, end - start);
    dsc_buffer_append(body, body->data + start, end - start);
}

/* A value as reported: what is normalized is what is raw. */
static void write_reported(dsc_buffer_t *body, const char *raw, const char *unit)
{
    size_t start, end;
    dsc_buffer_append_text(body, "{\"raw\":");
    start = body->length;
    dsc_json_decimal(body, raw);
    end = body->length;
    dsc_buffer_append_text(body, ",\"normalized\":");
    repeat(body, start, end);
    dsc_buffer_append_text(body, ",\"unit\":");
    start = body->length;
    dsc_json_text(body, unit);
    end = body->length;
    dsc_buffer_append_text(body, ",\"original_unit\":");
    repeat(body, start, end);
    dsc_buffer_append_text(body, ",\"conversion_factor\":1}");
}

static void write_scaled(dsc_buffer_t *body, const char *raw, const char *unit,
                         const scale_t *scale)
{
    dsc_buffer_append_text(body, "{\"raw\":");
    dsc_json_decimal(body, raw);
    dsc_buffer_append_text(body, ",\"normalized\":");
    dsc_json_decimal_shifted(body, raw, -scale->power);
    dsc_buffer_append_text(body, ",\"unit\":");
    dsc_json_text(body, apr_pstrcat(body->pool, unit, "_", scale->name, NULL));
    dsc_buffer_append_text(body, ",\"original_unit\":");
    dsc_json_text(body, unit);
    dsc_buffer_append_text(body, ",\"conversion_factor\":");
    dsc_buffer_append_text(body, scale->factor);
    dsc_buffer_append_char(body, '}');
}

static void write_value(dsc_buffer_t *body, const char *raw, const char *unit, int power)
{
    if (!raw) {
        dsc_buffer_append_text(body, "null");
    } else if (power == 0) {
        write_reported(body, raw, unit);
    } else {
        write_scaled(body, raw, unit, scale_of_power(power));
    }
}

/* "src_<dataset>_" and the 32 hex digits of a uuid, which PostgreSQL writes in five groups. */
static void write_src_id(dsc_buffer_t *body, const char *dataset, dsc_slice_t uuid)
{
    const char *at, *end = uuid.data + uuid.length, *hyphen;
    dsc_buffer_append_text(body, "\"src_");
    dsc_buffer_append_text(body, dataset);
    dsc_buffer_append_char(body, '_');
    for (at = uuid.data; (hyphen = memchr(at, '-', (size_t)(end - at))); at = hyphen + 1) {
        dsc_buffer_append(body, at, (size_t)(hyphen - at));
    }
    dsc_buffer_append(body, at, (size_t)(end - at));
    dsc_buffer_append_char(body, '"');
}

static void write_provenance(dsc_buffer_t *body, const dsc_field_t *field,
                             const dsc_result_t *result, int *column)
{
    int i;
    dsc_slice_t url, digest = dsc_result_value(result, *column);
    if (!digest.data) {
        /* The row behind an outer join is not there. */
        *column += DSC_COUNT_OF_PROVENANCE;
        dsc_buffer_append_text(body, "null");
        return;
    }
    dsc_buffer_append_text(body, "{\"src_id\":");
    write_src_id(body, field->dataset, digest);
    url = dsc_result_value(result, *column + 2);
    for (i = 1; dsc_provenance_columns[i]; i++) {
        dsc_buffer_append_char(body, ',');
        dsc_json_name(body, dsc_provenance_columns[i]);
        dsc_json_slice(body, dsc_result_value(result, *column + i));
    }
    *column += i;
    if (field->flags & DSC_CITED) {
        dsc_buffer_append_text(body, ",\"citation_url\":");
        dsc_json_slice(body, url);
    }
    dsc_buffer_append_text(body, ",\"extracted_at\":");
    dsc_json_datetime(body, dsc_result_text(result, (*column)++));
    dsc_buffer_append_char(body, '}');
}

/* A CIK has ten digits. */
static void write_cik(dsc_buffer_t *body, dsc_slice_t digits)
{
    if (!digits.data) {
        dsc_buffer_append_text(body, "null");
        return;
    }
    dsc_buffer_append_char(body, '"');
    dsc_buffer_append(body, "0000000000", digits.length < 10 ? 10 - digits.length : 0);
    dsc_buffer_append(body, digits.data, digits.length);
    dsc_buffer_append_char(body, '"');
}

static void write_scalar(dsc_buffer_t *body, dsc_field_type_t type, dsc_slice_t value)
{
    switch (type) {
    case DSC_FIELD_INTEGER:
    case DSC_FIELD_DECIMAL:
        dsc_json_decimal(body, value.data);
        break;
    case DSC_FIELD_BOOLEAN:
        dsc_buffer_append_text(body, !value.data ? "null" : *value.data == 't' ? "true" : "false");
        break;
    case DSC_FIELD_DATETIME:
        dsc_json_datetime(body, value.data);
        break;
    case DSC_FIELD_CIK:
        write_cik(body, value);
        break;
    case DSC_FIELD_JSON:
        dsc_json_compact(body, value.data ? value.data : "null");
        break;
    default:
        dsc_json_slice(body, value);
    }
}

static void write_field(dsc_buffer_t *body, const dsc_field_t *field, const dsc_result_t *result,
                        int *column, int scale)
{
    const char *raw;
    switch (field->type) {
    case DSC_FIELD_OBJECT:
        dsc_row_write(body, field->shape, result, column, scale);
        break;
    case DSC_FIELD_VALUE:
        raw = dsc_result_text(result, (*column)++);
        write_value(body, raw, field->unit_sql ? dsc_result_text(result, (*column)++) : field->unit,
                    scale);
        break;
    case DSC_FIELD_PROVENANCE:
        write_provenance(body, field, result, column);
        break;
    default:
        write_scalar(body, field->type, dsc_result_value(result, (*column)++));
    }
}

/* Columns of a field that is left out, so that they can be passed over. */
static int count_columns(const dsc_shape_t *shape, apr_pool_t *pool)
{
    int count;
    dsc_shape_select(pool, shape, &count);
    return count;
}

void dsc_row_write(dsc_buffer_t *body, const dsc_shape_t *shape, const dsc_result_t *result,
                   int *column, int scale)
{
    int i;
    char separator = '{';
    for (i = 0; i < shape->field_count; i++) {
        const dsc_field_t *field = &shape->fields[i];
        if (field->type == DSC_FIELD_OBJECT && (field->flags & DSC_OPTIONAL)) {
            const char *present = dsc_result_text(result, (*column)++);
            if (!present || *present != 't') {
                *column += count_columns(field->shape, body->pool);
                continue;
            }
        }
        dsc_buffer_append_char(body, separator);
        separator = ',';
        dsc_json_name(body, field->name);
        write_field(body, field, result, column, scale);
    }
    dsc_buffer_append_char(body, '}');
}
