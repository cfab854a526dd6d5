/* Asking publishers for files: https, connections kept, bodies compressed on their way, none taken that is not whole. */
#ifndef DSC_FOLLOW_FETCH_H
#define DSC_FOLLOW_FETCH_H

#include "engine/connection.h"
#include "follow/follow.h"
#include "follow/follow_table.h"

/* What a failure is counted as; its name stands in tables, metrics and messages. */
typedef enum {
    DSC_FAULT_NONE,
    DSC_FAULT_DNS,
    DSC_FAULT_CONNECTION,
    DSC_FAULT_TLS,
    DSC_FAULT_TIMEOUT,
    DSC_FAULT_TRUNCATED,
    DSC_FAULT_TOO_LARGE,
    DSC_FAULT_REDIRECT,
    DSC_FAULT_REFUSED,  /* 403, 429, or a page that says so: nothing more is asked for a while */
    DSC_FAULT_PAUSED,   /* not asked, since the publisher has refused another */
    DSC_FAULT_MISSING,  /* 404, 410 */
    DSC_FAULT_SERVER,   /* 5xx */
    DSC_FAULT_RESPONSE, /* anything else that HTTP may say */
    DSC_FAULT_BLOCKED,  /* a page in place of the file, with status 200 */
    DSC_FAULT_DAMAGED,  /* the body is not what it should be, or not all of it */
    DSC_FAULT_OTHER,    /* it is another document than was asked for */
    DSC_FAULT_CLOCK,    /* it tells a time that lies ahead */
    DSC_FAULT_DISK,
    DSC_FAULT_IMPORT,
    DSC_FAULT_DATABASE,
    DSC_FAULT_INTERRUPTED,
    DSC_FAULT_COUNT
} dsc_fault_t;

const char *dsc_fault_name(dsc_fault_t fault);

/* One request, and what has come of it. */
typedef struct {
    const char *url; /* as the publisher has it; a mirror takes its place on the way */
    const char *etag, *last_modified; /* of what is here already; NULL: of nothing */
    const char *path;                 /* where the body goes */
    apr_int64_t most;                 /* bytes that it may have */
    /* ranges: what is there already, at the beginning of `path`, of the file with `etag` or `last_modified` */
    apr_int64_t from;
    int status; /* 200, 206, 304; 0: none */
    dsc_fault_t fault;
    const char *reason; /* of the fault, in words */
    const char *got_etag, *got_last_modified;
    apr_time_t date;          /* by the publisher's clock; 0: not told */
    apr_int64_t size;         /* of the body, decompressed */
    const char *content_hash; /* "sha256:..." of the body; NULL: of none, or of a part */
} dsc_fetch_t;

typedef struct dsc_fetcher_t dsc_fetcher_t;

/* Makes a fetcher that asks within limits which `connection` keeps; both live in the pool. NULL where the library fails. */
dsc_fetcher_t *dsc_fetcher_create(apr_pool_t *pool, const dsc_follow_options_t *options,
                                  dsc_connection_t *connection);

/* Fetches all of them, some at a time; texts go to `pool`. */
void dsc_fetch_all(dsc_fetcher_t *fetcher, apr_pool_t *pool, const dsc_follow_manners_t *manners,
                   dsc_fetch_t *fetches, int count);

/* How many requests have been sent. */
long long dsc_fetcher_requests(const dsc_fetcher_t *fetcher);

/* A page, sent in place of a file, has said that too much was asked: nothing more is, for a while. */
void dsc_fetcher_refused(dsc_fetcher_t *fetcher, const dsc_follow_manners_t *manners,
                         const char *reason);

/* The address by which it is asked for. */
const char *dsc_fetch_mirrored(apr_pool_t *pool, const dsc_follow_options_t *options,
                               const char *url);

#endif
