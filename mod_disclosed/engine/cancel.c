#include "engine/cancel.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* libpq before 17 cancels in one call that waits for the server to close the connection, however long
 * that takes. So a thread of its own makes the call, and is left behind where it does not return. */

/* Threads left behind in one process, at the most. */
#define MOST_PENDING 8

typedef struct {
    PGcancel *request;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_done, good, is_left; /* the last of the two to look frees it */
} attempt_t;

static atomic_int pending;

static void destroy(attempt_t *attempt)
{
    pthread_cond_destroy(&attempt->changed);
    pthread_mutex_destroy(&attempt->lock);
    PQfreeCancel(attempt->request);
    free(attempt);
}

static void *run(void *data)
{
    attempt_t *attempt = data;
    char error[256];
    int good = PQcancel(attempt->request, error, sizeof(error)), is_left;

    atomic_fetch_sub(&pending, 1);
    pthread_mutex_lock(&attempt->lock);
    attempt->is_done = 1;
    attempt->good = good;
    is_left = attempt->is_left;
    pthread_cond_signal(&attempt->changed);
    pthread_mutex_unlock(&attempt->lock);
    if (is_left) {
        destroy(attempt);
    }
    return NULL;
}

static attempt_t *create(PGcancel *request)
{
    attempt_t *attempt = calloc(1, sizeof(*attempt));
    pthread_condattr_t attributes;

    if (attempt == NULL) {
        PQfreeCancel(request);
        return NULL;
    }
    attempt->request = request;
    pthread_mutex_init(&attempt->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&attempt->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return attempt;
}

/* Signals are for the threads that were there before. */
static int start(attempt_t *attempt)
{
    sigset_t all, before;
    pthread_t thread;
    int good;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    good = pthread_create(&thread, NULL, run, attempt) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (good) {
        (void)pthread_detach(thread);
    }
    return good;
}

/* Waits for its end; whether it was good. */
static int await(attempt_t *attempt, apr_interval_time_t limit)
{
    struct timespec end;
    int is_done, good, waited = 0;

    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (time_t)apr_time_sec(limit);
    end.tv_nsec += (long)apr_time_usec(limit) * 1000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&attempt->lock);
    while (!attempt->is_done && waited == 0) {
        waited = pthread_cond_timedwait(&attempt->changed, &attempt->lock, &end);
    }
    is_done = attempt->is_done;
    good = attempt->good;
    attempt->is_left = 1;
    pthread_mutex_unlock(&attempt->lock);
    if (is_done) {
        destroy(attempt);
    }
    return is_done && good;
}

int dsc_cancel(PGconn *connection, apr_interval_time_t limit)
{
    PGcancel *request;
    attempt_t *attempt;

    if (atomic_load(&pending) >= MOST_PENDING || (request = PQgetCancel(connection)) == NULL ||
        (attempt = create(request)) == NULL) {
        return 0;
    }
    atomic_fetch_add(&pending, 1);
    if (!start(attempt)) {
        atomic_fetch_sub(&pending, 1);
        destroy(attempt);
        return 0;
    }
    return await(attempt, limit);
}
