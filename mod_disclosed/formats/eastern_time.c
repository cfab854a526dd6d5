#include "formats/eastern_time.h"

#include "engine/calendar.h"

#include <apr_strings.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char zone[] = "America/New_York";
static int ready;

typedef struct {
    int year, month, day, hour, minute, second;
    const char *fraction; /* ".123", or "" */
} local_time_t;

/* Reads exactly `count` digits; -1 if there are not so many. */
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

static int time_is_valid(const local_time_t *time)
{
    return time->year >= DSC_EASTERN_FIRST_YEAR && time->month >= 1 && time->month <= 12 &&
           time->day >= 1 && time->day <= dsc_month_length(time->year, time->month) &&
           time->hour < 24 && time->minute < 60 && time->second < 60 &&
           fraction_is_valid(time->fraction);
}

/* ------------------------------------------------------------------ the time zone */

/* The instant of a wall time that is read as standard or as daylight saving time; *in_force: which
 * of them holds then. */
static time_t read_as(const local_time_t *time, int daylight_saving, int *in_force)
{
    struct tm wall = {.tm_year = time->year - 1900,
                      .tm_mon = time->month - 1,
                      .tm_mday = time->day,
                      .tm_hour = time->hour,
                      .tm_min = time->minute,
                      .tm_sec = time->second,
                      .tm_isdst = daylight_saving};
    time_t instant = mktime(&wall);

    *in_force = wall.tm_isdst > 0;
    return instant;
}

/* Daylight saving time counts if it alone is true: of the hour that comes twice both are, of the
 * hour that is left out neither. */
static time_t instant_of(const local_time_t *time)
{
    int in_standard, in_daylight;
    time_t standard = read_as(time, 0, &in_standard), daylight = read_as(time, 1, &in_daylight);

    return in_standard && in_daylight ? daylight : standard;
}

const char *dsc_eastern_begin(void)
{
    static const local_time_t winter = {1994, 1, 15, 12, 0, 0, ""},
                              summer = {1994, 7, 15, 12, 0, 0, ""};

    setenv("TZ", zone, 1);
    tzset();
    /* The C library takes UTC for a zone that it does not find. */
    ready = instant_of(&winter) == 758653200 && instant_of(&summer) == 774288000;
    return ready
               ? NULL
               : "the time zone America/New_York is not among the system's time zone files, so that "
                 "the SEC's times cannot be converted (Debian package: tzdata)";
}

const char *dsc_eastern_to_utc(apr_pool_t *pool, const char *local)
{
    local_time_t time;
    struct tm utc;
    time_t instant;

    if (!ready) {
        abort(); /* dsc_eastern_begin() was forgotten, or what it said */
    }
    if (!local || !read_fields(local, &time) || !time_is_valid(&time)) {
        return NULL;
    }
    instant = instant_of(&time);
    gmtime_r(&instant, &utc);
    return apr_psprintf(pool, "%04d-%02d-%02dT%02d:%02d:%02d%sZ", utc.tm_year + 1900,
                        utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                        time.fraction);
}

int dsc_acceptance_to_utc(apr_pool_t *pool, const char *accepted, const char **utc)
{
    int is_known = strlen(accepted) != 14 || strcmp(accepted + 8, "000000") != 0;
    const char *instant = dsc_eastern_to_utc(pool, accepted);

    *utc = is_known ? instant : NULL;
    return instant != NULL;
}

const char *dsc_end_of_day(apr_pool_t *pool, const char *day)
{
    return dsc_eastern_to_utc(pool, apr_pstrcat(pool, day, "T23:59:59.999999", NULL));
}
