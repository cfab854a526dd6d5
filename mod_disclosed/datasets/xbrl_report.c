/* Numbers that filings report in XBRL, as filed. */
#include "datasets/datasets.h"

CHOICES(teller_choices, "companyfacts");

static const dsc_shape_t fact_shape = SHAPE("XbrlFact", "A number that a filing reports.",
    MEMBER(TEXT, "concept", "Taxonomy and name of the element: us-gaap:Assets."),
    MEMBER(TEXT, "unit", "Unit, as filed: USD, shares, USD/shares, pure."),
    MEMBER(DATE, "start_date", "First day of the period; null: the fact is about an instant.", NULLABLE),
    MEMBER(DATE, "end_date", "Last day of the period, or the instant."),
    MEMBER(TEXT, "kind",
           "By the period's days: quarter (61 to 121), half (152 to 212), ytd (nine months, 244 to 304), annual (335 to "
           "395), month, other; instant."),
    MEMBER(TEXT, "calendar",
           "Calendar period: of the midpoint of a quarter (2024Q1) or year (2024), of an instant the quarter whose end is "
           "nearest; null for others.", NULLABLE),
    MEMBER(DECIMAL, "value", "The number as filed, to the last digit."));

static const dsc_shape_t report_shape = SHAPE("XbrlReport", "Numbers that a filing reports in XBRL.",
    INTEGER("id", "t.id", "Number of the record."),
    TEXT("ticker", "i.ticker", "Ticker of the filer's primary listing.", NULLABLE),
    CIK("company_cik", "i.cik", "CIK of the filer.", NULLABLE),
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("form", "t.form", "Form type as filed."),
    DATE("filed_on", "t.filed_on", "Filing date."),
    INTEGER("fiscal_year", "t.fiscal_year", "Fiscal year that the filing is about, as it says itself; not that of each fact.", NULLABLE),
    TEXT("fiscal_period", "t.fiscal_period", "Fiscal period that the filing is about: Q1, Q2, Q3, FY.", NULLABLE),
    TEXT("told_by", "t.told_by", "Which file of the SEC's has the numbers: companyfacts."),
    JSON("facts", "xbrl_facts(t.concepts, t.units, t.start_dates, t.end_dates, t.amounts, {value:concepts})",
         "The facts, by concept, unit and period.", .flags = DSC_ARRAY, .shape = &fact_shape),
    PROVENANCE("xbrl_report", "The filing that reports them.", .filer = "i.cik"));

static const dsc_shape_t record_shape = SHAPE("XbrlReportRecord", "A filing with numbers in XBRL.",
    INTEGER("id", "t.id", "Number of the record."),
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("form", "t.form", "Form type as filed."),
    DATE("filed_on", "t.filed_on", "Filing date."),
    INTEGER("fact_count", "cardinality(t.concepts)", "How many facts it has."),
    PROVENANCE("xbrl_report", "The filing that reports them.", .filer = "i.cik"));

static const dsc_source_t record_source = ROWS("xbrl_report t JOIN " DSC_ISSUER, "t.filed_on", "date");

/* Never paged: a filing has few filers, and fewer of them have facts. */
static const dsc_source_t report_source = {
    .from = "xbrl_report t JOIN " DSC_ISSUER,
    .order = "t.issuer_id",
    .order_type = "bigint",
    .tie = "t.told_by, t.id",
};

const dsc_dataset_t dsc_dataset_xbrl_report = {
    DATASET("xbrl_report", "xbrl_report", "Numbers of filings in XBRL, all of a filing's in one record"),
    COLUMNS(
        KEY(TEXT, "told_by", "which of the SEC's files has them", .choices = teller_choices),
        REQUIRED(TEXT, "form", "form type as filed"),
        REQUIRED(DATE, "filed_on", "filing date"),
        COLUMN(INTEGER, "fiscal_year", "fiscal year that the filing is about, as it says itself"),
        COLUMN(TEXT, "fiscal_period", "fiscal period that the filing is about: Q1, Q2, Q3, FY"),
        REQUIRED(TEXTS, "concepts", "of each fact: taxonomy and name of the element, us-gaap:Assets"),
        REQUIRED(TEXTS, "units", "of each fact: its unit, USD, shares, USD/shares"),
        REQUIRED(TEXTS, "start_dates", "of each fact: first day of its period; empty for an instant"),
        REQUIRED(TEXTS, "end_dates", "of each fact: last day of its period, or the instant"),
        REQUIRED(TEXTS, "amounts", "of each fact: the number, as digits")),
    .key_form = "{accession}/{told_by}",
    .flags = DSC_KEY_FIXED | DSC_OF_FILINGS,
    .date_column = "filed_on",
    .settle = "date_xbrl_reports",
    .follows = FOLLOWS({"filing", "date_xbrl_reports"}),
    SHOWN(record_source, record_shape),
};

static const dsc_parent_t report_parent = {
    .parameter = "accession",
    .from = "xbrl_report t WHERE t.accession = ? AND {now:t} LIMIT 1",
};

const dsc_endpoint_t dsc_endpoint_filing_facts = {
    GET("list_filing_facts", "/v1/filings/{accession}/facts"),
    ABOUT("Filings", "Numbers that a filing reports in XBRL, as filed."),
    ALL(report_source, report_shape),
    PARAMETERS(
        PATH(ACCESSION, "accession", "Accession number, with or without dashes.", .predicate = "t.accession = ?"),
        QUERY(STRING, "concepts", "Only facts of these elements, us-gaap:Assets; repeat the parameter for several.",
              .flags = DSC_REPEATABLE),
        DSC_PARAMETER_AS_OF),
    .parent = &report_parent,
    .not_found = "There are no XBRL facts of a filing with the accession number \"%s\".",
};
