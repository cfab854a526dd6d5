#include "unit/tls_server.h"

#include <apr_file_io.h>
#include <apr_strings.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MOST_REQUEST = 65536,
    LONGEST_WAIT = 60000 /* milliseconds; a test that fails ends nevertheless */
};

struct tls_server_t {
    SSL_CTX *context;
    int listener, port;
    int stop[2]; /* a pipe: readable once the thread is to end */
    char *ca_file;
    pthread_t thread;
    pthread_mutex_t lock;
    char request[MOST_REQUEST + 1]; /* under the lock, like the counter */
    int connections;
};

/* What a path is answered with. */
typedef struct {
    const char *path;
    const char *head; /* NULL: nothing, until the client goes */
    int filler;       /* bytes of body after it */
    int keep;         /* the connection stays open */
} reply_t;

#define EMPTY "Content-Length: 0\r\n\r\n"

static const reply_t replies[] = {
    {"/good", "HTTP/1.1 200 OK\r\n" EMPTY, 0, 1},
    {"/redirect", "HTTP/1.1 302 Found\r\nLocation: /good\r\n" EMPTY, 0, 1},
    {"/gone", "HTTP/1.1 410 Gone\r\n" EMPTY, 0, 1},
    {"/busy", "HTTP/1.1 429 Too Many Requests\r\nretry-AFTER:  120 \r\n" EMPTY, 0, 1},
    {"/abort", "HTTP/1.1 500 No\r\nWebhook-Delivery: abort-message\r\n" EMPTY, 0, 1},
    {"/early", "HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\nHTTP/1.1 204 No\r\n\r\n", 0, 1},
    {"/big", "HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n", 10000000, 0},
    {"/endless", "HTTP/1.1 200 OK\r\nX: ", 10000000, 0},
    {"/short", "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", 10, 0},
    {"/cookie", "HTTP/1.1 200 OK\r\nSet-Cookie: a=b; Path=/\r\n" EMPTY, 0, 1},
    {"/noise", "220 mail.example ESMTP\r\n\r\n", 0, 0},
    {"/close", "", 0, 0},
    {"/slow", NULL, 0, 0},
};

/* --- the certificate ---------------------------------------------------------------------- */

static int add_extension(X509 *certificate, int what, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, what, value);
    int good = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;

    X509_EXTENSION_free(extension);
    return good;
}

static int fill_certificate(X509 *certificate, EVP_PKEY *key)
{
    X509_NAME *name = X509_get_subject_name(certificate);

    return X509_set_version(certificate, 2) == 1 &&
           ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != NULL &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), 86400) != NULL &&
           X509_set_pubkey(certificate, key) == 1 &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost",
                                      -1, -1, 0) == 1 &&
           X509_set_issuer_name(certificate, name) == 1 &&
           add_extension(certificate, NID_subject_alt_name, "IP:127.0.0.1") &&
           add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
           X509_sign(certificate, key, EVP_sha256()) > 0;
}

static int write_certificate(apr_pool_t *pool, tls_server_t *server, X509 *certificate)
{
    const char *folder;
    FILE *stream;
    int descriptor, good;

    if (apr_temp_dir_get(&folder, pool) != APR_SUCCESS) {
        return 0;
    }
    server->ca_file = apr_pstrcat(pool, folder, "/disclosed-unit-XXXXXX", NULL);
    descriptor = mkstemp(server->ca_file);
    stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    good = stream != NULL && PEM_write_X509(stream, certificate) == 1;
    if (stream) {
        good = fclose(stream) == 0 && good;
    }
    return good;
}

static int make_certificate(apr_pool_t *pool, tls_server_t *server)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    int good = key && certificate && fill_certificate(certificate, key) &&
               SSL_CTX_use_certificate(server->context, certificate) == 1 &&
               SSL_CTX_use_PrivateKey(server->context, key) == 1 &&
               write_certificate(pool, server, certificate);

    X509_free(certificate);
    EVP_PKEY_free(key);
    return good;
}

/* --- a connection ------------------------------------------------------------------------- */

/* Whether there is something to read from the connection, unless the server is to end. */
static int wait_for(const tls_server_t *server, int descriptor)
{
    struct pollfd polled[] = {{descriptor, POLLIN, 0}, {server->stop[0], POLLIN, 0}};

    return poll(polled, 2, LONGEST_WAIT) > 0 && polled[1].revents == 0;
}

/* How long the body is that the headers tell of. */
static size_t body_length(const char *request)
{
    const char *header = strstr(request, "Content-Length: ");

    return header ? strtoul(header + strlen("Content-Length: "), NULL, 10) : 0;
}

/* Reads one request, whole; 0 when the client has gone. */
static int read_request(tls_server_t *server, SSL *connection, char *request)
{
    size_t length = 0;

    for (;;) {
        const char *end;
        int got;

        request[length] = '\0';
        end = strstr(request, "\r\n\r\n");
        if (end && length >= (size_t)(end + 4 - request) + body_length(request)) {
            return 1;
        }
        if (SSL_pending(connection) == 0 && !wait_for(server, SSL_get_fd(connection))) {
            return 0;
        }
        got = SSL_read(connection, request + length, (int)(MOST_REQUEST - length));
        if (got <= 0) {
            return 0;
        }
        length += (size_t)got;
    }
}

static const reply_t *find_reply(const char *request)
{
    size_t i, length;

    for (i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
        length = strlen(replies[i].path);
        if (strncmp(request, "POST ", 5) == 0 &&
            strncmp(request + 5, replies[i].path, length) == 0 && request[5 + length] == ' ') {
            return &replies[i];
        }
    }
    return NULL;
}

static int write_reply(SSL *connection, const reply_t *reply)
{
    static const char filler[4096] = {0};
    int left = reply->filler, length = (int)strlen(reply->head);

    if (length > 0 && SSL_write(connection, reply->head, length) <= 0) {
        return 0;
    }
    while (left > 0) {
        int part = left < (int)sizeof(filler) ? left : (int)sizeof(filler);

        if (SSL_write(connection, filler, part) <= 0) {
            return 0;
        }
        left -= part;
    }
    return 1;
}

static void serve(tls_server_t *server, SSL *connection)
{
    char request[MOST_REQUEST + 1];
    const reply_t *reply = NULL;

    if (SSL_accept(connection) != 1) {
        return;
    }
    do {
        if (!read_request(server, connection, request)) {
            return;
        }
        pthread_mutex_lock(&server->lock);
        memcpy(server->request, request, strlen(request) + 1);
        pthread_mutex_unlock(&server->lock);
        reply = find_reply(request);
        if (reply && reply->head == NULL) {
            wait_for(server, SSL_get_fd(connection)); /* the client's leaving makes it readable */
        }
    } while (reply && reply->head && write_reply(connection, reply) && reply->keep);
    SSL_shutdown(connection);
}

/* One connection in a thread of its own, so that posts go on side by side. */
typedef struct {
    tls_server_t *server;
    int descriptor;
} guest_t;

static void *run_connection(void *data)
{
    guest_t *guest = data;
    SSL *connection = SSL_new(guest->server->context);

    if (connection && SSL_set_fd(connection, guest->descriptor) == 1) {
        serve(guest->server, connection);
    }
    SSL_free(connection);
    close(guest->descriptor);
    free(guest);
    ERR_clear_error();
    return NULL;
}

/* --- the server --------------------------------------------------------------------------- */

enum {
    MOST_CONNECTIONS = 256
};

static void *run(void *data)
{
    pthread_t guests[MOST_CONNECTIONS];
    tls_server_t *server = data;
    int i, count = 0;

    while (count < MOST_CONNECTIONS && wait_for(server, server->listener)) {
        guest_t *guest = malloc(sizeof(*guest));

        if (guest == NULL) {
            break;
        }
        guest->server = server;
        guest->descriptor = accept(server->listener, NULL, NULL);
        if (guest->descriptor < 0 ||
            pthread_create(&guests[count], NULL, run_connection, guest) != 0) {
            free(guest);
            continue;
        }
        count++;
        pthread_mutex_lock(&server->lock);
        server->connections = count;
        pthread_mutex_unlock(&server->lock);
    }
    for (i = 0; i < count; i++) {
        pthread_join(guests[i], NULL);
    }
    return NULL;
}

static apr_status_t stop(void *data)
{
    tls_server_t *server = data;

    close(server->stop[1]); /* end of file: readable for every thread */
    pthread_join(server->thread, NULL);
    close(server->stop[0]);
    close(server->listener);
    SSL_CTX_free(server->context);
    pthread_mutex_destroy(&server->lock);
    unlink(server->ca_file);
    return APR_SUCCESS;
}

static int listen_locally(tls_server_t *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof(address);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->listener < 0 ||
        bind(server->listener, (struct sockaddr *)(void *)&address, length) != 0 ||
        listen(server->listener, 64) != 0 ||
        getsockname(server->listener, (struct sockaddr *)(void *)&address, &length) != 0) {
        return 0;
    }
    server->port = ntohs(address.sin_port);
    return 1;
}

tls_server_t *tls_server_start(apr_pool_t *pool)
{
    tls_server_t *server = apr_pcalloc(pool, sizeof(*server));

    signal(SIGPIPE, SIG_IGN); /* clients leave in the middle of a response */
    server->context = SSL_CTX_new(TLS_server_method());
    if (server->context == NULL || !make_certificate(pool, server) || !listen_locally(server) ||
        pipe(server->stop) != 0 || pthread_mutex_init(&server->lock, NULL) != 0 ||
        pthread_create(&server->thread, NULL, run, server) != 0) {
        return NULL;
    }
    apr_pool_cleanup_register(pool, server, stop, apr_pool_cleanup_null);
    return server;
}

int tls_server_port(const tls_server_t *server)
{
    return server->port;
}

const char *tls_server_ca_file(const tls_server_t *server)
{
    return server->ca_file;
}

const char *tls_server_request(tls_server_t *server, apr_pool_t *pool)
{
    const char *request;

    pthread_mutex_lock(&server->lock);
    request = apr_pstrdup(pool, server->request);
    pthread_mutex_unlock(&server->lock);
    return request;
}

int tls_server_connections(tls_server_t *server)
{
    int connections;

    pthread_mutex_lock(&server->lock);
    connections = server->connections;
    pthread_mutex_unlock(&server->lock);
    return connections;
}
