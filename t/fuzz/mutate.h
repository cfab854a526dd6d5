/* Damaging bytes, the same way for the same seed. */
#ifndef DSC_FUZZ_MUTATE_H
#define DSC_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* A sequence of numbers that is the same on every machine (splitmix64). */
uint64_t dsc_random(uint64_t *state);

/* A number below `limit`, which is not 0. */
size_t dsc_random_below(uint64_t *state, size_t limit);

typedef enum {
    DSC_MUTATE_CUT,       /* the end is lost */
    DSC_MUTATE_FLIP,      /* a few bytes change */
    DSC_MUTATE_DROP,      /* an element, a member, a field or a line is lost */
    DSC_MUTATE_DUPLICATE, /* a chunk stands twice */
    DSC_MUTATE_SWAP,      /* two lines, or two chunks, change places */
    DSC_MUTATE_NUMBER,    /* a run of digits becomes one that formats trip over */
    DSC_MUTATIONS
} dsc_mutation_t;

/* Writes a damaged copy of `size` bytes into `into`, which holds at least 2 * size + 64; returns
 * its length. */
size_t dsc_mutate(uint64_t *state, dsc_mutation_t mutation, const char *data, size_t size,
                  char *into);

#endif
