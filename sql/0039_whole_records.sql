-- A report is settled by its own rows, whatever else is stored of its issuer.

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
        FROM disclosed.issuer i CROSS JOIN unnest(unfiled_keys) AS k(record_key)
        CROSS JOIN LATERAL (
            SELECT v.row_id FROM disclosed.insider_transaction v
            WHERE v.issuer_id = i.issuer_id AND disclosed.key_hash(v.record_key) = disclosed.key_hash(k.record_key)
              AND v.record_key = k.record_key AND (v.superseded_at IS NULL OR v.superseded_at IS NOT NULL) OFFSET 0) v
        WHERE i.cik = issuer_cik AND t.issuer_id = i.issuer_id AND t.row_id = v.row_id
          AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider', t.issuer_id;
    RETURN QUERY
        UPDATE disclosed.insider_holding t SET superseded_at = t.known_at
        FROM disclosed.issuer i CROSS JOIN unnest(unfiled_keys) AS k(record_key)
        CROSS JOIN LATERAL (
            SELECT v.row_id FROM disclosed.insider_holding v
            WHERE v.issuer_id = i.issuer_id AND disclosed.key_hash(v.record_key) = disclosed.key_hash(k.record_key)
              AND v.record_key = k.record_key AND (v.superseded_at IS NULL OR v.superseded_at IS NOT NULL) OFFSET 0) v
        WHERE i.cik = issuer_cik AND t.issuer_id = i.issuer_id AND t.row_id = v.row_id
          AND t.superseded_at IS DISTINCT FROM t.known_at
        RETURNING 'insider_holding', t.issuer_id;
END $$;
