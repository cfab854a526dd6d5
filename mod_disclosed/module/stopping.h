/* Tells the threads of the background process to stop, and lets them wait for PostgreSQL
 * meanwhile. */
#ifndef DSC_STOPPING_H
#define DSC_STOPPING_H

#include "engine/connection.h"

#include <apr_thread_proc.h>
#include <stdatomic.h>

typedef struct {
    const atomic_int *flag;   /* set: stop */
    int descriptor;           /* readable from then on */
    _Atomic apr_time_t since; /* when a statement first met the flag; 0: not yet */
    atomic_int running;       /* threads that have not ended */
    dsc_waiting_t
        waiting; /* for their connections: a second after the flag statements are cancelled */
} dsc_stopping_t;

/* Makes it ready. */
void dsc_stopping_init(dsc_stopping_t *stopping, const atomic_int *flag, int descriptor);

/* Starts a thread that is waited for until it says dsc_stopping_end(), the last that it does. */
apr_status_t dsc_stopping_start(dsc_stopping_t *stopping, apr_thread_start_t work, void *baton,
                                apr_pool_t *pool);
void dsc_stopping_end(dsc_stopping_t *stopping);

#endif
