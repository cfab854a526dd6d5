/* Forms 3, 4 and 5 in the SEC's quarterly "Insider Transactions Data Sets": tables, in which a
 * form is identified by its accession number and the rows of its tables by keys that ascend in the
 * order of the form. */
#ifndef DSC_OWNERSHIP_SET_H
#define DSC_OWNERSHIP_SET_H

#include "loader/importer.h"
#include "sources/sec_ownership/ownership_document.h"
#include "sources/shared/report_tables.h"

enum {
    DSC_OWNERSHIP_TABLES = 7,
    DSC_OWNERSHIP_TABLE_OWNERS = 1,
    DSC_OWNERSHIP_TABLE_FOOTNOTES = 2,
    DSC_OWNERSHIP_TABLE_ROWS = 3 /* the first of those of transactions and holdings */
};

/* The tables that are taken; the first one leads. */
extern const dsc_report_table_t dsc_ownership_tables[DSC_OWNERSHIP_TABLES];

/* Whether a file of that name is a table of a data set, and the one that leads. */
int dsc_ownership_set_has(const char *name);
int dsc_ownership_set_leads(const char *name);

/* A form, and what only a data set says of it. */
typedef struct {
    dsc_ownership_document_t document;
    const char *location; /* of its line in the leading table */
    const char *filed_on; /* YYYY-MM-DD */
    int unreferenced,
        textless; /* how many footnotes nothing refers to, and references have no text */
    const char *lacking, *lacking_at; /* the id of a footnote that is not there, and a line that
                                         refers to it; NULL */
    int lines[DSC_OWNERSHIP_TABLES];  /* of each table; footnotes with a text alone */
} dsc_ownership_form_t;

/* Makes a form of its lines (dsc_table_line_t). `hashes` are the content hashes of the tables. NULL
 * and *reason if it is not whole; errors of single rows and owners are left in these. */
dsc_ownership_form_t *dsc_ownership_form_read(apr_pool_t *pool, const apr_array_header_t *lines,
                                              const char *const *hashes, const char **reason);

/* Loads the data set whose leading table the file is. */
apr_status_t dsc_load_ownership_set(dsc_loader_t *loader, dsc_import_file_t *file,
                                    const char **reason);

#endif
