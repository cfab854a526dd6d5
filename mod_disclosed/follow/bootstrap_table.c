/* The archives that fill an empty database: a new one is a row here, and an importer. Their
 * addresses are those that the SEC's pages list, because folders and file names have changed more
 * than once. */
#include "follow/follow_table.h"

#include <stddef.h>

#define SEC   "https://www.sec.gov"
#define PAGES SEC "/data-research/sec-markets-data"

enum {
    DAY = 86400
};

/* Larger than any is: a server that never ends is not believed. */
#define MOST ((apr_int64_t)32 << 30)
#define KIND(name_, importer_, is_one_)                                                            \
    {                                                                                              \
        {.kind = (name_),                                                                          \
         .body = DSC_BODY_ZIP,                                                                     \
         .importers = {(importer_)},                                                               \
         .most = MOST,                                                                             \
         .is_one = (is_one_)},                                                                     \
            {0},                                                                                   \
    }
#define PAGE(url_, names_)                                                                         \
    {                                                                                              \
        {.name = "page",                                                                           \
         .url = PAGES url_,                                                                        \
         .body = DSC_BODY_PAGE,                                                                    \
         .again = DAY,                                                                             \
         .pages = 1,                                                                               \
         .read = dsc_follow_read_data_sets,                                                        \
         .names = (names_),                                                                        \
         .moves = 1},                                                                              \
            {0},                                                                                   \
    }
#define DAILY(url_)                                                                                \
    {                                                                                              \
        {.kind = "archive", .url = SEC "/Archives/edgar/daily-index" url_}, {0},                   \
    }

static const dsc_follow_kind_t submissions[] = KIND("archive", "sec-submissions", 0);
static const dsc_follow_file_t submissions_file[] = DAILY("/bulkdata/submissions.zip");

static const dsc_follow_kind_t companyfacts[] = KIND("archive", "sec-companyfacts", 0);
static const dsc_follow_file_t companyfacts_file[] = DAILY("/xbrl/companyfacts.zip");

static const dsc_follow_kind_t statements[] = KIND("data-set", "sec-financial-statements", 1);
static const dsc_follow_listing_t statements_page[] = PAGE("/financial-statement-data-sets", "");

static const dsc_follow_kind_t insiders[] = KIND("data-set", "sec-ownership", 1);
static const dsc_follow_listing_t insiders_page[] =
    PAGE("/insider-transactions-data-sets", "_form345");

static const dsc_follow_kind_t managers[] = KIND("data-set", "sec-13f", 1);
static const dsc_follow_listing_t managers_page[] = PAGE("/form-13f-data-sets", "_form13f");

static const dsc_follow_kind_t funds[] = KIND("data-set", "sec-nport", 1);
static const dsc_follow_listing_t funds_page[] = PAGE("/form-n-port-data-sets", "_nport");

/* In the order in which they are loaded: companies and filings first, because the others look them
 * up. */
const dsc_follow_source_t dsc_bootstrap_sources[] = {
    {.name = "sec-submissions",
     .about = "submissions.zip: companies, former names, listings, all filings",
     .request_limit = &dsc_request_limit_sec,
     .files = submissions_file,
     .kinds = submissions},
    {.name = "sec-companyfacts",
     .about = "companyfacts.zip: numbers that companies have reported in XBRL",
     .request_limit = &dsc_request_limit_sec,
     .files = companyfacts_file,
     .kinds = companyfacts},
    {.name = "sec-financial-statements",
     .about = "Financial Statement Data Sets, a quarter each since 2009",
     .request_limit = &dsc_request_limit_sec,
     .listings = statements_page,
     .kinds = statements},
    {.name = "sec-ownership",
     .about = "Insider Transactions Data Sets, a quarter each since 2006",
     .request_limit = &dsc_request_limit_sec,
     .listings = insiders_page,
     .kinds = insiders},
    {.name = "sec-13f",
     .about = "Form 13F Data Sets, a quarter or three months each since 2013",
     .request_limit = &dsc_request_limit_sec,
     .listings = managers_page,
     .kinds = managers},
    {.name = "sec-nport",
     .about = "Form N-PORT Data Sets, a quarter each since 2019",
     .request_limit = &dsc_request_limit_sec,
     .listings = funds_page,
     .kinds = funds},
    {0},
};
