/* Days on which the SEC takes filings and the exchanges trade, and dates in files about them. */
#include "formats/market_date.h"

#include "engine/calendar.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

enum {
    SUNDAY,
    MONDAY,
    THURSDAY = 4,
    FRIDAY,
    SATURDAY
};

/* A holiday: a day of its month, moved off the weekend, or the nth such weekday (-1: the last). */
typedef struct {
    int month, day, nth, weekday;
} holiday_t;

/* Federal holidays, 5 U.S.C. 6103(a). */
static const holiday_t holidays[] = {
    {1, 1, 0, 0},   {1, 0, 3, MONDAY},    {2, 0, 3, MONDAY}, {5, 0, -1, MONDAY},
    {6, 19, 0, 0},  {7, 4, 0, 0},         {9, 0, 1, MONDAY}, {10, 0, 2, MONDAY},
    {11, 11, 0, 0}, {11, 0, 4, THURSDAY}, {12, 25, 0, 0},
};

const char dsc_day_first_error[] =
    "a date has its day before its month: dates are YYYY-MM-DD, or MM/DD/YYYY in all of a file";

static int weekday_of(int day)
{
    return ((day + THURSDAY) % 7 + 7) % 7; /* 1 January 1970 was a Thursday */
}

static int holiday_in(const holiday_t *holiday, int year)
{
    int day;
    if (holiday->day != 0) {
        day = dsc_day(year, holiday->month, holiday->day);
        return day + (weekday_of(day) == SUNDAY) - (weekday_of(day) == SATURDAY);
    }
    if (holiday->nth < 0) {
        day = dsc_month_end(year, holiday->month);
        return day - (weekday_of(day) - holiday->weekday + 7) % 7;
    }
    day = dsc_day(year, holiday->month, 1);
    return day + (holiday->weekday - weekday_of(day) + 7) % 7 + 7 * (holiday->nth - 1);
}

/* The Gregorian computus, as J.-M. Oudin gave it in 1940. */
static int good_friday(int year)
{
    int century = year / 100, golden = year % 19;
    int correction = (century - 17) / 25;
    int epact = (century - century / 4 - (century - correction) / 3 + 19 * golden + 15) % 30;
    int moon = epact - epact / 28 * (1 - epact / 28 * (29 / (epact + 1)) * ((21 - golden) / 11));
    int weekday = (year + year / 4 + moon + 2 - century + century / 4) % 7;
    int sunday = moon - weekday; /* days after 28 March */
    return dsc_day(year, 3, 28) + sunday - 2;
}

static int is_business_day(int day)
{
    int year, month, day_of_month;
    if (weekday_of(day) == SUNDAY || weekday_of(day) == SATURDAY) {
        return 0;
    }
    dsc_day_date(day, &year, &month, &day_of_month);
    for (int i = 0; i < (int)(sizeof(holidays) / sizeof(holidays[0])); i++) {
        if (holidays[i].month == month && holiday_in(&holidays[i], year) == day) {
            return 0;
        }
    }
    /* New Year's Day on a Saturday is kept on the last day of December. */
    return !(month == 12 && holiday_in(&holidays[0], year + 1) == day) && good_friday(year) != day;
}

int dsc_business_day(int day)
{
    while (!is_business_day(day)) {
        day++;
    }
    return day;
}

int dsc_add_business_days(int day, int count)
{
    for (day = dsc_business_day(day); count > 0; count--) {
        day = dsc_business_day(day + 1);
    }
    return day;
}

/* --------------------------------------------------------------- dates as text */

/* `count` digits as a number; -1 if there are others. */
static int number(const char *text, int count)
{
    int value = 0;

    for (; count > 0; count--, text++) {
        if (!apr_isdigit(*text)) {
            return -1;
        }
        value = 10 * value + (*text - '0');
    }
    return value;
}

static const char *checked(apr_pool_t *pool, int year, int month, int day)
{
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > dsc_month_length(year, month)) {
        return NULL;
    }
    return apr_psprintf(pool, "%04d-%02d-%02d", year, month, day);
}

/* MM/DD/YYYY, with or without leading zeros; *rest is what follows. */
static const char *american(apr_pool_t *pool, const char *text, const char **rest)
{
    int parts[3], i;

    for (i = 0; i < 3; i++) {
        int digits = (int)strspn(text, "0123456789");

        if (digits < 1 || digits > (i < 2 ? 2 : 4) || (i == 2 && digits != 4)) {
            return NULL;
        }
        parts[i] = number(text, digits);
        text += digits;
        if (i < 2 && *text++ != '/') {
            return NULL;
        }
    }
    *rest = text;
    return checked(pool, parts[2], parts[0], parts[1]);
}

/* Nothing, or a time of day: other text might be another date. */
static int is_time_or_end(const char *rest)
{
    size_t digits;

    if (*rest != 'T' && *rest != ' ') {
        return *rest == '\0';
    }
    digits = strspn(rest + 1, "0123456789");
    return digits >= 1 && digits <= 2 && rest[1 + digits] == ':' &&
           rest[1 + strspn(rest + 1, "0123456789:.+-Zz AaPpMm")] == '\0';
}

int dsc_date_is_day_first(const char *text)
{
    int first = number(text, 2), second;
    size_t digits;

    if (first < 13 || first > 31 || text[2] != '/') {
        return 0;
    }
    digits = strspn(text + 3, "0123456789");
    second = digits == 1 || digits == 2 ? number(text + 3, (int)digits) : 0;
    return second >= 1 && second <= 12 && text[3 + digits] == '/' &&
           strspn(text + 4 + digits, "0123456789") == 4;
}

const char *dsc_plain_date(apr_pool_t *pool, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    const char *rest, *date;

    if (digits == 8) {
        date = checked(pool, number(text, 4), number(text + 4, 2), number(text + 6, 2));
        rest = text + 8;
    } else if (digits == 4 && text[4] == '-' && number(text + 5, 2) >= 0 && text[7] == '-' &&
               number(text + 8, 2) >= 0) {
        date = checked(pool, number(text, 4), number(text + 5, 2), number(text + 8, 2));
        rest = text + 10;
    } else {
        date = american(pool, text, &rest);
    }
    return date != NULL && is_time_or_end(rest) ? date : NULL;
}
