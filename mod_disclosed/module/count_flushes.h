/* Stores the day's counts of accounts and the usage of keys from shared memory in their databases.
 * Threads of the background process do this, separately from those that watch databases: storing
 * may take long, and watched versions must not become stale meanwhile. */
#ifndef DSC_COUNT_FLUSHES_H
#define DSC_COUNT_FLUSHES_H

#include "access/shared_state.h"
#include "engine/outage.h"
#include "module/stopping.h"
#include "module/watched.h"

/* Starts the thread of a database. `outage` is that of its lookout. */
apr_status_t dsc_count_flush_start(const dsc_watched_t *watched, dsc_shared_state_t *state,
                                   dsc_stopping_t *stopping, dsc_outage_t *outage);

#endif
