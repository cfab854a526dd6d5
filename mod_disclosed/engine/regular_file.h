/* Files that a configuration or a command line names. */
#ifndef DSC_REGULAR_FILE_H
#define DSC_REGULAR_FILE_H

#include <apr_pools.h>

/* Why the path leads to no regular file, or NULL. Opening a FIFO would wait for its writer, and
 * reading a device may never end. */
const char *dsc_regular_file_error(apr_pool_t *pool, const char *path);

#endif
