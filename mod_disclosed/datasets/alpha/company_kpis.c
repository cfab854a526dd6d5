/* Companies' own metrics on the earlier surface: what at least two kinds of sources agree on, and what was extracted. */
#include "datasets/alpha/alpha.h"
#include "datasets/fundamental.h"

/* Points of a company as a whole on which two kinds of sources agree, not all with low confidence, or which are verified otherwise. If several
 * values are, the point is the one that was loaded as verified, then what most sources report, then the newest. */
#define OF_POINT "o.issuer_id, o.metric_key, o.unit, o.start_date, o.end_date, o.period_kind"
#define VERIFIED_POINTS(company, condition)                                                                                  \
    "(SELECT DISTINCT ON (" OF_POINT ") o.* FROM (SELECT " OF_POINT ", max(" DSC_FISCAL_OF_COMPANY("o", company) ") AS fiscal, max(o.value) AS value," \
    " count(DISTINCT o.source_type) AS sources, array_agg(DISTINCT o.source_type) AS source_types,"                  \
    " coalesce(bool_or(o.tier = 'verified'), false) AS is_verified, max(o.known_at) AS told_at,"                     \
    " (array_agg(o.row_id ORDER BY o.known_at, o.id))[1] AS first_row"                                               \
    " FROM kpi_observation o WHERE o.dimension IS NULL AND {now:o} AND o.issuer_id = " company " AND " condition      \
    " GROUP BY " OF_POINT ", o.value"                                                                                \
    " HAVING bool_or(o.tier = 'verified')"                                                                           \
    " OR (count(DISTINCT o.source_type) > 1 AND bool_or(o.tier IS DISTINCT FROM 'extracted_low_confidence'))) o"     \
    " ORDER BY " OF_POINT ", o.is_verified DESC, o.sources DESC, o.told_at DESC, o.first_row)"

/* Three quarters of the two years before. */
#define RECENT_QUARTERS                                                                                               \
    VERIFIED_POINTS("k.issuer_id", "o.metric_key = k.metric_key AND o.period_kind = 'quarter'"           \
                    " AND o.end_date > {present:current_date}{past:({value:as_of} AT TIME ZONE 'UTC')::date} - 730")

static const dsc_shape_t ticker_shape = SHAPE("KpiTicker", "A company with verified series.",
    MEMBER(TEXT, "ticker", "Ticker of its primary listing."),
    MEMBER(JSON, "metrics", "Keys of its metrics that have at least three verified quarters in the last two years.", .flags = DSC_ARRAY));

static const dsc_shape_t index_shape = SHAPE("KpiIndex", "Companies with verified series of metrics of their own.",
    JSON("tickers", "c.tickers", "Companies, ordered by ticker.", .flags = DSC_ARRAY, .shape = &ticker_shape),
    INTEGER("ticker_count", "json_array_length(c.tickers)", "Number of companies."));

static const dsc_source_t index_source =
    ROW("(SELECT coalesce(json_agg(json_build_object('ticker', g.ticker, 'metrics', g.metrics) ORDER BY g.ticker COLLATE \"C\"), '[]') AS tickers"
        " FROM (SELECT i.ticker, json_agg(k.metric_key ORDER BY k.metric_key COLLATE \"C\") AS metrics FROM kpi_metric k"
        " JOIN " DSC_ISSUER_OF("k.issuer_id") " WHERE {now:k} AND NOT k.is_canonical AND i.ticker IS NOT NULL"
        " AND (SELECT count(*) FROM " RECENT_QUARTERS " q) >= 3 GROUP BY i.issuer_id, i.ticker) g) c",
        .unversioned = 1);

const dsc_endpoint_t dsc_endpoint_earlier_kpi_index = {
    EARLIER("get_kpi_index", "/company-kpis/index"),
    ABOUT("KPIs", "Companies with at least one metric of their own that is verified in three recent quarters."),
    ITEM(index_source, index_shape),
    PARAMETERS(
        DSC_PARAMETER_AS_OF),
    .rows = "tickers",
    .flags = DSC_BY_CLOCK,
    .not_found = "%s",
};

static const dsc_shape_t series_shape = SHAPE("CompanyKpis", "Verified points of a company's own metrics.",
    TEXT("ticker", "i.ticker", "Ticker of the company's primary listing; null if it has none.", NULLABLE));

static const dsc_source_t series_source = ROW(COMPANY_ROW, .unversioned = 1);

static const dsc_shape_t point_shape = SHAPE("CompanyKpiPoint", "A verified point of a metric.",
    TEXT("metric_key", "n.metric_key", "Key of the metric within the company."),
    TEXT("display", "coalesce(t.display, t.issuer_label)", "The company's label for the metric."),
    OBJECT("period", dsc_shape_number_period, "The period that the value covers."),
    VALUE_BY("value", "n.value", "n.unit", "The value."),
    JSON("sources", "n.source_types", "Kinds of sources that report it.", .flags = DSC_ARRAY),
    BOOLEAN("sources_agree", "n.sources > 1", "Whether two or more kinds of sources report this value; if not, it is verified in another way."),
    TEXT("quote", "t.quote", "Verbatim text of the first source; null if there is none.", NULLABLE),
    PROVENANCE("kpi_observation", "The first source, with its URL."));

static const dsc_source_t point_source = {
    .from = VERIFIED_POINTS("{company}", "true") " n JOIN kpi_observation t ON t.issuer_id = n.issuer_id AND t.row_id = n.first_row",
    .where = "t.issuer_id = {company}",
    .order = "n.metric_key COLLATE \"C\"",
    .tie = "n.end_date, n.start_date, n.unit COLLATE \"C\"",
};

const dsc_endpoint_t dsc_endpoint_earlier_company_kpis = {
    EARLIER("get_company_kpis", "/company-kpis/{ticker}"),
    ABOUT("KPIs", "Verified points of a company's own metrics; unverified observations are withheld."),
    ITEM(series_source, series_shape),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        DSC_PARAMETER_AS_OF),
    .children = CHILDREN({"points", &point_source, &point_shape, "Points, ordered by metric, then from the first period to the last."}),
    .rows = "points",
    .not_found = "There is no company with the symbol \"%s\".",
};

/* --------------------------------------------------------------------- extracted facts */

#define KIND "CASE WHEN t.dimension IS NULL THEN 'kpi' ELSE 'segment' END"

static const dsc_shape_t fact_shape = SHAPE("ExtractedFact", "A value that was extracted from a document.",
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),
    TEXT("kind", KIND, "kpi: the value is for the company as a whole; segment: it is for a part."),
    TEXT("metric_key", "t.metric_key", "Key of the metric within the company."),
    TEXT("label", "t.issuer_label", "The company's label for the metric."),
    TEXT("as_described", "t.as_described", "The sentence or definition that states it."),
    TEXT("dimension", "t.dimension", "Dimension of the breakdown; null for the company as a whole.", NULLABLE),
    TEXT("member", "t.member", "Member of the dimension; null for the company as a whole.", NULLABLE),
    OBJECT("period", dsc_shape_number_period, "The period that the value covers."),
    VALUE_BY("value", "t.value", "t.unit", "The value."),
    TEXT("source_type", "t.source_type", "Kind of source, e.g. 8-K, EX-99.1, transcript."),
    TEXT("tier", "kpi_tier(t.tier, t.dimension)", "Quality tier: verified, dimensioned, derived, extracted or extracted_low_confidence."),
    PROVENANCE("kpi_observation", "Source of the value."));

static const dsc_source_t fact_source = ROWS("kpi_observation t", "t.end_date", "date");

const dsc_endpoint_t dsc_endpoint_earlier_extracted_facts = {
    EARLIER("list_extracted_facts", "/extracted-facts/{ticker}"),
    ABOUT("KPIs", "Values that were extracted from a company's documents, the latest period first."),
    ARRAY(fact_source, fact_shape),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        QUERY(STRING, "kind", "Only facts of this kind: kpi or segment.", AT_MOST(64), .predicate = KIND " = ?"),
        DSC_PARAMETERS_ROWS("50", 200),
        DSC_PARAMETER_AS_OF),
};
