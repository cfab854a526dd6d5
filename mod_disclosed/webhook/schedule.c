#include "webhook/schedule.h"

#include <apr_date.h>
#include <apr_strings.h>
#include <string.h>

#define SECONDS(n) ((n)*APR_USEC_PER_SEC)
#define MINUTES(n) SECONDS((n)*60)
#define HOURS(n)   MINUTES((n)*60)

/* From the failure of the attempt before. */
static const apr_interval_time_t delays[] = {
    0,        SECONDS(5), MINUTES(5), MINUTES(30), HOURS(2),
    HOURS(5), HOURS(10),  HOURS(14),  HOURS(20),   HOURS(24),
};

enum {
    ATTEMPTS = sizeof(delays) / sizeof(delays[0])
};

static const apr_interval_time_t longest_wished = HOURS(24);

apr_interval_time_t dsc_webhook_delay(int attempts_made, apr_uint32_t random)
{
    apr_interval_time_t delay;

    if (attempts_made >= ATTEMPTS) {
        return -1;
    }
    delay = delays[attempts_made > 0 ? attempts_made : 0];
    return delay - delay / 10 +
           (apr_interval_time_t)((double)delay / 5 * ((double)random / APR_UINT32_MAX));
}

/* When the receiver wants the next attempt; 0 if it says nothing that is understood. */
static apr_time_t wished(const char *retry_after, apr_time_t now)
{
    apr_time_t at;
    apr_size_t length = strlen(retry_after);

    if (length > 0 && strspn(retry_after, "0123456789") == length) {
        apr_int64_t seconds = apr_strtoi64(retry_after, NULL, 10);

        /* what overflows is capped as well */
        at = seconds < apr_time_sec(longest_wished) ? now + SECONDS(seconds) : now + longest_wished;
    } else {
        at = apr_date_parse_http(retry_after);
    }
    return at > now + longest_wished ? now + longest_wished : at;
}

apr_time_t dsc_webhook_next(int attempts_made, apr_uint32_t random, const char *retry_after,
                            apr_time_t now)
{
    apr_interval_time_t delay = dsc_webhook_delay(attempts_made, random);
    apr_time_t wish;

    if (delay < 0) {
        return 0;
    }
    wish = retry_after ? wished(retry_after, now) : 0;
    return wish > now + delay ? wish : now + delay;
}

/* The first row that fits counts. `aborted` is the verdict when the response carries
 * "webhook-delivery: abort-message". */
static const struct {
    int first, last;
    dsc_webhook_verdict_t verdict, aborted;
} verdicts[] = {
    {200, 299, DSC_WEBHOOK_DELIVERED, DSC_WEBHOOK_DELIVERED},
    {410, 410, DSC_WEBHOOK_UNWANTED, DSC_WEBHOOK_UNWANTED},
    {429, 429, DSC_WEBHOOK_OVERLOADED, DSC_WEBHOOK_ABORTED},
    {502, 504, DSC_WEBHOOK_OVERLOADED, DSC_WEBHOOK_ABORTED},
    {100, 999, DSC_WEBHOOK_RETRY, DSC_WEBHOOK_ABORTED},
};

dsc_webhook_verdict_t dsc_webhook_judge(const dsc_http_response_t *response)
{
    size_t i;

    for (i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        if (response->status >= verdicts[i].first && response->status <= verdicts[i].last) {
            return response->abort_message ? verdicts[i].aborted : verdicts[i].verdict;
        }
    }
    return DSC_WEBHOOK_RETRY;
}
