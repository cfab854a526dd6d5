/* API keys: their format, their checksum, and the digest that the database stores instead of them.

 */
#include "access/key.h"

#include "engine/random.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <string.h>
#include <zlib.h>

enum {
    PREFIX_LENGTH = 8,
    RANDOM_LENGTH = 30,
    CHECKSUM_LENGTH = 6
};

static const char base62[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
static const char live_prefix[] = "sk_live_";
static const char test_prefix[] = "sk_test_";

static int is_base62(const char *text, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++) {
        if (text[i] == '\0' || strchr(base62, text[i]) == NULL) {
            return 0;
        }
    }
    return 1;
}

/* CRC-32 as zlib and PNG have it, in base 62 with leading zeros: 62^6 is above 2^32. */
static void write_checksum(const char *text, char *checksum)
{
    unsigned long crc = crc32(0L, (const unsigned char *)text, RANDOM_LENGTH);
    int i;

    for (i = CHECKSUM_LENGTH - 1; i >= 0; i--) {
        checksum[i] = base62[crc % 62];
        crc /= 62;
    }
}

int dsc_key_parse(const char *text, size_t length, dsc_key_t *key)
{
    char checksum[CHECKSUM_LENGTH];
    const char *body;
    int live;

    if (length != DSC_KEY_LENGTH) {
        return 0;
    }
    body = text + PREFIX_LENGTH;
    live = memcmp(text, live_prefix, PREFIX_LENGTH) == 0;
    if ((!live && memcmp(text, test_prefix, PREFIX_LENGTH) != 0) ||
        !is_base62(body, RANDOM_LENGTH)) {
        return 0;
    }
    write_checksum(body, checksum);
    if (CRYPTO_memcmp(checksum, body + RANDOM_LENGTH, CHECKSUM_LENGTH) != 0) {
        return 0;
    }
    if (key != NULL) {
        key->live = live;
        memcpy(key->key_id, body, DSC_KEY_ID_LENGTH);
        key->key_id[DSC_KEY_ID_LENGTH] = '\0';
    }
    return 1;
}

int dsc_key_generate(int live, char text[DSC_KEY_LENGTH + 1])
{
    char *body = text + PREFIX_LENGTH;
    unsigned char bytes[64];
    size_t have = 0, next = sizeof(bytes);

    memcpy(text, live ? live_prefix : test_prefix, PREFIX_LENGTH);
    while (have < RANDOM_LENGTH) {
        if (next == sizeof(bytes)) {
            if (!dsc_random_bytes(bytes, sizeof(bytes))) {
                return 0;
            }
            next = 0;
        }
        if (bytes[next] < 4 * 62) { /* above, the remainder would favour the first characters */
            body[have++] = base62[bytes[next] % 62];
        }
        next++;
    }
    OPENSSL_cleanse(bytes, sizeof(bytes));
    write_checksum(body, body + RANDOM_LENGTH);
    text[DSC_KEY_LENGTH] = '\0';
    return 1;
}

int dsc_key_salt(unsigned char salt[DSC_KEY_SALT_SIZE])
{
    return dsc_random_bytes(salt, DSC_KEY_SALT_SIZE);
}

void dsc_key_digest(const unsigned char salt[DSC_KEY_SALT_SIZE], const char *text, size_t length,
                    unsigned char digest[DSC_KEY_DIGEST_SIZE])
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned size = 0;
    int good = context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1 &&
               EVP_DigestUpdate(context, salt, DSC_KEY_SALT_SIZE) == 1 &&
               EVP_DigestUpdate(context, text, length) == 1 &&
               EVP_DigestFinal_ex(context, digest, &size) == 1;

    if (!good) {
        memset(digest, 0, DSC_KEY_DIGEST_SIZE);
    }
    EVP_MD_CTX_free(context);
}

int dsc_key_same(const unsigned char left[DSC_KEY_DIGEST_SIZE],
                 const unsigned char right[DSC_KEY_DIGEST_SIZE])
{
    return CRYPTO_memcmp(left, right, DSC_KEY_DIGEST_SIZE) == 0;
}

void dsc_key_forget(void *bytes, size_t size)
{
    OPENSSL_cleanse(bytes, size);
}
