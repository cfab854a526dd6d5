/* Import formats as targets: one for each way in which an importer reads a file. */
#include "fuzz/no_server.h"
#include "fuzz/target.h"

#include "formats/eastern_time.h"
#include "loader/importer.h"
#include "loader/loader_value.h"
#include "registry.h"

#include <apr_general.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KNOWN                                                                                      \
    {                                                                                              \
        .known_at = "2025-06-30"                                                                   \
    }

const dsc_target_t dsc_import_targets[] = {
    {"company-tickers", NULL, "sec-company-tickers", "company_tickers.json", KNOWN},
    {"company-tickers-exchange",
     NULL,
     "sec-company-tickers",
     "company_tickers_exchange.2024-07-16.json",
     {0}},
    {"submissions", NULL, "sec-submissions", "CIK0000320193.json", {0}},
    {"submissions-more", NULL, "sec-submissions", "CIK0000320193-submissions-001.json", {0}},
    {"companyfacts", NULL, "sec-companyfacts", "CIK0000320193.json", {0}},
    {"statements-folder", NULL, "sec-financial-statements", NULL, {0}},
    {"instance",
     NULL,
     "xbrl-instance",
     "own-20240331.xml",
     {.accession = "0000007601-24-000001", .known_at = "2024-05-01"}},
    {"instance-inline",
     NULL,
     "xbrl-instance",
     "own-20240331.htm",
     {.accession = "0000007601-24-000001", .known_at = "2024-05-01"}},
    {"instance-submission", NULL, "xbrl-instance", "0000007601-24-000001.txt", {0}},
    {"ownership", NULL, "sec-ownership", "0000320193-24-000061.xml", {0}},
    {"ownership-submission", NULL, "sec-ownership", "0000320193-24-000061.txt", {0}},
    {"ownership-folder", NULL, "sec-ownership", NULL, {0}},
    {"beneficial", NULL, "sec-beneficial-ownership", "0000320193-24-000061.xml", {0}},
    {"beneficial-submission", NULL, "sec-beneficial-ownership", "0000320193-24-000061.txt", {0}},
    {"13f", NULL, "sec-13f", "0001951757-25-000093.txt", {0}},
    {"13f-cover", NULL, "sec-13f", "primary_doc.xml", {.accession = "0001951757-25-000093"}},
    {"13f-table",
     NULL,
     "sec-13f",
     "table.xml",
     {.cik = "1067983",
      .accession = "0000950123-22-012275",
      .period = "2022-09-30",
      .known_at = "2022-11-14"}},
    {"13f-folder", NULL, "sec-13f", NULL, {0}},
    {"filing", NULL, "sec-filing", "0000320193-24-000061.txt", {0}},
    {"filing-nc", NULL, "sec-filing", "0000320193-24-000061.nc", {0}},
    {"earnings-calendar", NULL, "earnings-calendar", "earnings-calendar.csv", KNOWN},
    {"short-interest", NULL, "finra-short-interest", "shrt20210715.csv", KNOWN},
    {"short-interest-json", NULL, "finra-short-interest", "shrt.json", KNOWN},
    {"actions", NULL, "corporate-actions", "KO.csv", KNOWN},
    {"actions-list", NULL, "corporate-actions", "dividends-of-2025.csv", KNOWN},
    {"actions-json", NULL, "corporate-actions", "dividends.json", KNOWN},
    {"fund-tickers", NULL, "sec-fund-tickers", "company_tickers_mf.json", KNOWN},
    {"nport", NULL, "sec-nport", "0000320193-24-000061.xml", {0}},
    {"nport-submission", NULL, "sec-nport", "0000320193-24-000061.txt", {0}},
    {"nport-folder", NULL, "sec-nport", NULL, {0}},
    {"senate", NULL, "senate-ptr", "all_transactions.json", KNOWN},
    {"senate-reports", NULL, "senate-ptr", "all_daily_summaries.json", KNOWN},
    {"house", NULL, "house-ptr", "house_transactions.json", KNOWN},
    {"house-text", NULL, "house-ptr", "20022260.txt", KNOWN},
    {"house-index", NULL, "house-ptr", "2023FD.xml", KNOWN},
    {"house-index-text", NULL, "house-ptr", "2023FD.txt", KNOWN},
    {"ndjson", NULL, "ndjson", "lines.ndjson", {0}},
    {NULL, NULL, NULL, NULL, {0}},
};

/* The columns that each staged row has before the dataset's own. */
enum {
    COMMON_FIELDS = 13,
    SOURCE_FIELDS = 7,
    REJECT_FIELDS = 4
};

typedef struct {
    apr_pool_t *pool;
    long long staged, rejected;
} dsc_copied_t;

static void fail(const char *why, const char *table, const char *row, size_t length)
{
    fprintf(stderr, "%s: %s: %.*s\n", table, why, (int)(length > 2000 ? 2000 : length), row);
    abort();
}

/* A row that PostgreSQL would refuse fails its whole file: none may come here. */
static void check_row(void *baton, const char *table, const char *row, size_t length)
{
    dsc_copied_t *copied = baton;
    int is_reject = strcmp(table, "import_reject") == 0;
    int is_source = strcmp(table, "staged_source") == 0;
    const dsc_dataset_t *dataset =
        is_reject || is_source ? NULL : dsc_dataset_find(table + strlen("stage_"));
    int fields = 1;
    size_t i;

    for (i = 0; i < length; i++) {
        fields += row[i] == '\t';
    }
    if (fields != (is_source   ? SOURCE_FIELDS
                   : is_reject ? REJECT_FIELDS
                               : COMMON_FIELDS + dataset->column_count)) {
        fail("another number of fields", table, row, length);
    }
    if (memchr(row, '\0', length) != NULL ||
        !dsc_text_is_utf8(apr_pstrmemdup(copied->pool, row, length))) {
        fail("not valid UTF-8", table, row, length);
    }
    copied->rejected += is_reject;
    copied->staged += !is_reject && !is_source;
}

long long dsc_fuzz_stored;

static void run_import(apr_pool_t *pool, const dsc_target_t *target, const char *data, size_t size)
{
    dsc_copied_t copied = {.pool = pool};
    dsc_fuzz_load_t load;

    dsc_no_server_sink(check_row, &copied);
    load = dsc_fuzz_load(pool, target, data, size);
    dsc_fuzz_stored += load.committed > 0 ? copied.staged : 0;
    if (load.refused == 0 && load.count.read != copied.staged + copied.rejected) {
        fprintf(stderr, "%s: %lld rows read, %lld staged, %lld rejected\n", target->name,
                load.count.read, copied.staged, copied.rejected);
        abort();
    }
}

apr_pool_t *dsc_fuzz_pool;

void dsc_fuzz_begin(void)
{
    const char *error;

    apr_initialize();
    apr_pool_create(&dsc_fuzz_pool, NULL);
    dsc_tables_use(&dsc_tables);
    if ((error = dsc_eastern_begin()) != NULL) {
        fprintf(stderr, "%s\n", error);
        exit(2);
    }
}

void dsc_fuzz_end(void)
{
    apr_pool_destroy(dsc_fuzz_pool);
    apr_terminate();
}

apr_time_t dsc_processor_time(void)
{
    struct timespec spent;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return apr_time_from_sec(spent.tv_sec) + spent.tv_nsec / 1000;
}

const dsc_target_t *const dsc_target_tables[] = {dsc_import_targets, dsc_request_targets,
                                                 dsc_search_targets, NULL};

const dsc_target_t *dsc_target_find(const char *name)
{
    const dsc_target_t *target;
    int i;

    for (i = 0; dsc_target_tables[i] != NULL; i++) {
        for (target = dsc_target_tables[i]; target->name != NULL; target++) {
            if (strcmp(target->name, name) == 0) {
                return target;
            }
        }
    }
    return NULL;
}

/* Shows that an error is found: one byte too far, or no end. */
static void commit_error(const char *error, const char *end)
{
    volatile int goes_on = strcmp(error, "endless") == 0;

    while (goes_on) {
    }
    fprintf(stderr, "%d\n", end[1]);
}

void dsc_target_run(const dsc_target_t *target, const char *data, size_t size)
{
    apr_pool_t *pool;
    const char *error = getenv("FUZZ_FAULT");
    char *copy = malloc(size + 1); /* of its own, so that a byte too far is seen */

    if (copy == NULL) {
        abort();
    }
    memcpy(copy, data, size);
    if (error != NULL) {
        commit_error(error, copy + size);
    }
    apr_pool_create(&pool, NULL);
    if (target->parse != NULL) {
        target->parse(pool, copy, size);
    } else {
        run_import(pool, target, copy, size);
    }
    apr_pool_destroy(pool);
    free(copy);
}
