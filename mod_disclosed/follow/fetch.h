/* Asking publishers for files: https, connections kept, bodies compressed on their way, none taken
 * that is not whole. */
#ifndef DSC_FOLLOW_FETCH_H
#define DSC_FOLLOW_FETCH_H

#include "engine/connection.h"
#include "follow/follow.h"
#include "follow/follow_table.h"

/* What a failure is counted as; its name is in tables, metrics and messages. */
typedef enum {
    DSC_ERROR_NONE,
    DSC_ERROR_DNS,
    DSC_ERROR_CONNECTION,
    DSC_ERROR_TLS,
    DSC_ERROR_TIMEOUT,
    DSC_ERROR_TRUNCATED,
    DSC_ERROR_TOO_LARGE,
    DSC_ERROR_REDIRECT,
    DSC_ERROR_REFUSED,  /* 403, 429, or a page that says so: nothing more is asked for a while */
    DSC_ERROR_PAUSED,   /* not asked, because the publisher has refused another */
    DSC_ERROR_MISSING,  /* 404, 410 */
    DSC_ERROR_SERVER,   /* 5xx */
    DSC_ERROR_RESPONSE, /* anything else that HTTP may say */
    DSC_ERROR_BLOCKED,  /* a page in place of the file, with status 200 */
    DSC_ERROR_DAMAGED,  /* the body is not what it should be, or not all of it */
    DSC_ERROR_OTHER,    /* it is another document than was asked for */
    DSC_ERROR_CLOCK,    /* it states a time in the future */
    DSC_ERROR_SKIPPED,  /* the feed has not shown all that there is */
    DSC_ERROR_DISK,
    DSC_ERROR_NO_ROOM, /* the place that is set aside for it is taken: later */
    DSC_ERROR_IMPORT,
    DSC_ERROR_INTERRUPTED,
    DSC_ERROR_COUNT
} dsc_fetch_error_t;

const char *dsc_fetch_error_name(dsc_fetch_error_t error);

/* A body that may be fetched in several parts: what has arrived stays, and the rest is requested
 * the next time, by Range and If-Range. A file that has changed meanwhile is fetched from its
 * beginning. A companion file describes what is in `path` (follow/partial.h). */
typedef struct {
    apr_int64_t room;  /* bytes that it may have for now */
    apr_int64_t total; /* bytes that it has, by the response; -1: not stated */
    apr_int64_t come;  /* bytes that have come by this request */
    void (*progress)(void *baton, apr_int64_t size, apr_int64_t total); /* NULL: not checked */
    void *progress_baton;
} dsc_fetch_goes_t;

/* One request, and what has come of it. */
typedef struct {
    const char *url; /* as the publisher has it; a mirror takes its place on the way */
    const char *etag, *last_modified; /* of what is here already; NULL: of nothing */
    const char *path;                 /* where the body goes */
    apr_int64_t most;                 /* bytes that it may have */
    dsc_fetch_goes_t *goes;           /* NULL: it comes in one, or not at all */
    int status;                       /* 200, 304; 0: none */
    dsc_fetch_error_t error;
    const char *reason; /* of the error, in words */
    const char *got_etag, *got_last_modified;
    apr_time_t date;          /* by the publisher's clock; 0: not stated */
    apr_int64_t size;         /* of the body, decompressed */
    const char *content_hash; /* "sha256:..." of the body; NULL: of none */
} dsc_fetch_t;

typedef struct dsc_fetcher_t dsc_fetcher_t;

/* Makes a fetcher that asks within limits which `connection` keeps; both live in the pool. NULL if
 * the library fails. */
dsc_fetcher_t *dsc_fetcher_create(apr_pool_t *pool, const dsc_follow_options_t *options,
                                  dsc_connection_t *connection);

/* What is called every fifteen seconds while responses are waited for. */
void dsc_fetcher_on_wait(dsc_fetcher_t *fetcher, void (*wait)(void *baton), void *baton);

/* Fetches all of them, some at a time; texts go to `pool`. */
void dsc_fetch_all(dsc_fetcher_t *fetcher, apr_pool_t *pool,
                   const dsc_request_limit_t *request_limit, dsc_fetch_t *fetches, int count);

/* How many requests have been sent. */
long long dsc_fetcher_requests(const dsc_fetcher_t *fetcher);

/* A page, sent in place of a file, has said that too much was asked: nothing more is, for a
 * while. */
void dsc_fetcher_refused(dsc_fetcher_t *fetcher, const dsc_request_limit_t *request_limit,
                         const char *reason);

/* The address by which it is asked for. */
const char *dsc_fetch_mirrored(apr_pool_t *pool, const dsc_follow_options_t *options,
                               const char *url);

#endif
