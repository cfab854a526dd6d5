#include "sources/sec_nport/nport_set.h"

#include "engine/shape.h"
#include "loader/loader_value.h"
#include "sources/sec_nport/nport_holding.h"
#include "sources/shared/ownership_xml.h"

#include <apr_strings.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define NAMES(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

enum {
    TABLE_REPORTS,
    TABLE_REGISTRANTS,
    TABLE_FUNDS,
    TABLE_HOLDINGS = DSC_NPORT_TABLE_HOLDINGS,
    TABLE_IDENTIFIERS = DSC_NPORT_TABLE_IDENTIFIERS
};

/* A column and where its value goes. */
typedef struct {
    dsc_owned_type_t type;
    size_t place;
} value_t;

/* ------------------------------------------------------------------- columns */

/* V(names of the column, type, member) */
#define REPORT_VALUES(V)                                                                           \
    V(NAMES("filingdate"), DATE, filed_on)                                                         \
    V(NAMES("subtype"), TEXT, report.form)                                                         \
    V(NAMES("reportendingperiod"), DATE, report.fiscal_year_end)                                   \
    V(NAMES("reportdate"), DATE, report.report_date)                                               \
    V(NAMES("islastfiling"), YES_NO, report.is_final)
#define REGISTRANT_VALUES(V)                                                                       \
    V(NAMES("cik"), CIK, report.cik)                                                               \
    V(NAMES("registrantname"), TEXT, report.registrant_name)                                       \
    V(NAMES("filenum"), TEXT, report.file_number)                                                  \
    V(NAMES("lei"), TEXT, report.registrant_lei)
#define FUND_VALUES(V)                                                                             \
    V(NAMES("seriesname"), TEXT, report.series_name)                                               \
    V(NAMES("seriesid"), TEXT, report.series_id)                                                   \
    V(NAMES("serieslei"), TEXT, report.series_lei)                                                 \
    V(NAMES("totalassets"), NUMBER, report.total_assets)                                           \
    V(NAMES("totalliabilities"), NUMBER, report.total_liabilities)                                 \
    V(NAMES("netassets"), NUMBER, report.net_assets)
#define HOLDING_VALUES(V)                                                                          \
    V(NAMES("issuername"), TEXT, name)                                                             \
    V(NAMES("issuertitle"), TEXT, title)                                                           \
    V(NAMES("issuerlei"), TEXT, lei)                                                               \
    V(NAMES("issuercusip"), TEXT, cusip)                                                           \
    V(NAMES("balance"), NUMBER, balance)                                                           \
    V(NAMES("unit"), TEXT, unit)                                                                   \
    V(NAMES("otherunitdesc"), TEXT, unit_description)                                              \
    V(NAMES("currencycode"), TEXT, currency)                                                       \
    V(NAMES("exchangerate"), NUMBER, exchange_rate)                                                \
    V(NAMES("currencyvalue"), NUMBER, value)                                                       \
    V(NAMES("percentage"), NUMBER, weight_pct)                                                     \
    V(NAMES("payoffprofile"), TEXT, payoff_profile)                                                \
    V(NAMES("assetcat"), TEXT, asset_category)                                                     \
    V(NAMES("otherasset"), TEXT, asset_description)                                                \
    V(NAMES("issuertype"), TEXT, issuer_category)                                                  \
    V(NAMES("otherissuer"), TEXT, issuer_description)                                              \
    V(NAMES("investmentcountry"), TEXT, country)                                                   \
    V(NAMES("isrestrictedsecurity"), YES_NO, is_restricted)                                        \
    V(NAMES("fairvaluelevel"), TEXT, fair_value_level)                                             \
    V(NAMES("derivativecat"), TEXT, derivative_category)

#define COLUMN(names, type, member) {names, 1},
#define REPORT_VALUE(names, type, member)                                                          \
    {DSC_OWNED_##type, offsetof(dsc_nport_set_report_t, member)},
#define HOLDING_VALUE(names, type, member)                                                         \
    {DSC_OWNED_##type, offsetof(dsc_nport_holding_t, member)},

static const dsc_table_column_t report_columns[] = {REPORT_VALUES(COLUMN)};
static const dsc_table_column_t registrant_columns[] = {REGISTRANT_VALUES(COLUMN)};
static const dsc_table_column_t fund_columns[] = {FUND_VALUES(COLUMN)};
static const dsc_table_column_t holding_columns[] = {{NAMES("holdingid"), 1},
                                                     HOLDING_VALUES(COLUMN)};

enum {
    IDENTIFIER_HOLDING,
    IDENTIFIER_KEY,
    IDENTIFIER_ISIN,
    IDENTIFIER_TICKER,
    IDENTIFIER_OTHER,
    IDENTIFIER_DESCRIPTION
};

static const dsc_table_column_t identifier_columns[] = {
    [IDENTIFIER_HOLDING] = {NAMES("holdingid"), 1},
    [IDENTIFIER_KEY] = {NAMES("identifiersid"), 1},
    [IDENTIFIER_ISIN] = {NAMES("identifierisin"), 1},
    [IDENTIFIER_TICKER] = {NAMES("identifierticker"), 1},
    [IDENTIFIER_OTHER] = {NAMES("otheridentifier"), 1},
    [IDENTIFIER_DESCRIPTION] = {NAMES("otheridentifierdesc"), 1},
};

static const value_t report_values[] = {REPORT_VALUES(REPORT_VALUE)};
static const value_t registrant_values[] = {REGISTRANT_VALUES(REPORT_VALUE)};
static const value_t fund_values[] = {FUND_VALUES(REPORT_VALUE)};
static const value_t holding_values[] = {HOLDING_VALUES(HOLDING_VALUE)};

const dsc_report_table_t dsc_nport_tables[DSC_NPORT_TABLES] = {
    [TABLE_REPORTS] = {"SUBMISSION", report_columns, DSC_COUNT(report_columns),
                       .day = "filingdate"},
    [TABLE_REGISTRANTS] = {"REGISTRANT", registrant_columns, DSC_COUNT(registrant_columns),
                           .needs_rows = 1},
    [TABLE_FUNDS] = {"FUND_REPORTED_INFO", fund_columns, DSC_COUNT(fund_columns), .needs_rows = 1},
    [TABLE_HOLDINGS] = {"FUND_REPORTED_HOLDING", holding_columns, DSC_COUNT(holding_columns),
                        .has_keys = 1, .needs_rows = 1},
    [TABLE_IDENTIFIERS] = {"IDENTIFIERS", identifier_columns, DSC_COUNT(identifier_columns),
                           .by_key = 1, .needs_rows = 1},
};

/* Further tables of a set, of which nothing is taken. */
static const char *const other_tables[] = {"INTEREST_RATE_RISK",
                                           "BORROWER",
                                           "BORROW_AGGREGATE",
                                           "MONTHLY_TOTAL_RETURN",
                                           "MONTHLY_RETURN_CAT_INSTRUMENT",
                                           "FUND_VAR_INFO",
                                           "DEBT_SECURITY",
                                           "DEBT_SECURITY_REF_INSTRUMENT",
                                           "CONVERTIBLE_SECURITY_CURRENCY",
                                           "REPURCHASE_AGREEMENT",
                                           "REPURCHASE_COUNTERPARTY",
                                           "REPURCHASE_COLLATERAL",
                                           "DERIVATIVE_COUNTERPARTY",
                                           "SWAPTION_OPTION_WARNT_DERIV",
                                           "DESC_REF_INDEX_BASKET",
                                           "DESC_REF_INDEX_COMPONENT",
                                           "DESC_REF_OTHER",
                                           "FUT_FWD_NONFOREIGNCUR_CONTRACT",
                                           "FWD_FOREIGNCUR_CONTRACT_SWAP",
                                           "NONFOREIGN_EXCHANGE_SWAP",
                                           "FLOATING_RATE_RESET_TENOR",
                                           "OTHER_DERIV",
                                           "OTHER_DERIV_NOTIONAL_AMOUNT",
                                           "SECURITIES_LENDING",
                                           "EXPLANATORY_NOTE"};

int dsc_nport_set_has(const char *name)
{
    for (int i = 0; i < DSC_NPORT_TABLES; i++) {
        if (dsc_is_table_file(name, dsc_nport_tables[i].name)) {
            return 1;
        }
    }
    for (int i = 0; i < DSC_COUNT(other_tables); i++) {
        if (dsc_is_table_file(name, other_tables[i])) {
            return 1;
        }
    }
    return 0;
}

/* ------------------------------------------------------------------- reports */

/* Reads fields into a struct; `first` is the column of the first. The first error is kept, with its
 * text. */
static void read_values(apr_pool_t *pool, const dsc_table_line_t *line, int first,
                        const value_t *values, int count, void *into, const char **error,
                        const char **sample)
{
    for (int i = 0; i < count; i++) {
        const char *field = line->fields[first + i], *reason = NULL;
        const char *name = dsc_nport_tables[line->table].columns[first + i].names[0];

        field = field && strcasecmp(field, "N/A") == 0 ? NULL : field;
        *(const char **)(void *)((char *)into + values[i].place) =
            dsc_table_value(pool, name, field, values[i].type, &reason);
        if (reason && !*error) {
            *error = reason;
            *sample = field;
        }
    }
}

/* A line of one of the tables that say what a report is; each has one of it. */
static const char *read_line(apr_pool_t *pool, const dsc_table_line_t *line, int *seen,
                             dsc_nport_set_report_t *report)
{
    static const struct {
        const value_t *values;
        int count;
    } tables[] = {
        [TABLE_REPORTS] = {report_values, DSC_COUNT(report_values)},
        [TABLE_REGISTRANTS] = {registrant_values, DSC_COUNT(registrant_values)},
        [TABLE_FUNDS] = {fund_values, DSC_COUNT(fund_values)},
    };
    const char *error = NULL, *sample;

    if (*seen & (1 << line->table)) {
        return apr_psprintf(pool, "%s: the report is there twice", line->location);
    }
    *seen |= 1 << line->table;
    read_values(pool, line, 0, tables[line->table].values, tables[line->table].count, report,
                &error, &sample);
    return error ? apr_psprintf(pool, "%s: %s", line->location, error) : NULL;
}

static long long key_of(const dsc_table_line_t *line, int column)
{
    return line->fields[column] ? strtoll(line->fields[column], NULL, 10) : 0;
}

/* By the holding, identifiers then by their own keys. */
static int compare_lines(const void *one, const void *two)
{
    const dsc_table_line_t *a = *(const dsc_table_line_t *const *)one;
    const dsc_table_line_t *b = *(const dsc_table_line_t *const *)two;
    long long left = key_of(a, 0), right = key_of(b, 0);

    if (left == right && a->table == TABLE_IDENTIFIERS) {
        left = key_of(a, IDENTIFIER_KEY);
        right = key_of(b, IDENTIFIER_KEY);
    }
    return (left > right) - (left < right);
}

static void sort_lines(apr_array_header_t *lines)
{
    if (lines->nelts > 1) {
        qsort(lines->elts, (size_t)lines->nelts, sizeof(const dsc_table_line_t *), compare_lines);
    }
}

/* What a report must say to be one, as its document; NULL when it does. */
static const char *report_error(apr_pool_t *pool, const dsc_nport_set_report_t *set, int seen)
{
    const dsc_nport_report_t *report = &set->report;

    for (int table = TABLE_REGISTRANTS; table <= TABLE_FUNDS; table++) {
        if (!(seen & (1 << table))) {
            return apr_pstrcat(pool, dsc_nport_tables[table].name, ".tsv does not have the report",
                               NULL);
        }
    }
    if (!dsc_nport_is_form(report->form)) {
        return apr_psprintf(pool, "SUB_TYPE %.40s: NPORT-P and NPORT-P/A alone are public",
                            report->form ? report->form : "");
    }
    return !report->cik           ? "CIK is missing"
           : !set->filed_on       ? "FILING_DATE is missing"
           : !report->report_date ? "REPORT_DATE is missing"
           : !report->series_name && !report->registrant_name
               ? "there is neither a SERIES_NAME nor a REGISTRANT_NAME"
               : NULL;
}

dsc_nport_set_report_t *dsc_nport_set_read(apr_pool_t *pool, const apr_array_header_t *lines,
                                           const char **reason)
{
    dsc_nport_set_report_t *report = apr_pcalloc(pool, sizeof *report);
    int seen = 0;

    report->report.class_ids = apr_array_make(pool, 1, sizeof(const char *));
    report->holdings = apr_array_make(pool, lines->nelts, sizeof(const dsc_table_line_t *));
    report->others = apr_array_make(pool, lines->nelts, sizeof(const dsc_table_line_t *));
    *reason = NULL;
    for (int i = 0; i < lines->nelts && !*reason; i++) {
        const dsc_table_line_t *line = &APR_ARRAY_IDX(lines, i, dsc_table_line_t);

        if (line->table < TABLE_HOLDINGS) {
            *reason = read_line(pool, line, &seen, report);
        } else {
            APR_ARRAY_PUSH(line->table == TABLE_HOLDINGS ? report->holdings : report->others,
                           const dsc_table_line_t *) = line;
        }
    }
    *reason = *reason ? *reason : report_error(pool, report, seen);
    sort_lines(report->holdings);
    sort_lines(report->others);
    report->report.holding_count = report->holdings->nelts;
    return *reason ? NULL : report;
}

/* ------------------------------------------------------------------- holdings */

/* Adds what a line of IDENTIFIERS says of the holding. */
static void add_identifiers(apr_pool_t *pool, const dsc_table_line_t *line,
                            dsc_nport_holding_t *holding, json_t *others)
{
    const char *description = line->fields[IDENTIFIER_DESCRIPTION];

    for (int i = IDENTIFIER_ISIN; i <= IDENTIFIER_DESCRIPTION; i++) {
        if (line->fields[i] && !dsc_text_is_utf8(line->fields[i]) && !holding->error) {
            holding->error = apr_pstrcat(pool, line->location, ": not valid UTF-8", NULL);
        }
    }
    dsc_nport_identifier(pool, "isin", line->fields[IDENTIFIER_ISIN], NULL, holding, others);
    dsc_nport_identifier(pool, "ticker", line->fields[IDENTIFIER_TICKER], NULL, holding, others);
    dsc_nport_identifier(pool, "other", line->fields[IDENTIFIER_OTHER], description, holding,
                         others);
}

void dsc_nport_set_holding(apr_pool_t *pool, const dsc_nport_set_report_t *report, int place,
                           int *next, dsc_nport_holding_t *holding)
{
    const dsc_table_line_t *line = APR_ARRAY_IDX(report->holdings, place, const dsc_table_line_t *);
    const dsc_table_line_t *before = NULL;
    json_t *others = json_array();

    memset(holding, 0, sizeof *holding);
    holding->number = place + 1;
    holding->location = line->location;
    read_values(pool, line, 1, holding_values, DSC_COUNT(holding_values), holding, &holding->error,
                &holding->sample);
    dsc_nport_cusip(pool, holding, others);
    for (; *next < report->others->nelts; ++*next) {
        const dsc_table_line_t *other =
            APR_ARRAY_IDX(report->others, *next, const dsc_table_line_t *);

        if (key_of(other, 0) != key_of(line, 0)) {
            break;
        }
        if (before && key_of(other, IDENTIFIER_KEY) > 0 &&
            key_of(other, IDENTIFIER_KEY) == key_of(before, IDENTIFIER_KEY) && !holding->error) {
            holding->error =
                apr_pstrcat(pool, other->location, ": IDENTIFIERS_ID is there twice", NULL);
        }
        before = other;
        add_identifiers(pool, other, holding, others);
    }
    holding->other_identifiers = dsc_nport_others(pool, others);
}
