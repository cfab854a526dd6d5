/* Plans: what the keys of a plan may do. Defaults are built in; configuration changes them and adds
 * others. */
#ifndef DSC_PLAN_H
#define DSC_PLAN_H

#include "access/limit_table.h"

#include <apr_pools.h>
#include <apr_tables.h>

#define DSC_NO_LIMIT UINT64_MAX

/* The most that export_cap may be. */
#define DSC_MOST_EXPORT_ROWS 100000

typedef struct {
    const char *name;
    int rank; /* a plan of a higher rank may do all that a lower one may */
    dsc_rate_t rate;
    uint64_t days[DSC_DAYS]; /* requests in a UTC day; DSC_NO_LIMIT: any */
    int page_cap;            /* most rows in a page; 0: no cap except the endpoint's */
    int export_cap;          /* most rows in a response of CSV or NDJSON */
    uint64_t credits;        /* ask credits in a month */
    int webhooks;            /* may have webhook endpoints */
    int all_facts;           /* may read facts of tier `all` */
} dsc_plan_t;

/* The plan that test keys are held to, and keys whose own plan is not configured. */
#define DSC_PLAN_FREE "free"

/* Features of plans. */
#define DSC_FEATURE_ALL_FACTS "facts"

/* The built-in plans: an array of dsc_plan_t. */
apr_array_header_t *dsc_plans_create(apr_pool_t *pool);

/* The plan of that name; NULL when there is none. */
const dsc_plan_t *dsc_plan_find(const apr_array_header_t *plans, const char *name);

/* Whether the plan has a feature, a setting that is on or off, by its name: "webhooks", "facts".
 * NULL is no feature, which every plan has; one that no setting is for is had by none. */
int dsc_plan_has(const dsc_plan_t *plan, const char *feature);

/* The plan of the lowest rank that has the feature; NULL when none has. */
const dsc_plan_t *dsc_plan_least(const apr_array_header_t *plans, const char *feature);

/* Whether a plan may be called so: a lower-case letter and up to 30 lower-case letters, digits, _
 * and -. */
int dsc_plan_is_name(const char *name);

/* Changes or adds a plan as `settings` say: words "name=value" with spaces between them; what is
 * not given stays, or is that of the free plan for a new one. Returns NULL, or what is wrong. */
const char *dsc_plan_set(apr_pool_t *pool, apr_array_header_t *plans, const char *name,
                         const char *settings);

/* Reads "5/s", "300/m", "1000/h" or "2/d"; 0 when the text is not a rate. */
int dsc_rate_read(const char *text, uint64_t *interval);

#endif
