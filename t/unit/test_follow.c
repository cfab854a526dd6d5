/* Following sources: which bodies are taken for what they should be, addresses, days of settlement. */
#include "follow/body.h"
#include "follow/settlement.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBER "0000320193-22-000061"
#define HEADER "<SEC-DOCUMENT>" NUMBER ".txt : 20220506\n<DOCUMENT>\n</DOCUMENT>\n"

static const struct {
    dsc_follow_body_t body;
    const char *text;
    dsc_fetch_error_t error;
} bodies[] = {
    {DSC_BODY_SUBMISSION, HEADER "</SEC-DOCUMENT>\n", DSC_ERROR_NONE},
    {DSC_BODY_SUBMISSION, HEADER "</SEC-DOC", DSC_ERROR_TRUNCATED},
    {DSC_BODY_SUBMISSION, HEADER, DSC_ERROR_TRUNCATED},
    {DSC_BODY_SUBMISSION, "<SEC-DOCUMENT>0000320193-22-000062.txt\n</SEC-DOCUMENT>",
     DSC_ERROR_OTHER},
    {DSC_BODY_SUBMISSION, "<SUBMISSION>\n<ACCESSION-NUMBER>" NUMBER "</SUBMISSION>",
     DSC_ERROR_NONE},
    {DSC_BODY_SUBMISSION, "", DSC_ERROR_TRUNCATED},
    {DSC_BODY_SUBMISSION, "{\"error\": 1}", DSC_ERROR_DAMAGED},
    {DSC_BODY_SUBMISSION, "\xEF\xBB\xBF <!DOCTYPE html><html></html>", DSC_ERROR_BLOCKED},
    {DSC_BODY_ATOM, "<?xml version=\"1.0\"?><feed></feed>\n", DSC_ERROR_NONE},
    {DSC_BODY_ATOM, "<?xml version=\"1.0\"?><feed><entry>", DSC_ERROR_TRUNCATED},
    {DSC_BODY_MASTER_INDEX,
     "CIK|Company Name|Form Type|Date Filed|File Name\n-----\n1|A|4|20220506|edgar/data/1/" NUMBER
     ".txt\n",
     DSC_ERROR_NONE},
    {DSC_BODY_MASTER_INDEX,
     "CIK|Company Name|Form Type|Date Filed|File Name\n-----\n1|A|4|20220506|edgar/da",
     DSC_ERROR_TRUNCATED},
    {DSC_BODY_MASTER_INDEX, "Form Type   Company Name\n", DSC_ERROR_DAMAGED},
    {DSC_BODY_JSON, "{\"cik\": 320193}", DSC_ERROR_NONE},
    {DSC_BODY_JSON, "{\"cik\": 320193", DSC_ERROR_DAMAGED},
    {DSC_BODY_DELIMITED, "a|b\n1|2\n", DSC_ERROR_NONE},
    {DSC_BODY_DELIMITED, "<Error>|</Error>", DSC_ERROR_DAMAGED},
    {DSC_BODY_ZIP, "PK\003\004 and so on", DSC_ERROR_TRUNCATED},
    {DSC_BODY_ZIP, "not one", DSC_ERROR_DAMAGED},
    {DSC_BODY_PDF, "%PDF-1.4\n%%EOF\n", DSC_ERROR_NONE},
    {DSC_BODY_PDF, "%PDF-1.4\n", DSC_ERROR_TRUNCATED},
};

static void test_bodies(void)
{
    char path[] = "/tmp/disclosed-body-XXXXXX";
    int descriptor = mkstemp(path);

    CU_ASSERT_FATAL(descriptor >= 0);
    close(descriptor);
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        FILE *file = fopen(path, "w");
        const char *reason = NULL;
        dsc_fetch_error_t error;

        CU_ASSERT_PTR_NOT_NULL_FATAL(file);
        fputs(bodies[i].text, file);
        fclose(file);
        error = dsc_body_error(dsc_pool, path, bodies[i].body,
                               bodies[i].body == DSC_BODY_SUBMISSION ? NUMBER : NULL, &reason);
        if (error != bodies[i].error) {
            fprintf(stderr, "body %zu: %s, not %s\n", i, dsc_fetch_error_name(error),
                    dsc_fetch_error_name(bodies[i].error));
        }
        CU_ASSERT_EQUAL(error, bodies[i].error);
        CU_ASSERT_EQUAL(reason != NULL, error != DSC_ERROR_NONE);
    }
    unlink(path);
}

static void test_addresses(void)
{
    static const dsc_follow_place_t place = {"2026-11-23", 100, "320193"};
    static const char *const addresses[][2] = {
        {"https://a/{year}/QTR{quarter}/master.{day}.idx",
         "https://a/2026/QTR4/master.20261123.idx"},
        {"https://a/?start={start}&count=100", "https://a/?start=100&count=100"},
        {"https://a/CIK{cik}.json", "https://a/CIK0000320193.json"},
        {"https://a/", "https://a/"},
    };

    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        CU_ASSERT_STRING_EQUAL(dsc_follow_address(dsc_pool, addresses[i][0], &place),
                               addresses[i][1]);
    }
}

static void check_settlements(const char *since, const char *today, const char *expected)
{
    const apr_array_header_t *days = dsc_settlements(dsc_pool, since, today);

    CU_ASSERT_STRING_EQUAL(apr_array_pstrcat(dsc_pool, days, ' '), expected);
}

/* Seven business days later: Veterans Day is none; 15 November 2026 is a Sunday. */
static void test_settlements(void)
{
    check_settlements("2026-10-26", "2026-11-23", "2026-09-30 2026-10-15 2026-10-30");
    check_settlements("2026-11-10", "2026-11-23", "2026-10-15 2026-10-30");
    check_settlements("2026-11-11", "2026-11-24", "2026-10-30 2026-11-13");
    check_settlements("2026-11-11", "2026-11-23", "2026-10-30");
}

/* Three business days after the schedule says so: Thanksgiving is none. */
static void test_overdue(void)
{
    CU_ASSERT_FALSE(dsc_settlement_is_overdue("2026-11-13", "2026-11-24"));
    CU_ASSERT_FALSE(dsc_settlement_is_overdue("2026-11-13", "2026-11-29"));
    CU_ASSERT_TRUE(dsc_settlement_is_overdue("2026-11-13", "2026-11-30"));
    CU_ASSERT_TRUE(dsc_settlement_is_overdue("2026-11-13", "2027-01-01"));
}

void dsc_suite_follow(void)
{
    CU_pSuite suite = CU_add_suite("follow", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "bodies", test_bodies);
    CU_add_test(suite, "addresses", test_addresses);
    CU_add_test(suite, "settlements", test_settlements);
    CU_add_test(suite, "overdue", test_overdue);
}
