/* What the two processes of a bootstrap run share: one downloads, the other imports. */
#ifndef DSC_BOOTSTRAP_RUN_H
#define DSC_BOOTSTRAP_RUN_H

#include "follow/archive.h"
#include "follow/bootstrap.h"

#include <stdatomic.h>

/* In shared memory. */
typedef struct {
    atomic_llong requests, bytes, failed;
    atomic_llong size, total; /* of what is being downloaded */
    atomic_llong fetched,
        dealt; /* archives handed over, and done with: the rest wait on the disk */
    atomic_int has_ended, no_database;
    char reason[512]; /* why it could not go on; written before has_ended */
} dsc_bootstrap_shared_t;

/* Through the pipe: what is being downloaded, and what is here to be imported. */
typedef struct {
    int is_here;
    char id[24], name[232];
} dsc_bootstrap_message_t;

typedef struct {
    const dsc_bootstrap_options_t *options;
    apr_pool_t *pool;
    const char *folder;
    apr_array_header_t *leased; /* const dsc_follow_source_t *: those that this run has */
    const char *sources;        /* their names, as an array literal */
    dsc_bootstrap_shared_t *shared;
    int pipe[2];
    apr_file_t *lock; /* of the folder: of this process, and of those that import for it */
} dsc_bootstrap_t;

/* The downloading process, from its beginning to its end; returns its exit code. */
int dsc_download(const dsc_bootstrap_t *run);

/* Imports an archive that is here, and removes it. `look` is called now and then meanwhile: the
 * phase, and rows that have been read. */
void dsc_archive_import(dsc_follower_t *follow, apr_pool_t *pool, dsc_archive_t *archive,
                        dsc_bootstrap_count_t *count,
                        void (*look)(void *baton, const char *phase, long long rows),
                        void *look_baton);

#endif
