#include "engine/json_writer.h"

#include "engine/decimal.h"
#include "engine/utf8.h"

/* What a byte needs inside a JSON string: 0 nothing; 8 a look at the UTF-8 character that it
 * begins; '/' an escape only after "<"; 'u' the form \u00xx; else the letter of its escape. */
static const unsigned char byte_class[256] = {
    [0x00 ... 0x07] = 'u', ['\b'] = 'b', ['\t'] = 't',  ['\n'] = 'n',
    [0x0B] = 'u',          ['\f'] = 'f', ['\r'] = 'r',  [0x0E ... 0x1F] = 'u',
    ['"'] = '"',           ['/'] = '/',  ['\\'] = '\\', [0x80 ... 0xFF] = 8};

static void append_escape(dsc_buffer_t *buffer, unsigned char byte)
{
    static const char hex[] = "0123456789abcdef";
    char escape[6] = {'\\', (char)byte_class[byte], '0', '0', hex[byte >> 4], hex[byte & 15]};

    if (byte_class[byte] == 8) {
        dsc_buffer_append(buffer, DSC_UTF8_REPLACEMENT, 3);
    } else {
        dsc_buffer_append(buffer, escape, escape[1] == 'u' ? 6 : 2);
    }
}

void dsc_json_string(dsc_buffer_t *buffer, const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *run = at, *end = at + length;

    dsc_buffer_grow(buffer, length + 2);
    dsc_buffer_append_char(buffer, '"');
    for (;;) {
        size_t step = 1;
        int as_it_is = 0;

        while (at < end && byte_class[*at] == 0) {
            at++;
        }
        if (at == end) {
            break;
        }
        if (byte_class[*at] == 8) {
            step = dsc_utf8_step(at, (size_t)(end - at), &as_it_is);
        } else if (*at == '/') {
            as_it_is = at == (const unsigned char *)text || at[-1] != '<';
        }
        if (!as_it_is) {
            dsc_buffer_append(buffer, (const char *)run, (size_t)(at - run));
            append_escape(buffer, *at);
            run = at + step;
        }
        at += step;
    }
    dsc_buffer_append(buffer, (const char *)run, (size_t)(end - run));
    dsc_buffer_append_char(buffer, '"');
}

void dsc_json_text(dsc_buffer_t *buffer, const char *text)
{
    if (text) {
        dsc_json_string(buffer, text, strlen(text));
    } else {
        dsc_buffer_append(buffer, "null", 4);
    }
}

void dsc_json_name(dsc_buffer_t *buffer, const char *name)
{
    dsc_buffer_append_char(buffer, '"');
    dsc_buffer_append_text(buffer, name);
    dsc_buffer_append(buffer, "\":", 2);
}

/* The length of a plain decimal without the zeros that end its fraction; 0 where the text is
 * not of the form -123.45 that PostgreSQL prints. */
static size_t trimmed_length(const char *decimal)
{
    const char *at = decimal + (*decimal == '-'), *last;

    if (*at < '0' || *at > '9') {
        return 0;
    }
    while (*at >= '0' && *at <= '9') {
        at++;
    }
    last = at;
    if (*at == '.') {
        for (at++; *at >= '0' && *at <= '9'; at++) {
            last = *at == '0' ? last : at + 1;
        }
    }
    return *at == '\0' ? (size_t)(last - decimal) : 0;
}

void dsc_json_decimal(dsc_buffer_t *buffer, const char *decimal)
{
    size_t length = decimal ? trimmed_length(decimal) : 0;

    if (length == 0 || (decimal[0] == '-' && decimal[1] == '0')) {
        dsc_json_decimal_shifted(buffer, decimal, 0);
    } else {
        dsc_buffer_append(buffer, decimal, length);
    }
}

void dsc_json_decimal_shifted(dsc_buffer_t *buffer, const char *decimal, int exponent)
{
    dsc_decimal_t parts;

    if (decimal && dsc_decimal_parse(decimal, strlen(decimal), &parts)) {
        dsc_decimal_write(buffer, &parts, exponent);
    } else {
        dsc_buffer_append(buffer, "null", 4);
    }
}

void dsc_json_datetime(dsc_buffer_t *buffer, const char *timestamp)
{
    size_t length = timestamp ? strlen(timestamp) : 0;

    if (length < 10 || timestamp[0] < '0' || timestamp[0] > '9') {
        dsc_buffer_append(buffer, "null", 4);
        return;
    }
    dsc_buffer_append_char(buffer, '"');
    dsc_buffer_append(buffer, timestamp, 10);
    if (length > 11) {
        int utc = strcmp(timestamp + length - 3, "+00") == 0;

        dsc_buffer_append_char(buffer, 'T');
        dsc_buffer_append(buffer, timestamp + 11, length - 11 - (utc ? 3 : 0));
        dsc_buffer_append(buffer, "Z", utc ? 1 : 0);
    }
    dsc_buffer_append_char(buffer, '"');
}

void dsc_json_integer(dsc_buffer_t *buffer, long long value)
{
    unsigned long long rest = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
    char digits[24], *at = digits + sizeof(digits);

    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) {
        *--at = '-';
    }
    dsc_buffer_append(buffer, at, (size_t)(digits + sizeof(digits) - at));
}

void dsc_json_boolean(dsc_buffer_t *buffer, int value)
{
    dsc_buffer_append_text(buffer, value ? "true" : "false");
}

/* One string of JSON text, quotes included; returns what follows it. */
static const char *copy_string(dsc_buffer_t *buffer, const char *json)
{
    const char *start = json++;
    while (*json && *json != '"') {
        if (*json == '\\' && json[1]) {
            json++;
        } else if (*json == '<' && json[1] == '/') {
            dsc_buffer_append(buffer, start, (size_t)(json - start));
            dsc_buffer_append(buffer, "<\\", 2);
            start = json + 1;
        }
        json++;
    }
    json += *json == '"';
    dsc_buffer_append(buffer, start, (size_t)(json - start));
    return json;
}

void dsc_json_compact(dsc_buffer_t *buffer, const char *json)
{
    while (*json) {
        size_t plain = strcspn(json, "\" \t\r\n");
        dsc_buffer_append(buffer, json, plain);
        json += plain;
        if (*json == '"') {
            json = copy_string(buffer, json);
        } else {
            json += strspn(json, " \t\r\n");
        }
    }
}
