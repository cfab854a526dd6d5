/* A server's configuration: finding it, and numbers of it. */
#include "module/config.h"

dsc_server_config_t *dsc_server_config(const server_rec *server)
{
    return ap_get_module_config(server->module_config, &disclosed_module);
}

int dsc_config_number(int set, int fallback)
{
    return set == DSC_NOT_SET ? fallback : set;
}
