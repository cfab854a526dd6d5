/* Calculations and labels of filings, as their own linkbases have them, and whether their statements add up. */
#include "datasets/xbrl_report.h"

static const dsc_shape_t record_shape = SHAPE("XbrlLinkbaseRecord", "A filing with calculations.",
    INTEGER("id", "t.id", "Number of the record."),
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("form", "t.form", "Form type as filed."),
    DATE("filed_on", "t.filed_on", "Filing date."),
    INTEGER("arc_count", "cardinality(t.roles)", "How many children of parents it names."),
    PROVENANCE("xbrl_linkbase", "The filing.", .filer = "i.cik"));

static const dsc_source_t record_source = ROWS("xbrl_linkbase t JOIN " DSC_ISSUER, "t.filed_on", "date");

const dsc_dataset_t dsc_dataset_xbrl_linkbase = {
    DATASET("xbrl_linkbase", "xbrl_linkbase", "Calculations and labels of filings, all of a filing's in one record"),
    COLUMNS(
        REQUIRED(TEXT, "form", "form type as filed"),
        REQUIRED(DATE, "filed_on", "filing date"),
        REQUIRED(TEXTS, "roles", "of each arc: URI of the statement that it is in"),
        REQUIRED(TEXTS, "parents", "of each arc: element that is the sum, us-gaap:Assets"),
        REQUIRED(TEXTS, "children", "of each arc: element that is added to it"),
        REQUIRED(TEXTS, "weights", "of each arc: what it is multiplied by, 1 or -1"),
        COLUMN(TEXTS, "statement_roles", "URIs of statements that have a name"),
        COLUMN(TEXTS, "statement_names", "of each of these: its name"),
        COLUMN(TEXTS, "concepts", "elements that have a label"),
        COLUMN(TEXTS, "labels", "of each of these: its standard label")),
    .key_form = "{accession}/linkbase",
    .flags = DSC_KEY_FIXED | DSC_OF_FILINGS | DSC_BY_COMPANY,
    .date_column = "filed_on",
    .settle = "settle_linkbases",
    .keeps = "calculation_check",
    .follows = FOLLOWS({"filing", "settle_linkbases"}, {"xbrl_report", "check_calculations"}),
    SHOWN(record_source, record_shape),
};

const dsc_shape_t dsc_shape_calculation_checks = SHAPE("CalculationChecks", "Whether the statements of filings add up by their own calculations.",
    INTEGER("filings", "checks.filings", "Filings with calculations."),
    INTEGER("statements", "checks.statements", "Their statements with sums."),
    INTEGER("statements_agreeing", "checks.statements_agreeing", "Those of which all sums agree, within what numbers are rounded to."),
    INTEGER("sums", "checks.sums", "Sums, of all periods."),
    INTEGER("sums_agreeing", "checks.sums_agreeing", "Those that agree."));

static const dsc_shape_t child_shape = SHAPE("SumChild", "What is added to a sum.",
    MEMBER(TEXT, "concept", "The element."),
    MEMBER(DECIMAL, "weight", "What it is multiplied by."),
    MEMBER(DECIMAL, "value", "Its number."));

static const dsc_shape_t sum_shape = SHAPE("StatementSum", "A number, and what the filing adds up to it.",
    MEMBER(TEXT, "concept", "The element that is the sum."),
    MEMBER(TEXT, "label", "Its label.", NULLABLE),
    MEMBER(TEXT, "unit", "Unit, as filed."),
    MEMBER(DATE, "start_date", "First day of the period; null: an instant.", NULLABLE),
    MEMBER(DATE, "end_date", "Last day of the period, or the instant."),
    MEMBER(DECIMAL, "value", "The number as filed."),
    MEMBER(DECIMAL, "sum", "Its children times their weights, added: those that are reported for the same period."),
    MEMBER(DECIMAL, "difference", "The number less that sum."),
    MEMBER(DECIMAL, "tolerance", "How large a difference may come of rounding: half of each number's last exact digit."),
    MEMBER(BOOLEAN, "agrees", "Whether the difference is within it."),
    MEMBER(JSON, "children", "What is added, in the filing's order.", .flags = DSC_ARRAY, .shape = &child_shape));

static const dsc_shape_t statement_shape = SHAPE("FilingStatement", "A statement and its sums.",
    MEMBER(TEXT, "role", "URI of the statement."),
    MEMBER(TEXT, "name", "What the filing calls it."),
    MEMBER(INTEGER, "sum_count", "Its sums."),
    MEMBER(INTEGER, "agreeing", "Those that agree with their number."),
    MEMBER(JSON, "sums", "By element, unit and period.", .flags = DSC_ARRAY, .shape = &sum_shape));

static const dsc_shape_t calculations_shape = SHAPE("FilingCalculations", "Whether a filing's statements add up by its own calculations.",
    INTEGER("id", "t.id", "Number of the record."),
    TEXT("ticker", "i.ticker", "Ticker of the filer's primary listing.", NULLABLE),
    CIK("company_cik", "i.cik", "CIK of the filer.", NULLABLE),
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("form", "t.form", "Form type as filed."),
    DATE("filed_on", "t.filed_on", "Filing date."),
    JSON("statements", "linkbase_statements(t, r)", "The statements that have sums, in the filing's order.", .flags = DSC_ARRAY,
         .shape = &statement_shape),
    PROVENANCE("xbrl_linkbase", "The filing.", .filer = "i.cik"));

/* Never paged: a filing has few filers. */
static const dsc_source_t calculations_source = {
    .from = "xbrl_linkbase t JOIN xbrl_report r ON r.accession = t.accession AND r.issuer_id = t.issuer_id AND {now:r}"
            " AND " DSC_REPORT_IS_TAKEN("r") " JOIN " DSC_ISSUER,
    .order = "t.issuer_id",
    .order_type = "bigint",
    .tie = "t.id",
};

static const dsc_parent_t calculations_parent = {
    .parameter = "accession",
    .from = "xbrl_linkbase t WHERE t.accession = ? AND {now:t} LIMIT 1",
};

const dsc_endpoint_t dsc_endpoint_filing_calculations = {
    GET("list_filing_calculations", "/v1/filings/{accession}/calculations"),
    ABOUT("Filings", "Statements of a filing, added up by its own calculations."),
    ALL(calculations_source, calculations_shape),
    PARAMETERS(
        PATH(ACCESSION, "accession", "Accession number, with or without dashes.", .predicate = "t.accession = ?"),
        DSC_PARAMETER_AS_OF),
    .parent = &calculations_parent,
    .not_found = "There are no calculations of a filing with the accession number \"%s\".",
};
