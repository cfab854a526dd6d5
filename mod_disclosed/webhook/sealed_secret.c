#include "webhook/sealed_secret.h"

#include "engine/base64.h"
#include "engine/random.h"

#include <apr_encode.h>
#include <apr_strings.h>
#include <openssl/evp.h>
#include <string.h>

enum {
    NONCE_SIZE = 12,
    TAG_SIZE = 16,
    MOST_TEXT = 65536 /* lengths fit int */
};

static const char version_prefix[] = "v1:";

/* Encrypts into `to`, which has room for `length` bytes and the tag. */
static int encrypt(EVP_CIPHER_CTX *cipher, const unsigned char *key, const unsigned char *nonce,
                   const char *context, const char *plain, int length, unsigned char *to)
{
    int done;

    return EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
           EVP_EncryptUpdate(cipher, NULL, &done, (const unsigned char *)context,
                             (int)strlen(context)) == 1 &&
           EVP_EncryptUpdate(cipher, to, &done, (const unsigned char *)plain, length) == 1 &&
           EVP_EncryptFinal_ex(cipher, to + length, &done) == 1 &&
           EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, TAG_SIZE, to + length) == 1;
}

/* Decrypts `length` bytes, which the tag follows; only what is authentic counts. */
static int decrypt(EVP_CIPHER_CTX *cipher, const unsigned char *key, const unsigned char *nonce,
                   const char *context, unsigned char *from, int length, unsigned char *to)
{
    int done;

    return EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
           EVP_DecryptUpdate(cipher, NULL, &done, (const unsigned char *)context,
                             (int)strlen(context)) == 1 &&
           EVP_DecryptUpdate(cipher, to, &done, from, length) == 1 &&
           EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, TAG_SIZE, from + length) == 1 &&
           EVP_DecryptFinal_ex(cipher, to + length, &done) == 1;
}

const char *dsc_secret_seal(apr_pool_t *pool, const unsigned char key[DSC_SEAL_KEY_SIZE],
                            const char *context, const char *plain)
{
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    apr_size_t length = strlen(plain), size = NONCE_SIZE + length + TAG_SIZE;
    unsigned char *bytes;
    int good;

    if (length > MOST_TEXT || strlen(context) > MOST_TEXT) {
        EVP_CIPHER_CTX_free(cipher);
        return NULL;
    }
    bytes = apr_palloc(pool, size);
    good = cipher != NULL && dsc_random_bytes(bytes, NONCE_SIZE) &&
           encrypt(cipher, key, bytes, context, plain, (int)length, bytes + NONCE_SIZE);
    EVP_CIPHER_CTX_free(cipher);
    return good ? apr_pstrcat(pool, version_prefix,
                              apr_pencode_base64_binary(pool, bytes, (apr_ssize_t)size,
                                                        APR_ENCODE_NONE, NULL),
                              NULL)
                : NULL;
}

/* What is behind the version; NULL if that cannot be a sealed secret. */
static unsigned char *decode(apr_pool_t *pool, const char *sealed, apr_size_t *length)
{
    unsigned char *bytes;
    apr_size_t size = 0;

    if (strncmp(sealed, version_prefix, sizeof(version_prefix) - 1) != 0) {
        return NULL;
    }
    bytes = dsc_base64_decode(pool, sealed + sizeof(version_prefix) - 1, APR_ENCODE_NONE, &size);
    if (bytes == NULL || size < NONCE_SIZE + TAG_SIZE || size > NONCE_SIZE + MOST_TEXT + TAG_SIZE) {
        return NULL;
    }
    *length = size - NONCE_SIZE - TAG_SIZE;
    return bytes;
}

const char *dsc_secret_open(apr_pool_t *pool, const unsigned char key[DSC_SEAL_KEY_SIZE],
                            const char *context, const char *sealed)
{
    apr_size_t length = 0;
    unsigned char *bytes = decode(pool, sealed, &length), *plain;
    EVP_CIPHER_CTX *cipher;
    int good;

    if (bytes == NULL || strlen(context) > MOST_TEXT) {
        return NULL;
    }
    plain = apr_palloc(pool, length + 1);
    cipher = EVP_CIPHER_CTX_new();
    good = cipher != NULL &&
           decrypt(cipher, key, bytes, context, bytes + NONCE_SIZE, (int)length, plain);
    EVP_CIPHER_CTX_free(cipher);
    plain[length] = '\0';
    return good ? (const char *)plain : NULL;
}
