-- Lines of a balance sheet that no element tells and no formula makes, from what its other lines leave: liabilities of companies that only add them up with
-- equity, equity of those that have no noncontrolling interests.

SET LOCAL search_path = disclosed, public;

-- What may be redeemed, of owners of subsidiaries. It stands between liabilities and equity, as temporary equity does.
INSERT INTO canonical_metric (metric_key, display, definition, unit, basis, category, decimal_places, aliases, additive, template_slug) VALUES
    ('redeemable_noncontrolling_interests', 'Redeemable noncontrolling interests',
     'What others own of subsidiaries and may give back, which is reported between liabilities and equity.', 'currency', 'instant', 'balance_sheet', 0,
     '{redeemable minority interest}', false, 'balance_sheet');
INSERT INTO canonical_concept (metric_key, rank, concept) VALUES
    ('redeemable_noncontrolling_interests', 1, 'us-gaap:RedeemableNoncontrollingInterestEquityCarryingAmount'),
    ('redeemable_noncontrolling_interests', 2, 'us-gaap:RedeemableNoncontrollingInterestEquityCommonCarryingAmount'),
    ('redeemable_noncontrolling_interests', 3, 'us-gaap:RedeemableNoncontrollingInterestEquityOtherCarryingAmount'),
    ('redeemable_noncontrolling_interests', 4, 'us-gaap:RedeemableNoncontrollingInterestEquityPreferredCarryingAmount'),
    ('temporary_equity', 4, 'us-gaap:TemporaryEquityValueExcludingAdditionalPaidInCapital');
-- Near substitutes, behind those of US GAAP that are there: ranks of IFRS make room, by way of ranks that no element has.
UPDATE canonical_concept SET rank = rank + 1001 WHERE metric_key IN ('interest_expense', 'share_based_compensation') AND concept LIKE 'ifrs-full:%';
UPDATE canonical_concept SET rank = rank - 1000 WHERE rank > 1000;
INSERT INTO canonical_concept (metric_key, rank, concept)
SELECT n.metric_key, max(c.rank) + 1, n.concept
FROM (VALUES ('interest_expense', 'us-gaap:InterestAndDebtExpense'),
             ('share_based_compensation', 'us-gaap:AllocatedShareBasedCompensationExpense')) AS n(metric_key, concept)
JOIN canonical_concept c ON c.metric_key = n.metric_key AND c.concept LIKE 'us-gaap:%'
GROUP BY n.metric_key, n.concept;

-- Lines behind it make room, by way of places that no line has.
UPDATE template_metric m SET place = m.place + 1001
FROM template_metric t
WHERE (t.template_slug, t.metric_key) = ('balance_sheet', 'temporary_equity') AND m.template_slug = t.template_slug AND m.place > t.place;
UPDATE template_metric SET place = place - 1000 WHERE place > 1000;
INSERT INTO template_metric (template_slug, place, metric_key)
SELECT template_slug, place + 1, 'redeemable_noncontrolling_interests' FROM template_metric
WHERE (template_slug, metric_key) = ('balance_sheet', 'temporary_equity');
CALL note_lines();

CREATE TABLE canonical_remainder (
    metric_key     text NOT NULL REFERENCES canonical_metric,
    place          smallint NOT NULL CHECK (place >= 1),
    term           text NOT NULL REFERENCES canonical_metric,
    weight         smallint NOT NULL CHECK (weight IN (1, -1)),
    is_required    boolean NOT NULL,
    unless_concept text,
    PRIMARY KEY (metric_key, place),
    UNIQUE (metric_key, term),
    CHECK (term <> metric_key)
);
COMMENT ON TABLE canonical_remainder IS 'what the other lines of a balance sheet leave for a line that neither an element nor a formula has';
COMMENT ON COLUMN canonical_remainder.is_required IS 'false: counts as zero where it is not reported';
COMMENT ON COLUMN canonical_remainder.unless_concept IS 'an element that includes the term: where another term is of this element, the term is left out';

CREATE VIEW canonical_term AS
SELECT 'formula' AS rule, metric_key, kind, place, term, weight FROM canonical_formula
UNION ALL SELECT 'remainder', metric_key, 'sum', place, term, weight FROM canonical_remainder;
COMMENT ON VIEW canonical_term IS 'what metrics are computed of, by rule';
GRANT SELECT ON canonical_remainder, canonical_term TO disclosed_api, disclosed_loader;

INSERT INTO canonical_remainder (metric_key, place, term, weight, is_required, unless_concept) VALUES
    ('stockholders_equity', 1, 'total_equity', 1, true, NULL), ('stockholders_equity', 2, 'noncontrolling_interests', -1, true, NULL),
    ('total_equity', 1, 'stockholders_equity', 1, true, NULL), ('total_equity', 2, 'noncontrolling_interests', 1, false, NULL),
    ('liabilities', 1, 'liabilities_and_equity', 1, true, NULL), ('liabilities', 2, 'total_equity', -1, true, NULL),
    ('liabilities', 3, 'temporary_equity', -1, false, NULL),
    ('liabilities', 4, 'redeemable_noncontrolling_interests', -1, false,
     'us-gaap:TemporaryEquityCarryingAmountIncludingPortionAttributableToNoncontrollingInterests');

CREATE OR REPLACE FUNCTION rule_name(rule smallint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE rule WHEN 1 THEN 'difference' WHEN 2 THEN 'four_quarters' WHEN 3 THEN 'formula' WHEN 4 THEN 'remainder' END
$$;
ALTER TABLE metric_value DROP CONSTRAINT metric_value_rule_check, ADD CONSTRAINT metric_value_rule_check CHECK (rule BETWEEN 1 AND 4);
COMMENT ON COLUMN metric_value.rule IS '1, a difference: a longer period less its beginning; 2, four quarters: their sum; 3, a formula: of other metrics; 4, a '
    'remainder: what the other lines of the balance sheet leave';

-- What terms of canonical_remainder leave for these metrics, while all that are required are known, or left themselves in the same stage, and the metric itself
-- is not; what it is made of is in pg_temp.number_remainder. None is made that other lines contradict: equity with which liabilities do not add up, liabilities that are less than current ones
-- or whose equity is not that of its owners, and liabilities beside which the filing has something redeemable under an element that no metric has.
CREATE FUNCTION add_number_remainders(issuers bigint[], metrics text[], of_stage integer) RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
BEGIN
    WITH term AS MATERIALIZED (
        SELECT m.metric_key, m.metric_id, f.place, t.metric_id AS term_id, f.weight, f.is_required, u.metric_id AS unless_id, u.rank AS unless_rank
        FROM disclosed.canonical_remainder f
        JOIN disclosed.canonical_metric m USING (metric_key)
        JOIN disclosed.canonical_metric t ON t.metric_key = f.term
        LEFT JOIN (SELECT c.concept, c.rank, k.metric_id FROM disclosed.canonical_concept c JOIN disclosed.canonical_metric k USING (metric_key)) u
          ON u.concept = f.unless_concept
        WHERE f.metric_key = ANY (metrics)),
    -- `balance` is the number's period but for its metric: a company, a day and a currency.
    line AS MATERIALIZED (
        SELECT disclosed.other_metric(v.period, 0::smallint) AS balance, m.metric_id, m.metric_key, v.known_at, v.superseded_at, v.value, v.is_suspect, v.precedence,
               v.accession, v.source_id, v.reports
        FROM (SELECT period, known_at, superseded_at, value, is_suspect, precedence, accession, source_id, reports FROM pg_temp.number_version
              UNION ALL
              SELECT period, known_at, superseded_at, value, is_suspect, precedence, accession, source_id, reports FROM pg_temp.number_candidate
              WHERE stage = of_stage) v
        JOIN disclosed.canonical_metric m ON m.metric_id = disclosed.period_metric(v.period)
        WHERE disclosed.period_kind(v.period) = 1
          AND m.metric_key IN ('stockholders_equity', 'noncontrolling_interests', 'total_equity', 'liabilities', 'current_liabilities', 'liabilities_and_equity',
                               'temporary_equity', 'redeemable_noncontrolling_interests')),
    instant AS (
        SELECT i.balance, i.at, lead(i.at) OVER (PARTITION BY i.balance ORDER BY i.at) AS next_at
        FROM (SELECT balance, known_at AS at FROM line UNION SELECT balance, superseded_at FROM line WHERE superseded_at IS NOT NULL) i),
    told AS MATERIALIZED (
        SELECT i.balance, i.at, i.next_at, l.metric_id, l.metric_key, l.known_at, l.value, l.is_suspect, l.precedence, l.accession, l.source_id, l.reports
        FROM instant i JOIN line l ON l.balance = i.balance AND l.known_at <= i.at AND (l.superseded_at IS NULL OR l.superseded_at > i.at)),
    left_over AS (
        SELECT t.metric_key, disclosed.other_metric(o.balance, t.metric_id) AS period, o.balance, o.at, o.next_at, sum(o.value * t.weight) AS value,
               bool_or(o.is_suspect) AS is_suspect, (array_agg(o.accession ORDER BY o.known_at DESC, t.place))[1] AS accession,
               (array_agg(o.source_id ORDER BY o.known_at DESC, t.place))[1] AS source_id, array_agg(t.term_id ORDER BY t.place) AS terms
        FROM told o JOIN term t ON t.term_id = o.metric_id
        WHERE NOT EXISTS (SELECT 1 FROM told s WHERE (s.balance, s.at, s.metric_id) = (o.balance, o.at, t.metric_id))
          AND NOT EXISTS (SELECT 1 FROM told u WHERE (u.balance, u.at, u.metric_id, u.precedence) = (o.balance, o.at, t.unless_id, t.unless_rank))
        GROUP BY t.metric_key, t.metric_id, o.balance, o.at, o.next_at
        HAVING count(*) FILTER (WHERE t.is_required) = (SELECT count(*) FROM term r WHERE r.metric_id = t.metric_id AND r.is_required)),
    sheet AS MATERIALIZED (
        SELECT balance, at, max(reports[1]) FILTER (WHERE metric_key = 'liabilities_and_equity') AS report,
               max(value) FILTER (WHERE metric_key = 'liabilities_and_equity') AS total,
               max(value) FILTER (WHERE metric_key = 'liabilities') AS owed,
               max(value) FILTER (WHERE metric_key = 'current_liabilities') AS owed_soon,
               max(value) FILTER (WHERE metric_key = 'total_equity') AS equity,
               max(value) FILTER (WHERE metric_key = 'stockholders_equity') AS of_stockholders,
               max(value) FILTER (WHERE metric_key = 'noncontrolling_interests') AS of_others,
               sum(value) FILTER (WHERE metric_key IN ('temporary_equity', 'redeemable_noncontrolling_interests')) AS redeemable
        FROM told GROUP BY balance, at),
    made AS MATERIALIZED (
        SELECT l.*, b.report, b.redeemable
        FROM left_over l JOIN sheet b USING (balance, at)
        WHERE CASE l.metric_key
              WHEN 'total_equity' THEN (abs(b.total - b.owed - coalesce(b.redeemable, 0) - l.value) > abs(b.total) / 1000) IS NOT TRUE
              WHEN 'liabilities' THEN l.value >= coalesce(b.owed_soon, 0)
                                      AND (abs(b.equity - b.of_stockholders - b.of_others) > abs(b.total) / 1000) IS NOT TRUE
              ELSE true END),
    -- Days of a data set are rounded to the end of a month.
    unnamed AS (
        SELECT DISTINCT m.period, m.at
        FROM made m
        JOIN pg_temp.number_owner o ON o.owner = disclosed.period_owner(m.period)
        JOIN disclosed.xbrl_report r ON r.issuer_id = ANY (issuers) AND r.row_id = m.report
        CROSS JOIN LATERAL unnest(r.concepts, r.units, r.start_dates, r.end_dates, r.amounts, r.dimensions) AS e(concept, unit, starts, ends, amount, dimension)
        WHERE m.metric_key = 'liabilities' AND m.redeemable IS NULL AND e.concept ~ '(Redeemable|TemporaryEquity)' AND e.unit = o.unit
          AND e.starts = '' AND coalesce(e.dimension, '') = '' AND abs(e.ends::date - disclosed.period_end(m.period)) <= 15 AND e.amount::numeric <> 0),
    -- One that goes on where other lines change is one.
    piece AS (
        SELECT m.*, (m.value, m.terms, m.is_suspect, m.at) IS DISTINCT FROM
                    (lag(m.value) OVER w, lag(m.terms) OVER w, lag(m.is_suspect) OVER w, lag(m.next_at) OVER w) AS begins
        FROM made m WHERE NOT EXISTS (SELECT 1 FROM unnamed u WHERE (u.period, u.at) = (m.period, m.at))
        WINDOW w AS (PARTITION BY m.period ORDER BY m.at)),
    kept AS MATERIALIZED (
        SELECT period, min(at) AS known_at, nullif(max(coalesce(next_at, 'infinity')), 'infinity') AS superseded_at, value, is_suspect, terms,
               (array_agg(accession ORDER BY at))[1] AS accession, (array_agg(source_id ORDER BY at))[1] AS source_id
        FROM (SELECT r.*, count(*) FILTER (WHERE r.begins) OVER (PARTITION BY r.period ORDER BY r.at) AS span FROM piece r) s
        GROUP BY period, span, value, is_suspect, terms),
    noted AS (INSERT INTO pg_temp.number_remainder SELECT k.period, k.known_at, k.terms FROM kept k)
    INSERT INTO pg_temp.number_candidate (period, known_at, superseded_at, accession, source_id, precedence, rule, stage, is_suspect, value)
    SELECT k.period, k.known_at, k.superseded_at, k.accession, k.source_id, 1003, 4, of_stage, k.is_suspect, k.value FROM kept k;
END $$;

-- With what remainders are made of.
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
    SELECT v.period, v.known_at, array_agg(q.src_digest ORDER BY e.place)
    FROM pg_temp.number_version v CROSS JOIN LATERAL unnest(v.ends) WITH ORDINALITY AS e(day, place)
    JOIN pg_temp.number_record q ON q.period = disclosed.other_period(v.period, 2::smallint, e.day)
    WHERE v.rule = 2 GROUP BY 1, 2
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
           y.fiscal, n.digests
    FROM pg_temp.number_version v
    JOIN pg_temp.number_record r USING (period)
    LEFT JOIN pg_temp.number_label y ON y.issuer_id = r.issuer_id AND y.end_date = r.end_date AND y.is_year = (r.kind = 5)
                                    AND (v.superseded_at IS NULL OR y.since < v.superseded_at) AND (y.until IS NULL OR y.until > v.known_at)
    LEFT JOIN pg_temp.number_input n ON n.period = v.period AND n.known_at = v.known_at;
    ANALYZE pg_temp.number_wanted (period, issuer_id);
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
    IF to_regclass('pg_temp.number_remainder') IS NULL THEN
        CREATE TEMP TABLE number_remainder (period bigint, known_at timestamptz, terms smallint[]) ON COMMIT DELETE ROWS;
    END IF;
    TRUNCATE pg_temp.number_remainder;
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

-- Makes the numbers of all companies anew, and what is said of their metrics, for migrations that change how numbers are made. No load runs beside it
-- (loader/loader_lock.c).
CREATE PROCEDURE derive_all_fundamentals() LANGUAGE plpgsql AS $$
DECLARE
    companies bigint[];
    is_changed boolean := false;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    FOR companies IN
        SELECT array_agg(issuer_id)
        FROM (SELECT issuer_id, (row_number() OVER (ORDER BY issuer_id) - 1) / 100 AS batch
              FROM (SELECT DISTINCT r.issuer_id FROM disclosed.xbrl_report r) d) b
        GROUP BY batch
    LOOP
        companies := ARRAY(SELECT disclosed.derive_fundamentals(companies));
        CONTINUE WHEN companies = '{}';
        PERFORM disclosed.derive_kpi_metrics(companies);
        UPDATE disclosed.dataset_issuer_stat o
        SET record_count = c.record_count, latest = coalesce(c.latest, o.latest)
        FROM (SELECT 'fundamental' AS dataset, t.issuer_id, count(*) AS record_count, max(t.end_date) AS latest
              FROM disclosed.metric_value t WHERE t.issuer_id = ANY (companies) AND t.superseded_at IS NULL GROUP BY t.issuer_id
              UNION ALL
              SELECT 'kpi_metric', t.issuer_id, count(*), NULL
              FROM disclosed.kpi_metric t WHERE t.issuer_id = ANY (companies) AND t.superseded_at IS NULL GROUP BY t.issuer_id) c
        WHERE o.dataset = c.dataset AND o.issuer_id = c.issuer_id;
        is_changed := true;
    END LOOP;
    IF is_changed THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
        UPDATE disclosed.dataset_stat d
        SET record_count = c.record_count, latest = c.latest, version = version + 1, changed_at = now()
        FROM (SELECT dataset, sum(record_count) AS record_count, max(latest) AS latest
              FROM disclosed.dataset_issuer_stat WHERE dataset IN ('fundamental', 'kpi_metric') GROUP BY dataset) c
        WHERE d.dataset = c.dataset;
    END IF;
END $$;
CALL derive_all_fundamentals();
