#include "access/usage_flush.h"

#include "access/limit.h"
#include "engine/buffer.h"

#include <apr_strings.h>
#include <apr_tables.h>

enum {
    COLUMNS = 6,
    MOST_ROWS = 2000 /* in one statement */
};

static void put_back(dsc_counters_t *counters, const apr_array_header_t *all)
{
    int i;
    for (i = 0; i < all->nelts; i++) {
        dsc_usage_put_back(counters, &APR_ARRAY_IDX(all, i, dsc_usage_t));
    }
}

static void append_number(dsc_buffer_t *text, const char *comma, uint64_t number)
{
    dsc_buffer_printf(text, "%s%" APR_UINT64_T_FMT, comma, (apr_uint64_t)number);
}

/* The arrays of add_key_usage(). */
static void write_arrays(apr_pool_t *pool, const apr_array_header_t *all, dsc_operation_name_t name,
                         const char *arrays[COLUMNS])
{
    dsc_buffer_t *text[COLUMNS];
    int i, j;
    for (j = 0; j < COLUMNS; j++) {
        text[j] = dsc_buffer_create(pool, 1024);
    }
    for (i = 0; i < all->nelts; i++) {
        const dsc_usage_t *one = &APR_ARRAY_IDX(all, i, dsc_usage_t);
        const char *comma = i ? "," : "{";
        char key_id[9];
        dsc_limit_key_id(one->key & ((UINT64_C(1) << 48) - 1), key_id);
        dsc_buffer_printf(text[0], "%s%s", comma, key_id);
        append_number(text[1], comma, one->place >> 32);
        dsc_buffer_printf(text[2], "%s%s", comma, name((int)(one->place & UINT32_MAX)));
        append_number(text[3], comma, one->requests);
        append_number(text[4], comma, one->refused);
        append_number(text[5], comma, one->used_at);
    }
    for (j = 0; j < COLUMNS; j++) {
        dsc_buffer_append_char(text[j], '}');
        arrays[j] = dsc_buffer_text(text[j]);
    }
}

static int store(apr_pool_t *pool, dsc_connection_t *connection, dsc_counters_t *counters,
                 const apr_array_header_t *all, dsc_operation_name_t name)
{
    static const char sql[] =
        "SELECT disclosed.add_key_usage($1::text[],"
        " ARRAY(SELECT DATE '1970-01-01' + n FROM unnest($2::integer[]) WITH ORDINALITY AS d(n, i)"
        " ORDER BY i), $3::text[], $4::bigint[], $5::bigint[],"
        " ARRAY(SELECT to_timestamp(n / 1e6) FROM unnest($6::bigint[]) WITH ORDINALITY AS d(n, i)"
        " ORDER BY i))";
    const char *arrays[COLUMNS];
    PGresult *result;
    int stored;
    if (all->nelts == 0) {
        return 1;
    }
    write_arrays(pool, all, name, arrays);
    result = dsc_run(connection, sql, COLUMNS, arrays);
    stored = result != NULL;
    PQclear(result);
    if (!stored) {
        put_back(counters, all);
    }
    return stored;
}

int dsc_usage_flush(apr_pool_t *pool, dsc_connection_t *connection, dsc_counters_t *counters,
                    uint32_t database_slot, dsc_operation_name_t name)
{
    apr_array_header_t *all = apr_array_make(pool, 64, sizeof(dsc_usage_t));
    int i, good = 1;
    for (i = 0; good && i < DSC_USAGE_SLOTS; i++) {
        dsc_usage_t taken;
        if (dsc_usage_take(&counters->usage[i], database_slot, &taken)) {
            APR_ARRAY_PUSH(all, dsc_usage_t) = taken;
        }
        if (all->nelts == MOST_ROWS) {
            good = store(pool, connection, counters, all, name);
            apr_array_clear(all);
        }
    }
    return good && store(pool, connection, counters, all, name);
}
