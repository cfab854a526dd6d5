/* One element of an N-PORT document as values. Internal to the files nport_*. */
#ifndef DSC_NPORT_HOLDING_H
#define DSC_NPORT_HOLDING_H

#include "sources/sec_nport/nport_document.h"
#include "sources/shared/ownership_xml.h"

#include <jansson.h>

/* Reads a table of fields from an element. A path may end in "@attribute"; the first of several
 * fields of one slot that has a value fills it. N/A is no value, Y and N are booleans. The first
 * error is kept in *error, its text in *sample. */
void dsc_nport_read(apr_pool_t *pool, xmlNode *element, const dsc_owned_field_t *fields, int count,
                    void *into, const char **error, const char **sample);

/* Reads an invstOrSec element; number and location are the caller's. */
void dsc_nport_read_holding(apr_pool_t *pool, xmlNode *element, dsc_nport_holding_t *holding);

/* Takes a holding's CUSIP; what has not the form of one goes to the others. Nine zeros stand for a
 * security without a CUSIP (Form N-PORT, item C.1.d). */
void dsc_nport_cusip(apr_pool_t *pool, dsc_nport_holding_t *holding, json_t *others);

/* Takes a further identifier. An ISIN that has its form is the holding's, which two of them make
 * faulty; of tickers the first one is. All others are kept, under their description. */
void dsc_nport_identifier(apr_pool_t *pool, const char *kind, const char *value,
                          const char *description, dsc_nport_holding_t *holding, json_t *others);

/* The others as they are stored, NULL for none; the list is freed. */
const char *dsc_nport_others(apr_pool_t *pool, json_t *others);

#endif
