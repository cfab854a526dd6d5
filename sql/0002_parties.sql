-- Parties: those who report and have no CIK (members of Congress), and securities that no listing
-- names yet.

SET LOCAL search_path = disclosed, public;

ALTER TABLE issuer ADD COLUMN party_key text UNIQUE CHECK (party_key <> '' AND length(party_key) <= 1000);
COMMENT ON COLUMN issuer.party_key IS
    'names one without a CIK: politician/<slug>, or symbol/<spellings> of a security that no listing names yet';

-- Rows kept under the symbols of securities that no listing named move to the company that a listing
-- of `issuers` now names with that symbol: the first spelling that is listed counts. Rows that the
-- company has already stay where they are. Returns those whose rows have changed.
CREATE FUNCTION adopt_rows(dataset_table text, issuers bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        WITH spelling AS (
            SELECT p.issuer_id, s.ticker, s.place FROM disclosed.issuer p
            CROSS JOIN LATERAL unnest(string_to_array(substr(p.party_key, 8), ' '))
                WITH ORDINALITY AS s(ticker, place)
            WHERE p.party_key LIKE 'symbol/%%'),
        named AS (
            SELECT DISTINCT ON (s.issuer_id) s.issuer_id AS party_id, l.issuer_id AS company_id
            FROM disclosed.listing l JOIN spelling s USING (ticker)
            WHERE l.issuer_id = ANY ($1) AND l.superseded_at IS NULL AND l.issuer_id <> s.issuer_id
            ORDER BY s.issuer_id, s.place, l.status <> 'active', l.listing_rank, l.id),
        moved AS (
            UPDATE disclosed.%1$I t SET issuer_id = n.company_id
            FROM named n
            WHERE t.issuer_id = n.party_id
              AND NOT EXISTS (SELECT 1 FROM disclosed.%1$I x
                              WHERE x.issuer_id = n.company_id AND x.record_key = t.record_key)
            RETURNING n.party_id, n.company_id)
        SELECT party_id FROM moved UNION SELECT company_id FROM moved
    $sql$, dataset_table) USING issuers;
END $$;

GRANT EXECUTE ON FUNCTION adopt_rows TO disclosed_loader;
