/* Files of a folder: their names, whether they have changed, and their content. Links are not
 * followed, so that nothing outside of the folder is read. */
#ifndef DSC_FOLLOW_FOLDER_H
#define DSC_FOLLOW_FOLDER_H

#include "follow/fetch.h"

#include <apr_pools.h>
#include <apr_tables.h>

enum {
    DSC_FOLDER_YOUNG_SECONDS = 2 /* what was written so lately may be written on */
};

/* A regular file. */
typedef struct {
    const char *name;  /* as it lies there */
    const char *shown; /* the same in UTF-8, without control characters */
    const char
        *mark; /* stands for the file as it is: what is written, moved or touched has another */
    apr_time_t written_at;
    int is_young;
} dsc_folder_file_t;

/* A descriptor of the folder, which the pool closes; -1, and *reason. */
int dsc_folder_open(apr_pool_t *pool, const char *path, const char **reason);

/* Names (const char *) of what lies in it, hidden and temporary ones left out; NULL, and
 * *reason. */
apr_array_header_t *dsc_folder_names(apr_pool_t *pool, int folder, const char **reason);

/* Whether a name is of a hidden file, or of one that is still to be named. */
int dsc_folder_is_passed_over(const char *name);

/* Looks at a file; 0: it is gone, or no regular one. */
int dsc_folder_look(apr_pool_t *pool, int folder, const char *name, dsc_folder_file_t *file);

/* Copies it to `path`; DSC_ERROR_TRUNCATED: it changed meanwhile, which others are *reason says. */
dsc_fetch_error_t dsc_folder_copy(apr_pool_t *pool, int folder, const dsc_folder_file_t *file,
                                  const char *path, const char **content_hash, apr_int64_t *size,
                                  const char **reason);

#endif
