/* What search and ask make of clients' texts and of a model's, as targets. */
#include "fuzz/target.h"

#include "ask/ask_check.h"
#include "ask/ask_passage.h"
#include "engine/utf8.h"
#include "search/search_query.h"
#include "search/search_rank.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SNIPPET_SIZE = 240,
    MOST_HITS = 40
};

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    abort();
}

/* Valid UTF-8 without NUL, as the engine hands texts over: the line at *rest, or all of it. */
static const char *take(apr_pool_t *pool, dsc_slice_t *rest, int is_line)
{
    const char *end = is_line ? memchr(rest->data, '\n', rest->length) : NULL;
    size_t length = end ? (size_t)(end - rest->data) : rest->length;
    dsc_slice_t clean = dsc_utf8_clean(pool, (dsc_slice_t){rest->data, length});
    length += end != NULL;
    rest->data += length;
    rest->length -= length;
    return apr_pstrmemdup(pool, clean.data, clean.length);
}

static void require_utf8(const char *text, const char *what)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t left = strlen(text), step;
    int good;
    for (; left; at += step, left -= step) {
        step = dsc_utf8_step(at, left, &good);
        if (!good) {
            fail(what, text);
        }
    }
}

/* ------------------------------------------------------------------------- search */

/* A list holds no more than it may; what is in it is text, and of phrases and exclusions in small
 * letters with single spaces. */
static void require_list(const apr_array_header_t *list, int is_folded)
{
    int i;
    if (list->nelts > DSC_MOST_SEARCH_WORDS) {
        fail("more words than a search looks at", "");
    }
    for (i = 0; i < list->nelts; i++) {
        const char *text = APR_ARRAY_IDX(list, i, const char *), *at;
        require_utf8(text, "a word is cut within a character");
        if (!*text) {
            fail("an empty word", "");
        }
        for (at = text; *at && is_folded; at++) {
            if (apr_isupper(*at) || (*at == ' ' && at[1] == ' ')) {
                fail("a phrase is not folded", text);
            }
        }
    }
}

/* The words as terms whose stems they are themselves. */
static apr_array_header_t *terms_of(apr_pool_t *pool, const dsc_search_query_t *query)
{
    apr_array_header_t *terms = apr_array_make(pool, 8, sizeof(dsc_search_term_t));
    int i;
    for (i = 0; i < query->words->nelts; i++) {
        dsc_search_term_t *term = apr_array_push(terms);
        term->lexemes = apr_array_make(pool, 1, sizeof(const char *));
        APR_ARRAY_PUSH(term->lexemes, const char *) = APR_ARRAY_IDX(query->words, i, const char *);
        term->weight = 1 + i % 3;
        term->place = i + 1;
        term->is_name = i % 5 == 4;
    }
    return terms;
}

/* Lines as hits of three companies. */
static apr_array_header_t *hits_of(apr_pool_t *pool, dsc_slice_t lines)
{
    apr_array_header_t *hits = apr_array_make(pool, 8, sizeof(dsc_search_hit_t));
    while (lines.length && hits->nelts < MOST_HITS) {
        dsc_search_hit_t *hit = apr_array_push(hits);
        memset(hit, 0, sizeof(*hit));
        hit->kind = "window";
        hit->chunk_id = hits->nelts;
        hit->issuer_id = hits->nelts % 3;
        hit->published = hits->nelts / 2;
        hit->text = take(pool, &lines, 1);
        hit->heading = hits->nelts % 2 ? hit->text : NULL;
    }
    return hits;
}

/* A snippet is whole characters of the text, and not much longer than it should be. */
static void require_snippet(apr_pool_t *pool, const char *text, const char *snippet)
{
    static const char cut[] = "\xE2\x80\xA6";
    const size_t size = sizeof(cut) - 1;
    const char *core = strncmp(snippet, cut, size) == 0 ? snippet + size + 1 : snippet;
    size_t length = strlen(core), left = length > size ? length - size - 1 : 0;
    require_utf8(snippet, "a snippet is cut within a character");
    if (length > SNIPPET_SIZE + SNIPPET_SIZE / 4 + size + 1) {
        fail("a long snippet", snippet);
    }
    if (!strstr(text, core) && !(left && strstr(text, apr_pstrmemdup(pool, core, left)))) {
        fail("a snippet that is not in the text", snippet);
    }
}

/* A line is the query, each further one a passage that is ranked. */
static void parse_search(apr_pool_t *pool, const char *data, size_t size)
{
    dsc_slice_t rest = {data, size};
    apr_array_header_t *hits, *terms, *named = apr_array_make(pool, 1, sizeof(int64_t));
    dsc_search_query_t query;
    int i;

    dsc_search_query_read(pool, take(pool, &rest, 1), &query);
    require_list(query.words, 0);
    require_list(query.phrases, 1);
    require_list(query.excluded, 1);
    terms = terms_of(pool, &query);
    APR_ARRAY_PUSH(named, int64_t) = 1;
    hits = hits_of(pool, rest);
    dsc_search_rank(pool, hits, terms, named);
    for (i = 0; i < hits->nelts; i++) {
        const dsc_search_hit_t *hit = &APR_ARRAY_IDX(hits, i, dsc_search_hit_t);
        if (i && !(hit[-1].score >= hit->score)) {
            fail("hits out of order", hit->text);
        }
        require_snippet(pool, hit->text, dsc_search_snippet(pool, hit->text, terms, SNIPPET_SIZE));
    }
}

/* ---------------------------------------------------------------------------- ask */

/* A line is what a model says, each further one a source. What a source says is in it; what it says
 * with another number is not. */
static void parse_answer(apr_pool_t *pool, const char *data, size_t size)
{
    dsc_slice_t rest = {data, size};
    const char *sentence = take(pool, &rest, 1);
    apr_array_header_t *sources = apr_array_make(pool, 4, sizeof(const char *));
    apr_array_header_t *none = apr_array_make(pool, 1, sizeof(const char *));

    while (rest.length && sources->nelts < MOST_HITS) {
        APR_ARRAY_PUSH(sources, const char *) = take(pool, &rest, 1);
    }
    if (dsc_ask_numbers_are_sourced(pool, apr_pstrcat(pool, sentence, " 8675309.25", NULL), none)) {
        fail("a number without a source", sentence);
    }
    (void)dsc_ask_numbers_are_sourced(pool, sentence, sources);
    APR_ARRAY_PUSH(sources, const char *) = sentence;
    if (!dsc_ask_numbers_are_sourced(pool, sentence, sources)) {
        fail("a sentence is not in itself", sentence);
    }
    if (sentence[strspn(sentence, " \t\v\f\r")] &&
        !dsc_ask_quote_is_verbatim(pool, sentence,
                                   apr_pstrcat(pool, "x ", sentence, "\ny", NULL))) {
        fail("a quote is not in its text", sentence);
    }
}

/* A line is the question, each further one a passage: what is quoted stands in one. */
static void parse_question(apr_pool_t *pool, const char *data, size_t size)
{
    dsc_slice_t rest = {data, size};
    apr_array_header_t *hits, *passages, *named = apr_array_make(pool, 1, sizeof(int64_t));
    dsc_search_query_t query;
    int i;

    dsc_search_query_read(pool, take(pool, &rest, 1), &query);
    hits = hits_of(pool, rest);
    passages = dsc_ask_passages(pool, hits, terms_of(pool, &query), named, 0.5, 1, 3);
    for (i = 0; i < passages->nelts; i++) {
        const dsc_ask_passage_t *passage = &APR_ARRAY_IDX(passages, i, dsc_ask_passage_t);
        require_utf8(passage->quote, "a quote is cut within a character");
        if (!dsc_ask_quote_is_verbatim(pool, passage->quote, passage->hit->text)) {
            fail("a quote that is not in its text", passage->quote);
        }
    }
}

const dsc_target_t dsc_search_targets[] = {
    {"search", parse_search, NULL, NULL, {0}},
    {"answer", parse_answer, NULL, NULL, {0}},
    {"question", parse_question, NULL, NULL, {0}},
    {NULL, NULL, NULL, NULL, {0}},
};
