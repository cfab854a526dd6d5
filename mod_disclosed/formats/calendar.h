/* Days, counted from 1 January 1970, dates as files write them, and business days; of the years 1 to
 * 9999, all in the Gregorian calendar. */
#ifndef DSC_CALENDAR_H
#define DSC_CALENDAR_H

#include <apr_pools.h>

int dsc_day(int year, int month, int day);
void dsc_day_date(int day, int *year, int *month, int *day_of_month);
const char *dsc_day_text(apr_pool_t *pool, int day); /* 2024-05-02 */
int dsc_month_end(int year, int month);

/* The day of a date YYYY-MM-DD that is known to be one. */
int dsc_day_of_text(const char *date);

/* Whether a date YYYY-MM-DD is neither before `first` nor more than so many days after today (UTC):
 * others are slips or damage, whatever the calendar says of them. */
int dsc_date_is_between(const char *date, const char *first, int days_ahead);

/* The first business day on or after `day`, and the one `count` business days after it: no
 * weekends, no federal holidays (5 U.S.C. 6103(a)), no Good Friday. */
int dsc_business_day(int day);
int dsc_add_business_days(int day, int count);

/* A date as files of market data write it, as YYYY-MM-DD: YYYY-MM-DD, YYYYMMDD, or M/D/YYYY as in
 * the United States; a time of day behind it is left off. NULL where the text is no date. */
const char *dsc_plain_date(apr_pool_t *pool, const char *text);

/* Whether the text is a date as 25/12/2023: in its file 03/04/2023 then is a day of April, which
 * nothing in the date itself shows, so that no date of that file may be believed. */
int dsc_date_is_day_first(const char *text);
extern const char dsc_day_first_fault[];

#endif
