#include "engine/endpoint.h"

#include <string.h>

/* The shape of the array of that name: of children, or among the fields of the response. */
static const dsc_shape_t *shape_of_array(const dsc_endpoint_t *endpoint, const char *name)
{
    const dsc_child_t *child;
    int i;
    for (child = endpoint->children; child && child->name; child++) {
        if (strcmp(child->name, name) == 0) {
            return child->shape;
        }
    }
    for (i = 0; i < endpoint->shape->field_count; i++) {
        const dsc_field_t *field = &endpoint->shape->fields[i];
        if ((field->flags & DSC_ARRAY) && strcmp(field->name, name) == 0) {
            return field->shape;
        }
    }
    return NULL;
}

const dsc_shape_t *dsc_rows_shape(const dsc_endpoint_t *endpoint)
{
    if (dsc_is_list(endpoint)) {
        return endpoint->shape;
    }
    return endpoint->rows ? shape_of_array(endpoint, endpoint->rows) : NULL;
}
