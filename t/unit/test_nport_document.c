#include "formats/sgml_submission.h"
#include "sources/sec_nport/nport_document.h"
#include "sources/sec_nport/nport_submission.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <string.h>

static const char *reason;

#define HEAD                                                                                       \
    "<?xml version=\"1.0\"?>\n<x:edgarSubmission xmlns:x=\"http://www.sec.gov/edgar/nport\""       \
    " xmlns:y=\"http://www.sec.gov/edgar/nportcommon\">\n"                                         \
    "<x:headerData><x:submissionType>NPORT-P</x:submissionType><x:filerInfo><x:filer>"             \
    "<x:issuerCredentials><x:cik>0009900001</x:cik></x:issuerCredentials></x:filer>"               \
    "<x:seriesClassInfo><x:seriesId>S000099001</x:seriesId><x:classId>C000099001</x:classId>"      \
    "<x:classId>C000099002</x:classId></x:seriesClassInfo></x:filerInfo></x:headerData>\n"         \
    "<x:formData><x:genInfo><x:regName>Kettle &amp; Sons  Trust</x:regName>"                       \
    "<x:regFileNumber>811-99001</x:regFileNumber><x:regLei>N/A</x:regLei>"                         \
    "<x:seriesName>N/A</x:seriesName><x:seriesId>S000099001</x:seriesId>"                          \
    "<x:repPdEnd>2024-12-31</x:repPdEnd><x:repPdDate>2024-03-31</x:repPdDate>"                     \
    "<x:isFinalFiling>N</x:isFinalFiling></x:genInfo>\n"
#define FUND                                                                                       \
    "<x:fundInfo><x:totAssets>12.50</x:totAssets><x:totLiabs>0.0</x:totLiabs>"                     \
    "<x:netAssets>-12.5</x:netAssets><x:borrowers><x:borrower name=\"a\"/></x:borrowers>"          \
    "</x:fundInfo>\n"
#define HOLDING                                                                                    \
    "<x:invstOrSecs><x:invstOrSec><x:name>Harbour Ltd</x:name><x:lei>N/A</x:lei>"                  \
    "<x:title>Harbour</x:title><x:cusip>g1234e567</x:cusip><x:identifiers>"                        \
    "<x:isin value=\" us0378331005 \"/><x:ticker value=\"hbr\"/><x:ticker value=\"HBR LN\"/>"      \
    "<x:other otherDesc=\"Internal\" value=\"7\"/></x:identifiers>"                                \
    "<x:balance>1000.0</x:balance><x:units>NS</x:units>"                                           \
    "<x:currencyConditional curCd=\"EUR\" exchangeRt=\"0.91\"/><x:valUSD>1E3</x:valUSD>"           \
    "<x:pctVal>-0.010</x:pctVal><x:payoffProfile>Long</x:payoffProfile>"                           \
    "<x:assetConditional assetCat=\"OTHER\" desc=\"Odd\"/>"                                        \
    "<x:issuerConditional issuerCat=\"OTHER\" desc=\"Who\"/><x:invCountry>GB</x:invCountry>"       \
    "<x:isRestrictedSec>Y</x:isRestrictedSec><x:fairValLevel>N/A</x:fairValLevel>"                 \
    "<x:derivativeInfo><x:fwdDeriv derivCat=\"FWD\"><x:name>nested</x:name></x:fwdDeriv>"          \
    "</x:derivativeInfo></x:invstOrSec>\n"                                                         \
    "<x:invstOrSec><x:name>N/A</x:name><x:cusip>000000000</x:cusip><x:balance>x</x:balance>"       \
    "</x:invstOrSec></x:invstOrSecs>\n"
#define TAIL                                                                                       \
    "<x:signature><y:dateSigned>2024-05-30</y:dateSigned></x:signature></x:formData>"              \
    "</x:edgarSubmission>\n"
#define WHOLE HEAD FUND HOLDING TAIL

static dsc_nport_report_t *parse(const char *xml)
{
    dsc_piece_t piece = dsc_piece_of(xml, strlen(xml));

    reason = NULL;
    return dsc_nport_parse(dsc_pool, &piece, 1, &reason);
}

static void test_facts(void)
{
    const dsc_nport_report_t *report = parse(WHOLE);

    CU_ASSERT_PTR_NOT_NULL_FATAL(report);
    CU_ASSERT_STRING_EQUAL(report->form, "NPORT-P");
    CU_ASSERT_STRING_EQUAL(report->cik, "9900001");
    CU_ASSERT_STRING_EQUAL(report->registrant_name, "Kettle & Sons Trust");
    CU_ASSERT_STRING_EQUAL(report->file_number, "811-99001");
    CU_ASSERT_PTR_NULL(report->registrant_lei);
    CU_ASSERT_PTR_NULL(report->series_name);
    CU_ASSERT_STRING_EQUAL(report->series_id, "S000099001");
    CU_ASSERT_STRING_EQUAL(report->fiscal_year_end, "2024-12-31");
    CU_ASSERT_STRING_EQUAL(report->report_date, "2024-03-31");
    CU_ASSERT_STRING_EQUAL(report->is_final, "f");
    CU_ASSERT_STRING_EQUAL(report->net_assets, "-12.5");
    CU_ASSERT_STRING_EQUAL(report->total_assets, "12.50");
    CU_ASSERT_STRING_EQUAL(report->signed_on, "2024-05-30");
    CU_ASSERT_EQUAL(report->class_ids->nelts, 2);
    CU_ASSERT_STRING_EQUAL(APR_ARRAY_IDX(report->class_ids, 1, const char *), "C000099002");
    CU_ASSERT_EQUAL(report->holding_count, 2);
}

/* Keeps copies: a holding lasts for its call alone. */
static apr_status_t keep(void *baton, apr_pool_t *pool, const dsc_nport_holding_t *holding)
{
    dsc_nport_holding_t *kept = apr_array_push(baton);

    (void)pool;
    *kept = *holding;
    for (const char **slot = &kept->location; slot <= &kept->derivative_category; slot++) {
        *slot = apr_pstrdup(dsc_pool, *slot);
    }
    return APR_SUCCESS;
}

static apr_array_header_t *holdings_of(const char *xml)
{
    apr_array_header_t *holdings = apr_array_make(dsc_pool, 2, sizeof(dsc_nport_holding_t));
    dsc_piece_t piece = dsc_piece_of(xml, strlen(xml));

    CU_ASSERT_EQUAL(dsc_nport_walk(dsc_pool, &piece, 101, keep, holdings, &reason), APR_SUCCESS);
    return holdings;
}

static void test_holding(void)
{
    apr_array_header_t *holdings = holdings_of(WHOLE);
    const dsc_nport_holding_t *one = &APR_ARRAY_IDX(holdings, 0, dsc_nport_holding_t);

    CU_ASSERT_EQUAL_FATAL(holdings->nelts, 2);
    CU_ASSERT_EQUAL(one->number, 1);
    CU_ASSERT_STRING_EQUAL(one->location, "line 106: invstOrSec 1");
    CU_ASSERT_PTR_NULL(one->error);
    CU_ASSERT_STRING_EQUAL(one->name, "Harbour Ltd");
    CU_ASSERT_PTR_NULL(one->lei);
    CU_ASSERT_STRING_EQUAL(one->cusip, "G1234E567");
    CU_ASSERT_STRING_EQUAL(one->isin, "US0378331005");
    CU_ASSERT_STRING_EQUAL(one->ticker, "HBR");
    CU_ASSERT_STRING_EQUAL(
        one->other_identifiers,
        "[{\"type\":\"ticker\",\"value\":\"HBR LN\"},{\"type\":\"Internal\",\"value\":\"7\"}]");
    CU_ASSERT_STRING_EQUAL(one->balance, "1000.0");
    CU_ASSERT_STRING_EQUAL(one->currency, "EUR");
    CU_ASSERT_STRING_EQUAL(one->exchange_rate, "0.91");
    CU_ASSERT_STRING_EQUAL(one->value, "1E3");
    CU_ASSERT_STRING_EQUAL(one->weight_pct, "-0.010");
    CU_ASSERT_STRING_EQUAL(one->asset_category, "OTHER");
    CU_ASSERT_STRING_EQUAL(one->asset_description, "Odd");
    CU_ASSERT_STRING_EQUAL(one->issuer_description, "Who");
    CU_ASSERT_STRING_EQUAL(one->is_restricted, "t");
    CU_ASSERT_PTR_NULL(one->fair_value_level);
    CU_ASSERT_STRING_EQUAL(one->derivative_category, "FWD");
}

/* Of two elements where the schema has one nobody knows which counts. */
static void test_twins(void)
{
    CU_ASSERT_PTR_NULL(parse(HEAD
                             "<x:fundInfo><x:totAssets>1</x:totAssets><x:netAssets>1</x:netAssets>"
                             "<x:netAssets>2</x:netAssets></x:fundInfo>\n" HOLDING TAIL));
    CU_ASSERT_STRING_EQUAL(reason ? reason : "", "line 5: netAssets stands more than once");
}

/* Nor of two parts, of which one would add its holdings to those of the other. */
static void test_twin_parts(void)
{
    static const struct {
        const char *xml, *reason;
    } cases[] = {
        {HEAD FUND HOLDING HOLDING TAIL, "line 8: invstOrSecs stands more than once"},
        {HEAD FUND FUND HOLDING TAIL, "line 6: fundInfo stands more than once"},
        {HEAD "<x:genInfo/>" FUND HOLDING TAIL, "line 5: genInfo stands more than once"},
        {HEAD FUND "<x:signature/>" TAIL, "line 6: signature stands more than once"},
        {HEAD "</x:formData><x:formData>" FUND TAIL, "line 5: formData stands more than once"},
        {"<edgarSubmission><headerData><filerInfo><seriesClassInfo><seriesId/><seriesId/>"
         "</seriesClassInfo></filerInfo></headerData></edgarSubmission>",
         "line 1: seriesId stands more than once"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_PTR_NULL(parse(cases[i].xml));
        CU_ASSERT_STRING_EQUAL(reason ? reason : "", cases[i].reason);
    }
}

static void test_twins_of_holding(void)
{
    static const char *const parts[] = {"identifiers", "derivativeInfo"};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *xml = apr_psprintf(
            dsc_pool,
            "%s<x:invstOrSecs><x:invstOrSec><x:%s/><x:%s/></x:invstOrSec></x:invstOrSecs>%s", HEAD,
            parts[i], parts[i], TAIL);
        const dsc_nport_holding_t *one = &APR_ARRAY_IDX(holdings_of(xml), 0, dsc_nport_holding_t);

        CU_ASSERT_STRING_EQUAL(one->error ? one->error : "",
                               apr_pstrcat(dsc_pool, parts[i], " stands more than once", NULL));
    }
}

static void test_faulty_holding(void)
{
    const dsc_nport_holding_t *two = &APR_ARRAY_IDX(holdings_of(WHOLE), 1, dsc_nport_holding_t);

    CU_ASSERT_STRING_EQUAL(two->error, "balance \"x\" is not a number");
    CU_ASSERT_STRING_EQUAL(two->sample, "x");
    CU_ASSERT_PTR_NULL(two->name);
    CU_ASSERT_PTR_NULL(two->cusip);
    CU_ASSERT_PTR_NULL(two->other_identifiers);
}

static void test_refused(void)
{
    static const struct {
        const char *xml, *reason;
    } cases[] = {
        {"", "line 1: the document is cut off, or goes on behind its end"},
        {"x", "line 1: the document is cut off, or goes on behind its end"},
        {HEAD FUND, "line 5: the document is cut off, or goes on behind its end"},
        {"<edgarSubmission/>", "there is no submissionType"},
        {"<!DOCTYPE a><edgarSubmission/>", "line 1: a document type declaration is not accepted"},
        {"<informationTable/>",
         "line 1: the root element is informationTable, not edgarSubmission"},
        {"<edgarSubmission><headerData><submissionType>13F-HR</submissionType></headerData>"
         "</edgarSubmission>",
         "submissionType 13F-HR: NPORT-P and NPORT-P/A alone are public"},
        {HEAD "<x:fundInfo><x:netAssets>1,5</x:netAssets></x:fundInfo>" TAIL,
         "line 5: netAssets \"1,5\" is not a number"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_PTR_NULL(parse(cases[i].xml));
        CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
        CU_ASSERT_STRING_EQUAL(reason, cases[i].reason);
    }
    CU_ASSERT_PTR_NULL(parse(dsc_swollen("edgarSubmission", 40000)));
    CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
    CU_ASSERT_STRING_EQUAL(reason, "line 2: an element with more than 1000 attributes");
}

#define SUBMISSION                                                                                 \
    "<SEC-DOCUMENT>0009900001-24-000007.txt : 20240530\r\n"                                        \
    "<SEC-HEADER>0009900001-24-000007.hdr.sgml : 20240530\r\n"                                     \
    "<ACCEPTANCE-DATETIME>20240530170102\r\n"                                                      \
    "ACCESSION NUMBER:\t\t0009900001-24-000007\r\nCONFORMED SUBMISSION TYPE:\tNPORT-P\r\n"         \
    "FILED AS OF DATE:\t\t20240531\r\n\r\nFILER:\r\n\r\n\tCOMPANY DATA:\r\n"                       \
    "\t\tCOMPANY CONFORMED NAME:\t\t\tKettle\r\n\t\tCENTRAL INDEX KEY:\t\t\t0009900001\r\n\r\n"    \
    "<SERIES-AND-CLASSES-CONTRACTS-DATA>\r\n<SERIES>\r\n<SERIES-ID>S000099001\r\n"                 \
    "<CLASS-CONTRACT>\r\n<CLASS-CONTRACT-ID>C000099001\r\n<CLASS-CONTRACT-NAME>Class A\r\n"        \
    "<CLASS-CONTRACT-TICKER-SYMBOL>KTLAX\r\n</CLASS-CONTRACT>\r\n<CLASS-CONTRACT>\r\n"             \
    "<CLASS-CONTRACT-ID>C000099002\r\n</CLASS-CONTRACT>\r\n</SERIES>\r\n"                          \
    "</SERIES-AND-CLASSES-CONTRACTS-DATA>\r\n</SEC-HEADER>\r\n<DOCUMENT>\r\n<TYPE>NPORT-P\r\n"     \
    "<SEQUENCE>1\r\n<FILENAME>primary_doc.xml\r\n<TEXT>\r\n<XML>\r\n"

/* As a file is spooled: with its line ends made LF. */
static int find(char *text, dsc_nport_submission_t *found)
{
    dsc_piece_t piece = dsc_piece_of(text, dsc_normalise_lines(text, strlen(text)));

    return dsc_nport_find(dsc_pool, &piece, found, &reason);
}

static void test_submission(void)
{
    dsc_nport_submission_t found, alone;
    char *text = apr_pstrcat(dsc_pool, SUBMISSION, WHOLE,
                             "</XML>\r\n</TEXT>\r\n</DOCUMENT>\r\n</SEC-DOCUMENT>\r\n", NULL);
    char *xml = apr_pstrdup(dsc_pool, "\xEF\xBB\xBF\n" WHOLE);
    const dsc_nport_class_t *class;

    CU_ASSERT_FATAL(find(text, &found));
    CU_ASSERT_STRING_EQUAL(found.filed.accession, "0009900001-24-000007");
    CU_ASSERT_STRING_EQUAL(found.filed.filed_on, "2024-05-31");
    CU_ASSERT_STRING_EQUAL(found.filed.accepted_at, "2024-05-30T21:01:02Z");
    CU_ASSERT_EQUAL(found.filed.first_line, 34);
    CU_ASSERT_EQUAL_FATAL(found.classes->nelts, 2);
    class = (const dsc_nport_class_t *)(const void *)found.classes->elts;
    CU_ASSERT_STRING_EQUAL(class[0].ticker, "KTLAX");
    CU_ASSERT_STRING_EQUAL(class[0].name, "Class A");
    CU_ASSERT_STRING_EQUAL(class[1].class_id, "C000099002");
    CU_ASSERT_STRING_EQUAL(class[1].series_id, "S000099001");
    CU_ASSERT_PTR_NULL(class[1].ticker);
    CU_ASSERT_FATAL(find(xml, &alone));
    CU_ASSERT_EQUAL(alone.filed.first_line, 2);
    CU_ASSERT_PTR_NULL(alone.filed.accession);
    CU_ASSERT_STRING_EQUAL(alone.filed.digest, found.filed.digest);
    CU_ASSERT_PTR_NOT_NULL(
        dsc_nport_parse(dsc_pool, &found.filed.xml, found.filed.first_line, &reason));
}

/* A dissemination file: other tags in its header, lines that end with a bare CR. */
static void test_dissemination(void)
{
    char *text =
        apr_pstrdup(dsc_pool,
                    "<SUBMISSION>\r<ACCESSION-NUMBER>0009900001-24-000008\r<TYPE>NPORT-P/A\r"
                    "<PERIOD>20240331\r<FILING-DATE>20240601\r<FILER>\r<COMPANY-DATA>\r"
                    "<CONFORMED-NAME>Kettle\r<CIK>0009900001\r</COMPANY-DATA>\r</FILER>\r"
                    "<SERIES>\r<SERIES-ID>S000099001\r<CLASS-CONTRACT>\r"
                    "<CLASS-CONTRACT-ID>C000099001\r</CLASS-CONTRACT>\r</SERIES>\r<DOCUMENT>\r"
                    "<TYPE>NPORT-P/A\r<SEQUENCE>1\r<FILENAME>primary_doc.xml\r<TEXT>\r<XML>\r" WHOLE
                    "</XML>\r</TEXT>\r</DOCUMENT>\r</SUBMISSION>\r");
    dsc_nport_submission_t found;

    CU_ASSERT_FATAL(find(text, &found));
    CU_ASSERT_STRING_EQUAL(found.filed.accession, "0009900001-24-000008");
    CU_ASSERT_STRING_EQUAL(found.filed.filed_on, "2024-06-01");
    CU_ASSERT_PTR_NULL(found.filed.accepted_at);
    CU_ASSERT_EQUAL(found.classes->nelts, 1);
    CU_ASSERT_PTR_NOT_NULL(
        dsc_nport_parse(dsc_pool, &found.filed.xml, found.filed.first_line, &reason));
}

void dsc_suite_nport_document(void)
{
    CU_pSuite suite = CU_add_suite("nport_document", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "a report's facts", test_facts);
    CU_add_test(suite, "a holding", test_holding);
    CU_add_test(suite, "an element twice", test_twins);
    CU_add_test(suite, "parts that stand twice", test_twin_parts);
    CU_add_test(suite, "twins within a holding", test_twins_of_holding);
    CU_add_test(suite, "a faulty holding", test_faulty_holding);
    CU_add_test(suite, "documents that are refused", test_refused);
    CU_add_test(suite, "alone and in a submission", test_submission);
    CU_add_test(suite, "in a dissemination file", test_dissemination);
}
