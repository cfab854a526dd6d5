/* Folders that are watched: files that arrive there are loaded by an importer, each content
 * once. */
#ifndef DSC_FOLLOW_WATCH_H
#define DSC_FOLLOW_WATCH_H

#include "follow/state.h"

/* The folders of the options, watched from now on; NULL if there are none. It lives in the pool of
 * the connection. */
dsc_watch_t *dsc_watch_begin(dsc_follower_t *follow);

/* Loads what has arrived; all that is there when it is called first, now and then, and when
 * something may have been missed. */
void dsc_watch_pass(dsc_follower_t *follow);

/* Readable when something has arrived; -1 if that is not stated. */
int dsc_watch_descriptor(const dsc_watch_t *watch);

/* Milliseconds until a folder is to be looked at, though nothing may have arrived: soon if files
 * are too young to be whole. */
int dsc_watch_time_until_due(const dsc_follower_t *follow);

/* Prints the paths of the files that a pass would load; changes nothing. */
void dsc_watch_preview(dsc_follower_t *follow,
                       void (*print)(dsc_follower_t *follow, const char *path));

/* Array literal of the beginnings that the identities of files in these folders have. */
const char *dsc_watch_prefixes(apr_pool_t *pool, const dsc_follow_options_t *options);

#endif
