/* Numbers that filings report in XBRL, as filed. */
#include "datasets/xbrl_report.h"

CHOICES(teller_choices, "instance", "companyfacts", "data_set");

const dsc_shape_t dsc_shape_xbrl_dimension = SHAPE("XbrlDimension", "What part of the company a fact is about.",
    MEMBER(TEXT, "axis", "The axis: srt:ProductOrServiceAxis."),
    MEMBER(TEXT, "member", "The member on it: aapl:IPhoneMember."));

static const dsc_shape_t fact_shape = SHAPE("XbrlFact", "A number that a filing reports.",
    MEMBER(TEXT, "concept", "Taxonomy and name of the element: us-gaap:Assets."),
    MEMBER(TEXT, "unit", "Unit, as filed: USD, shares, USD/shares, pure."),
    MEMBER(DATE, "start_date", "First day of the period; null: the fact is about an instant.", NULLABLE),
    MEMBER(DATE, "end_date", "Last day of the period, or the instant."),
    MEMBER(TEXT, "kind",
           "By the period's days: quarter (61 to 121), half (152 to 212), ytd (nine months, 244 to 304), annual (335 to "
           "395), month, other; instant."),
    MEMBER(TEXT, "calendar",
           "Calendar period, as the SEC's frames have it: of a quarter that of its midpoint (2024Q1), of a year that of the day 180 days before its end "
           "(2024), of an instant the quarter whose end is nearest; null for others.", NULLABLE),
    MEMBER(JSON, "dimensions", "By axis; empty: the fact is about the company as a whole.", .flags = DSC_ARRAY, .shape = &dsc_shape_xbrl_dimension),
    MEMBER(DECIMAL, "value", "The number as filed, to the last digit; in four decimal places where a data set alone has it."),
    MEMBER(TEXT, "decimals", "To which power of ten it is rounded, as filed: -6 is to millions, INF not at all; null: not told.", NULLABLE),
    MEMBER(JSON, "sources", "What has this number, in the order of the report's sources.", .flags = DSC_ARRAY),
    MEMBER(BOOLEAN, "differs", "Whether the filing or another source has another number for it as well."),
    MEMBER(BOOLEAN, "rounded", "Whether the dates are known from a data set alone, which rounds them to ends of months."));

static const dsc_shape_t report_source_shape = SHAPE("XbrlReportSource", "A file that has the filing's facts.",
    MEMBER(TEXT, "source", "instance: the filing's own XBRL; companyfacts; data_set: a financial statement data set."),
    MEMBER(TEXT, "src_id", "Its src_id."));

/* The reports of the filing of t. */
#define SAME_FILING(name) name ".accession = t.accession AND " name ".issuer_id = t.issuer_id AND {now:" name "}"

static const dsc_shape_t report_shape = SHAPE("XbrlReport", "Numbers that a filing reports in XBRL.",
    INTEGER("id", "t.id", "Number of the record."),
    TEXT("ticker", "i.ticker", "Ticker of the filer's primary listing.", NULLABLE),
    CIK("company_cik", "i.cik", "CIK of the filer.", NULLABLE),
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("form", "t.form", "Form type as filed."),
    DATE("filed_on", "t.filed_on", "Filing date."),
    INTEGER("fiscal_year", "t.fiscal_year", "Fiscal year that the filing is about, as it says itself; not that of each fact.", NULLABLE),
    TEXT("fiscal_period", "t.fiscal_period", "Fiscal period that the filing is about: Q1, Q2, Q3, FY.", NULLABLE),
    JSON("sources",
         "(SELECT json_agg(json_build_object('source', r.told_by, 'src_id', 'src_xbrl_report_' || replace(r.src_digest::text, '-', ''))"
         " ORDER BY report_rank(r.told_by)) FROM xbrl_report r WHERE " SAME_FILING("r") ")",
         "The files that have its facts, the most exact first.", .flags = DSC_ARRAY, .shape = &report_source_shape),
    JSON("facts", "filing_facts(ARRAY(SELECT r FROM xbrl_report r WHERE " SAME_FILING("r") "), {value:concepts})",
         "The facts, by concept, unit, dimensions and period. What several sources have is one fact.", .flags = DSC_ARRAY,
         .shape = &fact_shape),
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
    .where = DSC_REPORT_IS_TAKEN("t"),
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
        COLUMN(TEXT, "document", "instances: file name of the document", .flags = DSC_COLUMN_FORWARD_FILLED | DSC_COLUMN_NOT_COMPARED),
        REQUIRED(TEXTS, "concepts", "of each fact: taxonomy and name of the element, us-gaap:Assets"),
        REQUIRED(TEXTS, "units", "of each fact: its unit, USD, shares, USD/shares"),
        REQUIRED(TEXTS, "start_dates", "of each fact: first day of its period; empty for an instant"),
        REQUIRED(TEXTS, "end_dates", "of each fact: last day of its period, or the instant"),
        REQUIRED(TEXTS, "amounts", "of each fact: the number, as digits"),
        COLUMN(TEXTS, "dimensions", "of each fact: axis=member, by axis, with semicolons between; empty for the whole company"),
        COLUMN(TEXTS, "decimals", "of each fact: the power of ten that it is rounded to, or INF; empty: not told")),
    .key_form = "{accession}/{told_by}",
    .flags = DSC_KEY_FIXED | DSC_OF_FILINGS | DSC_BY_COMPANY | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION,
    .date_column = "filed_on",
    .reconcile = "date_xbrl_reports",
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
        DSC_PARAMETER_ACCESSION,
        QUERY(STRING, "concepts", "Only facts of these elements, us-gaap:Assets; repeat the parameter for several.",
              .flags = DSC_REPEATABLE),
        DSC_PARAMETER_AS_OF),
    .parent = &report_parent,
    .not_found = "There are no XBRL facts of a filing with the accession number \"%s\".",
};
