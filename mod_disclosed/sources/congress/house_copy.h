/* Copies of the House's reports that take a line above an asset for a part of its name. */
#ifndef DSC_HOUSE_COPY_H
#define DSC_HOUSE_COPY_H

#include <apr_tables.h>

/* Cuts such lines off ("S O: An account Visa Inc."), if other rows of the file show where the
 * asset begins: those that name the same ticker's asset, or the same account. `reports`: of
 * dsc_congress_report_t *, of one file. The text of a row is kept in asset_as_filed. If there is
 * an owner between line and asset, the database recognizes it (congress_reading()). */
void dsc_house_copy_cut(apr_pool_t *pool, const apr_array_header_t *reports);

#endif
