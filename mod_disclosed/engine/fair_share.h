/* A limited number of slots that requests of several accounts use. No account takes more of them
 * than are then left for others, so that an account without a slot finds one, however many slots
 * the others use. This is the rule of dynamic thresholds (Choudhury and Hahne, IEEE/ACM
 * Transactions on Networking 6(2), 1998) with a factor of one: one account takes a half, two take
 * a third each. */
#ifndef DSC_FAIR_SHARE_H
#define DSC_FAIR_SHARE_H

#include <apr_pools.h>
#include <apr_time.h>
#include <stdint.h>

typedef struct dsc_fair_share_t dsc_fair_share_t;

/* Whether the rule holds, or one account may have all places: what they are taken for is soon
 * done. */
typedef enum {
    DSC_SHARE_LEAVES_ROOM,
    DSC_SHARE_IN_TURNS
} dsc_share_rule_t;

/* So many places, all of them free. Of one account `most_waiting` wait for as long as they may, 0:
 * any number; see below for others. NULL: the system has no lock for them. */
dsc_fair_share_t *dsc_fair_share_create(apr_pool_t *pool, dsc_share_rule_t rule, int places,
                                        int most_waiting);

/* A request that waits for a slot checks so often whether to continue; 0: no. */
#define DSC_FAIR_SHARE_LOOK apr_time_from_msec(500)
typedef int dsc_fair_share_look_t(void *baton);

/* Those of an account that are too many wait as well, as long as the first before them has not
 * waited for so long: what comes all at once and is quickly done is served, and a queue that stands
 * grows no longer. It does not stand while a place is made ready, nor for so long after that. */
#define DSC_FAIR_SHARE_BURST apr_time_from_msec(100)

/* Takes a place for an account and returns 1; 0: there was none for it until `end`, by
 * dsc_monotonic_now(), too many of it wait, or it was not worth waiting for (`goes_on`, which may
 * be NULL). Accounts that wait are served in turns, one request each, and the requests of an
 * account in the order of their coming: start-time fair queueing (Goyal, Vin and Cheng, IEEE/ACM
 * Transactions on Networking 5(5), 1997), with a request as the unit. Account 0 is the server
 * itself, which need not wait. */
int dsc_fair_share_take(dsc_fair_share_t *share, uint64_t account, apr_time_t end,
                        dsc_fair_share_look_t *goes_on, void *baton);

/* How many wait. */
int dsc_fair_share_waiting(dsc_fair_share_t *share);

/* Gives one of the account's places back. */
void dsc_fair_share_give(dsc_fair_share_t *share, uint64_t account);

/* Whoever has a place begins to make it ready, and has made it so. */
void dsc_fair_share_open(dsc_fair_share_t *share);
void dsc_fair_share_opened(dsc_fair_share_t *share);

#endif
