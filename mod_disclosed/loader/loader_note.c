/* Notes of the records that a load has written, for functions that follow (dsc_dataset_t,
 * noted). */
#include "loader/loader_internal.h"

#include <apr_strings.h>

const char *dsc_note_sql(apr_pool_t *pool, const dsc_dataset_t *dataset, const char *same_record)
{
    const char *name = dataset->name, *noted = dataset->noted;

    return noted == NULL
               ? ""
               : apr_psprintf(pool,
                              "WITH noted AS (INSERT INTO pg_temp.written_%s"
                              " SELECT DISTINCT a.issuer_id, s.record_key, v.%s"
                              " FROM pg_temp.act_%s a JOIN pg_temp.stage_%s s USING (row_order)"
                              " CROSS JOIN LATERAL (SELECT v.%s FROM disclosed.%s v WHERE %s"
                              " OFFSET 0) v WHERE a.kind <> 'u') ",
                              name, noted, name, name, noted, dataset->table, same_record);
}

const char *dsc_note_plain_sql(apr_pool_t *pool, const dsc_dataset_t *dataset)
{
    const char *name = dataset->name, *noted = dataset->noted;

    return noted == NULL
               ? ""
               : apr_psprintf(pool,
                              "WITH noted AS (INSERT INTO pg_temp.written_%s SELECT " ISSUER_ID
                              ", s.record_key, s.%s FROM pg_temp.stage_%s s" ISSUER_JOIN ") ",
                              name, noted, name);
}

const char *dsc_returned_note_sql(apr_pool_t *pool, const dsc_dataset_t *dataset)
{
    return dataset->noted == NULL
               ? ""
               : apr_psprintf(pool, ", t.record_key, t.%s AS noted", dataset->noted);
}

const char *dsc_note_changed_sql(apr_pool_t *pool, const dsc_dataset_t *dataset)
{
    return dataset->noted == NULL
               ? ""
               : apr_psprintf(pool,
                              " written AS (INSERT INTO pg_temp.written_%s"
                              " SELECT issuer_id, record_key, noted FROM changed),",
                              dataset->name);
}
