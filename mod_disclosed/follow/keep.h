/* The folder of raw files, named by their content, within a budget: what is
 * used least recently goes first. */
#ifndef DSC_FOLLOW_KEEP_H
#define DSC_FOLLOW_KEEP_H

#include <apr_pools.h>

/* The path in the folder of the content with that hash ("sha256:..."). */
const char *dsc_keep_path(apr_pool_t *pool, const char *folder, const char *content_hash);

/* Keeps a copy of a file; a whole one or none. NULL, or why it cannot be kept.
 */
const char *dsc_keep_file(apr_pool_t *pool, const char *folder, const char *content_hash,
                          const char *path);

/* Removes the oldest until the folder has no more bytes than the budget; 0: it
 * is not looked at. */
void dsc_keep_within(apr_pool_t *pool, const char *folder, apr_int64_t budget);

#endif
