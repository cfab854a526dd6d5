/* Descriptions of the API follow from the configuration alone. Each is made once in a process, when
 * it is first asked for, and kept: an OpenAPI document takes tens of milliseconds to make. */
#ifndef DSC_DESCRIPTIONS_H
#define DSC_DESCRIPTIONS_H

#include "engine/call.h"

/* Those of a virtual host: one for each endpoint and each set of operations that is enabled where
 * it is asked for. */
typedef struct dsc_descriptions_t dsc_descriptions_t;

/* Appends the description of a surface. */
typedef void dsc_description_writer_t(dsc_buffer_t *out, const dsc_service_t *service,
                                      const dsc_surface_t *surface);

/* As long as the pool lives; NULL: there is none. */
dsc_descriptions_t *dsc_descriptions_create(apr_pool_t *pool);

/* Makes the description the call's response: the kept one, or a new one if the service keeps none
 * or has enough of them. */
void dsc_descriptions_respond(dsc_call_t *call, dsc_description_writer_t *write);

#endif
