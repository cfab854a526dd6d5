#include "engine/body.h"
#include "engine/operation.h"
#include "engine/shape_walk.h"

#include <apr_strings.h>
#include <string.h>

/* Splits "/a/b" into "a", "b"; an empty last segment (a trailing slash) is one too. */
static apr_array_header_t *split(apr_pool_t *pool, const char *path)
{
    apr_array_header_t *segments = apr_array_make(pool, 8, sizeof(const char *));
    const char *start = *path == '/' ? path + 1 : path;
    for (;;) {
        const char *end = strchr(start, '/');
        size_t length = end ? (size_t)(end - start) : strlen(start);
        APR_ARRAY_PUSH(segments, const char *) = apr_pstrmemdup(pool, start, length);
        if (!end) {
            return segments;
        }
        start = end + 1;
    }
}

static int is_parameter(const char *segment)
{
    return *segment == '{';
}

/* How many segments match literally, or -1: the more of them, the better the match. */
static int match(const apr_array_header_t *template, const apr_array_header_t *segments)
{
    int i, literal = 0;
    if (template->nelts != segments->nelts) {
        return -1;
    }
    for (i = 0; i < template->nelts; i++) {
        const char *wanted = APR_ARRAY_IDX(template, i, const char *);
        const char *found = APR_ARRAY_IDX(segments, i, const char *);
        if (is_parameter(wanted)) {
            if (!*found) {
                return -1;
            }
        } else if (strcmp(wanted, found) != 0) {
            return -1;
        } else {
            literal++;
        }
    }
    return literal;
}

static void take_values(apr_pool_t *pool, const apr_array_header_t *segments, dsc_route_t *route)
{
    const apr_array_header_t *template = route->operation->segments;
    int i;
    route->path_values = apr_array_make(pool, 2, sizeof(dsc_slice_t));
    for (i = 0; i < template->nelts; i++) {
        if (is_parameter(APR_ARRAY_IDX(template, i, const char *))) {
            dsc_slice_t *value = apr_array_push(route->path_values);
            value->data = APR_ARRAY_IDX(segments, i, const char *);
            value->length = strlen(value->data);
        }
    }
}

/* The best match for the path among operations of `method` (NULL: of any). */
static const dsc_operation_t *best(const dsc_registry_t *registry, const char *method,
                                   const apr_array_header_t *segments, dsc_enabled_t enabled,
                                   void *baton)
{
    const dsc_operation_t *found = NULL;
    int i, most = -1;
    for (i = 0; i < registry->count; i++) {
        const dsc_operation_t *operation = &registry->operations[i];
        int literal;
        if (method && strcmp(operation->endpoint->method, method) != 0) {
            continue;
        }
        literal = match(operation->segments, segments);
        if (literal > most && (!enabled || enabled(operation, baton))) {
            most = literal;
            found = operation;
        }
    }
    return found;
}

/* The methods of all operations at the path of `found`. */
static const char *allowed(apr_pool_t *pool, const dsc_registry_t *registry,
                           const dsc_operation_t *found, dsc_enabled_t enabled, void *baton)
{
    const char *allow = "";
    int i;
    for (i = 0; i < registry->count; i++) {
        const dsc_operation_t *operation = &registry->operations[i];
        const char *method = operation->endpoint->method;
        if (strcmp(operation->endpoint->path, found->endpoint->path) == 0 &&
            (!enabled || enabled(operation, baton))) {
            allow =
                apr_pstrcat(pool, allow, method, strcmp(method, "GET") ? ", " : ", HEAD, ", NULL);
        }
    }
    return apr_pstrcat(pool, allow, "OPTIONS", NULL);
}

dsc_route_result_t dsc_route(apr_pool_t *pool, const dsc_registry_t *registry, const char *method,
                             const char *path, dsc_enabled_t enabled, void *baton,
                             dsc_route_t *route)
{
    apr_array_header_t *segments = split(pool, path);
    const dsc_operation_t *any;

    memset(route, 0, sizeof(*route));
    route->operation =
        best(registry, strcmp(method, "HEAD") ? method : "GET", segments, enabled, baton);
    if (route->operation) {
        take_values(pool, segments, route);
        return DSC_ROUTE_FOUND;
    }
    any = best(registry, NULL, segments, enabled, baton);
    if (any) {
        route->operation = any;
        route->allow = allowed(pool, registry, any, enabled, baton);
        return DSC_ROUTE_METHOD;
    }
    if (segments->nelts > 1 && !*APR_ARRAY_IDX(segments, segments->nelts - 1, const char *)) {
        segments->nelts--;
        if (best(registry, NULL, segments, enabled, baton)) {
            return DSC_ROUTE_TRAILING_SLASH;
        }
    }
    return DSC_ROUTE_UNKNOWN;
}

/* ------------------------------------------------------------------- registry */

static int position_of(const dsc_endpoint_t *endpoint, const char *name)
{
    int i;
    for (i = 0; i < endpoint->parameter_count; i++) {
        if (strcmp(endpoint->parameters[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* The parameter that becomes a company. */
static int resolved_place(const dsc_endpoint_t *endpoint)
{
    int i = endpoint->parameter_count - 1;
    while (i >= 0 && !(endpoint->parameters[i].flags & DSC_RESOLVED)) {
        i--;
    }
    return i;
}

/* Where a row's position is read from: a field's own column serves when it has the same SQL. */
static void find_position(dsc_operation_t *operation, const dsc_endpoint_t *endpoint)
{
    const dsc_source_t *source = endpoint->source;
    int next = operation->column_count;
    if (!source->order) {
        return;
    }
    operation->order_column =
        source->orders ? -1 : dsc_shape_column(endpoint->shape, source->order);
    operation->tie_column = dsc_shape_column(endpoint->shape, source->tie);
    if (operation->order_column < 0) {
        operation->order_column = next++;
    }
    if (operation->tie_column < 0) {
        operation->tie_column = next;
    }
}

/* Bits of datasets that there are. */
static uint64_t every_dataset(void)
{
    uint64_t mask = 0;
    int i;
    for (i = 0; dsc_datasets[i]; i++) {
        mask |= UINT64_C(1) << i;
    }
    return mask;
}

static void make_ready(apr_pool_t *pool, dsc_operation_t *operation)
{
    const dsc_endpoint_t *endpoint = operation->endpoint;
    operation->segments = split(pool, endpoint->path);
    operation->surface = dsc_surface_of(endpoint->path);
    operation->symbol = resolved_place(endpoint);
    operation->cursor = position_of(endpoint, "cursor");
    operation->limit = position_of(endpoint, "limit");
    operation->offset = position_of(endpoint, "offset");
    operation->direction = position_of(endpoint, "direction");
    operation->as_of = position_of(endpoint, "as_of");
    operation->unit = position_of(endpoint, "unit");
    if (operation->unit < 0) {
        operation->unit = position_of(endpoint, "scale");
    }
    operation->sort = position_of(endpoint, "sort");
    operation->fields = position_of(endpoint, "fields");
    if (endpoint->shape && endpoint->source) {
        operation->select = dsc_shape_select(pool, endpoint->shape, &operation->column_count);
        operation->layout = dsc_layout_create(pool, endpoint->shape);
        operation->columns = dsc_shape_takes(pool, endpoint->shape);
        find_position(operation, endpoint);
    }
    operation->takes_body = dsc_body_is_taken(endpoint->parameters, endpoint->parameter_count);
    operation->dataset_mask = dsc_endpoint_reads(pool, endpoint, NULL) & every_dataset();
}

dsc_registry_t *dsc_registry_create(apr_pool_t *pool, const dsc_endpoint_t *const *endpoints)
{
    dsc_registry_t *registry = apr_pcalloc(pool, sizeof(*registry));
    int i;
    while (endpoints[registry->count]) {
        registry->count++;
    }
    registry->operations = apr_pcalloc(pool, (size_t)registry->count * sizeof(dsc_operation_t));
    for (i = 0; i < registry->count; i++) {
        registry->operations[i].endpoint = endpoints[i];
        registry->operations[i].index = i;
        make_ready(pool, &registry->operations[i]);
    }
    return registry;
}
