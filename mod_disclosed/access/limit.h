/* The limits of a client, taken together: the burst bucket of the key (or of the address, for
 * clients without a key) and the account's counts of the day. */
#ifndef DSC_LIMIT_H
#define DSC_LIMIT_H

#include "access/limit_table.h"
#include "access/plan.h"

#include <apr_pools.h>
#include <apr_tables.h>

/* Who is limited, and to what. */
typedef struct {
    dsc_limit_kind_t kind; /* DSC_LIMIT_KEY or DSC_LIMIT_ADDRESS */
    uint32_t database_slot;
    uint64_t number;  /* of the key or address */
    int testing;      /* a test key: counted with the account's other test keys */
    uint64_t account; /* 0: none */
    dsc_rate_t rate;
    uint64_t days[DSC_DAYS]; /* DSC_NO_LIMIT: not counted against anything */
    /* What the database has of the account's day, of slots of the kind; 0 if it cannot be asked. */
    int (*load)(void *baton, dsc_limit_kind_t kind, uint64_t *total);
    void *load_baton;
} dsc_limited_t;

/* What came of it. If a bucket does not exist its limit is 0. */
typedef struct {
    int allowed;
    int table_full;  /* no slot could be had: refused */
    dsc_day_t spent; /* the day's count that is used up; DSC_DAYS: none is */
    dsc_take_t burst, days[DSC_DAYS];
    dsc_limit_slot_t *slot;             /* of the burst */
    dsc_limit_slot_t *counts[DSC_DAYS]; /* in which the request was counted; NULL: it was not */
    uint64_t cost;
    uint64_t at;    /* microseconds since 1970 */
    uint64_t clock; /* microseconds of the monotonic clock */
} dsc_limit_verdict_t;

/* Takes `cost` requests, first of the burst, by the monotonic clock, then of the days, by the time
 * of day. Both in microseconds. */
dsc_limit_verdict_t dsc_limit_take(dsc_limit_table_t *table, const dsc_limited_t *limited,
                                   uint64_t cost, uint64_t now, uint64_t clock);

/* Releases the day's requests: the response failed for a reason of ours. */
void dsc_limit_refund(const dsc_limit_verdict_t *verdict);

/* Releases what was taken of the burst: it turned out to be somebody else's. */
void dsc_limit_return(const dsc_limited_t *limited, const dsc_limit_verdict_t *verdict);

/* X-RateLimit-Limit, -Remaining and -Reset (epoch seconds) of the bucket that is closest to
 * exhaustion, the RateLimit and RateLimit-Policy fields of draft-ietf-httpapi-ratelimit-headers for
 * all, and Retry-After (seconds) when the request was refused. */
void dsc_limit_headers(apr_pool_t *pool, apr_table_t *headers, const dsc_limited_t *limited,
                       const dsc_limit_verdict_t *verdict);

/* The detail of a rejected request if the day's quota is used up; NULL: the burst limit rejected
 * it. */
const char *dsc_limit_detail(apr_pool_t *pool, const dsc_limit_verdict_t *verdict);

/* The number of a key id for its slot, and back. */
uint64_t dsc_limit_key_number(const char key_id[8]);
void dsc_limit_key_id(uint64_t number, char key_id[9]);

/* The number of a client's address: of an IPv4 address all of it, in IPv6's form (::ffff:0:0/96),
 * too, as a socket for both has it; of an IPv6 address the first 64 bits, which one site has.
 * `bytes` are in network order, `length` 4 or 16. */
uint64_t dsc_limit_address_number(const unsigned char *bytes, size_t length);

#endif
