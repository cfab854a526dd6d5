/* Trades of members of Congress: periodic transaction reports (5 U.S.C. 13105(l)).
 *
 * congress_trade   one record for each row of a report, of the politician (party politician/<slug>). Record
 *                  key: what the row says, "<chamber>/<report id>/<date>/<type>/<owner>/<asset>/<amount>/<n>",
 *                  see congress_trade_base(); of NDJSON "<chamber>/<report id>/<row number>".
 * congress_report  one record for each line of the Clerk's yearly index, of the Clerk's office (party
 *                  office/house-clerk): when House reports were filed. Not served.
 * politician       what is known of a politician from elsewhere: NDJSON alone. */
#include "datasets/datasets.h"

CHOICES(chamber_choices, "senate", "house");
CHOICES(type_choices, "purchase", "sale", "sale_partial", "exchange", "unknown");
CHOICES(reading_choices, "report", "part_of_report", "copy");
CHOICES(basis_choices, "stated", "notified", "latest_possible", "earliest_possible");

#define NAME_COLUMNS(flags_)                                                                                          \
    COLUMN(TEXT, "first_name", "given names, as filed, without titles", .flags = (flags_)),                             \
    COLUMN(TEXT, "last_name", "surname, without suffixes such as Jr.", .flags = (flags_)),                            \
    COLUMN(TEXT, "political_party", "political party", .flags = (flags_)),                                              \
    COLUMN(TEXT, "state_district", "state of a senator (RI), state and district of a representative (CA11)",          \
           .flags = (flags_))

/* ---------------------------------------------------------------------- served */
static const dsc_shape_t trader_shape = SHAPE("Politician", "A member of Congress.",
    TEXT("slug", "substr(i.party_key, length('politician/') + 1)",
         "Identifies the politician in /v1/congress/politicians/{slug}."),
    TEXT("first", "coalesce(t.first_name, p.first_name)", "Given names, as in the report; null if unknown.", NULLABLE),
    TEXT("last", "coalesce(t.last_name, p.last_name)", "Surname, as in the report; null if unknown.", NULLABLE),
    TEXT("chamber", "coalesce(t.chamber, p.chamber)", "Chamber: senate or house; null if unknown.", NULLABLE),
    TEXT("party", "coalesce(t.political_party, p.political_party)", "Political party; null if no source states it.",
         NULLABLE),
    TEXT("state_district", "coalesce(t.state_district, p.state_district)",
         "State of a senator (RI), or state and district of a representative (CA11); null if no source states it.", NULLABLE));

static const dsc_shape_t trade_shape = SHAPE("CongressTrade", "A trade that a member of Congress reported.",
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),
    TEXT("ticker", "t.ticker", "Ticker as filed, except that share classes are written like BRK-B; null if the report states none.",
         NULLABLE),
    TEXT("symbol", "{present:t.symbol}{past:c.symbol}",
         "Symbol (TICKER:MARKET) of the listing that the ticker means; null if it is not known for certain.", NULLABLE),
    TEXT("asset_name", "t.asset_name", "Name of the asset, as filed; null for a paper report.", NULLABLE),
    TEXT("asset_type", "t.asset_type",
         "Kind of asset, in the Senate's terms if it has one (Stock, Stock Option, Corporate Bond); null if not stated. provenance.quote has the "
         "code of a House report.", NULLABLE),
    OBJECT("politician", trader_shape, "The politician who reported the trade."),
    TEXT("transaction_type", "t.transaction_type",
         "purchase, sale, sale_partial or exchange; unknown for a paper report that could not be read."),
    TEXT("amount_range", "t.amount_range", "Range of the amount in USD, as filed; null if not stated.", NULLABLE),
    TEXT("owner", "t.owner", "Owner of the asset: self, spouse, joint or child; null if not stated.", NULLABLE),
    TEXT("comment", "t.comment", "Comment of the filer; null if there is none.", NULLABLE),
    DATE("transaction_date", "t.transaction_date",
         "Date of the transaction, as filed; null if what was filed is not a date: provenance.quote has it.", NULLABLE),
    DATE("filing_date", "t.filing_date", "Filing date, or the nearest known date: see filing_date_basis."),
    TEXT("filing_date_basis", "t.filing_date_basis",
         "Basis of filing_date. stated: the source states it. notified: the day on which the filer learned of the transaction; the report was "
         "filed later. latest_possible, earliest_possible: a bound, because no source states more."),
    INTEGER("filed_after_days",
            "CASE WHEN t.filing_date_basis IN ('stated', 'notified') AND t.filing_date >= t.transaction_date"
            " THEN t.filing_date - t.transaction_date END",
            "Days from transaction_date to filing_date; null if either date is unknown or a bound, or if filing_date is the earlier one.", NULLABLE),
    PROVENANCE("congress_trade", "The report. quote has what was filed in place of a date, if it is not one."));

static const dsc_source_t trade_source =
    ROWS("congress_trade t JOIN issuer i ON i.issuer_id = t.issuer_id"
         " LEFT JOIN politician p ON p.issuer_id = t.issuer_id AND {now:p}"
         "{past: LEFT JOIN LATERAL congress_listing(t.ticker,"
         " congress_ticker_day(t.filing_date, t.asset_type, t.asset_name), congress_company_name(t.asset_name), {value:as_of}) c"
         " ON true}", "t.filing_date", "date");

const dsc_dataset_t dsc_dataset_congress_trade = {
    DATASET("congress_trade", "congress_trade", "Trades reported by members of Congress"),
    COLUMNS(
        REQUIRED(TEXT, "chamber", "senate or house", .choices = chamber_choices),
        REQUIRED(TEXT, "report_id",
                 "report ID: the last part of the report's address (UUID, lower case), or the Clerk's DocID"),
        COLUMN(INTEGER, "row_number", "number of the row among the report's rows in the source, from 1",
               .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXT, "read_from", "report: the report itself, read to its end; part_of_report: a part of it; copy: its rows in a public data file",
               .choices = reading_choices),
        COLUMN(TEXT, "amends", "amendments only: report_id of the replaced report; if reports replace each other, the one filed first stays in "
                               "force"),
        NAME_COLUMNS(0),
        COLUMN(TEXT, "ticker", "ticker, upper case; share classes are written like BRK-B"),
        COLUMN(TEXT, "asset_name", "name of the asset, as filed, plain text"),
        COLUMN(TEXT, "asset_type", "kind of asset: Stock, Corporate Bond"),
        REQUIRED(TEXT, "transaction_type",
                 "type of transaction; sale: in full, or not stated to be partial; unknown: a report that could not be read",
                 .choices = type_choices),
        COLUMN(TEXT, "amount_range", "label of the range in USD, as filed"),
        COLUMN(TEXT, "owner", "owner of the asset, lower case: self, spouse, joint, child"),
        COLUMN(TEXT, "comment", "comment of the filer, plain text"),
        COLUMN(DATE, "transaction_date", "date of the transaction"),
        COLUMN(DATE, "filing_date", "filing date, or the nearest known date: see filing_date_basis",
               .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXT, "filing_date_basis",
               "basis of filing_date: stated by the source; notified: when the filer learned of the transaction; latest_possible, "
               "earliest_possible: a bound", .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED,
               .choices = basis_choices)),
    .key_form = "{chamber}/{report_id}/{row_number}",
    .flags = DSC_KEY_FIXED | DSC_KEY_GLOBAL | DSC_LAST_COUNTS | DSC_WRITTEN_BY_DAY,
    .ordered = "disclosed.is_congress_base_key(s.record_key)",
    .complete_lines = "SELECT dataset, changed_issuer FROM disclosed.date_staged_trades()",
    .date_column = "filing_date",
    .expect = "expected_trades()",
    .expected = EXPECTED("company_id", "symbol", "seen_at", "sources", "of_reports"),
    .reconcile = "reconcile_congress",
    .follows = FOLLOWS({"listing", "follow_listings_congress"}, {"company", "follow_listings_congress"}),
    SHOWN(trade_source, trade_shape),
};

const dsc_dataset_t dsc_dataset_congress_report = {
    DATASET("congress_report", "congress_report", "The House Clerk's index of financial disclosures"),
    COLUMNS(
        REQUIRED(TEXT, "report_id", "the Clerk's DocID"),
        REQUIRED(TEXT, "filing_type", "the Clerk's letter for the kind of report; P: periodic transaction report"),
        COLUMN(INTEGER, "filing_year", "year of the index"),
        COLUMN(DATE, "filing_date", "filing date"),
        COLUMN(TEXT, "first_name", "given names"),
        COLUMN(TEXT, "last_name", "surname"),
        COLUMN(TEXT, "name_suffix", "Jr., III"),
        COLUMN(TEXT, "state_district", "state and district: CA11")),
    .key_form = "{report_id}",
    .flags = DSC_KEY_FIXED | DSC_LAST_COUNTS | DSC_ADDRESS_FOLLOWS,
    .date_column = "filing_date",
    .reconcile = "reconcile_congress",
};

const dsc_dataset_t dsc_dataset_politician = {
    DATASET("politician", "politician", "Facts about politicians from sources other than their reports"),
    COLUMNS(
        FORWARD_FILLED(TEXT, "chamber", "senate or house", .choices = chamber_choices),
        NAME_COLUMNS(DSC_COLUMN_FORWARD_FILLED),
        COLUMN(DATE, "reported_on", "date of the source that states it",
               .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED)),
    .key_form = "profile",
    .flags = DSC_KEY_FIXED | DSC_LAST_COUNTS,
    .date_column = "reported_on",
};

/* ------------------------------------------------------------------- endpoints */

#define TRADE_FILTERS                                                                                                 \
    QUERY(LITERAL, "chamber", "Only trades reported to this chamber.", .choices = chamber_choices,                    \
          .predicate = "t.chamber = ?"),                                                                              \
    QUERY(LITERAL, "transaction_type", "Only transactions of this type.", .flags = DSC_PLAN_EACH_TIME,                \
          .choices = type_choices, .predicate = "t.transaction_type = ?"),                                            \
    QUERY(DATE, "start_date", "Earliest filing date, inclusive.", .predicate = "t.filing_date >= ?"),                 \
    QUERY(DATE, "end_date", "Latest filing date, inclusive.", .predicate = "t.filing_date <= ?"),                     \
    DSC_PARAMETER_CURSOR, DSC_PARAMETERS_ROWS("50", 500), DSC_PARAMETER_DIRECTION("filing_date"),                     \
    DSC_PARAMETER_AS_OF_BY("t.filing_date")

/* Subqueries: what is asked for is found out once, and may be looked up in an index, whatever else the plan does. */
#define TICKER_FILTER                                                                                                 \
    QUERY(STRING, "ticker", "Only trades of this ticker, in any spelling (BRK-B, BRK.B, BRKB), whether it is listed or not.", \
          .flags = DSC_EMPTY_IS_ABSENT,                                                                               \
          .predicate = "{present:t.listed_ticker = (SELECT congress_ticker(?))}"                                      \
          "{past:t.ticker = ANY ((SELECT congress_spellings(ARRAY[congress_ticker(?, {value:as_of})]))::text[])"      \
          " AND coalesce(split_part(c.symbol, ':', 1), t.ticker) = (SELECT congress_ticker(?, {value:as_of}))}")

const dsc_endpoint_t dsc_endpoint_congress = {
    GET("list_congress", "/v1/congress"),
    ABOUT("Congressional trades", "Trades that members of Congress reported."),
    LIST(trade_source, trade_shape),
    PARAMETERS(
        TICKER_FILTER,
        DSC_SYMBOLS("issuers",
                    .column = "{present:t.company_id}"
                    "{past:t.ticker = ANY ((SELECT congress_tickers_of(symbols_each.value, {value:as_of}))::text[])"
                    " AND c.company_id}"),
        TRADE_FILTERS),
};

static const dsc_shape_t parent_shape = SHAPE("PoliticianReference", "The politician whose trades are listed.",
    OBJECT("politician", trader_shape, "The politician, as in the latest report."));
static const dsc_parent_t politician_parent = {
    .parameter = "slug",
    .from =
        "issuer i LEFT JOIN politician p ON p.issuer_id = i.issuer_id AND {now:p}"
        " LEFT JOIN LATERAL (SELECT x.* FROM congress_trade x"
        "  WHERE x.issuer_id = i.issuer_id AND {now:x}"
        "  ORDER BY x.filing_date DESC, x.id DESC LIMIT 1) t ON true"
        " WHERE i.party_key = 'politician/' || ?"
        " AND (t.issuer_id IS NOT NULL OR p.issuer_id IS NOT NULL)",
    .shape = &parent_shape,
};

const dsc_endpoint_t dsc_endpoint_politician = {
    GET("list_politician_trades", "/v1/congress/politicians/{slug}"),
    ABOUT("Congressional trades", "Trades that one member of Congress reported."),
    LIST(trade_source, trade_shape),
    PARAMETERS(
        PATH(STRING, "slug", "Slug of the politician: politician.slug of a trade.",
             .predicate = "t.issuer_id = (SELECT named.issuer_id FROM issuer named"
             " WHERE named.party_key = 'politician/' || ?)"),
        TICKER_FILTER,
        TRADE_FILTERS),
    .parent = &politician_parent,
    .not_found = "There is no politician \"%s\".",
};

const dsc_endpoint_t dsc_endpoint_company_congress = {
    GET("list_company_congress", "/v1/companies/{symbol}/congress"),
    ABOUT("Congressional trades", "Trades of one company's securities that members of Congress reported."),
    LIST(trade_source, trade_shape),
    PARAMETERS(
        DSC_SYMBOL_IN_PATH(DSC_RESOLVED,
                           "{present:t.company_id = ? AND t.company_or_politician_id = {company}}"
                           "{past:t.ticker = ANY ((SELECT congress_tickers_of(?, {value:as_of}))::text[])"
                           " AND c.company_id = ?}"),
        TRADE_FILTERS),
};
