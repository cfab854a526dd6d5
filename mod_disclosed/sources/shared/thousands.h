/* Numbers with commas between their thousands. */
#ifndef DSC_THOUSANDS_H
#define DSC_THOUSANDS_H

#include <apr_pools.h>

/* 1,234,567.5 as 1234567.5; other texts unchanged. NULL if a comma is not before three digits, or
 * is after a leading zero: 0,250 is a quarter. */
const char *dsc_without_thousands(apr_pool_t *pool, const char *text);

/* The same in the caller's memory; NULL also if that has no room. */
const char *dsc_plain_thousands(const char *text, char *space, size_t size);

#endif
