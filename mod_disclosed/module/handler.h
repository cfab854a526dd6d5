/* Which requests are for the API, and the headers of all its responses. */
#ifndef DSC_HANDLER_H
#define DSC_HANDLER_H

#include "access/shared_state.h"

#include <httpd.h>

/* Set once in each httpd process, before requests. */
void dsc_handler_init(dsc_shared_state_t *state);

/* Whether a decoded path belongs to the API. */
int dsc_owns_path(const char *path);

/* The id of the request, made when first asked for: "req_" and 24 hex digits. */
const char *dsc_request_id(request_rec *r);

/* What mod_disclosed.h offers to other modules: the id, or NULL for a request that is not ours. */
const char *disclosed_request_id(request_rec *r);

/* Headers that every response carries. */
void dsc_set_common_headers(request_rec *r, apr_table_t *headers);

/* Hooks that make httpd's own error pages in our URL space problem documents. */
void dsc_error_filter_register(void);
void dsc_error_filter_insert(request_rec *r);

#endif
