/* The words of filings and earnings releases, with amounts that are those of the results. */
#include "ctl/demo.h"
#include "engine/json_writer.h"

#include <apr_strings.h>
#include <string.h>

/* A document as it grows. Section offsets count characters, not bytes. */
typedef struct {
    apr_pool_t *pool;
    const dsc_demo_company_t *company;
    dsc_buffer_t *text, *sections;
    long characters;
    long section_start; /* -1: no section is open */
    const char *key, *title;
} draft_t;

static draft_t begin_draft(const dsc_demo_company_t *company)
{
    draft_t draft = {company->pool,
                     company,
                     dsc_buffer_create(company->pool, 4096),
                     dsc_buffer_create(company->pool, 512),
                     0,
                     -1,
                     NULL,
                     NULL};
    return draft;
}

static void say(draft_t *draft, const char *text)
{
    dsc_buffer_append_text(draft->text, text);
    for (; *text != '\0'; text++) {
        draft->characters += ((unsigned char)*text & 0xC0) != 0x80;
    }
}

#define TELL(draft, ...) say((draft), apr_psprintf((draft)->pool, __VA_ARGS__))

static void end_section(draft_t *draft)
{
    if (draft->section_start < 0) {
        return;
    }
    dsc_buffer_append_text(draft->sections, draft->sections->length == 0 ? "[{" : ",{");
    dsc_json_name(draft->sections, "key");
    dsc_json_text(draft->sections, draft->key);
    dsc_buffer_append_char(draft->sections, ',');
    dsc_json_name(draft->sections, "title");
    dsc_json_text(draft->sections, draft->title);
    dsc_buffer_append_char(draft->sections, ',');
    dsc_json_name(draft->sections, "char_start");
    dsc_json_integer(draft->sections, draft->section_start);
    dsc_buffer_append_char(draft->sections, ',');
    dsc_json_name(draft->sections, "char_end");
    dsc_json_integer(draft->sections, draft->characters);
    dsc_buffer_append_char(draft->sections, '}');
    draft->section_start = -1;
}

static void begin_section(draft_t *draft, const char *key, const char *label, const char *title)
{
    end_section(draft);
    draft->section_start = draft->characters;
    draft->key = key;
    draft->title = title;
    TELL(draft, "%s. %s\n\n", label, title);
}

static dsc_demo_text_t end_draft(draft_t *draft)
{
    dsc_demo_text_t document;
    end_section(draft);
    dsc_buffer_append_text(draft->sections, draft->sections->length == 0 ? "[]" : "]");
    document.text = apr_pstrdup(draft->pool, dsc_buffer_text(draft->text));
    document.sections = apr_pstrdup(draft->pool, dsc_buffer_text(draft->sections));
    return document;
}

/* ------------------------------------------------------------------- amounts */

/* 1234567 as 1,234,567 and -12 as (12). */
static const char *grouped(apr_pool_t *pool, int64_t number)
{
    const char *digits = apr_psprintf(pool, "%" APR_INT64_T_FMT, number < 0 ? -number : number);
    size_t length = strlen(digits);
    char *text = apr_pcalloc(pool, length + length / 3 + 3), *at = text;
    if (number < 0) {
        *at++ = '(';
    }
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) {
            *at++ = ',';
        }
        *at++ = digits[i];
    }
    *at = number < 0 ? ')' : '\0';
    return text;
}

/* Thousands as millions with one decimal, halves away from zero. */
static const char *millions(const draft_t *draft, int64_t thousands)
{
    int64_t tenths = (thousands + (thousands < 0 ? -50 : 50)) / 100;
    int64_t size = tenths < 0 ? -tenths : tenths;
    return apr_psprintf(draft->pool, "%s%s %" APR_INT64_T_FMT ".%d million", tenths < 0 ? "-" : "",
                        draft->company->market->currency, size / 10, (int)(size % 10));
}

static const char *per_share(const draft_t *draft, const dsc_demo_quarter_t *quarter)
{
    int64_t income = dsc_demo_net_income(quarter);
    int64_t size = income < 0 ? -income : income;
    int64_t cents = (size * 100 + quarter->shares / 2) / quarter->shares;
    return apr_psprintf(draft->pool, income < 0 ? "(%d.%02d)" : "%d.%02d", (int)(cents / 100),
                        (int)(cents % 100));
}

/* The change of revenue in tenths of a percent, in words. */
static const char *change(const draft_t *draft, int64_t now, int64_t before)
{
    int64_t tenths = (now - before) * 1000 / before;
    int64_t size = tenths < 0 ? -tenths : tenths;
    return apr_psprintf(draft->pool, "%s %d.%d%%", tenths < 0 ? "down" : "up", (int)(size / 10),
                        (int)(size % 10));
}

static void write_line(draft_t *draft, const char *label, int64_t now, int64_t before)
{
    TELL(draft, "%-24s %16s %16s\n", label, grouped(draft->pool, now),
         grouped(draft->pool, before));
}

static int64_t gross_profit(const dsc_demo_quarter_t *quarter)
{
    return quarter->revenue - quarter->cost;
}

static int64_t operating_income(const dsc_demo_quarter_t *quarter)
{
    return gross_profit(quarter) - quarter->expenses;
}

static void write_statement(draft_t *draft, const dsc_demo_quarter_t *now,
                            const dsc_demo_quarter_t *before)
{
    TELL(draft, "(%s in thousands, except per share)\n", draft->company->market->currency);
    TELL(draft, "%-24s %16s %16s\n", "Period ended", dsc_day_text(draft->pool, now->end_day),
         dsc_day_text(draft->pool, before->end_day));
    write_line(draft, "Revenue", now->revenue, before->revenue);
    write_line(draft, "Cost of revenue", now->cost, before->cost);
    write_line(draft, "Gross profit", gross_profit(now), gross_profit(before));
    write_line(draft, "Operating expenses", now->expenses, before->expenses);
    write_line(draft, "Operating income", operating_income(now), operating_income(before));
    write_line(draft, "Income taxes", now->tax, before->tax);
    write_line(draft, "Net income", dsc_demo_net_income(now), dsc_demo_net_income(before));
    write_line(draft, "Diluted shares", now->shares, before->shares);
    TELL(draft, "%-24s %16s %16s\n\n", "Diluted per share", per_share(draft, now),
         per_share(draft, before));
}

static void write_performance(draft_t *draft, const dsc_demo_quarter_t *now,
                              const dsc_demo_quarter_t *before)
{
    int64_t income = dsc_demo_net_income(now);
    TELL(draft, "Revenue was %s, %s from %s a year earlier. Gross profit was %s. ",
         millions(draft, now->revenue), change(draft, now->revenue, before->revenue),
         millions(draft, before->revenue), millions(draft, gross_profit(now)));
    TELL(draft, "Net %s was %s, or %s %s per diluted share.\n\n", income < 0 ? "loss" : "income",
         millions(draft, income < 0 ? -income : income), draft->company->market->currency,
         per_share(draft, now));
}

/* ------------------------------------------------------------------ exhibits */

static const char *name_in(const dsc_demo_company_t *company, const dsc_demo_filing_t *filing)
{
    return filing->day < company->rename_day ? company->former_name : company->name;
}

const char *dsc_demo_quarter_name(const dsc_demo_quarter_t *quarter)
{
    static const char *const names[] = {"First Quarter", "Second Quarter", "Third Quarter",
                                        "Fourth Quarter"};
    return names[quarter->number - 1];
}

static void write_release(draft_t *draft, const dsc_demo_filing_t *filing)
{
    const dsc_demo_company_t *company = draft->company;
    const dsc_demo_quarter_t *now = &company->quarters[filing->quarter];
    const char *name = name_in(company, filing);
    TELL(draft, "%s Reports %s Fiscal %d Results\n\n", name, dsc_demo_quarter_name(now),
         now->fiscal_year);
    TELL(draft,
         "%s \xe2\x80\x94 %s (%s: %s), a fictional company that %s, today reported results for the "
         "quarter ended %s.\n\n",
         dsc_demo_long_date(draft->pool, filing->day), name, company->market->exchange,
         company->ticker, company->industry->trade, dsc_demo_long_date(draft->pool, now->end_day));
    write_performance(draft, now, now - 4);
    write_statement(draft, now, now - 4);
    say(draft, "About this release: the company does not exist, and nothing here is an offer or a "
               "forecast. The text was made for demonstration.\n");
}

/* The last five quarters, one line each. */
static void write_supplement(draft_t *draft, const dsc_demo_filing_t *filing)
{
    const dsc_demo_quarter_t *last = &draft->company->quarters[filing->quarter];
    TELL(draft, "%s\nFinancial supplement\n\n", name_in(draft->company, filing));
    TELL(draft, "(%s in thousands)\n%-12s %16s %16s %16s\n", draft->company->market->currency,
         "Quarter", "Revenue", "Gross profit", "Net income");
    for (const dsc_demo_quarter_t *quarter = last - 4; quarter <= last; quarter++) {
        TELL(draft, "%-12s %16s %16s %16s\n", dsc_day_text(draft->pool, quarter->end_day),
             grouped(draft->pool, quarter->revenue), grouped(draft->pool, gross_profit(quarter)),
             grouped(draft->pool, dsc_demo_net_income(quarter)));
    }
}

const char *dsc_demo_exhibit(const dsc_demo_company_t *company, const dsc_demo_filing_t *filing,
                             int number)
{
    draft_t draft = begin_draft(company);
    if (number == 1) {
        write_release(&draft, filing);
    } else {
        write_supplement(&draft, filing);
    }
    return end_draft(&draft).text;
}

const char *dsc_demo_performance(const dsc_demo_company_t *company, int quarter)
{
    draft_t draft = begin_draft(company);
    const dsc_demo_quarter_t *now = &company->quarters[quarter];
    write_performance(&draft, now, now - 4);
    draft.text->length -= 2; /* the empty line behind a paragraph */
    return end_draft(&draft).text;
}

const char *dsc_demo_description(const dsc_demo_company_t *company)
{
    if (company->industry == NULL) {
        return company->is_etf
                   ? "A fictional exchange-traded fund that holds shares of companies that do not "
                     "exist. Demonstration data."
                   : "A fictional closed-end fund that holds bonds of issuers that do not exist. "
                     "Demonstration data.";
    }
    return apr_psprintf(company->pool,
                        "A fictional company that %s. It does not exist: demonstration data.",
                        company->industry->trade);
}

/* ------------------------------------------------------------------- sections */

typedef struct {
    draft_t *draft;
    const dsc_demo_filing_t *filing;
    dsc_demo_quarter_t now, before; /* the period of a 10-K or 10-Q and the one a year earlier */
} part_t;

static void write_business(part_t *part)
{
    const dsc_demo_company_t *company = part->draft->company;
    TELL(part->draft,
         "%s is a fictional company that %s. On %s it had %s employees. Its shares trade on %s "
         "under the symbol \xe2\x80\x9c%s\xe2\x80\x9d.\n\n",
         name_in(company, part->filing), company->industry->trade,
         dsc_demo_long_date(part->draft->pool, part->now.end_day),
         grouped(part->draft->pool, dsc_demo_employees(company, part->now.end_day)),
         company->market->exchange, company->ticker);
}

static void write_risks(part_t *part)
{
    static const char *const risks[] = {
        "Demand for what we make may fall when the weather is bad.\n\n",
        "We depend on few suppliers; the loss of one would delay deliveries.\n\n",
        "Changes of interest rates raise the cost of our borrowings.\n\n",
        "Our systems may fail or be attacked, and backups may prove incomplete.\n\n",
        "We compete with larger companies that are as fictional as we are.\n\n",
    };
    for (int i = 0; i < 3; i++) {
        say(part->draft, risks[(part->draft->company->index + i) % DSC_COUNT(risks)]);
    }
}

static void write_results(part_t *part)
{
    write_performance(part->draft, &part->now, &part->before);
}

static void write_statements(part_t *part)
{
    write_statement(part->draft, &part->now, &part->before);
}

static void write_controls(part_t *part)
{
    say(part->draft, "Management evaluated the disclosure controls and procedures at the end of "
                     "the period and found them effective.\n\n");
}

static void write_exhibit_list(part_t *part)
{
    say(part->draft, "31.1 Certification of the chief executive officer\n"
                     "31.2 Certification of the chief financial officer\n\n");
}

static void write_governance(part_t *part)
{
    const dsc_demo_person_t *const *people = (const void *)part->draft->company->people->elts;
    for (int i = 0; i < part->draft->company->people->nelts; i++) {
        int has_left = people[i]->left != NULL && people[i]->left->day <= part->filing->day;
        if (!people[i]->role->is_owner && !has_left && people[i]->join_day <= part->filing->day) {
            TELL(part->draft, "%s, %s\n", people[i]->name, people[i]->role->role);
        }
    }
    say(part->draft, "\n");
}

static void write_compensation(part_t *part)
{
    say(part->draft, "Officers are paid a salary and restricted stock units; directors are paid "
                     "in restricted stock units alone.\n\n");
}

static const struct {
    const char *form, *key, *label, *title;
    void (*tell)(part_t *part);
} items[] = {
    {"10-K", "item_1", "Item 1", "Business", write_business},
    {"10-K", "item_1a", "Item 1A", "Risk Factors", write_risks},
    {"10-K", "item_7", "Item 7",
     "Management\xe2\x80\x99s Discussion and Analysis of Financial Condition and Results of "
     "Operations",
     write_results},
    {"10-K", "item_8", "Item 8", "Financial Statements and Supplementary Data", write_statements},
    {"10-K", "item_9a", "Item 9A", "Controls and Procedures", write_controls},
    {"10-K", "item_15", "Item 15", "Exhibits and Financial Statement Schedules",
     write_exhibit_list},
    {"10-K/A", "item_10", "Item 10", "Directors, Executive Officers and Corporate Governance",
     write_governance},
    {"10-K/A", "item_11", "Item 11", "Executive Compensation", write_compensation},
    {"10-Q", "part1_item_1", "Item 1", "Financial Statements", write_statements},
    {"10-Q", "part1_item_2", "Item 2",
     "Management\xe2\x80\x99s Discussion and Analysis of Financial Condition and Results of "
     "Operations",
     write_results},
    {"10-Q", "part1_item_4", "Item 4", "Controls and Procedures", write_controls},
    {"10-Q", "part2_item_1a", "Item 1A", "Risk Factors", write_risks},
    {"10-Q", "part2_item_6", "Item 6", "Exhibits", write_exhibit_list},
};

static void set_periods(part_t *part)
{
    const dsc_demo_company_t *company = part->draft->company;
    int index = part->filing->quarter;
    if (index < 4) {
        return;
    }
    part->now = company->quarters[index];
    part->before = company->quarters[index - 4];
    if (part->now.number == 4) {
        dsc_demo_year(company, index, &part->now);
        dsc_demo_year(company, index - 4, &part->before);
    }
}

/* ------------------------------------------------------------- current reports */

static const struct {
    const char *number, *title;
} current_items[] = {
    {"1.01", "Entry into a Material Definitive Agreement"},
    {"2.02", "Results of Operations and Financial Condition"},
    {"5.02", "Departure of Directors or Certain Officers; Election of Directors; Appointment of "
             "Certain Officers; Compensatory Arrangements of Certain Officers"},
    {"5.03", "Amendments to Articles of Incorporation or Bylaws; Change in Fiscal Year"},
    {"5.07", "Submission of Matters to a Vote of Security Holders"},
    {"7.01", "Regulation FD Disclosure"},
    {"8.01", "Other Events"},
    {"9.01", "Financial Statements and Exhibits"},
};

static void write_current_item(part_t *part, const char *number)
{
    draft_t *draft = part->draft;
    const char *date = dsc_demo_long_date(draft->pool, part->filing->period);
    const char *name = name_in(draft->company, part->filing);
    if (strcmp(number, "9.01") == 0) {
        say(draft, part->filing->quarter >= 0 ? "(d) Exhibits\n99.1 Press release\n\n"
                                              : "(d) Exhibits\n104 Cover page\n\n");
    } else if (part->filing->quarter >= 0) {
        TELL(draft,
             "On %s, %s issued a press release announcing its results for the quarter ended %s. It "
             "is furnished as Exhibit 99.1.\n\n",
             date, name,
             dsc_demo_long_date(draft->pool,
                                draft->company->quarters[part->filing->quarter].end_day));
    } else {
        TELL(draft, "On %s, %s %s.\n\n", date, name, part->filing->subject);
    }
}

static void write_current_report(part_t *part)
{
    for (int i = 0; i < DSC_COUNT(current_items); i++) {
        const char *number = current_items[i].number;
        if (strstr(part->filing->items, number) != NULL) {
            char *key = apr_pstrcat(part->draft->pool, "item_", number, NULL);
            *strchr(key, '.') = '_';
            begin_section(part->draft, key, apr_pstrcat(part->draft->pool, "Item ", number, NULL),
                          current_items[i].title);
            write_current_item(part, number);
        }
    }
}

dsc_demo_text_t dsc_demo_document(const dsc_demo_company_t *company,
                                  const dsc_demo_filing_t *filing)
{
    draft_t draft = begin_draft(company);
    part_t part = {&draft, filing, {0}, {0}};
    set_periods(&part);
    TELL(&draft, "FORM %s\n\n%s\n(a fictional registrant, CIK %s)\n\n", filing->form,
         name_in(company, filing), company->cik);
    if (strcmp(filing->form, "8-K") == 0) {
        write_current_report(&part);
    }
    for (int i = 0; i < DSC_COUNT(items); i++) {
        if (strcmp(items[i].form, filing->form) == 0) {
            begin_section(&draft, items[i].key, items[i].label, items[i].title);
            items[i].tell(&part);
        }
    }
    end_section(&draft);
    say(&draft, "SIGNATURE\n\nSigned for a company that does not exist.\n");
    return end_draft(&draft);
}
