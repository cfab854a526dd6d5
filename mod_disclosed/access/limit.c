#include "access/limit.h"

#include <apr_strings.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

/* The slot of the account's day; its count is brought from the database when the slot is new. */
static dsc_limit_slot_t *account_slot(dsc_limit_table_t *table, const dsc_limited_t *limited,
                                      uint64_t now)
{
    int fresh;
    uint64_t total = 0;
    dsc_limit_slot_t *slot =
        dsc_limit_slot(table, limited->testing ? DSC_LIMIT_TESTING : DSC_LIMIT_ACCOUNT,
                       limited->database_slot, limited->account, now, &fresh);
    if (slot && !dsc_day_is_loaded(slot) && limited->load(limited->load_baton, &total)) {
        dsc_day_load(slot, dsc_day_number(now), total);
    }
    return slot;
}

static void take_day(dsc_limit_table_t *table, const dsc_limited_t *limited, uint64_t cost,
                     dsc_limit_verdict_t *verdict)
{
    verdict->account = account_slot(table, limited, verdict->at);
    if (!verdict->account) {
        verdict->allowed = 0;
        verdict->table_full = 1;
        return;
    }
    verdict->day = dsc_day_take(&verdict->account->day, limited->day, verdict->at, cost);
    verdict->day_refused = !verdict->day.allowed;
    verdict->allowed = verdict->day.allowed;
}

dsc_limit_verdict_t dsc_limit_take(dsc_limit_table_t *table, const dsc_limited_t *limited,
                                   uint64_t cost, uint64_t now)
{
    dsc_limit_verdict_t verdict = {0};
    int fresh;
    dsc_limit_slot_t *slot =
        dsc_limit_slot(table, limited->kind, limited->database_slot, limited->number, now, &fresh);

    verdict.cost = cost;
    verdict.at = now;
    if (!slot) {
        verdict.table_full = 1;
        verdict.burst.limit = limited->rate.burst;
        verdict.burst.retry = verdict.burst.reset = SECOND;
        return verdict;
    }
    verdict.burst = dsc_rate_take(&slot->arrival, &limited->rate, now * 1000, cost);
    verdict.allowed = verdict.burst.allowed;
    if (limited->account) {
        if (verdict.allowed) {
            take_day(table, limited, cost, &verdict);
        } else {
            /* Refused already: only how much of the day is left is of interest. */
            dsc_limit_slot_t *account = account_slot(table, limited, now);
            if (account) {
                verdict.day = dsc_day_take(&account->day, limited->day, now, 0);
                verdict.day_refused = verdict.day.remaining < cost;
            }
        }
    }
    atomic_fetch_add_explicit(verdict.allowed ? &slot->allowed : &slot->refused, 1,
                              memory_order_relaxed);
    return verdict;
}

void dsc_limit_refund(const dsc_limit_verdict_t *verdict)
{
    if (verdict->account && verdict->allowed) {
        dsc_day_refund(&verdict->account->day, verdict->at, verdict->cost);
    }
}

/* --------------------------------------------------------------------- headers */

static uint64_t seconds_up(uint64_t nanoseconds)
{
    return (nanoseconds + SECOND - 1) / SECOND;
}

static int has_day(const dsc_limited_t *limited, const dsc_limit_verdict_t *verdict)
{
    return verdict->day.limit > 0 && limited->day != DSC_NO_LIMIT;
}

/* Whether the day is closer to exhaustion than the burst: the smaller part of it is left. */
static int day_is_closer(const dsc_limited_t *limited, const dsc_limit_verdict_t *verdict)
{
    const dsc_take_t *burst = &verdict->burst, *day = &verdict->day;
    if (!has_day(limited, verdict)) {
        return 0;
    }
    if (!verdict->allowed) {
        return verdict->day_refused;
    }
    return (double)day->remaining / (double)day->limit <=
           (double)burst->remaining / (double)burst->limit;
}

static const char *number(apr_pool_t *pool, uint64_t value)
{
    return apr_psprintf(pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)value);
}

/* Seconds of the window in which a full burst becomes free again. */
static uint64_t window(const dsc_rate_t *rate)
{
    uint64_t seconds = seconds_up(rate->interval * rate->burst);
    return seconds > 0 ? seconds : 1;
}

static void add_fields(apr_pool_t *pool, apr_table_t *headers, const dsc_limited_t *limited,
                       const dsc_limit_verdict_t *verdict)
{
    const char *policy =
        apr_psprintf(pool, "\"burst\";q=%" APR_UINT64_T_FMT ";w=%" APR_UINT64_T_FMT,
                     (apr_uint64_t)verdict->burst.limit, (apr_uint64_t)window(&limited->rate));
    const char *state = apr_psprintf(pool, "\"burst\";r=%" APR_UINT64_T_FMT ";t=%" APR_UINT64_T_FMT,
                                     (apr_uint64_t)verdict->burst.remaining,
                                     (apr_uint64_t)seconds_up(verdict->burst.reset));
    if (has_day(limited, verdict)) {
        policy = apr_psprintf(pool, "%s, \"daily\";q=%" APR_UINT64_T_FMT ";w=86400", policy,
                              (apr_uint64_t)verdict->day.limit);
        state = apr_psprintf(pool, "%s, \"daily\";r=%" APR_UINT64_T_FMT ";t=%" APR_UINT64_T_FMT,
                             state, (apr_uint64_t)verdict->day.remaining,
                             (apr_uint64_t)seconds_up(verdict->day.reset));
    }
    apr_table_setn(headers, "RateLimit-Policy", policy);
    apr_table_setn(headers, "RateLimit", state);
}

void dsc_limit_headers(apr_pool_t *pool, apr_table_t *headers, const dsc_limited_t *limited,
                       const dsc_limit_verdict_t *verdict)
{
    const dsc_take_t *shown = day_is_closer(limited, verdict) ? &verdict->day : &verdict->burst;
    uint64_t wait = verdict->allowed ? shown->reset : shown->retry;
    uint64_t now = verdict->at * 1000;

    apr_table_setn(headers, "X-RateLimit-Limit", number(pool, shown->limit));
    apr_table_setn(headers, "X-RateLimit-Remaining",
                   number(pool, verdict->allowed ? shown->remaining : 0));
    apr_table_setn(headers, "X-RateLimit-Reset", number(pool, seconds_up(now + wait)));
    add_fields(pool, headers, limited, verdict);
    if (!verdict->allowed) {
        uint64_t seconds = seconds_up(wait);
        apr_table_setn(headers, "Retry-After", number(pool, seconds > 0 ? seconds : 1));
    }
}

/* --------------------------------------------------------------------- numbers */

/* Eight base62 digits are a number of 48 bits. */
static const char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

uint64_t dsc_limit_key_number(const char key_id[8])
{
    uint64_t value = 0;
    int i;
    for (i = 0; i < 8; i++) {
        const char *digit = memchr(base62, key_id[i], sizeof(base62) - 1);
        value = value * 62 + (uint64_t)(digit ? digit - base62 : 0);
    }
    return value;
}

void dsc_limit_key_id(uint64_t number, char key_id[9])
{
    int i;
    for (i = 7; i >= 0; i--, number /= 62) {
        key_id[i] = base62[number % 62];
    }
    key_id[8] = '\0';
}

uint64_t dsc_limit_address_number(const unsigned char *bytes, size_t length)
{
    uint64_t value = 0;
    size_t i, used = length == 4 ? 4 : 8;
    for (i = 0; i < used; i++) {
        value = value << 8 | bytes[i];
    }
    return value << 1 | (length == 4);
}
