-- Facts with dimensions, and those that several files have: the filing's own instance, companyfacts, and the data sets.

SET LOCAL search_path = disclosed, public;

ALTER TABLE xbrl_report ADD COLUMN dimensions text[], ADD COLUMN decimals text[];
COMMENT ON COLUMN xbrl_report.dimensions IS 'axis=member, in the order of axes, with semicolons between; empty: the fact is about the whole company';
COMMENT ON COLUMN xbrl_report.decimals IS 'to which power of ten it is rounded, as filed: -6, INF; empty: not told';
COMMENT ON COLUMN xbrl_report.start_dates IS 'empty: the fact is about an instant; of a data set computed from the rounded end and quarters';

ALTER TABLE xbrl_report DROP CONSTRAINT xbrl_report_facts, DROP CONSTRAINT xbrl_report_told_by_check;
DROP FUNCTION xbrl_fault;

-- What is wrong with the facts of a report, by name and place; NULL: nothing. Dates of the years 1 to 9999, numbers as digits.
CREATE FUNCTION xbrl_fault(concepts text[], units text[], start_dates text[], end_dates text[], amounts text[], dimensions text[],
    decimals text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    day CONSTANT text := '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$';
    facts CONSTANT integer := coalesce(cardinality(concepts), 0);
BEGIN
    IF (cardinality(units), cardinality(start_dates), cardinality(end_dates), cardinality(amounts), coalesce(cardinality(dimensions), facts),
        coalesce(cardinality(decimals), facts)) IS DISTINCT FROM (facts, facts, facts, facts, facts, facts) THEN
        RETURN 'concepts, units, start_dates, end_dates, amounts, and dimensions and decimals where they are told, are not of one length';
    END IF;
    RETURN (
        SELECT f.fault FROM (
            SELECT place, CASE
                WHEN coalesce(concept, '') !~ '^[^:\s]+:[^:\s]+$' THEN 'concepts[' || place - 1 || ']: not taxonomy:Name'
                WHEN coalesce(unit, '') = '' THEN 'units[' || place - 1 || ']: is empty'
                WHEN coalesce(starts, ' ') <> '' AND coalesce(starts, '') !~ day THEN 'start_dates[' || place - 1 || ']: not a date (YYYY-MM-DD), nor empty'
                WHEN coalesce(ends, '') !~ day THEN 'end_dates[' || place - 1 || ']: not a date (YYYY-MM-DD)'
                WHEN starts > ends THEN 'start_dates[' || place - 1 || ']: after the end'
                WHEN coalesce(amount, '') !~ '^-?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]{1,3})?$' THEN 'amounts[' || place - 1 || ']: not a number'
                WHEN dimensions IS NOT NULL AND coalesce(dimension, ' ') !~ '^([^=;\s]+=[^=;]+(;[^=;\s]+=[^=;]+)*)?$'
                THEN 'dimensions[' || place - 1 || ']: not axis=member, with semicolons between, nor empty'
                WHEN decimals IS NOT NULL AND coalesce(rounding, ' ') !~ '^(INF|-?[0-9]{1,3})?$'
                THEN 'decimals[' || place - 1 || ']: not INF or an integer, nor empty'
                END AS fault
            FROM unnest(concepts, units, start_dates, end_dates, amounts, dimensions, decimals) WITH ORDINALITY
                 AS e(concept, unit, starts, ends, amount, dimension, rounding, place)) f
        WHERE f.fault IS NOT NULL ORDER BY f.place LIMIT 1);
END $$;

ALTER TABLE xbrl_report
    ADD CONSTRAINT xbrl_report_facts CHECK (xbrl_fault(concepts, units, start_dates, end_dates, amounts, dimensions, decimals) IS NULL),
    ADD CONSTRAINT xbrl_report_told_by_check CHECK (told_by IN ('instance', 'companyfacts', 'data_set'));

-- Which of a filing's reports is taken where several tell its facts: the least.
CREATE FUNCTION report_rank(told_by text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE told_by WHEN 'instance' THEN 1 WHEN 'companyfacts' THEN 2 ELSE 3 END $$;

-- How many quarters of 91 days a period has, as the data sets say; none: an instant.
CREATE FUNCTION quarters_in(start_date date, end_date date) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT coalesce(round((end_date - start_date + 1) / 91.3125)::integer, 0) $$;

-- Dimensions as the data sets of the SEC write them, which leave out prefixes and what names of axes and members have in common.
CREATE FUNCTION short_dimensions(dimensions text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(string_agg(s.dimension, ';' ORDER BY s.dimension COLLATE "C"), '')
    FROM (SELECT regexp_replace(regexp_replace(d, '^([^:=]+:)?(Statement)?(.*?)(Axis)?=', '\3='), '=([^:]+:)?(.*?)(Domain|Member)?$', '=\2')
          FROM unnest(string_to_array(nullif(dimensions, ''), ';')) AS d) AS s(dimension)
$$;

DROP FUNCTION xbrl_facts;

-- The facts of a filing, from all that tells them, as they are served: in the order of elements, units, dimensions and periods. What
-- several tell is one fact. A data set rounds dates to months and numbers to four places: its fact is that one of the others which
-- rounds to the same.
CREATE FUNCTION filing_facts(reports xbrl_report[], only_concepts text[]) RETURNS json LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH told AS MATERIALIZED (
        SELECT r.told_by, e.concept, e.unit, d.start_date, d.end_date, coalesce(e.dimension, '') AS dimensions, nullif(e.rounding, '') AS decimals,
               e.amount::numeric AS value
        FROM unnest(reports) AS r
        CROSS JOIN LATERAL unnest(r.concepts, r.units, r.start_dates, r.end_dates, r.amounts, r.dimensions, r.decimals)
                        AS e(concept, unit, starts, ends, amount, dimension, rounding)
        CROSS JOIN LATERAL (SELECT nullif(e.starts, '')::date AS start_date, e.ends::date AS end_date) d
        WHERE only_concepts IS NULL OR e.concept = ANY (only_concepts)),
    filed AS MATERIALIZED (
        SELECT concept, unit, start_date, end_date, dimensions, value, (array_agg(decimals ORDER BY CASE decimals WHEN 'INF' THEN 1000 ELSE decimals::integer END DESC NULLS LAST))[1] AS decimals,
               array_agg(DISTINCT told_by ORDER BY told_by DESC) AS sources,
               count(*) OVER (PARTITION BY concept, unit, start_date, end_date, dimensions) > 1 AS differs
        FROM told WHERE told_by <> 'data_set' GROUP BY 1, 2, 3, 4, 5, 6),
    rounded AS (
        SELECT DISTINCT concept, unit, start_date, end_date, dimensions, value FROM told WHERE told_by = 'data_set'),
    pair AS MATERIALIZED (
        SELECT f.concept, f.unit, f.start_date, f.end_date, f.dimensions, f.value, r.start_date AS set_start, r.end_date AS set_end,
               r.dimensions AS set_dimensions, r.value AS set_value, round(f.value, 4) = r.value AS agrees
        FROM rounded r
        JOIN filed f ON f.concept = r.concept AND f.unit = r.unit AND disclosed.nearest_month_end(f.end_date) = r.end_date
                    AND disclosed.quarters_in(f.start_date, f.end_date) = disclosed.quarters_in(r.start_date, r.end_date)
                    AND disclosed.short_dimensions(f.dimensions) = disclosed.short_dimensions(r.dimensions)),
    alone AS MATERIALIZED (
        SELECT r.*, bool_or(p.set_value IS NOT NULL) AS differs
        FROM rounded r
        LEFT JOIN pair p ON (p.concept, p.unit, p.set_end, p.set_dimensions, p.set_value) = (r.concept, r.unit, r.end_date, r.dimensions, r.value)
                        AND p.set_start IS NOT DISTINCT FROM r.start_date
        GROUP BY r.concept, r.unit, r.start_date, r.end_date, r.dimensions, r.value
        HAVING NOT coalesce(bool_or(p.agrees), false)),
    fact AS (
        SELECT f.concept, f.unit, f.start_date, f.end_date, f.dimensions, f.value, f.decimals,
               CASE WHEN coalesce(bool_or(p.agrees), false) THEN f.sources || 'data_set'::text ELSE f.sources END AS sources,
               f.differs OR bool_or(a.value IS NOT NULL) AS differs, false AS rounded
        FROM filed f
        LEFT JOIN pair p ON (p.concept, p.unit, p.end_date, p.dimensions, p.value) = (f.concept, f.unit, f.end_date, f.dimensions, f.value)
                        AND p.start_date IS NOT DISTINCT FROM f.start_date
        LEFT JOIN alone a ON (a.concept, a.unit, a.end_date, a.dimensions, a.value)
                           = (p.concept, p.unit, p.set_end, p.set_dimensions, p.set_value) AND a.start_date IS NOT DISTINCT FROM p.set_start
        GROUP BY f.concept, f.unit, f.start_date, f.end_date, f.dimensions, f.value, f.decimals, f.sources, f.differs
        UNION ALL
        SELECT concept, unit, start_date, end_date, dimensions, value, NULL, ARRAY['data_set'], differs, true FROM alone)
    SELECT coalesce(json_agg(json_build_object(
               'concept', concept, 'unit', unit, 'start_date', start_date, 'end_date', end_date,
               'kind', disclosed.period_kind(start_date, end_date), 'calendar', disclosed.calendar_period(start_date, end_date),
               'dimensions', (SELECT coalesce(json_agg(json_build_object('axis', split_part(d, '=', 1), 'member', split_part(d, '=', 2))), '[]')
                              FROM unnest(string_to_array(nullif(dimensions, ''), ';')) AS d),
               'value', value, 'decimals', decimals, 'sources', sources, 'differs', differs, 'rounded', rounded)
               ORDER BY concept COLLATE "C", unit COLLATE "C", dimensions COLLATE "C", end_date, start_date NULLS FIRST, value), '[]'::json)
    FROM fact
$$;

-- Facts that are of a metric, and the ends of fiscal years that annual reports tell. Of a filing those of the report that is taken; numbers
-- of proxy statements, and of parts of a company, are none of them. A data set's rounded period is the issuer's own that rounds to it,
-- where another filing names one.
CREATE OR REPLACE FUNCTION find_reported_numbers(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO disclosed.issuer_template
    SELECT i.issuer_id, disclosed.industry_of(p.sic)
    FROM (SELECT DISTINCT unnest(issuers) AS issuer_id) i
    LEFT JOIN disclosed.issuer_profile p ON p.issuer_id = i.issuer_id AND p.superseded_at IS NULL
    WHERE EXISTS (SELECT 1 FROM disclosed.xbrl_report r WHERE r.issuer_id = i.issuer_id)
    ON CONFLICT (issuer_id) DO UPDATE SET template_slug = excluded.template_slug
    WHERE issuer_template.template_slug IS DISTINCT FROM excluded.template_slug;
    INSERT INTO pg_temp.number_candidate
    WITH report AS MATERIALIZED (
        SELECT r.row_id, r.issuer_id, r.told_by
        FROM disclosed.xbrl_report r
        WHERE r.issuer_id = ANY (issuers) AND r.superseded_at IS DISTINCT FROM r.known_at AND r.form !~ '^(DEF|PRE).*14'
          AND NOT EXISTS (SELECT 1 FROM disclosed.xbrl_report b
                          WHERE b.accession = r.accession AND b.issuer_id = r.issuer_id AND b.superseded_at IS DISTINCT FROM b.known_at
                            AND disclosed.report_rank(b.told_by) < disclosed.report_rank(r.told_by))),
    own_period AS (
        SELECT DISTINCT ON (issuer_id, rounded_end, quarters)
               issuer_id, rounded_end, quarters, start_date, end_date
        FROM (SELECT r.issuer_id, w.start_date, w.end_date, disclosed.nearest_month_end(w.end_date) AS rounded_end,
                     disclosed.quarters_in(w.start_date, w.end_date) AS quarters, count(*) AS facts
              FROM report s JOIN disclosed.xbrl_report r USING (issuer_id, row_id)
              CROSS JOIN LATERAL unnest(r.start_dates, r.end_dates) AS e(starts, ends)
              CROSS JOIN LATERAL (SELECT nullif(e.starts, '')::date AS start_date, e.ends::date AS end_date) w
              WHERE s.told_by <> 'data_set'
                AND s.issuer_id IN (SELECT issuer_id FROM report WHERE told_by = 'data_set')
              GROUP BY 1, 2, 3) p
        ORDER BY issuer_id, rounded_end, quarters, facts DESC, end_date, start_date)
    SELECT r.issuer_id, m.metric_key, e.unit, k.kind, w.end_date, w.start_date, e.amount::numeric * m.sign, false, m.rank,
           r.known_at, r.superseded_at, r.accession, r.source_id, r.src_digest, e.concept, NULL, NULL, 0
    FROM report s
    JOIN disclosed.xbrl_report r USING (issuer_id, row_id)
    CROSS JOIN LATERAL unnest(r.concepts, r.units, r.start_dates, r.end_dates, r.amounts, r.dimensions)
                    AS e(concept, unit, starts, ends, amount, dimension)
    LEFT JOIN disclosed.issuer_template d ON d.issuer_id = r.issuer_id
    JOIN disclosed.canonical_concept m ON m.concept = e.concept AND (d.template_slug IS NULL OR d.template_slug <> ALL (m.not_for))
    JOIN disclosed.canonical_metric c ON c.metric_key = m.metric_key AND (c.basis = 'instant') = (e.starts = '')
    CROSS JOIN LATERAL (SELECT nullif(e.starts, '')::date AS start_date, e.ends::date AS end_date) f
    LEFT JOIN own_period o ON s.told_by = 'data_set' AND o.issuer_id = r.issuer_id AND o.rounded_end = f.end_date
                          AND o.quarters = disclosed.quarters_in(f.start_date, f.end_date)
    CROSS JOIN LATERAL (SELECT CASE WHEN o.end_date IS NULL THEN f.start_date ELSE o.start_date END AS start_date,
                               coalesce(o.end_date, f.end_date) AS end_date) w
    CROSS JOIN LATERAL (SELECT disclosed.period_kind(w.start_date, w.end_date) AS kind) k
    WHERE coalesce(e.dimension, '') = '' AND k.kind IN ('instant', 'quarter', 'half', 'ytd', 'annual');
    ANALYZE pg_temp.number_candidate;

    -- What was reported first of each of three periods before: two that say so make it suspect.
    UPDATE pg_temp.number_candidate n SET is_suspect = true
    FROM (SELECT first.*, lag(value) OVER w AS one, lag(value, 2) OVER w AS two, lag(value, 3) OVER w AS three,
                 greatest(lag(known_at) OVER w, lag(known_at, 2) OVER w, lag(known_at, 3) OVER w) AS since
          FROM (SELECT DISTINCT ON (issuer_id, metric_key, unit, period_kind, end_date)
                       issuer_id, metric_key, unit, period_kind, end_date, value, known_at
                FROM pg_temp.number_candidate
                ORDER BY issuer_id, metric_key, unit, period_kind, end_date, known_at, precedence, accession, value) first
          WINDOW w AS (PARTITION BY issuer_id, metric_key, unit, period_kind ORDER BY end_date)) o
    WHERE (n.issuer_id, n.metric_key, n.unit, n.period_kind, n.end_date) = (o.issuer_id, o.metric_key, o.unit, o.period_kind, o.end_date)
      AND n.known_at >= o.since
      AND (disclosed.is_off_scale(n.value, o.one))::integer + coalesce(disclosed.is_off_scale(n.value, o.two)::integer, 0)
          + coalesce(disclosed.is_off_scale(n.value, o.three)::integer, 0) >= 2;

    INSERT INTO pg_temp.number_year
    SELECT r.issuer_id, r.known_at, max(n.end_date), r.fiscal_year
    FROM disclosed.xbrl_report r
    JOIN pg_temp.number_candidate n ON n.issuer_id = r.issuer_id AND n.report_digest = r.src_digest AND n.period_kind = 'annual'
    WHERE r.issuer_id = ANY (issuers) AND r.fiscal_period = 'FY' AND r.fiscal_year IS NOT NULL
    GROUP BY r.issuer_id, r.row_id, r.known_at, r.fiscal_year;
END $$;
