#include "access/shared_state.h"

#include "engine/dataset.h"
#include "engine/endpoint.h"
#include "engine/hash.h"
#include "engine/random.h"
#include "engine/tables.h"

#include <string.h>

#define MAGIC UINT64_C(0x6469736c6f736564) /* changes with nothing: `version` does */
enum {
    VERSION = 16,
    PROBES = 4
};

/* Microseconds after which a database or replica that nobody looks at may lose its slot to
 * another. */
#define LEFT_AFTER UINT64_C(60000000)

_Static_assert(sizeof(dsc_database_slot_t) % sizeof(uint64_t) == 0 &&
                   sizeof(dsc_replica_slot_t) % sizeof(uint64_t) == 0,
               "slots are cleared word by word");
_Static_assert(sizeof(dsc_verified_key_t) ==
                   (DSC_KEY_WORDS + DSC_KEY_RULE_WORDS) * sizeof(uint64_t),
               "a verified key fills its slot's words");
_Static_assert(offsetof(dsc_verified_key_t, scopes) == DSC_KEY_WORDS * sizeof(uint64_t),
               "rules stand behind what every key has");

/* Each name with the NUL at its end, so that none runs into the next. */
static uint64_t hash_name(uint64_t hash, const char *name)
{
    return dsc_hash_bytes(hash, name, strlen(name) + 1);
}

static uint64_t hash_tables(void)
{
    uint64_t hash = DSC_HASH_START;
    int i;
    for (i = 0; dsc_datasets[i]; i++) {
        hash = hash_name(hash, dsc_datasets[i]->name);
    }
    hash = hash_name(hash, "");
    for (i = 0; dsc_endpoints[i]; i++) {
        hash = hash_name(hash, dsc_endpoints[i]->name);
    }
    return hash;
}

int dsc_shared_state_init(dsc_shared_state_t *state)
{
    state->magic = MAGIC;
    state->version = VERSION;
    state->size = sizeof(*state);
    state->tables = hash_tables();
    return dsc_random_bytes(state->limits.seeds, sizeof(state->limits.seeds));
}

int dsc_shared_state_fits(const dsc_shared_state_t *state, size_t size)
{
    return size >= sizeof(*state) && state->magic == MAGIC && state->version == VERSION &&
           state->size == sizeof(*state) && state->tables == hash_tables();
}

/* Makes the words of a slot zero, one by one: processes of the generation before may read them. */
static void clear_words(void *slot, size_t size)
{
    _Atomic uint64_t *words = slot;
    size_t i;
    for (i = 0; i < size / sizeof(*words); i++) {
        atomic_store(&words[i], 0);
    }
}

/* A slot that is free, or was left: nobody looks at it any more. */
static int is_left(const _Atomic uint64_t *identity, const _Atomic uint64_t *looked_at,
                   uint64_t now)
{
    uint64_t at = atomic_load(looked_at);
    return atomic_load(identity) == 0 || (now > at && now - at > LEFT_AFTER);
}

static int find_database(const dsc_shared_state_t *state, uint64_t identity)
{
    int i;
    for (i = 0; i < DSC_DATABASE_SLOTS; i++) {
        if (atomic_load(&state->database_slots[i].identity) == identity) {
            return i;
        }
    }
    return -1;
}

/* Whether a slot is free, or was left before those that were gone through so far, the first of
 * which at *earliest. */
static int is_left_first(const _Atomic uint64_t *identity, const _Atomic uint64_t *looked_at,
                         uint64_t now, uint64_t *earliest)
{
    uint64_t at = atomic_load(looked_at);
    if (at >= *earliest || !is_left(identity, looked_at, now)) {
        return 0;
    }
    *earliest = at;
    return 1;
}

/* A free slot, else the one that was left first; -1: all are looked at. */
static int left_database(const dsc_shared_state_t *state, uint64_t now)
{
    uint64_t earliest = UINT64_MAX;
    int i, left = -1;
    for (i = 0; i < DSC_DATABASE_SLOTS; i++) {
        const dsc_database_slot_t *slot = &state->database_slots[i];
        left = is_left_first(&slot->identity, &slot->looked_at, now, &earliest) ? i : left;
    }
    return left;
}

/* Nothing of the database that had the slot must pass for another's: accounts of both have the same
 * ids. */
static void forget_database(dsc_shared_state_t *state, int database_slot)
{
    dsc_database_slot_t *slot = &state->database_slots[database_slot];
    atomic_store(&slot->seen_at, 0);
    clear_words(slot, sizeof(*slot));
    dsc_key_cache_forget(state, (uint32_t)database_slot);
    dsc_limit_forget(&state->limits, (uint32_t)database_slot);
    dsc_usage_forget(&state->counters, (uint32_t)database_slot);
}

void dsc_database_keep(dsc_shared_state_t *state, uint64_t identity, uint64_t now)
{
    int found = find_database(state, identity);
    if (found >= 0) {
        atomic_store(&state->database_slots[found].looked_at, now);
    }
}

int dsc_database_slot(dsc_shared_state_t *state, uint64_t identity, uint64_t now)
{
    int found = find_database(state, identity);
    if (found < 0) {
        found = left_database(state, now);
        if (found < 0) {
            return -1;
        }
        if (atomic_load(&state->database_slots[found].identity) != 0) {
            forget_database(state, found);
        }
        atomic_store(&state->database_slots[found].identity, identity);
    }
    atomic_store(&state->database_slots[found].looked_at, now);
    return found;
}

int dsc_database_was_seen(const dsc_database_slot_t *slot, uint64_t now, int64_t within)
{
    uint64_t seen_at = atomic_load(&slot->seen_at);
    /* The clock begins with the host: what was never seen would pass for seen when that has just
     * booted. */
    return seen_at != 0 && (int64_t)(now - seen_at) < within;
}

static int find_replica(const dsc_shared_state_t *state, uint64_t identity)
{
    int i;
    for (i = 0; i < DSC_REPLICA_SLOTS; i++) {
        if (atomic_load(&state->replica_slots[i].identity) == identity) {
            return i;
        }
    }
    return -1;
}

/* The same as left_database(). */
static int left_replica(const dsc_shared_state_t *state, uint64_t now)
{
    uint64_t earliest = UINT64_MAX;
    int i, left = -1;
    for (i = 0; i < DSC_REPLICA_SLOTS; i++) {
        const dsc_replica_slot_t *slot = &state->replica_slots[i];
        left = is_left_first(&slot->identity, &slot->looked_at, now, &earliest) ? i : left;
    }
    return left;
}

/* One that is named again is kept by this: nobody has looked at it since it was left. */
int dsc_replica_slot(dsc_shared_state_t *state, uint64_t identity, uint64_t now)
{
    int found = find_replica(state, identity);
    if (found < 0) {
        found = left_replica(state, now);
        if (found < 0) {
            return -1;
        }
        clear_words(&state->replica_slots[found], sizeof(state->replica_slots[found]));
        atomic_store(&state->replica_slots[found].identity, identity);
    }
    atomic_store(&state->replica_slots[found].looked_at, now);
    return found;
}

static uint64_t number_of(const char *key_id)
{
    uint64_t number;
    memcpy(&number, key_id, sizeof(number));
    return dsc_mix(number);
}

static dsc_key_slot_t *slot_of(dsc_shared_state_t *state, const char *key_id, unsigned probe)
{
    return &state->keys[(number_of(key_id) + probe) & (DSC_SHARED_KEYS - 1)];
}

static int is_of(const dsc_verified_key_t *key, const char *key_id, uint32_t database_slot)
{
    return key->database_slot == database_slot &&
           memcmp(key->key_id, key_id, sizeof(key->key_id)) == 0;
}

static void copy_words(dsc_key_slot_t *slot, dsc_verified_key_t *key, int from, int to)
{
    uint64_t words[DSC_KEY_WORDS + DSC_KEY_RULE_WORDS];
    int i;
    for (i = from; i < to; i++) {
        words[i] = atomic_load_explicit(&slot->words[i], memory_order_relaxed);
    }
    memcpy((char *)key + (size_t)from * sizeof(words[0]), words + from,
           (size_t)(to - from) * sizeof(words[0]));
}

/* How many words there are of a key. */
static int count_words(const dsc_verified_key_t *key)
{
    return key->has_rules ? DSC_KEY_WORDS + DSC_KEY_RULE_WORDS : DSC_KEY_WORDS;
}

static uint64_t check_of(const dsc_verified_key_t *key)
{
    const char *at = (const char *)key;
    uint64_t check = 0, word;
    int i;
    for (i = 0; i < count_words(key); i++) {
        memcpy(&word, at + (size_t)i * sizeof(word), sizeof(word));
        check = dsc_mix(check ^ word) + 1;
    }
    return check;
}

/* Copies a slot, as an empty one if its words are not of one key; 0 when a writer was at it. */
static int read_slot(dsc_key_slot_t *slot, dsc_verified_key_t *key)
{
    uint64_t before = atomic_load_explicit(&slot->sequence, memory_order_acquire);
    uint64_t check = atomic_load_explicit(&slot->check, memory_order_relaxed);
    copy_words(slot, key, 0, DSC_KEY_WORDS);
    if (key->has_rules) {
        copy_words(slot, key, DSC_KEY_WORDS, DSC_KEY_WORDS + DSC_KEY_RULE_WORDS);
    } else {
        key->scopes[0] = key->addresses[0] = '\0';
    }
    atomic_thread_fence(memory_order_acquire);
    if ((before & 1) || before != atomic_load_explicit(&slot->sequence, memory_order_relaxed)) {
        return 0;
    }
    if (check != check_of(key)) {
        memset(key, 0, sizeof(*key));
    }
    return 1;
}

dsc_key_cached_t dsc_key_cache_find(dsc_shared_state_t *state, const char key_id[8],
                                    uint32_t database_slot, uint64_t now, dsc_verified_key_t *key)
{
    uint64_t generation = atomic_load(&state->database_slots[database_slot].key_generation);
    unsigned probe;
    for (probe = 0; probe < PROBES; probe++) {
        if (read_slot(slot_of(state, key_id, probe), key) && is_of(key, key_id, database_slot)) {
            return key->generation == generation && key->valid_until > now ? DSC_KEY_PRESENT
                                                                           : DSC_KEY_OLD;
        }
    }
    return DSC_KEY_ABSENT;
}

/* The slot to write to: the key's own, a free one, or the one that expires first. */
static dsc_key_slot_t *choose_slot(dsc_shared_state_t *state, const dsc_verified_key_t *key)
{
    dsc_key_slot_t *chosen = NULL;
    uint64_t earliest = UINT64_MAX;
    unsigned probe;
    for (probe = 0; probe < PROBES; probe++) {
        dsc_key_slot_t *slot = slot_of(state, key->key_id, probe);
        dsc_verified_key_t found;
        if (!read_slot(slot, &found)) {
            continue;
        }
        if (is_of(&found, key->key_id, key->database_slot)) {
            return slot;
        }
        if (found.valid_until < earliest) {
            earliest = found.valid_until;
            chosen = slot;
        }
    }
    return chosen;
}

void dsc_key_cache_keep(dsc_shared_state_t *state, const dsc_verified_key_t *key, uint64_t now)
{
    dsc_key_slot_t *slot = choose_slot(state, key);
    uint64_t words[DSC_KEY_WORDS + DSC_KEY_RULE_WORDS];
    uint64_t sequence;
    int i;
    if (!slot || key->valid_until <= now) {
        return;
    }
    sequence = atomic_load(&slot->sequence);
    if ((sequence & 1) ||
        !atomic_compare_exchange_strong(&slot->sequence, &sequence, sequence + 1)) {
        return;
    }
    memcpy(words, key, sizeof(*key));
    atomic_thread_fence(memory_order_release);
    for (i = 0; i < count_words(key); i++) {
        atomic_store_explicit(&slot->words[i], words[i], memory_order_relaxed);
    }
    atomic_store_explicit(&slot->check, check_of(key), memory_order_relaxed);
    atomic_store_explicit(&slot->sequence, sequence + 2, memory_order_release);
}

void dsc_key_cache_forget(dsc_shared_state_t *state, uint32_t database_slot)
{
    int i;
    for (i = 0; i < DSC_SHARED_KEYS; i++) {
        dsc_key_slot_t *slot = &state->keys[i];
        uint64_t sequence = atomic_load(&slot->sequence);
        dsc_verified_key_t found;
        if (read_slot(slot, &found) && found.database_slot == database_slot &&
            atomic_compare_exchange_strong(&slot->sequence, &sequence, sequence + 1)) {
            atomic_thread_fence(memory_order_release);
            clear_words(slot->words, sizeof(slot->words));
            atomic_store_explicit(&slot->sequence, sequence + 2, memory_order_release);
        }
    }
}

static void free_stuck_keys(dsc_shared_state_t *state, uint64_t seen[DSC_SHARED_KEYS])
{
    int i;
    for (i = 0; i < DSC_SHARED_KEYS; i++) {
        dsc_key_slot_t *slot = &state->keys[i];
        uint64_t sequence = atomic_load(&slot->sequence);
        if ((sequence & 1) && seen[i] == sequence) {
            clear_words(slot->words, sizeof(slot->words));
            atomic_store_explicit(&slot->sequence, sequence + 1, memory_order_release);
        }
        seen[i] = sequence;
    }
}

void dsc_shared_state_free_stuck(dsc_shared_state_t *state, dsc_stuck_t *seen)
{
    dsc_limit_free_stuck(&state->limits, &seen->limits);
    dsc_usage_free_stuck(&state->counters, seen->usage);
    free_stuck_keys(state, seen->keys);
}

/* ---------------------------------------------------------------- unknown keys */

static uint64_t tag_of(const char *key_id, uint32_t database_slot)
{
    return number_of(key_id) ^ dsc_mix(database_slot + 1);
}

int dsc_key_is_unknown(const dsc_shared_state_t *state, const char key_id[8],
                       uint32_t database_slot, uint64_t now)
{
    uint64_t tag = tag_of(key_id, database_slot);
    unsigned probe;
    for (probe = 0; probe < PROBES; probe++) {
        const dsc_unknown_key_t *place =
            &state->unknown_keys[(tag + probe) & (DSC_UNKNOWN_KEYS - 1)];
        uint64_t until = atomic_load(&place->until);
        if (atomic_load(&place->tag) == tag && until > now) {
            return 1;
        }
    }
    return 0;
}

void dsc_key_keep_unknown(dsc_shared_state_t *state, const char key_id[8], uint32_t database_slot,
                          uint64_t now)
{
    uint64_t tag = tag_of(key_id, database_slot);
    dsc_unknown_key_t *chosen = NULL;
    uint64_t earliest = UINT64_MAX;
    unsigned probe;
    for (probe = 0; probe < PROBES; probe++) {
        dsc_unknown_key_t *place = &state->unknown_keys[(tag + probe) & (DSC_UNKNOWN_KEYS - 1)];
        uint64_t until = atomic_load(&place->until);
        if (until < earliest) {
            earliest = until;
            chosen = place;
        }
    }
    atomic_store(&chosen->tag, tag);
    atomic_store(&chosen->until, now + (uint64_t)DSC_UNKNOWN_SECONDS * 1000000);
}

uint64_t dsc_key_list_seed(const dsc_shared_state_t *state)
{
    return state->limits.seeds[0];
}
