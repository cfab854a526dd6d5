#include "module/socache.h"

#include <ap_provider.h>
#include <ap_socache.h>
#include <apr_global_mutex.h>
#include <apr_strings.h>
#include <string.h>
#include <util_mutex.h>

#define MUTEX_TYPE        "disclosed-cache"
#define DEFAULT_PROVIDER  "shmcb"
#define DEFAULT_ARGUMENTS "disclosed-cache(33554432)"

enum {
    AVERAGE_SIZE = 8192, /* of objects, from which a provider may plan */
    CLEANUP_SECONDS = 60
};

struct dsc_socache_t {
    const char *spec;
    const ap_socache_provider_t *provider;
    ap_socache_instance_t *instance;
    apr_global_mutex_t *mutex; /* NULL: the provider needs none */
    server_rec *server;
};

apr_status_t dsc_socache_register(apr_pool_t *pconf)
{
    return ap_mutex_register(pconf, MUTEX_TYPE, NULL, APR_LOCK_DEFAULT, 0);
}

static const char *unknown(apr_pool_t *pool, const char *name)
{
    apr_array_header_t *names =
        ap_list_provider_names(pool, AP_SOCACHE_PROVIDER_GROUP, AP_SOCACHE_PROVIDER_VERSION);
    const char *known = "";
    int i;
    for (i = 0; i < names->nelts; i++) {
        known = apr_pstrcat(pool, known, i ? ", " : "",
                            APR_ARRAY_IDX(names, i, ap_list_provider_names_t).provider_name, NULL);
    }
    return apr_psprintf(pool,
                        "there is no cache provider \"%s\" (there are: %s); is mod_socache_%s "
                        "loaded before this line?",
                        name, *known ? known : "none", name);
}

/* Finds the provider and has it make an instance. */
static const char *create(apr_pool_t *pool, dsc_socache_t *cache)
{
    const char *colon = strchr(cache->spec, ':');
    const char *name =
        colon ? apr_pstrmemdup(pool, cache->spec, (size_t)(colon - cache->spec)) : cache->spec;
    const char *arguments = colon ? colon + 1 : NULL;
    if (!arguments && strcmp(name, DEFAULT_PROVIDER) == 0) {
        arguments = DEFAULT_ARGUMENTS;
    }
    cache->provider =
        ap_lookup_provider(AP_SOCACHE_PROVIDER_GROUP, name, AP_SOCACHE_PROVIDER_VERSION);
    return cache->provider ? cache->provider->create(&cache->instance, arguments, pool, pool)
                           : unknown(pool, name);
}

const char *dsc_socache_check(apr_pool_t *pool, const char *spec)
{
    dsc_socache_t cache = {.spec = spec};
    return create(pool, &cache);
}

static apr_status_t destroy(void *data)
{
    dsc_socache_t *cache = data;
    cache->provider->destroy(cache->instance, cache->server);
    return APR_SUCCESS;
}

/* Prepares the cache for the processes that will be forked. `number` distinguishes it from
 * others. */
static apr_status_t begin(apr_pool_t *pool, dsc_socache_t *cache, int number)
{
    static const struct ap_socache_hints hints = {DSC_SOCACHE_KEY_SIZE, AVERAGE_SIZE,
                                                  apr_time_from_sec(CLEANUP_SECONDS)};
    const char *name = apr_psprintf(pool, "disclosed-%d", number);
    apr_status_t rv;
    if (cache->provider->flags & AP_SOCACHE_FLAG_NOTMPSAFE) {
        rv = ap_global_mutex_create(&cache->mutex, NULL, MUTEX_TYPE, name, cache->server, pool, 0);
        if (rv != APR_SUCCESS) {
            return rv;
        }
    }
    rv = cache->provider->init(cache->instance, name, &hints, cache->server, pool);
    if (rv == APR_SUCCESS) {
        apr_pool_cleanup_register(pool, cache, destroy, apr_pool_cleanup_null);
    }
    return rv;
}

const char *dsc_socache_open(apr_array_header_t *caches, server_rec *server, const char *spec,
                             dsc_socache_t **cache)
{
    dsc_socache_t *made;
    const char *error;
    apr_status_t rv;
    int i;
    for (i = 0; i < caches->nelts; i++) {
        *cache = APR_ARRAY_IDX(caches, i, dsc_socache_t *);
        if (strcmp((*cache)->spec, spec) == 0) {
            return NULL;
        }
    }
    *cache = NULL;
    made = apr_pcalloc(caches->pool, sizeof(*made));
    made->spec = spec;
    made->server = server;
    error = create(caches->pool, made);
    if (error) {
        return error;
    }
    rv = begin(caches->pool, made, caches->nelts);
    if (rv != APR_SUCCESS) {
        return apr_psprintf(caches->pool, "it cannot be begun: %pm", &rv);
    }
    APR_ARRAY_PUSH(caches, dsc_socache_t *) = *cache = made;
    return NULL;
}

apr_status_t dsc_socache_child_init(dsc_socache_t *cache, apr_pool_t *pchild)
{
    return cache->mutex
               ? apr_global_mutex_child_init(&cache->mutex, apr_global_mutex_lockfile(cache->mutex),
                                             pchild)
               : APR_SUCCESS;
}

/* After a restart a process that is leaving may find the mutex gone: then it works without the
 * cache. */
static apr_status_t lock(dsc_socache_t *cache)
{
    return cache->mutex ? apr_global_mutex_lock(cache->mutex) : APR_SUCCESS;
}

static void unlock(dsc_socache_t *cache)
{
    if (cache->mutex) {
        (void)apr_global_mutex_unlock(cache->mutex);
    }
}

apr_status_t dsc_socache_find(dsc_socache_t *cache, server_rec *server,
                              const unsigned char key[DSC_SOCACHE_KEY_SIZE], unsigned char *bytes,
                              unsigned *length, apr_pool_t *pool)
{
    apr_status_t rv = lock(cache);
    if (rv == APR_SUCCESS) {
        rv = cache->provider->retrieve(cache->instance, server, key, DSC_SOCACHE_KEY_SIZE, bytes,
                                       length, pool);
        unlock(cache);
    }
    return rv;
}

apr_status_t dsc_socache_store(dsc_socache_t *cache, server_rec *server,
                               const unsigned char key[DSC_SOCACHE_KEY_SIZE], apr_time_t expiry,
                               unsigned char *bytes, unsigned length, apr_pool_t *pool)
{
    apr_status_t rv = lock(cache);
    if (rv == APR_SUCCESS) {
        rv = cache->provider->store(cache->instance, server, key, DSC_SOCACHE_KEY_SIZE, expiry,
                                    bytes, length, pool);
        unlock(cache);
    }
    return rv;
}

void dsc_socache_status(dsc_socache_t *cache, request_rec *r, int flags)
{
    if (cache->provider->status && lock(cache) == APR_SUCCESS) {
        cache->provider->status(cache->instance, r, flags);
        unlock(cache);
    }
}
