/* Request bodies: JSON objects whose members are parameters, read as FastAPI with Pydantic v2
 * does. */
#ifndef DSC_BODY_H
#define DSC_BODY_H

#include "engine/parameter.h"

#include <jansson.h>

enum {
    DSC_MOST_BODY = 65536 /* bytes; a longer one is a 413 */
};

/* What a request carries. */
typedef struct {
    const char *content_type; /* NULL: not sent */
    dsc_slice_t bytes;
} dsc_body_t;

typedef enum {
    DSC_BODY_READ,
    DSC_BODY_INVALID,   /* no JSON: `errors` says where; nothing else is looked at */
    DSC_BODY_UNREADABLE /* no UTF-8, nested too deeply, numbers out of range: a 400 */
} dsc_body_result_t;

/* Whether one of the parameters is read from the body. */
int dsc_body_is_taken(const dsc_parameter_t *parameters, int count);

/* Whether members of the body may be of that type. */
int dsc_body_takes(dsc_parameter_type_t type);

/* Parses the body. `json` lives as long as the pool; NULL stands for an empty body, and text of
 * another content type than JSON is a string. */
dsc_body_result_t dsc_body_parse(apr_pool_t *pool, const dsc_body_t *body, json_t **json,
                                 apr_array_header_t *errors);

/* Validates the parameters that are members of the body, in the order of the table; returns 1 when
 * all are good. `values` holds one slot for each parameter of the table. */
int dsc_body_read(apr_pool_t *pool, const dsc_parameter_t *parameters, int count,
                  const json_t *json, dsc_value_t *values, apr_array_header_t *errors);

/* Adds a validation error of a rule of our own, as dsc_validation_error_add does, about a member of
 * the body (NULL: the body), or an element of it (-1: the whole). Its input is what the client has
 * sent, not what was made of it. */
void dsc_body_error_add(apr_array_header_t *errors, const json_t *body, const char *name, int index,
                        const char *text);

#endif
