/* The loader's statements: prepared, run, and COPY. */
#include "engine/interrupt.h"
#include "loader/loader_internal.h"

#include <apr_strings.h>
#include <stdlib.h>

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

/* Takes a result over: a good one goes to the caller or is cleared. */
static apr_status_t take_result(dsc_loader_t *loader, PGresult *made, PGresult **result)
{
    ExecStatusType status = PQresultStatus(made);
    apr_status_t rv = APR_SUCCESS;

    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        rv = dsc_loader_failed(loader, made == NULL ? PQerrorMessage(loader->connection)
                                                    : PQresultErrorMessage(made));
    }
    if (rv == APR_SUCCESS && result != NULL) {
        *result = made;
    } else {
        PQclear(made);
    }
    return rv;
}

apr_status_t dsc_loader_query(dsc_loader_t *loader, const char *sql, int count,
                              const char *const *parameters, PGresult **result)
{
    PGresult *made = dsc_exec_params(loader->connection, sql, count, parameters);

    return take_result(loader, made, result);
}

static apr_status_t prepare(dsc_loader_t *loader, dsc_statement_t *statement)
{
    const char *name = apr_psprintf(loader->pool, "load%d", ++loader->statements);
    apr_status_t rv =
        take_result(loader, PQprepare(loader->connection, name, statement->sql, 0, NULL), NULL);

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
                       dsc_exec_prepared(loader->connection, statement->name, count, parameters),
                       result);
}

apr_status_t dsc_loader_write(dsc_loader_t *loader, dsc_statement_t *statement, int planned,
                              int count, const char *const *parameters, long long *rows)
{
    PGresult *result;
    apr_status_t rv = dsc_loader_run(loader, statement, planned, count, parameters, &result);

    if (rv == APR_SUCCESS) {
        *rows += atoll(PQcmdTuples(result));
        PQclear(result);
    }
    return rv;
}

static apr_status_t begin_copy(dsc_loader_t *loader, const char *sql)
{
    PGresult *result = dsc_exec(loader->connection, sql);
    apr_status_t rv = APR_SUCCESS;

    if (PQresultStatus(result) != PGRES_COPY_IN) {
        rv = dsc_loader_failed(loader, PQerrorMessage(loader->connection));
    }
    PQclear(result);
    return rv;
}

apr_status_t dsc_loader_copy(dsc_loader_t *loader, const char *sql, dsc_buffer_t *block)
{
    apr_status_t rv;
    PGresult *result;

    if (block->length == 0) {
        return APR_SUCCESS;
    }
    if ((rv = begin_copy(loader, sql)) != APR_SUCCESS) {
        return rv;
    }
    if (PQputCopyData(loader->connection, block->data, (int)block->length) != 1 ||
        PQputCopyEnd(loader->connection, NULL) != 1) {
        rv = dsc_loader_failed(loader, PQerrorMessage(loader->connection));
    }
    block->length = 0;
    while ((result = dsc_get_result(loader->connection)) != NULL) {
        apr_status_t ended = take_result(loader, result, NULL);
        rv = rv == APR_SUCCESS ? ended : rv;
    }
    return rv;
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
