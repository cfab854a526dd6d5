/* disclosedctl webhook rotate: a new signing secret, sealed under the server secret. */
#include "ctl/webhook_request.h"

#include "access/key.h"
#include "access/server_secret.h"
#include "webhook/sealed_secret.h"
#include "webhook/service.h"
#include "webhook/signature.h"

#include <apr_strings.h>
#include <string.h>

enum {
    HINT_LENGTH = 12
};

/* The keys of the file, as httpd derives them; 0 after telling what is wrong with it. */
static int read_keys(const dsc_context_t *context, const char *path, dsc_webhook_service_t *service)
{
    dsc_server_secrets_t secrets;
    const char *error = dsc_server_secrets_read(context->pool, path, &secrets);
    int i;

    if (error != NULL) {
        dsc_print_error(context, "%s", error);
        return 0;
    }
    memset(service, 0, sizeof(*service));
    service->key_count = secrets.count;
    for (i = 0; i < secrets.count; i++) {
        dsc_server_secret_derive(secrets.secrets[i], DSC_WEBHOOK_KEY_PURPOSE, service->keys[i]);
    }
    dsc_server_secrets_forget(&secrets);
    return 1;
}

/* Whether the file is the one that httpd has: it opens the present secret, unless that is lost.
 * Obstacles are printed. */
static int check_present(const dsc_context_t *context, dsc_connection_t *connection,
                         const dsc_webhook_request_t *request, const dsc_webhook_service_t *service,
                         const char **account)
{
    static const char sql[] =
        "SELECT account_id, sealed_secret FROM disclosed.live_webhook_endpoint"
        " WHERE endpoint_id = $1::bigint";
    PGresult *result = dsc_query(context, connection, sql, 1, &request->id);
    int found = result != NULL && PQntuples(result) == 1, good = 0;

    if (found) {
        *account = apr_pstrdup(context->pool, PQgetvalue(result, 0, 0));
        good = request->lost ||
               dsc_webhook_open(context->pool, service, *account, PQgetvalue(result, 0, 1)) != NULL;
    }
    if (found && !good) {
        dsc_print_error(
            context,
            "%s is not the server secret that the signing secret of webhook endpoint %s was "
            "sealed under",
            request->secret_file, request->id);
    } else if (result != NULL && !found) {
        dsc_print_error(context, "no webhook endpoint has the id %s", request->id);
    }
    PQclear(result);
    return good;
}

/* Stores a sealed secret and shows it; the one before signs beside it while the overlap lasts. */
static int store(const dsc_context_t *context, dsc_connection_t *connection,
                 const dsc_webhook_request_t *request, const char *secret, const char *sealed)
{
    static const char sql[] =
        "WITH e AS (UPDATE disclosed.live_webhook_endpoint SET sealed_secret = $2, secret_hint = $3,"
        " previous_sealed_secret = CASE WHEN $4::bigint > 0 THEN sealed_secret END,"
        " previous_until = CASE WHEN $4::bigint > 0 THEN now() + $4::bigint * interval '1 second'"
        " END WHERE endpoint_id = $1::bigint RETURNING *)"
        " SELECT " DSC_WEBHOOK_COLUMNS " FROM e JOIN disclosed.account a USING (account_id)";
    const char *parameters[] = {request->id, sealed,
                                apr_pstrmemdup(context->pool, secret, HINT_LENGTH),
                                apr_psprintf(context->pool, "%" APR_INT64_T_FMT,
                                             (apr_int64_t)(request->lost ? 0 : request->overlap))};

    return dsc_webhook_show(context, connection, sql, 4, parameters, secret);
}

int dsc_webhook_rotate(dsc_context_t *context, dsc_connection_t *connection,
                       const dsc_webhook_request_t *request)
{
    dsc_webhook_service_t service;
    const char *account, *sealed = NULL;
    char *secret;
    int exit_code = DSC_EXIT_FAILED;

    if (!read_keys(context, request->secret_file, &service)) {
        return DSC_EXIT_FAILED;
    }
    if (check_present(context, connection, request, &service, &account)) {
        secret = (char *)dsc_webhook_secret_create(context->pool);
        if (secret != NULL) {
            sealed = dsc_secret_seal(context->pool, service.keys[0],
                                     dsc_webhook_seal_context(context->pool, account), secret);
        }
        if (sealed == NULL) {
            dsc_print_error(context, "the cryptographic library makes no secret");
        } else {
            exit_code = store(context, connection, request, secret, sealed);
            dsc_key_forget(secret, strlen(secret));
        }
    }
    dsc_key_forget(&service, sizeof(service));
    return exit_code;
}
