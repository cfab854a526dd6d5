/* Trades of members of Congress: periodic transaction reports (5 U.S.C. 13105(l)).
 *
 * congress_trade   one record for each row of a report, of the politician (party politician/<slug>). Record
 *                  key: what the row says, "<chamber>/<report id>/<date>/<type>/<owner>/<asset>/<amount>/<n>",
 *                  see congress_trade_base(); of NDJSON "<chamber>/<report id>/<row number>".
 * congress_report  one record for each line of the Clerk's yearly index, of the Clerk's office (party
 *                  office/house-clerk): when House reports were filed. Not served.
 * politician       what is known of a politician from elsewhere: NDJSON alone. */
#include "datasets/datasets.h"

static const char *const chamber_choices[] = {"senate", "house", NULL};
static const char *const type_choices[] = {"purchase", "sale",    "sale_partial",
                                           "exchange", "unknown", NULL};
static const char *const reading_choices[] = {"report", "part_of_report", "copy", NULL};
static const char *const basis_choices[] = {"stated", "notified", "latest_possible",
                                            "earliest_possible", NULL};

#define NAME_COLUMNS(flags)                                                                       \
    {"first_name", DSC_COLUMN_TEXT, flags, NULL, "given names, as filed, without titles"},        \
    {"last_name", DSC_COLUMN_TEXT, flags, NULL, "surname, without Jr. and the like"},             \
    {"political_party", DSC_COLUMN_TEXT, flags, NULL, "political party"},                         \
    {"state_district", DSC_COLUMN_TEXT, flags, NULL,                                              \
     "state of a senator (RI), state and district of a representative (CA11)"}

static const dsc_column_t trade_columns[] = {
    {"chamber", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, chamber_choices, "senate or house"},
    {"report_id", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL,
     "of the report: the last part of its address (UUID, lower case) or the Clerk's DocID"},
    {"row_number", DSC_COLUMN_INTEGER, DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED, NULL,
     "place among the report's rows in the source, from 1"},
    {"read_from", DSC_COLUMN_TEXT, 0, reading_choices,
     "report: itself, read to its end; part_of_report; copy: its rows in a public data file"},
    {"amends", DSC_COLUMN_TEXT, 0, NULL, "amendments: report_id of the report that is replaced"},
    NAME_COLUMNS(0),
    {"ticker", DSC_COLUMN_TEXT, 0, NULL, "upper case; classes of shares as BRK-B"},
    {"asset_name", DSC_COLUMN_TEXT, 0, NULL, "as filed, plain text"},
    {"asset_type", DSC_COLUMN_TEXT, 0, NULL, "Stock, Corporate Bond"},
    {"transaction_type", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, type_choices,
     "sale: in full, or not said to be in part; unknown: a report that could not be read"},
    {"amount_range", DSC_COLUMN_TEXT, 0, NULL, "label of the range in USD, as filed"},
    {"owner", DSC_COLUMN_TEXT, 0, NULL, "lower case: self, spouse, joint, child"},
    {"comment", DSC_COLUMN_TEXT, 0, NULL, "the filer's comment, plain text"},
    {"transaction_date", DSC_COLUMN_DATE, 0, NULL, "date of the transaction"},
    {"filing_date", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED, NULL,
     "date of filing, or what comes nearest to it: see filing_date_basis"},
    {"filing_date_basis", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED,
     basis_choices,
     "stated by the source; notified: when the filer learned of the transaction; latest_possible, "
     "earliest_possible: a bound"},
};

static const dsc_column_t report_columns[] = {
    {"report_id", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "the Clerk's DocID"},
    {"filing_type", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "the Clerk's letter; P: transactions"},
    {"filing_year", DSC_COLUMN_INTEGER, 0, NULL, "year of the index"},
    {"filing_date", DSC_COLUMN_DATE, 0, NULL, "date of filing"},
    {"first_name", DSC_COLUMN_TEXT, 0, NULL, "given names"},
    {"last_name", DSC_COLUMN_TEXT, 0, NULL, "surname"},
    {"name_suffix", DSC_COLUMN_TEXT, 0, NULL, "Jr., III"},
    {"state_district", DSC_COLUMN_TEXT, 0, NULL, "state and district: CA11"},
};

static const dsc_column_t politician_columns[] = {
    {"chamber", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, chamber_choices, "senate or house"},
    NAME_COLUMNS(DSC_COLUMN_CARRIED),
    {"reported_on", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED, NULL,
     "date of the source that says so"},
};

/* ---------------------------------------------------------------------- served */

static const dsc_field_t trader_fields[] = {
    {"slug", DSC_FIELD_TEXT, 0, "substr(i.party_key, length('politician/') + 1)", NULL, NULL, NULL,
     NULL, "Names the politician in /v1/congress/politicians/{slug}."},
    {"first", DSC_FIELD_TEXT, DSC_NULLABLE, "coalesce(t.first_name, p.first_name)", NULL, NULL,
     NULL, NULL, "Given names, as in the report."},
    {"last", DSC_FIELD_TEXT, DSC_NULLABLE, "coalesce(t.last_name, p.last_name)", NULL, NULL, NULL,
     NULL, "Surname, as in the report."},
    {"chamber", DSC_FIELD_TEXT, DSC_NULLABLE, "coalesce(t.chamber, p.chamber)", NULL, NULL, NULL,
     NULL, "senate or house."},
    {"party", DSC_FIELD_TEXT, DSC_NULLABLE, "coalesce(t.political_party, p.political_party)", NULL,
     NULL, NULL, NULL, "Political party; null where no source says."},
    {"state_district", DSC_FIELD_TEXT, DSC_NULLABLE,
     "coalesce(t.state_district, p.state_district)", NULL, NULL, NULL, NULL,
     "State, with the district of a representative (CA11); null where no source says."},
};

static const dsc_shape_t trader_shape = {"Politician", "A member of Congress.", trader_fields,
                                         DSC_COUNT(trader_fields)};

static const dsc_field_t trade_fields[] = {
    {"id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "Number of the record."},
    {"ticker", DSC_FIELD_TEXT, DSC_NULLABLE, "t.ticker", NULL, NULL, NULL, NULL,
     "Ticker, as filed but for classes of shares (BRK-B); null where the report has none."},
    {"symbol", DSC_FIELD_TEXT, DSC_NULLABLE, "{present:t.symbol}{past:c.symbol}", NULL, NULL, NULL, NULL,
     "The listing of that ticker, TICKER:MARKET; null when none is known for sure."},
    {"asset_name", DSC_FIELD_TEXT, DSC_NULLABLE, "t.asset_name", NULL, NULL, NULL, NULL,
     "The asset, as filed; null for a report on paper."},
    {"asset_type", DSC_FIELD_TEXT, DSC_NULLABLE, "t.asset_type", NULL, NULL, NULL, NULL,
     "Kind of asset, in the Senate's words where it has some (Stock, Stock Option, Corporate Bond); the code"
     " that a House report has stands in provenance.quote."},
    {"politician", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &trader_shape, "Who reported it."},
    {"transaction_type", DSC_FIELD_TEXT, 0, "t.transaction_type", NULL, NULL, NULL, NULL,
     "purchase, sale, sale_partial, exchange; unknown: a report on paper that nobody has read."},
    {"amount_range", DSC_FIELD_TEXT, DSC_NULLABLE, "t.amount_range", NULL, NULL, NULL, NULL,
     "Range of the amount in USD, as filed."},
    {"owner", DSC_FIELD_TEXT, DSC_NULLABLE, "t.owner", NULL, NULL, NULL, NULL,
     "Whose asset: self, spouse, joint, child."},
    {"comment", DSC_FIELD_TEXT, DSC_NULLABLE, "t.comment", NULL, NULL, NULL, NULL,
     "The filer's comment."},
    {"transaction_date", DSC_FIELD_DATE, DSC_NULLABLE, "t.transaction_date", NULL, NULL, NULL, NULL,
     "Date of the transaction, as filed; null where it is none, see provenance.quote."},
    {"filing_date", DSC_FIELD_DATE, 0, "t.filing_date", NULL, NULL, NULL, NULL,
     "Date of filing, or what comes nearest to it: see filing_date_basis."},
    {"filing_date_basis", DSC_FIELD_TEXT, 0, "t.filing_date_basis", NULL, NULL, NULL, NULL,
     "stated: by the source. notified: the day on which the filer learned of the transaction, filed "
     "later. latest_possible, earliest_possible: a bound, where no source says more."},
    {"filed_after_days", DSC_FIELD_INTEGER, DSC_NULLABLE,
     "CASE WHEN t.filing_date_basis IN ('stated', 'notified') AND t.filing_date >= t.transaction_date"
     " THEN t.filing_date - t.transaction_date END",
     NULL, NULL, NULL, NULL,
     "Days from transaction_date to filing_date; null where the latter is a bound, or the dates "
     "contradict each other."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "congress_trade", NULL,
     "The report; quote holds dates as filed that are none."},
};

static const dsc_shape_t trade_shape = {"CongressTrade", "A trade that a member of Congress reported.",
                                        trade_fields, DSC_COUNT(trade_fields)};

static const dsc_source_t trade_source = {
    "congress_trade t JOIN issuer i ON i.issuer_id = t.issuer_id"
    " LEFT JOIN politician p ON p.issuer_id = t.issuer_id AND {now:p}"
    "{past: LEFT JOIN LATERAL congress_listing(t.ticker, t.filing_date, t.asset_name, {value:as_of}) c"
    " ON true}",
    NULL, "t.filing_date", "date", "t.id", 0};

static const dsc_follow_t follows_listings[] = {{"listing", "follow_listings_congress"},
                                                {"company", "follow_listings_congress"},
                                                {NULL, NULL}};

const dsc_dataset_t dsc_dataset_congress_trade = {
    "congress_trade", "congress_trade", "Trades of members of Congress", trade_columns,
    DSC_COUNT(trade_columns), "filing_date", "settle_congress", &trade_source, &trade_shape,
    "{chamber}/{report_id}/{row_number}", DSC_KEY_FIXED | DSC_KEY_WIDE, follows_listings};

const dsc_dataset_t dsc_dataset_congress_report = {
    "congress_report", "congress_report", "The House Clerk's index of financial disclosures",
    report_columns, DSC_COUNT(report_columns), "filing_date", "settle_congress", NULL, NULL,
    "{report_id}", DSC_KEY_FIXED};

const dsc_dataset_t dsc_dataset_politician = {
    "politician", "politician", "What is known of politicians beyond their reports",
    politician_columns, DSC_COUNT(politician_columns), "reported_on", NULL, NULL, NULL, "profile",
    DSC_KEY_FIXED};

/* ------------------------------------------------------------------- endpoints */

#define TRADE_FILTERS                                                                             \
    {"chamber", DSC_IN_QUERY, DSC_LITERAL, 0, chamber_choices, {0, 0, 0, 0}, NULL,                \
     "t.chamber = ?", NULL, "Only reports of this chamber."},                                     \
    {"transaction_type", DSC_IN_QUERY, DSC_LITERAL, DSC_PLAN_EACH_TIME, type_choices,             \
     {0, 0, 0, 0}, NULL,                                                                          \
     "t.transaction_type = ?", NULL, "Only transactions of this type."},                          \
    {"start_date", DSC_IN_QUERY, DSC_DATE, 0, NULL, {0, 0, 0, 0}, NULL, "t.filing_date >= ?",     \
     NULL, "First filing date."},                                                                 \
    {"end_date", DSC_IN_QUERY, DSC_DATE, 0, NULL, {0, 0, 0, 0}, NULL, "t.filing_date <= ?", NULL, \
     "Last filing date."},                                                                        \
    DSC_PARAMETER_CURSOR, DSC_PARAMETER_LIMIT("50", 500), DSC_PARAMETER_DIRECTION("filing_date"), \
    DSC_PARAMETER_AS_OF_BY("t.filing_date")

#define TICKER_FILTER                                                                             \
    {"ticker", DSC_IN_QUERY, DSC_STRING, DSC_EMPTY_IS_ABSENT, NULL, {0, 0, 0, 0}, NULL,           \
     "{present:t.listed_ticker = congress_ticker(?)}"                                             \
     "{past:t.ticker = ANY (congress_spellings(ARRAY[congress_ticker(?, {value:as_of})]))"         \
     " AND coalesce(split_part(c.symbol, ':', 1), t.ticker) = congress_ticker(?, {value:as_of})}", \
     NULL,                                                                                        \
     "Only trades of this ticker, in any spelling (BRK-B, BRK.B, BRKB), listed or not."}

static const dsc_parameter_t congress_parameters[] = {TICKER_FILTER, TRADE_FILTERS};

static const dsc_parameter_t politician_parameters[] = {
    {"slug", DSC_IN_PATH, DSC_STRING, DSC_REQUIRED, NULL, {0, 0, 0, 0}, NULL,
     "t.issuer_id = (SELECT named.issuer_id FROM issuer named"
     " WHERE named.party_key = 'politician/' || ?)",
     NULL, "The politician, as in politician.slug of a trade."},
    TICKER_FILTER,
    TRADE_FILTERS,
};

static const dsc_parameter_t company_congress_parameters[] = {
    DSC_SYMBOL_IN_PATH(DSC_RESOLVED,
                       "{present:t.company_id = ?}"
                       "{past:t.ticker = ANY (congress_tickers_of(?, {value:as_of}))"
                       " AND c.company_id = ?}"),
    TRADE_FILTERS,
};

static const char *const reads[] = {"congress_trade", "congress_report", "politician", "listing",
                                    NULL};
static const char *const company_reads[] = {"congress_trade", "congress_report", "politician",
                                            "company",        "listing",         NULL};

const dsc_endpoint_t dsc_endpoint_congress = {
    "list_congress", "GET", "/v1/congress", "Congressional trades",
    "Trades that members of Congress reported.", DSC_ANSWER_LIST, 0, congress_parameters,
    DSC_COUNT(congress_parameters), &trade_source, &trade_shape, reads, NULL, NULL, NULL};

static const dsc_field_t parent_fields[] = {
    {"politician", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &trader_shape,
     "The politician, by the latest report."},
};
static const dsc_shape_t parent_shape = {"PoliticianReference", "Whose trades these are.",
                                         parent_fields, DSC_COUNT(parent_fields)};
static const dsc_parent_t politician_parent = {
    "slug",
    "issuer i LEFT JOIN politician p ON p.issuer_id = i.issuer_id AND {now:p}"
    " LEFT JOIN LATERAL (SELECT x.* FROM congress_trade x"
    "  WHERE x.issuer_id = i.issuer_id AND {now:x}"
    "  ORDER BY x.filing_date DESC, x.id DESC LIMIT 1) t ON true"
    " WHERE i.party_key = 'politician/' || ?"
    " AND (t.issuer_id IS NOT NULL OR p.issuer_id IS NOT NULL)",
    &parent_shape};

const dsc_endpoint_t dsc_endpoint_politician = {
    "list_politician_trades", "GET", "/v1/congress/politicians/{slug}", "Congressional trades",
    "Trades that one member of Congress reported.", DSC_ANSWER_LIST, 0, politician_parameters,
    DSC_COUNT(politician_parameters), &trade_source, &trade_shape, reads, NULL,
    "There is no politician \"%s\".", NULL, &politician_parent, NULL};

const dsc_endpoint_t dsc_endpoint_company_congress = {
    "list_company_congress", "GET", "/v1/companies/{symbol}/congress", "Congressional trades",
    "Trades of one company's securities that members of Congress reported.", DSC_ANSWER_LIST, 0,
    company_congress_parameters, DSC_COUNT(company_congress_parameters), &trade_source,
    &trade_shape, company_reads, NULL, NULL, NULL};
