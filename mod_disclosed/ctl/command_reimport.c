/* disclosedctl reimport: reads kept files again. */
#include "ctl/command.h"

#include "follow/follow.h"
#include "formats/eastern_time.h"
#include "loader/loader_value.h"

#include <sys/stat.h>
#include <stdlib.h>

enum {
    OPTION_SOURCE = 1,
    OPTION_SINCE,
    OPTION_KEEP
};

static const apr_getopt_option_t own_options[] = {
    {"source", OPTION_SOURCE, 1, "the source, as `disclosedctl follow --help` lists them"},
    {"since", OPTION_SINCE, 1, "files that were published since that day, YYYY-MM-DD"},
    {"keep", OPTION_KEEP, 1, "the folder of `follow --keep`"},
    DSC_OPTION_ROW_END,
};

static const dsc_usage_t usage = {
    "reimport --source NAME --since DAY --keep FOLDER",
    "Loads the files of `disclosedctl follow --keep` once more, by this version's importers. If a file\n"
    "yields the same as before, nothing is stored. What is different supersedes the old rows.\n",
    own_options};

static dsc_connection_t *connect_database(void *baton, apr_pool_t *pool, const char **reason)
{
    return dsc_try_connect(baton, pool, reason);
}

static void print_line(void *baton, int is_failure, const char *line)
{
    (void)baton, (void)is_failure;
    fprintf(stderr, "%s\n", line);
}

static int run(dsc_context_t *context, const char *source, const char *since, const char *keep)
{
    const dsc_follow_options_t options = {.keep = keep,
                                          .connect = connect_database,
                                          .connect_baton = context,
                                          .print = print_line};
    dsc_reimport_count_t count;
    dsc_connection_t *connection; /* says first whether there is a database */
    const char *reason = dsc_eastern_begin();
    int exit_code = dsc_connect(context, context->pool, &connection);

    if (exit_code != DSC_EXIT_OK) {
        return exit_code;
    }
    dsc_connection_close(connection);

    if (reason != NULL || dsc_follow_reimport(&options, context->pool, source, since, &count,
                                              &reason) != APR_SUCCESS) {
        dsc_print_error(context, "%s", reason);
        return DSC_EXIT_FAILED;
    }
    printf(context->json ? "{\"files\":%lld,\"absent\":%lld,\"failed\":%lld,\"stored\":%lld,"
                           "\"unchanged\":%lld,\"superseded\":%lld,\"rejected\":%lld}\n"
                         : "%lld files read again, %lld no longer kept, %lld failed: stored "
                           "%lld,"
                           " unchanged %lld, superseded %lld, rejected %lld\n",
           count.files, count.absent, count.failed, count.rows.stored, count.rows.unchanged,
           count.rows.superseded, count.rows.rejected);
    return count.failed > 0 || count.rows.rejected > 0 ? DSC_EXIT_FAILED : DSC_EXIT_OK;
}

int dsc_command_reimport(dsc_context_t *context, int argc, const char *const *argv)
{
    const char *value, *source = NULL, *since = NULL, *keep = NULL, *const * arguments;
    dsc_options_t options;
    struct stat info;
    int option;

    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        *(option == OPTION_SOURCE ? &source : option == OPTION_SINCE ? &since : &keep) = value;
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    if (dsc_options_rest(&options, &arguments) > 0) {
        return dsc_usage_error(context, &usage, "no argument %s here", arguments[0]);
    }
    if (source == NULL || since == NULL || keep == NULL) {
        return dsc_usage_error(context, &usage, "--source, --since and --keep are needed");
    }
    if (!dsc_follow_has_source(source)) {
        return dsc_usage_error(context, &usage, "--source: no such source: %s", source);
    }
    if (dsc_value_error(DSC_COLUMN_DATE, since) != NULL) {
        return dsc_usage_error(context, &usage, "--since takes a date: %s", since);
    }
    if (stat(keep, &info) != 0 || !S_ISDIR(info.st_mode)) {
        return dsc_usage_error(context, &usage, "--keep: there is no such folder: %s", keep);
    }
    return run(context, source, since, keep);
}
