#include "sources/xbrl_instance/instance_number.h"

#include "engine/decimal.h"
#include "engine/shape.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGEST_EXPONENT = 999
};

/* The number times ten to the power of `places`, in plain digits. NULL if it is none, or its
 * exponent is out of all bounds. */
static const char *written(apr_pool_t *pool, const char *text, int places)
{
    dsc_buffer_t *buffer;
    dsc_decimal_t decimal;

    if (!dsc_decimal_parse(text, strlen(text), &decimal) || decimal.exponent > LARGEST_EXPONENT ||
        decimal.exponent < -LARGEST_EXPONENT) {
        return NULL;
    }
    buffer = dsc_buffer_create(pool, 64);
    dsc_decimal_write(buffer, &decimal, places);
    return apr_pstrdup(pool, dsc_buffer_text(buffer));
}

const char *dsc_instance_plain(apr_pool_t *pool, const char *text)
{
    return written(pool, text, 0);
}

const char *dsc_instance_moved(apr_pool_t *pool, const char *number, int places)
{
    return written(pool, number, places);
}

/* -------------------------------------------------------------------------- formats */

/* What groups digits, by the registries; each list ends with NULL. */
#define APOSTROPHES "'", "`", "\xc2\xb4", "\xe2\x80\x99", "\xe2\x80\xb2"
static const char *const commas[] = {",", NULL};
static const char *const points[] = {".", NULL};
static const char *const commas_and_apostrophes[] = {",", APOSTROPHES, NULL};
static const char *const points_and_apostrophes[] = {".", APOSTROPHES, NULL};
static const char *const commas_and_points[] = {",", ".", "\xef\xbc\x8c", "\xef\xbc\x8e", NULL};

/* The length of the first of them that the text begins with; 0: it begins with none. */
static size_t begins_with(const char *text, const char *const *list)
{
    for (; *list; list++) {
        if (strncmp(text, *list, strlen(*list)) == 0) {
            return strlen(*list);
        }
    }
    return 0;
}

static size_t space_at(const char *text)
{
    static const char *const spaces[] = {" ", "\t", "\r", "\n", "\xc2\xa0", NULL};

    return begins_with(text, spaces);
}

/* The text without what groups digits before the decimal mark, which becomes a point; what else is
 * in it stays. */
static const char *ungrouped(apr_pool_t *pool, const char *text, const char *const *groupings,
                             char mark)
{
    char *plain = apr_palloc(pool, strlen(text) + 1), *end = plain;
    int is_fraction = 0;

    while (*text) {
        size_t left_out = is_fraction ? 0 : begins_with(text, groupings);

        left_out = left_out ? left_out : space_at(text);
        if (left_out) {
            text += left_out;
            continue;
        }
        is_fraction |= *text == mark;
        *end++ = *text == mark ? '.' : *text;
        text++;
    }
    *end = '\0';
    return plain;
}

static const char *with_point(apr_pool_t *pool, const char *text)
{
    return dsc_instance_plain(pool, ungrouped(pool, text, commas, '.'));
}

static const char *with_comma(apr_pool_t *pool, const char *text)
{
    return dsc_instance_plain(pool, ungrouped(pool, text, points, ','));
}

static const char *with_apostrophe(apr_pool_t *pool, const char *text)
{
    return dsc_instance_plain(pool, ungrouped(pool, text, commas_and_apostrophes, '.'));
}

static const char *with_apostrophe_and_comma(apr_pool_t *pool, const char *text)
{
    return dsc_instance_plain(pool, ungrouped(pool, text, points_and_apostrophes, ','));
}

/* Moves on behind a unit, in letters and signs of any kind; 0 if there is none. */
static int skip_unit(const char **text)
{
    const char *begin = *text;

    while (**text && !apr_isdigit(**text) && !begins_with(*text, commas_and_points)) {
        ++*text;
    }
    return *text > begin;
}

/* "1,234 dollars 56 cents": the second number counts hundredths. */
static const char *in_units(apr_pool_t *pool, const char *text)
{
    char *plain = apr_palloc(pool, strlen(text) + 3), *end = plain;
    char tens = '0', ones;

    while (apr_isdigit(*text) || (end > plain && begins_with(text, commas_and_points)) ||
           (end == plain && space_at(text))) {
        if (apr_isdigit(*text)) {
            *end++ = *text++;
        } else {
            text += end > plain ? begins_with(text, commas_and_points) : space_at(text);
        }
    }
    if (end == plain || !skip_unit(&text) || !apr_isdigit(*text)) {
        return NULL;
    }
    ones = *text++;
    if (apr_isdigit(*text)) {
        tens = ones;
        ones = *text++;
    }
    (void)skip_unit(&text);
    *end++ = '.';
    *end++ = tens;
    *end++ = ones;
    *end = '\0';
    return *text ? NULL : dsc_instance_plain(pool, plain);
}

static const char *zero(apr_pool_t *pool, const char *text)
{
    (void)pool;
    (void)text;
    return "0";
}

/* What a word of a number counts; what multiplies what is before it is at least a hundred. */
static const struct {
    const char *word;
    unsigned long long count;
} words[] = {
    {"no", 0},
    {"none", 0},
    {"zero", 0},
    {"one", 1},
    {"two", 2},
    {"three", 3},
    {"four", 4},
    {"five", 5},
    {"six", 6},
    {"seven", 7},
    {"eight", 8},
    {"nine", 9},
    {"ten", 10},
    {"eleven", 11},
    {"twelve", 12},
    {"thirteen", 13},
    {"fourteen", 14},
    {"fifteen", 15},
    {"sixteen", 16},
    {"seventeen", 17},
    {"eighteen", 18},
    {"nineteen", 19},
    {"twenty", 20},
    {"thirty", 30},
    {"forty", 40},
    {"fifty", 50},
    {"sixty", 60},
    {"seventy", 70},
    {"eighty", 80},
    {"ninety", 90},
    {"hundred", 100},
    {"thousand", 1000},
    {"million", 1000000},
    {"billion", 1000000000},
    {"trillion", 1000000000000},
};

/* Adds a word to what has been counted: `part` is what no thousand has multiplied yet. 0 if it is
 * none. */
static int count_word(const char *word, unsigned long long *total, unsigned long long *part)
{
    for (int i = 0; i < DSC_COUNT(words); i++) {
        if (strcasecmp(word, words[i].word) == 0) {
            if (words[i].count < 100) {
                *part += words[i].count;
            } else if (words[i].count == 100) {
                *part = (*part ? *part : 1) * 100;
            } else {
                *total += (*part ? *part : 1) * words[i].count;
                *part = 0;
            }
            return *part < 1000000 && *total < 1000000000000000000ULL;
        }
    }
    return 0;
}

static const char *in_words(apr_pool_t *pool, const char *text)
{
    char *rest = apr_pstrdup(pool, text), *word;
    unsigned long long total = 0, part = 0;
    int count = 0;

    while ((word = apr_strtok(rest, " \t\r\n-,", &rest)) != NULL) {
        if (strcasecmp(word, "and") != 0 && !count_word(word, &total, &part)) {
            return NULL;
        }
        count++;
    }
    return count > 0 ? apr_psprintf(pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)(total + part))
                     : NULL;
}

static const struct {
    const char *format;
    const char *(*read)(apr_pool_t *pool, const char *text);
} formats[] = {
    {"num-dot-decimal", with_point},
    {"num-dot-decimal-apos", with_apostrophe},
    {"num-comma-decimal-apos", with_apostrophe_and_comma},
    {"numdotdecimal", with_point},
    {"numcommadot", with_point},
    {"numspacedot", with_point},
    {"numdotdecimalin", with_point},
    {"num-comma-decimal", with_comma},
    {"numcommadecimal", with_comma},
    {"numdotcomma", with_comma},
    {"numspacecomma", with_comma},
    {"numcomma", with_comma},
    {"num-unit-decimal", in_units},
    {"numunitdecimal", in_units},
    {"numunitdecimalin", in_units},
    {"fixed-zero", zero},
    {"zerodash", zero},
    {"numdash", zero},
    {"numwordsen", in_words},
};

const char *dsc_instance_transformed(apr_pool_t *pool, const char *format, const char *text,
                                     const char **error)
{
    const char *number = NULL;

    if (!format || !*format) {
        number = dsc_instance_plain(pool, text);
        *error = number ? NULL : "not a number";
        return number;
    }
    for (int i = 0; i < DSC_COUNT(formats); i++) {
        if (strcmp(format, formats[i].format) == 0) {
            number = formats[i].read(pool, text);
            *error = number ? NULL : apr_psprintf(pool, "not a number of the format %s", format);
            return number;
        }
    }
    *error = apr_psprintf(pool, "the format %.80s is not known", format);
    return NULL;
}
