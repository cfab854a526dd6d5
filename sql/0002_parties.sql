-- Parties: those who report and have no CIK (members of Congress), and securities that no listing
-- names yet.

SET LOCAL search_path = disclosed, public;

ALTER TABLE issuer ADD COLUMN party_key text UNIQUE CHECK (party_key <> '' AND length(party_key) <= 1000);
COMMENT ON COLUMN issuer.party_key IS
    'names one without a CIK: politician/<slug>, or symbol/<spellings> of a security that no listing names yet';

CREATE INDEX issuer_spellings ON issuer USING gin (string_to_array(substr(party_key, 8), ' '))
    WHERE party_key LIKE 'symbol/%';

-- Rows kept under the symbols of securities that no listing named move to the company that a listing
-- of `issuers` now names with that symbol: the first spelling that is listed counts. Rows that the
-- company has already, or that an older party brings, stay where they are. Returns those whose rows have changed.
CREATE FUNCTION adopt_rows(dataset_table text, issuers bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format($sql$
        WITH named AS (
            SELECT DISTINCT ON (p.issuer_id) p.issuer_id AS party_id, l.issuer_id AS company_id
            FROM disclosed.listing l
            JOIN disclosed.issuer p
              ON p.party_key LIKE 'symbol/%%'
             AND string_to_array(substr(p.party_key, 8), ' ') && ARRAY[l.ticker, l.symbol]
            WHERE l.issuer_id = ANY ($1) AND l.superseded_at IS NULL AND l.issuer_id <> p.issuer_id
            ORDER BY p.issuer_id,
                     least(array_position(string_to_array(substr(p.party_key, 8), ' '), l.ticker),
                           array_position(string_to_array(substr(p.party_key, 8), ' '), l.symbol)),
                     l.status <> 'active', l.listing_rank, l.id),
        moved AS (
            UPDATE disclosed.%1$I t SET issuer_id = n.company_id
            FROM named n
            WHERE t.issuer_id = n.party_id
              AND NOT EXISTS (SELECT 1 FROM disclosed.%1$I x
                              WHERE x.issuer_id = n.company_id AND x.record_key = t.record_key)
              AND NOT EXISTS (SELECT 1 FROM named f JOIN disclosed.%1$I x ON x.issuer_id = f.party_id
                              WHERE f.company_id = n.company_id AND f.party_id < n.party_id
                                AND x.record_key = t.record_key)
            RETURNING n.party_id, n.company_id)
        SELECT party_id FROM moved UNION SELECT company_id FROM moved
    $sql$, dataset_table) USING issuers;
END $$;

GRANT EXECUTE ON FUNCTION adopt_rows TO disclosed_loader;
