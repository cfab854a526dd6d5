/* The client, by libcurl's multi interface, within the limits that the database keeps. */
#include "follow/fetch.h"

#include "engine/digest.h"
#include "engine/interrupt.h"
#include "follow/body.h"
#include "follow/go.h"
#include "follow/request_limit.h"

#include <apr_date.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <curl/curl.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_AT_ONCE = 4,
    CONNECT_SECONDS = 15,
    TOTAL_SECONDS = 3600,
    SLOW_BYTES = 10000, /* a second, for so many seconds: given up */
    SLOW_SECONDS = 30,
    LATE = 50, /* milliseconds after which a request has missed its time and takes another */
    MOST_REDIRECTS = 3,
    WAIT_SECONDS = 15, /* between two calls of on_wait: a lease holds for a minute */
    DAY = 86400
};

/* A request on its way. */
typedef struct {
    dsc_fetcher_t *fetcher;
    dsc_fetch_t *fetch;
    apr_pool_t *pool;
    CURL *handle;
    struct curl_slist *headers;
    FILE *file;
    EVP_MD_CTX *digest;
    apr_time_t send_at; /* on the monotonic clock */
    const char *address;
    int redirects, disk_is_full;
    dsc_go_t go; /* if the body comes in several goes */
    char detail[CURL_ERROR_SIZE];
} transfer_t;

struct dsc_fetcher_t {
    apr_pool_t *pool;
    const dsc_follow_options_t *options;
    dsc_connection_t *connection;
    const dsc_request_limit_t *request_limit; /* of the requests under way */
    CURLM *multi;
    CURL *kept[MOST_AT_ONCE];
    int kept_count, moving;
    long long requests;
    int paused; /* nothing more is asked for in this call */
    const char *pause_reason;
    void (*on_wait)(void *baton);
    void *on_wait_baton;
    apr_time_t waited; /* when it was called last, on the monotonic clock */
};

static const char *const error_names[DSC_ERROR_COUNT] = {
    "none",      "dns",      "connection", "tls",         "timeout", "truncated",
    "too-large", "redirect", "refused",    "paused",      "absent",  "server",
    "response",  "blocked",  "damaged",    "other",       "clock",   "skipped",
    "disk",      "room",     "import",     "interrupted",
};

const char *dsc_fetch_error_name(dsc_fetch_error_t error)
{
    return error_names[error];
}

static void fail(dsc_fetch_t *fetch, dsc_fetch_error_t error, const char *reason)
{
    fetch->error = error;
    fetch->reason = reason;
}

/* ------------------------------------------------------------------------ addresses */

const char *dsc_fetch_mirrored(apr_pool_t *pool, const dsc_follow_options_t *options,
                               const char *url)
{
    int i;

    for (i = 0; options->mirrors != NULL && i < options->mirrors->nelts; i++) {
        const dsc_follow_mirror_t *mirror =
            &APR_ARRAY_IDX(options->mirrors, i, dsc_follow_mirror_t);
        size_t length = strlen(mirror->origin);

        if (strncmp(url, mirror->origin, length) == 0 && url[length] == '/') {
            return apr_pstrcat(pool, mirror->url, url + length, NULL);
        }
    }
    return url;
}

/* "https://host:port" of an address; NULL if it is none. */
static const char *origin_of(apr_pool_t *pool, const char *url)
{
    const char *host = strstr(url, "://");

    return host == NULL
               ? NULL
               : apr_pstrmemdup(pool, url, (apr_size_t)(host - url) + 3 + strcspn(host + 3, "/?#"));
}

static int is_same_origin(apr_pool_t *pool, const char *one, const char *other)
{
    const char *first = origin_of(pool, one), *second = origin_of(pool, other);

    return first != NULL && second != NULL && strcasecmp(first, second) == 0;
}

/* -------------------------------------------------------------- what libcurl calls */

static size_t take_body(char *bytes, size_t size, size_t count, void *baton)
{
    transfer_t *transfer = baton;
    dsc_fetch_t *fetch = transfer->fetch;
    size_t length = size * count;

    if (transfer->file == NULL) {
        transfer->file =
            dsc_go_open(transfer->pool, transfer->handle, fetch, &transfer->go, transfer->digest);
        if (transfer->file == NULL) {
            return 0;
        }
    }
    fetch->size += (apr_int64_t)length;
    if (fetch->size > fetch->most) {
        fetch->error = DSC_ERROR_TOO_LARGE;
        return 0;
    }
    if (fetch->goes != NULL && fetch->size > fetch->goes->room) {
        fail(fetch, DSC_ERROR_NO_ROOM, "it waits for room on the disk");
        return 0;
    }
    if (fwrite(bytes, 1, length, transfer->file) != length) {
        transfer->disk_is_full = 1;
        return 0;
    }
    EVP_DigestUpdate(transfer->digest, bytes, length);
    if (fetch->goes != NULL && transfer->go.page == NULL) {
        fetch->goes->come += (apr_int64_t)length;
    }
    return length;
}

/* What takes long is broken off by a signal: the rest is asked for the next time. */
static int look_round(void *baton, curl_off_t to_come, curl_off_t come, curl_off_t to_go,
                      curl_off_t gone)
{
    const transfer_t *transfer = baton;
    const dsc_fetch_goes_t *goes = transfer->fetch->goes;

    (void)to_come, (void)come, (void)to_go, (void)gone;
    if (goes != NULL && goes->progress != NULL) {
        goes->progress(goes->progress_baton, transfer->fetch->size, goes->total);
    }
    return dsc_interrupted() != 0;
}

/* Just before the request is sent, on a connection that is there: making it may have taken the time
 * that was free. */
static int before_request(void *baton, char *remote, char *local, int remote_port, int local_port)
{
    transfer_t *transfer = baton;
    apr_time_t now = dsc_monotonic_now();
    int wait;

    (void)remote, (void)local, (void)remote_port, (void)local_port;
    if (now > transfer->send_at + apr_time_from_msec(LATE)) {
        if (!dsc_request_limit_take(transfer->fetcher->connection, transfer->fetcher->request_limit,
                                    &wait)) {
            return CURL_PREREQFUNC_ABORT;
        }
        transfer->send_at = now + apr_time_from_msec(wait);
    }
    if (transfer->send_at > now) {
        usleep((useconds_t)(transfer->send_at - now));
    }
    transfer->fetcher->requests++;
    return CURL_PREREQFUNC_OK;
}

/* ----------------------------------------------------------------------- options */

static const struct {
    CURLoption option;
    long value;
} number_options[] = {
    {CURLOPT_NOSIGNAL, 1},
    {CURLOPT_FOLLOWLOCATION, 0},
    {CURLOPT_NETRC, CURL_NETRC_IGNORED},
    {CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS},
    {CURLOPT_PIPEWAIT, 1},
    {CURLOPT_TCP_KEEPALIVE, 1},
    {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
    {CURLOPT_SSL_VERIFYPEER, 1},
    {CURLOPT_SSL_VERIFYHOST, 2},
    {CURLOPT_CONNECTTIMEOUT, CONNECT_SECONDS},
    {CURLOPT_TIMEOUT, TOTAL_SECONDS},
    {CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES},
    {CURLOPT_LOW_SPEED_TIME, SLOW_SECONDS},
    {CURLOPT_HTTPGET, 1},
};

static int set_numbers(CURL *handle)
{
    size_t i;

    for (i = 0; i < sizeof(number_options) / sizeof(number_options[0]); i++) {
        if (curl_easy_setopt(handle, number_options[i].option, number_options[i].value) !=
            CURLE_OK) {
            return 0;
        }
    }
    return 1;
}

static void add_header(transfer_t *transfer, const char *name, const char *value)
{
    if (value != NULL) {
        transfer->headers =
            curl_slist_append(transfer->headers, apr_pstrcat(transfer->pool, name, value, NULL));
    }
}

/* What is here already is asked for on condition that it has changed. */
static void add_conditions(transfer_t *transfer)
{
    const dsc_fetch_t *fetch = transfer->fetch;

    add_header(transfer, "If-None-Match: ", fetch->etag);
    add_header(transfer, "If-Modified-Since: ", fetch->etag ? NULL : fetch->last_modified);
}

/* Parts are of the file as it is, not of what a compression makes of it; and slow ones come to
 * their end, if they move. */
static int set_goes(CURL *handle, transfer_t *transfer)
{
    if (transfer->fetch->goes == NULL) {
        return curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "") == CURLE_OK;
    }
    transfer->headers = dsc_go_headers(transfer->pool, &transfer->go, transfer->headers);
    return curl_easy_setopt(handle, CURLOPT_ACCEPT_ENCODING, "identity") == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_TIMEOUT, 0L) == CURLE_OK;
}

static int set_options(CURL *handle, transfer_t *transfer)
{
    const dsc_follow_options_t *options = transfer->fetcher->options;
    int is_plain = strncmp(transfer->address, "http://", 7) == 0; /* of a mirror only */

    add_conditions(transfer);
    return set_numbers(handle) && set_goes(handle, transfer) &&
           curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, look_round) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_XFERINFODATA, transfer) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, is_plain ? "http" : "https") ==
               CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_URL, transfer->address) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_USERAGENT,
                            options->user_agent ? options->user_agent
                                                : "disclosedctl/" DISCLOSED_VERSION) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_HTTPHEADER, transfer->headers) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_PRIVATE, transfer) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, before_request) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_PREREQDATA, transfer) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_WRITEDATA, transfer) == CURLE_OK &&
           curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, transfer->detail) == CURLE_OK;
}

/* ----------------------------------------------------------------- the end of one */

static const struct {
    CURLcode code;
    dsc_fetch_error_t error;
    const char *words;
} failures[] = {
    {CURLE_COULDNT_RESOLVE_HOST, DSC_ERROR_DNS, "the host name cannot be resolved"},
    {CURLE_COULDNT_RESOLVE_PROXY, DSC_ERROR_DNS, "the proxy's name cannot be resolved"},
    {CURLE_COULDNT_CONNECT, DSC_ERROR_CONNECTION, "no connection could be made"},
    {CURLE_SEND_ERROR, DSC_ERROR_CONNECTION, "the connection was lost while asking"},
    {CURLE_RECV_ERROR, DSC_ERROR_CONNECTION, "the connection was lost"},
    {CURLE_GOT_NOTHING, DSC_ERROR_CONNECTION, "the connection was closed without a response"},
    {CURLE_PEER_FAILED_VERIFICATION, DSC_ERROR_TLS, "the server's certificate is not accepted"},
    {CURLE_SSL_CONNECT_ERROR, DSC_ERROR_TLS, "the TLS handshake failed"},
    {CURLE_SSL_CACERT_BADFILE, DSC_ERROR_TLS, "the list of certificate authorities cannot be read"},
    {CURLE_OPERATION_TIMEDOUT, DSC_ERROR_TIMEOUT, "no response in time"},
    {CURLE_PARTIAL_FILE, DSC_ERROR_TRUNCATED, "the body ended before its length"},
    {CURLE_BAD_CONTENT_ENCODING, DSC_ERROR_TRUNCATED, "the compressed body is damaged"},
    {CURLE_HTTP2_STREAM, DSC_ERROR_TRUNCATED, "the stream was broken off"},
    {CURLE_ABORTED_BY_CALLBACK, DSC_ERROR_PAUSED, "the publisher has asked for a pause"},
};

static void note_failure(transfer_t *transfer, CURLcode code)
{
    dsc_fetch_t *fetch = transfer->fetch;
    size_t i;

    if (transfer->disk_is_full) {
        fail(fetch, DSC_ERROR_DISK, "the body cannot be written: no room on the disk");
        return;
    }
    if (fetch->error == DSC_ERROR_TOO_LARGE && fetch->reason == NULL) {
        fail(fetch, DSC_ERROR_TOO_LARGE,
             apr_psprintf(transfer->pool, "more than %" APR_INT64_T_FMT " bytes", fetch->most));
        return;
    }
    if (fetch->error != DSC_ERROR_NONE) { /* for which it was broken off */
        return;
    }
    if (code == CURLE_ABORTED_BY_CALLBACK && dsc_interrupted()) {
        fail(fetch, DSC_ERROR_INTERRUPTED, dsc_interrupt_text());
        return;
    }
    for (i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        if (failures[i].code == code) {
            fail(fetch, failures[i].error,
                 transfer->detail[0] == '\0' ? failures[i].words
                                             : apr_pstrcat(transfer->pool, failures[i].words, ": ",
                                                           transfer->detail, NULL));
            return;
        }
    }
    fail(fetch, DSC_ERROR_CONNECTION,
         apr_pstrcat(transfer->pool, "the request failed: ", curl_easy_strerror(code), NULL));
}

/* Amazon's storage, where EDGAR's archives are, refuses what is not there. */
static int is_not_there(const transfer_t *transfer, long status)
{
    const char *path = transfer->go.page != NULL ? transfer->go.page : transfer->fetch->path;
    char head[512];
    size_t length;
    FILE *file;

    if (status == 404 || status == 410) {
        return 1;
    }
    if (status != 403 || (file = fopen(path, "r")) == NULL) {
        return 0;
    }
    length = fread(head, 1, sizeof(head) - 1, file);
    head[length] = '\0';
    fclose(file);
    return strstr(head, "<Code>AccessDenied</Code>") != NULL ||
           strstr(head, "<Code>NoSuchKey</Code>") != NULL;
}

/* Seconds of Retry-After, from a number or a date; -1: it has none, or says that there is no
 * pause. */
static long retry_after(const transfer_t *transfer)
{
    const char *text = dsc_go_header(transfer->pool, transfer->handle, "retry-after");
    apr_time_t until, now;

    if (text == NULL) {
        return -1;
    }
    if (strspn(text, "0123456789") == strlen(text)) {
        return apr_atoi64(text) > 0 ? (long)apr_atoi64(text) : -1;
    }
    until = apr_date_parse_http(text);
    now = transfer->fetch->date > 0 ? transfer->fetch->date : apr_time_now();
    return until > now ? (long)apr_time_sec(until - now) : -1;
}

/* What a status says that is none of success. */
static void note_status(transfer_t *transfer, long status)
{
    dsc_fetch_t *fetch = transfer->fetch;
    const char *said = apr_psprintf(transfer->pool, "status %ld", status);

    if (is_not_there(transfer, status)) {
        fail(fetch, DSC_ERROR_MISSING, said);
    } else if (status == 403 || status == 429 || (status == 503 && retry_after(transfer) >= 0)) {
        fail(fetch, DSC_ERROR_REFUSED, said);
        dsc_request_limit_pause(transfer->fetcher->connection, transfer->fetcher->request_limit,
                                retry_after(transfer), said);
        transfer->fetcher->paused = 1;
    } else {
        fail(fetch, status >= 500 ? DSC_ERROR_SERVER : DSC_ERROR_RESPONSE, said);
        if (status == 416 && fetch->goes != NULL) { /* there is no such rest: from the beginning */
            dsc_partial_forget(transfer->pool, fetch->path);
        }
    }
}

/* A time that lies ahead would have everything count as unchanged. */
static const char *believable(const char *last_modified)
{
    return last_modified != NULL &&
                   apr_date_parse_http(last_modified) < apr_time_now() + apr_time_from_sec(DAY)
               ? last_modified
               : NULL;
}

static void note_body(transfer_t *transfer)
{
    dsc_fetch_t *fetch = transfer->fetch;
    unsigned char digest[DSC_SHA256_SIZE];

    fetch->got_etag = dsc_go_header(transfer->pool, transfer->handle, "etag");
    fetch->got_last_modified =
        believable(dsc_go_header(transfer->pool, transfer->handle, "last-modified"));
    if (EVP_DigestFinal_ex(transfer->digest, digest, NULL) == 1) {
        fetch->content_hash = dsc_content_hash(transfer->pool, digest);
    }
    dsc_request_limit_resume(transfer->fetcher->connection, transfer->fetcher->request_limit);
}

/* A page in place of the body, with a status of success: it may say that too much was asked. */
static void note_page(transfer_t *transfer)
{
    dsc_fetch_t *fetch = transfer->fetch;
    const char *reason = "a page, in place of the file";
    dsc_fetch_error_t error =
        dsc_body_error(transfer->pool, transfer->go.page, DSC_BODY_ZIP, NULL, &reason);

    fail(fetch, DSC_ERROR_BLOCKED, reason != NULL ? reason : "a page, in place of the file");
    if (dsc_body_is_refusal(error, fetch->reason)) {
        dsc_request_limit_pause(transfer->fetcher->connection, transfer->fetcher->request_limit, -1,
                                reason);
        transfer->fetcher->paused = 1;
    }
}

/* Whether 304 says anything: that nothing has changed since something was here. */
static int is_conditional(const dsc_fetch_t *fetch)
{
    return fetch->etag != NULL || fetch->last_modified != NULL;
}

/* Of a body that comes in several goes: whether all of it is here that there is, by what has been
 * said of it. */
static int is_all(const transfer_t *transfer)
{
    dsc_fetch_t *fetch = transfer->fetch;
    apr_int64_t total = fetch->goes->total;

    if (total < 0 || fetch->size == total) {
        return 1;
    }
    if (fetch->size < total) {
        fail(fetch, DSC_ERROR_TRUNCATED,
             apr_psprintf(transfer->pool,
                          "a part was sent that ends after %" APR_INT64_T_FMT
                          " of %" APR_INT64_T_FMT " bytes",
                          fetch->size, total));
        return 0;
    }
    dsc_partial_forget(transfer->pool, fetch->path);
    fail(fetch, DSC_ERROR_RESPONSE,
         apr_psprintf(transfer->pool,
                      "%" APR_INT64_T_FMT " bytes were sent of %" APR_INT64_T_FMT
                      " that it should have",
                      fetch->size, total));
    return 0;
}

/* A status of success, 304 included. */
static void note_success(transfer_t *transfer, long status)
{
    dsc_fetch_t *fetch = transfer->fetch;

    if (transfer->go.page != NULL) {
        note_page(transfer);
    } else if (fetch->goes != NULL && status != 304 && fetch->goes->come == 0) {
        fail(fetch, DSC_ERROR_TRUNCATED, "the body is empty");
    } else if (fetch->goes == NULL || status == 304 || is_all(transfer)) {
        fetch->status = status == 206 ? 200 : (int)status;
        note_body(transfer);
        if (status == 206) { /* a part need not state what the whole has stated */
            fetch->got_etag = transfer->go.partial.etag;
            fetch->got_last_modified = transfer->go.partial.last_modified;
        }
    }
}

static void read_response(transfer_t *transfer, CURLcode code)
{
    dsc_fetch_t *fetch = transfer->fetch;
    const char *date;
    long status = 0;

    curl_easy_getinfo(transfer->handle, CURLINFO_RESPONSE_CODE, &status);
    date = dsc_go_header(transfer->pool, transfer->handle, "date");
    fetch->date = date ? apr_date_parse_http(date) : 0;
    if (code != CURLE_OK) {
        note_failure(transfer, code);
    } else if (status == 200 || (status == 304 && is_conditional(fetch)) ||
               (status == 206 && fetch->goes != NULL)) {
        note_success(transfer, status);
    } else {
        note_status(transfer, status);
    }
    if (transfer->go.page != NULL) {
        (void)apr_file_remove(transfer->go.page, transfer->pool);
    }
}

/* --------------------------------------------------------------------- one transfer */

/* A body that comes in several goes is opened when it is known what has come: dsc_go_open(). */
static int open_body(transfer_t *transfer)
{
    dsc_fetch_t *fetch = transfer->fetch;

    fetch->size = 0;
    if (fetch->goes != NULL) {
        fetch->goes->total = -1;
        fetch->goes->come = 0;
        dsc_partial_read(transfer->pool, fetch->path, fetch->url, &transfer->go.partial);
    } else {
        transfer->file = fopen(fetch->path, "w");
    }
    if (fetch->goes == NULL && transfer->file == NULL) {
        char text[120];

        fail(fetch, DSC_ERROR_DISK,
             apr_pstrcat(transfer->pool, fetch->path,
                         " cannot be written: ", apr_strerror(errno, text, sizeof(text)), NULL));
        return 0;
    }
    transfer->digest = EVP_MD_CTX_new();
    return transfer->digest != NULL && EVP_DigestInit_ex(transfer->digest, EVP_sha256(), NULL) == 1;
}

static int begin(transfer_t *transfer)
{
    dsc_fetcher_t *fetcher = transfer->fetcher;
    CURL *handle =
        fetcher->kept_count > 0 ? fetcher->kept[--fetcher->kept_count] : curl_easy_init();

    if (!open_body(transfer)) {
        curl_easy_cleanup(handle);
        return 0;
    }
    transfer->handle = handle;
    if (handle == NULL || !set_options(handle, transfer) ||
        curl_multi_add_handle(fetcher->multi, handle) != CURLM_OK) {
        fail(transfer->fetch, DSC_ERROR_CONNECTION, "the request cannot be made");
        return 0;
    }
    fetcher->moving++;
    return 1;
}

static void close_body(transfer_t *transfer)
{
    if (transfer->file != NULL && fclose(transfer->file) != 0) {
        transfer->disk_is_full = 1;
    }
    transfer->file = NULL;
}

static void release(transfer_t *transfer, int is_good)
{
    dsc_fetcher_t *fetcher = transfer->fetcher;

    close_body(transfer);
    if (transfer->handle != NULL) {
        curl_multi_remove_handle(fetcher->multi, transfer->handle);
        if (is_good && fetcher->kept_count < MOST_AT_ONCE) {
            curl_easy_reset(transfer->handle);
            fetcher->kept[fetcher->kept_count++] = transfer->handle;
        } else {
            curl_easy_cleanup(transfer->handle);
        }
    }
    curl_slist_free_all(transfer->headers);
    EVP_MD_CTX_free(transfer->digest);
    transfer->handle = NULL;
    transfer->headers = NULL;
    transfer->digest = NULL;
}

/* Whether the response only says where the file is; another request is made then, within the same
 * origin. */
static const char *redirected_to(const transfer_t *transfer)
{
    char *target = NULL;

    curl_easy_getinfo(transfer->handle, CURLINFO_REDIRECT_URL, &target);
    return apr_pstrdup(transfer->pool, target);
}

static int start(dsc_fetcher_t *fetcher, apr_pool_t *pool, dsc_fetch_t *fetch, const char *address,
                 int redirects, apr_time_t send_at)
{
    transfer_t *transfer = apr_pcalloc(pool, sizeof(*transfer));

    transfer->fetcher = fetcher;
    transfer->fetch = fetch;
    transfer->pool = pool;
    transfer->send_at = send_at;
    transfer->redirects = redirects;
    transfer->address = address;
    if (!begin(transfer)) {
        release(transfer, 0);
        return 0;
    }
    return 1;
}

static void follow_redirect(dsc_fetcher_t *fetcher, transfer_t *transfer, const char *target)
{
    dsc_fetch_t *fetch = transfer->fetch;

    if (!is_same_origin(transfer->pool, transfer->address, target) ||
        transfer->redirects >= MOST_REDIRECTS) {
        fail(fetch, DSC_ERROR_REDIRECT,
             apr_pstrcat(transfer->pool, "redirected to ", target, NULL));
        return;
    }
    start(fetcher, transfer->pool, fetch, target, transfer->redirects + 1,
          0); /* 0: takes its time */
}

static void collect(dsc_fetcher_t *fetcher)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(fetcher->multi, &left)) != NULL) {
        CURLcode code = message->data.result;
        transfer_t *transfer = NULL;
        const char *target;

        if (message->msg != CURLMSG_DONE ||
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer) != CURLE_OK) {
            continue;
        }
        close_body(transfer);
        code = code == CURLE_OK && transfer->disk_is_full ? CURLE_WRITE_ERROR : code;
        target = code == CURLE_OK ? redirected_to(transfer) : NULL;
        if (target == NULL) {
            read_response(transfer, code);
        }
        release(transfer, code == CURLE_OK);
        fetcher->moving--;
        if (target != NULL) {
            follow_redirect(fetcher, transfer, target);
        }
    }
}

/* ---------------------------------------------------------------------- all of them */

static apr_status_t end_fetcher(void *data)
{
    dsc_fetcher_t *fetcher = data;
    int i;

    for (i = 0; i < fetcher->kept_count; i++) {
        curl_easy_cleanup(fetcher->kept[i]);
    }
    curl_multi_cleanup(fetcher->multi);
    return APR_SUCCESS;
}

dsc_fetcher_t *dsc_fetcher_create(apr_pool_t *pool, const dsc_follow_options_t *options,
                                  dsc_connection_t *connection)
{
    dsc_fetcher_t *fetcher = apr_pcalloc(pool, sizeof(*fetcher));

    fetcher->pool = pool;
    fetcher->options = options;
    fetcher->connection = connection;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
        (fetcher->multi = curl_multi_init()) == NULL) {
        return NULL;
    }
    curl_multi_setopt(fetcher->multi, CURLMOPT_MAXCONNECTS, (long)MOST_AT_ONCE);
    curl_multi_setopt(fetcher->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)MOST_AT_ONCE);
    apr_pool_pre_cleanup_register(pool, fetcher, end_fetcher);
    return fetcher;
}

long long dsc_fetcher_requests(const dsc_fetcher_t *fetcher)
{
    return fetcher->requests;
}

void dsc_fetcher_refused(dsc_fetcher_t *fetcher, const dsc_request_limit_t *request_limit,
                         const char *reason)
{
    dsc_request_limit_pause(fetcher->connection, request_limit, -1, reason);
}

void dsc_fetcher_on_wait(dsc_fetcher_t *fetcher, void (*wait)(void *baton), void *baton)
{
    fetcher->on_wait = wait;
    fetcher->on_wait_baton = baton;
}

/* Others must see, however long a body takes, that this process is at it. */
static void look_after_turn(dsc_fetcher_t *fetcher)
{
    apr_time_t now = dsc_monotonic_now();

    if (fetcher->on_wait != NULL && now > fetcher->waited + apr_time_from_sec(WAIT_SECONDS)) {
        fetcher->waited = now;
        fetcher->on_wait(fetcher->on_wait_baton);
    }
}

/* Works for so many milliseconds, less if something moves or a signal comes. */
static void work(dsc_fetcher_t *fetcher, int milliseconds)
{
    struct curl_waitfd signal = {.fd = dsc_interrupt_descriptor(), .events = CURL_WAIT_POLLIN};
    int moving;

    curl_multi_poll(fetcher->multi, signal.fd >= 0 ? &signal : NULL, signal.fd >= 0, milliseconds,
                    NULL);
    curl_multi_perform(fetcher->multi, &moving);
    collect(fetcher);
}

/* The time at which the next request may be sent, by the monotonic clock; 0: there is a pause, or
 * no database. */
static apr_time_t take_time(dsc_fetcher_t *fetcher)
{
    int wait;

    if (!dsc_request_limit_take(fetcher->connection, fetcher->request_limit, &wait)) {
        fetcher->paused = 1;
        return 0;
    }
    return dsc_monotonic_now() + apr_time_from_msec(wait);
}

static void pass_over(dsc_fetch_t *fetch)
{
    if (dsc_interrupted()) {
        fail(fetch, DSC_ERROR_INTERRUPTED, dsc_interrupt_text());
    } else {
        fail(fetch, DSC_ERROR_PAUSED, "the publisher has asked for a pause");
    }
}

void dsc_fetch_all(dsc_fetcher_t *fetcher, apr_pool_t *pool,
                   const dsc_request_limit_t *request_limit, dsc_fetch_t *fetches, int count)
{
    apr_time_t send_at = 0;
    int next = 0;

    fetcher->request_limit = request_limit;
    fetcher->paused = 0;
    fetcher->waited = dsc_monotonic_now();
    while (next < count || fetcher->moving > 0) {
        apr_time_t now = dsc_monotonic_now();
        int wait = 200;

        if (next < count && (fetcher->paused || dsc_interrupted())) {
            pass_over(&fetches[next++]);
            continue;
        }
        if (next < count && fetcher->moving < MOST_AT_ONCE) {
            if (send_at == 0 && (send_at = take_time(fetcher)) == 0) {
                continue;
            }
            if (send_at <= now) {
                start(fetcher, pool, &fetches[next],
                      dsc_fetch_mirrored(pool, fetcher->options, fetches[next].url), 0, send_at);
                next++;
                send_at = 0;
                wait = 0;
            } else {
                wait = (int)apr_time_as_msec(send_at - now) + 1;
            }
        }
        work(fetcher, wait);
        look_after_turn(fetcher);
    }
}
