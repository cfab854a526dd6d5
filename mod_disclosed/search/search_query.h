/* The query of a search: words, "phrases in quotes" and -exclusions. */
#ifndef DSC_SEARCH_QUERY_H
#define DSC_SEARCH_QUERY_H

#include <apr_tables.h>

enum {
    DSC_MOST_SEARCH_WORDS = 64 /* words and phrases beyond these are not looked at */
};

/* All of const char *. */
typedef struct {
    apr_array_header_t
        *words; /* as typed, without punctuation around them; those of phrases, too */
    apr_array_header_t *phrases;  /* in small letters, one space between words */
    apr_array_header_t *excluded; /* words and phrases that must not be there */
} dsc_search_query_t;

/* Reads a query; any text is one. A quote that is not closed ends with the query; a minus counts
 * where a word begins. */
void dsc_search_query_read(apr_pool_t *pool, const char *text, dsc_search_query_t *query);

#endif
