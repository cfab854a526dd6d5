#include "engine/decimal_multiply.h"

#include "engine/decimal.h"

#include <apr_strings.h>
#include <string.h>

/* Numbers from filings have a few dozen digits; more than this is no amount of anything. */
enum {
    MAX_DIGITS = 1000,
    MAX_EXPONENT = 1000
};

static int parse(const char *text, dsc_decimal_t *decimal)
{
    return text && dsc_decimal_parse(text, strlen(text), decimal) &&
           decimal->whole_length + decimal->fraction_length <= MAX_DIGITS &&
           decimal->exponent >= -MAX_EXPONENT && decimal->exponent <= MAX_EXPONENT;
}

static int digit_at(const dsc_decimal_t *decimal, long place)
{
    return dsc_decimal_digit(decimal, place) - '0';
}

/* Long multiplication of the digits, points left aside; `length` digits come out. */
static char *multiply_digits(apr_pool_t *pool, const dsc_decimal_t *a, const dsc_decimal_t *b,
                             long *length)
{
    long a_length = a->whole_length + a->fraction_length;
    long b_length = b->whole_length + b->fraction_length;
    char *digits = apr_palloc(pool, (apr_size_t)(a_length + b_length));

    memset(digits, '0', (size_t)(a_length + b_length));
    for (long i = a_length - 1; i >= 0; i--) {
        int carry = 0;

        for (long j = b_length - 1; j >= 0; j--) {
            int sum = digits[i + j + 1] - '0' + digit_at(a, i) * digit_at(b, j) + carry;

            digits[i + j + 1] = (char)('0' + sum % 10);
            carry = sum / 10;
        }
        digits[i] = (char)('0' + carry);
    }
    *length = a_length + b_length;
    return digits;
}

const char *dsc_decimal_multiply(apr_pool_t *pool, const char *a, const char *b)
{
    dsc_decimal_t left, right, product;
    dsc_buffer_t *buffer;

    if (!parse(a, &left) || !parse(b, &right)) {
        return NULL;
    }
    memset(&product, 0, sizeof product);
    product.whole = multiply_digits(pool, &left, &right, &product.whole_length);
    product.fraction = product.whole + product.whole_length;
    product.negative = left.negative != right.negative;
    product.exponent =
        left.exponent + right.exponent - left.fraction_length - right.fraction_length;
    buffer = dsc_buffer_create(pool, 64);
    dsc_decimal_write(buffer, &product, 0);
    return apr_pstrdup(pool, dsc_buffer_text(buffer));
}
