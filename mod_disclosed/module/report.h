/* Reports for administrators: a section of mod_status, metrics for Prometheus, health. */
#ifndef DSC_REPORT_H
#define DSC_REPORT_H

#include "access/shared_state.h"
#include "engine/operation.h"

#include <httpd.h>

/* Set once in each httpd process, before requests. `caches`: of dsc_socache_t *. */
void dsc_report_init(dsc_shared_state_t *state, const dsc_registry_t *operations,
                     const apr_array_header_t *caches);

/* The handler hook of "disclosed-metrics" and "disclosed-health". */
int dsc_report_handle(request_rec *r);

/* Adds the section to mod_status, if that is loaded. */
void dsc_report_register_status(apr_pool_t *pool);

#endif
