#include "engine/cancel.h"

#include "engine/attempt.h"
#include "engine/outage.h"

#include <stdlib.h>

/* libpq before 17 cancels in one call that waits for the server to close the connection, however
 * long that takes. */

#define MOST_LEFT 8

typedef struct {
    PGcancel *request;
    int good;
} cancel_t;

static void run(void *baton)
{
    cancel_t *cancel = baton;
    char error[256];

    cancel->good = PQcancel(cancel->request, error, sizeof(error));
}

static void discard(void *baton)
{
    cancel_t *cancel = baton;

    PQfreeCancel(cancel->request);
    free(cancel);
}

static dsc_attempts_t attempts = {.run = run, .discard = discard, .most = MOST_LEFT};

int dsc_cancel(PGconn *connection, apr_interval_time_t limit)
{
    cancel_t *cancel = calloc(1, sizeof(*cancel));
    dsc_attempt_t came = DSC_ATTEMPT_NONE;
    int good;

    if (cancel == NULL) {
        return 0;
    }
    cancel->request = PQgetCancel(connection);
    if (cancel->request != NULL) {
        came = dsc_attempt(&attempts, cancel, dsc_monotonic_now() + limit);
    }
    if (came == DSC_ATTEMPT_LEFT) {
        return 0;
    }
    good = came == DSC_ATTEMPT_DONE && cancel->good;
    discard(cancel);
    return good;
}
