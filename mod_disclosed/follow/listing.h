/* Reads listings: what is new, and whether anything was missed. */
#ifndef DSC_FOLLOW_LISTING_H
#define DSC_FOLLOW_LISTING_H

#include "follow/state.h"

/* Reads all parts of the source's listings that are due. */
void dsc_follow_listings(dsc_follower_t *follow, apr_pool_t *pool,
                         const dsc_follow_source_t *source);

#endif
