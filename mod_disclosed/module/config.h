/* The configuration of a server or virtual host, and what is derived from it. */
#ifndef DSC_CONFIG_H
#define DSC_CONFIG_H

#include "access/shared_state.h"
#include "engine/call.h"
#include "module/config_access.h"
#include "module/settings.h"
#include "module/socache.h"

#include <httpd.h>
#include <http_config.h>

extern module AP_MODULE_DECLARE_DATA disclosed_module;

#define DSC_CACHE_DEFAULT "shmcb"
#define DSC_CACHE_OFF     "off"

#define DSC_NOT_SET (-1) /* a number or switch of which no directive says anything */

/* What holds of numbers and switches then. */
#define DSC_DEFAULT(member, name, value, ...) DSC_DEFAULT_##member = (value),
#define DSC_NO_DEFAULT(...)
enum {
    DSC_SETTINGS(DSC_DEFAULT, DSC_DEFAULT, DSC_NO_DEFAULT, DSC_NO_DEFAULT, DSC_NO_DEFAULT)
};
#undef DSC_DEFAULT
#undef DSC_NO_DEFAULT

#define DSC_SETTING(config, member)                                                                \
    ((config)->member == DSC_NOT_SET ? (int)DSC_DEFAULT_##member : (config)->member)

#define DSC_NUMBER_MEMBER(member, ...) int member;
#define DSC_TEXT_MEMBER(member, ...)   const char *member;
#define DSC_LIST_MEMBER(member, ...)   apr_array_header_t *member;
#define DSC_NO_MEMBER(...)
typedef struct {
    DSC_SETTINGS(DSC_NUMBER_MEMBER, DSC_NUMBER_MEMBER, DSC_TEXT_MEMBER, DSC_LIST_MEMBER,
                 DSC_NO_MEMBER)
    dsc_access_lines_t access_lines;

    /* Made at start-up, for servers with the engine on. */
    dsc_service_t *service;
    dsc_database_t *key_database;      /* where keys are looked up: the primary */
    int database_slot;                 /* in shared memory; of the primary */
    unsigned char secrets[2][32];      /* of cursors */
    unsigned char webhook_keys[2][32]; /* what signing secrets are sealed with */
    int secret_count;
    unsigned char cache_key[32];  /* begins the keys of kept responses */
    dsc_socache_t *socache;       /* that they are kept in; NULL: none */
    apr_array_header_t *replicas; /* of dsc_watched_replica_t: those of read_database */
    dsc_access_t *access;
    apr_array_header_t *sections; /* <Directory> sections that switch endpoints; NULL: none */
} dsc_server_config_t;
#undef DSC_NUMBER_MEMBER
#undef DSC_TEXT_MEMBER
#undef DSC_LIST_MEMBER
#undef DSC_NO_MEMBER

dsc_server_config_t *dsc_server_config(const server_rec *server);

void *dsc_config_create(apr_pool_t *pool, server_rec *server);
void *dsc_config_merge(apr_pool_t *pool, void *base, void *added);
extern const command_rec dsc_directives[];

/* Reads the secret file into the configuration; NULL, or what is wrong with it. */
const char *dsc_config_read_secrets(apr_pool_t *pool, dsc_server_config_t *config);

/* Reads the token for the model's server; NULL if none is set. Returns an error's text, or NULL. */
const char *dsc_config_read_ask_key(apr_pool_t *pool, const dsc_server_config_t *config,
                                    const char **key);

/* A hash of a connection string that is not 0: the identity of its slot in shared memory. */
uint64_t dsc_config_identity(const char *conninfo);

#endif
