/* Stores the usage of keys from shared memory in the database. */
#ifndef DSC_USAGE_FLUSH_H
#define DSC_USAGE_FLUSH_H

#include "access/counters.h"
#include "engine/connection.h"

#include <apr_pools.h>

/* The name of an operation by its place, for the database; "none" for those without. */
typedef const char *(*dsc_operation_name_t)(int operation);

/* Writes the slot's counts to its database. Returns 0 when it failed: the counts are put back and
 * come with the next call. */
int dsc_usage_flush(apr_pool_t *pool, dsc_connection_t *connection, dsc_counters_t *counters,
                    uint32_t database_slot, dsc_operation_name_t name);

#endif
