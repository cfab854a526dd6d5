/* Brings the day's counts of accounts and the usage of keys from shared memory into their databases, in threads of the background
 * process beside those that look at the databases: storing may take long, and what is watched must not grow old over it. */
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
