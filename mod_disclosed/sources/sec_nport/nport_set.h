/* Form N-PORT in the SEC's quarterly "Form N-PORT Data Sets": tables, in which a report is
 * identified by its accession number and its holdings by ascending keys. */
#ifndef DSC_NPORT_SET_H
#define DSC_NPORT_SET_H

#include "loader/importer.h"
#include "sources/sec_nport/nport_document.h"
#include "sources/shared/report_tables.h"

enum {
    DSC_NPORT_TABLES = 5,
    DSC_NPORT_TABLE_HOLDINGS = 3,
    DSC_NPORT_TABLE_IDENTIFIERS = 4
};

/* The tables that are taken; the first one leads. */
extern const dsc_report_table_t dsc_nport_tables[DSC_NPORT_TABLES];

/* Whether a file of that name is a table of a data set. */
int dsc_nport_set_has(const char *name);

/* A report of a data set. */
typedef struct {
    dsc_nport_report_t report;
    const char *filed_on;
    apr_array_header_t *holdings; /* const dsc_table_line_t *, in the order of their keys */
    apr_array_header_t
        *others; /* the same of their further identifiers, in the order of the holdings' keys */
} dsc_nport_set_report_t;

/* Makes a report of its lines (dsc_table_line_t). NULL and *reason if it is not whole. */
dsc_nport_set_report_t *dsc_nport_set_read(apr_pool_t *pool, const apr_array_header_t *lines,
                                           const char **reason);

/* Reads the holding of that place among the report's, from 0. `next` is the first of the further
 * identifiers that none before it has, and is moved on. */
void dsc_nport_set_holding(apr_pool_t *pool, const dsc_nport_set_report_t *report, int place,
                           int *next, dsc_nport_holding_t *holding);

/* Loads the data set whose leading table the file is. */
apr_status_t dsc_load_nport_set(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason);

#endif
