/* The client by libcurl's multi interface. No other file knows libcurl's transfers. */
#include "webhook/http_client.h"

#include "webhook/address.h"
#include "webhook/http_url.h"

#include <apr_strings.h>
#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

enum {
    MOST_KEPT_CONNECTIONS = 128,
    MOST_KEPT_HANDLES = 256,
    RETRY_AFTER_SIZE = 64 /* a date has 29 characters */
};

/* A post on its way. It has a pool of its own, which goes when the caller has taken the
 * response. */
typedef struct transfer_t {
    struct transfer_t *previous, *next; /* in `moving` or `ended` */
    apr_pool_t *pool;
    const dsc_http_settings_t *settings;
    void *baton;
    CURL *handle;
    CURLU *url; /* what was checked is what is called */
    struct curl_slist *headers;
    const char *refused; /* why an address was not connected to */
    int socket_error;    /* of the system, when it gave no socket; 0: none */
    int is_fresh; /* on a connection of its own, because those that were kept had been closed */
    apr_size_t received;
    char detail[CURL_ERROR_SIZE]; /* libcurl's words */
    char retry_after[RETRY_AFTER_SIZE];
    dsc_http_response_t response;
} transfer_t;

typedef struct {
    transfer_t *first, *last;
} transfer_list_t;

struct dsc_http_client_t {
    apr_pool_t *pool;
    const dsc_http_settings_t *settings;
    CURLM *multi;
    transfer_list_t moving, ended;
    int running;
    apr_array_header_t *waited; /* of struct curl_waitfd: room that is used again */
    CURL *kept[MOST_KEPT_HANDLES];
    int kept_count;
};

static void list_append(transfer_list_t *list, transfer_t *transfer)
{
    transfer->next = NULL;
    transfer->previous = list->last;
    if (list->last) {
        list->last->next = transfer;
    } else {
        list->first = transfer;
    }
    list->last = transfer;
}

static void list_remove(transfer_list_t *list, transfer_t *transfer)
{
    if (transfer->previous) {
        transfer->previous->next = transfer->next;
    } else {
        list->first = transfer->next;
    }
    if (transfer->next) {
        transfer->next->previous = transfer->previous;
    } else {
        list->last = transfer->previous;
    }
}

/* --- what libcurl calls ------------------------------------------------------------------- */

static curl_socket_t give_socket(transfer_t *transfer, const struct curl_sockaddr *address)
{
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);

    if (descriptor < 0) {
        transfer->socket_error = errno;
        return CURL_SOCKET_BAD;
    }
    return descriptor;
}

/* Called for each address that libcurl is about to connect to. */
static curl_socket_t open_socket(void *baton, curlsocktype purpose, struct curl_sockaddr *address)
{
    transfer_t *transfer = baton;

    if (purpose == CURLSOCKTYPE_IPCXN && transfer->settings->proxy == NULL &&
        !dsc_address_may_be_called(&address->addr, transfer->settings->allowed)) {
        /* Not which: a name of the networks inside is not to be looked up by who makes an endpoint
         * of it. */
        transfer->refused = "the host has no public address";
        return CURL_SOCKET_BAD;
    }
    return give_socket(transfer, address);
}

/* Counts header lines and body alike; taking less than all ends the transfer. */
static size_t receive(char *bytes, size_t size, size_t count, void *baton)
{
    transfer_t *transfer = baton;

    (void)bytes;
    transfer->received += size * count;
    return transfer->received > transfer->settings->most_response ? 0 : size * count;
}

/* --- options ------------------------------------------------------------------------------ */

static const struct {
    CURLoption option;
    long value;
} number_options[] = {
    {CURLOPT_NOSIGNAL, 1},
    {CURLOPT_FOLLOWLOCATION, 0},
    {CURLOPT_NETRC, CURL_NETRC_IGNORED},
    {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS},
    {CURLOPT_PIPEWAIT, 1}, /* for a connection that may carry several */
    {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
    {CURLOPT_SSL_VERIFYPEER, 1},
    {CURLOPT_SSL_VERIFYHOST, 2},
    {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
    {CURLOPT_POST, 1},
#if LIBCURL_VERSION_NUM >= 0x075700
    /* a name that takes long to resolve would hold up all other transfers when its time is over */
    {CURLOPT_QUICK_EXIT, 1},
#endif
};

static int set_numbers(CURL *handle, const dsc_http_settings_t *settings)
{
    long connect_timeout = (long)apr_time_as_msec(settings->connect_timeout);
    long total_timeout = (long)apr_time_as_msec(settings->total_timeout);
    int good = curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, connect_timeout) == CURLE_OK &&
               curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, total_timeout) == CURLE_OK;
    size_t i;

    for (i = 0; good && i < sizeof(number_options) / sizeof(number_options[0]); i++) {
        good =
            curl_easy_setopt(handle, number_options[i].option, number_options[i].value) == CURLE_OK;
    }
    return good;
}

/* An empty proxy, and an empty list of hosts without one, keep libcurl from asking the
 * environment. */
static int set_texts(CURL *handle, const dsc_http_settings_t *settings)
{
    const struct {
        CURLoption option;
        const char *value;
    } options[] = {
        {CURLOPT_PROTOCOLS_STR, "https"},
        {CURLOPT_PROXY, settings->proxy ? settings->proxy : ""},
        {CURLOPT_NOPROXY, ""},
        {CURLOPT_USERAGENT, settings->user_agent},
    };
    int good = 1;
    size_t i;

    for (i = 0; good && i < sizeof(options) / sizeof(options[0]); i++) {
        good = curl_easy_setopt(handle, options[i].option, options[i].value) == CURLE_OK;
    }
    if (good && settings->ca_file) {
        good = curl_easy_setopt(handle, CURLOPT_CAINFO, settings->ca_file) == CURLE_OK &&
               curl_easy_setopt(handle, CURLOPT_CAPATH, NULL) == CURLE_OK;
    }
    return good;
}

static int set_callbacks(CURL *handle, transfer_t *transfer)
{
    return curl_easy_setopt(handle, CURLOPT_PRIVATE, transfer) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, transfer) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, receive) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_HEADERDATA, transfer) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_WRITEDATA, transfer) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, transfer->detail) == CURLE_OK;
}

static int add_header(transfer_t *transfer, const char *header)
{
    struct curl_slist *headers = curl_slist_append(transfer->headers, header);

    transfer->headers = headers ? headers : transfer->headers;
    return headers != NULL;
}

static int set_content(CURL *handle, transfer_t *transfer, const dsc_http_post_t *post)
{
    int i, good = add_header(transfer, "Expect:");

    for (i = 0; good && post->headers && i < post->headers->nelts; i++) {
        good = add_header(transfer, APR_ARRAY_IDX(post->headers, i, const char *));
    }
    return good && curl_easy_setopt(handle, CURLOPT_HTTPHEADER, transfer->headers) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->length) ==
               CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_POSTFIELDS,
                            apr_pstrmemdup(transfer->pool, post->body, post->length)) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_CURLU, transfer->url) == CURLE_OK;
}

/* --- refusals before anything is sent ----------------------------------------------------- */

/* A line break would begin another header, or the body. */
static const char *why_not_headers(const apr_array_header_t *headers)
{
    int i;

    for (i = 0; headers && i < headers->nelts; i++) {
        if (strpbrk(APR_ARRAY_IDX(headers, i, const char *), "\r\n")) {
            return "a header of the request holds a line break";
        }
    }
    return NULL;
}

/* --- the end of a transfer ---------------------------------------------------------------- */

/* What went wrong, for the owner of the URL; `detailed`: libcurl's words follow. */
static const struct {
    CURLcode code;
    int detailed;
    const char *words;
} failures[] = {
    {CURLE_COULDNT_RESOLVE_HOST, 0, "the host name cannot be resolved"},
    {CURLE_COULDNT_RESOLVE_PROXY, 0, "our proxy cannot be reached"},
    {CURLE_COULDNT_CONNECT, 0, "no connection could be made"},
    {CURLE_OPERATION_TIMEDOUT, 0, "no response in time"},
    {CURLE_PEER_FAILED_VERIFICATION, 1, "the server's certificate is not accepted"},
    {CURLE_SSL_CONNECT_ERROR, 1, "the TLS handshake failed"},
    {CURLE_SSL_CACERT_BADFILE, 0, "our list of certificate authorities cannot be read"},
    {CURLE_SEND_ERROR, 0, "the connection was lost while sending"},
    {CURLE_RECV_ERROR, 0, "the connection was lost before a response"},
    {CURLE_GOT_NOTHING, 0, "the connection was closed without a response"},
    {CURLE_UNSUPPORTED_PROTOCOL, 0, "the response is not HTTP"},
    {CURLE_WEIRD_SERVER_REPLY, 0, "the response is not HTTP"},
    {CURLE_HTTP2, 0, "the response is not HTTP"},
    {CURLE_HTTP2_STREAM, 0, "the connection was lost before a response"},
    {CURLE_WRITE_ERROR, 0, "the response's headers are too long"},
    {CURLE_OUT_OF_MEMORY, 0, "we have too little memory"},
};

static const char *failure_words(transfer_t *transfer, CURLcode code)
{
    size_t i;

    if (code == CURLE_COULDNT_CONNECT && transfer->refused) {
        return transfer->refused;
    }
    for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        if (failures[i].code == code) {
            return failures[i].detailed && transfer->detail[0]
                       ? apr_pstrcat(transfer->pool, failures[i].words, ": ", transfer->detail,
                                     NULL)
                       : failures[i].words;
        }
    }
    return apr_pstrcat(transfer->pool, "the request failed: ", curl_easy_strerror(code), NULL);
}

/* What an end without a status makes suspect on this host. Names and networks are examined
 * later. */
static const struct {
    CURLcode code;
    dsc_host_failure_t failure;
} suspicions[] = {
    {CURLE_COULDNT_RESOLVE_HOST, DSC_HOST_NAMES},
    {CURLE_COULDNT_RESOLVE_PROXY, DSC_HOST_PROXY},
    {CURLE_PROXY, DSC_HOST_PROXY},
    {CURLE_SSL_CACERT_BADFILE, DSC_HOST_AUTHORITIES},
    {CURLE_OUT_OF_MEMORY, DSC_HOST_RESOURCES},
    {CURLE_FAILED_INIT, DSC_HOST_RESOURCES},
};

/* Of a connection that was not made. */
static dsc_host_failure_t suspect_connection(const transfer_t *transfer)
{
    long error = transfer->socket_error;

    if (transfer->refused) {
        return DSC_HOST_NONE;
    }
    if (transfer->settings->proxy) {
        return DSC_HOST_PROXY;
    }
    if (error == 0) {
        curl_easy_getinfo(transfer->handle, CURLINFO_OS_ERRNO, &error);
    }
    return dsc_host_failure_of_errno((int)error);
}

static dsc_host_failure_t suspect(const transfer_t *transfer, CURLcode code)
{
    curl_off_t resolved = 0;
    size_t i;

    if (code == CURLE_COULDNT_CONNECT) {
        return suspect_connection(transfer);
    }
    curl_easy_getinfo(transfer->handle, CURLINFO_NAMELOOKUP_TIME_T, &resolved);
    if (code == CURLE_OPERATION_TIMEDOUT && resolved == 0) {
        return transfer->settings->proxy ? DSC_HOST_PROXY : DSC_HOST_NAMES;
    }
    for (i = 0; i < sizeof(suspicions) / sizeof(suspicions[0]); i++) {
        if (suspicions[i].code == code) {
            return suspicions[i].failure;
        }
    }
    return DSC_HOST_NONE;
}

/* The value of a header of the final response, NULL if there is none. */
static const char *header_value(CURL *handle, const char *name)
{
    struct curl_header *header;

    return curl_easy_header(handle, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value
                                                                                     : NULL;
}

static void read_headers(transfer_t *transfer)
{
    const char *retry_after = header_value(transfer->handle, "retry-after");
    const char *delivery = header_value(transfer->handle, "webhook-delivery");

    if (retry_after && strlen(retry_after) < RETRY_AFTER_SIZE) {
        apr_cpystrn(transfer->retry_after, retry_after, RETRY_AFTER_SIZE);
        transfer->response.retry_after = transfer->retry_after;
    }
    transfer->response.abort_message = delivery && strcmp(delivery, "abort-message") == 0;
}

/* A status counts whatever became of the rest of the response. */
static void read_response(transfer_t *transfer, CURLcode code)
{
    curl_off_t took = 0;
    long status = 0;

    curl_easy_getinfo(transfer->handle, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(transfer->handle, CURLINFO_TOTAL_TIME_T, &took);
    transfer->response.took = (apr_interval_time_t)took;
    if (status >= 200 && status <= 999) {
        transfer->response.status = (int)status;
        read_headers(transfer);
    } else {
        transfer->response.error = failure_words(transfer, code);
        transfer->response.suspected = suspect(transfer, code);
    }
}

static void give_handle_back(dsc_http_client_t *client, CURL *handle, CURLcode code)
{
    if (code == CURLE_OK && client->kept_count < MOST_KEPT_HANDLES) {
        curl_easy_reset(handle);
        client->kept[client->kept_count++] = handle;
    } else {
        curl_easy_cleanup(handle);
    }
}

/* Lets go of all that is libcurl's. */
static void release(dsc_http_client_t *client, transfer_t *transfer, CURLcode code)
{
    if (transfer->handle) {
        curl_multi_remove_handle(client->multi, transfer->handle);
        give_handle_back(client, transfer->handle, code);
    }
    curl_slist_free_all(transfer->headers);
    curl_url_cleanup(transfer->url);
    transfer->handle = NULL;
    transfer->headers = NULL;
    transfer->url = NULL;
}

/* What a kept connection ends with that its server has closed. */
static const CURLcode losses[] = {CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING,
                                  CURLE_HTTP2, CURLE_HTTP2_STREAM};

static int is_loss(CURLcode code)
{
    size_t i;

    for (i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
        if (losses[i] == code) {
            return 1;
        }
    }
    return 0;
}

/* libcurl tries five kept connections of HTTP/1.1 that their server has closed, and no new one; of
 * HTTP/2 it tries none. If nothing was received on any, the request is sent once more on a new
 * connection, within the time that is left. */
static int try_fresh(dsc_http_client_t *client, transfer_t *transfer, CURLcode code)
{
    curl_off_t took = 0, left;
    long made = 1;

    curl_easy_getinfo(transfer->handle, CURLINFO_NUM_CONNECTS, &made);
    curl_easy_getinfo(transfer->handle, CURLINFO_TOTAL_TIME_T, &took);
    left = apr_time_as_msec(client->settings->total_timeout - took);
    if (!is_loss(code) || made > 0 || transfer->received > 0 || transfer->is_fresh || left <= 0 ||
        curl_easy_setopt(transfer->handle, CURLOPT_FRESH_CONNECT, 1L) != CURLE_OK ||
        curl_easy_setopt(transfer->handle, CURLOPT_TIMEOUT_MS, (long)left) != CURLE_OK) {
        return 0;
    }
    transfer->is_fresh = 1;
    curl_multi_remove_handle(client->multi, transfer->handle);
    return curl_multi_add_handle(client->multi, transfer->handle) == CURLM_OK;
}

static void collect(dsc_http_client_t *client)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(client->multi, &left)) != NULL) {
        CURLcode code = message->data.result;
        transfer_t *transfer = NULL;

        if (message->msg != CURLMSG_DONE ||
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer) != CURLE_OK ||
            try_fresh(client, transfer, code)) {
            continue;
        }
        read_response(transfer, code);
        release(client, transfer, code);
        list_remove(&client->moving, transfer);
        list_append(&client->ended, transfer);
    }
}

/* --- the client --------------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int library_is_ready;

static void prepare_library(void)
{
    library_is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/* Before the pools of the transfers go. */
static apr_status_t end_client(void *data)
{
    dsc_http_client_t *client = data;
    transfer_t *transfer;
    int i;

    for (transfer = client->moving.first; transfer; transfer = transfer->next) {
        release(client, transfer, CURLE_ABORTED_BY_CALLBACK);
    }
    for (i = 0; i < client->kept_count; i++) {
        curl_easy_cleanup(client->kept[i]);
    }
    curl_multi_cleanup(client->multi);
    return APR_SUCCESS;
}

dsc_http_client_t *dsc_http_client_create(apr_pool_t *pool, const dsc_http_settings_t *settings)
{
    dsc_http_client_t *client = apr_pcalloc(pool, sizeof(*client));

    pthread_once(&once, prepare_library);
    client->pool = pool;
    client->settings = settings;
    client->waited = apr_array_make(pool, 4, sizeof(struct curl_waitfd));
    client->multi = library_is_ready ? curl_multi_init() : NULL;
    if (client->multi == NULL) {
        return NULL;
    }
    curl_multi_setopt(client->multi, CURLMOPT_MAXCONNECTS, (long)MOST_KEPT_CONNECTIONS);
    curl_multi_setopt(client->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    apr_pool_pre_cleanup_register(pool, client, end_client);
    return client;
}

static CURL *take_handle(dsc_http_client_t *client)
{
    return client->kept_count > 0 ? client->kept[--client->kept_count] : curl_easy_init();
}

static int begin(dsc_http_client_t *client, transfer_t *transfer, const dsc_http_post_t *post)
{
    CURL *handle = take_handle(client);

    if (handle && set_numbers(handle, client->settings) && set_texts(handle, client->settings) &&
        set_callbacks(handle, transfer) && set_content(handle, transfer, post) &&
        curl_multi_add_handle(client->multi, handle) == CURLM_OK) {
        transfer->handle = handle;
        return 1;
    }
    curl_easy_cleanup(handle);
    return 0;
}

static transfer_t *make_transfer(dsc_http_client_t *client, void *baton)
{
    transfer_t *transfer;
    apr_pool_t *pool;

    if (apr_pool_create(&pool, client->pool) != APR_SUCCESS) {
        return NULL;
    }
    transfer = apr_pcalloc(pool, sizeof(*transfer));
    transfer->pool = pool;
    transfer->settings = client->settings;
    transfer->baton = baton;
    transfer->url = curl_url();
    if (transfer->url == NULL) {
        apr_pool_destroy(pool);
        return NULL;
    }
    return transfer;
}

int dsc_http_client_start(dsc_http_client_t *client, const dsc_http_post_t *post, void *baton)
{
    transfer_t *transfer = make_transfer(client, baton);
    const char *error;

    if (transfer == NULL) {
        return 0;
    }
    error = dsc_http_read_url(transfer->pool, client->settings, transfer->url, post->url,
                              &transfer->response.suspected);
    transfer->response.error = error ? error : why_not_headers(post->headers);
    if (transfer->response.error) {
        release(client, transfer, CURLE_OK);
        list_append(&client->ended, transfer);
    } else if (begin(client, transfer, post)) {
        list_append(&client->moving, transfer);
    } else {
        release(client, transfer, CURLE_FAILED_INIT);
        apr_pool_destroy(transfer->pool);
        return 0;
    }
    client->running++;
    return 1;
}

int dsc_http_client_running(const dsc_http_client_t *client)
{
    return client->running;
}

static void work(dsc_http_client_t *client)
{
    int moving;

    curl_multi_perform(client->multi, &moving);
    collect(client);
}

void dsc_http_client_wait(dsc_http_client_t *client, const int *descriptors, int count,
                          int milliseconds)
{
    int i;

    work(client);
    if (client->ended.first) {
        return;
    }
    apr_array_clear(client->waited);
    for (i = 0; i < count; i++) {
        struct curl_waitfd *waited = apr_array_push(client->waited);

        waited->fd = descriptors[i];
        waited->events = CURL_WAIT_POLLIN;
        waited->revents = 0;
    }
    curl_multi_poll(client->multi, (struct curl_waitfd *)(void *)client->waited->elts,
                    (unsigned)count, milliseconds, NULL);
    work(client);
}

int dsc_http_client_finished(dsc_http_client_t *client, apr_pool_t *pool, void **baton,
                             dsc_http_response_t *response)
{
    transfer_t *transfer = client->ended.first;

    if (transfer == NULL) {
        return 0;
    }
    list_remove(&client->ended, transfer);
    *baton = transfer->baton;
    *response = transfer->response;
    response->error = apr_pstrdup(pool, response->error);
    response->retry_after = apr_pstrdup(pool, response->retry_after);
    apr_pool_destroy(transfer->pool);
    client->running--;
    return 1;
}

void dsc_http_post(apr_pool_t *pool, const dsc_http_settings_t *settings,
                   const dsc_http_post_t *post, dsc_http_response_t *response)
{
    enum {
        LONGEST_WAIT = 1000
    };
    dsc_http_client_t *client;
    apr_pool_t *own;
    void *baton;

    memset(response, 0, sizeof(*response));
    response->error = "we have too little memory";
    if (apr_pool_create(&own, pool) != APR_SUCCESS) {
        return;
    }
    client = dsc_http_client_create(own, settings);
    if (client && dsc_http_client_start(client, post, NULL)) {
        while (!dsc_http_client_finished(client, pool, &baton, response)) {
            dsc_http_client_wait(client, NULL, 0, LONGEST_WAIT);
        }
    }
    apr_pool_destroy(own);
}
