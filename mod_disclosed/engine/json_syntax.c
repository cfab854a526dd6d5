#include "engine/json_syntax.h"

#include "engine/utf8.h"

#include <apr_lib.h>

enum {
    MOST_DEPTH = 64
};

const char DSC_JSON_TOO_DEEP[] = "nested too deeply";

/* A reader at a place of the text. */
typedef struct {
    const char *text;
    size_t length, at;
    int depth;
    dsc_json_error_t error; /* position in bytes until the end */
} reader_t;

static int value(reader_t *reader);

static int fail(reader_t *reader, const char *message, size_t position)
{
    reader->error.message = message;
    reader->error.position = position;
    return 0;
}

/* The byte at the reader's place; NUL at the end. A NUL in the text is no token either. */
static char here(const reader_t *reader)
{
    return reader->at < reader->length ? reader->text[reader->at] : '\0';
}

static void skip_blanks(reader_t *reader)
{
    while (reader->at < reader->length && strchr(" \t\n\r", reader->text[reader->at]) &&
           reader->text[reader->at]) {
        reader->at++;
    }
}

static int is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static void skip_digits(reader_t *reader)
{
    while (is_digit(here(reader))) {
        reader->at++;
    }
}

/* --------------------------------------------------------------------- scalars */

/* Steps over an escape; the place is its backslash. */
static int escape(reader_t *reader, size_t opening)
{
    size_t backslash = reader->at++;
    int i;
    if (reader->at >= reader->length) {
        return fail(reader, "Unterminated string starting at", opening);
    }
    if (here(reader) != 'u') {
        if (!strchr("\"\\/bfnrt", here(reader)) || !here(reader)) {
            return fail(reader, "Invalid \\escape", backslash);
        }
        reader->at++;
        return 1;
    }
    for (i = 1; i <= 4; i++) {
        if (reader->at + (size_t)i >= reader->length ||
            !apr_isxdigit(reader->text[reader->at + (size_t)i])) {
            return fail(reader, "Invalid \\uXXXX escape", reader->at);
        }
    }
    reader->at += 5;
    return 1;
}

static int string(reader_t *reader)
{
    size_t opening = reader->at++;
    while (reader->at < reader->length) {
        char byte = here(reader);
        if (byte == '"') {
            reader->at++;
            return 1;
        }
        if ((unsigned char)byte < 0x20) {
            return fail(reader, "Invalid control character at", reader->at);
        }
        if (byte != '\\') {
            reader->at++;
        } else if (!escape(reader, opening)) {
            return 0;
        }
    }
    return fail(reader, "Unterminated string starting at", opening);
}

/* A number; if a fraction or an exponent lacks its digits, the number ends before it. */
static int number(reader_t *reader)
{
    size_t start = reader->at, before;
    reader->at += here(reader) == '-';
    if (!is_digit(here(reader))) {
        return fail(reader, "Expecting value", start);
    }
    if (here(reader) == '0') {
        reader->at++;
    } else {
        skip_digits(reader);
    }
    before = reader->at;
    if (here(reader) == '.') {
        reader->at++;
        if (!is_digit(here(reader))) {
            reader->at = before;
            return 1;
        }
        skip_digits(reader);
    }
    before = reader->at;
    if (here(reader) == 'e' || here(reader) == 'E') {
        reader->at++;
        reader->at += here(reader) == '+' || here(reader) == '-';
        if (!is_digit(here(reader))) {
            reader->at = before;
        }
        skip_digits(reader);
    }
    return 1;
}

static int word(reader_t *reader, const char *expected)
{
    size_t length = strlen(expected);
    if (reader->length - reader->at < length ||
        memcmp(reader->text + reader->at, expected, length) != 0) {
        return fail(reader, "Expecting value", reader->at);
    }
    reader->at += length;
    return 1;
}

/* ------------------------------------------------------------------- containers */

/* A member's name and the colon behind it. */
static int name(reader_t *reader)
{
    if (here(reader) != '"') {
        return fail(reader, "Expecting property name enclosed in double quotes", reader->at);
    }
    if (!string(reader)) {
        return 0;
    }
    skip_blanks(reader);
    if (here(reader) != ':') {
        return fail(reader, "Expecting ':' delimiter", reader->at);
    }
    reader->at++;
    skip_blanks(reader);
    return 1;
}

static int container(reader_t *reader, char end, const char *trailing)
{
    reader->at++;
    skip_blanks(reader);
    while (here(reader) != end) {
        size_t comma;
        if ((end == '}' && !name(reader)) || !value(reader)) {
            return 0;
        }
        skip_blanks(reader);
        if (here(reader) == end) {
            break;
        }
        if (here(reader) != ',') {
            return fail(reader, "Expecting ',' delimiter", reader->at);
        }
        comma = reader->at++;
        skip_blanks(reader);
        if (here(reader) == end) {
            return fail(reader, trailing, comma);
        }
    }
    reader->at++;
    return 1;
}

static int value(reader_t *reader)
{
    int good;
    if (reader->depth >= MOST_DEPTH) {
        return fail(reader, DSC_JSON_TOO_DEEP, reader->at);
    }
    reader->depth++;
    switch (here(reader)) {
    case '"':
        good = string(reader);
        break;
    case '{':
        good = container(reader, '}', "Illegal trailing comma before end of object");
        break;
    case '[':
        good = container(reader, ']', "Illegal trailing comma before end of array");
        break;
    case 'n':
        good = word(reader, "null");
        break;
    case 't':
        good = word(reader, "true");
        break;
    case 'f':
        good = word(reader, "false");
        break;
    default:
        good = number(reader);
        break;
    }
    reader->depth--;
    return good;
}

dsc_json_error_t dsc_json_syntax(dsc_slice_t text)
{
    reader_t reader = {text.data, text.length, 0, 0, {NULL, 0}};
    dsc_slice_t before;
    skip_blanks(&reader);
    if (value(&reader)) {
        skip_blanks(&reader);
        if (reader.at < reader.length) {
            fail(&reader, "Extra data", reader.at);
        }
    }
    before.data = text.data;
    before.length = reader.error.position;
    reader.error.position = dsc_utf8_count(before);
    return reader.error;
}
