-- What the same element tells of a year and of its beginning makes the quarter between, whichever element told the numbers first.

SET LOCAL search_path = disclosed, public;

-- A quarter that is not reported alone: the year, nine or six months less those before it that begin on the same day. Both of the
-- same element, and both as first reported or both restated, so that no presentation is mixed with another. A version keeps the element and the first day
-- that told it first; where several have told a period, each of them tells the number that stands while what it said last is that number.
CREATE OR REPLACE FUNCTION add_number_differences() RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
BEGIN
    INSERT INTO pg_temp.number_candidate (period, known_at, superseded_at, accession, source_id, start_date, precedence, rule, stage, is_suspect, value, reports)
    WITH metric AS MATERIALIZED (SELECT c.metric_id FROM disclosed.canonical_metric c WHERE c.additive),
    several AS MATERIALIZED (
        SELECT n.period FROM pg_temp.number_candidate n
        WHERE disclosed.period_kind(n.period) IN (2, 3, 4, 5) AND disclosed.period_metric(n.period) IN (SELECT m.metric_id FROM metric m)
        GROUP BY n.period HAVING min(n.precedence) <> max(n.precedence) OR min(n.start_date) <> max(n.start_date)),
    candidate AS MATERIALIZED (
        SELECT n.period, n.precedence, n.start_date, n.known_at, n.superseded_at, n.accession, n.source_id, n.is_suspect, n.value, n.reports
        FROM pg_temp.number_candidate n WHERE n.period IN (SELECT s.period FROM several s)),
    instant AS (
        SELECT period, precedence, start_date, known_at AS at FROM candidate
        UNION
        SELECT period, precedence, start_date, superseded_at FROM candidate WHERE superseded_at IS NOT NULL),
    -- What an element with a first day says at an instant; nothing where all that it said is withdrawn.
    said AS (
        SELECT DISTINCT ON (i.period, i.precedence, i.start_date, i.at)
               i.period, i.precedence, i.start_date, i.at, n.value, n.accession, n.source_id, n.reports
        FROM instant i
        LEFT JOIN candidate n ON n.period = i.period AND n.precedence = i.precedence AND n.start_date = i.start_date
                             AND n.known_at <= i.at AND (n.superseded_at IS NULL OR n.superseded_at > i.at)
        ORDER BY i.period, i.precedence, i.start_date, i.at, n.is_suspect, n.known_at DESC, n.accession DESC, n.value),
    turn AS (
        SELECT s.*, lag(s.value) OVER w IS DISTINCT FROM s.value AS is_another
        FROM said s WINDOW w AS (PARTITION BY s.period, s.precedence, s.start_date ORDER BY s.at)),
    saying AS (
        SELECT t.*, lead(t.at) OVER (PARTITION BY t.period, t.precedence, t.start_date ORDER BY t.at) AS until FROM turn t WHERE t.is_another),
    told AS MATERIALIZED (
        SELECT v.period, v.precedence, v.start_date, v.known_at, v.superseded_at, v.is_restated, v.is_suspect, v.value, v.accession, v.source_id, v.reports
        FROM pg_temp.number_version v
        WHERE disclosed.period_kind(v.period) IN (2, 3, 4, 5) AND disclosed.period_metric(v.period) IN (SELECT m.metric_id FROM metric m)
          AND v.period NOT IN (SELECT s.period FROM several s)
        UNION ALL
        SELECT v.period, s.precedence, s.start_date, greatest(v.known_at, s.at), least(v.superseded_at, s.until), v.is_restated, v.is_suspect, v.value,
               l.accession, l.source_id, l.reports
        FROM pg_temp.number_version v
        JOIN saying s ON s.period = v.period AND s.value = v.value AND (v.superseded_at IS NULL OR s.at < v.superseded_at) AND (s.until IS NULL OR s.until > v.known_at)
        CROSS JOIN LATERAL (SELECT v.accession, v.source_id, v.reports WHERE s.at <= v.known_at
                            UNION ALL SELECT s.accession, s.source_id, s.reports WHERE s.at > v.known_at) l),
    difference AS (
        SELECT a.period, b.period AS begins, l.known_at, l.until, n.accession, n.source_id, a.is_suspect OR b.is_suspect AS is_suspect, a.value - b.value AS value,
               ARRAY[a.reports[1], b.reports[1]] AS reports,
               -- Another element that tells no longer than those before it adds nothing.
               max(coalesce(l.until, 'infinity')) OVER (PARTITION BY a.period, b.period
                   ORDER BY l.known_at, coalesce(l.until, 'infinity') DESC, a.precedence, a.start_date DESC
                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS told_until
        FROM told a
        JOIN told b ON (disclosed.period_series(b.period), b.start_date, b.precedence, b.is_restated)
                     = (disclosed.period_series(a.period), a.start_date, a.precedence, a.is_restated)
        CROSS JOIN LATERAL (SELECT greatest(a.known_at, b.known_at) AS known_at, least(a.superseded_at, b.superseded_at) AS until) l
        CROSS JOIN LATERAL (SELECT a.accession, a.source_id WHERE a.known_at >= b.known_at
                            UNION ALL SELECT b.accession, b.source_id WHERE a.known_at < b.known_at) n
        WHERE disclosed.period_kind(a.period) IN (3, 4, 5) AND disclosed.period_kind(b.period) IN (2, 3, 4)
          AND disclosed.period_end(b.period) < disclosed.period_end(a.period)
          AND disclosed.kind_code(disclosed.period_end(b.period) + 1, disclosed.period_end(a.period)) = 2
          AND (l.until IS NULL OR l.known_at < l.until))
    SELECT disclosed.other_period(d.period, 2::smallint, disclosed.period_end(d.period)), d.known_at, d.until, d.accession, d.source_id,
           disclosed.period_end(d.begins) + 1, 1000, 1, 1, d.is_suspect, d.value, d.reports
    FROM difference d WHERE d.told_until IS NULL OR coalesce(d.until, 'infinity') > d.told_until;
END $$;

-- A number that a filing itself says to be rounded (`decimals`) is the number that it rounds, which the same element told last before it, or beside it more
-- exactly. Where that one is rounded itself, both are the number behind it.
CREATE FUNCTION take_less_exact_numbers() RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
DECLARE
    issuers CONSTANT bigint[] := ARRAY(SELECT DISTINCT o.issuer_id FROM pg_temp.number_owner o);
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.xbrl_report r WHERE r.issuer_id = ANY (issuers) AND r.decimals IS NOT NULL) THEN
        RETURN;
    END IF;
    WITH RECURSIVE several AS MATERIALIZED (
        SELECT row_number() OVER () AS place, n.period, n.start_date, n.precedence, n.known_at, n.accession, n.value, n.reports[1] AS report
        FROM pg_temp.number_candidate n
        WHERE n.period IN (SELECT p.period FROM pg_temp.number_candidate p GROUP BY 1 HAVING min(p.value) <> max(p.value))),
    fact AS MATERIALIZED (
        SELECT e.row_id, disclosed.number_period(o.owner, m.metric_id, disclosed.kind_code(w.start_date, w.end_date), w.end_date) AS period, w.start_date,
               m.rank AS precedence, e.amount::numeric * m.sign AS value, max(CASE e.rounding WHEN 'INF' THEN 1000 ELSE e.rounding::integer END) AS decimals
        FROM (SELECT r.row_id, r.issuer_id, unnest(r.concepts) AS concept, unnest(r.units) AS unit, unnest(r.start_dates) AS starts, unnest(r.end_dates) AS ends,
                     unnest(r.amounts) AS amount, unnest(r.dimensions) AS dimension, unnest(r.decimals) AS rounding
              FROM disclosed.xbrl_report r
              WHERE r.issuer_id = ANY (issuers) AND r.decimals IS NOT NULL AND r.row_id IN (SELECT s.report FROM several s)) e
        JOIN disclosed.number_elements() m ON m.concept = e.concept AND m.is_instant = (e.starts = '')
        JOIN pg_temp.number_owner o ON o.issuer_id = e.issuer_id AND o.unit = e.unit
        CROSS JOIN LATERAL (SELECT nullif(e.starts, '')::date AS start_date, e.ends::date AS end_date) w
        WHERE coalesce(e.dimension, '') = '' AND e.rounding <> '' AND disclosed.kind_code(w.start_date, w.end_date) IS NOT NULL
        GROUP BY 1, 2, 3, 4, 5),
    -- A report that does not say how exact a number is repeats it as those before it said.
    told AS MATERIALIZED (
        SELECT s.*, max(f.decimals) OVER (PARTITION BY s.period, s.start_date, s.precedence, s.value ORDER BY s.known_at) AS decimals
        FROM several s
        LEFT JOIN fact f ON f.row_id = s.report AND f.period = s.period AND f.precedence = s.precedence AND f.value = s.value
                        AND f.start_date IS NOT DISTINCT FROM s.start_date),
    rounded AS MATERIALIZED (
        SELECT DISTINCT ON (r.place) r.place, e.place AS of_place, e.value AS of_value
        FROM told r
        JOIN told e ON e.period = r.period AND e.precedence = r.precedence AND e.start_date IS NOT DISTINCT FROM r.start_date AND e.value <> r.value
        WHERE r.decimals < 1000 AND r.value <> 0 AND r.value = round(r.value, r.decimals) AND abs(r.value - e.value) <= 10::numeric ^ (- r.decimals) / 2
          AND CASE WHEN e.known_at < r.known_at THEN coalesce(e.decimals > r.decimals, true) ELSE e.known_at = r.known_at AND e.decimals > r.decimals END
        ORDER BY r.place, e.known_at DESC, e.decimals DESC NULLS LAST, e.accession DESC, e.value),
    exact AS (
        SELECT r.place, r.of_place, r.of_value FROM rounded r
        UNION ALL
        SELECT x.place, r.of_place, r.of_value FROM exact x JOIN rounded r ON r.place = x.of_place)
    UPDATE pg_temp.number_candidate n SET value = x.of_value
    FROM exact x JOIN several s USING (place)
    WHERE NOT EXISTS (SELECT 1 FROM rounded r WHERE r.place = x.of_place)
      AND n.period = s.period AND n.start_date IS NOT DISTINCT FROM s.start_date AND n.accession = s.accession AND n.known_at = s.known_at
      AND n.precedence = s.precedence AND n.value = s.value;
END $$;

-- With what filings themselves say of their numbers' exactness.
CREATE OR REPLACE FUNCTION find_reported_numbers(issuers bigint[]) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
DECLARE
    of_sets CONSTANT boolean := EXISTS (SELECT 1 FROM disclosed.xbrl_report r WHERE r.issuer_id = ANY (issuers) AND r.told_by = 'data_set');
BEGIN
    INSERT INTO disclosed.issuer_template
    SELECT i.issuer_id, disclosed.industry_of(p.sic)
    FROM (SELECT DISTINCT unnest(issuers) AS issuer_id) i
    LEFT JOIN disclosed.issuer_profile p ON p.issuer_id = i.issuer_id AND p.superseded_at IS NULL
    WHERE EXISTS (SELECT 1 FROM disclosed.xbrl_report r WHERE r.issuer_id = i.issuer_id)
    ON CONFLICT (issuer_id) DO UPDATE SET template_slug = excluded.template_slug
    WHERE issuer_template.template_slug IS DISTINCT FROM excluded.template_slug;

    INSERT INTO pg_temp.number_owner
    SELECT row_number() OVER (), u.issuer_id, u.unit
    FROM (SELECT DISTINCT r.issuer_id, unnest(r.units) AS unit FROM disclosed.xbrl_report r WHERE r.issuer_id = ANY (issuers)) u;

    ANALYZE pg_temp.number_owner;
    IF of_sets THEN
        INSERT INTO pg_temp.number_own_period
        SELECT DISTINCT ON (issuer_id, rounded_end, quarters) issuer_id, rounded_end, quarters, start_date, end_date
        FROM (SELECT r.issuer_id, w.start_date, w.end_date, disclosed.nearest_month_end(w.end_date) AS rounded_end,
                     disclosed.quarters_in(w.start_date, w.end_date) AS quarters, count(*) AS facts
              FROM disclosed.number_reports(issuers) s JOIN disclosed.xbrl_report r USING (issuer_id, row_id)
              CROSS JOIN LATERAL unnest(r.start_dates, r.end_dates) AS e(starts, ends)
              CROSS JOIN LATERAL (SELECT nullif(e.starts, '')::date AS start_date, e.ends::date AS end_date) w
              WHERE s.told_by <> 'data_set'
              GROUP BY 1, 2, 3) p
        ORDER BY issuer_id, rounded_end, quarters, facts DESC, end_date, start_date;
    END IF;

    PERFORM disclosed.add_reported_numbers(issuers, of_sets);
    ANALYZE pg_temp.number_candidate (period);
    PERFORM disclosed.take_less_exact_numbers();
    PERFORM disclosed.take_rounded_numbers();

    PERFORM disclosed.judge_scales(disclosed.disputed_scales(issuers));
    PERFORM disclosed.judge_shares();

    INSERT INTO pg_temp.number_year
    SELECT r.issuer_id, r.known_at, n.year_end, r.fiscal_year
    FROM (SELECT reports[1] AS row_id, max(disclosed.period_end(period)) AS year_end
          FROM pg_temp.number_candidate
          WHERE disclosed.period_kind(period) = 5 AND disclosed.period_end(period) <= (known_at AT TIME ZONE 'UTC')::date GROUP BY 1) n
    JOIN disclosed.xbrl_report r ON r.issuer_id = ANY (issuers) AND r.row_id = n.row_id
    WHERE r.fiscal_period = 'FY' AND r.fiscal_year IS NOT NULL AND r.form NOT LIKE '10-Q%';
END $$;

-- What years and quarters that end on the days of pg_temp.number_record are called, in pg_temp.number_label: by the first fiscal year that ends
-- then, up to 20 days before, or later, else by the last one, of those that were known. Annual reports may count years differently, as NVIDIA's of 2011 to
-- 2014: how far a fiscal year's name is ahead of the calendar year at whose month's end it ends is what the newest of those known says that is
-- confirmed, by most of the quarterly reports of its year or by the annual report before it; where none is, what the newest says.
CREATE OR REPLACE FUNCTION find_fiscal_labels() RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
DECLARE
    -- Of others the annual reports agree.
    contradictory CONSTANT bigint[] := ARRAY(
        SELECT DISTINCT y.issuer_id FROM pg_temp.number_year y CROSS JOIN LATERAL (SELECT disclosed.nearest_month_end(y.year_end) AS ended) m
        GROUP BY y.issuer_id, extract(month FROM m.ended)
        HAVING min(y.fiscal_year - extract(year FROM m.ended)) <> max(y.fiscal_year - extract(year FROM m.ended)));
BEGIN
    INSERT INTO pg_temp.number_label
    WITH quarterly AS MATERIALIZED (
        SELECT r.issuer_id, r.known_at, r.fiscal_year, max(disclosed.period_end(n.period)) AS ended
        FROM disclosed.xbrl_report r JOIN pg_temp.number_candidate n ON n.stage = 0 AND n.reports[1] = r.row_id
        WHERE r.issuer_id = ANY (contradictory) AND r.fiscal_period LIKE 'Q%' AND r.fiscal_year IS NOT NULL
          AND disclosed.period_kind(n.period) IN (2, 3, 4) AND disclosed.period_end(n.period) <= (n.known_at AT TIME ZONE 'UTC')::date
        GROUP BY r.issuer_id, r.row_id, r.known_at, r.fiscal_year),
    told AS MATERIALIZED (
        SELECT y.issuer_id, y.known_at, y.year_end, extract(month FROM m.ended)::integer AS month, extract(year FROM m.ended)::integer AS year,
               y.fiscal_year - extract(year FROM m.ended)::integer AS ahead,
               count(*) FILTER (WHERE q.fiscal_year = y.fiscal_year) > count(*) FILTER (WHERE q.fiscal_year <> y.fiscal_year) AS is_confirmed
        FROM pg_temp.number_year y CROSS JOIN LATERAL (SELECT disclosed.nearest_month_end(y.year_end) AS ended) m
        LEFT JOIN quarterly q ON q.issuer_id = y.issuer_id AND q.known_at <= y.known_at AND q.ended > y.year_end - 350 AND q.ended < y.year_end
        GROUP BY y.issuer_id, y.known_at, y.year_end, m.ended, y.fiscal_year),
    instant AS MATERIALIZED (
        SELECT issuer_id, known_at AS at, row_number() OVER w AS place, lead(known_at) OVER w AS next_at
        FROM (SELECT DISTINCT issuer_id, known_at FROM told) t WINDOW w AS (PARTITION BY issuer_id ORDER BY known_at)),
    known AS MATERIALIZED (
        SELECT i.issuer_id, i.place, i.at, i.next_at, t.known_at, t.year_end, t.month, t.year, t.ahead, t.is_confirmed
        FROM instant i JOIN told t ON t.issuer_id = i.issuer_id AND t.known_at <= i.at),
    -- What was said last of each year; what is not confirmed, as by a report on a transition period, only where nothing else is.
    said AS (
        SELECT DISTINCT ON (k.issuer_id, k.place, k.month, k.year) k.issuer_id, k.place, k.month, k.year, k.ahead, k.is_confirmed
        FROM known k
        LEFT JOIN (SELECT DISTINCT issuer_id, place, month, year, ahead FROM known) b
               ON (b.issuer_id, b.place, b.month, b.year, b.ahead) = (k.issuer_id, k.place, k.month, k.year - 1, k.ahead)
        ORDER BY k.issuer_id, k.place, k.month, k.year, (k.is_confirmed OR b.year IS NOT NULL) DESC, k.known_at DESC, k.ahead DESC),
    counted AS (
        SELECT DISTINCT ON (issuer_id, place, month) issuer_id, place, month, ahead
        FROM (SELECT *, is_confirmed OR ahead IS NOT DISTINCT FROM lag(ahead) OVER (PARTITION BY issuer_id, place, month ORDER BY year) AS counts FROM said) s
        ORDER BY issuer_id, place, month, counts DESC, year DESC),
    named AS (
        SELECT DISTINCT k.issuer_id, k.place, k.at, k.next_at, k.year_end, k.month, k.year + c.ahead AS fiscal_year
        FROM known k JOIN counted c USING (issuer_id, place, month)),
    -- The days whose periods are named by a year: up to 20 days after its end, behind those of the one before; and of the last year all that follow.
    reach AS (
        SELECT issuer_id, place, at, next_at, lag(year_end) OVER w + 20 AS behind, year_end + 20 AS upto, year_end, fiscal_year,
               CASE WHEN lag(month) OVER w <> month THEN lag(fiscal_year) OVER w END AS year_before
        FROM named WINDOW w AS (PARTITION BY issuer_id, place ORDER BY year_end)
        UNION ALL
        (SELECT DISTINCT ON (issuer_id, place) issuer_id, place, at, next_at, year_end + 20, NULL::date, year_end, fiscal_year, NULL::integer
         FROM named ORDER BY issuer_id, place, year_end DESC)),
    span AS (
        SELECT issuer_id, behind, upto, year_end, fiscal_year, year_before, min(at) AS since, nullif(max(coalesce(next_at, 'infinity')), 'infinity') AS until
        FROM (SELECT *, place - row_number() OVER (PARTITION BY issuer_id, behind, upto, year_end, fiscal_year, year_before ORDER BY place) AS island FROM reach) r
        GROUP BY issuer_id, behind, upto, year_end, fiscal_year, year_before, island),
    near AS MATERIALIZED (
        SELECT d.issuer_id, d.end_date, d.is_year, s.since, s.fiscal_year, s.year_before, CASE WHEN d.is_year THEN 'annual' ELSE 'quarter' END AS kind,
               d.end_date - s.year_end AS days, round((d.end_date - s.year_end) / 91.3125)::integer AS quarters
        FROM (SELECT DISTINCT issuer_id, end_date, kind = 5 AS is_year FROM pg_temp.number_record) d
        -- Numbers are known after their periods: what was known before is not asked for.
        JOIN span s ON s.issuer_id = d.issuer_id AND (s.behind IS NULL OR s.behind < d.end_date) AND (s.upto IS NULL OR s.upto >= d.end_date)
                   AND (s.until IS NULL OR s.until > d.end_date)),
    -- Where a company changes the end of its years, a year may be cut short: its quarters, counted back from the new end, are none of the year before.
    label AS MATERIALIZED (
        SELECT n.issuer_id, n.end_date, n.is_year, n.since,
               CASE WHEN n.fiscal_year + ceil(n.quarters / 4.0) <= n.year_before THEN NULL
                    ELSE disclosed.fiscal_period_after(n.kind, n.days, n.quarters, n.fiscal_year) END AS fiscal
        FROM near n),
    turn AS (
        SELECT l.*, row_number() OVER w = 1 AS is_first, l.fiscal IS DISTINCT FROM lag(l.fiscal) OVER w AS is_another
        FROM label l WINDOW w AS (PARTITION BY l.issuer_id, l.end_date, l.is_year ORDER BY l.since))
    SELECT issuer_id, end_date, is_year, since, lead(since) OVER (PARTITION BY issuer_id, end_date, is_year ORDER BY since), fiscal
    FROM (SELECT issuer_id, end_date, is_year, since, fiscal FROM turn WHERE is_another
          UNION ALL
          -- Before the first year was known there is no name.
          SELECT issuer_id, end_date, is_year, '-infinity', NULL FROM turn WHERE is_first) f;
    ANALYZE pg_temp.number_label (issuer_id, end_date, is_year);
END $$;

CALL derive_all_fundamentals();
