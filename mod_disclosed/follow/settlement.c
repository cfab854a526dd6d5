#include "follow/settlement.h"

#include "engine/calendar.h"
#include "formats/market_date.h"

enum {
    PUBLISHED_AFTER = 7, /* business days: FINRA's Short Interest Reporting schedule */
    LATE_AFTER = 3,      /* business days more: it comes in the evening, and holidays differ */
    MIDDLE = 15          /* of the month, or the business day before */
};

/* The last business day that is not after `day`. */
static int business_day_until(int day)
{
    while (dsc_business_day(day) != day) {
        day--;
    }
    return day;
}

static void add(apr_pool_t *pool, apr_array_header_t *days, int settlement, int since, int today)
{
    int published = dsc_add_business_days(settlement, PUBLISHED_AFTER);

    if (published > today) {
        return;
    }
    if (published < since) {
        apr_array_clear(days); /* of those before, the last one is wanted */
    }
    APR_ARRAY_PUSH(days, const char *) = dsc_day_text(pool, settlement);
}

apr_array_header_t *dsc_settlements(apr_pool_t *pool, const char *since, const char *today)
{
    apr_array_header_t *days = apr_array_make(pool, 8, sizeof(const char *));
    int first = dsc_day_of_text(since), last = dsc_day_of_text(today), day = first - 62;
    int year, month, of_month;

    dsc_day_date(day, &year, &month, &of_month);
    for (day = dsc_day(year, month, 1); day <= last; day = dsc_day(year, month, 1)) {
        int end = day + dsc_month_length(year, month) - 1;

        add(pool, days, business_day_until(day + MIDDLE - 1), first, last);
        add(pool, days, business_day_until(end), first, last);
        year += month == 12;
        month = month % 12 + 1;
    }
    return days;
}

int dsc_settlement_is_overdue(const char *settlement, const char *today)
{
    int published = dsc_add_business_days(dsc_day_of_text(settlement), PUBLISHED_AFTER);

    return dsc_day_of_text(today) >= dsc_add_business_days(published, LATE_AFTER);
}
