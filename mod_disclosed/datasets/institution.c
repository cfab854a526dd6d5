/* Institutional holdings: Form 13F.
 *
 * Two datasets are loaded, both of the manager (cik; issuer_name is the manager's name):
 *
 * institution_report    one record for each filing, cover and summary page. Record key: the accession
 *                       number, which provenance.accession repeats. A notice and an empty report are
 *                       records as well. Totals are as stated on the summary page; what is stored
 *                       (entries, value, difference, unmapped) is counted when the load is reconciled.
 * institution_position  one record for each row of an information table, nothing summed. Record key:
 *                       "<accession>/<row number>", rows numbered from 1 in the file's order;
 *                       provenance.accession ties the row to its report.
 *
 * `known_at` of both is the acceptance time, else `known_on` the filing date. A report whose
 * amendment_type is not new_holdings stands for the whole of its manager and period from its known_at
 * on; the order in which files are loaded does not matter. */
#include "datasets/datasets.h"

CHOICES(form_choices, "13F-HR", "13F-HR/A", "13F-NT", "13F-NT/A", "13F-CTR", "13F-CTR/A");
CHOICES(report_type_choices, "holdings", "combination", "notice");
CHOICES(amendment_choices, "restatement", "new_holdings");
CHOICES(shares_type_choices, "SH", "PRN");
CHOICES(put_call_choices, "Put", "Call");

CHOICES(dated_by_choices, "filing", "accepted", "filed", "stated", "signed");

/* ---------------------------------------------------------------------- served */
static const dsc_shape_t institution_shape = SHAPE(
    "Institution", "An institutional investment manager that files Form 13F.",
    CIK("cik", "i.cik", "CIK of the manager; null if it has none.", NULLABLE),
    TEXT("name",
         "{present:i.name}{past:coalesce(i.name, (SELECT r.manager_name FROM institution_report r"
         " WHERE r.issuer_id = i.issuer_id AND {now:r} ORDER BY r.known_at DESC, r.id DESC LIMIT 1))}",
         "Name of the manager; null if unknown.", NULLABLE));

#define PERIOD_FIELD                                                                                                  \
    DATE("period_of_report", "t.period_of_report", "Period of report: last day of the quarter.")
#define VALUE_FIELD(what)                                                                                             \
    VALUE("value", "t.value", "USD", what)

#define REPORT_FIELDS                                                                                                 \
    OBJECT("institution", institution_shape, "The manager that files the report."),                                   \
    TEXT("form", "t.form", "Form type, as filed."),                                                                   \
    TEXT("report_type", "t.report_type", "Type of report: holdings, combination or notice."),                         \
    PERIOD_FIELD,                                                                                                     \
    DATE("filing_date", "t.filing_date", "Filing date."),                                                             \
    TEXT("amendment_type", "t.amendment_type", "Type of amendment. restatement: it replaces the whole report; new_holdings: it adds to the report; " \
                                               "null if the report is no amendment.",                                 \
         NULLABLE),                                                                                                   \
    INTEGER("amendment_number", "t.amendment_number", "Number of the amendment; null if the form is no amendment or states no number.", NULLABLE), \
    INTEGER("table_entry_total", "t.table_entry_total",                                                               \
            "Number of rows of the information table, as stated on the summary page; null if not stated.", NULLABLE), \
    DECIMAL("table_value_total", "t.table_value_total",                                                               \
            "Value of the information table, as stated on the summary page and in its unit; null if not stated.", NULLABLE), \
    TEXT("value_scale", "t.value_scale",                                                                              \
         "Unit in which the values were taken to be filed: dollars as filed; thousands, multiplied by 1000; ..."),    \
    TEXT("value_scale_reason", "t.value_scale_reason", "Evidence for that unit; null if none was recorded.", NULLABLE), \
    INTEGER("entries_stored", "t.entries_stored", "Number of rows of the information table that are stored."),        \
    VALUE("value_stored", "t.value_stored", "USD", "Value of the stored rows in USD."),                               \
    VALUE("value_difference", "t.value_difference", "USD", "value_stored less the value stated on the summary page, in USD; null if none is stated.", NULLABLE), \
    PROVENANCE("institution_report", "The filing.", .filer = "i.cik")

static const dsc_shape_t report_shape = SHAPE("InstitutionReport", "A Form 13F report.",
    REPORT_FIELDS);

static const dsc_source_t report_source = ROWS("institution_report t JOIN " DSC_ISSUER, "t.period_of_report", "date");

/* The meaning of a CUSIP does not depend on when it was learned: as of the past the link is
 * today's, while the listing that it shows is that of the past. */
static const dsc_source_t position_source =
    ROWS("institution_position t LEFT JOIN LATERAL"
         " (SELECT k.symbol, split_part(k.symbol, ':', 1) AS ticker, l.company_id FROM security_link l"
         "  CROSS JOIN LATERAL (SELECT {present:l.symbol}"
         "   {past:symbol_then(l.company_id, l.symbol, {value:as_of})} AS symbol) k"
         "  WHERE l.cusip = t.cusip AND t.period_of_report BETWEEN l.valid_from AND l.valid_to"
         "  ORDER BY l.precedence, l.valid_from DESC LIMIT 1) s ON true"
         " LEFT JOIN issuer c ON c.issuer_id = s.company_id"
         "{past: AND EXISTS (SELECT 1 FROM listing k WHERE k.issuer_id = s.company_id AND {now:k})}",
         "t.period_of_report", "date");

static const dsc_shape_t position_shape = SHAPE("InstitutionPosition", "A row of a Form 13F information table.",
    TEXT("ticker", "s.ticker", "Ticker of the security's listing; null if it is not known for certain.", NULLABLE),
    TEXT("symbol", "s.symbol", "Symbol (TICKER:MARKET) of the security's listing; null if it is not known for certain.",
         NULLABLE),
    TEXT("name", "t.issuer_title", "Name of the security's issuer, as filed."),
    TEXT("cusip", "t.cusip", "CUSIP, as filed.", NULLABLE),
    VALUE_FIELD("Value in USD at the end of the quarter."),
    DECIMAL("shares", "t.shares", "Number of shares; null if the row states a principal amount.", NULLABLE),
    TEXT("put_call", "t.put_call", "Put or Call for options, whose value and shares are those of the underlying security; null for other rows.", NULLABLE),
    PERIOD_FIELD,
    CIK("company_cik", "c.cik", "CIK of the security's issuer; null if it is not known for certain.", NULLABLE),
    TEXT("class_title", "t.class_title", "Title of class, as filed; null if not stated.", NULLABLE),
    TEXT("figi", "t.figi", "FIGI, as filed.", NULLABLE),
    DECIMAL("principal_amount", "t.principal_amount", "Principal amount in USD; null if the row states a number of shares.", NULLABLE),
    DECIMAL("value_as_filed", "t.value_as_filed", "Value, as filed in the row, before correction of its unit."),
    TEXT("value_scale", "t.value_scale", "Why value differs from value_as_filed; null if it does not.", NULLABLE),
    TEXT("investment_discretion", "t.investment_discretion",
          "Investment discretion: SOLE, DFND (shared-defined) or OTR (shared-other); null if not stated.",
         NULLABLE),
    JSON("other_managers", "t.other_managers",
         "Numbers of the other managers for whom the row is reported; null if there are none.", .flags = DSC_NULLABLE | DSC_ARRAY),
    DATE("filing_date", "t.filing_date", "Filing date."),
    PROVENANCE("institution_position", "The report that states it."));

static const dsc_shape_t holder_shape = SHAPE(
    "InstitutionHolder", "A manager's holding of a listing at the end of a quarter.",
    OBJECT("institution", institution_shape, "The manager that files the report."),
    VALUE_FIELD("Value in USD at the end of the quarter."),
    DECIMAL("shares", "t.shares", "Number of shares.", NULLABLE),
    PERIOD_FIELD,
    PROVENANCE("institution_holder", "The report that states it."));

static const dsc_source_t holder_source = ROWS("institution_holder t JOIN " DSC_ISSUER, "t.period_of_report", "date");

static const dsc_shape_t flow_shape = SHAPE(
    "InstitutionFlow", "Holdings of a listing by all managers together at the end of a quarter.",
    PERIOD_FIELD,
    INTEGER("holders", "t.holders", "Number of managers that hold the listing."),
    INTEGER("holders_change", "t.holders_change",
            "Change in the number of holders from the quarter before; null if that number is unknown.", NULLABLE),
    VALUE_FIELD("Value of their holdings in USD at the end of the quarter."),
    DECIMAL("shares", "t.shares", "Number of shares in their holdings."),
    PROVENANCE("institution_flow", "Summed from the Form 13F reports of that quarter."));

static const dsc_source_t flow_source = ROWS("institution_flow t", "t.period_of_report", "date");

const dsc_dataset_t dsc_dataset_institution_report = {
    DATASET("institution_report", "institution_report", "Form 13F reports: cover and summary page"),
    .keeps = "security_link security_title institution_unmapped",
    COLUMNS(
        REQUIRED(TEXT, "form", "form type, as filed", .choices = form_choices),
        REQUIRED(TEXT, "report_type",
                 "holdings (13F HOLDINGS REPORT), combination (13F COMBINATION REPORT) or notice (13F NOTICE)",
                 .choices = report_type_choices),
        REQUIRED(DATE, "period_of_report", "period of report: last day of the quarter"),
        COLUMN(DATE, "filing_date", "filing date", .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXT, "amendment_type", "amendments only: restatement replaces the whole report, new_holdings adds to it",
                .choices = amendment_choices),
        COLUMN(INTEGER, "amendment_number", "amendments only: number of the amendment"),
        REQUIRED(TEXT, "manager_name", "filing manager, as filed"),
        FORWARD_FILLED(TEXT, "file_number", "Form 13F file number, 028-NNNNN"),
        FORWARD_FILLED(BOOLEAN, "confidential_omitted",
                "whether holdings are omitted because confidential treatment is requested for them"),
        FORWARD_FILLED(JSON, "other_managers",
                "other managers on the cover and the summary page, as filed: [{\"number\",\"cik\",\"file_number\",\"name\"}]; members that are not "
                "stated are left out"),
        FORWARD_FILLED(INTEGER, "table_entry_total", "summary page: number of rows of the information table, as stated"),
        FORWARD_FILLED(DECIMAL, "table_value_total", "summary page: value of the information table, as stated"),
        COLUMN(DECIMAL, "value_factor", "factor that converts the values of its rows to dollars: 1 or 1000; absent: 1"),
        COLUMN(DECIMAL, "total_factor",
               "factor that converts the stated total to dollars, which differs if the rows are in another unit; absent: 1"),
        COLUMN(TEXT, "value_scale", "unit in which the values were taken to be filed: dollars as filed; thousands, multiplied by 1000; ..."),
        COLUMN(TEXT, "value_scale_reason", "evidence for that unit"),
        COLUMN(BOOLEAN, "scale_compared", "whether reports of other managers have decided the unit",
               .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXTS, "unconfirmed_cusips", "while the unit is undecided: securities whose price in reports of other managers would decide it",
               .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXT, "dated_by",
               "basis of known_at, the best first: the loaded filing, the acceptance time in a header, a filing date, the time given to the "
               "importer, the date of signature",
               .flags = DSC_COLUMN_NOT_COMPARED, .choices = dated_by_choices)),
    .key_form = "{accession}",
    .flags = DSC_KEY_FIXED | DSC_OF_FILINGS | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION,
    .date_column = "period_of_report",
    .reconcile = "reconcile_institutions",
    .follows = FOLLOWS({"filing", "date_institution_reports"}),
    DSC_ANNOUNCES(DSC_TOPIC_HOLDINGS),
    SHOWN(report_source, report_shape),
};

static const dsc_shape_t delivered_shape = SHAPE("DeliveredInstitutionReport", "A Form 13F report, as webhooks deliver it.",
    REPORT_FIELDS,
    DSC_DELIVERED_URL(DSC_DELIVERED_SOURCE("institution_report")));

static const dsc_shape_t delivery_shape = SHAPE("InstitutionReportDelivery",
    "Body of an " DSC_TOPIC_HOLDINGS " delivery.",
    DSC_DELIVERY_FIELDS(delivered_shape));

const dsc_topic_t dsc_topic_holdings = {
    DSC_TOPIC_HOLDINGS, "An institutional investment manager has reported its holdings on Form 13F.", &delivery_shape,
    DSC_DELIVERY_FROM ", institution_report t JOIN " DSC_ISSUER "{source:t}" DSC_DELIVERY_WHERE
    DSC_DELIVERED_ID(DSC_TOPIC_HOLDINGS)};

const dsc_dataset_t dsc_dataset_institution_position = {
    DATASET("institution_position", "institution_position", "Rows of Form 13F information tables"),
    .keeps = "security_link security_title institution_unmapped",
    COLUMNS(
        REQUIRED(DATE, "period_of_report", "period of report: last day of the quarter"),
        COLUMN(DATE, "filing_date", "filing date", .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED),
        REQUIRED(INTEGER, "row_number", "number of the row in the information table, from 1"),
        REQUIRED(TEXT, "issuer_title", "name of issuer, as filed"),
        COLUMN(TEXT, "class_title", "title of class, as filed"),
        COLUMN(TEXT, "cusip", "CUSIP, upper case; leading zeros that a spreadsheet has cut off are restored; otherwise as filed"),
        COLUMN(TEXT, "figi", "FIGI, as filed"),
        REQUIRED(DECIMAL, "value", "value in USD, after correction of its unit"),
        REQUIRED(DECIMAL, "value_as_filed", "value, as filed"),
        COLUMN(TEXT, "value_scale", "why value is not as filed, e.g. thousands, multiplied by 1000"),
        REQUIRED(TEXT, "shares_type", "SH: shares, PRN: principal amount", .choices = shares_type_choices),
        COLUMN(DECIMAL, "shares", "SH rows only: number of shares"),
        COLUMN(DECIMAL, "principal_amount", "PRN rows only: principal amount in USD"),
        COLUMN(TEXT, "put_call", "options: Put or Call", .choices = put_call_choices),
        COLUMN(TEXT, "investment_discretion", "SOLE, DFND (shared-defined) or OTR"),
        COLUMN(TEXTS, "other_managers", "numbers of other managers: {4,8,11}"),
        COLUMN(DECIMAL, "voting_sole", "voting authority: sole"),
        COLUMN(DECIMAL, "voting_shared", "voting authority: shared"),
        COLUMN(DECIMAL, "voting_none", "voting authority: none")),
    .key_form = "{accession}/{row_number}",
    .flags = DSC_KEY_FIXED | DSC_OF_FILINGS | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION " AND (t.issuer_id, t.period_of_report) IN ("
                 "SELECT r.issuer_id, r.period_of_report FROM disclosed.institution_report r"
                 " WHERE r.accession = w.accession)",
    .reconcile_anew = "UPDATE disclosed.institution_report r SET settled_known_at = NULL"
                " FROM unnest($1::bigint[], $2::text[]) AS w(issuer_id, accession)"
                " WHERE r.issuer_id = w.issuer_id AND r.accession = w.accession",
    .date_column = "period_of_report",
    .reconcile = "reconcile_institutions",
    SHOWN(position_source, position_shape),
};

const dsc_dataset_t dsc_dataset_institution_holder = {
    DATASET("institution_holder", "institution_holder", "Holdings of institutions, by listing"),
    .flags = DSC_DERIVED,
    .date_column = "period_of_report",
    .reconcile = "reconcile_institutions",
    .follows = FOLLOWS({"security", "follow_securities"}),
    SHOWN(holder_source, holder_shape),
};

const dsc_dataset_t dsc_dataset_institution_flow = {
    DATASET("institution_flow", "institution_flow", "Holdings of all institutions together, by listing"),
    .keeps = "institution_flow_day",
    .flags = DSC_DERIVED,
    .date_column = "period_of_report",
    .reconcile = "reconcile_institutions",
    SHOWN(flow_source, flow_shape),
};

/* ------------------------------------------------------------------- endpoints */

#define LIST_PARAMETERS                                                                           \
    DSC_PARAMETER_CURSOR, DSC_PARAMETERS_ROWS("50", 500),                                         \
        DSC_PARAMETER_DIRECTION("period_of_report"), DSC_PARAMETER_AS_OF_BY("t.period_of_report")

/* Rows of a listing are kept under the symbol that it has now; the company is whose it is, as other listings may have taken
 * its symbol. The holders of the past are read in order, symbol by symbol; its flows are a few hundred. */
#define HOLDERS_OF                                                                                \
    PATH(SYMBOL, "symbol", DSC_SYMBOL_IN_PATH_DESCRIPTION,                                        \
         .flags = DSC_RESOLVED | DSC_LISTING | DSC_EACH_PAST,                                     \
         .predicate = "{present:?}{past:symbols_since(?, {value:as_of})}",                        \
         .column = "t.company_id = {company} AND t.symbol")
#define FLOW_OF                                                                                   \
    DSC_SYMBOL_IN_PATH(DSC_RESOLVED | DSC_LISTING,                                                \
                       "t.issuer_id = {company} AND t.symbol"                                     \
                       " = {present:?}{past:ANY (symbols_since(?, {value:as_of}))}")

static const dsc_parent_t manager = {
    .parameter = "cik",
    .from =
        "issuer i WHERE i.cik = ANY (ciks_of(ARRAY[?]))"
        " AND (EXISTS (SELECT 1 FROM institution_report r WHERE r.issuer_id = i.issuer_id{past: AND {now:r}})"
        " OR EXISTS (SELECT 1 FROM institution_position p WHERE p.issuer_id = i.issuer_id"
        "{past: AND {now:p} AND p.period_of_report <= ({value:as_of} AT TIME ZONE 'UTC')::date + 14}))",
};

const dsc_endpoint_t dsc_endpoint_institution_holders = {
    GET("list_institution_holders", "/v1/institutions/holders-of/{symbol}"),
    ABOUT("Institutions", "Institutions that hold a listing."),
    LIST(holder_source, holder_shape),
    PARAMETERS(
        HOLDERS_OF,
        LIST_PARAMETERS),
};

const dsc_endpoint_t dsc_endpoint_institution_flow = {
    GET("list_institution_flow", "/v1/institutions/flow-of/{symbol}"),
    ABOUT("Institutions", "Number of institutions that hold a listing, and their holdings, by quarter."),
    LIST(flow_source, flow_shape),
    PARAMETERS(
        FLOW_OF,
        LIST_PARAMETERS),
};

const dsc_endpoint_t dsc_endpoint_institution_positions = {
    GET("list_institution_positions", "/v1/institutions/{cik}/positions"),
    ABOUT("Institutions", "Holdings of an institution, from its Form 13F reports."),
    LIST(position_source, position_shape),
    PARAMETERS(
        PATH(CIK, "cik", "CIK of the manager, with or without leading zeros.",
             .predicate = "t.issuer_id = (SELECT m.issuer_id FROM issuer m WHERE m.cik = ANY (ciks_of(ARRAY[?])))"),
        LIST_PARAMETERS),
    .parent = &manager,
    .not_found = "There is no institution with the CIK \"%s\".",
};
