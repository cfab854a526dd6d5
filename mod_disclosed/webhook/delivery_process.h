/* The process that sends a delivery, identified so that others can see whether it still runs. */
#ifndef DSC_WEBHOOK_DELIVERY_PROCESS_H
#define DSC_WEBHOOK_DELIVERY_PROCESS_H

#include <apr_pools.h>

/* Where this process runs: another for another host, boot, or set of process numbers
 * (container). */
const char *dsc_process_host(apr_pool_t *pool);

/* The name of this process, "host/number.start.instance", which no other has; each call another
 * instance. */
const char *dsc_process_name(apr_pool_t *pool);

/* Whether the process of that name ran where this one does, and runs no longer. */
int dsc_process_is_gone(apr_pool_t *pool, const char *name);

#endif
