#include "engine/digest.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PIECE = 1 << 16
};

/* EVP_sha256() and HMAC() fetch from the providers at each use, under a lock; these are not. */
static EVP_MD *sha256;
static EVP_MAC_CTX *hmac; /* a template with the digest set; duplicated for each use */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fetch(void)
{
    char name[] = "SHA256";
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name,
                                                                      0),
                                     OSSL_PARAM_construct_end()};
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    sha256 = EVP_MD_fetch(NULL, name, NULL);
    hmac = mac ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac); /* the context holds its own reference */
    if (!sha256 || !hmac || EVP_MAC_CTX_set_params(hmac, parameters) != 1) {
        abort();
    }
}

void dsc_sha256(const void *bytes, size_t length, unsigned char digest[DSC_SHA256_SIZE])
{
    pthread_once(&once, fetch);
    if (EVP_Digest(bytes, length, digest, NULL, sha256, NULL) != 1) {
        abort();
    }
}

const char *dsc_content_hash(apr_pool_t *pool, const unsigned char digest[DSC_SHA256_SIZE])
{
    return apr_pstrcat(pool, "sha256:", apr_pescape_hex(pool, digest, DSC_SHA256_SIZE, 0), NULL);
}

const char *dsc_content_hash_of(apr_pool_t *pool, const void *bytes, size_t length)
{
    unsigned char digest[DSC_SHA256_SIZE];
    dsc_sha256(bytes, length, digest);
    return dsc_content_hash(pool, digest);
}

const char *dsc_content_hash_of_file(apr_pool_t *pool, const char *path)
{
    FILE *file = fopen(path, "re");
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char digest[DSC_SHA256_SIZE], bytes[PIECE];
    const char *hash = NULL;
    size_t got;

    pthread_once(&once, fetch);
    if (file != NULL && context != NULL && EVP_DigestInit_ex(context, sha256, NULL) == 1) {
        while ((got = fread(bytes, 1, sizeof(bytes), file)) > 0) {
            EVP_DigestUpdate(context, bytes, got);
        }
        hash = !ferror(file) && EVP_DigestFinal_ex(context, digest, NULL) == 1
                   ? dsc_content_hash(pool, digest)
                   : NULL;
    }
    EVP_MD_CTX_free(context);
    if (file != NULL) {
        fclose(file);
    }
    return hash;
}

void dsc_hmac_sha256(const unsigned char *key, size_t key_length, const void *bytes, size_t length,
                     unsigned char digest[DSC_SHA256_SIZE])
{
    EVP_MAC_CTX *context;
    size_t written;
    pthread_once(&once, fetch);
    context = EVP_MAC_CTX_dup(hmac);
    if (!context || EVP_MAC_init(context, key, key_length, NULL) != 1 ||
        EVP_MAC_update(context, bytes, length) != 1 ||
        EVP_MAC_final(context, digest, &written, DSC_SHA256_SIZE) != 1) {
        abort();
    }
    EVP_MAC_CTX_free(context);
}
