/* Places that requests of several accounts want at once: nobody takes more of them than are then left for others, so that who has none
 * finds one, however many of them others keep busy. It is the rule of dynamic thresholds (Choudhury and Hahne, IEEE/ACM Transactions on
 * Networking 6(2), 1998) with a factor of one: an account alone takes a half, two take a third each. */
#ifndef DSC_FAIR_SHARE_H
#define DSC_FAIR_SHARE_H

#include <apr_pools.h>
#include <apr_time.h>
#include <stdint.h>

typedef struct dsc_fair_share_t dsc_fair_share_t;

/* So many places, all of them free. NULL: the system has no lock for them. */
dsc_fair_share_t *dsc_fair_share_create(apr_pool_t *pool, int places);

/* Takes a place for an account and returns 1; 0: there was none for it until `end`, by dsc_monotonic_now(). Account 0 is the server
 * itself, which need not wait. */
int dsc_fair_share_take(dsc_fair_share_t *share, uint64_t account, apr_time_t end);

/* Whether there is a place for the account now. */
int dsc_fair_share_has(dsc_fair_share_t *share, uint64_t account);

/* Gives one of the account's places back. */
void dsc_fair_share_give(dsc_fair_share_t *share, uint64_t account);

#endif
