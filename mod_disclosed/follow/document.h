/* Fetching documents and importing them, each part of one once. */
#ifndef DSC_FOLLOW_DOCUMENT_H
#define DSC_FOLLOW_DOCUMENT_H

#include "follow/state.h"

/* Fetches some of the source's documents that are due and imports them. Returns how many there were; *is_slow: news may have waited
 * for them. */
int dsc_follow_documents(dsc_follower_t *follow, apr_pool_t *pool,
                         const dsc_follow_source_t *source, int *is_slow);

/* The name of the file behind an address, without what is asked: importers look at names. */
const char *dsc_follow_name(apr_pool_t *pool, const char *url);

#endif
