#include "webhook/delivery_worker.h"

#include "engine/outage.h"
#include "engine/query.h"
#include "webhook/delivery_batch.h"
#include "webhook/delivery_process.h"
#include "webhook/delivery_sql.h"
#include "webhook/sealed_secret.h"

#include <apr_general.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS = 256,              /* deliveries under way */
    NOTE_AT_ONCE = 64,        /* results are stored as soon as there are so many, */
    GATHER_MILLISECONDS = 20, /* or the first has waited so long */
    CLAIM_MILLISECONDS = 500, /* what is due is looked for that often while something is queued */
    LOOK_SECONDS = 2,         /* between two looks at the whole queue, */
    LOOK_SHARE = 20,          /* or so many times what a look takes, */
    MOST_LOOK_SECONDS = 30,   /* but no longer: it may be the network that takes long */
    QUIET_SECONDS = 4,        /* the same while nothing is queued, unless there is news */
    OUTAGE_SECONDS = 5,       /* until the next look at a database that does not respond, */
    NOTE_AGAIN_MILLISECONDS = 500, /* and until what has ended is stored again */
    PUBLISH_AT_ONCE = 20000,       /* deliveries that are made of events by one statement */
    RELEASE_SECONDS = 10,          /* between two looks for leases of processes that are gone */
    PRUNE_SECONDS = 3600,
    RESEAL_SECONDS =
        3600, /* another host, or a process that is leaving, may have sealed one meanwhile */
    PRUNE_MOST = 5000,
    STATEMENT_SECONDS = 10
};

/* Longer than any attempt takes. */
#define LEASE "60 seconds"
/* How long what ended is kept. */
#define KEPT "30 days"

struct dsc_delivery_worker_t {
    apr_pool_t *pool;
    dsc_delivery_worker_config_t config;
    dsc_database_t *database;
    dsc_http_client_t *client;
    dsc_delivery_notes_t *notes;
    dsc_delivery_sender_t sender;
    dsc_delivery_worker_figures_t figures;
    apr_time_t next_note, next_claim, next_look, next_prune, next_release,
        next_reseal; /* by dsc_monotonic_now() */
    uint64_t news;   /* what the configuration's said last */
    int has_fresh;   /* events that are no deliveries yet, by the last look */
};

static int sends(const dsc_delivery_worker_t *worker)
{
    return dsc_webhooks_of(worker->config.service)->sends;
}

/* Runs a statement that writes. */
static dsc_result_t *change(const dsc_delivery_worker_t *worker, apr_pool_t *pool, const char *sql,
                            int count, const char *const *values)
{
    return dsc_delivery_change(worker->database, pool, sql, count, values);
}

/* ----------------------------------------------------------------- sending, noting */

static void collect_finished(dsc_delivery_worker_t *worker)
{
    for (;;) {
        apr_pool_t *pool;
        dsc_http_response_t response;
        void *job;
        int ended;
        apr_pool_create(&pool, worker->pool);
        ended = dsc_http_client_finished(worker->client, pool, &job, &response);
        if (ended) {
            dsc_delivery_notes_add(worker->notes, job, &response);
        }
        apr_pool_destroy(pool);
        if (!ended) {
            break;
        }
    }
    dsc_delivery_notes_decide(worker->notes);
}

/* When what has ended is to be stored; 0: nothing has. Never before `next_note`, which is ahead
 * while the database does not respond. */
static apr_time_t note_at(const dsc_delivery_worker_t *worker)
{
    int pending = dsc_delivery_notes_pending(worker->notes);
    apr_time_t at = dsc_delivery_notes_since(worker->notes);
    if (pending == 0) {
        return 0;
    }
    if (pending < NOTE_AT_ONCE && dsc_http_client_running(worker->client) > 0) {
        at += apr_time_from_msec(GATHER_MILLISECONDS);
    }
    return at > worker->next_note ? at : worker->next_note;
}

/* Stores what has ended, if it is time; its endpoints may get more. Whether the database
 * responds. */
static int note(dsc_delivery_worker_t *worker)
{
    apr_time_t at = note_at(worker);
    if (at == 0 || at > dsc_monotonic_now()) {
        return 1;
    }
    if (!dsc_delivery_notes_store(worker->notes)) {
        worker->next_note = dsc_monotonic_now() + apr_time_from_msec(NOTE_AGAIN_MILLISECONDS);
        return 0;
    }
    worker->next_note = worker->next_claim = 0;
    return 1;
}

/* Deliveries that have been claimed and of which there is nothing to note yet. */
static int under_way(const dsc_delivery_worker_t *worker)
{
    return dsc_http_client_running(worker->client) + dsc_delivery_notes_undecided(worker->notes);
}

/* Whether the database has responded. */
static int take_due(dsc_delivery_worker_t *worker, apr_pool_t *pool)
{
    dsc_obstacles_t *obstacles = dsc_delivery_notes_obstacles(worker->notes);
    int room = SLOTS - under_way(worker) - dsc_delivery_notes_pending(worker->notes);
    if (!sends(worker) || room <= 0 || dsc_obstacles_until(obstacles) > dsc_monotonic_now()) {
        return 1;
    }
    return dsc_delivery_notes_let_go(worker->notes) &&
           dsc_delivery_take(&worker->sender, pool, room,
                             dsc_obstacles_excepted(obstacles, pool)) >= 0;
}

/* Makes deliveries of what loads have announced; -1: the database does not respond. */
static int publish(dsc_delivery_worker_t *worker, apr_pool_t *pool)
{
    static const char sql[] = "SELECT publish_webhooks(%s::integer)";
    const char *most = apr_itoa(pool, PUBLISH_AT_ONCE);
    dsc_result_t *rows = change(worker, pool, sql, 1, &most);
    return rows && dsc_result_next(rows) ? atoi(dsc_result_text(rows, 0)) : -1;
}

/* Lets go of what processes of this host had claimed that run no longer. */
static int release_of_the_gone(dsc_delivery_worker_t *worker, apr_pool_t *pool)
{
    static const char list[] = "SELECT worker FROM webhook_workers(%s::text) AS worker";
    static const char release[] = "SELECT release_webhooks(%s::text, NULL)";
    const char *host = dsc_process_host(pool);
    dsc_result_t *rows = change(worker, pool, list, 1, &host);
    int good = rows != NULL;
    while (good && dsc_result_next(rows)) {
        const char *name = dsc_result_text(rows, 0);
        good = !dsc_process_is_gone(pool, name) || change(worker, pool, release, 1, &name);
    }
    return good;
}

/* -------------------------------------------------------------------- the rest */

static uint64_t microseconds(const char *epoch)
{
    return epoch ? strtoull(epoch, NULL, 10) : 0;
}

static int read_queue(dsc_delivery_worker_t *worker, apr_pool_t *pool)
{
    dsc_result_t *rows =
        dsc_delivery_read(worker->database, pool,
                          "SELECT waiting, (extract(epoch FROM queued_since) * 1000000)::bigint,"
                          " (extract(epoch FROM due_since) * 1000000)::bigint,"
                          " EXISTS (SELECT FROM webhook_event WHERE position IS NULL)"
                          " FROM webhook_queue()");
    if (rows && dsc_result_next(rows)) {
        worker->figures.waiting = microseconds(dsc_result_text(rows, 0));
        worker->figures.queued_since = microseconds(dsc_result_text(rows, 1));
        worker->figures.due_since = microseconds(dsc_result_text(rows, 2));
        worker->has_fresh = *dsc_result_text(rows, 3) == 't';
    }
    return rows != NULL;
}

static void tell(dsc_delivery_worker_t *worker)
{
    dsc_delivery_counts_t counts;
    dsc_obstacle_figures_t obstacles;
    dsc_delivery_notes_counts(worker->notes, &counts);
    dsc_obstacles_figures(dsc_delivery_notes_obstacles(worker->notes), &obstacles);
    worker->figures.delivered = counts.delivered;
    worker->figures.failed = counts.failed;
    worker->figures.put_back = counts.put_back;
    worker->figures.obstructed_since = obstacles.since;
    worker->figures.obstructed_endpoints = obstacles.endpoints;
    worker->config.tell(worker->config.tell_baton, &worker->figures);
}

static int look_at_queue(dsc_delivery_worker_t *worker, apr_pool_t *pool)
{
    static const char drop[] = "SELECT drop_unwanted_webhooks(%s::text[])";
    int good = read_queue(worker, pool);
    if (good && worker->figures.waiting > 0 && sends(worker)) {
        good = change(worker, pool, drop, 1, &worker->sender.plans) != NULL;
    }
    tell(worker);
    return good;
}

static void prune(dsc_delivery_worker_t *worker, apr_pool_t *pool)
{
    static const char sql[] = "SELECT prune_webhooks(%s::interval, %s::integer)";
    const char *values[] = {KEPT, apr_itoa(pool, PRUNE_MOST)};
    dsc_result_t *rows = change(worker, pool, sql, DSC_COUNT(values), values);
    int more = rows && dsc_result_next(rows) && atoi(dsc_result_text(rows, 0)) >= PRUNE_MOST;
    (void)change(worker, pool, "SELECT prune_requests()", 0, NULL);
    worker->next_prune = dsc_monotonic_now() + apr_time_from_sec(more ? 1 : PRUNE_SECONDS);
}

/* Seals anew what only the server secret before opens, so that it can be taken out of the file. */
static int reseal_one(dsc_delivery_worker_t *worker, apr_pool_t *pool, const dsc_result_t *row,
                      int column)
{
    static const char sql[] = "SELECT reseal_webhook(%s::bigint, %s::text, %s::text)";
    const dsc_webhook_service_t *webhooks = dsc_webhooks_of(worker->config.service);
    const char *context = dsc_webhook_seal_context(pool, dsc_result_text(row, 1));
    const char *values[] = {dsc_result_text(row, 0), dsc_result_text(row, column), NULL};
    const char *secret;
    if (!values[1] || dsc_secret_open(pool, webhooks->keys[0], context, values[1])) {
        return 1;
    }
    secret = dsc_secret_open(pool, webhooks->keys[1], context, values[1]);
    values[2] = secret ? dsc_secret_seal(pool, webhooks->keys[0], context, secret) : NULL;
    return !secret || (values[2] && change(worker, pool, sql, DSC_COUNT(values), values));
}

static int reseal(dsc_delivery_worker_t *worker, apr_pool_t *pool)
{
    static const char sql[] = "SELECT endpoint_id, account_id, sealed_secret,"
                              " previous_sealed_secret FROM webhook_endpoint";
    dsc_result_t *rows;
    int good;
    if (dsc_webhooks_of(worker->config.service)->key_count < 2) {
        return 1;
    }
    rows = change(worker, pool, sql, 0, NULL);
    good = rows != NULL;
    while (good && dsc_result_next(rows)) {
        good = reseal_one(worker, pool, rows, 2) && reseal_one(worker, pool, rows, 3);
    }
    return good;
}

/* While something is queued. */
static int release_in_time(dsc_delivery_worker_t *worker, apr_pool_t *pool, apr_time_t now)
{
    if (worker->figures.waiting == 0 || now < worker->next_release || !sends(worker)) {
        return 1;
    }
    if (!release_of_the_gone(worker, pool)) {
        return 0;
    }
    worker->next_release = now + apr_time_from_sec(RELEASE_SECONDS);
    return 1;
}

/* What is done from time to time; whether the database has responded. */
static int look(dsc_delivery_worker_t *worker, apr_pool_t *pool, apr_time_t now)
{
    apr_interval_time_t took;
    if (now < worker->next_look) {
        return 1;
    }
    worker->next_look = now + apr_time_from_sec(LOOK_SECONDS);
    if (!look_at_queue(worker, pool) || !release_in_time(worker, pool, now)) {
        return 0;
    }
    took = dsc_monotonic_now() - now;
    worker->next_look += took * LOOK_SHARE < apr_time_from_sec(MOST_LOOK_SECONDS)
                             ? took * LOOK_SHARE
                             : apr_time_from_sec(MOST_LOOK_SECONDS);
    if (now >= worker->next_reseal && reseal(worker, pool)) {
        worker->next_reseal = now + apr_time_from_sec(RESEAL_SECONDS);
    }
    if (sends(worker) && now >= worker->next_prune) {
        prune(worker, pool);
    }
    return 1;
}

/* Nothing is queued: then only news, or much time, make it look again. */
static int is_quiet(const dsc_delivery_worker_t *worker)
{
    return worker->figures.waiting == 0 && under_way(worker) == 0;
}

static void hear_news(dsc_delivery_worker_t *worker)
{
    uint64_t news = worker->config.news(worker->config.news_baton);
    if (news != worker->news) {
        worker->news = news;
        worker->next_look = worker->next_claim = 0;
    }
}

/* Makes deliveries if there may be new events; how many events there were, -1: the database does
 * not respond. A quiet worker asks by one statement whether there are any. */
static int publish_fresh(dsc_delivery_worker_t *worker, apr_pool_t *pool, apr_time_t now)
{
    int published;
    if (is_quiet(worker) && !worker->has_fresh) {
        return 0;
    }
    published = publish(worker, pool);
    worker->has_fresh = published != 0;
    if (published > 0) {
        worker->next_look = 0; /* so that figures and quiet are of what is queued now */
        published = look(worker, pool, now) ? published : -1;
    }
    return published;
}

/* Looks, publishes and claims; whether the database has responded. */
static int go_round(dsc_delivery_worker_t *worker, apr_pool_t *pool, apr_time_t now)
{
    int published = look(worker, pool, now) ? publish_fresh(worker, pool, now) : -1;
    if (published < 0 || (!is_quiet(worker) && !take_due(worker, pool))) {
        return 0;
    }
    worker->next_claim = now + (is_quiet(worker) ? apr_time_from_sec(QUIET_SECONDS)
                                                 : apr_time_from_msec(CLAIM_MILLISECONDS));
    if (published > 0) {
        worker->next_claim = 0; /* more of it may be left */
    }
    return 1;
}

static void work(dsc_delivery_worker_t *worker)
{
    apr_time_t now = dsc_monotonic_now();
    apr_pool_t *pool;
    int good = note(worker);
    hear_news(worker);
    if (good && now < worker->next_claim) {
        return;
    }
    apr_pool_create(&pool, worker->pool);
    if (!good || !go_round(worker, pool, now)) {
        worker->next_claim = now + apr_time_from_sec(OUTAGE_SECONDS);
    }
    apr_pool_destroy(pool);
}

/* How long nothing is to be done but to carry on with what is under way. */
static int most_wait(const dsc_delivery_worker_t *worker, int milliseconds)
{
    apr_time_t next = note_at(worker);
    apr_interval_time_t left;
    next = next == 0 || next > worker->next_claim ? worker->next_claim : next;
    left = next - dsc_monotonic_now();
    if (left >= apr_time_from_msec(milliseconds)) {
        return milliseconds;
    }
    return left > 0 ? (int)apr_time_as_msec(left) + 1 : 0;
}

void dsc_delivery_worker_run(dsc_delivery_worker_t *worker, int descriptor, int milliseconds)
{
    work(worker);
    dsc_http_client_wait(worker->client, &descriptor, 1, most_wait(worker, milliseconds));
    collect_finished(worker);
}

/* What is still under way then is another's: nobody has to wait until its lease ends. */
static void let_go(dsc_delivery_worker_t *worker)
{
    static const char sql[] = "SELECT release_webhooks(%s::text, NULL)";
    if (under_way(worker) > 0) {
        (void)change(worker, worker->pool, sql, 1, &worker->sender.worker);
    }
}

void dsc_delivery_worker_finish(dsc_delivery_worker_t *worker, int milliseconds)
{
    apr_time_t end = dsc_monotonic_now() + apr_time_from_msec(milliseconds);
    apr_interval_time_t left;
    while (dsc_http_client_running(worker->client) && (left = end - dsc_monotonic_now()) > 0) {
        dsc_http_client_wait(worker->client, NULL, 0, (int)apr_time_as_msec(left) + 1);
        collect_finished(worker);
        (void)note(worker);
    }
    if (dsc_delivery_notes_pending(worker->notes)) {
        (void)dsc_delivery_notes_store(worker->notes);
    }
    let_go(worker);
}

static void make_sender(dsc_delivery_worker_t *worker)
{
    dsc_delivery_sender_t *sender = &worker->sender;
    sender->pool = worker->pool;
    sender->service = worker->config.service;
    sender->database = worker->database;
    sender->client = worker->client;
    sender->plans = dsc_array_literal(worker->pool, worker->config.plans);
    sender->worker = dsc_process_name(worker->pool);
    sender->lease = LEASE;
    worker->notes = dsc_delivery_notes_create(worker->pool, worker->database, sender->worker,
                                              worker->config.log, worker->config.log_baton);
    sender->notes = worker->notes;
}

dsc_delivery_worker_t *dsc_delivery_worker_create(apr_pool_t *pool,
                                                  const dsc_delivery_worker_config_t *config)
{
    dsc_delivery_worker_t *worker = apr_pcalloc(pool, sizeof(*worker));
    dsc_database_config_t settings = {0};
    settings.conninfo = config->conninfo;
    settings.maximum = 1;
    settings.acquire_timeout = apr_time_from_sec(STATEMENT_SECONDS);
    settings.statement_timeout = apr_time_from_sec(STATEMENT_SECONDS);
    settings.application_name = "mod_disclosed delivery worker";
    settings.waiting = config->waiting;
    settings.log = config->log;
    settings.log_baton = config->log_baton;
    worker->pool = pool;
    worker->config = *config;
    worker->client = dsc_http_client_create(pool, &dsc_webhooks_of(config->service)->http);
    if (!worker->client || dsc_database_create(pool, &settings, &worker->database) != APR_SUCCESS) {
        return NULL;
    }
    make_sender(worker);
    return worker;
}
