/* The SEC's data sets: tab-delimited tables of many reports, in a folder or archive. Lines of a
 * report lie anywhere in them, so they are set aside in a temporary file and handed out report by
 * report. */
#ifndef DSC_REPORT_TABLES_H
#define DSC_REPORT_TABLES_H

#include "loader/importer.h"
#include "sources/shared/ownership_xml.h"

#include <apr_tables.h>

/* A column that is taken, by the names that it has had: lower case, letters and digits alone;
 * NULL-terminated. */
typedef struct {
    const char *const *names;
    int is_needed; /* a table without it is refused */
} dsc_table_column_t;

typedef struct {
    const char *name; /* "REPORTINGOWNER" */
    const dsc_table_column_t *columns;
    int column_count;
    int has_keys; /* the first column is a number by which lines of the table behind it are known;
                     each once */
    int by_key;   /* lines have such a key first, and no accession number */
    const char *
        accession; /* what the column with the accession number is called; NULL: ACCESSION_NUMBER */
    int needs_rows;  /* a set is refused in which the table has none */
    const char *day; /* of the first table: the name of the column by which the SEC sorts the
                        others; NULL: none */
} dsc_report_table_t;

/* A line of a report. */
typedef struct {
    int table;                 /* index in the tables */
    const char *location;      /* "REPORTINGOWNER.tsv line 12" */
    const char *const *fields; /* by the table's columns; NULL if it is empty */
} dsc_table_line_t;

typedef struct {
    const char *accession;
    int is_damaged;      /* a line of it is */
    apr_uint64_t twin;   /* a key of it that another line has as well; 0: none */
    apr_uint64_t length; /* of its lines */
    apr_uint64_t last;   /* where the last of them begins, from 1; the tables' own */
    int day;             /* 20240731; 0: not stated */
    unsigned tables;     /* bits: those that have lines of it */
} dsc_tables_report_t;

typedef struct dsc_report_tables_t dsc_report_tables_t;

/* Whether a file, by its name, is the table: "INFOTABLE.tsv", "infotable.tsv.gz". A table in lower
 * case may be "sub.txt" as well. */
int dsc_is_table_file(const char *file, const char *table);

/* The name of a table's file among those of a folder; NULL: it is not there. */
const char *dsc_table_file(const apr_array_header_t *companions, const char *table);

/* The same as *name. 0 and *reason if two files are the table ("sub.txt" and "SUB.txt"): nobody
 * knows which one counts. */
int dsc_table_find(apr_pool_t *pool, const apr_array_header_t *companions, const char *table,
                   const char **name, const char **reason);

/* Where the file's folder has the table that leads the others: DSC_IMPORT_AS_COMPANION; else
 * APR_EGENERAL. *reason says it. */
apr_status_t dsc_load_with_table(dsc_loader_t *loader, const dsc_import_file_t *file,
                                 const char *leading, const char **reason);

/* A field as it is stored: checked against its type; 31-JUL-2024 is a date, 250000.0 is 250000.
 * NULL if it is empty, or is wrong and *error says how, of what is called `name`. */
const char *dsc_table_value(apr_pool_t *pool, const char *name, const char *field,
                            dsc_owned_type_t type, const char **error);

/* Keeps documents of a kind from being loaded while a data set of them is, and the other way
 * round, to the end of the file: each reads what is stored of the other. A load that holds a lock
 * of those that are taken at the end never waits for this one. */
apr_status_t dsc_data_set_lock(dsc_loader_t *loader, const char *kind, int is_set);

/* Reads all tables, which are companions of the file; the first one names the reports. Lines that
 * are damaged, or of no report, are rejected. NULL, *reason and *status if a table is missing or
 * damaged. Texts that contain quotes are in quotes, which are removed. */
dsc_report_tables_t *dsc_report_tables_read(dsc_loader_t *loader, const dsc_import_file_t *file,
                                            const dsc_report_table_t *tables, int count,
                                            apr_status_t *status, const char **reason);

/* The reports (dsc_tables_report_t), in the order of the first table. */
const apr_array_header_t *dsc_report_tables_list(const dsc_report_tables_t *set);

/* The lines (dsc_table_line_t) of a report, by tables, and each table's in its order. NULL and
 * *reason if the temporary file cannot be read. */
apr_array_header_t *dsc_report_tables_lines(const dsc_report_tables_t *set, apr_pool_t *pool,
                                            const dsc_tables_report_t *report, const char **reason);

/* Why a report is no good whose lines are damaged, by the lines of it; NULL: they are not. */
const char *dsc_report_tables_damage(const dsc_report_tables_t *set, apr_pool_t *pool,
                                     const dsc_tables_report_t *report,
                                     const apr_array_header_t *lines);

/* Rejects all lines of a report that is no good. */
apr_status_t dsc_report_tables_reject(dsc_loader_t *loader, const apr_array_header_t *lines,
                                      const char *accession, const char *reason);

/* Whether no line of the set was without a report. Else each report may lack one: what is stored of
 * it does not end, and what would be replaced as one is not by less. */
int dsc_report_tables_are_whole(const dsc_report_tables_t *set);

/* Whether the table shows that all lines of the report are there, because it goes on behind them: a
 * table that is cut at a line end lacks its tail, and looks whole. It goes on if the lines of each
 * report lie together, and its last line is another one's; or if it is sorted by the day, as the
 * SEC's are, and ends with another day; of a set of one day, if it has the order of the first
 * table. */
int dsc_report_tables_goes_on(const dsc_report_tables_t *set, int table,
                              const dsc_tables_report_t *report);

/* The content hash of a table. */
const char *dsc_report_tables_hash(const dsc_report_tables_t *set, int table);

#endif
