/* SQL of tables, in which placeholders in braces and question marks are replaced for a call. */
#ifndef DSC_QUERY_TEMPLATE_H
#define DSC_QUERY_TEMPLATE_H

#include "engine/call.h"

typedef struct {
    dsc_buffer_t *sql;
    apr_array_header_t *bound; /* of const char *, in the order of their placeholders */
    int plan_each_time;        /* a value's selectivity decides the plan */
    const char **shown;        /* where {shown:...} is put aside; NULL: it is appended */
    const char *over_shards;   /* see dsc_statement_t */
} dsc_query_t;

/* An empty one, in the pool of the call's statements. */
void dsc_query_begin(const dsc_call_t *call, dsc_query_t *query);

/* Appends SQL of a table (see dsc_source_t for what is in braces): each "?" becomes the placeholder
 * for `value` cast to `type`. `value` may be NULL if no "?" stands. */
void dsc_query_append(const dsc_call_t *call, dsc_query_t *query, const char *text,
                      const char *type, const char *value);

/* Binds the value of the next placeholder. */
void dsc_query_bind(dsc_query_t *query, const char *value);

/* What the values of a parameter are bound as, and the text that one is bound to. */
const char *dsc_query_type(apr_pool_t *pool, const dsc_parameter_t *parameter);
const char *dsc_query_value(const dsc_call_t *call, const dsc_parameter_t *parameter,
                            const dsc_value_t *value);

/* Appends a placeholder for the value of a parameter by name; it is NULL when absent. A value
 * beyond bigint is not absent: it becomes the end of bigint, which compares with all that is stored
 * as it does itself. */
void dsc_query_append_parameter(const dsc_call_t *call, dsc_query_t *query, const char *name);

/* A PostgreSQL array literal of the elements (of const char *; NULL is SQL's). */
const char *dsc_array_literal(apr_pool_t *pool, const apr_array_header_t *list);

#endif
