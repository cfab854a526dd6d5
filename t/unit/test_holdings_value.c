#include "sources/sec_13f/holdings_identity.h"
#include "sources/sec_13f/holdings_value.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>

static void check_text(const char *got, const char *expected)
{
    if (expected == NULL) {
        CU_ASSERT_PTR_NULL(got);
    } else {
        CU_ASSERT_PTR_NOT_NULL_FATAL(got);
        CU_ASSERT_STRING_EQUAL(got, expected);
    }
}

static void test_numbers(void)
{
    static const char *const cases[][2] = {
        {"1906458", "1906458"},
        {"1,906,458", "1906458"},
        {"$1,906,458.50", "1906458.5"},
        {"(1,250)", "-1250"},
        {"-3", "-3"},
        {"+7", "7"},
        {"0042", "42"},
        {"250000.0", "250000"},
        {"1.5E3", "1500"},
        {",5", NULL},
        {"5,", NULL},
        {"1,,5", NULL},
        {"N/A", NULL},
        {"", NULL},
        {"12 345", NULL},
        {"1e999", NULL},
        {"(5", NULL},
        {"--5", NULL},
        {"\"1,000\"", "1000"},
        {"\"1", NULL},
        {"0,25", NULL},
        {"1,5", NULL},
        {"1234,567", NULL},
        {"1,2345", NULL},
        {"12,34,567", NULL},
        {"0,250", NULL},
        {"1.234,567", NULL},
        {"1,234.567,8", NULL},
        {"-12,345", "-12345"},
        {"(1,250.75)", "-1250.75"},
        {"(1,25)", NULL},
        {"$-1,250", "-1250"},
        {"1,250E2", NULL},
        {"(", NULL},
        {"$", NULL},
        {"-", NULL},
        {"()", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_text(dsc_holdings_number(dsc_pool, cases[i][0]), cases[i][1]);
    }
}

static void test_dates(void)
{
    static const char *const cases[][2] = {
        {"12-31-2024", "2024-12-31"},
        {"12/31/2024", "2024-12-31"},
        {"31-DEC-2024", "2024-12-31"},
        {"31-Jul-2024", "2024-07-31"},
        {"2024-12-31", "2024-12-31"},
        {"20241231", "2024-12-31"},
        {"31-12-2024", NULL},
        {"02-30-2024", NULL},
        {"31-ZZZ-2024", NULL},
        {"12-31-24", NULL},
        {"", NULL},
        {"2024-12-31T00:00", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_text(dsc_holdings_date(dsc_pool, cases[i][0]), cases[i][1]);
    }
}

/* 037833100 and 02079K305 are real; zeros are put back only where the check digit then is right. */
static void test_cusips(void)
{
    static const char *const cases[][2] = {
        {"037833100", "037833100"}, {" 02079k305 ", "02079K305"},
        {"37833100", "037833100"},  {"02079K-30-5", "02079K305"},
        {"37833101", "37833101"},   {"0378331001", "0378331001"},
        {"037833101", "037833101"}, {"", NULL},
        {"G1151C101", "G1151C101"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_text(dsc_holdings_cusip(dsc_pool, cases[i][0]), cases[i][1]);
    }
}

static void test_codes_and_lists(void)
{
    static const char *const put_calls[] = {"Put", "Call", NULL};
    static const char *const forms[] = {"13F-HR", "13F-HR/A", NULL};

    check_text(dsc_holdings_choice(put_calls, "PUT"), "Put");
    check_text(dsc_holdings_choice(put_calls, "call"), "Call");
    check_text(dsc_holdings_choice(put_calls, "c"), "Call");
    check_text(dsc_holdings_choice(put_calls, "straddle"), NULL);
    check_text(dsc_holdings_choice(put_calls, ""), NULL);
    check_text(dsc_holdings_choice(forms, "13f-hr/a"), "13F-HR/A");
    check_text(dsc_holdings_choice(forms, "1"), NULL);
    check_text(dsc_holdings_managers(dsc_pool, "4,5"), "{\"4\",\"5\"}");
    check_text(dsc_holdings_managers(dsc_pool, "04; 05 11"), "{\"4\",\"5\",\"11\"}");
    check_text(dsc_holdings_managers(dsc_pool, "10,0"), "{\"10\"}");
    check_text(dsc_holdings_managers(dsc_pool, "0"), NULL);
    check_text(dsc_holdings_managers(dsc_pool, "00"), NULL);
    check_text(dsc_holdings_managers(dsc_pool, "0,0"), NULL);
    check_text(dsc_holdings_managers(dsc_pool, "None"), NULL);
    check_text(dsc_holdings_managers(dsc_pool, "n / a"), NULL);
    check_text(dsc_holdings_managers(dsc_pool, "-"), NULL);
    check_text(dsc_holdings_managers(dsc_pool, "028-01234"), "{\"028-01234\"}");
    check_text(dsc_holdings_managers(dsc_pool, "Blue, Chip & Co"), "{\"Blue, Chip & Co\"}");
    check_text(dsc_holdings_managers(dsc_pool, " , "), NULL);
    check_text(dsc_holdings_cik("0001067983"), "1067983");
    check_text(dsc_holdings_cik("0000"), NULL);
    check_text(dsc_holdings_cik("12a"), NULL);
}

static void check_sum(const char *const *numbers, const char *expected)
{
    dsc_holdings_sum_t sum = {0, 0, 0};

    for (; *numbers != NULL; numbers++) {
        dsc_holdings_add(&sum, *numbers);
    }
    check_text(dsc_holdings_sum_text(dsc_pool, &sum), expected);
}

static void test_sums_are_exact(void)
{
    check_sum((const char *const[]){NULL}, "0");
    check_sum((const char *const[]){"296096640", "1", NULL}, "296096641");
    check_sum((const char *const[]){"0.1", "0.2", "0.7", NULL}, "1");
    check_sum((const char *const[]){"10", "-10.25", NULL}, "-0.25");
    check_sum((const char *const[]){"-10", "10.25", NULL}, "0.25");
    check_sum((const char *const[]){"99999999999999999", "1", NULL}, "100000000000000000");
    check_sum((const char *const[]){"1", "999999999999999999999", NULL}, NULL);
    check_sum((const char *const[]){"0.0000000001", NULL}, NULL);
}

static void test_paths(void)
{
    static const char *const cases[][3] = {
        {"edgar/data/1067983/000095012322012275/table.xml", "0000950123-22-012275", "1067983"},
        {"a.zip:1067983/0000950123-22-012275/primary_doc.xml", "0000950123-22-012275", "1067983"},
        {"x/0000950123-22-012275_infotable.xml", "0000950123-22-012275", NULL},
        {"0000950123-22-012275.txt", "0000950123-22-012275", NULL},
        {"x/t-000095012322012275-t.xml", "0000950123-22-012275", NULL},
        {"0000950123-22-012275/0001234567-23-000001.xml", "0001234567-23-000001", NULL},
        {"x/brk-modern-dollars.xml", NULL, NULL},
        {"1234567890123456789/a.xml", NULL, NULL},
        {"12-0000950123-22-0122751.xml", NULL, NULL},
        {"", NULL, NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_text(dsc_holdings_accession(dsc_pool, cases[i][0]), cases[i][1]);
        check_text(dsc_holdings_path_cik(dsc_pool, cases[i][0]), cases[i][2]);
    }
}

void dsc_suite_holdings_value(void)
{
    CU_pSuite suite = CU_add_suite("holdings_value", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "numbers as filers write them", test_numbers);
    CU_add_test(suite, "days in the forms of covers and data sets", test_dates);
    CU_add_test(suite, "CUSIPs", test_cusips);
    CU_add_test(suite, "codes, lists, CIKs", test_codes_and_lists);
    CU_add_test(suite, "sums are exact, or not known", test_sums_are_exact);
    CU_add_test(suite, "accession number and CIK of a path", test_paths);
}
