#include "describe/schema.h"

#include "engine/shape_walk.h"
#include "engine/shared_member.h"

#include <string.h>

/* JSON types of field types, with the format if there is one. */
typedef struct {
    const char *type;
    const char *format;
} json_type_t;

static const json_type_t field_types[] = {
    [DSC_FIELD_INTEGER] = {"integer", NULL}, [DSC_FIELD_DECIMAL] = {"number", NULL},
    [DSC_FIELD_TEXT] = {"string", NULL},     [DSC_FIELD_BOOLEAN] = {"boolean", NULL},
    [DSC_FIELD_DATE] = {"string", "date"},   [DSC_FIELD_DATETIME] = {"string", "date-time"},
    [DSC_FIELD_CIK] = {"string", NULL},
};

static const json_type_t parameter_types[] = {
    [DSC_INTEGER] = {"integer", NULL},
    [DSC_NUMBER] = {"number", NULL},
    [DSC_BOOLEAN] = {"boolean", NULL},
    [DSC_DATE] = {"string", "date"},
    [DSC_DATETIME] = {"string", "date-time"},
    [DSC_STRING] = {"string", NULL},
    [DSC_LITERAL] = {"string", NULL},
    [DSC_SYMBOL] = {"string", NULL},
    [DSC_CIK] = {"string", NULL},
    [DSC_ACCESSION] = {"string", NULL},
    [DSC_URL] = {"string", "uri"},
};

static json_t *typed(const json_type_t *type, int nullable)
{
    json_t *schema = nullable ? json_pack("{s:[s,s]}", "type", type->type, "null")
                              : json_pack("{s:s}", "type", type->type);
    if (type->format) {
        json_object_set_new(schema, "format", json_string(type->format));
    }
    return schema;
}

static json_t *reference(const char *name)
{
    return json_pack("{s:s+}", "$ref", "#/components/schemas/", name);
}

static json_t *nullable(json_t *schema, int yes)
{
    return yes ? json_pack("{s:[o,{s:s}]}", "anyOf", schema, "type", "null") : schema;
}

/* What JSON is, or is an array of; NULL: texts or numbers. */
static json_t *schema_of_objects(const dsc_field_t *field, json_t *components)
{
    if (field->flags & DSC_SOURCES) {
        return dsc_schema_shared(DSC_SCHEMA_PROVENANCE, components);
    }
    return field->shape ? dsc_schema_of_shape(field->shape, components) : NULL;
}

/* An array, an object or anything, of `shape` if it is known. */
static json_t *schema_of_json(const dsc_field_t *field, json_t *components)
{
    json_t *objects = schema_of_objects(field, components);
    json_t *items =
        objects ? objects
                : json_pack("{s:s}", "type", field->flags & DSC_INTEGERS ? "integer" : "string");
    if (field->flags & DSC_ARRAY) {
        json_t *array = json_pack("{s:s,s:o}", "type", "array", "items", items);
        return nullable(array, (field->flags & DSC_NULLABLE) != 0);
    }
    if (objects) {
        return nullable(objects, (field->flags & DSC_NULLABLE) != 0);
    }
    json_decref(items);
    return json_pack("{s:[s,s]}", "type", "object", "null");
}

json_t *dsc_schema_of_field(const dsc_field_t *field, json_t *components)
{
    int is_nullable = (field->flags & DSC_NULLABLE) != 0;
    switch (field->type) {
    case DSC_FIELD_OBJECT:
        return nullable(dsc_schema_of_shape(field->shape, components), is_nullable);
    case DSC_FIELD_VALUE:
        return nullable(dsc_schema_shared(DSC_SCHEMA_VALUE, components), is_nullable);
    case DSC_FIELD_PROVENANCE:
        return nullable(dsc_schema_shared(DSC_SCHEMA_PROVENANCE, components), is_nullable);
    case DSC_FIELD_JSON:
        return schema_of_json(field, components);
    default:
        return typed(&field_types[field->type], is_nullable);
    }
}

json_t *dsc_schema_of_shape(const dsc_shape_t *shape, json_t *components)
{
    json_t *properties, *required;
    int i;
    if (json_object_get(components, shape->name)) {
        return reference(shape->name);
    }
    properties = json_object();
    required = json_array();
    json_object_set_new(components, shape->name,
                        json_pack("{s:s,s:s,s:o,s:o}", "type", "object", "description",
                                  shape->description, "properties", properties, "required",
                                  required));
    for (i = 0; i < shape->field_count; i++) {
        const dsc_field_t *field = &shape->fields[i];
        json_t *schema = dsc_schema_of_field(field, components);
        json_object_set_new(schema, "description", json_string(field->description));
        json_object_set_new(properties, field->name, schema);
        if (!(field->flags & DSC_OPTIONAL)) {
            json_array_append_new(required, json_string(field->name));
        }
    }
    return reference(shape->name);
}

static void add_bounds(json_t *schema, const dsc_parameter_t *parameter)
{
    int is_text = parameter->type != DSC_INTEGER && parameter->type != DSC_NUMBER;
    if (parameter->bounds.has_minimum) {
        json_object_set_new(schema, is_text ? "minLength" : "minimum",
                            json_integer(parameter->bounds.minimum));
    }
    if (parameter->bounds.has_maximum) {
        json_object_set_new(schema, is_text ? "maxLength" : "maximum",
                            json_integer(parameter->bounds.maximum));
    }
}

static json_t *default_value(const dsc_parameter_t *parameter)
{
    if (parameter->type == DSC_INTEGER || parameter->type == DSC_NUMBER ||
        parameter->type == DSC_BOOLEAN) {
        return json_loads(parameter->default_text, JSON_DECODE_ANY, NULL);
    }
    return json_string(parameter->default_text);
}

/* Where a time is taken, so is a date: its first instant. */
static json_t *schema_of_type(dsc_parameter_type_t type)
{
    json_t *schema = typed(&parameter_types[type], 0);
    return type == DSC_DATETIME
               ? json_pack("{s:[o,o]}", "anyOf", schema, typed(&parameter_types[DSC_DATE], 0))
               : schema;
}

json_t *dsc_schema_of_parameter(const dsc_parameter_t *parameter)
{
    json_t *schema = schema_of_type(parameter->type);
    const char *const *choice;
    if (parameter->choices) {
        json_t *values = json_array();
        for (choice = parameter->choices; *choice; choice++) {
            json_array_append_new(values, json_string(*choice));
        }
        json_object_set_new(schema, "enum", values);
    }
    add_bounds(schema, parameter);
    if (parameter->flags & DSC_REPEATABLE) {
        schema = json_pack("{s:s,s:o}", "type", "array", "items", schema);
        if (parameter->flags & DSC_NOT_EMPTY) {
            json_object_set_new(schema, "minItems", json_integer(1));
        }
    }
    if (parameter->default_text) {
        json_object_set_new(schema, "default", default_value(parameter));
    }
    return schema;
}

/* -------------------------------------------------------------- shared schemas */

static void add_validation_error(json_t *components)
{
    json_object_set_new(
        components, "ValidationError",
        json_pack("{s:s,s:{s:{s:s,s:{s:[{s:s},{s:s}]}},s:{s:s},s:{s:s},s:{},s:{s:s}},s:[s,s,s]}",
                  "type", "object", "properties", "loc", "type", "array", "items", "anyOf", "type",
                  "string", "type", "integer", "msg", "type", "string", "type", "type", "string",
                  "input", "ctx", "type", "object", "required", "loc", "msg", "type"));
    json_object_set_new(components, "HTTPValidationError",
                        json_pack("{s:s,s:{s:{s:s,s:o}},s:[s]}", "type", "object", "properties",
                                  "detail", "type", "array", "items", reference("ValidationError"),
                                  "required", "detail"));
}

static void add_members(json_t *components, const char *name)
{
    json_t *properties = json_object(), *required = json_array();
    const dsc_shared_member_t *member;
    for (member = dsc_shared_members; member->schema; member++) {
        const json_type_t type = {member->type, member->format};
        json_t *property;
        if (strcmp(member->schema, name) != 0) {
            continue;
        }
        property = typed(&type, member->is_nullable);
        json_object_set_new(property, "description", json_string(member->description));
        json_object_set_new(properties, member->name, property);
        if (member->is_required) {
            json_array_append_new(required, json_string(member->name));
        }
    }
    json_object_set_new(components, name,
                        json_pack("{s:s,s:o,s:o}", "type", "object", "properties", properties,
                                  "required", required));
}

json_t *dsc_schema_shared(const char *name, json_t *components)
{
    if (json_object_get(components, name)) {
        return reference(name);
    }
    if (strcmp(name, "HTTPValidationError") == 0) {
        add_validation_error(components);
    } else {
        add_members(components, name);
    }
    return reference(name);
}
