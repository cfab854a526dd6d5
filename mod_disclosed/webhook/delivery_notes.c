#include "webhook/delivery_notes.h"

#include "engine/outage.h"
#include "engine/query.h"
#include "engine/random.h"
#include "engine/utf8.h"
#include "webhook/delivery_sql.h"
#include "webhook/schedule.h"

#include <apr_strings.h>
#include <string.h>

/* How long nothing may reach an endpoint before it is disabled. */
#define PATIENCE "5 days"

/* Parameters of note_own_webhooks(), one array each. */
enum {
    DELIVERY,
    VERDICT,
    STATUS,
    PROBLEM,
    TOOK,
    NEXT,
    COUNT_OF_LISTS
};

struct dsc_delivery_notes_t {
    apr_pool_t *pool; /* of what is gathered: cleared when it is stored */
    dsc_database_t *database;
    const char *worker;
    dsc_log_t log;
    void *log_baton;
    apr_array_header_t *lists[COUNT_OF_LISTS]; /* of const char * */
    apr_array_header_t *put_back;              /* deliveries */
    APR_RING_HEAD(jobs_t, dsc_delivery_job_t) jobs;
    apr_time_t since;
    int has_lost;  /* claims that it has not heard of */
    int undecided; /* of the jobs */
    dsc_host_look_t look;
    dsc_obstacles_t *obstacles;
    dsc_delivery_counts_t counts;
};

static void begin(dsc_delivery_notes_t *notes)
{
    int i;
    apr_pool_clear(notes->pool);
    for (i = 0; i < COUNT_OF_LISTS; i++) {
        notes->lists[i] = apr_array_make(notes->pool, 64, sizeof(const char *));
    }
    notes->put_back = apr_array_make(notes->pool, 16, sizeof(const char *));
    notes->since = 0;
}

static apr_status_t end_look(void *notes)
{
    dsc_host_look_end(&((dsc_delivery_notes_t *)notes)->look);
    return APR_SUCCESS;
}

dsc_delivery_notes_t *dsc_delivery_notes_create(apr_pool_t *pool, dsc_database_t *database,
                                                const char *worker, dsc_log_t log, void *log_baton)
{
    dsc_delivery_notes_t *notes = apr_pcalloc(pool, sizeof(*notes));
    apr_pool_create(&notes->pool, pool);
    notes->database = database;
    notes->worker = worker;
    notes->log = log;
    notes->log_baton = log_baton;
    notes->obstacles = dsc_obstacles_create(pool, log, log_baton);
    APR_RING_INIT(&notes->jobs, dsc_delivery_job_t, link);
    apr_pool_cleanup_register(pool, notes, end_look, apr_pool_cleanup_null);
    begin(notes);
    return notes;
}

static const char *const verdict_names[] = {
    [DSC_WEBHOOK_DELIVERED] = "delivered",   [DSC_WEBHOOK_RETRY] = "retry",
    [DSC_WEBHOOK_OVERLOADED] = "overloaded", [DSC_WEBHOOK_UNWANTED] = "unwanted",
    [DSC_WEBHOOK_ABORTED] = "aborted",
};

static const char *seconds(apr_pool_t *pool, apr_time_t time)
{
    return apr_psprintf(pool, "%" APR_TIME_T_FMT ".%06d", apr_time_sec(time),
                        (int)apr_time_usec(time));
}

/* When to try again, in seconds of dsc_monotonic_now(); NULL: never. What the queue's times are is
 * the database's to say: the clocks of hosts differ, and step. */
static const char *next_attempt(apr_pool_t *pool, const dsc_delivery_job_t *job,
                                const dsc_http_response_t *response)
{
    apr_uint32_t random;
    apr_time_t next, now = apr_time_now();
    if (!dsc_random_bytes(&random, sizeof(random))) {
        random = 0; /* jitter alone */
    }
    next = dsc_webhook_next(job->attempts + 1, random, response->retry_after, now);
    return next ? seconds(pool, dsc_monotonic_now() + (next - now)) : NULL;
}

/* Names out of a receiver's certificate may be in an error: what PostgreSQL takes of it. */
static const char *clean_error(apr_pool_t *pool, const char *error)
{
    dsc_slice_t text = {error, error ? strlen(error) : 0};
    if (!error) {
        return NULL;
    }
    text = dsc_utf8_clean(pool, text);
    return apr_pstrmemdup(pool, text.data, text.length);
}

static void add_attempt(dsc_delivery_notes_t *notes, const dsc_delivery_job_t *job,
                        const dsc_http_response_t *response)
{
    dsc_webhook_verdict_t verdict = dsc_webhook_judge(response);
    const char *values[COUNT_OF_LISTS];
    int i;
    values[DELIVERY] = apr_pstrdup(notes->pool, job->delivery);
    values[VERDICT] = verdict_names[verdict];
    values[STATUS] = response->status ? apr_itoa(notes->pool, response->status) : NULL;
    values[PROBLEM] = clean_error(notes->pool, response->error);
    values[TOOK] = apr_itoa(notes->pool, (int)apr_time_as_msec(response->took));
    values[NEXT] =
        verdict == DSC_WEBHOOK_DELIVERED ? NULL : next_attempt(notes->pool, job, response);
    for (i = 0; i < COUNT_OF_LISTS; i++) {
        APR_ARRAY_PUSH(notes->lists[i], const char *) = values[i];
    }
    if (verdict == DSC_WEBHOOK_DELIVERED) {
        notes->counts.delivered++;
    } else {
        notes->counts.failed++;
    }
    if (response->status) {
        dsc_obstacles_pass(notes->obstacles, job->endpoint);
    }
}

/* Whether this host is at failure, and not the receiver. */
static dsc_host_verdict_t judge(dsc_delivery_notes_t *notes, const dsc_delivery_job_t *job,
                                const dsc_http_response_t *response)
{
    if (response->status != 0 || response->suspected == DSC_HOST_NONE) {
        return DSC_HOST_REFUTED;
    }
    return dsc_host_failure_judge(&notes->look, response->suspected,
                                  dsc_http_host(job->pool, job->url));
}

void dsc_delivery_notes_begin(dsc_delivery_notes_t *notes, dsc_delivery_job_t *job)
{
    APR_RING_INSERT_TAIL(&notes->jobs, job, dsc_delivery_job_t, link);
}

static void end_job(dsc_delivery_notes_t *notes, dsc_delivery_job_t *job,
                    const dsc_http_response_t *response, int is_failure_of_host)
{
    notes->since = notes->since ? notes->since : dsc_monotonic_now();
    if (is_failure_of_host) {
        APR_ARRAY_PUSH(notes->put_back, const char *) = apr_pstrdup(notes->pool, job->delivery);
        notes->counts.put_back++;
        dsc_obstacles_meet(notes->obstacles, response->suspected, job->endpoint);
    } else {
        add_attempt(notes, job, response);
    }
    APR_RING_REMOVE(job, link);
    apr_pool_destroy(job->pool);
}

/* Without a status, a response has no other text than its error. */
static void leave_undecided(dsc_delivery_notes_t *notes, dsc_delivery_job_t *job,
                            const dsc_http_response_t *response)
{
    job->undecided = *response;
    job->undecided.error = apr_pstrdup(job->pool, response->error);
    notes->undecided++;
}

void dsc_delivery_notes_add(dsc_delivery_notes_t *notes, dsc_delivery_job_t *job,
                            const dsc_http_response_t *response)
{
    dsc_host_verdict_t verdict = judge(notes, job, response);
    if (verdict == DSC_HOST_UNDECIDED) {
        leave_undecided(notes, job, response);
    } else {
        end_job(notes, job, response, verdict == DSC_HOST_CONFIRMED);
    }
}

int dsc_delivery_notes_undecided(const dsc_delivery_notes_t *notes)
{
    return notes->undecided;
}

void dsc_delivery_notes_decide(dsc_delivery_notes_t *notes)
{
    dsc_delivery_job_t *job, *next;
    if (notes->undecided == 0) {
        return;
    }
    for (job = APR_RING_FIRST(&notes->jobs);
         job != APR_RING_SENTINEL(&notes->jobs, dsc_delivery_job_t, link); job = next) {
        dsc_host_verdict_t verdict = judge(notes, job, &job->undecided);
        next = APR_RING_NEXT(job, link);
        if (job->undecided.suspected != DSC_HOST_NONE && verdict != DSC_HOST_UNDECIDED) {
            notes->undecided--;
            end_job(notes, job, &job->undecided, verdict == DSC_HOST_CONFIRMED);
        }
    }
}

void dsc_delivery_notes_release(dsc_delivery_notes_t *notes, const char *delivery)
{
    notes->since = notes->since ? notes->since : dsc_monotonic_now();
    APR_ARRAY_PUSH(notes->put_back, const char *) = apr_pstrdup(notes->pool, delivery);
}

int dsc_delivery_notes_pending(const dsc_delivery_notes_t *notes)
{
    return notes->lists[DELIVERY]->nelts + notes->put_back->nelts;
}

apr_time_t dsc_delivery_notes_since(const dsc_delivery_notes_t *notes)
{
    return notes->since;
}

static void log_disabled(const dsc_delivery_notes_t *notes, apr_pool_t *pool, const char *endpoint,
                         const char *reason)
{
    notes->log(notes->log_baton, DSC_MESSAGE_ENDPOINT_DISABLED,
               apr_psprintf(pool, dsc_text_ENDPOINT_DISABLED, endpoint,
                            strcmp(reason, "unwanted") == 0
                                ? "its receiver responded with 410"
                                : "nothing has reached it for " PATIENCE));
}

static int store_attempts(dsc_delivery_notes_t *notes, apr_pool_t *pool)
{
    static const char sql[] =
        "SELECT endpoint_id, reason FROM note_own_webhooks(%s::text, %s::bigint[], %s::text[],"
        " %s::integer[], %s::text[], %s::integer[], ARRAY(SELECT clock_timestamp() +"
        " make_interval(secs => n - %s::double precision) FROM"
        " unnest(%s::double precision[]) n), %s::interval)";
    const char *values[COUNT_OF_LISTS + 3], **next = values;
    dsc_result_t *rows;
    int i;
    if (notes->lists[DELIVERY]->nelts == 0) {
        return 1;
    }
    *next++ = notes->worker;
    for (i = 0; i < NEXT; i++) {
        *next++ = dsc_array_literal(pool, notes->lists[i]);
    }
    *next++ = seconds(pool, dsc_monotonic_now());
    *next++ = dsc_array_literal(pool, notes->lists[NEXT]);
    *next = PATIENCE;
    rows = dsc_delivery_change(notes->database, pool, sql, DSC_COUNT(values), values);
    while (rows && dsc_result_next(rows)) {
        log_disabled(notes, pool, dsc_result_text(rows, 0), dsc_result_text(rows, 1));
    }
    for (i = 0; rows && i < COUNT_OF_LISTS; i++) {
        apr_array_clear(notes->lists[i]);
    }
    return rows != NULL;
}

static int store_put_back(const dsc_delivery_notes_t *notes, apr_pool_t *pool)
{
    static const char sql[] = "SELECT release_webhooks(%s::text, %s::bigint[])";
    const char *values[] = {notes->worker, NULL};
    if (notes->put_back->nelts == 0) {
        return 1;
    }
    values[1] = dsc_array_literal(pool, notes->put_back);
    return dsc_delivery_change(notes->database, pool, sql, 2, values) != NULL;
}

int dsc_delivery_notes_store(dsc_delivery_notes_t *notes)
{
    apr_pool_t *pool;
    int good;
    apr_pool_create(&pool, notes->pool);
    good = store_attempts(notes, pool) && store_put_back(notes, pool);
    apr_pool_destroy(pool);
    if (good) {
        begin(notes);
    }
    return good;
}

void dsc_delivery_notes_lose(dsc_delivery_notes_t *notes)
{
    notes->has_lost = 1;
}

int dsc_delivery_notes_let_go(dsc_delivery_notes_t *notes)
{
    static const char sql[] = "SELECT release_lost_webhooks(%s::text, %s::bigint[])";
    const char *values[] = {notes->worker, NULL};
    apr_array_header_t *held;
    dsc_delivery_job_t *job;
    apr_pool_t *pool;

    /* Those that have ended are none of the lost, and held no longer when they are stored. */
    if (!notes->has_lost) {
        return 1;
    }
    if (dsc_delivery_notes_pending(notes) && !dsc_delivery_notes_store(notes)) {
        return 0;
    }
    apr_pool_create(&pool, notes->pool);
    held = apr_array_make(pool, 64, sizeof(const char *));
    APR_RING_FOREACH(job, &notes->jobs, dsc_delivery_job_t, link)
    {
        APR_ARRAY_PUSH(held, const char *) = job->delivery;
    }
    values[1] = dsc_array_literal(pool, held);
    notes->has_lost = dsc_delivery_change(notes->database, pool, sql, 2, values) == NULL;
    apr_pool_destroy(pool);
    return !notes->has_lost;
}

dsc_obstacles_t *dsc_delivery_notes_obstacles(dsc_delivery_notes_t *notes)
{
    return notes->obstacles;
}

void dsc_delivery_notes_counts(dsc_delivery_notes_t *notes, dsc_delivery_counts_t *counts)
{
    *counts = notes->counts;
    memset(&notes->counts, 0, sizeof(notes->counts));
}
