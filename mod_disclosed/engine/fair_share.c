#include "engine/fair_share.h"

#include "engine/outage.h"

#include <pthread.h>
#include <time.h>

/* Who waits, on the stack of its thread. */
typedef struct waiter_t waiter_t;
struct waiter_t {
    uint64_t account;
    uint64_t turn;
    apr_time_t since;
    int is_served;
    waiter_t *next;
};

/* Accounts with the same remainder share their turns. */
#define ACCOUNTS 256

struct dsc_fair_share_t {
    pthread_mutex_t lock;
    pthread_cond_t served;
    dsc_share_rule_t rule;
    waiter_t *first;              /* by their turns */
    uint64_t turn;                /* of those who were served last */
    uint64_t next_turn[ACCOUNTS]; /* of an account, unless others are further */
    int places, taken;            /* the server's own are among those taken */
    int most_waiting;             /* of an account; 0: any number */
    int opening;                  /* places that are made ready */
    apr_time_t opened_at;         /* when the last one was */
    int of_accounts;              /* how many of these are accounts' */
    uint64_t holders[];           /* whose each of them is, in no order */
};

static apr_status_t destroy(void *data)
{
    dsc_fair_share_t *share = data;
    (void)pthread_cond_destroy(&share->served);
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

dsc_fair_share_t *dsc_fair_share_create(apr_pool_t *pool, dsc_share_rule_t rule, int places,
                                        int most_waiting)
{
    dsc_fair_share_t *share =
        apr_pcalloc(pool, sizeof(*share) + (size_t)places * sizeof(share->holders[0]));
    share->rule = rule;
    share->places = places;
    share->most_waiting = most_waiting;
    if (pthread_mutex_init(&share->lock, NULL) != 0) {
        return NULL;
    }
    if (!create_condition(&share->served)) {
        (void)pthread_mutex_destroy(&share->lock);
        return NULL;
    }
    apr_pool_cleanup_register(pool, share, destroy, apr_pool_cleanup_null);
    return share;
}

static int has_slot(const dsc_fair_share_t *share, uint64_t account)
{
    int left = share->places - share->taken, held = 0, i;
    for (i = 0; i < share->of_accounts && share->rule == DSC_SHARE_LEAVES_ROOM; i++) {
        held += share->holders[i] == account;
    }
    return held < left || account == 0;
}

/* The turn of an account's next request: the one after that of its last, but none that is over. */
static uint64_t take_turn(dsc_fair_share_t *share, uint64_t account)
{
    uint64_t *next = &share->next_turn[account % ACCOUNTS];
    uint64_t turn = *next > share->turn ? *next : share->turn;
    *next = turn + 1;
    return turn;
}

static void hold(dsc_fair_share_t *share, const waiter_t *waiter)
{
    share->taken++;
    if (waiter->account) {
        share->holders[share->of_accounts++] = waiter->account;
        share->turn = waiter->turn > share->turn ? waiter->turn : share->turn;
    }
}

/* Puts it into the queue, behind those whose turn is no later. */
static void link_waiter(dsc_fair_share_t *share, waiter_t *waiter)
{
    waiter_t **place = &share->first;
    while (*place && (*place)->turn <= waiter->turn) {
        place = &(*place)->next;
    }
    waiter->next = *place;
    *place = waiter;
}

static void unlink_waiter(dsc_fair_share_t *share, const waiter_t *waiter)
{
    waiter_t **place = &share->first;
    while (*place && *place != waiter) {
        place = &(*place)->next;
    }
    if (*place) {
        *place = waiter->next;
    }
}

/* When it has to go as too many of its account wait before it, the first of them for long; `end` if
 * they are not too many. */
static apr_time_t end_of_surplus(const dsc_fair_share_t *share, const waiter_t *waiter,
                                 apr_time_t end)
{
    const waiter_t *other, *first = NULL;
    apr_time_t since;
    int before = 0;
    for (other = share->first; other && other != waiter; other = other->next) {
        if (other->account == waiter->account) {
            first = first ? first : other;
            before++;
        }
    }
    if (!first || share->most_waiting == 0 || before < share->most_waiting || share->opening > 0) {
        return end;
    }
    since = first->since > share->opened_at ? first->since : share->opened_at;
    return since + DSC_FAIR_SHARE_BURST < end ? since + DSC_FAIR_SHARE_BURST : end;
}

/* Waits in the queue, and is out of it afterwards. */
static int wait_for_place(dsc_fair_share_t *share, waiter_t *waiter, apr_time_t end,
                          dsc_fair_share_look_t *goes_on, void *baton)
{
    apr_time_t now = dsc_monotonic_now(), last;
    waiter->since = now;
    link_waiter(share, waiter);
    while (!waiter->is_served && now < (last = end_of_surplus(share, waiter, end)) &&
           (!goes_on || goes_on(baton))) {
        apr_time_t next = now + DSC_FAIR_SHARE_LOOK < last ? now + DSC_FAIR_SHARE_LOOK : last;
        const struct timespec until = {(time_t)apr_time_sec(next),
                                       (long)apr_time_usec(next) * 1000};
        int is_over = 0; /* others may have been meant */
        while (!is_over) {
            is_over = pthread_cond_timedwait(&share->served, &share->lock, &until) != 0 ||
                      waiter->is_served;
        }
        now = dsc_monotonic_now();
    }
    if (!waiter->is_served) {
        unlink_waiter(share, waiter);
    }
    return waiter->is_served;
}

int dsc_fair_share_take(dsc_fair_share_t *share, uint64_t account, apr_time_t end,
                        dsc_fair_share_look_t *goes_on, void *baton)
{
    waiter_t waiter = {.account = account};
    int has;
    (void)pthread_mutex_lock(&share->lock);
    waiter.turn = account ? take_turn(share, account) : 0;
    if ((has = has_slot(share, account)) != 0) {
        hold(share, &waiter);
    } else {
        has = wait_for_place(share, &waiter, end, goes_on, baton);
    }
    (void)pthread_mutex_unlock(&share->lock);
    return has;
}

int dsc_fair_share_waiting(dsc_fair_share_t *share)
{
    const waiter_t *waiter;
    int count = 0;
    (void)pthread_mutex_lock(&share->lock);
    for (waiter = share->first; waiter; waiter = waiter->next) {
        count++;
    }
    (void)pthread_mutex_unlock(&share->lock);
    return count;
}

/* Those in the queue who may have a place now get it. */
static void serve(dsc_fair_share_t *share)
{
    waiter_t **place = &share->first;
    int any = 0;
    while (*place) {
        waiter_t *waiter = *place;
        if (!has_slot(share, waiter->account)) {
            place = &waiter->next;
            continue;
        }
        hold(share, waiter);
        *place = waiter->next;
        waiter->is_served = any = 1;
    }
    if (any) {
        (void)pthread_cond_broadcast(&share->served);
    }
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
    serve(share);
    (void)pthread_mutex_unlock(&share->lock);
}

void dsc_fair_share_open(dsc_fair_share_t *share)
{
    (void)pthread_mutex_lock(&share->lock);
    share->opening++;
    (void)pthread_mutex_unlock(&share->lock);
}

void dsc_fair_share_opened(dsc_fair_share_t *share)
{
    (void)pthread_mutex_lock(&share->lock);
    share->opening--;
    share->opened_at = dsc_monotonic_now();
    (void)pthread_mutex_unlock(&share->lock);
}
