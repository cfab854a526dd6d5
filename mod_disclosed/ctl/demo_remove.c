/* disclosedctl demo --remove: takes the fictional universe out again. */
#include "ctl/command.h"
#include "ctl/demo.h"

#include <stdlib.h>

static const char remove_sql[] = "SELECT issuers, records, shared FROM disclosed.remove_demo()";

static const char shared_sql[] =
    "SELECT dataset_table, provider, issuer, records"
    " FROM disclosed.demo_shared(disclosed.demo_issuers()) ORDER BY 1, 2, 3 LIMIT 20";

/* Says whose records are in the way. */
static int refuse(const dsc_context_t *context, dsc_connection_t *connection, const char *shared)
{
    PGresult *result = dsc_query(context, connection, shared_sql, 0, NULL);
    int row;

    if (result == NULL) {
        return DSC_EXIT_FAILED;
    }
    dsc_print_error(
        context, "nothing is removed: %s records of other providers are about the demo companies",
        shared);
    for (row = 0; row < PQntuples(result); row++) {
        fprintf(stderr, "  %s of %s, provider %s: %s\n", PQgetvalue(result, row, 0),
                PQgetvalue(result, row, 2), PQgetvalue(result, row, 1), PQgetvalue(result, row, 3));
    }
    PQclear(result);
    return DSC_EXIT_FAILED;
}

int dsc_demo_remove(const dsc_context_t *context)
{
    dsc_connection_t *connection;
    PGresult *result;
    int exit_code = dsc_connect(context, context->pool, &connection);

    if (exit_code != DSC_EXIT_OK) {
        return exit_code;
    }
    result = dsc_query(context, connection, remove_sql, 0, NULL);
    if (result == NULL) {
        return DSC_EXIT_FAILED;
    }
    if (strtoll(PQgetvalue(result, 0, 2), NULL, 10) > 0) {
        exit_code = refuse(context, connection, PQgetvalue(result, 0, 2));
    } else if (context->json) {
        dsc_print_rows(context, result);
    } else if (strtoll(PQgetvalue(result, 0, 0), NULL, 10) == 0) {
        puts("demo: there is no demo data to remove");
    } else {
        printf("demo: removed %s issuers and %s versions of records\n", PQgetvalue(result, 0, 0),
               PQgetvalue(result, 0, 1));
    }
    PQclear(result);
    return exit_code;
}
