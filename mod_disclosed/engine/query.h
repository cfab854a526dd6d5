/* From an operation and the values of a call to a SELECT and its bound values. */
#ifndef DSC_QUERY_H
#define DSC_QUERY_H

#include "engine/cursor.h"
#include "engine/query_template.h"

/* Which of the rows are read, in their order. */
typedef struct {
    int descending;
    const dsc_cursor_t *after; /* NULL, or the rows behind that position */
    const dsc_cursor_t *until; /* NULL, or the rows up to that position, it included */
    int fetch;                 /* most rows */
} dsc_span_t;

/* Builds the statement: the shape's select list and the source's rows that fit the call's
 * parameters. */
void dsc_query_build(const dsc_call_t *call, dsc_query_t *query, const dsc_span_t *span);

/* Builds one of the positions alone, as text (the order's value, the tie-breaker's), of the rows
 * behind the first `skip`. */
void dsc_query_build_positions(const dsc_call_t *call, dsc_query_t *query, const dsc_span_t *span,
                               int skip);

/* Runs it; the result is binary, of those types. Returns as dsc_call_select does. */
int dsc_query_select(dsc_call_t *call, const dsc_query_t *query, const dsc_columns_t *columns,
                     dsc_result_t **result);

/* Selects the rows of an item's child, all of them. Returns as dsc_call_select does. */
int dsc_call_select_child(dsc_call_t *call, const dsc_child_t *child, int is_plain,
                          dsc_result_t **result);

/* Selects the parent of the endpoint's rows. Returns as dsc_call_select does. */
int dsc_call_select_parent(dsc_call_t *call, dsc_result_t **result);

/* Text that is the same exactly when endpoint, filters and as_of are; with `page`, also when limit,
 * cursor, direction and the plan's page cap are. */
void dsc_query_canonical(const dsc_call_t *call, dsc_buffer_t *text, int page);

#endif
