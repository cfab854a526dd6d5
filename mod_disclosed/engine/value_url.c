/* URLs, as Pydantic's HttpUrl restricted to https reads them, which follows the WHATWG URL
 * standard: https://url.spec.whatwg.org/ (URL parsing). */
#include "engine/url_host.h"
#include "engine/utf8.h"
#include "engine/value.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <strings.h>

enum {
    MOST_LENGTH = 2083 /* of Pydantic's HttpUrl, in bytes */
};

/* A URL taken apart; none of the parts is decoded. */
typedef struct {
    dsc_slice_t scheme, user, host, port, path, query;
    int has_port, has_query;
} parts_t;

static int refuse_parsing(apr_pool_t *pool, const char *error, dsc_refusal_t *refusal)
{
    return dsc_refuse(refusal, "url_parsing",
                      apr_pstrcat(pool, "Input should be a valid URL, ", error, NULL),
                      apr_pstrcat(pool, "{\"error\":\"", error, "\"}", NULL));
}

static dsc_slice_t slice_of(const char *begin, const char *end)
{
    dsc_slice_t slice = {begin, (size_t)(end - begin)};

    return slice;
}

/* The first byte of the slice that is among `bytes`, or its end. */
static const char *find_any(dsc_slice_t slice, const char *bytes)
{
    const char *at, *end = slice.data + slice.length;

    for (at = slice.data; at < end; at++) {
        if (*at && strchr(bytes, *at)) {
            return at;
        }
    }
    return end;
}

/* --- taking apart ------------------------------------------------------------------------- */

/* Without control characters and spaces at the ends, and without tabs and line breaks anywhere. */
static dsc_slice_t strip(apr_pool_t *pool, dsc_slice_t input)
{
    const char *at = input.data, *end = input.data + input.length;
    char *text = apr_palloc(pool, input.length + 1), *to = text;

    while (at < end && (unsigned char)*at <= ' ') {
        at++;
    }
    while (end > at && (unsigned char)end[-1] <= ' ') {
        end--;
    }
    for (; at < end; at++) {
        if (*at != '\t' && *at != '\n' && *at != '\r') {
            *to++ = *at;
        }
    }
    *to = '\0';
    return slice_of(text, to);
}

static int is_scheme(dsc_slice_t text)
{
    size_t i;

    for (i = 0; i < text.length; i++) {
        char byte = text.data[i];

        if (!apr_isalpha(byte) &&
            (i == 0 || (!apr_isdigit(byte) && byte != '+' && byte != '-' && byte != '.'))) {
            return 0;
        }
    }
    return text.length > 0;
}

/* Whether URLs of this scheme have a host always, by the standard: errors of the host come before
 * that of the scheme. */
static int needs_host(dsc_slice_t scheme)
{
    static const char *const schemes[] = {"https", "http", "wss", "ws", "ftp"};
    size_t i;

    for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        if (scheme.length == strlen(schemes[i]) &&
            strncasecmp(scheme.data, schemes[i], scheme.length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Splits user:password@host:port; a colon within brackets is part of the host. */
static void split_authority(dsc_slice_t authority, parts_t *parts)
{
    const char *at, *end = authority.data + authority.length, *host = authority.data;
    int in_brackets = 0;

    for (at = authority.data; at < end; at++) {
        host = *at == '@' ? at + 1 : host;
    }
    parts->user = slice_of(authority.data, host > authority.data ? host - 1 : host);
    for (at = host; at < end && (*at != ':' || in_brackets); at++) {
        in_brackets = *at == '[' || (in_brackets && *at != ']');
    }
    parts->host = slice_of(host, at);
    parts->has_port = at < end;
    parts->port = slice_of(parts->has_port ? at + 1 : at, end);
}

/* Takes apart what follows "https:"; any number of slashes counts as two. */
static void split_rest(const char *at, const char *end, parts_t *parts)
{
    const char *stop = find_any(slice_of(at, end), "#");

    while (at < stop && (*at == '/' || *at == '\\')) {
        at++;
    }
    end = find_any(slice_of(at, stop), "/\\?");
    split_authority(slice_of(at, end), parts);
    at = find_any(slice_of(end, stop), "?");
    parts->path = slice_of(end, at);
    parts->has_query = at < stop;
    parts->query = slice_of(parts->has_query ? at + 1 : at, stop);
}

/* --- writing ------------------------------------------------------------------------------ */

static void append_encoded(dsc_buffer_t *url, dsc_slice_t text, const char *encoded)
{
    size_t i;

    for (i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.data[i];

        if (byte <= ' ' || byte >= 0x7F || strchr(encoded, byte)) {
            dsc_buffer_printf(url, "%%%02X", byte);
        } else {
            dsc_buffer_append_char(url, (char)byte);
        }
    }
}

/* How many dots a segment consists of, "%2e" being one: 1 or 2, else 0. */
static int count_dots(dsc_slice_t segment)
{
    const char *at = segment.data, *end = segment.data + segment.length;
    int dots = 0;

    while (at < end && dots < 3) {
        if (*at == '.') {
            at++;
        } else if (end - at >= 3 && strncasecmp(at, "%2e", 3) == 0) {
            at += 3;
        } else {
            return 0;
        }
        dots++;
    }
    return dots < 3 ? dots : 0;
}

static void drop_segment(dsc_buffer_t *url, size_t path)
{
    while (url->length > path && url->data[url->length - 1] != '/') {
        url->length--;
    }
    url->length -= url->length > path;
}

/* Segments "." are left out, and ".." take the one before with them. */
static void append_path(dsc_buffer_t *url, dsc_slice_t path)
{
    const char *at = path.data, *end = path.data + path.length, *next;
    size_t begin = url->length;

    do {
        dsc_slice_t segment;
        int dots;

        at += at < end; /* the slash */
        next = find_any(slice_of(at, end), "/\\");
        segment = slice_of(at, next);
        dots = count_dots(segment);
        if (dots == 2) {
            drop_segment(url, begin);
        }
        if (dots == 0 || next == end) {
            dsc_buffer_append_char(url, '/');
        }
        if (dots == 0) {
            append_encoded(url, segment, "\"<>`{}");
        }
        at = next;
    } while (at < end);
}

static const char *write_url(apr_pool_t *pool, const parts_t *parts, const char *host, long port)
{
    dsc_buffer_t *url = dsc_buffer_create(pool, MOST_LENGTH);

    dsc_buffer_append_text(url, "https://");
    dsc_buffer_append_text(url, host);
    if (port >= 0 && port != 443) {
        dsc_buffer_printf(url, ":%ld", port);
    }
    append_path(url, parts->path);
    if (parts->has_query) {
        dsc_buffer_append_char(url, '?');
        append_encoded(url, parts->query, "\"<>'");
    }
    return apr_pstrdup(pool, dsc_buffer_text(url));
}

/* --- reading ------------------------------------------------------------------------------ */

/* -1: none; -2: wrong. */
static long read_port(dsc_slice_t text)
{
    long port = text.length > 0 ? 0 : -1;
    size_t i;

    for (i = 0; i < text.length; i++) {
        port = apr_isdigit(text.data[i]) ? port * 10 + (text.data[i] - '0') : -2;
        if (port < 0 || port > 65535) {
            return -2;
        }
    }
    return port;
}

/* Names nobody: "", ":". */
static int is_nobody(dsc_slice_t user)
{
    return user.length == 0 || dsc_slice_is(user, ":");
}

/* The URL without its scheme's check: NULL if it is refused. */
static const char *read_parts(apr_pool_t *pool, const parts_t *parts, dsc_refusal_t *refusal)
{
    const char *host, *error = NULL;
    long port = read_port(parts->port);

    host = dsc_url_host(pool, parts->host, &error);
    if (host == NULL || port == -2) {
        refuse_parsing(pool, host ? "invalid port number" : error, refusal);
        return NULL;
    }
    return write_url(pool, parts, host, port);
}

static int refuse_scheme(dsc_refusal_t *refusal)
{
    return dsc_refuse(refusal, "url_scheme", "URL scheme should be 'https'",
                      "{\"expected_schemes\":\"'https'\"}");
}

int dsc_read_url(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                 dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    dsc_slice_t text;
    parts_t parts;
    const char *colon;

    (void)parameter;
    if (input.length == 0) {
        return refuse_parsing(pool, "input is empty", refusal);
    }
    if (input.length > MOST_LENGTH) {
        return dsc_refuse(refusal, "url_too_long", "URL should have at most 2083 characters",
                          "{\"max_length\":2083}");
    }
    text = strip(pool, input);
    colon = find_any(text, ":");
    memset(&parts, 0, sizeof(parts));
    parts.scheme = slice_of(text.data, colon);
    if (colon == text.data + text.length || !is_scheme(parts.scheme)) {
        return refuse_parsing(pool, "relative URL without a base", refusal);
    }
    if (!needs_host(parts.scheme)) {
        return refuse_scheme(refusal);
    }
    split_rest(colon + 1, text.data + text.length, &parts);
    scalar->text = read_parts(pool, &parts, refusal);
    if (scalar->text == NULL) {
        return 0;
    }
    if (parts.scheme.length != 5 || strncasecmp(parts.scheme.data, "https", 5) != 0) {
        return refuse_scheme(refusal);
    }
    return is_nobody(parts.user) ||
           dsc_refuse(refusal, "value_error",
                      "Value error, user information is not allowed in the URL", "{\"error\":{}}");
}
