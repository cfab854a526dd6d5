/* Asking PostgreSQL to cancel a statement, without waiting for ever. */
#ifndef DSC_CANCEL_H
#define DSC_CANCEL_H

#include <apr_time.h>
#include <libpq-fe.h>

/* Requests that what the connection runs is cancelled. Returns whether the request was handed over
 * within `limit`; a server that does not take it is asked no further by this call, and by no other
 * while several such requests are pending. */
int dsc_cancel(PGconn *connection, apr_interval_time_t limit);

#endif
