#include "module/config_webhook.h"

#include "module/config.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>

enum {
    CONNECT_SECONDS = 5,
    TOTAL_SECONDS = 15,
    MOST_ANSWER = 65536
};

void dsc_webhook_lines_init(apr_pool_t *pool, dsc_webhook_lines_t *lines)
{
    lines->on = -1;
    lines->ports = apr_array_make(pool, 0, sizeof(int));
    lines->networks = apr_array_make(pool, 0, sizeof(apr_ipsubnet_t *));
}

void dsc_webhook_lines_merge(apr_pool_t *pool, const dsc_webhook_lines_t *base,
                             const dsc_webhook_lines_t *added, dsc_webhook_lines_t *merged)
{
    (void)pool;
    merged->on = dsc_config_number(added->on, base->on);
    merged->ports = added->ports->nelts ? added->ports : base->ports;
    merged->networks = added->networks->nelts ? added->networks : base->networks;
    merged->ca_file = added->ca_file ? added->ca_file : base->ca_file;
    merged->proxy = added->proxy ? added->proxy : base->proxy;
}

void dsc_webhook_http(apr_pool_t *pool, const dsc_webhook_lines_t *lines, const char *docs_url,
                      dsc_http_settings_t *http)
{
    apr_array_header_t *ports = apr_array_copy(pool, lines->ports);
    if (ports->nelts == 0) {
        APR_ARRAY_PUSH(ports, int) = 443;
    }
    http->user_agent =
        apr_pstrcat(pool, "mod_disclosed/" DISCLOSED_VERSION " (+", docs_url, "/webhooks)", NULL);
    http->ca_file = lines->ca_file;
    http->proxy = lines->proxy;
    http->allowed = lines->networks;
    http->ports = ports;
    http->connect_timeout = apr_time_from_sec(CONNECT_SECONDS);
    http->total_timeout = apr_time_from_sec(TOTAL_SECONDS);
    http->most_answer = MOST_ANSWER;
}

/* ------------------------------------------------------------------ directives */

static dsc_webhook_lines_t *lines_of(const cmd_parms *cmd)
{
    return &dsc_server_config(cmd->server)->webhook_lines;
}

const char *dsc_set_webhooks(cmd_parms *cmd, void *directory, int on)
{
    (void)directory;
    lines_of(cmd)->on = on;
    return NULL;
}

const char *dsc_set_webhook_port(cmd_parms *cmd, void *directory, const char *port)
{
    char *end;
    long number = strtol(port, &end, 10);
    (void)directory;
    if (!apr_isdigit(*port) || *end || number < 1 || number > 65535) {
        return apr_psprintf(cmd->pool,
                            "DisclosedWebhookPorts: \"%s\" is not a port from 1 to 65535", port);
    }
    APR_ARRAY_PUSH(lines_of(cmd)->ports, int) = (int)number;
    return NULL;
}

const char *dsc_set_webhook_network(cmd_parms *cmd, void *directory, const char *network)
{
    char *address = apr_pstrdup(cmd->pool, network);
    char *bits = strchr(address, '/');
    apr_ipsubnet_t *subnet;
    (void)directory;
    if (bits) {
        *bits++ = '\0';
    }
    if (strspn(address, "0123456789abcdefABCDEF.:") != strlen(address) ||
        apr_ipsubnet_create(&subnet, address, bits, cmd->pool) != APR_SUCCESS) {
        return apr_psprintf(cmd->pool,
                            "DisclosedWebhookAllow: \"%s\" is not a network, e.g. 10.1.0.0/16",
                            network);
    }
    APR_ARRAY_PUSH(lines_of(cmd)->networks, apr_ipsubnet_t *) = subnet;
    return NULL;
}

const char *dsc_set_webhook_ca_file(cmd_parms *cmd, void *directory, const char *path)
{
    const char *whole = ap_server_root_relative(cmd->pool, path);
    apr_finfo_t info;
    (void)directory;
    if (!whole || apr_stat(&info, whole, APR_FINFO_TYPE, cmd->pool) != APR_SUCCESS ||
        info.filetype != APR_REG) {
        return apr_psprintf(cmd->pool, "DisclosedWebhookCAFile: there is no file \"%s\"",
                            whole ? whole : path);
    }
    lines_of(cmd)->ca_file = whole;
    return NULL;
}

const char *dsc_set_webhook_proxy(cmd_parms *cmd, void *directory, const char *url)
{
    (void)directory;
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
        return apr_psprintf(cmd->pool,
                            "DisclosedWebhookProxy: \"%s\" is not an absolute http:// or https:// "
                            "URL",
                            url);
    }
    if (strchr(url, '@')) {
        return "DisclosedWebhookProxy: no user or password here; let the proxy know this host by "
               "its address";
    }
    lines_of(cmd)->proxy = url;
    return NULL;
}
