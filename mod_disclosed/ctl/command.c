/* What the commands of disclosedctl share: options, the connection, messages. */
#include "ctl/command.h"

#include "engine/interrupt.h"
#include "engine/json_writer.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_user.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_HELP = 1001,
    OPTION_DATABASE,
    OPTION_JSON
};

static const apr_getopt_option_t common_options[] = {
    {"database", OPTION_DATABASE, 1,
     "libpq connection string [$DISCLOSED_DATABASE or dbname=disclosed]"},
    {"json", OPTION_JSON, 0, "print JSON"},
    {"help", OPTION_HELP, 0, "print this help"},
    DSC_OPTION_ROW_END,
};

/* ------------------------------------------------------------------------ messages */

static void tell(const dsc_context_t *context, const char *format, va_list arguments)
{
    fprintf(stderr, "%s: ", context->program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void dsc_tell(const dsc_context_t *context, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell(context, format, arguments);
    va_end(arguments);
}

int dsc_usage_fault(const dsc_context_t *context, const dsc_usage_t *usage, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell(context, format, arguments);
    va_end(arguments);
    fprintf(stderr, "usage: %s %s\n", context->program, usage->synopsis);
    fprintf(stderr, "More: %s %.*s --help\n", context->program, (int)strcspn(usage->synopsis, " "),
            usage->synopsis);
    return DSC_EXIT_USAGE;
}

/* ------------------------------------------------------------------------- options */

static void print_options(const apr_getopt_option_t *option)
{
    char name[64];

    for (; option != NULL && option->optch != 0; option++) {
        snprintf(name, sizeof(name), "--%s%s", option->name, option->has_arg ? " VALUE" : "");
        printf("  %-22s %s\n", name, option->description);
    }
}

static void print_help(const dsc_options_t *options)
{
    printf("usage: %s %s\n\n%s\nOptions:\n", options->context->program, options->usage->synopsis,
           options->usage->text);
    print_options(options->usage->options);
    print_options(common_options);
}

void dsc_options_begin(dsc_options_t *options, dsc_context_t *context, const dsc_usage_t *usage,
                       int argc, const char *const *argv)
{
    memset(options, 0, sizeof(*options));
    options->context = context;
    options->usage = usage;
    options->argc = argc;
    options->argv = argv;
    options->at = 1;
    options->rest = apr_palloc(context->pool, sizeof(*options->rest) * (size_t)(argc + 1));
}

/* The option of the given name, `length` long, in either table; NULL where there is none. */
static const apr_getopt_option_t *find_option(const dsc_usage_t *usage, const char *name,
                                              size_t length)
{
    const apr_getopt_option_t *const tables[] = {usage->options, common_options};
    const apr_getopt_option_t *option;
    int i;

    for (i = 0; i < 2; i++) {
        for (option = tables[i]; option != NULL && option->optch != 0; option++) {
            if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) {
                return option;
            }
        }
    }
    return NULL;
}

const char *dsc_option_name(const dsc_usage_t *usage, int option)
{
    const apr_getopt_option_t *row = usage->options;

    while (row->optch != option) {
        row++;
    }
    return row->name;
}

static int stop(dsc_options_t *options, int exit_code)
{
    options->exit_code = exit_code;
    return DSC_OPTIONS_STOP;
}

/* Reads the option at the walk's place with its value. */
static int read_option(dsc_options_t *options, const char **value)
{
    const char *text = options->argv[options->at++], *name = text + 2;
    size_t length = strcspn(name, "=");
    const apr_getopt_option_t *option =
        text[1] == '-' ? find_option(options->usage, name, length) : NULL;

    if (option == NULL) {
        return stop(options,
                    dsc_usage_fault(options->context, options->usage, "no option %s", text));
    }
    *value = name[length] == '=' ? name + length + 1 : NULL;
    if (!option->has_arg && *value != NULL) {
        return stop(options, dsc_usage_fault(options->context, options->usage,
                                             "--%s takes no value", option->name));
    }
    if (option->has_arg && *value == NULL) {
        if (options->at == options->argc) {
            return stop(options, dsc_usage_fault(options->context, options->usage,
                                                 "--%s needs a value", option->name));
        }
        *value = options->argv[options->at++];
    }
    return option->optch;
}

/* Deals with an option that every command has; the same number where it is the command's own. */
static int take_common(dsc_options_t *options, int option, const char *value)
{
    if (option == OPTION_DATABASE) {
        options->context->database = value;
    } else if (option == OPTION_JSON) {
        options->context->json = 1;
    } else if (option == OPTION_HELP) {
        print_help(options);
        return stop(options, DSC_EXIT_OK);
    } else {
        return option;
    }
    return DSC_OPTIONS_END;
}

int dsc_options_next(dsc_options_t *options, const char **value)
{
    int option = DSC_OPTIONS_END;

    while (option == DSC_OPTIONS_END && options->at < options->argc) {
        const char *text = options->argv[options->at];

        if (text[0] != '-' || text[1] == '\0') { /* "-" is standard input */
            options->rest[options->rest_count++] = text;
            options->at++;
        } else if (strcmp(text, "--") == 0) {
            for (options->at++; options->at < options->argc; options->at++) {
                options->rest[options->rest_count++] = options->argv[options->at];
            }
        } else {
            option = read_option(options, value);
            option = option > 0 ? take_common(options, option, *value) : option;
        }
    }
    return option;
}

int dsc_options_rest(const dsc_options_t *options, const char *const **arguments)
{
    *arguments = options->rest;
    return options->rest_count;
}

int dsc_number_argument(const char *text, long long least, long long most, long long *number)
{
    char *end;
    long long value = strtoll(text, &end, 10);

    if (*text == '\0' || *end != '\0' || strspn(text, "+-0123456789") != strlen(text) ||
        value < least || value > most) {
        return 0;
    }
    *number = value;
    return 1;
}

long long dsc_duration_argument(const char *text)
{
    static const char units[] = "smhd";
    static const long long seconds[] = {1, 60, 3600, 86400};
    static const long long most = 7 * 86400LL;
    char *end;
    long long count = strtoll(text, &end, 10);
    const char *unit = *end == '\0' ? NULL : strchr(units, *end);

    if (!apr_isdigit(*text) || count > most || (*end == '\0' && count != 0) ||
        (*end != '\0' && (unit == NULL || end[1] != '\0'))) {
        return -1;
    }
    count = unit == NULL ? 0 : count * seconds[unit - units];
    return count > most ? -1 : count;
}

/* ---------------------------------------------------------------------- connection */

static apr_status_t close_connection(void *connection)
{
    PQfinish(connection);
    return APR_SUCCESS;
}

static void drop_notice(void *baton, const PGresult *result)
{
    (void)baton;
    (void)result; /* "relation exists, skipping": what is wrong comes as an error */
}

/* The caller's own words in the string, such as application_name, count: ours come first. A server
 * that has gone is noticed within a minute. */
static PGconn *open_connection(const char *database)
{
    static const char *const names[] = {
        "fallback_application_name", "client_encoding",  "connect_timeout", "keepalives_idle",
        "keepalives_interval",       "keepalives_count", "dbname",          NULL};
    const char *values[] = {"disclosedctl", "UTF8", "10", "30", "10", "3", database, NULL};

    return PQconnectdbParams(names, values, 1);
}

static int run_settings(PGconn *connection)
{
    PGresult *result =
        PQexec(connection, "SET search_path = disclosed, public; SET TimeZone = 'UTC';"
                           " SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres';"
                           " SET standard_conforming_strings = on; SET work_mem = '64MB';"
                           " SET jit = off");
    int good = PQresultStatus(result) == PGRES_COMMAND_OK;

    PQclear(result);
    return good;
}

/* Has the server notice a client that has gone (kill -9, a lost host) while it works for it, so that
 * its locks go, too. Some versions and systems cannot: then it notices at the end of the statement. */
static void watch_client(PGconn *connection)
{
    static const char *const settings[] = {
        "SET client_connection_check_interval = '1s'",
        "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3",
    };

    for (int i = 0; i < 2; i++) {
        PQclear(PQexec(connection, settings[i]));
    }
}

/* Tells the audit tables who uses the role. */
static int name_actor(PGconn *connection, apr_pool_t *pool)
{
    apr_uid_t user;
    apr_gid_t group;
    char *name;
    const char *parameters[] = {""};
    PGresult *result;
    int good;

    if (apr_uid_current(&user, &group, pool) == APR_SUCCESS &&
        apr_uid_name_get(&name, user, pool) == APR_SUCCESS) {
        parameters[0] = name;
    }
    result = PQexecParams(connection, "SELECT set_config('disclosed.actor', $1, false)", 1, NULL,
                          parameters, NULL, NULL, 0);
    good = PQresultStatus(result) == PGRES_TUPLES_OK;
    PQclear(result);
    return good;
}

/* libpq ends each line of a message with a line feed. */
static const char *first_lines(apr_pool_t *pool, const char *message)
{
    size_t length = strlen(message);

    while (length > 0 && message[length - 1] == '\n') {
        length--;
    }
    return apr_pstrmemdup(pool, message, length);
}

PGconn *dsc_try_connect(const dsc_context_t *context, apr_pool_t *pool, const char **reason)
{
    PGconn *made = open_connection(context->database);

    if (made == NULL || PQstatus(made) != CONNECTION_OK || !run_settings(made) ||
        !name_actor(made, pool)) {
        *reason = made == NULL ? "not enough memory" : first_lines(pool, PQerrorMessage(made));
        PQfinish(made);
        return NULL;
    }
    PQsetNoticeReceiver(made, drop_notice, NULL);
    watch_client(made);
    apr_pool_cleanup_register(pool, made, close_connection, apr_pool_cleanup_null);
    return made;
}

int dsc_connect(const dsc_context_t *context, apr_pool_t *pool, PGconn **connection)
{
    const char *reason;

    *connection = dsc_try_connect(context, pool, &reason);
    if (*connection == NULL) {
        dsc_tell(context, "no database: %s", reason);
        return DSC_EXIT_UNAVAILABLE;
    }
    return DSC_EXIT_OK;
}

/* -------------------------------------------------------------------------- queries */

PGresult *dsc_query(const dsc_context_t *context, PGconn *connection, const char *sql, int count,
                    const char *const *parameters)
{
    PGresult *result = dsc_exec_params(connection, sql, count, parameters);
    ExecStatusType status = PQresultStatus(result);

    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
        return result;
    }
    dsc_tell(context, "%s",
             dsc_interrupt_is_due() ? dsc_interrupt_text()
                                    : first_lines(context->pool, PQerrorMessage(connection)));
    PQclear(result);
    return NULL;
}

static void append_value(dsc_buffer_t *json, PGresult *result, int row, int column)
{
    enum {
        TYPE_BIGINT = 20,
        TYPE_JSON = 114,
        TYPE_TIMESTAMPTZ = 1184
    }; /* their numbers in pg_type */
    const char *text = PQgetvalue(result, row, column);

    if (PQgetisnull(result, row, column)) {
        dsc_buffer_append_text(json, "null");
    } else if (PQftype(result, column) == TYPE_BIGINT || PQftype(result, column) == TYPE_JSON) {
        dsc_buffer_append_text(json, text);
    } else if (PQftype(result, column) == TYPE_TIMESTAMPTZ) {
        dsc_json_datetime(json, text);
    } else {
        dsc_json_text(json, text);
    }
}

void dsc_append_members(dsc_buffer_t *json, PGresult *result, int row)
{
    int column;

    for (column = 0; column < PQnfields(result); column++) {
        dsc_buffer_append_text(json, column > 0 ? "," : "");
        dsc_json_name(json, PQfname(result, column));
        append_value(json, result, row, column);
    }
}

void dsc_print_rows(const dsc_context_t *context, PGresult *result)
{
    dsc_buffer_t *json = dsc_buffer_create(context->pool, 4096);
    int row;

    dsc_buffer_append_char(json, '[');
    for (row = 0; row < PQntuples(result); row++) {
        dsc_buffer_append_text(json, row > 0 ? ",\n{" : "{");
        dsc_append_members(json, result, row);
        dsc_buffer_append_char(json, '}');
    }
    dsc_buffer_append_char(json, ']');
    puts(dsc_buffer_text(json));
}

int dsc_show_on(const dsc_context_t *context, PGconn *connection, const char *sql, int count,
                const char *const *parameters, void (*print)(PGresult *result, int row),
                const char *none)
{
    PGresult *result = dsc_query(context, connection, sql, count, parameters);
    int row, rows;

    if (result == NULL) {
        return DSC_EXIT_FAILED;
    }
    rows = PQntuples(result);
    if (rows == 0 && none != NULL) {
        dsc_tell(context, "%s", none);
    } else if (context->json) {
        dsc_print_rows(context, result);
    } else {
        for (row = 0; row < rows; row++) {
            print(result, row);
        }
    }
    PQclear(result);
    return rows == 0 && none != NULL ? DSC_EXIT_FAILED : DSC_EXIT_OK;
}

int dsc_show(dsc_context_t *context, const char *sql, int count, const char *const *parameters,
             void (*print)(PGresult *result, int row), const char *none)
{
    PGconn *connection;
    int exit_code = dsc_connect(context, context->pool, &connection);

    return exit_code == DSC_EXIT_OK
               ? dsc_show_on(context, connection, sql, count, parameters, print, none)
               : exit_code;
}
