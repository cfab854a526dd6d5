/* Calculations, statements and labels of filings, as their own linkbases have them, and whether the statements add up. */
#include "datasets/xbrl_report.h"

static const dsc_shape_t record_shape = SHAPE("XbrlLinkbaseRecord", "A filing with calculations or statements.",
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("form", "t.form", "Form type, as filed."),
    DATE("filed_on", "t.filed_on", "Filing date."),
    INTEGER("arc_count", "cardinality(t.roles)", "Number of calculation arcs, each from a parent to a child."),
    INTEGER("line_count", "coalesce(cardinality(t.line_concepts), 0)", "Number of lines in its statements."),
    PROVENANCE("xbrl_linkbase", "The filing.", .filer = "i.cik"));

static const dsc_source_t record_source = ROWS("xbrl_linkbase t JOIN " DSC_ISSUER, "t.filed_on", "date");

const dsc_dataset_t dsc_dataset_xbrl_linkbase = {
    DATASET("xbrl_linkbase", "xbrl_linkbase", "Calculations, statements and labels of filings, one record for each filing"),
    COLUMNS(
        REQUIRED(TEXT, "form", "form type, as filed"),
        REQUIRED(DATE, "filed_on", "filing date"),
        REQUIRED(TEXTS, "roles", "for each arc: URI of the statement that it is in"),
        REQUIRED(TEXTS, "parents", "for each arc: element of the total, e.g. us-gaap:Assets"),
        REQUIRED(TEXTS, "children", "for each arc: element that is added to it"),
        REQUIRED(TEXTS, "weights", "for each arc: weight by which it is multiplied, 1 or -1"),
        COLUMN(TEXTS, "statement_roles", "URIs of statements that have a name"),
        COLUMN(TEXTS, "statement_names", "for each of these: its name"),
        COLUMN(TEXTS, "concepts", "elements that have a label"),
        COLUMN(TEXTS, "labels", "for each of these: its standard label"),
        COLUMN(TEXTS, "presented_roles", "URIs of the statements that have lines, in the filing's order"),
        COLUMN(TEXTS, "line_statements", "for each line: which of these it is in, from 1"),
        COLUMN(TEXTS, "line_depths", "for each line: its depth in the presentation tree"),
        COLUMN(TEXTS, "line_concepts", "for each line: its element"),
        COLUMN(TEXTS, "line_labels", "for each line: its label; empty: none"),
        COLUMN(TEXTS, "line_label_roles", "for each line: the role of that label, e.g. totalLabel; empty: the standard one"),
        COLUMN(TEXTS, "line_axes", "for each line: the axis that it is, or is a member of; empty: neither"),
        COLUMN(TEXTS, "axes", "axes of the lines"),
        COLUMN(TEXTS, "axis_defaults", "for each of these: its default member, which facts without a member have; empty: not stated")),
    .key_form = "{accession}/linkbase",
    .flags = DSC_KEY_FIXED | DSC_OF_FILINGS | DSC_BY_COMPANY | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION,
    .date_column = "filed_on",
    .reconcile = "reconcile_linkbases",
    .keeps = "calculation_check",
    .follows = FOLLOWS({"filing", "reconcile_linkbases"}, {"xbrl_report", "check_calculations"}),
    SHOWN(record_source, record_shape),
};

const dsc_shape_t dsc_shape_calculation_checks = SHAPE("CalculationChecks",
      "Whether the statements of filings add up by their calculation linkbases.",
    INTEGER("filings", "checks.filings", "Number of filings with calculations."),
    INTEGER("statements", "checks.statements", "Number of their statements that have sums."),
    INTEGER("statements_agreeing", "checks.statements_agreeing",
          "Number of statements in which all sums agree, within the rounding of their numbers."),
    INTEGER("sums", "checks.sums", "Number of sums, over all periods."),
    INTEGER("sums_agreeing", "checks.sums_agreeing", "Number of sums that agree."));

static const dsc_shape_t child_shape = SHAPE("SumChild", "A term of a sum.",
    MEMBER(TEXT, "concept", "XBRL element of the term."),
    MEMBER(DECIMAL, "weight", "Weight by which it is multiplied."),
    MEMBER(DECIMAL, "value", "Value of the term."));

static const dsc_shape_t sum_shape = SHAPE("StatementSum", "A reported total, and the terms that the filing adds up to it.",
    MEMBER(TEXT, "concept", "XBRL element of the total."),
    MEMBER(TEXT, "label", "Label of the element; null if the filing has none.", NULLABLE),
    MEMBER(TEXT, "unit", "Unit, as filed."),
    MEMBER(DATE, "start_date", "First day of the period; null for an instant.", NULLABLE),
    MEMBER(DATE, "end_date", "Last day of the period, or the instant."),
    MEMBER(DECIMAL, "value", "The value, as filed."),
    MEMBER(DECIMAL, "sum", "Sum of the children that are reported for the same period, multiplied by their weights."),
    MEMBER(DECIMAL, "difference", "value less sum."),
    MEMBER(DECIMAL, "tolerance", "Largest difference that rounding explains: half of the last exact digit of each number, added up."),
    MEMBER(BOOLEAN, "agrees", "Whether the difference is within the tolerance."),
    MEMBER(JSON, "children", "Terms of the sum, in the filing's order.", .flags = DSC_ARRAY, .shape = &child_shape));

static const dsc_shape_t statement_shape = SHAPE("FilingStatement", "A statement and its sums.",
    MEMBER(TEXT, "role", "URI of the statement."),
    MEMBER(TEXT, "name", "Name of the statement in the filing."),
    MEMBER(INTEGER, "sum_count", "Number of sums in the statement."),
    MEMBER(INTEGER, "agreeing", "Number of sums that agree with the reported total."),
    MEMBER(JSON, "sums", "Sums, ordered by element, unit and period.", .flags = DSC_ARRAY, .shape = &sum_shape));

/* What each endpoint says of the filing. */
#define FILING_MEMBERS                                                                                                \
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),                                      \
    TEXT("ticker", "i.ticker", "Ticker of the filer's primary listing; null if it has none.", NULLABLE),              \
    CIK("company_cik", "i.cik", "CIK of the filer; null if it has none.", NULLABLE),                                  \
    TEXT("accession", "t.accession", "Accession number of the filing."),                                              \
    TEXT("form", "t.form", "Form type, as filed."),                                                                   \
    DATE("filed_on", "t.filed_on", "Filing date.")

static const dsc_shape_t calculations_shape = SHAPE("FilingCalculations", "Whether a filing's statements add up by its calculation linkbase.",
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
    ABOUT("Filings", "Whether the statements of a filing add up by its calculation linkbase."),
    ALL(calculations_source, calculations_shape),
    PARAMETERS(
        DSC_PARAMETER_ACCESSION,
        DSC_PARAMETER_AS_OF),
    .parent = &calculations_parent,
    .not_found = "There are no calculations of a filing with the accession number \"%s\".",
};

/* ------------------------------------------------------------ statements as presented */

/* What both say of a statement. */
#define NUMBER_TEXT "Number of the statement in the filing, from 1."
#define ROLE_TEXT   "URI of the statement."
#define NAME_TEXT   "Name of the statement in the filing."
#define KIND_TEXT   "Kind: statement, disclosure or document, as the filing states it; null if not stated."

static const dsc_shape_t listed_statement_shape = SHAPE("PresentedStatement", "A statement or note of a filing.",
    MEMBER(INTEGER, "number", NUMBER_TEXT),
    MEMBER(TEXT, "role", ROLE_TEXT),
    MEMBER(TEXT, "name", NAME_TEXT),
    MEMBER(TEXT, "kind", KIND_TEXT, NULLABLE),
    MEMBER(INTEGER, "line_count", "Number of lines."));

static const dsc_shape_t statements_shape = SHAPE("FilingStatements", "The statements and notes that a filing presents.",
    FILING_MEMBERS,
    JSON("statements", "presented_statements(t)", "In the order of the filing.", .flags = DSC_ARRAY, .shape = &listed_statement_shape),
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
    ABOUT("Filings", "Statements and notes of a filing, from its presentation linkbase."),
    ALL(statements_source, statements_shape),
    PARAMETERS(
        DSC_PARAMETER_ACCESSION,
        DSC_PARAMETER_AS_OF),
    .parent = &statements_parent,
    .not_found = "There are no statements of a filing with the accession number \"%s\".",
};

static const dsc_shape_t line_value_shape = SHAPE("LineValue", "A value in a line of a statement.",
    MEMBER(TEXT, "unit", "Unit, as filed: USD, shares, USD/shares, pure."),
    MEMBER(DATE, "start_date", "First day of the period; null for an instant.", NULLABLE),
    MEMBER(DATE, "end_date", "Last day of the period, or the instant."),
    MEMBER(JSON, "dimensions", "Dimensions, ordered by axis; empty if the value is for the company as a whole.", .flags = DSC_ARRAY, .shape = &dsc_shape_xbrl_dimension),
    MEMBER(DECIMAL, "value", "The value, as filed in XBRL, whichever sign the filing shows it with."));

static const dsc_shape_t line_shape = SHAPE("StatementLine", "A line of a statement.",
    MEMBER(TEXT, "concept", "XBRL element of the line."),
    MEMBER(TEXT, "label", "Label of the line in this statement; null if the filing has none.", NULLABLE),
    MEMBER(TEXT, "label_role",
           "Preferred label role of the line: totalLabel, terseLabel, periodStartLabel, negatedLabel; null for the standard label, which is also "
           "used if the filing lacks the preferred one.", NULLABLE),
    MEMBER(BOOLEAN, "negated", "Whether the filing shows the values with the opposite sign."),
    MEMBER(INTEGER, "depth", "Depth of the line in the presentation tree: 0 for the heading."),
    MEMBER(TEXT, "axis", "Axis that the line is, or is a member of; null if it is neither.", NULLABLE),
    MEMBER(JSON, "values", "Values of the line, ordered by unit; those of the company as a whole before those of parts, the last period first.", .flags = DSC_ARRAY,
           .shape = &line_value_shape));

static const dsc_shape_t presented_shape = SHAPE("FilingStatementLines", "A statement or note of a filing, with its lines and values.",
    FILING_MEMBERS,
    INTEGER("number", "{value:number}::bigint", NUMBER_TEXT),
    TEXT("role", "t.presented_roles[{value:number}]", ROLE_TEXT),
    TEXT("name", "statement_name(t.presented_roles[{value:number}], t.statement_roles, t.statement_names)", NAME_TEXT),
    TEXT("kind", "statement_kind(t.presented_roles[{value:number}], t.statement_roles, t.statement_names)", KIND_TEXT, NULLABLE),
    JSON("lines", "presented_lines(t, r, {value:number})", "In the order of the filing.", .flags = DSC_ARRAY, .shape = &line_shape),
    PROVENANCE("xbrl_linkbase", "The filing.", .filer = "i.cik"));

static const dsc_source_t presented_source = ROW(WITH_REPORT);

const dsc_endpoint_t dsc_endpoint_filing_statement = {
    GET("get_filing_statement", "/v1/filings/{accession}/statements/{number}"),
    ABOUT("Filings", "A statement or note of a filing, as the filing presents it: its lines, their labels and values."),
    ITEM(presented_source, presented_shape),
    PARAMETERS(
        DSC_PARAMETER_ACCESSION,
        PATH(INTEGER, "number", "Number of the statement in the list of the filing's statements.", BETWEEN(1, 999999),
             .predicate = "cardinality(t.presented_roles) >= ?"),
        DSC_PARAMETER_AS_OF),
    .rows = "lines",
    .not_found = "The filing has no statement \"%s\".",
};
