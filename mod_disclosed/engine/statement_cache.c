#include "engine/statement_cache.h"

#include "engine/buffer.h"

#include <apr_hash.h>
#include <apr_ring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct statement_t {
    APR_RING_ENTRY(statement_t) link;
    char *sql; /* on the heap: what goes leaves nothing behind in the pool */
    char name[16];
} statement_t;

APR_RING_HEAD(statement_ring_t, statement_t);

struct dsc_statement_cache_t {
    apr_hash_t *by_sql;
    struct statement_ring_t used; /* the one used last comes first */
    struct statement_ring_t free;
};

static apr_status_t free_texts(void *data)
{
    dsc_statement_cache_t *cache = data;
    statement_t *statement;

    APR_RING_FOREACH(statement, &cache->used, statement_t, link)
    {
        free(statement->sql);
    }
    return APR_SUCCESS;
}

dsc_statement_cache_t *dsc_statement_cache_create(apr_pool_t *pool, int capacity)
{
    dsc_statement_cache_t *cache = apr_palloc(pool, sizeof(*cache));
    statement_t *statements = apr_pcalloc(pool, (apr_size_t)capacity * sizeof(*statements));
    int i;

    cache->by_sql = apr_hash_make(pool);
    APR_RING_INIT(&cache->used, statement_t, link);
    APR_RING_INIT(&cache->free, statement_t, link);
    for (i = 0; i < capacity; i++) {
        snprintf(statements[i].name, sizeof(statements[i].name), "dsc_%d", i);
        APR_RING_INSERT_TAIL(&cache->free, &statements[i], statement_t, link);
    }
    apr_pool_cleanup_register(pool, cache, free_texts, apr_pool_cleanup_null);
    return cache;
}

const char *dsc_statement_cache_find(dsc_statement_cache_t *cache, const char *sql)
{
    statement_t *statement = apr_hash_get(cache->by_sql, sql, APR_HASH_KEY_STRING);

    if (statement == NULL) {
        return NULL;
    }
    APR_RING_REMOVE(statement, link);
    APR_RING_INSERT_HEAD(&cache->used, statement, statement_t, link);
    return statement->name;
}

const char *dsc_statement_cache_surplus(const dsc_statement_cache_t *cache)
{
    return APR_RING_EMPTY(&cache->free, statement_t, link) ? APR_RING_LAST(&cache->used)->name
                                                           : NULL;
}

void dsc_statement_cache_drop(dsc_statement_cache_t *cache)
{
    statement_t *statement = APR_RING_LAST(&cache->used);

    apr_hash_set(cache->by_sql, statement->sql, APR_HASH_KEY_STRING, NULL);
    free(statement->sql);
    statement->sql = NULL;
    APR_RING_REMOVE(statement, link);
    APR_RING_INSERT_HEAD(&cache->free, statement, statement_t, link);
}

const char *dsc_statement_cache_name(const dsc_statement_cache_t *cache)
{
    return APR_RING_FIRST(&cache->free)->name;
}

void dsc_statement_cache_add(dsc_statement_cache_t *cache, const char *sql)
{
    statement_t *statement = APR_RING_FIRST(&cache->free);

    statement->sql = strdup(sql);
    if (statement->sql == NULL) {
        abort(); /* as a pool does without memory */
    }
    APR_RING_REMOVE(statement, link);
    APR_RING_INSERT_HEAD(&cache->used, statement, statement_t, link);
    apr_hash_set(cache->by_sql, statement->sql, APR_HASH_KEY_STRING, statement);
}

const char *dsc_statement_numbered(apr_pool_t *pool, const char *sql)
{
    dsc_buffer_t *text = dsc_buffer_create(pool, strlen(sql) + 64);
    int number = 0;
    for (;;) {
        size_t plain = strcspn(sql, "%");
        dsc_buffer_append(text, sql, plain);
        sql += plain;
        if (*sql == '\0') {
            return dsc_buffer_text(text);
        }
        if (sql[1] == 's') {
            dsc_buffer_printf(text, "$%d", ++number);
        } else {
            dsc_buffer_append_char(text, '%');
        }
        sql += sql[1] == 's' || sql[1] == '%' ? 2 : 1;
    }
}
