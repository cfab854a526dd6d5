/* The state of archives, in the tables of sql/0055_follow.sql and sql/0064_bootstrap.sql, and
 * their files on the disk. */
#ifndef DSC_FOLLOW_ARCHIVE_H
#define DSC_FOLLOW_ARCHIVE_H

#include "follow/state.h"

#include <apr_file_io.h>

/* An archive that is wanted. */
typedef struct {
    const dsc_follow_source_t *source;
    const dsc_follow_kind_t *kind;
    dsc_follow_document_t document;
    long long files_done, files_failed;
    const char
        *damage; /* of a file that is not what was packed; NULL: none is known of what is here */
    int has_come_again;  /* in this run, because a file was damaged */
    const char *path;    /* FOLDER/SOURCE/NAME, when it is whole */
    const char *partial; /* while it comes */
} dsc_archive_t;

/* Those of a run: of which sources (an array literal), of periods that end on that day or later
 * (NULL: all), but for those that have come in it (an array literal of their ids), unless they are
 * to come again. */
typedef struct {
    const char *folder, *sources, *since, *come;
} dsc_archive_scope_t;

/* What was given up is tried again in this run; and pages are looked at again. */
int dsc_archive_begin(dsc_follower_t *follow, const dsc_archive_scope_t *scope);

/* The archive that is next: those that an earlier run has fetched come first, as they only want
 * loading, and make room for others by that. NULL: none is due. */
dsc_archive_t *dsc_archive_next(dsc_follower_t *follow, apr_pool_t *pool,
                                const dsc_archive_scope_t *scope);

/* The one of that number; NULL: there is none, of this version's table. */
dsc_archive_t *dsc_archive_find(dsc_follower_t *follow, apr_pool_t *pool, const char *folder,
                                const char *id);

/* Milliseconds until an archive or a page is due; -1: none will be. */
int dsc_archive_wait(dsc_follower_t *follow, const dsc_archive_scope_t *scope);

/* Whether a page of the source is due. */
int dsc_archive_page_is_due(dsc_follower_t *follow, const dsc_follow_source_t *source);

/* Whether the error says no more than that what a page lists is not published yet: the next run
 * asks again. */
int dsc_archive_is_awaited(const dsc_archive_t *archive, dsc_fetch_error_t error);

/* When it is asked for again. */
typedef enum {
    DSC_ARCHIVE_LATER, /* after a pause, a longer one each time */
    DSC_ARCHIVE_SOON,  /* more of it is here than before */
    DSC_ARCHIVE_NEXT   /* by the next run: asking again brings the same */
} dsc_archive_when_t;

/* It could not be had or read. */
void dsc_archive_fail(dsc_follower_t *follow, const dsc_archive_t *archive, dsc_fetch_error_t error,
                      const char *reason, dsc_archive_when_t when);

/* A file of it is not what was packed, of which its length and ETag say nothing. */
void dsc_archive_damaged(dsc_follower_t *follow, dsc_archive_t *archive, const char *damage);

/* For that, it is fetched once more. */
void dsc_archive_again(dsc_follower_t *follow, const dsc_archive_t *archive);

/* It has come. Whatever kept it from coming, or was wrong with what came before, is over. */
void dsc_archive_has_come(dsc_follower_t *follow, const dsc_archive_t *archive);

/* It is as it was when some of its files could not be loaded. */
void dsc_archive_same(dsc_follower_t *follow, const dsc_archive_t *archive);

/* It is here since this run, though it was fetched by another. */
void dsc_archive_is_here(dsc_follower_t *follow, const dsc_archive_t *archive);

/* So many of its files have been read. */
void dsc_archive_mark(dsc_follower_t *follow, const dsc_archive_t *archive);

/* Takes a lock in the folder: it holds until this process and those that it has started have closed
 * the file. NULL: another one has it. */
apr_file_t *dsc_archive_lock(apr_pool_t *pool, const char *folder, const char *name);

/* Removes what the folder has of archives that are not wanted any more. */
void dsc_archive_sweep(dsc_follower_t *follow, apr_pool_t *pool, const char *folder);

/* Removes all archives, but for that path. */
void dsc_archive_remove_others(apr_pool_t *pool, const char *folder, const char *path);

/* Bytes of all archives in the folder, but for that path. */
apr_int64_t dsc_archive_bytes(apr_pool_t *pool, const char *folder, const char *path);

/* How many are not here (state: "wanted"), not published yet ("absent"), stored but for some files
 * ("failed"). */
int dsc_archive_count(dsc_follower_t *follow, const dsc_archive_scope_t *scope, long long *wanted,
                      long long *absent, long long *failed);

/* Prints the addresses that a run would request, by what is known now. */
void dsc_archive_preview(dsc_follower_t *follow, const dsc_archive_scope_t *scope,
                         void (*print)(dsc_follower_t *follow, const char *url));

#endif
