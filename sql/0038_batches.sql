-- Files of one transaction are merged at once: a staged row's file is in the upper bits of its row_order, and its source names
-- the run that loads it. `run` is that of any of them, all of one importer. What follows from a form looks first whether there is
-- anything to do.

SET LOCAL search_path = disclosed, public;

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
    once AS (
        SELECT DISTINCT ON (record_key, known_at, issuer_id, said) *,
               max(place) OVER (PARTITION BY record_key, known_at, issuer_id, said) AS last_place
        FROM staged
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
          = (SELECT greatest(t.place, excluded.place), o.stated_in, o.listing_digest, o.source_provider, o.source_url,
                    o.accession, o.quote, o.content_hash, o.extracted_at, o.listed_on, o.seen_on
             FROM (SELECT excluded.* UNION ALL SELECT t.*) o
             ORDER BY o.source_provider COLLATE "C", coalesce(o.accession, '~') COLLATE "C",
                      coalesce(o.source_url, '~') COLLATE "C", coalesce(o.content_hash, '~') COLLATE "C",
                      coalesce(o.listed_on, o.seen_on), coalesce(o.quote, '~') COLLATE "C" LIMIT 1)
        WHERE excluded.place > t.place
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

-- What follows from staged people, who have been merged: they are kept as they were stated. Of files that say the same for one
-- origin the statement comes from the one that is least by provider, accession number, address and content hash. Returns
-- what changed.
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

-- What follows from loading one Form 3, 4 or 5: rows loaded of it before take its dates, and rows
-- of the same document under its digest (`unfiled_keys`) close where it has an accession number; what the
-- document said of its owners without one is said by the report. An issuer that nothing else names has the
-- name of its latest report. Its rows are asked for without a join, whose plan, made while tables are empty, would read those of the
-- issuer for each.
CREATE OR REPLACE FUNCTION settle_report(issuer_cik bigint, report_accession text, report_known timestamptz,
                              report_filed date, hash text, unfiled_keys text[],
                              issuer_name text)
RETURNS TABLE (dataset text, changed_issuer bigint) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    reported bigint := (SELECT i.issuer_id FROM disclosed.issuer i WHERE i.cik = issuer_cik);
    hashes bigint[] := ARRAY(SELECT disclosed.key_hash(k) FROM unnest(unfiled_keys) AS k);
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
    IF issuers IS NOT NULL THEN
        RETURN QUERY SELECT DISTINCT 'executive', d FROM disclosed.derive_executives(issuers, keys) AS d;
    END IF;
    RETURN QUERY
        UPDATE disclosed.insider_transaction t SET superseded_at = t.known_at
        WHERE t.issuer_id = reported AND disclosed.key_hash(t.record_key) = ANY (hashes) AND t.record_key = ANY (unfiled_keys)
          AND (t.superseded_at IS NULL OR t.superseded_at IS NOT NULL) AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider', t.issuer_id;
    RETURN QUERY
        UPDATE disclosed.insider_holding t SET superseded_at = t.known_at
        WHERE t.issuer_id = reported AND disclosed.key_hash(t.record_key) = ANY (hashes) AND t.record_key = ANY (unfiled_keys)
          AND (t.superseded_at IS NULL OR t.superseded_at IS NOT NULL) AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider_holding', t.issuer_id;
END $$;
