/* What follows from a load: reconciling functions, and what follows other datasets, for the touched
 * issuers only. */
#include "loader/loader_internal.h"

#include "loader/loader_value.h"

#include <apr_strings.h>
#include <string.h>

/* The issuers touched in a slot. */
#define TOUCHED     "ARRAY(SELECT DISTINCT issuer_id FROM pg_temp.touched WHERE slot = %d)"
#define TOUCHED_ANY "ARRAY(SELECT DISTINCT issuer_id FROM pg_temp.touched WHERE slot IN (%s))"

/* Asks once for each connection which reconciling functions return further issuers. */
static apr_status_t know_reconciling(dsc_loader_t *loader)
{
    const char **names =
        apr_palloc(loader->file_pool, sizeof(*names) * (size_t)loader->stage_count);
    const char *parameter;
    PGresult *result;
    apr_status_t rv;
    int i, row, count = 0;

    if (loader->returning != NULL) {
        return APR_SUCCESS;
    }
    for (i = 0; dsc_datasets[i] != NULL; i++) {
        if (dsc_datasets[i]->reconcile != NULL) {
            names[count++] = dsc_datasets[i]->reconcile;
        }
    }
    parameter = dsc_texts_literal(loader->file_pool, count, names);
    rv = dsc_loader_query(loader,
                          "SELECT proname FROM pg_proc WHERE proname = ANY ($1::text[])"
                          " AND pronamespace = 'disclosed'::regnamespace AND proretset",
                          1, &parameter, &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    loader->returning = apr_hash_make(loader->pool);
    for (row = 0; row < PQntuples(result); row++) {
        const char *name = apr_pstrdup(loader->pool, PQgetvalue(result, row, 0));

        apr_hash_set(loader->returning, name, APR_HASH_KEY_STRING, name);
    }
    PQclear(result);
    return APR_SUCCESS;
}

static apr_status_t reconcile(dsc_loader_t *loader, int slot)
{
    const char *function = dsc_datasets[slot]->reconcile;
    dsc_stage_t *stage;
    apr_status_t rv;

    if (function == NULL) {
        return APR_SUCCESS;
    }
    if ((rv = dsc_lock_issuers(loader)) != APR_SUCCESS ||
        (rv = dsc_stage_of(loader, dsc_datasets[slot], &stage)) != APR_SUCCESS ||
        (rv = know_reconciling(loader)) != APR_SUCCESS) {
        return rv;
    }
    if (apr_hash_get(loader->returning, function, APR_HASH_KEY_STRING) != NULL) {
        return dsc_loader_repeat(
            loader,
            apr_psprintf(loader->file_pool,
                         "INSERT INTO pg_temp.touched SELECT %d, f FROM disclosed.%s(" TOUCHED
                         ") AS f",
                         slot, function, slot),
            0, NULL, NULL);
    }
    return dsc_loader_repeat(loader,
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
 * "3,12"; NULL if there is none, or if the function has run for them already. */
static const char *followed_slots(const dsc_following_t *following, const dsc_follow_t *one)
{
    dsc_loader_t *loader = following->loader;
    const dsc_follow_t *other;
    const char *slots = dsc_slot_has_rows(loader, dsc_followed_slot(one), 1)
                            ? apr_psprintf(loader->file_pool, "%d", dsc_followed_slot(one))
                            : NULL;

    if (slots == NULL) {
        return slots;
    }
    for (other = following->dataset->follows; other->dataset != NULL; other++) {
        if (other == one || strcmp(other->function, one->function) != 0 ||
            !dsc_slot_has_rows(loader, dsc_followed_slot(other), 1)) {
            continue;
        }
        if (other < one) {
            return NULL;
        }
        slots = apr_psprintf(loader->file_pool, "%s,%d", slots, dsc_followed_slot(other));
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
    if ((following->rv = dsc_lock_issuers(loader)) != APR_SUCCESS ||
        (following->rv = dsc_stage_of(loader, dataset, &stage)) != APR_SUCCESS ||
        (following->rv = dsc_loader_repeat(
             loader, apr_psprintf(loader->file_pool, sql, dsc_slot_of(dataset), call, slots), 0,
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
        (void)dsc_each_followed(dsc_datasets[i], follow, &following);
    }
    return following.rv;
}

apr_status_t dsc_announce_run(dsc_loader_t *loader)
{
    apr_status_t rv = APR_SUCCESS;
    int slot;

    for (slot = 0; rv == APR_SUCCESS && slot < loader->stage_count; slot++) {
        const dsc_stage_t *stage = loader->stages[slot];

        if (stage != NULL && stage->changed && stage->dataset->announce != NULL &&
            (stage->staged || (stage->dataset->flags & DSC_DERIVED))) {
            rv = dsc_loader_query(loader,
                                  apr_pstrcat(loader->file_pool, "SELECT disclosed.",
                                              stage->dataset->announce, NULL),
                                  0, NULL, NULL);
        }
    }
    return rv;
}

apr_status_t dsc_reconcile_run(dsc_loader_t *loader)
{
    apr_status_t rv = APR_SUCCESS;
    int slot;

    for (slot = 0; rv == APR_SUCCESS && slot < loader->stage_count; slot++) {
        if (dsc_slot_has_rows(loader, slot, 1)) {
            rv = reconcile(loader, slot);
        }
    }
    return rv == APR_SUCCESS ? follow_all(loader) : rv;
}
