#include "sources/congress/house_report_line.h"
#include "sources/congress/house_report_text.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <string.h>

/* All reports here are made up, in the layouts that pdftotext gives. */
#define HEADINGS                                                                                    \
    "ID        Owner Asset                          Transaction Date       Notification Amount    " \
    "  Cap.\n"                                                                                      \
    "                                               Type                   Date                   " \
    "  Gains >\n"                                                                                   \
    "                                                                                             " \
    "  $200?\n\n"
#define HEADER                                                                                     \
    "                                                               Filing ID #20099901\n\n"       \
    "          P                  T                   R\n"                                         \
    "     Clerk of the House of Representatives \xE2\x80\xA2 Legislative Resource Center\n\n"      \
    "F         I\nName:                Hon. Jane Q. Made, Jr\nStatus:              Member\n"       \
    "State/District: TX02\n\n\nT\n" HEADINGS
#define FOOTER                                                                                     \
    "* For the complete list of asset type abbreviations, please visit https://fd.house.gov/\n\n"  \
    "A          C            D\n     Made Trust (Owner: SP)\n     L    : US\n\n"                   \
    "I            P             O\n     Yes     No\n\nC                S\n"                        \
    "   I CERTIFY that the statements I have made on the attached Periodic Transaction Report are" \
    " true\n\nDigitally Signed: Hon. Jane Q. Made, Jr , 02/03/2024\n\f"

static const char *reason;
static dsc_house_report_t report;
static dsc_house_row_t rows[16];
static int count;

static apr_status_t keep(void *baton, const dsc_house_report_t *head, const dsc_house_row_t *row)
{
    (void)baton;
    report = *head;
    if (count < 16) {
        rows[count++] = *row;
    }
    return APR_SUCCESS;
}

static apr_status_t read_bytes(const char *text, size_t length)
{
    count = 0;
    memset(rows, 0, sizeof(rows));
    return dsc_house_report_read(dsc_pool, text, length, keep, NULL, &reason);
}

static void read_table(const char *table, int wanted)
{
    const char *text = apr_pstrcat(dsc_pool, HEADER, table, FOOTER, NULL);

    CU_ASSERT_EQUAL_FATAL(read_bytes(text, strlen(text)), APR_SUCCESS);
    CU_ASSERT_EQUAL_FATAL(count, wanted);
}

/* A row as "owner|asset|ticker|type code|type|date|notified|amount|status|description|comments". */
static void check_row(int number, const char *wanted)
{
    const dsc_house_row_t *row = &rows[number];
    const char *members[] = {row->owner,
                             row->asset,
                             row->ticker,
                             row->asset_type,
                             row->type,
                             row->transaction_date,
                             row->notification_date,
                             row->amount,
                             row->filing_status,
                             row->description,
                             row->comments};
    const char *text = "";
    size_t i;

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        text = apr_pstrcat(dsc_pool, text, i == 0 ? "" : "|", members[i] == NULL ? "" : members[i],
                           NULL);
    }
    CU_ASSERT_PTR_NULL(row->error);
    CU_ASSERT_STRING_EQUAL(text, wanted);
    if (strcmp(text, wanted) != 0) {
        printf("\n  got    %s\n  wanted %s\n", text, wanted);
    }
}

static void test_head(void)
{
    read_table(
        "          SP     Made Co (MADE) [ST]   P   01/02/2024 01/03/2024  $1,001 - $15,000\n", 1);
    CU_ASSERT_STRING_EQUAL(report.filing_id, "20099901");
    CU_ASSERT_STRING_EQUAL(report.name, "Hon. Jane Q. Made, Jr");
    CU_ASSERT_STRING_EQUAL(report.state_district, "TX02");
    CU_ASSERT_STRING_EQUAL(report.filed_on, "02/03/2024");
    CU_ASSERT_EQUAL(rows[0].line, 17);
}

static void test_owners_and_types(void)
{
    read_table(
        "          SP     Made Co (MADE) [ST]      P     01/02/2024 01/03/2024  $1,001 - $15,000\n\n"
        "                 F      S     : New\n\n\n"
        "          JT     Made Fund (MADEX) [MF]   S     01/02/2024 01/03/2024  $9.00\n\n"
        "                 F      S     : New\n\n\n"
        "          DC     Made B (MADE.B) [ST] S (partial) 01/02/2024 01/03/2024 Over $50,000,000\n\n"
        "                 F      S     : New\n\n\n"
        "                 Made Bond 4.375% due 12/15/2026 (91282CJP7) [GS] E 01/02/202401/03/2024$15.25\n\n"
        "                 F      S     : New\n\n\n",
        4);
    check_row(0, "SP|Made Co|MADE|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|New||");
    check_row(1, "JT|Made Fund|MADEX|MF|S|01/02/2024|01/03/2024|$9.00|New||");
    check_row(2, "DC|Made B|MADE.B|ST|S (partial)|01/02/2024|01/03/2024|Over $50,000,000|New||");
    check_row(
        3, "|Made Bond 4.375% due 12/15/2026 (91282CJP7)||GS|E|01/02/2024|01/03/2024|$15.25|New||");
}

/* A word that an owner's code could be belongs to the asset where the lines below begin with it. */
static void test_owner_or_asset(void)
{
    read_table(
        "       SP Plus Corporation (SP) [ST]    P   01/02/2024 01/03/2024  $1,001 - $15,000\n"
        "       F      S     : New\n\n\n"
        "   SP Made Plus (MADE) [ST]             P   01/02/2024 01/03/2024  $1,001 - $15,000\n"
        "       F      S     : New\n",
        2);
    check_row(0, "|SP Plus Corporation|SP|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|New||");
    check_row(1, "SP|Made Plus|MADE|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|New||");
}

static void test_wrapping(void)
{
    read_table(
        "          SP     Made Holding L.P. Units S (partial)    01/02/2024 01/03/2024  $500,001 -\n"
        "                 [OL]                                                          $1,000,000\n"
        "                 F      S     : New\n"
        "                 S           O : Made Trust > Made\n"
        "                 L     : New York, NY, US\n"
        "                 D      : Sold 20 of the shares that were bought on 01/02/2020\n"
        "                 and 01/03/2020.\n"
        "                 C     : Two lines,\n"
        "                 and two.\n\n\n"
        "                 Made Capital Partners II, LP       P   01/02/2024 01/03/2024  $982.18\n"
        "                 (Made Funds, LP) [OI]\n"
        "                 F      S     : New\n\n\n"
        "                 Made American Depositary Shares    S   01/02/2024 01/03/2024  $50,001 -\n"
        "                 each representing eight\n"
        "                 ordinary shares (MADE)                           (partial)    $100,000\n"
        "                 [ST]\n"
        "                 F      S     : New\n\n\n"
        "          SP     Made Notes                         P   01/02/2024 01/03/2024  Spouse/DC\n"
        "                 [CS]                                                          Over\n"
        "                                                                               $1,000,000\n"
        "                 F      S     : New\n\n\n",
        4);
    check_row(
        0,
        "SP|Made Holding L.P. Units||OL|S (partial)|01/02/2024|01/03/2024|$500,001 - $1,000,000|New|"
        "Sold 20 of the shares that were bought on 01/02/2020 and 01/03/2020.|Two lines, and two.");
    CU_ASSERT_STRING_EQUAL(rows[0].subholding, "Made Trust > Made");
    CU_ASSERT_STRING_EQUAL(rows[0].location, "New York, NY, US");
    check_row(
        1,
        "|Made Capital Partners II, LP (Made Funds, LP)||OI|P|01/02/2024|01/03/2024|$982.18|New||");
    check_row(
        2,
        "|Made American Depositary Shares each representing eight ordinary shares|MADE|ST|S (partial)|"
        "01/02/2024|01/03/2024|$50,001 - $100,000|New||");
    check_row(3, "SP|Made Notes||CS|P|01/02/2024|01/03/2024|Spouse/DC Over $1,000,000|New||");
}

/* Pages end after a row's first line, and within a comment; the next one has other offsets. */
static void test_page_break(void)
{
    read_table(
        "          SP     Made Class A                  S     01/02/2024 01/03/2024  $15,001 -\n\n"
        "\f" HEADINGS
        "     Common Stock (MADE) [ST]                                               $50,000\n"
        "     F      S     : New\n"
        "     D      : Sold\n\n     twenty\n\f" HEADINGS "        shares.\n\n\n"
        "  JT  Made (OTHR) [ST]    P   01/02/2024 01/03/2024   $1,001 -\n"
        "\f                     Filing ID #20099901\n" HEADINGS
        "                                                      $15,000\n"
        "      F      S     : New\n",
        2);
    check_row(0,
              "SP|Made Class A Common Stock|MADE|ST|S|01/02/2024|01/03/2024|$15,001 - $50,000|New|"
              "Sold twenty shares.|");
    check_row(1, "JT|Made|OTHR|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|New||");
}

static void test_amended(void)
{
    read_table(
        "2000099123 SP    Made Co (MADE) [ST]      P     01/02/2024 01/03/2024  $1,001 - $15,000\n"
        "                 F      S     : Amended\n\n\n"
        "2000099124       3M Made (MADE) [ST]      P     01/02/2024 01/03/2024  $1,001 - $15,000\n"
        "                 F      S     : Deleted\n\n\n"
        "2000099125DC  Made Co (MADE) [ST]      P     01/02/2024 01/03/2024  $1,001 - $15,000\n",
        3);
    check_row(0, "SP|Made Co|MADE|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|Amended||");
    check_row(1, "|3M Made|MADE|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|Deleted||");
    check_row(2, "DC|Made Co|MADE|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|||");
    CU_ASSERT_STRING_EQUAL(rows[0].id, "2000099123");
    CU_ASSERT_STRING_EQUAL(rows[1].id, "2000099124");
    CU_ASSERT_STRING_EQUAL(rows[2].id, "2000099125");
}

/* Labels in full, or with other bytes where their letters were. */
static void test_labels(void)
{
    static const char text[] =
        HEADER "     Made Co (MADE) [ST]   P   01/02/2024 01/03/2024  $1,001 - $15,000\n"
               "     F\0\0\0\0\0 S\0\0\0\0\0: New\n"
               "     S\0\0\0 O\x01: Made Trust\n"
               "     D\0\0\0\0: With NUL\0bytes.\n\n"
               "     Made Co (MADE) [ST]   P   01/02/2024 01/03/2024  $1,001 - $15,000\r\n"
               "     FILING STATUS: New\r\n     SUBHOLDING OF: Made Trust\r\n     LOCATION: US\r\n"
               "     Description: In full.\r\n     Comments: Note: all of it.\r\n" FOOTER;

    CU_ASSERT_EQUAL_FATAL(read_bytes(text, sizeof(text) - 1), APR_SUCCESS);
    CU_ASSERT_EQUAL_FATAL(count, 2);
    check_row(0, "|Made Co|MADE|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|New|With NUL bytes.|");
    CU_ASSERT_STRING_EQUAL(rows[0].subholding, "Made Trust");
    check_row(
        1,
        "|Made Co|MADE|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|New|In full.|Note: all of it.");
    CU_ASSERT_STRING_EQUAL(rows[1].location, "US");
}

/* Before 2022: letters of either case for small capitals, and boxes as letters of their font;
 * before 2018 no code of the asset's type. */
static void test_old_layout(void)
{
    static const char text[] =
        "                                          Filing ID #20000001\n"
        "name: Hon. Jane Made\nStatus: Member\nState/District: TX02\n\ntRanSactionS\n"
        "iD     owner asset                  transaction  Date       notification  amount           cap.\n"
        "                                    type                    Date                           gains >\n"
        "                                                                                           $200?\n"
        "       sP    Made products, Inc.    S (partial)  06/04/2016 06/12/2016    $1,001 - $15,000  gfedc\n"
        "             (aPD) [sT]\n\n"
        "             FILINg STATuS: New\n\n"
        "       JT    made Express (Cb)      s            01/27/2016 02/16/2016    $50,001 -         gfedcb\n"
        "                                                                          $100,000\n\n"
        "             FILINg STaTUS: New\n             DESCRIPTION: Made.\n\n"
        "* For the complete list of asset class abbreviations, please visit http://fd.house.gov/\n\n"
        "Digitally Signed: Hon. Jane Made ,\n   03/01/2016\n";

    CU_ASSERT_EQUAL_FATAL(read_bytes(text, sizeof(text) - 1), APR_SUCCESS);
    CU_ASSERT_EQUAL_FATAL(count, 2);
    check_row(
        0,
        "SP|Made products, Inc.|aPD|ST|S (partial)|06/04/2016|06/12/2016|$1,001 - $15,000|New||");
    check_row(1, "JT|made Express|Cb||S|01/27/2016|02/16/2016|$50,001 - $100,000|New|Made.|");
    CU_ASSERT_STRING_EQUAL(report.filed_on, "03/01/2016");
}

/* Above the line with its dates: an asset that is set in the middle of its row. */
static void test_asset_above(void)
{
    read_table(
        "          SP     Made American\n"
        "                 Depositary                P     01/02/2024 01/03/2024  $1,001 - $15,000\n"
        "                 Shares (MADE) [ST]\n"
        "                 F      S     : New\n"
        "                 D      : First.\n\n"
        "                 Second.\n\n"
        "                 Made Two (TWO) [ST]\n"
        "                                           P     01/02/2024 01/03/2024  $1,001 - $15,000\n",
        2);
    check_row(
        0,
        "SP|Made American Depositary Shares|MADE|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|New|"
        "First.|");
    check_row(1, "|Second. Made Two|TWO|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|||");
}

/* A row that cannot be read is handed over with what is wrong, and those around it are whole. */
static void test_errors(void)
{
    static const struct {
        const char *line, *error;
    } errors[] = {
        {"   Made (MADE) [ST]  Q  01/02/2024 01/03/2024  $1,001 - $15,000", "no type"},
        {"   Made (MADE) [ST]  P  01/02/2024 01/03/2024", "no amount"},
        {"   Made (MADE) [ST]  P  01/02/2024 01/03/2024  $1,001 -", "no upper end"},
        {"   Made (MADE) [ST]  P  01/02/2024 01/03/2024  Over", "not whole"},
        {"   Made (MADE) [ST]  P  01/02/2024 01/03/2024  $1,001 - $15,000 else",
         "text behind the amount"},
        {"                     P  01/02/2024 01/03/2024  $1,001 - $15,000", "no asset"},
        {"   Made (MADE) [ST]  P  01/02/2024             $1,001 - $15,000", "one date"},
    };
    size_t i;

    for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        read_table(apr_pstrcat(dsc_pool, errors[i].line, "\n   F   S   : New\n\n",
                               "   Made (MADE) [ST]  P  01/02/2024 01/03/2024  $1,001 - $15,000\n"
                               "   F   S   : New\n",
                               NULL),
                   2);
        CU_ASSERT_EQUAL(rows[0].line, 17);
        CU_ASSERT_PTR_NOT_NULL_FATAL(rows[0].error);
        CU_ASSERT_PTR_NOT_NULL(strstr(rows[0].error, errors[i].error));
        CU_ASSERT_PTR_NOT_NULL(rows[0].sample);
        check_row(count - 1, "|Made|MADE|ST|P|01/02/2024|01/03/2024|$1,001 - $15,000|New||");
    }
    read_table("   Something else\n   F   S   : New\n   D    : Lost.\n", 1);
    CU_ASSERT_TRUE(rows[0].is_row);
    CU_ASSERT_STRING_EQUAL(rows[0].sample, "Something else");
    read_table("   Something else\n\n   Made (MADE) [ST]  P  01/02/2024 01/03/2024  $5.00\n", 2);
    CU_ASSERT_PTR_NULL(rows[0].error);
    CU_ASSERT_FALSE(rows[1].is_row);
    CU_ASSERT_STRING_EQUAL(rows[1].error, "this text belongs to no transaction");
    read_table(
        "   Made (MADE) [ST]  P  01/02/2024 01/03/2024  $5.00\n   F   S   : New\n   D    : Made.\n\n"
        "   Torn (TORN) [ST]\n                     P  01/02/2024\n\n   F   S   : New\n",
        2);
    check_row(0, "|Made|MADE|ST|P|01/02/2024|01/03/2024|$5.00|New|Made.|");
    CU_ASSERT_STRING_EQUAL(rows[1].sample, "Torn (TORN) [ST]");
    CU_ASSERT_TRUE(rows[1].is_row);
    read_table("   F   S   : New\n", 1);
    CU_ASSERT_TRUE(rows[0].is_row);
    CU_ASSERT_STRING_EQUAL(rows[0].error, "no transaction stands before this line");
    read_table("   Made (MADE) [ST]  P  01/02/2024 01/03/2024  $50,000,001 -\n", 1);
    check_row(0, "|Made|MADE|ST|P|01/02/2024|01/03/2024|$50,000,001 -|||");
}

/* Also below the table no line with two dates is passed over. */
static void test_below(void)
{
    static const char text[] = HEADER
        "   Made (MADE) [ST]  P  01/02/2024 01/03/2024  $1,001 - $15,000\n   F   S   : New\n" FOOTER
        "   Made (MADE) [ST]  P  01/04/2024 01/05/2024  $1,001 - $15,000\n";

    CU_ASSERT_EQUAL_FATAL(read_bytes(text, sizeof(text) - 1), APR_SUCCESS);
    CU_ASSERT_EQUAL_FATAL(count, 2);
    check_row(1, "|Made|MADE|ST|P|01/04/2024|01/05/2024|$1,001 - $15,000|||");
}

static void test_none(void)
{
    static const struct {
        const char *text, *reason;
    } none[] = {
        {"", "a scanned report on paper"},
        {" \n\f\f\n", "a scanned report on paper"},
        {"Filing ID #1\nName: A B\nFiling Type: Annual Report\nAsset  Owner  Date  Tx. Amount Cap.\n",
         "a financial disclosure report"},
        {"Once upon a time\n", "no periodic transaction report"},
        {HEADER, "ends within the table"},
        {HEADER FOOTER, "no transaction in it"},
        {HEADINGS "   Made [ST]  P  01/02/2024 01/03/2024  $1,001 - $15,000\n" FOOTER,
         "no \"Name:\""},
        {"Name: A B\n" HEADINGS "   Made [ST]  P  01/02/2024 01/03/2024  $1,001 - $15,000\n" FOOTER,
         "no \"Filing ID #\""},
        {HEADER FOOTER "Filing ID #20099902\n", "line 30: another report begins"},
        {"Filing ID #20099901\nName:   Hon. Jane Made;Status:   Member\nState/District: TX02\n" HEADINGS,
         "line 2: \"Status:\" stands within it"},
        {"Filing ID #20099901\nName: Jane Made\nStatus:  Member State/District: TX02\n" HEADINGS,
         "line 3: \"State/District:\" stands within it"},
        {"Filing ID #20099901\nName: Jane Made\nState/District: TX020\n" HEADINGS,
         "line 3: this is no State/District: TX020"},
        {"Filing ID #200999010\nName: Jane Made\nState/District: TX02\n" HEADINGS,
         "line 1: no Filing ID has so many digits: 200999010"},
    };
    size_t i;

    for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        CU_ASSERT_EQUAL(read_bytes(none[i].text, strlen(none[i].text)), APR_EGENERAL);
        CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
        CU_ASSERT_PTR_NOT_NULL(strstr(reason, none[i].reason));
        if (strstr(reason, none[i].reason) == NULL) {
            printf("\n  %zu: %s\n", i, reason);
        }
    }
}

static void test_assets(void)
{
    static const struct {
        const char *text, *asset, *ticker, *type;
    } assets[] = {
        {"Alphabet Inc. - Class A (GOOGL) [ST]", "Alphabet Inc. - Class A", "GOOGL", "ST"},
        {"Berkshire Hathaway Inc. (BRK.B) [ST]", "Berkshire Hathaway Inc.", "BRK.B", "ST"},
        {"Brown (BF/B) [ST]", "Brown", "BF/B", "ST"},
        {"Tencent (0700.HK) [ST]", "Tencent", "0700.HK", "ST"},
        {"Made (91282CJP7) [GS]", "Made (91282CJP7)", NULL, "GS"},
        {"Made (2012) [OL]", "Made (2012)", NULL, "OL"},
        {"Made (GLAS Funds, LP) [OI]", "Made (GLAS Funds, LP)", NULL, "OI"},
        {"Made (Delaware) [OL]", "Made (Delaware)", NULL, "OL"},
        {"Made (ADR) [ST]", "Made (ADR)", NULL, "ST"},
        {"REOF XX, LLC [AB]", "REOF XX, LLC", NULL, "AB"},
        {"Made (MADE) [ST] units", "Made (MADE) units", NULL, "ST"},
        {"(MADE) [ST]", NULL, "MADE", "ST"},
        {"Made) [5F]", "Made)", NULL, "5F"},
        {"Made [Fund] (MADE)", "Made [Fund]", "MADE", NULL},
    };
    size_t i;

    for (i = 0; i < sizeof(assets) / sizeof(assets[0]); i++) {
        const char *ticker, *type;
        const char *asset = dsc_house_asset(dsc_pool, assets[i].text, 0, &ticker, &type);
        const char *got[] = {asset, ticker, type};
        const char *wanted[] = {assets[i].asset, assets[i].ticker, assets[i].type};
        int member;
        for (member = 0; member < 3; member++) {
            CU_ASSERT_STRING_EQUAL(got[member] == NULL ? "-" : got[member],
                                   wanted[member] == NULL ? "-" : wanted[member]);
        }
    }
}

static void test_kinds(void)
{
    static const char index[] = "Prefix\tLast\tFirst\nHon.\tMade\tFiling ID\n";

    CU_ASSERT_TRUE(dsc_house_is_report(HEADER, strlen(HEADER)));
    CU_ASSERT_FALSE(dsc_house_is_report(index, strlen(index)));
    CU_ASSERT_FALSE(dsc_house_is_report("", 0));
}

void dsc_suite_house_report_text(void)
{
    CU_pSuite suite = CU_add_suite("reports of the House", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "what is true of the whole report", test_head);
    CU_add_test(suite, "owners, types, amounts", test_owners_and_types);
    CU_add_test(suite, "an owner, or an asset that begins like one", test_owner_or_asset);
    CU_add_test(suite, "assets, amounts and comments that wrap", test_wrapping);
    CU_add_test(suite, "pages that end within a row", test_page_break);
    CU_add_test(suite, "amended and deleted rows", test_amended);
    CU_add_test(suite, "labels", test_labels);
    CU_add_test(suite, "old layouts", test_old_layout);
    CU_add_test(suite, "assets above their dates", test_asset_above);
    CU_add_test(suite, "rows that cannot be read", test_errors);
    CU_add_test(suite, "lines below the table", test_below);
    CU_add_test(suite, "texts that are no report", test_none);
    CU_add_test(suite, "tickers and types of assets", test_assets);
    CU_add_test(suite, "reports and indexes", test_kinds);
}
