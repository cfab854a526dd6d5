/* SHA-256 and HMAC-SHA-256, without looking the algorithms up anew for every request. */
#ifndef DSC_DIGEST_H
#define DSC_DIGEST_H

#include <stddef.h>

enum {
    DSC_SHA256_SIZE = 32
};

/* SHA-256 of the bytes; aborts where the cryptographic library cannot. Thread-safe. */
void dsc_sha256(const void *bytes, size_t length, unsigned char digest[DSC_SHA256_SIZE]);

/* HMAC-SHA-256 (RFC 2104) of the bytes under a key, likewise. */
void dsc_hmac_sha256(const unsigned char *key, size_t key_length, const void *bytes, size_t length,
                     unsigned char digest[DSC_SHA256_SIZE]);

#endif
