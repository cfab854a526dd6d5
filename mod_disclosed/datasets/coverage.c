/* How much there is: counts kept with the data, never counted for a request. */
#include "datasets/datasets.h"
#include "datasets/xbrl_report.h"

/* Records of a dataset that this service does not have yet. */
#define NO_RECORDS(name_, what) INTEGER(name_, "0", what)

#define KEPT_COUNT(dataset)                                                                       \
    "coalesce((SELECT s.record_count FROM dataset_stat s WHERE s.dataset = '" dataset "'), 0)"

/* The kept count; only the past, which nobody keeps, is counted when it is asked for. */
#define PAST_COUNT(dataset, past) "{present:" KEPT_COUNT(dataset) "}{past:" past "}"
#define RECORDS_OF(name_, kept, counted, table, what)                                             \
    INTEGER(name_, PAST_COUNT(kept, "(SELECT count(" counted ") FROM " table " x WHERE {now:x})"), what)

#define RECORDS(name, dataset, table, what) RECORDS_OF(name, dataset, "*", table, what)

/* Rows by listing of the past count if their listing was known. OFFSET 0: what is asked of a listing is asked once for all of its rows, and not
 * of each while they are read. */
#define LISTED_THEN(table, company)                                                               \
    "(SELECT coalesce(sum(g.rows), 0)::bigint FROM (SELECT x." company " AS company_id, x.symbol,"    \
    " count(*) AS rows FROM " table " x WHERE {now:x} GROUP BY 1, 2 OFFSET 0) g"                       \
    " WHERE symbol_then(g.company_id, g.symbol, {value:as_of}) IS NOT NULL)"

#define FILINGS                                                                                                       \
    RECORDS_OF("filings", "filing/listed", "DISTINCT x.accession", "filing", "Number of filings; a filing with several filers counts once.")
#define UNMAPPED_POSITIONS                                                                                            \
    INTEGER("institution_positions_unmapped",                                                                         \
            PAST_COUNT("institution_position_unmapped",                                                               \
                       "(SELECT coalesce(sum(g.rows), 0)::bigint FROM (SELECT x.cusip, x.period_of_report, count(*) AS rows"  \
                       " FROM institution_position x WHERE {now:x} GROUP BY 1, 2 OFFSET 0) g WHERE NOT EXISTS (SELECT 1"      \
                       " FROM security_of(g.cusip, NULL, NULL, g.period_of_report) s"                                 \
                       " WHERE symbol_then(s.company_id, s.symbol, {value:as_of}) IS NOT NULL))"),                    \
            "Positions whose CUSIP cannot be linked to a listing for certain.")
#define INSTITUTION_HOLDERS                                                                                           \
    INTEGER("institution_holders", PAST_COUNT("institution_holder", LISTED_THEN("institution_holder", "company_id")), \
            "Holdings of institutions, by listing.")
#define INSTITUTION_FLOWS                                                                                             \
    INTEGER("institution_flows", PAST_COUNT("institution_flow", LISTED_THEN("institution_flow", "issuer_id")),        \
            "Holdings of all institutions together, by listing and quarter.")

#define DOCUMENT_CHUNKS                                                                                               \
    INTEGER("document_chunks",                                                                                        \
            PAST_COUNT("document_chunk",                                                                              \
                       "(SELECT count(*) FROM chunked_text x JOIN document_chunk c ON c.issuer_id = x.issuer_id"      \
                       " AND c.row_id = x.row_id WHERE {now:x})"),                                                    \
            "Searchable chunks of documents.")

#define COUNTED(name_, dataset, table, what) RECORDS(name_, #dataset, table, what),
#define NONE_YET(name_, what)                NO_RECORDS(name_, what),
#define ROW_OF_ITS_OWN(...)                  __VA_ARGS__,
static const dsc_shape_t datasets_shape = SHAPE("CoverageDatasets", "Number of records in each dataset.",
DSC_COVERAGE(COUNTED, NONE_YET, ROW_OF_ITS_OWN));

static const dsc_shape_t coverage_shape = SHAPE("Coverage", "Coverage of the whole service.",
    INTEGER("issuers", PAST_COUNT("issuer", "(SELECT count(DISTINCT x.issuer_id) FROM listing x WHERE {now:x})"),
            "Number of issuers with a listing."),
    INTEGER("tickers_with_kpis",
            PAST_COUNT("kpi_issuer", "(SELECT count(DISTINCT x.issuer_id) FROM kpi_metric x WHERE {now:x})"),
            "Number of issuers with KPI metrics."),
    OBJECT("datasets", datasets_shape, "Number of records in each dataset."),
    DSC_FIELD_ALLOWLIST);

static const dsc_source_t coverage_source = ROW("(SELECT 1) t", .unversioned = 1);

/* How fresh what `disclosedctl follow` loads is; nobody keeps how fresh it was. */
static const dsc_shape_t freshness_shape = SHAPE("Freshness", "Freshness of the documents of a public source.",
    TEXT("source", "t.source", "The source, e.g. sec-edgar."),
    TEXT("document", "t.document", "Kind of document: a form type, or a file name."),
    DATETIME("newest_at", "t.newest_at", "Time of publication of the newest stored document, UTC; null if none is stored.", NULLABLE),
    DATETIME("stored_at", "t.stored_at", "Time at which the last document was stored, UTC; null if none was.", NULLABLE),
    DATETIME("checked_at", "t.checked_at", "Time at which all listings of the source were last read, UTC; null if they never were.", NULLABLE),
    INTEGER("missing", "t.missing", "Number of documents that the source lists and that are not stored yet."),
    DATETIME("missing_since", "t.missing_since", "Time at which the first of the missing documents was seen, UTC; null if none is missing.", NULLABLE),
    INTEGER("unread_listings", "t.unread_listings",
            "Number of the source's listings that could not be read; their content is unknown."));

static const dsc_source_t freshness_source =
    ROW("followed_state t", .order = "t.source", .order_type = "text", .tie = "t.document",
        .where = "{present:true}{past:false}", .unversioned = 1, .unkept = 1);

const dsc_endpoint_t dsc_endpoint_coverage = {
    GET("get_coverage", "/v1/coverage"),
    ABOUT("Coverage", "The amount of data in each dataset."),
    ITEM(coverage_source, coverage_shape),
    PARAMETERS(
        DSC_PARAMETER_AS_OF),
    .flags = DSC_BY_CLOCK,
    .children = CHILDREN({"freshness", &freshness_source, &freshness_shape,
                          "Freshness of the documents of public sources that are followed; empty with as_of."}),
    .not_found = "%s",
};

/* Count and latest day of a company's records: the kept ones, or what FROM and WHERE text yield of the past. */
#define ISSUER_STAT(alias, dataset, day, past)                                                                        \
    "{present: LEFT JOIN dataset_issuer_stat " alias " ON " alias ".issuer_id = t.issuer_id AND "                     \
    alias ".dataset = '" dataset "'}"                                                                                 \
    "{past: CROSS JOIN LATERAL (SELECT count(*) AS record_count, max(" day ")::date AS latest FROM " past ") " alias "}"

#define KEPT_SHAPE(alias)                                                                                             \
    static const dsc_shape_t alias = SHAPE("CoverageCount", "Number of records, and the day of the latest one.",      \
        INTEGER("count", "coalesce(" #alias ".record_count, 0)", "Number of records."),                               \
        DATE("latest", #alias ".latest", "Day of the latest record; null if there is none.", NULLABLE));

#define CONGRESS_TRADES OBJECT("congress_trades", congress_stat, "Trades of its securities by members of Congress.")

#define SHAPE_OF_COUNTED(name_, dataset, table, day, what) KEPT_SHAPE(dataset##_stat)
#define NO_SHAPE(...)
DSC_COMPANY_COVERAGE(SHAPE_OF_COUNTED, NO_SHAPE)
KEPT_SHAPE(congress_stat)

#define COUNTED_OF_COMPANY(name_, dataset, table, day, what) OBJECT(name_, dataset##_stat, what),
static const dsc_shape_t issuer_datasets_shape = SHAPE(
    "CompanyCoverageDatasets", "Number of records of a company in each dataset.",
    DSC_COMPANY_COVERAGE(COUNTED_OF_COMPANY, ROW_OF_ITS_OWN));

static const dsc_shape_t company_coverage_shape = SHAPE("CompanyCoverage", "Coverage of one company.",
    OBJECT("company", dsc_shape_company, "The company."),
    OBJECT("datasets", issuer_datasets_shape, "Number of records in each dataset."),
    OBJECT("calculations", dsc_shape_calculation_checks, "Whether the statements in its filings add up."));

#define STAT_OF_COUNTED(name_, dataset, table, day, what)                                                             \
    ISSUER_STAT(#dataset "_stat", #dataset, day, table " x WHERE x.issuer_id = t.issuer_id AND {now:x}")
static const dsc_source_t company_coverage_source =
    ROW("listing t JOIN issuer i ON i.issuer_id = t.issuer_id"
        " LEFT JOIN issuer_profile p ON p.issuer_id = t.issuer_id AND {now:p}"
        " CROSS JOIN LATERAL " DSC_CALCULATION_CHECKS("t.issuer_id") " checks"
        DSC_COMPANY_COVERAGE(STAT_OF_COUNTED, NO_SHAPE)
        ISSUER_STAT("congress_stat", "congress_trade/company", "x.filing_date",
                    "congress_trade x CROSS JOIN LATERAL congress_listing(x.ticker,"
                    " congress_ticker_day(x.filing_date, x.asset_type, x.asset_name), congress_company_name(x.asset_name), {value:as_of}) c"
                    " WHERE x.ticker = ANY (congress_tickers_of(t.issuer_id, {value:as_of}))"
                    " AND c.company_id = t.issuer_id AND {now:x}"));

const dsc_endpoint_t dsc_endpoint_company_coverage = {
    GET("get_company_coverage", "/v1/coverage/{symbol}"),
    ABOUT("Coverage", "The amount of data about one company."),
    ITEM(company_coverage_source, company_coverage_shape),
    PARAMETERS(
        DSC_PARAMETER_LISTING,
        DSC_PARAMETER_AS_OF),
    .not_found = "There is no company with the symbol \"%s\".",
};
