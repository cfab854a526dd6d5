#include "ask/ask_check.h"

#include "engine/buffer.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* Words that scale the number before them. */
static const char *const scales[] = {"%",        "percent", "thousand", "million", "billion",
                                     "trillion", "k",       "m",        "bn",      "b"};

static int is_digit_between(const char *start, const char *at)
{
    return (*at == ',' || *at == '.') && at > start && apr_isdigit(at[-1]) && apr_isdigit(at[1]);
}

/* Behind the digits that begin at `at`. */
static const char *end_of_number(const char *start)
{
    const char *at = start;
    while (apr_isdigit(*at) || is_digit_between(start, at)) {
        at++;
    }
    return at;
}

/* The scale behind a number as it is written, "" if there is none. */
static const char *scale_behind(apr_pool_t *pool, const char *at)
{
    size_t length = 0;
    int i;
    at += strspn(at, " \t\n");
    while (apr_isalpha(at[length])) {
        length++;
    }
    length = *at == '%' ? 1 : length;
    for (i = 0; i < (int)(sizeof(scales) / sizeof(scales[0])); i++) {
        if (strlen(scales[i]) == length && strncasecmp(at, scales[i], length) == 0) {
            return apr_pstrmemdup(pool, at, length);
        }
    }
    return "";
}

/* Whether the number from `at` to `end`, with its scale, is a sum below zero: a minus stands before
 * it, or it alone is in parentheses; and no digit before that.
 * "(10% Owner)" is none. */
static int is_negative(apr_pool_t *pool, const char *text, const char *at, const char *end)
{
    if (at == text || (at[-1] != '-' && at[-1] != '(')) {
        return 0;
    }
    if (at[-1] == '(') {
        const char *scale = scale_behind(pool, end);
        if (*scale) {
            end += strspn(end, " \t\n") + strlen(scale);
        }
        if (*end != ')') {
            return 0;
        }
    }
    return at - 1 == text || !apr_isalnum(at[-2]);
}

/* Whether `source` has the number, written as it is, with the same scale and sign. */
static int has_number(apr_pool_t *pool, const char *source, const char *number, const char *scale,
                      int negative)
{
    const char *at = source;
    while (*at) {
        const char *end;
        if (!apr_isdigit(*at)) {
            at++;
            continue;
        }
        end = end_of_number(at);
        if ((size_t)(end - at) == strlen(number) && strncmp(at, number, strlen(number)) == 0 &&
            strcasecmp(scale_behind(pool, end), scale) == 0 &&
            is_negative(pool, source, at, end) == negative) {
            return 1;
        }
        at = end;
    }
    return 0;
}

static int is_marker(const char *text, const char *at, const char *end)
{
    return at > text && at[-1] == '[' && *end == ']';
}

int dsc_ask_numbers_are_sourced(apr_pool_t *pool, const char *sentence,
                                const apr_array_header_t *sources)
{
    const char *at = sentence;
    while (*at) {
        const char *end, *number, *scale;
        int i, found = 0;
        if (!apr_isdigit(*at)) {
            at++;
            continue;
        }
        end = end_of_number(at);
        number = apr_pstrmemdup(pool, at, (apr_size_t)(end - at));
        scale = scale_behind(pool, end);
        for (i = 0; i < sources->nelts && !found; i++) {
            found = has_number(pool, APR_ARRAY_IDX(sources, i, const char *), number, scale,
                               is_negative(pool, sentence, at, end));
        }
        if (!found && !is_marker(sentence, at, end)) {
            return 0;
        }
        at = end;
    }
    return 1;
}

/* White space folded, none around it. */
static const char *fold(apr_pool_t *pool, const char *text)
{
    dsc_buffer_t *folded = dsc_buffer_create(pool, strlen(text) + 1);
    for (; *text; text++) {
        if (!apr_isspace(*text)) {
            dsc_buffer_append_char(folded, *text);
        } else if (folded->length && folded->data[folded->length - 1] != ' ') {
            dsc_buffer_append_char(folded, ' ');
        }
    }
    while (folded->length && folded->data[folded->length - 1] == ' ') {
        folded->length--;
    }
    return dsc_buffer_text(folded);
}

int dsc_ask_quote_is_verbatim(apr_pool_t *pool, const char *quote, const char *text)
{
    const char *folded = fold(pool, quote);
    return *folded && strstr(fold(pool, text), folded) != NULL;
}
