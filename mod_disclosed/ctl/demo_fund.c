/* What a fictional fund holds: shares of companies that come before it, at their own prices. */
#include "ctl/demo.h"
#include "datasets/datasets.h"

#include <apr_strings.h>
#include <string.h>

enum {
    CENT = DSC_DEMO_PRICE_SCALE / 100,
    FEWEST_POSITIONS = 20,
    MOST_POSITIONS = 110,
    SHORT_POSITIONS = 3, /* of a fund that is not exchange-traded: the last ones */
    PERCENT_PLACES = 6,
    CASH_PERCENT = 2
};

/* A position over the life of the fund. */
typedef struct {
    const dsc_demo_company_t *company;
    const char *isin;
    int64_t shares; /* at first */
    int is_short;
} position_t;

/* A row of one report; amounts in cents. */
typedef struct {
    const position_t *position;
    int64_t shares, value;
} row_t;

typedef struct {
    const dsc_demo_company_t *fund;
    dsc_demo_random_t random;
    position_t *positions;
    int position_count;
    row_t *rows; /* of the report under way */
    int row_count;
    int64_t net_assets;
} portfolio_t;

/* ---------------------------------------------------------------- positions */

static int64_t absolute(int64_t number)
{
    return number < 0 ? -number : number;
}

/* Between two hundred thousand and twenty million dollars at the first price. */
static void open_position(portfolio_t *portfolio, int index)
{
    const dsc_demo_company_t *fund = portfolio->fund;
    position_t *position = &portfolio->positions[portfolio->position_count];
    const dsc_demo_company_t *company = dsc_demo_outline(fund->pool, fund->options, index);
    if (company->kind == DSC_DEMO_FUND) {
        return;
    }
    position->company = company;
    position->isin = dsc_demo_isin(company);
    position->shares = dsc_demo_between(&portfolio->random, 20000000, 2000000000) /
                       (dsc_demo_price(company, company->first_day) / CENT);
    position->is_short = 0;
    portfolio->position_count++;
}

/* Companies before the fund, in steps that spread over all of them. */
static void open_positions(portfolio_t *portfolio)
{
    const dsc_demo_company_t *fund = portfolio->fund;
    int wanted = dsc_demo_number(&portfolio->random, FEWEST_POSITIONS, MOST_POSITIONS);
    int step = fund->index > wanted ? fund->index / wanted : 1;
    portfolio->positions =
        apr_pcalloc(fund->pool, (apr_size_t)(fund->index + 1) * sizeof(position_t));
    portfolio->rows = apr_pcalloc(fund->pool, (apr_size_t)(fund->index + 1) * sizeof(row_t));
    for (int i = dsc_demo_number(&portfolio->random, 0, step - 1); i < fund->index; i += step) {
        open_position(portfolio, i);
    }
    if (!fund->is_etf && portfolio->position_count > 2 * SHORT_POSITIONS) {
        for (int i = 1; i <= SHORT_POSITIONS; i++) {
            portfolio->positions[portfolio->position_count - i].is_short = 1;
        }
    }
}

/* What the fund holds on a day: companies that are there then, up to a fifth more or fewer
 * shares. */
static void value_positions(portfolio_t *portfolio, int day)
{
    int64_t sum = 0;
    portfolio->row_count = 0;
    for (int i = 0; i < portfolio->position_count; i++) {
        const position_t *position = &portfolio->positions[i];
        row_t *row = &portfolio->rows[portfolio->row_count];
        int64_t shares = position->shares * dsc_demo_between(&portfolio->random, 80, 120) / 100;
        if (day < position->company->first_day || day > position->company->last_day) {
            continue;
        }
        row->position = position;
        row->shares = position->is_short ? -shares : shares;
        row->value = row->shares * (dsc_demo_price(position->company, day) / CENT);
        sum += absolute(row->value);
        portfolio->row_count++;
    }
    portfolio->net_assets = sum + sum * CASH_PERCENT / 100;
}

/* ------------------------------------------------------------------ records */

static void set_dollars(dsc_demo_writer_t *writer, const char *column, int64_t cents)
{
    dsc_demo_set(writer, column,
                 apr_psprintf(writer->pool, "%s%" APR_INT64_T_FMT ".%02d", cents < 0 ? "-" : "",
                              absolute(cents) / 100, (int)(absolute(cents) % 100)));
}

static void set_weight(dsc_demo_writer_t *writer, const portfolio_t *portfolio, int64_t cents)
{
    const int64_t scale = 1000000; /* PERCENT_PLACES zeros */
    int64_t weight = absolute(cents) * 100 / (portfolio->net_assets / scale + 1);
    dsc_demo_set(writer, "weight_pct",
                 apr_psprintf(writer->pool, "%s%" APR_INT64_T_FMT ".%0*d", cents < 0 ? "-" : "",
                              weight / scale, PERCENT_PLACES, (int)(weight % scale)));
}

static const char *series_of(const dsc_demo_company_t *fund)
{
    return apr_psprintf(fund->pool, "S9%08d", fund->index + 1);
}

static void write_report(dsc_demo_writer_t *writer, const portfolio_t *portfolio,
                         const dsc_demo_filing_t *filing)
{
    const dsc_demo_company_t *fund = portfolio->fund;
    dsc_demo_begin(writer, &dsc_dataset_fund, fund, filing->accession);
    dsc_demo_source(writer, fund, filing);
    dsc_demo_set(writer, "fund_key", series_of(fund));
    dsc_demo_set(writer, "name", fund->name);
    dsc_demo_set(writer, "registrant_name", fund->name);
    dsc_demo_set(writer, "series_id", series_of(fund));
    dsc_demo_set(writer, "registrant_lei", dsc_demo_lei(fund));
    dsc_demo_set(writer, "form", filing->form);
    dsc_demo_set_day(writer, "report_date", filing->period);
    dsc_demo_set_flag(writer, "is_final", 0);
    set_dollars(writer, "net_assets", portfolio->net_assets);
    set_dollars(writer, "total_assets", portfolio->net_assets);
    dsc_demo_set_day(writer, "filed_on", filing->day);
    dsc_demo_set(writer, "accepted_at", filing->accepted_at);
    dsc_demo_end(writer);
}

static void begin_holding(dsc_demo_writer_t *writer, const portfolio_t *portfolio,
                          const dsc_demo_filing_t *filing, int number)
{
    apr_pool_t *pool = portfolio->fund->pool;
    dsc_demo_begin(writer, &dsc_dataset_fund_holding, portfolio->fund,
                   apr_psprintf(pool, "%s/%d", filing->accession, number));
    dsc_demo_source(writer, portfolio->fund, filing);
    dsc_demo_set(writer, "report_key", filing->accession);
    dsc_demo_set_integer(writer, "row_number", number);
    dsc_demo_set(writer, "currency", "USD");
    dsc_demo_set_flag(writer, "is_restricted", 0);
    dsc_demo_set_integer(writer, "fair_value_level", 1);
}

static void write_row(dsc_demo_writer_t *writer, const portfolio_t *portfolio,
                      const dsc_demo_filing_t *filing, int number)
{
    const row_t *row = &portfolio->rows[number - 1];
    const dsc_demo_company_t *company = row->position->company;
    const char *isin = row->position->isin;
    begin_holding(writer, portfolio, filing, number);
    dsc_demo_set(writer, "name", company->name);
    dsc_demo_set(writer, "title", company->share_title);
    dsc_demo_set(writer, "lei", dsc_demo_lei(company));
    dsc_demo_set(writer, "cusip",
                 strncmp(isin, "US", 2) == 0 ? apr_pstrmemdup(writer->pool, isin + 2, 9) : NULL);
    dsc_demo_set(writer, "isin", isin);
    dsc_demo_set_integer(writer, "balance", row->shares);
    dsc_demo_set(writer, "unit", "NS");
    set_dollars(writer, "value", row->value);
    set_weight(writer, portfolio, row->value);
    dsc_demo_set(writer, "payoff_profile", row->position->is_short ? "Short" : "Long");
    dsc_demo_set(writer, "asset_category", "EC");
    dsc_demo_set(writer, "issuer_category", "CORP");
    dsc_demo_set(writer, "country", company->market->country);
    dsc_demo_end(writer);
}

/* The rest of the net assets, in a money market vehicle of no listed company. */
static void write_cash(dsc_demo_writer_t *writer, const portfolio_t *portfolio,
                       const dsc_demo_filing_t *filing)
{
    int64_t value = portfolio->net_assets;
    for (int i = 0; i < portfolio->row_count; i++) {
        value -= absolute(portfolio->rows[i].value);
    }
    begin_holding(writer, portfolio, filing, portfolio->row_count + 1);
    dsc_demo_set(writer, "name", "Imaginary Liquidity Pool");
    dsc_demo_set(writer, "title", "Imaginary Liquidity Pool");
    dsc_demo_set_integer(writer, "balance", value / 100);
    dsc_demo_set(writer, "unit", "PA");
    set_dollars(writer, "value", value);
    set_weight(writer, portfolio, value);
    dsc_demo_set(writer, "payoff_profile", "Long");
    dsc_demo_set(writer, "asset_category", "STIV");
    dsc_demo_set(writer, "issuer_category", "PF");
    dsc_demo_set(writer, "country", "US");
    dsc_demo_end(writer);
}

static void write_class(dsc_demo_writer_t *writer, const dsc_demo_company_t *fund,
                        const dsc_demo_filing_t *filing)
{
    const char *id = apr_psprintf(fund->pool, "C9%08d", fund->index + 1);
    dsc_demo_begin(writer, &dsc_dataset_fund_class, fund, id);
    dsc_demo_source(writer, fund, filing);
    dsc_demo_set(writer, "class_id", id);
    dsc_demo_set(writer, "series_id", series_of(fund));
    dsc_demo_set(writer, "name", fund->is_etf ? "ETF Shares" : "Common Shares");
    dsc_demo_set(writer, "ticker", fund->ticker);
    dsc_demo_end(writer);
}

/* The reports on Form N-PORT that the fund has filed, with all holdings. */
void dsc_demo_write_funds(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    const dsc_demo_filing_t *const *filings = (const void *)company->filings->elts;
    portfolio_t portfolio = {.fund = company};
    int reports = 0;
    if (company->kind != DSC_DEMO_FUND) {
        return;
    }
    portfolio.random = dsc_demo_company_stream(company, DSC_DEMO_HOLDINGS);
    open_positions(&portfolio);
    for (int i = 0; i < company->filings->nelts; i++) {
        if (strcmp(filings[i]->form, "NPORT-P") != 0 || filings[i]->period < company->first_day) {
            continue;
        }
        if (reports++ == 0) {
            write_class(writer, company, filings[i]);
        }
        value_positions(&portfolio, filings[i]->period);
        write_report(writer, &portfolio, filings[i]);
        for (int row = 1; row <= portfolio.row_count; row++) {
            write_row(writer, &portfolio, filings[i], row);
        }
        write_cash(writer, &portfolio, filings[i]);
    }
}
