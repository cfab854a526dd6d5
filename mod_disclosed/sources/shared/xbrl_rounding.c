#include "sources/shared/xbrl_rounding.h"

#include "engine/decimal.h"

#include <apr_strings.h>
#include <string.h>

/* The number times ten to the power of `places`, in plain digits, without its sign. NULL if it is
 * none. */
static char *moved(apr_pool_t *pool, const char *number, int places, int *is_negative)
{
    dsc_buffer_t *buffer = dsc_buffer_create(pool, 64);
    dsc_decimal_t decimal;

    if (!dsc_decimal_parse(number, strlen(number), &decimal)) {
        return NULL;
    }
    *is_negative = decimal.negative;
    decimal.negative = 0;
    dsc_decimal_write(buffer, &decimal, places);
    return apr_pstrdup(pool, dsc_buffer_text(buffer));
}

/* Whether one whole number is the next after another. */
static int is_next(apr_pool_t *pool, const char *next, const char *number)
{
    size_t length = strlen(number), nines = 0;
    char *sum = apr_pstrcat(pool, "0", number, NULL);

    while (nines < length && sum[length - nines] == '9') {
        sum[length - nines++] = '0';
    }
    sum[length - nines]++;
    return strcmp(next, sum + (*sum == '0')) == 0;
}

int dsc_xbrl_is_rounded(apr_pool_t *pool, const char *exact, const char *rounded, int decimals)
{
    int exact_sign = 0, rounded_sign = 0;
    char *one = moved(pool, exact, decimals, &exact_sign);
    char *other = moved(pool, rounded, decimals, &rounded_sign);
    char *point = one ? strchr(one, '.') : NULL;
    const char *fraction = point ? point + 1 : "";

    if (!one || !other || strchr(other, '.')) {
        return 0;
    }
    if (point) {
        *point = '\0';
    }
    if (exact_sign != rounded_sign && strcmp(other, "0") != 0) {
        return 0;
    }
    return (strcmp(other, one) == 0 && (*fraction < '5' || strcmp(fraction, "5") == 0)) ||
           (*fraction >= '5' && is_next(pool, other, one));
}
