/* Numbers of XBRL that are one number, rounded more and less (XBRL Duplicates, consistent
 * duplicates). */
#ifndef DSC_XBRL_ROUNDING_H
#define DSC_XBRL_ROUNDING_H

#include <apr_pools.h>

/* Whether `rounded` is the number `exact`, rounded to `decimals` places behind the point, negative
 * ones before it. Halves may be rounded to either side. */
int dsc_xbrl_is_rounded(apr_pool_t *pool, const char *exact, const char *rounded, int decimals);

#endif
