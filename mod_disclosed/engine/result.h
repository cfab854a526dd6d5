/* The parts of a result of dsc_select(); engine/database.h has the functions that read it. */
#ifndef DSC_RESULT_H
#define DSC_RESULT_H

#include "engine/database.h"
#include "engine/source_cache.h"

#include <libpq-fe.h>

struct dsc_result_t {
    PGresult *rows;
    int row, count;
    const unsigned char *types;      /* dsc_wire_t of each column; NULL: the result is text */
    const dsc_source_set_t *sources; /* NULL: its columns name none */
};

/* Makes a result of rows, which live as long as it is read; NULL, with the reason, if a column has
 * a type that it may not have. `columns` NULL: the rows are text. */
dsc_result_t *dsc_result_create(apr_pool_t *pool, PGresult *rows, const dsc_columns_t *columns,
                                const char **reason);

/* Whether a row has more bytes than these. */
int dsc_has_row_over(const PGresult *rows, size_t most);

/* Adds the sources that a column names to a set. */
void dsc_result_name_sources(const dsc_result_t *result, int column,
                             const dsc_source_cache_t *cache, dsc_source_set_t *set);

#endif
