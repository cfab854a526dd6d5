/* What httpd counts in shared memory: responses, the use of keys, the connections of processes. */
#include "access/counters.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>

#define MINUTES(n) (UINT64_C(60000000) * (n))
#define DAYS(n)    (MINUTES(1440) * (n))

static dsc_counters_t *counters;

static int start(void)
{
    counters = calloc(1, sizeof(*counters));
    return counters ? 0 : -1;
}

static int stop(void)
{
    free(counters);
    return 0;
}

static void clear(void)
{
    memset(counters, 0, sizeof(*counters));
}

static void test_responses(void)
{
    static const struct {
        int status, status_place;
        uint64_t microseconds;
        int time_place;
    } rows[] = {
        {200, 0, 0, 0},         {204, 1, 500, 0},       {503, 17, 501, 1},
        {504, 18, 2500000, 11}, {418, 19, 2500001, 12}, {0, 19, UINT64_MAX, 12},
        {500, 16, 1000000, 10},
    };
    size_t i;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        dsc_operation_counter_t *counter = &counters->operations[7];
        clear();
        dsc_count_response(counters, 7, rows[i].status, rows[i].microseconds);
        CU_ASSERT_EQUAL(atomic_load(&counter->statuses[rows[i].status_place]), 1);
        CU_ASSERT_EQUAL(atomic_load(&counter->times[rows[i].time_place]), 1);
        CU_ASSERT_EQUAL(atomic_load(&counter->microseconds), rows[i].microseconds);
    }
}

static void test_statuses(void)
{
    static const int statuses[] = {200, 204, 302, 304, 307, 400, 401, 402, 403, 404,
                                   405, 409, 413, 414, 422, 429, 500, 503, 504, 502};
    int i;
    clear();
    for (i = 0; i < DSC_COUNTED_STATUSES; i++) {
        dsc_count_response(counters, 0, statuses[i], 1);
        CU_ASSERT_EQUAL(atomic_load(&counters->operations[0].statuses[i]), 1);
    }
}

/* A time belongs to the first bound that it does not exceed, in microseconds. */
static void test_times(void)
{
    static const uint64_t bounds[] = {500,   1000,   2500,   5000,   10000,   25000,
                                      50000, 100000, 250000, 500000, 1000000, 2500000};
    int i;
    clear();
    for (i = 0; i < DSC_COUNTED_TIMES - 1; i++) {
        dsc_count_response(counters, 0, 200, bounds[i]);
        CU_ASSERT_EQUAL(atomic_load(&counters->operations[0].times[i]), i == 0 ? 1 : 2);
        dsc_count_response(counters, 0, 200, bounds[i] + 1);
        CU_ASSERT_EQUAL(atomic_load(&counters->operations[0].times[i + 1]), 1);
    }
    CU_ASSERT_EQUAL(DSC_COUNTED_TIMES, 13);
}

/* The last place is for all that is no endpoint, or beyond those that are counted. */
static void test_places(void)
{
    static const struct {
        int operation, place;
    } rows[] = {{0, 0}, {126, 126}, {127, 127}, {128, 127}, {5000, 127}, {-1, 127}};
    size_t i;
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        clear();
        dsc_count_response(counters, rows[i].operation, 200, 1);
        dsc_count_response(counters, rows[i].operation, 200, 2);
        CU_ASSERT_EQUAL(atomic_load(&counters->operations[rows[i].place].statuses[0]), 2);
        CU_ASSERT_EQUAL(atomic_load(&counters->operations[rows[i].place].microseconds), 3);
    }
}

/* The slots in use, and the first of them. */
static int used_slots(dsc_usage_slot_t **first)
{
    int i, count = 0;
    for (i = DSC_USAGE_SLOTS - 1; i >= 0; i--) {
        if (atomic_load(&counters->usage[i].identity) > 1) {
            *first = &counters->usage[i];
            count++;
        }
    }
    return count;
}

/* What could not be stored is counted again: not for the key that has the slot meanwhile, and not
 * where there is no slot. */
static void test_usage_put_back(void)
{
    dsc_usage_slot_t *slot = NULL, other = {0};
    dsc_usage_t taken;
    clear();
    dsc_count_usage(counters, 3, 99, 5, 0, DAYS(20000));
    dsc_count_usage(counters, 3, 99, 5, 1, DAYS(20000));
    CU_ASSERT_EQUAL_FATAL(used_slots(&slot), 1);
    CU_ASSERT_FALSE(dsc_usage_take(slot, 2, &taken));
    CU_ASSERT_FATAL(dsc_usage_take(slot, 3, &taken));
    CU_ASSERT_FALSE(dsc_usage_take(slot, 3, &taken));
    dsc_usage_put_back(counters, &taken);
    CU_ASSERT_EQUAL(atomic_load(&slot->requests), 2);
    CU_ASSERT_EQUAL(atomic_load(&slot->refused), 1);
    CU_ASSERT_FATAL(dsc_usage_take(slot, 3, &taken));
    atomic_store(&slot->identity, 77);
    atomic_store(&slot->key, UINT64_C(3) << 48 | 98);
    atomic_store(&slot->used_at, DAYS(20001));
    dsc_usage_put_back(counters, &taken);
    CU_ASSERT_EQUAL(atomic_load(&slot->requests), 0);
    CU_ASSERT_EQUAL(used_slots(&slot), 2);
    CU_ASSERT_EQUAL(atomic_load(&counters->usage_lost), 0);
    atomic_store(&other.identity, 77);
    atomic_store(&other.requests, 1);
    for (int i = 0; i < DSC_USAGE_SLOTS; i++) {
        counters->usage[i] = other;
    }
    dsc_usage_put_back(counters, &taken);
    CU_ASSERT_EQUAL(atomic_load(&counters->usage_lost), 2);
}

static void test_usage(void)
{
    dsc_usage_slot_t *slot = NULL;
    clear();
    dsc_count_usage(counters, 3, 99, 5, 0, DAYS(20000) + 1);
    dsc_count_usage(counters, 3, 99, 5, 1, DAYS(20000) + 2);
    dsc_count_usage(counters, 3, 99, 5, 0, DAYS(20000) + 3);
    CU_ASSERT_EQUAL_FATAL(used_slots(&slot), 1);
    CU_ASSERT_EQUAL(atomic_load(&slot->key), UINT64_C(3) << 48 | 99);
    CU_ASSERT_EQUAL(atomic_load(&slot->place), UINT64_C(20000) << 32 | 5);
    CU_ASSERT_EQUAL(atomic_load(&slot->requests), 3);
    CU_ASSERT_EQUAL(atomic_load(&slot->refused), 1);
    CU_ASSERT_EQUAL(atomic_load(&slot->used_at), DAYS(20000) + 3);
    dsc_count_usage(counters, 4, 99, 5, 0, DAYS(20000)); /* another database */
    dsc_count_usage(counters, 3, 98, 5, 0, DAYS(20000)); /* another key */
    dsc_count_usage(counters, 3, 99, 0, 0, DAYS(20000)); /* another endpoint */
    dsc_count_usage(counters, 3, 99, 5, 0, DAYS(20001)); /* another day */
    CU_ASSERT_EQUAL(used_slots(&slot), 5);
    clear();
    dsc_count_usage(counters, 0, 1, -1, 0, DAYS(1));
    CU_ASSERT_EQUAL_FATAL(used_slots(&slot), 1);
    CU_ASSERT_EQUAL(atomic_load(&slot->place), UINT64_C(1) << 32 | 127);
}

/* How many requests of new keys are lost of as many as there are slots. */
static uint64_t lost_of_many(uint64_t first_key, uint64_t now)
{
    uint64_t key, before = atomic_load(&counters->usage_lost);
    for (key = first_key; key < first_key + DSC_USAGE_SLOTS; key++) {
        dsc_count_usage(counters, 0, key, 1, 0, now);
    }
    return atomic_load(&counters->usage_lost) - before;
}

/* When the slots are full, what has not been brought to the database keeps its own; what has been,
 * after ten minutes without use, gives it up. */
static void test_full(void)
{
    dsc_usage_slot_t *slot;
    int i;
    clear();
    CU_ASSERT(lost_of_many(0, DAYS(1)) < DSC_USAGE_SLOTS / 4);
    lost_of_many(100000, DAYS(1));
    lost_of_many(200000, DAYS(1));
    CU_ASSERT_EQUAL(used_slots(&slot), DSC_USAGE_SLOTS);
    CU_ASSERT_EQUAL(lost_of_many(300000, DAYS(1) + MINUTES(60)), DSC_USAGE_SLOTS);
    for (i = 0; i < DSC_USAGE_SLOTS; i++) {
        atomic_store(&counters->usage[i].requests, 0);
    }
    CU_ASSERT_EQUAL(lost_of_many(400000, DAYS(1) + MINUTES(10)), DSC_USAGE_SLOTS);
    CU_ASSERT(lost_of_many(500000, DAYS(1) + MINUTES(10) + 1) < DSC_USAGE_SLOTS / 4);
}

static int nobody_lives(uint64_t process)
{
    (void)process;
    return 0;
}

static int all_live(uint64_t process)
{
    (void)process;
    return 1;
}

static int all_but_20_live(uint64_t process)
{
    return process != 20;
}

static void test_pools(void)
{
    dsc_pool_counter_t *pool;
    uint64_t i;
    clear();
    CU_ASSERT_PTR_EQUAL(dsc_pool_counter(counters, 11, all_live), &counters->pools[0]);
    CU_ASSERT_PTR_EQUAL(dsc_pool_counter(counters, 12, all_live), &counters->pools[1]);
    CU_ASSERT_PTR_EQUAL(dsc_pool_counter(counters, 12, nobody_lives), &counters->pools[0]);
    clear();
    for (i = 0; i < DSC_COUNTED_PROCESSES; i++) {
        pool = dsc_pool_counter(counters, i + 1, all_live);
        CU_ASSERT_PTR_EQUAL_FATAL(pool, &counters->pools[i]);
        atomic_store(&pool->open, 4);
        atomic_store(&pool->in_use, 3);
        atomic_store(&pool->waiting, 2);
        atomic_store(&pool->statements, 1);
    }
    CU_ASSERT_PTR_EQUAL(dsc_pool_counter(counters, 5, all_live), &counters->pools[4]);
    CU_ASSERT_EQUAL(atomic_load(&counters->pools[4].open), 4);
    CU_ASSERT_PTR_NULL(dsc_pool_counter(counters, 1000, all_live));
    pool = dsc_pool_counter(counters, 1000, all_but_20_live);
    CU_ASSERT_PTR_EQUAL_FATAL(pool, &counters->pools[19]);
    CU_ASSERT_EQUAL(atomic_load(&pool->process), 1000);
    CU_ASSERT_EQUAL(atomic_load(&pool->open), 0);
    CU_ASSERT_EQUAL(atomic_load(&pool->in_use), 0);
    CU_ASSERT_EQUAL(atomic_load(&pool->waiting), 0);
    CU_ASSERT_EQUAL(atomic_load(&pool->statements), 0);
}

void dsc_suite_counters(void)
{
    CU_pSuite suite = CU_add_suite("counters", start, stop);
    CU_add_test(suite, "responses by status and time", test_responses);
    CU_add_test(suite, "each status", test_statuses);
    CU_add_test(suite, "each bound of time", test_times);
    CU_add_test(suite, "endpoints and the rest", test_places);
    CU_add_test(suite, "the use of keys", test_usage);
    CU_add_test(suite, "usage that could not be stored", test_usage_put_back);
    CU_add_test(suite, "all slots in use", test_full);
    CU_add_test(suite, "connections of processes", test_pools);
}
