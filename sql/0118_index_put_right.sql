-- When a report of the House was filed is what the Clerk's index says that was loaded last: what is stored of the report moves to that instant before the index is merged,
-- so that the copies meet.

SET LOCAL search_path = disclosed, public;

-- What is stored of these reports is known from those instants, and of each the version that was loaded last counts. Of a provider's versions; returns whose have moved.
CREATE FUNCTION move_congress_reports(offices bigint[], keys text[], instants timestamptz[], of_provider text) RETURNS SETOF bigint LANGUAGE plpgsql SET enable_nestloop = off AS $$
DECLARE
    moved_of bigint[];
    moved text[];
    opening boolean;
BEGIN
    WITH apart AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, g.known_at
        FROM unnest(offices, keys, instants) AS g(office_id, record_key, known_at)
        JOIN disclosed.congress_report t ON t.issuer_id = g.office_id AND t.record_key = g.record_key AND t.known_at <> g.known_at
        JOIN disclosed.source o ON o.source_id = t.source_id
        WHERE o.provider = of_provider),
    written AS (
        UPDATE disclosed.congress_report t
        SET known_at = a.known_at, superseded_at = CASE WHEN t.superseded_at IS NOT NULL THEN greatest(t.superseded_at, a.known_at) END
        FROM apart a
        WHERE t.issuer_id = a.issuer_id AND t.row_id = a.row_id
        RETURNING t.issuer_id, t.record_key)
    SELECT array_agg(w.issuer_id), array_agg(w.record_key) INTO moved_of, moved FROM (SELECT DISTINCT * FROM written) w;
    IF moved IS NULL THEN
        RETURN;
    END IF;
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP -- of a record one version is current at any time
        WITH lasting AS (
            SELECT t.issuer_id, t.row_id, lead(t.known_at) OVER (PARTITION BY t.issuer_id, t.record_key COLLATE "C" ORDER BY t.known_at, t.row_id) AS ends_at
            FROM unnest(moved_of, moved) AS m(issuer_id, record_key) JOIN disclosed.congress_report t ON t.issuer_id = m.issuer_id AND t.record_key = m.record_key)
        UPDATE disclosed.congress_report t SET superseded_at = l.ends_at
        FROM lasting l
        WHERE t.issuer_id = l.issuer_id AND t.row_id = l.row_id AND t.superseded_at IS DISTINCT FROM l.ends_at AND (l.ends_at IS NULL) = opening;
    END LOOP;
    RETURN QUERY SELECT DISTINCT unnest(moved_of);
END $$;

-- Before the rows of an index of the Clerk are merged. Of several lines of a report the last one counts, and all are of its instant. A line with a day of filing is
-- of the end of that day, and what other copies said moves there. One without says nothing of when the report was public: the same is known since it was first said, and
-- something else holds from when the line it contradicts is known, if that is later. Lines without a type are rejected, and move nothing.
CREATE OR REPLACE FUNCTION redate_congress_reports() RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql SET enable_nestloop = off AS $$
BEGIN
    UPDATE pg_temp.stage_congress_report s SET known_at = g.known_at
    FROM (SELECT g.record_key, CASE WHEN g.filing_date IS NOT NULL OR t.row_id IS NULL THEN g.known_at
                                    WHEN (t.filing_type, t.filing_year, t.filing_date, t.first_name, t.last_name, t.name_suffix, t.state_district)
                                         IS NOT DISTINCT FROM
                                         (g.filing_type, g.filing_year, g.filing_date, g.first_name, g.last_name, g.name_suffix, g.state_district)
                                    THEN least(g.known_at, t.known_at)
                                    ELSE greatest(g.known_at, t.known_at) END AS known_at
          FROM (SELECT DISTINCT ON (x.record_key) x.*, coalesce(x.issuer_id, i.issuer_id) AS office_id
                FROM pg_temp.stage_congress_report x LEFT JOIN disclosed.issuer i ON i.party_key = x.party
                WHERE x.filing_type IS NOT NULL
                ORDER BY x.record_key, x.row_order DESC) g
          JOIN disclosed.source k USING (source_id)
          LEFT JOIN (disclosed.congress_report t JOIN disclosed.source o USING (source_id))
            ON t.issuer_id = g.office_id AND t.record_key = g.record_key AND t.superseded_at IS NULL AND o.provider = k.provider) g
    WHERE s.record_key = g.record_key AND s.known_at <> g.known_at;
    RETURN QUERY
    WITH said AS MATERIALIZED (
        SELECT DISTINCT ON (s.record_key) coalesce(s.issuer_id, i.issuer_id) AS office_id, s.record_key, s.filing_date, s.known_at, k.provider
        FROM pg_temp.stage_congress_report s JOIN disclosed.source k USING (source_id) JOIN disclosed.issuer i ON i.party_key = s.party
        WHERE s.filing_type IS NOT NULL
        ORDER BY s.record_key, s.row_order DESC)
    SELECT 'congress_report', m
    FROM (SELECT g.provider, array_agg(g.office_id) AS offices, array_agg(g.record_key) AS keys, array_agg(g.known_at) AS instants
          FROM said g WHERE g.filing_date IS NOT NULL GROUP BY g.provider) g
    CROSS JOIN LATERAL disclosed.move_congress_reports(g.offices, g.keys, g.instants, g.provider) AS m;
END $$;

-- -------------------------------------------------------------------------- what is stored

-- Reports kept the latest of the instants that copies of the index had said.
DO $$
DECLARE
    offices bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    SELECT array_agg(DISTINCT m) INTO offices
    FROM (SELECT array_agg(t.issuer_id) AS offices, array_agg(t.record_key) AS keys, array_agg(end_of_day(t.filing_date)) AS instants
          FROM congress_report t JOIN source o USING (source_id) JOIN import_run r USING (import_run_id)
          WHERE t.superseded_at IS NULL AND t.known_at <> end_of_day(t.filing_date) AND o.provider = 'house_clerk' AND r.source = 'house-ptr') g
    CROSS JOIN LATERAL move_congress_reports(g.offices, g.keys, g.instants, 'house_clerk') AS m;
    IF offices IS NOT NULL THEN
        PERFORM reconcile_congress(offices);
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
        UPDATE dataset_stat SET version = version + 1, changed_at = now() WHERE dataset IN ('congress_report', 'congress_trade');
    END IF;
END $$;
