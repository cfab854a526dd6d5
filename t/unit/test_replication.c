/* How far a replica is behind, from what is seen of it and of its primary. Times are seconds here,
 * positions any numbers. */
#include "access/replication.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <string.h>

#define SECONDS(count) (UINT64_C(1000000) * (uint64_t)(count))
#define NOT_KNOWN      UINT64_MAX

static dsc_wal_history_t wal;
static dsc_replica_slot_t replica;

static void begin_anew(void)
{
    memset(&wal, 0, sizeof(wal));
    memset(&replica, 0, sizeof(replica));
}

static void primary_at(int at, uint64_t position)
{
    dsc_wal_note(&wal, SECONDS(at), position);
}

static void replica_at(int at, uint64_t position)
{
    dsc_replica_note(&replica, &wal, SECONDS(at), position);
}

static uint64_t lag_at(int at)
{
    return dsc_replica_lag(&replica, SECONDS(at));
}

static int is_fit(int at, int bound)
{
    return dsc_replica_is_fit(&replica, SECONDS(at), SECONDS(bound));
}

static void test_nothing_is_known(void)
{
    begin_anew();
    CU_ASSERT_EQUAL(lag_at(100), NOT_KNOWN);
    CU_ASSERT_FALSE(is_fit(100, 7200));
    replica_at(100, 5000); /* the primary was not seen yet */
    CU_ASSERT_EQUAL(lag_at(100), NOT_KNOWN);
    CU_ASSERT_FALSE(is_fit(100, 7200));
    primary_at(101, 6000); /* nor has the replica come so far since */
    replica_at(102, 5999);
    CU_ASSERT_EQUAL(lag_at(102), NOT_KNOWN);
    CU_ASSERT_EQUAL(atomic_load(&replica.lag_bytes), 1);
    replica_at(103, 6000);
    CU_ASSERT_EQUAL(lag_at(103), 0);
    CU_ASSERT_TRUE(is_fit(103, 3));
}

/* What the primary has written since it was seen last is not known, so that is as of when the
 * replica is current. */
static void test_as_of_the_last_look_at_the_primary(void)
{
    begin_anew();
    primary_at(100, 1000);
    replica_at(104, 1000);
    CU_ASSERT_EQUAL(lag_at(104), 0);
    CU_ASSERT_EQUAL(atomic_load(&replica.current_at), SECONDS(100));
    primary_at(105, 2000);
    replica_at(106, 1500);
    CU_ASSERT_EQUAL(lag_at(106), SECONDS(6));
    CU_ASSERT_EQUAL(atomic_load(&replica.lag_bytes), 500);
}

static void test_lag_grows_and_ends(void)
{
    begin_anew();
    for (int at = 100; at <= 110; at++) {
        primary_at(at, (uint64_t)at * 10);
        replica_at(at, at < 104 ? (uint64_t)at * 10 : 1040);
    }
    CU_ASSERT_EQUAL(lag_at(110), SECONDS(6));
    CU_ASSERT_EQUAL(lag_at(112), SECONDS(8)); /* it grows between looks as well */
    CU_ASSERT_EQUAL(atomic_load(&replica.lag_bytes), 60);
    CU_ASSERT_TRUE(is_fit(110, 6));
    CU_ASSERT_FALSE(is_fit(111, 6));
    replica_at(112, 1079); /* part of the way: all of 107 */
    CU_ASSERT_EQUAL(lag_at(112), SECONDS(5));
    replica_at(112, 1100);
    CU_ASSERT_EQUAL(lag_at(112), 0);
    CU_ASSERT_EQUAL(lag_at(113), 0);
}

/* Where the primary writes nothing, or is gone, a replica that has all stays current. */
static void test_a_primary_that_rests(void)
{
    begin_anew();
    primary_at(100, 1000);
    replica_at(101, 1000);
    for (int at = 102; at < 300; at++) {
        replica_at(at, 1000);
    }
    CU_ASSERT_EQUAL(lag_at(299), 0);
    CU_ASSERT_TRUE(is_fit(299, 3));
}

static void test_a_replica_that_is_not_seen(void)
{
    begin_anew();
    primary_at(100, 1000);
    replica_at(100, 1000);
    CU_ASSERT_TRUE(is_fit(103, 3));
    CU_ASSERT_FALSE(is_fit(104, 3)); /* nobody has looked for four seconds */
    replica_at(105, 1000);
    CU_ASSERT_TRUE(is_fit(105, 3));
    dsc_replica_missed(&replica, SECONDS(105));
    CU_ASSERT_FALSE(is_fit(105, 3));
    replica_at(106, 1000);
    CU_ASSERT_TRUE(is_fit(106, 3));
}

/* Calls that wait in vain keep others away for a while; later ones wait half as long, for a minute
 * after the last that gave up. */
static void test_calls_that_wait_in_vain(void)
{
    begin_anew();
    for (int at = 100; at <= 300; at++) {
        primary_at(at, 1000);
        replica_at(at, 1000);
    }
    dsc_replica_was_silent(&replica, SECONDS(100), 0);
    CU_ASSERT_TRUE(is_fit(100, 3));
    CU_ASSERT_FALSE(dsc_replica_is_silent(&replica, SECONDS(100)));
    dsc_replica_was_silent(&replica, SECONDS(200), 1);
    CU_ASSERT_FALSE(is_fit(200, 3));
    CU_ASSERT_FALSE(is_fit(204, 3));
    CU_ASSERT_TRUE(dsc_replica_is_avoided(&replica, SECONDS(204)));
    CU_ASSERT_TRUE(is_fit(205, 3));
    CU_ASSERT_TRUE(dsc_replica_is_silent(&replica, SECONDS(259)));
    CU_ASSERT_FALSE(dsc_replica_is_silent(&replica, SECONDS(260)));
    dsc_replica_was_silent(&replica, SECONDS(250), 0);
    CU_ASSERT_TRUE(is_fit(250, 3));
    CU_ASSERT_TRUE(dsc_replica_is_silent(&replica, SECONDS(309)));
    CU_ASSERT_FALSE(dsc_replica_is_silent(&replica, SECONDS(310)));
}

/* Each process reads the clock by itself: a look may be a moment later than `now`. */
static void test_a_look_that_is_ahead(void)
{
    begin_anew();
    primary_at(100, 1000);
    replica_at(100, 1000);
    primary_at(101, 1100);
    replica_at(101, 1050);
    CU_ASSERT_EQUAL(lag_at(99), 0);
    CU_ASSERT_TRUE(is_fit(99, 3));
}

/* Samples of each second reach back two minutes, those of each minute two hours. */
static void test_long_lag(void)
{
    begin_anew();
    for (int at = 1; at <= 9000; at++) {
        primary_at(at, (uint64_t)at * 10);
    }
    replica_at(9000, 8900 * 10);
    CU_ASSERT_EQUAL(lag_at(9000), SECONDS(100));
    begin_anew();
    for (int at = 1; at <= 9000; at++) {
        primary_at(at, (uint64_t)at * 10);
    }
    replica_at(9000, 5430 * 10); /* an hour ago, to the minute */
    CU_ASSERT_TRUE(lag_at(9000) >= SECONDS(3570) && lag_at(9000) < SECONDS(3570 + 60));
    begin_anew();
    for (int at = 1; at <= 9000; at++) {
        primary_at(at, (uint64_t)at * 10);
    }
    replica_at(9000, 100 * 10); /* longer ago than is known */
    CU_ASSERT_EQUAL(lag_at(9000), NOT_KNOWN);
}

/* A look that is late says less than what was known before. */
static void test_never_back(void)
{
    begin_anew();
    primary_at(100, 1000);
    primary_at(110, 2000);
    replica_at(110, 2000);
    primary_at(111, 3000);
    replica_at(111, 1500);
    CU_ASSERT_EQUAL(lag_at(111), SECONDS(1));
}

/* Another primary in its place, or one from a backup, begins where it begins. */
static void test_a_primary_that_goes_back(void)
{
    begin_anew();
    primary_at(100, 5000);
    replica_at(100, 5000);
    primary_at(101, 300);
    replica_at(102, 300);
    CU_ASSERT_EQUAL(lag_at(102), 0);
    primary_at(103, 400);
    replica_at(104, 350);
    CU_ASSERT_EQUAL(lag_at(104), SECONDS(3));
}

void dsc_suite_replication(void)
{
    CU_pSuite suite = CU_add_suite("replication", NULL, NULL);
    CU_add_test(suite, "nothing is known at first", test_nothing_is_known);
    CU_add_test(suite, "current as of the last look at the primary",
                test_as_of_the_last_look_at_the_primary);
    CU_add_test(suite, "lag grows and ends", test_lag_grows_and_ends);
    CU_add_test(suite, "a primary that rests", test_a_primary_that_rests);
    CU_add_test(suite, "a replica that is not seen", test_a_replica_that_is_not_seen);
    CU_add_test(suite, "calls that wait in vain", test_calls_that_wait_in_vain);
    CU_add_test(suite, "a look that is ahead", test_a_look_that_is_ahead);
    CU_add_test(suite, "long lag", test_long_lag);
    CU_add_test(suite, "never back", test_never_back);
    CU_add_test(suite, "a primary that goes back", test_a_primary_that_goes_back);
}
