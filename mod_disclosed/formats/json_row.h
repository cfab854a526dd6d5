/* Rows of the SEC's ticker files: {"fields": [...], "data": [[...], ...]}, and their values. */
#ifndef DSC_JSON_ROW_H
#define DSC_JSON_ROW_H

#include <apr_pools.h>
#include <jansson.h>

/* A text, trimmed; NULL when nothing is left or the value is none. */
const char *dsc_json_text_of(apr_pool_t *pool, const json_t *value);

/* A CIK, which comes as a number or as digits, without leading zeros; NULL when it is none. */
const char *dsc_json_cik_of(apr_pool_t *pool, const json_t *value);

/* A text in upper case, or NULL. */
const char *dsc_json_ticker_of(apr_pool_t *pool, const json_t *value);

/* The value as it is written, for rejects. */
const char *dsc_json_sample_of(apr_pool_t *pool, const json_t *value);

/* Where each of `names` is in the rows; 0 and *reason when one is missing from `fields`. */
int dsc_json_find_fields(apr_pool_t *pool, const json_t *fields, const char *const *names,
                         int count, size_t *places, const char **reason);

/* Whether the row has a value for each of the fields: of one that has more or fewer it is not known
 * which is which. */
int dsc_json_row_fits(const json_t *fields, const json_t *row);

#endif
