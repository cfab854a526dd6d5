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
    INTEGER("id", "t.id", "Number of the record."),
    TEXT("fund_ticker", "{present:t.shown_ticker}{past:n.ticker}", "Ticker of the fund; null when it is not known.",
         NULLABLE),
    TEXT("fund_name", "t.name", "Name of the fund."),
    BOOLEAN("is_etf", "{present:t.counts_as_etf}{past:n.is_etf}", "Whether it is exchange-traded."),
    CIK("registrant_cik", "i.cik", "CIK of the registrant.", NULLABLE),
    TEXT("series_id", "t.series_id", "EDGAR series.", NULLABLE),
    TEXT("form", "t.form", "Form type as filed.", NULLABLE),
    DATE("as_of_date", "t.report_date", "Day as of which the holdings are."),
    VALUE("net_assets", "t.net_assets", "USD", "Net assets.", NULLABLE),
    VALUE("total_assets", "t.total_assets", "USD", "Total assets.", NULLABLE),
    INTEGER("holding_count", "t.holding_count", "Holdings of the report."),
    VALUE("holding_value", "t.holding_value", "USD", "Sum of their values."));

static const dsc_source_t fund_source =
    ROWS("fund t JOIN issuer i ON i.issuer_id = t.issuer_id" FUND_THEN("t.issuer_id", "t.row_id"), "t.report_date",
         "date");

static const dsc_shape_t holding_shape = SHAPE("FundHolding", "A holding of a fund, as filed.",
    INTEGER("id", "t.id", "Number of the record."),
    TEXT("symbol", "{present:t.symbol}{past:symbol_then(t.company_id, t.symbol, {value:as_of})}",
         "Listing of the security; null when it is not known for sure.", NULLABLE),
    TEXT("name", "t.name", "Issuer, as filed.", NULLABLE),
    TEXT("title", "t.title", "Title of the issue, as filed.", NULLABLE),
    TEXT("cusip", "t.cusip", "CUSIP.", NULLABLE),
    TEXT("isin", "t.isin", "ISIN.", NULLABLE),
    DECIMAL("balance", "t.balance", "Balance, in units.", NULLABLE),
    TEXT("unit", "t.unit", "NS shares, PA principal amount, NC contracts, OU other.", NULLABLE),
    VALUE("value", "t.value", "USD", "Value.", NULLABLE),
    DECIMAL("weight_pct", "t.weight_pct", "Percent of the fund's net assets, as filed.", NULLABLE),
    TEXT("payoff_profile", "t.payoff_profile", "Long or Short.", NULLABLE),
    TEXT("asset_category", "t.asset_category", "Asset category of Form N-PORT.", NULLABLE),
    TEXT("derivative_category", "t.derivative_category", "Derivative category of Form N-PORT.", NULLABLE));

static const dsc_source_t holding_source = ROWS("fund_holding t", "t.row_number", "bigint");

static const dsc_shape_t class_shape = SHAPE("FundClass", "A class of shares of a fund.",
    TEXT("class_id", "t.class_id", "EDGAR class."),
    TEXT("series_id", "t.series_id", "EDGAR series.", NULLABLE),
    TEXT("name", "t.name", "Name of the class.", NULLABLE),
    TEXT("ticker", "t.ticker", "Its ticker.", NULLABLE));

static const dsc_source_t class_source = ROWS("fund_class t", "t.class_id", "text");

/* The hundredth of a percentage is an exact shift of its decimal point. */
static const dsc_shape_t exposure_shape = SHAPE("FundExposure", "What a fund holds of a company.",
    TEXT("fund_ticker", "{present:t.fund_ticker}{past:n.ticker}", "Ticker of the fund; null when it is not known.",
         NULLABLE),
    TEXT("fund_name", "t.fund_name", "Name of the fund."),
    DECIMAL("weight", "t.weight_pct * 0.01",
            "Share of the fund's net assets, as a fraction; negative for a short position.", NULLABLE),
    DECIMAL("weight_pct", "t.weight_pct", "The same in percent, as filed.", NULLABLE),
    DECIMAL("shares", "t.shares", "Shares of the company that the fund holds, of all its equity securities.",
            NULLABLE),
    VALUE("market_value", "t.value", "USD", "Their value.", NULLABLE),
    DATE("as_of_date", "t.report_date", "Day as of which the fund reported them."),
    TEXT("payoff_profile", "t.payoff_profile", "Long, Short, or Long and Short: the numbers are then net."),
    BOOLEAN("is_etf", "{present:t.is_etf}{past:n.is_etf}", "Whether the fund is exchange-traded."),
    PROVENANCE("fund_exposure", "The fund's report."));

static const dsc_source_t exposure_source =
    ROWS("fund_exposure t" FUND_THEN("t.registrant_id", "t.fund_row"), "t.weight_order", "numeric",
         .orders = ORDERS({"weight", "t.weight_order", "numeric"}, {"value", "t.value_order", "numeric"}));

const dsc_dataset_t dsc_dataset_fund = {
    DATASET("fund", "fund", "Reports of funds: Form N-PORT"),
    COLUMNS(
        KEY(TEXT, "fund_key",
            "the same in all reports of the fund: the series (S000012345), or registrant where there is none"),
        REQUIRED(TEXT, "name", "name of the series, else of the registrant"),
        COLUMN(TEXT, "registrant_name", "name of the registrant, as filed"),
        COLUMN(TEXT, "series_id", "EDGAR series, S and nine digits"),
        COLUMN(TEXTS, "class_ids", "EDGAR classes of the series, C and nine digits"),
        COLUMN(TEXT, "file_number", "file number under the Investment Company Act, 811-..."),
        COLUMN(TEXT, "registrant_lei", "LEI of the registrant"),
        COLUMN(TEXT, "series_lei", "LEI of the series"),
        COLUMN(TEXT, "form", "NPORT-P or NPORT-P/A; absent: from another source"),
        COLUMN(DATE, "fiscal_year_end", "end of the fiscal year"),
        KEY(DATE, "report_date", "day as of which the holdings are"),
        COLUMN(BOOLEAN, "is_final", "whether the fund says that it is its last report"),
        COLUMN(DATE, "signed_on", "day of the signature"),
        COLUMN(DECIMAL, "net_assets", "in USD"),
        COLUMN(DECIMAL, "total_assets", "in USD"),
        COLUMN(DECIMAL, "total_liabilities", "in USD"),
        COLUMN(DATE, "filed_on", "date of filing", .flags = DSC_COLUMN_FORWARD_FILLED | DSC_COLUMN_NOT_COMPARED),
        COLUMN(DATETIME, "accepted_at", "when EDGAR accepted it, UTC",
               .flags = DSC_COLUMN_FORWARD_FILLED | DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXT, "ticker", "ticker of the fund, where the source states it"),
        COLUMN(BOOLEAN, "is_etf", "whether it is exchange-traded, where the source states it")),
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
        KEY(INTEGER, "row_number", "place in the report, from 1"),
        COLUMN(TEXT, "name", "issuer, as filed"),
        COLUMN(TEXT, "title", "title of the issue or description, as filed"),
        COLUMN(TEXT, "lei", "LEI of the issuer, as filed"),
        COLUMN(TEXT, "cusip", "CUSIP, upper case; nine zeros are none"),
        COLUMN(TEXT, "isin", "ISIN, upper case"),
        COLUMN(TEXT, "ticker", "ticker, upper case; the first where there are several"),
        COLUMN(JSON, "other_identifiers", "further identifiers, as filed: [{\"type\",\"value\"}]"),
        COLUMN(DECIMAL, "balance", "in units"),
        COLUMN(TEXT, "unit", "of the balance: NS shares, PA principal amount, NC contracts, OU other",
               .choices = unit_choices),
        COLUMN(TEXT, "unit_description", "of other units"),
        COLUMN(TEXT, "currency", "currency of the investment, ISO 4217"),
        COLUMN(DECIMAL, "exchange_rate", "units of that currency for a US dollar, as filed"),
        COLUMN(DECIMAL, "value", "in USD"),
        COLUMN(DECIMAL, "weight_pct", "percent of the fund's net assets, as filed"),
        COLUMN(TEXT, "payoff_profile", "absent for most derivatives", .choices = payoff_choices),
        COLUMN(TEXT, "asset_category",
               "EC common stock, EP preferred stock, DBT debt, STIV short-term vehicle, D... derivatives, ..."),
        COLUMN(TEXT, "asset_description", "of other assets"),
        COLUMN(TEXT, "issuer_category", "CORP, UST, MUN, RF registered fund, ..."),
        COLUMN(TEXT, "issuer_description", "of other issuers"),
        COLUMN(TEXT, "country", "of investment, ISO 3166-1 alpha-2"),
        COLUMN(BOOLEAN, "is_restricted", "a restricted security"),
        COLUMN(INTEGER, "fair_value_level", "1, 2 or 3 (ASC 820)"),
        COLUMN(TEXT, "derivative_category",
               "FWD forward, FUT future, SWP swap, OPT option, SWO swaption, WAR warrant, OTH other")),
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
        FORWARD_FILLED(TEXT, "series_id", "its series, S and nine digits"),
        FORWARD_FILLED(TEXT, "name", "name of the class"),
        FORWARD_FILLED(TEXT, "ticker", "upper case")),
    .flags = DSC_LAST_COUNTS,
    .date_column = "known_at",
    .reconcile = "reconcile_funds",
    SHOWN(class_source, class_shape),
};

const dsc_dataset_t dsc_dataset_fund_exposure = {
    DATASET("fund_exposure", "fund_exposure", "What funds hold of companies; derived from fund and fund_holding"),
    .flags = DSC_DERIVED,
    .date_column = "known_at",
    .reconcile = "reconcile_funds",
    SHOWN(exposure_source, exposure_shape),
};

/* ---------------------------------------------------------------------- endpoint */

CHOICES(sort_choices, "weight", "value");

static const dsc_shape_t count_shape = SHAPE("FundCount", "How many funds hold the company.",
    INTEGER("fund_count", "p.fund_count", "Funds that hold the company, whatever the list is filtered by."));

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
        QUERY(LITERAL, "sort", "What orders the funds: the weight of the company in them, or the value that they hold.",
              .choices = sort_choices, .default_text = "weight"),
        QUERY(BOOLEAN, "etfs_only", "Only exchange-traded funds.", .default_text = "false",
              .predicate = "{present:t.is_etf}{past:n.is_etf}"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("what sort says"),
        DSC_PARAMETER_AS_OF),
    .flags = DSC_WITH_COMPANY | DSC_ALPHA,
    .parent = &fund_count,
    .not_found = "There is no company with the symbol \"%s\".",
};
