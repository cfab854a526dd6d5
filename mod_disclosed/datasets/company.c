/* Companies: facts about an issuer, its listings, and the endpoints that list and describe them. */
#include "datasets/datasets.h"

static const char *const status_choices[] = {"active", "inactive", "delisted", NULL};

static const dsc_column_t profile_columns[] = {
    {"name", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "conformed name of the registrant"},
    {"entity_type", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL,
     "operating, investment, other, as EDGAR has it"},
    {"sic", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL,
     "Standard Industrial Classification code, four digits"},
    {"sic_description", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "EDGAR's name of the SIC code"},
    {"country", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL,
     "country of the business address, ISO 3166-1 alpha-2"},
    {"state_of_incorporation", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "EDGAR state code"},
    {"fiscal_year_end", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "MMDD"},
    {"filer_category", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "e.g. Large accelerated filer"},
    {"website", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "the issuer's site"},
    {"description", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "what the company does"},
    {"employee_count", DSC_COLUMN_INTEGER, DSC_COLUMN_CARRIED, NULL, "employees"},
    {"ein", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "employer identification number"},
    {"lei", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "legal entity identifier"},
    {"phone", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "telephone as filed"},
};

static const dsc_column_t listing_columns[] = {
    {"ticker", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL, "upper case"},
    {"market", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL,
     "market of the symbol, upper case: US for exchanges and over-the-counter markets of the USA"},
    {"name", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "name that lists show"},
    {"listing_exchange", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "e.g. Nasdaq, NYSE, OTC"},
    {"isin", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "ISO 6166"},
    {"figi", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "Financial Instrument Global Identifier"},
    {"is_etf", DSC_COLUMN_BOOLEAN, DSC_COLUMN_CARRIED, NULL, "an exchange-traded fund"},
    {"is_fund", DSC_COLUMN_BOOLEAN, DSC_COLUMN_CARRIED, NULL, "a fund of any kind"},
    {"is_adr", DSC_COLUMN_BOOLEAN, DSC_COLUMN_CARRIED, NULL, "depositary receipts"},
    {"status", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, status_choices, "state of the listing"},
    {"listing_rank", DSC_COLUMN_INTEGER, DSC_COLUMN_CARRIED, NULL,
     "place among the issuer's listings; 0 is the primary one"},
    {"listed_on", DSC_COLUMN_DATE, DSC_COLUMN_CARRIED | DSC_COLUMN_NOT_COMPARED, NULL,
     "first day on which the listing is known"},
};

/* ---------------------------------------------------------------------- served */

/* Alias t is the listing, p the facts about its issuer. */
#define REFERENCE_FIELDS                                                                          \
    {"symbol", DSC_FIELD_TEXT, 0, "t.symbol", NULL, NULL, NULL, NULL, "TICKER:MARKET."},          \
    {"ticker", DSC_FIELD_TEXT, 0, "t.ticker", NULL, NULL, NULL, NULL, "Ticker."},                 \
    {"market", DSC_FIELD_TEXT, 0, "t.market", NULL, NULL, NULL, NULL, "Market of the symbol."},   \
    {"name", DSC_FIELD_TEXT, 0, "coalesce(p.name, t.name)", NULL, NULL, NULL, NULL,               \
     "Conformed name of the registrant."},                                                        \
    {"cik", DSC_FIELD_CIK, DSC_NULLABLE, "i.cik", NULL, NULL, NULL, NULL,                         \
     "Central Index Key, ten digits."},                                                           \
    {"isin", DSC_FIELD_TEXT, DSC_NULLABLE, "t.isin", NULL, NULL, NULL, NULL, "ISIN."},            \
    {"figi", DSC_FIELD_TEXT, DSC_NULLABLE, "t.figi", NULL, NULL, NULL, NULL, "FIGI."},            \
    {"issuer_id", DSC_FIELD_INTEGER, 0, "t.issuer_id", NULL, NULL, NULL, NULL,                    \
     "Number of the issuer in this service."}

static const dsc_field_t reference_fields[] = {REFERENCE_FIELDS};

const dsc_shape_t dsc_shape_company = {"Company", "A company by one of its listings.",
                                       reference_fields, DSC_COUNT(reference_fields)};

static const dsc_field_t detail_fields[] = {
    REFERENCE_FIELDS,
    {"website", DSC_FIELD_TEXT, DSC_NULLABLE, "p.website", NULL, NULL, NULL, NULL,
     "The issuer's site."},
    {"country", DSC_FIELD_TEXT, DSC_NULLABLE, "p.country", NULL, NULL, NULL, NULL,
     "Country of the business address, ISO 3166-1 alpha-2."},
    {"listing_exchange", DSC_FIELD_TEXT, DSC_NULLABLE, "t.listing_exchange", NULL, NULL, NULL,
     NULL, "Exchange or market place, as the source names it."},
    {"is_etf", DSC_FIELD_BOOLEAN, 0, "t.is_etf", NULL, NULL, NULL, NULL,
     "An exchange-traded fund."},
    {"is_fund", DSC_FIELD_BOOLEAN, 0, "t.is_fund", NULL, NULL, NULL, NULL, "A fund of any kind."},
    {"is_adr", DSC_FIELD_BOOLEAN, 0, "t.is_adr", NULL, NULL, NULL, NULL, "Depositary receipts."},
    {"status", DSC_FIELD_TEXT, 0, "t.status", NULL, NULL, NULL, NULL,
     "active, inactive or delisted."},
    {"sector", DSC_FIELD_TEXT, DSC_NULLABLE, "p.sector", NULL, NULL, NULL, NULL,
     "Division of the SIC code."},
    {"industry", DSC_FIELD_TEXT, DSC_NULLABLE, "p.sic_description", NULL, NULL, NULL, NULL,
     "EDGAR's name of the SIC code."},
    {"employee_count", DSC_FIELD_INTEGER, DSC_NULLABLE, "p.employee_count", NULL, NULL, NULL,
     NULL, "Employees."},
    {"description", DSC_FIELD_TEXT, DSC_NULLABLE, "p.description", NULL, NULL, NULL, NULL,
     "What the company does."},
    {"description_provenance", DSC_FIELD_PROVENANCE, DSC_NULLABLE, "p", NULL, NULL, "company",
     NULL, "Where the facts about the issuer come from."},
    {"_gaps", DSC_FIELD_JSON, DSC_ARRAY, "to_json(company_gaps(p.sic, p.employee_count, "
     "p.description))::text", NULL, NULL, NULL, NULL, "What this answer does not cover."},
};

static const dsc_shape_t detail_shape = {"CompanyDetail", "A company in detail.", detail_fields,
                                         DSC_COUNT(detail_fields)};

static const dsc_source_t listing_source = {
    "listing t JOIN issuer i ON i.issuer_id = t.issuer_id"
    " LEFT JOIN issuer_profile p ON p.issuer_id = t.issuer_id AND {now:p}",
    NULL, "t.listed_on", "date", "t.id", 0};

const dsc_dataset_t dsc_dataset_listing = {
    "listing", "listing", "Listings: tickers of issuers on markets", listing_columns,
    DSC_COUNT(listing_columns), "listed_on", "settle_companies", &listing_source,
    &dsc_shape_company, "{ticker}:{market}", DSC_KEY_FIXED | DSC_KEY_WIDE};

static const dsc_field_t profile_fields[] = {
    {"name", DSC_FIELD_TEXT, 0, "t.name", NULL, NULL, NULL, NULL, "Name of the registrant."},
    {"cik", DSC_FIELD_CIK, DSC_NULLABLE, "i.cik", NULL, NULL, NULL, NULL, "Central Index Key."},
    {"issuer_id", DSC_FIELD_INTEGER, 0, "t.issuer_id", NULL, NULL, NULL, NULL,
     "Number of the issuer in this service."},
    {"sic", DSC_FIELD_TEXT, DSC_NULLABLE, "t.sic", NULL, NULL, NULL, NULL, "SIC code."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "company", NULL,
     "Where it comes from."},
};

static const dsc_shape_t profile_shape = {"IssuerProfile", "Facts about an issuer.",
                                          profile_fields, DSC_COUNT(profile_fields)};

static const dsc_source_t profile_source = {
    "issuer_profile t JOIN issuer i ON i.issuer_id = t.issuer_id", NULL, "t.known_at",
    "timestamptz", "t.id", 0};

const dsc_dataset_t dsc_dataset_company = {
    "company", "issuer_profile", "Facts about issuers: names, industry, address, site",
    profile_columns, DSC_COUNT(profile_columns), "known_at", "settle_companies", &profile_source,
    &profile_shape, "profile", DSC_KEY_FIXED};

static const dsc_parameter_t companies_parameters[] = {
    {"q", DSC_IN_QUERY, DSC_STRING, DSC_PLAN_EACH_TIME, NULL, {0, 0, 0, 0}, NULL,
     "(t.ticker || ' ' || t.name) ILIKE like_pattern(?) AND (t.ticker ILIKE like_pattern(?)"
     " OR t.name ILIKE like_pattern(?))",
     NULL, "Part of the name or of the ticker."},
    {"markets", DSC_IN_QUERY, DSC_SYMBOL, DSC_REPEATABLE | DSC_PLAN_EACH_TIME, NULL, {0, 0, 0, 0},
     NULL, "t.market = ANY (?)", NULL, "Markets, e.g. US."},
    {"sector", DSC_IN_QUERY, DSC_STRING, DSC_PLAN_EACH_TIME, NULL, {0, 0, 0, 0}, NULL,
     "lower(p.sector) = lower(?)", NULL,
     "Division of the SIC code, e.g. Manufacturing. Companies without a known SIC code have none."},
    {"tickers", DSC_IN_QUERY, DSC_SYMBOL, DSC_REPEATABLE | DSC_PLAN_EACH_TIME, NULL, {0, 0, 0, 0},
     NULL, "t.ticker = ANY (?)", NULL, "Tickers."},
    {"ciks", DSC_IN_QUERY, DSC_CIK, DSC_REPEATABLE | DSC_PLAN_EACH_TIME, NULL, {0, 0, 0, 0}, NULL,
     "t.issuer_id = ANY (ARRAY(SELECT named.issuer_id FROM issuer named WHERE named.cik = ANY "
     "(ciks_of(?))))",
     NULL, "Central Index Keys, with or without leading zeros."},
    {"isins", DSC_IN_QUERY, DSC_SYMBOL, DSC_REPEATABLE | DSC_PLAN_EACH_TIME, NULL, {0, 0, 0, 0},
     NULL, "t.isin = ANY (?)", NULL, "ISINs."},
    {"figis", DSC_IN_QUERY, DSC_SYMBOL, DSC_REPEATABLE | DSC_PLAN_EACH_TIME, NULL, {0, 0, 0, 0},
     NULL, "t.figi = ANY (?)", NULL, "FIGIs."},
    {"issuer_ids", DSC_IN_QUERY, DSC_INTEGER, DSC_REPEATABLE | DSC_PLAN_EACH_TIME, NULL,
     {0, 0, 0, 0}, NULL, "t.issuer_id = ANY (?)", NULL, "Numbers of issuers in this service."},
    {"active_only", DSC_IN_QUERY, DSC_BOOLEAN, 0, NULL, {0, 0, 0, 0}, "true",
     "t.status = 'active'", NULL, "Only active listings."},
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("the day on which the listing became known"),
    DSC_PARAMETER_AS_OF,
};

static const dsc_parameter_t company_parameters[] = {
    DSC_PARAMETER_LISTING,
    DSC_PARAMETER_AS_OF,
};

static const char *const reads[] = {"company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_companies = {
    "list_companies", "GET", "/v1/companies", "Companies", "The company universe.",
    DSC_ANSWER_LIST, 0, companies_parameters, DSC_COUNT(companies_parameters), &listing_source,
    &dsc_shape_company, reads, NULL, NULL, NULL};

const dsc_endpoint_t dsc_endpoint_company = {
    "get_company", "GET", "/v1/companies/{symbol}", "Companies", "One company in detail.",
    DSC_ANSWER_ITEM, 0, company_parameters, DSC_COUNT(company_parameters), &listing_source,
    &detail_shape, reads, NULL, "There is no company with the symbol \"%s\".", NULL};
