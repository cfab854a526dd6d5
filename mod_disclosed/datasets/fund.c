/* Funds and what they hold: Form N-PORT under the Investment Company Act.
 *
 * fund           one record for each report of a fund; the issuer is the registrant. Which report of a
 *                fund stands is settled: the one for the latest day, from when it was public.
 * fund_holding   one record for each row of a report, as filed; it stands as long as its report.
 * fund_class     classes of shares and their tickers.
 * fund_exposure  derived: what a fund holds of a company. Its issuer is the company. */
#include "datasets/datasets.h"

static const char *const unit_choices[] = {"NS", "PA", "OU", "NC", NULL};
static const char *const payoff_choices[] = {"Long", "Short", NULL};

static const dsc_column_t fund_columns[] = {
    {"fund_key", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL,
     "the same in all reports of the fund: the series (S000012345), or registrant where there is none"},
    {"name", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "name of the series, else of the registrant"},
    {"registrant_name", DSC_COLUMN_TEXT, 0, NULL, "name of the registrant, as filed"},
    {"series_id", DSC_COLUMN_TEXT, 0, NULL, "EDGAR series, S and nine digits"},
    {"class_ids", DSC_COLUMN_TEXTS, 0, NULL, "EDGAR classes of the series, C and nine digits"},
    {"file_number", DSC_COLUMN_TEXT, 0, NULL, "file number under the Investment Company Act, 811-..."},
    {"registrant_lei", DSC_COLUMN_TEXT, 0, NULL, "LEI of the registrant"},
    {"series_lei", DSC_COLUMN_TEXT, 0, NULL, "LEI of the series"},
    {"form", DSC_COLUMN_TEXT, 0, NULL, "NPORT-P or NPORT-P/A; absent: from another source"},
    {"fiscal_year_end", DSC_COLUMN_DATE, 0, NULL, "end of the fiscal year"},
    {"report_date", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL,
     "day as of which the holdings are"},
    {"is_final", DSC_COLUMN_BOOLEAN, 0, NULL, "whether the fund says that it is its last report"},
    {"net_assets", DSC_COLUMN_DECIMAL, 0, NULL, "in USD"},
    {"total_assets", DSC_COLUMN_DECIMAL, 0, NULL, "in USD"},
    {"total_liabilities", DSC_COLUMN_DECIMAL, 0, NULL, "in USD"},
    {"filed_on", DSC_COLUMN_DATE, DSC_COLUMN_CARRIED | DSC_COLUMN_NOT_COMPARED, NULL,
     "date of filing"},
    {"accepted_at", DSC_COLUMN_DATETIME, DSC_COLUMN_CARRIED | DSC_COLUMN_NOT_COMPARED, NULL,
     "when EDGAR accepted it, UTC"},
    {"ticker", DSC_COLUMN_TEXT, 0, NULL, "ticker of the fund, where the source states it"},
    {"is_etf", DSC_COLUMN_BOOLEAN, 0, NULL,
     "whether it is exchange-traded, where the source states it"},
};

static const dsc_column_t holding_columns[] = {
    {"report_key", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL,
     "record key of the report in dataset fund"},
    {"row_number", DSC_COLUMN_INTEGER, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL,
     "place in the report, from 1"},
    {"name", DSC_COLUMN_TEXT, 0, NULL, "issuer, as filed"},
    {"title", DSC_COLUMN_TEXT, 0, NULL, "title of the issue or description, as filed"},
    {"lei", DSC_COLUMN_TEXT, 0, NULL, "LEI of the issuer, as filed"},
    {"cusip", DSC_COLUMN_TEXT, 0, NULL, "CUSIP, upper case; nine zeros are none"},
    {"isin", DSC_COLUMN_TEXT, 0, NULL, "ISIN, upper case"},
    {"ticker", DSC_COLUMN_TEXT, 0, NULL, "ticker, upper case; the first where there are several"},
    {"other_identifiers", DSC_COLUMN_JSON, 0, NULL,
     "further identifiers, as filed: [{\"type\",\"value\"}]"},
    {"balance", DSC_COLUMN_DECIMAL, 0, NULL, "in units"},
    {"unit", DSC_COLUMN_TEXT, 0, unit_choices,
     "of the balance: NS shares, PA principal amount, NC contracts, OU other"},
    {"unit_description", DSC_COLUMN_TEXT, 0, NULL, "of other units"},
    {"currency", DSC_COLUMN_TEXT, 0, NULL, "currency of the investment, ISO 4217"},
    {"exchange_rate", DSC_COLUMN_DECIMAL, 0, NULL, "units of that currency for a US dollar, as filed"},
    {"value", DSC_COLUMN_DECIMAL, 0, NULL, "in USD"},
    {"weight_pct", DSC_COLUMN_DECIMAL, 0, NULL, "percent of the fund's net assets, as filed"},
    {"payoff_profile", DSC_COLUMN_TEXT, 0, payoff_choices, "absent for most derivatives"},
    {"asset_category", DSC_COLUMN_TEXT, 0, NULL,
     "EC common stock, EP preferred stock, DBT debt, STIV short-term vehicle, D... derivatives, ..."},
    {"asset_description", DSC_COLUMN_TEXT, 0, NULL, "of other assets"},
    {"issuer_category", DSC_COLUMN_TEXT, 0, NULL, "CORP, UST, MUN, RF registered fund, ..."},
    {"issuer_description", DSC_COLUMN_TEXT, 0, NULL, "of other issuers"},
    {"country", DSC_COLUMN_TEXT, 0, NULL, "of investment, ISO 3166-1 alpha-2"},
    {"is_restricted", DSC_COLUMN_BOOLEAN, 0, NULL, "a restricted security"},
    {"fair_value_level", DSC_COLUMN_INTEGER, 0, NULL, "1, 2 or 3 (ASC 820)"},
    {"derivative_category", DSC_COLUMN_TEXT, 0, NULL,
     "FWD forward, FUT future, SWP swap, OPT option, SWO swaption, WAR warrant, OTH other"},
};

static const dsc_column_t class_columns[] = {
    {"class_id", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL,
     "EDGAR class, C and nine digits"},
    {"series_id", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "its series, S and nine digits"},
    {"name", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "name of the class"},
    {"ticker", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "upper case"},
};

/* ---------------------------------------------------------------------- served */

/* As of an instant, n has the ticker of the report's fund, and whether it was exchange-traded. */
#define FUND_THEN(registrant, row)                                                                \
    "{past: LEFT JOIN LATERAL fund_named(" registrant ", " row ", {value:as_of}) n ON true}"

static const dsc_field_t fund_fields[] = {
    {"id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "Number of the record."},
    {"fund_ticker", DSC_FIELD_TEXT, DSC_NULLABLE, "{present:t.shown_ticker}{past:n.ticker}", NULL, NULL, NULL, NULL,
     "Ticker of the fund; null when it is not known."},
    {"fund_name", DSC_FIELD_TEXT, 0, "t.name", NULL, NULL, NULL, NULL, "Name of the fund."},
    {"is_etf", DSC_FIELD_BOOLEAN, 0, "{present:t.counts_as_etf}{past:n.is_etf}", NULL, NULL, NULL, NULL,
     "Whether it is exchange-traded."},
    {"registrant_cik", DSC_FIELD_CIK, DSC_NULLABLE, "i.cik", NULL, NULL, NULL, NULL,
     "CIK of the registrant."},
    {"series_id", DSC_FIELD_TEXT, DSC_NULLABLE, "t.series_id", NULL, NULL, NULL, NULL,
     "EDGAR series."},
    {"form", DSC_FIELD_TEXT, DSC_NULLABLE, "t.form", NULL, NULL, NULL, NULL, "Form type as filed."},
    {"as_of_date", DSC_FIELD_DATE, 0, "t.report_date", NULL, NULL, NULL, NULL,
     "Day as of which the holdings are."},
    {"net_assets", DSC_FIELD_VALUE, DSC_NULLABLE, "t.net_assets", "USD", NULL, NULL, NULL,
     "Net assets."},
    {"total_assets", DSC_FIELD_VALUE, DSC_NULLABLE, "t.total_assets", "USD", NULL, NULL, NULL,
     "Total assets."},
    {"holding_count", DSC_FIELD_INTEGER, 0, "t.holding_count", NULL, NULL, NULL, NULL,
     "Holdings of the report."},
    {"holding_value", DSC_FIELD_VALUE, 0, "t.holding_value", "USD", NULL, NULL, NULL,
     "Sum of their values."},
};

static const dsc_shape_t fund_shape = {"Fund", "A report of a fund.", fund_fields,
                                       DSC_COUNT(fund_fields)};

static const dsc_source_t fund_source = {
    .from = "fund t JOIN issuer i ON i.issuer_id = t.issuer_id" FUND_THEN("t.issuer_id", "t.row_id"),
    .order = "t.report_date",
    .order_type = "date",
    .tie = "t.id"};

static const dsc_field_t holding_fields[] = {
    {"id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "Number of the record."},
    {"symbol", DSC_FIELD_TEXT, DSC_NULLABLE,
     "{present:t.symbol}{past:symbol_then(t.company_id, t.symbol, {value:as_of})}", NULL, NULL, NULL,
     NULL, "Listing of the security; null when it is not known for sure."},
    {"name", DSC_FIELD_TEXT, DSC_NULLABLE, "t.name", NULL, NULL, NULL, NULL, "Issuer, as filed."},
    {"title", DSC_FIELD_TEXT, DSC_NULLABLE, "t.title", NULL, NULL, NULL, NULL,
     "Title of the issue, as filed."},
    {"cusip", DSC_FIELD_TEXT, DSC_NULLABLE, "t.cusip", NULL, NULL, NULL, NULL, "CUSIP."},
    {"isin", DSC_FIELD_TEXT, DSC_NULLABLE, "t.isin", NULL, NULL, NULL, NULL, "ISIN."},
    {"balance", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.balance", NULL, NULL, NULL, NULL,
     "Balance, in units."},
    {"unit", DSC_FIELD_TEXT, DSC_NULLABLE, "t.unit", NULL, NULL, NULL, NULL,
     "NS shares, PA principal amount, NC contracts, OU other."},
    {"value", DSC_FIELD_VALUE, DSC_NULLABLE, "t.value", "USD", NULL, NULL, NULL, "Value."},
    {"weight_pct", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.weight_pct", NULL, NULL, NULL, NULL,
     "Percent of the fund's net assets, as filed."},
    {"payoff_profile", DSC_FIELD_TEXT, DSC_NULLABLE, "t.payoff_profile", NULL, NULL, NULL, NULL,
     "Long or Short."},
    {"asset_category", DSC_FIELD_TEXT, DSC_NULLABLE, "t.asset_category", NULL, NULL, NULL, NULL,
     "Asset category of Form N-PORT."},
    {"derivative_category", DSC_FIELD_TEXT, DSC_NULLABLE, "t.derivative_category", NULL, NULL, NULL,
     NULL, "Derivative category of Form N-PORT."},
};

static const dsc_shape_t holding_shape = {"FundHolding", "A holding of a fund, as filed.",
                                          holding_fields, DSC_COUNT(holding_fields)};

static const dsc_source_t holding_source = {
    .from = "fund_holding t", .order = "t.row_number", .order_type = "bigint", .tie = "t.id"};

static const dsc_field_t class_fields[] = {
    {"class_id", DSC_FIELD_TEXT, 0, "t.class_id", NULL, NULL, NULL, NULL, "EDGAR class."},
    {"series_id", DSC_FIELD_TEXT, DSC_NULLABLE, "t.series_id", NULL, NULL, NULL, NULL,
     "EDGAR series."},
    {"name", DSC_FIELD_TEXT, DSC_NULLABLE, "t.name", NULL, NULL, NULL, NULL, "Name of the class."},
    {"ticker", DSC_FIELD_TEXT, DSC_NULLABLE, "t.ticker", NULL, NULL, NULL, NULL, "Its ticker."},
};

static const dsc_shape_t class_shape = {"FundClass", "A class of shares of a fund.", class_fields,
                                        DSC_COUNT(class_fields)};

static const dsc_source_t class_source = {
    .from = "fund_class t", .order = "t.class_id", .order_type = "text", .tie = "t.id"};

/* The hundredth of a percentage is an exact shift of its decimal point. */
static const dsc_field_t exposure_fields[] = {
    {"fund_ticker", DSC_FIELD_TEXT, DSC_NULLABLE, "{present:t.fund_ticker}{past:n.ticker}", NULL, NULL, NULL, NULL,
     "Ticker of the fund; null when it is not known."},
    {"fund_name", DSC_FIELD_TEXT, 0, "t.fund_name", NULL, NULL, NULL, NULL, "Name of the fund."},
    {"weight", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.weight_pct * 0.01", NULL, NULL, NULL, NULL,
     "Share of the fund's net assets, as a fraction; negative for a short position."},
    {"weight_pct", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.weight_pct", NULL, NULL, NULL, NULL,
     "The same in percent, as filed."},
    {"shares", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.shares", NULL, NULL, NULL, NULL,
     "Shares of the company that the fund holds, of all its equity securities."},
    {"market_value", DSC_FIELD_VALUE, DSC_NULLABLE, "t.value", "USD", NULL, NULL, NULL,
     "Their value."},
    {"as_of_date", DSC_FIELD_DATE, 0, "t.report_date", NULL, NULL, NULL, NULL,
     "Day as of which the fund reported them."},
    {"payoff_profile", DSC_FIELD_TEXT, 0, "t.payoff_profile", NULL, NULL, NULL, NULL,
     "Long, Short, or Long and Short: the numbers are then net."},
    {"is_etf", DSC_FIELD_BOOLEAN, 0, "{present:t.is_etf}{past:n.is_etf}", NULL, NULL, NULL, NULL,
     "Whether the fund is exchange-traded."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "fund_exposure", NULL,
     "The fund's report."},
};

static const dsc_shape_t exposure_shape = {"FundExposure", "What a fund holds of a company.",
                                           exposure_fields, DSC_COUNT(exposure_fields)};

static const dsc_order_t exposure_orders[] = {
    {"weight", "t.weight_order", "numeric"},
    {"value", "t.value_order", "numeric"},
    {NULL, NULL, NULL},
};

static const dsc_source_t exposure_source = {
    .from = "fund_exposure t" FUND_THEN("t.registrant_id", "t.fund_row"),
    .order = "t.weight_order",
    .order_type = "numeric",
    .tie = "t.id",
    .orders = exposure_orders};

static const dsc_follow_t follows[] = {
    {"filing", "redate_funds"},
    {"listing", "remap_listed_funds"},
    {"security", "remap_linked_funds"},
    {NULL, NULL}};

const dsc_dataset_t dsc_dataset_fund = {
    .name = "fund",
    .table = "fund",
    .description = "Reports of funds: Form N-PORT",
    .columns = fund_columns,
    .column_count = DSC_COUNT(fund_columns),
    .date_column = "filed_on",
    .settle = "settle_funds",
    .source = &fund_source,
    .shape = &fund_shape,
    .key_form = "{fund_key}/{report_date}",
    .follows = follows};

const dsc_dataset_t dsc_dataset_fund_holding = {
    .name = "fund_holding",
    .table = "fund_holding",
    .description = "Holdings of funds: Form N-PORT",
    .columns = holding_columns,
    .column_count = DSC_COUNT(holding_columns),
    .date_column = "known_at",
    .settle = "settle_funds",
    .source = &holding_source,
    .shape = &holding_shape,
    .key_form = "{report_key}/{row_number}"};

const dsc_dataset_t dsc_dataset_fund_class = {
    .name = "fund_class",
    .table = "fund_class",
    .description = "Classes of shares of funds and their tickers",
    .columns = class_columns,
    .column_count = DSC_COUNT(class_columns),
    .date_column = "known_at",
    .settle = "settle_funds",
    .source = &class_source,
    .shape = &class_shape};

const dsc_dataset_t dsc_dataset_fund_exposure = {
    .name = "fund_exposure",
    .table = "fund_exposure",
    .description = "What funds hold of companies; derived from fund and fund_holding",
    .date_column = "known_at",
    .settle = "settle_funds",
    .source = &exposure_source,
    .shape = &exposure_shape,
    .flags = DSC_DERIVED};

/* ---------------------------------------------------------------------- endpoint */

static const char *const sort_choices[] = {"weight", "value", NULL};

static const dsc_parameter_t exposure_parameters[] = {
    DSC_PARAMETER_COMPANY,
    {"sort", DSC_IN_QUERY, DSC_LITERAL, 0, sort_choices, {0, 0, 0, 0}, "weight", NULL, NULL,
     "What orders the funds: the weight of the company in them, or the value that they hold."},
    {"etfs_only", DSC_IN_QUERY, DSC_BOOLEAN, 0, NULL, {0, 0, 0, 0}, "false",
     "{present:t.is_etf}{past:n.is_etf}", NULL,
     "Only exchange-traded funds."},
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("what sort says"),
    DSC_PARAMETER_AS_OF,
};

static const dsc_field_t count_fields[] = {
    {"fund_count", DSC_FIELD_INTEGER, 0, "p.fund_count", NULL, NULL, NULL, NULL,
     "Funds that hold the company, whatever the list is filtered by."},
};

static const dsc_shape_t count_shape = {"FundCount", "How many funds hold the company.",
                                        count_fields, DSC_COUNT(count_fields)};

/* The kept number; only the past, which nobody keeps, is counted when it is asked for. */
static const dsc_parent_t fund_count = {
    "symbol",
    "(SELECT CASE WHEN {value:as_of} IS NULL"
    " THEN coalesce((SELECT s.record_count FROM dataset_issuer_stat s"
    " WHERE s.issuer_id = ? AND s.dataset = 'fund_exposure'), 0)"
    " ELSE (SELECT count(*) FROM fund_exposure x WHERE x.issuer_id = ? AND {now:x}) END"
    " AS fund_count) p",
    &count_shape};

static const char *const reads[] = {"fund_exposure", "company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_fund_exposure = {
    .name = "list_fund_exposure",
    .method = "GET",
    .path = "/v1/companies/{symbol}/fund-exposure",
    .tag = "Funds",
    .summary = "Funds that hold a company.",
    .answer = DSC_ANSWER_LIST,
    .flags = DSC_WITH_COMPANY | DSC_ALPHA,
    .parameters = exposure_parameters,
    .parameter_count = DSC_COUNT(exposure_parameters),
    .source = &exposure_source,
    .shape = &exposure_shape,
    .datasets = reads,
    .not_found = "There is no company with the symbol \"%s\".",
    .parent = &fund_count};
