/* A body that is fetched in several parts: how much of it is on the disk, and of which file of the
 * publisher it is. */
#ifndef DSC_FOLLOW_PARTIAL_H
#define DSC_FOLLOW_PARTIAL_H

#include <apr_pools.h>

/* The content of PATH.of, the companion of the bytes in PATH. */
typedef struct {
    const char *path, *url;
    const char *etag, *last_modified; /* of the publisher's file; NULL: not stated */
    apr_int64_t size;                 /* bytes that are here */
    apr_int64_t total;                /* bytes that there are; -1: not stated */
} dsc_partial_t;

/* What is here of the body from that address. Bytes of another one, or of a file that has nothing
 * to know it by again, are forgotten. */
void dsc_partial_read(apr_pool_t *pool, const char *path, const char *url, dsc_partial_t *partial);

/* Writes down what the bytes will be of, before the first one is written; 0: it cannot be
 * written. */
int dsc_partial_begin(apr_pool_t *pool, const dsc_partial_t *partial);

void dsc_partial_forget(apr_pool_t *pool, const char *path);

/* All of it is here. */
int dsc_partial_is_whole(const dsc_partial_t *partial);

/* The value of If-Range: only one that changes with every change of the file. NULL: there is
 * none. */
const char *dsc_partial_validator(const dsc_partial_t *partial);

/* "bytes 100-199/1000", of which the last may be a star (*total is -1). 0: the text is no such
 * thing. */
int dsc_content_range(const char *text, apr_int64_t *first, apr_int64_t *last, apr_int64_t *total);

#endif
