#include "engine/json_scan.h"

#include <stdint.h>
#include <stdlib.h>

static const char *end_of_string(const char *at)
{
    for (at++; *at && *at != '"'; at++) {
        at += *at == '\\' && at[1];
    }
    return *at ? at + 1 : at;
}

const char *dsc_json_end(const char *value)
{
    int depth = 0;
    const char *at = value;
    do {
        if (*at == '"') {
            at = end_of_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else {
            at += strcspn(at, "\"{}[],");
            at += depth > 0 && *at == ',';
        }
    } while (depth > 0 && *at);
    return at;
}

int dsc_json_element(const char **at, dsc_slice_t *value)
{
    *at += **at == ',';
    if (**at == ']' || **at == '\0') {
        return 0;
    }
    value->data = *at;
    *at = dsc_json_end(*at);
    value->length = (size_t)(*at - value->data);
    return 1;
}

int dsc_json_member(const char **at, dsc_slice_t *name, dsc_slice_t *value)
{
    const char *end;
    *at += **at == ',';
    if (**at != '"') {
        return 0;
    }
    end = end_of_string(*at);
    name->data = *at + 1;
    name->length = (size_t)(end - *at) - 2;
    value->data = end + 1; /* behind the colon */
    *at = dsc_json_end(value->data);
    value->length = (size_t)(*at - value->data);
    return 1;
}

dsc_slice_t dsc_json_find(const char *object, const char *name)
{
    size_t length = strlen(name);
    dsc_slice_t found, value = {NULL, 0};
    const char *at = object + 1;
    while (*object == '{' && dsc_json_member(&at, &found, &value)) {
        if (found.length == length && memcmp(found.data, name, length) == 0) {
            return value;
        }
    }
    value.data = NULL;
    value.length = 0;
    return value;
}

/* ------------------------------------------------------------------------ texts */

static uint32_t read_hex(const char *at)
{
    char digits[5] = {at[0], at[1], at[2], at[3], '\0'};
    return (uint32_t)strtoul(digits, NULL, 16);
}

static void append_utf8(dsc_buffer_t *out, uint32_t code)
{
    if (code < 0x80) {
        dsc_buffer_append_char(out, (char)code);
        return;
    }
    if (code < 0x800) {
        dsc_buffer_append_char(out, (char)(0xc0 | code >> 6));
    } else {
        if (code < 0x10000) {
            dsc_buffer_append_char(out, (char)(0xe0 | code >> 12));
        } else {
            dsc_buffer_append_char(out, (char)(0xf0 | code >> 18));
            dsc_buffer_append_char(out, (char)(0x80 | (code >> 12 & 0x3f)));
        }
        dsc_buffer_append_char(out, (char)(0x80 | (code >> 6 & 0x3f)));
    }
    dsc_buffer_append_char(out, (char)(0x80 | (code & 0x3f)));
}

/* Appends what "\uXXXX" at `at`, with its low surrogate, stands for; returns what is behind it. */
static const char *append_escaped(dsc_buffer_t *out, const char *at, const char *end)
{
    uint32_t code = read_hex(at + 2), low;
    at += 6;
    if (code >= 0xd800 && code < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        low = read_hex(at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            append_utf8(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
            return at + 6;
        }
    }
    append_utf8(out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    return at;
}

void dsc_json_unquote(dsc_buffer_t *out, dsc_slice_t string)
{
    static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
    const char *at = string.data + 1, *end = string.data + string.length - 1;
    while (at < end) {
        const char *plain = memchr(at, '\\', (size_t)(end - at));
        const char *letter;
        plain = plain ? plain : end;
        dsc_buffer_append(out, at, (size_t)(plain - at));
        at = plain;
        if (end - at < 2) {
            return;
        }
        if (at[1] == 'u' && end - at >= 6) {
            at = append_escaped(out, at, end);
            continue;
        }
        letter = strchr(letters, at[1]);
        dsc_buffer_append_char(out, letter ? meant[letter - letters] : at[1]);
        at += 2;
    }
}
