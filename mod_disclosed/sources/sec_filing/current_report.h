/* Form 8-K: its items, and which of its exhibits are earnings releases. */
#ifndef DSC_CURRENT_REPORT_H
#define DSC_CURRENT_REPORT_H

#include <apr_pools.h>
#include <apr_tables.h>

/* The number of an item from what a submission's header gives for it: a title ("Results of
 * Operations and Financial Condition"), in headers of the nineties the number itself. The numbers
 * of today are in force since 23 August 2004 (Release 33-8400); before that day the same titles
 * have those of the old form, 1 to 12. NULL if the title is not known. */
const char *dsc_item_number(const char *title, const char *filed_on);

/* The item numbers (const char *) of a report, sorted as text. `titles` are those of the header, ""
 * if the header has a blank one; `headed` (dsc_section_t) are the items found in the text, which
 * are taken as well if titles are blank or unknown, or the header has none. NULL if the items
 * are not known. */
apr_array_header_t *dsc_report_items(apr_pool_t *pool, const apr_array_header_t *titles,
                                     const apr_array_header_t *headed, const char *filed_on);

/* Whether the items say that the report furnishes results: 2.02, or 12 in the old form. */
int dsc_items_have_results(const apr_array_header_t *items, const char *filed_on);

/* Whether the items are known, and say that the report furnishes no results. Those of the old form
 * do not say it: its Item 12 came late. */
int dsc_items_have_none(const apr_array_header_t *items, const char *filed_on);

/* The items of another form, sorted as text: the header has numbers, 06b and 3C.7 of Form D. NULL
 * if there are none, or one is a text. */
apr_array_header_t *dsc_other_items(apr_pool_t *pool, const apr_array_header_t *given);

/* Whether the text is plainly a release of results: its beginning says that results of a quarter
 * or year are reported, and it goes on to give revenue or sales and income or loss. */
int dsc_is_results_release(const char *text);

/* Whether exhibits of that type can be an earnings release: EX-99.1 and EX-99.2, and EX-99, as
 * filings before 2001 name a single one. */
int dsc_is_release_exhibit(const char *type);

#endif
