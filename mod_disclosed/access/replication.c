#include "access/replication.h"

#define SECOND UINT64_C(1000000)
/* A replica is looked at once a second; one that was not seen for so long is not relied on. */
#define SEEN_WITHIN (4 * SECOND)
/* Where small responses come and large ones do not, or not to all, looks see nothing of it. */
#define AVOIDED_FOR (5 * SECOND)
#define DOUBTED_FOR (60 * SECOND)

static const uint64_t intervals[DSC_WAL_SERIES] = {SECOND, 60 * SECOND};

/* Writes the next sample of a series, if that is due. */
static void add_sample(dsc_wal_series_t *series, uint64_t interval, uint64_t at, uint64_t position)
{
    uint64_t count = atomic_load(&series->count);
    dsc_wal_sample_t *sample = &series->samples[count % DSC_WAL_SAMPLES];

    if (count == 0 ||
        at - atomic_load(&series->samples[(count - 1) % DSC_WAL_SAMPLES].at) >= interval) {
        atomic_store(&sample->at, 0);
        atomic_store(&sample->position, position);
        atomic_store(&sample->at, at);
        atomic_store(&series->count, count + 1);
    }
}

void dsc_wal_note(dsc_wal_history_t *history, uint64_t at, uint64_t position)
{
    int i;

    for (i = 0; i < DSC_WAL_SERIES; i++) {
        add_sample(&history->series[i], intervals[i], at, position);
    }
    atomic_store(&history->position, position);
    atomic_store(&history->seen_at, at);
}

/* The time of the last sample that is no later than `position`; 0: none. */
static uint64_t time_in(const dsc_wal_series_t *series, uint64_t position)
{
    uint64_t count = atomic_load(&series->count), i;

    for (i = 1; i <= DSC_WAL_SAMPLES && i <= count; i++) {
        const dsc_wal_sample_t *sample = &series->samples[(count - i) % DSC_WAL_SAMPLES];
        uint64_t at = atomic_load(&sample->at);

        if (at != 0 && atomic_load(&sample->position) <= position &&
            atomic_load(&sample->at) == at) {
            return at;
        }
    }
    return 0;
}

/* The last time when the primary's WAL was seen to end no later than at `position`; 0: never. */
static uint64_t time_of(const dsc_wal_history_t *history, uint64_t position)
{
    uint64_t seen_at = atomic_load(&history->seen_at), latest = 0;
    int i;

    if (seen_at != 0 && position >= atomic_load(&history->position)) {
        return seen_at;
    }
    for (i = 0; i < DSC_WAL_SERIES; i++) {
        uint64_t at = time_in(&history->series[i], position);
        latest = at > latest ? at : latest;
    }
    return latest;
}

void dsc_replica_note(dsc_replica_slot_t *replica, const dsc_wal_history_t *history, uint64_t now,
                      uint64_t position)
{
    uint64_t end = atomic_load(&history->position), current_at = time_of(history, position);

    if (current_at > atomic_load(&replica->current_at)) {
        atomic_store(&replica->current_at, current_at);
    }
    atomic_store(&replica->lag_bytes, position < end ? end - position : 0);
    atomic_store(&replica->out_of_reach, 0);
    atomic_store(&replica->seen_at, now);
    atomic_store(&replica->looked_at, now);
}

void dsc_replica_missed(dsc_replica_slot_t *replica, uint64_t now)
{
    atomic_store(&replica->out_of_reach, 1);
    atomic_store(&replica->looked_at, now);
}

void dsc_replica_was_silent(dsc_replica_slot_t *replica, uint64_t now, int too_long)
{
    if (too_long) {
        atomic_store(&replica->avoided_until, now + AVOIDED_FOR);
    }
    if (too_long || now < atomic_load(&replica->doubted_until)) {
        atomic_store(&replica->doubted_until, now + DOUBTED_FOR);
    }
}

int dsc_replica_is_silent(const dsc_replica_slot_t *replica, uint64_t now)
{
    return atomic_load(&replica->out_of_reach) != 0 || now < atomic_load(&replica->doubted_until);
}

int dsc_replica_is_avoided(const dsc_replica_slot_t *replica, uint64_t now)
{
    return now < atomic_load(&replica->avoided_until);
}

uint64_t dsc_replica_lag(const dsc_replica_slot_t *replica, uint64_t now)
{
    uint64_t current_at = atomic_load(&replica->current_at);

    if (current_at == 0) {
        return UINT64_MAX;
    }
    return atomic_load(&replica->lag_bytes) == 0 || now < current_at ? 0 : now - current_at;
}

int dsc_replica_is_fit(const dsc_replica_slot_t *replica, uint64_t now, uint64_t bound)
{
    uint64_t seen_at = atomic_load(&replica->seen_at);

    return seen_at != 0 && atomic_load(&replica->out_of_reach) == 0 &&
           !dsc_replica_is_avoided(replica, now) &&
           (now < seen_at || now - seen_at < SEEN_WITHIN) && dsc_replica_lag(replica, now) <= bound;
}
