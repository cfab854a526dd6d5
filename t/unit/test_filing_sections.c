#include "import/filing_sections.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <string.h>

/* "key|title|text;..." of all sections. */
static const char *outline(const char *text, dsc_report_t report)
{
    apr_array_header_t *sections = dsc_find_sections(dsc_pool, text, report);
    const char *result = "";
    int i;

    for (i = 0; i < sections->nelts; i++) {
        const dsc_section_t *section = &APR_ARRAY_IDX(sections, i, dsc_section_t);

        result = apr_psprintf(dsc_pool, "%s%s|%s|%.*s;", result, section->key, section->title,
                              (int)(section->end - section->start), text + section->start);
    }
    return result;
}

static void check(const char *text, dsc_report_t report, const char *expected)
{
    CU_ASSERT_STRING_EQUAL(outline(text, report), expected);
}

static void test_forms(void)
{
    CU_ASSERT_EQUAL(dsc_report_of("10-K"), DSC_REPORT_10K);
    CU_ASSERT_EQUAL(dsc_report_of("10-K405/A"), DSC_REPORT_10K);
    CU_ASSERT_EQUAL(dsc_report_of("10-QSB"), DSC_REPORT_10Q);
    CU_ASSERT_EQUAL(dsc_report_of("8-K/A"), DSC_REPORT_8K);
    CU_ASSERT_EQUAL(dsc_report_of("S-8"), DSC_REPORT_NONE);
    CU_ASSERT_EQUAL(dsc_report_of("NT 10-K"), DSC_REPORT_NONE);
}

static void test_current_report(void)
{
    check("Cover\n\nItem 2.02. Results of Operations and Financial Condition.\nSales rose.\n\n"
          "ITEM 9.01 \xE2\x80\x93 Exhibits\n(d) none\n\nSIGNATURE\n\nA. Reed\n",
          DSC_REPORT_8K,
          "item_2_02|Results of Operations and Financial Condition|Item 2.02. Results of "
          "Operations and Financial Condition.\nSales rose.;"
          "item_9_01|Exhibits|ITEM 9.01 \xE2\x80\x93 Exhibits\n(d) none;");
    check("Items 1 through 4 Not Applicable.\n\nItem 5.     OTHER EVENTS.\n\nA thing.\n",
          DSC_REPORT_8K, "item_5|OTHER EVENTS|Item 5.     OTHER EVENTS.\n\nA thing.;");
    check("Item 4.02\nNon-Reliance on Statements\n\nx", DSC_REPORT_8K,
          "item_4_02|Non-Reliance on Statements|Item 4.02\nNon-Reliance on Statements\n\nx;");
    check("Section 5 \xE2\x80\x93 Corporate Governance and Management\nItem 5.02. Departure\nx",
          DSC_REPORT_8K, "item_5_02|Departure|Item 5.02. Departure\nx;");
    check("Nothing here.", DSC_REPORT_8K, "");
    check("", DSC_REPORT_8K, "");
}

static void test_titles(void)
{
    check("ITEM 4.02 NON-RELIANCE ON PREVIOUSLY ISSUED STATEMENTS OR A RELATED\n"
          "          AUDIT REPORT\n\nWe erred.\n",
          DSC_REPORT_8K,
          "item_4_02|NON-RELIANCE ON PREVIOUSLY ISSUED STATEMENTS OR A RELATED AUDIT REPORT|"
          "ITEM 4.02 NON-RELIANCE ON PREVIOUSLY ISSUED STATEMENTS OR A RELATED\n"
          "          AUDIT REPORT\n\nWe erred.;");
    check("Item 5. Other Events. On 1 July the company sold its kiln.\n", DSC_REPORT_8K,
          "item_5|Other Events|Item 5. Other Events. On 1 July the company sold its kiln.;");
}

static const char annual[] =
    "NORTHLIGHT KETTLES INC\n\nTABLE OF CONTENTS\n\nPART I\nItem 1.\tBusiness\t3\n"
    "Item 1A.\tRisk Factors\t9\nItem 2.\tProperties\t12\nPART II\nItem 7.\tDiscussion\t20\n"
    "Item 16.\tForm 10-K Summary\t60\n\n"
    "This report looks ahead, and whoever reads it should not rely on what it says of days to "
    "come, for they may turn out otherwise than anybody expected when this was written down.\n\n"
    "PART I\n\nItem 1. Business\n\nWe make kettles, as described in\nItem 7. Discussion and "
    "elsewhere.\n\nItem 1A. Risk Factors\n\nWater may run out. See Item 7 of this report.\n"
    "Item 7 of this report says more.\n\nItem 2. Properties\n\nOne shed.\n\nPART II\n\n"
    "Item 7. Discussion\n\nSales rose.\n\nItem 7. Discussion (continued)\n\nThey fell.\n\n"
    "Item 16. Form 10-K Summary\n\nNone.\n\nSIGNATURES\n\nA. Reed\n";

static void test_annual_report(void)
{
    check(annual, DSC_REPORT_10K,
          "item_1|Business|Item 1. Business\n\nWe make kettles, as described in\nItem 7. "
          "Discussion and elsewhere.;"
          "item_1a|Risk Factors|Item 1A. Risk Factors\n\nWater may run out. See Item 7 of this "
          "report.\nItem 7 of this report says more.;"
          "item_2|Properties|Item 2. Properties\n\nOne shed.;"
          "item_7|Discussion|Item 7. Discussion\n\nSales rose.\n\nItem 7. Discussion (continued)"
          "\n\nThey fell.;"
          "item_16|Form 10-K Summary|Item 16. Form 10-K Summary\n\nNone.;");
    check("Items 1 and 2. Business and Properties\n\nBoth.\n", DSC_REPORT_10K,
          "item_1|Business and Properties|Items 1 and 2. Business and Properties\n\nBoth.;");
}

static void test_quarterly_report(void)
{
    check("PART I. FINANCIAL INFORMATION\n\nItem 1. Financial Statements\n\nTables.\n\n"
          "PART I\n\nItem 2. Discussion\n\nWords.\n\nPART II - OTHER INFORMATION\n\n"
          "Item 1. Legal Proceedings\n\nNone.\n\nItem 1A. Risk Factors\n\nMany.\n",
          DSC_REPORT_10Q,
          "part1_item_1|Financial Statements|Item 1. Financial Statements\n\nTables.\n\nPART I;"
          "part1_item_2|Discussion|Item 2. Discussion\n\nWords.;"
          "part2_item_1|Legal Proceedings|Item 1. Legal Proceedings\n\nNone.;"
          "part2_item_1a|Risk Factors|Item 1A. Risk Factors\n\nMany.;");
    /* parts without headings are told by the titles */
    check("Item 1. Financial Statements\n\nTables.\n\nItem 1. Legal Proceedings\n\nNone.\n",
          DSC_REPORT_10Q,
          "part1_item_1|Financial Statements|Item 1. Financial Statements\n\nTables.;"
          "part2_item_1|Legal Proceedings|Item 1. Legal Proceedings\n\nNone.;");
    check("Part II, Item 4. Votes\n\nNine.\n", DSC_REPORT_10Q,
          "part2_item_4|Votes|Part II, Item 4. Votes\n\nNine.;");
}

static void test_offsets_in_characters(void)
{
    const char *text = "\xE2\x80\x9Cx\xE2\x80\x9D\n\nItem 2.02. Caf\xC3\xA9\ny\n\n"
                       "Item 9.01. \"Z\"\n";
    const char *json =
        dsc_sections_json(dsc_pool, text, dsc_find_sections(dsc_pool, text, DSC_REPORT_8K));

    CU_ASSERT_STRING_EQUAL(
        json, "[{\"key\":\"item_2_02\",\"title\":\"Caf\xC3\xA9\",\"char_start\":5,\"char_end\":22},"
              "{\"key\":\"item_9_01\",\"title\":\"\\\"Z\\\"\",\"char_start\":24,\"char_end\":38}]");
    CU_ASSERT_STRING_EQUAL(dsc_sections_json(dsc_pool, "",
                                             dsc_find_sections(dsc_pool, "", DSC_REPORT_8K)),
                           "[]");
}

void dsc_suite_filing_sections(void)
{
    CU_pSuite suite = CU_add_suite("filing sections", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "forms", test_forms);
    CU_add_test(suite, "current report", test_current_report);
    CU_add_test(suite, "titles", test_titles);
    CU_add_test(suite, "annual report", test_annual_report);
    CU_add_test(suite, "quarterly report", test_quarterly_report);
    CU_add_test(suite, "offsets in characters", test_offsets_in_characters);
}
