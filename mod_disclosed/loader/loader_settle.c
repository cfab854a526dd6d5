/* What follows from a load: settle functions and statistics, for the touched issuers only.
 *
 * Locks, in this order: that of listings, which files of rows by ticker share from their beginning;
 * one for each settle function whose datasets were staged (one for a dataset without), by slot; then
 * that of issuer, the table that all of them write. Every loader
 * takes them in this order and keeps them to the end of its transaction, so loaders that run at
 * the same time wait for each other but never in a circle. */
#include "loader/loader_internal.h"

#include "datasets/datasets.h"

#include <apr_strings.h>

/* The issuers touched in a slot. */
#define TOUCHED     "ARRAY(SELECT DISTINCT issuer_id FROM pg_temp.touched WHERE slot = %d)"
#define TOUCHED_ANY "ARRAY(SELECT DISTINCT issuer_id FROM pg_temp.touched WHERE slot IN (%s))"

#define LOCK_SQL "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"

/* Counts the touched issuers' current rows anew and adds the differences to the dataset. The
 * dataset's latest day is looked for among the other issuers only where the touched ones held it
 * and gave it up. */
static const char statistics_sql[] =
    "WITH touched AS (SELECT DISTINCT issuer_id FROM pg_temp.touched WHERE slot = %d),"
    " fresh AS (SELECT u.issuer_id, c.record_count, c.latest FROM touched u"
    "  CROSS JOIN LATERAL (SELECT count(*) AS record_count, %s AS latest"
    "   FROM disclosed.%s t WHERE t.issuer_id = u.issuer_id AND t.superseded_at IS NULL) c),"
    " old AS (SELECT o.issuer_id, o.record_count, o.latest FROM disclosed.dataset_issuer_stat o"
    "  JOIN touched u USING (issuer_id) WHERE o.dataset = '%s'),"
    " kept AS (INSERT INTO disclosed.dataset_issuer_stat AS o"
    "   (issuer_id, dataset, record_count, latest)"
    "  SELECT issuer_id, '%s', record_count, latest FROM fresh f"
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
    " SELECT '%s', more, latest, 1, now() FROM change"
    " ON CONFLICT (dataset) DO UPDATE SET record_count = d.record_count + excluded.record_count,"
    "  latest = CASE WHEN (SELECT old_latest FROM change) = d.latest"
    "    AND excluded.latest IS DISTINCT FROM d.latest"
    "    AND (excluded.latest IS NULL OR excluded.latest < d.latest)"
    "   THEN greatest(excluded.latest, (SELECT max(o.latest) FROM disclosed.dataset_issuer_stat o"
    "    WHERE o.dataset = '%s' AND o.issuer_id NOT IN (SELECT issuer_id FROM touched)))"
    "   ELSE greatest(d.latest, excluded.latest) END,"
    "  version = d.version + 1, changed_at = now()";

void dsc_settle_prepare(apr_pool_t *pool, dsc_stage_t *stage)
{
    const dsc_dataset_t *dataset = stage->dataset;
    const char *name = dataset->name;
    const char *day = dataset->date_column == NULL
                          ? "NULL::date"
                          : apr_psprintf(pool, "max(t.%s)::date", dataset->date_column);

    day = dataset->day == NULL ? day : apr_psprintf(pool, "max(%s)", dataset->day);

    stage->statistics.sql = apr_psprintf(pool, statistics_sql, stage->slot, day, dataset->table,
                                         name, name, name, name);
}

static apr_status_t lock(dsc_loader_t *loader, const char *what)
{
    const char *name = apr_pstrcat(loader->file_pool, "disclosed load ", what, NULL);

    return dsc_loader_query(loader, LOCK_SQL, 1, &name, NULL);
}

/* Whether any dataset of the slot has staged rows, or has changed. */
static int slot_has_rows(const dsc_loader_t *loader, int slot, int changed)
{
    int i;

    for (i = slot; i < loader->stage_count; i++) {
        const dsc_stage_t *stage = loader->stages[i];
        if (stage != NULL && stage->slot == slot && (changed ? stage->changed : stage->rows > 0)) {
            return 1;
        }
    }
    return 0;
}

/* Calls `visit` for each dataset that a dataset depends on, until one says stop. */
static int each_followed(const dsc_dataset_t *dataset,
                         int (*visit)(const dsc_follow_t *follow, void *baton), void *baton)
{
    const dsc_follow_t *follow;
    int stop = 0;

    for (follow = dataset->follows; !stop && follow != NULL && follow->dataset != NULL; follow++) {
        stop = visit(follow, baton);
    }
    return stop;
}

static int followed_slot(const dsc_follow_t *follow)
{
    return dsc_stage_slot(dsc_dataset_find(follow->dataset));
}

static int is_in_mask(const dsc_follow_t *follow, void *baton)
{
    return (*(const uint64_t *)baton >> followed_slot(follow) & 1) != 0;
}

/* The slots that the file may write: those of staged datasets and of all that follow them. */
static uint64_t written_slots(const dsc_loader_t *loader)
{
    uint64_t mask = 0, before;
    int i;

    for (i = 0; i < loader->stage_count; i++) {
        mask |= (uint64_t)slot_has_rows(loader, i, 0) << i;
    }
    do {
        before = mask;
        for (i = 0; mask != 0 && dsc_datasets[i] != NULL; i++) {
            mask |= (uint64_t)each_followed(dsc_datasets[i], is_in_mask, &mask)
                    << dsc_stage_slot(dsc_datasets[i]);
        }
    } while (mask != before);
    return mask;
}

/* Files whose rows are known by ticker hold this shared from when they look up the first. */
static const char listings_lock[] = "listings";

apr_status_t dsc_hold_listings(dsc_loader_t *loader)
{
    const char *name = apr_pstrcat(loader->file_pool, "disclosed load ", listings_lock, NULL);
    apr_status_t rv =
        loader->holds_listings
            ? APR_SUCCESS
            : dsc_loader_query(loader,
                               "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))", 1,
                               &name, NULL);

    loader->holds_listings = rv == APR_SUCCESS;
    return rv;
}

apr_status_t dsc_settle_lock(dsc_loader_t *loader)
{
    uint64_t mask = written_slots(loader);
    apr_status_t rv = APR_SUCCESS;
    int slot;

    if (slot_has_rows(loader, dsc_stage_slot(&dsc_dataset_listing), 0)) {
        rv = lock(loader, listings_lock);
    }

    for (slot = 0; rv == APR_SUCCESS && slot < loader->stage_count; slot++) {
        if (mask >> slot & 1) {
            const dsc_dataset_t *dataset = dsc_datasets[slot];
            rv = lock(loader, dataset->settle != NULL ? dataset->settle : dataset->name);
        }
    }
    return rv;
}

apr_status_t dsc_settle_lock_issuers(dsc_loader_t *loader)
{
    return lock(loader, "issuer");
}

static apr_status_t settle(dsc_loader_t *loader, int slot)
{
    const char *function = dsc_datasets[slot]->settle;
    dsc_stage_t *stage;
    apr_status_t rv;

    if (function == NULL) {
        return APR_SUCCESS;
    }
    if ((rv = dsc_settle_lock_issuers(loader)) != APR_SUCCESS ||
        (rv = dsc_stage_open(loader, dsc_datasets[slot], &stage)) != APR_SUCCESS) {
        return rv;
    }
    if (stage->settle_returns) {
        return dsc_loader_query(
            loader,
            apr_psprintf(loader->file_pool,
                         "INSERT INTO pg_temp.touched SELECT %d, f FROM disclosed.%s(" TOUCHED
                         ") AS f",
                         slot, function, slot),
            0, NULL, NULL);
    }
    return dsc_loader_query(loader,
                            apr_psprintf(loader->file_pool, "SELECT disclosed.%s(" TOUCHED ")",
                                         function, slot),
                            0, NULL, NULL);
}

typedef struct {
    dsc_loader_t *loader;
    const dsc_dataset_t *dataset;
    apr_status_t rv;
} dsc_following_t;

/* The slots that have changed among those for which the dataset asks for this function, as
 * "3,12"; NULL where there is none, or where the function has run for them already. */
static const char *followed_slots(const dsc_following_t *following, const dsc_follow_t *one)
{
    dsc_loader_t *loader = following->loader;
    const dsc_follow_t *other;
    const char *slots = slot_has_rows(loader, followed_slot(one), 1)
                            ? apr_psprintf(loader->file_pool, "%d", followed_slot(one))
                            : NULL;

    if (slots == NULL) {
        return slots;
    }
    for (other = following->dataset->follows; other->dataset != NULL; other++) {
        if (other == one || strcmp(other->function, one->function) != 0 ||
            !slot_has_rows(loader, followed_slot(other), 1)) {
            continue;
        }
        if (other < one) {
            return NULL;
        }
        slots = apr_psprintf(loader->file_pool, "%s,%d", slots, followed_slot(other));
    }
    return slots;
}

/* Runs what the dataset asks for when one that it follows has changed. */
static int follow(const dsc_follow_t *one, void *baton)
{
    static const char sql[] =
        "WITH more AS (INSERT INTO pg_temp.touched SELECT %d, f FROM disclosed.%s" TOUCHED_ANY
        ") AS f RETURNING 1) SELECT count(*) FROM more";
    dsc_following_t *following = baton;
    dsc_loader_t *loader = following->loader;
    const dsc_dataset_t *dataset = following->dataset;
    const char *call = apr_pstrcat(loader->file_pool, one->function, "(", NULL);
    const char *slots = followed_slots(following, one);
    dsc_stage_t *stage;
    PGresult *result;

    if (slots == NULL) {
        return 0;
    }
    if ((following->rv = dsc_settle_lock_issuers(loader)) != APR_SUCCESS ||
        (following->rv = dsc_stage_open(loader, dataset, &stage)) != APR_SUCCESS ||
        (following->rv = dsc_loader_query(
             loader, apr_psprintf(loader->file_pool, sql, dsc_stage_slot(dataset), call, slots), 0,
             NULL, &result)) != APR_SUCCESS) {
        return 1;
    }
    stage->changed |= strcmp(PQgetvalue(result, 0, 0), "0") != 0;
    PQclear(result);
    return 0;
}

static apr_status_t follow_all(dsc_loader_t *loader)
{
    dsc_following_t following = {loader, NULL, APR_SUCCESS};
    int i;

    for (i = 0; following.rv == APR_SUCCESS && dsc_datasets[i] != NULL; i++) {
        following.dataset = dsc_datasets[i];
        (void)each_followed(dsc_datasets[i], follow, &following);
    }
    return following.rv;
}

/* A settle function may have closed rows of each dataset that it serves. */
static apr_status_t count_slot(dsc_loader_t *loader, int slot)
{
    apr_status_t rv = APR_SUCCESS;
    long long rows = 0;
    int i;

    for (i = slot; rv == APR_SUCCESS && dsc_datasets[i] != NULL; i++) {
        const char *function = dsc_datasets[i]->settle;
        dsc_stage_t *stage;
        if (i != slot && (function == NULL || dsc_datasets[slot]->settle == NULL ||
                          strcmp(function, dsc_datasets[slot]->settle) != 0)) {
            continue;
        }
        rv = dsc_stage_open(loader, dsc_datasets[i], &stage);
        if (rv == APR_SUCCESS) {
            rv = dsc_loader_write(loader, &stage->statistics, 0, 0, NULL, &rows);
        }
    }
    return rv;
}

apr_status_t dsc_settle_analyze(dsc_loader_t *loader)
{
    dsc_buffer_t *tables;
    const char *list;
    apr_status_t rv;
    int i;

    if (loader->count.read < LARGE_LOAD) {
        return APR_SUCCESS;
    }
    if ((rv = dsc_settle_lock_issuers(loader)) != APR_SUCCESS) { /* ANALYZE locks, too */
        return rv;
    }
    tables = dsc_buffer_create(loader->file_pool, 256);
    dsc_buffer_append_text(tables, "{disclosed.issuer");
    for (i = 0; dsc_datasets[i] != NULL; i++) {
        if (slot_has_rows(loader, dsc_stage_slot(dsc_datasets[i]), 1)) {
            dsc_buffer_printf(tables, ",disclosed.%s", dsc_datasets[i]->table);
        }
    }
    dsc_buffer_append_char(tables, '}');
    list = dsc_buffer_text(tables);
    return dsc_loader_query(loader, "SELECT disclosed.analyze_grown($1::regclass[])", 1, &list,
                            NULL);
}

apr_status_t dsc_settle_run(dsc_loader_t *loader)
{
    apr_status_t rv = APR_SUCCESS;
    int slot;

    for (slot = 0; rv == APR_SUCCESS && slot < loader->stage_count; slot++) {
        if (slot_has_rows(loader, slot, 1)) {
            rv = settle(loader, slot);
        }
    }
    if (rv == APR_SUCCESS) {
        rv = follow_all(loader);
    }
    for (slot = 0; rv == APR_SUCCESS && slot < loader->stage_count; slot++) {
        if (slot_has_rows(loader, slot, 1)) {
            rv = count_slot(loader, slot);
        }
    }
    return rv == APR_SUCCESS ? dsc_settle_analyze(loader) : rv;
}
