#include "module/watched.h"

#include "last_migration.inc"

#include <stdlib.h>

static const apr_array_header_t *all;

void dsc_watched_use(const apr_array_header_t *watched)
{
    all = watched;
}

int dsc_watched_count(void)
{
    return all ? all->nelts : 0;
}

const dsc_watched_t *dsc_watched_at(int i)
{
    return &APR_ARRAY_IDX(all, i, dsc_watched_t);
}

int dsc_needed_schema(void)
{
    return atoi(DISCLOSED_LAST_MIGRATION);
}

const char *dsc_schema_sql(void)
{
    return "SELECT CASE WHEN bool_and(version <> left(last, 4)::integer"
           " OR name = substr(last, 6, length(last) - 9)) THEN max(version) ELSE 0 END"
           " FROM public.disclosed_migration, (SELECT '" DISCLOSED_LAST_MIGRATION
           "' AS last) known";
}
