/* What a company files, when, and the filing, exhibit and text records that come of it. */
#include "ctl/demo.h"
#include "datasets/datasets.h"
#include "engine/digest.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* How each form is presented and at what hours it comes in, in minutes of the day in New York.
 * Reports under Section 16 are taken until ten at night (Regulation S-T, Rule 13(a)(4)), all
 * others until half past five. */
typedef struct {
    const char *form, *title, *document;
    int from, to;
    unsigned flags;
} form_t;

static const form_t forms[] = {
    {"10-K", "10-K", "annual-report", 16 * 60 + 35, 17 * 60 + 25,
     DSC_DEMO_HAS_TEXT | DSC_DEMO_UPDATES_PROFILE},
    {"10-K/A", "10-K/A", "annual-report-amendment", 15 * 60, 17 * 60 + 20, DSC_DEMO_HAS_TEXT},
    {"10-Q", "10-Q", "quarterly-report", 16 * 60 + 35, 17 * 60 + 25, DSC_DEMO_HAS_TEXT},
    {"8-K", "8-K", "current-report", 7 * 60, 9 * 60, DSC_DEMO_HAS_TEXT},
    {"20-F", "20-F", "annual-report", 6 * 60 + 30, 16 * 60, DSC_DEMO_UPDATES_PROFILE},
    {"6-K", "6-K", "report-of-foreign-issuer", 6 * 60, 8 * 60, 0},
    {"DEF 14A", "DEF 14A", "proxy-statement", 9 * 60, 17 * 60, 0},
    {"8-A12B", "8-A12B", "registration", 8 * 60, 9 * 60, 0},
    {"424B4", "424B4", "prospectus", 16 * 60, 17 * 60, 0},
    {"N-CSR", "N-CSR", "shareholder-report", 10 * 60, 16 * 60, 0},
    {"N-CSRS", "N-CSRS", "shareholder-report", 10 * 60, 16 * 60, 0},
    {"NPORT-P", "NPORT-P", "primary_doc", 9 * 60, 17 * 60, 0},
    {"25-NSE", "25-NSE", "primary_doc", 9 * 60, 16 * 60, DSC_DEMO_ENDS_LISTING},
    {"15-12G", "15-12G", "termination", 9 * 60, 16 * 60, 0},
    {"3", "FORM 3", "form3", 16 * 60, 21 * 60 + 55, 0},
    {"4", "FORM 4", "form4", 16 * 60, 21 * 60 + 55, 0},
    {"4/A", "FORM 4/A", "form4a", 16 * 60, 21 * 60 + 55, 0},
};

static const form_t *find_form(const char *name)
{
    for (int i = 0; i < DSC_COUNT(forms); i++) {
        if (strcmp(forms[i].form, name) == 0) {
            return &forms[i];
        }
    }
    abort();
}

dsc_demo_filing_t *dsc_demo_file(dsc_demo_company_t *company, dsc_demo_random_t *random,
                                 const char *form_name, int day, int period)
{
    const form_t *form = find_form(form_name);
    dsc_demo_filing_t *filing;
    day = dsc_business_day(day);
    if (day < company->first_day || day > company->last_day) {
        return NULL;
    }
    filing = apr_pcalloc(company->pool, sizeof(*filing));
    filing->form = form->form;
    filing->title = form->title;
    filing->document = form->document;
    filing->flags = form->flags;
    filing->day = day;
    filing->second = dsc_demo_number(random, form->from * MINUTE, form->to * MINUTE);
    filing->period = period;
    filing->quarter = -1;
    filing->order = company->filings->nelts;
    filing->size = dsc_demo_between(random, 9000, 90000);
    *(dsc_demo_filing_t **)apr_array_push(company->filings) = filing;
    return filing;
}

/* ----------------------------------------------------------------- schedule */

/* The earnings release: up to three weeks before the report, after the close or before the open. */
static void release(dsc_demo_company_t *company, dsc_demo_random_t *random, int report_day,
                    int index)
{
    const dsc_demo_quarter_t *quarter = &company->quarters[index];
    const char *form = company->kind == DSC_DEMO_FOREIGN ? "6-K" : "8-K";
    int day = report_day - dsc_demo_number(random, 1, quarter->number == 4 ? 18 : 8);
    dsc_demo_filing_t *filing = dsc_demo_file(company, random, form, day, 0);
    if (filing == NULL) {
        return;
    }
    filing->flags |= DSC_DEMO_HAS_RELEASE;
    filing->quarter = index;
    if (company->kind == DSC_DEMO_FOREIGN) {
        filing->period = quarter->end_day;
        return;
    }
    filing->period = filing->day;
    filing->items = "{2.02,9.01}";
    if (company->index % 2 == 0) {
        filing->second = 16 * HOUR + dsc_demo_number(random, 2 * MINUTE, 25 * MINUTE);
    }
}

static void follow_annual_report(dsc_demo_company_t *company, dsc_demo_random_t *random,
                                 int end_day)
{
    if (dsc_demo_chance(random, 8)) {
        dsc_demo_filing_t *amendment =
            dsc_demo_file(company, random, "10-K/A", end_day + dsc_demo_number(random, 100, 116),
                          end_day);
        if (amendment != NULL) {
            amendment->subject = "Part III";
        }
    } else {
        dsc_demo_file(company, random, "DEF 14A", end_day + dsc_demo_number(random, 92, 112),
                      end_day + 140);
    }
}

/* The periodic report of a quarter, by its deadline or a few days earlier. */
static void report_quarter(dsc_demo_company_t *company, dsc_demo_random_t *random, int index)
{
    const dsc_demo_quarter_t *quarter = &company->quarters[index];
    int is_annual = quarter->number == 4;
    int is_foreign = company->kind == DSC_DEMO_FOREIGN;
    int allowed = is_foreign  ? 115
                  : is_annual ? company->size->annual_days
                              : company->size->quarter_days;
    int report_day = dsc_business_day(quarter->end_day + allowed -
                                      dsc_demo_number(random, 0, is_annual ? 14 : 9));
    dsc_demo_filing_t *filing;
    release(company, random, is_foreign ? quarter->end_day + 55 : report_day, index);
    if (is_foreign && !is_annual) {
        return;
    }
    filing = dsc_demo_file(company, random,
                           is_foreign  ? "20-F"
                           : is_annual ? "10-K"
                                       : "10-Q",
                           report_day, quarter->end_day);
    if (filing != NULL) {
        filing->quarter = index;
        filing->size = dsc_demo_between(random, 2000000, 14000000);
    }
    if (is_annual && !is_foreign) {
        follow_annual_report(company, random, quarter->end_day);
    }
}

static void report_fund_quarter(dsc_demo_company_t *company, dsc_demo_random_t *random, int index)
{
    const dsc_demo_quarter_t *quarter = &company->quarters[index];
    int end_day = quarter->end_day;
    dsc_demo_file(company, random, "NPORT-P", end_day + dsc_demo_number(random, 54, 59), end_day);
    if (quarter->number % 2 == 0) {
        dsc_demo_file(company, random, quarter->number == 4 ? "N-CSR" : "N-CSRS",
                      end_day + dsc_demo_number(random, 60, 68), end_day);
    }
}

static void set_event(dsc_demo_filing_t *filing, const char *items, const char *subject,
                      unsigned flags)
{
    if (filing != NULL) {
        filing->items = items;
        filing->subject = subject;
        filing->flags |= flags;
    }
}

/* Current reports between the quarters: about one a year. */
static void report_events(dsc_demo_company_t *company, dsc_demo_random_t *random)
{
    static const struct {
        const char *items, *subject;
    } events[] = {
        {"{1.01,9.01}", "entered into a credit agreement with a group of lenders"},
        {"{5.07}", "held its annual meeting, at which every proposal of the board was adopted"},
        {"{8.01}", "announced that its board has authorized a share repurchase program"},
        {"{7.01}", "will present at an investor conference"},
    };
    for (int day = company->first_day + dsc_demo_number(random, 40, 300); day < company->last_day;
         day += dsc_demo_number(random, 200, 460)) {
        int event = dsc_demo_number(random, 0, DSC_COUNT(events) - 1);
        set_event(dsc_demo_file(company, random, "8-K", dsc_add_business_days(day, 2),
                                dsc_business_day(day)),
                  events[event].items, events[event].subject, 0);
    }
}

static void report_beginning_and_end(dsc_demo_company_t *company, dsc_demo_random_t *random)
{
    if (company->is_new) {
        dsc_demo_file(company, random, "8-A12B", company->first_day, 0);
        dsc_demo_file(company, random, "424B4", company->first_day, 0);
    }
    if (company->rename_day != 0) {
        set_event(dsc_demo_file(company, random, "8-K", company->rename_day, company->rename_day),
                  "{5.03,9.01}",
                  apr_psprintf(company->pool,
                               "amended its certificate of incorporation to change its name from "
                               "%s to %s",
                               company->former_name, company->name),
                  DSC_DEMO_UPDATES_PROFILE | DSC_DEMO_UPDATES_LISTING);
    }
    if (strcmp(company->final_status, "delisted") == 0) {
        dsc_demo_file(company, random, "25-NSE", company->last_day - 10, 0);
        dsc_demo_file(company, random, "15-12G", company->last_day, 0);
    } else if (strcmp(company->final_status, "inactive") == 0) {
        set_event(dsc_demo_file(company, random, "15-12G", company->last_day, 0), NULL, NULL,
                  DSC_DEMO_ENDS_LISTING);
    }
}

void dsc_demo_make_filings(dsc_demo_company_t *company)
{
    dsc_demo_random_t random = dsc_demo_company_stream(company, DSC_DEMO_FILINGS);
    report_beginning_and_end(company, &random);
    for (int i = 4; i < company->quarter_count; i++) {
        if (company->kind == DSC_DEMO_FUND) {
            report_fund_quarter(company, &random, i);
        } else {
            report_quarter(company, &random, i);
        }
    }
    if (company->kind == DSC_DEMO_OPERATING) {
        report_events(company, &random);
    }
}

/* ------------------------------------------------------------------ numbers */

static int by_acceptance(const void *left, const void *right)
{
    const dsc_demo_filing_t *a = *(const dsc_demo_filing_t *const *)left;
    const dsc_demo_filing_t *b = *(const dsc_demo_filing_t *const *)right;
    return a->day != b->day         ? (a->day < b->day ? -1 : 1)
           : a->second != b->second ? (a->second < b->second ? -1 : 1)
                                    : (a->order > b->order) - (a->order < b->order);
}

void dsc_demo_number_filings(dsc_demo_company_t *company)
{
    apr_pool_t *pool = company->pool;
    dsc_demo_filing_t **filings = (void *)company->filings->elts;
    int last_year = 0, number = 0;
    qsort(filings, (size_t)company->filings->nelts, sizeof(*filings), by_acceptance);
    for (int i = 0; i < company->filings->nelts; i++) {
        dsc_demo_filing_t *filing = filings[i];
        int year, month, day;
        dsc_day_date(filing->day, &year, &month, &day);
        number = year == last_year ? number + 1 : 1;
        last_year = year;
        filing->accession = apr_psprintf(pool, "%s-%02d-%06d", company->cik, year % 100, number);
        filing->accepted_at = dsc_demo_time(pool, filing->day, filing->second);
        filing->document =
            apr_psprintf(pool, "%s.%s", filing->document, filing->title[0] == 'F' ? "xml" : "htm");
        filing->url = dsc_demo_filing_url(company, filing->accession, filing->document);
    }
}

/* ------------------------------------------------------------------ records */

static void write_filing(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                         const dsc_demo_filing_t *filing)
{
    dsc_demo_begin(writer, &dsc_dataset_filing, company, filing->accession);
    dsc_demo_source(writer, company, filing);
    /* All filings of a company are in one file, as EDGAR has them. */
    writer->record.provenance.extracted_at = "2026-10-01T00:00:00Z";
    writer->record.provenance.content_hash =
        dsc_content_hash_of(company->pool, company->cik, strlen(company->cik));
    dsc_demo_set(writer, "form", filing->form);
    dsc_demo_set_day(writer, "filed_on", filing->day);
    dsc_demo_set(writer, "accepted_at", filing->accepted_at);
    dsc_demo_set_day(writer, "period_of_report", filing->period);
    dsc_demo_set(writer, "title", filing->title);
    dsc_demo_set(writer, "items", filing->items);
    dsc_demo_set(writer, "primary_document", filing->document);
    dsc_demo_set(writer, "file_number",
                 apr_psprintf(company->pool, "%s-9%05d",
                              company->kind == DSC_DEMO_FUND ? "811" : "001", company->index));
    dsc_demo_set_integer(writer, "size_bytes", filing->size);
    dsc_demo_end(writer);
}

static void write_exhibit(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                          const dsc_demo_filing_t *filing, int number)
{
    apr_pool_t *pool = company->pool;
    const char *file_name = apr_psprintf(pool, "exhibit99%d.htm", number);
    const char *text = dsc_demo_exhibit(company, filing, number);
    dsc_demo_begin(writer, &dsc_dataset_exhibit, company,
                   apr_psprintf(pool, "%s/%d", filing->accession, number + 1));
    dsc_demo_source(writer, company, filing);
    writer->record.provenance.url = dsc_demo_filing_url(company, filing->accession, file_name);
    writer->record.provenance.content_hash = dsc_content_hash_of(pool, text, strlen(text));
    dsc_demo_set(writer, "exhibit_type", apr_psprintf(pool, "EX-99.%d", number));
    dsc_demo_set_integer(writer, "sequence", number + 1);
    dsc_demo_set(writer, "file_name", file_name);
    dsc_demo_set(writer, "title", number == 1 ? "PRESS RELEASE" : "FINANCIAL SUPPLEMENT");
    dsc_demo_set(writer, "published_at", filing->accepted_at);
    dsc_demo_set(writer, "text", text);
    dsc_demo_end(writer);
}

static void write_text(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                       const dsc_demo_filing_t *filing)
{
    dsc_demo_text_t document = dsc_demo_document(company, filing);
    dsc_demo_begin(writer, &dsc_dataset_filing_text, company, filing->accession);
    dsc_demo_source(writer, company, filing);
    writer->record.provenance.content_hash =
        dsc_content_hash_of(company->pool, document.text, strlen(document.text));
    dsc_demo_set(writer, "form", filing->form);
    dsc_demo_set(writer, "published_at", filing->accepted_at);
    dsc_demo_set(writer, "text", document.text);
    dsc_demo_set(writer, "sections", document.sections);
    dsc_demo_end(writer);
}

void dsc_demo_write_filings(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    const dsc_demo_filing_t *const *filings = (const void *)company->filings->elts;
    int has_texts = company->index < company->options->texts;
    for (int i = 0; i < company->filings->nelts; i++) {
        write_filing(writer, company, filings[i]);
        if (has_texts && (filings[i]->flags & DSC_DEMO_HAS_RELEASE)) {
            write_exhibit(writer, company, filings[i], 1);
            if (company->index % 4 == 0) {
                write_exhibit(writer, company, filings[i], 2);
            }
        }
        if (has_texts && (filings[i]->flags & DSC_DEMO_HAS_TEXT)) {
            write_text(writer, company, filings[i]);
        }
    }
}
