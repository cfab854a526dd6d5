/* How far replicas are behind their primary: in bytes of its WAL, and in time. The background
 * process notes where the primary's WAL ends and what a replica has replayed; serving processes
 * read it. Each value has one thread that writes it, and any thread may read it: all by atomics.
 * Times are those of dsc_monotonic_now(), in microseconds; positions are bytes; the caller passes
 * both. */
#ifndef DSC_REPLICATION_H
#define DSC_REPLICATION_H

#include <stdatomic.h>
#include <stdint.h>

enum {
    DSC_WAL_SAMPLES = 128,
    DSC_WAL_SERIES = 2 /* a sample a second, for two minutes, and one a minute, for two hours */
};

typedef struct {
    _Atomic uint64_t at, position; /* 0: being written, or free */
} dsc_wal_sample_t;

typedef struct {
    _Atomic uint64_t count; /* written so far */
    dsc_wal_sample_t samples[DSC_WAL_SAMPLES];
} dsc_wal_series_t;

/* Where a primary's WAL ended, and when. */
typedef struct {
    _Atomic uint64_t position, seen_at; /* as seen last; 0: never */
    dsc_wal_series_t series[DSC_WAL_SERIES];
} dsc_wal_history_t;

/* What is known of a replica. */
typedef struct {
    _Atomic uint64_t identity; /* hash of its connection string and the primary's; 0: free */
    _Atomic uint64_t looked_at;
    _Atomic uint64_t seen_at;      /* it responded; 0: never */
    _Atomic uint64_t out_of_reach; /* 1: the last look failed */
    _Atomic uint64_t lag_bytes;
    _Atomic uint64_t current_at;    /* it had all that the primary had then; 0: not known */
    _Atomic uint64_t avoided_until; /* calls have waited for it in vain; and until when others wait
                                       half as long */
    _Atomic uint64_t doubted_until;
    _Atomic uint64_t reads; /* calls that were read from it */
} dsc_replica_slot_t;

/* The primary's WAL ended at `position` at `at` or later. */
void dsc_wal_note(dsc_wal_history_t *history, uint64_t at, uint64_t position);

/* The replica has replayed up to `position`, at `now`. */
void dsc_replica_note(dsc_replica_slot_t *replica, const dsc_wal_history_t *history, uint64_t now,
                      uint64_t position);

/* It does not respond. */
void dsc_replica_missed(dsc_replica_slot_t *replica, uint64_t now);

/* A call has given up waiting for it: for longer than a server lets statements run or in the middle
 * of a response, so that its network is slow or cut; or before. */
void dsc_replica_was_silent(dsc_replica_slot_t *replica, uint64_t now, int too_long);

/* Whether it did not respond when it was looked at last, or calls have given up waiting for it. */
int dsc_replica_is_silent(const dsc_replica_slot_t *replica, uint64_t now);

/* Whether it gets no reads for now since calls have waited for it in vain. */
int dsc_replica_is_avoided(const dsc_replica_slot_t *replica, uint64_t now);

/* Microseconds by which the replica is behind; UINT64_MAX: not known. */
uint64_t dsc_replica_lag(const dsc_replica_slot_t *replica, uint64_t now);

/* Whether it was seen just now, and is behind by no more than `bound` microseconds. */
int dsc_replica_is_fit(const dsc_replica_slot_t *replica, uint64_t now, uint64_t bound);

#endif
