/* The importers of this program: the one place where they are listed. */
#include "sources/importers.h"

#include <string.h>

const dsc_importer_t dsc_importers[] = {
    {"sec-company-tickers",
     "company_tickers.json and company_tickers_exchange.json: who is listed under which ticker",
     dsc_accept_sec_company_tickers, dsc_load_sec_company_tickers, 0},
    {"sec-submissions", "CIK##########.json and submissions.zip: issuers and their filings",
     dsc_accept_sec_submissions, dsc_load_sec_submissions, 0},
    {"sec-ownership", "Form 3, 4 and 5 XML: insiders' transactions and holdings",
     dsc_accept_sec_ownership, dsc_load_sec_ownership, 0},
    {"sec-beneficial-ownership", "Schedule 13D and 13G XML: owners of more than five percent",
     dsc_accept_sec_beneficial_ownership, dsc_load_sec_beneficial_ownership, 0},
    {"sec-13f", "Form 13F submissions, XML tables and data sets: institutional holdings",
     dsc_accept_sec_13f, dsc_load_sec_13f, 0},
    {"sec-filing", "full-submission .txt files: filings with exhibits, text and sections",
     dsc_accept_sec_filing, dsc_load_sec_filing, 0},
    {"earnings-calendar", "calendars of earnings reports to come, as vendors publish them (CSV)",
     dsc_accept_earnings_calendar, dsc_load_earnings_calendar, 0},
    {"finra-short-interest",
     "FINRA short interest: files of settlement dates, responses of the query API",
     dsc_accept_finra_short_interest, dsc_load_finra_short_interest, 0},
    {"corporate-actions", "dividends and splits: CSV and JSON lists, calendars, daily prices",
     dsc_accept_corporate_actions, dsc_load_corporate_actions, 0},
    {"sec-fund-tickers", "company_tickers_mf.json: tickers of funds' classes",
     dsc_accept_sec_fund_tickers, dsc_load_sec_fund_tickers, 0},
    {"sec-nport", "Form N-PORT XML: funds and their holdings", dsc_accept_sec_nport,
     dsc_load_sec_nport, 0},
    {"senate-ptr", "the Senate's periodic transaction reports as public JSON files have them",
     dsc_accept_senate_ptr, dsc_load_senate_ptr, 0},
    {"house-ptr",
     "the House's periodic transaction reports (PDF, text, JSON), and the Clerk's yearly index",
     dsc_accept_house_ptr, dsc_load_house_ptr, 0},
    {"ndjson", "one JSON object a line, for any dataset; `disclosedctl schema` describes them",
     dsc_accept_ndjson, dsc_load_ndjson, 1},
    {NULL, NULL, NULL, NULL, 0},
};

const dsc_importer_t *dsc_importer_find(const char *name)
{
    const dsc_importer_t *importer;

    for (importer = dsc_importers; importer->name != NULL; importer++) {
        if (strcmp(importer->name, name) == 0) {
            return importer;
        }
    }
    return NULL;
}
