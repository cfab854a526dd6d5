/* Checking a record's values before the database sees them, and making array literals. */
#ifndef DSC_LOADER_VALUE_H
#define DSC_LOADER_VALUE_H

#include "engine/dataset.h"

#include <apr_pools.h>
#include <apr_tables.h>

/* NULL when `text` is a value of the type that PostgreSQL takes, else what is wrong with it:
 * integers within bigint; decimals of 308 digits before the point, which a double holds, and 16383
 * after; dates of the years 1 to 9999; datetimes with a zone; text in UTF-8; arrays of one
 * dimension. */
const char *dsc_value_error(dsc_column_type_t type, const char *text);

/* The same for a column: required, one of its choices, of its type. `text` may be NULL. */
const char *dsc_column_error(apr_pool_t *pool, const dsc_column_t *column, const char *text);

/* Whether the text is valid UTF-8. */
int dsc_text_is_utf8(const char *text);

/* A PostgreSQL array literal of texts; NULL is one of its own. */
const char *dsc_texts_literal(apr_pool_t *pool, int count, const char *const *texts);

/* The texts (const char *) as a PostgreSQL array literal; NULL for none. */
const char *dsc_text_array(apr_pool_t *pool, const apr_array_header_t *texts);

#endif
