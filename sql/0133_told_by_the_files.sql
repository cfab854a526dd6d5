-- A report and its amendment that differ in scale are no measure of other numbers. Questions of a calendar year are answered by the twelve months that end with it, what
-- percentages differ by are points, a number that is years older than the company's others is not its latest, and rankings have
-- the numbers of one currency of all companies that report in it. What rankings, holders of a company, amendments of Forms 3, 4 and 5, and
-- announcements read follows from what they say, however much is stored.

SET LOCAL search_path = disclosed, public;

-- Periods of numbers of which a report and its amendment say about a thousand or a million times what the other says: nothing tells which of the two is right.
CREATE FUNCTION disputed_scales(issuers bigint[]) RETURNS bigint[] LANGUAGE plpgsql STABLE SET work_mem = '64MB' AS $$
DECLARE
    amendments CONSTANT bigint[] := ARRAY(SELECT r.row_id FROM disclosed.xbrl_report r WHERE r.issuer_id = ANY (issuers) AND r.form LIKE '%/A');
BEGIN
    IF amendments = '{}' THEN
        RETURN amendments;
    END IF;
    RETURN ARRAY(
        SELECT DISTINCT o.period
        FROM pg_temp.number_candidate n
        JOIN disclosed.xbrl_report a ON a.issuer_id = ANY (issuers) AND a.row_id = n.reports[1]
        JOIN pg_temp.number_candidate o ON o.period = n.period AND o.known_at < n.known_at AND disclosed.is_off_scale(n.value, o.value)
        JOIN disclosed.xbrl_report r ON r.issuer_id = a.issuer_id AND r.row_id = o.reports[1]
        WHERE n.reports[1] = ANY (amendments) AND a.form = r.form || '/A'
          AND a.fiscal_year IS NOT DISTINCT FROM r.fiscal_year AND a.fiscal_period IS NOT DISTINCT FROM r.fiscal_period);
END $$;

-- What was reported first of each of three periods before: two that say so make a number suspect. Numbers of disputed periods are measured, and measure none.
CREATE FUNCTION judge_scales(disputed bigint[]) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
DECLARE
    of_disputed CONSTANT bigint[] := ARRAY(SELECT DISTINCT d >> 22 FROM unnest(disputed) d);
BEGIN
    WITH first AS MATERIALIZED (
        SELECT DISTINCT ON (period) period, value, known_at FROM pg_temp.number_candidate ORDER BY period, known_at, precedence, accession, value),
    before AS (
        SELECT period, lag(value) OVER w AS one, lag(value, 2) OVER w AS two, lag(value, 3) OVER w AS three,
               greatest(lag(known_at) OVER w, lag(known_at, 2) OVER w, lag(known_at, 3) OVER w) AS since
        FROM first WHERE period <> ALL (disputed)
        WINDOW w AS (PARTITION BY period >> 22 ORDER BY period)
        UNION ALL
        SELECT period, amounts[told], amounts[told - 1], amounts[told - 2], greatest(instants[told], instants[told - 1], instants[told - 2])
        FROM (SELECT period, array_agg(value) FILTER (WHERE period <> ALL (disputed)) OVER w AS amounts,
                     array_agg(known_at) FILTER (WHERE period <> ALL (disputed)) OVER w AS instants,
                     (count(*) FILTER (WHERE period <> ALL (disputed)) OVER w)::integer AS told
              FROM first WHERE period >> 22 = ANY (of_disputed)
              WINDOW w AS (PARTITION BY period >> 22 ORDER BY period ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) d
        WHERE period = ANY (disputed))
    UPDATE pg_temp.number_candidate n SET is_suspect = true
    FROM (SELECT b.*, least(abs(one), abs(two), abs(three)) * 500 AS many, greatest(abs(one), abs(two), abs(three)) * 0.002 AS few
          FROM before b WHERE one IS NOT NULL OFFSET 0) o
    WHERE n.period = o.period AND n.known_at >= o.since AND (abs(n.value) >= o.many OR abs(n.value) <= o.few)
      AND disclosed.is_off_scale(n.value, o.one)::integer + coalesce(disclosed.is_off_scale(n.value, o.two)::integer, 0)
          + coalesce(disclosed.is_off_scale(n.value, o.three)::integer, 0) >= 2;
END $$;

-- The same as before; scales are judged above.
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

-- Whether twelve months that end then are those of a calendar year, as nearly as months of a fiscal quarter can be.
CREATE FUNCTION ends_with_calendar_year(end_date date) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT abs(end_date - make_date(extract(year FROM end_date - 45)::integer, 12, 31)) <= 45 $$;

-- The numbers of a metric that companies have. Of several companies and a year alone, those that can be of it, whatever fiscal year they are of.
CREATE FUNCTION ask_stored_of(r ask_reading, of_issuers bigint[], of_metric text, instant timestamptz) RETURNS SETOF metric_number LANGUAGE plpgsql STABLE AS $$
DECLARE
    first_day date := '-infinity';
    last_day date := 'infinity';
BEGIN
    IF r.part IS NOT NULL THEN
        RETURN QUERY SELECT p.* FROM unnest(of_issuers) i CROSS JOIN LATERAL disclosed.ask_part_numbers(i, r.part, r.dimension, of_metric, instant) p;
        RETURN;
    END IF;
    IF cardinality(of_issuers) > 1 AND r.year BETWEEN 1000 AND 9000 AND r.last_year IS NULL AND r.years IS NULL THEN
        first_day := make_date(r.year - 1, 1, 1);
        last_day := make_date(r.year + 1, 12, 31);
    END IF;
    RETURN QUERY SELECT n.* FROM disclosed.metric_number n
        WHERE n.issuer_id = ANY (of_issuers) AND n.metric_key = of_metric AND n.period_kind IN ('instant', 'quarter', 'annual', 'ttm')
          AND n.end_date BETWEEN first_day AND last_day
          AND CASE WHEN instant IS NULL THEN n.superseded_at IS NULL ELSE n.known_at <= instant AND (n.superseded_at IS NULL OR n.superseded_at > instant) END;
    IF r.length IN ('half', 'ytd') THEN
        RETURN QUERY SELECT l.* FROM unnest(of_issuers) i CROSS JOIN LATERAL disclosed.ask_long_numbers(i, of_metric, r.end_date, instant) l;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION ask_stored(r ask_reading, of_issuer bigint, of_metric text, instant timestamptz) RETURNS SETOF metric_number LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT * FROM disclosed.ask_stored_of(r, ARRAY[of_issuer], of_metric, instant);
END $$;

-- The numbers of a metric that a question asks for, of each company the latest first, at most so many; of a period in several currencies that of which
-- the company has most. A period that is named by its days is the nearest that ends within a week of its last one. A calendar year is
-- twelve months that end with it, also where fiscal years end otherwise.
CREATE FUNCTION ask_numbers_of(r ask_reading, of_issuers bigint[], of_metric text, years_back integer, instant timestamptz, since date, until date, most integer)
RETURNS SETOF metric_number LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    WITH number AS MATERIALIZED (
        SELECT n.* FROM disclosed.ask_stored_of(r, of_issuers, of_metric, instant) n
        WHERE (since IS NULL OR n.end_date >= since) AND (until IS NULL OR n.end_date <= until)),
    wanted AS (
        SELECT n.*, CASE WHEN r.end_date IS NOT NULL THEN disclosed.ask_kind(r, n.basis) WHEN n.basis = 'instant' THEN 'instant' WHEN r.is_ttm THEN 'ttm'
                         WHEN r.quarter IS NOT NULL OR r.is_quarterly THEN 'quarter'
                         WHEN r.year IS NULL AND r.form <> 'list' AND NOT bool_or(n.period_kind = 'annual') OVER (PARTITION BY n.issuer_id) THEN 'quarter'
                         ELSE 'annual' END AS kind,
               CASE WHEN r.is_calendar OR n.fiscal IS NULL THEN disclosed.calendar_period(n.start_date, n.end_date) END AS calendar,
               coalesce(r.is_calendar, false) AND r.end_date IS NULL AND r.quarter IS NULL AND NOT coalesce(r.is_quarterly, false) AND NOT coalesce(r.is_ttm, false)
                   AND n.basis <> 'instant' AS is_calendar_year,
               count(*) OVER (PARTITION BY n.issuer_id, n.unit) AS of_unit
        FROM number n),
    fitting AS (
        SELECT DISTINCT ON (w.issuer_id, w.end_date, w.period_kind) w.*
        FROM wanted w
        WHERE (w.period_kind = w.kind OR r.end_date IS NOT NULL AND w.kind = 'ttm' AND w.period_kind = 'annual' OR w.is_calendar_year AND w.period_kind = 'ttm')
          AND (NOT w.is_calendar_year OR disclosed.ends_with_calendar_year(w.end_date))
          AND CASE
              WHEN r.end_date IS NOT NULL THEN w.end_date BETWEEN r.end_date - r.earlier AND r.end_date + 7 AND coalesce(abs(w.start_date - r.start_date) <= 7, true)
                   AND (r.year IS NULL OR disclosed.ask_year_of(r, w.fiscal, w.calendar) = r.year) AND (r.quarter IS NULL OR left(w.fiscal, 2) = 'Q' || r.quarter)
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
        ORDER BY w.issuer_id, w.end_date, w.period_kind, w.dataset, w.of_unit DESC, w.known_at DESC, w.unit, w.member),
    placed AS (
        SELECT f.*, row_number() OVER (PARTITION BY f.issuer_id ORDER BY abs(f.end_date - r.end_date), CASE WHEN r.end_date IS NOT NULL THEN f.period_kind END,
                                       CASE WHEN r.year IS NOT NULL AND r.last_year IS NULL THEN f.fiscal IS NULL END, f.end_date DESC) AS place
        FROM fitting f)
    SELECT f.dataset, f.issuer_id, f.metric_key, f.display, f.src_digest, f.source_id, f.accession, f.known_at, f.superseded_at, f.start_date, f.end_date,
           f.period_kind, f.fiscal, f.value, f.unit, f.is_percent, f.basis, f.is_suspect, f.is_derived, f.member
    FROM placed f WHERE f.place <= most ORDER BY f.issuer_id, f.place;
END $$;

CREATE OR REPLACE FUNCTION ask_numbers(r ask_reading, of_issuer bigint, of_metric text, years_back integer, instant timestamptz, since date, until date, most integer)
RETURNS SETOF metric_number LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY SELECT * FROM disclosed.ask_numbers_of(r, ARRAY[of_issuer], of_metric, years_back, instant, since, until, most);
END $$;

-- What percentages differ by. NULL: the numbers are none.
CREATE FUNCTION ask_points(difference numeric, unit text, is_percent boolean) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT trim_scale(p.points) || CASE p.points WHEN 1 THEN ' percentage point' ELSE ' percentage points' END
    FROM (SELECT round(CASE WHEN is_percent THEN difference * 100 WHEN unit = 'percent' THEN difference END, 1) AS points) p
$$;

-- Why a number is not the latest that a question without a period means: the company has others that are more than a fiscal year and a quarter later. NULL: it is.
CREATE FUNCTION ask_outdated(r ask_reading, n metric_number, instant timestamptz, until date) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF r.year IS NOT NULL OR r.quarter IS NOT NULL OR r.years IS NOT NULL OR r.end_date IS NOT NULL THEN
        RETURN NULL;
    END IF;
    RETURN (SELECT disclosed.ask_company(n.issuer_id) || ' has no ' || lower(n.display) || coalesce(' of ' || n.member, '') || ' of its latest year; the latest stored is of ' || disclosed.ask_day(n.end_date) || '.'
            FROM disclosed.metric_number b
            WHERE b.issuer_id = n.issuer_id AND b.metric_key IN ('assets', 'net_income', 'revenue') AND b.dataset = 'fundamental' AND b.end_date > n.end_date + 460
              AND (until IS NULL OR b.end_date <= until)
              AND CASE WHEN instant IS NULL THEN b.superseded_at IS NULL ELSE b.known_at <= instant AND (b.superseded_at IS NULL OR b.superseded_at > instant) END
            LIMIT 1);
END $$;

-- Numbers of several companies in one unit, the one that most of them are in: of a company that reports in several currencies the one of the same period in that unit.
-- Others are left out, because currencies are not converted.
CREATE FUNCTION ask_in_one_unit(numbers metric_number[], instant timestamptz) RETURNS metric_number[] LANGUAGE plpgsql STABLE AS $$
DECLARE
    of_unit CONSTANT text := (SELECT n.unit FROM unnest(numbers) n GROUP BY n.unit ORDER BY count(*) DESC, n.unit LIMIT 1);
    others CONSTANT metric_number[] := ARRAY(SELECT n FROM unnest(numbers) n WHERE n.unit <> of_unit);
    same disclosed.metric_number[] := ARRAY(SELECT n FROM unnest(numbers) n WHERE n.unit = of_unit);
    n disclosed.metric_number;
BEGIN
    FOREACH n IN ARRAY others LOOP
        same := same || ARRAY(
            SELECT b FROM disclosed.metric_number b
            WHERE b.issuer_id = n.issuer_id AND b.metric_key = n.metric_key AND b.dataset = n.dataset AND b.unit = of_unit
              AND b.end_date = n.end_date AND b.start_date IS NOT DISTINCT FROM n.start_date AND b.period_kind = n.period_kind
              AND CASE WHEN instant IS NULL THEN b.superseded_at IS NULL ELSE b.known_at <= instant AND (b.superseded_at IS NULL OR b.superseded_at > instant) END
            LIMIT 1);
    END LOOP;
    RETURN same;
END $$;

-- The same as before; percentages differ by points, what is outdated is not the latest, and rankings are of one unit.
CREATE OR REPLACE FUNCTION ask_metric_lines(r ask_reading, instant timestamptz, since date, until date) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    company bigint;
    metric text;
    now_adjusted numeric; -- values as adjusted for the splits since
    then_adjusted numeric;
    behind integer;
    n disclosed.metric_number;
    before disclosed.metric_number;
    best disclosed.metric_number;
    all_of disclosed.metric_number[];
    one_year disclosed.ask_reading := r; -- growth over several years: of the last
    year_before disclosed.ask_reading;
    lacking text;
    place integer := 0;
    said text;
    change numeric;
    points text;
    any_adjusted boolean;
BEGIN
    IF r.form = 'growth' AND r.last_year IS NOT NULL THEN
        one_year.year := r.last_year; one_year.last_year := NULL;
    END IF;
    IF r.dimension IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.ask_breakdown_lines(r, r.metrics[1], instant, since, until);
        RETURN;
    END IF;
    IF r.form = 'ranking' THEN
        all_of := ARRAY(SELECT x FROM disclosed.ask_numbers_of(r, ARRAY(SELECT k.issuer_id FROM disclosed.metric_issuer k WHERE k.metric_key = r.metrics[1]),
                                                               r.metrics[1], 0, instant, since, until, 1) x);
        all_of := disclosed.ask_in_one_unit(all_of, instant);
        any_adjusted := EXISTS (SELECT 1 FROM unnest(all_of) x WHERE x.value <> disclosed.ask_adjusted(x, instant));
        FOR n IN SELECT x.* FROM unnest(all_of) x WHERE NOT x.is_suspect
                 ORDER BY CASE WHEN coalesce(r.is_least, false) THEN 1 ELSE -1 END * disclosed.ask_adjusted(x, instant), x.issuer_id LIMIT r.count LOOP
            place := place + 1;
            RETURN NEXT disclosed.ask_point(n, place, CASE WHEN r.count > 1 THEN place || '. ' ELSE '' END || disclosed.ask_company(n.issuer_id)
                || CASE WHEN r.count = 1 THEN ' had the ' || CASE WHEN r.is_least THEN 'lowest ' ELSE 'highest ' END || lower(n.display) || ': ' ELSE ': ' END
                || disclosed.ask_told(n, instant, 2) || ' ' || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ' [1]'
                || CASE WHEN r.count = 1 THEN ', of ' || cardinality(all_of) || ' companies with the number' ELSE '' END
                || CASE WHEN any_adjusted THEN ', adjusted for splits.' ELSE '.' END,
                ARRAY[place || '.', cardinality(all_of) || ' companies']);
            RETURN QUERY SELECT * FROM disclosed.ask_split_points(n, instant, place);
        END LOOP;
        IF place = 0 THEN
            RETURN NEXT ROW(NULL, 'No company has that number for the period.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        END IF;
        RETURN;
    END IF;
    IF coalesce(cardinality(r.companies), 0) = 0 THEN
        RETURN NEXT ROW(NULL, 'The question names no company that is known here.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        RETURN;
    END IF;
    FOREACH metric IN ARRAY r.metrics[1:3] LOOP
        all_of := '{}';
        FOR company, r.part IN SELECT c.company, p.part FROM unnest(r.companies[1:6]) WITH ORDINALITY AS c(company, place)
                               CROSS JOIN unnest(coalesce(r.parts, ARRAY[NULL]::text[])) WITH ORDINALITY AS p(part, place) ORDER BY c.place, p.place LOOP
            one_year.part := r.part;
            IF r.form = 'list' THEN
                SELECT array_agg(x ORDER BY x.end_date) INTO all_of
                FROM disclosed.ask_numbers(r, company, metric, 0, instant, since, until, least(coalesce(r.count, 8), 40)) x;
                IF all_of IS NULL THEN
                    RETURN NEXT ROW(NULL, disclosed.ask_missing(r, company, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                    CONTINUE;
                END IF;
                FOREACH n IN ARRAY all_of LOOP
                    said := CASE WHEN r.part IS NOT NULL THEN disclosed.ask_part_doubts(n, r.part, NULL, metric, instant) END;
                    IF said IS NOT NULL THEN
                        RETURN NEXT ROW(NULL, said, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                        CONTINUE;
                    END IF;
                    place := place + 1;
                    RETURN NEXT disclosed.ask_point(n, place, CASE WHEN r.part IS NOT NULL THEN disclosed.ask_begin(n) || disclosed.ask_told(n, instant, 2) || ' ' || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date)
                        ELSE disclosed.ask_company(company) || ', ' || lower(n.display) || ' ' || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ': '
                             || disclosed.ask_told(n, instant, 2) END || ' [1].', '{}');
                    RETURN QUERY SELECT * FROM disclosed.ask_split_points(n, instant, place);
                END LOOP;
                SELECT string_agg(y::text, ', ' ORDER BY y) INTO lacking
                FROM unnest(coalesce(r.years, CASE WHEN r.last_year < r.year + 40 THEN ARRAY(SELECT generate_series(r.year, r.last_year)) END)) y
                WHERE y <> ALL (ARRAY(SELECT disclosed.ask_year_of(r, x.fiscal, disclosed.calendar_period(x.start_date, x.end_date)) FROM unnest(all_of) x));
                IF lacking IS NOT NULL THEN
                    RETURN NEXT ROW(NULL, 'Of ' || lacking || ': ' || disclosed.ask_missing(r, company, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                END IF;
                CONTINUE;
            END IF;
            SELECT x.* INTO n FROM disclosed.ask_numbers(one_year, company, metric, 0, instant, since, until, 1) x;
            IF n.value IS NULL THEN
                RETURN NEXT ROW(NULL, disclosed.ask_missing(r, company, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                CONTINUE;
            END IF;
            said := coalesce(disclosed.ask_outdated(r, n, instant, until), CASE WHEN r.part IS NOT NULL THEN disclosed.ask_part_doubts(n, r.part, NULL, metric, instant) END);
            IF said IS NOT NULL THEN
                RETURN NEXT ROW(NULL, said, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                CONTINUE;
            END IF;
            IF r.role = 'loss' AND n.value >= 0 THEN
                RETURN NEXT ROW(NULL, disclosed.ask_company(company) || ' had no loss ' || coalesce('of ' || n.member || ' ', '') || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || '.',
                                NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                CONTINUE;
            END IF;
            place := place + 1;
            behind := CASE WHEN r.form = 'growth' THEN 3 ELSE 2 END;
            said := disclosed.ask_begin(n) || disclosed.ask_told(n, instant, behind) || ' '
                 || disclosed.ask_period(n.period_kind, n.fiscal, n.start_date, n.end_date) || ' [1]';
            IF r.form = 'growth' THEN
                year_before := NULL;
                IF r.last_year IS NULL AND (r.part IS NOT NULL OR r.end_date IS NOT NULL) THEN
                    year_before := one_year;
                    year_before.year := NULL; year_before.quarter := NULL; year_before.start_date := NULL;
                    year_before.end_date := coalesce(r.other_end, n.end_date - CASE WHEN r.is_previous AND n.period_kind IN ('quarter', 'instant') THEN 91 ELSE 365 END);
                    year_before.length := n.period_kind; year_before.earlier := greatest(r.earlier, 7);
                END IF;
                IF r.last_year IS NOT NULL THEN
                    one_year.year := r.year;
                    SELECT x.* INTO before FROM disclosed.ask_numbers(one_year, company, metric, 0, instant, since, until, 1) x
                    WHERE x.unit = n.unit AND x.period_kind = n.period_kind;
                    one_year.year := r.last_year;
                ELSIF year_before.end_date IS NOT NULL THEN
                    SELECT x.* INTO before FROM disclosed.ask_numbers(year_before, company, metric, 0, instant, since, until, 1) x WHERE x.unit = n.unit AND x.period_kind = n.period_kind;
                ELSE
                    SELECT b.* INTO before FROM disclosed.metric_number b
                    WHERE b.issuer_id = company AND b.metric_key = metric AND b.period_kind = n.period_kind AND b.unit = n.unit AND b.dataset = n.dataset
                      AND CASE WHEN instant IS NULL THEN b.superseded_at IS NULL ELSE b.known_at <= instant AND (b.superseded_at IS NULL OR b.superseded_at > instant) END
                      AND b.end_date BETWEEN n.end_date - CASE WHEN r.is_previous AND n.period_kind IN ('quarter', 'instant') THEN 100 ELSE 380 END
                                         AND n.end_date - CASE WHEN r.is_previous AND n.period_kind IN ('quarter', 'instant') THEN 80 ELSE 350 END
                    ORDER BY b.known_at DESC LIMIT 1;
                END IF;
                IF r.part IS NOT NULL AND disclosed.ask_part_doubts(before, r.part, NULL, metric, instant) IS NOT NULL THEN
                    RETURN NEXT ROW(NULL, disclosed.ask_part_doubts(before, r.part, NULL, metric, instant), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                    place := place - 1;
                    CONTINUE;
                END IF;
                IF before.value IS NULL THEN
                    RETURN NEXT ROW(NULL, 'There is no number of the period before to compare with: ' || disclosed.ask_missing(CASE WHEN year_before.end_date IS NULL THEN r ELSE year_before END, company, metric, instant),
                                    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
                    CONTINUE;
                END IF;
                now_adjusted := disclosed.ask_adjusted(n, instant);
                then_adjusted := disclosed.ask_adjusted(before, instant);
                behind := behind + (SELECT count(*) FROM disclosed.ask_splits(n, instant))::integer;
                points := disclosed.ask_points(abs(now_adjusted - then_adjusted), n.unit, n.is_percent);
                change := CASE WHEN points IS NULL AND before.value > 0 THEN round((now_adjusted - then_adjusted) / then_adjusted * 100, 1) END;
                RETURN NEXT disclosed.ask_point(n, place, said || ', ' || CASE WHEN now_adjusted = then_adjusted THEN 'as much as '
                        WHEN points !~ '^0 ' THEN CASE WHEN now_adjusted > then_adjusted THEN 'up ' ELSE 'down ' END || points || ' from '
                        WHEN change IS NOT NULL AND abs(change) >= 0.05 THEN CASE WHEN change > 0 THEN 'up ' ELSE 'down ' END || trim_scale(abs(change)) || '% from '
                        WHEN now_adjusted > then_adjusted THEN 'up from ' ELSE 'down from ' END
                    || disclosed.ask_told(before, instant, behind) || ' ' || disclosed.ask_period(before.period_kind, before.fiscal, before.start_date, before.end_date) || ' [2].',
                    ARRAY[coalesce(points, trim_scale(abs(change)) || '%')]);
                RETURN NEXT disclosed.ask_point(before, place, NULL, '{}');
                RETURN QUERY SELECT * FROM disclosed.ask_split_points(n, instant, place);
                RETURN QUERY SELECT * FROM disclosed.ask_split_points(before, instant, place);
                CONTINUE;
            END IF;
            RETURN NEXT disclosed.ask_point(n, place, said || '.', '{}');
            RETURN QUERY SELECT * FROM disclosed.ask_split_points(n, instant, place);
            all_of := all_of || n;
        END LOOP;
        IF r.form = 'comparison' AND cardinality(all_of) > 1 THEN
            IF (SELECT count(DISTINCT x.unit) FROM unnest(all_of) x) > 1 THEN
                CONTINUE; -- currencies are not converted
            END IF;
            SELECT x.* INTO best FROM unnest(all_of) x ORDER BY CASE WHEN r.is_least THEN -1 ELSE 1 END * disclosed.ask_adjusted(x, instant) DESC LIMIT 1;
            SELECT x.* INTO before FROM unnest(all_of) x ORDER BY CASE WHEN r.is_least THEN -1 ELSE 1 END * disclosed.ask_adjusted(x, instant) LIMIT 1;
            now_adjusted := disclosed.ask_adjusted(best, instant);
            then_adjusted := disclosed.ask_adjusted(before, instant);
            said := coalesce(disclosed.ask_points(abs(now_adjusted - then_adjusted), best.unit, best.is_percent),
                             disclosed.ask_number(abs(now_adjusted - then_adjusted), best.unit, best.is_percent))
                 || CASE WHEN now_adjusted <> best.value OR then_adjusted <> before.value THEN ', adjusted for splits,' ELSE '' END;
            place := place + 1;
            RETURN NEXT disclosed.ask_point(best, place, CASE WHEN now_adjusted = then_adjusted THEN 'They are the same [1][2].'
                ELSE CASE WHEN r.is_least THEN 'The lower' ELSE 'The higher' END || ' is that of ' || disclosed.ask_subject(best) || ' [1], by ' || said
                     || CASE WHEN r.is_least THEN ' below that of ' ELSE ' over that of ' END || disclosed.ask_subject(before) || ' [2].' END, ARRAY[said]);
            RETURN NEXT disclosed.ask_point(before, place, NULL, '{}');
        END IF;
    END LOOP;
END $$;

-- The same as before; what is said is made of the rows that are named alone, and holders are sought by the company's listings, from the latest quarter on.
CREATE OR REPLACE FUNCTION ask_topic_lines(r ask_reading, instant timestamptz) RETURNS SETOF ask_line LANGUAGE plpgsql STABLE AS $$
DECLARE
    company bigint;
    place integer := 0;
    found integer;
    has_more boolean; -- than are told of
    at_instant timestamptz := coalesce(instant, now());
    symbols text[] := '{}';  -- of the company's listings: by these its holders are found
    first_period date;       -- the earliest of the five latest holdings that are looked for
    first_day CONSTANT date := CASE WHEN r.year IS NULL THEN '-infinity' WHEN r.year BETWEEN 1 AND 9999 THEN make_date(r.year, 1, 1) ELSE 'infinity' END;
    last_day CONSTANT date := CASE WHEN r.year IS NULL THEN 'infinity' WHEN r.year BETWEEN 1 AND 9999 THEN make_date(r.year, 12, 31) ELSE '-infinity' END;
    l record;
BEGIN
    IF coalesce(cardinality(r.companies), 0) = 0 THEN
        RETURN NEXT ROW(NULL, 'The question names no company that is known here.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        RETURN;
    END IF;
    FOREACH company IN ARRAY r.companies[1:4] LOOP
        found := place;
        has_more := false;
        IF r.form = 'holder' THEN
            symbols := ARRAY(SELECT DISTINCT s.record_key FROM disclosed.listing s WHERE s.issuer_id = company);
            first_period := (
                SELECT min(p.period_of_report)
                FROM (SELECT h.period_of_report
                      FROM unnest(symbols) AS s(symbol) CROSS JOIN LATERAL (
                          SELECT t.period_of_report FROM disclosed.institution_holder t
                          WHERE t.symbol = s.symbol AND t.company_id = company AND t.shares > 0 AND t.period_of_report BETWEEN first_day AND last_day
                            AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                          ORDER BY t.period_of_report DESC, t.id DESC LIMIT 5) h
                      ORDER BY h.period_of_report DESC LIMIT 5) p);
        END IF;
        FOR l IN
            SELECT x.* FROM (
                SELECT 'executive' AS dataset, t.src_digest, t.source_id, t.accession, t.reported_on AS day, NULL::numeric AS value, NULL::text AS unit, NULL::text AS metric_key,
                       t.name || ' is ' || t.role || ' of ' || disclosed.ask_company(company) || ', as reported on ' || disclosed.ask_day(t.reported_on) AS said,
                       ARRAY[t.name, t.role, disclosed.ask_day(t.reported_on)] AS printed, row_number() OVER (ORDER BY t.reported_on DESC, t.name) AS place, 2 AS most
                FROM disclosed.executive t
                WHERE r.form = 'executive' AND t.issuer_id = company AND t.is_current AND t.role ~* ('\m' || r.role)
                  AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                UNION ALL
                SELECT 'short_interest', t.src_digest, t.source_id, t.accession, t.settlement_date, t.current_short_position, 'shares', 'short_interest',
                       'The short interest in ' || disclosed.ask_company(company) || ' was ' || to_char(t.current_short_position, 'FM999,999,999,990') || ' shares on '
                       || disclosed.ask_day(t.settlement_date) || coalesce(', ' || trim_scale(round(t.days_to_cover, 2)) || ' days to cover', ''),
                       ARRAY[to_char(t.current_short_position, 'FM999,999,999,990'), disclosed.ask_day(t.settlement_date), trim_scale(round(t.days_to_cover, 2)) || ' days'],
                       row_number() OVER (ORDER BY t.settlement_date DESC, t.symbol), 1
                FROM (SELECT t.* FROM disclosed.short_interest t
                      WHERE r.form = 'short_interest' AND t.issuer_id = company
                        AND (r.year IS NULL OR extract(year FROM t.settlement_date) = r.year)
                        AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                      ORDER BY t.settlement_date DESC, t.symbol LIMIT 1) t
                UNION ALL
                SELECT 'insider', t.src_digest, t.source_id, t.accession, t.transaction_date, t.value, 'USD', 'insider_' || t.transaction_type,
                       t.insider_name || ' (' || coalesce(t.relationship, 'insider') || ') reported a ' || replace(t.transaction_type, '_', ' ') || ' of '
                       || rtrim(to_char(t.shares, 'FM999,999,999,990.99'), '.') || ' shares of ' || disclosed.ask_company(company) || ' on ' || disclosed.ask_day(t.transaction_date)
                       || coalesce(' at USD ' || trim_scale(round(t.price, 4)), ''),
                       ARRAY[t.insider_name, t.relationship, rtrim(to_char(t.shares, 'FM999,999,999,990.99'), '.'), disclosed.ask_day(t.transaction_date), 'USD ' || trim_scale(round(t.price, 4))],
                       row_number() OVER (ORDER BY t.transaction_date DESC, t.id DESC), 5
                FROM (SELECT t.* FROM disclosed.insider_transaction t
                      WHERE r.form = 'insider' AND t.issuer_id = company AND NOT t.is_derivative AND t.shares IS NOT NULL AND (r.role IS NULL OR t.transaction_type = r.role)
                        AND (r.year IS NULL OR extract(year FROM t.transaction_date) = r.year)
                        AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                      ORDER BY t.transaction_date DESC, t.id DESC LIMIT 5) t
                UNION ALL
                SELECT 'institution_holder', t.src_digest, t.source_id, t.accession, t.period_of_report, t.shares, 'shares', 'institution_shares',
                       disclosed.ask_company(t.issuer_id) || ' held ' || to_char(t.shares, 'FM999,999,999,990') || ' shares of ' || disclosed.ask_company(company) || ' on '
                       || disclosed.ask_day(t.period_of_report) || ', worth ' || disclosed.ask_number(t.value, 'USD', false),
                       ARRAY[to_char(t.shares, 'FM999,999,999,990'), disclosed.ask_day(t.period_of_report), disclosed.ask_number(t.value, 'USD', false), disclosed.ask_company(t.issuer_id)],
                       row_number() OVER (ORDER BY t.period_of_report DESC, t.value DESC, t.id), 5
                FROM (SELECT t.* FROM disclosed.institution_holder t
                      WHERE r.form = 'holder' AND t.symbol = ANY (symbols) AND t.company_id = company AND t.shares > 0
                        AND t.period_of_report BETWEEN first_period AND last_day
                        AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                      ORDER BY t.period_of_report DESC, t.value DESC, t.id LIMIT 5) t
                UNION ALL
                SELECT 'corporate_action', t.src_digest, t.source_id, t.accession, t.action_date, t.amount, c.currency || '_per_share', t.kind,
                       CASE t.kind WHEN 'split' THEN disclosed.ask_company(company) || ' had a stock split of ' || t.split_to || ' for ' || t.split_from || ' on ' || disclosed.ask_day(t.action_date)
                            ELSE disclosed.ask_company(company) || ' had a dividend' || coalesce(' of ' || c.currency || ' ' || trim_scale(t.amount) || ' per share' || coalesce(nullif(disclosed.amount_reservation(disclosed.amount_basis_of(t.amount_basis, t.split_after)), '') || ',', ''), '') || ' with the ex-dividend date '
                                 || disclosed.ask_day(coalesce(t.ex_dividend_date, t.action_date)) || coalesce(', paid on ' || disclosed.ask_day(t.payment_date), '') END,
                       ARRAY[t.split_to || ' for ' || t.split_from, disclosed.ask_day(t.action_date), c.currency || ' ' || trim_scale(t.amount),
                             disclosed.ask_day(t.ex_dividend_date), disclosed.ask_day(t.payment_date)],
                       row_number() OVER (ORDER BY t.action_date DESC, t.id), r.count + 1
                FROM (SELECT t.* FROM disclosed.corporate_action t
                      WHERE r.form IN ('split', 'dividend') AND t.kind = r.form AND t.issuer_id = company AND (t.kind <> 'split' OR t.split_from > 0)
                        AND (r.year IS NULL OR extract(year FROM CASE r.role WHEN 'payment' THEN coalesce(t.payment_date, t.action_date) WHEN 'declaration' THEN coalesce(t.declaration_date, t.action_date)
                                                                 ELSE t.action_date END) = r.year)
                        AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                      ORDER BY t.action_date DESC, t.id LIMIT r.count + 1) t
                CROSS JOIN LATERAL (SELECT coalesce(t.currency, disclosed.currency_of_market(t.symbol)) AS currency) c
                UNION ALL
                SELECT 'event', t.src_digest, t.source_id, t.accession, t.event_at::date, NULL, NULL, NULL,
                       CASE WHEN t.event_at > at_instant THEN 'The next ' ELSE 'The last ' END
                       || CASE t.type WHEN 'agm' THEN 'annual meeting' WHEN 'investor_day' THEN 'investor day' ELSE 'earnings date' END || ' of ' || disclosed.ask_company(company)
                       || coalesce(' (' || t.fiscal_period || ')', '') || CASE WHEN t.event_at > at_instant THEN ' is ' ELSE ' was ' END
                       || disclosed.ask_day((t.event_at AT TIME ZONE 'UTC')::date) || CASE WHEN t.date_status = 'estimated' THEN ', which is an estimate' ELSE '' END,
                       ARRAY[t.fiscal_period, disclosed.ask_day((t.event_at AT TIME ZONE 'UTC')::date)],
                       row_number() OVER (ORDER BY abs(extract(epoch FROM t.event_at - at_instant)), t.id), 1
                FROM (SELECT t.* FROM disclosed.event t
                      WHERE r.form = 'event' AND t.issuer_id = company AND t.type = r.role
                        AND (r.year IS NULL AND (t.event_at > at_instant) = NOT coalesce(r.is_previous OR r.is_latest AND false, false)
                             OR r.quarter IS NOT NULL AND t.fiscal_period = 'Q' || r.quarter || ' FY' || r.year
                             OR r.quarter IS NULL AND r.year IS NOT NULL AND extract(year FROM t.event_at) = r.year)
                        AND CASE WHEN instant IS NULL THEN t.superseded_at IS NULL ELSE t.known_at <= instant AND (t.superseded_at IS NULL OR t.superseded_at > instant) END
                      ORDER BY abs(extract(epoch FROM t.event_at - at_instant)), t.id LIMIT 1) t) x
            WHERE x.place <= x.most ORDER BY x.place
        LOOP
            IF place - found >= r.count THEN
                has_more := true;
                CONTINUE;
            END IF;
            place := place + 1;
            RETURN NEXT ROW(place, l.said || ' [1].', l.dataset, disclosed.ask_src_id(l.dataset, l.src_digest),
                            (SELECT i.symbol FROM disclosed.issuer i WHERE i.issuer_id = company), l.metric_key,
                            json_build_object('calendar', NULL, 'fiscal', NULL, 'start_date', NULL, 'end_date', l.day, 'kind', 'instant'), l.value,
                            CASE WHEN l.value IS NOT NULL THEN l.unit END, disclosed.ask_source_url(l.source_id, l.accession, company),
                            array_remove(l.printed || disclosed.ask_company(company), NULL), 'high')::disclosed.ask_line;
        END LOOP;
        IF has_more AND NOT r.is_latest THEN
            RETURN NEXT ROW(NULL, 'More of ' || disclosed.ask_company(company) || ' are stored; named are the latest.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        END IF;
        IF place = found THEN
            RETURN NEXT ROW(NULL, 'Nothing of that kind is stored about ' || disclosed.ask_company(company) || coalesce(' of ' || r.year, '') || '.', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::disclosed.ask_line;
        END IF;
    END LOOP;
END $$;

-- The same as before; what is amended is looked up, and not sought among all rows of its company.
CREATE OR REPLACE FUNCTION reconcile_insiders(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    dataset_table text;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.insider_transaction WHERE issuer_id = ANY (issuers) AND form LIKE '%/A'
                   UNION ALL
                   SELECT 1 FROM disclosed.insider_holding WHERE issuer_id = ANY (issuers) AND form LIKE '%/A')
    THEN
        RETURN;
    END IF;
    FOREACH dataset_table IN ARRAY ARRAY['insider_transaction', 'insider_holding'] LOOP
        EXECUTE format($sql$
            WITH amendment AS MATERIALIZED (SELECT * FROM disclosed.insider_amendments($1)),
            -- Rows of the original by the day of its filing, and those of earlier amendments among the amendments: never all of the company's.
            amended AS MATERIALIZED (
                SELECT issuer_id, row_id, min(amended_at) AS amended_at
                FROM (SELECT a.issuer_id, t.row_id, a.known_at AS amended_at
                      FROM amendment a CROSS JOIN LATERAL (
                          SELECT o.row_id FROM disclosed.%1$I o
                          WHERE o.issuer_id = a.issuer_id AND o.filing_date = a.original_filing_date AND o.owner_cik = a.owner_cik
                            AND o.period_of_report IS NOT DISTINCT FROM a.period_of_report AND o.form = a.amended_form OFFSET 0) t
                      UNION ALL
                      SELECT a.issuer_id, t.row_id, a.known_at
                      FROM amendment a JOIN (SELECT o.issuer_id, o.row_id, o.owner_cik, o.period_of_report, o.form, o.original_filing_date, o.filing_date, o.known_at,
                                                    disclosed.form_of_row(o.accession, o.record_key) AS amending
                                             FROM disclosed.%1$I o WHERE o.issuer_id = ANY ($1) AND o.form LIKE '%%/A' OFFSET 0) t
                        ON t.issuer_id = a.issuer_id AND t.owner_cik = a.owner_cik AND t.form = a.amended_form || '/A'
                       AND coalesce(t.period_of_report, '-infinity') = coalesce(a.period_of_report, '-infinity')
                       AND a.original_filing_date IN (t.original_filing_date, t.filing_date) AND (t.known_at, t.amending) < (a.known_at, a.amending)) x
                GROUP BY 1, 2),
            owner AS MATERIALIZED ( -- whose amendments may have said otherwise before
                SELECT issuer_id, owner_cik FROM disclosed.insider_transaction WHERE issuer_id = ANY ($1) AND form LIKE '%%/A'
                UNION
                SELECT issuer_id, owner_cik FROM disclosed.insider_holding WHERE issuer_id = ANY ($1) AND form LIKE '%%/A'),
            ending AS (
                SELECT t.issuer_id, t.row_id, least(c.amended_at, n.next_at) AS ends_at
                FROM (SELECT issuer_id, row_id, min(amended_at) AS amended_at
                      FROM (SELECT issuer_id, row_id, amended_at FROM amended
                            UNION ALL
                            SELECT t.issuer_id, t.row_id, NULL FROM disclosed.%1$I t
                            WHERE t.issuer_id = ANY ($1) AND t.superseded_at IS NOT NULL
                              AND (t.issuer_id, t.owner_cik) IN (SELECT o.issuer_id, o.owner_cik FROM owner o)) x
                      GROUP BY 1, 2) c
                JOIN disclosed.%1$I t USING (issuer_id, row_id)
                CROSS JOIN LATERAL (
                    SELECT min(n.known_at) AS next_at FROM disclosed.%1$I n
                    WHERE n.issuer_id = t.issuer_id AND disclosed.key_hash(n.record_key) = disclosed.key_hash(t.record_key)
                      AND n.record_key = t.record_key AND (n.superseded_at IS NULL OR n.superseded_at IS NOT NULL)
                      AND (n.known_at, n.row_id) > (t.known_at, t.row_id) AND n.left_out IS NULL) n
                WHERE t.superseded_at IS DISTINCT FROM t.known_at
                   OR NOT disclosed.form_row_is_void('%1$s', t.issuer_id, t.row_id, t.record_key, t.known_at, t.left_out))
            UPDATE disclosed.%1$I t SET superseded_at = CASE WHEN e.ends_at < t.known_at THEN t.known_at ELSE e.ends_at END
            FROM ending e
            WHERE t.issuer_id = e.issuer_id AND t.row_id = e.row_id
              AND t.superseded_at IS DISTINCT FROM CASE WHEN e.ends_at < t.known_at THEN t.known_at ELSE e.ends_at END
        $sql$, dataset_table) USING issuers;
    END LOOP;
END $$;

-- The same as before; new rows are looked up, however many rows their companies have.
CREATE OR REPLACE FUNCTION announce_rows(of_topic text, of_issuers bigint[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    of_table text := CASE of_topic WHEN 'insider_transaction.reported' THEN 'insider_transaction'
                                   WHEN 'institution_report.filed' THEN 'institution_report'
                                   WHEN 'short_interest.published' THEN 'short_interest'
                                   WHEN 'event.created' THEN 'event'
                                   WHEN 'corporate_action.created' THEN 'corporate_action'
                                   WHEN 'transcript.published' THEN 'transcript' END;
BEGIN
    IF webhooks_are_wanted(of_topic) THEN
        EXECUTE format($sql$
            INSERT INTO webhook_event (topic, subject, issuers)
            SELECT $1, w.id::text, array_agg(DISTINCT w.issuer_id)
            FROM unnest($2) AS i(issuer_id)
            CROSS JOIN LATERAL (
                SELECT coalesce((SELECT t.row_id FROM %1$I t WHERE t.issuer_id = i.issuer_id AND t.recorded_at <> now()
                                 ORDER BY t.row_id DESC LIMIT 1), 0) AS row_id OFFSET 0) b
            CROSS JOIN LATERAL (
                SELECT x.id, x.issuer_id, x.record_key, x.known_at, x.superseded_at
                FROM %1$I x WHERE x.issuer_id = i.issuer_id AND x.row_id > b.row_id OFFSET 0) w
            CROSS JOIN LATERAL (
                SELECT EXISTS (SELECT 1 FROM %1$I o WHERE %2$s AND o.id = w.id AND o.recorded_at <> now()) AS is_older OFFSET 0) o
            WHERE NOT o.is_older
            GROUP BY w.id
            HAVING bool_or(w.superseded_at IS NULL) AND is_webhook_news(min(w.known_at))
            ON CONFLICT (topic, subject) DO NOTHING$sql$, of_table,
            -- Of these an event may have been another issuer's before, and both are found by their ids.
            CASE WHEN of_table IN ('event', 'transcript') THEN 'true'
                 ELSE 'o.issuer_id = w.issuer_id AND key_hash(o.record_key) = key_hash(w.record_key)'
                      ' AND (o.superseded_at IS NULL OR o.superseded_at IS NOT NULL)' END)
        USING of_topic, of_issuers;
    END IF;
END $$;

CALL derive_all_fundamentals();
