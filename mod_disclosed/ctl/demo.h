/* The demo universe: companies that do not exist, made from a seed, one after the other. What a
 * company is depends on the seed, the years and its own number alone, never on the day or on how
 * many companies there are. */
#ifndef DSC_DEMO_H
#define DSC_DEMO_H

#include "ctl/command.h"
#include "datasets/registry.h"
#include "engine/calendar.h"
#include "formats/market_date.h"
#include "loader/loader.h"

#include <apr_tables.h>
#include <stdint.h>

enum {
    DSC_DEMO_END_YEAR = 2026,     /* the universe ends on 30 September of it */
    DSC_DEMO_PRICE_SCALE = 10000, /* prices and values count ten-thousandths of a US dollar */
    DSC_DEMO_COMPANY_LIMIT = 50000
};

typedef struct {
    uint64_t seed;
    int companies;
    int years;
    int insider_rows; /* of each company that reports insiders, on average */
    int texts;        /* companies whose documents are stored as text: the first ones */
    int positions;    /* rows of 13F information tables for each company, on average */
} dsc_demo_options_t;

/* ------------------------------------------------------------- demo_remove.c */

/* Takes the demo data out of the database; returns the exit code. */
int dsc_demo_remove(const dsc_context_t *context);

/* ------------------------------------------------------------- demo_random.c */

typedef struct {
    uint64_t state;
} dsc_demo_random_t;

/* Each purpose draws from a stream of its own, so that a change in one leaves the others alone. */
typedef enum {
    DSC_DEMO_FACTS = 1,
    DSC_DEMO_PRICES,
    DSC_DEMO_RESULTS,
    DSC_DEMO_PEOPLE,
    DSC_DEMO_FILINGS,
    DSC_DEMO_INSIDERS,
    DSC_DEMO_INSTITUTIONS,
    DSC_DEMO_NOTICES,
    DSC_DEMO_SHORTS = 21,
    DSC_DEMO_ACTIONS = 22,
    DSC_DEMO_HOLDINGS = 23,
    DSC_DEMO_CONGRESS = 24
} dsc_demo_purpose_t;

dsc_demo_random_t dsc_demo_stream(uint64_t seed, int company, dsc_demo_purpose_t purpose);

/* A number of low..high, both included; the range is below 2^32. */
int64_t dsc_demo_between(dsc_demo_random_t *random, int64_t low, int64_t high);
int dsc_demo_number(dsc_demo_random_t *random, int low, int high);
int dsc_demo_chance(dsc_demo_random_t *random, int percent);

/* ----------------------------------------------------------- demo_calendar.c */

/* Seconds of a day's times. */
enum {
    MINUTE = 60,
    HOUR = 3600
};

const char *dsc_demo_long_date(apr_pool_t *pool, int day); /* May 2, 2024 */

/* A day and seconds in New York as UTC. */
const char *dsc_demo_time(apr_pool_t *pool, int day, int second);

/* --------------------------------------------------------------- demo_name.c */

const char *dsc_demo_stem(apr_pool_t *pool, uint64_t seed, int company); /* Zorvex */
const char *dsc_demo_person_name(
    apr_pool_t *pool, dsc_demo_random_t *random,
    const char **as_filed); /* Ondra K. Mistlemoor; as filed, surname first */
const char *dsc_demo_firm_name(apr_pool_t *pool, dsc_demo_random_t *random, const char *kind);
const char *dsc_demo_upper(apr_pool_t *pool, const char *text);
const char *dsc_demo_lower(apr_pool_t *pool, const char *text);

/* ------------------------------------------------------------ demo_company.c */

typedef enum {
    DSC_DEMO_OPERATING, /* reports under the Exchange Act as a domestic issuer */
    DSC_DEMO_FOREIGN,   /* a foreign private issuer: 20-F and 6-K, no Section 16 reports */
    DSC_DEMO_FUND       /* an exchange-traded or closed-end fund */
} dsc_demo_kind_t;

typedef struct {
    const char *sic, *sic_description, *suffix, *trade;
} dsc_demo_industry_t;

typedef struct {
    const char *code, *exchange, *country, *state, *currency;
} dsc_demo_market_t;

/* Filer categories and their deadlines in days after the period's end (Forms 10-K and 10-Q,
 * general instruction A). */
typedef struct {
    const char *category;
    int annual_days, quarter_days;
    int64_t revenue_low, revenue_high; /* of a quarter, in thousands */
} dsc_demo_size_t;

/* One fiscal quarter; amounts in thousands of the reporting currency. */
typedef struct {
    int end_day, fiscal_year, number;
    int64_t revenue, cost, expenses, tax;
    int64_t shares; /* thousands, diluted */
} dsc_demo_quarter_t;

enum {
    DSC_DEMO_UPDATES_PROFILE = 1,
    DSC_DEMO_UPDATES_LISTING = 2,
    DSC_DEMO_ENDS_LISTING = 4,
    DSC_DEMO_HAS_RELEASE = 8,
    DSC_DEMO_HAS_TEXT = 16
};

typedef struct {
    const char *form;
    int day, second; /* filing date; acceptance, seconds of that day in New York */
    int period;      /* day; 0: none */
    unsigned flags;
    const char *title, *items, *document;
    int quarter; /* index of the quarter that it reports; -1: none */
    int order;   /* of making: decides between filings of one second */
    int64_t size;
    const char *subject;                       /* 8-K: what the item's text says */
    const char *accession, *accepted_at, *url; /* set when all filings of the company are known */
} dsc_demo_filing_t;

typedef struct {
    const char *role, *relationship;
    int rank;
    int is_officer, is_owner;
} dsc_demo_role_t;

/* A grant of options: units left, exercise price in price units, days. */
typedef struct {
    int64_t units, strike;
    int exercise_day, expiration_day;
} dsc_demo_option_t;

enum {
    DSC_DEMO_OPTION_LIMIT = 6
};

typedef struct {
    const char *cik, *name, *as_filed;
    const dsc_demo_role_t *role;
    int join_day, leave_day;          /* leave_day 0: still there */
    dsc_demo_filing_t *joined, *left; /* what reported it */
    const char *joint_owners;         /* array literal, or NULL */
    int64_t direct, trust, restricted, preferred, warrants;
    int64_t warrant_strike;
    int warrant_expiration;
    dsc_demo_option_t options[DSC_DEMO_OPTION_LIMIT];
    int option_count;
    int next_free_day; /* first day on which the next report may begin */
} dsc_demo_person_t;

typedef struct {
    const dsc_demo_options_t *options;
    apr_pool_t *pool;
    int index;
    dsc_demo_kind_t kind;
    const char *cik, *ticker, *name, *former_name, *share_title;
    const dsc_demo_industry_t *industry; /* NULL: a fund */
    const dsc_demo_market_t *market;
    const dsc_demo_size_t *size;
    int fiscal_month;         /* in which the fiscal year ends */
    int first_day, last_day;  /* of what is known about it */
    int is_new;               /* came to the market on first_day */
    int rename_day;           /* 0: never */
    const char *final_status; /* of its listings */
    int is_etf, two_classes, has_adr;
    int listed_day;
    int64_t *prices; /* of a share, by day from first_day */
    dsc_demo_quarter_t *quarters;
    int quarter_count;
    apr_array_header_t *people;  /* dsc_demo_person_t * */
    apr_array_header_t *filings; /* dsc_demo_filing_t * */
    apr_array_header_t *reports; /* dsc_demo_report_t * */
} dsc_demo_company_t;

/* Whether company `index` reports insiders. */
int dsc_demo_reports_insiders(int index);

/* Makes the whole company: facts, prices, results, people, filings, insiders' reports. */
dsc_demo_company_t *dsc_demo_company(apr_pool_t *pool, const dsc_demo_options_t *options,
                                     int index);
/* The same company's facts and prices alone: no results, people, filings or reports. */
dsc_demo_company_t *dsc_demo_outline(apr_pool_t *pool, const dsc_demo_options_t *options,
                                     int index);
const char *dsc_demo_isin(const dsc_demo_company_t *company); /* of its first listing */
const char *dsc_demo_lei(const dsc_demo_company_t *company);
dsc_demo_random_t dsc_demo_company_stream(const dsc_demo_company_t *company,
                                          dsc_demo_purpose_t purpose);
/* A stream for a dataset's rows of a company, by the dataset's name: no purpose needs to be listed
 * for it. */
dsc_demo_random_t dsc_demo_dataset_stream(const dsc_demo_company_t *company,
                                          const dsc_dataset_t *dataset);

/* The CUSIP of a class of its shares (0, 1) or of its depositary receipts (1); NULL: none. */
const char *dsc_demo_cusip(const dsc_demo_company_t *company, int class);

/* ------------------------------------------------------------ demo_finance.c */

void dsc_demo_make_prices(dsc_demo_company_t *company);
void dsc_demo_make_results(dsc_demo_company_t *company);
int64_t dsc_demo_price(const dsc_demo_company_t *company, int day);
int64_t dsc_demo_net_income(const dsc_demo_quarter_t *quarter);
/* The fiscal year that ends with quarter `index`, as one period; 0 when it is not whole. */
int dsc_demo_year(const dsc_demo_company_t *company, int index, dsc_demo_quarter_t *year);
/* At the end of the last fiscal year that ended by `day`. */
int64_t dsc_demo_employees(const dsc_demo_company_t *company, int day);

/* ------------------------------------------------------------- demo_people.c */

void dsc_demo_make_people(dsc_demo_company_t *company);

typedef struct {
    const char *name, *firm;
} dsc_demo_contact_t;

/* Whom investors call, of dsc_demo_contact_t: the first is the company's, the others are
 * analysts. */
apr_array_header_t *dsc_demo_contacts(const dsc_demo_company_t *company);

/* ------------------------------------------------------------- demo_filing.c */

/* Files on the first business day on or after `day`; NULL when that is outside the company's days.
 * The caller may change what the filing says until dsc_demo_number_filings(). */
dsc_demo_filing_t *dsc_demo_file(dsc_demo_company_t *company, dsc_demo_random_t *random,
                                 const char *form, int day, int period);
void dsc_demo_make_filings(dsc_demo_company_t *company);
/* Puts the filings in order of acceptance and gives them accession numbers. */
void dsc_demo_number_filings(dsc_demo_company_t *company);

/* --------------------------------------- demo_insider.c and demo_transaction.c */

typedef struct {
    const char *code;
    char acquired_disposed;
    int is_derivative, is_indirect;
    const char *title;
    int day;
    int64_t shares, after;
    int64_t price;                    /* -1: not stated */
    int64_t strike;                   /* -1: none */
    int exercise_day, expiration_day; /* 0: none */
    const char *underlying;           /* NULL: none; as many underlying shares as units */
    const char *footnote;             /* NULL: none */
    const char *footnote_field;       /* what it stands on */
} dsc_demo_transaction_t;

typedef struct {
    dsc_demo_filing_t *filing;
    dsc_demo_person_t *person;
    int original_day; /* amendments: filing date of the original */
    int is_late;
    const char *rule_10b5_1;      /* t, f or NULL */
    apr_array_header_t *rows;     /* dsc_demo_transaction_t */
    apr_array_header_t *holdings; /* dsc_demo_transaction_t, of which `after` counts */
} dsc_demo_report_t;

dsc_demo_report_t *dsc_demo_report(dsc_demo_company_t *company, dsc_demo_person_t *person);
void dsc_demo_make_insiders(dsc_demo_company_t *company);

/* Adds the transactions of one event on `day` to the report and changes the person's balances;
 * returns how many there are, 0 when nothing fits the person. */
int dsc_demo_transact(dsc_demo_company_t *company, dsc_demo_random_t *random,
                      dsc_demo_report_t *report, int day);
void dsc_demo_hold(const dsc_demo_company_t *company, dsc_demo_report_t *report, int trust_only);

/* --------------------------------------------------------------- demo_text.c */

typedef struct {
    const char *text;
    const char *sections; /* JSON */
} dsc_demo_text_t;

/* The main document of a filing with DSC_DEMO_HAS_TEXT. */
dsc_demo_text_t dsc_demo_document(const dsc_demo_company_t *company,
                                  const dsc_demo_filing_t *filing);
/* EX-99.1 (number 1) or EX-99.2 (2) of a filing with DSC_DEMO_HAS_RELEASE. */
const char *dsc_demo_exhibit(const dsc_demo_company_t *company, const dsc_demo_filing_t *filing,
                             int number);
const char *dsc_demo_description(const dsc_demo_company_t *company);
/* How the quarter went against the year before, in two sentences. */
const char *dsc_demo_performance(const dsc_demo_company_t *company, int quarter);
const char *dsc_demo_quarter_name(const dsc_demo_quarter_t *quarter); /* Second Quarter */

/* -------------------------------- demo_document.c, demo_transcript.c, demo_event.c */

/* Whether decks, releases and reports of the company are stored. */
int dsc_demo_has_documents(const dsc_demo_company_t *company);
int dsc_demo_has_transcripts(const dsc_demo_company_t *company);
/* When the call about a release begins, UTC. */
const char *dsc_demo_call_time(const dsc_demo_company_t *company, const dsc_demo_filing_t *filing);

/* ------------------------------------------------- demo_record.c and others */

/* Hands records to the loader. The first database error stays in `status`; after it all calls
 * do nothing. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool; /* of the company */
    apr_status_t status;
    const dsc_dataset_t *dataset;
    const char **values;
    dsc_load_record_t record;
} dsc_demo_writer_t;

void dsc_demo_begin(dsc_demo_writer_t *writer, const dsc_dataset_t *dataset,
                    const dsc_demo_company_t *company, const char *record_key);
/* The address of a filing's document; NULL: of its index. */
const char *dsc_demo_filing_url(const dsc_demo_company_t *company, const char *accession,
                                const char *document);

/* Says that the record comes from this filing; NULL: known since the company's first day. */
void dsc_demo_source(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                     const dsc_demo_filing_t *filing);
/* Says that the record is the company's own and was published at an address of its site then. */
void dsc_demo_publish(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                      const char *known_at, const char *address);
void dsc_demo_set(dsc_demo_writer_t *writer, const char *column, const char *text);
void dsc_demo_set_integer(dsc_demo_writer_t *writer, const char *column, int64_t value);
void dsc_demo_set_flag(dsc_demo_writer_t *writer, const char *column, int value);
void dsc_demo_set_day(dsc_demo_writer_t *writer, const char *column, int day); /* 0: NULL */
/* Price units as an exact decimal without trailing zeros; negative: NULL. */
void dsc_demo_set_money(dsc_demo_writer_t *writer, const char *column, int64_t units);
void dsc_demo_end(dsc_demo_writer_t *writer);

#define DECLARE_WRITER(name)                                                                       \
    void dsc_demo_write_##name(dsc_demo_writer_t *writer, const dsc_demo_company_t *company);
DSC_TABLES(DSC_NO_TABLE, DSC_NO_TABLE, DECLARE_WRITER)

/* -------------------------------------------------------- demo_institution.c */

/* What managers can hold of the companies so far, and how much they do. */
typedef struct dsc_demo_holdings_t dsc_demo_holdings_t;

dsc_demo_holdings_t *dsc_demo_holdings(apr_pool_t *pool, const dsc_demo_options_t *options);

/* Notes what can be held of the company; companies are taken in their order. */
void dsc_demo_add_securities(dsc_demo_holdings_t *book, const dsc_demo_company_t *company);

/* Writes the managers that come with company `company`, which has been noted: as many as bring the
 * positions of all companies so far to what the options ask for. Clears the pool. */
void dsc_demo_write_institutions(dsc_demo_writer_t *writer, dsc_demo_holdings_t *book,
                                 apr_pool_t *pool, int company);

#endif
