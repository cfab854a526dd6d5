/* When the reports of a file were filed, and known: from what all of them say together. */
#include "sources/congress/congress_date.h"

#include "engine/calendar.h"
#include "formats/eastern_time.h"
#include "loader/loader_value.h"
#include "sources/congress/congress_report.h"
#include "sources/shared/filing_record.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <apr_time.h>
#include <stdlib.h>
#include <string.h>

/* What is true of all reports of a file. */
typedef struct {
    dsc_loader_t *loader;
    apr_pool_t *pool;
    const char *snapshot; /* the time of the file */
    apr_hash_t *clerk;    /* report id -> clerk_t *; of the House */
} dating_t;

typedef struct {
    const char *filed_on, *state_district;
} clerk_t;

const char *dsc_congress_snapshot_time(dsc_loader_t *loader)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const char *given = dsc_loader_options(loader)->known_at;
    apr_time_exp_t parts;

    if (given != NULL) {
        return strlen(given) == 10 ? dsc_end_of_day(pool, given) : given;
    }
    apr_time_exp_gmt(&parts, apr_time_now());
    return apr_psprintf(pool, "%04d-%02d-%02dT%02d:%02d:%02dZ", parts.tm_year + 1900,
                        parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

int dsc_congress_can_be(const dsc_congress_report_t *report, const char *earliest, const char *day)
{
    char today[11];
    apr_time_exp_t parts;

    apr_time_exp_gmt(&parts, apr_time_now());
    apr_snprintf(today, sizeof(today), "%04d-%02d-%02d", parts.tm_year + 1900, parts.tm_mon + 1,
                 parts.tm_mday);
    return strcmp(day, earliest) >= 0 && (report->year != 0 || strcmp(day, today) <= 0) &&
           (report->year == 0 || atoi(day) <= report->year);
}

/* ---------------------------------------------------------- what the file says itself */

static const char *later(const char *one, const char *other)
{
    return one == NULL || (other != NULL && strcmp(other, one) > 0) ? other : one;
}

/* The days of one report; *disagree: its rows have several filing dates. Returns how many rows have
 * one. */
static int survey_report(dsc_congress_report_t *report, int *disagree)
{
    int i, dated = 0;

    for (i = 0; i < report->trades->nelts; i++) {
        const dsc_congress_trade_t *trade =
            APR_ARRAY_IDX(report->trades, i, const dsc_congress_trade_t *);
        if (trade->filed_on != NULL) {
            *disagree |= report->filed_on != NULL && strcmp(report->filed_on, trade->filed_on) != 0;
            report->filed_on = later(report->filed_on, trade->filed_on);
            dated++;
        }
        report->latest = later(report->latest, later(trade->filed_on, trade->transacted_on));
    }
    return dated;
}

/* Whether the dates of the file are notifications: of reports with several dated rows more than one
 * in twenty has several days, as a third of those of a dump with such dates has. If fewer have,
 * these alone are doubtful: of the House's reports the dates are taken for notifications. */
static int survey(const apr_array_header_t *reports, int is_house)
{
    int i, comparable = 0, different = 0;

    for (i = 0; i < reports->nelts; i++) {
        dsc_congress_report_t *report = APR_ARRAY_IDX(reports, i, dsc_congress_report_t *);
        int disagree = 0;

        comparable += survey_report(report, &disagree) > 1;
        different += disagree;
        report->dates_are_notifications = disagree && is_house;
    }
    return different * 20 > comparable;
}

/* Gives reports without a filing date the day of the next one above that has one. None if the file
 * is not in that order: days rise, or more than one report in twenty names a later day (a few do:
 * slips of the pen). */
static void bound_reports(const apr_array_header_t *reports)
{
    const char *day = NULL;
    int i, in_order = 1, contradictions = 0;

    for (i = 0; i < reports->nelts; i++) {
        dsc_congress_report_t *report = APR_ARRAY_IDX(reports, i, dsc_congress_report_t *);
        if (report->filed_on != NULL) {
            in_order &= day == NULL || strcmp(report->filed_on, day) <= 0;
            day = report->filed_on;
        } else {
            report->bound = day;
            contradictions +=
                day != NULL && report->latest != NULL && strcmp(report->latest, day) > 0;
        }
    }
    for (i = 0; i < reports->nelts && (!in_order || contradictions * 20 > reports->nelts); i++) {
        APR_ARRAY_IDX(reports, i, dsc_congress_report_t *)->bound = NULL;
    }
}

/* ------------------------------------------------------------------ the Clerk's index */

/* The index's reports among those of the file. */
static apr_status_t read_clerk(dating_t *dating, const apr_array_header_t *reports)
{
    static const char sql[] =
        "SELECT report_id, filing_date, state_district FROM disclosed.congress_report"
        " WHERE report_id = ANY ($1::text[]) AND superseded_at IS NULL";
    const char **ids = apr_palloc(dating->pool, sizeof(*ids) * ((size_t)reports->nelts + 1));
    const char *literal;
    PGresult *result;
    apr_status_t rv;
    int i;

    for (i = 0; i < reports->nelts; i++) {
        ids[i] = APR_ARRAY_IDX(reports, i, const dsc_congress_report_t *)->id;
    }
    literal = dsc_texts_literal(dating->pool, reports->nelts, ids);
    rv = dsc_loader_query(dating->loader, sql, 1, &literal, &result);
    for (i = 0; rv == APR_SUCCESS && i < PQntuples(result); i++) {
        clerk_t *entry = apr_pcalloc(dating->pool, sizeof(*entry));
        entry->filed_on =
            PQgetisnull(result, i, 1) ? NULL : apr_pstrdup(dating->pool, PQgetvalue(result, i, 1));
        entry->state_district =
            PQgetisnull(result, i, 2) ? NULL : apr_pstrdup(dating->pool, PQgetvalue(result, i, 2));
        apr_hash_set(dating->clerk, apr_pstrdup(dating->pool, PQgetvalue(result, i, 0)),
                     APR_HASH_KEY_STRING, entry);
    }
    if (rv == APR_SUCCESS) {
        PQclear(result);
    }
    return rv;
}

/* -------------------------------------------------------------------------- deciding */

static dsc_congress_filed_t filed(const dating_t *dating, const dsc_congress_report_t *report,
                                  const dsc_congress_trade_t *trade, const clerk_t *clerk)
{
    dsc_congress_filed_t date = {NULL, "stated", NULL, NULL};

    if (clerk != NULL && clerk->filed_on != NULL) {
        date.day = date.known_on = clerk->filed_on;
    } else if (report->dates_are_notifications && trade->filed_on != NULL) {
        date.day = trade->filed_on;
        date.basis = "notified";
        date.known_at = dating->snapshot;
    } else if (!report->dates_are_notifications && report->filed_on != NULL) {
        date.day = date.known_on = report->filed_on;
    } else if (report->bound != NULL) {
        date.day = report->bound;
        date.basis = "latest_possible";
        date.known_on = dsc_day_text(dating->pool, dsc_day_of_text(report->bound) + 1);
    } else {
        date.day = report->latest != NULL ? report->latest
                                          : apr_pstrmemdup(dating->pool, dating->snapshot, 10);
        date.basis = report->latest != NULL ? "earliest_possible" : "latest_possible";
        date.known_at = dating->snapshot;
    }
    return date;
}

static void date_report(const dating_t *dating, dsc_congress_report_t *report)
{
    const clerk_t *clerk = apr_hash_get(dating->clerk, report->id, APR_HASH_KEY_STRING);
    int i;

    for (i = 0; i < report->trades->nelts; i++) {
        dsc_congress_trade_t *trade = APR_ARRAY_IDX(report->trades, i, dsc_congress_trade_t *);
        trade->date = filed(dating, report, trade, clerk);
        if (trade->state_district == NULL && clerk != NULL) {
            trade->state_district = clerk->state_district;
            trade->is_of_index = clerk->state_district != NULL;
        }
    }
}

apr_status_t dsc_congress_date_all(dsc_loader_t *loader, int is_house, apr_array_header_t *reports)
{
    dating_t dating = {loader, dsc_loader_file_pool(loader), dsc_congress_snapshot_time(loader),
                       apr_hash_make(dsc_loader_file_pool(loader))};
    int i, are_notifications = survey(reports, is_house);
    apr_status_t rv = APR_SUCCESS;

    if (is_house) {
        rv = read_clerk(&dating, reports);
    } else if (!are_notifications) {
        bound_reports(reports);
    }
    for (i = 0; rv == APR_SUCCESS && i < reports->nelts; i++) {
        dsc_congress_report_t *report = APR_ARRAY_IDX(reports, i, dsc_congress_report_t *);
        report->dates_are_notifications |= are_notifications;
        date_report(&dating, report);
    }
    return rv;
}
