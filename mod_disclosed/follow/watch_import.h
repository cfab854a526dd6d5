/* Importing files of a watched folder. */
#ifndef DSC_FOLLOW_WATCH_IMPORT_H
#define DSC_FOLLOW_WATCH_IMPORT_H

#include "follow/folder.h"
#include "follow/state.h"

/* So often a file that cannot be loaded is tried as it is, in some minutes; then when it
 * changes. */
#define DSC_WATCH_ATTEMPTS "5"

/* Imports files (dsc_folder_file_t), each content once. Returns how many changed while they were
 * read, which are left as they are; a round has failed to load these. */
int dsc_watch_import(dsc_follower_t *follow, const dsc_follow_watch_t *watch, int folder,
                     const apr_array_header_t *files);

/* A file cannot be loaded. */
void dsc_watch_fail(dsc_follower_t *follow, const dsc_follow_watch_t *watch,
                    const dsc_folder_file_t *file, dsc_fetch_error_t error, const char *reason);

#endif
