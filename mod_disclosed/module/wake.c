#include "module/wake.h"

#include "engine/outage.h"

#include <httpd.h>

#include <ap_mpm.h>
#include <scoreboard.h>

#include <apr_time.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

/* What was seen so long ago is looked at again, */
#define ASK_AGAIN apr_time_from_msec(500)
/* waited for when it is older than this, which is less than keys and ETags are relied on for, */
#define TOO_OLD apr_time_from_msec(1400)
/* and given up when it is so old: nobody looks. */
#define NOBODY_LOOKS apr_time_from_sec(DSC_LOOK_SECONDS + 2)
#define LONGEST_WAIT apr_time_from_msec(250)

enum {
    READ_END,
    WRITE_END
};

static int pipes[DSC_DATABASE_SLOTS][2]; /* 0: none, because that is standard input */
/* What was waited for in vain: others must not lose their time with it too, while it is not known
 * yet why. */
static _Atomic uint64_t in_vain[DSC_DATABASE_SLOTS];

static apr_status_t close_pipe(void *ends)
{
    int *descriptors = ends;

    close(descriptors[READ_END]);
    close(descriptors[WRITE_END]);
    descriptors[READ_END] = descriptors[WRITE_END] = 0;
    return APR_SUCCESS;
}

static int make_ready(int descriptor)
{
    return fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 &&
           fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0;
}

apr_status_t dsc_wake_create(apr_pool_t *pconf, int database_slot)
{
    int *ends = pipes[database_slot];

    if (pipe(ends) != 0) {
        return APR_FROM_OS_ERROR(errno);
    }
    apr_pool_cleanup_register(pconf, ends, close_pipe, apr_pool_cleanup_null);
    return make_ready(ends[READ_END]) && make_ready(ends[WRITE_END]) ? APR_SUCCESS
                                                                     : APR_FROM_OS_ERROR(errno);
}

int dsc_wake_descriptor(int database_slot)
{
    return pipes[database_slot][READ_END];
}

int dsc_wake_take(int database_slot)
{
    char bytes[256];
    int taken = 0;

    while (read(pipes[database_slot][READ_END], bytes, sizeof(bytes)) > 0) {
        taken = 1;
    }
    return taken;
}

/* Whether this process is of a generation before: nobody reads its pipe any more. */
static int is_leaving(void)
{
    int mine;

    return ap_mpm_query(AP_MPMQ_GENERATION, &mine) == APR_SUCCESS &&
           mine != ap_get_scoreboard_global()->running_generation;
}

/* Until it is seen again. */
static void wait_for_look(const dsc_database_slot_t *slot, uint64_t seen_at, int database_slot)
{
    apr_time_t end = dsc_monotonic_now() + LONGEST_WAIT;

    while (atomic_load(&slot->seen_at) == seen_at && !atomic_load(&slot->out_of_reach) &&
           atomic_load(&in_vain[database_slot]) != seen_at) {
        if (dsc_monotonic_now() >= end) {
            atomic_store(&in_vain[database_slot], seen_at);
        }
        apr_sleep(300);
    }
}

void dsc_wake(dsc_shared_state_t *state, int database_slot)
{
    const dsc_database_slot_t *slot = &state->database_slots[database_slot];
    uint64_t seen_at = atomic_load(&slot->seen_at);
    apr_interval_time_t age = dsc_monotonic_now() - (apr_time_t)seen_at;

    if (pipes[database_slot][WRITE_END] == 0 || age < ASK_AGAIN || age > NOBODY_LOOKS ||
        atomic_load(&slot->out_of_reach) || is_leaving()) {
        return;
    }
    /* A full pipe is as good: it is being asked. */
    if (write(pipes[database_slot][WRITE_END], "", 1) >= 0 && age > TOO_OLD) {
        wait_for_look(slot, seen_at, database_slot);
    }
}
