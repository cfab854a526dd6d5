/* Numbers under one name for all companies: reported in XBRL, or derived. */
#include "datasets/fundamental.h"
#include "engine/shape_walk.h"

/* Twelve months to a quarter's end are of no calendar year. */
#define CALENDAR "CASE WHEN t.period_kind <> 'ttm' THEN calendar_period(t.start_date, t.end_date) END"

#define PERIOD_FIELDS(fiscal_sql)                                                                                     \
    TEXT("calendar", CALENDAR,                                                                                        \
         "Calendar period, as in the SEC's frames: for a quarter, the calendar quarter of its midpoint (2024Q1); for a year, the calendar year of " \
         "the day 180 days before its end (2024); for an instant, the quarter whose end is nearest; null for ttm.",   \
         .flags = DSC_NULLABLE | DSC_CALENDAR),                                                                       \
    TEXT("fiscal", fiscal_sql, "Fiscal period, by the company's fiscal year: Q2 FY2024, FY2024; null if unknown.", NULLABLE), \
    DATE("start_date", "t.start_date", "First day of the period; null for an instant.", NULLABLE),                    \
    DATE("end_date", "t.end_date", "Last day of the period, or the instant."),                                        \
    TEXT("kind", "t.period_kind", "Kind of period: quarter, annual, ttm (the last four quarters) or instant; for companies' own metrics also half, " \
                                  "ytd, month or other.")

const dsc_shape_t dsc_shape_number_period = SHAPE("NumberPeriod", "The period that a number covers.", PERIOD_FIELDS("t.fiscal"));
const dsc_shape_t dsc_shape_observed_period = SHAPE("NumberPeriod", "The period that a number covers.", PERIOD_FIELDS(DSC_FISCAL_OF_COMPANY("t", "{value:symbol}")));

const dsc_shape_t dsc_shape_split_since = SHAPE("SplitSince", "A split after a filing.",
    MEMBER(DATE, "action_date", "Effective date: first day of trading in split shares."),
    MEMBER(INTEGER, "numerator", "Number of shares after the split for every `denominator` shares before it."),
    MEMBER(INTEGER, "denominator", "Number of shares before the split."),
    MEMBER(TEXT, "src_id", "src_id of the split."));

const dsc_shape_t dsc_shape_fundamental = SHAPE("Fundamental", "A canonical metric of a company.", DSC_FUNDAMENTAL_FIELDS);

static const dsc_source_t fundamental_source =
    ROWS(DSC_NUMBERS_IN_WORDS "{shown: JOIN canonical_metric m ON m.metric_id = t.metric_id JOIN " DSC_ISSUER "}", "t.end_date", "date");

/* Of one company, which is looked up only once; so is each metric that is asked for. */
static const dsc_source_t company_source =
    ROWS(DSC_NUMBERS_IN_WORDS "{shown: JOIN canonical_metric m ON m.metric_id = {given:metrics:metrics_each.value}{absent:metrics:t.metric_id}"
         " JOIN " DSC_ISSUER_OF("{value:symbol}") "}", "t.end_date", "date");

const dsc_dataset_t dsc_dataset_fundamental = {
    DATASET("fundamental", "fundamental", "Canonical metrics of companies; derived from xbrl_report"),
    .rows = "metric_value",
    .keeps = "metric_value metric_issuer issuer_template canonical_metric canonical_concept canonical_formula canonical_remainder canonical_average_ratio metric_name"
             " statement_template template_metric industry_template",
    .flags = DSC_DERIVED | DSC_OF_FILINGS | DSC_BY_COMPANY,
    .date_column = "end_date",
    .follows = FOLLOWS({"xbrl_report", "derive_fundamentals"}, {"company", "follow_industries"}),
    SHOWN(fundamental_source, dsc_shape_fundamental),
};

const dsc_endpoint_t dsc_endpoint_fundamentals = {
    GET("list_fundamentals", "/v1/companies/{symbol}/fundamentals"),
    ABOUT("Fundamentals", "Canonical metrics of a company, reported and derived."),
    LIST(company_source, dsc_shape_fundamental),
    PARAMETERS(
        DSC_PARAMETER_COMPANY,
        QUERY(STRING, "metrics", "Only these metrics, by key, e.g. revenue; repeat the parameter for several.",
              .flags = DSC_REPEATABLE | DSC_EACH | DSC_PLAN_ONCE, .column = "t.metric_id",
              .predicate = "ARRAY(SELECT d.metric_id FROM canonical_metric d WHERE d.metric_key = ANY (?))"),
        QUERY(STRING, "periods",
              "Only these calendar periods, e.g. 2024Q1, 2024-Q1, 2024; repeat the parameter for several.",
              .flags = DSC_REPEATABLE,
              .predicate = CALENDAR " = ANY (calendar_names(?))"
                           " AND t.end_date >= lower(calendar_ends(?)) AND t.end_date < upper(calendar_ends(?))"),
        QUERY(LITERAL, "unit", "Unit of the normalized values; ratios and amounts per share are not scaled.",
              .choices = dsc_scale_choices, .default_text = "as_reported"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("period.end_date"),
        DSC_PARAMETER_AS_OF_WITHIN("t.end_date", "100")),
    .flags = DSC_WITH_COMPANY,
};

/* ----------------------------------------------------------------------- the dictionary */

#define METRIC_FIELDS                                                                                                 \
    TEXT("canonical_key", "m.metric_key", "Key of the metric."),                                                      \
    TEXT("display", "m.display", "Name of the metric."),                                                              \
    TEXT("definition", "m.definition", "Definition of the metric."),                                                  \
    TEXT("unit", "m.unit", "Kind of unit: currency, shares, currency_per_share, ratio or count."),                    \
    TEXT("basis", "m.basis", "duration: the value is over a period; instant: it is at the end of a period."),         \
    TEXT("category", "m.category", "Category: income_statement, balance_sheet, cash_flow, per_share or ratio."),      \
    JSON("aliases", "to_json(m.aliases)", "Other names of the metric.", .flags = DSC_ARRAY),                          \
    TEXT("status", "m.status", "Status: active or retired."),                                                         \
    BOOLEAN("higher_is_better", "m.higher_is_better", "Whether a higher value is better; null if neither is.", NULLABLE), \
    INTEGER("decimal_places", "m.decimal_places", "Number of decimal places to display; values keep all of theirs.")

static const dsc_shape_t search_shape = SHAPE("Metric", "A metric of the dictionary.",
    METRIC_FIELDS,
    TEXT("ticker", "NULL::text", "Always null: the metrics of the dictionary are the same for all companies.", NULLABLE));

static const dsc_source_t search_source = {
    .from = "metrics_named({value:q}) m",
    .order = "m.place",
    .order_type = "bigint",
    .tie = "m.place",
    .unversioned = 1,
};

static const dsc_shape_t query_shape = SHAPE("MetricQuery", "The query of a search for metrics.",
    TEXT("query", "p.query", "The query."));

static const dsc_parent_t query_parent = {
    .parameter = "q",
    .from = "(SELECT ?::text AS query) p",
    .shape = &query_shape,
};

const dsc_endpoint_t dsc_endpoint_metrics = {
    GET("search_metrics", "/v1/metrics"),
    ABOUT("Fundamentals", "Searches the dictionary of metrics by name or alias; typing errors are tolerated."),
    LIST(search_source, search_shape),
    PARAMETERS(
        QUERY(STRING, "q", "Name or alias of a metric.", .flags = DSC_REQUIRED, BETWEEN(1, 256)),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 200),
        QUERY(LITERAL, "direction", "Sort direction, the best match first by default, by the match.", .choices = dsc_direction_choices,
              .default_text = "asc")),
    .flags = DSC_ALPHA,
    .parent = &query_parent,
    .not_found = "%s", /* every query is found */
};

#define WHO_HAS_IT "FROM metric_issuer x JOIN issuer i USING (issuer_id) WHERE x.metric_key = m.metric_key{past: AND x.known_at <= {value:as_of}}"

static const dsc_shape_t metric_shape = SHAPE("MetricDetail", "A metric of the dictionary, and the companies that have values for it.",
    METRIC_FIELDS,
    JSON("companies", "(SELECT coalesce(json_agg(i.ticker ORDER BY i.ticker COLLATE \"C\"), '[]') " WHO_HAS_IT " AND i.ticker IS NOT NULL)",
         "Tickers of the companies that have values for it.", .flags = DSC_ARRAY),
    INTEGER("company_count", "(SELECT count(*) " WHO_HAS_IT ")", "Number of companies that have values for it, including those without a ticker."),
    BOOLEAN("alpha", "true", "Always true: the endpoint is experimental."),
    JSON("concepts",
         "(SELECT coalesce(json_agg(c.concept ORDER BY c.rank), '[]') FROM canonical_concept c WHERE c.metric_key = m.metric_key)",
         "XBRL elements that supply the metric, in order of precedence: the first one that a company reports for a period is used.", .flags = DSC_ARRAY),
    TEXT("formula", "m.formula", "Formula that computes the metric if no element supplies it; null if there is none.", NULLABLE),
    TEXT("gap",
         "'Numbers are those of companies as a whole, of filings in XBRL that have been loaded; those of segments, products and regions are"
         " listed company by company.'::text",
         "What the response does not cover."));

static const dsc_source_t metric_source = ROW("canonical_metric m", .unversioned = 1);

const dsc_endpoint_t dsc_endpoint_metric = {
    GET("get_metric", "/v1/metrics/{canonical_key}"),
    ABOUT("Fundamentals", "One metric of the dictionary, and the companies that have values for it."),
    ITEM(metric_source, metric_shape),
    PARAMETERS(
        PATH(STRING, "canonical_key", "Key of the metric, e.g. revenue.", .predicate = "m.metric_key = ?"),
        DSC_PARAMETER_AS_OF),
    .not_found = "There is no metric with the key \"%s\".",
};

static const dsc_shape_t metric_value_shape = SHAPE("MetricValue", "A value of a metric for one company.",
    TEXT("ticker", "i.ticker", "Ticker of the company's primary listing; null if it has none.", NULLABLE),
    CIK("company_cik", "i.cik", "CIK of the company; null if it has none.", NULLABLE),
    TEXT("metric_key", "m.metric_key", "Key of the metric."),
    OBJECT("period", dsc_shape_number_period, "The period that the value covers."),
    VALUE_BY("value", "t.value", DSC_NUMBER_UNIT, "The value."),
    TEXT("source_tier", DSC_NUMBER_TIER, "Quality tier, as in the company's fundamentals."),
    BOOLEAN("restated", "t.is_restated", "Whether an earlier version had a different value."),
    DSC_SPLITS_SINCE,
    PROVENANCE("fundamental", "The filing that reports the value, or the newest of the filings that it is derived from.", .filer = "i.cik"));

static const dsc_shape_t key_shape = SHAPE("MetricKey", "The metric.",
    TEXT("canonical_key", "p.metric_key", "Key of the metric."));

static const dsc_parent_t metric_parent = {
    .parameter = "canonical_key",
    .from = "canonical_metric p WHERE p.metric_key = ?",
    .shape = &key_shape,
};

const dsc_endpoint_t dsc_endpoint_metric_values = {
    GET("list_metric_values", "/v1/metrics/{canonical_key}/values"),
    ABOUT("Fundamentals", "Values of a metric for all companies, the latest periods first."),
    LIST(fundamental_source, metric_value_shape),
    PARAMETERS(
        PATH(STRING, "canonical_key", "Key of the metric, e.g. revenue.", .predicate = "t.metric_id = " DSC_METRIC_ID("?")),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("100", 500),
        DSC_PARAMETER_DIRECTION("period.end_date"),
        DSC_PARAMETER_AS_OF_WITHIN("t.end_date", "100")),
    .flags = DSC_ALPHA,
    .parent = &metric_parent,
    .not_found = "There is no metric with the key \"%s\".",
};
