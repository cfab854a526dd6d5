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
