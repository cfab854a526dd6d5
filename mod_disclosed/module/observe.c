#include "module/observe.h"

#include "engine/buffer.h"
#include "engine/json_writer.h"
#include "mod_disclosed.h"
#include "module/config.h"
#include "module/handler.h"
#include "module/client.h"
#include "module/read_servers.h"

#include <apr_lib.h>
#include <apr_optional.h>
#include <apr_strings.h>
#include <errno.h>
#include <http_protocol.h>
#include <mod_log_config.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static dsc_shared_state_t *shared;
static server_rec *servers;
static dsc_pool_counter_t *pool_counter;
static _Atomic uint64_t published_at;

int dsc_process_is_alive(uint64_t process)
{
    return kill((pid_t)process, 0) == 0 || errno == EPERM;
}

void dsc_observe_init(dsc_shared_state_t *state, server_rec *main_server)
{
    shared = state;
    servers = main_server;
    pool_counter =
        state ? dsc_pool_counter(&state->counters, (uint64_t)getpid(), dsc_process_is_alive) : NULL;
}

/* ------------------------------------------------------------------------ pools */

static const dsc_database_t *database_of(const server_rec *server)
{
    const dsc_service_t *service = dsc_server_config(server)->service;
    return service ? service->database : NULL;
}

/* Whether no server before has the same pool. */
static int is_first_of_pool(const server_rec *server)
{
    const server_rec *other;
    for (other = servers; other != server; other = other->next) {
        if (database_of(other) == database_of(server)) {
            return 0;
        }
    }
    return database_of(server) != NULL;
}

/* Shows the state of the process's pools, once a second at most. Servers may share one. */
static void publish_pools(apr_time_t now)
{
    dsc_database_counters_t all = {0}, one;
    uint64_t before = atomic_load(&published_at);
    const server_rec *server;
    if (!pool_counter || (uint64_t)now - before < APR_USEC_PER_SEC ||
        !atomic_compare_exchange_strong(&published_at, &before, (uint64_t)now)) {
        return;
    }
    for (server = servers; server; server = server->next) {
        if (is_first_of_pool(server)) {
            dsc_database_counters(database_of(server), &one);
            all.in_use += one.in_use;
            all.open += one.open;
            all.waiting += one.waiting;
            all.statements_prepared += one.statements_prepared;
            dsc_read_servers_count(dsc_server_config(server)->service, &all);
        }
    }
    atomic_store(&pool_counter->in_use, all.in_use);
    atomic_store(&pool_counter->open, all.open);
    atomic_store(&pool_counter->waiting, all.waiting);
    atomic_store(&pool_counter->statements, (int64_t)all.statements_prepared);
}

/* ---------------------------------------------------------------------- responses */

/* Microseconds that the request took; none if the clock has stepped back meanwhile. */
static apr_time_t duration(const request_rec *r, apr_time_t now)
{
    return now > r->request_time ? now - r->request_time : 0;
}

/* The request that was responded to: the last of ours of a chain of internal redirects, of which
 * httpd logs the first. */
static const request_rec *last_of_ours(const request_rec *r)
{
    const request_rec *found = r;
    for (; r; r = r->next) {
        if (dsc_client_of(r)) {
            found = r;
        }
    }
    return found;
}

int dsc_observe(request_rec *first)
{
    const request_rec *r = last_of_ours(first);
    const dsc_client_t *client = dsc_client_of(r);
    apr_time_t now;
    if (!client || !shared) {
        return DECLINED;
    }
    now = apr_time_now();
    dsc_count_response(&shared->counters, client->operation, r->status, (uint64_t)duration(r, now));
    if (client->verdict == DSC_VERIFY_GOOD) {
        dsc_count_usage(&shared->counters, client->limited.database_slot, client->limited.number,
                        client->operation, !client->limit.allowed, (uint64_t)now);
    }
    publish_pools(now);
    return DECLINED;
}

/* -------------------------------------------------------------------------- log */

static void text_member(dsc_buffer_t *json, const char *name, const char *text)
{
    dsc_buffer_append_char(json, json->length > 1 ? ',' : ' ');
    dsc_json_name(json, name);
    dsc_json_text(json, text);
}

static void number_member(dsc_buffer_t *json, const char *name, apr_int64_t number)
{
    dsc_buffer_append_char(json, ',');
    dsc_json_name(json, name);
    dsc_json_integer(json, number);
}

static int is_byte(const char *digits)
{
    return apr_isxdigit(digits[0]) && apr_isxdigit(digits[1]);
}

/* The character at *at of a text, percent-decoded (RFC 3986, section 2.1) as often as it was
 * encoded ("%5F", "%255F"), and how many bytes it takes there. */
static int decoded(const char *at, size_t *size)
{
    const char *digits = at + 1;
    unsigned int byte;

    *size = 1;
    if (*at != '%') {
        return *at;
    }
    while (strncmp(digits, "25", 2) == 0 && is_byte(digits + 2)) {
        digits += 2;
    }
    if (!is_byte(digits) || sscanf(digits, "%2x", &byte) != 1) {
        return *at;
    }
    *size = (size_t)(digits + 2 - at);
    return (int)byte;
}

/* How many bytes of a text a secret's prefix takes at its beginning, however it is encoded; 0: it
 * has another beginning. */
static size_t prefix_size(const char *text, const char *prefix)
{
    size_t length = 0, size;

    for (; *prefix; prefix++, length += size) {
        if (decoded(text + length, &size) != *prefix) {
            return 0;
        }
    }
    return length;
}

/* What a client sent, as it may be logged: keys and secrets that are in it by mistake do not
 * show. */
static const char *without_keys(apr_pool_t *pool, const char *text)
{
    static const char *const prefixes[] = {"sk_live_", "sk_test_", "whsec_"};
    char *masked = text ? apr_pstrdup(pool, text) : NULL, *at;

    for (at = masked; at && *at;) {
        size_t size = 0;
        for (size_t i = 0; size == 0 && i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
            size = prefix_size(at, prefixes[i]);
        }
        at += size > 0 ? size : 1;
        /* Of base62 the keys, of base64 the secrets. */
        for (; size > 0 && *at && (apr_isalnum(*at) || strchr("%+/=_-", *at)); at++) {
            *at = '*';
        }
    }
    return masked;
}

static const char *json_line(request_rec *r, char *argument)
{
    dsc_buffer_t *json = dsc_buffer_create(r->pool, 512);
    char time[APR_RFC822_DATE_LEN + 16];
    apr_time_exp_t at;
    apr_size_t length;
    (void)argument;
    apr_time_exp_gmt(&at, r->request_time);
    apr_strftime(time, &length, sizeof(time), "%Y-%m-%dT%H:%M:%S", &at);
    apr_snprintf(time + length, sizeof(time) - length, ".%06dZ", at.tm_usec);
    dsc_buffer_append_char(json, '{');
    text_member(json, "time", time);
    text_member(json, "address", r->useragent_ip);
    text_member(json, "method", without_keys(r->pool, r->method));
    text_member(json, "path", without_keys(r->pool, r->uri));
    text_member(json, "query", without_keys(r->pool, r->args));
    text_member(json, "protocol", r->protocol);
    number_member(json, "status", r->status);
    number_member(json, "bytes", r->bytes_sent);
    number_member(json, "microseconds", duration(r, apr_time_now()));
    text_member(json, "endpoint", apr_table_get(r->notes, MOD_DISCLOSED_NOTE_ENDPOINT));
    text_member(json, "key", apr_table_get(r->notes, MOD_DISCLOSED_NOTE_KEY));
    text_member(json, "request_id", apr_table_get(r->notes, MOD_DISCLOSED_NOTE_REQUEST_ID));
    text_member(json, "traceparent",
                without_keys(r->pool, apr_table_get(r->headers_in, "traceparent")));
    text_member(json, "user_agent",
                without_keys(r->pool, apr_table_get(r->headers_in, "User-Agent")));
    dsc_buffer_append_char(json, '}');
    return dsc_buffer_text(json);
}

void dsc_observe_register_log(apr_pool_t *pool)
{
    APR_OPTIONAL_FN_TYPE(ap_register_log_handler) *offer =
        APR_RETRIEVE_OPTIONAL_FN(ap_register_log_handler);
    if (offer) {
        static char tag[] = "^DJ";
        offer(pool, tag, json_line, 0);
    }
}
