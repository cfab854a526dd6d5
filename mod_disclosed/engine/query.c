#include "engine/query.h"

#include "engine/shape_walk.h"

#include <apr_strings.h>

/* ----------------------------------------------------------------- predicates */

/* Whether true adds the parameter's condition and false does not: a boolean whose predicate does
 * not use its value. */
static int is_switch(const dsc_parameter_t *parameter)
{
    return parameter->type == DSC_BOOLEAN && !(parameter->flags & DSC_REPEATABLE) &&
           !(parameter->predicate && strchr(parameter->predicate, '?'));
}

/* Whether the value takes part: absent ones and switches that are off do not. */
static int takes_part(const dsc_parameter_t *parameter, const dsc_value_t *value)
{
    return value->present && (!is_switch(parameter) || value->integer);
}

/* Whether rows are read value by value of this parameter. */
static int is_each(const dsc_call_t *call, int place)
{
    const dsc_parameter_t *parameter = &call->endpoint->parameters[place];
    unsigned each = call->as_of ? DSC_EACH | DSC_EACH_PAST : DSC_EACH;
    return (parameter->flags & each) && takes_part(parameter, &call->values[place]);
}

/* The condition that a parameter's value, or its absence, adds. */
static void append_condition(const dsc_call_t *call, dsc_query_t *query, int place)
{
    const dsc_parameter_t *parameter = &call->endpoint->parameters[place];
    const dsc_value_t *value = &call->values[place];
    int takes = takes_part(parameter, value);

    if (is_each(call, place)) {
        dsc_query_append(call, query, parameter->column, NULL, NULL);
        dsc_buffer_printf(query->sql, " = %s_each.value", parameter->name);
    } else if (takes && value->out_of_range) {
        dsc_buffer_append_text(query->sql, "false");
    } else if (takes) {
        if (parameter->column) {
            dsc_query_append(call, query, parameter->column, NULL, NULL);
            dsc_buffer_append_text(query->sql,
                                   parameter->flags & DSC_REPEATABLE ? " = ANY (" : " = (");
        }
        dsc_query_append(call, query, parameter->predicate,
                         dsc_query_type(dsc_call_query_pool(call), parameter),
                         dsc_query_value(call, parameter, value));
        dsc_buffer_append_text(query->sql, parameter->column ? ")" : "");
    } else {
        dsc_query_append(call, query, parameter->absent_predicate, NULL, NULL);
    }
    query->plan_each_time |= takes &&
                             ((parameter->flags & DSC_PLAN_EACH_TIME) || is_each(call, place)) &&
                             !(parameter->flags & DSC_PLAN_ONCE);
}

static void append_predicates(const dsc_call_t *call, dsc_query_t *query)
{
    int i;
    for (i = 0; i < call->endpoint->parameter_count; i++) {
        const dsc_parameter_t *parameter = &call->endpoint->parameters[i];
        int takes = takes_part(parameter, &call->values[i]);
        if (takes ? parameter->predicate : parameter->absent_predicate) {
            dsc_buffer_append_text(query->sql, " AND (");
            append_condition(call, query, i);
            dsc_buffer_append_char(query->sql, ')');
        }
    }
}

/* FROM and WHERE of a source, without the call's predicates. `joins` is FROM text behind the
 * source's own. */
static void append_source(const dsc_call_t *call, dsc_query_t *query, const dsc_source_t *source,
                          const char *joins)
{
    dsc_buffer_append_text(query->sql, " FROM ");
    dsc_query_append(call, query, source->from, NULL, NULL);
    dsc_query_append(call, query, joins, NULL, NULL);
    dsc_buffer_append_text(query->sql, " WHERE ");
    if (source->unversioned) {
        dsc_buffer_append_text(query->sql, "true");
    } else {
        dsc_call_in_force(call, query->sql, query->bound, "t");
    }
    if (source->where) {
        dsc_buffer_append_text(query->sql, " AND ");
        dsc_query_append(call, query, source->where, NULL, NULL);
    }
}

/* ------------------------------------------------------------------ statements */

/* The greatest limit that the endpoint takes, plus one: with it the planner walks the index in
 * order, whatever the bound limit is. */
static int most_rows(const dsc_call_t *call, int fetch)
{
    int place = call->route.operation->limit;
    return place < 0 ? fetch : (int)call->endpoint->parameters[place].bounds.maximum + 1;
}

/* The order that the call asks for, by its `sort` if the source has several. */
static dsc_order_t order_of(const dsc_call_t *call)
{
    const dsc_source_t *source = call->endpoint->source;
    dsc_order_t order = {NULL, source->order, source->order_type};
    int place = call->route.operation->sort;
    const dsc_order_t *one;
    for (one = source->orders; place >= 0 && one && one->choice; one++) {
        if (strcmp(one->choice, call->values[place].text) == 0) {
            order = *one;
        }
    }
    return order;
}

static void append_order(const dsc_call_t *call, dsc_query_t *query, const char *order,
                         const char *tie, int descending)
{
    const char *way = descending ? "DESC" : "ASC";
    dsc_buffer_append_text(query->sql, " ORDER BY ");
    dsc_query_append(call, query, order, NULL, NULL);
    dsc_buffer_append_char(query->sql, ' ');
    dsc_buffer_append_text(query->sql, way);
    dsc_buffer_append_text(query->sql, ", ");
    dsc_buffer_append_text(query->sql, tie);
    dsc_buffer_append_char(query->sql, ' ');
    dsc_buffer_append_text(query->sql, way);
}

/* The rows behind, or up to, a position. */
static void append_position(const dsc_call_t *call, dsc_query_t *query, const dsc_order_t *order,
                            const char *compare, const dsc_cursor_t *position)
{
    dsc_buffer_append_text(query->sql, " AND (");
    dsc_query_append(call, query, order->sql, NULL, NULL);
    dsc_buffer_printf(query->sql, ", %s) %s (%%s::%s, %%s::bigint)", call->endpoint->source->tie,
                      compare, order->type);
    dsc_query_bind(query, position->order);
    dsc_query_bind(query, position->tie);
}

static void append_span(const dsc_call_t *call, dsc_query_t *query, const dsc_order_t *order,
                        const dsc_span_t *span)
{
    if (span->after) {
        append_position(call, query, order, span->descending ? "<" : ">", span->after);
    }
    if (span->until) {
        append_position(call, query, order, span->descending ? ">=" : "<=", span->until);
    }
}

/* Skips the rows before the offset. They are counted in a look-up of the row that is there, without
 * what is only shown, so that a far offset costs little. */
static void append_offset(const dsc_call_t *call, dsc_query_t *query, const dsc_order_t *order,
                          int descending)
{
    const dsc_source_t *source = call->endpoint->source;
    int place = call->route.operation->offset;
    if (place < 0 || call->values[place].integer == 0) {
        return;
    }
    dsc_buffer_printf(query->sql, " AND (%s, %s) %s (SELECT %s, %s", order->sql, source->tie,
                      descending ? "<=" : ">=", order->sql, source->tie);
    append_source(call, query, source, "");
    append_predicates(call, query);
    append_order(call, query, order->sql, source->tie, descending);
    dsc_buffer_append_text(query->sql, " LIMIT 1 OFFSET ");
    dsc_query_append_parameter(call, query, call->endpoint->parameters[place].name);
    dsc_buffer_append_char(query->sql, ')');
}

/* Behind all that is shown of an item: whether its case is plain. */
static void append_plain(const dsc_call_t *call, dsc_query_t *query)
{
    const char *plain = call->endpoint->source->plain;
    if (plain) {
        dsc_buffer_append_text(query->sql, ", (");
        dsc_query_append(call, query, plain, NULL, NULL);
        dsc_buffer_append_text(query->sql, ") AS is_plain");
    }
}

/* The row's position, if the shape does not have it anyway. */
static void append_position_columns(const dsc_call_t *call, dsc_query_t *query,
                                    const dsc_order_t *order)
{
    const dsc_operation_t *operation = call->route.operation;
    if (order->sql && operation->order_column >= operation->column_count) {
        dsc_buffer_append_text(query->sql, ", (");
        dsc_query_append(call, query, order->sql, NULL, NULL);
        dsc_buffer_append_text(query->sql, ") AS order_value");
    }
    if (order->sql && operation->tie_column >= operation->column_count) {
        dsc_buffer_printf(query->sql, ", (%s) AS tie_value", call->endpoint->source->tie);
    }
}

static int is_ordered(const dsc_call_t *call, const dsc_order_t *order)
{
    return order->sql && call->endpoint->response != DSC_RESPONSE_ITEM;
}

/* A statement's parts, in the order in which they are in it and their values are bound. */
typedef struct {
    const char
        *each; /* the values by which rows are read, "<parameter>_each(value)"; "": they are not */
    const char *columns; /* the select list */
    const char *chosen;  /* FROM, WHERE and ORDER BY: which rows */
    const char *most;    /* the number of rows, at most, for which the planner plans */
    const char
        *shown; /* what is joined to the rows that are chosen, and their order again; "": nothing */
    const char *order; /* of the page; "": its rows are in order */
} parts_t;

/* Ends a part; what is appended from now on is the next one. */
static const char *end_part(const dsc_call_t *call, dsc_query_t *query)
{
    const char *part =
        apr_pstrmemdup(dsc_call_query_pool(call), query->sql->data, query->sql->length);
    query->sql->length = 0;
    return part;
}

static const char *each_part(const dsc_call_t *call, dsc_query_t *query)
{
    int i;
    for (i = 0; i < call->endpoint->parameter_count; i++) {
        const dsc_parameter_t *parameter = &call->endpoint->parameters[i];
        if (!is_each(call, i)) {
            continue;
        }
        dsc_buffer_append_text(query->sql, query->sql->length ? " CROSS JOIN " : "");
        dsc_buffer_append_text(query->sql, "(SELECT DISTINCT unnest(");
        dsc_query_append(call, query, parameter->predicate,
                         dsc_query_type(dsc_call_query_pool(call), parameter),
                         dsc_query_value(call, parameter, &call->values[i]));
        dsc_buffer_printf(query->sql, ") AS value) %s_each", parameter->name);
    }
    return end_part(call, query);
}

/* What puts the rows of all values in order. */
static void append_page_order(const dsc_call_t *call, dsc_query_t *query, const dsc_order_t *order)
{
    dsc_buffer_append_text(query->sql, ", ");
    dsc_query_append(call, query, order->sql, NULL, NULL);
    dsc_buffer_printf(query->sql, " AS page_order, %s AS page_tie", call->endpoint->source->tie);
}

/* The shape's columns and the row's position. */
static const char *columns_part(const dsc_call_t *call, dsc_query_t *query,
                                const dsc_order_t *order, int is_by_value)
{
    dsc_query_append(call, query, call->route.operation->select, NULL, NULL);
    append_position_columns(call, query, order);
    append_plain(call, query);
    if (is_by_value) {
        append_page_order(call, query, order);
    }
    return end_part(call, query);
}

/* `joins` is as append_source() has it. */
static void append_chosen(const dsc_call_t *call, dsc_query_t *query, const dsc_order_t *order,
                          const dsc_span_t *span, const char *joins)
{
    const dsc_source_t *source = call->endpoint->source;
    append_source(call, query, source, joins);
    append_predicates(call, query);
    append_span(call, query, order, span);
    append_offset(call, query, order, span->descending);
    if (is_ordered(call, order)) {
        append_order(call, query, order->sql, source->tie, span->descending);
    }
}

/* Of each value as many rows are wanted as of all. */
static const char *most_part(const dsc_call_t *call, dsc_query_t *query, int is_by_value, int most)
{
    const char *number = apr_itoa(dsc_call_query_pool(call), most);
    if (is_by_value) {
        dsc_query_bind(query, number);
        return "%s::bigint";
    }
    return number;
}

/* The rows themselves, in order. What is only shown is joined when they are chosen, so that it is
 * neither looked up nor sorted for others. */
static void rows_parts(const dsc_call_t *call, dsc_query_t *query, const dsc_order_t *order,
                       const dsc_span_t *span, parts_t *parts)
{
    const dsc_source_t *source = call->endpoint->source;
    const char *sources = dsc_shape_sources(call->endpoint->shape), *shown = NULL;
    int is_by_value = *parts->each != '\0';
    int most = is_by_value ? span->fetch : most_rows(call, span->fetch);

    if (!is_ordered(call, order) || !strstr(source->from, "{shown:")) {
        append_chosen(call, query, order, span, sources);
        parts->chosen = end_part(call, query);
        parts->most = most_part(call, query, is_by_value, most);
        parts->shown = "";
        return;
    }
    query->shown = &shown;
    dsc_buffer_append_text(query->sql, " FROM (SELECT t.*");
    append_chosen(call, query, order, span, "");
    query->shown = NULL;
    parts->chosen = end_part(call, query);
    parts->most = most_part(call, query, is_by_value, most);
    dsc_buffer_append_text(query->sql, ") t");
    dsc_query_append(call, query, shown, NULL, NULL);
    dsc_query_append(call, query, sources, NULL, NULL);
    append_order(call, query, order->sql, source->tie, span->descending);
    parts->shown = end_part(call, query);
}

static const char *page_order(const dsc_call_t *call, dsc_query_t *query, int descending)
{
    append_order(call, query, "page.page_order", "page.page_tie", descending);
    return end_part(call, query);
}

/* The parts as a statement, but for how many rows of the page are wanted. */
static const char *put_together(const dsc_call_t *call, const parts_t *parts, const char *most)
{
    int is_by_value = *parts->each != '\0';
    return apr_pstrcat(dsc_call_query_pool(call), is_by_value ? "SELECT page.* FROM " : "",
                       parts->each, is_by_value ? " CROSS JOIN LATERAL (" : "SELECT * FROM (",
                       "SELECT ", parts->columns, parts->chosen, " LIMIT ", most, parts->shown,
                       ") page", parts->order, NULL);
}

/* Shards send each row that they are asked for, and plans are made with the values: so they are
 * asked for a page. If nothing is joined to the rows, the page needs no statement around it, for
 * which the coordinator would write the shards' rows to a file. What is about one company goes to
 * its shard as a whole, and joins functions, which Citus allows within a subquery alone. */
static const char *ask_shards(const dsc_call_t *call, const parts_t *parts, int fetch)
{
    apr_pool_t *pool = dsc_call_query_pool(call);
    if (!call->company.symbol && *parts->shown == '\0') {
        return apr_pstrcat(pool, "SELECT ", parts->columns, parts->chosen, " LIMIT %s::bigint",
                           NULL);
    }
    return apr_pstrcat(pool, put_together(call, parts, apr_itoa(pool, fetch)), " LIMIT %s::bigint",
                       NULL);
}

/* Appends a placeholder behind LIMIT or OFFSET. */
static void append_count(const dsc_call_t *call, dsc_query_t *query, const char *keyword, int count)
{
    dsc_buffer_printf(query->sql, " %s %%s::bigint", keyword);
    dsc_query_bind(query, apr_itoa(dsc_call_query_pool(call), count));
}

void dsc_query_build(const dsc_call_t *call, dsc_query_t *query, const dsc_span_t *span)
{
    dsc_order_t order = order_of(call);
    parts_t parts = {0};
    int is_by_value;

    dsc_query_begin(call, query);
    parts.each = each_part(call, query);
    is_by_value = *parts.each != '\0';
    parts.columns = columns_part(call, query, &order, is_by_value);
    rows_parts(call, query, &order, span, &parts);
    parts.order = is_by_value ? page_order(call, query, span->descending) : "";
    dsc_buffer_append_text(query->sql, put_together(call, &parts, parts.most));
    append_count(call, query, "LIMIT", span->fetch);
    query->over_shards = is_by_value ? NULL : ask_shards(call, &parts, span->fetch);
}

void dsc_query_build_positions(const dsc_call_t *call, dsc_query_t *query, const dsc_span_t *span,
                               int skip)
{
    const char *tie = call->endpoint->source->tie, *unshown;
    dsc_order_t order = order_of(call);
    parts_t parts = {0};

    dsc_query_begin(call, query);
    query->shown = &unshown;
    parts.each = each_part(call, query);
    dsc_buffer_append_char(query->sql, '(');
    dsc_query_append(call, query, order.sql, NULL, NULL);
    dsc_buffer_printf(query->sql, ")::text AS order_value, (%s)::text AS tie_value", tie);
    if (*parts.each) {
        append_page_order(call, query, &order);
    }
    parts.columns = end_part(call, query);
    append_chosen(call, query, &order, span, "");
    query->shown = NULL;
    parts.chosen = end_part(call, query);
    parts.most = most_part(call, query, *parts.each != '\0', skip + span->fetch);
    parts.shown = "";
    parts.order = *parts.each ? page_order(call, query, span->descending) : "";
    dsc_buffer_append_text(query->sql, put_together(call, &parts, parts.most));
    append_count(call, query, "LIMIT", span->fetch);
    append_count(call, query, "OFFSET", skip);
    query->plan_each_time = 1; /* how many are skipped decides the plan */
}

int dsc_query_select(dsc_call_t *call, const dsc_query_t *query, const dsc_columns_t *columns,
                     dsc_result_t **result)
{
    const dsc_statement_t statement = {dsc_buffer_text(query->sql),
                                       query->bound->nelts,
                                       (const char *const *)query->bound->elts,
                                       query->plan_each_time,
                                       columns,
                                       query->over_shards};
    return dsc_call_select(call, &statement, result);
}

int dsc_call_select_shape(dsc_call_t *call, const dsc_shape_t *shape, const char *tail,
                          const char *type, const char *value, dsc_result_t **result)
{
    dsc_query_t query;
    int columns;
    dsc_query_begin(call, &query);
    dsc_buffer_append_text(query.sql, "SELECT ");
    dsc_query_append(call, &query, dsc_shape_select(dsc_call_query_pool(call), shape, &columns),
                     NULL, NULL);
    dsc_buffer_append_text(query.sql, " FROM ");
    dsc_query_append(call, &query, tail, type, value);
    return dsc_query_select(call, &query, dsc_shape_takes(dsc_call_query_pool(call), shape),
                            result);
}

int dsc_call_select_child(dsc_call_t *call, const dsc_child_t *child, int is_plain,
                          dsc_result_t **result)
{
    const dsc_source_t *source =
        is_plain && child->plain_source ? child->plain_source : child->source;
    dsc_query_t query;
    int columns;
    dsc_query_begin(call, &query);
    dsc_buffer_append_text(query.sql, "SELECT ");
    dsc_query_append(call, &query,
                     dsc_shape_select(dsc_call_query_pool(call), child->shape, &columns), NULL,
                     NULL);
    append_source(call, &query, source, dsc_shape_sources(child->shape));
    append_order(call, &query, source->order, source->tie, 0);
    return dsc_query_select(call, &query, dsc_shape_takes(dsc_call_query_pool(call), child->shape),
                            result);
}

int dsc_call_select_parent(dsc_call_t *call, dsc_result_t **result)
{
    static const dsc_shape_t nothing = {"", "", NULL, 0};
    const dsc_parent_t *parent = call->endpoint->parent;
    const dsc_value_t *value = dsc_call_value(call, parent->parameter);
    const dsc_parameter_t *parameter = &call->endpoint->parameters[value - call->values];
    return dsc_call_select_shape(call, parent->shape ? parent->shape : &nothing, parent->from,
                                 dsc_query_type(dsc_call_query_pool(call), parameter),
                                 value->out_of_range ? NULL
                                                     : dsc_query_value(call, parameter, value),
                                 result);
}

/* ------------------------------------------------------------------- canonical */

static void append_value(dsc_buffer_t *text, const dsc_parameter_t *parameter,
                         const dsc_value_t *value)
{
    int i;
    if (parameter->flags & DSC_REPEATABLE) {
        for (i = 0; i < value->list->nelts; i++) {
            const char *element = APR_ARRAY_IDX(value->list, i, const char *);
            dsc_buffer_printf(text, "%s=%" APR_SIZE_T_FMT ":", parameter->name, strlen(element));
            dsc_buffer_append_text(text, element);
        }
        return;
    }
    dsc_buffer_printf(text, "%s=%" APR_SIZE_T_FMT ":", parameter->name, strlen(value->text));
    dsc_buffer_append_text(text, value->text);
}

void dsc_query_canonical(const dsc_call_t *call, dsc_buffer_t *text, int page)
{
    const dsc_operation_t *operation = call->route.operation;
    int i;
    dsc_buffer_append_text(text, call->endpoint->name);
    dsc_buffer_append_char(text, '?');
    for (i = 0; i < call->endpoint->parameter_count; i++) {
        int paging = i == operation->cursor || i == operation->limit || i == operation->direction ||
                     i == operation->fields;
        if (call->values[i].present && (page || !paging)) {
            append_value(text, &call->endpoint->parameters[i], &call->values[i]);
        }
    }
    if (page) {
        dsc_buffer_printf(text, "#%d,%d,%d", call->caller->page_cap, (int)call->format,
                          call->format == DSC_MEDIA_JSON ? 0 : call->caller->export_cap);
    }
}
