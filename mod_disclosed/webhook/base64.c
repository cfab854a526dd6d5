#include "webhook/base64.h"

#include <apr_strings.h>
#include <openssl/evp.h>
#include <openssl/crypto.h>
#include <string.h>

enum {
    MOST_BYTES = 1 << 20 /* OpenSSL counts in int, and nothing here is larger */
};

const char *dsc_base64_encode(apr_pool_t *pool, const unsigned char *bytes, apr_size_t length)
{
    unsigned char *text;

    if (length > MOST_BYTES) {
        return NULL;
    }
    text = apr_palloc(pool, (length + 2) / 3 * 4 + 1);
    EVP_EncodeBlock(text, bytes, (int)length);
    return (const char *)text;
}

/* OpenSSL passes over spaces and over bits that are in no byte: encoding again tells. */
static int is_encoding(apr_pool_t *pool, const unsigned char *bytes, apr_size_t length,
                       const char *text)
{
    char *encoded = (char *)dsc_base64_encode(pool, bytes, length);
    int same = strcmp(encoded, text) == 0;

    OPENSSL_cleanse(encoded, strlen(encoded));
    return same;
}

unsigned char *dsc_base64_decode(apr_pool_t *pool, const char *text, apr_size_t *length)
{
    apr_size_t size = strlen(text);
    unsigned char *bytes;
    int decoded;

    if (size == 0 || size % 4 != 0 || size > MOST_BYTES) {
        return NULL;
    }
    bytes = apr_palloc(pool, size / 4 * 3);
    decoded = EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)size);
    if (decoded != (int)(size / 4 * 3)) {
        return NULL;
    }
    *length = (apr_size_t)decoded - (text[size - 1] == '=') - (text[size - 2] == '=');
    return is_encoding(pool, bytes, *length, text) ? bytes : NULL;
}
