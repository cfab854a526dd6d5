/* The importers of this program, each in a file of its own; sources/importers.c lists them. */
#ifndef DSC_IMPORTERS_H
#define DSC_IMPORTERS_H

#include "loader/importer.h"

/* company_tickers.json, company_tickers_exchange.json */
int dsc_accept_sec_company_tickers(const char *name);
apr_status_t dsc_load_sec_company_tickers(dsc_loader_t *loader, dsc_import_file_t *file,
                                          const char **reason);

/* CIK##########.json and its continuations, singly or in submissions.zip */
int dsc_accept_sec_submissions(const char *name);
apr_status_t dsc_load_sec_submissions(dsc_loader_t *loader, dsc_import_file_t *file,
                                      const char **reason);

/* ownershipDocument XML: Forms 3, 4, 5 and their amendments */
int dsc_accept_sec_ownership(const char *name);
apr_status_t dsc_load_sec_ownership(dsc_loader_t *loader, dsc_import_file_t *file,
                                    const char **reason);

/* Schedules 13D and 13G and their amendments: primary_doc.xml or full submissions */
int dsc_accept_sec_beneficial_ownership(const char *name);
apr_status_t dsc_load_sec_beneficial_ownership(dsc_loader_t *loader, dsc_import_file_t *file,
                                               const char **reason);

/* Form 13F: full submissions, cover and information table, the SEC's data sets */
int dsc_accept_sec_13f(const char *name);
apr_status_t dsc_load_sec_13f(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason);
/* company_tickers_mf.json: classes of funds */
int dsc_accept_sec_fund_tickers(const char *name);
apr_status_t dsc_load_sec_fund_tickers(dsc_loader_t *loader, dsc_import_file_t *file,
                                       const char **reason);

/* Form N-PORT: primary_doc.xml or full submissions */
int dsc_accept_sec_nport(const char *name);
apr_status_t dsc_load_sec_nport(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason);

/* full-submission text files with an SGML header */
int dsc_accept_sec_filing(const char *name);
apr_status_t dsc_load_sec_filing(dsc_loader_t *loader, dsc_import_file_t *file,
                                 const char **reason);

/* CSV of earnings reports to come: symbol, name, reportDate, fiscalDateEnding, ... */
int dsc_accept_earnings_calendar(const char *name);
apr_status_t dsc_load_earnings_calendar(dsc_loader_t *loader, dsc_import_file_t *file,
                                        const char **reason);

/* FINRA's short interest: files of settlement dates, responses of the query API */
int dsc_accept_finra_short_interest(const char *name);
apr_status_t dsc_load_finra_short_interest(dsc_loader_t *loader, dsc_import_file_t *file,
                                           const char **reason);

/* dividends and splits: lists, calendars, daily prices with columns for them */
int dsc_accept_corporate_actions(const char *name);
apr_status_t dsc_load_corporate_actions(dsc_loader_t *loader, dsc_import_file_t *file,
                                        const char **reason);

/* all_transactions.json and its like: transactions of senators */
int dsc_accept_senate_ptr(const char *name);
apr_status_t dsc_load_senate_ptr(dsc_loader_t *loader, dsc_import_file_t *file,
                                 const char **reason);

/* house_transactions.json and its like; 2023FD.xml, 2023FD.txt: the Clerk's index */
int dsc_accept_house_ptr(const char *name);
apr_status_t dsc_load_house_ptr(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason);

/* one JSON object a line, for any dataset; `disclosedctl schema` describes the lines */
int dsc_accept_ndjson(const char *name);
apr_status_t dsc_load_ndjson(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason);

/* All importers, ended by one without a name. */
extern const dsc_importer_t dsc_importers[];

/* The importer of that name, or NULL. */
const dsc_importer_t *dsc_importer_find(const char *name);

#endif
