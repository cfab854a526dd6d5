-- Calendar years are those of the SEC's frames; one ratio of a period is one number; a period has one fiscal label, and no other period has it.

SET LOCAL search_path = disclosed, public;

-- ---------------------------------------------------------------- calendar

-- The calendar period that the SEC's frames put a number in: of a year that of the day 180 days before its end, so that years to the end of June
-- are of the year in which they end; of a quarter that of its midpoint; of an instant that of the day 45 days before. Before the year 1 there is none.
CREATE OR REPLACE FUNCTION calendar_period(start_date date, end_date date) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN start_date IS NULL
                THEN CASE WHEN end_date >= '0001-02-15'
                          THEN extract(year FROM end_date - 45)::integer::text || 'Q' || extract(quarter FROM end_date - 45)::integer::text END
                WHEN end_date - start_date BETWEEN 60 AND 120
                THEN extract(year FROM start_date + (end_date - start_date) / 2)::integer::text || 'Q'
                     || extract(quarter FROM start_date + (end_date - start_date) / 2)::integer::text
                WHEN end_date - start_date BETWEEN 334 AND 394
                THEN extract(year FROM end_date - 180)::integer::text END
$$;

-- The calendar quarter of a fiscal one, of which the end alone is known. Other periods belong to none.
CREATE OR REPLACE FUNCTION calendar_quarter(period_end date, kind text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS
$$ SELECT CASE WHEN kind = 'quarter' THEN disclosed.calendar_period(NULL, period_end) END $$;

-- ------------------------------------------------------------------ numbers

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
            is_suspect boolean, is_restated boolean, unit text, value numeric, fiscal text, inputs uuid[]) ON COMMIT DELETE ROWS;
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
    TRUNCATE pg_temp.number_owner, pg_temp.number_candidate, pg_temp.number_version, pg_temp.number_sum, pg_temp.number_year, pg_temp.number_own_period,
             pg_temp.number_record, pg_temp.number_label, pg_temp.number_rival, pg_temp.number_input, pg_temp.number_wanted;
END $$;

-- A ratio has no currency: of versions of one company and period that differ in the unit of their terms, one is said at each instant. What is
-- reported comes before what a formula makes; of formulas that in whose currency its filing has more numbers.
CREATE FUNCTION keep_one_of_ratios() RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
BEGIN
    INSERT INTO pg_temp.number_rival
    SELECT v.period, v.known_at, v.superseded_at, v.verified_at, v.accession, v.source_id, v.start_date, v.precedence, v.rule, v.is_suspect, v.is_restated,
           v.value, v.reports, v.ends, v.place, v.issuer_id, v.owner, v.unit, v.number
    FROM (SELECT n.*, row_number() OVER () AS place, o.issuer_id, o.owner, o.unit, n.period & 68719476735 AS number,
                 min(o.owner) OVER w AS least_owner, max(o.owner) OVER w AS greatest_owner
          FROM pg_temp.number_version n JOIN pg_temp.number_owner o ON o.owner = disclosed.period_owner(n.period)
          WHERE disclosed.period_kind(n.period) IN (1, 2, 5, 6)
            AND disclosed.period_metric(n.period) IN (SELECT m.metric_id FROM disclosed.canonical_metric m WHERE m.unit = 'ratio')
          WINDOW w AS (PARTITION BY o.issuer_id, n.period & 68719476735)) v
    WHERE v.least_owner <> v.greatest_owner;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    ANALYZE pg_temp.number_rival;
    DELETE FROM pg_temp.number_version v WHERE v.period IN (SELECT r.period FROM pg_temp.number_rival r);
    INSERT INTO pg_temp.number_version
    WITH share AS MATERIALIZED (
        SELECT n.accession, disclosed.period_owner(n.period) AS owner, count(*) AS numbers
        FROM pg_temp.number_candidate n
        WHERE n.stage = 0 AND n.accession IN (
            SELECT r.accession FROM pg_temp.number_rival r
            WHERE r.rule = 3 AND (r.issuer_id, r.number) IN (
                SELECT f.issuer_id, f.number FROM pg_temp.number_rival f WHERE f.rule = 3 GROUP BY 1, 2 HAVING count(DISTINCT f.owner) > 1))
        GROUP BY 1, 2),
    instant AS (
        SELECT issuer_id, number, known_at AS at FROM pg_temp.number_rival
        UNION
        SELECT issuer_id, number, superseded_at FROM pg_temp.number_rival WHERE superseded_at IS NOT NULL),
    chosen AS (
        SELECT DISTINCT ON (i.issuer_id, i.number, i.at) i.issuer_id, i.number, i.at, r.place
        FROM instant i
        LEFT JOIN pg_temp.number_rival r ON r.issuer_id = i.issuer_id AND r.number = i.number AND r.known_at <= i.at
                                        AND (r.superseded_at IS NULL OR r.superseded_at > i.at)
        LEFT JOIN share s ON s.accession = r.accession AND s.owner = r.owner
        ORDER BY i.issuer_id, i.number, i.at, r.is_suspect, r.precedence, s.numbers DESC NULLS LAST, r.known_at DESC, r.unit COLLATE "C"),
    turn AS (
        SELECT c.*, row_number() OVER w = 1 OR c.place IS DISTINCT FROM lag(c.place) OVER w AS is_another
        FROM chosen c WINDOW w AS (PARTITION BY c.issuer_id, c.number ORDER BY c.at)),
    piece AS (
        SELECT t.place, t.at, lead(t.at) OVER (PARTITION BY t.issuer_id, t.number ORDER BY t.at) AS until
        FROM turn t WHERE t.is_another),
    agreed AS (
        SELECT r.place, min(greatest(r.known_at, f.known_at)) AS verified_at
        FROM pg_temp.number_rival r JOIN pg_temp.number_rival f ON f.issuer_id = r.issuer_id AND f.number = r.number
        WHERE r.rule IS NULL AND f.rule IS NOT NULL AND f.value = r.value AND (r.superseded_at IS NULL OR f.known_at < r.superseded_at)
        GROUP BY 1)
    SELECT r.period, p.at, p.until, least(r.verified_at, a.verified_at), r.accession, r.source_id, r.start_date, r.precedence, r.rule, r.is_suspect,
           r.is_restated, r.value, r.reports, r.ends
    FROM piece p JOIN pg_temp.number_rival r USING (place) LEFT JOIN agreed a USING (place);
END $$;

-- What years and quarters that end on the days of pg_temp.number_record are called, in pg_temp.number_label: by the first fiscal year that ends
-- then, up to 20 days before, or later, else by the last one, of those that were known. Annual reports may count years differently, as NVIDIA's of 2011: how far a
-- fiscal year's name is ahead of the calendar year at whose month's end it ends is what most of those known say, of as many the greater.
CREATE FUNCTION find_fiscal_labels() RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off SET enable_mergejoin = off SET work_mem = '64MB' SET default_statistics_target = 10 AS $$
BEGIN
    INSERT INTO pg_temp.number_label
    WITH told AS MATERIALIZED (
        SELECT y.issuer_id, y.known_at, y.year_end, extract(month FROM m.ended)::integer AS month, extract(year FROM m.ended)::integer AS year,
               y.fiscal_year - extract(year FROM m.ended)::integer AS ahead
        FROM pg_temp.number_year y CROSS JOIN LATERAL (SELECT disclosed.nearest_month_end(y.year_end) AS ended) m),
    instant AS MATERIALIZED (
        SELECT issuer_id, known_at AS at, row_number() OVER w AS place, lead(known_at) OVER w AS next_at
        FROM (SELECT DISTINCT issuer_id, known_at FROM told) t WINDOW w AS (PARTITION BY issuer_id ORDER BY known_at)),
    known AS MATERIALIZED (
        SELECT i.issuer_id, i.place, i.at, i.next_at, t.year_end, t.month, t.year, t.ahead
        FROM instant i JOIN told t ON t.issuer_id = i.issuer_id AND t.known_at <= i.at),
    named AS (
        SELECT DISTINCT k.issuer_id, k.place, k.at, k.next_at, k.year_end, k.month, k.year + n.ahead AS fiscal_year
        FROM known k
        JOIN (SELECT issuer_id, place, month, mode() WITHIN GROUP (ORDER BY ahead DESC) AS ahead FROM known GROUP BY 1, 2, 3) n USING (issuer_id, place, month)),
    -- The days whose periods are named by a year: up to 20 days after its end, behind those of the one before; and of the last year all that follow.
    reach AS (
        SELECT issuer_id, place, at, next_at, lag(year_end) OVER w + 20 AS behind, year_end + 20 AS upto, year_end, fiscal_year,
               CASE WHEN lag(month) OVER w <> month THEN lag(fiscal_year) OVER w END AS year_before
        FROM named WINDOW w AS (PARTITION BY issuer_id, place ORDER BY year_end)
        UNION ALL
        SELECT DISTINCT ON (issuer_id, place) issuer_id, place, at, next_at, year_end + 20, NULL, year_end, fiscal_year, NULL
        FROM named ORDER BY issuer_id, place, year_end DESC),
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

-- What is to be stored, in pg_temp.number_wanted: the versions, each of them for as long as its period has one fiscal label. number_record has the
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
    WHERE v.rule = 2 GROUP BY 1, 2;
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

COMMENT ON COLUMN metric_value.known_at IS 'since when it is so: of a number whose period got its fiscal label later, since then';

-- Numbers that are stored, and what is counted of them. No load runs beside it (loader/loader_lock.c).
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
        PERFORM derive_kpi_metrics(companies);
        changed := changed || companies;
    END LOOP;
    IF changed <> '{}' OR EXISTS (SELECT 1 FROM xbrl_report) OR EXISTS (SELECT 1 FROM kpi_observation) THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
        UPDATE dataset_stat d
        SET record_count = c.record_count, latest = c.latest
        FROM (SELECT sum(record_count) AS record_count, max(latest) AS latest FROM dataset_issuer_stat WHERE dataset = 'fundamental') c
        WHERE d.dataset = 'fundamental' AND changed <> '{}';
        -- Calendar periods are not stored, and responses have other ones.
        UPDATE dataset_stat SET version = version + 1, changed_at = now() WHERE dataset IN ('fundamental', 'kpi_metric', 'kpi_observation', 'xbrl_report');
    END IF;
END $$;
