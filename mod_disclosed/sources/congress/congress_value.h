/* Single values of periodic transaction reports, brought into the form that is stored. */
#ifndef DSC_CONGRESS_VALUE_H
#define DSC_CONGRESS_VALUE_H

#include <apr_pools.h>

/* All take text as a source has it, UTF-8 or NULL, and return NULL if it says nothing: empty, "--",
 * "N/A", "None". */

/* The text with its white space normalised; NULL if it is empty alone. */
const char *dsc_congress_line(apr_pool_t *pool, const char *text);

/* Plain text on one line: markup and entities resolved, white space normalised. */
const char *dsc_congress_text(apr_pool_t *pool, const char *text);

/* The first ticker in it, upper case, the class of shares behind a hyphen (BRK.B, BRK/B: BRK-B); it
 * may be in a link, and with a second one, of what an exchange brought. */
const char *dsc_congress_ticker(apr_pool_t *pool, const char *text);

/* self, spouse, joint, child (also of SP, JT, DC, Dependent Child), or what else it says, in lower
 * case. */
const char *dsc_congress_owner(apr_pool_t *pool, const char *text);

/* purchase, sale (Sale, Sale (Full)), sale_partial, exchange; "unknown" if it says nothing or
 * something else. */
const char *dsc_congress_type(apr_pool_t *pool, const char *text);

/* YYYY-MM-DD of month/day/year or of a date that begins with YYYY-MM-DD; NULL also if it is no day
 * of a calendar. */
const char *dsc_congress_date(apr_pool_t *pool, const char *text);

/* The report that an address names: its last part without ".pdf", lower case. *year is the year in
 * a part before it, 0 without. */
const char *dsc_congress_report_id(apr_pool_t *pool, const char *address, int *year);

#endif
