-- Who holds a listing, and what flows into it and out of it from quarter to quarter: sums of what institutions report.

SET LOCAL search_path = disclosed, public;

-- One manager's holding of one listing at the end of a quarter: the shares of all rows of its report,
-- options and principal amounts left out. The issuer is the manager.
CREATE TABLE institution_holder (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    company_id  bigint NOT NULL,
    symbol      text NOT NULL,
    period_of_report date NOT NULL,
    value       numeric NOT NULL,
    shares      numeric,
    CHECK (period_of_report <= (known_at AT TIME ZONE 'UTC')::date + 14)
);
CALL finish_dataset_table('institution_holder');
CREATE INDEX institution_holder_symbol ON institution_holder (symbol, period_of_report, id);
CREATE INDEX institution_holder_period ON institution_holder (issuer_id, period_of_report);

-- All managers together, by listing and quarter, with a version for each day on which that changed.
-- The issuer is the company.
CREATE TABLE institution_flow (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    symbol      text NOT NULL,
    period_of_report date NOT NULL,
    holders     bigint NOT NULL,
    holders_change bigint,
    value       numeric NOT NULL,
    shares      numeric NOT NULL,
    CHECK (period_of_report <= (known_at AT TIME ZONE 'UTC')::date + 14)
);
CALL finish_dataset_table('institution_flow');
CREATE INDEX institution_flow_symbol ON institution_flow (symbol, period_of_report, id);
CREATE INDEX institution_flow_now ON institution_flow (symbol, period_of_report, id)
    WHERE superseded_at IS NULL;

-- What each day changed in those sums: a load adds its own differences and reads nothing else.
CREATE TABLE institution_flow_day (
    symbol      text NOT NULL,
    company_id  bigint NOT NULL,
    period_of_report date NOT NULL,
    day         date NOT NULL,
    holders     bigint NOT NULL,
    value       numeric NOT NULL,
    shares      numeric NOT NULL,
    source_provider text NOT NULL,
    PRIMARY KEY (symbol, company_id, period_of_report, day)
);

-- -------------------------------------------------------------------- sums

-- Working tables of one transaction: the quarters that it has changed, and what follows from them.
CREATE FUNCTION begin_holdings_work() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.work_portfolio') IS NULL THEN
        CREATE TEMP TABLE work_quarter (issuer_id bigint, period_of_report date) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_portfolio (issuer_id bigint, period_of_report date, contested boolean)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_report (issuer_id bigint, accession text, ended_at timestamptz)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_ending (issuer_id bigint, row_id bigint, ends_at timestamptz)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_symbol (symbol text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_cusip (cusip text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_security (cusip text, period_of_report date, company_id bigint,
            symbol text) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_lot (issuer_id bigint, period_of_report date, company_id bigint,
            symbol text, known_at timestamptz, superseded_at timestamptz, rows bigint, value numeric,
            shares numeric, source_provider text, source_url text, accession text, content_hash text,
            extracted_at timestamptz) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE fresh_holder (issuer_id bigint, company_id bigint, symbol text,
            period_of_report date, record_key text, known_at timestamptz, superseded_at timestamptz,
            value numeric, shares numeric, source_provider text, source_url text, accession text,
            content_hash text, extracted_at timestamptz) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE old_holder (LIKE disclosed.institution_holder) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_day (LIKE disclosed.institution_flow_day) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_flow (symbol text, company_id bigint, period_of_report date,
            from_day date)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE fresh_flow (issuer_id bigint, symbol text, period_of_report date,
            record_key text, known_at timestamptz, superseded_at timestamptz, holders bigint,
            holders_change bigint, value numeric, shares numeric, source_provider text)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE old_flow (LIKE disclosed.institution_flow) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE work_touched (issuer_id bigint) ON COMMIT DELETE ROWS;
    END IF;
    TRUNCATE pg_temp.work_security, pg_temp.work_lot, pg_temp.fresh_holder, pg_temp.old_holder, pg_temp.work_day,
        pg_temp.work_flow, pg_temp.fresh_flow, pg_temp.old_flow;
END $$;

-- The rows that are looked at: of the quarters in work_portfolio, or of the CUSIPs in work_cusip.
CREATE FUNCTION holdings_scope(by_security boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN by_security THEN 'JOIN pg_temp.work_cusip w USING (cusip)'
                ELSE 'JOIN pg_temp.work_portfolio w USING (issuer_id, period_of_report)' END
$$;

-- What the CUSIPs of those rows are, each at the end of its quarter.
CREATE FUNCTION look_up_securities(by_security boolean) RETURNS void
LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE format($q$
        INSERT INTO pg_temp.work_security
        SELECT t.cusip, t.period_of_report, l.company_id, l.symbol
        FROM (SELECT DISTINCT cusip, period_of_report FROM disclosed.institution_position t %s
              WHERE cusip IS NOT NULL) t
        CROSS JOIN LATERAL disclosed.security_of(t.cusip, NULL, NULL, t.period_of_report) l
    $q$, disclosed.holdings_scope(by_security));
    ANALYZE pg_temp.work_security;
END $$;

-- The versions of those rows' holders: at each instant at which a row came or went, the sum of the
-- rows in force. A version comes from the report that came at that instant, or last before it.
CREATE FUNCTION sum_holders(by_security boolean) RETURNS void LANGUAGE plpgsql SET work_mem = '128MB' AS $$
BEGIN
    EXECUTE format($q$
        INSERT INTO pg_temp.work_lot
        SELECT t.issuer_id, t.period_of_report, s.company_id, s.symbol, t.known_at, t.superseded_at,
               count(*), sum(t.value), sum(t.shares), min(t.source_provider), min(t.source_url),
               min(t.accession), min(t.content_hash), min(t.extracted_at)
        FROM disclosed.institution_position t %s
        JOIN pg_temp.work_security s USING (cusip, period_of_report)
        WHERE t.shares_type = 'SH' AND t.put_call IS NULL AND s.symbol IS NOT NULL
          AND t.superseded_at IS DISTINCT FROM t.known_at %s
        GROUP BY 1, 2, 3, 4, 5, 6
    $q$, disclosed.holdings_scope(by_security),
         CASE WHEN by_security THEN 'AND s.symbol IN (SELECT symbol FROM pg_temp.work_symbol)' ELSE '' END);
    INSERT INTO pg_temp.fresh_holder
    WITH change AS (
        SELECT issuer_id, period_of_report, company_id, symbol, known_at AS at, rows, value, shares,
               source_provider, source_url, accession, content_hash, extracted_at
        FROM pg_temp.work_lot
        UNION ALL
        SELECT issuer_id, period_of_report, company_id, symbol, superseded_at, -rows, -value,
               -shares, NULL, NULL, NULL, NULL, NULL
        FROM pg_temp.work_lot WHERE superseded_at IS NOT NULL),
    instant AS (
        SELECT issuer_id, period_of_report, company_id, symbol, at, sum(rows) AS rows,
               sum(value) AS value, sum(shares) AS shares, min(source_provider) AS source_provider,
               min(source_url) AS source_url, min(accession) AS accession,
               min(content_hash) AS content_hash, min(extracted_at) AS extracted_at
        FROM change GROUP BY 1, 2, 3, 4, 5),
    state AS (
        SELECT i.*, lead(at) OVER timeline AS next_at, sum(rows) OVER timeline AS rows_held,
               sum(value) OVER timeline AS value_held, sum(shares) OVER timeline AS shares_held,
               count(source_provider) OVER timeline AS reports
        FROM instant i
        WINDOW timeline AS (PARTITION BY issuer_id, period_of_report, symbol, company_id ORDER BY at)),
    sourced AS (
        SELECT s.issuer_id, company_id, symbol, period_of_report, at, next_at, rows_held, value_held,
               shares_held, first_value(source_provider) OVER report AS source_provider,
               first_value(source_url) OVER report AS source_url,
               first_value(accession) OVER report AS accession,
               first_value(content_hash) OVER report AS content_hash,
               first_value(extracted_at) OVER report AS extracted_at
        FROM state s
        WINDOW report AS (PARTITION BY issuer_id, period_of_report, symbol, company_id, reports ORDER BY at))
    SELECT issuer_id, company_id, symbol, period_of_report, period_of_report || '/' || symbol, at,
           next_at, value_held, shares_held, source_provider, source_url, accession, content_hash,
           extracted_at
    FROM sourced WHERE rows_held > 0;
    EXECUTE format('INSERT INTO pg_temp.old_holder SELECT t.* FROM disclosed.institution_holder t %s',
                   CASE WHEN by_security THEN 'JOIN pg_temp.work_symbol w USING (symbol)'
                        ELSE 'JOIN pg_temp.work_portfolio w USING (issuer_id, period_of_report)' END);
    ANALYZE pg_temp.fresh_holder;
    ANALYZE pg_temp.old_holder;
END $$;

-- Puts the fresh versions in the place of the old ones; what is the same stays as it is.
CREATE FUNCTION replace_holders() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH gone AS (
            DELETE FROM disclosed.institution_holder t USING pg_temp.old_holder o
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id
              AND NOT EXISTS (SELECT 1 FROM pg_temp.fresh_holder f
                              WHERE f.issuer_id = o.issuer_id AND f.record_key = o.record_key
                                AND f.known_at = o.known_at AND f.company_id = o.company_id)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM gone $q$;
    EXECUTE $q$
        WITH changed AS (
            UPDATE disclosed.institution_holder t
            SET superseded_at = f.superseded_at, value = f.value, shares = f.shares,
                source_url = f.source_url, accession = f.accession, content_hash = f.content_hash
            FROM pg_temp.fresh_holder f JOIN pg_temp.old_holder o USING (issuer_id, record_key, known_at)
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id AND f.company_id = o.company_id
              AND (o.superseded_at, o.value, o.shares, o.source_url, o.accession, o.content_hash)
                  IS DISTINCT FROM (f.superseded_at, f.value, f.shares, f.source_url, f.accession,
                                    f.content_hash)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM changed $q$;
    EXECUTE $q$
        WITH record AS (
            SELECT k.issuer_id, k.record_key, coalesce(o.id, nextval('disclosed.record_id')) AS id
            FROM (SELECT DISTINCT issuer_id, record_key FROM pg_temp.fresh_holder) k
            LEFT JOIN (SELECT issuer_id, record_key, min(id) AS id FROM pg_temp.old_holder
                       GROUP BY issuer_id, record_key) o USING (issuer_id, record_key)),
        added AS (
            INSERT INTO disclosed.institution_holder (id, issuer_id, record_key, known_at,
                superseded_at, src_digest, source_provider, source_url, accession, content_hash,
                extracted_at, company_id, symbol, period_of_report, value, shares)
            SELECT r.id, f.issuer_id, f.record_key, f.known_at, f.superseded_at,
                   disclosed.source_digest('institution_holder', f.source_provider,
                                           coalesce(i.cik, i.issuer_id), f.record_key),
                   f.source_provider, f.source_url, f.accession, f.content_hash, f.extracted_at,
                   f.company_id, f.symbol, f.period_of_report, f.value, f.shares
            FROM pg_temp.fresh_holder f
            JOIN record r USING (issuer_id, record_key)
            JOIN disclosed.issuer i USING (issuer_id)
            WHERE NOT EXISTS (SELECT 1 FROM pg_temp.old_holder o
                              WHERE o.issuer_id = f.issuer_id AND o.record_key = f.record_key
                                AND o.known_at = f.known_at AND o.company_id = f.company_id)
            RETURNING issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM added $q$;
END $$;

-- What that has changed in the sums of each day. A version holds from its day on, in New York, until
-- the day on which it ends.
CREATE FUNCTION add_flow_days() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH version AS (
            SELECT symbol, company_id, period_of_report, known_at, superseded_at, 1 AS holders, value,
                   coalesce(shares, 0) AS shares, source_provider FROM pg_temp.fresh_holder
            UNION ALL
            SELECT symbol, company_id, period_of_report, known_at, superseded_at, -1, -value,
                   -coalesce(shares, 0), source_provider FROM pg_temp.old_holder),
        event AS (
            SELECT symbol, company_id, period_of_report, known_at AS at, holders, value, shares,
                   source_provider FROM version
            UNION ALL
            SELECT symbol, company_id, period_of_report, superseded_at, -holders, -value, -shares,
                   source_provider FROM version WHERE superseded_at IS NOT NULL)
        INSERT INTO pg_temp.work_day
        SELECT symbol, company_id, period_of_report, (at AT TIME ZONE 'America/New_York')::date,
               sum(holders), sum(value), sum(shares), min(source_provider)
        FROM event GROUP BY 1, 2, 3, 4
        HAVING sum(holders) <> 0 OR sum(value) <> 0 OR sum(shares) <> 0 $q$;
    ANALYZE pg_temp.work_day;
    EXECUTE $q$
        INSERT INTO disclosed.institution_flow_day AS d TABLE pg_temp.work_day
        ON CONFLICT (symbol, company_id, period_of_report, day) DO UPDATE
        SET holders = d.holders + excluded.holders, value = d.value + excluded.value,
            shares = d.shares + excluded.shares,
            source_provider = least(d.source_provider, excluded.source_provider) $q$;
    EXECUTE $q$
        DELETE FROM disclosed.institution_flow_day d USING pg_temp.work_day w
        WHERE d.symbol = w.symbol AND d.company_id = w.company_id AND d.day = w.day
          AND d.period_of_report = w.period_of_report
          AND d.holders = 0 AND d.value = 0 AND d.shares = 0 $q$;
END $$;

-- The sums that those days have changed, each from the first such day on: of the quarter itself, and of
-- the next one, which tells the change in holders against it.
CREATE FUNCTION find_changed_flows() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        INSERT INTO pg_temp.work_flow
        SELECT symbol, company_id, period_of_report, min(day)
        FROM (SELECT symbol, company_id, period_of_report, day FROM pg_temp.work_day
              UNION ALL
              SELECT w.symbol, w.company_id, disclosed.quarter_after(w.period_of_report), w.day
              FROM pg_temp.work_day w
              WHERE EXISTS (SELECT 1 FROM disclosed.institution_flow_day d
                            WHERE d.symbol = w.symbol AND d.company_id = w.company_id
                              AND d.period_of_report = disclosed.quarter_after(w.period_of_report))) w
        GROUP BY 1, 2, 3 $q$;
    ANALYZE pg_temp.work_flow;
    EXECUTE $q$
        INSERT INTO pg_temp.old_flow
        SELECT t.* FROM pg_temp.work_flow w
        JOIN disclosed.institution_flow t ON t.symbol = w.symbol AND t.issuer_id = w.company_id
         AND t.period_of_report = w.period_of_report
        WHERE t.superseded_at IS NULL OR t.superseded_at >= disclosed.end_of_day(w.from_day) $q$;
    ANALYZE pg_temp.old_flow;
END $$;

-- The versions of those sums: at the end of each day on which the quarter, or the number of holders of
-- the quarter before it, became another. What held before the first of these days is one state; the
-- version that began with it stays and ends anew.
CREATE FUNCTION sum_flows() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        INSERT INTO pg_temp.fresh_flow
        WITH event AS (
            SELECT w.symbol, w.company_id, w.period_of_report, greatest(d.day, w.from_day - 1) AS day,
                   d.holders, d.value, d.shares, 0 AS holders_before, false AS tells_before,
                   d.source_provider
            FROM pg_temp.work_flow w
            JOIN disclosed.institution_flow_day d USING (symbol, company_id, period_of_report)
            UNION ALL
            SELECT w.symbol, w.company_id, w.period_of_report, greatest(d.day, w.from_day - 1), 0, 0, 0,
                   d.holders, true, NULL
            FROM pg_temp.work_flow w
            JOIN disclosed.institution_flow_day d
              ON d.symbol = w.symbol AND d.company_id = w.company_id
             AND d.period_of_report = disclosed.quarter_before(w.period_of_report)),
        day AS (
            SELECT symbol, company_id, period_of_report, day, sum(holders) AS holders,
                   sum(value) AS value, sum(shares) AS shares, sum(holders_before) AS holders_before,
                   bool_or(tells_before) AS tells_before, min(source_provider) AS source_provider
            FROM event GROUP BY 1, 2, 3, 4),
        state AS (
            SELECT symbol, company_id, period_of_report, day, sum(holders) OVER timeline AS holders,
                   sum(value) OVER timeline AS value, sum(shares) OVER timeline AS shares,
                   CASE WHEN bool_or(tells_before) OVER timeline
                        THEN sum(holders) OVER timeline - sum(holders_before) OVER timeline
                   END AS holders_change,
                   min(source_provider) OVER whole AS source_provider
            FROM day
            WINDOW timeline AS (PARTITION BY symbol, company_id, period_of_report ORDER BY day),
                   whole AS (PARTITION BY symbol, company_id, period_of_report)),
        step AS (
            SELECT * FROM (
                SELECT s.*, lag((holders, value, shares, holders_change)) OVER timeline AS before
                FROM state s
                WINDOW timeline AS (PARTITION BY symbol, company_id, period_of_report ORDER BY day)) s
            WHERE before IS DISTINCT FROM (holders, value, shares, holders_change))
        SELECT s.company_id, s.symbol, s.period_of_report, s.symbol || '/' || s.period_of_report,
               coalesce(o.known_at, disclosed.end_of_day(day)), disclosed.end_of_day(next_day), s.holders,
               s.holders_change, s.value, s.shares, s.source_provider
        FROM (SELECT s.*, lead(day) OVER (PARTITION BY symbol, company_id, period_of_report
                                          ORDER BY day) AS next_day FROM step s) s
        JOIN pg_temp.work_flow w USING (symbol, company_id, period_of_report)
        LEFT JOIN pg_temp.old_flow o
          ON s.day < w.from_day AND o.issuer_id = s.company_id AND o.symbol = s.symbol
         AND o.period_of_report = s.period_of_report
         AND o.known_at < disclosed.end_of_day(w.from_day)
        WHERE s.holders > 0 $q$;
    ANALYZE pg_temp.fresh_flow;
END $$;

CREATE FUNCTION replace_flows() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH gone AS (
            DELETE FROM disclosed.institution_flow t USING pg_temp.old_flow o
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id
              AND NOT EXISTS (SELECT 1 FROM pg_temp.fresh_flow f
                              WHERE f.issuer_id = o.issuer_id AND f.record_key = o.record_key
                                AND f.known_at = o.known_at)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM gone $q$;
    EXECUTE $q$
        WITH changed AS (
            UPDATE disclosed.institution_flow t
            SET superseded_at = f.superseded_at, holders = f.holders, value = f.value,
                holders_change = f.holders_change, shares = f.shares
            FROM pg_temp.fresh_flow f JOIN pg_temp.old_flow o USING (issuer_id, record_key, known_at)
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id
              AND (o.superseded_at, o.holders, o.holders_change, o.value, o.shares)
                  IS DISTINCT FROM (f.superseded_at, f.holders, f.holders_change, f.value, f.shares)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM changed $q$;
    EXECUTE $q$
        WITH record AS (
            SELECT k.issuer_id, k.record_key, coalesce(t.id, o.id, nextval('disclosed.record_id')) AS id
            FROM (SELECT DISTINCT issuer_id, record_key FROM pg_temp.fresh_flow) k
            LEFT JOIN (SELECT issuer_id, record_key, min(id) AS id FROM pg_temp.old_flow
                       GROUP BY issuer_id, record_key) o USING (issuer_id, record_key)
            LEFT JOIN LATERAL (SELECT min(t.id) AS id FROM disclosed.institution_flow t
                               WHERE t.issuer_id = k.issuer_id AND t.record_key = k.record_key) t ON true),
        added AS (
            INSERT INTO disclosed.institution_flow (id, issuer_id, record_key, known_at,
                superseded_at, src_digest, source_provider, symbol, period_of_report,
                holders, holders_change, value, shares)
            SELECT r.id, f.issuer_id, f.record_key, f.known_at, f.superseded_at,
                   disclosed.source_digest('institution_flow', f.source_provider,
                                           coalesce(i.cik, i.issuer_id), f.record_key),
                   f.source_provider, f.symbol, f.period_of_report, f.holders,
                   f.holders_change, f.value, f.shares
            FROM pg_temp.fresh_flow f
            JOIN record r USING (issuer_id, record_key)
            JOIN disclosed.issuer i USING (issuer_id)
            WHERE NOT EXISTS (SELECT 1 FROM pg_temp.old_flow o
                              WHERE o.issuer_id = f.issuer_id AND o.record_key = f.record_key
                                AND o.known_at = f.known_at)
            RETURNING issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM added $q$;
END $$;

-- Nested loops are kept from being planned for a large load into tables of which nothing is known yet,
-- as before their first ANALYZE, where they are taken for small.
CREATE FUNCTION plan_for_size(large boolean) RETURNS void LANGUAGE sql AS $$
    SELECT set_config('enable_nestloop', CASE WHEN large AND c.reltuples < 100000 THEN 'off' ELSE 'on' END, true)
    FROM pg_class c WHERE c.oid = 'disclosed.institution_position'::regclass
$$;

-- Holders and flows of the quarters in work_portfolio, or of the securities in work_symbol.
CREATE FUNCTION derive_holdings(by_security boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.plan_for_size((SELECT count(*) FROM pg_temp.work_portfolio) > 200
                                    OR (SELECT count(*) FROM pg_temp.work_cusip) > 200);
    PERFORM disclosed.look_up_securities(by_security);
    PERFORM disclosed.sum_holders(by_security);
    PERFORM disclosed.replace_holders();
    PERFORM disclosed.add_flow_days();
    PERFORM disclosed.find_changed_flows();
    PERFORM disclosed.sum_flows();
    PERFORM disclosed.replace_flows();
    PERFORM disclosed.plan_for_size(false);
END $$;

-- ------------------------------------------------ what follows from a load

-- CUSIPs have come to mean something else: the holders and flows of the listings that they meant
-- before and mean now follow. Rows from `recorded_before` on are counted by who calls.
CREATE FUNCTION apply_security_changes(recorded_before timestamptz) RETURNS void
LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_temp.security_change WHERE NOT applied) THEN
        RETURN;
    END IF;
    PERFORM disclosed.begin_holdings_work();
    TRUNCATE pg_temp.work_symbol, pg_temp.work_cusip;
    INSERT INTO pg_temp.work_symbol
    SELECT r.symbol FROM pg_temp.replaced_link r JOIN pg_temp.security_change c USING (cusip)
    WHERE NOT c.applied AND r.symbol IS NOT NULL
    UNION
    SELECT l.symbol FROM disclosed.security_link l JOIN pg_temp.security_change c USING (cusip)
    WHERE NOT c.applied AND l.symbol IS NOT NULL;
    ANALYZE pg_temp.work_symbol;
    INSERT INTO pg_temp.work_cusip
    SELECT DISTINCT l.cusip FROM disclosed.security_link l JOIN pg_temp.work_symbol w USING (symbol);
    ANALYZE pg_temp.work_cusip;
    ANALYZE pg_temp.security_change;
    PERFORM disclosed.derive_holdings(true);
    PERFORM disclosed.count_unmapped_securities(recorded_before);
    UPDATE pg_temp.security_change SET applied = true;
END $$;

-- Reports or rows of managers have come. Returns whose holders and flows have changed.
CREATE FUNCTION settle_institutions(managers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.begin_holdings_work();
    TRUNCATE pg_temp.work_touched;
    PERFORM disclosed.find_changed_portfolios(managers);
    PERFORM disclosed.close_restated_positions();
    PERFORM disclosed.link_new_positions();
    -- CUSIPs that only the new rows have are settled with them.
    UPDATE pg_temp.security_change c SET applied = true
    WHERE NOT EXISTS (SELECT 1 FROM disclosed.security_title t
                      WHERE t.cusip = c.cusip AND t.first_seen < now());
    PERFORM disclosed.apply_security_changes(now());
    PERFORM disclosed.begin_holdings_work();
    PERFORM disclosed.derive_holdings(false);
    PERFORM disclosed.count_unmapped_portfolios();
    PERFORM disclosed.total_reports();
    RETURN QUERY SELECT DISTINCT issuer_id FROM pg_temp.work_touched;
END $$;

-- CUSIPs have been linked otherwise.
CREATE FUNCTION follow_securities(companies bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.begin_holdings_work();
    TRUNCATE pg_temp.work_touched;
    PERFORM disclosed.apply_security_changes('infinity');
    RETURN QUERY SELECT issuer_id FROM pg_temp.work_touched
                 UNION SELECT * FROM disclosed.changed_securities();
END $$;

-- Filings of managers have come: reports that were known by less are known from when the filing was, with
-- their rows. Returns the managers whose reports have changed.
CREATE FUNCTION date_institution_reports(filers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    SELECT disclosed.redate_institution_reports(array_agg(f.accession), array_agg(f.known_at),
                                                array_agg(f.filed_on), array_agg('filing'::text))
    INTO changed
    FROM (SELECT DISTINCT ON (x.accession) x.accession, x.known_at, x.filed_on
          FROM disclosed.institution_report r
          JOIN disclosed.filing x
            ON x.accession = r.accession AND x.issuer_id = r.issuer_id AND x.superseded_at IS NULL
          WHERE r.issuer_id = ANY (filers) AND r.superseded_at IS NULL
          ORDER BY x.accession, x.known_at) f;
    IF changed IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.settle_institutions(changed);
        RETURN QUERY SELECT unnest(changed);
    END IF;
END $$;

-- ------------------------------------------------------------------ rights

GRANT SELECT ON institution_flow_day TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON institution_flow_day TO disclosed_loader;
