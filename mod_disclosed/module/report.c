#include "module/report.h"

#include "access/limit.h"
#include "engine/dataset.h"
#include "engine/outage.h"
#include "module/config.h"
#include "module/observe.h"
#include "module/request_body.h"
#include "module/report_follow.h"
#include "module/report_replicas.h"
#include "module/wake.h"
#include "module/watched.h"
#include "module/watcher.h"

#include <apr_optional_hooks.h>
#include <apr_strings.h>
#include <http_protocol.h>
#include <http_request.h>
#include <mod_status.h>

enum {
    TOP_KEYS = 10,
    FRESH_SECONDS = 5 /* so old may what the background process has seen be */
};

static dsc_shared_state_t *shared;
static const dsc_registry_t *registry;
static const apr_array_header_t *caches;

void dsc_report_init(dsc_shared_state_t *state, const dsc_registry_t *operations,
                     const apr_array_header_t *caches_)
{
    shared = state;
    registry = operations;
    caches = caches_;
}

/* ---------------------------------------------------------------------- figures */

/* Connections and statements of all live processes together. */
typedef struct {
    apr_int64_t open, in_use, waiting, statements;
} pools_t;

static pools_t sum_pools(void)
{
    pools_t all = {0, 0, 0, 0};
    int i;
    for (i = 0; i < DSC_COUNTED_PROCESSES; i++) {
        dsc_pool_counter_t *pool = &shared->counters.pools[i];
        uint64_t process = atomic_load(&pool->process);
        if (process && dsc_process_is_alive(process)) {
            all.open += atomic_load(&pool->open);
            all.in_use += atomic_load(&pool->in_use);
            all.waiting += atomic_load(&pool->waiting);
            all.statements += atomic_load(&pool->statements);
        }
    }
    return all;
}

static uint64_t count_status(int status)
{
    uint64_t all = 0;
    int i, j;
    for (i = 0; i < DSC_COUNTED_STATUSES; i++) {
        for (j = 0; dsc_counted_statuses[i] == status && j < DSC_COUNTED_OPERATIONS; j++) {
            all += atomic_load(&shared->counters.operations[j].statuses[i]);
        }
    }
    return all;
}

static const char *const slot_kinds[] = {[0] = "free",
                                         [DSC_LIMIT_KEY] = "key",
                                         [DSC_LIMIT_ACCOUNT] = "account",
                                         [DSC_LIMIT_TESTING] = "test_account",
                                         [DSC_LIMIT_ADDRESS] = "address",
                                         [DSC_LIMIT_EARLIER] = "earlier",
                                         [DSC_LIMIT_EARLIER_TESTING] = "test_earlier"};

static void count_slots(uint64_t counts[DSC_LIMIT_KINDS])
{
    int i;
    memset(counts, 0, DSC_LIMIT_KINDS * sizeof(*counts));
    for (i = 0; i < DSC_LIMIT_SLOTS; i++) {
        uint32_t database_slot;
        uint64_t number;
        counts[dsc_limit_owner(&shared->limits.slots[i], &database_slot, &number) %
               DSC_LIMIT_KINDS]++;
        counts[dsc_limit_owner(&shared->limits.addresses[i], &database_slot, &number) %
               DSC_LIMIT_KINDS]++;
    }
}

typedef struct {
    char key_id[9];
    uint32_t rate;
} top_key_t;

/* The keys with the most requests in the last sample, most first; returns how many there are. */
static int top_keys(top_key_t top[TOP_KEYS])
{
    int i, j, count = 0;
    for (i = 0; i < DSC_LIMIT_SLOTS; i++) {
        uint32_t database_slot, rate = atomic_load(&shared->rates[i]);
        uint64_t number;
        if (rate == 0 ||
            dsc_limit_owner(&shared->limits.slots[i], &database_slot, &number) != DSC_LIMIT_KEY) {
            continue;
        }
        for (j = count < TOP_KEYS ? count++ : TOP_KEYS; j > 0 && top[j - 1].rate < rate; j--) {
            if (j < TOP_KEYS) {
                top[j] = top[j - 1];
            }
        }
        if (j < TOP_KEYS) {
            dsc_limit_key_id(number, top[j].key_id);
            top[j].rate = rate;
        }
    }
    return count;
}

/* Seconds since the background process last read the database, which it is asked to do now. */
static double age_of(int database_slot)
{
    apr_time_t seen_at;
    dsc_wake(shared, database_slot);
    seen_at = (apr_time_t)atomic_load(&shared->database_slots[database_slot].seen_at);
    return (double)(dsc_monotonic_now() - seen_at) / APR_USEC_PER_SEC;
}

/* When the dataset last changed, seconds since 1970; 0 if it never was loaded. */
static double changed_at(const dsc_database_slot_t *database_slot, int dataset)
{
    uint64_t version = atomic_load(&database_slot->versions[dataset]);
    return version > 1 ? (double)(version - 1) / APR_USEC_PER_SEC : 0;
}

/* ---------------------------------------------------------------------- metrics */

static void print_head(request_rec *r, const char *name, const char *type, const char *help)
{
    ap_rprintf(r, "# HELP disclosed_%s %s\n# TYPE disclosed_%s %s\n", name, help, name, type);
}

static const char *operation_name(int place)
{
    return place < registry->count ? registry->operations[place].endpoint->name : "none";
}

static int is_counted(int place)
{
    return place < registry->count || place == DSC_COUNTED_OPERATIONS - 1;
}

static void print_requests(request_rec *r)
{
    int i, j;
    print_head(r, "requests_total", "counter", "Requests by endpoint and status.");
    for (i = 0; i < DSC_COUNTED_OPERATIONS; i++) {
        for (j = 0; is_counted(i) && j < DSC_COUNTED_STATUSES; j++) {
            uint64_t count = atomic_load(&shared->counters.operations[i].statuses[j]);
            if (count) {
                ap_rprintf(r,
                           "disclosed_requests_total{endpoint=\"%s\",status=\"%s\"} "
                           "%" APR_UINT64_T_FMT "\n",
                           operation_name(i),
                           dsc_counted_statuses[j] ? apr_itoa(r->pool, dsc_counted_statuses[j])
                                                   : "other",
                           (apr_uint64_t)count);
            }
        }
    }
}

static void print_histogram(request_rec *r, int place)
{
    const dsc_operation_counter_t *counter = &shared->counters.operations[place];
    const char *name = operation_name(place);
    uint64_t all = 0;
    int i;
    for (i = 0; i < DSC_COUNTED_TIMES; i++) {
        all += atomic_load(&counter->times[i]);
        ap_rprintf(r,
                   "disclosed_request_duration_seconds_bucket{endpoint=\"%s\",le=\"%s\"} "
                   "%" APR_UINT64_T_FMT "\n",
                   name,
                   dsc_counted_times[i] == UINT64_MAX
                       ? "+Inf"
                       : apr_psprintf(r->pool, "%g", (double)dsc_counted_times[i] / 1e6),
                   (apr_uint64_t)all);
    }
    ap_rprintf(r, "disclosed_request_duration_seconds_sum{endpoint=\"%s\"} %.6f\n", name,
               (double)atomic_load(&counter->microseconds) / 1e6);
    ap_rprintf(r,
               "disclosed_request_duration_seconds_count{endpoint=\"%s\"} %" APR_UINT64_T_FMT "\n",
               name, (apr_uint64_t)all);
}

static void print_times(request_rec *r)
{
    int i, j;
    print_head(r, "request_duration_seconds", "histogram",
               "Time from the request line to the end of the response.");
    for (i = 0; i < DSC_COUNTED_OPERATIONS; i++) {
        uint64_t all = 0;
        for (j = 0; is_counted(i) && j < DSC_COUNTED_TIMES; j++) {
            all += atomic_load(&shared->counters.operations[i].times[j]);
        }
        if (all) {
            print_histogram(r, i);
        }
    }
}

static void print_gauges(request_rec *r)
{
    pools_t pools = sum_pools();
    uint64_t slots[DSC_LIMIT_KINDS];
    int i;
    print_head(r, "database_connections", "gauge", "Connections of all httpd processes.");
    ap_rprintf(r,
               "disclosed_database_connections{state=\"open\"} %" APR_INT64_T_FMT "\n"
               "disclosed_database_connections{state=\"in_use\"} %" APR_INT64_T_FMT "\n"
               "disclosed_database_connections{state=\"waiting\"} %" APR_INT64_T_FMT "\n",
               pools.open, pools.in_use, pools.waiting);
    print_head(r, "database_statements_prepared_total", "counter",
               "Statements that live processes have prepared.");
    ap_rprintf(r, "disclosed_database_statements_prepared_total %" APR_INT64_T_FMT "\n",
               pools.statements);
    print_head(r, "limit_slots", "gauge", "Slots of the tables of rate limits.");
    count_slots(slots);
    for (i = 0; i < DSC_LIMIT_KINDS; i++) {
        ap_rprintf(r, "disclosed_limit_slots{kind=\"%s\"} %" APR_UINT64_T_FMT "\n", slot_kinds[i],
                   (apr_uint64_t)slots[i]);
    }
    print_head(r, "limit_evictions_total", "counter", "Slots that were given to another.");
    ap_rprintf(r, "disclosed_limit_evictions_total %" APR_UINT64_T_FMT "\n",
               (apr_uint64_t)atomic_load(&shared->limits.evictions));
    print_head(r, "usage_lost_total", "counter", "Requests missing from the usage of keys.");
    ap_rprintf(r, "disclosed_usage_lost_total %" APR_UINT64_T_FMT "\n",
               (apr_uint64_t)atomic_load(&shared->counters.usage_lost));
}

static void print_lookups(request_rec *r)
{
    const dsc_lookup_counter_t *lookups = &shared->counters.lookups;
    print_head(r, "key_lookups_total", "counter",
               "Keys that were looked up in the database; withheld: their address sent too many; "
               "unlisted: all addresses sent too many that were never made.");
    ap_rprintf(r,
               "disclosed_key_lookups_total{result=\"good\"} %" APR_UINT64_T_FMT "\n"
               "disclosed_key_lookups_total{result=\"bad\"} %" APR_UINT64_T_FMT "\n"
               "disclosed_key_lookups_total{result=\"withheld\"} %" APR_UINT64_T_FMT "\n"
               "disclosed_key_lookups_total{result=\"unlisted\"} %" APR_UINT64_T_FMT "\n",
               (apr_uint64_t)atomic_load(&lookups->good), (apr_uint64_t)atomic_load(&lookups->bad),
               (apr_uint64_t)atomic_load(&lookups->withheld),
               (apr_uint64_t)atomic_load(&lookups->unlisted));
}

/* What is counted of the cache of responses: a metric with a label, and a figure of the status
 * page. */
static const struct {
    const char *metric, *label, *name, *words;
    size_t offset;
} cache_figures[] = {
    {"cache_requests_total", "result=\"hit\"", "CacheHits", "responses from the cache",
     APR_OFFSETOF(dsc_cache_counter_t, hits)},
    {"cache_requests_total", "result=\"compressed_hit\"", "CacheCompressedHits",
     "... that were compressed already", APR_OFFSETOF(dsc_cache_counter_t, compressed_hits)},
    {"cache_requests_total", "result=\"miss\"", "CacheMisses", "... that were not in it",
     APR_OFFSETOF(dsc_cache_counter_t, misses)},
    {"cache_stores_total", "result=\"stored\"", "CacheStored", "... put into it",
     APR_OFFSETOF(dsc_cache_counter_t, stored)},
    {"cache_stores_total", "result=\"too_large\"", "CacheTooLarge", "... too large for it",
     APR_OFFSETOF(dsc_cache_counter_t, too_large)},
    {"cache_stores_total", "result=\"failed\"", "CacheFailed", "... that it did not take",
     APR_OFFSETOF(dsc_cache_counter_t, failed)},
};

static uint64_t cache_figure(size_t place)
{
    const char *counter = (const char *)&shared->counters.cache;
    return atomic_load(
        (const _Atomic uint64_t *)(const void *)(counter + cache_figures[place].offset));
}

static void print_cache(request_rec *r)
{
    size_t i;
    for (i = 0; i < sizeof(cache_figures) / sizeof(cache_figures[0]); i++) {
        const char *metric = cache_figures[i].metric;
        if (i == 0 || strcmp(metric, cache_figures[i - 1].metric) != 0) {
            print_head(r, metric, "counter",
                       i == 0 ? "Responses that are cached, by where they came from."
                              : "Responses that were to be put into the cache.");
        }
        ap_rprintf(r, "disclosed_%s{%s} %" APR_UINT64_T_FMT "\n", metric, cache_figures[i].label,
                   (apr_uint64_t)cache_figure(i));
    }
}

/* Figures of webhooks that have one value for each database. */
static const struct {
    const char *name, *help;
    size_t offset;
    int is_age; /* reported as the seconds since then */
} webhook_gauges[] = {
    {"webhook_deliveries_waiting", "Deliveries that wait, for the first attempt or the next.",
     APR_OFFSETOF(dsc_webhook_counter_t, waiting), 0},
    {"webhook_queue_age_seconds", "Since the oldest delivery that waits was queued.",
     APR_OFFSETOF(dsc_webhook_counter_t, queued_since), 1},
    {"webhook_overdue_seconds", "Since the longest overdue attempt should have been made.",
     APR_OFFSETOF(dsc_webhook_counter_t, due_since), 1},
    {"webhook_obstructed_seconds", "Since a failure of this host keeps it from sending; 0: none.",
     APR_OFFSETOF(dsc_webhook_counter_t, obstructed_since), 1},
    {"webhook_obstructed_endpoints", "Endpoints that this host cannot send to.",
     APR_OFFSETOF(dsc_webhook_counter_t, obstructed_endpoints), 0},
};

static uint64_t webhook_figure(const dsc_webhook_counter_t *counter, size_t offset)
{
    return atomic_load((const _Atomic uint64_t *)(const void *)((const char *)counter + offset));
}

static void print_webhooks(request_rec *r)
{
    size_t i;
    int j;
    for (i = 0; i < sizeof(webhook_gauges) / sizeof(webhook_gauges[0]); i++) {
        print_head(r, webhook_gauges[i].name, "gauge", webhook_gauges[i].help);
        for (j = 0; j < dsc_watched_count(); j++) {
            int slot = dsc_watched_at(j)->database_slot;
            uint64_t figure =
                webhook_figure(&shared->database_slots[slot].webhooks, webhook_gauges[i].offset);
            ap_rprintf(r, "disclosed_%s{database=\"%d\"} %s\n", webhook_gauges[i].name, slot,
                       webhook_gauges[i].is_age
                           ? apr_psprintf(r->pool, "%.3f", dsc_report_age(figure))
                           : apr_psprintf(r->pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)figure));
        }
    }
    print_head(r, "webhook_attempts_total", "counter", "Attempts that this httpd has made.");
    for (j = 0; j < dsc_watched_count(); j++) {
        int slot = dsc_watched_at(j)->database_slot;
        dsc_webhook_counter_t *counter = &shared->database_slots[slot].webhooks;
        ap_rprintf(r,
                   "disclosed_webhook_attempts_total{database=\"%d\",result=\"delivered\"} "
                   "%" APR_UINT64_T_FMT "\n"
                   "disclosed_webhook_attempts_total{database=\"%d\",result=\"failed\"} "
                   "%" APR_UINT64_T_FMT "\n",
                   slot, (apr_uint64_t)atomic_load(&counter->delivered), slot,
                   (apr_uint64_t)atomic_load(&counter->failed));
    }
    print_head(
        r, "webhook_put_back_total", "counter",
        "Deliveries that this httpd could not send, for a failure of its host: no attempts.");
    for (j = 0; j < dsc_watched_count(); j++) {
        int slot = dsc_watched_at(j)->database_slot;
        ap_rprintf(r, "disclosed_webhook_put_back_total{database=\"%d\"} %" APR_UINT64_T_FMT "\n",
                   slot,
                   (apr_uint64_t)atomic_load(&shared->database_slots[slot].webhooks.put_back));
    }
}

static void print_databases(request_rec *r)
{
    int i, j;
    print_head(r, "database_seen_age_seconds", "gauge",
               "Since the background process last read the database.");
    for (i = 0; i < dsc_watched_count(); i++) {
        int slot = dsc_watched_at(i)->database_slot;
        ap_rprintf(r, "disclosed_database_seen_age_seconds{database=\"%d\"} %.3f\n", slot,
                   age_of(slot));
    }
    print_head(r, "dataset_changed_timestamp_seconds", "gauge",
               "When the dataset was last changed; 0: never.");
    for (i = 0; i < dsc_watched_count(); i++) {
        int slot = dsc_watched_at(i)->database_slot;
        for (j = 0; dsc_datasets[j]; j++) {
            ap_rprintf(r,
                       "disclosed_dataset_changed_timestamp_seconds{database=\"%d\",dataset=\"%s\"}"
                       " %.6f\n",
                       slot, dsc_datasets[j]->name, changed_at(&shared->database_slots[slot], j));
        }
    }
    print_webhooks(r);
}

static int respond_metrics(request_rec *r)
{
    ap_set_content_type(r, "text/plain; version=0.0.4; charset=utf-8");
    print_requests(r);
    print_times(r);
    print_gauges(r);
    print_lookups(r);
    print_cache(r);
    print_databases(r);
    dsc_report_replicas_metrics(r, shared);
    dsc_report_follow_metrics(r, shared);
    return OK;
}

/* ----------------------------------------------------------------------- health */

/* Why the server is not ready, or NULL. */
static const char *unready(const dsc_server_config_t *config)
{
    static const char lacking[] = "the database lacks migrations: run disclosedctl migrate";
    const dsc_database_slot_t *database_slot;
    if (!config->service) {
        return "the engine is off here";
    }
    database_slot = &shared->database_slots[config->database_slot];
    switch ((dsc_refused_t)atomic_load(&database_slot->refused)) {
    case DSC_NO_TABLES:
        return lacking;
    case DSC_NO_RIGHTS:
        return "the role of DisclosedDatabase may not read the database";
    default:
        break;
    }
    if (age_of(config->database_slot) > FRESH_SECONDS) {
        return "the database is not reachable";
    }
    return atomic_load(&database_slot->schema) < (uint64_t)dsc_needed_schema() ? lacking : NULL;
}

/* Live says that httpd responds; ready, that requests can be served. A path that ends in /live asks
 * for the first alone. */
static int respond_health(request_rec *r)
{
    const char *reason = unready(dsc_server_config(r->server));
    size_t length = strlen(r->uri);
    int live_only = length >= 5 && strcmp(r->uri + length - 5, "/live") == 0;
    ap_set_content_type(r, "application/json");
    apr_table_setn(r->headers_out, "Cache-Control", "no-store");
    if (reason && !live_only) {
        r->status = HTTP_SERVICE_UNAVAILABLE;
    }
    if (live_only) {
        ap_rputs("{\"live\":true}\n", r);
    } else if (reason) {
        ap_rprintf(r, "{\"live\":true,\"ready\":false,\"reason\":\"%s\"}\n", reason);
    } else {
        ap_rputs("{\"live\":true,\"ready\":true}\n", r);
    }
    return OK;
}

int dsc_report_handle(request_rec *r)
{
    int is_metrics = strcmp(r->handler, "disclosed-metrics") == 0;
    if (!is_metrics && strcmp(r->handler, "disclosed-health") != 0) {
        return DECLINED;
    }
    if (!shared) {
        return HTTP_SERVICE_UNAVAILABLE;
    }
    dsc_request_body_leave(r);
    if (r->method_number != M_GET) {
        ap_allow_standard_methods(r, REPLACE_ALLOW, M_GET, -1); /* and HEAD, as httpd adds */
        return HTTP_METHOD_NOT_ALLOWED;
    }
    return is_metrics ? respond_metrics(r) : respond_health(r);
}

/* ------------------------------------------------------------------- mod_status */

/* A figure of the status page: its name in ?auto, and in words. */
static void print_figure(request_rec *r, int is_short, const char *name, const char *words,
                         apr_int64_t figure)
{
    if (is_short) {
        ap_rprintf(r, "Disclosed%s: %" APR_INT64_T_FMT "\n", name, figure);
    } else {
        ap_rprintf(r, "<dt>%s: %" APR_INT64_T_FMT "</dt>\n", words, figure);
    }
}

static void print_top_keys(request_rec *r, int is_short)
{
    top_key_t top[TOP_KEYS];
    int i, count = top_keys(top);
    for (i = 0; i < count; i++) {
        double rate = (double)top[i].rate / DSC_RATE_SECONDS;
        if (is_short) {
            ap_rprintf(r, "DisclosedTopKey%d: %s %.1f/s\n", i + 1, top[i].key_id, rate);
        } else {
            ap_rprintf(r, "<dt>key %s: %.1f requests/s</dt>\n", top[i].key_id, rate);
        }
    }
}

static void print_datasets(request_rec *r, int is_short)
{
    int i, j;
    for (i = 0; i < dsc_watched_count(); i++) {
        int slot = dsc_watched_at(i)->database_slot;
        for (j = 0; dsc_datasets[j]; j++) {
            apr_time_t at =
                (apr_time_t)(changed_at(&shared->database_slots[slot], j) * APR_USEC_PER_SEC);
            char text[APR_RFC822_DATE_LEN] = "never";
            if (at) {
                apr_rfc822_date(text, at);
            }
            ap_rprintf(r,
                       is_short ? "DisclosedDataset%d.%s: %s\n"
                                : "<dt>database %d, dataset %s: changed %s</dt>\n",
                       slot, dsc_datasets[j]->name, text);
        }
        ap_rprintf(r,
                   is_short ? "DisclosedDatabaseSeen%d: %.1f\n"
                            : "<dt>database %d: seen %.1f seconds ago</dt>\n",
                   slot, age_of(slot));
    }
}

static void print_queues(request_rec *r, int is_short)
{
    int i;
    for (i = 0; i < dsc_watched_count(); i++) {
        int slot = dsc_watched_at(i)->database_slot;
        dsc_webhook_counter_t *counter = &shared->database_slots[slot].webhooks;
        apr_uint64_t waiting = atomic_load(&counter->waiting);
        double age = dsc_report_age(atomic_load(&counter->queued_since));
        double overdue = dsc_report_age(atomic_load(&counter->due_since));
        double obstructed = dsc_report_age(atomic_load(&counter->obstructed_since));
        if (is_short) {
            ap_rprintf(r,
                       "DisclosedWebhooksWaiting%d: %" APR_UINT64_T_FMT "\n"
                       "DisclosedWebhookQueueAge%d: %.1f\nDisclosedWebhookOverdue%d: %.1f\n"
                       "DisclosedWebhookObstructed%d: %.1f\n",
                       slot, waiting, slot, age, slot, overdue, slot, obstructed);
        } else {
            ap_rprintf(r,
                       "<dt>database %d: %" APR_UINT64_T_FMT " webhook deliveries wait, the oldest "
                       "for %.1f seconds, %.1f overdue</dt>\n",
                       slot, waiting, age, overdue);
            if (obstructed > 0) {
                ap_rprintf(r,
                           "<dt>database %d: this host has been unable to send some or all of them "
                           "for %.1f seconds; its error log says why</dt>\n",
                           slot, obstructed);
            }
        }
    }
}

static void print_cache_figures(request_rec *r, int is_short)
{
    size_t i;
    for (i = 0; i < sizeof(cache_figures) / sizeof(cache_figures[0]); i++) {
        print_figure(r, is_short, cache_figures[i].name, cache_figures[i].words,
                     (apr_int64_t)cache_figure(i));
    }
}

/* The providers' status of the caches; it has the same names for every user of a provider, so it
 * is only for people. */
static void print_providers(request_rec *r, int flags)
{
    int i;
    for (i = 0; i < caches->nelts; i++) {
        ap_rprintf(r, "<h3>Cache of responses %d</h3>\n", i);
        dsc_socache_status(APR_ARRAY_IDX(caches, i, dsc_socache_t *), r, flags);
    }
}

static int print_status(request_rec *r, int flags)
{
    int is_short = (flags & AP_STATUS_SHORT) != 0, i;
    pools_t pools;
    uint64_t slots[DSC_LIMIT_KINDS];
    if (!shared || dsc_watched_count() == 0) {
        return DECLINED;
    }
    pools = sum_pools();
    count_slots(slots);
    if (!is_short) {
        ap_rputs("<hr />\n<h2>mod_disclosed</h2>\n<dl>\n", r);
    }
    print_figure(r, is_short, "ConnectionsOpen", "database connections open", pools.open);
    print_figure(r, is_short, "ConnectionsInUse", "... in use", pools.in_use);
    print_figure(r, is_short, "ConnectionsWaiting", "... waited for", pools.waiting);
    print_figure(r, is_short, "StatementsPrepared", "statements prepared", pools.statements);
    print_figure(r, is_short, "LimitSlots", "slots of limits in all", 2 * DSC_LIMIT_SLOTS);
    for (i = 1; i < DSC_LIMIT_KINDS; i++) {
        print_figure(r, is_short, apr_psprintf(r->pool, "LimitSlots.%s", slot_kinds[i]),
                     apr_psprintf(r->pool, "... of kind %s", slot_kinds[i]), (apr_int64_t)slots[i]);
    }
    print_figure(r, is_short, "Unauthorized", "responses with 401", (apr_int64_t)count_status(401));
    print_figure(r, is_short, "RateLimited", "responses with 429", (apr_int64_t)count_status(429));
    print_figure(r, is_short, "NotModified", "responses with 304, from the ETag alone",
                 (apr_int64_t)count_status(304));
    print_cache_figures(r, is_short);
    print_top_keys(r, is_short);
    print_queues(r, is_short);
    print_datasets(r, is_short);
    dsc_report_replicas_status(r, shared, is_short);
    dsc_report_follow_status(r, shared, is_short);
    if (!is_short) {
        ap_rputs("</dl>\n", r);
        print_providers(r, flags);
    }
    return OK;
}

void dsc_report_register_status(apr_pool_t *pool)
{
    (void)pool;
    APR_OPTIONAL_HOOK(ap, status_hook, print_status, NULL, NULL, APR_HOOK_MIDDLE);
}
