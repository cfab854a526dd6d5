/* The yearly index of financial disclosures of the Clerk of the House: 2023FD.xml, 2023FD.txt. It
 * has no transactions, but says when each report was filed, by whom and from which district. */
#ifndef DSC_HOUSE_INDEX_H
#define DSC_HOUSE_INDEX_H

#include "loader/loader.h"

/* Adds the lines of an index, all types of reports. Return as dsc_importer_t.load does. */
apr_status_t dsc_house_index_xml(dsc_loader_t *loader, const char *text, size_t length,
                                 const char **reason);
apr_status_t dsc_house_index_text(dsc_loader_t *loader, const char *text, size_t length,
                                  const char **reason);

#endif
