/* The record of a filing's linkbases. */
#ifndef DSC_LINKBASE_RECORD_H
#define DSC_LINKBASE_RECORD_H

#include "loader/loader.h"
#include "sources/shared/xbrl_report_record.h"
#include "sources/xbrl_instance/linkbase.h"

/* Adds the calculations and statements of the report's filing, if it has any, with the labels of
 * the report's elements. Calculations that would add up too much, and presentations that cannot be,
 * are rejected. */
apr_status_t dsc_linkbase_add(dsc_loader_t *loader, apr_pool_t *pool,
                              const dsc_xbrl_report_t *report, const dsc_linkbase_t *linkbase);

#endif
