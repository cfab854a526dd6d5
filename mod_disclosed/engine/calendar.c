#include "engine/calendar.h"

#include <apr_strings.h>
#include <apr_time.h>
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

void dsc_day_date(int day, int *year, int *month, int *day_of_month)
{
    int guess = 1970 + floor_divide(day, 365);
    while (dsc_day(guess, 1, 1) > day) {
        guess--;
    }
    while (dsc_day(guess + 1, 1, 1) <= day) {
        guess++;
    }
    *year = guess;
    *month = 12;
    while (dsc_day(guess, *month, 1) > day) {
        (*month)--;
    }
    *day_of_month = day - dsc_day(guess, *month, 1) + 1;
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
