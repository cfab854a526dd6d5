/* Ranks the results of a search. */
#ifndef DSC_SEARCH_RANK_H
#define DSC_SEARCH_RANK_H

#include "search/search_text.h"

/* A chunk that may be shown. */
typedef struct {
    const char *kind; /* how it was found: see search_candidates() */
    int64_t chunk_id, issuer_id;
    int64_t published; /* microseconds since 1970 */
    const char *row;   /* its place in the table, tid */
    const char *source_kind;
    const char *heading;
    const char *text;
    double score;
    int similar; /* older chunks of the company that say nearly the same and are left out for it */
    int is_partial; /* a term is missing that other texts have */
    int is_hidden;  /* left out for a newer one, or for those that are not partial */
} dsc_search_hit_t;

/* Scores the hits (of dsc_search_hit_t) and sorts them: the best first, those of one score the
 * newest first.
 *
 * The score is BM25 over text and heading, which counts three times; for words that are near each
 * other it is up to twice as high, as they were typed half as much again, and it falls with what is
 * missing. `named` (of int64_t) are the companies that the query names, whose chunks have their
 * names. Each of a company's near-identical chunks but the newest is hidden. */
void dsc_search_rank(apr_pool_t *pool, apr_array_header_t *hits, const apr_array_header_t *terms,
                     const apr_array_header_t *named);

#endif
