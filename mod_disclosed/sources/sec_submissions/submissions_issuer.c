/* The issuer of a submissions file: names, facts and listings.
 *
 * When is it known? A former name is dated by its first and last filing: it counts from the end of
 * the day of its first. The present name counts from the next filing after the last of the name
 * before it, if the file's list reaches back to that (older pages are files of their own: then from
 * that last day), or from the issuer's first filing. These versions hold the name alone, for of
 * everything else the file gives only the present state. That state is true at the snapshot's own
 * instant, which is in no field; the newest acceptance time in it stands for it. So an earlier
 * snapshot that is imported later slips in before the present state, and the latest snapshot's
 * facts are the current ones in any order. */
#include "engine/buffer.h"
#include "engine/calendar.h"
#include "engine/shape.h"
#include "loader/loader_value.h"
#include "sources/sec_submissions/edgar_country.h"
#include "sources/sec_submissions/sec_submissions.h"
#include "sources/sec_submissions/submissions_row.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <apr_time.h>
#include <stdlib.h>
#include <string.h>

enum {
    DAY_LENGTH = 10
};

/* A former name and the days of the first and the last filing under it. */
typedef struct {
    const char *name;
    const char *from;
    const char *to;
} former_name_t;

static const struct {
    const char *column;
    const char *member;
} facts_in_file[] = {
    {"entity_type", "entityType"},
    {"sic", "sic"},
    {"sic_description", "sicDescription"},
    {"state_of_incorporation", "stateOfIncorporation"},
    {"fiscal_year_end", "fiscalYearEnd"},
    {"website", "website"},
    {"description", "description"},
    {"lei", "lei"},
    {"phone", "phone"},
};

static const char *source_url(const dsc_submissions_t *file)
{
    return apr_pstrcat(file->pool, "https://data.sec.gov/submissions/CIK", file->cik, ".json",
                       NULL);
}

static void begin_record(const dsc_submissions_t *file, dsc_load_record_t *record,
                         const char *location, const char *key)
{
    memset(record, 0, sizeof(*record));
    record->location = location;
    record->cik = file->cik;
    record->issuer_name = file->name;
    record->record_key = key;
    record->provenance.provider = "sec";
    record->provenance.url = source_url(file);
}

/* ---------------------------------------------------------------- names */

static apr_status_t add_name(const dsc_submissions_t *file, const char *location, const char *name,
                             const char *known_on)
{
    const dsc_dataset_t *dataset = dsc_dataset_find("company");
    const char **values = dsc_load_values(file->pool, dataset);
    dsc_load_record_t record;

    dsc_load_set(dataset, values, "name", name);
    begin_record(file, &record, location, "profile");
    record.known_on = known_on;
    record.values = values;
    return dsc_loader_add(file->loader, dataset, &record);
}

/* The day of an instant such as 2007-01-10T05:00:00.000Z: midnight in New York, written on either
 * clock, has the right date in both. NULL if it is no instant. */
static const char *day_of(apr_pool_t *pool, const char *instant)
{
    return instant && strlen(instant) >= DAY_LENGTH ? apr_pstrmemdup(pool, instant, DAY_LENGTH)
                                                    : NULL;
}

/* The day after a date; what is no date stays as it is, for the loader to refuse. */
static const char *next_day(apr_pool_t *pool, const char *day)
{
    return dsc_value_error(DSC_COLUMN_DATE, day) ? day
                                                 : dsc_day_text(pool, dsc_day_of_text(day) + 1);
}

static int compare_names(const void *left, const void *right)
{
    const former_name_t *a = left;
    const former_name_t *b = right;
    int order = strcmp(a->from, b->from);

    return order != 0 ? order : -strcmp(a->to, b->to);
}

static int is_date(const char *text)
{
    return text && !dsc_value_error(DSC_COLUMN_DATE, text);
}

/* The member as a former name; 0 if it lacks a part. Some end on the day on which they began, and a
 * few are said to end before it. */
static int read_name(apr_pool_t *pool, const json_t *member, former_name_t *former)
{
    former->name = dsc_submissions_text(pool, json_object_get(member, "name"));
    former->from = day_of(pool, json_string_value(json_object_get(member, "from")));
    former->to = day_of(pool, json_string_value(json_object_get(member, "to")));
    if (!former->name || !is_date(former->from) || !is_date(former->to)) {
        return 0;
    }
    former->to = strcmp(former->to, former->from) < 0 ? former->from : former->to;
    return 1;
}

/* None of them says when it was in force if one of them does not. */
static apr_status_t reject_names(const dsc_submissions_t *file, const json_t *given)
{
    apr_status_t status = APR_SUCCESS;
    former_name_t former;
    const json_t *one;
    size_t i;

    json_array_foreach(given, i, one)
    {
        const char *reason = read_name(file->pool, one, &former)
                                 ? "another former name of this file lacks its name or its dates: "
                                   "when this one was in use is not known"
                                 : "a former name needs a name and the dates from and to";

        if (status == APR_SUCCESS) {
            status =
                dsc_loader_reject(file->loader, apr_psprintf(file->pool, "formerNames[%d]", (int)i),
                                  reason, former.name);
        }
    }
    return status;
}

/* The former names in the order in which they began; *names is NULL if the file does not state all
 * of them, so that nothing can be said of the past. */
static apr_status_t read_names(const dsc_submissions_t *file, apr_array_header_t **names)
{
    const json_t *given = json_object_get(file->issuer, "formerNames");
    former_name_t former;
    const json_t *one;
    size_t i;

    *names = NULL;
    if (!json_is_array(given)) {
        return APR_SUCCESS;
    }
    *names = apr_array_make(file->pool, (int)json_array_size(given) + 1, sizeof(former_name_t));
    json_array_foreach(given, i, one)
    {
        if (!read_name(file->pool, one, &former)) {
            *names = NULL;
            return reject_names(file, given);
        }
        APR_ARRAY_PUSH(*names, former_name_t) = former;
    }
    qsort((*names)->elts, (size_t)(*names)->nelts, sizeof(former_name_t), compare_names);
    return APR_SUCCESS;
}

/* The name that is in use again when this one ends: one that began before it, ends after it, and
 * that no other has followed meanwhile. The last begun of them; NULL if there is none. */
static const former_name_t *resumed_after(const apr_array_header_t *names, int ended)
{
    const former_name_t *all = (const former_name_t *)names->elts;
    int i;

    if (ended + 1 < names->nelts && strcmp(all[ended + 1].from, all[ended].to) <= 0) {
        return NULL;
    }
    for (i = ended - 1; i >= 0; i--) {
        if (strcmp(all[i].to, all[ended].to) > 0) {
            return &all[i];
        }
    }
    return NULL;
}

/* The day of the first filing after the last one under a name; NULL if there is none. If the
 * list begins later, its first filings may be on an older page: that last day itself. */
static const char *day_after_name(const dsc_submissions_t *file, const char *last)
{
    const json_t *days = json_object_get(file->filings, "filingDate"), *one;
    const char *next = NULL;
    int reaches_back = 0;
    size_t i;

    json_array_foreach(days, i, one)
    {
        const char *day = json_string_value(one);

        if (!is_date(day)) {
            continue;
        }
        reaches_back |= strcmp(day, last) <= 0;
        if (strcmp(day, last) > 0 && (!next || strcmp(day, next) < 0)) {
            next = day;
        }
    }
    return reaches_back ? next : last;
}

/* The same of a former name; one whose last day is its first is in force until the day after it. */
static const char *end_of_name(const dsc_submissions_t *file, const former_name_t *former)
{
    const char *over = day_after_name(file, former->to);

    return over && strcmp(over, former->from) <= 0 ? next_day(file->pool, former->from) : over;
}

/* *last: the name that ended last; NULL: there is none. */
static apr_status_t add_names(const dsc_submissions_t *file, const apr_array_header_t *names,
                              const former_name_t **last)
{
    apr_status_t status = APR_SUCCESS;
    int i;

    for (i = 0; i < names->nelts && status == APR_SUCCESS; i++) {
        const former_name_t *former = &APR_ARRAY_IDX(names, i, former_name_t);
        const former_name_t *resumed = resumed_after(names, i);
        const char *location = apr_psprintf(file->pool, "formerNames (%s)", former->name);
        const char *over = resumed ? end_of_name(file, former) : NULL;

        status = add_name(file, location, former->name, former->from);
        if (status == APR_SUCCESS && over) {
            status = add_name(file, location, resumed->name, over);
        }
        if (!*last || strcmp(former->to, (*last)->to) >= 0) {
            *last = former;
        }
    }
    return status;
}

/* ---------------------------------------------------------------- facts */

/* EDGAR separates the parts of a filer category by a tag, and may leave the first one empty. */
static const char *filer_category(apr_pool_t *pool, const char *text)
{
    static const char separator[] = "<br>";
    dsc_buffer_t *parts = dsc_buffer_create(pool, 128);

    while (text && *text) {
        const char *end = strstr(text, separator);
        size_t length = end ? (size_t)(end - text) : strlen(text);

        if (length > 0) {
            dsc_buffer_append_text(parts, parts->length > 0 ? "; " : "");
            dsc_buffer_append(parts, text, length);
        }
        text = end ? end + sizeof(separator) - 1 : NULL;
    }
    return parts->length > 0 ? dsc_buffer_text(parts) : NULL;
}

static const char *country_of(const dsc_submissions_t *file)
{
    const json_t *business =
        json_object_get(json_object_get(file->issuer, "addresses"), "business");
    const char *country = json_string_value(json_object_get(business, "countryCode"));
    const char *state = json_string_value(json_object_get(business, "stateOrCountry"));

    return dsc_edgar_country(country && *country ? country : state);
}

static const char *const *profile_values(const dsc_submissions_t *file,
                                         const dsc_dataset_t *dataset)
{
    const char **values = dsc_load_values(file->pool, dataset);
    const char *ein = dsc_submissions_text(file->pool, json_object_get(file->issuer, "ein"));
    size_t i;

    dsc_load_set(dataset, values, "name", file->name);
    for (i = 0; i < sizeof(facts_in_file) / sizeof(facts_in_file[0]); i++) {
        dsc_load_set(dataset, values, facts_in_file[i].column,
                     dsc_submissions_text(file->pool,
                                          json_object_get(file->issuer, facts_in_file[i].member)));
    }
    dsc_load_set(dataset, values, "country", country_of(file));
    dsc_load_set(dataset, values, "filer_category",
                 filer_category(file->pool,
                                dsc_submissions_text(file->pool,
                                                     json_object_get(file->issuer, "category"))));
    /* nine zeros: the filer has no number */
    dsc_load_set(dataset, values, "ein", ein && strspn(ein, "0") < strlen(ein) ? ein : NULL);
    return values;
}

static const char *present_instant(apr_pool_t *pool)
{
    apr_time_exp_t parts;

    apr_time_exp_gmt(&parts, apr_time_now());
    return apr_psprintf(pool, "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900,
                        parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

/* The instant at which the file was true: its newest filing's, for a file without filings what the
 * command line says, else the present. */
static const char *snapshot_instant(const dsc_submissions_t *file)
{
    const char *given = dsc_loader_options(file->loader)->known_at;

    if (file->snapshot) {
        return file->snapshot;
    }
    return given ? given : present_instant(file->pool);
}

static apr_status_t add_profile(const dsc_submissions_t *file, const char *known_at)
{
    const dsc_dataset_t *dataset = dsc_dataset_find("company");
    dsc_load_record_t record;

    begin_record(file, &record, "issuer", "profile");
    record.known_at = known_at;
    record.values = profile_values(file, dataset);
    return dsc_loader_add(file->loader, dataset, &record);
}

/* ------------------------------------------------------------- listings */

static apr_status_t add_listing(const dsc_submissions_t *file, size_t rank, const char *ticker,
                                const char *known_at)
{
    const dsc_dataset_t *dataset = dsc_dataset_find("listing");
    const char **values = dsc_load_values(file->pool, dataset);
    const json_t *exchanges = json_object_get(file->issuer, "exchanges");
    dsc_load_record_t record;

    dsc_load_set(dataset, values, "ticker", ticker);
    dsc_load_set(dataset, values, "market", "US");
    dsc_load_set(dataset, values, "name", file->name);
    dsc_load_set(dataset, values, "listing_exchange",
                 dsc_submissions_text(file->pool, json_array_get(exchanges, rank)));
    dsc_load_set(dataset, values, "status", "active");
    dsc_load_set(dataset, values, "listing_rank", apr_psprintf(file->pool, "%d", (int)rank));
    dsc_load_set(dataset, values, "listed_on", day_of(file->pool, known_at));
    begin_record(file, &record, apr_psprintf(file->pool, "tickers[%d]", (int)rank),
                 apr_pstrcat(file->pool, ticker, ":US", NULL));
    record.known_at = known_at;
    record.values = values;
    return dsc_loader_add(file->loader, dataset, &record);
}

/* A file has all tickers of its company at its instant: what others of its files said and it lacks
 * was no listing, or is none any more. */
static apr_status_t store_tickers(const dsc_submissions_t *file, const apr_array_header_t *keys,
                                  const char *known_at)
{
    static const char sql[] =
        "SELECT dataset, changed_issuer, place FROM"
        " disclosed.tell_tickers($1::bigint[], $2::timestamptz[], $3, $4::boolean[])";
    const char *parameters[] = {file->cik, known_at, dsc_text_array(file->pool, keys),
                                dsc_loader_all_merged};
    apr_status_t status = dsc_loader_writes(file->loader, dsc_dataset_find("listing"));

    return status == APR_SUCCESS
               ? dsc_loader_after_together(file->loader, sql, DSC_COUNT(parameters), parameters)
               : status;
}

static apr_status_t add_listings(const dsc_submissions_t *file, const char *known_at)
{
    const json_t *tickers = json_object_get(file->issuer, "tickers");
    size_t exchanges = json_array_size(json_object_get(file->issuer, "exchanges"));
    apr_array_header_t *keys =
        apr_array_make(file->pool, (int)json_array_size(tickers) + 1, sizeof(const char *));
    long long rejected = dsc_loader_rejected(file->loader);
    apr_status_t status = APR_SUCCESS;
    const json_t *one;
    size_t rank;

    if (json_array_size(tickers) != exchanges) { /* one that was lost shifts the others */
        return dsc_loader_reject(
            file->loader, "tickers",
            apr_psprintf(file->pool,
                         "has %lu entries where exchanges has %lu: no listing of this file is read",
                         (unsigned long)json_array_size(tickers), (unsigned long)exchanges),
            NULL);
    }
    json_array_foreach(tickers, rank, one)
    {
        const char *text = dsc_submissions_text(file->pool, one);
        char *ticker = text ? apr_pstrdup(file->pool, text) : NULL;

        if (status != APR_SUCCESS) {
            break;
        }
        if (!ticker) {
            status =
                dsc_loader_reject(file->loader, apr_psprintf(file->pool, "tickers[%d]", (int)rank),
                                  "a ticker must be a text that is not empty", NULL);
            continue;
        }
        for (char *at = ticker; *at; at++) {
            *at = (char)apr_toupper(*at);
        }
        status = add_listing(file, rank, ticker, known_at);
        APR_ARRAY_PUSH(keys, const char *) = apr_pstrcat(file->pool, ticker, ":US", NULL);
    }
    return status == APR_SUCCESS && json_is_array(tickers) &&
                   rejected == dsc_loader_rejected(file->loader)
               ? store_tickers(file, keys, known_at)
               : status;
}

/* The names from when they were known: the former ones, and the present one. */
static apr_status_t add_history(const dsc_submissions_t *file)
{
    const former_name_t *last = NULL;
    const char *begun;
    apr_array_header_t *names;
    apr_status_t status = read_names(file, &names);

    if (status != APR_SUCCESS || !names) {
        return status;
    }
    if ((status = add_names(file, names, &last)) != APR_SUCCESS) {
        return status;
    }
    begun = last ? end_of_name(file, last) : file->first_known;
    return begun ? add_name(file, "name", file->name, begun) : APR_SUCCESS;
}

apr_status_t dsc_submissions_add_issuer(dsc_submissions_t *file)
{
    const char *known_at = snapshot_instant(file);
    apr_status_t status = add_history(file);

    if (status == APR_SUCCESS) {
        status = add_profile(file, known_at);
    }
    return status == APR_SUCCESS ? add_listings(file, known_at) : status;
}
