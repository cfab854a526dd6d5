/* A JSON document that is read whole. */
#ifndef DSC_JSON_DOCUMENT_H
#define DSC_JSON_DOCUMENT_H

#include "formats/import_file.h"

#include <jansson.h>

/* Parses a text, in which no member may appear twice; `flags` are jansson's. A byte order mark is
 * passed over (RFC 8259, section 8.1). NULL and *reason if it is no JSON; a list or object. The
 * pool frees it. */
json_t *dsc_json_parse(apr_pool_t *pool, const char *text, size_t length, size_t flags,
                       const char **reason);

/* The same of a file, which is read to its end. */
json_t *dsc_json_read(dsc_import_file_t *file, apr_pool_t *pool, const char **reason);

#endif
