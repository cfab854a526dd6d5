/* Follows public sources: requests new documents, within the publishers' limits, and loads each
 * document once. */
#ifndef DSC_FOLLOW_H
#define DSC_FOLLOW_H

#include "engine/connection.h"

#include "loader/loader.h"

#include <apr_pools.h>
#include <apr_tables.h>

/* Replaces an origin by an administrator's mirror: both without a slash at the end. */
typedef struct {
    const char *origin, *url;
} dsc_follow_mirror_t;

/* The source of what comes from folders. */
#define DSC_WATCH_SOURCE "watch"

/* A folder whose files are loaded by an importer: both by name, the folder's path absolute and
 * without a slash at its end. */
typedef struct {
    const char *importer, *folder;
} dsc_follow_watch_t;

struct dsc_follow_source_t;

typedef struct {
    const struct dsc_follow_source_t
        *table;                  /* the sources that there are (follow/follow_table.h) */
    const char *user_agent;      /* with a contact; NULL: none */
    const char *since;           /* YYYY-MM-DD: the first day of which all is wanted; NULL: today */
    apr_array_header_t *mirrors; /* dsc_follow_mirror_t */
    apr_array_header_t *sources; /* const char *: names of those that are followed; empty: all */
    apr_array_header_t *watched; /* dsc_follow_watch_t; NULL: none */
    const char *keep;            /* the folder of raw files; NULL: none are kept */
    apr_int64_t keep_budget;     /* bytes that it may have */
    int poll;                    /* seconds between two looks at a listing that is always new */
    int once;                    /* one round of all that is due */
    int dry_run;                 /* print what would be requested */
    int verbose;
    /* Opens a connection that the pool closes; NULL and *reason if there is
     * none. */
    dsc_connection_t *(*connect)(void *baton, apr_pool_t *pool, const char **reason);
    void *connect_baton;
    /* Prints a line: what was done, or what has failed. */
    void (*print)(void *baton, int is_failure, const char *line);
    void *print_baton;
} dsc_follow_options_t;

/* What has come of it. */
typedef struct {
    long long requests, stored, failed; /* documents */
    long long missing;                  /* documents and listings that are due again, at the end */
    int no_database;
} dsc_follow_count_t;

/* What is wrong with the options, before anything is asked; NULL: nothing. */
const char *dsc_follow_refusal(apr_pool_t *pool, const dsc_follow_options_t *options);

/* Follows until a signal comes (engine/interrupt.h), or for a round.
 * APR_EGENERAL: it could not begin, *reason says why. */
apr_status_t dsc_follow_run(const dsc_follow_options_t *options, apr_pool_t *pool,
                            dsc_follow_count_t *count, const char **reason);

/* What has come of reading kept files again. */
typedef struct {
    long long files, absent, failed; /* absent: they are no longer kept */
    dsc_load_count_t rows;
} dsc_reimport_count_t;

/* Imports what is kept of a source, and was published since the day, again.
 * APR_EGENERAL and *reason: not all of it. */
apr_status_t dsc_follow_reimport(const dsc_follow_options_t *options, apr_pool_t *pool,
                                 const char *source, const char *since, dsc_reimport_count_t *count,
                                 const char **reason);

/* Whether the source is among those that are wanted. */
int dsc_follow_is_wanted(const dsc_follow_options_t *options,
                         const struct dsc_follow_source_t *source);

/* Whether a source of that name is followed. */
int dsc_follow_has_source(const char *name);

#endif
