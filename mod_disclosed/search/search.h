/* Searching, for the endpoint and for answers. */
#ifndef DSC_SEARCH_H
#define DSC_SEARCH_H

#include "engine/call.h"
#include "search/search_query.h"
#include "search/search_rank.h"

#include <jansson.h>

/* What a search finds. */
typedef struct {
    apr_array_header_t *terms; /* of dsc_search_term_t */
    apr_array_header_t *named; /* of int64_t: companies that the query names */
    apr_array_header_t *hits;  /* of dsc_search_hit_t: the best first */
} dsc_search_found_t;

/* Searches for a query; `candidates` is the FROM text that calls search_candidates(), with "?" for
 * its argument, in which the array `companies`, which may be NULL, is "issuers". Returns as
 * dsc_call_select() does. */
int dsc_search_find(dsc_call_t *call, const char *query, const json_t *companies,
                    const char *candidates, dsc_search_found_t *found);

#endif
