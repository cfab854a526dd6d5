/* Rows of table source by their numbers. Sources never change, and a connection has one database,
 * so a source that it has read stays valid as long as it is open: pages need not join them. */
#ifndef DSC_SOURCE_CACHE_H
#define DSC_SOURCE_CACHE_H

#include "engine/buffer.h"

#include <apr_pools.h>
#include <apr_time.h>
#include <libpq-fe.h>

/* What rows of a file or filing have in common, in PostgreSQL's binary format; `data` is NULL for
 * SQL NULL. */
typedef struct {
    int number;
    dsc_slice_t provider;
    dsc_slice_t url; /* by_filing: where the addresses of its filings begin */
    dsc_slice_t content_hash;
    dsc_slice_t extracted_at;
    int by_filing;
} dsc_stored_source_t;

/* A connection's sources: a fixed number of them, of which a later one takes an earlier one's
 * place. */
typedef struct dsc_source_cache_t dsc_source_cache_t;
dsc_source_cache_t *dsc_source_cache_create(apr_pool_t *pool);

/* Forgets all of them once a minute, by dsc_monotonic_now(): a dump may be restored under an open
 * connection, and give numbers to other sources. */
void dsc_source_cache_age(dsc_source_cache_t *cache, apr_time_t now);

/* Those that the rows of one result name. */
typedef struct dsc_source_set_t dsc_source_set_t;
dsc_source_set_t *dsc_source_set_create(apr_pool_t *pool);

/* Adds a number, with what the cache knows of it. */
void dsc_source_set_add(dsc_source_set_t *set, const dsc_source_cache_t *cache, int number);

/* The SQL that reads sources, and its value: the numbers of those that the cache did not know;
 * NULL: it knew all. */
extern const char dsc_source_sql[];
const char *dsc_source_set_missing(const dsc_source_set_t *set);

/* Takes the rows of that statement, in the binary format, into both. They must live as long as the
 * set. */
void dsc_source_set_fill(dsc_source_set_t *set, dsc_source_cache_t *cache, const PGresult *rows);

/* One that has been added; NULL: there is no such source. */
const dsc_stored_source_t *dsc_source_set_find(const dsc_source_set_t *set, int number);

#endif
