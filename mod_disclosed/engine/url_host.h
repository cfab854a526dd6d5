/* The host of a URL with a special scheme, as the WHATWG URL standard reads and writes it. */
#ifndef DSC_URL_HOST_H
#define DSC_URL_HOST_H

#include "engine/buffer.h"

/* The canonical form of a host as it stands between the scheme's slashes and the port: a name in
 * lower case, an IPv4 address in four numbers, or an IPv6 address in brackets. International names
 * are encoded by IDNA (UTS 46). The text is UTF-8. NULL and *error, in the words of Pydantic, if it
 * is no host. */
const char *dsc_url_host(apr_pool_t *pool, dsc_slice_t text, const char **error);

#endif
