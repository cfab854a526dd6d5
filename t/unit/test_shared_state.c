#include "access/shared_state.h"

#include "access/verify.h"
#include "engine/hash.h"
#include "engine/tables.h"
#include "registry.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dsc_shared_state_t *state;

static int start(void)
{
    state = calloc(1, sizeof(*state));
    if (!state) {
        return -1;
    }
    return dsc_shared_state_init(state) ? 0 : -1;
}

static int stop(void)
{
    free(state);
    return 0;
}

typedef struct {
    char text[9];
} key_id_t;

static key_id_t id_of(unsigned number)
{
    key_id_t id;
    (void)snprintf(id.text, sizeof(id.text), "%08u", number);
    return id;
}

/* A key whose every part follows from its number, so that a torn copy shows. */
static dsc_verified_key_t numbered(unsigned number, uint64_t valid_until)
{
    dsc_verified_key_t key;
    memset(&key, 0, sizeof(key));
    memset(key.scopes, (int)(number & 127) + 1, sizeof(key.scopes) - 1);
    key.has_rules = 1;
    memset(key.digest, (int)(number & 255), sizeof(key.digest));
    memset(key.salt, (int)(number & 255), sizeof(key.salt));
    memcpy(key.key_id, id_of(number).text, sizeof(key.key_id));
    key.account_id = number * UINT64_C(1000003);
    key.valid_until = valid_until;
    memcpy(key.plan, "builder", 7);
    return key;
}

static void test_database_slots(void)
{
    CU_ASSERT_EQUAL(dsc_database_slot(state, 11, 1), 0);
    CU_ASSERT_EQUAL(dsc_database_slot(state, 12, 1), 1);
    CU_ASSERT_EQUAL(dsc_database_slot(state, 11, 1), 0);
    CU_ASSERT(dsc_shared_state_fits(state, sizeof(*state)));
    CU_ASSERT_FALSE(dsc_shared_state_fits(state, sizeof(*state) - 1));
}

/* Datasets and endpoints have places there: a build that has others, or others of the names, begins
 * anew. */
static void test_other_tables(void)
{
    const struct dsc_dataset_t *datasets[DSC_SHARED_DATASETS] = {NULL}, *first;
    const struct dsc_endpoint_t *endpoints[DSC_COUNTED_OPERATIONS] = {NULL};
    const dsc_tables_t others = {datasets, endpoints, dsc_topics}, ours = dsc_tables;
    int i;
    for (i = 0; dsc_datasets[i]; i++) {
        datasets[i] = dsc_datasets[i];
    }
    for (i = 0; dsc_endpoints[i]; i++) {
        endpoints[i] = dsc_endpoints[i];
    }
    dsc_tables_use(&others);
    CU_ASSERT(dsc_shared_state_fits(state, sizeof(*state)));
    first = datasets[0];
    datasets[0] = datasets[1];
    datasets[1] = first;
    CU_ASSERT_FALSE(dsc_shared_state_fits(state, sizeof(*state)));
    datasets[1] = datasets[0];
    datasets[0] = first;
    endpoints[0] = endpoints[1];
    CU_ASSERT_FALSE(dsc_shared_state_fits(state, sizeof(*state)));
    dsc_tables_use(&ours);
    CU_ASSERT(dsc_shared_state_fits(state, sizeof(*state)));
}

static uint64_t usage_of(uint32_t database_slot)
{
    uint64_t requests = 0;
    int i;
    for (i = 0; i < DSC_USAGE_SLOTS; i++) {
        const dsc_usage_slot_t *slot = &state->counters.usage[i];
        requests += slot->key >> 48 == database_slot ? slot->requests : 0;
    }
    return requests;
}

/* What is known of a database and of who uses it. */
static void fill(uint32_t database_slot)
{
    dsc_verified_key_t key = numbered(5, UINT64_MAX);
    int fresh;
    dsc_limit_slot_t *day =
        dsc_limit_slot(&state->limits, DSC_LIMIT_ACCOUNT, database_slot, 5, 1, &fresh);
    CU_ASSERT(fresh);
    dsc_day_take(day, 100, 1, 40);
    key.database_slot = database_slot;
    dsc_key_cache_keep(state, &key, 1);
    dsc_count_usage(&state->counters, database_slot, 5, 1, 0, 1);
    atomic_store(&state->database_slots[database_slot].seen_at, 1);
    atomic_store(&state->database_slots[database_slot].schema, 100);
    atomic_store(&state->database_slots[database_slot].versions[2], 7);
    atomic_store(&state->database_slots[database_slot].webhooks.waiting, 7);
    atomic_store(&state->database_slots[database_slot].key_list.words[1][9], 7);
}

static void test_all_database_slots(void)
{
    static const uint64_t second = 1000000;
    uint64_t i;
    for (i = 0; i < DSC_DATABASE_SLOTS; i++) {
        CU_ASSERT(dsc_database_slot(state, 100 + i, second) >= 0);
    }
    CU_ASSERT_EQUAL(dsc_database_slot(state, 99, 61 * second), -1);
    for (i = 0; i < DSC_DATABASE_SLOTS; i++) {
        dsc_database_keep(state, 100 + i, (i == 7 ? 20 : i == 8 ? 10 : 30) * second);
    }
    CU_ASSERT_EQUAL(dsc_database_slot(state, 99, 70 * second), -1);
}

/* A configuration names one database of many others, time and again; of those that nobody looks at
 * for a minute one after the other loses its slot, the one that was left first first. */
static void test_left_database_slots(void)
{
    static const uint64_t second = 1000000;
    dsc_verified_key_t found;
    const char *key_id = id_of(5).text;
    int fresh, left, other;
    memset(state->database_slots, 0, sizeof(state->database_slots));
    test_all_database_slots();
    left = dsc_database_slot(state, 108, 10 * second);
    other = dsc_database_slot(state, 109, 30 * second);
    fill((uint32_t)left);
    fill((uint32_t)other);
    CU_ASSERT_EQUAL(dsc_database_slot(state, 99, 71 * second), left);
    CU_ASSERT_EQUAL(dsc_database_slot(state, 98, 71 * second), -1);
    CU_ASSERT_EQUAL(atomic_load(&state->database_slots[left].seen_at), 0);
    CU_ASSERT_EQUAL(atomic_load(&state->database_slots[left].schema), 0);
    CU_ASSERT_EQUAL(atomic_load(&state->database_slots[left].versions[2]), 0);
    CU_ASSERT_EQUAL(atomic_load(&state->database_slots[left].webhooks.waiting), 0);
    CU_ASSERT_EQUAL(atomic_load(&state->database_slots[left].key_list.words[1][9]), 0);
    CU_ASSERT_EQUAL(atomic_load(&state->database_slots[other].versions[2]), 7);
    /* Its keys and accounts have the same ids, and are not the same. */
    CU_ASSERT_EQUAL(dsc_key_cache_find(state, key_id, (uint32_t)left, 1, &found), DSC_KEY_ABSENT);
    CU_ASSERT_EQUAL(dsc_key_cache_find(state, key_id, (uint32_t)other, 1, &found), DSC_KEY_PRESENT);
    CU_ASSERT_EQUAL(usage_of((uint32_t)left), 0);
    CU_ASSERT_EQUAL(usage_of((uint32_t)other), 1);
    (void)dsc_limit_slot(&state->limits, DSC_LIMIT_ACCOUNT, (uint32_t)left, 5, 1, &fresh);
    CU_ASSERT(fresh);
    (void)dsc_limit_slot(&state->limits, DSC_LIMIT_ACCOUNT, (uint32_t)other, 5, 1, &fresh);
    CU_ASSERT_FALSE(fresh);
    CU_ASSERT_EQUAL(dsc_database_slot(state, 107, 81 * second), 7);
    memset(state->database_slots, 0, sizeof(state->database_slots));
    dsc_key_cache_forget(state, (uint32_t)other);
}

/* One that nobody has looked at for a minute gives up its slot; one that is looked at in vain does
 * not. */
static void test_replica_slots(void)
{
    static const uint64_t second = 1000000;
    int i;
    for (i = 0; i < DSC_REPLICA_SLOTS; i++) {
        CU_ASSERT_EQUAL(dsc_replica_slot(state, 100 + (uint64_t)i, second), i);
    }
    CU_ASSERT_EQUAL(dsc_replica_slot(state, 103, second), 3);
    CU_ASSERT_EQUAL(dsc_replica_slot(state, 99, 61 * second), -1);
    for (i = 0; i < DSC_REPLICA_SLOTS; i++) {
        if (i != 7) {
            dsc_replica_missed(&state->replica_slots[i], 30 * second);
        }
    }
    atomic_store(&state->replica_slots[7].reads, 5);
    CU_ASSERT_EQUAL(dsc_replica_slot(state, 99, 62 * second), 7);
    CU_ASSERT_EQUAL(atomic_load(&state->replica_slots[7].reads), 0);
    CU_ASSERT_EQUAL(dsc_replica_slot(state, 107, 62 * second), -1);
}

/* Replicas that were left and are named again keep slots of their own, beside new ones. */
static void test_replicas_named_again(void)
{
    static const uint64_t second = 1000000;
    int kept;
    memset(state->replica_slots, 0, sizeof(state->replica_slots));
    CU_ASSERT_EQUAL(dsc_replica_slot(state, 200, second), 0);
    CU_ASSERT_EQUAL(dsc_replica_slot(state, 201, 2 * second), 1);
    kept = dsc_replica_slot(state, 200, 100 * second);
    CU_ASSERT_EQUAL(kept, 0);
    /* A free slot goes to a new one first, so that what is known of those that were left stays. */
    CU_ASSERT_EQUAL(dsc_replica_slot(state, 202, 100 * second), 2);
    for (int i = 3; i < DSC_REPLICA_SLOTS; i++) {
        (void)dsc_replica_slot(state, 300 + (uint64_t)i, 100 * second);
    }
    CU_ASSERT_EQUAL(dsc_replica_slot(state, 203, 100 * second), 1);
    CU_ASSERT_EQUAL(dsc_replica_slot(state, 200, 100 * second), kept);
    CU_ASSERT_EQUAL(dsc_replica_slot(state, 201, 100 * second), -1);
    memset(state->replica_slots, 0, sizeof(state->replica_slots));
}

/* A database that was never seen was not seen just now, on a host that has just booted either: its
 * replicas are not asked about keys. */
static void test_never_seen(void)
{
    static dsc_verified_key_t key;
    memset(state->database_slots, 0, sizeof(state->database_slots));
    CU_ASSERT_EQUAL(dsc_verify_ask_replica(dsc_pool, NULL, state, 0, "Bearer none", 1, &key),
                    DSC_VERIFY_UNAVAILABLE);
}

/* Keys that the database did not know are remembered for two seconds, for its own slot. */
static void test_unknown_keys(void)
{
    const dsc_verified_key_t key = numbered(3, 0), other = numbered(4, 0);
    unsigned i;
    int kept = 0;
    CU_ASSERT_FALSE(dsc_key_is_unknown(state, key.key_id, 0, 1000));
    dsc_key_keep_unknown(state, key.key_id, 0, 1000);
    CU_ASSERT(dsc_key_is_unknown(state, key.key_id, 0, 1000));
    CU_ASSERT(dsc_key_is_unknown(state, key.key_id, 0, 2000999));
    CU_ASSERT_FALSE(dsc_key_is_unknown(state, key.key_id, 0, 2001000));
    CU_ASSERT_FALSE(dsc_key_is_unknown(state, key.key_id, 1, 1000));
    CU_ASSERT_FALSE(dsc_key_is_unknown(state, other.key_id, 0, 1000));
    for (i = 0; i < 3 * DSC_UNKNOWN_KEYS; i++) { /* more than there is room for */
        dsc_key_keep_unknown(state, id_of(i).text, 0, 2001000 + i);
    }
    for (i = 0; i < 3 * DSC_UNKNOWN_KEYS; i++) {
        kept += dsc_key_is_unknown(state, id_of(i).text, 0, 2101000);
    }
    CU_ASSERT(kept > 0 && kept <= DSC_UNKNOWN_KEYS);
}

static void test_keep_and_find(void)
{
    const dsc_verified_key_t key = numbered(7, 2000);
    dsc_verified_key_t found;
    CU_ASSERT_NOT_EQUAL(dsc_key_cache_find(state, key.key_id, 0, 1000, &found), DSC_KEY_PRESENT);
    dsc_key_cache_keep(state, &key, 1000);
    CU_ASSERT_EQUAL_FATAL(dsc_key_cache_find(state, key.key_id, 0, 1000, &found), DSC_KEY_PRESENT);
    CU_ASSERT_EQUAL(memcmp(&found, &key, sizeof(key)), 0);
    CU_ASSERT_NOT_EQUAL(dsc_key_cache_find(state, key.key_id, 0, 2000, &found), DSC_KEY_PRESENT);
    CU_ASSERT_NOT_EQUAL(dsc_key_cache_find(state, key.key_id, 1, 1000, &found), DSC_KEY_PRESENT);
    atomic_fetch_add(&state->database_slots[0].key_generation, 1);
    CU_ASSERT_NOT_EQUAL(dsc_key_cache_find(state, key.key_id, 0, 1000, &found), DSC_KEY_PRESENT);
}

/* Where the slots of an id begin. */
static size_t place_of(const char *key_id)
{
    uint64_t number;
    memcpy(&number, key_id, sizeof(number));
    return dsc_mix(number) & (DSC_SHARED_KEYS - 1);
}

/* More keys than probes in one place: the one that expires first goes. */
static void test_full_place(void)
{
    enum {
        SOME = 5
    };
    dsc_verified_key_t keys[SOME], found;
    unsigned number, count = 0;
    for (number = 99; count < SOME; number++) {
        if (place_of(id_of(number).text) == place_of(id_of(99).text)) {
            keys[count] = numbered(number, 5000 + count);
            keys[count].generation = atomic_load(&state->database_slots[0].key_generation);
            dsc_key_cache_keep(state, &keys[count++], 1000);
        }
    }
    for (count = 0; count < SOME; count++) {
        CU_ASSERT_EQUAL(dsc_key_cache_find(state, keys[count].key_id, 0, 1000, &found) ==
                            DSC_KEY_PRESENT,
                        count != 0);
    }
}

/* A slot that a writer is at, or died at, is left alone; those behind it serve. */
static void test_slot_being_written(void)
{
    dsc_verified_key_t key = numbered(1000, 5000);
    dsc_verified_key_t found;
    size_t place = place_of(key.key_id);
    key.generation = atomic_load(&state->database_slots[0].key_generation);
    atomic_fetch_add(&state->keys[place].sequence, 1);
    dsc_key_cache_keep(state, &key, 1000);
    CU_ASSERT_EQUAL(dsc_key_cache_find(state, key.key_id, 0, 1000, &found), DSC_KEY_PRESENT);
    atomic_fetch_add(&state->keys[place].sequence, 1);
    CU_ASSERT_EQUAL(dsc_key_cache_find(state, key.key_id, 0, 1000, &found), DSC_KEY_PRESENT);
}

/* A writer that stood still for so long that its slot was freed goes on with its words, whoever has
 * the slot by then: no word of it may make another key of the one that is there. */
static void test_late_writer(void)
{
    dsc_verified_key_t key = numbered(1001, 5000), late = numbered(2002, 5000), found;
    dsc_key_slot_t *slot = &state->keys[place_of(key.key_id)];
    int i, words = sizeof(late) / sizeof(uint64_t);
    uint64_t of_late[sizeof(late) / sizeof(uint64_t)];
    memcpy(of_late, &late, sizeof(late));
    key.generation = late.generation = atomic_load(&state->database_slots[0].key_generation);
    for (i = 0; i < words; i++) {
        dsc_key_cache_keep(state, &key, 1000);
        CU_ASSERT_EQUAL(dsc_key_cache_find(state, key.key_id, 0, 1000, &found), DSC_KEY_PRESENT);
        CU_ASSERT_EQUAL(memcmp(&found, &key, sizeof(key)), 0);
        if (atomic_exchange(&slot->words[i], of_late[i]) != of_late[i]) {
            CU_ASSERT_EQUAL(dsc_key_cache_find(state, key.key_id, 0, 1000, &found), DSC_KEY_ABSENT);
        }
    }
    dsc_key_cache_keep(state, &key, 1000);
    CU_ASSERT_EQUAL(dsc_key_cache_find(state, key.key_id, 0, 1000, &found), DSC_KEY_PRESENT);
    CU_ASSERT_EQUAL(memcmp(&found, &key, sizeof(key)), 0);
}

/* A writer that was killed holds a slot of the cache, or of the usage of keys, for two looks at
 * most. */
static void test_stuck_keys(void)
{
    static dsc_stuck_t seen;
    const dsc_verified_key_t key = numbered(1001, UINT64_MAX);
    dsc_key_slot_t *slots = &state->keys[place_of(key.key_id)];
    dsc_verified_key_t found;
    int i;
    for (i = 0; i < 4; i++) {
        atomic_fetch_or(&slots[i].sequence, 1);
    }
    atomic_store(&state->counters.usage[5].identity, 1);
    dsc_key_cache_keep(state, &key, 1);
    CU_ASSERT_EQUAL(dsc_key_cache_find(state, key.key_id, 0, 1, &found), DSC_KEY_ABSENT);
    dsc_shared_state_free_stuck(state, &seen);
    atomic_fetch_add(&slots[3].sequence, 2); /* another writer by now */
    dsc_key_cache_keep(state, &key, 1);
    CU_ASSERT_EQUAL(dsc_key_cache_find(state, key.key_id, 0, 1, &found), DSC_KEY_ABSENT);
    dsc_shared_state_free_stuck(state, &seen);
    CU_ASSERT_EQUAL(slots[0].sequence & 1, 0);
    CU_ASSERT_EQUAL(slots[3].sequence & 1, 1);
    CU_ASSERT_EQUAL(state->counters.usage[5].identity, 0);
    dsc_key_cache_keep(state, &key, 1);
    CU_ASSERT_NOT_EQUAL(dsc_key_cache_find(state, key.key_id, 0, 1, &found), DSC_KEY_ABSENT);
    dsc_shared_state_free_stuck(state, &seen);
}

/* All keys that were made are listed, and few others; what is made anew is seen when it is
 * whole. */
static void test_key_list(void)
{
    static const unsigned made = 100000;
    dsc_key_list_t *list = &state->database_slots[3].key_list;
    uint64_t seed = dsc_key_list_seed(state);
    int missing = 0, invented = 0;
    unsigned i;
    uint32_t half = dsc_key_list_begin(list);
    for (i = 0; i < made; i++) {
        dsc_key_list_add(list, half, seed, id_of(i).text);
        invented += dsc_key_list_has(list, seed, id_of(i).text);
    }
    CU_ASSERT_EQUAL(invented, 0);
    dsc_key_list_show(list, half);
    for (i = 0; i < made; i++) {
        missing += !dsc_key_list_has(list, seed, id_of(i).text);
        invented += dsc_key_list_has(list, seed, id_of(made + i).text);
    }
    CU_ASSERT_EQUAL(missing, 0);
    CU_ASSERT(invented < 2 * 90);
    CU_ASSERT_FALSE(dsc_key_list_has(&state->database_slots[4].key_list, seed, id_of(1).text));
    CU_ASSERT_NOT_EQUAL(dsc_key_list_begin(list), half);
    CU_ASSERT(dsc_key_list_has(list, seed, id_of(1).text));
    half = dsc_key_list_begin(list);
    dsc_key_list_add(list, half, seed, id_of(2).text);
    dsc_key_list_show(list, half);
    CU_ASSERT_FALSE(dsc_key_list_has(list, seed, id_of(1).text));
    CU_ASSERT(dsc_key_list_has(list, seed, id_of(2).text));
}

enum {
    THREADS = 4,
    ROUNDS = 20000,
    KEYS = 64
};
static atomic_int torn, hits;

static void *hammer(void *baton)
{
    unsigned seed = (unsigned)(size_t)baton;
    int i;
    for (i = 0; i < ROUNDS; i++) {
        unsigned number = (seed = seed * 1103515245u + 12345u) >> 16 & (KEYS - 1);
        dsc_verified_key_t key = numbered(number, UINT64_MAX);
        dsc_verified_key_t found;
        key.generation = atomic_load(&state->database_slots[0].key_generation);
        if (dsc_key_cache_find(state, key.key_id, 0, 1, &found) == DSC_KEY_PRESENT) {
            hits++;
            torn += memcmp(&found, &key, sizeof(key)) != 0;
        } else {
            dsc_key_cache_keep(state, &key, 1);
        }
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[THREADS];
    size_t i;
    for (i = 0; i < THREADS; i++) {
        CU_ASSERT_FATAL(pthread_create(&threads[i], NULL, hammer, (void *)(i + 1)) == 0);
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    CU_ASSERT_EQUAL(torn, 0);
    CU_ASSERT(hits > ROUNDS);
}

void dsc_suite_shared_state(void)
{
    CU_pSuite suite = CU_add_suite("shared state", start, stop);
    CU_add_test(suite, "keys that are not known", test_unknown_keys);
    CU_add_test(suite, "database slots", test_database_slots);
    CU_add_test(suite, "database slots that were left", test_left_database_slots);
    CU_add_test(suite, "tables of another build", test_other_tables);
    CU_add_test(suite, "replica slots", test_replica_slots);
    CU_add_test(suite, "replicas named again", test_replicas_named_again);
    CU_add_test(suite, "a database that was never seen", test_never_seen);
    CU_add_test(suite, "keys are kept until they expire or a key is revoked", test_keep_and_find);
    CU_add_test(suite, "a full place", test_full_place);
    CU_add_test(suite, "the list of keys", test_key_list);
    CU_add_test(suite, "a slot that is being written", test_slot_being_written);
    CU_add_test(suite, "a writer that comes too late", test_late_writer);
    CU_add_test(suite, "slots whose writer was killed", test_stuck_keys);
    CU_add_test(suite, "threads never see half a key", test_threads);
}
