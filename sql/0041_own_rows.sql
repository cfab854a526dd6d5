-- A report's own rows are asked for without a join, whose plan, made while tables are empty, read those of the issuer for each.

SET LOCAL search_path = disclosed, public;

-- What follows from loading one Form 3, 4 or 5: rows loaded of it before take its dates, and rows
-- of the same document under its digest (`unfiled_keys`) close where it has an accession number; what the
-- document said of its owners without one is said by the report. An issuer that nothing else names has the
-- name of its latest report.
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
