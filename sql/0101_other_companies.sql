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

-- The same for forms that tell their owners (the function without them is for the module of before): what another copy of a form that is whole said of
-- persons ends.
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

-- ---------------------------------------------------------------------- Form N-PORT

-- As before, but that a copy of the report for another day says nothing of when this one was due: what was loaded of it before tells only what a
-- header or another source has said.
CREATE OR REPLACE FUNCTION date_of_fund_report(registrant_cik bigint, report_accession text, hash text,
                                               header_accepted timestamptz, header_filed date,
                                               as_of_day date, signed date,
                                               OUT accession text, OUT known_at timestamptz)
LANGUAGE sql STABLE AS $$
    WITH same AS (
        SELECT f.accession, f.known_at,
               coalesce(f.accepted_at, disclosed.end_of_day(f.filed_on), CASE WHEN r.source IS DISTINCT FROM 'sec-nport' THEN f.known_at END) AS told_at
        FROM disclosed.fund f JOIN disclosed.issuer i USING (issuer_id)
        LEFT JOIN disclosed.source o USING (source_id) LEFT JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id
        WHERE i.cik = registrant_cik
          AND CASE WHEN report_accession IS NOT NULL THEN f.accession = report_accession
                   ELSE f.record_key = left(hash, 39)
                     OR f.accession IN (SELECT d.accession FROM disclosed.named_document d
                                        WHERE d.document = left(hash, 39)) END),
    named AS (
        SELECT coalesce(report_accession,
                        (SELECT s.accession FROM same s ORDER BY s.accession IS NULL, s.accession, s.known_at LIMIT 1)) AS accession)
    SELECT n.accession,
           coalesce((SELECT min(f.known_at) FROM disclosed.filing f
                     WHERE f.accession = n.accession AND f.superseded_at IS NULL),
                    header_accepted, disclosed.end_of_day(header_filed),
                    (SELECT min(s.told_at) FROM same s),
                    disclosed.end_of_day(greatest(as_of_day + 60, signed)))
    FROM named n
$$;

-- Before a copy of a report is merged that is public since then: so are the copies before it of which nothing tells better, so that they meet
-- it. Returns whose reports have changed.
CREATE FUNCTION redate_fund_copies(report_accession text, public_at timestamptz)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        WITH moved AS (
            UPDATE disclosed.fund f SET known_at = public_at
            FROM (SELECT x.issuer_id, x.row_id, x.known_at
                  FROM disclosed.fund x JOIN disclosed.source o USING (source_id) JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id
                  WHERE x.accession = report_accession AND x.known_at <> public_at AND r.source = 'sec-nport'
                    AND x.accepted_at IS NULL AND x.filed_on IS NULL) was
            WHERE f.issuer_id = was.issuer_id AND f.row_id = was.row_id
            RETURNING f.issuer_id, f.record_key, was.known_at),
        held AS (
            UPDATE disclosed.fund_holding h SET known_at = public_at
            FROM (SELECT DISTINCT * FROM moved) m
            WHERE h.issuer_id = m.issuer_id AND h.report_key = m.record_key AND h.known_at = m.known_at)
        SELECT DISTINCT 'fund'::text, m.issuer_id FROM moved m;
END $$;
