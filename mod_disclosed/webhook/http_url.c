#include "webhook/http_url.h"

#include "webhook/address.h"

#include <apr_strings.h>
#include <arpa/inet.h>
#include <string.h>

static int port_is_allowed(const dsc_http_settings_t *settings, const char *port)
{
    int i, number = (int)apr_atoi64(port);

    for (i = 0; settings->ports && i < settings->ports->nelts; i++) {
        if (APR_ARRAY_IDX(settings->ports, i, int) == number) {
            return 1;
        }
    }
    return 0;
}

/* Why a URL that libcurl has read may not be called; NULL: it may. */
static const char *why_not_called(apr_pool_t *pool, const dsc_http_settings_t *settings, CURLU *url,
                                  dsc_host_failure_t *failure)
{
    char *scheme = NULL, *port = NULL;
    const char *error = NULL;

    if (curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        strcmp(scheme, "https") != 0) {
        error = "the URL's scheme is not https";
    } else if (curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) != CURLUE_OK ||
               !port_is_allowed(settings, port)) {
        error = apr_psprintf(pool, "port %s may not be called", port ? port : "?");
        if (failure) {
            *failure = DSC_HOST_PORT;
        }
    }
    curl_free(scheme);
    curl_free(port);
    return error;
}

const char *dsc_http_read_url(apr_pool_t *pool, const dsc_http_settings_t *settings, CURLU *url,
                              const char *text, dsc_host_failure_t *failure)
{
    CURLUcode code = curl_url_set(url, CURLUPART_URL, text, CURLU_DISALLOW_USER);

    if (code == CURLUE_UNSUPPORTED_SCHEME) {
        return "the URL's scheme is not https";
    }
    if (code != CURLUE_OK) {
        return apr_pstrcat(pool, "the URL cannot be called: ", curl_url_strerror(code), NULL);
    }
    return why_not_called(pool, settings, url, failure);
}

/* The address that replaces a host name; 0 if a name does. */
static int read_literal(const char *host, struct sockaddr_storage *address)
{
    char text[INET6_ADDRSTRLEN];
    size_t length = strlen(host);

    memset(address, 0, sizeof(*address));
    if (inet_pton(AF_INET, host, &((struct sockaddr_in *)address)->sin_addr) == 1) {
        address->ss_family = AF_INET;
        return 1;
    }
    if (host[0] != '[' || length - 2 >= sizeof(text)) {
        return 0;
    }
    apr_cpystrn(text, host + 1, length - 1);
    address->ss_family = AF_INET6;
    return inet_pton(AF_INET6, text, &((struct sockaddr_in6 *)address)->sin6_addr) == 1;
}

static const char *why_not_literal(apr_pool_t *pool, const dsc_http_settings_t *settings,
                                   CURLU *url)
{
    struct sockaddr_storage address;
    const char *error = NULL;
    char *host = NULL;

    if (curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK && !settings->proxy &&
        read_literal(host, &address) &&
        !dsc_address_may_be_called((const struct sockaddr *)&address, settings->allowed)) {
        error = apr_pstrcat(pool, "the address ", host, " is not public", NULL);
    }
    curl_free(host);
    return error;
}

const char *dsc_http_refusal(apr_pool_t *pool, const dsc_http_settings_t *settings,
                             const char *text)
{
    CURLU *url = curl_url();
    const char *error =
        url ? dsc_http_read_url(pool, settings, url, text, NULL) : "we have too little memory";

    if (!error) {
        error = why_not_literal(pool, settings, url);
    }
    curl_url_cleanup(url);
    return error;
}

const char *dsc_http_host(apr_pool_t *pool, const char *text)
{
    CURLU *url = curl_url();
    const char *found = "";
    char *host = NULL;

    if (url && curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK) {
        found = apr_pstrdup(pool, host);
    }
    curl_free(host);
    curl_url_cleanup(url);
    return found;
}
