#include "search/search_text.h"

#include "engine/hash.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* Of ASCII alone: some hundred kilobytes are read for a search, and a function of the C library
 * would be called for each. */
static inline unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Bytes of words in small letters, 0 for others: digits, letters, and all that is not ASCII. */
static const unsigned char of_word[256] = {
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0,    0,    0,    0,    0,    0,
    0,    0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f,
    0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0,    0,    0,    0,    0,
    0,    0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f,
    0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0,    0,    0,    0,    0,
    0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8d, 0x8e, 0x8f,
    0x90, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f,
    0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf,
    0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf,
    0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf,
    0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf,
    0xe0, 0xe1, 0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xeb, 0xec, 0xed, 0xee, 0xef,
    0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff,
};

/* Whether the byte at `at` joins two digits: 1,234.5 */
static int joins_digits(const char *start, const char *at, const char *end)
{
    return (*at == '.' || *at == ',') && at > start && at + 1 < end && apr_isdigit(at[-1]) &&
           apr_isdigit(at[1]);
}

int dsc_search_next_word(const char **at, const char *end, dsc_search_word_t *word)
{
    const char *p = *at;
    uint64_t hash = DSC_HASH_START;
    while (p < end && !of_word[(unsigned char)*p]) {
        p++;
    }
    word->start = p;
    for (; p < end; p++) {
        unsigned char c = of_word[(unsigned char)*p];
        if (!c) {
            if (!joins_digits(word->start, p, end)) {
                break;
            }
            c = (unsigned char)*p;
        }
        hash = dsc_hash_byte(hash, c);
    }
    word->initial = p > word->start ? of_word[(unsigned char)*word->start] : 0;
    word->length = (size_t)(p - word->start);
    word->hash = hash;
    *at = p;
    return word->length > 0;
}

/* Whether the stem is the word's: "compani" is that of company and companies. */
static int has_stem(const dsc_search_word_t *word, const char *stem)
{
    enum {
        LONGEST_ENDING = 6 /* -ations */
    };
    size_t length, sure, i;
    if (word->initial != (unsigned char)*stem) { /* most words */
        return 0;
    }
    length = strlen(stem);
    sure = length > 3 && stem[length - 1] == 'i' ? length - 1 : length;
    if (word->length < sure || word->length > length + (length > 3 ? LONGEST_ENDING : 2)) {
        return 0;
    }
    for (i = 0; i < sure; i++) {
        if (lower(word->start[i]) != (unsigned char)stem[i]) {
            return 0;
        }
    }
    return sure == length || strchr("iyIY", word->start[sure]) != NULL;
}

int dsc_search_word_is(const dsc_search_word_t *word, const dsc_search_term_t *term)
{
    int i;
    for (i = 0; i < term->lexemes->nelts; i++) {
        if (has_stem(word, APR_ARRAY_IDX(term->lexemes, i, const char *))) {
            return 1;
        }
    }
    return 0;
}

/* --------------------------------------------------------------------- snippets */

/* Where a term is. */
typedef struct {
    size_t at, end;
    int term;
} hit_t;

static apr_array_header_t *find_hits(apr_pool_t *pool, const char *text,
                                     const apr_array_header_t *terms)
{
    apr_array_header_t *hits = apr_array_make(pool, 16, sizeof(hit_t));
    const char *at = text, *end = text + strlen(text);
    dsc_search_word_t word;
    while (dsc_search_next_word(&at, end, &word)) {
        int i;
        for (i = 0; i < terms->nelts; i++) {
            if (dsc_search_word_is(&word, &APR_ARRAY_IDX(terms, i, dsc_search_term_t))) {
                hit_t *hit = apr_array_push(hits);
                hit->at = (size_t)(word.start - text);
                hit->end = hit->at + word.length;
                hit->term = i;
                break;
            }
        }
    }
    return hits;
}

/* The first and the last of the hits within `size` bytes that weigh most, each term counting
 * once. */
static void best_window(const apr_array_header_t *hits, const apr_array_header_t *terms,
                        size_t size, size_t *from, size_t *to)
{
    double most = 0;
    int i, j;
    for (i = 0; i < hits->nelts; i++) {
        const hit_t *first = &APR_ARRAY_IDX(hits, i, hit_t);
        uint64_t seen = 0;
        double weight = 0;
        for (j = i; j < hits->nelts && APR_ARRAY_IDX(hits, j, hit_t).end - first->at <= size; j++) {
            const hit_t *hit = &APR_ARRAY_IDX(hits, j, hit_t);
            if (!(seen >> (hit->term & 63) & 1)) {
                seen |= UINT64_C(1) << (hit->term & 63);
                weight += APR_ARRAY_IDX(terms, hit->term, dsc_search_term_t).weight;
            }
            if (weight > most * 1.0001) {
                most = weight;
                *from = first->at;
                *to = hit->end;
            }
        }
    }
}

/* Whether a cut may be made before the byte. */
static int is_gap(const char *text, size_t at)
{
    return at == 0 || text[at] == '\0' || text[at - 1] == ' ';
}

const char *dsc_search_snippet(apr_pool_t *pool, const char *text, const apr_array_header_t *terms,
                               size_t size)
{
    size_t length = strlen(text), from = 0, to = 0, spare, longest = size + size / 4;
    if (length <= longest) {
        return text;
    }
    best_window(find_hits(pool, text, terms), terms, size, &from, &to);
    spare = size - (to - from);
    from = from > spare / 3 ? from - spare / 3 : 0;
    to = from + size < length ? from + size : length;
    from = to == length && length > size ? length - size : from;
    while (!is_gap(text, from) && from > 0) {
        from--;
        if (to - from >= longest) { /* one long word: between characters at least */
            break;
        }
    }
    while (((unsigned char)text[from] & 0xC0) == 0x80) {
        from++;
    }
    while (to > from + size / 2 && text[to] && text[to] != ' ') {
        to--;
    }
    while (((unsigned char)text[to] & 0xC0) == 0x80) {
        to--;
    }
    return apr_pstrcat(pool, from ? "\xE2\x80\xA6 " : "",
                       apr_pstrmemdup(pool, text + from, to - from),
                       text[to] ? " \xE2\x80\xA6" : "", NULL);
}
