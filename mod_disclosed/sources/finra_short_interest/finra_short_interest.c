/* Importer of FINRA's short interest: the files of each settlement date since 2014, whose columns
 * have had three sets of names, and responses of the query API. */
#include "sources/importers.h"

#include "datasets/datasets.h"
#include "engine/calendar.h"
#include "formats/import_location.h"
#include "formats/market_date.h"
#include "formats/delimited.h"
#include "formats/named_rows.h"
#include "loader/correction.h"
#include "loader/loader_value.h"
#include "loader/symbol_spelling.h"
#include "sources/finra_short_interest/short_interest_figures.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

enum {
    /* FINRA publishes on the 7th business day after the settlement date (Short Interest Reporting
     * schedule; its older pages say the 8th): nothing may count as known before it was. */
    PUBLICATION_DAYS = 8
};

/* The New York Stock Exchange began to collect short positions in 1931; no one did before. */
static const char first_settlement[] = "1931-01-01";

static const dsc_dataset_t *const dataset = &dsc_dataset_short_interest;

enum {
    SYMBOL,
    SETTLED,
    ACCOUNTED,
    NAME,
    MARKET,
    CURRENT,
    PREVIOUS,
    VOLUME,
    DAYS,
    CHANGE,
    DIFFERENCE,
    SPLIT,
    REVISION,
    VALUE_COUNT
};

#define NAMES(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
static const dsc_named_value_t wanted[VALUE_COUNT] = {
    [SYMBOL] = {NAMES("symbolcode", "issuesymbolidentifier",
                      "securitiesinformationprocessorsymbolidentifier", "securitysymbol", "symbol",
                      "ticker"),
                DSC_NAMED_INHERITED | DSC_NAMED_UNIFORM | DSC_NAMED_VERBATIM},
    [SETTLED] = {NAMES("settlementdate", "settledate"), DSC_NAMED_INHERITED | DSC_NAMED_UNIFORM},
    [ACCOUNTED] = {NAMES("accountingyearmonthnumber"), DSC_NAMED_UNIFORM},
    [NAME] = {NAMES("issuename", "securityname", "companyname"), DSC_NAMED_VERBATIM},
    [MARKET] = {NAMES("marketclasscode", "marketcategorycode", "otcmarket", "market"),
                DSC_NAMED_UNIFORM},
    [CURRENT] = {NAMES("currentshortpositionquantity", "currentshortsharenumber",
                       "currentsharesshort", "currentshortposition", "currentshortinterest",
                       "currentshort", "shortinterest", "interest"),
                 DSC_NAMED_UNIFORM},
    [PREVIOUS] = {NAMES("previousshortpositionquantity", "previousshortsharenumber",
                        "previousreportsharesshort", "previousshortposition",
                        "previousshortinterest", "previousshort"),
                  DSC_NAMED_UNIFORM},
    [VOLUME] = {NAMES("averagedailyvolumequantity", "averageshortsharenumber",
                      "averagedailysharevolume", "avgdailysharevolume", "averagedailyvolume",
                      "avgdailyvolume"),
                DSC_NAMED_UNIFORM},
    [DAYS] = {NAMES("daystocoverquantity", "daystocovernumber", "daystocover"), DSC_NAMED_UNIFORM},
    [CHANGE] = {NAMES("changepercent", "percentchangefrompreviousreport", "percentchange",
                      "changepct"),
                DSC_NAMED_UNIFORM},
    [DIFFERENCE] = {NAMES("changepreviousnumber", "changeinsharesshortfrompreviousreport"),
                    DSC_NAMED_UNIFORM},
    [SPLIT] = {NAMES("stocksplitflag", "splitflag", "stocksplit"), DSC_NAMED_UNIFORM},
    [REVISION] = {NAMES("revisionflag"), DSC_NAMED_UNIFORM},
};
static const int *const required[] = {(const int[]){SYMBOL, -1}, (const int[]){CURRENT, -1},
                                      (const int[]){MARKET, -1}, NULL};

/* What FINRA said of a settlement date and says otherwise now was corrected. */
static const char corrections_sql[] =
    "SELECT disclosed.short_interest_corrections($1, $2, $3, $4, $5)";
/* ... also what it said at first, when a file has said something else since. */
static const char restate_sql[] =
    "SELECT dataset, changed_issuer FROM disclosed.restate_short_interest($1)";
static const char *const corrected_columns[] = {"current_short_position", "previous_short_position",
                                                "avg_daily_share_volume", NULL};

typedef struct {
    dsc_loader_t *loader;
    dsc_corrections_t corrections;
    const char **reason;   /* why the file is refused */
    const char *file_date; /* in the file's name; NULL: none */
    const char *file_url;
} import_t;

/* "short" and later "interest", in whatever spelling. */
static int says_short_interest(const char *name)
{
    const char *at = strcasestr(name, "short");

    return at != NULL && strcasestr(at, "interest") != NULL;
}

int dsc_accept_finra_short_interest(const char *name)
{
    static const char *const suffixes[] = {".csv", ".txt", ".json", ".psv", NULL};
    const char *base = name + strlen(name);
    const char *suffix;
    int i = 0;

    while (base > name && base[-1] != '/' && base[-1] != ':') {
        base--;
    }
    suffix = strrchr(base, '.');
    while (suffix != NULL && suffixes[i] != NULL && strcasecmp(suffix, suffixes[i]) != 0) {
        i++;
    }
    return suffix != NULL && suffixes[i] != NULL &&
           (strncasecmp(base, "shrt", 4) == 0 || says_short_interest(base));
}

/* ------------------------------------------------------------------------- values */

/* The first date among the digits of a name: shrt20210715.csv. */
static const char *date_in_name(apr_pool_t *pool, const char *name)
{
    for (const char *base = name; *base != '\0'; base++) {
        size_t digits = strspn(base, "0123456789");
        const char *date = NULL;

        if (digits == 8) {
            date = dsc_plain_date(pool, apr_pstrmemdup(pool, base, 8));
        } else if (digits == 4 && strlen(base) >= 10 && !apr_isdigit(base[10])) {
            date = dsc_plain_date(pool, apr_pstrmemdup(pool, base, 10));
        }
        if (date != NULL) {
            return date;
        }
        base += digits > 0 ? digits - 1 : 0;
    }
    return NULL;
}

/* Whether all points (or commas) stand between thousands: 1,234,567. */
static int has_thousands(const char *text, char separator)
{
    size_t digits;

    text += *text == '-';
    digits = strspn(text, "0123456789");
    if (digits < 1 || digits > 3 || *text == '0' || text[digits] != separator) {
        return 0;
    }
    for (text += digits; *text == separator; text += 4) {
        if (strspn(text + 1, "0123456789") != 3) {
            return 0;
        }
    }
    return *text == '\0' || (separator == ',' && *text == '.');
}

/* Digits without commas between thousands; other commas stay, and make it no number. */
static const char *plain_number(apr_pool_t *pool, const char *text)
{
    char *plain, *to;

    if (text == NULL || !has_thousands(text, ',')) {
        return text;
    }
    plain = to = apr_palloc(pool, strlen(text) + 1);
    for (; *text != '\0'; text++) {
        if (*text != ',') {
            *to++ = *text;
        }
    }
    *to = '\0';
    return plain;
}

/* A number of shares, without a point and zeros behind it. */
static const char *plain_shares(apr_pool_t *pool, const char *text)
{
    const char *plain = plain_number(pool, text);
    size_t whole = plain != NULL ? strcspn(plain, ".") : 0;

    return whole > 0 && plain[whole] == '.' && plain[whole + 1] != '\0' &&
                   strspn(plain + whole + 1, "0") == strlen(plain + whole + 1)
               ? apr_pstrmemdup(pool, plain, whole)
               : plain;
}

static const char *flag(const char *text, const char *set)
{
    return text != NULL && (strcasecmp(text, set) == 0 || strcasecmp(text, "Y") == 0 ||
                            strcasecmp(text, "true") == 0)
               ? "t"
               : "f";
}

/* The settlement date: the row's, else that of its file. */
static const char *settlement_date(const import_t *import, apr_pool_t *pool,
                                   const char *const *values)
{
    const char *text = values[SETTLED] != NULL ? values[SETTLED] : values[ACCOUNTED];

    return text != NULL ? dsc_plain_date(pool, text) : import->file_date;
}

static void fill(apr_pool_t *pool, const char *const *row, const char *code, const char *settled,
                 const char **values)
{
    const char *market = row[MARKET];

    dsc_load_set(dataset, values, "symbol_code", code);
    dsc_load_set(dataset, values, "spellings", dsc_finra_spellings(pool, code, market));
    dsc_load_set(dataset, values, "settlement_date", settled);
    dsc_load_set(dataset, values, "issue_name", apr_pstrdup(pool, row[NAME]));
    dsc_load_set(dataset, values, "market_class", apr_pstrdup(pool, market));
    dsc_load_set(dataset, values, "current_short_position",
                 apr_pstrdup(pool, plain_shares(pool, row[CURRENT])));
    dsc_load_set(dataset, values, "previous_short_position",
                 apr_pstrdup(pool, plain_shares(pool, row[PREVIOUS])));
    dsc_load_set(dataset, values, "avg_daily_share_volume",
                 apr_pstrdup(pool, plain_shares(pool, row[VOLUME])));
    dsc_load_set(dataset, values, "stated_days_to_cover",
                 apr_pstrdup(pool, plain_number(pool, row[DAYS])));
    dsc_load_set(dataset, values, "stated_change_pct",
                 apr_pstrdup(pool, plain_number(pool, row[CHANGE])));
    dsc_load_set(dataset, values, "stock_split", flag(row[SPLIT], "S"));
    dsc_load_set(dataset, values, "previous_revised", flag(row[REVISION], "R"));
}

/* --------------------------------------------------------------------------- rows */

static void add(import_t *import, const dsc_named_row_t *row, const char *symbol,
                const char *settlement)
{
    apr_pool_t *pool = import->corrections.pool;
    const char *code = apr_pstrdup(pool, symbol), *settled = apr_pstrdup(pool, settlement);
    const char **values = dsc_load_values(pool, dataset);
    dsc_load_record_t record;

    fill(pool, row->values, code, settled, values);
    memset(&record, 0, sizeof(record));
    record.location = apr_pstrdup(pool, row->location);
    record.symbol = dsc_finra_spellings(pool, code, row->values[MARKET]);
    record.symbol_on = settled;
    record.unlisted_issuer = 1;
    record.issuer_name = apr_pstrdup(pool, row->values[NAME]);
    record.record_key = apr_pstrcat(pool, code, "/", settled, NULL);
    record.known_on =
        dsc_day_text(pool, dsc_add_business_days(dsc_day_of_text(settled), PUBLICATION_DAYS));
    record.provenance.provider = "finra";
    record.provenance.url = import->file_url;
    record.values = values;
    dsc_corrections_add(&import->corrections, &record);
}

static dsc_short_figures_t figures_of(apr_pool_t *pool, const dsc_named_row_t *row)
{
    return (dsc_short_figures_t){plain_number(pool, row->values[CURRENT]),
                                 plain_number(pool, row->values[PREVIOUS]),
                                 plain_number(pool, row->values[VOLUME]),
                                 plain_number(pool, row->values[DAYS]),
                                 plain_number(pool, row->values[CHANGE]),
                                 plain_number(pool, row->values[DIFFERENCE])};
}

/* What FINRA computes of a row shows whether all of it is there, and right. */
static const char *figures_error(apr_pool_t *pool, const dsc_named_row_t *row)
{
    static const int figures[VALUE_COUNT] = {[CURRENT] = DSC_SHORT_CURRENT + 1,
                                             [PREVIOUS] = DSC_SHORT_PREVIOUS + 1,
                                             [DAYS] = DSC_SHORT_DAYS + 1,
                                             [CHANGE] = DSC_SHORT_CHANGE + 1,
                                             [DIFFERENCE] = DSC_SHORT_DIFFERENCE + 1};
    const dsc_short_figures_t stated = figures_of(pool, row);
    int last = row->last < 0 ? 0 : figures[row->last];

    if (row->error == dsc_delimited_cut && last > 0 &&
        dsc_short_figures_confirm(&stated, (dsc_short_figure_t)(last - 1))) {
        return NULL;
    }
    return row->error != NULL ? row->error
           : row->values[SPLIT] == NULL &&
                   dsc_short_figures_contradict(&stated, DSC_SHORT_DIFFERENCE)
               ? "the change is not the current position less the previous one"
               : NULL;
}

/* Which quotient is not that of its figures; NULL: none. A split makes the position before one of
 * other shares. Of files without flags too few rows have been seen to say so. */
static const char *quotient_error(apr_pool_t *pool, const dsc_named_row_t *row)
{
    const dsc_short_figures_t stated = figures_of(pool, row);

    if (!row->has[SPLIT] || !row->has[REVISION]) {
        return NULL;
    }
    if (row->values[SPLIT] == NULL && dsc_short_figures_contradict(&stated, DSC_SHORT_CHANGE)) {
        return "the change in percent is not that of the two positions";
    }
    return dsc_short_figures_contradict(&stated, DSC_SHORT_DAYS)
               ? "the days to cover are not the current position divided by the average volume"
               : NULL;
}

/* Numbers of shares with points between thousands, as in Europe, would be read as few shares. */
static int has_points(const char *const *values)
{
    return (values[CURRENT] != NULL && has_thousands(values[CURRENT], '.')) ||
           (values[PREVIOUS] != NULL && has_thousands(values[PREVIOUS], '.')) ||
           (values[VOLUME] != NULL && has_thousands(values[VOLUME], '.'));
}

/* FINRA counts whole shares. Written otherwise (1e3), a position would not be held against the
 * change that is stated; what is no number at all is rejected by its column. */
static int has_parts(apr_pool_t *pool, const char *const *values)
{
    static const int counted[] = {CURRENT, PREVIOUS, DIFFERENCE};

    for (size_t i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
        const char *text = plain_shares(pool, values[counted[i]]);

        if (text != NULL && dsc_value_error(DSC_COLUMN_INTEGER, text) != NULL &&
            (counted[i] == DIFFERENCE || dsc_value_error(DSC_COLUMN_DECIMAL, text) == NULL)) {
            return 1;
        }
    }
    return 0;
}

/* Whether the row's own date is neither that of its first column nor that of the file's name. One
 * of these alone may be the wrong one. */
static int is_of_another_day(const import_t *import, apr_pool_t *pool, const dsc_named_row_t *row,
                             const char *settled)
{
    const char *accounted =
        row->values[ACCOUNTED] != NULL ? dsc_plain_date(pool, row->values[ACCOUNTED]) : NULL;

    return accounted != NULL && strcmp(accounted, settled) != 0 &&
           (import->file_date == NULL || strcmp(import->file_date, settled) != 0);
}

static const char *error_of(const import_t *import, apr_pool_t *pool, const dsc_named_row_t *row,
                            const char *code, const char *settled)
{
    const char *error = figures_error(pool, row);

    return error != NULL     ? error
           : code == NULL    ? "the symbol is missing"
           : settled == NULL ? "the settlement date is missing or is none"
           : !dsc_date_is_between(settled, first_settlement, 1)
               ? "the settlement date is before 1931 or in the future"
           : is_of_another_day(import, pool, row, settled)
               ? "the settlement date is neither that of accountingYearMonthNumber nor that of the file's name"
           : row->values[CURRENT] == NULL ? "the current short position is missing"
           : has_points(row->values)      ? "points between the thousands of a number of shares"
           : has_parts(pool, row->values) ? "a position or its change is no whole number of shares"
           /* All that FINRA publishes has the market; without it a symbol may be read in other
              ways. */
           : !row->has[MARKET] ? "the market is missing"
           : row->has[SPLIT] != row->has[REVISION]
               ? "of the flags of splits and revisions one is missing"
               : quotient_error(pool, row);
}

static apr_status_t take_row(void *baton, apr_pool_t *row_pool, const dsc_named_row_t *row)
{
    import_t *import = baton;
    apr_status_t rv = dsc_corrections_ready(&import->corrections);
    const char *code = row->values[SYMBOL] ? dsc_symbol_code(row_pool, row->values[SYMBOL]) : NULL;
    const char *settled = settlement_date(import, row_pool, row->values);
    const char *error = error_of(import, row_pool, row, code, settled);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (row->values[SETTLED] != NULL && dsc_date_is_day_first(row->values[SETTLED])) {
        *import->reason = apr_pstrcat(dsc_loader_file_pool(import->loader), row->location, ": ",
                                      dsc_day_first_error, NULL);
        return APR_EGENERAL;
    }
    if (error != NULL) {
        return dsc_loader_reject(import->loader, row->location, error, row->sample);
    }
    add(import, row, code, settled);
    return APR_SUCCESS;
}

/* Where FINRA keeps the file of this name; else the page where all are found. */
static const char *url_of(apr_pool_t *pool, const char *name, const char *file_date)
{
    if (file_date != NULL && strncasecmp(name, "shrt", 4) == 0) {
        return apr_psprintf(pool,
                            "https://cdn.finra.org/equity/otcmarket/biweekly/shrt%.4s%.2s%.2s.csv",
                            file_date, file_date + 5, file_date + 8);
    }
    return "https://www.finra.org/finra-data/browse-catalog/equity-short-interest";
}

apr_status_t dsc_load_finra_short_interest(dsc_loader_t *loader, dsc_import_file_t *file,
                                           const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    import_t *import = apr_pcalloc(pool, sizeof(*import));
    apr_status_t rv;
    int is_empty = 0;

    import->loader = loader;
    import->reason = reason;
    import->file_date = dsc_import_find_in_names(file, pool, date_in_name);
    import->file_url = url_of(pool, dsc_import_base_name(file->inside), import->file_date);
    if (!dsc_corrections_open(&import->corrections, loader, dataset, corrections_sql,
                              corrected_columns, reason)) {
        return APR_EGENERAL;
    }
    rv = dsc_named_rows_read(file, pool, wanted, VALUE_COUNT, required, take_row, import, &is_empty,
                             reason);
    if (is_empty) { /* as the query API responds for a day or symbol without data */
        dsc_loader_may_be_empty(loader);
    }
    rv = rv == APR_SUCCESS ? dsc_corrections_flush(&import->corrections) : rv;
    return rv == APR_SUCCESS && dsc_loader_staged(loader) > 0
               ? dsc_loader_before_merge(loader, restate_sql, 1, &import->corrections.taken_at)
               : rv;
}
