/* Numbers of annual and quarterly reports in XBRL, as filers report them: quarters and
 * year-to-date periods together with those of the year before, cash flows only for the year to
 * date, balances together with those of the last year's end. */
#include "ctl/demo.h"
#include "datasets/datasets.h"
#include "loader/loader_value.h"

#include <apr_strings.h>
#include <string.h>

enum {
    IN_YEAR = 4,      /* quarters */
    PRESENTED_NET = 7 /* one company in so many presents revenue and cost less sales of others'
                         goods, from some year on */
};

/* What is summed over quarters, thousands of the currency. */
typedef struct {
    int start_day, end_day;
    int64_t revenue, cost, expenses, tax, net_income, shares;
    int quarters;
} period_t;

/* A report that is being written. */
typedef struct {
    dsc_demo_writer_t *writer;
    const dsc_demo_company_t *company;
    apr_pool_t *pool;
    apr_array_header_t *concepts, *units, *start_dates, *end_dates, *amounts; /* const char * */
} report_t;

static const char *date_of(apr_pool_t *pool, int day)
{
    int year, month, of_month;

    dsc_day_date(day, &year, &month, &of_month);
    return apr_psprintf(pool, "%04d-%02d-%02d", year, month, of_month);
}

static void add(report_t *report, const char *concept, const char *unit, int start_day, int end_day,
                const char *amount)
{
    APR_ARRAY_PUSH(report->concepts, const char *) = concept;
    APR_ARRAY_PUSH(report->units, const char *) = unit;
    APR_ARRAY_PUSH(report->start_dates, const char *) =
        start_day == 0 ? "" : date_of(report->pool, start_day);
    APR_ARRAY_PUSH(report->end_dates, const char *) = date_of(report->pool, end_day);
    APR_ARRAY_PUSH(report->amounts, const char *) = amount;
}

static const char *thousands(const report_t *report, int64_t amount)
{
    return apr_psprintf(report->pool, "%" APR_INT64_T_FMT, amount * 1000);
}

/* The quarters first..last as one period; 0 if there are none. */
static int sum(const dsc_demo_company_t *company, int first, int last, period_t *period)
{
    int i;

    memset(period, 0, sizeof(*period));
    if (first < 1 || last >= company->quarter_count) {
        return 0;
    }
    period->start_day = company->quarters[first - 1].end_day + 1;
    period->end_day = company->quarters[last].end_day;
    period->quarters = last - first + 1;
    for (i = first; i <= last; i++) {
        const dsc_demo_quarter_t *quarter = &company->quarters[i];

        period->revenue += quarter->revenue;
        period->cost += quarter->cost;
        period->expenses += quarter->expenses;
        period->tax += quarter->tax;
        period->net_income += dsc_demo_net_income(quarter);
        period->shares += quarter->shares;
    }
    period->shares /= period->quarters;
    return 1;
}

static void add_results(report_t *report, const period_t *period)
{
    const char *currency = report->company->market->currency;
    int is_foreign = report->company->kind == DSC_DEMO_FOREIGN;
    int64_t cents = period->shares > 0 ? period->net_income * 100 / period->shares : 0;
    const struct {
        const char *concept, *foreign;
        int64_t amount;
    } lines[] = {
        {"us-gaap:Revenues", "ifrs-full:Revenue", period->revenue},
        {"us-gaap:CostOfRevenue", "ifrs-full:CostOfSales", period->cost},
        {"us-gaap:GrossProfit", "ifrs-full:GrossProfit", period->revenue - period->cost},
        {"us-gaap:OperatingExpenses", NULL, period->expenses},
        {"us-gaap:OperatingIncomeLoss", "ifrs-full:ProfitLossFromOperatingActivities",
         period->revenue - period->cost - period->expenses},
        {"us-gaap:IncomeTaxExpenseBenefit", "ifrs-full:IncomeTaxExpenseContinuingOperations",
         period->tax},
        {"us-gaap:NetIncomeLoss", "ifrs-full:ProfitLoss", period->net_income},
    };
    int i;

    for (i = 0; i < DSC_COUNT(lines); i++) {
        const char *concept = is_foreign ? lines[i].foreign : lines[i].concept;

        if (concept != NULL) {
            add(report, concept, currency, period->start_day, period->end_day,
                thousands(report, lines[i].amount));
        }
    }
    add(report,
        is_foreign ? "ifrs-full:DilutedEarningsLossPerShare" : "us-gaap:EarningsPerShareDiluted",
        apr_pstrcat(report->pool, currency, "/shares", NULL), period->start_day, period->end_day,
        apr_psprintf(report->pool, "%s%d.%02d", cents < 0 ? "-" : "",
                     (int)((cents < 0 ? -cents : cents) / 100),
                     (int)((cents < 0 ? -cents : cents) % 100)));
    add(report,
        is_foreign ? "ifrs-full:AdjustedWeightedAverageShares"
                   : "us-gaap:WeightedAverageNumberOfDilutedSharesOutstanding",
        "shares", period->start_day, period->end_day, thousands(report, period->shares));
}

static void add_cash_flows(report_t *report, const period_t *period)
{
    const char *currency = report->company->market->currency;
    int is_foreign = report->company->kind == DSC_DEMO_FOREIGN;

    add(report,
        is_foreign ? "ifrs-full:CashFlowsFromUsedInOperatingActivities"
                   : "us-gaap:NetCashProvidedByUsedInOperatingActivities",
        currency, period->start_day, period->end_day,
        thousands(report, period->net_income + period->cost / 10));
    add(report,
        is_foreign ? "ifrs-full:PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities"
                   : "us-gaap:PaymentsToAcquirePropertyPlantAndEquipment",
        currency, period->start_day, period->end_day, thousands(report, period->revenue / 20));
}

static void add_balances(report_t *report, const dsc_demo_quarter_t *quarter)
{
    const char *currency = report->company->market->currency;
    int is_foreign = report->company->kind == DSC_DEMO_FOREIGN;
    int64_t assets = quarter->revenue * 5, liabilities = quarter->revenue * 2 + quarter->cost;

    add(report, is_foreign ? "ifrs-full:Assets" : "us-gaap:Assets", currency, 0, quarter->end_day,
        thousands(report, assets));
    add(report, is_foreign ? "ifrs-full:Liabilities" : "us-gaap:Liabilities", currency, 0,
        quarter->end_day, thousands(report, liabilities));
    add(report, is_foreign ? "ifrs-full:Equity" : "us-gaap:StockholdersEquity", currency, 0,
        quarter->end_day, thousands(report, assets - liabilities));
}

/* The periods that end with the quarter, as the report of quarter `reported` gives them. */
static void add_periods(report_t *report, int index, int reported)
{
    const dsc_demo_company_t *company = report->company;
    int number = company->quarters[index].number;
    int is_annual = number == IN_YEAR;
    int years_ago = (reported - index) / IN_YEAR;
    period_t quarter, year;
    int64_t others;

    if (!sum(company, index - number + 1, index, &year)) {
        return;
    }
    /* The year before is reported again if the presentation has changed since. */
    others = company->index % PRESENTED_NET == 3 && years_ago == 1 &&
                     company->quarters[reported].fiscal_year % 2 == 0
                 ? year.revenue / 100
                 : 0;
    if (!is_annual && sum(company, index, index, &quarter)) {
        int64_t of_quarter = others == 0 ? 0 : quarter.revenue / 100;

        quarter.revenue -= of_quarter;
        quarter.cost -= of_quarter;
        add_results(report, &quarter);
    }
    year.revenue -= others;
    year.cost -= others;
    if (number > 1) {
        add_results(report, &year);
    }
    year.revenue += others;
    year.cost += others;
    add_cash_flows(report, &year);
}

static void set_texts(const report_t *report, const char *column, const apr_array_header_t *texts)
{
    dsc_demo_set(report->writer, column, dsc_text_array(report->pool, texts));
}

static void write_report(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                         const dsc_demo_filing_t *filing)
{
    const dsc_demo_quarter_t *quarter = &company->quarters[filing->quarter];
    apr_pool_t *pool = company->pool;
    report_t report = {.writer = writer, .company = company, .pool = pool};
    int before = filing->quarter - IN_YEAR;
    int year_end = filing->quarter - quarter->number;

    report.concepts = apr_array_make(pool, 64, sizeof(const char *));
    report.units = apr_array_make(pool, 64, sizeof(const char *));
    report.start_dates = apr_array_make(pool, 64, sizeof(const char *));
    report.end_dates = apr_array_make(pool, 64, sizeof(const char *));
    report.amounts = apr_array_make(pool, 64, sizeof(const char *));
    add_periods(&report, filing->quarter, filing->quarter);
    if (before > 0) {
        add_periods(&report, before, filing->quarter);
    }
    add_balances(&report, quarter);
    if (year_end >= 0) {
        add_balances(&report, &company->quarters[year_end]);
    }
    dsc_demo_begin(writer, &dsc_dataset_xbrl_report, company,
                   apr_pstrcat(pool, filing->accession, "/companyfacts", NULL));
    dsc_demo_source(writer, company, filing);
    dsc_demo_set(writer, "told_by", "companyfacts");
    dsc_demo_set(writer, "form", filing->form);
    dsc_demo_set_day(writer, "filed_on", filing->day);
    dsc_demo_set_integer(writer, "fiscal_year", quarter->fiscal_year);
    dsc_demo_set(writer, "fiscal_period",
                 quarter->number == IN_YEAR ? "FY" : apr_psprintf(pool, "Q%d", quarter->number));
    set_texts(&report, "concepts", report.concepts);
    set_texts(&report, "units", report.units);
    set_texts(&report, "start_dates", report.start_dates);
    set_texts(&report, "end_dates", report.end_dates);
    set_texts(&report, "amounts", report.amounts);
    dsc_demo_end(writer);
}

/* The arcs of the statements: children of one parent are together. */
static const struct {
    const char *role, *parent, *child, *weight;
} arcs[] = {
    {"IncomeStatement", "us-gaap:GrossProfit", "us-gaap:Revenues", "1"},
    {"IncomeStatement", "us-gaap:GrossProfit", "us-gaap:CostOfRevenue", "-1"},
    {"IncomeStatement", "us-gaap:OperatingIncomeLoss", "us-gaap:GrossProfit", "1"},
    {"IncomeStatement", "us-gaap:OperatingIncomeLoss", "us-gaap:OperatingExpenses", "-1"},
    {"IncomeStatement", "us-gaap:NetIncomeLoss", "us-gaap:OperatingIncomeLoss", "1"},
    {"IncomeStatement", "us-gaap:NetIncomeLoss", "us-gaap:IncomeTaxExpenseBenefit", "-1"},
    {"BalanceSheet", "us-gaap:Assets", "us-gaap:Liabilities", "1"},
    {"BalanceSheet", "us-gaap:Assets", "us-gaap:StockholdersEquity", "1"},
};

/* The lines of the statements. */
static const struct {
    const char *statement, *depth, *concept, *label, *label_role;
} statement_lines[] = {
    {"1", "0", "us-gaap:IncomeStatementAbstract", "Income statement", ""},
    {"1", "1", "us-gaap:Revenues", "Revenue", ""},
    {"1", "1", "us-gaap:CostOfRevenue", "Cost of revenue", "negatedLabel"},
    {"1", "1", "us-gaap:GrossProfit", "Gross profit", "totalLabel"},
    {"1", "1", "us-gaap:OperatingExpenses", "Operating expenses", "negatedLabel"},
    {"1", "1", "us-gaap:OperatingIncomeLoss", "Operating income", "totalLabel"},
    {"1", "1", "us-gaap:IncomeTaxExpenseBenefit", "Income taxes", "negatedLabel"},
    {"1", "1", "us-gaap:NetIncomeLoss", "Net income", "totalLabel"},
    {"2", "0", "us-gaap:StatementOfFinancialPositionAbstract", "Balance sheet", ""},
    {"2", "1", "us-gaap:Assets", "Total assets", "totalLabel"},
    {"2", "1", "us-gaap:Liabilities", "Total liabilities", "totalLabel"},
    {"2", "1", "us-gaap:StockholdersEquity", "Equity", ""},
};

enum {
    MOST_COLUMNS = 6
};

/* Columns of texts, to which a row at a time is added. */
typedef struct {
    const char *const *names;
    apr_array_header_t *texts[MOST_COLUMNS];
    int count;
} columns_t;

static columns_t columns_of(apr_pool_t *pool, const char *const *names, int count)
{
    columns_t columns = {.names = names, .count = count};

    for (int i = 0; i < count; i++) {
        columns.texts[i] = apr_array_make(pool, 16, sizeof(const char *));
    }
    return columns;
}

static void add_row(columns_t *columns, const char *const *values)
{
    for (int i = 0; i < columns->count; i++) {
        APR_ARRAY_PUSH(columns->texts[i], const char *) = values[i];
    }
}

static void set_columns(dsc_demo_writer_t *writer, apr_pool_t *pool, const columns_t *columns)
{
    for (int i = 0; i < columns->count; i++) {
        dsc_demo_set(writer, columns->names[i], dsc_text_array(pool, columns->texts[i]));
    }
}

/* What the filing says of how its numbers add up, and of the lines that they stand on. */
static void write_linkbase(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                           const dsc_demo_filing_t *filing)
{
    static const char *const arc_names[] = {"roles", "parents", "children", "weights"};
    static const char *const line_names[] = {"line_statements", "line_depths",      "line_concepts",
                                             "line_labels",     "line_label_roles", "line_axes"};
    columns_t of_arcs = columns_of(company->pool, arc_names, DSC_COUNT(arc_names));
    columns_t of_lines = columns_of(company->pool, line_names, DSC_COUNT(line_names));

    for (int i = 0; i < DSC_COUNT(arcs); i++) {
        const char *values[] = {apr_pstrcat(company->pool, "https://filer.example/role/",
                                            arcs[i].role, NULL),
                                arcs[i].parent, arcs[i].child, arcs[i].weight};

        add_row(&of_arcs, values);
    }
    for (int i = 0; i < DSC_COUNT(statement_lines); i++) {
        const char *values[] = {statement_lines[i].statement,  statement_lines[i].depth,
                                statement_lines[i].concept,    statement_lines[i].label,
                                statement_lines[i].label_role, ""};

        add_row(&of_lines, values);
    }
    dsc_demo_begin(writer, &dsc_dataset_xbrl_linkbase, company,
                   apr_pstrcat(company->pool, filing->accession, "/linkbase", NULL));
    dsc_demo_source(writer, company, filing);
    dsc_demo_set(writer, "form", filing->form);
    dsc_demo_set_day(writer, "filed_on", filing->day);
    set_columns(writer, company->pool, &of_arcs);
    dsc_demo_set(writer, "concepts", "{us-gaap:GrossProfit,us-gaap:NetIncomeLoss}");
    dsc_demo_set(writer, "labels", "{\"Gross profit\",\"Net income\"}");
    dsc_demo_set(writer, "presented_roles",
                 "{https://filer.example/role/IncomeStatement,"
                 "https://filer.example/role/BalanceSheet}");
    set_columns(writer, company->pool, &of_lines);
    dsc_demo_end(writer);
}

void dsc_demo_write_xbrl_reports(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    const dsc_demo_filing_t *const *filings = (const void *)company->filings->elts;
    int i;

    for (i = 0; i < company->filings->nelts; i++) {
        const dsc_demo_filing_t *filing = filings[i];

        if (filing->quarter >= 0 && !(filing->flags & DSC_DEMO_HAS_RELEASE)) {
            write_report(writer, company, filing);
            if (company->kind != DSC_DEMO_FOREIGN) {
                write_linkbase(writer, company, filing);
            }
        }
    }
}
