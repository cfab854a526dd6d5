/* The text of a periodic transaction report of the House, as pdftotext -layout makes it from the
 * Clerk's PDF. */
#ifndef DSC_HOUSE_REPORT_TEXT_H
#define DSC_HOUSE_REPORT_TEXT_H

#include <apr_errno.h>
#include <apr_pools.h>

/* What is true of the whole report; dates as filed. */
typedef struct {
    const char *filing_id;      /* digits */
    const char *name;           /* "Hon. Nancy Pelosi" */
    const char *state_district; /* "CA12"; NULL: it does not say */
    const char *filed_on;       /* the day of its signature; NULL: it has none */
} dsc_house_report_t;

/* A row of its table, texts on one line each; NULL if it says nothing. */
typedef struct {
    long line;          /* of the text, from 1, that it begins in */
    const char *error;  /* why it cannot be taken; NULL: it can */
    const char *sample; /* that line, if it cannot */
    int is_row;         /* 0: lines that may stand for no row of the table at all */
    const char *id;     /* of the transaction that it amends */
    const char *owner;  /* "SP", "JT", "DC"; NULL: the filer */
    const char *asset, *ticker, *asset_type;
    const char *type; /* "P", "S", "S (partial)", "E" */
    const char *transaction_date, *notification_date, *amount;
    const char *filing_status, *subholding, *location, *description, *comments;
} dsc_house_row_t;

typedef apr_status_t (*dsc_house_take_t)(void *baton, const dsc_house_report_t *report,
                                         const dsc_house_row_t *row);

/* Whether a text has marks of a report of the Clerk's, of whatever kind. */
int dsc_house_is_report(const char *text, size_t length);

/* Passes on the rows in their order, also those that cannot be used; a line with two dates next to
 * each other is a row, whatever else is in it. APR_EGENERAL and *reason, before any row, if the
 * text is no periodic transaction report, or not a whole one; otherwise the callback's status. */
apr_status_t dsc_house_report_read(apr_pool_t *pool, const char *text, size_t length,
                                   dsc_house_take_t take, void *baton, const char **reason);

#endif
