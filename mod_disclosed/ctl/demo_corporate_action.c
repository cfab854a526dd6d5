/* Dividends from the companies' earnings, splits before the time for which prices are known, and
 * the end of some companies. */
#include "ctl/demo.h"
#include "datasets/datasets.h"

#include <apr_strings.h>
#include <string.h>

enum {
    CENT = DSC_DEMO_PRICE_SCALE / 100,
    LEAST_DIVIDEND = 2 * CENT
};

/* The share that an action is about. */
typedef struct {
    const char *ticker, *symbol_code;
} share_t;

typedef struct {
    int declared, ex_day, record_day, payment_day;
    int64_t amount; /* price units */
    int payments;   /* a year */
} dividend_t;

static void begin_action(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                         const share_t *share, const char *kind, int day, int known_day)
{
    apr_pool_t *pool = company->pool;
    const char *date = dsc_day_text(pool, day);
    dsc_demo_begin(writer, &dsc_dataset_corporate_action, company,
                   apr_pstrcat(pool, share->symbol_code, "/", kind, "/", date, NULL));
    writer->record.known_at = apr_pstrcat(pool, dsc_day_text(pool, known_day), "T21:30:00Z", NULL);
    writer->record.provenance.extracted_at = writer->record.known_at;
    writer->record.provenance.url =
        apr_pstrcat(pool, "https://demo.example/calendar/", kind, "/", date, NULL);
    dsc_demo_set(writer, "symbol_code", share->symbol_code);
    dsc_demo_set(writer, "spellings",
                 apr_pstrcat(pool, share->ticker, ":", company->market->code, NULL));
    dsc_demo_set(writer, "kind", kind);
    dsc_demo_set(writer, "action_date", date);
}

/* --------------------------------------------------------------------- dividends */

/* A dividend declared on `day`. Trades settle one business day after since 28 May 2024, and two
 * before (17 CFR 240.15c6-1): until then the ex-dividend date was the business day before the
 * record date. */
static dividend_t declare(int day, int64_t amount, int payments)
{
    dividend_t dividend = {.amount = amount, .payments = payments};
    dividend.declared = dsc_business_day(day);
    dividend.ex_day = dsc_add_business_days(dividend.declared, 12);
    dividend.record_day = dividend.ex_day < dsc_day(2024, 5, 28)
                              ? dsc_add_business_days(dividend.ex_day, 1)
                              : dividend.ex_day;
    dividend.payment_day = dsc_add_business_days(dividend.record_day, 14);
    return dividend;
}

static void write_dividend(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                           const share_t *share, const dividend_t *dividend, int known_day)
{
    begin_action(writer, company, share, "dividend", dividend->ex_day, known_day);
    dsc_demo_set_day(writer, "ex_dividend_date", dividend->ex_day);
    dsc_demo_set_day(writer, "record_date", dividend->record_day);
    dsc_demo_set_day(writer, "payment_date", dividend->payment_day);
    dsc_demo_set_day(writer, "declaration_date", dividend->declared);
    dsc_demo_set_money(writer, "amount", dividend->amount);
    dsc_demo_set(writer, "amount_basis", "declared");
    dsc_demo_set_money(writer, "annualized_amount", dividend->amount * dividend->payments);
    dsc_demo_set_integer(writer, "payments_a_year", dividend->payments);
    dsc_demo_set(writer, "currency", company->market->currency);
    dsc_demo_end(writer);
}

/* Both classes get the same. The first dividend of some companies is announced with a day of
 * payment that is put right two days later. */
static void write_declared(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                           const share_t *shares, int share_count, dividend_t dividend,
                           int is_first)
{
    int corrected = dsc_add_business_days(dividend.declared, 2);
    if (dividend.declared <= company->first_day || dividend.declared > company->last_day) {
        return;
    }
    for (int i = 0; i < share_count; i++) {
        write_dividend(writer, company, &shares[i], &dividend, dividend.declared);
        if (is_first && company->index % 5 == 0 && corrected <= company->last_day) {
            dividend_t right = dividend;
            right.payment_day = dsc_add_business_days(dividend.payment_day, 1);
            write_dividend(writer, company, &shares[i], &right, corrected);
        }
    }
}

/* The part of a fiscal year's earnings that each quarter of the next pays, in whole cents. */
static int64_t quarterly_amount(const dsc_demo_quarter_t *year, int payout)
{
    int64_t earned = dsc_demo_net_income(year) * DSC_DEMO_PRICE_SCALE / year->shares;
    return earned <= 0 ? 0 : earned * payout / 100 / 4 / CENT * CENT;
}

static void write_company_dividends(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                                    const share_t *shares, int share_count,
                                    dsc_demo_random_t *random)
{
    int payout = dsc_demo_number(random, 20, 65), is_first = 1;
    int delay = dsc_demo_number(random, 26, 40);
    int64_t amount = 0;
    if (company->index % 3 == 1) {
        return; /* keeps what it earns */
    }
    for (int i = 0; i < company->quarter_count; i++) {
        const dsc_demo_quarter_t *quarter = &company->quarters[i];
        dsc_demo_quarter_t year;
        if (dsc_demo_year(company, i, &year)) {
            amount = quarterly_amount(&year, payout);
        }
        if (amount >= LEAST_DIVIDEND) {
            dividend_t dividend = declare(quarter->end_day + delay, amount, 4);
            write_declared(writer, company, shares, share_count, dividend,
                           is_first && dividend.declared > company->first_day);
            is_first = is_first && dividend.declared <= company->first_day;
        }
    }
}

/* Funds pay what their price yields: exchange-traded ones by the quarter, others by the month. */
static void write_fund_dividends(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                                 const share_t *share, dsc_demo_random_t *random)
{
    int payments = company->is_etf ? 4 : 12, yield = dsc_demo_number(random, 120, 700);
    int year, month, day_of_month, day;
    dsc_day_date(company->first_day, &year, &month, &day_of_month);
    for (;;) {
        int64_t amount;
        month = month % 12 + 1;
        year += month == 1;
        day = dsc_day(year, month, 5);
        if (day > company->last_day) {
            return;
        }
        amount =
            dsc_demo_price(company, day) * yield / 10000 / payments / (CENT / 10) * (CENT / 10);
        if (month % (12 / payments) == 0 && amount > 0) {
            write_declared(writer, company, share, 1, declare(day, amount, payments), 0);
        }
    }
}

/* ----------------------------------------------------------------------- others */

/* Splits lie before the first day, so that prices and shares since then are those after them. */
static void write_splits(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                         const share_t *shares, int share_count, dsc_demo_random_t *random)
{
    static const struct {
        int to, from;
    } ratios[] = {{2, 1}, {3, 1}, {3, 2}, {2, 1}, {21, 20}, {1, 10}, {5, 1}};
    int day = company->listed_day + 400;
    while (!company->is_new && day < company->first_day - 30) {
        int choice = dsc_demo_number(random, 0, DSC_COUNT(ratios) - 1);
        int split_day = dsc_business_day(day);
        for (int i = 0; i < share_count; i++) {
            begin_action(writer, company, &shares[i], "split", split_day, split_day - 21);
            dsc_demo_set_integer(writer, "split_to", ratios[choice].to);
            dsc_demo_set_integer(writer, "split_from", ratios[choice].from);
            dsc_demo_end(writer);
        }
        day += dsc_demo_number(random, 900, 3000);
    }
}

static void write_merger(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                         const share_t *share, dsc_demo_random_t *random)
{
    apr_pool_t *pool = company->pool;
    int announced = dsc_business_day(company->last_day - dsc_demo_number(random, 40, 80));
    int64_t price =
        dsc_demo_price(company, announced) * dsc_demo_number(random, 105, 140) / 100 / CENT * CENT;
    begin_action(writer, company, share, "m_and_a", company->last_day, announced);
    dsc_demo_set(
        writer, "description",
        apr_psprintf(pool, "Acquired by %s for %" APR_INT64_T_FMT ".%02d %s in cash a share",
                     dsc_demo_firm_name(pool, random, "Partners"), price / DSC_DEMO_PRICE_SCALE,
                     (int)(price % DSC_DEMO_PRICE_SCALE / CENT), company->market->currency));
    dsc_demo_end(writer);
}

static void write_spinoff(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                          const share_t *share, dsc_demo_random_t *random)
{
    apr_pool_t *pool = company->pool;
    int span = company->last_day - company->first_day;
    int day = dsc_business_day(company->first_day + span / 3 + dsc_demo_number(random, 0, 200));
    begin_action(writer, company, share, "spinoff", day, day - 30);
    dsc_demo_set(writer, "description",
                 apr_psprintf(pool, "One share of %s for every %d shares held",
                              dsc_demo_firm_name(pool, random, "Holdings"),
                              dsc_demo_number(random, 8, 40)));
    dsc_demo_end(writer);
}

void dsc_demo_write_corporate_actions(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    dsc_demo_random_t random = dsc_demo_company_stream(company, DSC_DEMO_ACTIONS);
    const char *ticker = company->ticker;
    const share_t shares[] = {{ticker, ticker},
                              {apr_pstrcat(company->pool, ticker, "-B", NULL),
                               apr_pstrcat(company->pool, ticker, "B", NULL)}};
    int share_count = company->two_classes ? 2 : 1;
    if (company->kind == DSC_DEMO_FUND) {
        write_fund_dividends(writer, company, shares, &random);
        return;
    }
    write_splits(writer, company, shares, share_count, &random);
    write_company_dividends(writer, company, shares, share_count, &random);
    if (strcmp(company->final_status, "delisted") == 0) {
        write_merger(writer, company, shares, &random);
    }
    if (company->index % 16 == 6) {
        write_spinoff(writer, company, shares, &random);
    }
}
