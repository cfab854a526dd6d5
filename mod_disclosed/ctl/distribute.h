/* Shards of the tables on a distributed PostgreSQL. */
#ifndef DSC_DISTRIBUTE_H
#define DSC_DISTRIBUTE_H

#include "ctl/command.h"

/* Makes the shards that are missing or have changed, and brings functions to the workers. Returns
 * of how many tables, or -1 after telling what failed. */
int dsc_distribute(const dsc_context_t *context, dsc_connection_t *connection);

/* The same if the database is distributed already: after migrations. Returns 0 after telling what
 * failed. */
int dsc_distribute_again(const dsc_context_t *context, dsc_connection_t *connection);

/* Before a transaction of migrations commits: what it has changed in tables of another form than
 * that of their shards does not go there, because they are made again. 0 after telling what
 * failed. */
int dsc_distribute_changed_forms(const dsc_context_t *context, dsc_connection_t *connection);

#endif
