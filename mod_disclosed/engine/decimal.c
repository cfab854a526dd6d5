#include "engine/decimal.h"

#include <limits.h>

#define EXPONENT_LIMIT 1000000000L

/* The length of the run of digits at `at`. */
static long digits_at(const char *at, const char *end)
{
    const char *from = at;

    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at - from;
}

/* Reads a sign if there is one; returns 1 for a minus. */
static int sign_at(const char **at, const char *end)
{
    if (*at < end && (**at == '-' || **at == '+')) {
        return *(*at)++ == '-';
    }
    return 0;
}

/* Reads what follows the "e"; returns 0 if that is no exponent. */
static int parse_exponent(const char *at, const char *end, long *exponent)
{
    int negative = sign_at(&at, end);
    long length = digits_at(at, end);

    if (length == 0 || at + length != end) {
        return 0;
    }
    for (*exponent = 0; at < end; at++) {
        *exponent = *exponent * 10 + (*at - '0');
        *exponent = *exponent > EXPONENT_LIMIT ? EXPONENT_LIMIT : *exponent;
    }
    *exponent = negative ? -*exponent : *exponent;
    return 1;
}

int dsc_decimal_parse(const char *text, size_t length, dsc_decimal_t *decimal)
{
    const char *at = text, *end = text + length;

    memset(decimal, 0, sizeof(*decimal));
    decimal->negative = sign_at(&at, end);
    decimal->whole = at;
    decimal->whole_length = digits_at(at, end);
    at += decimal->whole_length;
    decimal->fraction = at;
    if (at < end && *at == '.') {
        decimal->fraction = ++at;
        decimal->fraction_length = digits_at(at, end);
        at += decimal->fraction_length;
    }
    if (decimal->whole_length + decimal->fraction_length == 0) {
        return 0;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        return parse_exponent(at + 1, end, &decimal->exponent);
    }
    return at == end;
}

char dsc_decimal_digit(const dsc_decimal_t *decimal, long place)
{
    if (place < decimal->whole_length) {
        return decimal->whole[place];
    }
    place -= decimal->whole_length;
    return place < decimal->fraction_length ? decimal->fraction[place] : '0';
}

long dsc_decimal_first(const dsc_decimal_t *decimal)
{
    long place = 0, count = decimal->whole_length + decimal->fraction_length;

    while (place < count && dsc_decimal_digit(decimal, place) == '0') {
        place++;
    }
    return place;
}

/* The place after the last digit that is not zero. */
static long place_after_last(const dsc_decimal_t *decimal)
{
    long place = decimal->whole_length + decimal->fraction_length;

    while (place > 0 && dsc_decimal_digit(decimal, place - 1) == '0') {
        place--;
    }
    return place;
}

long dsc_decimal_magnitude(const dsc_decimal_t *decimal)
{
    long first = dsc_decimal_first(decimal);

    if (first == decimal->whole_length + decimal->fraction_length) {
        return LONG_MIN;
    }
    return decimal->whole_length - first + decimal->exponent;
}

/* Appends the digits of the places from `from` up to, not including, `to`. */
static void append_digits(dsc_buffer_t *buffer, const dsc_decimal_t *decimal, long from, long to)
{
    long split = decimal->whole_length;

    if (from < split) {
        dsc_buffer_append(buffer, decimal->whole + from,
                          (size_t)((to < split ? to : split) - from));
        from = split;
    }
    if (from < to) {
        dsc_buffer_append(buffer, decimal->fraction + (from - split), (size_t)(to - from));
    }
}

static void append_zeros(dsc_buffer_t *buffer, long count)
{
    if (count > 0) {
        dsc_buffer_grow(buffer, (size_t)count);
        memset(buffer->data + buffer->length, '0', (size_t)count);
        buffer->length += (size_t)count;
    }
}

void dsc_decimal_write(dsc_buffer_t *buffer, const dsc_decimal_t *decimal, long shift)
{
    long first = dsc_decimal_first(decimal), last = place_after_last(decimal);
    long point = decimal->whole_length + decimal->exponent + shift;

    if (last == 0) {
        dsc_buffer_append_char(buffer, '0');
        return;
    }
    if (decimal->negative) {
        dsc_buffer_append_char(buffer, '-');
    }
    if (point > first) {
        append_digits(buffer, decimal, first, point < last ? point : last);
        append_zeros(buffer, point - last);
    } else {
        dsc_buffer_append_char(buffer, '0');
    }
    if (last > point) {
        dsc_buffer_append_char(buffer, '.');
        append_zeros(buffer, first - point);
        append_digits(buffer, decimal, point > first ? point : first, last);
    }
}
