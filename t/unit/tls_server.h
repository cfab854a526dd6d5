/* A small HTTPS server on 127.0.0.1, in a thread, for the tests of the HTTP client. */
#ifndef DSC_UNIT_TLS_SERVER_H
#define DSC_UNIT_TLS_SERVER_H

#include <apr_pools.h>

typedef struct tls_server_t tls_server_t;

/* Starts a server with a certificate made now, for 127.0.0.1 and no host name; NULL where that
 * fails. It ends with the pool. A request is answered by what the table in tls_server.c has for its
 * path. */
tls_server_t *tls_server_start(apr_pool_t *pool);

/* Where it listens. */
int tls_server_port(const tls_server_t *server);

/* A file with the certificate, to be trusted. */
const char *tls_server_ca_file(const tls_server_t *server);

/* What the last request was, headers and body, in a copy. */
const char *tls_server_request(tls_server_t *server, apr_pool_t *pool);

/* How many connections were accepted. */
int tls_server_connections(tls_server_t *server);

#endif
