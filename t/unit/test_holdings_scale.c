#include "sources/sec_13f/holdings_scale.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <string.h>

/* `count` rows of as many securities: value, shares, class. */
typedef struct {
    int count;
    const char *value, *shares, *class_title, *amount_type, *put_call;
} rows_t;

typedef struct {
    const char *filed_on, *schema, *signed_on, *total;
    rows_t rows[2];
    const char *row_factor, *total_factor;
    int confirmed, is_correction;
    const char *reason; /* a piece of it */
} case_t;

static void weigh(dsc_scale_evidence_t *evidence, const rows_t *rows, int first)
{
    for (int i = 0; i < rows->count; i++) {
        dsc_holding_t row = {.cusip = apr_psprintf(dsc_pool, "%09d", first + i),
                             .value = rows->value,
                             .amount = rows->shares,
                             .class_title = rows->class_title,
                             .amount_type = rows->amount_type ? rows->amount_type : "SH",
                             .put_call = rows->put_call};

        dsc_scale_weigh(evidence, &row);
    }
}

static const case_t cases[] = {
    /* as was due */
    {"2024-08-14", NULL, NULL, "100000", {{10, "10000", "100"}}, "1", "1", 1, 0, "0 of 10 rows"},
    {"2022-11-14", NULL, NULL, "100", {{10, "10", "100"}}, "1000", "1000", 1, 0, "10 of 10 rows"},
    /* thousands in spite of it */
    {"2023-02-28",
     "X0202",
     NULL,
     "100",
     {{10, "10", "100"}},
     "1000",
     "1000",
     1,
     1,
     "filed 2023-02-28, when dollars were due; 10 of 10"},
    {"2024-08-14",
     NULL,
     NULL,
     NULL,
     {{5, "10", "100"}, {5, "2000", "100"}},
     "1000",
     "1000",
     0,
     1,
     "5 of 10 rows"},
    {"2024-08-14",
     NULL,
     NULL,
     NULL,
     {{4, "10", "100"}, {6, "2000", "100"}},
     "1",
     "1",
     1,
     0,
     "4 of 10 rows"},
    /* one share of half a million dollars decides nothing, in either unit */
    {"2024-08-14", NULL, NULL, "612000", {{1, "612000", "1"}}, "1", "1", 0, 0, "decides nothing"},
    {"2024-08-14", NULL, NULL, "612", {{1, "612", "1"}}, "1", "1", 0, 0, "decides nothing"},
    {"2022-08-14", NULL, NULL, "612", {{1, "612", "1"}}, "1000", "1000", 0, 0, "decides nothing"},
    /* dollars before their time: prices above 1000 are no proof */
    {"2022-11-14",
     NULL,
     NULL,
     "100000",
     {{10, "10000", "100"}},
     "1000",
     "1000",
     0,
     0,
     "when thousands were due; 0 of 10"},
    /* rows and total in different units */
    {"2022-11-14", NULL, NULL, "100", {{10, "10000", "100"}}, "1", "1000", 1, 1, "1000 times"},
    {"2024-08-14", NULL, NULL, "100000", {{10, "10", "100"}}, "1000", "1", 1, 1, "1000 times"},
    {"2024-08-14", NULL, NULL, "100", {{10, "10000", "100"}}, "1", "1000", 1, 0, "1000 times"},
    /* a total that is simply wrong says nothing */
    {"2024-08-14", NULL, NULL, "111", {{10, "10000", "100"}}, "1", "1", 1, 0, "0 of 10 rows"},
    /* warrants, rights, options and principal amounts imply no price of a share */
    {"2024-08-14",
     NULL,
     NULL,
     NULL,
     {{9, "10", "100", "*W EXP 99/99/999"}},
     "1",
     "1",
     1,
     0,
     "0 of 0"},
    {"2024-08-14", NULL, NULL, NULL, {{9, "10", "100", "Right 01/01"}}, "1", "1", 1, 0, "0 of 0"},
    {"2024-08-14", NULL, NULL, NULL, {{9, "10", "100", "WTS"}}, "1", "1", 1, 0, "0 of 0"},
    {"2024-08-14", NULL, NULL, NULL, {{9, "10", "100", "COM", "PRN"}}, "1", "1", 1, 0, "0 of 0"},
    {"2024-08-14",
     NULL,
     NULL,
     NULL,
     {{9, "10", "100", "COM", "SH", "Call"}},
     "1",
     "1",
     1,
     0,
     "0 of 0"},
    {"2024-08-14", NULL, NULL, NULL, {{2, "10", "100", "COM"}}, "1", "1", 0, 0, "decides nothing"},
    /* without a filing date: the schema, then the signature, then the period */
    {NULL, "X0202", "2022-12-31", NULL, {{10, "10000", "100"}}, "1", "1", 1, 0, "schema X0202"},
    {NULL,
     NULL,
     "2022-11-01",
     NULL,
     {{10, "10", "100"}},
     "1000",
     "1000",
     1,
     0,
     "signed 2022-11-01"},
    {NULL, NULL, NULL, NULL, {{10, "10", "100"}}, "1000", "1000", 1, 0, "of the period 2022-09-30"},
};

static void test_decisions(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const case_t *one = &cases[i];
        dsc_holdings_report_t report = {.filed_on = one->filed_on,
                                        .schema_version = one->schema,
                                        .signed_on = one->signed_on,
                                        .value_total = one->total,
                                        .period = "2022-09-30"};
        dsc_scale_evidence_t evidence;
        dsc_scale_t scale;

        memset(&evidence, 0, sizeof evidence);
        weigh(&evidence, &one->rows[0], 100);
        weigh(&evidence, &one->rows[1], 200);
        scale = dsc_scale_decide(dsc_pool, &evidence, &report);
        CU_ASSERT_STRING_EQUAL(scale.row_factor, one->row_factor);
        CU_ASSERT_STRING_EQUAL(scale.total_factor, one->total_factor);
        CU_ASSERT_EQUAL(scale.confirmed, one->confirmed);
        CU_ASSERT_EQUAL(scale.is_correction, one->is_correction);
        CU_ASSERT_PTR_NOT_NULL(strstr(scale.reason, one->reason));
        if (strstr(scale.reason, one->reason) == NULL) {
            fprintf(stderr, "case %zu: %s\n", i, scale.reason);
        }
    }
}

/* Many rows of one security, as a report for several managers has them, are one security. */
static void test_rows_of_one_security(void)
{
    dsc_holdings_report_t report = {.filed_on = "2024-08-14", .period = "2024-06-30"};
    rows_t row = {1, "10", "100", "COM", NULL, NULL};
    dsc_scale_evidence_t evidence;
    dsc_scale_t scale;

    memset(&evidence, 0, sizeof evidence);
    for (int i = 0; i < 40; i++) {
        weigh(&evidence, &row, 7);
    }
    scale = dsc_scale_decide(dsc_pool, &evidence, &report);
    CU_ASSERT_EQUAL(evidence.securities, 1);
    CU_ASSERT_STRING_EQUAL(scale.row_factor, "1");
    CU_ASSERT_EQUAL(scale.confirmed, 0);
}

void dsc_suite_holdings_scale(void)
{
    CU_pSuite suite = CU_add_suite("holdings_scale", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "dollars or thousands", test_decisions);
    CU_add_test(suite, "rows of one security", test_rows_of_one_security);
}
