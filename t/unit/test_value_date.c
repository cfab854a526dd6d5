/* The rows are what FastAPI with Pydantic answers to the same queries. */
#include "unit/fixture.h"
#include "unit/parameter_rows.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>

static const dsc_parameter_t date_parameter = {.name = "v",
                                               .location = DSC_IN_QUERY,
                                               .type = DSC_DATE};
static const dsc_parameter_t datetime_parameter = {.name = "v",
                                                   .location = DSC_IN_QUERY,
                                                   .type = DSC_DATETIME};

#define WRONG_DATE(input, words)                                                                   \
    FAULT_WITH("date_from_datetime_parsing", "Input should be a valid date or datetime, " words,   \
               input, "{\"error\":\"" words "\"}")
#define INEXACT(input)                                                                             \
    FAULT("date_from_datetime_inexact",                                                            \
          "Datetimes provided to dates should have zero time - e.g. be exact dates", input)
#define WRONG_DATETIME(input, words)                                                               \
    FAULT_WITH("datetime_from_date_parsing", "Input should be a valid datetime or date, " words,   \
               input, "{\"error\":\"" words "\"}")

#define SHORT          "input is too short"
#define EXTRA          "unexpected extra characters at the end of the input"
#define DATE_SEPARATOR "invalid date separator, expected `-`"
#define SEPARATOR      "invalid datetime separator, expected `T`, `t`, `_` or space"
#define BAD_DAY        "day value is outside expected range"
#define BAD_MONTH      "month value is outside expected range of 1-12"
#define BAD_YEAR_DIGIT "invalid character in year"
#define TOO_LATE       "dates after 9999 are not supported as unix timestamps"
#define TOO_EARLY      "dates before 0000 are not supported as unix timestamps"

static void test_good_dates(void)
{
    static const dsc_row_t rows[] = {
        {"", "absent"},
        {"v=2024-01-31", "2024-01-31"},
        {"v=2024-02-29", "2024-02-29"},
        {"v=2000-02-29", "2000-02-29"},
        {"v=0001-01-01", "0001-01-01"},
        {"v=9999-12-31", "9999-12-31"},
        /* datetimes at midnight, in whatever zone */
        {"v=2024-01-31T00:00", "2024-01-31"},
        {"v=2024-01-31T00:00:00Z", "2024-01-31"},
        {"v=2024-01-31t00:00z", "2024-01-31"},
        {"v=2024-01-31_00:00", "2024-01-31"},
        {"v=2024-01-31T00:00:00.000", "2024-01-31"},
        {"v=2024-01-31T00:00:00,000", "2024-01-31"},
        {"v=2024-01-31+00:00:00%2B05:00", "2024-01-31"},
        {"v=2024-01-31T00:00:00.0000009", "2024-01-31"},
        /* unix numbers at midnight, in seconds up to 2e10, then in milliseconds */
        {"v=0", "1970-01-01"},
        {"v=86400", "1970-01-02"},
        {"v=-86400", "1969-12-31"},
        {"v=1706659200", "2024-01-31"},
        {"v=%2B1706659200", "2024-01-31"},
        {"v=1706659200.0", "2024-01-31"},
        {"v=1706659200000", "2024-01-31"},
        {"v=1706659200000.0", "2024-01-31"},
        {"v=20044800000", "1970-08-21"},
        {"v=253402214400000", "9999-12-31"},
        {"v=-62135596800000", "0001-01-01"},
        {"v=8.64e4", "1970-01-02"},
    };

    CHECK_ROWS(&date_parameter, rows);
}

static void test_bad_dates(void)
{
    static const dsc_row_t rows[] = {
        {"v", WRONG_DATE("", SHORT)},
        {"v=", WRONG_DATE("", SHORT)},
        {"v=abc", WRONG_DATE("abc", SHORT)},
        {"v=2024-1-3", WRONG_DATE("2024-1-3", SHORT)},
        {"v=2024-01", WRONG_DATE("2024-01", SHORT)},
        {"v=today", WRONG_DATE("today", SHORT)},
        {"v=null", WRONG_DATE("null", SHORT)},
        {"v=1e9", WRONG_DATE("1e9", SHORT)},
        {"v=2024-01-31T", WRONG_DATE("2024-01-31T", SHORT)},
        {"v=2024-01-31+", WRONG_DATE("2024-01-31 ", SHORT)},
        {"v=2024-02-30", WRONG_DATE("2024-02-30", BAD_DAY)},
        {"v=2023-02-29", WRONG_DATE("2023-02-29", BAD_DAY)},
        {"v=1900-02-29", WRONG_DATE("1900-02-29", BAD_DAY)},
        {"v=2024-01-00", WRONG_DATE("2024-01-00", BAD_DAY)},
        {"v=2024-13-01", WRONG_DATE("2024-13-01", BAD_MONTH)},
        {"v=2024-00-10", WRONG_DATE("2024-00-10", BAD_MONTH)},
        {"v=2024/01/31", WRONG_DATE("2024/01/31", DATE_SEPARATOR)},
        {"v=2024-01/31", WRONG_DATE("2024-01/31", DATE_SEPARATOR)},
        {"v=10000-01-01", WRONG_DATE("10000-01-01", DATE_SEPARATOR)},
        {"v=12/31/2024", WRONG_DATE("12/31/2024", BAD_YEAR_DIGIT)},
        {"v=+2024-01-31", WRONG_DATE(" 2024-01-31", BAD_YEAR_DIGIT)},
        {"v=2024-W05-1", WRONG_DATE("2024-W05-1", "invalid character in month")},
        {"v=2024-01-3x", WRONG_DATE("2024-01-3x", "invalid character in day")},
        {"v=2024-01-31x", WRONG_DATE("2024-01-31x", SEPARATOR)},
        {"v=2024-01-31Z", WRONG_DATE("2024-01-31Z", SEPARATOR)},
        {"v=2024-01-31%00", WRONG_DATE("2024-01-31\\u0000", SEPARATOR)},
        {"v=253402300800000", WRONG_DATE("253402300800000", TOO_LATE)},
        {"v=-62167219200001", WRONG_DATE("-62167219200001", TOO_EARLY)},
        {"v=2024-01-31T05:00:00Z", INEXACT("2024-01-31T05:00:00Z")},
        {"v=2024-01-31T00:00:00.000001", INEXACT("2024-01-31T00:00:00.000001")},
        {"v=1706659201", INEXACT("1706659201")},
        {"v=1706659200001", INEXACT("1706659200001")},
        {"v=86400.5", INEXACT("86400.5")},
        {"v=20240131", INEXACT("20240131")},
        {"v=2024", INEXACT("2024")},
        {"v=-1", INEXACT("-1")},
        {"v=0000-01-01",
         FAULT_WITH("date_parsing",
                    "Input should be a valid date in the format YYYY-MM-DD, year 0 is out of range",
                    "0000-01-01", "{\"error\":\"year 0 is out of range\"}")},
    };

    CHECK_ROWS(&date_parameter, rows);
}

/* A date's error is told in the words of the datetime parser, down to the zone. */
static void test_bad_times_of_dates(void)
{
    static const struct {
        const char *time, *words;
    } rows[] = {
        {"T12", SHORT},
        {"Tab:00", "invalid character in hour"},
        {"T12-00", "invalid time separator, expected `:`"},
        {"T12:a0", "invalid character in minute"},
        {"T24:00", "hour value is outside expected range of 0-23"},
        {"T12:60", "minute value is outside expected range of 0-59"},
        {"T12:00:", "invalid character in second"},
        {"T12:00:6", "invalid character in second"},
        {"T12:00:60", "second value is outside expected range of 0-59"},
        {"T12:00:00.", "second fraction digits missing after `.`"},
        {"T12:00x", "invalid timezone sign"},
        {"T12:00\xE2\x80\x93"
         "0530",
         "invalid timezone sign"},
        {"T12:00%2B", "invalid timezone hour"},
        {"T12:00%2B5:30", "invalid timezone hour"},
        {"T12:00%2B05", "invalid timezone minute"},
        {"T12:00%2B05:3", "invalid timezone minute"},
        {"T12:00%2B05:60", "timezone minute value is outside expected range of 0-59"},
        {"T12:00%2B24:00", "timezone offset must be less than 24 hours"},
        {"T12:00Zx", EXTRA},
        {"T12:00%2B05:300", EXTRA},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *query = apr_pstrcat(dsc_pool, "v=2024-01-31", rows[i].time, NULL);
        const char *context =
            apr_pstrcat(dsc_pool, "\"ctx\":{\"error\":\"", rows[i].words, "\"}}]}", NULL);

        CU_ASSERT_PTR_NOT_NULL(strstr(dsc_row_result(&date_parameter, query), context));
    }
}

static void test_good_datetimes(void)
{
    static const dsc_row_t rows[] = {
        {"", "absent"},
        {"v=2024-01-31", "2024-01-31T00:00:00.000000Z"},
        {"v=2024-01-31T12:30", "2024-01-31T12:30:00.000000Z"},
        {"v=2024-01-31+12:30:45", "2024-01-31T12:30:45.000000Z"},
        {"v=2024-01-31_12:30:45.6789Z", "2024-01-31T12:30:45.678900Z"},
        {"v=2024-01-31t12:00:00,5z", "2024-01-31T12:00:00.500000Z"},
        {"v=2024-01-31T12:00:00.123456789", "2024-01-31T12:00:00.123456Z"},
        {"v=2024-01-31T12:00%2B05:30", "2024-01-31T06:30:00.000000Z"},
        {"v=2024-01-31T12:00-0530", "2024-01-31T17:30:00.000000Z"},
        {"v=2024-01-31T12:00%E2%88%92"
         "0530",
         "2024-01-31T17:30:00.000000Z"},
        {"v=2024-12-31T23:00-05:00", "2025-01-01T04:00:00.000000Z"},
        {"v=2024-03-01T01:00%2B23:59", "2024-02-29T01:01:00.000000Z"},
        {"v=0", "1970-01-01T00:00:00.000000Z"},
        {"v=1706659201", "2024-01-31T00:00:01.000000Z"},
        {"v=1706659200001", "2024-01-31T00:00:00.001000Z"},
        {"v=-20000000001", "1969-05-14T12:26:39.999000Z"},
        {"v=20000000000", "2603-10-11T11:33:20.000000Z"},
        {"v=20000000001", "1970-08-20T11:33:20.001000Z"},
        {"v=1706659200.25", "2024-01-31T00:00:00.250000Z"},
        {"v=1706659200.9999996", "2024-01-31T00:00:01.000000Z"},
        {"v=-0.5", "1969-12-31T23:59:59.500000Z"},
        {"v=1.5e3", "1970-01-01T00:25:00.000000Z"},
        {"v=.5", "1970-01-01T00:00:00.500000Z"},
        /* moved out of years 1 to 9999 by the zone */
        {"v=0001-01-01T00:00%2B05:00", "0001-01-01T00:00:00.000000Z"},
        {"v=9999-12-31T23:00-05:00", "9999-12-31T23:59:59.999999Z"},
    };

    CHECK_ROWS(&datetime_parameter, rows);
}

static void test_bad_datetimes(void)
{
    static const dsc_row_t rows[] = {
        {"v=", WRONG_DATETIME("", SHORT)},
        {"v=abc", WRONG_DATETIME("abc", SHORT)},
        {"v=2024-02-30", WRONG_DATETIME("2024-02-30", BAD_DAY)},
        {"v=2024-13-01T00:00", WRONG_DATETIME("2024-13-01T00:00", BAD_MONTH)},
        {"v=12/31/2024", WRONG_DATETIME("12/31/2024", BAD_YEAR_DIGIT)},
        {"v=2024-01-31T12", WRONG_DATETIME("2024-01-31T12", EXTRA)},
        {"v=2024-01-31T25:00:00", WRONG_DATETIME("2024-01-31T25:00:00", EXTRA)},
        {"v=2024-01-31T12:60", WRONG_DATETIME("2024-01-31T12:60", EXTRA)},
        {"v=2024-01-31T12:00%2B05", WRONG_DATETIME("2024-01-31T12:00+05", EXTRA)},
        {"v=2024-01-31T12:00Z+", WRONG_DATETIME("2024-01-31T12:00Z ", EXTRA)},
        {"v=2024-01-31T12:00+05:30", WRONG_DATETIME("2024-01-31T12:00 05:30", EXTRA)},
        {"v=2024-01-31T12:00:00.", WRONG_DATETIME("2024-01-31T12:00:00.", EXTRA)},
        {"v=253402300800000", WRONG_DATETIME("253402300800000", TOO_LATE)},
        {"v=-62167219200001", WRONG_DATETIME("-62167219200001", TOO_EARLY)},
        {"v=0000-01-01T00:00",
         FAULT_WITH("datetime_parsing", "Input should be a valid datetime, year 0 is out of range",
                    "0000-01-01T00:00", "{\"error\":\"year 0 is out of range\"}")},
    };

    CHECK_ROWS(&datetime_parameter, rows);
}

void dsc_suite_value_date(void)
{
    CU_pSuite suite = CU_add_suite("dates and datetimes", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "good dates", test_good_dates);
    CU_add_test(suite, "bad dates", test_bad_dates);
    CU_add_test(suite, "bad times of dates", test_bad_times_of_dates);
    CU_add_test(suite, "good datetimes", test_good_datetimes);
    CU_add_test(suite, "bad datetimes", test_bad_datetimes);
}
