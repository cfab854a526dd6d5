#include "engine/cursor.h"

#include "engine/base64.h"
#include "engine/digest.h"

#include <apr_encode.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <string.h>

/* The token is base64url( version, direction, position, order text, NUL, tie digits, tag ); the
 * position, eight bytes, is in those alone that have one. The binding is not in it: it goes into
 * the tag, so that a cursor of another query does not verify. */
enum {
    VERSION = 1,
    VERSION_WITH_POSITION = 2,
    TAG_SIZE = 16,
    HEAD_SIZE = 2,
    POSITION_SIZE = 8,
    MAXIMUM_TEXTS = 160,
    MAXIMUM_PAYLOAD = MAXIMUM_TEXTS + POSITION_SIZE
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

static void write_position(unsigned char *bytes, unsigned long long position)
{
    int i;
    for (i = POSITION_SIZE - 1; i >= 0; i--) {
        bytes[i] = (unsigned char)(position & 0xff);
        position >>= 8;
    }
}

static unsigned long long read_position(const unsigned char *bytes)
{
    unsigned long long position = 0;
    int i;
    for (i = 0; i < POSITION_SIZE; i++) {
        position = position << 8 | bytes[i];
    }
    return position;
}

const char *dsc_cursor_encode(apr_pool_t *pool, const unsigned char *key,
                              const unsigned char *binding, const dsc_cursor_t *cursor)
{
    size_t order_length = strlen(cursor->order) + 1;
    size_t tie_length = strlen(cursor->tie);
    size_t head = HEAD_SIZE + (cursor->position != 0 ? POSITION_SIZE : 0);
    size_t length = head + order_length + tie_length;
    unsigned char *payload = apr_palloc(pool, length + TAG_SIZE);

    if (order_length + tie_length > MAXIMUM_TEXTS) {
        return NULL;
    }
    payload[0] = cursor->position != 0 ? VERSION_WITH_POSITION : VERSION;
    payload[1] = cursor->descending ? 1 : 0;
    if (cursor->position != 0) {
        write_position(payload + HEAD_SIZE, cursor->position);
    }
    memcpy(payload + head, cursor->order, order_length);
    memcpy(payload + head + order_length, cursor->tie, tie_length);
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
    size_t length, order_length, head = HEAD_SIZE;

    if (strlen(text) > MAXIMUM_SIZE / 3 * 4) {
        return 0;
    }
    bytes = dsc_base64_decode(pool, text, APR_ENCODE_BASE64URL, &length);
    if (bytes == NULL || length < HEAD_SIZE + TAG_SIZE ||
        (bytes[0] != VERSION && bytes[0] != VERSION_WITH_POSITION)) {
        return 0;
    }
    length -= TAG_SIZE;
    head += bytes[0] == VERSION_WITH_POSITION ? POSITION_SIZE : 0;
    if (length < head + 2) {
        return 0;
    }
    if (!verify(key, binding, bytes, length) && !verify(previous_key, binding, bytes, length)) {
        return 0;
    }
    cursor->descending = bytes[1];
    cursor->position = head > HEAD_SIZE ? read_position(bytes + HEAD_SIZE) : 0;
    cursor->order = apr_pstrmemdup(pool, (const char *)bytes + head, length - head);
    order_length = strlen(cursor->order) + 1;
    cursor->tie = cursor->order + order_length;
    return order_length < length - head;
}
