/* Whether daily prices are adjusted for splits. */
#include "sources/corporate_actions/price_basis.h"

#include "engine/decimal.h"
#include "sources/shared/thousands.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* A split of a share and the prices on both sides of it; 0: not met yet. */
typedef struct split_t {
    const char *date;
    double ratio, before, after;
    struct split_t *next;
} split_t;

typedef struct {
    char date[11]; /* of the row before */
    double close;
    split_t *splits;
    split_t *open_split; /* days descend: the day before it comes next */
} share_t;

struct dsc_price_basis_t {
    apr_pool_t *pool;
    apr_hash_t *shares;
};

dsc_price_basis_t *dsc_price_basis_make(apr_pool_t *pool)
{
    dsc_price_basis_t *basis = apr_palloc(pool, sizeof(*basis));

    basis->pool = pool;
    basis->shares = apr_hash_make(pool);
    return basis;
}

static share_t *share_of(dsc_price_basis_t *basis, const char *name)
{
    share_t *share = apr_hash_get(basis->shares, name, APR_HASH_KEY_STRING);

    if (share == NULL) {
        share = apr_pcalloc(basis->pool, sizeof(*share));
        apr_hash_set(basis->shares, apr_pstrdup(basis->pool, name), APR_HASH_KEY_STRING, share);
    }
    return share;
}

/* The price; 0: there is none. Returns 0 if the text is no number. */
static int read_price(const char *text, double *price)
{
    char space[128];
    dsc_decimal_t decimal;
    const char *plain;

    *price = 0;
    if (text == NULL) {
        return 1;
    }
    plain = dsc_plain_thousands(text + strspn(text, "$ "), space, sizeof(space));
    if (plain == NULL || !dsc_decimal_parse(plain, strlen(plain), &decimal)) {
        return 0;
    }
    *price = strtod(plain, NULL);
    return 1;
}

const char *dsc_price_basis_day(dsc_price_basis_t *basis, const char *name, const char *date,
                                const char *open, const char *close, const dsc_split_ratio_t *ratio)
{
    double opened, closed;
    share_t *share;

    if (!read_price(open, &opened) || !read_price(close, &closed)) {
        return "a price is no number";
    }
    share = share_of(basis, name);

    if (share->open_split != NULL && strcmp(date, share->open_split->date) < 0) {
        share->open_split->before = closed;
    }
    share->open_split = NULL;
    if (ratio != NULL) {
        split_t *split = apr_pcalloc(basis->pool, sizeof(*split));

        split->date = apr_pstrdup(basis->pool, date);
        split->ratio = (double)ratio->to / (double)ratio->from;
        split->after = opened > 0 ? opened : closed;
        split->before = *share->date != '\0' && strcmp(share->date, date) < 0 ? share->close : 0;
        split->next = share->splits;
        share->splits = split;
        share->open_split = split;
    }
    apr_cpystrn(share->date, date, sizeof(share->date));
    share->close = closed;
    return NULL;
}

/* The price falls to 1/ratio if it is not adjusted, and stays where it is: which is nearer, the
 * middle being the square root of the ratio. Ratios of less than 5 for 4 are within what prices
 * move in a day. */
static const char *shown_by(const split_t *split)
{
    double fall;

    if (split->before <= 0 || split->after <= 0 || (split->ratio > 0.8 && split->ratio < 1.25)) {
        return NULL;
    }
    fall = split->before / split->after;
    return (split->ratio > 1 ? fall * fall < split->ratio : fall * fall > split->ratio)
               ? "adjusted"
               : "declared";
}

const char *dsc_price_basis_of(const dsc_price_basis_t *basis, const char *name, const char *date,
                               const char **adjusted_on)
{
    const share_t *share = apr_hash_get(basis->shares, name, APR_HASH_KEY_STRING);
    const char *shown = NULL, *last = date;

    for (const split_t *split = share != NULL ? share->splits : NULL; split != NULL;
         split = split->next) {
        const char *one = strcmp(split->date, date) > 0 ? shown_by(split) : NULL;

        last = strcmp(split->date, last) > 0 ? split->date : last;
        shown =
            shown == NULL || strcmp(shown, "declared") == 0 ? (one != NULL ? one : shown) : shown;
    }
    *adjusted_on = shown != NULL && strcmp(shown, "adjusted") == 0 ? last : NULL;
    return shown;
}
