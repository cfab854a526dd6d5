#include "sources/import_session.h"

#include "engine/outage.h"

enum {
    LONGEST_SECONDS = 600,
    REST_SECONDS = 60
};

dsc_import_session_t *dsc_import_session_create(apr_pool_t *pool)
{
    dsc_import_session_t *session = apr_pcalloc(pool, sizeof(*session));

    apr_pool_create(&session->pool, pool);
    return session;
}

static void close_connection(dsc_import_session_t *session)
{
    apr_pool_clear(session->pool);
    session->connection = NULL;
    session->loader = NULL;
    session->has_failed = 0;
}

static int is_usable(const dsc_import_session_t *session)
{
    return session->connection != NULL && dsc_connection_is_open(session->connection) &&
           !session->has_failed &&
           session->used - session->began < apr_time_from_sec(LONGEST_SECONDS);
}

static int prepare(dsc_import_session_t *session, const dsc_import_run_t *run, const char **reason)
{
    return run->prepare == NULL ||
           run->prepare(run->prepare_baton, session->connection, session->pool, reason);
}

int dsc_import_session_open(dsc_import_session_t *session, const dsc_import_run_t *run,
                            const char **reason)
{
    session->used = dsc_monotonic_now();
    if (is_usable(session) && prepare(session, run, reason)) {
        return 1;
    }
    close_connection(session);
    session->connection = run->connect(run->connect_baton, session->pool, reason);
    if (session->connection == NULL) {
        return 0;
    }
    session->began = session->used;
    session->loader = dsc_loader_create(session->pool, session->connection, &run->load);
    return prepare(session, run, reason);
}

void dsc_import_session_rest(dsc_import_session_t *session)
{
    if (session->connection != NULL &&
        dsc_monotonic_now() - session->used >= apr_time_from_sec(REST_SECONDS)) {
        close_connection(session);
    }
}
