-- Two numbers that a data set has for one fact differ, also where nothing else has the fact.

SET LOCAL search_path = disclosed, public;

-- The facts of a filing, from all that tells them, as they are served: in the order of elements, units, dimensions and periods. What
-- several tell is one fact. A data set rounds dates to months and numbers to four places: its fact is that one of the others which
-- rounds to the same.
CREATE OR REPLACE FUNCTION filing_facts(reports xbrl_report[], only_concepts text[]) RETURNS json LANGUAGE sql STABLE PARALLEL SAFE AS $$
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
        SELECT concept, unit, start_date, end_date, dimensions, value, max(decimals) AS decimals,
               count(*) OVER (PARTITION BY concept, unit, start_date, end_date, dimensions) > 1 AS differs
        FROM told WHERE told_by = 'data_set' GROUP BY 1, 2, 3, 4, 5, 6),
    pair AS MATERIALIZED (
        SELECT f.concept, f.unit, f.start_date, f.end_date, f.dimensions, f.value, r.start_date AS set_start, r.end_date AS set_end,
               r.dimensions AS set_dimensions, r.value AS set_value, round(f.value, 4) = r.value AS agrees
        FROM rounded r
        JOIN filed f ON f.concept = r.concept AND f.unit = r.unit AND disclosed.nearest_month_end(f.end_date) = r.end_date
                    AND disclosed.quarters_in(f.start_date, f.end_date) = disclosed.quarters_in(r.start_date, r.end_date)
                    AND disclosed.short_dimensions(f.dimensions) = disclosed.short_dimensions(r.dimensions)),
    alone AS MATERIALIZED (
        SELECT r.concept, r.unit, r.start_date, r.end_date, r.dimensions, r.value, r.decimals,
               r.differs OR bool_or(p.set_value IS NOT NULL) AS differs
        FROM rounded r
        LEFT JOIN pair p ON (p.concept, p.unit, p.set_end, p.set_dimensions, p.set_value) = (r.concept, r.unit, r.end_date, r.dimensions, r.value)
                        AND p.set_start IS NOT DISTINCT FROM r.start_date
        GROUP BY r.concept, r.unit, r.start_date, r.end_date, r.dimensions, r.value, r.decimals, r.differs
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
        SELECT concept, unit, start_date, end_date, dimensions, value, decimals, ARRAY['data_set'], differs, true FROM alone)
    SELECT coalesce(json_agg(json_build_object(
               'concept', concept, 'unit', unit, 'start_date', start_date, 'end_date', end_date,
               'kind', disclosed.period_kind(start_date, end_date), 'calendar', disclosed.calendar_period(start_date, end_date),
               'dimensions', (SELECT coalesce(json_agg(json_build_object('axis', split_part(d, '=', 1), 'member', split_part(d, '=', 2))), '[]')
                              FROM unnest(string_to_array(nullif(dimensions, ''), ';')) AS d),
               'value', value, 'decimals', decimals, 'sources', sources, 'differs', differs, 'rounded', rounded)
               ORDER BY concept COLLATE "C", unit COLLATE "C", dimensions COLLATE "C", end_date, start_date NULLS FIRST, value), '[]'::json)
    FROM fact
$$;
