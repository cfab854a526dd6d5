#include "engine/calendar.h"
#include "formats/market_date.h"
#include "sources/corporate_actions/split_ratio.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <apr_time.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text, *expected; /* NULL: no ratio */
} ratios[] = {
    {"7.0", "7:1"},
    {"0.5", "1:2"},
    {"1.05", "21:20"},
    {"1.45", "29:20"},
    {"1.005", "201:200"},
    {"3.207", "3207:1000"},
    {"0.02", "1:50"},
    {"1.5000", "3:2"},
    {"1.0", "1:1"},
    /* long decimals that mean a simple fraction */
    {"1.3333333333333333", "4:3"},
    {"0.8888888888888888", "8:9"},
    {"0.8889", "8:9"},
    {"0.66666666666666666666666667", "2:3"},
    {"1.333", "4:3"},
    {"0.066667", "1:15"},
    {"1.13314447592068", "400:353"},
    {"1.1424654404204273", "10000:8753"},
    /* and those that do not */
    {"1.33", "133:100"},
    {"0.0667", "667:10000"},
    {"1.0001", "10001:10000"},
    {"1.13314447592061", "113314447592061:100000000000000"},
    {"1.12345678901234567890123", NULL},
    /* other forms */
    {"7:1", "7:1"},
    {"1 : 20", "1:20"},
    {"4-for-1", "4:1"},
    {"3 For 2", "3:2"},
    {"7.000000/1.000000", "7:1"},
    {"1.05:1", "21:20"},
    {"10:4", "5:2"},
    {"1.5/2.5", "3:5"},
    {"5%", "21:20"},
    {"2.5 %", NULL},
    {"2.5%", "41:40"},
    {"2e1", "20:1"},
    /* none */
    {"", NULL},
    {"0", NULL},
    {"-2", NULL},
    {"1:0", NULL},
    {"0:1", NULL},
    {"x", NULL},
    {"1:2:3", NULL},
    {"%", NULL},
    {"1e400", NULL},
    {"NaN", NULL},
    {"99999999999999999999", NULL},
};

static void test_ratios(void)
{
    for (size_t i = 0; i < sizeof(ratios) / sizeof(ratios[0]); i++) {
        dsc_split_ratio_t ratio;
        int good = dsc_split_ratio_read(dsc_pool, ratios[i].text, &ratio);
        const char *got = good ? apr_psprintf(dsc_pool, "%" APR_UINT64_T_FMT ":%" APR_UINT64_T_FMT,
                                              ratio.to, ratio.from)
                               : "none";
        const char *expected = ratios[i].expected ? ratios[i].expected : "none";

        CU_ASSERT_STRING_EQUAL(got, expected);
        if (strcmp(got, expected) != 0) {
            fprintf(stderr, "%s: %s\n", ratios[i].text, got);
        }
    }
}

static const char *const dates[][2] = {
    {"2024-02-29", "2024-02-29"},
    {"20240229", "2024-02-29"},
    {"2/29/2024", "2024-02-29"},
    {"02/09/2024", "2024-02-09"},
    {"2024-05-02T00:00:00Z", "2024-05-02"},
    {"2024-05-02 00:00:00-04:00", "2024-05-02"},
    {"5/2/2024 0:00", "2024-05-02"},
    {"2023-02-29", NULL},
    {"20241301", NULL},
    {"0/1/2024", NULL},
    {"1/2/24", NULL},
    {"2024-5-2", NULL},
    {"5/2/2024 12:00:00 AM", "2024-05-02"},
    {"2024-05-02x", NULL},
    {"2024-05-02 to 2024-05-09", NULL},
    {"2024-05-02 2024-05-09", NULL},
    {"2024-05-02T", NULL},
    {"202405021", NULL},
    {"0000-00-00", NULL},
    {"N/A", NULL},
    {"", NULL},
};

static const char *const none_day_first[] = {"12/12/2023", "32/12/2023", "13/13/2023", "13/0/2023",
                                             "13/1/23",    "2023-12-25", "25/12",      ""};

static void test_dates(void)
{
    for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++) {
        const char *date = dsc_plain_date(dsc_pool, dates[i][0]);

        CU_ASSERT_STRING_EQUAL(date ? date : "none", dates[i][1] ? dates[i][1] : "none");
    }
    CU_ASSERT_TRUE(dsc_date_is_day_first("25/12/2023"));
    CU_ASSERT_TRUE(dsc_date_is_day_first("13/1/2023 0:00"));
    for (size_t i = 0; i < sizeof(none_day_first) / sizeof(none_day_first[0]); i++) {
        CU_ASSERT_FALSE(dsc_date_is_day_first(none_day_first[i]));
    }
    CU_ASSERT_EQUAL(dsc_day_of_text("1970-01-02"), 1);
    CU_ASSERT_STRING_EQUAL(dsc_day_text(dsc_pool, dsc_day_of_text("2024-02-29") + 1), "2024-03-01");
}

/* From a day the n-th business day after: weekends, Martin Luther King's day, Good Friday, a
 * holiday kept on a Monday, Thanksgiving. */
static const struct {
    const char *from;
    int count;
    const char *expected;
} business_days[] = {
    {"2021-07-15", 8, "2021-07-27"}, {"2024-01-12", 7, "2024-01-24"},
    {"2024-03-28", 1, "2024-04-01"}, {"2021-12-23", 1, "2021-12-27"},
    {"2021-07-02", 1, "2021-07-06"}, {"2024-11-27", 1, "2024-11-29"},
};

static void test_business_days(void)
{
    for (size_t i = 0; i < sizeof(business_days) / sizeof(business_days[0]); i++) {
        int day =
            dsc_add_business_days(dsc_day_of_text(business_days[i].from), business_days[i].count);

        CU_ASSERT_STRING_EQUAL(dsc_day_text(dsc_pool, day), business_days[i].expected);
    }
}

/* Every day of the years 1 to 9999 is the one after the day before, and comes back as itself. */
static void test_all_days(void)
{
    int first = dsc_day(1, 1, 1), last = dsc_day(9999, 12, 31), wrong = 0;
    int year = 0, month = 12, day_of_month = 31;

    CU_ASSERT_EQUAL(first, -719162);
    CU_ASSERT_EQUAL(last, 2932896);
    for (int day = first; day <= last; day++) {
        int was_year = year, was_month = month, was_day = day_of_month, is_next;

        dsc_day_date(day, &year, &month, &day_of_month);
        is_next = day_of_month == was_day + 1
                      ? month == was_month && year == was_year
                      : day_of_month == 1 &&
                            (month == was_month + 1 ? year == was_year
                                                    : month == 1 && year == was_year + 1);
        wrong += !is_next || dsc_day(year, month, day_of_month) != day;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(year, 9999);
    CU_ASSERT_STRING_EQUAL(dsc_day_text(dsc_pool, dsc_day(1962, 3, 15)), "1962-03-15");
    CU_ASSERT_STRING_EQUAL(dsc_day_text(dsc_pool, first), "0001-01-01");
    CU_ASSERT_STRING_EQUAL(dsc_day_text(dsc_pool, first - 1), "0000-12-31");
    CU_ASSERT_STRING_EQUAL(dsc_day_text(dsc_pool, last + 1), "10000-01-01");
}

/* Business days come to an end in every year, and leave out weekends before 1970 as well. */
static void test_all_business_days(void)
{
    static const char *const known[][2] = {
        {"1969-12-31", "1970-01-02"}, {"1962-03-15", "1962-03-16"}, {"1962-03-16", "1962-03-19"},
        {"1962-04-19", "1962-04-23"}, {"1961-12-29", "1962-01-02"},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        CU_ASSERT_STRING_EQUAL(dsc_day_text(dsc_pool,
                                            dsc_add_business_days(dsc_day_of_text(known[i][0]), 1)),
                               known[i][1]);
    }
    for (int year = 1; year <= 9999; year++) {
        int days = dsc_add_business_days(dsc_day(year, 3, 15), 8) - dsc_day(year, 3, 15);

        if (days < 10 || days > 14) {
            CU_FAIL("eight business days are not two weeks");
        }
    }
}

static void test_ranges(void)
{
    const char *today =
        dsc_day_text(dsc_pool, (int)(apr_time_now() / apr_time_from_sec(24 * 60 * 60)));

    CU_ASSERT_TRUE(dsc_date_is_between("1990-01-01", "1990-01-01", 0));
    CU_ASSERT_FALSE(dsc_date_is_between("1989-12-31", "1990-01-01", 0));
    CU_ASSERT_FALSE(dsc_date_is_between("1013-03-15", "1990-01-01", 0));
    CU_ASSERT_TRUE(dsc_date_is_between(today, "1990-01-01", 1));
    CU_ASSERT_FALSE(dsc_date_is_between("9999-12-31", "1990-01-01", 3650));
}

static void test_months(void)
{
    static const struct {
        int year, february;
    } years[] = {{2023, 28}, {2024, 29}, {1900, 28}, {2000, 29}};
    static const int lengths[] = {31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    size_t i;
    int month;

    for (i = 0; i < sizeof(years) / sizeof(years[0]); i++) {
        for (month = 1; month <= 12; month++) {
            int expected = month == 2 ? years[i].february : lengths[month - 1];
            CU_ASSERT_EQUAL(dsc_month_length(years[i].year, month), expected);
            CU_ASSERT_EQUAL(dsc_month_end(years[i].year, month),
                            dsc_day(years[i].year, month, expected));
        }
    }
}

void dsc_suite_split_ratio(void)
{
    CU_pSuite suite = CU_add_suite("split ratios and days", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "ratios", test_ratios);
    CU_add_test(suite, "dates", test_dates);
    CU_add_test(suite, "business days", test_business_days);
    CU_add_test(suite, "every day of the calendar", test_all_days);
    CU_add_test(suite, "the lengths of months", test_months);
    CU_add_test(suite, "business days of every year", test_all_business_days);
    CU_add_test(suite, "dates that are plausible", test_ranges);
}
