/* The replicas of DisclosedReadDatabase: their slots in shared memory, and their pools. */
#ifndef DSC_READ_SERVERS_H
#define DSC_READ_SERVERS_H

#include "module/config.h"
#include "module/watched.h"

#include <apr_hash.h>

/* Adds a word for each server of the directive, the same one for the same replica. */
void dsc_read_servers_name(apr_hash_t *replicas, const dsc_server_config_t *config);

/* Finds the servers of the directive and gives each its slot: config->replicas. Returns whether
 * there were slots for all. */
int dsc_read_servers_find(apr_pool_t *pconf, dsc_shared_state_t *state,
                          dsc_server_config_t *config);

/* Has them watched with their primary; those that another server has named are there already. */
void dsc_read_servers_watch(dsc_watched_t *watched, const dsc_server_config_t *config);

/* In an httpd process: opens a pool for each by `open`, and sets the service's replicas. Returns
 * whether all could be made. */
typedef dsc_database_t *dsc_open_database_t(apr_pool_t *pool, server_rec *server,
                                            const dsc_server_config_t *config, const char *conninfo,
                                            dsc_replica_slot_t *replica);
int dsc_read_servers_open(apr_pool_t *pool, server_rec *server, dsc_server_config_t *config,
                          dsc_shared_state_t *state, dsc_open_database_t *open);

/* Adds the counters of a service's pools of replicas. */
void dsc_read_servers_count(const dsc_service_t *service, dsc_database_counters_t *all);

#endif
