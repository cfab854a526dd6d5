/* What one client may have of a process: responses that it has not read yet, each of which is in
 * memory and may hold a thread, and threads that wait for its bodies. */
#ifndef DSC_SHARE_H
#define DSC_SHARE_H

#include "module/client.h"

/* Whether the client has less than its share. */
int dsc_share_has_room(const dsc_client_t *client);

/* A response of so many bytes is to be passed to httpd; it counts until httpd is done with the
 * request. 0: it is large, and the client has its share. */
int dsc_share_take_response(request_rec *r, const dsc_client_t *client, apr_size_t length);

/* A thread is to wait for the request's body, until dsc_share_return_thread(). 0: the client has
 * its share. */
int dsc_share_take_thread(const dsc_client_t *client);

void dsc_share_return_thread(const dsc_client_t *client);

/* The 429 that a client gets instead. */
void dsc_share_refuse(dsc_call_t *call);

#endif
