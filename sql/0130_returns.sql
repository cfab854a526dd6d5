-- Ratios of an amount of twelve months to the average of a balance: return on equity, return on assets. Room for them: four quarters are named by their
-- days, which are one integer, and no longer by their digests.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------- the metrics

INSERT INTO canonical_metric (metric_key, display, definition, unit, basis, category, higher_is_better, decimal_places, aliases, additive, template_slug) VALUES
    ('return_on_equity', 'Return on equity',
     'Net income of a fiscal year, or of twelve months, divided by the average of stockholders'' equity at its beginning and at its end; none if that average is '
     'not positive.', 'ratio', 'duration', 'ratio', true, 4,
     '{roe,return on average equity,return on stockholders equity,return on shareholders equity}', false, 'ratios'),
    ('return_on_assets', 'Return on assets',
     'Net income of a fiscal year, or of twelve months, divided by the average of total assets at its beginning and at its end.', 'ratio', 'duration', 'ratio',
     true, 4, '{roa,return on average assets,return on total assets}', false, 'ratios');
INSERT INTO template_metric (template_slug, place, metric_key)
SELECT 'ratios', l.last + n.place, n.metric_key
FROM (SELECT max(place) AS last FROM template_metric WHERE template_slug = 'ratios') l
CROSS JOIN (VALUES (1, 'return_on_equity'), (2, 'return_on_assets')) AS n(place, metric_key);

CREATE TABLE canonical_average_ratio (
    metric_key text PRIMARY KEY REFERENCES canonical_metric,
    amount     text NOT NULL REFERENCES canonical_metric,
    balance    text NOT NULL REFERENCES canonical_metric
);
COMMENT ON TABLE canonical_average_ratio IS 'metrics that are an amount of twelve months divided by the average of a balance at their beginning and at their end';
COMMENT ON COLUMN canonical_average_ratio.balance IS 'its opening balance is that of the day before the first; there is no value where the average is not positive';
INSERT INTO canonical_average_ratio VALUES
    ('return_on_equity', 'net_income', 'stockholders_equity'), ('return_on_assets', 'net_income', 'assets');

CREATE OR REPLACE VIEW canonical_term AS
SELECT 'formula' AS rule, metric_key, kind, place, term, weight, NULL::text AS balance FROM canonical_formula
UNION ALL SELECT 'remainder', metric_key, 'sum', place, term, weight, NULL FROM canonical_remainder
UNION ALL SELECT 'formula', f.metric_key, 'average_ratio', t.place, t.term, 1, t.balance
FROM canonical_average_ratio f
CROSS JOIN LATERAL (VALUES (1::smallint, f.amount, NULL), (2::smallint, f.balance, 'opening'), (3::smallint, f.balance, 'closing')) AS t(place, term, balance);
GRANT SELECT ON canonical_average_ratio TO disclosed_api, disclosed_loader;

-- What a metric is computed of: "operating_cash_flow - capital_expenditure", "gross_profit / revenue", "net_income / average(assets)".
CREATE OR REPLACE FUNCTION formula_text(of_metric text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT string_agg(CASE WHEN place = 1 AND weight > 0 THEN '' WHEN kind = 'ratio' THEN ' / ' WHEN weight < 0 THEN ' - ' ELSE ' + ' END
                      || CASE WHEN abs(weight) = 1 THEN '' ELSE trim_scale(abs(weight)) || ' * ' END || term, '' ORDER BY place)
    FROM disclosed.canonical_formula WHERE metric_key = of_metric
    HAVING count(*) > 0
    UNION ALL
    SELECT amount || ' / average(' || balance || ')' FROM disclosed.canonical_average_ratio WHERE metric_key = of_metric
$$;

ALTER TABLE canonical_metric ADD COLUMN term_balances text[];
COMMENT ON COLUMN canonical_metric.term_balances IS
    'of each term that is a balance at an end of the metric''s period: opening, of the day before it, or closing, of its last day. NULL: all are of the period itself. By note_lines()';

-- For migrations that change canonical_concept, canonical_formula or canonical_average_ratio.
CREATE OR REPLACE PROCEDURE note_lines() LANGUAGE sql AS $$
    UPDATE disclosed.canonical_metric m SET concepts = n.concepts, terms = f.terms, term_balances = f.balances, formula = n.formula
    FROM (SELECT a.metric_key,
                 (SELECT array_agg(c.concept ORDER BY c.rank) FROM disclosed.canonical_concept c WHERE c.metric_key = a.metric_key) AS concepts,
                 disclosed.formula_text(a.metric_key) AS formula
          FROM disclosed.canonical_metric a) n
    LEFT JOIN (SELECT t.metric_key, array_agg(o.metric_id ORDER BY t.place) AS terms,
                      CASE WHEN count(t.balance) > 0 THEN array_agg(t.balance ORDER BY t.place) END AS balances
               FROM disclosed.canonical_term t JOIN disclosed.canonical_metric o ON o.metric_key = t.term
               WHERE t.rule = 'formula' GROUP BY t.metric_key) f USING (metric_key)
    WHERE n.metric_key = m.metric_key
      AND (m.concepts, m.terms, m.term_balances, m.formula) IS DISTINCT FROM (n.concepts, f.terms, f.balances, n.formula)
$$;
CALL note_lines();

-- ------------------------------------------------------------------- four quarters

-- How many days before the last day of four quarters, the latest first, the three others end: nine bits each.
CREATE FUNCTION earlier_quarters(ends date[]) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT ((ends[1] - ends[2]) << 18) | ((ends[1] - ends[3]) << 9) | (ends[1] - ends[4]) $$;

CREATE FUNCTION quarter_ends(end_date date, earlier_quarters integer) RETURNS date[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ARRAY[end_date, end_date - (earlier_quarters >> 18), end_date - ((earlier_quarters >> 9) & 511), end_date - (earlier_quarters & 511)]
$$;

ALTER TABLE metric_value ADD COLUMN earlier_quarters integer, ALTER earlier_quarters SET STATISTICS 0, DROP CONSTRAINT metric_value_check;
COMMENT ON COLUMN metric_value.earlier_quarters IS 'of four quarters: where the three before the last one end, as quarter_ends() reads it';
COMMENT ON COLUMN metric_value.inputs IS
    'src_digest of what it is derived from: the reports of a longer period and of its beginning, or the lines of a remainder; others tell theirs';

CREATE OR REPLACE VIEW fundamental AS
SELECT v.id, v.issuer_id, (SELECT m.metric_key FROM canonical_metric m WHERE m.metric_id = v.metric_id) || '/' || to_char(v.end_date, 'YYYY-MM-DD') || '/'
           || kind_name(v.kind) || '/' || v.unit AS record_key,
       v.known_at, v.superseded_at, v.recorded_at, v.src_digest, accession_name(v.accession_number) AS accession, NULL::text AS quote, v.source_id,
       v.start_date, v.end_date, v.is_suspect, v.is_restated, v.verified_at,
       (SELECT m.metric_key FROM canonical_metric m WHERE m.metric_id = v.metric_id) AS metric_key, v.metric_id, v.unit,
       kind_name(v.kind) AS period_kind, v.kind,
       v.fiscal, v.value, v.concept_rank, rule_name(v.rule) AS rule,
       CASE WHEN v.rule = 2 THEN ARRAY(
           SELECT (SELECT q.src_digest FROM metric_value q
                   WHERE (q.issuer_id, q.metric_id, q.end_date, q.kind, q.unit) = (v.issuer_id, v.metric_id, e.day, 2::smallint, v.unit) LIMIT 1)
           FROM unnest(quarter_ends(v.end_date, v.earlier_quarters)) AS e(day))
           ELSE v.inputs END AS inputs
FROM metric_value v;

CREATE OR REPLACE FUNCTION open_number_tables() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.number_candidate') IS NULL THEN
        CREATE TEMP TABLE number_owner (owner integer, issuer_id bigint, unit text) ON COMMIT DELETE ROWS;
        -- What may be the value of a metric while it is known and until something else is said of it. `reports` are rows of xbrl_report.
        CREATE TEMP TABLE number_candidate (
            period bigint, stage smallint, rule smallint, precedence smallint, known_at timestamptz, superseded_at timestamptz, accession bigint,
            source_id integer, start_date date, is_suspect boolean, value numeric, reports bigint[], ends date[]) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE number_version (
            period bigint, known_at timestamptz, superseded_at timestamptz, verified_at timestamptz, accession bigint, source_id integer, start_date date,
            precedence smallint, rule smallint, is_suspect boolean, is_restated boolean, value numeric, reports bigint[], ends date[])
            ON COMMIT DELETE ROWS;
        -- What is being put together of versions of several metrics or periods.
        CREATE TEMP TABLE number_sum (
            period bigint, known_at timestamptz, superseded_at timestamptz, latest timestamptz, accession bigint, source_id integer, start_date date,
            place smallint, is_suspect boolean, value numeric, ends date[]) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE number_year (issuer_id bigint, known_at timestamptz, year_end date, fiscal_year bigint) ON COMMIT DELETE ROWS;
        -- The issuers' own periods by what data sets round them to.
        CREATE TEMP TABLE number_own_period (issuer_id bigint, rounded_end date, quarters integer, start_date date, end_date date) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE number_record (
            period bigint, issuer_id bigint, unit text, metric_id smallint, kind smallint, end_date date, src_digest uuid) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE number_wanted (
            period bigint, issuer_id bigint, known_at timestamptz, superseded_at timestamptz, verified_at timestamptz, accession bigint, source_id integer,
            end_date date, start_date date, metric_id smallint, kind smallint, concept_rank smallint, rule smallint,
            is_suspect boolean, is_restated boolean, unit text, value numeric, fiscal text, inputs uuid[], earlier_quarters integer)
            ON COMMIT DELETE ROWS;
    END IF;
    IF to_regclass('pg_temp.number_input') IS NULL THEN
        CREATE TEMP TABLE number_input (period bigint, known_at timestamptz, digests uuid[]) ON COMMIT DELETE ROWS;
    END IF;
    IF to_regclass('pg_temp.number_label') IS NULL THEN
        -- What the years, or the quarters, that end on a day are called from `since` until `until`; NULL: always.
        CREATE TEMP TABLE number_label (issuer_id bigint, end_date date, is_year boolean, since timestamptz, until timestamptz, fiscal text) ON COMMIT DELETE ROWS;
        -- Versions of one ratio of a company and period in several units; `number` is the metric, kind and last day of their periods.
        CREATE TEMP TABLE number_rival (LIKE pg_temp.number_version, place bigint, issuer_id bigint, owner integer, unit text, number bigint) ON COMMIT DELETE ROWS;
    END IF;
    IF to_regclass('pg_temp.number_remainder') IS NULL THEN
        CREATE TEMP TABLE number_remainder (period bigint, known_at timestamptz, terms smallint[]) ON COMMIT DELETE ROWS;
    END IF;
    -- Of a connection that has been open since before this migration.
    IF NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'pg_temp.number_wanted'::regclass AND attname = 'earlier_quarters') THEN
        ALTER TABLE pg_temp.number_wanted ADD COLUMN earlier_quarters integer;
    END IF;
    TRUNCATE pg_temp.number_owner, pg_temp.number_candidate, pg_temp.number_version, pg_temp.number_sum, pg_temp.number_year, pg_temp.number_own_period,
             pg_temp.number_record, pg_temp.number_label, pg_temp.number_rival, pg_temp.number_input, pg_temp.number_remainder, pg_temp.number_wanted;
END $$;


-- Four quarters are named by their last days.
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

    PERFORM disclosed.find_fiscal_labels();

    -- Only differences have two reports.
    INSERT INTO pg_temp.number_input
    SELECT v.period, v.known_at, array_agg(r.src_digest ORDER BY p.place)
    FROM pg_temp.number_version v CROSS JOIN LATERAL unnest(v.reports) WITH ORDINALITY AS p(row_id, place)
    JOIN disclosed.xbrl_report r ON r.issuer_id = ANY (issuers) AND r.row_id = p.row_id
    WHERE v.rule = 1 GROUP BY 1, 2
    UNION ALL
    SELECT v.period, v.known_at, array_agg(q.src_digest ORDER BY t.place)
    FROM pg_temp.number_version v
    JOIN pg_temp.number_remainder m ON m.period = v.period AND m.known_at = v.known_at
    CROSS JOIN LATERAL unnest(m.terms) WITH ORDINALITY AS t(metric_id, place)
    JOIN pg_temp.number_record q ON q.period = disclosed.other_metric(v.period, t.metric_id)
    WHERE v.rule = 4 GROUP BY 1, 2;
    -- Plans that do not know how few these are sort the versions for them.
    ANALYZE pg_temp.number_input (period, known_at);

    INSERT INTO pg_temp.number_wanted
    SELECT v.period, r.issuer_id, greatest(v.known_at, y.since), least(v.superseded_at, y.until), v.verified_at, v.accession, v.source_id, r.end_date,
           v.start_date, r.metric_id, r.kind, CASE WHEN v.rule IS NULL THEN v.precedence END, v.rule, v.is_suspect, v.is_restated, r.unit, v.value,
           y.fiscal, n.digests, CASE WHEN v.rule = 2 THEN disclosed.earlier_quarters(v.ends) END
    FROM pg_temp.number_version v
    JOIN pg_temp.number_record r USING (period)
    LEFT JOIN pg_temp.number_label y ON y.issuer_id = r.issuer_id AND y.end_date = r.end_date AND y.is_year = (r.kind = 5)
                                    AND (v.superseded_at IS NULL OR y.since < v.superseded_at) AND (y.until IS NULL OR y.until > v.known_at)
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
             rule, inputs, earlier_quarters)
          = (w.superseded_at, w.source_id, w.accession, w.start_date, w.is_suspect, w.is_restated, w.verified_at, w.fiscal, w.value,
             w.concept_rank, w.rule, w.inputs, w.earlier_quarters)
        FROM pg_temp.number_wanted w
        WHERE t.issuer_id = ANY (issuers) AND (w.issuer_id, w.metric_id, w.end_date, w.kind, w.unit, w.known_at)
                                            = (t.issuer_id, t.metric_id, t.end_date, t.kind, t.unit, t.known_at)
          AND (t.superseded_at, t.source_id, t.accession_number, t.start_date, t.is_suspect, t.is_restated, t.verified_at, t.fiscal,
               t.value, t.concept_rank, t.rule, t.inputs, t.earlier_quarters) IS DISTINCT FROM
              (w.superseded_at, w.source_id, w.accession, w.start_date, w.is_suspect, w.is_restated, w.verified_at, w.fiscal,
               w.value, w.concept_rank, w.rule, w.inputs, w.earlier_quarters)
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
            concept_rank, rule, is_suspect, is_restated, src_digest, unit, value, fiscal, inputs, earlier_quarters)
        SELECT r.id, w.issuer_id, w.known_at, w.accession, w.superseded_at, w.verified_at, w.source_id, w.end_date, w.start_date, w.metric_id, w.kind,
               w.concept_rank, w.rule, w.is_suspect, w.is_restated, r.src_digest, w.unit, w.value, w.fiscal, w.inputs, w.earlier_quarters
        FROM pg_temp.number_wanted w JOIN record r USING (period)
        WHERE NOT EXISTS (SELECT 1 FROM stored t
                          WHERE (t.issuer_id, t.metric_id, t.end_date, t.kind, t.unit, t.known_at)
                              = (w.issuer_id, w.metric_id, w.end_date, w.kind, w.unit, w.known_at))
        -- The order of the key, so that its index fills its pages: metric, last day and kind as one integer.
        ORDER BY w.issuer_id, (((w.period >> 25) & 2047) << 25) | ((w.period & 4194303) << 3) | ((w.period >> 22) & 7), w.unit, w.known_at
        RETURNING issuer_id;
END $$;


-- ------------------------------------------------------------------- average ratios

-- What canonical_average_ratio makes of years and of four quarters, while the amount and both balances are known.
CREATE FUNCTION add_number_average_ratios(of_stage integer) RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
BEGIN
    INSERT INTO pg_temp.number_candidate (period, known_at, superseded_at, accession, source_id, start_date, precedence, rule, stage, is_suspect, value)
    WITH formula AS MATERIALIZED (
        SELECT m.metric_id, m.decimal_places, a.metric_id AS amount_id, b.metric_id AS balance_id
        FROM disclosed.canonical_average_ratio f
        JOIN disclosed.canonical_metric m USING (metric_key)
        JOIN disclosed.canonical_metric a ON a.metric_key = f.amount
        JOIN disclosed.canonical_metric b ON b.metric_key = f.balance),
    amount AS MATERIALIZED (
        SELECT disclosed.other_metric(v.period, f.metric_id) AS period, f.decimal_places, v.known_at, v.superseded_at, v.accession, v.source_id, v.start_date,
               v.is_suspect, v.value,
               disclosed.other_period(disclosed.other_metric(v.period, f.balance_id), 1::smallint, v.start_date - 1) AS opening,
               disclosed.other_period(disclosed.other_metric(v.period, f.balance_id), 1::smallint, disclosed.period_end(v.period)) AS closing
        FROM formula f JOIN pg_temp.number_version v ON disclosed.period_metric(v.period) = f.amount_id
        WHERE disclosed.period_kind(v.period) IN (5, 6))
    SELECT a.period, l.known_at, l.until,
           CASE l.known_at WHEN a.known_at THEN a.accession WHEN o.known_at THEN o.accession ELSE c.accession END,
           CASE l.known_at WHEN a.known_at THEN a.source_id WHEN o.known_at THEN o.source_id ELSE c.source_id END,
           a.start_date, 1002, 3, of_stage, a.is_suspect OR o.is_suspect OR c.is_suspect, round(2 * a.value / (o.value + c.value), a.decimal_places)
    FROM amount a
    JOIN pg_temp.number_version o ON o.period = a.opening
    JOIN pg_temp.number_version c ON c.period = a.closing
    CROSS JOIN LATERAL (SELECT greatest(a.known_at, o.known_at, c.known_at) AS known_at,
                               least(a.superseded_at, o.superseded_at, c.superseded_at) AS until) l
    WHERE o.value + c.value > 0 AND (l.until IS NULL OR l.known_at < l.until);
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
        -- Whose terms need less depth.
        IF one = deepest THEN
            PERFORM disclosed.add_number_average_ratios(2 + one);
        END IF;
        PERFORM disclosed.resolve_numbers(2 + one);
        -- Formulas of other depths may need them.
        IF one = 1 THEN
            PERFORM disclosed.add_number_remainders(issuers, ARRAY['stockholders_equity', 'total_equity'], 3 + deepest);
            PERFORM disclosed.add_number_remainders(issuers, ARRAY['liabilities'], 3 + deepest);
            PERFORM disclosed.resolve_numbers(3 + deepest);
        END IF;
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

-- The same as before; returns are percentages as well.
CREATE OR REPLACE VIEW metric_number AS
    SELECT 'fundamental'::text AS dataset, f.issuer_id, m.metric_key, m.display, f.src_digest, f.source_id, accession_name(f.accession_number) AS accession,
           f.known_at, f.superseded_at, f.start_date, f.end_date, kind_name(f.kind) AS period_kind,
           f.fiscal, f.value,
           CASE WHEN m.unit = 'ratio' THEN 'pure' ELSE replace(f.unit, '/shares', '_per_share') END AS unit,
           m.unit = 'ratio' AND m.metric_key ~ '(margin|rate|ratio_pct|payout|return)' AS is_percent,
           m.basis, f.is_suspect, f.rule IS NOT NULL AS is_derived, NULL::text AS member
    FROM metric_value f JOIN canonical_metric m USING (metric_id)
    UNION ALL
    SELECT 'kpi_observation', o.issuer_id, o.metric_key, coalesce(o.display, o.issuer_label), o.src_digest, o.source_id, o.accession, o.known_at, o.superseded_at,
           o.start_date, o.end_date, o.period_kind, o.fiscal, o.value, o.unit, o.unit = 'percent' AND false, o.basis, false, false, NULL
    FROM kpi_observation o WHERE o.dimension IS NULL;

CALL derive_all_fundamentals();
ALTER TABLE metric_value ADD CONSTRAINT metric_value_check CHECK (
    (rule IS NULL) = (concept_rank IS NOT NULL) AND (rule IS NULL OR rule IN (2, 3)) = (inputs IS NULL) AND (rule IS NOT DISTINCT FROM 2) = (earlier_quarters IS NOT NULL));
