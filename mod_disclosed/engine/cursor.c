#include "engine/cursor.h"

#include "engine/base64.h"
#include "engine/digest.h"

#include <apr_encode.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <string.h>

/* The token is base64url( version, direction, order text, NUL, tie digits, tag ). The binding is not
 * in it: it goes into the tag, so that a cursor of another query does not verify. */
enum {
    VERSION = 1,
    TAG_SIZE = 16,
    HEAD_SIZE = 2,
    MAXIMUM_PAYLOAD = 160
};

void dsc_cursor_binding(const char *canonical, size_t length,
                        unsigned char binding[DSC_CURSOR_BINDING_SIZE])
{
    unsigned char digest[DSC_SHA256_SIZE];
    dsc_sha256(canonical, length, digest);
    memcpy(binding, digest, DSC_CURSOR_BINDING_SIZE);
}

/* tag = HMAC-SHA-256(key, binding, payload), cut to 16 bytes. */
static void make_tag(const unsigned char *key, const unsigned char *binding,
                     const unsigned char *payload, size_t length, unsigned char tag[TAG_SIZE])
{
    unsigned char message[DSC_CURSOR_BINDING_SIZE + HEAD_SIZE + MAXIMUM_PAYLOAD + 1];
    unsigned char digest[DSC_SHA256_SIZE];
    memcpy(message, binding, DSC_CURSOR_BINDING_SIZE);
    memcpy(message + DSC_CURSOR_BINDING_SIZE, payload, length);
    dsc_hmac_sha256(key, DSC_CURSOR_KEY_SIZE, message, DSC_CURSOR_BINDING_SIZE + length, digest);
    memcpy(tag, digest, TAG_SIZE);
}

const char *dsc_cursor_encode(apr_pool_t *pool, const unsigned char *key,
                              const unsigned char *binding, const dsc_cursor_t *cursor)
{
    size_t order_length = strlen(cursor->order) + 1;
    size_t tie_length = strlen(cursor->tie);
    size_t length = HEAD_SIZE + order_length + tie_length;
    unsigned char *payload = apr_palloc(pool, length + TAG_SIZE);

    if (length > HEAD_SIZE + MAXIMUM_PAYLOAD) {
        return NULL;
    }
    payload[0] = VERSION;
    payload[1] = cursor->descending ? 1 : 0;
    memcpy(payload + HEAD_SIZE, cursor->order, order_length);
    memcpy(payload + HEAD_SIZE + order_length, cursor->tie, tie_length);
    make_tag(key, binding, payload, length, payload + length);
    return apr_pencode_base64_binary(pool, payload, (apr_ssize_t)length + TAG_SIZE,
                                     APR_ENCODE_BASE64URL, NULL);
}

static int verify(const unsigned char *key, const unsigned char *binding,
                  const unsigned char *payload, size_t length)
{
    unsigned char tag[TAG_SIZE];
    if (!key) {
        return 0;
    }
    make_tag(key, binding, payload, length, tag);
    return CRYPTO_memcmp(tag, payload + length, TAG_SIZE) == 0;
}

int dsc_cursor_decode(apr_pool_t *pool, const unsigned char *key, const unsigned char *previous_key,
                      const unsigned char *binding, const char *text, dsc_cursor_t *cursor)
{
    enum {
        MAXIMUM_SIZE = HEAD_SIZE + MAXIMUM_PAYLOAD + TAG_SIZE
    };
    const unsigned char *bytes;
    size_t length, order_length;

    if (strlen(text) > MAXIMUM_SIZE / 3 * 4) {
        return 0;
    }
    bytes = dsc_base64_decode(pool, text, APR_ENCODE_BASE64URL, &length);
    if (bytes == NULL || length < HEAD_SIZE + 2 + TAG_SIZE || bytes[0] != VERSION) {
        return 0;
    }
    length -= TAG_SIZE;
    if (!verify(key, binding, bytes, length) && !verify(previous_key, binding, bytes, length)) {
        return 0;
    }
    cursor->descending = bytes[1];
    cursor->order = apr_pstrmemdup(pool, (char *)bytes + HEAD_SIZE, length - HEAD_SIZE);
    order_length = strlen(cursor->order) + 1;
    cursor->tie = cursor->order + order_length;
    return order_length < length - HEAD_SIZE;
}
