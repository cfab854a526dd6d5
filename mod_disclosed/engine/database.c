#include "engine/database.h"

#include "engine/conninfo.h"
#include "engine/dbd_open.h"
#include "engine/fair_share.h"
#include "engine/result.h"
#include "engine/source_cache.h"
#include "engine/statement_cache.h"

#include <apr_dbd.h>
#include <apr_reslist.h>
#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <stdatomic.h>

/* A connection keeps so many prepared statements; the one used least recently makes room. */
#define MAXIMUM_STATEMENTS 256
/* PostgreSQL ends a statement by itself when this share of the timeout is over, in percent: by the end of it, it has said so,
 * or it is silent. */
#define SERVER_SHARE 95
/* A row of more bytes is large: libpq's buffer grows by doubling until it holds the row, and stays as large. */
#define LARGE_ROW ((size_t)1 << 19)
/* A request that waits for a connection checks so often whether any statement has ended meanwhile;
 * a server that sends nothing for so long is silent. */
#define STALL apr_time_from_msec(500)
/* How statements are planned, see set_planning(). */
typedef enum {
    NOT_SET,       /* of a new session */
    ONCE,          /* without their values */
    WITH_VALUES,   /* each time */
    OVER_SHARDS,   /* each time, reading the shards of a distributed PostgreSQL */
    WITHOUT_SHARDS /* with values, reading the coordinator's own tables */
} planning_t;

struct dsc_database_t {
    apr_pool_t *pool;
    dsc_database_config_t config;
    const apr_dbd_driver_t *driver;
    apr_reslist_t *connections;
    dsc_fair_share_t *share; /* of these */
    const char *conninfo;
    const char *settings; /* SQL run on each new connection */
    dsc_outage_t outage;
    _Atomic int open, waiting;
    dsc_heard_t heard;       /* of the server */
    _Atomic int is_refusing; /* the server responded to the last attempt to connect, and refused */
    _Atomic unsigned long long prepared, reconnects, timeouts;
};

/* A place in the pool; connected only when used, outside of the pool's lock. */
typedef struct member_t member_t;
struct member_t {
    dsc_database_t *database;
    dsc_connection_t *connection;
    apr_pool_t *reasons; /* why it could not be connected */
    dsc_dbd_t link;      /* while it is connected; what is allocated for it is in its pool */
    dsc_statement_cache_t *statements; /* prepared on this connection */
    dsc_source_cache_t *sources;       /* read on this connection; NULL: none yet */
    dsc_statement_cache_t *refused;    /* that can't be planned over shards; NULL: none yet */
    planning_t planning;               /* of the session */
    int has_shards;                    /* and they are to be read; -1: not known yet */
    int was_large;                     /* a row was: see dsc_session_release() */
    int is_opening; /* whoever has it waits for its connection, or has just done so */
    member_t *next; /* see take_member() */
};

struct dsc_session_t {
    dsc_database_t *database;
    apr_pool_t *pool;
    member_t *member; /* NULL: released */
    uint64_t account; /* whose share it is of */
    int is_bound;     /* to its connection */
};

static void log_text(dsc_database_t *database, int number, const char *text)
{
    if (database->config.log) {
        database->config.log(database->config.log_baton, number, text);
    }
}

static void log_outage(dsc_database_t *database, const char *text)
{
    if (dsc_outage_may_log(&database->outage, dsc_monotonic_now())) {
        log_text(database, DSC_MESSAGE_OUTAGE, text);
    }
}

/* ---------------------------------------------------------------- connections */

/* How apr_dbd makes a connection, and ends it. Statements are run on the driver's own connection: by
 * apr_dbd all values would be varchar, SQL errors hidden or slept on, each value looked at three times,
 * and nothing would have a deadline. */
static PGconn *make_link(void *baton, apr_time_t deadline, const char **reason)
{
    member_t *member = baton;
    dsc_database_t *database = member->database;
    dsc_attempt_t came;
    if (!member->is_opening && !member->was_large) { /* large rows are the client's choice */
        member->is_opening = 1;
        dsc_fair_share_open(database->share);
    }
    apr_pool_clear(member->reasons);
    came = dsc_dbd_open(member->reasons, database->driver, database->conninfo, deadline,
                        &member->link, reason);
    database->is_refusing = came == DSC_ATTEMPT_DONE && member->link.handle == NULL;
    if (member->link.handle == NULL) {
        return NULL;
    }
    database->open++;
    dsc_heard_answer(&database->heard);
    member->statements = dsc_statement_cache_create(member->link.pool, MAXIMUM_STATEMENTS);
    member->refused = NULL;
    member->planning = NOT_SET;
    member->has_shards = -1;
    member->was_large = 0;
    return apr_dbd_native_handle(database->driver, member->link.handle);
}

static void end_link(void *baton, PGconn *link)
{
    member_t *member = baton;
    (void)link; /* is closed with the handle */
    member->statements = member->refused = NULL;
    member->sources = NULL;
    member->database->open--;
    dsc_dbd_close(member->database->driver, &member->link);
}

static dsc_connection_t *create_connection(apr_pool_t *pool, member_t *member)
{
    const dsc_database_t *database = member->database;
    dsc_connection_config_t config = {0};
    config.conninfo = database->conninfo;
    config.settings = database->settings;
    config.limit = database->config.statement_timeout;
    config.verbose = 1;
    config.outage = &member->database->outage;
    config.outage_number = DSC_MESSAGE_OUTAGE;
    config.log = database->config.log;
    config.log_baton = database->config.log_baton;
    config.make = make_link;
    config.unmake = end_link;
    config.baton = member;
    config.waiting = database->config.waiting;
    config.is_silent = database->config.is_silent;
    config.silence_baton = database->config.silence_baton;
    config.leaves_cancel = 1; /* by then PostgreSQL ends the statement by itself */
    return dsc_connection_create(pool, &config);
}

/* A pool with an allocator of its own, locked if threads share it. */
static apr_status_t create_pool(apr_pool_t *parent, int is_shared, apr_pool_t **pool)
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
    if (is_shared &&
        (rv = apr_thread_mutex_create(&mutex, APR_THREAD_MUTEX_DEFAULT, *pool)) == APR_SUCCESS) {
        apr_allocator_mutex_set(allocator, mutex);
    }
    return rv;
}

static apr_status_t member_create(void **resource, void *baton, apr_pool_t *pool)
{
    dsc_database_t *database = baton;
    member_t *member = apr_pcalloc(database->pool, sizeof(*member));
    apr_status_t rv = create_pool(database->pool, 0, &member->reasons);
    (void)pool;
    if (rv != APR_SUCCESS) {
        return rv;
    }
    member->database = database;
    member->connection = create_connection(database->pool, member);
    *resource = member;
    return APR_SUCCESS;
}

static apr_status_t member_destroy(void *resource, void *baton, apr_pool_t *pool)
{
    member_t *member = resource;
    (void)baton;
    (void)pool;
    dsc_connection_close(member->connection);
    return APR_SUCCESS;
}

static apr_status_t database_destroy(void *data)
{
    dsc_database_t *database = data;
    apr_reslist_destroy(database->connections);
    return APR_SUCCESS;
}

apr_status_t dsc_database_create(apr_pool_t *pool, const dsc_database_config_t *config,
                                 dsc_database_t **result)
{
    apr_pool_t *own;
    dsc_database_t *database;
    apr_status_t rv = create_pool(pool, 1, &own); /* connections come and go in any thread */
    if (rv != APR_SUCCESS) {
        return rv;
    }
    database = apr_pcalloc(own, sizeof(*database));
    database->pool = own;
    database->config = *config;
    database->conninfo = dsc_conninfo_complete(own, config->conninfo, dsc_conninfo_server);
    /* Pages are read by index and mostly from memory: what a planner takes for a disk that seeks would
     * make it read small tables from end to end. */
    database->settings = apr_psprintf(
        own,
        "SET statement_timeout = %" APR_TIME_T_FMT "; SET TimeZone = 'UTC';"
        "SET DateStyle = 'ISO, YMD'; SET search_path = disclosed, public;"
        "SET default_transaction_read_only = on; SET jit = off; SET random_page_cost = 1.1;"
        " SET client_encoding = 'UTF8'; SET application_name = '%s'",
        apr_time_as_msec(config->statement_timeout * SERVER_SHARE / 100), config->application_name);
    if ((rv = apr_dbd_init(own)) != APR_SUCCESS ||
        (rv = apr_dbd_get_driver(own, "pgsql", &database->driver)) != APR_SUCCESS) {
        log_text(database, DSC_MESSAGE_NO_DRIVER, dsc_text_NO_DRIVER);
        return rv;
    }
    rv = apr_reslist_create(&database->connections, 0, config->maximum, config->maximum, 0,
                            member_create, member_destroy, database, own);
    if (rv != APR_SUCCESS ||
        !(database->share =
              dsc_fair_share_create(own, config->maximum, config->most_waiting_of_account))) {
        return rv != APR_SUCCESS ? rv : APR_ENOMEM;
    }
    apr_reslist_timeout_set(database->connections, STALL);
    apr_reslist_cleanup_order_set(database->connections, APR_RESLIST_CLEANUP_FIRST);
    apr_pool_pre_cleanup_register(own, database, database_destroy);
    *result = database;
    return APR_SUCCESS;
}

/* ------------------------------------------------------------------- sessions */

/* Puts the member back into the pool. */
static void release_member(dsc_database_t *database, member_t *member)
{
    if (member->is_opening) {
        member->is_opening = 0;
        dsc_fair_share_opened(database->share);
    }
    apr_reslist_release(database->connections, member);
}

static apr_status_t session_cleanup(void *data)
{
    dsc_session_release(data);
    return APR_SUCCESS;
}

apr_time_t dsc_database_deadline(const dsc_database_t *database)
{
    return dsc_monotonic_now() + database->config.statement_timeout;
}

/* Whether the server responds on any connection, if only to refuse another one. */
static int is_responding(const dsc_database_t *database)
{
    return database->is_refusing || dsc_heard_silence(&database->heard) < STALL;
}

static int has_free_member(const dsc_database_t *database)
{
    return (int)apr_reslist_acquired_count(database->connections) < database->config.maximum;
}

/* Whether to make do with that member: unless it can't be connected just now, and there are members that are connected,
 * which are free or soon will be; half of the time is left for them. */
static int will_do(dsc_database_t *database, member_t *member, apr_time_t deadline)
{
    apr_time_t now = dsc_monotonic_now();
    if (dsc_connection_is_open(member->connection) || database->open == 0) {
        return 1;
    }
    dsc_connection_deadline(member->connection,
                            is_responding(database) ? now + (deadline - now) / 2 : deadline);
    return dsc_connection_ready(member->connection) ||
           (!is_responding(database) && !has_free_member(database));
}

/* Whether too many wait for a database that seems to be silent: threads are left for what needs it not. */
static int is_crowded(const dsc_database_t *database)
{
    return database->config.most_waiting > 0 && database->waiting > database->config.most_waiting &&
           dsc_heard_silence(&database->heard) > STALL;
}

/* Takes what is free; 0: nothing, until `end`. */
static int acquire(dsc_database_t *database, void **resource, apr_time_t end)
{
    apr_status_t rv;
    do {
        if (!has_free_member(database) && is_crowded(database)) {
            return 0;
        }
        rv = apr_reslist_acquire(database->connections, resource);
    } while (APR_STATUS_IS_TIMEUP(rv) && dsc_monotonic_now() < end);
    return rv == APR_SUCCESS;
}

/* A wait for an account's connection. */
typedef struct {
    dsc_database_t *database;
    int was_silent; /* the server, for half of the time that there is */
} wait_t;

static int goes_on(void *baton)
{
    wait_t *wait = baton;
    wait->was_silent |=
        dsc_heard_silence(&wait->database->heard) > wait->database->config.acquire_timeout / 2;
    return !is_crowded(wait->database);
}

/* Waits until the account may have a connection. */
static dsc_database_status_t take_share(dsc_database_t *database, uint64_t account, apr_time_t end)
{
    wait_t wait = {database, 0};
    int is_surplus;
    if (dsc_fair_share_take(database->share, account, end, goes_on, &wait)) {
        return DSC_DATABASE_OK;
    }
    is_surplus = dsc_monotonic_now() < end;
    return goes_on(&wait) && !wait.was_silent &&
                   (is_surplus ? dsc_heard_silence(&database->heard) < STALL
                               : has_free_member(database))
               ? DSC_DATABASE_SHARED
               : DSC_DATABASE_UNAVAILABLE;
}

/* A member of the pool; NULL: none became free in time. The pool's order knows nothing of which are connected, so those
 * that can't be are kept out of it until one is found that is. */
static member_t *take_member(dsc_database_t *database, apr_time_t end, apr_time_t deadline)
{
    member_t *kept = NULL, *member = NULL, *next;
    void *resource;
    while (acquire(database, &resource, end)) {
        member = resource;
        if (will_do(database, member, deadline) || dsc_monotonic_now() >= deadline) {
            break;
        }
        member->next = kept;
        kept = member;
        member = NULL;
    }
    for (; kept; kept = next) {
        next = kept->next;
        release_member(database, kept);
    }
    return member;
}

dsc_database_status_t dsc_session_acquire(dsc_database_t *database, apr_pool_t *pool,
                                          uint64_t account, apr_time_t deadline,
                                          dsc_session_t **result)
{
    dsc_session_t *session = apr_pcalloc(pool, sizeof(*session));
    apr_time_t end = dsc_monotonic_now() + database->config.acquire_timeout;
    dsc_database_status_t status;
    end = end < deadline ? end : deadline;
    dsc_heard_asking(&database->heard);
    database->waiting++;
    status = take_share(database, account, end);
    session->member = status == DSC_DATABASE_OK ? take_member(database, end, deadline) : NULL;
    database->waiting--;
    if (!session->member) {
        if (status == DSC_DATABASE_OK) {
            dsc_fair_share_give(database->share, account);
            status = DSC_DATABASE_UNAVAILABLE;
        }
        database->timeouts++;
        if (status == DSC_DATABASE_UNAVAILABLE) {
            log_outage(database, "no connection became free in time: all are in use");
        }
        return status;
    }
    session->database = database;
    session->pool = pool;
    session->account = account;
    dsc_connection_deadline(session->member->connection, deadline);
    apr_pool_cleanup_register(pool, session, session_cleanup, apr_pool_cleanup_null);
    *result = session;
    return status;
}

void dsc_session_bind(dsc_session_t *session)
{
    session->is_bound = 1;
}

dsc_silence_t dsc_session_silence(const dsc_session_t *session)
{
    const dsc_failure_t *failure = dsc_connection_failure(session->member->connection);
    if (failure->kind != DSC_SILENT_SERVER) {
        return DSC_NOT_SILENT;
    }
    return failure->has_begun || failure->waited >= session->database->config.statement_timeout *
                                                        SERVER_SHARE / 100
               ? DSC_SILENT_TOO_LONG
               : DSC_SILENT_SO_FAR;
}

void dsc_session_release(dsc_session_t *session)
{
    member_t *member = session->member;
    if (member) {
        session->member = NULL;
        if (member->was_large) { /* libpq's buffer would stay as large as long as it is open */
            dsc_connection_close(member->connection);
        }
        release_member(session->database, member);
        dsc_fair_share_give(session->database->share, session->account);
    }
}

/* ------------------------------------------------------------------ statements */

/* Logs what is neither a passing failure nor the client's. */
static void log_failure(dsc_session_t *session, const char *sql, const dsc_failure_t *failure)
{
    if (failure->status == DSC_DATABASE_UNAVAILABLE) {
        if (failure->kind == DSC_FAILED_STATEMENT && failure->result) { /* short of something */
            dsc_connection_log(session->member->connection);
        }
    } else {
        int late = failure->status == DSC_DATABASE_TIMEOUT;
        log_text(session->database, late ? DSC_MESSAGE_TIMED_OUT : DSC_MESSAGE_REFUSED,
                 apr_psprintf(session->pool, late ? dsc_text_TIMED_OUT : dsc_text_REFUSED,
                              failure->message, sql));
    }
}

/* Prepares the statement, for which another may have to go; its name, or NULL. */
static const char *prepare(dsc_session_t *session, const char *sql)
{
    member_t *member = session->member;
    const char *surplus = dsc_statement_cache_surplus(member->statements), *name;
    if (surplus) {
        if (!dsc_run_command(member->connection,
                             apr_pstrcat(session->pool, "DEALLOCATE ", surplus, NULL))) {
            return NULL;
        }
        dsc_statement_cache_drop(member->statements);
    }
    name = dsc_statement_cache_name(member->statements);
    if (!dsc_prepare(member->connection, name, dsc_statement_numbered(session->pool, sql))) {
        return NULL;
    }
    session->database->prepared++;
    dsc_statement_cache_add(member->statements, sql);
    return name;
}

/* Runs it, prepared when it is new to the connection. */
static PGresult *execute(dsc_session_t *session, const dsc_statement_t *statement)
{
    member_t *member = session->member;
    dsc_format_t format = statement->columns ? DSC_FORMAT_BINARY : DSC_FORMAT_TEXT;
    const char *name;
    if (statement->plan_each_time) {
        return dsc_run_in(member->connection, dsc_statement_numbered(session->pool, statement->sql),
                          statement->count, statement->values, format);
    }
    name = dsc_statement_cache_find(member->statements, statement->sql);
    if (!name && !(name = prepare(session, statement->sql))) {
        return NULL;
    }
    return dsc_run_prepared(member->connection, name, statement->count, statement->values, format);
}

/* Finds out at the first statement of a connection whether to read shards (sql/0068_distributed.sql): if the database has some.
 * A replica of the coordinator has all tables of an instant, and workers the shards of another. */
static int know_shards(member_t *member)
{
    static const char sql[] =
        "SELECT to_regnamespace('disclosed_shards') IS NOT NULL AND NOT pg_is_in_recovery()";
    PGresult *result = dsc_run(member->connection, sql, 0, NULL);

    if (!result) {
        return 0;
    }
    member->has_shards = PQntuples(result) == 1 && *PQgetvalue(result, 0, 0) == 't';
    PQclear(result);
    return 1;
}

/* Lists are ordered by an index and cut short: a generic plan is right for them and saves planning.
 * If a value's selectivity decides, the statement is planned with it, as force_generic_plan would
 * not do. Which shards a statement is about is in its values. Returns whether that is set. */
static int set_planning(member_t *member, planning_t planning)
{
    static const char *const settings[] = {
        [ONCE] = "SET plan_cache_mode = force_generic_plan",
        [WITH_VALUES] = "SET plan_cache_mode = force_custom_plan",
        /* more connections for one statement are opened for it, and closed behind it */
        [OVER_SHARDS] = "SET plan_cache_mode = force_custom_plan;"
                        "SET citus.max_adaptive_executor_pool_size = 1;"
                        "SET search_path = disclosed_shards, disclosed, public",
        [WITHOUT_SHARDS] = "SET plan_cache_mode = force_custom_plan;"
                           "SET search_path = disclosed, public"};

    if (member->planning != planning) {
        if (!dsc_run_command(member->connection, settings[planning])) {
            return 0;
        }
        member->planning = planning;
    }
    return 1;
}

static dsc_shards_t failure_of(const member_t *member)
{
    const dsc_failure_t *failure = dsc_connection_failure(member->connection);
    const char *state = PQresultErrorField(failure->result, PG_DIAG_SQLSTATE);
    return dsc_shards_refuse(failure->status == DSC_DATABASE_ERROR ? state : NULL);
}

static int was_refused(const member_t *member, const char *sql)
{
    return member->refused && dsc_statement_cache_find(member->refused, sql) != NULL;
}

static void note_refused(member_t *member, const char *sql)
{
    if (!member->refused) {
        member->refused = dsc_statement_cache_create(member->link.pool, MAXIMUM_STATEMENTS);
    } else if (dsc_statement_cache_surplus(member->refused)) {
        dsc_statement_cache_drop(member->refused);
    }
    dsc_statement_cache_add(member->refused, sql);
}

static apr_status_t clear_rows(void *rows)
{
    PQclear(rows);
    return APR_SUCCESS;
}

/* What becomes of a statement that failed: it is logged, and a lost connection closed. */
static dsc_database_status_t fail(dsc_session_t *session, const char *sql, dsc_failure_kind_t *kind)
{
    dsc_connection_t *connection = session->member->connection;
    const dsc_failure_t *failure = dsc_connection_failure(connection);
    *kind = failure->kind;
    log_failure(session, sql, failure);
    if (failure->kind == DSC_LOST_CONNECTION) {
        session->database->reconnects++;
        dsc_connection_close(connection);
    }
    return failure->status;
}

/* Runs it over shards, if it can be. */
static PGresult *execute_distributed(dsc_session_t *session, const dsc_statement_t *statement)
{
    member_t *member = session->member;
    dsc_statement_t other = *statement;
    dsc_shards_t refused;
    PGresult *result;

    other.sql = statement->over_shards ? statement->over_shards : statement->sql;
    if (!was_refused(member, statement->sql) &&
        !dsc_connection_in_transaction(member->connection)) {
        result = set_planning(member, OVER_SHARDS) ? execute(session, &other) : NULL;
        if (result || !(refused = failure_of(member))) {
            return result;
        }
        if (refused == DSC_SHARDS_NEVER) {
            note_refused(member, statement->sql);
        }
    }
    return set_planning(member, WITHOUT_SHARDS) ? execute(session, statement) : NULL;
}

static PGresult *execute_planned(dsc_session_t *session, const dsc_statement_t *statement)
{
    member_t *member = session->member;
    if (member->has_shards < 0 && !know_shards(member)) {
        return NULL;
    }
    if (member->has_shards) {
        return execute_distributed(session, statement);
    }
    return set_planning(member, statement->plan_each_time ? WITH_VALUES : ONCE)
               ? execute(session, statement)
               : NULL;
}

/* Runs it once on an open connection; `kind` says whether another one might do better. */
static dsc_database_status_t run_once(dsc_session_t *session, const dsc_statement_t *statement,
                                      PGresult **rows, dsc_failure_kind_t *kind)
{
    member_t *member = session->member;
    PGresult *result = execute_planned(session, statement);

    if (result || dsc_connection_failure(member->connection)->result) {
        dsc_heard_answer(&session->database->heard);
    }
    if (!result) {
        return fail(session, statement->sql, kind);
    }
    *kind = DSC_FAILED_STATEMENT;
    apr_pool_cleanup_register(session->pool, result, clear_rows, apr_pool_cleanup_null);
    member->was_large |= dsc_has_row_over(result, LARGE_ROW);
    *rows = result;
    return DSC_DATABASE_OK;
}

/* A result whose columns are of other types than its fields take is refused. */
static dsc_database_status_t make_result(dsc_session_t *session, const dsc_statement_t *statement,
                                         PGresult *rows, dsc_result_t **out)
{
    const char *reason = NULL;

    *out = dsc_result_create(session->pool, rows, statement->columns, &reason);
    if (*out) {
        return DSC_DATABASE_OK;
    }
    log_text(session->database, DSC_MESSAGE_REFUSED,
             apr_psprintf(session->pool, dsc_text_REFUSED, reason, statement->sql));
    return DSC_DATABASE_ERROR;
}

/* The sources that the rows name: those that are new to the connection are read. */
static dsc_database_status_t take_sources(dsc_session_t *session, const dsc_columns_t *columns,
                                          dsc_result_t *result, dsc_failure_kind_t *kind)
{
    static const dsc_columns_t binary = {0};
    member_t *member = session->member;
    dsc_source_set_t *set = NULL;
    dsc_statement_t statement = {dsc_source_sql, 1, NULL, 0, &binary, NULL};
    const char *missing;
    PGresult *rows = NULL;
    dsc_database_status_t status = DSC_DATABASE_OK;
    int i;

    for (i = 0; columns && i < columns->count; i++) {
        if (!(columns->types[i] & DSC_NAMES_SOURCE)) {
            continue;
        }
        if (!member->sources) {
            member->sources = dsc_source_cache_create(member->link.pool);
        }
        dsc_source_cache_age(member->sources, dsc_monotonic_now());
        set = set ? set : dsc_source_set_create(session->pool);
        dsc_result_name_sources(result, i, member->sources, set);
    }
    missing = set ? dsc_source_set_missing(set) : NULL;
    if (missing) {
        statement.values = &missing;
        status = run_once(session, &statement, &rows, kind);
    }
    if (rows) {
        dsc_source_set_fill(set, member->sources, rows);
    }
    result->sources = set;
    return status;
}

static int is_ready(const dsc_session_t *session)
{
    dsc_connection_t *connection = session->member->connection;

    return session->is_bound ? dsc_connection_is_open(connection)
                             : dsc_connection_ready(connection);
}

static dsc_database_status_t select_once(dsc_session_t *session, const dsc_statement_t *statement,
                                         dsc_result_t **out, dsc_failure_kind_t *kind)
{
    PGresult *rows = NULL;
    dsc_database_status_t status = is_ready(session) ? run_once(session, statement, &rows, kind)
                                                     : fail(session, statement->sql, kind);

    if (status == DSC_DATABASE_OK) {
        status = make_result(session, statement, rows, out);
    }
    return status == DSC_DATABASE_OK ? take_sources(session, statement->columns, *out, kind)
                                     : status;
}

dsc_database_status_t dsc_select(dsc_session_t *session, const dsc_statement_t *statement,
                                 dsc_result_t **out)
{
    dsc_database_status_t status;
    dsc_failure_kind_t kind;

    status = select_once(session, statement, out, &kind);
    if (kind == DSC_LOST_CONNECTION && !session->is_bound) {
        status = select_once(session, statement, out, &kind);
        if (kind == DSC_LOST_CONNECTION) {
            log_outage(session->database, "a new connection was lost at once");
        }
    }
    return status;
}

/* Runs a statement without values and rows on an open connection. */
static dsc_database_status_t command(dsc_session_t *session, const char *sql,
                                     dsc_failure_kind_t *kind)
{
    *kind = DSC_FAILED_STATEMENT;
    return dsc_run_command(session->member->connection, sql) ? DSC_DATABASE_OK
                                                             : fail(session, sql, kind);
}

/* A server that is (now) a standby refuses to write: the connection is given up, because the next may be to its successor. */
static dsc_database_status_t begin_once(dsc_session_t *session, dsc_failure_kind_t *kind)
{
    dsc_connection_t *connection = session->member->connection;
    const dsc_failure_t *failure = dsc_connection_failure(connection);

    *kind = DSC_FAILED_STATEMENT;
    if (dsc_connection_ready(connection) && dsc_run_command(connection, "BEGIN READ WRITE")) {
        return DSC_DATABASE_OK;
    }
    if (failure->status == DSC_DATABASE_ERROR) {
        log_outage(session->database, failure->message);
        *kind = DSC_LOST_CONNECTION;
        dsc_connection_close(connection);
        return DSC_DATABASE_UNAVAILABLE;
    }
    return fail(session, "BEGIN READ WRITE", kind);
}

/* Settings of the session that were made in the transaction are gone, too. */
static dsc_database_status_t roll_back(dsc_session_t *session)
{
    dsc_failure_kind_t kind;

    session->member->planning = NOT_SET;
    return command(session, "ROLLBACK", &kind);
}

dsc_database_status_t dsc_change(dsc_session_t *session, const dsc_statement_t *statement,
                                 dsc_result_t **out)
{
    PGresult *rows = NULL;
    dsc_failure_kind_t kind;
    dsc_database_status_t status, ended;

    status = begin_once(session, &kind);
    if (kind == DSC_LOST_CONNECTION) {
        status = begin_once(session, &kind);
    }
    if (status != DSC_DATABASE_OK) {
        return status;
    }
    status = run_once(session, statement, &rows, &kind);
    if (status == DSC_DATABASE_OK) {
        status = command(session, "COMMIT", &kind);
    } else if (kind == DSC_FAILED_STATEMENT) {
        ended = roll_back(session);
        status = ended == DSC_DATABASE_OK ? status : ended;
    }
    return status == DSC_DATABASE_OK ? make_result(session, statement, rows, out) : status;
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
