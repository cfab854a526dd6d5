/* Secrets in stored form: encrypted and authenticated by AES-256-GCM, so that reading only the
 * database reveals none. */
#ifndef DSC_SEALED_SECRET_H
#define DSC_SEALED_SECRET_H

#include <apr_pools.h>

enum {
    DSC_SEAL_KEY_SIZE = 32
};

/* "v1:" and, in base64, a random nonce of 12 bytes, the encrypted text and a tag of 16 bytes.
 * `context`, which says whose secret it is, is authenticated with it: a sealed text that is
 * moved to another row does not open. NULL if the cryptographic library fails. */
const char *dsc_secret_seal(apr_pool_t *pool, const unsigned char key[DSC_SEAL_KEY_SIZE],
                            const char *context, const char *plain);

/* The text that was sealed; NULL if `sealed` is malformed or was not made of this key and
 * context. */
const char *dsc_secret_open(apr_pool_t *pool, const unsigned char key[DSC_SEAL_KEY_SIZE],
                            const char *context, const char *sealed);

#endif
