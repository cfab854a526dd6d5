/* Shares of connections: nobody takes more than are left for others. */
#include "engine/fair_share.h"
#include "engine/outage.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>

static int take(dsc_fair_share_t *share, uint64_t account)
{
    return dsc_fair_share_take(share, account, 0);
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
    CU_ASSERT_TRUE(dsc_fair_share_has(share, 4));
    CU_ASSERT_FALSE(dsc_fair_share_has(share, 3));
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
    CU_ASSERT_TRUE(dsc_fair_share_has(share, 1));
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

static void test_waiting(void)
{
    dsc_fair_share_t *share = dsc_fair_share_create(dsc_pool, 1);
    apr_time_t end = dsc_monotonic_now() + apr_time_from_msec(30);
    CU_ASSERT_TRUE(take(share, 1));
    CU_ASSERT_FALSE(dsc_fair_share_take(share, 2, end));
    CU_ASSERT_TRUE(dsc_monotonic_now() >= end);
}

void dsc_suite_fair_share(void)
{
    CU_pSuite suite = CU_add_suite("fair share", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "one account", test_one);
    CU_add_test(suite, "several accounts", test_several);
    CU_add_test(suite, "giving back", test_giving);
    CU_add_test(suite, "the server itself", test_server);
    CU_add_test(suite, "waiting", test_waiting);
}
