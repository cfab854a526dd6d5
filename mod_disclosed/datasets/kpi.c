/* Key figures of companies, by metric: those that they report themselves, as data teams extract them, and canonical ones.
 *
 * kpi_observation  one record for each point of a metric and each kind of source that reports it
 * kpi_metric       derived: which metrics a company has, and how they are described */
#include "datasets/fundamental.h"
#include "engine/shape_walk.h"

CHOICES(basis_choices, "duration", "instant");
CHOICES(tier_choices, "verified", "dimensioned", "derived", "extracted", "extracted_low_confidence");

/* ---------------------------------------------------------------------- numbers */

/* Values of the metric with that key in one form: observations, and numbers of canonical metrics, with what number_key() makes of them, because
 * sessions write dates so. Sums of four quarters are nobody's observation. */
#define IS_OBSERVED "f.kind <> 6"
#define NUMBERS(alias, metric_key)                                                                                    \
    "(SELECT 'kpi_observation'::text AS dataset, o.id, o.issuer_id, o.record_key, o.known_at, o.superseded_at,"       \
    " o.recorded_at, o.src_digest, o.source_id, o.accession, o.quote, o.metric_key, o.unit, o.dimension, o.member,"   \
    " o.start_date, o.end_date, o.period_kind, " DSC_FISCAL_OF("o") " AS fiscal, o.value, o.issuer_label,"            \
    " o.as_described, o.source_type,"                                                                                 \
    " o.tier, o.split_adjusted, NULL::boolean AS is_suspect, NULL::boolean AS is_restated,"                           \
    " NULL::timestamptz AS verified_at, NULL::smallint AS concept_rank, NULL::text AS rule FROM kpi_observation o"    \
    " WHERE o.metric_key = " metric_key                                                                               \
    " UNION ALL SELECT 'fundamental', f.id, f.issuer_id, " metric_key " || '/' || f.end_date || '/' || f.period_kind || '/' || f.unit," \
    " f.known_at, f.superseded_at, f.recorded_at, f.src_digest, f.source_id, f.accession, f.quote, " metric_key ","   \
    " f.unit, NULL, NULL, f.start_date, f.end_date, f.period_kind, f.fiscal, f.value, NULL, NULL, NULL,"              \
    " NULL, NULL, f.is_suspect, f.is_restated, f.verified_at, f.concept_rank, f.rule FROM fundamental f"              \
    " WHERE f.metric_id = " DSC_METRIC_ID(metric_key) " AND " IS_OBSERVED ") " alias

/* With the metric of the dictionary, for those of canonical metrics alone, and the filer. */
#define NUMBERS_FROM                                                                                                  \
    NUMBERS("t", "{value:metric_key}::text") " JOIN issuer i ON i.issuer_id = t.issuer_id"                            \
    " LEFT JOIN canonical_metric m ON t.dataset = 'fundamental' AND m.metric_key = {value:metric_key}::text"

#define OF_OBSERVATION "t.dataset = 'kpi_observation'"
#define TIER           "CASE WHEN " OF_OBSERVATION " THEN kpi_tier(t.tier, t.dimension) ELSE " DSC_NUMBER_TIER " END"
#define SOURCE_TYPE_OF(accession)                                                                                     \
    "coalesce((SELECT r.form FROM xbrl_report r WHERE r.accession = " accession " LIMIT 1), 'XBRL')"
#define SOURCE_TYPE "coalesce(t.source_type, " SOURCE_TYPE_OF("t.accession") ")"
#define IS_RESTATED                                                                                                   \
    "CASE WHEN " OF_OBSERVATION                                                                                       \
    " THEN kpi_is_restated(t.issuer_id, t.metric_key, t.end_date, t.id, t.known_at, t.value) ELSE t.is_restated END"
#define SOURCE_OF_NUMBER                                                                                              \
    "(SELECT json_build_object('src_id', 'src_' || t.dataset || '_' || replace(t.src_digest::text, '-', ''),"          \
    " 'source_provider', s.provider,"                                                                                 \
    " 'source_url', CASE WHEN s.by_filing THEN filing_address(s.url, i.cik, t.accession, NULL) ELSE s.url END,"       \
    " 'accession', t.accession, 'quote', t.quote, 'content_hash', content_hash_text(s.content_hash),"                 \
    " 'extracted_at', rtrim(rtrim(to_char(coalesce(s.extracted_at, t.recorded_at) AT TIME ZONE 'UTC',"                \
    " 'YYYY-MM-DD\"T\"HH24:MI:SS.US'), '0'), '.') || 'Z') FROM source s WHERE s.source_id = t.source_id)"
#define AS_DESCRIBED                                                                                                  \
    "CASE WHEN " OF_OBSERVATION " THEN t.as_described WHEN t.rule = 'formula' THEN m.formula"                       \
    " WHEN t.rule = 'difference' THEN 'a longer period less its beginning'"                                           \
    " WHEN t.rule = 'four_quarters' THEN 'the sum of four quarters'"                                                  \
    " WHEN t.rule = 'remainder' THEN 'what other lines of the balance sheet leave'"                                   \
    " ELSE " DSC_NUMBER_CONCEPT " END"

/* ---------------------------------------------------------------------- observations */

static const dsc_shape_t record_shape = SHAPE("KpiObservationRecord", "An observation of a metric, as one kind of source reports it.",
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),
    TEXT("metric_key", "t.metric_key", "Key of the metric within the company."),
    TEXT("issuer_label", "t.issuer_label", "The company's label for the metric."),
    TEXT("as_described", "t.as_described", "The sentence or definition that states it."),
    TEXT("dimension", "t.dimension", "Dimension of the breakdown: segment, product, region; null for the company as a whole.", NULLABLE),
    TEXT("member", "t.member", "Member of the dimension; null for the company as a whole.", NULLABLE),
    OBJECT("period", dsc_shape_number_period, "The period that the value covers."),
    VALUE_BY("value", "t.value", "t.unit", "The value."),
    TEXT("source_type", "t.source_type", "Kind of source, e.g. 8-K, EX-99.1, 10-Q, transcript."),
    TEXT("tier", "kpi_tier(t.tier, t.dimension)", "Quality tier: verified, dimensioned, derived, extracted or extracted_low_confidence."),
    PROVENANCE("kpi_observation", "Source of the value."));

static const dsc_source_t record_source = ROWS("kpi_observation t", "t.end_date", "date");

const dsc_dataset_t dsc_dataset_kpi_observation = {
    DATASET("kpi_observation", "kpi_observation", "Companies' own metrics, and those of segments, as sources report them"),
    COLUMNS(
        KEY(TEXT, "metric_key", "key of the metric within the company: small letters, digits, underscores"),
        REQUIRED(TEXT, "issuer_label", "the company's label for the metric"),
        REQUIRED(TEXT, "as_described", "the sentence or definition that states it"),
        COLUMN(TEXT, "display", "name for display; issuer_label if left out"),
        COLUMN(TEXT, "definition", "definition; as_described if left out"),
        REQUIRED(TEXT, "unit", "unit of the value: USD, USD_per_share, count, percent, subscribers"),
        COLUMN(TEXT, "category", "e.g. customers"),
        COLUMN(TEXT, "importance", "e.g. headline"),
        REQUIRED(TEXT, "basis", "duration: the value is over a period; instant: it is at the end of a period", .choices = basis_choices),
        COLUMN(TEXT, "dimension", "dimension of the breakdown: segment, product, region; absent: the company as a whole"),
        COLUMN(TEXT, "member", "member of the dimension; only with dimension"),
        COLUMN(DATE, "start_date", "first day of the period; absent for an instant"),
        KEY(DATE, "end_date", "last day of the period, or the instant"),
        COLUMN(TEXT, "fiscal", "fiscal period: Q2 FY2024, FY2024"),
        REQUIRED(DECIMAL, "value", "the number, in the unit"),
        KEY(TEXT, "source_type", "kind of source: 8-K, EX-99.1, 10-Q, transcript"),
        COLUMN(TEXT, "tier", "quality tier; if left out, dimensioned with a dimension, otherwise extracted",
               .choices = tier_choices),
        COLUMN(BOOLEAN, "split_adjusted", "whether the value is adjusted for later splits"),
        COLUMN(TEXT, "canonical_key", "key of the metric of the dictionary that it corresponds to")),
    .key_form = "{metric_key}/{dimension?}/{member?}/{start_date?}/{end_date}/{source_type}",
    .flags = DSC_KEY_FIXED | DSC_BY_COMPANY | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION,
    .complete_lines = "SELECT dataset, changed_issuer, ended, resumed FROM disclosed.reconcile_kpi_bases()",
    .date_column = "known_at",
    .day = "t.end_date",
    .follows = FOLLOWS({"filing", "date_kpi_observations"}),
    SHOWN(record_source, record_shape),
};

static const dsc_shape_t observation_shape = SHAPE("KpiObservation", "An observation of a metric, as one source reports it.",
    TEXT("obs_id", "observation_id(t.dataset, t.src_digest)", "Observation ID: 64 hexadecimal digits, the same in all versions."),
    TEXT("metric_key", "t.metric_key", "Key of the metric."),
    TEXT("issuer_label", "coalesce(t.issuer_label, m.display)",
         "The company's label for the metric; for canonical metrics, the name in the dictionary."),
    TEXT("as_described", AS_DESCRIBED, "The sentence or definition that states it; for canonical metrics, the XBRL element or the rule of "
                                       "derivation; null if there is none.", NULLABLE),
    TEXT("unit", DSC_NUMBER_UNIT, "Unit of the value."),
    TEXT("dimension", "t.dimension", "Dimension of the breakdown: segment, product, region; null for the company as a whole.", NULLABLE),
    TEXT("member", "t.member", "Member of the dimension; null for the company as a whole.", NULLABLE),
    OBJECT("period", dsc_shape_number_period, "The period that the value covers."),
    VALUE_BY("value", "t.value", DSC_NUMBER_UNIT, "The value."),
    TEXT("source_type", SOURCE_TYPE, "Kind of source, e.g. 8-K, EX-99.1, transcript; for canonical metrics, the form type of the filing."),
    TEXT("tier", TIER, "Quality tier: verified, dimensioned, derived, extracted or extracted_low_confidence."),
    BOOLEAN("restated", IS_RESTATED, "Whether the source reported a different value before."),
    PROVENANCE_BY("provenance", "t", "t.dataset", "Source of the value.", .filer = "i.cik"));

static const dsc_source_t observation_source = ROWS(NUMBERS_FROM, "t.end_date", "date");

static const dsc_shape_t key_shape = SHAPE("KpiKey", "The metric.",
    TEXT("metric_key", "p.metric_key", "Key of the metric."));

static const dsc_parent_t metric_parent = {
    .parameter = "metric_key",
    .from = "kpi_metric p WHERE p.issuer_id = {value:symbol} AND p.metric_key = ? AND {now:p}",
    .shape = &key_shape,
};

#define NO_METRIC "The company has no metric with the key \"%s\"."

const dsc_endpoint_t dsc_endpoint_kpi_observations = {
    GET("list_kpi_observations", "/v1/companies/{symbol}/kpis/{metric_key}/observations"),
    ABOUT("KPIs", "All observations of a metric, by source."),
    LIST(observation_source, observation_shape),
    PARAMETERS(
        DSC_PARAMETER_COMPANY,
        PATH(STRING, "metric_key", "Key of the metric.", .predicate = "t.metric_key = ?"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("100", 500),
        DSC_PARAMETER_DIRECTION("period.end_date"),
        DSC_PARAMETER_AS_OF),
    .flags = DSC_WITH_COMPANY,
    .parent = &metric_parent,
    .not_found = NO_METRIC,
};

/* ---------------------------------------------------------------------- metrics */

/* The first or last quarter of a metric: `end` is min and `choice` least, or max and greatest. Indexes have the ends. */
#define QUARTER_AT(end, choice)                                                                                       \
    "(SELECT coalesce(max(fiscal_quarter(n.fiscal)), replace('FY' || calendar_period(NULL, max(n.end_date)), 'Q', '-Q'))" \
    " FROM " NUMBERS("n", "t.metric_key") " WHERE n.issuer_id = t.issuer_id AND {now:n} AND n.end_date = " choice "("  \
    "(SELECT " end "(o.end_date) FROM kpi_observation o WHERE o.issuer_id = t.issuer_id AND o.metric_key = t.metric_key AND {now:o})," \
    " (SELECT " end "(f.end_date) FROM fundamental f WHERE f.issuer_id = t.issuer_id"                                 \
    " AND f.metric_id = " DSC_METRIC_ID("t.metric_key") " AND " IS_OBSERVED " AND {now:f})))"

#define METRIC_FIELDS                                                                                                 \
    TEXT("metric_key", "t.metric_key", "Key of the metric within the company."),                                      \
    TEXT("display", "coalesce(m.display, t.display)", "Name of the metric.", NULLABLE),                               \
    TEXT("definition", "coalesce(m.definition, t.definition)", "Definition of the metric.", NULLABLE),                \
    TEXT("importance", "t.importance", "Importance that the company gives to the metric, as extracted; null if not stated.", NULLABLE), \
    TEXT("unit", "coalesce(m.unit, t.unit)",                                                                          \
         "Unit of the metric; for canonical metrics, its kind: currency, shares, currency_per_share, ratio or count.", NULLABLE), \
    TEXT("category", "coalesce(m.category, t.category)", "Category of the metric; null if not stated.", NULLABLE),    \
    TEXT("basis", "coalesce(m.basis, t.basis)", "duration: the value is over a period; instant: it is at the end of a period.", NULLABLE)

static const dsc_shape_t kpi_shape = SHAPE("KpiMetric", "A metric of a company.",
    METRIC_FIELDS,
    TEXT("dimension_axis", "t.dimension_axis", "Dimensions of the breakdown, separated by commas; null if there is none.", NULLABLE),
    TEXT("first_period", QUARTER_AT("min", "least"),
         "First quarter, e.g. FY2024-Q1, by the company's fiscal year, or by the calendar if that is unknown; null if there is none.", NULLABLE),
    TEXT("last_period", QUARTER_AT("max", "greatest"), "Last quarter, in the same form; null if there is none.", NULLABLE),
    TEXT("canonical_id", "CASE WHEN t.is_canonical THEN t.metric_key ELSE t.canonical_key END",
         "Key in the dictionary of metrics; null for a metric that only the company has.", NULLABLE));

#define METRIC_FROM "kpi_metric t LEFT JOIN canonical_metric m ON t.is_canonical AND m.metric_key = t.metric_key"

static const dsc_source_t kpi_source = ROWS(METRIC_FROM, "t.metric_key", "text");

const dsc_dataset_t dsc_dataset_kpi_metric = {
    DATASET("kpi_metric", "kpi_metric", "Metrics of companies; derived from kpi_observation and fundamental"),
    .flags = DSC_DERIVED | DSC_OF_FILINGS | DSC_BY_COMPANY,
    .date_column = "known_at",
    .follows = FOLLOWS({"kpi_observation", "derive_kpi_metrics"}, {"fundamental", "derive_kpi_metrics"}),
    SHOWN(kpi_source, kpi_shape),
};

const dsc_endpoint_t dsc_endpoint_kpis = {
    GET("list_kpis", "/v1/companies/{symbol}/kpis"),
    ABOUT("KPIs", "Metrics of a company: its own, and canonical ones."),
    LIST(kpi_source, kpi_shape),
    PARAMETERS(
        DSC_PARAMETER_COMPANY,
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("100", 500),
        QUERY(LITERAL, "direction", "Sort direction, by metric_key.", .choices = dsc_direction_choices, .default_text = "asc"),
        DSC_PARAMETER_AS_OF),
    .flags = DSC_WITH_COMPANY,
};

/* ---------------------------------------------------------------------- series */

/* A point is what all sources report of a period. The value is that of the best tier, which is `verified` for extracted values that several
 * sources report, those that were loaded as verified before these; then of the most and of the newest source. Points of members are shown if
 * nothing is reported of the company as a whole. */
/* A number whose unit is shown as it is stored is the only one of its period, if nothing is observed: its provenance is written from columns. */
#define IS_SIMPLE                                                                                                     \
    "(m.unit <> 'ratio' AND strpos(t.unit, 'share') = 0 AND NOT EXISTS (SELECT 1 FROM kpi_observation x"              \
    " WHERE x.issuer_id = {value:symbol} AND x.metric_key = {value:metric_key}::text))"
#define OF_POINT "n.unit, n.dimension, n.member, n.start_date, n.end_date, n.period_kind"
#define POINTS                                                                                                        \
    "(SELECT " OF_POINT ", n.value, (n.fiscals)[1] AS fiscal, n.tier, n.told_tier, n.split_adjusted, n.is_restated," \
    " CASE WHEN n.sources = 1 THEN ARRAY[n.source_type]"                                                              \
    " ELSE (SELECT array_agg(DISTINCT x) FROM unnest(n.source_types) AS x) END AS sources,"                           \
    " CASE WHEN n.provenance IS NOT NULL THEN array_to_json(n.provenances) END AS provenance,"                        \
    " n.src_digest, n.source_id, n.accession, n.quote, n.recorded_at, n.cik," \
    " CASE WHEN n.sources > 1 THEN n.agree END AS sources_agree FROM (SELECT s.*, count(*) OVER p AS sources,"        \
    " array_agg(s.fiscal) FILTER (WHERE s.fiscal IS NOT NULL) OVER p AS fiscals, array_agg(s.source_type) OVER p AS source_types," \
    " array_agg(s.provenance) OVER p AS provenances, min(s.value) OVER p = max(s.value) OVER p AS agree,"             \
    " bool_or(s.dimension IS NULL) OVER () AS is_of_whole, row_number() OVER p AS place FROM" \
    " (SELECT r.*, count(*) OVER v AS telling, CASE WHEN r.tier = 'extracted' AND count(*) OVER v > 1 THEN 'verified' ELSE r.tier END AS told_tier" \
    " FROM (SELECT " DSC_NUMBER_UNIT " AS unit," \
    " t.dimension, t.member, t.start_date, t.end_date, t.period_kind, t.fiscal, t.value, " TIER " AS tier,"            \
    " coalesce(t.split_adjusted, false) AS split_adjusted, " IS_RESTATED " AS is_restated,"                           \
    " " SOURCE_TYPE " AS source_type, CASE WHEN NOT " IS_SIMPLE " THEN " SOURCE_OF_NUMBER " END AS provenance,"         \
    " t.src_digest, t.source_id, t.accession, t.quote, t.recorded_at, i.cik, t.known_at, t.record_key FROM " NUMBERS_FROM  \
    " WHERE t.issuer_id = {value:symbol} AND {now:t} OFFSET 0) r" /* each source is looked up only once */             \
    " WINDOW v AS (PARTITION BY r.unit, r.dimension, r.member, r.start_date, r.end_date, r.period_kind, r.value)) s"   \
    " WINDOW p AS (PARTITION BY s.unit, s.dimension, s.member, s.start_date, s.end_date, s.period_kind"               \
    " ORDER BY tier_rank(s.told_tier), tier_rank(s.tier), CASE WHEN s.told_tier = 'verified' THEN s.telling END DESC, s.known_at DESC, s.record_key ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) n" \
    " WHERE n.place = 1 AND (n.dimension IS NULL OR NOT n.is_of_whole)) t"

static const dsc_shape_t point_shape = SHAPE("KpiPoint", "A metric's value for a period.",
    OBJECT("period", dsc_shape_number_period, "The period that the value covers."),
    VALUE_BY("value", "t.value", "t.unit", "The value; if several sources report one, that of the best tier, then the one that most sources report if it is verified, and then of the newest source."),
    TEXT("kind", "'actual'::text", "Always actual: the value is reported or derived, not forecast."),
    TEXT("tier", "CASE WHEN t.tier = 'derived' THEN 'derived' ELSE 'reported' END", "Whether the value is reported or derived."),
    TEXT("source_tier", "t.told_tier",
         "Quality tier. verified: loaded as verified, or extracted from several sources that agree; dimensioned, derived, extracted or "
         "extracted_low_confidence."),
    JSON("sources", "t.sources", "Kinds of sources that report the value, e.g. 8-K, EX-99.1, 10-Q.", .flags = DSC_ARRAY),
    BOOLEAN("sources_agree", "t.sources_agree", "Whether all sources report this value; null if there is only one source.", NULLABLE),
    BOOLEAN("split_adjusted", "t.split_adjusted", "Whether the value is adjusted for later splits."),
    BOOLEAN("restated", "t.is_restated", "Whether its source reported a different value before."),
    TEXT("dimension", "t.dimension", "Dimension of the breakdown, if nothing is reported for the company as a whole; otherwise null.", NULLABLE),
    TEXT("member", "t.member", "Member of the dimension; null for the company as a whole.", NULLABLE),
    JSON("provenance", "t.provenance", "Sources of the point; the source of the value comes first.", .flags = DSC_ARRAY | DSC_SOURCES,
         .dataset = "fundamental", .filer = "t.cik"));

/* Of one end the shorter period comes first. */
static const dsc_source_t point_source = {
    .from = POINTS,
    .where = "true",
    .order = "t.end_date",
    .order_type = "date",
    .tie = "t.start_date DESC NULLS LAST, t.unit, t.dimension, t.member",
    .unversioned = 1,
};

/* Nothing is observed of the metric, and no unit of its numbers is shown as another: each is the only one of its period, and the only
 * source. What is observed later is not in the numbers. */
#define IS_PLAIN                                                                                                      \
    "m.unit <> 'ratio' AND NOT EXISTS (SELECT 1 FROM kpi_observation x WHERE x.issuer_id = {company} AND x.metric_key = t.metric_key)"    \
    " AND NOT EXISTS (SELECT 1 FROM metric_value u WHERE u.issuer_id = {company} AND u.metric_id = m.metric_id AND strpos(u.unit, 'share') > 0)"
#define PLAIN_POINTS                                                                                                  \
    "(SELECT f.unit, NULL::text AS dimension, NULL::text AS member, f.start_date, f.end_date, kind_name(f.kind) AS period_kind, f.value, f.fiscal, f.tier, f.tier AS told_tier,"  \
    " false AS split_adjusted, f.is_restated, ARRAY[" SOURCE_TYPE_OF("f.filing") "] AS sources, NULL::json AS provenance," \
    " f.src_digest, f.source_id, f.accession_number AS accession, NULL::text AS quote, f.recorded_at,"                                    \
    " (SELECT i.cik FROM issuer i WHERE i.issuer_id = {value:symbol}) AS cik, NULL::boolean AS sources_agree FROM"    \
    " (SELECT t.*, " DSC_NUMBER_TIER " AS tier, accession_name(t.accession_number) AS filing FROM metric_value t WHERE t.issuer_id = {value:symbol}" \
    " AND t.metric_id = " DSC_METRIC_ID("{value:metric_key}::text") " AND t.kind <> 6 AND {now:t} OFFSET 0) f) t" /* the filing is named only once */

static const dsc_source_t plain_source = {
    .from = PLAIN_POINTS,
    .where = "true",
    .order = "t.end_date",
    .order_type = "date",
    .tie = "t.start_date DESC NULLS LAST, t.unit",
    .unversioned = 1,
};

static const dsc_shape_t metric_shape = SHAPE("KpiSeriesMetric", "The metric of a series.",
    METRIC_FIELDS,
    BOOLEAN("split_adjusted", "t.split_adjusted", "Whether its latest value is adjusted for later splits."));

static const dsc_shape_t series_shape = SHAPE("KpiSeries", "A metric of a company over time.",
    OBJECT("metric", metric_shape, "The metric."));

static const dsc_source_t series_source = ROW(METRIC_FROM, .plain = IS_PLAIN);

const dsc_endpoint_t dsc_endpoint_kpi_series = {
    GET("get_kpi_series", "/v1/companies/{symbol}/kpis/{metric_key}"),
    ABOUT("KPIs", "A metric of a company over time; each point lists all sources that report it."),
    ITEM(series_source, series_shape),
    PARAMETERS(
        DSC_PARAMETER_COMPANY,
        PATH(STRING, "metric_key", "Key of the metric.", .predicate = "t.metric_key = ?"),
        QUERY(LITERAL, "scale", "Unit of the normalized values; ratios and amounts per share are not scaled.",
              .choices = dsc_scale_choices, .default_text = "as_reported"),
        DSC_PARAMETER_AS_OF),
    .flags = DSC_WITH_COMPANY,
    .children = CHILDREN({"points", &point_source, &point_shape, "Points of the series, the earliest period first.", &plain_source}),
    .rows = "points",
    .not_found = NO_METRIC,
};

/* ---------------------------------------------------------------------- segments */

static const dsc_shape_t segment_shape = SHAPE("Segment", "A value for a part of a company.",
    TEXT("metric_key", "t.metric_key", "Key of the metric within the company."),
    TEXT("issuer_label", "t.issuer_label", "The company's label for the metric."),
    TEXT("dimension", "t.dimension", "Dimension of the breakdown: segment, product, region; null for the company as a whole."),
    TEXT("member", "t.member", "Member of the dimension; null for the company as a whole."),
    OBJECT("period", dsc_shape_observed_period, "The period that the value covers."),
    VALUE_BY("value", "t.value", "t.unit", "The value."),
    TEXT("tier", "kpi_tier(t.tier, t.dimension)", "Quality tier: verified, dimensioned, derived, extracted or extracted_low_confidence."),
    TEXT("source_type", "t.source_type", "Kind of source, e.g. 8-K, EX-99.1, 10-Q."),
    PROVENANCE("kpi_observation", "Source of the value."));

static const dsc_source_t segment_source =
    ROWS("kpi_observation t", "t.end_date", "date", .where = "t.dimension IS NOT NULL AND t.member IS NOT NULL");

static const char *const segment_gaps[] = {
    "Segments are those of filings whose XBRL instance has been loaded, and of extractions: numbers of one segment, product or region that are not broken down further.", NULL};

const dsc_endpoint_t dsc_endpoint_segments = {
    GET("list_segments", "/v1/companies/{symbol}/segments"),
    ABOUT("KPIs", "Values for a company's segments, products and regions."),
    LIST(segment_source, segment_shape),
    PARAMETERS(
        DSC_PARAMETER_COMPANY,
        QUERY(LITERAL, "unit", "Unit of the normalized values; ratios and amounts per share are not scaled.",
              .choices = dsc_scale_choices, .default_text = "as_reported"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("period.end_date"),
        DSC_PARAMETER_AS_OF),
    .flags = DSC_WITH_COMPANY,
    .gaps = segment_gaps,
};
