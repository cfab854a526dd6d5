/* The dividends of a file so far: a hash table of hashes (FNV-1a of 64 bits), open addressing. */
#include "sources/corporate_actions/seen_dividends.h"

#include "engine/hash.h"

#include <stdint.h>

enum {
    FIRST_ROOM = 1024
};

typedef struct {
    uint64_t key, amount; /* key 0: free */
} entry_t;

struct dsc_seen_dividends_t {
    apr_pool_t *pool;
    entry_t *entries;
    size_t room, count;
};

dsc_seen_dividends_t *dsc_seen_dividends_make(apr_pool_t *pool)
{
    dsc_seen_dividends_t *seen = apr_palloc(pool, sizeof(*seen));

    seen->pool = pool;
    seen->room = FIRST_ROOM;
    seen->count = 0;
    seen->entries = apr_pcalloc(pool, sizeof(*seen->entries) * seen->room);
    return seen;
}

/* The key's entry, or the free one where it belongs. */
static entry_t *find(const dsc_seen_dividends_t *seen, uint64_t key)
{
    size_t at = (size_t)(key % seen->room);

    while (seen->entries[at].key != 0 && seen->entries[at].key != key) {
        at = (at + 1) % seen->room;
    }
    return &seen->entries[at];
}

static void grow(dsc_seen_dividends_t *seen)
{
    dsc_seen_dividends_t larger = *seen;

    larger.room *= 4;
    larger.entries = apr_pcalloc(seen->pool, sizeof(*larger.entries) * larger.room);
    for (size_t i = 0; i < seen->room; i++) {
        if (seen->entries[i].key != 0) {
            *find(&larger, seen->entries[i].key) = seen->entries[i];
        }
    }
    *seen = larger;
}

int dsc_seen_dividends_number(dsc_seen_dividends_t *seen, const char *key, const char *amount)
{
    uint64_t amount_hash = dsc_hash_text(DSC_HASH_START, amount);

    if (2 * seen->count >= seen->room) {
        grow(seen);
    }
    for (int number = 1; number <= DSC_MOST_DIVIDENDS; number++) {
        const char digits[] = {(char)('0' + number / 100), (char)('0' + number / 10 % 10),
                               (char)('0' + number % 10), '\0'};
        uint64_t hash = dsc_hash_text(dsc_hash_text(DSC_HASH_START, key), digits);
        entry_t *entry = find(seen, hash == 0 ? 1 : hash);

        if (entry->key == 0) {
            entry->key = hash == 0 ? 1 : hash;
            entry->amount = amount_hash;
            seen->count++;
            return number;
        }
        if (entry->amount == amount_hash) {
            return number;
        }
    }
    return 0;
}
