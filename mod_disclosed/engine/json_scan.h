/* Finding one's way in JSON text that this service has written: without blanks, and known to be
 * well-formed. */
#ifndef DSC_JSON_SCAN_H
#define DSC_JSON_SCAN_H

#include "engine/buffer.h"

/* Where the value that begins here ends. */
const char *dsc_json_end(const char *value);

/* The next member of an object: `*at` is behind its "{" or behind a member. 0 at the object's end.
 * The name is as written, which for members of tables is as it is. */
int dsc_json_member(const char **at, dsc_slice_t *name, dsc_slice_t *value);

/* The next element of an array, in the same way. */
int dsc_json_element(const char **at, dsc_slice_t *value);

/* The value of the member of that name; data NULL: the object has none. */
dsc_slice_t dsc_json_find(const char *object, const char *name);

/* Appends the text of a JSON string, quotes and escapes taken off. */
void dsc_json_unquote(dsc_buffer_t *out, dsc_slice_t string);

#endif
