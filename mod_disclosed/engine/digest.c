#include "engine/digest.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>

static EVP_MD *sha256;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* EVP_sha256() is fetched from the providers at each use, under a lock; this one is not. */
static void fetch(void)
{
    sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
}

void dsc_sha256(const void *bytes, size_t length, unsigned char digest[DSC_SHA256_SIZE])
{
    pthread_once(&once, fetch);
    if (!sha256 || EVP_Digest(bytes, length, digest, NULL, sha256, NULL) != 1) {
        abort();
    }
}
