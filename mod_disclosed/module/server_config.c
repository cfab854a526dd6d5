/* A server's configuration, as httpd keeps it. */
#include "module/config.h"

dsc_server_config_t *dsc_server_config(const server_rec *server)
{
    return ap_get_module_config(server->module_config, &disclosed_module);
}
