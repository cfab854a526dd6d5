/* What files of market data share: spellings of symbols, prices and splits, several dividends of a
 * day. */
#include "loader/symbol_spelling.h"
#include "sources/corporate_actions/price_basis.h"
#include "sources/corporate_actions/seen_dividends.h"
#include "sources/finra_short_interest/short_interest_figures.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

static void check(const char *name, const char *got, const char *expected)
{
    got = got != NULL ? got : "none";
    CU_ASSERT_STRING_EQUAL(got, expected);
    if (strcmp(got, expected) != 0) {
        fprintf(stderr, "%s: %s\n", name, got);
    }
}

static void test_codes(void)
{
    static const char *const codes[][2] = {
        {"BRK.B", "BRKB"}, {"brk-b", "BRKB"}, {"BRK/B:US", "BRKB"}, {"BRK_B", "BRKB"}, {"A", "A"},
        {"0700", "0700"},  {"--", "none"},    {":US", "none"},      {"", "none"},
    };
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        check(codes[i][0], dsc_symbol_code(dsc_pool, codes[i][0]), codes[i][1]);
    }
}

static void test_spellings(void)
{
    static const char *const spellings[][2] = {
        {"AAPL", "AAPL:US"},
        {"aapl", "AAPL:US"},
        {"BRK-B", "BRK-B:US"},
        {"BRK.B", "BRK.B:US BRK-B:US"},
        {"BRK_A", "BRK_A:US BRK-A:US"},
        {"BF B", "BF-B:US"},
        {"AAIC.PRB", "AAIC.PRB:US AAIC-PRB:US AAIC-PB:US AAICPR-B:US"},
        {"VOD:GB", "VOD:GB"},
        {"-U.U", "-U.U:US -U-U:US U-UN:US U-U:US"},
        {"RDS.A:GB", "RDS.A:GB RDS-A:GB"},
    };
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        check(spellings[i][0], dsc_symbol_spellings(dsc_pool, spellings[i][0]), spellings[i][1]);
    }
}

static void test_finra_spellings(void)
{
    static const struct {
        const char *symbol, *market, *expected;
    } spellings[] = {
        {"AAPL", "NNM", "AAPL:US"},
        {"ACBAU", "SC", "ACBAU:US"},
        {"AAALF", "OTC", "AAALF:US"},
        {"AAALF", "u", "AAALF:US"},
        {"BRKB", "NYSE", "BRKB:US BRK-B:US"},
        {"BRKB", NULL, "BRKB:US BRK-B:US"},
        {"AAICPRB", "NYSE", "AAICPRB:US AAIC-PB:US AAICPR-B:US"},
        {"CMSPR", "NYSE", "CMSPR:US CMS-P:US CMSP-R:US"},
        {"AACWS", "NYSE", "AACWS:US AAC-WT:US AACW-S:US"},
        {"AACU", "NYSE", "AACU:US AAC-UN:US AAC-U:US"},
        {"XYZRT", "AMEX", "XYZRT:US XYZ-RI:US XYZ-R:US XYZR-T:US"},
        {"A", "NYSE", "A:US"},
        {"U", "NYSE", "U:US"},
    };
    for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
        check(spellings[i].symbol,
              dsc_finra_spellings(dsc_pool, spellings[i].symbol, spellings[i].market),
              spellings[i].expected);
    }
}

/* -------------------------------------------------------------- prices and splits */

typedef struct {
    const char *date, *open, *close, *ratio;
} day_t;

static const char *basis_of(const day_t *days, int count, int descending, const char *date)
{
    dsc_price_basis_t *basis = dsc_price_basis_make(dsc_pool);
    const char *adjusted_on, *shown;

    for (int i = 0; i < count; i++) {
        const day_t *day = &days[descending ? count - 1 - i : i];
        dsc_split_ratio_t ratio;

        dsc_price_basis_day(basis, "AAPL", day->date, day->open, day->close,
                            day->ratio && dsc_split_ratio_read(dsc_pool, day->ratio, &ratio)
                                ? &ratio
                                : NULL);
        dsc_price_basis_day(basis, "OTHER", day->date, "1", "1", NULL);
    }
    CU_ASSERT_PTR_NULL(dsc_price_basis_of(basis, "OTHER", date, &adjusted_on));
    CU_ASSERT_PTR_NULL(dsc_price_basis_of(basis, "UNKNOWN", date, &adjusted_on));
    CU_ASSERT_PTR_NULL(adjusted_on);
    shown = dsc_price_basis_of(basis, "AAPL", date, &adjusted_on);
    return adjusted_on == NULL ? shown : apr_pstrcat(dsc_pool, shown, " ", adjusted_on, NULL);
}

static void test_price_basis(void)
{
    static const day_t declared[] = {{"2014-06-05", "645", "647", NULL},
                                     {"2014-06-06", "649", "645.57", NULL},
                                     {"2014-06-09", "92.7", "93.7", "7"},
                                     {"2014-06-10", "94", "94.25", NULL}};
    static const day_t adjusted[] = {{"2014-06-06", "92.8", "92.22", NULL},
                                     {"2014-06-09", "92.7", "93.7", "7"}};
    static const day_t second[] = {{"2014-06-06", "649", "645.57", NULL},
                                   {"2014-06-09", "92.7", "93.7", "7"},
                                   {"2020-08-28", "125", "124.8", NULL},
                                   {"2020-08-31", "127", "129", "4"}};
    static const day_t both[] = {{"2014-06-06", "92.8", "92.22", NULL},
                                 {"2014-06-09", "92.7", "93.7", "7"},
                                 {"2020-08-28", "125", "124.8", NULL},
                                 {"2020-08-31", "127", "129", "1.05"}};
    static const day_t reverse[] = {{"2020-01-02", "1.0", "1.0", NULL},
                                    {"2020-01-03", "10.1", "10", "0.1"}};
    static const day_t grouped[] = {{"2020-01-02", "1,201.50", "$1,200.00", NULL},
                                    {"2020-01-03", "$ 120.00", "121", "10"}};
    static const day_t small[] = {{"2020-01-02", "100", "100", NULL},
                                  {"2020-01-03", "95", "95", "1.05"}};
    static const day_t without[] = {{"2020-01-02", NULL, NULL, NULL},
                                    {"2020-01-03", NULL, NULL, "7"}};

    for (int descending = 0; descending < 2; descending++) {
        check("declared", basis_of(declared, 4, descending, "2014-02-06"), "declared");
        check("after it", basis_of(declared, 4, descending, "2014-06-09"), "none");
        check("adjusted", basis_of(adjusted, 2, descending, "2014-02-06"), "adjusted 2014-06-09");
        check("adjusted for the second", basis_of(second, 4, descending, "2014-02-06"),
              "adjusted 2020-08-31");
        check("between them", basis_of(second, 4, descending, "2014-08-07"), "adjusted 2020-08-31");
        check("adjusted for both", basis_of(both, 4, descending, "2014-02-06"),
              "adjusted 2020-08-31");
        check("reverse", basis_of(reverse, 2, descending, "2019-02-06"), "declared");
        check("commas between thousands", basis_of(grouped, 2, descending, "2019-02-06"),
              "declared");
        check("small", basis_of(small, 2, descending, "2019-02-06"), "none");
        check("without prices", basis_of(without, 2, descending, "2019-02-06"), "none");
    }
}

static void test_prices(void)
{
    static const char *const bad[] = {"1,20", "12,34,567", "1200 USD", "n.a.", "", "1.200,00"};
    dsc_price_basis_t *basis = dsc_price_basis_make(dsc_pool);

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CU_ASSERT_PTR_NOT_NULL(dsc_price_basis_day(basis, "A", "2020-01-02", NULL, bad[i], NULL));
        CU_ASSERT_PTR_NOT_NULL(dsc_price_basis_day(basis, "A", "2020-01-02", bad[i], "1", NULL));
    }
    CU_ASSERT_PTR_NULL(
        dsc_price_basis_day(basis, "A", "2020-01-02", "1.5e1", "1,234,567.891", NULL));
}

static void test_many_of_a_day(void)
{
    dsc_seen_dividends_t *seen = dsc_seen_dividends_make(dsc_pool);

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 1; i <= DSC_MOST_DIVIDENDS; i++) {
            CU_ASSERT_EQUAL(dsc_seen_dividends_number(seen, "A/1", apr_itoa(dsc_pool, i)), i);
        }
        CU_ASSERT_EQUAL(dsc_seen_dividends_number(seen, "A/1", "one more"), 0);
    }
    CU_ASSERT_EQUAL(dsc_seen_dividends_number(seen, "A/2", "one more"), 1);
}

static void test_seen_dividends(void)
{
    dsc_seen_dividends_t *seen = dsc_seen_dividends_make(dsc_pool);

    CU_ASSERT_EQUAL(dsc_seen_dividends_number(seen, "A/1", "0.5"), 1);
    CU_ASSERT_EQUAL(dsc_seen_dividends_number(seen, "A/1", "0.5"), 1);
    CU_ASSERT_EQUAL(dsc_seen_dividends_number(seen, "A/1", "1"), 2);
    CU_ASSERT_EQUAL(dsc_seen_dividends_number(seen, "A/1", "2"), 3);
    CU_ASSERT_EQUAL(dsc_seen_dividends_number(seen, "A/1", "1"), 2);
    CU_ASSERT_EQUAL(dsc_seen_dividends_number(seen, "A/2", "1"), 1);
    for (int i = 0; i < 20000; i++) {
        const char *key = apr_psprintf(dsc_pool, "B/%d", i);
        if (dsc_seen_dividends_number(seen, key, "1") != 1 ||
            dsc_seen_dividends_number(seen, key, "2") != 2) {
            CU_FAIL("a key was taken for another");
        }
    }
    CU_ASSERT_EQUAL(dsc_seen_dividends_number(seen, "B/0", "1"), 1);
    CU_ASSERT_EQUAL(dsc_seen_dividends_number(seen, "A/1", "2"), 3);
}

/* ------------------------------------------------------------ figures that FINRA computes */

static void test_short_figures(void)
{
    static const struct {
        dsc_short_figures_t figures; /* current, previous, volume, days, change, difference */
        const char *expected;        /* d, c, n: what is confirmed; D, C, x: contradicted */
    } rows[] = {
        {{"4439003", "4186461", "1200000", "3.70", "6.03", "252542"}, "dcn"},
        {{"4439003", "4186461", "1200000", "3.7", "6.0", "25254"}, "dxC"},
        {{"44", "4186461", "1200000", "1.00", "6.03", "252542"}, "dxC"},
        {{"7409", "131879", "153", "48.42", "-94.38", "-124470"}, "dcn"},
        {{"7409", "131879", "153", "48.4", "-94.3", "-12447"}, "xDC"},
        {{"100", "0", "0", "999.99", "100.00", "100"}, "dcn"},
        {{"100", "0", "0", "999.9", "100", "100.00"}, "cnD"},
        {{"5", "10", "100", "1.00", "-50.00", "-5"}, "dcn"},
        {{"5", "10", "100", "0.05", "-50", "-5"}, "dcn"},
        {{"999995", "10", "1000", "999.99", NULL, NULL}, "d"},
        {{"5000000", "1", "10", "999.99", NULL, "4999999"}, "dn"},
        {{"1005", "1000", "1000", "1.01", "0.50", NULL}, "dc"},
        {{"1005", "1000", "1000", "1.00", "0.5", NULL}, "dc"},
        {{"0", "10", "100", "1.00", "-100", "-10"}, "dcn"},
        {{"100", "0", "0", "0", "0", "100"}, "n"},
        {{"100", "0", "50", "7.77", "0.00", "100"}, "nD"},
        {{"10", "20", "50", "7.77", "-50.01", "-10"}, "nDC"},
        {{"10", NULL, NULL, NULL, NULL, "5"}, ""},
        {{"many", "10", "x", "1.2.3", "1.234", ""}, ""},
        {{"99999999999999999999", "1", "1", "1", "1", "1"}, ""},
        {{"100000000000000", "1", "1", "999.99", "9999999999999900", "99999999999999"}, "dcn"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const dsc_short_figures_t *figures = &rows[i].figures;
        const char *got =
            apr_pstrcat(dsc_pool, dsc_short_figures_confirm(figures, DSC_SHORT_DAYS) ? "d" : "",
                        dsc_short_figures_confirm(figures, DSC_SHORT_CHANGE) ? "c" : "",
                        dsc_short_figures_confirm(figures, DSC_SHORT_CURRENT) ? "n" : "",
                        dsc_short_figures_contradict(figures, DSC_SHORT_DIFFERENCE) ? "x" : "",
                        dsc_short_figures_contradict(figures, DSC_SHORT_DAYS) ? "D" : "",
                        dsc_short_figures_contradict(figures, DSC_SHORT_CHANGE) ? "C" : "", NULL);

        check(figures->current, got, rows[i].expected);
    }
}

void dsc_suite_market_files(void)
{
    CU_pSuite suite = CU_add_suite("files of market data", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "codes", test_codes);
    CU_add_test(suite, "spellings", test_spellings);
    CU_add_test(suite, "FINRA's spellings", test_finra_spellings);
    CU_add_test(suite, "prices on both sides of a split", test_price_basis);
    CU_add_test(suite, "several dividends of a day", test_seen_dividends);
    CU_add_test(suite, "many dividends of a day", test_many_of_a_day);
    CU_add_test(suite, "prices", test_prices);
    CU_add_test(suite, "figures that FINRA computes", test_short_figures);
}
