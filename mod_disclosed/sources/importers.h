/* The importers of this program. One is a line here, and two functions in a file of its own:
 *
 *     int dsc_accept_sec_nport(const char *name);
 *     apr_status_t dsc_load_sec_nport(dsc_loader_t *loader, dsc_import_file_t *file, const char
 * **reason); */
#ifndef DSC_IMPORTERS_H
#define DSC_IMPORTERS_H

#include "loader/importer.h"
#include "sources/shared/xml_submission.h"

/* I(name, function, description, whether its rows state their content hashes, which files are
 * loaded together, whether everything that its files write is written company by company) */
#define DSC_IMPORTERS(I)                                                                           \
    I("sec-company-tickers", sec_company_tickers,                                                  \
      "company_tickers.json and company_tickers_exchange.json: who is listed under which ticker",  \
      0, dsc_joins_never, 0)                                                                       \
    I("sec-submissions", sec_submissions,                                                          \
      "CIK##########.json and submissions.zip: issuers and their filings", 0, dsc_joins_always, 0) \
    I("sec-companyfacts", sec_companyfacts,                                                        \
      "CIK##########.json of the companyfacts API and companyfacts.zip: numbers of filings", 0,    \
      dsc_joins_always, 1)                                                                         \
    I("sec-financial-statements", sec_financial_statements,                                        \
      "Financial Statement Data Sets, with or without notes: numbers of filings", 0,               \
      dsc_joins_never, 0)                                                                          \
    I("xbrl-instance", xbrl_instance,                                                              \
      "a filing's own XBRL, plain or inline: its numbers, with dimensions", 0, dsc_joins_never, 1) \
    I("sec-ownership", sec_ownership,                                                              \
      "Forms 3, 4 and 5, XML and data sets: insiders' transactions and holdings", 0,               \
      dsc_is_xml_submission_name, 0)                                                               \
    I("sec-beneficial-ownership", sec_beneficial_ownership,                                        \
      "Schedule 13D and 13G XML: owners of more than five percent", 0, dsc_joins_always, 0)        \
    I("sec-13f", sec_13f,                                                                          \
      "Form 13F submissions, XML tables and data sets: institutional holdings", 0,                 \
      dsc_joins_submissions, 0)                                                                    \
    I("sec-filing", sec_filing,                                                                    \
      "full-submission .txt files: filings with exhibits, text and sections", 0, dsc_joins_always, \
      0)                                                                                           \
    I("earnings-calendar", earnings_calendar,                                                      \
      "calendars of earnings reports to come, as vendors publish them (CSV)", 0, dsc_joins_never,  \
      0)                                                                                           \
    I("finra-short-interest", finra_short_interest,                                                \
      "FINRA short interest: files of settlement dates, responses of the query API", 0,            \
      dsc_joins_never, 0)                                                                          \
    I("corporate-actions", corporate_actions,                                                      \
      "dividends and splits: CSV and JSON lists, calendars, daily prices", 0, dsc_joins_never, 0)  \
    I("sec-fund-tickers", sec_fund_tickers, "company_tickers_mf.json: tickers of funds' classes",  \
      0, dsc_joins_never, 0)                                                                       \
    I("sec-nport", sec_nport, "Form N-PORT, XML and data sets: funds and their holdings", 0,       \
      dsc_is_xml_submission_name, 0)                                                               \
    I("senate-ptr", senate_ptr,                                                                    \
      "the Senate's periodic transaction reports as public JSON files have them", 0,               \
      dsc_joins_never, 0)                                                                          \
    I("house-ptr", house_ptr,                                                                      \
      "the House's periodic transaction reports (PDF, text, JSON), and the Clerk's yearly index",  \
      0, dsc_joins_never, 0)                                                                       \
    I("ndjson", ndjson,                                                                            \
      "one JSON object a line, for any dataset; `disclosedctl schema` describes them", 1,          \
      dsc_joins_never, 0)

/* Functions of an importer, as importer.h says. */
#define DSC_DECLARE_IMPORTER(name_, function_, description_, rows_state_hash_, joins_,             \
                             by_company_)                                                          \
    int dsc_accept_##function_(const char *name);                                                  \
    apr_status_t dsc_load_##function_(dsc_loader_t *loader, dsc_import_file_t *file,               \
                                      const char **reason);
DSC_IMPORTERS(DSC_DECLARE_IMPORTER)

/* For `joins` of an importer. */
int dsc_joins_always(const char *name);
int dsc_joins_never(const char *name);
int dsc_joins_submissions(const char *name); /* full submissions, as EDGAR names them */

/* All importers, ended by one without a name. */
extern const dsc_importer_t dsc_importers[];

/* The importer of that name, or NULL. */
const dsc_importer_t *dsc_importer_find(const char *name);

#endif
