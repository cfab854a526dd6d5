/* Which clock the acceptance times of a submissions file are on. */
#include "sources/sec_submissions/acceptance_clock.h"

#include "engine/calendar.h"
#include "formats/eastern_time.h"

#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

enum {
    OPENS = 6 * 60,  /* EDGAR accepts from 6:00 to 22:00 Eastern (Regulation S-T, Rule 12), */
    SHUTS = 23 * 60, /* and what was being sent at 22:00 is finished */
    SAME_DAY = 17 * 60 + 30, /* until when a filing gets the day's date (Rule 13(a)(2)) */
    CLEAR_RHYTHM = 300,      /* 20 to 1 */
    TIME_LENGTH = 19         /* YYYY-MM-DDTHH:MM:SS */
};

/* What a clock in New York shows. */
typedef struct {
    int day; /* since 1970-01-01 */
    int minute;
} wall_time_t;

/* Ownership reports get the date of the day until 22:00 (Rule 13(a)(4)), Schedules 13D and 13G
 * since they are filed as XML, and correspondence always. */
static const char *const same_day_forms[] = {
    "3", "4", "5", "144", "SCHEDULE 13D", "SCHEDULE 13G", "CORRESP", NULL};

/* How filings spread over the hours of an Eastern day: 100 times the natural logarithm of each
 * hour's share, the mean over filers of every kind whose clock is beyond doubt. */
static const short hour_likelihood[24] = {-431, -621, -621, -621, -621, -621, -274, -386,
                                          -336, -331, -309, -337, -352, -389, -368, -327,
                                          -137, -216, -213, -290, -292, -328, -621, -621};

static int read_day(const char *text, int *day)
{
    int year, month, of_month;

    if (!text || sscanf(text, "%4d-%2d-%2d", &year, &month, &of_month) != 3) {
        return 0;
    }
    *day = dsc_day(year, month, of_month);
    return 1;
}

static int read_time(const char *text, wall_time_t *wall)
{
    int hour, minute;

    if (!read_day(text, &wall->day) || strlen(text) < TIME_LENGTH ||
        sscanf(text + 11, "%2d:%2d:", &hour, &minute) != 2) {
        return 0;
    }
    wall->minute = hour * 60 + minute;
    return 1;
}

/* The wall time as YYYY-MM-DDTHH:MM and the given seconds. */
static const char *write_time(apr_pool_t *pool, wall_time_t wall, const char *seconds)
{
    return apr_psprintf(pool, "%sT%02d:%02d:%.2s", dsc_day_text(pool, wall.day), wall.minute / 60,
                        wall.minute % 60, seconds);
}

/* What the clocks in New York show at a UTC time: four hours less, or five if that does not
 * lead back. */
static wall_time_t eastern_of(apr_pool_t *pool, const char *utc, wall_time_t wall)
{
    int behind;

    for (behind = 4; behind <= 5; behind++) {
        wall_time_t local = wall;
        const char *back;

        local.minute -= behind * 60;
        if (local.minute < 0) {
            local.minute += 24 * 60;
            local.day--;
        }
        back = dsc_eastern_to_utc(pool, write_time(pool, local, utc + 17));
        if (behind == 5 || (back && strncmp(back, utc, TIME_LENGTH) == 0)) {
            return local;
        }
    }
    return wall;
}

static int is_same_day_form(const char *form)
{
    size_t length = strcspn(form, "/");
    int i;

    for (i = 0; same_day_forms[i]; i++) {
        if (strlen(same_day_forms[i]) == length && !strncmp(same_day_forms[i], form, length)) {
            return 1;
        }
    }
    return 0;
}

/* Whether EDGAR could have accepted the form at that Eastern time and given it that date. */
static int is_plausible(wall_time_t local, int filed_on, const char *form)
{
    if (!strcmp(form, "EFFECT")) {
        return local.minute < 60; /* EDGAR's own notices of effectiveness, soon after midnight */
    }
    if (local.minute < OPENS || local.minute >= SHUTS) {
        return 0;
    }
    if (local.minute <= SAME_DAY || is_same_day_form(form)) {
        return filed_on == local.day;
    }
    return filed_on > local.day;
}

static int is_midnight(const char *time)
{
    return strlen(time) >= TIME_LENGTH && !strncmp(time + 11, "00:00:00", 8);
}

void dsc_clock_weigh(apr_pool_t *pool, dsc_clock_evidence_t *evidence, const char *accepted,
                     const char *filed_on, const char *form)
{
    wall_time_t written, from_utc;
    int filed, on_eastern, on_utc;

    /* letters of the SEC's staff are dated by hand and prove nothing */
    if (!accepted || !form || !strcmp(form, "UPLOAD") || !read_time(accepted, &written) ||
        is_midnight(accepted) || !read_day(filed_on, &filed)) {
        return;
    }
    from_utc = eastern_of(pool, accepted, written);
    on_eastern = is_plausible(written, filed, form);
    on_utc = is_plausible(from_utc, filed, form);
    evidence->eastern += on_eastern && !on_utc;
    evidence->utc += on_utc && !on_eastern;
    evidence->rhythm +=
        hour_likelihood[(written.minute / 60) % 24] - hour_likelihood[(from_utc.minute / 60) % 24];
}

void dsc_clock_weigh_name(dsc_clock_evidence_t *evidence, const char *instant)
{
    if (instant && strlen(instant) >= TIME_LENGTH &&
        (!strncmp(instant + 11, "04:00:00", 8) || !strncmp(instant + 11, "05:00:00", 8))) {
        evidence->names++;
    }
}

dsc_clock_t dsc_clock_decide(const dsc_clock_evidence_t *evidence)
{
    if (evidence->utc != evidence->eastern) {
        return evidence->utc > evidence->eastern ? DSC_CLOCK_UTC : DSC_CLOCK_EASTERN;
    }
    if (evidence->names > 0) {
        return DSC_CLOCK_UTC;
    }
    return evidence->rhythm >= CLEAR_RHYTHM ? DSC_CLOCK_EASTERN : DSC_CLOCK_UTC;
}

const char *dsc_clock_name(dsc_clock_t clock)
{
    return clock == DSC_CLOCK_EASTERN ? "US Eastern" : "UTC";
}

int dsc_clock_to_utc(apr_pool_t *pool, dsc_clock_t clock, const char *accepted, const char **utc)
{
    wall_time_t written;

    *utc = NULL;
    if (!accepted) {
        return 1;
    }
    if (!read_time(accepted, &written)) {
        return 0;
    }
    if (is_midnight(accepted)) {
        return 1;
    }
    if (clock == DSC_CLOCK_EASTERN) {
        *utc = dsc_eastern_to_utc(pool, apr_pstrmemdup(pool, accepted, strcspn(accepted, "Z")));
        return *utc != NULL;
    }
    written = eastern_of(pool, accepted, written);
    *utc = written.minute == 0 && !strncmp(accepted + 17, "00", 2) ? NULL : accepted;
    return 1;
}
