/* Funds and what they hold: Form N-PORT under the Investment Company Act.
 *
 * fund           one record for each report of a fund; the issuer is the registrant. Which report of a
 *                fund stands is reconciled: the one for the latest day, from when it was public.
 * fund_holding   one record for each row of a report, as filed; it stands as long as its report.
 * fund_class     classes of shares and their tickers.
 * fund_exposure  derived: what a fund holds of a company. Its issuer is the company. */
#include "datasets/datasets.h"

CHOICES(unit_choices, "NS", "PA", "OU", "NC");
CHOICES(payoff_choices, "Long", "Short");

/* ---------------------------------------------------------------------- served */

/* As of an instant, n has the ticker of the report's fund, and whether it was exchange-traded. */
#define FUND_THEN(registrant, row)                                                                \
    "{past: LEFT JOIN LATERAL fund_named(" registrant ", " row ", {value:as_of}) n ON true}"

static const dsc_shape_t fund_shape = SHAPE("Fund", "A report of a fund.",
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),
    TEXT("fund_ticker", "{present:t.shown_ticker}{past:n.ticker}", "Ticker of the fund; null if unknown.",
         NULLABLE),
    TEXT("fund_name", "t.name", "Name of the fund."),
    BOOLEAN("is_etf", "{present:t.counts_as_etf}{past:n.is_etf}", "Whether the fund is exchange-traded."),
    CIK("registrant_cik", "i.cik", "CIK of the registrant; null if it has none.", NULLABLE),
    TEXT("series_id", "t.series_id", "EDGAR series ID; null if there is none.", NULLABLE),
    TEXT("form", "t.form", "Form type, as filed.", NULLABLE),
    DATE("as_of_date", "t.report_date", "Date as of which the fund reports its holdings."),
    VALUE("net_assets", "t.net_assets", "USD", "Net assets in USD; null if not stated.", NULLABLE),
    VALUE("total_assets", "t.total_assets", "USD", "Total assets in USD; null if not stated.", NULLABLE),
    INTEGER("holding_count", "t.holding_count", "Number of holdings in the report."),
    VALUE("holding_value", "t.holding_value", "USD", "Sum of the values of the holdings in USD."));

static const dsc_source_t fund_source =
    ROWS("fund t JOIN issuer i ON i.issuer_id = t.issuer_id" FUND_THEN("t.issuer_id", "t.row_id"), "t.report_date",
         "date");

static const dsc_shape_t holding_shape = SHAPE("FundHolding", "A holding of a fund, as filed.",
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),
    TEXT("symbol", "{present:t.symbol}{past:symbol_then(t.company_id, t.symbol, {value:as_of})}",
         "Symbol (TICKER:MARKET) of the security's listing; null if it is not known for certain.", NULLABLE),
    TEXT("name", "t.name", "Name of the issuer, as filed; null if not stated.", NULLABLE),
    TEXT("title", "t.title", "Title of the issue, as filed; null if not stated.", NULLABLE),
    TEXT("cusip", "t.cusip", "CUSIP; null if not stated.", NULLABLE),
    TEXT("isin", "t.isin", "ISIN; null if not stated.", NULLABLE),
    DECIMAL("balance", "t.balance", "Balance, in the unit that `unit` states; null if not stated.", NULLABLE),
    TEXT("unit", "t.unit", "Unit of the balance: NS shares, PA principal amount, NC contracts, OU other; null if not stated.", NULLABLE),
    VALUE("value", "t.value", "USD", "Value in USD; null if not stated.", NULLABLE),
    DECIMAL("weight_pct", "t.weight_pct", "Value in percent of the fund's net assets, as filed; null if not stated.", NULLABLE),
    TEXT("payoff_profile", "t.payoff_profile", "Payoff profile: Long or Short; null if not stated.", NULLABLE),
    TEXT("asset_category", "t.asset_category", "Asset category of Form N-PORT; null if not stated.", NULLABLE),
    TEXT("derivative_category", "t.derivative_category", "Derivative category of Form N-PORT; null if it is no derivative or none is stated.", NULLABLE));

static const dsc_source_t holding_source = ROWS("fund_holding t", "t.row_number", "bigint");

static const dsc_shape_t class_shape = SHAPE("FundClass", "A class of shares of a fund.",
    TEXT("class_id", "t.class_id", "EDGAR class ID."),
    TEXT("series_id", "t.series_id", "EDGAR series ID; null if there is none.", NULLABLE),
    TEXT("name", "t.name", "Name of the class; null if unknown.", NULLABLE),
    TEXT("ticker", "t.ticker", "Ticker of the class; null if unknown.", NULLABLE));

static const dsc_source_t class_source = ROWS("fund_class t", "t.class_id", "text");

/* The hundredth of a percentage is an exact shift of its decimal point. */
static const dsc_shape_t exposure_shape = SHAPE("FundExposure", "A fund's holding of a company.",
    TEXT("fund_ticker", "{present:t.fund_ticker}{past:n.ticker}", "Ticker of the fund; null if unknown.",
         NULLABLE),
    TEXT("fund_name", "t.fund_name", "Name of the fund."),
    DECIMAL("weight", "t.weight_pct * 0.01",
            "Weight in the fund's net assets, as a fraction; negative for a short position; null if weight_pct is.", NULLABLE),
    DECIMAL("weight_pct", "t.weight_pct", "Weight in percent, as filed, or else computed from the value and the net assets; null if neither is known.", NULLABLE),
    DECIMAL("shares", "t.shares", "Number of shares that the fund holds, over all equity securities of the company; null if not stated.",
            NULLABLE),
    VALUE("market_value", "t.value", "USD", "Market value of the holding in USD; null if not stated.", NULLABLE),
    DATE("as_of_date", "t.report_date", "Date as of which the fund reported the holding."),
    TEXT("payoff_profile", "t.payoff_profile", "Payoff profile: Long, Short, or Long and Short, in which case the numbers are net."),
    BOOLEAN("is_etf", "{present:t.is_etf}{past:n.is_etf}", "Whether the fund is exchange-traded."),
    PROVENANCE("fund_exposure", "The fund's report."));

static const dsc_source_t exposure_source =
    ROWS("fund_exposure t" FUND_THEN("t.registrant_id", "t.fund_row"), "t.weight_order", "numeric",
         .orders = ORDERS({"weight", "t.weight_order", "numeric"}, {"value", "t.value_order", "numeric"}));

const dsc_dataset_t dsc_dataset_fund = {
    DATASET("fund", "fund", "Reports of funds: Form N-PORT"),
    COLUMNS(
        KEY(TEXT, "fund_key",
            "the same in all reports of the fund: the series (S000012345), or registrant if there is no series"),
        REQUIRED(TEXT, "name", "name of the series, or else of the registrant"),
        COLUMN(TEXT, "registrant_name", "name of the registrant, as filed"),
        COLUMN(TEXT, "series_id", "EDGAR series, S and nine digits"),
        COLUMN(TEXTS, "class_ids", "EDGAR classes of the series, C and nine digits"),
        COLUMN(TEXT, "file_number", "file number under the Investment Company Act, 811-..."),
        COLUMN(TEXT, "registrant_lei", "LEI of the registrant"),
        COLUMN(TEXT, "series_lei", "LEI of the series"),
        COLUMN(TEXT, "form", "NPORT-P or NPORT-P/A; absent: from another source"),
        COLUMN(DATE, "fiscal_year_end", "end of the fiscal year"),
        KEY(DATE, "report_date", "date as of which the fund reports its holdings"),
        COLUMN(BOOLEAN, "is_final", "whether the fund states that this is its last report"),
        COLUMN(DATE, "signed_on", "date of signature"),
        COLUMN(DECIMAL, "net_assets", "amount in USD"),
        COLUMN(DECIMAL, "total_assets", "amount in USD"),
        COLUMN(DECIMAL, "total_liabilities", "amount in USD"),
        COLUMN(DATE, "filed_on", "filing date", .flags = DSC_COLUMN_FORWARD_FILLED | DSC_COLUMN_NOT_COMPARED),
        COLUMN(DATETIME, "accepted_at", "acceptance time at EDGAR, UTC",
               .flags = DSC_COLUMN_FORWARD_FILLED | DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXT, "ticker", "ticker of the fund, if the source states it"),
        COLUMN(BOOLEAN, "is_etf", "whether the fund is exchange-traded, if the source states it")),
    .key_form = "{fund_key}/{report_date}",
    .flags = DSC_OF_FILINGS | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION,
    .date_column = "filed_on",
    .reconcile = "reconcile_funds",
    .follows = FOLLOWS({"filing", "redate_funds"}, {"listing", "remap_listed_funds"},
                       {"security", "remap_linked_funds"}),
    SHOWN(fund_source, fund_shape),
};

const dsc_dataset_t dsc_dataset_fund_holding = {
    DATASET("fund_holding", "fund_holding", "Holdings of funds: Form N-PORT"),
    .keeps = "security_link security_title",
    COLUMNS(
        KEY(TEXT, "report_key", "record key of the report in dataset fund"),
        KEY(INTEGER, "row_number", "number of the row in the report, from 1"),
        COLUMN(TEXT, "name", "name of the issuer, as filed"),
        COLUMN(TEXT, "title", "title or description of the issue, as filed"),
        COLUMN(TEXT, "lei", "LEI of the issuer, as filed"),
        COLUMN(TEXT, "cusip", "CUSIP, upper case; nine zeros mean none"),
        COLUMN(TEXT, "isin", "ISIN, upper case"),
        COLUMN(TEXT, "ticker", "ticker, upper case; the first one if there are several"),
        COLUMN(JSON, "other_identifiers", "further identifiers, as filed: [{\"type\",\"value\"}]"),
        COLUMN(DECIMAL, "balance", "balance, in the unit that unit states"),
        COLUMN(TEXT, "unit", "unit of the balance: NS shares, PA principal amount, NC contracts, OU other",
               .choices = unit_choices),
        COLUMN(TEXT, "unit_description", "description of the unit, if it is OU"),
        COLUMN(TEXT, "currency", "currency of the investment, ISO 4217"),
        COLUMN(DECIMAL, "exchange_rate", "units of that currency per US dollar, as filed"),
        COLUMN(DECIMAL, "value", "amount in USD"),
        COLUMN(DECIMAL, "weight_pct", "percent of the fund's net assets, as filed"),
        COLUMN(TEXT, "payoff_profile", "payoff profile; absent for most derivatives", .choices = payoff_choices),
        COLUMN(TEXT, "asset_category",
               "asset category: EC common stock, EP preferred stock, DBT debt, STIV short-term vehicle, D... derivatives, ..."),
        COLUMN(TEXT, "asset_description", "description of the asset, if its category is other"),
        COLUMN(TEXT, "issuer_category", "issuer category: CORP, UST, MUN, RF registered fund, ..."),
        COLUMN(TEXT, "issuer_description", "description of the issuer, if its category is other"),
        COLUMN(TEXT, "country", "country of the investment, ISO 3166-1 alpha-2"),
        COLUMN(BOOLEAN, "is_restricted", "whether the security is restricted"),
        COLUMN(INTEGER, "fair_value_level", "level in the fair value hierarchy: 1, 2 or 3 (ASC 820)"),
        COLUMN(TEXT, "derivative_category",
               "derivative category: FWD forward, FUT future, SWP swap, OPT option, SWO swaption, WAR warrant, OTH other")),
    .key_form = "{report_key}/{row_number}",
    .flags = DSC_OF_FILINGS | DSC_LAST_COUNTS,
    .date_column = "known_at",
    .expect = "expected_fund_companies()",
    .expected = EXPECTED("company_id", "symbol"),
    .reconcile = "reconcile_funds",
    SHOWN(holding_source, holding_shape),
};

const dsc_dataset_t dsc_dataset_fund_class = {
    DATASET("fund_class", "fund_class", "Classes of shares of funds and their tickers"),
    COLUMNS(
        KEY(TEXT, "class_id", "EDGAR class, C and nine digits"),
        FORWARD_FILLED(TEXT, "series_id", "EDGAR series of the class, S and nine digits"),
        FORWARD_FILLED(TEXT, "name", "name of the class"),
        FORWARD_FILLED(TEXT, "ticker", "upper case")),
    .flags = DSC_LAST_COUNTS,
    .date_column = "known_at",
    .reconcile = "reconcile_funds",
    SHOWN(class_source, class_shape),
};

const dsc_dataset_t dsc_dataset_fund_exposure = {
    DATASET("fund_exposure", "fund_exposure", "Holdings of companies by funds; derived from fund and fund_holding"),
    .flags = DSC_DERIVED,
    .date_column = "known_at",
    .reconcile = "reconcile_funds",
    SHOWN(exposure_source, exposure_shape),
};

/* ---------------------------------------------------------------------- endpoint */

CHOICES(sort_choices, "weight", "value");

static const dsc_shape_t count_shape = SHAPE("FundCount", "Number of funds that hold the company.",
    INTEGER("fund_count", "p.fund_count", "Number of funds that hold the company, whatever the filters of the list."));

/* The kept number; only the past, which nobody keeps, is counted when it is asked for. */
static const dsc_parent_t fund_count = {
    .parameter = "symbol",
    .from =
        "(SELECT CASE WHEN {value:as_of} IS NULL"
        " THEN coalesce((SELECT s.record_count FROM dataset_issuer_stat s"
        " WHERE s.issuer_id = ? AND s.dataset = 'fund_exposure'), 0)"
        " ELSE (SELECT count(*) FROM fund_exposure x WHERE x.issuer_id = ? AND {now:x}) END"
        " AS fund_count) p",
    .shape = &count_shape,
};

const dsc_endpoint_t dsc_endpoint_fund_exposure = {
    GET("list_fund_exposure", "/v1/companies/{symbol}/fund-exposure"),
    ABOUT("Funds", "Funds that hold a company."),
    LIST(exposure_source, exposure_shape),
    PARAMETERS(
        DSC_PARAMETER_COMPANY,
        QUERY(LITERAL, "sort", "Sort order: the company's weight in the fund, or the market value that the fund holds.",
              .choices = sort_choices, .default_text = "weight"),
        QUERY(BOOLEAN, "etfs_only", "Only exchange-traded funds.", .default_text = "false",
              .predicate = "{present:t.is_etf}{past:n.is_etf}"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("the number that sort names"),
        DSC_PARAMETER_AS_OF),
    .flags = DSC_WITH_COMPANY | DSC_ALPHA,
    .parent = &fund_count,
    .not_found = "There is no company with the symbol \"%s\".",
};
