/* HTML of filings as plain text. */
#ifndef DSC_HTML_TEXT_H
#define DSC_HTML_TEXT_H

#include "engine/buffer.h"

/* Appends the page's text to `out` as clean UTF-8: blocks on lines of their own, paragraphs with a
 * blank line between, cells of a table row with a tab between, white space normalised, entities
 * resolved. Scripts, styles, the hidden part of inline XBRL and all else that is not displayed are
 * left out. `html` is UTF-8. Returns 0 when the parser gave up. */
int dsc_html_to_text(dsc_buffer_t *out, const char *html, size_t length);

/* The same for a page that is read piece by piece, in UTF-8 as well: `read` is an
 * xmlInputReadCallback. -1 if the text is longer than `limit` bytes. */
int dsc_html_read_text(dsc_buffer_t *out, int (*read)(void *baton, char *bytes, int size),
                       void *baton, size_t limit);

/* Appends a character of Windows-1252 as UTF-8; nothing for the five codes that have none. */
void dsc_append_windows_1252(dsc_buffer_t *out, unsigned char byte);

#endif
