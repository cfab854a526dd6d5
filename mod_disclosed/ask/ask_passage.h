/* Sentences of texts that answer a question, quoted. */
#ifndef DSC_ASK_PASSAGE_H
#define DSC_ASK_PASSAGE_H

#include "engine/call.h"
#include "search/search.h"

/* A sentence that answers. */
typedef struct {
    const dsc_search_hit_t *hit;
    const char *quote; /* as it is in the text of the hit */
    double covered;    /* of what is asked for, from 0 to 1, by weight */
} dsc_ask_passage_t;

/* The sentences (of dsc_ask_passage_t) of the hits that have the most of the terms, the best first,
 * `most` at the most, one of each hit; those that have less than `least` of them are left out.
 * Names of companies do not count: the hits are theirs. If fewer words than `least_terms` are asked
 * for, nothing is found; if they are three or fewer, all must be there. */
apr_array_header_t *dsc_ask_passages(apr_pool_t *pool, const apr_array_header_t *hits,
                                     const apr_array_header_t *terms,
                                     const apr_array_header_t *named, double least, int least_terms,
                                     int most);

#endif
