/* A row of a submissions file's parallel arrays: its cells, each of the type and form that EDGAR
 * writes. */
#ifndef DSC_SUBMISSIONS_ROW_H
#define DSC_SUBMISSIONS_ROW_H

#include <apr_pools.h>
#include <jansson.h>

typedef enum {
    DSC_CELL_ACCESSION,
    DSC_CELL_FILED_ON,
    DSC_CELL_REPORT_DATE,
    DSC_CELL_ACCEPTED_AT,
    DSC_CELL_FORM,
    DSC_CELL_FILE_NUMBER,
    DSC_CELL_ITEMS,
    DSC_CELL_SIZE,
    DSC_CELL_DOCUMENT,
    DSC_CELL_DESCRIPTION,
    DSC_CELL_COUNT
} dsc_submissions_cell_t;

typedef struct {
    const char *text[DSC_CELL_COUNT]; /* NULL: empty */
} dsc_submissions_row_t;

/* What is wrong with a row, or with the arrays. */
typedef struct {
    const char *location; /* "filingDate[3]"; of arrays their name */
    const char *reason;
    const char *sample; /* the cell as JSON; may be NULL */
} dsc_submissions_error_t;

/* Whether the arrays make rows: all that are read are there, and all are of one length. */
int dsc_submissions_arrays(apr_pool_t *pool, const json_t *filings, dsc_submissions_error_t *error);

size_t dsc_submissions_row_count(const json_t *filings);

/* Reads a row; 0 and *error if a cell is missing, of another type, or not what it should be. */
int dsc_submissions_row(apr_pool_t *pool, const json_t *filings, size_t number,
                        dsc_submissions_row_t *row, dsc_submissions_error_t *error);

/* Whether two rows say the same in all that is read. */
int dsc_submissions_rows_agree(const json_t *filings, size_t left, size_t right);

/* The member as text: strings as they are, numbers as digits; NULL for null, "" and others. */
const char *dsc_submissions_text(apr_pool_t *pool, const json_t *value);

#endif
