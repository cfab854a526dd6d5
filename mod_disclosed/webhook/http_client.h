/* A small HTTP client for POSTs to URLs that customers name: https only, certificates verified, no
 * redirects, no cookies, nothing from the environment; bodies of responses are not kept.
 * Connections are kept alive, and have several posts at a time if the server supports HTTP/2. It
 * connects to no address that dsc_address_may_be_called() refuses. The address that is connected
 * to is the one that is checked, so a name that resolves differently the second time gains
 * nothing. With a proxy this is not checked, because the proxy resolves names: the proxy must then
 * filter. */
#ifndef DSC_HTTP_CLIENT_H
#define DSC_HTTP_CLIENT_H

#include "webhook/host_failure.h"

#include <apr_network_io.h>
#include <apr_pools.h>
#include <apr_tables.h>
#include <apr_time.h>

typedef struct {
    const char *user_agent;
    const char *ca_file;               /* NULL: the system's */
    const char *proxy;                 /* NULL: none; never from the environment */
    const apr_array_header_t *allowed; /* of apr_ipsubnet_t *: networks called though not global */
    const apr_array_header_t *ports;   /* of int; what URLs may name */
    apr_interval_time_t connect_timeout, total_timeout;
    apr_size_t most_response; /* bytes of a response that are read, headers included */
} dsc_http_settings_t;

typedef struct {
    const char *url;
    const apr_array_header_t *headers; /* of const char *: "name: value" */
    const char *body;
    apr_size_t length;
} dsc_http_post_t;

typedef struct {
    int status;              /* 0: none */
    const char *error;       /* why there is none, in words for the owner of the URL; NULL */
    const char *retry_after; /* header, NULL */
    int abort_message;       /* header "webhook-delivery: abort-message" */
    apr_interval_time_t took;
    dsc_host_failure_t suspected; /* without a status: what may be wrong with this host */
} dsc_http_response_t;

/* Why a URL can never be called, whatever its name resolves to: its scheme, its port, or an address
 * in the place of a name that is not public. NULL if nothing speaks against it. */
const char *dsc_http_refusal(apr_pool_t *pool, const dsc_http_settings_t *settings,
                             const char *text);

/* One post, waiting for its end. */
void dsc_http_post(apr_pool_t *pool, const dsc_http_settings_t *settings,
                   const dsc_http_post_t *post, dsc_http_response_t *response);

/* Many posts at once, by one thread. */
typedef struct dsc_http_client_t dsc_http_client_t;

/* Makes a client, which ends with the pool. `settings` and what they point to must live as long.
 * NULL if the library fails. */
dsc_http_client_t *dsc_http_client_create(apr_pool_t *pool, const dsc_http_settings_t *settings);

/* Begins a post; what it needs of `post` is copied. Returns 0 if the library fails. A post that
 * is refused (its URL, port or headers) counts as begun and ends at once, with an error. */
int dsc_http_client_start(dsc_http_client_t *client, const dsc_http_post_t *post, void *baton);

/* The number of posts that have begun and that dsc_http_client_finished() has not reported yet. */
int dsc_http_client_running(const dsc_http_client_t *client);

/* Works until a transfer moves, one of the descriptors is readable or the time is over; does not
 * wait while dsc_http_client_finished() has something to report. */
void dsc_http_client_wait(dsc_http_client_t *client, const int *descriptors, int count,
                          int milliseconds);

/* The name or address that the text of a URL calls; "" if it cannot be read. */
const char *dsc_http_host(apr_pool_t *pool, const char *text);

/* Takes a post that has ended: 1, its baton, and its response with texts in `pool`; 0: none has. */
int dsc_http_client_finished(dsc_http_client_t *client, apr_pool_t *pool, void **baton,
                             dsc_http_response_t *response);

#endif
