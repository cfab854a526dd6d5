-- Copies of a file that say something else leave nothing behind, whatever was loaded first.

SET LOCAL search_path = disclosed, public;

-- ------------------------------------------------------------------------ executives

-- What the staged rows state of people, which have been merged, is kept as they state it; the versions follow from it. Returns
-- what changed. Places are those in the copy of a source that was loaded last; another copy may have had the row further down.
CREATE OR REPLACE FUNCTION state_executives(run bigint, hash_of_file text) RETURNS TABLE (dataset text, changed_issuer bigint)
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
               s.known_at, s.row_order & ((1::bigint << 40) - 1) AS place, s.src_digest, o.provider AS source_provider, o.import_run_id,
               CASE WHEN o.by_filing THEN disclosed.filing_address(o.url, s.cik, s.accession, NULL) ELSE o.url END AS source_url,
               s.accession, s.quote, disclosed.content_hash_text(o.content_hash) AS content_hash, o.extracted_at, s.person_cik, s.name, s.role, s.category, s.affiliation,
               s.person_rank, s.is_current,
               coalesce(s.reported_on, (s.known_at AT TIME ZONE 'America/New_York')::date) AS reported_on
        FROM pg_temp.stage_executive s JOIN disclosed.source o USING (source_id)
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
        SELECT issuer_id, record_key, origin, said, known_at, last_place, import_run_id, src_digest, source_provider, source_url, accession,
               quote, content_hash, extracted_at, person_cik, name, role, category, affiliation, person_rank, is_current,
               reported_on
        FROM once
        ON CONFLICT (issuer_id, record_key, origin, said) DO UPDATE
        SET (place, stated_in, executive_digest, source_provider, source_url, accession, quote, content_hash, extracted_at,
             reported_on)
          = (SELECT CASE WHEN excluded.source_provider = t.source_provider AND excluded.source_url IS NOT DISTINCT FROM t.source_url
                         THEN excluded.place ELSE greatest(t.place, excluded.place) END, o.stated_in, o.executive_digest, o.source_provider, o.source_url,
                    o.accession, o.quote, o.content_hash, o.extracted_at, o.reported_on
             FROM (SELECT excluded.* UNION ALL SELECT t.*) o
             ORDER BY o.source_provider COLLATE "C", coalesce(o.accession, '~') COLLATE "C",
                      coalesce(o.source_url, '~') COLLATE "C", coalesce(o.content_hash, '~') COLLATE "C",
                      o.reported_on, coalesce(o.quote, '~') COLLATE "C" LIMIT 1)
        WHERE excluded.place > t.place
           OR (excluded.place < t.place AND excluded.source_provider = t.source_provider
               AND excluded.source_url IS NOT DISTINCT FROM t.source_url)
           OR (excluded.source_provider COLLATE "C", coalesce(excluded.accession, '~') COLLATE "C",
               coalesce(excluded.source_url, '~') COLLATE "C", coalesce(excluded.content_hash, '~') COLLATE "C",
               excluded.reported_on, coalesce(excluded.quote, '~') COLLATE "C")
            < (t.source_provider, coalesce(t.accession, '~'), coalesce(t.source_url, '~'), coalesce(t.content_hash, '~'),
               t.reported_on, coalesce(t.quote, '~'))
        RETURNING t.issuer_id, t.record_key),
    -- What another copy of the source said of them: the one that was loaded last counts. Forms without an accession number that speak of one
    -- instant are copies of each other, as nothing tells them apart.
    replaced AS (
        DELETE FROM disclosed.executive_stated t
        USING (SELECT o.issuer_id, o.record_key, o.origin, o.said
               FROM (SELECT DISTINCT issuer_id, record_key, origin, source_provider, source_url, known_at FROM staged) g
               JOIN disclosed.executive_stated o USING (issuer_id, record_key, source_provider)
               WHERE o.source_url IS NOT DISTINCT FROM g.source_url
                 AND (o.origin = g.origin
                      OR (o.origin LIKE 'sha256:%' AND g.origin LIKE 'sha256:%' AND o.known_at = g.known_at
                          AND NOT EXISTS (SELECT 1 FROM staged s
                                          WHERE (s.issuer_id, s.record_key, s.said) = (o.issuer_id, o.record_key, o.said))))
               EXCEPT SELECT issuer_id, record_key, origin, said FROM staged) gone
        WHERE (t.issuer_id, t.record_key, t.origin, t.said) = (gone.issuer_id, gone.record_key, gone.origin, gone.said)
        RETURNING t.issuer_id, t.record_key)
    SELECT array_agg(u.issuer_id), array_agg(u.record_key) INTO issuers, keys
    FROM (SELECT stored.issuer_id, stored.record_key FROM stored
          UNION
          SELECT replaced.issuer_id, replaced.record_key FROM replaced
          UNION
          SELECT s.issuer_id, s.record_key FROM staged s WHERE s.issuer_id IN (SELECT t.issuer_id FROM pg_temp.touched t)) u;
    IF issuers IS NULL THEN
        RETURN;
    END IF;
    IF cardinality(issuers) >= 2000 THEN
        PERFORM disclosed.analyze_grown(ARRAY['disclosed.executive', 'disclosed.executive_stated']::regclass[]);
    END IF;
    RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(issuers, keys) AS d;
END $$;

-- The versions that follow for records (issuers and keys, pair by pair), into pg_temp.wanted_executive: one from each statement
-- that says something else than the one before. Of one instant, what several origins say comes in the order of these and of their
-- files, forms without an accession number first, since those with one are known to have been filed; each that is contradicted is a
-- version, though the next one ends it at once, so that a file that says it again finds it. Owners who are neither officer nor director
-- (rank 5) are shown only as people who once were: a version that says so ends as it began when none before it says more.
CREATE OR REPLACE FUNCTION find_wanted_executives(issuers bigint[], keys text[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
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
                                             ORDER BY s.origin LIKE 'sha256:%' DESC, s.origin COLLATE "C", s.place, s.said) AS seq
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

-- -------------------------------------------------------------------------- listings

-- A submissions file has all tickers that its company has at its instant.
CREATE TABLE listing_told (
    issuer_id   bigint NOT NULL REFERENCES issuer,
    known_at    timestamptz NOT NULL,
    PRIMARY KEY (issuer_id, known_at)
);
COMMENT ON TABLE listing_told IS 'instants of which a submissions file told all tickers of its company: what listing_stated does not have of it then, it had not';
CREATE INDEX listing_stated_issuer ON listing_stated (issuer_id);
GRANT SELECT ON listing_told TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON listing_told TO disclosed_loader;

CREATE FUNCTION submissions_address(cik bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT 'https://data.sec.gov/submissions/CIK' || lpad(cik::text, 10, '0') || '.json'
$$;

INSERT INTO listing_told
SELECT DISTINCT t.issuer_id, t.known_at
FROM listing_stated t JOIN issuer i USING (issuer_id)
WHERE t.source_provider = 'sec' AND t.source_url = submissions_address(i.cik);

-- When listings of pg_temp.snapshot_key became inactive because a submissions file no longer has a ticker that one before it had: unless another
-- source had said by then that the company has it, and whole-market files that had not dropped it.
CREATE FUNCTION find_lost_tickers() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.snapshot_drop
    WITH said AS MATERIALIZED (
        SELECT DISTINCT t.record_key, t.issuer_id, t.known_at
        FROM pg_temp.snapshot_key k JOIN disclosed.listing_stated t USING (record_key) JOIN disclosed.issuer i USING (issuer_id)
        WHERE t.source_provider = 'sec' AND t.source_url = disclosed.submissions_address(i.cik)),
    span AS (
        SELECT *, lead(known_at, 1, 'infinity') OVER (PARTITION BY record_key, issuer_id ORDER BY known_at) AS back,
               (SELECT min(o.known_at) FROM disclosed.listing_told o WHERE o.issuer_id = said.issuer_id AND o.known_at > said.known_at) AS at
        FROM said)
    SELECT s.issuer_id, s.record_key, s.at, 'submissions'
    FROM span s
    WHERE s.at < s.back
      AND NOT EXISTS (SELECT 1 FROM disclosed.listing_stated t JOIN disclosed.issuer i USING (issuer_id)
                      WHERE t.record_key = s.record_key AND t.issuer_id = s.issuer_id AND t.known_at <= s.at AND t.status = 'active'
                        AND (t.source_provider, t.source_url) IS DISTINCT FROM ('sec', disclosed.submissions_address(i.cik)))
      AND NOT EXISTS (SELECT 1 FROM (SELECT r.kind, max(r.last_seen) AS until FROM pg_temp.snapshot_run r
                                     WHERE r.record_key = s.record_key AND r.issuer_id = s.issuer_id AND r.first_seen <= s.at
                                     GROUP BY r.kind) n
                      WHERE NOT EXISTS (SELECT 1 FROM disclosed.listing_snapshot f
                                        WHERE f.kind = n.kind AND f.is_whole AND f.taken_at > n.until AND f.taken_at <= s.at));
END $$;

-- The versions that follow: one from each statement that says something else than what was known, and one
-- from when files dropped the listing that had the symbol. At one instant whole-market files come after other sources,
-- and of those the companies in the order of their CIKs. What is stated once holds until it is stated anew. The day of
-- listing is the one that was stated last, unless a source named the listing before it.
CREATE OR REPLACE FUNCTION find_wanted() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO pg_temp.wanted_listing
    WITH event AS (
        SELECT record_key, at, 0 AS stage, true AS of_snapshot, issuer_id, kind, contested, 0::bigint AS place,
               NULL::uuid AS said, NULL::bigint AS import_run_id, src_digest, 'sec' AS source_provider,
               NULL::text AS source_url, NULL::text AS accession, NULL::text AS quote, NULL::text AS content_hash,
               NULL::timestamptz AS extracted_at, name, listing_exchange, NULL::text AS isin, NULL::text AS figi,
               NULL::boolean AS is_etf, NULL::boolean AS is_fund, NULL::boolean AS is_adr, 'active' AS status,
               listing_rank, NULL::date AS listed_on
        FROM pg_temp.snapshot_said
        UNION ALL
        SELECT t.record_key, t.known_at, 0, disclosed.is_of_snapshot(t.source_provider, t.source_url), t.issuer_id, NULL,
               count(*) OVER (PARTITION BY t.record_key, t.known_at) > 1, t.place, t.said,
               t.stated_in, t.listing_digest, t.source_provider, t.source_url, t.accession, t.quote, t.content_hash,
               t.extracted_at, t.name, t.listing_exchange, t.isin, t.figi, t.is_etf, t.is_fund, t.is_adr, t.status,
               t.listing_rank, t.listed_on
        FROM pg_temp.snapshot_key k JOIN disclosed.listing_stated t USING (record_key)
        UNION ALL
        SELECT d.record_key, d.at, 1, true, d.issuer_id, nullif(d.kind, 'submissions'), false, 0, NULL, NULL, NULL, 'sec',
               CASE d.kind WHEN 'submissions' THEN disclosed.submissions_address(i.cik) END, NULL, NULL, NULL, NULL,
               NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'inactive', NULL, NULL
        FROM pg_temp.snapshot_drop d JOIN disclosed.issuer i USING (issuer_id)),
    numbered AS (
        SELECT e.*, row_number() OVER w AS seq, count(*) FILTER (WHERE e.stage = 0) OVER w AS said_so_far
        FROM (SELECT e.*, coalesce(lpad(i.cik::text, 10, '0'), i.party_key) COLLATE "C" AS holder_key
              FROM event e JOIN disclosed.issuer i USING (issuer_id)) e
        WINDOW w AS (PARTITION BY e.record_key ORDER BY e.at, e.stage, e.of_snapshot,
                     CASE WHEN NOT e.of_snapshot THEN e.holder_key END NULLS FIRST, e.place,
                     e.said, e.kind, e.holder_key, e.name COLLATE "C", e.listing_rank, e.listing_exchange COLLATE "C"
                     ROWS UNBOUNDED PRECEDING)),
    held AS (
        SELECT *, first_value(issuer_id) OVER w AS holder, first_value(at) OVER w AS held_at,
               first_value(status) OVER w AS held_status, first_value(source_provider) OVER w AS held_provider
        FROM numbered WINDOW w AS (PARTITION BY record_key, said_so_far ORDER BY seq)),
    valid AS (
        SELECT *, count(name) OVER w AS names, count(listing_exchange) OVER w AS exchanges, count(isin) OVER w AS isins,
               count(figi) OVER w AS figis, count(is_etf) OVER w AS etfs, count(is_fund) OVER w AS funds,
               count(is_adr) OVER w AS adrs, count(listing_rank) OVER w AS ranks, count(listed_on) OVER w AS days
        FROM held
        WHERE stage = 0 OR (said_so_far > 0 AND holder = issuer_id AND held_at < at AND held_status = 'active'
                            AND held_provider = 'sec')
        WINDOW w AS (PARTITION BY record_key, issuer_id ORDER BY seq ROWS UNBOUNDED PRECEDING)),
    carried AS (
        SELECT record_key, at, seq, of_snapshot, issuer_id, kind, contested, status, import_run_id, source_provider, source_url,
               accession, quote, content_hash, extracted_at,
               first_value(src_digest) OVER (PARTITION BY record_key, issuer_id, names ORDER BY seq) AS src_digest,
               max(name) OVER (PARTITION BY record_key, issuer_id, names) AS name,
               max(listing_exchange) OVER (PARTITION BY record_key, issuer_id, exchanges) AS listing_exchange,
               max(isin) OVER (PARTITION BY record_key, issuer_id, isins) AS isin,
               max(figi) OVER (PARTITION BY record_key, issuer_id, figis) AS figi,
               coalesce(bool_or(is_etf) OVER (PARTITION BY record_key, issuer_id, etfs), false) AS is_etf,
               coalesce(bool_or(is_fund) OVER (PARTITION BY record_key, issuer_id, funds), false) AS is_fund,
               coalesce(bool_or(is_adr) OVER (PARTITION BY record_key, issuer_id, adrs), false) AS is_adr,
               coalesce(max(listing_rank) OVER (PARTITION BY record_key, issuer_id, ranks), 0) AS listing_rank,
               max(listed_on) OVER (PARTITION BY record_key, issuer_id, days) AS listed_on
        FROM valid),
    news AS (
        SELECT *, (contested AND (of_snapshot OR lag(at) OVER w IS DISTINCT FROM at))
                  OR (issuer_id, name, listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank)
                     IS DISTINCT FROM (lag(issuer_id) OVER w, lag(name) OVER w, lag(listing_exchange) OVER w,
                     lag(isin) OVER w, lag(figi) OVER w, lag(is_etf) OVER w, lag(is_fund) OVER w, lag(is_adr) OVER w,
                     lag(status) OVER w, lag(listing_rank) OVER w) AS is_news
        FROM carried WINDOW w AS (PARTITION BY record_key ORDER BY seq)),
    seen AS (
        SELECT issuer_id, record_key, min(day) AS day
        FROM (SELECT issuer_id, record_key, (first_seen AT TIME ZONE 'America/New_York')::date AS day FROM pg_temp.snapshot_run
              UNION ALL
              SELECT t.issuer_id, t.record_key, t.seen_on
              FROM pg_temp.snapshot_key k JOIN disclosed.listing_stated t USING (record_key)) s
        GROUP BY 1, 2)
    SELECT e.record_key, e.at, row_number() OVER (PARTITION BY e.record_key, e.at ORDER BY e.seq), e.issuer_id,
           e.import_run_id, e.src_digest, e.source_provider,
           CASE WHEN e.kind IS NULL THEN e.source_url ELSE 'https://www.sec.gov/files/' || e.kind || '.json' END,
           e.accession, e.quote, CASE WHEN e.kind IS NULL THEN e.content_hash ELSE f.content_hash END, e.extracted_at,
           e.name, e.listing_exchange, e.isin, e.figi, e.is_etf, e.is_fund, e.is_adr, e.status, e.listing_rank,
           least(e.listed_on, s.day), NULL
    FROM news e
    LEFT JOIN seen s ON s.issuer_id = e.issuer_id AND s.record_key = e.record_key
    LEFT JOIN disclosed.listing_snapshot f ON f.kind = e.kind AND f.taken_at = e.at
    WHERE e.is_news;
END $$;

-- The versions of the listings in pg_temp.snapshot_key, from all that was said of them. Returns the issuers.
CREATE OR REPLACE FUNCTION derive_listings() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    ANALYZE pg_temp.snapshot_key;
    INSERT INTO pg_temp.snapshot_run SELECT s.* FROM disclosed.listing_seen s JOIN pg_temp.snapshot_key USING (record_key);
    IF FOUND THEN
        ANALYZE pg_temp.snapshot_run;
        PERFORM disclosed.find_drops();
        ANALYZE pg_temp.snapshot_drop;
        PERFORM disclosed.find_statements();
        ANALYZE pg_temp.snapshot_said;
    END IF;
    PERFORM disclosed.find_lost_tickers();
    PERFORM disclosed.find_wanted();
    ANALYZE pg_temp.wanted_listing;
    RETURN QUERY SELECT * FROM disclosed.write_wanted();
END $$;

-- Submissions files have been merged; each has all tickers of its company (`keys`, as symbols) at its instant where `wholes` says so. What a copy of
-- that instant had besides was never a listing, and what files before it had ends. Returns what has changed and by which of them, from 1.
CREATE FUNCTION tell_tickers(ciks bigint[], instants timestamptz[], keys text[], wholes boolean[])
RETURNS TABLE (dataset text, changed_issuer bigint, place bigint) LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    lost text[];
BEGIN
    INSERT INTO disclosed.listing_told
    SELECT i.issuer_id, f.known_at
    FROM unnest(ciks, instants, wholes) AS f(cik, known_at, is_whole) JOIN disclosed.issuer i USING (cik) WHERE f.is_whole
    ON CONFLICT DO NOTHING;
    WITH stated AS MATERIALIZED (
        SELECT t.issuer_id, t.record_key, t.known_at, t.said, t.known_at = f.known_at AS is_copy
        FROM unnest(ciks, instants, keys, wholes) AS f(cik, known_at, keys, is_whole) JOIN disclosed.issuer i USING (cik)
        JOIN disclosed.listing_stated t USING (issuer_id)
        WHERE f.is_whole AND t.source_provider = 'sec' AND t.source_url = disclosed.submissions_address(i.cik)
          AND t.known_at <= f.known_at AND t.record_key <> ALL (coalesce(f.keys, '{}')::text[])),
    gone AS (
        DELETE FROM disclosed.listing_stated t USING stated s
        WHERE s.is_copy AND (t.record_key, t.known_at, t.issuer_id, t.said) = (s.record_key, s.known_at, s.issuer_id, s.said))
    SELECT array_agg(DISTINCT s.record_key) INTO lost FROM stated s;
    IF lost IS NULL THEN
        RETURN;
    END IF;
    PERFORM disclosed.open_snapshot_tables();
    INSERT INTO pg_temp.snapshot_key SELECT unnest(lost);
    RETURN QUERY
        SELECT 'listing', d.issuer_id, coalesce((SELECT min(f.place) FROM unnest(ciks) WITH ORDINALITY AS f(cik, place)
                                                 JOIN disclosed.issuer i USING (cik) WHERE i.issuer_id = d.issuer_id), 1)
        FROM (SELECT DISTINCT x AS issuer_id FROM disclosed.derive_listings() AS x) d;
END $$;

-- ------------------------------------------------------------------------------ XBRL

-- Reports are public when their filings are, as those that are loaded say: at first the day of filing has to do, and for an instance that
-- came before its filing the day that the command line said. Returns the issuers of reports that have moved.
CREATE OR REPLACE FUNCTION date_xbrl_reports(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH public AS (
        SELECT r.issuer_id, r.row_id, min(f.known_at) AS known_at,
               CASE r.told_by WHEN 'instance' THEN (array_agg(f.filed_on ORDER BY f.issuer_id <> r.issuer_id, f.known_at))[1] ELSE r.filed_on END AS filed_on
        FROM disclosed.xbrl_report r
        JOIN disclosed.filing f ON f.accession = r.accession AND f.superseded_at IS NULL
        WHERE r.issuer_id = ANY (issuers)
        GROUP BY r.issuer_id, r.row_id),
    moved AS (
        UPDATE disclosed.xbrl_report r
        SET known_at = p.known_at, filed_on = p.filed_on,
            superseded_at = CASE WHEN r.superseded_at = r.known_at THEN p.known_at
                                 WHEN r.superseded_at IS NOT NULL THEN greatest(r.superseded_at, p.known_at) END
        FROM public p
        WHERE r.issuer_id = p.issuer_id AND r.row_id = p.row_id AND (r.known_at, r.filed_on) <> (p.known_at, p.filed_on)
        RETURNING r.issuer_id)
    SELECT DISTINCT issuer_id FROM moved
$$;

-- Linkbases are public when their filings are, and filed with them, as those that are loaded say. Returns the issuers of those that have moved.
CREATE OR REPLACE FUNCTION date_xbrl_linkbases(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    WITH public AS (
        SELECT r.issuer_id, r.row_id, min(f.known_at) AS known_at,
               (array_agg(f.filed_on ORDER BY f.issuer_id <> r.issuer_id, f.known_at))[1] AS filed_on
        FROM disclosed.xbrl_linkbase r
        JOIN disclosed.filing f ON f.accession = r.accession AND f.superseded_at IS NULL
        WHERE r.issuer_id = ANY (issuers)
        GROUP BY r.issuer_id, r.row_id),
    moved AS (
        UPDATE disclosed.xbrl_linkbase r
        SET known_at = p.known_at, filed_on = p.filed_on,
            superseded_at = CASE WHEN r.superseded_at = r.known_at THEN p.known_at
                                 WHEN r.superseded_at IS NOT NULL THEN greatest(r.superseded_at, p.known_at) END
        FROM public p
        WHERE r.issuer_id = p.issuer_id AND r.row_id = p.row_id AND (r.known_at, r.filed_on) <> (p.known_at, p.filed_on)
        RETURNING r.issuer_id)
    SELECT DISTINCT issuer_id FROM moved
$$;
