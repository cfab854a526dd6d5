-- Numbers under one name for all companies: what filings report, and what follows from it, in versions.

SET LOCAL search_path = disclosed, public;

CREATE TABLE fundamental (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    start_date  date,
    end_date    date NOT NULL,
    is_suspect  boolean NOT NULL,
    is_restated boolean NOT NULL,
    verified_at timestamptz,
    metric_key  text NOT NULL,
    unit        text NOT NULL,
    period_kind text NOT NULL CHECK (period_kind IN ('instant', 'quarter', 'annual', 'ttm')),
    fiscal      text,
    value       numeric NOT NULL,
    concept_rank smallint,
    rule        text CHECK (rule IN ('difference', 'four_quarters', 'formula')),
    inputs      uuid[],
    CHECK ((rule IS NULL) = (concept_rank IS NOT NULL) AND (rule IS NULL OR rule = 'formula') = (inputs IS NULL))
);
CALL finish_dataset_table('fundamental');
COMMENT ON TABLE fundamental IS 'a metric of a company and period, in versions: reported, or derived by a rule';
COMMENT ON COLUMN fundamental.concept_rank IS 'which element of canonical_concept was taken; NULL: derived';
COMMENT ON COLUMN fundamental.rule IS 'difference: a longer period less its beginning; four_quarters: their sum; formula: of other metrics';
COMMENT ON COLUMN fundamental.inputs IS
    'src_digest of what it is derived from: the reports of a longer period and of its beginning, or four quarters; formulas tell theirs';
COMMENT ON COLUMN fundamental.unit IS 'as filed; of a ratio that of its terms';
COMMENT ON COLUMN fundamental.verified_at IS 'since when a second filing or the formula says the same';
COMMENT ON COLUMN fundamental.is_suspect IS 'about a thousand or a million times what was reported of the periods before';
COMMENT ON COLUMN fundamental.is_restated IS 'an earlier version had another value';
-- list_fundamentals
CREATE INDEX fundamental_issuer_end ON fundamental (issuer_id, end_date, id);
-- list_metric_values
CREATE INDEX fundamental_metric_end ON fundamental (metric_key, end_date, id);

-- Who has numbers of a metric, and since when that is known.
CREATE TABLE metric_issuer (
    metric_key  text NOT NULL,
    issuer_id   bigint NOT NULL REFERENCES issuer,
    known_at    timestamptz NOT NULL,
    latest      numeric,
    PRIMARY KEY (metric_key, issuer_id)
);
COMMENT ON COLUMN metric_issuer.latest IS 'the value of the latest year or instant: companies of like size are told by it';
-- Companies of an industry
CREATE INDEX issuer_profile_sic ON issuer_profile (sic) WHERE superseded_at IS NULL;
CREATE INDEX metric_issuer_issuer ON metric_issuer (issuer_id);

-- The template of the industry by which a company's numbers have been chosen.
CREATE TABLE issuer_template (
    issuer_id   bigint PRIMARY KEY REFERENCES issuer,
    template_slug text
);
GRANT SELECT ON metric_issuer, issuer_template TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON metric_issuer, issuer_template TO disclosed_loader;

-- ---------------------------------------------------------------------- rules

-- Whether the one is about a thousand or a million times the other.
CREATE FUNCTION is_off_scale(amount numeric, other numeric) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT amount <> 0 AND other <> 0 AND
           (abs(amount) BETWEEN abs(other) * 500 AND abs(other) * 2000
            OR abs(other) BETWEEN abs(amount) * 500 AND abs(amount) * 2000
            OR abs(amount) BETWEEN abs(other) * 500000 AND abs(other) * 2000000
            OR abs(other) BETWEEN abs(amount) * 500000 AND abs(amount) * 2000000)
$$;

-- The same as before, in a form that is written into the queries that call it.
CREATE OR REPLACE FUNCTION period_kind(start_date date, end_date date) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN start_date IS NULL THEN 'instant'
                WHEN end_date - start_date BETWEEN 27 AND 30 THEN 'month'
                WHEN end_date - start_date BETWEEN 60 AND 120 THEN 'quarter'
                WHEN end_date - start_date BETWEEN 151 AND 211 THEN 'half'
                WHEN end_date - start_date BETWEEN 243 AND 303 THEN 'ytd'
                WHEN end_date - start_date BETWEEN 334 AND 394 THEN 'annual'
                ELSE 'other' END
$$;

-- The fiscal period that ends so many quarters of 91 days (13 or 14 weeks) after the end of a fiscal year. NULL where none ends
-- within 20 days of it.
CREATE FUNCTION fiscal_period_after(period_kind text, days integer, quarters integer, fiscal_year bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN abs(days - quarters * 91.3125) > 20 OR (period_kind = 'annual' AND quarters % 4 <> 0) THEN NULL
                WHEN period_kind = 'annual' THEN 'FY' || fiscal_year + quarters / 4
                ELSE 'Q' || (quarters + 399) % 4 + 1 || ' FY' || fiscal_year + ceil(quarters / 4.0)::bigint END
$$;

-- Calendar periods as they are stored: 2024-Q1 is 2024Q1.
CREATE FUNCTION calendar_names(periods text[]) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT ARRAY(SELECT upper(replace(p, '-', '')) FROM unnest(periods) AS p) $$;

-- The metrics of the dictionary with a name like this, the likest first: words that are in it, then words that are spelled alike.
CREATE FUNCTION metrics_named(query text) RETURNS TABLE (place bigint, metric_key text, display text, definition text, unit text, basis text,
    category text, aliases text[], status text, higher_is_better boolean, decimal_places smallint)
LANGUAGE sql STABLE SET pg_trgm.word_similarity_threshold = 0.4 AS $$
    SELECT row_number() OVER (ORDER BY lower(q.text) = ANY (m.aliases || m.metric_key || lower(m.display)) DESC,
                                        public.word_similarity(q.text, t.text) DESC, length(m.metric_key), m.metric_key),
           m.metric_key, m.display, m.definition, m.unit, m.basis, m.category, m.aliases, m.status, m.higher_is_better, m.decimal_places
    FROM (SELECT translate(lower(query), '_', ' ') AS text) q
    CROSS JOIN disclosed.canonical_metric m
    CROSS JOIN LATERAL (SELECT disclosed.canonical_text(m.metric_key, m.display, m.aliases) AS text) t
    WHERE q.text OPERATOR(public.<%) t.text
$$;

-- What a metric is computed of: "operating_cash_flow - capital_expenditure", "gross_profit / revenue".
CREATE FUNCTION formula_text(of_metric text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT string_agg(CASE WHEN place = 1 AND weight > 0 THEN '' WHEN kind = 'ratio' THEN ' / ' WHEN weight < 0 THEN ' - ' ELSE ' + ' END
                      || CASE WHEN abs(weight) = 1 THEN '' ELSE trim_scale(abs(weight)) || ' * ' END || term, '' ORDER BY place)
    FROM disclosed.canonical_formula WHERE metric_key = of_metric
$$;

-- The template of a company's industry, by its SIC code.
CREATE FUNCTION industry_of(sic text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT d.template_slug FROM disclosed.industry_template d
    WHERE CASE WHEN sic ~ '^[0-9]{3,4}$' THEN sic::integer BETWEEN d.sic_from AND d.sic_to END
$$;

-- The record key of a metric and period, and the digest in its src_id.
CREATE FUNCTION number_key(metric_key text, unit text, period_kind text, end_date date) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT metric_key || '/' || to_char(end_date, 'YYYY-MM-DD') || '/' || period_kind || '/' || unit $$;

CREATE FUNCTION number_digest(identity bigint, metric_key text, unit text, period_kind text, end_date date) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT disclosed.source_digest('fundamental', 'sec', identity, disclosed.number_key(metric_key, unit, period_kind, end_date)) $$;

-- The src_ids of what a number is derived from, as a JSON array. `identity` is the company's CIK.
CREATE FUNCTION number_inputs(identity bigint, metric_key text, unit text, period_kind text, end_date date, rule text, inputs uuid[])
RETURNS json LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN rule = 'formula' THEN (
               SELECT json_agg('src_fundamental_' || replace(disclosed.number_digest(identity, f.term, unit, period_kind, end_date)::text, '-', '')
                               ORDER BY f.place)
               FROM disclosed.canonical_formula f WHERE f.metric_key = number_inputs.metric_key)
           ELSE (SELECT json_agg(CASE WHEN rule = 'difference' THEN 'src_xbrl_report_' ELSE 'src_fundamental_' END
                                 || replace(i.digest::text, '-', '') ORDER BY i.place)
                 FROM unnest(inputs) WITH ORDINALITY AS i(digest, place)) END
$$;

-- ---------------------------------------------------------------------- numbers

CREATE FUNCTION open_number_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.number_version') IS NULL THEN
        -- What may be the value of a metric while it is known and until something else is said of it.
        CREATE TEMP TABLE number_candidate (
            issuer_id bigint, metric_key text, unit text, period_kind text, end_date date, start_date date, value numeric,
            is_suspect boolean, precedence integer, known_at timestamptz, superseded_at timestamptz, accession text,
            source_id integer, report_digest uuid, concept text, rule text, inputs uuid[], stage integer) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE number_version (LIKE pg_temp.number_candidate) ON COMMIT DELETE ROWS;
        ALTER TABLE pg_temp.number_version ADD COLUMN is_restated boolean, ADD COLUMN verified_at timestamptz;
        -- What is being put together of versions of several metrics or periods.
        CREATE TEMP TABLE number_sum (
            issuer_id bigint, metric_key text, unit text, period_kind text, end_date date, start_date date, value numeric,
            is_suspect boolean, known_at timestamptz, superseded_at timestamptz, accession text, source_id integer, ends date[],
            place integer, latest timestamptz) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE number_year (
            issuer_id bigint, known_at timestamptz, year_end date, fiscal_year bigint) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.number_candidate;
    DELETE FROM pg_temp.number_version;
    DELETE FROM pg_temp.number_sum;
    DELETE FROM pg_temp.number_year;
END $$;

-- Facts that are of a metric, and the ends of fiscal years that annual reports tell. Numbers of proxy statements are none of them.
CREATE FUNCTION find_reported_numbers(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO disclosed.issuer_template
    SELECT i.issuer_id, disclosed.industry_of(p.sic)
    FROM (SELECT DISTINCT unnest(issuers) AS issuer_id) i
    LEFT JOIN disclosed.issuer_profile p ON p.issuer_id = i.issuer_id AND p.superseded_at IS NULL
    WHERE EXISTS (SELECT 1 FROM disclosed.xbrl_report r WHERE r.issuer_id = i.issuer_id)
    ON CONFLICT (issuer_id) DO UPDATE SET template_slug = excluded.template_slug
    WHERE issuer_template.template_slug IS DISTINCT FROM excluded.template_slug;
    INSERT INTO pg_temp.number_candidate
    SELECT r.issuer_id, m.metric_key, e.unit, k.kind, w.end_date, w.start_date, e.amount::numeric * m.sign, false, m.rank,
           r.known_at, r.superseded_at, r.accession, r.source_id, r.src_digest, e.concept, NULL, NULL, 0
    FROM disclosed.xbrl_report r
    CROSS JOIN LATERAL unnest(r.concepts, r.units, r.start_dates, r.end_dates, r.amounts) AS e(concept, unit, starts, ends, amount)
    LEFT JOIN disclosed.issuer_template d ON d.issuer_id = r.issuer_id
    JOIN disclosed.canonical_concept m ON m.concept = e.concept AND (d.template_slug IS NULL OR d.template_slug <> ALL (m.not_for))
    JOIN disclosed.canonical_metric c ON c.metric_key = m.metric_key AND (c.basis = 'instant') = (e.starts = '')
    CROSS JOIN LATERAL (SELECT nullif(e.starts, '')::date AS start_date, e.ends::date AS end_date) w
    CROSS JOIN LATERAL (SELECT disclosed.period_kind(w.start_date, w.end_date) AS kind) k
    WHERE r.issuer_id = ANY (issuers) AND r.superseded_at IS DISTINCT FROM r.known_at
      AND k.kind IN ('instant', 'quarter', 'half', 'ytd', 'annual') AND r.form !~ '^(DEF|PRE).*14';
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

-- Makes versions of the candidates of a stage and of all others for the same metrics and periods: at each instant the one that is
-- not suspect, of the best element, of the newest filing. What repeats the value makes no version; of another filing, or by
-- another rule, it verifies it.
CREATE FUNCTION resolve_numbers(of_stage integer) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' SET enable_nestloop = off AS $$
BEGIN
    DELETE FROM pg_temp.number_version v USING pg_temp.number_candidate n
    WHERE n.stage = of_stage
      AND (v.issuer_id, v.metric_key, v.unit, v.period_kind, v.end_date) = (n.issuer_id, n.metric_key, n.unit, n.period_kind, n.end_date);
    INSERT INTO pg_temp.number_version
    WITH period AS (
        SELECT DISTINCT issuer_id, metric_key, unit, period_kind, end_date FROM pg_temp.number_candidate WHERE stage = of_stage),
    candidate AS MATERIALIZED (
        SELECT n.* FROM pg_temp.number_candidate n JOIN period USING (issuer_id, metric_key, unit, period_kind, end_date)),
    instant AS (
        SELECT issuer_id, metric_key, unit, period_kind, end_date, known_at AS at FROM candidate
        UNION
        SELECT issuer_id, metric_key, unit, period_kind, end_date, superseded_at FROM candidate WHERE superseded_at IS NOT NULL),
    chosen AS (
        SELECT DISTINCT ON (issuer_id, metric_key, unit, period_kind, end_date, i.at)
               issuer_id, metric_key, unit, period_kind, end_date, i.at, n.start_date, n.value, n.is_suspect, n.precedence,
               n.accession, n.source_id, n.report_digest, n.concept, n.rule, n.inputs
        FROM instant i
        LEFT JOIN candidate n USING (issuer_id, metric_key, unit, period_kind, end_date)
        WHERE n.known_at <= i.at AND (n.superseded_at IS NULL OR n.superseded_at > i.at)
        ORDER BY issuer_id, metric_key, unit, period_kind, end_date, i.at, n.is_suspect, n.precedence, n.known_at DESC, n.accession DESC,
                 n.start_date DESC, n.value),
    -- An instant at which nothing is left ends the version before it.
    told AS (
        SELECT i.issuer_id, i.metric_key, i.unit, i.period_kind, i.end_date, i.at, c.start_date, c.value, c.is_suspect, c.precedence,
               c.accession, c.source_id, c.report_digest, c.concept, c.rule, c.inputs,
               lag(c.value) OVER w AS value_before, lag(c.rule) OVER w AS rule_before,
               row_number() OVER w AS place
        FROM instant i LEFT JOIN chosen c USING (issuer_id, metric_key, unit, period_kind, end_date, at)
        WINDOW w AS (PARTITION BY i.issuer_id, i.metric_key, i.unit, i.period_kind, i.end_date ORDER BY i.at)),
    version AS (
        SELECT *, lead(at) OVER w AS next_at,
               count(*) FILTER (WHERE value IS NOT NULL AND value IS DISTINCT FROM value_before) OVER w AS values_so_far
        FROM told
        WHERE place = 1 OR value IS DISTINCT FROM value_before OR rule IS DISTINCT FROM rule_before
        WINDOW w AS (PARTITION BY issuer_id, metric_key, unit, period_kind, end_date ORDER BY at)),
    agreed AS (
        SELECT v.issuer_id, v.metric_key, v.unit, v.period_kind, v.end_date, v.at, min(greatest(v.at, n.known_at)) AS verified_at
        FROM version v JOIN candidate n USING (issuer_id, metric_key, unit, period_kind, end_date)
        WHERE v.rule IS NULL AND n.value = v.value AND (n.accession <> v.accession OR n.rule IS NOT NULL)
          AND (v.next_at IS NULL OR n.known_at < v.next_at)
        GROUP BY 1, 2, 3, 4, 5, 6)
    SELECT issuer_id, metric_key, unit, period_kind, end_date, start_date, value, is_suspect, precedence, at, next_at, accession,
           source_id, report_digest, concept, rule, inputs, of_stage, values_so_far > 1, a.verified_at
    FROM version LEFT JOIN agreed a USING (issuer_id, metric_key, unit, period_kind, end_date, at)
    WHERE value IS NOT NULL;
    ANALYZE pg_temp.number_version;
END $$;

-- ------------------------------------------------------------------- what follows

-- A quarter that is not reported alone: the year, nine or six months less those before it that begin on the same day. Both of the
-- same element, and both as first reported or both restated, so that no presentation is mixed with another.
CREATE FUNCTION add_number_differences() RETURNS void LANGUAGE plpgsql SET enable_nestloop = off SET work_mem = '64MB' AS $$
BEGIN
    INSERT INTO pg_temp.number_candidate
    SELECT a.issuer_id, a.metric_key, a.unit, 'quarter', a.end_date, b.end_date + 1, a.value - b.value, a.is_suspect OR b.is_suspect,
           1000, l.known_at, l.until, n.accession, n.source_id, NULL, NULL, 'difference', ARRAY[a.report_digest, b.report_digest], 1
    FROM pg_temp.number_version a
    JOIN disclosed.canonical_metric c ON c.metric_key = a.metric_key AND c.additive
    JOIN pg_temp.number_version b
      ON (b.issuer_id, b.metric_key, b.unit, b.start_date, b.concept, b.is_restated)
       = (a.issuer_id, a.metric_key, a.unit, a.start_date, a.concept, a.is_restated)
    CROSS JOIN LATERAL (SELECT greatest(a.known_at, b.known_at) AS known_at, least(a.superseded_at, b.superseded_at) AS until) l
    CROSS JOIN LATERAL (SELECT a.accession, a.source_id WHERE a.known_at >= b.known_at
                        UNION ALL SELECT b.accession, b.source_id WHERE a.known_at < b.known_at) n
    WHERE a.period_kind IN ('half', 'ytd', 'annual') AND b.period_kind IN ('quarter', 'half', 'ytd') AND b.end_date < a.end_date
      AND disclosed.period_kind(b.end_date + 1, a.end_date) = 'quarter' AND (l.until IS NULL OR l.known_at < l.until);
END $$;

-- Four quarters that follow each other, where no fiscal year ends with them: joins the one before to what has been put together so
-- far, for the time that both are in force. `place` is the number of quarters, and ten more where they are restated.
CREATE FUNCTION add_number_years() RETURNS void LANGUAGE plpgsql SET enable_nestloop = off SET work_mem = '64MB' AS $$
BEGIN
    DELETE FROM pg_temp.number_sum;
    INSERT INTO pg_temp.number_sum
    SELECT v.issuer_id, v.metric_key, v.unit, 'ttm', v.end_date, v.start_date, v.value, v.is_suspect, v.known_at, v.superseded_at,
           v.accession, v.source_id, ARRAY[v.end_date], CASE WHEN v.is_restated THEN 11 ELSE 1 END, v.known_at
    FROM pg_temp.number_version v JOIN disclosed.canonical_metric c ON c.metric_key = v.metric_key AND c.additive
    WHERE v.period_kind = 'quarter'
      AND NOT EXISTS (SELECT 1 FROM pg_temp.number_version y
                      WHERE (y.issuer_id, y.metric_key, y.unit, y.period_kind, y.end_date)
                          = (v.issuer_id, v.metric_key, v.unit, 'annual', v.end_date));
    FOR before IN 1..3 LOOP
        ANALYZE pg_temp.number_sum;
        INSERT INTO pg_temp.number_sum
        SELECT s.issuer_id, s.metric_key, s.unit, s.period_kind, s.end_date, v.start_date, s.value + v.value, s.is_suspect OR v.is_suspect,
               l.known_at, l.until, CASE WHEN v.known_at > s.latest THEN v.accession ELSE s.accession END,
               CASE WHEN v.known_at > s.latest THEN v.source_id ELSE s.source_id END, s.ends || v.end_date,
               s.place + 1,
               greatest(s.latest, v.known_at)
        FROM pg_temp.number_sum s
        JOIN pg_temp.number_version v
          ON (v.issuer_id, v.metric_key, v.unit, v.period_kind, v.end_date) = (s.issuer_id, s.metric_key, s.unit, 'quarter', s.start_date - 1)
         AND v.is_restated = (s.place > 10)
        CROSS JOIN LATERAL (SELECT greatest(s.known_at, v.known_at) AS known_at, least(s.superseded_at, v.superseded_at) AS until) l
        WHERE s.place % 10 = before AND (l.until IS NULL OR l.known_at < l.until);
    END LOOP;
    INSERT INTO pg_temp.number_candidate
    SELECT issuer_id, metric_key, unit, period_kind, end_date, start_date, value, is_suspect, 1001, known_at, superseded_at, accession,
           source_id, NULL, NULL, 'four_quarters',
           ARRAY(SELECT disclosed.number_digest(coalesce(i.cik, i.issuer_id), metric_key, unit, 'quarter', d) FROM unnest(ends) AS d), 2
    FROM pg_temp.number_sum JOIN disclosed.issuer i USING (issuer_id)
    WHERE place % 10 = 4 AND disclosed.period_kind(start_date, end_date) = 'annual';
END $$;

-- What formulas of this depth make of metrics of one period and currency: sums of the terms times their weights, or the first
-- divided by the second.
CREATE FUNCTION add_number_formulas(of_depth integer, of_stage integer) RETURNS void LANGUAGE plpgsql SET enable_nestloop = off SET work_mem = '64MB' AS $$
DECLARE
    terms integer := (SELECT max(place) FROM disclosed.canonical_formula);
BEGIN
    DELETE FROM pg_temp.number_sum;
    INSERT INTO pg_temp.number_sum
    SELECT v.issuer_id, f.metric_key, v.unit, v.period_kind, v.end_date, v.start_date, v.value * f.weight, v.is_suspect, v.known_at,
           v.superseded_at, v.accession, v.source_id, NULL, 1, v.known_at
    FROM disclosed.canonical_depth l JOIN disclosed.canonical_formula f USING (metric_key)
    JOIN pg_temp.number_version v ON v.metric_key = f.term
    WHERE l.depth = of_depth AND f.place = 1 AND v.period_kind IN ('instant', 'quarter', 'annual', 'ttm');
    FOR before IN 1..terms - 1 LOOP
        ANALYZE pg_temp.number_sum;
        INSERT INTO pg_temp.number_sum
        SELECT s.issuer_id, s.metric_key, s.unit, s.period_kind, s.end_date, s.start_date,
               CASE WHEN f.kind = 'sum' THEN s.value + v.value * f.weight
                    WHEN v.value <> 0 THEN round(s.value / v.value, c.decimal_places) END,
               s.is_suspect OR v.is_suspect, l.known_at, l.until, CASE WHEN v.known_at > s.latest THEN v.accession ELSE s.accession END,
               CASE WHEN v.known_at > s.latest THEN v.source_id ELSE s.source_id END, NULL,
               s.place + 1,
               greatest(s.latest, v.known_at)
        FROM pg_temp.number_sum s
        JOIN disclosed.canonical_formula f ON f.metric_key = s.metric_key AND f.place = s.place + 1
        JOIN disclosed.canonical_metric c ON c.metric_key = s.metric_key
        JOIN pg_temp.number_version v
          ON (v.issuer_id, v.metric_key, v.unit, v.period_kind, v.end_date) = (s.issuer_id, f.term, s.unit, s.period_kind, s.end_date)
         AND v.start_date IS NOT DISTINCT FROM s.start_date
        CROSS JOIN LATERAL (SELECT greatest(s.known_at, v.known_at) AS known_at, least(s.superseded_at, v.superseded_at) AS until) l
        WHERE s.place = before AND (l.until IS NULL OR l.known_at < l.until);
    END LOOP;
    INSERT INTO pg_temp.number_candidate
    SELECT s.issuer_id, s.metric_key, s.unit, s.period_kind, s.end_date, s.start_date,
           s.value, s.is_suspect, 1002, s.known_at, s.superseded_at, s.accession, s.source_id, NULL, NULL, 'formula', NULL, of_stage
    FROM pg_temp.number_sum s
    JOIN (SELECT metric_key, max(kind) AS kind, max(place) AS places FROM disclosed.canonical_formula GROUP BY 1) f
      ON f.metric_key = s.metric_key AND f.places = s.place
    WHERE s.value IS NOT NULL;
END $$;

-- ---------------------------------------------------------------------- storing

-- Makes the stored versions those of pg_temp.number_version. Returns the issuers whose numbers have changed.
CREATE FUNCTION store_numbers(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql SET enable_nestloop = off SET work_mem = '64MB' AS $$
BEGIN
    IF to_regclass('pg_temp.number_wanted') IS NULL THEN
        CREATE TEMP TABLE number_wanted ON COMMIT DELETE ROWS AS SELECT * FROM disclosed.fundamental WITH NO DATA;
    END IF;
    DELETE FROM pg_temp.number_wanted;
    INSERT INTO pg_temp.number_wanted (issuer_id, record_key, known_at, superseded_at, source_id, accession, start_date, end_date,
        is_suspect, is_restated, verified_at, metric_key, unit, period_kind, fiscal, value, concept_rank, rule, inputs)
    SELECT v.issuer_id, disclosed.number_key(v.metric_key, v.unit, v.period_kind, v.end_date), v.known_at, v.superseded_at, v.source_id,
           v.accession, v.start_date, v.end_date, v.is_suspect, v.is_restated, v.verified_at, v.metric_key, v.unit, v.period_kind,
           disclosed.fiscal_period_after(v.period_kind, v.end_date - y.year_end, round((v.end_date - y.year_end) / 91.3125)::integer,
                                         y.fiscal_year), v.value,
           CASE WHEN v.rule IS NULL THEN v.precedence END, v.rule, v.inputs
    FROM pg_temp.number_version v
    LEFT JOIN LATERAL (
        SELECT y.year_end, y.fiscal_year FROM pg_temp.number_year y
        WHERE y.issuer_id = v.issuer_id AND y.known_at <= v.known_at
        ORDER BY y.year_end < v.end_date, abs(y.year_end - v.end_date), y.known_at, y.fiscal_year LIMIT 1) y ON true
    WHERE v.period_kind IN ('instant', 'quarter', 'annual', 'ttm');
    ANALYZE pg_temp.number_wanted;
    RETURN QUERY
        DELETE FROM disclosed.fundamental t
        WHERE t.issuer_id = ANY (issuers)
          AND NOT EXISTS (SELECT 1 FROM pg_temp.number_wanted w
                          WHERE w.issuer_id = t.issuer_id AND w.record_key = t.record_key AND w.known_at = t.known_at)
        RETURNING t.issuer_id;
    -- One version of a record is current, so those that end are closed before one is opened.
    FOR opening IN 0..1 LOOP
        RETURN QUERY
            UPDATE disclosed.fundamental t
            SET (superseded_at, source_id, accession, start_date, is_suspect, is_restated, verified_at, fiscal, value, concept_rank,
                 rule, inputs)
              = (w.superseded_at, w.source_id, w.accession, w.start_date, w.is_suspect, w.is_restated, w.verified_at, w.fiscal, w.value,
                 w.concept_rank, w.rule, w.inputs)
            FROM pg_temp.number_wanted w
            WHERE t.issuer_id = w.issuer_id AND t.record_key = w.record_key AND t.known_at = w.known_at
              AND (w.superseded_at IS NULL)::integer = opening
              AND (t.superseded_at, t.source_id, t.accession, t.start_date, t.is_suspect, t.is_restated, t.verified_at, t.fiscal, t.value,
                   t.concept_rank, t.rule, t.inputs) IS DISTINCT FROM
                  (w.superseded_at, w.source_id, w.accession, w.start_date, w.is_suspect, w.is_restated, w.verified_at, w.fiscal, w.value,
                   w.concept_rank, w.rule, w.inputs)
            RETURNING t.issuer_id;
    END LOOP;
    RETURN QUERY
        WITH fresh AS MATERIALIZED (
            SELECT w.* FROM pg_temp.number_wanted w
            WHERE NOT EXISTS (SELECT 1 FROM disclosed.fundamental t
                              WHERE t.issuer_id = w.issuer_id AND disclosed.key_hash(t.record_key) = disclosed.key_hash(w.record_key)
                                AND (t.superseded_at IS NULL OR t.superseded_at IS NOT NULL)
                                AND t.record_key = w.record_key AND t.known_at = w.known_at)),
        record AS MATERIALIZED (
            SELECT k.issuer_id, k.record_key, k.metric_key, k.unit, k.period_kind, k.end_date,
                   coalesce((SELECT min(t.id) FROM disclosed.fundamental t
                             WHERE t.issuer_id = k.issuer_id AND disclosed.key_hash(t.record_key) = disclosed.key_hash(k.record_key)
                               AND (t.superseded_at IS NULL OR t.superseded_at IS NOT NULL)
                               AND t.record_key = k.record_key), nextval('disclosed.record_id')) AS id
            FROM (SELECT DISTINCT issuer_id, record_key, metric_key, unit, period_kind, end_date FROM fresh) k)
        INSERT INTO disclosed.fundamental (id, issuer_id, record_key, known_at, superseded_at, src_digest, source_id, accession,
            start_date, end_date, is_suspect, is_restated, verified_at, metric_key, unit, period_kind, fiscal, value, concept_rank, rule,
            inputs)
        SELECT r.id, w.issuer_id, w.record_key, w.known_at, w.superseded_at,
               disclosed.source_digest('fundamental', 'sec', coalesce(i.cik, i.issuer_id), w.record_key), w.source_id, w.accession,
               w.start_date, w.end_date, w.is_suspect, w.is_restated, w.verified_at, w.metric_key, w.unit, w.period_kind, w.fiscal, w.value,
               w.concept_rank, w.rule, w.inputs
        FROM fresh w JOIN record r USING (issuer_id, record_key) JOIN disclosed.issuer i USING (issuer_id)
        ORDER BY w.issuer_id, w.end_date, r.id, w.known_at
        RETURNING issuer_id;
END $$;

-- Makes the numbers of these companies anew from what their filings report. Returns those whose numbers have changed.
CREATE FUNCTION derive_fundamentals(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    deepest integer := (SELECT coalesce(max(depth), 0) FROM disclosed.canonical_depth);
BEGIN
    IF coalesce(cardinality(issuers), 0) = 0 THEN
        RETURN;
    END IF;
    PERFORM disclosed.open_number_tables();
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
END $$;

-- Companies have been told of: the numbers of those whose industry is another one now are chosen anew.
CREATE FUNCTION follow_industries(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    SELECT disclosed.derive_fundamentals(ARRAY(
        SELECT t.issuer_id FROM disclosed.issuer_template t
        LEFT JOIN disclosed.issuer_profile p ON p.issuer_id = t.issuer_id AND p.superseded_at IS NULL
        WHERE t.issuer_id = ANY (issuers) AND t.template_slug IS DISTINCT FROM disclosed.industry_of(p.sic)))
$$;
