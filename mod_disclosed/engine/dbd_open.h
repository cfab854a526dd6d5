/* Connects by apr_dbd, which blocks as long as libpq does, with a deadline. */
#ifndef DSC_DBD_OPEN_H
#define DSC_DBD_OPEN_H

#include "engine/attempt.h"

#include <apr_dbd.h>
#include <apr_pools.h>

typedef struct {
    apr_dbd_t *handle;
    apr_pool_t *pool; /* its own; destroyed after the handle is closed */
} dsc_dbd_t;

/* Connects until `deadline`, a time of dsc_monotonic_now(). If that fails, the handle stays as it
 * is, with the reason (made in the pool); DSC_ATTEMPT_DONE: the server, or the network, has
 * refused. What is not connected by then is closed when libpq comes back from it. */
dsc_attempt_t dsc_dbd_open(apr_pool_t *pool, const apr_dbd_driver_t *driver, const char *conninfo,
                           apr_time_t deadline, dsc_dbd_t *opened, const char **reason);

void dsc_dbd_close(const apr_dbd_driver_t *driver, dsc_dbd_t *opened);

#endif
