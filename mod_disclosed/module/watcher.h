/* The background process: one process, started and restarted by httpd, for work that is not a
 * request. It copies dataset versions and key generations of every database to shared memory,
 * stores the day's counts of accounts from there in the database, and runs the delivery workers of
 * webhooks. */
#ifndef DSC_WATCHER_H
#define DSC_WATCHER_H

#include "access/shared_state.h"

#include <apr_tables.h>
#include <httpd.h>

/* Starts the child from post_config; it ends and is started again with httpd. `watched` is of
 * dsc_watched_t. */
apr_status_t dsc_watcher_start(apr_pool_t *pconf, server_rec *server, dsc_shared_state_t *state,
                               const apr_array_header_t *watched);

/* Hook of httpd's parent, which calls it every ten seconds: starts a child that could not be
 * started before. */
int dsc_watcher_monitor(apr_pool_t *pool, server_rec *server);

#endif
