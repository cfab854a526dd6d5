-- What is told twice: the last that is said at an instant counts.

SET LOCAL search_path = disclosed, public;

-- -------------------------------------------------------------------------- listings

-- What follows from the staged rows of another source than a whole-market file, which have been merged: they are kept as
-- they were stated. Of files that say the same at one instant the statement comes from the one that is least by
-- provider, accession number, address and content hash. Returns what changed.
CREATE OR REPLACE FUNCTION settle_listings(run bigint, hash_of_file text) RETURNS TABLE (dataset text, changed_issuer bigint)
LANGUAGE plpgsql AS $$
DECLARE
    statements bigint;
BEGIN
    IF (SELECT source FROM disclosed.import_run WHERE import_run_id = run) = 'sec-company-tickers' THEN
        RETURN;
    END IF;
    PERFORM disclosed.open_snapshot_tables();
    WITH staged AS MATERIALIZED (
        SELECT coalesce(s.issuer_id, i.issuer_id, j.issuer_id) AS issuer_id, s.record_key, s.known_at,
               disclosed.listing_said(s.name, s.listing_exchange, s.isin, s.figi, s.is_etf, s.is_fund, s.is_adr, s.status,
                                      s.listing_rank) AS said,
               s.row_order & ((1::bigint << 40) - 1) AS place, s.src_digest, o.provider AS source_provider, o.import_run_id, o.url AS source_url, s.accession,
               s.quote, disclosed.content_hash_text(o.content_hash) AS content_hash, o.extracted_at, s.name, s.listing_exchange, s.isin, s.figi, s.is_etf,
               s.is_fund, s.is_adr, s.status, s.listing_rank, s.listed_on,
               disclosed.is_day_seen(o.provider, s.listed_on, s.known_at) AS is_seen
        FROM pg_temp.stage_listing s JOIN disclosed.source o USING (source_id)
        LEFT JOIN disclosed.issuer i ON i.cik = s.cik LEFT JOIN disclosed.issuer j ON j.party_key = s.party),
    -- What another copy of the source said, and this one does not, comes before what this one says.
    placed AS (
        SELECT s.*, s.place + coalesce((
                   SELECT max(t.place) FROM disclosed.listing_stated t
                   WHERE t.record_key = s.record_key AND t.known_at = s.known_at AND t.issuer_id = s.issuer_id
                     AND t.source_provider = s.source_provider AND t.source_url IS NOT DISTINCT FROM s.source_url
                     AND t.said <> ALL (s.all_said)), 0) AS place_now
        FROM (SELECT g.*, array_agg(g.said) OVER (PARTITION BY g.record_key, g.known_at, g.issuer_id) AS all_said FROM staged g) s),
    once AS (
        SELECT DISTINCT ON (record_key, known_at, issuer_id, said) *,
               max(place_now) OVER (PARTITION BY record_key, known_at, issuer_id, said) AS last_place
        FROM placed
        ORDER BY record_key, known_at, issuer_id, said, source_provider COLLATE "C", coalesce(accession, '~') COLLATE "C",
                 coalesce(source_url, '~') COLLATE "C", coalesce(content_hash, '~') COLLATE "C", place),
    stored AS (
        INSERT INTO disclosed.listing_stated AS t
        SELECT issuer_id, record_key, known_at, said, last_place, import_run_id, src_digest, source_provider, source_url, accession, quote,
               content_hash, extracted_at, name, listing_exchange, isin, figi, is_etf, is_fund, is_adr, status, listing_rank,
               CASE WHEN NOT is_seen THEN listed_on END,
               CASE WHEN is_seen THEN coalesce(listed_on, (known_at AT TIME ZONE 'America/New_York')::date) END
        FROM once
        ON CONFLICT (record_key, known_at, issuer_id, said) DO UPDATE
        SET (place, stated_in, listing_digest, source_provider, source_url, accession, quote, content_hash, extracted_at,
             listed_on, seen_on)
          = (SELECT CASE WHEN excluded.source_provider = t.source_provider AND excluded.source_url IS NOT DISTINCT FROM t.source_url
                         THEN excluded.place ELSE greatest(t.place, excluded.place) END, o.stated_in, o.listing_digest, o.source_provider, o.source_url,
                    o.accession, o.quote, o.content_hash, o.extracted_at, o.listed_on, o.seen_on
             FROM (SELECT excluded.* UNION ALL SELECT t.*) o
             ORDER BY o.source_provider COLLATE "C", coalesce(o.accession, '~') COLLATE "C",
                      coalesce(o.source_url, '~') COLLATE "C", coalesce(o.content_hash, '~') COLLATE "C",
                      coalesce(o.listed_on, o.seen_on), coalesce(o.quote, '~') COLLATE "C" LIMIT 1)
        WHERE excluded.place > t.place
           OR (excluded.place < t.place AND excluded.source_provider = t.source_provider
               AND excluded.source_url IS NOT DISTINCT FROM t.source_url)
           OR (excluded.source_provider COLLATE "C", coalesce(excluded.accession, '~') COLLATE "C",
               coalesce(excluded.source_url, '~') COLLATE "C", coalesce(excluded.content_hash, '~') COLLATE "C",
               coalesce(excluded.listed_on, excluded.seen_on), coalesce(excluded.quote, '~') COLLATE "C")
            < (t.source_provider, coalesce(t.accession, '~'), coalesce(t.source_url, '~'), coalesce(t.content_hash, '~'),
               coalesce(t.listed_on, t.seen_on), coalesce(t.quote, '~'))
        RETURNING t.record_key)
    INSERT INTO pg_temp.snapshot_key
    SELECT record_key FROM stored
    UNION
    SELECT s.record_key FROM staged s JOIN pg_temp.touched USING (issuer_id);
    GET DIAGNOSTICS statements = ROW_COUNT;
    IF statements = 0 THEN
        RETURN;
    END IF;
    IF statements >= 2000 THEN
        -- As settling does: who gathers statistics of issuer holds this lock.
        PERFORM pg_advisory_xact_lock(hashtextextended('disclosed load issuer', 0));
        PERFORM disclosed.analyze_grown(ARRAY['disclosed.issuer', 'disclosed.listing', 'disclosed.listing_stated']::regclass[]);
    END IF;
    RETURN QUERY SELECT 'listing', i FROM disclosed.derive_listings() AS i;
END $$;

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
    -- What another copy of the source said of them: the one that was loaded last counts.
    replaced AS (
        DELETE FROM disclosed.executive_stated t
        USING (SELECT o.issuer_id, o.record_key, o.origin, o.said
               FROM (SELECT DISTINCT issuer_id, record_key, origin, source_provider, source_url FROM staged) g
               JOIN disclosed.executive_stated o USING (issuer_id, record_key, origin, source_provider)
               WHERE o.source_url IS NOT DISTINCT FROM g.source_url
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

-- -------------------------------------------------------------------------- congress

-- Before trades that lines state are merged: those of reports that the Clerk's index has are dated by it, as date_congress_reports() dates
-- the stored ones.
CREATE FUNCTION date_staged_trades() RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    IF to_regclass('pg_temp.stage_congress_trade') IS NULL THEN
        RETURN; -- each was rejected
    END IF;
    UPDATE pg_temp.stage_congress_trade s
    SET filing_date = i.filing_date, filing_date_basis = 'stated', known_at = i.known_at,
        state_district = coalesce(s.state_district, i.state_district)
    FROM disclosed.congress_report i
    WHERE s.chamber = 'house' AND i.report_id = s.report_id AND NOT disclosed.is_congress_base_key(s.record_key)
      AND s.filing_date <= (s.known_at AT TIME ZONE 'UTC')::date + 14 -- others are rejected
      AND i.superseded_at IS NULL AND i.filing_date IS NOT NULL;
END $$;

-- ---------------------------------------------------------------- dates of XBRL reports

-- Before reports are merged: those of filings that are loaded have their times. Of others the copy that is loaded last says when they were
-- public, also of what an earlier one of the same importer has stored; those that it moves to one instant replace each other in the order of
-- loading.
CREATE OR REPLACE FUNCTION date_staged_reports() RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql AS $$
BEGIN
    UPDATE pg_temp.stage_xbrl_report s SET known_at = f.known_at
    FROM (SELECT t.accession, min(t.known_at) AS known_at FROM disclosed.filing t
          WHERE t.accession IN (SELECT x.accession FROM pg_temp.stage_xbrl_report x) AND t.superseded_at IS NULL
          GROUP BY t.accession) f
    WHERE f.accession = s.accession AND f.known_at <> s.known_at;
    RETURN QUERY
    WITH said AS MATERIALIZED (
        SELECT DISTINCT ON (s.record_key) i.issuer_id, s.record_key, s.accession, s.known_at, r.source
        FROM pg_temp.stage_xbrl_report s JOIN disclosed.issuer i ON i.cik = s.cik
        JOIN disclosed.source o USING (source_id) JOIN disclosed.import_run r USING (import_run_id)
        ORDER BY s.record_key, s.row_order DESC),
    moved AS MATERIALIZED (
        SELECT t.issuer_id, t.row_id, t.superseded_at, g.known_at,
               lead(t.row_id) OVER (PARTITION BY t.issuer_id, t.record_key ORDER BY t.known_at, t.row_id) IS NOT NULL AS is_followed
        FROM said g CROSS JOIN LATERAL (
            SELECT t.issuer_id, t.row_id, t.record_key, t.known_at, t.superseded_at, t.source_id FROM disclosed.xbrl_report t
            WHERE t.accession = g.accession AND t.issuer_id = g.issuer_id AND t.record_key = g.record_key AND t.known_at <> g.known_at
            OFFSET 0) t
        JOIN disclosed.source o ON o.source_id = t.source_id JOIN disclosed.import_run r ON r.import_run_id = o.import_run_id
        WHERE r.source = g.source
          AND NOT EXISTS (SELECT 1 FROM disclosed.filing f WHERE f.accession = g.accession AND f.superseded_at IS NULL))
    UPDATE disclosed.xbrl_report t
    SET known_at = m.known_at,
        superseded_at = CASE WHEN m.superseded_at IS NOT NULL AND (m.is_followed OR m.superseded_at < m.known_at) THEN m.known_at
                             ELSE m.superseded_at END
    FROM moved m WHERE t.issuer_id = m.issuer_id AND t.row_id = m.row_id
    RETURNING 'xbrl_report', t.issuer_id;
END $$;
