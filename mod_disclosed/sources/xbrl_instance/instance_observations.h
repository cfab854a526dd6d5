/* Key figures of a filing's instance: numbers of its products, segments and regions, and of
 * elements of the filer's own. */
#ifndef DSC_INSTANCE_OBSERVATIONS_H
#define DSC_INSTANCE_OBSERVATIONS_H

#include "sources/shared/xbrl_report_record.h"
#include "sources/xbrl_instance/linkbase.h"

/* Adds them as records of kpi_observation. Of several elements of one metric the first of the
 * dictionary is taken. *count: how many. */
apr_status_t dsc_instance_observations(dsc_loader_t *loader, apr_pool_t *pool,
                                       const dsc_xbrl_report_t *report,
                                       const dsc_linkbase_t *linkbase, long *count);

/* A name as a key: "IPhoneUnitsSold" is iphone_units_sold. */
const char *dsc_metric_key_of(apr_pool_t *pool, const char *name);

#endif
