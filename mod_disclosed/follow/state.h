/* The state of sources, listings and documents: reads and changes the tables of
 * sql/0055_follow.sql. */
#ifndef DSC_FOLLOW_STATE_H
#define DSC_FOLLOW_STATE_H

#include "follow/fetch.h"
#include "follow/follow.h"
#include "follow/follow_table.h"
#include "follow/keep.h"
#include "sources/import_session.h"

typedef struct dsc_watch_t dsc_watch_t;

/* A run of `disclosedctl follow`. */
typedef struct {
    apr_pool_t *pool; /* of the connection */
    apr_pool_t *pass; /* of a pass over all sources; cleared after it */
    const dsc_follow_options_t *options;
    dsc_connection_t *connection;
    dsc_import_session_t *session; /* of what is loaded */
    dsc_fetcher_t *fetcher;
    const char *holder; /* "host:process:random digits": containers share names and numbers */
    const dsc_follow_source_t *source; /* whose turn it is */
    const char *scratch;               /* the folder of what is being fetched */
    const char *began;                 /* the time at which the round began, by the database */
    apr_time_t clock; /* the database's less the monotonic clock, when it was looked at last */
    int has_clock;
    const char *reason; /* why the database is lost; NULL: it is not */
    dsc_follow_count_t *count;
    dsc_keep_t keep;    /* of raw files; without a folder: none are kept */
    dsc_watch_t *watch; /* folders (follow/watch.h); NULL: none */
} dsc_follower_t;

/* A listing, or a part of one, that is due. */
typedef struct {
    const char *part, *etag, *last_modified;
    apr_array_header_t *seen; /* const char * */
} dsc_follow_due_t;

/* A document that is due. */
typedef struct {
    const char *id, *identity, *kind, *url, *cik;
    const char *etag, *last_modified, *content_hash; /* of what is stored of it; NULL: nothing */
    const char *done;       /* array literal of the parts that are stored */
    const char *fetched_at; /* when it was fetched last; NULL: never */
} dsc_follow_document_t;

/* Runs a statement with text parameters; NULL if the database is lost or
 * refuses it, and `reason` says why. */
PGresult *dsc_follow_query(dsc_follower_t *follow, const char *sql, int count,
                           const char *const *parameters);

/* The same without a result; whether it succeeded. */
int dsc_follow_command(dsc_follower_t *follow, const char *sql, int count,
                       const char *const *parameters);

/* An array literal of the names of those sources that are wanted; without options of all. */
const char *dsc_follow_source_names(apr_pool_t *pool, const dsc_follow_source_t *sources,
                                    const dsc_follow_options_t *options);

/* Connects, notes the database's time and makes the fetcher; 0: `reason` says why not. */
int dsc_follow_connect_database(dsc_follower_t *follow);

/* From now on the session announces nothing of before the first day that the source is followed
 * (announce_filings()); NULL: it announces all. 0, and *reason: it does not respond. */
int dsc_follow_silence(dsc_connection_t *connection, apr_pool_t *pool, const char *source,
                       const char **reason);

/* Sleeps for so long; a signal wakes. */
void dsc_follow_sleep(int milliseconds);

/* Which kind of failure of an import the reason shows: of the disk, or of the file. */
dsc_fetch_error_t dsc_follow_import_error(const char *reason);

/* Where the database's clock has gone back, and at first: what was noted by the clock as it was is
 * brought near. */
void dsc_follow_look_at_clock(dsc_follower_t *follow);

/* Takes the source for a while, or keeps it; 0: another process has it. */
int dsc_follow_lease(dsc_follower_t *follow, const dsc_follow_source_t *source);
void dsc_follow_release(dsc_follower_t *follow, const dsc_follow_source_t *source);

/* Makes rows of the parts of listings, and of documents that no listing names,
 * whose time has come. */
int dsc_follow_plan(dsc_follower_t *follow, const dsc_follow_source_t *source);

/* Prints the addresses that a pass would request, by what is known now; changes nothing. */
void dsc_follow_preview(dsc_follower_t *follow, const dsc_follow_source_t *source,
                        void (*print)(dsc_follower_t *follow, const char *url));

/* What is due of a listing (dsc_follow_due_t), and the documents that are
 * (dsc_follow_document_t), `most` of them. NULL: the database is lost. */
apr_array_header_t *dsc_follow_due_parts(dsc_follower_t *follow, apr_pool_t *pool,
                                         const dsc_follow_source_t *source,
                                         const dsc_follow_listing_t *listing);
apr_array_header_t *dsc_follow_due_documents(dsc_follower_t *follow, apr_pool_t *pool,
                                             const dsc_follow_source_t *source, int most);

/* Stores the time that the source states, by its own clock. */
void dsc_follow_store_time(dsc_follower_t *follow, const dsc_follow_source_t *source,
                           const char *told_at);
void dsc_follow_store_date(dsc_follower_t *follow, const dsc_follow_source_t *source,
                           apr_time_t date);

/* A listing has been read: its documents are known, and it is looked at again
 * later, in one transaction. */
int dsc_follow_note_listing(dsc_follower_t *follow, apr_pool_t *pool,
                            const dsc_follow_source_t *source, const dsc_follow_listing_t *listing,
                            const char *part, const apr_array_header_t *entries,
                            const apr_array_header_t *top, const dsc_fetch_t *fetch);

/* It could not be, or has not changed (no reason). */
void dsc_follow_fail_listing(dsc_follower_t *follow, const dsc_follow_source_t *source,
                             const dsc_follow_listing_t *listing, const char *part,
                             dsc_fetch_error_t error, const char *reason);
void dsc_follow_same_listing(dsc_follower_t *follow, const dsc_follow_listing_t *listing,
                             const dsc_follow_source_t *source, const char *part);

/* The document's content is here and will be imported in these parts (array
 * literal). *done: of which some may be stored already. 0: another process has fetched it since
 * `document` was read, perhaps a newer one, or the database is lost. */
int dsc_follow_note_fetched(dsc_follower_t *follow, apr_pool_t *pool,
                            const dsc_follow_document_t *document, const dsc_fetch_t *fetch,
                            const char *parts, const char **done);

/* It still has that content; or something is wrong with it, and it is asked for again
 * later. Whether that is a failure: what need not be there is none. */
void dsc_follow_same_document(dsc_follower_t *follow, const dsc_follow_source_t *source,
                              const dsc_follow_document_t *document, const char *content_hash);
int dsc_follow_fail_document(dsc_follower_t *follow, const dsc_follow_source_t *source,
                             const dsc_follow_document_t *document, dsc_fetch_error_t error,
                             const char *reason);

/* What nobody was asked for, or was given up for a signal, has not failed. */
int dsc_follow_is_failure(dsc_fetch_error_t error);

void dsc_follow_count_failure(dsc_follower_t *follow, const dsc_follow_source_t *source,
                              dsc_fetch_error_t error);

/* A part of it needs no import of its own. */
void dsc_follow_note_part(dsc_follower_t *follow, const dsc_follow_source_t *source,
                          const dsc_follow_document_t *document, const char *part,
                          const char *content_hash);

/* Documents of other kinds about the same company, which are new with it. */
void dsc_follow_note_company(dsc_follower_t *follow, apr_pool_t *pool,
                             const dsc_follow_source_t *source, const char *kind, const char *cik);

#endif
