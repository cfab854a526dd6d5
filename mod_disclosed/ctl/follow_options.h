/* What `follow` and `bootstrap` have in common: mirrors, sizes, and the printing of lines. */
#ifndef DSC_CTL_FOLLOW_OPTIONS_H
#define DSC_CTL_FOLLOW_OPTIONS_H

#include "follow/follow.h"

/* Adds "https://ORIGIN=URL" to mirrors (dsc_follow_mirror_t), or those of DISCLOSED_MIRRORS, with
 * commas; NULL, or what is wrong. */
const char *dsc_follow_add_mirror(apr_pool_t *pool, apr_array_header_t *mirrors, const char *text);
const char *dsc_follow_add_mirrors(apr_pool_t *pool, apr_array_header_t *mirrors);

/* Bytes of "500M", "20G" or "1000"; 0 if the text is none. */
apr_int64_t dsc_bytes_argument(const char *text);

/* Whether the text names a folder, or one that may be made there: an empty one would be the root of
 * all. */
int dsc_is_folder_argument(const char *text);

/* For dsc_follow_options_t, with a dsc_context_t as baton: opens a connection; prints a line. */
dsc_connection_t *dsc_follow_connect(void *baton, apr_pool_t *pool, const char **reason);
void dsc_follow_print(void *baton, int is_failure, const char *line);

#endif
