/* Rows of named values, from delimited text under a header or from JSON. */
#ifndef DSC_NAMED_ROWS_H
#define DSC_NAMED_ROWS_H

#include "formats/import_file.h"

/* A value that an importer looks for, and what it is called in files: lower case, letters and
 * digits alone, in the order of preference, NULL-terminated. */
typedef struct {
    const char *const *names;
    unsigned flags;
} dsc_named_value_t;

enum {
    DSC_NAMED_INHERITED = 1, /* JSON: objects around the list of rows may say it for all of them */
    DSC_NAMED_UNIFORM = 4,   /* JSON: of a list whose records have it, one without it is damaged */
    DSC_NAMED_VERBATIM = 2 /* NA, NAN and NULL are symbols or names, and do not mean its absence */
};

typedef struct {
    const char *location;          /* "line 12", "record 3" */
    const char *const *values;     /* trimmed; NULL if absent, empty, null, N/A, -- and the like */
    const unsigned char *has;      /* whether the row has such a column or member, empty or not */
    const unsigned char *expected; /* whether any row of its list has it */
    const char *error;             /* what is wrong with the row itself, or NULL */
    int last; /* of the values the one of the last column, where a cut file ends; -1: none */
    const char *sample; /* of the row, for rejects */
} dsc_named_row_t;

/* Takes one row, whose pool is cleared afterwards; an error ends the reading. */
typedef apr_status_t dsc_take_row_t(void *baton, apr_pool_t *pool, const dsc_named_row_t *row);

/* Reads the file and hands over its rows. JSON is a list of objects, or objects around one or
 * several lists of objects; numbers keep every digit; it may have DSC_LARGEST_WHOLE. APR_EGENERAL
 * and *reason: the file is damaged, holds no rows at all, or none of its columns is one of
 * `required` (indexes into `values`, each a list ended by -1, the lists ended by NULL: of each one
 * value), or no record of its lists has them. *is_empty_list: it is JSON that has a list of rows
 * without one. */
apr_status_t dsc_named_rows_read(dsc_import_file_t *file, apr_pool_t *pool,
                                 const dsc_named_value_t *values, int count,
                                 const int *const *required, dsc_take_row_t *take, void *baton,
                                 int *is_empty_list, const char **reason);

#endif
