-- A row that was in force at no time, as another copy of its report has put it right, no longer has a say in what its CUSIP is: titles count
-- the rows that are or were in force.

SET LOCAL search_path = disclosed, public;

-- Equity holdings that title their CUSIPs: of what is traded in USD, as what is listed here is; abroad there are others of the same names. Where CUSIP
-- and ISIN contradict each other, the row says nothing.
CREATE VIEW titled_holding AS
SELECT coalesce(x.cusip, disclosed.cusip_of_isin(x.isin)) AS cusip, x.name, x.title, x.recorded_at, x.known_at, x.superseded_at, x.issuer_id,
       x.report_key, disclosed.is_written(x.xmin) AS is_written
FROM disclosed.fund_holding x
WHERE x.asset_category IN ('EC', 'EP') AND x.currency = 'USD' AND x.name IS NOT NULL
  AND (x.cusip = disclosed.cusip_of_isin(x.isin)) IS NOT FALSE;
GRANT SELECT ON titled_holding TO disclosed_loader;

-- What the title of an issue says beyond the name of its issuer; NULL where name and title contradict each other ("INTELSAT SA", "SES S A COMMON
-- STOCK").
CREATE FUNCTION class_of_holding(name text, title text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT c.class_title
    FROM (SELECT CASE WHEN starts_with(upper(title), upper(name)) THEN trim(substr(title, length(name) + 1), ' ,-')
                      ELSE coalesce(title, '') END AS class_title) c
    WHERE c.class_title = '' OR disclosed.first_word_of_name(title) = disclosed.first_word_of_name(name)
       OR (disclosed.class_of_title(c.class_title)).kind IS NOT NULL
$$;

-- How equity holdings that were recorded from an instant on title their CUSIPs.
CREATE OR REPLACE FUNCTION titles_of_holdings(since timestamptz)
RETURNS TABLE (cusip text, issuer_title text, class_title text, rows_seen bigint)
LANGUAGE sql STABLE AS $$
    WITH held AS MATERIALIZED ( -- each title once, however many rows have it
        SELECT h.cusip, h.name, disclosed.class_of_holding(h.name, h.title) AS class_title, h.rows_seen
        FROM (SELECT x.cusip, x.name, x.title, count(*) AS rows_seen FROM disclosed.titled_holding x
              WHERE x.recorded_at >= since GROUP BY 1, 2, 3 OFFSET 0) h)
    SELECT h.cusip, h.name, h.class_title, sum(h.rows_seen)::bigint
    FROM held h
    WHERE disclosed.cusip_is_valid(h.cusip) AND h.class_title IS NOT NULL
    GROUP BY h.cusip, h.name, h.class_title
$$;

-- Counts the rows of these titles anew, those of information tables and of funds' holdings, and links their CUSIPs. Parallel arrays.
CREATE FUNCTION recount_titles(cusips text[], issuer_titles text[], class_titles text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE disclosed.security_title s SET rows_seen = n.positions + n.holdings
    FROM (SELECT m.cusip, m.issuer_title, m.class_title,
                 (SELECT count(*) FROM disclosed.institution_position p
                  WHERE p.cusip = m.cusip AND p.issuer_title = m.issuer_title AND coalesce(p.class_title, '') = m.class_title
                    AND p.superseded_at IS DISTINCT FROM p.known_at) AS positions,
                 (SELECT count(*) FROM disclosed.titled_holding h
                  WHERE h.cusip = m.cusip AND h.name = m.issuer_title AND disclosed.class_of_holding(h.name, h.title) = m.class_title
                    AND h.superseded_at IS DISTINCT FROM h.known_at) AS holdings
          FROM unnest(cusips, issuer_titles, class_titles) AS m(cusip, issuer_title, class_title)) n
    WHERE s.cusip = n.cusip AND s.issuer_title = n.issuer_title AND s.class_title = n.class_title
      AND s.rows_seen <> n.positions + n.holdings;
    IF FOUND THEN
        PERFORM disclosed.link_cusips(ARRAY(SELECT DISTINCT unnest(cusips)));
    END IF;
END $$;

-- Titles whose number of rows this load may have changed, of rows that were there before or were never in force. Of a title that many rows have
-- one row more or less decides nothing: it is counted anew only where one has left it.
CREATE FUNCTION recount_titles_of_positions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    cusips text[];
    issuer_titles text[];
    class_titles text[];
BEGIN
    SELECT array_agg(m.cusip), array_agg(m.issuer_title), array_agg(m.class_title) INTO cusips, issuer_titles, class_titles
    FROM (SELECT t.cusip, t.issuer_title, coalesce(t.class_title, '') AS class_title,
                 bool_or(t.superseded_at IS NOT DISTINCT FROM t.known_at) AS is_left
          FROM pg_temp.work_portfolio w JOIN disclosed.institution_position t USING (issuer_id, period_of_report)
          WHERE t.cusip IS NOT NULL AND disclosed.is_written(t.xmin) AND (t.recorded_at < now() OR t.superseded_at = t.known_at)
          GROUP BY 1, 2, 3) m
    JOIN disclosed.security_title s USING (cusip, issuer_title, class_title)
    WHERE m.is_left OR s.rows_seen < 1000;
    IF cusips IS NOT NULL THEN
        PERFORM disclosed.recount_titles(cusips, issuer_titles, class_titles);
    END IF;
END $$;

-- The same of holdings of these reports.
CREATE FUNCTION recount_titles_of_holdings(reports bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    cusips text[];
    issuer_titles text[];
    class_titles text[];
BEGIN
    SELECT array_agg(m.cusip), array_agg(m.name), array_agg(m.class_title) INTO cusips, issuer_titles, class_titles
    FROM (SELECT h.cusip, h.name, disclosed.class_of_holding(h.name, h.title) AS class_title,
                 bool_or(h.superseded_at IS NOT DISTINCT FROM h.known_at) AS is_left
          FROM (SELECT DISTINCT f.issuer_id, f.record_key FROM disclosed.fund f WHERE f.id = ANY (reports)) f
          JOIN disclosed.titled_holding h ON h.issuer_id = f.issuer_id AND h.report_key = f.record_key
          WHERE h.is_written AND (h.recorded_at < now() OR h.superseded_at = h.known_at)
          GROUP BY 1, 2, 3) m
    JOIN disclosed.security_title s ON s.cusip = m.cusip AND s.issuer_title = m.name AND s.class_title = m.class_title
    WHERE m.is_left OR s.rows_seen < 1000;
    IF cusips IS NOT NULL THEN
        PERFORM disclosed.recount_titles(cusips, issuer_titles, class_titles);
    END IF;
END $$;

-- What the titles of CUSIPs say together: one in ten rows may say something else, as some managers' rows have slipped. Titles of class that are not
-- understood do not count for the listing, and those that no row has in force do not count at all.
CREATE OR REPLACE FUNCTION links_by_name(cusips text[])
RETURNS TABLE (cusip text, company_id bigint, symbol text) LANGUAGE sql STABLE AS $$
    WITH company AS (
        SELECT t.cusip, t.company_id, sum(t.rows_seen) AS votes,
               sum(sum(t.rows_seen)) OVER (PARTITION BY t.cusip) AS all_votes
        FROM disclosed.security_title t
        WHERE t.cusip = ANY (cusips) AND t.company_id IS NOT NULL AND t.rows_seen > 0
        GROUP BY t.cusip, t.company_id),
    listed AS (
        SELECT t.cusip, t.company_id, t.symbol, sum(t.rows_seen) AS votes,
               sum(sum(t.rows_seen)) OVER (PARTITION BY t.cusip) AS all_votes
        FROM company c JOIN disclosed.security_title t USING (cusip, company_id)
        WHERE c.votes >= 0.9 * c.all_votes AND t.kind IS NOT NULL AND t.rows_seen > 0
        GROUP BY t.cusip, t.company_id, t.symbol)
    SELECT c.cusip, c.company_id, l.symbol
    FROM company c
    LEFT JOIN listed l ON l.cusip = c.cusip AND l.symbol IS NOT NULL AND l.votes >= 0.9 * l.all_votes
    WHERE c.votes >= 0.9 * c.all_votes
$$;

-- Funds, classes or holdings have come: CUSIPs that the holdings title are linked, and reports whose
-- time, name or holdings are others than when they were reconciled are reconciled. Exposures are counted as
-- they change, so that no company is counted anew.
CREATE OR REPLACE FUNCTION reconcile_funds(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    reports bigint[] := ARRAY(SELECT * FROM disclosed.unreconciled_fund_reports(issuers));
    fresh bigint[] := ARRAY(
        SELECT f.id FROM disclosed.fund f WHERE f.id = ANY(reports) AND f.settled_from IS NULL
        UNION
        SELECT f.id
        FROM (SELECT DISTINCT h.issuer_id, h.report_key FROM disclosed.fund_holding h
              WHERE h.recorded_at = now() AND h.issuer_id = ANY(issuers)) h
        JOIN disclosed.fund f ON f.issuer_id = h.issuer_id AND f.record_key = h.report_key);
BEGIN
    PERFORM disclosed.link_new_holdings(now());
    PERFORM disclosed.recount_titles_of_holdings(ARRAY(SELECT unnest(reports) UNION SELECT unnest(fresh)));
    PERFORM disclosed.reconcile_fund_reports(ARRAY(SELECT unnest(reports) UNION SELECT unnest(fresh)), fresh);
END $$;

-- Reports or rows of managers have come. Returns whose holders and flows have changed.
CREATE OR REPLACE FUNCTION reconcile_institutions(managers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.begin_holdings_work();
    TRUNCATE pg_temp.work_touched;
    PERFORM disclosed.find_changed_portfolios(managers);
    PERFORM disclosed.close_restated_positions();
    PERFORM disclosed.link_new_positions();
    PERFORM disclosed.recount_titles_of_positions();
    -- CUSIPs that only the new rows have are reconciled with them.
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
