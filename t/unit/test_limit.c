/* Rate limits: the burst bucket against a plain reference over random schedules, the day's count,
 * slots and their eviction, many threads at once, and what the headers say. */
#include "access/limit.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <apr_thread_proc.h>
#include <stdlib.h>
#include <string.h>

#define SECOND  UINT64_C(1000000000)
#define MORNING (UINT64_C(20000) * 86400 * 1000000) /* the first microsecond of a day */

static apr_pool_t *pool;
static dsc_limit_table_t *table;

static int start(void)
{
    table = calloc(1, sizeof(*table));
    return table == NULL || apr_pool_create(&pool, NULL) != APR_SUCCESS;
}

static int stop(void)
{
    apr_pool_destroy(pool);
    free(table);
    return 0;
}

/* SplitMix64: the same schedules at every run. */
static uint64_t state = 42;
static uint64_t next_random(uint64_t below)
{
    uint64_t x = state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (x ^ (x >> 31)) % below;
}

/* ------------------------------------------------------------------ burst bucket */

/* A leaky bucket, as a textbook has it: level in nanoseconds of work, drained by the clock. */
typedef struct {
    uint64_t level, at;
} bucket_t;

static int bucket_take(bucket_t *bucket, const dsc_rate_t *rate, uint64_t now, uint64_t cost)
{
    uint64_t drained = now - bucket->at;
    uint64_t level = bucket->level > drained ? bucket->level - drained : 0;
    uint64_t spent = rate->interval * (cost < rate->burst ? cost : rate->burst);
    bucket->at = now;
    bucket->level = level;
    if (level + spent > rate->interval * rate->burst) {
        return 0;
    }
    bucket->level = level + spent;
    return 1;
}

static void test_against_reference(void)
{
    int schedule, i, wrong = 0, allowed = 0, refused = 0;
    for (schedule = 0; schedule < 200; schedule++) {
        const dsc_rate_t rate = {1 + next_random(2 * SECOND), 1 + next_random(50)};
        uint64_t now = SECOND * 1000 + next_random(SECOND);
        bucket_t bucket = {0, now};
        _Atomic uint64_t arrival = 0;
        for (i = 0; i < 500; i++) {
            uint64_t cost = next_random(8) == 0 ? next_random(60) : 1;
            int expected = bucket_take(&bucket, &rate, now, cost);
            dsc_take_t take = dsc_rate_take(&arrival, &rate, now, cost);
            uint64_t room = rate.interval * rate.burst - bucket.level;
            wrong += take.allowed != expected || take.remaining != room / rate.interval ||
                     take.reset != bucket.level || take.limit != rate.burst;
            if (!take.allowed) { /* obeyed, it succeeds; a nanosecond earlier it does not */
                _Atomic uint64_t early = arrival, late = arrival;
                wrong += dsc_rate_take(&early, &rate, now + take.retry - 1, cost).allowed;
                wrong += !dsc_rate_take(&late, &rate, now + take.retry, cost).allowed;
            }
            allowed += expected;
            refused += !expected;
            now += next_random(4) == 0 ? next_random(rate.interval * 20 + 1)
                                       : next_random(rate.interval / 4 + 1);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(allowed > 10000);
    CU_ASSERT(refused > 10000);
}

static void test_no_rate(void)
{
    const dsc_rate_t none = {0, 7};
    _Atomic uint64_t arrival = 0;
    dsc_take_t take = dsc_rate_take(&arrival, &none, SECOND, 1000000);
    CU_ASSERT(take.allowed);
    CU_ASSERT_EQUAL(take.remaining, 7);
}

/* What was taken for somebody else is given back, and a bucket that is far ahead of the clock, as
 * after a step of it or with the greater burst of before, is empty and no more. */
static void test_return_and_clamp(void)
{
    const dsc_rate_t rate = {SECOND, 5};
    uint64_t clock = 1000 * SECOND;
    _Atomic uint64_t arrival = 0;
    dsc_take_t take = dsc_rate_take(&arrival, &rate, clock, 5);
    CU_ASSERT(take.allowed);
    CU_ASSERT(!dsc_rate_take(&arrival, &rate, clock, 1).allowed);
    dsc_rate_return(&arrival, &rate, 2);
    CU_ASSERT_EQUAL(dsc_rate_take(&arrival, &rate, clock, 1).remaining, 1);
    atomic_store(&arrival, clock + 3600 * SECOND);
    take = dsc_rate_take(&arrival, &rate, clock, 1);
    CU_ASSERT(!take.allowed);
    CU_ASSERT_EQUAL(take.retry, SECOND);
    CU_ASSERT_EQUAL(take.reset, 5 * SECOND);
    atomic_store(&arrival, clock + 3600 * SECOND);
    CU_ASSERT(!dsc_rate_take(&arrival, &rate, clock - 1, 1).allowed);
    atomic_store(&arrival, 0);
    dsc_rate_return(&arrival, &rate, 3);
    CU_ASSERT_EQUAL(arrival, 0);
}

/* The clock of the day steps back and on by an hour and by a day: buckets do not notice, days are
 * those of the clock. */
static void test_clock_steps(void)
{
    const dsc_limited_t limited = {.kind = DSC_LIMIT_KEY,
                                   .number = 77,
                                   .rate = {SECOND, 5},
                                   .days = {DSC_NO_LIMIT, DSC_NO_LIMIT}};
    static const int64_t hours[] = {0, -1, 1, -24, 24, 0};
    uint64_t clock = 5000000;
    size_t i;
    for (i = 0; i < sizeof(hours) / sizeof(hours[0]); i++) {
        uint64_t now = (uint64_t)((int64_t)MORNING + hours[i] * INT64_C(3600000000));
        dsc_limit_verdict_t verdict = dsc_limit_take(table, &limited, 1, now, clock);
        CU_ASSERT_EQUAL(verdict.allowed, i < 5);
        CU_ASSERT_EQUAL(verdict.burst.remaining, i < 5 ? 4 - i : 0);
    }
    CU_ASSERT(dsc_limit_take(table, &limited, 1, 0, clock + 1000000).allowed);
}

/* ------------------------------------------------------------------- day's count */

static void test_day(void)
{
    dsc_limit_slot_t slot = {0};
    dsc_take_t take = dsc_day_take(&slot, 10, MORNING + 1000000, 4);
    CU_ASSERT(take.allowed);
    CU_ASSERT_EQUAL(take.remaining, 6);
    CU_ASSERT_EQUAL(take.reset, 86399 * SECOND);
    CU_ASSERT_EQUAL(dsc_day_take(&slot, 10, MORNING, 7).allowed, 0);
    CU_ASSERT_EQUAL(dsc_day_take(&slot, 10, MORNING, 6).allowed, 1);
    take = dsc_day_take(&slot, 10, MORNING, 1);
    CU_ASSERT(!take.allowed);
    CU_ASSERT_EQUAL(take.remaining, 0);
    CU_ASSERT_EQUAL(take.retry, 86400 * SECOND);
    dsc_day_refund(&slot, MORNING, 1);
    CU_ASSERT_EQUAL(dsc_day_take(&slot, 10, MORNING, 1).allowed, 1);
    take = dsc_day_take(&slot, 10, MORNING + UINT64_C(86400000000), 1);
    CU_ASSERT(take.allowed);
    CU_ASSERT_EQUAL(take.remaining, 9);
    dsc_day_refund(&slot, MORNING, 1); /* of the day before: not given to today */
    CU_ASSERT_EQUAL(dsc_day_take(&slot, 10, MORNING + UINT64_C(86400000000), 0).remaining, 9);
}

static dsc_limit_slot_t *account(uint64_t number, int *fresh)
{
    return dsc_limit_slot(table, DSC_LIMIT_ACCOUNT, 3, number, MORNING, fresh);
}

static void test_day_and_database(void)
{
    int fresh;
    dsc_day_unstored_t unstored;
    dsc_limit_slot_t *slot = account(7, &fresh);
    CU_ASSERT(fresh);
    CU_ASSERT(!dsc_day_is_loaded(slot));
    dsc_day_take(slot, 100, MORNING, 2);
    dsc_day_load(slot, 20000, 10);
    dsc_day_load(slot, 20000, 10); /* counts once */
    CU_ASSERT(dsc_day_is_loaded(slot));
    CU_ASSERT_EQUAL(dsc_day_take(slot, 100, MORNING, 1).remaining, 87);
    unstored = dsc_day_unstored(slot, 0);
    CU_ASSERT_EQUAL(unstored.count, 3);
    CU_ASSERT_EQUAL(unstored.day, 20000);
    dsc_day_take(slot, 100, MORNING, 1); /* while the three are on their way */
    dsc_day_stored(slot, &unstored, 18); /* another host has counted five */
    CU_ASSERT_EQUAL(dsc_day_take(slot, 100, MORNING, 0).remaining, 81);
    unstored = dsc_day_unstored(slot, 0);
    CU_ASSERT_EQUAL(unstored.count, 1);
    dsc_day_stored(slot, &unstored, 19);
    CU_ASSERT_EQUAL(dsc_day_unstored(slot, 0).count, 0);
    CU_ASSERT_EQUAL(dsc_day_take(slot, 100, MORNING, 0).remaining, 81);
}

/* What is not stored when the day is over is stored later, and no part of it counts in the day that
 * begins. */
static void test_midnight(void)
{
    const uint64_t next = MORNING + UINT64_C(86400000000);
    int fresh;
    dsc_day_unstored_t of_before, of_today;
    dsc_limit_slot_t *slot = account(8, &fresh);
    dsc_day_load(slot, 20000, 10);
    dsc_day_take(slot, 100, MORNING, 3);
    of_before = dsc_day_unstored(slot, 0); /* on its way when the day ends */
    dsc_day_take(slot, 100, next - 1, 2);
    CU_ASSERT_EQUAL(dsc_day_take(slot, 100, next, 4).remaining, 96);
    CU_ASSERT(dsc_day_is_loaded(slot));
    dsc_day_stored(slot, &of_before, 13);
    of_before = dsc_day_unstored(slot, 0);
    of_today = dsc_day_unstored(slot, 1);
    CU_ASSERT_EQUAL(of_before.day, 20000);
    CU_ASSERT_EQUAL(of_before.count, 2);
    CU_ASSERT_EQUAL(of_today.day, 20001);
    CU_ASSERT_EQUAL(of_today.count, 4);
    dsc_day_refund(slot, next - 1, 1); /* a response of before midnight that failed */
    CU_ASSERT_EQUAL(dsc_day_take(slot, 100, next, 0).remaining, 96);
    of_before = dsc_day_unstored(slot, 0);
    CU_ASSERT_EQUAL(of_before.count, 1);
    dsc_day_stored(slot, &of_before, 14);
    dsc_day_stored(slot, &of_today, 9); /* others have counted five */
    CU_ASSERT_EQUAL(dsc_day_unstored(slot, 0).count, 0);
    CU_ASSERT_EQUAL(dsc_day_unstored(slot, 1).count, 0);
    CU_ASSERT_EQUAL(dsc_day_take(slot, 100, next, 0).remaining, 91);
    /* And again at the end of that one. */
    dsc_day_take(slot, 100, next + UINT64_C(86400000000), 6);
    CU_ASSERT_EQUAL(dsc_day_unstored(slot, 0).day, 20002);
    CU_ASSERT_EQUAL(dsc_day_unstored(slot, 0).count, 6);
}

/* The slot of an account goes to another while the database is asked: its total is none of the
 * other's. */
static void test_stored_too_late(void)
{
    int fresh, i, found = 0;
    dsc_day_unstored_t unstored;
    dsc_limit_slot_t *slot;
    memset(table, 0, sizeof(*table));
    slot = account(1, &fresh);
    dsc_day_load(slot, 20000, 10);
    unstored = dsc_day_unstored(slot, 0);
    for (i = 2; i < 4 * DSC_LIMIT_SLOTS; i++) {
        dsc_limit_slot_t *other =
            dsc_limit_slot(table, DSC_LIMIT_ACCOUNT, 3, (uint64_t)i, MORNING + (uint64_t)i, &fresh);
        if (other == slot) {
            dsc_day_load(other, 20000, 7);
            found++;
        }
    }
    CU_ASSERT(found > 0);
    dsc_day_stored(slot, &unstored, 500);
    CU_ASSERT_EQUAL(dsc_day_take(slot, 1000, MORNING, 0).remaining, 993);
    CU_ASSERT_EQUAL(dsc_day_unstored(slot, 0).count, 0);
    memset(table, 0, sizeof(*table));
}

/* The count becomes known while what was counted without it is stored. */
static void test_stored_while_loaded(void)
{
    int fresh;
    dsc_day_unstored_t unstored;
    dsc_limit_slot_t *slot = account(9, &fresh);
    dsc_day_take(slot, 100, MORNING, 2);
    unstored = dsc_day_unstored(slot, 0);
    dsc_day_load(slot, 20000, 10);
    dsc_day_stored(slot, &unstored, 12);
    CU_ASSERT_EQUAL(dsc_day_take(slot, 100, MORNING, 0).remaining, 88);
    CU_ASSERT_EQUAL(dsc_day_unstored(slot, 0).count, 0);
    memset(table, 0, sizeof(*table));
}

/* ------------------------------------------------------------------------- slots */

static void test_slots(void)
{
    int fresh;
    uint32_t database_slot;
    uint64_t number;
    dsc_limit_slot_t *one = dsc_limit_slot(table, DSC_LIMIT_KEY, 1, 99, MORNING, &fresh);
    CU_ASSERT(fresh);
    CU_ASSERT_PTR_EQUAL(dsc_limit_slot(table, DSC_LIMIT_KEY, 1, 99, MORNING, &fresh), one);
    CU_ASSERT(!fresh);
    CU_ASSERT_PTR_NOT_EQUAL(dsc_limit_slot(table, DSC_LIMIT_KEY, 2, 99, MORNING, &fresh), one);
    CU_ASSERT_PTR_NOT_EQUAL(dsc_limit_slot(table, DSC_LIMIT_ADDRESS, 1, 99, MORNING, &fresh), one);
    CU_ASSERT_EQUAL(dsc_limit_owner(one, &database_slot, &number), DSC_LIMIT_KEY);
    CU_ASSERT_EQUAL(database_slot, 1);
    CU_ASSERT_EQUAL(number, 99);
}

/* More keys than slots: the idle longest go, accounts with a count that is not stored stay. */
static void test_full_table(void)
{
    int fresh, i, missing = 0;
    dsc_limit_slot_t *kept;
    memset(table, 0, sizeof(*table));
    kept = account(1, &fresh);
    dsc_day_take(kept, 100, MORNING, 5);
    for (i = 0; i < 3 * DSC_LIMIT_SLOTS; i++) {
        missing +=
            !dsc_limit_slot(table, DSC_LIMIT_KEY, 0, (uint64_t)i, MORNING + (uint64_t)i, &fresh);
    }
    CU_ASSERT_EQUAL(missing, 0);
    CU_ASSERT(atomic_load(&table->evictions) >= 2 * DSC_LIMIT_SLOTS);
    CU_ASSERT_PTR_EQUAL(account(1, &fresh), kept);
    CU_ASSERT(!fresh);
    CU_ASSERT_EQUAL(dsc_day_unstored(kept, 0).count, 5);
}

/* Slots that a killed process was taking are others' again after two looks; what lies behind them
 * is found all the same. */
static void test_stuck_slots(void)
{
    static dsc_limit_stuck_t seen;
    dsc_limit_slot_t *behind, *before, *day;
    int fresh, i, busy = 0;
    memset(table, 0, sizeof(*table));
    before = account(1, &fresh);
    for (i = 2; (behind = account((uint64_t)i, &fresh)) != before + 1; i++) {
    }
    dsc_day_take(behind, 100, MORNING, 5);
    day = account(0, &fresh);
    atomic_store(&before->identity, 1);
    atomic_store(&day->days[0].in_database, 1);
    atomic_store(&table->addresses[7].identity, 1);
    dsc_limit_free_stuck(table, &seen);
    CU_ASSERT_EQUAL(before->identity, 1);
    CU_ASSERT_EQUAL(day->days[0].in_database, 1);
    dsc_limit_free_stuck(table, &seen);
    CU_ASSERT_NOT_EQUAL(before->identity, 1);
    CU_ASSERT_EQUAL(day->days[0].in_database, 0);
    CU_ASSERT_NOT_EQUAL(table->addresses[7].identity, 1);
    CU_ASSERT_PTR_EQUAL(account((uint64_t)i, &fresh), behind);
    CU_ASSERT_FALSE(fresh);
    CU_ASSERT_EQUAL(dsc_day_unstored(behind, 0).count, 5);
    /* One that is being taken at two looks, and was not between them, is not stuck. */
    atomic_store(&table->slots[9].identity, 1);
    dsc_limit_free_stuck(table, &seen);
    atomic_store(&table->slots[9].identity, 77);
    dsc_limit_free_stuck(table, &seen);
    atomic_store(&table->slots[9].identity, 1);
    dsc_limit_free_stuck(table, &seen);
    CU_ASSERT_EQUAL(table->slots[9].identity, 1);
    dsc_limit_free_stuck(table, &seen);
    /* A table that is full uses what was left first, which is no eviction. */
    for (i = 0; i < 4 * DSC_LIMIT_SLOTS; i++) {
        dsc_limit_slot(table, DSC_LIMIT_KEY, 0, (uint64_t)i, MORNING + (uint64_t)i, &fresh);
    }
    for (i = 0; i < DSC_LIMIT_SLOTS; i++) {
        busy += table->slots[i].identity <= 2;
    }
    CU_ASSERT_EQUAL(busy, 0);
    memset(table, 0, sizeof(*table));
}

/* Where every slot is an account with counts that would be lost, the request is refused. */
static void test_table_of_accounts(void)
{
    int fresh, i, refused = 0;
    memset(table, 0, sizeof(*table));
    for (i = 0; i < 2 * DSC_LIMIT_SLOTS; i++) {
        dsc_limit_slot_t *slot = account((uint64_t)i, &fresh);
        refused += slot == NULL;
        if (slot) {
            dsc_day_take(slot, 100, MORNING, 1);
        }
    }
    CU_ASSERT(refused >= DSC_LIMIT_SLOTS);
    memset(table, 0, sizeof(*table));
}

/* As many addresses as it takes come after one that owes: only those that owe nothing give way, and
 * among those that all owe the one that owes least. */
static void test_owing_stays(void)
{
    const dsc_rate_t rate = {SECOND, 100};
    dsc_limit_slot_t *owing, *key;
    int fresh, i;
    memset(table, 0, sizeof(*table));
    owing = dsc_limit_slot(table, DSC_LIMIT_ADDRESS, 0, 1, MORNING, &fresh);
    dsc_rate_take(&owing->arrival, &rate, MORNING * 1000, 100);
    key = dsc_limit_slot(table, DSC_LIMIT_KEY, 0, 1, MORNING, &fresh);
    for (i = 2; i < 4 * DSC_LIMIT_SLOTS; i++) {
        uint64_t clock = MORNING + (uint64_t)i;
        dsc_limit_slot_t *slot =
            dsc_limit_slot(table, DSC_LIMIT_ADDRESS, 0, (uint64_t)i, clock, &fresh);
        if (i % 2) {
            dsc_rate_take(&slot->arrival, &rate, clock * 1000, 1);
        }
    }
    CU_ASSERT(atomic_load(&table->evictions) > DSC_LIMIT_SLOTS);
    CU_ASSERT_PTR_EQUAL(dsc_limit_slot(table, DSC_LIMIT_ADDRESS, 0, 1, MORNING, &fresh), owing);
    CU_ASSERT(!fresh);
    CU_ASSERT_PTR_EQUAL(dsc_limit_slot(table, DSC_LIMIT_KEY, 0, 1, MORNING, &fresh), key);
    CU_ASSERT(!fresh);
    memset(table, 0, sizeof(*table));
}

/* Where a slot lies is not to be known without the seeds. */
static void test_seeds(void)
{
    ptrdiff_t before[64];
    int fresh, i, same = 0;
    memset(table, 0, sizeof(*table));
    for (i = 0; i < 64; i++) {
        before[i] =
            dsc_limit_slot(table, DSC_LIMIT_KEY, 0, (uint64_t)i, MORNING, &fresh) - table->slots;
    }
    memset(table, 0, sizeof(*table));
    table->seeds[0] = 1;
    for (i = 0; i < 64; i++) {
        same += before[i] == dsc_limit_slot(table, DSC_LIMIT_KEY, 0, (uint64_t)i, MORNING, &fresh) -
                                 table->slots;
    }
    CU_ASSERT(same < 3);
    memset(table, 0, sizeof(*table));
}

/* ----------------------------------------------------------------------- threads */

enum {
    THREADS = 8,
    ROUNDS = 20000,
    MANY = 100 *
           ROUNDS /* long enough for threads to be interrupted, wherever there is one processor */
};

static _Atomic uint64_t bucket_allowed, day_allowed;

static void *APR_THREAD_FUNC hammer(apr_thread_t *thread, void *data)
{
    const dsc_rate_t rate = {SECOND / 1000, 50};
    int i, fresh;
    (void)thread;
    (void)data;
    for (i = 0; i < ROUNDS; i++) {
        /* The clock of the test: a microsecond a round, the same for all threads. */
        uint64_t now = MORNING + (uint64_t)i;
        dsc_limit_slot_t *key = dsc_limit_slot(table, DSC_LIMIT_KEY, 0, 5, now, &fresh);
        dsc_limit_slot_t *day = dsc_limit_slot(table, DSC_LIMIT_ACCOUNT, 0, 5, now, &fresh);
        atomic_fetch_add(&bucket_allowed,
                         (uint64_t)dsc_rate_take(&key->arrival, &rate, now * 1000, 1).allowed);
        atomic_fetch_add(&day_allowed, (uint64_t)dsc_day_take(day, 12345, now, 1).allowed);
        dsc_limit_slot(table, DSC_LIMIT_ADDRESS, 0, (uint64_t)i * 7919 % 100, now, &fresh);
    }
    return NULL;
}

static void test_threads(void)
{
    apr_thread_t *threads[THREADS];
    apr_status_t rv, result;
    int i;
    memset(table, 0, sizeof(*table));
    for (i = 0; i < THREADS; i++) {
        rv = apr_thread_create(&threads[i], NULL, hammer, NULL, pool);
        CU_ASSERT_EQUAL_FATAL(rv, APR_SUCCESS);
    }
    for (i = 0; i < THREADS; i++) {
        apr_thread_join(&result, threads[i]);
    }
    CU_ASSERT_EQUAL(atomic_load(&day_allowed), 12345);
    /* 50 at once and one each millisecond of 20; clocks of threads differ by their progress. */
    CU_ASSERT(atomic_load(&bucket_allowed) >= 50);
    CU_ASSERT(atomic_load(&bucket_allowed) <= 50 + ROUNDS / 1000);
}

static void *APR_THREAD_FUNC take_days(apr_thread_t *thread, void *data)
{
    dsc_limit_slot_t *slot = data;
    int i;
    (void)thread;
    for (i = 0; i < MANY; i++) {
        dsc_day_take(slot, DSC_NO_LIMIT, MORNING, 1);
    }
    return NULL;
}

/* What other hosts have counted is added while requests are counted here: nothing is lost. */
static void test_others(void)
{
    dsc_limit_slot_t *slot;
    apr_thread_t *thread;
    apr_status_t result;
    uint64_t others;
    int fresh;
    memset(table, 0, sizeof(*table));
    slot = account(5, &fresh);
    dsc_day_load(slot, 20000, 0);
    CU_ASSERT_EQUAL_FATAL(apr_thread_create(&thread, NULL, take_days, slot, pool), APR_SUCCESS);
    for (others = 0; others < MANY; others++) {
        const dsc_day_unstored_t none = {atomic_load(&slot->identity), 20000, 0, 0,
                                         slot->days[0].in_database};
        dsc_day_stored(slot, &none, others + 1);
    }
    apr_thread_join(&result, thread);
    CU_ASSERT_EQUAL(dsc_day_unstored(slot, 0).count, MANY);
    CU_ASSERT_EQUAL(atomic_load(&slot->days[0].counted) & ((UINT64_C(1) << 40) - 1), 2 * MANY);
    memset(table, 0, sizeof(*table));
}

/* ----------------------------------------------------------------------- headers */

static int loads;
static int load_six(void *baton, dsc_limit_kind_t kind, uint64_t *total)
{
    (void)baton;
    (void)kind;
    loads++;
    *total = 6;
    return 1;
}

static void header_is(const apr_table_t *headers, const char *name, const char *expected)
{
    const char *found = apr_table_get(headers, name);
    if (!expected || !found) {
        CU_ASSERT_PTR_EQUAL(found, expected);
    } else {
        CU_ASSERT_STRING_EQUAL(found, expected);
    }
}

static void test_headers(void)
{
    const dsc_limited_t limited = {DSC_LIMIT_KEY,      0,        11,  0, 12, {SECOND, 5},
                                   {10, DSC_NO_LIMIT}, load_six, NULL};
    dsc_limit_verdict_t verdict;
    apr_table_t *headers = apr_table_make(pool, 8);

    verdict = dsc_limit_take(table, &limited, 1, MORNING, MORNING);
    dsc_limit_headers(pool, headers, &limited, &verdict);
    CU_ASSERT_EQUAL(loads, 1);
    header_is(headers, "X-RateLimit-Limit", "10"); /* 3 of 10 left, against 4 of 5 */
    header_is(headers, "X-RateLimit-Remaining", "3");
    header_is(headers, "X-RateLimit-Reset", "1728086400");
    header_is(headers, "RateLimit-Policy", "\"burst\";q=5;w=5, \"daily\";q=10;w=86400");
    header_is(headers, "RateLimit", "\"burst\";r=4;t=1, \"daily\";r=3;t=86400");
    header_is(headers, "Retry-After", NULL);

    dsc_limit_take(table, &limited, 3, MORNING, MORNING);
    verdict = dsc_limit_take(table, &limited, 1, MORNING, MORNING);
    CU_ASSERT(!verdict.allowed);
    CU_ASSERT_EQUAL(verdict.spent, DSC_DAY_ALL);
    CU_ASSERT_EQUAL(loads, 1);
    apr_table_clear(headers);
    dsc_limit_headers(pool, headers, &limited, &verdict);
    header_is(headers, "X-RateLimit-Remaining", "0");
    header_is(headers, "Retry-After", "86400");
}

/* What the account has used of the earlier surface is another count than what it has used of
 * all. */
static int load_by_kind(void *baton, dsc_limit_kind_t kind, uint64_t *total)
{
    (void)baton;
    *total = strcmp(dsc_day_name(kind), "live_earlier") == 0 ? 2 : 6;
    return 1;
}

static uint64_t used_of(dsc_limit_kind_t kind)
{
    int fresh;
    const dsc_limit_slot_t *slot = dsc_limit_slot(table, kind, 0, 14, MORNING, &fresh);
    return atomic_load(&slot->days[0].counted) & ((UINT64_C(1) << 40) - 1);
}

static void test_earlier_day(void)
{
    dsc_limited_t limited = {DSC_LIMIT_KEY, 0, 13, 0, 14, {1, 5}, {10, 4}, load_by_kind, NULL};
    dsc_limit_verdict_t verdict;
    apr_table_t *headers = apr_table_make(pool, 8);

    verdict = dsc_limit_take(table, &limited, 1, MORNING, MORNING);
    dsc_limit_headers(pool, headers, &limited, &verdict);
    header_is(headers, "X-RateLimit-Limit", "4"); /* 1 of 4 left, against 3 of 10 */
    header_is(headers, "X-RateLimit-Remaining", "1");
    header_is(headers, "RateLimit-Policy",
              "\"burst\";q=5;w=1, \"daily\";q=10;w=86400, \"earlier\";q=4;w=86400");
    verdict = dsc_limit_take(table, &limited, 2, MORNING, MORNING); /* one fits, two do not */
    CU_ASSERT(!verdict.allowed);
    CU_ASSERT_EQUAL(verdict.spent, DSC_DAY_EARLIER);
    CU_ASSERT_STRING_EQUAL(dsc_limit_detail(pool, &verdict),
                           "The day's quota of 4 requests to the earlier surface is used up; see "
                           "the Retry-After header.");
    CU_ASSERT_EQUAL(used_of(DSC_LIMIT_ACCOUNT), 7);
    CU_ASSERT_EQUAL(used_of(DSC_LIMIT_EARLIER), 3);

    limited.days[DSC_DAY_ALL] = 7; /* used up: what was taken of the other is given back */
    verdict = dsc_limit_take(table, &limited, 1, MORNING, MORNING);
    CU_ASSERT(!verdict.allowed);
    CU_ASSERT_EQUAL(verdict.spent, DSC_DAY_ALL);
    CU_ASSERT_EQUAL(verdict.days[DSC_DAY_EARLIER].remaining, 1);
    dsc_limit_refund(&verdict); /* nothing was charged */
    CU_ASSERT_EQUAL(used_of(DSC_LIMIT_EARLIER), 3);

    limited.days[DSC_DAY_ALL] = 10;
    limited.days[DSC_DAY_EARLIER] = DSC_NO_LIMIT; /* another surface */
    verdict = dsc_limit_take(table, &limited, 1, MORNING, MORNING);
    CU_ASSERT(verdict.allowed);
    CU_ASSERT_EQUAL(used_of(DSC_LIMIT_ACCOUNT), 8);
    CU_ASSERT_EQUAL(used_of(DSC_LIMIT_EARLIER), 3);
    limited.days[DSC_DAY_EARLIER] = 4;
    verdict = dsc_limit_take(table, &limited, 1, MORNING, MORNING);
    dsc_limit_refund(&verdict); /* of both */
    CU_ASSERT_EQUAL(used_of(DSC_LIMIT_ACCOUNT), 8);
    CU_ASSERT_EQUAL(used_of(DSC_LIMIT_EARLIER), 3);
}

/* A quota of none refuses until the day is over, and says so. */
static void test_no_quota(void)
{
    const dsc_limited_t limited = {DSC_LIMIT_KEY, 0,        15,           1,   16,
                                   {1, 5},        {100, 0}, load_by_kind, NULL};
    dsc_limit_verdict_t verdict = dsc_limit_take(table, &limited, 1, MORNING, MORNING);
    apr_table_t *headers = apr_table_make(pool, 8);
    CU_ASSERT(!verdict.allowed);
    dsc_limit_headers(pool, headers, &limited, &verdict);
    header_is(headers, "X-RateLimit-Limit", "0");
    header_is(headers, "Retry-After", "86400");
}

static void test_burst_headers(void)
{
    const dsc_limited_t limited = {DSC_LIMIT_ADDRESS, 0,      21,       0,   0,
                                   {SECOND * 2, 2},   {0, 0}, load_six, NULL};
    dsc_limit_verdict_t verdict;
    apr_table_t *headers = apr_table_make(pool, 8);
    dsc_limit_take(table, &limited, 1, MORNING, MORNING);
    dsc_limit_take(table, &limited, 1, MORNING, MORNING);
    verdict = dsc_limit_take(table, &limited, 1, MORNING + 500000, MORNING + 500000);
    CU_ASSERT(!verdict.allowed);
    dsc_limit_headers(pool, headers, &limited, &verdict);
    header_is(headers, "X-RateLimit-Limit", "2");
    header_is(headers, "X-RateLimit-Remaining", "0");
    header_is(headers, "X-RateLimit-Reset", "1728000002");
    header_is(headers, "Retry-After", "2"); /* 1.5 seconds, rounded up */
    header_is(headers, "RateLimit-Policy", "\"burst\";q=2;w=4");
}

static void test_numbers(void)
{
    static const char *const ids[] = {"00000000", "zzzzzzzz", "AbCd1234", "0000000z"};
    const unsigned char v4[] = {127, 0, 0, 1}, other[] = {127, 0, 0, 2};
    const unsigned char v6[16] = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 9},
                        same[16] = {0x20, 1, 0xd, 0xb8, 0, 0, 0, 1, 7},
                        mapped[16] = {[10] = 0xff, [11] = 0xff, [12] = 127, [15] = 1},
                        loop[16] = {[15] = 1};
    char id[9];
    int i;
    for (i = 0; i < 4; i++) {
        uint64_t number = dsc_limit_key_number(ids[i]);
        CU_ASSERT(number < UINT64_C(1) << 48);
        dsc_limit_key_id(number, id);
        CU_ASSERT_STRING_EQUAL(id, ids[i]);
    }
    CU_ASSERT_NOT_EQUAL(dsc_limit_address_number(v4, 4), dsc_limit_address_number(other, 4));
    CU_ASSERT_EQUAL(dsc_limit_address_number(v6, 16), dsc_limit_address_number(same, 16));
    CU_ASSERT_EQUAL(dsc_limit_address_number(mapped, 16), dsc_limit_address_number(v4, 4));
    CU_ASSERT_NOT_EQUAL(dsc_limit_address_number(mapped, 16), dsc_limit_address_number(loop, 16));
}

/* ------------------------------------------------------------------------- plans */

static void test_plans(void)
{
    apr_array_header_t *plans = dsc_plans_create(pool);
    const dsc_plan_t *plan = dsc_plan_find(plans, "free");
    CU_ASSERT_EQUAL(plan->days[DSC_DAY_ALL], 100);
    CU_ASSERT_EQUAL(plan->days[DSC_DAY_EARLIER], 100);
    CU_ASSERT_EQUAL(plan->page_cap, 25);
    CU_ASSERT_PTR_NULL(dsc_plan_set(pool, plans, "free", "rate=120/m burst=3"));
    CU_ASSERT_EQUAL(dsc_plan_find(plans, "free")->rate.interval, SECOND / 2);
    CU_ASSERT_EQUAL(dsc_plan_find(plans, "free")->rate.burst, 3);
    CU_ASSERT_EQUAL(dsc_plan_find(plans, "free")->days[DSC_DAY_ALL], 100);
    CU_ASSERT_PTR_NULL(dsc_plan_set(pool, plans, "gold", "rank=50 day=unlimited"));
    CU_ASSERT_EQUAL(dsc_plan_find(plans, "gold")->days[DSC_DAY_ALL], DSC_NO_LIMIT);
    CU_ASSERT_EQUAL(dsc_plan_find(plans, "gold")->days[DSC_DAY_EARLIER], 100);
    CU_ASSERT_PTR_NULL(dsc_plan_set(pool, plans, "gold", "earlier=7"));
    CU_ASSERT_EQUAL(dsc_plan_find(plans, "gold")->days[DSC_DAY_EARLIER], 7);
    CU_ASSERT_EQUAL(dsc_plan_find(plans, "gold")->days[DSC_DAY_ALL], DSC_NO_LIMIT);
    CU_ASSERT_STRING_EQUAL(dsc_plan_set(pool, plans, "gold", "burst=0"),
                           "burst: \"0\" is not a number of requests from 1 to 100000");
    CU_ASSERT_EQUAL(dsc_plan_find(plans, "gold")->rate.burst, 10);
    CU_ASSERT_PTR_NULL(dsc_plan_find(plans, "silver"));
}

void dsc_suite_limit(void)
{
    CU_pSuite suite = CU_add_suite("limits", start, stop);
    CU_add_test(suite, "the burst bucket is a leaky bucket", test_against_reference);
    CU_add_test(suite, "no rate, no limit", test_no_rate);
    CU_add_test(suite, "what was taken is given back, and no bucket is emptier than empty",
                test_return_and_clamp);
    CU_add_test(suite, "steps of the clock", test_clock_steps);
    CU_add_test(suite, "the day's count", test_day);
    CU_add_test(suite, "the day's count and the database's", test_day_and_database);
    CU_add_test(suite, "the day ends", test_midnight);
    CU_add_test(suite, "a count is stored when its slot is another's", test_stored_too_late);
    CU_add_test(suite, "a count is stored while it is loaded", test_stored_while_loaded);
    CU_add_test(suite, "slots are found again", test_slots);
    CU_add_test(suite, "a full table", test_full_table);
    CU_add_test(suite, "slots that a killed process held", test_stuck_slots);
    CU_add_test(suite, "a table full of what must not go", test_table_of_accounts);
    CU_add_test(suite, "who owes stays", test_owing_stays);
    CU_add_test(suite, "the place of a slot is secret", test_seeds);
    CU_add_test(suite, "many threads", test_threads);
    CU_add_test(suite, "counts of other hosts while requests are counted", test_others);
    CU_add_test(suite, "headers of both limits", test_headers);
    CU_add_test(suite, "the earlier surface's count", test_earlier_day);
    CU_add_test(suite, "a quota of none", test_no_quota);
    CU_add_test(suite, "headers of a refusal", test_burst_headers);
    CU_add_test(suite, "numbers of keys and addresses", test_numbers);
    CU_add_test(suite, "plans", test_plans);
}
