#include "webhook/test_places.h"

#include <pthread.h>

/* Places that are taken have the time when their test ends at the latest; 0: it is free. */
static struct {
    pthread_mutex_t lock;
    struct {
        uint64_t account;
        apr_time_t until;
    } places[DSC_TEST_PLACES];
} tests = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What of the places concerns an account. */
typedef struct {
    int free, own;                   /* a free place, -1: none; how many are the account's */
    apr_time_t first_own, first_any; /* when the first of them, or of all, is released */
} found_t;

static apr_time_t earlier(apr_time_t left, apr_time_t right)
{
    return left == 0 || right < left ? right : left;
}

static found_t look(uint64_t account)
{
    found_t found = {.free = -1};
    int i;
    for (i = 0; i < DSC_TEST_PLACES; i++) {
        apr_time_t until = tests.places[i].until;
        if (until == 0) {
            found.free = i;
            continue;
        }
        found.first_any = earlier(found.first_any, until);
        if (tests.places[i].account == account) {
            found.own++;
            found.first_own = earlier(found.first_own, until);
        }
    }
    return found;
}

dsc_test_place_t dsc_test_place_take(uint64_t account, apr_time_t now, apr_time_t until, int *place,
                                     apr_interval_time_t *wait)
{
    dsc_test_place_t verdict = DSC_TEST_MAY_RUN;
    found_t found;

    pthread_mutex_lock(&tests.lock);
    found = look(account);
    if (found.own >= DSC_TEST_PLACES_OF_ACCOUNT) {
        verdict = DSC_TEST_ACCOUNT_FULL;
        *wait = found.first_own - now;
    } else if (found.free < 0) {
        verdict = DSC_TEST_ALL_FULL;
        *wait = found.first_any - now;
    } else {
        tests.places[found.free].account = account;
        tests.places[found.free].until = until;
        *place = found.free;
    }
    pthread_mutex_unlock(&tests.lock);
    return verdict;
}

void dsc_test_place_release(int place)
{
    pthread_mutex_lock(&tests.lock);
    tests.places[place].until = 0;
    pthread_mutex_unlock(&tests.lock);
}
