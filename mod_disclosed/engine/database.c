#include "engine/database.h"

#include "engine/buffer.h"

#include <apr_atomic.h>
#include <apr_dbd.h>
#include <apr_hash.h>
#include <apr_reslist.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <libpq-fe.h>
#include <stdatomic.h>

/* After a failed connect, others fail at once for so long, instead of queueing up to try too. */
#define DOWN_INTERVAL apr_time_from_msec(200)
/* An outage is logged at most so often. */
#define LOG_INTERVAL apr_time_from_sec(5)
/* A connection remembers so many prepared statements; further ones are planned each time. */
#define MAXIMUM_STATEMENTS 256
/* A result of more bytes is large. */
#define LARGE_RESULT ((size_t)1 << 20)
/* plan_cache_mode of a new session: unlike both that set_planning() sets. */
#define NEITHER (-1)

struct dsc_database_t {
    apr_pool_t *pool;
    dsc_database_config_t config;
    const apr_dbd_driver_t *driver;
    apr_reslist_t *connections;
    const char *conninfo;
    const char *settings; /* SQL run on each new connection */
    _Atomic apr_time_t down_until;
    _Atomic apr_time_t next_log;
    _Atomic int open, waiting;
    _Atomic unsigned long long prepared, reconnects, timeouts;
};

/* A place in the pool; connected only when used, outside of the pool's lock. */
typedef struct {
    dsc_database_t *database;
    apr_pool_t *pool;       /* cleared with the connection */
    apr_dbd_t *handle;      /* NULL: not connected */
    PGconn *link;           /* the driver's own; statements are run on it directly, see execute() */
    apr_hash_t *statements; /* SQL -> its name on this connection */
    int plans_with_values;  /* the session's plan_cache_mode, see set_planning() */
    int was_large;          /* a result was: see dsc_session_release() */
} connection_t;

struct dsc_session_t {
    dsc_database_t *database;
    apr_pool_t *pool;
    connection_t *connection; /* NULL: released */
};

struct dsc_result_t {
    PGresult *rows;
    int row, count;
};

/* What a SQLSTATE, by its first characters, means to the caller; the first match decides. */
typedef enum {
    FAILED_STATEMENT,
    LOST_CONNECTION
} failure_t;
typedef struct {
    const char *state;
    failure_t failure;
    dsc_database_status_t status;
} sqlstate_t;

static const sqlstate_t sqlstates[] = {
    {"26000", LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE}, /* its prepared statements are gone */
    {"40001", LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE}, /* a replica cancelled it for recovery */
    {"57014", FAILED_STATEMENT, DSC_DATABASE_TIMEOUT},
    {"57P", LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE},
    {"08", LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE},
    {"53", FAILED_STATEMENT, DSC_DATABASE_UNAVAILABLE},
    {NULL, FAILED_STATEMENT, DSC_DATABASE_ERROR},
};

static void log_text(dsc_database_t *database, int number, const char *text)
{
    if (database->config.log) {
        database->config.log(database->config.log_baton, number, text);
    }
}

/* Logs an outage unless one was logged just now. */
static void log_outage(dsc_database_t *database, const char *text)
{
    apr_time_t now = apr_time_now();
    apr_time_t next = database->next_log;
    if (now >= next &&
        atomic_compare_exchange_strong(&database->next_log, &next, now + LOG_INTERVAL)) {
        log_text(database, 2, text);
    }
}

/* ---------------------------------------------------------------- connections */

static void connection_close(connection_t *connection)
{
    if (connection->handle) {
        apr_dbd_close(connection->database->driver, connection->handle);
        connection->handle = NULL;
        connection->database->open--;
    }
    apr_pool_clear(connection->pool);
    connection->statements = NULL;
}

static apr_status_t connection_create(void **resource, void *baton, apr_pool_t *pool)
{
    dsc_database_t *database = baton;
    connection_t *connection = apr_pcalloc(database->pool, sizeof(*connection));
    apr_allocator_t *allocator;
    apr_status_t rv = apr_allocator_create(&allocator);
    (void)pool;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = apr_pool_create_ex(&connection->pool, database->pool, NULL, allocator);
    if (rv != APR_SUCCESS) {
        apr_allocator_destroy(allocator);
        return rv;
    }
    apr_allocator_owner_set(allocator, connection->pool);
    connection->database = database;
    *resource = connection;
    return APR_SUCCESS;
}

static apr_status_t connection_destroy(void *resource, void *baton, apr_pool_t *pool)
{
    (void)baton;
    (void)pool;
    connection_close(resource);
    return APR_SUCCESS;
}

/* Connects and sets the session up; NULL, or why not. */
static const char *connect_session(connection_t *connection)
{
    dsc_database_t *database = connection->database;
    const char *error = NULL;
    int rows;

    if (apr_dbd_open_ex(database->driver, connection->pool, database->conninfo, &connection->handle,
                        &error) != APR_SUCCESS) {
        connection->handle = NULL;
        return error ? error : "no reason given";
    }
    database->open++;
    if (apr_dbd_query(database->driver, connection->handle, &rows, database->settings)) {
        return apr_dbd_error(database->driver, connection->handle, 0);
    }
    connection->link = apr_dbd_native_handle(database->driver, connection->handle);
    PQsetErrorVerbosity(connection->link, PQERRORS_VERBOSE);
    connection->statements = apr_hash_make(connection->pool);
    connection->plans_with_values = NEITHER;
    connection->was_large = 0;
    return NULL;
}

static int connection_open(connection_t *connection)
{
    dsc_database_t *database = connection->database;
    const char *error;

    if (apr_time_now() < database->down_until) {
        return 0;
    }
    error = connect_session(connection);
    if (!error) {
        return 1;
    }
    database->down_until = apr_time_now() + DOWN_INTERVAL;
    log_outage(database, error);
    connection_close(connection);
    return 0;
}

/* The conninfo with a bound on connecting, unless it has one. */
static const char *bounded_conninfo(apr_pool_t *pool, const char *conninfo)
{
    if (strstr(conninfo, "connect_timeout")) {
        return conninfo;
    }
    if (strncmp(conninfo, "postgres", 8) == 0 && strstr(conninfo, "://")) {
        return apr_pstrcat(pool, conninfo, strchr(conninfo, '?') ? "&" : "?", "connect_timeout=3",
                           NULL);
    }
    return apr_pstrcat(pool, conninfo, " connect_timeout=3", NULL);
}

static apr_status_t database_destroy(void *data)
{
    dsc_database_t *database = data;
    apr_reslist_destroy(database->connections);
    return APR_SUCCESS;
}

/* A pool of its own with a locked allocator: connections come and go in any thread. */
static apr_status_t create_pool(apr_pool_t *parent, apr_pool_t **pool)
{
    apr_allocator_t *allocator;
    apr_thread_mutex_t *mutex;
    apr_status_t rv = apr_allocator_create(&allocator);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = apr_pool_create_ex(pool, parent, NULL, allocator);
    if (rv != APR_SUCCESS) {
        apr_allocator_destroy(allocator);
        return rv;
    }
    apr_allocator_owner_set(allocator, *pool);
    rv = apr_thread_mutex_create(&mutex, APR_THREAD_MUTEX_DEFAULT, *pool);
    if (rv == APR_SUCCESS) {
        apr_allocator_mutex_set(allocator, mutex);
    }
    return rv;
}

apr_status_t dsc_database_create(apr_pool_t *pool, const dsc_database_config_t *config,
                                 dsc_database_t **result)
{
    apr_pool_t *own;
    dsc_database_t *database;
    apr_status_t rv = create_pool(pool, &own);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    database = apr_pcalloc(own, sizeof(*database));
    database->pool = own;
    database->config = *config;
    database->conninfo = bounded_conninfo(own, config->conninfo);
    /* Pages are read by index and mostly from memory: what a planner takes for a disk that seeks would
     * make it read small tables from end to end. */
    database->settings = apr_psprintf(
        own,
        "SET statement_timeout = %" APR_TIME_T_FMT "; SET TimeZone = 'UTC';"
        "SET DateStyle = 'ISO, YMD'; SET search_path = disclosed, public;"
        "SET default_transaction_read_only = on; SET jit = off; SET random_page_cost = 1.1;"
        " SET client_encoding = 'UTF8'; SET application_name = '%s'",
        apr_time_as_msec(config->statement_timeout), config->application_name);
    if ((rv = apr_dbd_init(own)) != APR_SUCCESS ||
        (rv = apr_dbd_get_driver(own, "pgsql", &database->driver)) != APR_SUCCESS) {
        log_text(database, 1, "apr_dbd has no driver pgsql (package libaprutil1-dbd-pgsql)");
        return rv;
    }
    rv = apr_reslist_create(&database->connections, 0, config->maximum, config->maximum, 0,
                            connection_create, connection_destroy, database, own);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    apr_reslist_timeout_set(database->connections, config->acquire_timeout);
    apr_reslist_cleanup_order_set(database->connections, APR_RESLIST_CLEANUP_FIRST);
    apr_pool_pre_cleanup_register(own, database, database_destroy);
    *result = database;
    return APR_SUCCESS;
}

/* ------------------------------------------------------------------- sessions */

static apr_status_t session_cleanup(void *data)
{
    dsc_session_release(data);
    return APR_SUCCESS;
}

dsc_database_status_t dsc_session_acquire(dsc_database_t *database, apr_pool_t *pool,
                                          dsc_session_t **result)
{
    dsc_session_t *session = apr_pcalloc(pool, sizeof(*session));
    void *resource = NULL;
    apr_status_t rv;

    database->waiting++;
    rv = apr_reslist_acquire(database->connections, &resource);
    database->waiting--;
    if (rv != APR_SUCCESS) {
        database->timeouts++;
        log_outage(database, "no connection became free in time: all are in use");
        return DSC_DATABASE_UNAVAILABLE;
    }
    session->database = database;
    session->pool = pool;
    session->connection = resource;
    apr_pool_cleanup_register(pool, session, session_cleanup, apr_pool_cleanup_null);
    *result = session;
    return DSC_DATABASE_OK;
}

void dsc_session_release(dsc_session_t *session)
{
    connection_t *connection = session->connection;
    if (connection) {
        session->connection = NULL;
        if (connection->was_large) { /* libpq's buffer would stay as large as long as it is open */
            connection_close(connection);
        }
        apr_reslist_release(session->database->connections, connection);
    }
}

/* ------------------------------------------------------------------ statements */

/* What the failure of a statement means; logs what is neither a passing fault nor the client's. */
static failure_t classify(dsc_session_t *session, const char *sql, const PGresult *failed,
                          dsc_database_status_t *status)
{
    dsc_database_t *database = session->database;
    const char *state = PQresultErrorField(failed, PG_DIAG_SQLSTATE);
    const sqlstate_t *row = sqlstates;

    /* What the server says carries a SQLSTATE: the rest is libpq's word on a connection that
     * broke. */
    if (!state || PQstatus(session->connection->link) != CONNECTION_OK) {
        *status = DSC_DATABASE_UNAVAILABLE;
        return LOST_CONNECTION;
    }
    while (row->state && strncmp(state, row->state, strlen(row->state)) != 0) {
        row++;
    }
    *status = row->status;
    if (row->status == DSC_DATABASE_ERROR || row->status == DSC_DATABASE_TIMEOUT) {
        log_text(database, row->status == DSC_DATABASE_ERROR ? 3 : 4,
                 apr_psprintf(session->pool, "%s [%.200s]", PQresultErrorMessage(failed), sql));
    }
    return row->failure;
}

/* The SQL with its "%s" numbered as PostgreSQL wants them: $1, $2, ... */
static const char *number_values(apr_pool_t *pool, const char *sql)
{
    dsc_buffer_t *text = dsc_buffer_create(pool, strlen(sql) + 64);
    int number = 0;
    for (;;) {
        size_t plain = strcspn(sql, "%");
        dsc_buffer_append(text, sql, plain);
        sql += plain;
        if (*sql == '\0') {
            return dsc_buffer_text(text);
        }
        if (sql[1] == 's') {
            dsc_buffer_printf(text, "$%d", ++number);
        } else {
            dsc_buffer_append_char(text, '%');
        }
        sql += sql[1] == 's' || sql[1] == '%' ? 2 : 1;
    }
}

/* Prepares the statement; returns what the server said. */
static PGresult *prepare(dsc_session_t *session, const char *sql, const char **name)
{
    connection_t *connection = session->connection;
    PGresult *result;

    *name = apr_psprintf(connection->pool, "dsc_%u", apr_hash_count(connection->statements));
    result = PQprepare(connection->link, *name, number_values(session->pool, sql), 0, NULL);
    if (PQresultStatus(result) == PGRES_COMMAND_OK) {
        session->database->prepared++;
        apr_hash_set(connection->statements, apr_pstrdup(connection->pool, sql),
                     APR_HASH_KEY_STRING, *name);
    }
    return result;
}

/* Runs it, prepared when it is new to the connection. Not by apr_dbd: that would take all values
 * for varchar, hide SQL errors or sleep on empty results, and look at each value three times. */
static PGresult *execute(dsc_session_t *session, const char *sql, int plan_each_time, int count,
                         const char *const *values)
{
    connection_t *connection = session->connection;
    const char *name = apr_hash_get(connection->statements, sql, APR_HASH_KEY_STRING);
    PGresult *prepared;

    if (!name && (plan_each_time || apr_hash_count(connection->statements) >= MAXIMUM_STATEMENTS)) {
        return PQexecParams(connection->link, number_values(session->pool, sql), count, NULL,
                            values, NULL, NULL, 0);
    }
    if (!name) {
        prepared = prepare(session, sql, &name);
        if (PQresultStatus(prepared) != PGRES_COMMAND_OK) {
            return prepared;
        }
        PQclear(prepared);
    }
    return PQexecPrepared(connection->link, name, count, values, NULL, NULL, 0);
}

/* Lists are ordered by an index and cut short: a generic plan is right for them and saves planning.
 * Where a value's selectivity decides, the statement is planned with it, as force_generic_plan would
 * not do. Returns NULL, or what the server said against it. */
static PGresult *set_planning(connection_t *connection, int with_values)
{
    static const char *const settings[] = {"SET plan_cache_mode = force_generic_plan",
                                           "SET plan_cache_mode = force_custom_plan"};
    PGresult *result;
    if (connection->plans_with_values == with_values) {
        return NULL;
    }
    result = PQexec(connection->link, settings[with_values]);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) {
        return result;
    }
    PQclear(result);
    connection->plans_with_values = with_values;
    return NULL;
}

static apr_status_t clear_rows(void *rows)
{
    PQclear(rows);
    return APR_SUCCESS;
}

/* What a result is that was not wanted; it is cleared, and a lost connection closed. */
static dsc_database_status_t fail(dsc_session_t *session, const char *sql, PGresult *result,
                                  failure_t *failure)
{
    dsc_database_status_t status = DSC_DATABASE_UNAVAILABLE;

    *failure = classify(session, sql, result, &status);
    PQclear(result);
    if (*failure == LOST_CONNECTION) {
        session->database->reconnects++;
        connection_close(session->connection);
    }
    return status;
}

/* Runs it once; `failure` says whether another connection might do better. */
static dsc_database_status_t select_once(dsc_session_t *session, const char *sql,
                                         int plan_each_time, int count, const char *const *values,
                                         PGresult **rows, failure_t *failure)
{
    connection_t *connection = session->connection;
    PGresult *result;

    *failure = FAILED_STATEMENT;
    if (!connection->handle && !connection_open(connection)) {
        return DSC_DATABASE_UNAVAILABLE;
    }
    result = set_planning(connection, plan_each_time);
    if (!result) {
        result = execute(session, sql, plan_each_time, count, values);
    }
    if (PQresultStatus(result) == PGRES_TUPLES_OK) {
        apr_pool_cleanup_register(session->pool, result, clear_rows, apr_pool_cleanup_null);
        connection->was_large |= PQresultMemorySize(result) > LARGE_RESULT;
        *rows = result;
        return DSC_DATABASE_OK;
    }
    return fail(session, sql, result, failure);
}

static dsc_result_t *make_result(dsc_session_t *session, PGresult *rows)
{
    dsc_result_t *result = apr_palloc(session->pool, sizeof(*result));

    result->rows = rows;
    result->row = -1;
    result->count = PQntuples(rows);
    return result;
}

dsc_database_status_t dsc_select(dsc_session_t *session, const char *sql, int plan_each_time,
                                 int count, const char *const *values, dsc_result_t **out)
{
    PGresult *rows = NULL;
    dsc_database_status_t status;
    failure_t failure;

    status = select_once(session, sql, plan_each_time, count, values, &rows, &failure);
    if (failure == LOST_CONNECTION) {
        status = select_once(session, sql, plan_each_time, count, values, &rows, &failure);
        if (failure == LOST_CONNECTION) {
            log_outage(session->database, "a new connection was lost at once");
        }
    }
    if (status == DSC_DATABASE_OK) {
        *out = make_result(session, rows);
    }
    return status;
}

/* Runs a statement without values and rows. */
static dsc_database_status_t command(dsc_session_t *session, const char *sql, failure_t *failure)
{
    connection_t *connection = session->connection;
    PGresult *result;

    *failure = FAILED_STATEMENT;
    if (!connection->handle && !connection_open(connection)) {
        return DSC_DATABASE_UNAVAILABLE;
    }
    result = PQexec(connection->link, sql);
    if (PQresultStatus(result) != PGRES_COMMAND_OK) {
        return fail(session, sql, result, failure);
    }
    PQclear(result);
    return DSC_DATABASE_OK;
}

dsc_database_status_t dsc_change(dsc_session_t *session, const char *sql, int count,
                                 const char *const *values, dsc_result_t **out)
{
    static const char begin[] = "BEGIN READ WRITE";
    PGresult *rows = NULL;
    failure_t failure, ending;
    dsc_database_status_t status = command(session, begin, &failure), ended;

    if (failure == LOST_CONNECTION) {
        status = command(session, begin, &failure);
    }
    if (status != DSC_DATABASE_OK) {
        return status;
    }
    status = select_once(session, sql, 0, count, values, &rows, &failure);
    if (status == DSC_DATABASE_OK) {
        status = command(session, "COMMIT", &ending);
    } else if (failure != LOST_CONNECTION) {
        ended = command(session, "ROLLBACK", &ending);
        status = ended == DSC_DATABASE_OK ? status : ended;
    }
    if (status == DSC_DATABASE_OK) {
        *out = make_result(session, rows);
    }
    return status;
}

/* --------------------------------------------------------------------- results */

int dsc_result_next(dsc_result_t *result)
{
    return ++result->row < result->count;
}

int dsc_result_rows(const dsc_result_t *result)
{
    return result->count;
}

dsc_slice_t dsc_result_value(const dsc_result_t *result, int column)
{
    dsc_slice_t value = {NULL, (size_t)PQgetlength(result->rows, result->row, column)};
    /* Of no length are SQL NULL and the empty text. */
    if (value.length > 0 || !PQgetisnull(result->rows, result->row, column)) {
        value.data = PQgetvalue(result->rows, result->row, column);
    }
    return value;
}

const char *dsc_result_text(const dsc_result_t *result, int column)
{
    const char *text = PQgetvalue(result->rows, result->row, column);
    return *text || !PQgetisnull(result->rows, result->row, column) ? text : NULL;
}

void dsc_database_counters(const dsc_database_t *database, dsc_database_counters_t *counters)
{
    counters->in_use = (int)apr_reslist_acquired_count(database->connections);
    counters->open = database->open;
    counters->waiting = database->waiting;
    counters->statements_prepared = database->prepared;
    counters->reconnects = database->reconnects;
    counters->timeouts = database->timeouts;
}
