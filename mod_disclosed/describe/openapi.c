#include "describe/openapi.h"

#include "datasets/datasets.h"
#include "describe/examples.h"
#include "describe/openapi_response.h"
#include "describe/schema.h"
#include "describe/tag.h"
#include "engine/json_writer.h"
#include "engine/page.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* The value that the example of the operation has for the parameter; NULL: none. */
static json_t *example_value(const dsc_document_t *document, const dsc_endpoint_t *endpoint,
                             const dsc_parameter_t *parameter)
{
    const json_t *example = json_object_get(document->examples, endpoint->name);
    return json_object_get(json_object_get(example, "parameters"), parameter->name);
}

static json_t *describe_parameter(const dsc_document_t *document, const dsc_endpoint_t *endpoint,
                                  const dsc_parameter_t *parameter)
{
    int in_path = parameter->location == DSC_IN_PATH;
    json_t *example = example_value(document, endpoint, parameter);
    json_t *described =
        json_pack("{s:s,s:s,s:b,s:s,s:o}", "name", parameter->name, "in",
                  in_path ? "path" : "query", "required",
                  in_path || (parameter->flags & DSC_REQUIRED), "description",
                  parameter->description, "schema", dsc_schema_of_parameter(parameter));
    if (example) {
        json_object_set(described, "example", example);
    }
    return described;
}

/* A repetition of a request by its key does nothing. */
static json_t *describe_key(void)
{
    return json_pack("{s:s,s:s,s:b,s:s,s:{s:s,s:i,s:i}}", "name", "Idempotency-Key", "in", "header",
                     "required", 0, "description",
                     "Key that the client chooses for this request. If the request is sent "
                     "again with this key within a day, it is not processed again, and the "
                     "response says what the first one did.",
                     "schema", "type", "string", "minLength", 1, "maxLength", 255);
}

static json_t *parameters(const dsc_document_t *document, const dsc_endpoint_t *endpoint)
{
    json_t *all = json_array();
    int i;
    for (i = 0; i < endpoint->parameter_count; i++) {
        if (endpoint->parameters[i].location != DSC_IN_BODY) {
            json_array_append_new(all,
                                  describe_parameter(document, endpoint, &endpoint->parameters[i]));
        }
    }
    if (endpoint->flags & DSC_IDEMPOTENT) {
        json_array_append_new(all, describe_key());
    }
    return all;
}

static json_t *request_body(json_t *schema)
{
    return json_pack("{s:b,s:o}", "required", 1, "content", dsc_openapi_content(DSC_JSON, schema));
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

static void describe_formats(dsc_buffer_t *text, const dsc_endpoint_t *endpoint)
{
    if (!dsc_rows_shape(endpoint)) {
        return;
    }
    dsc_buffer_append_text(text,
                           "\n\nAlso served as text/csv and application/x-ndjson, by `Accept`");
    if (endpoint->rows) {
        dsc_buffer_printf(text, ", which have the items of `%s`.", endpoint->rows);
    } else if (endpoint->response == DSC_RESPONSE_LIST) {
        dsc_buffer_append_text(text, ": `limit` then goes up to the plan's export cap.");
    } else {
        dsc_buffer_append_text(text, ".");
    }
}

/* What the operation's row implies and its summary does not say. */
static json_t *describe(const dsc_document_t *document, const dsc_operation_t *one)
{
    const dsc_endpoint_t *endpoint = one->endpoint;
    dsc_buffer_t *text = dsc_buffer_create(document->pool, 512);
    int cost = dsc_openapi_cost(document, one);
    dsc_buffer_append_text(text, endpoint->summary);
    if (one->cursor >= 0 && one->limit >= 0) {
        const dsc_parameter_t *limit = &endpoint->parameters[one->limit];
        dsc_buffer_printf(text,
                          "\n\nA page has %s rows unless `limit` sets another number (at most "
                          "%d); `next_cursor`, or the %s header, gives the cursor of the next "
                          "page.",
                          limit->default_text, (int)limit->bounds.maximum,
                          dsc_page_parameter(one) ? "Link" : DSC_NEXT_CURSOR);
    }
    describe_formats(text, endpoint);
    if (one->as_of >= 0) {
        dsc_buffer_append_text(
            text,
            "\n\nWith `as_of`, the response shows what was public at that instant, as it was then.");
    }
    if (cost) {
        dsc_buffer_printf(text, "\n\nCosts %d ask credit%s.", cost, cost == 1 ? "" : "s");
    }
    if (endpoint->feature) {
        dsc_buffer_printf(text, "\n\nThe plan must include %s.", endpoint->feature);
    }
    return json_string(dsc_buffer_text(text));
}

static json_t *operation(const dsc_document_t *document, const dsc_operation_t *one)
{
    const dsc_endpoint_t *endpoint = one->endpoint;
    json_t *described =
        json_pack("{s:s,s:s,s:o,s:[s],s:o,s:o}", "operationId", endpoint->name, "summary",
                  endpoint->summary, "description", describe(document, one), "tags", endpoint->tag,
                  "parameters", parameters(document, endpoint), "responses",
                  dsc_openapi_responses(document, one));
    if (one->takes_body) {
        json_t *body = request_body(schema_of_body(endpoint));
        json_t *example =
            json_object_get(json_object_get(document->examples, endpoint->name), "request");
        if (example) {
            json_object_set(json_object_get(json_object_get(body, "content"), DSC_JSON), "example",
                            example);
        }
        json_object_set_new(described, "requestBody", body);
    }
    if (dsc_openapi_is_deprecated(document->service, one)) {
        json_object_set_new(described, "deprecated", json_true());
    }
    if (endpoint->flags & DSC_KEYLESS) {
        json_object_set_new(described, "security", json_pack("[{},{s:[]}]", "bearer"));
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

/* Whether the document describes the operation. */
static int is_in(const dsc_document_t *document, const dsc_operation_t *one)
{
    const dsc_service_t *service = document->service;
    return one->surface == document->surface &&
           (!service->enabled || service->enabled(one, service->enabled_baton));
}

static json_t *paths(const dsc_document_t *document)
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
                            operation(document, one));
    }
    return all;
}

/* Headers of each delivery, as Standard Webhooks has them, in the order in which they are
 * signed. */
static json_t *delivery_headers(void)
{
    static const char *const headers[][2] = {
        {"webhook-id", "ID of the message, the same at every attempt."},
        {"webhook-timestamp", "Time of the attempt, in seconds since 1970."},
        {"webhook-signature",
         "Signatures with spaces between them, each `v1,` and the Base64 of the HMAC-SHA256 of id, "
         "timestamp and body, with dots between them; the key is the endpoint's signing secret, "
         "decoded from the Base64 behind `whsec_`."},
    };
    json_t *all = json_array();
    for (int i = 0; i < DSC_COUNT(headers); i++) {
        json_array_append_new(all, json_pack("{s:s,s:s,s:b,s:s,s:{s:s}}", "name", headers[i][0],
                                             "in", "header", "required", 1, "description",
                                             headers[i][1], "schema", "type", "string"));
    }
    return all;
}

/* What is sent to webhook endpoints, if any can be had. */
static json_t *webhooks(const dsc_document_t *document)
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
        json_object_set_new(
            all, (*topic)->name,
            json_pack("{s:{s:s+,s:s,s:s,s:[s],s:[],s:o,s:o,s:{s:{s:s}}}}", "post", "operationId",
                      "deliver_", (*topic)->name, "summary", (*topic)->description, "description",
                      (*topic)->description, "tags", "Webhooks", "security", "parameters",
                      delivery_headers(), "requestBody", request_body(schema), "responses", "2XX",
                      "description",
                      "The delivery is accepted; after any other response it is attempted again."));
    }
    return all;
}

static json_t *tags(const dsc_document_t *document)
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
            json_array_append_new(all, json_pack("{s:s,s:s}", "name", tag, "description",
                                                 dsc_tag_description(tag)));
        }
    }
    return all;
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

static json_t *info(const dsc_document_t *document)
{
    const dsc_surface_t *surface = document->surface;
    const dsc_service_t *service = document->service;
    return json_pack("{s:s,s:s,s:s,s:{s:s,s:s},s:{s:s,s:s}}", "title", surface->title, "version",
                     surface->version, "description", surface->description, "contact", "name",
                     "Documentation", "url",
                     service->docs_url ? service->docs_url : "https://docs.example.org", "license",
                     "name", "Apache-2.0", "identifier", "Apache-2.0");
}

static json_t *components(const dsc_document_t *document)
{
    return json_pack("{s:o,s:o,s:o,s:{s:o}}", "schemas", document->components, "responses",
                     document->responses, "headers", document->headers, "securitySchemes", "bearer",
                     bearer(document->pool, document->service));
}

static int has_deprecated(const dsc_service_t *service)
{
    int i;
    for (i = 0; i < service->registry->count; i++) {
        if (dsc_openapi_is_deprecated(service, &service->registry->operations[i])) {
            return 1;
        }
    }
    return 0;
}

json_t *dsc_openapi_make(apr_pool_t *pool, const dsc_service_t *service,
                         const dsc_surface_t *surface)
{
    const dsc_document_t document = {.pool = pool,
                                     .service = service,
                                     .surface = surface,
                                     .components = json_object(),
                                     .responses = json_object(),
                                     .headers = json_object(),
                                     .has_deprecated = has_deprecated(service),
                                     .examples = dsc_examples()};
    json_t *described = paths(&document);
    json_t *told = webhooks(&document);
    json_t *json = json_pack("{s:s,s:o,s:[{s:s}],s:[{s:[]}],s:o,s:o,s:o,s:o}", "openapi", "3.1.0",
                             "info", info(&document), "servers", "url", service->base_url,
                             "security", "bearer", "tags", tags(&document), "paths", described,
                             "webhooks", told, "components", components(&document));
    json_decref(document.examples);
    return json;
}

void dsc_openapi_write(dsc_buffer_t *body, const dsc_service_t *service,
                       const dsc_surface_t *surface)
{
    json_t *json = dsc_openapi_make(body->pool, service, surface);
    dsc_json_decimals(body, json);
    json_decref(json);
}
