/* Which URLs are called at all, by libcurl's reading of them. */
#ifndef DSC_HTTP_URL_H
#define DSC_HTTP_URL_H

#include "webhook/http_client.h"

#include <curl/curl.h>

/* Reads a URL into `url`. NULL, or why it may not be called: its form, scheme or port. That a port
 * is not among this host's goes to `failure`, which may be NULL. */
const char *dsc_http_read_url(apr_pool_t *pool, const dsc_http_settings_t *settings, CURLU *url,
                              const char *text, dsc_host_failure_t *failure);

#endif
