#include "engine/json_writer.h"

#include "engine/decimal.h"
#include "engine/utf8.h"

#include <stdint.h>

/* What a byte needs inside a JSON string: 0 nothing; 8 a look at the UTF-8 character that it
 * begins; '<' a look at the next byte; 'u' the form \u00xx; else the letter of its escape. */
static const unsigned char byte_class[256] = {
    [0x00 ... 0x07] = 'u', ['\b'] = 'b', ['\t'] = 't',  ['\n'] = 'n',
    [0x0B] = 'u',          ['\f'] = 'f', ['\r'] = 'r',  [0x0E ... 0x1F] = 'u',
    ['"'] = '"',           ['<'] = '<',  ['\\'] = '\\', [0x80 ... 0xFF] = 8};

/* As many bytes as are looked at in one step; a vector that GCC and Clang map to the processor. */
typedef signed char block_t __attribute__((vector_size(16)));

/* Whether no byte of a block needs anything. As signed characters, those from 0x80 on are below
 * 0x20 as well. */
static inline int is_plain(const void *bytes)
{
    block_t block, needs;
    uint64_t halves[2];

    memcpy(&block, bytes, sizeof(block));
    needs = (block < 0x20) | (block == '"') | (block == '<') | (block == '\\');
    memcpy(halves, &needs, sizeof(halves));
    return (halves[0] | halves[1]) == 0;
}

/* How many bytes of the character at `at` may be copied; 0 if it must be written otherwise. */
static size_t copied_step(const unsigned char *at, size_t left)
{
    size_t step = 1;
    int good = 0;

    if (byte_class[*at] == 8) {
        step = dsc_utf8_step(at, left, &good);
    } else if (*at == '<') {
        good = left == 1 || at[1] != '/';
    }
    return good ? step : 0;
}

/* How many bytes may be copied, up to the first that must be written otherwise. */
static size_t copied_length(const unsigned char *bytes, size_t length)
{
    size_t at = 0, step;

    for (;;) {
        while (at + sizeof(block_t) <= length && is_plain(bytes + at)) {
            at += sizeof(block_t);
        }
        while (at < length && byte_class[bytes[at]] == 0) {
            at++;
        }
        if (at == length || (step = copied_step(bytes + at, length - at)) == 0) {
            return at;
        }
        at += step;
    }
}

/* Writes what must not be copied; returns how many bytes that was. */
static size_t append_escape(dsc_buffer_t *buffer, const unsigned char *at, size_t left)
{
    static const char hex[] = "0123456789abcdef";
    char escape[6] = {'\\', (char)byte_class[*at], '0', '0', hex[*at >> 4], hex[*at & 15]};
    int good;

    if (escape[1] == 8) {
        dsc_buffer_append(buffer, DSC_UTF8_REPLACEMENT, 3);
        return dsc_utf8_step(at, left, &good);
    }
    if (escape[1] == '<') {
        dsc_buffer_append(buffer, "<\\", 2);
        return 1;
    }
    dsc_buffer_append(buffer, escape, escape[1] == 'u' ? 6 : 2);
    return 1;
}

void dsc_json_inside(dsc_buffer_t *buffer, const char *text, size_t length)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length;

    while (at < end) {
        size_t copied = copied_length(at, (size_t)(end - at));

        dsc_buffer_append(buffer, (const char *)at, copied);
        at += copied;
        if (at < end) {
            at += append_escape(buffer, at, (size_t)(end - at));
        }
    }
}

/* Nearly all strings can be copied as they are: so this one is, with blanks behind it up to a whole
 * block, and looked at where it then stands. */
void dsc_json_string(dsc_buffer_t *buffer, const char *text, size_t length)
{
    size_t plain = 0;
    char *copy;

    dsc_buffer_grow(buffer, length + sizeof(block_t) + 2);
    dsc_buffer_append_char(buffer, '"');
    copy = buffer->data + buffer->length;
    memcpy(copy, text, length);
    memset(copy + length, ' ', sizeof(block_t));
    while (plain < length && is_plain(copy + plain)) {
        plain += sizeof(block_t);
    }
    if (plain < length) {
        dsc_json_inside(buffer, text, length);
    } else {
        buffer->length += length;
    }
    dsc_buffer_append_char(buffer, '"');
}

void dsc_json_slice(dsc_buffer_t *buffer, dsc_slice_t text)
{
    if (text.data) {
        dsc_json_string(buffer, text.data, text.length);
    } else {
        dsc_buffer_append(buffer, "null", 4);
    }
}

void dsc_json_text(dsc_buffer_t *buffer, const char *text)
{
    if (text) {
        dsc_json_string(buffer, text, strlen(text));
    } else {
        dsc_buffer_append(buffer, "null", 4);
    }
}

/* The length of a plain decimal without the zeros that end its fraction; 0 if the text is
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

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

/* Passes a string of JSON text, whose first quote is before `at`, and escapes "</" in it. What is
 * not written yet begins at *start. */
static const char *pass_string(dsc_buffer_t *buffer, const char *at, const char **start)
{
    while (*(at += strcspn(at, "\"\\<")) && *at != '"') {
        if (*at == '<' && at[1] == '/') {
            dsc_buffer_append(buffer, *start, (size_t)(at + 1 - *start));
            dsc_buffer_append_char(buffer, '\\');
            *start = at + 1;
        }
        at += *at == '\\' && at[1] ? 2 : 1;
    }
    return at + (*at == '"');
}

/* Between strings most pieces are short: they are looked at byte by byte. What stands between
 * blanks is copied at once. */
void dsc_json_compact(dsc_buffer_t *buffer, const char *json)
{
    const char *start = json, *at = json;

    while (*at) {
        if (*at == '"') {
            at = pass_string(buffer, at + 1, &start);
        } else if (is_blank(*at)) {
            dsc_buffer_append(buffer, start, (size_t)(at - start));
            start = ++at;
        } else {
            at++;
        }
    }
    dsc_buffer_append(buffer, start, (size_t)(at - start));
}

static int append_piece(const char *bytes, size_t length, void *data)
{
    dsc_buffer_append(data, bytes, length);
    return 0;
}

void dsc_json_value(dsc_buffer_t *buffer, const json_t *value)
{
    if (!value) { /* what json_pack() makes of text that is no UTF-8 */
        dsc_buffer_append_text(buffer, "null");
        return;
    }
    json_dump_callback(value, append_piece, buffer, JSON_COMPACT | JSON_ENCODE_ANY);
}

void dsc_json_decimals(dsc_buffer_t *buffer, const json_t *value)
{
    json_dump_callback(value, append_piece, buffer,
                       JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
}
