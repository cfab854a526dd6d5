/* Share prices and quarterly results: whole numbers only, so that they add up. */
#include "ctl/demo.h"

#include <string.h>

enum {
    CENT = DSC_DEMO_PRICE_SCALE / 100
};

/* A walk of daily steps of up to 2.5 % with a drift of the company's own, between $1 and $900. */
void dsc_demo_make_prices(dsc_demo_company_t *company)
{
    dsc_demo_random_t random = dsc_demo_company_stream(company, DSC_DEMO_PRICES);
    int days = company->last_day - company->first_day + 1;
    int64_t price = dsc_demo_between(&random, 400, 18000) * CENT;
    int64_t drift = dsc_demo_between(&random, -4, 8);
    company->prices = apr_palloc(company->pool, (apr_size_t)days * sizeof(int64_t));
    for (int i = 0; i < days; i++) {
        int64_t step = dsc_demo_between(&random, -125, 125) + dsc_demo_between(&random, -125, 125);
        price += price * (step + drift) / 10000;
        price = price < 100 * CENT ? 100 * CENT : price > 90000 * CENT ? 90000 * CENT : price;
        company->prices[i] = price / CENT * CENT;
    }
}

int64_t dsc_demo_price(const dsc_demo_company_t *company, int day)
{
    return company->prices[day - company->first_day];
}

int64_t dsc_demo_net_income(const dsc_demo_quarter_t *quarter)
{
    return quarter->revenue - quarter->cost - quarter->expenses - quarter->tax;
}

/* Fills in the amounts of a quarter; margins in hundredths of a percent. */
static void make_quarter(dsc_demo_quarter_t *quarter, dsc_demo_random_t *random,
                         int64_t base_revenue, int cost_share, int expense_share)
{
    static const int seasons[] = {9600, 9900, 9800, 10700};
    int64_t income;
    quarter->revenue = base_revenue * seasons[quarter->number - 1] / 10000;
    quarter->cost = quarter->revenue * (cost_share + dsc_demo_between(random, -120, 120)) / 10000;
    quarter->expenses =
        quarter->revenue * (expense_share + dsc_demo_between(random, -200, 200)) / 10000;
    income = quarter->revenue - quarter->cost - quarter->expenses;
    quarter->tax = income > 0 ? income * 21 / 100 : 0; /* 26 U.S.C. 11(b) */
}

/* The end of the first fiscal quarter after `day`. */
static int quarter_end_after(const dsc_demo_company_t *company, int day)
{
    int year, month, day_of_month;
    dsc_day_date(day, &year, &month, &day_of_month);
    while ((month - company->fiscal_month + 12) % 3 != 0 || dsc_month_end(year, month) < day) {
        month = month % 12 + 1;
        year += month == 1;
    }
    return dsc_month_end(year, month);
}

static void set_period(const dsc_demo_company_t *company, dsc_demo_quarter_t *quarter, int end_day)
{
    int year, month, day_of_month;
    dsc_day_date(end_day, &year, &month, &day_of_month);
    quarter->end_day = end_day;
    quarter->number = (month - company->fiscal_month + 11) % 12 / 3 + 1;
    quarter->fiscal_year = year + (month > company->fiscal_month);
}

/* Quarters from two years before the company's first day, so that each that it reports has the
 * one a year earlier to be compared with. */
void dsc_demo_make_results(dsc_demo_company_t *company)
{
    dsc_demo_random_t random = dsc_demo_company_stream(company, DSC_DEMO_RESULTS);
    int64_t revenue =
        dsc_demo_between(&random, company->size->revenue_low, company->size->revenue_high);
    int64_t shares = dsc_demo_between(&random, 20000, 400000);
    int cost_share = dsc_demo_number(&random, 3500, 6500);
    int expense_share = dsc_demo_number(&random, 1800, 9800 - cost_share);
    int growth = dsc_demo_number(&random, -60, 420);
    int end_day = quarter_end_after(company, company->first_day - 2 * 366);
    int count = (company->last_day - company->first_day) / 90 + 12;
    company->quarters = apr_pcalloc(company->pool, (apr_size_t)count * sizeof(*company->quarters));
    while (end_day <= company->last_day && company->quarter_count < count) {
        dsc_demo_quarter_t *quarter = &company->quarters[company->quarter_count++];
        set_period(company, quarter, end_day);
        make_quarter(quarter, &random, revenue, cost_share, expense_share);
        quarter->shares = shares;
        revenue += revenue * (growth + dsc_demo_between(&random, -150, 150)) / 10000;
        shares += shares * dsc_demo_between(&random, -20, 40) / 10000;
        end_day = quarter_end_after(company, end_day + 1);
    }
}

int dsc_demo_year(const dsc_demo_company_t *company, int index, dsc_demo_quarter_t *year)
{
    if (index < 3 || company->quarters[index].number != 4) {
        return 0;
    }
    *year = company->quarters[index];
    for (int i = index - 3; i < index; i++) {
        const dsc_demo_quarter_t *quarter = &company->quarters[i];
        year->revenue += quarter->revenue;
        year->cost += quarter->cost;
        year->expenses += quarter->expenses;
        year->tax += quarter->tax;
    }
    return 1;
}

int64_t dsc_demo_employees(const dsc_demo_company_t *company, int day)
{
    int64_t revenue = company->quarters[0].revenue;
    for (int i = 0; i < company->quarter_count && company->quarters[i].end_day <= day; i++) {
        if (company->quarters[i].number == 4) {
            revenue = company->quarters[i].revenue;
        }
    }
    return 40 + revenue * 4 / (180 + company->index % 170);
}
