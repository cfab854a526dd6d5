/* Reading text files of rows under a header: comma, semicolon, tab or pipe between the fields. */
#ifndef DSC_DELIMITED_H
#define DSC_DELIMITED_H

#include "formats/import_file.h"

/* Reads up to `size` bytes; 0 at the end, -1 when the input is damaged (*reason says why). */
typedef long dsc_delimited_read_t(void *baton, void *bytes, size_t size, const char **reason);

/* A file being read, row by row. Fields are UTF-8 as they are in the file, without the blanks
 * around them; quotes (RFC 4180) count in comma and semicolon files alone: pipe and tab files of
 * the SEC and FINRA hold quotes as letters. Lines end with LF, CR LF or CR, all as the header does;
 * a byte order mark, empty lines, and lines above the header that begin with "#" are passed over.
 *
 * What is damaged must not become other data. A row is faulty that has not as many fields as the
 * header, that holds another line end than the header's, or in which text follows a quoted field;
 * that is the header
 * again; and the last row of a file that does not end with a line end (dsc_delimited_cut), unless
 * its last field is of a column that is not taken, is quoted, or is a date of such a form that
 * nothing longer begins so. A file is refused if a row names the columns in another order: two
 * files were joined. */
typedef struct {
    char delimiter;
    int column_count;
    const char *const *columns; /* names of the header: lower case, letters and digits alone */
    apr_int64_t line;           /* on which the row begins, from 1 */
    const char *error;          /* what is wrong with the row; NULL: nothing. Until the next row */
    int field_count;
    const char *twice;   /* a column that is taken and bears the name of another; NULL: none */
    int last_is_ignored; /* to be set once open: the values of the last column are not taken */

    /* the reader's own */
    apr_pool_t *pool;
    dsc_delimited_read_t *read;
    void *baton;
    char **fields;
    int field_room;
    char *bytes;
    size_t begin, end, room;
    apr_int64_t next_line;
    const char *line_end, *row_end; /* of the header and the row: one of those in delimited.c */
    int ended, ends_quoted;
    char error_text[64];
} dsc_delimited_t;

/* The error of a last row that may be cut within its last field. */
extern const char dsc_delimited_cut[];

/* Begins to read and takes the header. 0 and *reason when the input is damaged, empty, binary or
 * UTF-16. Memory is that of the longest row, from `pool`. */
int dsc_delimited_open(dsc_delimited_t *rows, apr_pool_t *pool, dsc_delimited_read_t *read,
                       void *baton, const char **reason);

/* The same for a file of an import run. */
int dsc_delimited_open_file(dsc_delimited_t *rows, apr_pool_t *pool, dsc_import_file_t *file,
                            const char **reason);

/* The next row: 1; 0 at the end; -1 and *reason when the input is damaged. A row that is itself
 * malformed is returned with its `error`. */
int dsc_delimited_next(dsc_delimited_t *rows, const char **reason);

/* The column whose name is one of `names` (NULL-terminated, in the order of preference, written as
 * in `columns`), or -1. If two columns have that name the file is refused when it is read on. */
int dsc_delimited_column(dsc_delimited_t *rows, const char *const *names);

/* Why a file is refused in which the row names other columns than the header. */
const char *dsc_delimited_other_header(const dsc_delimited_t *rows);

/* The row's field in the column; NULL if it is empty, or the row or the file lacks it. Valid
 * until the next row. */
const char *dsc_delimited_field(const dsc_delimited_t *rows, int column);

/* The name of a column or JSON member as it is compared: lower case, letters and digits alone. */
const char *dsc_delimited_name(apr_pool_t *pool, const char *name);

#endif
