/* Split ratios as exact fractions. */
#ifndef DSC_SPLIT_RATIO_H
#define DSC_SPLIT_RATIO_H

#include <apr_pools.h>
#include <stdint.h>

/* So many shares for so many held before, without a common divisor: 7 for 1, 21 for 20. */
typedef struct {
    uint64_t to, from;
} dsc_split_ratio_t;

/* Reads a ratio as sources write it: "7.0", "7:1", "7 / 1", "7-for-1", "7 for 1", and "5%" for a
 * stock dividend of five percent. Exact, with one exception: if a decimal has so many digits
 * that a simple fraction agrees with them all (1.3333333333333333, 0.8889), that was meant. 0
 * if the text is no ratio, is not more than zero, or has more digits than 18 that count. */
int dsc_split_ratio_read(apr_pool_t *pool, const char *text, dsc_split_ratio_t *ratio);

/* The same from two numbers that stand apart. */
int dsc_split_ratio_make(apr_pool_t *pool, const char *to, const char *from,
                         dsc_split_ratio_t *ratio);

#endif
