/* The loader's statements: prepared, run, and COPY. */
#include "engine/interrupt.h"
#include "loader/loader_internal.h"

#include <apr_strings.h>
#include <stdlib.h>

enum {
    MOST_REPEATED = 200
};

apr_status_t dsc_loader_failed(dsc_loader_t *loader, const char *message)
{
    size_t length;

    if (dsc_interrupt_is_due()) {
        message = dsc_interrupt_text();
    }
    length = strlen(message);
    while (length > 0 && (message[length - 1] == '\n' || message[length - 1] == ' ')) {
        length--;
    }
    loader->error = apr_pstrmemdup(loader->file_pool, message, length);
    return DSC_LOADER_DATABASE;
}

/* PostgreSQL has not run a statement: it refuses it, or cannot just now. */
static apr_status_t not_run(dsc_loader_t *loader)
{
    const dsc_failure_t *failure = dsc_connection_failure(loader->connection);

    loader->is_passing = failure->status == DSC_DATABASE_UNAVAILABLE;
    return dsc_loader_failed(loader, failure->message);
}

/* What became of a statement: a result goes to the caller, or is cleared. */
static apr_status_t take_result(dsc_loader_t *loader, PGresult *made, PGresult **result)
{
    if (made == NULL) {
        return not_run(loader);
    }
    if (result != NULL) {
        *result = made;
    } else {
        PQclear(made);
    }
    return APR_SUCCESS;
}

/* The same if there are no rows. */
static apr_status_t take_success(dsc_loader_t *loader, int good)
{
    return good ? APR_SUCCESS : not_run(loader);
}

apr_status_t dsc_loader_query(dsc_loader_t *loader, const char *sql, int count,
                              const char *const *parameters, PGresult **result)
{
    return take_result(loader, dsc_run(loader->connection, sql, count, parameters), result);
}

apr_status_t dsc_loader_script(dsc_loader_t *loader, const char *sql)
{
    return take_success(loader, dsc_run_command(loader->connection, sql));
}

static apr_status_t prepare(dsc_loader_t *loader, dsc_statement_t *statement)
{
    const char *name = apr_psprintf(loader->pool, "load%d", ++loader->statements);
    apr_status_t rv = take_success(loader, dsc_prepare(loader->connection, name, statement->sql));

    if (rv == APR_SUCCESS) {
        statement->name = name;
    }
    return rv;
}

apr_status_t dsc_loader_run(dsc_loader_t *loader, dsc_statement_t *statement, int planned,
                            int count, const char *const *parameters, PGresult **result)
{
    apr_status_t rv;

    if (planned) {
        return dsc_loader_query(loader, statement->sql, count, parameters, result);
    }
    if (statement->name == NULL && (rv = prepare(loader, statement)) != APR_SUCCESS) {
        return rv;
    }
    return take_result(loader,
                       dsc_run_prepared(loader->connection, statement->name, count, parameters,
                                        DSC_FORMAT_TEXT),
                       result);
}

apr_status_t dsc_loader_repeat(dsc_loader_t *loader, const char *sql, int count,
                               const char *const *parameters, PGresult **result)
{
    dsc_statement_t *statement = apr_hash_get(loader->repeated, sql, APR_HASH_KEY_STRING);

    if (statement == NULL) {
        if (apr_hash_count(loader->repeated) >= MOST_REPEATED) {
            return dsc_loader_query(loader, sql, count, parameters, result);
        }
        statement = apr_pcalloc(loader->pool, sizeof(*statement));
        statement->sql = apr_pstrdup(loader->pool, sql);
        apr_hash_set(loader->repeated, statement->sql, APR_HASH_KEY_STRING, statement);
    }
    return dsc_loader_run(loader, statement, 0, count, parameters, result);
}

apr_status_t dsc_loader_write(dsc_loader_t *loader, dsc_statement_t *statement, int planned,
                              int count, const char *const *parameters, long long *rows)
{
    PGresult *result = NULL;
    apr_status_t rv = dsc_loader_run(loader, statement, planned, count, parameters, &result);

    if (rv == APR_SUCCESS) {
        *rows += atoll(PQcmdTuples(result));
        PQclear(result);
    }
    return rv;
}

apr_status_t dsc_loader_copy(dsc_loader_t *loader, const char *sql, dsc_buffer_t *block)
{
    size_t length = block->length;

    if (length == 0) {
        return APR_SUCCESS;
    }
    block->length = 0;
    return take_success(loader, dsc_copy(loader->connection, sql, block->data, length));
}

void dsc_copy_field(dsc_buffer_t *block, const char *text)
{
    const char *from, *at;

    if (text == NULL) {
        dsc_buffer_append(block, "\\N", 2);
        return;
    }
    for (from = at = text;; at++) {
        char escape = *at == '\\'   ? '\\'
                      : *at == '\t' ? 't'
                      : *at == '\n' ? 'n'
                      : *at == '\r' ? 'r'
                                    : '\0';
        if (escape == '\0' && *at != '\0') {
            continue;
        }
        dsc_buffer_append(block, from, (size_t)(at - from));
        if (*at == '\0') {
            return;
        }
        dsc_buffer_append_char(block, '\\');
        dsc_buffer_append_char(block, escape);
        from = at + 1;
    }
}
