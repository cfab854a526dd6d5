#include "describe/openapi_response.h"

#include "datasets/datasets.h"
#include "describe/schema.h"
#include "engine/json_writer.h"
#include "engine/page.h"
#include "engine/problem.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* ------------------------------------------------------------------------ bodies */

static void add_required(json_t *properties, json_t *required, const char *name, json_t *schema)
{
    json_object_set_new(properties, name, schema);
    json_array_append_new(required, json_string(name));
}

static json_t *array_of(const dsc_shape_t *shape, json_t *components)
{
    return json_pack("{s:s,s:o}", "type", "array", "items", dsc_schema_of_shape(shape, components));
}

/* Further members of the envelope: fields of the parent, the company, marks. */
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

json_t *dsc_schema_of_response(const dsc_endpoint_t *endpoint, json_t *components)
{
    if (!endpoint->shape) {
        return json_pack("{s:s}", "type", endpoint->media_type ? "string" : "object");
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

/* The header line of the endpoint's CSV. */
static json_t *csv_header(const dsc_document_t *document, const dsc_endpoint_t *endpoint)
{
    dsc_buffer_t *line = dsc_buffer_create(document->pool, 1024);
    dsc_members_write_header(line, dsc_members_of(document->pool, dsc_rows_shape(endpoint)));
    return json_string(dsc_buffer_text(line));
}

/* The rows of the example of the JSON response, a line each; NULL: the example has none. */
static json_t *example_lines(const dsc_document_t *document, const dsc_endpoint_t *endpoint)
{
    dsc_buffer_t *lines = dsc_buffer_create(document->pool, 2048);
    json_t *rows = dsc_openapi_example(document, endpoint->name), *row;
    size_t i;
    if (endpoint->response != DSC_RESPONSE_ARRAY) {
        rows = json_object_get(rows, endpoint->rows ? endpoint->rows : "data");
    }
    json_array_foreach(rows, i, row)
    {
        dsc_json_decimals(lines, row);
        dsc_buffer_append_char(lines, '\n');
    }
    return lines->length ? json_string(dsc_buffer_text(lines)) : NULL;
}

/* Adds the formats of lines. */
static void add_lines(const dsc_document_t *document, const dsc_endpoint_t *endpoint, json_t *all)
{
    const char *csv = dsc_media[DSC_MEDIA_CSV].media_type;
    const char *of = endpoint->rows
                         ? apr_psprintf(document->pool, "An item of `%s` a line", endpoint->rows)
                         : "An item a line";
    json_object_set_new(all, csv,
                        json_pack("{s:{s:s},s:o}", "schema", "type", "string", "example",
                                  csv_header(document, endpoint)));
    json_object_set_new(all, dsc_media[DSC_MEDIA_NDJSON].media_type,
                        json_pack("{s:{s:s,s:s+},s:o*}", "schema", "type", "string", "description",
                                  of, ", each as in the JSON response.", "example",
                                  example_lines(document, endpoint)));
}

static json_t *contents(const dsc_document_t *document, const dsc_endpoint_t *endpoint)
{
    const char *type = endpoint->media_type ? apr_pstrmemdup(document->pool, endpoint->media_type,
                                                             strcspn(endpoint->media_type, ";"))
                                            : DSC_JSON;
    json_t *all = dsc_openapi_content(type, dsc_schema_of_response(endpoint, document->components));
    json_t *example = dsc_openapi_example(document, endpoint->name);
    if (example) {
        json_object_set(json_object_get(all, type), "example", example);
    }
    if (dsc_rows_shape(endpoint)) {
        add_lines(document, endpoint, all);
    }
    return all;
}

/* ----------------------------------------------------------------------- headers */

enum {
    OF_ALL = 1,   /* every response has it; others are named where they are used */
    OPTIONAL = 2, /* a response may lack it */
    OF_DEPRECATED =
        4 /* those of deprecated operations have it; shared responses are of others as well */
};

typedef struct {
    const char *key; /* among the components; the header's name, unless that means several things */
    const char *name, *type, *description;
    unsigned flags;
} header_t;

#define HEADER(name_, ...)                                                                         \
    {                                                                                              \
        name_, name_, __VA_ARGS__                                                                  \
    }
/* clang-format off */
static const header_t headers[] = {
    HEADER("X-Request-Id", "string", "ID of the request, req_<hex>, in problems and in the server's logs.", OF_ALL),
    HEADER("X-RateLimit-Limit", "integer", "Number of requests allowed by the limit that is closest to exhaustion.", OF_ALL),
    HEADER("X-RateLimit-Remaining", "integer", "Number of requests that remain under that limit.", OF_ALL),
    HEADER("X-RateLimit-Reset", "integer", "Time at which that limit is fully replenished, in seconds since 1970, UTC.", OF_ALL),
    HEADER("RateLimit-Policy", "string", "All limits, as q requests in w seconds: \"burst\";q=150;w=5, \"daily\";q=100000;w=86400.", OF_ALL),
    HEADER("RateLimit", "string", "Remaining requests of each limit, r, and seconds until it is fully replenished, t: \"burst\";r=149;t=1.", OF_ALL),
    HEADER("Cache-Control", "string", "private, no-cache: the response may be stored, and must be revalidated with If-None-Match before it is reused.", OF_ALL),
    HEADER("Vary", "string", "Request headers that the response depends on.", OF_ALL),
    HEADER("Preference-Applied", "string", "handling=strict, if the request prefers it.", OF_ALL | OPTIONAL),
    HEADER("Deprecation", "string", "Date since which the operation is deprecated: @ and seconds since 1970 (RFC 9745).", OF_DEPRECATED | OPTIONAL),
    HEADER("Sunset", "string", "Date until which a deprecated operation works (RFC 8594).", OF_DEPRECATED | OPTIONAL),
    {"DeprecationLink", "Link", "string", "Explanation of the deprecation: <URL>; rel=\"deprecation\".", OF_DEPRECATED | OPTIONAL},
    HEADER("ETag", "string", "Entity tag of this response, for If-None-Match.", OPTIONAL),
    HEADER("Link", "string", "URL of the next page: <URL>; rel=\"next\"; absent on the last page.", OPTIONAL),
    HEADER(DSC_NEXT_CURSOR, "string", "`cursor` of the next page; absent on the last page.", OPTIONAL),
    HEADER("Location", "string", "URL of the redirection.", 0),
    HEADER("Retry-After", "integer", "Seconds to wait before the request is repeated.", 0),
    HEADER("WWW-Authenticate", "string", "Authentication scheme: Bearer.", 0),
    HEADER("Accept-Encoding", "string", "identity, if the request body had a content coding.", OPTIONAL),
    {"HelpLink", "Link", "string", "Page where API keys are issued: <URL>; rel=\"help\".", 0},
};
/* clang-format on */

static void add_header(const dsc_document_t *document, json_t *to, const header_t *header)
{
    json_t *described;
    json_object_set_new(to, header->name,
                        json_pack("{s:s+}", "$ref", "#/components/headers/", header->key));
    if (!json_object_get(document->headers, header->key)) {
        described = json_pack("{s:s,s:{s:s}}", "description", header->description, "schema", "type",
                              header->type);
        if (!(header->flags & OPTIONAL)) {
            json_object_set_new(described, "required", json_true());
        }
        json_object_set_new(document->headers, header->key, described);
    }
}

/* The headers that every response of the document has, and up to two others, by their keys. */
static json_t *headers_with(const dsc_document_t *document, const char *one, const char *other)
{
    unsigned common = OF_ALL | (document->has_deprecated ? OF_DEPRECATED : 0);
    json_t *all = json_object();
    int i;
    for (i = 0; i < DSC_COUNT(headers); i++) {
        const char *key = headers[i].key;
        if ((headers[i].flags & common) || (one && strcmp(key, one) == 0) ||
            (other && strcmp(key, other) == 0)) {
            add_header(document, all, &headers[i]);
        }
    }
    return all;
}

/* ----------------------------------------------------------------- shared responses */

/* "not-found" as "NotFound". */
static const char *name_of(const dsc_document_t *document, int status)
{
    const char *slug = dsc_problem_find(status)->slug;
    char *name = apr_pstrdup(document->pool, slug), *to = name;
    int is_first = 1;
    for (; *slug; slug++) {
        if (*slug != '-') {
            *to++ = (char)(is_first ? apr_toupper(*slug) : *slug);
        }
        is_first = *slug == '-';
    }
    *to = '\0';
    return name;
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

static json_t *problem_example(const dsc_document_t *document, int status)
{
    dsc_buffer_t *text = dsc_buffer_create(document->pool, 512);
    const char *docs_url = document->service->docs_url;
    dsc_problem_write(text, dsc_problem_find(status),
                      docs_url ? docs_url : "https://docs.example.org", NULL,
                      "req_65f0c1a2b3d4e5f60718293a", NULL, NULL);
    return json_loads(dsc_buffer_text(text), 0, NULL);
}

/* The header that a problem has beside the usual ones; NULL: none. */
static const char *header_of(int status)
{
    return status == 401                    ? "WWW-Authenticate"
           : status == 415                  ? "Accept-Encoding"
           : status == 429 || status == 503 ? "Retry-After"
                                            : NULL;
}

static json_t *problem_response(const dsc_document_t *document, int status)
{
    static const char type[] = "application/problem+json";
    json_t *body = dsc_openapi_content(type, dsc_schema_shared("Problem", document->components));
    const char *help = status == 401 && document->service->portal_url ? "HelpLink" : NULL;
    json_object_set_new(json_object_get(body, type), "example", problem_example(document, status));
    return json_pack("{s:o,s:o,s:o}", "description", titles_of(status), "headers",
                     headers_with(document, header_of(status), help), "content", body);
}

static json_t *validation_response(const dsc_document_t *document)
{
    json_t *body = dsc_openapi_content(DSC_JSON, dsc_schema_shared("HTTPValidationError",
                                                                   document->components));
    json_object_set_new(json_object_get(body, DSC_JSON), "example",
                        json_pack("{s:[{s:s,s:[s,s],s:s,s:s,s:{s:i}}]}", "detail", "type",
                                  "greater_than_equal", "loc", "query", "limit", "msg",
                                  "Input should be greater than or equal to 1", "input", "0", "ctx",
                                  "ge", 1));
    return json_pack("{s:s,s:o,s:o}", "description",
                     "Validation errors: one for each parameter that is wrong.", "headers",
                     headers_with(document, NULL, NULL), "content", body);
}

/* What any request may meet, whatever it asks for. */
static json_t *any_problem(const dsc_document_t *document)
{
    return json_pack("{s:s,s:o}", "description",
                     "A request that is not valid HTTP, is too long, or arrives too late.",
                     "content",
                     dsc_openapi_content("application/problem+json",
                                         dsc_schema_shared("Problem", document->components)));
}

/* ------------------------------------------------------------------- of an operation */

/* Refers to a shared response, which `make` makes if it is new. */
static void refer(const dsc_document_t *document, json_t *responses, const char *status,
                  const char *name, json_t *(*make)(const dsc_document_t *document))
{
    json_object_set_new(responses, status,
                        json_pack("{s:s+}", "$ref", "#/components/responses/", name));
    if (make && !json_object_get(document->responses, name)) {
        json_object_set_new(document->responses, name, make(document));
    }
}

static void refer_if(const dsc_document_t *document, json_t *responses, int status, int yes)
{
    const char *name = name_of(document, status);
    if (!yes) {
        return;
    }
    refer(document, responses, apr_itoa(document->pool, status), name, NULL);
    if (!json_object_get(document->responses, name)) {
        json_object_set_new(document->responses, name, problem_response(document, status));
    }
}

/* Whether the handler gives that status beside what its row implies. */
static int gives(const dsc_endpoint_t *endpoint, int status)
{
    const int *one;
    for (one = endpoint->statuses; one && *one; one++) {
        if (*one == status) {
            return 1;
        }
    }
    return 0;
}

static int has_etag(const dsc_operation_t *operation)
{
    return strcmp(operation->endpoint->method, "GET") == 0 &&
           (operation->dataset_mask || (operation->endpoint->flags & DSC_BY_CLOCK));
}

static void add_successes(const dsc_document_t *document, const dsc_operation_t *operation,
                          json_t *all)
{
    const dsc_endpoint_t *endpoint = operation->endpoint;
    const char *next = dsc_page_parameter(operation) ? "Link"
                       : operation->cursor >= 0      ? DSC_NEXT_CURSOR
                                                     : NULL;
    const char *etag = has_etag(operation) ? "ETag" : NULL;
    json_object_set_new(all, "200",
                        json_pack("{s:s,s:o,s:o}", "description", "Success.", "headers",
                                  headers_with(document, etag, next), "content",
                                  contents(document, endpoint)));
    if (gives(endpoint, 302)) {
        json_object_set_new(all, "302",
                            json_pack("{s:s,s:o}", "description",
                                      "Redirect to the address at the source.", "headers",
                                      headers_with(document, "Location", NULL)));
    }
    if (etag) {
        json_object_set_new(all, "304",
                            json_pack("{s:s,s:o}", "description",
                                      "Not modified since If-None-Match.", "headers",
                                      headers_with(document, etag, next)));
    }
}

json_t *dsc_openapi_responses(const dsc_document_t *document, const dsc_operation_t *operation)
{
    const dsc_endpoint_t *endpoint = operation->endpoint;
    int is_keyed = !(endpoint->flags & DSC_KEYLESS), takes_body = operation->takes_body;
    json_t *all = json_object();
    add_successes(document, operation, all);
    refer_if(document, all, 400, takes_body);
    refer_if(document, all, 401, 1);
    refer_if(document, all, 402, dsc_openapi_cost(document, operation) > 0);
    refer_if(document, all, 403, is_keyed);
    refer_if(document, all, 404, strchr(endpoint->path, '{') || gives(endpoint, 404));
    refer_if(document, all, 406, !endpoint->media_type);
    refer_if(document, all, 409, gives(endpoint, 409));
    refer_if(document, all, 413, takes_body);
    refer_if(document, all, 415, takes_body);
    if (endpoint->parameter_count) {
        refer(document, all, "422", "ValidationError", validation_response);
    }
    refer_if(document, all, 429, 1);
    refer_if(document, all, 500, 1);
    refer_if(document, all, 503, 1);
    refer_if(document, all, 504, is_keyed);
    refer(document, all, "default", "Problem", any_problem);
    return all;
}
