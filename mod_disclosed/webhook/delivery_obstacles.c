#include "webhook/delivery_obstacles.h"

#include "engine/outage.h"
#include "engine/query.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <string.h>

enum {
    LEAST_PAUSE = 1,       /* seconds without claims after a failure of the host, */
    MOST_PAUSE = 30,       /* doubled up to that while it lasts */
    LEFT_SECONDS = 60,     /* an endpoint is left to other hosts */
    QUIET_SECONDS = 600,   /* the same failure is not logged again, though it ended meanwhile */
    MOST_ENDPOINTS = 10000 /* that are remembered */
};

typedef struct {
    char endpoint[24];
    apr_time_t since,
        until; /* the second by dsc_monotonic_now(), because steps of the clock hold nothing up */
} left_t;

struct dsc_obstacles_t {
    apr_pool_t *pool, *left_pool; /* the second: of `left` */
    dsc_log_t log;
    void *log_baton;
    apr_hash_t *left;           /* left_t by endpoint */
    dsc_host_failure_t failure; /* of the host, while it lasts */
    apr_time_t since, until;
    int pause;
    apr_time_t logged_at[DSC_COUNT_OF_HOST_FAILURES];
};

static void forget_endpoints(dsc_obstacles_t *obstacles)
{
    apr_pool_clear(obstacles->left_pool);
    obstacles->left = apr_hash_make(obstacles->left_pool);
}

dsc_obstacles_t *dsc_obstacles_create(apr_pool_t *pool, dsc_log_t log, void *log_baton)
{
    dsc_obstacles_t *obstacles = apr_pcalloc(pool, sizeof(*obstacles));
    obstacles->pool = pool;
    obstacles->log = log;
    obstacles->log_baton = log_baton;
    apr_pool_create(&obstacles->left_pool, pool);
    forget_endpoints(obstacles);
    return obstacles;
}

/* Logs an endpoint that is new here. */
static void log_endpoint(const dsc_obstacles_t *obstacles, dsc_host_failure_t failure,
                         const left_t *left)
{
    char text[512];
    if (failure == DSC_HOST_SECRET) {
        apr_snprintf(text, sizeof(text), dsc_text_SECRET_NOT_OPENED, left->endpoint);
        obstacles->log(obstacles->log_baton, DSC_MESSAGE_SECRET_NOT_OPENED, text);
    } else {
        apr_snprintf(text, sizeof(text), dsc_text_ENDPOINT_WAITS, left->endpoint,
                     dsc_host_failure_text(failure));
        obstacles->log(obstacles->log_baton, DSC_MESSAGE_ENDPOINT_WAITS, text);
    }
}

static void leave_endpoint(dsc_obstacles_t *obstacles, dsc_host_failure_t failure,
                           const char *endpoint, apr_time_t now)
{
    left_t *left = apr_hash_get(obstacles->left, endpoint, APR_HASH_KEY_STRING);
    if (!left) {
        if (apr_hash_count(obstacles->left) >= MOST_ENDPOINTS) {
            forget_endpoints(obstacles);
        }
        left = apr_palloc(obstacles->left_pool, sizeof(*left));
        apr_cpystrn(left->endpoint, endpoint, sizeof(left->endpoint));
        left->since = apr_time_now();
        apr_hash_set(obstacles->left, left->endpoint, APR_HASH_KEY_STRING, left);
        log_endpoint(obstacles, failure, left);
    }
    left->until = now + apr_time_from_sec(LEFT_SECONDS);
}

static void log_host(dsc_obstacles_t *obstacles, dsc_host_failure_t failure, apr_time_t now)
{
    char text[256];
    if (obstacles->logged_at[failure] &&
        now - obstacles->logged_at[failure] < apr_time_from_sec(QUIET_SECONDS)) {
        return;
    }
    obstacles->logged_at[failure] = now;
    apr_snprintf(text, sizeof(text), dsc_text_WEBHOOKS_WAIT, dsc_host_failure_text(failure));
    obstacles->log(obstacles->log_baton, DSC_MESSAGE_WEBHOOKS_WAIT, text);
}

void dsc_obstacles_meet(dsc_obstacles_t *obstacles, dsc_host_failure_t failure,
                        const char *endpoint)
{
    apr_time_t now = dsc_monotonic_now();
    if (dsc_host_failure_is_of_endpoint(failure)) {
        leave_endpoint(obstacles, failure, endpoint, now);
        return;
    }
    if (obstacles->failure != failure) {
        log_host(obstacles, failure, now);
        obstacles->since = obstacles->failure ? obstacles->since : apr_time_now();
        obstacles->failure = failure;
    }
    if (now >= obstacles->until) { /* those of one batch count once */
        obstacles->pause = obstacles->pause ? obstacles->pause * 2 : LEAST_PAUSE;
        obstacles->pause = obstacles->pause > MOST_PAUSE ? MOST_PAUSE : obstacles->pause;
        obstacles->until = now + apr_time_from_sec(obstacles->pause);
    }
}

void dsc_obstacles_pass(dsc_obstacles_t *obstacles, const char *endpoint)
{
    obstacles->failure = DSC_HOST_NONE;
    obstacles->since = obstacles->until = 0;
    obstacles->pause = 0;
    if (apr_hash_count(obstacles->left) > 0) {
        apr_hash_set(obstacles->left, endpoint, APR_HASH_KEY_STRING, NULL);
    }
}

apr_time_t dsc_obstacles_until(const dsc_obstacles_t *obstacles)
{
    return obstacles->until;
}

const char *dsc_obstacles_excepted(dsc_obstacles_t *obstacles, apr_pool_t *pool)
{
    apr_array_header_t *endpoints = apr_array_make(pool, 8, sizeof(const char *));
    apr_time_t now = dsc_monotonic_now();
    apr_hash_index_t *one;
    for (one = apr_hash_first(pool, obstacles->left); one; one = apr_hash_next(one)) {
        void *value;
        apr_hash_this(one, NULL, NULL, &value);
        if (((left_t *)value)->until > now) {
            APR_ARRAY_PUSH(endpoints, const char *) = ((left_t *)value)->endpoint;
        }
    }
    return dsc_array_literal(pool, endpoints);
}

void dsc_obstacles_figures(const dsc_obstacles_t *obstacles, dsc_obstacle_figures_t *figures)
{
    apr_time_t since = obstacles->since;
    apr_hash_index_t *one;
    for (one = apr_hash_first(NULL, obstacles->left); one; one = apr_hash_next(one)) {
        void *value;
        apr_hash_this(one, NULL, NULL, &value);
        since = since == 0 || ((left_t *)value)->since < since ? ((left_t *)value)->since : since;
    }
    figures->since = (uint64_t)since;
    figures->endpoints = apr_hash_count(obstacles->left);
}
