#include "search/search_query.h"

#include "engine/buffer.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

static int is_space(unsigned char c)
{
    return c <= ' ' || c == 0x7f;
}

/* Bytes of other scripts are of words, whatever they are: PostgreSQL knows. */
static int is_of_word(unsigned char c)
{
    return c >= 0x80 || apr_isalnum(c);
}

/* Without punctuation around it; NULL if nothing is left. */
static const char *trim(apr_pool_t *pool, const char *text, size_t length)
{
    while (length && !is_of_word((unsigned char)*text) && *text != '$') {
        text++;
        length--;
    }
    while (length && !is_of_word((unsigned char)text[length - 1])) {
        length--;
    }
    return length ? apr_pstrmemdup(pool, text, length) : NULL;
}

/* In small letters, white space folded. */
static const char *fold(apr_pool_t *pool, const char *text, size_t length)
{
    const char *trimmed = trim(pool, text, length);
    dsc_buffer_t *folded = dsc_buffer_create(pool, length + 1);
    for (; trimmed && *trimmed; trimmed++) {
        if (!is_space((unsigned char)*trimmed)) {
            dsc_buffer_append_char(folded, (char)apr_tolower(*trimmed));
        } else if (folded->length && folded->data[folded->length - 1] != ' ') {
            dsc_buffer_append_char(folded, ' ');
        }
    }
    return folded->length ? dsc_buffer_text(folded) : NULL;
}

static void add(apr_array_header_t *list, const char *text)
{
    if (text && list->nelts < DSC_MOST_SEARCH_WORDS) {
        APR_ARRAY_PUSH(list, const char *) = text;
    }
}

/* The words of a phrase, which chunks must have as all others. */
static void add_words(apr_pool_t *pool, apr_array_header_t *words, const char *phrase)
{
    char *rest = apr_pstrdup(pool, phrase ? phrase : ""), *state = NULL, *word;
    for (word = apr_strtok(rest, " ", &state); word; word = apr_strtok(NULL, " ", &state)) {
        add(words, trim(pool, word, strlen(word)));
    }
}

/* A number with separators, "1,234.5" or "$1,234", without the currency: its parts alone are other
 * numbers. NULL: it is none. */
static const char *separated_number(apr_pool_t *pool, const char *text, size_t length)
{
    const char *number = trim(pool, text, length);
    int has_separator = 0;

    if (!number) {
        return NULL;
    }
    number += *number == '$';
    for (const char *at = number; *at; at++) {
        int is_separator = (*at == ',' || *at == '.') && at > number && apr_isdigit(at[1]);

        if (!apr_isdigit(*at) && !is_separator) {
            return NULL;
        }
        has_separator |= is_separator;
    }
    return has_separator ? number : NULL;
}

void dsc_search_query_read(apr_pool_t *pool, const char *text, dsc_search_query_t *query)
{
    query->words = apr_array_make(pool, 8, sizeof(const char *));
    query->phrases = apr_array_make(pool, 2, sizeof(const char *));
    query->excluded = apr_array_make(pool, 2, sizeof(const char *));
    while (*text) {
        int is_excluded, is_phrase;
        size_t length = 0;
        if (is_space((unsigned char)*text)) {
            text++;
            continue;
        }
        is_excluded = *text == '-';
        text += is_excluded;
        is_phrase = *text == '"';
        text += is_phrase;
        while (text[length] &&
               (is_phrase ? text[length] != '"'
                          : !is_space((unsigned char)text[length]) && text[length] != '"')) {
            length++;
        }
        if (is_excluded) {
            add(query->excluded, fold(pool, text, length));
        } else if (is_phrase) {
            add(query->phrases, fold(pool, text, length));
            add_words(pool, query->words, fold(pool, text, length));
        } else if (separated_number(pool, text, length)) {
            add(query->phrases, separated_number(pool, text, length));
            add(query->words, separated_number(pool, text, length));
        } else {
            add(query->words, trim(pool, text, length));
        }
        text += length;
        text += is_phrase && *text == '"';
    }
}
