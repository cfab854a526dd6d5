/* Dates and times of the demo universe. */
#include "ctl/demo.h"
#include "formats/eastern_time.h"

#include <apr_strings.h>

const char *dsc_demo_long_date(apr_pool_t *pool, int day)
{
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    int year, month, day_of_month;
    dsc_day_date(day, &year, &month, &day_of_month);
    return apr_psprintf(pool, "%s %d, %d", months[month - 1], day_of_month, year);
}

const char *dsc_demo_time(apr_pool_t *pool, int day, int second)
{
    return dsc_eastern_to_utc(pool,
                              apr_psprintf(pool, "%s %02d:%02d:%02d", dsc_day_text(pool, day),
                                           second / HOUR, second % HOUR / MINUTE, second % MINUTE));
}
