-- A file that is the whole of a filing: what an earlier copy of it had besides was in force at no time (loader/loader_whole.c).

SET LOCAL search_path = disclosed, public;

DO $$
DECLARE
    one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['filing_exhibit', 'filing_text', 'insider_transaction', 'insider_holding', 'beneficial_owner',
                               'institution_report', 'institution_position', 'fund', 'kpi_observation']
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
CALL make_sourced_view('institution_report');
CALL make_sourced_view('institution_position');
CALL make_sourced_view('fund');
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
-- confidential treatment (13F-CTR) reports nothing and ends nothing. Rows that are left out were in force at no time. A copy that
-- gives the report another quarter has the next versions of its rows.
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
              FROM (SELECT t.issuer_id, t.row_id, t.known_at, t.superseded_at, t.left_out, r.ended_at, n.known_at AS next_known_at
                    FROM pg_temp.work_portfolio w
                    JOIN disclosed.institution_position t USING (issuer_id, period_of_report)
                    LEFT JOIN pg_temp.work_report r
                      ON r.issuer_id = t.issuer_id AND r.accession = t.accession
                    LEFT JOIN LATERAL (
                        SELECT x.known_at FROM disclosed.institution_position x
                        WHERE x.issuer_id = t.issuer_id AND disclosed.key_hash(x.record_key) = disclosed.key_hash(t.record_key)
                          AND x.record_key = t.record_key AND (x.superseded_at IS NULL OR x.superseded_at IS NOT NULL)
                          AND x.left_out IS NULL AND (x.known_at, x.row_id) > (t.known_at, t.row_id)
                        ORDER BY x.known_at, x.row_id LIMIT 1) n ON true
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

-- How the prices that unconfirmed reports imply, as filed, stand to those of other managers for the
-- same security and day: about equal (their values are dollars), or a thousandth of them. Rows that were in force at no time have no vote.
CREATE OR REPLACE FUNCTION value_scale_votes(periods date[], cusips text[])
RETURNS TABLE (issuer_id bigint, accession text, is_dollars bigint, is_thousands bigint, votes bigint)
LANGUAGE sql STABLE AS $$
    SELECT own.issuer_id, own.accession,
           count(*) FILTER (WHERE own.price / peer.price BETWEEN 0.5 AND 2),
           count(*) FILTER (WHERE own.price / peer.price BETWEEN 0.0005 AND 0.002), count(*)
    FROM (SELECT r.issuer_id, r.accession, r.period_of_report, p.cusip,
                 avg(p.value_as_filed / p.shares) AS price
          FROM disclosed.institution_report r
          JOIN disclosed.institution_position p
            ON p.issuer_id = r.issuer_id AND p.period_of_report = r.period_of_report
           AND p.accession = r.accession AND p.cusip = ANY(r.unconfirmed_cusips)
          WHERE r.unconfirmed_cusips IS NOT NULL AND r.superseded_at IS DISTINCT FROM r.known_at
            AND r.period_of_report = ANY(periods)
            AND (cusips IS NULL OR r.unconfirmed_cusips && cusips)
            AND p.superseded_at IS DISTINCT FROM p.known_at AND p.shares > 0 AND p.value_as_filed > 0 AND p.put_call IS NULL
          GROUP BY r.issuer_id, r.accession, r.period_of_report, p.cusip) own
    CROSS JOIN LATERAL (
        SELECT p.value / p.shares AS price
        FROM disclosed.institution_position p
        JOIN disclosed.institution_report r
          ON r.accession = p.accession AND r.issuer_id = p.issuer_id AND r.unconfirmed_cusips IS NULL
        WHERE p.cusip = own.cusip AND p.period_of_report = own.period_of_report
          AND p.issuer_id <> own.issuer_id
          AND p.superseded_at IS DISTINCT FROM p.known_at AND p.shares > 0 AND p.value > 0 AND p.put_call IS NULL
        LIMIT 8) peer
    GROUP BY own.issuer_id, own.accession
$$;

-- The reports of each fund in order: the one for the latest day stands, the last one filed among those for a day, each from when it was public;
-- a late report for an earlier day never does. Of those that became known at one instant an amendment stands, then the one that was signed last,
-- then the larger accession number, as those of a filer agent grow. What a file has said of a report gives way to what a later file says of
-- it, and a document that was loaded by itself to the same one under its accession number; what is left out never stood.
CREATE OR REPLACE FUNCTION fund_timeline(issuers bigint[])
RETURNS TABLE (issuer_id bigint, row_id bigint, ends_at timestamptz)
LANGUAGE sql STABLE AS $$
    WITH version AS (
        SELECT f.issuer_id, f.row_id, f.record_key, f.accession, f.fund_key, f.report_date, f.known_at, f.form, f.signed_on, f.left_out,
               lead(f.known_at) OVER (PARTITION BY f.issuer_id, f.record_key COLLATE "C" ORDER BY f.known_at, f.row_id) AS next_at
        FROM disclosed.fund f WHERE f.issuer_id = ANY(issuers)),
    report AS (
        SELECT v.*, v.left_out IS NULL AND v.next_at IS DISTINCT FROM v.known_at
                    AND NOT (starts_with(v.record_key, 'sha256:') AND EXISTS (
                        SELECT 1 FROM disclosed.named_document d
                        JOIN disclosed.fund named ON named.accession = d.accession
                        WHERE d.document = v.record_key AND named.issuer_id = v.issuer_id)) AS counts
        FROM version v)
    SELECT r.issuer_id, r.row_id,
           CASE WHEN r.counts THEN least(CASE WHEN min(r.known_at) OVER newer IS NOT NULL
                                              THEN greatest(r.known_at, min(r.known_at) OVER newer) END, r.next_at)
                ELSE r.known_at END
    FROM report r
    WINDOW newer AS (PARTITION BY r.issuer_id, r.fund_key, r.counts
                     ORDER BY r.report_date DESC, r.known_at DESC, (r.form = 'NPORT-P/A') IS TRUE DESC, r.signed_on DESC NULLS LAST,
                              r.accession COLLATE "C" DESC NULLS LAST, r.record_key COLLATE "C" DESC
                     ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
$$;
