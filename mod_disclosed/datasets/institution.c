/* Institutional holdings: Form 13F.
 *
 * Two datasets are loaded, both of the manager (cik; issuer_name is the manager's name):
 *
 * institution_report    one record for each filing, cover and summary page. Record key: the accession
 *                       number, which provenance.accession repeats. A notice and an empty report are
 *                       records as well. Totals are as stated on the summary page; what is stored
 *                       (entries, value, difference, unmapped) is counted when the load is settled.
 * institution_position  one record for each row of an information table, nothing summed. Record key:
 *                       "<accession>/<row number>", rows numbered from 1 in the file's order;
 *                       provenance.accession ties the row to its report.
 *
 * `known_at` of both is the acceptance time, else `known_on` the filing date. A report whose
 * amendment_type is not new_holdings stands for the whole of its manager and period from its known_at
 * on; the order in which files are loaded does not matter. */
#include "datasets/datasets.h"

static const char *const form_choices[] = {"13F-HR", "13F-HR/A", "13F-NT", "13F-NT/A", NULL};
static const char *const report_type_choices[] = {"holdings", "combination", "notice", NULL};
static const char *const amendment_choices[] = {"restatement", "new_holdings", NULL};
static const char *const shares_type_choices[] = {"SH", "PRN", NULL};
static const char *const put_call_choices[] = {"Put", "Call", NULL};

static const dsc_column_t report_columns[] = {
    {"form", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, form_choices, "form type as filed"},
    {"report_type", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, report_type_choices,
     "holdings (13F HOLDINGS REPORT), combination (13F COMBINATION REPORT) or notice (13F NOTICE)"},
    {"period_of_report", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED, NULL, "last day of the quarter"},
    {"filing_date", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED, NULL,
     "date of filing"},
    {"amendment_type", DSC_COLUMN_TEXT, 0, amendment_choices,
     "amendments: restatement replaces the whole report, new_holdings adds to it"},
    {"amendment_number", DSC_COLUMN_INTEGER, 0, NULL, "amendments: their number"},
    {"manager_name", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "filing manager, as filed"},
    {"file_number", DSC_COLUMN_TEXT, 0, NULL, "Form 13F file number, 028-NNNNN"},
    {"confidential_omitted", DSC_COLUMN_BOOLEAN, 0, NULL,
     "whether holdings are omitted for which confidential treatment is asked"},
    {"other_managers", DSC_COLUMN_JSON, 0, NULL,
     "other managers of cover and summary page, as filed: "
     "[{\"number\",\"cik\",\"file_number\",\"name\"}], absent members left out"},
    {"table_entry_total", DSC_COLUMN_INTEGER, 0, NULL, "summary page: rows of the table, as stated"},
    {"table_value_total", DSC_COLUMN_DECIMAL, 0, NULL, "summary page: value of the table, as stated"},
    {"value_factor", DSC_COLUMN_DECIMAL, 0, NULL,
     "what makes the stated values dollars: 1 or 1000; absent: 1"},
    {"value_scale", DSC_COLUMN_TEXT, 0, NULL,
     "that decision in words: dollars as filed; thousands, multiplied by 1000; ..."},
    {"value_scale_reason", DSC_COLUMN_TEXT, 0, NULL, "what the decision rests on"},
};

static const dsc_column_t position_columns[] = {
    {"period_of_report", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED, NULL, "last day of the quarter"},
    {"filing_date", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED, NULL,
     "date of filing"},
    {"row_number", DSC_COLUMN_INTEGER, DSC_COLUMN_REQUIRED, NULL,
     "place in the information table, from 1"},
    {"issuer_title", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "name of issuer, as filed"},
    {"class_title", DSC_COLUMN_TEXT, 0, NULL, "title of class, as filed"},
    {"cusip", DSC_COLUMN_TEXT, 0, NULL,
     "upper case; zeros that a spreadsheet has cut from the left put back; otherwise as filed"},
    {"figi", DSC_COLUMN_TEXT, 0, NULL, "FIGI, as filed"},
    {"value", DSC_COLUMN_DECIMAL, DSC_COLUMN_REQUIRED, NULL, "in USD, after correction of the scale"},
    {"value_as_filed", DSC_COLUMN_DECIMAL, DSC_COLUMN_REQUIRED, NULL, "the number as filed"},
    {"value_scale", DSC_COLUMN_TEXT, 0, NULL,
     "where value is not as filed: why, e.g. thousands, multiplied by 1000"},
    {"shares_type", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, shares_type_choices,
     "SH: shares, PRN: principal amount"},
    {"shares", DSC_COLUMN_DECIMAL, 0, NULL, "SH rows alone: number of shares"},
    {"principal_amount", DSC_COLUMN_DECIMAL, 0, NULL, "PRN rows alone: principal amount in USD"},
    {"put_call", DSC_COLUMN_TEXT, 0, put_call_choices, "options: Put or Call"},
    {"investment_discretion", DSC_COLUMN_TEXT, 0, NULL, "SOLE, DFND (shared-defined) or OTR"},
    {"other_managers", DSC_COLUMN_TEXTS, 0, NULL, "numbers of other managers: {4,8,11}"},
    {"voting_sole", DSC_COLUMN_DECIMAL, 0, NULL, "voting authority: sole"},
    {"voting_shared", DSC_COLUMN_DECIMAL, 0, NULL, "voting authority: shared"},
    {"voting_none", DSC_COLUMN_DECIMAL, 0, NULL, "voting authority: none"},
};

const dsc_dataset_t dsc_dataset_institution_report = {
    "institution_report", "institution_report", "Form 13F reports: cover and summary page",
    report_columns, DSC_COUNT(report_columns), "period_of_report", NULL, NULL, NULL};

const dsc_dataset_t dsc_dataset_institution_position = {
    "institution_position", "institution_position", "Rows of Form 13F information tables",
    position_columns, DSC_COUNT(position_columns), "period_of_report", NULL, NULL, NULL};
