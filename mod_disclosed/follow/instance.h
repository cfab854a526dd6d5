/* The XBRL of a filing, taken out of its full submission. */
#ifndef DSC_FOLLOW_INSTANCE_H
#define DSC_FOLLOW_INSTANCE_H

#include <apr_pools.h>

/* Writes the documents of the submission `name` in `folder` that are XBRL to files beside it, and yields the path of the
 * instance; NULL in *path where it has none. 0 and *reason where that cannot be done. */
int dsc_instance_extract(apr_pool_t *pool, const char *folder, const char *name, const char **path,
                         const char **reason);

#endif
