/* Keeps bodies of responses in a cache of httpd's and responds with them again, without the
 * database: under the ETag, which names the versions of all that the response is read from, the
 * canonical request and the plan's page cap.
 *
 * What is served is never older than its tag. The tag is made first, of versions that the
 * background process has seen committed; the SELECTs come after it, so their snapshots hold those
 * versions or later ones. A load in between makes a body that is newer than its tag, and the next
 * look at the versions makes another tag. If reads go to replicas that does not hold: nothing is
 * kept there. */
#ifndef DSC_RESPONSE_CACHE_H
#define DSC_RESPONSE_CACHE_H

#include "module/config.h"

#include <apr_buckets.h>

/* Once, before requests. */
void dsc_response_cache_register(void);

/* In each httpd process, for all caches of the configuration. */
void dsc_response_cache_init(dsc_shared_state_t *state, const apr_array_header_t *caches,
                             apr_pool_t *pchild);

/* The cache that the server's directives ask for, in config->socache; one of `caches`, or a new
 * one. Returns why there is none, or NULL; what is not to be had though a directive names it is an
 * error: *refused. */
const char *dsc_response_cache_open(apr_array_header_t *caches, server_rec *server,
                                    dsc_server_config_t *config, int *refused);

/* What recall and keep need to know of a request; NULL if its response is not to be cached. */
void *dsc_response_cache_begin(request_rec *r, const dsc_server_config_t *config);

/* dsc_service_t: recall, keep. */
int dsc_response_recall(dsc_call_t *call, const char *etag);
void dsc_response_keep(dsc_call_t *call);

/* Before the body goes through the filters: says how a recalled one is compressed, or has what the
 * filters make of it be kept. */
void dsc_response_cache_send(dsc_call_t *call);

/* The body of a recalled 200, not copied: filters that hold it back do so. NULL: the response is
 * another. */
apr_bucket *dsc_response_cache_body(const dsc_call_t *call, apr_bucket_alloc_t *allocator);

/* How long that body is; 0: the response is another. */
size_t dsc_response_cache_length(const dsc_call_t *call);

#endif
