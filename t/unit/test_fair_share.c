/* Shares of connections: nobody takes more than are left for others. */
#include "engine/fair_share.h"
#include "engine/outage.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <pthread.h>

static dsc_fair_share_t *create(int places, int most_waiting)
{
    return dsc_fair_share_create(dsc_pool, DSC_SHARE_LEAVES_ROOM, places, most_waiting);
}

static int take(dsc_fair_share_t *share, uint64_t account)
{
    return dsc_fair_share_take(share, account, 0, NULL, NULL);
}

/* How many places an account gets. */
static int takes(dsc_fair_share_t *share, uint64_t account)
{
    int count = 0;
    while (take(share, account)) {
        count++;
    }
    return count;
}

static void test_one(void)
{
    static const struct {
        int places, taken;
    } cases[] = {{1, 1}, {2, 1}, {3, 2}, {4, 2}, {8, 4}, {9, 5}};
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CU_ASSERT_EQUAL(takes(create(cases[i].places, 0), 7), cases[i].taken);
    }
}

/* However many ask for all they get, the next one gets a place. */
static void test_several(void)
{
    dsc_fair_share_t *share = create(8, 0);
    CU_ASSERT_EQUAL(takes(share, 1), 4);
    CU_ASSERT_EQUAL(takes(share, 2), 2);
    CU_ASSERT_EQUAL(takes(share, 3), 1);
    CU_ASSERT_EQUAL(takes(share, 4), 1);
    CU_ASSERT_FALSE(take(share, 5));
}

static void test_giving(void)
{
    dsc_fair_share_t *share = create(4, 0);
    CU_ASSERT_EQUAL(takes(share, 1), 2);
    CU_ASSERT_EQUAL(takes(share, 2), 1);
    dsc_fair_share_give(share, 1);
    CU_ASSERT_EQUAL(takes(share, 3), 1);
    dsc_fair_share_give(share, 2);
    dsc_fair_share_give(share, 3);
    CU_ASSERT_EQUAL(takes(share, 1), 1);
    dsc_fair_share_give(share, 1);
    dsc_fair_share_give(share, 1);
    CU_ASSERT_EQUAL(takes(share, 9), 2);
}

/* The server waits for nobody, and what it has is not left for accounts. */
static void test_server(void)
{
    dsc_fair_share_t *share = create(2, 0);
    CU_ASSERT_TRUE(take(share, 0));
    CU_ASSERT_TRUE(take(share, 0));
    CU_ASSERT_TRUE(take(share, 0));
    CU_ASSERT_FALSE(take(share, 1));
    dsc_fair_share_give(share, 0);
    dsc_fair_share_give(share, 0);
    CU_ASSERT_TRUE(take(share, 1));
}

static int looks;

static int look_twice(void *baton)
{
    CU_ASSERT_PTR_EQUAL(baton, &looks);
    return ++looks < 2;
}

static void test_waiting(void)
{
    dsc_fair_share_t *share = create(1, 0);
    apr_time_t end = dsc_monotonic_now() + apr_time_from_msec(30);
    CU_ASSERT_TRUE(take(share, 1));
    CU_ASSERT_FALSE(dsc_fair_share_take(share, 2, end, NULL, NULL));
    CU_ASSERT_TRUE(dsc_monotonic_now() >= end);
    end = dsc_monotonic_now() + apr_time_from_sec(60);
    looks = 0;
    CU_ASSERT_FALSE(dsc_fair_share_take(share, 2, end, look_twice, &looks));
    CU_ASSERT_EQUAL(looks, 2);
    CU_ASSERT_TRUE(dsc_monotonic_now() < end);
    dsc_fair_share_give(share, 1);
    CU_ASSERT_TRUE(take(share, 2));
}

/* Threads that wait for the only place note in which order they got it. */
static dsc_fair_share_t *queued;
static int order[3], served;

static void *queue_up(void *baton)
{
    const int *number = baton;
    if (dsc_fair_share_take(queued, 7, dsc_monotonic_now() + apr_time_from_sec(60), NULL, NULL)) {
        order[served++] = *number;
        dsc_fair_share_give(queued, 7);
    }
    return NULL;
}

static void test_order(void)
{
    static int numbers[] = {1, 2, 3};
    pthread_t threads[3];
    int i;
    queued = create(1, 0);
    served = 0;
    CU_ASSERT_TRUE(take(queued, 7));
    for (i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(pthread_create(&threads[i], NULL, queue_up, &numbers[i]), 0);
        while (dsc_fair_share_waiting(queued) <= i) {
            apr_sleep(1000);
        }
    }
    dsc_fair_share_give(queued, 7);
    for (i = 0; i < 3; i++) {
        (void)pthread_join(threads[i], NULL);
        CU_ASSERT_EQUAL(order[i], i + 1);
    }
    CU_ASSERT_EQUAL(served, 3);
}

/* Requests that wait for the only place, and note the order in which their accounts got it. */
enum {
    WAITING = 8
};
static uint64_t got[WAITING];

static void *wait_in_turn(void *baton)
{
    uint64_t account = *(const uint64_t *)baton;
    if (dsc_fair_share_take(queued, account, dsc_monotonic_now() + apr_time_from_sec(60), NULL,
                            NULL)) {
        got[served++] = account;
        dsc_fair_share_give(queued, account);
    }
    return NULL;
}

/* Of one account many wait; those that came after them get their turns between these. Then nobody
 * owes anything. */
static void test_turns(void)
{
    static uint64_t accounts[WAITING] = {1, 1, 1, 1, 2, 2, 3, 1};
    static const uint64_t expected[WAITING] = {2, 3, 1, 2, 1, 1, 1, 1};
    pthread_t threads[WAITING];
    int i;
    queued = dsc_fair_share_create(dsc_pool, DSC_SHARE_IN_TURNS, 1, 0);
    served = 0;
    CU_ASSERT_TRUE(take(queued, 1));
    for (i = 0; i < WAITING; i++) {
        CU_ASSERT_EQUAL(pthread_create(&threads[i], NULL, wait_in_turn, &accounts[i]), 0);
        while (dsc_fair_share_waiting(queued) <= i) {
            apr_sleep(1000);
        }
    }
    dsc_fair_share_give(queued, 1);
    for (i = 0; i < WAITING; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    CU_ASSERT_EQUAL(served, WAITING);
    for (i = 0; i < WAITING; i++) {
        CU_ASSERT_EQUAL(got[i], expected[i]);
    }
}

/* Without the rule one account has what there is, and no more. */
static void test_all_places(void)
{
    dsc_fair_share_t *share = dsc_fair_share_create(dsc_pool, DSC_SHARE_IN_TURNS, 3, 0);
    CU_ASSERT_EQUAL(takes(share, 7), 3);
    CU_ASSERT_FALSE(take(share, 8));
    dsc_fair_share_give(share, 7);
    CU_ASSERT_EQUAL(takes(share, 8), 1);
}

/* Threads of one account ask for its only place, which each gives back at once. */
enum {
    ASKING = 6,
    MOST_WAITING = 2
};

static void *ask(void *baton)
{
    int *has = baton;
    *has = dsc_fair_share_take(queued, 7, dsc_monotonic_now() + apr_time_from_sec(60), NULL, NULL);
    if (*has) {
        dsc_fair_share_give(queued, 7);
    }
    return NULL;
}

/* Returns how many come in where the place, taken before, is given back after a while; `opens`: it
 * has been made ready until then. */
static int come_in(apr_interval_time_t after, int opens)
{
    pthread_t threads[ASKING];
    int has[ASKING], i, count = 0;
    queued = create(1, MOST_WAITING);
    CU_ASSERT_TRUE(take(queued, 7));
    for (i = 0; i < ASKING; i++) {
        CU_ASSERT_EQUAL(pthread_create(&threads[i], NULL, ask, &has[i]), 0);
    }
    if (opens) {
        dsc_fair_share_open(queued);
    }
    apr_sleep(after);
    if (opens) {
        dsc_fair_share_opened(queued);
    }
    dsc_fair_share_give(queued, 7);
    for (i = 0; i < ASKING; i++) {
        (void)pthread_join(threads[i], NULL);
        count += has[i];
    }
    return count;
}

/* A burst waits for its turn, but not behind a queue that stands; a slow machine may take the one
 * for the other. */
static void test_surplus(void)
{
    int tries = 0;
    while (come_in(DSC_FAIR_SHARE_BURST / 4, 0) != ASKING && ++tries < 20) {
    }
    CU_ASSERT_TRUE(tries < 20);
    tries = 0;
    while (come_in(10 * DSC_FAIR_SHARE_BURST, 0) != MOST_WAITING && ++tries < 3) {
    }
    CU_ASSERT_TRUE(tries < 3);
}

/* A place that is made ready for long is no queue that stands: all come in. */
static void test_opening(void)
{
    int tries = 0;
    while (come_in(10 * DSC_FAIR_SHARE_BURST, 1) != ASKING && ++tries < 3) {
    }
    CU_ASSERT_TRUE(tries < 3);
}

/* What waits of one account sends none of another's away. */
static void test_surplus_of_others(void)
{
    dsc_fair_share_t *share = queued = create(1, 1);
    apr_time_t end = dsc_monotonic_now() + 3 * DSC_FAIR_SHARE_BURST;
    pthread_t thread;
    int has;
    CU_ASSERT_TRUE(take(share, 7));
    CU_ASSERT_EQUAL(pthread_create(&thread, NULL, ask, &has), 0);
    while (dsc_fair_share_waiting(share) < 1) {
        apr_sleep(1000);
    }
    CU_ASSERT_FALSE(dsc_fair_share_take(share, 8, end, NULL, NULL));
    CU_ASSERT_TRUE(dsc_monotonic_now() >= end);
    end = dsc_monotonic_now() + apr_time_from_sec(60);
    CU_ASSERT_FALSE(dsc_fair_share_take(share, 7, end, NULL, NULL));
    CU_ASSERT_TRUE(dsc_monotonic_now() < end);
    dsc_fair_share_give(share, 7);
    (void)pthread_join(thread, NULL);
    CU_ASSERT_TRUE(has);
}

void dsc_suite_fair_share(void)
{
    CU_pSuite suite = CU_add_suite("fair share", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "one account", test_one);
    CU_add_test(suite, "several accounts", test_several);
    CU_add_test(suite, "giving back", test_giving);
    CU_add_test(suite, "the server itself", test_server);
    CU_add_test(suite, "waiting", test_waiting);
    CU_add_test(suite, "in the order of their coming", test_order);
    CU_add_test(suite, "accounts in turns", test_turns);
    CU_add_test(suite, "all places for one account", test_all_places);
    CU_add_test(suite, "too many of one account", test_surplus);
    CU_add_test(suite, "a place that is made ready", test_opening);
    CU_add_test(suite, "and one of another", test_surplus_of_others);
}
