/* What the API's endpoints for webhooks share. */
#ifndef DSC_WEBHOOK_ENDPOINT_TOOLS_H
#define DSC_WEBHOOK_ENDPOINT_TOOLS_H

#include "datasets/datasets.h"
#include "engine/call.h"
#include "webhook/service.h"

/* What is shown of a webhook endpoint. */
#define DSC_WEBHOOK_FIELDS                                                                         \
    INTEGER("id", "t.endpoint_id", "Webhook endpoint ID."),                                        \
        TEXT("url", "t.url", "URL that deliveries are sent to."),                                  \
        JSON("topics", "t.topics", "Topics that it is subscribed to.", .flags = DSC_ARRAY),        \
        JSON("symbols", "t.symbols", "Companies that it is subscribed to; null for all.",          \
             .flags = DSC_ARRAY | DSC_NULLABLE),                                                   \
        JSON("forms", "t.forms",                                                                   \
             "Form types of the filings that it is subscribed to; null for all.",                  \
             .flags = DSC_ARRAY | DSC_NULLABLE),                                                   \
        DATETIME("created_at", "t.created_at", "Time of creation, UTC.")

extern const dsc_shape_t dsc_shape_webhook;

/* Endpoints of webhooks read the primary, where clients see what they have written. */
#define DSC_WEBHOOK_OF_ACCOUNT .flags = DSC_FROM_PRIMARY, .feature = DSC_FEATURE_WEBHOOKS
#define DSC_WEBHOOK_ONCE       .flags = DSC_FROM_PRIMARY | DSC_IDEMPOTENT, .feature = DSC_FEATURE_WEBHOOKS
#define DSC_WEBHOOK_ID         PATH(INTEGER, "id", "Webhook endpoint ID.")

/* Detail of a 404. */
extern const char dsc_webhook_not_found[];

extern const char *const dsc_webhook_topic_choices[];

/* The caller's account. */
const char *dsc_webhook_account(const dsc_call_t *call);

/* The path's id as SQL takes it; NULL with the response set if it is beyond any. */
const char *dsc_webhook_id(dsc_call_t *call);

/* Runs a statement that writes; 0 with the response set if that fails. */
int dsc_webhook_change(dsc_call_t *call, const dsc_statement_t *statement, dsc_result_t **rows);

/* Goes to the row; 0 with a 404 if there is none. */
int dsc_webhook_found(dsc_call_t *call, dsc_result_t *rows, const char *id);

/* Makes the response a 422 about what dsc_body_error_add() names. */
void dsc_webhook_refuse(dsc_call_t *call, const char *name, int index, const char *text);

/* Whether the Idempotency-Key, if there is one, can be kept; 0 with a 400. */
int dsc_webhook_key_is_good(dsc_call_t *call);

/* A digest of the request, which distinguishes requests under the same Idempotency-Key. */
const char *dsc_webhook_digest(const dsc_call_t *call);

/* An outcome of the functions of sql/0059_webhook_requests.sql: 1 if the request is done, now or
 * before; 0 with the response set. `id` goes into the 404 of 'none'. */
int dsc_webhook_outcome(dsc_call_t *call, const char *outcome, const char *id);

/* Runs a function that yields outcome and result, "f(%s::bigint, ...)": the result (NULL: none) if
 * it is done; 0 with the response set. */
int dsc_webhook_run(dsc_call_t *call, const char *function, int count, const char *const *values,
                    const char *id, const char **result);

#endif
