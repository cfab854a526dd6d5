/* How deliveries have gone, gathered and stored in batches. */
#ifndef DSC_WEBHOOK_DELIVERY_NOTES_H
#define DSC_WEBHOOK_DELIVERY_NOTES_H

#include "engine/database.h"
#include "webhook/delivery_obstacles.h"
#include "webhook/http_client.h"

#include <apr_ring.h>

/* A delivery under way; its pool ends with it. */
typedef struct dsc_delivery_job_t {
    APR_RING_ENTRY(dsc_delivery_job_t) link;
    apr_pool_t *pool;
    const char *delivery, *endpoint, *url;
    int attempts;
    dsc_http_response_t undecided; /* with a failure of which it is not known yet whose it is */
} dsc_delivery_job_t;

typedef struct dsc_delivery_notes_t dsc_delivery_notes_t;

/* What has been noted since it was last asked for. */
typedef struct {
    uint64_t delivered, failed; /* attempts */
    uint64_t put_back;          /* for a failure of this host */
} dsc_delivery_counts_t;

/* `worker` is by dsc_process_name(). */
dsc_delivery_notes_t *dsc_delivery_notes_create(apr_pool_t *pool, dsc_database_t *database,
                                                const char *worker, dsc_log_t log, void *log_baton);

/* Takes down that a job has begun. */
void dsc_delivery_notes_begin(dsc_delivery_notes_t *notes, dsc_delivery_job_t *job);

/* Takes down how a job has ended, and ends it. If this host was at failure, the delivery is put
 * back: it was no attempt. If that is still being looked into, it waits. */
void dsc_delivery_notes_add(dsc_delivery_notes_t *notes, dsc_delivery_job_t *job,
                            const dsc_http_response_t *response);

/* How many wait so; takes down those of which it is known by now. */
int dsc_delivery_notes_undecided(const dsc_delivery_notes_t *notes);
void dsc_delivery_notes_decide(dsc_delivery_notes_t *notes);

/* Takes down a delivery that was claimed and not begun: it is let go of with the next that are
 * stored. */
void dsc_delivery_notes_release(dsc_delivery_notes_t *notes, const char *delivery);

/* Takes down that deliveries may have been claimed of which the worker has not heard, because the
 * connection was lost; and lets go of them, so that they need not wait for the end of their lease.
 * Returns 0 if the database does not respond. */
void dsc_delivery_notes_lose(dsc_delivery_notes_t *notes);
int dsc_delivery_notes_let_go(dsc_delivery_notes_t *notes);

/* How many are not stored yet, and since when there are some, by dsc_monotonic_now(). */
int dsc_delivery_notes_pending(const dsc_delivery_notes_t *notes);
apr_time_t dsc_delivery_notes_since(const dsc_delivery_notes_t *notes);

/* Stores them. Returns 0 if the database does not respond: they are kept. */
int dsc_delivery_notes_store(dsc_delivery_notes_t *notes);

dsc_obstacles_t *dsc_delivery_notes_obstacles(dsc_delivery_notes_t *notes);
void dsc_delivery_notes_counts(dsc_delivery_notes_t *notes, dsc_delivery_counts_t *counts);

#endif
