/* From a request's path, query and body to the values of its endpoint's parameters. */
#ifndef DSC_CALL_VALUES_H
#define DSC_CALL_VALUES_H

#include "engine/call.h"

/* Reads call->values, and what is derived from them: as_of, scale, the chosen members. 0 with the
 * response set to a 422 of all validation errors, or to a 400, if they are wrong; to a 403 if the
 * plan does not allow what they ask for. */
int dsc_call_read_values(dsc_call_t *call, apr_array_header_t *errors);

#endif
