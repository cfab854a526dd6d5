-- What a load costs follows from what it changes: a CUSIP that is linked otherwise lets only positions and holdings with it be read.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ holders of CUSIPs that are linked otherwise

-- The rows that are looked at: those in work_row, or of the quarters in work_portfolio.
CREATE OR REPLACE FUNCTION holdings_scope(by_security boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN by_security THEN 'JOIN pg_temp.work_row w USING (issuer_id, row_id)'
                ELSE 'JOIN pg_temp.work_portfolio w USING (issuer_id, period_of_report)' END
$$;

-- What the CUSIPs of those rows are, each at the end of its quarter.
CREATE OR REPLACE FUNCTION look_up_securities(by_security boolean) RETURNS void
LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE format($q$
        INSERT INTO pg_temp.work_security
        SELECT t.cusip, t.period_of_report, l.company_id, l.symbol
        FROM (SELECT DISTINCT cusip, period_of_report FROM %s WHERE cusip IS NOT NULL) t
        CROSS JOIN LATERAL disclosed.security_of(t.cusip, NULL, NULL, t.period_of_report) l
    $q$, CASE WHEN by_security THEN 'pg_temp.work_row'
              ELSE 'disclosed.institution_position t ' || disclosed.holdings_scope(false) END);
    ANALYZE pg_temp.work_security;
END $$;

-- The versions of those rows' holders: at each instant at which a row came or went, the sum of the
-- rows in force. A version comes from the report that came at that instant, or last before it.
CREATE OR REPLACE FUNCTION sum_holders(by_security boolean) RETURNS void LANGUAGE plpgsql SET work_mem = '128MB' AS $$
BEGIN
    EXECUTE format($q$
        INSERT INTO pg_temp.work_lot
        SELECT t.issuer_id, t.period_of_report, s.company_id, s.symbol, t.known_at, t.superseded_at,
               count(*), sum(t.value), sum(t.shares), min(t.source_provider), min(t.source_url),
               min(t.accession), min(t.content_hash), min(t.extracted_at)
        FROM disclosed.institution_position_sourced t %s
        JOIN pg_temp.work_security s ON s.cusip = t.cusip AND s.period_of_report = t.period_of_report
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
    EXECUTE format('INSERT INTO pg_temp.old_holder SELECT t.* FROM %s',
                   CASE WHEN by_security THEN
                        '(SELECT DISTINCT issuer_id, period_of_report FROM pg_temp.work_row) w CROSS JOIN pg_temp.work_symbol s
                         JOIN disclosed.institution_holder_sourced t
                           ON t.issuer_id = w.issuer_id AND t.record_key = w.period_of_report || ''/'' || s.symbol'
                        ELSE 'disclosed.institution_holder_sourced t JOIN pg_temp.work_portfolio w USING (issuer_id, period_of_report)' END);
    ANALYZE pg_temp.fresh_holder;
    ANALYZE pg_temp.old_holder;
END $$;

-- Holders and flows of the quarters in work_portfolio, or of the listings in work_symbol by the positions in work_row.
CREATE OR REPLACE FUNCTION derive_holdings(by_security boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    many boolean;
BEGIN
    IF by_security THEN
        many := (SELECT count(*) FROM pg_temp.work_row) > 200;
    ELSE
        many := (SELECT count(*) FROM pg_temp.work_portfolio) > 200;
    END IF;
    PERFORM disclosed.plan_for_size(many);
    PERFORM disclosed.look_up_securities(by_security);
    PERFORM disclosed.sum_holders(by_security);
    PERFORM disclosed.replace_holders();
    PERFORM disclosed.add_flow_days();
    PERFORM disclosed.find_changed_flows();
    PERFORM disclosed.sum_flows();
    PERFORM disclosed.replace_flows();
    PERFORM disclosed.plan_for_size(false);
END $$;

-- The positions from which the holders follow that a CUSIP which is linked otherwise may change: those with the CUSIP, and those that the same
-- manager reports for the same quarter with another CUSIP of the listing. Of these it has a holder already, or they are the caller's.
CREATE FUNCTION find_relinked_positions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    IF to_regclass('pg_temp.work_row') IS NULL THEN
        CREATE TEMP TABLE work_row (issuer_id bigint, row_id bigint, cusip text, period_of_report date, is_current boolean) ON COMMIT DELETE ROWS;
    END IF;
    TRUNCATE pg_temp.work_symbol, pg_temp.work_cusip, pg_temp.work_row;
    INSERT INTO pg_temp.work_symbol
    SELECT r.symbol FROM pg_temp.replaced_link r JOIN pg_temp.security_change c USING (cusip)
    WHERE NOT c.applied AND r.symbol IS NOT NULL
    UNION
    SELECT l.symbol FROM disclosed.security_link l JOIN pg_temp.security_change c USING (cusip)
    WHERE NOT c.applied AND l.symbol IS NOT NULL;
    ANALYZE pg_temp.work_symbol;
    ANALYZE pg_temp.security_change;
    INSERT INTO pg_temp.work_row
    SELECT t.issuer_id, t.row_id, t.cusip, t.period_of_report, t.superseded_at IS NULL
    FROM pg_temp.security_change c JOIN disclosed.institution_position t USING (cusip) WHERE NOT c.applied;
    ANALYZE pg_temp.work_row;
    INSERT INTO pg_temp.work_cusip
    SELECT DISTINCT l.cusip FROM disclosed.security_link l JOIN pg_temp.work_symbol w USING (symbol)
    WHERE NOT EXISTS (SELECT 1 FROM pg_temp.security_change c WHERE c.cusip = l.cusip AND NOT c.applied);
    IF NOT FOUND THEN
        RETURN;
    END IF;
    ANALYZE pg_temp.work_cusip;
    INSERT INTO pg_temp.work_row
    SELECT t.issuer_id, t.row_id, t.cusip, t.period_of_report, t.superseded_at IS NULL
    FROM (SELECT DISTINCT issuer_id, period_of_report FROM pg_temp.work_row) w
    JOIN disclosed.institution_position t ON t.issuer_id = w.issuer_id AND t.period_of_report = w.period_of_report
    WHERE t.cusip IN (SELECT cusip FROM pg_temp.work_cusip)
      AND EXISTS (SELECT 1 FROM pg_temp.work_symbol s JOIN disclosed.institution_holder h
                    ON h.issuer_id = w.issuer_id AND h.record_key = w.period_of_report || '/' || s.symbol);
    ANALYZE pg_temp.work_row;
END $$;

-- Links of CUSIPs have changed: rows without a listing in the quarters that have been counted, by those that have got or lost one. Quarters that
-- have not been counted yet are the caller's.
CREATE OR REPLACE FUNCTION count_unmapped_securities() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    more numeric;
BEGIN
    EXECUTE $q$
        WITH relinked AS MATERIALIZED (
            SELECT w.* FROM pg_temp.work_row w JOIN pg_temp.security_change c USING (cusip) WHERE NOT c.applied AND w.is_current),
        turned AS (
            SELECT d.cusip, d.period_of_report, CASE WHEN now_is.symbol IS NULL THEN 1 ELSE -1 END AS change
            FROM (SELECT DISTINCT cusip, period_of_report FROM relinked) d
            LEFT JOIN LATERAL disclosed.security_of(d.cusip, NULL, NULL, d.period_of_report) now_is ON true
            LEFT JOIN LATERAL (
                SELECT r.symbol FROM pg_temp.replaced_link r
                WHERE r.cusip = d.cusip AND d.period_of_report BETWEEN r.valid_from AND r.valid_to
                ORDER BY r.precedence, r.valid_from DESC LIMIT 1) was ON true
            WHERE (now_is.symbol IS NULL) <> (was.symbol IS NULL)),
        change AS (
            SELECT r.issuer_id, r.period_of_report, sum(turned.change) AS entries
            FROM turned JOIN relinked r USING (cusip, period_of_report)
            GROUP BY 1, 2),
        kept AS (
            UPDATE disclosed.institution_unmapped u SET entries = u.entries + c.entries
            FROM change c
            WHERE u.issuer_id = c.issuer_id AND u.period_of_report = c.period_of_report
            RETURNING c.entries)
        SELECT coalesce(sum(entries), 0) FROM kept $q$ INTO more;
    PERFORM disclosed.count_unmapped(more);
END $$;

-- CUSIPs have come to mean something else: the holders and flows of the listings that they meant
-- before and mean now follow.
CREATE OR REPLACE FUNCTION apply_security_changes() RETURNS void
LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_temp.security_change WHERE NOT applied) THEN
        RETURN;
    END IF;
    PERFORM disclosed.begin_holdings_work();
    PERFORM disclosed.find_relinked_positions();
    PERFORM disclosed.derive_holdings(true);
    PERFORM disclosed.count_unmapped_securities();
    UPDATE pg_temp.security_change SET applied = true;
    PERFORM disclosed.forget_replaced_links();
END $$;

-- Maps the holdings in pg_temp.fund_row again; returns the reports of those that have moved. As few as these mostly are, they are looked up.
CREATE OR REPLACE FUNCTION map_fund_rows() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    dated text[] := disclosed.dated_cusips();
BEGIN
    PERFORM disclosed.analyze_working('fund_row');
    INSERT INTO pg_temp.fund_code
    SELECT h.issuer_id, h.row_id, r.report_id, h.company_id, h.symbol,
           disclosed.said_of_security(h.cusip, h.isin, h.ticker, h.name, h.title, r.report_date, dated)
    FROM pg_temp.fund_row r JOIN disclosed.fund_holding h USING (issuer_id, row_id);
    PERFORM disclosed.analyze_working('fund_code');
    RETURN QUERY SELECT * FROM disclosed.map_fund_codes();
END $$;

-- CUSIPs have been linked otherwise: holdings of funds with these CUSIPs, or with ISINs that have them, are mapped again.
CREATE OR REPLACE FUNCTION remap_linked_funds(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.begin_fund_rows();
    INSERT INTO pg_temp.fund_row
    SELECT c.issuer_id, c.row_id, f.id, f.report_date
    FROM (SELECT h.issuer_id, h.row_id, h.report_key
          FROM pg_temp.security_change s JOIN disclosed.fund_holding h
            ON coalesce(h.cusip, disclosed.cusip_of_isin(h.isin)) = s.cusip AND h.asset_category IN ('EC', 'EP') OFFSET 0) c
    CROSS JOIN LATERAL disclosed.report_of_holding(c.issuer_id, c.report_key) f;
    RETURN QUERY SELECT * FROM disclosed.remap_funds('{}');
END $$;
