/* Records of sources that do not say when they corrected themselves. A row that says something
 * else than the same source did about the same time is a correction: public from when it was
 * taken, not from when the first statement was. */
#ifndef DSC_CORRECTION_H
#define DSC_CORRECTION_H

#include "loader/loader.h"

enum {
    DSC_CORRECTION_BATCH = 500
};

typedef struct {
    apr_pool_t *pool; /* for the records' texts; cleared when a full batch has gone to the loader */
    const char *taken_at; /* as --known-at says, else now; ISO, UTC */

    /* its own */
    dsc_loader_t *loader;
    const dsc_dataset_t *dataset;
    const char *sql;
    const char *const *columns;
    dsc_load_record_t records[DSC_CORRECTION_BATCH];
    int count;
} dsc_corrections_t;

/* Begins. `sql` asks which records are corrections: it yields their numbers, from 1, and is given
 * arrays of the batch: record keys ($1, text[]), times ($2, timestamptz[]), and from $3 on the
 * columns (NULL-terminated; at most 10), elements NULL if absent or no value of their type.
 * NULL: that is found out at the merge. 0 and *reason when --known-at is no time. */
int dsc_corrections_open(dsc_corrections_t *corrections, dsc_loader_t *loader,
                         const dsc_dataset_t *dataset, const char *sql, const char *const *columns,
                         const char **reason);

/* Makes room for the records of one row of the file, two at most: to be called before their texts
 * are made. What was added before may go to the loader, and the pool be cleared. */
apr_status_t dsc_corrections_ready(dsc_corrections_t *corrections);

/* Takes a record, whose texts are in the pool (or live longer), with known_at or known_on set. */
void dsc_corrections_add(dsc_corrections_t *corrections, const dsc_load_record_t *record);

/* Passes on what is left. */
apr_status_t dsc_corrections_flush(dsc_corrections_t *corrections);

#endif
