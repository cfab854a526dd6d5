/* The meaning of a failed statement for its caller. */
#ifndef DSC_SQLSTATE_H
#define DSC_SQLSTATE_H

typedef enum {
    DSC_DATABASE_OK,
    DSC_DATABASE_UNAVAILABLE, /* 503: no connection, none free in time, or no response in time */
    DSC_DATABASE_SHARED,      /* 429: the account has its share of the connections in use */
    DSC_DATABASE_TIMEOUT,     /* 504: PostgreSQL ended the statement after statement_timeout */
    DSC_DATABASE_ERROR        /* 500: the statement failed; it was logged */
} dsc_database_status_t;

typedef enum {
    DSC_FAILED_STATEMENT, /* the connection is good */
    DSC_LOST_CONNECTION,  /* another connection may do better */
    DSC_SILENT_SERVER     /* no response before our deadline; the connection was closed */
} dsc_failure_kind_t;

typedef struct {
    const char *state; /* a SQLSTATE or its first characters; NULL ends the table */
    dsc_failure_kind_t kind;
    dsc_database_status_t status;
} dsc_sqlstate_t;

/* The meaning of a SQLSTATE that the server has sent: the first row of the table that fits it. NULL
 * or "" is what libpq itself says of a connection that broke. Never NULL. */
const dsc_sqlstate_t *dsc_sqlstate_find(const char *state);

/* What an error of a statement over shards says of them. */
typedef enum {
    DSC_SHARDS_OTHERS = 0, /* nothing: it is about its values */
    DSC_SHARDS_NOW,        /* they may just be made again */
    DSC_SHARDS_NEVER /* it can't be taken apart for the workers, or calls there what none of them
                        has */
} dsc_shards_t;

dsc_shards_t dsc_shards_refuse(const char *state);

#endif
