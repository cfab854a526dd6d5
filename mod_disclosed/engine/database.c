#include "engine/database_parts.h"

#include "engine/conninfo.h"

#include <apr_strings.h>
#include <apr_thread_mutex.h>

/* PostgreSQL ends a statement by itself when this share of the timeout is over, in percent: by the
 * end of it, it has said so, or it is silent. */
#define SERVER_SHARE 95
/* A request that waits for a connection checks so often whether any statement has ended meanwhile;
 * a server that sends nothing for so long is silent. */
#define STALL apr_time_from_msec(500)

void dsc_database_log(dsc_database_t *database, int number, const char *text)
{
    if (database->config.log) {
        database->config.log(database->config.log_baton, number, text);
    }
}

void dsc_database_log_outage(dsc_database_t *database, const char *text)
{
    if (dsc_outage_may_log(&database->outage, dsc_monotonic_now())) {
        dsc_database_log(database, DSC_MESSAGE_OUTAGE, text);
    }
}

/* ---------------------------------------------------------------- connections */

/* How apr_dbd makes a connection, and ends it. Statements are run on the driver's own connection:
 * by apr_dbd all values would be varchar, SQL errors hidden or slept on, each value looked at three
 * times, and nothing would have a deadline. */
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
    /* Pages are read by index and mostly from memory: what a planner takes for a disk that seeks
     * would make it read small tables from end to end. */
    database->settings = apr_psprintf(
        own,
        "SET statement_timeout = %" APR_TIME_T_FMT "; SET TimeZone = 'UTC';"
        "SET DateStyle = 'ISO, YMD'; SET search_path = disclosed, public;"
        "SET default_transaction_read_only = on; SET jit = off; SET random_page_cost = 1.1;"
        " SET client_encoding = 'UTF8'; SET application_name = '%s'",
        apr_time_as_msec(config->statement_timeout * SERVER_SHARE / 100), config->application_name);
    if ((rv = apr_dbd_init(own)) != APR_SUCCESS ||
        (rv = apr_dbd_get_driver(own, "pgsql", &database->driver)) != APR_SUCCESS) {
        dsc_database_log(database, DSC_MESSAGE_NO_DRIVER, dsc_text_NO_DRIVER);
        return rv;
    }
    rv = apr_reslist_create(&database->connections, 0, config->maximum, config->maximum, 0,
                            member_create, member_destroy, database, own);
    if (rv == APR_SUCCESS) {
        database->share = dsc_fair_share_create(own, DSC_SHARE_LEAVES_ROOM, config->maximum,
                                                config->most_waiting_of_account);
        rv = database->share ? APR_SUCCESS : APR_ENOMEM;
    }
    if (rv == APR_SUCCESS && config->searches > 0) {
        database->searches = dsc_fair_share_create(own, DSC_SHARE_IN_TURNS, config->searches,
                                                   config->most_waiting_of_account);
        rv = database->searches ? APR_SUCCESS : APR_ENOMEM;
    }
    if (rv != APR_SUCCESS) {
        return rv;
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

/* Whether to make do with that member: unless it can't be connected just now, and there are members
 * that are connected, which are free or soon will be; half of the time is left for them. */
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

/* Whether too many wait for a database that seems to be silent: threads are left for what needs it
 * not. */
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

/* Waits until the account may have a place. */
static dsc_database_status_t take_share(dsc_database_t *database, dsc_fair_share_t *share,
                                        uint64_t account, apr_time_t end)
{
    wait_t wait = {database, 0};
    int is_surplus;
    if (dsc_fair_share_take(share, account, end, goes_on, &wait)) {
        return DSC_DATABASE_OK;
    }
    is_surplus = dsc_monotonic_now() < end;
    return goes_on(&wait) && !wait.was_silent &&
                   (is_surplus ? dsc_heard_silence(&database->heard) < STALL
                               : has_free_member(database))
               ? DSC_DATABASE_SHARED
               : DSC_DATABASE_UNAVAILABLE;
}

/* Whether the user is one of those that may not all search at the same time. */
static dsc_fair_share_t *searches_of(const dsc_database_t *database, dsc_session_user_t user)
{
    return user.searches ? database->searches : NULL;
}

static void give_shares(dsc_database_t *database, dsc_session_user_t user)
{
    dsc_fair_share_t *searches = searches_of(database, user);
    dsc_fair_share_give(database->share, user.account);
    if (searches) {
        dsc_fair_share_give(searches, user.account);
    }
}

/* Waits until the user may have a connection, and may search. */
static dsc_database_status_t take_shares(dsc_database_t *database, dsc_session_user_t user,
                                         apr_time_t end)
{
    dsc_fair_share_t *searches = searches_of(database, user);
    dsc_database_status_t status =
        searches ? take_share(database, searches, user.account, end) : DSC_DATABASE_OK;
    if (status != DSC_DATABASE_OK) {
        return status;
    }
    status = take_share(database, database->share, user.account, end);
    if (status != DSC_DATABASE_OK && searches) {
        dsc_fair_share_give(searches, user.account);
    }
    return status;
}

/* A member of the pool; NULL: none became free in time. The pool's order knows nothing of which are
 * connected, so those that can't be are kept out of it until one is found that is. */
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
                                          dsc_session_user_t user, apr_time_t deadline,
                                          dsc_session_t **result)
{
    dsc_session_t *session = apr_pcalloc(pool, sizeof(*session));
    apr_time_t end = dsc_monotonic_now() + database->config.acquire_timeout;
    dsc_database_status_t status;
    end = end < deadline ? end : deadline;
    dsc_heard_asking(&database->heard);
    database->waiting++;
    status = take_shares(database, user, end);
    session->member = status == DSC_DATABASE_OK ? take_member(database, end, deadline) : NULL;
    database->waiting--;
    if (!session->member) {
        if (status == DSC_DATABASE_OK) {
            give_shares(database, user);
            status = DSC_DATABASE_UNAVAILABLE;
        }
        database->timeouts++;
        if (status == DSC_DATABASE_UNAVAILABLE) {
            dsc_database_log_outage(database, "no connection became free in time: all are in use");
        }
        return status;
    }
    session->database = database;
    session->pool = pool;
    session->user = user;
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
        give_shares(session->database, session->user);
    }
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
