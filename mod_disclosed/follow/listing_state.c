/* What is known of listings: followed_listing, and the documents that they name. */
#include "follow/report.h"
#include "follow/source_clock.h"
#include "follow/state.h"
#include "loader/loader_value.h"

#include <apr_strings.h>
#include <stdlib.h>

/* Array literals of what the entries say. */
static void describe_entries(apr_pool_t *pool, const dsc_follow_source_t *source,
                             const apr_array_header_t *entries, const char *parameters[5])
{
    const char **texts[5];
    int i, column, count = 0;

    for (column = 0; column < 5; column++) {
        texts[column] = apr_palloc(pool, sizeof(char *) * ((size_t)entries->nelts + 1));
    }
    for (i = 0; i < entries->nelts; i++) {
        const dsc_follow_entry_t *entry = &APR_ARRAY_IDX(entries, i, dsc_follow_entry_t);

        if (dsc_follow_find_kind(source, entry->kind) != NULL) {
            texts[0][count] = entry->identity;
            texts[1][count] = entry->kind;
            texts[2][count] = entry->url;
            texts[3][count] = entry->cik ? entry->cik : "";
            texts[4][count++] = entry->published_at ? entry->published_at : "";
        }
    }
    for (column = 0; column < 5; column++) {
        parameters[column] = dsc_texts_literal(pool, count, texts[column]);
    }
}

/* A part that is over by the source's clock does not change any more. */
static const char *const part_is_over[DSC_PARTS_COUNT] = {
    [DSC_PARTS_WHOLE] = "false",
    [DSC_PARTS_WEEKDAYS] = "true",
    [DSC_PARTS_QUARTERS] = SOURCE_DAY " > l.part + interval '3 months 7 days'",
    [DSC_PARTS_YEARS] = SOURCE_DAY " > l.part + interval '2 years'",
};

/* SQL that says when the listing is looked at next, after it was read or has
 * not changed. */
static const char *again_sql(apr_pool_t *pool, const dsc_follower_t *follow,
                             const dsc_follow_listing_t *listing)
{
    return apr_psprintf(pool,
                        " next_at = CASE WHEN NOT (%s) THEN clock_timestamp() + interval '%d s' "
                        "END,"
                        " completed = (%s), checked_at = clock_timestamp(), attempts = 0,"
                        " failure_kind = NULL, failure = NULL",
                        part_is_over[listing->parts],
                        listing->again > 0 ? listing->again : follow->options->poll,
                        part_is_over[listing->parts]);
}

/* SQL of how many documents the index of a day, row l, has added that the feed should have shown:
 * what it showed in the week before is here. */
#define SKIPPED                                                                                    \
    "CASE WHEN EXISTS (SELECT FROM disclosed.followed_document f WHERE f.source = $1 AND"          \
    " f.seen_in = $13 AND f.stored_at >= l.part - interval '7 days' AND f.stored_at < l.part)"     \
    " THEN (SELECT count(*) FROM added) ELSE 0 END"

static int note_skipped(dsc_follower_t *follow, const dsc_follow_source_t *source,
                        const dsc_follow_listing_t *listing, const char *part, PGresult *result)
{
    int count = result != NULL && PQntuples(result) == 1 ? atoi(PQgetvalue(result, 0, 0)) : 0;

    if (count > 0 && listing->parts == DSC_PARTS_WEEKDAYS) {
        dsc_follow_count_failure(follow, source, DSC_ERROR_SKIPPED);
        dsc_follow_report(follow, 1, "%s: %s of %s: %d filings that the %s has not shown",
                          source->name, listing->name, part, count, source->listings->name);
    }
    PQclear(result);
    return result != NULL;
}

int dsc_follow_note_listing(dsc_follower_t *follow, apr_pool_t *pool,
                            const dsc_follow_source_t *source, const dsc_follow_listing_t *listing,
                            const char *part, const apr_array_header_t *entries,
                            const apr_array_header_t *top, const dsc_fetch_t *fetch)
{
    const char *parameters[13] = {source->name, listing->name, part};
    const char *sql =
        apr_pstrcat(pool,
                    "WITH e AS (SELECT DISTINCT ON (identity) * FROM unnest($4::text[], "
                    "$5::text[], $6::text[],"
                    " $7::text[], $8::text[]) AS e(identity, kind, url, cik, published_at) "
                    "ORDER BY identity, url),"
                    " added AS (INSERT INTO disclosed.followed_document (source, identity, "
                    "kind, url, cik,"
                    " published_at, seen_in, priority) SELECT $1, identity, kind, url, "
                    "nullif(cik, '')::bigint,"
                    " nullif(published_at, '')::timestamptz, $2, $12::smallint FROM e"
                    " ORDER BY nullif(published_at, '')::timestamptz, identity"
                    " ON CONFLICT (source, identity) ",
                    listing->moves ? "DO UPDATE SET url = excluded.url WHERE"
                                     " followed_document.state <> 'stored' RETURNING 1)"
                                   : "DO NOTHING RETURNING 1)",
                    " UPDATE disclosed.followed_listing l SET seen = CASE WHEN $9 = '{}' "
                    "THEN l.seen ELSE $9::text[] END,"
                    " listed = (SELECT count(*) FROM e), etag = $10, last_modified = $11,",
                    again_sql(pool, follow, listing),
                    " FROM disclosed.followed_source s WHERE s.source = $1 AND l.source = $1 "
                    "AND l.listing = $2"
                    " AND l.part = $3::date RETURNING " SKIPPED,
                    NULL);

    describe_entries(pool, source, entries, parameters + 3);
    parameters[8] =
        dsc_texts_literal(pool, top->nelts, (const char *const *)(const void *)top->elts);
    parameters[9] = fetch->got_etag;
    parameters[10] = fetch->got_last_modified;
    parameters[11] = apr_itoa(pool, listing->priority);
    parameters[12] = source->listings->name;
    return note_skipped(follow, source, listing, part,
                        dsc_follow_query(follow, sql, 13, parameters));
}

void dsc_follow_same_listing(dsc_follower_t *follow, const dsc_follow_listing_t *listing,
                             const dsc_follow_source_t *source, const char *part)
{
    const char *parameters[] = {source->name, listing->name, part};
    const char *sql =
        apr_pstrcat(follow->pass, "UPDATE disclosed.followed_listing l SET",
                    again_sql(follow->pass, follow, listing),
                    " FROM disclosed.followed_source s WHERE s.source = $1 AND l.source = $1"
                    " AND l.listing = $2 AND l.part = $3::date",
                    NULL);

    (void)dsc_follow_command(follow, sql, 3, parameters);
}

/* A day without an index, when a later day has one, was none on which filings
 * are taken. */
void dsc_follow_fail_listing(dsc_follower_t *follow, const dsc_follow_source_t *source,
                             const dsc_follow_listing_t *listing, const char *part,
                             dsc_fetch_error_t error, const char *reason)
{
    const char *parameters[] = {source->name, listing->name,
                                part,         dsc_fetch_error_name(error),
                                reason,       dsc_follow_is_failure(error) ? "1" : "0"};

    (void)dsc_follow_command(
        follow,
        "UPDATE disclosed.followed_listing l SET attempts = attempts + "
        "$6::integer,"
        " completed = $4 = 'absent' AND EXISTS (SELECT FROM "
        "disclosed.followed_listing later"
        " WHERE later.source = $1 AND later.listing = $2 AND later.part > l.part "
        "AND later.listed > 0),"
        " next_at = clock_timestamp() + disclosed.followed_pause(attempts + 1),"
        " failure_kind = $4, failure = $5 WHERE source = $1 AND listing = $2 AND "
        "part = $3::date",
        6, parameters);
    (void)
        dsc_follow_command(follow,
                           "UPDATE disclosed.followed_listing SET next_at = NULL WHERE source = $1"
                           " AND listing = $2 AND completed AND next_at IS NOT NULL",
                           2, parameters);
    if (dsc_follow_is_failure(error)) {
        dsc_follow_count_failure(follow, source, error);
    }
}
