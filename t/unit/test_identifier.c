/* Check digits against identifiers that their agencies have published, and against slips. */
#include "engine/identifier.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <string.h>

typedef struct {
    const char *text;
    int valid;
} row_t;

/* Identifiers in public use, then the same with slips. */
static const row_t isins[] = {
    {"US0378331005", 1}, {"GB0002634946", 1}, {"DE0005557508", 1}, {"US02079K3059", 1},
    {"US0378331006", 0}, {"US0378331050", 0}, {"US037833100", 0},  {"US03783310055", 0},
    {"us0378331005", 0}, {"120378331005", 0}, {"US037833*005", 0}, {"", 0},
};
static const row_t cusips[] = {
    {"037833100", 1}, {"594918104", 1}, {"02079K305", 1}, {"037833101", 0},
    {"03783310", 0},  {"03783310a", 0}, {"", 0},
};
static const row_t figis[] = {
    {"BBG000B9XRY4", 1}, {"BBG000BPH459", 1}, {"BBG000B9XRY5", 0},
    {"BBG000B9XRE4", 0}, {"BBX000B9XRY4", 0}, {"BBG000B9XR", 0},
};
static const row_t leis[] = {
    {"5493001KJTIIGC8Y1R12", 1}, {"HWUPKR0MPOU8FGXBT394", 1}, {"5493001KJTIIGC8Y1R13", 0},
    {"HWUPKR0MPOU8FGXBT349", 0}, {"HWUPKR0MPOU8FGXBT39", 0},
};

#define CHECK_VALID(rows, valid_function)                                                          \
    for (size_t i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++) {                                \
        CU_ASSERT_EQUAL(valid_function((rows)[i].text), (rows)[i].valid);                          \
    }

static void test_whole_identifiers(void)
{
    CHECK_VALID(isins, dsc_isin_valid);
    CHECK_VALID(cusips, dsc_cusip_valid);
    CHECK_VALID(figis, dsc_figi_valid);
    CHECK_VALID(leis, dsc_lei_valid);
}

static void test_check_digits(void)
{
    char digits[3] = "";

    CU_ASSERT_EQUAL(dsc_isin_check_digit("US037833100"), '5');
    CU_ASSERT_EQUAL(dsc_cusip_check_digit("03783310"), '0');
    CU_ASSERT_EQUAL(dsc_sedol_check_digit("026349"), '4');
    CU_ASSERT_EQUAL(dsc_figi_check_digit("BBG000B9XRY"), '4');
    CU_ASSERT_TRUE(dsc_lei_check_digits("HWUPKR0MPOU8FGXBT3", digits));
    CU_ASSERT_STRING_EQUAL(digits, "94");
}

static void test_no_bodies(void)
{
    char digits[3] = "";

    CU_ASSERT_EQUAL(dsc_isin_check_digit("US03783310"), '\0');
    CU_ASSERT_EQUAL(dsc_isin_check_digit("0S037833100"), '\0');
    CU_ASSERT_EQUAL(dsc_cusip_check_digit("0378331\xc3"), '\0');
    CU_ASSERT_EQUAL(dsc_sedol_check_digit("02634"), '\0');
    CU_ASSERT_EQUAL(dsc_sedol_check_digit("02634*"), '\0');
    CU_ASSERT_EQUAL(dsc_figi_check_digit("BBG000B9XR#"), '\0');
    CU_ASSERT_EQUAL(dsc_sedol_check_digit("ZZZZZZ"), '0');
    CU_ASSERT_EQUAL(dsc_cusip_check_digit("########"), '4');
    CU_ASSERT_FALSE(dsc_lei_check_digits("HWUPKR0MPOU8FGXBT", digits));
}

/* Any single wrong digit is noticed, and so is any swap of unequal neighbours but 0 and 9. */
static void test_slips(void)
{
    const char good[] = "US0378331005";

    for (size_t i = 2; i < sizeof(good) - 1; i++) {
        char wrong[sizeof(good)];
        memcpy(wrong, good, sizeof(good));
        wrong[i] = (char)('0' + (good[i] - '0' + 1) % 10);
        CU_ASSERT_FALSE(dsc_isin_valid(wrong));
        memcpy(wrong, good, sizeof(good));
        if (i + 2 < sizeof(good) && good[i] != good[i + 1]) {
            wrong[i] = good[i + 1];
            wrong[i + 1] = good[i];
            CU_ASSERT_FALSE(dsc_isin_valid(wrong));
        }
    }
}

void dsc_suite_identifier(void)
{
    CU_pSuite suite = CU_add_suite("check digits of identifiers", NULL, NULL);

    CU_add_test(suite, "whole identifiers", test_whole_identifiers);
    CU_add_test(suite, "check digits", test_check_digits);
    CU_add_test(suite, "texts that are no bodies", test_no_bodies);
    CU_add_test(suite, "slips", test_slips);
}
