/* What FINRA computes of a row of short interest. */
#include "sources/finra_short_interest/short_interest_figures.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* More shares than any company has; their products with 10000 are still numbers. */
#define MOST_SHARES INT64_C(100000000000000)

/* Hundredths of a number with two decimals at most, whose others are zeros; 0 if it is none. */
static int hundredths(const char *text, int64_t *value)
{
    const char *at = text != NULL ? text : "";
    int negative = *at == '-', digits = 0, decimals = -1;

    *value = 0;
    for (at += negative; *at != '\0'; at++) {
        if (*at == '.' && decimals < 0) {
            decimals = 0;
            continue;
        }
        if (!isdigit((unsigned char)*at) || *value > 100 * MOST_SHARES) {
            return 0;
        }
        digits++;
        decimals += decimals >= 0;
        if (decimals <= 2) {
            *value = 10 * *value + (*at - '0');
        } else if (*at != '0') {
            return 0;
        }
    }
    for (decimals = decimals < 0 ? 0 : decimals; decimals < 2; decimals++) {
        *value *= 10;
    }
    *value = negative ? -*value : *value;
    return digits > 0;
}

/* A whole number of shares. */
static int shares(const char *text, int64_t *value)
{
    int good = hundredths(text, value) && *value % 100 == 0;

    *value /= 100;
    return good && llabs(*value) <= MOST_SHARES;
}

/* Whether the value is the quotient rounded to a whole number, a half to either side. */
static int is_rounded(int64_t dividend, int64_t divisor, int64_t value)
{
    int64_t down = dividend / divisor - (dividend % divisor < 0);
    int64_t rest = dividend - down * divisor;

    return (value == down && 2 * rest <= divisor) || (value == down + 1 && 2 * rest >= divisor);
}

/* Of these, 1: the figure is that of the others; 0: it is another; -1: something is not stated, or
 * says nothing. */
static int are_days(const dsc_short_figures_t *figures)
{
    int64_t current, volume, days;

    if (!shares(figures->current, &current) || !shares(figures->volume, &volume) ||
        !hundredths(figures->days, &days) || current < 0 || volume < 0) {
        return -1;
    }
    if (volume == 0 || current / volume >= 1000) {
        return days == 99999 ? 1 : volume == 0 && days == 0 ? -1 : 0;
    }
    if (current <= volume) {
        return days == 100 || is_rounded(100 * current, volume, days);
    }
    return is_rounded(100 * current, volume, days) ||
           (days == 99999 && 100 * current >= 99999 * volume);
}

static int is_change(const dsc_short_figures_t *figures)
{
    int64_t current, previous, change;

    if (!shares(figures->current, &current) || !shares(figures->previous, &previous) ||
        !hundredths(figures->change, &change) || current < 0 || previous < 0) {
        return -1;
    }
    if (previous == 0) {
        return change == 10000 ? 1 : -1;
    }
    return is_rounded(10000 * (current - previous), previous, change);
}

static int is_difference(const dsc_short_figures_t *figures)
{
    int64_t current, previous, difference;

    if (!shares(figures->current, &current) || !shares(figures->previous, &previous) ||
        !shares(figures->difference, &difference)) {
        return -1;
    }
    return current - previous == difference;
}

/* The position and the one before are both checked by their difference. */
static int is_right(const dsc_short_figures_t *figures, dsc_short_figure_t figure)
{
    switch (figure) {
    case DSC_SHORT_DAYS:
        return are_days(figures);
    case DSC_SHORT_CHANGE:
        return is_change(figures);
    default:
        return is_difference(figures);
    }
}

int dsc_short_figures_contradict(const dsc_short_figures_t *figures, dsc_short_figure_t figure)
{
    return is_right(figures, figure) == 0;
}

int dsc_short_figures_confirm(const dsc_short_figures_t *figures, dsc_short_figure_t figure)
{
    return is_right(figures, figure) == 1;
}
