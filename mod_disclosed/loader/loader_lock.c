/* Which datasets are written together, and the locks of a load.
 *
 * Locks, in this order: that of listings, which files of rows by ticker share from their beginning;
 * one for each settle function whose datasets were staged (one for a dataset without), by slot; then
 * that of issuer, the table that all of them write. Every loader takes them in this order and keeps them to the
 * end of its transaction, so loaders that run at the same time wait for each other but never in a circle. What files
 * of a transaction want that has locks already is taken where nobody else has it: nobody waits out of order. */
#include "loader/loader_internal.h"

#include <apr_strings.h>
#include <string.h>

#define LOCK_SQL     "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"
#define TRY_LOCK_SQL "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))"

/* Datasets that share a settle function are locked and settled together. */
int dsc_slot_of(const dsc_dataset_t *dataset)
{
    int i;

    for (i = 0; dsc_datasets[i] != dataset; i++) {
        if (dataset->settle != NULL && dsc_datasets[i]->settle != NULL &&
            strcmp(dsc_datasets[i]->settle, dataset->settle) == 0) {
            break;
        }
    }
    return i;
}

static apr_status_t lock(dsc_loader_t *loader, const char *what)
{
    const char *name = apr_pstrcat(loader->file_pool, "disclosed load ", what, NULL);

    return dsc_loader_query(loader, LOCK_SQL, 1, &name, NULL);
}

/* The same where other locks are held that come after this one. */
static apr_status_t lock_late(dsc_loader_t *loader, const char *what)
{
    const char *name = apr_pstrcat(loader->file_pool, "disclosed load ", what, NULL);
    PGresult *result;
    apr_status_t rv = dsc_loader_query(loader, TRY_LOCK_SQL, 1, &name, &result);

    if (rv == APR_SUCCESS) {
        rv = *PQgetvalue(result, 0, 0) == 't'
                 ? APR_SUCCESS
                 : dsc_loader_failed(loader, "another load is at work on the same rows");
        PQclear(result);
    }
    return rv;
}

/* Whether any dataset of the slot has staged rows, or has changed. */
int dsc_slot_has_rows(const dsc_loader_t *loader, int slot, int changed)
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
int dsc_each_followed(const dsc_dataset_t *dataset,
                      int (*visit)(const dsc_follow_t *follow, void *baton), void *baton)
{
    const dsc_follow_t *follow;
    int stop = 0;

    for (follow = dataset->follows; !stop && follow != NULL && follow->dataset != NULL; follow++) {
        stop = visit(follow, baton);
    }
    return stop;
}

int dsc_followed_slot(const dsc_follow_t *follow)
{
    return dsc_slot_of(dsc_dataset_find(follow->dataset));
}

static int is_in_mask(const dsc_follow_t *follow, void *baton)
{
    return (*(const uint64_t *)baton >> dsc_followed_slot(follow) & 1) != 0;
}

/* The slots that the files may write: those of staged datasets and of all that follow them. */
static uint64_t written_slots(const dsc_loader_t *loader)
{
    uint64_t mask = 0, before;
    int i;

    for (i = 0; i < loader->stage_count; i++) {
        mask |= (uint64_t)dsc_slot_has_rows(loader, i, 0) << i;
    }
    do {
        before = mask;
        for (i = 0; mask != 0 && dsc_datasets[i] != NULL; i++) {
            mask |= (uint64_t)dsc_each_followed(dsc_datasets[i], is_in_mask, &mask)
                    << dsc_slot_of(dsc_datasets[i]);
        }
    } while (mask != before);
    return mask;
}

/* Files whose rows are known by ticker hold this shared from when they look up the first. */
static const char listings_lock[] = "listings";

apr_status_t dsc_lock_listings_shared(dsc_loader_t *loader)
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

static int says_symbols(const dsc_loader_t *loader)
{
    int slot, says = 0;

    for (slot = 0; dsc_datasets[slot] != NULL; slot++) {
        says |= (dsc_datasets[slot]->flags & DSC_SAYS_SYMBOLS) &&
                dsc_slot_has_rows(loader, dsc_slot_of(dsc_datasets[slot]), 0);
    }
    return says;
}

apr_status_t dsc_lock_written(dsc_loader_t *loader)
{
    apr_status_t (*const take)(dsc_loader_t *, const char *) =
        loader->locked != 0 || loader->holds_issuers ? lock_late : lock;
    uint64_t mask = written_slots(loader) & ~loader->locked;
    apr_status_t rv = APR_SUCCESS;
    int slot;

    if (!loader->locked_listings && says_symbols(loader)) {
        rv = take(loader, listings_lock);
        loader->locked_listings = rv == APR_SUCCESS;
    }
    for (slot = 0; rv == APR_SUCCESS && dsc_datasets[slot] != NULL; slot++) {
        if (mask >> slot & 1) {
            const dsc_dataset_t *dataset = dsc_datasets[slot];
            rv = take(loader, dataset->settle != NULL ? dataset->settle : dataset->name);
        }
    }
    loader->locked |= rv == APR_SUCCESS ? mask : 0;
    return rv;
}

apr_status_t dsc_lock_issuers(dsc_loader_t *loader)
{
    apr_status_t rv = loader->holds_issuers ? APR_SUCCESS : lock(loader, "issuer");

    loader->holds_issuers = rv == APR_SUCCESS;
    return rv;
}
