/* Short interest in the shares that trade in the United States. */
#include "ctl/demo.h"
#include "datasets/datasets.h"

#include <apr_strings.h>

enum {
    PUBLICATION_DAYS = 8, /* business days after the settlement date */
    FULL_VOLUME = 10000   /* ten-thousandths */
};

/* A listing whose shares are held short. */
typedef struct {
    const char *ticker, *symbol_code;
    int64_t shares;       /* outstanding */
    int64_t position;     /* short, on the settlement date before */
    int share_of_short;   /* ten-thousandths of the shares, now */
    int is_seldom_traded; /* at times not at all */
    int revised_cycle;    /* in which the position before is revised; 0: never */
} listing_t;

/* The middle and the end of each month, or the business day before. */
static int settlement_after(int day)
{
    int year, month, day_of_month, settlement;
    dsc_day_date(day, &year, &month, &day_of_month);
    for (;;) {
        int month_end = dsc_month_end(year, month);
        int candidates[] = {dsc_day(year, month, 15), month_end};
        for (int i = 0; i < DSC_COUNT(candidates); i++) {
            for (settlement = candidates[i]; dsc_business_day(settlement) != settlement;) {
                settlement--;
            }
            if (settlement > day) {
                return settlement;
            }
        }
        month = month % 12 + 1;
        year += month == 1;
    }
}

static int64_t shares_on(const dsc_demo_company_t *company, int day)
{
    int64_t shares = company->quarters[0].shares;
    for (int i = 0; i < company->quarter_count && company->quarters[i].end_day <= day; i++) {
        shares = company->quarters[i].shares;
    }
    return shares * 1000;
}

/* Hundredths as a decimal. */
static const char *hundredths(apr_pool_t *pool, int64_t number)
{
    int64_t size = number < 0 ? -number : number;
    return apr_psprintf(pool, "%s%" APR_INT64_T_FMT ".%02d", number < 0 ? "-" : "", size / 100,
                        (int)(size % 100));
}

/* number / by, rounded half away from zero. */
static int64_t divide(int64_t number, int64_t by)
{
    return number < 0 ? -((-number + by / 2) / by) : (number + by / 2) / by;
}

/* FINRA clips days to cover to 1.00 and 999.99, and says 999.99 if nothing was traded. */
static const char *days_to_cover(apr_pool_t *pool, int64_t position, int64_t volume)
{
    int64_t days = volume == 0 ? 99999 : divide(position * 100, volume);
    return hundredths(pool, days < 100 ? 100 : days > 99999 ? 99999 : days);
}

/* Percent in hundredths; FINRA says 100.00 if the position before was 0. */
static int64_t change(int64_t position, int64_t before)
{
    return before == 0 ? 10000 : divide((position - before) * 10000, before);
}

static void write_row(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                      const listing_t *listing, int settlement, int64_t position, int64_t volume,
                      int is_revised)
{
    apr_pool_t *pool = company->pool;
    const char *date = dsc_day_text(pool, settlement);
    int published = dsc_add_business_days(settlement, PUBLICATION_DAYS);
    dsc_demo_begin(writer, &dsc_dataset_short_interest, company,
                   apr_pstrcat(pool, listing->symbol_code, "/", date, NULL));
    writer->record.known_at = apr_pstrcat(pool, dsc_day_text(pool, published), "T22:00:00Z", NULL);
    writer->record.provenance.extracted_at = writer->record.known_at;
    writer->record.provenance.url =
        apr_pstrcat(pool, "https://demo.example/short-interest/", date, NULL);
    dsc_demo_set(writer, "symbol_code", listing->symbol_code);
    dsc_demo_set(writer, "spellings", apr_pstrcat(pool, listing->ticker, ":US", NULL));
    dsc_demo_set(writer, "settlement_date", date);
    dsc_demo_set(writer, "issue_name", company->name);
    dsc_demo_set_integer(writer, "current_short_position", position);
    dsc_demo_set_integer(writer, "previous_short_position", listing->position);
    dsc_demo_set_integer(writer, "avg_daily_share_volume", volume);
    dsc_demo_set(writer, "stated_days_to_cover", days_to_cover(pool, position, volume));
    dsc_demo_set(writer, "stated_change_pct",
                 hundredths(pool, change(position, listing->position)));
    dsc_demo_set_flag(writer, "previous_revised", is_revised);
    dsc_demo_end(writer);
}

static void step(listing_t *listing, dsc_demo_random_t *random)
{
    listing->share_of_short += dsc_demo_number(random, -60, 62);
    listing->share_of_short = listing->share_of_short < 10     ? 10
                              : listing->share_of_short > 2500 ? 2500
                                                               : listing->share_of_short;
}

static void write_listing(dsc_demo_writer_t *writer, const dsc_demo_company_t *company,
                          listing_t *listing, dsc_demo_random_t *random)
{
    int settlement = settlement_after(company->first_day), cycle;
    int turnover = dsc_demo_number(random, 10, 140); /* ten-thousandths of the shares in a day */
    if (!company->is_new) {
        listing->position = shares_on(company, settlement) / listing->shares *
                            listing->share_of_short / FULL_VOLUME;
    }
    for (cycle = 1; dsc_add_business_days(settlement, PUBLICATION_DAYS) <= company->last_day;
         cycle++) {
        int64_t shares = shares_on(company, settlement) / listing->shares;
        int64_t volume = shares * turnover / FULL_VOLUME * dsc_demo_number(random, 60, 170) / 100;
        int is_revised = cycle == listing->revised_cycle && listing->position > 0;
        int64_t position;
        step(listing, random);
        position = shares * listing->share_of_short / FULL_VOLUME;
        volume = listing->is_seldom_traded && dsc_demo_chance(random, 30) ? 0 : volume;
        listing->position += is_revised ? listing->position / 50 + 1 : 0;
        write_row(writer, company, listing, settlement, position, volume, is_revised);
        listing->position = position;
        settlement = settlement_after(settlement);
    }
}

/* The second class has a fifth of the shares, depositary receipts a quarter. */
void dsc_demo_write_short_interest(dsc_demo_writer_t *writer, const dsc_demo_company_t *company)
{
    dsc_demo_random_t random = dsc_demo_company_stream(company, DSC_DEMO_SHORTS);
    apr_pool_t *pool = company->pool;
    listing_t first = {.ticker = company->ticker, .symbol_code = company->ticker, .shares = 1};
    listing_t second = {.ticker =
                            apr_pstrcat(pool, company->ticker, company->has_adr ? "Y" : "-B", NULL),
                        .symbol_code =
                            apr_pstrcat(pool, company->ticker, company->has_adr ? "Y" : "B", NULL),
                        .shares = company->has_adr ? 4 : 5};
    first.share_of_short = dsc_demo_number(&random, 50, 900);
    first.revised_cycle = company->index % 9 == 4 ? dsc_demo_number(&random, 5, 20) : 0;
    first.is_seldom_traded = company->index % 20 == 9;
    second.share_of_short = dsc_demo_number(&random, 20, 300);
    second.is_seldom_traded = 1;
    if (company->kind != DSC_DEMO_FOREIGN) {
        write_listing(writer, company, &first, &random);
    }
    if (company->two_classes || company->has_adr) {
        write_listing(writer, company, &second, &random);
    }
}
