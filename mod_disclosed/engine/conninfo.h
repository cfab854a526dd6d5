/* Connection strings of libpq, completed by the settings that detect a dead server. */
#ifndef DSC_CONNINFO_H
#define DSC_CONNINFO_H

#include <apr_pools.h>
#include <apr_tables.h>

/* A parameter and the value that it gets if the string does not name it. */
typedef struct {
    const char *keyword, *value;
} dsc_conninfo_default_t;

/* For a server: a connection on which PostgreSQL does not respond is given up in seconds. Ends with
 * NULL. */
extern const dsc_conninfo_default_t dsc_conninfo_server[];

/* For a command, which may wait longer. */
extern const dsc_conninfo_default_t dsc_conninfo_command[];

/* The string (keywords and values, or a URI) with `defaults` for what it does not name; values in a
 * service file are not seen, so that these come before them. A connect_timeout that means to wait
 * for ever counts as not named. What libpq cannot read is returned as it is: connecting says
 * why. */
const char *dsc_conninfo_complete(apr_pool_t *pool, const char *conninfo,
                                  const dsc_conninfo_default_t *defaults);

/* Why libpq would refuse the string when it connects, as far as the string alone shows: "has 2
 * hosts and 3 ports: ..."; NULL: it would not. A string that libpq cannot read is not its
 * concern. */
const char *dsc_conninfo_error(apr_pool_t *pool, const char *conninfo);

/* One server of a connection string that may name several. */
typedef struct {
    const char *conninfo; /* the string with that host, and its port, alone */
    const char *name;     /* host:port, as far as the string has them */
} dsc_conninfo_host_t;

/* The servers of a string, at least one: of dsc_conninfo_host_t. Those of a service file count as
 * one, as libpq finds them. */
apr_array_header_t *dsc_conninfo_hosts(apr_pool_t *pool, const char *conninfo);

#endif
