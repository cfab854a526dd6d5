/* A call: one request on its way through the engine. */
#ifndef DSC_CALL_H
#define DSC_CALL_H

#include "engine/body.h"
#include "engine/buffer.h"
#include "engine/database.h"
#include "engine/media.h"
#include "engine/member.h"
#include "engine/operation.h"

struct dsc_call_t;

/* What all calls of a virtual host share. */
typedef struct dsc_service_t {
    const dsc_registry_t *registry;
    dsc_database_t
        *database; /* the primary: what is written to, and read from if no replica is fit */
    struct dsc_replicas_t *replicas;          /* that reads go to; NULL: none */
    const unsigned char *cursor_key;          /* 32 bytes, from the server secret */
    const unsigned char *previous_cursor_key; /* NULL, or the one before, during an overlap */
    const char *base_url;                     /* without a slash at the end */
    const char *docs_url;
    const char *portal_url; /* where keys are had; NULL: not stated */
    const int
        *costs; /* ask credits of each operation, by its index; NULL: as the tables have them */
    /* What is announced of each operation, by its index: NULL, or that it is deprecated. NULL:
     * nothing is. */
    const struct dsc_deprecation_t *const *deprecations;
    dsc_enabled_t enabled;
    void *enabled_baton;
    /* Version of a dataset as last seen; 0: not known now, so responses carry no ETag. */
    unsigned long long (*version)(int dataset, void *baton);
    /* Whether a replica, by its number, can be reached and lags no more than is allowed. */
    int (*replica_is_fit)(int replica, void *baton);
    /* A call has given up waiting for it: 1: for longer than a server lets statements run, or in
     * the middle of a response; 0: for as long as the call could. */
    void (*replica_was_silent)(int replica, int too_long, void *baton);
    void *watch_baton; /* of the three */
    /* Sets call->company from a symbol: 1, or 0 with the response set to a 404 or another
     * problem. */
    int (*find_company)(struct dsc_call_t *call, const char *symbol);
    struct dsc_descriptions_t *descriptions; /* that have been made; NULL: each is made again */
    const void
        *handlers; /* what handlers of other layers share, in their own words; NULL: nothing */
    const struct dsc_ask_model_t *ask_model; /* what words ask answers; NULL: rules alone */
    void (*ask_model_failed)(struct dsc_call_t *call, const char *error); /* NULL, or logs it */
    /* Reserves the credits that the call costs: 1, or 0 with the response set to a 402 or another
     * problem; and ends the reservation of a call that has one, when its response is made. */
    int (*reserve)(struct dsc_call_t *call);
    void (*settle)(struct dsc_call_t *call);
    /* The cached response of that tag: 1 with status, type and next_cursor set, while the cache
     * has the body; and caches the call's response. Both NULL: nothing is cached. */
    int (*recall)(struct dsc_call_t *call, const char *etag);
    void (*keep)(struct dsc_call_t *call);
} dsc_service_t;

/* Who calls. */
typedef struct {
    const char *key_id;
    const char *plan;
    int page_cap;              /* most rows in a page; 0: no cap */
    int export_cap;            /* most rows in a response of lines; 0: no cap */
    const char *lacking_facts; /* the least plan that may read all facts, if this one may not;
                                  otherwise NULL */
    uint64_t account;          /* whose credits are spent */
    uint32_t database_slot;    /* of the account's database */
    uint64_t credits;          /* the account's, in a month */
    int credit_cost;           /* of this call; 0: nothing */
} dsc_caller_t;

/* Which server a call reads from, see engine/replicas.h. */
typedef struct {
    int replica;                 /* its number from 1 on; 0: the primary, or none yet */
    uint64_t tried;              /* a bit for each that failed, or lacks what is needed */
    apr_time_t deadline;         /* of the session, and of one on another server in its place */
    unsigned long long position; /* what a server must have replayed; 0: anything will do */
    int is_behind;               /* one that was read lacks what the primary has */
    const char
        *withheld; /* the tag that the response would have had; NULL: none, or not withheld */
} dsc_reading_t;

typedef struct {
    long long issuer_id;
    const char *symbol, *ticker, *market, *name, *cik, *isin, *figi;
} dsc_company_t;

/* A body that stays as long as the process serves requests, with its tag. */
typedef struct {
    dsc_slice_t body;
    const char *etag;
} dsc_kept_body_t;

typedef struct dsc_call_t {
    apr_pool_t *pool;
    apr_pool_t *page_pool; /* of the page of a long export that is being read; NULL: none is */
    const dsc_service_t *service;
    const char *request_id;
    const char *method;
    const char *path;          /* decoded */
    const char *query;         /* raw; may be NULL */
    const char *if_none_match; /* NULL: not sent */
    const char *accept;        /* NULL: anything */
    int is_strict; /* what the endpoint does not take is refused (RFC 7240, handling=strict) */
    dsc_body_t request_body;     /* of endpoints that take one */
    const json_t *request_json;  /* it, parsed; NULL: there is none */
    const char *idempotency_key; /* of DSC_IDEMPOTENT endpoints; NULL: none is sent */
    const char *trace_parent;    /* W3C trace context, to pass on; NULL: none */
    const char *trace_state;
    const dsc_caller_t *caller;

    dsc_route_t route;
    const dsc_endpoint_t *endpoint;
    dsc_value_t *values;         /* one for each parameter of the endpoint */
    dsc_session_t *session;      /* while SQL is run */
    dsc_reading_t reading;       /* where from */
    apr_time_t deadline;         /* of what is read first; 0: the time that all reading has */
    dsc_company_t company;       /* of the path's symbol */
    const char *as_of;           /* NULL: now */
    int scale;                   /* power of ten that `unit` takes off: 0, 3, 6, 9 */
    const char *reservation;     /* of credits; NULL: none are held */
    long long credits_remaining; /* in addition to those reserved; 0 if none are */
    void *caching;               /* what `recall` and `keep` know of the request */
    dsc_media_t format;          /* of rows */
    dsc_members_t *members;      /* that items are shown with; NULL: all */
    dsc_buffer_t *item;          /* room for one, while members are chosen */
    const char *etag;            /* NULL: the response has none */

    /* Sends the response so far, its headers first, and empties the body; 0 if the client has
     * stopped reading. NULL: the response is sent as a whole. */
    int (*flush)(struct dsc_call_t *call);
    void *flush_baton;
    /* Whether a response of several pieces may begin; 0 with the response set if it may not. NULL:
     * always. */
    int (*begin_export)(struct dsc_call_t *call);
    /* Whether a response of one piece may be sent, asked before it is paid for; 0 with another
     * response set. NULL: it may. */
    int (*may_send)(struct dsc_call_t *call);
    int is_export;      /* it has begun */
    apr_int64_t sent;   /* bytes of it, */
    apr_time_t sending; /* and how long its client took for them */
    int is_started;     /* headers are sent: status and headers can no longer change */

    int status;
    const char *content_type;
    apr_table_t *headers;
    const char *next_cursor;     /* of a list that goes on; NULL: it does not */
    dsc_buffer_t *body;          /* NULL: no body */
    const dsc_kept_body_t *kept; /* what is sent in its place; NULL: nothing */
} dsc_call_t;

/* The type of bodies. */
#define DSC_JSON "application/json"

/* Most rows of a response of lines, whatever the plan allows. */
#define DSC_MOST_EXPORT 100000

/* Responds to a routed and authenticated call: parameters, ETag, SQL, JSON. Sets status,
 * content_type, headers and body. */
void dsc_call_respond(dsc_call_t *call);

/* The tag of a body: W/"<32 hex>" of its digest, in the body's pool. */
const char *dsc_etag_of(const dsc_buffer_t *body);

/* Sets the headers of a 200 that are known when its status is: ETag and Link. */
void dsc_call_finish(dsc_call_t *call);

/* The value of the parameter of that name; one that the endpoint does not have aborts. */
const dsc_value_t *dsc_call_value(const dsc_call_t *call, const char *name);

/* Runs a SELECT on the call's connection, acquired when first needed. On failure the call's
 * response is the problem that fits and 0 is returned. */
int dsc_call_select(dsc_call_t *call, const dsc_statement_t *statement, dsc_result_t **result);

/* The account that calls; 0: the server itself, as what it sends to webhooks. */
static inline uint64_t dsc_call_account(const dsc_call_t *call)
{
    return call->caller ? call->caller->account : 0;
}

/* The same among the accounts of all databases that the process serves: accounts of two may have
 * the same id. */
static inline uint64_t dsc_call_process_account(const dsc_call_t *call)
{
    uint64_t database_slot = call->caller ? call->caller->database_slot : 0;
    return database_slot << 56 | dsc_call_account(call);
}

/* Where what is asked of the database, and its result, live. */
static inline apr_pool_t *dsc_call_query_pool(const dsc_call_t *call)
{
    return call->page_pool ? call->page_pool : call->pool;
}

/* Runs a statement that writes, on the primary. Its connection is the call's from then on, so that
 * what is stored can be read without a wait for another one; if the call has one already, it is
 * released at once. The call's response stays as it is whatever its result. */
dsc_database_status_t dsc_call_change(dsc_call_t *call, const dsc_statement_t *statement,
                                      dsc_result_t **rows);

/* Selects the fields of a shape: `tail` is the text behind FROM, with "{now:x}" and each "?" bound
 * to `value` as `type`. Returns as dsc_call_select does. */
int dsc_call_select_shape(dsc_call_t *call, const dsc_shape_t *shape, const char *tail,
                          const char *type, const char *value, dsc_result_t **result);

/* Makes the call's response the 422 of these errors (of dsc_validation_error_t). */
void dsc_call_validation_errors(dsc_call_t *call, const apr_array_header_t *errors);

/* Makes the call's response the problem that fits a failure of the database. */
void dsc_call_database_problem(dsc_call_t *call, dsc_database_status_t status);

/* Releases the connection before the body is written out. */
void dsc_call_release(dsc_call_t *call);

/* Appends the company reference. */
void dsc_company_write(dsc_buffer_t *body, const dsc_company_t *company);

/* The condition that a version behind `alias` is in force; appended to `sql`, with its values to
 * `bound` (of const char *). */
void dsc_call_in_force(const dsc_call_t *call, dsc_buffer_t *sql, apr_array_header_t *bound,
                       const char *alias);

#endif
