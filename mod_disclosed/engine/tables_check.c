/* Finds contradictions in the tables, by a unit test and not by a client. */
#include "engine/body.h"
#include "engine/operation.h"
#include "engine/shape_walk.h"
#include "engine/writer.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

typedef struct {
    apr_pool_t *pool;
    apr_array_header_t *errors;
    int checked;
    const char *subject;
} check_t;

static void __attribute__((format(printf, 3, 4)))
expect(check_t *check, int holds, const char *format, ...)
{
    va_list arguments;
    check->checked++;
    if (holds) {
        return;
    }
    va_start(arguments, format);
    APR_ARRAY_PUSH(check->errors, const char *) =
        apr_pstrcat(check->pool, check->subject, ": ",
                    apr_pvsprintf(check->pool, format, arguments), NULL);
    va_end(arguments);
}

static int is_of_word(char c)
{
    return apr_isalnum(c) || c == '_';
}

static int takes_value(const dsc_field_t *field)
{
    return field->type != DSC_FIELD_OBJECT;
}

/* A unit is a word: USD, shares, USD_per_share. SQL that yields one is an expression. */
static int is_unit(const char *text)
{
    return *text && !text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_%/")];
}

/* Whether `text` has the words "<table> <alias>", as a FROM text introduces them. */
static int names_table(const char *text, const char *table, const char *alias)
{
    size_t length = strlen(table), alias_length = strlen(alias);
    const char *at = text;
    while ((at = strstr(at, table))) {
        if ((at == text || !is_of_word(at[-1])) && at[length] == ' ' &&
            strncmp(at + length + 1, alias, alias_length) == 0 &&
            !is_of_word(at[length + 1 + alias_length])) {
            return 1;
        }
        at += length;
    }
    return 0;
}

/* The opening parenthesis of the one at `end`. */
static const char *opening(const char *text, const char *end)
{
    int depth = 0;
    for (; end >= text; end--) {
        depth += *end == ')' ? 1 : *end == '(' ? -1 : 0;
        if (depth == 0) {
            return end;
        }
    }
    return text;
}

/* Whether a query in parentheses yields rows of the table: "(SELECT o.*... FROM <table> o ...", or
 * columns of them. */
static int selects_rows(apr_pool_t *pool, const char *query, const char *table)
{
    static const char start[] = "(SELECT ", next[] = " FROM ";
    const char *row = query + sizeof(start) - 1, *from, *rows;
    size_t length;
    if (strncmp(query, start, sizeof(start) - 1) != 0) {
        return 0;
    }
    length = strcspn(row, ".");
    from = strstr(row, next);
    rows = apr_pstrcat(pool, table, " ", apr_pstrmemdup(pool, row, length), NULL);
    return from && row[length] == '.' &&
           strncmp(from + sizeof(next) - 1, rows, strlen(rows)) == 0 &&
           !is_of_word(from[sizeof(next) - 1 + strlen(rows)]);
}

/* Whether the rows behind the alias are those of the table: itself, or "(SELECT o.* FROM <table> o
 * ...) <alias>". */
static int introduces(apr_pool_t *pool, const char *text, const char *table, const char *alias)
{
    const char *behind = apr_pstrcat(pool, ") ", alias, NULL);
    const char *at = text;
    while ((at = strstr(at, behind))) {
        if (!is_of_word(at[strlen(behind)]) && selects_rows(pool, opening(text, at), table)) {
            return 1;
        }
        at++;
    }
    return names_table(text, table, alias);
}

/* A format for one text: "%s" once, and no other sign of per cent. */
static int takes_one_text(const char *format)
{
    const char *percent = strchr(format, '%');
    return percent && percent[1] == 's' && !strchr(percent + 1, '%');
}

/* Provenance is that of the row behind its alias: the FROM text introduces the dataset's table by
 * it. */
static void check_provenance(check_t *check, const dsc_shape_t *shape, const char *from)
{
    int i;
    for (i = 0; shape && i < shape->field_count; i++) {
        const dsc_field_t *field = &shape->fields[i];
        const dsc_dataset_t *dataset = field->type == DSC_FIELD_PROVENANCE && field->dataset
                                           ? dsc_dataset_find(field->dataset)
                                           : NULL;
        if (field->type == DSC_FIELD_OBJECT && field->shape) {
            check_provenance(check, field->shape, from);
        }
        expect(check,
               !dataset || !field->sql ||
                   introduces(check->pool, from, dataset->table, field->sql) ||
                   (dataset->rows && introduces(check->pool, from, dataset->rows, field->sql)),
               "provenance %s of %s is of %s, but the rows behind %s are not", field->name,
               shape->name, field->dataset, field->sql);
    }
}

/* A calendar period is written from the dates and the kind behind it. */
static int has_period(const dsc_shape_t *shape, int i)
{
    const dsc_field_t *fields = shape->fields + i + 1;
    return i + 1 + DSC_CALENDAR_KIND < shape->field_count &&
           fields[DSC_CALENDAR_START].type == DSC_FIELD_DATE &&
           fields[DSC_CALENDAR_END].type == DSC_FIELD_DATE &&
           fields[DSC_CALENDAR_KIND].type == DSC_FIELD_TEXT && fields[0].type == DSC_FIELD_TEXT;
}

/* Of a field that is written by a function from its columns. */
static int is_written(const dsc_field_t *field)
{
    const dsc_writer_t *writer = field->writer;
    int i;
    for (i = 0; i < DSC_COUNT(writer->columns) && writer->columns[i].sql; i++) {
        if (!writer->columns[i].types) {
            return 0;
        }
    }
    return field->type == DSC_FIELD_JSON && !field->dataset && writer->types && writer->write;
}

/* Fields of a shape that rows are read into need SQL; those of handlers and of JSON items do
 * not. */
static void check_shape(check_t *check, const dsc_shape_t *shape, int from_rows, int depth)
{
    int i, j;
    expect(check, depth < 8, "shape %s contains itself", shape->name);
    for (i = 0; i < shape->field_count && depth < 8; i++) {
        const dsc_field_t *field = &shape->fields[i];
        expect(check, field->name && field->description && *field->description,
               "field %d of %s lacks a name or a description", i, shape->name);
        for (j = 0; j < i; j++) {
            expect(check,
                   !field->name || !shape->fields[j].name ||
                       strcmp(field->name, shape->fields[j].name) != 0,
                   "field %s stands twice in %s", field->name, shape->name);
        }
        expect(check, !from_rows || !takes_value(field) || field->sql, "field %s of %s has no SQL",
               field->name, shape->name);
        expect(check, field->type != DSC_FIELD_VALUE || field->unit || field->unit_sql,
               "value %s of %s has no unit", field->name, shape->name);
        expect(check, !field->unit || is_unit(field->unit), "the unit of %s of %s is %s",
               field->name, shape->name, field->unit);
        expect(check, !field->unit_sql || !is_unit(field->unit_sql),
               "%s of %s: %s is a unit, no SQL for one", field->name, shape->name, field->unit_sql);
        expect(check,
               field->type != DSC_FIELD_PROVENANCE || field->dataset_sql ||
                   (field->dataset && dsc_dataset_find(field->dataset)),
               "provenance %s of %s names no dataset", field->name, shape->name);
        expect(check,
               field->type != DSC_FIELD_PROVENANCE || !field->dataset_sql ||
                   (!field->dataset && field->filer),
               "provenance %s of %s, of several datasets, names one, or no filer", field->name,
               shape->name);
        expect(check, !field->writer || is_written(field),
               "what %s of %s is written from has a column without types, or is no JSON",
               field->name, shape->name);
        expect(check, field->type != DSC_FIELD_OBJECT || field->shape,
               "object %s of %s has no shape", field->name, shape->name);
        expect(check, !(field->flags & DSC_CALENDAR) || has_period(shape, i),
               "no period stands behind %s of %s", field->name, shape->name);
        if (field->shape) {
            check_shape(check, field->shape, from_rows && field->type == DSC_FIELD_OBJECT,
                        depth + 1);
        }
    }
}

/* Every value reads back as its own default would be read from a client. */
static int default_is_good(apr_pool_t *pool, const dsc_parameter_t *parameter)
{
    apr_array_header_t *raw = apr_array_make(pool, 1, sizeof(dsc_slice_t));
    apr_array_header_t *errors = apr_array_make(pool, 1, sizeof(dsc_validation_error_t));
    dsc_slice_t *slice = apr_array_push(raw);
    dsc_value_t value;
    slice->data = parameter->default_text;
    slice->length = strlen(parameter->default_text);
    return dsc_parameter_read(pool, parameter, raw, &value, errors);
}

static void check_parameter(check_t *check, const dsc_endpoint_t *endpoint, int location)
{
    const dsc_parameter_t *parameter = &endpoint->parameters[location];
    const char *token = apr_pstrcat(check->pool, "{", parameter->name, "}", NULL);
    int i;
    for (i = 0; i < location; i++) {
        expect(check, strcmp(endpoint->parameters[i].name, parameter->name) != 0,
               "parameter %s stands twice", parameter->name);
    }
    expect(check, parameter->description && *parameter->description,
           "parameter %s has no description", parameter->name);
    expect(check, (parameter->location == DSC_IN_PATH) == (strstr(endpoint->path, token) != NULL),
           "parameter %s and the path disagree", parameter->name);
    expect(check, (parameter->type == DSC_LITERAL) == (parameter->choices != NULL),
           "parameter %s: a literal has choices, and nothing else has", parameter->name);
    expect(check, !parameter->default_text || default_is_good(check->pool, parameter),
           "parameter %s: its default is refused", parameter->name);
    expect(check,
           !parameter->predicate || parameter->type == DSC_BOOLEAN ||
               strchr(parameter->predicate, '?'),
           "parameter %s: the predicate does not use its value", parameter->name);
    expect(check, parameter->location != DSC_IN_BODY || dsc_body_takes(parameter->type),
           "parameter %s: bodies hold no values of its type so far", parameter->name);
    expect(check, parameter->location != DSC_IN_BODY || strcmp(endpoint->method, "GET") != 0,
           "parameter %s: a GET has no body", parameter->name);
    expect(check, !parameter->default_text || !strchr(parameter->default_text, '?'),
           "parameter %s: its default is a predicate", parameter->name);
    expect(check, !parameter->predicate || endpoint->source,
           "parameter %s: a predicate without a source", parameter->name);
    expect(check,
           !parameter->column ||
               ((parameter->flags & (DSC_REPEATABLE | DSC_EACH_PAST)) && parameter->predicate),
           "parameter %s: a column belongs to repeatable ones with a predicate", parameter->name);
    expect(check,
           !(parameter->flags & (DSC_EACH | DSC_EACH_PAST)) ||
               (parameter->column && endpoint->response == DSC_RESPONSE_LIST),
           "parameter %s: only columns of lists are read value by value", parameter->name);
}

static int has_parameter(const dsc_endpoint_t *endpoint, const char *name)
{
    int i;
    for (i = 0; i < endpoint->parameter_count; i++) {
        if (strcmp(endpoint->parameters[i].name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

static void check_token(check_t *check, const dsc_endpoint_t *endpoint, const char *text,
                        const char *kind, const char *end)
{
    while ((text = strstr(text, kind))) {
        size_t length = strcspn(text += strlen(kind), end);
        const char *name = apr_pstrmemdup(check->pool, text, length);
        expect(check, has_parameter(endpoint, name), "%s%s%s names no parameter", kind, name, end);
    }
}

static int has_company(const dsc_endpoint_t *endpoint)
{
    int i;
    for (i = 0; i < endpoint->parameter_count; i++) {
        if (endpoint->parameters[i].flags & DSC_RESOLVED) {
            return 1;
        }
    }
    return 0;
}

/* Each "{value:name}" of a text names a parameter, and so do "{given:name:...}" and
 * "{absent:name:...}"; "{company}" is that of a parameter. */
static void check_tokens(check_t *check, const dsc_endpoint_t *endpoint, const char *text)
{
    if (!text) {
        return;
    }
    check_token(check, endpoint, text, "{value:", "}");
    check_token(check, endpoint, text, "{given:", ":");
    check_token(check, endpoint, text, "{absent:", ":");
    expect(check, !strstr(text, "{company}") || has_company(endpoint),
           "{company}, but no parameter is resolved");
}

static void check_source(check_t *check, const dsc_endpoint_t *endpoint)
{
    const dsc_source_t *source = endpoint->source;
    static const char *const paging[] = {"limit", "as_of", "cursor", "direction"};
    int is_array = endpoint->response == DSC_RESPONSE_ARRAY;
    int i, columns;
    if (!source) {
        return;
    }
    check_tokens(check, endpoint, source->from);
    check_provenance(check, endpoint->shape, source->from);
    dsc_shape_select(check->pool, endpoint->shape, &columns);
    expect(check, columns > 0 && columns <= 1600, "%d columns", columns);
    expect(check, is_array || !has_parameter(endpoint, "offset"), "offset belongs to arrays");
    if (endpoint->response != DSC_RESPONSE_LIST && !is_array) {
        return;
    }
    expect(check, source->order && source->order_type && source->tie,
           "a list has an order column, its type and a tie-breaker");
    for (i = 0; i < (is_array ? 2 : DSC_COUNT(paging)); i++) {
        int is_past = source->unversioned && strcmp(paging[i], "as_of") == 0; /* rows have none */
        expect(check, is_past || has_parameter(endpoint, paging[i]), "a list takes %s", paging[i]);
    }
}

/* What `sort` offers is what the source knows. */
static void check_orders(check_t *check, const dsc_endpoint_t *endpoint)
{
    const dsc_order_t *order = endpoint->source ? endpoint->source->orders : NULL;
    int choices = 0, i;
    if (!order) {
        return;
    }
    expect(check, has_parameter(endpoint, "sort"), "several orders and no parameter sort");
    for (; order->choice; order++) {
        choices++;
        check_tokens(check, endpoint, order->sql);
    }
    for (i = 0; i < endpoint->parameter_count; i++) {
        const char *const *choice = endpoint->parameters[i].choices;
        if (strcmp(endpoint->parameters[i].name, "sort") != 0) {
            continue;
        }
        expect(check, endpoint->parameters[i].default_text != NULL, "sort has no default");
        for (; choice && *choice; choice++) {
            choices--;
        }
    }
    expect(check, choices == 0, "the choices of sort are not the orders of the source");
}

static void check_parent(check_t *check, const dsc_endpoint_t *endpoint)
{
    const dsc_parent_t *parent = endpoint->parent;
    if (!parent) {
        return;
    }
    expect(check, has_parameter(endpoint, parent->parameter), "the parent's %s is no parameter",
           parent->parameter);
    expect(check, strchr(parent->from, '?') != NULL, "the parent does not use its value");
    expect(check, endpoint->not_found != NULL, "a parent says what is not found");
    expect(check, endpoint->response == DSC_RESPONSE_LIST || endpoint->response == DSC_RESPONSE_ALL,
           "a parent belongs to lists");
    if (parent->shape) {
        check_shape(check, parent->shape, 1, 0);
    }
}

static void check_children(check_t *check, const dsc_endpoint_t *endpoint)
{
    const dsc_child_t *child;
    for (child = endpoint->children; child && child->name; child++) {
        expect(check,
               endpoint->response == DSC_RESPONSE_ITEM ||
                   endpoint->response == DSC_RESPONSE_HANDLER,
               "children belong to items");
        expect(check, child->source->order && child->source->tie && child->source->where,
               "child %s has no order or no condition", child->name);
        expect(check, child->description && *child->description, "child %s has no description",
               child->name);
        expect(check,
               !child->source->unkept ||
                   ((endpoint->flags & DSC_BY_CLOCK) && child->source->where &&
                    strstr(child->source->where, "{past:false}")),
               "child %s, which no dataset keeps, would leave tags as they are", child->name);
        if (child->source->where) {
            check_tokens(check, endpoint, child->source->where);
        }
        check_shape(check, child->shape, 1, 0);
        check_provenance(check, child->shape, child->source->from);
        expect(check, !child->plain_source || endpoint->source->plain,
               "child %s has a plain source, and nothing says when it holds", child->name);
    }
}

/* Marks and gaps are written around rows. */
static void check_envelope(check_t *check, const dsc_endpoint_t *endpoint)
{
    expect(check, !(endpoint->flags & DSC_ALPHA) || dsc_is_list(endpoint),
           "an item says that it is experimental by a field");
    expect(check, !endpoint->gaps || dsc_is_list(endpoint), "an item has its gaps in a field");
}

/* What is served in lines is an array of items of one shape; lists are that by themselves. */
static void check_rows(check_t *check, const dsc_endpoint_t *endpoint)
{
    if (endpoint->rows) {
        expect(check, !dsc_is_list(endpoint), "a list has rows of its own, not %s", endpoint->rows);
        expect(check, dsc_rows_shape(endpoint) != NULL, "its rows, %s, are no array of a shape",
               endpoint->rows);
    }
}

static void check_path(check_t *check, const dsc_endpoint_t *endpoint)
{
    const char *p = endpoint->path;
    expect(check, *p == '/' && p[strlen(p) - 1] != '/', "the path is %s", p);
    expect(check, dsc_surface_of(p) != NULL, "the path %s is of no surface", p);
    while ((p = strchr(p, '{'))) {
        size_t length = strcspn(++p, "}");
        const char *name = apr_pstrmemdup(check->pool, p, length);
        expect(check, has_parameter(endpoint, name), "{%s} of the path is no parameter", name);
    }
}

/* What is read is kept by some dataset: else a change of it would leave responses' tags as they
 * are. */
static void check_reads(check_t *check, const dsc_endpoint_t *endpoint)
{
    apr_array_header_t *unknown = apr_array_make(check->pool, 4, sizeof(const char *));
    uint64_t mask = dsc_endpoint_reads(check->pool, endpoint, unknown);
    int i;
    expect(check, mask || !endpoint->source || (endpoint->flags & DSC_FROM_PRIMARY),
           "it reads no dataset");
    for (i = 0; i < unknown->nelts && !(endpoint->flags & DSC_FROM_PRIMARY); i++) {
        expect(check, 0, "it reads %s, which no dataset keeps",
               APR_ARRAY_IDX(unknown, i, const char *));
    }
}

static void check_endpoint(check_t *check, const dsc_endpoint_t *const *endpoints, int location)
{
    const dsc_endpoint_t *endpoint = endpoints[location];
    int i;
    check->subject = endpoint->name;
    for (i = 0; i < location; i++) {
        expect(check, strcmp(endpoints[i]->name, endpoint->name) != 0, "the name stands twice");
        expect(check,
               strcmp(endpoints[i]->path, endpoint->path) != 0 ||
                   strcmp(endpoints[i]->method, endpoint->method) != 0,
               "the path stands twice");
    }
    expect(check, endpoint->summary && endpoint->tag, "no summary or tag");
    expect(check, (endpoint->response == DSC_RESPONSE_HANDLER) == (endpoint->handler != NULL),
           "a handler belongs to responses by handler");
    expect(check, endpoint->response != DSC_RESPONSE_ITEM || endpoint->not_found,
           "an item says what is not found");
    expect(check, !endpoint->not_found || takes_one_text(endpoint->not_found),
           "not_found takes one %%s and nothing else: %s", endpoint->not_found);
    check_reads(check, endpoint);
    check_path(check, endpoint);
    for (i = 0; i < endpoint->parameter_count; i++) {
        check_parameter(check, endpoint, i);
        check_tokens(check, endpoint, endpoint->parameters[i].predicate);
        check_tokens(check, endpoint, endpoint->parameters[i].column);
    }
    if (endpoint->shape) {
        check_shape(check, endpoint->shape, endpoint->source != NULL, 0);
    }
    check_source(check, endpoint);
    check_orders(check, endpoint);
    check_parent(check, endpoint);
    check_children(check, endpoint);
    check_envelope(check, endpoint);
    check_rows(check, endpoint);
}

static int is_staged_name(const char *column)
{
#define STAGED_NAME(name_, type_) #name_,
    static const char *const names[] = {DSC_STAGED_COLUMNS(STAGED_NAME) NULL};
#undef STAGED_NAME
    int i;
    for (i = 0; names[i] && strcmp(names[i], column) != 0; i++) {
    }
    return names[i] != NULL;
}

static int has_text_column(const dsc_dataset_t *dataset, const char *name)
{
    int i;
    for (i = 0; i < dataset->column_count; i++) {
        const dsc_column_t *column = &dataset->columns[i];
        if (strcmp(column->name, name) == 0) {
            return column->type == DSC_COLUMN_TEXT;
        }
    }
    return 0;
}

static void check_dataset(check_t *check, const dsc_dataset_t *dataset)
{
    const dsc_follow_t *follow;
    int i, j;
    check->subject = dataset->name;
    expect(check, dataset->table && dataset->description && dataset->date_column,
           "no table, description or date column");
    expect(check, !dataset->listed == !dataset->unlisted, "one of listed and unlisted is missing");
    expect(check, !dataset->noted || has_text_column(dataset, dataset->noted),
           "%s, which loads note, is no column of text", dataset->noted);
    for (i = 0; i < dataset->column_count; i++) {
        const dsc_column_t *column = &dataset->columns[i];
        expect(check, column->description && *column->description, "column %s lacks a description",
               column->name);
        expect(check, !is_staged_name(column->name),
               "column %s has the name of a column that the loader stages", column->name);
        for (j = 0; j < i; j++) {
            expect(check, strcmp(column->name, dataset->columns[j].name) != 0,
                   "column %s stands twice", column->name);
        }
    }
    if (dataset->shape) {
        check_shape(check, dataset->shape, dataset->source != NULL, 0);
        expect(check, dataset->source != NULL, "it is shown and has no source");
        check_provenance(check, dataset->shape, dataset->source ? dataset->source->from : "");
    }
    for (follow = dataset->follows; follow && follow->dataset; follow++) {
        expect(check, dsc_dataset_find(follow->dataset) && follow->function,
               "it follows %s, which is no dataset, or by no function", follow->dataset);
    }
}

apr_array_header_t *dsc_tables_check(apr_pool_t *pool, const dsc_endpoint_t *const *endpoints,
                                     int *checked)
{
    check_t check = {pool, apr_array_make(pool, 4, sizeof(const char *)), 0, ""};
    int i;
    for (i = 0; endpoints[i]; i++) {
        check_endpoint(&check, endpoints, i);
    }
    for (i = 0; dsc_datasets[i]; i++) {
        check_dataset(&check, dsc_datasets[i]);
    }
    check.subject = "datasets";
    expect(&check, i <= 64, "%d datasets do not fit into a mask of 64 bits", i);
    *checked = check.checked;
    return check.errors;
}
