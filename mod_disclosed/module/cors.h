/* Cross-origin requests (the Fetch standard): which pages of other origins may read responses, and
 * their preflights. */
#ifndef DSC_CORS_H
#define DSC_CORS_H

#include "module/config.h"

#include <httpd.h>

/* Adds "off" or "*", which stand alone, or an origin: scheme, host and port as browsers send them.
 * NULL, or what is wrong. */
const char *dsc_cors_read(cmd_parms *cmd, const char *argument, apr_array_header_t *origins);

/* Whether a page of that origin may call; the server's own may. */
int dsc_cors_allows(const dsc_server_config_t *config, const char *origin);

/* Sets the headers that let a page of another origin read the response, whichever code makes it. */
void dsc_cors_set_headers(request_rec *r, const dsc_server_config_t *config);

/* Whether the request is a preflight of an origin that may call; then its headers are set. */
int dsc_cors_preflight(request_rec *r);

#endif
