#include "engine/database_parts.h"
#include "engine/result.h"

#include <apr_strings.h>

/* A row of more bytes is large: libpq's buffer grows by doubling until it holds the row, and stays
 * as large. */
#define LARGE_ROW ((size_t)1 << 19)

/* Logs what is neither a passing failure nor the client's. */
static void log_failure(dsc_session_t *session, const char *sql, const dsc_failure_t *failure)
{
    if (failure->status == DSC_DATABASE_UNAVAILABLE) {
        if (failure->kind == DSC_FAILED_STATEMENT && failure->result) { /* short of something */
            dsc_connection_log(session->member->connection);
        }
    } else {
        int late = failure->status == DSC_DATABASE_TIMEOUT;
        dsc_database_log(session->database, late ? DSC_MESSAGE_TIMED_OUT : DSC_MESSAGE_REFUSED,
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

/* Finds out at the first statement of a connection whether to read shards
 * (sql/0068_distributed.sql): if the database has some. A replica of the coordinator has all tables
 * of an instant, and workers the shards of another. */
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
    dsc_database_log(session->database, DSC_MESSAGE_REFUSED,
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
            dsc_database_log_outage(session->database, "a new connection was lost at once");
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

/* A server that is (now) a standby refuses to write: the connection is given up, because the next
 * may be to its successor. */
static dsc_database_status_t begin_once(dsc_session_t *session, dsc_failure_kind_t *kind)
{
    dsc_connection_t *connection = session->member->connection;
    const dsc_failure_t *failure = dsc_connection_failure(connection);

    *kind = DSC_FAILED_STATEMENT;
    if (dsc_connection_ready(connection) && dsc_run_command(connection, "BEGIN READ WRITE")) {
        return DSC_DATABASE_OK;
    }
    if (failure->status == DSC_DATABASE_ERROR) {
        dsc_database_log_outage(session->database, failure->message);
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
