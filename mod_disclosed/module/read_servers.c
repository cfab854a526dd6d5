#include "module/read_servers.h"

#include "engine/conninfo.h"
#include "engine/replicas.h"

#include <apr_strings.h>

static dsc_shared_state_t *shared;

/* What is a replica: a host of the string, of its database. */
static const char *text_of(apr_pool_t *pool, const dsc_server_config_t *config,
                           const dsc_conninfo_host_t *host)
{
    return apr_pstrcat(pool, config->database, "\n", host->conninfo, NULL);
}

void dsc_read_servers_name(apr_hash_t *replicas, const dsc_server_config_t *config)
{
    apr_pool_t *pool = apr_hash_pool_get(replicas);
    apr_array_header_t *hosts;
    int i;

    if (!config->read_database) {
        return;
    }
    hosts = dsc_conninfo_hosts(pool, config->read_database);
    for (i = 0; i < hosts->nelts; i++) {
        apr_hash_set(replicas, text_of(pool, config, &APR_ARRAY_IDX(hosts, i, dsc_conninfo_host_t)),
                     APR_HASH_KEY_STRING, "");
    }
}

int dsc_read_servers_find(apr_pool_t *pconf, dsc_shared_state_t *state, dsc_server_config_t *config)
{
    apr_array_header_t *hosts;
    int i;

    config->replicas = apr_array_make(pconf, 2, sizeof(dsc_watched_replica_t));
    if (!config->read_database) {
        return 1;
    }
    hosts = dsc_conninfo_hosts(pconf, config->read_database);
    for (i = 0; i < hosts->nelts; i++) {
        const dsc_conninfo_host_t *host = &APR_ARRAY_IDX(hosts, i, dsc_conninfo_host_t);
        const char *both = text_of(pconf, config, host);
        dsc_watched_replica_t *replica = apr_array_push(config->replicas);

        replica->conninfo = host->conninfo;
        replica->name = host->name;
        replica->bound = apr_time_from_sec(DSC_SETTING(config, replica_lag));
        replica->slot = i < DSC_MOST_REPLICAS ? dsc_replica_slot(state, dsc_config_identity(both),
                                                                 (uint64_t)dsc_monotonic_now())
                                              : -1;
        if (replica->slot < 0) {
            return 0;
        }
    }
    return 1;
}

void dsc_read_servers_watch(dsc_watched_t *watched, const dsc_server_config_t *config)
{
    int i, j;

    for (i = 0; i < config->replicas->nelts; i++) {
        const dsc_watched_replica_t *one =
            &APR_ARRAY_IDX(config->replicas, i, dsc_watched_replica_t);

        for (j = 0; j < watched->replicas->nelts &&
                    APR_ARRAY_IDX(watched->replicas, j, dsc_watched_replica_t).slot != one->slot;
             j++) {
        }
        if (j == watched->replicas->nelts) {
            APR_ARRAY_PUSH(watched->replicas, dsc_watched_replica_t) = *one;
        }
    }
}

static const dsc_watched_replica_t *find(const dsc_server_config_t *config, int replica)
{
    return &APR_ARRAY_IDX(config->replicas, replica, dsc_watched_replica_t);
}

static int is_fit(int replica, void *baton)
{
    const dsc_watched_replica_t *one = find(baton, replica);

    return dsc_replica_is_fit(&shared->replica_slots[one->slot], (uint64_t)dsc_monotonic_now(),
                              (uint64_t)one->bound);
}

static void was_silent(int replica, int too_long, void *baton)
{
    dsc_replica_was_silent(&shared->replica_slots[find(baton, replica)->slot],
                           (uint64_t)dsc_monotonic_now(), too_long);
}

int dsc_read_servers_open(apr_pool_t *pool, server_rec *server, dsc_server_config_t *config,
                          dsc_shared_state_t *state, dsc_open_database_t *open)
{
    dsc_replicas_t *replicas;
    int i;

    shared = state;
    config->service->replica_is_fit = is_fit;
    config->service->replica_was_silent = was_silent;
    if (config->replicas->nelts == 0) {
        return 1;
    }
    replicas = apr_pcalloc(pool, sizeof(*replicas));
    replicas->count = config->replicas->nelts;
    for (i = 0; i < replicas->count; i++) {
        const dsc_watched_replica_t *one =
            &APR_ARRAY_IDX(config->replicas, i, dsc_watched_replica_t);

        replicas->all[i].database =
            open(pool, server, config, one->conninfo, &state->replica_slots[one->slot]);
        replicas->all[i].reads = &state->replica_slots[one->slot].reads;
        if (!replicas->all[i].database) {
            return 0;
        }
    }
    config->service->replicas = replicas;
    return 1;
}

void dsc_read_servers_count(const dsc_service_t *service, dsc_database_counters_t *all)
{
    const dsc_replicas_t *replicas = service->replicas;
    dsc_database_counters_t one;
    int i;

    for (i = 0; replicas && i < replicas->count; i++) {
        dsc_database_counters(replicas->all[i].database, &one);
        all->in_use += one.in_use;
        all->open += one.open;
        all->waiting += one.waiting;
        all->statements_prepared += one.statements_prepared;
    }
}
