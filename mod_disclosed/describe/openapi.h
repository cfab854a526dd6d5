/* The OpenAPI 3.1 document, generated from the tables. */
#ifndef DSC_OPENAPI_H
#define DSC_OPENAPI_H

#include "engine/call.h"

/* Appends the document of a surface: its operations that are enabled. */
void dsc_openapi_write(dsc_buffer_t *body, const dsc_service_t *service,
                       const dsc_surface_t *surface);

#endif
