/* Key figures: a metric of the company's own, and its revenue by segment and region, from the
 * release and from the report of each quarter. A few releases round otherwise than the report, and
 * some companies restate a quarter a year later. */
#include "ctl/demo.h"
#include "datasets/datasets.h"

#include <apr_strings.h>

enum {
    IN_YEAR = 4,   /* quarters */
    DISAGREES = 9, /* one quarter in so many */
    RESTATES = 6   /* one company in so many */
};

/* A metric of the company's own. */
typedef struct {
    const char *key, *label, *described, *unit, *category;
    int is_instant;
    int64_t revenue_each; /* of a quarter, in thousands, that goes with one of them */
} metric_t;

/* A part of the company, with its share of revenue in percent. */
typedef struct {
    const char *dimension, *member;
    int share;
} part_t;

static const metric_t metrics[] = {
    {"subscribers", "Paid subscribers", "Subscribers with a paid plan at the end of the quarter",
     "subscribers", "customers", 1, 1},
    {"store_count", "Stores", "Stores that were open at the end of the quarter", "count",
     "footprint", 1, 900},
    {"units_sold", "Units sold", "Units delivered to customers in the quarter", "count", "volume",
     0, 2},
};

static const part_t parts[] = {
    {"segment", "Products", 60},
    {"segment", "Services", 40},
    {"region", "Americas", 70},
    {"region", "International", 30},
};

/* What all numbers of a quarter and source have in common. */
typedef struct {
    dsc_demo_writer_t *writer;
    const dsc_demo_company_t *company;
    const dsc_demo_filing_t *filing;
    const char *source_type;
    int quarter;
} report_t;

static void begin(const report_t *report, const char *metric, const part_t *part, int is_instant)
{
    const dsc_demo_company_t *company = report->company;
    const dsc_demo_quarter_t *quarter = &company->quarters[report->quarter];
    apr_pool_t *pool = company->pool;
    const char *start =
        is_instant ? "" : dsc_day_text(pool, company->quarters[report->quarter - 1].end_day + 1);

    dsc_demo_begin(report->writer, &dsc_dataset_kpi_observation, company,
                   apr_pstrcat(pool, metric, "/", part == NULL ? "" : part->dimension, "/",
                               part == NULL ? "" : part->member, "/", start, "/",
                               dsc_day_text(pool, quarter->end_day), "/", report->source_type,
                               NULL));
    dsc_demo_source(report->writer, company, report->filing);
    dsc_demo_set(report->writer, "metric_key", metric);
    if (!is_instant) {
        dsc_demo_set(report->writer, "start_date", start);
    }
    dsc_demo_set(report->writer, "basis", is_instant ? "instant" : "duration");
    dsc_demo_set_day(report->writer, "end_date", quarter->end_day);
    dsc_demo_set(report->writer, "fiscal",
                 apr_psprintf(pool, "Q%d FY%d", quarter->number, quarter->fiscal_year));
    dsc_demo_set(report->writer, "source_type", report->source_type);
    dsc_demo_set_flag(report->writer, "split_adjusted", 0);
}

static void write_metric(const report_t *report, const metric_t *metric, int64_t value)
{
    dsc_demo_writer_t *writer = report->writer;

    begin(report, metric->key, NULL, metric->is_instant);
    dsc_demo_set(writer, "issuer_label", metric->label);
    dsc_demo_set(writer, "as_described",
                 apr_psprintf(report->company->pool, "%s: %" APR_INT64_T_FMT ".", metric->described,
                              value));
    dsc_demo_set(writer, "definition",
                 apr_pstrcat(report->company->pool, metric->described, ".", NULL));
    dsc_demo_set(writer, "unit", metric->unit);
    dsc_demo_set(writer, "category", metric->category);
    dsc_demo_set(writer, "importance", "headline");
    dsc_demo_set_integer(writer, "value", value);
    writer->record.provenance.quote =
        apr_psprintf(report->company->pool, "%s: %" APR_INT64_T_FMT, metric->label, value);
    dsc_demo_end(writer);
}

static void write_parts(const report_t *report)
{
    const dsc_demo_company_t *company = report->company;
    dsc_demo_writer_t *writer = report->writer;
    int i;

    for (i = 0; i < DSC_COUNT(parts); i++) {
        begin(report, "revenue", &parts[i], 0);
        dsc_demo_set(writer, "issuer_label",
                     apr_pstrcat(company->pool, parts[i].member, " revenue", NULL));
        dsc_demo_set(writer, "as_described",
                     apr_pstrcat(company->pool, "Revenue of ", parts[i].member,
                                 ", before eliminations.", NULL));
        dsc_demo_set(writer, "dimension", parts[i].dimension);
        dsc_demo_set(writer, "member", parts[i].member);
        dsc_demo_set(writer, "unit", company->market->currency);
        dsc_demo_set(writer, "canonical_key", "revenue");
        dsc_demo_set_integer(writer, "value",
                             company->quarters[report->quarter].revenue * parts[i].share * 10);
        dsc_demo_end(writer);
    }
}

/* The quarter, as its release and its report have it; and the quarter of a year before, if the
 * company restates it. */
static void write_quarter(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                          const dsc_demo_filing_t *filing)
{
    const metric_t *metric = &metrics[company->index % DSC_COUNT(metrics)];
    int is_release = (filing->flags & DSC_DEMO_HAS_RELEASE) != 0;
    report_t report = {.writer = writer,
                       .company = company,
                       .filing = filing,
                       .quarter = filing->quarter,
                       .source_type = is_release ? "EX-99.1" : filing->form};
    int64_t value = company->quarters[filing->quarter].revenue / metric->revenue_each + 1000;

    write_metric(&report, metric,
                 is_release && (filing->quarter + company->index) % DISAGREES == 4 ? value / 10 * 10
                                                                                   : value);
    if (is_release) {
        return;
    }
    write_parts(&report);
    report.quarter -= IN_YEAR;
    if (company->index % RESTATES == 1 && report.quarter > 0 && report.quarter % 3 == 0) {
        value = company->quarters[report.quarter].revenue / metric->revenue_each + 1000;
        write_metric(&report, metric, value - value / 50);
    }
}

void dsc_demo_write_kpis(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    const dsc_demo_filing_t *const *filings = (const void *)company->filings->elts;
    int i;

    for (i = 0; i < company->filings->nelts; i++) {
        if (filings[i]->quarter > 0) {
            write_quarter(writer, company, filings[i]);
        }
    }
}
