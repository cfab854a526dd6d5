/* Finds the items of a 10-K, 10-Q or 8-K in its text. */
#ifndef DSC_FILING_SECTIONS_H
#define DSC_FILING_SECTIONS_H

#include <apr_pools.h>
#include <apr_tables.h>

/* Offsets are in bytes of the text, the end is exclusive. */
typedef struct {
    const char *key; /* "item_1a", "item_9a_t", "part2_item_1a" (10-Q), "item_2_02" (8-K), "item_12"
                      * (8-K before August 2004) */
    const char *item; /* the number as the forms write it: "1A", "9A(T)", "2.02", "12" */
    const apr_array_header_t *others; /* items of an 8-K in the same heading; or NULL */
    const char *title;                /* the heading's own words; may be "" */
    size_t start;
    size_t end;
} dsc_section_t;

typedef enum {
    DSC_REPORT_NONE,
    DSC_REPORT_10K,
    DSC_REPORT_10Q,
    DSC_REPORT_8K
} dsc_report_t;

/* Which kind of report the form is; variants (10-K405, 10-KSB, 10-QT, 8-K/A, 8-K12B) count. */
dsc_report_t dsc_report_of(const char *form);

/* The sections (dsc_section_t) in the order of the text, each item once. Entries of a table of
 * contents, references within sentences and headings repeated on later pages are distinguished from
 * the heading proper; text before the first item belongs to no section, and signatures end the
 * last. */
apr_array_header_t *dsc_find_sections(apr_pool_t *pool, const char *text, dsc_report_t report);

/* The sections as a JSON array of {key, title, char_start, char_end}, offsets in code points. */
const char *dsc_sections_json(apr_pool_t *pool, const char *text,
                              const apr_array_header_t *sections);

#endif
