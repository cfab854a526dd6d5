/* What responses with canonical metrics share. */
#ifndef DSC_FUNDAMENTAL_H
#define DSC_FUNDAMENTAL_H

#include "datasets/datasets.h"
#include "engine/writer.h"

/* The period of a number, from row t with start_date, end_date, period_kind and fiscal. */
extern const dsc_shape_t dsc_shape_number_period;

/* The same for an observation of the requested company, whose source need not state the fiscal
 * period. */
extern const dsc_shape_t dsc_shape_observed_period;
extern const dsc_shape_t dsc_shape_fundamental;

/* The number of a metric in the keys of its values. */
#define DSC_METRIC_ID(metric_key) "(SELECT d.metric_id FROM canonical_metric d WHERE d.metric_key = " metric_key ")"

/* The fiscal period of an observation: as its source says, else as numbers of the company are called that end on that day. Without a quarter's it is
 * that with which a year ends. */
#define DSC_FISCAL_OF(o) DSC_FISCAL_OF_COMPANY(o, o ".issuer_id")

/* The same if the company is known: a distributed PostgreSQL asks its shard alone only if the number of the company is there. */
#define DSC_FISCAL_OF_COMPANY(o, company)                                                                             \
    "coalesce(" o ".fiscal, CASE WHEN " o ".period_kind IN ('quarter', 'annual', 'instant') THEN"                     \
    " (SELECT CASE WHEN " o ".period_kind = 'annual' THEN max(y.fiscal) FILTER (WHERE y.kind = 5)"                    \
    " ELSE coalesce(max(y.fiscal) FILTER (WHERE y.kind <> 5), 'Q4 ' || max(y.fiscal) FILTER (WHERE y.kind = 5)) END"  \
    " FROM metric_value y WHERE y.issuer_id = " company " AND y.end_date = " o ".end_date AND {now:y}) END)"

/* Numbers t in words, as view fundamental has them, but with accession numbers as such, which httpd writes. What they are sorted by, and all that is
 * of a fixed length, comes first: rows are taken apart more quickly so. */
#define DSC_NUMBERS_IN_WORDS                                                                                          \
    "(SELECT v.end_date, v.id, v.issuer_id, v.known_at, v.recorded_at, v.accession_number AS accession, v.source_id, v.metric_id, v.kind, v.is_suspect," \
    " v.is_restated, v.src_digest, v.unit, v.value, v.superseded_at, v.verified_at, v.start_date, kind_name(v.kind) AS period_kind, v.fiscal," \
    " v.concept_rank, rule_name(v.rule) AS rule, v.inputs, v.earlier_quarters, NULL::text AS quote FROM metric_value v) t"

/* Of a number t with its metric (m). Units as the contract writes them; those of ratios have none. */
#define DSC_NUMBER_UNIT                                                                                               \
    "CASE WHEN m.unit = 'ratio' THEN 'pure' ELSE replace(t.unit, '/shares', '_per_share') END"

/* What is known of a number at the instant: verified since a second filing says the same. */
#define DSC_NUMBER_TIER                                                                                               \
    "CASE WHEN t.is_suspect THEN 'extracted_low_confidence' WHEN t.rule IS NOT NULL THEN 'derived'"                   \
    " WHEN {present:t.verified_at IS NOT NULL}{past:t.verified_at <= {value:as_of}} THEN 'verified'"                  \
    " ELSE 'extracted' END"

/* The XBRL element that was taken. */
#define DSC_NUMBER_CONCEPT "m.concepts[t.concept_rank]"

extern const dsc_shape_t dsc_shape_split_since;

/* Since when a number is known as its filing says it: a later version may have but another fiscal label. Numbers of parts have none. */
#define DSC_NUMBER_TOLD_AT                                                                                            \
    "coalesce((SELECT min(n.known_at) FROM metric_value n WHERE n.issuer_id = t.issuer_id AND n.metric_id = t.metric_id" \
    " AND n.end_date = t.end_date AND n.kind = t.kind AND n.unit = t.unit AND n.accession_number = t.accession)," \
    " t.known_at)"

/* The day is compared as an expression, which no index has, so the instant is looked up only if
 * there are splits. Numbers are as filed: a filing states counts of shares as of its own day (SEC
 * Staff Accounting Bulletin, Topic 4.C), so later splits are listed separately. They are those of
 * the primary listing, as for its corporate actions. */
#define DSC_SPLITS_SINCE                                                                                              \
    JSON("splits_since",                                                                                              \
         "CASE WHEN m.unit IN ('shares', 'currency_per_share') THEN (SELECT coalesce(json_agg(json_build_object("     \
         "'action_date', s.action_date, 'numerator', s.split_to, 'denominator', s.split_from,"                        \
         " 'src_id', 'src_corporate_action_' || replace(s.src_digest::text, '-', '')) ORDER BY s.action_date), '[]')"  \
         " FROM corporate_action s WHERE s.issuer_id = t.issuer_id AND s.kind = 'split' AND {now:s}"                  \
         " AND s.action_date + 0 > (" DSC_NUMBER_TOLD_AT " AT TIME ZONE 'America/New_York')::date"                                  \
         " AND coalesce({present:s.symbol}{past:listing_of_spellings(s.issuer_id, s.spellings, s.symbol_code, {value:as_of})}"  \
         " <> ALL ((SELECT listings_beside(i.symbol{past:, {value:as_of}}))::text[]), true)) END",                    \
         "For counts of shares and amounts per share: splits after the filing, for which the value is not adjusted. To compare it with today's " \
         "values, multiply a count by the ratios, or divide an amount by them. Null for other metrics.",              \
         .flags = DSC_ARRAY | DSC_NULLABLE, .shape = &dsc_shape_split_since)

/* Of which kind and day the term f of a number t is: of the number's own period, or the balance before it or at its end. */
#define DSC_TERM_KIND "CASE WHEN f.balance IS NULL THEN t.kind ELSE 1 END"
#define DSC_TERM_END  "CASE f.balance WHEN 'opening' THEN t.start_date - 1 ELSE t.end_date END"

/* Writes the src_ids of what a number t, of metric m and issuer i, is derived from. */
extern const dsc_writer_t dsc_number_inputs;

/* Fields of a number t with its metric m and DSC_ISSUER. Of parts of a company some are others, which stand between these. */
#define DSC_NUMBER_METRIC                                                                                             \
    TEXT("canonical", "m.metric_key", "Key of the metric, e.g. revenue."),                                            \
    TEXT("display", "m.display", "Name of the metric.")

#define DSC_NUMBER_VALUE(unit_)                                                                                       \
    TEXT("template_slug", "m.template_slug",                                                                          \
         "Statement that has the metric as a line: income_statement, balance_sheet, cash_flow, per_share, ...; null if none has.", NULLABLE), \
    OBJECT("period", dsc_shape_number_period, "The period that the value covers."),                                   \
    VALUE_BY("value", "t.value", unit_, "The value.")

#define DSC_NUMBER_RESTATED(sql_) BOOLEAN("restated", sql_, "Whether an earlier version had a different value.")

#define DSC_NUMBER_DERIVATION                                                                                         \
    TEXT("derivation", "t.rule",                                                                                      \
         "How the value is derived: difference: a longer period less its beginning; four_quarters: the sum of four quarters; formula: computed " \
         "from other metrics; remainder: what other lines of the balance sheet leave; null if it is reported.",       \
         NULLABLE),                                                                                                   \
    JSON("inputs", "t.inputs",                                                                                        \
         "src_ids of the values or reports that it is derived from, in the order of the rule; null if it is reported.",                  \
         .flags = DSC_ARRAY | DSC_NULLABLE, .writer = &dsc_number_inputs)

#define DSC_TIERS_DESCRIBED                                                                                           \
    "Quality tier. verified: reported, and confirmed by a second filing or by the metric's formula; extracted: reported once; " \
    "extracted_low_confidence: reported, but about a thousand or a million times the value before; derived: not reported, but derived."
#define DSC_SUPPLIER_DESCRIBED "The filing that reports the value, or the newest of the filings that it is derived from."

/* Of numbers in words. */
#define DSC_FUNDAMENTAL_FIELDS                                                                                        \
    DSC_NUMBER_METRIC,                                                                                                \
    TEXT("sub_row_label", "''::text", "Always empty: these metrics have no sub-rows."),                               \
    DSC_NUMBER_VALUE(DSC_NUMBER_UNIT),                                                                                \
    TEXT("source_tier", DSC_NUMBER_TIER, DSC_TIERS_DESCRIBED),                                                        \
    DSC_NUMBER_RESTATED("t.is_restated"),                                                                             \
    DSC_SPLITS_SINCE,                                                                                                 \
    TEXT("concept", DSC_NUMBER_CONCEPT, "XBRL element that supplies the value, e.g. us-gaap:Revenues; null if it is derived.", NULLABLE), \
    DSC_NUMBER_DERIVATION,                                                                                            \
    PROVENANCE("fundamental", DSC_SUPPLIER_DESCRIBED, .filer = "i.cik")

#endif
