#include "module/key_lookout.h"

#include <apr_strings.h>
#include <stdlib.h>

#define AT_ONCE 10000 /* keys, by one statement of some milliseconds */
enum {
    MOST_STATEMENTS = 10
};
#define TEXT(number)  TEXT_OF(number)
#define TEXT_OF(text) #text

/* What has expired may be in force again: an admin gives it longer, or a clock is put right. */
static const char sql[] = "SELECT number, key_id, revoked_at IS NULL FROM disclosed.api_key"
                          " WHERE number > $1::bigint ORDER BY number LIMIT " TEXT(AT_ONCE);

static void begin(dsc_key_lookout_t *lookout, dsc_key_list_t *list)
{
    lookout->half = dsc_key_list_begin(list);
    lookout->listed = 0;
    lookout->is_begun = 1;
    lookout->is_shown = 0;
}

/* How many there were; -1: they could not be read. */
static int list_more(dsc_key_lookout_t *lookout, dsc_connection_t *connection, dsc_key_list_t *list,
                     uint64_t seed)
{
    char after[24];
    const char *values[] = {after};
    PGresult *rows;
    int row, count = -1;
    apr_snprintf(after, sizeof(after), "%" APR_UINT64_T_FMT, (apr_uint64_t)lookout->listed);
    rows = dsc_run(connection, sql, 1, values);
    if (rows) {
        count = PQntuples(rows);
        for (row = 0; row < count; row++) {
            lookout->listed = strtoull(PQgetvalue(rows, row, 0), NULL, 10);
            if (*PQgetvalue(rows, row, 2) == 't') {
                dsc_key_list_add(list, lookout->half, seed, PQgetvalue(rows, row, 1));
            }
        }
    }
    PQclear(rows);
    return count;
}

int dsc_key_lookout_read(dsc_key_lookout_t *lookout, dsc_connection_t *connection,
                         dsc_key_list_t *list, uint64_t seed, uint64_t made, int *is_behind)
{
    int statements;
    if (!lookout->is_begun || made < lookout->listed) { /* the second: another database */
        begin(lookout, list);
    }
    for (statements = 0; lookout->listed < made && statements < MOST_STATEMENTS; statements++) {
        int count = list_more(lookout, connection, list, seed);
        if (count < 0) {
            return 0;
        }
        if (count < AT_ONCE && lookout->listed < made) {
            lookout->listed = made; /* the last are gone */
        }
    }
    *is_behind = lookout->listed < made;
    if (!*is_behind && !lookout->is_shown) {
        dsc_key_list_show(list, lookout->half);
        lookout->is_shown = 1;
    }
    return 1;
}
