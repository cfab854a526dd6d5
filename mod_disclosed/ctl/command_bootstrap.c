/* disclosedctl bootstrap: fills an empty database from the publishers' archives. */
#include "ctl/command.h"
#include "ctl/follow_options.h"

#include "engine/interrupt.h"
#include "follow/archive.h"
#include "follow/bootstrap.h"
#include "formats/eastern_time.h"
#include "loader/loader_value.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPTION_DRY_RUN = 1,
    OPTION_SOURCE,
    OPTION_SINCE,
    OPTION_FOLDER,
    OPTION_DISK_BUDGET,
    OPTION_USER_AGENT,
    OPTION_STATUS,
    OPTION_MIRROR,
    OPTION_VERBOSE
};

static const apr_int64_t usual_budget = (apr_int64_t)8 << 30;

static const apr_getopt_option_t own_options[] = {
    {"source", OPTION_SOURCE, DSC_OPTION_REPEATED, "load this source; may be repeated [all]"},
    {"since", OPTION_SINCE, 1,
     "the first quarter whose data sets are wanted, 2020q1 or a day in it [all that exist]"},
    {"folder", OPTION_FOLDER, 1,
     "where downloads are until they are loaded [disclosed-bootstrap in $TMPDIR, or else in /var/tmp]"},
    {"disk-budget", OPTION_DISK_BUDGET, 1, "bytes that downloads may use there, e.g. 20G [8G]"},
    {"user-agent", OPTION_USER_AGENT, 1,
     "who sends the requests: a name and an e-mail address [$DISCLOSED_USER_AGENT]"},
    {"mirror", OPTION_MIRROR, DSC_OPTION_REPEATED,
     "ORIGIN=URL: use this URL instead; may be repeated [$DISCLOSED_MIRRORS, with "
     "commas]"},
    {"dry-run", OPTION_DRY_RUN, 0, "print the addresses that would be requested; request nothing"},
    {"status", OPTION_STATUS, 0, "print what is missing and why, and end"},
    {"verbose", OPTION_VERBOSE, 0, "report what is waited for"},
    DSC_OPTION_ROW_END,
};

/* The command under way. */
typedef struct {
    dsc_context_t *context;
    dsc_bootstrap_options_t options;
    int status, is_terminal;
} command_t;

static const char *usage_text(apr_pool_t *pool)
{
    const dsc_follow_source_t *source;
    const char *text =
        "Fills an empty database: downloads the SEC's archives and data sets, and loads each while the\n"
        "next one is downloaded. If it was ended or killed, it continues where it stopped, also within a\n"
        "download. It does not request again what is stored. It sends no more requests than the publishers\n"
        "allow. Webhooks announce nothing of it. Exit code: 0 if everything is stored, 1 if something is\n"
        "missing; the next run requests it again.\n"
        "\n"
        "Sources:\n";

    for (source = dsc_bootstrap_sources; source->name != NULL; source++) {
        text = apr_psprintf(pool, "%s  %-24s %s\n", text, source->name, source->about);
    }
    return text;
}

/* ----------------------------------------------------------------------------- options */

/* The first day of "2020q1", or the day; NULL: the text is neither. */
static const char *since_argument(apr_pool_t *pool, const char *text)
{
    if (strlen(text) == 6 && strspn(text, "0123456789") == 4 && strchr("qQ", text[4]) != NULL &&
        text[5] >= '1' && text[5] <= '4') {
        text = apr_psprintf(pool, "%.4s-%02d-01", text, 3 * (text[5] - '1') + 1);
    }
    return dsc_value_error(DSC_COLUMN_DATE, text) == NULL ? text : NULL;
}

/* Takes one option; NULL, or what is wrong with its value. */
static const char *take_option(command_t *command, int option, const char *value)
{
    dsc_follow_options_t *follow = &command->options.follow;

    switch (option) {
    case OPTION_DRY_RUN:
        follow->dry_run = 1;
        break;
    case OPTION_SOURCE:
        APR_ARRAY_PUSH(follow->sources, const char *) = value;
        return dsc_follow_find_source(follow->table, value) ? NULL : "--source: no such source";
    case OPTION_SINCE:
        follow->since = since_argument(command->context->pool, value);
        return follow->since != NULL ? NULL : "--since takes a quarter, as 2020q1, or a date";
    case OPTION_FOLDER:
        command->options.folder = value;
        return dsc_is_folder_argument(value) ? NULL : "--folder takes a folder";
    case OPTION_DISK_BUDGET:
        command->options.disk_budget = dsc_bytes_argument(value);
        return command->options.disk_budget > 0 ? NULL
                                                : "--disk-budget takes bytes, as 500M or 20G";
    case OPTION_USER_AGENT:
        follow->user_agent = value;
        break;
    case OPTION_STATUS:
        command->status = 1;
        break;
    case OPTION_MIRROR:
        return dsc_follow_add_mirror(command->context->pool, follow->mirrors, value);
    default:
        follow->verbose = 1;
        break;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------ a line */

static dsc_connection_t *connect_silently(void *baton, apr_pool_t *pool, const char **reason)
{
    const command_t *command = baton;
    dsc_connection_t *connection = dsc_try_connect(command->context, pool, reason);

    return connection != NULL && dsc_switch_webhooks_off(connection, pool, reason) ? connection
                                                                                   : NULL;
}

static void print(void *baton, int is_failure, const char *line)
{
    const command_t *command = baton;

    if (command->is_terminal) {
        fputs("\r\033[K", stderr);
    }
    dsc_follow_print(command->context, is_failure, line);
}

static void show_progress(void *baton, const dsc_bootstrap_progress_t *progress)
{
    (void)baton;
    fputs("\r\033[K", stderr);
    if (progress->downloading != NULL) {
        fprintf(stderr, "%s, %.1f of %.1f MB; ", progress->downloading,
                (double)progress->size / 1e6, (double)progress->total / 1e6);
    }
    if (progress->importing != NULL) {
        fprintf(stderr, "%s: %lld rows, %s", progress->importing, progress->rows, progress->phase);
    }
    fflush(stderr);
}

/* ------------------------------------------------------------------------------- a run */

static void print_count(const dsc_context_t *context, const dsc_bootstrap_count_t *count)
{
    printf(context->json
               ? "{\"requests\":%lld,\"bytes\":%lld,\"stored\":%lld,\"failed\":%lld,"
                 "\"absent\":%lld,\"missing\":%lld,\"rows\":{\"read\":%lld,\"stored\":%lld,"
                 "\"unchanged\":%lld,\"superseded\":%lld,\"rejected\":%lld}}\n"
               : "%lld requests, %lld bytes; archives: %lld stored, %lld failures, %lld not there "
                 "yet, %lld missing; rows: read %lld, stored %lld, unchanged %lld, superseded "
                 "%lld, rejected %lld\n",
           count->requests, (long long)count->bytes, count->stored, count->failed, count->absent,
           count->missing, count->rows.read, count->rows.stored, count->rows.unchanged,
           count->rows.superseded, count->rows.rejected);
}

static int run(command_t *command)
{
    dsc_bootstrap_count_t count;
    const char *reason = NULL;
    apr_status_t rv;

    fflush(stdout); /* the process to come must not print it again */
    rv = dsc_bootstrap_run(&command->options, command->context->pool, &count, &reason);
    if (command->is_terminal) {
        fputs("\r\033[K", stderr);
    }
    if (rv != APR_SUCCESS) {
        dsc_print_error(command->context, count.no_database ? "no database: %s" : "%s", reason);
        return count.no_database ? DSC_EXIT_UNAVAILABLE : DSC_EXIT_FAILED;
    }
    print_count(command->context, &count);
    return count.missing > 0 ? DSC_EXIT_FAILED : DSC_EXIT_OK;
}

static void print_address(dsc_follower_t *follow, const char *url)
{
    puts(dsc_fetch_mirrored(follow->pool, follow->options, url));
}

static int preview(command_t *command)
{
    const dsc_follow_options_t *options = &command->options.follow;
    dsc_follower_t follow = {.options = options,
                             .pool = command->context->pool,
                             .pass = command->context->pool};
    const dsc_archive_scope_t scope = {
        NULL, dsc_follow_source_names(follow.pool, options->table, options), options->since, NULL};

    follow.connection = options->connect(command, follow.pool, &follow.reason);
    if (follow.connection != NULL) {
        dsc_archive_preview(&follow, &scope, print_address);
    }
    if (follow.reason != NULL) {
        dsc_print_error(command->context, "no database: %s", follow.reason);
        return DSC_EXIT_UNAVAILABLE;
    }
    return DSC_EXIT_OK;
}

static void print_missing(PGresult *result, int row)
{
    printf("%-26s %-34s %-10s ", PQgetvalue(result, row, 0), PQgetvalue(result, row, 1),
           PQgetvalue(result, row, 2));
    dsc_print_value(result, row, 3);
    fputc('\n', stdout);
}

/* What is not here, and why: also sources that no run has begun with, and of archives of which some
 * files could not be loaded, how many. */
static int show_status(const command_t *command)
{
    const dsc_follow_options_t *options = &command->options.follow;
    const char *parameters[] = {dsc_follow_source_names(command->context->pool, options->table,
                                                        options),
                                options->since};

    return dsc_show(
        command->context,
        "SELECT d.source, d.identity AS missing, CASE WHEN d.state = 'stored' THEN 'import' ELSE"
        " coalesce(d.failure_kind, 'wanted') END AS kind,"
        " CASE WHEN d.state = 'stored' THEN format('%s of %s files failed: see disclosedctl runs',"
        " d.files_failed, d.files_done) ELSE coalesce(d.failure, CASE WHEN d.content_hash IS NULL"
        " THEN 'not asked for yet' ELSE 'not all of it is loaded yet' END) END AS reason,"
        " d.attempts::bigint FROM disclosed.followed_document d WHERE d.source = ANY ($1)"
        " AND (d.state <> 'stored' OR d.files_failed > 0)"
        " AND ($2::date IS NULL OR d.published_at IS NULL OR d.published_at >= $2::date)"
        " UNION ALL SELECT source, listing, failure_kind, failure, attempts::bigint"
        " FROM disclosed.followed_listing WHERE source = ANY ($1) AND failure IS NOT NULL AND NOT"
        " completed UNION ALL SELECT name, 'all', 'wanted', 'never asked for', 0"
        " FROM unnest($1::text[]) name WHERE NOT EXISTS"
        " (SELECT FROM disclosed.followed_source f WHERE f.source = name) ORDER BY 1, 2",
        2, parameters, print_missing, NULL);
}

static const char *usual_folder(apr_pool_t *pool)
{
    const char *named = getenv("TMPDIR");

    return apr_pstrcat(pool, named && *named ? named : "/var/tmp", "/disclosed-bootstrap", NULL);
}

static int go(command_t *command, const dsc_usage_t *usage)
{
    const char *error;

    if (command->status) {
        return show_status(command);
    }
    if ((error = dsc_follow_refusal(command->context->pool, &command->options.follow)) != NULL) {
        return dsc_usage_error(command->context, usage, "%s", error);
    }
    if ((error = dsc_eastern_begin()) != NULL) {
        dsc_print_error(command->context, "%s", error);
        return DSC_EXIT_FAILED;
    }
    return command->options.follow.dry_run ? preview(command) : run(command);
}

int dsc_command_bootstrap(dsc_context_t *context, int argc, const char *const *argv)
{
    const dsc_usage_t usage = {"bootstrap [OPTIONS]", usage_text(context->pool), own_options};
    command_t command = {.context = context,
                         .is_terminal = isatty(STDERR_FILENO),
                         .options = {.folder = usual_folder(context->pool),
                                     .disk_budget = usual_budget,
                                     .follow = {.table = dsc_bootstrap_sources,
                                                .once = 1,
                                                .user_agent = getenv("DISCLOSED_USER_AGENT"),
                                                .connect = connect_silently,
                                                .print = print}}};
    dsc_options_t options;
    const char *value, *error, *const *arguments;
    int option;

    command.options.follow.connect_baton = command.options.follow.print_baton = &command;
    command.options.follow.mirrors = apr_array_make(context->pool, 4, sizeof(dsc_follow_mirror_t));
    command.options.follow.sources = apr_array_make(context->pool, 4, sizeof(const char *));
    if ((error = dsc_follow_add_mirrors(context->pool, command.options.follow.mirrors)) != NULL) {
        return dsc_usage_error(context, &usage, "%s", error);
    }
    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        if ((error = take_option(&command, option, value)) != NULL) {
            return dsc_usage_error(context, &usage, "%s: %s", error, value);
        }
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    if (dsc_options_rest(&options, &arguments) > 0) {
        return dsc_usage_error(context, &usage, "no argument %s here", arguments[0]);
    }
    command.is_terminal = command.is_terminal && !context->json;
    command.options.progress = command.is_terminal ? show_progress : NULL;
    return go(&command, &usage);
}
