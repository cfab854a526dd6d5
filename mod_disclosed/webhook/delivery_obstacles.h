/* Conditions of this host that keep it from sending: each is logged once while it lasts. If one
 * concerns all receivers, the host claims nothing for a while, longer each time. If it concerns
 * one endpoint, the host leaves that endpoint to other hosts. */
#ifndef DSC_WEBHOOK_DELIVERY_OBSTACLES_H
#define DSC_WEBHOOK_DELIVERY_OBSTACLES_H

#include "engine/message.h"
#include "webhook/host_failure.h"

typedef struct dsc_obstacles_t dsc_obstacles_t;

/* What is in the way now. */
typedef struct {
    uint64_t since;     /* microseconds since 1970, of the oldest; 0: nothing */
    uint64_t endpoints; /* that this host cannot send to */
} dsc_obstacle_figures_t;

dsc_obstacles_t *dsc_obstacles_create(apr_pool_t *pool, dsc_log_t log, void *log_baton);

/* A delivery to the endpoint could not be sent for that reason, or a receiver has responded. */
void dsc_obstacles_meet(dsc_obstacles_t *obstacles, dsc_host_failure_t failure,
                        const char *endpoint);
void dsc_obstacles_pass(dsc_obstacles_t *obstacles, const char *endpoint);

/* When to claim again, by dsc_monotonic_now(), should nothing be sent now; 0: at once. */
apr_time_t dsc_obstacles_until(const dsc_obstacles_t *obstacles);

/* The endpoints that are left to others now, as an array of PostgreSQL's. */
const char *dsc_obstacles_excepted(dsc_obstacles_t *obstacles, apr_pool_t *pool);

void dsc_obstacles_figures(const dsc_obstacles_t *obstacles, dsc_obstacle_figures_t *figures);

#endif
