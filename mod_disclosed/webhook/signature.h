/* Signatures of webhooks, and the secrets that make them (Standard Webhooks 1.0.0). */
#ifndef DSC_WEBHOOK_SIGNATURE_H
#define DSC_WEBHOOK_SIGNATURE_H

#include <apr_pools.h>

/* A new signing secret: "whsec_" and 32 random bytes in base64, 50 characters. NULL if the
 * operating system has no randomness. */
const char *dsc_webhook_secret_create(apr_pool_t *pool);

/* The value of the header webhook-signature: "v1,<base64>" for each secret, in their order,
 * separated by single spaces. Signed are id, timestamp (Unix seconds of this attempt) and the bytes
 * of the body, joined by dots. NULL if there is no secret or one is malformed. */
const char *dsc_webhook_sign(apr_pool_t *pool, const char *const *secrets, int count,
                             const char *id, apr_int64_t timestamp, const char *body,
                             apr_size_t length);

#endif
