/* Words of a text, in the form in which search compares them with the query. */
#ifndef DSC_SEARCH_TEXT_H
#define DSC_SEARCH_TEXT_H

#include <apr_tables.h>
#include <stddef.h>
#include <stdint.h>

/* A word that is searched for. */
typedef struct {
    apr_array_header_t *lexemes; /* of const char *: stems, as PostgreSQL makes them */
    double weight;               /* the rarer, the more */
    int place;                   /* in the query, from 1 */
    int is_name;                 /* part of a company's name that was recognised */
    int is_unknown;              /* no text has it */
} dsc_search_term_t;

/* A word of a text. */
typedef struct {
    const char *start;
    size_t length;
    uint64_t hash;         /* of the word in small letters */
    unsigned char initial; /* its first byte, in small letters as stems are */
} dsc_search_word_t;

/* The next word at or behind `at`: 1, or 0 at the end of the text. Digits with points or commas
 * between them are one word. */
int dsc_search_next_word(const char **at, const char *end, dsc_search_word_t *word);

/* Whether the word has the stem of the term: it is the stem, or begins with it and goes on as
 * inflections do. */
int dsc_search_word_is(const dsc_search_word_t *word, const dsc_search_term_t *term);

/* A passage of some `size` bytes around the most of the terms, cut between words; "…" stands where
 * something is left out. */
const char *dsc_search_snippet(apr_pool_t *pool, const char *text, const apr_array_header_t *terms,
                               size_t size);

#endif
