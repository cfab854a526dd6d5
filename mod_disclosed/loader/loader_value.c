/* Checking a record's values before the database sees them, and making array literals. */
#include "loader/loader_value.h"

#include "engine/buffer.h"
#include "engine/calendar.h"
#include "engine/decimal.h"
#include "engine/utf8.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <jansson.h>
#include <stdint.h>
#include <string.h>

/* Digits before and after the point. Clients read numbers as doubles, to which more before it are
 * an infinity; after it, those of PostgreSQL's numeric. */
enum {
    NUMERIC_WHOLE = 308,
    NUMERIC_SCALE = 16383
};

/* ------------------------------------------------------------------------ numbers */

static const char *integer_error(const char *text)
{
    const char *at = text + (*text == '-' || *text == '+');
    uint64_t limit = *text == '-' ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    uint64_t value = 0;

    if (*at == '\0') {
        return "not a whole number";
    }
    for (; *at != '\0'; at++) {
        unsigned digit = (unsigned)(*at - '0');
        if (*at < '0' || *at > '9') {
            return "not a whole number";
        }
        if (value > (limit - digit) / 10) {
            return "a number beyond 64 bits";
        }
        value = value * 10 + digit;
    }
    return NULL;
}

static const char *decimal_error(const char *text)
{
    dsc_decimal_t decimal;

    if (!dsc_decimal_parse(text, strlen(text), &decimal)) {
        return "not a decimal number";
    }
    if (decimal.whole_length + decimal.exponent > NUMERIC_WHOLE ||
        decimal.fraction_length - decimal.exponent > NUMERIC_SCALE) {
        return "a decimal number with too many digits";
    }
    return NULL;
}

static const char *boolean_error(const char *text)
{
    return strcmp(text, "t") == 0 || strcmp(text, "f") == 0 ? NULL : "neither true nor false";
}

/* -------------------------------------------------------------------------- times */

/* Reads exactly `count` digits; -1 if there are others. */
static int read_digits(const char **at, int count)
{
    int value = 0;

    for (; count > 0; count--, (*at)++) {
        if (**at < '0' || **at > '9') {
            return -1;
        }
        value = value * 10 + (**at - '0');
    }
    return value;
}

/* Reads YYYY-MM-DD; 0 if there is none. */
static int read_date(const char **at)
{
    int year, month, day;

    year = read_digits(at, 4);
    if (year < 1 || *(*at)++ != '-') {
        return 0;
    }
    month = read_digits(at, 2);
    if (month < 1 || month > 12 || *(*at)++ != '-') {
        return 0;
    }
    day = read_digits(at, 2);
    return day >= 1 && day <= dsc_month_length(year, month);
}

/* Reads HH:MM:SS with an optional fraction of a second; 0 if there is none. */
static int read_time(const char **at)
{
    int hour, minute, second, places = 0;

    hour = read_digits(at, 2);
    if (hour < 0 || hour > 23 || *(*at)++ != ':') {
        return 0;
    }
    minute = read_digits(at, 2);
    if (minute < 0 || minute > 59 || *(*at)++ != ':') {
        return 0;
    }
    second = read_digits(at, 2);
    if (second < 0 || second > 59) {
        return 0;
    }
    if (**at != '.') {
        return 1;
    }
    for ((*at)++; apr_isdigit(**at); (*at)++) {
        places++;
    }
    return places > 0 && places <= 9;
}

/* Reads Z or +HH, +HHMM, +HH:MM; PostgreSQL takes no more than 15:59. */
static int read_zone(const char **at)
{
    int hour, minute = 0;

    if (**at == 'Z' || **at == 'z') {
        (*at)++;
        return 1;
    }
    if (**at != '+' && **at != '-') {
        return 0;
    }
    (*at)++;
    hour = read_digits(at, 2);
    if (**at == ':') {
        (*at)++;
        minute = read_digits(at, 2);
    } else if (**at != '\0') {
        minute = read_digits(at, 2);
    }
    return hour >= 0 && hour <= 15 && minute >= 0 && minute <= 59;
}

static const char *date_error(const char *text)
{
    return read_date(&text) && *text == '\0' ? NULL : "not a date (YYYY-MM-DD)";
}

static const char *datetime_error(const char *text)
{
    if (read_date(&text) && (*text == 'T' || *text == 't' || *text == ' ')) {
        text++;
        if (read_time(&text) && read_zone(&text) && *text == '\0') {
            return NULL;
        }
    }
    return "not a date and time with a zone (YYYY-MM-DDTHH:MM:SSZ)";
}

/* ------------------------------------------------------------------ text and more */

int dsc_text_is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
    int good = 1;

    while (at < end && good) {
        at += *at < 0x80 ? 1 : dsc_utf8_step(at, (size_t)(end - at), &good);
    }
    return good;
}

static const char *text_error(const char *text)
{
    return dsc_text_is_utf8(text) ? NULL : "not valid UTF-8";
}

/* Bytes that end an element without quotes, or may not be in it: what apr_isspace() says is space,
 * and the end are among them. */
static const unsigned char ends_element[256] = {
    ['\0'] = 1, ['\t'] = 1, ['\n'] = 1, ['\v'] = 1, ['\f'] = 1, ['\r'] = 1,
    [' '] = 1,  ['"'] = 1,  ['{'] = 1,  ['}'] = 1,  [','] = 1,  ['\\'] = 1,
};

/* Steps over one element of an array literal; NULL if it is none. */
static const char *skip_element(const char *at)
{
    const char *start = at;

    if (*at == '"') {
        for (at++; *at != '"'; at++) {
            at += *at == '\\';
            if (*at == '\0') {
                return NULL;
            }
        }
        return at + 1;
    }
    while (!ends_element[(unsigned char)*at]) {
        at++;
    }
    return at > start ? at : NULL;
}

static const char *texts_error(const char *text)
{
    const char *at = text + 1;

    if (text[0] == '{' && text[1] == '}' && text[2] == '\0') {
        return NULL;
    }
    while (text[0] == '{' && (at = skip_element(at)) != NULL && *at == ',') {
        at++;
    }
    if (text[0] != '{' || at == NULL || at[0] != '}' || at[1] != '\0') {
        return "not an array of texts";
    }
    return text_error(text);
}

/* The parser refuses U+0000 and surrogates without a partner, which jsonb cannot hold either. */
static const char *json_error(const char *text)
{
    json_error_t error;
    json_t *json = json_loads(text, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &error);

    json_decref(json);
    return json != NULL ? NULL : "not valid JSON";
}

static const char *(*const type_errors[])(const char *text) = {
    [DSC_COLUMN_INTEGER] = integer_error, [DSC_COLUMN_DECIMAL] = decimal_error,
    [DSC_COLUMN_TEXT] = text_error,       [DSC_COLUMN_BOOLEAN] = boolean_error,
    [DSC_COLUMN_DATE] = date_error,       [DSC_COLUMN_DATETIME] = datetime_error,
    [DSC_COLUMN_TEXTS] = texts_error,     [DSC_COLUMN_JSON] = json_error,
};

const char *dsc_value_error(dsc_column_type_t type, const char *text)
{
    return type_errors[type](text);
}

static int is_choice(const char *const *choices, const char *text)
{
    for (; *choices != NULL; choices++) {
        if (strcmp(*choices, text) == 0) {
            return 1;
        }
    }
    return 0;
}

static const char *choices_text(apr_pool_t *pool, const char *const *choices)
{
    const char *text = *choices;

    for (choices++; *choices != NULL; choices++) {
        text = apr_pstrcat(pool, text, ", ", *choices, NULL);
    }
    return text;
}

const char *dsc_column_error(apr_pool_t *pool, const dsc_column_t *column, const char *text)
{
    const char *error;

    if (text == NULL || (*text == '\0' && (column->flags & DSC_COLUMN_REQUIRED))) {
        return column->flags & DSC_COLUMN_REQUIRED
                   ? apr_pstrcat(pool, column->name, ": is required", NULL)
                   : NULL;
    }
    if (column->choices != NULL && !is_choice(column->choices, text)) {
        return apr_pstrcat(pool, column->name, ": not one of ", choices_text(pool, column->choices),
                           NULL);
    }
    error = dsc_value_error(column->type, text);
    return error == NULL ? NULL : apr_pstrcat(pool, column->name, ": ", error, NULL);
}

const char *dsc_texts_literal(apr_pool_t *pool, int count, const char *const *texts)
{
    dsc_buffer_t *buffer = dsc_buffer_create(pool, 64);
    const char *at;
    int i;

    dsc_buffer_append_char(buffer, '{');
    for (i = 0; i < count; i++) {
        dsc_buffer_append_text(buffer, i > 0 ? "," : "");
        if (texts[i] == NULL) {
            dsc_buffer_append_text(buffer, "NULL");
            continue;
        }
        dsc_buffer_append_char(buffer, '"');
        for (at = texts[i]; *at != '\0'; at++) {
            if (*at == '"' || *at == '\\') {
                dsc_buffer_append_char(buffer, '\\');
            }
            dsc_buffer_append_char(buffer, *at);
        }
        dsc_buffer_append_char(buffer, '"');
    }
    dsc_buffer_append_char(buffer, '}');
    return apr_pstrdup(pool, dsc_buffer_text(buffer));
}

const char *dsc_text_array(apr_pool_t *pool, const apr_array_header_t *texts)
{
    if (!texts || texts->nelts == 0) {
        return NULL;
    }
    return dsc_texts_literal(pool, texts->nelts, (const char *const *)texts->elts);
}
