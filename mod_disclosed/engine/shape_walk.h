/* From a shape to its select list, and from a row of that select list to JSON. Both walk the
 * fields in the same order, so a column cannot slip against its name. */
#ifndef DSC_SHAPE_WALK_H
#define DSC_SHAPE_WALK_H

#include "engine/buffer.h"
#include "engine/database.h"
#include "engine/shape.h"

/* The columns behind a DSC_FIELD_PROVENANCE. */
enum {
    DSC_PROVENANCE_DIGEST,
    DSC_PROVENANCE_SOURCE, /* its number: what it says comes with the result */
    DSC_PROVENANCE_ACCESSION,
    DSC_PROVENANCE_QUOTE,
    DSC_PROVENANCE_RECORDED,
    DSC_PROVENANCE_CIK, /* of filings: the filer's */
    DSC_PROVENANCE_DOCUMENT,
    DSC_COUNT_OF_PROVENANCE
};

/* The columns behind a field with DSC_CALENDAR, which has none of its own. */
enum {
    DSC_CALENDAR_START = 1,
    DSC_CALENDAR_END,
    DSC_CALENDAR_KIND
};

/* Joins the source of the row behind an alias, as <alias>_source: what "{source:alias}" in FROM
 * texts stands for. */
void dsc_source_join(dsc_buffer_t *from, const char *alias);

/* The "{source:alias}" that a shape needs whose fields read the source of a row. */
const char *dsc_shape_sources(const dsc_shape_t *shape);

/* The select list of a shape, "expression AS c1, ...", and how many columns it has. */
const char *dsc_shape_select(apr_pool_t *pool, const dsc_shape_t *shape, int *column_count);

/* The column of the shape's select list that is just `sql`, or -1. */
int dsc_shape_column(const dsc_shape_t *shape, const char *sql);

/* How many columns the select list of a shape has. */
int dsc_shape_columns(const dsc_shape_t *shape);

/* How many of them a field has. */
int dsc_shape_field_columns(const dsc_field_t *field);

/* Which types its columns may have. */
const dsc_columns_t *dsc_shape_takes(apr_pool_t *pool, const dsc_shape_t *shape);

/* A shape made ready to write rows by: the names of its fields as JSON, and its columns. */
typedef struct dsc_layout_t dsc_layout_t;
const dsc_layout_t *dsc_layout_create(apr_pool_t *pool, const dsc_shape_t *shape);

/* Appends the present row of a binary result as an object of the layout's shape. `column` is the
 * first column of the shape, and is moved behind its last. `scale` is the power of ten that
 * normalized values are divided by: 0 (as reported), 3, 6 or 9. */
void dsc_row_write(dsc_buffer_t *body, const dsc_layout_t *layout, const dsc_result_t *result,
                   int *column, int scale);

/* Appends a src_id as a JSON string: "src_<dataset>_" and the 32 hex digits of a uuid. */
void dsc_row_src_id(dsc_buffer_t *body, dsc_slice_t dataset, dsc_slice_t uuid);

/* The source_url of the provenance that begins with the column; NULL: it has none. */
const char *dsc_row_url(apr_pool_t *pool, const dsc_result_t *result, int column);

/* The power of ten of a `unit` parameter's value: as_reported, thousand, million, billion. */
int dsc_scale_find(const char *unit);

/* The values of a `unit` parameter, NULL-terminated. */
extern const char *const dsc_scale_choices[];

#endif
