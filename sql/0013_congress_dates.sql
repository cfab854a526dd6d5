-- Versions of a trade that the Clerk's index dates back all become known when the report was public: what
-- dumps said of it before the last of them was in force at no time.

SET LOCAL search_path = disclosed, public;

-- House reports take the filing date, and a district that their source lacks, from the Clerk's index.
-- Looks at the reports of `issuers`, politicians or the Clerk's office. Returns the politicians.
CREATE OR REPLACE FUNCTION date_congress_reports(issuers bigint[]) RETURNS SETOF bigint LANGUAGE sql AS $$
    UPDATE disclosed.congress_trade t
    SET filing_date = r.filing_date, filing_date_basis = 'stated', known_at = r.known_at,
        state_district = coalesce(t.state_district, r.state_district),
        superseded_at = CASE WHEN t.superseded_at IS NULL THEN NULL
                             WHEN t.superseded_at = t.known_at OR r.is_followed THEN r.known_at
                             ELSE greatest(t.superseded_at, r.known_at) END
    FROM (SELECT d.*, EXISTS (
                     SELECT 1 FROM disclosed.congress_trade n
                     WHERE n.issuer_id = d.issuer_id AND n.record_key = d.record_key
                       AND (n.known_at, n.row_id) > (d.was_known_at, d.row_id)) AS is_followed
          FROM (SELECT c.issuer_id, c.row_id, c.record_key, c.known_at AS was_known_at,
                       i.filing_date, i.known_at, i.state_district
                FROM disclosed.congress_report i
                JOIN disclosed.congress_trade c ON c.chamber = 'house' AND c.report_id = i.report_id
                WHERE i.issuer_id = ANY(issuers) AND i.superseded_at IS NULL AND i.filing_date IS NOT NULL
                UNION
                SELECT c.issuer_id, c.row_id, c.record_key, c.known_at, i.filing_date, i.known_at, i.state_district
                FROM disclosed.congress_trade c
                JOIN disclosed.congress_report i ON i.report_id = c.report_id
                WHERE c.issuer_id = ANY(issuers) AND c.chamber = 'house'
                  AND i.superseded_at IS NULL AND i.filing_date IS NOT NULL) d) r
    WHERE t.issuer_id = r.issuer_id AND t.row_id = r.row_id
      AND (t.filing_date, t.filing_date_basis, t.known_at, t.state_district)
          IS DISTINCT FROM (r.filing_date, 'stated', r.known_at,
                            coalesce(t.state_district, r.state_district))
    RETURNING t.issuer_id
$$;

-- Those that are stored so already.
UPDATE congress_trade t SET superseded_at = t.known_at
WHERE t.chamber = 'house' AND t.superseded_at > t.known_at
  AND EXISTS (SELECT 1 FROM congress_trade n
              WHERE n.issuer_id = t.issuer_id AND n.record_key = t.record_key
                AND n.known_at = t.known_at AND n.row_id > t.row_id);
UPDATE dataset_stat SET version = version + 1 WHERE dataset = 'congress_trade';
