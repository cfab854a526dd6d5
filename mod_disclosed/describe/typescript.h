/* TypeScript definitions of a surface, from its OpenAPI document. */
#ifndef DSC_TYPESCRIPT_H
#define DSC_TYPESCRIPT_H

#include "engine/call.h"

/* Appends the definitions: an interface for each schema, and `Operations`, by operation id. */
void dsc_typescript_write(dsc_buffer_t *body, const dsc_service_t *service,
                          const dsc_surface_t *surface);

#endif
