/* disclosedctl: migrates, loads and looks after the database that mod_disclosed serves. */
#include "ctl/command.h"
#include "engine/interrupt.h"
#include "registry.h"

#include <apr_general.h>
#include <fcntl.h>
#include <libxml/xmlerror.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *name, *summary;
    int (*run)(dsc_context_t *context, int argc, const char *const *argv);
    const char *role;  /* that may do it; NULL: it asks no database */
    long long timeout; /* of its statements, in seconds */
} dsc_command_t;

static const dsc_command_t commands[] = {
    {"migrate", "bring the database's tables up to date", dsc_command_migrate, DSC_OWNER,
     DSC_TIMEOUT_LONG},
    {"distribute", "spread the tables over the nodes of Citus", dsc_command_distribute, DSC_OWNER,
     DSC_TIMEOUT_LONG},
    {"import", "load public files or your own NDJSON", dsc_command_import, DSC_LOADER,
     DSC_TIMEOUT_LONG},
    {"bootstrap", "fill an empty database from the publishers' archives", dsc_command_bootstrap,
     DSC_LOADER, DSC_TIMEOUT_LONG},
    {"follow", "keep the database current from the public sources", dsc_command_follow, DSC_LOADER,
     DSC_TIMEOUT_LONG},
    {"reimport", "load kept files of the public sources again", dsc_command_reimport, DSC_LOADER,
     DSC_TIMEOUT_LONG},
    {"openapi", "print the OpenAPI document of a surface", dsc_command_openapi, NULL, DSC_TIMEOUT},
    {"schema", "print the JSON Schema of NDJSON lines", dsc_command_schema, NULL, DSC_TIMEOUT},
    {"tables", "print the tables of endpoints and datasets", dsc_command_tables, NULL, DSC_TIMEOUT},
    {"provider", "list and declare providers of data", dsc_command_provider, DSC_OWNER,
     DSC_TIMEOUT},
    {"runs", "list what was imported, and what was rejected", dsc_command_runs, DSC_LOADER,
     DSC_TIMEOUT},
    {"key", "create, list, rotate, revoke and check API keys", dsc_command_key, DSC_OWNER,
     DSC_TIMEOUT},
    {"account", "list and rename accounts", dsc_command_account, DSC_OWNER, DSC_TIMEOUT},
    {"usage", "show the requests of keys, by day and endpoint", dsc_command_usage, DSC_OWNER,
     DSC_TIMEOUT},
    {"credits", "show and top up ask credits", dsc_command_credits, DSC_OWNER, DSC_TIMEOUT},
    {"webhook", "list, replay, rotate, disable and remove webhooks", dsc_command_webhook, DSC_OWNER,
     DSC_TIMEOUT},
    {"audit", "show who changed keys, accounts, credits and webhooks", dsc_command_audit, DSC_OWNER,
     DSC_TIMEOUT},
    {"demo", "load companies that do not exist", dsc_command_demo, DSC_OWNER, DSC_TIMEOUT_LONG},
    {NULL, NULL, NULL, NULL, 0},
};

static void print_commands(FILE *to, const dsc_context_t *context)
{
    const dsc_command_t *command;

    fprintf(to, "usage: %s [--database CONNINFO] COMMAND [OPTIONS]\n\nCommands:\n",
            context->program);
    for (command = commands; command->name != NULL; command++) {
        fprintf(to, "  %-10s %s\n", command->name, command->summary);
    }
    fprintf(
        to,
        "\n%s help COMMAND explains a command, and so does COMMAND --help. --database takes\n"
        "a libpq connection string. Its default is $DISCLOSED_DATABASE, or " DSC_DEFAULT_DATABASE
        " if\nthat is not set.\n"
        "Exit codes: 0 success; 1 something failed or was rejected; 2 the command line is wrong;\n"
        "3 no database; 128 plus the number of the signal that ended it (130, 143).\n",
        context->program);
}

static const dsc_command_t *find_command(const char *name)
{
    const dsc_command_t *command;

    for (command = commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) {
            return command;
        }
    }
    return NULL;
}

static int run_command(dsc_context_t *context, int argc, const char *const *argv)
{
    const dsc_command_t *command = find_command(argv[0]);

    if (command == NULL) {
        dsc_print_error(context, "no command %s", argv[0]);
        print_commands(stderr, context);
        return DSC_EXIT_USAGE;
    }
    context->timeout = command->timeout;
    context->role = command->role;
    return command->run(context, argc, argv);
}

/* `help` lists the commands, `help COMMAND` is `COMMAND --help`. */
static int run_help(dsc_context_t *context, int argc, const char *const *argv)
{
    const char *words[] = {argc > 1 ? argv[1] : "", "--help"};

    if (argc > 1) {
        return run_command(context, 2, words);
    }
    print_commands(stdout, context);
    return DSC_EXIT_OK;
}

/* The connection string of --database, which is given once. */
static int take_database(dsc_context_t *context, const char *conninfo)
{
    context->database = conninfo;
    if (context->names_database) {
        dsc_print_error(context, "--database is given twice");
        return 0;
    }
    return context->names_database = 1;
}

/* What is before the command: --version, --help, --database. Returns the index of the
 * command, or 0 when all is done and *exit_code is set. */
static int read_leading(dsc_context_t *context, int argc, const char *const *argv, int *exit_code)
{
    int at, good = 1;

    *exit_code = DSC_EXIT_OK;
    for (at = 1; good && at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--version") == 0) {
            printf("%s %s\n", context->program, DISCLOSED_VERSION);
            return 0;
        }
        if (strcmp(argv[at], "--help") == 0 || strcmp(argv[at], "-h") == 0) {
            print_commands(stdout, context);
            return 0;
        }
        if (strcmp(argv[at], "--database") == 0 && at + 1 < argc) {
            good = take_database(context, argv[++at]);
        } else if (strncmp(argv[at], "--database=", 11) == 0) {
            good = take_database(context, argv[at] + 11);
        } else {
            dsc_print_error(context, "no option %s here", argv[at]);
            good = 0;
        }
    }
    if (good && at < argc) {
        return at;
    }
    print_commands(stderr, context);
    *exit_code = DSC_EXIT_USAGE;
    return 0;
}

/* Errors of its input have no parser whose handler could take them: libxml2 would print them. */
static void print_nothing(void *context, const char *format, ...)
{
    (void)context;
    (void)format;
}

/* Opens the standard descriptors that are closed, so that no pipe and no connection gets their
 * numbers. Reading and writing there still fail. */
static int open_standard_descriptors(void)
{
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
        if (fcntl(i, F_GETFD) < 0 &&
            open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY) != i) {
            return 0;
        }
    }
    return 1;
}

int main(int argc, const char *const *argv)
{
    const char *environment = getenv("DISCLOSED_DATABASE");
    dsc_context_t context = {.program = "disclosedctl", .timeout = DSC_TIMEOUT};
    int exit_code, command;

    if (!open_standard_descriptors()) {
        return DSC_EXIT_FAILED;
    }
    (void)setlocale(LC_CTYPE, "C.UTF-8"); /* names of archive members; harmless if missing */
    if (apr_app_initialize(&argc, &argv, NULL) != APR_SUCCESS) {
        fputs("disclosedctl: the Apache Portable Runtime does not start\n", stderr);
        return DSC_EXIT_FAILED;
    }
    atexit(apr_terminate);
    dsc_tables_use(&dsc_tables);
    xmlSetGenericErrorFunc(NULL, print_nothing);
    apr_pool_create(&context.pool, NULL);
    if (environment != NULL && *environment != '\0') {
        context.database = environment;
    }
    dsc_interrupt_watch();
    command = read_leading(&context, argc, argv, &exit_code);
    if (command > 0) {
        exit_code = strcmp(argv[command], "help") == 0
                        ? run_help(&context, argc - command, argv + command)
                        : run_command(&context, argc - command, argv + command);
        exit_code = dsc_interrupted() && !context.ends_by_signal
                        ? DSC_EXIT_SIGNAL + dsc_interrupted()
                        : exit_code;
    }
    if (fflush(stdout) != 0 && exit_code == DSC_EXIT_OK) {
        dsc_print_error(&context, "standard output cannot be written");
        exit_code = DSC_EXIT_FAILED;
    }
    return exit_code;
}
