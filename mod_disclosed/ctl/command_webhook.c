/* disclosedctl webhook: webhook endpoints of accounts, and their deliveries. */
#include "ctl/webhook_request.h"

#include "loader/loader_value.h"

#include <apr_strings.h>
#include <string.h>

enum {
    OPTION_ACCOUNT = 1,
    OPTION_ENDPOINT,
    OPTION_ENDED,
    OPTION_SINCE,
    OPTION_SECRET_FILE,
    OPTION_OVERLAP,
    OPTION_LOST
};

static const apr_getopt_option_t own_options[] = {
    {"account", OPTION_ACCOUNT, 1, "list: only endpoints of that owner's account"},
    {"endpoint", OPTION_ENDPOINT, 1, "queue, replay: deliveries to that endpoint"},
    {"ended", OPTION_ENDED, 0, "queue: ended deliveries instead of pending ones"},
    {"since", OPTION_SINCE, 1,
     "replay: all that ended since that day (UTC), or date and time with a zone"},
    {"secret-file", OPTION_SECRET_FILE, 1, "rotate: the file of DisclosedSecretFile"},
    {"overlap", OPTION_OVERLAP, 1,
     "rotate: how long the old secret also signs, e.g. 90m, 24h, 7d [24h]"},
    {"lost", OPTION_LOST, 0, "rotate: the old secret cannot be opened any more; it ends now"},
    DSC_OPTION_ROW_LIMIT("50"),
    DSC_OPTION_ROW_END,
};

static const dsc_usage_t usage = {
    "webhook list | queue | attempts DELIVERY | replay DELIVERY | replay --endpoint ID --since TIME |"
    " disable ID | enable ID | rotate ID --secret-file FILE | remove ID",
    "list      lists webhook endpoints, never their signing secrets\n"
    "queue     lists pending deliveries, or with --ended those that have ended\n"
    "attempts  lists the attempts of a delivery\n"
    "replay    sends ended deliveries again, with the same message id and bytes and a new schedule\n"
    "          of attempts; receivers recognise by the id what they already have\n"
    "disable   stops sending to an endpoint; its pending deliveries are dropped\n"
    "enable    sends new events from now on, as if nothing had ever failed\n"
    "rotate    creates a new signing secret and prints it; the old one also signs during the overlap\n"
    "remove    removes an endpoint; its pending deliveries are dropped\n",
    own_options};

/* -------------------------------------------------------------------------- output */

/* What becomes of it, or became. */
static void print_state(PGresult *result, int row)
{
    if (strcmp(dsc_text_of(result, row, "sending"), "true") == 0) {
        fputs("being sent", stdout);
    } else {
        dsc_print_time(result, row, "next ", "next_attempt_at");
    }
    dsc_print_some(result, row, "", "outcome");
    dsc_print_time(result, row, " ", "ended_at");
}

static void print_delivery(PGresult *result, int row)
{
    printf("%6s  endpoint %s  %s %s  %s\n        %s attempts, ",
           dsc_text_of(result, row, "delivery_id"), dsc_text_of(result, row, "endpoint_id"),
           dsc_text_of(result, row, "topic"), dsc_text_of(result, row, "subject"),
           dsc_text_of(result, row, "message_id"), dsc_text_of(result, row, "attempts"));
    print_state(result, row);
    dsc_print_time(result, row, ", last ", "last_attempted_at");
    dsc_print_some(result, row, ": ", "last_status");
    dsc_print_some(result, row, ": ", "last_error");
    putchar('\n');
}

static void print_attempt(PGresult *result, int row)
{
    printf("%6s  %.19s  %6s ms", dsc_text_of(result, row, "attempt"),
           dsc_text_of(result, row, "attempted_at"), dsc_text_of(result, row, "duration_ms"));
    dsc_print_some(result, row, "  ", "status");
    dsc_print_some(result, row, "  ", "error");
    putchar('\n');
}

/* ------------------------------------------------------------------------- listing */

static int list_endpoints(dsc_context_t *context, dsc_connection_t *connection,
                          const dsc_webhook_request_t *request)
{
    const dsc_named_t named = {"SELECT FROM disclosed.account WHERE owner = $1",
                               "account has the name", request->account};
    static const char sql[] =
        "SELECT " DSC_WEBHOOK_COLUMNS " FROM disclosed.live_webhook_endpoint e"
        " JOIN disclosed.account a USING (account_id)"
        " WHERE $1::text IS NULL OR a.owner = $1 ORDER BY e.endpoint_id";

    return dsc_show_named_on(context, connection, &named, sql, 1, &request->account,
                             dsc_webhook_print);
}

#define DELIVERY_COLUMNS                                                                           \
    "SELECT d.delivery_id, d.endpoint_id, v.topic, v.subject, d.message_id,"                       \
    " d.attempts::bigint AS attempts, d.next_attempt_at,"                                          \
    " to_json(d.outcome IS NULL AND coalesce(d.claimed_until > now(), false)) AS sending,"         \
    " d.outcome, d.ended_at, t.status::bigint AS last_status, t.error AS last_error,"              \
    " t.at AS last_attempted_at, d.created_at"                                                     \
    " FROM disclosed.webhook_delivery d JOIN disclosed.webhook_event v USING (event_id)"           \
    " JOIN disclosed.live_webhook_endpoint e ON e.endpoint_id = d.endpoint_id"                     \
    " LEFT JOIN disclosed.webhook_attempt t"                                                       \
    "  ON t.delivery_id = d.delivery_id AND t.attempt = d.attempts"                                \
    " WHERE ($1::bigint IS NULL OR d.endpoint_id = $1::bigint)"

static int list_queue(dsc_context_t *context, dsc_connection_t *connection,
                      const dsc_webhook_request_t *request)
{
    const dsc_named_t named = {
        "SELECT FROM disclosed.live_webhook_endpoint WHERE endpoint_id = $1::bigint",
        "webhook endpoint has the id", request->endpoint};
    static const char waiting_sql[] =
        DELIVERY_COLUMNS " AND d.next_attempt_at IS NOT NULL ORDER BY d.delivery_id DESC LIMIT $2";
    static const char ended_sql[] = DELIVERY_COLUMNS
        " AND d.ended_at IS NOT NULL ORDER BY d.ended_at DESC, d.delivery_id DESC LIMIT $2";
    const char *parameters[] = {request->endpoint, request->limit};

    return dsc_show_named_on(context, connection, &named, request->ended ? ended_sql : waiting_sql,
                             2, parameters, print_delivery);
}

static int list_attempts(dsc_context_t *context, dsc_connection_t *connection,
                         const dsc_webhook_request_t *request)
{
    const dsc_named_t named = {
        "SELECT FROM disclosed.webhook_delivery d JOIN disclosed.live_webhook_endpoint e"
        " USING (endpoint_id) WHERE d.delivery_id = $1::bigint",
        "delivery has the id", request->id};
    static const char sql[] =
        "SELECT attempt::bigint AS attempt, at AS attempted_at, status::bigint AS status, error,"
        " duration_ms::bigint AS duration_ms FROM disclosed.webhook_attempt"
        " WHERE delivery_id = $1::bigint ORDER BY attempt";

    return dsc_show_named_on(context, connection, &named, sql, 1, &request->id, print_attempt);
}

/* -------------------------------------------------------------------------- command */

#define ALLOW(option) (1U << (option))

enum {
    BIT_LIMIT = 31 /* of DSC_OPTION_LIMIT, whose number is above those of the command's own */
};

typedef struct {
    const char *name;
    int least, most;  /* arguments beyond the name */
    unsigned options; /* that it takes */
    int (*run)(dsc_context_t *context, dsc_connection_t *connection,
               const dsc_webhook_request_t *request);
} dsc_webhook_action_t;

static const dsc_webhook_action_t actions[] = {
    {"list", 0, 0, ALLOW(OPTION_ACCOUNT), list_endpoints},
    {"queue", 0, 0, ALLOW(OPTION_ENDPOINT) | ALLOW(OPTION_ENDED) | ALLOW(BIT_LIMIT), list_queue},
    {"attempts", 1, 1, 0, list_attempts},
    {"replay", 0, 1, ALLOW(OPTION_ENDPOINT) | ALLOW(OPTION_SINCE), dsc_webhook_replay},
    {"disable", 1, 1, 0, dsc_webhook_disable},
    {"enable", 1, 1, 0, dsc_webhook_enable},
    {"rotate", 1, 1, ALLOW(OPTION_SECRET_FILE) | ALLOW(OPTION_OVERLAP) | ALLOW(OPTION_LOST),
     dsc_webhook_rotate},
    {"remove", 1, 1, 0, dsc_webhook_remove},
    {NULL, 0, 0, 0, NULL},
};

static int is_id(const char *text)
{
    long long number;

    return dsc_number_argument(text, 1, 1000000000000000000LL, &number);
}

/* A day begins at midnight, UTC. */
static const char *read_since(apr_pool_t *pool, dsc_webhook_request_t *request, const char *value)
{
    request->since = value;
    if (dsc_value_error(DSC_COLUMN_DATE, value) == NULL) {
        request->since = apr_pstrcat(pool, value, "T00:00:00Z", NULL);
        return NULL;
    }
    return dsc_value_error(DSC_COLUMN_DATETIME, value) == NULL
               ? NULL
               : "--since takes a date, or a date and time with a zone";
}

/* Takes one option; NULL, or what is wrong with its value. */
static const char *take_option(apr_pool_t *pool, dsc_webhook_request_t *request, int option,
                               const char *value)
{
    long long number;

    switch (option) {
    case OPTION_ACCOUNT:
        request->account = value;
        return dsc_text_is_utf8(value) ? NULL : "--account is not UTF-8";
    case OPTION_ENDPOINT:
        request->endpoint = value;
        return is_id(value) ? NULL : "--endpoint takes the id of a webhook endpoint";
    case OPTION_ENDED:
        request->ended = 1;
        return NULL;
    case OPTION_SINCE:
        return read_since(pool, request, value);
    case OPTION_SECRET_FILE:
        request->secret_file = value;
        return NULL;
    case OPTION_LOST:
        request->lost = 1;
        return NULL;
    case OPTION_OVERLAP:
        request->overlap = dsc_duration_argument(value);
        return request->overlap >= 0 ? NULL : "--overlap takes 0 to 7d, as 24h";
    default:
        request->limit = value;
        return dsc_number_argument(value, 1, 1000000000LL, &number)
                   ? NULL
                   : "--limit takes a number from 1 on";
    }
}

/* What is wrong with the command line as a whole, or NULL. */
static const char *request_error(apr_pool_t *pool, const dsc_webhook_action_t *action,
                                 const dsc_webhook_request_t *request, unsigned given)
{
    unsigned bit;

    for (bit = 0; bit <= BIT_LIMIT; bit++) {
        if ((given & ~action->options & ALLOW(bit)) != 0) {
            return apr_psprintf(pool, "webhook %s takes no --%s", action->name,
                                dsc_option_name(&usage,
                                                bit == BIT_LIMIT ? DSC_OPTION_LIMIT : (int)bit));
        }
    }
    if (request->id != NULL && !is_id(request->id)) {
        return apr_psprintf(pool, "webhook %s takes an id, a number: %s", action->name,
                            request->id);
    }
    if (action->run == dsc_webhook_rotate && request->secret_file == NULL) {
        return "webhook rotate needs --secret-file";
    }
    if (request->lost && (given & ALLOW(OPTION_OVERLAP)) != 0) {
        return "webhook rotate takes --overlap or --lost";
    }
    if (action->run == dsc_webhook_replay &&
        (request->id != NULL ? given != 0 : request->endpoint == NULL || request->since == NULL)) {
        return "webhook replay takes a delivery, or --endpoint and --since";
    }
    return NULL;
}

static int run_action(dsc_context_t *context, const dsc_webhook_action_t *action,
                      const dsc_webhook_request_t *request, unsigned given)
{
    const char *error = request_error(context->pool, action, request, given);
    dsc_connection_t *connection;
    int exit_code;

    if (error != NULL) {
        return dsc_usage_error(context, &usage, "%s", error);
    }
    exit_code = dsc_connect(context, context->pool, &connection);
    return exit_code == DSC_EXIT_OK ? action->run(context, connection, request) : exit_code;
}

int dsc_command_webhook(dsc_context_t *context, int argc, const char *const *argv)
{
    dsc_webhook_request_t request = {.limit = "50", .overlap = 86400};
    const dsc_webhook_action_t *action = actions;
    const char *value, *const *arguments;
    dsc_options_t options;
    unsigned given = 0;
    int option, count;

    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        const char *error = take_option(context->pool, &request, option, value);
        if (error != NULL) {
            return dsc_usage_error(context, &usage, "%s: %s", error, value);
        }
        given |= ALLOW(option == DSC_OPTION_LIMIT ? BIT_LIMIT : option);
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    count = dsc_options_rest(&options, &arguments) - 1;
    while (count >= 0 && action->name != NULL && strcmp(action->name, arguments[0]) != 0) {
        action++;
    }
    if (count < 0 || action->name == NULL || count < action->least || count > action->most) {
        return dsc_words_error(context, &usage, count + 1, arguments,
                               "what is to be done with which webhook?");
    }
    request.id = count > 0 ? arguments[1] : NULL;
    return run_action(context, action, &request, given);
}
