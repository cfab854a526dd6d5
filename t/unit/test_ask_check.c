/* Answers say no number and no quote that their sources do not have. */
#include "ask/ask_check.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <stdio.h>

typedef struct {
    const char *sentence, *source;
    int is_told;
} number_row_t;

static const number_row_t number_rows[] = {
    {"Revenue was USD 298.9 million [1].", "USD 298.9 million", 1},
    {"Revenue was USD 298.9 billion [1].", "USD 298.9 million", 0},
    {"Revenue was USD 298.9 [1].", "USD 298.9 million", 0},
    {"Revenue was USD 298.90 million.", "USD 298.9 million", 0},
    {"Revenue was USD 98.9 million.", "USD 298.9 million", 0},
    {"It fell 12%.", "12.0%", 0},
    {"It fell 12%.", "12%", 1},
    {"It fell 12 percent.", "12%", 0},
    {"It lost USD -5 million.", "USD 5 million", 0},
    {"It lost USD -5 million.", "USD -5 million", 1},
    {"A holder (10% Owner) sold.", "10% Owner", 1},
    {"It changed by (10%).", "10%", 0},
    {"It changed by (10 million).", "(10 million)", 1},
    {"It changed by (10).", "10", 0},
    {"It changed by (10).", "(10)", 1},
    {"It had 1,234.5 shares.", "1,234.5", 1},
    {"It had 1,234.5 shares.", "1,234", 0},
    {"On 30 June 2025 it had 7 [2].", "30 June 2025\n7", 1},
    {"On 31 June 2025.", "30 June 2025", 0},
    {"No number at all.", "", 1},
    {"Marker [17] alone.", "", 1},
    {"Not a marker 17].", "", 0},
    {"", "", 1},
};

static void test_numbers(void)
{
    size_t i;
    for (i = 0; i < sizeof(number_rows) / sizeof(number_rows[0]); i++) {
        apr_array_header_t *sources = apr_array_make(dsc_pool, 1, sizeof(const char *));
        int told;
        APR_ARRAY_PUSH(sources, const char *) = number_rows[i].source;
        told = dsc_ask_numbers_are_sourced(dsc_pool, number_rows[i].sentence, sources);
        CU_ASSERT_EQUAL(told, number_rows[i].is_told);
        if (told != number_rows[i].is_told) {
            fprintf(stderr, "%s / %s\n", number_rows[i].sentence, number_rows[i].source);
        }
    }
}

static void test_quotes(void)
{
    CU_ASSERT_TRUE(
        dsc_ask_quote_is_verbatim(dsc_pool, "few  suppliers", "We have few\n suppliers."));
    CU_ASSERT_FALSE(
        dsc_ask_quote_is_verbatim(dsc_pool, "few suppliers!", "We have few suppliers."));
    CU_ASSERT_FALSE(dsc_ask_quote_is_verbatim(dsc_pool, "", "We have few suppliers."));
    CU_ASSERT_FALSE(dsc_ask_quote_is_verbatim(dsc_pool, " \n", "We have few suppliers."));
}

void dsc_suite_ask_check(void)
{
    CU_pSuite suite = CU_add_suite("checks of answers", dsc_open_pool, dsc_close_pool);
    CU_add_test(suite, "numbers", test_numbers);
    CU_add_test(suite, "quotes", test_quotes);
}
