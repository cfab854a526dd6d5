/* Signatures, sealed secrets, the schedule of attempts and the addresses that may be called. */
#include "unit/fixture.h"
#include "unit/suites.h"

#include "engine/outage.h"
#include "engine/work_slots.h"
#include "webhook/address.h"
#include "webhook/delivery_obstacles.h"
#include "webhook/delivery_process.h"
#include "webhook/schedule.h"
#include "webhook/sealed_secret.h"
#include "webhook/signature.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* --- signatures --------------------------------------------------------------------------- */

/* The vector of Standard Webhooks' own libraries; their prefix and text are joined here. */
#define SECRET    "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#define SIGNATURE "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

static const char *sign(const char *const *secrets, int count)
{
    static const char body[] = "{\"test\": 2432232314}";

    return dsc_webhook_sign(dsc_pool, secrets, count, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
                            body, strlen(body));
}

static const char *secret_of(const char *text)
{
    return apr_pstrcat(dsc_pool, "whsec_", text, NULL);
}

static void test_signature(void)
{
    const char *known = secret_of(SECRET);
    const char *other = dsc_webhook_secret_create(dsc_pool);
    const char *both[] = {known, other}, *turned[] = {other, known};
    const char *signatures;

    CU_ASSERT_STRING_EQUAL(sign(&known, 1), SIGNATURE);
    signatures = sign(both, 2);
    CU_ASSERT_EQUAL(strncmp(signatures, SIGNATURE " v1,", strlen(SIGNATURE " v1,")), 0);
    CU_ASSERT_EQUAL(strlen(signatures), 2 * strlen(SIGNATURE) + 1);
    CU_ASSERT_STRING_EQUAL(signatures + strlen(SIGNATURE " "), sign(&other, 1));
    signatures = sign(turned, 2);
    CU_ASSERT_STRING_EQUAL(signatures + strlen(SIGNATURE " "), SIGNATURE);
}

static void test_secrets(void)
{
    const char *secret = dsc_webhook_secret_create(dsc_pool);

    CU_ASSERT_EQUAL(strlen(secret), 50);
    CU_ASSERT_EQUAL(strncmp(secret, "whsec_", 6), 0);
    CU_ASSERT_STRING_NOT_EQUAL(secret, dsc_webhook_secret_create(dsc_pool));
    CU_ASSERT_PTR_NOT_NULL(sign(&secret, 1));
}

static void test_malformed_secrets(void)
{
    static const char *const texts[] = {
        "",
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS",                                 /* cut */
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS=",                                /* 23 bytes */
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n",                              /* line break */
        " MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",                               /* space */
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMQ",                              /* not padded */
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMR==",                            /* a bit too many */
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2La_-Sw",                                /* URL alphabet */
        "MfKQ9r8GKYqrTwjUMfKQ9r8GKYqrTwjUMfKQ9r8GKYqrTwjUMfKQ9r8GKYqrTwjU" /* 66 bytes */
        "MfKQ9r8GKYqrTwjUMfKQ9r8G"};
    const char *good = secret_of(SECRET), *bare = SECRET;
    size_t i;

    for (i = 0; i < COUNT(texts); i++) {
        const char *secrets[] = {good, secret_of(texts[i])};

        CU_ASSERT_PTR_NULL(sign(secrets, 2));
    }
    CU_ASSERT_PTR_NULL(sign(&bare, 1));
    CU_ASSERT_PTR_NULL(sign(&bare, 0));
}

/* --- sealed secrets ----------------------------------------------------------------------- */

enum {
    LONGEST_SEALED = 65536
};
static const unsigned char key[DSC_SEAL_KEY_SIZE] = {1, 2, 3, 250};

static void test_sealed(void)
{
    static const char *const texts[] = {"", "a", "whsec_", "two lines\nand \xC3\xA9"};
    const char *sealed;
    size_t i;

    for (i = 0; i < COUNT(texts); i++) {
        sealed = dsc_secret_seal(dsc_pool, key, "endpoint/7", texts[i]);
        CU_ASSERT_EQUAL(strncmp(sealed, "v1:", 3), 0);
        CU_ASSERT_EQUAL(strlen(sealed), 3 + (12 + strlen(texts[i]) + 16 + 2) / 3 * 4);
        CU_ASSERT_STRING_EQUAL(dsc_secret_open(dsc_pool, key, "endpoint/7", sealed), texts[i]);
        CU_ASSERT_STRING_NOT_EQUAL(sealed, dsc_secret_seal(dsc_pool, key, "endpoint/7", texts[i]));
    }
}

/* The longest that is sealed can be opened; what is longer is neither. */
static void test_sealed_lengths(void)
{
    char text[LONGEST_SEALED + 2];
    const char *sealed;

    memset(text, 'x', sizeof(text));
    text[LONGEST_SEALED] = '\0';
    sealed = dsc_secret_seal(dsc_pool, key, text, text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(sealed);
    CU_ASSERT_STRING_EQUAL(dsc_secret_open(dsc_pool, key, text, sealed), text);
    text[LONGEST_SEALED] = 'x';
    text[LONGEST_SEALED + 1] = '\0';
    CU_ASSERT_PTR_NULL(dsc_secret_seal(dsc_pool, key, "endpoint/7", text));
    CU_ASSERT_PTR_NULL(dsc_secret_seal(dsc_pool, key, text, "secret"));
    CU_ASSERT_PTR_NULL(dsc_secret_open(dsc_pool, key, text, sealed));
}

static void test_sealed_elsewhere(void)
{
    unsigned char other[DSC_SEAL_KEY_SIZE];
    const char *sealed = dsc_secret_seal(dsc_pool, key, "endpoint/7", "secret");

    memcpy(other, key, sizeof(other));
    other[31] ^= 1;
    CU_ASSERT_PTR_NULL(dsc_secret_open(dsc_pool, other, "endpoint/7", sealed));
    CU_ASSERT_PTR_NULL(dsc_secret_open(dsc_pool, key, "endpoint/8", sealed));
    CU_ASSERT_PTR_NULL(dsc_secret_open(dsc_pool, key, "", sealed));
    CU_ASSERT_PTR_NULL(dsc_secret_open(dsc_pool, key, "endpoint/7", sealed + 3));
    CU_ASSERT_PTR_NULL(dsc_secret_open(dsc_pool, key, "endpoint/7", ""));
    CU_ASSERT_PTR_NULL(dsc_secret_open(dsc_pool, key, "endpoint/7", "v1:"));
}

/* Texts of two lengths, so that one ends in padding. */
static void test_sealed_altered(void)
{
    static const char *const texts[] = {"secret", "secrets", "secretss"};
    size_t i, at;

    for (i = 0; i < COUNT(texts); i++) {
        char *sealed =
            apr_pstrdup(dsc_pool, dsc_secret_seal(dsc_pool, key, "endpoint/7", texts[i]));

        for (at = 0; sealed[at]; at++) {
            char kept = sealed[at];
            unsigned bit;

            for (bit = 1; bit < 256; bit <<= 1) {
                sealed[at] = (char)((unsigned char)kept ^ bit);
                CU_ASSERT_PTR_NULL(dsc_secret_open(dsc_pool, key, "endpoint/7", sealed));
            }
            sealed[at] = '\0';
            CU_ASSERT_PTR_NULL(dsc_secret_open(dsc_pool, key, "endpoint/7", sealed));
            sealed[at] = kept;
        }
        CU_ASSERT_STRING_EQUAL(dsc_secret_open(dsc_pool, key, "endpoint/7", sealed), texts[i]);
    }
}

/* --- the schedule ------------------------------------------------------------------------- */

static void test_delays(void)
{
    static const int seconds[] = {0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400};
    int i;

    for (i = 0; i < (int)COUNT(seconds); i++) {
        apr_interval_time_t delay = apr_time_from_sec(seconds[i]);

        CU_ASSERT_EQUAL(dsc_webhook_delay(i, 0), delay - delay / 10);
        CU_ASSERT_EQUAL(dsc_webhook_delay(i, APR_UINT32_MAX), delay + delay / 10);
        CU_ASSERT_TRUE(llabs(dsc_webhook_delay(i, APR_UINT32_MAX / 2) - delay) <= delay / 1000);
    }
    CU_ASSERT_EQUAL(dsc_webhook_delay(10, 0), -1);
    CU_ASSERT_EQUAL(dsc_webhook_delay(11, APR_UINT32_MAX), -1);
}

/* The clock shows Wed, 01 Jan 2025 00:00:00 GMT; the random number leaves the schedule as it is,
 * to some microseconds. */
static void test_next(void)
{
    static const struct {
        int attempts_made;
        const char *retry_after;
        int seconds; /* from now; -1: no attempt is left */
    } rows[] = {
        {0, NULL, 0},
        {0, "60", 60},
        {1, NULL, 5},
        {1, "0", 5},
        {1, "4", 5},
        {1, "120", 120},
        {1, "86399", 86399},
        {1, "86400", 86400},
        {1, "86401", 86400},
        {1, "99999999999999999999999999", 86400},
        {1, "-120", 5},
        {1, "1.5e3", 5},
        {1, "", 5},
        {1, "soon", 5},
        {1, "120 s", 5},
        {1, "Wed, 01 Jan 2025 00:01:00 GMT", 60},
        {1, "Wed, 01 Jan 2025 23:59:59 GMT", 86399},
        {1, "Fri, 03 Jan 2025 00:00:00 GMT", 86400},
        {1, "Tue, 31 Dec 2024 00:00:00 GMT", 5},
        {1, "Wednesday, 01-Jan-25 00:02:00 GMT", 120},
        {1, "Wed, 41 Jan 2025 00:01:00 GMT", 5},
        {3, "60", 1800},
        {9, NULL, 86400},
        {10, NULL, -1},
        {10, "60", -1},
    };
    apr_time_t now = apr_time_from_sec(1735689600);
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        apr_time_t next =
            dsc_webhook_next(rows[i].attempts_made, APR_UINT32_MAX / 2, rows[i].retry_after, now);

        if (rows[i].seconds < 0) {
            CU_ASSERT_EQUAL(next, 0);
        } else {
            CU_ASSERT_TRUE(llabs(next - now - apr_time_from_sec(rows[i].seconds)) < 100);
        }
    }
}

static void test_verdicts(void)
{
    static const struct {
        int status;
        dsc_webhook_verdict_t verdict, aborted;
    } rows[] = {
        {0, DSC_WEBHOOK_RETRY, DSC_WEBHOOK_RETRY},
        {199, DSC_WEBHOOK_RETRY, DSC_WEBHOOK_ABORTED},
        {200, DSC_WEBHOOK_DELIVERED, DSC_WEBHOOK_DELIVERED},
        {204, DSC_WEBHOOK_DELIVERED, DSC_WEBHOOK_DELIVERED},
        {299, DSC_WEBHOOK_DELIVERED, DSC_WEBHOOK_DELIVERED},
        {300, DSC_WEBHOOK_RETRY, DSC_WEBHOOK_ABORTED},
        {302, DSC_WEBHOOK_RETRY, DSC_WEBHOOK_ABORTED},
        {400, DSC_WEBHOOK_RETRY, DSC_WEBHOOK_ABORTED},
        {404, DSC_WEBHOOK_RETRY, DSC_WEBHOOK_ABORTED},
        {410, DSC_WEBHOOK_UNWANTED, DSC_WEBHOOK_UNWANTED},
        {429, DSC_WEBHOOK_OVERLOADED, DSC_WEBHOOK_ABORTED},
        {500, DSC_WEBHOOK_RETRY, DSC_WEBHOOK_ABORTED},
        {501, DSC_WEBHOOK_RETRY, DSC_WEBHOOK_ABORTED},
        {502, DSC_WEBHOOK_OVERLOADED, DSC_WEBHOOK_ABORTED},
        {503, DSC_WEBHOOK_OVERLOADED, DSC_WEBHOOK_ABORTED},
        {504, DSC_WEBHOOK_OVERLOADED, DSC_WEBHOOK_ABORTED},
        {505, DSC_WEBHOOK_RETRY, DSC_WEBHOOK_ABORTED},
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        dsc_http_response_t response = {.status = rows[i].status};

        CU_ASSERT_EQUAL(dsc_webhook_judge(&response), rows[i].verdict);
        response.abort_message = 1;
        CU_ASSERT_EQUAL(dsc_webhook_judge(&response), rows[i].aborted);
    }
}

/* --- addresses ---------------------------------------------------------------------------- */

static const struct sockaddr *address_of(const char *text)
{
    struct sockaddr_in *ipv4 = apr_pcalloc(dsc_pool, sizeof(*ipv4));
    struct sockaddr_in6 *ipv6 = apr_pcalloc(dsc_pool, sizeof(*ipv6));

    if (inet_pton(AF_INET, text, &ipv4->sin_addr) == 1) {
        ipv4->sin_family = AF_INET;
        return (const struct sockaddr *)(const void *)ipv4;
    }
    CU_ASSERT_EQUAL_FATAL(inet_pton(AF_INET6, text, &ipv6->sin6_addr), 1);
    ipv6->sin6_family = AF_INET6;
    return (const struct sockaddr *)(const void *)ipv6;
}

static void expect_global(const char *text, int expected)
{
    int is_global = dsc_address_is_global(address_of(text));

    CU_ASSERT_EQUAL(is_global, expected);
    CU_ASSERT_EQUAL(dsc_address_may_be_called(address_of(text), NULL), expected);
    if (is_global != expected) {
        fprintf(stderr, "%s should %sbe global\n", text, expected ? "" : "not ");
    }
}

/* A block's first and last address, and the neighbours outside: NULL where there is none, or where
 * it is in another block. */
typedef struct {
    const char *before, *first, *last, *after;
} block_row_t;

static void test_ipv4(void)
{
    static const block_row_t rows[] = {
        {NULL, "0.0.0.0", "0.255.255.255", "1.0.0.0"},
        {"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
        {"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
        {"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
        {"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
        {"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
        {"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
        {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
        {"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
        {"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
        {"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
        {"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
        {"223.255.255.255", "224.0.0.0", "239.255.255.255", NULL},
        {NULL, "240.0.0.0", "255.255.255.254", NULL},
        {NULL, "255.255.255.255", "255.255.255.255", NULL},
        {"8.8.8.8", "169.254.169.254", "172.20.1.1", "93.184.216.34"},
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        const char *const outside[] = {rows[i].before, rows[i].after};
        const char *const inside[] = {rows[i].first, rows[i].last};
        size_t j;

        for (j = 0; j < 2; j++) {
            expect_global(inside[j], 0);
            expect_global(apr_pstrcat(dsc_pool, "::ffff:", inside[j], NULL), 0);
            if (outside[j]) {
                expect_global(outside[j], 1);
                expect_global(apr_pstrcat(dsc_pool, "::ffff:", outside[j], NULL), 1);
            }
        }
    }
}

static void test_ipv6(void)
{
#define ALL ":ffff:ffff:ffff:ffff"
    static const block_row_t rows[] = {
        {NULL, "::", "1fff:ffff:ffff:ffff" ALL, "2000::"},
        {NULL, "::1", "64:ff9b::1", NULL},
        {NULL, "64:ff9b:1::", "100::1", NULL},
        {"2000:ffff:ffff:ffff" ALL, "2001::", "2001:1ff:ffff:ffff" ALL, "2001:200::"},
        {"2001:db7:ffff:ffff" ALL, "2001:db8::", "2001:db8:ffff:ffff" ALL, "2001:db9::"},
        {"2001:ffff:ffff:ffff" ALL, "2002::", "2002:ffff:ffff:ffff" ALL, "2003::"},
        {"3ffe:ffff:ffff:ffff" ALL, "3fff::", "3fff:fff:ffff:ffff" ALL, "3fff:1000::"},
        {"3fff:ffff:ffff:ffff" ALL, "4000::", "ffff:ffff:ffff:ffff" ALL, NULL},
        {NULL, "5f00::1", "fc00::1", NULL},
        {NULL, "fe80::1", "ff02::1", NULL},
        {"2606:4700::1111", "2002:7f00:1::", "64:ff9b::8.8.8.8", "2a00:1450:4001::1"},
    };
    size_t i;

    for (i = 0; i < COUNT(rows); i++) {
        expect_global(rows[i].first, 0);
        expect_global(rows[i].last, 0);
        if (rows[i].before) {
            expect_global(rows[i].before, 1);
        }
        if (rows[i].after) {
            expect_global(rows[i].after, 1);
        }
    }
}

static void test_other_families(void)
{
    struct sockaddr_storage address;

    memset(&address, 0, sizeof(address));
    address.ss_family = AF_UNIX;
    CU_ASSERT_FALSE(dsc_address_is_global((const struct sockaddr *)(const void *)&address));
    CU_ASSERT_FALSE(
        dsc_address_may_be_called((const struct sockaddr *)(const void *)&address, NULL));
}

static void test_allowed(void)
{
    static const struct {
        const char *address;
        int expected;
    } rows[] = {
        {"127.0.0.1", 1},
        {"127.255.255.255", 1},
        {"::ffff:127.0.0.1", 1},
        {"10.0.0.1", 0},
        {"::1", 0},
        {"fd00::1", 1},
        {"fd00:0:0:1::1", 0},
        {"8.8.8.8", 1},
        {"2606:4700::1111", 1},
        {"::ffff:10.0.0.1", 0},
    };
    apr_array_header_t *allowed = apr_array_make(dsc_pool, 2, sizeof(apr_ipsubnet_t *));
    apr_ipsubnet_t *network;
    size_t i;

    CU_ASSERT_EQUAL_FATAL(apr_ipsubnet_create(&network, "127.0.0.0", "8", dsc_pool), APR_SUCCESS);
    APR_ARRAY_PUSH(allowed, apr_ipsubnet_t *) = network;
    CU_ASSERT_EQUAL_FATAL(apr_ipsubnet_create(&network, "fd00::", "64", dsc_pool), APR_SUCCESS);
    APR_ARRAY_PUSH(allowed, apr_ipsubnet_t *) = network;
    for (i = 0; i < COUNT(rows); i++) {
        CU_ASSERT_EQUAL(dsc_address_may_be_called(address_of(rows[i].address), allowed),
                        rows[i].expected);
    }
}

/* --- processes, obstacles ------------------------------------------------------------------ */

static void test_processes(void)
{
    const char *host = dsc_process_host(dsc_pool);
    const char *own = dsc_process_name(dsc_pool);
    const char *other = dsc_process_name(dsc_pool);
    pid_t child = fork();

    if (child == 0) {
        _exit(0);
    }
    CU_ASSERT_EQUAL_FATAL(waitpid(child, NULL, 0), child);
    CU_ASSERT_EQUAL(strlen(host), 16);
    CU_ASSERT_EQUAL(strncmp(own, host, 16), 0);
    CU_ASSERT_STRING_NOT_EQUAL(own, other);
    CU_ASSERT_FALSE(dsc_process_is_gone(dsc_pool, own));
    CU_ASSERT_FALSE(dsc_process_is_gone(dsc_pool, other));
    CU_ASSERT_TRUE(dsc_process_is_gone(dsc_pool, apr_psprintf(dsc_pool, "%s/%d.1.0", host, child)));
    /* another process has had this one's number before it */
    CU_ASSERT_TRUE(
        dsc_process_is_gone(dsc_pool, apr_psprintf(dsc_pool, "%s/%d.1.0", host, (int)getpid())));
    /* what runs elsewhere, or is no name, is nobody's to judge */
    CU_ASSERT_FALSE(
        dsc_process_is_gone(dsc_pool, apr_psprintf(dsc_pool, "0123456789abcdef/%d.1.0", child)));
    CU_ASSERT_FALSE(dsc_process_is_gone(dsc_pool, host));
    CU_ASSERT_FALSE(dsc_process_is_gone(dsc_pool, apr_pstrcat(dsc_pool, host, "/x", NULL)));
    CU_ASSERT_FALSE(dsc_process_is_gone(dsc_pool, apr_pstrcat(dsc_pool, host, "/-1.1.0", NULL)));
}

static void count_log(void *baton, int number, const char *text)
{
    (void)text;
    ((int *)baton)[number == DSC_MESSAGE_WEBHOOKS_WAIT ? 0 : 1]++;
}

static void test_obstacles(void)
{
    int logged[2] = {0, 0};
    dsc_obstacles_t *obstacles = dsc_obstacles_create(dsc_pool, count_log, logged);
    dsc_obstacle_figures_t figures;
    int i;

    CU_ASSERT_EQUAL(dsc_obstacles_until(obstacles), 0);
    for (i = 0; i < 5; i++) {
        dsc_obstacles_meet(obstacles, DSC_HOST_NAMES, "1");
        dsc_obstacles_meet(obstacles, DSC_HOST_PORT, "2");
        dsc_obstacles_meet(obstacles, DSC_HOST_SECRET, "3");
    }
    CU_ASSERT_EQUAL(logged[0], 1);
    CU_ASSERT_EQUAL(logged[1], 2);
    CU_ASSERT_TRUE(dsc_obstacles_until(obstacles) > dsc_monotonic_now());
    CU_ASSERT_TRUE(dsc_obstacles_until(obstacles) <= dsc_monotonic_now() + apr_time_from_sec(1));
    CU_ASSERT_EQUAL(strlen(dsc_obstacles_excepted(obstacles, dsc_pool)), strlen("{\"2\",\"3\"}"));
    dsc_obstacles_figures(obstacles, &figures);
    CU_ASSERT_TRUE(figures.since > 0);
    CU_ASSERT_EQUAL(figures.endpoints, 2);
    dsc_obstacles_pass(obstacles, "2");
    CU_ASSERT_EQUAL(dsc_obstacles_until(obstacles), 0);
    CU_ASSERT_STRING_EQUAL(dsc_obstacles_excepted(obstacles, dsc_pool), "{\"3\"}");
    dsc_obstacles_pass(obstacles, "3");
    dsc_obstacles_figures(obstacles, &figures);
    CU_ASSERT_EQUAL(figures.since, 0);
    CU_ASSERT_EQUAL(figures.endpoints, 0);
    dsc_obstacles_meet(obstacles, DSC_HOST_NAMES, "1"); /* again within ten minutes */
    CU_ASSERT_EQUAL(logged[0], 1);
}

static void test_places(void)
{
    enum {
        PLACES = 8,
        OF_ACCOUNT = PLACES / 4
    };
    dsc_work_slots_t table = DSC_WORK_SLOTS(PLACES);
    int places[PLACES], place = -1, taken = 0;
    apr_interval_time_t wait = 0;
    uint64_t account;

    for (account = 1; taken < PLACES; account++) {
        int own;
        for (own = 0; own < OF_ACCOUNT; own++, taken++) {
            CU_ASSERT_EQUAL(dsc_work_slot_take(&table, account, 100, 1000 + taken, &places[taken],
                                               &wait),
                            DSC_WORK_SLOT_TAKEN);
        }
        CU_ASSERT_EQUAL(dsc_work_slot_take(&table, account, 100, 5000, &place, &wait),
                        DSC_WORK_SLOT_ACCOUNT_FULL);
        CU_ASSERT_EQUAL(wait, 1000 + taken - OF_ACCOUNT - 100);
    }
    CU_ASSERT_EQUAL(dsc_work_slot_take(&table, account, 100, 5000, &place, &wait),
                    DSC_WORK_SLOT_ALL_FULL);
    CU_ASSERT_EQUAL(wait, 900);
    dsc_work_slot_release(&table, places[3]);
    CU_ASSERT_EQUAL(dsc_work_slot_take(&table, 1, 100, 5000, &place, &wait),
                    DSC_WORK_SLOT_ACCOUNT_FULL);
    CU_ASSERT_EQUAL(dsc_work_slot_take(&table, account, 100, 5000, &place, &wait),
                    DSC_WORK_SLOT_TAKEN);
    CU_ASSERT_EQUAL(place, places[3]);
    for (taken = 0; taken < PLACES; taken++) {
        dsc_work_slot_release(&table, places[taken]);
    }
}

void dsc_suite_webhook(void)
{
    CU_pSuite suite = CU_add_suite("webhooks", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "processes", test_processes);
    CU_add_test(suite, "obstacles", test_obstacles);
    CU_add_test(suite, "places of tests", test_places);
    CU_add_test(suite, "signatures", test_signature);
    CU_add_test(suite, "new secrets", test_secrets);
    CU_add_test(suite, "malformed secrets", test_malformed_secrets);
    CU_add_test(suite, "sealed secrets", test_sealed);
    CU_add_test(suite, "the longest sealed secrets", test_sealed_lengths);
    CU_add_test(suite, "secrets sealed otherwise", test_sealed_elsewhere);
    CU_add_test(suite, "altered sealed secrets", test_sealed_altered);
    CU_add_test(suite, "delays", test_delays);
    CU_add_test(suite, "the next attempt", test_next);
    CU_add_test(suite, "verdicts", test_verdicts);
    CU_add_test(suite, "IPv4 addresses", test_ipv4);
    CU_add_test(suite, "IPv6 addresses", test_ipv6);
    CU_add_test(suite, "addresses of other families", test_other_families);
    CU_add_test(suite, "allowed networks", test_allowed);
}
