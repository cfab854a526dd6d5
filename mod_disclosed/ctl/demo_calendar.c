/* The days of the demo universe: those of the importers' calendar. */
#include "ctl/demo.h"
#include "formats/calendar.h"
#include "formats/eastern_time.h"

#include <apr_strings.h>

int dsc_demo_day(int year, int month, int day)
{
    return dsc_day(year, month, day);
}

void dsc_demo_date(int day, int *year, int *month, int *day_of_month)
{
    dsc_day_date(day, year, month, day_of_month);
}

const char *dsc_demo_date_text(apr_pool_t *pool, int day)
{
    return dsc_day_text(pool, day);
}

const char *dsc_demo_long_date(apr_pool_t *pool, int day)
{
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    int year, month, day_of_month;
    dsc_day_date(day, &year, &month, &day_of_month);
    return apr_psprintf(pool, "%s %d, %d", months[month - 1], day_of_month, year);
}

int dsc_demo_month_end(int year, int month)
{
    return dsc_month_end(year, month);
}

int dsc_demo_business_day(int day)
{
    return dsc_business_day(day);
}

int dsc_demo_add_business_days(int day, int count)
{
    return dsc_add_business_days(day, count);
}

const char *dsc_demo_time(apr_pool_t *pool, int day, int second)
{
    return dsc_eastern_to_utc(pool,
                              apr_psprintf(pool, "%s %02d:%02d:%02d", dsc_demo_date_text(pool, day),
                                           second / HOUR, second % HOUR / MINUTE, second % MINUTE));
}
