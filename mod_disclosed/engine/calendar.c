#include "engine/calendar.h"

#include <apr_strings.h>
#include <apr_time.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The quotient rounded down, which C's is not below zero. */
static int floor_divide(int dividend, int divisor)
{
    return dividend / divisor - (dividend % divisor < 0);
}

/* Days from a civil date: years begin in March, so that the leap day is the last of a year. */
int dsc_day(int year, int month, int day)
{
    int shifted_year = month <= 2 ? year - 1 : year;
    int shifted_month = (month + 9) % 12;
    int day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    return 365 * shifted_year + floor_divide(shifted_year, 4) - floor_divide(shifted_year, 100) +
           floor_divide(shifted_year, 400) + day_of_year - 719468;
}

/* Eras of 400 years repeat; as above, years begin in March. */
void dsc_day_date(int day, int *year, int *month, int *day_of_month)
{
    enum {
        DAYS_TO_1970 = 719468,
        DAYS_OF_ERA = 146097,
        YEARS_OF_ERA = 400
    };
    int64_t shifted = (int64_t)day + DAYS_TO_1970;
    int era = (int)(shifted / DAYS_OF_ERA - (shifted % DAYS_OF_ERA < 0));
    int of_era = (int)(shifted - (int64_t)era * DAYS_OF_ERA);
    int year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int shifted_month = (5 * of_year + 2) / 153;
    *day_of_month = of_year - (153 * shifted_month + 2) / 5 + 1;
    *month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    *year = era * YEARS_OF_ERA + year_of_era + (shifted_month >= 10);
}

const char *dsc_day_text(apr_pool_t *pool, int day)
{
    int year, month, day_of_month;
    dsc_day_date(day, &year, &month, &day_of_month);
    return apr_psprintf(pool, "%04d-%02d-%02d", year, month, day_of_month);
}

int dsc_month_length(int year, int month)
{
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return length[month - 1] + (month == 2 && is_leap);
}

int dsc_month_end(int year, int month)
{
    return dsc_day(year, month, dsc_month_length(year, month));
}

int dsc_day_of_text(const char *date)
{
    return dsc_day(atoi(date), atoi(date + 5), atoi(date + 8));
}

int dsc_date_is_between(const char *date, const char *first, int days_ahead)
{
    int today = (int)(apr_time_now() / apr_time_from_sec(24 * 60 * 60));

    return strcmp(date, first) >= 0 && dsc_day_of_text(date) <= today + days_ahead;
}
