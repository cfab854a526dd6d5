/* The files of a filing's XBRL, by their names: the instance, and the linkbases and schema in the
 * same folder (EDGAR Filer Manual 5.2.5, 6.3.3). */
#ifndef DSC_INSTANCE_FILES_H
#define DSC_INSTANCE_FILES_H

#include <apr_tables.h>

/* Whether a name is that of an instance: "aapl-20250329_htm.xml", "nflx-20100930.xml",
 * "aapl-20250329.htm", "d12345d10q_htm.xml". */
int dsc_is_instance_name(const char *name);

/* Whether a file of that name may be an instance if its name is the user's own: an XML file that is
 * no linkbase or schema, or a page. */
int dsc_may_be_instance(const char *name);

/* Whether a name is that of a page of HTML: an inline document, an exhibit, or a report of earlier
 * years. */
int dsc_is_page_name(const char *name);

/* Whether a name is that of a linkbase ("aapl-20250329_cal.xml") or schema of a filing. */
int dsc_is_linkbase_name(const char *name);

/* Whether two names are those of one instance, or of the two forms of one: "aapl-20250329_htm.xml",
 * "aapl-20250329.htm". */
int dsc_is_same_instance(const char *one, const char *two);

/* Which of a filing's instances stands, whatever the order in which they come: those whose names
 * have a date before others, then by name. Whether the one of the first name stands before that of
 * the second. */
int dsc_instance_precedes(const char *one, const char *two);

/* The instance that a folder's files are read with, by one of their names: the one with the same
 * beginning up to the date, else the first one, or for a name with a date one without a date that
 * takes the linkbase; of the two forms of one the plain one. NULL: there is none. */
const char *dsc_instance_for(const apr_array_header_t *companions, const char *name);

/* Whether the name is that of another instance, which no other file of a folder, or of a
 * submission, is read with. */
int dsc_instance_is_companion(const char *instance, const char *name, int is_submission);

/* The next one of these that stands if the instance has no numbers; NULL: there is none. */
const char *dsc_instance_after(const apr_array_header_t *companions, const char *instance,
                               int is_submission);

/* The linkbase of that kind ("cal") of an instance, or its schema ("xsd"); NULL: it has none. */
const char *dsc_linkbase_for(const apr_array_header_t *companions, const char *instance,
                             const char *kind);

#endif
