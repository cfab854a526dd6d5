#include "engine/shape_walk.h"

#include <apr_strings.h>

const char *const dsc_provenance_columns[] = {"src_digest", "source_provider", "source_url",
                                              "accession",  "quote",           "content_hash",
                                              NULL};
_Static_assert(DSC_COUNT(dsc_provenance_columns) == DSC_COUNT_OF_PROVENANCE,
               "extracted_at takes the place of the NULL");

/* Appends one column with its name. */
static void add_column(dsc_buffer_t *list, int *count, const char *sql)
{
    dsc_buffer_printf(list, "%s%s AS c%d", *count ? ", " : "", sql, *count + 1);
    (*count)++;
}

static void add_provenance(dsc_buffer_t *list, int *count, const char *alias)
{
    const char *const *column;
    for (column = dsc_provenance_columns; *column; column++) {
        add_column(list, count, apr_pstrcat(list->pool, alias, ".", *column, NULL));
    }
    add_column(list, count,
               apr_psprintf(list->pool, "coalesce(%s.extracted_at, %s.recorded_at)", alias, alias));
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
            add_provenance(list, count, field->sql);
            break;
        default:
            add_column(list, count, field->sql);
        }
    }
}

const char *dsc_shape_select(apr_pool_t *pool, const dsc_shape_t *shape, int *column_count)
{
    dsc_buffer_t *list = dsc_buffer_create(pool, 1024);
    *column_count = 0;
    add_fields(list, column_count, shape);
    return apr_pstrdup(pool, dsc_buffer_text(list));
}

/* How many columns a field has. */
static int field_columns(const dsc_field_t *field)
{
    switch (field->type) {
    case DSC_FIELD_OBJECT:
        return dsc_shape_columns(field->shape) + ((field->flags & DSC_OPTIONAL) != 0);
    case DSC_FIELD_VALUE:
        return field->unit_sql ? 2 : 1;
    case DSC_FIELD_PROVENANCE:
        return DSC_COUNT_OF_PROVENANCE;
    default:
        return 1;
    }
}

int dsc_shape_columns(const dsc_shape_t *shape)
{
    int i, count = 0;
    for (i = 0; i < shape->field_count; i++) {
        count += field_columns(&shape->fields[i]);
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

static void take_provenance(dsc_columns_t *columns)
{
    const char *const *column;

    take(columns, DSC_WIRE_BIT(DSC_WIRE_UUID));
    for (column = dsc_provenance_columns + 1; *column; column++) {
        take(columns, DSC_WIRE_BIT(DSC_WIRE_TEXT));
    }
    take(columns, DSC_WIRE_BIT(DSC_WIRE_TIMESTAMPTZ));
}

static void take_fields(dsc_columns_t *columns, const dsc_shape_t *shape)
{
    int i;

    for (i = 0; i < shape->field_count; i++) {
        const dsc_field_t *field = &shape->fields[i];

        if (field->type == DSC_FIELD_PROVENANCE) {
            take_provenance(columns);
        } else if (field->type == DSC_FIELD_OBJECT) {
            if (field->flags & DSC_OPTIONAL) {
                take(columns, DSC_WIRE_BIT(DSC_WIRE_BOOLEAN));
            }
            take_fields(columns, field->shape);
        } else {
            take(columns, taken[field->type]);
            if (field->unit_sql) {
                take(columns, DSC_WIRE_BIT(DSC_WIRE_TEXT));
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
            strcmp(field->sql, sql) == 0) {
            return column;
        }
        column += field_columns(field);
    }
    return -1;
}
