/* A page of a list: its beginning, its length, and the cursor of the next page. */
#ifndef DSC_PAGE_H
#define DSC_PAGE_H

#include "engine/call.h"
#include "engine/cursor.h"

typedef struct {
    int descending;
    int size;
    const dsc_cursor_t *after; /* NULL: from the beginning */
    unsigned char binding[DSC_CURSOR_BINDING_SIZE];
} dsc_page_t;

/* The header that has the cursor of the next page for endpoints whose cursors are members of
 * bodies: lines have no room for it, and no link leads there. */
#define DSC_NEXT_CURSOR "X-Next-Cursor"

/* Rows of a page: the limit asked for, under the plan's cap for the format; if none can be asked
 * for, all. */
int dsc_page_size(const dsc_call_t *call);

/* Reads size, direction and position; 0 with the response set if the cursor is not good. */
int dsc_page_read(dsc_call_t *call, apr_array_header_t *errors, dsc_page_t *page);

/* Responds that `text`, the cursor in that place of the request ("query", "body"), is not good. */
void dsc_page_refuse_cursor(dsc_call_t *call, apr_array_header_t *errors, const char *place,
                            const char *text);

/* Text of the cursor behind that position, NULL if it would be too long; and the position behind
 * the row that was read last, which outlives the result. */
const char *dsc_page_cursor(dsc_call_t *call, const dsc_page_t *page, const dsc_cursor_t *last);
void dsc_page_position(dsc_call_t *call, const dsc_result_t *result, const dsc_page_t *page,
                       dsc_cursor_t *last);

/* Has the list go on behind that position; 0 with the response set if there is no cursor for it, so
 * that no list ends too early. */
int dsc_page_goes_on(dsc_call_t *call, const dsc_page_t *page, const dsc_cursor_t *last);

/* The parameter of the query by which the next page is asked for; NULL: there is none. */
const char *dsc_page_parameter(const dsc_operation_t *operation);

/* A target as it may be in quotes, or between angle brackets in a list of links (RFC 8288, section
 * 3): what clients split or end it by is percent-encoded, as are all bytes that a URI does not
 * have. */
const char *dsc_link_target(apr_pool_t *pool, const char *target);

/* The Link header of the next page, all other parameters kept. */
const char *dsc_page_link(dsc_call_t *call, const char *position);

#endif
