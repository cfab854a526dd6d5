/* How requests have the background process look at a database: while nobody asks, it hardly
 * does. */
#ifndef DSC_WAKE_H
#define DSC_WAKE_H

#include "access/shared_state.h"

#include <apr_pools.h>

/* How long the background process may wait before it looks at a database without notifications and
 * requests. */
#define DSC_LOOK_SECONDS 4

/* Makes the pipe of a database slot, before httpd forks; it is closed with the pool. */
apr_status_t dsc_wake_create(apr_pool_t *pconf, int database_slot);

/* In the background process: what is readable when a look is wanted; takes off what can be read. */
int dsc_wake_descriptor(int database_slot);
int dsc_wake_take(int database_slot);

/* In a request: has the database looked at when that was not just done. Waits for it when what was
 * seen is too old to be relied on, unless the background process has been away for longer than it
 * may be. */
void dsc_wake(dsc_shared_state_t *state, int database_slot);

#endif
