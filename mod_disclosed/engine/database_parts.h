/* What database.c, which lends connections, and statement.c, which runs statements on them, have in
 * common. */
#ifndef DSC_DATABASE_PARTS_H
#define DSC_DATABASE_PARTS_H

#include "engine/database.h"
#include "engine/dbd_open.h"
#include "engine/fair_share.h"
#include "engine/outage.h"
#include "engine/statement_cache.h"

#include <apr_dbd.h>
#include <apr_reslist.h>
#include <stdatomic.h>

/* A connection keeps so many prepared statements; the one used least recently makes room. */
#define MAXIMUM_STATEMENTS 256

/* How statements are planned, see set_planning() in statement.c. */
typedef enum {
    NOT_SET,       /* of a new session */
    ONCE,          /* without their values */
    WITH_VALUES,   /* each time */
    OVER_SHARDS,   /* each time, reading the shards of a distributed PostgreSQL */
    WITHOUT_SHARDS /* with values, reading the coordinator's own tables */
} planning_t;

struct dsc_database_t {
    apr_pool_t *pool;
    dsc_database_config_t config;
    const apr_dbd_driver_t *driver;
    apr_reslist_t *connections;
    dsc_fair_share_t *share;    /* of these */
    dsc_fair_share_t *searches; /* NULL: there is no bound for them */
    const char *conninfo;
    const char *settings; /* SQL run on each new connection */
    dsc_outage_t outage;
    _Atomic int open, waiting;
    dsc_heard_t heard;       /* of the server */
    _Atomic int is_refusing; /* the server responded to the last attempt to connect, and refused */
    _Atomic unsigned long long prepared, reconnects, timeouts;
};

/* A place in the pool; connected only when used, outside of the pool's lock. */
typedef struct member_t member_t;
struct member_t {
    dsc_database_t *database;
    dsc_connection_t *connection;
    apr_pool_t *reasons; /* why it could not be connected */
    dsc_dbd_t link;      /* while it is connected; what is allocated for it is in its pool */
    dsc_statement_cache_t *statements; /* prepared on this connection */
    dsc_source_cache_t *sources;       /* read on this connection; NULL: none yet */
    dsc_statement_cache_t *refused;    /* that can't be planned over shards; NULL: none yet */
    planning_t planning;               /* of the session */
    int has_shards;                    /* and they are to be read; -1: not known yet */
    int was_large;                     /* a row was: see dsc_session_release() */
    int is_opening; /* whoever has it waits for its connection, or has just done so */
    member_t *next; /* see take_member() */
};

struct dsc_session_t {
    dsc_database_t *database;
    apr_pool_t *pool;
    member_t *member;        /* NULL: released */
    dsc_session_user_t user; /* whose shares it is of */
    int is_bound;            /* to its connection */
};

void dsc_database_log(dsc_database_t *database, int number, const char *text);

/* As DSC_MESSAGE_OUTAGE, unless that was logged a moment ago. */
void dsc_database_log_outage(dsc_database_t *database, const char *text);

#endif
