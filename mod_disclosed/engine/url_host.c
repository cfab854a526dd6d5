#include "engine/url_host.h"

#include "engine/parameter.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <arpa/inet.h>
#include <curl/curl.h>
#include <locale.h>
#include <stdint.h>

static const char empty_host[] = "empty host";
static const char invalid_name[] = "invalid international domain name";
static const char invalid_ipv4[] = "invalid IPv4 address";
static const char invalid_ipv6[] = "invalid IPv6 address";

/* --- IPv6 --------------------------------------------------------------------------------- */

/* The first of the longest runs of zeros, of two groups at least: where it begins, or 8. */
static int longest_zeros(const unsigned *groups, int *length)
{
    int begin = 8, i, run = 0;

    *length = 1;
    for (i = 0; i < 8; i++) {
        run = groups[i] == 0 ? run + 1 : 0;
        if (run > *length) {
            *length = run;
            begin = i + 1 - run;
        }
    }
    return begin;
}

/* inet_ntop() writes some addresses with dots, which a URL never has. */
static const char *write_ipv6(apr_pool_t *pool, const unsigned char *bytes)
{
    dsc_buffer_t *text = dsc_buffer_create(pool, 48);
    unsigned groups[8];
    int i, zeros, zeros_length;

    for (i = 0; i < 8; i++) {
        groups[i] = (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
    }
    zeros = longest_zeros(groups, &zeros_length);
    dsc_buffer_append_char(text, '[');
    for (i = 0; i < 8; i++) {
        if (i == zeros) {
            dsc_buffer_append_text(text, "::");
            i += zeros_length - 1;
        } else {
            dsc_buffer_printf(text, i > 0 && i != zeros + zeros_length ? ":%x" : "%x", groups[i]);
        }
    }
    dsc_buffer_append_char(text, ']');
    return dsc_buffer_text(text);
}

static const char *read_ipv6(apr_pool_t *pool, dsc_slice_t text, const char **error)
{
    struct in6_addr address;

    if (text.length > 2 && text.data[text.length - 1] == ']' &&
        memchr(text.data, '\0', text.length) == NULL &&
        inet_pton(AF_INET6, apr_pstrmemdup(pool, text.data + 1, text.length - 2), &address) == 1) {
        return write_ipv6(pool, address.s6_addr);
    }
    *error = invalid_ipv6;
    return NULL;
}

/* --- IPv4 --------------------------------------------------------------------------------- */

enum {
    MOST_PARTS = 4
};

/* Reads "10", "012" or "0xa"; at most 2^32 is distinguished. */
static int read_part(const char *part, size_t length, uint64_t *number)
{
    static const char digits[] = "0123456789abcdef";
    unsigned base = 10;
    size_t i = 0;

    if (length >= 2 && part[0] == '0') {
        base = part[1] == 'x' ? 16 : 8;
        i = part[1] == 'x' ? 2 : 1;
    }
    *number = 0;
    for (; i < length; i++) {
        const char *digit = memchr(digits, part[i], base);

        if (digit == NULL) {
            return 0;
        }
        *number = *number * base + (uint64_t)(digit - digits);
        *number = *number > UINT32_MAX ? (uint64_t)UINT32_MAX + 1 : *number;
    }
    return length > 0;
}

/* Whether the last part of a name is a number, so that the name must be an IPv4 address. */
static int ends_in_number(const char *name, size_t length)
{
    size_t begin = length;
    uint64_t number;

    while (begin > 0 && name[begin - 1] != '.') {
        begin--;
    }
    return (begin < length && strspn(name + begin, "0123456789") >= length - begin) ||
           read_part(name + begin, length - begin, &number);
}

/* The parts of an address; -1 if one is no number or there are too many. */
static int split(const char *name, size_t length, uint64_t *parts)
{
    const char *at = name, *end = name + length;
    int count = 0;

    for (;;) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        size_t size = (size_t)((dot ? dot : end) - at);

        if (count == MOST_PARTS || !read_part(at, size, &parts[count++])) {
            return -1;
        }
        if (dot == NULL) {
            return count;
        }
        at = dot + 1;
    }
}

/* The last part fills what the others leave: 127.1 is 127.0.0.1. */
static const char *read_ipv4(apr_pool_t *pool, const char *name, size_t length, const char **error)
{
    uint64_t parts[MOST_PARTS], address = 0;
    int i, count = split(name, length, parts), good = count > 0;

    for (i = 0; good && i < count - 1; i++) {
        good = parts[i] <= 255;
        address |= parts[i] << (24 - 8 * i);
    }
    if (!good || parts[count - 1] >> (8 * (5 - count)) != 0) {
        *error = invalid_ipv4;
        return NULL;
    }
    address |= parts[count - 1];
    return apr_psprintf(pool, "%u.%u.%u.%u", (unsigned)(address >> 24),
                        (unsigned)(address >> 16 & 255), (unsigned)(address >> 8 & 255),
                        (unsigned)(address & 255));
}

/* --- names -------------------------------------------------------------------------------- */

static int is_forbidden(char byte)
{
    unsigned char code = (unsigned char)byte;

    return code <= ' ' || code == 0x7F || strchr("#%/:<>?@[\\]^|", code) != NULL;
}

static dsc_slice_t decode_percent(apr_pool_t *pool, dsc_slice_t text)
{
    char *decoded = apr_palloc(pool, text.length + 1);
    char *end = dsc_percent_decode(text.data, text.data + text.length, '+', decoded);
    dsc_slice_t result = {decoded, (size_t)(end - decoded)};

    *end = '\0';
    return result;
}

static int is_ascii(dsc_slice_t text)
{
    size_t i;

    for (i = 0; i < text.length; i++) {
        if ((unsigned char)text.data[i] >= 0x80) {
            return 0;
        }
    }
    return 1;
}

static int is_clean(const char *name, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++) {
        if (is_forbidden(name[i])) {
            return 0;
        }
    }
    return 1;
}

#ifdef CURLU_PUNYCODE /* libcurl 7.88 */
static const char *encode_by_curl(apr_pool_t *pool, const char *name)
{
    CURLU *url = curl_url();
    char *encoded = NULL;
    const char *result = NULL;

    if (url && curl_url_set(url, CURLUPART_HOST, name, 0) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_HOST, &encoded, CURLU_PUNYCODE) == CURLUE_OK) {
        result = apr_pstrdup(pool, encoded);
    }
    curl_free(encoded);
    curl_url_cleanup(url);
    return result;
}

/* libcurl takes names in the locale's charset, which in httpd is ASCII: this thread has another
 * locale for the moment. */
static const char *encode_international(apr_pool_t *pool, const char *name)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before;
    const char *encoded;

    if (utf8 == (locale_t)0) {
        return NULL;
    }
    before = uselocale(utf8);
    encoded = encode_by_curl(pool, name);
    uselocale(before);
    freelocale(utf8);
    return encoded;
}
#else
static const char *encode_international(apr_pool_t *pool, const char *name)
{
    (void)pool;
    (void)name;
    return NULL; /* such a host is written in Punycode then */
}
#endif

static const char *read_name(apr_pool_t *pool, dsc_slice_t text, const char **error)
{
    dsc_slice_t decoded = decode_percent(pool, text);
    char *at, *name = apr_pstrmemdup(pool, decoded.data, decoded.length);

    if (!is_clean(decoded.data, decoded.length)) {
        *error = invalid_name;
        return NULL;
    }
    if (!is_ascii(decoded)) {
        name = (char *)encode_international(pool, name);
    }
    if (name == NULL || !is_clean(name, strlen(name))) {
        *error = invalid_name;
        return NULL;
    }
    for (at = name; *at; at++) {
        *at = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
    }
    return name;
}

const char *dsc_url_host(apr_pool_t *pool, dsc_slice_t text, const char **error)
{
    const char *name;
    size_t length;

    if (text.length > 0 && text.data[0] == '[') {
        return read_ipv6(pool, text, error);
    }
    name = read_name(pool, text, error);
    if (name == NULL) {
        return NULL;
    }
    length = strlen(name);
    if (length == 0) {
        *error = empty_host;
        return NULL;
    }
    length -= length > 1 && name[length - 1] == '.'; /* of the root */
    return ends_in_number(name, length) ? read_ipv4(pool, name, length, error) : name;
}
