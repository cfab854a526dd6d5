/* Running an importer over paths, in one process or several. */
#ifndef DSC_IMPORT_RUN_H
#define DSC_IMPORT_RUN_H

#include "loader/importer.h"

#include <apr_hash.h>

typedef struct dsc_import_session_t dsc_import_session_t; /* see import_session.h */

typedef enum {
    DSC_IMPORT_FILE,     /* `name` is stored: `count`; `reason`: what is to be noted, or NULL */
    DSC_IMPORT_FAILED,   /* `name` was not: `reason`; nothing of it is stored */
    DSC_IMPORT_SKIPPED,  /* `name` is no file of this kind */
    DSC_IMPORT_PART,     /* `name` is read with another file: `reason` */
    DSC_IMPORT_REJECT,   /* of the file reported next: `name`, `location`, `reason` */
    DSC_IMPORT_PROGRESS, /* `name` is being loaded: `count` so far, `location`: the phase */
    DSC_IMPORT_CHANGED,  /* what lies at `name`, or behind it, is not what it was when it was read
                            first: `reason` */
    DSC_IMPORT_DATABASE  /* no database, or no longer: `reason`; the process gives up */
} dsc_import_kind_t;

typedef struct {
    dsc_import_kind_t kind;
    dsc_load_count_t count;
    long long
        waiting; /* DSC_IMPORT_PROGRESS: files that are read and not stored yet; counted, too */
    /* Of the file in the walk, from 0; -1: it has none, or failed for what it cannot help: a
     * signal, a lost connection, a database that is short of something. */
    long long number;
    const char *name, *location, *reason; /* NULL if the kind has none */
    int is_damaged; /* DSC_IMPORT_FAILED: since its bytes are not those that were packed */
} dsc_import_event_t;

typedef struct {
    const dsc_importer_t *importer;
    dsc_load_options_t load;
    /* NULL: one of its own for each process. Else jobs is 1, and `load` and `connect` are the same
     * in all runs of the session. */
    dsc_import_session_t *session;
    int jobs;         /* processes; 1: all in this one */
    int reject_limit; /* rejects reported for each file, at most 100 */
    long long skip;   /* so many files from the beginning of the walk are left out */
    apr_hash_t
        *folders; /* of dsc_folders_list(), of the paths; NULL: listed when they are imported */
    /* Opens a connection that the pool closes; NULL and *reason if there is none. Called in
     * each process. */
    dsc_connection_t *(*connect)(void *baton, apr_pool_t *pool, const char **reason);
    void *connect_baton;
    /* Prepares a session that has been idle, or is new, for the run; NULL: nothing to do. 0:
     * *reason says why it could not. */
    int (*prepare)(void *baton, dsc_connection_t *connection, apr_pool_t *pool,
                   const char **reason);
    void *prepare_baton;
    dsc_loader_complete_t complete; /* of each file, see dsc_loader_on_complete(); NULL: nothing */
    void *complete_baton;
    void (*event)(void *baton, const dsc_import_event_t *event); /* called in this process only */
    void *event_baton;
} dsc_import_run_t;

/* Loads one file, in a transaction of its own: commits it, or gives it up. *reason, in the pool,
 * says why it failed, or what is to be noted of it. DSC_IMPORT_AS_COMPANION: it is read with
 * another file. */
apr_status_t dsc_import_load(dsc_loader_t *loader, const dsc_importer_t *importer,
                             dsc_import_file_t *file, apr_pool_t *pool, dsc_load_count_t *count,
                             const char **reason);

/* How many processes are usual for an importer: if files of companies are loaded side by side, one
 * for each core, no more than there are files (-1: unknown), or than PostgreSQL's connections are
 * reckoned for; else one. */
int dsc_import_usual_jobs(const dsc_importer_t *importer, long long files);

/* Imports all files of the paths; events report what happens. APR_EGENERAL: a process died or none
 * could be started. A signal (engine/interrupt.h) ends it after a file or within one. */
apr_status_t dsc_import_paths(const dsc_import_run_t *run, apr_pool_t *pool, int count,
                              const char *const *paths);

#endif
