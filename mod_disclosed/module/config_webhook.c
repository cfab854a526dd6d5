#include "module/config_webhook.h"

#include <apr_strings.h>
#include <openssl/err.h>
#include <openssl/pem.h>

enum {
    CONNECT_SECONDS = 5,
    TOTAL_SECONDS = 15,
    MOST_RESPONSE = 65536
};

void dsc_webhook_http(apr_pool_t *pool, const dsc_server_config_t *config, const char *docs_url,
                      dsc_http_settings_t *http)
{
    apr_array_header_t *ports = apr_array_copy(pool, config->webhook_ports);
    if (ports->nelts == 0) {
        APR_ARRAY_PUSH(ports, int) = 443;
    }
    http->user_agent =
        apr_pstrcat(pool, "mod_disclosed/" DISCLOSED_VERSION " (+", docs_url, ")", NULL);
    http->ca_file = config->webhook_ca_file;
    http->proxy = config->webhook_proxy;
    http->allowed = config->webhook_networks;
    http->ports = ports;
    http->connect_timeout = apr_time_from_sec(CONNECT_SECONDS);
    http->total_timeout = apr_time_from_sec(TOTAL_SECONDS);
    http->most_response = MOST_RESPONSE;
}

int dsc_is_certificates(const char *path)
{
    BIO *file = BIO_new_file(path, "r");
    X509 *certificate;
    int count = 0, is_end;

    while (file && (certificate = PEM_read_bio_X509_AUX(file, NULL, NULL, NULL))) {
        X509_free(certificate);
        count++;
    }
    is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    BIO_free(file);
    return count > 0 && is_end;
}
