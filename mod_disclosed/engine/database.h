/* A pool of PostgreSQL connections over apr_reslist and apr_dbd, and typed selects on them.
 * A connection is held for SQL alone, never while a client reads. */
#ifndef DSC_DATABASE_H
#define DSC_DATABASE_H

#include "engine/buffer.h"
#include "engine/connection.h"

#include <apr_pools.h>
#include <apr_time.h>

typedef struct dsc_database_t dsc_database_t;
typedef struct dsc_session_t dsc_session_t;
typedef struct dsc_result_t dsc_result_t;

typedef struct {
    const char *conninfo; /* libpq connection string */
    int maximum;          /* connections of this process, at the most */
    apr_interval_time_t acquire_timeout;
    apr_interval_time_t statement_timeout; /* PostgreSQL's; a second later we give up ourselves */
    const dsc_waiting_t *waiting; /* NULL: nothing happens while a statement is waited for */
    const char *application_name;
    dsc_log_t log;
    void *log_baton;
} dsc_database_config_t;

/* Counters for the status page. */
typedef struct {
    int in_use, open, waiting;
    unsigned long long statements_prepared, reconnects, timeouts;
} dsc_database_counters_t;

/* Loads the pgsql driver and makes the pool; nothing is connected yet. */
apr_status_t dsc_database_create(apr_pool_t *pool, const dsc_database_config_t *config,
                                 dsc_database_t **result);

/* Takes a connection; waits for a free one at most for the acquire timeout. */
dsc_database_status_t dsc_session_acquire(dsc_database_t *database, apr_pool_t *pool,
                                          dsc_session_t **result);

/* Returns it to the pool; results stay readable. Harmless when repeated. */
void dsc_session_release(dsc_session_t *session);

/* Runs one SELECT. All that it takes ends a second after the statement timeout, but for connecting. In `sql` every
 * "%s" is a bound value, typed by a cast ("%s::bigint"), and a literal percent sign is "%%". Prepared once for each
 * connection, or, with `plan_each_time`, planned with its values. A connection that turns out to be dead, or that
 * has lost its prepared statements, is replaced and the statement run once more. */
dsc_database_status_t dsc_select(dsc_session_t *session, const char *sql, int plan_each_time,
                                 int count, const char *const *values, dsc_result_t **out);

/* The same in a transaction that may write; all other statements may not. Not repeated when the
 * connection is lost on the way: whether it was committed is not known then. */
dsc_database_status_t dsc_change(dsc_session_t *session, const char *sql, int count,
                                 const char *const *values, dsc_result_t **out);

/* Goes to the next row: 1, or 0 when there is none. */
int dsc_result_next(dsc_result_t *result);

/* How many rows it has. */
int dsc_result_rows(const dsc_result_t *result);

/* A column of the row as text, which a NUL follows; `data` is NULL for SQL NULL. */
dsc_slice_t dsc_result_value(const dsc_result_t *result, int column);

/* The same without its length. */
const char *dsc_result_text(const dsc_result_t *result, int column);

void dsc_database_counters(const dsc_database_t *database, dsc_database_counters_t *counters);

#endif
