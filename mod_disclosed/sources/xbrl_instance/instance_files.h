/* The files of a filing's XBRL, by their names: the instance, and the linkbases and schema beside it (EDGAR Filer Manual 5.2.5,
 * 6.3.3). */
#ifndef DSC_INSTANCE_FILES_H
#define DSC_INSTANCE_FILES_H

#include <apr_tables.h>

/* Whether a name is that of an instance: "aapl-20250329_htm.xml", "nflx-20100930.xml", "aapl-20250329.htm", "d12345d10q_htm.xml". */
int dsc_is_instance_name(const char *name);

/* Whether a name is that of a linkbase ("aapl-20250329_cal.xml") or schema of a filing. */
int dsc_is_linkbase_name(const char *name);

/* The instance that a folder's files are read with, by one of their names: the one with the same beginning up to the date, else the
 * only one; of the two forms of one the plain one. NULL: there is none. */
const char *dsc_instance_for(const apr_array_header_t *companions, const char *name);

/* The linkbase of that kind ("cal") of an instance, or its schema ("xsd"); NULL: it has none. */
const char *dsc_linkbase_for(const apr_array_header_t *companions, const char *instance,
                             const char *kind);

#endif
