/* What the commands of disclosedctl share: the context, options, the connection, exit codes. */
#ifndef DSC_COMMAND_H
#define DSC_COMMAND_H

#include "engine/buffer.h"
#include "engine/connection.h"

#include <apr_getopt.h>
#include <apr_pools.h>
#include <apr_tables.h>
#include <stdio.h>

enum {
    DSC_EXIT_OK = 0,
    DSC_EXIT_FAILED = 1,      /* something was refused, rejected or not found */
    DSC_EXIT_USAGE = 2,       /* the command line is wrong */
    DSC_EXIT_UNAVAILABLE = 3, /* no database */
    DSC_EXIT_SIGNAL = 128     /* and the number of the signal that ended the command */
};

typedef struct {
    apr_pool_t *pool;    /* lives as long as the program */
    const char *program; /* "disclosedctl", for messages */
    const char *
        database; /* libpq connection string: --database or DISCLOSED_DATABASE; NULL: the default */
    int names_database; /* --database stands before the command */
    long long timeout;  /* --timeout: seconds that a statement may take, see DSC_TIMEOUT */
    int json;           /* --json: results as JSON on standard output */
    int ends_by_signal; /* it goes on until a signal comes: then it has done what it was to do */
    int makes_tables;   /* it works in a database that has none of ours yet */
    const char *role;   /* that may do what the command does */
} dsc_context_t;

/* The roles of sql/roles.sql that commands are for, and the database if nothing names one. */
#define DSC_OWNER            "disclosed_owner"
#define DSC_LOADER           "disclosed_loader"
#define DSC_DEFAULT_DATABASE "dbname=disclosed"

/* Seconds of --timeout if it is not given. What loads and migrates waits for other loads and
 * derives what follows from all that is there; whether the server is gone is noticed all the
 * same. */
enum {
    DSC_TIMEOUT = 120,
    DSC_TIMEOUT_LONG = 6 * 3600
};

/* Rows of commands' option tables. Those that several have stand here, so that they read alike;
 * what is read for them are the numbers below, above those of the commands' own. */
enum {
    DSC_OPTION_QUIET = 901,
    DSC_OPTION_LIMIT
};

/* has_arg of a row: 0, 1, or this for one that may be given several times. */
enum {
    DSC_OPTION_REPEATED = 2
};
#define DSC_OPTION_ROW_QUIET                                                                       \
    {                                                                                              \
        "quiet", DSC_OPTION_QUIET, 0, "print only the totals"                                      \
    }
#define DSC_OPTION_ROW_LIMIT(usual)                                                                \
    {                                                                                              \
        "limit", DSC_OPTION_LIMIT, 1, "list at most this many, newest first [" usual "]"           \
    }
#define DSC_OPTION_ROW_END                                                                         \
    {                                                                                              \
        NULL, 0, 0, NULL                                                                           \
    }

/* How a command is used; --help is made from it. */
typedef struct {
    const char *synopsis;               /* "demo [--companies N]" */
    const char *text;                   /* what it does: a few lines, each ended by \n */
    const apr_getopt_option_t *options; /* its own options, ended by a row of zeros; may be NULL */
} dsc_usage_t;

/* A walk over a command's options: --name, --name VALUE, --name=VALUE, and -- after which there
 * are none. --help, --database and --json are known to every command and dealt with here. One with
 * a value is refused a second time, as it would replace the first. */
typedef struct {
    dsc_context_t *context;
    const dsc_usage_t *usage;
    int argc, at;
    const char *const *argv;
    const char **rest; /* arguments that are no options, which may be among them */
    int rest_count;
    apr_array_header_t *given; /* rows of the options with a value so far */
    int exit_code;             /* what to return with when the walk says stop */
} dsc_options_t;

enum {
    DSC_OPTIONS_END = 0,
    DSC_OPTIONS_STOP = -1
};

/* Begins the walk; argv[0] is the command's name. */
void dsc_options_begin(dsc_options_t *options, dsc_context_t *context, const dsc_usage_t *usage,
                       int argc, const char *const *argv);

/* The next option as its number in the table, its argument in *value. DSC_OPTIONS_END: there are
 * no more. DSC_OPTIONS_STOP: return options->exit_code (help or an error was printed). */
int dsc_options_next(dsc_options_t *options, const char **value);

/* The name of one of the command's own options, by its number. */
const char *dsc_option_name(const dsc_usage_t *usage, int option);

/* What follows the options, after DSC_OPTIONS_END; returns how many there are. */
int dsc_options_rest(const dsc_options_t *options, const char *const **arguments);

/* Prints what is wrong with the command line and how to get help; returns DSC_EXIT_USAGE. */
int dsc_usage_error(const dsc_context_t *context, const dsc_usage_t *usage, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Likewise where the words behind the options are not what a command with subcommands takes:
 * `question` asks for what is meant. */
int dsc_words_error(const dsc_context_t *context, const dsc_usage_t *usage, int count,
                    const char *const *words, const char *question);

/* Prints a text of other people's, the name of a file or what it holds, with control characters as
 * \xNN: what a terminal obeys is shown in its place. */
void dsc_print_shown(FILE *stream, const char *text, size_t length);

/* The text as dsc_print_shown() prints it, for a message: a line feed in a file's name begins no
 * line of it. */
const char *dsc_shown(apr_pool_t *pool, const char *text);

/* Prints a value of a result likewise. */
void dsc_print_value(PGresult *result, int row, int column);

/* Whether a text can be the name of an account or a key; what else is printed about one that
 * cannot. */
#define DSC_NAME_RULE                                                                              \
    "takes at most 1000 bytes of UTF-8 without control characters, and no spaces at its ends"
enum {
    DSC_NAME_SIZE = 1000
};
int dsc_is_name(const char *text);

/* Why a text is not the id of a key: it is a whole key, of which only the id is printed. NULL: it
 * may be one. */
const char *dsc_key_id_error(apr_pool_t *pool, const char *text);

/* Prints an error on standard error, with control characters shown in the same way. */
void dsc_print_error(const dsc_context_t *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Opens a connection of the caller's own: search_path disclosed, public; UTC; ISO dates; UTF-8.
 * Unless the command makes them, the database must have our tables. It is closed with the pool.
 * Returns DSC_EXIT_OK, or DSC_EXIT_UNAVAILABLE after telling why. */
int dsc_connect(const dsc_context_t *context, apr_pool_t *pool, dsc_connection_t **connection);

/* The same without a word: NULL and *reason if there is no database. */
dsc_connection_t *dsc_try_connect(const dsc_context_t *context, apr_pool_t *pool,
                                  const char **reason);

/* Nothing that the connection loads is announced to webhooks. 0 and *reason if that fails. */
int dsc_switch_webhooks_off(dsc_connection_t *connection, apr_pool_t *pool, const char **reason);

/* Runs a statement with text parameters. NULL after telling what the database says. */
PGresult *dsc_query(const dsc_context_t *context, dsc_connection_t *connection, const char *sql,
                    int count, const char *const *parameters);

/* Prints a result's rows as a JSON array of objects named by its columns: bigint as numbers,
 * timestamptz as datetimes, json as it is, the rest as strings. */
void dsc_print_rows(const dsc_context_t *context, PGresult *result);

/* Appends one row's members, without braces. */
void dsc_append_members(dsc_buffer_t *json, PGresult *result, int row);

/* Runs one query and shows its rows: as JSON with --json, otherwise each by `print`. Returns the
 * exit code. If there are no rows, `none` (may be NULL) is printed, and it is a failure. */
int dsc_show(dsc_context_t *context, const char *sql, int count, const char *const *parameters,
             void (*print)(PGresult *result, int row), const char *none);

/* The same on a connection that there is. */
int dsc_show_on(const dsc_context_t *context, dsc_connection_t *connection, const char *sql,
                int count, const char *const *parameters, void (*print)(PGresult *result, int row),
                const char *none);

/* What a command line names: `sql` finds it by $1, `what` is "key has the id"; `name` NULL: nothing
 * is named. */
typedef struct {
    const char *sql, *what, *name;
} dsc_named_t;

/* dsc_show() of a named object, which may have no rows. If it does not exist, "no key has the id
 * x" is printed, and it is a failure. */
int dsc_show_named(dsc_context_t *context, const dsc_named_t *named, const char *sql, int count,
                   const char *const *parameters, void (*print)(PGresult *result, int row));

/* The same on a connection that there is. */
int dsc_show_named_on(const dsc_context_t *context, dsc_connection_t *connection,
                      const dsc_named_t *named, const char *sql, int count,
                      const char *const *parameters, void (*print)(PGresult *result, int row));

/* Reads a whole number within bounds; returns 0 if the text is none. */
int dsc_number_argument(const char *text, long long least, long long most, long long *number);

/* Seconds of "90m", "24h", "7d", "30s" or "0"; -1 if the text is none or above seven days. */
long long dsc_duration_argument(const char *text);

/* The commands: one file each. argv[0] is the command's name; the return value is the exit code. */
int dsc_command_migrate(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_distribute(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_import(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_bootstrap(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_follow(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_openapi(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_schema(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_tables(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_provider(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_reimport(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_runs(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_key(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_account(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_usage(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_credits(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_audit(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_webhook(dsc_context_t *context, int argc, const char *const *argv);
int dsc_command_demo(dsc_context_t *context, int argc, const char *const *argv);

#endif
