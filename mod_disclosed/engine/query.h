/* From an operation and the values of a call to a SELECT and its bound values. */
#ifndef DSC_QUERY_H
#define DSC_QUERY_H

#include "engine/call.h"
#include "engine/cursor.h"

typedef struct {
    dsc_buffer_t *sql;
    apr_array_header_t *bound; /* of const char * */
    int plan_each_time;        /* a value's selectivity decides the plan */
    const char **shown;        /* where {shown:...} is put aside; NULL: it is appended */
    const char *over_shards;   /* see dsc_statement_t */
} dsc_query_t;

/* Appends SQL of a table (see dsc_source_t for what stands in braces): each "?" becomes the placeholder
 * for `value` cast to `type`. `value` may be NULL where no "?" stands. */
void dsc_query_append(const dsc_call_t *call, dsc_query_t *query, const char *text,
                      const char *type, const char *value);

/* A PostgreSQL array literal of the elements (of const char *; NULL is SQL's). */
const char *dsc_array_literal(apr_pool_t *pool, const apr_array_header_t *list);

/* Which of the rows are read, in their order. */
typedef struct {
    int descending;
    const dsc_cursor_t *after; /* NULL, or the rows behind that position */
    const dsc_cursor_t *until; /* NULL, or the rows up to that position, it included */
    int skip;  /* where not 0: only the positions, as text, of rows behind so many */
    int fetch; /* most rows */
} dsc_span_t;

/* Builds the statement: the shape's select list and the source's rows that fit the call's parameters. */
void dsc_query_build(const dsc_call_t *call, dsc_query_t *query, const dsc_span_t *span);

/* Runs it; the result is binary, of those types. Returns as dsc_call_select does. */
int dsc_query_select(dsc_call_t *call, const dsc_query_t *query, const dsc_columns_t *columns,
                     dsc_result_t **result);

/* Selects the rows of an item's child, all of them. Returns as dsc_call_select does. */
int dsc_call_select_child(dsc_call_t *call, const dsc_child_t *child, int is_plain,
                          dsc_result_t **result);

/* Selects what the endpoint's rows hang on. Returns as dsc_call_select does. */
int dsc_call_select_parent(dsc_call_t *call, dsc_result_t **result);

/* Text that is the same exactly when endpoint, filters and as_of are; with `page`, also when limit,
 * cursor, direction and the plan's page cap are. */
void dsc_query_canonical(const dsc_call_t *call, dsc_buffer_t *text, int page);

#endif
