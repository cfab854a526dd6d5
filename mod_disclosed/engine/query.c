#include "engine/query.h"

#include "engine/shape_walk.h"

#include <apr_strings.h>

static void add_value(dsc_query_t *query, const char *value)
{
    APR_ARRAY_PUSH(query->bound, const char *) = value;
}

static void append_in_force(const dsc_call_t *call, dsc_buffer_t *sql, apr_array_header_t *bound,
                            const char *alias, size_t length)
{
    if (!call->as_of) {
        dsc_buffer_append(sql, alias, length);
        dsc_buffer_append_text(sql, ".superseded_at IS NULL");
        return;
    }
    dsc_buffer_append_char(sql, '(');
    dsc_buffer_append(sql, alias, length);
    dsc_buffer_append_text(sql, ".known_at <= %s::timestamptz AND (");
    dsc_buffer_append(sql, alias, length);
    dsc_buffer_append_text(sql, ".superseded_at IS NULL OR ");
    dsc_buffer_append(sql, alias, length);
    dsc_buffer_append_text(sql, ".superseded_at > %s::timestamptz))");
    APR_ARRAY_PUSH(bound, const char *) = call->as_of;
    APR_ARRAY_PUSH(bound, const char *) = call->as_of;
}

void dsc_call_in_force(const dsc_call_t *call, dsc_buffer_t *sql, apr_array_header_t *bound,
                       const char *alias)
{
    append_in_force(call, sql, bound, alias, strlen(alias));
}

/* --------------------------------------------------------------------- values */

/* SQL types that parameter types are bound as. */
static const char *const sql_types[] = {
    [DSC_INTEGER] = "bigint",
    [DSC_NUMBER] = "numeric",
    [DSC_BOOLEAN] = "boolean",
    [DSC_DATE] = "date",
    [DSC_DATETIME] = "timestamptz",
    [DSC_STRING] = "text",
    [DSC_LITERAL] = "text",
    [DSC_SYMBOL] = "text",
    [DSC_CIK] = "text",
    [DSC_ACCESSION] = "text",
    [DSC_URL] = "text",
};

static const char *sql_type(apr_pool_t *pool, const dsc_parameter_t *parameter)
{
    if (parameter->flags & DSC_RESOLVED) {
        return parameter->flags & DSC_LISTING ? "text" : "bigint";
    }
    if (parameter->flags & DSC_REPEATABLE) {
        return apr_pstrcat(pool, sql_types[parameter->type], "[]", NULL);
    }
    return sql_types[parameter->type];
}

const char *dsc_array_literal(apr_pool_t *pool, const apr_array_header_t *list)
{
    dsc_buffer_t *text = dsc_buffer_create(pool, 128);
    int i;
    for (i = 0; i < list->nelts; i++) {
        const char *p = APR_ARRAY_IDX(list, i, const char *);
        if (!p) {
            dsc_buffer_append_text(text, i ? ",NULL" : "{NULL");
            continue;
        }
        dsc_buffer_append_text(text, i ? ",\"" : "{\"");
        for (; *p; p++) {
            if (*p == '"' || *p == '\\') {
                dsc_buffer_append_char(text, '\\');
            }
            dsc_buffer_append_char(text, *p);
        }
        dsc_buffer_append_char(text, '"');
    }
    dsc_buffer_append_text(text, list->nelts ? "}" : "{}");
    return dsc_buffer_text(text);
}

static const char *bound_text(const dsc_call_t *call, const dsc_parameter_t *parameter,
                              const dsc_value_t *value)
{
    if (parameter->flags & DSC_LISTING) {
        return call->company.symbol;
    }
    if (parameter->flags & DSC_RESOLVED) {
        return apr_psprintf(dsc_call_query_pool(call), "%" APR_INT64_T_FMT,
                            (apr_int64_t)call->company.issuer_id);
    }
    return parameter->flags & DSC_REPEATABLE
               ? dsc_array_literal(dsc_call_query_pool(call), value->list)
               : value->text;
}

/* The value of a parameter by name; NULL when it is absent. A value beyond bigint is not absent: it
 * becomes the end of bigint, which compares with all that is stored as it does itself. */
static void append_parameter(const dsc_call_t *call, dsc_query_t *query, const char *name)
{
    const dsc_value_t *value = dsc_call_value(call, name);
    const dsc_parameter_t *parameter = &call->endpoint->parameters[value - call->values];
    const char *text = NULL;
    if (value->present && value->out_of_range) {
        text = apr_psprintf(dsc_call_query_pool(call), "%" APR_INT64_T_FMT,
                            (apr_int64_t)value->integer);
    } else if (value->present) {
        text = bound_text(call, parameter, value);
    }
    dsc_buffer_append_text(query->sql, "%s::");
    dsc_buffer_append_text(query->sql, sql_type(dsc_call_query_pool(call), parameter));
    add_value(query, text);
}

/* What stands in braces is replaced by what its kind appends; `inner` is the text behind the kind. */
typedef struct {
    const char *kind;
    void (*append)(const dsc_call_t *call, dsc_query_t *query, const char *inner, const char *type,
                   const char *value);
} token_t;

static void append_now(const dsc_call_t *call, dsc_query_t *query, const char *inner,
                       const char *type, const char *value)
{
    (void)type;
    (void)value;
    append_in_force(call, query->sql, query->bound, inner, strlen(inner));
}

static void append_value_of(const dsc_call_t *call, dsc_query_t *query, const char *inner,
                            const char *type, const char *value)
{
    (void)type;
    (void)value;
    append_parameter(call, query, inner);
}

static void append_account(const dsc_call_t *call, dsc_query_t *query, const char *inner,
                           const char *type, const char *value)
{
    (void)inner;
    (void)type;
    (void)value;
    dsc_buffer_append_text(query->sql, "%s::bigint");
    add_value(query, apr_psprintf(dsc_call_query_pool(call), "%" APR_UINT64_T_FMT,
                                  (apr_uint64_t)call->caller->account));
}

static void append_if_present(const dsc_call_t *call, dsc_query_t *query, const char *inner,
                              const char *type, const char *value)
{
    if (!call->as_of) {
        dsc_query_append(call, query, inner, type, value);
    }
}

static void append_if_past(const dsc_call_t *call, dsc_query_t *query, const char *inner,
                           const char *type, const char *value)
{
    if (call->as_of) {
        dsc_query_append(call, query, inner, type, value);
    }
}

/* Appends what stands behind the name of a parameter and a colon, if that is present or, with `wanted` 0, if it is absent. */
static void append_if_given(const dsc_call_t *call, dsc_query_t *query, const char *inner,
                            int wanted)
{
    size_t length = strcspn(inner, ":");
    const char *name = apr_pstrmemdup(dsc_call_query_pool(call), inner, length);
    if ((dsc_call_value(call, name)->present != 0) == wanted) {
        dsc_query_append(call, query, inner + length + 1, NULL, NULL);
    }
}

static void append_given(const dsc_call_t *call, dsc_query_t *query, const char *inner,
                         const char *type, const char *value)
{
    (void)type;
    (void)value;
    append_if_given(call, query, inner, 1);
}

static void append_absent(const dsc_call_t *call, dsc_query_t *query, const char *inner,
                          const char *type, const char *value)
{
    (void)type;
    (void)value;
    append_if_given(call, query, inner, 0);
}

static void append_source_join(const dsc_call_t *call, dsc_query_t *query, const char *inner,
                               const char *type, const char *value)
{
    (void)call;
    (void)type;
    (void)value;
    dsc_source_join(query->sql, inner);
}

static void append_shown(const dsc_call_t *call, dsc_query_t *query, const char *inner,
                         const char *type, const char *value)
{
    if (query->shown) {
        *query->shown = inner;
    } else {
        dsc_query_append(call, query, inner, type, value);
    }
}

static const token_t tokens[] = {
    {"now:", append_now},        {"value:", append_value_of},
    {"account", append_account}, {"present:", append_if_present},
    {"past:", append_if_past},   {"source:", append_source_join},
    {"shown:", append_shown},    {"given:", append_given},
    {"absent:", append_absent},
};

/* How long the text in braces at `text` is, with both; braces within are balanced. */
static size_t token_length(const char *text)
{
    size_t length;
    int depth = 0;
    for (length = 0; text[length]; length++) {
        depth += text[length] == '{';
        depth -= text[length] == '}';
        if (depth == 0) {
            return length + 1;
        }
    }
    return length;
}

/* Appends what the text in braces stands for, or the brace where it stands for itself. Returns what
 * is behind it. */
static const char *append_token(const dsc_call_t *call, dsc_query_t *query, const char *text,
                                const char *type, const char *value)
{
    int i;
    for (i = 0; i < DSC_COUNT(tokens); i++) {
        size_t kind = strlen(tokens[i].kind);
        size_t length;
        if (strncmp(text + 1, tokens[i].kind, kind) != 0) {
            continue;
        }
        length = token_length(text);
        tokens[i].append(call, query,
                         apr_pstrmemdup(dsc_call_query_pool(call), text + 1 + kind,
                                        length - kind - 2),
                         type, value);
        return text + length;
    }
    dsc_buffer_append_char(query->sql, '{');
    return text + 1;
}

void dsc_query_append(const dsc_call_t *call, dsc_query_t *query, const char *text,
                      const char *type, const char *value)
{
    for (;;) {
        size_t plain = strcspn(text, "?{");
        dsc_buffer_append(query->sql, text, plain);
        text += plain;
        if (*text == '\0') {
            return;
        }
        if (*text == '{') {
            text = append_token(call, query, text, type, value);
        } else if (type) {
            dsc_buffer_append_text(query->sql, "%s::");
            dsc_buffer_append_text(query->sql, type);
            add_value(query, value);
            text++;
        } else {
            dsc_buffer_append_char(query->sql, *text++);
        }
    }
}

/* ----------------------------------------------------------------- predicates */

/* Whether true adds the parameter's condition and false does not: a boolean whose predicate does not use its value. */
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
    return (parameter->flags & DSC_EACH) && takes_part(parameter, &call->values[place]);
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
            dsc_buffer_append_text(query->sql, " = ANY (");
        }
        dsc_query_append(call, query, parameter->predicate,
                         sql_type(dsc_call_query_pool(call), parameter),
                         bound_text(call, parameter, value));
        dsc_buffer_append_text(query->sql, parameter->column ? ")" : "");
    } else {
        dsc_query_append(call, query, parameter->absent_predicate, NULL, NULL);
    }
    query->plan_each_time |= takes && (parameter->flags & (DSC_PLAN_EACH_TIME | DSC_EACH)) &&
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

/* FROM and WHERE of a source, without the call's predicates. `joins` is FROM text behind the source's own. */
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

/* The greatest limit that the endpoint takes: the planner is told that no more rows than that and
 * one are wanted, and so walks the index in order, whatever the bound limit is. */
static int most_rows(const dsc_call_t *call, int fetch)
{
    int place = call->route.operation->limit;
    return place < 0 ? fetch : (int)call->endpoint->parameters[place].bounds.maximum + 1;
}

/* The order that the call asks for, by its `sort` where the source has several. */
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
    add_value(query, position->order);
    add_value(query, position->tie);
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

/* Skips the rows before the offset. They are counted in a look-up of the row that stands there, without what is only shown,
 * so that a far offset costs little. */
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
    append_parameter(call, query, call->endpoint->parameters[place].name);
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

/* The row's position, where the shape does not have it anyway. */
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

/* The values by which rows are read, as a cross join of the parameters' "<name>_each(value)".
 * Returns how many parameters there are. */
static int append_each(const dsc_call_t *call, dsc_query_t *query)
{
    int i, count = 0;
    for (i = 0; i < call->endpoint->parameter_count; i++) {
        const dsc_parameter_t *parameter = &call->endpoint->parameters[i];
        if (!is_each(call, i)) {
            continue;
        }
        dsc_buffer_append_text(query->sql, count++ ? " CROSS JOIN " : "SELECT page.* FROM ");
        dsc_buffer_append_text(query->sql, "(SELECT DISTINCT unnest(");
        dsc_query_append(call, query, parameter->predicate,
                         sql_type(dsc_call_query_pool(call), parameter),
                         bound_text(call, parameter, &call->values[i]));
        dsc_buffer_printf(query->sql, ") AS value) %s_each", parameter->name);
    }
    return count;
}

/* The select list: the shape's and the row's position, or that alone. */
static void append_columns(const dsc_call_t *call, dsc_query_t *query, const dsc_order_t *order,
                           const dsc_span_t *span)
{
    if (span->skip) {
        dsc_buffer_append_char(query->sql, '(');
        dsc_query_append(call, query, order->sql, NULL, NULL);
        dsc_buffer_printf(query->sql, ")::text AS order_value, (%s)::text AS tie_value",
                          call->endpoint->source->tie);
        return;
    }
    dsc_query_append(call, query, call->route.operation->select, NULL, NULL);
    append_position_columns(call, query, order);
    append_plain(call, query);
}

static int is_ordered(const dsc_call_t *call, const dsc_order_t *order)
{
    return order->sql && call->endpoint->response != DSC_RESPONSE_ITEM;
}

/* Where in a statement the planner is told how many rows are wanted at the most. */
typedef struct {
    size_t start, end;
} place_t;

/* FROM, and all that says which rows; `each` says whether of each value, `joins` is as append_source() has it. */
static void append_chosen(const dsc_call_t *call, dsc_query_t *query, const dsc_order_t *order,
                          const dsc_span_t *span, int each, const char *joins, place_t *limit)
{
    const dsc_source_t *source = call->endpoint->source;
    append_source(call, query, source, joins);
    append_predicates(call, query);
    append_span(call, query, order, span);
    append_offset(call, query, order, span->descending);
    if (is_ordered(call, order)) {
        append_order(call, query, order->sql, source->tie, span->descending);
    }
    limit->start = query->sql->length;
    if (each) {
        dsc_buffer_append_text(query->sql, " LIMIT %s::bigint");
        add_value(query, apr_itoa(dsc_call_query_pool(call), span->skip + span->fetch));
    } else {
        dsc_buffer_printf(query->sql, " LIMIT %d",
                          span->skip ? span->skip + span->fetch : most_rows(call, span->fetch));
    }
    limit->end = query->sql->length;
}

/* The rows themselves, in order. What is only shown is joined when they are chosen, so that it is neither looked up nor
 * sorted for others. */
static void append_rows(const dsc_call_t *call, dsc_query_t *query, const dsc_order_t *order,
                        const dsc_span_t *span, int each, place_t *limit)
{
    const dsc_source_t *source = call->endpoint->source;
    const char *sources = span->skip ? "" : dsc_shape_sources(call->endpoint->shape), *shown = NULL;
    if (!is_ordered(call, order) || !strstr(source->from, "{shown:")) {
        append_chosen(call, query, order, span, each, sources, limit);
        return;
    }
    query->shown = &shown;
    dsc_buffer_append_text(query->sql, " FROM (SELECT t.*");
    append_chosen(call, query, order, span, each, "", limit);
    dsc_buffer_append_text(query->sql, ") t");
    query->shown = NULL;
    dsc_query_append(call, query, shown, NULL, NULL);
    dsc_query_append(call, query, sources, NULL, NULL);
    append_order(call, query, order->sql, source->tie, span->descending);
}

static const char before_page[] = "SELECT * FROM (", behind_page[] = ") page";

/* Shards send each row that they are asked for, and plans are made with the values: so they are asked for a page. Where
 * nothing follows the limit, the page needs no statement around it, for which the coordinator would write the shards' rows to a file.
 * What is about one company goes to its shard as a whole, and joins functions, which Citus allows within a subquery alone. */
static const char *ask_shards(const dsc_call_t *call, const dsc_query_t *query,
                              const dsc_span_t *span, const place_t *limit)
{
    static const char bound[] = " LIMIT %s::bigint";
    const char *sql = dsc_buffer_text(query->sql), *rest = sql + limit->end;
    const size_t around = sizeof(before_page) - 1;

    if (!call->company.symbol && strncmp(rest, behind_page, sizeof(behind_page) - 1) == 0) {
        return apr_pstrcat(dsc_call_query_pool(call),
                           apr_pstrmemdup(dsc_call_query_pool(call), sql + around,
                                          limit->start - around),
                           bound, NULL);
    }
    return apr_pstrcat(dsc_call_query_pool(call),
                       apr_pstrmemdup(dsc_call_query_pool(call), sql, limit->start), " LIMIT ",
                       apr_itoa(dsc_call_query_pool(call), span->fetch), rest, NULL);
}

void dsc_query_build(const dsc_call_t *call, dsc_query_t *query, const dsc_span_t *span)
{
    const dsc_source_t *source = call->endpoint->source;
    const char *most = apr_itoa(dsc_call_query_pool(call), span->fetch);
    dsc_order_t order = order_of(call);
    place_t limit;
    int each;

    query->sql = dsc_buffer_create(dsc_call_query_pool(call), 4096);
    query->bound = apr_array_make(dsc_call_query_pool(call), 8, sizeof(const char *));
    query->plan_each_time = 0;
    query->shown = NULL;
    each = append_each(call, query);
    dsc_buffer_append_text(query->sql, each ? " CROSS JOIN LATERAL (" : before_page);
    dsc_buffer_append_text(query->sql, "SELECT ");
    append_columns(call, query, &order, span);
    if (each) {
        dsc_buffer_append_text(query->sql, ", ");
        dsc_query_append(call, query, order.sql, NULL, NULL);
        dsc_buffer_printf(query->sql, " AS page_order, %s AS page_tie", source->tie);
    }
    append_rows(call, query, &order, span, each, &limit);
    dsc_buffer_append_text(query->sql, behind_page);
    if (each) {
        append_order(call, query, "page.page_order", "page.page_tie", span->descending);
    }
    dsc_buffer_append_text(query->sql, " LIMIT %s::bigint");
    add_value(query, most);
    query->over_shards = each || span->skip ? NULL : ask_shards(call, query, span, &limit);
    if (span->skip) {
        dsc_buffer_append_text(query->sql, " OFFSET %s::bigint");
        add_value(query, apr_itoa(dsc_call_query_pool(call), span->skip));
    }
    query->plan_each_time |= span->skip != 0; /* it differs from one to the next */
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
    query.sql = dsc_buffer_create(dsc_call_query_pool(call), 2048);
    query.bound = apr_array_make(dsc_call_query_pool(call), 4, sizeof(const char *));
    query.plan_each_time = 0;
    query.shown = NULL;
    query.over_shards = NULL;
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
    query.sql = dsc_buffer_create(dsc_call_query_pool(call), 2048);
    query.bound = apr_array_make(dsc_call_query_pool(call), 4, sizeof(const char *));
    query.plan_each_time = 0;
    query.shown = NULL;
    query.over_shards = NULL;
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
                                 sql_type(dsc_call_query_pool(call), parameter),
                                 value->out_of_range ? NULL : bound_text(call, parameter, value),
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
