/* State that all httpd processes share: what the background process watches in each database
 * (versions of datasets, the generation of keys), and keys that were verified. Ages are measured
 * by a clock that does not step, and that all processes of the host share. Fixed sizes, no
 * pointers; every word changes by C11 atomics. Works on any zeroed memory, so it is tested without
 * httpd. */
#ifndef DSC_SHARED_STATE_H
#define DSC_SHARED_STATE_H

#include "access/counters.h"
#include "access/followed.h"
#include "access/key.h"
#include "access/key_list.h"
#include "access/limit_table.h"
#include "access/replication.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DSC_DATABASES = 16,     /* distinct ones of a configuration */
    DSC_REPLICAS = 32,      /* and their replicas */
    DSC_CONFIGURATIONS = 4, /* of a minute: restarts may replace all databases and replicas */
    DSC_DATABASE_SLOTS = DSC_CONFIGURATIONS * DSC_DATABASES,
    DSC_REPLICA_SLOTS = DSC_CONFIGURATIONS * DSC_REPLICAS,
    DSC_SHARED_DATASETS = 64,
    DSC_SHARED_KEYS = 4096,  /* slots of the key cache, a power of two */
    DSC_UNKNOWN_KEYS = 8192, /* ids of keys that the database did not know, a power of two */
    DSC_UNKNOWN_SECONDS =
        2, /* for which they are remembered: so soon a key works that is made meanwhile */
    DSC_RATE_SECONDS = 10
};

/* The delivery worker's state of webhooks. Times are microseconds since 1970; 0: nothing is
 * queued, or due. */
typedef struct {
    _Atomic uint64_t waiting;           /* deliveries */
    _Atomic uint64_t queued_since;      /* the oldest of them */
    _Atomic uint64_t due_since;         /* the one that is overdue longest */
    _Atomic uint64_t delivered, failed; /* attempts of this httpd */
    _Atomic uint64_t put_back;          /* deliveries that this httpd could not send */
    _Atomic uint64_t obstructed_since;  /* what keeps it from sending; 0: nothing */
    _Atomic uint64_t obstructed_endpoints;
    _Atomic uint64_t news; /* grows with each notification of PostgreSQL's */
} dsc_webhook_counter_t;

/* Why a database that responds cannot be watched. */
typedef enum {
    DSC_NOT_REFUSED,
    DSC_NO_TABLES, /* it has none of ours */
    DSC_NO_RIGHTS  /* the role may not read them */
} dsc_refused_t;

/* What is known of one database. */
typedef struct {
    _Atomic uint64_t identity; /* hash of the connection string; 0: free */
    _Atomic uint64_t
        looked_at;            /* when the watcher last wanted to read it, by dsc_monotonic_now() */
    _Atomic uint64_t seen_at; /* when the watcher last read it, by dsc_monotonic_now(); 0: never */
    _Atomic uint64_t out_of_reach; /* 1: it could not, the last time */
    _Atomic uint64_t key_generation;
    _Atomic uint64_t
        unlisted; /* the bucket of look-ups of keys that are not listed: see limit_table.h */
    _Atomic uint64_t
        listed; /* the same of those that are, behind addresses that are over their limit */
    _Atomic uint64_t schema;  /* number of the last migration; 0: never seen */
    _Atomic uint64_t refused; /* a dsc_refused_t */
    dsc_webhook_counter_t webhooks;
    _Atomic uint64_t versions[DSC_SHARED_DATASETS]; /* 0: never seen */
    dsc_wal_history_t wal;                          /* of primaries with replicas */
    dsc_followed_t followed;
    dsc_key_list_t key_list;
} dsc_database_slot_t;

enum {
    DSC_KEY_WORDS = 19,      /* of every key */
    DSC_KEY_RULE_WORDS = 88, /* of its rules, behind them */
    DSC_KEY_SCOPES_SIZE = 256,
    DSC_KEY_ADDRESSES_SIZE = 448
};

/* A key, under a sequence lock: `sequence` is odd while it is being written. `check` is of the
 * words: what a writer that was taken for dead writes late makes the row none, and not a mixture of
 * two keys. */
typedef struct {
    _Atomic uint64_t sequence;
    _Atomic uint64_t check;
    _Atomic uint64_t words[DSC_KEY_WORDS + DSC_KEY_RULE_WORDS];
} dsc_key_slot_t;

/* The id of a key that the database did not know, and which database. Writers may mix what two of
 * them write, because either was unknown just then. */
typedef struct {
    _Atomic uint64_t tag;
    _Atomic uint64_t until; /* by dsc_monotonic_now(); 0: free */
} dsc_unknown_key_t;

typedef struct {
    uint64_t magic;
    uint32_t version;
    uint32_t size;
    uint64_t tables; /* hash of the names of datasets and endpoints, in the order of their places */
    dsc_database_slot_t database_slots[DSC_DATABASE_SLOTS];
    dsc_replica_slot_t replica_slots[DSC_REPLICA_SLOTS];
    dsc_key_slot_t keys[DSC_SHARED_KEYS];
    dsc_unknown_key_t unknown_keys[DSC_UNKNOWN_KEYS];
    dsc_limit_table_t limits;
    /* Requests that the slot of the same place has allowed in the last DSC_RATE_SECONDS. */
    _Atomic uint32_t rates[DSC_LIMIT_SLOTS];
    dsc_counters_t counters;
} dsc_shared_state_t;

/* What the database has of a key: by it a whole key is verified, and who it stands for. Numbers of
 * its own are UINT64_MAX if its plan's hold. */
typedef struct {
    unsigned char digest[DSC_KEY_DIGEST_SIZE];
    unsigned char salt[DSC_KEY_SALT_SIZE];
    uint64_t account_id;
    uint64_t valid_until; /* of the cache entry, by dsc_monotonic_now() */
    uint64_t generation;  /* key_generation when it was read */
    uint32_t database_slot;
    uint16_t live;
    uint16_t has_rules;                     /* scopes or addresses; if not, they are not kept */
    char key_id[8];                         /* not NUL-terminated */
    char plan[32];                          /* NUL-padded */
    uint64_t rate_interval;                 /* nanoseconds for each request */
    uint64_t burst;                         /* requests */
    uint64_t day_quota;                     /* requests */
    uint64_t credits;                       /* in a month */
    char scopes[DSC_KEY_SCOPES_SIZE];       /* patterns with spaces between; empty: any endpoint */
    char addresses[DSC_KEY_ADDRESSES_SIZE]; /* networks with spaces between; empty: any address */
} dsc_verified_key_t;

/* Makes zeroed memory a state; 0 if the system has no random bytes. */
int dsc_shared_state_init(dsc_shared_state_t *state);

/* Whether memory of that size holds a state of this build. */
int dsc_shared_state_fits(const dsc_shared_state_t *state, size_t size);

/* The slot of a database, by a hash of its connection string that is not 0; takes a free one when
 * it is new, or one that has not been looked at for a minute, by `now`, and forgets what is known
 * of the database that had it. -1 when all are taken. For one thread at a time. */
int dsc_database_slot(dsc_shared_state_t *state, uint64_t identity, uint64_t now);

/* The database is wanted again: its slot, if it has one, goes to no other for a minute. */
void dsc_database_keep(dsc_shared_state_t *state, uint64_t identity, uint64_t now);

/* Whether the watcher has read the database within so many microseconds, by `now`. */
int dsc_database_was_seen(const dsc_database_slot_t *slot, uint64_t now, int64_t within);

/* The same as dsc_database_slot() for a replica. */
int dsc_replica_slot(dsc_shared_state_t *state, uint64_t identity, uint64_t now);

typedef enum {
    DSC_KEY_ABSENT = 0,
    DSC_KEY_PRESENT,
    DSC_KEY_OLD /* read too long ago, or before a revocation */
} dsc_key_cached_t;

/* Looks a key up by its id. */
dsc_key_cached_t dsc_key_cache_find(dsc_shared_state_t *state, const char key_id[8],
                                    uint32_t database_slot, uint64_t now, dsc_verified_key_t *key);

/* Keeps a key, in place of the one that expires first when its slots are taken. A slot that
 * another writer holds is left alone: the key is then read once more. */
void dsc_key_cache_keep(dsc_shared_state_t *state, const dsc_verified_key_t *key, uint64_t now);

/* What a look for slots saw whose writers may have been killed. */
typedef struct {
    dsc_limit_stuck_t limits;
    unsigned char usage[DSC_USAGE_SLOTS];
    uint64_t keys[DSC_SHARED_KEYS]; /* their sequences */
} dsc_stuck_t;

/* Frees them if they are as they were at the last look: see dsc_limit_free_stuck(). */
void dsc_shared_state_free_stuck(dsc_shared_state_t *state, dsc_stuck_t *seen);

/* No key of the database slot is known any more. */
void dsc_key_cache_forget(dsc_shared_state_t *state, uint32_t database_slot);

/* Whether the database did not know a key of that id a moment ago, and remembering that. */
int dsc_key_is_unknown(const dsc_shared_state_t *state, const char key_id[8],
                       uint32_t database_slot, uint64_t now);
void dsc_key_keep_unknown(dsc_shared_state_t *state, const char key_id[8], uint32_t database_slot,
                          uint64_t now);

/* What dsc_key_list_...() of this state are called with. */
uint64_t dsc_key_list_seed(const dsc_shared_state_t *state);

#endif
