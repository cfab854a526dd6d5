/* Counters of httpd's responses, in shared memory: requests of each endpoint by status and by
 * time, the state of connection pools, and the usage of each key since it was last stored in the
 * database. Every word changes by C11 atomics; works on any zeroed memory. */
#ifndef DSC_COUNTERS_H
#define DSC_COUNTERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DSC_COUNTED_OPERATIONS = 128, /* places of the registry; the last one is for no endpoint */
    DSC_COUNTED_STATUSES = 20,
    DSC_COUNTED_TIMES = 13,
    DSC_COUNTED_PROCESSES = 256,
    DSC_USAGE_SLOTS = 8192, /* a power of two */
    DSC_USAGE_PROBES = 16
};

/* The statuses that are distinguished; the last, 0, stands for all others. */
extern const int dsc_counted_statuses[DSC_COUNTED_STATUSES];

/* Upper bounds of the times that are distinguished, in microseconds; the last is UINT64_MAX. */
extern const uint64_t dsc_counted_times[DSC_COUNTED_TIMES];

typedef struct {
    _Atomic uint64_t statuses[DSC_COUNTED_STATUSES];
    _Atomic uint64_t
        times[DSC_COUNTED_TIMES];  /* requests up to that bound and above the one before */
    _Atomic uint64_t microseconds; /* of all requests together */
} dsc_operation_counter_t;

/* The connections of one httpd process. */
typedef struct {
    _Atomic uint64_t process; /* id; 0: free */
    _Atomic int64_t open, in_use, waiting, statements;
} dsc_pool_counter_t;

/* Requests of a key to an endpoint on a day that the database does not have yet. */
typedef struct {
    _Atomic uint64_t identity; /* 0: free; 1: being taken */
    _Atomic uint64_t
        key; /* database slot in the high 16 bits, number of the key id in the low 48 */
    _Atomic uint64_t place; /* UTC day since 1970 in the high 32 bits, operation in the low 32 */
    _Atomic uint64_t requests, refused;
    _Atomic uint64_t used_at; /* microseconds since 1970 */
} dsc_usage_slot_t;

/* Responses that come from the cache or could have, and what became of those that were to be
 * kept. */
typedef struct {
    _Atomic uint64_t hits, compressed_hits, misses;
    _Atomic uint64_t stored, too_large, failed;
} dsc_cache_counter_t;

/* Keys that were looked up in the database, by what it said, and those that were not: their address
 * had sent too many, or all addresses together too many that no key is listed for. */
typedef struct {
    _Atomic uint64_t good, bad, withheld, unlisted;
} dsc_lookup_counter_t;

typedef struct {
    dsc_operation_counter_t operations[DSC_COUNTED_OPERATIONS];
    dsc_pool_counter_t pools[DSC_COUNTED_PROCESSES];
    dsc_cache_counter_t cache;
    dsc_lookup_counter_t lookups;
    _Atomic uint64_t usage_lost; /* requests that no usage slot was free for */
    dsc_usage_slot_t usage[DSC_USAGE_SLOTS];
} dsc_counters_t;

/* Counts a response. `operation` is the place in the registry, -1 for none. */
void dsc_count_response(dsc_counters_t *counters, int operation, int status, uint64_t microseconds);

/* Counts a request of a key. */
void dsc_count_usage(dsc_counters_t *counters, uint32_t database_slot, uint64_t key, int operation,
                     int is_refused, uint64_t now_microseconds);

/* What a slot had: see dsc_usage_slot_t. */
typedef struct {
    uint64_t key, place, requests, refused, used_at;
} dsc_usage_t;

/* Takes the counts out of a slot, if it has some and is of the database slot; 0: not so. */
int dsc_usage_take(dsc_usage_slot_t *slot, uint32_t database_slot, dsc_usage_t *taken);

/* Counts again what was taken, in the slot that its key has by now. */
void dsc_usage_put_back(dsc_counters_t *counters, const dsc_usage_t *taken);

/* Frees slots whose taker was killed: see dsc_limit_free_stuck(). */
void dsc_usage_free_stuck(dsc_counters_t *counters, unsigned char seen[DSC_USAGE_SLOTS]);

/* Drops what keys of the database slot have asked and the database does not have yet. */
void dsc_usage_forget(dsc_counters_t *counters, uint32_t database_slot);

/* The counter of the process, taken when it is new; those of processes that `is_alive` denies are
 * reused. NULL when all are taken. */
dsc_pool_counter_t *dsc_pool_counter(dsc_counters_t *counters, uint64_t process,
                                     int (*is_alive)(uint64_t process));

#endif
