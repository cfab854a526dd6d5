#include "formats/eastern_time.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const conversions[][2] = {
    {"20221108201810", "2022-11-09T01:18:10Z"},
    {"20220506183057", "2022-05-06T22:30:57Z"},
    {"2024-12-31T23:30:00", "2025-01-01T04:30:00Z"},
    {"2024-02-28 19:00:00.250", "2024-02-29T00:00:00.250Z"},
    /* from 2007: second Sunday in March, first in November */
    {"20210314015959", "2021-03-14T06:59:59Z"},
    {"20210314023000", "2021-03-14T07:30:00Z"},
    {"20210314030000", "2021-03-14T07:00:00Z"},
    {"20211107005959", "2021-11-07T04:59:59Z"},
    {"20211107013000", "2021-11-07T06:30:00Z"},
    {"20211107020000", "2021-11-07T07:00:00Z"},
    {"20070311120000", "2007-03-11T16:00:00Z"},
    {"20071104120000", "2007-11-04T17:00:00Z"},
    /* 1987 to 2006: first Sunday in April, last in October */
    {"20060401120000", "2006-04-01T17:00:00Z"},
    {"20060402120000", "2006-04-02T16:00:00Z"},
    {"20061028120000", "2006-10-28T16:00:00Z"},
    {"20061029120000", "2006-10-29T17:00:00Z"},
    {"19960701000000", "1996-07-01T04:00:00Z"},
    /* 1976 to 1986: last Sunday in April */
    {"19860426120000", "1986-04-26T17:00:00Z"},
    {"19860427120000", "1986-04-27T16:00:00Z"},
};

static void check_conversions(void)
{
    for (size_t i = 0; i < sizeof conversions / sizeof conversions[0]; i++) {
        const char *utc = dsc_eastern_to_utc(dsc_pool, conversions[i][0]);

        CU_ASSERT_PTR_NOT_NULL_FATAL(utc);
        CU_ASSERT_STRING_EQUAL(utc, conversions[i][1]);
    }
}

static void test_rules_of_all_years(void)
{
    check_conversions();
}

static void test_tz_does_not_matter(void)
{
    setenv("TZ", "Asia/Tokyo", 1);
    CU_ASSERT_PTR_NULL(dsc_eastern_begin());
    check_conversions();
}

static void test_missing_zone(void)
{
    const char *error;

    setenv("TZ", "UTC", 1); /* the C library looks for the file of another zone only */
    tzset();
    setenv("TZDIR", "/nonexistent", 1);
    error = dsc_eastern_begin();
    CU_ASSERT(error != NULL && strstr(error, "tzdata") != NULL);
    unsetenv("TZDIR");
    setenv("TZ", "UTC", 1);
    tzset();
    CU_ASSERT_PTR_NULL(dsc_eastern_begin());
    check_conversions();
}

static void test_what_is_no_time(void)
{
    static const char *const faulty[] = {"",
                                         "2022",
                                         "20221308201810",
                                         "20220230120000",
                                         "20221108241810",
                                         "20221108206010",
                                         "20221108201860",
                                         "20221108201810Z",
                                         "2022110820181",
                                         "2022-11-08",
                                         "2022-11-08T20:18:10Z",
                                         "2022-11-08T20:18:10.",
                                         "19750601120000",
                                         "2022/11/08 20:18:10"};

    CU_ASSERT_PTR_NULL(dsc_eastern_to_utc(dsc_pool, NULL));
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++) {
        CU_ASSERT_PTR_NULL(dsc_eastern_to_utc(dsc_pool, faulty[i]));
    }
}

void dsc_suite_eastern_time(void)
{
    CU_pSuite suite = CU_add_suite("eastern time", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "the rules of all years", test_rules_of_all_years);
    CU_add_test(suite, "TZ does not matter", test_tz_does_not_matter);
    CU_add_test(suite, "a missing zone", test_missing_zone);
    CU_add_test(suite, "what is no time", test_what_is_no_time);
}
