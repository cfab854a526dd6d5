/* When the reports of a file were filed, and known: from what all of them say together. */
#ifndef DSC_CONGRESS_DATE_H
#define DSC_CONGRESS_DATE_H

#include "loader/loader.h"
#include "sources/congress/politician_name.h"

#include <apr_tables.h>

/* The STOCK Act, which asks for these reports, is of this day; transactions of the last century are
 * slips of the pen. */
#define DSC_CONGRESS_FIRST_REPORTS "2012-04-04"
#define DSC_CONGRESS_FIRST_TRADES  "2000-01-01"

/* A filing date, or what comes nearest to it, and when it was known: known_at or known_on. */
typedef struct {
    const char *day, *basis, *known_at, *known_on;
} dsc_congress_filed_t;

/* A row of a report; dates are YYYY-MM-DD or NULL. */
typedef struct {
    const char *location, *address;
    const char *record_key, *party; /* set by dsc_congress_identify() */
    const char *named;              /* the party by the row's own words */
    int row_number;                 /* among those of its report, from 1 */
    const char *dated_as;           /* by what its date is known again, whatever its key is */
    const char *said_at; /* when a stored version said the same; NULL: none, or no matter */
    const dsc_politician_name_t *name;
    const char *state_district, *political_party;
    int is_of_index; /* its district is what the Clerk's index says */
    const char *ticker, *asset_name, *asset_type, *type, *amount, *owner, *comment, *quote;
    const char *asset_as_filed; /* where asset_name is a part of it; NULL: it is all */
    const char *transacted_on, *filed_on;
    const char *error, *sample; /* of a row that is rejected */
    int is_paper;
    int is_taken_back;         /* rejected, for it reports nothing */
    dsc_congress_filed_t date; /* set by dsc_congress_date_all() */
} dsc_congress_trade_t;

typedef struct {
    const char *id;
    int year;                    /* of filing, as the report's address has it; 0: it has none */
    apr_array_header_t *trades;  /* of dsc_congress_trade_t * */
    const char *filed_on;        /* the day that its rows agree upon; NULL: none, or several */
    const char *latest;          /* the latest day that its rows name */
    const char *bound;           /* a day by which it must have been filed */
    int dates_are_notifications; /* its own, or those of its file, are */
} dsc_congress_report_t;

/* Whether the day is from `earliest` on, and no later than the end of the report's year, or today
 * if that is not known. */
int dsc_congress_can_be(const dsc_congress_report_t *report, const char *earliest, const char *day);

/* Sets the dates of all rows of the reports (of dsc_congress_report_t *, in the file's order), and
 * the districts that the Clerk's index knows.
 *
 * - The Clerk's index, if loaded, says when a House report was filed.
 * - A file in which rows of many reports have different filing dates has none: these are the days
 * on which filers were notified of transactions, and reports were filed later. Its rows are known
 * from the time of the file on. If few reports have, so it is with these alone, in the House; in
 * the Senate the latest day counts.
 * - The aggregate of the Senate's reports has no filing dates, but lists reports from the newest to
 *   the oldest, and in place of transactions of those on paper the day on which they were
 *   received. So a report was received no later than the next one above it that has such a day.
 *   (Seen to be true of all 1,413 reports of the file of December 2020.) Known a day after that, so
 * that a source which states the day always knows it earlier, and takes precedence. */
apr_status_t dsc_congress_date_all(dsc_loader_t *loader, int is_house, apr_array_header_t *reports);

#endif
