#include "loader/snapshot_time.h"

#include "engine/calendar.h"
#include "formats/eastern_time.h"
#include "formats/import_location.h"
#include "loader/loader_value.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* The first YYYY-MM-DD in a name, without a digit beside it. */
static const char *day_in_name(apr_pool_t *pool, const char *name)
{
    static const char pattern[] = "dddd-dd-dd";

    for (int behind_digit = 0; *name; behind_digit = apr_isdigit(*name), name++) {
        size_t i = 0;

        while (pattern[i] && (pattern[i] == 'd' ? apr_isdigit(name[i]) : name[i] == pattern[i])) {
            i++;
        }
        if (!pattern[i] && !behind_digit && !apr_isdigit(name[i])) {
            return apr_pstrmemdup(pool, name, i);
        }
    }
    return NULL;
}

static const char *first_time(dsc_loader_t *loader, const char *first_seen,
                              const char *content_hash, const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const char *sql = apr_pstrcat(pool, "SELECT to_char(coalesce((", first_seen,
                                  "), clock_timestamp()) AT TIME ZONE 'UTC',"
                                  " 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')",
                                  NULL);
    const char *time = NULL;
    PGresult *result;

    if (dsc_loader_query(loader, sql, 1, &content_hash, &result) == APR_SUCCESS) {
        time = apr_pstrdup(pool, PQgetvalue(result, 0, 0));
        PQclear(result);
    } else {
        *reason = dsc_loader_error(loader);
    }
    return time;
}

const char *dsc_snapshot_time(dsc_loader_t *loader, const dsc_import_file_t *file,
                              const char *first_seen, const char *content_hash, const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const char *given = dsc_loader_options(loader)->known_at;
    const char *time = given ? given : dsc_import_find_in_names(file, pool, day_in_name);

    if (!time) {
        return first_time(loader, first_seen, content_hash, reason);
    }
    if (!given && dsc_value_error(DSC_COLUMN_DATE, time) == NULL &&
        !dsc_date_is_between(time, "0001-01-01", 1)) {
        *reason = "the date in the file's name lies in the future";
        return NULL;
    }
    if (strlen(time) == 10) {
        time = dsc_end_of_day(pool, time);
    }
    if (!time || dsc_value_error(DSC_COLUMN_DATETIME, time)) {
        *reason = given ? "the time of the snapshot (--known-at) is neither a date nor a time"
                        : "the date in the file's name is none, or before 1976";
        return NULL;
    }
    return time;
}
