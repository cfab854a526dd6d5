-- Loads that run at the same time know their own rows from those of others; what is announced is found among the rows that a load has written.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ whose rows these are

-- A load's own rows have recorded_at = now(), the beginning of its transaction. One that began later may have committed before this one: what is
-- not of that instant is of others.

-- How the equity holdings that this transaction has recorded, and not counted yet, title their CUSIPs.
CREATE FUNCTION titles_of_new_holdings()
RETURNS TABLE (cusip text, issuer_title text, class_title text, rows_seen bigint)
LANGUAGE sql STABLE AS $$
    WITH held AS MATERIALIZED ( -- each title once, however many rows have it
        SELECT h.cusip, h.name, disclosed.class_of_holding(h.name, h.title) AS class_title, h.rows_seen
        FROM (SELECT x.cusip, x.name, x.title, count(*) AS rows_seen FROM disclosed.titled_holding x
              WHERE x.recorded_at = now()
                AND x.row_id > coalesce(nullif(current_setting('disclosed.counted_holdings', true), ''), '0')::bigint
              GROUP BY 1, 2, 3 OFFSET 0) h)
    SELECT h.cusip, h.name, h.class_title, sum(h.rows_seen)::bigint
    FROM held h
    WHERE disclosed.cusip_is_valid(h.cusip) AND h.class_title IS NOT NULL
    GROUP BY h.cusip, h.name, h.class_title
$$;

-- Keeps those titles beside those of information tables, and links their CUSIPs. A name that either has
-- in full is not cut.
CREATE FUNCTION link_new_holdings() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    cusips text[];
BEGIN
    WITH seen AS MATERIALIZED (
        SELECT * FROM disclosed.titles_of_new_holdings()),
    kept AS (
        INSERT INTO disclosed.security_title AS s
            (cusip, issuer_title, class_title, rows_seen, cut, words, sorted, forms, kind, letter)
        SELECT seen.*, false, k.words, k.sorted, coalesce(k.forms, '{}'), c.kind, c.letter
        FROM seen
        LEFT JOIN disclosed.name_keys(ARRAY(SELECT DISTINCT issuer_title FROM seen), false) k
          ON k.name = seen.issuer_title
        LEFT JOIN (SELECT class_title, (disclosed.class_of_title(class_title)).*
                   FROM (SELECT DISTINCT class_title FROM seen) distinct_title) c USING (class_title)
        ORDER BY seen.cusip, seen.issuer_title, seen.class_title
        ON CONFLICT (cusip, issuer_title, class_title) DO UPDATE
        SET rows_seen = s.rows_seen + excluded.rows_seen, cut = false, words = excluded.words,
            sorted = excluded.sorted, forms = excluded.forms, resolved = s.resolved AND NOT s.cut
        RETURNING s.cusip)
    SELECT array_agg(DISTINCT kept.cusip) INTO cusips FROM kept;
    IF cusips IS NOT NULL THEN
        PERFORM set_config('disclosed.counted_holdings', max(t.row_id)::text, true)
        FROM disclosed.fund_holding t WHERE t.recorded_at = now();
        PERFORM disclosed.link_cusips(cusips);
    END IF;
END $$;

-- Titles whose number of rows this load may have changed, of rows that were there before, were never in force, or are restated. Of a title that many
-- rows have one row more or less decides nothing: it is counted anew only where one has left it. `again`: this transaction has counted its own rows
-- before, of which some may hold again.
CREATE FUNCTION recount_titles_of_positions(again boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    cusips text[];
    issuer_titles text[];
    class_titles text[];
BEGIN
    SELECT array_agg(m.cusip), array_agg(m.issuer_title), array_agg(m.class_title) INTO cusips, issuer_titles, class_titles
    FROM (SELECT t.cusip, t.issuer_title, coalesce(t.class_title, '') AS class_title,
                 bool_or(t.superseded_at IS NOT DISTINCT FROM t.known_at) AS is_left
          FROM pg_temp.work_portfolio w JOIN disclosed.institution_position t USING (issuer_id, period_of_report)
          WHERE t.cusip IS NOT NULL AND disclosed.is_written(t.xmin) AND (again OR t.recorded_at <> now() OR t.superseded_at IS NOT NULL)
          GROUP BY 1, 2, 3) m
    JOIN disclosed.security_title s USING (cusip, issuer_title, class_title)
    WHERE m.is_left OR s.rows_seen < 1000;
    IF cusips IS NOT NULL THEN
        PERFORM disclosed.recount_titles(cusips, issuer_titles, class_titles);
    END IF;
END $$;

-- The same of holdings of these reports, and all of a report that an amendment has replaced, or that held no longer until now.
CREATE OR REPLACE FUNCTION recount_titles_of_holdings(reports bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    cusips text[];
    issuer_titles text[];
    class_titles text[];
BEGIN
    SELECT array_agg(m.cusip), array_agg(m.name), array_agg(m.class_title) INTO cusips, issuer_titles, class_titles
    FROM (SELECT h.cusip, h.name, disclosed.class_of_holding(h.name, h.title) AS class_title,
                 bool_or(h.superseded_at IS NOT DISTINCT FROM h.known_at) AS is_left
          FROM (SELECT f.issuer_id, f.record_key,
                       disclosed.fund_report_is_amended(f.issuer_id, f.record_key)
                       OR bool_or(f.settled_until IS NOT NULL AND f.settled_until IS DISTINCT FROM f.superseded_at) AS is_amended
                FROM disclosed.fund f WHERE f.id = ANY (reports) GROUP BY f.issuer_id, f.record_key) f
          JOIN disclosed.titled_holding h ON h.issuer_id = f.issuer_id AND h.report_key = f.record_key
          WHERE h.is_written AND (h.recorded_at <> now() OR h.superseded_at = h.known_at) OR f.is_amended
          GROUP BY 1, 2, 3) m
    JOIN disclosed.security_title s ON s.cusip = m.cusip AND s.issuer_title = m.name AND s.class_title = m.class_title
    WHERE m.is_left OR s.rows_seen < 1000;
    IF cusips IS NOT NULL THEN
        PERFORM disclosed.recount_titles(cusips, issuer_titles, class_titles);
    END IF;
END $$;

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
    PERFORM disclosed.link_new_holdings();
    PERFORM disclosed.recount_titles_of_holdings(ARRAY(SELECT unnest(reports) UNION SELECT unnest(fresh)));
    PERFORM disclosed.reconcile_fund_reports(ARRAY(SELECT unnest(reports) UNION SELECT unnest(fresh)), fresh);
END $$;

-- CUSIPs whose links this transaction has changed, and what they were when holdings of 13F reports last followed them; those do where
-- `applied`. `followed_link`: the companies that they have been before.
CREATE OR REPLACE FUNCTION begin_security_changes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.security_change') IS NULL THEN
        CREATE TEMP TABLE security_change (cusip text PRIMARY KEY, applied boolean NOT NULL DEFAULT false)
            ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE replaced_link (LIKE disclosed.security_link) ON COMMIT DELETE ROWS;
        CREATE TEMP TABLE fresh_link (LIKE disclosed.security_link) ON COMMIT DELETE ROWS;
    END IF;
    IF to_regclass('pg_temp.followed_link') IS NULL THEN
        CREATE TEMP TABLE followed_link (company_id bigint) ON COMMIT DELETE ROWS;
    END IF;
END $$;

-- Changes have been applied: what the links were before them is a matter of the past.
CREATE FUNCTION forget_replaced_links() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH past AS (
        DELETE FROM pg_temp.replaced_link r USING pg_temp.security_change c WHERE c.cusip = r.cusip AND c.applied RETURNING r.company_id)
    INSERT INTO pg_temp.followed_link SELECT DISTINCT company_id FROM past;
END $$;

-- Brings the links of CUSIPs up to date; notes in pg_temp.security_change those that have changed.
CREATE OR REPLACE FUNCTION link_cusips(cusips text[]) RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.resolve_titles(cusips);
    TRUNCATE pg_temp.fresh_link;
    INSERT INTO pg_temp.fresh_link
    SELECT DISTINCT ON (s.cusip, s.valid_from)
           s.cusip, 'stated', 1, s.valid_from, coalesce(s.valid_to, 'infinity'), s.issuer_id,
           disclosed.listing_since(s.issuer_id, s.ticker, s.market)
    FROM disclosed.security s
    WHERE s.cusip = ANY (cusips) AND s.superseded_at IS NULL
    ORDER BY s.cusip, s.valid_from, s.known_at DESC, s.row_id DESC;
    INSERT INTO pg_temp.fresh_link
    SELECT disclosed.cusip_of_isin(l.isin) AS cusip, 'isin', 2, '-infinity', 'infinity', min(l.issuer_id),
           (array_agg(l.symbol ORDER BY l.status <> 'active', l.market <> 'US', l.listing_rank, l.symbol COLLATE "C"))[1]
    FROM disclosed.listing l
    WHERE disclosed.cusip_of_isin(l.isin) = ANY (cusips) AND l.superseded_at IS NULL
      AND l.isin IS NOT NULL
    GROUP BY disclosed.cusip_of_isin(l.isin) HAVING count(DISTINCT l.issuer_id) = 1;
    INSERT INTO pg_temp.fresh_link
    SELECT n.cusip, 'name', 3, '-infinity', 'infinity', n.company_id, n.symbol
    FROM disclosed.links_by_name(cusips) n;
    ANALYZE pg_temp.fresh_link;
    WITH changed AS MATERIALIZED (
        SELECT DISTINCT cusip
        FROM ((TABLE pg_temp.fresh_link
               EXCEPT SELECT * FROM disclosed.security_link WHERE cusip = ANY (cusips))
              UNION ALL
              (SELECT * FROM disclosed.security_link WHERE cusip = ANY (cusips)
               EXCEPT TABLE pg_temp.fresh_link)) different),
    noted AS (
        INSERT INTO pg_temp.security_change AS c (cusip) SELECT cusip FROM changed
        ON CONFLICT (cusip) DO UPDATE SET applied = false)
    INSERT INTO pg_temp.replaced_link
    SELECT l.* FROM changed JOIN disclosed.security_link l USING (cusip)
    WHERE NOT EXISTS (SELECT 1 FROM pg_temp.security_change c WHERE c.cusip = changed.cusip AND NOT c.applied); -- as it was before this statement
    DELETE FROM disclosed.security_link l USING pg_temp.security_change c
    WHERE l.cusip = c.cusip AND l.cusip = ANY (cusips);
    INSERT INTO disclosed.security_link
    SELECT f.* FROM pg_temp.fresh_link f JOIN pg_temp.security_change c USING (cusip);
END $$;

-- The companies whose securities this transaction has linked otherwise.
CREATE OR REPLACE FUNCTION changed_securities() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    RETURN QUERY
        SELECT r.company_id FROM pg_temp.replaced_link r
        UNION
        SELECT f.company_id FROM pg_temp.followed_link f
        UNION
        SELECT l.company_id FROM disclosed.security_link l JOIN pg_temp.security_change c USING (cusip);
END $$;

-- Links of CUSIPs have changed: rows without a listing in the quarters that have been counted, by those that have got or lost one. Quarters that
-- have not been counted yet are the caller's.
CREATE FUNCTION count_unmapped_securities() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
DECLARE
    more numeric;
BEGIN
    EXECUTE $q$
        WITH day AS (
            SELECT DISTINCT t.cusip, t.period_of_report
            FROM pg_temp.security_change c JOIN disclosed.institution_position t USING (cusip)
            WHERE NOT c.applied),
        turned AS (
            SELECT d.cusip, d.period_of_report, CASE WHEN now_is.symbol IS NULL THEN 1 ELSE -1 END AS change
            FROM day d
            LEFT JOIN LATERAL disclosed.security_of(d.cusip, NULL, NULL, d.period_of_report) now_is ON true
            LEFT JOIN LATERAL (
                SELECT r.symbol FROM pg_temp.replaced_link r
                WHERE r.cusip = d.cusip AND d.period_of_report BETWEEN r.valid_from AND r.valid_to
                ORDER BY r.precedence, r.valid_from DESC LIMIT 1) was ON true
            WHERE (now_is.symbol IS NULL) <> (was.symbol IS NULL)),
        change AS (
            SELECT t.issuer_id, t.period_of_report, sum(turned.change) AS entries
            FROM turned JOIN disclosed.institution_position t USING (cusip, period_of_report)
            WHERE t.superseded_at IS NULL
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
CREATE FUNCTION apply_security_changes() RETURNS void
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
    PERFORM disclosed.count_unmapped_securities();
    UPDATE pg_temp.security_change SET applied = true;
    PERFORM disclosed.forget_replaced_links();
END $$;

-- Reports or rows of managers have come. Returns whose holders and flows have changed.
CREATE OR REPLACE FUNCTION reconcile_institutions(managers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    is_first boolean := coalesce(current_setting('disclosed.counted_positions', true), '') = '';
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.begin_holdings_work();
    TRUNCATE pg_temp.work_touched;
    PERFORM disclosed.find_changed_portfolios(managers);
    PERFORM disclosed.close_restated_positions();
    PERFORM disclosed.link_new_positions();
    PERFORM disclosed.recount_titles_of_positions(NOT is_first);
    -- CUSIPs that only the new rows have are reconciled with them. Rows that this transaction has reconciled before are not new.
    UPDATE pg_temp.security_change c SET applied = true
    WHERE is_first AND NOT EXISTS (SELECT 1 FROM disclosed.security_title t
                                   WHERE t.cusip = c.cusip AND t.first_seen <> now());
    PERFORM disclosed.forget_replaced_links();
    PERFORM disclosed.apply_security_changes();
    PERFORM disclosed.begin_holdings_work();
    PERFORM disclosed.derive_holdings(false);
    PERFORM disclosed.count_unmapped_portfolios();
    PERFORM disclosed.total_reports();
    RETURN QUERY SELECT DISTINCT issuer_id FROM pg_temp.work_touched;
END $$;

-- CUSIPs have been linked otherwise.
CREATE OR REPLACE FUNCTION follow_securities(companies bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM disclosed.begin_security_changes();
    PERFORM disclosed.begin_holdings_work();
    TRUNCATE pg_temp.work_touched;
    PERFORM disclosed.apply_security_changes();
    RETURN QUERY SELECT issuer_id FROM pg_temp.work_touched
                 UNION SELECT * FROM disclosed.changed_securities();
END $$;

DROP FUNCTION titles_of_holdings(timestamptz); -- asked for by loads alone
DROP FUNCTION link_new_holdings(timestamptz); -- asked for by loads alone
DROP FUNCTION recount_titles_of_positions(); -- asked for by loads alone
DROP FUNCTION count_unmapped_securities(timestamptz); -- asked for by loads alone
DROP FUNCTION apply_security_changes(timestamptz); -- asked for by loads alone

-- ------------------------------------------------------------------------------ announcements

-- Announces those records of these issuers that are new: no row has had their id before this transaction. The rows of an issuer that a load has written
-- have the highest numbers of its rows, as no other load writes them before it commits: from the last row on they are read until one of before.
CREATE OR REPLACE FUNCTION announce_rows(of_topic text, of_issuers bigint[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
DECLARE
    of_table text := CASE of_topic WHEN 'insider_transaction.reported' THEN 'insider_transaction'
                                   WHEN 'institution_report.filed' THEN 'institution_report'
                                   WHEN 'short_interest.published' THEN 'short_interest'
                                   WHEN 'event.created' THEN 'event'
                                   WHEN 'corporate_action.created' THEN 'corporate_action'
                                   WHEN 'transcript.published' THEN 'transcript' END;
BEGIN
    IF webhooks_are_wanted(of_topic) THEN
        EXECUTE format($sql$
            INSERT INTO webhook_event (topic, subject, issuers)
            SELECT $1, w.id::text, array_agg(DISTINCT w.issuer_id)
            FROM unnest($2) AS i(issuer_id)
            CROSS JOIN LATERAL (
                SELECT coalesce((SELECT t.row_id FROM %1$I t WHERE t.issuer_id = i.issuer_id AND t.recorded_at <> now()
                                 ORDER BY t.row_id DESC LIMIT 1), 0) AS row_id OFFSET 0) b
            JOIN %1$I w ON w.issuer_id = i.issuer_id AND w.row_id > b.row_id
            WHERE NOT EXISTS (SELECT 1 FROM %1$I o WHERE %2$s AND o.id = w.id AND o.recorded_at <> now())
            GROUP BY w.id
            HAVING bool_or(w.superseded_at IS NULL) AND is_webhook_news(min(w.known_at))
            ON CONFLICT (topic, subject) DO NOTHING$sql$, of_table,
            -- Of these an event may have been another issuer's before, and both are found by their ids.
            CASE WHEN of_table IN ('event', 'transcript') THEN 'true'
                 ELSE 'o.issuer_id = w.issuer_id AND key_hash(o.record_key) = key_hash(w.record_key)'
                      ' AND (o.superseded_at IS NULL OR o.superseded_at IS NOT NULL)' END)
        USING of_topic, of_issuers;
    END IF;
END $$;

CREATE OR REPLACE FUNCTION announce_transcripts(issuers bigint[]) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path = disclosed, pg_temp AS $$
    SELECT announce_rows('transcript.published', issuers)
$$;

-- ------------------------------------------------------------------------------ sources of derived rows

-- Which of the versions are not stored, or come from another source by now: from where the best evidence of each does, whoever had said it
-- before. A source that is stored is taken; the others are made, all at once.
CREATE OR REPLACE FUNCTION find_event_changes() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.event_change') IS NULL THEN
        -- row_id: of the stored version; NULL: it is new.
        CREATE TEMP TABLE event_change (
            event_id bigint, issuer_id bigint, known_at timestamptz, row_id bigint, accession text, provider text, url text,
            content_hash bytea, extracted_at timestamptz, import_run_id bigint, source_key bigint, source_id integer) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.event_change;
    INSERT INTO pg_temp.event_change
    SELECT c.*, disclosed.source_key(c.source_provider, false, c.source_url, c.content_hash, c.extracted_at, c.import_run_id),
           NULL
    FROM (SELECT v.event_id, v.issuer_id, v.known_at, o.row_id, r.accession, r.source_provider, r.source_url,
                 decode(substr(r.content_hash, 8), 'hex') AS content_hash, r.extracted_at, r.import_run_id
          FROM pg_temp.event_version v
          JOIN (SELECT e.number, f.source_provider, f.source_url, f.accession, f.content_hash, f.extracted_at, f.import_run_id
                FROM pg_temp.event_evidence e JOIN disclosed.filing_sourced f ON f.issuer_id = e.issuer_id AND f.row_id = e.row_id
                WHERE e.kind = 'filing'
                UNION ALL
                SELECT e.number, t.source_provider, t.source_url, t.accession, t.content_hash, t.extracted_at, t.import_run_id
                FROM pg_temp.event_evidence e JOIN disclosed.transcript_sourced t ON t.issuer_id = e.issuer_id AND t.row_id = e.row_id
                WHERE e.kind = 'transcript'
                UNION ALL
                SELECT e.number, n.source_provider, n.source_url, n.accession, n.content_hash, n.extracted_at, n.import_run_id
                FROM pg_temp.event_evidence e JOIN disclosed.event_notice_sourced n ON n.issuer_id = e.issuer_id AND n.row_id = e.row_id
                WHERE e.kind = 'notice') r ON r.number = v.evidence
          LEFT JOIN disclosed.event_sourced o ON o.issuer_id = v.issuer_id AND o.id = v.event_id AND o.known_at = v.known_at
          WHERE o.row_id IS NULL
             OR (o.source_provider, o.source_url, o.accession, o.content_hash)
                IS DISTINCT FROM (r.source_provider, r.source_url, r.accession, r.content_hash)) c;
    ANALYZE pg_temp.event_change;
    UPDATE pg_temp.event_change c SET source_id = (
        SELECT s.source_id FROM disclosed.source s
        WHERE s.source_key = c.source_key AND (s.provider, s.by_filing, s.url, s.content_hash, s.extracted_at, s.import_run_id)
              IS NOT DISTINCT FROM (c.provider, false, c.url, c.content_hash, c.extracted_at, c.import_run_id) LIMIT 1);
    WITH made AS (
        INSERT INTO disclosed.source (source_key, provider, url, content_hash, extracted_at, import_run_id)
        SELECT DISTINCT source_key, provider, url, content_hash, extracted_at, import_run_id
        FROM pg_temp.event_change WHERE source_id IS NULL RETURNING *)
    UPDATE pg_temp.event_change c SET source_id = m.source_id
    FROM made m
    WHERE c.source_id IS NULL AND m.source_key = c.source_key
      AND (m.provider, m.url, m.content_hash, m.extracted_at, m.import_run_id)
          IS NOT DISTINCT FROM (c.provider, c.url, c.content_hash, c.extracted_at, c.import_run_id);
END $$;

-- Puts the fresh versions in the place of the old ones; what is the same stays as it is. Where a holder's rows come from is what they say now.
CREATE OR REPLACE FUNCTION replace_holders() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
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
            SET superseded_at = f.superseded_at, value = f.value, shares = f.shares, accession = f.accession,
                source_id = disclosed.source_of(f.source_provider, f.source_url, f.content_hash, f.extracted_at, NULL),
                src_digest = disclosed.source_digest('institution_holder', f.source_provider, coalesce(i.cik, i.issuer_id), f.record_key)
            FROM pg_temp.fresh_holder f JOIN pg_temp.old_holder o USING (issuer_id, record_key, known_at)
            JOIN disclosed.issuer i USING (issuer_id)
            WHERE t.issuer_id = o.issuer_id AND t.row_id = o.row_id AND f.company_id = o.company_id
              AND (o.superseded_at, o.value, o.shares, o.source_provider, o.source_url, o.accession, o.content_hash)
                  IS DISTINCT FROM (f.superseded_at, f.value, f.shares, f.source_provider, f.source_url, f.accession,
                                    f.content_hash)
            RETURNING t.issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM changed $q$;
    EXECUTE $q$
        WITH told AS MATERIALIZED (
            SELECT d.*, disclosed.source_of(source_provider, source_url, content_hash, extracted_at, NULL) AS source_id
            FROM (SELECT DISTINCT source_provider, source_url, content_hash, extracted_at FROM pg_temp.fresh_holder) d),
        record AS (
            SELECT k.issuer_id, k.record_key, coalesce(o.id, nextval('disclosed.record_id')) AS id
            FROM (SELECT DISTINCT issuer_id, record_key FROM pg_temp.fresh_holder) k
            LEFT JOIN (SELECT issuer_id, record_key, min(id) AS id FROM pg_temp.old_holder
                       GROUP BY issuer_id, record_key) o USING (issuer_id, record_key)),
        added AS (
            INSERT INTO disclosed.institution_holder (id, issuer_id, record_key, known_at,
                superseded_at, src_digest, source_id, accession, company_id, symbol, period_of_report, value, shares)
            SELECT r.id, f.issuer_id, f.record_key, f.known_at, f.superseded_at,
                   disclosed.source_digest('institution_holder', f.source_provider,
                                           coalesce(i.cik, i.issuer_id), f.record_key),
                   d.source_id, f.accession, f.company_id, f.symbol, f.period_of_report, f.value, f.shares
            FROM pg_temp.fresh_holder f
            JOIN told d ON (d.source_provider, coalesce(d.source_url, ''), coalesce(d.content_hash, ''), d.extracted_at)
                         = (f.source_provider, coalesce(f.source_url, ''), coalesce(f.content_hash, ''), f.extracted_at)
            JOIN record r USING (issuer_id, record_key)
            JOIN disclosed.issuer i USING (issuer_id)
            WHERE NOT EXISTS (SELECT 1 FROM pg_temp.old_holder o
                              WHERE o.issuer_id = f.issuer_id AND o.record_key = f.record_key
                                AND o.known_at = f.known_at AND o.company_id = f.company_id)
            RETURNING issuer_id)
        INSERT INTO pg_temp.work_touched SELECT DISTINCT issuer_id FROM added $q$;
END $$;
