/* A Form 13F report as its sources state it (Rule 13f-1 under the Exchange Act; SEC, "EDGAR Form
 * 13F XML Technical Specification" and "Form 13F Data Sets"). Pure: no database. Texts are trimmed
 * and in the form that is stored; NULL is what a source does not state. */
#ifndef DSC_HOLDINGS_H
#define DSC_HOLDINGS_H

#include "engine/buffer.h"
#include "formats/spool.h"

#include <apr_errno.h>
#include <apr_pools.h>

/* Cover and summary page, and what is known of the filing. */
typedef struct {
    const char *location;       /* where it is: "coverPage", "line 12" */
    const char *accession;      /* with dashes */
    const char *form;           /* "13F-HR/A" */
    const char *cik;            /* of the manager, without leading zeros */
    const char *manager_name;   /* as on the cover */
    const char *period;         /* last day of the quarter */
    const char *calendar;       /* the same, as the cover page says it; NULL: it does not */
    const char *report_type;    /* "holdings", "combination", "notice" */
    const char *is_amendment;   /* "t", "f" */
    const char *amendment_type; /* "restatement", "new_holdings" */
    const char *amendment_number;
    const char *file_number;
    const char *confidential_omitted; /* "t", "f" */
    const char *other_managers;       /* JSON array of {"number","cik","file_number","name"} */
    const char *entry_total;          /* rows, as stated on the summary page */
    const char *value_total;          /* their value, as stated: dollars or thousands */
    const char *schema_version;       /* "X0202" */
    const char *signed_on;
    const char *filed_on;
    const char *accepted_at;         /* UTC */
    const char *known_at, *known_on; /* when it was public: an instant, else the end of a day */
    const char *dated_by;            /* what that rests on: "filing", "accepted", "filed", ... */
    const char *stored_factor;       /* of the values that are stored of it; NULL: nothing is */
    int has_cover;                   /* it was read from a cover in XML */
    const char *digest;              /* of the cover document, by which it is known again */
    const char *content_hash;        /* of the cover's file, if that is not the one being loaded */
    const char *error;               /* why it cannot be a report, or NULL */
    const char *sample;              /* the faulty text, or NULL */
} dsc_holdings_report_t;

/* One row of the information table. */
typedef struct {
    const char *location;  /* "infoTable[3]", "line 12" */
    const char *accession; /* data sets; else NULL */
    long number;           /* in its table, from 1 */
    const char *issuer_title, *class_title;
    const char *cusip;
    const char *figi;
    const char *value;       /* dollars or thousands, see holdings_scale.h */
    const char *amount;      /* shares or principal amount */
    const char *amount_type; /* "SH", "PRN" */
    const char *put_call;    /* "Put", "Call" */
    const char *discretion;
    const char *other_managers; /* PostgreSQL array literal of their numbers */
    const char *voting_sole, *voting_shared, *voting_none;
    const char *error, *sample;
} dsc_holding_t;

/* Called for each row; `row` and its texts are valid until it returns. What it returns other than
 * APR_SUCCESS ends the reading. */
typedef apr_status_t dsc_holding_visit_t(void *baton, const dsc_holding_t *row);

/* A document in XML, or a piece of a file that holds it. */
typedef struct {
    dsc_piece_t piece; /* nothing: there is none */
    long first_line;   /* in its file */
} dsc_holdings_xml_t;

/* The local name of the document's root element: "edgarSubmission", "informationTable"; with the
 * namespace behind it if that of another form ("edgarSubmission of http://..."). NULL and *reason
 * if the bytes, which may be the beginning of a file alone, do not begin as XML does. */
const char *dsc_holdings_root(apr_pool_t *pool, const dsc_piece_t *piece, const char **reason);

/* Reads a primary_doc.xml. Its error is set if something is missing or wrong; NULL and *reason,
 * which names the line, if it is no such document. What EDGAR's own file format embeds
 * (documents/document of type INFORMATION TABLE, base64) is put into *table. */
dsc_holdings_report_t *dsc_holdings_cover_read(apr_pool_t *pool, const dsc_holdings_xml_t *cover,
                                               dsc_holdings_xml_t *table, const char **reason);

/* Reads an information table row by row, in constant memory. APR_EGENERAL and *reason, which names
 * the line, if it is none, or is cut off. */
apr_status_t dsc_holdings_table_read(apr_pool_t *pool, const dsc_holdings_xml_t *table,
                                     dsc_holding_visit_t *visit, void *baton, const char **reason);

/* Checks the texts of a row as they were read and converts them to the form that is stored; the
 * first error is kept in the row. */
void dsc_holding_normalise(apr_pool_t *pool, dsc_holding_t *row);

/* The same for a report. */
void dsc_holdings_report_normalise(apr_pool_t *pool, dsc_holdings_report_t *report);

/* Appends another manager of a report to a JSON array, which begins as an empty buffer. The array's
 * text, valid until the next one is added; NULL as long as nothing is said of any. */
const char *dsc_holdings_add_manager(dsc_buffer_t *managers, const char *number, const char *cik,
                                     const char *file_number, const char *name);

#endif
