/* The dividends of a file so far, to distinguish several of one day. */
#ifndef DSC_SEEN_DIVIDENDS_H
#define DSC_SEEN_DIVIDENDS_H

#include <apr_pools.h>

typedef struct dsc_seen_dividends_t dsc_seen_dividends_t;

/* Memory is 16 to 64 bytes for each dividend. */
dsc_seen_dividends_t *dsc_seen_dividends_make(apr_pool_t *pool);

enum {
    DSC_MOST_DIVIDENDS = 100 /* of one key */
};

/* The number of the dividend among those of its key (share and day), from 1: one of the same
 * amount has the number that it had, one of another amount the next; 0 if there is no more room. */
int dsc_seen_dividends_number(dsc_seen_dividends_t *seen, const char *key, const char *amount);

#endif
