/* Columns marked DSC_COLUMN_LARGEST, for which the largest value that any file has of the record
 * counts: all versions have it, so that the order of loads does not matter. Before a pass is
 * merged, stored versions are raised to its values, and staged rows to the stored ones. */
#include "loader/loader_internal.h"

#include <apr_strings.h>

/* Whether `column` of `one` is less than that of `other`. */
static const char *is_less(apr_pool_t *pool, const char *column, const char *one, const char *other)
{
    return apr_psprintf(pool, "(%s.%s < %s.%s OR (%s.%s IS NULL AND %s.%s IS NOT NULL))", one,
                        column, other, column, one, column, other, column);
}

static const char *raise_sql(apr_pool_t *pool, const dsc_stage_t *stage, const char *column,
                             const char *versions)
{
    const char *table = stage->dataset->table, *name = stage->dataset->name;
    const char *beside = apr_psprintf(pool,
                                      "pg_temp.act_%s a JOIN pg_temp.stage_%s s USING (row_order)"
                                      " JOIN disclosed.%s k ON k.issuer_id = a.issuer_id"
                                      " AND k.row_id = coalesce(a.previous_row, a.next_row)",
                                      name, name, table);

    return apr_psprintf(
        pool,
        "WITH changed AS (UPDATE disclosed.%s t SET %s = c.value"
        " FROM (SELECT a.row_order, a.issuer_id, v.row_id, s.%s AS value FROM %s%s WHERE %s OFFSET 0) c"
        " WHERE t.issuer_id = c.issuer_id AND t.row_id = c.row_id"
        " AND (t.%s < c.value OR t.%s IS NULL) RETURNING t.issuer_id, c.row_order%s),%s"
        " noted AS (INSERT INTO pg_temp.touched SELECT DISTINCT %d, issuer_id FROM changed),"
        " staged AS (UPDATE pg_temp.stage_%s t SET %s = c.value"
        " FROM (SELECT a.row_order, k.%s AS value FROM %s WHERE %s) c"
        " WHERE t.row_order = c.row_order)" DSC_COUNT_BY_FILE,
        table, column, column, beside, versions, is_less(pool, column, "k", "s"), column, column,
        dsc_returned_note_sql(pool, stage->dataset), dsc_note_changed_sql(pool, stage->dataset),
        stage->slot, name, column, column, beside, is_less(pool, column, "s", "k"));
}

/* A dataset has one such column at most. */
void dsc_largest_prepare(apr_pool_t *pool, dsc_stage_t *stage, const char *versions)
{
    const dsc_dataset_t *dataset = stage->dataset;
    int i;

    for (i = 0; i < dataset->column_count; i++) {
        if (dataset->columns[i].flags & DSC_COLUMN_LARGEST) {
            stage->raise.sql = raise_sql(pool, stage, dataset->columns[i].name, versions);
        }
    }
}
