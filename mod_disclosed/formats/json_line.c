/* Reading a line of NDJSON member by member: RFC 8259. jansson reads strings; numbers and what is
 * nested stay the text that they are, which its values would not keep. */
#include "formats/json_line.h"

#include <apr_strings.h>
#include <jansson.h>
#include <string.h>

enum {
    DEEPEST = 100
};

/* The value at the walk's position, of nested ones only the extent. */
static int read_value(dsc_json_walk_t *walk, dsc_json_value_t *value, int depth);

static int fail(dsc_json_walk_t *walk, const char *error)
{
    if (walk->error == NULL) {
        walk->error = error;
    }
    return 0;
}

static int is_space(char character)
{
    return character == ' ' || character == '\t' || character == '\r' || character == '\n';
}

static void skip_space(dsc_json_walk_t *walk)
{
    while (walk->at < walk->end && is_space(*walk->at)) {
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

/* Bytes that are more than themselves in a string, or may not be there: most of a file is looked at
 * for them several times. */
static const unsigned char is_special[256] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,         1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ['"'] = 1, ['\\'] = 1,
};

/* The string between two quotes, which has escapes; NULL if it is none. */
static const char *decode(apr_pool_t *pool, const char *text, size_t length)
{
    const char *decoded = NULL;
    json_t *string = json_loadb(text - 1, length + 2, JSON_DECODE_ANY, NULL);

    if (string != NULL) {
        decoded = apr_pstrmemdup(pool, json_string_value(string), json_string_length(string));
        json_decref(string);
    }
    return decoded;
}

/* The string whose quote the walk has just passed, with its escapes decoded; NULL at an error.
 * Without escapes its bytes are taken as they are: whether they are UTF-8 is for the loader to say,
 * with the column. `skipped`: its text is not asked for, and need not be copied. */
static const char *read_string(dsc_json_walk_t *walk, int skipped)
{
    const char *from = walk->at, *close = from, *text = NULL;
    int has_escapes = 0, has_controls = 0;

    for (;;) {
        while (close < walk->end && !is_special[(unsigned char)*close]) {
            close++;
        }
        if (close >= walk->end || *close == '"') {
            break;
        }
        has_escapes |= *close == '\\';
        has_controls |= *close != '\\';
        close += *close == '\\' ? 2 : 1;
    }
    if (close >= walk->end) {
        fail(walk, "a string does not end");
        return NULL;
    }
    if (has_escapes) {
        text = decode(walk->pool, from, (size_t)(close - from));
    } else if (!has_controls) {
        text = skipped ? "" : apr_pstrmemdup(walk->pool, from, (size_t)(close - from));
    }
    if (text == NULL) {
        fail(walk, "a string holds an escape, control character or byte that it may not");
        return NULL;
    }
    walk->at = close + 1;
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

/* Without strchr(3): it would take more time than all else here. */
static int at_one_of(const dsc_json_walk_t *walk, const char *characters)
{
    while (walk->at < walk->end && *characters != '\0' && *characters != *walk->at) {
        characters++;
    }
    return walk->at < walk->end && *characters != '\0';
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
            (!skip_char(walk, '"') || read_string(walk, 1) == NULL || !skip_char(walk, ':'))) {
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
        value->text = read_string(walk, depth > 0);
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

void dsc_json_walk_in_place(dsc_json_walk_t *walk, apr_pool_t *pool, const char *text,
                            size_t length)
{
    dsc_json_walk(walk, pool, text, length, 0);
    walk->enters = 1;
}

void dsc_json_enter(dsc_json_walk_t *walk, apr_pool_t *pool, const dsc_json_walk_t *outer)
{
    dsc_json_walk(walk, pool, outer->at, (size_t)(outer->end - outer->at), *outer->at == '[');
    walk->enters = walk->is_within = 1;
}

void dsc_json_leave(const dsc_json_walk_t *walk, dsc_json_walk_t *outer)
{
    outer->at = walk->at;
    outer->at_nested = 0;
    outer->error = walk->error;
}

/* Reports a nested value without reading it. */
static int stop_at_nested(dsc_json_walk_t *walk, dsc_json_value_t *value)
{
    skip_space(walk);
    walk->at_nested = walk->enters && at_one_of(walk, "{[");
    if (walk->at_nested) {
        value->kind = *walk->at == '{' ? DSC_JSON_OBJECT : DSC_JSON_ARRAY;
        value->text = walk->at;
    }
    return walk->at_nested;
}

/* Steps over a nested value that nobody has entered. */
static int pass_nested(dsc_json_walk_t *walk)
{
    dsc_json_value_t value;

    walk->at_nested = 0;
    return read_value(walk, &value, 1);
}

int dsc_json_next(dsc_json_walk_t *walk, const char **name, dsc_json_value_t *value)
{
    if (walk->error != NULL || (walk->at_nested && !pass_nested(walk))) {
        return 0;
    }
    if (skip_char(walk, walk->close)) {
        return walk->is_within ? 0 : at_end(walk);
    }
    if (walk->begun && !skip_char(walk, ',')) {
        return fail(walk, "a comma or the end is missing");
    }
    walk->begun = 1;
    if (walk->close == '}') {
        const char *text = skip_char(walk, '"') ? read_string(walk, 0) : NULL;
        if (text == NULL || !skip_char(walk, ':')) {
            return fail(walk, "a member has no name");
        }
        *name = text;
    }
    return stop_at_nested(walk, value) || read_value(walk, value, 0);
}
