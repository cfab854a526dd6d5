/* Reading a line of NDJSON member by member: RFC 8259. */
#include "formats/json_line.h"

#include <apr_strings.h>
#include <string.h>

enum {
    DEEPEST = 100
};

/* The value at the walk's place, of nested ones only the extent. */
static int read_value(dsc_json_walk_t *walk, dsc_json_value_t *value, int depth);

static int fail(dsc_json_walk_t *walk, const char *fault)
{
    if (walk->fault == NULL) {
        walk->fault = fault;
    }
    return 0;
}

static void skip_space(dsc_json_walk_t *walk)
{
    while (walk->at < walk->end && *walk->at != '\0' && strchr(" \t\r\n", *walk->at) != NULL) {
        walk->at++;
    }
}

static int skip_char(dsc_json_walk_t *walk, char expected)
{
    skip_space(walk);
    if (walk->at < walk->end && *walk->at == expected) {
        walk->at++;
        return 1;
    }
    return 0;
}

/* ------------------------------------------------------------------------- strings */

/* Four hexadecimal digits; -1 where there are others. */
static long read_hex(dsc_json_walk_t *walk)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    long code = 0;
    int i;

    for (i = 0; i < 4; i++, walk->at++) {
        const char *digit =
            walk->at < walk->end && *walk->at != '\0' ? strchr(digits, *walk->at) : NULL;
        if (digit == NULL) {
            return -1;
        }
        code = code * 16 + (digit - digits) % 16;
    }
    return code;
}

static char *put_utf8(char *to, long code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (char)(0xC0 | (code >> 6));
    } else {
        if (code < 0x10000) {
            *to++ = (char)(0xE0 | (code >> 12));
        } else {
            *to++ = (char)(0xF0 | (code >> 18));
            *to++ = (char)(0x80 | ((code >> 12) & 0x3F));
        }
        *to++ = (char)(0x80 | ((code >> 6) & 0x3F));
    }
    *to++ = (char)(0x80 | (code & 0x3F));
    return to;
}

/* What follows "\u"; a surrogate must have its partner. */
static long read_code_point(dsc_json_walk_t *walk)
{
    long code = read_hex(walk), low;

    if (code < 0xD800 || code > 0xDFFF) {
        return code == 0 ? -1 : code; /* no text of the database holds U+0000 */
    }
    if (code > 0xDBFF || walk->end - walk->at < 6 || walk->at[0] != '\\' || walk->at[1] != 'u') {
        return -1;
    }
    walk->at += 2;
    low = read_hex(walk);
    return low < 0xDC00 || low > 0xDFFF ? -1 : 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
}

static char *read_escape(dsc_json_walk_t *walk, char *to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    const char *found;
    long code;

    if (walk->at == walk->end || *walk->at == '\0') {
        return NULL;
    }
    if (*walk->at == 'u') {
        walk->at++;
        code = read_code_point(walk);
        return code < 0 ? NULL : put_utf8(to, code);
    }
    found = strchr(from, *walk->at++);
    if (found == NULL) {
        return NULL;
    }
    *to++ = into[found - from];
    return to;
}

/* The string whose quote the walk has just passed; NULL at a fault. No escape decodes to more
 * bytes than it is written with. */
static const char *read_string(dsc_json_walk_t *walk)
{
    const char *close = walk->at;
    char *text, *to;

    while (close < walk->end && *close != '"') {
        close += *close == '\\' ? 2 : 1;
    }
    if (close >= walk->end) {
        fail(walk, "a string does not end");
        return NULL;
    }
    text = to = apr_palloc(walk->pool, (size_t)(close - walk->at) + 1);
    while (*walk->at != '"') {
        unsigned char byte = (unsigned char)*walk->at++;
        if (byte == '\\') {
            to = read_escape(walk, to);
        } else if (byte >= 0x20) {
            *to++ = (char)byte;
        } else {
            to = NULL;
        }
        if (to == NULL) {
            fail(walk, "a string holds an escape or control character that it may not");
            return NULL;
        }
    }
    *to = '\0';
    walk->at++;
    return text;
}

/* ----------------------------------------------------------------- numbers and words */

static int skip_digits(dsc_json_walk_t *walk)
{
    const char *from = walk->at;

    while (walk->at < walk->end && *walk->at >= '0' && *walk->at <= '9') {
        walk->at++;
    }
    return walk->at > from;
}

static int at_one_of(const dsc_json_walk_t *walk, const char *characters)
{
    return walk->at < walk->end && *walk->at != '\0' && strchr(characters, *walk->at) != NULL;
}

static int skip_number(dsc_json_walk_t *walk)
{
    const char *digits;

    walk->at += at_one_of(walk, "-");
    digits = walk->at;
    if (!skip_digits(walk) || (*digits == '0' && walk->at - digits > 1)) {
        return 0;
    }
    if (at_one_of(walk, ".")) {
        walk->at++;
        if (!skip_digits(walk)) {
            return 0;
        }
    }
    if (at_one_of(walk, "eE")) {
        walk->at++;
        walk->at += at_one_of(walk, "+-");
        return skip_digits(walk);
    }
    return 1;
}

static int read_word(dsc_json_walk_t *walk, dsc_json_value_t *value)
{
    static const struct {
        const char *text;
        size_t length;
        dsc_json_kind_t kind;
    } words[] = {{"null", 4, DSC_JSON_NULL},
                 {"true", 4, DSC_JSON_TRUE},
                 {"false", 5, DSC_JSON_FALSE}};
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if ((size_t)(walk->end - walk->at) >= words[i].length &&
            memcmp(walk->at, words[i].text, words[i].length) == 0) {
            walk->at += words[i].length;
            value->kind = words[i].kind;
            value->text = words[i].text;
            return 1;
        }
    }
    return fail(walk, "a value is missing or none of JSON's");
}

/* -------------------------------------------------------------------------- nesting */

/* Steps over an object or array. */
static int skip_nested(dsc_json_walk_t *walk, char close, int depth)
{
    dsc_json_value_t value;

    walk->at++;
    if (depth > DEEPEST) {
        return fail(walk, "values are nested too deeply");
    }
    if (skip_char(walk, close)) {
        return 1;
    }
    do {
        if (close == '}' &&
            (!skip_char(walk, '"') || read_string(walk) == NULL || !skip_char(walk, ':'))) {
            return fail(walk, "a member has no name");
        }
        if (!read_value(walk, &value, depth + 1)) {
            return 0;
        }
    } while (skip_char(walk, ','));
    return skip_char(walk, close) ? 1 : fail(walk, "an object or array does not end");
}

static int read_value(dsc_json_walk_t *walk, dsc_json_value_t *value, int depth)
{
    const char *from;

    skip_space(walk);
    from = walk->at;
    if (at_one_of(walk, "\"")) {
        walk->at++;
        value->kind = DSC_JSON_STRING;
        value->text = read_string(walk);
        return value->text != NULL;
    }
    if (at_one_of(walk, "{[")) {
        value->kind = *from == '{' ? DSC_JSON_OBJECT : DSC_JSON_ARRAY;
        if (!skip_nested(walk, *from == '{' ? '}' : ']', depth)) {
            return 0;
        }
    } else if (at_one_of(walk, "-0123456789")) {
        value->kind = DSC_JSON_NUMBER;
        if (!skip_number(walk)) {
            return fail(walk, "a number is malformed");
        }
    } else {
        return read_word(walk, value);
    }
    value->text = depth > 0 ? "" : apr_pstrmemdup(walk->pool, from, (size_t)(walk->at - from));
    return 1;
}

/* --------------------------------------------------------------------------- the walk */

void dsc_json_walk(dsc_json_walk_t *walk, apr_pool_t *pool, const char *text, size_t length,
                   int array)
{
    memset(walk, 0, sizeof(*walk));
    walk->pool = pool;
    walk->at = text;
    walk->end = text + length;
    walk->close = array ? ']' : '}';
    if (!skip_char(walk, array ? '[' : '{')) {
        fail(walk, array ? "not a JSON array" : "not a JSON object");
    }
}

static int at_end(dsc_json_walk_t *walk)
{
    skip_space(walk);
    if (walk->at < walk->end) {
        fail(walk, "more text follows the JSON value");
    }
    return 0;
}

int dsc_json_next(dsc_json_walk_t *walk, const char **name, dsc_json_value_t *value)
{
    if (walk->fault != NULL || (skip_char(walk, walk->close) && at_end(walk) == 0)) {
        return 0;
    }
    if (walk->begun && !skip_char(walk, ',')) {
        return fail(walk, "a comma or the end is missing");
    }
    walk->begun = 1;
    if (walk->close == '}') {
        const char *text = skip_char(walk, '"') ? read_string(walk) : NULL;
        if (text == NULL || !skip_char(walk, ':')) {
            return fail(walk, "a member has no name");
        }
        *name = text;
    }
    return read_value(walk, value, 0);
}
