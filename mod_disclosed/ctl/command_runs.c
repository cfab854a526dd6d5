/* disclosedctl runs: what was imported, and what was rejected. */
#include "ctl/command.h"

enum {
    OPTION_REJECTS = 1
};

static const apr_getopt_option_t own_options[] = {
    {"rejects", OPTION_REJECTS, 1, "list the rejected rows of that run"},
    DSC_OPTION_ROW_LIMIT("20; rejects: all"),
    DSC_OPTION_ROW_END,
};

static const dsc_usage_t usage = {
    "runs [--rejects RUN] [--limit N]",
    "Lists import runs, newest first, one for each file, with their row accounting.\n"
    "--rejects lists a run's rejected rows: location, reason, sample.\n",
    own_options};

static const char runs_sql[] =
    "SELECT import_run_id AS run, source, file, status, started_at, finished_at,"
    " rows_read AS read, stored, unchanged, superseded, rejected, message"
    " FROM disclosed.import_run ORDER BY import_run_id DESC LIMIT $1";

static const char rejects_sql[] = "SELECT place, reason, sample FROM disclosed.import_reject"
                                  " WHERE import_run_id = $2 ORDER BY ctid LIMIT $1";

static void print_run(PGresult *result, int row)
{
    printf("%6s  %.19s  %-7s  %s  ", PQgetvalue(result, row, 0), PQgetvalue(result, row, 4),
           PQgetvalue(result, row, 3), PQgetvalue(result, row, 1));
    dsc_print_value(result, row, 2);
    printf("\n        read %s, stored %s, unchanged %s, superseded %s, rejected %s\n",
           PQgetvalue(result, row, 6), PQgetvalue(result, row, 7), PQgetvalue(result, row, 8),
           PQgetvalue(result, row, 9), PQgetvalue(result, row, 10));
    if (!PQgetisnull(result, row, 11)) {
        fputs("        ", stdout);
        dsc_print_value(result, row, 11);
        fputc('\n', stdout);
    }
}

static void print_reject(PGresult *result, int row)
{
    dsc_print_value(result, row, 0);
    fputs(": ", stdout);
    dsc_print_value(result, row, 1);
    if (*PQgetvalue(result, row, 2)) {
        fputs("\n    ", stdout);
        dsc_print_value(result, row, 2);
    }
    fputc('\n', stdout);
}

static int list(dsc_context_t *context, const char *limit, const char *run)
{
    const char *parameters[2] = {limit, run};
    const dsc_named_t named = {"SELECT FROM disclosed.import_run WHERE import_run_id = $1",
                               "import run has the number", run};

    return dsc_show_named(context, &named, run == NULL ? runs_sql : rejects_sql,
                          run == NULL ? 1 : 2, parameters, run == NULL ? print_run : print_reject);
}

int dsc_command_runs(dsc_context_t *context, int argc, const char *const *argv)
{
    const char *value, *run = NULL, *limit = NULL, *const * arguments;
    dsc_options_t options;
    long long number;
    int option;

    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        if (!dsc_number_argument(value, 1, 1000000000000LL, &number)) {
            return dsc_usage_error(context, &usage, "--%s takes a number from 1 on: %s",
                                   option == DSC_OPTION_LIMIT ? "limit" : "rejects", value);
        }
        *(option == OPTION_REJECTS ? &run : &limit) = value;
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    if (dsc_options_rest(&options, &arguments) > 0) {
        return dsc_usage_error(context, &usage, "no argument %s is expected", arguments[0]);
    }
    return list(context, limit == NULL && run == NULL ? "20" : limit, run);
}
