/* Which statements a connection has prepared, by their SQL, and which of them was used least
 * recently; and their text. */
#ifndef DSC_STATEMENT_CACHE_H
#define DSC_STATEMENT_CACHE_H

#include <apr_pools.h>

typedef struct dsc_statement_cache_t dsc_statement_cache_t;

/* An empty one that holds `capacity` statements, at least one; it lives as long as the pool. */
dsc_statement_cache_t *dsc_statement_cache_create(apr_pool_t *pool, int capacity);

/* The name that the SQL was added by, which from now on is the one used last; NULL: not there. */
const char *dsc_statement_cache_find(dsc_statement_cache_t *cache, const char *sql);

/* The name of the statement that has to go before another may be added; NULL while there is
 * room. */
const char *dsc_statement_cache_surplus(const dsc_statement_cache_t *cache);

/* Forgets that one, which the connection has deallocated. */
void dsc_statement_cache_drop(dsc_statement_cache_t *cache);

/* A name for the next statement, unlike those of all that are there; the same until one is
 * added. */
const char *dsc_statement_cache_name(const dsc_statement_cache_t *cache);

/* Adds the SQL, which is not there, by that name. There must be room. */
void dsc_statement_cache_add(dsc_statement_cache_t *cache, const char *sql);

/* The SQL with its "%s" numbered as PostgreSQL wants them: $1, $2, ... */
const char *dsc_statement_numbered(apr_pool_t *pool, const char *sql);

#endif
