/* Members of a congress that does not exist, and what they trade. */
#include "ctl/demo.h"
#include "datasets/datasets.h"
#include "sources/congress/politician_name.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEMBERS = 60,
    SENATORS = 20,
    ROWS_IN_REPORT = 3,
    FIRST_STREAM = 3 * DSC_DEMO_COMPANY_LIMIT /* of random numbers, above those of companies */
};

typedef struct {
    const char *slug, *party, *state_district, *first, *last, *name;
    int is_house;
} member_t;

/* One row of a report. */
typedef struct {
    const char *ticker, *asset, *asset_type, *type, *amount, *owner, *comment;
    int day;
} trade_t;

typedef struct {
    const member_t *member;
    const char *id, *amends;
    int day; /* of filing */
    int is_paper, count;
    trade_t trades[ROWS_IN_REPORT];
} report_t;

/* No state has these codes. */
static const char *const states[] = {"QX", "ZW", "XJ", "QZ", "JX", "VQ", "WZ", "XQ"};
static const char *const parties[] = {"Lantern", "Orchard", "Lantern", "Orchard", NULL};
static const char *const owners[] = {"self", "spouse", "joint", "child"};
static const char *const types[] = {"purchase", "purchase", "sale", "sale_partial", "exchange"};
static const char *const amounts[] = {"$1,001 - $15,000",       "$1,001 - $15,000",
                                      "$1,001 - $15,000",       "$15,001 - $50,000",
                                      "$50,001 - $100,000",     "$100,001 - $250,000",
                                      "$1,000,001 - $5,000,000"};

#define PICK(random, list) ((list)[dsc_demo_number((random), 0, DSC_COUNT(list) - 1)])

/* ----------------------------------------------------------------------- members */

static member_t make_member(apr_pool_t *pool, uint64_t seed, int number, int attempt)
{
    dsc_demo_random_t random =
        dsc_demo_stream(seed, FIRST_STREAM + attempt * MEMBERS + number, DSC_DEMO_PEOPLE);
    dsc_politician_name_t name;
    member_t member;
    memset(&member, 0, sizeof(member));
    member.is_house = number >= SENATORS;
    member.name = dsc_demo_person_name(pool, &random, NULL);
    member.state_district = PICK(&random, states);
    if (member.is_house) {
        member.state_district =
            apr_psprintf(pool, "%s%02d", member.state_district, dsc_demo_number(&random, 1, 30));
    }
    member.party = PICK(&random, parties);
    if (!dsc_politician_name(pool, member.name, &name)) {
        abort(); /* all of them have a surname */
    }
    member.first = name.first;
    member.last = name.last;
    member.slug = dsc_politician_slug(pool, &name, member.is_house, member.state_district);
    return member;
}

/* All members, no two with the same slug. */
static const member_t *make_members(apr_pool_t *pool, uint64_t seed)
{
    member_t *members = apr_palloc(pool, sizeof(*members) * MEMBERS);
    for (int i = 0; i < MEMBERS; i++) {
        int attempt = 0, other = -1;
        while (other < i) {
            members[i] = make_member(pool, seed, i, attempt++);
            for (other = 0; other < i && strcmp(members[other].slug, members[i].slug) != 0;
                 other++) {
            }
        }
    }
    return members;
}

/* ----------------------------------------------------------------------- reports */

static const char *report_id(const dsc_demo_company_t *company, const report_t *report, int number)
{
    int serial = company->index * 64 + number;
    return report->member->is_house
               ? apr_psprintf(company->pool, "9%07d", serial)
               : apr_psprintf(company->pool, "00000000-0000-4000-8000-%012d", serial);
}

static trade_t make_trade(const dsc_demo_company_t *company, dsc_demo_random_t *random, int day)
{
    trade_t trade;
    memset(&trade, 0, sizeof(trade));
    trade.day = day;
    trade.type = PICK(random, types);
    trade.amount = PICK(random, amounts);
    trade.owner = PICK(random, owners);
    if (dsc_demo_chance(random, 12)) {
        trade.asset =
            apr_psprintf(company->pool, "%s Harbor District Revenue Bond 4.0%% 2041",
                         dsc_demo_stem(company->pool, company->options->seed, company->index));
        trade.asset_type = "Municipal Security";
        return trade;
    }
    trade.ticker = company->ticker;
    trade.asset = apr_pstrcat(company->pool, company->name, " - Common Stock", NULL);
    trade.asset_type = "Stock";
    trade.comment = dsc_demo_chance(random, 10) ? "Dividend reinvestment" : NULL;
    return trade;
}

/* Filed up to two months after the first transaction, mostly within the 45 days that the law
 * gives. */
static report_t make_report(const dsc_demo_company_t *company, dsc_demo_random_t *random,
                            const member_t *members, int number)
{
    int first_day =
        dsc_business_day(dsc_demo_number(random, company->first_day, company->last_day - 90));
    report_t report;
    memset(&report, 0, sizeof(report));
    report.member = &members[dsc_demo_number(random, 0, MEMBERS - 1)];
    report.is_paper = dsc_demo_chance(random, 4);
    report.count = report.is_paper ? 1 : dsc_demo_number(random, 1, ROWS_IN_REPORT);
    report.day = dsc_business_day(first_day + dsc_demo_number(random, 8, 60));
    for (int i = 0; i < report.count; i++) {
        report.trades[i] = make_trade(company, random, first_day + dsc_demo_number(random, 0, 6));
    }
    report.id = report_id(company, &report, number);
    return report;
}

/* ----------------------------------------------------------------------- records */

static void begin(dsc_demo_writer_t *writer, const dsc_dataset_t *dataset,
                  const dsc_demo_company_t *company, const member_t *member, const char *key)
{
    dsc_demo_begin(writer, dataset, company, key);
    writer->record.cik = NULL;
    writer->record.party = apr_pstrcat(company->pool, "politician/", member->slug, NULL);
    writer->record.issuer_name = member->name;
    writer->record.provenance.url =
        apr_pstrcat(company->pool, "https://congress.example/", key, NULL);
}

static void write_row(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                      const report_t *report, int row)
{
    const trade_t *trade = &report->trades[row];
    const char *chamber = report->member->is_house ? "house" : "senate";
    begin(writer, &dsc_dataset_congress_trade, company, report->member,
          apr_psprintf(company->pool, "%s/%s/%d", chamber, report->id, row + 1));
    writer->record.known_on = dsc_day_text(company->pool, report->day);
    writer->record.provenance.extracted_at =
        apr_pstrcat(company->pool, writer->record.known_on, "T00:00:00Z", NULL);
    writer->record.provenance.url =
        apr_pstrcat(company->pool, "https://congress.example/", chamber, "/", report->id, NULL);
    dsc_demo_set(writer, "chamber", chamber);
    dsc_demo_set(writer, "report_id", report->id);
    dsc_demo_set_integer(writer, "row_number", row + 1);
    dsc_demo_set(writer, "amends", report->amends);
    dsc_demo_set(writer, "first_name", report->member->first);
    dsc_demo_set(writer, "last_name", report->member->last);
    dsc_demo_set_day(writer, "filing_date", report->day);
    dsc_demo_set(writer, "filing_date_basis", "stated");
    dsc_demo_set(writer, "transaction_type", report->is_paper ? "unknown" : trade->type);
    if (report->member->is_house) {
        dsc_demo_set(writer, "state_district", report->member->state_district);
    }
    if (!report->is_paper) {
        dsc_demo_set(writer, "ticker", trade->ticker);
        dsc_demo_set(writer, "asset_name", trade->asset);
        dsc_demo_set(writer, "asset_type", trade->asset_type);
        dsc_demo_set(writer, "amount_range", trade->amount);
        dsc_demo_set(writer, "owner", trade->owner);
        dsc_demo_set(writer, "comment", trade->comment);
        dsc_demo_set_day(writer, "transaction_date", trade->day);
    }
    dsc_demo_end(writer);
}

static void write_report(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                         const report_t *report)
{
    for (int i = 0; i < report->count; i++) {
        write_row(writer, company, report, i);
    }
}

/* Some weeks later a report is filed anew, with another amount. */
static void write_amendment(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                            const report_t *original, int number)
{
    report_t report = *original;
    report.day = dsc_business_day(original->day + 20);
    report.amends = original->id;
    report.id = report_id(company, &report, number);
    report.trades[0].amount = "$250,001 - $500,000";
    write_report(writer, company, &report);
}

/* Known since the first company was: what no report says of its filer. */
static void write_members(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                          const member_t *members)
{
    for (int i = 0; i < MEMBERS; i++) {
        begin(writer, &dsc_dataset_politician, company, &members[i], "profile");
        writer->record.known_at = "2010-01-03T17:00:00Z";
        writer->record.provenance.extracted_at = writer->record.known_at;
        dsc_demo_set(writer, "first_name", members[i].first);
        dsc_demo_set(writer, "last_name", members[i].last);
        dsc_demo_set(writer, "chamber", members[i].is_house ? "house" : "senate");
        dsc_demo_set(writer, "political_party", members[i].party);
        dsc_demo_set(writer, "state_district", members[i].state_district);
        dsc_demo_set(writer, "reported_on", "2010-01-03");
        dsc_demo_end(writer);
    }
}

void dsc_demo_write_congress(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    dsc_demo_random_t random = dsc_demo_company_stream(company, DSC_DEMO_CONGRESS);
    const member_t *members = make_members(company->pool, company->options->seed);
    int count = dsc_demo_number(&random, 1, 4) * company->options->years / 2 + 1;
    if (company->index == 0) {
        write_members(writer, company, members);
    }
    for (int i = 0; i < count && company->last_day - company->first_day > 180; i++) {
        report_t report = make_report(company, &random, members, 2 * i);
        write_report(writer, company, &report);
        if (!report.is_paper && report.day + 30 < company->last_day &&
            dsc_demo_chance(&random, 8)) {
            write_amendment(writer, company, &report, 2 * i + 1);
        }
    }
}
