#include "formats/document_text.h"
#include "formats/sgml_submission.h"
#include "sources/sec_filing/current_report.h"
#include "sources/sec_filing/filing_sections.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <string.h>

static const char *reason;

#define HEADER                                                                                     \
    "<SEC-DOCUMENT>0009990001-24-000007.txt : 20240702\n"                                          \
    "<SEC-HEADER>0009990001-24-000007.hdr.sgml : 20240702\n"                                       \
    "<ACCEPTANCE-DATETIME>20240702183057\n"                                                        \
    "ACCESSION NUMBER:\t\t0009990001-24-000007\n"                                                  \
    "CONFORMED SUBMISSION TYPE:\t8-K\n"                                                            \
    "PUBLIC DOCUMENT COUNT:\t\t2\n"                                                                \
    "CONFORMED PERIOD OF REPORT:\t20240701\n"                                                      \
    "ITEM INFORMATION:\t\tResults of Operations and Financial Condition\n"                         \
    "ITEM INFORMATION:\t\t\n"                                                                      \
    "FILED AS OF DATE:\t\t20240703\n\n"                                                            \
    "SUBJECT COMPANY:\t\n\n\tCOMPANY DATA:\t\n"                                                    \
    "\t\tCOMPANY CONFORMED NAME:\t\t\tNORTHLIGHT KETTLES INC\n"                                    \
    "\t\tCENTRAL INDEX KEY:\t\t\t0009990001\n\n"                                                   \
    "\tFORMER COMPANY:\t\n\t\tFORMER CONFORMED NAME:\tNORTHLIGHT POTS INC\n\n"                     \
    "FILED BY:\t\t\n\n\tCOMPANY DATA:\t\n"                                                         \
    "\t\tCOMPANY CONFORMED NAME:\t\t\tHARBOUR & SONS LP\n"                                         \
    "\t\tCENTRAL INDEX KEY:\t\t\t0009990002\n\n"                                                   \
    "\tFILING VALUES:\n\t\tFORM TYPE:\t\t8-K\n\t\tSEC FILE NUMBER:\t005-99901\n"                   \
    "\t\tSEC FILE NUMBER:\t005-99902\n"                                                            \
    "</SEC-HEADER>\n"

#define DOCUMENTS                                                                                  \
    "<DOCUMENT>\n<TYPE>EX-99.1\n<SEQUENCE>2\n<FILENAME>release.txt\n<DESCRIPTION>PRESS RELEASE\n"  \
    "<TEXT>\nA release.\n</TEXT>\n</DOCUMENT>\n"                                                   \
    "<DOCUMENT>\n<TYPE>8-K\n<SEQUENCE>1\n<FILENAME>report.htm\n<TEXT>\n"                           \
    "<html><p>A report.</p></html></TEXT>\n</DOCUMENT>\n"

static dsc_sgml_submission_t *parse(const char *text)
{
    reason = NULL;
    return dsc_sgml_parse(dsc_pool, apr_pstrdup(dsc_pool, text), strlen(text), &reason);
}

#define ENTITY(submission, i)   APR_ARRAY_IDX((submission)->entities, i, dsc_sgml_entity_t)
#define DOCUMENT(submission, i) APR_ARRAY_IDX((submission)->documents, i, dsc_sgml_document_t)
#define ITEM(submission, i)     APR_ARRAY_IDX((submission)->items, i, const char *)

static void check_header(const dsc_sgml_submission_t *submission)
{
    CU_ASSERT_STRING_EQUAL(submission->accession, "0009990001-24-000007");
    CU_ASSERT_STRING_EQUAL(submission->form, "8-K");
    CU_ASSERT_STRING_EQUAL(submission->filed_on, "2024-07-03");
    CU_ASSERT_STRING_EQUAL(submission->period, "2024-07-01");
    CU_ASSERT_STRING_EQUAL(submission->accepted, "20240702183057");
    CU_ASSERT_EQUAL_FATAL(submission->items->nelts, 2);
    CU_ASSERT_STRING_EQUAL(ITEM(submission, 0), "Results of Operations and Financial Condition");
    CU_ASSERT_STRING_EQUAL(ITEM(submission, 1), "");
    CU_ASSERT_EQUAL_FATAL(submission->entities->nelts, 2);
    CU_ASSERT_STRING_EQUAL(ENTITY(submission, 0).role, "SUBJECT COMPANY");
    CU_ASSERT_STRING_EQUAL(ENTITY(submission, 0).name, "NORTHLIGHT KETTLES INC");
    CU_ASSERT_STRING_EQUAL(ENTITY(submission, 0).cik, "0009990001");
    CU_ASSERT_PTR_NULL(ENTITY(submission, 0).file_number);
    CU_ASSERT_STRING_EQUAL(ENTITY(submission, 1).role, "FILED BY");
    CU_ASSERT_STRING_EQUAL(ENTITY(submission, 1).name, "HARBOUR & SONS LP");
    CU_ASSERT_STRING_EQUAL(ENTITY(submission, 1).file_number, "005-99901");
}

static void test_text_file(void)
{
    dsc_sgml_submission_t *submission = parse(HEADER DOCUMENTS "</SEC-DOCUMENT>\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(submission);
    check_header(submission);
    CU_ASSERT_FALSE(submission->dash_escaped);
    CU_ASSERT_EQUAL_FATAL(submission->documents->nelts, 2);
    CU_ASSERT_STRING_EQUAL(DOCUMENT(submission, 0).type, "EX-99.1");
    CU_ASSERT_STRING_EQUAL(DOCUMENT(submission, 0).sequence, "2");
    CU_ASSERT_STRING_EQUAL(DOCUMENT(submission, 0).file_name, "release.txt");
    CU_ASSERT_STRING_EQUAL(DOCUMENT(submission, 0).description, "PRESS RELEASE");
    CU_ASSERT_EQUAL(DOCUMENT(submission, 0).length, strlen("\nA release.\n"));
    CU_ASSERT_NSTRING_EQUAL(DOCUMENT(submission, 0).text, "\nA release.\n", 12);
    CU_ASSERT_PTR_NULL(DOCUMENT(submission, 1).description);
    /* the primary document is the one of the form's type, not the first one */
    CU_ASSERT_PTR_EQUAL(dsc_sgml_primary(submission), &DOCUMENT(submission, 1));
    CU_ASSERT_EQUAL(DOCUMENT(submission, 1).length, strlen("\n<html><p>A report.</p></html>"));
}

static void test_mail_wrapper(void)
{
    dsc_sgml_submission_t *submission =
        parse("-----BEGIN PRIVACY-ENHANCED MESSAGE-----\nProc-Type: 2001,MIC-CLEAR\n"
              "MIC-Info: RSA-MD5,RSA,\n AAAA==\n\n" HEADER DOCUMENTS
              "</SEC-DOCUMENT>\n-----END PRIVACY-ENHANCED MESSAGE-----\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(submission);
    check_header(submission);
    CU_ASSERT_TRUE(submission->dash_escaped);
}

/* Dissemination files have other names, tags that are not closed, and bare carriage returns. */
static void test_dissemination_file(void)
{
    dsc_sgml_submission_t *submission =
        parse("<SUBMISSION>\r<ACCESSION-NUMBER>0009990003-25-000001\r<TYPE>4\r<PERIOD>20250212\r"
              "<FILING-DATE>20250213\r<REPORTING-OWNER>\r<OWNER-DATA>\r<CONFORMED-NAME>Reed Ada\r"
              "<CIK>0009990003\r</OWNER-DATA>\r<FILING-VALUES>\r<FORM-TYPE>4\r"
              "<FILE-NUMBER>001-99903\r</FILING-VALUES>\r</REPORTING-OWNER>\r<ISSUER>\r"
              "<COMPANY-DATA>\r<CONFORMED-NAME>NORTHLIGHT KETTLES INC\r<CIK>0009990001\r"
              "</COMPANY-DATA>\r</ISSUER>\r<DOCUMENT>\r<TYPE>4\r<SEQUENCE>1\r"
              "<FILENAME>form4.xml\r<TEXT>\r<XML>\r<a/>\r</XML>\r</TEXT>\r</DOCUMENT>\r"
              "</SUBMISSION>\r");

    CU_ASSERT_PTR_NOT_NULL_FATAL(submission);
    CU_ASSERT_STRING_EQUAL(submission->form, "4");
    CU_ASSERT_STRING_EQUAL(submission->filed_on, "2025-02-13");
    CU_ASSERT_PTR_NULL(submission->accepted);
    CU_ASSERT_EQUAL_FATAL(submission->entities->nelts, 2);
    CU_ASSERT_STRING_EQUAL(ENTITY(submission, 0).role, "REPORTING-OWNER");
    CU_ASSERT_STRING_EQUAL(ENTITY(submission, 0).file_number, "001-99903");
    CU_ASSERT_STRING_EQUAL(ENTITY(submission, 1).role, "ISSUER");
    CU_ASSERT_STRING_EQUAL(ENTITY(submission, 1).name, "NORTHLIGHT KETTLES INC");
    CU_ASSERT_EQUAL(submission->documents->nelts, 1);
}

static void test_one_entity_in_two_roles(void)
{
    dsc_sgml_submission_t *submission =
        parse("<SEC-DOCUMENT>\n<SEC-HEADER>\nACCESSION NUMBER: 0009990001-24-000008\n"
              "CONFORMED SUBMISSION TYPE: SC 13D\nFILED AS OF DATE: 20240703\n"
              "SUBJECT COMPANY:\n CENTRAL INDEX KEY: 0009990001\n"
              "FILED BY:\n CENTRAL INDEX KEY: 0009990001\n SEC FILE NUMBER: 005-99901\n"
              "</SEC-HEADER>\n</SEC-DOCUMENT>\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(submission);
    CU_ASSERT_EQUAL_FATAL(submission->entities->nelts, 1);
    CU_ASSERT_STRING_EQUAL(ENTITY(submission, 0).file_number, "005-99901");
    CU_ASSERT_PTR_NULL(dsc_sgml_primary(submission));
}

static void check_error(const char *text, const char *error)
{
    CU_ASSERT_PTR_NULL(parse(text));
    CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, error));
}

static void test_errors(void)
{
    check_error("", "line 1: not a full submission");
    check_error("<html>Not found</html>", "line 1: not a full submission");
    check_error("<SEC-HEADER>\nACCESSION NUMBER: 0009990001-24-000008\n",
                "line 1: <SEC-DOCUMENT>, which opens a submission, is missing");
    check_error("-----BEGIN PRIVACY-ENHANCED MESSAGE-----\n\n<IMS-HEADER>\n",
                "line 3: <SEC-DOCUMENT>, which opens a submission, is missing");
    check_error("<SUBMISSION>\n<ACCESSION-NUMBER>0009990001-24-000008\n<TYPE>4\n<TYPE>4\n"
                "<SEQUENCE>1\n<FILENAME>a.xml\n<TEXT>\n",
                "line 5: a document stands in the header: <DOCUMENT> is missing");
    check_error("<SUBMISSION>\n<ACCESSION-NUMBER>0009990001-24-000008\n<TYPE>4\n<TYPE>4\n<TEXT>\n",
                "line 5: a document stands in the header: <DOCUMENT> is missing");
    check_error("<SUBMISSION>\n<ACCESSION-NUMBER>0009990001-24-000008\n<TYPE>4\n</DOCUMENT>\n",
                "line 4: a document stands in the header: <DOCUMENT> is missing");
    check_error("<SEC-DOCUMENT>\n<SEC-HEADER>\nFILED AS OF DATE: 20240703\n</SEC-HEADER>\n",
                "line 5: the header ends without an accession number");
    check_error(
        "<SEC-DOCUMENT>\n<SEC-HEADER>\nACCESSION NUMBER: 0009990001-24-000008\n</SEC-HEADER>\n",
        "without a submission type");
    check_error("<SEC-DOCUMENT>\n<SEC-HEADER>\nACCESSION NUMBER: 0009990001-24-000008\n"
                "CONFORMED SUBMISSION TYPE: 8-K\n</SEC-HEADER>\n",
                "without a filing date");
    check_error("<SEC-DOCUMENT>\n<SEC-HEADER>\nACCESSION NUMBER: 0009990001-24-000008\n"
                "CONFORMED SUBMISSION TYPE: 8-K\nFILED AS OF DATE: 20240703\n</SEC-HEADER>\n",
                "central index key");
    check_error(HEADER, "line 32: the file is cut off");
    check_error(HEADER "<DOCUMENT>\n<TYPE>8-K\n<TEXT>\nsome text", "line 32: <DOCUMENT> is never");
    check_error(HEADER "<DOCUMENT>\n<TYPE>8-K\n<TEXT>\nsome text\n</DOCUMENT>\n",
                "line 34: <TEXT> is never closed");
    check_error(HEADER "<DOCUMENT>\n<TEXT>\nx\n</TEXT>\n</DOCUMENT>\n",
                "line 32: the document has");
    check_error(HEADER DOCUMENTS, "the file is cut off");
    check_error(HEADER "<DOCUMENT>\n<TYPE>EX-99.1\n<SEQUENCE>2\n<TEXT>\nx\n</TEXT>\n</DOCUMENT>\n"
                       "</SEC-DOCUMENT>\n",
                "the document with <SEQUENCE>1 is missing");
}

/* What a submission or document has once and stands twice: the same is no harm, another nobody can
 * choose from. */
static void test_twice(void)
{
    static const char *const lines[] = {"ACCESSION NUMBER: 0009990001-24-000009",
                                        "CONFORMED SUBMISSION TYPE: 10-Q",
                                        "CONFORMED PERIOD OF REPORT: 20240630",
                                        "FILED AS OF DATE: 20240704",
                                        "<ACCEPTANCE-DATETIME>20240704160112"};
    static const char *const document[] = {"<TYPE>EX-99.1", "<SEQUENCE>3", "<FILENAME>b.htm",
                                           "<DESCRIPTION>b"};
    const char *const head =
        "<SEC-DOCUMENT>\n<SEC-HEADER>\n<ACCEPTANCE-DATETIME>20240703160112\n"
        "ACCESSION NUMBER: 0009990001-24-000008\n"
        "CONFORMED SUBMISSION TYPE: 8-K\nCONFORMED PERIOD OF REPORT: 20240703\n"
        "FILED AS OF DATE: 20240703\n";
    const char *const rest =
        "FILER:\n CENTRAL INDEX KEY: 0009990001\n</SEC-HEADER>\n<DOCUMENT>\n<TYPE>8-K\n"
        "<SEQUENCE>1\n<FILENAME>a.htm\n<DESCRIPTION>a\n";
    const char *const end = "<TEXT>\nx\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n";

    CU_ASSERT_PTR_NOT_NULL(parse(apr_pstrcat(dsc_pool, head, "FILED AS OF DATE: 20240703\n", rest,
                                             "<TYPE>8-K\n", end, NULL)));
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        check_error(apr_pstrcat(dsc_pool, head, lines[i], "\n", rest, end, NULL),
                    "before: nobody knows which");
        check_error(apr_pstrcat(dsc_pool, head, lines[i], "\n", rest, end, NULL), "line 8: ");
    }
    for (size_t i = 0; i < sizeof(document) / sizeof(document[0]); i++) {
        check_error(apr_pstrcat(dsc_pool, head, rest, document[i], "\n", end, NULL),
                    "before: nobody knows which");
    }
}

/* An exhibit or a picture never stands for the main document. */
static void test_primary_document(void)
{
#define ONE(type) "<DOCUMENT>\n<TYPE>" type "\n<TEXT>\nx\n</TEXT>\n</DOCUMENT>\n"
    dsc_sgml_submission_t *submission =
        parse(HEADER ONE("EX-99.1") ONE("GRAPHIC") ONE("LETTER") ONE("OTHER") "</SEC-DOCUMENT>\n");

    CU_ASSERT_PTR_NOT_NULL_FATAL(submission);
    CU_ASSERT_PTR_EQUAL(dsc_sgml_primary(submission), &DOCUMENT(submission, 2));
    submission = parse(HEADER ONE("EX-99.1") ONE("GRAPHIC") ONE("XML") "</SEC-DOCUMENT>\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(submission);
    CU_ASSERT_PTR_NULL(dsc_sgml_primary(submission));
}

static const char *text_of(const char *text, int dash_escaped)
{
    dsc_sgml_document_t document;

    memset(&document, 0, sizeof(document));
    document.type = "8-K";
    document.body = dsc_piece_of(text, text ? strlen(text) : 0);
    return dsc_document_text(dsc_pool, &document, dash_escaped, &reason);
}

static void test_typewritten_text(void)
{
    CU_ASSERT_STRING_EQUAL(text_of("\n<PAGE>\n\n\n  Title  \n\n\n\nA &amp; B  \n"
                                   "<TABLE>\n<CAPTION>\n  <S>   <C>\n  x      1\n</TABLE>\n",
                                   0),
                           "  Title\n\nA & B\n\n  x      1");
    CU_ASSERT_STRING_EQUAL(text_of("- ----\n- -a\n-b\nx - y\n", 1), "----\n-a\n-b\nx - y");
    CU_ASSERT_STRING_EQUAL(text_of("- item\n", 0), "- item");
    CU_ASSERT_STRING_EQUAL(text_of("caf\xE9 \x93quoted\x94\n", 0),
                           "caf\xC3\xA9 \xE2\x80\x9Cquoted\xE2\x80\x9D");
    CU_ASSERT_STRING_EQUAL(text_of("a <b@c.example> 1 < 2\n", 0), "a <b@c.example> 1 < 2");
}

static void test_documents_without_text(void)
{
    CU_ASSERT_PTR_NULL(text_of(NULL, 0));
    CU_ASSERT_STRING_EQUAL(reason, "has no text");
    CU_ASSERT_PTR_NULL(text_of(" \n\n", 0));
    CU_ASSERT_STRING_EQUAL(reason, "has no text");
    CU_ASSERT_PTR_NULL(text_of("\nbegin 644 chart.jpg\nM_]C_X\nend\n", 0));
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "uuencoded"));
    CU_ASSERT_PTR_NULL(text_of("\n<PDF>\nbegin 644 a.pdf\nend\n</PDF>\n", 0));
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, "PDF"));
    CU_ASSERT_PTR_NULL(text_of("<html><script>only()</script></html>", 0));
    CU_ASSERT_STRING_EQUAL(reason, "has no text");
}

static void test_item_numbers(void)
{
    static const struct {
        const char *title, *filed_on, *number;
    } rows[] = {
        {"Results of Operations and Financial Condition", "2004-08-23", "2.02"},
        {"Results of Operations and Financial Condition", "2004-08-20", "12"},
        {"Financial statements and  exhibits", "2003-07-29", "7"},
        {"Financial Statements and Exhibits", "2024-07-29", "9.01"},
        {"Departure of Directors or Principal Officers; Election of Directors", "2005-04-27",
         "5.02"},
        {"Departure of Directors or Certain Officers; Election", "2026-03-06", "5.02"},
        {"Cost Associated with Exit or Disposal Activities", "2010-01-04", "2.05"},
        {"7", "1994-01-24", "7"},
        {"Something new", "2024-07-29", NULL},
        {"", "2024-07-29", NULL},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *number = dsc_item_number(rows[i].title, rows[i].filed_on);

        CU_ASSERT_TRUE(rows[i].number ? number && !strcmp(number, rows[i].number) : !number);
    }
}

static apr_array_header_t *titles(const char *first, const char *second)
{
    apr_array_header_t *array = apr_array_make(dsc_pool, 2, sizeof(const char *));

    APR_ARRAY_PUSH(array, const char *) = first;
    if (second) {
        APR_ARRAY_PUSH(array, const char *) = second;
    }
    return array;
}

static void test_report_items(void)
{
    const char *text = "Item 7. Exhibits\n\nx\n\nItem 12. Results of Operations\n\ny\n";
    apr_array_header_t *headed = dsc_find_sections(dsc_pool, text, DSC_REPORT_8K);
    apr_array_header_t *items;

    items = dsc_report_items(dsc_pool, titles("", "Financial statements and exhibits"), headed,
                             "2004-02-11");
    CU_ASSERT_PTR_NOT_NULL_FATAL(items);
    CU_ASSERT_EQUAL_FATAL(items->nelts, 2);
    CU_ASSERT_STRING_EQUAL(APR_ARRAY_IDX(items, 0, const char *), "12");
    CU_ASSERT_STRING_EQUAL(APR_ARRAY_IDX(items, 1, const char *), "7");
    CU_ASSERT_TRUE(dsc_items_have_results(items, "2004-02-11"));
    CU_ASSERT_FALSE(dsc_items_have_results(items, "2024-02-11"));
    CU_ASSERT_FALSE(dsc_items_have_results(NULL, "2024-02-11"));
    /* a header whose lines are blank, or that has none: the text tells */
    items = dsc_report_items(dsc_pool, titles("", NULL), headed, "2004-02-11");
    CU_ASSERT_PTR_NOT_NULL_FATAL(items);
    CU_ASSERT_EQUAL_FATAL(items->nelts, 2);
    CU_ASSERT_STRING_EQUAL(APR_ARRAY_IDX(items, 0, const char *), "12");
    CU_ASSERT_STRING_EQUAL(APR_ARRAY_IDX(items, 1, const char *), "7");
    items = dsc_report_items(dsc_pool, apr_array_make(dsc_pool, 1, sizeof(const char *)), headed,
                             "2004-02-11");
    CU_ASSERT_PTR_NOT_NULL_FATAL(items);
    CU_ASSERT_EQUAL(items->nelts, 2);
    /* where it does not, they are not known */
    CU_ASSERT_PTR_NULL(dsc_report_items(dsc_pool, titles("", NULL), NULL, "2004-02-11"));
    CU_ASSERT_PTR_NULL(dsc_report_items(dsc_pool, titles("", "Financial statements and exhibits"),
                                        NULL, "2004-02-11"));
    /* what the header tells in full stands */
    items = dsc_report_items(dsc_pool, titles("Financial statements and exhibits", NULL), headed,
                             "2004-02-11");
    CU_ASSERT_PTR_NOT_NULL_FATAL(items);
    CU_ASSERT_EQUAL(items->nelts, 1);
}

static void test_items_without_results(void)
{
    const apr_array_header_t *other = titles("Other Events", NULL);
    const apr_array_header_t *now = dsc_report_items(dsc_pool, other, NULL, "2024-02-11");

    CU_ASSERT_TRUE(dsc_items_have_none(now, "2024-02-11"));
    CU_ASSERT_FALSE(dsc_items_have_none(NULL, "2024-02-11"));
    CU_ASSERT_FALSE(dsc_items_have_none(
        dsc_report_items(dsc_pool, titles("Results of Operations and Financial Condition", NULL),
                         NULL, "2024-02-11"),
        "2024-02-11"));
    /* the old form */
    CU_ASSERT_FALSE(
        dsc_items_have_none(dsc_report_items(dsc_pool, other, NULL, "2004-08-22"), "2004-08-22"));
}

static void test_results_release(void)
{
    CU_ASSERT_TRUE(dsc_is_results_release(
        "NORTHLIGHT KETTLES REPORTS SECOND QUARTER RESULTS\nNet sales rose; net income was up."));
    CU_ASSERT_FALSE(dsc_is_results_release(
        "Northlight Kettles announces a new chief executive\nShe joined in the third quarter."));
    CU_ASSERT_FALSE(dsc_is_results_release(""));
    CU_ASSERT_TRUE(dsc_is_release_exhibit("EX-99.1"));
    CU_ASSERT_TRUE(dsc_is_release_exhibit("EX-99"));
    CU_ASSERT_FALSE(dsc_is_release_exhibit("EX-99.3"));
    CU_ASSERT_FALSE(dsc_is_release_exhibit("EX-9"));
}

void dsc_suite_sgml_submission(void)
{
    CU_pSuite suite = CU_add_suite("sgml submission", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "text file", test_text_file);
    CU_add_test(suite, "mail wrapper", test_mail_wrapper);
    CU_add_test(suite, "dissemination file", test_dissemination_file);
    CU_add_test(suite, "one entity in two roles", test_one_entity_in_two_roles);
    CU_add_test(suite, "errors", test_errors);
    CU_add_test(suite, "what stands twice", test_twice);
    CU_add_test(suite, "primary document", test_primary_document);
    CU_add_test(suite, "typewritten text", test_typewritten_text);
    CU_add_test(suite, "documents without text", test_documents_without_text);
    CU_add_test(suite, "item numbers", test_item_numbers);
    CU_add_test(suite, "report items", test_report_items);
    CU_add_test(suite, "items without results", test_items_without_results);
    CU_add_test(suite, "results release", test_results_release);
}
