#include "engine/parameter.h"

/* The value of a hexadecimal digit, or -1. */
static int hex_value(char digit)
{
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    digit = (char)(digit | 0x20);
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

char *dsc_percent_decode(const char *at, const char *end, char plus, char *out)
{
    while (at < end) {
        int high = *at == '%' && end - at > 2 ? hex_value(at[1]) : -1;
        int low = high >= 0 ? hex_value(at[2]) : -1;

        if (low >= 0) {
            *out++ = (char)(high * 16 + low);
            at += 3;
        } else {
            *out++ = *at == '+' ? plus : *at;
            at++;
        }
    }
    return out;
}

/* Decodes one side of a pair; `out` has room, and moves on. */
static dsc_slice_t decode_slice(const char *at, const char *end, char **out)
{
    dsc_slice_t slice = {*out, 0};

    *out = dsc_percent_decode(at, end, ' ', *out);
    slice.length = (size_t)(*out - slice.data);
    return slice;
}

apr_array_header_t *dsc_query_parse(apr_pool_t *pool, const char *query)
{
    apr_array_header_t *pairs = apr_array_make(pool, 8, sizeof(dsc_pair_t));
    char *out = query ? apr_palloc(pool, strlen(query) + 1) : NULL;
    const char *at = query;

    while (at && *at) {
        const char *end = at + strcspn(at, "&");
        const char *equals = memchr(at, '=', (size_t)(end - at));

        if (end > at) {
            dsc_pair_t *pair = apr_array_push(pairs);

            pair->name = decode_slice(at, equals ? equals : end, &out);
            pair->value = decode_slice(equals ? equals + 1 : end, end, &out);
        }
        at = *end ? end + 1 : end;
    }
    return pairs;
}
