/* Fetching documents and importing them, each part of one once. */
#ifndef DSC_FOLLOW_DOCUMENT_H
#define DSC_FOLLOW_DOCUMENT_H

#include "follow/state.h"

/* Fetches some of the source's documents that are due and imports them; what takes long only if
 * `is_first`: the listings have just been read. Returns how many are due; *is_slow: the next one
 * takes or took long, for which news may have to wait. */
int dsc_follow_documents(dsc_follower_t *follow, apr_pool_t *pool,
                         const dsc_follow_source_t *source, int is_first, int *is_slow);

/* The name of the file behind an address, without what is asked: importers look at names. */
const char *dsc_follow_name(apr_pool_t *pool, const char *url);

#endif
