/* A connection and a loader that one run after the other uses. In a new session PostgreSQL takes
 * several times as long for a document of a few rows as it does later, because tables are created
 * and statements planned once. */
#ifndef DSC_IMPORT_SESSION_H
#define DSC_IMPORT_SESSION_H

#include "sources/import_run.h"

struct dsc_import_session_t {
    apr_pool_t *pool;             /* of the connection and the loader; cleared when they end */
    dsc_connection_t *connection; /* NULL: there is none */
    dsc_loader_t *loader;
    apr_time_t began,
        used;       /* when it was connected, and its last run began; by dsc_monotonic_now() */
    int has_failed; /* a file has: the next run connects anew */
};

/* A session without a connection, which its first run opens. It ends with the pool. */
dsc_import_session_t *dsc_import_session_create(apr_pool_t *pool);

/* Opens it for a run; 0, and *reason: there is no connection. One that has lasted for long, has
 * seen a file fail, or does not respond to the run's prepare(), is replaced: it may have plans of
 * tables that were small, and what a migration has changed since. */
int dsc_import_session_open(dsc_import_session_t *session, const dsc_import_run_t *run,
                            const char **reason);

/* Closes the connection of a session that has rested for a minute. */
void dsc_import_session_rest(dsc_import_session_t *session);

#endif
