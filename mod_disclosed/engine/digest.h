/* SHA-256 and HMAC-SHA-256, without looking the algorithms up anew for every request. */
#ifndef DSC_DIGEST_H
#define DSC_DIGEST_H

#include <apr_pools.h>
#include <stddef.h>

enum {
    DSC_SHA256_SIZE = 32
};

/* SHA-256 of the bytes; aborts if the cryptographic library cannot. Thread-safe. */
void dsc_sha256(const void *bytes, size_t length, unsigned char digest[DSC_SHA256_SIZE]);

/* "sha256:" and the hex digits of a digest, as provenances carry it (content_hash). */
const char *dsc_content_hash(apr_pool_t *pool, const unsigned char digest[DSC_SHA256_SIZE]);

/* The same for bytes. */
const char *dsc_content_hash_of(apr_pool_t *pool, const void *bytes, size_t length);

/* The same for a file; NULL: it cannot be read. */
const char *dsc_content_hash_of_file(apr_pool_t *pool, const char *path);

/* HMAC-SHA-256 (RFC 2104) of the bytes under a key, likewise. */
void dsc_hmac_sha256(const unsigned char *key, size_t key_length, const void *bytes, size_t length,
                     unsigned char digest[DSC_SHA256_SIZE]);

#endif
