/* Notices of events: estimated and announced dates of results, annual meetings, investor days and
 * mergers, before and after the end of the universe. */
#include "ctl/demo.h"
#include "datasets/datasets.h"

#include <apr_strings.h>
#include <string.h>

enum {
    DAYS_AHEAD = 380 /* how far the calendar looks, from the middle of the last month */
};

/* One notice; days are counted as everywhere in the demo. */
typedef struct {
    const char *key, *type;
    int day, second;     /* second 0: the time is not known */
    int known, known_at; /* day, and seconds of it in New York */
    int is_confirmed;
    int period_day; /* 0: of no period */
    const char *fiscal_period, *title, *url, *webcast;
    const dsc_demo_filing_t *filing; /* that announces it; NULL: the company's site */
} notice_t;

static void write_notice(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                         const notice_t *notice)
{
    apr_pool_t *pool = company->pool;
    dsc_demo_begin(writer, &dsc_dataset_event_notice, company, notice->key);
    if (notice->filing != NULL) {
        dsc_demo_source(writer, company, notice->filing);
    } else {
        dsc_demo_publish(writer, company, dsc_demo_time(pool, notice->known, notice->known_at),
                         "calendar");
    }
    dsc_demo_set(writer, "type", notice->type);
    dsc_demo_set_day(writer, "event_on", notice->day);
    if (notice->second != 0) {
        dsc_demo_set(writer, "event_at", dsc_demo_time(pool, notice->day, notice->second));
    }
    dsc_demo_set(writer, "date_status", notice->is_confirmed ? "confirmed" : "estimated");
    dsc_demo_set_day(writer, "period_end_date", notice->period_day);
    dsc_demo_set(writer, "fiscal_period", notice->fiscal_period);
    dsc_demo_set(writer, "title", notice->title);
    dsc_demo_set(writer, "event_url", notice->url);
    dsc_demo_set(writer, "webcast_status", notice->webcast);
    dsc_demo_end(writer);
}

static const char *address(const dsc_demo_company_t *company, const char *name)
{
    return apr_pstrcat(company->pool, "https://", dsc_demo_lower(company->pool, company->ticker),
                       ".example/events/", name, NULL);
}

/* --------------------------------------------------------------------- results */

static const char *results_key(const dsc_demo_company_t *company, int end_day)
{
    return apr_pstrcat(company->pool, "earnings/", dsc_day_text(company->pool, end_day), NULL);
}

/* Five weeks before a release somebody estimated its day, mostly wrong; some companies announced it
 * two weeks before. */
static void write_past_results(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                               const dsc_demo_filing_t *filing)
{
    const dsc_demo_quarter_t *quarter = &company->quarters[filing->quarter];
    notice_t notice = {results_key(company, quarter->end_day), "earnings"};
    notice.day = dsc_business_day(filing->day + (filing->quarter + company->index) % 7 - 3);
    notice.known = filing->day - 35;
    notice.known_at = 12 * HOUR;
    notice.period_day = quarter->end_day;
    if (notice.known < company->first_day) {
        return;
    }
    write_notice(writer, company, &notice);
    if (company->index % 2 == 1) {
        notice.day = filing->day;
        notice.known = filing->day - 14;
        notice.is_confirmed = 1;
        notice.url = address(company, apr_psprintf(company->pool, "q%d-fy%d", quarter->number,
                                                   quarter->fiscal_year));
        write_notice(writer, company, &notice);
    }
}

static int next_quarter_end(int end_day)
{
    int year, month, day;
    dsc_day_date(end_day, &year, &month, &day);
    month += 3;
    return month > 12 ? dsc_month_end(year + 1, month - 12) : dsc_month_end(year, month);
}

/* The last quarter of which results are out, as the day on which it ended. */
static int last_reported(const dsc_demo_company_t *company)
{
    const dsc_demo_filing_t *const *filings = (const void *)company->filings->elts;
    int end_day = 0;
    for (int i = 0; i < company->filings->nelts; i++) {
        if (filings[i]->flags & DSC_DEMO_HAS_RELEASE) {
            end_day = company->quarters[filings[i]->quarter].end_day;
        }
    }
    return end_day;
}

/* Results to come are estimated; of every third company the next ones are announced. */
static void write_coming_results(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    int known = company->last_day - 15, end_day = last_reported(company), is_next = 1;
    if (end_day == 0) {
        return;
    }
    for (end_day = next_quarter_end(end_day);; end_day = next_quarter_end(end_day)) {
        notice_t notice = {results_key(company, end_day), "earnings"};
        notice.day = dsc_business_day(end_day + 30 + company->index % 25);
        notice.known = known;
        notice.known_at = 12 * HOUR;
        notice.period_day = end_day;
        if (notice.day > known + DAYS_AHEAD) {
            return;
        }
        if (notice.day <= company->last_day) {
            continue;
        }
        write_notice(writer, company, &notice);
        if (is_next && company->index % 3 == 0) {
            notice.second = 17 * HOUR;
            notice.known = company->last_day - 6;
            notice.is_confirmed = 1;
            notice.url = address(company, "results");
            notice.webcast = "scheduled";
            write_notice(writer, company, &notice);
        }
        is_next = 0;
    }
}

/* --------------------------------------------------------------------- others */

/* The proxy statement calls the annual meeting. */
static void write_meeting(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                          const dsc_demo_filing_t *filing)
{
    int year, month, day;
    notice_t notice = {NULL, "agm"};
    dsc_day_date(filing->period, &year, &month, &day);
    notice.key = apr_psprintf(company->pool, "agm/%d", year);
    notice.day = dsc_business_day(filing->period);
    notice.second = 10 * HOUR;
    notice.is_confirmed = 1;
    notice.filing = filing;
    notice.title = apr_psprintf(company->pool, "Annual Meeting of Stockholders %d", year);
    write_notice(writer, company, &notice);
}

/* An investor day of the past, and one to come, of which the day is not fixed yet. */
static void write_investor_days(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    notice_t notice = {"investor-day/past", "investor_day"};
    notice.day = dsc_business_day(company->last_day - 400 + company->index % 90);
    notice.second = 9 * HOUR;
    notice.known = dsc_business_day(notice.day - 60);
    notice.known_at = 9 * HOUR;
    notice.is_confirmed = 1;
    notice.title = "Investor Day";
    notice.url = address(company, "investor-day");
    notice.webcast = "captured";
    if (notice.known >= company->first_day) {
        write_notice(writer, company, &notice);
    }
    notice.key = "investor-day/next";
    notice.day = dsc_business_day(company->last_day + 130 + company->index % 90);
    notice.second = 0;
    notice.known = company->last_day - 20;
    notice.is_confirmed = 0;
    notice.webcast = NULL;
    write_notice(writer, company, &notice);
}

static void write_merger(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    dsc_demo_random_t random =
        dsc_demo_stream(company->options->seed, company->index, DSC_DEMO_NOTICES);
    notice_t notice = {"merger", "ma_announcement"};
    notice.day = dsc_business_day(company->last_day - dsc_demo_number(&random, 100, 300));
    notice.second = 8 * HOUR;
    notice.known = notice.day;
    notice.known_at = 8 * HOUR;
    notice.is_confirmed = 1;
    notice.title = apr_psprintf(company->pool, "%s to acquire %s", company->name,
                                dsc_demo_firm_name(company->pool, &random, "Works"));
    write_notice(writer, company, &notice);
}

void dsc_demo_write_event_notices(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    const dsc_demo_filing_t *const *filings = (const void *)company->filings->elts;
    int goes_on = strcmp(company->final_status, "active") == 0;
    if (company->kind == DSC_DEMO_FUND) {
        return;
    }
    for (int i = 0; i < company->filings->nelts; i++) {
        if ((filings[i]->flags & DSC_DEMO_HAS_RELEASE) && dsc_demo_has_documents(company)) {
            write_past_results(writer, company, filings[i]);
        } else if (strcmp(filings[i]->form, "DEF 14A") == 0) {
            write_meeting(writer, company, filings[i]);
        }
    }
    if (goes_on) {
        write_coming_results(writer, company);
    }
    if (goes_on && company->index % 6 == 0) {
        write_investor_days(writer, company);
    }
    if (company->index % 10 == 0) {
        write_merger(writer, company);
    }
}
