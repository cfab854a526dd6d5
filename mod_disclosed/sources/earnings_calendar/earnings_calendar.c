/* Importer of earnings calendars, as data vendors publish them: CSV with symbol, name, reportDate,
 * fiscalDateEnding and more, one row for each upcoming report. The dates are the vendor's
 * estimates. */
#include "sources/importers.h"

#include "datasets/datasets.h"
#include "engine/calendar.h"
#include "formats/market_date.h"
#include "formats/delimited.h"
#include "loader/loader_value.h"
#include "loader/snapshot_time.h"
#include "loader/symbol_spelling.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>
#include <strings.h>

enum {
    FARTHEST_DAYS = 3653, /* ahead; the dataset itself takes fewer, from when the calendar is of */
    BATCH = 500           /* rows whose symbols are looked up at once */
};

static const char first_day[] =
    "1990-01-01"; /* companies and vendors had no such calendars before */

static const char *const symbol_names[] = {"symbol", "ticker", NULL};
static const char *const name_names[] = {"name", "companyname", "company", NULL};
static const char *const report_names[] = {"reportdate", "earningsdate", NULL};
static const char *const date_names[] = {"date", NULL};
static const char *const estimate_names[] = {"estimate",          "eps",
                                             "epsestimate",       "epsforecast",
                                             "epsestimated",      "estimatedeps",
                                             "lastyeareps",       "revenueestimated",
                                             "numberofestimates", NULL};
static const char *const period_names[] = {"fiscaldateending", "fiscalperiodend", "periodending",
                                           NULL};

typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool; /* of the notices that wait; cleared when they have gone to the loader */
    dsc_load_record_t waiting[BATCH];
    int count;
    dsc_delimited_t rows;
    int symbol, name, report, period; /* columns; the last three may be -1 */
    const char *taken_at, *content_hash;
    apr_hash_t *dates; /* of reports so far, with their lines, by record key: a second load finds
                          what the first one has stored */
} calendar_t;

int dsc_accept_earnings_calendar(const char *name)
{
    const char *base = name + strlen(name);
    size_t length;

    while (base > name && base[-1] != '/' && base[-1] != ':') {
        base--;
    }
    length = strlen(base);
    return (strncasecmp(base, "earnings-calendar", 17) == 0 ||
            strncasecmp(base, "earnings_calendar", 17) == 0) &&
           length > 4 && strcasecmp(base + length - 4, ".csv") == 0;
}

/* ----------------------------------------------------------------------- values */

/* The row's text, for as long as its notice waits. */
static const char *text_of(calendar_t *calendar, int column)
{
    return apr_pstrdup(calendar->pool, dsc_delimited_field(&calendar->rows, column));
}

/* YYYY-MM-DD; what is no date stays as it is, for the loader to refuse. */
static const char *date_of(calendar_t *calendar, int column)
{
    const char *text = text_of(calendar, column);
    const char *date = text ? dsc_plain_date(calendar->pool, text) : NULL;

    return date ? date : text;
}

static int is_other_age(const char *date)
{
    return date && dsc_value_error(DSC_COLUMN_DATE, date) == NULL &&
           !dsc_date_is_between(date, first_day, FARTHEST_DAYS);
}

/* ------------------------------------------------------------------------- rows */

/* Passes on the waiting notices. */
static apr_status_t flush(calendar_t *calendar)
{
    apr_status_t rv = dsc_loader_find_symbols(calendar->loader, calendar->pool, calendar->count,
                                              calendar->waiting);

    for (int i = 0; rv == APR_SUCCESS && i < calendar->count; i++) {
        rv = dsc_loader_add(calendar->loader, &dsc_dataset_event_notice, &calendar->waiting[i]);
    }
    calendar->count = 0;
    apr_pool_clear(calendar->pool);
    return rv;
}

/* What is wrong with the date if a row before has another for the same report; NULL: nothing. */
static const char *other_date(calendar_t *calendar, const char *key, const char *report,
                              const char *location)
{
    apr_pool_t *pool = dsc_loader_file_pool(calendar->loader);
    const char *known = apr_hash_get(calendar->dates, key, APR_HASH_KEY_STRING);

    if (known == NULL) {
        apr_hash_set(calendar->dates, apr_pstrdup(pool, key), APR_HASH_KEY_STRING,
                     apr_pstrcat(pool, report, ", ", location, NULL));
        return NULL;
    }
    return strncmp(known, report, strlen(report)) == 0 && known[strlen(report)] == ','
               ? NULL
               : apr_pstrcat(calendar->pool, "reportDate: another than before: ", known, NULL);
}

static apr_status_t add_notice(calendar_t *calendar, const char *location, const char *symbol)
{
    const dsc_dataset_t *dataset = &dsc_dataset_event_notice;
    const char **values = dsc_load_values(calendar->pool, dataset);
    const char *report = date_of(calendar, calendar->report);
    const char *period = date_of(calendar, calendar->period), *other;
    dsc_load_record_t record;

    if (is_other_age(report) || is_other_age(period)) {
        return dsc_loader_reject(calendar->loader, location,
                                 "a date is before 1990 or more than ten years ahead", symbol);
    }
    memset(&record, 0, sizeof(record));
    record.location = location;
    record.symbol = dsc_symbol_spellings(calendar->pool, symbol);
    record.symbol_on = report;
    record.unlisted_issuer = 1;
    record.issuer_name = text_of(calendar, calendar->name);
    /* With the symbol: shares of several classes are of one company. */
    record.record_key =
        apr_pstrcat(calendar->pool, "earnings-calendar/", dsc_symbol_code(calendar->pool, symbol),
                    "/", period ? period : "on/", period ? "" : report, NULL);
    record.known_at = calendar->taken_at;
    record.provenance.provider = "vendor_feed_mini";
    record.values = values;
    dsc_load_set(dataset, values, "type", "earnings");
    dsc_load_set(dataset, values, "event_on", report);
    dsc_load_set(dataset, values, "date_status", "estimated");
    dsc_load_set(dataset, values, "spellings", record.symbol);
    dsc_load_set(dataset, values, "stated_name", record.issuer_name);
    dsc_load_set(dataset, values, "period_end_date", period);
    if ((other = other_date(calendar, record.record_key, report, location)) != NULL) {
        return dsc_loader_reject(calendar->loader, location, other, symbol);
    }
    calendar->waiting[calendar->count++] = record;
    return APR_SUCCESS;
}

/* The date's line, if it shows that those of the file have their day before their month. */
static const char *day_first_error(calendar_t *calendar)
{
    const char *report = dsc_delimited_field(&calendar->rows, calendar->report);
    const char *period = dsc_delimited_field(&calendar->rows, calendar->period);

    return (report && dsc_date_is_day_first(report)) || (period && dsc_date_is_day_first(period))
               ? apr_psprintf(dsc_loader_file_pool(calendar->loader),
                              "line %" APR_INT64_T_FMT ": %s", calendar->rows.line,
                              dsc_day_first_error)
               : NULL;
}

static apr_status_t add_row(calendar_t *calendar)
{
    const char *location =
        apr_psprintf(calendar->pool, "line %" APR_INT64_T_FMT, calendar->rows.line);
    const char *symbol = text_of(calendar, calendar->symbol);

    if (calendar->rows.error) {
        return dsc_loader_reject(calendar->loader, location, calendar->rows.error, symbol);
    }
    if (!symbol || strpbrk(symbol, " \t") || !dsc_symbol_code(calendar->pool, symbol)) {
        return dsc_loader_reject(calendar->loader, location, "symbol: not a symbol", symbol);
    }
    if (!dsc_delimited_field(&calendar->rows, calendar->report)) {
        return dsc_loader_reject(calendar->loader, location, "reportDate: is required", symbol);
    }
    return add_notice(calendar, location, symbol);
}

/* ----------------------------------------------------------------------- a file */

typedef struct {
    const char *bytes;
    size_t length, at;
} memory_t;

static long read_memory(void *baton, void *bytes, size_t size, const char **reason)
{
    memory_t *memory = baton;
    size_t length = memory->length - memory->at;

    (void)reason;
    length = length < size ? length : size;
    memcpy(bytes, memory->bytes + memory->at, length);
    memory->at += length;
    return (long)length;
}

/* Prices and dividends have symbols and dates as well: a bare date is a report's if something else
 * speaks of earnings. */
static int has_estimates(dsc_delimited_t *rows)
{
    return dsc_delimited_column(rows, estimate_names) >= 0;
}

static int find_columns(calendar_t *calendar, const char **reason)
{
    int last = calendar->rows.column_count - 1;

    calendar->symbol = dsc_delimited_column(&calendar->rows, symbol_names);
    calendar->name = dsc_delimited_column(&calendar->rows, name_names);
    calendar->report = dsc_delimited_column(&calendar->rows, report_names);
    calendar->period = dsc_delimited_column(&calendar->rows, period_names);
    if (calendar->report < 0 && (calendar->period >= 0 || has_estimates(&calendar->rows))) {
        calendar->report = dsc_delimited_column(&calendar->rows, date_names);
    }
    if (calendar->symbol < 0 || calendar->report < 0) {
        *reason = calendar->symbol < 0 ? "the header has no column symbol"
                                       : "the header has no column reportDate";
        return 0;
    }
    calendar->rows.last_is_ignored = calendar->symbol != last && calendar->name != last &&
                                     calendar->report != last && calendar->period != last;
    return 1;
}

apr_status_t dsc_load_earnings_calendar(dsc_loader_t *loader, dsc_import_file_t *file,
                                        const char **reason)
{
    static const char first_seen[] = "SELECT disclosed.content_seen_at('event_notice', $1)";
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    calendar_t *calendar = apr_pcalloc(pool, sizeof(*calendar));
    memory_t memory = {NULL, 0, 0};
    apr_status_t status = APR_SUCCESS;
    int found = 0, rows = 0;

    calendar->loader = loader;
    memory.bytes = dsc_import_read_all(file, pool, DSC_LARGEST_WHOLE, &memory.length, reason);
    if (!memory.bytes || !dsc_delimited_open(&calendar->rows, pool, read_memory, &memory, reason) ||
        !find_columns(calendar, reason)) {
        return APR_EGENERAL;
    }
    calendar->content_hash = dsc_import_content_hash(file, reason);
    calendar->taken_at =
        dsc_snapshot_time(loader, file, first_seen, calendar->content_hash, reason);
    if (!calendar->taken_at) {
        return APR_EGENERAL;
    }
    dsc_loader_may_be_empty(loader); /* a calendar of days, or of a symbol, without a report */
    apr_pool_create(&calendar->pool, pool);
    calendar->dates = apr_hash_make(pool);
    while (status == APR_SUCCESS && (found = dsc_delimited_next(&calendar->rows, reason)) > 0) {
        if ((*reason = day_first_error(calendar)) != NULL) {
            return APR_EGENERAL;
        }
        status = add_row(calendar);
        if (status == APR_SUCCESS && ++rows % BATCH == 0) {
            status = flush(calendar);
        }
    }
    status = status == APR_SUCCESS && found == 0 ? flush(calendar) : status;
    return found < 0 ? APR_EGENERAL : status;
}
