/* What a file says of when reports were filed, and what all files say of it together. */
#ifndef DSC_CONGRESS_STATEMENT_H
#define DSC_CONGRESS_STATEMENT_H

#include "sources/congress/congress_date.h"

/* Dates the rows, which are identified and dated by their file alone, by all that is known of their
 * reports; and has kept what this file says, when it is merged. `wholes`: the ids (const char *) of
 * the reports that the file has whole: what other copies say of them holds no longer. NULL: the
 * file may leave rows out. */
apr_status_t dsc_congress_date_by_all(dsc_loader_t *loader, int is_house, const char *read_from,
                                      const apr_array_header_t *reports,
                                      const apr_array_header_t *wholes);

#endif
