/* Rate limits in shared memory: fixed slots, found by an identity, and changed only by 64-bit
 * compare-and-swap. The slot of a key holds its burst bucket, that of an account the count of the
 * UTC day, and that of an address the burst bucket of clients without a key. Addresses have a
 * table of their own, because anybody may have many of them. The position of a slot depends on a
 * secret, so that nobody can choose whom to collide with. Buckets use a clock that never steps
 * (dsc_monotonic_now()), days the time of day. Works on any zeroed memory, so it is tested without
 * httpd. */
#ifndef DSC_LIMIT_TABLE_H
#define DSC_LIMIT_TABLE_H

#include "access/stuck.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DSC_LIMIT_SLOTS = 16384, /* of keys and accounts, and as many of addresses; a power of two */
    DSC_LIMIT_PROBES = 32,   /* slots that an identity may be in */
    DSC_LIMIT_SEEDS = 2
};

/* Requests of an account in a UTC day. Both words have the number of the day since 1970 in the high
 * 24 bits, and so many requests in the low 40. If both are of one day, `counted` less `in_database`
 * is what the database does not have yet, and nothing else says so: requests raise `counted`, and
 * what comes from the database, others' requests with it, raises both. */
typedef struct {
    _Atomic uint64_t counted; /* by this host, and by others as far as is known here */
    _Atomic uint64_t
        in_database; /* what the database was last known to have; 0: not known, 1: being read */
} dsc_day_count_t;

enum {
    DSC_DAYS_KEPT = 2 /* today and the day before, whose last requests are stored when it is over */
};

typedef struct {
    _Atomic uint64_t identity;           /* 0: free; 1: being taken over; 2: left */
    _Atomic uint64_t arrival;            /* GCRA's theoretical arrival time, nanoseconds */
    _Atomic uint64_t used_at;            /* microseconds */
    _Atomic uint64_t owner;              /* what the identity was made of: see dsc_limit_owner() */
    _Atomic uint64_t allowed;            /* requests since the slot was taken */
    dsc_day_count_t days[DSC_DAYS_KEPT]; /* each at its number modulo DSC_DAYS_KEPT */
} dsc_limit_slot_t;

typedef struct {
    uint64_t seeds[DSC_LIMIT_SEEDS]; /* random, from one start of httpd to the next */
    _Atomic uint64_t evictions;
    dsc_limit_slot_t slots[DSC_LIMIT_SLOTS];
    dsc_limit_slot_t addresses[DSC_LIMIT_SLOTS];
} dsc_limit_table_t;

typedef enum {
    DSC_LIMIT_KEY = 1,     /* number: dsc_limit_key_number() of the key id */
    DSC_LIMIT_ACCOUNT = 2, /* number: account id */
    DSC_LIMIT_TESTING = 3, /* account id; what its test keys use together */
    DSC_LIMIT_ADDRESS = 4, /* a hash of the client's address */
    DSC_LIMIT_EARLIER = 5, /* account id; what its keys use of the earlier surface */
    DSC_LIMIT_EARLIER_TESTING = 6,
    DSC_LIMIT_KINDS = 7 /* one more than the last */
} dsc_limit_kind_t;

/* The slot of an identity, made when it is new; `fresh` is then set. When all slots that it may be
 * in are taken, one is taken over: of those whose bucket is fully replenished the one that was idle
 * longest, else the one that will be first; an account's only once the database has all of its
 * count. NULL when none can be: refuse the request. `clock`: microseconds of the monotonic
 * clock. */
dsc_limit_slot_t *dsc_limit_slot(dsc_limit_table_t *table, dsc_limit_kind_t kind,
                                 uint32_t database_slot, uint64_t number, uint64_t clock,
                                 int *fresh);

/* Slots that were being written at the last look, see dsc_is_stuck(). */
typedef struct {
    unsigned char slots[DSC_LIMIT_SLOTS], addresses[DSC_LIMIT_SLOTS];
    unsigned char days[DSC_LIMIT_SLOTS][DSC_DAYS_KEPT];
} dsc_limit_stuck_t;

/* Frees slots whose writer was killed; to be called every few seconds, by one thread, with what it
 * saw before. */
void dsc_limit_free_stuck(dsc_limit_table_t *table, dsc_limit_stuck_t *seen);

/* Takes all slots of a database slot from their owners, with what they have counted. */
void dsc_limit_forget(dsc_limit_table_t *table, uint32_t database_slot);

/* The identity of a used slot: kind, database slot and the low 48 bits of its number, which is the
 * whole number of a key or an account. 0 while it is free or being taken over. */
dsc_limit_kind_t dsc_limit_owner(const dsc_limit_slot_t *slot, uint32_t *database_slot,
                                 uint64_t *number);

/* ---- the burst bucket: the generic cell rate algorithm (ITU-T I.371, virtual scheduling) */

/* A sustained rate and how far ahead of it a client may run. */
typedef struct {
    uint64_t interval; /* nanoseconds for each request at the sustained rate; 0: no limit */
    uint64_t burst;    /* requests at once, at least 1 */
} dsc_rate_t;

typedef struct {
    int allowed;
    uint64_t limit, remaining; /* requests */
    uint64_t reset;            /* nanoseconds until the bucket is as it was when new */
    uint64_t retry;            /* nanoseconds until the refused request would be allowed */
} dsc_take_t;

/* Takes `cost` requests out of the bucket, all or none. A cost beyond the burst is taken as the
 * burst: it is allowed when the bucket is full. `clock`: nanoseconds. A bucket is never emptier
 * than empty, whatever the clock or the rate were before. */
dsc_take_t dsc_rate_take(_Atomic uint64_t *arrival, const dsc_rate_t *rate, uint64_t clock,
                         uint64_t cost);

/* Puts back what a request has taken out of the bucket. */
void dsc_rate_return(_Atomic uint64_t *arrival, const dsc_rate_t *rate, uint64_t cost);

/* ---- the day's count */

/* What the requests of an account are counted as in a UTC day. */
typedef enum {
    DSC_DAY_ALL,     /* all requests */
    DSC_DAY_EARLIER, /* those to the earlier surface */
    DSC_DAYS         /* how many counts there are */
} dsc_day_t;

/* What the database calls the count that slots of the kind hold; NULL: they hold none. */
const char *dsc_day_name(dsc_limit_kind_t kind);

/* Number of the UTC day, of microseconds since 1970. */
uint64_t dsc_day_number(uint64_t microseconds);

/* Adds `cost` to the count of the day (that of `now`, microseconds since 1970) when that stays
 * within the quota, all or nothing. `reset` and `retry` are nanoseconds until the day is over. */
dsc_take_t dsc_day_take(dsc_limit_slot_t *slot, uint64_t quota, uint64_t now, uint64_t cost);

/* Releases what a request at `now` took that failed for a reason of ours. */
void dsc_day_refund(dsc_limit_slot_t *slot, uint64_t now, uint64_t cost);

/* Whether the slot knows what the database has of the account's day. */
int dsc_day_is_loaded(const dsc_limit_slot_t *slot);

/* The database holds `total` for the day: added to what the slot has counted so far, once. */
void dsc_day_load(dsc_limit_slot_t *slot, uint64_t day, uint64_t total);

/* What the database does not have yet of a count, and whose it is. */
typedef struct {
    uint64_t identity, day, count;
    uint64_t known;       /* what the database was last known to have of the day */
    uint64_t in_database; /* the word that says so, as it was */
} dsc_day_unstored_t;

/* Of the slot's day at place `i` (below DSC_DAYS_KEPT). */
dsc_day_unstored_t dsc_day_unstored(const dsc_limit_slot_t *slot, int i);

/* The database has taken what was unstored and now holds `total`, with what other hosts have
 * counted: both become known to the slot, unless it has gone to another meanwhile. */
void dsc_day_stored(dsc_limit_slot_t *slot, const dsc_day_unstored_t *unstored, uint64_t total);

#endif
