/* Walking over what the command line names: files, standard input, folders, archives. */
#ifndef DSC_IMPORT_WALK_H
#define DSC_IMPORT_WALK_H

#include "loader/importer.h"

#include <apr_hash.h>
#include <stdint.h>

typedef struct {
    const dsc_importer_t *importer;
    apr_hash_t *folders; /* of dsc_folders_list(), of the paths of the walk */
    void *baton;
    int is_again; /* archives have been held against their directories by a walk before */
    /* Called for each file that is to be imported, numbered from 0 over the whole walk, the same
     * in each walk over the same paths. Returns 0 to end the walk. */
    int (*file)(void *baton, long long number, dsc_import_file_t *file);
    /* Whether the file of that number is wanted at all: if not, it is not even opened. */
    int (*wants)(void *baton, long long number);
    /* A file of a folder or archive that the importer does not accept. */
    void (*skipped)(void *baton, const char *name);
    /* A path that cannot be read, or an archive that is damaged. `everywhere`: each walk over the
     * same paths meets it, whichever files it wants. */
    void (*failed)(void *baton, int everywhere, const char *name, const char *reason);
} dsc_walk_t;

/* Walks over the paths in their order; folders are walked recursively, sorted by name. "-" is
 * standard input. Archives (zip, tar) and compressed files (gzip, xz, bzip2, zstd) are recognised
 * by their content when named, by their suffix inside folders. Returns a digest of the numbers and
 * names that it met, which is the same for each walk that met the same; 0 if it was ended. */
uint64_t dsc_walk_paths(const dsc_walk_t *walk, apr_pool_t *pool, int count,
                        const char *const *paths);

/* How many files the paths hold, by their names alone; -1 if archives or standard input are among
 * them, which would have to be read. */
long long dsc_walk_count(const dsc_importer_t *importer, apr_hash_t *folders, apr_pool_t *pool,
                         int count, const char *const *paths);

#endif
