/* Configuration of plans, limits and endpoints: its lines, verbatim, and the resulting settings of
 * each operation. */
#ifndef DSC_CONFIG_ACCESS_H
#define DSC_CONFIG_ACCESS_H

#include "access/plan.h"
#include "engine/operation.h"

#include <httpd.h>
#include <http_config.h>

/* The lines of a server, in their order; arrays of the types of config_access.c. */
typedef struct {
    apr_array_header_t *plans, *weights, *costs, *gates, *deprecations;
    dsc_rate_t address; /* interval UINT64_MAX: not set */
} dsc_access_lines_t;

/* What they come to. */
typedef struct {
    apr_array_header_t *plans;                           /* of dsc_plan_t */
    dsc_rate_t address;                                  /* of clients without a key, each */
    const int *weights;                                  /* one for each operation */
    const int *costs;                                    /* in credits */
    const char *const *gates;                            /* the least plan, NULL: any */
    const struct dsc_deprecation_t *const *deprecations; /* NULL: none */
} dsc_access_t;

/* An endpoint that will change or go. Texts are header fields. */
typedef struct dsc_deprecation_t {
    const char *pattern;
    const char *deprecation; /* RFC 9745: "@1767225600" */
    const char *sunset;      /* RFC 8594: an HTTP date */
    const char *link;        /* rel="deprecation"; NULL: none */
} dsc_deprecation_t;

void dsc_access_lines_init(apr_pool_t *pool, dsc_access_lines_t *lines);
void dsc_access_lines_merge(apr_pool_t *pool, const dsc_access_lines_t *base,
                            const dsc_access_lines_t *added, dsc_access_lines_t *merged);

/* Works the lines out for the operations. */
dsc_access_t *dsc_access_make(apr_pool_t *pool, const dsc_access_lines_t *lines,
                              const dsc_registry_t *registry);

/* What is wrong with the lines taken together, or NULL. */
const char *dsc_access_check(apr_pool_t *pool, const dsc_access_lines_t *lines);

/* DisclosedEndpoint lines of a context: server, virtual host, directory, location. */
typedef struct {
    apr_array_header_t *switches;
} dsc_directory_config_t;

void *dsc_directory_config_create(apr_pool_t *pool, char *path);
void *dsc_directory_config_merge(apr_pool_t *pool, void *base, void *added);

/* Whether the context's lines leave the operation on: the last one that fits decides. */
int dsc_directory_enabled(const dsc_directory_config_t *config, const dsc_operation_t *operation);

/* Setters of the directives. */
const char *dsc_set_plan(cmd_parms *cmd, void *directory, const char *arguments);
const char *dsc_set_address_limit(cmd_parms *cmd, void *directory, const char *rate,
                                  const char *burst);
const char *dsc_set_endpoint_number(cmd_parms *cmd, void *directory, const char *pattern,
                                    const char *number);
const char *dsc_set_gate(cmd_parms *cmd, void *directory, const char *pattern, const char *plan);
const char *dsc_set_deprecation(cmd_parms *cmd, void *directory, int count, char *const words[]);
const char *dsc_set_endpoint(cmd_parms *cmd, void *directory, const char *pattern,
                             const char *state);

/* What is wrong with a URL that clients get: it must be an absolute http or https URL (RFC 3986,
 * section 4.3) with a host; NULL: nothing. */
const char *dsc_url_error(apr_pool_t *pool, const char *text);

#endif
