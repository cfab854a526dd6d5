/* The rows are what Pydantic's HttpUrl, restricted to https, makes of the same texts, less the
 * fragment and with a rule of our own against user information. */
#include "unit/fixture.h"
#include "unit/parameter_rows.h"
#include "unit/suites.h"

#include "engine/value.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <curl/curl.h>
#include <stdio.h>

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static const dsc_parameter_t parameter = {.name = "v", .location = DSC_IN_QUERY, .type = DSC_URL};

/* A text and what becomes of it: a URL, the words behind "Input should be a valid URL, ", or the
 * type of another error. */
typedef struct {
    const char *input, *expected;
} url_row_t;

static const char *result_of(dsc_slice_t input)
{
    static const char parsing[] = "Input should be a valid URL, ";
    dsc_refusal_t refusal = {NULL, NULL, NULL};
    dsc_scalar_t scalar = {NULL, 0, 0};
    const char *words;

    if (dsc_read_url(dsc_pool, &parameter, input, &scalar, &refusal)) {
        return scalar.text;
    }
    if (strcmp(refusal.type, "url_parsing") != 0) {
        return refusal.type;
    }
    CU_ASSERT_EQUAL_FATAL(strncmp(refusal.message, parsing, strlen(parsing)), 0);
    words = refusal.message + strlen(parsing);
    CU_ASSERT_STRING_EQUAL(refusal.context,
                           apr_pstrcat(dsc_pool, "{\"error\":\"", words, "\"}", NULL));
    return words;
}

static void check(const url_row_t *rows, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++) {
        dsc_slice_t input = {rows[i].input, strlen(rows[i].input)};
        const char *result = result_of(input);

        CU_ASSERT_STRING_EQUAL(result, rows[i].expected);
        if (strcmp(result, rows[i].expected) != 0) {
            fprintf(stderr, "%s\n    gives    %s\n    expected %s\n", rows[i].input, result,
                    rows[i].expected);
        }
    }
}

static const url_row_t good[] = {
    {"https://example.com", "https://example.com/"},
    {"https://example.com/", "https://example.com/"},
    {"HTTPS://EXAMPLE.com/Path", "https://example.com/Path"},
    {"  https://example.com/a  ", "https://example.com/a"},
    {"\thttps://example.com\n", "https://example.com/"},
    {"https://example.com:443/", "https://example.com/"},
    {"https://example.com:8443/x", "https://example.com:8443/x"},
    {"https://example.com:0443/", "https://example.com/"},
    {"https://example.com:", "https://example.com/"},
    {"https://example.com:/", "https://example.com/"},
    {"https://example.com:0", "https://example.com:0/"},
    {"https://example.com:65535", "https://example.com:65535/"},
    {"https:example.com", "https://example.com/"},
    {"https:/example.com", "https://example.com/"},
    {"https:///example.com", "https://example.com/"},
    {"https:\\\\example.com\\a", "https://example.com/a"},
    {"https://example.com\\a\\b", "https://example.com/a/b"},
    {"https://@example.com/", "https://example.com/"},
    {"https://:@example.com", "https://example.com/"},
    {"https://example.com/#frag", "https://example.com/"},
    {"https://example.com/a#", "https://example.com/a"},
    {"https://example.com/a?#", "https://example.com/a?"},
    {"https://example.com?q=1", "https://example.com/?q=1"},
    {"https://example.com/?q=a b", "https://example.com/?q=a%20b"},
    {"https://example.com/a b", "https://example.com/a%20b"},
    {"https://example.com/a%20b", "https://example.com/a%20b"},
    {"https://example.com/%zz", "https://example.com/%zz"},
    {"https://example.com/\"<>`{}|^", "https://example.com/%22%3C%3E%60%7B%7D|^"},
    {"https://example.com/?\"<>`{}|^'", "https://example.com/?%22%3C%3E`{}|^%27"},
    {"https://example.com/\303\251?\303\251", "https://example.com/%C3%A9?%C3%A9"},
    {"https://example.com/a/../b", "https://example.com/b"},
    {"https://example.com/a/./b/.", "https://example.com/a/b/"},
    {"https://example.com/a/..", "https://example.com/"},
    {"https://example.com/../..", "https://example.com/"},
    {"https://example.com/a/%2e%2e/b", "https://example.com/b"},
    {"https://example.com/a/%2E/b", "https://example.com/a/b"},
    {"https://example.com/a//b", "https://example.com/a//b"},
    {"https://example.com/[]", "https://example.com/[]"},
    {"https://example.com/;a=b,c!$&()*+@:'", "https://example.com/;a=b,c!$&()*+@:'"},
    {"https://ex%61mple.com", "https://example.com/"},
    {"https://exa_mple.com", "https://exa_mple.com/"},
    {"https://-example.com", "https://-example.com/"},
    {"https://example-.com", "https://example-.com/"},
    {"https://example..com", "https://example..com/"},
    {"https://.example.com", "https://.example.com/"},
    {"https://example.com.", "https://example.com./"},
    {"https://example.com..", "https://example.com../"},
    {"https://exam*ple.com", "https://exam*ple.com/"},
    {"https://exam'ple!$&()+,;=.com", "https://exam'ple!$&()+,;=.com/"},
    {"https://a~b.com", "https://a~b.com/"},
    {"https://\"a\".com", "https://\"a\".com/"},
    {"https://a`b.com", "https://a`b.com/"},
    {"https://a{b}.com", "https://a{b}.com/"},
    {"https://127.0.0.1", "https://127.0.0.1/"},
    {"https://127.1", "https://127.0.0.1/"},
    {"https://0x7f.1", "https://127.0.0.1/"},
    {"https://2130706433", "https://127.0.0.1/"},
    {"https://1.2.3", "https://1.2.0.3/"},
    {"https://0300.1.1.1", "https://192.1.1.1/"},
    {"https://1.2.3.4.", "https://1.2.3.4/"},
    {"https://0x", "https://0.0.0.0/"},
    {"https://4294967295", "https://255.255.255.255/"},
    {"https://1.2.3.a", "https://1.2.3.a/"},
    {"https://[::1]/", "https://[::1]/"},
    {"https://[::1]:443/", "https://[::1]/"},
    {"https://[::1]:8443/", "https://[::1]:8443/"},
    {"https://[2001:DB8::0:1]/", "https://[2001:db8::1]/"},
    {"https://[::ffff:1.2.3.4]", "https://[::ffff:102:304]/"},
    {"https://[1:2:3:4:5:6:7:8]", "https://[1:2:3:4:5:6:7:8]/"},
    {"https://[1:0:0:2:0:0:0:3]", "https://[1:0:0:2::3]/"},
    {"https://xn--bcher-kva.example", "https://xn--bcher-kva.example/"},
    {"https://xn--zzzzzzz.com", "https://xn--zzzzzzz.com/"},
    {"https://exa\nmple.com/a\tb", "https://example.com/ab"},
    {"ht\ntps://example.com", "https://example.com/"},
    {"https://example.com/\001\037\177", "https://example.com/%01%1F%7F"},
    {"https://example.com/?a=1&b=%zz", "https://example.com/?a=1&b=%zz"},
    {"https://example.com/?\?", "https://example.com/?\?"},
    {"https://example.com/?", "https://example.com/?"},
    {"https://example.com?", "https://example.com/?"},
    {"https://example.com?#", "https://example.com/?"},
    {"https://example.com/a?b#c d", "https://example.com/a?b"},
    {"https://localhost", "https://localhost/"},
    {"https://localhost:8443/hook", "https://localhost:8443/hook"},
    {"https:a", "https://a/"},
    {"https:80", "https://0.0.0.80/"},
    {"https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com",
     "https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com/"},
    {"https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com",
     "https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.com/"},
};

static void test_good(void)
{
    check(good, COUNT(good));
}

/* Without CURLU_PUNYCODE they are refused. */
static void test_international(void)
{
    static const url_row_t rows[] = {
        {"https://b\303\274cher.example/", "https://xn--bcher-kva.example/"},
        {"https://\344\276\213\343\201\210.jp", "https://xn--r8jz45g.jp/"},
        {"https://EX\303\204MPLE.com/\303\274", "https://xn--exmple-cua.com/%C3%BC"},
        {"https://fa\303\237.de", "https://xn--fa-hia.de/"},
        {"https://a\302\255b.com", "https://ab.com/"},
        {"https://\357\275\205\357\275\230\357\275\201\357\275\215\357\275\220\357\275\214\357\275\205.com",
         "https://example.com/"},
        {"https://a\343\200\202b", "https://a.b/"},
        {"https://\342\230\203.net", "https://xn--n3h.net/"},
        {"https://%C3%BC.com", "https://xn--tda.com/"},
        {"https://\360\237\222\251.la", "https://xn--ls8h.la/"},
        {"https://\342\205\247.com", "https://viii.com/"},
        {"https://\357\274\221\357\274\222\357\274\227.0.0.1", "https://127.0.0.1/"},
    };
    /* where libidn2 is stricter than Pydantic: a symbol and a letter beyond ASCII in one name */
    static const url_row_t stricter[] = {
        {"https://\303\251;", "invalid international domain name"},
        {"https://a`\303\274.de", "invalid international domain name"},
    };

#ifdef CURLU_PUNYCODE
    check(rows, COUNT(rows));
#else
    CU_ASSERT_STRING_EQUAL(result_of((dsc_slice_t){rows[0].input, strlen(rows[0].input)}),
                           "invalid international domain name");
#endif
    check(stricter, COUNT(stricter));
}

static const url_row_t unreadable[] = {
    {"https://example.com:65536", "invalid port number"},
    {"https://example.com:99999", "invalid port number"},
    {"https://example.com:abc", "invalid port number"},
    {"https://example.com:-1", "invalid port number"},
    {"https://example.com: 80", "invalid port number"},
    {"example.com", "relative URL without a base"},
    {"/path", "relative URL without a base"},
    {"", "input is empty"},
    {"   ", "relative URL without a base"},
    {"https", "relative URL without a base"},
    {"https:", "empty host"},
    {"https:/", "empty host"},
    {"https://", "empty host"},
    {"https:///", "empty host"},
    {"https://?q", "empty host"},
    {"https://#f", "empty host"},
    {"https://:443", "empty host"},
    {"https://:443/", "empty host"},
    {"https://u@:443", "empty host"},
    {"https://ex ample.com", "invalid international domain name"},
    {"https://exa%20mple.com", "invalid international domain name"},
    {"https://exa<mple.com", "invalid international domain name"},
    {"https://exa|mple", "invalid international domain name"},
    {"https://exa^mple", "invalid international domain name"},
    {"https://a%b.com", "invalid international domain name"},
    {"https://a%00b.com", "invalid international domain name"},
    {"https://a\177b.com", "invalid international domain name"},
    {"https://256.1.1.1", "invalid IPv4 address"},
    {"https://1.2.3.4.5", "invalid IPv4 address"},
    {"https://09.1.1.1", "invalid IPv4 address"},
    {"https://a.1", "invalid IPv4 address"},
    {"https://a.0x", "invalid IPv4 address"},
    {"https://4294967296", "invalid IPv4 address"},
    {"https://1..2", "invalid IPv4 address"},
    {"https://0xg.1", "invalid IPv4 address"},
    {"https://[::1", "invalid IPv6 address"},
    {"https://::1]", "empty host"},
    {"https://[::1]a", "invalid IPv6 address"},
    {"https://[]", "invalid IPv6 address"},
    {"https://[fe80::1%25eth0]", "invalid IPv6 address"},
    {"https://[fe80::1%eth0]", "invalid IPv6 address"},
    {"https://[g::1]", "invalid IPv6 address"},
    {"https://[1::2::3]", "invalid IPv6 address"},
    {"https://[1:2:3:4:5:6:7:8:9]", "invalid IPv6 address"},
    {"https://[::1.2.3]", "invalid IPv6 address"},
    {"https://[v1.a]", "invalid IPv6 address"},
    {"https://\302\255", "empty host"},
    {"https://a\357\277\275b.com", "invalid international domain name"},
    {"1https://example.com", "relative URL without a base"},
    {"-https://a", "relative URL without a base"},
    {"ht!tps://a", "relative URL without a base"},
    {"https//example.com", "relative URL without a base"},
    {"://example.com", "relative URL without a base"},
    {"//example.com", "relative URL without a base"},
    {"?q", "relative URL without a base"},
    {"#f", "relative URL without a base"},
    {".", "relative URL without a base"},
    {"https :// a", "relative URL without a base"},
    {"https:?q", "empty host"},
    {"https:#f", "empty host"},
    {"https:\\", "empty host"},
    {"http:", "empty host"},
    {"HTTP://", "empty host"},
    {"http:///", "empty host"},
    {"ws://", "empty host"},
    {"https://a:443:443/", "invalid port number"},
    {"https://a:+1", "invalid port number"},
    {"https://a:1a", "invalid port number"},
    {"https://a:\357\274\221", "invalid port number"},
};

static void test_unreadable(void)
{
    check(unreadable, COUNT(unreadable));
}

static void test_other_errors(void)
{
    static const url_row_t rows[] = {
        {"http://example.com", "url_scheme"},
        {"ftp://example.com", "url_scheme"},
        {"mailto:a@b.c", "url_scheme"},
        {"javascript:alert(1)", "url_scheme"},
        {"https://user@example.com/", "value_error"},
        {"https://user:pw@example.com/", "value_error"},
        {"https://:pw@example.com/", "value_error"},
        {"https://a@b@c.com/", "value_error"},
        {"wss://a", "url_scheme"},
        {"file:///x", "url_scheme"},
        {"file://c:/x", "url_scheme"},
        {"data:text/plain,a", "url_scheme"},
        {"foo://", "url_scheme"},
        {"foo:bar", "url_scheme"},
        {"foo:///x", "url_scheme"},
    };

    check(rows, COUNT(rows));
}

/* Bytes are counted, not characters, and those at the ends count too. */
static void test_length(void)
{
    static const struct {
        const char *begin, *filler;
        size_t count;
        const char *expected; /* NULL: a URL */
    } rows[] = {
        {"https://example.com/", "a", 2063, NULL},
        {"https://example.com/", "a", 2064, "url_too_long"},
        {"https://example.com/", "\303\251", 1031, NULL},
        {"https://example.com/", "\303\251", 1032, "url_too_long"},
        {"https://example.com/", " ", 2064, "url_too_long"},
        {"ftp://example.com/", "a", 2084, "url_too_long"},
        {"", "a", 2084, "url_too_long"},
        {"", "a", 2083, "relative URL without a base"},
        {"https://", "a", 2075, NULL},
        {"https://a/", "../", 691, NULL},
        {"https://a/", "\1", 2073, NULL},
    };
    size_t i, j;

    for (i = 0; i < COUNT(rows); i++) {
        dsc_buffer_t *text = dsc_buffer_create(dsc_pool, 4096);
        const char *result;

        dsc_buffer_append_text(text, rows[i].begin);
        for (j = 0; j < rows[i].count; j++) {
            dsc_buffer_append_text(text, rows[i].filler);
        }
        result = result_of((dsc_slice_t){text->data, text->length});
        if (rows[i].expected) {
            CU_ASSERT_STRING_EQUAL(result, rows[i].expected);
        } else {
            CU_ASSERT_EQUAL(strncmp(result, "https://", 8), 0);
        }
    }
}

/* Whole bodies, and NUL. */
static void test_bodies(void)
{
#define PARSING(input, words)                                                                      \
    FAULT_WITH("url_parsing", "Input should be a valid URL, " words, input,                        \
               "{\"error\":\"" words "\"}")
    static const dsc_row_t rows[] = {
        {"", "absent"},
        {"v=https://example.com%23a", "https://example.com/"},
        {"v=https://example.com/%00b", "https://example.com/%00b"},
        {"v=https://example.com%00", "https://example.com/"},
        {"v=https://a%00b.com/",
         PARSING("https://a\\u0000b.com/", "invalid international domain name")},
        {"v=https://[::1%00]/", PARSING("https://[::1\\u0000]/", "invalid IPv6 address")},
        {"v=ht%00tps://a/", PARSING("ht\\u0000tps://a/", "relative URL without a base")},
        {"v=https://a:4%003/", PARSING("https://a:4\\u00003/", "invalid port number")},
        {"v=https://a/%FF", "https://a/%EF%BF%BD"},
        {"v=", PARSING("", "input is empty")},
        {"v=http://a", FAULT_WITH("url_scheme", "URL scheme should be 'https'", "http://a",
                                  "{\"expected_schemes\":\"'https'\"}")},
        {"v=https://a@b",
         FAULT_WITH("value_error", "Value error, user information is not allowed in the URL",
                    "https://a@b", "{\"error\":{}}")},
    };

    CHECK_ROWS(&parameter, rows);
}

/* What is canonical stays as it is. */
static void test_again(void)
{
    static const char *const urls[] = {
        "https://example.com/", "https://example.com:8443/a%20b?c=d%27", "https://[1:0:0:2::3]/x?",
        "https://127.0.0.1/",   "https://xn--bcher-kva.example/%C3%A9",
    };
    size_t i;

    for (i = 0; i < COUNT(urls); i++) {
        CU_ASSERT_STRING_EQUAL(result_of((dsc_slice_t){urls[i], strlen(urls[i])}), urls[i]);
    }
}

void dsc_suite_value_url(void)
{
    CU_pSuite suite = CU_add_suite("URLs", dsc_open_pool, dsc_close_pool);

    CU_add_test(suite, "good URLs", test_good);
    CU_add_test(suite, "international names", test_international);
    CU_add_test(suite, "what is no URL", test_unreadable);
    CU_add_test(suite, "other schemes, and users", test_other_errors);
    CU_add_test(suite, "lengths", test_length);
    CU_add_test(suite, "bodies", test_bodies);
    CU_add_test(suite, "canonical URLs", test_again);
}
