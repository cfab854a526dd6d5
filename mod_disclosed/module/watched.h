/* The databases and replicas that the background process watches. */
#ifndef DSC_WATCHED_H
#define DSC_WATCHED_H

#include "engine/call.h"

#include <apr_tables.h>

/* A replica to watch. */
typedef struct {
    const char *conninfo, *name;
    int slot;                  /* in shared memory */
    apr_interval_time_t bound; /* it may lag by so much */
} dsc_watched_replica_t;

/* A database to watch. */
typedef struct {
    const char *conninfo;
    int database_slot;
    int pool_size; /* connections of one httpd process, to compare with max_connections */
    const dsc_service_t *service; /* by which webhooks are made and sent */
    apr_array_header_t *plans;    /* of const char *: those that may have webhooks */
    apr_array_header_t *replicas; /* of dsc_watched_replica_t */
} dsc_watched_t;

/* What all databases of this configuration are, of dsc_watched_t: of others that had a slot in
 * shared memory nothing is reported. */
void dsc_watched_use(const apr_array_header_t *watched);
int dsc_watched_count(void);
const dsc_watched_t *dsc_watched_at(int i);

/* The number of the last migration that this build knows. */
int dsc_needed_schema(void);

/* Which the database's last migration is: one row, an integer. 0 if other migrations made it: one
 * that has the number of this build's last under another name. */
const char *dsc_schema_sql(void);

#endif
