/* Form N-PORT as XML (EDGAR Form N-PORT XML Technical Specification): the holdings of a fund. */
#ifndef DSC_NPORT_DOCUMENT_H
#define DSC_NPORT_DOCUMENT_H

#include "formats/spool.h"

#include <apr_pools.h>
#include <apr_tables.h>

/* A report's own facts. Numbers are decimal text, dates YYYY-MM-DD, booleans "t" or "f"; NULL
 * if the document has none or says N/A. */
typedef struct {
    const char *form; /* NPORT-P, NPORT-P/A */
    const char *cik;  /* of the registrant, without leading zeros */
    const char *registrant_name, *file_number, *registrant_lei;
    const char *series_name, *series_id, *series_lei;
    const char *fiscal_year_end; /* repPdEnd */
    const char *report_date;     /* repPdDate: as of which the holdings are; never NULL */
    const char *is_final;
    const char *net_assets, *total_assets, *total_liabilities;
    const char *signed_on;
    apr_array_header_t *class_ids; /* of const char * */
    long holding_count;
} dsc_nport_report_t;

/* A row of the schedule of investments. */
typedef struct {
    long number;          /* number in the document, from 1 */
    const char *location; /* "line 120: invstOrSec 3" */
    const char *error;    /* NULL, or the first value that is not what it should be */
    const char *sample;   /* the faulty text */
    const char *name, *title, *lei;
    const char *cusip, *isin, *ticker; /* upper case; NULL if they have not the form of one */
    const char *other_identifiers;     /* JSON array of {"type","value"}, or NULL */
    const char *balance, *unit, *unit_description;
    const char *currency, *exchange_rate, *value, *weight_pct;
    const char *payoff_profile;
    const char *asset_category, *asset_description;
    const char *issuer_category, *issuer_description;
    const char *country, *is_restricted, *fair_value_level;
    const char *derivative_category;
} dsc_nport_holding_t;

/* Whether it is a type of form that is read: "NPORT-P/A". NULL is none. */
int dsc_nport_is_form(const char *form);

/* Reads the report's facts and counts its holdings, which are passed over: `xml` from its
 * declaration or root element on, in any namespace prefix, its first line being number `first_line`
 * of the file. NULL and *reason with the line when it is not well-formed, has a document type
 * declaration (entities could be declared in one), is no NPORT-P or NPORT-P/A, lacks registrant or
 * report date, or states a fact that cannot be read. */
dsc_nport_report_t *dsc_nport_parse(apr_pool_t *pool, const dsc_piece_t *xml, long first_line,
                                    const char **reason);

/* Called for each holding; `pool` is cleared after it. Other than APR_SUCCESS ends the walk. */
typedef apr_status_t (*dsc_nport_take_t)(void *baton, apr_pool_t *pool,
                                         const dsc_nport_holding_t *holding);

/* Walks over the holdings of a document that dsc_nport_parse() has read, one in memory at a
 * time. */
apr_status_t dsc_nport_walk(apr_pool_t *pool, const dsc_piece_t *xml, long first_line,
                            dsc_nport_take_t take, void *baton, const char **reason);

#endif
