#include "describe/tables.h"

#include "datasets/datasets.h"
#include "engine/message.h"
#include "engine/operation.h"
#include "engine/writer.h"

#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

/* Constants by their names, in the order of their enumerations. */
static const char *const field_types[] = {"INTEGER", "DECIMAL",  "TEXT",      "BOOLEAN",
                                          "DATE",    "DATETIME", "CIK",       "JSON",
                                          "OBJECT",  "VALUE",    "PROVENANCE"};
static const char *const column_types[] = {"INTEGER", "DECIMAL",  "TEXT",  "BOOLEAN",
                                           "DATE",    "DATETIME", "TEXTS", "JSON"};
static const char *const parameter_types[] = {"INTEGER",  "NUMBER",    "BOOLEAN", "DATE",
                                              "DATETIME", "STRING",    "LITERAL", "SYMBOL",
                                              "CIK",      "ACCESSION", "URL"};
static const char *const places[] = {"path", "query", "body"};
static const char *const responses[] = {"list", "all", "array", "item", "handler"};

typedef struct {
    unsigned flag;
    const char *name;
} flag_name_t;

static const flag_name_t field_flags[] = {{DSC_NULLABLE, "nullable"}, {DSC_CITED, "cited"},
                                          {DSC_ARRAY, "array"},       {DSC_INTEGERS, "integers"},
                                          {DSC_OPTIONAL, "optional"}, {DSC_SOURCES, "sources"},
                                          {DSC_CALENDAR, "calendar"}, {0, NULL}};
static const flag_name_t column_flags[] = {{DSC_COLUMN_REQUIRED, "required"},
                                           {DSC_COLUMN_KEY, "key"},
                                           {DSC_COLUMN_FORWARD_FILLED, "forward_filled"},
                                           {DSC_COLUMN_NOT_COMPARED, "not_compared"},
                                           {DSC_COLUMN_LARGEST, "largest"},
                                           {0, NULL}};
static const flag_name_t parameter_flags[] = {{DSC_REQUIRED, "required"},
                                              {DSC_REPEATABLE, "repeatable"},
                                              {DSC_EMPTY_IS_ABSENT, "empty_is_absent"},
                                              {DSC_PLAN_EACH_TIME, "plan_each_time"},
                                              {DSC_RESOLVED, "resolved"},
                                              {DSC_LISTING, "listing"},
                                              {DSC_EACH, "each"},
                                              {DSC_NOT_EMPTY, "not_empty"},
                                              {DSC_PLAN_ONCE, "plan_once"},
                                              {DSC_EACH_PAST, "each_past"},
                                              {0, NULL}};
static const flag_name_t endpoint_flags[] = {
    {DSC_WITH_COMPANY, "with_company"}, {DSC_ALPHA, "alpha"},         {DSC_BY_CLOCK, "by_clock"},
    {DSC_FROM_PRIMARY, "from_primary"}, {DSC_READS_ALL, "reads_all"}, {0, NULL}};
static const flag_name_t dataset_flags[] = {
    {DSC_KEY_FIXED, "key_fixed"},       {DSC_KEY_GLOBAL, "key_global"},
    {DSC_SAYS_SYMBOLS, "says_symbols"}, {DSC_DERIVED, "derived"},
    {DSC_SNAPSHOTS, "snapshots"},       {DSC_BY_COMPANY, "by_company"},
    {DSC_LAST_COUNTS, "last_counts"},   {0, NULL}};

/* Shapes are written once and named from everywhere. */
typedef struct {
    json_t *shapes; /* name: shape */
    const dsc_shape_t *seen[512];
    char names[512][96];
    int count;
} shapes_t;

static void set_text(json_t *object, const char *name, const char *text)
{
    if (text) {
        json_object_set_new(object, name, json_string(text));
    }
}

static void set_flags(json_t *object, unsigned flags, const flag_name_t *names)
{
    for (; names->name; names++) {
        if (flags & names->flag) {
            json_object_set_new(object, names->name, json_true());
        }
    }
}

static void set_texts(json_t *object, const char *name, const char *const *texts)
{
    json_t *array;
    if (!texts) {
        return;
    }
    array = json_array();
    for (; *texts; texts++) {
        json_array_append_new(array, json_string(*texts));
    }
    json_object_set_new(object, name, array);
}

static void set_shape(json_t *object, const char *name, const dsc_shape_t *shape, shapes_t *shapes);

/* SQL of the columns behind a field's own. */
static void set_columns_behind(json_t *object, const dsc_writer_t *writer)
{
    json_t *columns = json_array();
    int i;
    for (i = 0; i < DSC_COUNT(writer->columns) && writer->columns[i].sql; i++) {
        json_array_append_new(columns, json_string(writer->columns[i].sql));
    }
    json_object_set_new(object, "columns_behind", columns);
}

static json_t *field_json(const dsc_field_t *field, shapes_t *shapes)
{
    json_t *object = json_object();
    set_text(object, "name", field->name);
    set_text(object, "type", field_types[field->type]);
    set_flags(object, field->flags, field_flags);
    set_text(object, "sql", field->sql);
    set_text(object, "unit", field->unit);
    set_text(object, "unit_sql", field->unit_sql);
    set_text(object, "dataset", field->dataset);
    set_text(object, "dataset_sql", field->dataset_sql);
    set_text(object, "document", field->document);
    if (field->writer) {
        set_columns_behind(object, field->writer);
    }
    set_shape(object, "shape", field->shape, shapes);
    set_text(object, "description", field->description);
    return object;
}

static void name_shape(shapes_t *shapes, const dsc_shape_t *shape)
{
    char *name = shapes->names[shapes->count];
    int number;
    apr_snprintf(name, sizeof(shapes->names[0]), "%s", shape->name);
    for (number = 2; json_object_get(shapes->shapes, name); number++) {
        apr_snprintf(name, sizeof(shapes->names[0]), "%s#%d", shape->name, number);
    }
    json_object_set_new(shapes->shapes, name, json_object());
    shapes->seen[shapes->count++] = shape;
}

static void set_shape(json_t *object, const char *name, const dsc_shape_t *shape, shapes_t *shapes)
{
    json_t *fields, *all;
    int i, location;
    if (!shape) {
        return;
    }
    for (location = 0; location < shapes->count && shapes->seen[location] != shape; location++) {
    }
    if (location == shapes->count && location < DSC_COUNT(shapes->seen)) {
        name_shape(shapes, shape);
        fields = json_array();
        for (i = 0; i < shape->field_count; i++) {
            json_array_append_new(fields, field_json(&shape->fields[i], shapes));
        }
        all = json_object_get(shapes->shapes, shapes->names[location]);
        set_text(all, "description", shape->description);
        json_object_set_new(all, "fields", fields);
    }
    set_text(object, name, shapes->names[location]);
}

static void set_source(json_t *object, const char *name, const dsc_source_t *source)
{
    json_t *json, *orders;
    const dsc_order_t *order;
    if (!source) {
        return;
    }
    json = json_object();
    set_text(json, "from", source->from);
    set_text(json, "where", source->where);
    set_text(json, "order", source->order);
    set_text(json, "order_type", source->order_type);
    set_text(json, "tie", source->tie);
    if (source->unversioned) {
        json_object_set_new(json, "unversioned", json_true());
    }
    if (source->orders) {
        orders = json_array();
        for (order = source->orders; order->choice; order++) {
            json_array_append_new(orders, json_pack("{s:s, s:s, s:s}", "choice", order->choice,
                                                    "sql", order->sql, "type", order->type));
        }
        json_object_set_new(json, "orders", orders);
    }
    json_object_set_new(object, name, json);
}

static json_t *parameter_json(const dsc_parameter_t *parameter)
{
    json_t *object = json_object();
    set_text(object, "name", parameter->name);
    set_text(object, "place", places[parameter->location]);
    set_text(object, "type", parameter_types[parameter->type]);
    set_flags(object, parameter->flags, parameter_flags);
    set_texts(object, "choices", parameter->choices);
    if (parameter->bounds.has_minimum) {
        json_object_set_new(object, "minimum", json_integer(parameter->bounds.minimum));
    }
    if (parameter->bounds.has_maximum) {
        json_object_set_new(object, "maximum", json_integer(parameter->bounds.maximum));
    }
    set_text(object, "default", parameter->default_text);
    set_text(object, "predicate", parameter->predicate);
    set_text(object, "absent_predicate", parameter->absent_predicate);
    set_text(object, "column", parameter->column);
    set_text(object, "description", parameter->description);
    return object;
}

static void set_children(json_t *object, const dsc_child_t *child, shapes_t *shapes)
{
    json_t *array = json_array();
    for (; child && child->name; child++) {
        json_t *json = json_object();
        set_text(json, "name", child->name);
        set_source(json, "source", child->source);
        set_shape(json, "shape", child->shape, shapes);
        set_text(json, "description", child->description);
        json_array_append_new(array, json);
    }
    if (json_array_size(array)) {
        json_object_set(object, "children", array);
    }
    json_decref(array);
}

/* Those that its responses depend on. */
static void set_datasets(json_t *object, const dsc_endpoint_t *endpoint)
{
    json_t *names = json_array();
    apr_pool_t *pool;
    uint64_t mask;
    int i;
    apr_pool_create(&pool, NULL);
    mask = dsc_endpoint_reads(pool, endpoint, NULL);
    for (i = 0; dsc_datasets[i]; i++) {
        if (mask >> i & 1) {
            json_array_append_new(names, json_string(dsc_datasets[i]->name));
        }
    }
    json_object_set_new(object, "datasets", names);
    apr_pool_destroy(pool);
}

static json_t *endpoint_json(const dsc_endpoint_t *endpoint, shapes_t *shapes)
{
    json_t *object = json_object(), *parameters = json_array(), *parent;
    int i;
    set_text(object, "name", endpoint->name);
    set_text(object, "method", endpoint->method);
    set_text(object, "path", endpoint->path);
    set_text(object, "surface", dsc_surface_of(endpoint->path)->name);
    set_text(object, "tag", endpoint->tag);
    set_text(object, "summary", endpoint->summary);
    set_text(object, "response", responses[endpoint->response]);
    set_flags(object, endpoint->flags, endpoint_flags);
    set_text(object, "feature", endpoint->feature);
    for (i = 0; i < endpoint->parameter_count; i++) {
        json_array_append_new(parameters, parameter_json(&endpoint->parameters[i]));
    }
    json_object_set_new(object, "parameters", parameters);
    set_source(object, "source", endpoint->source);
    set_shape(object, "shape", endpoint->shape, shapes);
    set_datasets(object, endpoint);
    set_texts(object, "gaps", endpoint->gaps);
    set_text(object, "not_found", endpoint->not_found);
    if (endpoint->parent) {
        parent = json_object();
        set_text(parent, "parameter", endpoint->parent->parameter);
        set_text(parent, "from", endpoint->parent->from);
        set_shape(parent, "shape", endpoint->parent->shape, shapes);
        json_object_set_new(object, "parent", parent);
    }
    set_children(object, endpoint->children, shapes);
    set_text(object, "rows", endpoint->rows);
    return object;
}

static json_t *column_json(const dsc_column_t *column)
{
    json_t *object = json_object();
    set_text(object, "name", column->name);
    set_text(object, "type", column_types[column->type]);
    set_flags(object, column->flags, column_flags);
    set_texts(object, "choices", column->choices);
    set_text(object, "description", column->description);
    return object;
}

static json_t *dataset_json(const dsc_dataset_t *dataset, shapes_t *shapes)
{
    json_t *object = json_object(), *columns = json_array(), *follows = json_object();
    const dsc_follow_t *follow;
    int i;
    set_text(object, "name", dataset->name);
    set_text(object, "table", dataset->table);
    set_text(object, "description", dataset->description);
    for (i = 0; i < dataset->column_count; i++) {
        json_array_append_new(columns, column_json(&dataset->columns[i]));
    }
    json_object_set_new(object, "columns", columns);
    set_text(object, "date_column", dataset->date_column);
    set_text(object, "reconcile", dataset->reconcile);
    set_text(object, "derive", dataset->derive);
    set_text(object, "announce", dataset->announce);
    set_text(object, "expect", dataset->expect);
    set_texts(object, "expected", dataset->expected);
    set_text(object, "listed", dataset->listed);
    set_text(object, "unlisted", dataset->unlisted);
    set_text(object, "noted", dataset->noted);
    set_source(object, "source", dataset->source);
    set_shape(object, "shape", dataset->shape, shapes);
    set_text(object, "key_form", dataset->key_form);
    set_flags(object, dataset->flags, dataset_flags);
    for (follow = dataset->follows; follow && follow->dataset; follow++) {
        json_object_set_new(follows, follow->dataset, json_string(follow->function));
    }
    json_object_set_new(object, "follows", follows);
    set_text(object, "keeps", dataset->keeps);
    set_text(object, "day", dataset->day);
    return object;
}

static json_t *messages_json(void)
{
    json_t *messages = json_array();
#define APPEND_MESSAGE(name_, number_, level_, text_)                                              \
    json_array_append_new(messages, json_pack("{s:s, s:s, s:s}", "number", "DSC" #number_,         \
                                              "level", #level_, "text", text_));
    DSC_MESSAGES(APPEND_MESSAGE)
#undef APPEND_MESSAGE
    return messages;
}

json_t *dsc_tables_json(void)
{
    static shapes_t shapes;
    json_t *datasets = json_array(), *endpoints = json_array();
    int i;
    memset(&shapes, 0, sizeof(shapes));
    shapes.shapes = json_object();
    for (i = 0; dsc_datasets[i]; i++) {
        json_array_append_new(datasets, dataset_json(dsc_datasets[i], &shapes));
    }
    for (i = 0; dsc_endpoints[i]; i++) {
        json_array_append_new(endpoints, endpoint_json(dsc_endpoints[i], &shapes));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "datasets", datasets, "endpoints", endpoints, "shapes",
                     shapes.shapes, "messages", messages_json());
}
