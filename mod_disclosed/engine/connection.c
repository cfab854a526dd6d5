#include "engine/connection.h"

#include "engine/cancel.h"

#include <apr_strings.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

/* Sending a request to cancel may take so long. */
#define CANCEL_LIMIT apr_time_from_sec(1)
/* What is cancelled because it is due has so long to end. */
#define FAREWELL apr_time_from_sec(3)
/* A request to cancel may come before the statement does, so it is repeated. */
#define AGAIN apr_time_from_msec(200)
#define TICK  apr_time_from_sec(1)
/* So often somebody is asked who may know that the server is silent. */
#define DOUBT apr_time_from_msec(100)
/* A statement that was sent so shortly before the end, as a share of the limit, does not show
 * whether a server that has not responded is silent. */
#define SHORT_SHARE 4
/* The server is looked after when it has been silent for so long, and again so soon after a
 * miss. */
#define ASK_INTERVAL  apr_time_from_sec(10)
#define MISS_INTERVAL apr_time_from_sec(3)
#define MOST_MISSES   3

struct dsc_connection_t {
    dsc_connection_config_t config;
    PGconn *link; /* NULL: closed */
    apr_time_t deadline;
    apr_time_t answered_at;
    dsc_failure_t failure;
    PGresult *failed;
    char text[4096]; /* what failure.message points to */
};

/* A statement that is under way. */
typedef struct {
    apr_time_t sent_at, end, doubt_at, ask_at, cancel_at;
    int misses, is_due, is_broken, has_begun;
    const char *silence; /* why it is given up; NULL: it is not */
} exchange_t;

/* ------------------------------------------------------------------- failures */

static void set_failure(dsc_connection_t *connection, dsc_failure_kind_t kind,
                        dsc_database_status_t status, const char *message)
{
    size_t length;
    char *tab;

    snprintf(connection->text, sizeof(connection->text), "%s", message);
    for (tab = connection->text; (tab = strchr(tab, '\t')) != NULL;) { /* libpq indents by them */
        *tab = ' ';
    }
    length = strlen(connection->text);
    while (length > 0 && strchr("\n ", connection->text[length - 1]) != NULL) {
        connection->text[--length] = '\0';
    }
    connection->failure = (dsc_failure_t){kind, status, connection->text, NULL, 0, 0};
}

static void forget_failure(dsc_connection_t *connection)
{
    PQclear(connection->failed);
    connection->failed = NULL;
    connection->failure.result = NULL;
    connection->failure.kind = DSC_FAILED_STATEMENT;
}

void dsc_connection_log(dsc_connection_t *connection)
{
    const dsc_connection_config_t *config = &connection->config;

    if (config->log != NULL &&
        (config->outage == NULL || dsc_outage_may_log(config->outage, dsc_monotonic_now()))) {
        config->log(config->log_baton, config->outage_number, connection->failure.message);
    }
}

/* What libpq says of a connection that broke. */
static void note_broken(dsc_connection_t *connection)
{
    set_failure(connection, DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE,
                PQerrorMessage(connection->link));
    dsc_connection_close(connection);
}

/* What the server says of a statement; of one that it does not permit, whom. */
static void set_refusal(dsc_connection_t *connection, const dsc_sqlstate_t *meaning,
                        const PGresult *failed)
{
    const char *state = PQresultErrorField(failed, PG_DIAG_SQLSTATE);
    const char *message = PQresultErrorMessage(failed);
    char text[sizeof(connection->text)];

    if (state != NULL && strcmp(state, "42501") == 0) {
        snprintf(text, sizeof(text), "%.*s, as %s", (int)strcspn(message, "\n"), message,
                 PQuser(connection->link));
        message = text;
    }
    set_failure(connection, meaning->kind, meaning->status, message);
}

/* Keeps what the server has sent as an error, and closes a connection that broke over it. */
static void note_failed(dsc_connection_t *connection, PGresult *failed)
{
    const char *state = PQresultErrorField(failed, PG_DIAG_SQLSTATE);
    int is_broken = PQstatus(connection->link) != CONNECTION_OK;
    const dsc_sqlstate_t *meaning = dsc_sqlstate_find(is_broken ? NULL : state);

    set_refusal(connection, meaning, failed);
    connection->failed = failed;
    connection->failure.result = failed;
    if (is_broken) {
        dsc_connection_close(connection);
    }
}

/* The server has not responded: asks it to cancel, and closes the connection whatever it says. */
static void give_up(dsc_connection_t *connection, const exchange_t *exchange)
{
    apr_interval_time_t waited;
    char text[256];

    (void)dsc_cancel(connection->link, connection->config.leaves_cancel ? 0 : CANCEL_LIMIT);
    waited = dsc_monotonic_now() - exchange->sent_at;
    snprintf(text, sizeof(text), "%s: gave up a statement after %.1f s, and its connection",
             exchange->silence, (double)waited / APR_USEC_PER_SEC);
    set_failure(connection, DSC_SILENT_SERVER, DSC_DATABASE_UNAVAILABLE, text);
    connection->failure.waited = waited;
    connection->failure.has_begun = exchange->has_begun;
    if (connection->config.outage != NULL && waited >= connection->config.limit / SHORT_SHARE) {
        dsc_outage_distrust(connection->config.outage, exchange->sent_at);
    }
    dsc_connection_log(connection);
    dsc_connection_close(connection);
}

const dsc_failure_t *dsc_connection_failure(const dsc_connection_t *connection)
{
    return &connection->failure;
}

/* -------------------------------------------------------------------- waiting */

/* When what begins now has to have ended. */
static apr_time_t end_of(const dsc_connection_t *connection, apr_time_t now)
{
    return connection->deadline != 0 ? connection->deadline : now + connection->config.limit;
}

static void begin(const dsc_connection_t *connection, exchange_t *exchange)
{
    memset(exchange, 0, sizeof(*exchange));
    exchange->sent_at = dsc_monotonic_now();
    exchange->end = end_of(connection, exchange->sent_at);
    exchange->doubt_at = exchange->sent_at + (exchange->end - exchange->sent_at) / 2;
    exchange->ask_at = exchange->sent_at + ASK_INTERVAL;
}

/* Cancels what has become due; it has until FAREWELL to end. */
static void cancel_due(dsc_connection_t *connection, exchange_t *exchange, apr_time_t now)
{
    if (!exchange->is_due) {
        exchange->is_due = 1;
        exchange->end = exchange->end < now + FAREWELL ? exchange->end : now + FAREWELL;
    }
    if (now >= exchange->cancel_at) {
        (void)dsc_cancel(connection->link, CANCEL_LIMIT);
        exchange->cancel_at = dsc_monotonic_now() + AGAIN;
    }
}

/* A statement may take hours while its connection is dead: new connections show whether the server
 * is. */
static void ask_server(dsc_connection_t *connection, exchange_t *exchange)
{
    if (PQping(connection->config.conninfo) == PQPING_NO_RESPONSE) {
        exchange->misses++;
        exchange->ask_at = dsc_monotonic_now() + MISS_INTERVAL;
    } else {
        exchange->misses = 0;
        exchange->ask_at = dsc_monotonic_now() + ASK_INTERVAL;
    }
    if (exchange->misses == MOST_MISSES) {
        exchange->silence = "PostgreSQL can no longer be reached";
    }
}

/* Whether somebody else knows that the server is silent, and it has had its half of the time. */
static int is_doubtful(const dsc_connection_t *connection, const exchange_t *exchange,
                       apr_time_t now)
{
    const dsc_connection_config_t *config = &connection->config;

    return config->is_silent != NULL && now >= exchange->doubt_at &&
           config->is_silent(config->silence_baton);
}

/* For how long to poll at most. */
static int poll_time(const dsc_connection_t *connection, const exchange_t *exchange, apr_time_t now)
{
    apr_interval_time_t left = exchange->end - now, slice = exchange->is_due ? AGAIN : TICK;

    if (connection->config.is_silent != NULL) {
        slice = DOUBT;
    }

    return (int)apr_time_as_msec((left < slice ? left : slice) + 999);
}

/* Waits until the connection is ready for `events`, at most a second; 0 when the time is over. */
static int await(dsc_connection_t *connection, exchange_t *exchange, short events)
{
    const dsc_waiting_t *waiting = connection->config.waiting;
    struct pollfd descriptors[2] = {{PQsocket(connection->link), events, 0}, {-1, POLLIN, 0}};
    apr_time_t now = dsc_monotonic_now();
    int happened;

    if (waiting != NULL) {
        descriptors[1].fd = waiting->descriptor(waiting->baton);
        if (waiting->is_due(waiting->baton)) {
            cancel_due(connection, exchange, now);
        }
    }
    if (now >= exchange->end) {
        exchange->silence = exchange->is_due ? "PostgreSQL has not taken the request to cancel"
                                             : "PostgreSQL has not responded in time";
        return 0;
    }
    if (is_doubtful(connection, exchange, now)) {
        exchange->silence = "PostgreSQL is silent, on other connections as well";
        return 0;
    }
    happened = poll(descriptors, waiting != NULL ? 2 : 1, poll_time(connection, exchange, now));
    exchange->has_begun |= happened > 0 && (descriptors[0].revents & POLLIN) != 0;
    if (happened == 0 && !exchange->is_due) {
        if (waiting != NULL && waiting->tick != NULL) {
            waiting->tick(waiting->baton);
        }
        if (connection->config.asks_server && dsc_monotonic_now() >= exchange->ask_at) {
            ask_server(connection, exchange);
        }
    }
    return exchange->silence == NULL;
}

/* Sends what is still unsent; 0 when the time is over. */
static int flush_output(dsc_connection_t *connection, exchange_t *exchange)
{
    while (PQflush(connection->link) == 1) {
        if (!await(connection, exchange, POLLIN | POLLOUT)) {
            return 0;
        }
        if (!PQconsumeInput(connection->link)) {
            exchange->is_broken = 1;
            break;
        }
    }
    return 1;
}

/* The next result; NULL after the last, when the time is over (exchange->silence), and when the
 * connection broke (exchange->is_broken). */
static PGresult *next_result(dsc_connection_t *connection, exchange_t *exchange)
{
    while (PQisBusy(connection->link)) {
        if (exchange->is_broken || !await(connection, exchange, POLLIN)) {
            return NULL;
        }
        exchange->is_broken = !PQconsumeInput(connection->link);
    }
    return PQgetResult(connection->link);
}

static int is_good(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY ||
           status == PGRES_COPY_IN;
}

/* The first error, or the last result; at a COPY, its beginning. NULL: nothing came, in time or at
 * all. */
static PGresult *last_result(dsc_connection_t *connection, exchange_t *exchange)
{
    PGresult *last = NULL, *next;

    while ((next = next_result(connection, exchange)) != NULL) {
        if (last != NULL && !is_good(last)) {
            PQclear(next);
            continue;
        }
        PQclear(last);
        last = next;
        if (PQresultStatus(last) == PGRES_COPY_IN) {
            break;
        }
    }
    return last;
}

/* Waits for the end of what was sent. */
static PGresult *collect(dsc_connection_t *connection, exchange_t *exchange)
{
    PGresult *last = flush_output(connection, exchange) ? last_result(connection, exchange) : NULL;

    if (exchange->silence != NULL) {
        PQclear(last);
        give_up(connection, exchange);
        return NULL;
    }
    if (last == NULL || (exchange->is_broken && is_good(last))) {
        note_broken(connection);
        PQclear(last);
        return NULL;
    }
    if (!is_good(last)) { /* which may be why the server has closed the connection */
        note_failed(connection, last);
        return NULL;
    }
    connection->answered_at = dsc_monotonic_now();
    return last;
}

/* ----------------------------------------------------------------- connections */

static apr_status_t connection_cleanup(void *data)
{
    dsc_connection_t *connection = data;

    dsc_connection_close(connection);
    forget_failure(connection);
    return APR_SUCCESS;
}

dsc_connection_t *dsc_connection_create(apr_pool_t *pool, const dsc_connection_config_t *config)
{
    dsc_connection_t *connection = apr_pcalloc(pool, sizeof(*connection));

    connection->config = *config;
    set_failure(connection, DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE, "not connected");
    apr_pool_cleanup_register(pool, connection, connection_cleanup, apr_pool_cleanup_null);
    return connection;
}

void dsc_connection_close(dsc_connection_t *connection)
{
    PGconn *link = connection->link;

    connection->link = NULL;
    if (link != NULL && connection->config.unmake != NULL) {
        connection->config.unmake(connection->config.baton, link);
    } else {
        PQfinish(link);
    }
}

int dsc_connection_is_open(const dsc_connection_t *connection)
{
    return connection->link != NULL;
}

static void drop_notice(void *baton, const PGresult *result)
{
    (void)baton;
    (void)result; /* "relation exists, skipping": what is wrong comes as an error */
}

/* Until when to connect: if others may be asked instead, half of the time is left for them. */
static apr_time_t connect_deadline(const dsc_connection_t *connection)
{
    apr_time_t now = dsc_monotonic_now(), end = end_of(connection, now);

    return connection->config.is_silent != NULL ? now + (end - now) / 2 : end;
}

/* Connects; 0 with the failure noted. libpq keeps to the string's connect_timeout for each
 * address. */
static int connect_link(dsc_connection_t *connection)
{
    const dsc_connection_config_t *config = &connection->config;
    const char *reason = "not enough memory";
    PGconn *link = config->make != NULL
                       ? config->make(config->baton, connect_deadline(connection), &reason)
                       : PQconnectdb(config->conninfo);

    if (config->make == NULL && link != NULL && PQstatus(link) != CONNECTION_OK) {
        set_failure(connection, DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE,
                    PQerrorMessage(link));
        PQfinish(link);
        return 0;
    }
    if (link == NULL) {
        set_failure(connection, DSC_LOST_CONNECTION, DSC_DATABASE_UNAVAILABLE, reason);
        return 0;
    }
    (void)PQsetnonblocking(link, 1);
    (void)PQsetErrorVerbosity(link, config->verbose ? PQERRORS_VERBOSE : PQERRORS_DEFAULT);
    (void)PQsetNoticeReceiver(link, drop_notice, NULL);
    connection->link = link;
    return 1;
}

static int open_connection(dsc_connection_t *connection)
{
    dsc_outage_t *outage = connection->config.outage;
    const char *settings = connection->config.settings;
    apr_time_t began = dsc_monotonic_now();

    if (outage != NULL && !dsc_outage_may_connect(outage, began)) {
        set_failure(connection, DSC_FAILED_STATEMENT, DSC_DATABASE_UNAVAILABLE,
                    "PostgreSQL could not be reached just now");
        return 0;
    }
    forget_failure(connection);
    if (connect_link(connection) && (settings == NULL || dsc_run_command(connection, settings))) {
        connection->answered_at = dsc_monotonic_now();
        if (outage != NULL) {
            dsc_outage_over(outage, connection->answered_at);
        }
        return 1;
    }
    connection->failure.kind = DSC_FAILED_STATEMENT; /* nothing was lost */
    connection->failure.status = DSC_DATABASE_UNAVAILABLE;
    dsc_connection_close(connection);
    if (outage != NULL) {
        dsc_outage_failed(outage, began, dsc_monotonic_now());
    }
    dsc_connection_log(connection);
    return 0;
}

int dsc_connection_ready(dsc_connection_t *connection)
{
    const dsc_outage_t *outage = connection->config.outage;

    if (connection->link != NULL && outage != NULL &&
        !dsc_outage_trusts(outage, connection->answered_at)) {
        dsc_connection_close(connection);
    }
    return connection->link != NULL || open_connection(connection);
}

void dsc_connection_deadline(dsc_connection_t *connection, apr_time_t deadline)
{
    connection->deadline = deadline;
}

void dsc_connection_limit(dsc_connection_t *connection, apr_interval_time_t limit)
{
    connection->config.limit = limit;
}

int dsc_connection_in_transaction(const dsc_connection_t *connection)
{
    return connection->link != NULL && PQtransactionStatus(connection->link) == PQTRANS_INTRANS;
}

const char *dsc_quote_literal(apr_pool_t *pool, dsc_connection_t *connection, const char *text)
{
    char *literal = PQescapeLiteral(connection->link, text, strlen(text));
    const char *quoted = apr_pstrdup(pool, literal != NULL ? literal : "''");

    PQfreemem(literal);
    return quoted;
}

dsc_listen_t dsc_connection_listen(dsc_connection_t *connection, const int descriptors[2],
                                   int milliseconds)
{
    struct pollfd awaited[] = {{PQsocket(connection->link), POLLIN, 0},
                               {descriptors[0], POLLIN, 0},
                               {descriptors[1], POLLIN, 0}};
    dsc_listen_t heard = DSC_LISTEN_QUIET;
    PGnotify *notice;

    (void)poll(awaited, sizeof(awaited) / sizeof(awaited[0]), milliseconds);
    if (!PQconsumeInput(connection->link)) {
        note_broken(connection);
        return DSC_LISTEN_BROKEN;
    }
    while ((notice = PQnotifies(connection->link)) != NULL) {
        PQfreemem(notice);
        heard = DSC_LISTEN_NOTIFIED;
    }
    return heard;
}

/* ------------------------------------------------------------------ statements */

/* Whether a statement may still be sent. One that nobody waits for would be given up at once, and a
 * good connection with it; that is left alone, unless it is in the middle of something. */
static int has_time(dsc_connection_t *connection)
{
    if (connection->deadline == 0 || dsc_monotonic_now() < connection->deadline) {
        return 1;
    }
    set_failure(connection, DSC_FAILED_STATEMENT, DSC_DATABASE_UNAVAILABLE,
                "the time for statements was over");
    if (PQtransactionStatus(connection->link) != PQTRANS_IDLE) {
        dsc_connection_close(connection);
    }
    return 0;
}

/* Each statement begins with this: what went wrong before is over. 0 if there is no connection, or
 * no time. */
static int begin_statement(dsc_connection_t *connection, exchange_t *exchange)
{
    if (connection->link == NULL) {
        return 0;
    }
    forget_failure(connection);
    if (!has_time(connection)) {
        return 0;
    }
    begin(connection, exchange);
    return 1;
}

static PGresult *end_statement(dsc_connection_t *connection, exchange_t *exchange, int is_sent)
{
    if (!is_sent) {
        note_broken(connection);
        return NULL;
    }
    return collect(connection, exchange);
}

PGresult *dsc_run(dsc_connection_t *connection, const char *sql, int count,
                  const char *const *values)
{
    return dsc_run_in(connection, sql, count, values, DSC_FORMAT_TEXT);
}

PGresult *dsc_run_in(dsc_connection_t *connection, const char *sql, int count,
                     const char *const *values, dsc_format_t format)
{
    exchange_t exchange;

    return begin_statement(connection, &exchange)
               ? end_statement(connection, &exchange,
                               PQsendQueryParams(connection->link, sql, count, NULL, values, NULL,
                                                 NULL, format))
               : NULL;
}

PGresult *dsc_run_script(dsc_connection_t *connection, const char *sql)
{
    exchange_t exchange;

    return begin_statement(connection, &exchange)
               ? end_statement(connection, &exchange, PQsendQuery(connection->link, sql))
               : NULL;
}

PGresult *dsc_run_prepared(dsc_connection_t *connection, const char *name, int count,
                           const char *const *values, dsc_format_t format)
{
    exchange_t exchange;

    return begin_statement(connection, &exchange)
               ? end_statement(connection, &exchange,
                               PQsendQueryPrepared(connection->link, name, count, values, NULL,
                                                   NULL, format))
               : NULL;
}

static int ends_well(PGresult *result)
{
    int good = result != NULL;

    PQclear(result);
    return good;
}

int dsc_prepare(dsc_connection_t *connection, const char *name, const char *sql)
{
    exchange_t exchange;

    return begin_statement(connection, &exchange) &&
           ends_well(end_statement(connection, &exchange,
                                   PQsendPrepare(connection->link, name, sql, 0, NULL)));
}

int dsc_run_command(dsc_connection_t *connection, const char *sql)
{
    return ends_well(dsc_run_script(connection, sql));
}

/* Sends the data of a COPY that has begun, in one piece. */
static int send_copy(dsc_connection_t *connection, exchange_t *exchange, const char *data,
                     size_t length)
{
    int taken;

    while ((taken = PQputCopyData(connection->link, data, (int)length)) == 0) {
        if (!await(connection, exchange, POLLOUT)) {
            return 1; /* collect() sees why */
        }
    }
    while (taken == 1 && (taken = PQputCopyEnd(connection->link, NULL)) == 0) {
        if (!await(connection, exchange, POLLOUT)) {
            return 1;
        }
    }
    return taken == 1;
}

int dsc_copy(dsc_connection_t *connection, const char *sql, const char *data, size_t length)
{
    PGresult *begun = dsc_run_script(connection, sql);
    exchange_t exchange;

    if (!ends_well(begun) || !begin_statement(connection, &exchange)) {
        return 0;
    }
    return ends_well(
        end_statement(connection, &exchange, send_copy(connection, &exchange, data, length)));
}
