#include "sources/sec_ownership/ownership_document.h"
#include "sources/sec_ownership/ownership_people.h"
#include "sources/shared/ownership_submission.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <string.h>

#define HEAD                                                                                       \
    "<?xml version=\"1.0\"?>\n<ownershipDocument>\n<documentType>4</documentType>\n"               \
    "<periodOfReport>2021-01-04-05:00</periodOfReport>\n"                                          \
    "<issuer><issuerCik>0009900001</issuerCik>"                                                    \
    "<issuerName>Tidewell Instruments &amp; Co</issuerName>"                                       \
    "<issuerTradingSymbol>TWLI</issuerTradingSymbol></issuer>\n"
#define OWNER                                                                                      \
    "<reportingOwner><reportingOwnerId><rptOwnerCik>0009900002</rptOwnerCik>"                      \
    "<rptOwnerName>Okafor Ines</rptOwnerName></reportingOwnerId><reportingOwnerRelationship>"      \
    "<isDirector>1</isDirector><isOfficer>true</isOfficer>"                                        \
    "<isTenPercentOwner>0</isTenPercentOwner>"                                                     \
    "<isOther>false</isOther><officerTitle> Chief  Executive Officer </officerTitle>"              \
    "</reportingOwnerRelationship></reportingOwner>\n"
#define FUND                                                                                       \
    "<reportingOwner><reportingOwnerId><rptOwnerCik>9900003</rptOwnerCik>"                         \
    "<rptOwnerName>Harbour Fund II, L.P.</rptOwnerName></reportingOwnerId>"                        \
    "<reportingOwnerRelationship><isTenPercentOwner>1</isTenPercentOwner><isOther>1</isOther>"     \
    "<otherText>Adviser</otherText></reportingOwnerRelationship></reportingOwner>\n"
#define TAIL "</ownershipDocument>"

#define SALE                                                                                       \
    "<nonDerivativeTable><nonDerivativeTransaction>"                                               \
    "<securityTitle><value>Common Stock</value></securityTitle>"                                   \
    "<transactionDate><value>2021-01-04Z</value></transactionDate>"                                \
    "<transactionCoding><transactionFormType>4</transactionFormType>"                              \
    "<transactionCode>S</transactionCode><equitySwapInvolved>0</equitySwapInvolved>"               \
    "</transactionCoding><transactionTimeliness><value>L</value></transactionTimeliness>"          \
    "<transactionAmounts><transactionShares><value>1000.0</value></transactionShares>"             \
    "<transactionPricePerShare><footnoteId id=\"F1\"/><footnoteId id=\"F2\"/>"                     \
    "</transactionPricePerShare><transactionAcquiredDisposedCode><value>D</value>"                 \
    "</transactionAcquiredDisposedCode></transactionAmounts>"                                      \
    "<postTransactionAmounts><sharesOwnedFollowingTransaction><value>5</value>"                    \
    "<footnoteId id=\"F3\"/></sharesOwnedFollowingTransaction></postTransactionAmounts>"           \
    "<ownershipNature><directOrIndirectOwnership><value>I</value></directOrIndirectOwnership>"     \
    "<natureOfOwnership><value>By trust</value></natureOfOwnership></ownershipNature>"             \
    "</nonDerivativeTransaction><nonDerivativeTransaction><transactionAmounts>"                    \
    "<transactionShares><value>abc</value></transactionShares></transactionAmounts>"               \
    "</nonDerivativeTransaction><nonDerivativeHolding><securityTitle><value>Preferred</value>"     \
    "</securityTitle><postTransactionAmounts/><ownershipNature><directOrIndirectOwnership>"        \
    "<value>D</value></directOrIndirectOwnership></ownershipNature></nonDerivativeHolding>"        \
    "</nonDerivativeTable>\n"
#define OPTION                                                                                     \
    "<derivativeTable><derivativeHolding><conversionOrExercisePrice><value>3.74</value>"           \
    "</conversionOrExercisePrice><exerciseDate><value>2021-02-30</value></exerciseDate>"           \
    "</derivativeHolding></derivativeTable>\n"
#define NOTES                                                                                      \
    "<remarks> Exhibit 24:\n Power of Attorney </remarks>"                                         \
    "<aff10b5One>1</aff10b5One><footnotes><footnote id=\"F1\">Average\n price.</footnote>"         \
    "<footnote id=\"F2\">See the plan.</footnote><footnote id=\"F3\">Not here.</footnote>"         \
    "</footnotes><ownerSignature><signatureDate>2021-01-05</signatureDate></ownerSignature>"       \
    "<ownerSignature><signatureDate>2021-01-06</signatureDate></ownerSignature>\n"

static const char report[] = HEAD OWNER FUND SALE OPTION NOTES TAIL;

static dsc_ownership_document_t *parse(const char *xml, const char **reason)
{
    *reason = NULL;
    return dsc_ownership_parse(dsc_pool, xml, strlen(xml), 1, reason);
}

static const dsc_ownership_row_t *row_at(const dsc_ownership_document_t *document, int index)
{
    return &APR_ARRAY_IDX(document->rows, index, dsc_ownership_row_t);
}

static void test_report(void)
{
    const char *reason;
    dsc_ownership_document_t *document = parse(report, &reason);

    CU_ASSERT_PTR_NOT_NULL_FATAL(document);
    CU_ASSERT_STRING_EQUAL(document->form, "4");
    CU_ASSERT_STRING_EQUAL(document->period_of_report, "2021-01-04");
    CU_ASSERT_STRING_EQUAL(document->issuer_cik, "9900001");
    CU_ASSERT_STRING_EQUAL(document->issuer_name, "Tidewell Instruments & Co");
    CU_ASSERT_STRING_EQUAL(document->rule_10b5_1, "t");
    CU_ASSERT_STRING_EQUAL(document->signature_date, "2021-01-06");
    CU_ASSERT_STRING_EQUAL(document->remarks, "Exhibit 24: Power of Attorney");
    CU_ASSERT_FALSE(document->no_longer_subject);
    CU_ASSERT_EQUAL(document->owners->nelts, 2);
    CU_ASSERT_EQUAL(document->rows->nelts, 4);
}

static void test_transaction(void)
{
    const char *reason;
    const dsc_ownership_row_t *row = row_at(parse(report, &reason), 0);

    CU_ASSERT_STRING_EQUAL(row->location, "nonDerivativeTable/nonDerivativeTransaction[1]");
    CU_ASSERT_PTR_NULL(row->error);
    CU_ASSERT_STRING_EQUAL(row->transaction_date, "2021-01-04");
    CU_ASSERT_STRING_EQUAL(row->transaction_code, "S");
    CU_ASSERT_STRING_EQUAL(row->equity_swap, "f");
    CU_ASSERT_STRING_EQUAL(row->timeliness, "L");
    CU_ASSERT_STRING_EQUAL(row->shares, "1000.0");
    CU_ASSERT_PTR_NULL(row->price);
    CU_ASSERT_STRING_EQUAL(row->ownership, "I");
    CU_ASSERT_STRING_EQUAL(row->ownership_nature, "By trust");
    CU_ASSERT_STRING_EQUAL(row->quote, "Average price.\nSee the plan.");
    CU_ASSERT_STRING_EQUAL(
        row->footnotes, "[{\"id\":\"F1\",\"field\":\"price\",\"text\":\"Average price.\"},"
                        "{\"id\":\"F2\",\"field\":\"price\",\"text\":\"See the plan.\"},"
                        "{\"id\":\"F3\",\"field\":\"shares_owned_after\",\"text\":\"Not here.\"}]");
    CU_ASSERT_PTR_NULL(row_at(parse(report, &reason), 1)->footnotes);
    CU_ASSERT_PTR_NULL(parse(report, &reason)->remark);
}

#define MARK(id)         "<footnoteId id=\"" id "\"/>"
#define FOOTNOTE(id)     "<footnote id=\"" id "\">Text " id "</footnote>"
#define ROW(kind, value) "<" kind ">" value "</" kind ">"

/* Each location at which the schema allows a reference, and some at which it does not. */
static void test_footnotes(void)
{
    static const struct {
        const char *body, *notes, *footnotes, *remark;
        int row;
    } cases[] = {
        {ROW("nonDerivativeTable",
             ROW("nonDerivativeTransaction",
                 "<transactionCoding>" MARK("F1") "</transactionCoding><transactionDate>"
                                                  "<value>2021-01-04</value>" MARK("F2")
                                                      MARK("F2") "</transactionDate>")),
         FOOTNOTE("F1") FOOTNOTE("F2"),
         "[{\"id\":\"F1\",\"field\":\"transaction_code\",\"text\":\"Text F1\"},"
         "{\"id\":\"F2\",\"field\":\"transaction_date\",\"text\":\"Text F2\"},"
         "{\"id\":\"F2\",\"field\":\"transaction_date\",\"text\":\"Text F2\"}]",
         NULL, 0},
        {ROW("derivativeTable",
             ROW("derivativeHolding",
                 MARK("F3") "<exerciseDate>" MARK(
                     "F1") "</exerciseDate><postTransactionAmounts>"
                           "<sharesOwnedFollowingTransaction><value>5" MARK(
                               "F2") "</value>"
                                     "</sharesOwnedFollowingTransaction></postTransactionAmounts>")),
         FOOTNOTE("F1") FOOTNOTE("F2") FOOTNOTE("F3"),
         "[{\"id\":\"F3\",\"field\":null,\"text\":\"Text F3\"},"
         "{\"id\":\"F1\",\"field\":\"exerciseDate\",\"text\":\"Text F1\"},"
         "{\"id\":\"F2\",\"field\":\"shares_owned\",\"text\":\"Text F2\"}]",
         NULL, 0},
        {"<elsewhere><issuerName>" MARK("F4") "</issuerName></elsewhere>" ROW(
             "nonDerivativeTable",
             ROW("nonDerivativeHolding", "")
                 ROW("nonDerivativeHolding", "<securityTitle>" MARK("F1") "</securityTitle>"))
             ROW("derivativeTable", MARK("F2")) "<remarks>" MARK("F3") "</remarks>",
         FOOTNOTE("F1") FOOTNOTE("F2") FOOTNOTE("F3") FOOTNOTE("F4"),
         "[{\"id\":\"F4\",\"field\":\"issuerName\",\"text\":\"Text F4\"},"
         "{\"id\":\"F1\",\"field\":\"security_title\",\"text\":\"Text F1\"},"
         "{\"id\":\"F2\",\"field\":null,\"text\":\"Text F2\"},"
         "{\"id\":\"F3\",\"field\":null,\"text\":\"Text F3\"}]",
         NULL, 1},
        {ROW("nonDerivativeTable",
             ROW("nonDerivativeHolding",
                 "<securityTitle>" MARK("F10") MARK("F9") MARK("F1") "</securityTitle>")),
         FOOTNOTE("F11") FOOTNOTE("F2") "<footnote id=\"F1\"> </footnote>",
         "[{\"id\":\"F1\",\"field\":\"security_title\",\"text\":null},"
         "{\"id\":\"F9\",\"field\":\"security_title\",\"text\":null},"
         "{\"id\":\"F10\",\"field\":\"security_title\",\"text\":null},"
         "{\"id\":\"F2\",\"field\":null,\"text\":\"Text F2\"},"
         "{\"id\":\"F11\",\"field\":null,\"text\":\"Text F11\"}]",
         "references to footnotes without a text: F10, F9, F1; footnotes that nothing refers to, "
         "kept with each row: F2, F11",
         0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *reason;
        dsc_ownership_document_t *document =
            parse(apr_pstrcat(dsc_pool, HEAD OWNER, cases[i].body, "<footnotes>", cases[i].notes,
                              "</footnotes>" TAIL, NULL),
                  &reason);

        CU_ASSERT_PTR_NOT_NULL_FATAL(document);
        CU_ASSERT_PTR_NOT_NULL_FATAL(row_at(document, cases[i].row)->footnotes);
        CU_ASSERT_STRING_EQUAL(row_at(document, cases[i].row)->footnotes, cases[i].footnotes);
        CU_ASSERT_EQUAL(!document->remark, !cases[i].remark);
        CU_ASSERT_TRUE(!document->remark || strcmp(document->remark, cases[i].remark) == 0);
    }
}

/* A document whose footnotes or remarks would fill the database is refused. */
static void test_too_many_footnotes(void)
{
    char *text = apr_pcalloc(dsc_pool, 1024 * 1024 + 1);
    const char *xml = HEAD OWNER "<nonDerivativeTable>", *reason;

    memset(text, 'a', 1024 * 1024);
    for (int i = 0; i < 65; i++) {
        xml = apr_pstrcat(dsc_pool, xml, ROW("nonDerivativeHolding", MARK("F1")), NULL);
    }
    xml = apr_pstrcat(dsc_pool, xml, "</nonDerivativeTable><footnotes><footnote id=\"F1\">", text,
                      "</footnote></footnotes>" TAIL, NULL);
    CU_ASSERT_PTR_NULL(parse(xml, &reason));
    CU_ASSERT_STRING_EQUAL(reason, "the rows' footnotes come to more than 64 MB");
    xml = HEAD OWNER "<nonDerivativeTable>";
    for (int i = 0; i < 65; i++) {
        xml = apr_pstrcat(dsc_pool, xml, ROW("nonDerivativeHolding", ""), NULL);
    }
    xml =
        apr_pstrcat(dsc_pool, xml, "</nonDerivativeTable><remarks>", text, "</remarks>" TAIL, NULL);
    CU_ASSERT_PTR_NULL(parse(xml, &reason));
    CU_ASSERT_STRING_EQUAL(reason, "the rows' remarks come to more than 64 MB");
}

static void test_faulty_rows_stand_alone(void)
{
    const char *reason;
    dsc_ownership_document_t *document = parse(report, &reason);

    CU_ASSERT_STRING_EQUAL(row_at(document, 1)->location,
                           "nonDerivativeTable/nonDerivativeTransaction[2]");
    CU_ASSERT_STRING_EQUAL(row_at(document, 1)->error, "transactionShares \"abc\" is not a number");
    CU_ASSERT_STRING_EQUAL(row_at(document, 1)->sample, "abc");
    CU_ASSERT_PTR_NULL(row_at(document, 2)->error);
    CU_ASSERT_TRUE(row_at(document, 2)->is_holding);
    CU_ASSERT_EQUAL(row_at(document, 2)->number, 1);
    CU_ASSERT_TRUE(row_at(document, 3)->is_derivative);
    CU_ASSERT_STRING_EQUAL(row_at(document, 3)->error, "exerciseDate \"2021-02-30\" is not a date");
}

/* A row of each kind that has all that the schema asks for, and nothing else. */
#define VALUE(name, value) "<" name "><value>" value "</value></" name ">"
#define TITLE              VALUE("securityTitle", "Common")
#define OWNED              "<ownershipNature>" VALUE("directOrIndirectOwnership", "D") "</ownershipNature>"
#define AFTER              "<postTransactionAmounts></postTransactionAmounts>"
#define CODED                                                                                      \
    VALUE("transactionDate", "2021-01-04")                                                         \
    "<transactionCoding><transactionCode>M</transactionCode></transactionCoding>"
#define AMOUNTS(shares)                                                                            \
    "<transactionAmounts>" shares                                                                  \
    "<transactionPricePerShare><footnoteId id=\"F1\"/></transactionPricePerShare>" VALUE(          \
        "transactionAcquiredDisposedCode", "A") "</transactionAmounts>"
#define UNDERLYING                                                                                 \
    VALUE("conversionOrExercisePrice", "1")                                                        \
    "<exerciseDate><footnoteId id=\"F1\"/></exerciseDate>" VALUE(                                  \
        "expirationDate", "2031-01-04") "<underlyingSecurity>" VALUE("underlyingSecurityTitle",    \
                                                                     "Common")                     \
        VALUE("underlyingSecurityShares", "7") "</underlyingSecurity>"

static const char *const whole_rows[] = {
    "<nonDerivativeTable><nonDerivativeTransaction>" TITLE CODED AMOUNTS(
        VALUE("transactionShares", "7")) AFTER OWNED
    "</nonDerivativeTransaction></nonDerivativeTable>",
    "<nonDerivativeTable><nonDerivativeHolding>" TITLE AFTER OWNED
    "</nonDerivativeHolding></nonDerivativeTable>",
    "<derivativeTable><derivativeTransaction>" TITLE CODED UNDERLYING AMOUNTS("") AFTER OWNED
    "</derivativeTransaction></derivativeTable>",
    "<derivativeTable><derivativeHolding>" TITLE UNDERLYING OWNED
    "</derivativeHolding></derivativeTable>",
};

/* The error of the one row of a form of that schema, after a part of it was replaced. */
static const char *error_of(int kind, const char *version, const char *part, const char *by)
{
    const char *at = strstr(whole_rows[kind], part), *reason;
    dsc_ownership_document_t *document;

    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    document =
        parse(apr_pstrcat(dsc_pool, HEAD "<schemaVersion>", version, "</schemaVersion>" OWNER,
                          apr_pstrndup(dsc_pool, whole_rows[kind], (size_t)(at - whole_rows[kind])),
                          by, at + strlen(part), TAIL, NULL),
              &reason);
    CU_ASSERT_PTR_NOT_NULL_FATAL(document);
    return row_at(document, 0)->error;
}

static void test_what_a_row_needs(void)
{
    static const struct {
        int kind;
        const char *part, *by, *error;
        int early; /* of forms before X0203 as well */
    } cases[] = {
        {0, TITLE, "<securityTitle><footnoteId id=\"F1\"/></securityTitle>",
         "securityTitle has no value", 0},
        {1, TITLE, "", "securityTitle is missing", 1},
        {1, OWNED, "", "ownershipNature/directOrIndirectOwnership is missing", 0},
        {1, AFTER, "", "postTransactionAmounts is missing", 0},
        {0, "<value>2021-01-04</value>", "", "transactionDate has no value", 0},
        {0, "<transactionCode>M</transactionCode>", "",
         "transactionCoding/transactionCode is missing", 1},
        {2, "M", "", "transactionCoding/transactionCode has no value", 0},
        {0, "<footnoteId id=\"F1\"/>", "",
         "transactionAmounts/transactionPricePerShare has neither a value nor a footnote", 0},
        {0, VALUE("transactionAcquiredDisposedCode", "A"), "",
         "transactionAmounts/transactionAcquiredDisposedCode is missing", 0},
        {0, VALUE("transactionShares", "7"), "", "transactionAmounts/transactionShares is missing",
         1},
        {0, "<value>7</value>", "<footnoteId id=\"F1\"/>",
         "transactionAmounts/transactionShares has no value", 0},
        {2, VALUE("underlyingSecurityShares", "7"), "",
         "transactionAmounts/transactionShares is missing", 1},
        {2, VALUE("conversionOrExercisePrice", "1"), "", "conversionOrExercisePrice is missing", 0},
        {3, "<exerciseDate><footnoteId id=\"F1\"/>", "<exerciseDate>",
         "exerciseDate has neither a value nor a footnote", 0},
        {3, VALUE("expirationDate", "2031-01-04"), "", "expirationDate is missing", 0},
        {3, VALUE("underlyingSecurityTitle", "Common"), "",
         "underlyingSecurity/underlyingSecurityTitle is missing", 0},
    };

    for (int kind = 0; kind < 4; kind++) {
        CU_ASSERT_PTR_NULL(error_of(kind, "X0508", "", ""));
        CU_ASSERT_PTR_NULL(error_of(kind, "X0101", "", ""));
    }
    CU_ASSERT_PTR_NULL(error_of(3, "X0206", VALUE("underlyingSecurityShares", "7"), ""));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *error = error_of(cases[i].kind, "X0203", cases[i].part, cases[i].by);

        CU_ASSERT_PTR_NOT_NULL_FATAL(error);
        CU_ASSERT_STRING_EQUAL(error, cases[i].error);
        error = error_of(cases[i].kind, "X0202", cases[i].part, cases[i].by);
        CU_ASSERT_EQUAL(error != NULL, cases[i].early);
    }
}

#define BOXES(boxes)                                                                               \
    HEAD "<reportingOwner><reportingOwnerId><rptOwnerCik>1</rptOwnerCik><rptOwnerName>A"           \
         "</rptOwnerName></reportingOwnerId><reportingOwnerRelationship>" boxes                    \
         "</reportingOwnerRelationship></reportingOwner>" TAIL

/* Boxes that were lost make another relationship of it. */
static void test_boxes(void)
{
    static const struct {
        const char *xml, *reason;
    } cases[] = {
        {BOXES("<isDirector>1</isDirector>"), NULL},
        {BOXES("<isDirector>0</isDirector><isOther>0</isOther>"),
         "reportingOwner[1]: none of isDirector, isOfficer, isTenPercentOwner and isOther is true"},
        {BOXES("<isDirector>1</isDirector><officerTitle>CFO</officerTitle>"),
         "reportingOwner[1]: isOfficer is missing, though there is an officerTitle"},
        {BOXES("<isDirector>1</isDirector><isOfficer>0</isOfficer><officerTitle>x</officerTitle>"),
         NULL},
        {BOXES("<isDirector>1</isDirector><otherText>Trustee</otherText>"),
         "reportingOwner[1]: isOther is missing, though there is an otherText"},
        {BOXES("<isDirector>yes</isDirector><isOther>1</isOther>"),
         "reportingOwner[1]: isDirector \"yes\" is not true, false, 1 or 0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *reason;

        CU_ASSERT_EQUAL(parse(cases[i].xml, &reason) != NULL, !cases[i].reason);
        CU_ASSERT_TRUE(!cases[i].reason || strcmp(reason, cases[i].reason) == 0);
    }
}

static void test_people(void)
{
    const char *reason;
    dsc_ownership_document_t *document = parse(report, &reason);
    dsc_reporting_owner_t *person = &APR_ARRAY_IDX(document->owners, 0, dsc_reporting_owner_t);
    dsc_reporting_owner_t *fund = &APR_ARRAY_IDX(document->owners, 1, dsc_reporting_owner_t);

    CU_ASSERT_STRING_EQUAL(dsc_relationship_text(dsc_pool, person),
                           "Director, Officer: Chief Executive Officer");
    CU_ASSERT_STRING_EQUAL(dsc_owner_role(dsc_pool, person), "Chief Executive Officer");
    CU_ASSERT_EQUAL(dsc_owner_rank(person), DSC_RANK_CHIEF_EXECUTIVE);
    CU_ASSERT_STRING_EQUAL(dsc_relationship_text(dsc_pool, fund), "10% Owner, Other: Adviser");
    CU_ASSERT_EQUAL(dsc_owner_rank(fund), DSC_RANK_OTHER);
}

static void test_ranks_of_titles(void)
{
    static const struct {
        const char *title;
        int rank;
    } cases[] = {
        {"President and CEO", DSC_RANK_CHIEF_EXECUTIVE},
        {"Principal Executive Officer", DSC_RANK_CHIEF_EXECUTIVE},
        {"President", DSC_RANK_CHIEF_EXECUTIVE},
        {"EVP, CFO & Treasurer", DSC_RANK_CHIEF_FINANCIAL},
        {"Chief Financial Officer", DSC_RANK_CHIEF_FINANCIAL},
        {"President, Asia", DSC_RANK_OFFICER},
        {"Preceos Officer", DSC_RANK_OFFICER},
    };
    dsc_reporting_owner_t owner = {.is_officer = 1};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        owner.officer_title = cases[i].title;
        CU_ASSERT_EQUAL(dsc_owner_rank(&owner), cases[i].rank);
    }
}

static void test_titles_in_remarks(void)
{
    static const struct {
        const char *title, *remarks, *stated;
    } cases[] = {
        {"See Remarks", "Title: Chief Executive Officer", "Chief Executive Officer"},
        {"See remarks below", "\n TITLE:  Chief Legal Officer.\nBy power of attorney.",
         "Chief Legal Officer"},
        {"See Remarks", "Title: President. Filed late.", "See Remarks"},
        {"See Remarks", "Title:", "See Remarks"},
        {"See Remarks", "Filed late.", "See Remarks"},
        {"See Remarks", NULL, "See Remarks"},
        {"Treasurer", "Title: President", "Treasurer"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CU_ASSERT_STRING_EQUAL(dsc_officer_title(dsc_pool, cases[i].title, cases[i].remarks),
                               cases[i].stated);
    }
    CU_ASSERT_PTR_NULL(dsc_officer_title(dsc_pool, NULL, "Title: President"));
}

static void test_what_is_no_report(void)
{
    static const struct {
        const char *xml, *reason;
    } cases[] = {
        {HEAD TAIL, "the reportingOwner is missing"},
        {"<ownershipDocument><documentType>8-K</documentType></ownershipDocument>",
         "documentType \"8-K\" is none of 3, 4, 5, 3/A, 4/A, 5/A"},
        {"\n<edgarSubmission/>",
         "line 2: the root element is edgarSubmission, not ownershipDocument"},
        {"<!DOCTYPE x [<!ENTITY a \"b\">]><ownershipDocument/>",
         "line 1: a document type declaration is not accepted"},
        {HEAD "<reportingOwner>\n</ownershipDocument>",
         "line 7: not well-formed: Opening and ending tag"},
        {"<ownershipDocument>&none;</ownershipDocument>", "line 1: not well-formed: Entity"},
        {"", "line 1: "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *reason;

        CU_ASSERT_PTR_NULL(parse(cases[i].xml, &reason));
        CU_ASSERT_PTR_NOT_NULL_FATAL(reason);
        CU_ASSERT_NSTRING_EQUAL(reason, cases[i].reason, strlen(cases[i].reason));
    }
}

/* What the schema has once. A row, or an owner, stands for itself. */
static void test_twins(void)
{
    static const struct {
        const char *xml, *reason;
    } refused[] = {
        {HEAD OWNER SALE SALE NOTES TAIL, "nonDerivativeTable stands more than once"},
        {HEAD OWNER OPTION OPTION NOTES TAIL, "derivativeTable stands more than once"},
        {HEAD OWNER "<footnotes/><footnotes/>" TAIL, "footnotes stands more than once"},
        {HEAD "<schemaVersion/><schemaVersion/>" OWNER TAIL, "schemaVersion stands more than once"},
        {HEAD OWNER "<ownerSignature><signatureDate>2021-01-05</signatureDate>"
                    "<signatureDate>2021-01-06</signatureDate></ownerSignature>" TAIL,
         "signatureDate stands more than once"},
    };
    static const char address[] = "<reportingOwnerAddress/><reportingOwnerAddress/>";
    dsc_ownership_document_t *document;
    const char *reason, *error;

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        CU_ASSERT_PTR_NULL(parse(refused[i].xml, &reason));
        CU_ASSERT_STRING_EQUAL(reason ? reason : "", refused[i].reason);
    }
    document = parse(apr_pstrcat(dsc_pool, HEAD "<reportingOwner>", address,
                                 OWNER + strlen("<reportingOwner>"), TAIL, NULL),
                     &reason);
    CU_ASSERT_PTR_NOT_NULL_FATAL(document);
    error = APR_ARRAY_IDX(document->owners, 0, dsc_reporting_owner_t).error;
    CU_ASSERT_STRING_EQUAL(error ? error : "", "reportingOwnerAddress stands more than once");
    error = error_of(0, "X0508", "<transactionCode>",
                     "<transactionFormType/><transactionFormType/><transactionCode>");
    CU_ASSERT_STRING_EQUAL(error ? error : "", "transactionFormType stands more than once");
}

/* A signature of before the law or the period, or that is not yet come, says nothing. */
static void test_signatures_that_say_nothing(void)
{
    static const char *const days[] = {"0001-01-01", "2021-01-03", "2921-01-05"};

    for (int i = 0; i < 3; i++) {
        const char *reason,
            *form = apr_psprintf(dsc_pool,
                                 HEAD OWNER "<ownerSignature><signatureDate>%s"
                                            "</signatureDate></ownerSignature>" TAIL,
                                 days[i]);
        dsc_ownership_document_t *document = parse(form, &reason);

        CU_ASSERT_PTR_NOT_NULL_FATAL(document);
        CU_ASSERT_PTR_NULL(document->signature_date);
    }
}

#define SGML_HEADER                                                                                   \
    "<SEC-DOCUMENT>0009900001-22-000007.txt : 20221108\n<SEC-HEADER>x\n"                              \
    "<ACCEPTANCE-DATETIME>20221108201810\nACCESSION NUMBER:\t\t0009900001-22-000007\n"                \
    "CONFORMED SUBMISSION TYPE:\t4\nFILED AS OF DATE:\t\t20221109\nREPORTING-OWNER:\n\tOWNER DATA:\n" \
    "\t\tCENTRAL INDEX KEY:\t\t0009900002\nISSUER:\n\t\tCENTRAL INDEX KEY:\t\t0009900001\n"           \
    "</SEC-HEADER>\n<DOCUMENT>\n<TYPE>4\n<TEXT>\n<XML>\n"
#define NC_HEADER                                                                                  \
    "<SUBMISSION>\r<ACCESSION-NUMBER>0009900001-22-000007\r<TYPE>4\r<FILING-DATE>20221109\r"       \
    "<REPORTING-OWNER>\r<OWNER-DATA>\r<CIK>0009900002\r</REPORTING-OWNER>\r<ISSUER>\r"             \
    "<CIK>0009900001\r</ISSUER>\r<DOCUMENT>\r<TYPE>4\r<TEXT>\r<XML>\r"

#define SGML_END "\n</XML>\n</TEXT>\n</DOCUMENT>\n</SEC-DOCUMENT>\n"

static void test_submissions(void)
{
    static const char *const files[] = {SGML_HEADER HEAD OWNER TAIL SGML_END,
                                        NC_HEADER HEAD OWNER TAIL
                                        "\r</XML>\r</TEXT>\r</DOCUMENT>\r</SUBMISSION>\r",
                                        "\xEF\xBB\xBF" HEAD OWNER TAIL "\n"};
    static const char *const accepted[] = {"2022-11-09T01:18:10Z", NULL, NULL};
    const char *reason = "", *hash = parse(HEAD OWNER TAIL, &reason)->digest;
    dsc_ownership_submission_t found;

    for (int i = 0; i < 3; i++) {
        CU_ASSERT_TRUE_FATAL(
            dsc_ownership_find(dsc_pool, files[i], strlen(files[i]), &found, &reason));
        CU_ASSERT_STRING_EQUAL(i < 2 ? found.accession : "0009900001-22-000007",
                               "0009900001-22-000007");
        CU_ASSERT_STRING_EQUAL(i < 2 ? found.filed_on : "2022-11-09", "2022-11-09");
        CU_ASSERT_EQUAL(found.owners != NULL, i < 2);
        CU_ASSERT_EQUAL(found.issuers != NULL, i < 2);
        CU_ASSERT_EQUAL(found.form != NULL, i < 2);
        CU_ASSERT_TRUE(i == 2 || strcmp(found.form, "4") == 0);
        CU_ASSERT_TRUE(i == 2 ||
                       (found.owners->nelts == 1 &&
                        strcmp(APR_ARRAY_IDX(found.owners, 0, const char *), "9900002") == 0));
        CU_ASSERT_EQUAL(!found.accepted_at, !accepted[i]);
        CU_ASSERT_TRUE(!accepted[i] || strcmp(found.accepted_at, accepted[i]) == 0);
        CU_ASSERT_STRING_EQUAL(dsc_ownership_parse(dsc_pool, found.xml, found.length,
                                                   found.first_line, &reason)
                                   ->digest,
                               hash);
    }
    CU_ASSERT_FALSE(dsc_ownership_find(dsc_pool, "<SUBMISSION>\n", 13, &found, &reason));
    CU_ASSERT_FALSE(dsc_ownership_find(dsc_pool, " \n", 2, &found, &reason));
}

/* The form is all there in each, and the submission is not. */
static void test_cut_submissions(void)
{
    static const char whole[] = SGML_HEADER HEAD OWNER TAIL SGML_END;
    size_t length = strlen(whole);
    dsc_ownership_submission_t found;
    const char *reason;

    CU_ASSERT_TRUE(dsc_ownership_find(dsc_pool, whole, length - 1, &found, &reason));
    for (size_t cut = 2; cut < strlen(SGML_END); cut++) {
        reason = NULL;
        CU_ASSERT_FALSE(dsc_ownership_find(dsc_pool, whole, length - cut, &found, &reason));
        CU_ASSERT_PTR_NOT_NULL(reason);
    }
}

static void test_accession_in_name(void)
{
    static const char *const names[][2] = {
        {"0009900001-22-000007.xml", "0009900001-22-000007"},
        {"data/000990000122000007/doc4.xml", "0009900001-22-000007"},
        {"forms.zip:0009900001-22-000007.txt", "0009900001-22-000007"},
        {"form4.xml", NULL},
        {"0009900001-22-00007.xml", NULL},
        {"00099000012200000x.xml", NULL},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *accession = dsc_accession_of_name(dsc_pool, names[i][0]);

        CU_ASSERT_EQUAL(!accession, !names[i][1]);
        CU_ASSERT_TRUE(!accession || strcmp(accession, names[i][1]) == 0);
    }
}

void dsc_suite_ownership_document(void)
{
    CU_pSuite suite = CU_add_suite("ownership document", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "a report", test_report);
    CU_add_test(suite, "a transaction and its footnotes", test_transaction);
    CU_add_test(suite, "footnotes at every place", test_footnotes);
    CU_add_test(suite, "too many footnotes", test_too_many_footnotes);
    CU_add_test(suite, "faulty rows stand alone", test_faulty_rows_stand_alone);
    CU_add_test(suite, "what a row needs", test_what_a_row_needs);
    CU_add_test(suite, "boxes of relationships", test_boxes);
    CU_add_test(suite, "people", test_people);
    CU_add_test(suite, "ranks of titles", test_ranks_of_titles);
    CU_add_test(suite, "titles in remarks", test_titles_in_remarks);
    CU_add_test(suite, "what is no report", test_what_is_no_report);
    CU_add_test(suite, "elements that stand twice", test_twins);
    CU_add_test(suite, "signatures that say nothing", test_signatures_that_say_nothing);
    CU_add_test(suite, "submissions", test_submissions);
    CU_add_test(suite, "submissions that are cut", test_cut_submissions);
    CU_add_test(suite, "accession numbers in names", test_accession_in_name);
}
