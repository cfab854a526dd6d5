#include "engine/source_cache.h"

#include "engine/wire.h"

#include <apr_strings.h>
#include <string.h>

enum {
    CACHE_SLOTS = 1024, /* powers of two, as those of a set are */
    CACHE_BYTES = 208,  /* of texts: a longer source is read each time */
    FIRST_SLOTS = 64
};

/* The columns of dsc_source_sql. */
enum {
    NUMBER,
    PROVIDER,
    URL,
    CONTENT_HASH,
    EXTRACTED_AT,
    BY_FILING
};

const char dsc_source_sql[] =
    "SELECT source_id, provider, url, content_hash, extracted_at, by_filing"
    " FROM source WHERE source_id = ANY (%s::integer[])";

/* A source with its texts in a place of their own. */
typedef struct {
    dsc_stored_source_t source; /* number 0: none */
    char bytes[CACHE_BYTES];
} cached_t;

struct dsc_source_cache_t {
    apr_time_t since;
    cached_t slots[CACHE_SLOTS];
};

struct dsc_source_set_t {
    apr_pool_t *pool;
    dsc_stored_source_t *slots; /* open addressing; number 0: free */
    int size, used;
    dsc_buffer_t *missing; /* "{1,2"; NULL: none */
};

dsc_source_cache_t *dsc_source_cache_create(apr_pool_t *pool)
{
    return apr_pcalloc(pool, sizeof(dsc_source_cache_t));
}

void dsc_source_cache_age(dsc_source_cache_t *cache, apr_time_t now)
{
    if (now - cache->since >= apr_time_from_sec(60)) {
        memset(cache->slots, 0, sizeof(cache->slots));
        cache->since = now;
    }
}

static unsigned slot_of(int number, int size)
{
    return ((unsigned)number * 2654435769U >> 7) & ((unsigned)size - 1); /* Fibonacci hashing */
}

/* ------------------------------------------------------------------------ sets */

dsc_source_set_t *dsc_source_set_create(apr_pool_t *pool)
{
    dsc_source_set_t *set = apr_pcalloc(pool, sizeof(*set));
    set->pool = pool;
    set->size = FIRST_SLOTS;
    set->slots = apr_pcalloc(pool, sizeof(*set->slots) * FIRST_SLOTS);
    return set;
}

/* The slot that has the number, or would have it. */
static dsc_stored_source_t *find_slot(const dsc_source_set_t *set, int number)
{
    unsigned i = slot_of(number, set->size);
    while (set->slots[i].number != 0 && set->slots[i].number != number) {
        i = (i + 1) & ((unsigned)set->size - 1);
    }
    return &set->slots[i];
}

static void grow(dsc_source_set_t *set)
{
    const dsc_stored_source_t *old = set->slots, *end = old + set->size;
    set->size *= 2;
    set->slots = apr_pcalloc(set->pool, sizeof(*set->slots) * (size_t)set->size);
    for (; old < end; old++) {
        if (old->number != 0) {
            *find_slot(set, old->number) = *old;
        }
    }
}

static void note_missing(dsc_source_set_t *set, int number)
{
    if (!set->missing) {
        set->missing = dsc_buffer_create(set->pool, 512);
    }
    dsc_buffer_printf(set->missing, "%c%d", set->missing->length ? ',' : '{', number);
}

/* ---------------------------------------------------------------- what is known */

static dsc_slice_t moved(dsc_slice_t text, char **bytes)
{
    char *place = *bytes;
    if (text.data) {
        memcpy(place, text.data, text.length);
        text.data = place;
        *bytes = place + text.length;
    }
    return text;
}

/* Copies a source with its texts, which find room at `bytes`. */
static void copy(dsc_stored_source_t *to, const dsc_stored_source_t *from, char *bytes)
{
    to->number = from->number;
    to->provider = moved(from->provider, &bytes);
    to->url = moved(from->url, &bytes);
    to->content_hash = moved(from->content_hash, &bytes);
    to->extracted_at = moved(from->extracted_at, &bytes);
    to->by_filing = from->by_filing;
}

static size_t bytes_of(const dsc_stored_source_t *source)
{
    return source->provider.length + source->url.length + source->content_hash.length +
           source->extracted_at.length;
}

void dsc_source_set_add(dsc_source_set_t *set, const dsc_source_cache_t *cache, int number)
{
    const dsc_stored_source_t *known = &cache->slots[slot_of(number, CACHE_SLOTS)].source;
    dsc_stored_source_t *slot = find_slot(set, number);
    if (slot->number != 0 || number == 0) {
        return;
    }
    if (known->number == number) { /* the cache is another request's when this one is written */
        copy(slot, known, apr_palloc(set->pool, bytes_of(known) + 1));
    } else {
        slot->number = number;
        note_missing(set, number);
    }
    if (++set->used * 2 > set->size) {
        grow(set);
    }
}

const char *dsc_source_set_missing(const dsc_source_set_t *set)
{
    return set->missing ? apr_pstrcat(set->pool, dsc_buffer_text(set->missing), "}", NULL) : NULL;
}

static dsc_slice_t value_of(const PGresult *rows, int row, int column)
{
    dsc_slice_t value = {NULL, 0};
    if (!PQgetisnull(rows, row, column)) {
        value.data = PQgetvalue(rows, row, column);
        value.length = (size_t)PQgetlength(rows, row, column);
    }
    return value;
}

void dsc_source_set_fill(dsc_source_set_t *set, dsc_source_cache_t *cache, const PGresult *rows)
{
    int row;
    for (row = 0; row < PQntuples(rows); row++) {
        int number = (int)dsc_wire_integer(value_of(rows, row, NUMBER));
        dsc_stored_source_t *slot = find_slot(set, number);
        cached_t *cached = &cache->slots[slot_of(number, CACHE_SLOTS)];

        slot->provider = value_of(rows, row, PROVIDER);
        slot->url = value_of(rows, row, URL);
        slot->content_hash = value_of(rows, row, CONTENT_HASH);
        slot->extracted_at = value_of(rows, row, EXTRACTED_AT);
        slot->by_filing = dsc_wire_boolean(value_of(rows, row, BY_FILING));
        if (bytes_of(slot) <= CACHE_BYTES) {
            copy(&cached->source, slot, cached->bytes);
        }
    }
}

const dsc_stored_source_t *dsc_source_set_find(const dsc_source_set_t *set, int number)
{
    const dsc_stored_source_t *slot = find_slot(set, number);
    return slot->number != 0 && slot->provider.data ? slot : NULL;
}
