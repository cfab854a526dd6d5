#include "describe/typescript.h"

#include "describe/openapi.h"
#include "engine/json_writer.h"

#include <apr_strings.h>
#include <string.h>

/* ------------------------------------------------------------------------- types */

static void write_type(dsc_buffer_t *out, const json_t *schema);

/* Alternatives, with bars between them. */
static void write_union(dsc_buffer_t *out, const json_t *schemas)
{
    size_t i;
    const json_t *one;
    json_array_foreach(schemas, i, one)
    {
        dsc_buffer_append_text(out, i ? " | " : "");
        write_type(out, one);
    }
}

static void write_choices(dsc_buffer_t *out, const json_t *choices)
{
    size_t i;
    const json_t *one;
    json_array_foreach(choices, i, one)
    {
        dsc_buffer_append_text(out, i ? " | " : "");
        dsc_json_text(out, json_string_value(one));
    }
}

static void write_name_of_type(dsc_buffer_t *out, const char *type)
{
    dsc_buffer_append_text(out, strcmp(type, "integer") == 0 ? "number" : type);
}

/* Comment text, which must not end the comment. */
static void write_comment(dsc_buffer_t *out, const char *indent, const char *text)
{
    const char *end;
    if (!text) {
        return;
    }
    dsc_buffer_printf(out, "%s/** ", indent);
    while ((end = strstr(text, "*/"))) {
        dsc_buffer_append(out, text, (size_t)(end - text) + 1);
        dsc_buffer_append_char(out, ' ');
        text = end + 1;
    }
    dsc_buffer_append_text(out, text);
    dsc_buffer_append_text(out, " */\n");
}

static int is_required(const json_t *schema, const char *name)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(schema, "required"), i, one)
    {
        if (strcmp(json_string_value(one), name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The members of an object, a line each. */
static void write_members(dsc_buffer_t *out, const char *indent, const json_t *schema)
{
    const char *name;
    json_t *member;
    json_object_foreach(json_object_get(schema, "properties"), name, member)
    {
        write_comment(out, indent, json_string_value(json_object_get(member, "description")));
        dsc_buffer_append_text(out, indent);
        dsc_json_text(out, name);
        dsc_buffer_append_text(out, is_required(schema, name) ? ": " : "?: ");
        write_type(out, member);
        dsc_buffer_append_text(out, ";\n");
    }
}

static void write_object(dsc_buffer_t *out, const json_t *schema)
{
    if (!json_object_get(schema, "properties")) {
        dsc_buffer_append_text(out, "Record<string, unknown>");
        return;
    }
    dsc_buffer_append_text(out, "{\n");
    write_members(out, "        ", schema);
    dsc_buffer_append_text(out, "    }");
}

/* One type by its name. */
static void write_plain(dsc_buffer_t *out, const json_t *schema, const char *type)
{
    if (strcmp(type, "array") == 0) {
        dsc_buffer_append_text(out, "Array<");
        write_type(out, json_object_get(schema, "items"));
        dsc_buffer_append_char(out, '>');
    } else if (strcmp(type, "object") == 0) {
        write_object(out, schema);
    } else {
        write_name_of_type(out, type);
    }
}

static void write_type(dsc_buffer_t *out, const json_t *schema)
{
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    const json_t *type = json_object_get(schema, "type"), *one;
    size_t i;
    if (reference) {
        dsc_buffer_append_text(out, strrchr(reference, '/') + 1);
    } else if (json_object_get(schema, "anyOf")) {
        write_union(out, json_object_get(schema, "anyOf"));
    } else if (json_object_get(schema, "enum")) {
        write_choices(out, json_object_get(schema, "enum"));
    } else if (json_object_get(schema, "const")) {
        dsc_buffer_append_text(out, "true");
    } else if (json_is_string(type)) {
        write_plain(out, schema, json_string_value(type));
    } else if (json_is_array(type)) {
        json_array_foreach(type, i, one)
        {
            dsc_buffer_append_text(out, i ? " | " : "");
            write_plain(out, schema, json_string_value(one));
        }
    } else {
        dsc_buffer_append_text(out, "unknown");
    }
}

/* -------------------------------------------------------------------- operations */

/* Parameters of a place: "query" or "path". */
static void write_parameters(dsc_buffer_t *out, const json_t *operation, const char *place)
{
    size_t i;
    const json_t *one;
    dsc_buffer_printf(out, "        %s: {\n", place);
    json_array_foreach(json_object_get(operation, "parameters"), i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "in")), place) != 0) {
            continue;
        }
        write_comment(out, "            ", json_string_value(json_object_get(one, "description")));
        dsc_buffer_append_text(out, "            ");
        dsc_json_text(out, json_string_value(json_object_get(one, "name")));
        dsc_buffer_append_text(out, json_is_true(json_object_get(one, "required")) ? ": " : "?: ");
        write_type(out, json_object_get(one, "schema"));
        dsc_buffer_append_text(out, ";\n");
    }
    dsc_buffer_append_text(out, "        };\n");
}

/* The schema of a body, of whichever type it is. */
static const json_t *schema_of(const json_t *described)
{
    const char *type;
    json_t *content;
    json_object_foreach(json_object_get(described, "content"), type, content)
    {
        return json_object_get(content, "schema");
    }
    return NULL;
}

static void write_operation(dsc_buffer_t *out, const char *method, const char *path,
                            const json_t *operation)
{
    const json_t *body = schema_of(json_object_get(operation, "requestBody"));
    const json_t *success = json_object_get(json_object_get(operation, "responses"), "200");
    write_comment(out, "    ", json_string_value(json_object_get(operation, "summary")));
    dsc_buffer_printf(out, "    %s: {\n        method: \"%s\";\n        url: \"%s\";\n",
                      json_string_value(json_object_get(operation, "operationId")), method, path);
    write_parameters(out, operation, "path");
    write_parameters(out, operation, "query");
    dsc_buffer_append_text(out, "        body: ");
    if (body) {
        write_type(out, body);
    } else {
        dsc_buffer_append_text(out, "undefined");
    }
    dsc_buffer_append_text(out, ";\n        response: ");
    write_type(out, schema_of(success));
    dsc_buffer_append_text(out, ";\n    };\n");
}

static const char *upper(apr_pool_t *pool, const char *method)
{
    char *text = apr_pstrdup(pool, method), *p;
    for (p = text; *p; p++) {
        *p = (char)(*p & ~0x20);
    }
    return text;
}

static void write_operations(dsc_buffer_t *out, json_t *paths)
{
    const char *path, *method;
    json_t *methods, *operation;
    dsc_buffer_append_text(out, "/** What each operation takes and responds with, by its id. */\n"
                                "export interface Operations {\n");
    json_object_foreach(paths, path, methods)
    {
        json_object_foreach(methods, method, operation)
        {
            write_operation(out, upper(out->pool, method), path, operation);
        }
    }
    dsc_buffer_append_text(out, "}\n");
}

/* What webhook endpoints receive, by topic. */
static void write_deliveries(dsc_buffer_t *out, json_t *webhooks)
{
    const char *topic;
    json_t *webhook;
    dsc_buffer_append_text(out, "\n/** What webhook endpoints receive, by topic. */\n"
                                "export interface Deliveries {\n");
    json_object_foreach(webhooks, topic, webhook)
    {
        dsc_buffer_printf(out, "    \"%s\": ", topic);
        write_type(out,
                   schema_of(json_object_get(json_object_get(webhook, "post"), "requestBody")));
        dsc_buffer_append_text(out, ";\n");
    }
    dsc_buffer_append_text(out, "}\n");
}

void dsc_typescript_write(dsc_buffer_t *body, const dsc_service_t *service,
                          const dsc_surface_t *surface)
{
    json_t *document = dsc_openapi_make(body->pool, service, surface), *schema;
    const json_t *components = json_object_get(document, "components");
    const char *name;
    dsc_buffer_printf(body, "/** %s, version %s. %s */\n\n", surface->title, surface->version,
                      service->base_url);
    json_object_foreach(json_object_get(components, "schemas"), name, schema)
    {
        write_comment(body, "", json_string_value(json_object_get(schema, "description")));
        dsc_buffer_printf(body, "export interface %s {\n", name);
        write_members(body, "    ", schema);
        dsc_buffer_append_text(body, "}\n\n");
    }
    write_operations(body, json_object_get(document, "paths"));
    write_deliveries(body, json_object_get(document, "webhooks"));
    json_decref(document);
}
