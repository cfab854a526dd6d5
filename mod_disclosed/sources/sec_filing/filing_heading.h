/* Lines of a report that may be headings: of an item, of a part, of the signatures. */
#ifndef DSC_FILING_HEADING_H
#define DSC_FILING_HEADING_H

#include "sources/sec_filing/filing_sections.h"

#include <apr_tables.h>

/* The report in which headings are looked for. */
typedef struct {
    apr_pool_t *pool;
    dsc_report_t report;
    int typewritten; /* its lines are as wide as a page */
} dsc_report_text_t;

typedef struct {
    const char *item;           /* "1A", "9A(T)", "2.02"; NULL: the line names no item */
    apr_array_header_t *others; /* const char *: items of an 8-K in the same heading, or NULL */
    const char *title;          /* "" if there is none */
    int part;                   /* 1 to 4 if the line begins a part; else 0 */
    int ends_report;            /* the heading of the signatures */
    int numbered;               /* a page number follows the title */
    int answered;               /* the answer follows the title on the same line: "None" */
    const char *end;            /* of the heading, which may go on over several lines */
} dsc_heading_t;

/* Reads the line from `line` to the line end `end` as a heading. `before` is the line before it, of
 * `before_length` bytes without white space at its end. 0 if it is none. */
int dsc_read_heading(const dsc_report_text_t *text, const char *line, const char *end,
                     const char *before, size_t before_length, dsc_heading_t *heading);

/* Where the item is among those of its part, to compare. */
int dsc_item_order(const char *item);

#endif
