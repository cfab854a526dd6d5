#include "module/client.h"

#include "engine/outage.h"
#include "engine/replicas.h"
#include "engine/surface.h"
#include "mod_disclosed.h"
#include "module/config.h"
#include "module/log.h"
#include "module/wake.h"

#include <apr_strings.h>
#include <http_core.h>
#include <http_protocol.h>
#include <stdatomic.h>
#include <stdlib.h>

APLOG_USE_MODULE(disclosed);

#define SECOND UINT64_C(1000000000)

/* Look-ups of keys that the limit of an address does not bound, of one database and httpd: in a
 * second, and at once. One takes PostgreSQL a tenth of a millisecond. */
enum {
    LOOKUPS_A_SECOND = 50,
    MOST_LOOKUPS = 100
};

static dsc_shared_state_t *shared;

void dsc_client_init(dsc_shared_state_t *state)
{
    shared = state;
}

dsc_client_t *dsc_client_of(const request_rec *r)
{
    return ap_get_module_config(r->request_config, &disclosed_module);
}

/* ----------------------------------------------------------------- the account */

/* What is needed to ask the database for an account's day. */
typedef struct {
    request_rec *r;
    const dsc_client_t *client;
} loading_t;

static const char select_day[] =
    "SELECT coalesce((SELECT requests FROM account_day WHERE account_id = %s::bigint"
    " AND kind = %s::text AND day = DATE '1970-01-01' + %s::integer), 0)";

static int load_day(void *baton, dsc_limit_kind_t kind, uint64_t *total)
{
    const loading_t *loading = baton;
    request_rec *r = loading->r;
    const dsc_limited_t *limited = &loading->client->limited;
    const dsc_server_config_t *config = dsc_server_config(r->server);
    const char *values[] = {
        apr_psprintf(r->pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)limited->account),
        dsc_day_name(kind),
        apr_psprintf(r->pool, "%" APR_UINT64_T_FMT,
                     (apr_uint64_t)dsc_day_number((uint64_t)apr_time_now())),
    };
    const dsc_statement_t statement = {select_day, DSC_COUNT(values), values, 0, NULL, NULL};
    dsc_session_t *session;
    dsc_result_t *result;
    int good;
    if (dsc_session_acquire(config->key_database, r->pool, DSC_OF_THE_SERVER,
                            loading->client->deadline, &session) != DSC_DATABASE_OK) {
        return 0;
    }
    good = dsc_select(session, &statement, &result) == DSC_DATABASE_OK && dsc_result_next(result);
    if (good) {
        *total = strtoull(dsc_result_text(result, 0), NULL, 10);
    }
    dsc_session_release(session);
    return good;
}

/* ---------------------------------------------------------------------- limits */

static uint64_t own_or(uint64_t own, uint64_t plan)
{
    return own == UINT64_MAX ? plan : own;
}

/* Holds the account to the plan's days: to that of all requests, and to that of the surface. */
static void limit_days(dsc_limited_t *limited, const dsc_plan_t *plan, const char *path)
{
    static const dsc_day_t of_surface[DSC_SURFACES] = {
        [DSC_SURFACE_PUBLIC] = DSC_DAY_ALL,
        [DSC_SURFACE_EARLIER] = DSC_DAY_EARLIER,
    };
    const dsc_surface_t *surface = dsc_surface_of(path);
    dsc_day_t own = surface ? of_surface[surface - dsc_surfaces] : DSC_DAY_ALL;
    int day;
    for (day = 0; day < DSC_DAYS; day++) {
        limited->days[day] = day == DSC_DAY_ALL || day == (int)own ? plan->days[day] : DSC_NO_LIMIT;
    }
}

static void limit_by_key(dsc_client_t *client, const dsc_access_t *access, const char *path)
{
    const dsc_verified_key_t *key = &client->key;
    const dsc_plan_t *free_plan = dsc_plan_find(access->plans, DSC_PLAN_FREE);
    const dsc_plan_t *plan = key->live ? dsc_plan_find(access->plans, key->plan) : NULL;
    dsc_limited_t *limited = &client->limited;

    client->plan = plan ? plan : free_plan;
    limited->kind = DSC_LIMIT_KEY;
    limited->number = dsc_limit_key_number(key->key_id);
    limited->account = key->account_id;
    limited->testing = !key->live;
    limited->rate = client->plan->rate;
    limit_days(limited, client->plan, path);
    if (key->live) {
        limited->rate.interval = own_or(key->rate_interval, limited->rate.interval);
        limited->rate.burst = own_or(key->burst, limited->rate.burst);
        limited->days[DSC_DAY_ALL] = own_or(key->day_quota, limited->days[DSC_DAY_ALL]);
    }
}

/* What the engine knows of whom a good key is. */
static void describe_caller(dsc_client_t *client, const dsc_access_t *access)
{
    const dsc_verified_key_t *key = &client->key;
    dsc_caller_t *caller = &client->caller;

    caller->plan = client->plan->name;
    caller->page_cap = client->plan->page_cap;
    caller->export_cap = client->plan->export_cap;
    if (!dsc_plan_has(client->plan, DSC_FEATURE_ALL_FACTS)) {
        const dsc_plan_t *least = dsc_plan_least(access->plans, DSC_FEATURE_ALL_FACTS);
        caller->lacking_facts = least ? least->name : "none";
    }
    caller->account = key->account_id;
    caller->database_slot = key->database_slot;
    caller->credits =
        key->live ? own_or(key->credits, client->plan->credits) : client->plan->credits;
    caller->credit_cost = client->operation >= 0 ? access->costs[client->operation] : 0;
}

static void limit_by_address(request_rec *r, dsc_client_t *client, const dsc_access_t *access)
{
    apr_sockaddr_t *address = r->useragent_addr;
    client->limited.kind = DSC_LIMIT_ADDRESS;
    client->limited.number =
        dsc_limit_address_number(address->ipaddr_ptr, (size_t)address->ipaddr_len);
    client->limited.rate = access->address;
}

static void log_full(request_rec *r)
{
    static _Atomic apr_time_t next_log;
    apr_time_t now = dsc_monotonic_now(), due = atomic_load(&next_log);
    if (now >= due &&
        atomic_compare_exchange_strong(&next_log, &due, now + apr_time_from_sec(60))) {
        ap_log_error(DSC_MESSAGE(LIMITS_FULL, 0, r->server));
    }
}

void dsc_client_headers(request_rec *r, const dsc_client_t *client)
{
    /* In err_headers_out, so that httpd's own error responses carry them too. */
    dsc_limit_headers(r->pool, r->err_headers_out, &client->limited, &client->limit);
}

static void count(request_rec *r, dsc_client_t *client, uint64_t cost)
{
    loading_t loading = {r, client};
    client->limited.load = load_day;
    client->limited.load_baton = &loading;
    client->limit = dsc_limit_take(&shared->limits, &client->limited, cost,
                                   (uint64_t)apr_time_now(), (uint64_t)dsc_monotonic_now());
    client->limited.load_baton = NULL;
    if (client->limit.table_full) {
        log_full(r);
    }
    dsc_client_headers(r, client);
}

/* ------------------------------------------------------------------ the client */

/* Asks replicas about a key, in the place of the primary, until one knows it as good. */
static dsc_verify_t ask_replicas(request_rec *r, dsc_client_t *client,
                                 const dsc_server_config_t *config, const char *authorization)
{
    dsc_replicas_t *replicas = config->service->replicas;
    dsc_verify_t verdict = DSC_VERIFY_UNAVAILABLE;
    int i;
    for (i = 0; replicas && i < replicas->count && verdict != DSC_VERIFY_GOOD; i++) {
        if (config->service->replica_is_fit(i, config->service->watch_baton)) {
            dsc_verify_t said =
                dsc_verify_ask_replica(r->pool, replicas->all[i].database, shared,
                                       (uint32_t)config->database_slot, authorization,
                                       client->deadline, &client->key);
            verdict = said == DSC_VERIFY_UNAVAILABLE ? verdict : said;
        }
    }
    return verdict;
}

/* Asks the primary about a key that is not in shared memory, or replicas if the primary is away,
 * so that a failover delays no reads. */
static dsc_verify_t ask(request_rec *r, dsc_client_t *client, const dsc_server_config_t *config,
                        const char *authorization)
{
    dsc_verify_t verdict =
        dsc_verify_ask(r->pool, config->key_database, shared, (uint32_t)config->database_slot,
                       authorization, client->deadline, &client->key);
    return verdict == DSC_VERIFY_UNAVAILABLE ? ask_replicas(r, client, config, authorization)
                                             : verdict;
}

/* Takes a look-up out of a bucket that all addresses share; if it is empty, the client is told to
 * wait for as long as `wait`, if not longer. */
static int takes_lookup(request_rec *r, dsc_client_t *client, _Atomic uint64_t *bucket,
                        uint64_t wait)
{
    static const dsc_rate_t rate = {SECOND / LOOKUPS_A_SECOND, MOST_LOOKUPS};
    dsc_take_t take = dsc_rate_take(bucket, &rate, (uint64_t)dsc_monotonic_now() * 1000, 1);
    if (!take.allowed) {
        client->limit.allowed = 0;
        client->limit.burst.retry = take.retry > wait ? take.retry : wait;
        dsc_client_headers(r, client);
    }
    return take.allowed;
}

/* Whether a key may be looked up, by what its address has left. Addresses are many, so ids that are
 * not listed have a bucket besides; a key that was just made is listed within half a second. Ids
 * that are listed are few, and each is looked up once in a minute: who has such a key need not wait
 * for others behind the address, for whose requests there is no end. */
static int may_look_up(request_rec *r, dsc_client_t *client, dsc_database_slot_t *slot,
                       dsc_standing_t standing)
{
    dsc_lookup_counter_t *lookups = &shared->counters.lookups;
    int is_listed = standing != DSC_STANDING_NONE;
    int is_within = client->limit.allowed;
    if (is_within && is_listed) {
        return 1;
    }
    if (is_within && takes_lookup(r, client, &slot->unlisted, SECOND)) {
        return 1;
    }
    if (!is_within && is_listed && takes_lookup(r, client, &slot->listed, 0)) {
        return 1;
    }
    atomic_fetch_add(is_within ? &lookups->unlisted : &lookups->withheld, 1);
    return 0;
}

/* Looks up a key at the expense of its address, so that guesses cannot occupy the database; if it
 * is no guess, nobody is charged. */
static dsc_verify_t look_up(request_rec *r, dsc_client_t *client, const dsc_server_config_t *config,
                            const char *authorization, uint64_t cost, dsc_standing_t standing)
{
    dsc_verify_t verdict;
    limit_by_address(r, client, config->access);
    count(r, client, cost);
    if (!may_look_up(r, client, &shared->database_slots[config->database_slot], standing)) {
        return DSC_VERIFY_BAD;
    }
    verdict = ask(r, client, config, authorization);
    if (verdict != DSC_VERIFY_BAD && verdict != DSC_VERIFY_UNCERTAIN) {
        dsc_limit_return(&client->limited, &client->limit);
        client->limited.kind = 0;
        apr_table_unset(r->err_headers_out, "Retry-After"); /* the address's */
    }
    return verdict;
}

static void identify(request_rec *r, dsc_client_t *client, const dsc_server_config_t *config,
                     uint64_t cost)
{
    const char *authorization = apr_table_get(r->headers_in, "Authorization");
    uint32_t database_slot = (uint32_t)config->database_slot;
    dsc_standing_t standing;
    if (authorization) {
        dsc_wake(shared, config->database_slot);
    }
    client->verdict =
        dsc_verify_cached(shared, database_slot, authorization, &client->key, &standing);
    if (client->verdict == DSC_VERIFY_UNKNOWN) {
        client->verdict = standing == DSC_STANDING_PROVEN
                              ? ask(r, client, config, authorization)
                              : look_up(r, client, config, authorization, cost, standing);
    }
    if (client->verdict == DSC_VERIFY_GOOD &&
        !dsc_key_allows_address(r->pool, &client->key, r->useragent_addr)) {
        client->verdict = DSC_VERIFY_BAD;
    }
}

static void note_key(request_rec *r, dsc_client_t *client)
{
    client->caller.key_id = apr_pstrmemdup(r->pool, client->key.key_id, sizeof(client->key.key_id));
    apr_table_setn(r->notes, MOD_DISCLOSED_NOTE_KEY, client->caller.key_id);
    r->user = (char *)client->caller.key_id;
}

/* Counts the request for the key, or for the address if there is no good one, unless it has
 * been. */
static void charge(request_rec *r, dsc_client_t *client, const dsc_access_t *access, uint64_t cost)
{
    if (client->verdict == DSC_VERIFY_GOOD) {
        note_key(r, client);
        limit_by_key(client, access, r->uri);
        describe_caller(client, access);
        count(r, client, cost);
    } else if (client->limited.kind != DSC_LIMIT_ADDRESS) {
        limit_by_address(r, client, access);
        /* While keys cannot be verified nobody is charged for it. */
        count(r, client, client->verdict == DSC_VERIFY_BAD ? cost : 0);
    }
}

dsc_client_t *dsc_client(request_rec *r, const dsc_operation_t *operation)
{
    const dsc_server_config_t *config = dsc_server_config(r->server);
    dsc_client_t *client = dsc_client_of(r);
    uint64_t cost = operation ? (uint64_t)config->access->weights[operation->index] : 1;
    if (client) {
        return client;
    }
    client = apr_pcalloc(r->pool, sizeof(*client));
    ap_set_module_config(r->request_config, &disclosed_module, client);
    client->operation = operation ? operation->index : -1;
    client->deadline = dsc_database_deadline(config->key_database);
    client->limited.database_slot = (uint32_t)config->database_slot;
    identify(r, client, config, cost);
    charge(r, client, config->access, cost);
    return client;
}

const dsc_client_t *dsc_client_for(request_rec *r, const dsc_client_t *client,
                                   const dsc_operation_t *operation, uint64_t paid)
{
    const dsc_access_t *access = dsc_server_config(r->server)->access;
    dsc_client_t *another = apr_pmemdup(r->pool, client, sizeof(*another));
    uint64_t cost = (uint64_t)access->weights[operation->index];
    another->operation = operation->index;
    another->caller.credit_cost = access->costs[operation->index];
    if (cost > paid) {
        count(r, another, cost - paid);
    }
    return another;
}
