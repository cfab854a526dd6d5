/* What the commands of disclosedctl share: options, the connection, messages. */
#include "ctl/command.h"

#include "engine/conninfo.h"
#include "engine/interrupt.h"
#include "engine/json_writer.h"
#include "engine/utf8.h"
#include "loader/loader_value.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_user.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_HELP = 1001,
    OPTION_DATABASE,
    OPTION_JSON,
    OPTION_TIMEOUT
};

static const apr_getopt_option_t common_options[] = {
    {"database", OPTION_DATABASE, 1,
     "libpq connection string [$DISCLOSED_DATABASE or dbname=disclosed]"},
    {"timeout", OPTION_TIMEOUT, 1,
     "the longest that a statement may take, e.g. 90s [2m; migrate, import and demo 6h]"},
    {"json", OPTION_JSON, 0, "print JSON"},
    {"help", OPTION_HELP, 0, "print this help"},
    DSC_OPTION_ROW_END,
};

/* ------------------------------------------------------------------------ messages */

/* Whether a terminal obeys the character at the beginning (C0, DEL, C1), or may, as it is no UTF-8;
 * *length: its bytes. */
static int is_obeyed(const char *text, size_t left, size_t *length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    int is_good;

    *length = dsc_utf8_step(bytes, left, &is_good);
    return !is_good || bytes[0] < 0x20 || bytes[0] == 0x7F ||
           (bytes[0] == 0xC2 && bytes[1] <= 0x9F);
}

void dsc_print_shown(FILE *stream, const char *text, size_t length)
{
    const char *end = text + length, *from = text;
    size_t step;

    while (text < end) {
        if (!is_obeyed(text, (size_t)(end - text), &step)) {
            text += step;
            continue;
        }
        fwrite(from, 1, (size_t)(text - from), stream);
        for (; step > 0; step--) {
            fprintf(stream, "\\x%02x", (unsigned char)*text++);
        }
        from = text;
    }
    fwrite(from, 1, (size_t)(end - from), stream);
}

const char *dsc_shown(apr_pool_t *pool, const char *text)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&bytes, &size);
    const char *shown;

    if (stream == NULL) {
        return "(not enough memory)";
    }
    dsc_print_shown(stream, text, strlen(text));
    (void)fclose(stream);
    shown = apr_pstrdup(pool, bytes);
    free(bytes);
    return shown;
}

void dsc_print_value(PGresult *result, int row, int column)
{
    dsc_print_shown(stdout, PQgetvalue(result, row, column),
                    (size_t)PQgetlength(result, row, column));
}

int dsc_is_name(const char *text)
{
    size_t size = strlen(text), at, step;

    for (at = 0; at < size && !is_obeyed(text + at, size - at, &step); at += step) {
    }
    return at == size && size <= DSC_NAME_SIZE && *text != ' ' &&
           (size == 0 || text[size - 1] != ' ');
}

/* Messages of several lines keep them; what a file is called or holds moves no cursor. */
static void tell(const dsc_context_t *context, const char *format, va_list arguments)
{
    va_list again;
    apr_pool_t *pool;
    char *line;
    int size;

    apr_pool_create(&pool, context->pool);
    va_copy(again, arguments);
    size = vsnprintf(NULL, 0, format, again) + 1;
    va_end(again);
    line = apr_palloc(pool, (size_t)size);
    (void)vsnprintf(line, (size_t)size, format, arguments);
    fprintf(stderr, "%s: ", context->program);
    while (*line) {
        size_t length = strcspn(line, "\n");

        dsc_print_shown(stderr, line, length);
        line += length;
        if (*line) {
            fputc(*line++, stderr);
        }
    }
    fputc('\n', stderr);
    apr_pool_destroy(pool);
}

void dsc_print_error(const dsc_context_t *context, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tell(context, format, arguments);
    va_end(arguments);
}

int dsc_usage_error(const dsc_context_t *context, const dsc_usage_t *usage, const char *format, ...)
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

/* Whether the synopsis has the subcommand: "key list | set ...", "account list | account rename
 * ...". */
static int is_subcommand(const char *synopsis, const char *word)
{
    size_t name = strcspn(synopsis, " "), length = strlen(word);
    const char *at = synopsis + name;

    for (; at != NULL; at = strchr(at, '|')) {
        at += strspn(at, "| ");
        if (strncmp(at, synopsis, name + 1) == 0) {
            at += name + 1;
        }
        if (strncmp(at, word, length) == 0 && (at[length] == ' ' || at[length] == '\0')) {
            return 1;
        }
    }
    return 0;
}

int dsc_words_error(const dsc_context_t *context, const dsc_usage_t *usage, int count,
                    const char *const *words, const char *question)
{
    const char *error;

    if (count == 0 || is_subcommand(usage->synopsis, words[0])) {
        return dsc_usage_error(context, usage, "%s", question);
    }
    error = dsc_key_id_error(context->pool, words[0]);
    return error != NULL
               ? dsc_usage_error(context, usage, "%s", error)
               : dsc_usage_error(context, usage, "%.*s has no subcommand %s",
                                 (int)strcspn(usage->synopsis, " "), usage->synopsis, words[0]);
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
    options->given = apr_array_make(context->pool, 8, sizeof(const apr_getopt_option_t *));
}

/* The option of the given name, `length` long, in either table; NULL if there is none. */
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

/* Notes an option with a value, and whether it was there before. */
static int is_given_again(const dsc_options_t *options, const apr_getopt_option_t *option)
{
    int i;

    if (option->has_arg != 1) {
        return 0;
    }
    for (i = 0; i < options->given->nelts; i++) {
        if (APR_ARRAY_IDX(options->given, i, const apr_getopt_option_t *) == option) {
            return 1;
        }
    }
    APR_ARRAY_PUSH(options->given, const apr_getopt_option_t *) = option;
    return option->optch == OPTION_DATABASE && options->context->names_database;
}

/* Reads the option at the walk's place with its value. */
static int read_option(dsc_options_t *options, const char **value)
{
    const char *text = options->argv[options->at++], *name;
    const apr_getopt_option_t *option;
    size_t length;

    text = strcmp(text, "-h") == 0 ? "--help" : text;
    name = text + 2;
    length = strcspn(name, "=");
    option = text[1] == '-' ? find_option(options->usage, name, length) : NULL;
    if (option == NULL) {
        return stop(options,
                    dsc_usage_error(options->context, options->usage, "no option %s", text));
    }
    *value = name[length] == '=' ? name + length + 1 : NULL;
    if (!option->has_arg && *value != NULL) {
        return stop(options, dsc_usage_error(options->context, options->usage,
                                             "--%s takes no value", option->name));
    }
    if (option->has_arg && *value == NULL) {
        if (options->at == options->argc) {
            return stop(options, dsc_usage_error(options->context, options->usage,
                                                 "--%s needs a value", option->name));
        }
        *value = options->argv[options->at++];
    }
    if (is_given_again(options, option)) {
        return stop(options, dsc_usage_error(options->context, options->usage,
                                             "--%s is given twice", option->name));
    }
    return option->optch;
}

/* Deals with an option that every command has; the same number if it is the command's own. */
static int take_common(dsc_options_t *options, int option, const char *value)
{
    if (option == OPTION_DATABASE) {
        options->context->database = value;
    } else if (option == OPTION_JSON) {
        options->context->json = 1;
    } else if (option == OPTION_TIMEOUT) {
        options->context->timeout = value == NULL ? 0 : dsc_duration_argument(value);
        if (options->context->timeout <= 0) {
            return stop(options, dsc_usage_error(options->context, options->usage,
                                                 "--timeout takes a time from 1s to 7d"));
        }
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

const char *dsc_key_id_error(apr_pool_t *pool, const char *text)
{
    static const char *const kinds[] = {"sk_live_", "sk_test_"};
    size_t i;

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strncmp(text, kinds[i], strlen(kinds[i])) == 0) {
            return apr_psprintf(
                pool, "a key is named by its id, the eight characters behind \"%s\": %.8s",
                kinds[i], text + strlen(kinds[i]));
        }
    }
    return NULL;
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

/* Has the server notice a client that has gone (kill -9, a lost host) while it works for it, so
 * that its locks go, too. Some versions and systems cannot: then it notices at the end of the
 * statement. */
static void watch_client(dsc_connection_t *connection)
{
    static const char *const settings[] = {
        "SET client_connection_check_interval = '1s'",
        "SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3",
    };

    for (int i = 0; i < 2; i++) {
        if (!dsc_run_command(connection, settings[i]) && !dsc_connection_is_open(connection)) {
            return; /* the next statement says why */
        }
    }
}

/* Tells the audit tables who uses the role, and finds out whether there are any tables of ours:
 * *lacking is the name of a database without. 0 if that fails. */
static int name_actor(dsc_connection_t *connection, apr_pool_t *pool, const char **lacking)
{
    static const char sql[] =
        "SELECT set_config('disclosed.actor', $1, false), CASE WHEN NOT EXISTS (SELECT FROM"
        " pg_catalog.pg_namespace WHERE nspname = 'disclosed') THEN current_database() END";
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
    result = dsc_run(connection, sql, 1, parameters);
    good = result != NULL;
    *lacking =
        good && !PQgetisnull(result, 0, 1) ? apr_pstrdup(pool, PQgetvalue(result, 0, 1)) : NULL;
    PQclear(result);
    return good;
}

/* The functions that announce what is new ask webhooks_are_wanted(). */
int dsc_switch_webhooks_off(dsc_connection_t *connection, apr_pool_t *pool, const char **reason)
{
    int good = dsc_run_command(connection, "SELECT set_config('disclosed.webhooks', 'off', false)");

    *reason = good ? NULL : apr_pstrdup(pool, dsc_connection_failure(connection)->message);
    return good;
}

dsc_connection_t *dsc_try_connect(const dsc_context_t *context, apr_pool_t *pool,
                                  const char **reason)
{
    dsc_connection_config_t config = {0};
    dsc_connection_t *made;
    const char *lacking = NULL;

    config.conninfo =
        dsc_conninfo_complete(pool, context->database ? context->database : DSC_DEFAULT_DATABASE,
                              dsc_conninfo_command);
    config.settings = "SET search_path = disclosed, public; SET TimeZone = 'UTC';"
                      " SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres';"
                      " SET standard_conforming_strings = on; SET work_mem = '64MB';"
                      " SET jit = off; SET temp_buffers = '64MB'";
    config.limit = apr_time_from_sec(context->timeout);
    config.asks_server = 1;
    config.waiting = dsc_interrupt_waiting();
    made = dsc_connection_create(pool, &config);
    if (!dsc_connection_ready(made) || !name_actor(made, pool, &lacking)) {
        *reason = dsc_connection_failure(made)->message;
        dsc_connection_close(made);
        return NULL;
    }
    if (lacking != NULL && !context->makes_tables) {
        *reason =
            apr_psprintf(pool,
                         "\"%s\" has no tables of mod_disclosed; disclosedctl migrate makes them",
                         lacking);
        dsc_connection_close(made);
        return NULL;
    }
    watch_client(made);
    return made;
}

int dsc_connect(const dsc_context_t *context, apr_pool_t *pool, dsc_connection_t **connection)
{
    const char *reason = "";

    *connection = dsc_try_connect(context, pool, &reason);
    if (*connection == NULL) {
        dsc_print_error(context, "no database: %s", reason);
        if (context->database == NULL) {
            dsc_print_error(context, "neither --database nor DISCLOSED_DATABASE is set, so it "
                                     "was " DSC_DEFAULT_DATABASE);
        }
        if (strstr(reason, "authentication failed") != NULL ||
            strstr(reason, "pg_hba.conf") != NULL) {
            dsc_print_error(context,
                            "pg_hba.conf and pg_ident.conf of the server say who logs in as "
                            "which role: docs/admin.md, \"Roles and the database\"");
        }
        return DSC_EXIT_UNAVAILABLE;
    }
    return DSC_EXIT_OK;
}

/* -------------------------------------------------------------------------- queries */

/* Prints why a statement has failed; if the role lacks the right, which role has it. */
static void print_failure(const dsc_context_t *context, const dsc_failure_t *failure)
{
    const char *state = PQresultErrorField(failure->result, PG_DIAG_SQLSTATE);

    dsc_print_error(context, "%s", failure->message);
    if (context->role != NULL && state != NULL && strcmp(state, "42501") == 0) {
        dsc_print_error(context,
                        "this is for the role %s: user=%s in --database or DISCLOSED_DATABASE",
                        context->role, context->role);
    }
}

PGresult *dsc_query(const dsc_context_t *context, dsc_connection_t *connection, const char *sql,
                    int count, const char *const *parameters)
{
    PGresult *result = dsc_run(connection, sql, count, parameters);

    if (result == NULL && dsc_interrupt_is_due()) {
        dsc_print_error(context, "%s", dsc_interrupt_text());
    } else if (result == NULL) {
        print_failure(context, dsc_connection_failure(connection));
    }
    return result;
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

int dsc_show_on(const dsc_context_t *context, dsc_connection_t *connection, const char *sql,
                int count, const char *const *parameters, void (*print)(PGresult *result, int row),
                const char *none)
{
    PGresult *result = dsc_query(context, connection, sql, count, parameters);
    int row, rows;

    if (result == NULL) {
        return DSC_EXIT_FAILED;
    }
    rows = PQntuples(result);
    if (rows == 0 && none != NULL) {
        dsc_print_error(context, "%s", none);
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
    dsc_connection_t *connection;
    int exit_code = dsc_connect(context, context->pool, &connection);

    return exit_code == DSC_EXIT_OK
               ? dsc_show_on(context, connection, sql, count, parameters, print, none)
               : exit_code;
}

static int exists(const dsc_context_t *context, dsc_connection_t *connection,
                  const dsc_named_t *named)
{
    PGresult *result = dsc_query(context, connection, named->sql, 1, &named->name);
    int found = result != NULL && PQntuples(result) == 1;

    if (result != NULL && !found) {
        dsc_print_error(context, "no %s %s", named->what, named->name);
    }
    PQclear(result);
    return found;
}

int dsc_show_named_on(const dsc_context_t *context, dsc_connection_t *connection,
                      const dsc_named_t *named, const char *sql, int count,
                      const char *const *parameters, void (*print)(PGresult *result, int row))
{
    return named->name == NULL || exists(context, connection, named)
               ? dsc_show_on(context, connection, sql, count, parameters, print, NULL)
               : DSC_EXIT_FAILED;
}

int dsc_show_named(dsc_context_t *context, const dsc_named_t *named, const char *sql, int count,
                   const char *const *parameters, void (*print)(PGresult *result, int row))
{
    dsc_connection_t *connection;
    int exit_code = dsc_connect(context, context->pool, &connection);

    return exit_code == DSC_EXIT_OK
               ? dsc_show_named_on(context, connection, named, sql, count, parameters, print)
               : exit_code;
}
