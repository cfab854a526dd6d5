#include "engine/decimal_multiply.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>

static void test_products_are_exact(void)
{
    static const char *const cases[][3] = {
        {"192320", "189.578", "36459640.96"},
        {"0.1", "0.2", "0.02"},
        {"134018.0", "0", "0"},
        {"-3", "0.5", "-1.5"},
        {"-2", "-2", "4"},
        {"-0", "7", "0"},
        {"100", "0.01", "1"},
        {".5", "4.", "2"},
        {"1e3", "2.5e-2", "25"},
        {"1e1000", "3e-1000", "3"},
        {"99999999999999999999.99", "99999999999999999999.99",
         "9999999999999999999998000000000000000000.0001"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_STRING_EQUAL(dsc_decimal_multiply(dsc_pool, cases[i][0], cases[i][1]),
                               cases[i][2]);
        CU_ASSERT_STRING_EQUAL(dsc_decimal_multiply(dsc_pool, cases[i][1], cases[i][0]),
                               cases[i][2]);
    }
}

static void test_what_is_no_number(void)
{
    static const char *const faulty[] = {"",       "abc",     "1,000", "$5", "1e5000",
                                         "1e1001", "1e-1001", "0x10",  "NaN"};

    CU_ASSERT_PTR_NULL(dsc_decimal_multiply(dsc_pool, NULL, "1"));
    CU_ASSERT_PTR_NULL(dsc_decimal_multiply(dsc_pool, "1", NULL));
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++) {
        CU_ASSERT_PTR_NULL(dsc_decimal_multiply(dsc_pool, faulty[i], "2"));
        CU_ASSERT_PTR_NULL(dsc_decimal_multiply(dsc_pool, "2", faulty[i]));
    }
}

void dsc_suite_decimal(void)
{
    CU_pSuite suite = CU_add_suite("decimal", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "products are exact", test_products_are_exact);
    CU_add_test(suite, "what is no number has no product", test_what_is_no_number);
}
