/* How httpd's filters compress a response: what can be predicted, and what was done. */
#ifndef DSC_COMPRESSION_H
#define DSC_COMPRESSION_H

#include <httpd.h>
#include <stdint.h>

/* What a body became. Kept in caches: numbers do not change. */
typedef struct {
    uint32_t coding;   /* place in a table; 0: it is not compressed */
    uint32_t suffixed; /* whether the coding's name was put behind the ETag */
} dsc_compression_t;

/* All that decides how the response is compressed, as text: two requests with the same text get the
 * same. NULL if it is not compressed, or a filter is in the way of which this is not known. */
const char *dsc_compression_variant(request_rec *r);

/* What the filters have made of the response of that ETag; 0 if it is none of what is known
 * here. */
int dsc_compression_read(const request_rec *r, const char *etag, dsc_compression_t *compression);

/* Sets the headers of a response whose body is compressed already; the filters then let it pass. 0:
 * there is no such coding. */
int dsc_compression_write(request_rec *r, const char *etag, const dsc_compression_t *compression);

#endif
