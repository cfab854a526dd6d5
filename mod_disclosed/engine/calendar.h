/* Days, counted from 1 January 1970; of the years 1 to 9999, all in the Gregorian calendar.
 * dsc_day_date() takes any day that PostgreSQL has; the year before 1 is 0. */
#ifndef DSC_CALENDAR_H
#define DSC_CALENDAR_H

#include <apr_pools.h>

int dsc_day(int year, int month, int day);
void dsc_day_date(int day, int *year, int *month, int *day_of_month);
const char *dsc_day_text(apr_pool_t *pool, int day); /* 2024-05-02 */

/* How many days the month has, and the last of them. */
int dsc_month_length(int year, int month);
int dsc_month_end(int year, int month);

/* The day of a date YYYY-MM-DD that is known to be one. */
int dsc_day_of_text(const char *date);

/* Whether a date YYYY-MM-DD is neither before `first` nor more than so many days after today (UTC):
 * others are slips or damage, whatever the calendar says of them. */
int dsc_date_is_between(const char *date, const char *first, int days_ahead);

#endif
