#include "engine/replicas.h"

#include <limits.h>
#include <stdlib.h>

#define EVERY_REPLICA UINT64_MAX

static uint64_t bit_of(int replica)
{
    return UINT64_C(1) << replica;
}

/* ---------------------------------------------------------------------- choice */

static int is_open_to(const dsc_call_t *call, int replica)
{
    const dsc_service_t *service = call->service;

    return !(call->reading.tried & bit_of(replica)) &&
           service->replica_is_fit(replica, service->watch_baton);
}

/* The number of the replica to read from, from 1 on; 0: none, so the primary. A call that has begun
 * stays where it is. */
static int choose(const dsc_call_t *call)
{
    dsc_replicas_t *replicas = call->service->replicas;
    int i, chosen = 0, fewest = 0;
    unsigned next;

    if (!replicas || (call->endpoint->flags & DSC_FROM_PRIMARY) ||
        call->reading.tried == EVERY_REPLICA) {
        return 0;
    }
    if (call->reading.replica && !(call->reading.tried & bit_of(call->reading.replica - 1))) {
        return call->reading.replica;
    }
    next = replicas->next++;
    for (i = 0; i < replicas->count; i++) {
        int replica = (int)((next + (unsigned)i) % (unsigned)replicas->count);
        dsc_database_counters_t counters;

        if (is_open_to(call, replica)) {
            dsc_database_counters(replicas->all[replica].database, &counters);
            if (!chosen || counters.in_use < fewest) {
                chosen = replica + 1;
                fewest = counters.in_use;
            }
        }
    }
    return chosen;
}

/* -------------------------------------------------------------------- versions */

/* Whether what the call reads has versions. */
static int is_versioned(const dsc_call_t *call)
{
    return call->route.operation && call->route.operation->dataset_mask;
}

/* Whether the rows' versions are no older than those that the primary is known to have; sets their
 * sum. */
static int compare_versions(const dsc_call_t *call, dsc_result_t *rows, unsigned long long *sum)
{
    const dsc_service_t *service = call->service;
    uint64_t mask = call->route.operation->dataset_mask;
    unsigned long long versions[64] = {0};
    int i, is_current = 1;

    while (dsc_result_next(rows)) {
        int dataset = dsc_dataset_index(dsc_result_text(rows, 0));
        if (dataset >= 0 && dataset < 64) {
            versions[dataset] = strtoull(dsc_result_text(rows, 1), NULL, 10);
        }
    }
    *sum = 0;
    for (i = 0; i < 64; i++) {
        if (mask >> i & 1) {
            unsigned long long known = service->version(i, service->watch_baton);

            *sum += 1 + versions[i];
            is_current &= known != 0 && known <= 1 + versions[i];
        }
    }
    return is_current;
}

static dsc_database_status_t read_versions(dsc_call_t *call, dsc_result_t **rows)
{
    static const dsc_statement_t statement = {
        "SELECT dataset, version::text FROM dataset_stat", 0, NULL, 0, NULL, NULL};

    return dsc_select(call->session, &statement, rows);
}

/* Sees on a new session how far its server has come, before rows are read. A replica that begins
 * anew may begin with less than it had, so its connection must not change after that. */
static dsc_database_status_t look_at_versions(dsc_call_t *call)
{
    dsc_reading_t *reading = &call->reading;
    unsigned long long sum;
    dsc_result_t *rows;
    dsc_database_status_t status;
    int is_current;

    if (!is_versioned(call)) {
        return DSC_DATABASE_OK;
    }
    status = read_versions(call, &rows);
    if (status != DSC_DATABASE_OK) {
        return status;
    }
    if (reading->replica) {
        dsc_session_bind(call->session);
    }
    is_current = compare_versions(call, rows, &sum);
    if (reading->replica && sum < reading->position) {
        return DSC_DATABASE_UNAVAILABLE; /* here the call has not happened yet */
    }
    reading->position = sum;
    if (!is_current && !call->is_started && call->etag) {
        reading->withheld = call->etag;
        call->etag = NULL;
    }
    reading->is_behind |= !is_current && reading->replica;
    return DSC_DATABASE_OK;
}

void dsc_reading_mark(dsc_call_t *call)
{
    dsc_result_t *rows;

    if (!call->service->replicas || !is_versioned(call)) {
        return;
    }
    if (call->session && read_versions(call, &rows) == DSC_DATABASE_OK) {
        (void)compare_versions(call, rows, &call->reading.position);
    } else {
        call->reading.position = ULLONG_MAX; /* for the primary alone */
    }
}

/* -------------------------------------------------------------------- sessions */

static dsc_database_status_t begin_on(dsc_call_t *call, dsc_database_t *database)
{
    const dsc_session_user_t user = {dsc_call_account(call),
                                     (call->endpoint->flags & DSC_SEARCHES) != 0};
    dsc_database_status_t status = dsc_session_acquire(database, dsc_call_query_pool(call), user,
                                                       call->reading.deadline, &call->session);

    if (status == DSC_DATABASE_OK && call->service->replicas) {
        status = look_at_versions(call);
    }
    if (status != DSC_DATABASE_OK) {
        dsc_reading_failed(call);
    }
    return status;
}

dsc_database_status_t dsc_reading_begin(dsc_call_t *call)
{
    dsc_replicas_t *replicas = call->service->replicas;
    int before = call->reading.replica, chosen;

    while ((chosen = choose(call)) != 0) {
        const dsc_replica_t *replica = &replicas->all[chosen - 1];

        call->reading.replica = chosen;
        if (begin_on(call, replica->database) == DSC_DATABASE_OK) {
            *replica->reads += chosen != before;
            return DSC_DATABASE_OK;
        }
        call->reading.tried |= bit_of(chosen - 1);
    }
    call->reading.replica = 0;
    call->reading.tried = EVERY_REPLICA;
    return begin_on(call, call->service->database);
}

void dsc_reading_failed(dsc_call_t *call)
{
    const dsc_service_t *service = call->service;
    dsc_silence_t silence;

    if (!call->session) {
        return;
    }
    silence = dsc_session_silence(call->session);
    dsc_session_release(call->session);
    call->session = NULL;
    if (call->reading.replica && silence != DSC_NOT_SILENT) {
        service->replica_was_silent(call->reading.replica - 1, silence == DSC_SILENT_TOO_LONG,
                                    service->watch_baton);
    }
}

int dsc_reading_has_another(dsc_call_t *call)
{
    if (!call->reading.replica || dsc_monotonic_now() >= call->reading.deadline) {
        return 0;
    }
    call->reading.tried |= bit_of(call->reading.replica - 1);
    return 1;
}

int dsc_reading_on_primary(dsc_call_t *call)
{
    if (!call->reading.is_behind) {
        return 0;
    }
    call->reading.tried = EVERY_REPLICA;
    call->reading.is_behind = 0;
    call->etag = call->reading.withheld;
    return 1;
}
