/* How much there is: counts kept with the data, never counted for a request. */
#include "datasets/datasets.h"

/* Records of a dataset that this service does not have yet. */
#define NO_RECORDS(name, what) {name, DSC_FIELD_INTEGER, 0, "0", NULL, NULL, NULL, NULL, what}

#define KEPT_COUNT(dataset)                                                                       \
    "coalesce((SELECT s.record_count FROM dataset_stat s WHERE s.dataset = '" dataset "'), 0)"

/* The kept count; only the past, which nobody keeps, is counted when it is asked for. */
#define PAST_COUNT(dataset, past) "{present:" KEPT_COUNT(dataset) "}{past:" past "}"
#define RECORDS_OF(name, kept, counted, table, what)                                              \
    {name, DSC_FIELD_INTEGER, 0,                                                                  \
     PAST_COUNT(kept, "(SELECT count(" counted ") FROM " table " x WHERE {now:x})"),              \
     NULL, NULL, NULL, NULL, what}

#define RECORDS(name, dataset, table, what) RECORDS_OF(name, dataset, "*", table, what)

/* Rows by listing of the past count where their listing was known. */
#define LISTED_THEN(table, company)                                                               \
    "(SELECT coalesce(sum(g.rows), 0)::bigint FROM (SELECT x." company " AS company_id, x.symbol,"    \
    " count(*) AS rows FROM " table " x WHERE {now:x} GROUP BY 1, 2) g"                           \
    " WHERE symbol_then(g.company_id, g.symbol, {value:as_of}) IS NOT NULL)"

static const dsc_field_t dataset_fields[] = {
    RECORDS_OF("filings", "filing/listed", "DISTINCT x.accession", "filing",
               "Filings, those of several filers once."),
    RECORDS("transcripts", "transcript", "transcript", "Transcripts."),
    NO_RECORDS("kpi_metrics", "Company-reported metrics."),
    NO_RECORDS("kpi_observations", "Observations of those metrics."),
    RECORDS("ir_documents", "document", "document", "Investor-relations documents."),
    NO_RECORDS("document_chunks", "Searchable pieces of documents."),
    RECORDS("exhibits", "exhibit", "filing_exhibit", "Earnings-release exhibits."),
    RECORDS("insider_transactions", "insider", "insider_transaction", "Insider transactions."),
    RECORDS("insider_holdings", "insider_holding", "insider_holding", "Insider holdings."),
    RECORDS("institution_reports", "institution_report", "institution_report", "Form 13F reports."),
    RECORDS("institution_positions", "institution_position", "institution_position",
            "Rows of Form 13F information tables."),
    {"institution_positions_unmapped", DSC_FIELD_INTEGER, 0,
     PAST_COUNT("institution_position_unmapped",
                "(SELECT count(*) FROM institution_position x WHERE {now:x} AND NOT EXISTS (SELECT 1"
                " FROM security_of(x.cusip, NULL, NULL, x.period_of_report) s"
                " WHERE symbol_then(s.company_id, s.symbol, {value:as_of}) IS NOT NULL))"),
     NULL, NULL, NULL, NULL, "Those for whose CUSIP no listing is known for sure."},
    {"institution_holders", DSC_FIELD_INTEGER, 0,
     PAST_COUNT("institution_holder", LISTED_THEN("institution_holder", "company_id")), NULL, NULL,
     NULL, NULL, "Holdings of institutions, by listing."},
    {"institution_flows", DSC_FIELD_INTEGER, 0,
     PAST_COUNT("institution_flow", LISTED_THEN("institution_flow", "issuer_id")), NULL, NULL, NULL,
     NULL, "Quarters of a listing in which institutions held it."},
    RECORDS("events", "event", "event", "Corporate events."),
    RECORDS("short_interest", "short_interest", "short_interest",
            "Short positions, by security and settlement date."),
    RECORDS("corporate_actions", "corporate_action", "corporate_action",
            "Splits, dividends and other corporate actions."),
    RECORDS("executives", "executive", "executive", "People who speak for companies."),
    RECORDS("listings", "listing", "listing", "Listings."),
    RECORDS("congress_trades", "congress_trade", "congress_trade", "Trades of members of Congress."),
};

static const dsc_shape_t datasets_shape = {"CoverageDatasets", "Records in each dataset.",
                                           dataset_fields, DSC_COUNT(dataset_fields)};

static const dsc_field_t coverage_fields[] = {
    {"issuers", DSC_FIELD_INTEGER, 0,
     PAST_COUNT("issuer", "(SELECT count(DISTINCT x.issuer_id) FROM listing x WHERE {now:x})"),
     NULL, NULL, NULL, NULL, "Issuers with a listing."},
    NO_RECORDS("tickers_with_kpis", "Issuers with company-reported metrics."),
    {"datasets", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &datasets_shape,
     "Records in each dataset."},
    {"allowlist", DSC_FIELD_JSON, DSC_ARRAY,
     "(SELECT to_json(array_agg(provider ORDER BY provider))::text FROM source_provider)", NULL,
     NULL, NULL, NULL, "Providers that data may come from."},
};

static const dsc_shape_t coverage_shape = {"Coverage", "Coverage of the whole service.",
                                           coverage_fields, DSC_COUNT(coverage_fields)};

static const dsc_source_t coverage_source = {"(SELECT 1) t", NULL, NULL, NULL, NULL, 1};

static const dsc_parameter_t coverage_parameters[] = {DSC_PARAMETER_AS_OF};

const dsc_endpoint_t dsc_endpoint_coverage = {
    "get_coverage", "GET", "/v1/coverage", "Coverage", "How much data there is.", DSC_ANSWER_ITEM,
    0, coverage_parameters, DSC_COUNT(coverage_parameters), &coverage_source, &coverage_shape, dsc_reads_all, NULL, "%s", NULL};

/* Count and latest day of a company's records: the kept ones, or those of the past. */
#define ISSUER_STAT(alias, dataset, table, date)                                                  \
    ISSUER_STAT_OF(alias, dataset, date, table " x WHERE x.issuer_id = t.issuer_id AND {now:x}")

/* `past` is what is counted as of an instant. */
#define ISSUER_STAT_OF(alias, dataset, date, past)                                                \
    "{present: LEFT JOIN dataset_issuer_stat " alias " ON " alias ".issuer_id = t.issuer_id AND " \
    alias ".dataset = '" dataset "'}"                                                             \
    "{past: CROSS JOIN LATERAL (SELECT count(*) AS record_count, max(x." date ")::date AS latest" \
    " FROM " past ") " alias "}"

#define STAT_SHAPE(variable, count_sql, latest_sql)                                               \
    static const dsc_field_t variable##_fields[] = {                                              \
        {"count", DSC_FIELD_INTEGER, 0, count_sql, NULL, NULL, NULL, NULL, "Records."},           \
        {"latest", DSC_FIELD_DATE, DSC_NULLABLE, latest_sql, NULL, NULL, NULL, NULL,              \
         "Day of the latest one."},                                                               \
    };                                                                                            \
    static const dsc_shape_t variable = {"CoverageCount", "Records and the latest one's day.",    \
                                         variable##_fields, DSC_COUNT(variable##_fields)};

#define KEPT_SHAPE(alias) STAT_SHAPE(alias, "coalesce(" #alias ".record_count, 0)", #alias ".latest")

KEPT_SHAPE(filing_stat)
KEPT_SHAPE(exhibit_stat)
KEPT_SHAPE(insider_stat)
KEPT_SHAPE(transcript_stat)
KEPT_SHAPE(document_stat)
KEPT_SHAPE(event_stat)
KEPT_SHAPE(short_stat)
KEPT_SHAPE(action_stat)
KEPT_SHAPE(congress_stat)
STAT_SHAPE(no_stat, "0", "NULL::date")

static const dsc_field_t issuer_dataset_fields[] = {
    {"filings", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &filing_stat, "Filings."},
    {"transcripts", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &transcript_stat, "Transcripts."},
    {"kpi_observations", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &no_stat,
     "Observations of company-reported metrics."},
    {"ir_documents", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &document_stat,
     "Investor-relations documents."},
    {"exhibits", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &exhibit_stat,
     "Earnings-release exhibits."},
    {"insider_transactions", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &insider_stat,
     "Insider transactions."},
    {"events", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &event_stat, "Corporate events."},
    {"short_interest", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &short_stat,
     "Short positions, of all its shares."},
    {"corporate_actions", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &action_stat,
     "Splits, dividends and other corporate actions."},
    {"congress_trades", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &congress_stat,
     "Trades of its securities by members of Congress."},
};

static const dsc_shape_t issuer_datasets_shape = {
    "CompanyCoverageDatasets", "Records of a company in each dataset.", issuer_dataset_fields,
    DSC_COUNT(issuer_dataset_fields)};

static const dsc_field_t company_coverage_fields[] = {
    {"company", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &dsc_shape_company, "The company."},
    {"datasets", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &issuer_datasets_shape,
     "Records in each dataset."},
};

static const dsc_shape_t company_coverage_shape = {
    "CompanyCoverage", "Coverage of one company.", company_coverage_fields,
    DSC_COUNT(company_coverage_fields)};

static const dsc_source_t company_coverage_source = {
    "listing t JOIN issuer i ON i.issuer_id = t.issuer_id"
    " LEFT JOIN issuer_profile p ON p.issuer_id = t.issuer_id AND {now:p}"
    ISSUER_STAT("filing_stat", "filing", "filing", "filed_on")
    ISSUER_STAT("exhibit_stat", "exhibit", "filing_exhibit", "known_at AT TIME ZONE 'America/New_York'")
    ISSUER_STAT("insider_stat", "insider", "insider_transaction", "filing_date")
    ISSUER_STAT("transcript_stat", "transcript", "transcript", "call_date")
    ISSUER_STAT("document_stat", "document", "document", "published_at")
    ISSUER_STAT("event_stat", "event", "event", "event_at")
    ISSUER_STAT("short_stat", "short_interest", "short_interest", "settlement_date")
    ISSUER_STAT("action_stat", "corporate_action", "corporate_action", "action_date")
    ISSUER_STAT_OF("congress_stat", "congress_trade/company", "filing_date",
                   "congress_trade x CROSS JOIN LATERAL congress_listing(x.ticker, x.filing_date,"
                   " x.asset_name, {value:as_of}) c"
                   " WHERE x.ticker = ANY (congress_tickers_of(t.issuer_id, {value:as_of}))"
                   " AND c.company_id = t.issuer_id AND {now:x}"),
    NULL, NULL, NULL, NULL, 0};

static const dsc_parameter_t company_coverage_parameters[] = {
    DSC_PARAMETER_LISTING,
    DSC_PARAMETER_AS_OF,
};

const dsc_endpoint_t dsc_endpoint_company_coverage = {
    "get_company_coverage", "GET", "/v1/coverage/{symbol}", "Coverage",
    "How much data there is about a company.", DSC_ANSWER_ITEM, 0, company_coverage_parameters,
    DSC_COUNT(company_coverage_parameters), &company_coverage_source, &company_coverage_shape,
    dsc_reads_all, NULL, "There is no company with the symbol \"%s\".", NULL};
