/* disclosedctl import: runs an importer over paths and accounts for every row. */
#include "ctl/command.h"

#include "engine/interrupt.h"
#include "engine/json_writer.h"
#include "engine/outage.h"
#include "engine/calendar.h"
#include "formats/eastern_time.h"
#include "loader/loader_value.h"
#include "sources/import_folders.h"
#include "sources/import_run.h"
#include "sources/import_walk.h"
#include "sources/importers.h"
#include "sources/sec_13f/holdings_value.h"
#include "sources/shared/filing_record.h"

#include <apr_strings.h>
#include <apr_time.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPTION_STRICT = 1,
    OPTION_KNOWN_AT,
    OPTION_DATASET,
    OPTION_CLOCK,
    OPTION_CIK,
    OPTION_ACCESSION,
    OPTION_PERIOD,
    OPTION_JOBS,
    OPTION_NO_WEBHOOKS,
    OPTION_VERBOSE
};

enum {
    REJECTS_SHOWN = 10,
    REJECTS_SHOWN_VERBOSE = 100,
    SKIPPED_NAMED = 5,
    FAILED_LISTED = 100
};

/* Sources whose options these are. */
#define OF_LINES       "ndjson"
#define OF_SUBMISSIONS "sec-submissions"
#define OF_HOLDINGS    "sec-13f"
#define OF_DOCUMENTS   "sec-13f, xbrl-instance"

static const struct {
    int option;
    const char *sources;
} options_of[] = {
    {OPTION_DATASET, OF_LINES},   {OPTION_CLOCK, OF_SUBMISSIONS},   {OPTION_CIK, OF_HOLDINGS},
    {OPTION_PERIOD, OF_HOLDINGS}, {OPTION_ACCESSION, OF_DOCUMENTS},
};

static const apr_getopt_option_t own_options[] = {
    {"strict", OPTION_STRICT, 0, "a rejected row makes its whole file fail"},
    {"known-at", OPTION_KNOWN_AT, 1, "date of a snapshot that does not state its own: YYYY-MM-DD"},
    {"dataset", OPTION_DATASET, 1, OF_LINES ": the dataset of lines that do not name theirs"},
    {"clock", OPTION_CLOCK, 1,
     OF_SUBMISSIONS ": the clock of the acceptance times, utc or eastern [as the filings show]"},
    {"cik", OPTION_CIK, 1, OF_HOLDINGS ": the manager of an information table without a cover"},
    {"accession", OPTION_ACCESSION, 1,
     OF_DOCUMENTS ": the filing of a document, 0000000000-00-000000"},
    {"period", OPTION_PERIOD, 1, OF_HOLDINGS ": the last day of its quarter, YYYY-MM-DD"},
    {"jobs", OPTION_JOBS, 1,
     "processes that load files at the same time, 1 to 64 [files of companies: one a core; others: 1]"},
    {"no-webhooks", OPTION_NO_WEBHOOKS, 0,
     "do not announce new records to webhooks: for back-fills"},
    {"verbose", OPTION_VERBOSE, 0, "name every skipped file and more rejected rows"},
    DSC_OPTION_ROW_QUIET,
    DSC_OPTION_ROW_END,
};

/* What the run has reported so far. */
typedef struct {
    dsc_context_t *context;
    int no_webhooks, verbose, quiet;
    int terminal, shown; /* shown: a progress line stands on the terminal */
    long long files, failed, skipped, parts;
    long long total; /* files there are; -1: nobody knows */
    dsc_load_count_t count;
    const char *part; /* the first of them, and with which file it is read */
    int no_database;
    apr_time_t began, progressed;
    const char *last_issuer;    /* before the run, of sources by company; else NULL */
    const char *without_ticker; /* how many companies that are new since then have none */
    const char *skipped_names[SKIPPED_NAMED];
    dsc_buffer_t *failures; /* JSON array elements */
    long long failures_listed;
} dsc_summary_t;

static void show(FILE *stream, const char *text)
{
    dsc_print_shown(stream, text, strlen(text));
}

/* ------------------------------------------------------------------------ progress */

static void clear_progress(dsc_summary_t *summary)
{
    if (summary->shown) {
        fputs("\r\033[K", stderr);
        summary->shown = 0;
    }
}

/* "file 2 of 3", or "file 2" if nobody knows how many there are. */
static const char *location_of(const dsc_summary_t *summary, long long waiting, char *text,
                               size_t size)
{
    long long at = summary->files + summary->failed + summary->parts + waiting + 1;

    if (summary->total < at) {
        snprintf(text, size, "file %lld", at);
    } else {
        snprintf(text, size, "file %lld of %lld", at, summary->total);
    }
    return text;
}

/* Ten times a second at most, and on a terminal only. */
static void show_progress(dsc_summary_t *summary, const dsc_import_event_t *event)
{
    apr_time_t now = dsc_monotonic_now();
    const char *tail = event->name;
    char location[64];

    if (!summary->terminal || now - summary->progressed < apr_time_from_msec(100)) {
        return;
    }
    summary->progressed = now;
    if (strlen(tail) > 40) {
        tail += strlen(tail) - 40;
    }
    fprintf(stderr, "\r\033[K%s, %lld rows, %lld s, %s: ",
            location_of(summary, event->waiting, location, sizeof(location)),
            summary->count.read + event->count.read, (long long)apr_time_sec(now - summary->began),
            event->location);
    show(stderr, tail);
    summary->shown = 1;
}

/* What is said if the command is ended at once: it then has no time to look. */
static void set_last_words(const dsc_summary_t *summary)
{
    char text[256];

    snprintf(text, sizeof(text),
             ": %lld files are stored whole, nothing of others; the same command loads the rest",
             summary->files);
    dsc_interrupt_last_words(text);
}

/* -------------------------------------------------------------------------- events */

static void print_count(const dsc_load_count_t *count)
{
    printf(": read %lld, stored %lld, unchanged %lld, superseded %lld, rejected %lld\n",
           count->read, count->stored, count->unchanged, count->superseded, count->rejected);
}

/* What is to be noted of a file, indented under its counts. */
static void print_note(const char *note)
{
    while (note != NULL && *note != '\0') {
        size_t length = strcspn(note, "\n");

        fputs("    ", stdout);
        dsc_print_shown(stdout, note, length);
        fputc('\n', stdout);
        note += length + (note[length] == '\n');
    }
}

static void on_file(dsc_summary_t *summary, const dsc_import_event_t *event)
{
    summary->files++;
    dsc_load_count_add(&summary->count, &event->count);
    if (!summary->quiet && !summary->context->json) {
        clear_progress(summary);
        show(stdout, event->name);
        print_count(&event->count);
        print_note(event->reason);
    }
    set_last_words(summary);
}

/* A file that is read with another one. */
static void on_part(dsc_summary_t *summary, const dsc_import_event_t *event)
{
    if (summary->parts++ == 0) {
        summary->part = apr_pstrcat(summary->context->pool, event->name, " ", event->reason, NULL);
    }
    if (summary->verbose) {
        clear_progress(summary);
        show(stderr, event->name);
        fputc(' ', stderr);
        show(stderr, event->reason);
        fputc('\n', stderr);
    }
}

static void list_failure(dsc_summary_t *summary, const dsc_import_event_t *event)
{
    summary->failed++;
    clear_progress(summary);
    if (summary->failures_listed++ < FAILED_LISTED) {
        dsc_buffer_append_text(summary->failures,
                               summary->failures_listed > 1 ? ",{\"file\":" : "{\"file\":");
        dsc_json_text(summary->failures, event->name);
        dsc_buffer_append_text(summary->failures, ",\"reason\":");
        dsc_json_text(summary->failures, event->reason);
        dsc_buffer_append_char(summary->failures, '}');
    }
}

static void on_failed(dsc_summary_t *summary, const dsc_import_event_t *event)
{
    dsc_load_count_add(&summary->count, &event->count);
    list_failure(summary, event);
    dsc_print_error(summary->context, "%s: failed, nothing of it is stored: %s",
                    dsc_shown(summary->context->pool, event->name), event->reason);
}

static void on_changed(dsc_summary_t *summary, const dsc_import_event_t *event)
{
    list_failure(summary, event);
    dsc_print_error(summary->context, "%s: changed while it was loaded: %s",
                    dsc_shown(summary->context->pool, event->name), event->reason);
}

static void on_skipped(dsc_summary_t *summary, const dsc_import_event_t *event)
{
    if (summary->skipped < SKIPPED_NAMED) {
        summary->skipped_names[summary->skipped] = apr_pstrdup(summary->context->pool, event->name);
    }
    summary->skipped++;
    if (summary->verbose) {
        clear_progress(summary);
        fputs("skipped: ", stderr);
        show(stderr, event->name);
        fputc('\n', stderr);
    }
}

static void on_reject(dsc_summary_t *summary, const dsc_import_event_t *event)
{
    clear_progress(summary);
    show(stderr, event->name);
    fputs(": ", stderr);
    show(stderr, event->location);
    fputs(": rejected: ", stderr);
    show(stderr, event->reason);
    fputc('\n', stderr);
}

static void on_progress(dsc_summary_t *summary, const dsc_import_event_t *event)
{
    show_progress(summary, event);
}

static void on_database(dsc_summary_t *summary, const dsc_import_event_t *event)
{
    clear_progress(summary);
    if (!summary->no_database) { /* every process meets it */
        dsc_print_error(summary->context, "no database: %s", event->reason);
    }
    summary->no_database = 1;
}

static void on_event(void *baton, const dsc_import_event_t *event)
{
    static void (*const handlers[])(dsc_summary_t *, const dsc_import_event_t *) = {
        [DSC_IMPORT_FILE] = on_file,         [DSC_IMPORT_FAILED] = on_failed,
        [DSC_IMPORT_SKIPPED] = on_skipped,   [DSC_IMPORT_REJECT] = on_reject,
        [DSC_IMPORT_PROGRESS] = on_progress, [DSC_IMPORT_DATABASE] = on_database,
        [DSC_IMPORT_PART] = on_part,         [DSC_IMPORT_CHANGED] = on_changed,
    };

    handlers[event->kind](baton, event);
}

/* ------------------------------------------------------------------------- summary */

static void print_skipped(const dsc_summary_t *summary)
{
    int i;

    if (summary->skipped == 0) {
        return;
    }
    printf("skipped %lld files that are of another kind:", summary->skipped);
    for (i = 0; i < SKIPPED_NAMED && i < summary->skipped; i++) {
        fputs(i > 0 ? ", " : " ", stdout);
        show(stdout, summary->skipped_names[i]);
    }
    puts(summary->skipped > SKIPPED_NAMED ? ", ... (--verbose names all)" : "");
}

static double seconds_since(apr_time_t began)
{
    return (double)(dsc_monotonic_now() - began) / APR_USEC_PER_SEC;
}

/* Prints what clients will miss: they ask by ticker. */
static void print_without_ticker(const dsc_summary_t *summary)
{
    if (summary->without_ticker != NULL && strcmp(summary->without_ticker, "0") != 0) {
        printf("new companies without a ticker, found by their CIK alone: %s"
               " (disclosedctl import sec-company-tickers loads tickers)\n",
               summary->without_ticker);
    }
}

static void print_text(const dsc_summary_t *summary)
{
    print_skipped(summary);
    if (summary->parts > 0) {
        printf("%lld files were read together with others\n", summary->parts);
    }
    printf("total of %lld files, %lld failed, in %.1f s", summary->files + summary->failed,
           summary->failed, seconds_since(summary->began));
    print_count(&summary->count);
    if (summary->files > 0 && summary->failed == 0 && summary->count.rejected == 0 &&
        summary->count.stored == 0 && summary->count.superseded == 0) {
        puts("nothing has changed");
    }
    print_without_ticker(summary);
}

static void print_json(const dsc_summary_t *summary, const char *source)
{
    const dsc_load_count_t *count = &summary->count;
    dsc_buffer_t *names = dsc_buffer_create(summary->context->pool, 256);
    int i;

    for (i = 0; i < SKIPPED_NAMED && i < summary->skipped; i++) {
        dsc_buffer_append_text(names, i > 0 ? "," : "");
        dsc_json_text(names, summary->skipped_names[i]);
    }
    printf("{\"source\":\"%s\",\"files\":%lld,\"failed\":%lld,\"skipped\":%lld,\"parts\":%lld,"
           "\"read\":%lld,\"stored\":%lld,\"unchanged\":%lld,\"superseded\":%lld,\"rejected\":%lld,"
           "\"without_ticker\":%s,\"seconds\":%.3f,\"interrupted\":%s,\"skipped_names\":[%s],"
           "\"failures\":[%s]}\n",
           source, summary->files + summary->failed, summary->failed, summary->skipped,
           summary->parts, count->read, count->stored, count->unchanged, count->superseded,
           count->rejected, summary->without_ticker != NULL ? summary->without_ticker : "null",
           seconds_since(summary->began), dsc_interrupted() ? "true" : "false",
           dsc_buffer_text(names), dsc_buffer_text(summary->failures));
}

/* ------------------------------------------------------------------------- command */

static const char *usage_text(apr_pool_t *pool)
{
    const dsc_importer_t *importer;
    const char *text =
        "Loads files: plain, gzip, xz, bzip2 or zstd; folders with everything in them; zip and tar\n"
        "archives, member by member; - is standard input. Each file is stored completely or not at all.\n"
        "Small files share a transaction. A second run over the same files stores nothing.\n"
        "Rejected rows never stop the good ones (but see --strict); `disclosedctl runs` lists them later.\n"
        "In folders and archives, files of other kinds are skipped and counted.\n"
        "If it is interrupted, it rolls back the current file and says what is stored.\n"
        "\n"
        "Sources:\n";

    for (importer = dsc_importers; importer->name != NULL; importer++) {
        text = apr_psprintf(pool, "%s  %-24s %s\n", text, importer->name, importer->description);
    }
    return text;
}

static dsc_connection_t *connect_worker(void *baton, apr_pool_t *pool, const char **reason)
{
    const dsc_summary_t *summary = baton;
    dsc_connection_t *connection = dsc_try_connect(summary->context, pool, reason);

    return connection == NULL || !summary->no_webhooks ||
                   dsc_switch_webhooks_off(connection, pool, reason)
               ? connection
               : NULL;
}

static const char *known_at_error(const char *day)
{
    if (dsc_value_error(DSC_COLUMN_DATE, day) != NULL) {
        return "--known-at takes a date";
    }
    if (atoi(day) < DSC_EASTERN_FIRST_YEAR) {
        return "--known-at lies before 1976";
    }
    return dsc_date_is_between(day, "0001-01-01", 1) ? NULL : "--known-at lies in the future";
}

/* Takes one option; NULL, or what is wrong with its value. */
static const char *take_option(dsc_import_run_t *run, dsc_summary_t *summary, int option,
                               const char *value)
{
    long long number;

    switch (option) {
    case OPTION_STRICT:
        run->load.strict = 1;
        break;
    case OPTION_KNOWN_AT:
        run->load.known_at = value;
        return known_at_error(value);
    case OPTION_DATASET:
        run->load.dataset = value;
        return dsc_dataset_find(value) != NULL ? NULL : "--dataset: no such dataset";
    case OPTION_CLOCK:
        run->load.clock = value;
        return !strcmp(value, "utc") || !strcmp(value, "eastern") ? NULL
                                                                  : "--clock takes utc or eastern";
    case OPTION_CIK:
        run->load.cik = dsc_holdings_cik(value);
        return run->load.cik != NULL ? NULL : "--cik takes a CIK";
    case OPTION_ACCESSION:
        run->load.accession = value;
        return dsc_is_accession(value) ? NULL : "--accession takes 0000000000-00-000000";
    case OPTION_PERIOD:
        run->load.period = value;
        return dsc_value_error(DSC_COLUMN_DATE, value) == NULL ? NULL : "--period takes a date";
    case OPTION_JOBS:
        if (!dsc_number_argument(value, 1, 64, &number)) {
            return "--jobs takes a number from 1 to 64";
        }
        run->jobs = (int)number;
        break;
    case OPTION_NO_WEBHOOKS:
        summary->no_webhooks = 1;
        break;
    case OPTION_VERBOSE:
        summary->verbose = 1;
        run->reject_limit = REJECTS_SHOWN_VERBOSE;
        break;
    default:
        summary->quiet = 1;
        break;
    }
    return NULL;
}

static int has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    const char *at;

    for (at = list; (at = strstr(at, word)) != NULL; at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0')) {
            return 1;
        }
    }
    return 0;
}

/* What is given that is of other sources, or NULL. */
static const char *stray_option(apr_pool_t *pool, const dsc_usage_t *usage, unsigned given,
                                const char *source)
{
    size_t i;

    for (i = 0; i < sizeof(options_of) / sizeof(options_of[0]); i++) {
        int option = options_of[i].option;

        if ((given & (1U << option)) != 0 && !has_word(options_of[i].sources, source)) {
            return apr_psprintf(pool, "import %s takes no --%s, which is of %s", source,
                                dsc_option_name(usage, option), options_of[i].sources);
        }
    }
    return NULL;
}

/* The one value of a query; NULL: there is no database, which the loads report. */
static const char *ask(const dsc_summary_t *summary, const char *sql, const char *parameter)
{
    apr_pool_t *pool = summary->context->pool;
    const char *reason, *value = NULL;
    dsc_connection_t *connection = dsc_try_connect(summary->context, pool, &reason);

    if (connection != NULL) {
        PGresult *result =
            dsc_query(summary->context, connection, sql, parameter != NULL, &parameter);

        value = result != NULL ? apr_pstrdup(pool, PQgetvalue(result, 0, 0)) : NULL;
        PQclear(result);
        dsc_connection_close(connection);
    }
    return value;
}

static int exit_code_of(const dsc_summary_t *summary, apr_status_t rv)
{
    if (summary->no_database) {
        return DSC_EXIT_UNAVAILABLE;
    }
    if (rv != APR_SUCCESS) {
        dsc_print_error(summary->context, "a loading process died, or could not be started");
        return DSC_EXIT_FAILED;
    }
    if (summary->files + summary->failed == 0) {
        dsc_print_error(summary->context, "%s",
                        summary->parts > 0 ? summary->part : "the paths hold no file of this kind");
        return DSC_EXIT_FAILED;
    }
    return summary->failed > 0 || summary->count.rejected > 0 ? DSC_EXIT_FAILED : DSC_EXIT_OK;
}

static int print_interrupted(const dsc_summary_t *summary)
{
    dsc_print_error(
        summary->context,
        "%s: %lld files are stored whole, nothing of others; the same command loads the rest",
        dsc_interrupt_text(), summary->files);
    return DSC_EXIT_SIGNAL + dsc_interrupted();
}

static int import_paths(dsc_import_run_t *run, dsc_summary_t *summary, int count,
                        const char *const *paths)
{
    apr_status_t rv;
    apr_pool_t *pool = summary->context->pool;
    long long files;
    int exit_code;

    run->folders = dsc_folders_list(pool, count, paths);
    files = dsc_walk_count(run->importer, run->folders, pool, count, paths);
    if (run->jobs == 0) {
        run->jobs = dsc_import_usual_jobs(run->importer, run->importer->by_company ? files : 1);
    }
    fflush(stdout); /* processes to come must not print it again */
    summary->terminal = isatty(STDERR_FILENO) && !summary->quiet && !summary->context->json;
    summary->total = summary->terminal ? files : -1;
    set_last_words(summary);
    if (run->importer->by_company) {
        summary->last_issuer =
            ask(summary, "SELECT coalesce(max(issuer_id), 0) FROM disclosed.issuer", NULL);
    }
    rv = dsc_import_paths(run, pool, count, paths);
    clear_progress(summary);
    if (summary->last_issuer != NULL && !dsc_interrupted()) {
        summary->without_ticker =
            ask(summary,
                "SELECT count(*) FROM disclosed.issuer WHERE issuer_id > $1 AND ticker IS NULL",
                summary->last_issuer);
    }
    exit_code = dsc_interrupted() ? print_interrupted(summary) : exit_code_of(summary, rv);
    if (summary->context->json) {
        print_json(summary, run->importer->name);
    } else if (!summary->no_database || summary->files > 0) {
        print_text(summary);
    }
    return exit_code;
}

int dsc_command_import(dsc_context_t *context, int argc, const char *const *argv)
{
    const dsc_usage_t usage = {"import SOURCE [OPTIONS] PATH...", usage_text(context->pool),
                               own_options};
    dsc_summary_t summary = {.context = context, .total = -1};
    dsc_import_run_t run = {.reject_limit = REJECTS_SHOWN,
                            .connect = connect_worker,
                            .connect_baton = &summary,
                            .event = on_event,
                            .event_baton = &summary};
    const char *value, *error, *const *arguments;
    dsc_options_t options;
    unsigned given = 0;
    int option, count;

    summary.began = dsc_monotonic_now();
    summary.failures = dsc_buffer_create(context->pool, 256);
    dsc_options_begin(&options, context, &usage, argc, argv);
    while ((option = dsc_options_next(&options, &value)) > 0) {
        if ((error = take_option(&run, &summary, option, value)) != NULL) {
            return dsc_usage_error(context, &usage, "%s: %s", error, value);
        }
        given |= option <= OPTION_VERBOSE ? 1U << option : 0;
    }
    if (option == DSC_OPTIONS_STOP) {
        return options.exit_code;
    }
    count = dsc_options_rest(&options, &arguments);
    if (count < 2) {
        return dsc_usage_error(context, &usage, "a source and a path are needed");
    }
    run.importer = dsc_importer_find(arguments[0]);
    if (run.importer == NULL) {
        return dsc_usage_error(context, &usage, "no source %s", arguments[0]);
    }
    if ((error = stray_option(context->pool, &usage, given, run.importer->name)) != NULL) {
        return dsc_usage_error(context, &usage, "%s", error);
    }
    if ((error = dsc_eastern_begin()) != NULL) {
        dsc_print_error(context, "%s", error);
        return DSC_EXIT_FAILED;
    }
    return import_paths(&run, &summary, count - 1, arguments + 1);
}
