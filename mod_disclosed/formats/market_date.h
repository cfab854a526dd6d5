/* Business days, and dates as files of market data write them; days are those of
 * engine/calendar.h. */
#ifndef DSC_MARKET_DATE_H
#define DSC_MARKET_DATE_H

#include <apr_pools.h>

/* The first business day on or after `day`, and the one `count` business days after it: no
 * weekends, no federal holidays (5 U.S.C. 6103(a)), no Good Friday. */
int dsc_business_day(int day);
int dsc_add_business_days(int day, int count);

/* A date as files of market data write it, as YYYY-MM-DD: YYYY-MM-DD, YYYYMMDD, or M/D/YYYY as in
 * the United States; a time of day behind it is left off. NULL if the text is no date. */
const char *dsc_plain_date(apr_pool_t *pool, const char *text);

/* Whether the text is a date as 25/12/2023: in its file 03/04/2023 then is a day of April, which
 * nothing in the date itself shows, so that no date of that file may be believed. */
int dsc_date_is_day_first(const char *text);
extern const char dsc_day_first_error[];

#endif
