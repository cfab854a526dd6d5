/* The delivery worker turns announced events into deliveries, and sends them to the webhook
 * endpoints. It keeps no state of importance: if it ends, its successor on the host, which sees
 * that the process is gone, continues its work; or another host does when its lease has expired. */
#ifndef DSC_WEBHOOK_DELIVERY_WORKER_H
#define DSC_WEBHOOK_DELIVERY_WORKER_H

#include "engine/call.h"
#include "webhook/service.h"

typedef struct dsc_delivery_worker_t dsc_delivery_worker_t;

/* Its report on the queue and its work, after each look. Times are microseconds since 1970; 0:
 * nothing is queued or due. */
typedef struct {
    uint64_t waiting;              /* deliveries */
    uint64_t queued_since;         /* the oldest of them */
    uint64_t due_since;            /* when the one that is overdue longest should have been sent */
    uint64_t delivered;            /* since its last report */
    uint64_t failed;               /* attempts, the same */
    uint64_t put_back;             /* deliveries that this host could not send, the same */
    uint64_t obstructed_since;     /* what keeps this host from sending */
    uint64_t obstructed_endpoints; /* that this host cannot send to */
} dsc_delivery_worker_figures_t;

typedef struct {
    const dsc_service_t *service; /* its registry, URLs and webhooks; if these are not sent, it only
                                     looks at the queue, and reports it */
    const char *conninfo;         /* of the primary */
    const apr_array_header_t *plans; /* of const char *: those that may have webhooks */
    dsc_log_t log;
    void *log_baton;
    void (*tell)(void *baton, const dsc_delivery_worker_figures_t *figures);
    void *tell_baton;
    /* A number that is another one when there may be something new in the queue. */
    uint64_t (*news)(void *baton);
    void *news_baton;
    const dsc_waiting_t *waiting; /* what happens while PostgreSQL is waited for; may be NULL */
} dsc_delivery_worker_config_t;

/* Makes a delivery worker; NULL if its connection pool or HTTP client cannot be made. It is used by
 * one thread at a time and ends with the pool. */
dsc_delivery_worker_t *dsc_delivery_worker_create(apr_pool_t *pool,
                                                  const dsc_delivery_worker_config_t *config);

/* One run: takes what is due, sends it, notes what has come back. Waits for up to that long, or
 * until `descriptor` can be read. */
void dsc_delivery_worker_run(dsc_delivery_worker_t *worker, int descriptor, int milliseconds);

/* Waits that long at most for what is under way, and notes it. */
void dsc_delivery_worker_finish(dsc_delivery_worker_t *worker, int milliseconds);

#endif
