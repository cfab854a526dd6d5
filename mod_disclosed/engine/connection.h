/* A connection to PostgreSQL: the only code that sends statements and waits for them. Every
 * statement has a deadline on our side: a server that does not respond by then is asked to cancel,
 * and the connection is closed. One thread at a time uses a connection. */
#ifndef DSC_CONNECTION_H
#define DSC_CONNECTION_H

#include "engine/outage.h"
#include "engine/sqlstate.h"

#include "engine/message.h"

#include <apr_pools.h>
#include <apr_time.h>
#include <libpq-fe.h>

typedef struct dsc_connection_t dsc_connection_t;

/* What happens besides while a statement is waited for. */
typedef struct {
    int (*descriptor)(void *baton); /* readable: look at `is_due` at once; -1: none, or no longer */
    int (*is_due)(void *baton); /* whether the statement is to be cancelled: it ends in seconds */
    void (*tick)(void *baton);  /* called about once a second; may be NULL */
    void *baton;
} dsc_waiting_t;

/* All that is pointed to lives as long as the connection. */
typedef struct {
    const char *conninfo; /* of dsc_conninfo_complete(); its connect_timeout bounds connecting */
    const char *settings; /* SQL that is run on each new connection; NULL: none */
    apr_interval_time_t limit; /* of a statement, from sending it to its last row */
    int verbose;               /* errors with their SQLSTATE */
    int asks_server;      /* while a statement runs long, sees whether the server is still there */
    dsc_outage_t *outage; /* shared by all connections of a pool; NULL: tries each time */
    int outage_number;    /* of the message that logs an outage */
    dsc_log_t log;        /* NULL: logs nothing */
    void *log_baton;
    /* In place of libpq's own: makes a connection until the deadline, or says why not; ends one.
     * NULL: libpq's own. */
    PGconn *(*make)(void *baton, apr_time_t deadline, const char **reason);
    void (*unmake)(void *baton, PGconn *link);
    void *baton;
    const dsc_waiting_t *waiting; /* NULL: nothing */
    /* Whether the server is known to be silent: then only half of the time is waited for it. NULL:
     * nothing is known. */
    int (*is_silent)(void *baton);
    void *silence_baton;
    int leaves_cancel; /* code that gives up a statement does not wait until its request to cancel
                          is sent */
} dsc_connection_config_t;

/* Why the last statement, or connecting, has failed. */
typedef struct {
    dsc_failure_kind_t kind;
    dsc_database_status_t status;
    const char *message;        /* without a line feed at its end */
    const PGresult *result;     /* what the server sent; NULL: nothing */
    apr_interval_time_t waited; /* for a server that is silent, since the statement was sent */
    int has_begun;              /* and part of its response has come */
} dsc_failure_t;

/* How the columns of a result are written, as libpq numbers it. */
typedef enum {
    DSC_FORMAT_TEXT = 0,
    DSC_FORMAT_BINARY = 1
} dsc_format_t;

/* A connection that is not open yet; it is closed with the pool. */
dsc_connection_t *dsc_connection_create(apr_pool_t *pool, const dsc_connection_config_t *config);

/* Whether it can be used; opens it if it is closed or not to be trusted, when the outage lets
 * it. */
int dsc_connection_ready(dsc_connection_t *connection);

int dsc_connection_is_open(const dsc_connection_t *connection);
void dsc_connection_close(dsc_connection_t *connection);

/* Statements from now on end at that time of dsc_monotonic_now(), all of them; 0: each has its
 * limit. */
void dsc_connection_deadline(dsc_connection_t *connection, apr_time_t deadline);

/* Another limit from now on. */
void dsc_connection_limit(dsc_connection_t *connection, apr_interval_time_t limit);

/* Run a statement on an open connection: with values as $1, $2 (text, NULL for SQL NULL); the same,
 * or prepared under a name, with a result in the text format or the binary one; several at once,
 * without values. The result is the caller's to PQclear(); NULL: see dsc_connection_failure(). A
 * connection that broke, or whose server is silent, is closed then. */
PGresult *dsc_run(dsc_connection_t *connection, const char *sql, int count,
                  const char *const *values);
PGresult *dsc_run_in(dsc_connection_t *connection, const char *sql, int count,
                     const char *const *values, dsc_format_t format);
PGresult *dsc_run_prepared(dsc_connection_t *connection, const char *name, int count,
                           const char *const *values, dsc_format_t format);
PGresult *dsc_run_script(dsc_connection_t *connection, const char *sql);

/* Those that yield no rows; return whether they succeeded. `sql` of the last is a COPY FROM
 * STDIN. */
int dsc_prepare(dsc_connection_t *connection, const char *name, const char *sql);
int dsc_run_command(dsc_connection_t *connection, const char *sql);
int dsc_copy(dsc_connection_t *connection, const char *sql, const char *data, size_t length);

/* What went wrong last; valid until the next statement. */
const dsc_failure_t *dsc_connection_failure(const dsc_connection_t *connection);

/* Logs it as an outage, unless one was logged just now. */
void dsc_connection_log(dsc_connection_t *connection);

/* What came of listening. */
typedef enum {
    DSC_LISTEN_BROKEN, /* the connection is closed now */
    DSC_LISTEN_QUIET,
    DSC_LISTEN_NOTIFIED
} dsc_listen_t;

/* Sleeps until the server sends something, one of the two descriptors is readable, or the time is
 * over; takes notifications off. */
dsc_listen_t dsc_connection_listen(dsc_connection_t *connection, const int descriptors[2],
                                   int milliseconds);

/* Whether a transaction is open that has not failed. */
int dsc_connection_in_transaction(const dsc_connection_t *connection);

/* The text as a literal of SQL, quotes included. */
const char *dsc_quote_literal(apr_pool_t *pool, dsc_connection_t *connection, const char *text);

#endif
