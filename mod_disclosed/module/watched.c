#include "module/watched.h"

#include "last_migration.inc"

#include <stdlib.h>

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
