/* The sources: a new one is a row here, and an importer. */
#include "follow/follow_table.h"

#define SEC       "https://www.sec.gov"
#define SEC_DATA  "https://data.sec.gov"
#define MEGABYTES (apr_int64_t)1048576 *

enum {
    HOUR = 3600,
    DAY = 24 * HOUR
};

/* The SEC asks for a User-Agent with a contact, and for no more than ten
 * requests in a second: eight are sent, as some may reach it sooner than others. */
const dsc_request_limit_t dsc_request_limit_sec = {.name = "sec.gov",
                                                   .spacing = 125,
                                                   .wants_contact = 1};

/* The others say nothing of it: once a second. */
static const dsc_request_limit_t finra = {.name = "finra.org", .spacing = 1000};
static const dsc_request_limit_t house = {.name = "house.gov", .spacing = 1000};

/* ------------------------------------------------------------------------------- EDGAR */

#define FILING DSC_BODY_SUBMISSION
#define FORM(form, ...)                                                                            \
    {                                                                                              \
        .kind = (form), .body = FILING, .most = MEGABYTES 2048, .importers = {                     \
            "sec-filing",                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define REPORT(form)                                                                               \
    {                                                                                              \
        .kind = (form), .body = FILING, .most = MEGABYTES 2048,                                    \
        .importers = {"sec-filing", "xbrl-instance"}, .follows = {                                 \
            "submissions",                                                                         \
            "companyfacts"                                                                         \
        }                                                                                          \
    }
#define COMPANY(name, importer, folder)                                                            \
    {                                                                                              \
        .kind = (name), .url = SEC_DATA folder "/CIK{cik}.json", .body = DSC_BODY_JSON,            \
        .most = MEGABYTES 256, .importers = {                                                      \
            (importer)                                                                             \
        }                                                                                          \
    }
static const dsc_follow_kind_t edgar_kinds[] = {
    FORM("3", "sec-ownership"),
    FORM("3/A", "sec-ownership"),
    FORM("4", "sec-ownership"),
    FORM("4/A", "sec-ownership"),
    FORM("5", "sec-ownership"),
    FORM("5/A", "sec-ownership"),
    FORM("13F-HR", "sec-13f"),
    FORM("13F-HR/A", "sec-13f"),
    FORM("NPORT-P", "sec-nport"),
    FORM("NPORT-P/A", "sec-nport"),
    FORM("SCHEDULE 13D", "sec-beneficial-ownership"),
    FORM("SCHEDULE 13D/A", "sec-beneficial-ownership"),
    FORM("SCHEDULE 13G", "sec-beneficial-ownership"),
    FORM("SCHEDULE 13G/A", "sec-beneficial-ownership"),
    {.kind = "8-K",
     .body = FILING,
     .most = MEGABYTES 2048,
     .importers = {"sec-filing"},
     .follows = {"submissions"}},
    {.kind = "8-K/A",
     .body = FILING,
     .most = MEGABYTES 2048,
     .importers = {"sec-filing"},
     .follows = {"submissions"}},
    REPORT("10-K"),
    REPORT("10-K/A"),
    REPORT("10-Q"),
    REPORT("10-Q/A"),
    REPORT("20-F"),
    REPORT("20-F/A"),
    REPORT("40-F"),
    REPORT("40-F/A"),
    REPORT("6-K"),
    REPORT("6-K/A"),
    COMPANY("submissions", "sec-submissions", "/submissions"),
    COMPANY("companyfacts", "sec-companyfacts", "/api/xbrl/companyfacts"),
    {0},
};

static const dsc_follow_listing_t edgar_listings[] = {
    {.name = "feed",
     .url = SEC "/cgi-bin/"
                "browse-edgar?action=getcurrent&type=&company=&dateb=&owner=include"
                "&start={start}&count=100&output=atom",
     .body = DSC_BODY_ATOM,
     .pages = 20,
     .read = dsc_follow_read_feed,
     .about = "the latest filings"},
    {.name = "daily-index",
     .url = SEC "/Archives/edgar/daily-index/{year}/QTR{quarter}/master.{day}.idx",
     .body = DSC_BODY_MASTER_INDEX,
     .parts = DSC_PARTS_WEEKDAYS,
     .priority = 1,
     .pages = 1,
     .read = dsc_follow_read_index,
     .about = "all filings of a day, from ten in the evening of New York on"},
    {.name = "full-index",
     .url = SEC "/Archives/edgar/full-index/{year}/QTR{quarter}/master.idx",
     .body = DSC_BODY_MASTER_INDEX,
     .parts = DSC_PARTS_QUARTERS,
     .again = 7 * DAY,
     .priority = 2,
     .pages = 1,
     .read = dsc_follow_read_index,
     .about = "all filings of a quarter, once a week"},
    {0},
};

/* ----------------------------------------------------------------------------- tickers */

#define TICKERS(name, importer)                                                                    \
    {                                                                                              \
        .kind = (name), .body = DSC_BODY_JSON, .most = MEGABYTES 64, .importers = {(importer)},    \
        .again = DAY                                                                               \
    }
static const dsc_follow_kind_t ticker_kinds[] = {
    TICKERS("company-tickers", "sec-company-tickers"),
    TICKERS("fund-tickers", "sec-fund-tickers"),
    {0},
};

static const dsc_follow_file_t ticker_files[] = {
    {.kind = "company-tickers", .url = SEC "/files/company_tickers_exchange.json"},
    {.kind = "company-tickers", .url = SEC "/files/company_tickers.json"},
    {.kind = "fund-tickers", .url = SEC "/files/company_tickers_mf.json"},
    {0},
};

/* ------------------------------------------------------------------------------- FINRA */

/* A file is published again if members have corrected their figures. */
static const dsc_follow_kind_t finra_kinds[] = {
    {.kind = "short-interest",
     .body = DSC_BODY_DELIMITED,
     .most = MEGABYTES 256,
     .importers = {"finra-short-interest"},
     .again = 7 * DAY},
    {0},
};

static const dsc_follow_file_t finra_files[] = {
    {.kind = "short-interest",
     .url = "https://cdn.finra.org/equity/otcmarket/biweekly/shrt{day}.csv",
     .parts = DSC_PARTS_SETTLEMENTS},
    {0},
};

/* --------------------------------------------------------------------------- the House */

#define CLERK "https://disclosures-clerk.house.gov/public_disc"
static const dsc_follow_kind_t house_kinds[] = {
    {.kind = "index",
     .body = DSC_BODY_ZIP,
     .most = MEGABYTES 64,
     .importers = {"house-ptr"},
     .again = 6 * HOUR},
    {.kind = "ptr", .body = DSC_BODY_PDF, .most = MEGABYTES 64, .importers = {"house-ptr"}},
    {0},
};

static const dsc_follow_listing_t house_listings[] = {
    {.name = "index",
     .url = CLERK "/financial-pdfs/{year}FD.zip",
     .body = DSC_BODY_ZIP,
     .parts = DSC_PARTS_YEARS,
     .again = 6 * HOUR,
     .pages = 1,
     .read = dsc_follow_read_house,
     .about = "the reports of a year"},
    {0},
};

static const dsc_follow_file_t house_files[] = {
    {.kind = "index", .url = CLERK "/financial-pdfs/{year}FD.zip", .parts = DSC_PARTS_YEARS},
    {0},
};

/* ---------------------------------------------------------------------------- the list */

const dsc_follow_source_t dsc_follow_sources[] = {
    {.name = "sec-tickers",
     .about = "the SEC's files of tickers, once a day",
     .request_limit = &dsc_request_limit_sec,
     .files = ticker_files,
     .kinds = ticker_kinds},
    {.name = "sec-edgar",
     .about = "filings of the forms that are loaded, as they are filed, and "
              "their companies' files",
     .request_limit = &dsc_request_limit_sec,
     .listings = edgar_listings,
     .kinds = edgar_kinds},
    {.name = "finra-short-interest",
     .about = "FINRA's short interest, when it is published: twice a month",
     .request_limit = &finra,
     .files = finra_files,
     .kinds = finra_kinds},
    {.name = "house-clerk",
     .about = "the House Clerk's yearly index and periodic transaction reports "
              "(PDF)",
     .request_limit = &house,
     .listings = house_listings,
     .files = house_files,
     .kinds = house_kinds},
    {0},
};
