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

-- ------------------------------------------------------------------------------ events of companies that have many

-- States of one kind that are further apart than these days are not of one event: quarters of 52-week years end off the month, and calendars round to it.
CREATE FUNCTION event_distance(has_period boolean) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS
$$ SELECT CASE WHEN has_period THEN 25 ELSE 10 END $$;

-- Where each record stands at which times: results by the end of their period, once that is known, else by their day. It stays where it stood last. States
-- that are no further apart than that make a component.
CREATE OR REPLACE FUNCTION place_event_evidence() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    INSERT INTO pg_temp.event_state
    WITH told AS (
        SELECT record_id, kind, issuer_id AS home_id, source_key, row_id, holder_id AS issuer_id, type, known_at AS since,
               type = 'earnings' AND period_end_date IS NOT NULL
                   AND coalesce(period_known_at <= known_at, true) AS has_period, period_end_date, event_on
        FROM pg_temp.event_evidence
        UNION ALL
        SELECT record_id, kind, issuer_id AS home_id, source_key, row_id, holder_id AS issuer_id, type, period_known_at, true, period_end_date,
               event_on
        FROM pg_temp.event_evidence
        WHERE type = 'earnings' AND period_end_date IS NOT NULL AND period_known_at > known_at
          AND (superseded_at IS NULL OR period_known_at < superseded_at)),
    lasting AS (
        SELECT * FROM (SELECT t.*, CASE WHEN has_period THEN period_end_date ELSE event_on END AS place,
                              lead(since) OVER w IS DISTINCT FROM since AS lasts, min(since) OVER (PARTITION BY record_id) AS first_at
                       FROM told t WINDOW w AS (PARTITION BY record_id ORDER BY since, row_id)) l
        WHERE lasts),
    turned AS (
        SELECT * FROM (SELECT l.*, (issuer_id, type, has_period, place) IS NOT DISTINCT FROM
                                   (lag(issuer_id) OVER w, lag(type) OVER w, lag(has_period) OVER w, lag(place) OVER w) AS is_same
                       FROM lasting l WINDOW w AS (PARTITION BY record_id ORDER BY since)) t
        WHERE NOT is_same),
    ended AS (
        SELECT t.*, coalesce(lead(since) OVER w, 'infinity') AS until, count(*) OVER (PARTITION BY record_id) = 1 AS is_only
        FROM turned t WINDOW w AS (PARTITION BY record_id ORDER BY since)),
    begun AS (
        SELECT e.*, coalesce(place - lag(place) OVER w > disclosed.event_distance(has_period), true) AS is_first
        FROM ended e
        WINDOW w AS (PARTITION BY issuer_id, type, has_period ORDER BY place, kind, record_id, since))
    SELECT record_id, kind, home_id, source_key, first_at, since, until, is_only, issuer_id, type, has_period, place,
           count(*) FILTER (WHERE is_first) OVER (
               ORDER BY issuer_id, type, has_period, place, kind, record_id, since)
    FROM begun;
    PERFORM disclosed.analyze_working('event_state');
    INSERT INTO pg_temp.event_component
    SELECT component, min(issuer_id), bool_and(has_period), min(place), max(place),
           (array_agg(record_id ORDER BY first_at, kind, source_key, record_id))[1], count(*),
           CASE WHEN count(*) > 1 OR min(since) = min(first_at) THEN '-infinity' ELSE min(since) END,
           CASE WHEN count(*) > 1 THEN 'infinity' ELSE min(until) END,
           bool_and(is_only) AND max(place) - min(place) <= disclosed.event_distance(bool_and(has_period))
    FROM pg_temp.event_state GROUP BY component;
    PERFORM disclosed.analyze_working('event_component', 'component', 'issuer_id');
    -- A record that stands alone wherever it stands is of its own event all the time.
    UPDATE pg_temp.event_component c SET is_plain = true
    FROM pg_temp.event_state s
    JOIN (SELECT o.record_id FROM pg_temp.event_state o JOIN pg_temp.event_component d USING (component)
          WHERE NOT o.is_only GROUP BY o.record_id HAVING max(d.states) = 1) alone USING (record_id)
    WHERE c.component = s.component;
END $$;

-- Divides components that are not plain, at each instant at which one of their states begins or ends. The instants are taken in about as many spans
-- as a span has of them. States that last throughout a span, each near the next, are one piece of it; each other state is a piece alone. A piece that
-- lasts and is far from all that do not is an event throughout the span, and only the other pieces are put together at each instant.
CREATE OR REPLACE FUNCTION slice_event_components() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' SET enable_nestloop = off AS $$
BEGIN
    WITH state AS MATERIALIZED (
        SELECT s.*, rank() OVER (ORDER BY s.first_at, s.kind, s.source_key, s.record_id) AS seniority
        FROM pg_temp.event_state s JOIN pg_temp.event_component c USING (component) WHERE NOT c.is_plain),
    instant AS MATERIALIZED (
        SELECT component, at, coalesce(lead(at) OVER w, 'infinity') AS until,
               (row_number() OVER w - 1) / greatest(16, sqrt(count(*) OVER (PARTITION BY component))::integer) AS span
        FROM (SELECT component, since AS at FROM state
              UNION
              SELECT component, until FROM state WHERE until < 'infinity') i
        WINDOW w AS (PARTITION BY component ORDER BY at)),
    present AS (
        SELECT s.*, n.span, n.since AS span_since, n.until AS span_until, s.since <= n.since AND s.until >= n.until AS lasts
        FROM (SELECT component, span, min(at) AS since, max(until) AS until FROM instant GROUP BY 1, 2) n
        JOIN state s ON s.component = n.component AND s.since < n.until AND s.until > n.since),
    begun AS (
        SELECT p.*, NOT lasts OR coalesce(place - lag(place) OVER w > disclosed.event_distance(has_period), true) AS is_first
        FROM present p WINDOW w AS (PARTITION BY component, span, lasts ORDER BY place, kind, record_id)),
    member AS MATERIALIZED (
        SELECT b.*, count(*) FILTER (WHERE is_first) OVER (
                   PARTITION BY component, span ORDER BY lasts, place, kind, record_id, since) AS piece
        FROM begun b),
    piece AS (
        SELECT component, span, piece, min(issuer_id) AS issuer_id, bool_and(has_period) AS has_period, bool_and(lasts) AS lasts,
               min(place) AS first_on, max(place) AS last_on, max(greatest(since, span_since)) AS since, min(least(until, span_until)) AS until,
               min(seniority) AS seniority
        FROM member GROUP BY component, span, piece),
    alone AS MATERIALIZED (
        SELECT p.*, lasts
               AND coalesce(first_on - max(last_on) FILTER (WHERE NOT lasts) OVER before > disclosed.event_distance(has_period), true)
               AND coalesce(min(first_on) FILTER (WHERE NOT lasts) OVER behind - last_on > disclosed.event_distance(has_period), true) AS is_alone
        FROM piece p
        WINDOW before AS (PARTITION BY component, span ORDER BY first_on, piece ROWS UNBOUNDED PRECEDING),
               behind AS (PARTITION BY component, span ORDER BY first_on DESC, piece DESC ROWS UNBOUNDED PRECEDING)),
    met AS (
        SELECT a.component, a.span, a.piece, a.issuer_id, a.has_period, a.first_on, a.last_on, a.seniority, i.at, i.until AS at_until,
               coalesce(a.first_on - max(a.last_on) OVER w > disclosed.event_distance(a.has_period), true) AS is_first
        FROM alone a JOIN instant i ON i.component = a.component AND i.span = a.span AND a.since <= i.at AND a.until > i.at
        WHERE NOT a.is_alone
        WINDOW w AS (PARTITION BY a.component, i.at ORDER BY a.first_on, a.piece ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)),
    parted AS (
        SELECT m.*, count(*) FILTER (WHERE is_first) OVER (PARTITION BY component, at ORDER BY first_on, piece) AS part FROM met m),
    placed AS (
        SELECT component, span, piece, issuer_id, has_period, first_on, last_on, at, at_until, part,
               min(seniority) OVER (PARTITION BY component, at, part) AS seniority
        FROM parted
        UNION ALL
        SELECT component, span, piece, issuer_id, has_period, first_on, last_on, since, until, -piece, seniority FROM alone WHERE is_alone),
    named AS MATERIALIZED (
        SELECT p.*, s.record_id AS cluster FROM placed p JOIN (SELECT DISTINCT seniority, record_id FROM state) s USING (seniority)),
    sliced AS (
        INSERT INTO pg_temp.event_slice
        SELECT cluster, min(issuer_id), bool_and(has_period), min(first_on), max(last_on), at, min(at_until)
        FROM named GROUP BY component, at, part, cluster),
    turned AS (
        SELECT component, span, piece, at, cluster
        FROM (SELECT n.*, lag(cluster) OVER (PARTITION BY component, span, piece ORDER BY at) AS cluster_before FROM named n) t
        WHERE cluster IS DISTINCT FROM cluster_before)
    INSERT INTO pg_temp.event_membership
    SELECT record_id, kind, home_id, cluster, at, coalesce(lead(at) OVER (PARTITION BY record_id ORDER BY at), 'infinity')
    FROM (SELECT m.record_id, m.kind, m.home_id, t.cluster, t.at, lag(t.cluster) OVER (PARTITION BY m.record_id ORDER BY t.at) AS cluster_before
          FROM turned t JOIN member m USING (component, span, piece)) r
    WHERE cluster IS DISTINCT FROM cluster_before;
END $$;

-- The versions of each event: one at each instant at which the best evidence says something else.
CREATE OR REPLACE FUNCTION write_event_versions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    WITH instant AS MATERIALIZED (
        SELECT cluster, known_at AS at FROM pg_temp.event_evidence
        UNION
        SELECT cluster, superseded_at FROM pg_temp.event_evidence WHERE superseded_at IS NOT NULL
        UNION
        SELECT cluster, period_known_at FROM pg_temp.event_evidence
        WHERE period_known_at >= known_at AND (superseded_at IS NULL OR period_known_at < superseded_at)
        UNION
        SELECT cluster, demoted_at FROM pg_temp.event_evidence WHERE demoted_at > known_at
        UNION
        SELECT f.cluster, t.told_at
        FROM (SELECT cluster, holder_id AS issuer_id, min(known_at) AS first_at FROM pg_temp.event_evidence
              WHERE type = 'earnings' GROUP BY 1, 2) f
        CROSS JOIN LATERAL (SELECT y.year_end FROM pg_temp.fiscal_year y
                            WHERE y.issuer_id = f.issuer_id AND y.since <= f.first_at ORDER BY y.since DESC LIMIT 1) y
        CROSS JOIN LATERAL (SELECT min(t.told_at) AS told_at FROM pg_temp.fiscal_year_told t
                            WHERE y.year_end IS NULL AND t.issuer_id = f.issuer_id AND t.told_at > f.first_at) t
        WHERE t.told_at IS NOT NULL),
    -- Of evidence that is as good, what was stated last comes first, by one sort of all. A number of that and the rank in one finds the
    -- best at each instant without sorting what is known at it.
    evidence AS MATERIALIZED (
        SELECT e.*, row_number() OVER (ORDER BY cluster, stated_at DESC, source_key DESC, row_id DESC) AS turn
        FROM pg_temp.event_evidence e),
    numbered AS MATERIALIZED (
        SELECT cluster, at, row_number() OVER (PARTITION BY cluster ORDER BY at) AS place FROM instant WHERE at IS NOT NULL),
    -- From when to when each piece of evidence says what, by its rank and turn. Only notices and transcripts have words.
    said AS (
        SELECT cluster, known_at AS since, least(superseded_at, demoted_at) AS until, date_rank::bigint << 32 | turn AS dated, NULL::bigint AS period,
               CASE WHEN fiscal_period IS NOT NULL THEN date_rank::bigint << 32 | turn END AS fiscal,
               CASE WHEN title IS NOT NULL THEN date_rank::bigint << 32 | turn END AS titled,
               CASE WHEN event_url IS NOT NULL THEN date_rank::bigint << 32 | turn END AS addressed,
               CASE WHEN webcast_status IS NOT NULL THEN turn END AS webcast
        FROM evidence WHERE date_rank IS NOT NULL
        UNION ALL
        SELECT cluster, greatest(known_at, demoted_at), superseded_at, 4::bigint << 32 | turn, NULL, NULL, NULL, NULL, NULL
        FROM evidence WHERE date_rank IS NOT NULL AND demoted_at IS NOT NULL
        UNION ALL
        SELECT cluster, greatest(known_at, period_known_at), superseded_at, NULL, period_rank::bigint << 32 | turn, NULL, NULL, NULL, NULL
        FROM evidence WHERE period_rank IS NOT NULL),
    -- The least of what has no end is found by one pass; what ends is looked at for the instants at which it holds.
    held AS (
        SELECT cluster, since AS at, dated, period, fiscal, titled, addressed, webcast, true AS is_open FROM said WHERE until IS NULL
        UNION ALL
        SELECT s.cluster, i.at, s.dated, s.period, s.fiscal, s.titled, s.addressed, s.webcast, false
        FROM said s
        JOIN numbered f ON f.cluster = s.cluster AND f.at = s.since
        JOIN numbered u ON u.cluster = s.cluster AND u.at = s.until
        CROSS JOIN LATERAL generate_series(f.place, u.place - 1) AS h(place)
        JOIN numbered i ON i.cluster = s.cluster AND i.place = h.place
        UNION ALL
        SELECT cluster, at, NULL, NULL, NULL, NULL, NULL, NULL, false FROM numbered),
    least AS (
        SELECT cluster, at, is_open, min(dated) AS dated, min(period) AS period, min(fiscal) AS fiscal, min(titled) AS titled,
               min(addressed) AS addressed, min(webcast) AS webcast
        FROM held GROUP BY cluster, at, is_open),
    best AS (
        SELECT cluster, at, least(dated, min(dated) FILTER (WHERE is_open) OVER w) & 4294967295 AS date_turn,
               least(period, min(period) FILTER (WHERE is_open) OVER w) & 4294967295 AS period_turn,
               least(fiscal, min(fiscal) FILTER (WHERE is_open) OVER w) & 4294967295 AS fiscal_turn,
               least(titled, min(titled) FILTER (WHERE is_open) OVER w) & 4294967295 AS title_turn,
               least(addressed, min(addressed) FILTER (WHERE is_open) OVER w) & 4294967295 AS url_turn,
               least(webcast, min(webcast) FILTER (WHERE is_open) OVER w) AS webcast_turn, is_open
        FROM least WINDOW w AS (PARTITION BY cluster ORDER BY at)),
    state AS MATERIALIZED (
        SELECT i.cluster, i.at, d.number AS date_number, d.holder_id AS issuer_id, d.type, d.event_at, d.has_time, d.date_status,
               p.period_end_date, CASE WHEN p.period_end_date IS NOT NULL THEN p.period_kind END AS period_kind,
               coalesce(f.fiscal_period, CASE WHEN p.period_kind = 'quarter' AND d.type = 'earnings'
                   THEN disclosed.fiscal_quarter(p.period_end_date, y.year_end) END) AS fiscal_period,
               t.title, u.event_url, w.webcast_status,
               concat_ws('; ', 'date: ' || d.date_basis, 'period: ' || p.period_basis) AS source
        FROM best i
        LEFT JOIN evidence d ON d.turn = i.date_turn
        LEFT JOIN evidence p ON p.turn = i.period_turn
        LEFT JOIN evidence f ON f.turn = i.fiscal_turn
        LEFT JOIN evidence t ON t.turn = i.title_turn
        LEFT JOIN evidence u ON u.turn = i.url_turn
        LEFT JOIN evidence w ON w.turn = i.webcast_turn
        LEFT JOIN LATERAL (SELECT y.year_end FROM pg_temp.fiscal_year y
                           WHERE y.issuer_id = d.holder_id AND y.since <= i.at ORDER BY y.since DESC LIMIT 1) y ON true
        WHERE NOT i.is_open),
    turned AS (
        SELECT s.*, (date_number IS NULL, issuer_id, type, event_at, has_time, date_status, period_end_date, period_kind,
                     fiscal_period, title, event_url, webcast_status) IS NOT DISTINCT FROM
                    (lag(date_number) OVER w IS NULL, lag(issuer_id) OVER w, lag(type) OVER w, lag(event_at) OVER w, lag(has_time) OVER w,
                     lag(date_status) OVER w, lag(period_end_date) OVER w, lag(period_kind) OVER w,
                     lag(fiscal_period) OVER w, lag(title) OVER w, lag(event_url) OVER w,
                     lag(webcast_status) OVER w) AS is_same
        FROM state s WINDOW w AS (PARTITION BY cluster ORDER BY at)),
    ended AS (
        SELECT t.*, lead(at) OVER (PARTITION BY cluster ORDER BY at) AS until
        FROM turned t WHERE NOT is_same)
    INSERT INTO pg_temp.event_version
    SELECT c.event_id, c.cluster, e.issuer_id, e.at, e.until, e.date_number, e.type, e.event_at, e.has_time,
           e.date_status, e.period_end_date, e.period_kind, e.fiscal_period, e.title, e.event_url,
           e.webcast_status, e.source, coalesce(c.created_at, now())
    FROM ended e JOIN pg_temp.event_cluster c USING (cluster)
    WHERE e.date_number IS NOT NULL;
END $$;

-- Versions that are stored: those that have become others go, and the others end when they should.
CREATE OR REPLACE FUNCTION store_event_rows(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    RETURN QUERY
        DELETE FROM disclosed.event e
        USING (SELECT o.issuer_id, o.row_id FROM disclosed.event o WHERE o.issuer_id = ANY (issuers)
               UNION
               SELECT o.issuer_id, o.row_id FROM disclosed.event o JOIN pg_temp.event_cluster c ON c.event_id = o.id) t
        WHERE e.issuer_id = t.issuer_id AND e.row_id = t.row_id
          AND NOT EXISTS (
              SELECT 1 FROM pg_temp.event_version v
              WHERE v.event_id = e.id AND v.issuer_id = e.issuer_id AND v.known_at = e.known_at AND (v.type, v.event_at, v.has_time,
                    v.date_status, v.period_end_date, v.period_kind, v.fiscal_period, v.title, v.event_url,
                    v.webcast_status, v.source)
                IS NOT DISTINCT FROM (e.type, e.event_at, e.has_time, e.date_status,
                    e.period_end_date, e.period_kind, e.fiscal_period, e.title, e.event_url,
                    e.webcast_status, e.source))
        RETURNING e.issuer_id;
    -- One row of a record is current, so rows are closed before one is opened.
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.event e SET superseded_at = v.superseded_at
            FROM pg_temp.event_version v
            WHERE e.issuer_id = v.issuer_id AND e.id = v.event_id AND e.known_at = v.known_at
              AND (v.superseded_at IS NULL) = opening
              AND e.superseded_at IS DISTINCT FROM v.superseded_at
            RETURNING e.issuer_id;
    END LOOP;
    PERFORM disclosed.find_event_origins();
    RETURN QUERY
        UPDATE disclosed.event e SET src_digest = o.src_digest
        FROM pg_temp.event_version v JOIN pg_temp.event_origin o ON o.cluster = v.cluster AND o.type = v.type
        WHERE e.issuer_id = v.issuer_id AND e.id = v.event_id AND e.known_at = v.known_at AND e.src_digest <> o.src_digest
        RETURNING e.issuer_id;
END $$;

-- Makes the events of these issuers, and notes in their records of which they are.
CREATE OR REPLACE FUNCTION reconcile_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql SET default_statistics_target = 10 AS $$
DECLARE
    target record;
BEGIN
    issuers := disclosed.holders_of_notices(issuers);
    -- Most issuers report no results and hold no calls.
    IF NOT EXISTS (SELECT 1 FROM disclosed.event WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.event_notice WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.transcript WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.former_event WHERE issuer_id = ANY (issuers))
       AND NOT EXISTS (SELECT 1 FROM disclosed.filing f
                       WHERE f.issuer_id = ANY (issuers) AND f.form IN ('8-K', '8-K/A') AND disclosed.tells_event(f)) THEN
        RETURN;
    END IF;
    PERFORM disclosed.open_event_tables();
    PERFORM disclosed.gather_event_evidence(issuers);
    PERFORM disclosed.analyze_working('event_evidence', 'number', 'holder_id, event_on');
    PERFORM disclosed.find_fiscal_years();
    PERFORM disclosed.complete_event_periods();
    PERFORM disclosed.cluster_event_evidence(issuers);
    PERFORM disclosed.analyze_working('event_cluster', 'cluster');
    PERFORM disclosed.number_event_clusters();
    PERFORM disclosed.write_event_versions();
    PERFORM disclosed.analyze_working('event_version');
    RETURN QUERY SELECT DISTINCT s FROM disclosed.store_event_versions(issuers) AS s;
    PERFORM disclosed.find_event_members(issuers);
    PERFORM disclosed.analyze_working('event_member', 'record_id');
    RETURN QUERY SELECT disclosed.store_former_events(issuers);
    FOR target IN SELECT * FROM (VALUES
            ('filing', 'filing', true),
            ('transcript', 'transcript', EXISTS (SELECT 1 FROM disclosed.transcript WHERE issuer_id = ANY (issuers))),
            ('notice', 'event_notice', EXISTS (SELECT 1 FROM disclosed.event_notice WHERE issuer_id = ANY (issuers))),
            ('document', 'document', EXISTS (SELECT 1 FROM disclosed.document WHERE issuer_id = ANY (issuers))))
        AS t(kind, member_table, is_there) WHERE is_there
    LOOP
        RETURN QUERY EXECUTE format($sql$
            UPDATE disclosed.%1$I t SET event_id = m.event_id
            FROM pg_temp.event_member m
            WHERE t.issuer_id = ANY ($1) AND m.kind = %2$L AND m.issuer_id = t.issuer_id AND m.record_id = t.id AND m.until = 'infinity'
              AND t.event_id IS DISTINCT FROM m.event_id
            RETURNING t.issuer_id
        $sql$, target.member_table, target.kind) USING issuers;
        RETURN QUERY EXECUTE format($sql$
            UPDATE disclosed.%1$I t SET event_id = NULL
            WHERE t.issuer_id = ANY ($1) AND t.event_id IS NOT NULL
              AND NOT EXISTS (SELECT 1 FROM pg_temp.event_member m
                              WHERE m.kind = %2$L AND m.issuer_id = t.issuer_id AND m.record_id = t.id AND m.until = 'infinity')
            RETURNING t.issuer_id
        $sql$, target.member_table, target.kind) USING issuers;
    END LOOP;
END $$;

-- Periods that evidence of results does not state: as other evidence of the same days, or a periodic report, states them, else as the fiscal year tells.
CREATE OR REPLACE FUNCTION complete_event_periods() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH lacking AS MATERIALIZED (
        SELECT number, holder_id AS issuer_id, event_on, known_at FROM pg_temp.event_evidence
        WHERE type = 'earnings' AND period_rank IS NULL),
    year AS (
        SELECT l.number, l.event_on, y.known_at, n.year_end
        FROM lacking l
        CROSS JOIN LATERAL (
            SELECT coalesce((SELECT l.known_at
                             FROM (SELECT k.year_end FROM pg_temp.fiscal_year k
                                   WHERE k.issuer_id = l.issuer_id AND k.since <= l.known_at ORDER BY k.since DESC LIMIT 1) k
                             WHERE k.year_end IS NOT NULL),
                            (SELECT min(t.told_at) FROM pg_temp.fiscal_year_told t
                             WHERE t.issuer_id = l.issuer_id AND t.told_at > l.known_at)) AS known_at OFFSET 0) y
        CROSS JOIN LATERAL (SELECT n.year_end FROM pg_temp.fiscal_year n
                            WHERE n.issuer_id = l.issuer_id AND n.since <= y.known_at ORDER BY n.since DESC LIMIT 1) n
        WHERE y.known_at IS NOT NULL OFFSET 0),
    told AS (
        SELECT l.number, greatest(l.known_at, s.known_at) AS known_at, 6 AS rank, s.period_rank AS surer,
               abs(s.event_on - l.event_on) AS away, s.source_key, s.period_end_date, s.period_kind,
               'as of the same days: ' || s.period_basis AS basis
        FROM lacking l
        CROSS JOIN LATERAL (
            SELECT e.known_at, e.event_on, e.source_key, e.period_rank, e.period_end_date, e.period_kind, e.period_basis
            FROM pg_temp.event_evidence e
            WHERE e.holder_id = l.issuer_id AND e.event_on BETWEEN l.event_on - 5 AND l.event_on + 5
              AND e.type = 'earnings' AND e.period_rank IS NOT NULL OFFSET 0) s
        UNION ALL
        SELECT l.number, greatest(l.known_at, f.known_at), 6, 9, abs(f.filed_on - l.event_on), f.accession,
               f.period_of_report, 'quarter', format('the period of Form %s %s', f.form, f.accession)
        FROM lacking l
        CROSS JOIN LATERAL (
            SELECT f.known_at, f.filed_on, f.accession, f.period_of_report, f.form FROM disclosed.filing f
            WHERE f.issuer_id = l.issuer_id AND f.form = ANY ((SELECT ARRAY['10-Q', '10-QT', '10-K', '10-KT', '20-F', '40-F'])::text[]) -- not by a partial index
              AND f.filed_on BETWEEN l.event_on - 5 AND l.event_on + 60
              AND f.period_of_report BETWEEN l.event_on - 130 AND l.event_on - 1
              AND f.superseded_at IS DISTINCT FROM f.known_at OFFSET 0) f
        UNION ALL
        SELECT number, known_at, 7, 0, 0, '', disclosed.quarter_end_before(event_on, year_end),
               NULL, 'the last fiscal quarter that had ended'
        FROM year)
    UPDATE pg_temp.event_evidence e
    SET period_end_date = first.period_end_date, period_rank = first.rank, period_basis = first.basis,
        period_kind = coalesce(first.period_kind, e.period_kind), period_known_at = first.known_at
    FROM (SELECT DISTINCT ON (number) * FROM told WHERE period_end_date IS NOT NULL
          ORDER BY number, known_at, rank, surer, away, source_key) first
    WHERE e.number = first.number;
END $$;

-- Evidence of events has come: makes the events of the issuers anew of which it is.
CREATE OR REPLACE FUNCTION follow_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    affected bigint[] := issuers;
    many boolean := cardinality(issuers) > 16; -- then hardly all are without
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.event_notice n WHERE n.issuer_id = ANY (issuers) AND disclosed.is_written(n.xmin)) THEN
        affected := ARRAY(
            SELECT l.issuer_id
            FROM pg_temp.written_filing w
            CROSS JOIN LATERAL (
                SELECT f.issuer_id, f.form, f.accession, f.items, f.event_id, f AS filing FROM disclosed.filing f
                WHERE f.accession = w.record_key AND disclosed.is_written(f.xmin) OFFSET 0) l
            WHERE w.issuer_id = ANY (issuers) AND l.issuer_id = w.issuer_id AND w.form = l.form
              AND w.form IN ('8-K', '8-K/A', '10-Q', '10-Q/A', '10-QT', '10-K', '10-K/A', '10-KT', '20-F', '20-F/A', '40-F', '40-F/A')
              AND (l.form NOT IN ('8-K', '8-K/A') OR l.items && ARRAY['2.02', '12'] OR l.event_id IS NOT NULL
                   OR (many AND (EXISTS (SELECT 1 FROM disclosed.filing_exhibit x WHERE x.accession = l.accession)
                                 OR EXISTS (SELECT 1 FROM disclosed.filing_text x WHERE x.accession = l.accession)))
                   OR (NOT many AND disclosed.tells_event(l.filing)))
            UNION
            SELECT f.issuer_id FROM disclosed.filing_exhibit x JOIN disclosed.filing f ON f.accession = x.accession
            WHERE x.issuer_id = ANY (issuers) AND disclosed.is_written(x.xmin) AND f.form IN ('8-K', '8-K/A')
              AND (many OR disclosed.tells_event(f))
            UNION
            SELECT f.issuer_id FROM disclosed.filing_text x JOIN disclosed.filing f ON f.accession = x.accession
            WHERE x.issuer_id = ANY (issuers) AND disclosed.is_written(x.xmin) AND f.form IN ('8-K', '8-K/A')
              AND (many OR disclosed.tells_event(f))
            UNION
            SELECT t.issuer_id FROM disclosed.transcript t
            WHERE t.issuer_id = ANY (issuers) AND disclosed.is_written(t.xmin) AND (t.event_type <> 'other' OR t.event_id IS NOT NULL)
            UNION
            SELECT d.issuer_id FROM disclosed.document d
            WHERE d.issuer_id = ANY (issuers) AND disclosed.is_written(d.xmin)
              AND (d.event_id IS NOT NULL OR d.period_end_date IS NOT NULL
                   OR d.doc_type IN ('slide_deck', 'press_release', 'shareholder_letter', 'quarterly_report')
                   OR EXISTS (SELECT 1 FROM disclosed.former_event w WHERE w.record_id = d.id))
            UNION
            SELECT p.issuer_id FROM disclosed.issuer_profile p WHERE p.issuer_id = ANY (issuers) AND disclosed.is_written(p.xmin));
    END IF;
    IF affected <> '{}' THEN
        RETURN QUERY SELECT * FROM disclosed.reconcile_events(affected);
    END IF;
END $$;

CREATE INDEX event_notice_unnamed ON event_notice (record_key) WHERE stated_name IS NULL AND spellings IS NOT NULL;

-- Rows without a company's name end where a load states the same record with one, of another company.
CREATE OR REPLACE FUNCTION replace_unnamed_rows(dataset_table text, issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        UPDATE disclosed.%1$I old SET superseded_at = old.known_at
        FROM (SELECT o.issuer_id, o.row_id
              FROM (SELECT record_key, spellings, issuer_id FROM disclosed.%1$I
                    WHERE issuer_id = ANY ($1) AND recorded_at = now() AND stated_name IS NOT NULL OFFSET 0) t
              CROSS JOIN LATERAL (
                  SELECT o.issuer_id, o.row_id FROM disclosed.%1$I o
                  WHERE o.record_key = t.record_key AND o.spellings = t.spellings AND o.issuer_id <> t.issuer_id
                    AND o.stated_name IS NULL AND o.superseded_at IS DISTINCT FROM o.known_at OFFSET 0) o) unnamed
        WHERE old.issuer_id = unnamed.issuer_id AND old.row_id = unnamed.row_id
        RETURNING old.issuer_id
    $sql$, dataset_table) USING issuers;
END $$;
