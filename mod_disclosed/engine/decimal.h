/* Decimal numbers as digits: exact at any size, never through a double. */
#ifndef DSC_DECIMAL_H
#define DSC_DECIMAL_H

#include "engine/buffer.h"

/* A number as its text spells it; whole and fraction point into that text. */
typedef struct {
    int negative;
    const char *whole, *fraction;
    long whole_length, fraction_length;
    long exponent; /* the power of ten that the digits are multiplied with */
} dsc_decimal_t;

/* Reads [+-]digits[.digits][e[+-]digits]; digits may be missing on one side of the point.
 * Returns 0 if the text is anything else. An exponent beyond a thousand million, where nothing
 * is representable any more, is cut to that. */
int dsc_decimal_parse(const char *text, size_t length, dsc_decimal_t *decimal);

/* Appends the number times ten to the power `shift` in plain digits: no exponent, no plus, no
 * zeros that carry nothing, "0" for any zero. */
void dsc_decimal_write(dsc_buffer_t *buffer, const dsc_decimal_t *decimal, long shift);

/* Where the first digit that is not zero stands: 1 for 1.0 to 9.9, 0 for 0.1 to 0.99, -1 for
 * 0.01 and so on. LONG_MIN for zero. */
long dsc_decimal_magnitude(const dsc_decimal_t *decimal);

/* The digit at a place counted from the first one of `whole`; '0' beyond the last. */
char dsc_decimal_digit(const dsc_decimal_t *decimal, long place);

/* The place of the first digit that is not zero; the number of digits if all are zero. */
long dsc_decimal_first(const dsc_decimal_t *decimal);

#endif
