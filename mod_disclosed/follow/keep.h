/* The folder of raw files, named by their content, within a budget: the oldest go first. */
#ifndef DSC_FOLLOW_KEEP_H
#define DSC_FOLLOW_KEEP_H

#include <apr_pools.h>
#include <apr_time.h>

/* The folder, and what is known of it. */
typedef struct {
    const char *folder;
    apr_int64_t budget; /* bytes that it may have; 0: as many as there are */
    apr_int64_t bytes;  /* that it had when it was looked at, and what has come since */
    apr_time_t looked;  /* when, on the monotonic clock; 0: never */
} dsc_keep_t;

/* The path in the folder of the content with that hash ("sha256:..."). */
const char *dsc_keep_path(apr_pool_t *pool, const char *folder, const char *content_hash);

/* Keeps a copy of a file, a whole one or none, for which others make room. NULL, or why it cannot
 * be kept. */
const char *dsc_keep_file(apr_pool_t *pool, dsc_keep_t *keep, const char *content_hash,
                          const char *path);

/* Looks now and then at what others have brought into the folder. */
void dsc_keep_within(apr_pool_t *pool, dsc_keep_t *keep);

#endif
