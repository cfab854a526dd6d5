/* disclosedctl follow: keeps the database current from the public sources. */
#include "ctl/command.h"
#include "ctl/follow_options.h"

#include "engine/interrupt.h"
#include "engine/utf8.h"
#include "follow/follow.h"
#include "follow/follow_table.h"
#include "follow/state.h"
#include "formats/eastern_time.h"
#include "loader/loader_value.h"
#include "sources/importers.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    OPTION_ONCE = 1,
    OPTION_DRY_RUN,
    OPTION_SOURCE,
    OPTION_SINCE,
    OPTION_USER_AGENT,
    OPTION_POLL,
    OPTION_KEEP,
    OPTION_KEEP_BUDGET,
    OPTION_STATUS,
    OPTION_MIRROR,
    OPTION_WATCH,
    OPTION_VERBOSE
};

enum {
    POLL_SECONDS = 10
};

#define FIRST_DAY "1993-01-01" /* EDGAR's first indexes are of that year */

static const apr_getopt_option_t own_options[] = {
    {"once", OPTION_ONCE, 0, "do one round of everything that is due, and end"},
    {"dry-run", OPTION_DRY_RUN, 0, "print the addresses that would be requested; request nothing"},
    {"source", OPTION_SOURCE, DSC_OPTION_REPEATED,
     "follow this source; may be repeated; watch: only folders [all]"},
    {"since", OPTION_SINCE, 1,
     "the first day from which everything is wanted, YYYY-MM-DD [the day it begins]"},
    {"user-agent", OPTION_USER_AGENT, 1,
     "who sends the requests: a name and an e-mail address [$DISCLOSED_USER_AGENT]"},
    {"poll", OPTION_POLL, 1, "seconds between two looks for new documents [10]"},
    {"keep", OPTION_KEEP, 1, "keep raw files in this folder, for `disclosedctl reimport`"},
    {"keep-budget", OPTION_KEEP_BUDGET, 1,
     "bytes that the folder may have, e.g. 20G: the oldest files are removed [no limit]"},
    {"status", OPTION_STATUS, 0, "print what is missing and why, and end"},
    {"mirror", OPTION_MIRROR, DSC_OPTION_REPEATED,
     "ORIGIN=URL: use this URL instead; may be repeated [$DISCLOSED_MIRRORS, with "
     "commas]"},
    {"watch", OPTION_WATCH, DSC_OPTION_REPEATED,
     "IMPORTER=FOLDER: load files that arrive in the folder, as `disclosedctl import IMPORTER`"
     " does; may be repeated"},
    {"verbose", OPTION_VERBOSE, 0, "report each document"},
    DSC_OPTION_ROW_END,
};

static const char *usage_text(apr_pool_t *pool)
{
    const dsc_follow_source_t *source;
    const char *text =
        "Asks the public sources for new documents and loads each of them once, until a signal comes.\n"
        "Its state is in the database, so it continues where it was ended. You may run several on several\n"
        "hosts. It sends no more requests than the publishers allow. Exit code with --once: 0 if nothing is\n"
        "missing, 1 if something is missing and will be requested again.\n"
        "\n"
        "Sources:\n";

    for (source = dsc_follow_sources; source->name != NULL; source++) {
        text = apr_psprintf(pool, "%s  %-24s %s\n", text, source->name, source->about);
    }
    return text;
}

/* ----------------------------------------------------------------------------- options */

/* Names of sources and folders go to the database. */
static int is_clean(apr_pool_t *pool, const char *text)
{
    return strcmp(dsc_utf8_clean(pool, (dsc_slice_t){text, strlen(text)}).data, text) == 0;
}

static const char *add_watched(apr_pool_t *pool, apr_array_header_t *watched, const char *text)
{
    const char *equals = strchr(text, '=');
    dsc_follow_watch_t watch;
    struct stat info;
    char *path;

    watch.importer = equals ? apr_pstrmemdup(pool, text, (apr_size_t)(equals - text)) : "";
    if (dsc_importer_find(watch.importer) == NULL) {
        return "--watch takes IMPORTER=FOLDER, and there is no such importer";
    }
    path = realpath(equals + 1, NULL);
    if (path == NULL || stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        free(path);
        return "--watch: there is no such folder";
    }
    watch.folder = apr_pstrdup(pool, path);
    free(path);
    if (!is_clean(pool, watch.folder)) {
        return "--watch: the folder's path is not UTF-8";
    }
    APR_ARRAY_PUSH(watched, dsc_follow_watch_t) = watch;
    return NULL;
}

/* Takes one option; NULL, or what is wrong with its value. */
static const char *take_option(dsc_context_t *context, dsc_follow_options_t *follow, int *status,
                               int option, const char *value)
{
    long long number;

    switch (option) {
    case OPTION_ONCE:
        follow->once = 1;
        break;
    case OPTION_DRY_RUN:
        follow->dry_run = 1;
        break;
    case OPTION_SOURCE:
        APR_ARRAY_PUSH(follow->sources, const char *) = value;
        return dsc_follow_find_source(follow->table, value) || strcmp(value, DSC_WATCH_SOURCE) == 0
                   ? NULL
                   : "--source: no such source";
    case OPTION_SINCE:
        follow->since = value;
        return dsc_value_error(DSC_COLUMN_DATE, value) == NULL && strcmp(value, FIRST_DAY) >= 0
                   ? NULL
                   : "--since takes a date, not before " FIRST_DAY;
    case OPTION_USER_AGENT:
        follow->user_agent = value;
        break;
    case OPTION_POLL:
        if (!dsc_number_argument(value, 1, 86400, &number)) {
            return "--poll takes seconds, 1 to 86400";
        }
        follow->poll = (int)number;
        break;
    case OPTION_KEEP:
        follow->keep = value;
        return dsc_is_folder_argument(value) ? NULL : "--keep takes a folder";
    case OPTION_KEEP_BUDGET:
        follow->keep_budget = dsc_bytes_argument(value);
        return follow->keep_budget > 0 ? NULL : "--keep-budget takes bytes, as 500M or 20G";
    case OPTION_STATUS:
        *status = 1;
        break;
    case OPTION_MIRROR:
        return dsc_follow_add_mirror(context->pool, follow->mirrors, value);
    case OPTION_WATCH:
        return add_watched(context->pool, follow->watched, value);
    default:
        follow->verbose = 1;
        break;
    }
    return NULL;
}

/* ------------------------------------------------------------------------------- a run */

static void print_count(const dsc_context_t *context, const dsc_follow_count_t *count)
{
    printf(context->json ? "{\"requests\":%lld,\"stored\":%lld,\"failed\":%lld,\"missing\":%"
                           "lld}\n"
                         : "%lld requests, %lld documents stored, %lld failed, %lld missing\n",
           count->requests, count->stored, count->failed, count->missing);
}

static int run(dsc_context_t *context, const dsc_follow_options_t *follow)
{
    dsc_follow_count_t count;
    const char *reason = NULL;

    if (dsc_follow_run(follow, context->pool, &count, &reason) != APR_SUCCESS) {
        dsc_print_error(context, "%s", reason);
        return DSC_EXIT_FAILED;
    }
    if (count.no_database) {
        dsc_print_error(context, "no database: %s", reason);
        return DSC_EXIT_UNAVAILABLE;
    }
    if (follow->dry_run) {
        return DSC_EXIT_OK;
    }
    print_count(context, &count);
    return count.missing > 0 && follow->once ? DSC_EXIT_FAILED : DSC_EXIT_OK;
}

static void print_missing(PGresult *result, int row)
{
    printf("%-22s %-28s %-10s ", PQgetvalue(result, row, 0), PQgetvalue(result, row, 1),
           PQgetvalue(result, row, 2));
    dsc_print_value(result, row, 3);
    fputc('\n', stdout);
    if (!PQgetisnull(result, row, 4)) {
        printf("    next at %s, after %s attempts\n", PQgetvalue(result, row, 4),
               PQgetvalue(result, row, 5));
    }
}

/* Says which of the sources nobody has followed: without a word, all of them would seem to be here.
 * Where none is named, those that a site does not follow are its choice. */
static int print_unfollowed(const dsc_context_t *context, dsc_connection_t *connection,
                            const dsc_follow_options_t *options, const char *const *parameters)
{
    PGresult *result =
        dsc_query(context, connection,
                  "SELECT string_agg(name, ', ' ORDER BY name) FILTER (WHERE NOT followed),"
                  " coalesce(bool_or(followed), false) FROM (SELECT name, EXISTS (SELECT FROM"
                  " disclosed.followed_source s WHERE s.source = name) OR EXISTS (SELECT FROM"
                  " disclosed.followed_document d WHERE d.source = name) AS followed"
                  " FROM unnest(array_append($1::text[], $2)) name WHERE name IS NOT NULL) sources",
                  2, parameters);
    int good = result != NULL;

    if (good && options->sources->nelts > 0 && !PQgetisnull(result, 0, 0)) {
        dsc_print_error(context, "never followed: %s", PQgetvalue(result, 0, 0));
    } else if (good && *PQgetvalue(result, 0, 1) == 'f') {
        dsc_print_error(context, "nothing was ever followed into this database");
    }
    PQclear(result);
    return good;
}

/* What is not here, and why. */
static int show_status(dsc_context_t *context, const dsc_follow_options_t *options)
{
    static const dsc_follow_source_t folders = {.name = DSC_WATCH_SOURCE};
    const char *parameters[] = {dsc_follow_source_names(context->pool, options->table, options),
                                dsc_follow_is_wanted(options, &folders) ? folders.name : NULL};
    dsc_connection_t *connection;
    int exit_code = dsc_connect(context, context->pool, &connection);

    if (exit_code != DSC_EXIT_OK) {
        return exit_code;
    }
    if (!print_unfollowed(context, connection, options, parameters)) {
        return DSC_EXIT_FAILED;
    }
    return dsc_show_on(
        context, connection,
        "SELECT source, identity AS missing, coalesce(failure_kind, 'wanted') AS kind,"
        " coalesce(failure, 'not asked for yet') AS reason, next_at, attempts::bigint"
        " FROM disclosed.followed_document WHERE state = 'wanted'"
        " AND source = ANY (array_append($1::text[], $2))"
        " UNION ALL SELECT source, concat_ws(' ', listing, nullif(part, '-infinity')),"
        " failure_kind, failure, next_at, attempts::bigint FROM disclosed.followed_listing"
        " WHERE failure IS NOT NULL AND NOT completed"
        " AND source = ANY (array_append($1::text[], $2))"
        " ORDER BY 1, 2",
        DSC_COUNT(parameters), parameters, print_missing, NULL);
}

int dsc_command_follow(dsc_context_t *context, int argc, const char *const *argv)
{
    const dsc_usage_t usage = {"follow [OPTIONS]", usage_text(context->pool), own_options};
    dsc_follow_options_t follow = {.table = dsc_follow_sources,
                                   .poll = POLL_SECONDS,
                                   .user_agent = getenv("DISCLOSED_USER_AGENT"),
                                   .connect = dsc_follow_connect,
                                   .connect_baton = context,
                                   .print = dsc_follow_print,
                                   .print_baton = context};
    dsc_options_t options;
    const char *value, *error, *const *arguments;
    int option, status = 0;

    follow.mirrors = apr_array_make(context->pool, 4, sizeof(dsc_follow_mirror_t));
    follow.watched = apr_array_make(context->pool, 4, sizeof(dsc_follow_watch_t));
    follow.sources = apr_array_make(context->pool, 4, sizeof(const char *));
    if ((error = dsc_follow_add_mirrors(context->pool, follow.mirrors)) != NULL) {
        return dsc_usage_error(context, &usage, "%s", error);
    }
    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        if ((error = take_option(context, &follow, &status, option, value)) != NULL) {
            return dsc_usage_error(context, &usage, "%s: %s", error, value);
        }
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    if (dsc_options_rest(&options, &arguments) > 0) {
        return dsc_usage_error(context, &usage, "no argument %s here", arguments[0]);
    }
    if (status) {
        return show_status(context, &follow);
    }
    if ((error = dsc_follow_refusal(context->pool, &follow)) != NULL) {
        return dsc_usage_error(context, &usage, "%s", error);
    }
    if ((error = dsc_eastern_begin()) != NULL) {
        dsc_print_error(context, "%s", error);
        return DSC_EXIT_FAILED;
    }
    context->ends_by_signal = !follow.once && !follow.dry_run;
    return run(context, &follow);
}
