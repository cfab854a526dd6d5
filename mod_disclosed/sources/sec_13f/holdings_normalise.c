/* The texts of Form 13F as they were read, checked and brought into the form that is stored: the
 * same whether they come from XML or from the SEC's data sets. */
#include "sources/sec_13f/holdings.h"

#include "engine/json_writer.h"
#include "engine/shape.h"
#include "loader/loader_value.h"
#include "sources/sec_13f/holdings_value.h"

#include <apr_strings.h>
#include <stddef.h>
#include <string.h>

static const char *const amount_types[] = {"SH", "PRN", NULL};
static const char *const put_calls[] = {"Put", "Call", NULL};
static const char *const discretions[] = {"SOLE", "DFND", "OTR", NULL};
static const char *const forms[] = {"13F-HR",  "13F-HR/A",  "13F-NT", "13F-NT/A",
                                    "13F-CTR", "13F-CTR/A", NULL};

/* Keeps the first error: `SSHPRNAMT "x" is not a number`. */
static void keep_error(const char **error, const char **sample, const char *reason,
                       const char *text)
{
    if (*error == NULL) {
        *error = reason;
        *sample = text;
    }
}

/* ---------------------------------------------------------------------------- rows */

static void number_field(apr_pool_t *pool, dsc_holding_t *row, const char **field, const char *name)
{
    const char *text = *field;

    if (text == NULL) {
        return;
    }
    *field = dsc_holdings_number(pool, text);
    if (*field == NULL) {
        keep_error(&row->error, &row->sample, apr_pstrcat(pool, name, " is not a number", NULL),
                   text);
    }
}

static void choice_field(apr_pool_t *pool, dsc_holding_t *row, const char **field,
                         const char *const *choices, const char *name)
{
    const char *text = *field;

    if (text == NULL) {
        return;
    }
    *field = dsc_holdings_choice(choices, text);
    if (*field == NULL) {
        keep_error(&row->error, &row->sample,
                   choices[2] == NULL ? apr_pstrcat(pool, name, " is neither ", choices[0], " nor ",
                                                    choices[1], NULL)
                                      : apr_pstrcat(pool, name, " is none of ", choices[0], ", ",
                                                    choices[1], " and ", choices[2], NULL),
                   text);
    }
}

static void require(apr_pool_t *pool, dsc_holding_t *row, const char *field, const char *name)
{
    if (field == NULL) {
        keep_error(&row->error, &row->sample, apr_pstrcat(pool, name, " is missing", NULL), NULL);
    }
}

void dsc_holding_normalise(apr_pool_t *pool, dsc_holding_t *row)
{
    require(pool, row, row->issuer_title, "nameOfIssuer");
    require(pool, row, row->class_title, "titleOfClass");
    require(pool, row, row->cusip, "cusip");
    require(pool, row, row->value, "value");
    require(pool, row, row->amount, "sshPrnamt");
    require(pool, row, row->amount_type, "sshPrnamtType");
    number_field(pool, row, &row->value, "value");
    number_field(pool, row, &row->amount, "sshPrnamt");
    number_field(pool, row, &row->voting_sole, "votingAuthority Sole");
    number_field(pool, row, &row->voting_shared, "votingAuthority Shared");
    number_field(pool, row, &row->voting_none, "votingAuthority None");
    choice_field(pool, row, &row->amount_type, amount_types, "sshPrnamtType");
    choice_field(pool, row, &row->put_call, put_calls, "putCall");
    choice_field(pool, row, &row->discretion, discretions, "investmentDiscretion");
    row->cusip = row->cusip == NULL ? NULL : dsc_holdings_cusip(pool, row->cusip);
    row->other_managers =
        row->other_managers == NULL ? NULL : dsc_holdings_managers(pool, row->other_managers);
}

/* ------------------------------------------------------------------------- reports */

static void date_field(apr_pool_t *pool, dsc_holdings_report_t *report, const char **field,
                       const char *name)
{
    const char *text = *field;

    if (text == NULL) {
        return;
    }
    *field = dsc_holdings_date(pool, text);
    if (*field == NULL) {
        keep_error(&report->error, &report->sample, apr_pstrcat(pool, name, " is not a date", NULL),
                   text);
    }
}

static void total_field(apr_pool_t *pool, dsc_holdings_report_t *report, const char **field,
                        const char *name)
{
    const char *text = *field;

    if (text == NULL) {
        return;
    }
    *field = dsc_holdings_number(pool, text);
    if (*field == NULL) {
        keep_error(&report->error, &report->sample,
                   apr_pstrcat(pool, name, " is not a number", NULL), text);
    }
}

/* true, Y and 1 are true; false, N and 0 are false. */
static const char *boolean_of(const char *text)
{
    if (text == NULL || strchr("tTyY1fFnN0", *text) == NULL) {
        return NULL;
    }
    return strchr("tTyY1", *text) != NULL ? "t" : "f";
}

/* "13F HOLDINGS REPORT", "13F COMBINATION REPORT", "13F NOTICE"; a cover that does not say is of
 * the type that its form is for. */
static const char *type_of(const char *text, const char *form)
{
    static const char *const types[] = {"HOLDINGS", "holdings", "COMBINATION", "combination",
                                        "NOTICE",   "notice",   NULL};
    int i;

    for (i = 0; text != NULL && types[i] != NULL; i += 2) {
        if (strcasestr(text, types[i]) != NULL) {
            return types[i + 1];
        }
    }
    return form != NULL && strncmp(form, "13F-NT", 6) == 0 ? "notice" : "holdings";
}

/* RESTATEMENT and NEW HOLDINGS; NULL if it is not stated. */
static const char *amendment_of(const char *text)
{
    if (text == NULL) {
        return NULL;
    }
    return strcasestr(text, "RESTATEMENT") != NULL ? "restatement"
           : strcasestr(text, "NEW") != NULL       ? "new_holdings"
                                                   : NULL;
}

static void check_form(apr_pool_t *pool, dsc_holdings_report_t *report)
{
    const char *text = report->form;

    report->form = text == NULL ? NULL : dsc_holdings_choice(forms, text);
    if (report->form == NULL) {
        keep_error(&report->error, &report->sample,
                   text == NULL ? "submissionType is missing"
                                : apr_psprintf(pool, "submissionType is no Form 13F"),
                   text);
    }
}

static void check_amendment(dsc_holdings_report_t *report)
{
    const char *type = report->amendment_type;
    int is_amendment = report->form != NULL && strstr(report->form, "/A") != NULL;

    report->is_amendment = is_amendment ? "t" : boolean_of(report->is_amendment);
    report->amendment_type = amendment_of(type);
    if (type != NULL && report->amendment_type == NULL) {
        keep_error(&report->error, &report->sample,
                   "amendmentType is neither RESTATEMENT nor NEW HOLDINGS", type);
    }
    if (type == NULL && report->form != NULL && strcmp(report->form, "13F-HR/A") == 0 &&
        report->has_cover) {
        keep_error(
            &report->error, &report->sample,
            "amendmentType is missing, which says whether the amendment replaces the report or "
            "adds to it",
            NULL);
    }
}

void dsc_holdings_report_normalise(apr_pool_t *pool, dsc_holdings_report_t *report)
{
    const char *cik = report->cik;

    check_form(pool, report);
    report->cik = cik == NULL ? NULL : dsc_holdings_cik(cik);
    if (report->cik == NULL) {
        keep_error(&report->error, &report->sample,
                   cik == NULL ? "the manager's CIK is missing" : "the manager's CIK is no CIK",
                   cik);
    }
    date_field(pool, report, &report->period, "periodOfReport");
    date_field(pool, report, &report->filed_on, "the filing date");
    report->signed_on =
        report->signed_on == NULL ? NULL : dsc_holdings_date(pool, report->signed_on);
    total_field(pool, report, &report->entry_total, "tableEntryTotal");
    total_field(pool, report, &report->value_total, "tableValueTotal");
    total_field(pool, report, &report->amendment_number, "amendmentNo");
    date_field(pool, report, &report->calendar, "reportCalendarOrQuarter");
    if (report->period == NULL) {
        keep_error(&report->error, &report->sample, "periodOfReport is missing", NULL);
    } else if (report->calendar != NULL && strcmp(report->calendar, report->period) != 0) {
        keep_error(&report->error, &report->sample,
                   "periodOfReport and reportCalendarOrQuarter differ",
                   apr_pstrcat(pool, report->period, ", ", report->calendar, NULL));
    }
    if (report->manager_name == NULL) {
        keep_error(&report->error, &report->sample, "the manager's name is missing", NULL);
    }
    report->report_type = type_of(report->report_type, report->form);
    report->confidential_omitted = boolean_of(report->confidential_omitted);
    check_amendment(report);
}

static void add_member(dsc_buffer_t *json, const char *name, const char *text)
{
    if (text != NULL) {
        dsc_buffer_printf(json, "%s\"%s\":", json->data[json->length - 1] == '{' ? "" : ",", name);
        dsc_json_text(json, text);
    }
}

const char *dsc_holdings_add_manager(dsc_buffer_t *managers, const char *number, const char *cik,
                                     const char *file_number, const char *name)
{
    const char *digits = cik == NULL ? NULL : dsc_holdings_cik(cik);

    if (number != NULL || digits != NULL || file_number != NULL || name != NULL) {
        managers->length -= managers->length > 0; /* the bracket that closes the list so far */
        dsc_buffer_append_text(managers, managers->length > 0 ? ",{" : "[{");
        add_member(managers, "number", number);
        add_member(managers, "cik", digits);
        add_member(managers, "file_number", file_number);
        add_member(managers, "name", name);
        dsc_buffer_append_text(managers, "}]");
    }
    return managers->length > 0 ? dsc_buffer_text(managers) : NULL;
}
