/* When a delivery is attempted again, and the meaning of a response for it: the ten attempts of
 * Standard Webhooks 1.0.0, spread over 75 hours. */
#ifndef DSC_WEBHOOK_SCHEDULE_H
#define DSC_WEBHOOK_SCHEDULE_H

#include "webhook/http_client.h"

typedef enum {
    DSC_WEBHOOK_DELIVERED,
    DSC_WEBHOOK_RETRY,
    DSC_WEBHOOK_OVERLOADED, /* again too, and fewer at once: 429, 502, 503, 504 */
    DSC_WEBHOOK_UNWANTED,   /* 410: nothing more is sent to this endpoint */
    DSC_WEBHOOK_ABORTED     /* this message is not sent again */
} dsc_webhook_verdict_t;

/* How long to wait before the next attempt when `attempts_made` have failed: 0 before the first,
 * within 10 % around the schedule's delay before others, wherever `random` (of 32 bits) says; -1
 * when no attempt is left. */
apr_interval_time_t dsc_webhook_delay(int attempts_made, apr_uint32_t random);

/* When the next attempt is due: by the schedule, or when the receiver wants it by its Retry-After
 * (seconds or a date; NULL: none), whichever is later. More than a day is not waited for its sake.
 * 0 when no attempt is left. */
apr_time_t dsc_webhook_next(int attempts_made, apr_uint32_t random, const char *retry_after,
                            apr_time_t now);

/* What a response means for the delivery. */
dsc_webhook_verdict_t dsc_webhook_judge(const dsc_http_response_t *response);

#endif
