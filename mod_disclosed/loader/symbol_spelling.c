/* How sources write the symbols of shares. Listings have the SEC's spelling: a hyphen, then the
 * class (BRK-B), P and the series of a preferred (AAIC-PB), UN units, WT warrants, RI rights. */
#include "loader/symbol_spelling.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

/* Suffixes as the New York exchanges and FINRA write them (suffixes of the Consolidated Quotation
 * System), and as the SEC does. A trailing "?" stands for one letter. */
static const struct {
    const char *suffix, *listed;
} suffixes[] = {
    {"PR?", "P?"}, {"PR", "P"}, {"WS?", "WT?"}, {"WS", "WT"}, {"RT", "RI"},
    {"RT", "R"},   {"U", "UN"}, {"U", "U"},     {"WI", "WI"}, {"?", "?"},
};

static const char *const suffixed_markets[] = {"NYSE", "AMEX", "ARCA", "BATS", "CBOE", "IEX", NULL};

const char *dsc_symbol_code(apr_pool_t *pool, const char *symbol)
{
    char *code = apr_palloc(pool, strlen(symbol) + 1), *to = code;

    for (; *symbol != '\0' && *symbol != ':'; symbol++) {
        if (apr_isalnum(*symbol)) {
            *to++ = (char)apr_toupper(*symbol);
        }
    }
    *to = '\0';
    return to > code ? code : NULL;
}

/* Each spelling once. */
static const char *add(apr_pool_t *pool, const char *list, const char *ticker, const char *market)
{
    const char *one = apr_pstrcat(pool, ticker, ":", market, NULL);
    size_t length = strlen(one);

    for (const char *at = strstr(list, one); at != NULL; at = strstr(at + 1, one)) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return list;
        }
    }
    return apr_pstrcat(pool, list, *list ? " " : "", one, NULL);
}

/* Length of the root before the suffix; 0 if the text does not end so. */
static size_t root_of(const char *text, const char *suffix)
{
    size_t length = strlen(text), tail = strlen(suffix);
    const char *at = text + length - tail;

    if (length <= tail) {
        return 0;
    }
    for (; *suffix != '\0'; suffix++, at++) {
        if (*suffix == '?' ? !apr_isalpha(*at) : *suffix != *at) {
            return 0;
        }
    }
    return length - tail;
}

/* Adds what a code may be with its suffix set off. */
static const char *add_suffixed(apr_pool_t *pool, const char *list, const char *code,
                                const char *market)
{
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        size_t root = root_of(code, suffixes[i].suffix);

        if (root > 0) {
            char *ticker =
                apr_pstrcat(pool, apr_pstrmemdup(pool, code, root), "-", suffixes[i].listed, NULL);

            if (ticker[strlen(ticker) - 1] == '?') {
                ticker[strlen(ticker) - 1] = code[strlen(code) - 1];
            }
            list = add(pool, list, ticker, market);
        }
    }
    return list;
}

/* In capitals, with hyphens for whatever is between its parts. */
static char *hyphened(apr_pool_t *pool, const char *symbol)
{
    char *ticker = apr_pstrdup(pool, symbol);

    for (char *at = ticker; *at != '\0'; at++) {
        *at = apr_isalnum(*at) ? *at : '-';
    }
    return ticker;
}

const char *dsc_symbol_spellings(apr_pool_t *pool, const char *symbol)
{
    char *ticker = apr_pstrdup(pool, symbol), *colon, *plain;
    const char *market = "US", *list;

    for (char *at = ticker; *at != '\0'; at++) {
        *at = *at == ' ' ? '-' : (char)apr_toupper(*at);
    }
    colon = strrchr(ticker, ':');
    if (colon != NULL) {
        *colon = '\0';
        market = colon + 1;
    }
    list = add(pool, "", ticker, market);
    plain = hyphened(pool, ticker);
    if (strcmp(plain, ticker) != 0) {
        list = add(pool, list, plain, market);
    }
    if (strchr(plain, '-') != NULL) {
        list = add_suffixed(pool, list, dsc_symbol_code(pool, ticker), market);
    }
    return list;
}

const char *dsc_finra_spellings(apr_pool_t *pool, const char *symbol, const char *market_class)
{
    const char *list = add(pool, "", symbol, "US");
    int i;

    for (i = 0; market_class != NULL && suffixed_markets[i] != NULL; i++) {
        if (strncasecmp(market_class, suffixed_markets[i], strlen(suffixed_markets[i])) == 0) {
            break;
        }
    }
    return market_class == NULL || suffixed_markets[i] != NULL
               ? add_suffixed(pool, list, symbol, "US")
               : list;
}
