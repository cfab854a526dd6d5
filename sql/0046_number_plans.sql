-- Plans of queries for numbers: functions that are written into the queries that call them, and statistics of what a load derives.

SET LOCAL search_path = disclosed, public;

-- The same as before, of functions that do not depend on settings.
CREATE OR REPLACE FUNCTION calendar_period(start_date date, end_date date) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN start_date IS NULL
                THEN extract(year FROM end_date - 45)::integer::text || 'Q' || extract(quarter FROM end_date - 45)::integer::text
                WHEN end_date - start_date BETWEEN 60 AND 120
                THEN extract(year FROM start_date + (end_date - start_date) / 2)::integer::text || 'Q'
                     || extract(quarter FROM start_date + (end_date - start_date) / 2)::integer::text
                WHEN end_date - start_date BETWEEN 334 AND 394
                THEN extract(year FROM start_date + (end_date - start_date) / 2)::integer::text END
$$;

-- The days on which periods of these calendar periods may end: their own, and half a year and a month after them. NULL where none is
-- a quarter or year.
CREATE FUNCTION calendar_ends(periods text[]) RETURNS daterange LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT daterange(min(d.first), max(d.first + CASE WHEN d.period LIKE '%Q%' THEN 92 ELSE 366 END + 213))
    FROM (SELECT p AS period, make_date(left(p, 4)::integer, coalesce(nullif(substr(p, 6), '')::integer * 3 - 2, 1), 1) AS first
          FROM unnest(disclosed.calendar_names(periods)) AS p
          WHERE p ~ '^[1-9][0-9]{3}(Q[1-4])?$' AND p < '9998') d
$$;

-- Makes the numbers of these companies anew from what their filings report. Returns those whose numbers have changed.
CREATE OR REPLACE FUNCTION derive_fundamentals(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    deepest integer := (SELECT coalesce(max(depth), 0) FROM disclosed.canonical_depth);
BEGIN
    IF coalesce(cardinality(issuers), 0) = 0 THEN
        RETURN;
    END IF;
    PERFORM disclosed.open_number_tables();
    PERFORM disclosed.analyze_grown(ARRAY['disclosed.xbrl_report'::regclass]);
    PERFORM disclosed.find_reported_numbers(issuers);
    PERFORM disclosed.resolve_numbers(0);
    PERFORM disclosed.add_number_differences();
    PERFORM disclosed.resolve_numbers(1);
    PERFORM disclosed.add_number_years();
    PERFORM disclosed.resolve_numbers(2);
    FOR one IN 1..deepest LOOP
        PERFORM disclosed.add_number_formulas(one, 2 + one);
        PERFORM disclosed.resolve_numbers(2 + one);
    END LOOP;
    RETURN QUERY SELECT DISTINCT d FROM disclosed.store_numbers(issuers) AS d;
    DELETE FROM disclosed.metric_issuer m
    WHERE m.issuer_id = ANY (issuers)
      AND NOT EXISTS (SELECT 1 FROM pg_temp.number_wanted w WHERE w.issuer_id = m.issuer_id AND w.metric_key = m.metric_key);
    INSERT INTO disclosed.metric_issuer
    SELECT metric_key, issuer_id, min(known_at),
           (array_agg(value ORDER BY end_date DESC, unit) FILTER (WHERE superseded_at IS NULL AND period_kind IN ('annual', 'instant')))[1]
    FROM pg_temp.number_wanted GROUP BY 1, 2
    ON CONFLICT (metric_key, issuer_id) DO UPDATE SET known_at = excluded.known_at, latest = excluded.latest
    WHERE (metric_issuer.known_at, metric_issuer.latest) IS DISTINCT FROM (excluded.known_at, excluded.latest);
    PERFORM disclosed.analyze_grown(ARRAY['disclosed.fundamental', 'disclosed.metric_issuer']::regclass[]);
END $$;

-- Responses have it in their own queries now.
DROP FUNCTION number_inputs;
