-- Loads of facts take less of PostgreSQL's time again: what they store is the same.

SET LOCAL search_path = disclosed, public;

-- The same as before, written into the queries that ask for it: what it yields is not kept in between. What it joins is planned apart from them.
DROP FUNCTION number_facts;
CREATE FUNCTION number_facts(issuers bigint[], of_sets boolean)
RETURNS TABLE (issuer_id bigint, unit text, row_id bigint, accession_number bigint, known_at timestamptz, superseded_at timestamptz, source_id integer,
    metric_id smallint, rank smallint, start_date date, end_date date, value numeric)
LANGUAGE sql STABLE AS $$
    SELECT e.issuer_id, e.unit, e.row_id, e.accession_number, e.known_at, e.superseded_at, e.source_id, m.metric_id, m.rank,
           nullif(e.starts, '')::date, e.ends::date, CASE WHEN m.sign = 1 THEN e.amount::numeric ELSE - e.amount::numeric END
    FROM (SELECT r.issuer_id, r.row_id, replace(r.accession, '-', '')::bigint AS accession_number, r.known_at, r.superseded_at, r.source_id, d.template_slug,
                 unnest(r.concepts) AS concept, unnest(r.units) AS unit, unnest(r.start_dates) AS starts, unnest(r.end_dates) AS ends,
                 unnest(r.amounts) AS amount, unnest(r.dimensions) AS dimension
          FROM disclosed.xbrl_report r
          LEFT JOIN disclosed.issuer_template d ON d.issuer_id = r.issuer_id AND d.issuer_id = ANY (issuers)
          WHERE r.issuer_id = ANY (issuers) AND (r.told_by = 'data_set') = of_sets
            AND r.row_id IN (SELECT s.row_id FROM disclosed.number_reports(issuers) s)) e
    JOIN disclosed.number_elements() m ON m.concept = e.concept AND m.is_instant = (e.starts = '')
    WHERE CASE WHEN e.dimension IS NULL THEN true ELSE e.dimension = '' END AND (e.template_slug IS NULL OR e.template_slug <> ALL (m.not_for))
    OFFSET 0
$$;

-- What the reports of these issuers say of metrics. All that it joins are rows of these issuers, once each.
CREATE FUNCTION add_reported_numbers(issuers bigint[], of_sets boolean) RETURNS void LANGUAGE plpgsql
SET work_mem = '64MB' SET enable_nestloop = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO pg_temp.number_candidate (period, known_at, superseded_at, accession, source_id, start_date, precedence, stage, is_suspect, value, reports)
    SELECT disclosed.number_period(o.owner, e.metric_id, disclosed.kind_code(e.start_date, e.end_date), e.end_date), e.known_at, e.superseded_at,
           e.accession_number, e.source_id, e.start_date, e.rank, 0, false, e.value, ARRAY[e.row_id]
    FROM disclosed.number_facts(issuers, false) e JOIN pg_temp.number_owner o USING (issuer_id, unit)
    WHERE disclosed.kind_code(e.start_date, e.end_date) IS NOT NULL;
    IF of_sets THEN
        INSERT INTO pg_temp.number_candidate (period, known_at, superseded_at, accession, source_id, start_date, precedence, stage, is_suspect, value, reports)
        SELECT disclosed.number_period(o.owner, e.metric_id, disclosed.kind_code(w.start_date, w.end_date), w.end_date), e.known_at, e.superseded_at,
               e.accession_number, e.source_id, w.start_date, e.rank, 0, false, e.value, ARRAY[e.row_id]
        FROM disclosed.number_facts(issuers, true) e JOIN pg_temp.number_owner o USING (issuer_id, unit)
        LEFT JOIN pg_temp.number_own_period p ON p.issuer_id = e.issuer_id AND p.rounded_end = e.end_date
                                             AND p.quarters = disclosed.quarters_in(e.start_date, e.end_date)
        CROSS JOIN LATERAL (SELECT CASE WHEN p.end_date IS NULL THEN e.start_date ELSE p.start_date END AS start_date,
                                   coalesce(p.end_date, e.end_date) AS end_date) w
        WHERE disclosed.kind_code(w.start_date, w.end_date) IS NOT NULL;
    END IF;
END $$;

-- Facts that are of a metric, and the ends of fiscal years that annual reports tell. Of a filing those of the report that is taken; numbers
-- of proxy statements, and of parts of a company, are none of them. A data set's rounded period is the issuer's own that rounds to it,
-- where another filing names one.
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

    INSERT INTO pg_temp.number_year
    SELECT r.issuer_id, r.known_at, n.year_end, r.fiscal_year
    FROM (SELECT reports[1] AS row_id, max(disclosed.period_end(period)) AS year_end
          FROM pg_temp.number_candidate WHERE disclosed.period_kind(period) = 5 GROUP BY 1) n
    JOIN disclosed.xbrl_report r ON r.issuer_id = ANY (issuers) AND r.row_id = n.row_id
    WHERE r.fiscal_period = 'FY' AND r.fiscal_year IS NOT NULL;
END $$;

-- Makes versions of the candidates of a stage and of all others for the same metrics and periods: at each instant the one that is
-- not suspect, of the best element, of the newest filing. What repeats the value makes no version; of another filing, or by
-- another rule, it verifies it. Nearly all periods have one value, of which the first candidate is the version, unless one by another rule is
-- better and known later.
CREATE OR REPLACE FUNCTION resolve_numbers(of_stage integer) RETURNS void LANGUAGE plpgsql
SET work_mem = '64MB' SET enable_nestloop = off SET default_statistics_target = 10 AS $$
BEGIN
    IF of_stage > 0 THEN
        DELETE FROM pg_temp.number_version v USING pg_temp.number_candidate n WHERE n.stage = of_stage AND v.period = n.period;
    END IF;
    INSERT INTO pg_temp.number_version
    WITH candidate AS MATERIALIZED (
        SELECT n.*, n.precedence + CASE WHEN n.is_suspect THEN 10000 ELSE 0 END AS rank FROM pg_temp.number_candidate n
        WHERE of_stage = 0 OR n.period IN (SELECT s.period FROM pg_temp.number_candidate s WHERE s.stage = of_stage)),
    -- Of each period the first candidate, which is alone at place 1.
    first AS MATERIALIZED (
        SELECT r.period, min(r.known_at) FILTER (WHERE r.place = 1) AS known_at, min(r.accession) FILTER (WHERE r.place = 1) AS accession,
               min(r.source_id) FILTER (WHERE r.place = 1) AS source_id, min(r.start_date) FILTER (WHERE r.place = 1) AS start_date,
               min(r.precedence) FILTER (WHERE r.place = 1) AS precedence, min(r.rule) FILTER (WHERE r.place = 1) AS rule,
               bool_or(r.is_suspect) FILTER (WHERE r.place = 1) AS is_suspect, min(r.value) FILTER (WHERE r.place = 1) AS value,
               min(r.reports) FILTER (WHERE r.place = 1) AS reports, min(r.ends) FILTER (WHERE r.place = 1) AS ends,
               min(r.known_at) FILTER (WHERE r.accession <> r.first_accession OR r.rule IS NOT NULL) AS verified_at,
               bool_and(r.value = r.first_value AND r.superseded_at IS NULL)
                   AND (count(r.rule) = 0 OR min(r.rank) = min(r.rank) FILTER (WHERE r.place = 1)) AS is_plain
        FROM (SELECT c.*, row_number() OVER w AS place, first_value(c.accession) OVER w AS first_accession, first_value(c.value) OVER w AS first_value
              FROM candidate c
              WINDOW w AS (PARTITION BY c.period ORDER BY c.known_at, c.rank, c.accession DESC, c.start_date DESC, c.value)) r
        GROUP BY r.period),
    hard AS MATERIALIZED (SELECT c.* FROM candidate c WHERE c.period IN (SELECT f.period FROM first f WHERE NOT f.is_plain)),
    instant AS (
        SELECT period, known_at AS at FROM hard
        UNION
        SELECT period, superseded_at FROM hard WHERE superseded_at IS NOT NULL),
    chosen AS (
        SELECT DISTINCT ON (period, i.at)
               period, i.at, n.start_date, n.value, n.is_suspect, n.precedence, n.accession, n.source_id, n.rule, n.reports, n.ends
        FROM instant i
        LEFT JOIN hard n USING (period)
        WHERE n.known_at <= i.at AND (n.superseded_at IS NULL OR n.superseded_at > i.at)
        ORDER BY period, i.at, n.is_suspect, n.precedence, n.known_at DESC, n.accession DESC, n.start_date DESC, n.value),
    -- An instant at which nothing is left ends the version before it.
    said AS (
        SELECT i.period, i.at, c.start_date, c.value, c.is_suspect, c.precedence, c.accession, c.source_id, c.rule, c.reports, c.ends,
               lag(c.value) OVER w AS value_before, lag(c.rule) OVER w AS rule_before, row_number() OVER w AS place
        FROM instant i LEFT JOIN chosen c USING (period, at)
        WINDOW w AS (PARTITION BY i.period ORDER BY i.at)),
    version AS (
        SELECT *, lead(at) OVER w AS next_at,
               count(*) FILTER (WHERE value IS NOT NULL AND value IS DISTINCT FROM value_before) OVER w AS values_so_far
        FROM said
        WHERE place = 1 OR value IS DISTINCT FROM value_before OR rule IS DISTINCT FROM rule_before
        WINDOW w AS (PARTITION BY period ORDER BY at)),
    agreed AS (
        SELECT v.period, v.at, min(greatest(v.at, n.known_at)) AS verified_at
        FROM version v JOIN hard n USING (period)
        WHERE v.rule IS NULL AND n.value = v.value AND (n.accession <> v.accession OR n.rule IS NOT NULL)
          AND (v.next_at IS NULL OR n.known_at < v.next_at)
        GROUP BY 1, 2)
    SELECT period, known_at, NULL, CASE WHEN rule IS NULL THEN verified_at END, accession, source_id, start_date, precedence, rule, is_suspect, false,
           value, reports, ends
    FROM first WHERE is_plain
    UNION ALL
    SELECT period, at, next_at, a.verified_at, accession, source_id, start_date, precedence, rule, is_suspect, values_so_far > 1, value, reports, ends
    FROM version LEFT JOIN agreed a USING (period, at)
    WHERE value IS NOT NULL;
    ANALYZE pg_temp.number_version (period);
END $$;

-- What is to be stored, in pg_temp.number_wanted: the versions, with the fiscal periods that their issuers' years say. number_record has the
-- digest of each record.
CREATE OR REPLACE FUNCTION want_numbers(issuers bigint[]) RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
BEGIN
    INSERT INTO pg_temp.number_record
    SELECT v.period, o.issuer_id, o.unit, m.metric_id, disclosed.period_kind(v.period), disclosed.period_end(v.period),
           encode(substr(sha256(convert_to(o.begins || m.metric_key || '/' || to_char(disclosed.period_end(v.period)::timestamp, 'YYYY-MM-DD') || '/'
                                           || disclosed.kind_name(disclosed.period_kind(v.period)) || '/' || o.unit, 'UTF8')), 1, 16), 'hex')::uuid
    FROM (SELECT DISTINCT period FROM pg_temp.number_version WHERE disclosed.period_kind(period) IN (1, 2, 5, 6)) v
    JOIN (SELECT n.*, E'fundamental\nsec\n' || coalesce(i.cik, i.issuer_id) || E'\n' AS begins
          FROM pg_temp.number_owner n JOIN disclosed.issuer i USING (issuer_id)) o ON o.owner = disclosed.period_owner(v.period)
    JOIN disclosed.canonical_metric m ON m.metric_id = disclosed.period_metric(v.period);
    ANALYZE pg_temp.number_record (period);

    -- The year whose end is nearest, one that ends later before one that ends earlier, as known first.
    INSERT INTO pg_temp.number_fiscal
    SELECT n.issuer_id, n.end_date, n.known_at, disclosed.fiscal_period_after('annual', n.days, n.quarters, n.fiscal_year),
           disclosed.fiscal_period_after('quarter', n.days, n.quarters, n.fiscal_year)
    FROM (SELECT DISTINCT ON (d.issuer_id, d.end_date, d.known_at) d.issuer_id, d.end_date, d.known_at, y.fiscal_year, d.end_date - y.year_end AS days,
                 round((d.end_date - y.year_end) / 91.3125)::integer AS quarters
          FROM (SELECT DISTINCT o.issuer_id, disclosed.period_end(v.period) AS end_date, v.known_at
                FROM pg_temp.number_version v JOIN pg_temp.number_owner o ON o.owner = disclosed.period_owner(v.period)
                WHERE disclosed.period_kind(v.period) IN (1, 2, 5, 6)) d
          JOIN pg_temp.number_year y ON y.issuer_id = d.issuer_id AND y.known_at <= d.known_at
          ORDER BY d.issuer_id, d.end_date, d.known_at, y.year_end < d.end_date, abs(y.year_end - d.end_date), y.known_at, y.fiscal_year) n;

    -- Only differences have two reports.
    INSERT INTO pg_temp.number_input
    SELECT v.period, v.known_at, array_agg(r.src_digest ORDER BY p.place)
    FROM pg_temp.number_version v CROSS JOIN LATERAL unnest(v.reports) WITH ORDINALITY AS p(row_id, place)
    JOIN disclosed.xbrl_report r ON r.issuer_id = ANY (issuers) AND r.row_id = p.row_id
    WHERE v.rule = 1 GROUP BY 1, 2
    UNION ALL
    SELECT v.period, v.known_at, array_agg(q.src_digest ORDER BY e.place)
    FROM pg_temp.number_version v CROSS JOIN LATERAL unnest(v.ends) WITH ORDINALITY AS e(day, place)
    JOIN pg_temp.number_record q ON q.period = disclosed.other_period(v.period, 2::smallint, e.day)
    WHERE v.rule = 2 GROUP BY 1, 2;
    -- Plans that do not know how few these are sort the versions for them.
    ANALYZE pg_temp.number_fiscal (issuer_id, end_date, known_at);
    ANALYZE pg_temp.number_input (period, known_at);

    INSERT INTO pg_temp.number_wanted
    SELECT v.period, r.issuer_id, v.known_at, v.superseded_at, v.verified_at, v.accession, v.source_id, r.end_date, v.start_date, r.metric_id, r.kind,
           CASE WHEN v.rule IS NULL THEN v.precedence END, v.rule, v.is_suspect, v.is_restated, r.unit, v.value,
           CASE WHEN r.kind = 5 THEN y.of_year ELSE y.of_quarter END, n.digests
    FROM pg_temp.number_version v
    JOIN pg_temp.number_record r USING (period)
    LEFT JOIN pg_temp.number_fiscal y ON y.issuer_id = r.issuer_id AND y.end_date = r.end_date AND y.known_at = v.known_at
    LEFT JOIN pg_temp.number_input n ON n.period = v.period AND n.known_at = v.known_at;
    ANALYZE pg_temp.number_wanted (period, issuer_id);
END $$;

-- Makes the stored versions those of pg_temp.number_wanted. Returns the issuers whose numbers have changed.
CREATE OR REPLACE FUNCTION store_numbers(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' AS $$
BEGIN
    RETURN QUERY
        DELETE FROM disclosed.metric_value t
        WHERE t.issuer_id = ANY (issuers)
          AND NOT EXISTS (SELECT 1 FROM pg_temp.number_wanted w
                          WHERE (w.issuer_id, w.metric_id, w.end_date, w.kind, w.unit, w.known_at)
                              = (t.issuer_id, t.metric_id, t.end_date, t.kind, t.unit, t.known_at))
        RETURNING t.issuer_id;
    RETURN QUERY
        UPDATE disclosed.metric_value t
        SET (superseded_at, source_id, accession_number, start_date, is_suspect, is_restated, verified_at, fiscal, value, concept_rank,
             rule, inputs)
          = (w.superseded_at, w.source_id, w.accession, w.start_date, w.is_suspect, w.is_restated, w.verified_at, w.fiscal, w.value,
             w.concept_rank, w.rule, w.inputs)
        FROM pg_temp.number_wanted w
        WHERE t.issuer_id = ANY (issuers) AND (w.issuer_id, w.metric_id, w.end_date, w.kind, w.unit, w.known_at)
                                            = (t.issuer_id, t.metric_id, t.end_date, t.kind, t.unit, t.known_at)
          AND (t.superseded_at, t.source_id, t.accession_number, t.start_date, t.is_suspect, t.is_restated, t.verified_at, t.fiscal,
               t.value, t.concept_rank, t.rule, t.inputs) IS DISTINCT FROM
              (w.superseded_at, w.source_id, w.accession, w.start_date, w.is_suspect, w.is_restated, w.verified_at, w.fiscal,
               w.value, w.concept_rank, w.rule, w.inputs)
        RETURNING t.issuer_id;
    RETURN QUERY
        WITH stored AS MATERIALIZED (
            SELECT t.issuer_id, t.metric_id, t.end_date, t.kind, t.unit, t.known_at, t.id
            FROM disclosed.metric_value t WHERE t.issuer_id = ANY (issuers)),
        -- Records are numbered so that those of one day are listed by the names of their metrics, as lists begin with the latest.
        record AS MATERIALIZED (
            SELECT k.period, coalesce(k.id, nextval('disclosed.record_id')) AS id, k.src_digest
            FROM (SELECT r.period, s.id, r.src_digest
                  FROM pg_temp.number_record r
                  LEFT JOIN (SELECT DISTINCT issuer_id, metric_id, end_date, kind, unit, id FROM stored) s
                    ON (s.issuer_id, s.metric_id, s.end_date, s.kind, s.unit) = (r.issuer_id, r.metric_id, r.end_date, r.kind, r.unit)
                  ORDER BY r.period DESC) k)
        INSERT INTO disclosed.metric_value (id, issuer_id, known_at, accession_number, superseded_at, verified_at, source_id, end_date, start_date, metric_id, kind,
            concept_rank, rule, is_suspect, is_restated, src_digest, unit, value, fiscal, inputs)
        SELECT r.id, w.issuer_id, w.known_at, w.accession, w.superseded_at, w.verified_at, w.source_id, w.end_date, w.start_date, w.metric_id, w.kind,
               w.concept_rank, w.rule, w.is_suspect, w.is_restated, r.src_digest, w.unit, w.value, w.fiscal, w.inputs
        FROM pg_temp.number_wanted w JOIN record r USING (period)
        WHERE NOT EXISTS (SELECT 1 FROM stored t
                          WHERE (t.issuer_id, t.metric_id, t.end_date, t.kind, t.unit, t.known_at)
                              = (w.issuer_id, w.metric_id, w.end_date, w.kind, w.unit, w.known_at))
        -- The order of the key, so that its index fills its pages: metric, last day and kind as one integer.
        ORDER BY w.issuer_id, (((w.period >> 25) & 2047) << 25) | ((w.period & 4194303) << 3) | ((w.period >> 22) & 7), w.unit, w.known_at
        RETURNING issuer_id;
END $$;

-- ------------------------------------------------------------------- facts

-- Storing by LZ4 takes a sixth of the time that pglz takes. What is stored stays as it is. Numbers and dates stay with pglz, which makes much less of them.
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)) THEN
        ALTER TABLE disclosed.xbrl_report ALTER concepts SET COMPRESSION lz4, ALTER units SET COMPRESSION lz4;
    END IF;
END $$;
