#include "engine/buffer.h"
#include "sources/sec_filing/filing_sections.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <string.h>
#include <strings.h>

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

/* "key|title;..." of all sections. */
static void check_headings(const char *text, dsc_report_t report, const char *expected)
{
    apr_array_header_t *sections = dsc_find_sections(dsc_pool, text, report);
    const char *result = "";
    int i;

    for (i = 0; i < sections->nelts; i++) {
        const dsc_section_t *section = &APR_ARRAY_IDX(sections, i, dsc_section_t);

        result = apr_pstrcat(dsc_pool, result, section->key, "|", section->title, ";", NULL);
    }
    CU_ASSERT_STRING_EQUAL(result, expected);
}

#define NBSP "\xC2\xA0"

static void test_spellings(void)
{
    static const char *const controls[] = {"Item 9A(T). Controls and Procedures",
                                           "ITEM 9A (T). CONTROLS AND PROCEDURES",
                                           "Item 9A[T] - Controls and Procedures",
                                           "ITEM 9AT. Controls and Procedures",
                                           "Item" NBSP "9A(T)." NBSP NBSP "Controls and" NBSP
                                           "Procedures",
                                           "Item 9A(T)\n\nControls and Procedures"};
    static const char *const risks[] = {"Item 7A. Market Risk",
                                        "ITEM 7A: Market Risk",
                                        "Item 7A \xE2\x80\x94 Market Risk",
                                        "Item 7A \xE2\x80\x93 Market Risk",
                                        "Item 7A.Market Risk",
                                        "Item 7A\tMarket Risk",
                                        "Item 7 A. Market Risk",
                                        "Item No. 7A. Market Risk",
                                        "Item7A. Market Risk",
                                        "ITEM" NBSP "7A." NBSP "Market Risk",
                                        "\xE2\x80\x82Item\xE2\x80\x83"
                                        "7A. Market Risk",
                                        "Part II, Item 7A. Market Risk",
                                        "PART II \xE2\x80\x93 ITEM 7A. Market Risk",
                                        "Item 7A.\nMarket Risk",
                                        "Item 7A. Market Risk\n-------------------",
                                        "Item 7a. Market Risk.",
                                        "Item 7A. \xE2\x80\xA2 Market Risk"};
    size_t i;

    for (i = 0; i < sizeof(controls) / sizeof(controls[0]); i++) {
        apr_array_header_t *sections =
            dsc_find_sections(dsc_pool,
                              apr_pstrcat(dsc_pool, "Item 9. Changes\n\nNone.\n\n", controls[i],
                                          "\n\nThey work.\n\nItem 9B. Other Information\n\nNone.\n",
                                          NULL),
                              DSC_REPORT_10K);

        CU_ASSERT_EQUAL_FATAL(sections->nelts, 3);
        CU_ASSERT_STRING_EQUAL(APR_ARRAY_IDX(sections, 1, dsc_section_t).key, "item_9a_t");
        CU_ASSERT_STRING_EQUAL(APR_ARRAY_IDX(sections, 1, dsc_section_t).item, "9A(T)");
        CU_ASSERT_EQUAL(strcasecmp(APR_ARRAY_IDX(sections, 1, dsc_section_t).title,
                                   "Controls and Procedures"),
                        0);
    }
    for (i = 0; i < sizeof(risks) / sizeof(risks[0]); i++) {
        check_headings(apr_pstrcat(dsc_pool, "Item 7. Discussion\n\nSales rose.\n\n", risks[i],
                                   "\n\nRates may rise.\n", NULL),
                       DSC_REPORT_10K, "item_7|Discussion;item_7a|Market Risk;");
    }
    /* both of them, and numbers that no form has */
    check_headings("Item 9A. Controls\n\na.\n\nItem 9A(T). Controls\n\nb.\n\nItem 17. X\n\nc.\n\n"
                   "Item 405. Y\n\nd.\n",
                   DSC_REPORT_10K, "item_9a|Controls;item_9a_t|Controls;");
    check_headings(
        "Items 1.01(a) and 5.02(e) Amendment of an Agreement;\nItem 2.03 An Obligation\n"
        "a.\nITEM 9.01(d). Exhibits\nItem 7. Discussion\nb.\n",
        DSC_REPORT_8K,
        "item_1_01|Amendment of an Agreement;;item_2_03|An Obligation;item_9_01|Exhibits;");
}

static void test_wrapped_headings(void)
{
    check_headings(
        "ITEM 14. EXHIBITS, FINANCIAL STATEMENT SCHEDULES, AND\n         REPORTS ON FORM 8-K\n\n(a) x\n",
        DSC_REPORT_10K,
        "item_14|EXHIBITS, FINANCIAL STATEMENT SCHEDULES, AND REPORTS ON FORM 8-K;");
    check_headings(
        "Item 14. Exhibits, Financial Statement Schedules and\n\n         Reports on Form 8-K\n\n(a) x\n",
        DSC_REPORT_10K, "item_14|Exhibits, Financial Statement Schedules and Reports on Form 8-K;");
    check_headings("Item 12. Security Ownership of Owners and\n--------------------------\n"
                   "Related Matters\n---------------\n\nNone.\n",
                   DSC_REPORT_10K, "item_12|Security Ownership of Owners and Related Matters;");
    check_headings(
        "Item 7. Management's Discussion and Analysis of Financial Condition\n  and Results of\n"
        "  Operations\n\nSales rose.\n",
        DSC_REPORT_10K,
        "item_7|Management's Discussion and Analysis of Financial Condition and Results of Operations;");
    /* what follows is no part of the heading */
    check_headings(
        "ITEM 1. BUSINESS\nGENERAL\nWe make kettles.\n\nItem 1A. Risk Factors\nWater and\nfire.\n\n"
        "ITEM 11. EXECUTIVE COMPENSATION\n\nDIRECTOR COMPENSATION\n\nNone.\n",
        DSC_REPORT_10K, "item_1|BUSINESS;item_1a|Risk Factors;item_11|EXECUTIVE COMPENSATION;");
    check_headings("Item 5. Market for Common Equity and\nItem 6. [Reserved]\nx.\n", DSC_REPORT_10K,
                   "item_5|Market for Common Equity and;item_6|[Reserved];");
}

#define LONG_ENTRY                                                                                   \
    "\tCondensed Consolidated Statements of Operations and Comprehensive Loss for the periods from " \
    "July 1, 2023 to July 21, 2023 (Predecessor) (Unaudited)"

static void test_contents(void)
{
    /* an entry that the report does not have is no section; here page numbers are on lines of their
     * own */
    check_headings(
        "Item 1.\tBusiness\n3\nItem 1A.\tRisk Factors\n9\nItem 1B.\tStaff Comments\n11\nItem 2.\tProperties\n12\n"
        "Signatures\n20\n\nPART I\n\nItem 1. Business\n\nKettles.\n\nItem 1A. Risk Factors\n\nWater.\n\n"
        "Item 2. Properties\n\nOne shed.\n",
        DSC_REPORT_10K, "item_1|Business;item_1a|Risk Factors;item_2|Properties;");
    /* leaders, wrapped entries, and entries below items */
    check_headings(
        "Item 1. Business . . . . . . . . . 3\n   Competition . . . . . 4\nItem 1B. Staff Comments ....... 5\n"
        "Item 5. Market for the Registrant's Common\n   Equity . . . . 12\nItem 7. Discussion F-1\n\n"
        "Item 1. Business\n\nKettles.\n\nItem 5. Market\n\nNone.\n",
        DSC_REPORT_10K, "item_1|Business;item_5|Market;");
    /* without page numbers, the items come again */
    check_headings(
        "PART I\nItem 1. Business\nItem 1B. Staff Comments\nItem 2. Properties\nPART II\nItem 5. Market\n"
        "PART I\nItem 1. Business\nKettles.\nItem 2. Properties\nOne shed.\nPART II\nItem 5. Market\nNone.\n",
        DSC_REPORT_10K, "item_1|Business;item_2|Properties;item_5|Market;");
    /* an index of pages alone holds no text */
    check_headings(
        "Item 1. Business\t3-9, 12\nItem 2. Properties\t10\nItem 3. Legal Proceedings\t11\n\nAppendix\n",
        DSC_REPORT_10K, "");
    /* short answers are no contents */
    check_headings(
        "PART II\n\nItem 3. Defaults\nNone.\nItem 4. Mine Safety\nNot applicable\nItem 5. Other\nNone\n"
        "Item 6. Exhibits\n31.1\n",
        DSC_REPORT_10Q,
        "part2_item_3|Defaults;part2_item_4|Mine Safety;part2_item_5|Other;part2_item_6|Exhibits;");
    check_headings(
        "Part II\nItem 1. Legal Proceedings - None\nItem 2. Sales: Not applicable\nItem 3. Defaults - None\n"
        "Item 5. Other - None\nItem 6. Exhibits - None\n",
        DSC_REPORT_10Q,
        "part2_item_1|Legal Proceedings - None;part2_item_2|Sales: Not applicable;"
        "part2_item_3|Defaults - None;part2_item_5|Other - None;part2_item_6|Exhibits - None;");
    /* the contents say nothing of the part in which the report begins */
    check_headings(
        "Part I\nItem 1.\tStatements\nIncome\t3\nItem 2.\tManagement's Discussion\t24\nPart II\n"
        "Item 1.\tLegal Proceedings\t37\nItem 6.\tExhibits\t38\n\nStatements of Income\n1 2\n"
        "Item 2. Management's Discussion\nSales rose.\nPART II. OTHER INFORMATION\nItem 1. Legal Proceedings\nNone.\n"
        "Item 6. Exhibits\n31.1\n",
        DSC_REPORT_10Q,
        "part1_item_2|Management's Discussion;part2_item_1|Legal Proceedings;part2_item_6|Exhibits;");
    check_headings(
        "Part I\n1\tBusiness\t1\nPart II\n5\tMarket\t21\nPart III\n10\tDirectors\t30\n\nPart I\nItem 1. Business\n"
        "Kettles.\nPart II\nItem 5. Market\nNone.\n",
        DSC_REPORT_10K, "item_1|Business;item_5|Market;");
    /* long entries below an item, whose page numbers are on lines of their own */
    check(
        "Part I\nItem 1.\tStatements\t1\n" LONG_ENTRY "\n\n\t2\n" LONG_ENTRY "\n\n\t3\n"
        "Item 2.\tDiscussion\t40\nItem 4.\tControls\t58\nPart II\nItem 6.\tExhibits\t60\n\n"
        "PART I\n\nItem 1. Statements\n\nCash, 5.\n\nItem 2. Discussion\n\nSales rose.\n\nPART II\n\nItem 6. Exhibits\n\n31.1\n",
        DSC_REPORT_10Q,
        "part1_item_1|Statements|Item 1. Statements\n\nCash, 5.;"
        "part1_item_2|Discussion|Item 2. Discussion\n\nSales rose.;"
        "part2_item_6|Exhibits|Item 6. Exhibits\n\n31.1;");
    /* a long line without a page number is text */
    check_headings("Item 1. Business\t1\n" LONG_ENTRY "\n\nItem 2. Properties\t2\nOne shed.\n"
                   "Item 3. Legal Proceedings\t3\nNone.\n",
                   DSC_REPORT_10K, "item_1|Business;item_2|Properties;item_3|Legal Proceedings;");
}

static void test_references(void)
{
    static const char *const lines[] = {
        "risk factors that are described above under the heading\nItem 1A. Risk Factors\nand elsewhere.",
        "and see\nItem 1A. Risk Factors above.",
        "described in Part I,\nItem 1A. Risk Factors.",
        "They are told below.\nItem 1A above tells of them.",
        "They are told.\nItem 1A, \"Risk Factors\" tells of them.",
        "They are told.\nItem 1A. Risk Factors of this report tells of them.",
        "They are told.\nItem 1A. Risk Factors in our Annual Report on Form 10-K for 2007",
        "They are told in these two places of the report, which say\nItem 1A. Risk Factors, Water, and other places\nas well as here."
        "\nMore."};
    size_t i;

    for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        check_headings(apr_pstrcat(dsc_pool, "Item 1. Business\n\nKettles have risks. ", lines[i],
                                   "\n\nItem 2. Properties\n\nOne shed.\n", NULL),
                       DSC_REPORT_10K, "item_1|Business;item_2|Properties;");
    }
    /* of two places the one in the forms' order is the heading */
    check(
        "Item 1. Business\n\nKettles.\n\nItem 7. Discussion\n\nThis section is told further below, at some length, so that all "
        "may know of it.\n\nItem 2. Properties\n\nOne shed.\n\nItem 7. Discussion\n\nSales rose.\n",
        DSC_REPORT_10K,
        "item_1|Business|Item 1. Business\n\nKettles.\n\nItem 7. Discussion\n\nThis section is told further below, at some "
        "length, so that all may know of it.;item_2|Properties|Item 2. Properties\n\nOne shed.;"
        "item_7|Discussion|Item 7. Discussion\n\nSales rose.;");
    /* items out of their order are items */
    check_headings("Item 9.01 Exhibits\n\nx.\n\nItem 2.02 Results\n\ny.\n", DSC_REPORT_8K,
                   "item_9_01|Exhibits;item_2_02|Results;");
}

static void test_parts(void)
{
    /* parts are repeated at the top of pages; the second one may have no heading */
    check_headings(
        "PART I\n\nItem 1. Financial Statements\n\na.\n\nPART I\n\nItem 1. Financial Statements (continued)\n\nb.\n\n"
        "Item 4. Controls and Procedures\n\nc.\n\nItem 1. Legal Proceedings\n\nd.\n\nItem 1A. Risk Factors\n\ne.\n",
        DSC_REPORT_10Q,
        "part1_item_1|Financial Statements;part1_item_4|Controls and Procedures;"
        "part2_item_1|Legal Proceedings;part2_item_1a|Risk Factors;");
    /* a reference to another part begins none */
    check_headings(
        "PART I\n\nItem 1. Financial Statements\n\nThe risks are told.\nPart II, Item 1A of this report tells more.\n\n"
        "Item 2. Discussion\n\nb.\n",
        DSC_REPORT_10Q, "part1_item_1|Financial Statements;part1_item_2|Discussion;");
}

/* A text of nothing but headings takes no time worth telling. */
static void test_many_headings(void)
{
    dsc_buffer_t *text = dsc_buffer_create(dsc_pool, 1 << 20);
    int i;

    for (i = 0; i < 50000; i++) {
        dsc_buffer_append_text(text, i % 2 ? "Item 1. Business\n\nKettles.\n"
                                           : "Item 2. Properties\n\nSheds.\n");
    }
    check_headings(dsc_buffer_text(text), DSC_REPORT_10K, "");
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
    CU_add_test(suite, "spellings", test_spellings);
    CU_add_test(suite, "wrapped headings", test_wrapped_headings);
    CU_add_test(suite, "contents", test_contents);
    CU_add_test(suite, "references", test_references);
    CU_add_test(suite, "parts", test_parts);
    CU_add_test(suite, "many headings", test_many_headings);
    CU_add_test(suite, "offsets in characters", test_offsets_in_characters);
}
