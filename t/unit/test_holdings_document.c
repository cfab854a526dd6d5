/* Form 13F documents; all of them are made, by the SEC's schema. */
#include "engine/buffer.h"
#include "sources/sec_13f/holdings_package.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <string.h>

#define COVER(form, more, amendment, total)                                                        \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                 \
    "<edgarSubmission xmlns=\"http://www.sec.gov/edgar/thirteenffiler\""                           \
    " xmlns:com=\"http://www.sec.gov/edgar/common\">\n<schemaVersion>X0202</schemaVersion>"        \
    "<headerData><submissionType>" form "</submissionType><filerInfo>" more                        \
    "<filer><credentials><cik>0009990001</cik><ccc>X</ccc></credentials></filer>"                  \
    "<periodOfReport>06-30-2024</periodOfReport></filerInfo></headerData><formData><coverPage>"    \
    "<reportCalendarOrQuarter>06-30-2024</reportCalendarOrQuarter>" amendment                      \
    "<filingManager><name>Harbour &amp; Sons LP</name><address><com:city>X</com:city></address>"   \
    "</filingManager><reportType>13F COMBINATION REPORT</reportType>"                              \
    "<form13FFileNumber>028-99901</form13FFileNumber><otherManagersInfo><otherManager>"            \
    "<cik>0009990002</cik><form13FFileNumber>028-99902</form13FFileNumber><name>Quay LLC</name>"   \
    "</otherManager></otherManagersInfo></coverPage><signatureBlock>"                              \
    "<signatureDate>08-13-2024</signatureDate></signatureBlock><summaryPage>"                      \
    "<tableEntryTotal>2</tableEntryTotal><tableValueTotal>" total "</tableValueTotal>"             \
    "<isConfidentialOmitted>false</isConfidentialOmitted><otherManagers2Info><otherManager2>"      \
    "<sequenceNumber>4</sequenceNumber><otherManager><name>Pier \"A\"</name></otherManager>"       \
    "</otherManager2></otherManagers2Info></summaryPage></formData>"
#define RESTATEMENT                                                                                \
    "<isAmendment>true</isAmendment><amendmentNo>2</amendmentNo><amendmentInfo>"                   \
    "<amendmentType>RESTATEMENT</amendmentType></amendmentInfo>"
#define END "</edgarSubmission>"

#define ROW(p, value, amount, type, more)                                                          \
    "<" p "infoTable><" p "nameOfIssuer>AT&amp;T INC</" p "nameOfIssuer><" p                       \
    "titleOfClass>COM</" p "titleOfClass><" p "cusip>00206r102</" p "cusip><" p "value>" value     \
    "</" p "value><" p "shrsOrPrnAmt><" p "sshPrnamt>" amount "</" p "sshPrnamt><" p               \
    "sshPrnamtType>" type "</" p "sshPrnamtType></" p "shrsOrPrnAmt>" more "<" p                   \
    "votingAuthority><" p "Sole>1</" p "Sole><" p "Shared>0</" p "Shared><" p "None>2</" p         \
    "None></" p "votingAuthority></" p "infoTable>\n"
#define TABLE(rows)                                                                                \
    "<?xml version=\"1.0\"?>\n<n1:informationTable"                                                \
    " xmlns:n1=\"http://www.sec.gov/edgar/document/thirteenf/informationtable\">\n" rows           \
    "</n1:informationTable>"

static const char *reason;

static int unpack(const char *text, dsc_holdings_package_t *package)
{
    reason = NULL;
    char *copy = apr_pstrdup(dsc_pool, text); /* as a file is spooled: line ends are LF */
    dsc_piece_t piece = dsc_piece_of(copy, dsc_normalise_lines(copy, strlen(copy)));

    return dsc_holdings_unpack(dsc_pool, &piece, package, &reason);
}

static dsc_holdings_report_t *cover_of(const char *text)
{
    dsc_holdings_package_t package;

    CU_ASSERT_FATAL(unpack(text, &package));
    CU_ASSERT_PTR_NOT_NULL_FATAL(package.report);
    return package.report;
}

static void test_cover(void)
{
    const dsc_holdings_report_t *report =
        cover_of(COVER("13F-HR/A", "", RESTATEMENT, "1,234.5") END);

    CU_ASSERT_PTR_NULL(report->error);
    CU_ASSERT_STRING_EQUAL(report->form, "13F-HR/A");
    CU_ASSERT_STRING_EQUAL(report->cik, "9990001");
    CU_ASSERT_STRING_EQUAL(report->manager_name, "Harbour & Sons LP");
    CU_ASSERT_STRING_EQUAL(report->period, "2024-06-30");
    CU_ASSERT_STRING_EQUAL(report->report_type, "combination");
    CU_ASSERT_STRING_EQUAL(report->amendment_type, "restatement");
    CU_ASSERT_STRING_EQUAL(report->amendment_number, "2");
    CU_ASSERT_STRING_EQUAL(report->file_number, "028-99901");
    CU_ASSERT_STRING_EQUAL(report->confidential_omitted, "f");
    CU_ASSERT_STRING_EQUAL(report->entry_total, "2");
    CU_ASSERT_STRING_EQUAL(report->value_total, "1234.5");
    CU_ASSERT_STRING_EQUAL(report->schema_version, "X0202");
    CU_ASSERT_STRING_EQUAL(report->signed_on, "2024-08-13");
    CU_ASSERT_STRING_EQUAL(
        report->other_managers,
        "[{\"cik\":\"9990002\",\"file_number\":\"028-99902\","
        "\"name\":\"Quay LLC\"},{\"number\":\"4\",\"name\":\"Pier \\\"A\\\"\"}]");
    CU_ASSERT_EQUAL(strlen(report->digest), strlen("sha256:") + 64);
}

/* What is said of so many managers, or in so many pieces, is put together in time and memory of its
 * own size. */
static void test_long_covers(void)
{
    static const char begin[] = COVER("13F-HR", "", "", "3"), end[] = "</otherManagers2Info>";
    const char *rest = strstr(begin, end);
    dsc_buffer_t *text = dsc_buffer_create(dsc_pool, 1 << 22);
    const dsc_holdings_report_t *report;

    dsc_buffer_append(text, begin, (size_t)(rest - begin));
    for (int i = 5; i < 20005; i++) {
        dsc_buffer_printf(text,
                          "<otherManager2><sequenceNumber>%d</sequenceNumber><otherManager>"
                          "<name>Pier</name></otherManager></otherManager2>",
                          i);
    }
    dsc_buffer_append_text(text, "<otherManager2><otherManager><name>");
    for (int i = 0; i < 100000; i++) {
        dsc_buffer_append_text(text, "a<!---->");
    }
    dsc_buffer_append_text(text, "</name></otherManager></otherManager2>");
    dsc_buffer_append_text(text, rest);
    dsc_buffer_append_text(text, END);
    report = cover_of(dsc_buffer_text(text));
    CU_ASSERT_PTR_NULL(report->error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(report->other_managers);
    CU_ASSERT_PTR_NOT_NULL(strstr(report->other_managers,
                                  "{\"number\":\"20004\",\"name\":\"Pier\"},{\"name\":\"aaaa"));
    CU_ASSERT_EQUAL(strspn(strstr(report->other_managers, "aaaa"), "a"), 100000);
}

static void test_covers_that_are_no_reports(void)
{
    CU_ASSERT_STRING_EQUAL(cover_of(COVER("13F-XX", "", "", "1") END)->error,
                           "submissionType is no Form 13F");
    CU_ASSERT_STRING_EQUAL(
        cover_of(COVER("13F-HR", "<liveTestFlag>TEST</liveTestFlag>", "", "1") END)->error,
        "a test filing: liveTestFlag is TEST");
    CU_ASSERT_STRING_EQUAL(cover_of(COVER("13F-HR", "", "", "lots") END)->error,
                           "tableValueTotal is not a number");
    CU_ASSERT_STRING_EQUAL(
        cover_of(COVER("13F-HR/A", "",
                       "<amendmentInfo><amendmentType>OTHER</amendmentType></amendmentInfo>", "1")
                     END)
            ->error,
        "amendmentType is neither RESTATEMENT nor NEW HOLDINGS");
}

/* Rows as they were seen, in one text. */
static apr_status_t collect(void *baton, const dsc_holding_t *row)
{
    const char **seen = baton;

    *seen = apr_pstrcat(dsc_pool, *seen, row->location, "|", row->issuer_title, "|", row->cusip,
                        "|", row->value ? row->value : "-", "|", row->amount ? row->amount : "-",
                        "|", row->amount_type ? row->amount_type : "-", "|",
                        row->put_call ? row->put_call : "-", "|",
                        row->other_managers ? row->other_managers : "-", "|", row->voting_none, "|",
                        row->error ? row->error : "", "\n", NULL);
    return APR_SUCCESS;
}

static const char *rows_of(const char *text, apr_status_t *status)
{
    const char *seen = "";
    dsc_holdings_package_t package;

    *status = APR_EGENERAL;
    if (unpack(text, &package) && dsc_piece_is_there(&package.table.piece)) {
        *status =
            dsc_holdings_table_read(dsc_pool, &package.table, collect, (void *)&seen, &reason);
    }
    return seen;
}

static void check_rows(const char *text, const char *expected)
{
    apr_status_t status;

    CU_ASSERT_STRING_EQUAL(rows_of(text, &status), expected);
    CU_ASSERT_EQUAL(status, APR_SUCCESS);
}

static void test_table(void)
{
    check_rows(TABLE(ROW("n1:", "1,500", "100", "SH", "<n1:otherManager>4,5</n1:otherManager>")
                         ROW("n1:", "2000.5", "1000", "prn", "<n1:putCall>CALL</n1:putCall>")),
               "infoTable[1]|AT&T INC|00206R102|1500|100|SH|-|{\"4\",\"5\"}|2|\n"
               "infoTable[2]|AT&T INC|00206R102|2000.5|1000|PRN|Call|-|2|\n");
    check_rows("\xEF\xBB\xBF \r\n<informationTable xmlns=\"x\">\r\n" ROW(
                   "", "1", "2", "SH", "") "</informationTable>\r\n",
               "infoTable[1]|AT&T INC|00206R102|1|2|SH|-|-|2|\n");
    /* a prefix that nothing declares */
    check_rows("<ns1:informationTable>" ROW("ns1:", "1", "2", "SH", "") "</ns1:informationTable>",
               "infoTable[1]|AT&T INC|00206R102|1|2|SH|-|-|2|\n");
    check_rows("<informationTable/>", "");
}

static void test_faulty_rows(void)
{
    check_rows("<informationTable>" ROW("", "n/a", "2", "SH", "") ROW("", "1", "2", "LBS", "")
                   ROW("", "1", "2", "SH", "<putCall>Both</putCall>") ROW("", "", "2", "SH", "")
                       ROW("", "5", "6", "SH", "") "</informationTable>",
               "infoTable[1]|AT&T INC|00206R102|-|2|SH|-|-|2|value is not a number\n"
               "infoTable[2]|AT&T INC|00206R102|1|2|-|-|-|2|sshPrnamtType is neither SH nor PRN\n"
               "infoTable[3]|AT&T INC|00206R102|1|2|SH|-|-|2|putCall is neither Put nor Call\n"
               "infoTable[4]|AT&T INC|00206R102|-|2|SH|-|-|2|value is missing\n"
               "infoTable[5]|AT&T INC|00206R102|5|6|SH|-|-|2|\n");
}

static void check_refused(const char *text, const char *why)
{
    apr_status_t status;

    (void)rows_of(text, &status);
    CU_ASSERT_EQUAL(status, APR_EGENERAL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
    CU_ASSERT_PTR_NOT_NULL(strstr(reason, why));
}

static void test_what_is_no_table(void)
{
    char cut[600];

    apr_cpystrn(cut, TABLE(ROW("n1:", "1", "2", "SH", "")), sizeof(cut));
    cut[300] = '\0';
    check_refused(cut, "line ");
    check_refused("<informationTable><infoTable></informationTable>", "line 1");
    check_refused("<!DOCTYPE x [<!ENTITY a \"b\">]><informationTable/>",
                  "line 1: a document type declaration is not accepted");
    check_refused(dsc_swollen("informationTable", 40000),
                  "line 2: an element with more than 1000 attributes");
    check_refused("<?xml version=\"1.0\"?><ownershipDocument/>", "the root element is ownershipDo");
    check_refused("<?xml version=\"1.0\"?>\n<inform", "line 2");
    check_refused("", "not a full submission");
    check_refused("no XML", "not a full submission");
    check_refused("<ownershipDocument/>", "not a full submission");
}

/* A submission of EDGAR's daily feed: bare CR between the lines. */
#define SUBMISSION(form, documents)                                                                \
    "<SUBMISSION>\r<ACCESSION-NUMBER>0009990003-24-000001\r<TYPE>" form                            \
    "\r<PERIOD>20240630\r<FILING-DATE>20240814\r<FILER>\r<COMPANY-DATA>\r"                         \
    "<CONFORMED-NAME>Harbour\r<CIK>0009990001\r</COMPANY-DATA>\r</FILER>\r" documents              \
    "</SUBMISSION>\r"
#define DOCUMENT(type, text)                                                                       \
    "<DOCUMENT>\r<TYPE>" type "\r<FILENAME>a.xml\r<TEXT>\r" text "\r</TEXT>\r</DOCUMENT>\r"

static void test_submission(void)
{
    static const char table[] = DOCUMENT("13F-HR",
                                         "<XML>\r" COVER("13F-HR", "", "", "3") END "\r</XML>")
        DOCUMENT("INFORMATION TABLE", "<XML>\r" TABLE(ROW("n1:", "1", "2", "SH", "")) "\r</XML>");
    const char *text = apr_pstrcat(dsc_pool, SUBMISSION("13F-HR", ""), NULL);
    dsc_holdings_package_t package;
    const char *whole;

    text = apr_pstrmemdup(dsc_pool, text, strlen(text) - strlen("</SUBMISSION>\r"));
    whole = apr_pstrcat(dsc_pool, text, table, "</SUBMISSION>\r", NULL);
    check_rows(whole, "infoTable[1]|AT&T INC|00206R102|1|2|SH|-|-|2|\n");
    CU_ASSERT_FATAL(unpack(whole, &package));
    CU_ASSERT_STRING_EQUAL(package.report->accession, "0009990003-24-000001");
    CU_ASSERT_STRING_EQUAL(package.report->filed_on, "2024-08-14");
    CU_ASSERT_PTR_NULL(package.report->accepted_at);
    /* the same cover, alone and in a submission, has the same content */
    CU_ASSERT_STRING_EQUAL(package.report->digest,
                           cover_of(COVER("13F-HR", "", "", "3") END "\n")->digest);
    check_refused(SUBMISSION("13F-HR", DOCUMENT("13F-HR", "FORM 13F COVER PAGE")),
                  "plain text before May 2013");
    check_refused(SUBMISSION("8-K", DOCUMENT("8-K", "x")), "no Form 13F");
}

/* EDGAR's own format for filers holds the table as base64. */
static void test_embedded_table(void)
{
    static const char contents[] =
        "PGluZm9ybWF0aW9uVGFibGU+PGluZm9UYWJsZT48bmFtZU9mSXNzdWVyPkE8L25hbWVPZklzc3Vl\n"
        "cj48dm90aW5nQXV0aG9yaXR5PjxOb25lPjA8L05vbmU+PC92b3RpbmdBdXRob3JpdHk+PGN1c2lw\n"
        "PjE8L2N1c2lwPjwvaW5mb1RhYmxlPjwvaW5mb3JtYXRpb25UYWJsZT4=\n";
    const char *text =
        apr_pstrcat(dsc_pool,
                    COVER("13F-HR", "", "", "3") "<documents><document><conformedDocumentType>"
                                                 "INFORMATION TABLE</conformedDocumentType>"
                                                 "<contents>",
                    contents, "</contents></document></documents>" END, NULL);

    check_rows(text, "infoTable[1]|A|1|-|-|-|-|-|0|titleOfClass is missing\n");
}

static void test_embedded_otherwise(void)
{
    static const char *const contents[] = {
        "%%%",          "PGE+*PC9hPg==", "PGE+PC9hPg",     "PGE+PC9hPg=",
        "PGE-PC9hPg==", "PGE+PC9hPh==",  "PGE+==PC9hPg==",
    };

    for (size_t i = 0; i < sizeof(contents) / sizeof(contents[0]); i++) {
        check_refused(apr_pstrcat(dsc_pool,
                                  COVER("13F-HR", "", "",
                                        "3") "<documents><document><conformedDocumentType>"
                                             "INFORMATION TABLE</conformedDocumentType><contents>",
                                  contents[i], "</contents></document></documents>" END, NULL),
                      "not base64");
    }
}

void dsc_suite_holdings_document(void)
{
    CU_pSuite suite = CU_add_suite("holdings_document", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "cover and summary page", test_cover);
    CU_add_test(suite, "covers that are long", test_long_covers);
    CU_add_test(suite, "covers that are no reports", test_covers_that_are_no_reports);
    CU_add_test(suite, "information tables, whatever their prefix", test_table);
    CU_add_test(suite, "rows with errors", test_faulty_rows);
    CU_add_test(suite, "what is no table, or cut off", test_what_is_no_table);
    CU_add_test(suite, "whole submissions", test_submission);
    CU_add_test(suite, "a table embedded as base64", test_embedded_table);
    CU_add_test(suite, "embedded text that is no base64", test_embedded_otherwise);
}
