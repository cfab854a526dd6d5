/* What configuration says of webhooks: lines as they stand, and what they come to. */
#ifndef DSC_CONFIG_WEBHOOK_H
#define DSC_CONFIG_WEBHOOK_H

#include "webhook/service.h"

#include <httpd.h>
#include <http_config.h>

/* The lines of a server; -1, NULL and empty where nothing is set. */
typedef struct {
    int on;
    apr_array_header_t *ports;    /* of int */
    apr_array_header_t *networks; /* of apr_ipsubnet_t * */
    const char *ca_file, *proxy;
} dsc_webhook_lines_t;

void dsc_webhook_lines_init(apr_pool_t *pool, dsc_webhook_lines_t *lines);
void dsc_webhook_lines_merge(apr_pool_t *pool, const dsc_webhook_lines_t *base,
                             const dsc_webhook_lines_t *added, dsc_webhook_lines_t *merged);

/* How receivers are called by these lines. `docs_url` goes into the User-Agent. */
void dsc_webhook_http(apr_pool_t *pool, const dsc_webhook_lines_t *lines, const char *docs_url,
                      dsc_http_settings_t *http);

/* Setters of the directives. */
const char *dsc_set_webhooks(cmd_parms *cmd, void *directory, int on);
const char *dsc_set_webhook_port(cmd_parms *cmd, void *directory, const char *port);
const char *dsc_set_webhook_network(cmd_parms *cmd, void *directory, const char *network);
const char *dsc_set_webhook_ca_file(cmd_parms *cmd, void *directory, const char *path);
const char *dsc_set_webhook_proxy(cmd_parms *cmd, void *directory, const char *url);

#endif
