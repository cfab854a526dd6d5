/* Loads Form 13F: one report, or a data set of thousands. The unit of the values is decided before
 * the first row is staged, so rows are read twice and never kept in memory. */
#ifndef DSC_HOLDINGS_LOAD_H
#define DSC_HOLDINGS_LOAD_H

#include "loader/importer.h"
#include "sources/sec_13f/holdings_package.h"

/* Loads a report and its rows; a package without report is a table whose report is found by the
 * file's name and the database. Returns what an importer's load() does. */
apr_status_t dsc_load_holdings_report(dsc_loader_t *loader, const dsc_import_file_t *file,
                                      const dsc_holdings_package_t *package, const char **reason);

/* Loads the data set whose SUBMISSION.tsv the file is. */
apr_status_t dsc_load_holdings_data_set(dsc_loader_t *loader, const dsc_import_file_t *file,
                                        const char **reason);

#endif
