/* Which records the trades of a file are. */
#ifndef DSC_CONGRESS_IDENTITY_H
#define DSC_CONGRESS_IDENTITY_H

#include "engine/buffer.h"
#include "sources/congress/congress_date.h"

/* Sets record_key and party of the trades of the reports (of dsc_congress_report_t *) that can be
 * taken, and what they say in the words that are stored. A trade that is known from when it is
 * loaded, and is stored verbatim, is known from when it was stored.
 *
 * A trade is known by what it says, so that neither a dump that leaves rows out nor the order of
 * files makes others of it. What that is, identify_congress_trades() of the database knows, because
 * stored rows are read with it as well. `read_from` is the column's value: "copy". */
apr_status_t dsc_congress_identify(dsc_loader_t *loader, int is_house, const char *read_from,
                                   const apr_array_header_t *reports);

/* ---- what the database is asked with */

/* Adds a member to an object that has one, unless the text is NULL, or no UTF-8: that is rejected
 * with its record. */
void dsc_congress_add_text(dsc_buffer_t *object, const char *name, const char *text);

/* Adds members to a trade's object. */
typedef void (*dsc_congress_tell_t)(dsc_buffer_t *object, const dsc_congress_trade_t *trade);

/* The trades that can be taken, as a JSON array of what they say, which the pool frees: as the
 * database's functions take it. `trades`, unless NULL, gets them in the same order. With `tell`, of
 * those that are identified, and with what it adds. */
const char *dsc_congress_rows_json(apr_pool_t *pool, const apr_array_header_t *reports,
                                   const char *read_from, dsc_congress_tell_t tell,
                                   apr_array_header_t *trades);

#endif
