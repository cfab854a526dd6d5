/* Base64 as RFC 4648, section 4 has it: standard alphabet, padded, one text for the same bytes. */
#ifndef DSC_BASE64_H
#define DSC_BASE64_H

#include <apr_pools.h>

/* The bytes as text. */
const char *dsc_base64_encode(apr_pool_t *pool, const unsigned char *bytes, apr_size_t length);

/* The bytes that a text stands for; NULL where it is no base64 text, or not the one that
 * dsc_base64_encode() makes of them. A secret's bytes are the caller's to overwrite. */
unsigned char *dsc_base64_decode(apr_pool_t *pool, const char *text, apr_size_t *length);

#endif
