#include "access/key_list.h"

#include "engine/hash.h"

#include <string.h>

enum {
    PLACES = 4
};

/* The bits of an id: all from one number (Kirsch and Mitzenmacher, 2006). */
static void places_of(uint64_t seed, const char *key_id, uint32_t places[PLACES])
{
    uint64_t number;
    uint32_t first, step, i;
    memcpy(&number, key_id, sizeof(number));
    number = dsc_mix(number ^ seed);
    first = (uint32_t)number;
    step = (uint32_t)(number >> 32) | 1;
    for (i = 0; i < PLACES; i++) {
        places[i] = (first + i * step) & (DSC_KEY_LIST_BITS - 1);
    }
}

static uint64_t bit_of(uint32_t place)
{
    return UINT64_C(1) << (place % 64);
}

uint32_t dsc_key_list_begin(dsc_key_list_t *list)
{
    uint32_t half = 1 - atomic_load(&list->read);
    int i;
    for (i = 0; i < DSC_KEY_LIST_WORDS; i++) {
        atomic_store_explicit(&list->words[half][i], 0, memory_order_relaxed);
    }
    return half;
}

void dsc_key_list_add(dsc_key_list_t *list, uint32_t half, uint64_t seed, const char key_id[8])
{
    uint32_t places[PLACES];
    int i;
    places_of(seed, key_id, places);
    for (i = 0; i < PLACES; i++) {
        atomic_fetch_or_explicit(&list->words[half][places[i] / 64], bit_of(places[i]),
                                 memory_order_relaxed);
    }
}

void dsc_key_list_show(dsc_key_list_t *list, uint32_t half)
{
    atomic_store_explicit(&list->read, half, memory_order_release);
}

int dsc_key_list_has(const dsc_key_list_t *list, uint64_t seed, const char key_id[8])
{
    uint32_t half = atomic_load_explicit(&list->read, memory_order_acquire);
    uint32_t places[PLACES];
    int i;
    places_of(seed, key_id, places);
    for (i = 0; i < PLACES; i++) {
        uint64_t word =
            atomic_load_explicit(&list->words[half][places[i] / 64], memory_order_relaxed);
        if (!(word & bit_of(places[i]))) {
            return 0;
        }
    }
    return 1;
}
