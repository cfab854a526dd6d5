/* Companies: facts about an issuer, its listings, and the endpoints that list and describe them. */
#include "datasets/datasets.h"

CHOICES(status_choices, "active", "inactive", "delisted");

/* ---------------------------------------------------------------------- served */

/* Alias t is the listing, p the facts about its issuer. */
#define REFERENCE_FIELDS                                                                                              \
    TEXT("symbol", "t.symbol", "Symbol of the listing, TICKER:MARKET."),                                              \
    TEXT("ticker", "t.ticker", "Ticker of the listing."),                                                             \
    TEXT("market", "t.market", "Market of the listing, e.g. US."),                                                    \
    TEXT("name", "coalesce(p.name, t.name)", "Conformed name of the registrant, or else the name in the listing."),   \
    CIK("cik", "i.cik", "Central Index Key, ten digits; null if the issuer has none.", NULLABLE),                     \
    TEXT("isin", "t.isin", "ISIN of the listing; null if unknown.", NULLABLE),                                        \
    TEXT("figi", "t.figi", "FIGI of the listing; null if unknown.", NULLABLE),                                        \
    INTEGER("issuer_id", "t.issuer_id", "Issuer ID in this service.")

const dsc_shape_t dsc_shape_company = SHAPE("Company", "A company, shown by one of its listings.",
    REFERENCE_FIELDS);

static const dsc_shape_t detail_shape = SHAPE("CompanyDetail", "A company in detail.",
    REFERENCE_FIELDS,
    TEXT("website", "p.website", "Website of the issuer; null if unknown.", NULLABLE),
    TEXT("country", "p.country", "Country of the business address, ISO 3166-1 alpha-2; null if unknown.", NULLABLE),
    TEXT("listing_exchange", "t.listing_exchange", "Exchange or marketplace, as the source names it; null if unknown.", NULLABLE),
    BOOLEAN("is_etf", "t.is_etf", "Whether it is an exchange-traded fund."),
    BOOLEAN("is_fund", "t.is_fund", "Whether it is a fund of any kind."),
    BOOLEAN("is_adr", "t.is_adr", "Whether the shares are depositary receipts."),
    TEXT("status", "t.status", "Status of the listing: active, inactive or delisted."),
    TEXT("sector", "p.sector", "Sector: division of the SIC code; null if no SIC code is known.", NULLABLE),
    TEXT("industry", "p.sic_description", "Industry: EDGAR's name for the SIC code; null if no SIC code is known.", NULLABLE),
    INTEGER("employee_count", "p.employee_count", "Number of employees; null if unknown.", NULLABLE),
    TEXT("description", "p.description", "Description of the business; null if there is none.", NULLABLE),
    PROVENANCE_OF("description_provenance", "d", "company", "Source of the description; null if there is none.", NULLABLE),
    JSON("_gaps", "company_gaps(p.sic, p.employee_count, p.description)",
         "Statements of what this response does not cover.", .flags = DSC_ARRAY));

#define LISTINGS                                                                                                      \
    "listing t JOIN issuer i ON i.issuer_id = t.issuer_id"                                                            \
    " LEFT JOIN issuer_profile p ON p.issuer_id = t.issuer_id AND {now:p}"

const dsc_source_t dsc_source_listing = ROWS(LISTINGS, "t.listed_on", "date");

/* Text with a space before each word, which distinguishes the beginning of a word from its inside.
 * Without a regular expression, because it is made for each listing that q finds. */
#define WORDS_OF(text) "' ' || translate(lower(" text "), '.,-&/()', '       ')"

/* How well a listing is what q asks for, the best the greatest: q is its ticker; words of its name or ticker; the beginning of one; within
 * one. Of the same, those that have been there longest come first: of the SEC's file that is its order, which begins with the largest. */
#define MATCH                                                                                                         \
    "(CASE WHEN t.ticker = upper({value:q}::text) THEN 3"                                                             \
    " WHEN position(" WORDS_OF("{value:q}::text") " || ' ' IN " WORDS_OF("t.ticker || ' ' || t.name") " || ' ') > 0 THEN 2"  \
    " WHEN position(" WORDS_OF("{value:q}::text") " IN " WORDS_OF("t.ticker || ' ' || t.name") ") > 0 THEN 1 ELSE 0 END"  \
    " * 1e20 - (t.listed_on - DATE '1900-01-01') * 1e12 - t.id)"

CHOICES(company_sorts, "listed", "match");

/* Of the list, which has an order for who looks for a company. */
static const dsc_source_t companies_source =
    ROWS(LISTINGS, "t.listed_on", "date", .orders = ORDERS({"listed", "t.listed_on", "date"}, {"match", MATCH, "numeric"}));

/* With d, the profile if it describes the company. */
static const dsc_source_t detail_source =
    ROW(LISTINGS " LEFT JOIN issuer_profile d ON d.issuer_id = p.issuer_id AND {now:d} AND d.description IS NOT NULL");

const dsc_dataset_t dsc_dataset_listing = {
    DATASET("listing", "listing", "Listings: tickers of issuers on markets"),
    .keeps = "issuer issuer_name name_word company_alias listing_seen listing_snapshot listing_stated listing_told",
    COLUMNS(
        KEY(TEXT, "ticker", "upper case"),
        KEY(TEXT, "market", "market of the listing, upper case: US for exchanges and over-the-counter markets of the USA"),
        REQUIRED(TEXT, "name", "name shown in lists"),
        FORWARD_FILLED(TEXT, "listing_exchange", "e.g. Nasdaq, NYSE, OTC"),
        FORWARD_FILLED(TEXT, "isin", "ISO 6166"),
        FORWARD_FILLED(TEXT, "figi", "Financial Instrument Global Identifier"),
        FORWARD_FILLED(BOOLEAN, "is_etf", "whether it is an exchange-traded fund"),
        FORWARD_FILLED(BOOLEAN, "is_fund", "whether it is a fund of any kind"),
        FORWARD_FILLED(BOOLEAN, "is_adr", "whether the shares are depositary receipts"),
        REQUIRED(TEXT, "status", "status of the listing", .choices = status_choices),
        FORWARD_FILLED(INTEGER, "listing_rank", "rank among the issuer's listings; 0 is the primary one"),
        COLUMN(DATE, "listed_on", "first day on which the listing is known to exist",
               .flags = DSC_COLUMN_FORWARD_FILLED | DSC_COLUMN_NOT_COMPARED)),
    .key_form = "{ticker}:{market}",
    .flags = DSC_KEY_FIXED | DSC_KEY_GLOBAL | DSC_SAYS_SYMBOLS,
    .date_column = "listed_on",
    .reconcile = "reconcile_companies",
    .derive = "reconcile_listings",
    SHOWN(dsc_source_listing, dsc_shape_company),
};

static const dsc_shape_t profile_shape = SHAPE("IssuerProfile", "Facts about an issuer.",
    TEXT("name", "t.name", "Conformed name of the registrant."),
    CIK("cik", "i.cik", "Central Index Key; null if the issuer has none.", NULLABLE),
    INTEGER("issuer_id", "t.issuer_id", "Issuer ID in this service."),
    TEXT("sic", "t.sic", "SIC code, four digits; null if unknown.", NULLABLE),
    PROVENANCE("company", "Source of the record."));

static const dsc_source_t profile_source =
    ROWS("issuer_profile t JOIN issuer i ON i.issuer_id = t.issuer_id", "t.known_at", "timestamptz");

const dsc_dataset_t dsc_dataset_company = {
    DATASET("company", "issuer_profile", "Facts about issuers: names, industry, address, website"),
    .keeps = "issuer issuer_name name_word company_alias restated",
    COLUMNS(
        REQUIRED(TEXT, "name", "conformed name of the registrant"),
        FORWARD_FILLED(TEXT, "entity_type", "EDGAR's entity type: operating, investment, other"),
        FORWARD_FILLED(TEXT, "sic", "Standard Industrial Classification code, four digits"),
        FORWARD_FILLED(TEXT, "sic_description", "EDGAR's name for the SIC code"),
        FORWARD_FILLED(TEXT, "country", "country of the business address, ISO 3166-1 alpha-2"),
        FORWARD_FILLED(TEXT, "state_of_incorporation", "EDGAR state code"),
        FORWARD_FILLED(TEXT, "fiscal_year_end", "MMDD"),
        FORWARD_FILLED(TEXT, "filer_category", "e.g. Large accelerated filer"),
        FORWARD_FILLED(TEXT, "website", "website of the issuer"),
        FORWARD_FILLED(TEXT, "description", "description of the business"),
        FORWARD_FILLED(INTEGER, "employee_count", "number of employees"),
        FORWARD_FILLED(TEXT, "ein", "employer identification number"),
        FORWARD_FILLED(TEXT, "lei", "legal entity identifier"),
        FORWARD_FILLED(TEXT, "phone", "telephone number, as filed")),
    .key_form = "profile",
    .flags = DSC_KEY_FIXED | DSC_SNAPSHOTS | DSC_LAST_COUNTS,
    .date_column = "known_at",
    .reconcile = "reconcile_companies",
    SHOWN(profile_source, profile_shape),
};

const dsc_endpoint_t dsc_endpoint_companies = {
    GET("list_companies", "/v1/companies"),
    ABOUT("Companies", "The company universe: an item for each listing."),
    LIST(companies_source, dsc_shape_company),
    PARAMETERS(
        DSC_PARAMETER_NAMED,
        DSC_PARAMETER_MARKETS,
        QUERY(STRING, "sector",
              "Only companies in this sector, which is the division of the SIC code, e.g. Manufacturing. Companies without a known SIC code have "
              "no sector.",
              .flags = DSC_PLAN_EACH_TIME, .predicate = "lower(p.sector) = lower(?)"),
        QUERY(SYMBOL, "tickers", "Only listings with these tickers.", .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME,
              .predicate = "t.ticker = ANY (?)"),
        QUERY(CIK, "ciks", "Only companies with these Central Index Keys, with or without leading zeros.",
              .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME,
              .predicate = "t.issuer_id = ANY (ARRAY(SELECT named.issuer_id FROM issuer named WHERE named.cik = ANY "
              "(ciks_of(?))))"),
        QUERY(SYMBOL, "isins", "Only listings with these ISINs.", .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME, .predicate = "t.isin = ANY (?)"),
        QUERY(SYMBOL, "figis", "Only listings with these FIGIs.", .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME, .predicate = "t.figi = ANY (?)"),
        QUERY(INTEGER, "issuer_ids", "Only companies with these issuer IDs.", .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME,
              .predicate = "t.issuer_id = ANY (?)"),
        DSC_PARAMETER_ACTIVE_ONLY,
        QUERY(LITERAL, "sort",
              "Sort order. listed: the day on which the listing became known. match: how well the listing matches q: by its ticker, by whole "
              "words, by the beginning of a word, then by any other part; of equal matches, the listing known longest comes first.",
              .choices = company_sorts, .default_text = "listed"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("the day on which the listing became known, or by the match if sort is match"),
        DSC_PARAMETER_AS_OF),
};

const dsc_endpoint_t dsc_endpoint_company = {
    GET("get_company", "/v1/companies/{symbol}"),
    ABOUT("Companies", "One company in detail."),
    ITEM(detail_source, detail_shape),
    PARAMETERS(
        DSC_PARAMETER_LISTING,
        DSC_PARAMETER_AS_OF),
    .not_found = "There is no company with the symbol \"%s\".",
};
