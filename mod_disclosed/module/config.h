/* Configuration of a server or virtual host, and what is made of it. */
#ifndef DSC_CONFIG_H
#define DSC_CONFIG_H

#include "access/shared_state.h"
#include "engine/call.h"
#include "module/config_access.h"
#include "module/config_webhook.h"

#include <httpd.h>
#include <http_config.h>

extern module AP_MODULE_DECLARE_DATA disclosed_module;

/* Numbers are -1 and texts NULL where nothing is set. */
typedef struct {
    int engine;
    const char *database;
    const char *read_database;
    int pool_size;
    int acquire_timeout;   /* seconds */
    int statement_timeout; /* seconds */
    const char *secret_file;
    const char *base_url;
    const char *docs_url;
    const char *portal_url;
    dsc_access_lines_t access_lines;
    dsc_webhook_lines_t webhook_lines;

    /* Made at start-up, for servers with the engine on. */
    dsc_service_t *service;
    dsc_database_t *key_database;      /* where keys are looked up: the primary */
    int area;                          /* in shared memory; of the primary */
    unsigned char secrets[2][32];      /* of cursors */
    unsigned char webhook_keys[2][32]; /* what signing secrets are sealed with */
    int secret_count;
    dsc_access_t *access;
    apr_array_header_t *sections; /* <Directory> sections that switch endpoints; NULL: none */
} dsc_server_config_t;

dsc_server_config_t *dsc_server_config(const server_rec *server);

void *dsc_config_create(apr_pool_t *pool, server_rec *server);
void *dsc_config_merge(apr_pool_t *pool, void *base, void *added);
extern const command_rec dsc_directives[];

#define DSC_NOT_SET (-1) /* a number of which no directive says anything */

/* What is used where nothing is set. */
int dsc_config_number(int set, int fallback);
enum {
    DSC_POOL_SIZE = 8,
    DSC_ACQUIRE_TIMEOUT = 2,
    DSC_STATEMENT_TIMEOUT = 5
};

/* Reads the secret file into the configuration; NULL, or what is wrong with it. */
const char *dsc_config_read_secrets(apr_pool_t *pool, dsc_server_config_t *config);

/* A hash of a connection string that is not 0: the identity of its area in shared memory. */
uint64_t dsc_config_identity(const char *conninfo);

#endif
