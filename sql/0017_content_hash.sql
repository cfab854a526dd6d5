-- The content hash of a row is the SHA-256 of the file that it was read from. By what a document says it is
-- known again through a digest of its own, which is the same in a file alone and in a submission.

SET LOCAL search_path = disclosed, public;

CREATE TABLE named_document (
    document  text COLLATE "C" NOT NULL,
    accession text NOT NULL,
    PRIMARY KEY (document, accession)
);
COMMENT ON TABLE named_document IS 'the accession numbers of documents that may also come without one';
COMMENT ON COLUMN named_document.document IS '"sha256:" and the first 32 digits of its digest, line ends as one LF: as in record keys';
CREATE INDEX named_document_accession ON named_document (accession);

-- Until now the content hash of these importers' rows was that digest.
INSERT INTO named_document (document, accession)
SELECT DISTINCT left(t.content_hash, 39), t.accession
FROM (SELECT import_run_id, content_hash, accession FROM insider_transaction
      UNION SELECT import_run_id, content_hash, accession FROM insider_holding
      UNION SELECT import_run_id, content_hash, accession FROM institution_report
      UNION SELECT import_run_id, content_hash, accession FROM fund) t
JOIN import_run r USING (import_run_id)
WHERE r.source IN ('sec-ownership', 'sec-13f', 'sec-nport')
  AND t.content_hash IS NOT NULL AND t.accession IS NOT NULL;

-- What is no hash of the file is none; loading the file again fills it in.
DO $$
DECLARE
    dataset_table text;
BEGIN
    FOREACH dataset_table IN ARRAY ARRAY['insider_transaction', 'insider_holding', 'executive',
        'institution_report', 'institution_position', 'fund', 'fund_holding', 'fund_class', 'fund_exposure',
        'filing_exhibit', 'filing_text'] LOOP
        EXECUTE format($sql$
            UPDATE disclosed.%I t SET content_hash = NULL
            FROM disclosed.import_run r
            WHERE r.import_run_id = t.import_run_id AND t.content_hash IS NOT NULL
              AND r.source IN ('sec-ownership', 'sec-13f', 'sec-nport', 'sec-filing')
        $sql$, dataset_table);
    END LOOP;
    FOREACH dataset_table IN ARRAY ARRAY['institution_holder', 'institution_flow'] LOOP
        EXECUTE format($sql$
            UPDATE disclosed.%I t SET content_hash = NULL
            WHERE t.content_hash IS NOT NULL AND t.accession IN (
                SELECT p.accession FROM disclosed.institution_report p
                JOIN disclosed.import_run r USING (import_run_id) WHERE r.source = 'sec-13f')
        $sql$, dataset_table);
    END LOOP;
    UPDATE disclosed.dataset_stat SET version = version + 1;
END $$;

-- The accession number under which a report of the same content is known.
CREATE OR REPLACE FUNCTION accession_of_report(issuer_cik bigint, hash text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT min(d.accession) FROM disclosed.named_document d WHERE d.document = left(hash, 39)
$$;

-- When a report was public: as its filing says, else its submission's header (acceptance, day of
-- filing), else what was loaded of it before, else the latest day on which it should have been: a
-- report is due 60 days after the quarter's end (Rule 30b1-9), and never public before it was signed.
-- `hash` is its document's digest.
CREATE OR REPLACE FUNCTION date_of_fund_report(registrant_cik bigint, report_accession text, hash text,
                                               header_accepted timestamptz, header_filed date,
                                               as_of_day date, signed date,
                                               OUT accession text, OUT known_at timestamptz)
LANGUAGE sql STABLE AS $$
    WITH same AS (
        SELECT f.accession, f.known_at
        FROM disclosed.fund f JOIN disclosed.issuer i USING (issuer_id)
        WHERE i.cik = registrant_cik
          AND CASE WHEN report_accession IS NOT NULL THEN f.accession = report_accession
                   ELSE f.record_key = left(hash, 39)
                     OR f.accession IN (SELECT d.accession FROM disclosed.named_document d
                                        WHERE d.document = left(hash, 39)) END
        ORDER BY f.accession IS NULL, f.accession, f.known_at LIMIT 1),
    named AS (SELECT coalesce(report_accession, (SELECT s.accession FROM same s)) AS accession)
    SELECT n.accession,
           coalesce((SELECT min(f.known_at) FROM disclosed.filing f
                     WHERE f.accession = n.accession AND f.superseded_at IS NULL),
                    header_accepted, disclosed.end_of_day(header_filed),
                    (SELECT s.known_at FROM same s),
                    disclosed.end_of_day(greatest(as_of_day + 60, signed)))
    FROM named n
$$;

-- The reports of each fund in order: the one for the latest day stands, the last one filed among
-- those for a day, each from when it was public; a late report for an earlier day never does. A
-- document that was loaded by itself gives way to the same one under its accession number.
CREATE OR REPLACE FUNCTION fund_timeline(issuers bigint[])
RETURNS TABLE (issuer_id bigint, row_id bigint, ends_at timestamptz)
LANGUAGE sql STABLE AS $$
    SELECT r.issuer_id, r.row_id,
           CASE WHEN r.is_copy THEN r.known_at
                WHEN min(r.known_at) OVER newer IS NULL THEN NULL
                ELSE greatest(r.known_at, min(r.known_at) OVER newer) END
    FROM (SELECT f.issuer_id, f.row_id, f.fund_key, f.report_date, f.known_at,
                 starts_with(f.record_key, 'sha256:') AND EXISTS (
                     SELECT 1 FROM disclosed.named_document d
                     JOIN disclosed.fund named ON named.accession = d.accession
                     WHERE d.document = f.record_key AND named.issuer_id = f.issuer_id) AS is_copy
          FROM disclosed.fund f WHERE f.issuer_id = ANY(issuers)) r
    WINDOW newer AS (PARTITION BY r.issuer_id, r.fund_key, r.is_copy
                     ORDER BY r.report_date DESC, r.known_at DESC, r.row_id DESC
                     ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
$$;
DROP INDEX fund_content;

GRANT SELECT ON named_document TO disclosed_api, disclosed_loader;
GRANT INSERT, UPDATE, DELETE ON named_document TO disclosed_loader;
