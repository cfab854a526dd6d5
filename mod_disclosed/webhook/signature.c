#include "webhook/signature.h"

#include "engine/base64.h"
#include "engine/buffer.h"
#include "engine/digest.h"
#include "engine/random.h"

#include <apr_encode.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <string.h>

enum {
    NEW_KEY_SIZE = 32,
    LEAST_KEY_SIZE = 24, /* bounds of the standard */
    MOST_KEY_SIZE = 64
};

static const char secret_prefix[] = "whsec_";

static const char *encode(apr_pool_t *pool, const unsigned char *bytes, size_t length)
{
    return apr_pencode_base64_binary(pool, bytes, (apr_ssize_t)length, APR_ENCODE_NONE, NULL);
}

const char *dsc_webhook_secret_create(apr_pool_t *pool)
{
    unsigned char key[NEW_KEY_SIZE];
    const char *secret = NULL;

    if (dsc_random_bytes(key, sizeof(key))) {
        secret = apr_pstrcat(pool, secret_prefix, encode(pool, key, sizeof(key)), NULL);
    }
    OPENSSL_cleanse(key, sizeof(key));
    return secret;
}

/* "v1," and the HMAC of what is signed; NULL if the secret is malformed. */
static const char *sign(apr_pool_t *pool, const char *secret, const dsc_buffer_t *content)
{
    unsigned char digest[DSC_SHA256_SIZE], *key;
    apr_size_t size = 0;
    int good;

    if (strncmp(secret, secret_prefix, sizeof(secret_prefix) - 1) != 0) {
        return NULL;
    }
    key = dsc_base64_decode(pool, secret + sizeof(secret_prefix) - 1, APR_ENCODE_NONE, &size);
    if (key == NULL) {
        return NULL;
    }
    good = size >= LEAST_KEY_SIZE && size <= MOST_KEY_SIZE;
    if (good) {
        dsc_hmac_sha256(key, size, content->data, content->length, digest);
    }
    OPENSSL_cleanse(key, size);
    return good ? apr_pstrcat(pool, "v1,", encode(pool, digest, sizeof(digest)), NULL) : NULL;
}

const char *dsc_webhook_sign(apr_pool_t *pool, const char *const *secrets, int count,
                             const char *id, apr_int64_t timestamp, const char *body,
                             apr_size_t length)
{
    dsc_buffer_t *content = dsc_buffer_create(pool, length + 128);
    const char *signature, *all = NULL;
    int i;

    dsc_buffer_printf(content, "%s.%" APR_INT64_T_FMT ".", id, timestamp);
    dsc_buffer_append(content, body, length);
    for (i = 0; i < count; i++) {
        signature = sign(pool, secrets[i], content);
        if (signature == NULL) {
            return NULL;
        }
        all = all ? apr_pstrcat(pool, all, " ", signature, NULL) : signature;
    }
    return all;
}
