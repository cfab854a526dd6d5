#include "engine/fair_share.h"

#include "engine/outage.h"

#include <pthread.h>
#include <time.h>

struct dsc_fair_share_t {
    pthread_mutex_t lock;
    pthread_cond_t given;
    int places, taken;  /* the server's own are among those taken */
    int of_accounts;    /* how many of these are accounts' */
    uint64_t holders[]; /* whose each of them is, in no order */
};

static apr_status_t destroy(void *data)
{
    dsc_fair_share_t *share = data;
    (void)pthread_cond_destroy(&share->given);
    (void)pthread_mutex_destroy(&share->lock);
    return APR_SUCCESS;
}

/* Times to wait for are those of dsc_monotonic_now(). */
static int create_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    int good = pthread_condattr_init(&attributes) == 0;
    good = good && pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
           pthread_cond_init(condition, &attributes) == 0;
    (void)pthread_condattr_destroy(&attributes);
    return good;
}

dsc_fair_share_t *dsc_fair_share_create(apr_pool_t *pool, int places)
{
    dsc_fair_share_t *share =
        apr_pcalloc(pool, sizeof(*share) + (size_t)places * sizeof(share->holders[0]));
    share->places = places;
    if (pthread_mutex_init(&share->lock, NULL) != 0) {
        return NULL;
    }
    if (!create_condition(&share->given)) {
        (void)pthread_mutex_destroy(&share->lock);
        return NULL;
    }
    apr_pool_cleanup_register(pool, share, destroy, apr_pool_cleanup_null);
    return share;
}

static int has_place(const dsc_fair_share_t *share, uint64_t account)
{
    int left = share->places - share->taken, held = 0, i;
    for (i = 0; i < share->of_accounts; i++) {
        held += share->holders[i] == account;
    }
    return held < left || account == 0;
}

int dsc_fair_share_take(dsc_fair_share_t *share, uint64_t account, apr_time_t end)
{
    const struct timespec until = {(time_t)apr_time_sec(end), (long)apr_time_usec(end) * 1000};
    int has, is_late = 0;
    (void)pthread_mutex_lock(&share->lock);
    while (!(has = has_place(share, account)) && !is_late) {
        is_late = pthread_cond_timedwait(&share->given, &share->lock, &until) != 0;
    }
    share->taken += has;
    if (has && account) {
        share->holders[share->of_accounts++] = account;
    }
    (void)pthread_mutex_unlock(&share->lock);
    return has;
}

int dsc_fair_share_has(dsc_fair_share_t *share, uint64_t account)
{
    int has;
    (void)pthread_mutex_lock(&share->lock);
    has = has_place(share, account);
    (void)pthread_mutex_unlock(&share->lock);
    return has;
}

void dsc_fair_share_give(dsc_fair_share_t *share, uint64_t account)
{
    int i;
    (void)pthread_mutex_lock(&share->lock);
    share->taken--;
    for (i = 0; account && share->holders[i] != account; i++) {
    }
    if (account) {
        share->holders[i] = share->holders[--share->of_accounts];
    }
    (void)pthread_cond_broadcast(&share->given);
    (void)pthread_mutex_unlock(&share->lock);
}
