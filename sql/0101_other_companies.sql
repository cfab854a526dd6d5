-- What a copy of a filing has left under another company, or for another period, goes when the good one is loaded (loader/loader_whole.c).

SET LOCAL search_path = disclosed, public;

DO $$
DECLARE
    one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['xbrl_report', 'xbrl_linkbase']
    LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN left_out boolean', one);
        EXECUTE format('COMMENT ON COLUMN %I.left_out IS %L', one,
                       'whether the file of its filing that was loaded last lacks it; NULL: no. By leave_out()');
    END LOOP;
END $$;
CALL make_sourced_view('xbrl_report');
CALL make_sourced_view('xbrl_linkbase');

-- What an instance has said of a filing is found whichever company it named.
CREATE INDEX kpi_observation_accession ON kpi_observation USING hash (accession);

-- ------------------------------------------------------------------ Forms 3, 4 and 5

-- Forms have been merged, each the whole of its filing where `wholes` says so: what was stated under its accession number of persons of another
-- issuer, or of other persons than its owners (`keys`), is stated no more. Returns what has changed and by which of them, from 1.
CREATE FUNCTION end_left_out_people(ciks bigint[], accessions text[], keys text[], wholes boolean[])
RETURNS TABLE (dataset text, changed_issuer bigint, place bigint) LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off
SET enable_mergejoin = off AS $$
DECLARE
    issuers bigint[];
    persons text[];
    places bigint[];
BEGIN
    WITH gone AS (
        DELETE FROM disclosed.executive_stated s
        USING unnest(ciks, accessions, keys, wholes) WITH ORDINALITY AS f(cik, accession, keys, is_whole, place)
        WHERE f.is_whole AND s.origin = f.accession
          AND (s.record_key <> ALL (f.keys::text[]) OR s.issuer_id IS DISTINCT FROM (SELECT i.issuer_id FROM disclosed.issuer i WHERE i.cik = f.cik))
        RETURNING s.issuer_id, s.record_key, f.place)
    SELECT array_agg(gone.issuer_id), array_agg(gone.record_key), array_agg(gone.place) INTO issuers, persons, places FROM gone;
    IF issuers IS NOT NULL THEN
        RETURN QUERY
            SELECT 'executive', d.issuer_id, (SELECT min(g.place) FROM unnest(issuers, places) AS g(issuer_id, place) WHERE g.issuer_id = d.issuer_id)
            FROM (SELECT DISTINCT x AS issuer_id FROM disclosed.derive_executives(issuers, persons) AS x) d;
    END IF;
END $$;

-- The same as before, and of forms that are whole what another copy said of persons ends.
DROP FUNCTION settle_reports(bigint[], text[], timestamptz[], date[], text[], text[], text[]);
CREATE FUNCTION settle_reports(ciks bigint[], accessions text[], reports_known timestamptz[], reports_filed date[], hashes text[],
                               unfiled_keys text[], names text[], person_keys text[], wholes boolean[])
RETURNS TABLE (dataset text, changed_issuer bigint, place bigint) LANGUAGE plpgsql AS $$
DECLARE
    report record;
BEGIN
    INSERT INTO disclosed.named_document (document, accession)
    SELECT left(d.hash, 39), d.accession FROM unnest(hashes, accessions) AS d(hash, accession)
    WHERE d.hash IS NOT NULL AND d.accession IS NOT NULL
    ON CONFLICT DO NOTHING;
    PERFORM disclosed.name_reported_issuers(ciks, reports_known, names);
    RETURN QUERY SELECT p.dataset, p.changed_issuer, p.place FROM disclosed.end_left_out_people(ciks, accessions, person_keys, wholes) p;
    FOR report IN
        SELECT r.* FROM unnest(ciks, accessions, reports_known, reports_filed, hashes, unfiled_keys) WITH ORDINALITY
            AS r(cik, accession, known_at, filed_on, hash, keys, place)
        JOIN disclosed.unsettled_reports(ciks, accessions, reports_known, reports_filed, hashes, unfiled_keys) AS u(place) USING (place)
        ORDER BY r.place
    LOOP
        RETURN QUERY SELECT s.dataset, s.changed_issuer, report.place
            FROM disclosed.settle_report(report.cik, report.accession, report.known_at, report.filed_on, report.hash,
                                         report.keys::text[]) s;
    END LOOP;
END $$;

-- ------------------------------------------------------------------------ Form 13F

-- As before, and the quarter of a report that a copy for another quarter has replaced: what was derived of it is derived anew, once.
CREATE OR REPLACE FUNCTION find_changed_portfolios(managers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    TRUNCATE pg_temp.work_quarter, pg_temp.work_portfolio, pg_temp.work_report, pg_temp.work_ending;
    INSERT INTO pg_temp.work_quarter
    SELECT DISTINCT t.issuer_id, t.period_of_report FROM disclosed.institution_position t
    WHERE t.recorded_at = now() AND t.issuer_id = ANY (managers);
    INSERT INTO pg_temp.work_quarter
    SELECT r.issuer_id, p.period
    FROM disclosed.institution_report r
    CROSS JOIN LATERAL (VALUES (r.period_of_report), (r.settled_period)) AS p(period)
    WHERE r.issuer_id = ANY (managers) AND r.superseded_at IS NULL AND p.period IS NOT NULL
      AND (r.settled_period, r.settled_known_at) IS DISTINCT FROM (r.period_of_report, r.known_at);
    WITH replaced AS (
        UPDATE disclosed.institution_report r SET settled_period = NULL, settled_known_at = NULL
        FROM disclosed.institution_report o
        WHERE r.issuer_id = ANY (managers) AND r.superseded_at IS NOT NULL AND r.settled_period IS NOT NULL AND o.issuer_id = r.issuer_id
          AND o.row_id = r.row_id
        RETURNING r.issuer_id, o.settled_period)
    INSERT INTO pg_temp.work_quarter SELECT * FROM replaced;
    INSERT INTO pg_temp.work_quarter
    SELECT DISTINCT t.issuer_id, t.period_of_report FROM disclosed.institution_position t
    WHERE t.issuer_id = ANY (managers)
      AND t.issuer_id NOT IN (SELECT issuer_id FROM pg_temp.work_quarter);
    INSERT INTO pg_temp.work_portfolio
    SELECT q.issuer_id, q.period_of_report,
           (SELECT count(*) > 1 FROM disclosed.institution_report r
            WHERE r.issuer_id = q.issuer_id AND q.period_of_report IN (r.period_of_report, r.settled_period))
    FROM (SELECT DISTINCT * FROM pg_temp.work_quarter) q;
    ANALYZE pg_temp.work_portfolio;
END $$;
