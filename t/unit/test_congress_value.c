#include "sources/congress/congress_date.h"
#include "sources/congress/congress_value.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <string.h>

typedef const char *reader_t(apr_pool_t *pool, const char *text);

/* Pairs of what a source has and what is made of it, NULL for nothing. */
static void check(reader_t *reader, const char *const (*pairs)[2], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *made = reader(dsc_pool, pairs[i][0]);
        if (pairs[i][1] == NULL) {
            CU_ASSERT_PTR_NULL(made);
        } else {
            CU_ASSERT_PTR_NOT_NULL_FATAL(made);
            CU_ASSERT_STRING_EQUAL(made, pairs[i][1]);
        }
    }
}

#define CHECK(reader, pairs) check(reader, pairs, sizeof(pairs) / sizeof((pairs)[0]))

static void test_texts(void)
{
    static const char *const texts[][2] = {
        {NULL, NULL},
        {"", NULL},
        {" -- ", NULL},
        {"N/A", NULL},
        {"  Apple   Inc.\n", "Apple Inc."},
        {"AT&T Inc.", "AT&T Inc."},
        {"R&D < $1,000", "R&D < $1,000"},
        {"OWENS &amp; MINOR <div class=\"text-muted\"><em>Rate/Coupon:</em> 3.875%<br> "
         "<em>Matures:</em> 09/15/2021</div>",
         "OWENS & MINOR Rate/Coupon: 3.875% Matures: 09/15/2021"},
        {"W.L. Gore &amp; Associates, Inc. &nbsp;(Newark, DE)",
         "W.L. Gore & Associates, Inc. (Newark, DE)"},
        {"McDonald&amp;apos;s Corp.", "McDonald's Corp."},
        {"BBT (Exchanged) <br> Truist (Received)", "BBT (Exchanged) Truist (Received)"},
        {"caf\xC3\xA9 &#233;", "caf\xC3\xA9 \xC3\xA9"},
    };
    CHECK(dsc_congress_text, texts);
}

static void test_tickers(void)
{
    static const char *const tickers[][2] = {
        {NULL, NULL},
        {"--", NULL},
        {"N/A", NULL},
        {"aapl", "AAPL"},
        {"BRK.B", "BRK-B"},
        {"brk/b", "BRK-B"},
        {"BRK-B", "BRK-B"},
        {"BRKB", "BRKB"},
        {"RDSA.AS", "RDSA.AS"},
        {"DD-PA", "DD-PA"},
        {"^MWE", "^MWE"},
        {"<a href=\"https://finance.yahoo.com/q?s=FOXA\" target=\"_blank\">FOXA</a>", "FOXA"},
        {"--      <br>    <a href=\"https://finance.yahoo.com/q?s=DWDP\">DWDP</a>", "DWDP"},
        {"<a href=\"x\">LIN</a>   <br>  <a href=\"x\">PX</a>", "LIN"},
    };
    CHECK(dsc_congress_ticker, tickers);
}

static void test_owners_and_types(void)
{
    static const char *const owners[][2] = {
        {NULL, NULL},           {"--", NULL},
        {"N/A", NULL},          {"Self", "self"},
        {"SP", "spouse"},       {"JT", "joint"},
        {"DC", "child"},        {"Child", "child"},
        {"dependent", "child"}, {"Dependent Child", "child"},
        {"Trust A", "trust a"},
    };
    static const char *const types[][2] = {
        {NULL, "unknown"},
        {"N/A", "unknown"},
        {"Purchase", "purchase"},
        {"P", "purchase"},
        {"Sale", "sale"},
        {"Sale (Full)", "sale"},
        {"sale_full", "sale"},
        {"Sale (Partial)", "sale_partial"},
        {"sale_partial", "sale_partial"},
        {"S (partial)", "sale_partial"},
        {"Exchange", "exchange"},
        {"Received", "unknown"},
    };
    CHECK(dsc_congress_owner, owners);
    CHECK(dsc_congress_type, types);
}

static void test_dates(void)
{
    static const char *const dates[][2] = {
        {NULL, NULL},
        {"", NULL},
        {"--", NULL},
        {"03/16/2026", "2026-03-16"},
        {"2/4/2024", "2024-02-04"},
        {" 12/31/2023 ", "2023-12-31"},
        {"2020-02-24", "2020-02-24"},
        {"2020-02-24T00:00:00", "2020-02-24"},
        {"02/29/2024", "2024-02-29"},
        {"02/29/2023", NULL},
        {"30/01/2025", NULL},
        {"01/02/20", NULL},
        {"01/02/20245", NULL},
        {"20221-11-18", NULL},
        {"2020-02-241", NULL},
        {"3/4", NULL},
        {"03/28/1935", "1935-03-28"},
    };
    CHECK(dsc_congress_date, dates);
}

static void test_dates_that_cannot_be(void)
{
    dsc_congress_report_t report;

    memset(&report, 0, sizeof(report));
    CU_ASSERT_TRUE(dsc_congress_can_be(&report, DSC_CONGRESS_FIRST_TRADES, "2001-02-03"));
    CU_ASSERT_FALSE(dsc_congress_can_be(&report, DSC_CONGRESS_FIRST_TRADES, "1999-12-31"));
    CU_ASSERT_FALSE(dsc_congress_can_be(&report, DSC_CONGRESS_FIRST_REPORTS, "2012-04-03"));
    CU_ASSERT_FALSE(dsc_congress_can_be(&report, DSC_CONGRESS_FIRST_REPORTS, "2202-01-01"));
    report.year = 2025;
    CU_ASSERT_TRUE(dsc_congress_can_be(&report, DSC_CONGRESS_FIRST_REPORTS, "2025-12-31"));
    CU_ASSERT_FALSE(dsc_congress_can_be(&report, DSC_CONGRESS_FIRST_REPORTS, "2026-01-01"));
    CU_ASSERT_FALSE(dsc_congress_can_be(&report, DSC_CONGRESS_FIRST_TRADES, "2035-09-25"));
}

static void test_reports(void)
{
    static const struct {
        const char *address, *id;
        int year;
    } reports[] = {
        {"https://efdsearch.senate.gov/search/view/ptr/5608A629-e412-4ab9-bb37-f55b003dd6ed/",
         "5608a629-e412-4ab9-bb37-f55b003dd6ed", 0},
        {"https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/2026/20034201.pdf", "20034201",
         2026},
        {"https://x.example/2024/20034201.PDF?a=1#b", "20034201", 2024},
        {"", NULL, 0},
        {"--", NULL, 0},
        {"https://x.example/none", NULL, 0},
        {"https://x.example/a b1", NULL, 0},
    };

    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        int year = -1;
        const char *id = dsc_congress_report_id(dsc_pool, reports[i].address, &year);
        CU_ASSERT_EQUAL(year, reports[i].year);
        if (reports[i].id == NULL) {
            CU_ASSERT_PTR_NULL(id);
        } else {
            CU_ASSERT_PTR_NOT_NULL_FATAL(id);
            CU_ASSERT_STRING_EQUAL(id, reports[i].id);
        }
    }
}

void dsc_suite_congress_value(void)
{
    CU_pSuite suite = CU_add_suite("values of transaction reports", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "texts", test_texts);
    CU_add_test(suite, "tickers", test_tickers);
    CU_add_test(suite, "owners and types", test_owners_and_types);
    CU_add_test(suite, "dates", test_dates);
    CU_add_test(suite, "dates that cannot be", test_dates_that_cannot_be);
    CU_add_test(suite, "reports", test_reports);
}
