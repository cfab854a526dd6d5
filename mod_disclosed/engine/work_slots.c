#include "engine/work_slots.h"

enum {
    SHARE = 4 /* an account may have one in so many */
};

/* What of the places concerns an account. */
typedef struct {
    int free, own;                   /* a free place, -1: none; how many are the account's */
    apr_time_t first_own, first_any; /* when the first of them, or of all, is released */
} found_t;

static apr_time_t earlier(apr_time_t left, apr_time_t right)
{
    return left == 0 || right < left ? right : left;
}

static found_t look(const dsc_work_slots_t *places, uint64_t account)
{
    found_t found = {.free = -1};
    int i;
    for (i = 0; i < places->count; i++) {
        apr_time_t until = places->places[i].until;
        if (until == 0) {
            found.free = i;
            continue;
        }
        found.first_any = earlier(found.first_any, until);
        if (places->places[i].account == account) {
            found.own++;
            found.first_own = earlier(found.first_own, until);
        }
    }
    return found;
}

dsc_work_slot_t dsc_work_slot_take(dsc_work_slots_t *places, uint64_t account, apr_time_t now,
                                   apr_time_t until, int *place, apr_interval_time_t *wait)
{
    dsc_work_slot_t verdict = DSC_WORK_SLOT_TAKEN;
    found_t found;

    pthread_mutex_lock(&places->lock);
    found = look(places, account);
    if (found.own >= places->count / SHARE) {
        verdict = DSC_WORK_SLOT_ACCOUNT_FULL;
        *wait = found.first_own - now;
    } else if (found.free < 0) {
        verdict = DSC_WORK_SLOT_ALL_FULL;
        *wait = found.first_any - now;
    } else {
        places->places[found.free].account = account;
        places->places[found.free].until = until;
        *place = found.free;
    }
    pthread_mutex_unlock(&places->lock);
    return verdict;
}

void dsc_work_slot_release(dsc_work_slots_t *places, int place)
{
    pthread_mutex_lock(&places->lock);
    places->places[place].until = 0;
    pthread_mutex_unlock(&places->lock);
}
