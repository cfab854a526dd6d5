/* The SEC's quarterly "Financial Statement Data Sets", and the "Financial Statement and Notes"
 * ones: filings in sub, their facts in num, the definitions of elements in tag. In the latter,
 * facts name their dimensions by a hash, whose meaning is in dim. */
#ifndef DSC_STATEMENT_SET_H
#define DSC_STATEMENT_SET_H

#include "formats/name_set.h"
#include "sources/shared/report_tables.h"
#include "sources/shared/xbrl_report_record.h"

#include <apr_hash.h>

enum {
    DSC_STATEMENT_TABLES = 2,
    DSC_STATEMENT_TABLE_FACTS = 1
};

/* The tables that are taken; the first one leads. */
extern const dsc_report_table_t dsc_statement_tables[DSC_STATEMENT_TABLES];

/* Whether a file of that name is a table of a data set. */
int dsc_statement_set_has(const char *name);

/* What is said in num by other tables' words. */
typedef struct {
    apr_hash_t *dimensions; /* of dim: hash -> segments */
    apr_hash_t *per_share; /* of tag: elements that are amounts per share, by dsc_statement_tag() */
    dsc_name_set_t *tags;  /* of tag: all elements, by the same */
} dsc_statement_meaning_t;

/* What a line of num says. */
typedef struct {
    dsc_xbrl_fact_t fact;
    const char *error;  /* why it is no fact; NULL: nothing */
    const char *sample; /* the value that is wrong; may be NULL */
    int is_nil;         /* the filing says that there is no number */
} dsc_statement_line_t;

/* Reads the line of sub: what the filing says of itself, without facts. NULL and *reason if it is
 * no good. */
dsc_xbrl_report_t *dsc_statement_report(apr_pool_t *pool, const dsc_table_line_t *line,
                                        const char **reason);

/* The prefix of the filer's own elements: as the instance's name begins, "f-20100331.xml". */
const char *dsc_statement_prefix(apr_pool_t *pool, const dsc_table_line_t *line);

/* What an element is found by: its name and version. */
const char *dsc_statement_tag(apr_pool_t *pool, const char *tag, const char *version);

/* Reads a line of num. The sets leave out "/shares" behind currencies of amounts per share. */
void dsc_statement_fact(apr_pool_t *pool, const dsc_table_line_t *line, const char *prefix,
                        const dsc_statement_meaning_t *meaning, dsc_statement_line_t *read);

/* The segments of num or dim, "B=y;A=x;", as dimensions: "A=x;B=y". NULL: none. */
const char *dsc_statement_dimensions(apr_pool_t *pool, const char *segments,
                                     const char *coregistrant);

#endif
