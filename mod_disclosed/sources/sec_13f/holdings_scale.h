/* Whether the values of a Form 13F are dollars or thousands of dollars. The form requires dollars
 * in reports filed from 3 January 2023 on and required thousands before (SEC, Release 34-95148),
 * but filers err in both directions, so each report is examined itself. */
#ifndef DSC_HOLDINGS_SCALE_H
#define DSC_HOLDINGS_SCALE_H

#include "sources/sec_13f/holdings.h"
#include "sources/sec_13f/holdings_value.h"

enum {
    DSC_SCALE_SAMPLES = 16
};

/* What the rows of a report say; begins as all zeros. */
typedef struct {
    dsc_holdings_sum_t sum; /* of the values as filed */
    long rows;
    long priced;    /* rows that imply a price: shares, no option, no warrant or right */
    long below_one; /* of these, rows with less than 1 for a share */
    int securities; /* distinct ones among the priced rows, as far as counted in `cusips` */
    char cusips[DSC_SCALE_SAMPLES][10];
    long bad_cusips; /* rows whose CUSIP is none, and the first of these */
    char bad_cusip[10];
} dsc_scale_evidence_t;

/* The decision: what makes the rows' values, and the total on the summary page, dollars. */
typedef struct {
    const char *row_factor, *total_factor; /* "1" or "1000" */
    const char *name;                      /* "dollars as filed", "thousands, multiplied by 1000" */
    const char *reason;                    /* what it rests on */
    int confirmed;                         /* the report's own numbers bear it out */
    int is_compared;   /* other managers' reports have decided it, in an earlier load */
    int is_correction; /* it is not what was due when the report was filed */
} dsc_scale_t;

/* Adds one row without an error. */
void dsc_scale_weigh(dsc_scale_evidence_t *evidence, const dsc_holding_t *row);

/* Decides for a report without an error. Large prices alone never do: there are shares of half a
 * million dollars. What is not confirmed may be corrected when other managers' reports are there to
 * compare with (disclosed.compare_value_scales()). */
dsc_scale_t dsc_scale_decide(apr_pool_t *pool, const dsc_scale_evidence_t *evidence,
                             const dsc_holdings_report_t *report);

#endif
