/* What a company is: its facts, versions of its profile, and its listings. */
#include "ctl/demo.h"
#include "datasets/datasets.h"
#include "engine/identifier.h"

#include <apr_strings.h>
#include <string.h>

static const dsc_demo_industry_t industries[] = {
    {"7372", "Services-Prepackaged Software", "Software",
     "writes scheduling software for harbours"},
    {"3674", "Semiconductors & Related Devices", "Silicon", "makes signal chips for lighthouses"},
    {"2834", "Pharmaceutical Preparations", "Remedies", "develops medicines against hiccups"},
    {"3841", "Surgical & Medical Instruments & Apparatus", "Instruments",
     "makes clamps and forceps"},
    {"6022", "State Commercial Banks", "Bancshares", "runs a bank with branches on ferries"},
    {"6798", "Real Estate Investment Trusts", "Properties", "lets greenhouses to gardeners"},
    {"1311", "Crude Petroleum & Natural Gas", "Energy", "produces natural gas from small wells"},
    {"1040", "Gold & Silver Ores", "Mining", "mines silver in two deep pits"},
    {"4911", "Electric Services", "Power", "supplies electricity from tidal mills"},
    {"4213", "Trucking (No Local)", "Freight", "carries furniture over long distances"},
    {"5812", "Retail-Eating Places", "Kitchens", "runs restaurants that serve soup alone"},
    {"5331", "Retail-Variety Stores", "Stores", "sells umbrellas and household goods"},
    {"5140", "Wholesale-Groceries & Related Products", "Provisions", "supplies grocers with jam"},
    {"3714", "Motor Vehicle Parts & Accessories", "Motor Parts", "makes door handles for vans"},
    {"1531", "Operative Builders", "Homes", "builds terraced houses"},
    {"0100", "Agricultural Production-Crops", "Orchards", "grows plums and quinces"},
    {"2080", "Beverages", "Beverages", "bottles lemonade and mineral water"},
    {"3721", "Aircraft", "Aeronautics", "builds airships for surveyors"},
};

static const dsc_demo_market_t markets[] = {
    {"US", "Nasdaq", "US", "DE", "USD"}, {"US", "NYSE", "US", "DE", "USD"},
    {"US", "Nasdaq", "US", "NV", "USD"}, {"US", "NYSE", "US", "MD", "USD"},
    {"US", "OTC", "US", "TX", "USD"},
};
static const dsc_demo_market_t foreign_markets[] = {
    {"CA", "TSX", "CA", "A6", "CAD"},
    {"GB", "LSE", "GB", "X0", "GBP"},
    {"DE", "XETRA", "DE", "2M", "EUR"},
};
static const dsc_demo_market_t adr_market = {"US", "OTC", "US", NULL, "USD"};
static const dsc_demo_market_t fund_market = {"US", "NYSE", "US", "MA", "USD"};

/* Deadlines of Forms 10-K and 10-Q by filer category. */
static const dsc_demo_size_t sizes[] = {
    {"Large accelerated filer", 60, 40, 400000, 4000000},
    {"Accelerated filer", 75, 40, 60000, 380000},
    {"Non-accelerated filer", 90, 45, 9000, 55000},
};

/* What sets a company apart goes by its number, so that the first forty have one of each. */
static dsc_demo_kind_t kind_of(int index)
{
    return index % 10 == 7                        ? DSC_DEMO_FOREIGN
           : index % 20 == 13 || index % 40 == 29 ? DSC_DEMO_FUND
                                                  : DSC_DEMO_OPERATING;
}

int dsc_demo_reports_insiders(int index)
{
    return kind_of(index) == DSC_DEMO_OPERATING;
}

static void set_kind(dsc_demo_company_t *company, dsc_demo_random_t *random)
{
    int index = company->index;
    company->kind = kind_of(index);
    company->industry =
        company->kind == DSC_DEMO_FUND
            ? NULL
            : &industries[(index + index / DSC_COUNT(industries)) % DSC_COUNT(industries)];
    company->market = company->kind == DSC_DEMO_FUND ? &fund_market
                      : company->kind == DSC_DEMO_FOREIGN
                          ? &foreign_markets[index / 10 % DSC_COUNT(foreign_markets)]
                          : &markets[dsc_demo_number(random, 0, DSC_COUNT(markets) - 1)];
    company->is_etf = company->kind == DSC_DEMO_FUND && index % 20 == 13;
    company->two_classes = company->kind == DSC_DEMO_OPERATING && index % 8 == 2;
    company->has_adr = company->kind == DSC_DEMO_FOREIGN && index % 20 == 17;
    company->size = &sizes[dsc_demo_number(random, 0, DSC_COUNT(sizes) - 1)];
}

static void set_names(dsc_demo_company_t *company)
{
    apr_pool_t *pool = company->pool;
    const char *stem = dsc_demo_stem(pool, company->options->seed, company->index);
    const char *legal_form = strcmp(company->market->code, "GB") == 0   ? "plc"
                             : strcmp(company->market->code, "DE") == 0 ? "AG"
                             : company->industry == NULL                ? ""
                                                                        : "Inc.";
    const char *suffix = company->industry != NULL ? company->industry->suffix
                         : company->is_etf         ? "Imaginary Equity ETF"
                                                   : "Imaginary Income Fund";
    company->cik =
        apr_psprintf(pool, "%" APR_INT64_T_FMT, APR_INT64_C(9990000001) + company->index);
    company->ticker = dsc_demo_upper(pool, stem);
    company->name = apr_pstrcat(pool, stem, " ", suffix, *legal_form ? " " : "", legal_form, NULL);
    company->former_name = apr_pstrcat(pool, stem, " Holdings ", legal_form, NULL);
    company->share_title = company->two_classes ? "Class A Common Stock" : "Common Stock";
}

/* Most companies are there all the time; some come later, some go. */
static void set_days(dsc_demo_company_t *company, dsc_demo_random_t *random)
{
    static const int fiscal_months[] = {12, 12, 12, 12, 12, 6, 9, 1};
    int years = company->options->years, index = company->index;
    int first = dsc_day(DSC_DEMO_END_YEAR - years, 10, 1);
    int last = dsc_day(DSC_DEMO_END_YEAR, 9, 30);
    int span = last - first;
    company->fiscal_month = fiscal_months[dsc_demo_number(random, 0, DSC_COUNT(fiscal_months) - 1)];
    company->is_new = company->kind == DSC_DEMO_OPERATING && index % 8 == 4;
    company->first_day =
        company->is_new ? dsc_business_day(first + span / 10 + index % (span / 4)) : first;
    company->final_status = index % 20 == 11   ? "delisted"
                            : index % 40 == 38 ? "inactive"
                                               : "active";
    company->last_day = strcmp(company->final_status, "active") == 0
                            ? last
                            : dsc_business_day(last - span / 8 - index % (span / 8));
    company->rename_day =
        company->kind == DSC_DEMO_OPERATING && index % 10 == 5
            ? dsc_business_day(company->first_day + (company->last_day - company->first_day) / 2 +
                               index % 60)
            : 0;
    company->listed_day = company->is_new
                              ? company->first_day
                              : dsc_business_day(first - dsc_demo_number(random, 200, 9000));
}

dsc_demo_company_t *dsc_demo_outline(apr_pool_t *pool, const dsc_demo_options_t *options, int index)
{
    dsc_demo_company_t *company = apr_pcalloc(pool, sizeof(*company));
    dsc_demo_random_t random;
    company->options = options;
    company->pool = pool;
    company->index = index;
    random = dsc_demo_company_stream(company, DSC_DEMO_FACTS);
    company->people = apr_array_make(pool, 16, sizeof(dsc_demo_person_t *));
    company->filings = apr_array_make(pool, 64, sizeof(dsc_demo_filing_t *));
    company->reports = apr_array_make(pool, 64, sizeof(dsc_demo_report_t *));
    set_kind(company, &random);
    set_names(company);
    set_days(company, &random);
    dsc_demo_make_prices(company);
    return company;
}

dsc_demo_company_t *dsc_demo_company(apr_pool_t *pool, const dsc_demo_options_t *options, int index)
{
    dsc_demo_company_t *company = dsc_demo_outline(pool, options, index);
    dsc_demo_make_results(company);
    dsc_demo_make_filings(company);
    dsc_demo_make_people(company);
    if (company->kind == DSC_DEMO_OPERATING) {
        dsc_demo_make_insiders(company);
    }
    dsc_demo_number_filings(company);
    return company;
}

/* ------------------------------------------------------------- identifiers */

/* `count` consonants or digits that stand for `number` alone. */
static const char *code_of(apr_pool_t *pool, int64_t number, int count)
{
    static const char alphabet[] = "0123456789BCDFGHJKLMNPQRSTVWXYZ";
    char *code = apr_pcalloc(pool, (apr_size_t)count + 1);
    for (int i = count - 1; i >= 0; i--, number /= DSC_COUNT(alphabet) - 1) {
        code[i] = alphabet[number % (DSC_COUNT(alphabet) - 1)];
    }
    return code;
}

static const char *with_digit(apr_pool_t *pool, const char *body, char digit)
{
    return apr_psprintf(pool, "%s%c", body, digit);
}

/* National numbers from ranges that their agencies leave to users: CUSIP 99...., SEDOL 9.....; a
 * German number begins with ZZ. */
static const char *isin_of(const dsc_demo_company_t *company, const char *country, int class)
{
    apr_pool_t *pool = company->pool;
    const char *body;
    if (strcmp(country, "GB") == 0) {
        const char *sedol = apr_pstrcat(pool, "9", code_of(pool, company->index, 5), NULL);
        body =
            apr_pstrcat(pool, "GB00", with_digit(pool, sedol, dsc_sedol_check_digit(sedol)), NULL);
    } else if (strcmp(country, "DE") == 0) {
        body = apr_pstrcat(pool, "DE000ZZ", code_of(pool, company->index, 4), NULL);
    } else {
        const char *cusip =
            apr_psprintf(pool, "99%s%d0", code_of(pool, company->index, 4), class + 1);
        body =
            apr_pstrcat(pool, country, with_digit(pool, cusip, dsc_cusip_check_digit(cusip)), NULL);
    }
    return with_digit(pool, body, dsc_isin_check_digit(body));
}

/* Where a class of its shares, or its depositary receipts, are listed; NULL: there are none. */
static const dsc_demo_market_t *market_of(const dsc_demo_company_t *company, int class)
{
    return class == 0             ? company->market
           : company->has_adr     ? &adr_market
           : company->two_classes ? company->market
                                  : NULL;
}

const char *dsc_demo_cusip(const dsc_demo_company_t *company, int class)
{
    const dsc_demo_market_t *market = market_of(company, class);
    if (market == NULL ||
        (strcmp(market->country, "US") != 0 && strcmp(market->country, "CA") != 0)) {
        return NULL;
    }
    return apr_pstrndup(company->pool, isin_of(company, market->country, class) + 2, 9);
}

const char *dsc_demo_isin(const dsc_demo_company_t *company)
{
    return isin_of(company, company->market->country, 0);
}

/* ZZG is no FIGI provider's prefix. */
static const char *figi_of(const dsc_demo_company_t *company, int class)
{
    apr_pool_t *pool = company->pool;
    const char *body =
        apr_pstrcat(pool, "ZZG", code_of(pool, (int64_t)company->index * 4 + class + 31, 8), NULL);
    return with_digit(pool, body, dsc_figi_check_digit(body));
}

const char *dsc_demo_lei(const dsc_demo_company_t *company)
{
    char digits[3] = "";
    const char *body =
        apr_pstrcat(company->pool, "ZZZZ00", code_of(company->pool, company->index, 12), NULL);
    dsc_lei_check_digits(body, digits);
    return apr_pstrcat(company->pool, body, digits, NULL);
}

/* ------------------------------------------------------------------ records */

static const char *name_on(const dsc_demo_company_t *company, int day)
{
    return day < company->rename_day ? company->former_name : company->name;
}

static void set_fixed_facts(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    apr_pool_t *pool = company->pool;
    int is_fund = company->industry == NULL;
    const char *stem = dsc_demo_lower(pool, company->ticker);
    dsc_demo_set(writer, "entity_type", is_fund ? "investment" : "operating");
    dsc_demo_set(writer, "country", company->market->country);
    dsc_demo_set(writer, "state_of_incorporation", company->market->state);
    dsc_demo_set(writer, "website", apr_pstrcat(pool, "https://", stem, ".example", NULL));
    dsc_demo_set(writer, "description", dsc_demo_description(company));
    dsc_demo_set(writer, "lei", dsc_demo_lei(company));
    dsc_demo_set(writer, "phone", apr_psprintf(pool, "(000) 555-01%02d", company->index % 100));
    if (!is_fund) {
        int year_end = dsc_month_end(2023, company->fiscal_month), year, month, day;
        dsc_day_date(year_end, &year, &month, &day);
        dsc_demo_set(writer, "sic", company->industry->sic);
        dsc_demo_set(writer, "sic_description", company->industry->sic_description);
        dsc_demo_set(writer, "fiscal_year_end", apr_psprintf(pool, "%02d%02d", month, day));
        dsc_demo_set(writer, "filer_category", company->size->category);
        dsc_demo_set(writer, "ein", apr_psprintf(pool, "00-%07d", company->index + 1));
    }
}

/* `year_end`: of the last annual report, which states the number of employees. */
static void write_profile(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                          const dsc_demo_filing_t *filing, int year_end)
{
    int day = filing != NULL ? filing->day : company->first_day;
    dsc_demo_begin(writer, &dsc_dataset_company, company, "profile");
    dsc_demo_source(writer, company, filing);
    dsc_demo_set(writer, "name", name_on(company, day));
    if (company->industry != NULL) {
        dsc_demo_set_integer(writer, "employee_count", dsc_demo_employees(company, year_end));
    }
    set_fixed_facts(writer, company);
    dsc_demo_end(writer);
}

static void write_listing(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                          const dsc_demo_filing_t *filing, const dsc_demo_market_t *market,
                          int rank)
{
    apr_pool_t *pool = company->pool;
    int is_adr = market == &adr_market;
    const char *ticker = apr_pstrcat(pool, company->ticker,
                                     is_adr     ? "Y"
                                     : rank > 0 ? "-B"
                                                : "",
                                     NULL);
    const char *name = name_on(company, filing != NULL ? filing->day : company->first_day);
    int has_ended = filing != NULL && (filing->flags & DSC_DEMO_ENDS_LISTING);
    dsc_demo_begin(writer, &dsc_dataset_listing, company,
                   apr_pstrcat(pool, ticker, ":", market->code, NULL));
    dsc_demo_source(writer, company, filing);
    dsc_demo_set(writer, "ticker", ticker);
    dsc_demo_set(writer, "market", market->code);
    dsc_demo_set(writer, "name", name);
    dsc_demo_set(writer, "listing_exchange", market->exchange);
    dsc_demo_set(writer, "isin", isin_of(company, market->country, rank));
    dsc_demo_set(writer, "figi", figi_of(company, rank));
    dsc_demo_set_flag(writer, "is_etf", company->is_etf);
    dsc_demo_set_flag(writer, "is_fund", company->kind == DSC_DEMO_FUND);
    dsc_demo_set_flag(writer, "is_adr", is_adr);
    dsc_demo_set(writer, "status", has_ended ? company->final_status : "active");
    dsc_demo_set_integer(writer, "listing_rank", rank);
    dsc_demo_set_day(writer, "listed_on", company->listed_day);
    dsc_demo_end(writer);
}

static void write_listings(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                           const dsc_demo_filing_t *filing)
{
    for (int class = 0; class < 2; class ++) {
        const dsc_demo_market_t *market = market_of(company, class);
        if (market != NULL) {
            write_listing(writer, company, filing, market, class);
        }
    }
}

/* The first version is known with the first filing of a new company, and from the first day of
 * one that was there before; later ones come with the filings that say so. */
void dsc_demo_write_company(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    const dsc_demo_filing_t *const *filings = (const void *)company->filings->elts;
    const dsc_demo_filing_t *first = company->is_new ? filings[0] : NULL;
    int year_end = company->first_day - 91;
    write_profile(writer, company, first, year_end);
    write_listings(writer, company, first);
    for (int i = 0; i < company->filings->nelts; i++) {
        if (filings[i]->flags & DSC_DEMO_UPDATES_PROFILE) {
            year_end = filings[i]->items == NULL ? filings[i]->period : year_end;
            write_profile(writer, company, filings[i], year_end);
        }
        if (filings[i]->flags & (DSC_DEMO_UPDATES_LISTING | DSC_DEMO_ENDS_LISTING)) {
            write_listings(writer, company, filings[i]);
        }
    }
}
