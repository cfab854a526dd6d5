/* Forms 3, 4 and 5 (Section 16(a) of the Exchange Act) as their ownershipDocument states them:
 * SEC, "EDGAR Ownership XML Technical Specification", schemas X0101 to X0508. Values are as filed,
 * trimmed; absent or empty ones are NULL. Pure: no database, no files. */
#ifndef DSC_OWNERSHIP_DOCUMENT_H
#define DSC_OWNERSHIP_DOCUMENT_H

#include <apr_pools.h>
#include <apr_tables.h>

/* One reporting owner and the boxes ticked under "Relationship of Reporting Person(s)". */
typedef struct {
    const char *location; /* "reportingOwner[2]" */
    const char *cik;      /* digits without leading zeros */
    const char *name;
    int is_director, is_officer, is_ten_percent_owner, is_other;
    const char *officer_title;
    const char *other_text;
    const char *content_hash; /* of the table that it is from; NULL: of the file being loaded */
    const char *error;        /* NULL, or what is wrong with it */
    const char *relationship_error; /* NULL, or what is wrong with the boxes, or a name or CIK that
                                       appears twice: the form's error */
} dsc_reporting_owner_t;

/* A row of one of the two tables: a transaction, or a holding that none changed. */
typedef struct {
    int is_derivative;
    int is_holding;
    int number;           /* number among those of its kind in its table, from 1 */
    const char *location; /* "nonDerivativeTable/nonDerivativeTransaction[2]" */
    const char *security_title;
    const char *transaction_date;
    const char *transaction_code;
    const char *equity_swap; /* "t" or "f" */
    const char *timeliness;  /* "E", "L" */
    const char *shares;
    const char *total_value; /* in place of shares, USD */
    const char *price;
    const char *acquired_disposed;
    const char *shares_owned; /* after the transaction */
    const char *value_owned;  /* in place of shares, USD */
    const char *ownership;    /* "D", "I" */
    const char *ownership_nature;
    const char *conversion_price;
    const char *exercise_date;
    const char *expiration_date;
    const char *underlying_title;
    const char *underlying_shares;
    const char *quote;     /* the footnotes that stand where a number or date is missing, or NULL */
    const char *footnotes; /* all of them: JSON, see ownership_footnote.h; or NULL */
    const char *content_hash; /* as an owner's */
    const char *error;        /* NULL, or what is wrong with it: `transactionShares "x" is ...` */
    const char *sample;       /* the faulty text */
} dsc_ownership_row_t;

typedef struct {
    const char *form; /* "4", "4/A" */
    const char *period_of_report;
    const char *original_filing_date; /* amendments */
    const char *issuer_cik;           /* digits without leading zeros */
    const char *issuer_name;
    const char *issuer_symbol;
    const char *rule_10b5_1; /* "t", "f"; NULL: the form has no such box (before 2023) */
    int no_longer_subject;   /* the exit box: not subject to Section 16 any more */
    const char *remarks;
    const char *signature_date; /* the latest */
    const char *digest;         /* "sha256:" and 64 hex digits, see below; NULL: of a data set */
    apr_array_header_t *owners; /* of dsc_reporting_owner_t; at least one */
    apr_array_header_t *rows;   /* of dsc_ownership_row_t, in the order of the document */
    const char *remark;         /* what is odd about its footnotes, or NULL */
} dsc_ownership_document_t;

/* The first day of Section 16: dates of signatures and transactions before it are slips or
 * damage. */
extern const char dsc_ownership_first_day[];

/* Whether it is a type of form that is read: "3/A". NULL is none. */
int dsc_ownership_is_form(const char *form);

/* Whether the remarks, which each row has, stay within a limit; 0 and *reason if they do not. */
int dsc_ownership_bounds(const dsc_ownership_document_t *document, const char **reason);

/* Reads an ownershipDocument: `xml` from its declaration or root element on. NULL, and *reason with
 * the line (counted from `first_line`), when it is not well-formed, has a document type declaration
 * (none is needed; entities could be declared in one), or lacks what makes it a report: form type,
 * issuer, owners and what they are to it. Errors of single rows and owners are left in these.
 *
 * The digest, by which the document is known again, is over the bytes from the start through the
 * end tag of the root element, line ends as one LF: the same whether the document comes alone or
 * inside a submission. */
dsc_ownership_document_t *dsc_ownership_parse(apr_pool_t *pool, const char *xml, size_t length,
                                              long first_line, const char **reason);

#endif
