#include "engine/shape_walk.h"

#include "engine/dataset.h"
#include "engine/tables.h"
#include "engine/writer.h"

#include <apr_strings.h>
#include <string.h>

/* What a provenance is written from: SQL with the alias in the place of "@", and which types it may
 * have. */
typedef struct {
    const char *sql;
    unsigned types;
} dsc_provenance_column_t;

static const dsc_provenance_column_t provenance_columns[] = {
    [DSC_PROVENANCE_DIGEST] = {"@.src_digest", DSC_WIRE_BIT(DSC_WIRE_UUID)},
    [DSC_PROVENANCE_SOURCE] = {"@.source_id", DSC_WIRE_BIT(DSC_WIRE_INTEGER)},
    [DSC_PROVENANCE_ACCESSION] = {"@.accession",
                                  DSC_WIRE_BIT(DSC_WIRE_TEXT) | DSC_WIRE_BIT(DSC_WIRE_INTEGER)},
    [DSC_PROVENANCE_QUOTE] = {"@.quote", DSC_WIRE_BIT(DSC_WIRE_TEXT)},
    [DSC_PROVENANCE_RECORDED] = {"@.recorded_at", DSC_WIRE_BIT(DSC_WIRE_TIMESTAMPTZ)},
};

/* Appends one column with its name. */
static void add_column(dsc_buffer_t *list, int *count, const char *sql)
{
    dsc_buffer_printf(list, "%s%s AS c%d", *count ? ", " : "", sql, *count + 1);
    (*count)++;
}

static const char *with_alias(apr_pool_t *pool, const char *text, const char *alias)
{
    dsc_buffer_t *sql = dsc_buffer_create(pool, 128);
    for (; *text; text++) {
        if (*text == '@') {
            dsc_buffer_append_text(sql, alias);
        } else {
            dsc_buffer_append_char(sql, *text);
        }
    }
    return dsc_buffer_text(sql);
}

/* JSON may be followed by the columns of the provenance that is in its place. */
static int has_provenance(const dsc_field_t *field)
{
    return field->type == DSC_FIELD_JSON && field->dataset != NULL;
}

/* A filing's address is put together of the CIK, the accession number and the name of the document
 * (write_url, row.c). */
static void add_provenance(dsc_buffer_t *list, int *count, const dsc_field_t *field,
                           const char *alias)
{
    const dsc_dataset_t *dataset = field->dataset ? dsc_dataset_find(field->dataset) : NULL;
    const char *cik = "NULL::bigint", *document = "NULL::text";
    int i;
    for (i = 0; i < DSC_COUNT(provenance_columns); i++) {
        add_column(list, count, with_alias(list->pool, provenance_columns[i].sql, alias));
    }
    if (dataset && dataset->flags & DSC_OF_FILINGS) {
        cik = field->filer ? field->filer
                           : "(SELECT filer.cik FROM issuer filer"
                             " WHERE filer.issuer_id = @.issuer_id)";
        document =
            dataset->document ? apr_pstrcat(list->pool, "@.", dataset->document, NULL) : document;
    } else if (field->dataset_sql) {
        cik = field->filer ? field->filer : cik;
        document = field->document ? field->document : document;
    }
    add_column(list, count, with_alias(list->pool, cik, alias));
    add_column(list, count, with_alias(list->pool, document, alias));
    if (field->dataset_sql) {
        add_column(list, count, field->dataset_sql);
    }
}

/* How many columns a function needs behind the field's own. */
static int columns_behind(const dsc_writer_t *writer)
{
    int count = 0;

    while (count < DSC_COUNT(writer->columns) && writer->columns[count].sql) {
        count++;
    }
    return count;
}

static void add_columns_behind(dsc_buffer_t *list, int *count, const dsc_writer_t *writer)
{
    int i;

    for (i = 0; i < columns_behind(writer); i++) {
        add_column(list, count, writer->columns[i].sql);
    }
}

static void add_fields(dsc_buffer_t *list, int *count, const dsc_shape_t *shape)
{
    int i;
    for (i = 0; i < shape->field_count; i++) {
        const dsc_field_t *field = &shape->fields[i];
        switch (field->type) {
        case DSC_FIELD_OBJECT:
            if (field->flags & DSC_OPTIONAL) {
                add_column(list, count, field->sql);
            }
            add_fields(list, count, field->shape);
            break;
        case DSC_FIELD_VALUE:
            add_column(list, count, field->sql);
            if (field->unit_sql) {
                add_column(list, count, field->unit_sql);
            }
            break;
        case DSC_FIELD_PROVENANCE:
            add_provenance(list, count, field, field->sql);
            break;
        default:
            if (field->flags & DSC_CALENDAR) {
                break;
            }
            add_column(list, count, field->sql);
            if (field->writer) {
                add_columns_behind(list, count, field->writer);
            }
            if (has_provenance(field)) {
                add_provenance(list, count, field, "t");
            }
        }
    }
}

void dsc_source_join(dsc_buffer_t *from, const char *alias)
{
    dsc_buffer_append_text(
        from, with_alias(from->pool,
                         " LEFT JOIN source @_source ON @_source.source_id = @.source_id", alias));
}

static int is_of_source(const char *sql)
{
    return strstr(sql, "t_source.") != NULL;
}

static int is_written_from_source(const dsc_writer_t *writer)
{
    int i;
    for (i = 0; writer && i < columns_behind(writer); i++) {
        if (is_of_source(writer->columns[i].sql)) {
            return 1;
        }
    }
    return 0;
}

/* Where a field's SQL reads the source of row t, which provenances do without. */
static int reads_source(const dsc_shape_t *shape)
{
    int i;
    for (i = 0; i < shape->field_count; i++) {
        const dsc_field_t *field = &shape->fields[i];
        if (field->type == DSC_FIELD_OBJECT
                ? reads_source(field->shape)
                : is_of_source(field->sql) || is_written_from_source(field->writer)) {
            return 1;
        }
    }
    return 0;
}

const char *dsc_shape_sources(const dsc_shape_t *shape)
{
    return reads_source(shape) ? "{source:t}" : "";
}

const char *dsc_shape_select(apr_pool_t *pool, const dsc_shape_t *shape, int *column_count)
{
    dsc_buffer_t *list = dsc_buffer_create(pool, 1024);
    *column_count = 0;
    add_fields(list, column_count, shape);
    return apr_pstrdup(pool, dsc_buffer_text(list));
}

int dsc_shape_field_columns(const dsc_field_t *field)
{
    switch (field->type) {
    case DSC_FIELD_OBJECT:
        return dsc_shape_columns(field->shape) + ((field->flags & DSC_OPTIONAL) != 0);
    case DSC_FIELD_VALUE:
        return field->unit_sql ? 2 : 1;
    case DSC_FIELD_PROVENANCE:
        return DSC_COUNT_OF_PROVENANCE + (field->dataset_sql != NULL);
    default:
        return field->flags & DSC_CALENDAR ? 0
               : field->writer             ? 1 + columns_behind(field->writer)
               : has_provenance(field)     ? 1 + DSC_COUNT_OF_PROVENANCE
                                           : 1;
    }
}

int dsc_shape_columns(const dsc_shape_t *shape)
{
    int i, count = 0;
    for (i = 0; i < shape->field_count; i++) {
        count += dsc_shape_field_columns(&shape->fields[i]);
    }
    return count;
}

/* What fields of each type take. */
static const unsigned taken[] = {
    [DSC_FIELD_INTEGER] = DSC_WIRE_BIT(DSC_WIRE_INTEGER) | DSC_WIRE_BIT(DSC_WIRE_NUMERIC),
    [DSC_FIELD_DECIMAL] = DSC_WIRE_BIT(DSC_WIRE_INTEGER) | DSC_WIRE_BIT(DSC_WIRE_NUMERIC),
    [DSC_FIELD_TEXT] = DSC_WIRE_BIT(DSC_WIRE_TEXT),
    [DSC_FIELD_BOOLEAN] = DSC_WIRE_BIT(DSC_WIRE_BOOLEAN),
    [DSC_FIELD_DATE] = DSC_WIRE_BIT(DSC_WIRE_DATE),
    [DSC_FIELD_DATETIME] = DSC_WIRE_BIT(DSC_WIRE_TIMESTAMPTZ),
    [DSC_FIELD_CIK] = DSC_WIRE_BIT(DSC_WIRE_INTEGER),
    [DSC_FIELD_JSON] =
        DSC_WIRE_BIT(DSC_WIRE_TEXT) | DSC_WIRE_BIT(DSC_WIRE_JSONB) | DSC_WIRE_BIT(DSC_WIRE_TEXTS),
    [DSC_FIELD_VALUE] = DSC_WIRE_BIT(DSC_WIRE_INTEGER) | DSC_WIRE_BIT(DSC_WIRE_NUMERIC),
};

static void take(dsc_columns_t *columns, unsigned types)
{
    columns->types[columns->count++] = types;
}

static void take_provenance(dsc_columns_t *columns, const dsc_field_t *field)
{
    int i;

    for (i = 0; i < DSC_COUNT(provenance_columns); i++) {
        take(columns,
             provenance_columns[i].types | (i == DSC_PROVENANCE_SOURCE ? DSC_NAMES_SOURCE : 0));
    }
    take(columns, DSC_WIRE_BIT(DSC_WIRE_INTEGER));
    take(columns, DSC_WIRE_BIT(DSC_WIRE_TEXT));
    if (field->dataset_sql) {
        take(columns, DSC_WIRE_BIT(DSC_WIRE_TEXT));
    }
}

static void take_written(dsc_columns_t *columns, const dsc_writer_t *writer)
{
    int i;

    take(columns, writer->types);
    for (i = 0; i < columns_behind(writer); i++) {
        take(columns, writer->columns[i].types);
    }
}

static void take_fields(dsc_columns_t *columns, const dsc_shape_t *shape)
{
    int i;

    for (i = 0; i < shape->field_count; i++) {
        const dsc_field_t *field = &shape->fields[i];

        if (field->type == DSC_FIELD_PROVENANCE) {
            take_provenance(columns, field);
        } else if (field->type == DSC_FIELD_OBJECT) {
            if (field->flags & DSC_OPTIONAL) {
                take(columns, DSC_WIRE_BIT(DSC_WIRE_BOOLEAN));
            }
            take_fields(columns, field->shape);
        } else if (field->writer) {
            take_written(columns, field->writer);
        } else if (!(field->flags & DSC_CALENDAR)) {
            take(columns, taken[field->type]);
            if (field->unit_sql) {
                take(columns, DSC_WIRE_BIT(DSC_WIRE_TEXT));
            }
            if (has_provenance(field)) {
                take_provenance(columns, field);
            }
        }
    }
}

const dsc_columns_t *dsc_shape_takes(apr_pool_t *pool, const dsc_shape_t *shape)
{
    size_t count = (size_t)dsc_shape_columns(shape);
    dsc_columns_t *columns = apr_palloc(pool, sizeof(*columns) + count * sizeof(columns->types[0]));

    columns->count = 0;
    take_fields(columns, shape);
    return columns;
}

int dsc_shape_column(const dsc_shape_t *shape, const char *sql)
{
    int i, column = 0;
    for (i = 0; i < shape->field_count; i++) {
        const dsc_field_t *field = &shape->fields[i];
        if (field->type != DSC_FIELD_OBJECT && field->type != DSC_FIELD_PROVENANCE &&
            !(field->flags & DSC_CALENDAR) && strcmp(field->sql, sql) == 0) {
            return column;
        }
        column += dsc_shape_field_columns(field);
    }
    return -1;
}
