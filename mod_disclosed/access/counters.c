#include "access/counters.h"

#include "access/stuck.h"
#include "engine/hash.h"

enum {
    BUSY = 1,
    IDLE_SECONDS = 600 /* a usage slot that was not used for so long may go to another */
};

const int dsc_counted_statuses[DSC_COUNTED_STATUSES] = {200, 204, 302, 304, 307, 400, 401,
                                                        402, 403, 404, 405, 409, 413, 414,
                                                        422, 429, 500, 503, 504, 0};

const uint64_t dsc_counted_times[DSC_COUNTED_TIMES] = {500,     1000,    2500,      5000,   10000,
                                                       25000,   50000,   100000,    250000, 500000,
                                                       1000000, 2500000, UINT64_MAX};

static void add(_Atomic uint64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

void dsc_count_response(dsc_counters_t *counters, int operation, int status, uint64_t microseconds)
{
    int place = operation >= 0 && operation < DSC_COUNTED_OPERATIONS - 1
                    ? operation
                    : DSC_COUNTED_OPERATIONS - 1;
    dsc_operation_counter_t *counter = &counters->operations[place];
    int i = 0;
    while (dsc_counted_statuses[i] && dsc_counted_statuses[i] != status) {
        i++;
    }
    add(&counter->statuses[i], 1);
    for (i = 0; microseconds > dsc_counted_times[i];) {
        i++;
    }
    add(&counter->times[i], 1);
    add(&counter->microseconds, microseconds);
}

/* ----------------------------------------------------------------------- usage */

/* Whether a slot has nothing to lose and was not used for long. */
static int is_idle(dsc_usage_slot_t *slot, uint64_t now)
{
    return atomic_load(&slot->requests) == 0 &&
           now > atomic_load(&slot->used_at) + (uint64_t)IDLE_SECONDS * 1000000;
}

/* Takes a free or idle slot; 0 if another was faster. */
static int take(dsc_usage_slot_t *slot, uint64_t found, uint64_t identity, uint64_t key,
                uint64_t place, uint64_t now)
{
    if (!atomic_compare_exchange_strong(&slot->identity, &found, BUSY)) {
        return 0;
    }
    atomic_store(&slot->key, key);
    atomic_store(&slot->place, place);
    atomic_store(&slot->used_at, now);
    atomic_store_explicit(&slot->identity, identity, memory_order_release);
    return 1;
}

static dsc_usage_slot_t *find(dsc_counters_t *counters, uint64_t key, uint64_t place, uint64_t now)
{
    uint64_t identity = dsc_mix(key ^ dsc_mix(place));
    unsigned probe;
    identity = identity > BUSY ? identity : identity + 2;
    for (probe = 0; probe < DSC_USAGE_PROBES; probe++) {
        dsc_usage_slot_t *slot = &counters->usage[(identity + probe) & (DSC_USAGE_SLOTS - 1)];
        uint64_t found = atomic_load_explicit(&slot->identity, memory_order_acquire);
        if (found == identity ||
            ((found == 0 || (found != BUSY && is_idle(slot, now))) &&
             take(slot, found, identity, key, place, now)) ||
            atomic_load_explicit(&slot->identity, memory_order_acquire) == identity) {
            return slot;
        }
    }
    return NULL;
}

void dsc_count_usage(dsc_counters_t *counters, uint32_t database_slot, uint64_t key, int operation,
                     int is_refused, uint64_t now)
{
    uint64_t day = now / 1000000 / 86400;
    uint32_t place = operation >= 0 ? (uint32_t)operation : DSC_COUNTED_OPERATIONS - 1;
    dsc_usage_slot_t *slot =
        find(counters, (uint64_t)database_slot << 48 | key, day << 32 | place, now);
    if (!slot) {
        add(&counters->usage_lost, 1);
        return;
    }
    atomic_store_explicit(&slot->used_at, now, memory_order_relaxed);
    add(&slot->requests, 1);
    if (is_refused) {
        add(&slot->refused, 1);
    }
}

int dsc_usage_take(dsc_usage_slot_t *slot, uint32_t database_slot, dsc_usage_t *taken)
{
    if (atomic_load(&slot->identity) <= BUSY || atomic_load(&slot->requests) == 0 ||
        atomic_load(&slot->key) >> 48 != database_slot) {
        return 0;
    }
    /* It is nobody else's until it has no requests. */
    taken->key = atomic_load(&slot->key);
    taken->place = atomic_load(&slot->place);
    taken->used_at = atomic_load(&slot->used_at);
    taken->requests = atomic_exchange(&slot->requests, 0);
    taken->refused = atomic_exchange(&slot->refused, 0);
    return 1;
}

void dsc_usage_put_back(dsc_counters_t *counters, const dsc_usage_t *taken)
{
    dsc_usage_slot_t *slot = find(counters, taken->key, taken->place, taken->used_at);
    if (!slot) {
        add(&counters->usage_lost, taken->requests);
        return;
    }
    add(&slot->requests, taken->requests);
    add(&slot->refused, taken->refused);
}

void dsc_usage_free_stuck(dsc_counters_t *counters, unsigned char seen[DSC_USAGE_SLOTS])
{
    int i;
    for (i = 0; i < DSC_USAGE_SLOTS; i++) {
        dsc_usage_slot_t *slot = &counters->usage[i];
        if (dsc_is_stuck(&seen[i], atomic_load(&slot->identity) == BUSY)) {
            atomic_store(&slot->identity, 0);
        }
    }
}

void dsc_usage_forget(dsc_counters_t *counters, uint32_t database_slot)
{
    int i;
    for (i = 0; i < DSC_USAGE_SLOTS; i++) {
        dsc_usage_slot_t *slot = &counters->usage[i];
        if (atomic_load(&slot->key) >> 48 == database_slot) {
            atomic_store(&slot->requests, 0);
            atomic_store(&slot->refused, 0);
        }
    }
}

/* ----------------------------------------------------------------------- pools */

dsc_pool_counter_t *dsc_pool_counter(dsc_counters_t *counters, uint64_t process,
                                     int (*is_alive)(uint64_t process))
{
    int i;
    for (i = 0; i < DSC_COUNTED_PROCESSES; i++) {
        dsc_pool_counter_t *pool = &counters->pools[i];
        uint64_t owner = atomic_load(&pool->process);
        if (owner == process) {
            return pool;
        }
        if ((owner == 0 || !is_alive(owner)) &&
            atomic_compare_exchange_strong(&pool->process, &owner, process)) {
            atomic_store(&pool->open, 0);
            atomic_store(&pool->in_use, 0);
            atomic_store(&pool->waiting, 0);
            atomic_store(&pool->statements, 0);
            return pool;
        }
    }
    return NULL;
}
