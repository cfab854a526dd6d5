/* Takes the body of a request in, up to the limit of the engine. */
#ifndef DSC_REQUEST_BODY_H
#define DSC_REQUEST_BODY_H

#include "engine/body.h"

#include <httpd.h>

/* Returns OK, or the HTTP status: 413 for a body over DSC_MOST_BODY or LimitRequestBody, 400 and 408
 * where it does not arrive whole; AP_FILTER_ERROR where an input filter has already sent a response. */
int dsc_request_body_read(request_rec *r, dsc_body_t *body);

#endif
