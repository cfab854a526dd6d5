/* The folders of a run, as they are when it begins: all processes of the run must see the same
 * names in them, whatever changes meanwhile. */
#ifndef DSC_IMPORT_FOLDERS_H
#define DSC_IMPORT_FOLDERS_H

#include <apr_hash.h>
#include <apr_tables.h>

typedef enum {
    DSC_NAME_OTHER, /* neither of the others, or a link to a folder, which may lead in circles */
    DSC_NAME_FOLDER,
    DSC_NAME_FILE
} dsc_name_kind_t;

typedef struct {
    apr_array_header_t *names;  /* const char *, sorted; NULL when the folder cannot be read */
    const unsigned char *kinds; /* dsc_name_kind_t of each */
    apr_status_t rv;            /* why it cannot be read */
} dsc_folder_t;

/* Lists those of the paths that are folders, and all below them: path => dsc_folder_t *; these
 * paths have no slash at their end. */
apr_hash_t *dsc_folders_list(apr_pool_t *pool, int count, const char *const *paths);

/* The folder of a path, with or without slashes at its end; NULL: it was none. */
const dsc_folder_t *dsc_folders_find(apr_hash_t *folders, apr_pool_t *pool, const char *path);

/* The path without slashes at its end. */
const char *dsc_folder_path(apr_pool_t *pool, const char *path);

#endif
