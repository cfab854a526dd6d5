#include "module/report_replicas.h"

#include "engine/outage.h"
#include "module/report_follow.h"
#include "module/watched.h"

#include <apr_strings.h>
#include <http_protocol.h>
#include <util_script.h>

/* ---------------------------------------------------------------------- figures */

/* Seconds of lag, as text; "NaN" if they are not known. */
static const char *lag_seconds(request_rec *r, const dsc_replica_slot_t *slot)
{
    uint64_t lag = dsc_replica_lag(slot, (uint64_t)dsc_monotonic_now());
    return lag == UINT64_MAX ? "NaN"
                             : apr_psprintf(r->pool, "%.3f", (double)lag / APR_USEC_PER_SEC);
}

static const char *lag_bytes(request_rec *r, const dsc_replica_slot_t *slot)
{
    return apr_psprintf(r->pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)atomic_load(&slot->lag_bytes));
}

static const char *reads(request_rec *r, const dsc_replica_slot_t *slot)
{
    return apr_psprintf(r->pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)atomic_load(&slot->reads));
}

/* Each has a value for every replica. */
static const struct {
    const char *name, *type, *help;
    const char *(*value)(request_rec *r, const dsc_replica_slot_t *slot);
} figures[] = {
    {"replica_lag_bytes", "gauge", "Bytes of WAL that the replica has not replayed.", lag_bytes},
    {"replica_lag_seconds", "gauge", "Since the replica had all that the primary had.",
     lag_seconds},
    {"replica_reads_total", "counter", "Requests that were read from the replica.", reads},
};

/* Calls back with each replica of each database. */
typedef void print_t(request_rec *r, const dsc_watched_t *database,
                     const dsc_watched_replica_t *replica, const dsc_replica_slot_t *slot,
                     const void *baton);

static void each(request_rec *r, const dsc_shared_state_t *state, print_t *print, const void *baton)
{
    int i, j;
    for (i = 0; i < dsc_watched_count(); i++) {
        const dsc_watched_t *database = dsc_watched_at(i);
        for (j = 0; j < database->replicas->nelts; j++) {
            const dsc_watched_replica_t *replica =
                &APR_ARRAY_IDX(database->replicas, j, dsc_watched_replica_t);
            print(r, database, replica, &state->replica_slots[replica->slot], baton);
        }
    }
}

/* Whether it gets reads, by the bound of the first server that names it. */
static int is_fit(const dsc_watched_replica_t *replica, const dsc_replica_slot_t *slot)
{
    return dsc_replica_is_fit(slot, (uint64_t)dsc_monotonic_now(), (uint64_t)replica->bound);
}

/* ---------------------------------------------------------------------- metrics */

static void print_figure(request_rec *r, const dsc_watched_t *database,
                         const dsc_watched_replica_t *replica, const dsc_replica_slot_t *slot,
                         const void *baton)
{
    const size_t *i = baton;
    ap_rprintf(r, "disclosed_%s{database=\"%d\",replica=\"%s\"} %s\n", figures[*i].name,
               database->database_slot, dsc_report_label(r, replica->name),
               figures[*i].value(r, slot));
}

static void print_state(request_rec *r, const dsc_watched_t *database,
                        const dsc_watched_replica_t *replica, const dsc_replica_slot_t *slot,
                        const void *baton)
{
    (void)baton;
    ap_rprintf(r, "disclosed_replica_is_read{database=\"%d\",replica=\"%s\"} %d\n",
               database->database_slot, dsc_report_label(r, replica->name), is_fit(replica, slot));
}

static int has_replicas(void)
{
    int i, count = 0;
    for (i = 0; i < dsc_watched_count(); i++) {
        count += dsc_watched_at(i)->replicas->nelts;
    }
    return count > 0;
}

void dsc_report_replicas_metrics(request_rec *r, const dsc_shared_state_t *state)
{
    size_t i;
    if (!has_replicas()) {
        return;
    }
    for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        ap_rprintf(r, "# HELP disclosed_%s %s\n# TYPE disclosed_%s %s\n", figures[i].name,
                   figures[i].help, figures[i].name, figures[i].type);
        each(r, state, print_figure, &i);
    }
    ap_rputs("# HELP disclosed_replica_is_read Whether the replica gets reads.\n"
             "# TYPE disclosed_replica_is_read gauge\n",
             r);
    each(r, state, print_state, NULL);
}

/* ------------------------------------------------------------------- mod_status */

static void print_line(request_rec *r, const dsc_watched_t *database,
                       const dsc_watched_replica_t *replica, const dsc_replica_slot_t *slot,
                       const void *baton)
{
    const int *is_short = baton;
    const char *name = *is_short ? replica->name : ap_escape_html(r->pool, replica->name);
    const char *state = is_fit(replica, slot) ? "read" : "not read";

    ap_rprintf(r,
               *is_short ? "DisclosedReplica%d.%s: %s, %s seconds, %s bytes behind, %s reads\n"
                         : "<dt>database %d, replica %s: %s, %s seconds, %s bytes behind, %s "
                           "reads</dt>\n",
               database->database_slot, name, state, lag_seconds(r, slot), lag_bytes(r, slot),
               reads(r, slot));
}

void dsc_report_replicas_status(request_rec *r, const dsc_shared_state_t *state, int is_short)
{
    each(r, state, print_line, &is_short);
}
