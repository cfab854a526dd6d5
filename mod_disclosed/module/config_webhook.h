/* How receivers of webhooks are called. */
#ifndef DSC_CONFIG_WEBHOOK_H
#define DSC_CONFIG_WEBHOOK_H

#include "module/config.h"
#include "webhook/service.h"

/* How a server calls them, by its directives. `docs_url` goes into the User-Agent. */
void dsc_webhook_http(apr_pool_t *pool, const dsc_server_config_t *config, const char *docs_url,
                      dsc_http_settings_t *http);

/* Whether the file has certificates in PEM, one at least, and each can be read. */
int dsc_is_certificates(const char *path);

#endif
