/* Responses that httpd has and whose clients have not read them yet: each is in memory, and a large one over HTTP/1.1 may hold a thread. How
 * much of a process one client may have of them. */
#ifndef DSC_UNREAD_H
#define DSC_UNREAD_H

#include "module/client.h"

/* Whether the client may have another response. */
int dsc_unread_may(const dsc_client_t *client);

/* A response of so many bytes is to be passed to httpd; it counts as unread until httpd is done with the request. 0: it is
 * large, and the client has its share. */
int dsc_unread_add(request_rec *r, const dsc_client_t *client, apr_size_t length);

/* The 429 that a client gets instead. */
void dsc_unread_refuse(dsc_call_t *call);

#endif
