/* Shares of connections: nobody takes more than are left for others. */
#include "engine/fair_share.h"
#include "engine/outage.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <pthread.h>

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
        CU_ASSERT_EQUAL(takes(dsc_fair_share_create(dsc_pool, cases[i].places), 7), cases[i].taken);
    }
}

/* However many ask for all they get, the next one gets a place. */
static void test_several(void)
{
    dsc_fair_share_t *share = dsc_fair_share_create(dsc_pool, 8);
    CU_ASSERT_EQUAL(takes(share, 1), 4);
    CU_ASSERT_EQUAL(takes(share, 2), 2);
    CU_ASSERT_EQUAL(takes(share, 3), 1);
    CU_ASSERT_EQUAL(takes(share, 4), 1);
    CU_ASSERT_FALSE(take(share, 5));
}

static void test_giving(void)
{
    dsc_fair_share_t *share = dsc_fair_share_create(dsc_pool, 4);
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
    dsc_fair_share_t *share = dsc_fair_share_create(dsc_pool, 2);
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
    dsc_fair_share_t *share = dsc_fair_share_create(dsc_pool, 1);
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
    queued = dsc_fair_share_create(dsc_pool, 1);
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

void dsc_suite_fair_share(void)
{
    CU_pSuite suite = CU_add_suite("fair share", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "one account", test_one);
    CU_add_test(suite, "several accounts", test_several);
    CU_add_test(suite, "giving back", test_giving);
    CU_add_test(suite, "the server itself", test_server);
    CU_add_test(suite, "waiting", test_waiting);
    CU_add_test(suite, "in the order of their coming", test_order);
}
