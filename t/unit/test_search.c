/* Searching: what a query asks for, where a snippet is cut, what comes first and what is folded. */
#include "engine/buffer.h"
#include "search/search_query.h"
#include "search/search_rank.h"
#include "unit/fixture.h"
#include "unit/suites.h"

#include <CUnit/CUnit.h>
#include <apr_strings.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------------- queries */

static const char *joined(const apr_array_header_t *list)
{
    return apr_array_pstrcat(dsc_pool, list, '|');
}

typedef struct {
    const char *query, *words, *phrases, *excluded;
} query_row_t;

static const query_row_t query_rows[] = {
    {"net income", "net|income", "", ""},
    {"  (net)  income, ", "net|income", "", ""},
    {"\"Net  Income\" -loss", "net|income", "net income", "loss"},
    {"-\"net loss\" revenue", "revenue", "", "net loss"},
    {"\"not closed", "not|closed", "not closed", ""},
    {"long-term debt $AAPL 3.2", "long-term|debt|$AAPL|3.2", "3.2", ""},
    {"349,145 ($1,234.5) 5. 2024 1,a 1..2 ,5 -97,361 $", "349,145|1,234.5|5|2024|1,a|1..2|5",
     "349,145|1,234.5", "97,361"},
    {"\"\" - -- \"-\" !!", "", "", ""},
    {"a\"b\"c", "a|b|c", "b", ""},
    {"", "", "", ""},
    {"\xE2\x82\xAC 5 \xC3\xA9t\xC3\xA9", "\xE2\x82\xAC|5|\xC3\xA9t\xC3\xA9", "", ""},
};

static void test_queries(void)
{
    size_t i;
    for (i = 0; i < sizeof(query_rows) / sizeof(query_rows[0]); i++) {
        const query_row_t *row = &query_rows[i];
        dsc_search_query_t query;
        dsc_search_query_read(dsc_pool, row->query, &query);
        CU_ASSERT_STRING_EQUAL(joined(query.words), row->words);
        CU_ASSERT_STRING_EQUAL(joined(query.phrases), row->phrases);
        CU_ASSERT_STRING_EQUAL(joined(query.excluded), row->excluded);
    }
}

static void test_many_words(void)
{
    char text[4 * 300 + 1] = "";
    dsc_search_query_t query;
    int i;
    for (i = 0; i < 300; i++) {
        memcpy(text + 4 * i, "abc ", 5);
    }
    dsc_search_query_read(dsc_pool, text, &query);
    CU_ASSERT_EQUAL(query.words->nelts, DSC_MOST_SEARCH_WORDS);
}

/* ------------------------------------------------------------------------ words */

static dsc_search_term_t *add_term(apr_array_header_t *terms, const char *lexeme, double weight)
{
    dsc_search_term_t *term = apr_array_push(terms);
    memset(term, 0, sizeof(*term));
    term->lexemes = apr_array_make(dsc_pool, 1, sizeof(const char *));
    APR_ARRAY_PUSH(term->lexemes, const char *) = lexeme;
    term->weight = weight;
    term->place = terms->nelts;
    return term;
}

static apr_array_header_t *make_terms(const char *one, const char *other)
{
    apr_array_header_t *terms = apr_array_make(dsc_pool, 2, sizeof(dsc_search_term_t));
    add_term(terms, one, 2);
    if (other) {
        add_term(terms, other, 2);
    }
    return terms;
}

typedef struct {
    const char *text, *lexeme;
    int is_it;
} word_row_t;

static const word_row_t word_rows[] = {
    {"Companies", "compani", 1}, {"company", "compani", 1}, {"compass", "compani", 0},
    {"revenues", "revenu", 1},   {"Revenue", "revenu", 1},  {"operating", "oper", 1},
    {"car", "car", 1},           {"carbon", "car", 0},      {"3.2", "3.2", 1},
    {"1,234.5", "1,234.5", 1},   {"net", "net", 1},         {"network", "net", 0},
};

static void test_words(void)
{
    size_t i;
    for (i = 0; i < sizeof(word_rows) / sizeof(word_rows[0]); i++) {
        const char *at = word_rows[i].text;
        apr_array_header_t *terms = make_terms(word_rows[i].lexeme, NULL);
        dsc_search_word_t word;
        CU_ASSERT_EQUAL(dsc_search_next_word(&at, at + strlen(at), &word), 1);
        CU_ASSERT_EQUAL(dsc_search_word_is(&word, &APR_ARRAY_IDX(terms, 0, dsc_search_term_t)),
                        word_rows[i].is_it);
        CU_ASSERT_EQUAL(dsc_search_next_word(&at, at + strlen(at), &word), 0);
    }
}

static void test_snippets(void)
{
    apr_array_header_t *terms = make_terms("harbour", "schedul");
    dsc_buffer_t *text = dsc_buffer_create(dsc_pool, 4096);
    const char *snippet;
    int i;
    CU_ASSERT_STRING_EQUAL(dsc_search_snippet(dsc_pool, "Short.", terms, 60), "Short.");
    for (i = 0; i < 60; i++) {
        dsc_buffer_append_text(text, i == 40 ? "we make scheduling software for harbours and more "
                                             : "words before it ");
    }
    snippet = dsc_search_snippet(dsc_pool, dsc_buffer_text(text), terms, 80);
    CU_ASSERT_PTR_NOT_NULL(strstr(snippet, "scheduling software for harbours"));
    CU_ASSERT_EQUAL(strncmp(snippet, "\xE2\x80\xA6 ", 4), 0);
    CU_ASSERT_STRING_EQUAL(snippet + strlen(snippet) - 4, " \xE2\x80\xA6");
    CU_ASSERT_TRUE(strlen(snippet) < 120);
    /* one long word of many bytes each: cut between characters */
    text = dsc_buffer_create(dsc_pool, 4096);
    for (i = 0; i < 400; i++) {
        dsc_buffer_append_text(text, "\xE5\x96\xB6");
    }
    snippet = dsc_search_snippet(dsc_pool, dsc_buffer_text(text), terms, 80);
    CU_ASSERT_TRUE(strlen(snippet) < 200);
    CU_ASSERT_NOT_EQUAL((unsigned char)snippet[0] & 0xC0, 0x80);
}

/* ---------------------------------------------------------------------- ranking */

static dsc_search_hit_t *add_hit(apr_array_header_t *hits, int64_t chunk, int64_t published,
                                 const char *heading, const char *text)
{
    dsc_search_hit_t *hit = apr_array_push(hits);
    memset(hit, 0, sizeof(*hit));
    hit->kind = "window";
    hit->chunk_id = chunk;
    hit->issuer_id = chunk / 100;
    hit->published = published;
    hit->heading = heading;
    hit->text = text;
    return hit;
}

static const dsc_search_hit_t *ranked(const apr_array_header_t *hits, int place)
{
    return &APR_ARRAY_IDX(hits, place, dsc_search_hit_t);
}

static void test_order(void)
{
    apr_array_header_t *hits = apr_array_make(dsc_pool, 8, sizeof(dsc_search_hit_t));
    apr_array_header_t *named = apr_array_make(dsc_pool, 1, sizeof(int64_t));
    apr_array_header_t *terms = make_terms("gross", "profit");
    add_hit(hits, 101, 1, NULL,
            "the profit of others was less gross than all that had been before it in that year");
    add_hit(
        hits, 201, 1, NULL,
        "it had a gross profit that was more than all that had been before it in that very year");
    add_hit(
        hits, 301, 1, "Gross profit",
        "it was more than all that had been before it in that very year of gross profit for all");
    add_hit(
        hits, 401, 1, NULL,
        "there was nothing of the kind in that very year, nor before it, that anybody has heard of");
    dsc_search_rank(dsc_pool, hits, terms, named);
    CU_ASSERT_EQUAL(ranked(hits, 0)->chunk_id, 301);
    CU_ASSERT_EQUAL(ranked(hits, 1)->chunk_id, 201);
    CU_ASSERT_EQUAL(ranked(hits, 2)->chunk_id, 101);
    CU_ASSERT_EQUAL(ranked(hits, 3)->chunk_id, 401);
    CU_ASSERT_TRUE(!ranked(hits, 0)->is_partial && !ranked(hits, 2)->is_partial &&
                   ranked(hits, 3)->is_partial);
}

static void test_partial(void)
{
    apr_array_header_t *hits = apr_array_make(dsc_pool, 8, sizeof(dsc_search_hit_t));
    apr_array_header_t *named = apr_array_make(dsc_pool, 1, sizeof(int64_t));
    apr_array_header_t *terms = make_terms("gross", "profit");
    add_hit(hits, 101, 1, NULL, "a gross thing to say");
    add_hit(hits, 201, 1, "Gross profit", "it was more than before");
    dsc_search_rank(dsc_pool, hits, terms, named);
    CU_ASSERT_EQUAL(ranked(hits, 1)->chunk_id, 101);
    CU_ASSERT_TRUE(!ranked(hits, 0)->is_partial && ranked(hits, 1)->is_partial);
    APR_ARRAY_IDX(terms, 1, dsc_search_term_t).is_unknown = 1; /* a word that no text has */
    dsc_search_rank(dsc_pool, hits, terms, named);
    CU_ASSERT_FALSE(ranked(hits, 1)->is_partial);
    APR_ARRAY_IDX(terms, 1, dsc_search_term_t).is_unknown = 0;
    APR_ARRAY_IDX(terms, 1, dsc_search_term_t).is_name = 1;
    APR_ARRAY_PUSH(named, int64_t) = 1;
    dsc_search_rank(dsc_pool, hits, terms, named);
    CU_ASSERT_TRUE(!ranked(hits, 0)->is_partial && !ranked(hits, 1)->is_partial);
    APR_ARRAY_IDX(named, 0, int64_t) = 2;
    dsc_search_rank(dsc_pool, hits, terms, named);
    CU_ASSERT_EQUAL(ranked(hits, 0)->is_partial + ranked(hits, 1)->is_partial, 1);
}

static void test_names(void)
{
    apr_array_header_t *hits = apr_array_make(dsc_pool, 8, sizeof(dsc_search_hit_t));
    apr_array_header_t *named = apr_array_make(dsc_pool, 1, sizeof(int64_t));
    apr_array_header_t *terms = make_terms("qordra", "profit");
    APR_ARRAY_IDX(terms, 0, dsc_search_term_t).is_name = 1;
    APR_ARRAY_PUSH(named, int64_t) = 2;
    add_hit(hits, 101, 9, NULL, "profit of some other company that is none of ours");
    add_hit(hits, 201, 1, NULL, "profit of some other company that is one of ours");
    dsc_search_rank(dsc_pool, hits, terms, named);
    CU_ASSERT_EQUAL(ranked(hits, 0)->chunk_id, 201);
}

static void test_folding(void)
{
    static const char risk[] =
        "We depend on few suppliers and the loss of one would delay our deliveries for a long time "
        "since nobody else makes what we need in the quantity that we need each and every quarter";
    apr_array_header_t *hits = apr_array_make(dsc_pool, 8, sizeof(dsc_search_hit_t));
    apr_array_header_t *named = apr_array_make(dsc_pool, 1, sizeof(int64_t));
    add_hit(hits, 101, 1, NULL, risk);
    add_hit(hits, 102, 3, NULL, risk);
    add_hit(hits, 103, 2, NULL, apr_pstrcat(dsc_pool, risk, " now", NULL));
    add_hit(hits, 201, 4, NULL, risk); /* another company's */
    add_hit(hits, 104, 5, NULL, "Suppliers and suppliers");
    add_hit(hits, 105, 6, NULL, "Suppliers and supplier");
    dsc_search_rank(dsc_pool, hits, make_terms("supplier", NULL), named);
    {
        int i, hidden = 0, similar = 0;
        for (i = 0; i < hits->nelts; i++) {
            hidden += ranked(hits, i)->is_hidden;
            similar += ranked(hits, i)->similar;
            CU_ASSERT_TRUE(ranked(hits, i)->chunk_id != 102 ||
                           (ranked(hits, i)->similar == 2 && !ranked(hits, i)->is_hidden));
        }
        CU_ASSERT_EQUAL(hidden, 2);
        CU_ASSERT_EQUAL(similar, 2);
    }
}

/* A passage that has the words is not folded into a newer one that lacks some, which may be left
 * out. */
static void test_folding_partial(void)
{
    static const char start[] =
        "We depend on few suppliers and the loss of one would delay our deliveries for a long time "
        "since nobody else makes what we need in the quantity that we need each and every ";
    apr_array_header_t *hits = apr_array_make(dsc_pool, 8, sizeof(dsc_search_hit_t));
    apr_array_header_t *named = apr_array_make(dsc_pool, 1, sizeof(int64_t));
    add_hit(hits, 101, 1, NULL, apr_pstrcat(dsc_pool, start, "quarter", NULL));
    add_hit(hits, 102, 2, NULL, apr_pstrcat(dsc_pool, start, "year", NULL));
    add_hit(hits, 201, 1, NULL, apr_pstrcat(dsc_pool, start, "year", NULL));
    add_hit(hits, 202, 2, NULL, apr_pstrcat(dsc_pool, start, "quarter", NULL));
    dsc_search_rank(dsc_pool, hits, make_terms("suppli", "quarter"), named);
    {
        int i;
        for (i = 0; i < hits->nelts; i++) {
            CU_ASSERT_EQUAL(ranked(hits, i)->is_hidden, ranked(hits, i)->chunk_id == 201);
        }
    }
}

/* A text of 60 words of which one in `step` is another, so that the texts are the less alike the
 * smaller it is. */
static const char *changed_text(int first, int step)
{
    dsc_buffer_t *text = dsc_buffer_create(dsc_pool, 512);
    int i;
    for (i = 0; i < 60; i++) {
        dsc_buffer_append_text(text,
                               apr_psprintf(dsc_pool,
                                            i % step == first % step ? "other%d%d " : "word%d ", i,
                                            first));
    }
    return dsc_buffer_text(text);
}

/* How many of 40 pairs of texts are folded. */
static int folded_pairs(int step)
{
    apr_array_header_t *hits = apr_array_make(dsc_pool, 80, sizeof(dsc_search_hit_t));
    apr_array_header_t *named = apr_array_make(dsc_pool, 1, sizeof(int64_t));
    int i, hidden = 0;
    for (i = 1; i <= 40; i++) {
        add_hit(hits, i * 100, 1, NULL, changed_text(i, 1000));
        add_hit(hits, i * 100 + 1, 2, NULL, changed_text(i, step));
    }
    dsc_search_rank(dsc_pool, hits, make_terms("word1", NULL), named);
    for (i = 0; i < hits->nelts; i++) {
        hidden += ranked(hits, i)->is_hidden;
    }
    return hidden;
}

/* Texts are told apart by the bits of their hashes first: that leaves out none that the hashes
 * themselves would find alike. */
static void test_similar(void)
{
    CU_ASSERT_EQUAL(folded_pairs(60), 40);
    CU_ASSERT_EQUAL(folded_pairs(30), 40);
    CU_ASSERT_EQUAL(folded_pairs(20), 38);
    CU_ASSERT_EQUAL(folded_pairs(12), 12);
}

void dsc_suite_search(void)
{
    CU_pSuite suite = CU_add_suite("search", dsc_open_pool, dsc_close_pool);
    CU_add_test(suite, "queries", test_queries);
    CU_add_test(suite, "many words", test_many_words);
    CU_add_test(suite, "words", test_words);
    CU_add_test(suite, "snippets", test_snippets);
    CU_add_test(suite, "order", test_order);
    CU_add_test(suite, "partial", test_partial);
    CU_add_test(suite, "names", test_names);
    CU_add_test(suite, "folding", test_folding);
    CU_add_test(suite, "folding partial", test_folding_partial);
    CU_add_test(suite, "similar texts", test_similar);
}
