#include "engine/wire.h"

#include "engine/calendar.h"
#include "engine/json_writer.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

#define DAY_MICROSECONDS (INT64_C(86400) * 1000000)
#define DAYS_TO_2000     10957     /* from 1 January 1970 */
#define FIRST_INSTANT    (-730074) /* 15 February of the year 1: its quarter is of that year */
#define NUMERIC_HEAD     8
#define NEGATIVE_SIGN    0x4000
#define MOST_DATE        24 /* bytes of a date or time: "294276-12-31 23:59:59.999999+00 BC" in two */

dsc_wire_t dsc_wire_type(unsigned oid)
{
    /* OIDs of pg_type that never change: src/include/catalog/pg_type.dat. */
    static const struct {
        unsigned oid;
        dsc_wire_t type;
    } types[] = {
        {25, DSC_WIRE_TEXT},    {1700, DSC_WIRE_NUMERIC},   {20, DSC_WIRE_INTEGER},
        {1082, DSC_WIRE_DATE},  {16, DSC_WIRE_BOOLEAN},     {1184, DSC_WIRE_TIMESTAMPTZ},
        {2950, DSC_WIRE_UUID},  {23, DSC_WIRE_INTEGER},     {21, DSC_WIRE_INTEGER},
        {3802, DSC_WIRE_JSONB}, {1009, DSC_WIRE_TEXTS},     {2951, DSC_WIRE_UUIDS},
        {114, DSC_WIRE_TEXT},   {1114, DSC_WIRE_TIMESTAMP}, {1043, DSC_WIRE_TEXT},
        {1042, DSC_WIRE_TEXT},  {19, DSC_WIRE_TEXT},        {17, DSC_WIRE_BYTES},
    };
    size_t i;

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].oid == oid) {
            return types[i].type;
        }
    }
    return DSC_WIRE_OTHER;
}

/* --------------------------------------------------------------------- integers */

static unsigned read_16(const char *at)
{
    const unsigned char *bytes = (const unsigned char *)at;

    return (unsigned)bytes[0] << 8 | bytes[1];
}

static int32_t read_32(const char *at)
{
    return (int32_t)((uint32_t)read_16(at) << 16 | read_16(at + 2));
}

static int64_t read_64(const char *at)
{
    return (int64_t)((uint64_t)(uint32_t)read_32(at) << 32 | (uint32_t)read_32(at + 4));
}

long long dsc_wire_integer(dsc_slice_t value)
{
    switch (value.length) {
    case 8:
        return read_64(value.data);
    case 4:
        return read_32(value.data);
    case 2:
        return (int16_t)read_16(value.data);
    default:
        return 0;
    }
}

int dsc_wire_boolean(dsc_slice_t value)
{
    return value.length > 0 && value.data[0] != 0;
}

/* Two digits. */
static char *put_2(char *at, unsigned value)
{
    *at++ = (char)('0' + value / 10);
    *at++ = (char)('0' + value % 10);
    return at;
}

static char *put_4(char *at, unsigned value)
{
    return put_2(put_2(at, value / 100), value % 100);
}

/* As many digits as it has, at least one. */
static char *put_integer(char *at, uint64_t value)
{
    char digits[24], *first = digits + sizeof(digits);
    size_t length;

    do {
        *--first = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    length = (size_t)(digits + sizeof(digits) - first);
    memcpy(at, first, length);
    return at + length;
}

/* ---------------------------------------------------------------------- numeric */

typedef struct {
    int count,
        weight; /* of `digits`, to the base of 10,000; the place of the first before the point */
    unsigned sign;
    int scale; /* digits shown behind the point */
    const char *digits;
} numeric_t;

/* 0 if it is no number: NaN or an infinity. */
static int read_numeric(dsc_slice_t value, numeric_t *numeric)
{
    if (value.length < NUMERIC_HEAD) {
        return 0;
    }
    numeric->count = (int)read_16(value.data);
    numeric->weight = (int16_t)read_16(value.data + 2);
    numeric->sign = read_16(value.data + 4);
    numeric->scale = (int)read_16(value.data + 6);
    numeric->digits = value.data + NUMERIC_HEAD;
    return (numeric->sign & 0x8000) == 0 &&
           (size_t)numeric->count * 2 + NUMERIC_HEAD == value.length;
}

static unsigned numeric_digit(const numeric_t *numeric, int place)
{
    return place >= 0 && place < numeric->count ? read_16(numeric->digits + (size_t)place * 2) : 0;
}

/* The digits before the point, without zeros in front. */
static char *put_whole(char *at, const numeric_t *numeric)
{
    int place;

    if (numeric->weight < 0) {
        *at++ = '0';
        return at;
    }
    at = put_integer(at, numeric_digit(numeric, 0));
    for (place = 1; place <= numeric->weight; place++) {
        at = put_4(at, numeric_digit(numeric, place));
    }
    return at;
}

/* The point and the digits behind it. */
static char *put_fraction(char *at, const numeric_t *numeric)
{
    int place = numeric->weight + 1;
    char *end;

    *at++ = '.';
    end = at + numeric->scale;
    while (at < end) {
        at = put_4(at, numeric_digit(numeric, place++));
    }
    return end;
}

/* Appends the number as PostgreSQL writes it; `trimmed`, without zeros at the end of its
 * fraction. */
static void append_numeric(dsc_buffer_t *buffer, const numeric_t *numeric, int trimmed)
{
    size_t whole = numeric->weight < 0 ? 1 : (size_t)(numeric->weight + 1) * 4;
    char *at;

    dsc_buffer_grow(buffer, whole + (size_t)numeric->scale + 8);
    at = buffer->data + buffer->length;
    if (numeric->sign == NEGATIVE_SIGN) {
        *at++ = '-';
    }
    at = put_whole(at, numeric);
    if (numeric->scale > 0) {
        at = put_fraction(at, numeric);
        while (trimmed && at[-1] == '0') {
            at--;
        }
        at -= trimmed && at[-1] == '.';
    }
    buffer->length = (size_t)(at - buffer->data);
}

static void append_numeric_text(dsc_buffer_t *buffer, dsc_slice_t value)
{
    numeric_t numeric = {0};

    if (read_numeric(value, &numeric)) {
        append_numeric(buffer, &numeric, 0);
    } else {
        dsc_buffer_append_text(buffer, numeric.sign == 0xD000   ? "Infinity"
                                       : numeric.sign == 0xF000 ? "-Infinity"
                                                                : "NaN");
    }
}

void dsc_wire_json_number(dsc_buffer_t *buffer, dsc_wire_t type, dsc_slice_t value)
{
    numeric_t numeric = {0};

    if (type == DSC_WIRE_INTEGER) {
        dsc_json_integer(buffer, dsc_wire_integer(value));
    } else if (read_numeric(value, &numeric)) {
        append_numeric(buffer, &numeric, 1);
    } else {
        dsc_buffer_append(buffer, "null", 4);
    }
}

/* --------------------------------------------------------------- dates and times */

typedef struct {
    int year, month, day; /* the year 0 is the one before 1: 1 BC */
    int64_t microseconds; /* of the day */
} moment_t;

static int64_t floor_divide(int64_t dividend, int64_t divisor)
{
    return dividend / divisor - (dividend % divisor < 0);
}

/* The moment of a date or a time; 0 if it is an infinity. */
static int read_moment(dsc_wire_t type, dsc_slice_t value, moment_t *moment)
{
    int64_t time = dsc_wire_integer(value), day;
    int is_date = type == DSC_WIRE_DATE;

    if (is_date ? time == INT32_MAX || time == INT32_MIN : time == INT64_MAX || time == INT64_MIN) {
        return 0;
    }
    day = is_date ? time : floor_divide(time, DAY_MICROSECONDS);
    moment->microseconds = is_date ? 0 : time - day * DAY_MICROSECONDS;
    dsc_day_date((int)day + DAYS_TO_2000, &moment->year, &moment->month, &moment->day);
    return 1;
}

static int is_common_era(const moment_t *moment)
{
    return moment->year > 0;
}

static char *put_date(char *at, const moment_t *moment)
{
    uint64_t year = (uint64_t)(is_common_era(moment) ? moment->year : 1 - moment->year);

    at = year < 10000 ? put_4(at, (unsigned)year) : put_integer(at, year);
    *at++ = '-';
    at = put_2(at, (unsigned)moment->month);
    *at++ = '-';
    return put_2(at, (unsigned)moment->day);
}

/* Hours, minutes and seconds, with as much of the fraction as there is. */
static char *put_time(char *at, const moment_t *moment)
{
    unsigned fraction = (unsigned)(moment->microseconds % 1000000);
    unsigned seconds = (unsigned)(moment->microseconds / 1000000);

    at = put_2(at, seconds / 3600);
    *at++ = ':';
    at = put_2(at, seconds / 60 % 60);
    *at++ = ':';
    at = put_2(at, seconds % 60);
    if (fraction) {
        *at++ = '.';
        at = put_2(put_4(at, fraction / 100), fraction % 100);
        while (at[-1] == '0') {
            at--;
        }
    }
    return at;
}

static void append_moment(dsc_buffer_t *buffer, dsc_wire_t type, dsc_slice_t value)
{
    moment_t moment;
    char *at;

    if (!read_moment(type, value, &moment)) {
        dsc_buffer_append_text(buffer, dsc_wire_integer(value) < 0 ? "-infinity" : "infinity");
        return;
    }
    dsc_buffer_grow(buffer, (size_t)MOST_DATE * 2);
    at = put_date(buffer->data + buffer->length, &moment);
    if (type != DSC_WIRE_DATE) {
        *at++ = ' ';
        at = put_time(at, &moment);
    }
    buffer->length = (size_t)(at - buffer->data);
    if (type == DSC_WIRE_TIMESTAMPTZ) {
        dsc_buffer_append(buffer, "+00", 3);
    }
    if (!is_common_era(&moment)) {
        dsc_buffer_append(buffer, " BC", 3);
    }
}

/* What is neither a time of the years 1 to 9999 nor in UTC: its text is looked at. */
static void append_odd_datetime(dsc_buffer_t *buffer, dsc_wire_t type, dsc_slice_t value)
{
    dsc_buffer_t text = {.pool = buffer->pool}; /* there may be many, so it is freed here */

    dsc_buffer_enlarge(&text, (size_t)MOST_DATE * 2);
    dsc_wire_text(&text, type, value);
    dsc_json_datetime(buffer, dsc_buffer_text(&text));
    free(text.data);
}

void dsc_wire_json_datetime(dsc_buffer_t *buffer, dsc_wire_t type, dsc_slice_t value)
{
    moment_t moment;
    char *at;

    if (type != DSC_WIRE_TIMESTAMPTZ || !read_moment(type, value, &moment) ||
        !is_common_era(&moment) || moment.year > 9999) {
        append_odd_datetime(buffer, type, value);
        return;
    }
    dsc_buffer_grow(buffer, (size_t)MOST_DATE * 2);
    at = buffer->data + buffer->length;
    *at++ = '"';
    at = put_date(at, &moment);
    *at++ = 'T';
    at = put_time(at, &moment);
    *at++ = 'Z';
    *at++ = '"';
    buffer->length = (size_t)(at - buffer->data);
}

/* ----------------------------------------------------------------------- others */

/* Appends the year, and the quarter if that is asked for, of a day counted as PostgreSQL does. */
static void append_period(dsc_buffer_t *buffer, int64_t day, int is_quarter)
{
    int year, month, day_of_month;

    dsc_day_date((int)day + DAYS_TO_2000, &year, &month, &day_of_month);
    dsc_buffer_append_char(buffer, '"');
    dsc_json_integer(buffer, year > 0 ? year : year - 1);
    if (is_quarter) {
        dsc_buffer_append_char(buffer, 'Q');
        dsc_buffer_append_char(buffer, (char)('1' + (month - 1) / 3));
    }
    dsc_buffer_append_char(buffer, '"');
}

static int is_finite_date(int64_t day)
{
    return day != INT32_MAX && day != INT32_MIN;
}

void dsc_wire_json_calendar(dsc_buffer_t *buffer, dsc_slice_t start, dsc_slice_t end)
{
    int64_t last = end.data ? dsc_wire_integer(end) : INT32_MAX;
    int64_t first = start.data ? dsc_wire_integer(start) : last;
    int64_t length = last - first;

    if (!is_finite_date(last) || !is_finite_date(first)) {
        dsc_buffer_append(buffer, "null", 4);
    } else if (!start.data && last >= FIRST_INSTANT) {
        append_period(buffer, last - 45, 1);
    } else if (start.data && length >= 60 && length <= 120) {
        append_period(buffer, first + length / 2, 1);
    } else if (start.data && length >= 334 && length <= 394) {
        append_period(buffer, last - 180, 0);
    } else {
        dsc_buffer_append(buffer, "null", 4);
    }
}

void dsc_wire_accession(char *text, dsc_slice_t number)
{
    uint64_t rest = (uint64_t)dsc_wire_integer(number);
    int at;

    for (at = DSC_ACCESSION_LENGTH - 1; at >= 0; at--) {
        if (at == 10 || at == 13) {
            text[at] = '-';
            continue;
        }
        text[at] = (char)('0' + rest % 10);
        rest /= 10;
    }
}

void dsc_wire_hex(dsc_buffer_t *buffer, dsc_slice_t uuid)
{
    static const char hex[] = "0123456789abcdef";
    size_t i;

    dsc_buffer_grow(buffer, uuid.length * 2);
    for (i = 0; i < uuid.length; i++) {
        unsigned char byte = (unsigned char)uuid.data[i];

        buffer->data[buffer->length++] = hex[byte >> 4];
        buffer->data[buffer->length++] = hex[byte & 15];
    }
}

/* In five groups. */
static void append_uuid(dsc_buffer_t *buffer, dsc_slice_t uuid)
{
    static const size_t ends[] = {4, 6, 8, 10, 16};
    size_t i, start = 0;

    for (i = 0; i < sizeof(ends) / sizeof(ends[0]) && ends[i] <= uuid.length; start = ends[i++]) {
        if (i > 0) {
            dsc_buffer_append_char(buffer, '-');
        }
        dsc_wire_hex(buffer, (dsc_slice_t){uuid.data + start, ends[i] - start});
    }
}

void dsc_wire_text(dsc_buffer_t *buffer, dsc_wire_t type, dsc_slice_t value)
{
    switch (type) {
    case DSC_WIRE_INTEGER:
        dsc_json_integer(buffer, dsc_wire_integer(value));
        break;
    case DSC_WIRE_NUMERIC:
        append_numeric_text(buffer, value);
        break;
    case DSC_WIRE_BOOLEAN:
        dsc_buffer_append_char(buffer, dsc_wire_boolean(value) ? 't' : 'f');
        break;
    case DSC_WIRE_DATE:
    case DSC_WIRE_TIMESTAMP:
    case DSC_WIRE_TIMESTAMPTZ:
        append_moment(buffer, type, value);
        break;
    case DSC_WIRE_UUID:
        append_uuid(buffer, value);
        break;
    case DSC_WIRE_JSONB:
        dsc_buffer_append(buffer, value.data + 1, value.length > 0 ? value.length - 1 : 0);
        break;
    case DSC_WIRE_TEXT:
        dsc_buffer_append(buffer, value.data, value.length);
        break;
    default:
        break;
    }
}

/* Dimensions, whether there are NULLs, the type of elements; of the one dimension, its length and
 * first number; then each element's length, -1 for NULL, and bytes. */
dsc_wire_array_t dsc_wire_array(dsc_slice_t array)
{
    enum {
        HEAD = 12,
        DIMENSION = 8
    };
    const char *end = array.data + array.length;

    if (array.length < HEAD + DIMENSION) {
        return (dsc_wire_array_t){end, end};
    }
    return (dsc_wire_array_t){array.data + HEAD + DIMENSION, end};
}

int dsc_wire_next(dsc_wire_array_t *array, dsc_slice_t *element)
{
    enum {
        LENGTH = 4
    };
    int32_t length;

    *element = (dsc_slice_t){NULL, 0};
    if (array->end - array->at < LENGTH) {
        return 0;
    }
    length = read_32(array->at);
    array->at += LENGTH;
    if (length >= 0 && length <= array->end - array->at) {
        *element = (dsc_slice_t){array->at, (size_t)length};
        array->at += length;
    }
    return 1;
}

void dsc_wire_json_texts(dsc_buffer_t *buffer, dsc_slice_t array)
{
    dsc_wire_array_t rest = dsc_wire_array(array);
    dsc_slice_t element;
    int is_first = 1;

    dsc_buffer_append_char(buffer, '[');
    while (dsc_wire_next(&rest, &element)) {
        dsc_buffer_append(buffer, ",", is_first ? 0 : 1);
        is_first = 0;
        if (element.data) {
            dsc_json_string(buffer, element.data, element.length);
        } else {
            dsc_buffer_append(buffer, "null", 4);
        }
    }
    dsc_buffer_append_char(buffer, ']');
}
