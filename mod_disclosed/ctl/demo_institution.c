/* Fictional institutional investment managers: their holdings of the demo companies at the end of
 * each quarter, and their Form 13F reports. A manager belongs to the company after which it is
 * made, and holds securities only of that company and of earlier ones. More companies therefore
 * bring more managers and leave the others unchanged. */
#include "ctl/demo.h"
#include "datasets/datasets.h"
#include "formats/eastern_time.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    WINDOW = 1500,         /* companies before its own among which a manager looks */
    PORTFOLIO_LIMIT = 240, /* rows of a report, about */
    QUARTER_LIMIT = 44,
    DEADLINE = 45 /* days after the quarter's end: Rule 13f-1(a) */
};

/* A security of a demo company. */
typedef struct {
    int company;
    const char *cusip, *note_cusip, *issuer_title, *class_title;
    int64_t prices[QUARTER_LIMIT]; /* at the quarters' ends; 0: not traded */
} security_t;

struct dsc_demo_holdings_t {
    apr_pool_t *pool;
    const dsc_demo_options_t *options;
    apr_array_header_t *securities; /* security_t * */
    apr_array_header_t *counts;     /* int: of securities up to each company */
    int quarters[QUARTER_LIMIT];    /* last days */
    int quarter_count;
    int managers;
    apr_int64_t rows;
};

typedef enum {
    SHARES,
    PUT,
    CALL,
    NOTE,    /* a convertible note of the company: principal amount */
    UNLISTED /* of an issuer that nothing lists */
} kind_t;

/* What a manager holds from one quarter to another. */
typedef struct {
    const security_t *security;
    kind_t kind;
    int first, last;
    int split; /* the row is filed in two parts, for two managers */
    int64_t shares;
} holding_t;

typedef struct {
    dsc_demo_writer_t *writer;
    dsc_demo_holdings_t *book;
    dsc_demo_company_t issuer; /* the manager, as far as records need it */
    dsc_demo_random_t random;
    int number;
    holding_t *holdings;
    int holding_count;
} manager_t;

/* One filing about one quarter. */
typedef struct {
    int quarter, day, number; /* number: among the filings about the quarter */
    const char *form, *amendment_type;
    int omits;    /* holdings whose place is a multiple of 5 are not in it; -1: only they are */
    int mistaken; /* the first holding has ten times its shares */
} filing_t;

/* ------------------------------------------------------------------ securities */

dsc_demo_holdings_t *dsc_demo_holdings(apr_pool_t *pool, const dsc_demo_options_t *options)
{
    dsc_demo_holdings_t *book = apr_pcalloc(pool, sizeof(*book));
    int last = dsc_day(DSC_DEMO_END_YEAR, 9, 30) - DEADLINE - 5;
    book->pool = pool;
    book->options = options;
    book->securities = apr_array_make(pool, 64, sizeof(security_t *));
    book->counts = apr_array_make(pool, 64, sizeof(int));
    for (int i = 0; i < options->years * 4; i++) {
        int day =
            dsc_month_end(DSC_DEMO_END_YEAR - options->years + (i + 3) / 4, (i + 3) % 4 * 3 + 3);
        if (day <= last) {
            book->quarters[book->quarter_count++] = day;
        }
    }
    return book;
}

/* The official list of Section 13(f) securities writes names in capitals, without points, and in 28
 * characters. */
static const char *issuer_title(apr_pool_t *pool, const dsc_demo_company_t *company)
{
    char *title = apr_pstrdup(pool, dsc_demo_upper(company->pool, company->name));
    char *to = title;
    for (const char *from = title; *from != '\0' && to < title + 28; from++) {
        if (*from != '.' && *from != ',') {
            *to++ = *from;
        }
    }
    *to = '\0';
    return title;
}

static void add_security(dsc_demo_holdings_t *book, const dsc_demo_company_t *company, int class)
{
    security_t *security;
    const char *cusip = dsc_demo_cusip(company, class);
    if (cusip == NULL) {
        return;
    }
    security = apr_pcalloc(book->pool, sizeof(*security));
    security->company = company->index;
    security->cusip = apr_pstrdup(book->pool, cusip);
    security->note_cusip = apr_psprintf(book->pool, "%.6sAA%d", cusip, company->index % 10);
    security->issuer_title = issuer_title(book->pool, company);
    security->class_title = company->has_adr            ? "SPONSORED ADR"
                            : company->industry == NULL ? "SHS"
                            : !company->two_classes     ? "COM"
                            : class == 0                ? "CL A"
                                                        : "CL B";
    for (int i = 0; i < book->quarter_count; i++) {
        int day = book->quarters[i];
        if (day >= company->first_day && day <= company->last_day) {
            security->prices[i] = dsc_demo_price(company, day);
        }
    }
    APR_ARRAY_PUSH(book->securities, security_t *) = security;
}

void dsc_demo_add_securities(dsc_demo_holdings_t *book, const dsc_demo_company_t *company)
{
    add_security(book, company, 0);
    add_security(book, company, 1);
    APR_ARRAY_PUSH(book->counts, int) = book->securities->nelts;
}

/* -------------------------------------------------------------------- managers */

static kind_t pick_kind(dsc_demo_random_t *random)
{
    int draw = dsc_demo_number(random, 1, 100);
    return draw <= 88   ? SHARES
           : draw <= 91 ? PUT
           : draw <= 94 ? CALL
           : draw <= 97 ? NOTE
                        : UNLISTED;
}

static void make_holding(manager_t *manager, holding_t *holding, const security_t *security)
{
    dsc_demo_random_t *random = &manager->random;
    int quarters = manager->book->quarter_count;
    int stays = dsc_demo_chance(random, 60);
    holding->security = security;
    holding->kind = pick_kind(random);
    holding->split = holding->kind == SHARES && dsc_demo_chance(random, 4);
    holding->first = stays ? 0 : dsc_demo_number(random, 0, quarters - 1);
    holding->last = stays ? quarters - 1 : dsc_demo_number(random, holding->first, quarters - 1);
    holding->shares = dsc_demo_between(random, 1, 4000) * dsc_demo_between(random, 1, 40) * 10;
}

/* What every manager holds all the time, so that every security has a holder: the newest one. */
static void hold_newest(manager_t *manager, holding_t *holding, const security_t *security)
{
    make_holding(manager, holding, security);
    holding->kind = SHARES;
    holding->first = 0;
    holding->last = manager->book->quarter_count - 1;
}

static int least(int one, int other)
{
    return one < other ? one : other;
}

/* A few are large, most are small. `known`: securities there are to choose from. */
static void make_portfolio(manager_t *manager, int known)
{
    const apr_array_header_t *securities = manager->book->securities;
    int there = least(known, WINDOW);
    int most = least(there, PORTFOLIO_LIMIT);
    int count = dsc_demo_number(&manager->random, 1, dsc_demo_number(&manager->random, 1, most));
    int step = there / count;
    manager->holdings = apr_pcalloc(manager->issuer.pool, sizeof(holding_t) * (size_t)count);
    manager->holding_count = count;
    for (int i = 0; i < count; i++) {
        int place = known - there + i * step + dsc_demo_number(&manager->random, 0, step - 1);
        make_holding(manager, &manager->holdings[i],
                     APR_ARRAY_IDX(securities, place, const security_t *));
    }
    hold_newest(manager, &manager->holdings[count - 1],
                APR_ARRAY_IDX(securities, known - 1, const security_t *));
}

static int is_held(const holding_t *holding, int quarter)
{
    return quarter >= holding->first && quarter <= holding->last &&
           holding->security->prices[quarter] > 0 && holding->shares > 0;
}

static void trade(manager_t *manager)
{
    for (int i = 0; i < manager->holding_count; i++) {
        holding_t *holding = &manager->holdings[i];
        holding->shares += holding->shares / 100 * dsc_demo_between(&manager->random, -20, 25);
    }
}

/* --------------------------------------------------------------------- records */

/* Values were in thousands of dollars until the form changed on 3 January 2023 (Release
 * 34-95148). */
static int64_t value_factor(const filing_t *filing)
{
    return filing->day < dsc_day(2023, 1, 3) ? 1000 : 1;
}

/* In the unit of the form, rounded. */
static int64_t value_filed(const filing_t *filing, const holding_t *holding, int64_t shares)
{
    int64_t unit = DSC_DEMO_PRICE_SCALE * value_factor(filing);
    return (shares * holding->security->prices[filing->quarter] + unit / 2) / unit;
}

static int is_filed(const filing_t *filing, const holding_t *holding, int place)
{
    int set_apart = filing->omits != 0 && place % 5 == 0;
    return is_held(holding, filing->quarter) && (filing->omits < 0 ? set_apart : !set_apart);
}

static int64_t shares_filed(const filing_t *filing, const holding_t *holding, int place, int part)
{
    int64_t shares = filing->mistaken && place == 0 ? holding->shares * 10 : holding->shares;
    return !holding->split ? shares : part == 0 ? shares / 3 : shares - shares / 3;
}

static const char *accession_of(const manager_t *manager, const filing_t *filing)
{
    int year, month, day;
    dsc_day_date(filing->day, &year, &month, &day);
    return apr_psprintf(manager->issuer.pool, "%s-%02d-%06d", manager->issuer.cik, year % 100,
                        filing->quarter * 4 + filing->number + 1);
}

static void begin(manager_t *manager, const filing_t *filing, const dsc_dataset_t *dataset,
                  const char *record_key)
{
    dsc_demo_writer_t *writer = manager->writer;
    const char *accession = accession_of(manager, filing);
    apr_pool_t *pool = manager->issuer.pool;
    int second = 8 * HOUR + (manager->number * 37 + filing->quarter * 1009) % (9 * HOUR);
    dsc_demo_begin(writer, dataset, &manager->issuer, record_key ? record_key : accession);
    writer->record.known_at =
        dsc_eastern_to_utc(pool,
                           apr_psprintf(pool, "%s %02d:%02d:%02d", dsc_day_text(pool, filing->day),
                                        second / HOUR, second % HOUR / 60, second % 60));
    writer->record.provenance.accession = accession;
    writer->record.provenance.extracted_at = writer->record.known_at;
    writer->record.provenance.url = dsc_demo_filing_url(&manager->issuer, accession, NULL);
    dsc_demo_set_day(writer, "period_of_report", manager->book->quarters[filing->quarter]);
    dsc_demo_set_day(writer, "filing_date", filing->day);
}

static void set_security(dsc_demo_writer_t *writer, const holding_t *holding)
{
    const security_t *security = holding->security;
    const char *stem = holding->kind == UNLISTED ? "9999" : security->cusip;
    dsc_demo_set(writer, "issuer_title",
                 holding->kind == UNLISTED ? "NOWHERE ESTATES" : security->issuer_title);
    dsc_demo_set(writer, "class_title",
                 holding->kind == NOTE ? "NOTE 2.500% 6/1" : security->class_title);
    dsc_demo_set(writer, "cusip",
                 holding->kind == NOTE ? security->note_cusip
                 : holding->kind == UNLISTED
                     ? apr_psprintf(writer->pool, "%s%05d", stem, security->company)
                     : stem);
    dsc_demo_set(writer, "put_call",
                 holding->kind == PUT    ? "Put"
                 : holding->kind == CALL ? "Call"
                                         : NULL);
}

static void write_position(manager_t *manager, const filing_t *filing, int place, int part, int row)
{
    const holding_t *holding = &manager->holdings[place];
    dsc_demo_writer_t *writer = manager->writer;
    int64_t shares = shares_filed(filing, holding, place, part);
    int64_t value = value_filed(filing, holding, shares);
    begin(manager, filing, &dsc_dataset_institution_position,
          apr_psprintf(manager->issuer.pool, "%s/%d", accession_of(manager, filing), row));
    set_security(writer, holding);
    dsc_demo_set_integer(writer, "row_number", row);
    dsc_demo_set_integer(writer, "value_as_filed", value);
    dsc_demo_set_integer(writer, "value", value * value_factor(filing));
    if (value_factor(filing) != 1) {
        dsc_demo_set(writer, "value_scale", "thousands, multiplied by 1000");
    }
    dsc_demo_set(writer, "shares_type", holding->kind == NOTE ? "PRN" : "SH");
    dsc_demo_set_integer(writer, holding->kind == NOTE ? "principal_amount" : "shares", shares);
    dsc_demo_set(writer, "investment_discretion", holding->split ? "DFND" : "SOLE");
    dsc_demo_set(writer, "other_managers", !holding->split ? NULL : part == 0 ? "{1}" : "{1,2}");
    dsc_demo_set_integer(writer, "voting_sole", shares);
    dsc_demo_set(writer, "voting_shared", "0");
    dsc_demo_set(writer, "voting_none", "0");
    dsc_demo_end(writer);
}

static void write_report(manager_t *manager, const filing_t *filing, int rows, int64_t total)
{
    dsc_demo_writer_t *writer = manager->writer;
    int is_notice = strstr(filing->form, "NT") != NULL;
    begin(manager, filing, &dsc_dataset_institution_report, NULL);
    dsc_demo_set(writer, "form", filing->form);
    dsc_demo_set(writer, "report_type", is_notice ? "notice" : "holdings");
    dsc_demo_set(writer, "amendment_type", filing->amendment_type);
    if (filing->amendment_type != NULL) {
        dsc_demo_set_integer(writer, "amendment_number", filing->number);
    }
    dsc_demo_set(writer, "manager_name", manager->issuer.name);
    dsc_demo_set(writer, "file_number",
                 apr_psprintf(manager->issuer.pool, "028-9%05d", manager->number));
    if (!is_notice) {
        dsc_demo_set_integer(writer, "table_entry_total", rows);
        dsc_demo_set_integer(writer, "table_value_total", total);
    }
    dsc_demo_set_integer(writer, "value_factor", value_factor(filing));
    dsc_demo_set(writer, "value_scale",
                 value_factor(filing) == 1 ? "dollars as filed" : "thousands, multiplied by 1000");
    dsc_demo_end(writer);
}

/* ---------------------------------------------------------------------- filing */

/* Returns the number of rows. */
static int file_report(manager_t *manager, const filing_t *filing)
{
    int rows = 0;
    int64_t total = 0;
    for (int i = 0; i < manager->holding_count; i++) {
        const holding_t *holding = &manager->holdings[i];
        if (!is_filed(filing, holding, i)) {
            continue;
        }
        for (int part = 0; part <= holding->split; part++) {
            write_position(manager, filing, i, part, ++rows);
            total += value_filed(filing, holding, shares_filed(filing, holding, i, part));
        }
    }
    write_report(manager, filing, rows, total);
    return rows;
}

/* Most managers wait for the last days before the deadline. */
static int filing_day(manager_t *manager, int quarter)
{
    int early = dsc_demo_chance(&manager->random, 20);
    int days = DEADLINE - (early ? dsc_demo_number(&manager->random, 4, 30)
                                 : dsc_demo_number(&manager->random, 0, 3));
    return dsc_business_day(manager->book->quarters[quarter] + days);
}

/* An amendment puts right, or adds, what the first report has wrong or leaves out. */
static int amend(manager_t *manager, filing_t *filing)
{
    int restates = filing->mistaken;
    filing->day = dsc_business_day(filing->day + dsc_demo_number(&manager->random, 10, 150));
    filing->number = 1;
    filing->form = "13F-HR/A";
    filing->amendment_type = restates ? "restatement" : "new_holdings";
    filing->mistaken = 0;
    filing->omits = restates ? 0 : -1;
    if (filing->day > dsc_day(DSC_DEMO_END_YEAR, 9, 30)) {
        return 0;
    }
    return file_report(manager, filing);
}

static int file_quarter(manager_t *manager, int quarter, int gives_notice)
{
    filing_t filing = {.quarter = quarter, .form = "13F-HR"};
    int draw = dsc_demo_number(&manager->random, 1, 100), rows;
    filing.day = filing_day(manager, quarter);
    if (gives_notice) {
        filing.form = "13F-NT";
        write_report(manager, &filing, 0, 0);
        return 0;
    }
    filing.mistaken = draw <= 3;
    filing.omits = draw == 4 || draw == 5;
    rows = file_report(manager, &filing);
    return draw <= 5 ? rows + amend(manager, &filing) : rows;
}

static void write_manager(dsc_demo_writer_t *writer, dsc_demo_holdings_t *book, apr_pool_t *pool,
                          int known)
{
    static const char *const kinds[] = {"Capital Management LLC", "Asset Management LP",
                                        "Advisors Inc", "Partners LLP"};
    manager_t manager = {.writer = writer, .book = book, .number = book->managers++};
    int gives_notice = manager.number % 12 == 11;
    manager.random = dsc_demo_stream(book->options->seed, manager.number, DSC_DEMO_INSTITUTIONS);
    manager.issuer.pool = pool;
    manager.issuer.cik =
        apr_psprintf(pool, "%" APR_INT64_T_FMT, APR_INT64_C(9970000001) + manager.number);
    manager.issuer.name =
        dsc_demo_firm_name(pool, &manager.random, kinds[manager.number % DSC_COUNT(kinds)]);
    make_portfolio(&manager, known);
    for (int i = 0; i < book->quarter_count; i++) {
        book->rows += file_quarter(&manager, i, gives_notice);
        trade(&manager);
    }
}

void dsc_demo_write_institutions(dsc_demo_writer_t *writer, dsc_demo_holdings_t *book,
                                 apr_pool_t *pool, int company)
{
    apr_int64_t wanted = (apr_int64_t)book->options->positions * (company + 1);
    int known = APR_ARRAY_IDX(book->counts, company, int);
    if (known < 4 || book->quarter_count == 0) {
        return; /* too little to choose from yet */
    }
    while (book->rows < wanted && writer->status == APR_SUCCESS) {
        write_manager(writer, book, pool, known);
        apr_pool_clear(pool);
    }
}
