/* How much there is: counts kept with the data, never counted for a request. */
#include "datasets/datasets.h"

#define RECORDS(name, dataset, what)                                                              \
    {name, DSC_FIELD_INTEGER, 0,                                                                  \
     "coalesce((SELECT s.record_count FROM dataset_stat s WHERE s.dataset = '" dataset "'), 0)",  \
     NULL, NULL, NULL, NULL, what}

static const dsc_field_t dataset_fields[] = {
    RECORDS("filings", "filing", "Filings."),
    RECORDS("transcripts", "transcript", "Transcripts."),
    RECORDS("kpi_metrics", "kpi_metric", "Company-reported metrics."),
    RECORDS("kpi_observations", "kpi_observation", "Observations of those metrics."),
    RECORDS("ir_documents", "document", "Investor-relations documents."),
    RECORDS("document_chunks", "document_chunk", "Searchable pieces of documents."),
    RECORDS("exhibits", "exhibit", "Earnings-release exhibits."),
    RECORDS("insider_transactions", "insider", "Insider transactions."),
    RECORDS("insider_holdings", "insider_holding", "Insider holdings."),
    RECORDS("executives", "executive", "People who speak for companies."),
    RECORDS("listings", "listing", "Listings."),
};

static const dsc_shape_t datasets_shape = {"CoverageDatasets", "Records in each dataset.",
                                           dataset_fields, DSC_COUNT(dataset_fields)};

static const dsc_field_t coverage_fields[] = {
    RECORDS("issuers", "issuer", "Issuers with a listing."),
    {"tickers_with_kpis", DSC_FIELD_INTEGER, 0,
     "coalesce((SELECT s.record_count FROM dataset_stat s WHERE s.dataset = 'kpi_issuer'), 0)",
     NULL, NULL, NULL, NULL, "Issuers with company-reported metrics."},
    {"datasets", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &datasets_shape,
     "Records in each dataset."},
    {"allowlist", DSC_FIELD_JSON, DSC_ARRAY,
     "(SELECT to_json(array_agg(provider ORDER BY provider))::text FROM source_provider)", NULL,
     NULL, NULL, NULL, "Providers that data may come from."},
};

static const dsc_shape_t coverage_shape = {"Coverage", "Coverage of the whole service.",
                                           coverage_fields, DSC_COUNT(coverage_fields)};

static const dsc_source_t coverage_source = {"(SELECT 1) t", NULL, NULL, NULL, NULL, 1};

static const char *const all_reads[] = {"company",     "listing", "executive",       "filing",
                                        "exhibit",     "filing_text", "insider",
                                        "insider_holding", NULL};

const dsc_endpoint_t dsc_endpoint_coverage = {
    "get_coverage", "GET", "/v1/coverage", "Coverage", "How much data there is.", DSC_ANSWER_ITEM,
    0, NULL, 0, &coverage_source, &coverage_shape, all_reads, NULL, "%s", NULL};

#define ISSUER_STAT(alias, dataset)                                                               \
    " LEFT JOIN dataset_issuer_stat " alias " ON " alias ".issuer_id = t.issuer_id AND " alias    \
    ".dataset = '" dataset "'"

#define STAT_SHAPE(variable, alias)                                                               \
    static const dsc_field_t variable##_fields[] = {                                              \
        {"count", DSC_FIELD_INTEGER, 0, "coalesce(" alias ".record_count, 0)", NULL, NULL, NULL,  \
         NULL, "Records."},                                                                       \
        {"latest", DSC_FIELD_DATE, DSC_NULLABLE, alias ".latest", NULL, NULL, NULL, NULL,         \
         "Day of the latest one."},                                                               \
    };                                                                                            \
    static const dsc_shape_t variable = {"CoverageCount", "Records and the latest one's day.",    \
                                         variable##_fields, DSC_COUNT(variable##_fields)};

STAT_SHAPE(filing_stat, "filing_stat")
STAT_SHAPE(transcript_stat, "transcript_stat")
STAT_SHAPE(observation_stat, "observation_stat")
STAT_SHAPE(document_stat, "document_stat")
STAT_SHAPE(exhibit_stat, "exhibit_stat")
STAT_SHAPE(insider_stat, "insider_stat")

static const dsc_field_t issuer_dataset_fields[] = {
    {"filings", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &filing_stat, "Filings."},
    {"transcripts", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &transcript_stat, "Transcripts."},
    {"kpi_observations", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &observation_stat,
     "Observations of company-reported metrics."},
    {"ir_documents", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &document_stat,
     "Investor-relations documents."},
    {"exhibits", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &exhibit_stat,
     "Earnings-release exhibits."},
    {"insider_transactions", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &insider_stat,
     "Insider transactions."},
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
    ISSUER_STAT("filing_stat", "filing")
    ISSUER_STAT("transcript_stat", "transcript")
    ISSUER_STAT("observation_stat", "kpi_observation")
    ISSUER_STAT("document_stat", "document")
    ISSUER_STAT("exhibit_stat", "exhibit")
    ISSUER_STAT("insider_stat", "insider"),
    NULL, NULL, NULL, NULL, 0};

static const dsc_parameter_t company_coverage_parameters[] = {
    {"symbol", DSC_IN_PATH, DSC_SYMBOL, DSC_REQUIRED, NULL, {0, 0, 0, 0}, NULL,
     "t.record_key = listing_of_symbol(?)", NULL,
     "TICKER:MARKET, or a bare ticker: its primary listing."},
};

const dsc_endpoint_t dsc_endpoint_company_coverage = {
    "get_company_coverage", "GET", "/v1/coverage/{symbol}", "Coverage",
    "How much data there is about a company.", DSC_ANSWER_ITEM, 0, company_coverage_parameters,
    DSC_COUNT(company_coverage_parameters), &company_coverage_source, &company_coverage_shape,
    all_reads, NULL, "There is no company with the symbol \"%s\".", NULL};
