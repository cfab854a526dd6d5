/* Integers, decimals and booleans. The rules for strings are Pydantic's (pydantic-core,
 * src/input/shared.rs); the tests have its results. */
#include "engine/decimal.h"
#include "engine/utf8.h"
#include "engine/value.h"

#include <apr_cstr.h>
#include <apr_strings.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define DIGITS "0123456789"

/* Python's limit for the conversion of text to an integer. */
#define MOST_INTEGER_CHARACTERS 4300

/* The most digits after the point that PostgreSQL's numeric takes. */
#define MOST_FRACTION_DIGITS 16383

/* --- bounds --------------------------------------------------------------------------- */

/* Compares two whole numbers without sign or leading zeros. */
static int compare_digits(const char *one, size_t one_length, const char *other,
                          size_t other_length)
{
    if (one_length != other_length) {
        return one_length < other_length ? -1 : 1;
    }
    return memcmp(one, other, one_length);
}

/* Compares a canonical decimal with a bound: negative, zero or positive. */
static int compare_with_bound(const char *text, int64_t bound)
{
    char digits[24];
    int negative = text[0] == '-', order;
    size_t length = (size_t)apr_snprintf(digits, sizeof(digits), "%" APR_INT64_T_FMT, bound);
    size_t whole = strcspn(text + negative, ".");

    if (negative != (bound < 0)) {
        return negative ? -1 : 1;
    }
    order = compare_digits(text + negative, whole, digits + negative, length - (size_t)negative);
    if (order == 0) {
        order = text[(size_t)negative + whole] == '.';
    }
    return negative ? -order : order;
}

static int refuse_bound(apr_pool_t *pool, const dsc_parameter_t *parameter, int above,
                        dsc_refusal_t *refusal)
{
    int64_t bound = above ? parameter->bounds.maximum : parameter->bounds.minimum;
    /* The field's servers hold the bounds of a number as floating point, which shows in ctx. */
    const char *fraction = parameter->type == DSC_NUMBER ? ".0" : "";

    return dsc_refuse(refusal, above ? "less_than_equal" : "greater_than_equal",
                      apr_psprintf(pool, "Input should be %s than or equal to %" APR_INT64_T_FMT,
                                   above ? "less" : "greater", bound),
                      apr_psprintf(pool, "{\"%s\":%" APR_INT64_T_FMT "%s}", above ? "le" : "ge",
                                   bound, fraction));
}

static int check_bounds(apr_pool_t *pool, const dsc_parameter_t *parameter, const char *text,
                        dsc_refusal_t *refusal)
{
    const dsc_bounds_t *bounds = &parameter->bounds;

    if (bounds->has_maximum && compare_with_bound(text, bounds->maximum) > 0) {
        return refuse_bound(pool, parameter, 1, refusal);
    }
    if (bounds->has_minimum && compare_with_bound(text, bounds->minimum) < 0) {
        return refuse_bound(pool, parameter, 0, refusal);
    }
    return 1;
}

/* --- integers ------------------------------------------------------------------------- */

/* The length of the JSON integer's digits at the start of the text, sign included. */
static size_t integer_length(const char *text)
{
    size_t sign = text[0] == '-', digits = strspn(text + sign, DIGITS);

    return digits > 0 ? sign + digits : 0;
}

/* Whether the whole text is -?(0|[1-9][0-9]*) with no more digits than Python takes. */
static int is_integer(const char *text, size_t length)
{
    size_t sign = text[0] == '-';

    return length > sign && length <= MOST_INTEGER_CHARACTERS && integer_length(text) == length &&
           (text[sign] != '0' || length == sign + 1);
}

/* Whether a run of digits is too long to be looked at, whatever follows it. */
static int is_oversized(const char *text)
{
    return integer_length(text) > MOST_INTEGER_CHARACTERS && text[text[0] == '-'] != '0';
}

/* Steps over leading zeros, and underscores between them, but not over the last character of
 * the whole part. NULL if something else is there. */
static char *skip_zeros(char *text)
{
    char *at = text;

    if (*text != '0') {
        return (*text >= '1' && *text <= '9') || *text == '-' ? text : NULL;
    }
    do {
        at++;
    } while (*at == '0' || *at == '_');
    if (*at == '\0' || *at == '.') {
        return at - 1;
    }
    return (*at >= '1' && *at <= '9') || *at == '-' ? at : NULL;
}

/* Cuts a fraction of zeros off. */
static void cut_zero_fraction(char *text)
{
    char *point = strchr(text, '.');

    if (point && point[1] != '\0' && strspn(point + 1, "0") == strlen(point + 1)) {
        *point = '\0';
    }
}

/* Removes single underscores between characters; if one is anywhere else, all stay. */
static void remove_underscores(char *text)
{
    size_t length = strlen(text);
    char *out = text;

    if (length == 0 || text[0] == '_' || text[length - 1] == '_' || strstr(text, "__")) {
        return;
    }
    for (; *text; text++) {
        if (*text != '_') {
            *out++ = *text;
        }
    }
    *out = '\0';
}

/* Converts the spellings that people use (" +5", "005", "1_000", "5.0") to that of JSON. NULL if
 * this is not possible. */
static const char *clean_integer(apr_pool_t *pool, dsc_slice_t input)
{
    char *text;
    int negative;

    input = dsc_utf8_trim(input);
    text = apr_pstrmemdup(pool, input.data, input.length);
    if (strlen(text) != input.length) {
        return NULL; /* a NUL */
    }
    if (text[0] == '+' && *++text == '-') {
        return NULL;
    }
    negative = *text == '-';
    if (negative && (*++text == '-' || *text == '+')) {
        return NULL;
    }
    text = skip_zeros(text);
    if (text == NULL) {
        return NULL;
    }
    cut_zero_fraction(text);
    remove_underscores(text);
    return negative ? apr_pstrcat(pool, "-", text, NULL) : text;
}

int dsc_read_integer(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                     dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    const char *text = apr_pstrmemdup(pool, input.data, input.length);

    if (is_oversized(text)) {
        return dsc_refuse(refusal, "int_parsing_size",
                          "Unable to parse input string as an integer, exceeded maximum size",
                          NULL);
    }
    if (!is_integer(text, input.length)) {
        text = clean_integer(pool, input);
    }
    if (text == NULL || !is_integer(text, strlen(text))) {
        return dsc_refuse(refusal, "int_parsing",
                          "Input should be a valid integer, unable to parse string as an integer",
                          NULL);
    }
    scalar->text = strcmp(text, "-0") == 0 ? "0" : text;
    errno = 0;
    scalar->integer = strtoimax(scalar->text, NULL, 10);
    scalar->out_of_range = errno == ERANGE;
    return check_bounds(pool, parameter, scalar->text, refusal);
}

/* --- decimals ------------------------------------------------------------------------- */

/* Whether the text names a number that is not finite: nan, inf, infinity in any case. */
static int is_named_number(const char *text)
{
    static const char *const names[] = {"inf", "infinity", "nan", NULL};
    size_t i;

    text += *text == '+' || *text == '-';
    for (i = 0; names[i]; i++) {
        if (apr_cstr_casecmp(text, names[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether an IEEE 754 double would round the number to infinity: from half a step above the
 * largest one on, which is 2^1024 - 2^970. Its first digits decide. */
static int overflows_double(const dsc_decimal_t *decimal)
{
    static const char limit[] = "179769313486231580793728971405303415";
    long magnitude = dsc_decimal_magnitude(decimal), first = dsc_decimal_first(decimal);
    size_t i = 0;

    if (magnitude != 309) {
        return magnitude > 309;
    }
    while (limit[i] && dsc_decimal_digit(decimal, first + (long)i) == limit[i]) {
        i++;
    }
    return dsc_decimal_digit(decimal, first + (long)i) >= limit[i];
}

/* The number in plain digits. What is smaller than the smallest double is 0, and digits past
 * those that PostgreSQL's numeric holds are cut. */
static const char *plain_digits(apr_pool_t *pool, const dsc_decimal_t *decimal)
{
    dsc_buffer_t *buffer;
    char *text, *point;

    if (dsc_decimal_magnitude(decimal) < -323) {
        return "0";
    }
    buffer = dsc_buffer_create(pool, 64);
    dsc_decimal_write(buffer, decimal, 0);
    text = apr_pstrmemdup(pool, dsc_buffer_text(buffer), buffer->length);
    point = strchr(text, '.');
    if (point && strlen(point + 1) > MOST_FRACTION_DIGITS) {
        point[1 + MOST_FRACTION_DIGITS] = '\0';
    }
    return text;
}

/* Parses the text, or else the text without its underscores. */
static int parse_number(apr_pool_t *pool, dsc_slice_t input, dsc_decimal_t *decimal, int *named)
{
    dsc_slice_t trimmed = dsc_utf8_trim(input);
    char *text = apr_pstrmemdup(pool, trimmed.data, trimmed.length);

    *named = strlen(text) == trimmed.length && is_named_number(text);
    if (*named || dsc_decimal_parse(text, trimmed.length, decimal)) {
        return 1;
    }
    text = apr_pstrmemdup(pool, input.data, input.length);
    if (strlen(text) != input.length) {
        return 0;
    }
    remove_underscores(text);
    *named = is_named_number(text);
    return *named || dsc_decimal_parse(text, strlen(text), decimal);
}

int dsc_read_number(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                    dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    dsc_decimal_t decimal;
    int named;

    if (!parse_number(pool, input, &decimal, &named)) {
        return dsc_refuse(refusal, "float_parsing",
                          "Input should be a valid number, unable to parse string as a number",
                          NULL);
    }
    if (named || overflows_double(&decimal)) {
        return dsc_refuse(refusal, "finite_number", "Input should be a finite number", NULL);
    }
    scalar->text = plain_digits(pool, &decimal);
    return check_bounds(pool, parameter, scalar->text, refusal);
}

/* --- booleans ------------------------------------------------------------------------- */

int dsc_read_boolean(apr_pool_t *pool, const dsc_parameter_t *parameter, dsc_slice_t input,
                     dsc_scalar_t *scalar, dsc_refusal_t *refusal)
{
    static const char *const words[] = {"0",   "1",   "f",  "t",     "n",    "y", "no",
                                        "yes", "off", "on", "false", "true", NULL};
    size_t i;

    (void)pool;
    (void)parameter;
    for (i = 0; words[i]; i++) {
        if (input.length == strlen(words[i]) &&
            apr_cstr_casecmpn(input.data, words[i], input.length) == 0) {
            scalar->integer = i % 2;
            scalar->text = i % 2 ? "true" : "false";
            return 1;
        }
    }
    return dsc_refuse(refusal, "bool_parsing",
                      "Input should be a valid boolean, unable to interpret input", NULL);
}
