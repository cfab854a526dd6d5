/* Lines of a periodic transaction report of the House, as pdftotext -layout prints them: their
 * kinds, recognized by their content, because the positions of columns differ from page to page. */
#ifndef DSC_HOUSE_REPORT_LINE_H
#define DSC_HOUSE_REPORT_LINE_H

#include <apr_pools.h>

/* What belongs to a row: its asset, and the labelled lines below it. */
typedef enum {
    DSC_HOUSE_ASSET,
    DSC_HOUSE_STATUS,
    DSC_HOUSE_SUBHOLDING,
    DSC_HOUSE_LOCATION,
    DSC_HOUSE_DESCRIPTION,
    DSC_HOUSE_COMMENTS,
    DSC_HOUSE_PARTS
} dsc_house_part_t;

/* What is behind the label of a labelled line, and which label it is: in full, in any case, or its
 * initials alone ("F     S     : New"). NULL: there is no label. */
const char *dsc_house_label(const char *line, dsc_house_part_t *part);

/* The line's part of the headings of the table. */
enum {
    DSC_HOUSE_HEADING = 1,      /* nothing but words of the headings */
    DSC_HOUSE_HEADING_FIRST = 2 /* enough of them to begin the headings with */
};
int dsc_house_heading(const char *line);

/* Whether the line ends the table. */
int dsc_house_is_end(const char *line);

/* Where the text is in a line, in whatever case; NULL: nowhere. */
const char *dsc_house_find(const char *line, const char *text);

/* The first date (M/D/Y) at or behind `at`, NULL: none. *end is what follows. */
const char *dsc_house_date(const char *at, const char **end);

/* The line of a transaction: two dates next to each other. */
typedef struct {
    size_t length;              /* of what is before the type: ID, owner and asset */
    const char *type;           /* "P", "S (partial)"; NULL: no type stands before the dates */
    const char *first, *second; /* the dates, as filed */
    const char *after;          /* what follows */
} dsc_house_transaction_t;
int dsc_house_transaction(apr_pool_t *pool, const char *line, dsc_house_transaction_t *found);

/* Whether it is as a transaction's line should be, but for a date that is missing: type, date,
 * amount. */
int dsc_house_lacks_date(apr_pool_t *pool, const char *line);

/* An amount, which may go on in the next line. */
typedef struct {
    apr_pool_t *pool;
    enum {
        DSC_AMOUNT_NONE,
        DSC_AMOUNT_SPOUSE, /* "Spouse/DC" */
        DSC_AMOUNT_OVER,   /* "Over" */
        DSC_AMOUNT_ONE,    /* "$9.00" */
        DSC_AMOUNT_FROM,   /* "$500,001 -" */
        DSC_AMOUNT_WHOLE
    } state;
    const char *text; /* as filed, with single spaces */
} dsc_house_amount_t;

/* Reads on, as far as it is an amount; returns what follows. */
const char *dsc_house_amount(dsc_house_amount_t *amount, const char *at);

/* The rest of an amount at the end of a line, behind text of the asset; the length of that text, or
 * the whole line's if there is none. */
size_t dsc_house_amount_end(dsc_house_amount_t *amount, const char *line);

/* Why it is no amount; NULL: it is one. */
const char *dsc_house_amount_error(const dsc_house_amount_t *amount);

/* Whether nothing is there but the boxes of the column "Cap. Gains > $200?", which some texts have
 * as letters of the boxes' font. */
int dsc_house_is_box(const char *at);

/* The asset without its ticker and type code, which are cut off: "Alphabet Inc. (GOOGL) [ST]". In
 * texts with `mixed_case` tickers may be written small. */
const char *dsc_house_asset(apr_pool_t *pool, const char *text, int mixed_case, const char **ticker,
                            const char **type);

#endif
