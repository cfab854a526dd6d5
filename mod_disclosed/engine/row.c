#include "engine/json_writer.h"
#include "engine/shape_walk.h"
#include "engine/value.h"
#include "engine/writer.h"

#include <apr_strings.h>
#include <stdlib.h>

/* A field made ready: its name as it stands before a value, a comma first. */
typedef struct {
    const dsc_field_t *field;
    const dsc_layout_t *inner; /* DSC_FIELD_OBJECT: of its shape */
    int columns;               /* with a writer: how many it reads */
    dsc_slice_t name;
} cell_t;

struct dsc_layout_t {
    int count, columns;
    cell_t cells[];
};

/* Scales of values: the parameter's word, and the power of ten. */
typedef struct {
    const char *name;
    int power;
} scale_t;

static const scale_t scales[] = {
    {"as_reported", 0},
    {"thousand", 3},
    {"million", 6},
    {"billion", 9},
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
static void write_reported(dsc_buffer_t *body, dsc_wire_t type, dsc_slice_t raw, dsc_slice_t unit)
{
    size_t start, end;
    dsc_buffer_append_text(body, "{\"raw\":");
    start = body->length;
    dsc_wire_json_number(body, type, raw);
    end = body->length;
    dsc_buffer_append_text(body, ",\"normalized\":");
    repeat(body, start, end);
    dsc_buffer_append_text(body, ",\"unit\":");
    start = body->length;
    dsc_json_slice(body, unit);
    end = body->length;
    dsc_buffer_append_text(body, ",\"original_unit\":");
    repeat(body, start, end);
    dsc_buffer_append_text(body, ",\"conversion_factor\":1}");
}

/* The scale that a unit has itself (USD_million), which is taken from its end. */
static const scale_t *take_scale(dsc_slice_t *unit)
{
    int i;
    for (i = 1; i < DSC_COUNT(scales); i++) {
        size_t length = strlen(scales[i].name);
        if (unit->data && unit->length > length + 1 &&
            unit->data[unit->length - length - 1] == '_' &&
            memcmp(unit->data + unit->length - length, scales[i].name, length) == 0) {
            unit->length -= length + 1;
            return &scales[i];
        }
    }
    return scales;
}

static void write_scaled(dsc_buffer_t *body, dsc_wire_t type, dsc_slice_t raw, dsc_slice_t unit,
                         const scale_t *scale)
{
    dsc_slice_t base = unit;
    int power = take_scale(&base)->power - scale->power;
    dsc_buffer_t text = {.pool = body->pool}; /* a response has many, so it is freed here */
    dsc_buffer_enlarge(&text, 64);
    dsc_wire_text(&text, type, raw);
    dsc_buffer_append_text(body, "{\"raw\":");
    dsc_wire_json_number(body, type, raw);
    dsc_buffer_append_text(body, ",\"normalized\":");
    dsc_json_decimal_shifted(body, dsc_buffer_text(&text), power);
    free(text.data);
    dsc_buffer_append_text(body, ",\"unit\":\"");
    dsc_json_inside(body, base.data, base.length);
    dsc_buffer_append_char(body, '_');
    dsc_buffer_append_text(body, scale->name);
    dsc_buffer_append_text(body, "\",\"original_unit\":");
    dsc_json_slice(body, unit);
    dsc_buffer_append_text(body, ",\"conversion_factor\":");
    if (power < 0) {
        dsc_buffer_printf(body, "1e%d", power);
    } else {
        dsc_buffer_append_char(body, '1');
        dsc_buffer_append(body, "000000000", (size_t)power);
    }
    dsc_buffer_append_char(body, '}');
}

/* Whether amounts in the unit are no quantities of something: they stay as they are whatever scale
 * is asked for. */
static int is_rate(dsc_slice_t unit)
{
    static const char per_share[] = "_per_share";
    size_t length = sizeof(per_share) - 1;
    return dsc_slice_is(unit, "pure") || dsc_slice_is(unit, "percent") ||
           (unit.data && unit.length > length &&
            memcmp(unit.data + unit.length - length, per_share, length) == 0);
}

static void write_value(dsc_buffer_t *body, const dsc_field_t *field, const dsc_result_t *result,
                        int *column, int power)
{
    dsc_wire_t type = dsc_result_type(result, *column);
    dsc_slice_t raw = dsc_result_value(result, (*column)++), unit;
    if (field->unit_sql) {
        unit = dsc_result_value(result, (*column)++);
    } else {
        unit = (dsc_slice_t){field->unit, strlen(field->unit)};
    }
    if (!raw.data) {
        dsc_buffer_append(body, "null", 4);
    } else if (power == 0 || is_rate(unit)) {
        write_reported(body, type, raw, unit);
    } else {
        write_scaled(body, type, raw, unit, scale_of_power(power));
    }
}

void dsc_row_src_id(dsc_buffer_t *body, dsc_slice_t dataset, dsc_slice_t uuid)
{
    dsc_buffer_append_text(body, "\"src_");
    dsc_buffer_append(body, dataset.data, dataset.length);
    dsc_buffer_append_char(body, '_');
    dsc_wire_hex(body, uuid);
    dsc_buffer_append_char(body, '"');
}

static void append_slice(dsc_buffer_t *body, dsc_slice_t text)
{
    dsc_buffer_append(body, text.data, text.length);
}

static void write_time(dsc_buffer_t *body, dsc_wire_t type, dsc_slice_t time)
{
    if (time.data) {
        dsc_wire_json_datetime(body, type, time);
    } else {
        dsc_buffer_append(body, "null", 4);
    }
}

/* A provenance as it is read. */
typedef struct {
    dsc_slice_t dataset, columns[DSC_COUNT_OF_PROVENANCE];
    const dsc_stored_source_t *source;
    char accession[DSC_ACCESSION_LENGTH]; /* of one that comes as a number */
} provenance_t;

static void read_accession(provenance_t *from, dsc_wire_t type)
{
    dsc_slice_t *accession = &from->columns[DSC_PROVENANCE_ACCESSION];

    if (type == DSC_WIRE_INTEGER && accession->data) {
        dsc_wire_accession(from->accession, *accession);
        *accession = (dsc_slice_t){from->accession, sizeof(from->accession)};
    }
}

static void read_provenance(provenance_t *from, const dsc_result_t *result, int column)
{
    static const dsc_stored_source_t none = {0};
    int i;
    for (i = 0; i < DSC_COUNT_OF_PROVENANCE; i++) {
        from->columns[i] = dsc_result_value(result, column + i);
    }
    read_accession(from, dsc_result_type(result, column + DSC_PROVENANCE_ACCESSION));
    from->source = dsc_result_source(result, column + DSC_PROVENANCE_SOURCE);
    if (!from->source) {
        from->source = &none;
    }
}

/* Whether the address is put together of a filing's. */
static int is_filing(const provenance_t *from)
{
    return from->source->by_filing && from->columns[DSC_PROVENANCE_CIK].data;
}

/* Appends the address by `put`; that of a filing is its folder's, which has the digits of the
 * accession number for a name, and its document's. */
static void append_url(dsc_buffer_t *text, const provenance_t *from,
                       void (*put)(dsc_buffer_t *text, const char *bytes, size_t length))
{
    dsc_slice_t accession = from->columns[DSC_PROVENANCE_ACCESSION];
    dsc_slice_t document = from->columns[DSC_PROVENANCE_DOCUMENT];
    size_t i;

    put(text, from->source->url.data, from->source->url.length);
    if (!is_filing(from)) {
        return;
    }
    dsc_json_integer(text, dsc_wire_integer(from->columns[DSC_PROVENANCE_CIK]));
    dsc_buffer_append_char(text, '/');
    for (i = 0; i < accession.length; i++) {
        if (accession.data[i] != '-') {
            dsc_buffer_append_char(text, accession.data[i]);
        }
    }
    dsc_buffer_append_char(text, '/');
    if (document.data) {
        put(text, document.data, document.length);
    } else {
        append_slice(text, accession);
        dsc_buffer_append_text(text, "-index.htm");
    }
}

static void write_url(dsc_buffer_t *body, const provenance_t *from)
{
    if (!is_filing(from)) {
        dsc_json_slice(body, from->source->url);
        return;
    }
    dsc_buffer_append_char(body, '"');
    append_url(body, from, dsc_json_inside);
    dsc_buffer_append_char(body, '"');
}

const char *dsc_row_url(apr_pool_t *pool, const dsc_result_t *result, int column)
{
    dsc_buffer_t *text = dsc_buffer_create(pool, 128);
    provenance_t from;
    read_provenance(&from, result, column);
    if (!from.source->url.data) {
        return NULL;
    }
    append_url(text, &from, dsc_buffer_append);
    return dsc_buffer_text(text);
}

static void write_hash(dsc_buffer_t *body, dsc_slice_t hash)
{
    if (!hash.data) {
        dsc_buffer_append(body, "null", 4);
        return;
    }
    dsc_buffer_append_text(body, "\"sha256:");
    dsc_wire_hex(body, hash);
    dsc_buffer_append_char(body, '"');
}

static void write_members(dsc_buffer_t *body, const dsc_field_t *field, const provenance_t *from)
{
    dsc_slice_t extracted = from->source->extracted_at;
    dsc_buffer_append_text(body, "{\"src_id\":");
    dsc_row_src_id(body, from->dataset, from->columns[DSC_PROVENANCE_DIGEST]);
    dsc_buffer_append_text(body, ",\"source_provider\":");
    dsc_json_slice(body, from->source->provider);
    dsc_buffer_append_text(body, ",\"source_url\":");
    write_url(body, from);
    dsc_buffer_append_text(body, ",\"accession\":");
    dsc_json_slice(body, from->columns[DSC_PROVENANCE_ACCESSION]);
    dsc_buffer_append_text(body, ",\"quote\":");
    dsc_json_slice(body, from->columns[DSC_PROVENANCE_QUOTE]);
    dsc_buffer_append_text(body, ",\"content_hash\":");
    write_hash(body, from->source->content_hash);
    if (field->flags & DSC_CITED) {
        dsc_buffer_append_text(body, ",\"citation_url\":");
        write_url(body, from);
    }
    dsc_buffer_append_text(body, ",\"extracted_at\":");
    write_time(body, DSC_WIRE_TIMESTAMPTZ,
               extracted.data ? extracted : from->columns[DSC_PROVENANCE_RECORDED]);
    dsc_buffer_append_char(body, '}');
}

static void write_provenance(dsc_buffer_t *body, const dsc_field_t *field,
                             const dsc_result_t *result, int *column)
{
    provenance_t from;
    read_provenance(&from, result, *column);
    *column += DSC_COUNT_OF_PROVENANCE;
    from.dataset = field->dataset_sql ? dsc_result_value(result, (*column)++)
                                      : (dsc_slice_t){field->dataset, strlen(field->dataset)};
    if (from.columns[DSC_PROVENANCE_DIGEST].data) {
        write_members(body, field, &from);
    } else { /* the row behind an outer join is not there */
        dsc_buffer_append_text(body, "null");
    }
}

/* A CIK has ten digits. */
static void write_cik(dsc_buffer_t *body, long long cik)
{
    char digits[24], *end = digits + sizeof(digits), *at = end;
    unsigned long long rest = (unsigned long long)cik;

    while (rest > 0 || end - at < 10) {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    }
    dsc_buffer_append_char(body, '"');
    dsc_buffer_append(body, at, (size_t)(end - at));
    dsc_buffer_append_char(body, '"');
}

/* JSON text of PostgreSQL's, or an array of texts. */
static void write_json(dsc_buffer_t *body, dsc_wire_t type, dsc_slice_t value)
{
    if (type == DSC_WIRE_TEXTS) {
        dsc_wire_json_texts(body, value);
    } else {
        dsc_json_compact(body, value.data + (type == DSC_WIRE_JSONB)); /* behind its version */
    }
}

/* A date, which has no character that JSON escapes. */
static void write_date(dsc_buffer_t *body, dsc_slice_t date)
{
    dsc_buffer_append_char(body, '"');
    dsc_wire_text(body, DSC_WIRE_DATE, date);
    dsc_buffer_append_char(body, '"');
}

static void write_scalar(dsc_buffer_t *body, dsc_field_type_t type, const dsc_result_t *result,
                         int column)
{
    dsc_slice_t value = dsc_result_value(result, column);
    if (!value.data) {
        dsc_buffer_append(body, "null", 4);
        return;
    }
    switch (type) {
    case DSC_FIELD_INTEGER:
    case DSC_FIELD_DECIMAL:
        dsc_wire_json_number(body, dsc_result_type(result, column), value);
        break;
    case DSC_FIELD_BOOLEAN:
        dsc_json_boolean(body, dsc_wire_boolean(value));
        break;
    case DSC_FIELD_DATE:
        write_date(body, value);
        break;
    case DSC_FIELD_DATETIME:
        dsc_wire_json_datetime(body, dsc_result_type(result, column), value);
        break;
    case DSC_FIELD_CIK:
        write_cik(body, dsc_wire_integer(value));
        break;
    case DSC_FIELD_JSON:
        write_json(body, dsc_result_type(result, column), value);
        break;
    default:
        dsc_json_string(body, value.data, value.length);
    }
}

/* Provenances that PostgreSQL has written, or the one of the row's own. */
static void write_sources(dsc_buffer_t *body, const dsc_field_t *field, const dsc_result_t *result,
                          int *column)
{
    dsc_slice_t written = dsc_result_value(result, *column);
    int first = *column + 1;

    if (written.data) {
        write_json(body, dsc_result_type(result, *column), written);
    } else {
        dsc_buffer_append_char(body, '[');
        write_provenance(body, field, result, &first);
        dsc_buffer_append_char(body, ']');
    }
    *column += 1 + DSC_COUNT_OF_PROVENANCE;
}

/* The calendar period of the dates behind it: twelve months to a quarter's end are of no calendar
 * year. */
static void write_calendar(dsc_buffer_t *body, const dsc_result_t *result, int column)
{
    dsc_slice_t kind = dsc_result_value(result, column + DSC_CALENDAR_KIND);

    if (!kind.data || (kind.length == 3 && memcmp(kind.data, "ttm", 3) == 0)) {
        dsc_buffer_append(body, "null", 4);
        return;
    }
    dsc_wire_json_calendar(body, dsc_result_value(result, column + DSC_CALENDAR_START),
                           dsc_result_value(result, column + DSC_CALENDAR_END));
}

static void write_cell(dsc_buffer_t *body, const cell_t *cell, const dsc_result_t *result,
                       int *column, int scale)
{
    const dsc_field_t *field = cell->field;
    switch (field->type) {
    case DSC_FIELD_OBJECT:
        dsc_row_write(body, cell->inner, result, column, scale);
        break;
    case DSC_FIELD_VALUE:
        write_value(body, field, result, column, scale);
        break;
    case DSC_FIELD_PROVENANCE:
        write_provenance(body, field, result, column);
        break;
    default:
        if (field->type == DSC_FIELD_JSON && field->dataset) {
            write_sources(body, field, result, column);
        } else if (field->writer) {
            field->writer->write(body, result, *column);
            *column += cell->columns;
        } else if (field->flags & DSC_CALENDAR) {
            write_calendar(body, result, *column);
        } else {
            write_scalar(body, field->type, result, (*column)++);
        }
    }
}

/* Whether the row has what may be left out; if it has not, its columns are passed over. */
static int is_there(const cell_t *cell, const dsc_result_t *result, int *column)
{
    dsc_slice_t present;
    if (cell->field->type != DSC_FIELD_OBJECT || !(cell->field->flags & DSC_OPTIONAL)) {
        return 1;
    }
    present = dsc_result_value(result, (*column)++);
    if (present.data && dsc_wire_boolean(present)) {
        return 1;
    }
    *column += cell->inner->columns;
    return 0;
}

void dsc_row_write(dsc_buffer_t *body, const dsc_layout_t *layout, const dsc_result_t *result,
                   int *column, int scale)
{
    size_t start = body->length;
    const cell_t *cell, *end = layout->cells + layout->count;
    for (cell = layout->cells; cell < end; cell++) {
        if (is_there(cell, result, column)) {
            append_slice(body, cell->name);
            write_cell(body, cell, result, column, scale);
        }
    }
    if (body->length == start) {
        dsc_buffer_append_char(body, ',');
    }
    body->data[start] = '{'; /* in place of the first comma */
    dsc_buffer_append_char(body, '}');
}

const dsc_layout_t *dsc_layout_create(apr_pool_t *pool, const dsc_shape_t *shape)
{
    size_t count = (size_t)shape->field_count;
    dsc_layout_t *layout = apr_pcalloc(pool, sizeof(*layout) + count * sizeof(cell_t));
    int i;
    layout->count = shape->field_count;
    layout->columns = dsc_shape_columns(shape);
    for (i = 0; i < layout->count; i++) {
        const dsc_field_t *field = &shape->fields[i];
        cell_t *cell = &layout->cells[i];
        cell->field = field;
        cell->name.data = apr_pstrcat(pool, ",\"", field->name, "\":", NULL);
        cell->name.length = strlen(cell->name.data);
        if (field->type == DSC_FIELD_OBJECT) {
            cell->inner = dsc_layout_create(pool, field->shape);
        }
        cell->columns = field->writer ? dsc_shape_field_columns(field) : 0;
    }
    return layout;
}
