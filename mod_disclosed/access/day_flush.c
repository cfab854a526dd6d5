#include "access/day_flush.h"

#include "engine/buffer.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <apr_tables.h>
#include <stdlib.h>

#define RECENT UINT64_C(60000000)

/* A count on its way to the database. */
typedef struct {
    dsc_limit_slot_t *slot;
    const char *account, *kind;
    dsc_day_unstored_t unstored;
} pending_t;

/* "account/kind/day", as rows and slots are matched by. */
static const char *name_of(apr_pool_t *pool, const char *account, const char *kind, uint64_t day)
{
    return apr_psprintf(pool, "%s/%s/%" APR_UINT64_T_FMT, account, kind, (apr_uint64_t)day);
}

/* What there is to store of the slot's days; of today also if there is nothing, if it was used
 * recently: others may have counted. */
static void collect(apr_pool_t *pool, dsc_limit_slot_t *slot, uint32_t database_slot, uint64_t now,
                    uint64_t clock, apr_array_header_t *all)
{
    uint32_t owner_database_slot = 0;
    uint64_t number = 0;
    pending_t pending = {slot,
                         NULL,
                         dsc_day_name(dsc_limit_owner(slot, &owner_database_slot, &number)),
                         {0}};
    int i;
    if (!pending.kind || owner_database_slot != database_slot) {
        return;
    }
    for (i = 0; i < DSC_DAYS_KEPT; i++) {
        pending.unstored = dsc_day_unstored(slot, i);
        if (pending.unstored.count > 0 || (clock - atomic_load(&slot->used_at) <= RECENT &&
                                           pending.unstored.day == dsc_day_number(now))) {
            pending.account = apr_psprintf(pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)number);
            APR_ARRAY_PUSH(all, pending_t) = pending;
        }
    }
}

/* The four arrays of the statement. */
static void write_arrays(apr_pool_t *pool, const apr_array_header_t *all, const char *arrays[4])
{
    dsc_buffer_t *text[4];
    int i, j;
    for (j = 0; j < 4; j++) {
        text[j] = dsc_buffer_create(pool, 1024);
    }
    for (i = 0; i < all->nelts; i++) {
        const pending_t *one = &APR_ARRAY_IDX(all, i, pending_t);
        const char *comma = i ? "," : "{";
        dsc_buffer_printf(text[0], "%s%s", comma, one->account);
        dsc_buffer_printf(text[1], "%s%s", comma, one->kind);
        dsc_buffer_printf(text[2], "%s%" APR_UINT64_T_FMT, comma, (apr_uint64_t)one->unstored.day);
        dsc_buffer_printf(text[3], "%s%" APR_UINT64_T_FMT, comma,
                          (apr_uint64_t)one->unstored.count);
    }
    for (j = 0; j < 4; j++) {
        dsc_buffer_append_char(text[j], '}');
        arrays[j] = dsc_buffer_text(text[j]);
    }
}

static void take_totals(apr_pool_t *pool, const apr_array_header_t *all, const PGresult *rows)
{
    apr_hash_t *totals = apr_hash_make(pool);
    int i;
    for (i = 0; i < PQntuples(rows); i++) {
        uint64_t day = strtoull(PQgetvalue(rows, i, 2), NULL, 10);
        apr_hash_set(totals, name_of(pool, PQgetvalue(rows, i, 0), PQgetvalue(rows, i, 1), day),
                     APR_HASH_KEY_STRING, PQgetvalue(rows, i, 3));
    }
    for (i = 0; i < all->nelts; i++) {
        const pending_t *one = &APR_ARRAY_IDX(all, i, pending_t);
        const char *total =
            apr_hash_get(totals, name_of(pool, one->account, one->kind, one->unstored.day),
                         APR_HASH_KEY_STRING);
        /* An account that is gone has no total: what was counted is as good as stored. */
        dsc_day_stored(one->slot, &one->unstored,
                       total ? strtoull(total, NULL, 10)
                             : one->unstored.known + one->unstored.count);
    }
}

int dsc_day_flush(apr_pool_t *pool, dsc_connection_t *connection, dsc_limit_table_t *table,
                  uint32_t database_slot, uint64_t now, uint64_t clock)
{
    /* What this host has nothing to add to is read alone: each row written is a version of it more,
     * and a lock. */
    static const char sql[] =
        "WITH u AS MATERIALIZED (SELECT * FROM unnest($1::bigint[], $2::text[], $3::integer[],"
        " $4::bigint[]) AS u(account_id, kind, number, more)),"
        " news AS (SELECT array_agg(account_id) AS accounts, array_agg(kind) AS kinds,"
        " array_agg(DATE '1970-01-01' + number) AS days, array_agg(more) AS more FROM u"
        " WHERE more > 0 HAVING count(*) > 0)"
        " SELECT a.account_id, a.kind, a.day - DATE '1970-01-01', a.requests FROM news,"
        " disclosed.add_account_days(news.accounts, news.kinds, news.days, news.more) a"
        " UNION ALL SELECT d.account_id, d.kind, u.number, d.requests FROM u JOIN"
        " disclosed.account_day d ON d.account_id = u.account_id AND d.kind = u.kind"
        " AND d.day = DATE '1970-01-01' + u.number WHERE u.more = 0";
    apr_array_header_t *all = apr_array_make(pool, 16, sizeof(pending_t));
    const char *arrays[4];
    PGresult *rows;
    int i, stored;
    for (i = 0; i < DSC_LIMIT_SLOTS; i++) {
        collect(pool, &table->slots[i], database_slot, now, clock, all);
    }
    if (all->nelts == 0) {
        return 1;
    }
    write_arrays(pool, all, arrays);
    rows = dsc_run(connection, sql, 4, arrays);
    stored = rows != NULL;
    if (stored) {
        take_totals(pool, all, rows);
    }
    PQclear(rows);
    return stored;
}
