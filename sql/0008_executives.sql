-- Executives, directors and contacts of companies, and analysts who follow them. What every source said of a person is kept as it
-- said it: versions follow from the set of statements, whatever the order in which they came and whatever dates their reports
-- took later.

SET LOCAL search_path = disclosed, public;

CREATE TABLE executive (
    LIKE dataset_record INCLUDING DEFAULTS INCLUDING IDENTITY,
    person_cik  bigint,
    name        text NOT NULL,
    role        text NOT NULL,
    category    text NOT NULL CHECK (category IN ('executives', 'ir', 'analysts')),
    affiliation text,
    person_rank bigint NOT NULL,
    is_current  boolean NOT NULL,
    reported_on date NOT NULL
);
CALL finish_dataset_table('executive');
-- People of one rank are listed by name.
CREATE INDEX executive_order ON executive (issuer_id, person_rank, name, record_key);
CREATE INDEX executive_accession ON executive (accession);

-- What sources said of persons, but for analysts who spoke in calls: these follow from transcripts.
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
COMMENT ON TABLE executive_stated IS 'what sources stated of persons; versions of executives are derived from it';
COMMENT ON COLUMN executive_stated.origin IS 'of a Form 3, 4 or 5 its accession number, without one its document ("sha256:" and 32 digits), else "@" and when it was known, in seconds since 1970';
COMMENT ON COLUMN executive_stated.said IS 'digest of what it says: files that say the same for one origin are one statement';
COMMENT ON COLUMN executive_stated.place IS 'in its file, whose rows of one instant follow each other; the last that any file has';
COMMENT ON COLUMN executive_stated.stated_in IS 'the import_run_id';
COMMENT ON COLUMN executive_stated.executive_digest IS 'the src_digest of the version that it becomes';
CREATE INDEX executive_stated_origin ON executive_stated (origin);

-- The digest of what a statement says: executive_stated.said.
CREATE FUNCTION executive_said(person_cik bigint, name text, role text, category text, affiliation text, person_rank bigint,
                               is_current boolean) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT md5(ROW(person_cik, name, role, category, affiliation, person_rank, is_current)::text)::uuid
$$;

-- ---------------------------------------------------------------- versions

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

-- ------------------------------------------------ what follows from a load

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

-- ------------------------------------------------------------------ rights

GRANT SELECT ON executive_stated TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON executive_stated TO disclosed_loader;
