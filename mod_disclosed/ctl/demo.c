/* disclosedctl demo: loads the fictional universe. */
#include "ctl/command.h"
#include "ctl/demo.h"
#include "engine/interrupt.h"
#include "engine/outage.h"
#include "formats/eastern_time.h"

#include <apr_strings.h>
#include <apr_time.h>
#include <string.h>
#include <unistd.h>

enum {
    BATCH = 250, /* companies of one transaction */
    DEFAULT_COMPANIES = 40,
    DEFAULT_YEARS = 5,
    DEFAULT_ROWS = 72, /* of a company that reports insiders: about 60 over all companies */
    DEFAULT_TEXTS = 200,
    DEFAULT_POSITIONS = 100,
    ROWS_LIMIT = 5000
};

enum {
    OPTION_COMPANIES = 1,
    OPTION_ROWS,
    OPTION_SEED,
    OPTION_YEARS,
    OPTION_TEXTS,
    OPTION_POSITIONS,
    OPTION_REMOVE
};

static const apr_getopt_option_t demo_options[] = {
    {"companies", OPTION_COMPANIES, 1, "number of companies [40]"},
    {"insider-rows", OPTION_ROWS, 1, "approximate number of insider transactions [60 a company]"},
    {"positions", OPTION_POSITIONS, 1,
     "approximate number of positions of institutions [100 a company]"},
    {"years", OPTION_YEARS, 1, "years of history up to 2026-09-30 [5]"},
    {"texts", OPTION_TEXTS, 1,
     "how many companies, the first ones, have texts of filings and exhibits [200]"},
    {"seed", OPTION_SEED, 1, "number from which all data follow [1]"},
    {"remove", OPTION_REMOVE, 0, "remove the demo data"},
    DSC_OPTION_ROW_QUIET,
    DSC_OPTION_ROW_END,
};

static const dsc_usage_t usage = {
    "demo [--companies N] [--insider-rows N] [--positions N] [--years N] [--texts N] [--seed N]"
    " [--quiet] | demo --remove",
    "Loads companies that do not exist, with listings, people, filings, texts, insider\n"
    "transactions, institutions' holdings, documents, transcripts and events up to 2026-09-30. The\n"
    "same options give the same data on every machine and day. A second run changes nothing; a run\n"
    "with more companies adds to the existing ones.\n"
    "\n"
    "--remove deletes everything that it loaded: the records of provider fictional, and the companies,\n"
    "managers and politicians of these records. If records of other providers are about these, too, it\n"
    "deletes nothing and lists the reasons.\n",
    demo_options,
};

typedef struct {
    dsc_context_t *context;
    dsc_demo_options_t options;
    dsc_demo_holdings_t *holdings;
    apr_int64_t insider_rows, positions; /* asked for in all; 0: by default */
    int shows_progress;
    int removes;
    int makes;          /* the option that says what to make; 0: none was given */
    const char *recipe; /* begins the name of each batch: what decides about the data */
    dsc_load_count_t count;
    int batches;
    apr_time_t started;
} demo_t;

/* ----------------------------------------------------------------- options */

static const struct {
    int option;
    apr_int64_t least, most;
} numbers[] = {
    {OPTION_COMPANIES, 1, DSC_DEMO_COMPANY_LIMIT},
    {OPTION_ROWS, 1, 250000000},
    {OPTION_POSITIONS, 1, 250000000},
    {OPTION_SEED, 0, 4294967295},
    {OPTION_YEARS, 1, 10},
    {OPTION_TEXTS, 0, DSC_DEMO_COMPANY_LIMIT},
};

static void keep_number(demo_t *demo, int option, long long number)
{
    switch (option) {
    case OPTION_COMPANIES:
        demo->options.companies = (int)number;
        break;
    case OPTION_ROWS:
        demo->insider_rows = number;
        break;
    case OPTION_POSITIONS:
        demo->positions = number;
        break;
    case OPTION_SEED:
        demo->options.seed = (uint64_t)number;
        break;
    case OPTION_YEARS:
        demo->options.years = (int)number;
        break;
    default:
        demo->options.texts = (int)number;
        break;
    }
}

static int take_option(demo_t *demo, int option, const char *value)
{
    long long number;
    if (option == DSC_OPTION_QUIET) {
        demo->shows_progress = 0;
        return DSC_EXIT_OK;
    }
    if (option == OPTION_REMOVE) {
        demo->removes = 1;
        return DSC_EXIT_OK;
    }
    for (int i = 0; i < DSC_COUNT(numbers); i++) {
        if (numbers[i].option != option) {
            continue;
        }
        if (!dsc_number_argument(value, numbers[i].least, numbers[i].most, &number)) {
            return dsc_usage_error(demo->context, &usage,
                                   "--%s takes a number from %" APR_INT64_T_FMT
                                   " to %" APR_INT64_T_FMT ", not \"%s\"",
                                   dsc_option_name(&usage, option), numbers[i].least,
                                   numbers[i].most, value);
        }
        keep_number(demo, option, number);
        demo->makes = option;
    }
    return DSC_EXIT_OK;
}

/* Returns -1 to go on, or the exit code. */
static int read_options(demo_t *demo, int argc, const char *const *argv)
{
    dsc_options_t walk;
    const char *value;
    const char *const *rest;
    int option;
    dsc_options_begin(&walk, demo->context, &usage, argc, argv);
    while ((option = dsc_options_next(&walk, &value)) > 0) {
        int error = take_option(demo, option, value);
        if (error != DSC_EXIT_OK) {
            return error;
        }
    }
    if (option == DSC_OPTIONS_STOP) {
        return walk.exit_code;
    }
    if (dsc_options_rest(&walk, &rest) > 0) {
        return dsc_usage_error(demo->context, &usage, "\"%s\" is too much", rest[0]);
    }
    if (demo->removes && demo->makes) {
        return dsc_usage_error(demo->context, &usage,
                               "--remove takes all of it out: it goes without --%s",
                               dsc_option_name(&usage, demo->makes));
    }
    return -1;
}

/* The rows asked for in all, shared among the companies that report insiders. */
static int share_insider_rows(demo_t *demo)
{
    apr_int64_t reporting = 0, share;
    if (demo->insider_rows == 0) {
        return DSC_EXIT_OK;
    }
    for (int i = 0; i < demo->options.companies; i++) {
        reporting += dsc_demo_reports_insiders(i);
    }
    share = (demo->insider_rows + reporting / 2) / reporting;
    if (share < 1 || share > ROWS_LIMIT) {
        return dsc_usage_error(demo->context, &usage,
                               "--insider-rows %" APR_INT64_T_FMT
                               " is not between 1 and %d for each of "
                               "%" APR_INT64_T_FMT " companies that report insiders",
                               demo->insider_rows, ROWS_LIMIT, reporting);
    }
    demo->options.insider_rows = (int)share;
    return DSC_EXIT_OK;
}

/* Those asked for in all, shared among the companies. */
static int share_positions(demo_t *demo)
{
    apr_int64_t companies = demo->options.companies;
    apr_int64_t share = (demo->positions + companies / 2) / companies;
    if (demo->positions == 0) {
        return DSC_EXIT_OK;
    }
    if (share < 1 || share > ROWS_LIMIT) {
        return dsc_usage_error(demo->context, &usage,
                               "--positions %" APR_INT64_T_FMT
                               " is not between 1 and %d for each company",
                               demo->positions, ROWS_LIMIT);
    }
    demo->options.positions = (int)share;
    return DSC_EXIT_OK;
}

/* ----------------------------------------------------------------- loading */

/* Two universes in one database would contradict each other: same CIKs, other facts. */
static int check_recipe(demo_t *demo, dsc_connection_t *connection)
{
    static const char sql[] =
        "SELECT regexp_replace(file, ': companies .*', '') FROM import_run"
        " WHERE source = 'demo' AND status = 'done' AND NOT starts_with(file, $1) LIMIT 1";
    const char *prefix = apr_pstrcat(demo->context->pool, demo->recipe, ":", NULL);
    PGresult *result = dsc_query(demo->context, connection, sql, 1, &prefix);
    int exit_code = DSC_EXIT_OK;
    if (result == NULL) {
        exit_code = DSC_EXIT_FAILED;
    } else if (PQntuples(result) > 0) {
        dsc_print_error(
            demo->context,
            "this database holds the demo data of \"%s\"; \"%s\" needs a database of its own",
            PQgetvalue(result, 0, 0), demo->recipe);
        exit_code = DSC_EXIT_FAILED;
    }
    PQclear(result);
    return exit_code;
}

#define WRITE(name) dsc_demo_write_##name(&writer, company);

static apr_status_t load_company(demo_t *demo, dsc_loader_t *loader, apr_pool_t *pool, int index)
{
    dsc_demo_writer_t writer = {.loader = loader, .status = APR_SUCCESS};
    const dsc_demo_company_t *company = dsc_demo_company(pool, &demo->options, index);
    DSC_TABLES(DSC_NO_TABLE, DSC_NO_TABLE, WRITE)
    dsc_demo_add_securities(demo->holdings, company);
    return writer.status;
}

static apr_status_t load_institutions(demo_t *demo, dsc_loader_t *loader, apr_pool_t *pool,
                                      int index)
{
    dsc_demo_writer_t writer = {.loader = loader, .status = APR_SUCCESS};
    dsc_demo_write_institutions(&writer, demo->holdings, pool, index);
    return writer.status;
}

static void show_progress(const demo_t *demo, int done)
{
    if (demo->shows_progress) {
        fprintf(stderr, "\rdemo: %d of %d companies, %lld rows", done, demo->options.companies,
                demo->count.read);
    }
}

static void set_last_words(const demo_t *demo)
{
    char text[128];
    snprintf(text, sizeof(text), ": %d batches are stored whole; the same command loads the rest",
             demo->batches);
    dsc_interrupt_last_words(text);
}

typedef apr_status_t (*load_t)(demo_t *demo, dsc_loader_t *loader, apr_pool_t *pool, int index);

/* One transaction of what comes with up to BATCH companies, each in a pool of its own. */
static apr_status_t load_batch(demo_t *demo, dsc_loader_t *loader, apr_pool_t *pool, int first,
                               const char *what, load_t load)
{
    int end = first + BATCH < demo->options.companies ? first + BATCH : demo->options.companies;
    const char *file = apr_psprintf(demo->context->pool, "%s: companies %d-%d%s", demo->recipe,
                                    first + 1, end, what);
    apr_status_t status = dsc_loader_begin(loader, "demo", file, 0);
    for (int i = first; status == APR_SUCCESS && i < end; i++) {
        status = load(demo, loader, pool, i);
        apr_pool_clear(pool);
    }
    if (status == APR_SUCCESS) {
        status = dsc_loader_end(loader);
    }
    if (status == APR_SUCCESS) {
        status = dsc_loader_commit(loader);
    }
    if (status != APR_SUCCESS) {
        const char *reason = apr_pstrdup(demo->context->pool, dsc_loader_error(loader));
        dsc_loader_abandon(loader, reason);
        dsc_print_error(demo->context, "%s: %s", file, reason);
        return status;
    }
    dsc_load_count_add(&demo->count, dsc_loader_count(loader));
    demo->batches++;
    set_last_words(demo);
    show_progress(demo, end);
    return status;
}

static int load_all(demo_t *demo, dsc_connection_t *connection)
{
    dsc_load_options_t load_options = {.strict = 1, .known_at = NULL};
    dsc_loader_t *loader = dsc_loader_create(demo->context->pool, connection, &load_options);
    apr_status_t status = APR_SUCCESS;
    apr_pool_t *pool;
    apr_pool_create(&pool, demo->context->pool);
    demo->holdings = dsc_demo_holdings(demo->context->pool, &demo->options);
    set_last_words(demo);
    show_progress(demo, 0);
    for (int first = 0; status == APR_SUCCESS && first < demo->options.companies; first += BATCH) {
        status = load_batch(demo, loader, pool, first, "", load_company);
        if (status == APR_SUCCESS) {
            status = load_batch(demo, loader, pool, first, ", institutions", load_institutions);
        }
    }
    if (demo->shows_progress) {
        fputc('\n', stderr);
    }
    apr_pool_destroy(pool);
    if (dsc_interrupted()) {
        dsc_print_error(demo->context,
                        "%s: %d batches are stored whole; the same command loads the rest",
                        dsc_interrupt_text(), demo->batches);
    }
    return status == APR_SUCCESS && demo->count.rejected == 0 ? DSC_EXIT_OK : DSC_EXIT_FAILED;
}

/* ----------------------------------------------------------------- summary */

static void print_json(const demo_t *demo)
{
    printf("{\"companies\":%d,\"seed\":%llu,\"batches\":%d,\"read\":%lld,\"stored\":%lld,"
           "\"unchanged\":%lld,\"superseded\":%lld,\"rejected\":%lld}\n",
           demo->options.companies, (unsigned long long)demo->options.seed, demo->batches,
           demo->count.read, demo->count.stored, demo->count.unchanged, demo->count.superseded,
           demo->count.rejected);
}

static void print_summary(const demo_t *demo)
{
    double seconds = (double)(dsc_monotonic_now() - demo->started) / APR_USEC_PER_SEC;
    printf("demo: %d fictional companies, %lld rows in %.1f s: %lld stored, %lld unchanged, "
           "%lld superseded, %lld rejected\n",
           demo->options.companies, demo->count.read, seconds, demo->count.stored,
           demo->count.unchanged, demo->count.superseded, demo->count.rejected);
    if (demo->count.stored == 0) {
        puts("demo: nothing changed, the database holds this universe already");
    }
}

static const char *recipe_of(const demo_t *demo)
{
    const dsc_demo_options_t *options = &demo->options;
    return apr_psprintf(demo->context->pool,
                        "seed %s, %d years, %d insider rows and %d positions a company",
                        apr_off_t_toa(demo->context->pool, (apr_off_t)options->seed),
                        options->years, options->insider_rows, options->positions);
}

int dsc_command_demo(dsc_context_t *context, int argc, const char *const *argv)
{
    demo_t demo = {.context = context, .started = dsc_monotonic_now(), .shows_progress = 1};
    dsc_connection_t *connection;
    const char *error;
    int exit_code;
    demo.options = (dsc_demo_options_t){
        1, DEFAULT_COMPANIES, DEFAULT_YEARS, DEFAULT_ROWS, DEFAULT_TEXTS, DEFAULT_POSITIONS};
    exit_code = read_options(&demo, argc, argv);
    if (exit_code < 0 && demo.removes) {
        return dsc_demo_remove(context);
    }
    if (exit_code >= 0 || (exit_code = share_insider_rows(&demo)) != DSC_EXIT_OK ||
        (exit_code = share_positions(&demo)) != DSC_EXIT_OK) {
        return exit_code;
    }
    if ((error = dsc_eastern_begin()) != NULL) {
        dsc_print_error(context, "%s", error);
        return DSC_EXIT_FAILED;
    }
    demo.shows_progress &= isatty(STDERR_FILENO) && !context->json;
    demo.recipe = recipe_of(&demo);
    exit_code = dsc_connect(context, context->pool, &connection);
    if (exit_code != DSC_EXIT_OK || (exit_code = check_recipe(&demo, connection)) != DSC_EXIT_OK) {
        return exit_code;
    }
    exit_code = load_all(&demo, connection);
    if (context->json) {
        print_json(&demo);
    } else if (exit_code == DSC_EXIT_OK) {
        print_summary(&demo);
    }
    return exit_code;
}
