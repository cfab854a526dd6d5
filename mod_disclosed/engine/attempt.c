#include "engine/attempt.h"

#include "engine/outage.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    dsc_attempts_t *attempts;
    void *baton;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int is_done, is_left; /* the second of the two to look frees it */
} attempt_t;

static attempt_t *create(dsc_attempts_t *attempts, void *baton)
{
    attempt_t *attempt = calloc(1, sizeof(*attempt));
    pthread_condattr_t attributes;

    if (attempt == NULL) {
        return NULL;
    }
    attempt->attempts = attempts;
    attempt->baton = baton;
    pthread_mutex_init(&attempt->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&attempt->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return attempt;
}

static void destroy(attempt_t *attempt)
{
    pthread_cond_destroy(&attempt->changed);
    pthread_mutex_destroy(&attempt->lock);
    free(attempt);
}

static void *work(void *data)
{
    attempt_t *attempt = data;
    dsc_attempts_t *attempts = attempt->attempts;
    void *baton = attempt->baton;
    int is_left;

    attempts->run(baton);
    pthread_mutex_lock(&attempt->lock);
    attempt->is_done = 1;
    is_left = attempt->is_left;
    pthread_cond_signal(&attempt->changed);
    pthread_mutex_unlock(&attempt->lock);
    if (is_left) {
        destroy(attempt);
        attempts->discard(baton);
        attempts->left--;
    }
    return NULL;
}

/* Signals are for the threads that were there before. */
static int start(attempt_t *attempt)
{
    sigset_t all, before;
    pthread_t thread;
    int good;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    good = pthread_create(&thread, NULL, work, attempt) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (good) {
        (void)pthread_detach(thread);
    }
    return good;
}

/* Waits for its end; whether it has come. */
static int await(attempt_t *attempt, apr_time_t deadline)
{
    const struct timespec end = {.tv_sec = (time_t)apr_time_sec(deadline),
                                 .tv_nsec = (long)apr_time_usec(deadline) * 1000};
    int is_done;

    pthread_mutex_lock(&attempt->lock);
    /* By our clock: libfaketime ends such waits at once. */
    while (!attempt->is_done && dsc_monotonic_now() < deadline) {
        (void)pthread_cond_timedwait(&attempt->changed, &attempt->lock, &end);
    }
    is_done = attempt->is_done;
    if (!is_done) {
        attempt->is_left = 1;
        attempt->attempts->left++;
    }
    pthread_mutex_unlock(&attempt->lock);
    if (is_done) {
        destroy(attempt);
    }
    return is_done;
}

dsc_attempt_t dsc_attempt(dsc_attempts_t *attempts, void *baton, apr_time_t deadline)
{
    attempt_t *attempt = attempts->left < attempts->most ? create(attempts, baton) : NULL;

    if (attempt == NULL) {
        return DSC_ATTEMPT_NONE;
    }
    if (!start(attempt)) {
        destroy(attempt);
        return DSC_ATTEMPT_NONE;
    }
    return await(attempt, deadline) ? DSC_ATTEMPT_DONE : DSC_ATTEMPT_LEFT;
}
