/* Importer of dividends and splits: lists and calendars, and daily prices with columns for both. */
#include "sources/importers.h"

#include "datasets/datasets.h"
#include "engine/decimal.h"
#include "engine/calendar.h"
#include "formats/market_date.h"
#include "formats/named_rows.h"
#include "loader/correction.h"
#include "loader/loader_value.h"
#include "loader/symbol_spelling.h"
#include "sources/corporate_actions/price_basis.h"
#include "sources/corporate_actions/seen_dividends.h"
#include "sources/shared/filing_record.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

static const dsc_dataset_t *const dataset = &dsc_dataset_corporate_action;

enum {
    SYMBOL,
    NAME,
    DATE,
    EX_DATE,
    NASDAQ_EX_DATE,
    SPLIT_DATE,
    RECORD_DATE,
    PAYMENT_DATE,
    DECLARATION_DATE,
    UNADJUSTED_AMOUNT,
    ADJUSTED_AMOUNT,
    AMOUNT,
    ANNUALIZED,
    FREQUENCY,
    TYPE,
    CURRENCY,
    RATIO,
    SPLIT_TO,
    SPLIT_FROM,
    OPEN,
    CLOSE,
    ADJUSTED_VOLUME,
    VALUE_COUNT
};

enum {
    FARTHEST_DAYS = 3653 /* ahead of today; no company announces more than a few years ahead */
};

/* What the common sources call them: exchanges' calendars, vendors' lists, daily prices. */
#define NAMES(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
static const dsc_named_value_t wanted[VALUE_COUNT] = {
    [SYMBOL] = {NAMES("symbol", "ticker", "tickersymbol", "actsymbol", "stocksymbol", "code"),
                DSC_NAMED_INHERITED | DSC_NAMED_UNIFORM | DSC_NAMED_VERBATIM},
    [NAME] = {NAMES("companyname", "name", "company"), DSC_NAMED_VERBATIM},
    [DATE] = {NAMES("date", "day", "timestamp"), 0},
    [EX_DATE] = {NAMES("exdividenddate", "exdate", "exdivdate"), 0},
    [NASDAQ_EX_DATE] = {NAMES("dividendexdate"), 0},
    [SPLIT_DATE] = {NAMES("executiondate", "effectivedate", "splitdate"), 0},
    [RECORD_DATE] = {NAMES("recorddate", "dateofrecord"), 0},
    [PAYMENT_DATE] = {NAMES("paymentdate", "paydate", "payabledate"), 0},
    [DECLARATION_DATE] = {NAMES("declarationdate", "declareddate", "announcementdate",
                                "announceddate"),
                          0},
    [UNADJUSTED_AMOUNT] = {NAMES("unadjustedvalue", "unadjustedamount", "unadjusteddividend"), 0},
    [ADJUSTED_AMOUNT] = {NAMES("adjdividend", "adjusteddividend", "adjustedamount"), 0},
    [AMOUNT] = {NAMES("cashamount", "dividendamount", "amount", "dividendrate", "dividend",
                      "dividends", "exdividend", "grossamount", "dividendpershare", "value"),
                0},
    [ANNUALIZED] = {NAMES("indicatedannualdividend", "annualizedamount", "annualizeddividend",
                          "annualdividend"),
                    0},
    [FREQUENCY] = {NAMES("frequency", "paymentfrequency", "dividendfrequency", "period"), 0},
    [TYPE] = {NAMES("dividendtype", "distributiontype", "divtype"), 0},
    [CURRENCY] = {NAMES("currency", "currencycode"), DSC_NAMED_INHERITED},
    [RATIO] = {NAMES("splitratio", "splitfactor", "splitcoefficient", "stocksplits", "stocksplit",
                     "split", "splits", "ratio"),
               0},
    [SPLIT_TO] = {NAMES("splitto", "tofactor", "numerator", "newshares"), 0},
    [SPLIT_FROM] = {NAMES("splitfrom", "fromfactor", "denominator", "oldshares"), 0},
    [OPEN] = {NAMES("open"), 0},
    [CLOSE] = {NAMES("close"), 0},
    [ADJUSTED_VOLUME] = {NAMES("adjvolume", "adjustedvolume"), 0},
};
static const int *const required[] = {(const int[]){DATE, EX_DATE, NASDAQ_EX_DATE, SPLIT_DATE, -1},
                                      (const int[]){AMOUNT, UNADJUSTED_AMOUNT, RATIO, SPLIT_TO, -1},
                                      NULL};

/* Whether a row says what has been said, and of which dividend of its day, is known when all rows
 * of the file are there. */
static const char meet_sql[] =
    "SELECT dataset, changed_issuer FROM disclosed.meet_corporate_actions()";

/* A dividend of a file of prices, until its later splits have been met. */
typedef struct {
    const char *location, *symbol, *date, *amount;
} waiting_t;

typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool; /* of the file */
    dsc_corrections_t corrections;
    const char *file_symbol; /* that the file's name is; NULL: it is none */
    dsc_seen_dividends_t *seen;
    dsc_price_basis_t *basis;
    apr_array_header_t *waiting; /* of waiting_t */
    const char **reason;         /* why the file is refused */
    apr_int64_t idle_days;       /* rows of prices without an action */
} import_t;

/* One action of a row on its way to a record; NULL if the source says nothing. */
typedef struct {
    const char *location, *symbol, *name, *kind, *date;
    const char *type; /* of the dividend, in the source's words: regular, special */
    const char *amount, *basis, *adjusted_on, *annualized, *payments_a_year, *currency;
    const char *ex_date, *record_date, *payment_date, *declaration_date;
    const char *stated_ratio;
    const dsc_split_ratio_t *ratio;
    int is_nasdaq;
} action_t;

int dsc_accept_corporate_actions(const char *name)
{
    const char *suffix = strrchr(name, '.');

    return suffix != NULL && (strcasecmp(suffix, ".csv") == 0 || strcasecmp(suffix, ".tsv") == 0 ||
                              strcasecmp(suffix, ".json") == 0);
}

/* --------------------------------------------------------------------- the record */

static const char *integer_text(apr_pool_t *pool, uint64_t number)
{
    return apr_psprintf(pool, "%" APR_UINT64_T_FMT, number);
}

static const char *const *values_of(const import_t *import, const action_t *action)
{
    apr_pool_t *pool = import->corrections.pool;
    const char **values = dsc_load_values(pool, dataset);

    dsc_load_set(dataset, values, "taken_at", import->corrections.taken_at);
    dsc_load_set(dataset, values, "symbol_code", dsc_symbol_code(pool, action->symbol));
    dsc_load_set(dataset, values, "spellings", dsc_symbol_spellings(pool, action->symbol));
    dsc_load_set(dataset, values, "kind", action->kind);
    dsc_load_set(dataset, values, "action_date", action->date);
    dsc_load_set(dataset, values, "ex_dividend_date", action->ex_date);
    dsc_load_set(dataset, values, "stated_name", action->name);
    dsc_load_set(dataset, values, "record_date", action->record_date);
    dsc_load_set(dataset, values, "payment_date", action->payment_date);
    dsc_load_set(dataset, values, "declaration_date", action->declaration_date);
    dsc_load_set(dataset, values, "amount", action->amount);
    dsc_load_set(dataset, values, "amount_basis", action->basis);
    dsc_load_set(dataset, values, "adjusted_on", action->adjusted_on);
    dsc_load_set(dataset, values, "annualized_amount", action->annualized);
    dsc_load_set(dataset, values, "payments_a_year", action->payments_a_year);
    dsc_load_set(dataset, values, "currency", action->currency);
    if (action->ratio != NULL) {
        dsc_load_set(dataset, values, "split_to", integer_text(pool, action->ratio->to));
        dsc_load_set(dataset, values, "split_from", integer_text(pool, action->ratio->from));
        dsc_load_set(dataset, values, "stated_ratio", action->stated_ratio);
    }
    return values;
}

static const char *text_or_none(const char *text)
{
    return text != NULL ? text : "-";
}

/* Several dividends may fall on one day, an ordinary and a special one. What tells them apart is
 * known when all are there (sql: key_staged_dividends); of those that differ in their type alone
 * the ones after the first are marked with their number. NULL if they are more than there can be.
 * Rows that differ elsewhere are one: exchanges list a dividend under each name of its share. */
static const char *key_of(const import_t *import, apr_pool_t *pool, const action_t *action)
{
    const char *key = apr_pstrcat(pool, dsc_symbol_code(pool, action->symbol), "/", action->kind,
                                  "/", action->date, NULL);
    const char *said;
    int number;

    if (action->amount == NULL || action->type == NULL) {
        return key;
    }
    said =
        apr_pstrcat(pool, key, "/", action->amount, "/", text_or_none(action->currency), "/",
                    text_or_none(action->declaration_date), "/", text_or_none(action->record_date),
                    "/", text_or_none(action->payment_date), NULL);
    number = dsc_seen_dividends_number(import->seen, said, action->type);
    return number == 0 ? NULL : number == 1 ? key : apr_psprintf(pool, "%s/~%d", key, number);
}

/* The day at whose end it was public: of the announcement, else of the action; of an adjusted
 * amount the day of the last split that it is adjusted for, before which nobody knew it. */
static const char *public_on(const action_t *action)
{
    const char *day = action->declaration_date != NULL ? action->declaration_date : action->date;

    return action->adjusted_on != NULL && strcmp(action->adjusted_on, day) > 0 ? action->adjusted_on
                                                                               : day;
}

/* The action with its texts in the pool: those of a row go with the row. */
static action_t copy_of(apr_pool_t *pool, const action_t *action)
{
    action_t copy = *action;
    const char **texts[] = {&copy.location,
                            &copy.symbol,
                            &copy.name,
                            &copy.kind,
                            &copy.date,
                            &copy.type,
                            &copy.amount,
                            &copy.basis,
                            &copy.adjusted_on,
                            &copy.annualized,
                            &copy.payments_a_year,
                            &copy.currency,
                            &copy.ex_date,
                            &copy.record_date,
                            &copy.payment_date,
                            &copy.declaration_date,
                            &copy.stated_ratio};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        *texts[i] = apr_pstrdup(pool, *texts[i]);
    }
    return copy;
}

/* Public no later than the file was there to say it. */
static apr_status_t add(import_t *import, const action_t *of_row)
{
    apr_pool_t *pool = import->corrections.pool;
    const action_t copy = copy_of(pool, of_row), *const action = &copy;
    const char *day = public_on(action);
    dsc_load_record_t record;

    memset(&record, 0, sizeof(record));
    record.location = action->location;
    record.symbol = dsc_symbol_spellings(pool, action->symbol);
    record.symbol_on = action->date;
    record.unlisted_issuer = 1;
    record.issuer_name = action->name;
    record.record_key = key_of(import, pool, action);
    if (record.record_key == NULL) {
        return dsc_loader_reject(import->loader, action->location,
                                 "more than 100 dividends that differ in their type alone",
                                 action->type);
    }
    if (strncmp(import->corrections.taken_at, day, strlen(day)) <= 0) {
        record.known_at = import->corrections.taken_at;
    } else {
        record.known_on = day;
    }
    record.provenance.provider = action->is_nasdaq ? "exchange_site" : "vendor_feed_mini";
    record.provenance.url =
        action->is_nasdaq
            ? apr_pstrcat(pool, "https://api.nasdaq.com/api/calendar/dividends?date=", action->date,
                          NULL)
            : NULL;
    record.values = values_of(import, action);
    dsc_corrections_add(&import->corrections, &record);
    return APR_SUCCESS;
}

/* ---------------------------------------------------------------------- the values */

/* The amount in plain digits; NULL if it is zero or absent; *error if it is no number. */
static const char *amount_of(apr_pool_t *pool, const char *text, const char **error)
{
    dsc_buffer_t *plain;
    dsc_decimal_t decimal;

    if (text == NULL) {
        return NULL;
    }
    text += strspn(text, "$ ");
    if (dsc_value_error(DSC_COLUMN_DECIMAL, text) != NULL ||
        !dsc_decimal_parse(text, strlen(text), &decimal)) {
        *error = "the amount is no number";
        return NULL;
    }
    plain = dsc_buffer_create(pool, 32);
    dsc_decimal_write(plain, &decimal, 0);
    return strcmp(dsc_buffer_text(plain), "0") == 0 ? NULL : plain->data;
}

static int is_zero(const char *text)
{
    dsc_decimal_t decimal;

    return dsc_decimal_parse(text, strlen(text), &decimal) &&
           dsc_decimal_magnitude(&decimal) < -100000;
}

/* Whether the row has a split; *error if it has one that cannot be read. One for one, and zero,
 * stand for none. */
static int ratio_of(apr_pool_t *pool, const char *const *values, dsc_split_ratio_t *ratio,
                    const char **stated, const char **error)
{
    int good;

    if (values[SPLIT_TO] != NULL && values[SPLIT_FROM] != NULL) {
        *stated = apr_pstrcat(pool, values[SPLIT_TO], ":", values[SPLIT_FROM], NULL);
        good = dsc_split_ratio_make(pool, values[SPLIT_TO], values[SPLIT_FROM], ratio);
    } else if (values[RATIO] != NULL && !is_zero(values[RATIO])) {
        *stated = apr_pstrdup(pool, values[RATIO]);
        good = dsc_split_ratio_read(pool, values[RATIO], ratio);
    } else {
        return 0;
    }
    if (!good) {
        *error = "the split ratio is none";
    }
    return good && ratio->to != ratio->from;
}

/* Payments a year of a number or a word; NULL for others. */
static const char *payments_a_year(apr_pool_t *pool, const char *text)
{
    static const struct {
        const char *word, *payments;
    } words[] = {{"weekly", "52"},   {"monthly", "12"},   {"bimonthly", "6"},
                 {"quarterly", "4"}, {"semiannual", "2"}, {"semiannually", "2"},
                 {"annual", "1"},    {"annually", "1"},   {"yearly", "1"}};
    const char *plain = text != NULL ? dsc_symbol_code(pool, text) : NULL;

    if (plain == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(plain, words[i].word) == 0) {
            return words[i].payments;
        }
    }
    return strspn(text, "0123456789") == strlen(text) && atoi(text) > 0 && atoi(text) <= 366
               ? apr_pstrdup(pool, text)
               : NULL;
}

/* Three letters of one case: GBp would be pence. *error if it is stated otherwise: without it the
 * amount would count as one in another currency. */
static const char *currency_of(apr_pool_t *pool, const char *text, const char **error)
{
    char *code;

    if (text == NULL) {
        return NULL;
    }
    if (strlen(text) != 3 || !apr_isalpha(text[0]) || !apr_isalpha(text[1]) ||
        !apr_isalpha(text[2]) || apr_isupper(text[0]) != apr_isupper(text[1]) ||
        apr_isupper(text[0]) != apr_isupper(text[2])) {
        *error = apr_pstrcat(pool, "not a currency's code: ", text, NULL);
        return NULL;
    }
    code = apr_pstrdup(pool, text);
    for (char *at = code; *at != '\0'; at++) {
        *at = (char)apr_toupper(*at);
    }
    return code;
}

/* A date of the row; NULL if it is absent, and *error if it is none or is no such action's. */
static const char *date_of(apr_pool_t *pool, const char *text, const char **error)
{
    const char *date = text != NULL ? dsc_plain_date(pool, text) : NULL;

    if (text != NULL && date == NULL) {
        *error = apr_pstrcat(pool, "not a date: ", text, NULL);
    } else if (date != NULL && !dsc_date_is_between(date, "1900-01-01", FARTHEST_DAYS)) {
        *error = apr_pstrcat(pool, "before 1900, or more than ten years ahead: ", text, NULL);
    }
    return date;
}

static const char *first_of(const char *const *values, const int *places)
{
    while (*places >= 0 && values[*places] == NULL) {
        places++;
    }
    return *places >= 0 ? values[*places] : NULL;
}

/* ------------------------------------------------------------------------ the rows */

/* The dates of a dividend; what is wrong with one of them, or NULL. */
static const char *take_dates(apr_pool_t *pool, const char *const *values, action_t *action)
{
    const char *error = NULL;

    action->ex_date =
        date_of(pool, first_of(values, (const int[]){EX_DATE, NASDAQ_EX_DATE, DATE, -1}), &error);
    action->record_date = date_of(pool, values[RECORD_DATE], &error);
    action->payment_date = date_of(pool, values[PAYMENT_DATE], &error);
    action->declaration_date = date_of(pool, values[DECLARATION_DATE], &error);
    action->date = action->ex_date; /* the other days are not the one that a record is known by */
    return error != NULL          ? error
           : action->date == NULL ? "the dividend has no ex-dividend date"
                                  : NULL;
}

/* Whether one of the row's dates shows that those of the file have their day before their month. */
static int has_day_first(const char *const *values)
{
    static const int dates[] = {DATE,        EX_DATE,      NASDAQ_EX_DATE,   SPLIT_DATE,
                                RECORD_DATE, PAYMENT_DATE, DECLARATION_DATE, -1};

    for (const int *at = dates; *at >= 0; at++) {
        if (values[*at] != NULL && dsc_date_is_day_first(values[*at])) {
            return 1;
        }
    }
    return 0;
}

/* What a dividend lacks that others of its list have: without it the rest would be read
 * otherwise. */
static const char *lost_of(const dsc_named_row_t *row)
{
    static const struct {
        int value;
        const char *error;
    } needed[] = {
        {EX_DATE, "it has no ex-dividend date, as others of its list have"},
        {NASDAQ_EX_DATE, "it has no ex-dividend date, as others of its list have"},
        {UNADJUSTED_AMOUNT, "it has no unadjusted amount, as others of its list have"},
        {CURRENCY, "it has no currency, as others of its list have"},
    };

    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (row->expected[needed[i].value] && !row->has[needed[i].value]) {
            return needed[i].error;
        }
    }
    return NULL;
}

static apr_status_t take_dividend(import_t *import, apr_pool_t *pool, const dsc_named_row_t *row,
                                  action_t action)
{
    const char *error = take_dates(pool, row->values, &action);

    error = error != NULL ? error : lost_of(row);
    if (error == NULL) {
        action.annualized = amount_of(pool, row->values[ANNUALIZED], &error);
        action.currency = currency_of(pool, row->values[CURRENCY], &error);
    }
    if (error != NULL) {
        return dsc_loader_reject(import->loader, row->location, error, row->sample);
    }
    action.kind = "dividend";
    action.is_nasdaq = row->has[NASDAQ_EX_DATE];
    action.payments_a_year = payments_a_year(pool, row->values[FREQUENCY]);
    if (row->has[UNADJUSTED_AMOUNT] || row->has[ADJUSTED_AMOUNT] || row->has[ADJUSTED_VOLUME]) {
        action.basis = "declared";
    } else if (row->has[CLOSE]) {
        waiting_t *waiting = apr_array_push(import->waiting);

        waiting->location = apr_pstrdup(import->pool, action.location);
        waiting->symbol = apr_pstrdup(import->pool, action.symbol);
        waiting->date = apr_pstrdup(import->pool, action.date);
        waiting->amount = apr_pstrdup(import->pool, action.amount);
        return APR_SUCCESS;
    }
    return add(import, &action);
}

static apr_status_t take_split(import_t *import, apr_pool_t *pool, const dsc_named_row_t *row,
                               action_t action)
{
    static const int places[] = {SPLIT_DATE, EX_DATE, DATE, -1};
    const char *error = NULL;

    action.kind = "split";
    action.amount = NULL;
    action.date = date_of(pool, first_of(row->values, places), &error);
    if (action.date == NULL || error != NULL) {
        return dsc_loader_reject(import->loader, row->location,
                                 error != NULL ? error : "the split has no date", row->sample);
    }
    return add(import, &action);
}

/* Days of prices show on which side of a split amounts stand; *date is NULL if there is none. What
 * is wrong with a price, or NULL. */
static const char *take_prices(import_t *import, apr_pool_t *pool, const dsc_named_row_t *row,
                               const action_t *action)
{
    const char *date = row->values[DATE] != NULL ? dsc_plain_date(pool, row->values[DATE]) : NULL;

    return date == NULL ? NULL
                        : dsc_price_basis_day(import->basis, action->symbol, date,
                                              row->values[OPEN], row->values[CLOSE], action->ratio);
}

static apr_status_t take_actions(import_t *import, apr_pool_t *pool, const dsc_named_row_t *row,
                                 const action_t *action)
{
    const char *error = row->has[CLOSE] ? take_prices(import, pool, row, action) : NULL;
    apr_status_t rv = APR_SUCCESS;

    if (error != NULL) {
        return dsc_loader_reject(import->loader, row->location, error, row->sample);
    }
    if (action->amount == NULL && action->ratio == NULL) {
        import->idle_days += row->has[CLOSE];
        return row->has[CLOSE] ? APR_SUCCESS
                               : dsc_loader_reject(import->loader, row->location,
                                                   "neither a dividend nor a split", row->sample);
    }
    if (action->ratio != NULL) {
        rv = take_split(import, pool, row, *action);
    }
    return rv == APR_SUCCESS && action->amount != NULL ? take_dividend(import, pool, row, *action)
                                                       : rv;
}

static apr_status_t take_row(void *baton, apr_pool_t *pool, const dsc_named_row_t *row)
{
    import_t *import = baton;
    const char *symbol = row->values[SYMBOL] != NULL ? row->values[SYMBOL] : import->file_symbol;
    const char *error = row->error;
    apr_status_t rv = dsc_corrections_ready(&import->corrections);
    dsc_split_ratio_t ratio;
    action_t action;

    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (error != NULL) {
        return dsc_loader_reject(import->loader, row->location, error, row->sample);
    }
    if (has_day_first(row->values)) {
        *import->reason = apr_pstrcat(import->pool, row->location, ": ", dsc_day_first_error, NULL);
        return APR_EGENERAL;
    }
    memset(&action, 0, sizeof(action));
    action.amount =
        amount_of(pool, first_of(row->values, (const int[]){UNADJUSTED_AMOUNT, AMOUNT, -1}),
                  &error);
    action.ratio =
        ratio_of(pool, row->values, &ratio, &action.stated_ratio, &error) ? &ratio : NULL;
    if (symbol == NULL || dsc_symbol_code(pool, symbol) == NULL) {
        error = "the symbol is missing, and the file's name is none";
    }
    if (error != NULL) {
        return dsc_loader_reject(import->loader, row->location, error, row->sample);
    }
    action.location = row->location;
    action.symbol = symbol;
    action.name = row->values[NAME];
    action.type = row->values[TYPE];
    return take_actions(import, pool, row, &action);
}

/* ------------------------------------------------------------------------- a file */

/* AAPL of ".../AAPL.csv"; NULL if the name is no symbol in capitals. */
static const char *symbol_in_name(apr_pool_t *pool, const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *base = name + strlen(name);
    size_t length;

    while (base > name && base[-1] != '/' && base[-1] != ':') {
        base--;
    }
    length = strspn(base, letters);
    if (length > 0 && strchr(".-_", base[length]) != NULL &&
        strspn(base + length + 1, letters) > 0) {
        length += 1 + strspn(base + length + 1, letters); /* BRK-B, BRK.B */
    }
    return length > 0 && length <= 10 && base[length] == '.' ? apr_pstrmemdup(pool, base, length)
                                                             : NULL;
}

/* The dividends that have waited for the splits after them. */
static apr_status_t add_waiting(import_t *import)
{
    apr_status_t rv;

    for (int i = 0; i < import->waiting->nelts; i++) {
        const waiting_t *waiting = &APR_ARRAY_IDX(import->waiting, i, waiting_t);
        action_t action = {.location = waiting->location,
                           .symbol = waiting->symbol,
                           .kind = "dividend",
                           .date = waiting->date,
                           .ex_date = waiting->date,
                           .amount = waiting->amount};

        action.basis =
            dsc_price_basis_of(import->basis, waiting->symbol, waiting->date, &action.adjusted_on);
        rv = dsc_corrections_ready(&import->corrections);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        if ((rv = add(import, &action)) != APR_SUCCESS) {
            return rv;
        }
    }
    return APR_SUCCESS;
}

static apr_status_t finish(import_t *import)
{
    apr_status_t rv = add_waiting(import);

    if (rv == APR_SUCCESS) {
        rv = dsc_corrections_flush(&import->corrections);
    }
    if (rv == APR_SUCCESS && import->idle_days > 0) {
        dsc_loader_note(import->loader,
                        apr_psprintf(import->pool,
                                     "%" APR_INT64_T_FMT " days of prices without a dividend or "
                                     "split, which are no rows of this source",
                                     import->idle_days));
    }
    return rv;
}

apr_status_t dsc_load_corporate_actions(dsc_loader_t *loader, dsc_import_file_t *file,
                                        const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    import_t *import = apr_pcalloc(pool, sizeof(*import));
    apr_status_t rv;
    int is_empty;

    import->loader = loader;
    import->pool = pool;
    import->reason = reason;
    import->file_symbol = symbol_in_name(pool, file->name);
    import->seen = dsc_seen_dividends_make(pool);
    import->basis = dsc_price_basis_make(pool);
    import->waiting = apr_array_make(pool, 16, sizeof(waiting_t));
    if (!dsc_corrections_open(&import->corrections, loader, dataset, NULL, NULL, reason)) {
        return APR_EGENERAL;
    }
    rv = dsc_named_rows_read(file, pool, wanted, VALUE_COUNT, required, take_row, import, &is_empty,
                             reason);
    dsc_loader_may_be_empty(loader); /* a year of prices, or a day of a calendar, without any */
    rv = rv == APR_SUCCESS ? finish(import) : rv;
    return rv == APR_SUCCESS && dsc_loader_staged(loader) > 0
               ? dsc_loader_before_merge(loader, meet_sql, 0, NULL)
               : rv;
}
