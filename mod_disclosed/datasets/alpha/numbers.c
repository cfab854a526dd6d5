/* Numbers of the earlier surface: facts as filed, canonical metrics, what is expected of a company and what is missing. */
#include "datasets/alpha/alpha.h"
#include "datasets/fundamental.h"
#include "datasets/xbrl_report.h"

#define TICKER      TEXT("ticker", "i.ticker", "Ticker of the company's primary listing; null if it has none.", NULLABLE)

/* ------------------------------------------------------------------- facts as filed */

static const dsc_shape_t concept_shape = SHAPE("MetricConcept", "An XBRL element that the company reports.",
    TEXT("concept", "t.concept", "Key for /metrics/{ticker}/series, e.g. us-gaap:Revenues."),
    TEXT("taxonomy", "split_part(t.concept, ':', 1)", "Taxonomy: us-gaap, ifrs-full, dei, or the company's own."),
    TEXT("name", "split_part(t.concept, ':', 2)", "Name of the element."),
    TEXT("unit", "t.unit", "Unit, as filed."),
    INTEGER("fact_count", "t.fact_count", "Number of facts in that unit, including repeats in later filings."),
    DATE("first_end_date", "t.first_end_date", "Last day of the earliest period."),
    DATE("last_end_date", "t.last_end_date", "Last day of the latest period."));

/* The company's reports whose facts are taken; `columns` begins with a comma. */
#define TAKEN_REPORTS(columns)                                                                                        \
    "(SELECT r.row_id, r.known_at, r.accession, r.units, r.start_dates, r.end_dates, r.amounts, r.dimensions, r.concepts" columns  \
    " FROM xbrl_report r WHERE r.issuer_id = {value:ticker}::bigint AND {now:r} AND " DSC_REPORT_IS_TAKEN("r") " OFFSET 0)"

/* A fact of the company as a whole. Written so that PostgreSQL expects many, and groups them without a sort. */
#define IS_OF_WHOLE "CASE WHEN e.dimension IS NULL THEN true ELSE e.dimension = '' END"

static const dsc_source_t concept_source = {
    .from = "(SELECT {value:ticker}::bigint AS issuer_id, e.concept, e.unit, count(*) AS fact_count, min(e.ends)::date AS first_end_date,"
            " max(e.ends)::date AS last_end_date, row_number() OVER (ORDER BY e.concept DESC, e.unit DESC) AS place"
            " FROM (SELECT unnest(r.concepts) COLLATE \"C\" AS concept, unnest(r.units) COLLATE \"C\" AS unit,"
            " unnest(r.end_dates) COLLATE \"C\" AS ends, unnest(r.dimensions) AS dimension FROM " TAKEN_REPORTS("") " r) e"
            " WHERE " IS_OF_WHOLE " GROUP BY e.concept, e.unit) t",
    .order = "t.fact_count",
    .order_type = "bigint",
    .tie = "t.place",
    .unversioned = 1,
};

const dsc_endpoint_t dsc_endpoint_earlier_concepts = {
    EARLIER("list_metric_concepts", "/metrics/{ticker}/concepts"),
    ABOUT("Fundamentals", "XBRL elements that a company reports, the most frequent first."),
    ARRAY(concept_source, concept_shape),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        DSC_PARAMETERS_ROWS("300", 1000),
        DSC_PARAMETER_AS_OF),
};

static const dsc_shape_t point_shape = SHAPE("MetricPoint", "The value of an XBRL element for a period, from the newest filing.",
    TEXT("concept", "{value:concept}::text", "The XBRL element."),
    TEXT("unit", "t.unit", "Unit, as filed."),
    DATE("start_date", "t.start_date", "First day of the period; null for an instant.", NULLABLE),
    DATE("end_date", "t.end_date", "Last day of the period, or the instant."),
    TEXT("kind", "period_kind(t.start_date, t.end_date)", "Kind of period: quarter, half, ytd, annual, month, other or instant."),
    TEXT("calendar", "calendar_period(t.start_date, t.end_date)", "Calendar period of a quarter, year or instant; null for other kinds.", NULLABLE),
    DECIMAL("value", "t.value", "Value in the newest filing."),
    BOOLEAN("restated", "t.restated", "Whether an earlier filing stated a different value."),
    DECIMAL("first_value", "t.first_value", "Value in the first filing."),
    INTEGER("filing_count", "t.filing_count", "Number of filings that report it."),
    TEXT("form", "p.form", "Form type of the newest filing."),
    PROVENANCE_OF("provenance", "p", "xbrl_report", "The newest filing.", .filer = "(SELECT f.cik FROM issuer f WHERE f.issuer_id = {value:ticker}::bigint)"));

/* Facts of an element are together, unless who loaded them has another order. So each array is unpacked only once, to take out a part. */
#define PART_OF(array) "unnest(r." array "[r.first:r.last])"
#define ELEMENT_FACTS                                                                                                 \
    "(SELECT r.row_id, r.known_at, r.accession, " PART_OF("units") " COLLATE \"C\" AS unit, " PART_OF("start_dates") " COLLATE \"C\" AS starts,"  \
    " " PART_OF("end_dates") " COLLATE \"C\" AS ends, " PART_OF("amounts") " AS amount, " PART_OF("dimensions") " AS dimension,"  \
    " unnest(CASE WHEN r.count <= r.last - r.first THEN r.concepts[r.first:r.last] END) AS concept"                   \
    " FROM (SELECT r.*, r.places[1] AS first, r.places[cardinality(r.places)] AS last, cardinality(r.places) AS count FROM "  \
    TAKEN_REPORTS(", array_positions(r.concepts COLLATE \"C\", {value:concept}::text) AS places") " r) r)"

/* What each report says of a period, the newest first: the facts are sorted only once. A report may say several values of one. */
#define REPORTED_PERIODS                                                                                              \
    "(SELECT e.ends, e.starts, e.unit, e.row_id, min(e.amount::numeric) AS least, max(e.amount::numeric) AS most FROM " ELEMENT_FACTS " e"  \
    " WHERE (e.concept IS NULL OR e.concept = {value:concept}) AND " IS_OF_WHOLE                                      \
    " AND CASE {value:freq} WHEN 'any' THEN true WHEN 'instant' THEN e.starts = '' ELSE e.starts <> ''"               \
    " AND period_kind(nullif(e.starts, '')::date, e.ends::date) = CASE {value:freq} WHEN 'annual' THEN 'annual' ELSE 'quarter' END END"  \
    " GROUP BY e.ends, e.starts, e.unit, e.known_at, e.accession, e.row_id"                                           \
    " ORDER BY e.ends, e.starts, e.unit, e.known_at DESC, e.accession DESC)"

static const dsc_source_t point_source = {
    .from = "(SELECT {value:ticker}::bigint AS issuer_id, e.unit, nullif(e.starts, '')::date AS start_date, e.ends::date AS end_date,"
            " (array_agg(e.row_id))[1] AS row_id, (array_agg(e.least))[1] AS value, (array_agg(e.least))[count(*)] AS first_value,"
            " min(e.least) <> max(e.most) AS restated, count(*) AS filing_count,"
            " row_number() OVER (ORDER BY e.ends, e.starts, e.unit) AS place FROM " REPORTED_PERIODS " e GROUP BY e.ends, e.starts, e.unit) t"
            "{shown: JOIN xbrl_report p ON p.issuer_id = {value:ticker}::bigint AND p.row_id = t.row_id}",
    .order = "t.place",
    .order_type = "bigint",
    .tie = "t.place",
    .unversioned = 1,
};

CHOICES(frequency_choices, "quarterly", "annual", "instant", "any");

const dsc_endpoint_t dsc_endpoint_earlier_series = {
    EARLIER("list_metric_points", "/metrics/{ticker}/series"),
    ABOUT("Fundamentals", "Values that a company reports for one XBRL element, one for each period, the latest period first."),
    ARRAY(point_source, point_shape),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        QUERY(STRING, "concept", "Key of the element, as listed by /metrics/{ticker}/concepts.", .flags = DSC_REQUIRED, BETWEEN(1, 256)),
        QUERY(LITERAL, "freq", "Kind of periods.", .choices = frequency_choices, .default_text = "quarterly"),
        DSC_PARAMETERS_ROWS("40", 200),
        DSC_PARAMETER_AS_OF),
};

/* ---------------------------------------------------------------- canonical metrics */

CHOICES(tier_choices, "default", "all");
CHOICES(include_choices, "qa");

#define PARAMETER_TIER                                                                                                \
    QUERY(LITERAL, "tier", "default: facts of the tiers verified, dimensioned and derived; all: also extracted facts, which the plan must allow.", \
          .choices = tier_choices, AT_MOST(16), .default_text = "default", .all_facts = "all")
#define PARAMETER_CANONICAL QUERY(STRING, "canonical", "Only this metric, by key, e.g. revenue.", AT_MOST(128))

/* Canonical numbers are of the company as a whole, from metric_value, or of a part of it: what was observed of a segment, product or
 * region under a metric of the dictionary. Each kind is read in the order of an index, one page of it: if a metric is asked for in
 * that of the metric's. A metric's numbers are asked for by an array: else the index of all companies' numbers of it, which has the
 * order, would be walked. Of one day, those of the whole come before those of parts, and the higher ids first: their turns are one
 * number, so that both kinds have the page's order and are merged without a sort. */
#define TURN_OF_WHOLE    "-o.id"
#define TURN_OF_PART     "9223372036854775807 - o.id" /* ids are positive */
#define ORDER_OF_KIND(turn) " ORDER BY o.end_date DESC, " turn " LIMIT {value:limit}::bigint)"
#define IS_PERIOD_END    "{given:period_end: AND o.end_date = {value:period_end}::date}"

#define NUMBERS_OF_WHOLE(condition)                                                                                   \
    "(SELECT o.end_date, " TURN_OF_WHOLE " AS turn, o.id, o.issuer_id, o.metric_id, o.known_at, o.recorded_at, o.src_digest, o.source_id, o.accession_number," \
    " NULL::text AS quote, o.unit, o.start_date, NULL::text AS period_kind, o.kind, o.fiscal," \
    " o.value, o.is_suspect, o.is_restated, o.verified_at, o.concept_rank, o.rule, o.inputs, o.earlier_quarters, NULL::text AS metric_key,"  \
    " NULL::text AS dimension, NULL::text AS member, NULL::text AS as_described, NULL::text AS tier FROM metric_value o"  \
    " WHERE o.issuer_id = {value:ticker}::bigint AND {now:o}"                                                         \
    "{given:canonical: AND o.metric_id = ANY (ARRAY[" DSC_METRIC_ID("{value:canonical}::text") "])}"                  \
    " AND ({value:tier}::text = 'all' OR (NOT o.is_suspect AND (o.rule IS NOT NULL OR"                                \
    " {present:o.verified_at IS NOT NULL}{past:o.verified_at <= {value:as_of}})))" condition ORDER_OF_KIND(TURN_OF_WHOLE)

#define PART_TIER "kpi_tier(o.tier, o.dimension)"
#define NUMBERS_OF_PARTS(condition)                                                                                   \
    "(SELECT o.end_date, " TURN_OF_PART ", o.id, o.issuer_id, " DSC_METRIC_ID("o.canonical_key") ", o.known_at, o.recorded_at, o.src_digest, o.source_id," \
    " replace(o.accession, '-', '')::bigint, o.quote, o.unit, o.start_date, o.period_kind, NULL::smallint, " DSC_FISCAL_OF("o") ", o.value," \
    " " PART_TIER " = 'extracted_low_confidence', NULL::boolean, NULL::timestamptz, NULL::smallint, NULL::smallint, NULL::uuid[], NULL::integer," \
    " o.metric_key, o.dimension, o.member, o.as_described, " PART_TIER " FROM kpi_observation o"                      \
    " WHERE o.issuer_id = {value:ticker}::bigint AND o.dimension IS NOT NULL AND o.canonical_key IS NOT NULL AND {now:o}" \
    "{given:canonical: AND o.canonical_key = {value:canonical}::text}"                                                \
    " AND " DSC_METRIC_ID("o.canonical_key") " IS NOT NULL"                                                           \
    " AND ({value:tier}::text = 'all' OR " PART_TIER " IN ('verified', 'dimensioned', 'derived'))" condition ORDER_OF_KIND(TURN_OF_PART)

/* The numbers in force that the query asks for, the latest first; of one day those of the whole before those of parts. The conditions begin
 * with AND. Codes are put in words when the rows are chosen. What rows are sorted by comes first, where it is found without a look at the rest. */
#define NUMBERS(of_whole, of_parts)                                                                                   \
    "(SELECT u.id, u.issuer_id, u.metric_id, u.known_at, u.recorded_at, u.src_digest, u.source_id,"                   \
    " u.accession_number AS accession, u.quote, u.unit, u.start_date, u.end_date,"  \
    " coalesce(u.period_kind, kind_name(u.kind)) AS period_kind, u.kind, u.fiscal, u.value, u.is_suspect, u.is_restated, u.verified_at," \
    " u.concept_rank, rule_name(u.rule) AS rule, u.inputs, u.earlier_quarters, u.metric_key, u.dimension, u.member, u.as_described, u.tier, u.turn FROM ("  \
    "SELECT u.* FROM (" NUMBERS_OF_WHOLE(of_whole) " UNION ALL " NUMBERS_OF_PARTS(of_parts)                            \
    ") u ORDER BY u.end_date DESC, u.turn LIMIT {value:limit}::bigint) u) t"                                           \
    " JOIN canonical_metric m ON m.metric_id = t.metric_id JOIN " DSC_ISSUER_OF("{value:ticker}::bigint")
#define NUMBERS_IN_ORDER                                                                                              \
    .where = "true", .order = "t.end_date DESC, t.turn", .tie = "t.turn", .unversioned = 1

static const dsc_shape_t kpi_shape = SHAPE("KpiFacts", "A company and its current facts.", TICKER);
static const dsc_shape_t canonical_shape = SHAPE("CanonicalFacts", "A company and its canonical facts.", TICKER);

static const dsc_source_t company_source = ROW(COMPANY_ROW, .unversioned = 1);

static const dsc_shape_t qa_shape = SHAPE("FactChecks", "Results of checks of the fact.",
    TEXT("extractor", "CASE WHEN t.dimension IS NULL OR observed_axis(t.as_described) IS NOT NULL THEN 'xbrl' ELSE 'extraction' END",
         "How the value was obtained. xbrl: read from XBRL; extraction: extracted before it was loaded."),
    DECIMAL("extractor_confidence",
            "CASE WHEN t.is_suspect THEN 0.1 WHEN t.dimension IS NULL OR observed_axis(t.as_described) IS NOT NULL THEN 1 END",
            "1: read as filed, or computed from such values; 0.1: about a thousand or a million times the value before, or loaded with low "
            "confidence; null: an extraction without a stated confidence.", NULLABLE),
    TEXT("auditor_status",
         "CASE WHEN t.is_suspect THEN 'suspect' WHEN t.tier = 'verified' OR {present:t.verified_at IS NOT NULL}{past:t.verified_at <= {value:as_of}}"
         " THEN 'agreed' ELSE 'unconfirmed' END",
         "agreed: a second filing or a computation confirms the value, or it was loaded as verified; unconfirmed; or suspect."));

#define OF_PART "t.dimension IS NOT NULL"

/* What such a number is of, if it is that of a part. */
#define PART_FIELDS                                                                                                   \
    TEXT("sub_row_label", "coalesce(t.member, '')", "Segment, product or region; empty for the company as a whole."), \
    TEXT("dimension", "t.dimension", "Dimension of the breakdown: segment, product, region; null for the company as a whole.", NULLABLE), \
    TEXT("axis", "observed_axis(t.as_described)", "XBRL axis of the part, e.g. us-gaap:StatementBusinessSegmentsAxis; null if no filing names one.", NULLABLE)

#define CANONICAL_FIELDS                                                                                              \
    DSC_NUMBER_METRIC,                                                                                                \
    PART_FIELDS,                                                                                                      \
    DSC_NUMBER_VALUE("CASE WHEN " OF_PART " THEN t.unit ELSE " DSC_NUMBER_UNIT " END"),                               \
    TEXT("source_tier", "CASE WHEN " OF_PART " THEN t.tier ELSE " DSC_NUMBER_TIER " END",                             \
         DSC_TIERS_DESCRIBED " For a part of the company: dimensioned, unless it was loaded with another tier."),                        \
    DSC_NUMBER_RESTATED("CASE WHEN " OF_PART                                                                          \
        " THEN kpi_is_restated(t.issuer_id, t.metric_key, t.end_date, t.id, t.known_at, t.value) ELSE t.is_restated END"), \
    DSC_SPLITS_SINCE,                                                                                                 \
    TEXT("concept", "CASE WHEN " OF_PART " THEN observed_concept(t.as_described) ELSE " DSC_NUMBER_CONCEPT " END",    \
         "XBRL element that supplies the value, e.g. us-gaap:Revenues; null if it is derived, or if it is for a part of the company and not from " \
         "XBRL.", NULLABLE),                                                                                          \
    DSC_NUMBER_DERIVATION,                                                                                            \
    PROVENANCE_BY("provenance", "t", "CASE WHEN " OF_PART " THEN 'kpi_observation' ELSE 'fundamental' END",           \
                  DSC_SUPPLIER_DESCRIBED, .filer = "i.cik")

static const dsc_shape_t canonical_fact_shape = SHAPE("CanonicalFact", "A canonical metric of a company, or of a part of it.", CANONICAL_FIELDS);

static const dsc_shape_t kpi_fact_shape = SHAPE("KpiFact", "A canonical metric of a company, or of a part of it.",
    CANONICAL_FIELDS,
    OBJECT("_qa", qa_shape, "Results of checks; only with include=qa.", .flags = DSC_OPTIONAL, .sql = "{value:include}::text = 'qa'"));

#define IN_CALENDAR_PERIOD(is_no_sum)                                                                                 \
    "{given:calendar_period: AND " is_no_sum                                                                          \
    " AND calendar_period(o.start_date, o.end_date) = ANY (calendar_names(ARRAY[{value:calendar_period}::text]))}"

static const dsc_source_t kpi_facts = {
    .from = NUMBERS(IN_CALENDAR_PERIOD("o.kind <> 6") " AND ({value:published_only}::boolean IS NOT TRUE OR NOT o.is_suspect)",
                    IN_CALENDAR_PERIOD("o.period_kind <> 'ttm'") " AND ({value:published_only}::boolean IS NOT TRUE OR " PART_TIER " <> 'extracted_low_confidence')"),
    NUMBERS_IN_ORDER,
};

const dsc_endpoint_t dsc_endpoint_earlier_kpi = {
    EARLIER("get_kpi_facts", "/kpi/{ticker}"),
    ABOUT("Fundamentals", "Current facts of a company: for each metric and period the fact that no other supersedes."),
    ITEM(company_source, kpi_shape),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        PARAMETER_CANONICAL,
        QUERY(STRING, "calendar_period", "Only this calendar period, e.g. 2024-Q1, 2024Q1, 2024.", AT_MOST(16)),
        PARAMETER_TIER,
        QUERY(BOOLEAN, "published_only", "Only facts that are not suspect.", .default_text = "true"),
        QUERY(LITERAL, "include", "qa: adds _qa, the results of checks, to each fact.", .choices = include_choices, AT_MOST(32)),
        DSC_PARAMETER_LIMIT("200", 1000),
        DSC_PARAMETER_AS_OF),
    .children = CHILDREN({"facts", &kpi_facts, &kpi_fact_shape, "The facts, the latest first."}),
    .rows = "facts",
    .not_found = "There is no company with the symbol \"%s\".",
};

static const dsc_source_t canonical_facts = {
    .from = NUMBERS(IS_PERIOD_END "{given:only_axis: AND false}",
                    IS_PERIOD_END " AND {value:only_consolidated}::boolean IS NOT TRUE"
                    "{given:only_axis: AND (o.dimension = {value:only_axis}::text"
                    " OR (strpos(o.as_described, {value:only_axis}::text || '=') > 0" /* many are looked at: this is the cheapest */
                    " AND {value:only_axis}::text IN (observed_axis(o.as_described), split_part(observed_axis(o.as_described), ':', 2))))}"),
    NUMBERS_IN_ORDER,
};

const dsc_endpoint_t dsc_endpoint_earlier_canonical = {
    EARLIER("get_canonical_facts", "/canonical/{ticker}"),
    ABOUT("Fundamentals", "Canonical facts of a company, and of its segments, products and regions."),
    ITEM(company_source, canonical_shape),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        PARAMETER_CANONICAL,
        QUERY(DATE, "period_end", "Only periods that end on this day.", AT_MOST(16)),
        QUERY(STRING, "only_axis", "Only facts of parts on this axis, by its local name, e.g. StatementBusinessSegmentsAxis; the name with its "
                                   "prefix, and segment, product or region, work as well.", AT_MOST(64)),
        QUERY(BOOLEAN, "only_consolidated", "Only facts of the company as a whole.", .default_text = "false"),
        PARAMETER_TIER,
        DSC_PARAMETER_LIMIT("500", 2000),
        DSC_PARAMETER_AS_OF),
    .children = CHILDREN({"facts", &canonical_facts, &canonical_fact_shape, "The facts, the latest first."}),
    .rows = "facts",
    .not_found = "There is no company with the symbol \"%s\".",
};

/* ---------------------------------------------------------------------- calculation */

/* The number whose calculation is asked for: of the periods that end then the year before a quarter. */
#define CALCULATED                                                                                                    \
    "(SELECT o.* FROM fundamental o WHERE o.issuer_id = {value:ticker}::bigint AND o.metric_id = " DSC_METRIC_ID("{value:canonical_name}::text")  \
    " AND o.end_date = {value:period_end}::date AND {now:o} AND NOT o.is_suspect"                                     \
    " ORDER BY position(o.period_kind IN 'annual quarter instant ttm'), o.unit COLLATE \"C\" LIMIT 1) t"

/* What a number t is computed of: the terms f of its metric's formula, or of a remainder those that were reported, each with its own number y. */
#define TERMS                                                                                                         \
    "canonical_term f LEFT JOIN LATERAL (SELECT y.* FROM fundamental y WHERE y.issuer_id = t.issuer_id AND y.metric_id = " DSC_METRIC_ID("f.term")  \
    " AND y.unit = t.unit AND y.kind = " DSC_TERM_KIND " AND y.end_date = " DSC_TERM_END " AND {now:y}) y ON true"      \
    " WHERE f.metric_key = {value:canonical_name}::text"                                                              \
    " AND CASE WHEN t.rule = 'remainder' THEN f.rule = 'remainder' AND y.src_digest = ANY (t.inputs) ELSE f.rule = 'formula' END"

/* Where the filing that reports the number t adds it up itself, the statement k in which it does so of the most lines. */
#define LINKED                                                                                                        \
    " LEFT JOIN LATERAL (SELECT s.role, s.sum * c.sign AS sum, c.sign, s.children, r.src_digest FROM xbrl_linkbase l"  \
    " JOIN xbrl_report r ON r.accession = l.accession AND r.issuer_id = l.issuer_id AND {now:r} AND " DSC_REPORT_IS_TAKEN("r")  \
    " JOIN canonical_concept c ON c.metric_key = {value:canonical_name}::text AND c.rank = t.concept_rank"                            \
    " CROSS JOIN LATERAL linkbase_sums(l, r) s WHERE l.accession = t.accession AND l.issuer_id = t.issuer_id AND {now:l}"  \
    " AND s.parent = c.concept AND s.unit = t.unit AND s.end_date = t.end_date AND s.start_date IS NOT DISTINCT FROM t.start_date"  \
    " ORDER BY json_array_length(s.children) DESC, s.role COLLATE \"C\" LIMIT 1) k ON true"

static const dsc_shape_t calculation_shape = SHAPE("Calculation", "A value and the terms that it is computed from.",
    TICKER,
    TEXT("canonical_name", "m.metric_key", "Key of the metric."),
    TEXT("link_role", "coalesce(k.role, 'formula')",
         "URI of the statement in which the filing adds up the value; of several, the one with the most lines. formula: the formula of the "
         "dictionary, if the filing's calculations are not loaded or do not include the value."),
    OBJECT("period", dsc_shape_number_period, "The period that the value covers."),
    DECIMAL("value", "t.value", "The value."),
    TEXT("source_tier", DSC_NUMBER_TIER, "Quality tier, as in the company's fundamentals."),
    DECIMAL("sum", "CASE WHEN k.role IS NULL THEN g.sum ELSE k.sum END",
            "Sum of the children, multiplied by their weights; null if one is missing, and for ratios.", NULLABLE),
    DECIMAL("difference", "t.value - CASE WHEN k.role IS NULL THEN g.sum ELSE k.sum END",
          "value less sum; 0 if they agree; null if there is no sum.", NULLABLE),
    PROVENANCE("fundamental", "The filing that reports the value, or the newest of the filings that it is derived from.", .filer = "i.cik"));

static const dsc_source_t calculation_source =
    ROW(CALCULATED LINKED " JOIN canonical_metric m ON m.metric_id = t.metric_id JOIN " DSC_ISSUER
        " CROSS JOIN LATERAL (SELECT CASE WHEN bool_and(y.value IS NOT NULL AND f.kind = 'sum') THEN sum(f.weight * y.value) END AS sum"
        " FROM " TERMS ") g");

static const dsc_shape_t term_shape = SHAPE("CalculationChild", "A term of a computed value.",
    TEXT("name", "e.name", "XBRL element in the filing's statement; for a formula, the key of the metric."),
    TEXT("kind", "e.kind",
         "sum: the term is added; ratio: the first child is divided by the second; average_ratio: the first child is divided by the average of the second, "
         "the balance of the day before the period, and the third, that of its last day."),
    DECIMAL("weight", "e.weight", "Weight by which it is multiplied."),
    DECIMAL("value", "e.value", "Value of the term; null if it is missing.", NULLABLE),
    TEXT("src_id", "e.src_id", "src_id of the term; for an XBRL element, that of the filing's report; null if it is missing.", NULLABLE));

static const dsc_source_t term_source = {
    .from = CALCULATED LINKED " CROSS JOIN LATERAL (SELECT a.place, a.child->>'concept' AS name, 'sum' AS kind,"
            " (a.child->>'weight')::numeric * k.sign AS weight, (a.child->>'value')::numeric AS value,"
            " 'src_xbrl_report_' || replace(k.src_digest::text, '-', '') AS src_id"
            " FROM json_array_elements(k.children) WITH ORDINALITY AS a(child, place)"
            " UNION ALL SELECT f.place, f.term, f.kind, f.weight, y.value, 'src_fundamental_' || replace(y.src_digest::text, '-', '')"
            " FROM " TERMS " AND k.role IS NULL) e",
    .where = "t.issuer_id = {value:ticker}::bigint",
    .order = "e.place",
    .tie = "e.place",
};

const dsc_endpoint_t dsc_endpoint_earlier_calculation = {
    EARLIER("get_calculation", "/canonical/{ticker}/{canonical_name}/calc"),
    ABOUT("Fundamentals", "The terms that a value is computed from."),
    ITEM(calculation_source, calculation_shape),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        PATH(STRING, "canonical_name", "Key of the metric, e.g. gross_profit."),
        QUERY(DATE, "period_end", "Last day of the period.", AT_MOST(16), .flags = DSC_REQUIRED),
        DSC_PARAMETER_AS_OF),
    .children = CHILDREN({"children", &term_source, &term_shape, "Terms of the value; empty if neither the filing nor the dictionary adds it up."}),
    .not_found = "The company has no number of the metric \"%s\" for a period that ends on that day.",
};

/* ----------------------------------------------------------------------------- peers */

/* The size of a company: its value for the latest year or instant. */
#define PEER_SIZE(name)                                                                                               \
    "{present:" name ".latest}{past:(SELECT x.value FROM fundamental x WHERE x.issuer_id = " name ".issuer_id"         \
    " AND x.metric_id = " DSC_METRIC_ID(name ".metric_key") " AND x.kind IN (1, 5)"                              \
    " AND x.known_at <= {value:as_of} AND (x.superseded_at IS NULL OR x.superseded_at > {value:as_of})"               \
    " ORDER BY x.end_date DESC, x.unit LIMIT 1)}"

/* Those with the metric of the company's SIC code, with their sizes. */
#define PEER_SIZES                                                                                                    \
    "SELECT z.issuer_id, abs(nullif(" PEER_SIZE("z") ", 0)) AS size, abs(nullif(" PEER_SIZE("o") ", 0)) AS own"        \
    " FROM metric_issuer o JOIN issuer_profile s ON s.issuer_id = o.issuer_id AND {now:s}"                             \
    " JOIN issuer_profile p ON p.sic = s.sic AND {now:p} JOIN metric_issuer z ON z.metric_key = {value:canonical_name}::text"  \
    " AND z.issuer_id = p.issuer_id"                                                                                   \
    " WHERE o.metric_key = {value:canonical_name}::text AND o.issuer_id = {value:ticker}::bigint"                      \
    "{past: AND z.known_at <= {value:as_of}}"

/* The company and the nearest of these in size: by the ratio of the larger to the smaller. */
#define PEERS                                                                                                         \
    "n AS MATERIALIZED (" PEER_SIZES "), g AS MATERIALIZED (SELECT q.place, q.issuer_id, i.ticker, i.cik"              \
    " FROM (SELECT n.issuer_id, row_number() OVER (ORDER BY n.issuer_id <> {value:ticker}::bigint,"                    \
    " CASE WHEN n.size > n.own THEN n.size / n.own ELSE n.own / n.size END NULLS LAST, n.issuer_id) AS place FROM n) q"  \
    " JOIN " DSC_ISSUER_OF("q.issuer_id") " WHERE q.place <= {value:max_peers}::bigint + 1)"

/* Its latest years or, of what is no sum over a period, year ends. */
#define PEER_PERIODS                                                                                                  \
    "w AS MATERIALIZED (SELECT DISTINCT ON (x.end_date) x.end_date, x.kind, x.unit FROM metric_value x"                \
    " WHERE x.issuer_id = {value:ticker}::bigint AND x.metric_id = " PEER_METRIC " AND x.kind IN (1, 2) AND {now:x}"   \
    " ORDER BY x.end_date DESC LIMIT {value:max_periods}::bigint)"
#define PEER_METRIC "(SELECT m.metric_id FROM m)"

/* Of each company and period the number that ends next to it. A company's are read at once. */
#define PEER_NUMBERS                                                                                                  \
    "(WITH m AS MATERIALIZED (SELECT d.metric_id, d.unit FROM canonical_metric d WHERE d.metric_key = {value:canonical_name}::text)," \
    " " PEERS ", " PEER_PERIODS ", o AS MATERIALIZED (SELECT g.place, g.ticker, g.cik, x.start_date, x.end_date, x.kind, x.fiscal, x.value," \
    " x.unit, x.is_suspect, x.rule, x.verified_at, x.src_digest, x.source_id, x.accession_number, x.recorded_at"       \
    " FROM g CROSS JOIN LATERAL (SELECT x.* FROM metric_value x WHERE x.issuer_id = g.issuer_id AND x.metric_id = " PEER_METRIC  \
    " AND x.end_date BETWEEN (SELECT min(w.end_date) - 45 FROM w) AND (SELECT max(w.end_date) + 45 FROM w) AND {now:x} OFFSET 0) x)" \
    " SELECT DISTINCT ON (o.place, w.end_date) o.place, o.ticker, o.cik, (SELECT m.unit FROM m) AS metric_unit, w.end_date AS aligned_on," \
    " o.start_date, o.end_date, kind_name(o.kind) AS period_kind, o.fiscal, o.value, o.unit, o.is_suspect, o.rule, o.verified_at," \
    " o.src_digest, o.source_id, o.accession_number AS accession, NULL::text AS quote, o.recorded_at"                  \
    " FROM o JOIN w ON w.kind = o.kind AND o.end_date BETWEEN w.end_date - 45 AND w.end_date + 45"                     \
    " ORDER BY o.place, w.end_date, abs(o.end_date - w.end_date), o.unit <> w.unit, o.unit COLLATE \"C\", o.end_date) t"

static const dsc_shape_t peer_group_shape = SHAPE("PeerSeries", "A metric of a company and of its peers.",
    TICKER,
    TEXT("canonical_name", "{value:canonical_name}::text", "Key of the metric."));

static const dsc_source_t peer_group_source =
    ROW(COMPANY_ROW " JOIN canonical_metric m ON m.metric_key = {value:canonical_name}::text", .unversioned = 1);

static const dsc_shape_t peer_point_shape = SHAPE("PeerPoint", "A value of one company for one of the periods.",
    TEXT("ticker", "t.ticker", "Ticker of the company's primary listing, the requested company's first; null if it has none.", NULLABLE),
    CIK("company_cik", "t.cik", "CIK of the company; null if it has none.", NULLABLE),
    DATE("aligned_on", "t.aligned_on", "End of the requested company's period that it is compared with, at most 45 days from the end of its own."),
    OBJECT("period", dsc_shape_number_period, "Period of the value."),
    VALUE_BY("value", "t.value", DSC_NUMBER_UNIT, "The value."),
    TEXT("source_tier", DSC_NUMBER_TIER, "Quality tier, as in the company's fundamentals."),
    PROVENANCE_BY("provenance", "t", "'fundamental'::text", DSC_SUPPLIER_DESCRIBED, .filer = "t.cik"));

static const dsc_source_t peer_points = {
    .from = PEER_NUMBERS " CROSS JOIN LATERAL (SELECT t.metric_unit AS unit) m",
    .where = "true",
    .order = "t.place",
    .tie = "t.aligned_on",
    .unversioned = 1,
};

const dsc_endpoint_t dsc_endpoint_earlier_peers = {
    EARLIER("get_peers", "/canonical/{ticker}/{canonical_name}/peers"),
    ABOUT("Fundamentals", "A metric of a company and of its peers: companies with the same SIC code and of similar size."),
    ITEM(peer_group_source, peer_group_shape),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        PATH(STRING, "canonical_name", "Key of the metric, e.g. revenue."),
        QUERY(INTEGER, "max_peers", "Maximum number of peers.", BETWEEN(1, 10), .default_text = "5"),
        QUERY(INTEGER, "max_periods", "Maximum number of periods: the company's latest quarters, or instants.", BETWEEN(1, 20), .default_text = "8"),
        DSC_PARAMETER_AS_OF),
    .children = CHILDREN({"series", &peer_points, &peer_point_shape, "Values, ordered by company, then from the first period to the last."}),
    .rows = "series",
    .not_found = "There is no metric with the key \"%s\".",
};

/* -------------------------------------------------------------------------- coverage */

/* Numbers of parts of the company of the metric of row `of`. */
#define OBSERVED_PARTS(of)                                                                                            \
    "o.issuer_id = {value:ticker}::bigint AND o.canonical_key = " of ".metric_key AND o.dimension IS NOT NULL AND {now:o}"

/* Which number t of a metric is its latest, behind ORDER BY. */
#define LATEST_NUMBER "t.end_date DESC, t.rule IS NOT NULL, t.id DESC"
#define COMPANY_NUMBERS "t.issuer_id = {value:ticker}::bigint AND {now:t} AND NOT t.is_suspect"

/* Tiers of the latest numbers of most metrics: those of the company's last quarter, which are read at once. As of an instant nobody knows where
 * these are. */
#define NEW_TIERS                                                                                                     \
    "(SELECT DISTINCT ON (t.metric_id) t.metric_id, " DSC_NUMBER_TIER " AS tier FROM metric_value t WHERE {past:false AND }" COMPANY_NUMBERS  \
    " AND t.end_date >= (SELECT max(x.end_date) - 100 FROM metric_value x WHERE x.issuer_id = {value:ticker}::bigint)"  \
    " ORDER BY t.metric_id, " LATEST_NUMBER ")"

/* The metrics of the statements that every company has, and of those of its industry, with the tier of the latest number: of the company
 * as a whole, else of a part. Numbers are looked up of those metrics alone of which the company has any, but none among the new ones n. */
#define EXPECTED_METRICS                                                                                              \
    "(SELECT l.template_slug, l.place, m.metric_key, m.metric_id, m.display, m.unit, m.category, m.decimal_places, m.higher_is_better," \
    " m.formula, m.basis, x.metric_key IS NOT NULL AS has_numbers, coalesce(n.tier,"                                           \
    " CASE WHEN x.metric_key IS NOT NULL THEN (SELECT " DSC_NUMBER_TIER " FROM metric_value t WHERE " COMPANY_NUMBERS  \
    "  AND t.metric_id = m.metric_id ORDER BY " LATEST_NUMBER " LIMIT 1) END,"                                        \
    " (SELECT " PART_TIER " FROM kpi_observation o WHERE " OBSERVED_PARTS("m")                                         \
    "  AND " PART_TIER " <> 'extracted_low_confidence' ORDER BY o.end_date DESC, o.id DESC LIMIT 1), 'missing') AS tier"  \
    " FROM template_metric l JOIN canonical_metric m USING (metric_key)"                                              \
    " LEFT JOIN metric_issuer x ON x.issuer_id = {value:ticker}::bigint AND x.metric_key = m.metric_key"              \
    "{past: AND x.known_at <= {value:as_of}} LEFT JOIN n ON n.metric_id = m.metric_id"                                \
    " WHERE l.template_slug NOT IN (SELECT d.template_slug FROM industry_template d)"                                 \
    " OR l.template_slug = (SELECT industry_of(p.sic) FROM issuer_profile p WHERE p.issuer_id = {value:ticker}::bigint AND {now:p}))"

#define HAS_NUMBERS(metric_id_)                                                                                       \
    "EXISTS (SELECT 1 FROM metric_value t WHERE t.issuer_id = {value:ticker}::bigint AND t.metric_id = " metric_id_ " AND {now:t})"

/* Of a metric e that is a ratio to an average: whether both of its balances are known for any of its amounts. */
#define BALANCE_IS_KNOWN(balance, day)                                                                                \
    "EXISTS (SELECT 1 FROM metric_value " balance " WHERE " balance ".issuer_id = t.issuer_id AND " balance ".metric_id = " DSC_METRIC_ID("f.balance") \
    " AND " balance ".end_date = " day " AND " balance ".kind = 1 AND " balance ".unit = t.unit AND {now:" balance "})"
#define HAS_BOTH_BALANCES                                                                                             \
    "EXISTS (SELECT 1 FROM canonical_average_ratio f JOIN metric_value t ON t.issuer_id = {value:ticker}::bigint"     \
    " AND t.metric_id = " DSC_METRIC_ID("f.amount") " AND t.kind IN (5, 6) AND {now:t} WHERE f.metric_key = e.metric_key" \
    " AND " BALANCE_IS_KNOWN("o", "t.start_date - 1") " AND " BALANCE_IS_KNOWN("c", "t.end_date") ")"

/* Of a metric e without numbers. Its elements may be reported for six or nine months, of which there are no numbers. */
#define NOT_REPORTED "'None of its elements is reported' || CASE e.basis WHEN 'duration' THEN ' for a quarter or a year' ELSE '' END"

/* Why a metric e of those expected is missing. */
#define MISSING_REASON                                                                                                \
    "CASE WHEN e.has_numbers AND " HAS_NUMBERS("e.metric_id") " THEN 'Its numbers are off scale, and withheld.'"       \
    " WHEN EXISTS (SELECT 1 FROM kpi_observation o WHERE " OBSERVED_PARTS("e") ")"                                     \
    " THEN 'Its numbers are of low confidence, and withheld.'"                                                        \
    " WHEN e.formula IS NULL THEN " NOT_REPORTED " || '.'"                                                            \
    " ELSE " NOT_REPORTED " || ', and its formula, ' || e.formula || ', ' || coalesce('lacks '"            \
    " || (SELECT string_agg(f.term, ', ' ORDER BY f.place) FROM canonical_term f WHERE f.metric_key = e.metric_key"   \
    " AND f.rule = 'formula' AND f.balance IS DISTINCT FROM 'closing' AND NOT " HAS_NUMBERS(DSC_METRIC_ID("f.term")) ")" \
    " || '.', CASE WHEN NOT EXISTS (SELECT 1 FROM canonical_average_ratio f WHERE f.metric_key = e.metric_key)"        \
    " THEN 'has no period in one currency for which all of its terms are known, and which no other number contradicts.'" \
    " WHEN " HAS_BOTH_BALANCES " THEN 'has no year or twelve months for which the average is positive.'"               \
    " ELSE 'has no year or twelve months in one currency for which the balances at the beginning and at the end are known.' END) END" \
    " || CASE WHEN EXISTS (SELECT 1 FROM canonical_remainder o WHERE o.metric_key = e.metric_key)"                     \
    " THEN ' Nor do other lines of its balance sheet leave it.' ELSE '' END"

/* A statement's line of row e as JSON: keys, units and categories are words that JSON has as they are. It is put together as text, because there are
 * more than a hundred, and functions that build JSON look up the type of each value. */
#define TEMPLATE_LINE                                                                                                 \
    "'{\"canonical_name\":\"' || e.metric_key || '\",\"display_name\":' || to_json(e.display)::text || ',\"unit\":\"' || e.unit"  \
    " || '\",\"tier\":\"' || e.tier || '\",\"missing_reason\":'"                                                      \
    " || CASE WHEN e.tier <> 'missing' THEN 'null' ELSE to_json(" MISSING_REASON ")::text END"                         \
    " || ',\"category\":\"' || e.category || '\",\"decimal_places\":' || e.decimal_places"                             \
    " || ',\"higher_is_better\":' || coalesce(e.higher_is_better::text, 'null') || '}'"

static const dsc_shape_t tier_counts = SHAPE("TierCounts", "Expected metrics by the tier of their latest number.",
    INTEGER("verified", "c.verified", "Number of metrics of that tier."),
    INTEGER("dimensioned", "c.dimensioned", "Number of metrics of that tier, which have values only for parts of the company."),
    INTEGER("derived", "c.derived", "Number of metrics of that tier."), INTEGER("extracted", "c.extracted", "Number of metrics of that tier."),
    INTEGER("extracted_low_confidence", "0", "Always 0: suspect values are not published, and their metrics count as missing."),
    INTEGER("missing", "c.missing", "Number of expected metrics without a published value."));

static const dsc_shape_t coverage_counts = SHAPE("CanonicalCounts", "Numbers of expected metrics and of those found.",
    INTEGER("expected", "c.expected", "Number of expected metrics."),
    OBJECT("by_tier", tier_counts, "Number of expected metrics by tier; they add up to expected."));

static const dsc_shape_t template_kpi_shape = SHAPE("TemplateKpi", "A line of a statement.",
    MEMBER(TEXT, "canonical_name", "Key of the metric."), MEMBER(TEXT, "display_name", "Name of the metric."),
    MEMBER(TEXT, "unit", "Kind of unit: currency, shares, currency_per_share, ratio or count."),
    MEMBER(TEXT, "tier", "Tier of its latest value, for the company as a whole, or else for a part of it; missing if there is none."),
    MEMBER(TEXT, "missing_reason", "Why it is missing; null if it is not.", NULLABLE), MEMBER(TEXT, "category", "Category of the metric."),
    MEMBER(INTEGER, "decimal_places", "Number of decimal places to display."),
    MEMBER(BOOLEAN, "higher_is_better", "Whether a higher value is better; null if neither is.", NULLABLE));

static const dsc_shape_t template_shape = SHAPE("StatementTemplate", "A statement and its lines.",
    MEMBER(TEXT, "template_slug", "Key of the statement."), MEMBER(TEXT, "template_name", "Name of the statement."),
    MEMBER(TEXT, "description", "Description of the statement."),
    MEMBER(INTEGER, "kpi_count", "Number of lines of the statement."),
    MEMBER(JSON, "kpis", "Lines of the statement.", .flags = DSC_ARRAY, .shape = &template_kpi_shape));

static const dsc_shape_t coverage_shape = SHAPE("CanonicalCoverage", "Metrics expected of a company, and their tiers.",
    TICKER,
    JSON("templates", "c.templates", "Statements that every company has, and that of its industry.", .flags = DSC_ARRAY, .shape = &template_shape),
    JSON("expected_canonicals", "c.canonicals", "Keys of all expected metrics.", .flags = DSC_ARRAY),
    OBJECT("counts", coverage_counts, "Numbers of expected metrics."),
    OBJECT("calculations", dsc_shape_calculation_checks, "Whether the statements in the company's filings add up."));

static const dsc_source_t coverage_source =
    ROW(COMPANY_ROW " CROSS JOIN LATERAL (WITH n AS MATERIALIZED " NEW_TIERS ", e AS MATERIALIZED " EXPECTED_METRICS ","
        " g AS (SELECT e.template_slug, count(*) AS count, string_agg(" TEMPLATE_LINE ", ',') AS lines"
        " FROM (SELECT * FROM e ORDER BY e.template_slug, e.place) e GROUP BY 1)"
        " SELECT (SELECT '[' || string_agg('{\"template_slug\":' || to_json(s.slug)::text || ',\"template_name\":' || to_json(s.name)::text"
        " || ',\"description\":' || to_json(s.description)::text || ',\"kpi_count\":' || g.count || ',\"kpis\":[' || g.lines || ']}',"
        " ',' ORDER BY s.place) || ']' FROM g JOIN statement_template s ON s.slug = g.template_slug) AS templates, o.*"
        " FROM (SELECT '[\"' || string_agg(d.metric_key, '\",\"') || '\"]' AS canonicals,"
        " count(*) AS expected, count(*) FILTER (WHERE d.tier = 'verified') AS verified,"
        " count(*) FILTER (WHERE d.tier = 'dimensioned') AS dimensioned, count(*) FILTER (WHERE d.tier = 'derived') AS derived,"
        " count(*) FILTER (WHERE d.tier = 'extracted') AS extracted, count(*) FILTER (WHERE d.tier = 'missing') AS missing"
        " FROM (SELECT DISTINCT ON (e.metric_key COLLATE \"C\") e.metric_key, e.tier FROM e ORDER BY e.metric_key COLLATE \"C\") d) o) c CROSS JOIN " DSC_CALCULATION_CHECKS("{value:ticker}::bigint") " checks",
        .unversioned = 1);

const dsc_endpoint_t dsc_endpoint_earlier_coverage = {
    EARLIER("get_coverage", "/coverage/{ticker}"),
    ABOUT("Fundamentals", "Which metrics are expected of a company, and the tier of each."),
    ITEM(coverage_source, coverage_shape),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        DSC_PARAMETER_AS_OF),
    .not_found = "There is no company with the symbol \"%s\".",
};
