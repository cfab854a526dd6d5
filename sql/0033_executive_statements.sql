-- What every source said of a person, as it said it: versions of executives follow from the set of statements, whatever the
-- order in which they came and whatever dates their reports took later.

SET LOCAL search_path = disclosed, public;

CREATE TABLE executive_stated (
    issuer_id   bigint NOT NULL REFERENCES issuer,
    record_key  text NOT NULL,
    origin      text NOT NULL,
    said        uuid NOT NULL,
    known_at    timestamptz NOT NULL,
    place       bigint NOT NULL,
    stated_in   bigint,
    executive_digest uuid NOT NULL,
    source_provider text NOT NULL REFERENCES source_provider,
    source_url  text,
    accession   text,
    quote       text,
    content_hash text,
    extracted_at timestamptz,
    person_cik  bigint,
    name        text NOT NULL,
    role        text NOT NULL,
    category    text NOT NULL,
    affiliation text,
    person_rank bigint NOT NULL,
    is_current  boolean NOT NULL,
    reported_on date NOT NULL,
    PRIMARY KEY (issuer_id, record_key, origin, said)
);
CREATE INDEX executive_stated_origin ON executive_stated (origin);
COMMENT ON TABLE executive_stated IS 'what sources stated of persons; versions of executives are derived from it';
COMMENT ON COLUMN executive_stated.origin IS 'of a Form 3, 4 or 5 its accession number, without one its document ("sha256:" and 32 digits), else "@" and when it was known, in seconds since 1970';
COMMENT ON COLUMN executive_stated.said IS 'digest of what it says: files that say the same for one origin are one statement';
COMMENT ON COLUMN executive_stated.place IS 'in its file, whose rows of one instant follow each other; the last that any file has';
COMMENT ON COLUMN executive_stated.stated_in IS 'the import_run_id';
COMMENT ON COLUMN executive_stated.executive_digest IS 'the src_digest of the version that it becomes';
GRANT SELECT ON executive_stated TO disclosed_api;
GRANT SELECT, INSERT, UPDATE, DELETE ON executive_stated TO disclosed_loader;

CREATE FUNCTION executive_said(person_cik bigint, name text, role text, category text, affiliation text, person_rank bigint,
                               is_current boolean) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT md5(ROW(person_cik, name, role, category, affiliation, person_rank, is_current)::text)::uuid
$$;

-- ------------------------------------------------------- from statements to versions

-- The versions that follow for records (issuers and keys, pair by pair), into pg_temp.wanted_executive: one from each statement
-- that says something else than the one before. Of one instant, what several origins say comes in the order of these and of their
-- files; each that is contradicted is a version, though the next one ends it at once, so that a file that says it
-- again finds it. Owners who are neither officer nor director (rank 5) are shown only as people who once were: a version that
-- says so ends as it began when none before it says more.
CREATE FUNCTION find_wanted_executives(issuers bigint[], keys text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.wanted_executive') IS NULL THEN
        CREATE TEMP TABLE wanted_executive (LIKE disclosed.executive_stated, id bigint, pos bigint, superseded_at timestamptz,
            row_id bigint) ON COMMIT DELETE ROWS;
    END IF;
    DELETE FROM pg_temp.wanted_executive;
    INSERT INTO pg_temp.wanted_executive
    WITH record AS (
        SELECT k.*, coalesce((SELECT min(e.id) FROM disclosed.executive e
                              WHERE e.issuer_id = k.issuer_id AND e.record_key = k.record_key),
                             nextval('disclosed.record_id')) AS id
        FROM (SELECT DISTINCT * FROM unnest(issuers, keys) AS k(issuer_id, record_key)) k),
    statement AS (
        SELECT s.*, r.id, row_number() OVER (PARTITION BY s.issuer_id, s.record_key, s.known_at
                                             ORDER BY s.origin COLLATE "C", s.place, s.said) AS seq
        FROM record r JOIN disclosed.executive_stated s USING (issuer_id, record_key)),
    once AS (
        SELECT DISTINCT ON (issuer_id, record_key, known_at, said) *,
               max(seq) OVER (PARTITION BY issuer_id, record_key, known_at, said) AS last_seq
        FROM statement
        ORDER BY issuer_id, record_key, known_at, said, source_provider COLLATE "C", coalesce(accession, '~') COLLATE "C",
                 coalesce(source_url, '~') COLLATE "C", coalesce(content_hash, '~') COLLATE "C", seq),
    compared AS (
        SELECT *, lag(said) OVER timeline AS said_before, lag(known_at) OVER timeline = known_at AS is_later_of_instant,
               count(*) OVER (PARTITION BY issuer_id, record_key, known_at) > 1 AS contested
        FROM once WINDOW timeline AS (PARTITION BY issuer_id, record_key ORDER BY known_at, last_seq)),
    news AS (
        SELECT *, row_number() OVER (PARTITION BY issuer_id, record_key, known_at ORDER BY last_seq) AS pos,
               lead(known_at) OVER timeline AS next_known_at,
               bool_or(person_rank < 5) OVER (timeline ROWS UNBOUNDED PRECEDING) AS was_more
        FROM compared
        WHERE said IS DISTINCT FROM said_before OR (contested AND is_later_of_instant IS NOT TRUE)
        WINDOW timeline AS (PARTITION BY issuer_id, record_key ORDER BY known_at, last_seq))
    SELECT issuer_id, record_key, origin, said, known_at, place, stated_in, executive_digest, source_provider, source_url,
           accession, quote, content_hash, extracted_at, person_cik, name, role, category, affiliation, person_rank,
           is_current, reported_on, id, pos,
           CASE WHEN person_rank = 5 AND category = 'executives' AND source_provider = 'sec' AND NOT was_more
                THEN known_at ELSE next_known_at END, NULL
    FROM news;
END $$;

-- Makes the versions of these records those that follow from what was stated. Rows of one instant are in the order of their
-- numbers, so what follows one that goes is written anew. One row of a record is current, so rows are closed before one is
-- opened. Returns the issuers whose people have changed.
CREATE FUNCTION derive_executives(issuers bigint[], keys text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    opening boolean;
BEGIN
    PERFORM disclosed.find_wanted_executives(issuers, keys);
    UPDATE pg_temp.wanted_executive w SET row_id = kept.row_id
    FROM (SELECT e.issuer_id, e.record_key, e.known_at, e.pos, e.row_id,
                 bool_and(w.said IS NOT DISTINCT FROM e.said)
                 OVER (PARTITION BY e.issuer_id, e.record_key, e.known_at ORDER BY e.pos) AS is_kept
          FROM (SELECT e.issuer_id, e.record_key, e.known_at, e.row_id,
                       disclosed.executive_said(e.person_cik, e.name, e.role, e.category, e.affiliation, e.person_rank,
                                                e.is_current) AS said,
                       row_number() OVER (PARTITION BY e.issuer_id, e.record_key, e.known_at ORDER BY e.row_id) AS pos
                FROM (SELECT DISTINCT * FROM unnest(issuers, keys) AS k(issuer_id, record_key)) k
                JOIN disclosed.executive e USING (issuer_id, record_key)) e
          LEFT JOIN pg_temp.wanted_executive w USING (issuer_id, record_key, known_at, pos)) kept
    WHERE kept.is_kept AND w.issuer_id = kept.issuer_id AND w.record_key = kept.record_key
      AND w.known_at = kept.known_at AND w.pos = kept.pos;
    RETURN QUERY
        DELETE FROM disclosed.executive e
        USING (SELECT DISTINCT * FROM unnest(issuers, keys) AS k(issuer_id, record_key)) k
        WHERE e.issuer_id = k.issuer_id AND e.record_key = k.record_key
          AND NOT EXISTS (SELECT 1 FROM pg_temp.wanted_executive w WHERE w.issuer_id = e.issuer_id AND w.row_id = e.row_id)
        RETURNING e.issuer_id;
    FOREACH opening IN ARRAY ARRAY[false, true] LOOP
        RETURN QUERY
            UPDATE disclosed.executive e
            SET superseded_at = w.superseded_at, import_run_id = w.stated_in, src_digest = w.executive_digest,
                source_provider = w.source_provider, source_url = w.source_url, accession = w.accession, quote = w.quote,
                content_hash = w.content_hash, extracted_at = w.extracted_at, reported_on = w.reported_on
            FROM pg_temp.wanted_executive w
            WHERE e.issuer_id = w.issuer_id AND e.row_id = w.row_id AND (w.superseded_at IS NULL) = opening
              AND (e.superseded_at, e.import_run_id, e.src_digest, e.source_provider, e.source_url, e.accession, e.quote,
                   e.content_hash, e.extracted_at, e.reported_on) IS DISTINCT FROM
                  (w.superseded_at, w.stated_in, w.executive_digest, w.source_provider, w.source_url, w.accession, w.quote,
                   w.content_hash, w.extracted_at, w.reported_on)
            RETURNING e.issuer_id;
        RETURN QUERY
            INSERT INTO disclosed.executive AS e (id, issuer_id, record_key, known_at, superseded_at, import_run_id, src_digest,
                source_provider, source_url, accession, quote, content_hash, extracted_at, person_cik, name, role, category,
                affiliation, person_rank, is_current, reported_on)
            SELECT id, issuer_id, record_key, known_at, superseded_at, stated_in, executive_digest, source_provider, source_url,
                   accession, quote, content_hash, extracted_at, person_cik, name, role, category, affiliation, person_rank,
                   is_current, reported_on
            FROM pg_temp.wanted_executive
            WHERE row_id IS NULL AND (superseded_at IS NULL) = opening
            ORDER BY issuer_id, record_key, known_at, pos
            RETURNING e.issuer_id;
    END LOOP;
END $$;

-- ------------------------------------------------------------------ what is stated

-- The importer of Forms 3, 4 and 5 tells the load's document, which has no accession number.
CREATE FUNCTION tell_document(document text) RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('disclosed.document', left(document, 39), true);
END $$;

-- What follows from staged people, who have been merged: they are kept as they were stated. Of files that say the same for one
-- origin the statement comes from the one that is least by provider, accession number, address and content hash. Returns
-- what changed.
CREATE FUNCTION state_executives(run bigint, hash_of_file text) RETURNS TABLE (dataset text, changed_issuer bigint)
LANGUAGE plpgsql AS $$
DECLARE
    is_form boolean := (SELECT source FROM disclosed.import_run WHERE import_run_id = run) = 'sec-ownership';
    issuers bigint[];
    keys text[];
BEGIN
    -- Filings that date the reports of these people may be loading at the same moment: who comes second sees the first.
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    WITH staged AS MATERIALIZED (
        SELECT coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id, s.record_key,
               CASE WHEN is_form THEN coalesce(s.accession, nullif(current_setting('disclosed.document', true), ''))
                    ELSE '@' || extract(epoch FROM s.known_at) END AS origin,
               disclosed.executive_said(s.person_cik, s.name, s.role, s.category, s.affiliation, s.person_rank, s.is_current)
                   AS said,
               s.known_at, s.row_order AS place, s.src_digest, s.source_provider, s.source_url, s.accession, s.quote,
               CASE s.content_hash WHEN '=' THEN hash_of_file ELSE s.content_hash END AS content_hash,
               coalesce(s.extracted_at, now()) AS extracted_at, s.person_cik, s.name, s.role, s.category, s.affiliation,
               s.person_rank, s.is_current,
               coalesce(s.reported_on, (s.known_at AT TIME ZONE 'America/New_York')::date) AS reported_on
        FROM pg_temp.stage_executive s
        LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party),
    once AS (
        SELECT DISTINCT ON (issuer_id, record_key, origin, said) *,
               max(place) OVER (PARTITION BY issuer_id, record_key, origin, said) AS last_place
        FROM staged
        ORDER BY issuer_id, record_key, origin, said, source_provider COLLATE "C", coalesce(accession, '~') COLLATE "C",
                 coalesce(source_url, '~') COLLATE "C", coalesce(content_hash, '~') COLLATE "C", reported_on,
                 coalesce(quote, '~') COLLATE "C", place),
    stored AS (
        INSERT INTO disclosed.executive_stated AS t
        SELECT issuer_id, record_key, origin, said, known_at, last_place, run, src_digest, source_provider, source_url, accession,
               quote, content_hash, extracted_at, person_cik, name, role, category, affiliation, person_rank, is_current,
               reported_on
        FROM once
        ON CONFLICT (issuer_id, record_key, origin, said) DO UPDATE
        SET (place, stated_in, executive_digest, source_provider, source_url, accession, quote, content_hash, extracted_at,
             reported_on)
          = (SELECT greatest(t.place, excluded.place), o.stated_in, o.executive_digest, o.source_provider, o.source_url,
                    o.accession, o.quote, o.content_hash, o.extracted_at, o.reported_on
             FROM (SELECT excluded.* UNION ALL SELECT t.*) o
             ORDER BY o.source_provider COLLATE "C", coalesce(o.accession, '~') COLLATE "C",
                      coalesce(o.source_url, '~') COLLATE "C", coalesce(o.content_hash, '~') COLLATE "C",
                      o.reported_on, coalesce(o.quote, '~') COLLATE "C" LIMIT 1)
        WHERE excluded.place > t.place
           OR (excluded.source_provider COLLATE "C", coalesce(excluded.accession, '~') COLLATE "C",
               coalesce(excluded.source_url, '~') COLLATE "C", coalesce(excluded.content_hash, '~') COLLATE "C",
               excluded.reported_on, coalesce(excluded.quote, '~') COLLATE "C")
            < (t.source_provider, coalesce(t.accession, '~'), coalesce(t.source_url, '~'), coalesce(t.content_hash, '~'),
               t.reported_on, coalesce(t.quote, '~'))
        RETURNING t.issuer_id, t.record_key)
    SELECT array_agg(u.issuer_id), array_agg(u.record_key) INTO issuers, keys
    FROM (SELECT stored.issuer_id, stored.record_key FROM stored
          UNION
          SELECT s.issuer_id, s.record_key FROM staged s JOIN pg_temp.touched USING (issuer_id)) u;
    IF issuers IS NULL THEN
        RETURN;
    END IF;
    IF cardinality(issuers) >= 2000 THEN
        PERFORM disclosed.analyze_grown(ARRAY['disclosed.executive', 'disclosed.executive_stated']::regclass[]);
    END IF;
    RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(issuers, keys) AS d;
END $$;

-- ---------------------------------------------------------- dates of Forms 3, 4 and 5

-- As in 0001_foundation.sql; a form without transactions and holdings is known by what it says of its owners alone.
CREATE OR REPLACE FUNCTION dates_of_report(report_accession text, header_accepted timestamptz, header_filed date,
                                           signed date, OUT known_at timestamptz, OUT filing_date date)
LANGUAGE sql STABLE AS $$
    SELECT coalesce(filed.known_at, header_accepted,
                    CASE WHEN header_filed IS NULL OR loaded.filing_date = header_filed
                         THEN loaded.known_at END,
                    disclosed.end_of_day(coalesce(header_filed, signed))),
           coalesce(filed.filing_date, header_filed, loaded.filing_date, signed)
    FROM (SELECT min(f.known_at) AS known_at, min(f.filed_on) AS filing_date
          FROM disclosed.filing f
          WHERE f.accession = report_accession AND f.superseded_at IS NULL) filed,
         (SELECT min(t.known_at) AS known_at, min(t.filing_date) AS filing_date
          FROM (SELECT r.known_at, r.filing_date FROM disclosed.insider_transaction r
                WHERE r.accession = report_accession
                UNION ALL
                SELECT r.known_at, r.filing_date FROM disclosed.insider_holding r
                WHERE r.accession = report_accession
                UNION ALL
                SELECT s.known_at, s.reported_on FROM disclosed.executive_stated s
                WHERE s.origin = report_accession) t) loaded
$$;

-- Corrects when reports were public and filed, in all that was loaded of them.
-- A row holds until the next of its record; settle_insiders() finds anew which amendments end it, as they name the day of filing.
CREATE OR REPLACE FUNCTION date_reports(accessions text[], public_at timestamptz[], filed_on date[])
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    target record;
    changed bigint[];
    keys text[];
BEGIN
    FOR target IN SELECT * FROM (VALUES ('insider', 'insider_transaction'), ('insider_holding', 'insider_holding'))
        AS c(name, dataset_table)
    LOOP
        EXECUTE format($sql$
            WITH moved AS (
                UPDATE disclosed.%1$I t
                SET known_at = r.known_at, filing_date = r.day,
                    superseded_at = CASE WHEN t.superseded_at = t.known_at THEN r.known_at ELSE (
                        SELECT greatest(r.known_at, CASE WHEN n.accession = r.accession THEN r.known_at ELSE n.known_at END)
                        FROM disclosed.%1$I n
                        WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key
                          AND (n.known_at, n.row_id) > (t.known_at, t.row_id)
                          AND n.superseded_at IS DISTINCT FROM n.known_at
                        ORDER BY n.known_at, n.row_id LIMIT 1) END
                FROM unnest($1, $2, $3) AS r(accession, known_at, day)
                WHERE t.accession = r.accession AND (t.known_at, t.filing_date) <> (r.known_at, r.day)
                RETURNING t.issuer_id)
            SELECT array_agg(DISTINCT issuer_id) FROM moved
        $sql$, target.dataset_table)
        INTO changed USING accessions, public_at, filed_on;
        RETURN QUERY SELECT target.name, unnest(changed);
    END LOOP;
    WITH moved AS (
        UPDATE disclosed.executive_stated s SET known_at = r.known_at, reported_on = r.day
        FROM unnest(accessions, public_at, filed_on) AS r(accession, known_at, day)
        WHERE s.origin = r.accession AND (s.known_at, s.reported_on) <> (r.known_at, r.day)
        RETURNING s.issuer_id, s.record_key)
    SELECT array_agg(moved.issuer_id), array_agg(moved.record_key) INTO changed, keys FROM moved;
    RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(changed, keys) AS d;
END $$;

-- Filings have come: the reports among them take their dates.
CREATE OR REPLACE FUNCTION date_reports_of(issuers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    changed bigint[];
BEGIN
    SELECT array_agg(DISTINCT d.changed_issuer) INTO changed
    FROM (SELECT array_agg(f.accession) AS accessions, array_agg(f.known_at) AS known,
                 array_agg(f.filed_on) AS filed
          FROM (SELECT accession, min(known_at) AS known_at, min(filed_on) AS filed_on
                FROM disclosed.filing
                WHERE accession IN (SELECT accession FROM disclosed.filing
                                    WHERE issuer_id = ANY(issuers)
                                      AND form IN ('3', '3/A', '4', '4/A', '5', '5/A'))
                  AND superseded_at IS NULL
                GROUP BY accession) f) reports
    CROSS JOIN LATERAL disclosed.date_reports(reports.accessions, reports.known, reports.filed) d;
    IF changed IS NOT NULL THEN
        PERFORM disclosed.settle_insiders(changed);
        PERFORM disclosed.recount_reports(changed);
    END IF;
END $$;

-- As in 0001_foundation.sql; what the document said of its owners while it had no accession number is said by the report that
-- has one.
CREATE OR REPLACE FUNCTION settle_report(issuer_cik bigint, report_accession text, report_known timestamptz,
                                         report_filed date, hash text, unfiled_keys text[],
                                         issuer_name text)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
DECLARE
    issuers bigint[];
    keys text[];
BEGIN
    -- The filing may be loading at the same moment: who comes second sees the first.
    PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
    UPDATE disclosed.issuer i SET name = issuer_name, named_at = report_known
    WHERE i.cik = issuer_cik AND (i.named_at IS NULL OR i.named_at < report_known)
      AND NOT EXISTS (SELECT 1 FROM disclosed.issuer_profile p WHERE p.issuer_id = i.issuer_id)
      AND NOT EXISTS (SELECT 1 FROM disclosed.listing l WHERE l.issuer_id = i.issuer_id);
    IF report_accession IS NOT NULL THEN
        RETURN QUERY
            SELECT d.dataset, d.changed_issuer
            FROM (SELECT coalesce(min(f.known_at), report_known) AS known,
                         coalesce(min(f.filed_on), report_filed) AS filed
                  FROM disclosed.filing f
                  WHERE f.accession = report_accession AND f.superseded_at IS NULL) best
            CROSS JOIN LATERAL disclosed.date_reports(ARRAY[report_accession], ARRAY[best.known],
                                                      ARRAY[best.filed]) d;
    END IF;
    IF disclosed.accession_of_report(issuer_cik, hash) IS NULL THEN
        RETURN;
    END IF;
    WITH named AS (
        DELETE FROM disclosed.executive_stated s USING disclosed.issuer i
        WHERE i.cik = issuer_cik AND s.issuer_id = i.issuer_id AND s.origin = left(hash, 39)
        RETURNING s.issuer_id, s.record_key)
    SELECT array_agg(named.issuer_id), array_agg(named.record_key) INTO issuers, keys FROM named;
    RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(issuers, keys) AS d;
    RETURN QUERY
        UPDATE disclosed.insider_transaction t SET superseded_at = t.known_at
        FROM disclosed.issuer i
        WHERE i.cik = issuer_cik AND t.issuer_id = i.issuer_id AND t.record_key = ANY(unfiled_keys)
          AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider', t.issuer_id;
    RETURN QUERY
        UPDATE disclosed.insider_holding t SET superseded_at = t.known_at
        FROM disclosed.issuer i
        WHERE i.cik = issuer_cik AND t.issuer_id = i.issuer_id AND t.record_key = ANY(unfiled_keys)
          AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider_holding', t.issuer_id;
END $$;

DROP FUNCTION order_executives(bigint[]);
DROP FUNCTION settle_executives(bigint[]);
DROP FUNCTION redate_nameless_owners(bigint, bigint[], date, text, timestamptz, date, text);

-- People of one rank are listed by name.
DROP INDEX executive_order;
CREATE INDEX executive_order ON executive (issuer_id, person_rank, name, record_key);

GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA disclosed TO disclosed_loader;

-- ------------------------------------------------------- what is stored already

-- Of what sources said the versions are left. Documents without an accession number are known by their rows of the same file,
-- or by the file itself.
INSERT INTO executive_stated
SELECT e.issuer_id, e.record_key,
       CASE WHEN e.category = 'executives' AND e.source_provider = 'sec' AND e.person_cik IS NOT NULL
                 AND coalesce(n.source, 'sec-ownership') = 'sec-ownership'
            THEN coalesce(e.accession, d.document, left(e.content_hash, 39), '@' || extract(epoch FROM e.known_at))
            ELSE '@' || extract(epoch FROM e.known_at) END,
       executive_said(e.person_cik, e.name, e.role, e.category, e.affiliation, e.person_rank, e.is_current), e.known_at,
       row_number() OVER (PARTITION BY e.issuer_id, e.record_key, e.known_at ORDER BY e.row_id), e.import_run_id, e.src_digest,
       e.source_provider, e.source_url, e.accession, e.quote, e.content_hash, coalesce(e.extracted_at, e.recorded_at),
       e.person_cik, e.name, e.role, e.category, e.affiliation, e.person_rank, e.is_current, e.reported_on
FROM executive e
LEFT JOIN import_run n USING (import_run_id)
LEFT JOIN LATERAL (
    SELECT min(split_part(r.record_key, '/', 1)) AS document
    FROM (SELECT t.issuer_id, t.record_key, t.import_run_id FROM insider_transaction t
          WHERE t.issuer_id = e.issuer_id AND t.accession IS NULL
          UNION ALL
          SELECT t.issuer_id, t.record_key, t.import_run_id FROM insider_holding t
          WHERE t.issuer_id = e.issuer_id AND t.accession IS NULL) r
    WHERE r.import_run_id = e.import_run_id AND r.record_key LIKE 'sha256:%') d ON e.accession IS NULL
WHERE e.record_key NOT LIKE 'analysts/call/%'
ORDER BY e.row_id
ON CONFLICT DO NOTHING;

DO $$
DECLARE
    issuers bigint[];
BEGIN
    SELECT array_agg(DISTINCT d) INTO issuers
    FROM (SELECT array_agg(r.issuer_id) AS issuers, array_agg(r.record_key) AS keys
          FROM (SELECT DISTINCT s.issuer_id, s.record_key FROM disclosed.executive_stated s) r) all_records
    CROSS JOIN LATERAL disclosed.derive_executives(all_records.issuers, all_records.keys) AS d;
    IF issuers IS NOT NULL THEN
        PERFORM disclosed.recount_reports(issuers);
    END IF;
END $$;
