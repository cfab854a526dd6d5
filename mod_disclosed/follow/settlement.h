/* When FINRA publishes short interest: of the two days of settlement in a
 * month, some days later. */
#ifndef DSC_FOLLOW_SETTLEMENT_H
#define DSC_FOLLOW_SETTLEMENT_H

#include <apr_pools.h>
#include <apr_tables.h>

/* The days of settlement (const char *, YYYY-MM-DD) whose figures have been published by `today`:
 * those that were not before `since`, and the last one that was. */
apr_array_header_t *dsc_settlements(apr_pool_t *pool, const char *since, const char *today);

/* Whether what was settled on a day should have been published by `today`, whatever holidays the
 * publisher keeps. */
int dsc_settlement_is_overdue(const char *settlement, const char *today);

#endif
