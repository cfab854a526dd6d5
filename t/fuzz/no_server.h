/* A libpq connection without a server: the functions of libpq that talk to one are defined here,
 * and take the place of the library's in programs that link this file. What the loader asks is
 * answered as an empty database would; what it copies is handed to a sink, row by row. So
 * importers, the loader and its SQL run as they are, and what they would store can be looked at. */
#ifndef DSC_NO_SERVER_H
#define DSC_NO_SERVER_H

#include "engine/connection.h"

#include <apr_time.h>
#include <stddef.h>

/* A connection to it. */
dsc_connection_t *dsc_no_server(apr_pool_t *pool);

/* Called for each row that is copied: `table` is its temporary table ("stage_insider") or
 * "import_reject", `row` its text without the line feed. NULL: nothing is called. */
typedef void dsc_sink_t(void *baton, const char *table, const char *row, size_t length);
void dsc_no_server_sink(dsc_sink_t *function, void *baton);

/* What the tables' columns are, from a file of lines "table, column, NOT NULL (t/f), default, in a
 * B-tree (t/f)" with tabs between; without it no column is required. 0: it cannot be read. */
int dsc_no_server_describe(const char *path);

/* Lets the clock that importers read begin at an instant, as a file that tells no time is of that
 * of its load; 0: sets it right again. */
void dsc_no_server_clock(apr_time_t begin);

#endif
