/* The passes of a run: each source by the process that has its lease, its listings first,
 * then its documents, some at a time. */
#include "follow/follow.h"

#include "engine/interrupt.h"
#include "engine/random.h"
#include "follow/document.h"
#include "follow/freshness.h"
#include "follow/keep.h"
#include "follow/listing.h"
#include "follow/scratch.h"
#include "follow/service.h"
#include "follow/state.h"
#include "follow/report.h"
#include "follow/watch.h"
#include "loader/loader_value.h"

#include <apr_file_io.h>
#include <apr_network_io.h>
#include <apr_strings.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LONGEST_SLEEP = 5,     /* seconds: a lease must be kept, and another host may leave one */
    RECONNECT_SECONDS = 5, /* between two attempts, if the database is lost */
    MOST_BATCHES = 4       /* before listings are looked at again, that what is new comes first */
};

/* ----------------------------------------------------------------------------- sources */

int dsc_follow_is_wanted(const dsc_follow_options_t *options, const dsc_follow_source_t *source)
{
    int i;

    for (i = 0; options->sources != NULL && i < options->sources->nelts; i++) {
        if (strcmp(APR_ARRAY_IDX(options->sources, i, const char *), source->name) == 0) {
            return 1;
        }
    }
    return options->sources == NULL || options->sources->nelts == 0;
}

int dsc_follow_has_source(const char *name)
{
    return dsc_follow_find_source(dsc_follow_sources, name) != NULL;
}

const char *dsc_follow_source_names(apr_pool_t *pool, const dsc_follow_source_t *sources,
                                    const dsc_follow_options_t *options)
{
    apr_array_header_t *names = apr_array_make(pool, 8, sizeof(const char *));

    for (; sources->name != NULL; sources++) {
        if (options == NULL || dsc_follow_is_wanted(options, sources)) {
            APR_ARRAY_PUSH(names, const char *) = sources->name;
        }
    }
    return dsc_texts_literal(pool, names->nelts, (const char *const *)(const void *)names->elts);
}

/* An address by which somebody can be reached. */
static int has_contact(const char *user_agent)
{
    const char *at = user_agent ? strchr(user_agent, '@') : NULL;

    return at != NULL && at > user_agent && at[-1] != ' ' && strchr(at, '.') != NULL &&
           at[1] != '.' && at[1] != ' ' && strpbrk(user_agent, "\r\n") == NULL;
}

const char *dsc_follow_refusal(apr_pool_t *pool, const dsc_follow_options_t *options)
{
    const dsc_follow_source_t *source;
    int i;

    for (source = options->table; source->name != NULL; source++) {
        if (dsc_follow_is_wanted(options, source) && source->request_limit->wants_contact &&
            !has_contact(options->user_agent)) {
            return apr_pstrcat(pool, source->request_limit->name,
                               " asks for a User-Agent with a contact: say --user-agent \"Name"
                               " contact@example.org\" or set DISCLOSED_USER_AGENT",
                               NULL);
        }
    }
    for (i = 0; i < options->sources->nelts; i++) {
        if ((options->watched == NULL || options->watched->nelts == 0) &&
            strcmp(APR_ARRAY_IDX(options->sources, i, const char *), DSC_WATCH_SOURCE) == 0) {
            return "--source watch follows folders: say which by --watch IMPORTER=FOLDER";
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------------------- passes */

/* While a publisher is waited for: the lease is kept, and systemd hears of us. */
static void keep_turn(void *baton)
{
    dsc_follower_t *follow = baton;

    dsc_service_notify("WATCHDOG=1");
    if (follow->source != NULL) {
        (void)dsc_follow_lease(follow, follow->source);
    }
}

/* A source's pass; whether more of its documents are due at once. */
static int take_turn(dsc_follower_t *follow, const dsc_follow_source_t *source)
{
    int batches = 0, more = 1, is_slow = 0;
    apr_pool_t *each;

    if (!dsc_follow_lease(follow, source)) {
        return 0;
    }
    follow->source = source;
    apr_pool_create(&each, follow->pass);
    dsc_follow_listings(follow, each, source);
    while (more && follow->reason == NULL && !dsc_interrupted() &&
           (follow->options->once || (batches < MOST_BATCHES && !is_slow))) {
        apr_pool_clear(each);
        dsc_service_notify("WATCHDOG=1");
        more = dsc_follow_plan(follow, source) && dsc_follow_lease(follow, source) &&
               dsc_follow_documents(follow, each, source, batches++ == 0, &is_slow) > 0;
    }
    apr_pool_destroy(each);
    dsc_follow_refresh(follow, source);
    follow->source = NULL;
    return more;
}

static int take_turns(dsc_follower_t *follow)
{
    const dsc_follow_source_t *source;
    int more = 0;

    for (source = dsc_follow_sources; source->name != NULL && follow->reason == NULL; source++) {
        if (dsc_follow_is_wanted(follow->options, source) && !dsc_interrupted()) {
            more |= take_turn(follow, source);
        }
    }
    return more;
}

/* Milliseconds until something of ours is due, at most LONGEST_SLEEP; what others follow, or nobody
 * does any more, is no reason to look. */
static int time_until_due(dsc_follower_t *follow)
{
    PGresult *result = dsc_follow_query(
        follow,
        "SELECT ceil(extract(epoch FROM min(least((SELECT min(l.next_at) FROM"
        " disclosed.followed_listing l WHERE l.source = s.source),"
        " (SELECT min(d.next_at) FROM disclosed.followed_document d WHERE d.source = s.source AND"
        " d.next_at IS NOT NULL))) - clock_timestamp()) * 1000) FROM disclosed.followed_source s"
        " WHERE s.holder = $1 AND s.lease_until > clock_timestamp()",
        1, &follow->holder);
    long long milliseconds = LONGEST_SLEEP * 1000;

    if (result != NULL && !PQgetisnull(result, 0, 0)) {
        milliseconds = atoll(PQgetvalue(result, 0, 0));
    }
    PQclear(result);
    return milliseconds < LONGEST_SLEEP * 1000 ? (int)milliseconds : LONGEST_SLEEP * 1000;
}

static int least(int one, int other)
{
    return one < other ? one : other;
}

/* A signal wakes, and so does a file that arrives (-1: none does). */
static void sleep_for(int milliseconds, int arrivals)
{
    struct pollfd wake[] = {{.fd = dsc_interrupt_descriptor(), .events = POLLIN},
                            {.fd = arrivals, .events = POLLIN}};

    if (milliseconds > 0) {
        (void)poll(wake, 2, milliseconds);
    }
}

void dsc_follow_sleep(int milliseconds)
{
    sleep_for(milliseconds, -1);
}

/* ------------------------------------------------------------------------------- a run */

/* Containers may have the same name, and the same number of the process. */
static const char *holder_name(apr_pool_t *pool)
{
    char host[APRMAXHOSTLEN + 1] = "?";
    unsigned int number;

    (void)apr_gethostname(host, sizeof(host), pool);
    return dsc_random_bytes(&number, sizeof(number))
               ? apr_psprintf(pool, "%s:%ld:%08x", host, (long)getpid(), number)
               : NULL;
}

int dsc_follow_connect_database(dsc_follower_t *follow)
{
    PGresult *result;

    follow->reason = NULL;
    follow->connection =
        follow->options->connect(follow->options->connect_baton, follow->pool, &follow->reason);
    if (follow->connection == NULL) {
        return 0;
    }
    follow->session = dsc_import_session_create(follow->pool);
    result = dsc_follow_query(follow, "SELECT clock_timestamp()", 0, NULL);
    follow->began = result ? apr_pstrdup(follow->pool, PQgetvalue(result, 0, 0)) : NULL;
    PQclear(result);
    follow->fetcher =
        result ? dsc_fetcher_create(follow->pool, follow->options, follow->connection) : NULL;
    if (follow->fetcher == NULL && follow->reason == NULL) {
        follow->reason = "the HTTP library does not start";
    }
    return follow->fetcher != NULL;
}

static void release_all(dsc_follower_t *follow)
{
    const dsc_follow_source_t *source;

    dsc_interrupt_hold();
    for (source = dsc_follow_sources; source->name != NULL; source++) {
        if (dsc_follow_is_wanted(follow->options, source)) {
            dsc_follow_release(follow, source);
        }
    }
    dsc_interrupt_release();
}

static void count_missing(dsc_follower_t *follow)
{
    const char *parameters[] = {dsc_watch_prefixes(follow->pass, follow->options),
                                dsc_follow_source_names(follow->pass, dsc_follow_sources, NULL)};
    PGresult *result = dsc_follow_query(
        follow,
        "SELECT (SELECT count(*) FROM disclosed.followed_document WHERE state = 'wanted' AND (source = ANY ($2::text[])"
        " OR (source = 'watch' AND EXISTS (SELECT FROM unnest($1::text[]) p WHERE starts_with(identity, p)))))"
        " + (SELECT count(*) FROM disclosed.followed_listing WHERE failure IS NOT NULL AND NOT completed"
        " AND (source = ANY ($2::text[]) OR (source = 'watch' AND listing || '/' = ANY ($1::text[]))))",
        2, parameters);

    follow->count->missing = result ? atoll(PQgetvalue(result, 0, 0)) : 1;
    PQclear(result);
}

static void print_address(dsc_follower_t *follow, const char *url)
{
    follow->options->print(follow->options->print_baton, 0,
                           dsc_fetch_mirrored(follow->pass, follow->options, url));
}

static void preview(dsc_follower_t *follow)
{
    const dsc_follow_source_t *source;

    for (source = dsc_follow_sources; source->name != NULL && follow->reason == NULL; source++) {
        if (dsc_follow_is_wanted(follow->options, source)) {
            dsc_follow_preview(follow, source, print_address);
        }
    }
    if (follow->reason == NULL) {
        dsc_watch_preview(follow, print_address);
    }
}

/* Until the database is lost, a signal comes, or the round is over. */
static void follow_on(dsc_follower_t *follow)
{
    dsc_service_notify("READY=1");
    do {
        int more;

        dsc_service_notify("WATCHDOG=1");
        dsc_follow_look_at_clock(follow);
        more = take_turns(follow);
        dsc_watch_pass(follow);
        if (follow->keep.folder != NULL) {
            dsc_keep_within(follow->pass, &follow->keep);
        }
        if (follow->options->once || follow->reason != NULL || dsc_interrupted()) {
            break;
        }
        dsc_import_session_rest(follow->session);
        if (!more) {
            sleep_for(least(time_until_due(follow), dsc_watch_time_until_due(follow)),
                      dsc_watch_descriptor(follow->watch));
        }
        apr_pool_clear(follow->pass);
    } while (!dsc_interrupted() && follow->reason == NULL);
    follow->count->requests += dsc_fetcher_requests(follow->fetcher);
    if (follow->reason == NULL) {
        count_missing(follow);
    }
    if (follow->reason == NULL || dsc_interrupted()) { /* which may have cut a statement short */
        release_all(follow);
    }
}

/* Whether the run goes on when it has lost the database. */
static int is_lasting(const dsc_follow_options_t *options)
{
    return !options->once && !options->dry_run && !dsc_interrupted();
}

apr_status_t dsc_follow_run(const dsc_follow_options_t *options, apr_pool_t *pool,
                            dsc_follow_count_t *count, const char **reason)
{
    dsc_follower_t follow = {.options = options,
                             .count = count,
                             .keep = {.folder = options->keep, .budget = options->keep_budget}};

    memset(count, 0, sizeof(*count));
    follow.holder = holder_name(pool);
    if (follow.holder == NULL) {
        *reason = "the system has no random numbers";
        return APR_EGENERAL;
    }
    do {
        apr_pool_create(&follow.pool, pool);
        apr_pool_create(&follow.pass, follow.pool);
        follow.scratch = dsc_scratch_make(follow.pool, reason);
        if (follow.scratch == NULL) {
            return APR_EGENERAL;
        }
        if (dsc_follow_connect_database(&follow)) {
            dsc_fetcher_on_wait(follow.fetcher, keep_turn, &follow);
            follow.watch = options->dry_run ? NULL : dsc_watch_begin(&follow);
            (options->dry_run ? preview : follow_on)(&follow);
        }
        count->no_database = follow.reason != NULL && !dsc_interrupted();
        *reason = apr_pstrdup(pool, follow.reason);
        apr_pool_destroy(follow.pool);
        if (count->no_database && is_lasting(options)) {
            options->print(options->print_baton, 1,
                           apr_pstrcat(pool, "no database: ", *reason, NULL));
            dsc_follow_sleep(RECONNECT_SECONDS * 1000);
        }
    } while (count->no_database && is_lasting(options));
    return APR_SUCCESS;
}
