#include "module/follow_lookout.h"

#include <stdlib.h>

#define MICROSECONDS(time) "coalesce((extract(epoch FROM " time ") * 1000000)::bigint, 0)"

/* Small tables that are kept as figures: nothing is counted over documents. */
static const char sql[] = "SELECT 1 AS kind, s.source, '' AS name, " MICROSECONDS(
    "s.checked_at") ","
                    " (SELECT count(*) FROM disclosed.followed_listing l WHERE l.source = s.source"
                    "  AND l.failure IS NOT NULL AND NOT l.completed), 0, 0 FROM disclosed.followed_source s"
                    " UNION ALL SELECT 2, source, document, " MICROSECONDS("newest_at") ", " MICROSECONDS(
                        "stored_at") ","
                                     " missing, " MICROSECONDS(
                                         "missing_since") " FROM disclosed.followed_freshness"
                                                          " UNION ALL SELECT 3, source, kind, count, 0, 0, 0 FROM disclosed.followed_failure"
                                                          " ORDER BY 1, 2, 3";

int dsc_follow_lookout_read(dsc_connection_t *connection, dsc_database_slot_t *database_slot)
{
    uint64_t now = (uint64_t)dsc_monotonic_now(), left_out = 0;
    PGresult *rows = dsc_run(connection, sql, 0, NULL);
    int row, i;

    if (rows == NULL) {
        return 0;
    }
    for (row = 0; row < PQntuples(rows); row++) {
        uint64_t figures[DSC_FOLLOWED_FIGURES];

        for (i = 0; i < DSC_FOLLOWED_FIGURES; i++) {
            figures[i] = strtoull(PQgetvalue(rows, row, 3 + i), NULL, 10);
        }
        left_out += !dsc_followed_note(&database_slot->followed, now,
                                       (dsc_followed_kind_t)atoi(PQgetvalue(rows, row, 0)),
                                       PQgetvalue(rows, row, 1), PQgetvalue(rows, row, 2), figures);
    }
    dsc_followed_end(&database_slot->followed, now, left_out);
    PQclear(rows);
    return 1;
}
