#include "access/limit_table.h"

#include "engine/hash.h"

enum {
    BUSY = 1,
    LEFT = 2,      /* was somebody's; what lies behind it is found past it, so it is not free */
    SPINS = 10000, /* one that was killed while it held a slot lets go when it is found stuck */
    COUNT_BITS = 40,
    OWNER_DATABASE_BITS = 8,
    OWNER_NUMBER_BITS = 48
};

#define COUNT_MASK  ((UINT64_C(1) << COUNT_BITS) - 1)
#define NUMBER_MASK ((UINT64_C(1) << OWNER_NUMBER_BITS) - 1)
#define DAY_SECONDS UINT64_C(86400)

/* ----------------------------------------------------------------------- slots */

static uint64_t identity_of(const dsc_limit_table_t *table, dsc_limit_kind_t kind,
                            uint32_t database_slot, uint64_t number)
{
    uint64_t identity = dsc_mix(number ^ table->seeds[0]) ^ table->seeds[1];
    identity = dsc_mix(identity ^ dsc_mix((uint64_t)database_slot << 8 | (uint64_t)kind));
    return identity > LEFT ? identity : identity + LEFT + 1;
}

static uint64_t owner_of(dsc_limit_kind_t kind, uint32_t database_slot, uint64_t number)
{
    return (uint64_t)kind << (OWNER_NUMBER_BITS + OWNER_DATABASE_BITS) |
           (uint64_t)database_slot << OWNER_NUMBER_BITS | (number & NUMBER_MASK);
}

dsc_limit_kind_t dsc_limit_owner(const dsc_limit_slot_t *slot, uint32_t *database_slot,
                                 uint64_t *number)
{
    uint64_t owner = atomic_load_explicit(&slot->owner, memory_order_acquire);
    if (atomic_load(&slot->identity) <= LEFT) {
        return 0;
    }
    *database_slot = (uint32_t)(owner >> OWNER_NUMBER_BITS) & ((1U << OWNER_DATABASE_BITS) - 1);
    *number = owner & NUMBER_MASK;
    return (dsc_limit_kind_t)(owner >> (OWNER_NUMBER_BITS + OWNER_DATABASE_BITS));
}

const char *dsc_day_name(dsc_limit_kind_t kind)
{
    static const char *const names[DSC_LIMIT_KINDS] = {
        [DSC_LIMIT_ACCOUNT] = "live",
        [DSC_LIMIT_TESTING] = "test",
        [DSC_LIMIT_EARLIER] = "live_earlier",
        [DSC_LIMIT_EARLIER_TESTING] = "test_earlier",
    };
    return kind < DSC_LIMIT_KINDS ? names[kind] : NULL;
}

/* Whether a slot may go to another: of an account only when nothing of its count would be lost. */
static int may_go(const dsc_limit_slot_t *slot)
{
    uint32_t database_slot;
    uint64_t number;
    dsc_limit_kind_t kind = dsc_limit_owner(slot, &database_slot, &number);
    if (atomic_load(&slot->identity) == BUSY) {
        return 0;
    }
    return !dsc_day_name(kind) ||
           (dsc_day_unstored(slot, 0).count == 0 && dsc_day_unstored(slot, 1).count == 0);
}

/* What the word is once it is no longer `busy`, or `busy` when it stays so. */
static uint64_t wait_while(const _Atomic uint64_t *word, uint64_t busy)
{
    uint64_t found;
    int spins = 0;
    do {
        found = atomic_load_explicit(word, memory_order_acquire);
    } while (found == busy && ++spins < SPINS);
    return found;
}

/* A request for a slot: where it may be, and what it is to contain. */
typedef struct {
    dsc_limit_slot_t *slots; /* the table of its kind */
    uint64_t identity, owner;
    uint64_t clock;
} wanted_t;

static dsc_limit_slot_t *slot_at(const wanted_t *wanted, unsigned probe)
{
    return &wanted->slots[(wanted->identity + probe) & (DSC_LIMIT_SLOTS - 1)];
}

/* Makes a slot that this thread holds (BUSY) the wanted one. */
static void take_over(dsc_limit_slot_t *slot, const wanted_t *wanted)
{
    int i;
    atomic_store(&slot->arrival, 0);
    for (i = 0; i < DSC_DAYS_KEPT; i++) {
        atomic_store(&slot->days[i].counted, 0);
        atomic_store(&slot->days[i].in_database, 0);
    }
    atomic_store(&slot->allowed, 0);
    atomic_store(&slot->used_at, wanted->clock);
    atomic_store(&slot->owner, wanted->owner);
    atomic_store_explicit(&slot->identity, wanted->identity, memory_order_release);
}

/* The identity's slot; NULL when it has none and no slot of its is free. */
static dsc_limit_slot_t *find_or_claim(const wanted_t *wanted, int *fresh)
{
    unsigned probe;
    for (probe = 0; probe < DSC_LIMIT_PROBES; probe++) {
        dsc_limit_slot_t *slot = slot_at(wanted, probe);
        uint64_t found = atomic_load_explicit(&slot->identity, memory_order_acquire);
        if (found == wanted->identity) {
            return slot;
        }
        if (found == 0 && atomic_compare_exchange_strong(&slot->identity, &found, BUSY)) {
            take_over(slot, wanted);
            *fresh = 1;
            return slot;
        }
        found = wait_while(&slot->identity, BUSY); /* perhaps for the same identity */
        if (found == wanted->identity) {
            return slot;
        }
    }
    return NULL;
}

/* When the slot's bucket is as it was when new, in nanoseconds; 0: it is. */
static uint64_t owes_until(const dsc_limit_slot_t *slot, uint64_t clock)
{
    uint64_t arrival = atomic_load_explicit(&slot->arrival, memory_order_relaxed);
    return arrival > clock * 1000 ? arrival : 0;
}

/* The slot that loses least when it goes to another. */
static dsc_limit_slot_t *most_dispensable(const wanted_t *wanted)
{
    dsc_limit_slot_t *chosen = NULL;
    uint64_t least = UINT64_MAX, earliest = UINT64_MAX;
    unsigned probe;
    for (probe = 0; probe < DSC_LIMIT_PROBES; probe++) {
        dsc_limit_slot_t *slot = slot_at(wanted, probe);
        uint64_t owed = owes_until(slot, wanted->clock), used_at = atomic_load(&slot->used_at);
        if ((owed < least || (owed == least && used_at < earliest)) && may_go(slot)) {
            least = owed;
            earliest = used_at;
            chosen = slot;
        }
    }
    return chosen;
}

/* Gives the identity another's slot; NULL if none can be had. */
static dsc_limit_slot_t *evict(dsc_limit_table_t *table, const wanted_t *wanted, int *fresh)
{
    dsc_limit_slot_t *slot = most_dispensable(wanted);
    uint64_t found;
    if (!slot) {
        return NULL;
    }
    found = atomic_load(&slot->identity);
    if (found <= BUSY || !atomic_compare_exchange_strong(&slot->identity, &found, BUSY)) {
        return find_or_claim(wanted, fresh);
    }
    if (found != LEFT) {
        atomic_fetch_add(&table->evictions, 1);
    }
    take_over(slot, wanted);
    *fresh = 1;
    return slot;
}

dsc_limit_slot_t *dsc_limit_slot(dsc_limit_table_t *table, dsc_limit_kind_t kind,
                                 uint32_t database_slot, uint64_t number, uint64_t clock,
                                 int *fresh)
{
    const wanted_t wanted = {kind == DSC_LIMIT_ADDRESS ? table->addresses : table->slots,
                             identity_of(table, kind, database_slot, number),
                             owner_of(kind, database_slot, number), clock};
    dsc_limit_slot_t *slot;
    *fresh = 0;
    slot = find_or_claim(&wanted, fresh);
    if (!slot) {
        slot = evict(table, &wanted, fresh);
    }
    if (slot) {
        atomic_store_explicit(&slot->used_at, clock, memory_order_relaxed);
    }
    return slot;
}

static void free_stuck_slots(dsc_limit_slot_t *slots, unsigned char *seen)
{
    static const wanted_t nobody = {.identity = LEFT};
    int i;
    for (i = 0; i < DSC_LIMIT_SLOTS; i++) {
        if (dsc_is_stuck(&seen[i], atomic_load(&slots[i].identity) == BUSY)) {
            take_over(&slots[i], &nobody);
        }
    }
}

/* What the database has of a day is then read again. */
static void free_stuck_days(dsc_limit_slot_t *slots, unsigned char (*seen)[DSC_DAYS_KEPT])
{
    int i, j;
    for (i = 0; i < DSC_LIMIT_SLOTS; i++) {
        for (j = 0; j < DSC_DAYS_KEPT; j++) {
            uint64_t busy = BUSY;
            if (dsc_is_stuck(&seen[i][j], atomic_load(&slots[i].days[j].in_database) == BUSY)) {
                atomic_compare_exchange_strong(&slots[i].days[j].in_database, &busy, 0);
            }
        }
    }
}

void dsc_limit_free_stuck(dsc_limit_table_t *table, dsc_limit_stuck_t *seen)
{
    free_stuck_slots(table->slots, seen->slots);
    free_stuck_slots(table->addresses, seen->addresses);
    free_stuck_days(table->slots, seen->days);
}

/* Takes a slot from its owner, and leaves it for a request that finds no free one. */
static void leave(dsc_limit_slot_t *slot, uint64_t found)
{
    static const wanted_t nobody = {.identity = LEFT};
    if (atomic_compare_exchange_strong(&slot->identity, &found, BUSY)) {
        take_over(slot, &nobody);
    }
}

static void forget(dsc_limit_slot_t *slots, uint32_t database_slot)
{
    uint32_t of;
    uint64_t number;
    int i;
    for (i = 0; i < DSC_LIMIT_SLOTS; i++) {
        uint64_t found = atomic_load(&slots[i].identity);
        if (dsc_limit_owner(&slots[i], &of, &number) && of == database_slot) {
            leave(&slots[i], found);
        }
    }
}

void dsc_limit_forget(dsc_limit_table_t *table, uint32_t database_slot)
{
    forget(table->slots, database_slot);
    forget(table->addresses, database_slot);
}

/* ---------------------------------------------------------------- burst bucket */

static uint64_t between(uint64_t least, uint64_t value, uint64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* The time that requests take; those beyond the burst take the burst. */
static uint64_t time_of(const dsc_rate_t *rate, uint64_t cost)
{
    return rate->interval * (cost < rate->burst ? cost : rate->burst);
}

dsc_take_t dsc_rate_take(_Atomic uint64_t *arrival, const dsc_rate_t *rate, uint64_t clock,
                         uint64_t cost)
{
    dsc_take_t take = {1, rate->burst, rate->burst, 0, 0};
    uint64_t tolerance = rate->interval * rate->burst;
    uint64_t before = atomic_load_explicit(arrival, memory_order_relaxed);
    uint64_t spent = time_of(rate, cost);
    uint64_t start, after;
    if (rate->interval == 0) {
        return take;
    }
    do {
        start = between(clock, before, clock + tolerance);
        after = start + spent;
        if (after > clock + tolerance) {
            take.allowed = 0;
            take.retry = after - (clock + tolerance);
            take.remaining = (clock + tolerance - start) / rate->interval;
            take.reset = start - clock;
            return take;
        }
    } while (!atomic_compare_exchange_weak_explicit(arrival, &before, after, memory_order_relaxed,
                                                    memory_order_relaxed));
    take.remaining = (clock + tolerance - after) / rate->interval;
    take.reset = after - clock;
    return take;
}

void dsc_rate_return(_Atomic uint64_t *arrival, const dsc_rate_t *rate, uint64_t cost)
{
    uint64_t spent = time_of(rate, cost);
    uint64_t before = atomic_load_explicit(arrival, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(arrival, &before,
                                                  before > spent ? before - spent : 0,
                                                  memory_order_relaxed, memory_order_relaxed)) {
    }
}

/* ----------------------------------------------------------------- day's count */

uint64_t dsc_day_number(uint64_t microseconds)
{
    return microseconds / 1000000 / DAY_SECONDS;
}

/* What a word of a dsc_day_count_t says: how many requests of which day. */
typedef struct {
    uint64_t day, count;
} day_word_t;

static day_word_t unpack(uint64_t word)
{
    const day_word_t unpacked = {word >> COUNT_BITS, word & COUNT_MASK};
    return unpacked;
}

static uint64_t pack(uint64_t day, uint64_t count)
{
    return day << COUNT_BITS | (count < COUNT_MASK ? count : COUNT_MASK);
}

/* How many of that day: none if the word is of another. */
static uint64_t count_of(uint64_t word, uint64_t day)
{
    day_word_t found = unpack(word);
    return found.day == day ? found.count : 0;
}

static dsc_day_count_t *count_at(dsc_limit_slot_t *slot, uint64_t day)
{
    return &slot->days[day % DSC_DAYS_KEPT];
}

dsc_take_t dsc_day_take(dsc_limit_slot_t *slot, uint64_t quota, uint64_t now, uint64_t cost)
{
    uint64_t day = dsc_day_number(now);
    _Atomic uint64_t *counted = &count_at(slot, day)->counted;
    uint64_t before = atomic_load_explicit(counted, memory_order_relaxed);
    dsc_take_t take = {1, quota, 0, ((day + 1) * DAY_SECONDS * 1000000 - now) * 1000, 0};
    uint64_t count;
    take.retry = take.reset;
    do {
        count = count_of(before, day);
        if (count + cost > quota) {
            take.allowed = 0;
            take.remaining = count < quota ? quota - count : 0;
            return take;
        }
    } while (!atomic_compare_exchange_weak_explicit(counted, &before, pack(day, count + cost),
                                                    memory_order_relaxed, memory_order_relaxed));
    take.remaining = quota - count - cost;
    return take;
}

void dsc_day_refund(dsc_limit_slot_t *slot, uint64_t now, uint64_t cost)
{
    uint64_t day = dsc_day_number(now);
    _Atomic uint64_t *counted = &count_at(slot, day)->counted;
    uint64_t before = atomic_load_explicit(counted, memory_order_relaxed);
    uint64_t count;
    do {
        count = count_of(before, day);
        if (count < cost) {
            return;
        }
    } while (!atomic_compare_exchange_weak_explicit(counted, &before, pack(day, count - cost),
                                                    memory_order_relaxed, memory_order_relaxed));
}

/* Adds what others have counted of the day, unless the count is that of a later one by now. */
static void add_others(dsc_day_count_t *count, uint64_t day, uint64_t others)
{
    uint64_t before = atomic_load(&count->counted);
    while (others > 0 && unpack(before).day <= day &&
           !atomic_compare_exchange_weak(&count->counted, &before,
                                         pack(day, count_of(before, day) + others))) {
    }
}

static int is_known(const dsc_day_count_t *count)
{
    return atomic_load_explicit(&count->in_database, memory_order_acquire) > BUSY;
}

int dsc_day_is_loaded(const dsc_limit_slot_t *slot)
{
    return is_known(&slot->days[0]) || is_known(&slot->days[1]);
}

void dsc_day_load(dsc_limit_slot_t *slot, uint64_t day, uint64_t total)
{
    dsc_day_count_t *count = count_at(slot, day);
    uint64_t unknown = 0;
    if (atomic_compare_exchange_strong(&count->in_database, &unknown, BUSY)) {
        add_others(count, day, total);
        atomic_store_explicit(&count->in_database, pack(day, total), memory_order_release);
    } else {
        wait_while(&count->in_database, BUSY);
    }
}

dsc_day_unstored_t dsc_day_unstored(const dsc_limit_slot_t *slot, int i)
{
    dsc_day_unstored_t unstored = {.identity = atomic_load(&slot->identity)};
    day_word_t counted = unpack(atomic_load(&slot->days[i].counted));
    unstored.in_database = atomic_load(&slot->days[i].in_database);
    unstored.day = counted.day;
    unstored.known = count_of(unstored.in_database, counted.day);
    /* While it is being read, nobody knows what `counted` has of it. */
    unstored.count = counted.count > unstored.known && unstored.in_database != BUSY
                         ? counted.count - unstored.known
                         : 0;
    return unstored;
}

void dsc_day_stored(dsc_limit_slot_t *slot, const dsc_day_unstored_t *unstored, uint64_t total)
{
    dsc_day_count_t *count = count_at(slot, unstored->day);
    uint64_t found = unstored->in_database, known;
    do {
        if (found == BUSY) {
            found = wait_while(&count->in_database, BUSY);
        }
        if (atomic_load(&slot->identity) != unstored->identity) {
            return;
        }
    } while (
        !atomic_compare_exchange_weak(&count->in_database, &found, pack(unstored->day, total)));
    known = count_of(found, unstored->day) + unstored->count;
    add_others(count, unstored->day, total > known ? total - known : 0);
}
