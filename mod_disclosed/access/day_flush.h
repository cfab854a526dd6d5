/* The days of accounts between shared memory and the database. */
#ifndef DSC_DAY_FLUSH_H
#define DSC_DAY_FLUSH_H

#include "access/limit_table.h"
#include "engine/connection.h"

#include <apr_pools.h>

/* Adds what the database's slots have counted to the database, and takes over what other hosts have
 * counted meanwhile, for accounts that asked within the last minute. Returns 0 when the database
 * failed: nothing is lost, the next call tries again. A connection that breaks after the database
 * has taken the counts makes them count twice. `now` is the time of day, `clock` the monotonic one,
 * in microseconds. */
int dsc_day_flush(apr_pool_t *pool, dsc_connection_t *connection, dsc_limit_table_t *table,
                  uint32_t database_slot, uint64_t now, uint64_t clock);

#endif
