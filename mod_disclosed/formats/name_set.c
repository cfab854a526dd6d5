#include "formats/name_set.h"

#include "engine/hash.h"
#include "engine/random.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SIZE = 64 /* a power of two, as all sizes are */
};

struct dsc_name_set_t {
    uint64_t *slots; /* 0: free */
    size_t size, count;
    uint64_t seed; /* nobody can choose names that all want one slot */
};

static apr_status_t free_slots(void *data)
{
    dsc_name_set_t *set = data;

    free(set->slots);
    set->slots = NULL;
    return APR_SUCCESS;
}

dsc_name_set_t *dsc_name_set_create(apr_pool_t *pool)
{
    dsc_name_set_t *set = apr_pcalloc(pool, sizeof(*set));

    if (!dsc_random_bytes(&set->seed, sizeof(set->seed))) {
        set->seed = (uint64_t)(uintptr_t)set;
    }
    apr_pool_cleanup_register(pool, set, free_slots, apr_pool_cleanup_null);
    return set;
}

static uint64_t hash_of(const char *name, uint64_t seed)
{
    uint64_t hash = dsc_mix(dsc_hash_bytes(DSC_HASH_START ^ seed, name, strlen(name)));

    return hash != 0 ? hash : 1;
}

/* The hash's own slot, or the free one that it may take. */
static uint64_t *slot_of(uint64_t *slots, size_t size, uint64_t hash)
{
    size_t at = (size_t)(hash >> 32 ^ hash) & (size - 1);

    while (slots[at] != 0 && slots[at] != hash) {
        at = (at + 1) & (size - 1);
    }
    return &slots[at];
}

static void grow(dsc_name_set_t *set)
{
    size_t size = set->size == 0 ? FIRST_SIZE : set->size * 2, i;
    uint64_t *slots = calloc(size, sizeof(*slots));

    if (slots == NULL) {
        abort(); /* no memory */
    }
    for (i = 0; i < set->size; i++) {
        if (set->slots[i] != 0) {
            *slot_of(slots, size, set->slots[i]) = set->slots[i];
        }
    }
    free(set->slots);
    set->slots = slots;
    set->size = size;
}

int dsc_name_set_add(dsc_name_set_t *set, const char *name)
{
    uint64_t hash = hash_of(name, set->seed), *slot;

    if (set->count * 2 >= set->size) {
        grow(set);
    }
    slot = slot_of(set->slots, set->size, hash);
    if (*slot != 0) {
        return 0;
    }
    *slot = hash;
    set->count++;
    return 1;
}

int dsc_name_set_has(const dsc_name_set_t *set, const char *name)
{
    return set->size > 0 && *slot_of(set->slots, set->size, hash_of(name, set->seed)) != 0;
}

size_t dsc_name_set_count(const dsc_name_set_t *set)
{
    return set->count;
}
