/* What a file stores, and comparing that of a damaged file with it. */
#ifndef DSC_FUZZ_STORED_H
#define DSC_FUZZ_STORED_H

#include <apr_hash.h>
#include <apr_tables.h>
#include <stddef.h>

/* The rows of a whole file. */
typedef struct {
    apr_pool_t *pool;
    apr_hash_t
        *by_digest; /* dataset and src_digest: rows (apr_array_header_t of dsc_row_text_t *) */
    apr_array_header_t *rows;
    apr_hash_t *sources; /* number: what the source says */
} dsc_stored_t;

/* One row as it was copied, cut into its fields. */
typedef struct {
    const char *table; /* "stage_insider" */
    char **fields;
    int count;
} dsc_row_text_t;

/* How a row of a damaged file stands to those of the whole one. */
typedef enum {
    DSC_ROW_SAME,  /* it is one of them */
    DSC_ROW_MOVED, /* it says what one of them says, under another key */
    DSC_ROW_LESS,  /* it is one of them, but some of its values are missing */
    DSC_ROW_OTHER  /* it says what none of them says */
} dsc_row_verdict_t;

dsc_stored_t *dsc_stored_create(apr_pool_t *pool);

/* The row's fields. Rejects and sources are none: NULL; sources are remembered. */
dsc_row_text_t *dsc_row_text(dsc_stored_t *stored, const char *table, const char *row,
                             size_t length);

void dsc_stored_add(dsc_stored_t *stored, dsc_row_text_t *row);

/* What differs between a row and the one of the whole file that is nearest to it. */
typedef struct {
    const char *dataset, *key;
    const char *columns; /* whose values are others, with a blank between */
    const char *text;    /* "column: stored <- whole; ..." */
} dsc_difference_t;

dsc_row_verdict_t dsc_stored_compare(const dsc_stored_t *whole, apr_pool_t *pool,
                                     const dsc_row_text_t *row, dsc_difference_t *difference);

#endif
