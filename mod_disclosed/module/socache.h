/* httpd's own caches (ap_socache), by the provider that a directive names: small objects under
 * keys, which the provider removes when it needs room. All processes of this httpd share them;
 * other hosts share them if the provider is a network service. */
#ifndef DSC_SOCACHE_H
#define DSC_SOCACHE_H

#include <apr_time.h>
#include <httpd.h>

enum {
    DSC_SOCACHE_KEY_SIZE = 32
};

typedef struct dsc_socache_t dsc_socache_t;

/* Before directives are read: lets `Mutex` name what guards caches. */
apr_status_t dsc_socache_register(apr_pool_t *pconf);

/* What is wrong with PROVIDER[:ARGUMENTS]; NULL: nothing. */
const char *dsc_socache_check(apr_pool_t *pool, const char *spec);

/* The cache of `caches` (of dsc_socache_t *) with that PROVIDER[:ARGUMENTS], made if there is none
 * yet. Returns what is wrong, or NULL. */
const char *dsc_socache_open(apr_array_header_t *caches, server_rec *server, const char *spec,
                             dsc_socache_t **cache);

/* In each httpd process, for each cache. */
apr_status_t dsc_socache_child_init(dsc_socache_t *cache, apr_pool_t *pchild);

/* Copies the object under the key to `bytes`, which has room for *length; APR_NOTFOUND if there is
 * none. */
apr_status_t dsc_socache_find(dsc_socache_t *cache, server_rec *server,
                              const unsigned char key[DSC_SOCACHE_KEY_SIZE], unsigned char *bytes,
                              unsigned *length, apr_pool_t *pool);

/* Keeps an object until `expiry` at most. */
apr_status_t dsc_socache_store(dsc_socache_t *cache, server_rec *server,
                               const unsigned char key[DSC_SOCACHE_KEY_SIZE], apr_time_t expiry,
                               unsigned char *bytes, unsigned length, apr_pool_t *pool);

/* Lets the provider print its status on the page of mod_status. */
void dsc_socache_status(dsc_socache_t *cache, request_rec *r, int flags);

#endif
