/* Rows as lines: CSV and NDJSON. A long export is read page by page, and each page is passed on,
 * so that neither a connection to the database nor memory is held for all of it. */
#ifndef DSC_EXPORT_H
#define DSC_EXPORT_H

#include "engine/page.h"

/* Appends a row's item as JSON, with the members that are chosen. */
void dsc_export_item(dsc_call_t *call, const struct dsc_layout_t *layout, dsc_result_t *result);

/* Appends up to `size` rows as lines, behind the header line if it is the first time. */
void dsc_export_rows(dsc_call_t *call, dsc_result_t *result, int size, int is_first);

/* Makes lines of the body, which is JSON, by the array that the endpoint's response is about. */
void dsc_export_body(dsc_call_t *call);

/* Responds with the page of a list; what it hangs on has been found. */
void dsc_export_list(dsc_call_t *call, dsc_page_t *page);

#endif
