#include "webhook/delivery_worker.h"

#include "datasets/datasets.h"
#include "engine/query.h"
#include "engine/random.h"
#include "engine/utf8.h"
#include "webhook/delivery.h"
#include "webhook/schedule.h"
#include "webhook/sealed_secret.h"

#include <apr_general.h>
#include <apr_strings.h>
#include <stdlib.h>

enum {
    MOST_AT_ONCE = 32,        /* deliveries under way */
    CLAIM_MILLISECONDS = 500, /* what is due is looked for that often while something is queued, */
    MORE_MILLISECONDS = 50,   /* and so soon after something has ended */
    LOOK_SECONDS = 2,         /* between two looks at the whole queue */
    QUIET_SECONDS = 4,        /* the same while nothing is queued, unless there is news */
    OUTAGE_SECONDS = 5,       /* until the next look at a database that does not respond */
    PRUNE_SECONDS = 3600,
    PRUNE_MOST = 5000,
    STATEMENT_SECONDS = 10
};

/* Longer than any attempt takes. */
#define LEASE "60 seconds"
/* How long nothing may reach an endpoint before it is disabled, and how long what ended is kept. */
#define PATIENCE "5 days"
#define KEPT     "30 days"

struct dsc_delivery_worker_t {
    apr_pool_t *pool;
    dsc_delivery_worker_config_t config;
    dsc_database_t *database;
    dsc_http_client_t *client;
    dsc_delivery_worker_figures_t figures;
    apr_time_t next_claim, next_look, next_prune;
    uint64_t news; /* what the configuration's said last */
    int resealed;
};

/* A delivery under way. */
typedef struct {
    apr_pool_t *pool;
    const char *delivery, *endpoint;
    int attempts;
} job_t;

static void log_text(const dsc_delivery_worker_t *worker, int number, const char *text)
{
    worker->config.log(worker->config.log_baton, number, text);
}

/* Runs a statement that writes; the database has logged why where it fails. */
static dsc_result_t *change(const dsc_delivery_worker_t *worker, apr_pool_t *pool, const char *sql,
                            int count, const char *const *values)
{
    const dsc_statement_t statement = {sql, count, values, 0, NULL};
    dsc_session_t *session;
    dsc_result_t *rows = NULL;
    dsc_database_status_t status = dsc_session_acquire(worker->database, pool, &session);
    if (status != DSC_DATABASE_OK) {
        return NULL;
    }
    status = dsc_change(session, &statement, &rows);
    dsc_session_release(session);
    return status == DSC_DATABASE_OK ? rows : NULL;
}

/* Runs a statement that only reads. */
static dsc_result_t *read_rows(const dsc_delivery_worker_t *worker, apr_pool_t *pool,
                               const char *sql)
{
    const dsc_statement_t statement = {sql, 0, NULL, 0, NULL};
    dsc_session_t *session;
    dsc_result_t *rows = NULL;
    dsc_database_status_t status = dsc_session_acquire(worker->database, pool, &session);
    if (status != DSC_DATABASE_OK) {
        return NULL;
    }
    status = dsc_select(session, &statement, &rows);
    dsc_session_release(session);
    return status == DSC_DATABASE_OK ? rows : NULL;
}

/* ----------------------------------------------------------------- noting results */

static const char *const verdict_names[] = {
    [DSC_WEBHOOK_DELIVERED] = "delivered",   [DSC_WEBHOOK_RETRY] = "retry",
    [DSC_WEBHOOK_OVERLOADED] = "overloaded", [DSC_WEBHOOK_UNWANTED] = "unwanted",
    [DSC_WEBHOOK_ABORTED] = "aborted",
};

/* When to try again, as PostgreSQL reads it; NULL: never. */
static const char *next_attempt(const job_t *job, const dsc_http_response_t *response)
{
    apr_uint32_t random;
    apr_time_t next;
    if (!dsc_random_bytes(&random, sizeof(random))) {
        random = 0; /* jitter alone */
    }
    next = dsc_webhook_next(job->attempts + 1, random, response->retry_after, apr_time_now());
    return next ? apr_psprintf(job->pool, "%" APR_TIME_T_FMT ".%06d", apr_time_sec(next),
                               (int)apr_time_usec(next))
                : NULL;
}

static void tell_disabled(const dsc_delivery_worker_t *worker, const job_t *job, const char *reason)
{
    log_text(worker, DSC_MESSAGE_ENDPOINT_DISABLED,
             apr_psprintf(job->pool, dsc_text_ENDPOINT_DISABLED, job->endpoint,
                          strcmp(reason, "unwanted") == 0
                              ? "its receiver responded with 410"
                              : "nothing has reached it for " PATIENCE));
}

/* Names out of a receiver's certificate may stand in an error: what PostgreSQL takes of it. */
static const char *clean_error(apr_pool_t *pool, const char *error)
{
    dsc_slice_t text = {error, error ? strlen(error) : 0};
    if (!error) {
        return NULL;
    }
    text = dsc_utf8_clean(pool, text);
    return apr_pstrmemdup(pool, text.data, text.length);
}

static void note(dsc_delivery_worker_t *worker, job_t *job, const dsc_http_response_t *response)
{
    static const char sql[] =
        "SELECT note_webhook(%s::bigint, %s::text, %s::integer, %s::text, %s::integer,"
        " to_timestamp(%s::double precision), %s::interval)";
    dsc_webhook_verdict_t verdict = dsc_webhook_judge(response);
    const char *values[] = {
        job->delivery,
        verdict_names[verdict],
        response->status ? apr_itoa(job->pool, response->status) : NULL,
        clean_error(job->pool, response->error),
        apr_psprintf(job->pool, "%d", (int)apr_time_as_msec(response->took)),
        next_attempt(job, response),
        PATIENCE,
    };
    dsc_result_t *rows = change(worker, job->pool, sql, DSC_COUNT(values), values);
    if (verdict == DSC_WEBHOOK_DELIVERED) {
        worker->figures.delivered++;
    } else {
        worker->figures.failed++;
    }
    if (rows && dsc_result_next(rows) && dsc_result_text(rows, 0)) {
        tell_disabled(worker, job, dsc_result_text(rows, 0));
    }
    apr_pool_destroy(job->pool);
}

/* The endpoints of what has ended may get more. */
static void claim_soon(dsc_delivery_worker_t *worker)
{
    apr_time_t soon = apr_time_now() + apr_time_from_msec(MORE_MILLISECONDS);
    worker->next_claim = worker->next_claim < soon ? worker->next_claim : soon;
}

static void note_finished(dsc_delivery_worker_t *worker)
{
    for (;;) {
        apr_pool_t *pool;
        dsc_http_response_t response;
        void *job;
        apr_pool_create(&pool, worker->pool);
        if (!dsc_http_client_finished(worker->client, pool, &job, &response)) {
            apr_pool_destroy(pool);
            return;
        }
        note(worker, job, &response);
        claim_soon(worker);
        apr_pool_destroy(pool);
    }
}

/* --------------------------------------------------------------------- sending */

/* Columns of claim_webhooks(). */
enum {
    DELIVERY,
    TOPIC,
    MESSAGE,
    BODY,
    ATTEMPTS,
    ENDPOINT,
    ACCOUNT,
    URL,
    SECRET,
    PREVIOUS_SECRET
};

/* The body that counts: stored when the delivery is first due. */
static const char *body_of(dsc_delivery_worker_t *worker, const job_t *job, const dsc_result_t *row)
{
    static const char store[] = "SELECT set_webhook_body(%s::bigint, %s::text)";
    static const char drop[] = "SELECT drop_webhook(%s::bigint)";
    const char *body = dsc_result_text(row, BODY);
    const char *values[] = {job->delivery, NULL};
    dsc_result_t *rows;
    int is_gone;
    if (body) {
        return body;
    }
    values[1] = dsc_delivery_body(job->pool, worker->config.service, worker->database,
                                  dsc_result_text(row, TOPIC), job->delivery, &is_gone);
    if (is_gone) {
        (void)change(worker, job->pool, drop, 1, values);
    }
    if (!values[1]) {
        return NULL;
    }
    rows = change(worker, job->pool, store, DSC_COUNT(values), values);
    return rows && dsc_result_next(rows) ? dsc_result_text(rows, 0) : NULL;
}

static void fail(dsc_delivery_worker_t *worker, job_t *job, const char *why)
{
    dsc_http_response_t response = {0};
    response.error = why;
    note(worker, job, &response);
}

static void send_one(dsc_delivery_worker_t *worker, const dsc_result_t *row)
{
    const char *secrets[2];
    dsc_http_post_t post;
    apr_pool_t *pool;
    job_t *job;
    int count;

    apr_pool_create(&pool, worker->pool);
    job = apr_palloc(pool, sizeof(*job));
    job->pool = pool;
    job->delivery = apr_pstrdup(pool, dsc_result_text(row, DELIVERY));
    job->endpoint = apr_pstrdup(pool, dsc_result_text(row, ENDPOINT));
    job->attempts = atoi(dsc_result_text(row, ATTEMPTS));
    post.url = dsc_result_text(row, URL);
    post.body = body_of(worker, job, row);
    if (!post.body) {
        apr_pool_destroy(pool); /* gone, or the database is: then the lease brings it back */
        return;
    }
    post.length = strlen(post.body);
    count = dsc_webhook_open_both(pool, dsc_webhooks_of(worker->config.service),
                                  dsc_result_text(row, ACCOUNT), dsc_result_text(row, SECRET),
                                  dsc_result_text(row, PREVIOUS_SECRET), secrets);
    post.headers = count ? dsc_webhook_headers(pool, secrets, count, dsc_result_text(row, MESSAGE),
                                               post.body, post.length)
                         : NULL;
    if (!post.headers) {
        log_text(worker, DSC_MESSAGE_SECRET_NOT_OPENED,
                 apr_psprintf(pool, dsc_text_SECRET_NOT_OPENED, job->endpoint));
        fail(worker, job, "the signing secret cannot be opened");
    } else if (!dsc_http_client_start(worker->client, &post, job)) {
        fail(worker, job, "the request could not be made");
    }
}

/* Whether the database has responded. */
static int take_due(dsc_delivery_worker_t *worker, apr_pool_t *pool)
{
    static const char sql[] = "SELECT delivery_id, topic, message_id, body, attempts, endpoint_id,"
                              " account_id, url, sealed_secret, previous_sealed_secret"
                              " FROM claim_webhooks(%s::integer, %s::interval, %s::text[])";
    int room = MOST_AT_ONCE - dsc_http_client_running(worker->client);
    const char *values[] = {apr_itoa(pool, room), LEASE,
                            dsc_array_literal(pool, worker->config.plans)};
    dsc_result_t *rows;
    if (!dsc_webhooks_of(worker->config.service)->sends || room <= 0) {
        return 1;
    }
    rows = change(worker, pool, sql, DSC_COUNT(values), values);
    while (rows && dsc_result_next(rows)) {
        send_one(worker, rows);
    }
    return rows != NULL;
}

/* -------------------------------------------------------------------- the rest */

static uint64_t microseconds(const char *epoch)
{
    return epoch ? strtoull(epoch, NULL, 10) : 0;
}

static int read_queue(dsc_delivery_worker_t *worker, apr_pool_t *pool)
{
    dsc_result_t *rows =
        read_rows(worker, pool,
                  "SELECT waiting, (extract(epoch FROM queued_since) * 1000000)::bigint,"
                  " (extract(epoch FROM due_since) * 1000000)::bigint"
                  " FROM webhook_queue()");
    if (rows && dsc_result_next(rows)) {
        worker->figures.waiting = microseconds(dsc_result_text(rows, 0));
        worker->figures.queued_since = microseconds(dsc_result_text(rows, 1));
        worker->figures.due_since = microseconds(dsc_result_text(rows, 2));
    }
    return rows != NULL;
}

static int look_at_queue(dsc_delivery_worker_t *worker, apr_pool_t *pool)
{
    static const char drop[] = "SELECT drop_unwanted_webhooks(%s::text[])";
    const char *plans = dsc_array_literal(pool, worker->config.plans);
    int good = read_queue(worker, pool);
    if (good && worker->figures.waiting > 0 && dsc_webhooks_of(worker->config.service)->sends) {
        good = change(worker, pool, drop, 1, &plans) && read_queue(worker, pool);
    }
    worker->config.tell(worker->config.tell_baton, &worker->figures);
    worker->figures.delivered = worker->figures.failed = 0;
    return good;
}

static void prune(dsc_delivery_worker_t *worker, apr_pool_t *pool)
{
    static const char sql[] = "SELECT prune_webhooks(%s::interval, %s::integer)";
    const char *values[] = {KEPT, apr_itoa(pool, PRUNE_MOST)};
    dsc_result_t *rows = change(worker, pool, sql, DSC_COUNT(values), values);
    int more = rows && dsc_result_next(rows) && atoi(dsc_result_text(rows, 0)) >= PRUNE_MOST;
    worker->next_prune = apr_time_now() + apr_time_from_sec(more ? 1 : PRUNE_SECONDS);
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

/* What is done from time to time; whether the database has responded. */
static int look(dsc_delivery_worker_t *worker, apr_pool_t *pool, apr_time_t now)
{
    if (now < worker->next_look) {
        return 1;
    }
    worker->next_look = now + apr_time_from_sec(LOOK_SECONDS);
    if (!look_at_queue(worker, pool)) {
        return 0;
    }
    worker->resealed = worker->resealed || reseal(worker, pool);
    if (dsc_webhooks_of(worker->config.service)->sends && now >= worker->next_prune) {
        prune(worker, pool);
    }
    return 1;
}

/* Nothing is queued: then only news, or much time, make it look again. */
static int is_quiet(const dsc_delivery_worker_t *worker)
{
    return worker->figures.waiting == 0 && dsc_http_client_running(worker->client) == 0;
}

static void hear_news(dsc_delivery_worker_t *worker)
{
    uint64_t news = worker->config.news(worker->config.news_baton);
    if (news != worker->news) {
        worker->news = news;
        worker->next_look = 0;
        worker->next_claim = is_quiet(worker) ? 0 : worker->next_claim;
    }
}

static void claim(dsc_delivery_worker_t *worker)
{
    apr_time_t now = apr_time_now();
    apr_pool_t *pool;
    hear_news(worker);
    if (now < worker->next_claim) {
        return;
    }
    apr_pool_create(&pool, worker->pool);
    worker->next_claim = now + apr_time_from_msec(CLAIM_MILLISECONDS);
    if (!look(worker, pool, now) || (!is_quiet(worker) && !take_due(worker, pool))) {
        worker->next_claim = now + apr_time_from_sec(OUTAGE_SECONDS);
    } else if (is_quiet(worker)) {
        worker->next_claim = now + apr_time_from_sec(QUIET_SECONDS);
    }
    apr_pool_destroy(pool);
}

void dsc_delivery_worker_run(dsc_delivery_worker_t *worker, int descriptor, int milliseconds)
{
    apr_interval_time_t left;
    claim(worker);
    left = worker->next_claim - apr_time_now();
    if (left < apr_time_from_msec(milliseconds)) {
        milliseconds = left > 0 ? (int)apr_time_as_msec(left) + 1 : 0;
    }
    dsc_http_client_wait(worker->client, &descriptor, 1, milliseconds);
    note_finished(worker);
}

void dsc_delivery_worker_finish(dsc_delivery_worker_t *worker, int milliseconds)
{
    apr_time_t end = apr_time_now() + apr_time_from_msec(milliseconds);
    apr_interval_time_t left;
    while (dsc_http_client_running(worker->client) && (left = end - apr_time_now()) > 0) {
        dsc_http_client_wait(worker->client, NULL, 0, (int)apr_time_as_msec(left) + 1);
        note_finished(worker);
    }
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
    return worker;
}
