#include "webhook/service.h"

#include "webhook/sealed_secret.h"
#include "webhook/signature.h"

#include <apr_strings.h>
#include <apr_time.h>

const char *dsc_webhook_seal_context(apr_pool_t *pool, const char *account)
{
    return apr_pstrcat(pool, "webhook secret of account ", account, NULL);
}

const char *dsc_webhook_open(apr_pool_t *pool, const dsc_webhook_service_t *service,
                             const char *account, const char *sealed)
{
    const char *context = dsc_webhook_seal_context(pool, account);
    const char *secret = NULL;
    int i;
    for (i = 0; i < service->key_count && !secret; i++) {
        secret = dsc_secret_open(pool, service->keys[i], context, sealed);
    }
    return secret;
}

int dsc_webhook_open_both(apr_pool_t *pool, const dsc_webhook_service_t *service,
                          const char *account, const char *present, const char *previous,
                          const char *secrets[2])
{
    const char *const sealed[] = {present, previous};
    int i, count = 0;
    for (i = 0; i < 2; i++) {
        const char *secret = sealed[i] ? dsc_webhook_open(pool, service, account, sealed[i]) : NULL;
        if (secret) {
            secrets[count++] = secret;
        }
    }
    return count;
}

apr_array_header_t *dsc_webhook_headers(apr_pool_t *pool, const char *const *secrets, int count,
                                        const char *message_id, const char *body, apr_size_t length)
{
    apr_array_header_t *headers = apr_array_make(pool, 6, sizeof(const char *));
    apr_int64_t timestamp = apr_time_sec(apr_time_now());
    const char *signature =
        dsc_webhook_sign(pool, secrets, count, message_id, timestamp, body, length);
    if (!signature) {
        return NULL;
    }
    APR_ARRAY_PUSH(headers, const char *) = "Content-Type: application/json";
    APR_ARRAY_PUSH(headers, const char *) = apr_pstrcat(pool, "webhook-id: ", message_id, NULL);
    APR_ARRAY_PUSH(headers, const char *) =
        apr_psprintf(pool, "webhook-timestamp: %" APR_INT64_T_FMT, timestamp);
    APR_ARRAY_PUSH(headers, const char *) =
        apr_pstrcat(pool, "webhook-signature: ", signature, NULL);
    return headers;
}
