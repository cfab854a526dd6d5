/* Whether the values of a Form 13F are dollars or thousands of dollars. */
#include "sources/sec_13f/holdings_scale.h"

#include "engine/identifier.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* Fewer securities than these may well all cost less than 1, or more than 1000, a share. */
enum {
    FEW_CHEAP = 3,
    FEW_DEAR = 5
};

static const char first_day_of_dollars[] = "2023-01-03";

static const dsc_scale_t dollars = {"1", "1", "dollars as filed", NULL, 0, 0, 0};
static const dsc_scale_t thousands = {"1000", "1000", "thousands, multiplied by 1000", NULL, 0,
                                      0,      0};

/* Warrants and rights cost cents, whatever the unit is. */
static int is_cheap_by_nature(const char *title)
{
    static const char *const words[] = {"WARRANT", "RIGHT", " WT", "*W EXP", "W EXP", NULL};
    int i;

    for (i = 0; title != NULL && words[i] != NULL; i++) {
        if (strcasestr(title, words[i]) != NULL) {
            return 1;
        }
    }
    return title != NULL && strncasecmp(title, "WT", 2) == 0;
}

static void note_security(dsc_scale_evidence_t *evidence, const char *cusip)
{
    int i;

    for (i = 0; i < evidence->securities; i++) {
        if (strcmp(evidence->cusips[i], cusip) == 0) {
            return;
        }
    }
    if (evidence->securities < DSC_SCALE_SAMPLES && strlen(cusip) < sizeof(evidence->cusips[0])) {
        apr_cpystrn(evidence->cusips[evidence->securities++], cusip, sizeof(evidence->cusips[0]));
    }
}

static void note_check_digit(dsc_scale_evidence_t *evidence, const char *cusip)
{
    if (cusip != NULL && !dsc_cusip_valid(cusip) && evidence->bad_cusips++ == 0) {
        apr_cpystrn(evidence->bad_cusip, cusip, sizeof(evidence->bad_cusip));
    }
}

/* Prices are estimates here and nothing of them is stored: a double will do. */
void dsc_scale_weigh(dsc_scale_evidence_t *evidence, const dsc_holding_t *row)
{
    double value = strtod(row->value, NULL), shares = strtod(row->amount, NULL);

    evidence->rows++;
    dsc_holdings_add(&evidence->sum, row->value);
    note_check_digit(evidence, row->cusip);
    if (strcmp(row->amount_type, "SH") != 0 || row->put_call != NULL || row->cusip == NULL ||
        value <= 0 || shares <= 0 || is_cheap_by_nature(row->class_title)) {
        return;
    }
    evidence->priced++;
    evidence->below_one += value < shares;
    note_security(evidence, row->cusip);
}

/* ------------------------------------------------------------------------ deciding */

static int is_thousands(const dsc_scale_t *scale)
{
    return strcmp(scale->row_factor, "1000") == 0;
}

/* What the form asked for when the report was filed. */
static dsc_scale_t due(apr_pool_t *pool, const dsc_holdings_report_t *report)
{
    const char *day = report->filed_on, *what = "filed";
    dsc_scale_t scale;

    if (day == NULL && report->schema_version != NULL &&
        strcmp(report->schema_version, "X0202") >= 0) {
        scale = dollars;
        scale.reason =
            apr_psprintf(pool, "schema %s, which asks for dollars", report->schema_version);
        return scale;
    }
    if (day == NULL) {
        day = report->signed_on != NULL ? report->signed_on : report->period;
        what = report->signed_on != NULL ? "signed" : "of the period";
    }
    scale = strcmp(day, first_day_of_dollars) < 0 ? thousands : dollars;
    scale.reason = apr_psprintf(pool, "%s %s, when %s were due", what, day,
                                is_thousands(&scale) ? "thousands" : "dollars");
    return scale;
}

/* How many times the total on the summary page the rows amount to, to the nearest of 1000, 1 and
 * 1/1000, within half a hundredth; 0 if it is none of these. */
static double times_total(apr_pool_t *pool, const dsc_scale_evidence_t *evidence,
                          const dsc_holdings_report_t *report)
{
    static const double multiples[] = {1000, 1, 0.001};
    const char *sum = dsc_holdings_sum_text(pool, &evidence->sum);
    double total = report->value_total == NULL ? 0 : strtod(report->value_total, NULL);
    double times = sum == NULL || total <= 0 ? 0 : strtod(sum, NULL) / total;
    int i;

    for (i = 0; i < 3; i++) {
        if (times > 0.995 * multiples[i] && times < 1.005 * multiples[i]) {
            return multiples[i];
        }
    }
    return 0;
}

static const char *prices_text(apr_pool_t *pool, const dsc_scale_evidence_t *evidence)
{
    return apr_psprintf(pool, "%ld of %ld rows imply less than 1 a share", evidence->below_one,
                        evidence->priced);
}

static dsc_scale_t decided(apr_pool_t *pool, const dsc_scale_t *kind, const dsc_scale_t *by_rule,
                           const char *why)
{
    dsc_scale_t scale = *kind;

    scale.reason = apr_pstrcat(pool, by_rule->reason, "; ", why, NULL);
    scale.confirmed = 1;
    scale.is_correction = strcmp(kind->row_factor, by_rule->row_factor) != 0;
    return scale;
}

/* Rows and total may be in different units, which shows both units, unless the prices contradict
 * it. */
static int decide_by_total(apr_pool_t *pool, const dsc_scale_evidence_t *evidence,
                           const dsc_holdings_report_t *report, const dsc_scale_t *by_rule,
                           dsc_scale_t *scale)
{
    double times = times_total(pool, evidence, report);
    int cheap = evidence->below_one * 2 >= evidence->priced;

    if (times > 1 && (evidence->securities < FEW_CHEAP || !cheap)) {
        *scale = decided(pool, &dollars, by_rule,
                         "the rows amount to 1000 times the summary page's total, which is in "
                         "thousands");
        scale->total_factor = "1000";
        return 1;
    }
    if (times > 0 && times < 1 && (evidence->securities < FEW_CHEAP || cheap)) {
        *scale = decided(pool, &thousands, by_rule,
                         "the summary page's total is 1000 times what the rows amount to, and in "
                         "dollars");
        scale->total_factor = "1";
        return 1;
    }
    return 0;
}

/* There are holders of penny stocks: unless nearly all rows are that cheap, others may overrule. */
static int is_beyond_doubt(const dsc_scale_evidence_t *evidence)
{
    return evidence->securities >= FEW_DEAR && evidence->below_one * 10 >= evidence->priced * 9;
}

dsc_scale_t dsc_scale_decide(apr_pool_t *pool, const dsc_scale_evidence_t *evidence,
                             const dsc_holdings_report_t *report)
{
    dsc_scale_t by_rule = due(pool, report), scale;
    int cheap = evidence->below_one * 2 >= evidence->priced;

    if (decide_by_total(pool, evidence, report, &by_rule, &scale)) {
        return scale;
    }
    if (evidence->securities >= FEW_CHEAP && cheap) {
        scale = decided(pool, &thousands, &by_rule, prices_text(pool, evidence));
        scale.confirmed = !scale.is_correction || is_beyond_doubt(evidence);
        return scale;
    }
    if (evidence->securities >= FEW_DEAR && !is_thousands(&by_rule)) {
        return decided(pool, &dollars, &by_rule, prices_text(pool, evidence));
    }
    by_rule.confirmed = evidence->priced == 0 || (is_thousands(&by_rule) && cheap);
    by_rule.reason = apr_pstrcat(pool, by_rule.reason, "; ", prices_text(pool, evidence),
                                 by_rule.confirmed ? "" : ", which decides nothing", NULL);
    return by_rule;
}
