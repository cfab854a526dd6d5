/* Following sources: which bodies are taken for what they should be, addresses, days of settlement;
 * of archives, parts and pages. */
#include "follow/body.h"
#include "follow/partial.h"
#include "follow/settlement.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
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
    {DSC_BODY_PAGE, "<!DOCTYPE html>\n<html><body></body></html>\n", DSC_ERROR_NONE},
    {DSC_BODY_PAGE, "<!DOCTYPE html>\n<html><body>", DSC_ERROR_TRUNCATED},
    {DSC_BODY_PAGE, "{}", DSC_ERROR_DAMAGED},
    {DSC_BODY_PAGE, "<html><title>Request Rate Threshold Exceeded</title></html>",
     DSC_ERROR_BLOCKED},
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
    static const dsc_address_values_t place = {"2026-11-23", 100, "320193"};
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

/* --------------------------------------------------------------------------- archives */

static const struct {
    const char *text;
    int is_good;
    apr_int64_t first, last, total;
} ranges[] = {
    {"bytes 100-199/1000", 1, 100, 199, 1000},
    {"Bytes 0-0/1", 1, 0, 0, 1},
    {"bytes 5-9/*", 1, 5, 9, -1},
    {"bytes 1500000000-4999999999/5000000000", 1, 1500000000, 4999999999, 5000000000},
    {NULL, 0, 0, 0, 0},
    {"bytes */1000", 0, 0, 0, 0},
    {"bytes 200-100/1000", 0, 0, 0, 0},
    {"bytes 0-1000/1000", 0, 0, 0, 0},
    {"bytes 0-9/10x", 0, 0, 0, 0},
    {"bytes 0-9", 0, 0, 0, 0},
    {"bytes -9/10", 0, 0, 0, 0},
    {"lines 0-9/10", 0, 0, 0, 0},
    {"bytes 0-99999999999999999999/*", 0, 0, 0, 0},
};

static void test_ranges(void)
{
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        apr_int64_t first, last, total;
        int is_good = dsc_content_range(ranges[i].text, &first, &last, &total);

        CU_ASSERT_EQUAL(is_good, ranges[i].is_good);
        if (is_good) {
            CU_ASSERT_EQUAL(first, ranges[i].first);
            CU_ASSERT_EQUAL(last, ranges[i].last);
            CU_ASSERT_EQUAL(total, ranges[i].total);
        }
    }
}

static void write_bytes(const char *path, const char *bytes)
{
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(bytes, file);
    fclose(file);
}

/* What is here of a body, as it is found again; what has nothing to be known by, or is of another
 * address, is forgotten. */
static void test_partials(void)
{
    static const char url[] = "https://www.sec.gov/a.zip";
    char folder[] = "/tmp/disclosed-partial-XXXXXX", path[64];
    dsc_partial_t partial = {.url = url, .etag = "\"1\"", .total = 10}, found;

    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/a.zip.part", folder);
    partial.path = path;
    CU_ASSERT_TRUE(dsc_partial_begin(dsc_pool, &partial));
    write_bytes(path, "12345");
    dsc_partial_read(dsc_pool, path, url, &found);
    CU_ASSERT_EQUAL(found.size, 5);
    CU_ASSERT_EQUAL(found.total, 10);
    CU_ASSERT_STRING_EQUAL(dsc_partial_validator(&found), "\"1\"");
    CU_ASSERT_FALSE(dsc_partial_is_whole(&found));
    write_bytes(path, "1234567890");
    dsc_partial_read(dsc_pool, path, url, &found);
    CU_ASSERT_TRUE(dsc_partial_is_whole(&found));
    dsc_partial_read(dsc_pool, path, "https://www.sec.gov/b.zip", &found);
    CU_ASSERT_EQUAL(found.size, 0);
    CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
    partial.etag = "W/\"1\"";
    CU_ASSERT_TRUE(dsc_partial_begin(dsc_pool, &partial));
    write_bytes(path, "12345");
    dsc_partial_read(dsc_pool, path, url, &found);
    CU_ASSERT_EQUAL(found.size, 0);
    CU_ASSERT_PTR_NULL(dsc_partial_validator(&found));
    dsc_partial_forget(dsc_pool, path);
    CU_ASSERT_EQUAL(rmdir(folder), 0);
}

/* What the rows of sources take of a page: names with a period, by whatever folder of the
 * publisher; "name day address". */
static const struct {
    const char *source, *link, *taken;
} links[] = {
    {"sec-financial-statements", "/files/dera/data/financial-statement-data-sets/2024q3.zip",
     "2024q3.zip 2024-09-30"},
    {"sec-financial-statements", "/files/node/add/data_distribution/2020q2.zip",
     "2020q2.zip 2020-06-30"},
    {"sec-financial-statements", "/files/x/2024q3_form345.zip", NULL},
    {"sec-financial-statements", "/files/x/2024_01_notes.zip", NULL},
    {"sec-ownership", "https://www.sec.gov/files/datastandardsinnovation/2026q2_form345.zip",
     "2026q2_form345.zip 2026-06-30"},
    {"sec-ownership", "/files/x/2024Q1_FORM345_0.zip", "2024Q1_FORM345_0.zip 2024-03-31"},
    {"sec-ownership", "https://www.example.com/files/2026q2_form345.zip", NULL},
    {"sec-ownership", "//www.example.com/2026q2_form345.zip", NULL},
    {"sec-ownership", "https://www.sec.gov.example/2026q2_form345.zip", NULL},
    {"sec-ownership", "/files/x/2024q5_form345.zip", NULL},
    {"sec-ownership", "/files/x/2024q1_form345.zip?x=1", NULL},
    {"sec-13f", "/files/x/01jun2024-31aug2024_form13f.zip",
     "01jun2024-31aug2024_form13f.zip 2024-08-31"},
    {"sec-13f", "/files/x/01jan2024-29feb2024_form13f.zip",
     "01jan2024-29feb2024_form13f.zip 2024-02-29"},
    {"sec-13f", "/files/x/01jan2023-29feb2023_form13f.zip", NULL},
    {"sec-13f", "/files/x/01jxx2024-31aug2024_form13f.zip", NULL},
    {"sec-13f", "/files/x/2023q4_form13f.zip", "2023q4_form13f.zip 2023-12-31"},
    {"sec-nport", "/files/dera/data/form-n-port-data-sets/2019q4_nport.zip",
     "2019q4_nport.zip 2019-12-31"},
    {"sec-nport", "/files/x/2019q4_nport_readme.pdf", NULL},
};

static void check_link(size_t i, const char *path)
{
    const dsc_follow_source_t *source =
        dsc_follow_find_source(dsc_bootstrap_sources, links[i].source);
    dsc_follow_page_t page = {.pool = dsc_pool, .source = source, .path = path};
    const char *taken = NULL;

    page.listing = source->listings;
    page.entries = apr_array_make(dsc_pool, 1, sizeof(dsc_follow_entry_t));
    write_bytes(path,
                apr_pstrcat(dsc_pool, "<html><a HREF='", links[i].link, "'>x</a></html>", NULL));
    source->listings->read(&page);
    if (page.entries->nelts == 1) {
        const dsc_follow_entry_t *entry = &APR_ARRAY_IDX(page.entries, 0, dsc_follow_entry_t);

        taken = apr_pstrcat(dsc_pool, entry->identity, " ", entry->published_at, NULL);
        CU_ASSERT_EQUAL(strncmp(entry->url, "https://www.sec.gov/files/", 26), 0);
    }
    CU_ASSERT_EQUAL(page.error == NULL, links[i].taken != NULL);
    if (strcmp(taken ? taken : "", links[i].taken ? links[i].taken : "") != 0) {
        fprintf(stderr, "%s: taken for %s\n", links[i].link, taken ? taken : "nothing");
        CU_FAIL("a link is taken for another");
    }
}

static void test_links(void)
{
    char path[] = "/tmp/disclosed-page-XXXXXX";
    int descriptor = mkstemp(path);

    CU_ASSERT_FATAL(descriptor >= 0);
    close(descriptor);
    for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        check_link(i, path);
    }
    unlink(path);
}

void dsc_suite_follow(void)
{
    CU_pSuite suite = CU_add_suite("follow", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "bodies", test_bodies);
    CU_add_test(suite, "addresses", test_addresses);
    CU_add_test(suite, "settlements", test_settlements);
    CU_add_test(suite, "overdue", test_overdue);
    CU_add_test(suite, "parts of archives", test_ranges);
    CU_add_test(suite, "what is here of an archive", test_partials);
    CU_add_test(suite, "links to data sets", test_links);
}
