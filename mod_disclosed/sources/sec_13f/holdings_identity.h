/* The identity of a Form 13F: which filing it is, its manager, and when it was public, from its
 * documents, the name of its file and stored filings. */
#ifndef DSC_HOLDINGS_IDENTITY_H
#define DSC_HOLDINGS_IDENTITY_H

#include "loader/loader.h"
#include "sources/sec_13f/holdings_data_set.h"
#include "sources/sec_13f/holdings_scale.h"

/* The accession number in a path: the last component that holds one, with dashes or as 18 digits,
 * whatever is around it. NULL if there is none. */
const char *dsc_holdings_accession(apr_pool_t *pool, const char *path);

/* The manager's CIK in a path of EDGAR's, ".../1067983/000095012322012275/table.xml": the number
 * before the accession number. NULL if there is none. */
const char *dsc_holdings_path_cik(apr_pool_t *pool, const char *path);

/* Completes the report of the file; *report is NULL if an information table came without cover,
 * and is then made. APR_EGENERAL if it cannot be completed, and *reason, which says what is
 * missing and how it can be given. */
apr_status_t dsc_holdings_identify(dsc_loader_t *loader, const char *file_name,
                                   dsc_holdings_report_t **report, const char **reason);

/* The same for all reports of a data set, and decides the units of their values. */
apr_status_t dsc_data_set_identify(dsc_data_set_t *set);

/* Takes over what a comparison with other managers' reports has decided before, so that loading a
 * report again changes nothing; for a cover of a report without rows (`has_rows` is 0), whatever
 * was decided. */
apr_status_t dsc_scale_known(dsc_loader_t *loader, const char *accession, int has_rows,
                             dsc_scale_t *scale);

#endif
