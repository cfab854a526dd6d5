/* Which key ids exist: an id that is not listed was created a moment ago, or is invented. A Bloom
 * filter for each database in shared memory. It therefore also lists a few in a thousand of the
 * ids that never existed, and keeps ids of deleted keys until it is built again. Written by the
 * background process, read by all; every word changes by C11 atomics; zeroed memory lists
 * nothing. */
#ifndef DSC_KEY_LIST_H
#define DSC_KEY_LIST_H

#include <stdatomic.h>
#include <stdint.h>

enum {
    DSC_KEY_LIST_BITS =
        1 << 21, /* of 100,000 invented ids some 90 are listed if 100,000 keys are */
    DSC_KEY_LIST_WORDS = DSC_KEY_LIST_BITS / 64,
    DSC_KEY_LIST_HALVES = 2
};

/* One half is read while the other is made again. */
typedef struct {
    _Atomic uint32_t read; /* the half that is */
    _Atomic uint64_t words[DSC_KEY_LIST_HALVES][DSC_KEY_LIST_WORDS];
} dsc_key_list_t;

/* Begins a list anew, in the half that is not read; returns it. */
uint32_t dsc_key_list_begin(dsc_key_list_t *list);

/* Adds a key to a half. `seed` is the same for all who add and read. */
void dsc_key_list_add(dsc_key_list_t *list, uint32_t half, uint64_t seed, const char key_id[8]);

/* From now on that half is read. */
void dsc_key_list_show(dsc_key_list_t *list, uint32_t half);

/* Whether a key is listed. */
int dsc_key_list_has(const dsc_key_list_t *list, uint64_t seed, const char key_id[8]);

#endif
