#include "engine/outage.h"

#include <time.h>

#define DOWN_INTERVAL apr_time_from_msec(200)
#define LOG_INTERVAL  apr_time_from_sec(5)
/* In a network that drops packets, the end of an attempt is known only after seconds; by then the
 * database may be back. */
#define ATTEMPT_INTERVAL apr_time_from_msec(500)

apr_time_t dsc_monotonic_now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return apr_time_from_sec(now.tv_sec) + now.tv_nsec / 1000;
}

int dsc_outage_may_connect(dsc_outage_t *outage, apr_time_t now)
{
    apr_time_t until = outage->down_until;

    return until == 0 ||
           (now >= until &&
            atomic_compare_exchange_strong(&outage->down_until, &until, now + ATTEMPT_INTERVAL));
}

void dsc_outage_failed(dsc_outage_t *outage, apr_time_t began, apr_time_t now)
{
    if (outage->seen_up <= began) {
        outage->down_until = now + DOWN_INTERVAL;
    }
}

void dsc_outage_over(dsc_outage_t *outage, apr_time_t now)
{
    outage->seen_up = now;
    outage->down_until = 0;
}

void dsc_outage_distrust(dsc_outage_t *outage, apr_time_t sent_at)
{
    apr_time_t before = outage->distrusted_until;

    while (before < sent_at &&
           !atomic_compare_exchange_weak(&outage->distrusted_until, &before, sent_at)) {
    }
}

int dsc_outage_trusts(const dsc_outage_t *outage, apr_time_t answered_at)
{
    return answered_at >= outage->distrusted_until;
}

int dsc_outage_may_log(dsc_outage_t *outage, apr_time_t now)
{
    apr_time_t next = outage->next_log;

    return now >= next &&
           atomic_compare_exchange_strong(&outage->next_log, &next, now + LOG_INTERVAL);
}

void dsc_heard_asking(dsc_heard_t *heard)
{
    if (heard->asked_at <= heard->answered_at) {
        heard->asked_at = dsc_monotonic_now();
    }
}

void dsc_heard_answer(dsc_heard_t *heard)
{
    heard->answered_at = dsc_monotonic_now();
}

apr_interval_time_t dsc_heard_silence(const dsc_heard_t *heard)
{
    apr_time_t answered_at = heard->answered_at, asked_at = heard->asked_at;

    return dsc_monotonic_now() - (asked_at > answered_at ? asked_at : answered_at);
}
