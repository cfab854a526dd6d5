-- No number is of a period that ends more than a quarter after its filing: such dates are slips. Lists of the past begin at their day.

SET LOCAL search_path = disclosed, public;

-- Whether a filing of that time can have the numbers of a period. Companies declare the dividends of the quarter that follows; what ends later is a slip of
-- its date.
CREATE FUNCTION is_of_its_time(end_date date, known_at timestamptz) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS
$$ SELECT end_date <= (known_at AT TIME ZONE 'UTC')::date + 100 $$;

-- What the reports of these issuers say of metrics, but for periods that end long after the filing. All that it joins are rows of these issuers, once each.
CREATE OR REPLACE FUNCTION add_reported_numbers(issuers bigint[], of_sets boolean) RETURNS void LANGUAGE plpgsql
SET work_mem = '64MB' SET enable_nestloop = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO pg_temp.number_candidate (period, known_at, superseded_at, accession, source_id, start_date, precedence, stage, is_suspect, value, reports)
    SELECT disclosed.number_period(o.owner, e.metric_id, disclosed.kind_code(e.start_date, e.end_date), e.end_date), e.known_at, e.superseded_at,
           e.accession_number, e.source_id, e.start_date, e.rank, 0, false, e.value, ARRAY[e.row_id]
    FROM disclosed.number_facts(issuers, false) e JOIN pg_temp.number_owner o USING (issuer_id, unit)
    WHERE disclosed.kind_code(e.start_date, e.end_date) IS NOT NULL AND disclosed.is_of_its_time(e.end_date, e.known_at);
    IF of_sets THEN
        INSERT INTO pg_temp.number_candidate (period, known_at, superseded_at, accession, source_id, start_date, precedence, stage, is_suspect, value, reports)
        SELECT disclosed.number_period(o.owner, e.metric_id, disclosed.kind_code(w.start_date, w.end_date), w.end_date), e.known_at, e.superseded_at,
               e.accession_number, e.source_id, w.start_date, e.rank, 0, false, e.value, ARRAY[e.row_id]
        FROM disclosed.number_facts(issuers, true) e JOIN pg_temp.number_owner o USING (issuer_id, unit)
        LEFT JOIN pg_temp.number_own_period p ON p.issuer_id = e.issuer_id AND p.rounded_end = e.end_date
                                             AND p.quarters = disclosed.quarters_in(e.start_date, e.end_date)
        CROSS JOIN LATERAL (SELECT CASE WHEN p.end_date IS NULL THEN e.start_date ELSE p.start_date END AS start_date,
                                   coalesce(p.end_date, e.end_date) AS end_date) w
        WHERE disclosed.kind_code(w.start_date, w.end_date) IS NOT NULL AND disclosed.is_of_its_time(w.end_date, e.known_at);
    END IF;
END $$;

-- Makes the numbers of these issuers again, and counts them, in a migration: no load runs meanwhile.
CREATE PROCEDURE derive_numbers_again(of_issuers bigint[]) LANGUAGE plpgsql AS $$
DECLARE
    companies bigint[];
    is_changed boolean := false;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    FOR companies IN
        SELECT array_agg(issuer_id) FROM unnest(of_issuers) WITH ORDINALITY AS i(issuer_id, place) GROUP BY (place - 1) / 100
    LOOP
        companies := ARRAY(SELECT disclosed.derive_fundamentals(companies));
        CONTINUE WHEN companies = '{}';
        PERFORM disclosed.derive_kpi_metrics(companies);
        UPDATE disclosed.dataset_issuer_stat o
        SET record_count = c.record_count, latest = coalesce(c.latest, o.latest)
        FROM (SELECT 'fundamental' AS dataset, i AS issuer_id, n.*
              FROM unnest(companies) i
              CROSS JOIN LATERAL (SELECT count(*) AS record_count, max(t.end_date) AS latest
                                  FROM disclosed.metric_value t WHERE t.issuer_id = i AND t.superseded_at IS NULL) n
              UNION ALL
              SELECT 'kpi_metric', i, n.*, NULL
              FROM unnest(companies) i
              CROSS JOIN LATERAL (SELECT count(*) FROM disclosed.kpi_metric t WHERE t.issuer_id = i AND t.superseded_at IS NULL) n) c
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

CREATE OR REPLACE PROCEDURE derive_all_fundamentals() LANGUAGE plpgsql AS $$
DECLARE
    of_issuers CONSTANT bigint[] := ARRAY(SELECT DISTINCT r.issuer_id FROM disclosed.xbrl_report r ORDER BY 1);
BEGIN
    CALL disclosed.derive_numbers_again(of_issuers);
END $$;

DO $$
DECLARE
    of_slips CONSTANT bigint[] := ARRAY(SELECT DISTINCT v.issuer_id FROM disclosed.metric_value v
                                        WHERE NOT disclosed.is_of_its_time(v.end_date, v.known_at) ORDER BY 1);
BEGIN
    CALL disclosed.derive_numbers_again(of_slips);
END $$;
ALTER TABLE metric_value ADD CONSTRAINT metric_value_of_its_time CHECK (end_date <= (known_at AT TIME ZONE 'UTC')::date + 100);
