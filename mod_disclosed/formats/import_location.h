/* Locations of a run's files, and opening them: in a folder, or in an archive. */
#ifndef DSC_IMPORT_LOCATION_H
#define DSC_IMPORT_LOCATION_H

#include "formats/import_file.h"

#include <apr_hash.h>
#include <apr_tables.h>
#include <archive_entry.h>

/* A folder or an archive with the names in it, which are read when they are first asked for. */
struct dsc_import_location_t {
    const char *path;
    int is_archive;
    apr_pool_t *pool;
    apr_array_header_t *names; /* const char *; NULL so far */
    apr_hash_t *companions;    /* of each folder in it that was asked for; NULL so far */
};

/* Opens a file, or standard input if `path` is NULL, whatever it is compressed or packed with;
 * NULL and *reason if that fails. */
struct archive *dsc_import_open_stream(const char *path, const char **reason, apr_pool_t *pool);

/* The bytes of an entry, -1 if they are not known. */
apr_int64_t dsc_import_entry_size(struct archive_entry *entry);

/* The name of the archive's `number`th member, counted from 1. */
const char *dsc_import_member_name(struct archive_entry *entry, apr_pool_t *pool, int number);

/* The names in a folder, sorted; NULL when it cannot be read. */
apr_array_header_t *dsc_import_folder_names(apr_pool_t *pool, const char *path, apr_status_t *rv);

/* What is behind the last slash. */
const char *dsc_import_base_name(const char *path);

/* What `find` finds in the file's own name, without the folders before it, or else in that of the
 * archive that it is a member of; NULL: nothing. */
const char *dsc_import_find_in_names(const dsc_import_file_t *file, apr_pool_t *pool,
                                     const char *(*find)(apr_pool_t *pool, const char *name));

/* The length of the suffix of compression in the name; 0: it has none. */
size_t dsc_import_compression(const char *name);

#endif
