#include "module/role_check.h"

#include "module/log.h"

#include <httpd.h>
#include <http_main.h>

APLOG_USE_MODULE(disclosed);

void dsc_role_check(dsc_connection_t *connection, const char *directive)
{
    /* True of the owner, of superusers, of the loader, and of who belongs to one of them. */
    static const char sql[] =
        "SELECT current_user WHERE has_table_privilege(to_regclass('disclosed.filing'), 'INSERT')";
    PGresult *result = dsc_run(connection, sql, 0, NULL);

    if (result && PQntuples(result) > 0) {
        ap_log_error(DSC_MESSAGE(MIGHTY_ROLE, 0, ap_server_conf), directive,
                     PQgetvalue(result, 0, 0));
    }
    PQclear(result);
}
