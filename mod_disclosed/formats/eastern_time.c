#include "formats/eastern_time.h"

#include <apr_strings.h>
#include <ctype.h>
#include <string.h>

enum {
    MINUTES_A_DAY = 24 * 60,
    STANDARD_OFFSET = 5 * 60, /* minutes behind UTC */
    CHANGE_AT = 2 * 60        /* both changes happen at 2 o'clock of the time then in force */
};

typedef struct {
    int year, month, day, hour, minute, second;
    const char *fraction; /* ".123", or "" */
} local_time_t;

/* A rule like "the first Sunday on or after day 8 of March". */
typedef struct {
    int first_year;
    int start_month, start_day;
    int end_month, end_day;
} daylight_rule_t;

static const daylight_rule_t daylight_rules[] = {
    {2007, 3, 8, 11, 1},   /* second Sunday in March to first in November */
    {1987, 4, 1, 10, 25},  /* first Sunday in April to last in October */
    {1976, 4, 24, 10, 25}, /* last Sunday in April to last in October */
};

/* Days since 1970-01-01 in the Gregorian calendar; March counts as the year's first month, so
 * that the leap day comes last. */
static long day_number(int year, int month, int day)
{
    long shifted_year = month > 2 ? year : year - 1;
    long era = shifted_year / 400;
    long year_of_era = shifted_year - era * 400;
    long day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           719468;
}

/* The inverse: the date of a day number. */
static void date_of(long number, int *year, int *month, int *day)
{
    long shifted = number + 719468;
    long era = shifted / 146097;
    long day_of_era = shifted - era * 146097;
    long year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    long day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    long shifted_month = (5 * day_of_year + 2) / 153;

    *day = (int)(day_of_year - (153 * shifted_month + 2) / 5 + 1);
    *month = (int)(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
    *year = (int)(year_of_era + era * 400 + (*month <= 2));
}

/* The first Sunday on or after a date, as a day number; 1970-01-01 was a Thursday. */
static long sunday_from(int year, int month, int day)
{
    long number = day_number(year, month, day);

    return number + (10 - number % 7) % 7;
}

/* Reads exactly `count` digits; -1 where there are not so many. */
static int read_digits(const char **text, int count)
{
    int value = 0;

    for (int i = 0; i < count; i++) {
        if (!isdigit((unsigned char)(*text)[i])) {
            return -1;
        }
        value = value * 10 + (*text)[i] - '0';
    }
    *text += count;
    return value;
}

/* Skips one of `allowed` in the spelling with separators. */
static int skip_separator(const char **text, const char *allowed)
{
    if (**text == '\0' || !strchr(allowed, **text)) {
        return 0;
    }
    (*text)++;
    return 1;
}

static int read_fields(const char *text, local_time_t *time)
{
    int *const fields[] = {&time->year, &time->month,  &time->day,
                           &time->hour, &time->minute, &time->second};
    static const char *const separators[] = {"", "-", "-", "T ", ":", ":"};
    int separated = strlen(text) > 4 && text[4] == '-';

    for (int i = 0; i < 6; i++) {
        if (separated && i > 0 && !skip_separator(&text, separators[i])) {
            return 0;
        }
        *fields[i] = read_digits(&text, i == 0 ? 4 : 2);
        if (*fields[i] < 0) {
            return 0;
        }
    }
    time->fraction = text;
    return 1;
}

static int fraction_is_valid(const char *fraction)
{
    return *fraction == '\0' || (*fraction == '.' && fraction[1] != '\0' &&
                                 strspn(fraction + 1, "0123456789") == strlen(fraction + 1));
}

/* A date is one when it comes back from its day number unchanged. */
static int time_is_valid(const local_time_t *time)
{
    int year, month, day;

    if (time->month < 1 || time->month > 12 || time->day < 1 || time->day > 31) {
        return 0;
    }
    date_of(day_number(time->year, time->month, time->day), &year, &month, &day);
    return year == time->year && month == time->month && day == time->day && time->hour < 24 &&
           time->minute < 60 && time->second < 60 && fraction_is_valid(time->fraction);
}

/* Whether daylight saving time is in force: from 3 o'clock of the first day, 2 o'clock being
 * skipped, until 1 o'clock of the last, whose second 1 o'clock is standard time. */
static int is_daylight(const daylight_rule_t *rule, int year, long minutes)
{
    long start = sunday_from(year, rule->start_month, rule->start_day) * MINUTES_A_DAY;
    long end = sunday_from(year, rule->end_month, rule->end_day) * MINUTES_A_DAY;

    return minutes >= start + CHANGE_AT + 60 && minutes < end + CHANGE_AT - 60;
}

const char *dsc_eastern_to_utc(apr_pool_t *pool, const char *local)
{
    const daylight_rule_t *rule = daylight_rules;
    local_time_t time;
    long minutes;

    if (!local || !read_fields(local, &time) || !time_is_valid(&time)) {
        return NULL;
    }
    if (time.year < daylight_rules[sizeof daylight_rules / sizeof *rule - 1].first_year) {
        return NULL;
    }
    while (time.year < rule->first_year) {
        rule++;
    }
    minutes =
        day_number(time.year, time.month, time.day) * MINUTES_A_DAY + time.hour * 60 + time.minute;
    minutes += STANDARD_OFFSET - (is_daylight(rule, time.year, minutes) ? 60 : 0);
    date_of(minutes / MINUTES_A_DAY, &time.year, &time.month, &time.day);
    minutes %= MINUTES_A_DAY;
    return apr_psprintf(pool, "%04d-%02d-%02dT%02ld:%02ld:%02d%sZ", time.year, time.month, time.day,
                        minutes / 60, minutes % 60, time.second, time.fraction);
}

const char *dsc_end_of_day(apr_pool_t *pool, const char *day)
{
    return dsc_eastern_to_utc(pool, apr_pstrcat(pool, day, "T23:59:59.999999", NULL));
}
