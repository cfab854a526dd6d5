/* A pool of PostgreSQL connections over apr_reslist and apr_dbd, and typed selects on them. A
 * connection is held only for SQL, never while a client reads. */
#ifndef DSC_DATABASE_H
#define DSC_DATABASE_H

#include "engine/buffer.h"
#include "engine/connection.h"
#include "engine/source_cache.h"
#include "engine/wire.h"

#include <apr_pools.h>
#include <apr_time.h>
#include <stdint.h>

typedef struct dsc_database_t dsc_database_t;
typedef struct dsc_session_t dsc_session_t;
typedef struct dsc_result_t dsc_result_t;

typedef struct {
    const char *conninfo; /* libpq connection string */
    int maximum;          /* connections of this process, at the most */
    int most_waiting; /* for a connection, if no statement has ended for a while; 0: any number */
    int most_waiting_of_account; /* for its share of them, but for a moment; 0: any number */
    /* Of them, those that search at the same time; 0: any number. More would share PostgreSQL's
     * processors, so that each takes as much longer, and a page among them, too. */
    int searches;
    apr_interval_time_t acquire_timeout;
    apr_interval_time_t statement_timeout; /* of all that a session does, connecting included */
    const dsc_waiting_t *waiting;  /* NULL: nothing happens while a statement is waited for */
    int (*is_silent)(void *baton); /* see dsc_connection_config_t */
    void *silence_baton;
    const char *application_name;
    dsc_log_t log;
    void *log_baton;
} dsc_database_config_t;

/* Counters for the status page. */
typedef struct {
    int in_use, open, waiting;
    unsigned long long statements_prepared, reconnects, timeouts;
} dsc_database_counters_t;

/* With DSC_WIRE_BIT()s of a column: its integers are numbers of sources, which the result takes
 * along. */
#define DSC_NAMES_SOURCE (1U << 31)

/* Which types each of a result's first columns may have: sets of DSC_WIRE_BIT(). */
typedef struct {
    int count;
    unsigned types[];
} dsc_columns_t;

/* In `sql` every "%s" is a bound value, typed by a cast ("%s::bigint"), and a literal percent sign
 * is "%%". It is prepared once for each connection, or, with `plan_each_time`, planned with its
 * values. With `columns` the result is in the binary format; one whose columns are of other types
 * fails as a statement that is refused. `over_shards` says the same with the same values, because
 * it is best asked of a distributed PostgreSQL. */
typedef struct {
    const char *sql;
    int count;
    const char *const *values;
    int plan_each_time;
    const dsc_columns_t *columns; /* NULL: the result is text */
    const char *over_shards;      /* NULL: as it is */
} dsc_statement_t;

/* Loads the pgsql driver and makes the pool; nothing is connected yet. */
apr_status_t dsc_database_create(apr_pool_t *pool, const dsc_database_config_t *config,
                                 dsc_database_t **result);

/* When what begins now has to end: after the statement timeout, by dsc_monotonic_now(). */
apr_time_t dsc_database_deadline(const dsc_database_t *database);

/* Whom a connection is for. */
typedef struct {
    uint64_t account; /* engine/fair_share.h; 0 is the server itself */
    int searches;     /* it is one of those that search */
} dsc_session_user_t;
#define DSC_OF_THE_SERVER ((dsc_session_user_t){0})

/* Takes a connection of an account's share; waits for one at most for the acquire timeout. All that
 * is done with it, connecting included, ends at the deadline. */
dsc_database_status_t dsc_session_acquire(dsc_database_t *database, apr_pool_t *pool,
                                          dsc_session_user_t user, apr_time_t deadline,
                                          dsc_session_t **result);

/* From now on a connection that is lost is not replaced, and what was asked on it fails: what was
 * seen on it need not hold on another. */
void dsc_session_bind(dsc_session_t *session);

/* Whether the server was given up at the last statement. */
typedef enum {
    DSC_NOT_SILENT,
    DSC_SILENT_SO_FAR,  /* for as long as there was time */
    DSC_SILENT_TOO_LONG /* for longer than it lets statements run, or in the middle of its
                         * response */
} dsc_silence_t;
dsc_silence_t dsc_session_silence(const dsc_session_t *session);

/* Returns it to the pool; results stay readable. Harmless when repeated. */
void dsc_session_release(dsc_session_t *session);

/* Runs one SELECT. A connection that turns out to be dead, or that has lost its prepared
 * statements, is replaced and the statement run once more. */
dsc_database_status_t dsc_select(dsc_session_t *session, const dsc_statement_t *statement,
                                 dsc_result_t **out);

/* The same in a transaction that may write; all other statements may not. Not repeated when the
 * connection is lost on the way: whether it was committed is not known then. */
dsc_database_status_t dsc_change(dsc_session_t *session, const dsc_statement_t *statement,
                                 dsc_result_t **out);

/* Goes to the next row: 1, or 0 when there is none. */
int dsc_result_next(dsc_result_t *result);

/* How many rows it has. */
int dsc_result_rows(const dsc_result_t *result);

/* A column of the row, in the result's format; a NUL follows it. `data` is NULL for SQL NULL. */
dsc_slice_t dsc_result_value(const dsc_result_t *result, int column);

/* The type of a column of a binary result. */
dsc_wire_t dsc_result_type(const dsc_result_t *result, int column);

/* The source that a column with DSC_NAMES_SOURCE names; NULL: none. */
const dsc_stored_source_t *dsc_result_source(const dsc_result_t *result, int column);

/* The same as dsc_result_value() without its length, of a column that is text, whatever the
 * result's format. */
const char *dsc_result_text(const dsc_result_t *result, int column);

/* A column of any type as PostgreSQL's text, made in the pool if it is not text already. */
const char *dsc_result_printed(apr_pool_t *pool, const dsc_result_t *result, int column);

void dsc_database_counters(const dsc_database_t *database, dsc_database_counters_t *counters);

#endif
