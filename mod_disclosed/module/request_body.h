/* Takes the body of a request in, up to the limit of the engine; and leaves the one that nobody
 * needs. */
#ifndef DSC_REQUEST_BODY_H
#define DSC_REQUEST_BODY_H

#include "engine/body.h"
#include "module/client.h"

/* The body, waited for. Returns OK, or the HTTP status: 413 for a body over DSC_MOST_BODY or
 * LimitRequestBody, 400 and 408 if it does not arrive whole, 429 if it would have to be waited for
 * and the client has its share; AP_FILTER_ERROR if an input filter has already sent a response. One
 * that declares itself to be too long is not read at all. */
int dsc_request_body_read(request_rec *r, const dsc_client_t *client, dsc_body_t *body);

/* The body is not needed: what has arrived of it is dropped, and if that is not all, the
 * connection ends with the response. No thread waits for it, as httpd would do when the handler
 * has ended. Returns OK, or as above. */
int dsc_request_body_drop(request_rec *r);

/* The same right before the response, whatever became of the body so far. */
void dsc_request_body_leave(request_rec *r);

/* Whether the body that was read is coded (RFC 9110, section 8.4), and by none of httpd's input
 * filters decoded. */
int dsc_request_body_is_coded(const request_rec *r);

#endif
