/* What webhooks need from a server: the keys that seal signing secrets, and how receivers are
 * called. */
#ifndef DSC_WEBHOOK_SERVICE_H
#define DSC_WEBHOOK_SERVICE_H

#include "engine/call.h"
#include "webhook/http_client.h"

/* What the keys are derived from the server secret for, by HMAC-SHA-256. */
#define DSC_WEBHOOK_KEY_PURPOSE "mod_disclosed webhook"

typedef struct dsc_webhook_service_t {
    unsigned char keys[2]
                      [32]; /* the first seals; the second, of the secret before, opens as well */
    int key_count;
    int sends; /* 0: this host calls no receivers */
    dsc_http_settings_t http;
} dsc_webhook_service_t;

/* The service's `handlers`: what the handlers of webhook endpoints share. */
static inline const dsc_webhook_service_t *dsc_webhooks_of(const dsc_service_t *service)
{
    return service->handlers;
}

/* What authenticates a sealed secret in addition to its key: the account that it belongs to. */
const char *dsc_webhook_seal_context(apr_pool_t *pool, const char *account);

/* Opens a sealed signing secret of that account; NULL if no key does. */
const char *dsc_webhook_open(apr_pool_t *pool, const dsc_webhook_service_t *service,
                             const char *account, const char *sealed);

/* Opens an endpoint's present secret and, if it is not NULL, the one before; returns how many could
 * be opened, the present one first. */
int dsc_webhook_open_both(apr_pool_t *pool, const dsc_webhook_service_t *service,
                          const char *account, const char *present, const char *previous,
                          const char *secrets[2]);

/* The headers of an attempt, of const char *: content type, id, timestamp, signature by each of the
 * secrets. NULL if a secret is malformed. */
apr_array_header_t *dsc_webhook_headers(apr_pool_t *pool, const char *const *secrets, int count,
                                        const char *message_id, const char *body,
                                        apr_size_t length);

#endif
