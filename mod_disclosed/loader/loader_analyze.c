/* What PostgreSQL plans by: statistics and indexes of staged rows, and statistics of tables that a
 * load has enlarged. */
#include "loader/loader_internal.h"

#include <apr_strings.h>

/* Of the staged columns that plans look at: the others are wide, and half of what a small load
 * costs. */
static const char *planned_columns(apr_pool_t *pool, const dsc_stage_t *stage)
{
    dsc_buffer_t *list = dsc_buffer_create(pool, 256);
    int i;

    dsc_buffer_append_text(list, " (row_order, issuer_id, cik, party, record_key, key_digest,"
                                 " known_at, source_id, accession");
    for (i = 0; i < stage->dataset->column_count; i++) {
        if (stage->columns[i].indexed) {
            dsc_buffer_printf(list, ", %s", stage->dataset->columns[i].name);
        }
    }
    dsc_buffer_append_char(list, ')');
    return dsc_buffer_text(list);
}

apr_status_t dsc_analyze_staged(dsc_loader_t *loader, const dsc_stage_t *stage, const char *prefix,
                                int only_planned)
{
    const char *columns = only_planned ? planned_columns(loader->file_pool, stage) : "";

    /* Some thousand rows show as much about what joins find as tens of thousands, in a tenth of
     * the time. */
    return dsc_loader_script(loader,
                             apr_pstrcat(loader->file_pool,
                                         "SET LOCAL default_statistics_target = 10;"
                                         "ANALYZE pg_temp.",
                                         prefix, stage->dataset->name, columns,
                                         ";SET LOCAL default_statistics_target = DEFAULT", NULL));
}

apr_status_t dsc_index_staged(dsc_loader_t *loader, const dsc_stage_t *stage)
{
    const char *name = stage->dataset->name;

    return dsc_loader_script(loader, apr_psprintf(loader->file_pool,
                                                  "CREATE INDEX IF NOT EXISTS stage_%s_row_order"
                                                  " ON pg_temp.stage_%s (row_order);"
                                                  "CREATE INDEX IF NOT EXISTS pass_%s_pass"
                                                  " ON pg_temp.pass_%s (pass);",
                                                  name, name, name, name));
}

apr_status_t dsc_analyze_grown(dsc_loader_t *loader)
{
    dsc_buffer_t *tables;
    const char *list;
    long long read = 0;
    apr_status_t rv;
    int i;

    for (i = 0; i < loader->files->nelts; i++) {
        read += APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *)->count.read;
    }
    if (read + loader->unanalyzed < LARGE_LOAD) {
        return APR_SUCCESS;
    }
    loader->unanalyzed = 0;
    if ((rv = dsc_lock_issuers(loader)) != APR_SUCCESS) { /* ANALYZE locks, too */
        return rv;
    }
    tables = dsc_buffer_create(loader->file_pool, 256);
    dsc_buffer_append_text(tables, "{disclosed.issuer");
    for (i = 0; dsc_datasets[i] != NULL; i++) {
        if (dsc_slot_has_rows(loader, dsc_slot_of(dsc_datasets[i]), 1)) {
            dsc_buffer_printf(tables, ",disclosed.%s", dsc_datasets[i]->table);
        }
    }
    dsc_buffer_append_char(tables, '}');
    list = dsc_buffer_text(tables);
    return dsc_loader_query(loader, "SELECT disclosed.analyze_grown($1::regclass[])", 1, &list,
                            NULL);
}
