/* Statistics after a load: the counts of datasets and issuers. */
#include "loader/loader_internal.h"

#include <apr_strings.h>
#include <string.h>

#define CURRENT_ROWS "disclosed.%s t WHERE t.issuer_id = u.issuer_id AND t.superseded_at IS NULL"

/* Counts the touched issuers' current rows anew and adds the differences to the dataset. The
 * dataset's latest day is looked for among the other issuers only if the touched ones held it
 * and gave it up. */
static const char statistics_form[] =
    "WITH touched AS (SELECT DISTINCT issuer_id FROM pg_temp.touched WHERE slot = %d),"
    " fresh AS (SELECT u.issuer_id, c.record_count, c.latest FROM touched u"
    "  CROSS JOIN LATERAL (SELECT %s) c),"
    " old AS (SELECT o.issuer_id, o.record_count, o.latest FROM disclosed.dataset_issuer_stat o"
    "  JOIN touched u USING (issuer_id) WHERE o.dataset = '%s%s'),"
    " kept AS (INSERT INTO disclosed.dataset_issuer_stat AS o"
    "   (issuer_id, dataset, record_count, latest)"
    "  SELECT issuer_id, '%s%s', record_count, latest FROM fresh f"
    "  WHERE record_count > 0 OR EXISTS (SELECT 1 FROM old WHERE old.issuer_id = f.issuer_id)"
    "  ORDER BY issuer_id"
    "  ON CONFLICT (issuer_id, dataset)"
    "  DO UPDATE SET record_count = excluded.record_count, latest = excluded.latest"
    "  WHERE (o.record_count, o.latest) IS DISTINCT FROM (excluded.record_count, excluded.latest)),"
    " change AS (SELECT"
    "   coalesce((SELECT sum(record_count) FROM fresh), 0)"
    "   - coalesce((SELECT sum(record_count) FROM old), 0) AS more,"
    "   (SELECT max(latest) FROM fresh) AS latest, (SELECT max(latest) FROM old) AS old_latest)"
    " INSERT INTO disclosed.dataset_stat AS d (dataset, record_count, latest, version, changed_at)"
    " SELECT '%s%s', more, latest, 1, now() FROM change"
    " ON CONFLICT (dataset) DO UPDATE SET record_count = d.record_count + excluded.record_count,"
    "  latest = CASE WHEN (SELECT old_latest FROM change) = d.latest"
    "    AND excluded.latest IS DISTINCT FROM d.latest"
    "    AND (excluded.latest IS NULL OR excluded.latest < d.latest)"
    "   THEN greatest(excluded.latest, (SELECT max(o.latest) FROM disclosed.dataset_issuer_stat o"
    "    WHERE o.dataset = '%s%s' AND o.issuer_id NOT IN (SELECT issuer_id FROM touched)))"
    "   ELSE greatest(d.latest, excluded.latest) END,"
    "  version = d.version + 1, changed_at = now()";

/* The count of an issuer's current rows, and their latest day. `apart`: each is read from an index
 * of its own, and those that are not listed, which are few, are subtracted; otherwise the rows are
 * read, once. */
static const char *counted_sql(apr_pool_t *pool, const dsc_dataset_t *dataset, int listed,
                               int apart)
{
    const char *table = dataset->table;
    const char *condition = listed ? apr_pstrcat(pool, " AND ", dataset->listed, NULL) : "";
    const char *less = "", *day = dataset->day;

    if (day == NULL) {
        day = dataset->date_column == NULL
                  ? "NULL::date"
                  : apr_psprintf(pool, "max(t.%s)::date", dataset->date_column);
    } else {
        day = apr_psprintf(pool, "max(%s)", day);
    }
    if (!apart) {
        return apr_psprintf(pool, "count(*) AS record_count, %s AS latest FROM " CURRENT_ROWS "%s",
                            day, table, condition);
    }
    if (listed) {
        less = apr_psprintf(pool, " - (SELECT count(*) FROM " CURRENT_ROWS " AND %s)", table,
                            dataset->unlisted);
    }
    return apr_psprintf(pool,
                        "(SELECT count(*) FROM " CURRENT_ROWS ")%s AS record_count,"
                        " (SELECT %s FROM " CURRENT_ROWS "%s) AS latest",
                        table, less, day, table, condition);
}

static const char *statistics_sql(apr_pool_t *pool, const dsc_stage_t *stage, int listed, int apart)
{
    const dsc_dataset_t *dataset = stage->dataset;
    const char *name = dataset->name, *kind = listed ? "/listed" : "";

    return apr_psprintf(pool, statistics_form, stage->slot,
                        counted_sql(pool, dataset, listed, apart), name, kind, name, kind, name,
                        kind, name, kind);
}

/* Whether an index has the issuer's rows by their day, and most pages of the table are all visible:
 * those of a table that has not been vacuumed must be read anyway, and are read once. */
static apr_status_t counts_apart(dsc_loader_t *loader, const dsc_dataset_t *dataset, int *apart)
{
    static const char sql[] =
        "SELECT c.relpages > 0 AND c.relallvisible >= c.relpages / 2 AND EXISTS"
        " (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indpred IS NULL"
        " AND (SELECT array_agg(a.attname::text ORDER BY k.n) FROM unnest(i.indkey[0:1]) WITH ORDINALITY AS k(attnum, n)"
        " JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum) = ARRAY['issuer_id', $2])"
        " FROM pg_catalog.pg_class c WHERE c.oid = $1::regclass";
    const char *parameters[] = {apr_pstrcat(loader->file_pool, "disclosed.", dataset->table, NULL),
                                dataset->date_column};
    PGresult *result;
    apr_status_t rv;

    *apart = 0;
    if (dataset->date_column == NULL || dataset->day != NULL) {
        return APR_SUCCESS;
    }
    rv = dsc_loader_query(loader, sql, DSC_COUNT(parameters), parameters, &result);
    if (rv == APR_SUCCESS) {
        *apart = *PQgetvalue(result, 0, 0) == 't';
        PQclear(result);
    }
    return rv;
}

/* Once a connection: a table grows little beside that. */
static apr_status_t prepare_statistics(dsc_loader_t *loader, dsc_stage_t *stage)
{
    int apart;
    apr_status_t rv = counts_apart(loader, stage->dataset, &apart);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    stage->statistics.sql = statistics_sql(loader->pool, stage, 0, apart);
    if (stage->dataset->listed != NULL) {
        stage->listed_statistics.sql = statistics_sql(loader->pool, stage, 1, apart);
    }
    return APR_SUCCESS;
}

/* A reconciling function may have closed rows of each dataset that it serves. */
static apr_status_t count_slot(dsc_loader_t *loader, int slot)
{
    apr_status_t rv = APR_SUCCESS;
    long long rows = 0;
    int i;

    for (i = slot; rv == APR_SUCCESS && dsc_datasets[i] != NULL; i++) {
        const char *function = dsc_datasets[i]->reconcile;
        dsc_stage_t *stage;
        if (i != slot && (function == NULL || dsc_datasets[slot]->reconcile == NULL ||
                          strcmp(function, dsc_datasets[slot]->reconcile) != 0)) {
            continue;
        }
        rv = dsc_stage_of(loader, dsc_datasets[i], &stage);
        if (rv == APR_SUCCESS && stage->statistics.sql == NULL) {
            rv = prepare_statistics(loader, stage);
        }
        if (rv == APR_SUCCESS) {
            rv = dsc_loader_write(loader, &stage->statistics, 0, 0, NULL, &rows);
        }
        if (rv == APR_SUCCESS && stage->listed_statistics.sql != NULL) {
            rv = dsc_loader_write(loader, &stage->listed_statistics, 0, 0, NULL, &rows);
        }
    }
    return rv;
}

apr_status_t dsc_count_run(dsc_loader_t *loader)
{
    apr_status_t rv = APR_SUCCESS;
    int slot;

    for (slot = 0; rv == APR_SUCCESS && slot < loader->stage_count; slot++) {
        if (dsc_slot_has_rows(loader, slot, 1)) {
            rv = count_slot(loader, slot);
        }
    }
    return rv == APR_SUCCESS ? dsc_analyze_grown(loader) : rv;
}
