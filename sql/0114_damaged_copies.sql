-- Of two reports of a fund with the same claim the one stands of which fewer rows were rejected: copies without an accession number are
-- reports of their own.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------------ reports of funds

ALTER TABLE fund ADD COLUMN rejected_rows bigint;
COMMENT ON COLUMN fund.rejected_rows IS
    'the fewest rows that were rejected of a file of the report; NULL: none. The same in all its versions, by note_rejected_holdings()';
CALL make_sourced_view('fund');

-- The reports of each fund in order: the one for the latest day stands, the last one filed among those for a day, each from when it was public;
-- a late report for an earlier day never does. Of those that became known at one instant an amendment stands, then the one that was signed last,
-- then the one of which fewer rows were rejected, then the larger accession number, as those of a filer agent grow. What a file has said of a
-- report gives way to what a later file says of it, and a document that was loaded by itself to the same one under its accession number; what is
-- left out never stood.
CREATE OR REPLACE FUNCTION fund_timeline(issuers bigint[])
RETURNS TABLE (issuer_id bigint, row_id bigint, ends_at timestamptz)
LANGUAGE sql STABLE AS $$
    WITH version AS (
        SELECT f.issuer_id, f.row_id, f.record_key, f.accession, f.fund_key, f.report_date, f.known_at, f.form, f.signed_on, f.left_out, f.rejected_rows,
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
                              coalesce(r.rejected_rows, 0), r.accession COLLATE "C" DESC NULLS LAST, r.record_key COLLATE "C" DESC
                     ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
$$;

-- Files of these reports have been merged, of each of which so many rows were rejected before the merge: a report keeps the fewest of all its
-- files. `stored`: whether there was one before. Returns whose reports are told otherwise than before.
CREATE FUNCTION note_rejected_holdings(ciks bigint[], reports text[], stored boolean[], rejected bigint[], all_merged boolean)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY
        WITH known AS (
            SELECT f.issuer_id, f.record_key,
                   CASE WHEN NOT r.is_stored OR max(f.rejected_rows) IS NOT NULL THEN nullif(least(max(f.rejected_rows), r.now_rejected), 0) END AS fewest
            FROM (SELECT u.cik, u.record_key, u.is_stored, u.said + CASE WHEN all_merged THEN 0 ELSE 1 END AS now_rejected
                  FROM unnest(ciks, reports, stored, rejected) AS u(cik, record_key, is_stored, said)) r
            JOIN disclosed.issuer i USING (cik) JOIN disclosed.fund f ON f.issuer_id = i.issuer_id AND f.record_key = r.record_key
            GROUP BY f.issuer_id, f.record_key, r.is_stored, r.now_rejected),
        noted AS (
            UPDATE disclosed.fund f SET rejected_rows = k.fewest
            FROM known k WHERE f.issuer_id = k.issuer_id AND f.record_key = k.record_key AND f.rejected_rows IS DISTINCT FROM k.fewest
            RETURNING f.issuer_id)
        SELECT DISTINCT 'fund'::text, n.issuer_id FROM noted n;
END $$;

-- What to tell of a report with rejected rows where another one stands that has the same claim and fewer; NULL: nothing.
CREATE FUNCTION note_of_rejected_report(registrant_cik bigint, key text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT format('rows of the report are rejected: another report of the fund for %s stands, of which fewer are', f.report_date)
    FROM disclosed.issuer i JOIN disclosed.fund f USING (issuer_id)
    WHERE i.cik = registrant_cik AND f.record_key = key AND f.rejected_rows IS NOT NULL AND f.superseded_at = f.known_at
      AND EXISTS (SELECT 1 FROM disclosed.fund n
                  WHERE n.issuer_id = f.issuer_id AND n.fund_key = f.fund_key AND n.report_date = f.report_date AND n.record_key <> f.record_key
                    AND n.known_at = f.known_at AND n.superseded_at IS DISTINCT FROM n.known_at
                    AND coalesce(n.rejected_rows, 0) < f.rejected_rows)
    LIMIT 1
$$;

-- Reports that are stored under the name of their content, of whose file rows were rejected: what stands of each fund. No load runs beside it
-- (loader/loader_lock.c).
DO $$
DECLARE
    registrants bigint[];
    batch bigint[];
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    WITH noted AS (
        UPDATE fund f SET rejected_rows = r.rejected
        FROM source s JOIN import_run r USING (import_run_id)
        WHERE s.source_id = f.source_id AND r.source = 'sec-nport' AND r.rejected > 0 AND starts_with(f.record_key, 'sha256:')
        RETURNING f.issuer_id)
    SELECT array_agg(DISTINCT issuer_id) INTO registrants FROM noted;
    registrants := ARRAY(
        SELECT DISTINCT f.issuer_id FROM fund_timeline(registrants) t JOIN fund f USING (issuer_id, row_id)
        WHERE f.superseded_at IS DISTINCT FROM t.ends_at);
    IF registrants = '{}' THEN
        RETURN;
    END IF;
    FOR batch IN
        SELECT array_agg(o) FROM unnest(registrants) WITH ORDINALITY AS u(o, place) GROUP BY (place - 1) / 100
    LOOP
        PERFORM reconcile_funds(batch);
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

-- ------------------------------------------------------------------------------ forms and schedules without an accession number

CREATE TABLE damaged_document (
    document    text PRIMARY KEY,
    cik         bigint NOT NULL,
    rejected_rows bigint NOT NULL,
    gives_way   boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE damaged_document IS 'Forms 3, 4 and 5, and Schedules 13D and 13G, that were loaded without an accession number and of which rows were rejected';
COMMENT ON COLUMN damaged_document.document IS 'digest of the content, as in record keys';
COMMENT ON COLUMN damaged_document.cik IS 'of the company that it is about';
COMMENT ON COLUMN damaged_document.gives_way IS 'whether a copy stands of which no row was rejected';
CREATE INDEX damaged_document_cik ON damaged_document (cik);
GRANT SELECT ON damaged_document TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON damaged_document TO disclosed_loader;

-- The rows of these documents, and of others about the company that were filed within a month of them: `place`: where in the document a row stands,
-- `said`: what makes rows of two copies the same, whenever they are dated. Forms may be several of a day that differ in their numbers alone; a
-- schedule of a person and event is one.
CREATE FUNCTION rows_of_documents(company bigint, documents text[])
RETURNS TABLE (dataset text, dataset_table text, row_id bigint, document text, place text, said jsonb, left_out boolean) LANGUAGE plpgsql STABLE AS $$
DECLARE
    own constant text[] := ARRAY['row_id', 'id', 'record_key', 'known_at', 'superseded_at', 'recorded_at', 'source_id', 'src_digest', 'quote', 'accession',
                                 'filing_date', 'left_out'];
    first_day date;
    last_day date;
BEGIN
    SELECT min(d.filing_date), max(d.filing_date) + 31 INTO first_day, last_day
    FROM (SELECT t.filing_date, t.record_key FROM disclosed.insider_transaction t WHERE t.issuer_id = company AND t.accession IS NULL
          UNION ALL
          SELECT t.filing_date, t.record_key FROM disclosed.insider_holding t WHERE t.issuer_id = company AND t.accession IS NULL
          UNION ALL
          SELECT t.filing_date, t.record_key FROM disclosed.beneficial_owner t WHERE t.issuer_id = company AND t.accession IS NULL) d
    WHERE left(d.record_key, 39) = ANY (documents);
    RETURN QUERY
        SELECT k.dataset, k.dataset_table, k.row_id, k.document, substr(k.record_key, length(k.document) + 2), k.said, k.left_out
        FROM (SELECT 'insider'::text AS dataset, 'insider_transaction'::text AS dataset_table, t.row_id, t.record_key, t.left_out,
                     coalesce(t.accession, left(t.record_key, 39)) AS document, to_jsonb(t) - own AS said
              FROM disclosed.insider_transaction t WHERE t.issuer_id = company AND t.filing_date BETWEEN first_day AND last_day
              UNION ALL
              SELECT 'insider_holding', 'insider_holding', t.row_id, t.record_key, t.left_out, coalesce(t.accession, left(t.record_key, 39)),
                     to_jsonb(t) - own
              FROM disclosed.insider_holding t WHERE t.issuer_id = company AND t.filing_date BETWEEN first_day AND last_day
              UNION ALL
              SELECT 'beneficial_owner', 'beneficial_owner', t.row_id, t.record_key, t.left_out, coalesce(t.accession, left(t.record_key, 39)),
                     jsonb_build_array(t.form, t.amendment_number, t.event_date, t.owner_name)
              FROM disclosed.beneficial_owner t WHERE t.issuer_id = company AND t.filing_date BETWEEN first_day AND last_day) k
        WHERE starts_with(k.record_key, k.document) AND k.document ~ '^(sha256:|\d{10}-\d\d-\d{6}$)';
END $$;

-- A form or schedule has been merged, `told` its accession number or the digest of its content, of which so many rows were rejected before the merge.
-- Copies without an accession number are documents of their own: one with rejected rows gives way to one without, where half of its rows or more
-- are the other's as well. Returns how many rows have got an end by it.
CREATE FUNCTION yield_damaged_copies(issuer_cik bigint, told text, rejected bigint, all_merged boolean)
RETURNS TABLE (dataset text, changed_issuer bigint, ended bigint) LANGUAGE plpgsql AS $$
DECLARE
    company bigint := (SELECT i.issuer_id FROM disclosed.issuer i WHERE i.cik = issuer_cik);
    name text := left(told, 39);
    now_rejected bigint := rejected + CASE WHEN all_merged THEN 0 ELSE 1 END;
    damaged text[] := '{}';
BEGIN
    IF now_rejected > 0 AND starts_with(name, 'sha256:') THEN
        INSERT INTO disclosed.damaged_document AS d (document, cik, rejected_rows) VALUES (name, issuer_cik, now_rejected)
        ON CONFLICT (document) DO UPDATE SET rejected_rows = excluded.rejected_rows WHERE d.rejected_rows <> excluded.rejected_rows;
        damaged := ARRAY[name];
    ELSIF now_rejected = 0 THEN
        damaged := ARRAY(SELECT d.document FROM disclosed.damaged_document d WHERE d.cik = issuer_cik AND NOT d.gives_way);
    END IF;
    IF damaged = '{}' THEN
        RETURN;
    END IF;
    RETURN QUERY
        WITH held AS MATERIALIZED (SELECT * FROM disclosed.rows_of_documents(company, damaged)),
        copied AS (
            SELECT h.document, w.document AS whole, count(*) AS same
            FROM held h JOIN held w ON w.dataset = h.dataset AND w.place = h.place AND w.said = h.said AND w.document <> h.document
            WHERE h.document = ANY (damaged) AND w.left_out IS NULL AND (now_rejected > 0 OR w.document = name)
              AND NOT EXISTS (SELECT 1 FROM disclosed.damaged_document d WHERE d.document = w.document)
            GROUP BY 1, 2),
        given AS (
            UPDATE disclosed.damaged_document d SET gives_way = true
            WHERE d.document IN (SELECT c.document FROM copied c
                                 WHERE 2 * c.same >= (SELECT count(*) FROM held h WHERE h.document = c.document))
            RETURNING d.document),
        gone AS (
            SELECT h.dataset, h.dataset_table, array_agg(h.row_id) AS numbers
            FROM given g JOIN held h USING (document) WHERE h.left_out IS NULL GROUP BY 1, 2)
        SELECT g.dataset, o.changed_issuer, o.ended
        FROM gone g
        CROSS JOIN LATERAL disclosed.leave_out(g.dataset_table, array_fill(1::bigint, ARRAY[cardinality(g.numbers)]),
            array_fill(company, ARRAY[cardinality(g.numbers)]), g.numbers, array_fill(true, ARRAY[cardinality(g.numbers)])) o;
END $$;
