/* Reading base64 strictly: one text for the same bytes. apr_encode.h writes it. */
#ifndef DSC_BASE64_H
#define DSC_BASE64_H

#include <apr_pools.h>

/* The bytes that a text stands for; NULL if there are none, or if the text is not the one that
 * apr_pencode_base64_binary() makes of them with the same flags (APR_ENCODE_NONE: padded;
 * APR_ENCODE_BASE64URL). A secret's bytes are the caller's to overwrite. */
unsigned char *dsc_base64_decode(apr_pool_t *pool, const char *text, int flags, apr_size_t *length);

#endif
