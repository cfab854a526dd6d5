#include "ask/ask_passage.h"

#include <apr_hash.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_HITS = 40,
    FEW_TERMS = 3, /* so few must all be there */
    LONGEST_QUOTE = 400
};

/* Behind the sentence that begins at `at`: at a point, a question or an exclamation mark with a
 * space and no small letter behind it. */
static const char *end_of_sentence(const char *at)
{
    const char *start = at;
    for (; *at; at++) {
        if (strchr(".?!", *at) && at - start > 2 &&
            (at[1] == '\0' || (at[1] == ' ' && !apr_islower(at[2]))) &&
            !(*at == '.' && apr_isupper(at[-1]) && (at - start < 2 || !apr_isalpha(at[-2])))) {
            return at + 1;
        }
    }
    return at;
}

/* How many different words are asked for, beside names. */
static int count_terms(const apr_array_header_t *terms)
{
    apr_hash_t *seen = apr_hash_make(terms->pool);
    int i, j;
    for (i = 0; i < terms->nelts; i++) {
        const dsc_search_term_t *term = &APR_ARRAY_IDX(terms, i, dsc_search_term_t);
        for (j = 0; j < term->lexemes->nelts && !term->is_name; j++) {
            apr_hash_set(seen, APR_ARRAY_IDX(term->lexemes, j, const char *), APR_HASH_KEY_STRING,
                         "");
        }
    }
    return (int)apr_hash_count(seen);
}

/* Which part of the terms' weight a text has. */
static double coverage(const char *text, size_t length, const apr_array_header_t *terms)
{
    double all = 0, found = 0;
    int i;
    for (i = 0; i < terms->nelts; i++) {
        const dsc_search_term_t *term = &APR_ARRAY_IDX(terms, i, dsc_search_term_t);
        const char *at = text;
        dsc_search_word_t word;
        if (term->is_name) {
            continue;
        }
        all += term->weight;
        while (dsc_search_next_word(&at, text + length, &word)) {
            if (dsc_search_word_is(&word, term)) {
                found += term->weight;
                break;
            }
        }
    }
    return all > 0 ? found / all : 0;
}

static int is_among(const apr_array_header_t *named, int64_t issuer_id)
{
    int i;
    for (i = 0; i < named->nelts; i++) {
        if (APR_ARRAY_IDX(named, i, int64_t) == issuer_id) {
            return 1;
        }
    }
    return named->nelts == 0;
}

static void best_sentence(apr_pool_t *pool, const dsc_search_hit_t *hit,
                          const apr_array_header_t *terms, dsc_ask_passage_t *best)
{
    const char *at = hit->text;
    best->hit = hit;
    best->covered = 0;
    best->quote = NULL;
    while (*at) {
        const char *end = end_of_sentence(at);
        double covered;
        at += strspn(at, " ");
        covered = coverage(at, (size_t)(end - at), terms);
        if (covered > best->covered && end - at <= LONGEST_QUOTE) {
            best->covered = covered;
            best->quote = apr_pstrmemdup(pool, at, (apr_size_t)(end - at));
        }
        at = end;
    }
}

static int compare(const void *one, const void *other)
{
    const dsc_ask_passage_t *a = one, *b = other;
    if (a->covered != b->covered) {
        return a->covered > b->covered ? -1 : 1;
    }
    return (a->hit->published < b->hit->published) - (a->hit->published > b->hit->published);
}

apr_array_header_t *dsc_ask_passages(apr_pool_t *pool, const apr_array_header_t *hits,
                                     const apr_array_header_t *terms,
                                     const apr_array_header_t *named, double least, int least_terms,
                                     int most)
{
    apr_array_header_t *passages = apr_array_make(pool, MOST_HITS, sizeof(dsc_ask_passage_t));
    int i, count = count_terms(terms);
    least = count <= FEW_TERMS ? 1 : least;
    for (i = 0; count >= least_terms && i < hits->nelts && passages->nelts < MOST_HITS; i++) {
        const dsc_search_hit_t *hit = &APR_ARRAY_IDX(hits, i, dsc_search_hit_t);
        dsc_ask_passage_t passage;
        if (hit->is_hidden || !is_among(named, hit->issuer_id)) {
            continue;
        }
        best_sentence(pool, hit, terms, &passage);
        if (passage.quote && passage.covered >= least) {
            APR_ARRAY_PUSH(passages, dsc_ask_passage_t) = passage;
        }
    }
    qsort(passages->elts, (size_t)passages->nelts, sizeof(dsc_ask_passage_t), compare);
    passages->nelts = passages->nelts < most ? passages->nelts : most;
    return passages;
}
