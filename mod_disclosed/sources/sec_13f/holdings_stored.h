/* The rows of a Form 13F report that are stored already, for a cover that comes after its table. */
#ifndef DSC_HOLDINGS_STORED_H
#define DSC_HOLDINGS_STORED_H

#include "loader/loader.h"
#include "sources/sec_13f/holdings.h"

/* Calls visit() for each stored row of the report, in the order of its table, as it was filed;
 * *hash is the content hash of the file that they came from, or NULL. */
apr_status_t dsc_holdings_stored_rows(dsc_loader_t *loader, const dsc_holdings_report_t *report,
                                      dsc_holding_visit_t *visit, void *baton, const char **hash);

#endif
