-- A file that is the whole of a filing: what an earlier copy of it had besides was in force at no time (loader/loader_whole.c).

SET LOCAL search_path = disclosed, public;

DO $$
DECLARE
    one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['filing_exhibit', 'filing_text', 'insider_transaction', 'insider_holding', 'beneficial_owner',
                               'institution_position', 'kpi_observation']
    LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN left_out boolean', one);
        EXECUTE format('COMMENT ON COLUMN %I.left_out IS %L', one,
                       'whether the file of its filing that was loaded last lacks it; NULL: no. By leave_out()');
    END LOOP;
END $$;
CALL make_sourced_view('filing_exhibit', 'file_name');
CALL make_sourced_view('filing_text');
CALL make_sourced_view('insider_transaction');
CALL make_sourced_view('insider_holding');
CALL make_sourced_view('beneficial_owner');
CALL make_sourced_view('institution_position');
CALL make_sourced_view('kpi_observation');

-- Marks these rows of a dataset's table as left out, or no longer, and says of each version of their records until when it holds: one that is left
-- out never did, the others hold until the next one that is not. Those that end give way to others before these begin. `places`: what the
-- rows are counted by. Returns how many versions have got an end by it, and how many of the rows hold again.
CREATE FUNCTION leave_out(dataset_table text, places bigint[], issuers bigint[], numbers bigint[], is_out boolean[])
RETURNS TABLE (place bigint, changed_issuer bigint, ended bigint, resumed bigint) LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
    line record;
BEGIN
    EXECUTE format($q$
        UPDATE disclosed.%I t SET left_out = CASE WHEN m.is_out THEN true END
        FROM unnest($1, $2, $3) AS m(issuer_id, row_id, is_out)
        WHERE t.issuer_id = m.issuer_id AND t.row_id = m.row_id $q$, dataset_table) USING issuers, numbers, is_out;
    EXECUTE format($q$
        SELECT coalesce(array_agg(l.place), '{}') AS places, array_agg(l.issuer_id) AS issuers, array_agg(l.row_id) AS numbers,
               array_agg(l.superseded_at) AS was, array_agg(l.ends_at) AS ends
        FROM (SELECT r.place, v.issuer_id, v.row_id, v.superseded_at,
                     CASE WHEN v.left_out THEN v.known_at
                          ELSE lead(v.known_at) OVER (PARTITION BY v.issuer_id, v.record_key COLLATE "C", v.left_out IS TRUE
                                                      ORDER BY v.known_at, v.row_id) END AS ends_at
              FROM (SELECT min(m.place) AS place, t.issuer_id, t.record_key
                    FROM unnest($1, $2, $3) AS m(place, issuer_id, row_id) JOIN disclosed.%1$I t USING (issuer_id, row_id)
                    GROUP BY t.issuer_id, t.record_key) r
              CROSS JOIN LATERAL (
                  SELECT x.issuer_id, x.row_id, x.record_key, x.known_at, x.superseded_at, x.left_out FROM disclosed.%1$I x
                  WHERE x.issuer_id = r.issuer_id AND disclosed.key_hash(x.record_key) = disclosed.key_hash(r.record_key)
                    AND x.record_key = r.record_key AND (x.superseded_at IS NULL OR x.superseded_at IS NOT NULL) OFFSET 0) v) l
        WHERE l.superseded_at IS DISTINCT FROM l.ends_at $q$, dataset_table) INTO line USING places, issuers, numbers;
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        EXECUTE format($q$
            UPDATE disclosed.%I t SET superseded_at = m.ends_at
            FROM unnest($1, $2, $3) AS m(issuer_id, row_id, ends_at)
            WHERE t.issuer_id = m.issuer_id AND t.row_id = m.row_id AND (m.ends_at IS NULL) = $4 $q$, dataset_table)
        USING line.issuers, line.numbers, line.ends, opening;
    END LOOP;
    RETURN QUERY
        SELECT c.place, c.issuer_id, sum(c.ended)::bigint, sum(c.resumed)::bigint
        FROM (SELECT u.place, u.issuer_id, (u.was IS NULL)::integer AS ended, 0 AS resumed
              FROM unnest(line.places, line.issuers, line.was) AS u(place, issuer_id, was)
              UNION ALL
              SELECT m.place, m.issuer_id, 0, (NOT m.is_out AND u.row_id IS NOT NULL)::integer
              FROM unnest(places, issuers, numbers, is_out) AS m(place, issuer_id, row_id, is_out)
              LEFT JOIN unnest(line.issuers, line.numbers, line.ends) AS u(issuer_id, row_id, ends_at)
                ON u.issuer_id = m.issuer_id AND u.row_id = m.row_id AND u.ends_at IS NULL) c
        GROUP BY c.place, c.issuer_id;
END $$;

-- Form 13F, special instructions: an amendment either restates the whole report or adds new holdings
-- to it. A report that does not add is the whole of its manager and quarter from when it was public;
-- what was filed before it ends there, rows added as well. Versions of a row end with the next one.
-- Reports of one instant follow each other by amendment number, then accession number. A request for
-- confidential treatment (13F-CTR) reports nothing and ends nothing. Rows that are left out were in force at no time.
CREATE OR REPLACE FUNCTION close_restated_positions() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        INSERT INTO pg_temp.work_report
        SELECT r.issuer_id, r.accession, (
                   SELECT min(n.known_at) FROM disclosed.institution_report n
                   WHERE n.issuer_id = r.issuer_id AND n.period_of_report = r.period_of_report
                     AND n.superseded_at IS NULL AND n.amendment_type IS DISTINCT FROM 'new_holdings'
                     AND n.form NOT LIKE '13F-CTR%'
                     AND (n.known_at, coalesce(n.amendment_number, 0), n.accession)
                         > (r.known_at, coalesce(r.amendment_number, 0), r.accession))
        FROM pg_temp.work_portfolio w
        JOIN disclosed.institution_report r USING (issuer_id, period_of_report)
        WHERE w.contested AND r.superseded_at IS NULL $q$;
    ANALYZE pg_temp.work_report;
    EXECUTE $q$
        INSERT INTO pg_temp.work_ending
        SELECT issuer_id, row_id, ends_at
        FROM (SELECT v.*, CASE WHEN left_out THEN known_at
                               WHEN next_known_at IS NOT NULL OR ended_at IS NOT NULL
                               THEN greatest(known_at, least(next_known_at, ended_at)) END AS ends_at
              FROM (SELECT t.issuer_id, t.row_id, t.known_at, t.superseded_at, t.left_out, r.ended_at,
                           lead(t.known_at) OVER (PARTITION BY t.issuer_id, t.record_key, t.left_out IS TRUE
                                                  ORDER BY t.known_at, t.row_id) AS next_known_at
                    FROM pg_temp.work_portfolio w
                    JOIN disclosed.institution_position t USING (issuer_id, period_of_report)
                    LEFT JOIN pg_temp.work_report r
                      ON r.issuer_id = t.issuer_id AND r.accession = t.accession
                    WHERE w.contested) v) e
        WHERE superseded_at IS DISTINCT FROM ends_at $q$;
    ANALYZE pg_temp.work_ending;
    EXECUTE $q$
        UPDATE disclosed.institution_position t SET superseded_at = e.ends_at
        FROM pg_temp.work_ending e
        WHERE t.issuer_id = e.issuer_id AND t.row_id = e.row_id $q$;
END $$;
-- Says in the reports of work_portfolio what is stored of them, without what is left out.
CREATE OR REPLACE FUNCTION total_reports() RETURNS void LANGUAGE plpgsql SET work_mem = '64MB' AS $$
BEGIN
    EXECUTE $q$
        WITH total AS (
            SELECT t.issuer_id, t.accession, count(*) AS entries, sum(t.value) AS value
            FROM pg_temp.work_portfolio w
            JOIN disclosed.institution_position t USING (issuer_id, period_of_report)
            WHERE t.superseded_at IS NULL OR t.left_out IS NULL AND NOT EXISTS (
                SELECT 1 FROM disclosed.institution_position n
                WHERE n.issuer_id = t.issuer_id AND disclosed.key_hash(n.record_key) = disclosed.key_hash(t.record_key)
                  AND n.record_key = t.record_key AND (n.superseded_at IS NULL OR n.superseded_at IS NOT NULL)
                  AND n.left_out IS NULL AND (n.known_at, n.row_id) > (t.known_at, t.row_id))
            GROUP BY 1, 2)
        UPDATE disclosed.institution_report r
        SET entries_stored = coalesce(t.entries, 0), value_stored = coalesce(t.value, 0),
            settled_period = r.period_of_report, settled_known_at = r.known_at
        FROM pg_temp.work_portfolio w
        JOIN disclosed.institution_report q USING (issuer_id, period_of_report)
        LEFT JOIN total t ON t.issuer_id = q.issuer_id AND t.accession = q.accession
        WHERE r.issuer_id = q.issuer_id AND r.row_id = q.row_id AND q.superseded_at IS NULL
          AND (r.entries_stored, r.value_stored, r.settled_period, r.settled_known_at) IS DISTINCT FROM
              (coalesce(t.entries, 0), coalesce(t.value, 0), r.period_of_report, r.known_at) $q$;
END $$;
