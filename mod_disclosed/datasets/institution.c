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

static const char *const form_choices[] = {"13F-HR",    "13F-HR/A", "13F-NT",  "13F-NT/A",
                                            "13F-CTR", "13F-CTR/A", NULL};
static const char *const report_type_choices[] = {"holdings", "combination", "notice", NULL};
static const char *const amendment_choices[] = {"restatement", "new_holdings", NULL};
static const char *const shares_type_choices[] = {"SH", "PRN", NULL};
static const char *const put_call_choices[] = {"Put", "Call", NULL};

static const char *const dated_by_choices[] = {"filing", "accepted", "filed",
                                               "stated", "signed",  NULL};

static const dsc_column_t report_columns[] = {
    {"form", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, form_choices, "form type as filed"},
    {"report_type", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, report_type_choices,
     "holdings (13F HOLDINGS REPORT), combination (13F COMBINATION REPORT) or notice (13F NOTICE)"},
    {"period_of_report", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED, NULL, "last day of the quarter"},
    {"filing_date", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED, NULL,
     "date of filing"},
    {"amendment_type", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, amendment_choices,
     "amendments: restatement replaces the whole report, new_holdings adds to it"},
    {"amendment_number", DSC_COLUMN_INTEGER, DSC_COLUMN_CARRIED, NULL, "amendments: their number"},
    {"manager_name", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "filing manager, as filed"},
    {"file_number", DSC_COLUMN_TEXT, DSC_COLUMN_CARRIED, NULL, "Form 13F file number, 028-NNNNN"},
    {"confidential_omitted", DSC_COLUMN_BOOLEAN, DSC_COLUMN_CARRIED, NULL,
     "whether holdings are omitted for which confidential treatment is asked"},
    {"other_managers", DSC_COLUMN_JSON, DSC_COLUMN_CARRIED, NULL,
     "other managers of cover and summary page, as filed: "
     "[{\"number\",\"cik\",\"file_number\",\"name\"}], absent members left out"},
    {"table_entry_total", DSC_COLUMN_INTEGER, DSC_COLUMN_CARRIED, NULL, "summary page: rows of the table, as stated"},
    {"table_value_total", DSC_COLUMN_DECIMAL, DSC_COLUMN_CARRIED, NULL, "summary page: value of the table, as stated"},
    {"value_factor", DSC_COLUMN_DECIMAL, 0, NULL,
     "what makes the values of its rows dollars: 1 or 1000; absent: 1"},
    {"total_factor", DSC_COLUMN_DECIMAL, 0, NULL,
     "what makes the stated total dollars; differs where the rows are in another unit; absent: 1"},
    {"value_scale", DSC_COLUMN_TEXT, 0, NULL,
     "that decision in words: dollars as filed; thousands, multiplied by 1000; ..."},
    {"value_scale_reason", DSC_COLUMN_TEXT, 0, NULL, "what the decision rests on"},
    {"scale_compared", DSC_COLUMN_BOOLEAN, DSC_COLUMN_NOT_COMPARED, NULL,
     "whether other managers' reports have decided it"},
    {"unconfirmed_cusips", DSC_COLUMN_TEXTS, DSC_COLUMN_NOT_COMPARED, NULL,
     "while it is open: securities whose price at other managers would tell"},
    {"dated_by", DSC_COLUMN_TEXT, DSC_COLUMN_NOT_COMPARED, dated_by_choices,
     "what known_at rests on, the best first: the filing that is loaded, the acceptance time of a "
     "header, a filing date, what the importer was told, the day of the signature"},
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

/* ---------------------------------------------------------------------- served */

static const dsc_field_t institution_fields[] = {
    {"cik", DSC_FIELD_CIK, DSC_NULLABLE, "i.cik", NULL, NULL, NULL, NULL, "CIK of the manager."},
    {"name", DSC_FIELD_TEXT, DSC_NULLABLE,
     "{present:i.name}{past:coalesce(i.name, (SELECT r.manager_name FROM institution_report r"
     " WHERE r.issuer_id = i.issuer_id AND {now:r} ORDER BY r.known_at DESC, r.id DESC LIMIT 1))}",
     NULL, NULL, NULL, NULL, "Name of the manager."},
};

static const dsc_shape_t institution_shape = {
    "Institution", "An institutional investment manager that files Form 13F.", institution_fields,
    DSC_COUNT(institution_fields)};

#define PERIOD_FIELD                                                                              \
    {"period_of_report", DSC_FIELD_DATE, 0, "t.period_of_report", NULL, NULL, NULL, NULL,         \
     "Last day of the quarter."}
#define VALUE_FIELD(what)                                                                         \
    {"value", DSC_FIELD_VALUE, 0, "t.value", "USD", NULL, NULL, NULL, what}

static const dsc_field_t report_fields[] = {
    {"institution", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &institution_shape,
     "The manager."},
    {"form", DSC_FIELD_TEXT, 0, "t.form", NULL, NULL, NULL, NULL, "Form type as filed."},
    {"report_type", DSC_FIELD_TEXT, 0, "t.report_type", NULL, NULL, NULL, NULL,
     "holdings, combination or notice."},
    PERIOD_FIELD,
    {"filing_date", DSC_FIELD_DATE, 0, "t.filing_date", NULL, NULL, NULL, NULL, "Date of filing."},
    {"amendment_type", DSC_FIELD_TEXT, DSC_NULLABLE, "t.amendment_type", NULL, NULL, NULL, NULL,
     "restatement: replaces the whole report; new_holdings: adds to it."},
    {"amendment_number", DSC_FIELD_INTEGER, DSC_NULLABLE, "t.amendment_number", NULL, NULL, NULL,
     NULL, "Number of the amendment."},
    {"table_entry_total", DSC_FIELD_INTEGER, DSC_NULLABLE, "t.table_entry_total", NULL, NULL, NULL,
     NULL, "Rows of the information table, as its summary page states them."},
    {"table_value_total", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.table_value_total", NULL, NULL, NULL,
     NULL, "Value of the information table, as its summary page states it."},
    {"value_scale", DSC_FIELD_TEXT, 0, "t.value_scale", NULL, NULL, NULL, NULL,
     "What the stated values were taken for: dollars as filed; thousands, multiplied by 1000; ..."},
    {"value_scale_reason", DSC_FIELD_TEXT, DSC_NULLABLE, "t.value_scale_reason", NULL, NULL, NULL,
     NULL, "What that rests on."},
    {"entries_stored", DSC_FIELD_INTEGER, 0, "t.entries_stored", NULL, NULL, NULL, NULL,
     "Rows of the information table that are stored."},
    {"value_stored", DSC_FIELD_VALUE, 0, "t.value_stored", "USD", NULL, NULL, NULL,
     "Their value."},
    {"value_difference", DSC_FIELD_VALUE, DSC_NULLABLE, "t.value_difference", "USD", NULL, NULL,
     NULL, "Stored value less the stated one."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "institution_report", NULL,
     "The filing."},
};

static const dsc_shape_t report_shape = {"InstitutionReport", "A Form 13F report.", report_fields,
                                         DSC_COUNT(report_fields)};

static const dsc_source_t report_source = {
    "institution_report t JOIN " DSC_ISSUER, NULL, "t.period_of_report",
    "date", "t.id", 0, NULL};

/* What a CUSIP is does not hang on when it was learned: the link is today's also as of the past, while the
 * listing that it shows is that of then. */
static const dsc_source_t position_source = {
    "institution_position t LEFT JOIN LATERAL"
    " (SELECT k.symbol, split_part(k.symbol, ':', 1) AS ticker, l.company_id FROM security_link l"
    "  CROSS JOIN LATERAL (SELECT {present:l.symbol}"
    "   {past:symbol_then(l.company_id, l.symbol, {value:as_of})} AS symbol) k"
    "  WHERE l.cusip = t.cusip AND t.period_of_report BETWEEN l.valid_from AND l.valid_to"
    "  ORDER BY l.precedence, l.valid_from DESC LIMIT 1) s ON true"
    " LEFT JOIN issuer c ON c.issuer_id = s.company_id"
    "{past: AND EXISTS (SELECT 1 FROM listing k WHERE k.issuer_id = s.company_id AND {now:k})}",
    NULL, "t.period_of_report", "date", "t.id", 0, NULL};

static const dsc_field_t position_fields[] = {
    {"ticker", DSC_FIELD_TEXT, DSC_NULLABLE, "s.ticker", NULL, NULL, NULL, NULL,
     "Ticker of that listing."},
    {"symbol", DSC_FIELD_TEXT, DSC_NULLABLE, "s.symbol", NULL, NULL, NULL, NULL,
     "Listing of the security, TICKER:MARKET; null where it is not known for sure."},
    {"name", DSC_FIELD_TEXT, 0, "t.issuer_title", NULL, NULL, NULL, NULL,
     "Name of the security's issuer, as filed."},
    {"cusip", DSC_FIELD_TEXT, DSC_NULLABLE, "t.cusip", NULL, NULL, NULL, NULL, "CUSIP, as filed."},
    VALUE_FIELD("Value at the end of the quarter."),
    {"shares", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.shares", NULL, NULL, NULL, NULL,
     "Number of shares; null where the row states a principal amount."},
    {"put_call", DSC_FIELD_TEXT, DSC_NULLABLE, "t.put_call", NULL, NULL, NULL, NULL,
     "Options: Put or Call; value and shares are the underlying security's."},
    PERIOD_FIELD,
    {"company_cik", DSC_FIELD_CIK, DSC_NULLABLE, "c.cik", NULL, NULL, NULL, NULL,
     "CIK of the security's issuer; null where it is not known for sure."},
    {"class_title", DSC_FIELD_TEXT, DSC_NULLABLE, "t.class_title", NULL, NULL, NULL, NULL,
     "Title of class, as filed."},
    {"figi", DSC_FIELD_TEXT, DSC_NULLABLE, "t.figi", NULL, NULL, NULL, NULL, "FIGI, as filed."},
    {"principal_amount", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.principal_amount", NULL, NULL, NULL,
     NULL, "Principal amount, where the row states that."},
    {"value_as_filed", DSC_FIELD_DECIMAL, 0, "t.value_as_filed", NULL, NULL, NULL, NULL,
     "The number in the row."},
    {"value_scale", DSC_FIELD_TEXT, DSC_NULLABLE, "t.value_scale", NULL, NULL, NULL, NULL,
     "Why value is not that number; null where it is."},
    {"investment_discretion", DSC_FIELD_TEXT, DSC_NULLABLE, "t.investment_discretion", NULL, NULL,
     NULL, NULL, "SOLE, DFND (shared-defined) or OTR (shared-other)."},
    {"other_managers", DSC_FIELD_JSON, DSC_NULLABLE | DSC_ARRAY,
     DSC_JSON_ARRAY("t.other_managers"), NULL, NULL, NULL, NULL,
     "Numbers of the other managers for whom the row is reported."},
    {"filing_date", DSC_FIELD_DATE, 0, "t.filing_date", NULL, NULL, NULL, NULL, "Date of filing."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "institution_position", NULL,
     "The report that says so."},
};

static const dsc_shape_t position_shape = {
    "InstitutionPosition", "A row of a Form 13F information table.", position_fields,
    DSC_COUNT(position_fields)};

static const dsc_field_t holder_fields[] = {
    {"institution", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &institution_shape,
     "The manager."},
    VALUE_FIELD("Value at the end of the quarter."),
    {"shares", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.shares", NULL, NULL, NULL, NULL,
     "Number of shares."},
    PERIOD_FIELD,
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "institution_holder", NULL,
     "The report that says so."},
};

static const dsc_shape_t holder_shape = {
    "InstitutionHolder", "What a manager holds of a listing at the end of a quarter.",
    holder_fields, DSC_COUNT(holder_fields)};

static const dsc_source_t holder_source = {
    "institution_holder t JOIN " DSC_ISSUER, NULL, "t.period_of_report",
    "date", "t.id", 0, NULL};

static const dsc_field_t flow_fields[] = {
    PERIOD_FIELD,
    {"holders", DSC_FIELD_INTEGER, 0, "t.holders", NULL, NULL, NULL, NULL,
     "Managers that hold the listing."},
    {"holders_change", DSC_FIELD_INTEGER, DSC_NULLABLE, "t.holders_change", NULL, NULL, NULL, NULL,
     "More or fewer than in the quarter before; null where that is not known."},
    VALUE_FIELD("Value of what they hold, at the end of the quarter."),
    {"shares", DSC_FIELD_DECIMAL, 0, "t.shares", NULL, NULL, NULL, NULL,
     "Number of shares that they hold."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "institution_flow", NULL,
     "Summed from the Form 13F reports of that quarter."},
};

static const dsc_shape_t flow_shape = {
    "InstitutionFlow", "What all managers together hold of a listing at the end of a quarter.",
    flow_fields, DSC_COUNT(flow_fields)};

static const dsc_source_t flow_source = {"institution_flow t", NULL, "t.period_of_report", "date",
                                         "t.id", 0, NULL};

static const dsc_follow_t report_follows[] = {
    {"filing", "date_institution_reports"},
    {NULL, NULL},
};

static const dsc_follow_t holder_follows[] = {
    {"security", "follow_securities"},
    {NULL, NULL},
};

const dsc_dataset_t dsc_dataset_institution_report = {
    "institution_report", "institution_report", "Form 13F reports: cover and summary page",
    report_columns, DSC_COUNT(report_columns), "period_of_report", "settle_institutions",
    &report_source, &report_shape, "{accession}", DSC_KEY_FIXED, report_follows};

const dsc_dataset_t dsc_dataset_institution_position = {
    "institution_position", "institution_position", "Rows of Form 13F information tables",
    position_columns, DSC_COUNT(position_columns), "period_of_report", "settle_institutions",
    &position_source, &position_shape, "{accession}/{row_number}", DSC_KEY_FIXED, NULL};

const dsc_dataset_t dsc_dataset_institution_holder = {
    "institution_holder", "institution_holder", "Holdings of institutions, by listing",
    NULL, 0, "period_of_report", "settle_institutions", &holder_source, &holder_shape, NULL,
    DSC_DERIVED, holder_follows};

const dsc_dataset_t dsc_dataset_institution_flow = {
    "institution_flow", "institution_flow", "Holdings of all institutions together, by listing",
    NULL, 0, "period_of_report", "settle_institutions", &flow_source, &flow_shape, NULL,
    DSC_DERIVED, NULL};

/* ------------------------------------------------------------------- endpoints */

#define LIST_PARAMETERS                                                                           \
    DSC_PARAMETER_CURSOR, DSC_PARAMETER_LIMIT("50", 500),                                         \
        DSC_PARAMETER_DIRECTION("period_of_report"), DSC_PARAMETER_AS_OF_BY("t.period_of_report")

/* Rows of a listing are kept under the symbol that it has now; `company` is whose it is. */
#define LISTING_PARAMETER(company)                                                                \
    DSC_SYMBOL_IN_PATH(DSC_RESOLVED | DSC_LISTING,                                                \
                       "{present:t.symbol = ?}"                                                   \
                       "{past:t.symbol = ANY (symbols_since(?, {value:as_of}))"                   \
                       " AND " company " = issuer_of_listing(?, {value:as_of})}")

static const dsc_parameter_t holders_parameters[] = {LISTING_PARAMETER("t.company_id"),
                                                     LIST_PARAMETERS};

static const dsc_parameter_t flow_parameters[] = {LISTING_PARAMETER("t.issuer_id"),
                                                  LIST_PARAMETERS};

static const dsc_parameter_t positions_parameters[] = {
    {"cik", DSC_IN_PATH, DSC_CIK, DSC_REQUIRED, NULL, {0, 0, 0, 0}, NULL,
     "t.issuer_id = (SELECT m.issuer_id FROM issuer m WHERE m.cik = ANY (ciks_of(ARRAY[?])))", NULL,
     "CIK of the manager, with or without leading zeros."},
    LIST_PARAMETERS,
};

static const dsc_parent_t manager = {
    "cik",
    "issuer i WHERE i.cik = ANY (ciks_of(ARRAY[?]))"
    " AND (EXISTS (SELECT 1 FROM institution_report r WHERE r.issuer_id = i.issuer_id{past: AND {now:r}})"
    " OR EXISTS (SELECT 1 FROM institution_position p WHERE p.issuer_id = i.issuer_id{past: AND {now:p}}))",
    NULL};

static const char *const listing_reads[] = {"institution_holder", "company", "listing", NULL};
static const char *const position_reads[] = {"institution_position", "company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_institution_holders = {
    "list_institution_holders", "GET", "/v1/institutions/holders-of/{symbol}", "Institutions",
    "Institutions that hold a listing.", DSC_ANSWER_LIST, 0, holders_parameters,
    DSC_COUNT(holders_parameters), &holder_source, &holder_shape, listing_reads, NULL, NULL, NULL,
    NULL, NULL};

const dsc_endpoint_t dsc_endpoint_institution_flow = {
    "list_institution_flow", "GET", "/v1/institutions/flow-of/{symbol}", "Institutions",
    "Holders of a listing and what they hold, by quarter.", DSC_ANSWER_LIST, 0, flow_parameters,
    DSC_COUNT(flow_parameters), &flow_source, &flow_shape, listing_reads, NULL, NULL, NULL, NULL,
    NULL};

const dsc_endpoint_t dsc_endpoint_institution_positions = {
    "list_institution_positions", "GET", "/v1/institutions/{cik}/positions", "Institutions",
    "What an institution holds.", DSC_ANSWER_LIST, 0, positions_parameters,
    DSC_COUNT(positions_parameters), &position_source, &position_shape, position_reads, NULL,
    "There is no institution with the CIK \"%s\".", NULL, &manager, NULL};
