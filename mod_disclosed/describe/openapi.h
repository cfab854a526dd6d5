/* The OpenAPI 3.1 document, generated from the tables. */
#ifndef DSC_OPENAPI_H
#define DSC_OPENAPI_H

#include "engine/call.h"

#include <jansson.h>

/* Makes the document of a surface: its operations that are enabled. */
json_t *dsc_openapi_make(apr_pool_t *pool, const dsc_service_t *service,
                         const dsc_surface_t *surface);

/* Appends its text. */
void dsc_openapi_write(dsc_buffer_t *body, const dsc_service_t *service,
                       const dsc_surface_t *surface);

#endif
