-- What follows from filings looks at those that a load has written, not at all that their companies have ever made: the loader notes them in
-- pg_temp.written_filing (issuer_id, record_key, form), with the forms of all versions that it changes.

SET LOCAL search_path = disclosed, public;

CREATE OR REPLACE FUNCTION rank_filers(accessions text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
    WITH touched AS MATERIALIZED (SELECT DISTINCT unnest(accessions) AS accession),
    ranked AS (
        SELECT f.issuer_id, f.row_id, f.is_primary, f.is_shared,
               first_value(f.issuer_id) OVER (PARTITION BY f.accession
                   ORDER BY i.ticker IS NULL, i.cik, f.issuer_id) = f.issuer_id AS should_be,
               min(f.issuer_id) OVER (PARTITION BY f.accession)
                   <> max(f.issuer_id) OVER (PARTITION BY f.accession) AS has_others
        FROM touched JOIN disclosed.filing f USING (accession)
        JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id),
    changed AS (
        UPDATE disclosed.filing f SET is_primary = r.should_be, is_shared = r.has_others
        FROM ranked r
        WHERE f.issuer_id = r.issuer_id AND f.row_id = r.row_id
          AND (r.is_primary, r.is_shared) <> (r.should_be, r.has_others)
        RETURNING f.issuer_id, f.record_key, f.form),
    noted AS (INSERT INTO pg_temp.written_filing SELECT * FROM changed)
    SELECT c.issuer_id FROM changed c;
END $$;

CREATE OR REPLACE FUNCTION date_reports_of(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    SELECT array_agg(DISTINCT d.changed_issuer) INTO changed
    FROM (SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known,
                 array_agg(f.filed_on) AS filed
          FROM (SELECT accession, min(known_at) AS known_at, min(filed_on) AS filed_on
                FROM disclosed.filing
                WHERE accession IN (
                    SELECT w.record_key FROM pg_temp.written_filing w
                    WHERE w.issuer_id = ANY (issuers) AND w.form IN ('3', '3/A', '4', '4/A', '5', '5/A')
                      AND (EXISTS (SELECT 1 FROM disclosed.insider_transaction t WHERE t.accession = w.record_key)
                           OR EXISTS (SELECT 1 FROM disclosed.insider_holding h WHERE h.accession = w.record_key)
                           OR EXISTS (SELECT 1 FROM disclosed.executive_stated s WHERE s.origin = w.record_key)))
                  AND superseded_at IS NULL
                GROUP BY accession) f HAVING count(*) > 0) reports
    CROSS JOIN LATERAL disclosed.date_reports(reports.accessions, reports.known, reports.filed) d;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.reconcile_insiders(changed);
        PERFORM disclosed.recount_reports(changed);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION reconcile_filings(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT disclosed.rank_filers(ARRAY(
        SELECT f.accession FROM pg_temp.written_filing w JOIN disclosed.filing f ON f.accession = w.record_key
        WHERE w.issuer_id = ANY (issuers) AND (f.issuer_id <> w.issuer_id OR f.is_shared OR NOT f.is_primary)));
    PERFORM disclosed.date_reports_of(issuers);
END $$;

CREATE OR REPLACE FUNCTION date_stored_filings() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    moved bigint[];
    accessions text[];
    opening boolean;
BEGIN
    IF pg_relation_size('pg_temp.stage_filing') <= 32768 AND NOT EXISTS (
        SELECT 1 FROM pg_temp.stage_filing s JOIN disclosed.filing x ON x.accession = s.accession)
    THEN
        RETURN; -- of a few rows most are new
    END IF;
    WITH said AS MATERIALIZED (
        SELECT DISTINCT ON (s.accession COLLATE "C") s.accession, s.known_at, s.filed_on, s.accepted_at
        FROM pg_temp.stage_filing s
        WHERE s.filed_on <= (s.known_at AT TIME ZONE 'UTC')::date + 14 -- others are rejected
        ORDER BY s.accession COLLATE "C", s.row_order DESC),
    apart AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, i.cik, g.accession, g.known_at, g.filed_on, g.accepted_at
        FROM said g CROSS JOIN LATERAL (
            SELECT x.issuer_id, x.row_id, x.source_id FROM disclosed.filing x
            WHERE x.accession = g.accession AND (x.known_at, x.filed_on, x.accepted_at) IS DISTINCT FROM (g.known_at, g.filed_on, g.accepted_at)
            OFFSET 0) t
        JOIN disclosed.issuer i ON i.issuer_id = t.issuer_id
        JOIN disclosed.source o ON o.source_id = t.source_id JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id
        WHERE r.source IN ('sec-filing', 'sec-submissions')),
    written AS (
        UPDATE disclosed.filing t
        SET known_at = a.known_at,
            filed_on = CASE WHEN s.cik IS NULL THEN a.filed_on ELSE least(t.filed_on, (a.known_at AT TIME ZONE 'UTC')::date + 14) END,
            accepted_at = CASE WHEN s.cik IS NULL THEN a.accepted_at ELSE t.accepted_at END
        FROM apart a LEFT JOIN (SELECT DISTINCT x.cik, x.accession FROM pg_temp.stage_filing x) s ON s.cik = a.cik AND s.accession = a.accession
        WHERE t.issuer_id = a.issuer_id AND t.row_id = a.row_id AND (t.known_at <> a.known_at OR s.cik IS NULL)
        RETURNING t.issuer_id, t.accession)
    SELECT array_agg(w.issuer_id), array_agg(w.accession) INTO moved, accessions FROM (SELECT DISTINCT * FROM written) w;
    IF moved IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT DISTINCT unnest(moved);
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP -- of a record one version is current at any time
        WITH lasting AS (
            SELECT t.issuer_id, t.row_id, lead(t.known_at) OVER (PARTITION BY t.issuer_id, t.accession COLLATE "C" ORDER BY t.known_at, t.row_id) AS ends_at
            FROM unnest(moved, accessions) AS m(issuer_id, accession) JOIN disclosed.filing t ON t.issuer_id = m.issuer_id AND t.accession = m.accession)
        UPDATE disclosed.filing t SET superseded_at = l.ends_at
        FROM lasting l
        WHERE t.issuer_id = l.issuer_id AND t.row_id = l.row_id AND t.superseded_at IS DISTINCT FROM l.ends_at AND (l.ends_at IS NULL) = opening;
    END LOOP;
    INSERT INTO pg_temp.written_filing
    SELECT DISTINCT t.issuer_id, t.record_key, t.form
    FROM unnest(moved, accessions) AS m(issuer_id, accession) JOIN disclosed.filing t ON t.issuer_id = m.issuer_id AND t.accession = m.accession;
END $$;

CREATE OR REPLACE FUNCTION follow_events(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    affected bigint[] := issuers;
    many boolean := cardinality(issuers) > 16; -- then hardly all are without
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.event_notice n WHERE n.issuer_id = ANY (issuers) AND disclosed.is_written(n.xmin)) THEN
        affected := ARRAY(
            SELECT f.issuer_id FROM pg_temp.written_filing w
            JOIN disclosed.filing f ON f.accession = w.record_key AND f.issuer_id = w.issuer_id
            WHERE w.issuer_id = ANY (issuers) AND disclosed.is_written(f.xmin) AND w.form = f.form
              AND w.form IN ('8-K', '8-K/A', '10-Q', '10-Q/A', '10-QT', '10-K', '10-K/A', '10-KT', '20-F', '20-F/A', '40-F', '40-F/A')
              AND (f.form NOT IN ('8-K', '8-K/A') OR f.items && ARRAY['2.02', '12'] OR f.event_id IS NOT NULL
                   OR (many AND (EXISTS (SELECT 1 FROM disclosed.filing_exhibit x WHERE x.accession = f.accession)
                                 OR EXISTS (SELECT 1 FROM disclosed.filing_text x WHERE x.accession = f.accession)))
                   OR (NOT many AND disclosed.tells_event(f)))
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

CREATE OR REPLACE FUNCTION date_institution_reports(filers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    SELECT disclosed.redate_institution_reports(array_agg(f.accession), array_agg(f.known_at),
                                                array_agg(f.filed_on), array_agg('filing'::text))
    INTO changed
    FROM (SELECT DISTINCT ON (x.accession) x.accession, x.known_at, x.filed_on
          FROM pg_temp.written_filing w
          JOIN disclosed.institution_report r ON r.accession = w.record_key AND r.issuer_id = w.issuer_id
          JOIN disclosed.filing x
            ON x.accession = r.accession AND x.issuer_id = r.issuer_id AND x.superseded_at IS NULL
          WHERE r.issuer_id = ANY (filers) AND r.superseded_at IS NULL AND disclosed.is_written(x.xmin)
          ORDER BY x.accession, x.known_at) f
    HAVING count(*) > 0;
    IF changed IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.reconcile_institutions(changed);
        RETURN QUERY SELECT unnest(changed);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION redate_schedules(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[] := ARRAY(
        SELECT DISTINCT d
        FROM (SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known, array_agg(f.filed_on) AS filed
              FROM (SELECT accession, min(known_at) AS known_at, min(filed_on) AS filed_on FROM disclosed.filing
                    WHERE accession IN (SELECT w.record_key FROM pg_temp.written_filing w
                                        WHERE w.issuer_id = ANY (issuers) AND w.form LIKE 'SCHEDULE 13_%')
                      AND superseded_at IS NULL
                    GROUP BY accession) f HAVING count(*) > 0) filings
        CROSS JOIN LATERAL disclosed.date_schedules(filings.accessions, filings.known, filings.filed) AS d);
BEGIN
    IF changed <> '{}' THEN
        PERFORM disclosed.reconcile_beneficial_owners(changed);
        RETURN QUERY SELECT unnest(changed);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION redate_funds(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    registrants bigint[] := ARRAY(SELECT DISTINCT f.issuer_id FROM pg_temp.written_filing w
                                  JOIN disclosed.fund f ON f.accession = w.record_key
                                  WHERE f.issuer_id = ANY(issuers));
    reports bigint[];
BEGIN
    IF registrants <> '{}' THEN
        reports := ARRAY(SELECT DISTINCT u FROM disclosed.unreconciled_fund_reports(registrants) AS u);
        PERFORM disclosed.reconcile_fund_reports(reports, '{}');
        RETURN QUERY SELECT DISTINCT f.issuer_id FROM disclosed.fund f WHERE f.id = ANY(reports);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION redate_texts(dataset_table text, issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    said record;
BEGIN
    EXECUTE format($q$
        SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known, array_agg(f.accepted_at) AS accepted
        FROM (SELECT o.accession, min(o.known_at) AS known_at, min(o.accepted_at) AS accepted_at
              FROM (SELECT DISTINCT x.accession FROM pg_temp.written_filing w JOIN disclosed.%I x ON x.accession = w.record_key
                    JOIN disclosed.filing f ON f.accession = w.record_key AND f.issuer_id = w.issuer_id
                    WHERE x.issuer_id = ANY ($1) AND w.issuer_id = ANY ($1) AND disclosed.is_written(f.xmin)
                      AND (x.known_at, x.published_at) IS DISTINCT FROM (f.known_at, f.accepted_at)) d
              JOIN disclosed.filing o ON o.accession = d.accession AND o.superseded_at IS NULL
              GROUP BY o.accession) f $q$, dataset_table) INTO said USING issuers;
    IF said.accessions IS NOT NULL THEN
        RETURN QUERY SELECT * FROM disclosed.date_texts(dataset_table, said.accessions, said.known, said.accepted);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION cut_exhibits_of_filings(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    moved bigint[] := ARRAY(SELECT * FROM disclosed.redate_texts('filing_exhibit', issuers));
    written bigint[] := ARRAY(SELECT DISTINCT x.issuer_id
                              FROM pg_temp.written_filing w JOIN disclosed.filing_exhibit x ON x.accession = w.record_key
                              WHERE w.issuer_id = ANY (issuers) AND x.issuer_id = ANY (issuers));
BEGIN
    IF written <> '{}' AND disclosed.cut_texts('exhibit', written) > 0 THEN
        RETURN QUERY SELECT unnest(written);
    ELSIF moved <> '{}' THEN
        RETURN QUERY SELECT unnest(moved);
    END IF;
END $$;

CREATE OR REPLACE FUNCTION date_kpi_observations(issuers bigint[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    companies bigint[];
    numbers bigint[];
    is_out boolean[];
BEGIN
    IF NOT EXISTS (SELECT 1 FROM disclosed.kpi_observation WHERE issuer_id = ANY (issuers)) THEN
        RETURN;
    END IF;
    WITH public AS MATERIALIZED (
        SELECT accession, min(known_at) AS known_at FROM disclosed.filing
        WHERE accession IN (SELECT w.record_key FROM pg_temp.written_filing w WHERE w.issuer_id = ANY (issuers))
          AND superseded_at IS NULL
        GROUP BY accession),
    moved AS (
        UPDATE disclosed.kpi_observation t
        SET known_at = p.known_at,
            superseded_at = CASE WHEN t.superseded_at = t.known_at THEN p.known_at
                                 WHEN t.superseded_at IS NOT NULL THEN greatest(t.superseded_at, p.known_at) END
        FROM public p, disclosed.source o, disclosed.import_run r
        WHERE t.issuer_id = ANY (issuers) AND t.accession = p.accession AND t.known_at <> p.known_at
          AND o.source_id = t.source_id AND r.import_run_id = o.import_run_id AND r.source = 'xbrl-instance'
        RETURNING t.issuer_id, t.row_id, t.left_out IS TRUE AS is_out)
    SELECT array_agg(m.issuer_id), array_agg(m.row_id), array_agg(m.is_out) INTO companies, numbers, is_out FROM moved m;
    IF companies IS NOT NULL THEN
        PERFORM disclosed.leave_out('kpi_observation', numbers, companies, numbers, is_out); -- the versions before end with these
        RETURN QUERY SELECT DISTINCT unnest(companies);
    END IF;
END $$;

-- Asked of each report once: in a join with the holdings it would be asked of each pair of a holding and a report of its registrant.
CREATE OR REPLACE FUNCTION recount_titles_of_holdings(reports bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    cusips text[];
    issuer_titles text[];
    class_titles text[];
BEGIN
    WITH report AS MATERIALIZED (
        SELECT f.issuer_id, f.record_key,
               disclosed.fund_report_is_amended(f.issuer_id, f.record_key)
               OR bool_or(f.settled_until IS NOT NULL AND f.settled_until IS DISTINCT FROM f.superseded_at) AS is_amended
        FROM disclosed.fund f WHERE f.id = ANY (reports) GROUP BY f.issuer_id, f.record_key)
    SELECT array_agg(m.cusip), array_agg(m.name), array_agg(m.class_title) INTO cusips, issuer_titles, class_titles
    FROM (SELECT h.cusip, h.name, disclosed.class_of_holding(h.name, h.title) AS class_title,
                 bool_or(h.superseded_at IS NOT DISTINCT FROM h.known_at) AS is_left
          FROM report f
          CROSS JOIN LATERAL (
              SELECT t.* FROM disclosed.titled_holding t
              WHERE t.issuer_id = f.issuer_id AND t.report_key = f.record_key
                AND (t.is_written AND (t.recorded_at <> now() OR t.superseded_at = t.known_at) OR f.is_amended) OFFSET 0) h
          GROUP BY 1, 2, 3) m
    JOIN disclosed.security_title s ON s.cusip = m.cusip AND s.issuer_title = m.name AND s.class_title = m.class_title
    WHERE m.is_left OR s.rows_seen < 1000;
    IF cusips IS NOT NULL THEN
        PERFORM disclosed.recount_titles(cusips, issuer_titles, class_titles);
    END IF;
END $$;

-- Rows by their keys one by one: for a list of keys PostgreSQL may read all rows of the company, for each of its reports.
CREATE OR REPLACE FUNCTION unreconciled_reports(ciks bigint[], accessions text[], reports_known timestamptz[], reports_filed date[], hashes text[],
    unfiled_keys text[]) RETURNS SETOF bigint LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off' SET enable_hashjoin TO 'off' SET enable_mergejoin TO 'off' AS $$
BEGIN
    RETURN QUERY
        SELECT r.place
        FROM unnest(ciks, accessions, reports_known, reports_filed, hashes, unfiled_keys) WITH ORDINALITY
             AS r(cik, accession, known_at, filed_on, hash, keys, place)
        CROSS JOIN LATERAL (SELECT coalesce(min(f.known_at), r.known_at) AS known_at, coalesce(min(f.filed_on), r.filed_on) AS filed_on
                            FROM disclosed.filing f WHERE f.accession = r.accession AND f.superseded_at IS NULL) best
        LEFT JOIN disclosed.issuer i ON i.cik = r.cik
        WHERE EXISTS (SELECT 1 FROM disclosed.insider_transaction t
                      WHERE t.accession = r.accession AND (t.known_at, t.filing_date) <> (best.known_at, best.filed_on))
           OR EXISTS (SELECT 1 FROM disclosed.insider_holding h
                      WHERE h.accession = r.accession AND (h.known_at, h.filing_date) <> (best.known_at, best.filed_on))
           OR EXISTS (SELECT 1 FROM disclosed.executive_stated s
                      WHERE s.origin = r.accession AND (s.known_at, s.reported_on) <> (best.known_at, best.filed_on))
           OR EXISTS (SELECT 1 FROM disclosed.executive_stated s WHERE s.origin = left(r.hash, 39) AND s.issuer_id = i.issuer_id)
           OR EXISTS (
               SELECT 1 FROM unnest(r.keys::text[]) AS k(record_key)
               CROSS JOIN LATERAL (
                   SELECT 1 FROM disclosed.insider_transaction t
                   WHERE t.issuer_id = i.issuer_id AND disclosed.key_hash(t.record_key) = disclosed.key_hash(k.record_key)
                     AND t.record_key = k.record_key AND t.superseded_at IS NULL
                   UNION ALL
                   SELECT 1 FROM disclosed.insider_transaction t
                   WHERE t.issuer_id = i.issuer_id AND disclosed.key_hash(t.record_key) = disclosed.key_hash(k.record_key)
                     AND t.record_key = k.record_key AND t.superseded_at IS NOT NULL AND t.superseded_at <> t.known_at
                   UNION ALL
                   SELECT 1 FROM disclosed.insider_holding t
                   WHERE t.issuer_id = i.issuer_id AND disclosed.key_hash(t.record_key) = disclosed.key_hash(k.record_key)
                     AND t.record_key = k.record_key AND t.superseded_at IS NULL
                   UNION ALL
                   SELECT 1 FROM disclosed.insider_holding t
                   WHERE t.issuer_id = i.issuer_id AND disclosed.key_hash(t.record_key) = disclosed.key_hash(k.record_key)
                     AND t.record_key = k.record_key AND t.superseded_at IS NOT NULL AND t.superseded_at <> t.known_at) x);
END $$;

-- A report's holdings by the report alone: by its statistics the index of holdings of known companies is empty while a load maps the first of them,
-- and would be read whole for each report.
CREATE OR REPLACE FUNCTION fund_exposures_of(reports bigint[])
RETURNS TABLE (company_id bigint, registrant_id bigint, fund_row bigint, report_id bigint, record_key text, fund_name text, fund_ticker text,
    report_date date, known_at timestamptz, superseded_at timestamptz, shares numeric, value numeric, weight_pct numeric, payoff_profile text,
    is_etf boolean) LANGUAGE sql STABLE AS $$
    WITH report AS MATERIALIZED (
        SELECT DISTINCT ON (f.id) f.id, f.issuer_id, f.row_id, f.record_key, f.fund_key,
               f.name, f.shown_ticker, f.report_date, f.net_assets, f.counts_as_etf,
               min(f.known_at) OVER (PARTITION BY f.id) AS starts_at
        FROM disclosed.fund f WHERE f.id = ANY(reports)
        ORDER BY f.id, f.known_at DESC, f.row_id DESC),
    held AS MATERIALIZED (
        SELECT r.id AS report_id, h.company_id,
               array_agg(greatest(h.known_at, r.starts_at)) AS known, array_agg(h.superseded_at) AS until,
               array_agg(h.payoff_profile IS NOT DISTINCT FROM 'Short') AS short,
               array_agg(h.balance) AS shares, array_agg(h.value) AS value,
               array_agg(coalesce(h.weight_pct,
                                  round(100 * h.value / nullif(r.net_assets, 0), 10))) AS weight_pct
        FROM report r
        CROSS JOIN LATERAL (
            SELECT * FROM disclosed.fund_holding x WHERE x.issuer_id = r.issuer_id AND x.report_key = r.record_key OFFSET 0) h
        WHERE h.company_id IS NOT NULL AND h.asset_category IN ('EC', 'EP') AND h.unit = 'NS' AND h.superseded_at IS DISTINCT FROM h.known_at
        GROUP BY r.id, h.company_id)
    SELECT g.company_id, r.issuer_id, r.row_id, r.id,
           coalesce(i.cik::text, i.party_key, i.issuer_id::text) || '/' || r.fund_key,
           r.name, r.shown_ticker, r.report_date, s.at, s.until, t.shares, t.value, t.weight_pct,
           CASE WHEN t.all_short THEN 'Short' WHEN t.any_short THEN 'Long and Short' ELSE 'Long' END,
           r.counts_as_etf
    FROM held g
    JOIN report r ON r.id = g.report_id
    JOIN disclosed.issuer i ON i.issuer_id = r.issuer_id
    CROSS JOIN LATERAL (
        SELECT e.at, lead(e.at) OVER (ORDER BY e.at) AS until
        FROM (SELECT unnest(g.known) UNION SELECT unnest(g.until)) e(at)
        WHERE e.at IS NOT NULL) s
    CROSS JOIN LATERAL (
        SELECT count(*) AS rows, bool_and(h.short) AS all_short, bool_or(h.short) AS any_short,
               sum(CASE WHEN h.short THEN -abs(h.shares) ELSE h.shares END) AS shares,
               sum(CASE WHEN h.short THEN -abs(h.value) ELSE h.value END) AS value,
               sum(CASE WHEN h.short THEN -abs(h.weight_pct) ELSE h.weight_pct END) AS weight_pct
        FROM unnest(g.known, g.until, g.short, g.shares, g.value, g.weight_pct)
             AS h(known_at, superseded_at, short, shares, value, weight_pct)
        WHERE h.known_at <= s.at AND (h.superseded_at IS NULL OR h.superseded_at > s.at)) t
    WHERE t.rows > 0$$;

-- Whether a holding is stated is looked up in a hash: joined, each might be compared with each, as few are expected.
CREATE OR REPLACE FUNCTION end_left_out_holdings(ciks bigint[], reports text[], staged boolean[], wholes boolean[], all_merged boolean)
RETURNS TABLE (dataset text, changed_issuer bigint, ended bigint, resumed bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        WITH stated AS MATERIALIZED (
            SELECT s AS record_key
            FROM disclosed.staged_holdings(ARRAY(SELECT r.report_key FROM unnest(reports, staged) AS r(report_key, has_rows) WHERE r.has_rows)) s),
        held AS MATERIALIZED (
            SELECT i.issuer_id, r.is_whole AND all_merged AS is_whole, h.*
            FROM unnest(ciks, reports, wholes) AS r(cik, report_key, is_whole) JOIN disclosed.issuer i USING (cik)
            CROSS JOIN LATERAL (
                SELECT x.row_id, x.report_key, x.record_key, x.left_out, x.superseded_at,
                       lead(x.row_id) OVER (PARTITION BY x.record_key COLLATE "C" ORDER BY x.known_at, x.row_id) IS NULL AS is_last
                FROM disclosed.fund_holding x
                WHERE x.issuer_id = i.issuer_id AND x.report_key = r.report_key OFFSET 0) h),
        moved AS (
            UPDATE disclosed.fund_holding x
            SET left_out = CASE WHEN m.is_out THEN true END, superseded_at = CASE WHEN m.is_out THEN x.known_at ELSE x.superseded_at END
            FROM (SELECT h.*, h.record_key NOT IN (SELECT s.record_key FROM stated s) AS is_out FROM held h) m
            WHERE x.issuer_id = m.issuer_id AND x.row_id = m.row_id AND (m.left_out IS TRUE) <> m.is_out AND (m.is_whole OR NOT m.is_out)
            RETURNING m.*),
        unsettled AS (
            UPDATE disclosed.fund f SET settled_from = NULL
            FROM (SELECT DISTINCT m.issuer_id, m.report_key FROM moved m) m
            WHERE f.issuer_id = m.issuer_id AND f.record_key = m.report_key)
        SELECT 'fund_holding'::text, m.issuer_id, count(*) FILTER (WHERE m.is_out AND m.superseded_at IS NULL),
               count(*) FILTER (WHERE NOT m.is_out AND m.is_last)
        FROM moved m GROUP BY m.issuer_id;
END $$;
