/* The HTTP client, against an HTTPS server in a thread. */
#include "unit/fixture.h"
#include "unit/suites.h"
#include "unit/tls_server.h"

#include "webhook/http_client.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static tls_server_t *server;

static int open_server(void)
{
    if (dsc_open_pool() != 0) {
        return 1;
    }
    server = tls_server_start(dsc_pool);
    return server ? 0 : 1;
}

/* What a strict sender has: nothing inside is allowed. */
static dsc_http_settings_t *strict_settings(void)
{
    dsc_http_settings_t *settings = apr_pcalloc(dsc_pool, sizeof(*settings));
    apr_array_header_t *ports = apr_array_make(dsc_pool, 2, sizeof(int));

    APR_ARRAY_PUSH(ports, int) = 443;
    APR_ARRAY_PUSH(ports, int) = tls_server_port(server);
    settings->user_agent = "disclosed/0.1 (+https://docs.example/webhooks)";
    settings->ports = ports;
    settings->connect_timeout = apr_time_from_sec(5);
    settings->total_timeout = apr_time_from_sec(15);
    settings->most_response = 65536;
    return settings;
}

/* The same, allowed to call the server of the tests. */
static dsc_http_settings_t *test_settings(void)
{
    dsc_http_settings_t *settings = strict_settings();
    apr_array_header_t *allowed = apr_array_make(dsc_pool, 1, sizeof(apr_ipsubnet_t *));
    apr_ipsubnet_t *network = NULL;

    CU_ASSERT_EQUAL_FATAL(apr_ipsubnet_create(&network, "127.0.0.0", "8", dsc_pool), APR_SUCCESS);
    APR_ARRAY_PUSH(allowed, apr_ipsubnet_t *) = network;
    settings->allowed = allowed;
    settings->ca_file = tls_server_ca_file(server);
    return settings;
}

static const char *url_of(const char *path)
{
    return apr_psprintf(dsc_pool, "https://127.0.0.1:%d%s", tls_server_port(server), path);
}

static dsc_http_post_t *post_to(const char *url)
{
    dsc_http_post_t *post = apr_pcalloc(dsc_pool, sizeof(*post));
    apr_array_header_t *headers = apr_array_make(dsc_pool, 2, sizeof(const char *));

    APR_ARRAY_PUSH(headers, const char *) = "content-type: application/json";
    APR_ARRAY_PUSH(headers, const char *) = "webhook-id: msg_1";
    post->url = url;
    post->headers = headers;
    post->body = "{\"type\":\"webhook.test\"}";
    post->length = strlen(post->body);
    return post;
}

static dsc_http_response_t post(const dsc_http_settings_t *settings, const char *url)
{
    dsc_http_response_t response;

    dsc_http_post(dsc_pool, settings, post_to(url), &response);
    return response;
}

static void expect_error(dsc_http_response_t response, const char *expected)
{
    CU_ASSERT_EQUAL(response.status, 0);
    CU_ASSERT_PTR_NOT_NULL_FATAL(response.error);
    CU_ASSERT_EQUAL(strncmp(response.error, expected, strlen(expected)), 0);
    if (strncmp(response.error, expected, strlen(expected)) != 0) {
        fprintf(stderr, "%s\n    expected %s\n", response.error, expected);
    }
}

static void test_refusals(void)
{
    static const struct {
        const char *url, *error;
    } rows[] = {
        {"http://example.com/", "the URL's scheme is not https"},
        {"ftp://example.com/", "the URL's scheme is not https"},
        {"file:///etc/passwd", "the URL's scheme is not https"},
        {"gopher://example.com/", "the URL's scheme is not https"},
        {"x-unknown://example.com/", "the URL's scheme is not https"},
        {"https://example.com:22/", "port 22 may not be called"},
        {"https://example.com:8443/", "port 8443 may not be called"},
        {"https://user:secret@example.com/", "the URL cannot be called: "},
        {"https://", "the URL cannot be called: "},
        {"", "the URL cannot be called: "},
        {"https://127.0.0.1/", "the host has no public address"},
        {"https://127.1/", "the host has no public address"},
        {"https://0x7f000001/", "the host has no public address"},
        {"https://2130706433/", "the host has no public address"},
        {"https://0.0.0.0/", "the host has no public address"},
        {"https://10.1.2.3/", "the host has no public address"},
        {"https://169.254.169.254/latest/meta-data/", "the host has no public address"},
        {"https://[::1]/", "the host has no public address"},
        {"https://[::]/", "the host has no public address"},
        {"https://[::ffff:127.0.0.1]/", "the host has no public address"},
        {"https://[fd00::1]/", "the host has no public address"},
        {"https://nowhere.invalid/", "the host name cannot be resolved"},
    };
    dsc_http_settings_t *settings = strict_settings();
    dsc_http_response_t local;
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        expect_error(post(settings, rows[i].url), rows[i].error);
    }
    local = post(settings, "https://localhost/");
    expect_error(local, "the host has no public address");
    expect_error(post(settings, url_of("/good")), "the host has no public address");
}

static void test_headers(void)
{
    static const char *const bad[] = {"x: a\r\nHost: b", "x: a\nb: c", "x: a\r", "\nx: a"};
    dsc_http_settings_t *settings = test_settings();
    size_t i;

    for (i = 0; i < COUNT(bad); i++) {
        dsc_http_post_t *request = post_to(url_of("/good"));
        apr_array_header_t *headers = apr_array_copy(dsc_pool, request->headers);
        dsc_http_response_t response;

        APR_ARRAY_PUSH(headers, const char *) = bad[i];
        request->headers = headers;
        dsc_http_post(dsc_pool, settings, request, &response);
        expect_error(response, "a header of the request holds a line break");
    }
}

static void test_responses(void)
{
    static const struct {
        const char *path;
        int status;
        const char *retry_after;
        int abort_message;
    } rows[] = {
        {"/good", 200, NULL, 0},   {"/redirect", 302, NULL, 0}, {"/gone", 410, NULL, 0},
        {"/busy", 429, "120", 0},  {"/abort", 500, NULL, 1},    {"/early", 204, NULL, 0},
        {"/big", 200, NULL, 0},    {"/endless", 200, NULL, 0},  {"/short", 200, NULL, 0},
        {"/cookie", 200, NULL, 0},
    };
    dsc_http_settings_t *settings = test_settings();
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        dsc_http_response_t response = post(settings, url_of(rows[i].path));

        CU_ASSERT_EQUAL(response.status, rows[i].status);
        CU_ASSERT_PTR_NULL(response.error);
        CU_ASSERT_EQUAL(response.retry_after != NULL, rows[i].retry_after != NULL);
        if (response.retry_after && rows[i].retry_after) {
            CU_ASSERT_STRING_EQUAL(response.retry_after, rows[i].retry_after);
        }
        CU_ASSERT_EQUAL(response.abort_message, rows[i].abort_message);
        CU_ASSERT_TRUE(response.took > 0 && response.took < apr_time_from_sec(10));
    }
}

static void test_failures(void)
{
    dsc_http_settings_t *settings = test_settings();
    dsc_http_response_t response;

    expect_error(post(settings, url_of("/noise")), "the response is not HTTP");
    expect_error(post(settings, url_of("/close")), "the connection was closed without a response");
    settings->total_timeout = apr_time_from_msec(300);
    response = post(settings, url_of("/slow"));
    expect_error(response, "no response in time");
    CU_ASSERT_TRUE(response.took >= apr_time_from_msec(290) &&
                   response.took < apr_time_from_sec(10));
}

static void test_no_listener(void)
{
    dsc_http_settings_t *settings = test_settings();
    apr_array_header_t *ports = apr_array_copy(dsc_pool, settings->ports);

    APR_ARRAY_PUSH(ports, int) = 1;
    settings->ports = ports;
    expect_error(post(settings, "https://127.0.0.1:1/"), "no connection could be made");
}

/* A certificate that nobody vouches for; one for another name. */
static void test_certificates(void)
{
    dsc_http_settings_t *settings = test_settings();
    const char *other_name =
        apr_psprintf(dsc_pool, "https://localhost:%d/good", tls_server_port(server));

    expect_error(post(settings, other_name), "the server's certificate is not accepted: ");
    settings->ca_file = NULL;
    expect_error(post(settings, url_of("/good")), "the server's certificate is not accepted: ");
    settings->ca_file = "/nonexistent/ca.pem";
    expect_error(post(settings, url_of("/good")), "our list of certificate authorities");
}

static void expect_in(const char *text, const char *part, int expected)
{
    CU_ASSERT_EQUAL(strstr(text, part) != NULL, expected);
    if ((strstr(text, part) != NULL) != expected) {
        fprintf(stderr, "%s\n    should %shave %s\n", text, expected ? "" : "not ", part);
    }
}

static void test_request(void)
{
    dsc_http_settings_t *settings = test_settings();
    dsc_http_post_t *request = post_to(url_of("/good#c"));
    char *large = apr_pcalloc(dsc_pool, 40001);
    dsc_http_response_t response;
    const char *seen;

    memset(large, 'x', 40000);
    request->body = large;
    request->length = 40000;
    dsc_http_post(dsc_pool, settings, request, &response);
    CU_ASSERT_EQUAL(response.status, 200);
    seen = tls_server_request(server, dsc_pool);
    expect_in(seen, "POST /good HTTP/1.1\r\n", 1);
    expect_in(seen, "\r\nUser-Agent: disclosed/0.1 (+https://docs.example/webhooks)\r\n", 1);
    expect_in(seen, "\r\ncontent-type: application/json\r\n", 1);
    expect_in(seen, "\r\nwebhook-id: msg_1\r\n", 1);
    expect_in(seen, "\r\nContent-Length: 40000\r\n", 1);
    expect_in(seen, "x-www-form-urlencoded", 0);
    expect_in(seen, "Expect", 0);
    expect_in(seen, "Cookie", 0);
    expect_in(seen, "Authorization", 0);
    CU_ASSERT_STRING_EQUAL(strstr(seen, "\r\n\r\n") + 4, large);
}

/* Only the settings name a proxy; it then filters, so that the address of the URL is not looked
 * at, and that of the proxy is never public. */
static void test_proxy(void)
{
    dsc_http_settings_t *settings = test_settings();

    setenv("https_proxy", "http://127.0.0.1:1", 1);
    setenv("all_proxy", "http://127.0.0.1:1", 1);
    CU_ASSERT_EQUAL(post(settings, url_of("/good")).status, 200);
    unsetenv("https_proxy");
    unsetenv("all_proxy");
    settings->allowed = NULL;
    settings->proxy = "http://127.0.0.1:1";
    setenv("no_proxy", "127.0.0.1", 1);
    expect_error(post(settings, url_of("/good")), "no connection could be made");
    unsetenv("no_proxy");
}

/* --- many at once ------------------------------------------------------------------------- */

static void test_many(void)
{
    static const struct {
        const char *path;
        int status;
    } rows[] = {{"/good", 200}, {"/gone", 410},   {"/noise", 0},   {"/big", 200},
                {"/busy", 429}, {"/close", 0},    {"/abort", 500}, {"/close", 0},
                {"/good", 200}, {"/cookie", 200}, {"/early", 204}, {"/redirect", 302}};
    dsc_http_settings_t *settings = test_settings();
    dsc_http_client_t *client;
    dsc_http_response_t response;
    int told[COUNT(rows)] = {0};
    void *baton;
    size_t i, left = COUNT(rows);

    settings->total_timeout = apr_time_from_sec(60);
    client = dsc_http_client_create(dsc_pool, settings);
    CU_ASSERT_PTR_NOT_NULL_FATAL(client);
    for (i = 0; i < COUNT(rows); i++) {
        CU_ASSERT_TRUE(dsc_http_client_start(client, post_to(url_of(rows[i].path)), &told[i]));
    }
    CU_ASSERT_TRUE(dsc_http_client_start(client, post_to("http://a/"), NULL));
    CU_ASSERT_EQUAL(dsc_http_client_running(client), (int)COUNT(rows) + 1);
    CU_ASSERT_TRUE(dsc_http_client_finished(client, dsc_pool, &baton, &response));
    CU_ASSERT_PTR_NULL(baton);
    while (dsc_http_client_running(client) > 0) {
        dsc_http_client_wait(client, NULL, 0, 5000);
        while (dsc_http_client_finished(client, dsc_pool, &baton, &response)) {
            size_t which = (size_t)((int *)baton - told);

            CU_ASSERT_EQUAL(response.status, rows[which].status);
            CU_ASSERT_EQUAL(response.error == NULL, rows[which].status != 0);
            told[which]++;
            left--;
        }
    }
    CU_ASSERT_EQUAL(left, 0);
    for (i = 0; i < COUNT(rows); i++) {
        CU_ASSERT_EQUAL(told[i], 1);
    }
    CU_ASSERT_FALSE(dsc_http_client_finished(client, dsc_pool, &baton, &response));
}

static void test_reuse(void)
{
    dsc_http_client_t *client = dsc_http_client_create(dsc_pool, test_settings());
    int i, connections = tls_server_connections(server);
    dsc_http_response_t response;
    void *baton;

    for (i = 0; i < 50; i++) {
        CU_ASSERT_TRUE_FATAL(dsc_http_client_start(client, post_to(url_of("/good")), NULL));
        while (!dsc_http_client_finished(client, dsc_pool, &baton, &response)) {
            dsc_http_client_wait(client, NULL, 0, 5000);
        }
        CU_ASSERT_EQUAL(response.status, 200);
    }
    CU_ASSERT_EQUAL(tls_server_connections(server), connections + 1);
}

/* Waiting ends when a descriptor is readable, or in time. */
static void test_wait(void)
{
    dsc_http_client_t *client = dsc_http_client_create(dsc_pool, test_settings());
    apr_time_t begun = apr_time_now();
    int ends[2];

    CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
    dsc_http_client_wait(client, ends, 1, 50);
    CU_ASSERT_TRUE(apr_time_now() - begun >= apr_time_from_msec(45));
    CU_ASSERT_EQUAL(write(ends[1], "x", 1), 1);
    begun = apr_time_now();
    dsc_http_client_wait(client, ends, 1, 20000);
    CU_ASSERT_TRUE(apr_time_now() - begun < apr_time_from_sec(10));
    CU_ASSERT_EQUAL(dsc_http_client_running(client), 0);
    close(ends[0]);
    close(ends[1]);
}

/* A slow receiver holds up nobody. The client ends with posts on their way, and with one whose end
 * was never taken. */
static void test_end(void)
{
    dsc_http_client_t *client;
    dsc_http_response_t response;
    apr_pool_t *pool;
    void *baton;

    CU_ASSERT_EQUAL_FATAL(apr_pool_create(&pool, dsc_pool), APR_SUCCESS);
    client = dsc_http_client_create(pool, test_settings());
    CU_ASSERT_TRUE(dsc_http_client_start(client, post_to(url_of("/slow")), NULL));
    CU_ASSERT_TRUE(dsc_http_client_start(client, post_to(url_of("/good")), client));
    CU_ASSERT_TRUE(dsc_http_client_start(client, post_to(url_of("/slow")), NULL));
    while (!dsc_http_client_finished(client, dsc_pool, &baton, &response)) {
        dsc_http_client_wait(client, NULL, 0, 5000);
    }
    CU_ASSERT_PTR_EQUAL(baton, client);
    CU_ASSERT_EQUAL(response.status, 200);
    CU_ASSERT_TRUE(dsc_http_client_start(client, post_to("https://a:1/"), NULL));
    dsc_http_client_wait(client, NULL, 0, 20);
    CU_ASSERT_EQUAL(dsc_http_client_running(client), 3);
    CU_ASSERT_TRUE(
        dsc_http_client_start(client, post_to(url_of("/slow")), NULL)); /* by the handle of /good */
    apr_pool_destroy(pool);
}

/* A name whose address is another one each time: 127.0.0.2 first. libcurl asks this function in
 * place of the system's. */
static atomic_int asked;

typedef int getaddrinfo_t(const char *, const char *, const struct addrinfo *, struct addrinfo **);

/* The parameters' names in netdb.h are reserved. */
/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
int getaddrinfo(const char *restrict node, const char *restrict service,
                const struct addrinfo *restrict hints, struct addrinfo **restrict result)
{
    union {
        void *object;
        getaddrinfo_t *function;
    } system = {dlsym(RTLD_NEXT, "getaddrinfo")};

    if (node && strcmp(node, "changing.test") == 0) {
        node = atomic_fetch_add(&asked, 1) == 0 ? "127.0.0.2" : "127.0.0.1";
    }
    return system.function(node, service, hints, result);
}

/* What is looked at is the address that is connected to: one that was good a moment ago does not
 * help. */
static void test_changing_name(void)
{
    dsc_http_settings_t *settings = test_settings();
    const char *url =
        apr_psprintf(dsc_pool, "https://changing.test:%d/good", tls_server_port(server));
    apr_array_header_t *allowed = apr_array_make(dsc_pool, 1, sizeof(apr_ipsubnet_t *));
    apr_ipsubnet_t *network = NULL;
    dsc_http_response_t first;

    CU_ASSERT_EQUAL_FATAL(apr_ipsubnet_create(&network, "127.0.0.2", "32", dsc_pool), APR_SUCCESS);
    APR_ARRAY_PUSH(allowed, apr_ipsubnet_t *) = network;
    settings->allowed = allowed;
    first = post(settings, url);
    CU_ASSERT_EQUAL(first.status, 0); /* nobody listens there */
    CU_ASSERT_PTR_NOT_NULL_FATAL(first.error);
    CU_ASSERT_PTR_NULL(strstr(first.error, "no public address"));
    expect_error(post(settings, url), "the host has no public address");
    CU_ASSERT_EQUAL(atomic_load(&asked), 2);
}

/* What an end without a status makes suspect of this host: nothing that a receiver can bring
 * about. */
static void test_suspicions(void)
{
    const struct {
        const dsc_http_settings_t *settings;
        const char *url;
        dsc_host_failure_t suspected;
    } rows[] = {
        {strict_settings(), "https://example.com:22/", DSC_HOST_PORT},
        {strict_settings(), "http://example.com/", DSC_HOST_NONE},
        {strict_settings(), "https://nowhere.invalid/", DSC_HOST_NAMES},
        {strict_settings(), "https://10.1.2.3/", DSC_HOST_NONE},
        {strict_settings(), url_of("/good"), DSC_HOST_NONE}, /* not public */
        {test_settings(), url_of("/closed"), DSC_HOST_NONE},
        {test_settings(), url_of("/good"), DSC_HOST_NONE},
    };
    dsc_http_settings_t *without_authorities = test_settings();
    dsc_http_settings_t *without_proxy = test_settings();
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        CU_ASSERT_EQUAL(post(rows[i].settings, rows[i].url).suspected, rows[i].suspected);
    }
    without_authorities->ca_file = "/nonexistent/authorities.pem";
    CU_ASSERT_EQUAL(post(without_authorities, url_of("/good")).suspected, DSC_HOST_AUTHORITIES);
    without_proxy->proxy = "http://127.0.0.1:9";
    CU_ASSERT_EQUAL(post(without_proxy, "https://example.com/").suspected, DSC_HOST_PROXY);
}

/* Descriptors run out: of the process, while the server's thread keeps those that it has. */
static void test_descriptors(void)
{
    struct rlimit limit, none;
    dsc_http_response_t response;
    apr_array_header_t *taken = apr_array_make(dsc_pool, 8, sizeof(int));
    int next = dup(0), one;

    CU_ASSERT_FATAL(next >= 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0);
    close(next);
    none = limit;
    none.rlim_cur = (rlim_t)next + 4; /* what libcurl itself has open */
    response = post(test_settings(), url_of("/good"));
    CU_ASSERT_EQUAL(response.status, 200);
    CU_ASSERT_EQUAL_FATAL(setrlimit(RLIMIT_NOFILE, &none), 0);
    while ((one = dup(0)) >= 0) { /* until none is left */
        APR_ARRAY_PUSH(taken, int) = one;
    }
    response = post(test_settings(), "https://127.0.0.1:443/");
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
    while (taken->nelts > 0) { /* these alone: the server's thread has others among them */
        close(*(int *)apr_array_pop(taken));
    }
    CU_ASSERT_EQUAL(response.status, 0);
    CU_ASSERT_EQUAL(response.suspected, DSC_HOST_RESOURCES);
}

void dsc_suite_http_client(void)
{
    CU_pSuite suite = CU_add_suite("HTTP client", open_server, dsc_close_pool);

    CU_add_test(suite, "what is not called", test_refusals);
    CU_add_test(suite, "headers with line breaks", test_headers);
    CU_add_test(suite, "responses", test_responses);
    CU_add_test(suite, "failures", test_failures);
    CU_add_test(suite, "nobody listens", test_no_listener);
    CU_add_test(suite, "certificates", test_certificates);
    CU_add_test(suite, "the request", test_request);
    CU_add_test(suite, "proxies", test_proxy);
    CU_add_test(suite, "many at once", test_many);
    CU_add_test(suite, "connections are used again", test_reuse);
    CU_add_test(suite, "a name whose address changes", test_changing_name);
    CU_add_test(suite, "waiting", test_wait);
    CU_add_test(suite, "what may be this host's failure", test_suspicions);
    CU_add_test(suite, "no descriptors", test_descriptors);
    CU_add_test(suite, "a slow receiver; a client ends early", test_end);
}
