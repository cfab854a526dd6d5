/* A Form 13F report as records: datasets institution_report and institution_position. */
#ifndef DSC_HOLDINGS_RECORD_H
#define DSC_HOLDINGS_RECORD_H

#include "loader/loader.h"
#include "sources/sec_13f/holdings_scale.h"

/* Stages the report; an error in it is a reject. */
apr_status_t dsc_add_holdings_report(dsc_loader_t *loader, apr_pool_t *pool,
                                     const dsc_holdings_report_t *report,
                                     const dsc_scale_evidence_t *evidence,
                                     const dsc_scale_t *scale);

/* Stages a row of it; `content_hash` is its file's, NULL: that of the one being loaded. `pool` may
 * be cleared afterwards. */
apr_status_t dsc_add_holding(dsc_loader_t *loader, apr_pool_t *pool,
                             const dsc_holdings_report_t *report, const dsc_scale_t *scale,
                             const char *content_hash, const dsc_holding_t *row);

/* What follows from a load: reports of these periods whose scale is not confirmed are compared with
 * others that are loaded, once for all files that are merged together and as if one file after the
 * other. Both are array literals; `cusips`, those of the load, may be NULL for any. */
apr_status_t dsc_compare_value_scales(dsc_loader_t *loader, const char *periods,
                                      const char *cusips);

/* What the operator is to know of a report: a corrected scale, a total that its rows do not amount
 * to, rows that are missing. NULL: nothing. */
const char *dsc_holdings_remark(apr_pool_t *pool, const dsc_holdings_report_t *report,
                                const dsc_scale_evidence_t *evidence, const dsc_scale_t *scale);

#endif
