/* JSON Schema 2020-12 of shapes and parameters, as OpenAPI 3.1 uses it. */
#ifndef DSC_SCHEMA_H
#define DSC_SCHEMA_H

#include "engine/endpoint.h"

#include <jansson.h>

/* {"$ref": "#/components/schemas/<name>"}; the shape, and what it is made of, is added to
 * `components` when it is not there yet. */
json_t *dsc_schema_of_shape(const dsc_shape_t *shape, json_t *components);

/* The schema of a field's value. */
json_t *dsc_schema_of_field(const dsc_field_t *field, json_t *components);

/* The schema of an endpoint's 200. */
json_t *dsc_schema_of_response(const dsc_endpoint_t *endpoint, json_t *components);

/* The schema of a parameter's value. */
json_t *dsc_schema_of_parameter(const dsc_parameter_t *parameter);

/* {"$ref": ...} of a schema that the engine writes itself: Value, Provenance, Pagination, Problem
 * or HTTPValidationError; it is added to `components` when it is not there yet. */
json_t *dsc_schema_shared(const char *name, json_t *components);

#endif
