#include "webhook/delivery_batch.h"

#include "engine/query.h"
#include "webhook/delivery.h"
#include "webhook/delivery_sql.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* Columns of claim_webhooks(). */
enum {
    DELIVERY,
    EVENT,
    TOPIC,
    MESSAGE,
    BODY,
    ATTEMPTS,
    ENDPOINT,
    ACCOUNT,
    URL,
    BASE_URL,
    SECRET,
    PREVIOUS_SECRET,
    COUNT_OF_COLUMNS
};

/* A delivery of the batch. */
typedef struct {
    const char *columns[COUNT_OF_COLUMNS];
    dsc_event_body_t
        *made; /* shared by those of an event and base; NULL: it has had a body before */
} claimed_t;

static apr_array_header_t *read_claims(apr_pool_t *pool, dsc_result_t *rows)
{
    apr_array_header_t *claims = apr_array_make(pool, dsc_result_rows(rows), sizeof(claimed_t));
    while (dsc_result_next(rows)) {
        claimed_t *claim = apr_array_push(claims);
        int i;
        for (i = 0; i < COUNT_OF_COLUMNS; i++) {
            claim->columns[i] = dsc_result_text(rows, i);
        }
        claim->made = NULL;
    }
    return claims;
}

static apr_array_header_t *claim(const dsc_delivery_sender_t *sender, apr_pool_t *pool, int room,
                                 const char *excepted)
{
    static const char sql[] =
        "SELECT delivery_id, event_id, topic, message_id, body, attempts, endpoint_id, account_id,"
        " url, base_url, sealed_secret, previous_sealed_secret"
        " FROM claim_webhooks(%s::integer, %s::interval, %s::text[], %s::text, %s::bigint[])";
    const char *values[] = {apr_itoa(pool, room), sender->lease, sender->plans, sender->worker,
                            excepted};
    dsc_result_t *rows =
        dsc_delivery_change(sender->database, pool, sql, (int)DSC_COUNT(values), values);
    return rows ? read_claims(pool, rows) : NULL;
}

/* ---------------------------------------------------------------------- bodies */

/* The bodies that the batch lacks: one for each event and base. */
static apr_array_header_t *lacking(apr_pool_t *pool, const apr_array_header_t *claims)
{
    apr_array_header_t *bodies = apr_array_make(pool, 16, sizeof(dsc_event_body_t *));
    apr_hash_t *known = apr_hash_make(pool);
    int i;
    for (i = 0; i < claims->nelts; i++) {
        claimed_t *one = &APR_ARRAY_IDX(claims, i, claimed_t);
        const char *key;
        if (one->columns[BODY]) {
            continue;
        }
        key = apr_pstrcat(pool, one->columns[EVENT], " ", one->columns[BASE_URL], NULL);
        one->made = apr_hash_get(known, key, APR_HASH_KEY_STRING);
        if (!one->made) {
            one->made = apr_pcalloc(pool, sizeof(*one->made));
            one->made->event = one->columns[EVENT];
            one->made->topic = one->columns[TOPIC];
            one->made->base_url = one->columns[BASE_URL];
            apr_hash_set(known, key, APR_HASH_KEY_STRING, one->made);
            APR_ARRAY_PUSH(bodies, dsc_event_body_t *) = one->made;
        }
    }
    return bodies;
}

/* Takes what is stored, which counts should another host have been faster. */
static void take_stored(const apr_array_header_t *bodies, dsc_result_t *rows)
{
    while (dsc_result_next(rows)) {
        int i;
        for (i = 0; i < bodies->nelts; i++) {
            dsc_event_body_t *one = APR_ARRAY_IDX(bodies, i, dsc_event_body_t *);
            if (strcmp(one->event, dsc_result_text(rows, 0)) == 0 &&
                strcmp(one->base_url, dsc_result_text(rows, 1)) == 0) {
                one->body = dsc_result_text(rows, 2);
            }
        }
    }
}

static int store_bodies(const dsc_delivery_sender_t *sender, apr_pool_t *pool,
                        const apr_array_header_t *bodies)
{
    static const char sql[] = "SELECT event_id, base_url, body FROM store_webhook_bodies("
                              "%s::bigint[], %s::text[], %s::text[])";
    apr_array_header_t *lists[3];
    const char *values[3];
    dsc_result_t *rows;
    int i;
    for (i = 0; i < 3; i++) {
        lists[i] = apr_array_make(pool, bodies->nelts, sizeof(const char *));
    }
    for (i = 0; i < bodies->nelts; i++) {
        const dsc_event_body_t *one = APR_ARRAY_IDX(bodies, i, dsc_event_body_t *);
        if (one->body) {
            APR_ARRAY_PUSH(lists[0], const char *) = one->event;
            APR_ARRAY_PUSH(lists[1], const char *) = one->base_url;
            APR_ARRAY_PUSH(lists[2], const char *) = one->body;
        }
    }
    for (i = 0; i < 3; i++) {
        values[i] = dsc_array_literal(pool, lists[i]);
    }
    rows = dsc_delivery_change(sender->database, pool, sql, 3, values);
    if (rows) {
        take_stored(bodies, rows);
    }
    return rows != NULL;
}

/* Ends deliveries whose items are gone. */
static int drop_gone(const dsc_delivery_sender_t *sender, apr_pool_t *pool,
                     const apr_array_header_t *claims)
{
    static const char sql[] = "SELECT drop_webhooks(%s::bigint[])";
    apr_array_header_t *gone = apr_array_make(pool, 4, sizeof(const char *));
    const char *value;
    int i;
    for (i = 0; i < claims->nelts; i++) {
        const claimed_t *one = &APR_ARRAY_IDX(claims, i, claimed_t);
        if (one->made && !one->made->body) {
            APR_ARRAY_PUSH(gone, const char *) = one->columns[DELIVERY];
        }
    }
    value = dsc_array_literal(pool, gone);
    return gone->nelts == 0 || dsc_delivery_change(sender->database, pool, sql, 1, &value);
}

static int give_bodies(const dsc_delivery_sender_t *sender, apr_pool_t *pool,
                       const apr_array_header_t *claims)
{
    apr_array_header_t *bodies = lacking(pool, claims);
    return bodies->nelts == 0 ||
           (dsc_event_bodies_make(pool, sender->service, sender->database, bodies) &&
            store_bodies(sender, pool, bodies) && drop_gone(sender, pool, claims));
}

/* --------------------------------------------------------------------- sending */

/* The signing secrets of the endpoint that was signed for last: a batch is in the order of
 * endpoints. */
typedef struct {
    const char *endpoint, *secrets[2];
    int count;
} secrets_t;

static void open_secrets(const dsc_delivery_sender_t *sender, apr_pool_t *pool,
                         const claimed_t *claim_, secrets_t *secrets)
{
    if (secrets->endpoint && strcmp(secrets->endpoint, claim_->columns[ENDPOINT]) == 0) {
        return;
    }
    secrets->endpoint = claim_->columns[ENDPOINT];
    secrets->count = dsc_webhook_open_both(pool, dsc_webhooks_of(sender->service),
                                           claim_->columns[ACCOUNT], claim_->columns[SECRET],
                                           claim_->columns[PREVIOUS_SECRET], secrets->secrets);
}

static dsc_delivery_job_t *make_job(const dsc_delivery_sender_t *sender, const claimed_t *one)
{
    apr_pool_t *pool;
    dsc_delivery_job_t *job;
    apr_pool_create(&pool, sender->pool);
    job = apr_pcalloc(pool, sizeof(*job));
    job->pool = pool;
    job->delivery = apr_pstrdup(pool, one->columns[DELIVERY]);
    job->endpoint = apr_pstrdup(pool, one->columns[ENDPOINT]);
    job->url = apr_pstrdup(pool, one->columns[URL]);
    job->attempts = atoi(one->columns[ATTEMPTS]);
    dsc_delivery_notes_begin(sender->notes, job);
    return job;
}

static void send_one(const dsc_delivery_sender_t *sender, const claimed_t *one, const char *body,
                     const secrets_t *secrets)
{
    dsc_delivery_job_t *job = make_job(sender, one);
    dsc_http_response_t response = {0};
    dsc_http_post_t post;
    post.url = job->url;
    post.body = body;
    post.length = strlen(body);
    post.headers = secrets->count ? dsc_webhook_headers(job->pool, secrets->secrets, secrets->count,
                                                        one->columns[MESSAGE], body, post.length)
                                  : NULL;
    if (!post.headers) {
        response.suspected = DSC_HOST_SECRET;
    } else if (!dsc_http_client_start(sender->client, &post, job)) {
        response.suspected = DSC_HOST_RESOURCES;
    }
    if (response.suspected) {
        dsc_delivery_notes_add(sender->notes, job, &response);
    }
}

/* The database has gone meanwhile. */
static void put_back(const dsc_delivery_sender_t *sender, const apr_array_header_t *claims)
{
    int i;
    for (i = 0; i < claims->nelts; i++) {
        dsc_delivery_notes_release(sender->notes,
                                   APR_ARRAY_IDX(claims, i, claimed_t).columns[DELIVERY]);
    }
}

int dsc_delivery_take(const dsc_delivery_sender_t *sender, apr_pool_t *pool, int room,
                      const char *excepted)
{
    apr_array_header_t *claims = claim(sender, pool, room, excepted);
    secrets_t secrets = {0};
    int i;
    if (!claims) {
        dsc_delivery_notes_lose(sender->notes);
        return -1;
    }
    if (!give_bodies(sender, pool, claims)) {
        put_back(sender, claims);
        return -1;
    }
    for (i = 0; i < claims->nelts; i++) {
        const claimed_t *one = &APR_ARRAY_IDX(claims, i, claimed_t);
        const char *body = one->made ? one->made->body : one->columns[BODY];
        if (body) {
            open_secrets(sender, pool, one, &secrets);
            send_one(sender, one, body, &secrets);
        }
    }
    return claims->nelts;
}
