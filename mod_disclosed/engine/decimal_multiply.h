/* The exact product of two decimal numbers. */
#ifndef DSC_DECIMAL_MULTIPLY_H
#define DSC_DECIMAL_MULTIPLY_H

#include <apr_pools.h>

/* Multiplies two numbers of the form that dsc_decimal_parse() reads; the product comes in plain
 * digits, exact, without zeros that carry nothing. NULL if one of them is absent (NULL) or no
 * number, or if an exponent would make more than about two thousand digits. */
const char *dsc_decimal_multiply(apr_pool_t *pool, const char *a, const char *b);

#endif
