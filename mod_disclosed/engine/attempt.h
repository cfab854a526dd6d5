/* Calls of libraries that may block without limit: the caller waits for them only as long as it
 * wants. */
#ifndef DSC_ATTEMPT_H
#define DSC_ATTEMPT_H

#include <apr_time.h>
#include <stdatomic.h>

/* A kind of call. */
typedef struct {
    void (*run)(void *baton);     /* blocks */
    void (*discard)(void *baton); /* ends a call that nobody waits for any more */
    int most;                     /* so many may be left behind at once, in this process */
    _Atomic int left;
} dsc_attempts_t;

/* What came of an attempt. */
typedef enum {
    DSC_ATTEMPT_DONE, /* `run` has returned, and the baton is the caller's again */
    DSC_ATTEMPT_LEFT, /* the time is over: a thread has the baton now, and discards it when `run`
                         has returned */
    DSC_ATTEMPT_NONE /* none was made: too many are left behind, or there is no thread; the baton is
                        the caller's */
} dsc_attempt_t;

/* Calls `run` in a thread of its own, and waits for it until `deadline`, a time of
 * dsc_monotonic_now(). */
dsc_attempt_t dsc_attempt(dsc_attempts_t *attempts, void *baton, apr_time_t deadline);

#endif
