/* The server secret: a file of one or two lines, each of 64 hex digits. The first line is the
 * current secret. The second is the previous one; what was made with it is still accepted. */
#ifndef DSC_SERVER_SECRET_H
#define DSC_SERVER_SECRET_H

#include <apr_pools.h>

enum {
    DSC_SERVER_SECRET_SIZE = 32,
    DSC_SERVER_SECRETS = 2
};

typedef struct {
    unsigned char secrets[DSC_SERVER_SECRETS][DSC_SERVER_SECRET_SIZE];
    int count;
} dsc_server_secrets_t;

/* Reads the file; NULL, or what is wrong with it: then `secrets` holds none. */
const char *dsc_server_secrets_read(apr_pool_t *pool, const char *path,
                                    dsc_server_secrets_t *secrets);

/* Reads a bearer token, the first line of another file that is as closed to others; NULL, or what
 * is wrong with it: then there is no token. */
const char *dsc_token_read(apr_pool_t *pool, const char *path, const char **token);

/* A key for one purpose alone: HMAC-SHA-256(secret, purpose). */
void dsc_server_secret_derive(const unsigned char secret[DSC_SERVER_SECRET_SIZE],
                              const char *purpose, unsigned char key[DSC_SERVER_SECRET_SIZE]);

/* Overwrites them; derived keys are the caller's. */
void dsc_server_secrets_forget(dsc_server_secrets_t *secrets);

#endif
