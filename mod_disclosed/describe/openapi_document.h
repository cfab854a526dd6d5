/* The parts of an OpenAPI document. */
#ifndef DSC_OPENAPI_DOCUMENT_H
#define DSC_OPENAPI_DOCUMENT_H

#include "engine/call.h"

#include <jansson.h>

typedef struct {
    apr_pool_t *pool;
    const dsc_service_t *service;
    const dsc_surface_t *surface;
    json_t *components; /* schemas; they, responses and headers are added as operations need them */
    json_t *responses, *headers;
    int has_deprecated; /* whether any operation is deprecated */
    json_t *examples;   /* by operation: {"target": ..., "body": ...} */
} dsc_document_t;

/* {"<type>": {"schema": schema}}; takes over the schema. */
json_t *dsc_openapi_content(const char *type, json_t *schema);

/* The example of an operation's response: borrowed; NULL: there is none. */
json_t *dsc_openapi_example(const dsc_document_t *document, const char *operation);

int dsc_openapi_is_deprecated(const dsc_service_t *service, const dsc_operation_t *operation);

/* The ask credits that an operation costs. */
int dsc_openapi_cost(const dsc_document_t *document, const dsc_operation_t *operation);

#endif
