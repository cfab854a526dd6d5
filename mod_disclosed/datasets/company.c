/* Companies: facts about an issuer, its listings, and the endpoints that list and describe them. */
#include "datasets/datasets.h"

CHOICES(status_choices, "active", "inactive", "delisted");

/* ---------------------------------------------------------------------- served */

/* Alias t is the listing, p the facts about its issuer. */
#define REFERENCE_FIELDS                                                                                              \
    TEXT("symbol", "t.symbol", "TICKER:MARKET."),                                                                     \
    TEXT("ticker", "t.ticker", "Ticker."),                                                                            \
    TEXT("market", "t.market", "Market of the symbol."),                                                              \
    TEXT("name", "coalesce(p.name, t.name)", "Conformed name of the registrant."),                                    \
    CIK("cik", "i.cik", "Central Index Key, ten digits.", NULLABLE),                                                  \
    TEXT("isin", "t.isin", "ISIN.", NULLABLE),                                                                        \
    TEXT("figi", "t.figi", "FIGI.", NULLABLE),                                                                        \
    INTEGER("issuer_id", "t.issuer_id", "Number of the issuer in this service.")

const dsc_shape_t dsc_shape_company = SHAPE("Company", "A company by one of its listings.",
    REFERENCE_FIELDS);

static const dsc_shape_t detail_shape = SHAPE("CompanyDetail", "A company in detail.",
    REFERENCE_FIELDS,
    TEXT("website", "p.website", "The issuer's site.", NULLABLE),
    TEXT("country", "p.country", "Country of the business address, ISO 3166-1 alpha-2.", NULLABLE),
    TEXT("listing_exchange", "t.listing_exchange", "Exchange or market place, as the source names it.", NULLABLE),
    BOOLEAN("is_etf", "t.is_etf", "An exchange-traded fund."),
    BOOLEAN("is_fund", "t.is_fund", "A fund of any kind."),
    BOOLEAN("is_adr", "t.is_adr", "Depositary receipts."),
    TEXT("status", "t.status", "active, inactive or delisted."),
    TEXT("sector", "p.sector", "Division of the SIC code.", NULLABLE),
    TEXT("industry", "p.sic_description", "EDGAR's name of the SIC code.", NULLABLE),
    INTEGER("employee_count", "p.employee_count", "Employees.", NULLABLE),
    TEXT("description", "p.description", "What the company does.", NULLABLE),
    PROVENANCE_OF("description_provenance", "d", "company", "Where the description comes from; null where there is none.", NULLABLE),
    JSON("_gaps", "company_gaps(p.sic, p.employee_count, p.description)",
         "What this response does not cover.", .flags = DSC_ARRAY));

#define LISTINGS                                                                                                      \
    "listing t JOIN issuer i ON i.issuer_id = t.issuer_id"                                                            \
    " LEFT JOIN issuer_profile p ON p.issuer_id = t.issuer_id AND {now:p}"

const dsc_source_t dsc_source_listing = ROWS(LISTINGS, "t.listed_on", "date");

/* Text with a space before each word, so that what begins a word is told from what is within one; without a regular expression, as it
 * is looked at of each listing that q finds. */
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

/* With d, the profile where it describes the company. */
static const dsc_source_t detail_source =
    ROW(LISTINGS " LEFT JOIN issuer_profile d ON d.issuer_id = p.issuer_id AND {now:d} AND d.description IS NOT NULL");

const dsc_dataset_t dsc_dataset_listing = {
    DATASET("listing", "listing", "Listings: tickers of issuers on markets"),
    .keeps = "issuer issuer_name name_word listing_seen listing_snapshot listing_stated listing_told",
    COLUMNS(
        KEY(TEXT, "ticker", "upper case"),
        KEY(TEXT, "market", "market of the symbol, upper case: US for exchanges and over-the-counter markets of the USA"),
        REQUIRED(TEXT, "name", "name that lists show"),
        FORWARD_FILLED(TEXT, "listing_exchange", "e.g. Nasdaq, NYSE, OTC"),
        FORWARD_FILLED(TEXT, "isin", "ISO 6166"),
        FORWARD_FILLED(TEXT, "figi", "Financial Instrument Global Identifier"),
        FORWARD_FILLED(BOOLEAN, "is_etf", "an exchange-traded fund"),
        FORWARD_FILLED(BOOLEAN, "is_fund", "a fund of any kind"),
        FORWARD_FILLED(BOOLEAN, "is_adr", "depositary receipts"),
        REQUIRED(TEXT, "status", "state of the listing", .choices = status_choices),
        FORWARD_FILLED(INTEGER, "listing_rank", "place among the issuer's listings; 0 is the primary one"),
        COLUMN(DATE, "listed_on", "first day on which the listing is known",
               .flags = DSC_COLUMN_FORWARD_FILLED | DSC_COLUMN_NOT_COMPARED)),
    .key_form = "{ticker}:{market}",
    .flags = DSC_KEY_FIXED | DSC_KEY_GLOBAL | DSC_SAYS_SYMBOLS,
    .date_column = "listed_on",
    .reconcile = "reconcile_companies",
    .derive = "reconcile_listings",
    SHOWN(dsc_source_listing, dsc_shape_company),
};

static const dsc_shape_t profile_shape = SHAPE("IssuerProfile", "Facts about an issuer.",
    TEXT("name", "t.name", "Name of the registrant."),
    CIK("cik", "i.cik", "Central Index Key.", NULLABLE),
    INTEGER("issuer_id", "t.issuer_id", "Number of the issuer in this service."),
    TEXT("sic", "t.sic", "SIC code.", NULLABLE),
    PROVENANCE("company", "Where it comes from."));

static const dsc_source_t profile_source =
    ROWS("issuer_profile t JOIN issuer i ON i.issuer_id = t.issuer_id", "t.known_at", "timestamptz");

const dsc_dataset_t dsc_dataset_company = {
    DATASET("company", "issuer_profile", "Facts about issuers: names, industry, address, site"),
    .keeps = "issuer issuer_name name_word restated",
    COLUMNS(
        REQUIRED(TEXT, "name", "conformed name of the registrant"),
        FORWARD_FILLED(TEXT, "entity_type", "operating, investment, other, as EDGAR has it"),
        FORWARD_FILLED(TEXT, "sic", "Standard Industrial Classification code, four digits"),
        FORWARD_FILLED(TEXT, "sic_description", "EDGAR's name of the SIC code"),
        FORWARD_FILLED(TEXT, "country", "country of the business address, ISO 3166-1 alpha-2"),
        FORWARD_FILLED(TEXT, "state_of_incorporation", "EDGAR state code"),
        FORWARD_FILLED(TEXT, "fiscal_year_end", "MMDD"),
        FORWARD_FILLED(TEXT, "filer_category", "e.g. Large accelerated filer"),
        FORWARD_FILLED(TEXT, "website", "the issuer's site"),
        FORWARD_FILLED(TEXT, "description", "what the company does"),
        FORWARD_FILLED(INTEGER, "employee_count", "employees"),
        FORWARD_FILLED(TEXT, "ein", "employer identification number"),
        FORWARD_FILLED(TEXT, "lei", "legal entity identifier"),
        FORWARD_FILLED(TEXT, "phone", "telephone as filed")),
    .key_form = "profile",
    .flags = DSC_KEY_FIXED | DSC_SNAPSHOTS | DSC_LAST_COUNTS,
    .date_column = "known_at",
    .reconcile = "reconcile_companies",
    SHOWN(profile_source, profile_shape),
};

const dsc_endpoint_t dsc_endpoint_companies = {
    GET("list_companies", "/v1/companies"),
    ABOUT("Companies", "The company universe."),
    LIST(companies_source, dsc_shape_company),
    PARAMETERS(
        DSC_PARAMETER_NAMED,
        DSC_PARAMETER_MARKETS,
        QUERY(STRING, "sector",
              "Division of the SIC code, e.g. Manufacturing. Companies without a known SIC code have none.",
              .flags = DSC_PLAN_EACH_TIME, .predicate = "lower(p.sector) = lower(?)"),
        QUERY(SYMBOL, "tickers", "Tickers.", .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME,
              .predicate = "t.ticker = ANY (?)"),
        QUERY(CIK, "ciks", "Central Index Keys, with or without leading zeros.",
              .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME,
              .predicate = "t.issuer_id = ANY (ARRAY(SELECT named.issuer_id FROM issuer named WHERE named.cik = ANY "
              "(ciks_of(?))))"),
        QUERY(SYMBOL, "isins", "ISINs.", .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME, .predicate = "t.isin = ANY (?)"),
        QUERY(SYMBOL, "figis", "FIGIs.", .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME, .predicate = "t.figi = ANY (?)"),
        QUERY(INTEGER, "issuer_ids", "Numbers of issuers in this service.", .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME,
              .predicate = "t.issuer_id = ANY (?)"),
        DSC_PARAMETER_ACTIVE_ONLY,
        QUERY(LITERAL, "sort",
              "What orders the listings: the day on which they became known, or how well they match q: the ticker, whole words, the beginning of "
              "a word, then others, and of the same those that have been known longest.",
              .choices = company_sorts, .default_text = "listed"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("the day on which the listing became known, or what sort says"),
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
