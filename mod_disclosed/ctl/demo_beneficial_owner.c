/* Owners of more than five percent of a company: institutions that report each year on Schedule
 * 13G, a founder, and an investor with plans, on Schedule 13D. */
#include "ctl/demo.h"
#include "datasets/datasets.h"

#include <apr_strings.h>

enum {
    DAYS_OF_13G = 45, /* after the end of the year: Rule 13d-2(b) */
    DAYS_OF_13D = 5,  /* business days after the event: Rule 13d-1(a) */
    WHOLE = 10000     /* hundredths of a percent */
};

/* A filing that is being written, and who files. */
typedef struct {
    dsc_demo_writer_t *writer;
    const dsc_demo_company_t *company;
    dsc_demo_random_t random;
    const char *form, *rule, *accession, *first_accession;
    const char *known_at;
    int event_day, filing_day, amendment; /* amendment 0: the first filing */
    int count;                            /* of the company's filings so far */
} filing_t;

typedef struct {
    const char *name, *cik, *types, *citizenship;
    int share;     /* of the class, hundredths of a percent */
    int is_shared; /* powers are shared with the other persons */
} owner_t;

static int64_t shares_of(const dsc_demo_company_t *company, int day, int share)
{
    int64_t shares = company->quarters[0].shares;
    for (int i = 0; i < company->quarter_count && company->quarters[i].end_day <= day; i++) {
        shares = company->quarters[i].shares;
    }
    return shares * 1000 / WHOLE * share;
}

static const char *owner_cik(const dsc_demo_company_t *company, int number)
{
    return apr_psprintf(company->pool, "99%07d%d", company->index, number);
}

/* Begins a filing; 0 when its day is outside the company's days. */
static int file(filing_t *filing, int event_day, int filing_day)
{
    const dsc_demo_company_t *company = filing->company;
    int year, month, day;
    filing->event_day = event_day;
    filing->filing_day = dsc_business_day(filing_day);
    if (event_day < company->first_day || filing->filing_day > company->last_day) {
        return 0;
    }
    dsc_day_date(filing->filing_day, &year, &month, &day);
    filing->accession = apr_psprintf(company->pool, "0098%06d-%02d-%06d", company->index,
                                     year % 100, ++filing->count);
    filing->known_at = dsc_demo_time(company->pool, filing->filing_day,
                                     dsc_demo_number(&filing->random, 9 * HOUR, 17 * HOUR));
    if (filing->amendment == 0) {
        filing->first_accession = filing->accession;
    }
    return 1;
}

static void set_powers(const filing_t *filing, const owner_t *owner)
{
    int64_t shares = shares_of(filing->company, filing->event_day, owner->share);
    int64_t sole = owner->is_shared ? 0 : shares, shared = shares - sole;
    dsc_demo_writer_t *writer = filing->writer;
    dsc_demo_set_integer(writer, "sole_voting_power", sole);
    dsc_demo_set_integer(writer, "shared_voting_power", shared);
    dsc_demo_set_integer(writer, "sole_dispositive_power", sole);
    dsc_demo_set_integer(writer, "shared_dispositive_power", shared);
    dsc_demo_set_integer(writer, "aggregate_amount", shares);
    dsc_demo_set_flag(writer, "excludes_shares", 0);
    dsc_demo_set(writer, "percent_of_class",
                 apr_psprintf(writer->pool, "%d.%02d", owner->share / 100, owner->share % 100));
}

static void set_schedule(const filing_t *filing)
{
    dsc_demo_writer_t *writer = filing->writer;
    const char *cusip = dsc_demo_cusip(filing->company, 0);
    dsc_demo_set(writer, "form", filing->form);
    if (filing->amendment > 0) {
        dsc_demo_set_integer(writer, "amendment_number", filing->amendment);
        dsc_demo_set(writer, "previous_accession", filing->first_accession);
    }
    dsc_demo_set_day(writer, "event_date", filing->event_day);
    dsc_demo_set_day(writer, "filing_date", filing->filing_day);
    dsc_demo_set(writer, "issuer_title", filing->company->name);
    dsc_demo_set(writer, "security_title", filing->company->share_title);
    if (cusip != NULL) {
        dsc_demo_set(writer, "cusips", apr_pstrcat(writer->pool, "{", cusip, "}", NULL));
    }
    if (filing->rule != NULL) {
        dsc_demo_set(writer, "rules", apr_pstrcat(writer->pool, "{", filing->rule, "}", NULL));
    } else {
        dsc_demo_set(writer, "fund_sources", "{WC}");
        dsc_demo_set(writer, "fund_description", "The shares were bought with working capital.");
        dsc_demo_set(
            writer, "purpose",
            filing->amendment == 0
                ? "The reporting persons believe that the shares are undervalued and intend to "
                  "speak with the board of directors about strategy and capital allocation."
                : "The reporting persons have spoken with the board of directors and have no "
                  "further plans.");
    }
}

static void write_owner(const filing_t *filing, const owner_t *owner)
{
    dsc_demo_writer_t *writer = filing->writer;
    apr_pool_t *pool = filing->company->pool;
    dsc_demo_begin(writer, &dsc_dataset_beneficial_owner, filing->company,
                   apr_pstrcat(pool, filing->accession, "/", owner->name, NULL));
    writer->record.known_at = filing->known_at;
    writer->record.provenance.extracted_at = filing->known_at;
    writer->record.provenance.accession = filing->accession;
    writer->record.provenance.url = dsc_demo_filing_url(filing->company, filing->accession, NULL);
    dsc_demo_set(writer, "owner_name", owner->name);
    dsc_demo_set(writer, "owner_cik", owner->cik);
    dsc_demo_set(writer, "owner_types", owner->types);
    dsc_demo_set(writer, "citizenship", owner->citizenship);
    dsc_demo_set(writer, "group_membership", owner->is_shared ? "member" : NULL);
    dsc_demo_set(writer, "comment",
                 owner->is_shared ? "The reporting persons share voting and dispositive power."
                                  : NULL);
    set_schedule(filing);
    set_powers(filing, owner);
    dsc_demo_end(writer);
}

/* Passive owners report once, and each year what has become of it. */
static void write_passive(filing_t *filing, owner_t *owner)
{
    int year, month, day, is_first = 1;
    dsc_day_date(filing->company->first_day, &year, &month, &day);
    filing->amendment = 0;
    for (; dsc_day(year, 12, 31) <= filing->company->last_day; year++) {
        int end = dsc_day(year, 12, 31);
        filing->form = is_first ? "SCHEDULE 13G" : "SCHEDULE 13G/A";
        if (!file(filing, end, end + dsc_demo_number(&filing->random, 30, DAYS_OF_13G))) {
            continue;
        }
        write_owner(filing, owner);
        is_first = 0;
        filing->amendment++;
        owner->share += dsc_demo_number(&filing->random, -120, 130);
        owner->share = owner->share < 110 ? 110 : owner->share;
    }
}

/* A fund and the man behind it buy, amend twice, and end below five percent. */
static void write_active(filing_t *filing)
{
    const dsc_demo_company_t *company = filing->company;
    apr_pool_t *pool = company->pool;
    const char *as_filed;
    owner_t fund = {.name = dsc_demo_firm_name(pool, &filing->random, "Partners LP"),
                    .cik = owner_cik(company, 8),
                    .types = "{PN}",
                    .citizenship = "DE",
                    .is_shared = 1};
    owner_t person = {.name = dsc_demo_person_name(pool, &filing->random, &as_filed),
                      .cik = owner_cik(company, 9),
                      .types = "{IN,HC}",
                      .citizenship = "X1",
                      .is_shared = 1};
    int day = company->first_day + dsc_demo_number(&filing->random, 30, 700);
    fund.share = dsc_demo_number(&filing->random, 510, 990);
    for (filing->amendment = 0; filing->amendment < 3; filing->amendment++) {
        filing->form = filing->amendment == 0 ? "SCHEDULE 13D" : "SCHEDULE 13D/A";
        person.share = fund.share;
        if (file(filing, day, dsc_add_business_days(day, DAYS_OF_13D))) {
            write_owner(filing, &fund);
            write_owner(filing, &person);
        }
        day += dsc_demo_number(&filing->random, 60, 240);
        fund.share = filing->amendment == 0 ? fund.share + 115 : 380;
    }
}

void dsc_demo_write_beneficial_owners(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    filing_t filing = {.writer = writer,
                       .company = company,
                       .random = dsc_demo_dataset_stream(company, &dsc_dataset_beneficial_owner)};
    int institutions = dsc_demo_number(&filing.random, 2, 4);
    if (company->kind != DSC_DEMO_OPERATING || company->quarter_count == 0) {
        return;
    }
    filing.rule = "13d-1(b)";
    for (int i = 0; i < institutions; i++) {
        owner_t owner = {.name =
                             dsc_demo_firm_name(company->pool, &filing.random, "Asset Management"),
                         .cik = owner_cik(company, i),
                         .types = "{IA}",
                         .citizenship = "DE",
                         .share = dsc_demo_number(&filing.random, 505, 1190)};
        write_passive(&filing, &owner);
    }
    if (company->index % 5 == 1) {
        const char *as_filed;
        owner_t founder = {.types = "{IN}", .citizenship = "X1", .share = 1600};
        founder.name = dsc_demo_person_name(company->pool, &filing.random, &as_filed);
        filing.rule = "13d-1(d)";
        write_passive(&filing, &founder);
    }
    filing.rule = NULL;
    if (company->index % 3 == 0) {
        write_active(&filing);
    }
}
