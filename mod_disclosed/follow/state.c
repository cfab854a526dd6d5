#include "follow/state.h"

#include "engine/calendar.h"
#include "engine/interrupt.h"
#include "follow/report.h"
#include "follow/settlement.h"
#include "follow/source_clock.h"
#include "loader/loader_value.h"

#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PAUSE_NOT_YET "1 hour"
#define ABSENT_ATTEMPTS    "4" /* the pauses of followed_pause() after them take six minutes */

/* -------------------------------------------------------------------------- statements */

PGresult *dsc_follow_query(dsc_follower_t *follow, const char *sql, int count,
                           const char *const *parameters)
{
    PGresult *result = dsc_run(follow->connection, sql, count, parameters);

    if (result == NULL && follow->reason == NULL) {
        follow->reason =
            apr_pstrdup(follow->pool, dsc_connection_failure(follow->connection)->message);
    }
    return result;
}

int dsc_follow_command(dsc_follower_t *follow, const char *sql, int count,
                       const char *const *parameters)
{
    PGresult *result = dsc_follow_query(follow, sql, count, parameters);
    int good = result != NULL;

    PQclear(result);
    return good;
}

int dsc_follow_silence(dsc_connection_t *connection, apr_pool_t *pool, const char *source,
                       const char **reason)
{
    PGresult *result =
        dsc_run(connection,
                "SELECT set_config('disclosed.webhooks_since', CASE WHEN $1::text IS NULL THEN ''"
                " ELSE coalesce((SELECT since FROM disclosed.followed_source WHERE source = $1),"
                " current_date)::text END, false)",
                1, &source);

    if (result == NULL) {
        *reason = apr_pstrdup(pool, dsc_connection_failure(connection)->message);
        return 0;
    }
    PQclear(result);
    return 1;
}

static const char *text_at(apr_pool_t *pool, PGresult *result, int row, int column)
{
    return PQgetisnull(result, row, column) ? NULL
                                            : apr_pstrdup(pool, PQgetvalue(result, row, column));
}

/* ------------------------------------------------------------------------------- clock */

void dsc_follow_look_at_clock(dsc_follower_t *follow)
{
    PGresult *result =
        dsc_follow_query(follow, "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint",
                         0, NULL);
    apr_time_t ahead;

    if (result == NULL) {
        return;
    }
    ahead = apr_atoi64(PQgetvalue(result, 0, 0)) - dsc_monotonic_now();
    PQclear(result);
    if ((!follow->has_clock || ahead < follow->clock - APR_USEC_PER_SEC) &&
        !dsc_follow_command(follow, "SELECT disclosed.bring_followed_near()", 0, NULL)) {
        return;
    }
    follow->clock = ahead;
    follow->has_clock = 1;
}

/* ------------------------------------------------------------------------------ leases */

int dsc_follow_lease(dsc_follower_t *follow, const dsc_follow_source_t *source)
{
    const char *parameters[] = {source->name, follow->holder, follow->options->since};
    PGresult *result =
        dsc_follow_query(follow,
                         "INSERT INTO disclosed.followed_source AS s (source, holder, "
                         "lease_until, since)"
                         " VALUES ($1, $2, clock_timestamp() + interval '1 minute', $3::date)"
                         " ON CONFLICT (source) DO UPDATE SET holder = $2, since = least(s.since, "
                         "excluded.since),"
                         " lease_until = excluded.lease_until"
                         " WHERE s.holder = $2 OR s.lease_until IS NULL OR s.lease_until < "
                         "clock_timestamp()"
                         " RETURNING 1",
                         3, parameters);
    int is_ours = result != NULL && PQntuples(result) == 1;

    PQclear(result);
    return is_ours;
}

void dsc_follow_release(dsc_follower_t *follow, const dsc_follow_source_t *source)
{
    const char *parameters[] = {source->name, follow->holder};

    (void)dsc_follow_command(follow,
                             "UPDATE disclosed.followed_source SET lease_until = NULL"
                             " WHERE source = $1 AND holder = $2",
                             2, parameters);
}

/* ------------------------------------------------------------------------- what is due */

/* SQL of the parts that there are by now, as days, of a row s of
 * followed_source. */
static const char *const part_days[DSC_PARTS_COUNT] = {
    [DSC_PARTS_WHOLE] = "SELECT '-infinity'::date AS d",
    [DSC_PARTS_WEEKDAYS] = "SELECT g::date AS d FROM generate_series(s.since, " COMPLETE_DAY
                           ", interval '1 day') g WHERE extract(isodow FROM g) < 6",
    [DSC_PARTS_QUARTERS] = "SELECT g::date AS d FROM "
                           "generate_series(date_trunc('quarter', s.since),"
                           " " SOURCE_DAY ", interval '3 months') g",
    [DSC_PARTS_YEARS] = "SELECT g::date AS d FROM generate_series(date_trunc('year', s.since),"
                        " " SOURCE_DAY ", interval '1 year') g",
};

/* If --since is not given, from the first day that the source states; sources without a feed state
 * none. */
static int set_since(dsc_follower_t *follow, const dsc_follow_source_t *source)
{
    int has_feed = source->listings != NULL && source->listings->parts == DSC_PARTS_WHOLE;
    const char *parameters[] = {source->name, has_feed ? "t" : "f"};

    return dsc_follow_command(
        follow,
        "UPDATE disclosed.followed_source s SET since = " SOURCE_DAY
        " WHERE source = $1 AND since IS NULL AND (told_at IS NOT NULL OR NOT "
        "$2)",
        2, parameters);
}

static int plan_listing(dsc_follower_t *follow, const dsc_follow_source_t *source,
                        const dsc_follow_listing_t *listing)
{
    const char *parameters[] = {source->name, listing->name};
    const char *sql = apr_pstrcat(follow->pass,
                                  "INSERT INTO disclosed.followed_listing (source, listing, "
                                  "part) SELECT $1, $2, p.d",
                                  " FROM disclosed.followed_source s CROSS JOIN LATERAL (",
                                  part_days[listing->parts],
                                  ") p WHERE s.source = $1 AND NOT EXISTS (SELECT FROM "
                                  "disclosed.followed_listing l"
                                  " WHERE l.source = $1 AND l.listing = $2 AND l.part = p.d) "
                                  "ON CONFLICT DO NOTHING",
                                  NULL);

    return dsc_follow_command(follow, sql, 2, parameters);
}

static int add_file(dsc_follower_t *follow, apr_pool_t *pool, const dsc_follow_source_t *source,
                    const dsc_follow_file_t *file, const char *part)
{
    const dsc_address_values_t place = {part, 0, NULL};
    const char *url = dsc_follow_address(pool, file->url, &place);
    const char *parameters[] = {source->name, strrchr(url, '/') + 1, file->kind, url};

    return dsc_follow_command(
        follow,
        "INSERT INTO disclosed.followed_document (source, identity, kind, url, "
        "seen_in)"
        " SELECT $1, $2, $3, $4, 'schedule' WHERE NOT EXISTS (SELECT FROM "
        "disclosed.followed_document"
        " WHERE source = $1 AND identity = $2) ON CONFLICT DO NOTHING",
        4, parameters);
}

/* Where a file of a later day is stored, those of days before that are not there will not come:
 * they are not missing. */
static int forget_never(dsc_follower_t *follow, const dsc_follow_source_t *source,
                        const dsc_follow_file_t *file)
{
    const char *parameters[] = {source->name, file->kind, dsc_fetch_error_name(DSC_ERROR_MISSING)};

    return dsc_follow_command(
        follow,
        "UPDATE disclosed.followed_document d SET state = 'absent' WHERE source = $1 AND kind = $2"
        " AND state = 'wanted' AND failure_kind = $3 AND EXISTS (SELECT FROM"
        " disclosed.followed_document l WHERE l.source = $1 AND l.kind = $2 AND l.state = 'stored'"
        " AND l.identity COLLATE \"C\" > d.identity)",
        3, parameters);
}

/* The parts of a file that there are by now, as days. */
static apr_array_header_t *parts_of_file(dsc_follower_t *follow, const dsc_follow_source_t *source,
                                         const dsc_follow_file_t *file)
{
    const char *sql = apr_pstrcat(follow->pass, "SELECT s.since, ", SOURCE_DAY,
                                  " FROM disclosed.followed_source s WHERE source = $1", NULL);
    apr_array_header_t *parts = apr_array_make(follow->pass, 4, sizeof(const char *));
    PGresult *result = dsc_follow_query(follow, sql, 1, &source->name);
    int has_since = result != NULL && PQntuples(result) == 1 && !PQgetisnull(result, 0, 0), year;

    if (file->parts == DSC_PARTS_WHOLE) {
        APR_ARRAY_PUSH(parts, const char *) = "-infinity";
    } else if (has_since && file->parts == DSC_PARTS_SETTLEMENTS) {
        parts = dsc_settlements(follow->pass, PQgetvalue(result, 0, 0), PQgetvalue(result, 0, 1));
    } else if (has_since) {
        for (year = atoi(PQgetvalue(result, 0, 0)); year <= atoi(PQgetvalue(result, 0, 1));
             year++) {
            APR_ARRAY_PUSH(parts, const char *) = apr_psprintf(follow->pass, "%04d-01-01", year);
        }
    }
    PQclear(result);
    return parts;
}

int dsc_follow_plan(dsc_follower_t *follow, const dsc_follow_source_t *source)
{
    const dsc_follow_listing_t *listing;
    const dsc_follow_file_t *file;
    int good = set_since(follow, source);

    for (listing = source->listings; good && listing != NULL && listing->name != NULL; listing++) {
        good = plan_listing(follow, source, listing);
    }
    for (file = source->files; good && file != NULL && file->kind != NULL; file++) {
        const apr_array_header_t *parts = parts_of_file(follow, source, file);
        int i;

        for (i = 0; good && i < parts->nelts; i++) {
            good =
                add_file(follow, follow->pass, source, file, APR_ARRAY_IDX(parts, i, const char *));
        }
        if (good && file->parts == DSC_PARTS_SETTLEMENTS) {
            good = forget_never(follow, source, file);
        }
    }
    return good;
}

static void preview_listing(dsc_follower_t *follow, const dsc_follow_source_t *source,
                            const dsc_follow_listing_t *listing,
                            void (*print)(dsc_follower_t *follow, const char *url))
{
    const char *parameters[] = {source->name, listing->name, follow->options->since};
    const char *sql = apr_pstrcat(follow->pass,
                                  "SELECT p.d FROM (SELECT coalesce(k.since, $3::date, "
                                  "current_date) AS since, k.told_at, k.told_seen"
                                  " FROM (SELECT $1::text AS source) w LEFT JOIN "
                                  "disclosed.followed_source k USING (source)) s"
                                  " CROSS JOIN LATERAL (",
                                  part_days[listing->parts],
                                  ") p WHERE NOT EXISTS (SELECT FROM "
                                  "disclosed.followed_listing l WHERE l.source = $1"
                                  " AND l.listing = $2 AND l.part = p.d AND (l.completed OR "
                                  "l.next_at > clock_timestamp()))"
                                  " ORDER BY 1",
                                  NULL);
    PGresult *result = dsc_follow_query(follow, sql, 3, parameters);
    int row;

    for (row = 0; result != NULL && row < PQntuples(result); row++) {
        const dsc_address_values_t place = {PQgetvalue(result, row, 0), 0, NULL};

        print(follow, dsc_follow_address(follow->pass, listing->url, &place));
    }
    PQclear(result);
}

static void preview_documents(dsc_follower_t *follow, const dsc_follow_source_t *source,
                              void (*print)(dsc_follower_t *follow, const char *url))
{
    PGresult *result = dsc_follow_query(follow,
                                        "SELECT url FROM disclosed.followed_document WHERE "
                                        "source = $1 AND next_at <= clock_timestamp()"
                                        " ORDER BY priority, next_at, document_id",
                                        1, &source->name);
    int row;

    for (row = 0; result != NULL && row < PQntuples(result); row++) {
        print(follow, PQgetvalue(result, row, 0));
    }
    PQclear(result);
}

static void preview_files(dsc_follower_t *follow, const dsc_follow_source_t *source,
                          void (*print)(dsc_follower_t *follow, const char *url))
{
    const dsc_follow_file_t *file;

    for (file = source->files; file != NULL && file->kind != NULL; file++) {
        const char *parameters[] = {source->name, file->url};
        PGresult *result = dsc_follow_query(follow,
                                            "SELECT 1 FROM disclosed.followed_document WHERE "
                                            "source = $1 AND url = $2",
                                            2, parameters);

        if (result != NULL && PQntuples(result) == 0 && file->parts == DSC_PARTS_WHOLE) {
            print(follow, file->url);
        }
        PQclear(result);
    }
}

void dsc_follow_preview(dsc_follower_t *follow, const dsc_follow_source_t *source,
                        void (*print)(dsc_follower_t *follow, const char *url))
{
    const dsc_follow_listing_t *listing;

    for (listing = source->listings; listing != NULL && listing->name != NULL; listing++) {
        preview_listing(follow, source, listing, print);
    }
    preview_files(follow, source, print);
    preview_documents(follow, source, print);
}

static apr_array_header_t *texts_of(apr_pool_t *pool, const char *lines)
{
    apr_array_header_t *texts = apr_array_make(pool, 8, sizeof(const char *));
    char *state, *copy = apr_pstrdup(pool, lines), *text;

    for (text = apr_strtok(copy, "\n", &state); text != NULL;
         text = apr_strtok(NULL, "\n", &state)) {
        APR_ARRAY_PUSH(texts, const char *) = text;
    }
    return texts;
}

apr_array_header_t *dsc_follow_due_parts(dsc_follower_t *follow, apr_pool_t *pool,
                                         const dsc_follow_source_t *source,
                                         const dsc_follow_listing_t *listing)
{
    const char *parameters[] = {source->name, listing->name};
    apr_array_header_t *parts = apr_array_make(pool, 4, sizeof(dsc_follow_due_t));
    PGresult *result =
        dsc_follow_query(follow,
                         "SELECT part, etag, last_modified, array_to_string(seen, E'\\n') FROM "
                         "disclosed.followed_listing"
                         " WHERE source = $1 AND listing = $2 AND next_at <= clock_timestamp() "
                         "ORDER BY part",
                         2, parameters);
    int row, rows = result != NULL ? PQntuples(result) : -1;

    for (row = 0; row < rows; row++) {
        const dsc_follow_due_t due = {text_at(pool, result, row, 0), text_at(pool, result, row, 1),
                                      text_at(pool, result, row, 2),
                                      texts_of(pool, PQgetvalue(result, row, 3))};

        APR_ARRAY_PUSH(parts, dsc_follow_due_t) = due;
    }
    PQclear(result);
    return rows >= 0 ? parts : NULL;
}

/* Whether it has changed is asked only of what is imported: else "not modified" would be taken for
 * stored. */
apr_array_header_t *dsc_follow_due_documents(dsc_follower_t *follow, apr_pool_t *pool,
                                             const dsc_follow_source_t *source, int most)
{
    const char *parameters[] = {source->name, apr_itoa(pool, most),
                                follow->options->once ? follow->began : NULL};
    apr_array_header_t *documents = apr_array_make(pool, most, sizeof(dsc_follow_document_t));
    PGresult *result = dsc_follow_query(
        follow,
        "SELECT document_id, identity, kind, url, cik,"
        " CASE WHEN done @> parts THEN etag END,"
        " CASE WHEN done @> parts THEN last_modified END, content_hash, done,"
        " fetched_at FROM disclosed.followed_document WHERE source = $1 AND next_at <= "
        "clock_timestamp()"
        " AND ($3::timestamptz IS NULL OR attempts = 0 OR next_at <= $3)"
        " ORDER BY priority, next_at, document_id LIMIT $2",
        3, parameters);
    int row, rows = result != NULL ? PQntuples(result) : -1;

    for (row = 0; row < rows; row++) {
        const dsc_follow_document_t document = {
            text_at(pool, result, row, 0), text_at(pool, result, row, 1),
            text_at(pool, result, row, 2), text_at(pool, result, row, 3),
            text_at(pool, result, row, 4), text_at(pool, result, row, 5),
            text_at(pool, result, row, 6), text_at(pool, result, row, 7),
            text_at(pool, result, row, 8), text_at(pool, result, row, 9)};

        APR_ARRAY_PUSH(documents, dsc_follow_document_t) = document;
    }
    PQclear(result);
    return rows >= 0 ? documents : NULL;
}

/* ---------------------------------------------------------------------------- listings */

dsc_fetch_error_t dsc_follow_import_error(const char *reason)
{
    /* PostgreSQL, of a page of which a part has fitted: "could not extend file: wrote only 4096 of
     * 8192 bytes". */
    static const char *const said[] = {"No space left", "no room", "bytes at block"};
    size_t i;

    for (i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        if (strstr(reason, said[i]) != NULL) {
            return DSC_ERROR_DISK;
        }
    }
    return DSC_ERROR_IMPORT;
}

int dsc_follow_is_failure(dsc_fetch_error_t error)
{
    return error != DSC_ERROR_PAUSED && error != DSC_ERROR_INTERRUPTED;
}

void dsc_follow_count_failure(dsc_follower_t *follow, const dsc_follow_source_t *source,
                              dsc_fetch_error_t error)
{
    const char *parameters[] = {source->name, dsc_fetch_error_name(error)};

    (void)
        dsc_follow_command(follow,
                           "INSERT INTO disclosed.followed_failure AS f (source, kind) VALUES ($1, "
                           "$2)"
                           " ON CONFLICT (source, kind) DO UPDATE SET count = f.count + 1,"
                           " last = clock_timestamp()",
                           2, parameters);
}

/* A time that lies ahead is one of a clock that is off: days would be asked for
 * that there are not yet. */
void dsc_follow_store_time(dsc_follower_t *follow, const dsc_follow_source_t *source,
                           const char *told_at)
{
    const char *parameters[] = {source->name, told_at};
    PGresult *result =
        dsc_follow_query(follow,
                         "UPDATE disclosed.followed_source SET told_at = $2::timestamptz,"
                         " told_seen = clock_timestamp() WHERE source = $1"
                         " AND $2::timestamptz < clock_timestamp() + interval '1 day' RETURNING 1",
                         2, parameters);

    if (result != NULL && PQntuples(result) == 0) {
        dsc_follow_count_failure(follow, source, DSC_ERROR_CLOCK);
    }
    PQclear(result);
}

void dsc_follow_store_date(dsc_follower_t *follow, const dsc_follow_source_t *source,
                           apr_time_t date)
{
    char text[40];
    apr_size_t length;
    apr_time_exp_t exploded;

    apr_time_exp_gmt(&exploded, date);
    apr_strftime(text, &length, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &exploded);
    dsc_follow_store_time(follow, source, text);
}

/* --------------------------------------------------------------------------- documents */

int dsc_follow_note_fetched(dsc_follower_t *follow, apr_pool_t *pool,
                            const dsc_follow_document_t *document, const dsc_fetch_t *fetch,
                            const char *parts, const char **done)
{
    const char *parameters[] = {document->id,
                                fetch->content_hash,
                                apr_psprintf(pool, "%" APR_INT64_T_FMT, fetch->size),
                                fetch->got_etag,
                                fetch->got_last_modified,
                                parts,
                                document->fetched_at};
    PGresult *result =
        dsc_follow_query(follow,
                         "UPDATE disclosed.followed_document SET content_hash = $2, size_bytes = "
                         "$3, etag = $4,"
                         " last_modified = $5, parts = $6, fetched_at = clock_timestamp(), "
                         "checked_at = clock_timestamp(),"
                         " done = CASE WHEN content_hash = $2 THEN done ELSE '{}' END,"
                         " files_done = CASE WHEN content_hash = $2 THEN files_done ELSE 0 END,"
                         " files_failed = CASE WHEN content_hash = $2 THEN files_failed ELSE 0 END,"
                         " state = CASE WHEN content_hash = $2 THEN state ELSE 'wanted' END"
                         " WHERE document_id = $1 AND fetched_at IS NOT DISTINCT FROM"
                         " $7::timestamptz RETURNING done",
                         7, parameters);

    if (result == NULL || PQntuples(result) == 0) {
        if (result != NULL) {
            dsc_follow_report(follow, 0, "%s: another process has fetched it meanwhile",
                              document->identity);
        }
        PQclear(result);
        return 0;
    }
    *done = text_at(pool, result, 0, 0);
    PQclear(result);
    return 1;
}

static int seconds_until_again(const dsc_follow_source_t *source,
                               const dsc_follow_document_t *document)
{
    const dsc_follow_kind_t *kind = dsc_follow_find_kind(source, document->kind);

    return kind != NULL ? kind->again : 0;
}

void dsc_follow_same_document(dsc_follower_t *follow, const dsc_follow_source_t *source,
                              const dsc_follow_document_t *document, const char *content_hash)
{
    int again = seconds_until_again(source, document);
    const char *parameters[] = {document->id, again > 0 ? apr_itoa(follow->pass, again) : NULL,
                                content_hash};

    (void)dsc_follow_command(follow,
                             "UPDATE disclosed.followed_document SET state = "
                             "'stored', attempts = 0, failure_kind = NULL,"
                             " failure = NULL, checked_at = clock_timestamp(),"
                             " next_at = clock_timestamp() + make_interval(secs "
                             "=> $2::integer) WHERE document_id = $1 AND content_hash = $3",
                             3, parameters);
}

/* The day of settlement (YYYY-MM-DD) in a document's address; NULL: it is about none. */
static const char *settlement_of(apr_pool_t *pool, const dsc_follow_source_t *source,
                                 const dsc_follow_document_t *document)
{
    const dsc_follow_file_t *file;

    for (file = source->files; file != NULL && file->kind != NULL; file++) {
        const char *day = strstr(file->url, "{day}");
        size_t length = day != NULL ? (size_t)(day - file->url) : 0;

        if (file->parts == DSC_PARTS_SETTLEMENTS && strcmp(file->kind, document->kind) == 0 &&
            strncmp(file->url, document->url, length) == 0 &&
            strspn(document->url + length, "0123456789") == 8) {
            day = document->url + length;
            return apr_psprintf(pool, "%.4s-%.2s-%.2s", day, day + 4, day + 6);
        }
    }
    return NULL;
}

/* Whether a file that is not there should be. */
typedef enum {
    ANY_TIME, /* it has no day of settlement */
    OVERDUE,
    NOT_YET, /* by the schedule it may still be published */
    NEVER    /* a later one is stored: there was none of that day */
} absence_t;

static absence_t absence_of(dsc_follower_t *follow, const dsc_follow_source_t *source,
                            const dsc_follow_document_t *document)
{
    const char *settlement = settlement_of(follow->pass, source, document);
    const char *parameters[] = {source->name, document->kind, document->identity};
    PGresult *result;
    absence_t absence = ANY_TIME;

    if (settlement == NULL) {
        return ANY_TIME;
    }
    result = dsc_follow_query(follow,
                              "SELECT " SOURCE_DAY
                              ", EXISTS (SELECT FROM disclosed.followed_document l WHERE l.source ="
                              " $1 AND l.kind = $2 AND l.state = 'stored' AND l.identity COLLATE"
                              " \"C\" > $3) FROM disclosed.followed_source s WHERE s.source = $1",
                              3, parameters);
    if (result != NULL && PQntuples(result) == 1) {
        absence = PQgetvalue(result, 0, 1)[0] == 't'                                ? NEVER
                  : dsc_settlement_is_overdue(settlement, PQgetvalue(result, 0, 0)) ? OVERDUE
                                                                                    : NOT_YET;
    }
    PQclear(result);
    return absence;
}

/* What is about a company may come some minutes after a filing does. What is still not there then
 * (ABSENT_ATTEMPTS) is so for good, until something is filed again; all that time it is not
 * missing, because most companies have no numbers. */
int dsc_follow_fail_document(dsc_follower_t *follow, const dsc_follow_source_t *source,
                             const dsc_follow_document_t *document, dsc_fetch_error_t error,
                             const char *reason)
{
    const dsc_follow_kind_t *kind = dsc_follow_find_kind(source, document->kind);
    int is_about_company = error == DSC_ERROR_MISSING && kind != NULL && kind->url != NULL;
    absence_t absence =
        error == DSC_ERROR_MISSING ? absence_of(follow, source, document) : ANY_TIME;
    const char *parameters[] = {document->id,
                                dsc_fetch_error_name(error),
                                reason,
                                dsc_follow_is_failure(error) ? "1" : "0",
                                is_about_company ? "t" : "f",
                                source->request_limit->name,
                                absence == NOT_YET || absence == NEVER ? "absent"
                                : absence == OVERDUE                   ? "wanted"
                                                                       : NULL,
                                absence == NOT_YET ? MOST_PAUSE_NOT_YET : NULL};

    (void)dsc_follow_command(
        follow,
        "UPDATE disclosed.followed_document SET attempts = attempts + "
        "$4::integer, failure_kind = $2,"
        " failure = $3, state = CASE WHEN $5 THEN 'absent' WHEN state = 'stored' THEN state ELSE coalesce($7, state) END,"
        " next_at = CASE WHEN NOT $5 OR attempts < " ABSENT_ATTEMPTS
        " THEN greatest(clock_timestamp() +"
        " least(disclosed.followed_pause(attempts + 1), $8::interval) * "
        "$4::integer, (SELECT "
        "l.paused_until"
        "  FROM disclosed.followed_limit l WHERE l.name = $6)) END WHERE "
        "document_id = $1",
        8, parameters);
    if (!dsc_follow_is_failure(error) || is_about_company || absence == NOT_YET ||
        absence == NEVER) {
        return 0;
    }
    dsc_follow_count_failure(follow, source, error);
    follow->count->failed++;
    return 1;
}

void dsc_follow_note_part(dsc_follower_t *follow, const dsc_follow_source_t *source,
                          const dsc_follow_document_t *document, const char *part,
                          const char *content_hash)
{
    int again = seconds_until_again(source, document);
    const char *parameters[] = {document->id, part, content_hash,
                                again > 0 ? apr_itoa(follow->pass, again) : NULL};

    (void)dsc_follow_command(follow, "SELECT disclosed.note_followed($1, $2, $3, NULL, $4)", 4,
                             parameters);
}

void dsc_follow_note_company(dsc_follower_t *follow, apr_pool_t *pool,
                             const dsc_follow_source_t *source, const char *kind, const char *cik)
{
    const dsc_follow_kind_t *found = dsc_follow_find_kind(source, kind);
    const dsc_address_values_t place = {"", 0, cik};
    const char *url = dsc_follow_address(pool, found->url, &place);
    const char *parameters[] = {source->name,
                                apr_pstrcat(pool, kind, "/", strrchr(url, '/') + 1, NULL), kind,
                                url, cik};

    (void)dsc_follow_command(
        follow,
        "INSERT INTO disclosed.followed_document AS d (source, identity, kind, "
        "url, cik, seen_in, priority)"
        " VALUES ($1, $2, $3, $4, $5, 'filing', 1)"
        " ON CONFLICT (source, identity) DO UPDATE SET next_at = least(d.next_at,"
        " greatest(clock_timestamp(), d.checked_at + interval '1 hour')),"
        " attempts = CASE WHEN d.state = 'absent' THEN 0 ELSE d.attempts END",
        5, parameters);
}
