-- A document of a fund's report is the whole of it, and which of two reports that became known at one instant stands does not depend on which
-- was loaded first.

SET LOCAL search_path = disclosed, public;

ALTER TABLE fund ADD COLUMN signed_on date;
COMMENT ON COLUMN fund.signed_on IS 'day of the signature; decides between reports of one day that became known at one instant';
CALL make_sourced_view('fund');

ALTER TABLE fund_holding ADD COLUMN left_out boolean;
COMMENT ON COLUMN fund_holding.left_out IS 'whether the file of its report that was loaded last lacks it; NULL: no. By end_left_out_holdings()';
CALL make_sourced_view('fund_holding');

-- ------------------------------------------------------------------------------ which report stands

-- The reports of each fund in order: the one for the latest day stands, the last one filed among those for a day, each from when it was public;
-- a late report for an earlier day never does. Of those that became known at one instant an amendment stands, then the one that was signed last,
-- then the larger accession number, as those of a filer agent grow. What a file has said of a report gives way to what a later file says of
-- it, and a document that was loaded by itself to the same one under its accession number.
CREATE OR REPLACE FUNCTION fund_timeline(issuers bigint[])
RETURNS TABLE (issuer_id bigint, row_id bigint, ends_at timestamptz)
LANGUAGE sql STABLE AS $$
    WITH version AS (
        SELECT f.issuer_id, f.row_id, f.record_key, f.accession, f.fund_key, f.report_date, f.known_at, f.form, f.signed_on,
               lead(f.known_at) OVER (PARTITION BY f.issuer_id, f.record_key COLLATE "C" ORDER BY f.known_at, f.row_id) AS next_at
        FROM disclosed.fund f WHERE f.issuer_id = ANY(issuers)),
    report AS (
        SELECT v.*, v.next_at IS DISTINCT FROM v.known_at
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

-- ------------------------------------------------------------------------------ which holdings it has

-- Says of each holding of these reports until when it holds: to the next version of it, and to the end of its report; one that is left out
-- never did. Those that end give way to others before these begin.
CREATE OR REPLACE FUNCTION order_fund_holdings(reports bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
    issuers bigint[];
    numbers bigint[];
    ends timestamptz[];
BEGIN
    SELECT array_agg(t.issuer_id), array_agg(t.row_id), array_agg(t.ends_at) INTO issuers, numbers, ends
    FROM (
        SELECT h.issuer_id, h.row_id, h.superseded_at,
               CASE WHEN h.left_out THEN h.known_at
                    WHEN coalesce(h.next_known_at, r.ends_at) IS NULL THEN NULL
                    ELSE greatest(h.known_at, least(h.next_known_at, r.ends_at)) END AS ends_at
        FROM (SELECT f.id, f.issuer_id, f.record_key,
                     CASE WHEN bool_and(f.superseded_at IS NOT NULL)
                          THEN max(f.superseded_at) END AS ends_at
              FROM disclosed.fund f WHERE f.id = ANY(reports)
              GROUP BY f.id, f.issuer_id, f.record_key) r
        CROSS JOIN LATERAL (
            SELECT x.issuer_id, x.row_id, x.known_at, x.superseded_at, x.left_out,
                   lead(x.known_at) OVER (PARTITION BY x.record_key COLLATE "C"
                                          ORDER BY x.known_at, x.row_id) AS next_known_at
            FROM disclosed.fund_holding x
            WHERE x.issuer_id = r.issuer_id AND x.report_key = r.record_key) h) t
    WHERE t.superseded_at IS DISTINCT FROM t.ends_at;
    IF numbers IS NULL THEN
        RETURN;
    END IF;
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        UPDATE disclosed.fund_holding h SET superseded_at = t.ends_at
        FROM unnest(issuers, numbers, ends) AS t(issuer_id, row_id, ends_at)
        WHERE h.issuer_id = t.issuer_id AND h.row_id = t.row_id AND (t.ends_at IS NULL) = opening;
    END LOOP;
END $$;

-- The keys of the holdings of these reports that the files being loaded have. Nothing is looked at where there are none: then what is staged
-- may be another file's, or there may be no table.
CREATE FUNCTION staged_holdings(reports text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
    IF reports <> '{}' THEN
        RETURN QUERY SELECT s.record_key FROM pg_temp.stage_fund_holding s JOIN unnest(reports) r ON s.report_key = r;
    END IF;
END $$;

-- Files of these reports have been merged, each the whole of its report: holdings that it lacks were in force at no time, and those that an
-- earlier file lacked may be again. `staged`: whether any holding of the file was. Returns how many versions have got an end by it,
-- and how many hold again.
CREATE FUNCTION end_left_out_holdings(ciks bigint[], reports text[], staged boolean[])
RETURNS TABLE (dataset text, changed_issuer bigint, ended bigint, resumed bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        WITH stated AS MATERIALIZED (
            SELECT s AS record_key
            FROM disclosed.staged_holdings(ARRAY(SELECT r.report_key FROM unnest(reports, staged) AS r(report_key, has_rows) WHERE r.has_rows)) s),
        held AS MATERIALIZED (
            SELECT i.issuer_id, h.*
            FROM unnest(ciks, reports) AS r(cik, report_key) JOIN disclosed.issuer i USING (cik)
            CROSS JOIN LATERAL (
                SELECT x.row_id, x.report_key, x.record_key, x.left_out, x.superseded_at,
                       lead(x.row_id) OVER (PARTITION BY x.record_key COLLATE "C" ORDER BY x.known_at, x.row_id) IS NULL AS is_last
                FROM disclosed.fund_holding x
                WHERE x.issuer_id = i.issuer_id AND x.report_key = r.report_key OFFSET 0) h),
        moved AS (
            UPDATE disclosed.fund_holding x
            SET left_out = CASE WHEN m.is_out THEN true END, superseded_at = CASE WHEN m.is_out THEN x.known_at ELSE x.superseded_at END
            FROM (SELECT h.*, s.record_key IS NULL AS is_out FROM held h LEFT JOIN stated s USING (record_key)) m
            WHERE x.issuer_id = m.issuer_id AND x.row_id = m.row_id AND (m.left_out IS TRUE) <> m.is_out
            RETURNING m.*),
        unsettled AS (
            UPDATE disclosed.fund f SET settled_from = NULL
            FROM (SELECT DISTINCT m.issuer_id, m.report_key FROM moved m) m
            WHERE f.issuer_id = m.issuer_id AND f.record_key = m.report_key)
        SELECT 'fund_holding'::text, m.issuer_id, count(*) FILTER (WHERE m.is_out AND m.superseded_at IS NULL),
               count(*) FILTER (WHERE NOT m.is_out AND m.is_last)
        FROM moved m GROUP BY m.issuer_id;
END $$;

-- How many equity holdings of a report belong to no company that is listed here, and the largest of
-- them; NULL: none.
CREATE OR REPLACE FUNCTION unlisted_holdings(registrant_cik bigint, key text) RETURNS text LANGUAGE sql STABLE AS $$
    WITH held AS (
        SELECT DISTINCT ON (h.record_key) h.*
        FROM disclosed.issuer i JOIN disclosed.fund_holding h USING (issuer_id)
        WHERE i.cik = registrant_cik AND h.report_key = key AND h.left_out IS NULL AND h.asset_category IN ('EC', 'EP')
        ORDER BY h.record_key, h.known_at DESC, h.row_id DESC)
    SELECT format('%s of %s equity holdings found no listing, for example %s%s', count(*),
                  (SELECT count(*) FROM held), (array_agg(coalesce(name, title, 'row ' || row_number) ORDER BY place))[1],
                  (array_agg(coalesce(' (' || nullif(concat_ws(', ', 'CUSIP ' || cusip, 'ISIN ' || isin,
                                                               'ticker ' || ticker), '') || ')', '')
                             ORDER BY place))[1])
    FROM (SELECT held.*, row_number() OVER (ORDER BY value DESC NULLS LAST, row_number) AS place
          FROM held WHERE company_id IS NULL) unlisted
    HAVING count(*) > 0
$$;

-- How many holdings of reports are here, and their value.
CREATE OR REPLACE FUNCTION total_funds(reports bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE disclosed.fund f SET holding_count = t.holding_count, holding_value = t.holding_value
    FROM (
        SELECT f.issuer_id, f.row_id, count(h.row_id) AS holding_count,
               coalesce(sum(h.value), 0) AS holding_value
        FROM disclosed.fund f
        LEFT JOIN LATERAL (
            SELECT DISTINCT ON (x.record_key) x.row_id, x.value
            FROM disclosed.fund_holding x
            WHERE x.issuer_id = f.issuer_id AND x.report_key = f.record_key AND x.left_out IS NULL
            ORDER BY x.record_key, x.known_at DESC, x.row_id DESC) h ON true
        WHERE f.id = ANY(reports)
        GROUP BY f.issuer_id, f.row_id) t
    WHERE f.issuer_id = t.issuer_id AND f.row_id = t.row_id
      AND (f.holding_count, f.holding_value) <> (t.holding_count, t.holding_value)
$$;

-- What a report's holdings come to, beside the assets that it states, and how many weights are not
-- what value and net assets make them (by more than a thousandth of a percent of net assets).
CREATE OR REPLACE FUNCTION totals_of_fund_report(registrant_cik bigint, key text) RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT format('%s holdings of %s USD in all, %s %% of net assets as filed;'
                  ' net assets %s USD, total assets %s USD; %s weights differ from value / net assets',
                  count(h.row_id), trim_scale(coalesce(sum(h.value), 0)),
                  trim_scale(coalesce(sum(h.weight_pct), 0)),
                  coalesce(trim_scale(f.net_assets)::text, 'not stated'),
                  coalesce(trim_scale(f.total_assets)::text, 'not stated'),
                  count(*) FILTER (WHERE abs(h.weight_pct - 100 * h.value / nullif(f.net_assets, 0)) > 0.001))
    FROM disclosed.issuer i
    JOIN LATERAL (SELECT * FROM disclosed.fund x
                  WHERE x.issuer_id = i.issuer_id AND x.record_key = key
                  ORDER BY x.known_at DESC, x.row_id DESC LIMIT 1) f ON true
    LEFT JOIN LATERAL (SELECT DISTINCT ON (x.record_key) x.* FROM disclosed.fund_holding x
                       WHERE x.issuer_id = i.issuer_id AND x.report_key = key AND x.left_out IS NULL
                       ORDER BY x.record_key, x.known_at DESC, x.row_id DESC) h ON true
    WHERE i.cik = registrant_cik
    GROUP BY f.net_assets, f.total_assets
$$;

-- ------------------------------------------------------------------------------ what is stored

-- Holdings of reports that were rejected; and of documents that were loaded one after the other for a report, those that the last one had no
-- row for: a document's rows are its report and, at most, as many holdings as it has further rows. Then what stands of each fund. No
-- load runs beside it (loader/loader_lock.c).
DO $$
DECLARE
    registrants bigint[];
    batch bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    WITH run AS MATERIALIZED (
        SELECT s.source_id, r.import_run_id, r.rows_read FROM import_run r JOIN source s USING (import_run_id) WHERE r.source = 'sec-nport'),
    document AS MATERIALIZED (
        SELECT f.issuer_id, f.record_key FROM fund f WHERE f.accession = f.record_key
          AND EXISTS (SELECT 1 FROM named_document d WHERE d.accession = f.accession)),
    newest AS MATERIALIZED (
        SELECT t.issuer_id, t.report_key, max(r.import_run_id) AS import_run_id
        FROM (SELECT f.issuer_id, f.record_key AS report_key, f.source_id FROM fund f
              UNION ALL
              SELECT h.issuer_id, h.report_key, h.source_id FROM fund_holding h) t
        JOIN run r USING (source_id)
        WHERE (t.issuer_id, t.report_key) IN (SELECT d.issuer_id, d.record_key FROM document d)
        GROUP BY 1, 2 HAVING count(DISTINCT r.import_run_id) > 1),
    gone AS (
        SELECT h.issuer_id, h.row_id
        FROM newest n JOIN import_run r USING (import_run_id)
        JOIN fund_holding h ON h.issuer_id = n.issuer_id AND h.report_key = n.report_key AND h.row_number >= r.rows_read
        UNION
        SELECT h.issuer_id, h.row_id FROM fund_holding h
        WHERE h.source_id IN (SELECT source_id FROM run)
          AND NOT EXISTS (SELECT 1 FROM fund f WHERE f.issuer_id = h.issuer_id AND f.record_key = h.report_key)),
    moved AS (
        UPDATE fund_holding h SET left_out = true, superseded_at = h.known_at
        FROM gone g WHERE h.issuer_id = g.issuer_id AND h.row_id = g.row_id
        RETURNING h.issuer_id, h.report_key),
    unsettled AS (
        UPDATE fund f SET settled_from = NULL
        FROM (SELECT DISTINCT issuer_id, report_key FROM moved) m WHERE f.issuer_id = m.issuer_id AND f.record_key = m.report_key)
    SELECT array_agg(DISTINCT issuer_id) INTO registrants FROM moved;
    registrants := ARRAY(
        SELECT unnest(registrants)
        UNION
        SELECT f.issuer_id FROM fund_timeline(ARRAY(SELECT DISTINCT issuer_id FROM fund)) t JOIN fund f USING (issuer_id, row_id)
        WHERE f.superseded_at IS DISTINCT FROM t.ends_at);
    IF registrants = '{}' THEN
        RETURN;
    END IF;
    FOR batch IN
        SELECT array_agg(o) FROM unnest(registrants) WITH ORDINALITY AS u(o, place) GROUP BY (place - 1) / 100
    LOOP
        PERFORM settle_funds(batch);
    END LOOP;
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load end', 0));
    UPDATE dataset_issuer_stat o SET record_count = c.record_count
    FROM (SELECT r AS issuer_id, 'fund' AS dataset, (SELECT count(*) FROM fund f WHERE f.issuer_id = r AND f.superseded_at IS NULL) AS record_count
          FROM unnest(registrants) r
          UNION ALL
          SELECT r, 'fund_holding', (SELECT count(*) FROM fund_holding h WHERE h.issuer_id = r AND h.superseded_at IS NULL) FROM unnest(registrants) r) c
    WHERE o.issuer_id = c.issuer_id AND o.dataset = c.dataset;
    UPDATE dataset_stat d
    SET record_count = (SELECT coalesce(sum(o.record_count), 0) FROM dataset_issuer_stat o WHERE o.dataset = d.dataset),
        version = d.version + 1, changed_at = now()
    WHERE d.dataset IN ('fund', 'fund_holding');
END $$;
