/* What clients see of a source's documents: the newest that is stored, and how many are missing. */
#ifndef DSC_FOLLOW_FRESHNESS_H
#define DSC_FOLLOW_FRESHNESS_H

#include "follow/state.h"

/* Notes it, now and then; after the one round of --once, in any case. */
void dsc_follow_refresh(dsc_follower_t *follow, const dsc_follow_source_t *source);

#endif
