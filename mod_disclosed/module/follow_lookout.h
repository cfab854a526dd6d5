/* Copies the state of followed sources (sql/0055_follow.sql, sql/0061_freshness.sql) to shared
 * memory, for metrics and the status page. */
#ifndef DSC_FOLLOW_LOOKOUT_H
#define DSC_FOLLOW_LOOKOUT_H

#include "access/shared_state.h"
#include "engine/connection.h"

enum {
    DSC_FOLLOW_LOOK_SECONDS = 10 /* between two readings: the tables are refreshed as often */
};

/* Reads it on an open connection; 0: it could not. */
int dsc_follow_lookout_read(dsc_connection_t *connection, dsc_database_slot_t *database_slot);

#endif
