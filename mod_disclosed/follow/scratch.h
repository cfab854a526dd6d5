/* Private folders for files that are being fetched or read. */
#ifndef DSC_FOLLOW_SCRATCH_H
#define DSC_FOLLOW_SCRATCH_H

#include <apr_pools.h>

/* Makes one below TMPDIR, else /var/tmp, which goes with the pool; those of processes that were
 * killed go now. NULL and *reason. */
const char *dsc_scratch_make(apr_pool_t *pool, const char **reason);

/* Removes a folder with the files in it. */
void dsc_scratch_remove(apr_pool_t *pool, const char *path);

#endif
