/* Which datasets are written together, and the locks of a load.
 *
 * Locks, in this order: those that an importer holds while it reads its file (dsc_loader_hold());
 * that of listings, which files of rows by ticker share from their beginning; one for each
 * reconciling function whose datasets were staged (one for a dataset without), by slot; one for
 * each company, by the locks' keys; that of issuer, the table that all of them write; that of a
 * load's end. Every loader takes them in this order and keeps them to the end of its transaction,
 * so loaders that run at the same time wait for each other but never in a circle. What files of a
 * transaction want that has locks already is taken if nobody else has it: nobody waits out of
 * order.
 *
 * A load takes the locks of slots and of issuer alone. If all that it writes is company by company
 * (DSC_BY_COMPANY), it shares them, and takes those of its companies and of the end alone: loads of
 * other companies run beside it, others wait. Rows that two of these write are announcements and
 * those of dataset_stat, which are written behind the end's lock (also by count_kpi_issuers()), so
 * that each sees what was committed before. */
#include "loader/loader_internal.h"

#include "loader/loader_value.h"

#include <apr_strings.h>
#include <string.h>

enum {
    MOST_COMPANIES = 64 /* each is an entry of PostgreSQL's table of locks */
};

#define LOCK_SQL(function_) "SELECT " #function_ "(hashtextextended($1, 0))"

/* In the order of the keys, as which two companies may have one. */
#define COMPANIES_SQL(call_)                                                                       \
    "SELECT " call_ " FROM (SELECT DISTINCT hashtextextended('disclosed load company ' || c, 0)"   \
    " AS key FROM unnest($1::bigint[]) AS c ORDER BY 1) AS locks"

/* Datasets that share a reconciling function are locked and reconciled together. */
int dsc_slot_of(const dsc_dataset_t *dataset)
{
    int i;

    for (i = 0; dsc_datasets[i] != dataset; i++) {
        if (dataset->reconcile != NULL && dsc_datasets[i]->reconcile != NULL &&
            strcmp(dsc_datasets[i]->reconcile, dataset->reconcile) == 0) {
            break;
        }
    }
    return i;
}

/* Asks for a lock that nothing else is waited for afterwards. */
static apr_status_t lock_late(dsc_loader_t *loader, const char *sql, const char *parameter)
{
    PGresult *result = NULL;
    apr_status_t rv = dsc_loader_query(loader, sql, 1, &parameter, &result);

    if (rv == APR_SUCCESS && *PQgetvalue(result, 0, 0) != 't') {
        loader->is_passing = 1;
        rv = dsc_loader_failed(loader, "another load is at work on the same rows");
    }
    PQclear(result);
    return rv;
}

/* `late`: other locks are held that come after this one. */
static apr_status_t lock(dsc_loader_t *loader, const char *what, dsc_hold_t hold, int late)
{
    static const char *const waiting[] = {[DSC_HELD_SHARED] =
                                              LOCK_SQL(pg_advisory_xact_lock_shared),
                                          [DSC_HELD_ALONE] = LOCK_SQL(pg_advisory_xact_lock)};
    static const char *const trying[] = {[DSC_HELD_SHARED] =
                                             LOCK_SQL(pg_try_advisory_xact_lock_shared),
                                         [DSC_HELD_ALONE] = LOCK_SQL(pg_try_advisory_xact_lock)};
    const char *name = apr_pstrcat(loader->file_pool, "disclosed load ", what, NULL);

    return late ? lock_late(loader, trying[hold], name)
                : dsc_loader_query(loader, waiting[hold], 1, &name, NULL);
}

apr_status_t dsc_loader_hold(dsc_loader_t *loader, const char *what)
{
    return lock(loader, what, DSC_HELD_ALONE, loader->files->nelts > 1);
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

/* Files that are the whole of a filing change what is stored of it, also if they have nothing of a
 * dataset. */
static uint64_t whole_slots(const dsc_loader_t *loader)
{
    uint64_t mask = 0;
    int i;

    for (i = loader->merged; i < loader->files->nelts - loader->reading; i++) {
        const dsc_loaded_file_t *file = APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *);

        mask |= file->failure == NULL ? file->whole_slots : 0;
    }
    return mask;
}

/* The slots that the files may write: those of datasets that they have rows of or are the whole of,
 * and of all that follow them. */
static uint64_t written_slots(const dsc_loader_t *loader)
{
    uint64_t mask = whole_slots(loader), before;
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
    apr_status_t rv =
        loader->holds_listings ? APR_SUCCESS : lock(loader, listings_lock, DSC_HELD_SHARED, 0);

    loader->holds_listings = rv == APR_SUCCESS;
    return rv;
}

static int says_symbols(const dsc_loader_t *loader)
{
    uint64_t wholes = whole_slots(loader);
    int i, says = 0;

    for (i = 0; dsc_datasets[i] != NULL; i++) {
        int slot = dsc_slot_of(dsc_datasets[i]);

        says |= (dsc_datasets[i]->flags & DSC_SAYS_SYMBOLS) &&
                (dsc_slot_has_rows(loader, slot, 0) || (wholes >> slot & 1) != 0);
    }
    return says;
}

/* ------------------------------------------------------------------- company by company */

void dsc_lock_note_company(dsc_loader_t *loader, const char *cik)
{
    const char *digits = cik == NULL ? "" : cik + strspn(cik, "0");

    if (*digits == '\0') {
        loader->of_others = 1;
    } else if (apr_hash_get(loader->known_companies, digits, APR_HASH_KEY_STRING) == NULL) {
        if (loader->companies->nelts == MOST_COMPANIES) {
            loader->of_others = 1;
            return;
        }
        digits = apr_pstrdup(loader->batch_pool, digits);
        apr_hash_set(loader->known_companies, digits, APR_HASH_KEY_STRING, digits);
        APR_ARRAY_PUSH(loader->companies, const char *) = digits;
    }
}

/* What an importer's own statements write is not known here, if they do not say so. */
static int has_statements(const dsc_loader_t *loader)
{
    int i, k, any = 0;

    for (i = loader->merged; i < loader->files->nelts; i++) {
        const dsc_loaded_file_t *file = APR_ARRAY_IDX(loader->files, i, dsc_loaded_file_t *);

        any |= file->after->nelts + file->together->nelts > 0;
        for (k = 0; k < file->before->nelts; k++) {
            any |= !APR_ARRAY_IDX(file->before, k, dsc_after_t).of_companies;
        }
    }
    return any;
}

/* Whether all that is written is of the companies whose rows are staged. What has been locked alone
 * remains so. */
static int is_by_company(const dsc_loader_t *loader, uint64_t mask)
{
    int i, is = loader->locked == 0 && !loader->of_others && !has_statements(loader);

    for (i = 0; is && dsc_datasets[i] != NULL; i++) {
        is = (mask >> dsc_slot_of(dsc_datasets[i]) & 1) == 0 ||
             (dsc_datasets[i]->flags & DSC_BY_COMPANY) != 0;
    }
    return is;
}

static apr_status_t lock_companies(dsc_loader_t *loader, int late)
{
    const char *const *ciks = (const char *const *)(void *)loader->companies->elts;
    int held = loader->companies_locked, count = loader->companies->nelts - held;
    const char *list = dsc_texts_literal(loader->file_pool, count, ciks + held);
    apr_status_t rv;

    if (count == 0) {
        return APR_SUCCESS;
    }
    rv = late ? lock_late(loader, COMPANIES_SQL("bool_and(pg_try_advisory_xact_lock(key))"), list)
              : dsc_loader_query(loader, COMPANIES_SQL("pg_advisory_xact_lock(key)"), 1, &list,
                                 NULL);
    if (rv == APR_SUCCESS) {
        loader->companies_locked = loader->companies->nelts;
    }
    return rv;
}

int dsc_lock_is_full(const dsc_loader_t *loader)
{
    return loader->companies->nelts == MOST_COMPANIES &&
           is_by_company(loader, written_slots(loader));
}

/* The files' own companies have been locked, maybe with others': nobody waits here. */
apr_status_t dsc_lock_other_company(dsc_loader_t *loader, const char *cik)
{
    if (loader->locked != 0) {
        return APR_SUCCESS;
    }
    dsc_lock_note_company(loader, cik);
    if (loader->of_others) {
        loader->is_passing = 1;
        return dsc_loader_failed(loader, "rows of too many companies change at once");
    }
    return lock_companies(loader, 1);
}

/* --------------------------------------------------------------------------- locking */

static apr_status_t lock_slots(dsc_loader_t *loader, uint64_t mask, dsc_hold_t hold, int late)
{
    apr_status_t rv = APR_SUCCESS;
    int slot;

    for (slot = 0; rv == APR_SUCCESS && dsc_datasets[slot] != NULL; slot++) {
        if (mask >> slot & 1) {
            const dsc_dataset_t *dataset = dsc_datasets[slot];
            rv = lock(loader, dataset->reconcile != NULL ? dataset->reconcile : dataset->name, hold,
                      late);
        }
    }
    return rv;
}

apr_status_t dsc_lock_written(dsc_loader_t *loader)
{
    int late = (loader->locked | loader->shared) != 0 || loader->issuers != DSC_NOT_HELD;
    uint64_t mask = written_slots(loader);
    apr_status_t rv = APR_SUCCESS;

    if (!loader->locked_listings && says_symbols(loader)) {
        rv = lock(loader, listings_lock, DSC_HELD_ALONE, late);
        loader->locked_listings = rv == APR_SUCCESS;
    }
    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (is_by_company(loader, mask)) {
        rv = lock_slots(loader, mask & ~loader->shared, DSC_HELD_SHARED, late);
        loader->shared |= rv == APR_SUCCESS ? mask : 0;
        return rv == APR_SUCCESS ? lock_companies(loader, late) : rv;
    }
    mask |= loader->shared;
    rv = lock_slots(loader, mask & ~loader->locked, DSC_HELD_ALONE, late);
    loader->locked |= rv == APR_SUCCESS ? mask : 0;
    return rv == APR_SUCCESS && loader->issuers == DSC_HELD_SHARED ? dsc_lock_issuers(loader) : rv;
}

apr_status_t dsc_lock_issuers(dsc_loader_t *loader)
{
    dsc_hold_t wanted =
        loader->locked == 0 && loader->shared != 0 ? DSC_HELD_SHARED : DSC_HELD_ALONE;
    apr_status_t rv = loader->issuers >= wanted
                          ? APR_SUCCESS
                          : lock(loader, "issuer", wanted, loader->issuers != DSC_NOT_HELD);

    loader->issuers = rv == APR_SUCCESS && loader->issuers < wanted ? wanted : loader->issuers;
    return rv;
}

apr_status_t dsc_lock_end(dsc_loader_t *loader)
{
    return loader->shared != 0 ? lock(loader, "end", DSC_HELD_ALONE, 0) : APR_SUCCESS;
}
