#include "follow/listing.h"

#include "engine/interrupt.h"
#include "follow/body.h"
#include "follow/report.h"

#include <apr_strings.h>
#include <string.h>

/* A part of a listing being read. */
typedef struct {
    dsc_follower_t *follow;
    apr_pool_t *pool;
    const dsc_follow_source_t *source;
    const dsc_follow_listing_t *listing;
    const dsc_follow_due_t *due;
    const char *since;
    dsc_fetch_t fetch;           /* of the page at hand */
    apr_array_header_t *entries; /* of all pages */
    apr_array_header_t *top;     /* of the first page */
    const char *source_time;     /* by the first page */
} reading_t;

/* ------------------------------------------------------------------------- one page */

static void fail(reading_t *reading, dsc_fetch_error_t error, const char *reason)
{
    dsc_follow_fail_listing(reading->follow, reading->source, reading->listing, reading->due->part,
                            error, reason);
    dsc_follow_report_failure(reading->follow, reading->source->name, reading->listing->name,
                              reading->fetch.url, error, reason);
}

/* Fetches a page; 0: there is none, and the reason is reported, or it has not changed. */
static int fetch_page(reading_t *reading, int number)
{
    const dsc_address_values_t place = {reading->due->part, number * 100, NULL};
    dsc_fetch_t *fetch = &reading->fetch;
    const char *reason = NULL;
    dsc_fetch_error_t error;

    memset(fetch, 0, sizeof(*fetch));
    fetch->url = dsc_follow_address(reading->pool, reading->listing->url, &place);
    fetch->etag = reading->due->etag;
    fetch->last_modified = reading->due->last_modified;
    fetch->path = apr_pstrcat(reading->pool, reading->follow->scratch, "/listing", NULL);
    fetch->most = (apr_int64_t)512 << 20;
    dsc_fetch_all(reading->follow->fetcher, reading->pool, reading->source->request_limit, fetch,
                  1);
    if (fetch->error != DSC_ERROR_NONE) {
        fail(reading, fetch->error, fetch->reason);
        return 0;
    }
    if (fetch->status == 304) {
        dsc_follow_same_listing(reading->follow, reading->listing, reading->source,
                                reading->due->part);
        return 0;
    }
    error = dsc_body_error(reading->pool, fetch->path, reading->listing->body, NULL, &reason);
    if (error != DSC_ERROR_NONE) {
        if (dsc_body_is_refusal(error, reason)) {
            dsc_fetcher_refused(reading->follow->fetcher, reading->source->request_limit, reason);
        }
        fail(reading, error, reason);
        return 0;
    }
    return 1;
}

/* Reads it; 0: it cannot be read, and the reason is reported. */
static int read_page(reading_t *reading, dsc_follow_page_t *page)
{
    page->pool = reading->pool;
    page->source = reading->source;
    page->listing = reading->listing;
    page->path = reading->fetch.path;
    page->part = reading->due->part;
    page->since = reading->since;
    page->seen = reading->due->seen;
    page->entries = reading->entries;
    page->top = apr_array_make(reading->pool, 100, sizeof(const char *));
    reading->listing->read(page);
    if (page->error != NULL) {
        fail(reading, DSC_ERROR_DAMAGED, page->error);
        return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------------- all pages */

/* If the last entry seen does not appear any more, something may have been missed; the index will
 * show it. */
static void note_read(reading_t *reading, int pages, int met)
{
    if (reading->source_time != NULL) {
        dsc_follow_store_time(reading->follow, reading->source, reading->source_time);
    } else if (reading->fetch.date > 0 && reading->listing == reading->source->listings) {
        dsc_follow_store_date(reading->follow, reading->source, reading->fetch.date);
    }
    (void)dsc_follow_note_listing(reading->follow, reading->pool, reading->source, reading->listing,
                                  reading->due->part, reading->entries, reading->top,
                                  &reading->fetch);
    if (!met && reading->due->seen->nelts > 0) {
        dsc_follow_count_failure(reading->follow, reading->source, DSC_ERROR_SKIPPED);
        dsc_follow_report(
            reading->follow, 1,
            "%s: %s: what was seen last is not among the latest %d pages: the index will tell what was missed",
            reading->source->name, reading->listing->name, pages);
    }
}

/* Pages until the last one that was seen: each is about the same while new entries push others on,
 * which then come twice. */
static void read_part(reading_t *reading)
{
    dsc_follow_page_t page;
    int number = 0;

    reading->entries = apr_array_make(reading->pool, 256, sizeof(dsc_follow_entry_t));
    do {
        memset(&page, 0, sizeof(page));
        if (!fetch_page(reading, number) || !read_page(reading, &page)) {
            return;
        }
        if (number++ == 0) {
            reading->top = page.top;
            reading->source_time = page.source_time;
        }
    } while (!page.met && number < reading->listing->pages && !dsc_interrupted());
    note_read(reading, number, page.met);
}

static const char *since_of(dsc_follower_t *follow, apr_pool_t *pool,
                            const dsc_follow_source_t *source)
{
    PGresult *result =
        dsc_follow_query(follow, "SELECT since FROM disclosed.followed_source WHERE source = $1", 1,
                         &source->name);
    const char *since = result != NULL && PQntuples(result) == 1 && !PQgetisnull(result, 0, 0)
                            ? apr_pstrdup(pool, PQgetvalue(result, 0, 0))
                            : NULL;

    PQclear(result);
    return since;
}

static void read_listing(dsc_follower_t *follow, apr_pool_t *pool,
                         const dsc_follow_source_t *source, const dsc_follow_listing_t *listing)
{
    apr_array_header_t *parts = dsc_follow_due_parts(follow, pool, source, listing);
    apr_pool_t *each;
    int i;

    apr_pool_create(&each, pool);
    for (i = 0; parts != NULL && i < parts->nelts && !dsc_interrupted() && !follow->reason; i++) {
        reading_t reading = {.follow = follow,
                             .pool = each,
                             .source = source,
                             .listing = listing,
                             .due = &APR_ARRAY_IDX(parts, i, dsc_follow_due_t)};

        reading.since = since_of(follow, each, source);
        read_part(&reading);
        (void)dsc_follow_lease(follow, source);
        apr_pool_clear(each);
    }
    apr_pool_destroy(each);
}

void dsc_follow_listings(dsc_follower_t *follow, apr_pool_t *pool,
                         const dsc_follow_source_t *source)
{
    const dsc_follow_listing_t *listing;

    for (listing = source->listings;
         listing != NULL && listing->name != NULL && follow->reason == NULL; listing++) {
        if (!dsc_follow_plan(follow,
                             source)) { /* the feed states the time, by which parts are due */
            return;
        }
        read_listing(follow, pool, source, listing);
    }
    (void)dsc_follow_command(
        follow,
        "UPDATE disclosed.followed_source s SET checked_at = clock_timestamp() WHERE source = $1"
        " AND NOT EXISTS (SELECT FROM disclosed.followed_listing l WHERE l.source = $1"
        " AND l.failure IS NOT NULL AND NOT l.completed)",
        1, &source->name);
}
