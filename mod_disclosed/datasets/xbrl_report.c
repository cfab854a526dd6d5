/* Numbers that filings report in XBRL, as filed. */
#include "datasets/xbrl_report.h"

CHOICES(teller_choices, "instance", "companyfacts", "data_set");

const dsc_shape_t dsc_shape_xbrl_dimension = SHAPE("XbrlDimension", "The part of the company that a fact is about.",
    MEMBER(TEXT, "axis", "Axis, e.g. srt:ProductOrServiceAxis."),
    MEMBER(TEXT, "member", "Member of the axis, e.g. aapl:IPhoneMember."));

static const dsc_shape_t fact_shape = SHAPE("XbrlFact", "A numeric fact that a filing reports.",
    MEMBER(TEXT, "concept", "Taxonomy and name of the element, e.g. us-gaap:Assets."),
    MEMBER(TEXT, "unit", "Unit, as filed: USD, shares, USD/shares, pure."),
    MEMBER(DATE, "start_date", "First day of the period; null if the fact is about an instant.", NULLABLE),
    MEMBER(DATE, "end_date", "Last day of the period, or the instant."),
    MEMBER(TEXT, "kind",
           "Kind of period, by its length in days: quarter (61 to 121), half (152 to 212), ytd (nine months, 244 to 304), annual (335 to 395), "
           "month, other; or instant."),
    MEMBER(TEXT, "calendar",
           "Calendar period, as in the SEC's frames: for a quarter, the calendar quarter of its midpoint (2024Q1); for a year, the calendar year "
           "of the day 180 days before its end (2024); for an instant, the quarter whose end is nearest; null for other kinds.", NULLABLE),
    MEMBER(JSON, "dimensions", "Dimensions, ordered by axis; empty if the fact is about the company as a whole.", .flags = DSC_ARRAY, .shape = &dsc_shape_xbrl_dimension),
    MEMBER(DECIMAL, "value", "The value, as filed, to the last digit; with four decimal places if only a data set has it."),
    MEMBER(TEXT, "decimals", "Power of ten that the value is rounded to, as filed: -6 means millions, INF means exact; null if not stated.", NULLABLE),
    MEMBER(JSON, "sources", "Sources that have this value, in the order of the report's sources.", .flags = DSC_ARRAY),
    MEMBER(BOOLEAN, "differs", "Whether the filing, or another source, also has a different value for this fact."),
    MEMBER(BOOLEAN, "rounded", "Whether the dates are known only from a data set, which rounds them to ends of months."));

static const dsc_shape_t report_source_shape = SHAPE("XbrlReportSource", "A file with the facts of the filing.",
    MEMBER(TEXT, "source", "Kind of file. instance: the filing's own XBRL instance; companyfacts; data_set: a financial statement data set."),
    MEMBER(TEXT, "src_id", "src_id of the record."));

/* The reports of the filing of t. */
#define SAME_FILING(name) name ".accession = t.accession AND " name ".issuer_id = t.issuer_id AND {now:" name "}"

static const dsc_shape_t report_shape = SHAPE("XbrlReport", "Facts that a filing reports in XBRL.",
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),
    TEXT("ticker", "i.ticker", "Ticker of the filer's primary listing; null if it has none.", NULLABLE),
    CIK("company_cik", "i.cik", "CIK of the filer; null if it has none.", NULLABLE),
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("form", "t.form", "Form type, as filed."),
    DATE("filed_on", "t.filed_on", "Filing date."),
    INTEGER("fiscal_year", "t.fiscal_year", "Fiscal year that the filing covers, as it states itself; facts may be about other years; null if not "
                                            "stated.", NULLABLE),
    TEXT("fiscal_period", "t.fiscal_period", "Fiscal period that the filing covers: Q1, Q2, Q3, FY; null if not stated.", NULLABLE),
    JSON("sources",
         "(SELECT json_agg(json_build_object('source', r.told_by, 'src_id', 'src_xbrl_report_' || replace(r.src_digest::text, '-', ''))"
         " ORDER BY report_rank(r.told_by)) FROM xbrl_report r WHERE " SAME_FILING("r") ")",
         "Files that have its facts, the most exact one first.", .flags = DSC_ARRAY, .shape = &report_source_shape),
    JSON("facts", "filing_facts(ARRAY(SELECT r FROM xbrl_report r WHERE " SAME_FILING("r") "), {value:concepts})",
         "Facts, ordered by concept, unit, dimensions and period. A fact that several sources have is listed once.", .flags = DSC_ARRAY,
         .shape = &fact_shape),
    PROVENANCE("xbrl_report", "The filing that reports the facts.", .filer = "i.cik"));

static const dsc_shape_t record_shape = SHAPE("XbrlReportRecord", "A filing with facts in XBRL.",
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),
    TEXT("accession", "t.accession", "Accession number of the filing."),
    TEXT("form", "t.form", "Form type, as filed."),
    DATE("filed_on", "t.filed_on", "Filing date."),
    INTEGER("fact_count", "cardinality(t.concepts)", "Number of facts."),
    PROVENANCE("xbrl_report", "The filing that reports the facts.", .filer = "i.cik"));

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
    DATASET("xbrl_report", "xbrl_report", "XBRL facts of filings, one record for each filing and file"),
    COLUMNS(
        KEY(TEXT, "told_by", "kind of file of the SEC that has the facts", .choices = teller_choices),
        REQUIRED(TEXT, "form", "form type, as filed"),
        REQUIRED(DATE, "filed_on", "filing date"),
        COLUMN(INTEGER, "fiscal_year", "fiscal year that the filing covers, as it states itself"),
        COLUMN(TEXT, "fiscal_period", "fiscal period that the filing covers: Q1, Q2, Q3, FY"),
        COLUMN(TEXT, "document", "instances only: file name of the document", .flags = DSC_COLUMN_FORWARD_FILLED | DSC_COLUMN_NOT_COMPARED),
        REQUIRED(TEXTS, "concepts", "for each fact: taxonomy and name of the element, e.g. us-gaap:Assets"),
        REQUIRED(TEXTS, "units", "for each fact: its unit, e.g. USD, shares, USD/shares"),
        REQUIRED(TEXTS, "start_dates", "for each fact: first day of its period; empty for an instant"),
        REQUIRED(TEXTS, "end_dates", "for each fact: last day of its period, or the instant"),
        REQUIRED(TEXTS, "amounts", "for each fact: the value, as digits"),
        COLUMN(TEXTS, "dimensions", "for each fact: axis=member, ordered by axis, separated by semicolons; empty for the company as a whole"),
        COLUMN(TEXTS, "decimals", "for each fact: the power of ten that it is rounded to, or INF; empty: not stated")),
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
    ABOUT("Filings", "Facts that a filing reports in XBRL, as filed."),
    ALL(report_source, report_shape),
    PARAMETERS(
        DSC_PARAMETER_ACCESSION,
        QUERY(STRING, "concepts", "Only facts of these elements, e.g. us-gaap:Assets; repeat the parameter for several.",
              .flags = DSC_REPEATABLE),
        DSC_PARAMETER_AS_OF),
    .parent = &report_parent,
    .not_found = "There are no XBRL facts of a filing with the accession number \"%s\".",
};
