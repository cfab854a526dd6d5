#include "sources/sec_submissions/acceptance_clock.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <string.h>

typedef struct {
    const char *accepted;
    const char *filed_on;
    const char *form;
} filing_t;

static dsc_clock_evidence_t weigh(const filing_t *filings, size_t count)
{
    dsc_clock_evidence_t evidence;
    size_t i;

    memset(&evidence, 0, sizeof(evidence));
    for (i = 0; i < count; i++) {
        dsc_clock_weigh(dsc_pool, &evidence, filings[i].accepted, filings[i].filed_on,
                        filings[i].form);
    }
    return evidence;
}

#define WEIGH(filings) weigh(filings, sizeof(filings) / sizeof((filings)[0]))

static void test_hours(void)
{
    static const filing_t utc[] = {
        {"2024-03-06T01:30:00.000Z", "2024-03-05", "4"}, /* 20:30 the evening before in New York */
        {"2024-07-02T00:10:00.000Z", "2024-07-01", "4"},
        {"2024-07-02T15:10:00.000Z", "2024-07-02", "10-Q"}, /* plausible either way */
    };
    static const filing_t eastern[] = {
        {"2024-07-02T06:05:00.000Z", "2024-07-02", "8-K"}, /* 2:05 if the Z were true */
        {"2024-01-03T08:59:00.000Z", "2024-01-03", "8-K"}, /* 3:59 in winter */
    };
    dsc_clock_evidence_t evidence = WEIGH(utc);

    CU_ASSERT_EQUAL(evidence.utc, 2);
    CU_ASSERT_EQUAL(evidence.eastern, 0);
    CU_ASSERT_EQUAL(dsc_clock_decide(&evidence), DSC_CLOCK_UTC);
    evidence = WEIGH(eastern);
    CU_ASSERT_EQUAL(evidence.utc, 0);
    CU_ASSERT_EQUAL(evidence.eastern, 2);
    CU_ASSERT_EQUAL(dsc_clock_decide(&evidence), DSC_CLOCK_EASTERN);
}

static void test_filing_dates(void)
{
    static const filing_t filings[] = {
        /* at 20:15 Eastern an 8-K would have got the next day's date: it is 16:15 */
        {"2024-07-02T20:15:00.000Z", "2024-07-02", "8-K"},
        /* an ownership report keeps the day's date until 22:00 */
        {"2024-07-02T20:15:00.000Z", "2024-07-02", "4/A"},
        /* 18:30 Eastern, dated the next day; in UTC it would be 14:30 and of the same day */
        {"2024-07-02T18:30:00.000Z", "2024-07-03", "8-K"},
    };
    dsc_clock_evidence_t evidence = weigh(filings, 1);

    CU_ASSERT_EQUAL(evidence.utc, 1);
    CU_ASSERT_EQUAL(evidence.eastern, 0);
    evidence = weigh(filings + 1, 1);
    CU_ASSERT_EQUAL(evidence.utc + evidence.eastern, 0);
    evidence = weigh(filings + 2, 1);
    CU_ASSERT_EQUAL(evidence.utc, 0);
    CU_ASSERT_EQUAL(evidence.eastern, 1);
}

static void test_notices_of_effectiveness(void)
{
    static const filing_t eastern[] = {{"2024-07-03T00:15:10.000Z", "2024-07-02", "EFFECT"}};
    static const filing_t utc[] = {{"2024-07-03T04:15:10.000Z", "2024-07-02", "EFFECT"}};
    dsc_clock_evidence_t evidence = WEIGH(eastern);

    CU_ASSERT_EQUAL(dsc_clock_decide(&evidence), DSC_CLOCK_EASTERN);
    evidence = WEIGH(utc);
    CU_ASSERT_EQUAL(evidence.utc, 1);
    CU_ASSERT_EQUAL(dsc_clock_decide(&evidence), DSC_CLOCK_UTC);
}

static void test_what_says_nothing(void)
{
    static const filing_t filings[] = {
        {"1998-03-16T00:00:00.000Z", "1998-03-16", "10-K"}, /* no time was kept */
        {"2024-07-02T03:00:00.000Z", "2024-07-02", "UPLOAD"},
        {"yesterday", "2024-07-02", "8-K"},
        {"2024-07-02T20:15", "2024-07-02", "8-K"},
        {NULL, "2024-07-02", "8-K"},
        {"2024-07-02T20:15:00.000Z", NULL, "8-K"},
        {"2024-07-02T20:15:00.000Z", "2024-07-02", NULL},
    };
    dsc_clock_evidence_t evidence = WEIGH(filings);

    CU_ASSERT_EQUAL(evidence.utc + evidence.eastern + evidence.rhythm + evidence.names, 0);
    CU_ASSERT_EQUAL(dsc_clock_decide(&evidence), DSC_CLOCK_UTC);
}

static void test_ties(void)
{
    static const filing_t afternoons[] = {{"2024-07-02T16:10:00.000Z", "2024-07-02", "4"},
                                          {"2024-07-09T16:20:00.000Z", "2024-07-09", "4"},
                                          {"2024-07-16T17:10:00.000Z", "2024-07-16", "4"},
                                          {"2024-07-23T16:40:00.000Z", "2024-07-23", "4"}};
    dsc_clock_evidence_t evidence = WEIGH(afternoons);

    /* after the market's close in New York is when most reports arrive */
    CU_ASSERT_EQUAL(evidence.utc + evidence.eastern, 0);
    CU_ASSERT_EQUAL(dsc_clock_decide(&evidence), DSC_CLOCK_EASTERN);
    /* names that begin at New York's midnight, written in UTC, weigh more */
    dsc_clock_weigh_name(&evidence, "2019-08-05T04:00:00.000Z");
    CU_ASSERT_EQUAL(dsc_clock_decide(&evidence), DSC_CLOCK_UTC);
    /* one afternoon alone proves nothing */
    evidence = weigh(afternoons, 1);
    CU_ASSERT_EQUAL(dsc_clock_decide(&evidence), DSC_CLOCK_UTC);
    dsc_clock_weigh_name(&evidence, "2019-08-05T00:00:00.000Z");
    dsc_clock_weigh_name(&evidence, NULL);
    CU_ASSERT_EQUAL(evidence.names, 0);
}

static const char *to_utc(dsc_clock_t clock, const char *accepted)
{
    const char *utc = "";

    CU_ASSERT_TRUE(dsc_clock_to_utc(dsc_pool, clock, accepted, &utc));
    return utc;
}

static void test_conversion(void)
{
    const char *utc;

    CU_ASSERT_STRING_EQUAL(to_utc(DSC_CLOCK_UTC, "2024-07-02T20:15:00.000Z"),
                           "2024-07-02T20:15:00.000Z");
    CU_ASSERT_STRING_EQUAL(to_utc(DSC_CLOCK_EASTERN, "2024-07-02T18:30:57.000Z"),
                           "2024-07-02T22:30:57.000Z");
    CU_ASSERT_STRING_EQUAL(to_utc(DSC_CLOCK_EASTERN, "2024-12-31T20:30:57Z"),
                           "2025-01-01T01:30:57Z");
    CU_ASSERT_PTR_NULL(to_utc(DSC_CLOCK_EASTERN, "1998-03-16T00:00:00.000Z"));
    CU_ASSERT_PTR_NULL(to_utc(DSC_CLOCK_UTC, "1998-03-16T00:00:00.000Z"));
    CU_ASSERT_PTR_NULL(to_utc(DSC_CLOCK_UTC, "1998-03-16T05:00:00.000Z"));
    CU_ASSERT_PTR_NOT_NULL(to_utc(DSC_CLOCK_UTC, "1998-03-16T05:00:01.000Z"));
    CU_ASSERT_PTR_NULL(to_utc(DSC_CLOCK_UTC, NULL));
    CU_ASSERT_FALSE(dsc_clock_to_utc(dsc_pool, DSC_CLOCK_UTC, "soon", &utc));
    CU_ASSERT_FALSE(dsc_clock_to_utc(dsc_pool, DSC_CLOCK_EASTERN, "2024-13-45T20:30:57Z", &utc));
}

void dsc_suite_acceptance_clock(void)
{
    CU_pSuite suite = CU_add_suite("acceptance clock", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "hours at which EDGAR is shut", test_hours);
    CU_add_test(suite, "filing dates", test_filing_dates);
    CU_add_test(suite, "notices of effectiveness", test_notices_of_effectiveness);
    CU_add_test(suite, "what says nothing", test_what_says_nothing);
    CU_add_test(suite, "ties", test_ties);
    CU_add_test(suite, "conversion", test_conversion);
}
