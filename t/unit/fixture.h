/* What suites share: a pool that lasts for one suite. */
#ifndef DSC_FIXTURE_H
#define DSC_FIXTURE_H

#include <apr_pools.h>

/* Of the suite that runs, where its CU_add_suite() has the two functions below. */
extern apr_pool_t *dsc_pool;

int dsc_open_pool(void);
int dsc_close_pool(void);

/* A document in whose second line, 10,000 bytes on, an element has so many attributes. */
const char *dsc_swollen(const char *root, int count);

#endif
