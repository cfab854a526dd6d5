/* Calculations, statements and labels of filings, as their own linkbases have them, and whether the statements add up. */
#include "datasets/xbrl_report.h"

static const dsc_shape_t record_shape = SHAPE("XbrlLinkbaseRecord", "A filing with calculations or statements.",
    INTEGER("id", "t.id", "Number of the record."),
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("form", "t.form", "Form type as filed."),
    DATE("filed_on", "t.filed_on", "Filing date."),
    INTEGER("arc_count", "cardinality(t.roles)", "How many children of parents it names."),
    INTEGER("line_count", "coalesce(cardinality(t.line_concepts), 0)", "How many lines its statements have."),
    PROVENANCE("xbrl_linkbase", "The filing.", .filer = "i.cik"));

static const dsc_source_t record_source = ROWS("xbrl_linkbase t JOIN " DSC_ISSUER, "t.filed_on", "date");

const dsc_dataset_t dsc_dataset_xbrl_linkbase = {
    DATASET("xbrl_linkbase", "xbrl_linkbase", "Calculations, statements and labels of filings, all of a filing's in one record"),
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
        COLUMN(TEXTS, "labels", "of each of these: its standard label"),
        COLUMN(TEXTS, "presented_roles", "URIs of the statements that have lines, in the filing's order"),
        COLUMN(TEXTS, "line_statements", "of each line: which of these it is in, from 1"),
        COLUMN(TEXTS, "line_depths", "of each line: how many lines it is below"),
        COLUMN(TEXTS, "line_concepts", "of each line: its element"),
        COLUMN(TEXTS, "line_labels", "of each line: its label; empty: none"),
        COLUMN(TEXTS, "line_label_roles", "of each line: which label that is, totalLabel; empty: the standard one"),
        COLUMN(TEXTS, "line_axes", "of each line: the axis that it is, or is a member of; empty: neither"),
        COLUMN(TEXTS, "axes", "axes of the lines"),
        COLUMN(TEXTS, "axis_defaults", "of each of these: the member of facts that name none; empty: not told")),
    .key_form = "{accession}/linkbase",
    .flags = DSC_KEY_FIXED | DSC_OF_FILINGS | DSC_BY_COMPANY | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION,
    .date_column = "filed_on",
    .reconcile = "reconcile_linkbases",
    .keeps = "calculation_check",
    .follows = FOLLOWS({"filing", "reconcile_linkbases"}, {"xbrl_report", "check_calculations"}),
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

/* What each endpoint says of the filing. */
#define FILING_MEMBERS                                                                                                \
    INTEGER("id", "t.id", "Number of the record."),                                                                   \
    TEXT("ticker", "i.ticker", "Ticker of the filer's primary listing.", NULLABLE),                                   \
    CIK("company_cik", "i.cik", "CIK of the filer.", NULLABLE),                                                       \
    TEXT("accession", "t.accession", "Accession number of the filing."),                                              \
    TEXT("form", "t.form", "Form type as filed."),                                                                    \
    DATE("filed_on", "t.filed_on", "Filing date.")

static const dsc_shape_t calculations_shape = SHAPE("FilingCalculations", "Whether a filing's statements add up by its own calculations.",
    FILING_MEMBERS,
    JSON("statements", "linkbase_statements(t, r)", "The statements that have sums, in the filing's order.", .flags = DSC_ARRAY,
         .shape = &statement_shape),
    PROVENANCE("xbrl_linkbase", "The filing.", .filer = "i.cik"));

/* A linkbase with the facts of its filing. */
#define WITH_REPORT                                                                                                   \
    "xbrl_linkbase t JOIN xbrl_report r ON r.accession = t.accession AND r.issuer_id = t.issuer_id AND {now:r} AND "  \
    DSC_REPORT_IS_TAKEN("r") " JOIN " DSC_ISSUER

/* Never paged: a filing has few filers. */
static const dsc_source_t calculations_source = {
    .from = WITH_REPORT,
    .where = "t.roles <> '{}'",
    .order = "t.issuer_id",
    .order_type = "bigint",
    .tie = "t.id",
};

static const dsc_parent_t calculations_parent = {
    .parameter = "accession",
    .from = "xbrl_linkbase t WHERE t.accession = ? AND t.roles <> '{}' AND {now:t} LIMIT 1",
};

const dsc_endpoint_t dsc_endpoint_filing_calculations = {
    GET("list_filing_calculations", "/v1/filings/{accession}/calculations"),
    ABOUT("Filings", "Statements of a filing, added up by its own calculations."),
    ALL(calculations_source, calculations_shape),
    PARAMETERS(
        DSC_PARAMETER_ACCESSION,
        DSC_PARAMETER_AS_OF),
    .parent = &calculations_parent,
    .not_found = "There are no calculations of a filing with the accession number \"%s\".",
};

/* ------------------------------------------------------------ statements as presented */

/* What both say of a statement. */
#define NUMBER_TEXT "Its place among the filing's statements, from 1."
#define ROLE_TEXT   "URI of the statement."
#define NAME_TEXT   "What the filing calls it."
#define KIND_TEXT   "statement, disclosure or document, as the filing says; null: it does not."

static const dsc_shape_t listed_statement_shape = SHAPE("PresentedStatement", "A statement or note of a filing.",
    MEMBER(INTEGER, "number", NUMBER_TEXT),
    MEMBER(TEXT, "role", ROLE_TEXT),
    MEMBER(TEXT, "name", NAME_TEXT),
    MEMBER(TEXT, "kind", KIND_TEXT, NULLABLE),
    MEMBER(INTEGER, "line_count", "Its lines."));

static const dsc_shape_t statements_shape = SHAPE("FilingStatements", "The statements and notes that a filing presents.",
    FILING_MEMBERS,
    JSON("statements", "presented_statements(t)", "In the filing's order.", .flags = DSC_ARRAY, .shape = &listed_statement_shape),
    PROVENANCE("xbrl_linkbase", "The filing.", .filer = "i.cik"));

static const dsc_source_t statements_source = {
    .from = "xbrl_linkbase t JOIN " DSC_ISSUER,
    .where = "t.presented_roles IS NOT NULL",
    .order = "t.issuer_id",
    .order_type = "bigint",
    .tie = "t.id",
};

static const dsc_parent_t statements_parent = {
    .parameter = "accession",
    .from = "xbrl_linkbase t WHERE t.accession = ? AND t.presented_roles IS NOT NULL AND {now:t} LIMIT 1",
};

const dsc_endpoint_t dsc_endpoint_filing_statements = {
    GET("list_filing_statements", "/v1/filings/{accession}/statements"),
    ABOUT("Filings", "Statements and notes of a filing, as its presentation linkbase has them."),
    ALL(statements_source, statements_shape),
    PARAMETERS(
        DSC_PARAMETER_ACCESSION,
        DSC_PARAMETER_AS_OF),
    .parent = &statements_parent,
    .not_found = "There are no statements of a filing with the accession number \"%s\".",
};

static const dsc_shape_t line_value_shape = SHAPE("LineValue", "A number of a line.",
    MEMBER(TEXT, "unit", "Unit, as filed: USD, shares, USD/shares, pure."),
    MEMBER(DATE, "start_date", "First day of the period; null: an instant.", NULLABLE),
    MEMBER(DATE, "end_date", "Last day of the period, or the instant."),
    MEMBER(JSON, "dimensions", "By axis; empty: the number is about the company as a whole.", .flags = DSC_ARRAY, .shape = &dsc_shape_xbrl_dimension),
    MEMBER(DECIMAL, "value", "The number as filed, whatever sign the filing shows it with."));

static const dsc_shape_t line_shape = SHAPE("StatementLine", "A line of a statement.",
    MEMBER(TEXT, "concept", "Its element."),
    MEMBER(TEXT, "label", "Its label there; null: the filing has none.", NULLABLE),
    MEMBER(TEXT, "label_role",
           "Which of the element's labels the filing wants there: totalLabel, terseLabel, periodStartLabel, negatedLabel; null: the standard one, "
           "which also stands for one that the filing lacks.", NULLABLE),
    MEMBER(BOOLEAN, "negated", "Whether the filing shows its numbers with the opposite sign."),
    MEMBER(INTEGER, "depth", "How many lines it is below: 0 is the heading."),
    MEMBER(TEXT, "axis", "The axis that the line is, or is a member of; null: neither.", NULLABLE),
    MEMBER(JSON, "values", "Its numbers: by unit, those of the whole company before those of parts, the last period first.", .flags = DSC_ARRAY,
           .shape = &line_value_shape));

static const dsc_shape_t presented_shape = SHAPE("FilingStatementLines", "A statement or note of a filing, with its numbers.",
    FILING_MEMBERS,
    INTEGER("number", "{value:number}::bigint", NUMBER_TEXT),
    TEXT("role", "t.presented_roles[{value:number}]", ROLE_TEXT),
    TEXT("name", "statement_name(t.presented_roles[{value:number}], t.statement_roles, t.statement_names)", NAME_TEXT),
    TEXT("kind", "statement_kind(t.presented_roles[{value:number}], t.statement_roles, t.statement_names)", KIND_TEXT, NULLABLE),
    JSON("lines", "presented_lines(t, r, {value:number})", "In the filing's order.", .flags = DSC_ARRAY, .shape = &line_shape),
    PROVENANCE("xbrl_linkbase", "The filing.", .filer = "i.cik"));

static const dsc_source_t presented_source = ROW(WITH_REPORT);

const dsc_endpoint_t dsc_endpoint_filing_statement = {
    GET("get_filing_statement", "/v1/filings/{accession}/statements/{number}"),
    ABOUT("Filings", "A statement or note of a filing as it presents it: its lines, their labels and numbers."),
    ITEM(presented_source, presented_shape),
    PARAMETERS(
        DSC_PARAMETER_ACCESSION,
        PATH(INTEGER, "number", "Its number in the list of the filing's statements.", BETWEEN(1, 999999),
             .predicate = "cardinality(t.presented_roles) >= ?"),
        DSC_PARAMETER_AS_OF),
    .rows = "lines",
    .not_found = "The filing has no statement \"%s\".",
};
