/* Long exports, each of which holds a thread of httpd while its client reads: how many there may be
 * at once in a process, of all and of an account, and how slowly one may be read. */
#ifndef DSC_EXPORTS_H
#define DSC_EXPORTS_H

#include "engine/call.h"

#include <httpd.h>

/* Begins a long export; 0 with the response set if there are too many. */
int dsc_exports_begin(dsc_call_t *call);

/* It has ended: another may begin. Nothing if none was begun. */
void dsc_exports_end(dsc_call_t *call);

/* Sends the bucket and waits until the client has taken it; 0: it is gone, or too slow. */
int dsc_exports_send(request_rec *r, dsc_call_t *call, apr_bucket *bucket);

#endif
