/* Checks that an answer says nothing that its sources do not. */
#ifndef DSC_ASK_CHECK_H
#define DSC_ASK_CHECK_H

#include <apr_tables.h>

/* Whether every number of a sentence is in one of the sources (of const char *): "1,234.5" as a
 * whole, with its sign, and with the unit behind it if that scales it (million, billion, %,
 * percent). Numbers of markers, "[1]", are none. */
int dsc_ask_numbers_are_sourced(apr_pool_t *pool, const char *sentence,
                                const apr_array_header_t *sources);

/* Whether the quote is in the text, white space folded. An empty one does not. */
int dsc_ask_quote_is_verbatim(apr_pool_t *pool, const char *quote, const char *text);

#endif
