#include "describe/openapi.h"

#include "datasets/datasets.h"
#include "describe/schema.h"
#include "engine/problem.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* Responses that every operation may give beside its own. */
static const int problem_statuses[] = {400, 401, 402, 403, 404, 429, 500, 503, 504};

static json_t *content(const char *type, json_t *schema)
{
    return json_pack("{s:{s:o}}", type, "schema", schema);
}

static void add_required(json_t *properties, json_t *required, const char *name, json_t *schema)
{
    json_object_set_new(properties, name, schema);
    json_array_append_new(required, json_string(name));
}

static json_t *array_of(const dsc_shape_t *shape, json_t *components)
{
    return json_pack("{s:s,s:o}", "type", "array", "items", dsc_schema_of_shape(shape, components));
}

/* What stands beside the rows: fields of what they hang on, the company, marks. */
static void add_extras(const dsc_endpoint_t *endpoint, json_t *properties, json_t *required,
                       json_t *components)
{
    const dsc_shape_t *shape = endpoint->parent ? endpoint->parent->shape : NULL;
    int i;
    for (i = 0; shape && i < shape->field_count; i++) {
        add_required(properties, required, shape->fields[i].name,
                     dsc_schema_of_field(&shape->fields[i], components));
    }
    if (endpoint->flags & DSC_ALPHA) {
        add_required(properties, required, "alpha",
                     json_pack("{s:s, s:b}", "type", "boolean", "const", 1));
    }
    if (endpoint->flags & DSC_WITH_COMPANY) {
        add_required(properties, required, "company",
                     dsc_schema_of_shape(&dsc_shape_company, components));
    }
    if (endpoint->gaps) {
        add_required(properties, required, "_gaps",
                     json_pack("{s:s,s:{s:s}}", "type", "array", "items", "type", "string"));
    }
}

static json_t *envelope(const dsc_endpoint_t *endpoint, json_t *components)
{
    json_t *properties = json_object();
    json_t *required = json_array();
    add_extras(endpoint, properties, required, components);
    add_required(properties, required, "data", array_of(endpoint->shape, components));
    if (endpoint->response == DSC_RESPONSE_LIST) {
        add_required(properties, required, "pagination",
                     dsc_schema_shared("Pagination", components));
    }
    return json_pack("{s:s,s:o,s:o}", "type", "object", "properties", properties, "required",
                     required);
}

/* An item: its shape, the company and its children added to the shape's schema. */
static json_t *item(const dsc_endpoint_t *endpoint, json_t *components)
{
    json_t *reference = dsc_schema_of_shape(endpoint->shape, components);
    json_t *schema = json_object_get(components, endpoint->shape->name);
    const dsc_child_t *child;
    if (endpoint->flags & DSC_WITH_COMPANY) {
        add_required(json_object_get(schema, "properties"), json_object_get(schema, "required"),
                     "company", dsc_schema_of_shape(&dsc_shape_company, components));
    }
    for (child = endpoint->children; child && child->name; child++) {
        json_t *array = array_of(child->shape, components);
        json_object_set_new(array, "description", json_string(child->description));
        add_required(json_object_get(schema, "properties"), json_object_get(schema, "required"),
                     child->name, array);
    }
    return reference;
}

static json_t *body_schema(const dsc_endpoint_t *endpoint, json_t *components)
{
    if (!endpoint->shape) {
        return json_pack("{s:s}", "type", "object");
    }
    switch (endpoint->response) {
    case DSC_RESPONSE_LIST:
    case DSC_RESPONSE_ALL:
        return envelope(endpoint, components);
    case DSC_RESPONSE_ARRAY:
        return array_of(endpoint->shape, components);
    default:
        return item(endpoint, components);
    }
}

/* What problems of a status are called: "Plan too low, or Out of the key's scope". */
static json_t *titles_of(int status)
{
    const dsc_problem_t *problem;
    json_t *titles = NULL, *longer;
    for (problem = dsc_problems; problem->slug; problem++) {
        if (problem->status != status) {
            continue;
        }
        longer = titles ? json_sprintf("%s, or %s", json_string_value(titles), problem->title)
                        : json_string(problem->title);
        json_decref(titles);
        titles = longer;
    }
    return titles;
}

static json_t *responses(const dsc_endpoint_t *endpoint, json_t *components)
{
    json_t *all = json_pack("{s:{s:s,s:o}}", "200", "description", "Success", "content",
                            content("application/json", body_schema(endpoint, components)));
    char status[12];
    int i;
    if (strcmp(endpoint->method, "GET") == 0) {
        json_object_set_new(all, "304",
                            json_pack("{s:s}", "description", "Not modified since If-None-Match."));
    }
    json_object_set_new(all, "422",
                        json_pack("{s:s,s:o}", "description", "Validation error", "content",
                                  content("application/json",
                                          dsc_schema_shared("HTTPValidationError", components))));
    for (i = 0; i < DSC_COUNT(problem_statuses); i++) {
        apr_snprintf(status, sizeof(status), "%d", problem_statuses[i]);
        json_object_set_new(all, status,
                            json_pack("{s:o,s:o}", "description", titles_of(problem_statuses[i]),
                                      "content",
                                      content("application/problem+json",
                                              dsc_schema_shared("Problem", components))));
    }
    return all;
}

static json_t *parameters(const dsc_endpoint_t *endpoint)
{
    json_t *all = json_array();
    int i;
    for (i = 0; i < endpoint->parameter_count; i++) {
        const dsc_parameter_t *parameter = &endpoint->parameters[i];
        int in_path = parameter->location == DSC_IN_PATH;
        if (parameter->location == DSC_IN_BODY) {
            continue;
        }
        json_array_append_new(all, json_pack("{s:s,s:s,s:b,s:s,s:o}", "name", parameter->name, "in",
                                             in_path ? "path" : "query", "required",
                                             in_path || (parameter->flags & DSC_REQUIRED),
                                             "description", parameter->description, "schema",
                                             dsc_schema_of_parameter(parameter)));
    }
    return all;
}

static json_t *request_body(json_t *schema)
{
    return json_pack("{s:b,s:o}", "required", 1, "content", content("application/json", schema));
}

/* The object that a body is, of the parameters that are its members. */
static json_t *schema_of_body(const dsc_endpoint_t *endpoint)
{
    json_t *properties = json_object();
    json_t *required = json_array();
    int i;
    for (i = 0; i < endpoint->parameter_count; i++) {
        const dsc_parameter_t *parameter = &endpoint->parameters[i];
        json_t *schema;
        if (parameter->location != DSC_IN_BODY) {
            continue;
        }
        schema = dsc_schema_of_parameter(parameter);
        json_object_set_new(schema, "description", json_string(parameter->description));
        json_object_set_new(properties, parameter->name, schema);
        if (parameter->flags & DSC_REQUIRED) {
            json_array_append_new(required, json_string(parameter->name));
        }
    }
    return json_pack("{s:s,s:o,s:o}", "type", "object", "properties", properties, "required",
                     required);
}

static json_t *operation(const dsc_endpoint_t *endpoint, json_t *components)
{
    json_t *described =
        json_pack("{s:s,s:s,s:[s],s:o,s:o}", "operationId", endpoint->name, "summary",
                  endpoint->summary, "tags", endpoint->tag, "parameters", parameters(endpoint),
                  "responses", responses(endpoint, components));
    if (dsc_body_is_taken(endpoint->parameters, endpoint->parameter_count)) {
        json_object_set_new(described, "requestBody", request_body(schema_of_body(endpoint)));
    }
    return described;
}

static const char *lower(apr_pool_t *pool, const char *method)
{
    char *text = apr_pstrdup(pool, method);
    char *p;
    for (p = text; *p; p++) {
        *p = (char)apr_tolower(*p);
    }
    return text;
}

/* What a document is made of. */
typedef struct {
    apr_pool_t *pool;
    const dsc_service_t *service;
    const dsc_surface_t *surface;
    json_t *components;
} document_t;

/* Whether the document describes the operation. */
static int is_in(const document_t *document, const dsc_operation_t *one)
{
    const dsc_service_t *service = document->service;
    return one->surface == document->surface &&
           (!service->enabled || service->enabled(one, service->enabled_baton));
}

static json_t *paths(const document_t *document)
{
    const dsc_registry_t *registry = document->service->registry;
    json_t *all = json_object();
    int i;
    for (i = 0; i < registry->count; i++) {
        const dsc_operation_t *one = &registry->operations[i];
        const dsc_endpoint_t *endpoint = one->endpoint;
        json_t *path = json_object_get(all, endpoint->path);
        if (!is_in(document, one)) {
            continue;
        }
        if (!path) {
            path = json_object();
            json_object_set_new(all, endpoint->path, path);
        }
        json_object_set_new(path, lower(document->pool, endpoint->method),
                            operation(endpoint, document->components));
    }
    return all;
}

/* What is sent to webhook endpoints, where any can be had. */
static json_t *webhooks(const document_t *document)
{
    const dsc_registry_t *registry = document->service->registry;
    json_t *all = json_object();
    const dsc_topic_t *const *topic;
    int i, any = 0;
    for (i = 0; i < registry->count; i++) {
        const dsc_operation_t *one = &registry->operations[i];
        any |= one->endpoint->feature &&
               strcmp(one->endpoint->feature, DSC_FEATURE_WEBHOOKS) == 0 && is_in(document, one);
    }
    for (topic = dsc_topics; any && *topic; topic++) {
        json_t *schema = dsc_schema_of_shape((*topic)->shape, document->components);
        json_object_set_new(all, (*topic)->name,
                            json_pack("{s:{s:s,s:[],s:o,s:{s:{s:s}}}}", "post", "summary",
                                      (*topic)->description, "security", "requestBody",
                                      request_body(schema), "responses", "2XX", "description",
                                      "Delivered; anything else is tried again."));
    }
    return all;
}

static json_t *tags(const document_t *document)
{
    const dsc_registry_t *registry = document->service->registry;
    json_t *all = json_array();
    size_t j;
    int i;
    for (i = 0; i < registry->count; i++) {
        const char *tag = registry->operations[i].endpoint->tag;
        for (j = 0; j < json_array_size(all); j++) {
            const json_t *known = json_object_get(json_array_get(all, j), "name");
            if (strcmp(json_string_value(known), tag) == 0) {
                break;
            }
        }
        if (j == json_array_size(all) && is_in(document, &registry->operations[i])) {
            json_array_append_new(all, json_pack("{s:s}", "name", tag));
        }
    }
    return all;
}

static int append_piece(const char *bytes, size_t length, void *data)
{
    dsc_buffer_append(data, bytes, length);
    return 0;
}

static json_t *bearer(apr_pool_t *pool, const dsc_service_t *service)
{
    const char *text = "An API key: sk_live_... or sk_test_...";
    if (service->portal_url) {
        text = apr_pstrcat(pool, "An API key, sk_live_... or sk_test_...; get one at ",
                           service->portal_url, NULL);
    }
    return json_pack("{s:s,s:s,s:s}", "type", "http", "scheme", "bearer", "description", text);
}

void dsc_openapi_write(dsc_buffer_t *body, const dsc_service_t *service,
                       const dsc_surface_t *surface)
{
    const document_t document = {body->pool, service, surface, json_object()};
    json_t *described = paths(&document);
    json_t *json = json_pack(
        "{s:s,s:{s:s,s:s,s:s,s:{s:s,s:s}},s:[{s:s}],s:[{s:[]}],s:o,s:o,s:o,s:{s:o,s:{s:o}}}",
        "openapi", "3.1.0", "info", "title", surface->title, "version", surface->version,
        "description", surface->description, "license", "name", "Apache-2.0", "identifier",
        "Apache-2.0", "servers", "url", service->base_url, "security", "bearer", "tags",
        tags(&document), "paths", described, "webhooks", webhooks(&document), "components",
        "schemas", document.components, "securitySchemes", "bearer", bearer(body->pool, service));
    json_dump_callback(json, append_piece, body, JSON_COMPACT | JSON_ENCODE_ANY);
    json_decref(json);
}
