#include "sources/shared/xbrl_rounding.h"
#include "sources/xbrl_instance/instance_files.h"
#include "sources/xbrl_instance/instance_number.h"
#include "sources/xbrl_instance/qualified_name.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <string.h>

static void check(const char *made, const char *expected)
{
    if (!expected) {
        CU_ASSERT_PTR_NULL(made);
        return;
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(made);
    CU_ASSERT_STRING_EQUAL(made, expected);
}

static void test_plain(void)
{
    static const char *const numbers[][2] = {
        {"0", "0"},
        {"-0", "0"},
        {"+5", "5"},
        {".5", "0.5"},
        {"5.", "5"},
        {"-.05", "-0.05"},
        {"007", "7"},
        {"00.50", "0.5"},
        {"1e3", "1000"},
        {"1.5E-3", "0.0015"},
        {"1e", NULL},
        {"1e+", NULL},
        {"", NULL},
        {".", NULL},
        {"-", NULL},
        {"1,000", NULL},
        {"1 000", NULL},
        {"INF", NULL},
        {"1e1000", NULL},
        {"1e-1000", NULL},
        {"NaN", NULL},
        {"0x10", NULL},
        {"--1", NULL},
        {"1.2.3", NULL},
        {"12345678901234567890.123456789", "12345678901234567890.123456789"},
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        check(dsc_instance_plain(dsc_pool, numbers[i][0]), numbers[i][1]);
    }
}

static void test_moved(void)
{
    static const struct {
        const char *number;
        int places;
        const char *moved;
    } numbers[] = {
        {"1", 0, "1"},           {"1", 3, "1000"},     {"-1.5", 1, "-15"},
        {"-1.5", 6, "-1500000"}, {"1.25", 1, "12.5"},  {"1.25", -1, "0.125"},
        {"1.25", -3, "0.00125"}, {"125", -3, "0.125"}, {"125", -2, "1.25"},
        {"0", 6, "0"},           {"0.5", 1, "5"},      {"0.05", 1, "0.5"},
        {"1.50", 1, "15"},       {"-0.001", 3, "-1"},
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        check(dsc_instance_moved(dsc_pool, numbers[i].number, numbers[i].places), numbers[i].moved);
    }
    CU_ASSERT_EQUAL(strlen(dsc_instance_moved(dsc_pool, "7", DSC_MOST_WORK_SLOTS)),
                    DSC_MOST_WORK_SLOTS + 1);
}

static void test_formats(void)
{
    static const char *const numbers[][3] = {
        {"num-dot-decimal", "1,234.5", "1234.5"},
        {"num-dot-decimal", "1.234,5", NULL},
        {"num-comma-decimal", "1.234,5", "1234.5"},
        {"num-comma-decimal", "1,2,3", NULL},
        {"numspacedot", "1 234.5", "1234.5"},
        {"num-comma-decimal-apos", "1'234,5", "1234.5"},
        {"num-comma-decimal-apos",
         "1.234\xe2\x80\xb2"
         "567,5",
         "1234567.5"},
        {"num-dot-decimal-apos",
         "1\xe2\x80\x99"
         "234\xc2\xb4"
         "567`890.5",
         "1234567890.5"},
        {"num-dot-decimal-apos", "1.5'0", NULL},
        {"numcomma", "1234,5", "1234.5"},
        {"numdotdecimalin", "1,00,000.50", "100000.5"},
        {"num-unit-decimal", "1,234 dollars 56 cents", "1234.56"},
        {"numunitdecimal", "10 euros 5 cents", "10.05"},
        {"numunitdecimal",
         "1.234\xe5\x86\x86"
         "5\xe9\x8a\xad",
         "1234.05"},
        {"numunitdecimalin", "1,00,000 rupees 50 paise", "100000.5"},
        {"num-unit-decimal", "12 dollars", NULL},
        {"num-unit-decimal", "dollars 5 cents", NULL},
        {"num-unit-decimal", "1 dollar 234 cents", NULL},
        {"num-unit-decimal", "1,234", NULL},
        {"num-unit-decimal", "", NULL},
        {"fixed-zero", "nothing", "0"},
        {"numwordsen", "Three", "3"},
        {"numwordsen", "nineteen hundred and five", "1905"},
        {"numwordsen", "one million, two hundred thousand", "1200000"},
        {"numwordsen", "hundred", "100"},
        {"numwordsen", "", NULL},
        {"numwordsen", "trillion trillion", "2000000000000"},
        {"numwordsen", "several", NULL},
        {"num-unknown", "1", NULL},
        {"", "5", "5"},
        {NULL, "5,0", NULL},
    };

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const char *error = NULL;

        check(dsc_instance_transformed(dsc_pool, numbers[i][0], numbers[i][1], &error),
              numbers[i][2]);
        CU_ASSERT_EQUAL(error == NULL, numbers[i][2] != NULL);
    }
}

static void test_rounding(void)
{
    static const struct {
        const char *exact, *rounded;
        int decimals, is_rounded;
    } pairs[] = {
        {"5123", "5000", -3, 1},  {"5123", "6000", -3, 0},      {"5500", "5000", -3, 1},
        {"5500", "6000", -3, 1},  {"5501", "5000", -3, 0},      {"5501", "6000", -3, 1},
        {"5499", "6000", -3, 0},  {"999999", "1000000", -1, 1}, {"-5123", "-5000", -3, 1},
        {"-5123", "5000", -3, 0}, {"499", "0", -3, 1},          {"-499", "0", -3, 1},
        {"500", "1000", -3, 1},   {"501", "0", -3, 0},          {"1.2345", "1.23", 2, 1},
        {"1.2345", "1.24", 2, 0}, {"1.235", "1.24", 2, 1},      {"5123", "5100", -3, 0},
        {"5e3", "5000", 0, 1},    {"x", "5000", 0, 0},
    };

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        CU_ASSERT_EQUAL(dsc_xbrl_is_rounded(dsc_pool, pairs[i].exact, pairs[i].rounded,
                                            pairs[i].decimals),
                        pairs[i].is_rounded);
    }
}

static void test_prefixes(void)
{
    static const char *const names[][3] = {
        {"http://fasb.org/us-gaap/2024", "gaap", "us-gaap"},
        {"http://xbrl.us/us-gaap/2009-01-31", "us-gaap", "us-gaap"},
        {"http://xbrl.sec.gov/dei/2024", NULL, "dei"},
        {"http://xbrl.ifrs.org/taxonomy/2023-03-23/ifrs-full", "ifrs", "ifrs-full"},
        {"https://xbrl.ifrs.org/taxonomy/2023-03-23/ifrs-full", "ifrs", "ifrs-full"},
        {"https://fasb.org.example/us-gaap/2024", "own", "own"},
        {"http://www.apple.com/20250329", "aapl", "aapl"},
        {"http://www.apple.com/20250329", NULL, "custom"},
        {"http://fasb.org/2024", "own", "own"},
        {"http://fasb.org.example/us-gaap/2024", "own", "own"},
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        check(dsc_taxonomy_prefix(dsc_pool, names[i][0], names[i][1]), names[i][2]);
    }
}

static void test_files(void)
{
    static const char *const instances[] = {"aapl-20250329_htm.xml", "nflx-20100930.xml",
                                            "aapl-20250329.htm",     "d12345d10q_htm.xml",
                                            "abc-20240630x10q.htm",  "a-b-20240630.xml.gz"};
    static const char *const others[] = {
        "FilingSummary.xml", "R1.htm",        "aapl-20250329_cal.xml", "aapl-20250329.xsd",
        "report.htm",        "aapl-2025.xml", "aapl-20250329_x.xml",   "-20250329.xml"};
    static const char *const folder[] = {"aapl-20250329.htm", "aapl-20250329_htm.xml",
                                         "aapl-20250329_cal.xml", "abc-20240630.xml",
                                         "abc-20240630_lab.xml"};
    apr_array_header_t *names = apr_array_make(dsc_pool, 8, sizeof(const char *));

    for (size_t i = 0; i < sizeof(instances) / sizeof(instances[0]); i++) {
        CU_ASSERT(dsc_is_instance_name(instances[i]));
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        CU_ASSERT(!dsc_is_instance_name(others[i]));
    }
    for (size_t i = 0; i < sizeof(folder) / sizeof(folder[0]); i++) {
        APR_ARRAY_PUSH(names, const char *) = folder[i];
    }
    check(dsc_instance_for(names, "aapl-20250329.htm"), "aapl-20250329_htm.xml");
    check(dsc_instance_for(names, "aapl-20250329_cal.xml"), "aapl-20250329_htm.xml");
    check(dsc_instance_for(names, "abc-20240630_lab.xml"), "abc-20240630.xml");
    check(dsc_instance_for(names, "xyz-20240630_lab.xml"), NULL);
    check(dsc_linkbase_for(names, "aapl-20250329_htm.xml", "cal"), "aapl-20250329_cal.xml");
    check(dsc_linkbase_for(names, "aapl-20250329_htm.xml", "lab"), NULL);
    check(dsc_linkbase_for(names, "d12345d10q_htm.xml", "cal"), "aapl-20250329_cal.xml");
}

void dsc_suite_instance_number(void)
{
    CU_pSuite suite = CU_add_suite("XBRL instances", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "numbers as instances write them", test_plain);
    CU_add_test(suite, "numbers times powers of ten", test_moved);
    CU_add_test(suite, "formats of inline numbers", test_formats);
    CU_add_test(suite, "numbers that are rounded", test_rounding);
    CU_add_test(suite, "prefixes of taxonomies", test_prefixes);
    CU_add_test(suite, "files of a filing", test_files);
}
