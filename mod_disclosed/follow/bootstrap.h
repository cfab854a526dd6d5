/* Fills an empty database from the publishers' archives: downloads them within a disk budget, and
 * imports complete ones at the same time. */
#ifndef DSC_BOOTSTRAP_H
#define DSC_BOOTSTRAP_H

#include "follow/follow.h"

/* What is going on; NULL: nothing is. */
typedef struct {
    const char *downloading, *importing, *phase;
    apr_int64_t size, total; /* of what is being downloaded; -1: not stated */
    long long rows;          /* that have been read of what is being imported */
} dsc_bootstrap_progress_t;

typedef struct {
    dsc_follow_options_t follow;
    const char *folder;      /* where downloads are until they are imported */
    apr_int64_t disk_budget; /* bytes that they may have */
    void (*progress)(void *baton, const dsc_bootstrap_progress_t *progress);
    void *progress_baton;
} dsc_bootstrap_options_t;

/* What has come of it. */
typedef struct {
    long long requests;
    apr_int64_t bytes; /* that have been downloaded */
    long long stored, failed, absent,
        missing; /* archives: in this run; not published yet; not here at its end */
    dsc_load_count_t rows;
    int no_database;
} dsc_bootstrap_count_t;

/* Goes on until all is stored, nothing more can be done, or a signal comes (engine/interrupt.h).
 * APR_EGENERAL: it could not begin or not go on, *reason says why. */
apr_status_t dsc_bootstrap_run(const dsc_bootstrap_options_t *options, apr_pool_t *pool,
                               dsc_bootstrap_count_t *count, const char **reason);

#endif
