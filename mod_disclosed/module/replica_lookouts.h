/* The threads of the background process that watch replicas, one for each: whether it responds, and
 * how far it has replayed the WAL of its primary. */
#ifndef DSC_REPLICA_LOOKOUTS_H
#define DSC_REPLICA_LOOKOUTS_H

#include "access/shared_state.h"
#include "module/stopping.h"
#include "module/watched.h"

/* The WAL of a primary, or what a replica has replayed of it: one row, a bigint. */
#define DSC_WAL_POSITION                                                                           \
    "(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()"                                 \
    " ELSE pg_current_wal_lsn() END - '0/0'::pg_lsn)::bigint"

/* Starts those of a primary; what fails is logged. They work until told to stop. */
void dsc_replica_lookouts_start(const dsc_watched_t *watched, dsc_shared_state_t *state,
                                dsc_stopping_t *stopping);

#endif
