/* Statistics after a load: the counts of datasets and issuers. */
#include "loader/loader_internal.h"

#include <apr_strings.h>
#include <string.h>

/* Counts the touched issuers' current rows anew and adds the differences to the dataset. The
 * dataset's latest day is looked for among the other issuers only if the touched ones held it
 * and gave it up. The count and the day are two queries, so that each is read from an index. */
#define CURRENT_ROWS "disclosed.%s t WHERE t.issuer_id = u.issuer_id AND t.superseded_at IS NULL"
static const char statistics_form[] =
    "WITH touched AS (SELECT DISTINCT issuer_id FROM pg_temp.touched WHERE slot = %d),"
    " fresh AS (SELECT u.issuer_id, c.record_count, c.latest FROM touched u"
    "  CROSS JOIN LATERAL (SELECT (SELECT count(*) FROM " CURRENT_ROWS "%s) AS record_count,"
    "   (SELECT %s FROM " CURRENT_ROWS "%s) AS latest) c),"
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

/* Counts all rows, or those that are listed: the others are subtracted, which are few. */
static const char *statistics_sql(apr_pool_t *pool, const dsc_stage_t *stage, int listed)
{
    const dsc_dataset_t *dataset = stage->dataset;
    const char *name = dataset->name, *table = dataset->table, *kind = listed ? "/listed" : "";
    const char *day = dataset->date_column == NULL
                          ? "NULL::date"
                          : apr_psprintf(pool, "max(t.%s)::date", dataset->date_column);
    const char *less = !listed
                           ? ""
                           : apr_psprintf(pool, ") - (SELECT count(*) FROM " CURRENT_ROWS " AND %s",
                                          table, dataset->unlisted);
    const char *of_listed = !listed ? "" : apr_psprintf(pool, " AND %s", dataset->listed);

    day = dataset->day == NULL ? day : apr_psprintf(pool, "max(%s)", dataset->day);

    return apr_psprintf(pool, statistics_form, stage->slot, table, less, day, table, of_listed,
                        name, kind, name, kind, name, kind, name, kind);
}

static void prepare_statistics(apr_pool_t *pool, dsc_stage_t *stage)
{
    stage->statistics.sql = statistics_sql(pool, stage, 0);
    if (stage->dataset->listed != NULL) {
        stage->listed_statistics.sql = statistics_sql(pool, stage, 1);
    }
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
            prepare_statistics(loader->pool, stage);
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
