#include "webhook/delivery_sql.h"

typedef dsc_database_status_t run_t(dsc_session_t *session, const dsc_statement_t *statement,
                                    dsc_result_t **out);

static dsc_result_t *run(dsc_database_t *database, apr_pool_t *pool, run_t *how,
                         const dsc_statement_t *statement)
{
    dsc_session_t *session;
    dsc_result_t *rows = NULL;
    dsc_database_status_t status = dsc_session_acquire(database, pool, DSC_OF_THE_SERVER,
                                                       dsc_database_deadline(database), &session);
    if (status != DSC_DATABASE_OK) {
        return NULL;
    }
    status = how(session, statement, &rows);
    dsc_session_release(session);
    return status == DSC_DATABASE_OK ? rows : NULL;
}

dsc_result_t *dsc_delivery_change(dsc_database_t *database, apr_pool_t *pool, const char *sql,
                                  int count, const char *const *values)
{
    const dsc_statement_t statement = {sql, count, values, 0, NULL, NULL};
    return run(database, pool, dsc_change, &statement);
}

dsc_result_t *dsc_delivery_read(dsc_database_t *database, apr_pool_t *pool, const char *sql)
{
    const dsc_statement_t statement = {sql, 0, NULL, 0, NULL, NULL};
    return run(database, pool, dsc_select, &statement);
}
