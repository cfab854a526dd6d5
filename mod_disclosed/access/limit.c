#include "access/limit.h"

#include <apr_strings.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

/* The counts of a day: slots of live and of test keys, what RateLimit calls them, and what is
 * counted in words. */
static const struct {
    dsc_limit_kind_t live, testing;
    const char *policy, *counted;
} counts[DSC_DAYS] = {
    [DSC_DAY_ALL] = {DSC_LIMIT_ACCOUNT, DSC_LIMIT_TESTING, "daily", "requests"},
    [DSC_DAY_EARLIER] = {DSC_LIMIT_EARLIER, DSC_LIMIT_EARLIER_TESTING, "earlier",
                         "requests to the earlier surface"},
};

/* Whether a request is counted: all are, limited or not; those to a surface where they are
 * limited. */
static int is_counted(const dsc_limited_t *limited, int day)
{
    return day == DSC_DAY_ALL || limited->days[day] != DSC_NO_LIMIT;
}

/* The slot of the account's day; its count is brought from the database when the slot is new. */
static dsc_limit_slot_t *day_slot(dsc_limit_table_t *table, const dsc_limited_t *limited, int day,
                                  const dsc_limit_verdict_t *verdict)
{
    dsc_limit_kind_t kind = limited->testing ? counts[day].testing : counts[day].live;
    int fresh;
    uint64_t total = 0;
    dsc_limit_slot_t *slot = dsc_limit_slot(table, kind, limited->database_slot, limited->account,
                                            verdict->clock, &fresh);
    if (slot && !dsc_day_is_loaded(slot) && limited->load(limited->load_baton, kind, &total)) {
        dsc_day_load(slot, dsc_day_number(verdict->at), total);
    }
    return slot;
}

static void take_day(dsc_limit_table_t *table, const dsc_limited_t *limited, int day,
                     dsc_limit_verdict_t *verdict)
{
    dsc_limit_slot_t *slot = day_slot(table, limited, day, verdict);
    if (!slot) {
        verdict->allowed = 0;
        verdict->table_full = 1;
        return;
    }
    verdict->days[day] = dsc_day_take(slot, limited->days[day], verdict->at, verdict->cost);
    if (verdict->days[day].allowed) {
        verdict->counts[day] = slot;
    } else {
        verdict->allowed = 0;
        verdict->spent = (dsc_day_t)day;
    }
}

static void release_days(const dsc_limit_verdict_t *verdict)
{
    int day;
    for (day = 0; day < DSC_DAYS; day++) {
        if (verdict->counts[day]) {
            dsc_day_refund(verdict->counts[day], verdict->at, verdict->cost);
        }
    }
}

/* Takes of all counts or of none, of that of all requests last. */
static void take_days(dsc_limit_table_t *table, const dsc_limited_t *limited,
                      dsc_limit_verdict_t *verdict)
{
    int day;
    for (day = DSC_DAYS - 1; day >= 0 && verdict->allowed; day--) {
        if (is_counted(limited, day)) {
            take_day(table, limited, day, verdict);
        }
    }
    if (!verdict->allowed) {
        release_days(verdict);
    }
}

/* The request is refused: only how much of the days is left is of interest. */
static void look_at_days(dsc_limit_table_t *table, const dsc_limited_t *limited,
                         dsc_limit_verdict_t *verdict)
{
    int day;
    for (day = DSC_DAYS - 1; day >= 0; day--) {
        dsc_limit_slot_t *slot =
            is_counted(limited, day) ? day_slot(table, limited, day, verdict) : NULL;
        if (!slot) {
            continue;
        }
        verdict->days[day] = dsc_day_take(slot, limited->days[day], verdict->at, 0);
        if (verdict->spent == DSC_DAYS && verdict->days[day].remaining < verdict->cost) {
            verdict->spent = (dsc_day_t)day;
        }
    }
}

dsc_limit_verdict_t dsc_limit_take(dsc_limit_table_t *table, const dsc_limited_t *limited,
                                   uint64_t cost, uint64_t now, uint64_t clock)
{
    dsc_limit_verdict_t verdict = {.spent = DSC_DAYS, .cost = cost, .at = now, .clock = clock};
    int fresh;
    dsc_limit_slot_t *slot = dsc_limit_slot(table, limited->kind, limited->database_slot,
                                            limited->number, clock, &fresh);

    if (!slot) {
        verdict.table_full = 1;
        verdict.burst.limit = limited->rate.burst;
        verdict.burst.retry = verdict.burst.reset = SECOND;
        return verdict;
    }
    verdict.slot = slot;
    verdict.burst = dsc_rate_take(&slot->arrival, &limited->rate, clock * 1000, cost);
    verdict.allowed = verdict.burst.allowed;
    if (limited->account && verdict.allowed) {
        take_days(table, limited, &verdict);
    }
    if (limited->account && !verdict.allowed) {
        look_at_days(table, limited, &verdict);
    }
    if (verdict.allowed) {
        atomic_fetch_add_explicit(&slot->allowed, 1, memory_order_relaxed);
    }
    return verdict;
}

void dsc_limit_refund(const dsc_limit_verdict_t *verdict)
{
    if (verdict->allowed) {
        release_days(verdict);
    }
}

void dsc_limit_return(const dsc_limited_t *limited, const dsc_limit_verdict_t *verdict)
{
    if (verdict->allowed && verdict->slot) {
        dsc_rate_return(&verdict->slot->arrival, &limited->rate, verdict->cost);
        atomic_fetch_sub_explicit(&verdict->slot->allowed, 1, memory_order_relaxed);
    }
}

const char *dsc_limit_detail(apr_pool_t *pool, const dsc_limit_verdict_t *verdict)
{
    if (verdict->spent == DSC_DAYS) {
        return NULL;
    }
    return apr_psprintf(pool,
                        "The day's quota of %" APR_UINT64_T_FMT " %s is used up; see the "
                        "Retry-After header.",
                        (apr_uint64_t)verdict->days[verdict->spent].limit,
                        counts[verdict->spent].counted);
}

/* --------------------------------------------------------------------- headers */

static uint64_t seconds_up(uint64_t nanoseconds)
{
    return (nanoseconds + SECOND - 1) / SECOND;
}

/* Whether the day's count was looked at, against a limit. */
static int has_day(const dsc_limited_t *limited, const dsc_limit_verdict_t *verdict, int day)
{
    return verdict->days[day].reset > 0 && limited->days[day] != DSC_NO_LIMIT;
}

static double part_left(const dsc_take_t *take)
{
    return take->limit ? (double)take->remaining / (double)take->limit : 0;
}

/* The limit that is closest to exhaustion, or that has refused the request. */
static const dsc_take_t *closest(const dsc_limited_t *limited, const dsc_limit_verdict_t *verdict)
{
    const dsc_take_t *found = &verdict->burst;
    int day;
    if (!verdict->allowed) {
        return verdict->spent < DSC_DAYS ? &verdict->days[verdict->spent] : found;
    }
    for (day = 0; day < DSC_DAYS; day++) {
        if (has_day(limited, verdict, day) && part_left(&verdict->days[day]) <= part_left(found)) {
            found = &verdict->days[day];
        }
    }
    return found;
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
    int day;
    for (day = 0; day < DSC_DAYS; day++) {
        const dsc_take_t *take = &verdict->days[day];
        if (!has_day(limited, verdict, day)) {
            continue;
        }
        policy = apr_psprintf(pool, "%s, \"%s\";q=%" APR_UINT64_T_FMT ";w=86400", policy,
                              counts[day].policy, (apr_uint64_t)take->limit);
        state = apr_psprintf(pool, "%s, \"%s\";r=%" APR_UINT64_T_FMT ";t=%" APR_UINT64_T_FMT, state,
                             counts[day].policy, (apr_uint64_t)take->remaining,
                             (apr_uint64_t)seconds_up(take->reset));
    }
    apr_table_setn(headers, "RateLimit-Policy", policy);
    apr_table_setn(headers, "RateLimit", state);
}

void dsc_limit_headers(apr_pool_t *pool, apr_table_t *headers, const dsc_limited_t *limited,
                       const dsc_limit_verdict_t *verdict)
{
    const dsc_take_t *shown = closest(limited, verdict);
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

/* Where the IPv4 address in IPv6's form stands (RFC 4291, section 2.5.5.2); `bytes` if it is
 * none. */
static const unsigned char *unmapped(const unsigned char *bytes, size_t length)
{
    static const unsigned char prefix[12] = {[10] = 0xff, [11] = 0xff};
    return length == 16 && memcmp(bytes, prefix, sizeof(prefix)) == 0 ? bytes + sizeof(prefix)
                                                                      : bytes;
}

uint64_t dsc_limit_address_number(const unsigned char *bytes, size_t length)
{
    const unsigned char *from = unmapped(bytes, length);
    uint64_t value = 0;
    int is_ipv4 = length == 4 || from != bytes;
    size_t i, used = is_ipv4 ? 4 : 8;
    for (i = 0; i < used; i++) {
        value = value << 8 | from[i];
    }
    return value << 1 | (uint64_t)is_ipv4;
}
