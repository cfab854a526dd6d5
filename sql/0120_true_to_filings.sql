-- Numbers as filings have them: fiscal years are counted as the newest annual reports do, and told by annual reports alone; what a filing rounds is the exact number; shares
-- are those that its earnings per share imply; no formula makes what other numbers contradict. Questions of an instant are answered by what was known then.

SET LOCAL search_path = disclosed, public;

-- A filing that is in thousands, millions or tenths of them repeats an exact number that it rounds, up or down, as sums have to add up: it is that number then.
-- What a filing is in, ten or more of its numbers in a unit tell.
CREATE FUNCTION take_rounded_numbers() RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
BEGIN
    WITH filing AS MATERIALIZED (
        SELECT f.accession, f.owner, CASE WHEN f.millions >= f.most THEN 1000000 WHEN f.tenths >= f.most THEN 100000 WHEN f.thousands >= f.most THEN 1000 END AS unit
        FROM (SELECT n.accession, disclosed.period_owner(n.period) AS owner, count(*) * 0.95 AS most, count(*) AS numbers,
                     count(*) FILTER (WHERE n.value % 1000000 = 0) AS millions, count(*) FILTER (WHERE n.value % 100000 = 0) AS tenths,
                     count(*) FILTER (WHERE n.value % 1000 = 0) AS thousands
              FROM pg_temp.number_candidate n WHERE n.stage = 0 GROUP BY 1, 2) f
        WHERE f.numbers >= 10),
    several AS MATERIALIZED (
        SELECT n.period, n.start_date, n.precedence, n.known_at, n.accession, n.value
        FROM pg_temp.number_candidate n
        WHERE n.period IN (SELECT p.period FROM pg_temp.number_candidate p GROUP BY 1 HAVING min(p.value) <> max(p.value))),
    exact AS (
        SELECT DISTINCT ON (r.period, r.start_date, r.precedence, r.known_at, r.accession, r.value) r.*, e.value AS of_value
        FROM several r
        JOIN filing f ON f.accession = r.accession AND f.owner = disclosed.period_owner(r.period)
        JOIN several e ON e.period = r.period AND e.start_date IS NOT DISTINCT FROM r.start_date AND e.precedence = r.precedence AND e.known_at < r.known_at
        WHERE r.value <> 0 AND abs(r.value - e.value) < f.unit AND e.value % f.unit <> 0
        ORDER BY r.period, r.start_date, r.precedence, r.known_at, r.accession, r.value, e.known_at DESC)
    UPDATE pg_temp.number_candidate n SET value = x.of_value
    FROM exact x
    WHERE n.period = x.period AND n.start_date IS NOT DISTINCT FROM x.start_date AND n.accession = x.accession AND n.known_at = x.known_at
      AND n.precedence = x.precedence AND n.value = x.value AND n.value <> x.of_value;
END $$;

-- Net income is a filing's earnings per share times its shares: both are what they are if they agree with it, whatever was reported before. Shares that are about
-- a thousand or a million times what would agree, or a thousandth, as those in thousands, are suspect.
CREATE FUNCTION judge_shares() RETURNS void LANGUAGE plpgsql SET enable_nestloop = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
BEGIN
    WITH metric AS (
        SELECT m.metric_id, m.metric_key FROM disclosed.canonical_metric m
        WHERE m.metric_key IN ('net_income', 'eps_basic', 'eps_diluted', 'weighted_average_shares_basic', 'weighted_average_shares_diluted')),
    -- One number of a filing, the same in each of its copies.
    told AS MATERIALIZED (
        SELECT DISTINCT n.period, n.accession, n.start_date, n.value, n.is_suspect, o.issuer_id, o.unit, n.period & 33554431 AS days,
               split_part(m.metric_key, '_', 1) AS of, substring(m.metric_key FROM '(basic|diluted)$') AS way
        FROM pg_temp.number_candidate n
        JOIN metric m ON m.metric_id = disclosed.period_metric(n.period)
        JOIN pg_temp.number_owner o ON o.owner = disclosed.period_owner(n.period)),
    product AS MATERIALIZED (
        SELECT s.period AS of_shares, e.period AS of_earnings, s.accession, s.start_date, s.value AS shares, e.value AS earnings, e.is_suspect,
               i.value AS income, abs(s.value * e.value) BETWEEN abs(i.value) * 0.5 AND abs(i.value) * 2 AS agrees
        FROM told s
        JOIN told e ON e.of = 'eps' AND (e.issuer_id, e.accession, e.days, e.start_date, e.way) = (s.issuer_id, s.accession, s.days, s.start_date, s.way)
        JOIN told i ON i.of = 'net' AND (i.issuer_id, i.accession, i.days, i.start_date, i.unit || '/shares') = (s.issuer_id, s.accession, s.days, s.start_date, e.unit)
        -- Less is rounded too much.
        WHERE s.of = 'weighted' AND abs(e.value) >= 0.02 AND i.value <> 0 AND NOT i.is_suspect),
    judged AS (
        SELECT of_shares AS period, accession, start_date, shares AS value, NOT bool_or(agrees) AS is_suspect
        FROM product WHERE agrees OR (NOT is_suspect AND disclosed.is_off_scale(shares * earnings, income)) GROUP BY 1, 2, 3, 4
        UNION ALL
        SELECT DISTINCT of_earnings, accession, start_date, earnings, false FROM product WHERE agrees)
    UPDATE pg_temp.number_candidate n SET is_suspect = j.is_suspect
    FROM judged j
    WHERE (n.period, n.accession, n.start_date, n.value) = (j.period, j.accession, j.start_date, j.value) AND n.is_suspect <> j.is_suspect;
END $$;

-- Facts that are of a metric, and the ends of fiscal years that annual reports tell. Of a filing those of the report that is taken; numbers
-- of proxy statements, and of parts of a company, are none of them. A data set's rounded period is the issuer's own that rounds to it,
-- where another filing names one. A fiscal year has ended when it is told, and is none that a quarterly report calls so.
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
    PERFORM disclosed.take_rounded_numbers();

    -- What was reported first of each of three periods before: two that say so make it suspect.
    UPDATE pg_temp.number_candidate n SET is_suspect = true
    FROM (SELECT l.*, least(abs(one), abs(two), abs(three)) * 500 AS many, greatest(abs(one), abs(two), abs(three)) * 0.002 AS few
          FROM (SELECT period, lag(value) OVER w AS one, lag(value, 2) OVER w AS two, lag(value, 3) OVER w AS three,
                       greatest(lag(known_at) OVER w, lag(known_at, 2) OVER w, lag(known_at, 3) OVER w) AS since
                FROM (SELECT DISTINCT ON (period) period, value, known_at
                      FROM pg_temp.number_candidate
                      ORDER BY period, known_at, precedence, accession, value) first
                WINDOW w AS (PARTITION BY period >> 22 ORDER BY period)) l
          WHERE one IS NOT NULL OFFSET 0) o
    WHERE n.period = o.period AND n.known_at >= o.since AND (abs(n.value) >= o.many OR abs(n.value) <= o.few)
      AND disclosed.is_off_scale(n.value, o.one)::integer + coalesce(disclosed.is_off_scale(n.value, o.two)::integer, 0)
          + coalesce(disclosed.is_off_scale(n.value, o.three)::integer, 0) >= 2;
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
    -- What was said last of each year.
    said AS (
        SELECT DISTINCT ON (issuer_id, place, month, year) issuer_id, place, month, year, ahead, is_confirmed
        FROM known ORDER BY issuer_id, place, month, year, known_at DESC, ahead DESC),
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

-- What formulas of a stage make ends where what is known contradicts it. Noncurrent liabilities may leave debt out, as AT&T's: with current ones they are all
-- only if they add up with equity, but for a twentieth, which what may be redeemed makes. Depreciation and amortization that are less than the amortization
-- that is reported leave it out, as Marvell's. What is spent and has a negative sign was reported with the wrong one.
CREATE FUNCTION end_contradicted_formulas(of_stage integer) RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.canonical_depth d WHERE d.depth = of_stage - 2
                   AND d.metric_key IN ('liabilities', 'ebitda', 'free_cash_flow', 'interest_coverage')) THEN
        RETURN;
    END IF;
    WITH metric AS MATERIALIZED (
        SELECT m.metric_id, m.metric_key FROM disclosed.canonical_metric m
        WHERE m.metric_key IN ('liabilities', 'liabilities_and_equity', 'total_equity', 'stockholders_equity', 'noncontrolling_interests', 'temporary_equity',
                               'ebitda', 'depreciation_and_amortization', 'amortization_of_intangible_assets', 'free_cash_flow', 'capital_expenditure',
                               'interest_coverage', 'interest_expense')),
    made AS MATERIALIZED (
        SELECT n.period, n.known_at, n.superseded_at, n.value, m.metric_key, disclosed.other_metric(n.period, 0::smallint) AS place
        FROM pg_temp.number_candidate n JOIN metric m ON m.metric_id = disclosed.period_metric(n.period)
        WHERE n.stage = of_stage),
    said AS MATERIALIZED (
        SELECT disclosed.other_metric(v.period, 0::smallint) AS place, m.metric_key, v.known_at, v.superseded_at, v.value, v.rule
        FROM pg_temp.number_version v JOIN metric m ON m.metric_id = disclosed.period_metric(v.period)),
    balance AS (
        SELECT n.period, n.known_at, n.value,
               max(s.value) FILTER (WHERE s.metric_key = 'liabilities_and_equity') AS total,
               max(s.value) FILTER (WHERE s.metric_key = 'total_equity') AS equity,
               max(s.value) FILTER (WHERE s.metric_key = 'stockholders_equity') AS of_stockholders,
               max(s.value) FILTER (WHERE s.metric_key = 'noncontrolling_interests') AS of_others,
               max(s.value) FILTER (WHERE s.metric_key = 'temporary_equity') AS redeemable
        FROM made n JOIN said s ON s.place = n.place AND s.known_at <= n.known_at AND (s.superseded_at IS NULL OR s.superseded_at > n.known_at)
        WHERE n.metric_key = 'liabilities' GROUP BY 1, 2, 3),
    contradicted AS (
        SELECT b.period, b.known_at, b.known_at AS since FROM balance b
        WHERE abs(b.total - coalesce(b.equity, b.of_stockholders + coalesce(b.of_others, 0)) - coalesce(b.redeemable, 0) - b.value) > abs(b.total) / 20
        UNION ALL
        SELECT n.period, n.known_at, min(l.since)
        FROM made n
        JOIN (VALUES ('ebitda', 'depreciation_and_amortization'), ('free_cash_flow', 'capital_expenditure'), ('interest_coverage', 'interest_expense'))
             AS f(metric_key, spent) USING (metric_key)
        JOIN said d ON d.place = n.place AND d.metric_key = f.spent
        LEFT JOIN said a ON n.metric_key = 'ebitda' AND a.place = n.place AND a.metric_key = 'amortization_of_intangible_assets' AND a.rule IS NULL AND a.value > d.value
        CROSS JOIN LATERAL (SELECT greatest(n.known_at, d.known_at, a.known_at) AS since, least(n.superseded_at, d.superseded_at, a.superseded_at) AS until) l
        WHERE (d.value < 0 OR a.value IS NOT NULL) AND (l.until IS NULL OR l.since < l.until) GROUP BY 1, 2)
    UPDATE pg_temp.number_candidate n SET superseded_at = least(n.superseded_at, c.since)
    FROM contradicted c WHERE n.stage = of_stage AND n.period = c.period AND n.known_at = c.known_at;
    DELETE FROM pg_temp.number_candidate n WHERE n.stage = of_stage AND n.superseded_at <= n.known_at;
END $$;

-- Makes the numbers of these companies anew from what their filings report. Returns those whose numbers have changed.
CREATE OR REPLACE FUNCTION derive_fundamentals(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    deepest integer := (SELECT coalesce(max(depth), 0) FROM disclosed.canonical_depth);
BEGIN
    IF coalesce(cardinality(issuers), 0) = 0 THEN
        RETURN;
    END IF;
    PERFORM disclosed.open_number_tables();
    -- Rows of numbers are looked up in issuer by a plan that was made when it was small, until statistics say otherwise.
    PERFORM disclosed.analyze_grown(ARRAY['disclosed.xbrl_report', 'disclosed.issuer', 'disclosed.issuer_template']::regclass[]);
    PERFORM disclosed.find_reported_numbers(issuers);
    PERFORM disclosed.resolve_numbers(0);
    PERFORM disclosed.add_number_differences();
    PERFORM disclosed.resolve_numbers(1);
    PERFORM disclosed.add_number_years();
    PERFORM disclosed.resolve_numbers(2);
    FOR one IN 1..deepest LOOP
        PERFORM disclosed.add_number_formulas(one, 2 + one);
        PERFORM disclosed.end_contradicted_formulas(2 + one);
        PERFORM disclosed.resolve_numbers(2 + one);
    END LOOP;
    PERFORM disclosed.keep_one_of_ratios();
    PERFORM disclosed.want_numbers(issuers);
    RETURN QUERY SELECT DISTINCT d FROM disclosed.store_numbers(issuers) AS d;
    DELETE FROM disclosed.metric_issuer x
    WHERE x.issuer_id = ANY (issuers)
      AND NOT EXISTS (SELECT 1 FROM pg_temp.number_wanted w JOIN disclosed.canonical_metric m USING (metric_id)
                      WHERE w.issuer_id = x.issuer_id AND m.metric_key = x.metric_key);
    INSERT INTO disclosed.metric_issuer
    SELECT m.metric_key, w.issuer_id, min(w.known_at),
           (array_agg(w.value ORDER BY w.end_date DESC, w.unit) FILTER (WHERE w.superseded_at IS NULL AND w.kind IN (1, 5)))[1]
    FROM pg_temp.number_wanted w JOIN disclosed.canonical_metric m USING (metric_id) GROUP BY 1, 2
    ON CONFLICT (metric_key, issuer_id) DO UPDATE SET known_at = excluded.known_at, latest = excluded.latest
    WHERE (metric_issuer.known_at, metric_issuer.latest) IS DISTINCT FROM (excluded.known_at, excluded.latest);
    PERFORM disclosed.analyze_grown(ARRAY['disclosed.metric_value', 'disclosed.metric_issuer']::regclass[]);
END $$;

-- The numbers of a metric that a question asks for, the latest first; of a period in several currencies that of which the metric has most.
CREATE OR REPLACE FUNCTION ask_numbers(r ask_reading, of_issuer bigint, of_metric text, years_back integer, instant timestamptz, since date, until date, most integer)
RETURNS SETOF metric_number LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    WITH number AS MATERIALIZED (
        SELECT n.* FROM disclosed.metric_number n
        WHERE n.issuer_id = of_issuer AND n.metric_key = of_metric AND n.period_kind IN ('instant', 'quarter', 'annual', 'ttm')
          AND CASE WHEN instant IS NULL THEN n.superseded_at IS NULL
                   ELSE n.known_at <= instant AND (n.superseded_at IS NULL OR n.superseded_at > instant) END
          AND (since IS NULL OR n.end_date >= since) AND (until IS NULL OR n.end_date <= until)),
    wanted AS (
        SELECT n.*, CASE WHEN n.basis = 'instant' THEN 'instant' WHEN r.is_ttm THEN 'ttm'
                         WHEN r.quarter IS NOT NULL OR r.is_quarterly THEN 'quarter'
                         WHEN r.year IS NULL AND r.form <> 'list' AND NOT EXISTS (SELECT 1 FROM number a WHERE a.period_kind = 'annual') THEN 'quarter'
                         ELSE 'annual' END AS kind,
               CASE WHEN r.is_calendar OR n.fiscal IS NULL THEN disclosed.calendar_period(n.start_date, n.end_date) END AS calendar,
               count(*) OVER (PARTITION BY n.unit) AS of_unit
        FROM number n),
    fitting AS (
        SELECT DISTINCT ON (w.end_date, w.period_kind) w.*
        FROM wanted w
        WHERE w.period_kind = w.kind
          AND CASE
              WHEN r.last_year IS NOT NULL OR r.years IS NOT NULL THEN
                   (w.kind <> 'instant' OR coalesce(CASE WHEN NOT r.is_calendar THEN w.fiscal ~ '^(Q4|FY)' END, w.calendar ~ 'Q4'))
                   AND CASE WHEN r.years IS NULL THEN disclosed.ask_year_of(r, w.fiscal, w.calendar) BETWEEN r.year AND r.last_year
                            ELSE disclosed.ask_year_of(r, w.fiscal, w.calendar) = ANY (r.years) END
              WHEN r.year IS NULL AND r.quarter IS NULL THEN w.kind <> 'instant' OR r.form <> 'list' OR r.is_quarterly OR w.fiscal ~ '^(Q4|FY)'
              WHEN r.year IS NULL THEN left(w.fiscal, 2) = 'Q' || r.quarter
              WHEN r.is_calendar OR w.fiscal IS NULL THEN
                   w.calendar = (r.year - years_back) || CASE WHEN r.quarter IS NOT NULL THEN 'Q' || r.quarter WHEN w.kind = 'instant' THEN 'Q4' ELSE '' END
              WHEN r.quarter IS NOT NULL THEN w.fiscal = 'Q' || r.quarter || ' FY' || r.year - years_back
              WHEN w.kind = 'ttm' THEN false
              ELSE w.fiscal IN ('FY' || r.year - years_back, CASE WHEN w.kind = 'instant' THEN 'Q4 FY' || r.year - years_back
                                                                  WHEN w.kind = 'quarter' THEN right('FY' || r.year - years_back, 6) END)
                   OR w.kind = 'quarter' AND r.is_quarterly AND right(w.fiscal, 4) = (r.year - years_back)::text END
        ORDER BY w.end_date, w.period_kind, w.dataset, w.of_unit DESC, w.known_at DESC, w.unit)
    SELECT f.dataset, f.issuer_id, f.metric_key, f.display, f.src_digest, f.source_id, f.accession, f.known_at, f.superseded_at, f.start_date, f.end_date,
           f.period_kind, f.fiscal, f.value, f.unit, f.is_percent, f.basis, f.is_suspect, f.is_derived
    FROM fitting f ORDER BY CASE WHEN r.year IS NOT NULL AND r.last_year IS NULL THEN f.fiscal IS NULL END, f.end_date DESC LIMIT most;
END $$;

-- Where there is nothing for the period: what there is.
CREATE OR REPLACE FUNCTION ask_missing(of_issuer bigint, of_metric text, instant timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT disclosed.ask_company(of_issuer) || ' has no ' || lower(coalesce((SELECT m.display FROM disclosed.canonical_metric m WHERE m.metric_key = of_metric),
                                                                      replace(of_metric, '_', ' ')))
        || CASE WHEN count(*) = 0 THEN ' among the stored numbers.'
                ELSE ' for that period; numbers are stored of ' || min(n.end_date) || ' to ' || max(n.end_date) || '.' END
    FROM disclosed.metric_number n
    WHERE n.issuer_id = of_issuer AND n.metric_key = of_metric
      AND CASE WHEN instant IS NULL THEN n.superseded_at IS NULL
               ELSE n.known_at <= instant AND (n.superseded_at IS NULL OR n.superseded_at > instant) END
$$;

-- Numbers that are stored. No load runs beside it (loader/loader_lock.c).
DO $$
DECLARE
    companies bigint[];
    changed bigint[] := '{}';
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    FOR companies IN
        SELECT array_agg(issuer_id)
        FROM (SELECT issuer_id, (row_number() OVER (ORDER BY issuer_id) - 1) / 100 AS batch
              FROM (SELECT DISTINCT r.issuer_id FROM xbrl_report r) d) b
        GROUP BY batch
    LOOP
        companies := ARRAY(SELECT derive_fundamentals(companies));
        UPDATE dataset_issuer_stat o
        SET record_count = c.record_count, latest = c.latest
        FROM (SELECT t.issuer_id, count(*) AS record_count, max(t.end_date) AS latest FROM metric_value t
              WHERE t.issuer_id = ANY (companies) AND t.superseded_at IS NULL GROUP BY t.issuer_id) c
        WHERE o.dataset = 'fundamental' AND o.issuer_id = c.issuer_id;
        changed := changed || companies;
    END LOOP;
    IF changed <> '{}' THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
        UPDATE dataset_stat d
        SET record_count = c.record_count, latest = c.latest, version = version + 1, changed_at = now()
        FROM (SELECT sum(record_count) AS record_count, max(latest) AS latest FROM dataset_issuer_stat WHERE dataset = 'fundamental') c
        WHERE d.dataset = 'fundamental';
    END IF;
END $$;
