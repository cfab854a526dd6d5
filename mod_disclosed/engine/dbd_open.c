#include "engine/dbd_open.h"

#include <apr_strings.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LEFT 8

/* In the pool that the connection gets. */
typedef struct {
    const apr_dbd_driver_t *driver;
    const char *conninfo, *error;
    dsc_dbd_t opened;
} opening_t;

static void run(void *baton)
{
    opening_t *opening = baton;

    if (apr_dbd_open_ex(opening->driver, opening->opened.pool, opening->conninfo,
                        &opening->opened.handle, &opening->error) != APR_SUCCESS) {
        opening->opened.handle = NULL;
    }
}

static void discard(void *baton)
{
    opening_t *opening = baton;
    dsc_dbd_t opened = opening->opened;

    dsc_dbd_close(opening->driver, &opened);
}

/* Those of a server. Threads that are left behind have it, so it stays for as long as the process
 * does. */
typedef struct server_t server_t;
struct server_t {
    dsc_attempts_t attempts;
    server_t *next;
    char conninfo[];
};
static struct {
    pthread_mutex_t lock;
    server_t *first;
} servers = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* NULL: there is no memory. */
static dsc_attempts_t *attempts_of(const char *conninfo)
{
    size_t size = strlen(conninfo) + 1;
    server_t *server;
    (void)pthread_mutex_lock(&servers.lock);
    for (server = servers.first; server && strcmp(server->conninfo, conninfo) != 0;
         server = server->next) {
    }
    if (!server && (server = calloc(1, sizeof(*server) + size)) != NULL) {
        server->attempts = (dsc_attempts_t){.run = run, .discard = discard, .most = MOST_LEFT};
        memcpy(server->conninfo, conninfo, size);
        server->next = servers.first;
        servers.first = server;
    }
    (void)pthread_mutex_unlock(&servers.lock);
    return server ? &server->attempts : NULL;
}

dsc_attempt_t dsc_dbd_open(apr_pool_t *pool, const apr_dbd_driver_t *driver, const char *conninfo,
                           apr_time_t deadline, dsc_dbd_t *opened, const char **reason)
{
    apr_pool_t *own; /* of nobody: the thread that is left behind may outlive all others */
    opening_t *opening;
    dsc_attempts_t *attempts = attempts_of(conninfo);
    dsc_attempt_t came;

    if (!attempts || apr_pool_create_unmanaged(&own) != APR_SUCCESS) {
        *reason = "not enough memory";
        return DSC_ATTEMPT_NONE;
    }
    opening = apr_pcalloc(own, sizeof(*opening));
    opening->driver = driver;
    opening->conninfo = apr_pstrdup(own, conninfo);
    opening->opened.pool = own;
    came = dsc_attempt(attempts, opening, deadline);
    if (came == DSC_ATTEMPT_DONE && opening->opened.handle != NULL) {
        *opened = opening->opened;
        return came;
    }
    if (came == DSC_ATTEMPT_LEFT) {
        *reason = "PostgreSQL has not taken the connection in time";
        return came;
    }
    *reason = came == DSC_ATTEMPT_NONE ? "earlier attempts to connect have not ended yet"
              : opening->error != NULL ? apr_pstrdup(pool, opening->error)
                                       : "no reason given";
    discard(opening);
    return came;
}

void dsc_dbd_close(const apr_dbd_driver_t *driver, dsc_dbd_t *opened)
{
    if (opened->handle != NULL) {
        (void)apr_dbd_close(driver, opened->handle);
    }
    apr_pool_destroy(opened->pool);
    opened->handle = NULL;
    opened->pool = NULL;
}
