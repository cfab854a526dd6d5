/* Reports under Section 16: reporting persons and times, amendments, and their records. */
#include "ctl/demo.h"
#include "datasets/datasets.h"

#include <apr_strings.h>
#include <string.h>

/* Reports that begin this close to the company's last day could not be filed any more. */
enum {
    LAST_REPORT_MARGIN = 26,
    ROWS_OF_TEN_REPORTS = 32
};

dsc_demo_report_t *dsc_demo_report(dsc_demo_company_t *company, dsc_demo_person_t *person)
{
    dsc_demo_report_t *report = apr_pcalloc(company->pool, sizeof(*report));
    report->person = person;
    report->rows = apr_array_make(company->pool, 4, sizeof(dsc_demo_transaction_t));
    report->holdings = apr_array_make(company->pool, 2, sizeof(dsc_demo_transaction_t));
    return report;
}

static void keep(dsc_demo_company_t *company, dsc_demo_report_t *report)
{
    *(dsc_demo_report_t **)apr_array_push(company->reports) = report;
}

/* Form 3: within ten days of becoming an insider, at once if the company is new. */
static void report_first_holdings(dsc_demo_company_t *company, dsc_demo_random_t *random,
                                  dsc_demo_person_t *person)
{
    int day = person->join_day + (company->is_new && person->join_day == company->first_day
                                      ? 0
                                      : dsc_demo_number(random, 1, 7));
    dsc_demo_report_t *report = dsc_demo_report(company, person);
    report->filing = dsc_demo_file(company, random, "3", day, person->join_day);
    if (report->filing == NULL) {
        return;
    }
    dsc_demo_hold(company, report, 0);
    person->joined = report->filing;
    person->next_free_day = report->filing->day + 1;
    keep(company, report);
}

static dsc_demo_person_t *free_person(const dsc_demo_company_t *company, dsc_demo_random_t *random,
                                      int day)
{
    dsc_demo_person_t *const *people = (void *)company->people->elts;
    int count = company->people->nelts;
    int start = dsc_demo_number(random, 0, count - 1);
    for (int i = 0; i < count; i++) {
        dsc_demo_person_t *person = people[(start + i) % count];
        if (person->next_free_day <= day && (person->leave_day == 0 || day < person->leave_day)) {
            return person;
        }
    }
    return NULL;
}

static int touches_trust(const dsc_demo_report_t *report)
{
    const dsc_demo_transaction_t *rows = (const void *)report->rows->elts;
    for (int i = 0; i < report->rows->nelts; i++) {
        if (rows[i].is_indirect) {
            return 1;
        }
    }
    return 0;
}

/* Forms have the box since 1 April 2023 (Release 33-11138). */
static const char *trading_plan(dsc_demo_random_t *random, const dsc_demo_report_t *report)
{
    const dsc_demo_transaction_t *rows = (const void *)report->rows->elts;
    if (report->filing->day < dsc_day(2023, 4, 1)) {
        return NULL;
    }
    return rows[report->rows->nelts - 1].code[0] == 'S' && dsc_demo_chance(random, 60) ? "t" : "f";
}

/* The first priced transaction; amendments correct it. */
static dsc_demo_transaction_t *priced_row(apr_array_header_t *rows)
{
    dsc_demo_transaction_t *row = (void *)rows->elts;
    for (int i = 0; i < rows->nelts; i++) {
        if (row[i].price > 0 && !row[i].is_derivative) {
            return &row[i];
        }
    }
    return NULL;
}

/* The report as made is right: the amendment has it, and the original a wrong price. */
static void amend(dsc_demo_company_t *company, dsc_demo_random_t *random, dsc_demo_report_t *report)
{
    int day = dsc_add_business_days(report->filing->day, dsc_demo_number(random, 3, 20));
    dsc_demo_report_t *amendment;
    dsc_demo_transaction_t *wrong = priced_row(report->rows);
    dsc_demo_filing_t *filing;
    if (wrong == NULL ||
        (filing = dsc_demo_file(company, random, "4/A", day, report->filing->period)) == NULL) {
        return;
    }
    amendment = apr_pmemdup(company->pool, report, sizeof(*report));
    amendment->rows = apr_array_copy(company->pool, report->rows);
    amendment->filing = filing;
    amendment->original_day = report->filing->day;
    wrong->price += wrong->price / 20 + DSC_DEMO_PRICE_SCALE / 100;
    keep(company, amendment);
}

/* Form 4: within two business days of the transaction; a few come late. Returns the rows. */
static int report_event(dsc_demo_company_t *company, dsc_demo_random_t *random,
                        dsc_demo_person_t *person, int day)
{
    dsc_demo_report_t *report = dsc_demo_report(company, person);
    const dsc_demo_transaction_t *rows;
    int delay = dsc_demo_number(random, 0, 2), is_late = dsc_demo_chance(random, 2);
    int count = dsc_demo_transact(company, random, report, day);
    if (count == 0) {
        return 0;
    }
    rows = (const void *)report->rows->elts;
    report->is_late = is_late;
    report->filing = dsc_demo_file(company, random, "4",
                                   is_late ? dsc_add_business_days(day, 4 + delay)
                                           : dsc_add_business_days(rows[0].day, delay),
                                   rows[0].day);
    if (report->filing->day < rows[count - 1].day) {
        report->filing->day = rows[count - 1].day;
    }
    report->rule_10b5_1 = trading_plan(random, report);
    if (dsc_demo_chance(random, 40) && !touches_trust(report)) {
        dsc_demo_hold(company, report, 1);
    }
    person->next_free_day = report->filing->day + 1;
    keep(company, report);
    if (dsc_demo_chance(random, 3)) {
        amend(company, random, report);
        return 2 * count;
    }
    return count;
}

/* Walks from the first day to the last in steps that spread the rows still to be made. */
static void report_transactions(dsc_demo_company_t *company, dsc_demo_random_t *random)
{
    int rest = company->options->insider_rows * dsc_demo_number(random, 40, 160) / 100;
    int last_day = company->last_day - LAST_REPORT_MARGIN;
    int64_t tenth = (int64_t)company->first_day * 10 + 50; /* of a day */
    while (rest > 0) {
        int64_t step = ((int64_t)last_day * 10 - tenth) * ROWS_OF_TEN_REPORTS / 10 / rest;
        dsc_demo_person_t *person;
        int day;
        tenth += dsc_demo_between(random, step / 2, step + step / 2) + 1;
        day = dsc_business_day((int)(tenth / 10));
        if (day > last_day) {
            return;
        }
        person = free_person(company, random, day);
        if (person != NULL) {
            rest -= report_event(company, random, person, day);
        }
    }
}

void dsc_demo_make_insiders(dsc_demo_company_t *company)
{
    dsc_demo_random_t random = dsc_demo_company_stream(company, DSC_DEMO_INSIDERS);
    dsc_demo_person_t *const *people = (void *)company->people->elts;
    for (int i = 0; i < company->people->nelts; i++) {
        if (company->is_new || people[i]->join_day > company->first_day) {
            report_first_holdings(company, &random, people[i]);
        }
    }
    report_transactions(company, &random);
}

/* ------------------------------------------------------------------ records */

static const char *transaction_type(const char *code)
{
    const dsc_transaction_code_t *row = dsc_transaction_codes;
    while (strcmp(row->code, code) != 0) {
        row++;
    }
    return row->type;
}

/* One footnote a row; as in real forms, one that stands in place of a number is quoted. */
static void set_footnote(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                         const dsc_demo_transaction_t *row)
{
    if (row->footnote == NULL) {
        return;
    }
    dsc_demo_set(writer, "footnotes",
                 apr_psprintf(company->pool, "[{\"id\":\"F1\",\"field\":\"%s\",\"text\":\"%s\"}]",
                              row->footnote_field, row->footnote));
    if (row->price < 0 || strcmp(row->footnote_field, "conversionOrExercisePrice") == 0) {
        writer->record.provenance.quote = row->footnote;
    }
}

static const char *remarks_of(const dsc_demo_report_t *report)
{
    if (report->original_day != 0) {
        return "This amendment corrects the prices of the original report.";
    }
    return report->person->joint_owners ? "The reporting persons file this form jointly." : NULL;
}

static void set_report(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                       const dsc_demo_report_t *report, const dsc_demo_transaction_t *row)
{
    const dsc_demo_person_t *person = report->person;
    dsc_demo_source(writer, company, report->filing);
    dsc_demo_set(writer, "form", report->filing->form);
    dsc_demo_set_day(writer, "period_of_report", report->filing->period);
    dsc_demo_set_day(writer, "original_filing_date", report->original_day);
    dsc_demo_set(writer, "owner_cik", person->cik);
    dsc_demo_set(writer, "insider_name", person->as_filed);
    dsc_demo_set(writer, "relationship", person->role->relationship);
    dsc_demo_set(writer, "joint_owners", person->joint_owners);
    dsc_demo_set_flag(writer, "is_derivative", row->is_derivative);
    dsc_demo_set(writer, "security_title", row->title);
    dsc_demo_set(writer, "ownership", row->is_indirect ? "indirect" : "direct");
    dsc_demo_set(writer, "ownership_nature", row->is_indirect ? "By Trust" : NULL);
    dsc_demo_set_money(writer, "conversion_price", row->strike);
    dsc_demo_set_day(writer, "exercise_date", row->exercise_day);
    dsc_demo_set_day(writer, "expiration_date", row->expiration_day);
    dsc_demo_set(writer, "underlying_title", row->underlying);
    dsc_demo_set_day(writer, "filing_date", report->filing->day);
    dsc_demo_set(writer, "remarks", remarks_of(report));
    set_footnote(writer, company, row);
}

static void write_transaction(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                              const dsc_demo_report_t *report, const dsc_demo_transaction_t *row,
                              int number)
{
    const char side[] = {row->acquired_disposed, '\0'};
    dsc_demo_begin(writer, &dsc_dataset_insider, company,
                   apr_psprintf(company->pool, "%s/%c/%d", report->filing->accession,
                                row->is_derivative ? 'D' : 'N', number));
    set_report(writer, company, report, row);
    dsc_demo_set(writer, "transaction_code", row->code);
    dsc_demo_set(writer, "transaction_type", transaction_type(row->code));
    dsc_demo_set(writer, "acquired_disposed", side);
    dsc_demo_set_integer(writer, "shares", row->shares);
    dsc_demo_set_money(writer, "price", row->price);
    dsc_demo_set_money(writer, "value", row->price < 0 ? -1 : row->shares * row->price);
    dsc_demo_set_integer(writer, "shares_owned_after", row->after);
    if (row->underlying != NULL) {
        dsc_demo_set_integer(writer, "underlying_shares", row->shares);
    }
    dsc_demo_set_flag(writer, "equity_swap", 0);
    dsc_demo_set(writer, "rule_10b5_1", report->rule_10b5_1);
    dsc_demo_set(writer, "timeliness", report->is_late ? "L" : NULL);
    dsc_demo_set_day(writer, "transaction_date", row->day);
    dsc_demo_end(writer);
}

static void write_holding(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                          const dsc_demo_report_t *report, const dsc_demo_transaction_t *row,
                          int number)
{
    dsc_demo_begin(writer, &dsc_dataset_insider_holding, company,
                   apr_psprintf(company->pool, "%s/%s/%d", report->filing->accession,
                                row->is_derivative ? "DH" : "NH", number));
    set_report(writer, company, report, row);
    dsc_demo_set_integer(writer, "shares_owned", row->after);
    if (row->underlying != NULL) {
        dsc_demo_set_integer(writer, "underlying_shares", row->after);
    }
    dsc_demo_end(writer);
}

typedef void (*write_row_t)(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                            const dsc_demo_report_t *report, const dsc_demo_transaction_t *row,
                            int number);

/* Rows are numbered within their table of the form. */
static void write_rows(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                       const dsc_demo_report_t *report, const apr_array_header_t *rows,
                       write_row_t write_row)
{
    const dsc_demo_transaction_t *row = (const void *)rows->elts;
    int numbers[2] = {0, 0};
    for (int i = 0; i < rows->nelts; i++) {
        write_row(writer, company, report, &row[i], ++numbers[row[i].is_derivative]);
    }
}

void dsc_demo_write_insiders(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    const dsc_demo_report_t *const *reports = (const void *)company->reports->elts;
    for (int i = 0; i < company->reports->nelts; i++) {
        write_rows(writer, company, reports[i], reports[i]->rows, write_transaction);
        write_rows(writer, company, reports[i], reports[i]->holdings, write_holding);
    }
}
