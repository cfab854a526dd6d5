/* Whether the amounts of a file of daily prices are as declared, or adjusted for splits: prices
 * that do not jump on the day of a split have been adjusted for it, and dividends with them. */
#ifndef DSC_PRICE_BASIS_H
#define DSC_PRICE_BASIS_H

#include "sources/corporate_actions/split_ratio.h"

#include <apr_pools.h>

typedef struct dsc_price_basis_t dsc_price_basis_t;

/* Begins a file; memory is that of its shares and splits. */
dsc_price_basis_t *dsc_price_basis_make(apr_pool_t *pool);

/* Takes a day of the share of that name, in either order of days. `open` and `close` may be NULL,
 * and may have commas between thousands; `ratio` is NULL on days without a split. What is wrong
 * with a price, or NULL. */
const char *dsc_price_basis_day(dsc_price_basis_t *basis, const char *name, const char *date,
                                const char *open, const char *close,
                                const dsc_split_ratio_t *ratio);

/* What the splits after the day show: "adjusted" if prices have been adjusted for any of them,
 * with the day of the last one in *adjusted_on, before which the amount could not be known;
 * "declared"; NULL if there is none, or only such small ones that prices do not show them. To be
 * called when all days have been added. */
const char *dsc_price_basis_of(const dsc_price_basis_t *basis, const char *name, const char *date,
                               const char **adjusted_on);

#endif
