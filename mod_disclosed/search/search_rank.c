#include "search/search_rank.h"

#include <apr_strings.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_TERMS = 64,
    MOST_POSITIONS = 512, /* of all terms in a chunk */
    SKETCH = 16           /* hashes by which near-identical texts are known */
};

/* ---------------------------------------------------------------- one chunk's words */

typedef struct {
    int position, term;
} position_t;

/* What a chunk has of the terms. */
typedef struct {
    int count[MOST_TERMS], heading_count[MOST_TERMS];
    position_t positions[MOST_POSITIONS];
    int position_count, words;
} chunk_t;

/* The smallest hashes of three words in a row, ascending. */
typedef struct {
    uint64_t hashes[SKETCH];
    uint64_t bits; /* one of 64 for each hash */
    int size;
} sketch_t;

static void add_to_sketch(sketch_t *sketch, uint64_t hash)
{
    int i = sketch->size;
    if (i == SKETCH && hash >= sketch->hashes[SKETCH - 1]) {
        return;
    }
    i = i == SKETCH ? SKETCH - 1 : sketch->size++;
    while (i > 0 && sketch->hashes[i - 1] > hash) {
        sketch->hashes[i] = sketch->hashes[i - 1];
        i--;
    }
    sketch->hashes[i] = hash;
}

static void note_terms(chunk_t *chunk, const apr_array_header_t *terms,
                       const dsc_search_word_t *word, int position)
{
    int i;
    for (i = 0; i < terms->nelts && i < MOST_TERMS; i++) {
        if (!dsc_search_word_is(word, &APR_ARRAY_IDX(terms, i, dsc_search_term_t))) {
            continue;
        }
        if (position < 0) {
            chunk->heading_count[i]++;
            continue;
        }
        chunk->count[i]++;
        if (chunk->position_count < MOST_POSITIONS) {
            chunk->positions[chunk->position_count].position = position;
            chunk->positions[chunk->position_count++].term = i;
        }
    }
}

/* The letters that terms begin with: most words of a text need no closer look. */
typedef struct {
    char is_there[256];
} initials_t;

static void note_initials(const apr_array_header_t *terms, initials_t *initials)
{
    int i, j;
    memset(initials, 0, sizeof(*initials));
    for (i = 0; i < terms->nelts; i++) {
        const apr_array_header_t *lexemes = APR_ARRAY_IDX(terms, i, dsc_search_term_t).lexemes;
        for (j = 0; j < lexemes->nelts; j++) {
            initials->is_there[(unsigned char)*APR_ARRAY_IDX(lexemes, j, const char *)] = 1;
        }
    }
}

static void count_words(const dsc_search_hit_t *hit, const apr_array_header_t *terms,
                        const initials_t *initials, chunk_t *chunk, sketch_t *sketch)
{
    const char *at = hit->text, *end = at + strlen(at);
    uint64_t before = 0, further = 0;
    dsc_search_word_t word;
    int i;
    memset(chunk->count, 0, sizeof(chunk->count));
    memset(chunk->heading_count, 0, sizeof(chunk->heading_count));
    chunk->position_count = chunk->words = 0;
    for (; dsc_search_next_word(&at, end, &word); chunk->words++) {
        /* finalizer of MurmurHash3, so that the smallest are a fair sample */
        uint64_t hash = (word.hash ^ before * 3 ^ further * 7) * UINT64_C(0xff51afd7ed558ccd);
        if (initials->is_there[word.initial]) {
            note_terms(chunk, terms, &word, chunk->words);
        }
        add_to_sketch(sketch, hash ^ hash >> 33);
        further = before;
        before = word.hash;
    }
    for (i = 0; i < sketch->size; i++) {
        sketch->bits |= UINT64_C(1) << (sketch->hashes[i] & 63);
    }
    for (at = hit->heading, end = at ? at + strlen(at) : NULL;
         at && dsc_search_next_word(&at, end, &word);) {
        note_terms(chunk, terms, &word, -1);
    }
}

/* ------------------------------------------------------------------------- score */

/* How near the terms that are there stand to each other: 1 for side by side, less the further; 0 if
 * it is one alone. */
static double nearness(const chunk_t *chunk, int there)
{
    int seen[MOST_TERMS] = {0};
    int distinct = 0, first = 0, i, shortest = 0;
    if (there < 2) {
        return 0;
    }
    for (i = 0; i < chunk->position_count; i++) {
        distinct += seen[chunk->positions[i].term]++ == 0;
        while (distinct == there) {
            int span = chunk->positions[i].position - chunk->positions[first].position + 1;
            if (!shortest || span < shortest) {
                shortest = span;
            }
            distinct -= --seen[chunk->positions[first++].term] == 0;
        }
    }
    return shortest ? (double)there / (shortest > there ? shortest : there) : 0;
}

/* Whether the terms stand there one after another, as in the query. */
static int stands_as_typed(const chunk_t *chunk, const apr_array_header_t *terms)
{
    int i, run = 0, last_position = -10, last_place = -10;
    for (i = 0; i < chunk->position_count; i++) {
        int place = APR_ARRAY_IDX(terms, chunk->positions[i].term, dsc_search_term_t).place;
        int position = chunk->positions[i].position;
        if (place > last_place && position > last_position &&
            position - last_position <= place - last_place + 1) {
            run++;
        } else if (position != last_position) {
            run = 1;
        }
        if (run == terms->nelts) {
            return run > 1;
        }
        last_position = position;
        last_place = place;
    }
    return 0;
}

static double score_of(const chunk_t *chunk, const apr_array_header_t *terms, int is_named,
                       double usual_words)
{
    const double k1 = 1.2, b = 0.4, of_heading = 3;
    double score = 0, all = 0, found = 0;
    int there = 0, i;
    for (i = 0; i < terms->nelts && i < MOST_TERMS; i++) {
        const dsc_search_term_t *term = &APR_ARRAY_IDX(terms, i, dsc_search_term_t);
        double times = chunk->count[i] + of_heading * chunk->heading_count[i];
        if (times == 0 && is_named && term->is_name) {
            times = 1;
        }
        all += term->weight;
        if (times > 0) {
            found += term->weight;
            score += term->weight * times * (k1 + 1) /
                     (times + k1 * (1 - b + b * chunk->words / usual_words));
        }
        there += chunk->count[i] > 0;
    }
    if (all > 0) {
        score *= found / all;
    }
    score *= 1 + nearness(chunk, there);
    return stands_as_typed(chunk, terms) ? score * 1.5 : score;
}

/* Terms behind the first MOST_TERMS are not looked at. */
static int is_partial(const chunk_t *chunk, const apr_array_header_t *terms, int is_named)
{
    int i;
    for (i = 0; i < terms->nelts && i < MOST_TERMS; i++) {
        const dsc_search_term_t *term = &APR_ARRAY_IDX(terms, i, dsc_search_term_t);
        if (!chunk->count[i] && !chunk->heading_count[i] && !term->is_unknown &&
            !(is_named && term->is_name)) {
            return 1;
        }
    }
    return 0;
}

static int compare(const void *one, const void *other)
{
    const dsc_search_hit_t *a = one, *b = other;
    if (a->score != b->score) {
        return a->score > b->score ? -1 : 1;
    }
    return (a->chunk_id < b->chunk_id) - (a->chunk_id > b->chunk_id);
}

/* ----------------------------------------------------------------------- folding */

typedef struct {
    dsc_search_hit_t *hit;
    sketch_t sketch;
} folded_t;

static int compare_age(const void *one, const void *other)
{
    const folded_t *a = one, *b = other;
    if (a->hit->issuer_id != b->hit->issuer_id) {
        return a->hit->issuer_id < b->hit->issuer_id ? -1 : 1;
    }
    if (a->hit->published != b->hit->published) {
        return a->hit->published > b->hit->published ? -1 : 1;
    }
    return (a->hit->chunk_id < b->hit->chunk_id) - (a->hit->chunk_id > b->hit->chunk_id);
}

/* Whether more than `most` bits are set. The compiler's own count is a call where the processor is
 * not known. */
static inline int has_more_bits(uint64_t bits, int most)
{
    int i;
    for (i = 0; i < most; i++) {
        bits &= bits - 1; /* without the lowest one */
    }
    return bits != 0;
}

/* Whether two texts have most of their rows of three words: at least three in four of the samples.
 * Short ones are the same or not. Of a company's hits each is compared with each, so most pairs
 * have to go by their bits: a bit that the other has not is of a hash that it has not. */
static int are_alike(const folded_t *one, const folded_t *other)
{
    const sketch_t *a = &one->sketch, *b = &other->sketch;
    int i = 0, j = 0, common = 0, looked;
    if (a->size < SKETCH || b->size < SKETCH) {
        return strcmp(one->hit->text, other->hit->text) == 0;
    }
    if (has_more_bits(a->bits & ~b->bits, SKETCH / 4)) {
        return 0;
    }
    for (looked = 0; looked < SKETCH; looked++) {
        if (a->hashes[i] == b->hashes[j]) {
            common++;
            i++;
            j++;
        } else if (a->hashes[i] < b->hashes[j]) {
            i++;
        } else {
            j++;
        }
    }
    return common * 4 >= SKETCH * 3;
}

/* Whether the newer one may be left out for what it lacks, when the older one is not. */
static int is_better(const dsc_search_hit_t *older, const dsc_search_hit_t *newer)
{
    return newer->is_partial && !older->is_partial && strcmp(newer->kind, "window") == 0;
}

static void fold(folded_t *all, int count)
{
    int i, j, first = 0;
    qsort(all, (size_t)count, sizeof(*all), compare_age);
    for (i = 1; i < count; i++) {
        if (all[i].hit->issuer_id != all[first].hit->issuer_id) {
            first = i;
            continue;
        }
        for (j = first; j < i; j++) {
            if (!all[j].hit->is_hidden && are_alike(&all[j], &all[i]) &&
                !is_better(all[i].hit, all[j].hit)) {
                all[i].hit->is_hidden = 1;
                all[j].hit->similar++;
                if (all[j].hit->score < all[i].hit->score) {
                    all[j].hit->score = all[i].hit->score;
                }
                break;
            }
        }
    }
}

static int is_among(const apr_array_header_t *named, int64_t issuer_id)
{
    int i;
    for (i = 0; i < named->nelts; i++) {
        if (APR_ARRAY_IDX(named, i, int64_t) == issuer_id) {
            return 1;
        }
    }
    return 0;
}

/* Words of a chunk, as a rule. */
static double usual_words(const apr_array_header_t *hits)
{
    double bytes = 0;
    int i;
    for (i = 0; i < hits->nelts; i++) {
        bytes += (double)strlen(APR_ARRAY_IDX(hits, i, dsc_search_hit_t).text);
    }
    return 1 + bytes / 6 / (hits->nelts ? hits->nelts : 1);
}

void dsc_search_rank(apr_pool_t *pool, apr_array_header_t *hits, const apr_array_header_t *terms,
                     const apr_array_header_t *named)
{
    folded_t *all = apr_pcalloc(pool, (size_t)(hits->nelts + 1) * sizeof(folded_t));
    double words = usual_words(hits);
    initials_t initials;
    chunk_t chunk;
    int i;
    note_initials(terms, &initials);
    for (i = 0; i < hits->nelts; i++) {
        dsc_search_hit_t *hit = &APR_ARRAY_IDX(hits, i, dsc_search_hit_t);
        int is_named = is_among(named, hit->issuer_id);
        all[i].hit = hit;
        count_words(hit, terms, &initials, &chunk, &all[i].sketch);
        hit->score = score_of(&chunk, terms, is_named, words);
        hit->is_partial = is_partial(&chunk, terms, is_named);
    }
    fold(all, hits->nelts);
    qsort(hits->elts, (size_t)hits->nelts, sizeof(dsc_search_hit_t), compare);
}
