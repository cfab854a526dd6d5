/* Which records the trades of a file are. */
#ifndef DSC_CONGRESS_IDENTITY_H
#define DSC_CONGRESS_IDENTITY_H

#include "sources/congress/congress_date.h"

#include <jansson.h>

/* Sets record_key and party of the trades of the reports (of dsc_congress_report_t *) that can be taken, and
 * what they say in the words that are stored. A trade that is known from when it is loaded, and is
 * stored verbatim, is known from when it was stored.
 *
 * A trade is known by what it says, so that neither a dump that leaves rows out nor the order of files
 * makes others of it. What that is, identify_congress_trades() of the database knows, since stored
 * rows are read with it as well. `read_from` is the column's value: "copy". */
apr_status_t dsc_congress_identify(dsc_loader_t *loader, int is_house, const char *read_from,
                                   const apr_array_header_t *reports);

/* ---- what the database is asked with */

/* Sets a member, unless the text is NULL, or no UTF-8. */
void dsc_congress_set_text(json_t *object, const char *name, const char *text);

/* What a trade says, as the database's functions take it. */
json_t *dsc_congress_row_json(const dsc_congress_report_t *report,
                              const dsc_congress_trade_t *trade, const char *read_from, int number);

/* The JSON as text, which the pool frees; ends the JSON. */
const char *dsc_congress_json_text(apr_pool_t *pool, json_t *json);

#endif
