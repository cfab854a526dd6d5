/* Single values of Form 13F as filers write them, converted to the form that is stored. */
#ifndef DSC_HOLDINGS_VALUE_H
#define DSC_HOLDINGS_VALUE_H

#include <apr_pools.h>

/* A number in plain digits: commas between thousands and a leading "$" are taken off, parentheses
 * are a minus, as spreadsheets write it. NULL if the text is no number, or one of more than 100
 * digits. */
const char *dsc_holdings_number(apr_pool_t *pool, const char *text);

/* YYYY-MM-DD of 12-31-2024, 12/31/2024, 31-DEC-2024, 2024-12-31 or 20241231; NULL if the text
 * is no day in one of these forms. */
const char *dsc_holdings_date(apr_pool_t *pool, const char *text);

/* A CUSIP in upper case without blanks and hyphens. Zeros that a spreadsheet has cut off its left
 * are put back if that makes the check digit right. What is no CUSIP stays otherwise as it is. */
const char *dsc_holdings_cusip(apr_pool_t *pool, const char *text);

/* One of the names in a list ended by NULL, in the list's spelling, whatever the case; one letter
 * stands for the name that begins with it. NULL if there is none. */
const char *dsc_holdings_choice(const char *const *choices, const char *text);

/* The numbers of other managers, "4,5", "4 5" or "04;05", as a PostgreSQL array literal {4,5}:
 * leading zeros are taken off. What is no list of numbers, as a name, is one text. NULL for none,
 * which is filed as "0", "NONE" and "N/A" as well. */
const char *dsc_holdings_managers(apr_pool_t *pool, const char *text);

/* Digits of a CIK without leading zeros; NULL if the text is none. */
const char *dsc_holdings_cik(const char *text);

/* An amount of money added up exactly: whole units and thousand-millionths of one. */
typedef struct {
    long long whole, billionths;
    int overflows; /* the sum is larger than can be held: it is not known */
} dsc_holdings_sum_t;

/* Adds a number of the form that dsc_holdings_number() returns. */
void dsc_holdings_add(dsc_holdings_sum_t *sum, const char *number);

/* The sum in plain digits; NULL if it is not known. */
const char *dsc_holdings_sum_text(apr_pool_t *pool, const dsc_holdings_sum_t *sum);

#endif
