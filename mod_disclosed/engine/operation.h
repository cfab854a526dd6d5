/* An operation: an endpoint prepared to serve requests. What follows from its tables (path
 * segments, select list, positions of the common parameters) is computed once, when httpd
 * starts. */
#ifndef DSC_OPERATION_H
#define DSC_OPERATION_H

#include "engine/database.h"
#include "engine/endpoint.h"
#include "engine/surface.h"

#include <apr_pools.h>
#include <apr_tables.h>

typedef struct dsc_operation_t {
    const dsc_endpoint_t *endpoint;
    const dsc_surface_t *surface;
    int index;                    /* place in the registry */
    apr_array_header_t *segments; /* of const char *: literal text, or "{name}" */
    int symbol;                   /* place of the parameter that is resolved to a company, or -1 */
    int cursor, limit, offset, direction, as_of, sort, fields; /* places of parameters, or -1 */
    int unit;                                                  /* of `unit`, else `scale` */
    const char *select; /* select list derived from the shape, with names c1, c2, ... */
    const struct dsc_layout_t *layout; /* by which rows are written */
    const dsc_columns_t *columns;      /* types that its columns may have */
    int column_count;                  /* columns of the shape */
    int order_column, tie_column; /* columns that hold a row's position; beyond the shape's if no
                                   * field has the same SQL */
    int takes_body;               /* whether a parameter is a member of the body */
    uint64_t dataset_mask;        /* bit i: reads dsc_datasets[i] */
} dsc_operation_t;

typedef struct dsc_registry_t {
    dsc_operation_t *operations;
    int count;
} dsc_registry_t;

/* Makes all endpoints of the tables ready. */
dsc_registry_t *dsc_registry_create(apr_pool_t *pool, const dsc_endpoint_t *const *endpoints);

/* The datasets that an endpoint's responses depend on, from the SQL of its tables: bit i is
 * dsc_datasets[i]. Tables that no dataset keeps are appended to `unknown` (of const char *), unless
 * that is NULL. */
uint64_t dsc_endpoint_reads(apr_pool_t *pool, const dsc_endpoint_t *endpoint,
                            apr_array_header_t *unknown);

/* Looks for what contradicts itself in the tables of endpoints and datasets: a path twice, a
 * predicate without its parameter, an order column that is missing, an unknown dataset, ...
 * Returns an array of const char *, one sentence for each error, and in *checked how many
 * things were looked at. */
apr_array_header_t *dsc_tables_check(apr_pool_t *pool, const dsc_endpoint_t *const *endpoints,
                                     int *checked);

typedef enum {
    DSC_ROUTE_FOUND,
    DSC_ROUTE_UNKNOWN,       /* 404 */
    DSC_ROUTE_METHOD,        /* 405; `allow` lists the methods */
    DSC_ROUTE_TRAILING_SLASH /* 307 to the path without it */
} dsc_route_result_t;

typedef struct {
    const dsc_operation_t *operation;
    apr_array_header_t *path_values; /* of dsc_slice_t, in the order of the template */
    const char *allow;               /* "GET, HEAD, OPTIONS" */
} dsc_route_t;

/* Whether an operation may be used; see dsc_route(). */
typedef int (*dsc_enabled_t)(const dsc_operation_t *operation, void *baton);

/* Finds the operation for a method and a decoded path. HEAD is GET; `enabled` says which operations
 * are switched on: the others do not exist. */
dsc_route_result_t dsc_route(apr_pool_t *pool, const dsc_registry_t *registry, const char *method,
                             const char *path, dsc_enabled_t enabled, void *baton,
                             dsc_route_t *route);

#endif
