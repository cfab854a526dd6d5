/* When to connect to a database that may be down, which connections to trust, and how often an
 * outage is logged: one of these for all connections of a pool. Times are of dsc_monotonic_now(),
 * in microseconds, and given by the caller. Safe in several threads; all zeros is a database that
 * is up. */
#ifndef DSC_OUTAGE_H
#define DSC_OUTAGE_H

#include <apr_time.h>
#include <stdatomic.h>

typedef struct {
    _Atomic apr_time_t down_until;       /* nothing connects before; 0: the database is up */
    _Atomic apr_time_t seen_up;          /* when connecting succeeded last; 0: it never did */
    _Atomic apr_time_t distrusted_until; /* what was heard of a connection before does not count */
    _Atomic apr_time_t next_log;
} dsc_outage_t;

/* When a server was heard last, and when somebody first wanted to ask it something since: while
 * nothing is asked of it, it has nothing to say. All zeros: it has not been asked. */
typedef struct {
    _Atomic apr_time_t answered_at, asked_at;
} dsc_heard_t;

/* A clock that is never set; all deadlines use it. */
apr_time_t dsc_monotonic_now(void);

/* Whether the caller may connect. While the database is up, every caller may. After a failure,
 * none may for 200 ms, and then one in each half second, which reports its result by one of the
 * next two functions. The others fail at once instead of queueing. */
int dsc_outage_may_connect(dsc_outage_t *outage, apr_time_t now);

/* Connecting that began then has failed, which says nothing if it succeeded meanwhile; or it has
 * succeeded. */
void dsc_outage_failed(dsc_outage_t *outage, apr_time_t began, apr_time_t now);
void dsc_outage_over(dsc_outage_t *outage, apr_time_t now);

/* A statement sent at that time was never responded to: connections that have not responded since
 * are likely to be as dead, and are replaced instead of being waited for. */
void dsc_outage_distrust(dsc_outage_t *outage, apr_time_t sent_at);

/* Whether a connection that has last responded at that time is to be used. */
int dsc_outage_trusts(const dsc_outage_t *outage, apr_time_t answered_at);

/* Whether to log an outage now: at most once in five seconds. */
int dsc_outage_may_log(dsc_outage_t *outage, apr_time_t now);

/* Notes that something is to be asked; that the server has answered. */
void dsc_heard_asking(dsc_heard_t *heard);
void dsc_heard_answer(dsc_heard_t *heard);

/* For how long it has been silent. */
apr_interval_time_t dsc_heard_silence(const dsc_heard_t *heard);

#endif
