/* How sources write the symbols of shares, and how listings do. */
#ifndef DSC_SYMBOL_SPELLING_H
#define DSC_SYMBOL_SPELLING_H

#include <apr_pools.h>

/* The symbol without punctuation and market, in capitals: BRK.B, BRK-B and BRK/B:US are BRKB. The
 * same for all spellings of it. NULL if no letter or digit is left. */
const char *dsc_symbol_code(apr_pool_t *pool, const char *symbol);

/* The listings that a symbol may mean, the likeliest first, with a space between them, as
 * dsc_load_record_t.symbol takes them: of the US, unless it names its market itself ("VOD:GB").
 * BRK.B: "BRK.B:US BRK-B:US"; AAIC.PRB: "AAIC.PRB:US AAIC-PRB:US AAIC-PB:US". */
const char *dsc_symbol_spellings(apr_pool_t *pool, const char *symbol);

/* The same for a symbol as FINRA writes it, without punctuation. Only symbols of the New York
 * exchanges (and if the market is not known, NULL) have suffixes; those of Nasdaq and of
 * over-the-counter securities are as they are. BRKB: "BRKB:US BRK-B:US". */
const char *dsc_finra_spellings(apr_pool_t *pool, const char *symbol, const char *market_class);

#endif
