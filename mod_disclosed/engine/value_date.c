/* Dates and datetimes: ISO 8601 as RFC 3339 restricts it, or unix numbers. What is accepted, and
 * the messages for the rest, follow the parser of Pydantic (speedate). */
#include "engine/calendar.h"
#include "engine/decimal.h"
#include "engine/value.h"

#include <apr_strings.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* Unix numbers above it are milliseconds, those up to it seconds. */
#define MOST_SECONDS 20000000000LL

#define YEAR_0      (-62167219200LL) /* 0000-01-01T00:00:00Z */
#define YEAR_1      (-62135596800LL) /* 0001-01-01T00:00:00Z */
#define END_OF_9999 253402300799LL   /* 9999-12-31T23:59:59Z */

static const char too_short[] = "input is too short";
static const char extra_characters[] = "unexpected extra characters at the end of the input";
static const char before_0000[] = "dates before 0000 are not supported as unix timestamps";
static const char after_9999[] = "dates after 9999 are not supported as unix timestamps";

/* A date and a time of day as written; the offset of its zone, in seconds, counts from UTC. */
typedef struct {
    int year, month, day;
    int seconds, microseconds;
    int offset;
} moment_t;

/* The parsers below return NULL on success, else the words for what is wrong. */

/* --- calendar ------------------------------------------------------------------------- */

/* Seconds since 1970, in UTC. */
static int64_t to_unix(const moment_t *moment)
{
    struct tm tm = {.tm_year = moment->year - 1900,
                    .tm_mon = moment->month - 1,
                    .tm_mday = moment->day};

    return (int64_t)timegm(&tm) + moment->seconds - moment->offset;
}

/* Sets date and time of day; the seconds are within years 0 to 9999. */
static void set_unix(moment_t *moment, int64_t seconds)
{
    time_t time = (time_t)seconds;
    struct tm tm;

    gmtime_r(&time, &tm);
    moment->year = tm.tm_year + 1900;
    moment->month = tm.tm_mon + 1;
    moment->day = tm.tm_mday;
    moment->seconds = (tm.tm_hour * 60 + tm.tm_min) * 60 + tm.tm_sec;
}

/* --- ISO 8601 ------------------------------------------------------------------------- */

/* Reads `count` digits; returns 0 if they are not there. */
static int read_digits(dsc_slice_t text, size_t at, size_t count, int *value)
{
    size_t i;

    for (*value = 0, i = at; i < at + count; i++) {
        if (i >= text.length || text.data[i] < '0' || text.data[i] > '9') {
            return 0;
        }
        *value = *value * 10 + (text.data[i] - '0');
    }
    return 1;
}

/* The byte at a position; '\0' past the end, which no format has. */
static char byte_at(dsc_slice_t text, size_t at)
{
    return at < text.length ? text.data[at] : '\0';
}

/* Parses YYYY-MM-DD at the start of the text, whatever follows. */
static const char *parse_calendar_date(dsc_slice_t text, moment_t *moment)
{
    static const char separator[] = "invalid date separator, expected `-`";

    memset(moment, 0, sizeof(*moment));
    if (text.length < 10) {
        return too_short;
    }
    if (!read_digits(text, 0, 4, &moment->year)) {
        return "invalid character in year";
    }
    if (text.data[4] != '-') {
        return separator;
    }
    if (!read_digits(text, 5, 2, &moment->month)) {
        return "invalid character in month";
    }
    if (text.data[7] != '-') {
        return separator;
    }
    if (!read_digits(text, 8, 2, &moment->day)) {
        return "invalid character in day";
    }
    if (moment->month < 1 || moment->month > 12) {
        return "month value is outside expected range of 1-12";
    }
    if (moment->day < 1 || moment->day > dsc_month_length(moment->year, moment->month)) {
        return "day value is outside expected range";
    }
    return NULL;
}

/* Parses the fraction of a second after its point; digits past the sixth count for nothing. */
static const char *parse_fraction(dsc_slice_t text, size_t *at, moment_t *moment)
{
    int place = 100000;
    size_t from = *at;

    for (; byte_at(text, *at) >= '0' && byte_at(text, *at) <= '9'; ++*at) {
        moment->microseconds += (text.data[*at] - '0') * place;
        place /= 10;
    }
    return *at > from ? NULL : "second fraction digits missing after `.`";
}

/* Parses :SS[.fff] if it is there. */
static const char *parse_seconds(dsc_slice_t text, size_t *at, moment_t *moment)
{
    int second;

    if (byte_at(text, *at) != ':') {
        return NULL;
    }
    if (!read_digits(text, *at + 1, 2, &second)) {
        return "invalid character in second";
    }
    if (second > 59) {
        return "second value is outside expected range of 0-59";
    }
    moment->seconds += second;
    *at += 3;
    if (byte_at(text, *at) != '.' && byte_at(text, *at) != ',') {
        return NULL;
    }
    ++*at;
    return parse_fraction(text, at, moment);
}

/* Parses HH:MM[:SS[.fff]]. */
static const char *parse_clock(dsc_slice_t text, size_t *at, moment_t *moment)
{
    int hour, minute;

    if (text.length - *at < 5) {
        return too_short;
    }
    if (!read_digits(text, *at, 2, &hour)) {
        return "invalid character in hour";
    }
    if (text.data[*at + 2] != ':') {
        return "invalid time separator, expected `:`";
    }
    if (!read_digits(text, *at + 3, 2, &minute)) {
        return "invalid character in minute";
    }
    if (hour > 23) {
        return "hour value is outside expected range of 0-23";
    }
    if (minute > 59) {
        return "minute value is outside expected range of 0-59";
    }
    moment->seconds = (hour * 60 + minute) * 60;
    *at += 5;
    return parse_seconds(text, at, moment);
}

/* Reads the sign of a zone: "+", "-", or U+2212, which ISO 8601 prefers. 0: none of them. */
static int read_zone_sign(dsc_slice_t text, size_t *at)
{
    static const char minus[] = "\xE2\x88\x92";
    int plus = text.data[*at] == '+';

    if (plus || text.data[*at] == '-') {
        ++*at;
        return plus ? 1 : -1;
    }
    if (text.length - *at >= 3 && memcmp(text.data + *at, minus, 3) == 0) {
        *at += 3;
        return -1;
    }
    return 0;
}

/* Parses HH:MM or HHMM after the sign of a zone. */
static const char *parse_zone_offset(dsc_slice_t text, size_t *at, int sign, moment_t *moment)
{
    int hour, minute;

    if (!read_digits(text, *at, 2, &hour)) {
        return "invalid timezone hour";
    }
    *at += byte_at(text, *at + 2) == ':' ? 3 : 2;
    if (!read_digits(text, *at, 2, &minute)) {
        return "invalid timezone minute";
    }
    if (minute > 59) {
        return "timezone minute value is outside expected range of 0-59";
    }
    if (hour > 23) {
        return "timezone offset must be less than 24 hours";
    }
    *at += 2;
    moment->offset = sign * (hour * 60 + minute) * 60;
    return NULL;
}

/* Parses the zone if one is there; the text must end with it. */
static const char *parse_zone(dsc_slice_t text, size_t at, moment_t *moment)
{
    const char *wrong = NULL;
    char first = byte_at(text, at);

    if (first == 'Z' || first == 'z') {
        at++;
    } else if (at < text.length) {
        int sign = read_zone_sign(text, &at);

        wrong = sign == 0 ? "invalid timezone sign" : parse_zone_offset(text, &at, sign, moment);
    }
    return wrong == NULL && at < text.length ? extra_characters : wrong;
}

static const char *parse_iso_datetime(dsc_slice_t text, moment_t *moment)
{
    const char *wrong = parse_calendar_date(text, moment);
    size_t at = 11;

    if (wrong) {
        return wrong;
    }
    if (byte_at(text, 10) == '\0' || !strchr("Tt_ ", text.data[10])) {
        return "invalid datetime separator, expected `T`, `t`, `_` or space";
    }
    wrong = parse_clock(text, &at, moment);
    return wrong ? wrong : parse_zone(text, at, moment);
}

/* --- unix numbers --------------------------------------------------------------------- */

/* Sets the moment from a unix number, in seconds or, if it is large, in milliseconds. */
static const char *set_unix_number(int64_t number, int microseconds, moment_t *moment)
{
    memset(moment, 0, sizeof(*moment));
    if (number > MOST_SECONDS || number < -MOST_SECONDS) {
        int thousandths = (int)(number % 1000);

        number = number / 1000 - (thousandths < 0);
        microseconds += (thousandths + (thousandths < 0 ? 1000 : 0)) * 1000;
    }
    number += microseconds / 1000000;
    if (number < YEAR_0 || number > END_OF_9999) {
        return number < YEAR_0 ? before_0000 : after_9999;
    }
    set_unix(moment, number);
    moment->microseconds = microseconds % 1000000;
    return NULL;
}

/* Reads digits after an optional sign; returns where they end, 0 if none can be used. Past
 * 64 bits the number wraps round, and is of no use when that makes it negative, as in the
 * model. */
static size_t read_whole_number(dsc_slice_t text, int64_t *number)
{
    size_t sign = byte_at(text, 0) == '-' || byte_at(text, 0) == '+', at;
    uint64_t value = 0;

    for (at = sign; byte_at(text, at) >= '0' && byte_at(text, at) <= '9'; at++) {
        value = value * 10 + (uint64_t)(text.data[at] - '0');
        if (value > INT64_MAX) {
            return 0;
        }
    }
    *number = byte_at(text, 0) == '-' ? -(int64_t)value : (int64_t)value;
    return at;
}

/* Whether the text is a whole number. */
static int is_whole_number(dsc_slice_t text, int64_t *number)
{
    size_t end = read_whole_number(text, number);

    return end > 0 && end == text.length && text.data[end - 1] >= '0';
}

/* Whether the text is a number with a point. */
static int is_decimal(dsc_slice_t text, dsc_decimal_t *decimal)
{
    int64_t whole;
    size_t end = read_whole_number(text, &whole);

    return byte_at(text, end) == '.' && dsc_decimal_parse(text.data, text.length, decimal);
}

/* The fraction of a plain decimal in millionths, rounded to the nearest. */
static int millionths(const char *plain)
{
    const char *at = plain + strcspn(plain, ".");
    int i, value = 0;

    at += *at == '.';
    for (i = 0; i < 6; i++) {
        value = value * 10 + (*at ? *at++ - '0' : 0);
    }
    return value + (*at >= '5');
}

/* What the model says of a number that no 64 bits hold. */
static const char *beyond_64_bits(int negative)
{
    return negative ? before_0000 : "numeric times may not exceed 86,399 seconds";
}

/* Sets the moment from a plain decimal in seconds. */
static const char *set_unix_seconds(const char *plain, moment_t *moment)
{
    int negative = *plain == '-', fraction = millionths(plain);
    long long seconds;

    errno = 0;
    seconds = strtoll(plain + negative, NULL, 10);
    if (errno == ERANGE) {
        return beyond_64_bits(negative);
    }
    if (negative && strchr(plain, '.')) {
        return set_unix_number(-seconds - 1, 1000000 - fraction, moment);
    }
    return set_unix_number(negative ? -seconds : seconds, fraction, moment);
}

static const char *plain_digits(apr_pool_t *pool, const dsc_decimal_t *decimal, long shift)
{
    dsc_buffer_t *buffer = dsc_buffer_create(pool, 64);

    dsc_decimal_write(buffer, decimal, shift);
    return dsc_buffer_text(buffer);
}

/* Whether a plain decimal counts milliseconds. */
static int is_milliseconds(const char *plain)
{
    long long whole = strtoll(plain + (*plain == '-'), NULL, 10);

    return whole > MOST_SECONDS || (whole == MOST_SECONDS && strchr(plain, '.'));
}

static const char *set_unix_decimal(apr_pool_t *pool, const dsc_decimal_t *decimal,
                                    moment_t *moment)
{
    long magnitude = dsc_decimal_magnitude(decimal);
    const char *plain;

    if (magnitude > 22) {
        return beyond_64_bits(decimal->negative); /* even as milliseconds */
    }
    if (magnitude < -20) {
        return set_unix_number(0, 0, moment);
    }
    plain = plain_digits(pool, decimal, 0);
    if (is_milliseconds(plain)) {
        plain = plain_digits(pool, decimal, -3);
    }
    return set_unix_seconds(plain, moment);
}

/* --- date and datetime ---------------------------------------------------------------- */

static const char *parse_date(dsc_slice_t text, moment_t *moment)
{
    const char *wrong = parse_calendar_date(text, moment);
    int64_t number;

    if (wrong == NULL && text.length > 10) {
        wrong = extra_characters;
    }
    if (wrong && is_whole_number(text, &number)) {
        wrong = set_unix_number(number, 0, moment);
        if (wrong == NULL && (moment->seconds != 0 || moment->microseconds != 0)) {
            wrong = "Timestamp is not an exact date";
        }
    }
    return wrong;
}

static const char *parse_datetime(apr_pool_t *pool, dsc_slice_t text, moment_t *moment)
{
    const char *wrong = parse_iso_datetime(text, moment);
    dsc_decimal_t decimal;
    int64_t number;

    if (wrong && is_whole_number(text, &number)) {
        return set_unix_number(number, 0, moment);
    }
    if (wrong && is_decimal(text, &decimal)) {
        return set_unix_decimal(pool, &decimal, moment);
    }
    return wrong;
}

/* --- readers -------------------------------------------------------------------------- */

static int refuse_parsing(apr_pool_t *pool, const char *type, const char *message,
                          const char *wrong, dsc_refusal_t *refusal)
{
    return dsc_refuse(refusal, type, apr_pstrcat(pool, message, ", ", wrong, NULL),
                      apr_pstrcat(pool, "{\"error\":\"", wrong, "\"}", NULL));
}

int dsc_read_date(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                  dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    moment_t moment;
    const char *wrong;

    if (!dsc_check_length(pool, &parameter->bounds, input, refusal)) {
        return 0;
    }
    wrong = parse_date(input, &moment);
    if (wrong) { /* a datetime at midnight is a date, too */
        wrong = parse_datetime(pool, input, &moment);
        if (wrong) {
            return refuse_parsing(pool, "date_from_datetime_parsing",
                                  "Input should be a valid date or datetime", wrong, refusal);
        }
        if (moment.seconds != 0 || moment.microseconds != 0) {
            return dsc_refuse(refusal, "date_from_datetime_inexact",
                              "Datetimes provided to dates should have zero time - e.g. be "
                              "exact dates",
                              NULL);
        }
    }
    if (moment.year == 0) {
        return refuse_parsing(pool, "date_parsing",
                              "Input should be a valid date in the format YYYY-MM-DD",
                              "year 0 is out of range", refusal);
    }
    scalar->text = apr_psprintf(pool, "%04d-%02d-%02d", moment.year, moment.month, moment.day);
    return 1;
}

/* Converts a moment to UTC. One that its offset moves out of the years 1 to 9999, for which there
 * is no data, becomes their first or last microsecond. */
static void normalise(moment_t *moment)
{
    int64_t seconds = to_unix(moment);

    if (seconds < YEAR_1) {
        seconds = YEAR_1;
        moment->microseconds = 0;
    } else if (seconds > END_OF_9999) {
        seconds = END_OF_9999;
        moment->microseconds = 999999;
    }
    set_unix(moment, seconds);
}

int dsc_read_datetime(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                      dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    moment_t moment;
    const char *wrong = parse_datetime(pool, input, &moment);

    (void)parameter;
    if (wrong) {
        wrong = parse_date(input, &moment);
    }
    if (wrong) {
        return refuse_parsing(pool, "datetime_from_date_parsing",
                              "Input should be a valid datetime or date", wrong, refusal);
    }
    if (moment.year == 0) {
        return refuse_parsing(pool, "datetime_parsing", "Input should be a valid datetime",
                              "year 0 is out of range", refusal);
    }
    normalise(&moment);
    scalar->text = apr_psprintf(pool, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", moment.year,
                                moment.month, moment.day, moment.seconds / 3600,
                                moment.seconds / 60 % 60, moment.seconds % 60, moment.microseconds);
    return 1;
}
