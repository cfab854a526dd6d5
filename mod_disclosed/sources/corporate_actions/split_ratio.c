/* Split ratios as exact fractions: whole numbers only. */
#include "sources/corporate_actions/split_ratio.h"

#include "engine/decimal.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DIGITS = 18 /* what 64 bits hold */
};

/* A decimal as number / 10^digits. */
typedef struct {
    uint64_t number;
    int digits;
    int is_cut; /* it had more digits than are kept */
} number_t;

static uint64_t power_of_ten(int digits)
{
    uint64_t power = 1;

    for (; digits > 0; digits--) {
        power *= 10;
    }
    return power;
}

/* 0 if the text is no decimal, or not more than zero. */
static int read_number(apr_pool_t *pool, const char *text, number_t *number)
{
    dsc_buffer_t *plain = dsc_buffer_create(pool, 64);
    dsc_decimal_t decimal;
    size_t length;
    char *point;

    if (!dsc_decimal_parse(text, strlen(text), &decimal) || decimal.negative ||
        labs(decimal.exponent) > MOST_DIGITS || strlen(text) > 1000) {
        return 0;
    }
    dsc_decimal_write(plain, &decimal, 0);
    (void)dsc_buffer_text(plain);
    point = strchr(plain->data, '.');
    number->digits = point != NULL ? (int)strlen(point + 1) : 0;
    if (point != NULL) {
        memmove(point, point + 1, (size_t)number->digits + 1);
    }
    length = strlen(plain->data);
    number->is_cut = length > MOST_DIGITS;
    if (number->is_cut) {
        number->digits -= (int)length - MOST_DIGITS;
        plain->data[MOST_DIGITS] = '\0';
    }
    number->number = strtoull(plain->data, NULL, 10);
    return number->digits >= 0 && number->number > 0;
}

/* Euclid's algorithm, which passes by the convergents p/q of to/from; the last one is to/from
 * itself, reduced. `digits` > 0: `from` is 10^digits, and the first convergent that agrees with
 * all digits (what remains is |to q - from p|, less than q when p/q is less than one unit of the
 * last digit away) is taken when it is so simple (100 q^2 <= 10^digits) that digits would hardly
 * agree with it by chance. Returns whether such a one was taken. */
static int reduce(uint64_t to, uint64_t from, int digits, dsc_split_ratio_t *ratio)
{
    uint64_t scale = power_of_ten(digits), p = 1, q = 0, p_before = 0, q_before = 1;
    const uint64_t most_simple = 100000000; /* for all of 18 digits */

    while (from > 0) {
        uint64_t quotient = to / from, remainder = to % from, next_p, next_q;

        next_p = quotient * p + p_before;
        next_q = quotient * q + q_before;
        p_before = p;
        q_before = q;
        p = next_p;
        q = next_q;
        to = from;
        from = remainder;
        if (digits > 0 && p > 0 && remainder < q && q <= most_simple && 100 * q * q <= scale) {
            break;
        }
    }
    ratio->to = p;
    ratio->from = q;
    return from > 0;
}

static int from_decimal(const number_t *number, dsc_split_ratio_t *ratio)
{
    int is_simple = reduce(number->number, power_of_ten(number->digits), number->digits, ratio);

    return is_simple || !number->is_cut;
}

/* Extends both to the same number of digits. */
static int from_two(number_t to, number_t from, dsc_split_ratio_t *ratio)
{
    number_t *shorter = to.digits < from.digits ? &to : &from;
    int more = abs(to.digits - from.digits);

    if (from.number == power_of_ten(from.digits) && !from.is_cut) { /* for one */
        return from_decimal(&to, ratio);
    }
    if (to.is_cut || from.is_cut || shorter->number >= power_of_ten(MOST_DIGITS - more)) {
        return 0;
    }
    shorter->number *= power_of_ten(more);
    (void)reduce(to.number, from.number, 0, ratio);
    return 1;
}

static int from_percent(const number_t *number, dsc_split_ratio_t *ratio)
{
    uint64_t whole = 100 * power_of_ten(number->digits);

    if (number->is_cut || number->digits > MOST_DIGITS - 3 ||
        number->number >= power_of_ten(MOST_DIGITS)) {
        return 0;
    }
    (void)reduce(whole + number->number, whole, 0, ratio);
    return 1;
}

/* Takes the text apart at what is between two numbers; NULL if nothing does. */
static const char *take_second(apr_pool_t *pool, char *text)
{
    static const char *const between[] = {"for", ":", "/", NULL};

    for (int i = 0; between[i] != NULL; i++) {
        char *at = strstr(text, between[i]);

        if (at != NULL) {
            char *second = at + strlen(between[i]);

            while (at > text && strchr(" -", at[-1]) != NULL) {
                at--;
            }
            *at = '\0';
            return apr_pstrdup(pool, second + strspn(second, " -"));
        }
    }
    return NULL;
}

int dsc_split_ratio_make(apr_pool_t *pool, const char *to, const char *from,
                         dsc_split_ratio_t *ratio)
{
    number_t first, second;

    return read_number(pool, to, &first) && read_number(pool, from, &second) &&
           from_two(first, second, ratio);
}

int dsc_split_ratio_read(apr_pool_t *pool, const char *text, dsc_split_ratio_t *ratio)
{
    char *first = apr_pstrdup(pool, text);
    const char *second;
    size_t length = strlen(first);
    number_t number;

    for (char *at = first; *at != '\0'; at++) {
        *at = (char)apr_tolower(*at);
    }
    second = take_second(pool, first);
    if (second != NULL) {
        return dsc_split_ratio_make(pool, first, second, ratio);
    }
    if (length > 1 && first[length - 1] == '%') {
        first[length - 1] = '\0';
        return read_number(pool, first, &number) && from_percent(&number, ratio);
    }
    return read_number(pool, first, &number) && from_decimal(&number, ratio);
}
